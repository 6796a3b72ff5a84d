"""Means that people would find on all units, from the labels of some and a judge."""

from typing import NamedTuple

import numpy as np
from scipy import stats

# A value counts as one at an end of the range within so much of the range.
_NEAR = 0.1
# With fewer values elsewhere, the judge has no weight.
_FEWEST_ELSEWHERE = 5
# Values so near are the same.
_SAME = 1e-12


class EstimatedMean(NamedTuple):
    """Estimated means, one for each row of values, their intervals, p-values of 0.

    A p-value is at most 1 - `level` where 0 lies outside the interval.
    """

    estimate: np.ndarray
    standard_error: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p_value: np.ndarray


def judge_weight(f, h, weights, bounds, usual=None):
    """Return the weight of the judge: the slope of `f` on `h`, kept in [0, 1].

    It is 0 where `h` does not vary, and where most values of `f` lie at one end of the
    range, or at the `usual` value, and fewer than five elsewhere: only those few would
    decide it.
    """
    around = h - np.average(h, axis=-1, weights=weights)[..., None]
    own, together = (
        np.average(around * factor, axis=-1, weights=weights) for factor in (around, f)
    )
    in_one_place, n_elsewhere = count_elsewhere(f, bounds, usual)
    usable = (own > _SAME) & ~(in_one_place & (n_elsewhere < _FEWEST_ELSEWHERE))
    return np.where(usable, together / np.where(usable, own, 1), 0).clip(0, 1)


def count_elsewhere(f, bounds, usual=None):
    """Return whether most values lie in one place, and how many do not.

    Such a place is one end of the range, and the `usual` value, if there is one: 0 for
    the differences of systems, which tie in many queries. For the latter, half of the
    values are enough, and a single one if fewer than five lie elsewhere.
    """
    low, high = bounds
    n = f.shape[-1]
    n_there = np.zeros(f.shape[:-1], int)
    if np.isfinite(high - low):
        near = _NEAR * (high - low)
        n_there = np.maximum((f <= low + near).sum(-1), (f >= high - near).sum(-1))
    in_one_place = 2 * n_there > n
    if usual is not None:
        n_usual = (np.abs(f - usual) <= _SAME).sum(-1)
        few = (2 * n_usual >= n) | (n - n_usual < _FEWEST_ELSEWHERE)
        in_one_place |= few & (n_usual > 0)
        n_there = np.maximum(n_there, n_usual)
    return in_one_place, n - n_there


def corrected_mean(
    f,
    e,
    weights,
    n_all,
    bounds,
    level,
    lost=2,
    population=None,
    usual=None,
    end_weight=1.0,
):
    """Estimate the mean that people would have found on all units.

    It is the regression estimator of two-phase sampling: the mean by people, corrected
    by how far the labelled units differ from all units according to the judge. Its
    variance is that of the corrected values, and that of all units, which are a sample
    too. The interval is t, of the corrected values and one more towards each end of the
    range of `f`: of half the weight of a value, and half a spread away. Where most
    values of `f` lie at one end of the range, or at the `usual` value, the two are
    whole values at the ends, because few units may all miss the rare other values. For
    all units, values are added as by `interval_of_mean`, with a weight in proportion to
    the share of labelled units: if people labelled all, the interval is the same. Where
    every value is the `usual` one, the interval is the whole range.

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
    population : tuple of ndarray of shape (..., n) and tuple, default=None
        Values whose mean over more units is estimated, and their range; None: those of
        `f`.
    usual : float, default=None
        A value that most units may have, such as 0 for differences; None: no such.
    end_weight : float, default=1.0
        Of the values added for all units if all are labelled, as typical values.
    """
    n = f.shape[-1]
    u = weights / weights.mean()
    estimate = (u * e).mean(-1)
    ends, weight = _added_values(e, f, bounds, usual)
    size = n + 2 * weight
    labelled = n / n_all
    plain_squares = (u**2 * (e - estimate[..., None]) ** 2).sum(-1)
    population, range_of_all = (f, bounds) if population is None else population
    around = population - (u * population).mean(-1, keepdims=True)
    of_all = (u**2 * around**2).sum(-1) / (n - 1) / n_all
    plain_error = np.sqrt(plain_squares / (n - lost) / n * (1 - labelled) + of_all)
    with np.errstate(invalid="ignore"):  # without a range, ends may be infinite
        shift = (weight * (ends - estimate)).sum(0) / size
        squares = (u**2 * (e - (estimate + shift)[..., None]) ** 2).sum(-1)
        squares += weight * ((ends - estimate - shift) ** 2).sum(0)
        shift_of_all, variance_of_all, freedom_of_all = _mean_with_ends(
            population, u, range_of_all, end_weight * labelled
        )
        centre = estimate + (1 - labelled) * shift + labelled * shift_of_all
        variance = squares / (size - lost) / size * (1 - labelled)
        error = np.sqrt(variance + labelled * variance_of_all)
    freedom = (1 - labelled) * (n**2 / (u**2).sum() + 2 * weight - lost)
    freedom = freedom + labelled * freedom_of_all
    low, high, p_value = _t_interval(centre, error, freedom, level)
    low, high = np.minimum(low, estimate), np.maximum(high, estimate)
    p_value = np.where(centre * estimate > 0, p_value, 1.0)
    if usual is not None:
        is_usual = (np.abs(f - usual) <= _SAME).all(-1)
        unknown = np.where(np.isfinite(bounds), bounds, np.nan)
        low, high = (
            np.where(is_usual, end, limit)
            for end, limit in zip(unknown, (low, high), strict=True)
        )
        p_value = np.where(is_usual, 1.0, p_value)
    estimate, low, high = np.clip([estimate, low, high], *bounds)
    return EstimatedMean(estimate, plain_error, low, high, p_value)


