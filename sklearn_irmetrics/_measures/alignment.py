"""Scores of several systems side by side, on the same queries or splits."""

from dataclasses import dataclass

import numpy as np

from sklearn_irmetrics._core.namespace import to_host, to_numpy
from sklearn_irmetrics._core.numbers import refuse_mask
from sklearn_irmetrics._core.queries import as_ids
from sklearn_irmetrics._measures.systems import is_query_scores
from sklearn_irmetrics._measures.tested_alike import (
    BOOTSTRAPS,
    check_tested_alike,
    is_estimate,
    list_ids,
)
from sklearn_irmetrics._statistics.pairs import units_of
from sklearn_irmetrics._statistics.resampling632 import point632, queries632_plus
from sklearn_irmetrics._tables import PLURAL


@dataclass(frozen=True)
class SystemScores:
    """Scores of all systems, one column each, and the ids of the rows, if any.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_systems)
        Scores.
    ids : list or None
        Of the rows.
    groups, weights : ndarray of shape (n_rows,) or None
        Of the rows.
    """

    values: np.ndarray
    ids: list | None
    groups: np.ndarray | None = None
    weights: np.ndarray | None = None

    def units(self, counted):
        """Return the scores of units and their weights, of the rows that count."""
        weights, groups = (
            None if one is None else one[counted] for one in (self.weights, self.groups)
        )
        return units_of(self.values[counted], weights, groups)


def align_queries(systems, metric):
    """Return the scores of all systems on the queries of the first.

    Parameters
    ----------
    systems : dict of str to system
        As `compare` takes them.
    metric : str or None
        Which scores.

    Returns
    -------
    scores : SystemScores
    unit : "query"
    test_share : None
        Has a meaning for splits only.

    Raises
    ------
    ValueError
        If a system lacks queries or has others, or was tested otherwise; says how.
    """
    groups = _groups(systems)
    check_tested_alike(systems)
    parts = {name: _queries(name, one, metric) for name, one in systems.items()}
    (first, (ids, _, _)), *others = parts.items()
    for name, (own, values, _) in others:
        if (own is None) != (ids is None):
            raise ValueError(
                f"results must either all have query ids or all lack them; {first!r} "
                f"and {name!r} differ. Pass QueryScores or EvaluationResult for all."
            )
        if own is None:
            expected = len(parts[first][1])
            if len(values) != expected:
                raise ValueError(
                    "results must have scores for the same queries; "
                    f"{first!r} has {expected}, {name!r} has {len(values)}."
                )
        elif missing := list_ids(ids, own):
            raise ValueError(
                f"results must cover the same queries; {name!r} lacks the ids "
                f"{missing}, which {first!r} has."
            )
        elif extra := list_ids(own, ids):
            raise ValueError(
                f"results must cover the same queries; {name!r} has the ids "
                f"{extra}, which {first!r} lacks."
            )
    listed = None if ids is None else list(ids)

    def in_order(own, values):
        return values if own is None else values[[own[i] for i in listed]]

    scores = SystemScores(
        np.column_stack([in_order(own, values) for own, values, _ in parts.values()]),
        listed,
        None if groups is None else np.array([groups[i] for i in listed]),
        _weights(parts, in_order),
    )
    return scores, "query" if groups is None else "group", None


def _weights(parts, in_order):
    """Return the weights of queries, which must be those of all systems."""
    found = {
        name: None if weights is None else in_order(own, weights)
        for name, (own, _, weights) in parts.items()
    }
    (first, weights), *others = found.items()
    for name, own in others:
        if (own is None) != (weights is None) or (
            own is not None and (own != weights).any()
        ):
            raise ValueError(
                f"results must have the same weights of queries; those of {first!r} "
                f"and {name!r} differ."
            )
    return weights


def refuse_failures(name, system):
    """Refuse a result of evaluate with splits that failed; say which."""
    if system.failures:
        raise ValueError(
            f"results must have no failed splits; {name!r} has {list(system.failures)}."
        )


def _groups(systems):
    """Return the number of the group of each query, None where no system has any."""
    found = {}
    for name, system in systems.items():
        table = getattr(system, "query_scores", None)
        groups = None if table is None else table.group_of_queries
        if groups is not None:
            codes = np.unique(groups, return_inverse=True)[1].tolist()
            ids = as_ids(table.mean_of_splits(next(iter(table.scores)))[0]).tolist()
            found[name] = dict(zip(ids, codes, strict=True))
    if not found:
        return None
    (first, groups), *others = found.items()
    for name, own in others:
        pairs = {(groups.get(query), own[query]) for query in own}
        if not len(pairs) == len(set(groups.values())) == len(set(own.values())):
            raise ValueError(
                f"results must have the same groups of queries; those of {first!r} and "
                f"{name!r} differ."
            )
    return groups


