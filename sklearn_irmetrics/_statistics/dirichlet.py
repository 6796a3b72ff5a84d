"""Dirichlet limits of means of bounded values, for many samples at once."""

import numpy as np
from scipy import optimize, special

# The exact integral is used up to so many different values, and so many in all.
_MOST_DIFFERENT, _MOST_VALUES = 60, 200
_LEAST_EXACT = 1e-4  # smaller errors are lost in the rounding of the integral
_NODES = np.exp(np.arange(-7.0, 9.1, 0.1))
# So many numbers fit into the cache of a processor.
_CELLS = 20_000


def dirichlet_ends(values, weights, bounds, alpha):
    """Return both limits of each column, with error alpha each: (n_columns, 2).

    Parameters
    ----------
    values : ndarray of shape (n, n_columns)
        Samples, one in each column.
    weights : ndarray of shape (n,) or None
        Positive; None: all equal.
    bounds : tuple of float
        The range of the values.
    alpha : float
        Error of each limit, less than 0.5.
    """
    low, high = bounds
    shares = (values - low) / (high - low)
    weights = np.ones(len(values)) if weights is None else weights
    lower = dirichlet_limits(shares, weights, alpha)
    upper = 1 - dirichlet_limits(1 - shares, weights, alpha)
    return low + (high - low) * np.column_stack([lower, upper])


def dirichlet_limits(values, weights, alpha):
    """Return lower limits by a Bayesian bootstrap with one more value at 0.

    They are the quantiles of ``sum(g * w * x) / sum(g * w)`` over exponential g, for
    the values of a column and a 0 that weighs as much as the heaviest of them. For
    values of 0 and 1, they equal the limits of Clopper and Pearson. They are
    conjectured to hold for all distributions, and no search has found a counterexample.

    Parameters
    ----------
    values : ndarray of shape (n, n_columns)
        From 0 to 1.
    weights : ndarray of shape (n,)
        Positive.
    alpha : float
        Error of each limit, less than 0.5.

    Returns
    -------
    ndarray of shape (n_columns,)

    References
    ----------
    D. Rubin, "The Bayesian Bootstrap", Annals of Statistics 9 (1981).

    E. Learned-Miller and P. Thomas, "A new confidence interval for the mean of a
    bounded random variable", arXiv:1905.06208 (2019).
    """
    values = np.vstack([values, np.zeros(values.shape[1])])
    shares = np.append(weights / weights.max(), 1.0)[:, np.newaxis]
    order = np.lexsort((np.broadcast_to(shares, values.shape), values), axis=0)
    values, shares = np.take_along_axis(values, order, axis=0), shares[order, 0]
    means = (shares * values).sum(axis=0) / (shares.sum(axis=0) - 1)
    limits = np.zeros(len(means))
    for columns in _blocks(np.flatnonzero(means > 1e-12), len(values)):
        limits[columns] = _saddle_limits(values[:, columns], shares[:, columns], alpha)
    is_new = np.ones(values.shape, dtype=bool)
    is_new[1:] = (np.diff(values, axis=0) > 0) | (np.diff(shares, axis=0) > 0)
    n_different = is_new.sum(axis=0)
    if len(values) <= _MOST_VALUES and alpha >= _LEAST_EXACT:
        is_exact = (means > 1e-12) & (n_different <= _MOST_DIFFERENT)
        for columns in _blocks(
            np.flatnonzero(is_exact), len(_NODES) * n_different.max()
        ):
            different = _count_different(
                *(table[:, columns] for table in (values, shares, is_new))
            )
            limits[columns] = _exact_limits(
                *different, limits[columns], means[columns], alpha
            )
    return np.where(limits > 1e-9 * means, limits, 0.0)


