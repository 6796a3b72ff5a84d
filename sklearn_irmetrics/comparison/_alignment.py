"""Align systems on the same queries, rows, splits or data sets."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike

import numpy as np

from sklearn_irmetrics._arrays.numbers import refuse_mask, to_numpy
from sklearn_irmetrics._arrays.query_ids import as_ids, as_keys, list_values
from sklearn_irmetrics._checks import add_note_to_errors, check_option
from sklearn_irmetrics._results.tables import PLURAL
from sklearn_irmetrics._results.tabular import Evaluated
from sklearn_irmetrics._statistics.bootstrap632 import point632, queries632_plus
from sklearn_irmetrics._statistics.paired_tests import TESTS
from sklearn_irmetrics._statistics.units import units_of
from sklearn_irmetrics.comparison._predictions import (
    groups_of_rows,
    have_one_test_set,
    is_tested_once,
    swap_measure,
)
from sklearn_irmetrics.comparison._systems import (
    check_comparable,
    is_system,
    list_ids,
    named_systems,
)
from sklearn_irmetrics.metrics._intervals import (
    name_groups,
    number_groups,
    number_strata,
)
from sklearn_irmetrics.metrics._measure import Measure
from sklearn_irmetrics.reports.query_scores import QueryScores, check_order
from sklearn_irmetrics.scorers._row_values import cost_rows, row_values
from sklearn_irmetrics.scorers.scorer import read_spelled

# Each of two differences comes from two scores that were rounded.
_ROUNDINGS = 4
# Measures of scikit-learn that are means over rows, and the predictions they score.
_ROW_MEANS = {
    "accuracy": "predict",
    "zero_one_loss": "predict",
    "mean_squared_error": "predict",
    "mean_absolute_error": "predict",
    "log_loss": "predict_proba",
    "brier_score_loss": "predict_proba",
}


@dataclass(frozen=True)
class SystemScores:
    """Scores of all systems, one column each, and facts about their rows.

    Attributes
    ----------
    names : list of str
        Of the systems.
    values : ndarray of shape (n_rows, n_systems)
        Scores.
    unit : {"query", "group", "row", "split"}
        What each row is.
    ids : list or None
        Of the rows.
    groups, weights, strata : ndarray of shape (n_rows,) or None
        Of the rows.
    test_share : float or None
        Size of the test data divided by that of the training data, if rows are splits.
    eps : float
        Relative precision of scores that came in less than float64; otherwise 0.
    metric : str or None
        The measure, None if it has no name.
    """

    names: list
    values: np.ndarray
    unit: str
    ids: list | None = None
    groups: np.ndarray | None = None
    weights: np.ndarray | None = None
    test_share: float | None = None
    strata: np.ndarray | None = None
    eps: float = 0.0
    metric: str | None = None

    @property
    def resolution(self):
        """How much equal differences may differ because the scores were rounded."""
        return _ROUNDINGS * self.eps * float(np.nanmax(np.abs(self.values), initial=0))

    def take(self, rows):
        """Return the scores of some rows."""
        return replace(
            self,
            values=self.values[rows],
            ids=None if self.ids is None else [self.ids[row] for row in rows],
            groups=None if self.groups is None else self.groups[rows],
            weights=None if self.weights is None else self.weights[rows],
            strata=None if self.strata is None else self.strata[rows],
        )

    def units(self):
        """Return unit scores, weights, strata, and the number of units without scores.

        Raises
        ------
        ValueError
            If rows are undefined for only some systems, or fewer than two are left.
        """
        undefined = np.isnan(self.values)
        counted = ~undefined.all(axis=1)
        if undefined[counted].any():
            rows = np.flatnonzero(counted & undefined.any(axis=1))
            ids = rows.tolist() if self.ids is None else [self.ids[row] for row in rows]
            by_system = zip(self.names, undefined[counted].any(axis=0), strict=True)
            systems = ", ".join(repr(name) for name, lacks in by_system if lacks)
            raise ValueError(
                f"results must be defined for the same {PLURAL[self.unit]}; there is "
                f"no score for {self.unit} {list_ids(ids, ())} in {systems}. Put a "
                "number in place of NaN, as replace_undefined_by does in scoring."
            )
        defined = self.take(np.flatnonzero(counted))
        values, weights, strata = units_of(
            defined.values, defined.weights, defined.groups, defined.strata
        )
        if len(values) < 2:
            by_metric = "" if self.metric is None else f" by {self.metric}"
            raise ValueError(
                f"results must share at least two {PLURAL[self.unit]} with defined "
                f"scores{by_metric}; got {len(values)}."
            )
        if strata is not None and (
            np.bincount(strata).min() < 2 or strata.max() + 1 < len(set(self.strata))
        ):
            raise ValueError(
                f"strata must have at least two {PLURAL[self.unit]} with defined "
                "scores each, to estimate the error from their spread; one has fewer."
            )
        units = counted if self.groups is None else np.unique(self.groups)
        return values, weights, strata, len(units) - len(values)


@dataclass(frozen=True)
class _QueryValues:
    """Scores of one system, and what is known about its queries."""

    values: np.ndarray
    ids: np.ndarray | None = None
    weights: np.ndarray | None = None
    groups: np.ndarray | None = None
    eps: float = 0.0

    @cached_property
    def keys(self):
        """What ids are compared by, or None."""
        return None if self.ids is None else as_keys(self.ids)

    def in_order_of(self, other):
        """Return the same values in the order of the queries of another system."""
        place = {key: i for i, key in enumerate(self.keys)}
        order = [place[key] for key in other.keys]
        return _QueryValues(
            values=self.values[order],
            ids=self.ids[order],
            weights=None if self.weights is None else self.weights[order],
            groups=None if self.groups is None else self.groups[order],
            eps=self.eps,
        )


def align_queries(systems, metric):
    """Return the scores of all systems on the queries of the first.

    Parameters
    ----------
    systems : dict of str to system
        As for `compare`.
    metric : str or None
        The measure whose scores to align.

    Returns
    -------
    SystemScores

    Raises
    ------
    ValueError
        If a system lacks queries, has others, or was tested differently; the message
        says how.
    """
    queries_by_system = {
        name: _query_values(name, system, metric) for name, system in systems.items()
    }
    first, reference = next(iter(queries_by_system.items()))
    grouped, groups = first, None
    aligned = []
    for name, system in queries_by_system.items():
        _check_same_queries(first, reference, name, system)
        if system.ids is not None and system.keys != reference.keys:
            system = system.in_order_of(reference)
        if not np.array_equal(system.weights, reference.weights):
            raise ValueError(
                f"results must have the same weights of queries; those of {first!r} "
                f"and {name!r} differ."
            )
        if groups is None:
            grouped, groups = name, system.groups
        elif system.groups is not None and not _same_parts(groups, system.groups):
            raise ValueError(
                f"results must have the same groups of queries; those of {grouped!r} "
                f"and {name!r} differ."
            )
        aligned.append(system)
    check_comparable(systems)
    return SystemScores(
        list(systems),
        np.column_stack([system.values for system in aligned]),
        "query" if groups is None else "group",
        list_values(reference.ids),
        groups,
        reference.weights,
        eps=max(system.eps for system in aligned),
        metric=metric,
    )


def _check_same_queries(first, reference, name, own):
    """Refuse a system with other queries than the first one's."""
    if (own.ids is None) != (reference.ids is None):
        raise ValueError(
            f"results must either all have query ids or all lack them; {first!r} "
            f"and {name!r} differ. Pass QueryScores or EvaluationResult for all."
        )
    if own.ids is None:
        if len(own.values) != len(reference.values):
            raise ValueError(
                f"results must have scores for the same queries; {first!r} has "
                f"{len(reference.values)}, {name!r} has {len(own.values)}."
            )
        return
    if own.keys == reference.keys:
        return
    lacking = {name: (reference.keys, own.keys, first)}
    lacking[first] = (own.keys, reference.keys, name)
    for incomplete, (wanted, present, other) in lacking.items():
        if missing := list_ids(wanted, set(present)):
            raise ValueError(
                f"results must cover the same queries; {incomplete!r} lacks the ids "
                f"{missing}, which {other!r} has."
            )


