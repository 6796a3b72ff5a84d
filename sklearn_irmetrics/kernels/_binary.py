"""Measures of relevant and non-relevant documents in rank order.

Notation: ``C(k)`` relevant documents down to rank k, ``R`` relevant documents of the
query, retrieved or not. Inside a tie group that starts after rank t: n documents, r of
them relevant, A relevant before it, j the place of a rank in it.
"""

import numpy as np

from sklearn_irmetrics._core.arrays import divide, divide_or_zero, running_sum
from sklearn_irmetrics._core.values import Relevant


def precision_at_k(ranking, *, k, adaptive, relevance_threshold):
    """Compute C(k) / k, or C(k) / min(k, n)."""
    found = _found(ranking, Relevant(relevance_threshold), k)
    examined = _examined(ranking, k, adaptive=adaptive)
    return divide_or_zero(found, examined), found, examined


def recall_at_k(ranking, *, k, capped, relevance_threshold):
    """Compute C(k) / R, or C(k) / min(R, k)."""
    relevant = Relevant(relevance_threshold)
    found = _found(ranking, relevant, k)
    to_find = ranking.total(relevant)
    if capped and k is not None:
        to_find = np.minimum(to_find, k)
    return divide(found, to_find), found, to_find


def fbeta_at_k(ranking, *, k, alpha, relevance_threshold):
    """Compute 1 / (alpha / P + (1 - alpha) / R) = C(k) / (alpha k + (1 - alpha) R)."""
    relevant = Relevant(relevance_threshold)
    found = _found(ranking, relevant, k)
    to_find = ranking.total(relevant)
    weighed = alpha * _examined(ranking, k) + (1 - alpha) * to_find
    return _where_relevant(to_find, divide_or_zero(found, weighed)), found, weighed


def success_at_k(ranking, *, k, relevance_threshold):
    """Compute the probability that C(k) > 0."""
    relevant = Relevant(relevance_threshold)
    ranking = ranking.favouring(relevant)
    if ranking.tied:
        found = 1.0 - _nothing_found(ranking, relevant)[:, :k][:, -1]
    else:
        found = ranking.values(relevant)[:, :k].any(axis=1)
    return _where_relevant(ranking.total(relevant), found)


def r_precision(ranking, *, relevance_threshold):
    """Compute C(R) / R."""
    relevant = Relevant(relevance_threshold)
    to_find = ranking.total(relevant)
    found = running_sum(ranking.expected(relevant))
    rank = np.clip(to_find, 1, found.shape[1]).astype(np.intp)
    found_at_r = np.take_along_axis(found, rank[:, np.newaxis] - 1, axis=1)[:, 0]
    return divide(found_at_r, to_find)


def reciprocal_rank(ranking, *, k, relevance_threshold):
    """Compute 1 / (rank of the first relevant document), 0 where none is met."""
    relevant = Relevant(relevance_threshold)
    ranking = ranking.favouring(relevant)
    if ranking.tied:
        left = _nothing_found(ranking, relevant)[:, :k]
        met = -np.diff(left, axis=1, prepend=1.0)
        value = (met / ranking.ranks[:k]).sum(axis=1)
    else:
        is_relevant = ranking.values(relevant)[:, :k]
        value = is_relevant.any(axis=1) / (1.0 + is_relevant.argmax(axis=1))
    return _where_relevant(ranking.total(relevant), value)


def average_precision(ranking, *, k, denominator, relevance_threshold):
    """Compute the sum of C(r) / r over relevant ranks, over one of four counts."""
    relevant = Relevant(relevance_threshold)
    ranking = ranking.favouring(relevant)
    to_find = ranking.total(relevant)
    precision = (_precision_terms(ranking, relevant) / ranking.ranks)[:, :k]
    total = precision.sum(axis=1)
    if denominator == "retrieved":
        value = _per_retrieved(ranking, relevant, k, precision, total)
    elif denominator == "k":
        value = total / k
    else:
        capped = denominator == "attainable" and k is not None
        value = divide(total, np.minimum(to_find, k) if capped else to_find)
    return _where_relevant(to_find, value)


def _found(ranking, relevant, k):
    """C(k), expected."""
    return ranking.expected(relevant)[:, :k].sum(axis=1, dtype=np.float64)


def _examined(ranking, k, *, adaptive=False):
    """Return k, or how many documents there are where that is what counts."""
    if k is None:
        return ranking.n_retrieved
    if adaptive:
        return np.minimum(ranking.n_retrieved, k)
    return np.full(len(ranking.order), float(k))


def _where_relevant(to_find, value):
    return np.where(to_find > 0, value, np.nan)


def _nothing_found(ranking, relevant):
    """Probability that no rank down to each one holds a relevant document."""
    left = ranking.group_size - ranking.group_place + 1.0
    nonrelevant = left - ranking.group_total(relevant)
    return np.cumprod(np.maximum(nonrelevant, 0.0) / left, axis=1)


def _precision_terms(ranking, relevant):
    """Expected b_r C(r): relevant at r, times the relevant documents down to r."""
    before = ranking.before_group(relevant)
    if not ranking.tied:
        return ranking.values(relevant) * (before + 1.0)
    r, n, j = ranking.group_total(relevant), ranking.group_size, ranking.group_place
    others_above = (j - 1.0) * divide_or_zero(r - 1.0, n - 1.0)
    return r / n * (before + 1.0 + others_above)


def _per_retrieved(ranking, relevant, k, precision, total):
    """Divide by C(k), which is random where rank k falls inside a tie group.

    The expectation of the ratio: over c, the relevant documents among the m places of
    the cut group, hypergeometric.
    """
    found = _found(ranking, relevant, k)
    value = divide_or_zero(total, found)
    if not ranking.tied or k is None or k > ranking.depth:
        return value
    cut = np.flatnonzero(ranking.group_place[:, k - 1] < ranking.group_size[:, k - 1])
    if not len(cut):
        return value
    at_k = np.s_[cut, k - 1]
    n, r = ranking.group_size[at_k], ranking.group_total(relevant)[at_k]
    m, before = ranking.group_place[at_k], ranking.before_group(relevant)[at_k]
    ranks = ranking.ranks[:k]
    inside = ranks > (k - m)[:, np.newaxis]
    place = ranking.group_place[cut, :k]
    sum_before = np.where(inside, 0.0, precision[cut]).sum(axis=1)
    weight = np.where(inside, 1.0 / ranks, 0.0).sum(axis=1)
    weight_of_place = np.where(inside, (place - 1.0) / ranks, 0.0).sum(axis=1)

    from scipy.stats import hypergeom

    c = np.arange(m.max() + 1.0)
    m, n, r, before, sum_before, weight, weight_of_place = (
        column[:, np.newaxis]
        for column in (m, n, r, before, sum_before, weight, weight_of_place)
    )
    in_group = (
        c
        / m
        * ((before + 1.0) * weight + divide_or_zero(c - 1.0, m - 1.0) * weight_of_place)
    )
    ratio = divide_or_zero(sum_before + in_group, before + c)
    chance = hypergeom.pmf(c, n, r, m)
    value[cut] = (chance * np.where(chance > 0, ratio, 0.0)).sum(axis=1)
    return value
