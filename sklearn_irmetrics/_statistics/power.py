"""How many queries an experiment needs, and which effects it can detect."""

import math
from bisect import bisect_left
from functools import cache

import numpy as np
from scipy import optimize, special, stats

from sklearn_irmetrics._statistics.anytime import log_wealth
from sklearn_irmetrics._statistics.dirichlet import sum_at_most_0
from sklearn_irmetrics._statistics.draws import draw_ratios

_MOST = 10**12  # queries; a plan that needs more is refused
# Beyond this, more degrees of freedom change nothing but rounding.
_MANY = 10**9
_FAR = 1e12  # a noncentrality that every test detects
# Closer to 1, SciPy's noncentral F does not converge.
HIGHEST_LEVEL = 0.9999
# Up to so many queries, all signs are tried; from so many on, t is like normal.
_MOST_SIGNS, _LIKE_NORMAL = 12, 300
_MOST_EXACT = 10_000
# A typical normal sample, of any size.
_QUANTILES = stats.norm.ppf((np.arange(200) + 0.5) / 200)
_QUANTILES /= _QUANTILES.std()


def ttest_power(n, effect, *, confidence_level):
    """Return the power of a paired t-test.

    The square of a noncentral t is a noncentral F with one degree of freedom, whose
    upper tail is both tails of t.

    Parameters
    ----------
    n : int
        Number of queries, at least 2.
    effect : float
        Mean difference in units of the standard deviation of differences.
    confidence_level : float
        1 minus the level of the test; at most `HIGHEST_LEVEL`.

    Returns
    -------
    float
    """
    return _f_power(1, n - 1, n * effect**2, confidence_level)


def anova_power(n, effect, *, n_systems, confidence_level):
    """Return the power of a one-way analysis of variance of several systems.

    Two systems are `effect` apart and all others lie midway, which is the hardest case
    with that difference.

    Parameters
    ----------
    n : int
        Number of queries, at least 2.
    effect : float
        Difference in units of the standard deviation of one system's scores.
    n_systems : int
        Two or more.
    confidence_level : float
        1 minus the level of the test; at most `HIGHEST_LEVEL`.

    Returns
    -------
    float

    References
    ----------
    T. Sakai, "Topic set size design", Information Retrieval Journal 19 (2016).
    """
    between, within = n_systems - 1, n_systems * (n - 1)
    return _f_power(between, within, n * effect**2 / 2, confidence_level)


def permutation_power(n, effect, *, confidence_level):
    """Return the power of the permutation test for normal differences.

    Up to twelve queries, it is computed from 2000 samples, the same in every call, with
    all signs; beyond, it is the power of the t-test, within one percentage point.
    """
    if n > _MOST_SIGNS:
        return ttest_power(n, effect, confidence_level=confidence_level)
    values = np.random.default_rng(n).standard_normal((2000, n)) + effect
    codes = np.arange(2 ** (n - 1))  # a flip and its opposite do the same
    signs = 1 - 2 * ((codes[:, np.newaxis] >> np.arange(n)) & 1)
    sums = np.abs(values.sum(axis=1))[:, np.newaxis] * (1 - 1e-12)
    p_values = (np.abs(values @ signs.T) >= sums).mean(axis=1)
    return float((p_values <= 1 - confidence_level + 1e-12).mean())


def permutation_power_of_signs(n, effect, std, *, confidence_level):
    """Return the power of the permutation test for differences of -1, 0 and 1.

    Its p-value is that of the sign test, so the power is exact: the mean, over how many
    differences are not 0, of the probability that enough of them have one sign. Beyond
    10,000 queries, it is the power of the t-test.

    Parameters
    ----------
    n : int
        Number of queries.
    effect : float
        Mean difference in units of `std`.
    std : float
        Standard deviation of the differences.
    confidence_level : float
        1 minus the level of the test.
    """
    if n > _MOST_EXACT:
        return ttest_power(n, effect, confidence_level=confidence_level)
    share = min(std**2 * (1 + effect**2), 1.0)  # of differences that are not 0
    wins = min((1 + effect * std / share) / 2, 1.0)  # among these
    numbers = np.arange(n + 1)
    # The fewest with one sign that are significant.
    enough = stats.binom.isf((1 - confidence_level) / 2, numbers, 0.5) + 1
    power = stats.binom.sf(enough - 1, numbers, wins)
    power += stats.binom.cdf(numbers - enough, numbers, wins)
    return float((stats.binom.pmf(numbers, n, share) * power).sum())


def max_t_power(n, effect, *, n_systems, confidence_level):
    """Return the power for one pair if all pairs of systems are compared.

    Its t must exceed the largest t that max-T draws for equal systems with normal
    scores: the median of twenty samples, the same in every call.
    """
    limit = _largest_t(min(n, _LIKE_NORMAL), n_systems, confidence_level)
    return _beyond(limit, n, effect)


@cache
def _largest_t(n, n_systems, confidence_level):
    rng = np.random.default_rng(n)
    first, second = np.triu_indices(n_systems, 1)
    limits = []
    for _ in range(20):
        scores = rng.standard_normal((n, n_systems))
        values = scores[:, first] - scores[:, second]
        largest = draw_ratios(values, n_resamples=500, rng=rng).max(axis=0)
        limits.append(np.quantile(largest, confidence_level))
    ratio = np.median(limits)
    return np.sqrt((n - 1) * ratio / (1 - ratio)) if ratio < 1 else np.inf


