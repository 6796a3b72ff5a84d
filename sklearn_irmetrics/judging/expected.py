"""Expected scores under a judge's probabilities, and measures that are sums."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from sklearn_irmetrics._arrays.numbers import as_floats
from sklearn_irmetrics._arrays.query_ids import group_rows
from sklearn_irmetrics._checks import check_count, check_real
from sklearn_irmetrics._statistics.draws import check_generator
from sklearn_irmetrics._typing import Ids, RandomState
from sklearn_irmetrics.metrics._measure import Measure, Measures, as_averaged
from sklearn_irmetrics.reports.query_scores import QueryScores, score_queries


def number_queries(name, shape, qid):
    """Return the number of the query of each document in rows, and the queries' ids."""
    if len(shape) != (2 if qid is None else 1):
        raise ValueError(
            f"{name} must have a row per query, or be 1-D with qid; got shape {shape}."
        )
    if qid is None:
        return np.arange(shape[0]).repeat(shape[1]), np.arange(shape[0])
    queries = group_rows(qid, shape[0])
    return queries.codes(), queries.ids


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


_SUMS = ("p", "cg", "dcg", "rbp")


def is_sum(measure, replacement=0.0):
    """Return whether a measure is a sum over documents.

    Precision is none where it divides by how many are retrieved, nor is success@1
    where queries without relevant documents have a value.
    """
    name, arguments = measure.metric.name, measure.arguments
    others = {"judged_only", "pos_label", "adaptive"}
    if any(arguments.get(one) not in (None, False) for one in others):
        return False
    if name == "success":
        return arguments.get("k") == 1 and replacement == 0
    return name in _SUMS and (name != "p" or arguments.get("k") is not None)


def gains_of(measure, grades):
    """Return what each grade adds to a sum at the first rank; 0 for NaN."""
    distinct, places = np.unique(grades, return_inverse=True)
    numbers = np.arange(len(distinct))
    found = _values(measure, distinct, np.zeros(len(distinct)), numbers)
    return found[places.reshape(np.shape(grades))]


def weights_of(measure, y_score, query):
    """Return the weight of each document's place, 1 at the first rank.

    Tied documents share the mean weight of their ranks; documents that are not
    retrieved have none.

    Parameters
    ----------
    measure : Measure
        For which `is_sum` holds.
    y_score : ndarray of shape (n_documents,)
        Scores.
    query : ndarray of shape (n_documents,)
        Numbers of the queries.
    """
    order = np.lexsort((-y_score, query))
    query, y_score = query[order], y_score[order]
    first = np.flatnonzero(np.append(True, query[1:] != query[:-1]))
    lengths = np.diff(np.append(first, len(query)))
    rank = np.arange(len(query)) - np.repeat(first, lengths)
    of_rank = weights_of_ranks(measure, lengths.max())
    weights = np.where(np.isfinite(y_score), of_rank[rank], 0.0)
    new = np.append(True, (query[1:] != query[:-1]) | (y_score[1:] != y_score[:-1]))
    tie = np.cumsum(new) - 1
    shared = np.bincount(tie, weights) / np.bincount(tie)
    found = np.empty(len(order))
    found[order] = shared[tie]
    return found


def weights_of_ranks(measure, depth):
    """Return the weights of ranks, from rankings with one document that gains."""
    arguments = measure.arguments
    gain = arguments.get("gain")
    listed = gain if isinstance(gain, dict) else {}
    grade = max(
        listed, key=listed.get, default=arguments.get("relevance_threshold") or 1
    )
    n = min(depth, arguments.get("k") or depth)
    grades = np.full((n, n), np.nan)
    np.fill_diagonal(grades, grade)
    scores = np.broadcast_to(-np.arange(n), (n, n))
    numbers = np.repeat(np.arange(n), n)
    found = _values(measure, grades.ravel(), scores.ravel(), numbers)
    return np.append(found / found[0], np.zeros(depth - n))


def _values(measure, grades, scores, query):
    found = score_queries(
        grades, scores, {"it": measure}, qid=query, replace_undefined_by=0.0
    )
    return found.scores["it"]


def reciprocal_rank(p, n):
    """Add up the probability of stopping at each rank, divided by the rank."""
    none_before = np.append(1.0, np.cumprod(1 - p[:n]))[:n]
    return (p[:n] * none_before / np.arange(1, n + 1)).sum()


