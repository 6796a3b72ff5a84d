"""Scores per query of many measures, their averages, and joined parts of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.labels import check_row_order
from sklearn_irmetrics._arrays.numbers import to_numpy
from sklearn_irmetrics._arrays.query_ids import Time, as_keys
from sklearn_irmetrics._arrays.query_values import name_queries
from sklearn_irmetrics._checks import (
    INTERVALS,
    check_confidence_level,
    check_option,
)
from sklearn_irmetrics._results.tables import (
    Column,
    Name,
    Number,
    Table,
    columns_of_table,
    count,
    count_queries,
    decimals,
    make_table,
    mark_best,
    name_measure,
    share,
)
from sklearn_irmetrics._results.tabular import Several, Tabular
from sklearn_irmetrics._typing import (
    Bounds,
    Ids,
    Intervals,
    PerQuery,
    RandomState,
    Rankings,
    Ties,
)
from sklearn_irmetrics._warnings import (
    UndefinedMean,
    suppress_warnings,
    warn_of_undefined,
)
from sklearn_irmetrics.metrics._measure import (
    Measure,
    Measures,
    as_averaged,
    as_measure,
    averaging_of,
    picklable,
    say_unequal,
)
from sklearn_irmetrics.metrics._per_query import (
    average_of,
    check_rankings,
    rules_of,
    values_per_query,
)
from sklearn_irmetrics.metrics._ranking.averages import (
    NOTHING_RELEVANT,
    average_queries,
    count_zero,
)
from sklearn_irmetrics.metrics._ranking.compute import InputWarnings
from sklearn_irmetrics.metrics._ranking.judgments import Judgments

if TYPE_CHECKING:
    from sklearn_irmetrics.plot import EvaluationDisplay
    from sklearn_irmetrics.reports.results import RankingReport

_MOST_RUNS = 5  # in columns; of more, each is a row


@dataclass(frozen=True)
class Scored:
    """Values of some queries.

    Attributes
    ----------
    query_ids : ndarray of shape (n_queries,)
        The ids.
    values : dict of str to ndarray of shape (n_queries,) or (n_rows, n_queries)
        By label of the measure, as `values_per_query` returns them.
    weights : float64 array of shape (n_queries,) or None
        One weight per query.
    input_warnings : InputWarnings
        What to warn of.
    """

    query_ids: np.ndarray
    values: dict
    weights: np.ndarray | None
    input_warnings: InputWarnings

    def take(self, queries):
        """Return the values of some queries, by number or mask."""
        return Scored(
            self.query_ids[queries],
            {label: values[..., queries] for label, values in self.values.items()},
            None if self.weights is None else self.weights[queries],
            self.input_warnings,
        )


def concatenate(parts, *, release=False):
    """Return the `Scored` of the queries of all parts, in order.

    With `release`, the list is emptied and parts drop what has been copied, so little
    is in memory twice.
    """
    values = {}
    for label in list(parts[0].values):
        values[label] = np.concatenate([part.values[label] for part in parts], axis=-1)
        for part in parts if release else ():
            del part.values[label]
    weights = join_arrays([part.weights for part in parts])
    ids = [part.query_ids for part in parts]
    input_warnings = InputWarnings.join([part.input_warnings for part in parts])
    if release:
        parts.clear()
    is_text = {id_array.dtype.kind for id_array in ids} == {"T"}
    return Scored(
        _join_text(ids) if is_text else join(ids), values, weights, input_warnings
    )


def _join_text(parts):
    """Join arrays of text without Python objects; the list of them is emptied."""
    joined, start = np.empty(sum(map(len, parts)), parts[0].dtype), 0
    while parts:
        part = parts.pop(0)
        joined[start : start + len(part)] = part
        start += len(part)
    return joined


def join(parts):
    """Join arrays without changing any value.

    Numbers that no common NumPy type can hold become Python numbers.
    """
    if len(parts) == 1:
        return parts[0]
    kinds = {part.dtype.kind for part in parts}
    if len(kinds) > 1:  # NumPy makes integers of times
        parts = [
            np.fromiter(part, object, len(part)) if part.dtype.kind in "mM" else part
            for part in parts
        ]
    try:
        joined = np.concatenate(parts)
    except OverflowError:  # of times; NumPy before 2.5 changes them
        raise _several_units(parts) from None
    pieces = np.split(joined, np.cumsum([len(part) for part in parts])[:-1])
    is_known = joined.dtype.kind in {part.dtype.kind for part in parts}
    if is_known and all(map(_is_same, parts, pieces)):
        return joined
    if joined.dtype.kind in "mM":
        raise _several_units(parts)
    return np.concatenate([part.astype(object) for part in parts])


def _several_units(parts):
    units = ", ".join(sorted({str(part.dtype) for part in parts}))
    return ValueError(f"times must fit into one NumPy unit; got {units}.")


def _is_same(part, joined):
    """Whether values are unchanged by a change of type."""
    if joined.dtype in (part.dtype, np.dtype("O")):
        return True
    with np.errstate(invalid="ignore"):
        again = joined.astype(part.dtype)
    return bool(np.all((again == part) | (part != part)))


def compact(ids):
    """Return ids, strings without a Python object for each."""
    if ids.dtype == object and set(map(type, ids.tolist())) == {str}:
        return ids.astype(np.dtypes.StringDType())
    return ids


def kind_of_ids(ids):
    """Return the kind of ids, to compare it: numbers, text, times or a type."""
    kind = ids.dtype.kind
    if kind in "iuf":
        return "numbers"
    if kind in "UT":
        return "str"
    names = {
        key.kind
        if isinstance(key, Time)
        else type(key.item() if isinstance(key, np.generic) else key).__name__
        for key in as_keys(ids if kind == "O" else ids[:1])
    }
    return " or ".join(
        sorted({"numbers" if n in ("int", "float") else n for n in names})
    )


def refuse_other_ids(ids, others):
    """Refuse ids of another kind than earlier ones."""
    first, other = kind_of_ids(ids), kind_of_ids(others)
    if first != other:
        raise TypeError(
            f"qid must be of one type in all parts; got {first} and then {other}."
        )


def repeated_id(parts):
    """Return an id that occurs several times in arrays of ids, or None.

    Ids that rise throughout do not repeat. Others are compared by hashes of 8 bytes,
    and directly if these are equal.
    """
    parts = [part for part in parts if len(part)]
    if {part.dtype.kind for part in parts} in ({"m"}, {"M"}):  # of one unit
        parts = [join(parts)]
    if all(
        part.dtype.kind in "biufMmTU" and (part[1:] > part[:-1]).all() for part in parts
    ) and all(part[-1] < other[0] for part, other in pairwise(parts)):
        return None
    hashes = _hash_ids(parts)
    ordered = np.sort(hashes)
    again = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(again):
        return None
    return _first_repeated(parts, np.flatnonzero(np.isin(hashes, again)))


def _hash_ids(parts):
    """Return the hashes of all ids, made of few Python objects at a time."""
    hashes, start = np.empty(sum(map(len, parts)), np.int64), 0
    for part in parts:
        for first in range(0, len(part), _AT_ONCE):
            chunk = part[first : first + _AT_ONCE]
            hashes[start : start + len(chunk)] = [*map(hash, as_keys(chunk))]
            start += len(chunk)
    return hashes


def _first_repeated(parts, places):
    """Return the first id that is twice at some places of joined parts, or None."""
    ends, seen = np.cumsum([len(part) for part in parts]), set()
    for place in places.tolist():
        part = int(np.searchsorted(ends, place, side="right"))
        (key,) = as_keys(parts[part][place - ends[part] :][:1])
        if key in seen:
            return key
        seen.add(key)
    return None


_AT_ONCE = 1 << 16


def measure_behind(scored, label):
    """Return the measure behind a label of `QueryScores`."""
    return as_measure("metric", (scored.metrics or {}).get(label, label))


def check_parts(parts):
    """Return parts of `QueryScores` as a list; refuse those that cannot be joined."""
    if not isinstance(parts, Iterable):
        raise TypeError(
            f"parts must be a list of QueryScores; got a {type(parts).__name__}."
        )
    parts = list(parts)
    if not parts:
        raise ValueError("parts must hold at least one QueryScores; got none.")
    for part in parts:
        if type(part) is not QueryScores:
            raise TypeError(
                f"parts must be a list of QueryScores; got a {type(part).__name__}."
            )
        check_part(parts[0], part)
    shared = repeated_id([part.query_ids for part in parts])
    if shared is not None:
        raise ValueError(
            f"parts must not share a query; {shared!r} is in two of them. Without "
            "qid, queries are called 0, 1, ...: pass qid."
        )
    return parts


def check_part(first, part):
    """Refuse a part that cannot be joined with the first."""
    if part.metrics != first.metrics or list(part.scores) != list(first.scores):
        both = (scores.metrics or list(scores.scores) for scores in (first, part))
        first_text, other_text, why = say_unequal(*both)
        raise ValueError(
            f"parts must be of the same measures and rules; got {first_text} and "
            f"{other_text}.{why}"
        )
    if (part.weights is None) != (first.weights is None):
        raise ValueError("parts must all have weights of queries, or none.")
    refuse_other_ids(first.query_ids, part.query_ids)
    for label in part.mean:
        check_average("parts", part, label)


def check_average(name, scored, label):
    """Refuse an average that does not follow from the scores and weights."""
    again = scored._average(label)
    mean = scored.mean.get(label, again)
    if not np.isclose(again, mean, rtol=1e-6, atol=1e-12, equal_nan=True):
        raise ValueError(
            f"{name} must have the average of their scores; got the {label} "
            f"{mean:.4g} and scores whose average is {again:.4g}."
        )


def join_arrays(arrays):
    """Return the joined columns of several arrays, None if they are None."""
    if arrays[0] is None:
        return None
    return np.concatenate(arrays, axis=-1)


def join_by_label(parts):
    """Return the joined columns of several parts by label."""
    return {label: join_arrays([part[label] for part in parts]) for label in parts[0]}


@dataclass(frozen=True, eq=False, repr=False)
class QueryScores(Tabular):
    """Scores per query, and their means, by measure.

    Attributes
    ----------
    query_ids : ndarray of shape (n_queries,)
        Ids in order of first appearance, or row numbers for 2-D input; those of
        `score_run` are in the byte order of their text, such as q1, q10, q2.
    scores : dict of str to ndarray of shape (n_queries,)
        One value per query, by name of the measure; NaN where undefined.
    mean : dict of str to float
        The average over queries by measure.
    n_defined : dict of str to int
        Number of queries in each average; queries left out are undefined.
    metrics : dict of str to Measure, or None
        The measure behind each name, with those rules of the call that are not the
        defaults; None: unknown.
    weights : ndarray of shape (n_queries,) or None
        One weight per query, if there are weights.
    counts : dict of str to ndarray of shape (n_counts, n_queries), or None
        For each measure whose average is "micro", the counts behind its average.
    reordered : bool
        Whether `score_run` was given the queries in another order. Groups, strata and
        slices must then be dicts by query id.
    """

    query_ids: np.ndarray
    scores: dict[str, np.ndarray]
    mean: dict[str, float]
    metrics: dict[str, Measure] | None = None
    weights: np.ndarray | None = None
    counts: dict[str, np.ndarray] | None = None
    reordered: bool = False

    def __getstate__(self):
        return {**vars(self), "metrics": picklable(self.metrics)}

    @staticmethod
    def concat(parts: Iterable[QueryScores]) -> QueryScores:
        """Join the scores of different queries, as if they had been scored in one call.

        Parameters
        ----------
        parts : iterable of QueryScores
            Of the same measures, all with weights or all without.

        Returns
        -------
        QueryScores
            The queries of all parts, in order. All averages, including weighted,
            geometric and micro averages, equal those of one call.

        Raises
        ------
        TypeError
            If a part is something else, or has ids of another type.
        ValueError
            If there is no part, two parts share a query or differ in measures or rules,
            or an average of a part does not follow from its scores.

        Examples
        --------
        >>> from sklearn_irmetrics import score_queries
        >>> from sklearn_irmetrics.reports import QueryScores
        >>> monday = score_queries([1, 0], [2, 1], "mrr", qid=["a", "a"])
        >>> tuesday = score_queries([1, 0], [1, 2], "mrr", qid=["b", "b"])
        >>> QueryScores.concat([monday, tuesday])
        2 queries
        <BLANKLINE>
        measure   mean  queries
        mrr      0.750        2
        """
        checked: list[QueryScores] = check_parts(parts)
        ids = [part.query_ids for part in checked]
        joined = QueryScores(
            join(ids),
            join_by_label([part.scores for part in checked]),
            {},
            checked[0].metrics,
            join_arrays([part.weights for part in checked]),
            join_by_label([part.counts or {} for part in checked]) or None,
            any(part.reordered for part in checked),
        )
        mean = {label: joined._average(label) for label in joined.scores}
        joined = replace(joined, mean=mean)
        warn_of_undefined_queries(joined)
        return joined

    def _average(self, label):
        """Return the average of the scores of a measure."""
        try:
            measure = measure_behind(self, label)
        except ValueError:  # it is not one of this package
            return average_queries(self.scores[label], self.weights, name=label).mean
        if label in (self.counts or {}):
            counts = self.counts[label]
            return average_of(measure, counts, self.weights, np.nan).mean
        return average_queries(
            self.scores[label],
            self.weights,
            name=measure.metric.function.__name__,
            **averaging_of(measure, "macro", np.nan),
        ).mean

    @property
    def n_defined(self) -> dict[str, int]:
        """Number of queries in each average, by measure.

        Averages over different queries cannot be compared, so tables show it.
        """
        counted = True if self.weights is None else self.weights > 0
        return {
            name: int((counted & ~np.isnan(values)).sum())
            for name, values in self.scores.items()
        }

    def interval(
        self,
        metric: str | None = None,
        *,
        confidence_level: float = 0.95,
        method: Intervals = "auto",
        bounds: Bounds = None,
        groups: PerQuery = None,
        strata: PerQuery = None,
    ) -> tuple[float, float]:
        """Return the confidence interval of an average over queries.

        Parameters
        ----------
        metric : str or None, default=None
            Which measure. None: the first.
        confidence_level : float, default=0.95
            Of the interval.
        method : {"auto", "t", "bca", "betting"}, default="auto"
            How it is made; see `report`.
        bounds : tuple of float or None, default=None
            The lowest and the highest possible value, if you know more than the range
            of the measure.
        groups : dict by query id, or array-like of shape (n_queries,), default=None
            Queries with the same id are one unit, such as variants of a question.
        strata : dict by query id, or array-like of shape (n_queries,), default=None
            The stratum of each query, such as the data set it is from: the interval is
            then that of the mean of the stratum means.

        Returns
        -------
        low, high : float
            NaN if the data allow no interval.

        Raises
        ------
        ValueError
            If an argument breaks the rules above, or the average does not follow from
            the scores and weights.

        Examples
        --------
        >>> from sklearn_irmetrics import score_queries
        >>> result = score_queries([[1, 0], [0, 1], [1, 0]], [[2, 1]] * 3, "mrr")
        >>> low, high = result.interval()
        >>> round(low, 2), round(high, 2)
        (0.16, 1.0)
        """
        # SciPy takes long to import, and means do not need it.
        from sklearn_irmetrics.metrics._intervals import (
            check_bounds,
            measure_interval,
            number_groups,
            number_strata,
        )

        metric = next(iter(self.scores)) if metric is None else metric
        check_option("metric", metric, self.scores)
        check_option("method", method, INTERVALS)
        level = check_confidence_level(confidence_level)
        values = self.scores[metric]
        measure = measure_behind(self, metric)
        if measure.average == "macro":
            check_average("QueryScores", self, metric)
        check_order(self, groups=groups, strata=strata)
        groups = number_groups(groups, self.query_ids)
        return measure_interval(
            values,
            measure,
            label=metric,
            weights=self.weights,
            groups=groups,
            strata=number_strata(strata, groups, self.query_ids),
            method=method,
            bounds=check_bounds(bounds, self.scores),
            confidence_level=level,
        )[1]

    def report(
        self,
        *,
        groups: PerQuery = None,
        strata: PerQuery = None,
        by: PerQuery = None,
        confidence_level: float = 0.95,
        interval: Intervals = "auto",
        bounds: Bounds = None,
        random_state: RandomState = None,
    ) -> RankingReport:
        """Report means, intervals and counts, as `ranking_report` does.

        Parameters
        ----------
        groups : dict by query id, or array-like of shape (n_queries,), default=None
            Queries with the same id are one unit, such as variants of a question.
        strata : dict by query id, or array-like of shape (n_queries,), default=None
            The stratum of each query, such as the data set it is from. Means are then
            the means of the stratum means, and intervals have the stratified error,
            which needs two defined queries in every stratum.
        by : dict by query id, or array-like of shape (n_queries,), default=None
            The slice of each query: a row per measure and slice after that of all
            queries, ``"all"``. Intervals of slices hold for all slices of a measure at
            once.
        confidence_level : float, default=0.95
            Confidence level of the intervals, between 0 and 1.
        interval : {"auto", "t", "bca", "betting"}, default="auto"
            How intervals are made. "auto": t of the values and one more at each end of
            the range. "t": t of the values alone. "bca": the BCa bootstrap. "betting":
            proven to hold for any distribution; about 1.4 times as wide as t. It needs
            measures with a range and a number of queries that was fixed beforehand.
        bounds : tuple of float, dict of str to tuple, or None, default=None
            The lowest and the highest possible value, or these by measure, if you know
            more than the range of the measure. Do not derive them from the values.
        random_state : int, RandomState instance or None, default=None
            Seed of the bootstrap resamples, the same for every measure.

        Returns
        -------
        RankingReport
            Without chance levels, ties and counts of documents, for which
            `ranking_report` needs the documents.

        Raises
        ------
        TypeError, ValueError
            If an argument breaks the rules above; the message names it.

        Examples
        --------
        >>> from sklearn_irmetrics import score_queries
        >>> result = score_queries([[1, 0], [0, 1], [1, 0]], [[2, 1]] * 3, "mrr")
        >>> result.report()
        3 queries
        <BLANKLINE>
        measure   mean   95 % interval  queries
        mrr      0.833  [0.155, 1.000]        3
        <BLANKLINE>
        Interval: the mean on new queries like these.
        """
        # SciPy takes long to import, and means do not need it.
        from sklearn_irmetrics.reports.results import Inference, report_scores

        inference = Inference(
            groups, strata, by, confidence_level, interval, bounds, random_state
        )
        measures = {label: measure_behind(self, label) for label in self.scores}
        for label, measure in measures.items():
            if measure.average == "macro":
                check_average("QueryScores", self, label)
        check_order(self, groups=groups, strata=strata, by=by)
        counts = {"queries": len(self.query_ids)}
        return report_scores(self, measures, inference, counts=counts)

    def plot(self, **kwargs: Any) -> EvaluationDisplay:
        """Draw means and their intervals.

        Parameters
        ----------
        **kwargs
            Passed to :meth:`sklearn_irmetrics.plot.EvaluationDisplay.from_results`,
            such as `metric`, `confidence_level` and `ax`.

        Returns
        -------
        EvaluationDisplay
            With a row per measure.

        Raises
        ------
        ImportError
            If matplotlib is missing.
        """
        from sklearn_irmetrics.plot import EvaluationDisplay

        return EvaluationDisplay.from_results(self, **kwargs)

    def _columns(self):
        return [
            Column("qid", self.query_ids, in_index=True),
            *(Column(name, values) for name, values in self.scores.items()),
        ]

    def _table(self):
        """Return the table of the averages."""
        measures, n_queries = self.metrics or {}, len(self.query_ids)
        n_zero_weight = count_zero(self.weights)
        shown = [
            name_measure(
                label,
                label not in measures or measures[label].metric.greater_is_better,
            )
            for label in self.mean
        ]
        n_defined = self.n_defined
        counts = [
            share(n_defined[label], n_queries - n_zero_weight) for label in self.mean
        ]
        columns = [
            Column("measure", [*self.mean], as_shown=shown),
            Column("mean", [*map(float, self.mean.values())], f".{decimals()}f"),
            Column("queries", counts, align=">"),
        ]
        return make_table(columns, [count_queries(n_queries, n_zero_weight)])

    def _exported(self):
        return columns_of_table(self._table())


@dataclass(frozen=True, eq=False, repr=False)
class RunScores(Several[QueryScores]):
    """Scores of several runs, and their means side by side.

    A read-only mapping: ``scores["bm25"]`` is the :class:`QueryScores` of the run of
    that name. `score_run` returns it for several runs.

    Attributes
    ----------
    runs : dict of str to QueryScores
        The scores of each run.
    """

    runs: dict[str, QueryScores]

    by = "run"

    def _table(self):
        """Return a grid of the means, in which runs are columns if they are few."""
        first, *_ = self.values()
        measures, known = [*first.mean], first.metrics or {}
        is_better = {
            label: label not in known or known[label].metric.greater_is_better
            for label in measures
        }
        n_counted = [
            len(scores.query_ids) - count_zero(scores.weights)
            for scores in self.values()
        ]
        n_defined = [scores.n_defined for scores in self.values()]
        rows = []
        for label in measures:
            means = [float(scores.mean[label]) for scores in self.values()]
            cells = [Number(mean, f".{decimals()}f") for mean in means]
            rows.append(
                [
                    name_measure(label, is_better[label]),
                    *mark_best(cells, is_better[label]),
                    _shares([counts[label] for counts in n_defined], n_counted),
                ]
            )
        header = ["measure", *(Name(run) for run in self), "queries"]
        sides = "<" + ">" * (len(header) - 1)
        if len(self) > _MOST_RUNS:
            header, *rows = zip(header, *rows, strict=True)
            sides = "<" + ">" * (len(header) - 1)
            header = ["run", *map(Name, header[1:])]
        runs, queries = count(len(self), "run"), _shares(n_counted, n_counted)
        return Table([f"{runs}, {queries} queries"], header, rows, sides)

    def _exported(self):
        return columns_of_table(self._table())


def _shares(numbers, totals):
    """Return numbers of queries as shares of all, from the fewest to the most."""
    if len({*numbers}) == len({*totals}) == 1:
        return share(numbers[0], totals[0])
    text = " to ".join(map(str, sorted({min(numbers), max(numbers)})))
    is_all = numbers == totals
    return text if is_all or len({*totals}) > 1 else f"{text} of {totals[0]}"


def check_order(scores, **values):
    """Refuse values of queries without their ids where queries were reordered."""
    for name, by_query in values.items():
        if by_query is None or not scores.reordered:
            continue
        if not name_queries(by_query, scores.query_ids):
            raise ValueError(
                f"{name} must be a dict by query id, because score_run returns queries "
                "in the byte order of their ids (q1, q10, q2), not in that of qrels; "
                f"got a {type(by_query).__name__}."
            )


def average_values(measures, values, query_ids, weights, ties, replace_undefined_by):
    """Return the `QueryScores` of what `values_per_query` returned.

    Nothing is warned of; see `warn_of_undefined_queries`.
    """
    scores, mean, counts = {}, {}, {}
    for label, measure in measures.items():
        average = average_of(measure, values[label], weights, replace_undefined_by)
        mean[label], scores[label] = average.mean, average.values
        if measure.average == "micro":
            counts[label] = values[label]
    metrics = rules_of(measures, ties, replace_undefined_by)
    return QueryScores(query_ids, scores, mean, metrics, weights, counts or None)


def undefined_queries(scores):
    """Return by label which queries the mean of a measure leaves out as undefined."""
    left_out = {}
    for label, values in scores.scores.items():
        undefined = np.isnan(values)
        if scores.weights is not None:
            undefined &= scores.weights > 0
        # A micro average has the counts of all queries.
        is_mean = label not in (scores.counts or {}) or np.isnan(scores.mean[label])
        if is_mean and np.count_nonzero(undefined):
            left_out[label] = undefined
    return left_out


def warn_of_undefined_queries(scores):
    """Warn of the queries that means of `QueryScores` leave out."""
    n_counted = len(scores.query_ids) - count_zero(scores.weights)
    warn_of_undefined(
        [
            UndefinedMean(
                label,
                why_undefined(scores, label),
                f"{np.count_nonzero(queries)} of {n_counted} queries",
            )
            for label, queries in undefined_queries(scores).items()
        ]
    )


def why_undefined(scores, label):
    """Return why a measure is undefined for queries."""
    try:
        return measure_behind(scores, label).metric.undefined_if
    except ValueError:  # it is not one of this package
        return NOTHING_RELEVANT


def score_part(measures, judgments, y_score, *, ties, n_jobs=None):
    """Return the `Scored` of rankings that are a part of the data.

    Weights may be all zero in a part, and nothing is warned of yet.

    Parameters
    ----------
    measures : dict of str to Measure
        By label.
    judgments : Judgments
        What is known of the documents of this part.
    y_score, ties, n_jobs
        As for `score_queries`.
    """
    check_row_order(y_true=judgments.y_true, sample_weight=judgments.sample_weight)
    weights, unit = _scale_weights(judgments.sample_weight)
    judgments = replace(judgments, sample_weight=weights)
    raw, batch = check_rankings(measures, judgments, y_score)
    with suppress_warnings():
        values = values_per_query(measures, raw, batch, ties=ties, n_jobs=n_jobs)
    weights = None if batch.weights is None else batch.weights * unit
    return Scored(batch.query_ids, values, weights, InputWarnings.of(batch))


def _scale_weights(weights):
    """Return weights of a part that can be checked, and the unit they are in.

    Those of other parts may be larger, so these may be tiny or all zero.
    """
    array = np.asarray(to_numpy(weights))
    if array.dtype.kind in "biuf" and array.size:
        largest = float(array.max())
        if 0 < largest <= 1e-100:
            return array / largest, largest
        if largest == array.min() == 0:
            return np.ones(array.shape), 0.0
    return weights, 1.0


def score_rankings(
    measures,
    raw,
    batch,
    *,
    ties="average",
    replace_undefined_by=np.nan,
    n_jobs=None,
    tasks=None,
):
    """Return the `QueryScores` of what `check_rankings` returned.

    Undefined queries are not warned of; see `warn_of_undefined_queries`.
    """
    values = values_per_query(
        measures, raw, batch, ties=ties, n_jobs=n_jobs, tasks=tasks
    )
    return average_values(
        measures, values, batch.query_ids, batch.weights, ties, replace_undefined_by
    )


def score_queries(
    y_true: Rankings,
    y_score: Rankings,
    metrics: Measures,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    marks: Mapping[str, Any] | None = None,
    candidates: Rankings | None = None,
    ties: Ties = "average",
    replace_undefined_by: float = np.nan,
    n_jobs: int | None = None,
) -> QueryScores:
    """Compute many measures from one ordering of the documents.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better, NaN: unjudged. For measures of subtopics, of shape
        (n_documents, n_subtopics); other measures in the same call use the largest
        grade of each document.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. Measures of sets count the
        documents with a score above -inf as retrieved, and refuse scores that are
        nowhere -inf; booleans and the integers 0 and 1 are sets themselves. For
        measures of labels, whole numbers: the labels.
    metrics : str or Measure, list of them, or dict of str to them
        Names such as ``"ndcg@10"``; a dict sets their labels in the results.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document, for all measures that have this
        parameter and do not set it themselves. None: any grade above 0.
    judged_only : bool, default=False
        Whether to drop unjudged documents, for all measures that have this parameter.
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D input. None: all rows are one ranking.
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
    marks : dict of str to array-like of the shape of `y_true`, default=None
        Arrays that some measures need: ``"known"``, the documents that the user
        already knew; ``"pooled"``, the unjudged documents that were in the pool (for
        inferred average precision); and those of
        `sklearn_irmetrics.metrics.experimental`, of which
        ``"membership"`` and ``"vectors"`` have one more axis.
    candidates : array-like of the shape of `y_score`, or CSR, default=None
        Whether each document may be ranked. All others, such as items that a user has
        seen, are ignored. Entries that CSR does not store are False. None: all may.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        How to rank tied documents: return the exact expectation over all their orders,
        or take the best order, the worst order, or the order of the rows.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean and warns.
    n_jobs : int, default=None
        Number of threads: None is 1 outside a :obj:`joblib.parallel_config` context, -1
        all cores. The values are the same up to rounding.

    Returns
    -------
    QueryScores
        With `query_ids`, `scores` and `mean`. `to_frame()` and `to_csv()` return the
        values per query, `to_latex()` and `to_markdown()` the means.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    Examples
    --------
    >>> from sklearn_irmetrics import score_queries
    >>> score_queries(
    ...     [1, 0, 0, 2], [.9, .1, .7, .7], ["ndcg@10", "map"], qid=[5, 5, 6, 6]
    ... )
    2 queries
    <BLANKLINE>
    measure   mean  queries
    ndcg@10  0.908        2
    map      0.875        2
    """
    measures = as_averaged(
        "metrics",
        metrics,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
    )
    judgments = Judgments(y_true, qid, sample_weight, marks, candidates)
    raw, batch = check_rankings(measures, judgments, y_score)
    scores = score_rankings(
        measures,
        raw,
        batch,
        ties=ties,
        replace_undefined_by=replace_undefined_by,
        n_jobs=n_jobs,
    )
    warn_of_undefined_queries(scores)
    return scores
