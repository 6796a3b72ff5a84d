"""Documents with labels by people and grades of a judge: arrays and joined files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sklearn_irmetrics._arrays.numbers import as_floats
from sklearn_irmetrics._arrays.query_ids import Queries, group_rows
from sklearn_irmetrics._results.markup import write_html
from sklearn_irmetrics._results.tables import count, make_short_table, write_text
from sklearn_irmetrics._typing import AnyTable, Source
from sklearn_irmetrics.metrics._ranking.batch import check_weights
from sklearn_irmetrics.reports.query_scores import score_queries
from sklearn_irmetrics.runs import Qrels, Run
from sklearn_irmetrics.runs.files import read_columns


def group_documents(name, shape, qid):
    """Return the `Queries` of documents of a shape, which errors call `name`."""
    if len(shape) != (2 if qid is None else 1):
        raise ValueError(
            f"{name} must have a row per query, or be 1-D with qid; got shape {shape}."
        )
    if qid is not None:
        return group_rows(qid, shape[0])
    n_queries, n_documents = shape
    offsets = n_documents * np.arange(n_queries + 1)
    return Queries(np.arange(n_queries), offsets, None)


def check_scores(name, y_score, shape):
    """Return scores as a 1-D array; refuse NaN and other shapes."""
    scores = as_floats(name, y_score)
    if scores.shape != shape:
        raise ValueError(
            f"{name} must have one score per document, shape {shape}; got "
            f"{scores.shape}."
        )
    if np.isnan(scores).any():
        raise ValueError(f"{name} must not contain NaN; use -inf if not retrieved.")
    return scores.ravel()


@dataclass(frozen=True, eq=False)
class JudgedDocuments:
    """Checked documents of all queries that have a weight, in rows.

    Attributes
    ----------
    shape : tuple of int
        The shape in which they were given.
    kept : ndarray of bool
        Which of those given are left; the others are of queries without weight.
    y_true : ndarray of shape (n_documents,)
        Labels by people, NaN where there are none.
    y_judge : ndarray of shape (n_documents,)
        The judge's grades, NaN where there are none.
    query : ndarray of shape (n_documents,)
        The number of the query of each, by first appearance.
    query_ids : ndarray of shape (n_queries,)
        The ids of the queries.
    weights : ndarray of shape (n_queries,)
        Of the queries.
    groups : ndarray of shape (n_queries,)
        The number of the group of each query, or of itself.
    unit : {"query", "group"}
        What these are.
    """

    shape: tuple
    kept: np.ndarray
    y_true: np.ndarray
    y_judge: np.ndarray
    query: np.ndarray
    query_ids: np.ndarray
    weights: np.ndarray
    groups: np.ndarray
    unit: str

    @cached_property
    def has_label(self):
        """Whether each document has a label by people."""
        return ~np.isnan(self.y_true)

    @cached_property
    def labelled(self):
        """Whether each query was labelled by people; wholly, or it is refused."""
        labels = np.bincount(self.query, self.has_label)
        lacks_label = ~np.isnan(self.y_judge) & ~self.has_label
        missing = np.bincount(self.query, lacks_label)
        for i in np.flatnonzero((missing > 0) & (labels > 0))[:1]:
            raise ValueError(
                "y_true must label all documents of a query that the judge graded, or "
                f"none of them; in query {self.query_ids[[i]].tolist()[0]!r} it labels "
                f"{labels[i]:g}, and not {missing[i]:g} others. Pass inclusion= if "
                "documents were sampled, or NaN in y_judge for documents that people "
                "were not meant to label."
            )
        return labels > 0

    def scores(self, y_score):
        """Return the scores of documents."""
        return check_scores("y_score", y_score, self.shape)[self.kept]

    def values(self, y_true, y_score, measures, replacement):
        """Return values of each measure, of shape (2, n_queries): people's, judge's."""
        by_people, by_judge = (
            score_queries(
                grades,
                y_score,
                measures,
                qid=self.query,
                replace_undefined_by=replacement,
            ).scores
            for grades in (y_true, self.y_judge)
        )
        return {
            label: np.stack([by_people[label], by_judge[label]]) for label in measures
        }

    def units(self, *columns):
        """Return columns of values by query as those by unit, and units' weights."""
        weights = np.bincount(self.groups, self.weights)
        sums = (np.bincount(self.groups, self.weights * column) for column in columns)
        return *(column / weights for column in sums), weights