def _same_parts(groups, other):
    """Return whether groups hold the same queries, whatever their names."""
    pairs = set(zip(groups.tolist(), other.tolist(), strict=True))
    return len(pairs) == len(np.unique(groups)) == len(np.unique(other))


def _query_values(name, system, metric):
    """Return the scores of one system, checked."""
    ids = weights = groups = None
    if isinstance(system, Evaluated):
        ids, values, weights, groups = _scores_of_estimate(name, system, metric)
    elif isinstance(system, QueryScores):
        ids, values = system.query_ids, system.scores[metric]
        check_plain_mean(name, metric, values, system.mean.get(metric))
    elif hasattr(getattr(system, "index", None), "to_numpy"):  # of a Series
        ids, values = system.index.to_numpy(), system.to_numpy()
    else:
        values = system
    values, eps = _as_scores(name, system, values)
    ids = None if ids is None else as_ids(ids)
    queries = _QueryValues(values, ids, weights, groups, eps)
    if ids is not None and len(set(queries.keys)) < len(ids):
        raise ValueError(f"results must have each query once; {name!r} repeats some.")
    return queries


def _as_scores(name, system, values):
    """Return scores in float64, and the precision that they came in."""
    refuse_mask(f"results[{name!r}]", values)
    values = np.asarray(to_numpy(values))
    if values.ndim != 1 or values.dtype.kind not in "biuf":
        _refuse_other_types(name, system)
    is_coarse = values.dtype.kind == "f" and values.dtype.itemsize < 8
    eps = float(np.finfo(values.dtype).eps) if is_coarse else 0.0
    values = values.astype(np.float64)
    if np.isinf(values).any():
        raise ValueError(
            f"results must be finite or NaN; {name!r} has infinite scores."
        )
    return values, eps


