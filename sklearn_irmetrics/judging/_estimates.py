"""Estimate means from values by people and a judge, with intervals and bias."""

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
    """An estimate of one mean, or difference, from people's labels and a judge.

    Attributes
    ----------
    estimate : float
        The value if people had labelled everything.
    interval : ConfidenceInterval
        Of `estimate`.
    p_value : float
        p-value of the estimate being 0; NaN if there is no interval.
    judge : float
        The value by the judge alone.
    bias : float
        ``judge - estimate``.
    bias_interval : ConfidenceInterval
        Of `bias`.
    bias_p_value : float
        Of the bias being 0.
    trust : float
        Weight of the judge, from 0 to 1; NaN for samples of documents, where a
        regression by grade is used instead.
    worth : float
        Number of labelled queries (or documents, if these were sampled) that would have
        given an equally narrow interval without the judge.
    random_p_value : float
        p-value of the labels being a random sample, from how the judge's values of
        labelled units differ from the rest.
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


class Mean(NamedTuple):
    """Estimated means, one for each row of values, their intervals, p-values of 0.

    A p-value is at most 1 - `level` where 0 lies outside the interval.
    """

    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p_value: np.ndarray


def slope_of(f, h, weights):
    """Return the slopes of `f` on `h`, kept in [0, 1]; 0 where `h` does not vary."""
    around = h - np.average(h, axis=-1, weights=weights)[..., None]
    own, together = (
        np.average(around * one, axis=-1, weights=weights) for one in (around, f)
    )
    varies = own > 1e-12
    return np.where(varies, together / np.where(varies, own, 1), 0).clip(0, 1)


def corrected_mean(f, off, weights, n_all, bounds, level, lost=2):
    """Estimate the mean that people would have found on all units.

    It is the regression estimator of two-phase sampling: the mean by people, corrected
    by how far the labelled units differ from all units according to the judge. Its
    variance is that of the corrected values, and that of all units, which are a sample
    too. The interval is t, of the corrected values and one more towards each end of the
    range of `f`: of half the weight of a value, and half a spread away (a whole value
    and a whole spread where most values lie at one end of the range).

    Parameters
    ----------
    f, off : ndarray of shape (..., n)
        Values by people of the labelled units, and how much to subtract from them.
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
    """
    n = f.shape[-1]
    u = weights / weights.mean()
    e = f - off
    estimate = (u * e).mean(-1)
    ends, weight = _ends(e, f, bounds)
    size = n + 2 * weight
    centre = ((u * e).sum(-1) + weight * ends.sum(0)) / size
    squares = (u**2 * (e - centre[..., None]) ** 2).sum(-1)
    squares += weight * ((ends - centre) ** 2).sum(0)
    variance = squares / (size - lost) / size * (1 - n / n_all)
    around = f - (u * f).mean(-1, keepdims=True)
    variance += (u**2 * around**2).sum(-1) / (n - 1) / n_all
    freedom = n**2 / (u**2).sum() + 2 * weight - lost
    low, high, p_value = _by_t(centre, np.sqrt(variance), freedom, level)
    low, high = np.minimum(low, estimate), np.maximum(high, estimate)
    p_value = np.where(centre * estimate > 0, p_value, 1.0)
    return Mean(*np.clip([estimate, low, high], *bounds), p_value)


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
    """Return the `Mean` of many values that are unbiased already."""
    n = len(values)
    u = weights / weights.mean()
    mean = (u * values).mean()
    error = np.sqrt((u**2 * (values - mean) ** 2).sum() / (n - 1) / n)
    low, high, p_value = _by_t(mean, error, n**2 / (u**2).sum() - 1, level)
    return Mean(*np.clip([mean, low, high], *bounds), p_value)


def _by_t(centre, error, freedom, level):
    """Return the ends of t intervals, and p-values of 0 that agree with them."""
    reach = stats.t.ppf((1 + level) / 2, freedom) * error
    with np.errstate(divide="ignore", invalid="ignore"):
        p_value = 2 * stats.t.sf(np.abs(centre) / error, freedom)
    p_value = np.where(np.isnan(p_value), 1.0, p_value)
    return centre - reach, centre + reach, p_value


def make_estimate(found, alone, judge, bias, n_labelled, random_p_value, trust=np.nan):
    """Return a `JudgedEstimate` of three `Mean`.

    Parameters
    ----------
    found, alone, bias : Mean
        With the judge, without, and of the judge minus people.
    judge, random_p_value, trust : float
        As of `JudgedEstimate`.
    n_labelled : int
        How many labels there are, to say how many the judge is worth.
    """
    width, width_alone = found.high - found.low, alone.high - alone.low
    known = np.isfinite(width_alone) and width > 0
    return JudgedEstimate(
        estimate=float(found.estimate),
        interval=ConfidenceInterval(float(found.low), float(found.high)),
        p_value=float(found.p_value),
        judge=float(judge),
        bias=float(judge - found.estimate),
        bias_interval=ConfidenceInterval(float(bias.low), float(bias.high)),
        bias_p_value=float(bias.p_value),
        trust=float(trust),
        worth=float(n_labelled * (width_alone / width) ** 2) if known else np.nan,
        random_p_value=float(random_p_value),
    )
