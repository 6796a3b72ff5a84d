"""The contingency table of retrieved and relevant documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._results.tables import Column, Number
from sklearn_irmetrics._results.tabular import Tabular
from sklearn_irmetrics._typing import Ids, Rankings
from sklearn_irmetrics.metrics._ranking.parameters import check_relevance
from sklearn_irmetrics.metrics._ranking.sets import (
    ClassSets,
    check_sets,
    is_one_set,
    refuse_options_of_grades,
)

_CELLS = ("tp", "fp", "fn", "tn")


@dataclass(frozen=True, eq=False, repr=False)
class ContingencyTable(Tabular):
    """Counts of documents, for one set or several.

    Its data frame has a row per query or class with the columns tp, fp, fn and tn. For
    one set, the rows are "relevant" and "not relevant" and the columns "retrieved" and
    "not retrieved".

    Attributes
    ----------
    tp : int, float, or ndarray of shape (n_sets,)
        Relevant and retrieved (true positives).
    fp : int, float, or ndarray of shape (n_sets,)
        Not relevant, but retrieved (false positives).
    fn : int, float, or ndarray of shape (n_sets,)
        Relevant, but not retrieved (false negatives).
    tn : int, float, or ndarray of shape (n_sets,)
        Neither (true negatives).
    unit : {"qid", "class"} or None
        What each set belongs to; None: there is one set.
    keys : ndarray of shape (n_sets,) or None
        The query ids or classes, in order.
    """

    tp: Any
    fp: Any
    fn: Any
    tn: Any
    unit: str | None = None
    keys: np.ndarray | None = None

    def plot(self, **kwargs: Any) -> Any:
        """Draw the table of one set.

        Parameters
        ----------
        **kwargs
            Arguments of `sklearn.metrics.ConfusionMatrixDisplay.plot`, such as `ax`.

        Returns
        -------
        sklearn.metrics.ConfusionMatrixDisplay
            Rows are relevance, columns retrieval.

        Raises
        ------
        ValueError
            If there are several sets.
        """
        if self.keys is not None:
            raise ValueError(
                f"plot() draws the table of one set; there are {len(self.keys)}."
            )
        from sklearn.metrics import ConfusionMatrixDisplay

        matrix = np.array([[self.tn, self.fp], [self.fn, self.tp]])
        display = ConfusionMatrixDisplay(matrix, display_labels=["no", "yes"])
        form = "d" if matrix.dtype.kind == "i" else ".7g"
        display.plot(**{"colorbar": False, "values_format": form, **kwargs})
        display.ax_.set(xlabel="retrieved", ylabel="relevant")
        return display

    def _columns(self):
        if self.keys is None:
            return [
                Column("", ["relevant", "not relevant"], in_index=True),
                Column("retrieved", [self.tp, self.fp], _cell),
                Column("not retrieved", [self.fn, self.tn], _cell),
            ]
        return [
            Column(self.unit, self.keys, in_index=True),
            *(Column(name, getattr(self, name), _cell) for name in _CELLS),
        ]

    def _title(self):
        if self.keys is None:
            return ["ContingencyTable"]
        units = "classes" if self.unit == "class" else "queries"
        return [f"ContingencyTable of {len(self.keys)} {units}"]


def _cell(count):
    """Return a count for a table: in full if it is whole or large, but not huge."""
    if float(count).is_integer() and count < 1e15:
        return int(count)
    return Number(float(count), ".1f" if 1000 <= count < 1e15 else ".4g")


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
    """Count documents by whether they are relevant and whether they were retrieved.

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
        Classes that get a table each: the documents of a class against those predicted
        to belong to it. None: all classes if `y_true` holds more than two different
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
        With the counts `tp`, `fp`, `fn` and `tn`: numbers for one set, arrays for
        several sets.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    sklearn.metrics.confusion_matrix : All classes against all.
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
    ContingencyTable
                    retrieved  not retrieved
      relevant              2              1
      not relevant          1              1
    >>> contingency_table(["a", "b", "c"], ["a", "c", "c"]).fp
    array([0, 0, 1])
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
    counts: Any = sets.count(relevance_threshold, judged_only=False)
    if sample_weight is None:
        counts = np.rint(counts).astype(np.int64)
    if isinstance(sets, ClassSets):
        unit, keys = "class", np.asarray(sets.keys)
    elif one_set:
        return ContingencyTable(*counts[:, 0].tolist())
    else:
        unit, keys = "qid", sets.keys
    tp, fp, fn, tn = counts
    return ContingencyTable(tp, fp, fn, tn, unit, keys)
