"""Means of values by people and a judge: estimate, interval, bias, worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import stats

from sklearn_irmetrics._measures.portable import Portable
from sklearn_irmetrics._statistics.intervals import UNKNOWN, ConfidenceInterval

# A value counts as one at an end of the range within so much of the range.
_NEAR = 0.1


@dataclass(frozen=True)
class JudgedEstimate(Portable):
    """What people's labels and a judge say of one mean, or of one difference.

    Attributes
    ----------
    estimate : float
        What people would have found had they labelled everything.
    interval : ConfidenceInterval
        Of `estimate`.
    p_value : float
        Of the estimate being 0; NaN where there is no interval.
    judge : float
        What the judge alone says.
    bias : float
        ``judge - estimate``.
    bias_interval : ConfidenceInterval
        Of `bias`.
    bias_p_value : float
        Of the bias being 0.
    trust : float
        How far the judge is followed, from 0 (not at all) to 1; NaN for samples of
        documents, where a regression by grade takes its place.
    worth : float
        How many labelled queries (or documents, where these were sampled) would have
        given as narrow an interval without the judge.
    random_p_value : float
        Of the labels being a random sample: how the judge's values of what was labelled
        differ from the rest.
    """

    estimate: float
    interval: ConfidenceInterval = UNKNOWN
    p_value: float = float("nan")
    judge: float = float("nan")
    bias: float = float("nan")
    bias_interval: ConfidenceInterval = UNKNOWN
    bias_p_value: float = float("nan")
    trust: float = float("nan")
    worth: float = float("nan")
    random_p_value: float = float("nan")


class JudgedMean(NamedTuple):
    """Estimated means, one for each row of values.

    Attributes
    ----------
    estimate, low, high : ndarray
        The mean and its interval.
    p_value : ndarray
        Of the mean being 0: at most 1 - `level` where 0 lies outside the interval.
    trust : ndarray
        How far the judge is followed, from 0 to 1.
    """

    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p_value: np.ndarray
    trust: np.ndarray


def judged_mean(f, h, mean_all, n_all, bounds, level, weights=None, judge=True):
    """Estimate the mean that people would have found on all units.

    The regression estimator of two-phase sampling: the mean by people, corrected by how
    far the judge sees the labelled units differ from all of them. Its variance is that
    of the corrected values, and that of all units, which are a sample too. The interval
    is t, of the corrected values and one more towards each end of the range of `f`:
    of half the weight of a value, and half a spread away (a whole value and a whole
    spread where most values lie at one end of the range).

    Parameters
    ----------
    f, h : ndarray of shape (..., n)
        Values by people and by the judge, of the labelled units.
    mean_all : ndarray of shape (...,)
        Mean of the judge's values over all units.
    n_all : int
        How many units there are.
    bounds : tuple of float
        Range of `f`, infinite where unknown.
    level : float
        Confidence level, such as 0.95.
    weights : ndarray of shape (n,), default=None
        Positive weights of the labelled units.
    judge : bool, default=True
        Whether to use the judge at all.
    """
    n = f.shape[-1]
    u = np.ones(n) if weights is None else weights / weights.mean()
    around_f = f - (u * f).mean(-1, keepdims=True)
    around_h = h - (u * h).mean(-1, keepdims=True)
    together, own = ((u * around_h * one).sum(-1) for one in (around_f, around_h))
    varies = judge & (own > 1e-12 * n)
    trust = np.where(varies, together / np.where(varies, own, 1), 0).clip(0, 1)
    e = f - trust[..., None] * (h - np.asarray(mean_all)[..., None])
    estimate = (u * e).mean(-1)
    ends, weight = _ends(e, f, bounds)
    lost = 2 if judge else 1
    size = n + 2 * weight
    centre = ((u * e).sum(-1) + weight * ends.sum(0)) / size
    squares = (u**2 * (e - centre[..., None]) ** 2).sum(-1)
    squares += weight * ((ends - centre) ** 2).sum(0)
    variance = squares / (size - lost) / size * (1 - n / n_all)
    variance += (u**2 * around_f**2).sum(-1) / (n - 1) / n_all
    freedom = n**2 / (u**2).sum() + 2 * weight - lost
    low, high, p_value = _by_t(centre, np.sqrt(variance), freedom, level)
    low = np.minimum(low, estimate).clip(*bounds)
    high = np.maximum(high, estimate).clip(*bounds)
    p_value = np.where(centre * estimate > 0, p_value, 1.0)
    return JudgedMean(estimate, low, high, p_value, trust)


def _ends(e, f, bounds):
    """Return the values at the ends, of shape (2, ...), and their weight.

    They lie inside the range of `f`, of which the mean is one, but never inside the
    values seen.
    """
    low, high = bounds
    near = _NEAR * (high - low)
    at_an_end = np.maximum((f <= low + near).mean(-1), (f >= high - near).mean(-1))
    weight = np.where(at_an_end > 0.5, 1.0, 0.5)
    spread = np.ptp(f, axis=-1)
    far = weight * max(1, 10 / f.shape[-1])
    far *= np.maximum(np.ptp(e, axis=-1), spread / 4)
    far = np.where(spread > 1e-12, far, np.inf)
    least, most = e.min(-1), e.max(-1)
    least = np.minimum(least, np.maximum(low, least - far))
    most = np.maximum(most, np.minimum(high, most + far))
    return np.stack([least, most]), weight


def plain_mean(values, weights, level, bounds=(-np.inf, np.inf)):
    """Return the `JudgedMean` of many values that are unbiased already."""
    n = len(values)
    u = np.ones(n) if weights is None else weights / weights.mean()
    mean = (u * values).mean()
    error = np.sqrt((u**2 * (values - mean) ** 2).sum() / (n - 1) / n)
    low, high, p = _by_t(mean, error, n**2 / (u**2).sum() - 1, level)
    return JudgedMean(mean, *np.clip([low, high], *bounds), p, np.array(np.nan))


def _by_t(centre, error, freedom, level):
    """Return the ends of t intervals, and p-values of 0 that agree with them."""
    reach = stats.t.ppf((1 + level) / 2, freedom) * error
    with np.errstate(divide="ignore", invalid="ignore"):
        p_value = 2 * stats.t.sf(np.abs(centre) / error, freedom)
    p_value = np.where(np.isnan(p_value), 1.0, p_value)
    return centre - reach, centre + reach, p_value


def make_estimate(found, alone, bias, n_labelled, random_p_value):
    """Return a `JudgedEstimate` of three `JudgedMean`.

    Parameters
    ----------
    found, alone, bias : JudgedMean
        With the judge, without, and of the judge minus people.
    n_labelled : int
        How many labels there are, to say how many the judge is worth.
    random_p_value : float
        As of `JudgedEstimate`.
    """
    width, width_alone = found.high - found.low, alone.high - alone.low
    known = np.isfinite(width_alone) and width > 0
    return JudgedEstimate(
        estimate=float(found.estimate),
        interval=ConfidenceInterval(float(found.low), float(found.high)),
        p_value=float(found.p_value),
        judge=float(found.estimate + bias.estimate),
        bias=float(bias.estimate),
        bias_interval=ConfidenceInterval(float(bias.low), float(bias.high)),
        bias_p_value=float(bias.p_value),
        trust=float(found.trust),
        worth=float(n_labelled * (width_alone / width) ** 2) if known else np.nan,
        random_p_value=float(random_p_value),
    )
