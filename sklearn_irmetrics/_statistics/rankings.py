"""Intervals of measures of one ranking of rows: ROC AUC and average precision."""

import numpy as np

from sklearn_irmetrics._arrays.rows import divide, divide_or_zero
from sklearn_irmetrics._statistics.intervals import (
    UNKNOWN,
    cut_to_range,
    range_note,
    reach_of_sum,
    unit_influences,
)
from sklearn_irmetrics._statistics.moments import WeightedSums


def placements(scores, others, weights):
    """Return the share of the other class below each score; equal ones count half.

    Parameters
    ----------
    scores : ndarray of shape (n_rows,)
        The scores of one class.
    others, weights : ndarray of shape (n_others,)
        Those of the other class, and their weights.
    """
    order = np.argsort(others)
    below = np.append(0.0, np.cumsum(weights[order]))
    sides = (np.searchsorted(others[order], scores, side) for side in ("left", "right"))
    return sum(below[side] for side in sides) / (2 * below[-1])


class RocAreas:
    """The area under the ROC curve of each split, from values of rows.

    The area is the mean of the placement values of either class, the shares of the
    other class that are on the right side of each row.

    Parameters
    ----------
    relevant : bool array of shape (n_rows,)
        The positives.
    scores, weights : ndarray of shape (n_rows,)
        Of each row.
    splits, units : int array of shape (n_rows,)
        Of each row; numbers from 0. A unit may have rows in several splits.

    Attributes
    ----------
    split_scores : ndarray of shape (n_splits,)
        The areas; NaN if a class is missing.
    n_units : int
        How many there are.
    classes : list of WeightedSums
        Of the units of the class with fewer rows, and of those of the other one.
    covariance : float
        What units with rows of both classes add to the sum of the variances.
    sizes : tuple of int
        The number of positives and of negatives.
    """

    def __init__(self, relevant, scores, *, weights, splits, units):
        n_splits, self.n_units = splits.max() + 1, units.max() + 1
        values, shares = np.full(len(scores), np.nan), np.zeros(len(scores))
        self.split_scores = np.full(n_splits, np.nan)
        order = np.argsort(splits, kind="stable")
        starts = np.searchsorted(splits[order], np.arange(1, n_splits))
        for split, rows in enumerate(np.split(order, starts)):
            is_positive = relevant[rows]
            classes = rows[is_positive], rows[~is_positive]
            if not all(map(len, classes)):
                continue
            for sign, own, other in ((1, *classes), (-1, *classes[::-1])):
                at = sign * scores[own], sign * scores[other], weights[other]
                values[own] = placements(*at)
                shares[own] = weights[own] / (n_splits * weights[own].sum())
            positives = classes[0]
            self.split_scores[split] = np.average(
                values[positives], weights=weights[positives]
            )
        # The models of splits may differ, which says nothing of their own rows.
        values += self.split_scores.mean() - self.split_scores[splits]
        self.sizes = int(relevant.sum()), int((~relevant).sum())
        rare = relevant if self.sizes[0] <= self.sizes[1] else ~relevant
        self.classes, moved = [], []
        for at in (rare, ~rare):
            weight = np.bincount(units[at], shares[at], minlength=self.n_units)
            total = shares[at] * values[at]
            total = np.bincount(units[at], total, minlength=self.n_units)
            there = weight > 0
            sums = WeightedSums.of(total[there] / weight[there], weight[there])
            self.classes.append(sums)
            moved.append(total - weight * sums.mean)
        self.covariance = 2 * float((moved[0] * moved[1]).sum())