def success(p, n):
    """Return the probability that a relevant document is met."""
    return 1 - np.prod(1 - p[:n])


def recall(p, n):
    """Add up the expected shares of the relevant documents down to rank n."""
    _, mass, odds = _nodes(p)
    return (mass @ odds)[:n].sum()


def average_precision(p, n):
    """Add up the expected shares of each document, alone and with those above it."""
    t, mass, odds = _nodes(p)
    above = np.cumsum(odds, axis=1) - odds
    each = mass @ (odds * (1 + t[:, np.newaxis] * above))
    return (each[:n] / np.arange(1, n + 1)).sum()


def _nodes(p):
    """Return the terms of E[1 / (c + K)], where K counts relevant documents.

    It is the integral of ``t^(c - 1) E[t^K]`` over [0, 1]: a polynomial, which
    Gauss-Legendre nodes integrate exactly. ``E[t^K]`` is the product of ``1 - p + p t``
    over documents; dividing it by one of its factors leaves that document out.

    Returns
    -------
    t, mass : ndarray of shape (n_nodes,)
        Nodes, and their weights times ``E[t^K]``.
    odds : ndarray of shape (n_nodes, n_documents)
        ``p / (1 - p + p t)``.
    """
    nodes, weights = np.polynomial.legendre.leggauss(len(p) // 2 + 1)
    t, weights = (nodes + 1) / 2, weights / 2
    factors = 1 - p + np.multiply.outer(t, p)
    return t, weights * np.exp(np.log(factors).sum(axis=1)), p / factors


def ndcg(p, n, k, gains, discount):
    """Add up the expected gains of each rank, divided by the ideal DCG at k.

    That depends on the k best gains alone. So multisets of them get their probability,
    document by document: from below the cutoff upwards (`ahead`), and of what is still
    to come (`after`).

    Parameters
    ----------
    p : ndarray of shape (n_documents, n_gains)
        Probabilities of the gains of each document.
    n, k : int
        Number of ranks retrieved, and number that count in the ideal order.
    gains : ndarray of shape (n_gains,)
        0 and, rising, the others.
    discount : ndarray
        By rank.
    """
    states, step = _multisets(k, len(gains) - 1)
    ideal = np.array([gains[list(one)] @ discount[: len(one)] for one in states])
    inverse = np.divide(1.0, ideal, out=np.zeros(len(ideal)), where=ideal > 0)

    def add(mass, document):
        moved = [np.bincount(to, mass, len(mass)) for to in step]
        return document @ np.array(moved)

    mass = np.zeros(len(states))
    mass[0] = 1
    for document in p[n:]:
        mass = add(mass, document)
    ahead = [mass]
    for document in p[: n - 1]:
        ahead.append(add(ahead[-1], document))
    value, after = 0.0, inverse
    for rank in range(n)[::-1]:
        later = after[step]
        value += discount[rank] * (p[rank] * gains) @ (later @ ahead[rank])
        after = p[rank] @ later
    return value


@lru_cache(maxsize=8)
def _multisets(k, n_positive):
    """Return all multisets of at most k positive gains, and where one more leads.

    Returns
    -------
    states : list of tuple
        Numbers of gains, the best first.
    step : ndarray of shape (n_positive + 1, n_states)
        The number of the state that each gain leads to; the k best are kept.
    """
    best_first = range(n_positive, 0, -1)
    states = [
        one
        for size in range(k + 1)
        for one in combinations_with_replacement(best_first, size)
    ]
    place = {one: i for i, one in enumerate(states)}
    step = [range(len(states))]
    for gain in range(1, n_positive + 1):
        grown = [tuple(sorted((*one, gain), reverse=True))[:k] for one in states]
        step.append([place[one] for one in grown])
    return states, np.array(step)


# Exact formulas, and which arguments they take.
_FORMULAS = {
    "rr": (reciprocal_rank, {"relevance_threshold"}),
    "err": (reciprocal_rank, {"gain", "max_grade"}),
    "success": (success, {"relevance_threshold"}),
    "ap": (average_precision, {"relevance_threshold"}),
    "recall": (recall, {"relevance_threshold"}),
    "ndcg": (ndcg, {"gain", "discount", "log_base"}),
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
