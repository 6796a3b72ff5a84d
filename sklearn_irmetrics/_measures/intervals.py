"""Intervals of averages over queries, as every door has them."""

import numpy as np

from sklearn_irmetrics._core.aggregate import EPSILON
from sklearn_irmetrics._core.queries import group_rows
from sklearn_irmetrics._statistics.intervals import (
    UNKNOWN,
    interval_of_geometric_mean,
    interval_of_mean,
    stated_range,
)


def measure_interval(
    values,
    measure,
    *,
    label=None,
    weights=None,
    groups=None,
    bounds=None,
    confidence_level,
    rng=0,
    **options,
):
    """Return the interval of a measure's average over queries, and how it was made.

    Parameters
    ----------
    values : ndarray of shape (n_queries,)
        NaN where undefined; such queries, and those without weight, are left out.
    measure : Measure
        Which.
    label : str or None, default=None
        What it is called in `bounds`.
    weights : ndarray of shape (n_queries,) or None, default=None
        One weight per query.
    groups : int array of shape (n_queries,) or None, default=None
        The group of each query.
    bounds : tuple, dict or None, default=None
        What the caller knows of the range; see `stated_range`.
    confidence_level, rng, **options
        Of `interval_of_mean`.

    Returns
    -------
    interval : ConfidenceInterval
    how : str
    """
    used = ~np.isnan(values)
    if weights is not None:
        used &= weights > 0
        weights = weights[used]
    values = values[used]
    groups = None if groups is None else groups[used]
    average = measure.average
    if average == "micro":
        return UNKNOWN, "none: micro average"
    options |= {
        "weights": weights,
        "groups": groups,
        "bounds": stated_range(bounds, label, measure.metric.range, values),
        "confidence_level": confidence_level,
        "rng": rng,
    }
    if average == "geometric":
        options["floor"] = measure.averaging.get("epsilon", EPSILON)
        return interval_of_geometric_mean(values, **options)[1:]
    return interval_of_mean(values, **options)[1:]


def number_groups(groups, n_queries, name="groups"):
    """Return the number of the group of each query, None where there are none."""
    if groups is None:
        return None
    try:
        return group_rows(groups, n_queries).codes()
    except (TypeError, ValueError) as error:
        raise type(error)(str(error).replace("qid", name)) from None
