"""Measures of how many subtopics of a query a ranking covers, and how early.

Notation: M is the number of subtopics that any document of the query is relevant to,
``g_s`` the number of documents above a rank that are relevant to subtopic s, and
``N_r`` the sum of ``(1 - alpha)^g_s`` over the subtopics of the document at rank r: its
value to a user who loses interest in subtopics already met. All measures are sums over
subtopics, so each subtopic is scored alone, and expectations over ties are exact.
"""

from functools import partial

import numpy as np

from sklearn_irmetrics._core.arrays import (
    divide,
    divide_or_zero,
    first_true,
    row_sum,
    running_max,
    running_sum,
    sort_within,
)
from sklearn_irmetrics._core.ordering import gather
from sklearn_irmetrics._core.subtopics import SUBTOPICS
from sklearn_irmetrics._core.values import (
    Discount,
    NumberOfSubtopics,
    OfSubtopic,
    Relevant,
)
from sklearn_irmetrics.kernels._binary import average_precision_of, success_of
from sklearn_irmetrics.kernels._common import (
    at_column,
    chances_to_reach,
    compute_cells,
    count_examined,
    deepest,
    mean_over_found,
    refuse_extremes,
    sum_expected,
    up_to,
)

_ROUNDING = 1e-12  # gains that differ by a smaller share are equal
_NEGLIGIBLE = 1e-20  # gains below this share of the first one are ignored
_DEEPEST = 1 << 20  # the largest cutoff whose ranks are added up one by one


def alpha_ndcg(ranking, *, k, alpha, relevance_threshold):
    """Divide the discounted sum of N_r by that of the greedy order."""
    gains = _expected_gains(ranking, alpha, relevance_threshold)
    best = _greedy_gains(ranking, alpha, relevance_threshold, deepest(k))
    dcg, ideal = (
        up_to(g * Discount()(np.arange(1.0, g.shape[1] + 1.0)), k)
        for g in (gains, best)
    )
    return divide(dcg, ideal)


def subtopic_recall(ranking, *, k, relevance_threshold):
    """Compute the share of the subtopics that the top k covers."""

    def met(relevant):
        return success_of(ranking, relevant, k)

    return _mean_over_subtopics(ranking, relevance_threshold, met)


def intent_aware_reciprocal_rank(ranking, *, k, alpha, relevance_threshold):
    """Divide the sum of N_r / r by that of documents that hold all subtopics."""
    gains = _expected_gains(ranking, alpha, relevance_threshold)
    best = _sum_of_fading_ranks(ranking, k, 1.0 - alpha)
    total = up_to(gains / ranking.ranks, k) / best
    return _per_subtopic(ranking, relevance_threshold, total)


def novelty_rank_biased_precision(
    ranking, *, k, alpha, persistence, relevance_threshold
):
    """Compute (1 - (1 - alpha) p) / M times the sum of N_r p^(r - 1)."""
    reached = chances_to_reach(ranking, persistence)
    gains = _expected_gains(ranking, alpha, relevance_threshold)[:, : len(reached)]
    total = up_to(gains * reached, k)
    total = (1.0 - (1.0 - alpha) * persistence) * total
    return _per_subtopic(ranking, relevance_threshold, total)


def intent_aware_average_precision(ranking, *, k, relevance_threshold):
    """Compute the mean of average precision over the subtopics."""

    def precision(relevant):
        return average_precision_of(ranking, relevant, k, "relevant")

    return _mean_over_subtopics(ranking, relevance_threshold, precision)


def intent_aware_precision(ranking, *, k, relevance_threshold):
    """Compute the mean of C(k) / k over the subtopics."""
    held = NumberOfSubtopics(Relevant(relevance_threshold))
    hits = sum_expected(ranking, held, k)
    precision = divide_or_zero(hits, count_examined(ranking, k))
    return _per_subtopic(ranking, relevance_threshold, precision)


def _by_subtopic(ranking, relevance_threshold):
    """Return one value function per subtopic: whether documents are relevant to it."""
    relevant = Relevant(relevance_threshold)
    n_subtopics = ranking.block.marks[SUBTOPICS].shape[2]
    return [OfSubtopic(column, relevant) for column in range(n_subtopics)]


def _per_subtopic(ranking, relevance_threshold, total):
    """Divide by M, with NaN where that is 0."""
    n_met = sum(
        (ranking.total(relevant) > 0).astype(np.float64)
        for relevant in _by_subtopic(ranking, relevance_threshold)
    )
    return divide(total, n_met)


def _mean_over_subtopics(ranking, relevance_threshold, measure):
    """Return the mean of a measure over the subtopics with a relevant document."""
    refuse_extremes(ranking, "for this measure of subtopics")
    total = 0.0
    for relevant in _by_subtopic(ranking, relevance_threshold):
        there = ranking.total(relevant) > 0
        total = total + np.where(there, measure(relevant), 0.0)
    return _per_subtopic(ranking, relevance_threshold, total)