def interval_of_areas(areas, *, confidence_level, units, method="auto"):
    """Return standard error, interval and its name of the mean area under ROC curves.

    The variances of the mean placement values of both classes add up (DeLong, DeLong
    and Clarke-Pearson; with units of several rows, Obuchowski), with Satterthwaite's
    degrees of freedom. As in `interval_of_mean`, the values of the rarer class have one
    more at 0 and at 1.

    Parameters
    ----------
    areas : RocAreas
        The areas.
    confidence_level, units
        As for `interval_of_mean`.
    method : {"auto", "t"}, default="auto"
        "t" adds no values.

    References
    ----------
    E. DeLong, D. DeLong and D. Clarke-Pearson, "Comparing the Areas under Two or More
    Correlated Receiver Operating Characteristic Curves: A Nonparametric Approach",
    Biometrics 44 (1988).

    N. Obuchowski, "Nonparametric Analysis of Clustered ROC Curve Data", Biometrics 53
    (1997).
    """
    rare, common = areas.classes
    if min(rare.n, common.n) < 2:
        return float("nan"), UNKNOWN, f"none: fewer than two {units} of a class"
    area = areas.split_scores.mean()
    error, plain = _error_and_reach([rare, common], areas.covariance, confidence_level)
    how = "t over {} positives and {} negatives".format(*areas.sizes)
    if len(areas.split_scores) > 1 or areas.n_units < sum(areas.sizes):
        how += f" of {areas.n_units} {units}"
    center, reach = area, plain
    if method == "auto":
        wider = rare.with_ends((0.0, 1.0), confidence_level)
        center += wider.mean - rare.mean
        parts = [wider, common]
        reach = _error_and_reach(parts, areas.covariance, confidence_level)[1]
        how += range_note(min(rare.n, common.n), reach, plain)
    elif not error:
        return error, UNKNOWN, "none: nothing varies"
    ends = min(center - reach, area), max(center + reach, area)
    return error, cut_to_range(ends, (0.0, 1.0), np.array([area])), how


def _error_and_reach(parts, covariance, confidence_level):
    """Return the standard error of a sum of means, and how far its t interval reaches.

    The covariance is between the means; their variances alone decide the degrees of
    freedom.
    """
    errors = [part.standard_error for part in parts]
    reach = reach_of_sum(errors, [part.freedom for part in parts], confidence_level)
    independent = np.square(errors).sum()
    if not independent:
        return 0.0, 0.0
    scale = np.sqrt(max(1 + covariance / independent, 0.0))
    return float(scale * np.sqrt(independent)), scale * reach


class Ranking:
    """One ranking of relevant and other rows, in groups of equal scores.

    Parameters
    ----------
    relevant : bool array of shape (n_rows,)
        The relevant rows.
    scores : ndarray of shape (n_rows,)
        Their scores.
    weights : ndarray of shape (n_rows,) or None
        Of each row; None: equal. Must be None if `expected`.
    expected : bool
        Whether average precision under ties is its mean over the orders of the tied
        rows, as in this package. Otherwise these count as one step, as in scikit-learn.
    """

    def __init__(self, relevant, scores, *, weights, expected):
        self._relevant, self._weights, self._expected = relevant, weights, expected
        _, self._group = np.unique(-scores, return_inverse=True)
        relevant_weights = relevant if weights is None else relevant * weights
        self._n = np.bincount(self._group, weights)
        self._n_relevant = np.bincount(self._group, relevant_weights)
        above = np.cumsum(self._n) - self._n
        relevant_above = np.cumsum(self._n_relevant) - self._n_relevant
        self._above, self._relevant_above = above, relevant_above
        self._harmonic = np.append(0.0, np.cumsum(1 / np.arange(1, len(scores) + 1)))
        self._total = self._n_relevant.sum()

    def _terms(self, n, n_relevant, above, relevant_above):
        """Return the terms of groups in the sum of precisions at relevant rows."""
        if not self._expected:
            return n_relevant * divide_or_zero(relevant_above + n_relevant, above + n)
        # Other relevant rows of the group are equally likely at each of its ranks.
        density = divide_or_zero(n_relevant - 1, n - 1)
        first = relevant_above + 1 - density * (above + 1)
        ranks = self._harmonic[above + n] - self._harmonic[above]
        return divide_or_zero(n_relevant, n) * (first * ranks + density * n)

    def average_precision(self):
        """Return average precision, NaN without relevant rows."""
        groups = self._n, self._n_relevant, self._above, self._relevant_above
        return float(divide(self._terms(*groups).sum(), self._total))

    def average_precision_without(self):
        """Return average precision without each row, NaN without relevant rows.

        It is exact where rows weigh the same, and linear in their weights where they
        differ.
        """
        if self._weights is not None:
            return self._linear_average_precision_without()
        groups = self._n, self._n_relevant, self._above, self._relevant_above
        before = np.cumsum(terms := self._terms(*groups)) - terms
        left = np.empty(len(self._relevant))
        for relevance in (0, 1):
            at = self._relevant == relevance
            shrunk = self._terms(
                self._n - 1,
                self._n_relevant - relevance,
                self._above,
                self._relevant_above,
            )
            moved = np.append(
                self._terms(
                    self._n[1:],
                    self._n_relevant[1:],
                    self._above[1:] - 1,
                    self._relevant_above[1:] - relevance,
                ),
                0.0,
            )
            after = np.cumsum(moved[::-1])[::-1]
            sums = before + shrunk + after
            left[at] = divide(sums, self._total - relevance)[self._group[at]]
        return left

    def _linear_average_precision_without(self):
        weights, group = self._weights, self._group
        below = self._above + self._n
        precision = (self._relevant_above + self._n_relevant) / below
        average = self._n_relevant @ precision / self._total
        # What a unit of weight adds to the precision of its group and of all below.
        gained, lost = (
            np.cumsum((self._n_relevant * values / below)[::-1])[::-1]
            for values in (np.ones(len(below)), precision)
        )
        slopes = self._relevant * (precision - average + gained)[group] - lost[group]
        return average - weights * slopes / self._total