def _refuse_other_types(name, system):
    """Refuse a system that is no result and no array, and list what it holds."""
    held = hasattr(system, "keys") and not isinstance(system, dict)
    held &= getattr(system, "ndim", 2) > 1  # a Series holds values
    instead = f" Pass one of those it holds: {list(system)}." if held else ""
    if isinstance(system, str | PathLike):
        instead = " Score files first: pass score_run(qrels, {...}, metrics)."
    raise TypeError(
        "results must be EvaluationResult, QueryScores, a Series or a 1-D array of "
        f"numbers; got {type(system).__name__} for {name!r}.{instead}"
    )


def _scores_of_estimate(name, system, metric):
    """Return ids, scores, weights and groups of the queries that `evaluate` tested."""
    table = system.query_scores
    if table is None or metric not in table.scores:
        _refuse_without_query_scores(name, system, metric)
    if (by := system.aggregate[metric]) != "per_query":
        over_splits = ", or use test='corrected_ttest'" if by == "per_split" else ""
        raise ValueError(
            f"results must be means over queries for tests over queries; {metric} in "
            f"{name!r} has aggregate={by!r}. Evaluate with aggregate='per_query'"
            f"{over_splits}."
        )
    ids, values, weights = table.mean_of_splits(metric)
    if system.apparent_score is not None:
        values = _correct_by_apparent(name, system, metric, ids, values, weights)
    return ids, values, weights, table.group_of_queries


def _refuse_one_test_set(name, system, metric):
    """Refuse one score of one test set, and say how else to compare."""
    unknown, instead = "", "Use test='swap'"
    if swap_measure(system, metric) is None:
        unknown = ", which test='swap' does not know"
        instead = "Compare by a measure such as 'f1_macro' or 'roc_auc'"
    if system.is_trained:
        instead += ", or evaluate with method='kfold'"
    raise ValueError(
        f"results must have several splits to compare {metric}{unknown}; {name!r} has "
        f"one test set. {instead}."
    )


