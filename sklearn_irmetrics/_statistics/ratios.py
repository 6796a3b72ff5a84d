"""Ratios of sums over units, such as precision and recall of classes, and averages."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sklearn_irmetrics._statistics.classes import interval_of_class_average
from sklearn_irmetrics._statistics.intervals import UNKNOWN, interval_of_sample
from sklearn_irmetrics._statistics.moments import WeightedSums

# No values, whose weight is negligible beside that of values at the ends of the range.
_NOTHING = WeightedSums(0, 0.0, 1e-9, 1e-9, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Ratio:
    """What units add to the numerator and to the denominator of a ratio.

    Such a ratio is a weighted mean over units, of values ``right / total`` with the
    weights ``total``. It is also a sample for `interval_of_sample`.

    Attributes
    ----------
    right, total : ndarray of shape (n_units,)
        Numerators from 0 to `total`, and denominators.
    times : ndarray of shape (n_units,)
        How many units add these.
    least, most : float
        The smallest and the largest possible value of a unit.
    """

    right: np.ndarray
    total: np.ndarray
    times: np.ndarray
    least: float = 0.0
    most: float = 1.0

    @property
    def n(self):
        """Number of units in the denominator."""
        return int(self.times[self.total > 0].sum())

    @cached_property
    def sums(self):
        """The sums from which the mean and its error follow."""
        right, total, times = self.right, self.total, self.times
        return WeightedSums(
            self.n,
            0.0,
            float(times @ total),
            float(times @ total**2),
            float(times @ right),
            float(times @ (right * total)),
            float(times @ right**2),
        )

    @property
    def n_effective(self):
        """Kish's effective number of units."""
        return self.sums.freedom + 1

    @property
    def value(self):
        """The ratio; NaN if the denominator is 0."""
        total = float(self.times @ self.total)
        return float(self.times @ self.right) / total if total > 0 else float("nan")

    def without_each(self):
        """Return the ratio without each unit; 0 if nothing is left."""
        right = self.times @ self.right - self.right
        total = self.times @ self.total - self.total
        left = np.zeros(len(total))
        # What rounding leaves of nothing is nothing.
        is_left = total > 1e-12 * (self.times @ self.total)
        return np.divide(right, total, out=left, where=is_left)

    def t_interval(self, confidence_level):
        """Return standard error and t interval of the ratio."""
        return self.sums.t_interval(confidence_level)

    def t_with_ends(self, ends, confidence_level, end_weight):
        """Return the t interval with one more value at each end of the range."""
        return self.sums.t_with_ends(ends, confidence_level, end_weight)

    def interval(self, confidence_level, units):
        """Return standard error, interval and its name, as `interval_of_mean` does."""
        return interval_of_sample(
            self,
            bounds=(self.least, self.most),
            confidence_level=confidence_level,
            units=units,
        )


def interval_of_average(
    estimate, without_each, ratios, shares, *, confidence_level, units
):
    """Return standard error, interval and its name of an average of ratios of classes.

    Parameters
    ----------
    estimate : float
        The average.
    without_each : ndarray of shape (n_units,)
        The average without each unit.
    ratios : list of Ratio
        Of the classes, of the same units.
    shares : ndarray of shape (n_classes,)
        Of the classes in the average.
    confidence_level : float
        Such as 0.95.
    units : str
        What the units are.
    """
    times = ratios[0].times
    n = int(times.sum())
    if n < 3:
        return float("nan"), UNKNOWN, f"none: fewer than three {units}"
    influences = (estimate - without_each) * (1 - 1 / n)
    influences = influences - times @ influences / n
    error = float(np.sqrt(times @ influences**2 * n / (n - 1)))
    means = [ratio.sums if ratio.n else _NOTHING for ratio in ratios]
    ends, _ = interval_of_class_average(
        estimate, error, means, shares, confidence_level=confidence_level
    )
    how = f"jackknife t over {n} {units} in {len(ratios)} classes and range limits"
    return error, ends, how
