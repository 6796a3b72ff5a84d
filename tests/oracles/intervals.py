"""References of intervals."""

import numpy as np
from scipy import stats


def naive_interval(values, weights, bounds, level):
    """Sums over values and the two ends of their range, degrees of freedom by G."""
    n = len(values)
    weights = [1.0] * n if weights is None else [float(w) for w in weights]
    x, w = [*values, *bounds], [*weights, *[sum(weights) / n] * 2]
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


def naive_betting_limit(values, weights, alpha):
    """Bisect the mean at which the wealth, product by product, is 1 / alpha."""
    shares = [weight / max(weights) for weight in weights]
    size = (2 * np.log(1 / alpha) / sum(share**2 for share in shares)) ** 0.5

    def wealth(mean):
        total = 0.0
        for spread, part in ((0.3, 0.7), (0.1, 0.2), (0.03, 0.1)):
            stake = min(size / spread, 0.85 / mean)
            for value, share in zip(values, shares, strict=True):
                part *= 1 + stake * share * (value - mean)
            total += part
        return total

    low, high = 1e-9, 1.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if wealth(middle) > 1 / alpha else (low, middle)
    return low
