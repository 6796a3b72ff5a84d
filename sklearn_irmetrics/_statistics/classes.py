"""Intervals of measures that average classes, or count pairs of classes."""

from functools import cached_property

import numpy as np
from scipy import stats

from sklearn_irmetrics._arrays.rows import divide, divide_or_zero
from sklearn_irmetrics._statistics.intervals import (
    UNKNOWN,
    cut_to_range,
    range_note,
    reach_of_sum,
    unit_influences,
)
from sklearn_irmetrics._statistics.moments import WeightedSums, weight_of_ends

# Of the tables of the jackknife, one for each pair of classes in each split.
_MOST_CELLS = 1_000_000


def interval_of_class_means(
    values, *, weights, classes, confidence_level, units, method="auto"
):
    """Return standard error, interval and its name of the mean of the means of classes.

    The variances of the means add up, with Satterthwaite's degrees of freedom. As in
    `interval_of_mean`, each class has one more value at 0 and at 1.

    Parameters
    ----------
    values, weights : ndarray of shape (n_rows,)
        Values from 0 to 1, and what they weigh in the mean of their class.
    classes : int array of shape (n_rows,)
        The class of each row.
    confidence_level, units
        As for `interval_of_mean`.
    method : {"auto", "t"}, default="auto"
        "t" adds no values.
    """
    inside = [classes == label for label in np.unique(classes)]
    smallest = min(int(at.sum()) for at in inside)
    if smallest < 2:
        return float("nan"), UNKNOWN, f"none: a class has fewer than two {units}"
    parts = [WeightedSums.of(values[at], weights[at]) for at in inside]
    mean, errors, freedoms = _mean_of_means(parts)
    error = float(np.sqrt(np.square(errors).sum()))
    how = f"t over {len(values)} {units} in {len(parts)} classes"
    plain = reach = reach_of_sum(errors, freedoms, confidence_level)
    center = mean
    if method == "auto":
        with_ends = [part.with_ends((0.0, 1.0), confidence_level) for part in parts]
        _, errors, freedoms = _mean_of_means(with_ends)
        reach = reach_of_sum(errors, freedoms, confidence_level)
        center += _move_of_classes(parts, with_ends, 1 / len(parts))
        how += range_note(smallest, reach, plain)
    elif not error:
        return error, UNKNOWN, "none: nothing varies"
    ends = min(center - reach, mean), max(center + reach, mean)
    return error, cut_to_range(ends, (0.0, 1.0), np.array([mean])), how


def _move_of_classes(means, wider, shares):
    """Return the shift of an average of means by values at the ends of the range.

    The moves of the classes add up as their errors do, in quadrature, those upwards and
    those downwards apart. A plain sum would grow with the number of classes, while the
    error of their average falls.
    """
    moves = shares * np.subtract(
        [new.mean for new in wider], [old.mean for old in means]
    )
    up, down = np.maximum(moves, 0.0), np.minimum(moves, 0.0)
    return float(np.sqrt(up @ up) - np.sqrt(down @ down))


def interval_of_class_average(estimate, error, means, shares, *, confidence_level):
    """Return the interval of an average of means of classes, and how wide it is.

    To the variance of the average is added what two more values, 0 and 1, would add to
    that of each class alone, as in `interval_of_mean`. The degrees of freedom are
    Satterthwaite's over classes.

    Parameters
    ----------
    estimate, error : float
        The average and its standard error, which knows how the classes depend on each
        other.
    means : list of WeightedSums
        The mean of each class.
    shares : ndarray of shape (n_classes,)
        Of the classes in the average.
    confidence_level : float
        Such as 0.95.

    Returns
    -------
    ends : tuple of float
    reach : float
        Half of the width, before the ends were cut to the range.
    """
    wider = [mean.with_ends((0.0, 1.0), confidence_level) for mean in means]
    errors = shares * [mean.standard_error for mean in wider]
    own = shares * np.nan_to_num([mean.standard_error for mean in means])
    added = max(np.square(errors).sum() - np.square(own).sum(), 0.0)
    scale = np.sqrt((error**2 + added) / np.square(errors).sum())
    freedoms = [mean.freedom for mean in wider]
    reach = scale * reach_of_sum(errors, freedoms, confidence_level)
    center = estimate + _move_of_classes(means, wider, shares)
    ends = min(center - reach, estimate), max(center + reach, estimate)
    return cut_to_range(ends, (0.0, 1.0), np.array([estimate])), reach


def _mean_of_means(parts):
    """Return the mean of means, and the error and the degrees of freedom of each."""
    means, errors, freedoms = np.transpose(
        [(part.mean, part.standard_error, part.freedom) for part in parts]
    )
    return means.mean(), errors / len(parts), freedoms


