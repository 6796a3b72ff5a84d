"""Standard errors and confidence intervals: all rules in one place."""

from typing import NamedTuple

import numpy as np
from scipy import stats

from sklearn_irmetrics._statistics.batches import batch_size
from sklearn_irmetrics._statistics.bounded import (
    betting_limit,
    dirichlet_limit,
    two_sided,
)
from sklearn_irmetrics._statistics.samples import Sample, near_one
from sklearn_irmetrics._statistics.units import (
    freedom_of,
    means_of_groups,
    units_of,
    weigh,
)


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
_DRAWS = 2_000_000
# With fewer units, an interval depends more on the range of the values than on them.
_FEW = 7
LIMITS = {
    "betting": ("betting", betting_limit),
    "dirichlet": ("Dirichlet limits", dirichlet_limit),
}


def interval_of_mean(
    values,
    *,
    weights=None,
    groups=None,
    bounds=None,
    confidence_level,
    rng,
    method="auto",
    units="queries",
    end_weight=1.0,
):
    """Return standard error, interval and its name for a mean over queries.

    Every interval of a mean over queries in this package follows this rule: t of the
    values and one more at each end of their range, as Agresti and Coull add successes
    and failures to proportions. The two stand for values that few queries may miss, and
    weigh as much as one query each. The order of the queries does not matter. If
    queries come in groups, the interval is that of the group means, each weighed by its
    queries.

    Values without a known range have the plain t interval. The guide shows simulated
    coverage, computed by ``benchmarks/interval_coverage.py``.

    Parameters
    ----------
    values : ndarray of shape (n_queries,)
        One value per query, none undefined.
    weights : ndarray of shape (n_queries,), default=None
        One positive weight per query.
    groups : int array of shape (n_queries,), default=None
        The group of each query; None: each query is a group.
    bounds : tuple of float, default=None
        Range of the values, to which the interval is cut; None: unknown. Values
        outside (such as replacements of undefined ones) widen it.
    confidence_level : float
        Such as 0.95.
    rng : numpy.random.Generator or int
        Generator of the resamples of "bca", or its seed.
    method : {"auto", "t", "bca", "betting", "dirichlet"}, default="auto"
        The rule above, plain t, the BCa bootstrap, or the limits of `bounded`.
    units : str, default="queries"
        What the values belong to.
    end_weight : float, default=1.0
        Weight of each added value, relative to the mean weight of a value.

    Returns
    -------
    standard_error : float
    interval : ConfidenceInterval
    how : str
        How the interval was made.

    References
    ----------
    A. Agresti and B. Coull, "Approximate Is Better than 'Exact' for Interval Estimation
    of Binomial Proportions", The American Statistician 52 (1998).

    R. Bell and D. McCaffrey, "Bias Reduction in Standard Errors for Linear Regression
    with Multi-Stage Samples", Survey Methodology 28 (2002).
    """
    if groups is not None and len(np.unique(groups)) < len(values):
        units = "groups"
        values, weights = means_of_groups(values, weights, groups)
    order = np.lexsort((values,) if weights is None else (weights, values))
    values = values[order]
    weights = None if weights is None else weights[order] / weights.max(initial=0.0)
    return interval_of_sample(
        Sample(values, weights),
        bounds=bounds,
        confidence_level=confidence_level,
        units=units,
        method=method,
        rng=rng,
        end_weight=end_weight,
    )


