"""Tests of mean differences in units of their standard error: t, bootstrap, max-t.

Drawn means are compared by x = n·mean² / Σx², which grows with |t|: t² = (n - 1)·x /
(1 - x). It is 1, instead of a division by 0, if all drawn values are the same.
"""

import numpy as np
from scipy import stats

from sklearn_irmetrics._statistics.draws import spread_of
from sklearn_irmetrics._statistics.pairs import (
    Found,
    ends_around,
    of_constant,
    rank_of_level,
    reach_of_constant,
)
from sklearn_irmetrics._statistics.units import ROUNDING, weigh


def ttest(pairs):
    """Compare each mean with its standard error, by Student's t."""
    return _t_test(pairs, 1 / len(pairs.parts))


def corrected_ttest(pairs):
    """Like `ttest`, over splits that share training data (Nadeau & Bengio)."""
    return _t_test(pairs, 1 / len(pairs.parts) + pairs.test_share)


def _t_test(pairs, variance_factor):
    n = len(pairs.parts)
    error = spread_of(pairs.parts) * np.sqrt(variance_factor / (n - 1))
    ratio = np.full(len(pairs.mean), np.inf)
    np.divide(np.abs(pairs.mean), error, out=ratio, where=error > 0)
    p_value = 2 * stats.t.sf(ratio, pairs.freedom)
    p_value = np.where(error == 0, of_constant(pairs.mean, n), p_value)

    def ends(alpha):
        limit = stats.t.ppf(1 - alpha / 2, pairs.freedom) ** 2 * variance_factor
        limit = np.where(error > 0, limit / (n - 1), reach_of_constant(n, alpha))
        return _ends(pairs, limit, p_value, alpha)

    return Found(p_value, ends)


def bootstrap(pairs):
    """Resample units, with differences shifted to mean 0, and compare t."""
    spread, drawn = spread_of(pairs.parts), pairs.bootstrap_ratios
    observed = _observed(pairs, spread)[:, np.newaxis] * (1 - ROUNDING)
    return _of_ratios(pairs, spread, drawn, (drawn >= observed).sum(axis=1))


def max_t(pairs):
    """Like `bootstrap`, for all pairs at once, with the same draws, step by step down.

    A pair is compared with the largest ratio of each draw among all pairs that differ
    no more clearly than it does. Intervals use the largest ratio of all pairs; where
    the steps reject more, they end at 0.

    References
    ----------
    P. H. Westfall and S. S. Young, "Resampling-Based Multiple Testing", Wiley, 1993.
    """
    spread = spread_of(pairs.parts)
    observed = _observed(pairs, spread)
    order = np.argsort(observed, kind="stable")
    n_reached, largest = np.zeros(len(order), dtype=int), []
    for ratios in pairs.ratio_batches():
        running = np.zeros(ratios.shape[1])
        for pair in order:
            np.maximum(running, ratios[pair], out=running)
            reached = running >= observed[pair] * (1 - ROUNDING)
            n_reached[pair] += np.count_nonzero(reached)
        largest.append(running)
    down = order[::-1]  # no pair before one that differs more clearly
    n_reached[down] = np.maximum.accumulate(n_reached[down])
    return _of_ratios(pairs, spread, np.concatenate(largest)[np.newaxis], n_reached)


def _observed(pairs, spread):
    """Return the ratio of the mean of each pair."""
    root, found = np.sqrt(len(pairs.parts)), np.zeros(len(spread))
    size = np.hypot(spread, root * pairs.mean)
    np.divide(root * pairs.mean, size, out=found, where=size > 0)
    if pairs.strata is None:
        return found**2
    n, away = len(pairs.parts), np.full(len(spread), np.inf)
    np.divide(np.abs(found), np.sqrt(1 - found**2), out=away, where=found**2 < 1)
    away = _as_rare(np.sqrt(n - 1) * away, pairs.freedom, n - 1)
    with np.errstate(divide="ignore", over="ignore"):
        return 1 / (1 + (n - 1) / away**2)


def _as_rare(ratios, freedom, other):
    """Return values that t with other degrees of freedom exceeds as rarely as these."""
    return stats.t.isf(stats.t.sf(ratios, freedom), other)


def _of_ratios(pairs, spread, drawn, n_reached):
    """Compare means with drawn ratios: those of each pair, or the largest of all."""
    n, mean = len(pairs.parts), pairs.mean
    total = drawn.shape[1] + 1
    p_value = (n_reached + 1) / total
    p_value = np.where(spread == 0, np.maximum(p_value, of_constant(mean, n)), p_value)

    def ends(alpha):
        k = rank_of_level(alpha, total)
        if k == 0:
            return np.tile([-np.inf, np.inf], (len(mean), 1))
        limit = np.partition(drawn, -k, axis=1)[:, -k]
        limit = np.broadcast_to(limit, mean.shape)
        factor = np.full(len(mean), np.inf)
        np.divide(limit, 1 - limit, out=factor, where=limit < 1 - ROUNDING)
        if pairs.strata is not None:
            found = _as_rare(np.sqrt((n - 1) * factor), n - 1, pairs.freedom)
            factor = found**2 / (n - 1)
        is_known = (spread > 0) | np.isinf(factor)
        limit = np.where(is_known, factor / n, reach_of_constant(n, alpha))
        return _ends(pairs, limit, p_value, alpha)

    return Found(p_value, ends)


def _ends(pairs, limit, p_value, alpha):
    """Return the interval of true means that are not rejected.

    After subtracting such a mean, the squared mean of the parts is at most `limit`
    times their sum of squares around the mean.
    """
    if pairs.weights is not None and pairs.strata is None:
        return _ends_of_ratio(pairs, limit, p_value, alpha)
    spread = spread_of(pairs.parts)
    reach = np.array(np.broadcast_to(limit, spread.shape))
    np.multiply(spread, np.sqrt(limit), out=reach, where=spread > 0)
    return ends_around(pairs.mean, reach, p_value, alpha)


def _ends_of_ratio(pairs, limit, p_value, alpha):
    """Return the same if units have different weights, as groups of several sizes do.

    Subtracting a true mean, in proportion to weight, also changes the spread.

    References
    ----------
    E. C. Fieller, "Some Problems in Interval Estimation", Journal of the Royal
    Statistical Society B 16 (1954).
    """
    size = np.abs(pairs.parts).max(axis=0)  # squares could overflow
    size = np.where(size > 0, size, 1.0)
    mean, apart = pairs.mean / size, (pairs.parts - pairs.mean) / size
    heavier = weigh(np.ones((len(apart), 1)), pairs.weights)[:, 0] - 1
    with np.errstate(invalid="ignore"):
        square = 1 - limit * (heavier @ heavier)
        middle = mean - limit * (heavier @ apart)
        rest = mean**2 - limit * (apart**2).sum(axis=0)
        root = np.sqrt(np.maximum(middle**2 - square * rest, 0))
    ends = np.tile([-np.inf, np.inf], (len(mean), 1))
    is_bounded = square > 0
    both = np.column_stack([middle - root, middle + root])
    np.divide(both, square[:, np.newaxis], out=ends, where=is_bounded[:, np.newaxis])
    low, high = ends.T * size
    is_inside, tiny = p_value > alpha, np.nextafter(0, 1)
    least = np.where(mean > 0, np.maximum(low, tiny), low)
    largest = np.where(mean < 0, np.minimum(high, -tiny), high)
    low = np.where(is_inside, np.minimum(low, 0), least)
    return np.column_stack([low, np.where(is_inside, np.maximum(high, 0), largest)])