def _expected_gains(ranking, alpha, relevance_threshold):
    """Return the expected N_r at each rank."""
    refuse_extremes(ranking, "for this measure of subtopics")
    return sum(
        _expected_gain(ranking, alpha, relevant)
        for relevant in _by_subtopic(ranking, relevance_threshold)
    )


def _expected_gain(ranking, alpha, relevant):
    """Return what one subtopic adds to N_r.

    In a tie group of n documents, c of them with the subtopic, place j holds one of
    these with probability c / n. The number of the c - 1 others above it is then that
    found in a draw of j - 1 from n - 1.
    """
    interest = 1.0 - alpha
    gain = ranking.expected(relevant) * interest ** ranking.before_group(relevant)
    if not ranking.tied or alpha == 0.0:
        return gain

    def rest_of_interest(found):
        return interest ** np.maximum(found, 0.0)  # also called with impossible numbers

    def mean_rest(n, c, j):
        return mean_over_found(rest_of_interest, n - 1.0, c - 1.0, j - 1.0)

    n, c, j = ranking.group_size, ranking.group_total(relevant), ranking.group_place
    # An upper bound of the mean computed below: that of drawing with replacement.
    left = (1.0 - alpha * (c - 1.0) / np.maximum(n - 1.0, 1.0)) ** (j - 1.0)
    gain = np.where(left > _NEGLIGIBLE, gain, 0.0)
    tied = np.flatnonzero((n > 1.0) & (gain > 0.0))
    shape, gain = gain.shape, gain.ravel()
    gain[tied] *= compute_cells(mean_rest, tied, (n, c, j))
    return gain.reshape(shape)


def _greedy_gains(ranking, alpha, relevance_threshold, depth):
    """Return N_r of the greedy order, which always takes the document that adds most.

    Of those that add the same, it takes the one that holds the first subtopic that not
    all of them hold, so the order of the rows does not matter; under ``"stable"`` it
    takes the first row.
    """
    documents = ranking.candidates.documents
    subtopics = _by_subtopic(ranking, relevance_threshold)
    adds_nothing = NumberOfSubtopics(Relevant(relevance_threshold))(documents) == 0.0
    n_listed = max(1, int(row_sum(~adds_nothing).max()))
    adds_nothing = adds_nothing.astype(np.int64)
    order = sort_within(adds_nothing, adds_nothing)
    for subtopic in [] if ranking.ties == "stable" else reversed(subtopics):
        missed = gather((~subtopic(documents)).astype(np.int64), order)
        order = gather(order, sort_within(missed, missed))
    listed = documents.each(partial(gather, order=order[:, :n_listed]))
    held = np.stack([subtopic(listed).astype(np.float64) for subtopic in subtopics], -1)
    depth = n_listed if depth is None else min(depth, n_listed)
    rows = np.arange(len(held))
    interest = np.ones((len(held), held.shape[2]))
    gains = np.zeros((len(held), depth))
    for rank in range(depth):
        adds = (held @ interest[:, :, np.newaxis])[:, :, 0]
        most = running_max(adds)[:, -1:] * (1.0 - _ROUNDING)
        if not (most > gains[:, :1] * _NEGLIGIBLE).any():
            break
        best = first_true(adds >= most)
        taken = held[rows, best]
        gains[:, rank] = (taken * interest).sum(axis=1)
        interest = np.where(taken > 0.0, interest * (1.0 - alpha), interest)
        held[rows, best] = 0.0
    return gains


def _sum_of_fading_ranks(ranking, k, interest):
    """Return the sum of interest^(r - 1) / r over ranks r <= k.

    Without a cutoff there are as many ranks as the query has documents.
    """
    if k is None:
        ranks = np.arange(1.0, ranking.block.scores.shape[1] + 1.0)
        sums = running_sum((interest ** (ranks - 1.0) / ranks)[np.newaxis])
        n = np.clip(ranking.block.n_documents, 1, sums.shape[1])
        return at_column(np.broadcast_to(sums, (len(n), sums.shape[1])), n - 1)
    if isinstance(k, int):
        return _fading(k, interest)
    sums = [_fading(one, interest) for one in k.ravel().tolist()]
    return np.asarray(sums, dtype=np.float64)[:, np.newaxis]


def _fading(k, interest):
    """Return the sum of interest^(r - 1) / r over ranks r <= k."""
    if k > _DEEPEST:
        raise ValueError(
            f"k must be at most {_DEEPEST} here, or None for all ranks; got {k:g}."
        )
    ranks = np.arange(1.0, k + 1.0)
    return float((interest ** (ranks - 1.0) / ranks).sum())
