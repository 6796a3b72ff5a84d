"""The contingency table of retrieved and relevant documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.numbers import as_array, as_numbers
from sklearn_irmetrics._arrays.rows import divide
from sklearn_irmetrics._results.tables import (
    Column,
    Number,
    columns_of_table,
    count,
    make_table,
)
from sklearn_irmetrics._results.tabular import Tabular
from sklearn_irmetrics._typing import Ids, Rankings
from sklearn_irmetrics.metrics._ranking.parameters import check_relevance
from sklearn_irmetrics.metrics._ranking.sets import (
    ClassSets,
    LabelSets,
    check_sets,
    is_one_set,
    refuse_options_of_grades,
)

_CELLS = ("tp", "fp", "fn", "tn")
_SIDES = ["relevant", "not relevant"], ["retrieved", "not retrieved"]


@dataclass(frozen=True, eq=False, repr=False)
class ContingencyTable(Tabular):
    """Counts of documents or of classes, and the measures that follow from them.

    Make one from counts, such as ``ContingencyTable(tp=40, fp=10, fn=20, tn=30)`` or
    ``ContingencyTable(counts=[[20, 5], [10, 15]])``, or let `contingency_table` count.
    ``print`` shows it with its sums. The relevant documents, or the true classes, are
    the rows; the retrieved documents, or the predicted classes, are the columns.

    Parameters
    ----------
    tp : int, float, or ndarray of shape (n_sets,), default=None
        Relevant and retrieved (true positives).
    fp : int, float, or ndarray of shape (n_sets,), default=None
        Not relevant, but retrieved (false positives).
    fn : int, float, or ndarray of shape (n_sets,), default=None
        Relevant, but not retrieved (false negatives).
    tn : int, float, or ndarray of shape (n_sets,), default=None
        Neither (true negatives).
    unit : {"qid", "class"} or None, default=None
        What each set belongs to; None: there is one set.
    keys : array-like of shape (n_sets,) or None, default=None
        The query ids or classes, in order; None with `counts`: 0, 1, ...
    counts : array-like of shape (n_classes, n_classes) or None, default=None
        How often a row of each true class was predicted to be of each class. The other
        counts, of each class against all others, follow from it. A data frame, such as
        of `pandas.crosstab`, names its classes.

    Notes
    -----
    Measures are numbers for one set and arrays for several; NaN where they divide by 0.
    For classes, `accuracy` and `kappa` are those of the whole table.

    Examples
    --------
    >>> from sklearn_irmetrics.reports import ContingencyTable
    >>> table = ContingencyTable(tp=40, fp=10, fn=20, tn=30)
    >>> table
    100 documents
    <BLANKLINE>
                  retrieved  not retrieved  total
    relevant             40             20     60
    not relevant         10             30     40
    total                50             50    100
    >>> table.precision, round(table.recall, 3), round(table.f1, 3)
    (0.8, 0.667, 0.727)

    Two judges who label 50 documents agree as often as Cohen's kappa says:

    >>> round(ContingencyTable(counts=[[20, 5], [10, 15]]).kappa, 3)
    0.4
    """

    tp: Any = None
    fp: Any = None
    fn: Any = None
    tn: Any = None
    unit: str | None = None
    keys: Any = None
    counts: Any = None

    def __post_init__(self):
        cells = {name: getattr(self, name) for name in _CELLS}
        if self.counts is not None:
            counts, keys = _check_counts("counts", self.counts), self.keys
            if hasattr(self.counts, "columns"):  # a pandas.DataFrame, as of crosstab
                rows, columns = list(self.counts.index), list(self.counts.columns)
                if rows != columns:
                    raise ValueError(
                        "counts must have the same classes in rows and columns, in the "
                        f"same order; got the rows {rows[:5]!r} and the columns "
                        f"{columns[:5]!r}. Use contingency_table, or reindex both."
                    )
                keys = rows if keys is None else keys
            n_classes = len(counts)
            if counts.shape != (n_classes, n_classes) or n_classes < 2:
                raise ValueError(
                    "counts must have a row and a column for each of two or more "
                    f"classes; got shape {counts.shape}."
                )
            keys = np.arange(n_classes) if keys is None else np.asarray(keys)
            if keys.shape != (n_classes,):
                raise ValueError(
                    f"keys must name each of {n_classes} classes; got {self.keys!r}."
                )
            hits, true, predicted = counts.diagonal(), counts.sum(1), counts.sum(0)
            other = counts.sum() - true - predicted + hits
            cells = {
                "tp": hits,
                "fp": predicted - hits,
                "fn": true - hits,
                "tn": other,
            }
            self._set(counts=counts, unit="class", keys=keys)
        elif lacking := [name for name, value in cells.items() if value is None]:
            raise TypeError(
                "ContingencyTable needs tp, fp, fn and tn, or counts of classes; "
                f"{' and '.join(lacking)} {'is' if len(lacking) == 1 else 'are'} "
                "missing."
            )
        for name, value in cells.items():
            array = _check_counts(name, value)
            cells[name] = array if array.ndim else array.item()
        if len({np.shape(value) for value in cells.values()}) > 1:
            raise ValueError("tp, fp, fn and tn must have the same shape.")
        if self.counts is None and np.ndim(cells["tp"]) and self.keys is None:
            raise ValueError(
                "keys must name the query or class of each set where tp, fp, fn and tn "
                "are arrays; got None."
            )
        self._set(**cells)

    def _set(self, **values):
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def n(self) -> Any:
        """Number of documents of each set, or of all rows of classes."""
        if self.counts is not None:
            return self.counts.sum().item()
        total = np.asarray(self.tp) + self.fp + self.fn + self.tn
        return total.item() if not total.ndim else total

    @property
    def precision(self) -> Any:
        """Share of the retrieved documents that are relevant, tp / (tp + fp)."""
        return _share(self.tp, self.fp)

    @property
    def recall(self) -> Any:
        """Share of the relevant documents that are retrieved, tp / (tp + fn)."""
        return _share(self.tp, self.fn)

    @property
    def specificity(self) -> Any:
        """Share of the other documents that are not retrieved, tn / (tn + fp)."""
        return _share(self.tn, self.fp)

    @property
    def fallout(self) -> Any:
        """Share of the other documents that are retrieved, fp / (fp + tn)."""
        return _share(self.fp, self.tn)

    @property
    def miss_rate(self) -> Any:
        """Share of the relevant documents that are not retrieved, fn / (fn + tp)."""
        return _share(self.fn, self.tp)

    @property
    def accuracy(self) -> Any:
        """Share of right decisions: (tp + tn) / n, or of the diagonal for classes."""
        if self.counts is None:
            return _share(np.add(self.tp, self.tn), np.add(self.fp, self.fn))
        right = self.counts.trace()
        return _share(right, self.counts.sum() - right)

    @property
    def f1(self) -> Any:
        """Harmonic mean of precision and recall, 2 tp / (2 tp + fp + fn)."""
        return _share(2 * np.asarray(self.tp), np.add(self.fp, self.fn))

    @property
    def kappa(self) -> Any:
        """Cohen's kappa of rows and columns: agreement, corrected for chance."""
        if self.counts is None:
            table = np.array([[self.tp, self.fn], [self.fp, self.tn]], dtype=float)
        else:
            table = self.counts.astype(float)
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = table / table.sum(axis=(0, 1))
            observed = np.trace(shares)
            expected = (shares.sum(axis=0) * shares.sum(axis=1)).sum(axis=0)
            kappa = (observed - expected) / (1 - expected)
        return kappa if np.ndim(kappa) else float(kappa)

    def plot(self, **kwargs: Any) -> Any:
        """Draw the table of one set, or of classes, as it is printed.

        Parameters
        ----------
        **kwargs
            Arguments of `sklearn.metrics.ConfusionMatrixDisplay.plot`, such as `ax`.

        Returns
        -------
        sklearn.metrics.ConfusionMatrixDisplay

        Raises
        ------
        ValueError
            If there are several sets.
        """
        if self.keys is not None and self.counts is None:
            raise ValueError(
                f"plot() draws the table of one set; there are {len(self.keys)}."
            )
        import matplotlib.pyplot as plt
        from sklearn.metrics import ConfusionMatrixDisplay

        matrix = self.counts
        if matrix is None:
            matrix = np.array([[self.tp, self.fn], [self.fp, self.tn]])
        display = ConfusionMatrixDisplay(matrix, display_labels=self.keys)
        form = "d" if matrix.dtype.kind in "iu" else ".7g"
        options = {"colorbar": False, "values_format": form, "cmap": "Blues"} | kwargs
        if options.get("ax") is None:  # with room for long names of classes
            _, options["ax"] = plt.subplots(layout="constrained")
        if self.keys is not None and max(len(str(key)) for key in self.keys) > 8:
            options.setdefault("xticks_rotation", "vertical")
        display.plot(**options)
        if self.counts is None:
            (rows, columns), places = _SIDES, range(2)
            display.ax_.set_xticks(places, columns)
            display.ax_.set_yticks(places, rows)
            display.ax_.set(xlabel="", ylabel="")
        else:
            display.ax_.set(xlabel="Predicted class", ylabel="True class")
        return display

    def _columns(self):
        if self.counts is not None:
            columns = zip(self.keys.tolist(), self.counts.T, strict=True)
            return [
                Column("true", self.keys, in_index=True),
                *(Column(str(key), counts, _cell) for key, counts in columns),
            ]
        if self.keys is not None:
            return [
                Column(self.unit, self.keys, in_index=True),
                *(Column(name, getattr(self, name), _cell) for name in _CELLS),
            ]
        (relevant, other), (retrieved, missed) = _SIDES
        return [
            Column("", [relevant, other], in_index=True),
            Column(retrieved, [self.tp, self.fp], _cell),
            Column(missed, [self.fn, self.tn], _cell),
        ]

    def _table(self):
        """Return the table with the sums of its rows and columns."""
        names, *columns = self._columns()
        if self.keys is not None and self.counts is None:
            return super()._table()
        counts = [np.asarray(column.values) for column in columns]
        columns.append(Column("total", sum(counts), _cell))
        columns = [
            column._replace(values=[*column.values, np.sum(column.values)])
            for column in columns
        ]
        heading = "" if self.counts is None else "true \\ predicted"
        names = names._replace(values=[*names.values, "total"], heading=heading)
        return make_table([names, *columns], self._title())

    def _exported(self):
        return columns_of_table(self._table())

    def _title(self):
        total = np.sum(self.n)
        total = str(_cell(total)) if total != 1 else 1
        if self.counts is not None:
            return [f"{count(total, 'row')}, {len(self.keys)} classes"]
        if self.keys is None:
            return [count(total, "document")]
        units = count(len(self.keys), "class" if self.unit == "class" else "query")
        return [f"{count(total, 'document')}, {units}"]