def interval_of_sample(
    sample, *, bounds, confidence_level, units, method="auto", rng=0, end_weight=1.0
):
    """Return what `interval_of_mean` does, from values or from sums of them.

    Parameters
    ----------
    sample : Sample or Moments
        Methods other than "auto" and "t" need a `Sample`, which holds all values.
    bounds, confidence_level, units, method, rng, end_weight
        As for `interval_of_mean`.
    """
    n = sample.n
    if n < 2:
        return float("nan"), UNKNOWN, f"none: fewer than two {units}"
    error, ends = sample.t(confidence_level)
    ends, extremes = ConfidenceInterval(*ends), np.array([sample.least, sample.most])
    low, high = _widened(bounds, extremes)
    has_range = np.isfinite([low, high]).all()
    needs_range = method in LIMITS
    uses_range = has_range and (needs_range or method == "auto")
    if method not in ("t", "bca") and n < 3:
        return error, UNKNOWN, f"none: fewer than three {units}"
    if np.isnan(error):
        return error, UNKNOWN, f"none: one of the {units} has all the weight"
    if needs_range and not has_range:
        return error, UNKNOWN, "none: the range of the values is unknown"
    if are_alike(extremes) and not uses_range:
        return error, UNKNOWN, f"none: all {n} {units} alike"
    how = f"t over {n} {units}"
    if method == "bca":
        how = f"BCa bootstrap over {n} {units}"
        ends = _bca_interval(sample.values, sample.weights, confidence_level, rng)
    elif needs_range:
        name, limit = LIMITS[method]
        how = f"{name} over {n} {units} and the range"
        given = sample.values, sample.weights, (low, high)
        ends = two_sided(limit, *given, confidence_level)
    elif uses_range:
        width = ends.high - ends.low
        ends = sample.t_with_ends((low, high), confidence_level, end_weight)
        how += _with_range(n, ends[1] - ends[0], width)
    return error, cut_to_range(ends, bounds, extremes), how


def interval_of_strata(
    values, strata, *, weights, groups, bounds, confidence_level, method, units
):
    """Return what `interval_of_mean` does, for the mean of the stratum means.

    It is t with the stratified error and Satterthwaite's degrees of freedom. Each value
    added at an end of the range weighs as much as the heaviest unit, and has one degree
    of freedom. The limits of `bounded` hold for values of any distributions, so they
    need only the weights that follow from the strata.

    References
    ----------
    F. E. Satterthwaite, "An approximate distribution of estimates of variance
    components", Biometrics Bulletin 2 (1946).
    """
    columns, weights, strata = units_of(values[:, np.newaxis], weights, groups, strata)
    n, sizes = len(columns), np.bincount(strata)
    units = units if groups is None else "groups"
    if sizes.min() < 2:
        return float("nan"), UNKNOWN, f"none: a stratum has fewer than two {units}"
    low, high = _widened(bounds, columns)
    uses_range = method != "t" and bool(np.isfinite([low, high]).all())
    parts = weigh(columns, weights, strata)
    mean, variance = parts.mean(), parts.var(ddof=1) / n
    error = float(np.sqrt(variance))
    name, limit = LIMITS.get(method, ("t", None))
    if not uses_range and (limit is not None or are_alike(parts)):
        return error, UNKNOWN, "none: nothing varies, or the range is unknown"
    how = f"{name} over {n} {units} in {len(sizes)} strata"
    if limit is not None:
        how += " and the range"
        values, bounds_used = columns[:, 0], (low, high)
        ends = two_sided(limit, values, weights, bounds_used, confidence_level)
        return error, cut_to_range(ends, bounds, columns), how
    ends, share = np.array([low, high]), weights.max() / n
    if not uses_range:
        ends, share = np.zeros(2), 0.0
    terms = np.array([variance, *np.square(share * (ends - mean))])
    freedom = np.append(freedom_of(parts, strata), [1, 1])
    df = terms.sum() ** 2 / (terms**2 / freedom).sum()
    plain, quantile = stats.t.ppf((1 + confidence_level) / 2, [freedom[0], df])
    reach = quantile * np.sqrt(terms.sum())
    how += _with_range(n, reach, plain * error) if uses_range else ""
    center = (mean + share * ends.sum()) / (1 + 2 * share)
    ends = min(center - reach, mean), max(center + reach, mean)
    return error, cut_to_range(ends, bounds, columns), how


def _with_range(n, width, plain):
    """Return the words for an interval that uses the range, and is `plain` without."""
    decides = n < _FEW or width > 2 * plain
    return " and the range" + ", which decides its width" * bool(decides)


def interval_of_geometric_mean(values, *, floor, bounds=None, **options):
    """Return what `interval_of_mean` does, computed from logarithms.

    The standard error is that of the mean logarithm. Values below `floor` count as
    `floor`.
    """
    values = np.maximum(values, floor)
    log_bounds = None
    if bounds is not None:
        log_bounds = tuple(np.log(np.maximum(bounds, floor)).tolist())
    error, ends, how = interval_of_mean(np.log(values), bounds=log_bounds, **options)
    return error, ConfidenceInterval(*np.exp(ends).tolist()), how


