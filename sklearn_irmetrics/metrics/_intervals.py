"""Intervals of averages over queries, shared by all results and reports."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from sklearn_irmetrics._arrays.query_ids import Time, as_keys, group_rows
from sklearn_irmetrics._arrays.query_values import align_to_queries
from sklearn_irmetrics._statistics.intervals import (
    UNKNOWN,
    interval_of_geometric_mean,
    interval_of_mean,
    interval_of_strata,
)
from sklearn_irmetrics._statistics.units import weigh_strata
from sklearn_irmetrics.metrics._ranking.averages import EPSILON


def measure_interval(
    values,
    measure,
    *,
    label=None,
    weights=None,
    groups=None,
    strata=None,
    bounds=None,
    confidence_level,
    rng=0,
    **options,
):
    """Return standard error and interval of an average over queries, and how made.

    Parameters
    ----------
    values : ndarray of shape (n_queries,)
        NaN where undefined; such queries, and those without weight, are left out.
    measure : Measure
        The measure.
    label : str or None, default=None
        Its name in `bounds`.
    weights : ndarray of shape (n_queries,) or None, default=None
        One weight per query.
    groups : int array of shape (n_queries,) or None, default=None
        The group of each query.
    strata : int array of shape (n_queries,) or None, default=None
        The stratum of each query, if the means of strata are averaged.
    bounds : tuple, dict or None, default=None
        A narrower range that the caller knows; see `narrow_range`.
    confidence_level, rng, **options
        As for `interval_of_mean`.

    Returns
    -------
    error : float
    interval : ConfidenceInterval
    how : str
    """
    average = measure.average
    if strata is not None and (average != "macro" or options.get("method") == "bca"):
        raise ValueError(
            "strata must be None with interval='bca', and with measures whose average "
            "is not the plain mean over queries."
        )
    used = _defined(values, weights)
    if strata is not None and len(set(strata[used])) < len(set(strata)):
        return np.nan, UNKNOWN, "none: a stratum has no defined query"
    weights, groups, strata, values = (
        None if part is None else part[used]
        for part in (weights, groups, strata, values)
    )
    if average == "micro":
        return np.nan, UNKNOWN, "none: micro average"
    options |= {
        "weights": weights,
        "groups": groups,
        "bounds": narrow_range(bounds, label, measure.range, values),
        "confidence_level": confidence_level,
        "rng": rng,
    }
    if average == "geometric":
        floor = measure.averaging.get("epsilon", EPSILON)
        return interval_of_geometric_mean(values, floor=floor, **options)
    if strata is not None:
        options = {"method": "auto", "units": "queries", **options}
        del options["rng"]
        return interval_of_strata(values, strata, **options)
    return interval_of_mean(values, **options)


def mean_of(values, weights, strata):
    """Return the mean of defined values, or the mean of the means of strata.

    It is NaN if nothing is defined, at all or in a stratum.
    """
    used = _defined(values, weights)
    weights = np.ones(len(values)) if weights is None else weights
    if not used.any() or strata is not None and set(strata[used]) != set(strata):
        return float("nan")
    values, weights = values[used], weights[used]
    if strata is not None:
        weights = weigh_strata(weights, np.unique(strata[used], return_inverse=True)[1])
    return float(np.average(values, weights=weights))


def _defined(values, weights):
    """Return which queries count."""
    used = ~np.isnan(values)
    return used if weights is None else used & (weights > 0)


def number_groups(groups, query_ids, name="groups", qid=None):
    """Return the number of each query's group, or None; see `name_groups`."""
    return None if groups is None else name_groups(groups, query_ids, name, qid)[1]


def name_groups(groups, query_ids, name, qid=None):
    """Return the names of groups, in order of appearance, and each query's number.

    Parameters
    ----------
    groups : dict, Series or array-like
        The group of each query; see `align_to_queries`.
    query_ids : sequence of length n_queries
        The queries.
    name : str
        What messages call the groups.
    qid : array-like or None, default=None
        The query of each row, if there are rows.
    """
    n_queries = len(query_ids)
    values = align_to_queries(name, groups, query_ids, qid)
    grouped = group_rows(values, n_queries, name)
    names = [repr(n) if isinstance(n, Time) else n for n in as_keys(grouped.ids)]
    texts = Counter(map(str, names))
    if len(texts) < len(names):
        ((text, _),) = texts.most_common(1)
        alike = [label for label in names if str(label) == text]
        raise ValueError(
            f"{name} must hold labels that differ as strings; got {alike}."
        )
    return names, grouped.codes()


def number_strata(strata, groups, query_ids, qid=None):
    """Return the number of each query's stratum, or None; see `name_groups`."""
    codes = number_groups(strata, query_ids, "strata", qid)
    if codes is not None and groups is not None:
        pairs = np.unique(np.column_stack([groups, codes]), axis=0)
        if len(pairs) > len(np.unique(groups)):
            raise ValueError("strata must not divide a group; one is in two strata.")
    return codes


def check_bounds(bounds, names=()):
    """Return valid bounds: None, two numbers, or a dict of them by measure."""
    if bounds is None:
        return None
    if isinstance(bounds, Mapping):
        for name in bounds:
            if name not in names:
                raise ValueError(
                    "bounds must name measures of the result, "
                    f"{', '.join(map(repr, names))}; got {name!r}."
                )
        return {name: check_bounds(ends) for name, ends in bounds.items()}
    try:
        low, high = map(float, bounds)
    except (TypeError, ValueError):
        low = high = np.nan
    if not -np.inf < low < high < np.inf:
        raise ValueError(
            "bounds must be two finite numbers, the lower one first, or a dict of them "
            f"by measure; got {bounds!r}."
        )
    return low, high


def narrow_range(bounds, name, known, values=()):
    """Return the known range of a measure, narrowed to the bounds of the caller.

    Parameters
    ----------
    bounds : tuple, dict or None
        As `check_bounds` returns them.
    name : str
        The measure, if `bounds` is a dict.
    known : tuple or None
        The range of the measure; None: unknown.
    values : sequence of float, default=()
        Values of the measure, which must lie inside the bounds.
    """
    if isinstance(bounds, Mapping):
        bounds = bounds.get(name)
    if bounds is None:
        return known
    outside = [value for value in values if not bounds[0] <= value <= bounds[1]]
    if outside:
        raise ValueError(
            f"bounds must hold every value; got {bounds} with a value of "
            f"{outside[0]:.6g}."
        )
    if known is None:
        return bounds
    return max(bounds[0], known[0]), min(bounds[1], known[1])
