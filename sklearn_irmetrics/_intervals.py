"""Standard errors and confidence intervals."""

from typing import NamedTuple

import numpy as np
from scipy import stats


class ConfidenceInterval(NamedTuple):
    """Two ends of an interval.

    Attributes
    ----------
    low, high : float
        The ends; NaN where the data do not allow an interval.
    """

    low: float
    high: float


UNKNOWN = ConfidenceInterval(float("nan"), float("nan"))
_BATCH_CELLS = 2**22
_DRAWS = 2_000_000
_MANY = 5000


def query_interval(values, *, rng, weights=None, confidence_level, n_resamples=None):
    """Return standard error and interval of a mean over queries.

    The interval is that of the BCa bootstrap. Over more than 5000 queries the mean is
    normal for all practical purposes, and the t interval takes its place.

    Parameters
    ----------
    values : ndarray of shape (n_queries,)
        One value per query, none undefined.
    rng : numpy.random.Generator
        What draws the resamples.
    weights : ndarray of shape (n_queries,) or None
        One weight per query.
    confidence_level : float
        Such as 0.95.
    n_resamples : int or None, default=None
        Number of bootstrap resamples. None: from 9999 for few queries to 1999 for many.

    Returns
    -------
    standard_error : float
    interval : ConfidenceInterval
    method : str
        How the interval was made.

    References
    ----------
    B. Efron, "Better Bootstrap Confidence Intervals", JASA 82 (1987).
    """
    n = len(values)
    method = f"BCa bootstrap over {n} queries"
    if n < 2:
        return float("nan"), UNKNOWN, method
    if np.ptp(values) <= 1e-12 * np.abs(values).max():  # BCa divides by the spread
        same = float(values[0])
        return 0.0, ConfidenceInterval(same, same), method
    if weights is None:
        mean = values.mean()
        standard_error = float(values.std(ddof=1) / np.sqrt(n))
    else:
        mean = np.average(values, weights=weights)
        residuals = weights * (values - mean)
        variance = n / (n - 1) * (residuals**2).sum()
        standard_error = float(np.sqrt(variance) / weights.sum())
    if n > _MANY:
        reach = stats.t.ppf((1 + confidence_level) / 2, n - 1) * standard_error
        interval = ConfidenceInterval(float(mean - reach), float(mean + reach))
        return standard_error, interval, f"t over {n} queries"
    if n_resamples is None:
        n_resamples = min(max(_DRAWS // n, 1999), 9999)
    # SciPy warns where powers of the spread underflow: it is brought near 1, exactly.
    exponent = -np.frexp(np.ptp(values))[1]
    data = (np.ldexp(values, exponent),)
    found = stats.bootstrap(
        data if weights is None else (*data, weights),
        np.mean if weights is None else _weighted_mean,
        paired=weights is not None,
        vectorized=True,
        n_resamples=n_resamples,
        batch=max(1, _BATCH_CELLS // n),
        confidence_level=confidence_level,
        random_state=rng,
    ).confidence_interval
    ends = np.ldexp([float(end) for end in found], -exponent).tolist()
    return standard_error, ConfidenceInterval(*ends), method


def _weighted_mean(values, weights, axis=-1):
    return (values * weights).sum(axis=axis) / weights.sum(axis=axis)


def corrected_t_interval(scores, test_share, confidence_level):
    """Return standard error and interval of a mean over splits that share data.

    The variance of the mean of `n` splits is taken as ``(1 / n + test / train)``
    times that of the scores, which makes up for training sets that overlap.

    Parameters
    ----------
    scores : ndarray of shape (n_splits,)
        One score, or difference of scores, per split.
    test_share : float
        Number of test units divided by number of training units.
    confidence_level : float
        Such as 0.95.

    Returns
    -------
    standard_error : float
    interval : ConfidenceInterval

    References
    ----------
    C. Nadeau and Y. Bengio, "Inference for the Generalization Error", Machine Learning
    52 (2003).
    """
    scores = scores[~np.isnan(scores)]
    n = len(scores)
    if n < 2:
        return float("nan"), UNKNOWN
    mean = scores.mean()
    standard_error = np.sqrt((1 / n + test_share) * scores.var(ddof=1))
    reach = stats.t.ppf((1 + confidence_level) / 2, n - 1) * standard_error
    return float(standard_error), ConfidenceInterval(
        float(mean - reach), float(mean + reach)
    )


def percentile_interval(replicates, confidence_level):
    """Return the spread and the percentile interval of bootstrap replicates."""
    replicates = replicates[~np.isnan(replicates)]
    if len(replicates) < 2:
        return float("nan"), UNKNOWN
    tail = (1 - confidence_level) / 2
    low, high = np.quantile(replicates, [tail, 1 - tail])
    return float(replicates.std(ddof=1)), ConfidenceInterval(float(low), float(high))


def split_interval(scores, test_share, *, confidence_level):
    """Return standard error, interval and its name of a mean over splits."""
    found = corrected_t_interval(scores, float(np.mean(test_share)), confidence_level)
    n = int((~np.isnan(scores)).sum())
    how = f"corrected resampled t over {n} splits" if n > 1 else "none: one score"
    return *found, how


def replicate_interval(replicates, *, confidence_level):
    """Return standard error, interval and its name from bootstrap replicates."""
    found = percentile_interval(replicates, confidence_level)
    return *found, f"percentiles of {len(replicates)} bootstrap replicates"
