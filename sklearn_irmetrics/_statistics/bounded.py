"""Lower limits of means of bounded values, which hold for few or unvarying data."""

import numpy as np
from scipy import optimize, special

# Assumed spreads as shares of the range, and how the wealth is divided among them.
_SPREADS = np.array([0.3, 0.1, 0.03])
_DIVIDED = np.array([0.7, 0.2, 0.1])
_LARGEST_SHARE = 0.85
# Imhof's integral is exact enough up to so many different values, and so many in all.
_MOST_DIFFERENT, _MOST_VALUES = 60, 200
_NODES = np.exp(np.arange(-7.0, 9.1, 0.1))


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

    return _root(excess, np.average(values, weights=weights))


def dirichlet_limit(values, weights, alpha, end_weight=None):
    """Return the lower limit by a Bayesian bootstrap with one more value at 0.

    It is the quantile of ``sum(g * w * x) / sum(g * w)`` over exponential g, for the
    values and a 0 that weighs as much as the heaviest of them. For values of 0 and 1,
    it equals the limit of Clopper and Pearson. It is conjectured to hold for all
    distributions, and no search has found a counterexample.

    Parameters
    ----------
    values, weights, alpha
        As for `betting_limit`.
    end_weight : float or None, default=None
        Weight of the added 0; None: that of the heaviest value.

    Returns
    -------
    float

    References
    ----------
    D. Rubin, "The Bayesian Bootstrap", Annals of Statistics 9 (1981).

    E. Learned-Miller and P. Thomas, "A new confidence interval for the mean of a
    bounded random variable", arXiv:1905.06208 (2019).
    """
    end_weight = weights.max() if end_weight is None else end_weight
    pairs, times = np.unique(
        np.column_stack([np.append(values, 0.0), np.append(weights, end_weight)]),
        axis=0,
        return_counts=True,
    )
    of_sum = _by_imhof
    if len(times) > _MOST_DIFFERENT or times.sum() > _MOST_VALUES:
        of_sum = sum_at_most_0

    def excess(mean):
        return of_sum(pairs[:, 1] * (pairs[:, 0] - mean), times) - alpha

    return _root(excess, np.average(values, weights=weights))


def two_sided(limit, values, weights, bounds, confidence_level):
    """Return both ends of the interval of a mean by one of the limits above."""
    low, high = bounds
    weights = np.ones(len(values)) if weights is None else weights
    shares = (values - low) / (high - low)
    alpha = (1 - confidence_level) / 2
    ends = limit(shares, weights, alpha), 1 - limit(1 - shares, weights, alpha)
    return tuple(low + (high - low) * end for end in ends)


def _root(excess, mean):
    """Return the root of a function that rises between 0 and the mean."""
    near, top = 1e-9 * mean, mean * (1 - 1e-9)
    if mean <= 1e-12 or excess(near) >= 0:
        return 0.0
    return top if excess(top) <= 0 else optimize.brentq(excess, near, top, xtol=1e-10)


def _by_imhof(terms, times):
    """Return P(sum of exponential variables times terms <= 0), exactly.

    References
    ----------
    J. P. Imhof, "Computing the distribution of quadratic forms in normal variables",
    Biometrika 48 (1961).
    """
    angles = np.multiply.outer(_NODES / np.sqrt(times @ terms**2), terms)
    sines = np.sin(np.arctan(angles) @ times)
    heights = sines * np.exp(-0.5 * np.log1p(angles**2) @ times)
    # Trapezoids on a logarithmic scale; below the first node, the integrand is
    # proportional to the node.
    return 0.5 - (0.1 * (heights.sum() - heights[0] / 2) + heights[0]) / np.pi


def sum_at_most_0(terms, times):
    """Return the same probability approximately, for many terms.

    References
    ----------
    R. Lugannani and S. Rice, "Saddle point approximation for the distribution of the
    sum of independent random variables", Advances in Applied Probability 12 (1980).
    """

    def slope(s):
        return times @ (terms / (1 - s * terms))

    room = 1 / terms.min(), 1 / terms.max()
    s = optimize.brentq(slope, *((1 - 1e-12) * np.array(room)), xtol=1e-300)
    root = np.sign(s) * np.sqrt(max(2 * times @ np.log1p(-s * terms), 0.0))
    if abs(root) < 1e-6:
        return 0.5
    height = s * np.sqrt(times @ (terms / (1 - s * terms)) ** 2)
    return special.ndtr(root + np.log(height / root) / root)
