"""Standard errors and confidence intervals: all rules in one place."""

from typing import NamedTuple

import numpy as np
from scipy import optimize, special, stats

from sklearn_irmetrics._statistics.draws import are_alike, batch_size
from sklearn_irmetrics._statistics.moments import WeightedSums
from sklearn_irmetrics._statistics.units import (
    freedom_of,
    means_of_groups,
    units_of,
    weigh,
)


class Sample:
    """Values and their weights, or None, in a fixed order."""

    def __init__(self, values, weights):
        self.values, self.weights, self.n = values, weights, len(values)
        self.least, self.most = values.min(initial=np.inf), values.max(initial=-np.inf)

    @property
    def n_effective(self):
        """Kish's effective number of values."""
        if self.weights is None:
            return self.n
        return self.weights.sum() ** 2 / np.square(self.weights).sum()

    @property
    def is_concentrated(self):
        """Whether a tenth of the values makes four fifths of their spread.

        Values of two sizes, one of which is 0, do not count.
        """
        values, _ = near_one(self.values)
        mean = np.average(values, weights=self.weights)
        squares = (1.0 if self.weights is None else self.weights) * (values - mean)
        squares = np.sort(squares**2)
        most = squares[-max(1, round(self.n / 10)) :].sum()
        return most > 0.8 * squares.sum() and len(np.unique(np.abs(values))) > 2

    def t_interval(self, confidence_level):
        """Return standard error and t interval of the mean."""
        values, exponent = near_one(self.values)
        sums = WeightedSums.of(values, self.weights)
        error, ends = sums.t_interval(confidence_level)
        with np.errstate(over="ignore"):
            error, *ends = np.ldexp([error, *ends], exponent).tolist()
        return error, tuple(ends)

    def t_with_ends(self, ends, confidence_level, end_weight):
        """Return the t interval with one more value at each end of the range."""
        scaled, exponent = near_one(np.append(self.values, ends))
        sums = WeightedSums.of(scaled[: self.n], self.weights)
        interval = sums.t_with_ends(scaled[self.n :], confidence_level, end_weight)
        with np.errstate(over="ignore"):
            return tuple(np.ldexp(interval, exponent).tolist())


def near_one(values):
    """Return values divided exactly by a power of two, and its exponent.

    Powers of very large or small values could overflow.
    """
    exponent = np.frexp(np.abs(values).max())[1]
    return np.ldexp(values, -exponent), exponent


# Assumed spreads as shares of the range, and how the wealth is divided among them.
_SPREADS = np.array([0.3, 0.1, 0.03])
_DIVIDED = np.array([0.7, 0.2, 0.1])
_LARGEST_SHARE = 0.85


def betting_limit(values, weights, alpha):
    """Return the lower limit by betting against each mean with fixed stakes.

    The wealth against a mean of at most m is the mean of three products of ``1 + stake
    * weight * (value - m)``, whose stakes do not depend on the values. For independent
    values of any distributions with mean m, its expectation is at most 1 (the geometric
    mean of the factors is at most the arithmetic one), so it reaches ``1 / alpha`` with
    a probability of at most alpha (Markov).

    Parameters
    ----------
    values : ndarray of shape (n,)
        From 0 to 1.
    weights : ndarray of shape (n,)
        Positive.
    alpha : float
        Error of the limit.

    Returns
    -------
    float

    References
    ----------
    I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by
    betting", JRSS B 86 (2024).
    """
    shares = weights / weights.max()
    stakes = np.sqrt(2 * np.log(1 / alpha) / (shares**2).sum()) / _SPREADS

    def excess(mean):
        bets = np.minimum(stakes, _LARGEST_SHARE / mean)
        factors = 1 + np.multiply.outer(bets, shares * (values - mean))
        return -np.log(alpha) - special.logsumexp(
            np.log(factors).sum(axis=1), b=_DIVIDED
        )

    # The excess rises between 0 and the mean.
    mean = np.average(values, weights=weights)
    near, top = 1e-9 * mean, mean * (1 - 1e-9)
    if mean <= 1e-12 or excess(near) >= 0:
        return 0.0
    return top if excess(top) <= 0 else optimize.brentq(excess, near, top, xtol=1e-10)


