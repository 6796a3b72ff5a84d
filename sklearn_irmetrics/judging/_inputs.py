"""Documents with a judge's grades, some of them labelled by people too."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sklearn_irmetrics._core.checks import check_weights, one_weight_per_query
from sklearn_irmetrics._core.numbers import as_floats
from sklearn_irmetrics._core.parameters import check_real
from sklearn_irmetrics._core.queries import group_rows
from sklearn_irmetrics._measures.measure import as_averaged
from sklearn_irmetrics._measures.rankings import score_queries
from sklearn_irmetrics._statistics.intervals import means_of_groups
from sklearn_irmetrics.judging._expected import check_probabilities, expected_scores
from sklearn_irmetrics.judging._regression import FEWEST
from sklearn_irmetrics.judging._sums import gains_of

# More grades than that are no grades.
_MOST_GRADES = 50


@dataclass(frozen=True, eq=False)
class JudgedDocuments:
    """Checked documents of all queries, in rows.

    Attributes
    ----------
    y_true : ndarray of shape (n_documents,)
        Labels by people, NaN where there are none.
    y_judge : ndarray of shape (n_documents,) or (n_documents, n_grades)
        The judge's grades, or probabilities of them.
    query : ndarray of shape (n_documents,)
        The number of the query of each, by first appearance.
    query_ids : ndarray of shape (n_queries,)
        The ids of the queries.
    weights, groups : ndarray of shape (n_queries,) or None
        Of the queries.
    """

    y_true: np.ndarray
    y_judge: np.ndarray
    query: np.ndarray
    query_ids: np.ndarray
    weights: np.ndarray | None
    groups: np.ndarray | None

    @cached_property
    def has_label(self):
        """Whether each document has a label by people."""
        return ~np.isnan(self.y_true)

    @cached_property
    def labelled(self):
        """Whether each query was labelled by people, wholly.

        Raises
        ------
        ValueError
            If a query was labelled in part, or too few were.
        """
        n_queries = len(self.query_ids)
        graded = ~np.isnan(self.y_judge.reshape(len(self.query), -1)[:, 0])
        open_ones = np.bincount(self.query, graded & ~self.has_label, n_queries)
        labels = np.bincount(self.query, self.has_label, n_queries)
        for i in np.flatnonzero((open_ones > 0) & (labels > 0))[:1]:
            raise ValueError(
                "y_true must label all documents of a query that the judge graded, or "
                f"none of them; in query {self.query_ids[[i]].tolist()[0]!r} it labels "
                f"{labels[i]:g}, and not {open_ones[i]:g} others. Pass inclusion= if "
                "documents were sampled, or NaN in y_judge for documents that people "
                "were never to label."
            )
        if (n_labelled := np.count_nonzero(labels)) < FEWEST:
            raise ValueError(
                f"y_true must label at least {FEWEST} queries; got {n_labelled}."
            )
        return labels > 0

    @cached_property
    def judge_grades(self):
        """The judge's grades; probabilities: the most probable ones."""
        return self.y_judge if self.y_judge.ndim == 1 else self.y_judge.argmax(axis=1)

    def judge_columns(self, measure):
        """Return a column per grade of the judge, and what each grade gains.

        A column holds 1 where the judge gave the grade, or its probability.
        """
        if self.y_judge.ndim > 1:
            p = check_probabilities(self.y_judge)
            return p, gains_of(measure, np.arange(p.shape[1]))
        grades, codes = np.unique(self.y_judge, return_inverse=True)
        if len(grades) > _MOST_GRADES or np.isnan(grades).any():
            raise ValueError(
                "y_judge must grade every document, with at most "
                f"{_MOST_GRADES} different grades, where inclusion is given."
            )
        return np.eye(len(grades))[codes], gains_of(measure, grades)

    def values(self, grades, y_score, measures, replace_undefined_by):
        """Return the values of each measure by query, for grades or probabilities."""
        y_score = as_floats("y_score", y_score).ravel()
        score = expected_scores if grades.ndim > 1 else score_queries
        options = {"qid": self.query, "replace_undefined_by": replace_undefined_by}
        return score(grades, y_score, measures, **options).scores

    def units(self, *columns):
        """Return columns of values by query as values by unit, and the units' weights.

        Units are the groups where there are any; queries without weight are left out.
        """
        weights, counted = self.weights, slice(None)
        if weights is not None:
            counted = weights > 0
            weights = weights[counted]
        columns = [np.asarray(column, float)[counted] for column in columns]
        if self.groups is None:
            return *columns, weights
        groups = self.groups[counted]
        found = [means_of_groups(column, weights, groups) for column in columns]
        return *(means for means, _ in found), found[0][1]


def check_documents(y_true, y_judge, *, qid, sample_weight=None, groups=None):
    """Return `JudgedDocuments` of arrays in the forms that `score_judged` takes."""
    y_true, y_judge = as_floats("y_true", y_true), as_floats("y_judge", y_judge)
    if y_true.ndim == 2:
        if qid is not None:
            raise ValueError("qid must be None where each row of y_true is a query.")
        n_queries, n_columns = y_true.shape
        qid = np.repeat(np.arange(n_queries), n_columns)
        y_judge = y_judge.reshape(-1, *y_judge.shape[2:])
        y_true = y_true.ravel()
        sample_weight, groups = (
            None if one is None else np.repeat(np.asarray(one), n_columns)
            for one in (sample_weight, groups)
        )
    if y_true.ndim != 1 or y_judge.shape[:1] != y_true.shape or y_judge.ndim > 2:
        raise ValueError(
            "y_judge must have the shape of y_true, or one more axis for the "
            f"probabilities of grades; got {y_judge.shape} and {y_true.shape}."
        )
    if y_judge.ndim > 1:
        check_probabilities(y_judge)
    if qid is None:
        raise ValueError(
            "qid must name the query of each document where y_true is 1-D."
        )
    queries = group_rows(qid, len(y_true))
    query = queries.codes()
    weights = check_weights(sample_weight, len(y_true), "row")
    if weights is not None:
        weights = one_weight_per_query(weights, queries)
    if groups is not None:
        groups = _groups_of_queries(groups, query, len(queries.ids))
    return JudgedDocuments(y_true, y_judge, query, queries.ids, weights, groups)


def _groups_of_queries(groups, query, n_queries):
    codes = group_rows(groups, len(query)).codes()
    of_query = np.zeros(n_queries, dtype=int)
    of_query[query] = codes
    if (of_query[query] != codes).any():
        raise ValueError("groups must be constant inside a query.")
    return of_query


def check_measures(metrics, replace_undefined_by):
    """Return measures that have a mean over queries, and the checked replacement."""
    replacement = check_real(
        "replace_undefined_by", replace_undefined_by, -np.inf, np.inf, "a finite number"
    )
    measures = as_averaged("metrics", metrics)
    for label, measure in measures.items():
        if measure.average != "macro":
            raise ValueError(
                f"metrics must be plain means over queries; {label!r} has "
                f"average={measure.average!r}."
            )
    return measures, replacement


def bounds_of(measure, replace_undefined_by):
    """Return the range of the values of a measure."""
    low, high = measure.metric.range
    return min(low, replace_undefined_by), max(high, replace_undefined_by)