class AveragePrecisions:
    """The average precision of each split, and what each unit does to their mean.

    Parameters
    ----------
    relevant : bool array of shape (n_rows,)
        The relevant rows.
    scores, weights : ndarray of shape (n_rows,)
        Of each row.
    splits, units : int array of shape (n_rows,)
        Of each row; numbers from 0. A unit may have rows in several splits.
    expected : bool
        As for `Ranking`; then weights must be equal.

    Attributes
    ----------
    split_scores : ndarray of shape (n_splits,)
        The values; NaN without relevant rows.
    influences : ndarray of shape (n_units,)
        See `unit_influences`. For a unit of several rows, the influences of these are
        added up. NaN if no relevant row would be left.
    n_rare : float
        The effective number of units of the rarer class.
    """

    def __init__(self, relevant, scores, *, weights, splits, units, expected):
        n_splits, n_units = splits.max() + 1, units.max() + 1
        self.split_scores, changes = np.empty(n_splits), np.empty(len(scores))
        order = np.argsort(splits, kind="stable")
        starts = np.searchsorted(splits[order], np.arange(1, n_splits))
        is_weighted = np.ptp(weights) > 0
        for split, rows in enumerate(np.split(order, starts)):
            ranking = Ranking(
                relevant[rows],
                scores[rows],
                weights=weights[rows] if is_weighted else None,
                expected=expected,
            )
            self.split_scores[split] = ranking.average_precision()
            changes[rows] = ranking.average_precision_without()
            changes[rows] -= self.split_scores[split]
        pairs, pair = np.unique(splits * n_units + units, return_inverse=True)
        split, unit = np.divmod(pairs, n_units)
        left = self.split_scores[split] + np.bincount(pair, changes)
        self.influences = unit_influences(self.split_scores, left, split, unit, n_units)
        self.n_rare = min(
            _effective_number(units[of_class], weights[of_class])
            for of_class in (relevant, ~relevant)
        )


def _effective_number(units, weights):
    """Return the number of units of equal weight that vary as much as these (Kish)."""
    n_rows = np.bincount(units)
    mean_weights = divide_or_zero(np.bincount(units, weights), n_rows)
    return divide_or_zero(mean_weights.sum() ** 2, np.square(mean_weights).sum())[()]


def interval_of_average_precision(rankings, *, confidence_level, units, method="auto"):
    """Return standard error, interval and its name of mean average precision of splits.

    They are those of a mean over pseudo-values, ``estimate + n * influence``, and two
    more values, 0 and 1, as in `interval_of_mean`. These count as units of the rarer
    class, and there are no more degrees of freedom than such units and one.

    Parameters
    ----------
    rankings : AveragePrecisions
        The values of splits and the influences of units.
    confidence_level, units
        As for `interval_of_mean`.
    method : {"auto", "t"}, default="auto"
        "t" adds no values.
    """
    influences, n_rare = rankings.influences, rankings.n_rare
    estimate, n = rankings.split_scores.mean(), len(influences)
    if n < 3 or not n_rare:
        return float("nan"), UNKNOWN, f"none: fewer than three {units}, or one class"
    pseudo = WeightedSums.of(estimate + n * (influences - influences.mean()))
    error, how = pseudo.standard_error, f"jackknife t over {n} {units}"
    plain = reach_of_sum([error], [pseudo.freedom], confidence_level)
    center, reach = estimate, plain
    if method == "auto":
        wider = pseudo.with_ends((0.0, 1.0), confidence_level, n / n_rare)
        freedom = min(wider.freedom, n_rare + 1)
        reach = reach_of_sum([wider.standard_error], [freedom], confidence_level)
        center = wider.mean
        how += range_note(n_rare, reach, plain)
    elif not error:
        return error, UNKNOWN, "none: nothing varies"
    ends = min(center - reach, estimate), max(center + reach, estimate)
    return error, cut_to_range(ends, (0.0, 1.0), np.array([estimate])), how
