"""Values of queries as samples, for intervals of means."""

import numpy as np
from scipy import stats

from sklearn_irmetrics._statistics.moments import sum_of_pairs


class Sample:
    """Values and their weights, or None, in a fixed order."""

    def __init__(self, values, weights):
        self.values, self.weights, self.n = values, weights, len(values)
        self.least, self.most = values.min(initial=np.inf), values.max(initial=-np.inf)

    def t(self, confidence_level):
        """Return standard error and t interval of the mean."""
        return t_interval(self.values, self.weights, confidence_level)

    def t_with_ends(self, ends, confidence_level, end_weight):
        """Return the t interval with one more value at each end of the range."""
        weights = self.weights
        mean = np.average(self.values, weights=weights)
        if weights is not None or end_weight != 1:
            weights = np.ones(self.n) if weights is None else weights
            weights = np.append(weights, [end_weight * weights.mean()] * 2)
        values = np.append(self.values, ends)
        _, (low, high) = t_interval(values, weights, confidence_level)
        return min(low, mean), max(high, mean)


def t_interval(values, weights, confidence_level):
    """Return standard error and t interval of the mean of two values or more."""
    values, exponent = near_one(values)
    error, ends = _t_interval(values, weights, confidence_level)
    with np.errstate(over="ignore"):
        error, *ends = np.ldexp([error, *ends], exponent).tolist()
    return error, tuple(ends)


def near_one(values):
    """Return values divided exactly by a power of two, and its exponent.

    Powers of very large or small values could overflow.
    """
    exponent = np.frexp(np.abs(values).max())[1]
    return np.ldexp(values, -exponent), exponent


def _t_interval(values, weights, confidence_level):
    """Return the standard error of a mean and the ends of its t interval.

    With unequal weights, the error is unbiased if all values have the same variance
    (HC2). The degrees of freedom are Bell and McCaffrey's, ``tr(G)^2 / tr(G G)``, where
    `G` is the matrix of the squared error as a quadratic form.
    """
    share = np.ones(len(values)) if weights is None else weights
    share = share / share.sum()
    if share.max() == 1.0:
        return np.nan, (np.nan, np.nan)
    mean = (share * values).sum()
    c = share**2 / (1 - share)
    error = np.sqrt((c * (values - mean) ** 2).sum())
    # G[i, j] = sqrt(c[i] c[j]) * ((i == j) - share[i] - share[j] + sum(share^2))
    own = (share**2).sum() - 2 * share
    trace = (c * (1 + own)).sum()
    pairs = sum_of_pairs(
        (share**2).sum(), c.sum(), (c * share).sum(), (c * share**2).sum()
    )
    squares = (c**2 * (1 + 2 * own)).sum() + pairs
    reach = stats.t.ppf((1 + confidence_level) / 2, trace**2 / squares) * error
    return error, (mean - reach, mean + reach)
