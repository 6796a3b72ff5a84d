"""References of intervals."""

import numpy as np
from scipy import stats

# An interval's name, whether or not the range decides its width.
BY_RANGE = "( and range limits|, widened by the measure's range)$"


def naive_interval(values, weights, bounds, level, *, cut=True):
    """Sums over values and the two ends of their range, in plain loops.

    Without `cut`, the interval may reach beyond the range.
    """
    weights = [1.0] * len(values) if weights is None else [float(w) for w in weights]
    typical = sum(one**2 for one in weights) / sum(weights)
    added = typical * stats.norm.ppf((1 + level) / 2) ** 2 / 4
    x, w = [*values, *bounds], [*weights, added, added]
    mean = sum(a * b for a, b in zip(w, x, strict=True)) / sum(w)
    kish = sum(w) ** 2 / sum(one**2 for one in w)
    squares = sum((a * (b - mean)) ** 2 for a, b in zip(w, x, strict=True))
    error = (squares * kish / (kish - 1)) ** 0.5 / sum(w)
    reach = stats.t.ppf((1 + level) / 2, kish - 1) * error
    plain = sum(a * b for a, b in zip(weights, values, strict=True)) / sum(weights)
    low, high = min(plain, mean - reach), max(plain, mean + reach)
    return (max(bounds[0], low), min(bounds[1], high)) if cut else (low, high)


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
