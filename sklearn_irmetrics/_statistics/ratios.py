"""Ratios of sums over units, such as precision and recall of classes, and averages."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from sklearn_irmetrics._statistics.intervals import (
    UNKNOWN,
    ConfidenceInterval,
    interval_of_sample,
)
from sklearn_irmetrics._statistics.moments import WeightedSums

_RANGE = 0.0, 1.0


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
        some = total > 1e-12 * (self.times @ self.total)
        return np.divide(right, total, out=left, where=some)

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


class ClassTerm(NamedTuple):
    """A ratio of one class and its share of an average.

    Attributes
    ----------
    ratio : Ratio
        Of the class; where it is undefined, it counts as 0.
    share : float
        Of the class in the average.
    """

    ratio: Ratio
    share: float


def interval_of_average(
    estimate, without_each, terms, *, times, confidence_level, units
):
    """Return standard error, interval and its name of an average of ratios of classes.

    The variance is that of the jackknife over units, and what one more value at each
    end of the range adds to that of each class, as in `interval_of_mean`. How far these
    move the ratios of the classes is added in quadrature, upwards and downwards apart:
    a sum would grow with the number of classes while the error of their mean falls.
    The degrees of freedom are Satterthwaite's, of the variances of the classes.

    Parameters
    ----------
    estimate : float
        The average.
    without_each : ndarray of shape (n_units,)
        The average without each unit.
    terms : list of ClassTerm
        The ratios that are averaged.
    times : ndarray of shape (n_units,)
        How many units are like each.
    confidence_level : float
        Such as 0.95.
    units : str
        What the units are.
    """
    n = int(times.sum())
    if n < 3:
        return float("nan"), UNKNOWN, f"none: fewer than three {units}"
    influences = estimate - without_each
    influences = influences - times @ influences / n
    variance = float(times @ influences**2) * n / (n - 1)
    error = float(np.sqrt(variance))
    shares = np.array([term.share for term in terms])
    plain = [term.ratio.sums for term in terms]
    wider = [_with_ends(sums, confidence_level) for sums in plain]
    of_classes = np.square(shares * [sums.standard_error for sums in wider])
    before = [sums.standard_error if sums.n > 1 else 0.0 for sums in plain]
    added = of_classes.sum() - np.square(shares * np.nan_to_num(before)).sum()
    freedom = (
        of_classes.sum() ** 2 / (of_classes**2 / [sums.freedom for sums in wider]).sum()
    )
    reach = stdtrit(freedom, (1 + confidence_level) / 2)
    reach *= np.sqrt(variance + max(added, 0.0))
    moved = shares * [
        with_ends.mean - (sums.mean if sums.n else 0.0)
        for sums, with_ends in zip(plain, wider, strict=True)
    ]
    center = estimate + np.hypot.reduce(moved[moved > 0], initial=0.0)
    center -= np.hypot.reduce(moved[moved < 0], initial=0.0)
    low, high = min(center - reach, estimate), max(center + reach, estimate)
    ends = ConfidenceInterval(*np.clip([low, high], *_RANGE).tolist())
    how = f"t over {n} {units} in {len(terms)} classes and range limits"
    return error, ends, how


def _with_ends(sums, confidence_level):
    """Return sums with a value at each end of the range, also where there are none."""
    if sums.n:
        return sums.with_ends(_RANGE, confidence_level)
    typical = WeightedSums(0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0)
    ends = typical.with_ends(_RANGE, confidence_level)
    return ends._replace(
        weight=ends.weight - 1.0, squared_weight=ends.squared_weight - 1.0
    )