def _check_counts(name, values):
    """Return counts, or sums of weights, as an array."""
    counts = as_numbers(name, as_array(name, values))
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise ValueError(
            f"{name} must hold counts that are not negative; got {values}."
        )
    # Sums of small integers do not fit into their type.
    return counts.astype(np.float64 if counts.dtype.kind == "f" else np.int64)


def _share(part, rest):
    """Return part / (part + rest), NaN where both are 0."""
    part, rest = np.asarray(part, dtype=float), np.asarray(rest, dtype=float)
    shares = divide(part, part + rest)
    return shares if np.ndim(shares) else float(shares)


def _cell(number):
    """Return a count for a table: in full if it is whole or large, but not huge."""
    if float(number).is_integer() and number < 1e15:
        return int(number)
    return Number(float(number), ".1f" if 1000 <= number < 1e15 else ".4g")


def contingency_table(
    y_true: Rankings,
    y_pred: ArrayLike,
    *,
    relevance_threshold: float | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
) -> ContingencyTable:
    r"""Count documents by whether they are relevant and whether they were retrieved.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents)
        Grades, or 0 and 1; NaN: unjudged, which counts as not relevant. With strings,
        `labels` or `pos_label`: the class of each document.
    y_pred : array-like of the shape of `y_true`
        Booleans, or 0 and 1: whether each document was retrieved; or its predicted
        class.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    labels : array-like of shape (n_classes,), default=None
        Classes in order, for a table of all classes against all; other classes follow.
        None: all classes, sorted, if `y_true` and `y_pred` hold more than two different
        strings.
    pos_label : str, int, float or bool, default=None
        The positive class, whose documents form the set, such as 2 of {1, 2}.
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D input: one table per query. 2-D input has one query per row.
    sample_weight : array-like of shape (n_documents,), default=None
        One weight per document; only without queries.

    Returns
    -------
    ContingencyTable
        With the counts `tp`, `fp`, `fn` and `tn`, numbers for one set and arrays for
        several, and the measures that follow from them, such as `precision`; `counts`
        are those of all classes against all.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    sklearn.metrics.confusion_matrix : The counts of classes as an array.
    sklearn_irmetrics.reports.class_report : Measures of each class, with intervals.
    set_precision_score : ``tp / (tp + fp)``.
    set_recall_score : ``tp / (tp + fn)``.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze, "Introduction to Information
       Retrieval", Cambridge University Press, 2008, section 8.3.

    Examples
    --------
    >>> from sklearn_irmetrics import contingency_table
    >>> contingency_table([1, 0, 1, 1, 0], [1, 1, 1, 0, 0])
    5 documents
    <BLANKLINE>
                  retrieved  not retrieved  total
    relevant              2              1      3
    not relevant          1              1      2
    total                 3              2      5
    >>> table = contingency_table(["a", "b", "c"], ["a", "c", "c"])
    >>> table
    3 rows, 3 classes
    <BLANKLINE>
    true \ predicted  a  b  c  total
    a                 1  0  0      1
    b                 0  0  1      1
    c                 0  0  1      1
    total             1  0  2      3
    >>> table.recall, round(table.accuracy, 4)
    (array([1., 0., 1.]), 0.6667)
    """
    one_set = is_one_set(y_true, qid)
    if sample_weight is not None and not one_set:
        raise ValueError(
            "sample_weight must be None if rows belong to queries, because weights of "
            "queries have no effect here: nothing is averaged."
        )
    sets = check_sets(
        y_true,
        y_pred,
        labels=labels,
        pos_label=pos_label,
        qid=qid,
        sample_weight=sample_weight,
    )
    if sets.of_classes:
        refuse_options_of_grades(relevance_threshold, judged_only=False)
    else:
        relevance_threshold = check_relevance(relevance_threshold, None, sets.batch)
    if isinstance(sets, ClassSets):
        classes, counts = sets.count_pairs()
        if sample_weight is None:
            counts = counts.astype(np.int64)
        return ContingencyTable(keys=np.asarray(classes), counts=counts)
    counts = sets.count(relevance_threshold, judged_only=False)
    if sample_weight is None:
        counts = np.rint(counts).astype(np.int64)
    if one_set:
        return ContingencyTable(*counts[:, 0].tolist())
    tp, fp, fn, tn = counts
    if isinstance(sets, LabelSets):
        return ContingencyTable(tp, fp, fn, tn, "class", np.asarray(sets.keys))
    return ContingencyTable(tp, fp, fn, tn, "qid", sets.keys)
