"""What is known of documents and queries, and which documents may be ranked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_irmetrics._arrays.labels import check_column_order, check_row_order
from sklearn_irmetrics._arrays.numbers import issparse
from sklearn_irmetrics._arrays.query_ids import as_ids, group_rows
from sklearn_irmetrics.metrics._ranking.batch import (
    as_array_or_csr,
    as_csr,
    check_batch,
    check_scores,
    take_columns,
)
from sklearn_irmetrics.metrics._ranking.marks import check_marks, check_values


@dataclass(frozen=True, eq=False)
class Judgments:
    """Grades of documents, and what else is known of them and their queries.

    A public function makes one of its arguments, and hands it on as one argument.

    Attributes
    ----------
    y_true : array-like or CSR
        Grades, or labels of which one is relevant.
    qid : array-like or None
        Query ids, for 1-D grades.
    sample_weight : array-like or None
        One weight per query, or per row.
    marks : dict of str to array-like
        Facts about documents, by name.
    candidates : array-like, CSR, Eligible or None
        Whether each document may be ranked.

    Raises
    ------
    TypeError, ValueError
        If `marks` is not a dict of known marks. `batch` checks all others.
    """

    y_true: Any
    qid: Any = None
    sample_weight: Any = None
    marks: Any = None
    candidates: Any = None

    def __post_init__(self):
        object.__setattr__(self, "marks", check_marks(self.marks))

    def among_candidates(self, y_score):
        """Return the judgments of the candidates alone, and their scores.

        If there are candidates, both are 1-D then.

        Raises
        ------
        TypeError, ValueError
            If an array has another shape than `candidates`, these are not booleans, or
            a query has none.
        """
        if self.candidates is None:
            return self, y_score
        chosen = self.candidates
        documents = {"y_true": self.y_true, "y_score": y_score, "candidates": chosen}
        check_row_order(**documents, **self.arguments())
        check_column_order(**documents, **self.marks)
        # One row that is left of a column would be taken for a query.
        arrays = {"y_true": self.y_true, "y_score": y_score}
        take_columns(*map(as_array_or_csr, arrays, arrays.values()), self.qid)
        if not isinstance(chosen, Eligible):
            chosen = Eligible.of(chosen, y_score, self.qid)
        qid, scores = chosen.take_ids(self.qid), chosen.take_scores(y_score)
        y_true = chosen.take("y_true", self.y_true)
        weights = self.sample_weight
        if weights is not None:
            weights = chosen.take_rows("sample_weight", weights)
        marks = {name: chosen.take(name, mark) for name, mark in self.marks.items()}
        return Judgments(y_true, qid, weights, marks), scores

    def batch(self, y_score, *, subtopics=False):
        """Return the `RankingBatch` of documents with these scores, all checked.

        Candidates must have been chosen before.
        """
        return check_batch(
            self.y_true,
            y_score,
            qid=self.qid,
            sample_weight=self.sample_weight,
            marks=self.marks,
            subtopics=subtopics,
        )

    def arguments(self):
        """Return the data besides grades, by the names that measures call them."""
        data = {"qid": self.qid, "sample_weight": self.sample_weight, **self.marks}
        return {name: values for name, values in data.items() if values is not None}


@dataclass(frozen=True, eq=False)
class Eligible:
    """The positions of candidates in arrays of all documents.

    Attributes
    ----------
    shape : tuple of int
        Of such arrays: ``(n_documents,)`` or ``(n_queries, n_documents)``.
    places : tuple of int array
        The row, and the column of 2-D arrays, of each candidate, queries in order of
        first appearance among all documents.
    """

    shape: tuple
    places: tuple

    @classmethod
    def of(cls, candidates, y_score, qid=None):
        """Check `candidates`, one boolean per score."""
        shape = tuple(np.shape(y_score))
        if shape[1:] == (1,) and not issparse(y_score):  # CSR has a query per row
            shape = shape[:1]
        if issparse(candidates):
            chosen = as_csr(candidates)
            check_values("candidates", chosen.data, chosen.data)
        else:
            chosen = as_array_or_csr("candidates", candidates)
        if tuple(chosen.shape) == (*shape, 1):
            chosen = chosen.reshape(shape)
        if tuple(chosen.shape) != shape:
            raise ValueError(
                f"candidates must have the shape of y_score, {shape}; got "
                f"{tuple(chosen.shape)}."
            )
        if issparse(chosen):
            places = chosen.nonzero()
        else:
            chosen = check_values("candidates", chosen, chosen)
            places = np.nonzero(chosen)
        return cls(shape, _sort_by_query(shape, places, qid))

    @property
    def rows(self):
        """The row of each candidate."""
        return self.places[0]

    def take(self, name, values):
        """Return the candidates' values in an array of all documents, as 1-D."""
        values = as_array_or_csr(name, values)
        n_axes = None if issparse(values) else len(self.shape)
        if tuple(values.shape[:n_axes]) != self.shape:
            raise ValueError(
                f"{name} must have the shape of candidates, {self.shape}; got "
                f"{tuple(values.shape)}."
            )
        if issparse(values):
            return _take_cells(values, self.places, 0)
        return values[self.places]

    def take_scores(self, values):
        """Return the scores of the candidates, -inf if CSR does not store them."""
        if not issparse(values):
            return self.take("y_score", values)
        return _take_cells(check_scores(as_csr(values)), self.places, -np.inf)

    def take_ids(self, qid):
        """Return the query id of each candidate: its row, in 2-D input."""
        if len(self.shape) == 2:
            if qid is not None:
                raise ValueError(
                    "qid must be None with 2-D input, where each row is a query; got "
                    f"candidates of shape {self.shape}."
                )
            return self.rows
        return None if qid is None else as_ids(qid)[self.rows]

    def take_rows(self, name, values):
        """Return for each candidate the value of its row."""
        values = as_array_or_csr(name, values)
        if tuple(values.shape) != self.shape[:1]:
            raise ValueError(
                f"{name} must have one value per row of candidates, "
                f"{self.shape[0]}; got shape {tuple(values.shape)}."
            )
        return values[self.rows]


def _take_cells(matrix, places, absent):
    """Return the values of some cells of CSR, `absent` for those not stored."""
    number = matrix.astype(np.int64)
    number.data = np.arange(1, matrix.nnz + 1)
    first = np.array([absent], dtype=np.result_type(matrix.dtype, absent))
    return np.append(first, matrix.data)[number[places]]


def _sort_by_query(shape, places, qid):
    """Return places by query; refuse queries without any, which would just vanish."""
    rows, n_rows = places[0], shape[0]
    query, ids = np.zeros(n_rows, dtype=np.intp), [None]
    if len(shape) == 2:
        query, ids = np.arange(n_rows), range(n_rows)
    elif qid is not None:
        queries = group_rows(qid, n_rows)
        query, ids = queries.codes(), queries.ids.tolist()
    empty = np.flatnonzero(np.bincount(query[rows], minlength=len(ids)) == 0)
    if len(empty) and ids == [None]:
        raise ValueError("candidates must hold a document; got none.")
    if len(empty):
        raise ValueError(
            "candidates must hold a document of every query; got none for "
            f"{len(empty)} of {len(ids)} queries, the first of them {ids[empty[0]]!r}. "
            "Leave out these queries."
        )
    order = np.argsort(query[rows], kind="stable")
    return tuple(place[order] for place in places)