def _blocks(columns, n_cells):
    """Yield parts of the columns, each of which fits into the cache."""
    size = max(1, _CELLS // n_cells)
    for start in range(0, len(columns), size):
        yield columns[start : start + size]


def _saddle_limits(values, shares, alpha):
    """Return approximate limits, where `sum_at_most_0` is alpha.

    With terms ``w * (x - m)``, its root s is ``-1 / (c + m)`` for some positive c. The
    mean m of a given c follows by Newton's method, in one step if all w are 1; then
    only c remains to be searched.
    """
    n, heavier = len(values), 1 / shares - 1
    quantile = special.ndtri(alpha)

    def solve(c):
        above = values + c * (1 + heavier)
        mean = np.zeros(values.shape[1])
        while True:
            below = above + mean * heavier
            slope = ((above + heavier * values) / below**2).sum(axis=0)
            step = ((values - mean) / below).sum(axis=0) / slope
            mean = mean + step
            if not heavier.any() or (step <= 1e-14 * mean).all():
                return mean

    def excess(log_c):
        c = np.exp(log_c)
        mean = solve(c)
        terms = shares * (values - mean) / (c + mean)
        root = -np.sqrt(2 * np.log1p(terms).sum(axis=0))
        height = np.sqrt(np.square(terms / (1 + terms)).sum(axis=0))
        return root + np.log(height / -root) / root - quantile

    # From there to where the limit is 1e-9 times the mean, the root is -0.01 at most.
    center = np.average(values, axis=0, weights=shares)
    high = np.log(100 * np.sqrt(np.square(shares * (values - center)).sum(axis=0)))
    low = np.log(1e-9 * center / n)
    return solve(np.exp(find_roots(excess, low, high, 1e-11)))


def _count_different(values, shares, is_new):
    """Return the different terms of sorted columns, and how often each occurs."""
    place = np.cumsum(is_new, axis=0) - 1
    shape = place.max() + 1, values.shape[1]
    terms, weights, times = np.zeros((3, *shape))
    columns = np.broadcast_to(np.arange(shape[1]), place.shape)
    terms[place, columns], weights[place, columns] = values, shares
    np.add.at(times, (place, columns), 1.0)
    return terms, weights, times


def _exact_limits(values, shares, times, near, means, alpha):
    """Return the limits by Imhof's integral, which are close to approximate ones."""

    def excess(mean):
        return _by_imhof(shares * (values - mean), times) - alpha

    least, most = 1e-9 * means, (1 - 1e-9) * means
    low, high = 0.99 * near, np.minimum(1.01 * near, most)
    is_below, is_above = excess(low) < 0, excess(high) > 0
    low, high = np.where(is_below, low, least), np.where(is_above, high, most)
    roots = find_roots(excess, low, high, 1e-11)
    return roots if is_below.all() else np.where(excess(low) >= 0, 0.0, roots)


def _by_imhof(terms, times):
    """Return P(sum of exponential variables times terms <= 0), exactly, by column.

    References
    ----------
    J. P. Imhof, "Computing the distribution of quadratic forms in normal variables",
    Biometrika 48 (1961).
    """
    scaled = terms / np.sqrt((times * terms**2).sum(axis=0))
    angles = np.multiply.outer(scaled, _NODES)
    sines = np.sin(_sum_times(np.arctan(angles), times))
    heights = sines * np.exp(-0.5 * _sum_times(np.log1p(angles**2), times))
    # Trapezoids on a logarithmic scale; below the first node, the integrand is
    # proportional to the node.
    first = heights[:, 0]
    return 0.5 - (0.1 * (heights.sum(axis=1) - first / 2) + first) / np.pi


def _sum_times(values, times):
    """Return the sum over the first axis of values that occur so many times."""
    return np.einsum("ijk,ij->jk", values, times)


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
    # Below 1e-6, the root below counts as 0.
    close = 1e-18 / np.sqrt(times @ terms**2)
    bracket = (1 - 1e-12) * np.array(room)
    s = optimize.brentq(slope, *bracket, xtol=close, maxiter=1000)
    root = np.sign(s) * np.sqrt(max(2 * times @ np.log1p(-s * terms), 0.0))
    if abs(root) < 1e-6:
        return 0.5
    height = s * np.sqrt(times @ (terms / (1 - s * terms)) ** 2)
    return special.ndtr(root + np.log(height / root) / root)


def find_roots(function, low, high, tolerance):
    """Return where a function of arrays is 0 between two ends, by element.

    SciPy has the same from version 1.15 on: `scipy.optimize.elementwise.find_root`.

    Parameters
    ----------
    function : callable
        From an array to an array; it changes its sign between the ends.
    low, high : ndarray
        The ends.
    tolerance : float
        How far a root may be off.

    References
    ----------
    T. R. Chandrupatla, "A new hybrid quadratic/bisection algorithm for finding the zero
    of a nonlinear function without using derivatives", Advances in Engineering Software
    28 (1997).
    """
    last, other = low, high
    f_last, f_other = function(low), function(high)
    share = np.full(len(low), 0.5)
    for _ in range(100):
        new = last + share * (other - last)
        f_new = function(new)
        keeps = np.sign(f_new) == np.sign(f_last)
        before, f_before = (
            np.where(keeps, last, other),
            np.where(keeps, f_last, f_other),
        )
        other, f_other = np.where(keeps, other, last), np.where(keeps, f_other, f_last)
        last, f_last = new, f_new
        width = np.abs(other - last)
        if ((width <= tolerance) | (f_last == 0)).all():
            break
        with np.errstate(divide="ignore", invalid="ignore"):
            x = (last - other) / (before - other)
            y = (f_last - f_other) / (f_before - f_other)
            share = f_last / (f_other - f_last) * f_before / (f_other - f_before)
            share += (
                (before - last)
                / (other - last)
                * f_last
                / (f_before - f_last)
                * f_other
                / (f_before - f_other)
            )
            share = np.where((y**2 < x) & ((1 - y) ** 2 < 1 - x), share, 0.5)
            least = np.minimum(tolerance / 2 / width, 0.5)
        share = np.clip(share, least, 1 - least)
    return np.where(np.abs(f_last) < np.abs(f_other), last, other)