def _beyond(limit, n, effect):
    """Return P(t > limit) for an effect in standard deviations.

    The noncentral t is close to normal (Abramowitz and Stegun, 26.7.10). The part of a
    limit above four follows from the bound of differences, and does not vary.
    """
    if limit == np.inf:
        return 0.0
    df, varies = n - 1, min(limit, 4.0)
    spread = np.sqrt(1 + varies**2 / (2 * df))
    return float(
        special.ndtr((np.sqrt(n) * effect - limit + varies / (4 * df)) / spread)
    )


def margin_power(n, effect, std, *, margin, bound, alpha):
    """Return the power to show that a system is not worse by more than a margin.

    Parameters
    ----------
    n : int
        Number of queries, at least 2.
    effect, std : float
        Mean and standard deviation of the differences, assumed normal.
    margin, bound : float
        The largest loss that does not matter, and the largest loss of a query.
    alpha : float
        Error of the limit.

    Returns
    -------
    float
    """
    if margin >= bound:
        return 1.0
    times = np.append(np.full(len(_QUANTILES), n / len(_QUANTILES)), 1.0)

    def excess(mean):
        terms = np.append(mean + std * _QUANTILES, margin - bound)
        return alpha - sum_at_most_0(terms, times)

    return _power_beyond(excess, n, effect + margin, std, bound)


def anytime_power(n, effect, std, *, bound, alpha):
    """Return the power of the anytime-valid test after `n` queries."""
    times = np.full(len(_QUANTILES), n / len(_QUANTILES))

    def excess(mean):
        values = np.clip((mean + std * _QUANTILES) / bound, -1.0, 1.0)
        return log_wealth(1.0, 1 + values, times) + np.log(alpha)

    return _power_beyond(excess, n, effect, std, bound)


def _power_beyond(excess, n, effect, std, bound):
    """Return the probability that a sample mean lies where a typical one has excess."""
    if excess(bound) <= 0:
        return 0.0
    limit = optimize.brentq(excess, 1e-12 * bound, bound)
    return _beyond(limit * np.sqrt(n) / std, n, effect / std)


def interval_width(n, *, confidence_level):
    """Return the expected width of the t interval of a mean, in standard deviations.

    Parameters
    ----------
    n : int
        Number of queries, at least 2.
    confidence_level : float
        Such as 0.95.

    Returns
    -------
    float
    """
    # E[s] = c4 sigma, with the gamma functions of c4 divided before they overflow.
    c4 = special.poch((n - 1) / 2, 0.5) * np.sqrt(2 / (n - 1))
    quantile = stats.t.ppf((1 + confidence_level) / 2, n - 1)
    return float(2 * quantile * c4 / np.sqrt(n))


def fewest_for_margin(margin, reach, alpha):
    """Return the smallest number of queries that can show non-inferiority.

    For n differences of 0, the Dirichlet limit lies above ``-margin`` if
    ``(1 - margin / reach) ** n`` is below alpha; no limit with that error is higher.

    Parameters
    ----------
    margin : float
        The largest loss that does not matter.
    reach : float
        The largest loss of a query.
    alpha : float
        Error of the limit.

    Returns
    -------
    int
    """
    if margin >= reach:
        return 1
    return math.floor(math.log(alpha) / math.log1p(-margin / reach)) + 1


def smallest_number(suffices):
    """Return the smallest number of queries, from 2 on, that suffices.

    Parameters
    ----------
    suffices : callable
        From a number of queries to whether it suffices; if it does, more also do.

    Returns
    -------
    int or None
        None if 10**12 do not suffice.
    """
    high = 2
    while not suffices(high):
        if high >= _MOST:
            return None
        high = min(2 * high, _MOST)
    between = range(high // 2 + 1, high)
    return between.start + bisect_left(between, True, key=suffices)


def smallest_effect(power_of, power, most=np.inf):
    """Return the smallest effect that is detected with a power, in standard deviations.

    Parameters
    ----------
    power_of : callable
        From an effect to the power, which rises from the level of the test at 0.
    power : float
        Above the level of the test, below 1.
    most : float, default=inf
        The largest possible effect.

    Returns
    -------
    float
        NaN if not even the largest effect is detected.
    """
    high = 1e-6
    while power_of(high) < power:
        if high >= most or high > 1e12:
            return float("nan")
        high = min(2 * high, most)
    effect = optimize.brentq(lambda x: power_of(x) - power, 0.0, high, xtol=1e-16)
    return float(effect)


def smallest_detectable_effect(std_of_differences, n, power=0.8, confidence_level=0.95):
    """Return the smallest mean difference that a paired t-test detects.

    Parameters
    ----------
    std_of_differences : float or ndarray
        Standard deviation of the differences over queries.
    n : int
        Number of queries.
    power : float, default=0.8
        The probability of detecting it.
    confidence_level : float, default=0.95
        1 minus the level of the test.

    Returns
    -------
    float or ndarray
        NaN for fewer than two queries, if nothing varies, if `power` is not above the
        level of the test, and above `HIGHEST_LEVEL`.
    """
    std = np.asarray(std_of_differences, dtype=np.float64)
    if n < 2 or power <= 1 - confidence_level or confidence_level > HIGHEST_LEVEL:
        return np.full(std.shape, np.nan)[()]
    unit = smallest_effect(
        lambda x: ttest_power(n, x, confidence_level=confidence_level), power
    )
    return np.where(std > 0, unit * std, np.nan)[()]


def _f_power(between, within, noncentrality, confidence_level):
    within = min(within, _MANY)
    critical = stats.f.isf(1 - confidence_level, between, within)
    noncentrality = min(noncentrality, _FAR)
    return float(stats.ncf.sf(critical, between, within, noncentrality))