def _queries(name, system, metric):
    """Return places of query ids (None for bare arrays), scores, weights or None."""
    weights = None
    if is_estimate(system):
        table = system.query_scores
        if table is None or metric not in table.scores:
            needs_ids = system.predictions.query_ids is None
            raise ValueError(
                f"{metric} has no scores per query in {name!r}; use "
                f"test='corrected_ttest'{', or pass qid= to evaluate' * needs_ids}."
            )
        if (by := system.aggregate[metric]) != "per_query":
            over_splits = ", or use test='corrected_ttest'" * (by == "per_split")
            raise ValueError(
                f"the estimate of {metric} in {name!r} is not a mean over queries "
                f"(aggregate={by!r}), so tests over queries do not apply to it; "
                f"evaluate with aggregate='per_query'{over_splits}."
            )
        ids, values, weights = table.mean_of_splits(metric)
        if system.method in BOOTSTRAPS[1:]:
            values = _corrected(name, system, metric, ids, values, weights)
    elif is_query_scores(system):
        ids, values = system.query_ids, system.scores[metric]
        check_plain_mean(name, metric, values, system.mean.get(metric))
    elif hasattr(system, "index") and hasattr(system, "to_numpy"):
        ids, values = system.index.to_numpy(), system.to_numpy()
    else:
        ids, values = None, system
    refuse_mask(f"results[{name!r}]", values)
    ids, values = to_host(ids, values)
    values = np.asarray(values)
    if values.ndim != 1 or values.dtype.kind not in "biuf":
        held = hasattr(system, "keys") and not isinstance(system, dict)
        held &= getattr(system, "ndim", 2) > 1  # a Series holds values
        one_of_them = f" Pass one of those it holds: {list(system)}." if held else ""
        raise TypeError(
            "results must be EvaluationResult, QueryScores, a Series or a 1-D array of "
            f"numbers; got {type(system).__name__} for {name!r}.{one_of_them}"
        )
    values = values.astype(np.float64)
    if np.isinf(values).any():
        raise ValueError(
            f"results must be finite or NaN; {name!r} has infinite scores."
        )
    if ids is None:
        return None, values, None
    place = {key: i for i, key in enumerate(as_ids(ids).tolist())}
    if len(place) < len(values):
        raise ValueError(f"results must have each query once; {name!r} repeats some.")
    return place, values, weights


def check_plain_mean(name, metric, values, mean):
    """Refuse scores of queries whose mean is not plain: tests are of plain means."""
    values = to_numpy(values)
    defined = values[~np.isnan(values)]
    if mean is None or not len(defined):
        return
    plain = float(defined.mean())
    if abs(mean - plain) > 1e-6 * np.abs(defined).max():
        raise ValueError(
            f"results must have plain means over queries; the {metric} of {name!r} is "
            f"a weighted, geometric or micro mean, {mean:.4g} rather than {plain:.4g}."
        )


def _corrected(name, system, metric, ids, values, weights):
    """Return scores of queries whose mean is the .632 or .632+ estimate."""
    table = getattr(system, "apparent_queries", None)
    if table is None:
        raise ValueError(
            f"{metric} has no apparent scores per query in {name!r}; without them "
            f"method={system.method!r} cannot be compared. Run evaluate again."
        )
    all_ids, apparent, _ = table.mean_of_splits(metric)
    place = {key: i for i, key in enumerate(as_ids(all_ids).tolist())}
    if len(ids) < len(all_ids):
        raise ValueError(
            f"results must have every query out of bag at least once; {name!r} has "
            f"{len(all_ids) - len(ids)} that never are. Increase n_splits."
        )
    apparent = apparent[[place[key] for key in as_ids(ids).tolist()]]
    if system.method == "bootstrap632":
        return point632(values, apparent)
    counted = ~np.isnan(values)
    weights = None if weights is None else weights[counted]
    mean = float(np.average(values[counted], weights=weights))
    return queries632_plus(
        values,
        apparent,
        means=(mean, system.apparent_score[metric]),
        chance=system.chance_score[metric],
    )


def align_splits(systems, metric):
    """Return the scores of all systems on the same splits, as `align_queries` does."""
    for name, system in systems.items():
        if not is_estimate(system):
            raise TypeError(
                "test='corrected_ttest' needs results of evaluate; got "
                f"{type(system).__name__} for {name!r}."
            )
        refuse_failures(name, system)
        if system.method in (*BOOTSTRAPS, "lpocv"):
            raise ValueError(
                "test='corrected_ttest' requires folds or random subsamples; got "
                f"method={system.method!r} for {name!r}. Use method='kfold' or "
                "'subsampling', or a test over queries."
            )
        if system.aggregate[metric] == "pooled":
            raise ValueError(
                f"results must have scores of splits for tests over splits; {metric} "
                f"in {name!r} is pooled. Evaluate with aggregate='per_split'."
            )
    check_tested_alike(systems)
    reference = next(iter(systems.values()))
    columns = [system.split_scores[metric] for system in systems.values()]
    share = float(np.mean(reference.n_test / reference.n_train))
    return SystemScores(np.column_stack(columns), None), "split", share


def check_undefined(scores, names, unit):
    """Return which queries are undefined for all; refuse those that are for some."""
    undefined = np.isnan(scores.values)
    some = undefined.any(axis=1) & ~undefined.all(axis=1)
    if some.any():
        rows = np.flatnonzero(some)
        ids = rows.tolist() if scores.ids is None else [scores.ids[row] for row in rows]
        systems = [
            n for n, bad in zip(names, undefined[some].any(axis=0), strict=True) if bad
        ]
        raise ValueError(
            f"results must be defined for the same {PLURAL[unit]}; there is no score "
            f"for {list_ids(ids, ())} in {', '.join(map(repr, systems))}."
        )
    return undefined.all(axis=1)