def _added_values(e, f, bounds, usual):
    """Return the two added values, of shape (2, ...), and their weight.

    They lie inside the range of `f`, of which the mean is one, but never inside the
    values seen. Without a range, they are infinite where next to nothing varies.
    """
    low, high = bounds
    in_one_place, n_elsewhere = count_elsewhere(f, bounds, usual)
    weight = np.where(in_one_place, 1.0, 0.5)
    spread = np.ptp(f, axis=-1)
    far = 0.5 * max(1, 10 / f.shape[-1]) * np.maximum(np.ptp(e, axis=-1), spread / 4)
    to_ends = np.isfinite(high - low) | (n_elsewhere < _FEWEST_ELSEWHERE)
    far = np.where((in_one_place & to_ends) | (spread <= _SAME), np.inf, far)
    least, most = e.min(-1), e.max(-1)
    least = np.minimum(least, np.maximum(low, least - far))
    most = np.maximum(most, np.minimum(high, most + far))
    return np.stack([least, most]), weight


def _mean_with_ends(values, u, bounds, end_weight):
    """Return shift, variance and degrees of freedom of a mean with added values.

    They are those of `WeightedSums.with_ends`, for each row of values: one more at each
    end of the range, which never lies inside the values seen. Without a range, nothing
    is added.
    """
    ends, weight = np.zeros((2, *values.shape[:-1])), 0.0
    if np.isfinite(np.subtract(*bounds)):
        low, high = bounds
        ends = np.stack(
            [np.minimum(low, values.min(-1)), np.maximum(high, values.max(-1))]
        )
        weight = end_weight * (u**2).sum() / u.sum()
    mean, total = (u * values).mean(-1), u.sum() + 2 * weight
    shift = weight * (ends - mean).sum(0) / total
    centre = mean + shift
    squares = (u**2 * (values - centre[..., None]) ** 2).sum(-1)
    squares += weight**2 * ((ends - centre) ** 2).sum(0)
    n = total**2 / ((u**2).sum() + 2 * weight**2)
    return shift, squares / total**2 * n / (n - 1), n - 1


class AddedEnds(NamedTuple):
    """Values to add at the ends of a range, which few labels may miss.

    Attributes
    ----------
    ends : ndarray of shape (2,)
        The ends of the range, NaN where unknown.
    share : float
        The share of a typical labelled unit in the mean, 0 if none was labelled.
    weight : float
        Of each end, as typical units.
    """

    ends: np.ndarray
    share: float
    weight: float


def say_little(y_true, y_judge):
    """Return whether fewer than five labels differ from the judge, or from most."""
    _, counts = np.unique(y_true, return_counts=True)
    n_elsewhere = len(y_true) - counts.max(initial=0)
    n_different = np.count_nonzero(y_true != y_judge)
    return min(n_elsewhere, n_different) < _FEWEST_ELSEWHERE


def plain_mean(values, weights, level, bounds=(-np.inf, np.inf), added=None):
    """Estimate the mean of many values that are unbiased already.

    The interval is t of the values. With `AddedEnds` it is t of the values and one more
    at each end, as `interval_of_mean`, and its degrees of freedom are those of as many
    units as were labelled; if none was, the interval is the range.
    """
    n = len(values)
    u = weights / weights.mean()
    centre = mean = (u * values).mean()
    error = np.sqrt((u**2 * (values - mean) ** 2).sum() / (n - 1) / n)
    freedom, spread = n**2 / (u**2).sum() - 1, error
    if added is not None and added.share > 0:
        weight = added.weight * added.share
        size = 1 + 2 * weight
        centre = (mean + weight * added.ends.sum()) / size
        squares = (u**2 * (values - centre) ** 2).sum() / n**2
        squares += weight**2 * ((added.ends - centre) ** 2).sum()
        freedom = size**2 / (added.share + 2 * weight**2) - 1
        spread = np.sqrt(squares * (freedom + 1) / freedom) / size
    low, high, p_value = _t_interval(centre, spread, freedom, level)
    if added is not None:
        low, high = np.minimum(low, mean), np.maximum(high, mean)
        p_value = np.where(centre * mean > 0, p_value, 1.0)
        if not added.share > 0:
            (low, high), p_value = added.ends, 1.0
    mean, low, high = np.clip([mean, low, high], *bounds)
    return EstimatedMean(mean, error, low, high, p_value)


def _t_interval(centre, error, freedom, level):
    """Return the ends of t intervals, and p-values of 0 that agree with them."""
    reach = stats.t.ppf((1 + level) / 2, freedom) * error
    with np.errstate(divide="ignore", invalid="ignore"):
        p_value = 2 * stats.t.sf(np.abs(centre) / error, freedom)
    p_value = np.where(np.isnan(p_value), 1.0, p_value)
    return centre - reach, centre + reach, p_value
