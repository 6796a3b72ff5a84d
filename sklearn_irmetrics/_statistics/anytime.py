"""Tests that hold however often, and whenever, you look at the data."""

import numpy as np
from scipy import optimize

from sklearn_irmetrics._statistics.intervals import ConfidenceInterval
from sklearn_irmetrics._statistics.pairs import Found

# Shares of the largest stake allowed: Chebyshev nodes, which are denser near the ends.
STAKES = np.cos((2 * np.arange(1, 41) - 1) * np.pi / 80)
# Replaces 0 as a p-value, which would be too certain.
_LEAST = np.finfo(np.float64).tiny


def anytime(pairs):
    """Bet against each mean difference; see `anytime_test`."""
    if pairs.bounds is None:
        raise ValueError(
            "test='anytime' needs to know how large a difference can be: use a measure "
            "with a range, or pass bound=."
        )
    if pairs.weights is not None:
        raise ValueError(
            "test='anytime' needs groups of equal size, because it weighs all equally."
        )

    def found(alpha):
        bound = pairs.bounds[1]
        each = [anytime_test(d, bound=bound, alpha=alpha) for d in pairs.differences.T]
        return [np.array(part) for part in zip(*each, strict=True)]

    return Found(found(0.05)[0], lambda alpha: found(alpha)[1])


def anytime_test(differences, *, bound=1.0, alpha):
    """Test and estimate a mean, valid after every value at once.

    A gambler who bets a fixed share of the wealth against a mean of 0, value by value,
    expects to win nothing if that is the mean. Forty gamblers, with stakes of both
    signs, share a wealth of 1. The probability that it ever reaches ``1 / alpha`` is at
    most alpha (Ville), so you may look after every value and stop at any time. The
    order of the values does not matter.

    Parameters
    ----------
    differences : ndarray of shape (n,)
        Values that all have the same mean, given the ones before.
    bound : float, default=1.0
        The largest possible absolute value; a smaller one narrows the interval.
    alpha : float
        1 minus the level of the interval.

    Returns
    -------
    p_value : float
        Two-sided: 1 divided by the wealth.
    interval : ConfidenceInterval
        All means from -`bound` to `bound` against which the wealth is less than
        ``1 / alpha``. It excludes 0 exactly if the p-value is at most alpha.

    Raises
    ------
    ValueError
        If a value is further from 0 than `bound`.

    References
    ----------
    I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by
    betting", JRSS B 86 (2024).
    """
    check_bound(differences, bound)
    values, counts = np.unique(differences / bound, return_counts=True)
    values = np.clip(values, -1.0, 1.0)
    gain = max(log_wealth(1.0, 1 + values, counts), 0.0)
    p_value = max(float(np.exp(-gain)), _LEAST)
    limit = -np.log(alpha)
    low = _low(values, counts, limit) * bound
    high = -_low(-values, counts, limit) * bound
    # Ends are found up to rounding; the p-value decides their side of 0.
    if p_value > alpha:
        low, high = min(low, 0.0), max(high, 0.0)
    elif low <= 0.0 <= high:
        low, high = (_LEAST, high) if counts @ values > 0 else (low, -_LEAST)
    return p_value, ConfidenceInterval(float(low), float(high))


def check_bound(differences, bound):
    """Refuse a bound that a difference exceeds."""
    furthest = np.abs(differences).max(initial=0.0)
    if not furthest <= bound * (1 + 1e-12):
        raise ValueError(
            f"bound must be at least the largest difference, {furthest:g}; got "
            f"{bound:g}."
        )


def log_wealth(mean, values, counts):
    """Return the log wealth of bets against a mean, for values from 0 to 2.

    No stake can lose more than the wealth: 1 + stake * (value - mean) > 0.
    """
    room = np.where(STAKES > 0, mean, 2 - mean)
    away = values - mean
    each = zip(STAKES, room, strict=True)
    logs = np.array([counts @ np.log1p(stake * (away / of)) for stake, of in each])
    most = logs.max()
    return most + np.log(np.exp(logs - most).mean())


def _low(values, counts, limit):
    """Return the low end: where the wealth, convex in the mean, reaches its limit."""
    values = 1 + values  # near the low end of the range, small numbers are exact
    mean = min(counts @ values / counts.sum(), 2 - 2.0**-52)

    def excess(m):
        return log_wealth(m, values, counts) - limit

    step = 4 / np.sqrt(counts.sum())
    while True:
        outer = max(mean - step, _LEAST)
        if excess(outer) > 0:
            # Roots this close give the same end, but finding one can take long.
            return optimize.brentq(excess, outer, mean, xtol=1e-18, maxiter=9999) - 1
        if outer == _LEAST:
            return -1.0
        step *= 4
