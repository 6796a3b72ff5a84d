"""Intervals of errors that single rows decide: the median and the largest."""

import numpy as np
from scipy import stats

from sklearn_irmetrics._statistics.intervals import UNKNOWN, cut_to_range


class Errors:
    """Errors of rows, and their median in each split.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        Not negative.
    splits, units : int array of shape (n_rows,)
        Of each row; numbers from 0. A unit may have one row in several splits.

    Attributes
    ----------
    split_scores : ndarray of shape (n_splits,)
        The medians.
    of_units : ndarray of shape (n_units,)
        The mean error of each unit, in ascending order.
    """

    def __init__(self, values, *, splits, units):
        order = np.argsort(splits, kind="stable")
        starts = np.searchsorted(splits[order], np.arange(1, splits.max() + 1))
        parts = np.split(values[order], starts)
        self.split_scores = np.array([np.median(part) for part in parts])
        self.of_units = np.sort(np.bincount(units, values) / np.bincount(units))


def interval_of_median(errors, *, confidence_level, units, method="auto"):
    """Return standard error, interval and its name of a median error.

    The interval is between two order statistics, whose ranks are quantiles of the
    binomial distribution of how many errors lie below the true median; it is moved to
    the mean of the medians of splits. The standard error is that of a normal estimate
    with an interval of the same width (Woodruff).

    Parameters
    ----------
    errors : Errors
        The errors.
    confidence_level, units
        As for `interval_of_mean`.
    method : {"auto", "t"}, default="auto"
        Both are the same.

    References
    ----------
    R. Woodruff, "Confidence Intervals for Medians and Other Position Measures", JASA 47
    (1952).
    """
    values, estimate = errors.of_units, errors.split_scores.mean()
    n, tail = len(values), (1 - confidence_level) / 2
    rank = int(stats.binom.ppf(tail, n, 0.5))
    if stats.binom.cdf(rank, n, 0.5) <= tail:
        rank += 1
    if rank < 1:
        why = f"none: {n} {units} are too few for order statistics"
        return float("nan"), UNKNOWN, why
    low, high = values[rank - 1], values[n - rank]
    moved = estimate - np.median(values)
    ends = min(low + moved, estimate), max(high + moved, estimate)
    error = float((high - low) / (2 * stats.norm.ppf(1 - tail)))
    how = f"order statistics of {n} {units}"
    return error, cut_to_range(ends, (0.0, np.inf), np.array([estimate])), how