def betting_interval(values, weights, bounds, confidence_level):
    """Return both ends of the interval of a mean by `betting_limit`."""
    low, high = bounds
    weights = np.ones(len(values)) if weights is None else weights
    shares = (values - low) / (high - low)
    alpha = (1 - confidence_level) / 2
    upper = 1 - betting_limit(1 - shares, weights, alpha)
    ends = betting_limit(shares, weights, alpha), upper
    return tuple(low + (high - low) * end for end in ends)


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
# A stratum of fewer units hardly shows its spread.
FEW_IN_STRATUM = 10


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

    Every interval of a mean in this package follows this rule: t of the values and one
    more at each end of their range, as Agresti and Coull add successes and failures to
    proportions. The two stand for values that few queries may miss. Each weighs
    ``z**2 / 4`` times as much as a typical query, ``sum(w**2) / sum(w)``, where z is
    the normal quantile of the level: 0.96 times at 95 %. The degrees of freedom are
    Kish's effective number of queries less 1. The order of the queries does not
    matter. If queries come in groups, the interval is that of the group means, each
    weighed by its queries.

    Values without a known range have the plain t interval. The guide shows simulated
    coverage, computed by ``docs/evidence/interval_coverage.py``.

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
    method : {"auto", "t", "bca", "betting"}, default="auto"
        The rule above, plain t, the BCa bootstrap, or `betting_limit`.
    units : str, default="queries"
        What the values belong to.
    end_weight : float, default=1.0
        How much of a typical value counts as one unit, if values are means of blocks.

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

    L. Kish, "Survey Sampling", Wiley (1965).
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
    """Return the interval of a mean of values, or of sums of them.

    See `interval_of_mean`.

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
    error, ends = sample.t_interval(confidence_level)
    ends, extremes = ConfidenceInterval(*ends), np.array([sample.least, sample.most])
    low, high = _widened(bounds, extremes)
    has_range = bool(np.isfinite([low, high]).all())
    uses_range = has_range and method in ("auto", "betting")
    if n < 3:
        return error, UNKNOWN, f"none: fewer than three {units}"
    if np.isnan(error):
        return error, UNKNOWN, f"none: one of the {units} has all the weight"
    if method == "betting" and not has_range:
        return error, UNKNOWN, "none: the range of the values is unknown"
    if are_alike(extremes) and not uses_range:
        return error, UNKNOWN, f"none: all {n} {units} alike"
    how = f"t over {n} {units}"
    if method == "bca":
        how = f"BCa bootstrap over {n} {units}"
        ends = _bca_interval(sample.values, sample.weights, confidence_level, rng)
    elif method == "betting":
        how = f"betting over {n} {units} and range limits"
        ends = betting_interval(
            sample.values, sample.weights, (low, high), confidence_level
        )
    elif uses_range:
        width = ends.high - ends.low
        ends = sample.t_with_ends((low, high), confidence_level, end_weight)
        n_effective = sample.n_effective / end_weight
        how += range_note(n_effective, ends[1] - ends[0], width)
    elif method == "auto" and bounds is not None and sample.is_concentrated:
        how += ", of which a tenth makes most of the spread"
    return error, cut_to_range(ends, bounds, extremes), how


def interval_of_strata(
    values, strata, *, weights, groups, bounds, confidence_level, method, units
):
    """Return standard error, interval and its name of the mean of the stratum means.

    It is t with the stratified error and Satterthwaite's degrees of freedom. Each value
    added at an end of the range weighs as much as the heaviest unit, and has one degree
    of freedom. `betting_limit` holds for values of any distributions, so it needs only
    the weights that follow from the strata.

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
    varies = not all(
        are_alike(columns[strata == stratum]) for stratum in np.unique(strata)
    )
    mean, variance = parts.mean(), parts.var(ddof=1) / n if varies else 0.0
    error = float(np.sqrt(variance))
    if not uses_range and (method == "betting" or not varies):
        return error, UNKNOWN, "none: nothing varies, or the range is unknown"
    how = f"over {n} {units} in {len(sizes)} strata"
    if method == "betting":
        how = f"betting {how} and range limits"
        ends = betting_interval(columns[:, 0], weights, (low, high), confidence_level)
        return error, cut_to_range(ends, bounds, columns), how
    ends, share = np.array([low, high]), weights.max() / n
    if not uses_range:
        ends, share = np.zeros(2), 0.0
    terms = np.array([variance, *np.square(share * (ends - mean))])
    freedom = freedom_of(parts, strata)
    df = terms.sum() ** 2 / (terms**2 / np.append(freedom, [1, 1])).sum()
    quantiles = stats.t.ppf((1 + confidence_level) / 2, [*freedom, df])
    plain, reach = quantiles * np.sqrt([variance, terms.sum()])  # half widths
    center = (mean + share * ends.sum()) / (1 + 2 * share)
    ends = min(center - reach, mean), max(center + reach, mean)
    how = f"t {how}"
    if uses_range:
        how += range_note(n, reach, plain)
    elif sizes.min() < FEW_IN_STRATUM:
        how += f", inaccurate as one has only {sizes.min()}"
    return error, cut_to_range(ends, bounds, columns), how