def _refuse_without_query_scores(name, system, metric):
    """Refuse a measure without scores per query, and say how else to compare."""
    if is_tested_once(system):
        _refuse_one_test_set(name, system, metric)
    first = ""
    if system.is_bootstrap:
        first = "evaluate with method='kfold' and "
    elif system.aggregate[metric] == "pooled":
        first = "evaluate with aggregate='per_split' and "
    has_ids = system.predictions.query_ids is not None
    raise ValueError(
        f"{metric} has no scores per query in {name!r}; {first}compare splits with "
        "compare(..., test='corrected_ttest')"
        f"{'' if has_ids else ', or pass qid= to evaluate'}."
    )


def check_plain_mean(name, metric, values, mean):
    """Refuse scores whose average is not the plain mean, which tests compare."""
    defined = values[~np.isnan(values)]
    if mean is None or not len(defined):
        return
    plain = float(defined.mean())
    if abs(mean - plain) > 1e-6 * np.abs(defined).max():
        raise ValueError(
            f"results must have plain means over queries; the {metric} of {name!r} is "
            f"a weighted, geometric or micro mean, {mean:.4g} rather than {plain:.4g}."
        )


def _correct_by_apparent(name, system, metric, ids, values, weights):
    """Return scores of queries whose mean is the .632 or .632+ estimate."""
    all_ids, apparent, _ = system.apparent_queries.mean_of_splits(metric)
    if len(ids) < len(all_ids):
        raise ValueError(
            f"results must have every query out of bag at least once; {name!r} has "
            f"{len(all_ids) - len(ids)} that never were. Increase n_splits."
        )
    apparent = _QueryValues(apparent, as_ids(all_ids))
    apparent = apparent.in_order_of(_QueryValues(values, as_ids(ids))).values
    if system.chance_score is None:
        return point632(values, apparent)
    counted = ~np.isnan(values)
    weights = None if weights is None else weights[counted]
    mean = float(np.average(values[counted], weights=weights))
    return queries632_plus(
        values,
        apparent,
        means=(mean, system.apparent_score[metric]),
        chance=system.chance_score[metric],
        greater_is_better=system.greater_is_better[metric],
    )


def has_rows_only(systems, metric):
    """Return whether all are results of `evaluate` that are means, or sums, of rows."""
    return all(
        isinstance(system, Evaluated) and _adds_rows(system, metric)
        for system in systems.values()
    )


def _adds_rows(system, metric):
    """Return whether a measure is the mean or the sum of a value of each row."""
    tables = [] if system.query_scores is None else system.query_scores.scores
    measure = (system.metrics or {}).get(metric)
    if metric in tables:
        return False
    if isinstance(measure, Measure):
        return measure.metric.sum_unless is not None
    return _ROW_MEANS.get(_row_mean(measure)) in system.predictions.responses


def _row_mean(measure):
    """Return the name of a mean over rows of scikit-learn, None for other measures.

    Losses of probabilities are the same whichever class is the positive one.
    """
    if measure is None:
        return None
    name, arguments = read_spelled(measure)
    return name if arguments.keys() <= {"pos_label"} else None


def has_splits_only(systems, metric):
    """Return whether all are results of `evaluate` without values per query or row.

    There is an accuracy of every row if rows were split one by one.
    """
    if not all(isinstance(system, Evaluated) for system in systems.values()):
        return False
    if has_rows_only(systems, metric):
        return any(system.unit != "row" for system in systems.values())
    return not any(
        system.query_scores is not None and metric in system.query_scores.scores
        for system in systems.values()
    )


def _check_estimates(systems, units, metric):
    """Refuse systems that are not results of `evaluate`, or failed in some splits.

    Failures of other measures than the one that is compared do not matter.
    """
    for name, system in systems.items():
        if not isinstance(system, Evaluated):
            raise TypeError(
                f"results must come from evaluate for tests over {units}; got "
                f"{type(system).__name__} for {name!r}."
            )
        predicted = set(system.predictions.split.tolist())
        is_lost = np.isnan(system.split_scores[metric])
        failed = [i for i in system.failures if is_lost[i] or i not in predicted]
        if failed:
            raise ValueError(
                f"results must have no splits in which {metric} failed; {name!r} has "
                f"{failed}."
            )


