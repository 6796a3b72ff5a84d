"""Labels of single documents, and grades calibrated by them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.numbers import as_floats
from sklearn_irmetrics._checks import check_count
from sklearn_irmetrics._typing import Array, Ids, RandomState
from sklearn_irmetrics.judging.expected import (
    check_probabilities,
    check_scores,
    expected_scores,
    number_queries,
)
from sklearn_irmetrics.metrics._ranking.batch import check_weights
from sklearn_irmetrics.reports.query_scores import score_queries


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
    y_judge : ndarray of shape (n_documents,) or (n_documents, n_grades)
        The judge's grades, or probabilities of them.
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
        graded = ~np.isnan(self.y_judge.reshape(len(self.query), -1)[:, 0])
        labels = np.bincount(self.query, self.has_label)
        missing = np.bincount(self.query, graded & ~self.has_label)
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
        options = {"qid": self.query, "replace_undefined_by": replacement}
        by_people = score_queries(y_true, y_score, measures, **options).scores
        score = score_queries
        if self.y_judge.ndim > 1:
            score, options["random_state"] = expected_scores, 0
        by_judge = score(self.y_judge, y_score, measures, **options).scores
        return {
            label: np.stack([by_people[label], by_judge[label]]) for label in measures
        }

    def units(self, *columns):
        """Return columns of values by query as those by unit, and units' weights."""
        weights = np.bincount(self.groups, self.weights)
        sums = (np.bincount(self.groups, self.weights * one) for one in columns)
        return *(one / weights for one in sums), weights


def check_documents(y_true, y_judge, qid, sample_weight=None, groups=None):
    """Return `JudgedDocuments` of arrays in the forms that `score_judged` takes."""
    y_true, y_judge = as_floats("y_true", y_true), as_floats("y_judge", y_judge)
    for name, grades in (("y_true", y_true), ("y_judge", y_judge)):
        if np.isinf(grades).any():
            raise ValueError(f"{name} must hold finite grades, or NaN.")
    shape = y_true.shape
    if y_judge.shape[: y_true.ndim] != y_true.shape or y_judge.ndim > y_true.ndim + 1:
        raise ValueError(
            "y_judge must have the shape of y_true, or one more axis for the "
            f"probabilities of grades; got {y_judge.shape} and {y_true.shape}."
        )
    query, query_ids = number_queries("y_true", shape, qid)
    y_judge = y_judge.reshape(y_true.size, *y_judge.shape[y_true.ndim :])
    y_true = y_true.ravel()
    if y_judge.ndim > 1:
        check_probabilities(y_judge)
    of_rows = None if qid is None else query
    n_queries, unit = len(query_ids), "query" if groups is None else "group"
    weights = check_weights(sample_weight, shape[0], "query" if qid is None else "row")
    weights = _by_query("sample_weight", weights, of_rows, np.ones(n_queries))
    groups = _by_query("groups", groups, of_rows, np.arange(n_queries))
    counted = weights > 0
    kept = counted[query]
    return JudgedDocuments(
        shape,
        kept,
        y_true[kept],
        y_judge[kept],
        (np.cumsum(counted) - 1)[query[kept]],
        query_ids[counted],
        weights[counted],
        np.unique(groups[counted], return_inverse=True)[1],
        unit,
    )


def _by_query(name, values, query, default):
    """Return the value of each query, of which rows have one number if any."""
    if values is None:
        return default
    found = values = np.asarray(values)
    size = len(default) if query is None else len(query)
    if values.shape != (size,):
        raise ValueError(f"{name} must have shape {(size,)}; got {values.shape}.")
    if query is not None:
        found = np.empty(len(default), values.dtype)
        found[query] = values
        if (found[query] != values).any():
            raise ValueError(f"{name} must be constant inside a query.")
    return found


def calibrate_grades(
    y_true: ArrayLike,
    y_judge: ArrayLike,
    *,
    qid: Ids | None = None,
    n_splits: int = 5,
    random_state: RandomState = None,
) -> Array:
    """Turn a judge's grades into probabilities of the grades that people would give.

    Labelled queries are split into folds. The probabilities in a labelled query come
    from the other folds, so no label is used twice; those in other queries are the mean
    over all folds. Pass them to `score_judged` as `y_judge`.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents)
        Labels by people, whole grades from 0; NaN where there is none.
    y_judge : array-like of the shape of `y_true`
        The judge's grades, or scores.
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D input.
    n_splits : int, default=5
        Number of folds of labelled queries.
    random_state : int or None, default=None
        Seeds the folds.

    Returns
    -------
    ndarray of the shape of `y_true` and an axis of n_grades
        Probabilities of the grades 0, 1, 2, ... up to the largest label.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    Notes
    -----
    The probability of a grade or a better one rises with the judge's grade, by isotonic
    regression for each grade.

    Examples
    --------
    >>> from sklearn_irmetrics.judging import calibrate_grades
    >>> y_true = [[0, 1], [0, 1], [1, 1], [float("nan")] * 2]
    >>> y_judge = [[0, 2], [1, 2], [1, 2], [0, 2]]
    >>> calibrate_grades(y_true, y_judge, n_splits=3, random_state=0)[-1].round(2)
    array([[0.83, 0.17],
           [0.  , 1.  ]])
    """
    from sklearn.isotonic import IsotonicRegression
    from sklearn.model_selection import GroupKFold

    documents = check_documents(y_true, y_judge, qid)
    labels, judge, query = documents.y_true, documents.y_judge, documents.query
    known = np.flatnonzero(documents.has_label)
    if judge.ndim > 1 or np.isnan(judge).any():
        raise ValueError("y_judge must hold one grade or score for every document.")
    if (labels[known] % 1 != 0).any() or (labels[known] < 0).any():
        raise ValueError("y_true must hold whole grades from 0, or NaN.")
    n_splits = check_count("n_splits", n_splits, 2)
    if (n_labelled := len(np.unique(query[known]))) < n_splits:
        raise ValueError(
            f"y_true must label at least n_splits={n_splits} queries; got {n_labelled}."
        )
    folds = GroupKFold(n_splits, shuffle=True, random_state=random_state)
    levels = np.arange(1, labels[known].max() + 1)
    found = np.zeros((len(judge), len(levels) + 1))
    unlabelled = ~np.isin(query, query[known])
    for train, test in folds.split(known, groups=query[known]):
        x, y = judge[known[train]], labels[known[train]]
        model = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
        # Chances of each grade or a better one.
        at_least = [model.fit(x, y >= grade).predict(judge) for grade in levels]
        p = -np.diff([np.ones(len(judge)), *at_least, np.zeros(len(judge))], axis=0).T
        left_out = np.isin(query, query[known[test]])
        found[left_out] = p[left_out]
        found[unlabelled] += p[unlabelled] / n_splits
    return found.reshape(*np.shape(y_true), -1)
