"""Expected measures of documents whose grades are known as probabilities."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import comb

import numpy as np
from scipy import stats

from sklearn_irmetrics._core.numbers import as_floats
from sklearn_irmetrics._core.parameters import check_count, check_real
from sklearn_irmetrics._core.queries import group_rows
from sklearn_irmetrics._measures.measure import Measure, as_averaged
from sklearn_irmetrics._measures.query_scores import QueryScores
from sklearn_irmetrics._measures.rankings import score_queries
from sklearn_irmetrics._statistics.draws import check_generator
from sklearn_irmetrics._typing import ArrayLike, Ids, Measures, RandomState
from sklearn_irmetrics.judging import _exact
from sklearn_irmetrics.judging._checks import check_scores
from sklearn_irmetrics.judging._sums import (
    gains_of,
    is_sum,
    weights_of,
    weights_of_ranks,
)

# Exact formulas, and which arguments they take.
_FORMULAS = {
    "rr": (_exact.reciprocal_rank, {"relevance_threshold"}),
    "err": (_exact.reciprocal_rank, {"gain", "max_grade"}),
    "success": (_exact.success, {"relevance_threshold"}),
    "ap": (_exact.average_precision, {"relevance_threshold"}),
    "recall": (_exact.recall, {"relevance_threshold"}),
    "ndcg": (_exact.ndcg, {"gain", "discount", "log_base"}),
}
# The most multisets of gains for which nDCG is exact: 30 ranks of three gains have
# 5,456, and 60 of them 39,711.
_MOST_MULTISETS = 50_000


@dataclass(frozen=True, eq=False, repr=False)
class ExpectedScores(QueryScores):
    """Expected values of measures, per query, and their means.

    Attributes
    ----------
    standard_error : dict of str to float
        Of the means, from random draws of the grades; 0 if they are exact.
    """

    standard_error: dict[str, float] = field(default_factory=dict)

    __repr__ = QueryScores.__repr__


def expected_scores(
    y_judge: ArrayLike,
    y_score: ArrayLike,
    metrics: Measures,
    *,
    qid: Ids,
    replace_undefined_by: float = 0.0,
    n_draws: int = 200,
    random_state: RandomState = None,
) -> ExpectedScores:
    """Compute the expected values of measures if grades are known as probabilities.

    Grades of documents are taken as independent of one another. P@k, CG, DCG, RBP, RR,
    success, ERR, AP, recall and nDCG are exact. Other measures, nDCG of deep rankings
    with many grades and, where scores are tied, measures that are not sums over
    documents are means over random draws of the grades.

    Parameters
    ----------
    y_judge : array-like of shape (n_documents, n_grades)
        Probabilities of the grades 0, 1, 2, ... of each document. NaN: unjudged.
    y_score : array-like of shape (n_documents,)
        Scores; larger ranks higher, -inf: not retrieved. Ties are averaged.
    metrics : str or Measure, list of them, or dict of str to them
        Plain means over queries, such as ``"ndcg@10"``.
    qid : array-like of shape (n_documents,)
        Query ids.
    replace_undefined_by : float, default=0.0
        Value of a query without relevant documents, which has some probability.
    n_draws : int, default=200
        Number of random draws of the grades, for measures that are not exact.
    random_state : int or None, default=None
        Seeds the draws.

    Returns
    -------
    ExpectedScores
        Like the result of `score_queries`, with `standard_error` by measure: 0 if the
        value is exact.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    Notes
    -----
    The expected measure is not the measure of expected grades. AP and recall are
    integrals, of polynomials over [0, 1], that Gauss-Legendre nodes give exactly. nDCG
    at k needs the k best grades only; their probabilities follow document by document.

    Examples
    --------
    >>> from sklearn_irmetrics.judging import expected_scores
    >>> y_judge = [[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]]
    >>> expected_scores(y_judge, [3, 2, 1], ["p@2", "ap", "ndcg"], qid=[7, 7, 7])
    QueryScores of 1 query
      p@2   0.6500
      ap    0.8475
      ndcg  0.8655
    """
    p, grades = check_probabilities(as_floats("y_judge", y_judge))
    ranked = check_scores("y_score", y_score, p.shape[:1])
    rng = check_generator(random_state)
    replacement = check_real("replace_undefined_by", replace_undefined_by)
    n_draws = check_count("n_draws", n_draws, 2)
    measures = as_averaged("metrics", metrics)
    queries = group_rows(qid, len(p))
    query = queries.codes()
    scores = {
        label: _exactly(measure, p, grades, ranked, query, replacement)
        for label, measure in measures.items()
    }
    error = dict.fromkeys(measures, 0.0)
    if drawn := {n: one for n, one in measures.items() if scores[n] is None}:
        found = _by_draws(drawn, p, grades, ranked, query, replacement, n_draws, rng)
        for label, values in found.items():
            scores[label] = values.mean(axis=0)
            error[label] = float(stats.sem(values.mean(axis=1)))
    return ExpectedScores(
        query_ids=queries.ids,
        scores=scores,
        mean={label: float(values.mean()) for label, values in scores.items()},
        standard_error=error,
    )


def check_probabilities(p):
    """Return probabilities, and of which grades; the last is NaN, of the unjudged."""
    if p.ndim != 2 or p.shape[1] < 2:
        raise ValueError(
            "y_judge must hold a probability for each of two grades or more, shape "
            f"(n_documents, n_grades); got shape {p.shape}."
        )
    unjudged = np.isnan(p).all(axis=1)
    grades = np.append(np.arange(p.shape[1]), np.nan)
    p = np.column_stack([np.where(unjudged[:, np.newaxis], 0.0, p), unjudged])
    if not ((p >= 0).all() and np.allclose(p.sum(axis=1), 1, rtol=0, atol=1e-6)):
        raise ValueError("y_judge must hold probabilities that sum to 1 in each row.")
    return p, grades


def _exactly(measure, p, grades, y_score, query, replacement):
    """Return expected values by query, None if there is no exact way."""
    name, arguments = measure.metric.name, dict(measure.arguments)
    k = arguments.pop("k", None)
    if is_sum(measure, replacement):
        weights = weights_of(measure, y_score, query)
        return np.bincount(query, weights * (p @ gains_of(measure, grades)))
    formula, takes = _FORMULAS.get(name, (None, set()))
    order = np.lexsort((-y_score, query))
    ranks = np.column_stack([query, y_score])[order]
    tied = (ranks[1:] == ranks[:-1]).all(axis=1) & (ranks[1:, 1] > -np.inf)
    if formula is None or set(arguments) - takes or tied.any():
        return None
    if name == "ndcg":
        measure = Measure("dcg", **arguments)
    gains = gains_of(measure, grades)
    nothing = p @ (gains == 0)
    if name == "ndcg":
        most = int(np.bincount(query).max())
        gains, columns = np.unique(np.append(0.0, gains), return_inverse=True)
        n_multisets = comb(min(k or most, most) + len(gains) - 1, len(gains) - 1)
        if gains[0] < 0 or n_multisets > _MOST_MULTISETS:
            return None
        discount = weights_of_ranks(measure, most)
        by_gain = np.zeros((len(p), len(gains)))
        np.add.at(by_gain.T, columns[1:], p.T)
    else:
        satisfied = (p @ gains).clip(0, 1)
    found = []
    retrieved = np.bincount(query, y_score > -np.inf).astype(int)
    lengths = np.bincount(query)
    for rows, n in zip(np.split(order, lengths.cumsum()[:-1]), retrieved, strict=True):
        n = n if k is None else min(k, n)
        if name == "ndcg":
            depth = min(k or len(rows), len(rows))
            value = formula(by_gain[rows], n, depth, gains, discount)
        else:
            value = formula(satisfied[rows], n)
        found.append(value + replacement * nothing[rows].prod())
    return np.array(found)


def _by_draws(measures, p, grades, y_score, query, replacement, n_draws, rng):
    """Return values by draw and query of each measure."""
    cumulated = p.cumsum(axis=1)[:, :-1]
    options = {"qid": query, "replace_undefined_by": replacement}
    found = {label: [] for label in measures}
    for _ in range(n_draws):
        drawn = grades[(rng.random((len(p), 1)) > cumulated).sum(axis=1)]
        scores = score_queries(drawn, y_score, measures, **options).scores
        for label, values in scores.items():
            found[label].append(values)
    return {label: np.array(values) for label, values in found.items()}