def range_note(n, width, plain):
    """Return the words for an interval that uses the range, and is `plain` without.

    `n` is the number of units that count, or Kish's effective number of them.
    """
    decides = n < _FEW or width > 2 * plain
    return ", widened by the measure's range" if decides else " and range limits"


def interval_of_geometric_mean(values, *, floor, weights=None, bounds=None, **options):
    """Return the interval of a geometric mean, by way of logarithms.

    See `interval_of_mean`.

    The standard error is the geometric mean times that of the mean logarithm, to first
    order. Values below `floor` count as `floor`.
    """
    logs = np.log(np.maximum(values, floor))
    log_bounds = None
    if bounds is not None:
        log_bounds = tuple(np.log(np.maximum(bounds, floor)).tolist())
    error, ends, how = interval_of_mean(
        logs, weights=weights, bounds=log_bounds, **options
    )
    mean = np.exp(np.average(logs, weights=weights)) if len(logs) else np.nan
    return float(mean * error), ConfidenceInterval(*np.exp(ends).tolist()), how


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
        Number of units that count: one of them is compared with an added value. Where
        the units are of two classes, and the estimate needs both, those of the rarer.
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


def unit_influences(split_scores, left, splits, units, n_units):
    """Return the influence of each unit on the mean of the scores of splits.

    For a mean over units, that is ``(value - mean) / n_units``.

    Parameters
    ----------
    split_scores : ndarray of shape (n_splits,)
        The scores.
    left : ndarray of shape (n_pairs,)
        The score of a split without one of its units, for each split and unit.
    splits, units : int array of shape (n_pairs,)
        The split and the unit.
    n_units : int
        How many units there are.
    """
    sizes = np.bincount(splits)[splits]
    # The variance inside a split is that of its own units.
    freedom = (1 - 1 / n_units) / (1 - 1 / np.maximum(sizes, 2))
    changes = (split_scores[splits] - left) * (1 - 1 / sizes) * np.sqrt(freedom)
    return np.bincount(units, changes / len(split_scores), minlength=n_units)


