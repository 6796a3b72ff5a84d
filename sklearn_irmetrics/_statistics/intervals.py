"""Standard errors and confidence intervals: every rule stands here, once."""

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
# Simulated with scores as skewed as those of rankings, BCa intervals of fewer than 20
# queries are too narrow; with more than 1000 they equal t intervals and take seconds.
_FEW, _MANY = 20, 1000


def interval_of_mean(
    values, *, weights=None, groups=None, bounds=None, confidence_level, rng
):
    """Return standard error, interval and its name of a mean over queries.

    What every interval of a mean over queries in this package is: the BCa bootstrap
    from 20 to 1000 queries, t for fewer and for more. It does not depend on the order
    of the queries. Where queries come in groups, it is that of the means of the groups,
    each weighed by its queries.

    Parameters
    ----------
    values : ndarray of shape (n_queries,)
        One value per query, none undefined.
    weights : ndarray of shape (n_queries,), default=None
        One positive weight per query.
    groups : int array of shape (n_queries,), default=None
        The group of each query; None: each is one of its own.
    bounds : tuple of float, default=None
        Range of the values, to which the interval is cut; None: unknown. Values
        outside (such as what stands in for undefined ones) widen it.
    confidence_level : float
        Such as 0.95.
    rng : numpy.random.Generator or int
        What draws the resamples, or its seed.

    Returns
    -------
    standard_error : float
    interval : ConfidenceInterval
    how : str
        How the interval was made.
    """
    units = "queries"
    if groups is not None:
        units = "groups"
        values, weights = means_of_groups(values, weights, groups)
    n = len(values)
    if n < 2:
        return float("nan"), UNKNOWN, f"none: fewer than two {units}"
    order = np.lexsort((values,) if weights is None else (weights, values))
    values, weights = values[order], None if weights is None else weights[order]
    if are_alike(values):
        same = float(values[0])
        return 0.0, ConfidenceInterval(same, same), f"all {n} {units} alike"
    method = "BCa bootstrap" if _FEW <= n <= _MANY else "t"
    error, ends = mean_interval(
        values, weights, method=method, confidence_level=confidence_level, rng=rng
    )
    return error, _cut(ends, bounds, values), f"{method} over {n} {units}"


def means_of_groups(values, weights, groups):
    """Return the mean of each group and its weight, None where all weigh the same."""
    _, codes = np.unique(groups, return_inverse=True)
    weights = np.ones(len(values)) if weights is None else weights
    totals = np.bincount(codes, weights)
    means = np.bincount(codes, weights * values) / totals
    return means, None if (totals == totals[:1]).all() else totals


def interval_of_geometric_mean(values, *, floor, bounds=None, **options):
    """Return what `interval_of_mean` does, made of logarithms.

    The standard error is that of the mean logarithm. `floor` stands in for smaller
    values.
    """
    if not len(values):
        return interval_of_mean(values, **options)
    values = np.maximum(values, floor)
    error, ends, how = interval_of_mean(np.log(values), **options)
    return error, _cut(np.exp(ends), bounds, values), how


def pointwise_t_intervals(values, weights=None, *, bounds=None, confidence_level):
    """Return the t interval over queries at every point of a curve, of its own.

    Each point alone is covered at the level, not the curve as a whole.

    Parameters
    ----------
    values : ndarray of shape (n_queries, n_points)
        NaN where undefined.
    weights : ndarray of shape (n_queries,), default=None
        One weight per query.
    bounds : tuple of float, default=None
        Range of the values, to which intervals are cut.
    confidence_level : float
        Such as 0.95.

    Returns
    -------
    ndarray of shape (2, n_points)
        Low and high ends; NaN where fewer than two values are defined.
    """
    weights = np.ones(len(values)) if weights is None else weights
    weights = np.where(np.isnan(values), 0.0, weights[:, np.newaxis])
    n = np.count_nonzero(weights, axis=0)
    mean, error = _mean_and_error(np.nan_to_num(values), weights, n)
    error[n < 2] = np.nan
    ends = np.stack(_t_ends(mean, error, np.maximum(n, 2), confidence_level))
    return ends if bounds is None else np.clip(ends, *bounds)


def mean_interval(values, weights=None, *, method, confidence_level, rng):
    """Return standard error and interval of the mean of values that differ.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Two or more.
    weights : ndarray of shape (n,), default=None
        Positive.
    method : {"t", "BCa bootstrap"}
        Which.
    confidence_level : float
        Such as 0.95.
    rng : numpy.random.Generator or int
        What draws the resamples, or its seed.

    Returns
    -------
    standard_error : float
    interval : ConfidenceInterval

    References
    ----------
    B. Efron, "Better Bootstrap Confidence Intervals", JASA 82 (1987).
    """
    n = len(values)
    # Powers of the spread may underflow: it is brought near 1, exactly.
    exponent = np.frexp(np.ptp(values))[1]
    values = np.ldexp(values, -exponent)
    mean, error = _mean_and_error(values, np.ones(n) if weights is None else weights, n)
    if method == "t":
        ends = _t_ends(mean, error, n, confidence_level)
    else:
        ends = _bootstrap(
            values,
            weights,
            n_resamples=min(max(_DRAWS // n, 1999), 9999),
            confidence_level=confidence_level,
            rng=np.random.default_rng(rng),
        ).confidence_interval
    error, *ends = np.ldexp([error, *ends], exponent).tolist()
    return error, ConfidenceInterval(*ends)


def bootstrap_means(values, weights=None, *, n_resamples, rng):
    """Return means over queries drawn with repeats."""
    found = _bootstrap(
        values, weights, method="percentile", n_resamples=n_resamples, rng=rng
    )
    return found.bootstrap_distribution


def are_alike(values):
    """Whether values differ by rounding at most."""
    return np.ptp(values) <= 1e-12 * np.abs(values).max()


def _bootstrap(values, weights, *, rng, **options):
    return stats.bootstrap(
        (values,) if weights is None else (values, weights),
        np.mean if weights is None else _weighted_mean,
        paired=weights is not None,
        vectorized=True,
        batch=max(1, _BATCH_CELLS // len(values)),
        random_state=rng,
        **options,
    )


def _weighted_mean(values, weights, axis=-1):
    return (values * weights).sum(axis=axis) / weights.sum(axis=axis)


def _mean_and_error(values, weights, n):
    """Return mean and standard error along the first axis, of `n` values each."""
    total = weights.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (weights * values).sum(axis=0) / total
        squares = ((weights * (values - mean)) ** 2).sum(axis=0)
        return mean, np.sqrt(n / (n - 1) * squares) / total


def _t_ends(mean, standard_error, n, confidence_level):
    reach = stats.t.ppf((1 + confidence_level) / 2, n - 1) * standard_error
    return mean - reach, mean + reach


def _cut(ends, bounds, values):
    if bounds is not None:
        low, high = min(bounds[0], values.min()), max(bounds[1], values.max())
        ends = np.clip(ends, low, high)
    return ConfidenceInterval(*map(float, ends))


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
    error = float(np.sqrt((1 / n + test_share) * scores.var(ddof=1)))
    ends = _t_ends(scores.mean(), error, n, confidence_level)
    return error, ConfidenceInterval(*map(float, ends))


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
