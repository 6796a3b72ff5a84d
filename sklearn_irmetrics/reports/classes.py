"""A table of how well each class is predicted, with intervals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.labels import check_column_order, check_row_order
from sklearn_irmetrics._arrays.numbers import as_array, issparse
from sklearn_irmetrics._arrays.query_ids import group_rows
from sklearn_irmetrics._arrays.rows import divide_or_zero
from sklearn_irmetrics._checks import check_confidence_level
from sklearn_irmetrics._results.sentences import interval_details
from sklearn_irmetrics._results.tables import (
    Column,
    Interval,
    Number,
    Table,
    columns_of_table,
    count,
    interval_column,
)
from sklearn_irmetrics._results.tabular import Tabular
from sklearn_irmetrics._statistics.intervals import ConfidenceInterval, no_interval
from sklearn_irmetrics._statistics.ratios import Ratio, interval_of_average
from sklearn_irmetrics._typing import Array, Ids
from sklearn_irmetrics.metrics._ranking.batch import check_weights
from sklearn_irmetrics.metrics._ranking.sets import (
    check_labels,
    number_predictions,
    refuse_scores,
)

if TYPE_CHECKING:
    from sklearn_irmetrics.plot import ClassReportDisplay

MACRO, MICRO, WEIGHTED = AVERAGES = "macro avg", "micro avg", "weighted avg"
MEASURES = "precision", "recall", "f1", "specificity"
ACCURACY = "accuracy", "all"
HEADINGS = {"f1": "F1"}
_FORM = ".2f"


@dataclass(frozen=True, eq=False, repr=False)
class ClassReport(Tabular):
    """Precision, recall, F1 and specificity of each class, with intervals.

    `class_report` returns it; ``print`` shows its table. Keys are pairs of a measure
    (``"precision"``, ``"recall"``, ``"f1"`` or ``"specificity"``) and a class or
    ``"macro avg"``, ``"micro avg"`` or ``"weighted avg"``; the accuracy has the key
    ``("accuracy", "all")``.

    Attributes
    ----------
    estimate : dict of tuple to float
        The values; NaN where nothing is in the denominator, which averages count as 0.
    standard_error : dict of tuple to float
        Their standard errors.
    confidence_interval : dict of tuple to ConfidenceInterval
        ``(low, high)``; NaN if the data allow no interval.
    confidence_level : float
        Of each interval.
    interval_method : dict of tuple to str
        How each interval was made.
    n_units : dict of tuple to int
        How many rows (or groups) each value divides by.
    support : dict of object to int or float
        Number of rows of each class in `y_true`, or their weights.
    counts : dict of str to int
        Number of ``rows``, and of ``groups`` if there are any.
    """

    estimate: dict[Any, float]
    standard_error: dict[Any, float]
    confidence_interval: dict[Any, ConfidenceInterval]
    confidence_level: float
    interval_method: dict[Any, str]
    n_units: dict[Any, int]
    support: dict[Any, float]
    counts: dict[str, int]

    @property
    def classes(self) -> list[Any]:
        """The classes, in the order of the table."""
        return [*self.support]

    def plot(self, **kwargs: Any) -> ClassReportDisplay:
        """Draw the classes with their intervals; needs matplotlib.

        Parameters
        ----------
        **kwargs
            Passed to :meth:`sklearn_irmetrics.plot.ClassReportDisplay.plot`, such as
            `metrics` and `ax`.

        Returns
        -------
        sklearn_irmetrics.plot.ClassReportDisplay
        """
        from sklearn_irmetrics.plot import ClassReportDisplay

        return ClassReportDisplay(self).plot(**kwargs)

    def _columns(self):
        measures, names = zip(*self.estimate, strict=True)
        total = sum(self.support.values())
        units = "groups" if "groups" in self.counts else "rows"
        return [
            Column("measure", measures, in_index=True),
            Column("class", names, in_index=True),
            Column("estimate", [*self.estimate.values()], _FORM),
            Column("standard_error", [*self.standard_error.values()], _FORM),
            interval_column(
                [*self.confidence_interval.values()], self.confidence_level, form=_FORM
            ),
            Column(f"n_{units}", [*self.n_units.values()], str),
            Column("support", [self.support.get(name, total) for name in names], str),
            Column("interval", [*self.interval_method.values()], shown=False),
        ]

    def _table(self):
        """Return a line of values per class, each above a line of their intervals."""
        rows, total = [], sum(self.support.values())
        for name in self.classes:
            rows += self._lines(name, self.support[name])
        if ACCURACY in self.estimate:
            value, ends = self.estimate[ACCURACY], self.confidence_interval[ACCURACY]
            # Where classification_report has it: below F1.
            rows += [
                ["accuracy", "", "", Number(value, _FORM), "", _support(total)],
                ["", "", "", _outwards(ends), "", ""],
            ]
        for name in AVERAGES:
            if name != MICRO or self._shows_micro:
                rows += self._lines(name, total)
        return Table(
            title=[self._about()],
            header=["", *(HEADINGS.get(name, name) for name in MEASURES), "support"],
            rows=rows,
            sides="<>>>>>",
            notes=self._notes(),
            details=self._details(),
        )

    def _exported(self):
        return columns_of_table(self._table())

    @property
    def _shows_micro(self):
        """Whether micro averages are not all the accuracy."""
        accuracy = self.estimate.get(ACCURACY)
        return any(
            self.estimate[measure, MICRO] != accuracy for measure in MEASURES[:3]
        )

    def _lines(self, name, support):
        """Return the lines of a class or an average."""
        keys = [(measure, name) for measure in MEASURES]
        values = [Number(self.estimate[key], _FORM) for key in keys]
        ends = [_outwards(self.confidence_interval[key]) for key in keys]
        return [[str(name), *values, _support(support)], ["", *ends, ""]]

    def _about(self):
        rows = count(self.counts["rows"], "row")
        if "groups" in self.counts:
            rows = f"{rows} in {count(self.counts['groups'], 'group')}"
        return f"{rows}, {count(len(self.classes), 'class')}"

    def _notes(self):
        units = "groups of rows" if "groups" in self.counts else "rows"
        level = f"{100 * self.confidence_level:g} %"
        notes = []
        if not np.isnan([*self.confidence_interval.values()]).all():
            notes.append(
                f"Below each value: its {level} interval, for this model on new "
                f"{units} like these."
            )
        else:
            notes.append(f"No intervals: there are too few {units}.")
        lacking = {
            "precision": "Never predicted: {}. Precision is undefined there",
            "recall": "Not in y_true: {}. Recall is undefined there",
            "specificity": "Alone in y_true: {}. Specificity is undefined there",
        }
        for measure, why in lacking.items():
            undefined = [
                str(name)
                for name in self.classes
                if np.isnan(self.estimate[measure, name])
            ]
            if undefined:
                more = ", ..." if len(undefined) > 3 else ""
                names = ", ".join(undefined[:3]) + more
                is_averaged = not np.isnan(self.estimate[measure, MACRO])
                averaged = ", and 0 in averages" if is_averaged else ""
                notes.append(f"{why.format(names)}{averaged}.")
        return notes

    def _details(self):
        # The number of rows differs from cell to cell, and so does what it widens.
        methods = {
            re.sub(r" over \d+ (\w+)", r" over the \1 that count", f" {how}").strip()
            for how in self.interval_method.values()
        }
        return dict.fromkeys(
            sentence
            for how in sorted(methods)
            for sentence in interval_details({"": how.partition(", widened")[0]})
        )


def _outwards(ends):
    """Return an interval as a cell, rounded outwards: 0.998 to 1 is no certainty."""
    if np.isnan(ends.low):
        return Interval(*ends)
    low, high = np.floor(100 * ends.low + 1e-9), np.ceil(100 * ends.high - 1e-9)
    return Interval(low / 100, high / 100, _FORM)


def _support(number):
    """Return a number of rows, or their weights, as a cell."""
    whole = float(number).is_integer()
    return int(number) if whole else Number(float(number), ".1f")


def class_report(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    groups: Ids | None = None,
    confidence_level: float = 0.95,
) -> ClassReport:
    """Report how well each class is predicted, with intervals.

    The values are those of `sklearn.metrics.classification_report`.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_rows, n_labels)
        The class of each row: numbers, strings or booleans. With several labels per
        row, 0 and 1 in a column per label.
    y_pred : array-like of the shape of `y_true`
        The predicted class of each row, or its predicted labels.
    labels : array-like of shape (n_classes,), default=None
        The classes to report, in order; None: all of `y_true` and `y_pred`, sorted.
        With several labels per row, the names of all columns; None: 0, 1, ...
    sample_weight : array-like of shape (n_rows,), default=None
        One weight per row.
    groups : array-like of shape (n_rows,), default=None
        The group of each row, such as the patient or document that it belongs to.
        Intervals are then over groups, because rows of a group are not independent.
    confidence_level : float, default=0.95
        Confidence level of each interval, between 0 and 1.

    Returns
    -------
    ClassReport
        With `estimate`, `standard_error`, `confidence_interval` and others by measure
        and class; ``print`` shows the table, `to_frame()`, `to_csv()`, `to_markdown()`
        and `to_latex()` return it, and `plot()` draws it.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    contingency_table : The counts behind the report.
    sklearn.metrics.classification_report : The same values without intervals.
    sklearn_irmetrics.model_selection.evaluate : Its result has a `class_report` of
        predictions in cross-validation.

    Notes
    -----
    Precision, recall, specificity and accuracy are means over the rows that they divide
    by: rows that are predicted to be of the class, rows of the class, rows of other
    classes, and all rows. Their intervals, and those of F1 and micro averages, which
    divide by sums over rows, follow the rule of `ranking_report`. Few rows of a class
    therefore mean a wide interval, also if all are right. Fewer than three rows have no
    interval.

    The variance of macro and weighted averages is that of the jackknife over rows, and
    what the two values at the ends of the range add to the variance of each class.

    A precision of a class that is never predicted, a recall of a class that does not
    occur in `y_true`, and the specificity of the only class of `y_true` are undefined.
    Averages with defined values count them as 0, as scikit-learn does. If each row has
    one class and all classes are reported, the micro averages of precision, recall and
    F1 equal the accuracy, and the table leaves them out.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import cross_val_predict
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn_irmetrics.reports import class_report
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> y_pred = cross_val_predict(GaussianNB(), X[["alcohol", "hue"]], y)
    >>> report = class_report(y, y_pred)
    >>> report
    178 rows, 3 classes
    <BLANKLINE>
                     precision        recall            F1   specificity  support
    0                     0.87          0.93          0.90          0.93       59
                  [0.77, 0.95]  [0.84, 0.99]  [0.82, 0.96]  [0.87, 0.98]
    1                     0.89          0.87          0.88          0.93       71
                  [0.79, 0.96]  [0.78, 0.95]  [0.80, 0.94]  [0.86, 0.98]
    2                     0.89          0.83          0.86          0.96       48
                  [0.77, 0.98]  [0.71, 0.94]  [0.76, 0.93]  [0.91, 1.00]
    accuracy                                          0.88                    178
                                              [0.82, 0.93]
    macro avg             0.88          0.88          0.88          0.94      178
                  [0.82, 0.93]  [0.82, 0.93]  [0.82, 0.93]  [0.91, 0.97]
    weighted avg          0.88          0.88          0.88          0.94      178
                  [0.82, 0.93]  [0.82, 0.93]  [0.82, 0.93]  [0.90, 0.97]
    <BLANKLINE>
    Below each value: its 95 % interval, for this model on new rows like these.
    >>> low, high = report.confidence_interval["recall", 1]
    >>> round(low, 3), round(high, 3)
    (0.783, 0.944)
    """
    level = check_confidence_level(confidence_level)
    check_row_order(
        y_true=y_true, y_pred=y_pred, groups=groups, sample_weight=sample_weight
    )
    check_column_order(y_true=y_true, y_pred=y_pred)
    truth, predicted, names = _read_classes(y_true, y_pred, labels)
    weights = check_weights(sample_weight, len(truth), "row")
    codes = None
    if groups is not None:
        codes = group_rows(groups, len(truth), "groups").codes()
    rows = _Rows.of(truth, predicted, weights, codes)
    report: dict[str, dict[Any, Any]] = {name: {} for name in _RESULTS}
    for key, (value, n_units, (error, ends, how)) in rows.measure(names, level):
        values = value, error, ends, how, n_units
        for name, part in zip(_RESULTS, values, strict=True):
            report[name][key] = part
    n_rows = len(truth) if weights is None else int(np.count_nonzero(weights))
    counts = {"rows": n_rows}
    if codes is not None:
        counts["groups"] = rows.n_units
    return ClassReport(
        **report,
        confidence_level=level,
        support=dict(zip(names, rows.support(len(names)), strict=True)),
        counts=counts,
    )


_RESULTS = (
    "estimate",
    "standard_error",
    "confidence_interval",
    "interval_method",
    "n_units",
)


def _read_classes(y_true, y_pred, labels):
    """Return numbers of classes, or a column per label, and the names in order.

    Classes that are not to be reported have numbers from the number of names on.
    """
    arrays = [
        _check_classes(name, values)
        for name, values in (("y_true", y_true), ("y_pred", y_pred))
    ]
    if arrays[0].ndim == 1 and arrays[1].ndim == 2:
        raise ValueError(
            "y_pred must hold the predicted class of each row, as y_true does; got "
            f"shape {arrays[1].shape}. Of class probabilities, take the class of "
            "the largest, as predict does."
        )
    _, classes, numbers = number_predictions(
        ("y_true", arrays[0]), ("y_pred", arrays[1])
    )
    names = None if labels is None else check_labels(labels)
    if numbers.ndim == 3:
        return *_indicators(classes, numbers), _names_of_columns(names, numbers)
    if names is None:
        names = classes
    elif not set(names) & set(classes):
        raise ValueError(
            f"labels must name a class of y_true or y_pred; got {names!r} for the "
            f"classes {classes!r}."
        )
    if reserved := {*AVERAGES} & {*map(str, names)}:
        raise ValueError(
            f"no class may be called {reserved.pop()!r}, which is a line of the "
            "report; rename it."
        )
    place = {name: i for i, name in enumerate(names)}
    others = iter(range(len(names), len(names) + len(classes)))
    new = [place[name] if name in place else next(others) for name in classes]
    return *np.array(new)[numbers], names


def _check_classes(name, values):
    """Return classes as an array; refuse scores."""
    if issparse(values):
        raise TypeError(
            f"{name} must be dense; got a sparse matrix. Use its toarray()."
        )
    array = as_array(name, values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    refuse_scores(name, array, "ranking_report")
    return array


def _indicators(classes, numbers):
    """Return which labels rows have and which are predicted, as booleans."""
    if not set(classes) <= {0, 1}:
        raise ValueError(
            "y_true and y_pred must hold only 0 and 1 if they are 2-D, a column per "
            f"label; got {classes[:5]!r}."
        )
    return np.array(classes, dtype=bool)[numbers]


def _names_of_columns(names, numbers):
    """Return the names of the columns of labels."""
    n = numbers.shape[2]
    if names is None:
        return [*range(n)]
    if len(names) != n:
        raise ValueError(
            f"labels must name each of the {n} columns of labels once; got {names!r}."
        )
    return names


@dataclass(frozen=True)
class _Rows:
    """Classes of rows, those predicted, and the units that the rows belong to.

    Attributes
    ----------
    truth, predicted : int array of shape (n_rows,), or boolean with a column per label
        The class of each row, and the predicted one; or its labels.
    weights : ndarray of shape (n_rows,)
        What each row counts.
    groups : int array of shape (n_rows,) or None
        The unit of each row; None: each row is one.
    times : ndarray of shape (n_units,)
        How many units are like each.
    """

    truth: Array
    predicted: Array
    weights: Array
    groups: Array | None
    times: Array

    @classmethod
    def of(cls, truth, predicted, weights, groups):
        """Return the rows that have a weight; each kind of row once, if possible."""
        if weights is None and groups is None and truth.ndim == 1:
            n = 1 + max(truth.max(), predicted.max())
            kinds, times = np.unique(truth * n + predicted, return_counts=True)
            weights = np.ones(len(times))
            return cls(*divmod(kinds, n), weights, None, times.astype(np.float64))
        weights = np.ones(len(truth)) if weights is None else weights
        used = weights > 0
        truth, predicted, weights = truth[used], predicted[used], weights[used]
        n_units = len(weights)
        if groups is not None:
            groups = np.unique(groups[used], return_inverse=True)[1]
            n_units = groups.max() + 1
        return cls(truth, predicted, weights, groups, np.ones(n_units))

    @property
    def n_units(self):
        """How many rows or groups there are."""
        return int(self.times.sum())

    @property
    def unit(self):
        """What the units are called."""
        return "rows" if self.groups is None else "groups"

    def support(self, n_classes):
        """Return the number of rows, or the weight, of each class."""
        each = [self._sum(self._of_class(c)[0]) @ self.times for c in range(n_classes)]
        return [
            int(weight) if weight.is_integer() else float(weight) for weight in each
        ]

    def measure(self, names, level) -> Iterator[Any]:
        """Yield keys, and the value, the number of units and the interval of each."""
        ratios = {
            name: self._ratios_of_class(number) for number, name in enumerate(names)
        }
        for measure in MEASURES:
            for name in names:
                yield (measure, name), self._of_ratio(ratios[name][measure], level)
        if self.truth.ndim == 1:
            right = self._ratio(self.truth == self.predicted, np.ones(len(self.truth)))
            yield ACCURACY, self._of_ratio(right, level)
        for measure in MEASURES:
            of_classes = [ratios[name][measure] for name in names]
            micro = self._of_ratio(self._joined(measure, of_classes), level)
            yield (measure, MICRO), micro
            yield (measure, MACRO), self._average(of_classes, level)
            # The weighted average of recall is that of all rows.
            weighted = micro
            if measure != "recall":
                weighted = self._average(of_classes, level, by_support=True)
            yield (measure, WEIGHTED), weighted

    def _of_class(self, number):
        """Return which rows are of a class, and which are predicted to be."""
        if self.truth.ndim == 2:
            return self.truth[:, number], self.predicted[:, number]
        return self.truth == number, self.predicted == number

    def _sum(self, values):
        """Return the weighted sum of values of rows over each unit."""
        values = values * self.weights
        if self.groups is None:
            return values
        return np.bincount(self.groups, values)

    def _ratio(self, right, total):
        return Ratio(self._sum(right), self._sum(total), self.times)

    def _ratios_of_class(self, number):
        """Return the ratios of a class by measure."""
        true, predicted = self._of_class(number)
        hit = true & predicted
        return {
            "precision": self._ratio(hit, predicted),
            "recall": self._ratio(hit, true),
            "f1": self._ratio(2.0 * hit, true.astype(float) + predicted),
            "specificity": self._ratio(~true & ~predicted, ~true),
        }

    def _of_ratio(self, ratio, level):
        return ratio.value, ratio.n, ratio.interval(level, self.unit)

    def _joined(self, measure, ratios):
        """Return the ratio of the sums over classes, which is a micro average."""
        least = 0.0
        if measure == "specificity" and self.truth.ndim == 1 and len(ratios) > 1:
            least = 1 - 1 / (len(ratios) - 1)  # a row is wrongly assigned to one class
        right = sum(ratio.right for ratio in ratios)
        total = sum(ratio.total for ratio in ratios)
        return Ratio(right, total, self.times, least=least)

    def _average(self, ratios, level, *, by_support=False):
        """Return the average of ratios of classes, its units and its interval.

        Classes weigh the same, or as much as their rows in `y_true`. A ratio of nothing
        counts as 0: precision by the missed rows, others without knowing anything. If
        all are ratios of nothing, the average is undefined.
        """
        shares, left, without, averaged = [], [], [], []
        for number, ratio in enumerate(ratios):
            true, predicted = map(self._sum, self._of_class(number))
            rows = true + predicted
            never_predicted = true.any() and not predicted.any()
            if never_predicted and not ratio.total.any():  # all its rows are missed
                ratio = Ratio(np.zeros_like(rows), rows, self.times)
            # What leaves the average with a unit: its rows, or a class that it is.
            share = true @ self.times if by_support else 1.0
            is_class = (rows > 0) & (rows == rows @ self.times)
            leaves = true if by_support else is_class.astype(np.float64)
            averaged.append(ratio)
            shares.append(share)
            left.append(share - leaves)
            without.append((share - leaves) * ratio.without_each())
        whole = sum(shares)
        if not whole or not any(ratio.total.any() for ratio in averaged):
            none = no_interval("nothing is averaged", confidence_level=level)
            return float("nan"), 0, none
        values = np.nan_to_num([ratio.value for ratio in averaged])
        estimate = float(np.dot(shares, values) / whole)
        interval = interval_of_average(
            estimate,
            divide_or_zero(sum(without), sum(left)),
            averaged,
            np.array(shares) / whole,
            confidence_level=level,
            units=self.unit,
        )
        return estimate, self.n_units, interval