def reach_of_sum(errors, freedoms, confidence_level):
    """Return the half-width of a t interval of a sum of independent estimates."""
    variances = np.square(errors)
    if not variances.any():
        return 0.0
    freedom = variances.sum() ** 2 / (variances**2 / freedoms).sum()
    quantile = stats.t.ppf((1 + confidence_level) / 2, freedom)
    return quantile * np.sqrt(variances.sum())


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
    bootstrap = stats.bootstrap(
        (values,) if weights is None else (values, weights),
        np.mean if weights is None else _weighted_mean,
        paired=weights is not None,
        vectorized=True,
        batch=batch_size(len(values)),
        random_state=np.random.default_rng(rng),
        n_resamples=min(max(_DRAWS // len(values), 1999), 9999),
        confidence_level=confidence_level,
    )
    return np.ldexp(bootstrap.confidence_interval, exponent)


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


def percentile_interval(replicates, confidence_level, how):
    """Return the spread of bootstrap replicates, their percentile interval, its name.

    If all replicates are alike, there is no interval.
    """
    replicates = replicates[~np.isnan(replicates)]
    if len(replicates) < 2:
        return float("nan"), UNKNOWN, "none: fewer than two resamples are defined"
    if are_alike(replicates):
        return 0.0, UNKNOWN, "none: all resamples alike"
    tail = (1 - confidence_level) / 2
    low, high = np.quantile(replicates, [tail, 1 - tail])
    ends = ConfidenceInterval(float(low), float(high))
    return float(replicates.std(ddof=1)), ends, how


def _why_splits_tell_nothing(scores, n_splits, freedom, kind):
    """Return the reason why splits or replicates allow no interval, or None."""
    if n_splits == 1:
        return "one score"
    if len(scores) < 2:
        return f"fewer than two {kind} with a score"
    if are_alike(scores):
        return f"all {len(scores)} {kind} alike"
    return "fewer than two units" if freedom < 1 else None


def split_interval(
    scores, test_share, *, around=None, n_units=None, bounds=None, confidence_level
):
    """Return standard error, interval and its name for a mean over splits.

    The variance of the mean of `n` splits is ``(1 / n + test / train)`` times that of
    the scores, to correct for overlapping training sets.

    Parameters
    ----------
    scores : ndarray of shape (n_splits,)
        One score per split, NaN where it failed.
    test_share : float or ndarray of shape (n_splits,)
        Number of test rows divided by number of training rows.
    around : float or None, default=None
        The estimate of a bootstrap, whose replicates the splits are: the interval is
        around it, also where it is corrected. None: the mean of the scores.
    n_units : int or None, default=None
        How many units a bootstrap draws from. There are no more degrees of freedom,
        however many replicates there are.
    bounds : tuple of float, default=None
        Range of the scores, to which the interval is cut.
    confidence_level : float
        Such as 0.95.

    Returns
    -------
    standard_error : float
    interval : ConfidenceInterval
    how : str

    References
    ----------
    C. Nadeau and Y. Bengio, "Inference for the Generalization Error", Machine Learning
    52 (2003).
    """
    if around is not None and np.isnan(around):
        return float("nan"), UNKNOWN, "none: the estimate is undefined"
    kind = "splits" if around is None else "replicates"
    n_splits, scores = len(scores), scores[~np.isnan(scores)]
    n = len(scores)
    freedom = n - 1 if n_units is None else min(n, n_units) - 1
    error = float("nan")
    if n > 1:
        variance = (1 / n + float(np.mean(test_share))) * scores.var(ddof=1)
        error = float(np.sqrt(variance))
    why = _why_splits_tell_nothing(scores, n_splits, freedom, kind)
    if why is not None:
        return error, UNKNOWN, f"none: {why}"
    reach = stats.t.ppf((1 + confidence_level) / 2, freedom) * error
    center, seen = scores.mean(), scores
    if around is not None:
        center, seen = around, np.array([around])
        if bounds is not None and abs(around - np.clip(around, *bounds)) > 1e-9:
            bounds = None  # with negative gains, for example, the range is unknown
    name = "corrected resampled t" if around is None else "corrected t"
    how = f"{name} over {n} {kind}"
    return error, cut_to_range((center - reach, center + reach), bounds, seen), how