class ClassRatios:
    """Ratios of the classes of each split, such as F1, and the mean of their means.

    A class is averaged in a split if it has any entry there. Its ratio is 0 if its
    denominators are, and rests on its entries then.

    Parameters
    ----------
    numerators, denominators : ndarray of shape (n_entries,)
        What a row adds to the two terms of the ratio of a class. A row may have entries
        in several classes.
    classes, splits, units : int array of shape (n_entries,)
        Of each entry; numbers from 0.

    Attributes
    ----------
    split_scores : ndarray of shape (n_splits,)
        The mean ratio of the classes in each split.
    n_units, n_classes : int
        How many there are.
    """

    def __init__(self, numerators, denominators, *, classes, splits, units):
        self.n_units, self.n_classes = units.max() + 1, classes.max() + 1
        # A cell is a class in a split, a part the entries of a unit in a cell.
        cells, cell = np.unique(splits * self.n_classes + classes, return_inverse=True)
        self._split, self._class = np.divmod(cells, self.n_classes)
        is_empty = np.bincount(cell, denominators) == 0
        denominators = np.where(is_empty[cell], 1.0, denominators)
        parts, part = np.unique(cell * self.n_units + units, return_inverse=True)
        self._cell, self._unit = np.divmod(parts, self.n_units)
        self._parts = np.bincount(part, numerators), np.bincount(part, denominators)
        self._sums = tuple(np.bincount(self._cell, terms) for terms in self._parts)
        self._ratios = self._sums[0] / self._sums[1]
        self._n_averaged = np.bincount(self._split)
        totals = np.bincount(self._split, self._ratios)
        self.split_scores = totals / self._n_averaged

    @cached_property
    def influences(self):
        """How far each unit moves the mean score, NaN if a split has no other.

        See `unit_influences`.
        """
        split = self._split[self._cell]
        pairs, pair = np.unique(split * self.n_units + self._unit, return_inverse=True)
        split, unit = np.divmod(pairs, self.n_units)
        numerators, denominators = (
            sums[self._cell] - parts
            for sums, parts in zip(self._sums, self._parts, strict=True)
        )
        # Differences of weighted sums may leave rounding errors.
        denominators[denominators <= 1e-12 * self._sums[1][self._cell]] = 0.0
        left = divide_or_zero(numerators, denominators)
        is_alone = np.bincount(self._cell)[self._cell] == 1
        changes = np.bincount(pair, left - self._ratios[self._cell])
        n_averaged = self._n_averaged[split] - np.bincount(pair, is_alone)
        totals = self.split_scores[split] * self._n_averaged[split]
        left = divide(totals + changes, n_averaged)
        return unit_influences(self.split_scores, left, split, unit, self.n_units)

    def means(self):
        """Return the ratio of each class over splits, as sums of a weighted mean.

        Its values are the ratios of units, from 0 to 1. The weights of all classes sum
        to 1, or to less if a class has no denominators, so that their weighted mean is
        the mean score.
        """
        shares = 1 / (len(self._n_averaged) * self._n_averaged[self._split])
        class_and_unit = self._class[self._cell] * self.n_units + self._unit
        keys, key = np.unique(class_and_unit, return_inverse=True)
        numerators, denominators = (
            np.bincount(key, (shares / self._sums[1])[self._cell] * parts)
            for parts in self._parts
        )
        counted = denominators > 0
        values = numerators[counted] / denominators[counted]
        starts = np.searchsorted(
            keys[counted], self.n_units * np.arange(1, self.n_classes)
        )
        of_classes = np.split(values, starts), np.split(denominators[counted], starts)
        return [
            WeightedSums.of(values, weights)
            for values, weights in zip(*of_classes, strict=True)
            if len(values)
        ]


def interval_of_class_ratios(ratios, *, confidence_level, units, method="auto"):
    """Return standard error, interval and its name of a mean of ratios of classes.

    The ratios of classes depend on each other, as an error counts in two of them. The
    variance of their mean is therefore that of the jackknife. See
    `interval_of_class_average`.

    Parameters
    ----------
    ratios : ClassRatios
        The ratios.
    confidence_level, units
        As for `interval_of_mean`.
    method : {"auto", "t"}, default="auto"
        "t" adds no values.
    """
    n, influences = ratios.n_units, ratios.influences
    if n < 3:
        return float("nan"), UNKNOWN, f"none: fewer than three {units}"
    estimate = ratios.split_scores.mean()
    error = float(np.sqrt(n) * influences.std(ddof=1))
    how = f"jackknife t over {n} {units} in {ratios.n_classes} classes"
    plain = reach_of_sum([error], [n - 1], confidence_level)
    if method == "auto":
        means = ratios.means()
        shares = np.array([mean.weight for mean in means])
        ends, reach = interval_of_class_average(
            estimate, error, means, shares, confidence_level=confidence_level
        )
        how += range_note(min(mean.n for mean in means), reach, plain)
        return error, ends, how
    if not error:
        return error, UNKNOWN, "none: nothing varies"
    ends = estimate - plain, estimate + plain
    return error, cut_to_range(ends, (0.0, 1.0), np.array([estimate])), how