def align_splits(systems, metric):
    """Return the scores of all systems on the same splits, as `align_queries` does."""
    _check_estimates(systems, "splits", metric)
    for name, system in systems.items():
        if is_tested_once(system):
            _refuse_one_test_set(name, system, metric)
        if system.is_bootstrap and has_splits_only(systems, metric):
            raise ValueError(
                f"results must come from folds or random subsamples if {metric} has no "
                f"scores per query; got method={system.method!r} for {name!r}. "
                "Evaluate with method='kfold' or 'subsampling'."
            )
        if system.is_bootstrap:
            raise ValueError(
                "test='corrected_ttest' requires folds or random subsamples; got "
                f"method={system.method!r} for {name!r}. Use method='kfold' or "
                "'subsampling', or a test over queries."
            )
        if system.aggregate[metric] == "pooled" and (system.n_test == 1).any():
            raise ValueError(
                "results must have splits of several rows for tests over splits; those "
                f"of {metric} in {name!r} test one row each, as leave-one-out does. "
                "Evaluate with method='kfold' or 'subsampling', or compare accuracy, "
                "which has a value for each row: metric='accuracy'."
            )
        if system.aggregate[metric] == "pooled":
            raise ValueError(
                f"results must have a score for each split for tests over splits; "
                f"{metric} in {name!r} is one score of the predictions of all splits "
                "(aggregate='pooled'). Evaluate with aggregate='per_split'."
            )
    check_comparable(systems)
    reference = next(iter(systems.values()))
    values = np.column_stack(
        [_split_values(system, metric) for system in systems.values()]
    )
    share = float(np.mean(reference.n_test / reference.n_train))
    names = list(systems)
    return SystemScores(names, values, "split", test_share=share, metric=metric)


def _split_values(system, metric):
    """Return the scores of splits; of sums over rows, as if each split had all rows."""
    scores, measure = system.split_scores[metric], (system.metrics or {}).get(metric)
    if not _adds_rows(system, metric) or not _is_sum(measure):
        return scores
    return scores * (len(np.unique(system.predictions.row)) / system.n_test)


def _is_sum(measure):
    is_ours = isinstance(measure, Measure)
    return is_ours and measure.metric.is_sum(measure.arguments)


def align_rows(systems, metric, groups=None):
    """Return the summand of each row in the measure of each system.

    The result is like that of `align_queries`. A row that was tested in several splits
    has its mean over splits. Sums over rows are means of values that are as many times
    larger as there are rows. With groups, one for each row of X, groups are the units.

    Raises
    ------
    TypeError, ValueError
        If a system is not a result of `evaluate` on rows that were split one by one
        or on one test set with groups, or was tested differently from the others; the
        message says how.
    """
    _check_estimates(systems, "rows", metric)
    check_comparable(systems)
    for name, system in systems.items():
        if system.unit != "row" and (groups is None or not is_tested_once(system)):
            instead = "Use test='corrected_ttest'."
            if is_tested_once(system):
                units = PLURAL[system.unit]
                instead = f"Compare {units}: pass groups=, one value per row of X."
            raise ValueError(
                "results must come from splits of single rows for tests over rows; "
                f"{name!r} kept each {system.unit} together. {instead}"
            )
    values = [_values_of_rows(*named, metric) for named in systems.items()]
    rows = np.unique(next(iter(systems.values())).predictions.row)
    return SystemScores(
        list(systems),
        np.column_stack(values),
        "row" if groups is None else "group",
        groups=None if groups is None else groups_of_rows(groups, rows),
        metric=metric,
    )


