"""Twins of intervals."""

import numpy as np
from scipy import stats


def naive_interval(values, weights, bounds, level):
    """Sums over values and the two ends of their range, degrees of freedom by G."""
    n = len(values)
    weights = [1.0] * n if weights is None else [float(w) for w in weights]
    low, high = min(values), max(values)
    reach = (10 / n if n < 10 else 1) * (high - low)
    if high - low <= 1e-12 * max(abs(low), abs(high)):  # alike, but for rounding
        ends = list(bounds)
    else:
        ends = [max(bounds[0], low - reach), min(bounds[1], high + reach)]
    x, w = [*values, *ends], [*weights, *[sum(weights) / n] * 2]
    share = [one / sum(w) for one in w]
    mean = sum(s * one for s, one in zip(share, x, strict=True))
    c = [s**2 / (1 - s) for s in share]
    error = sum(a * (one - mean) ** 2 for a, one in zip(c, x, strict=True)) ** 0.5
    centred = np.eye(n + 2) - np.outer(np.ones(n + 2), share)
    form = np.sqrt(np.outer(c, c)) * (centred @ centred.T)
    freedom = np.trace(form) ** 2 / np.trace(form @ form)
    reach = stats.t.ppf((1 + level) / 2, freedom) * error
    plain = sum(a * b for a, b in zip(weights, values, strict=True)) / sum(weights)
    return (
        max(bounds[0], min(plain, mean - reach)),
        min(bounds[1], max(plain, mean + reach)),
    )
