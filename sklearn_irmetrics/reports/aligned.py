"""A run with its judgments, in place of grades, scores and query ids."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sklearn_irmetrics._results.tables import arrays_of, count, frame_of_arrays
from sklearn_irmetrics._results.tabular import Rows

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False, repr=False)
class AlignedRun(Rows):
    """Judgments and a run, joined into the arrays that every metric takes.

    Rows are sorted by query id, then score, then document id (see `align`).

    Attributes
    ----------
    y_true : ndarray of shape (n_rows,) or (n_rows, n_subtopics), dtype float64
        Grade; NaN for a document without a judgment. With subtopics, one column each:
        the first for the first subtopic of every query.
    y_score : ndarray of shape (n_rows,), dtype float64
        Score; -inf for a judged document that was not retrieved.
    qid, docno : ndarray of shape (n_rows,), dtype object
        Ids of query and document, as strings.
    pooled : ndarray of shape (n_rows,), dtype bool
        True for a document that was in the pool but not judged (negative grade).
    missing : tuple of str
        Queries of the qrels that are missing from the run, kept or left out.
    ignored : tuple of str
        Queries of the run that are missing from the qrels, left out.
    """

    y_true: np.ndarray
    y_score: np.ndarray
    qid: np.ndarray
    docno: np.ndarray
    pooled: np.ndarray
    missing: tuple = ()
    ignored: tuple = ()

    def __len__(self):
        return len(self.qid)

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame: qid, docno, y_true, y_score and pooled.

        Grades of subtopics are columns y_true_0, y_true_1 and so on.
        """
        return frame_of_arrays(self._arrays())

    def _arrays(self):
        return arrays_of(self, "qid", "docno", "y_true", "y_score", "pooled")

    def _title(self):
        n_queries = count(len(set(self.qid)), "query")
        left_out = [
            f"{len(queries)} {what}"
            for queries, what in (
                (self.missing, "missing from the run"),
                (self.ignored, "without judgments, left out"),
            )
            if queries
        ]
        return "; ".join([f"{count(len(self), 'document')} of {n_queries}", *left_out])


def judge(judgments, y_score):
    """Return judgments and scores; those of an `AlignedRun` in the place of grades.

    Raises
    ------
    TypeError
        If scores are missing, or scores or ids are given with a run that has them.
    """
    run = judgments.y_true
    if not isinstance(run, AlignedRun):
        if y_score is None:
            raise TypeError(
                "y_score must be given unless y_true is an AlignedRun; got None."
            )
        return judgments, y_score
    for name, value in (("y_score", y_score), ("qid", judgments.qid)):
        if value is not None:
            raise TypeError(
                f"{name} must be None if y_true is an AlignedRun, which has its own; "
                f"got a {type(value).__name__}."
            )
    marks = judgments.marks
    if run.pooled.any():
        marks = {"pooled": run.pooled, **marks}
    return replace(judgments, y_true=run.y_true, qid=run.qid, marks=marks), run.y_score