def _values_of_rows(name, system, metric):
    """Return the summand of each row in the measure of a system, in their order."""
    predictions, measure = system.predictions, system.metrics[metric]
    y_true, split, scale = predictions.y_true, predictions.split, 1.0
    if isinstance(measure, Measure):
        predicted = predictions.responses["predict"]
        values, *_ = cost_rows(
            measure.metric.function, y_true, predicted, measure.arguments
        )
    else:
        function = _row_mean(measure)
        predicted = predictions.responses[_ROW_MEANS[function]]
        function = "accuracy_score" if function == "accuracy" else function
        values = row_values(function, y_true, predicted, np.unique(y_true))
        if system.estimate[metric] < 0:  # a name such as "neg_log_loss"
            values = -values
    n_rows = np.bincount(split)
    means = np.bincount(split, values) / np.maximum(n_rows, 1)
    stated = system.split_scores[metric][: len(n_rows)]
    if _is_sum(measure):
        scale = float(len(np.unique(predictions.row)))
        stated = stated / np.maximum(n_rows, 1)
    known = ~np.isnan(stated) & (n_rows > 0)
    if system.is_bootstrap or not np.allclose(means[known], stated[known]):
        raise ValueError(
            "results must be means over the rows of folds, with equal weights, for "
            f"tests over rows; {metric} of {name!r} is not. Over splits: "
            "test='corrected_ttest'."
        )
    _, codes = np.unique(predictions.row, return_inverse=True)
    return scale * (np.bincount(codes, values) / np.bincount(codes))


def choose_test(systems, metric, test):
    """Return the test that "auto" stands for.

    It is over splits where no system has a score for each query or row, unless there is
    only one test set.
    """
    if test != "auto":
        return test
    if not has_splits_only(systems, metric):
        return "permutation"
    if have_one_test_set(systems, metric):
        return "swap"
    has_rows = has_rows_only(systems, metric)
    has_rows = has_rows and all(map(is_tested_once, systems.values()))
    return "permutation" if has_rows else "corrected_ttest"


def align_slices(systems, metric, test, *, groups, strata, by):
    """Return aligned scores by slice; all of them under None if there are none."""
    unit = TESTS[test].unit
    if unit == "split":
        scores = align_splits(systems, metric)
    elif has_rows_only(systems, metric):
        scores, groups = align_rows(systems, metric, groups), None
    else:
        scores = align_queries(systems, metric)
    if groups is not None:
        if scores.unit != "query":
            raise ValueError(
                "groups must be None where results have groups of their own or units "
                f"are not queries; got groups for units that are {PLURAL[scores.unit]}."
            )
        codes = number_groups(*_match_queries("groups", groups, systems, scores))
        scores = replace(scores, unit="group", groups=codes)
    if strata is not None:
        if unit == "split" or not TESTS[test].takes_weights:
            raise ValueError(f"strata must be None with test={test!r}; got strata.")
        strata, ids = _match_queries("strata", strata, systems, scores)
        codes = number_strata(strata, scores.groups, ids)
        scores = replace(scores, strata=codes)
    if by is None:
        return {None: scores}
    if unit == "split":
        raise ValueError(f"by must be None with test={test!r}, whose units are splits.")
    names, codes = name_groups(*_match_queries("by", by, systems, scores), "by")
    return {
        name: scores.take(np.flatnonzero(codes == code))
        for code, name in enumerate(names)
    }


def _match_queries(name, by_query, systems, scores):
    """Return values of queries, and the ids (or numbers) by which they are given."""
    if scores.ids is None:
        return by_query, np.arange(len(scores.values))
    for system in systems.values():
        if isinstance(system, QueryScores):
            check_order(system, **{name: by_query})
    if not any(isinstance(system, Evaluated) for system in systems.values()):
        return by_query, scores.ids
    if not hasattr(by_query, "items"):
        raise ValueError(
            f"{name} must be a dict by query id for results of evaluate, whose queries "
            "are in the order of the splits."
        )
    return dict(by_query.items()), scores.ids


