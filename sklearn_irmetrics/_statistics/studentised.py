"""Tests of mean differences in units of their standard error: t, bootstrap, max-t.

Drawn means are judged by n·mean² / Σx², which grows with |t|: t² = (n - 1)·x / (1 - x).
It is 1, and not a division by 0, where all that was drawn is the same.
"""

import numpy as np
from scipy import stats

from sklearn_irmetrics._statistics.draws import ROUNDING, spread_of
from sklearn_irmetrics._statistics.pairs import (
    Found,
    ends_around,
    of_constant,
    rank_of_level,
    reach_of_constant,
)


def ttest(pairs):
    """Compare each mean with its standard error, by Student's t."""
    return _t_test(pairs, 1 / len(pairs.parts))


def corrected_ttest(pairs):
    """Do the same over splits that share training data (Nadeau & Bengio)."""
    return _t_test(pairs, 1 / len(pairs.parts) + pairs.test_share)


def _t_test(pairs, variance_factor):
    n = len(pairs.parts)
    error = spread_of(pairs.parts) * np.sqrt(variance_factor / (n - 1))
    ratio = np.full(len(pairs.mean), np.inf)
    np.divide(np.abs(pairs.mean), error, out=ratio, where=error > 0)
    p_value = 2 * stats.t.sf(ratio, n - 1)
    p_value = np.where(error == 0, of_constant(pairs.mean, n), p_value)

    def ends(alpha):
        reach = stats.t.ppf(1 - alpha / 2, n - 1) * error
        reach = np.where(error > 0, reach, reach_of_constant(n, alpha))
        return ends_around(pairs.mean, reach, p_value, alpha)

    return Found(p_value, ends)


def bootstrap(pairs):
    """Draw units with repeats, differences shifted to mean 0, and compare t."""
    return _of_ratios(pairs, spread_of(pairs.parts), pairs.bootstrap_ratios)


def max_t_of_bootstrap(pairs):
    """Do the same for all pairs at once: the largest ratio of each draw counts."""
    largest = pairs.bootstrap_ratios.max(axis=0, keepdims=True)
    return _of_ratios(pairs, spread_of(pairs.parts), largest)


def max_t_of_flips(pairs):
    """Compare each t with the largest of all pairs when signs are turned at random.

    Turned are the differences less their mean, of whole units: with the same signs for
    all pairs, so that what they have in common counts.

    References
    ----------
    P. H. Westfall and S. S. Young, "Resampling-Based Multiple Testing", Wiley, 1993.
    """
    flips, n = pairs.flips, len(pairs.differences)
    largest = np.zeros((1, flips.total - 1))
    for spread, sums in zip(flips.spread, flips.sums, strict=True):
        if spread > 0:
            np.maximum(largest, (2 * sums / spread) ** 2 / n, out=largest)
    return _of_ratios(pairs, flips.spread * n / flips.weight, largest)


def _of_ratios(pairs, spread, drawn):
    """Compare means with drawn ratios, of each pair or of all."""
    n, mean = len(pairs.parts), pairs.mean
    observed = np.zeros(len(mean))
    size = np.hypot(spread, np.sqrt(n) * mean)
    np.divide(np.sqrt(n) * mean, size, out=observed, where=size > 0)
    observed = observed[:, np.newaxis] ** 2 * (1 - ROUNDING)
    total = drawn.shape[1] + 1
    p_value = ((drawn >= observed).sum(axis=1) + 1) / total
    p_value = np.where(spread == 0, np.maximum(p_value, of_constant(mean, n)), p_value)

    def ends(alpha):
        k = rank_of_level(alpha, total)
        if k == 0:
            return np.tile([-np.inf, np.inf], (len(mean), 1))
        limit = np.partition(drawn, -k, axis=1)[:, -k]
        limit = np.broadcast_to(limit, mean.shape)
        factor = np.full(len(mean), np.inf)
        np.divide(limit, 1 - limit, out=factor, where=limit < 1 - ROUNDING)
        reach = np.where(np.isinf(factor), np.inf, reach_of_constant(n, alpha))
        np.multiply(spread, np.sqrt(factor / n), out=reach, where=spread > 0)
        return ends_around(mean, reach, p_value, alpha)

    return Found(p_value, ends)
