"""A mean over all units, of which people labelled some and a judge all of them."""

from typing import NamedTuple

import numpy as np
from scipy import stats

# With fewer labelled units there is no interval.
FEWEST = 3
# A value counts as one at an end of the range within so much of the range.
_NEAR = 0.1


class JudgedMean(NamedTuple):
    """An estimated mean, for each row of values.

    Attributes
    ----------
    estimate, low, high : ndarray
        The mean and its interval.
    p_value : ndarray
        Of the mean being 0: at most 1 - `confidence_level` where 0 lies outside.
    trust : ndarray
        How far the judge is followed, from 0 to 1.
    """

    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p_value: np.ndarray
    trust: np.ndarray


def judged_mean(
    f, h, mean_all, n_all, bounds, *, confidence_level, weights=None, judge=True
):
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
    confidence_level : float
        Such as 0.95.
    weights : ndarray of shape (n,), default=None
        Positive weights of the labelled units.
    judge : bool, default=True
        Whether to use the judge at all.

    Returns
    -------
    JudgedMean

    References
    ----------
    W. G. Cochran, "Sampling Techniques", 3rd edition, Wiley 1977, chapter 12.

    A. N. Angelopoulos, J. C. Duchi and T. Zrnic, "PPI++: Efficient Prediction-Powered
    Inference", arXiv 2311.01453 (2023).
    """
    n = f.shape[-1]
    u = np.ones(n) if weights is None else weights / weights.mean()
    around_f = f - (u * f).mean(-1, keepdims=True)
    around_h = h - (u * h).mean(-1, keepdims=True)
    together, own = ((u * around_h * one).sum(-1) for one in (around_f, around_h))
    varies = own > 1e-12 * n
    trust = np.where(varies, together / np.where(varies, own, 1), 0).clip(0, 1)
    trust = trust if judge else 0 * trust
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
    error = np.sqrt(variance)
    freedom = n**2 / (u**2).sum() + 2 * weight - lost
    reach = stats.t.ppf((1 + confidence_level) / 2, freedom) * error
    low = np.minimum(centre - reach, estimate).clip(*bounds)
    high = np.maximum(centre + reach, estimate).clip(*bounds)
    p_value = 2 * stats.t.sf(np.abs(centre) / error, freedom)
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
