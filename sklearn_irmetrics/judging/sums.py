"""Measures that are sums over documents, and what each document adds to them."""

import numpy as np

from sklearn_irmetrics.reports.query_scores import score_queries

_SUMS = ("p", "cg", "dcg", "rbp")


def is_sum(measure, replacement=0.0):
    """Return whether a measure is a sum over documents.

    Precision is none where it divides by how many are retrieved, nor is success@1
    where queries without relevant documents have a value.
    """
    name, arguments = measure.metric.name, measure.arguments
    others = {"judged_only", "pos_label", "adaptive"}
    if any(arguments.get(option) not in (None, False) for option in others):
        return False
    if name == "success":
        return arguments.get("k") == 1 and replacement == 0
    return name in _SUMS and (name != "p" or arguments.get("k") is not None)


def gains_of(measure, grades):
    """Return the gain of each grade at the first rank; 0 for NaN."""
    distinct, places = np.unique(grades, return_inverse=True)
    numbers = np.arange(len(distinct))
    values = _values(measure, distinct, np.zeros(len(distinct)), numbers)
    return values[places.reshape(np.shape(grades))]


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
    weight_of_row = np.empty(len(order))
    weight_of_row[order] = shared[tie]
    return weight_of_row


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
    values = _values(measure, grades.ravel(), scores.ravel(), numbers)
    return np.append(values / values[0], np.zeros(depth - n))


def _values(measure, grades, scores, query):
    scores_of_queries = score_queries(
        grades, scores, {"it": measure}, qid=query, replace_undefined_by=0.0
    )
    return scores_of_queries.scores["it"]
