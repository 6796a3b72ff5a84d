"""Tests that hold however often, and whenever, you look at the data."""

import numpy as np
from scipy import optimize

from sklearn_irmetrics._statistics.intervals import ConfidenceInterval
from sklearn_irmetrics._statistics.pairs import PairedTest

# Shares of the largest stake allowed: Chebyshev nodes, which are denser near the ends.
STAKES = np.cos((2 * np.arange(1, 41) - 1) * np.pi / 80)
# Replaces 0 as a p-value, which would be too certain.
_LEAST = np.finfo(np.float64).tiny


class AnytimeTest(PairedTest):
    """Bet against each mean difference; see `anytime_test`."""

    label = "anytime-valid test"
    takes_weights = False
    compares_means = False
    covers_few = True
    decides_margins = True

    def __init__(self, pairs):
        super().__init__(pairs)
        if pairs.bounds is None:
            raise ValueError(
                "test='anytime' needs to know how large a difference can be: use a "
                "measure with a range, or pass bound=."
            )
        if pairs.weights is not None:
            raise ValueError(
                "test='anytime' needs groups of equal size, because it weighs all "
                "equally."
            )
        self._bound = pairs.bounds[1]
        self._samples = [scale_differences(d, self._bound) for d in pairs.differences.T]
        self.p_value = np.array([p_value_of_wealth(*s) for s in self._samples])

    def interval(self, alpha):
        """Return the ends of the intervals; see `PairedTest`."""
        both = zip(self._samples, self.p_value, strict=True)
        ends = [betting_ends(*sample, p, alpha) for sample, p in both]
        return self._bound * np.array(ends)


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
    values, counts = scale_differences(differences, bound)
    p_value = p_value_of_wealth(values, counts)
    low, high = betting_ends(values, counts, p_value, alpha)
    return p_value, ConfidenceInterval(bound * low, bound * high)


def scale_differences(differences, bound):
    """Return the different values, in units of the bound, and how often each occurs."""
    check_bound(differences, bound)
    values, counts = np.unique(differences / bound, return_counts=True)
    return np.clip(values, -1.0, 1.0), counts.astype(np.float64)


def p_value_of_wealth(values, counts):
    """Return 1 divided by the wealth of bets against a mean of 0."""
    gain = max(log_wealth(1.0, 1 + values, counts), 0.0)
    return max(float(np.exp(-gain)), _LEAST)


def betting_ends(values, counts, p_value, alpha):
    """Return the ends of the interval, which excludes 0 exactly if p is at most α."""
    limit = -np.log(alpha)
    low, high = _low(values, counts, limit), -_low(-values, counts, limit)
    # Ends are found up to rounding; the p-value decides their side of 0.
    if p_value > alpha:
        return min(low, 0.0), max(high, 0.0)
    if low <= 0.0 <= high:
        return (_LEAST, high) if counts @ values > 0 else (low, -_LEAST)
    return low, high


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
    away = values - mean
    stakes = STAKES[:, np.newaxis]
    logs = np.log1p(stakes * np.where(stakes > 0, away / mean, away / (2 - mean)))
    logs = logs @ counts
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
