"""Scores of several systems side by side, on the same queries or splits."""

from dataclasses import dataclass, replace

import numpy as np

from sklearn_irmetrics._core.namespace import to_host
from sklearn_irmetrics._core.queries import as_ids
from sklearn_irmetrics._measures.measure import as_label, as_measure
from sklearn_irmetrics._tables import PLURAL


def _measures(system):
    """Names of the measures that a system was scored by; none for bare arrays."""
    if _is_estimate(system):
        return list(system.estimate)
    return list(system.scores) if _is_query_scores(system) else []


def _is_estimate(system):
    return hasattr(system, "split_scores") and hasattr(system, "query_scores")


def _is_query_scores(system):
    return hasattr(system, "query_ids") and hasattr(system, "scores")


def the_metric(systems, metric):
    """Return the measure to compare by: the one asked for, or the only one."""
    metric = as_label(metric)
    if not (metric is None or isinstance(metric, str)):
        raise TypeError(f"metric must be a name or None; got {metric!r}.")
    for name, system in systems.items():
        known = _measures(system)
        if metric is not None and known and metric not in known:
            raise ValueError(
                f"metric must be one that every system was scored by; {name!r} has "
                f"{known}; got {metric!r}."
            )
    if metric is not None:
        return metric
    shared = {name for system in systems.values() for name in _measures(system)}
    if len(shared) > 1:
        raise ValueError(f"metric must name one of {sorted(shared)}; got None.")
    return shared.pop() if shared else None


def greater_is_better_of(systems, metric):
    """Return whether larger scores are better, as far as the measure tells."""
    try:
        is_loss = not as_measure(metric).metric.greater_is_better
    except (TypeError, ValueError):
        return True
    negated = [_is_estimate(system) for system in systems.values()]
    if is_loss and any(negated) and not all(negated):
        raise ValueError(
            f"results must agree on the sign of {metric}, a loss: evaluate negates it "
            "and score_queries does not. Pass results of one kind."
        )
    return not is_loss or any(negated)


@dataclass(frozen=True)
class SystemScores:
    """Scores of all systems, one column each, and the ids of the rows, if any.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_systems)
        Scores.
    ids : list or None
        Of the rows.
    groups : ndarray of shape (n_rows,) or None
        Of the rows.
    """

    values: np.ndarray
    ids: list | None
    groups: np.ndarray | None = None


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
        If a system lacks queries or has others; names them.
    """
    parts = {name: _queries(name, one, metric) for name, one in systems.items()}
    (first, (ids, _)), *others = parts.items()
    groups = _groups(systems)
    for name, (own, values) in others:
        if (own is None) != (ids is None):
            raise ValueError(
                f"results must all tell their queries, or none; {first!r} and {name!r} "
                "differ. Pass QueryScores or EvaluationResult for all."
            )
        if own is None:
            expected = len(parts[first][1])
            if len(values) != expected:
                raise ValueError(
                    "results must have scores for the same queries; "
                    f"{first!r} has {expected}, {name!r} has {len(values)}."
                )
        elif missing := _list_ids(ids, own):
            raise ValueError(
                f"results must be of the same queries; {name!r} lacks {missing} of "
                f"{first!r}."
            )
        elif extra := _list_ids(own, ids):
            raise ValueError(
                f"results must be of the same queries; {name!r} has {extra} that "
                f"{first!r} lacks."
            )
    columns = [
        values if own is None else values[[own[i] for i in ids]]
        for own, values in parts.values()
    ]
    listed = None if ids is None else list(ids)
    scores = SystemScores(np.column_stack(columns), listed)
    if groups is None:
        return scores, "query", None
    return replace(scores, groups=np.array([groups[i] for i in listed])), "group", None


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
                f"results must keep the same queries together; the groups of {first!r} "
                f"and {name!r} differ."
            )
    return groups


def _queries(name, system, metric):
    """Return the place of each query id (None for bare arrays) and the scores."""
    if _is_estimate(system):
        table = system.query_scores
        if table is None or metric not in table.scores:
            raise ValueError(
                f"{metric} has no scores per query in {name!r}; use "
                "test='corrected_ttest', or pass qid= to evaluate."
            )
        ids, values, weights = table.mean_of_splits(metric)
        if weights is not None:
            raise ValueError(
                f"results must not weigh queries, as no test here does; {name!r} "
                "has query weights."
            )
    elif _is_query_scores(system):
        ids, values = system.query_ids, system.scores[metric]
    elif hasattr(system, "index") and hasattr(system, "to_numpy"):
        ids, values = system.index.to_numpy(), system.to_numpy()
    else:
        ids, values = None, system
    ids, values = to_host(ids, values)
    values = np.asarray(values)
    if values.ndim != 1 or values.dtype.kind not in "biuf":
        raise TypeError(
            "results must be EvaluationResult, QueryScores, a Series or a 1-D array of "
            f"numbers; got {type(system).__name__} for {name!r}."
        )
    values = values.astype(np.float64)
    if np.isinf(values).any():
        raise ValueError(
            f"results must be finite or NaN; {name!r} has infinite scores."
        )
    if ids is None:
        return None, values
    place = {key: i for i, key in enumerate(as_ids(ids).tolist())}
    if len(place) < len(values):
        raise ValueError(f"results must have each query once; {name!r} repeats some.")
    return place, values


def _list_ids(wanted, present):
    """Name ids that are missing, the first five of them."""
    missing = [key for key in wanted if key not in present]
    more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
    return ", ".join(map(repr, missing[:5])) + more


def align_splits(systems, metric):
    """Return the scores of all systems on the same splits, as `align_queries` does."""
    for name, system in systems.items():
        if not _is_estimate(system):
            raise TypeError(
                "test='corrected_ttest' needs results of evaluate; got "
                f"{type(system).__name__} for {name!r}."
            )
        if system.failures:
            raise ValueError(
                f"results must have no failed splits; {name!r} has "
                f"{list(system.failures)}."
            )
    (first, reference), *others = systems.items()
    for name, system in others:
        if different := _different_splits(reference, system):
            raise ValueError(
                f"results must be of the same splits; {first!r} and {name!r} differ in "
                f"the rows of split {', '.join(map(str, different[:5]))}. Use the same "
                "method and random_state."
            )
    columns = [system.split_scores[metric] for system in systems.values()]
    share = float(np.mean(reference.n_test / reference.n_train))
    return SystemScores(np.column_stack(columns), None), "split", share


def _different_splits(first, second):
    n_splits = max(len(first.n_test), len(second.n_test))
    rows = [
        {i: set(p.row[p.split == i].tolist()) for i in range(n_splits)}
        for p in (first.predictions, second.predictions)
    ]
    return [i for i in range(n_splits) if rows[0][i] != rows[1][i]]


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
            f"results must be defined on the same {PLURAL[unit]}; "
            f"{', '.join(map(repr, systems))} is not on {_list_ids(ids, ())}."
        )
    return undefined.all(axis=1)