class ClassTable:
    """Rows by true and by predicted class in each split, and the mean of a measure.

    Parameters
    ----------
    measure : callable
        From tables to their values and derivatives; see `matthews`.
    true, predicted : int array of shape (n_rows,)
        Classes, numbers from 0.
    splits, units : int array of shape (n_rows,)
        Of each row; numbers from 0. A unit may have rows in several splits.
    weights : ndarray of shape (n_rows,)
        What the rows count in the table of their split.

    Attributes
    ----------
    split_scores : ndarray of shape (n_splits,)
        The values.
    n_units : int
        How many there are.
    sizes : ndarray of shape (n_classes,)
        The number of units with rows of each true class.
    """

    def __init__(self, measure, true, predicted, *, splits, units, weights):
        n_splits, n_classes = splits.max() + 1, max(true.max(), predicted.max()) + 1
        self.measure, self.n_units = measure, units.max() + 1
        self._cell = (splits * n_classes + true) * n_classes + predicted
        self._key = units * n_classes + true  # a unit and a class
        self._weights, self._splits, self._units = weights, splits, units
        shape = n_splits, n_classes, n_classes
        cells = np.bincount(self._cell, weights, minlength=np.prod(shape))
        self._tables = cells.reshape(shape)
        self.split_scores, self._derivatives = measure(self._tables)
        pairs = np.unique(splits * self.n_units + units)
        self._shares = np.bincount(pairs // self.n_units) / self.n_units
        n_times = np.bincount(pairs % self.n_units)  # a unit is in so many splits
        counts = self._by_unit(weights) / n_times[:, np.newaxis]
        self.sizes = np.count_nonzero(counts, axis=0)
        self._weight, self._squared_weight = counts.sum(axis=0), (counts**2).sum(axis=0)

    def _by_unit(self, values):
        """Return the sums of the values of rows, of shape (n_units, n_classes)."""
        shape = self.n_units, len(self._tables[0])
        return np.bincount(self._key, values, minlength=np.prod(shape)).reshape(shape)

    def _influences(self, derivatives):
        """Return the influence of the rows of each unit on the mean score, by class."""
        moved = self._weights * derivatives.ravel()[self._cell]
        return self._by_unit(moved / len(self._tables))

    @property
    def standard_error(self):
        """The standard error of the mean score, by the delta method or the jackknife.

        It is the larger of both: splits of few rows are far from the linear function of
        the delta method.
        """
        influences = self._influences(self._derivatives).sum(axis=1)
        spread = max(influences.std(ddof=1), self._spread_of_jackknife())
        return float(np.sqrt(self.n_units) * spread)

    def _spread_of_jackknife(self):
        """Return the spread of the influences of single rows, 0 if it is not known.

        Rows in one cell have the same influence, unless they have different weights or
        a unit has several rows of a split.
        """
        cells, cell = np.unique(self._cell, return_inverse=True)
        size = self._tables[0].size
        pairs = self._splits * self.n_units + self._units
        if np.ptp(self._weights) or len(np.unique(pairs)) < len(pairs):
            return 0.0
        if len(cells) * size > _MOST_CELLS:
            return 0.0
        split = cells // size
        left = self._tables[split].reshape(len(cells), size)
        left[np.arange(len(cells)), cells % size] -= self._weights[0]
        left, _ = self.measure(left.reshape(-1, *self._tables.shape[1:]))
        left = np.where(np.isnan(left), self.split_scores[split], left)
        influences = unit_influences(
            self.split_scores, left[cell], self._splits, self._units, self.n_units
        )
        return influences.std(ddof=1)

    def with_rows(self, number):
        """Return the mean score with more rows, its standard error, and its freedom.

        Parameters
        ----------
        number : float
            How many right and how many wrong units are added. The classes that occur
            share them equally; the wrong ones are predicted to be all others.
        """
        there = self.sizes > 0
        n_classes = len(there)
        number /= np.count_nonzero(there)
        added = np.full((n_classes, n_classes), number / (n_classes - 1))
        np.fill_diagonal(added, number)
        added[~there] = 0.0
        typical = divide_or_zero(self._squared_weight, self._weight)[:, np.newaxis]
        # An added unit is in all splits, in each with the share of units in it.
        shares = self._shares[:, np.newaxis, np.newaxis]
        scores, derivatives = self.measure(self._tables + shares * typical * added)
        influences = self._influences(derivatives)
        moved = typical * (shares * derivatives).sum(axis=0) / len(scores)
        of_added = (added * moved**2).sum(axis=1)
        variance = np.square(influences.sum(axis=1)).sum() + of_added.sum()
        of_classes = (np.square(influences).sum(axis=0) + of_added)[there]
        weight = (self._weight + 2 * number * typical[:, 0])[there]
        squared = (self._squared_weight + 2 * number * typical[:, 0] ** 2)[there]
        freedoms = np.maximum(weight**2 / squared - 1, 0.5)
        freedom = of_classes.sum() ** 2 / (of_classes**2 / freedoms).sum()
        return scores.mean(), np.sqrt(variance), freedom


def interval_of_class_table(table, *, bounds, confidence_level, units, method="auto"):
    """Return standard error, interval and its name of a measure of a table of classes.

    Added are as many right and as many wrong rows as `interval_of_mean` adds to the
    values of two classes, shared equally by all classes. The interval is then that of
    the delta method, not narrower than that of the jackknife, with Satterthwaite's
    degrees of freedom over true classes.

    Parameters
    ----------
    table : ClassTable
        The rows.
    bounds : tuple of float
        Range of the measure.
    confidence_level, units
        As for `interval_of_mean`.
    method : {"auto", "t"}, default="auto"
        "t" adds no rows.
    """
    n, estimate = table.n_units, table.split_scores.mean()
    if n < 3:
        return float("nan"), UNKNOWN, f"none: fewer than three {units}"
    error, sizes = table.standard_error, table.sizes[table.sizes > 0]
    how = f"delta-method t over {n} {units} in {len(sizes)} classes"
    center, plain = estimate, reach_of_sum([error], [n - 1], confidence_level)
    reach = plain
    if method == "auto":
        number = 2 * weight_of_ends(confidence_level)
        center, wider, freedom = table.with_rows(number)
        reach = reach_of_sum([max(wider, error)], [freedom], confidence_level)
        how += range_note(sizes.min(), reach, plain)
    elif not error:
        return error, UNKNOWN, "none: nothing varies"
    ends = min(center - reach, estimate), max(center + reach, estimate)
    return error, cut_to_range(ends, bounds, np.array([estimate])), how


class LikelihoodRatios:
    """How often the rows of two classes are predicted to be positive.

    Parameters
    ----------
    positive, predicted : bool array of shape (n_rows,)
        Whether rows are positive, and whether they are predicted to be.
    splits : int array of shape (n_rows,)
        Of each row; numbers from 0.
    of_positives : bool
        Whether it is the ratio of a positive prediction, ``tpr / fpr``. Otherwise that
        of a negative one, ``fnr / tnr``.

    Attributes
    ----------
    split_scores : ndarray of shape (n_splits,)
        The ratios; NaN where the second rate is 0.
    counts : ndarray of shape (2, 2)
        Rows with the prediction and others, first of the positives.
    """

    def __init__(self, positive, predicted, *, splits, of_positives):
        told = predicted if of_positives else ~predicted
        cell = (splits * 2 + ~positive) * 2 + ~told
        n_splits = splits.max() + 1
        tables = np.bincount(cell, minlength=4 * n_splits).reshape(-1, 2, 2)
        rates = divide(tables[:, :, 0], tables.sum(axis=2))
        self.split_scores = divide(*rates.T)
        self.counts = tables.sum(axis=0)


def interval_of_likelihood_ratio(ratios, *, confidence_level, units, method="auto"):
    """Return standard error, interval and its name of a likelihood ratio.

    The interval is symmetrical for the logarithm of the ratio, with half a row more in
    each cell, as Simel and others compute it; it is moved to the mean of the ratios of
    splits. The standard error is the ratio times that of the logarithm.

    Parameters
    ----------
    ratios : LikelihoodRatios
        The rows.
    confidence_level, units
        As for `interval_of_mean`.
    method : {"auto", "t"}, default="auto"
        Both are the same.

    References
    ----------
    D. Simel, G. Samsa and D. Matchar, "Likelihood Ratios with Confidence: Sample Size
    Estimation for Diagnostic Test Studies", Journal of Clinical Epidemiology 44 (1991).
    """
    estimate, counts = ratios.split_scores.mean(), ratios.counts + 0.5
    totals = counts.sum(axis=1)
    error = np.sqrt((1 / counts[:, 0] - 1 / totals).sum())
    first, second = counts[:, 0] / totals
    center = first / second
    if len(ratios.split_scores) > 1:
        first, second = ratios.counts[:, 0] / ratios.counts.sum(axis=1)
        center *= estimate * divide(second, first) if first else 1.0
    reach = stats.norm.ppf((1 + confidence_level) / 2) * error
    ends = center * np.exp([-reach, reach])
    ends = min(ends[0], estimate), max(ends[1], estimate)
    how = f"log method over {ratios.counts.sum()} {units}"
    bounds = 0.0, np.inf
    return estimate * error, cut_to_range(ends, bounds, np.array([estimate])), how
