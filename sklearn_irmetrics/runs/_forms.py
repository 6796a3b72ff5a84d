"""The objects for judgments, runs, and both joined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sklearn_irmetrics._tables import count, import_pandas

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False, repr=False)
class Qrels:
    """Judgments, one element per judged document, in the order of the file.

    Attributes
    ----------
    qid, docno : ndarray of shape (n_judgments,), dtype object
        Ids of query and document, as strings.
    grade : ndarray of shape (n_judgments,), dtype float64
        The grade; negative for a document that was in the pool but not judged.
    subtopic : ndarray of shape (n_judgments,), dtype object, or None
        The subtopic of each judgment, if subtopics were read.
    """

    qid: np.ndarray
    docno: np.ndarray
    grade: np.ndarray
    subtopic: np.ndarray | None = None

    def __len__(self):
        return len(self.qid)

    def __repr__(self):
        n_queries = count(len(set(self.qid)), "query")
        return f"<Qrels: {n_queries}, {count(len(self), 'judgment')}>"

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with the columns qid, docno and grade.

        It also has the column subtopic if there are any.
        """
        subtopic = [] if self.subtopic is None else ["subtopic"]
        return _frame(self, "qid", *subtopic, "docno", "grade")


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A run, one element per retrieved document, in the order of the file.

    Attributes
    ----------
    qid, docno : ndarray of shape (n_retrieved,), dtype object
        Ids of query and document, as strings.
    score : ndarray of shape (n_retrieved,), dtype float64
        The score; larger is ranked first.
    tag : str
        Name of the run (that of the last line, as in trec_eval).
    """

    qid: np.ndarray
    docno: np.ndarray
    score: np.ndarray
    tag: str = "sklearn_irmetrics"

    def __len__(self):
        return len(self.qid)

    def __repr__(self):
        n_queries = count(len(set(self.qid)), "query")
        return f"<Run {self.tag!r}: {n_queries}, {count(len(self), 'document')}>"

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with the columns qid, docno and score."""
        return _frame(self, "qid", "docno", "score")


@dataclass(frozen=True, eq=False)
class AlignedRun:
    """Judgments and a run, joined into the arrays that every metric takes.

    Rows are sorted by query id, then score, then document id (see `align`).

    Attributes
    ----------
    y_true : ndarray of shape (n_rows,) or (n_rows, n_subtopics), dtype float64
        Grade; NaN for a document without a judgment. With subtopics, one column each:
        the first for the first subtopic of every query.
    y_score : ndarray of shape (n_rows,), dtype float32 (or the given `dtype`)
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
        return _frame(self, "qid", "docno", "y_true", "y_score", "pooled")


def is_refused(value, numbers):
    """Whether numbers cannot be a "grade" (NaN, infinite) or a "score" (NaN)."""
    return np.isnan(numbers) if value == "score" else ~np.isfinite(numbers)


def _frame(form, *names):
    columns = {}
    for name in names:
        values = getattr(form, name)
        if values.ndim == 1:
            columns[name] = values
        else:
            columns |= {f"{name}_{i}": column for i, column in enumerate(values.T)}
    return import_pandas().DataFrame(columns)
