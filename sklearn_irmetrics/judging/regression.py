"""Means that people would find on all units, from the labels of some and a judge."""

from typing import NamedTuple

import numpy as np
from scipy import stats

# A value counts as one at an end of the range within so much of the range.
_NEAR = 0.1
# With fewer values elsewhere, the judge has no weight.
_FEWEST_ELSEWHERE = 5


class EstimatedMean(NamedTuple):
    """Estimated means, one for each row of values, their intervals, p-values of 0.

    A p-value is at most 1 - `level` where 0 lies outside the interval.
    """

    estimate: np.ndarray
    standard_error: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p_value: np.ndarray


def judge_weight(f, h, weights, bounds):
    """Return the weight of the judge: the slope of `f` on `h`, kept in [0, 1].

    It is 0 where `h` does not vary, and where most values of `f` lie at one end of the
    range and fewer than five elsewhere: only those few would decide it.
    """
    around = h - np.average(h, axis=-1, weights=weights)[..., None]
    own, together = (
        np.average(around * one, axis=-1, weights=weights) for one in (around, f)
    )
    at_an_end, n_elsewhere = count_at_an_end(f, bounds)
    usable = (own > 1e-12) & ~(at_an_end & (n_elsewhere < _FEWEST_ELSEWHERE))
    return np.where(usable, together / np.where(usable, own, 1), 0).clip(0, 1)


def count_at_an_end(f, bounds):
    """Return whether most values lie at one end of the range, and how many do not."""
    low, high = bounds
    n = f.shape[-1]
    if not np.isfinite(high - low):
        return np.zeros(f.shape[:-1], bool), np.full(f.shape[:-1], n)
    near = _NEAR * (high - low)
    n_low, n_high = (f <= low + near).sum(-1), (f >= high - near).sum(-1)
    n_elsewhere = n - np.maximum(n_low, n_high)
    return 2 * n_elsewhere < n, n_elsewhere


def corrected_mean(f, e, weights, n_all, bounds, level, lost=2, population=None):
    """Estimate the mean that people would have found on all units.

    It is the regression estimator of two-phase sampling: the mean by people, corrected
    by how far the labelled units differ from all units according to the judge. Its
    variance is that of the corrected values, and that of all units, which are a sample
    too. The interval is t, of the corrected values and one more towards each end of the
    range of `f`: of half the weight of a value, and half a spread away. Where most
    values of `f` lie at one end of the range, the two are whole values at its ends,
    because few units may all miss the rare other values.

    Parameters
    ----------
    f, e : ndarray of shape (..., n)
        Values by people of the labelled units, and the same corrected by the judge.
    weights : ndarray of shape (n,)
        Positive weights of these units.
    n_all : int
        How many units there are.
    bounds : tuple of float
        Range of `f`, infinite where unknown.
    level : float
        Confidence level, such as 0.95.
    lost : int, default=2
        Degrees of freedom lost: one of the mean, one of the slope.
    population : ndarray of shape (..., n), default=None
        Values whose mean over more units is estimated; None: `f`.
    """
    n = f.shape[-1]
    u = weights / weights.mean()
    estimate = (u * e).mean(-1)
    ends, weight = _added_values(e, f, bounds)
    size = n + 2 * weight
    centre = ((u * e).sum(-1) + weight * ends.sum(0)) / size
    squares = (u**2 * (e - centre[..., None]) ** 2).sum(-1)
    squares += weight * ((ends - centre) ** 2).sum(0)
    plain_squares = (u**2 * (e - estimate[..., None]) ** 2).sum(-1)
    unlabelled = 1 - n / n_all
    population = f if population is None else population
    around = population - (u * population).mean(-1, keepdims=True)
    of_all = (u**2 * around**2).sum(-1) / (n - 1) / n_all
    error = np.sqrt(squares / (size - lost) / size * unlabelled + of_all)
    plain_error = np.sqrt(plain_squares / (n - lost) / n * unlabelled + of_all)
    freedom = n**2 / (u**2).sum() + 2 * weight - lost
    low, high, p_value = _t_interval(centre, error, freedom, level)
    low, high = np.minimum(low, estimate), np.maximum(high, estimate)
    p_value = np.where(centre * estimate > 0, p_value, 1.0)
    estimate, low, high = np.clip([estimate, low, high], *bounds)
    return EstimatedMean(estimate, plain_error, low, high, p_value)


def _added_values(e, f, bounds):
    """Return the two added values, of shape (2, ...), and their weight.

    They lie inside the range of `f`, of which the mean is one, but never inside the
    values seen.
    """
    low, high = bounds
    at_an_end, _ = count_at_an_end(f, bounds)
    weight = np.where(at_an_end, 1.0, 0.5)
    spread = np.ptp(f, axis=-1)
    far = 0.5 * max(1, 10 / f.shape[-1]) * np.maximum(np.ptp(e, axis=-1), spread / 4)
    far = np.where(at_an_end | (spread <= 1e-12), np.inf, far)
    least, most = e.min(-1), e.max(-1)
    least = np.minimum(least, np.maximum(low, least - far))
    most = np.maximum(most, np.minimum(high, most + far))
    return np.stack([least, most]), weight


def plain_mean(values, weights, level, bounds=(-np.inf, np.inf)):
    """Estimate the mean of many values that are unbiased already."""
    n = len(values)
    u = weights / weights.mean()
    mean = (u * values).mean()
    error = np.sqrt((u**2 * (values - mean) ** 2).sum() / (n - 1) / n)
    low, high, p_value = _t_interval(mean, error, n**2 / (u**2).sum() - 1, level)
    mean, low, high = np.clip([mean, low, high], *bounds)
    return EstimatedMean(mean, error, low, high, p_value)


def _t_interval(centre, error, freedom, level):
    """Return the ends of t intervals, and p-values of 0 that agree with them."""
    reach = stats.t.ppf((1 + level) / 2, freedom) * error
    with np.errstate(divide="ignore", invalid="ignore"):
        p_value = 2 * stats.t.sf(np.abs(centre) / error, freedom)
    p_value = np.where(np.isnan(p_value), 1.0, p_value)
    return centre - reach, centre + reach, p_value