def interval_of_influences(
    estimate, influences, *, n_units, bounds=None, units, how, **options
):
    """Return standard error, interval and its name from influences on an estimate.

    They are those of a mean over pseudo-values, ``estimate + n * influence``.

    Parameters
    ----------
    estimate : float
        The estimate.
    influences : ndarray of shape (n,)
        How far each unit (or block of them) moves it; for a mean,
        ``(value - mean) / n``.
    n_units : int
        Number of units, each of which weighs as much as an added value.
    bounds : tuple of float, default=None
        Range of the estimate; None: unknown. It is ignored if the estimate lies
        outside.
    units, how : str
        Names of the units or blocks, and of the method behind the influences.
    **options
        As for `interval_of_mean`.
    """
    if np.isnan(estimate):
        return float("nan"), UNKNOWN, "none: the estimate is undefined"
    if bounds is not None and abs(estimate - np.clip(estimate, *bounds)) > 1e-9:
        bounds = None  # with negative gains, for example, the range is unknown
    n = len(influences)
    pseudo = estimate + n * (influences - influences.sum() / max(n, 1))
    error, ends, name = interval_of_mean(
        pseudo, bounds=bounds, units=units, rng=0, end_weight=n / n_units, **options
    )
    ends = cut_to_range(ends, bounds, np.array([estimate]))
    return error, ends, name if name.startswith("none") else how + name


def pointwise_intervals(values, weights=None, *, confidence_level, **options):
    """Return an interval over queries for every point of a curve.

    The level holds for each point alone, not for the curve as a whole.

    Parameters
    ----------
    values : ndarray of shape (n_queries, n_points)
        NaN where undefined.
    weights : ndarray of shape (n_queries,), default=None
        One weight per query.
    confidence_level : float
        Such as 0.95.
    **options
        As for `interval_of_mean`.

    Returns
    -------
    ndarray of shape (2, n_points)
        Low and high ends as from `interval_of_mean`; NaN where fewer than three values
        are defined.
    """
    ends = np.full((2, values.shape[1]), np.nan)
    counted = ~np.isnan(values)
    if weights is not None:
        counted &= weights[:, np.newaxis] > 0
    for point, (column, defined) in enumerate(zip(values.T, counted.T, strict=True)):
        ends[:, point] = interval_of_mean(
            column[defined],
            weights=None if weights is None else weights[defined],
            confidence_level=confidence_level,
            rng=0,
            **options,
        )[1]
    return ends


def _bca_interval(values, weights, confidence_level, rng):
    """Return the BCa bootstrap interval of the mean of two values or more.

    References
    ----------
    B. Efron, "Better Bootstrap Confidence Intervals", JASA 82 (1987).
    """
    values, exponent = near_one(values)
    found = stats.bootstrap(
        (values,) if weights is None else (values, weights),
        np.mean if weights is None else _weighted_mean,
        paired=weights is not None,
        vectorized=True,
        batch=batch_size(len(values)),
        random_state=np.random.default_rng(rng),
        n_resamples=min(max(_DRAWS // len(values), 1999), 9999),
        confidence_level=confidence_level,
    )
    return np.ldexp(found.confidence_interval, exponent)


def are_alike(values):
    """Whether values differ at most by rounding."""
    spread = values.max() / 2 - values.min() / 2
    return spread <= 0.5e-12 * np.abs(values).max()


def _weighted_mean(values, weights, axis):
    weights = weights / weights.max(axis=axis, keepdims=True)  # sums may overflow
    return (values * weights).sum(axis=axis) / weights.sum(axis=axis)


def cut_to_range(ends, bounds, values):
    """Return ends cut to the range of a measure; values outside widen it."""
    return ConfidenceInterval(*np.clip(ends, *_widened(bounds, values)).tolist())


def _widened(bounds, values):
    low, high = (-np.inf, np.inf) if bounds is None else bounds
    return min(low, values.min()), max(high, values.max())


def no_interval(why, *, confidence_level):
    """Return, in the form of other intervals, that there is none, and why."""
    return float("nan"), UNKNOWN, f"none: {why}"