def group_by_dataset(results, missing):
    """Return systems by data set (None if there is one), and those left out.

    Raises
    ------
    TypeError, ValueError
        If a system is missing from a data set, and `missing` is "raise".
    """
    check_option("missing", missing, ("raise", "drop-system"))
    named = named_systems(results, fewest=0)
    are_datasets = [  # dicts of systems, or frames with a column for each
        hasattr(systems, "items")
        and getattr(systems, "ndim", 2) == 2
        and not is_system(systems)
        for systems in named.values()
    ]
    if not any(are_datasets):
        return {None: named_systems(results)}, ()
    if not all(are_datasets):
        raise TypeError(
            "results must be a dict of systems, or a dict of data sets each of which "
            "is a dict of systems; got some of both."
        )
    datasets = {key: named_systems(systems, fewest=0) for key, systems in named.items()}
    names = list(
        dict.fromkeys(name for systems in datasets.values() for name in systems)
    )
    lacking = _find_missing_cells(datasets, names, missing)
    kept = [name for name in names if name not in lacking]
    complete = {
        key: named_systems({name: systems[name] for name in kept})
        for key, systems in datasets.items()
    }
    return complete, tuple(lacking)


def _find_missing_cells(datasets, names, missing):
    """Return the data sets that each incomplete system is missing from, or raise."""
    lacking = {}
    for name in names:
        if keys := [key for key, systems in datasets.items() if name not in systems]:
            lacking[name] = keys
    if lacking and missing == "raise":
        cells = "; ".join(
            f"{name!r} on {', '.join(map(repr, keys))}"
            for name, keys in lacking.items()
        )
        raise ValueError(
            f"results must have every system on every data set; missing: {cells}. "
            "Score them, or leave out these systems with missing='drop-system'."
        )
    return lacking


def align_datasets(datasets, metric, test, *, over, groups, strata):
    """Return aligned scores, and the means of the systems by data set.

    Parameters
    ----------
    datasets : dict
        The result of `group_by_dataset`.
    metric : str or None
        The measure whose scores to align.
    test : str
        A key of `TESTS`.
    over : {"queries", "datasets"}
        Whether rows are units within data sets, which are strata, or the data sets.
    groups, strata : as for `leaderboard`.

    Returns
    -------
    scores : SystemScores
    means : dict of str to ndarray of shape (n_systems,), or None
    n_undefined : int
        Number of units of data sets that were left out already.
    """
    if None in datasets:
        if over == "datasets":
            raise ValueError(f"over must be 'queries' with one data set; got {over!r}.")
        scores = align_slices(
            datasets[None], metric, test, groups=groups, strata=strata, by=None
        )
        return scores[None], None, 0
    if strata is not None:
        raise ValueError("strata must be None with several data sets; got strata.")
    if groups is not None and not isinstance(groups, Mapping):
        raise ValueError(
            "groups must be a dict by query id with several data sets; got "
            f"{groups!r:.80}."
        )
    parts, means, n_undefined, eps = [], {}, 0, 0.0
    for key, systems in datasets.items():
        with add_note_to_errors(f"This happened on the data set {key!r}."):
            aligned = align_slices(
                systems, metric, test, groups=groups, strata=None, by=None
            )[None]
            values, weights, _, n_left_out = aligned.units()
        n_undefined, eps = n_undefined + n_left_out, max(eps, aligned.eps)
        means[key] = np.average(values, axis=0, weights=weights)
        weights = np.ones(len(values)) if weights is None else weights
        parts.append((values, weights, np.full(len(values), len(parts))))
    if over == "datasets":
        means_of_all = np.array(list(means.values()))
        scores = SystemScores(
            aligned.names, means_of_all, "data set", eps=eps, metric=metric
        )
        return scores, means, n_undefined
    values, weights, codes = map(np.concatenate, zip(*parts, strict=True))
    scores = SystemScores(
        aligned.names,
        values,
        aligned.unit,
        weights=weights,
        strata=codes,
        eps=eps,
        metric=metric,
    )
    return scores, means, n_undefined