def check_documents(y_true, y_judge, qid, sample_weight=None, groups=None):
    """Return `JudgedDocuments` of arrays in the forms that `score_judged` takes."""
    y_true, y_judge = as_floats("y_true", y_true), as_floats("y_judge", y_judge)
    for name, grades in (("y_true", y_true), ("y_judge", y_judge)):
        if np.isinf(grades).any():
            raise ValueError(f"{name} must hold finite grades, or NaN.")
    shape = y_true.shape
    if y_judge.shape != shape:
        raise ValueError(
            f"y_judge must have the shape of y_true, {shape}; got {y_judge.shape}."
        )
    queries = group_documents("y_true", shape, qid)
    query, n_queries = queries.codes(), len(queries.ids)
    weights, unit = np.ones(n_queries), "query"
    if sample_weight is not None:
        kind = "query" if qid is None else "row"
        weights = check_weights(sample_weight, shape[0], kind)
        if qid is not None:
            weights = queries.one_each("sample_weight", weights)
    group = np.arange(n_queries)
    if groups is not None:
        unit = "group"
        group = group_rows(groups, shape[0], "groups").codes()
        if qid is not None:
            group = queries.one_each("groups", group)
    counted = weights > 0
    kept = counted[query]
    return JudgedDocuments(
        shape=shape,
        kept=kept,
        y_true=y_true.ravel()[kept],
        y_judge=y_judge.ravel()[kept],
        query=(np.cumsum(counted) - 1)[query[kept]],
        query_ids=queries.ids[counted],
        weights=weights[counted],
        groups=np.unique(group[counted], return_inverse=True)[1],
        unit=unit,
    )


class JudgedRuns(NamedTuple):
    """Judgments and runs of the same documents, by query and document id.

    Attributes
    ----------
    y_true, y_judge : ndarray of shape (n_rows,)
        Grades by people and by the judge; NaN where there is none.
    y_scores : dict of str to ndarray of shape (n_rows,)
        Scores of each run; -inf for documents that it did not retrieve.
    qid, docno : ndarray of shape (n_rows,), dtype object
        Ids of query and document, as strings.
    """

    y_true: np.ndarray
    y_judge: np.ndarray
    y_scores: dict[str, np.ndarray]
    qid: np.ndarray
    docno: np.ndarray

    def _table(self):
        n_queries = count(len(set(self.qid)), "query")
        arrays = {
            "qid": self.qid,
            "docno": self.docno,
            "y_true": self.y_true,
            "y_judge": self.y_judge,
        }
        arrays |= {f"score of {name}": score for name, score in self.y_scores.items()}
        title = f"{count(len(self.qid), 'document')} of {n_queries}"
        return make_short_table(arrays, title)

    def __repr__(self):
        """Show the table."""
        return write_text(self._table())

    def _repr_html_(self):
        return write_html(self._table())


def align_judged(
    qrels: Qrels | Source | AnyTable,
    judge_qrels: Qrels | Source | AnyTable,
    runs: Mapping[str, Run | Source | AnyTable],
) -> JudgedRuns:
    """Join judgments by people and by a judge with runs, for `score_judged`.

    Parameters
    ----------
    qrels : dict, table, tuples, file or Qrels
        Judgments by people, in any form that `score_run` takes. Negative grades count
        as not judged.
    judge_qrels : dict, table, tuples, file or Qrels
        Judgments by the judge, of all queries; other queries are left out.
    runs : dict of str to dict, table, tuples, file or Run
        One run or more, by name.

    Returns
    -------
    JudgedRuns
        With a row for each document that occurs anywhere.

    Raises
    ------
    TypeError, ValueError
        If a table has none of these forms; the message names it.

    Examples
    --------
    >>> from sklearn_irmetrics.judging import align_judged
    >>> aligned = align_judged(
    ...     {"q1": {"a": 1, "b": 0}},
    ...     {"q1": {"a": 2, "b": 0}, "q2": {"a": 1}},
    ...     {"bm25": {"q1": {"b": 7.5}, "q2": {"a": 3.1}}},
    ... )
    >>> aligned.y_true
    array([ 1.,  0., nan])
    >>> aligned.y_scores["bm25"]
    array([-inf,  7.5,  3.1])
    """
    if not isinstance(runs, Mapping) or not runs:
        raise TypeError("runs must be a dict of one run or more, by name.")
    people = _values_by_pair(qrels, "qrels", "grade")
    judge = _values_by_pair(judge_qrels, "judge_qrels", "grade")
    for name, table in (("qrels", people), ("judge_qrels", judge)):
        if not table:
            raise ValueError(f"{name} must hold judgments; got none.")
    systems = {
        name: _values_by_pair(run, "runs", "score") for name, run in runs.items()
    }
    judged = {query for query, _ in judge}
    everything = set().union(people, judge, *systems.values())
    pairs = sorted(pair for pair in everything if pair[0] in judged)
    qid, docno = np.array(pairs, dtype=object).reshape(-1, 2).T

    def column(table, default):
        return np.array([table.get(pair, default) for pair in pairs], dtype=float)

    grades = (column(table, np.nan) for table in (people, judge))
    y_true, y_judge = (np.where(values < 0, np.nan, values) for values in grades)
    y_scores = {name: column(table, -np.inf) for name, table in systems.items()}
    return JudgedRuns(y_true, y_judge, y_scores, qid, docno)


def _values_by_pair(data, name, value):
    """Return the numbers of a table by query and document."""
    documents = read_columns(data, name, value)
    pairs = zip(documents.qid, documents.docno.text(), strict=True)
    return dict(zip(pairs, documents.numbers.tolist(), strict=True))
