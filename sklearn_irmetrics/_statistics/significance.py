"""Paired tests of systems on the same queries, and corrections for many of them."""

import numpy as np
from scipy import stats

from sklearn_irmetrics._statistics.intervals import (
    ConfidenceInterval,
    are_alike,
    corrected_t_interval,
    mean_interval,
)

_BATCH_CELLS = 2**22
# The mean of more differences is normal for all practical purposes.
_MANY = 5000
# What a p-value too small for floating point is called: no test is ever certain.
_LEAST = np.finfo(np.float64).tiny


def paired_test(test, first, second, *, n_resamples, confidence_level, rng, test_share):
    """Test whether two systems are equally good; estimate how far they are apart.

    Parameters
    ----------
    test : {"permutation", "ttest", "wilcoxon", "sign", "bootstrap", "corrected_ttest"}
        Which.
    first, second : ndarray of shape (n,)
        Scores on the same queries (or splits).
    n_resamples : int
        For tests that draw.
    confidence_level : float
        Of the interval.
    rng : numpy.random.Generator
        What draws.
    test_share : float
        Test data divided by training data, for "corrected_ttest".

    Returns
    -------
    p_value : float
        Two-sided, never 0.
    interval : ConfidenceInterval
        Of the mean difference.
    """
    differences = paired_differences(first, second)
    mean = differences.mean()
    if are_alike(differences):
        # No variation to judge by: alike, or one always ahead by the same.
        p_value = 1.0 if mean == 0 else _p_value_of_constant(test, len(first))
        return p_value, ConfidenceInterval(float(mean), float(mean))
    if test == "ttest":
        found = stats.ttest_rel(first, second)
        ends = found.confidence_interval(confidence_level)
        return _floor(found.pvalue), ConfidenceInterval(
            float(ends.low), float(ends.high)
        )
    if test == "corrected_ttest":
        error, ends = corrected_t_interval(differences, test_share, confidence_level)
        p_value = 2 * stats.t.sf(abs(mean) / error, len(differences) - 1)
        return _floor(p_value), ends
    if test == "permutation":
        p_value = _permutation(differences, n_resamples, rng)
    elif test == "bootstrap":
        p_value = _bootstrap(differences, n_resamples, rng)
    elif test == "wilcoxon":
        p_value = stats.wilcoxon(differences).pvalue
    else:
        wins, losses = (differences > 0).sum(), (differences < 0).sum()
        p_value = stats.binomtest(int(wins), int(wins + losses)).pvalue
    method = "BCa bootstrap" if len(differences) <= _MANY else "t"
    _, ends = mean_interval(
        differences, method=method, confidence_level=confidence_level, rng=rng
    )
    return _floor(p_value), ends


def paired_differences(first, second):
    """Return differences, 0 where scores differ by rounding only."""
    differences = first - second
    rounding = 1e-12 * np.maximum(np.abs(first), np.abs(second))
    differences[np.abs(differences) <= rounding] = 0.0
    return differences


def tukey_test(scores, *, n_resamples, confidence_level, rng):
    """Compare all systems at once by the randomised Tukey HSD test.

    Under the null hypothesis that all systems are alike, the scores of a query could
    be anyone's: they are exchanged within queries, and each difference of means is
    compared with the largest difference that this makes.

    Parameters
    ----------
    scores : ndarray of shape (n_queries, n_systems)
        Scores on the same queries.
    n_resamples : int
        Number of randomisations.
    confidence_level : float
        Of the interval, for all pairs at once.
    rng : numpy.random.Generator
        What draws.

    Returns
    -------
    p_value : callable
        From a difference to its p-value, ``(count + 1) / (n_resamples + 1)``, which
        is adjusted for all pairs.
    reach : float
        Half the width of the intervals.

    References
    ----------
    B. Carterette, "Multiple testing in statistical analysis of systems-based
    information retrieval experiments", TOIS 30 (2012).
    """
    n_queries, n_systems = scores.shape
    batch = max(1, _BATCH_CELLS // scores.size)
    ranges = []
    for start in range(0, n_resamples, batch):
        size = min(batch, n_resamples - start)
        drawn = np.broadcast_to(scores, (size, n_queries, n_systems))
        ranges.append(np.ptp(rng.permuted(drawn, axis=2).mean(axis=1), axis=1))
    ranges = np.concatenate(ranges)
    # Means of the same numbers in another order differ in the last place.
    slack = 1e-12 * np.abs(scores).max()

    def p_value(difference):
        count = int((ranges >= abs(difference) - slack).sum())
        return (count + 1) / (n_resamples + 1)

    return p_value, float(np.quantile(ranges, confidence_level))


def correct(p_values, correction):
    """Return p-values adjusted for being many.

    Parameters
    ----------
    p_values : ndarray of shape (n,)
        Of one family.
    correction : {"holm", "bonferroni", "fdr_bh"} or None
        The first two bound the chance of any false discovery, the third the share of
        false ones among all discoveries.

    Returns
    -------
    ndarray of shape (n,)
    """
    n = len(p_values)
    if correction is None:
        return p_values
    if correction == "bonferroni":
        return np.minimum(n * p_values, 1.0)
    if correction == "fdr_bh":
        return stats.false_discovery_control(p_values, method="bh")
    order = np.argsort(p_values, kind="stable")
    stepped = np.maximum.accumulate((n - np.arange(n)) * p_values[order])
    adjusted = np.empty(n)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def effect_size(differences):
    """Return the mean difference in units of its standard deviation over queries."""
    mean = differences.mean()
    if are_alike(differences):
        return float(np.sign(mean) * np.inf) if mean else 0.0
    return float(mean / differences.std(ddof=1))


def _permutation(differences, n_resamples, rng):
    with np.errstate(over="ignore"):  # SciPy 1.14 counts the permutations in floats
        return stats.permutation_test(
            (differences,),
            np.mean,
            permutation_type="samples",
            vectorized=True,
            n_resamples=n_resamples,
            batch=max(1, _BATCH_CELLS // len(differences)),
            random_state=rng,
        ).pvalue


def _bootstrap(differences, n_resamples, rng):
    """Draw from the differences, shifted to mean 0, and compare t statistics."""
    n = len(differences)
    shifted = differences - differences.mean()
    observed = _t(differences)
    count = 0
    batch = max(1, _BATCH_CELLS // n)
    for start in range(0, n_resamples, batch):
        size = min(batch, n_resamples - start)
        drawn = shifted[rng.integers(n, size=(size, n))]
        count += int((np.abs(_t(drawn)) >= abs(observed)).sum())
    return (count + 1) / (n_resamples + 1)


def _t(differences):
    n = differences.shape[-1]
    mean = differences.mean(axis=-1)
    error = differences.std(axis=-1, ddof=1) / np.sqrt(n)
    with np.errstate(divide="ignore", invalid="ignore"):  # a draw of one value
        return mean / error


def _floor(p_value):
    return float(min(max(p_value, _LEAST), 1.0))


def _p_value_of_constant(test, n):
    """Return the p-value of `n` differences that are all the same, but not 0."""
    by_sign = test in ("permutation", "wilcoxon", "sign")
    return _floor(2.0 ** (1 - n) if by_sign else 0.0)
