"""Measures of relevant and non-relevant documents in rank order.

Notation: ``C(k)`` relevant documents down to rank k, ``R`` relevant documents of the
query, retrieved or not. A tie group has n documents, r of them relevant; A relevant
documents rank above it, and j is the place of a rank inside it.
"""

import numpy as np

from sklearn_irmetrics._core.arrays import (
    divide,
    divide_or_zero,
    first_true,
    row_sum,
    running_sum,
)
from sklearn_irmetrics._core.values import (
    Judged,
    JudgedNonrelevant,
    PooledUnjudged,
    Relevant,
)
from sklearn_irmetrics.kernels._common import (
    at_column,
    attainable,
    compute_cells,
    count_examined,
    count_relevant,
    mean_over_found,
    met_with_those_above,
    over_denominator,
    refuse_extremes,
)


def precision_at_k(ranking, *, k, adaptive, relevance_threshold):
    """Compute C(k) / k, or C(k) / min(k, n)."""
    hits = count_relevant(ranking, Relevant(relevance_threshold), k)
    seen = count_examined(ranking, k, adaptive=adaptive)
    return divide_or_zero(hits, seen), hits, seen


def recall_at_k(ranking, *, k, capped, relevance_threshold):
    """Compute C(k) / R, or C(k) / min(R, k)."""
    relevant = Relevant(relevance_threshold)
    to_find = ranking.total(relevant)
    if capped:
        to_find = attainable(to_find, k)
    hits = count_relevant(ranking, relevant, k)
    return divide(hits, to_find), hits, to_find


def fbeta_at_k(ranking, *, k, alpha, relevance_threshold):
    """Compute 1 / (alpha / P + (1 - alpha) / R) = C(k) / (alpha k + (1 - alpha) R)."""
    relevant = Relevant(relevance_threshold)
    hits = count_relevant(ranking, relevant, k)
    to_find = ranking.total(relevant)
    weighed = alpha * count_examined(ranking, k) + (1 - alpha) * to_find
    value = divide_or_zero(hits, weighed)
    return np.where(to_find > 0, value, np.nan), hits, weighed


def success_at_k(ranking, *, k, relevance_threshold):
    """Compute the probability that C(k) > 0."""
    return success_of(ranking, Relevant(relevance_threshold), k)


def success_of(ranking, relevant, k):
    """Compute the probability that a `relevant` document is at rank k or above."""
    ranking = ranking.break_ties(relevant)
    if not ranking.tied:
        rank = _first_rank(ranking, relevant)
        success = ((rank <= _limit(k)) & (rank < np.inf)).astype(np.float64)
    else:
        skipped, passed = _first_meeting(ranking, relevant)
        success = 1.0 - _at_place(passed, _limit(k) - skipped)
    return np.where(ranking.total(relevant) > 0, success, np.nan)


def r_precision(ranking, *, relevance_threshold):
    """Compute C(R) / R."""
    relevant = Relevant(relevance_threshold)
    to_find = ranking.total(relevant)
    rank = np.clip(to_find, 1, ranking.depth)
    if ranking.tied and ranking.ties == "average":
        hits = ranking.sum_down_to(relevant, rank)
    else:
        column = rank.astype(np.int64) - 1
        hits = at_column(ranking.running_sum(relevant), column)
    return divide(hits, to_find)


def reciprocal_rank(ranking, *, k, relevance_threshold):
    """Compute 1 / (rank of the first relevant document), 0 if there is none."""
    relevant = Relevant(relevance_threshold)
    ranking = ranking.break_ties(relevant)
    if not ranking.tied:
        rank = _first_rank(ranking, relevant)
        value = np.where(rank <= _limit(k), 1.0 / rank, 0.0)
    else:
        skipped, passed = _first_meeting(ranking, relevant)
        met = passed[:, :-1] - passed[:, 1:]
        ranks = skipped[:, np.newaxis] + np.arange(1.0, passed.shape[1])
        total = running_sum(met / ranks)
        total = np.concatenate([np.zeros_like(met[:, :1]), total], axis=1)
        value = _at_place(total, _limit(k) - skipped)
    return np.where(ranking.total(relevant) > 0, value, np.nan)


def average_precision(ranking, *, k, denominator, relevance_threshold):
    """Sum C(r) / r over the relevant ranks, and divide by one of four counts."""
    relevant = Relevant(relevance_threshold)
    return average_precision_of(ranking, relevant, k, denominator)


def average_precision_of(ranking, relevant, k, denominator):
    """Compute the average precision, with `relevant` documents as the relevant ones."""
    ranking = ranking.break_ties(relevant)
    if ranking.tied:
        r, before = ranking.group_sums(relevant), ranking.sums_before(relevant)
        hits_at_relevant = met_with_those_above(ranking, r, before, r)
    else:
        hits_at_relevant = ranking.values(relevant) * ranking.running_sum(relevant)
    return over_denominator(
        ranking,
        relevant,
        k,
        denominator,
        hits_at_relevant / ranking.ranks,
        base=lambda: ranking.before_group(relevant),
        unit=1.0,
        weights=1.0 / ranking.ranks,
    )


def running_table(ranking, *, relevance_threshold):
    """Return relevance, precision and recall at each rank."""
    relevant = Relevant(relevance_threshold)
    ranking = ranking.break_ties(relevant)
    expected = ranking.expected(relevant).astype(np.float64)
    hits = ranking.running_sum(relevant)
    recall = divide(hits, ranking.total(relevant)[:, np.newaxis])
    return expected, hits / ranking.ranks, recall


def judged_at_k(ranking, *, k):
    """Divide the judged documents down to rank k by min(k, n)."""
    judged = count_relevant(ranking, Judged(), k)
    return divide_or_zero(judged, count_examined(ranking, k, adaptive=True))


def bpref(ranking, *, relevance_threshold):
    """Compute the mean of 1 - min(N_above, R) / min(N, R) over relevant documents.

    N counts judged non-relevant documents. Inside a tie group that holds m of them,
    the number above a relevant document is uniform on N_before .. N_before + m.
    """
    relevant = Relevant(relevance_threshold)
    nonrelevant = JudgedNonrelevant(relevant)
    ranking = ranking.break_ties(relevant)
    to_find = ranking.total(relevant)
    n_nonrelevant = ranking.total(nonrelevant)
    cap = to_find[:, np.newaxis]
    least = ranking.before_group(nonrelevant)
    if ranking.tied:
        m = ranking.group_total(nonrelevant) * 1.0
        below_cap = np.clip(cap - least + 1.0, 0.0, m + 1.0)
        above = below_cap * (least + (below_cap - 1.0) / 2.0)
        above = (above + (m + 1.0 - below_cap) * cap) / (m + 1.0)
    else:
        above = np.minimum(least, cap)
    is_relevant = ranking.expected(relevant)
    worst = np.minimum(n_nonrelevant, to_find)
    lost = divide_or_zero(row_sum(is_relevant * above), worst)
    total = row_sum(is_relevant) - lost
    return divide(total, to_find)


def inferred_average_precision(ranking, *, relevance_threshold):
    """Estimate AP from a sample of judgments (Yilmaz and Aslam)."""
    relevant = Relevant(relevance_threshold)
    nonrelevant, pooled = JudgedNonrelevant(relevant), PooledUnjudged()
    refuse_extremes(ranking, "for inferred average precision")
    to_find = ranking.total(relevant)
    a = ranking.before_group(relevant)
    in_pool = a + ranking.before_group(nonrelevant)
    terms = (a + _EPSILON) / (in_pool + 2.0 * _EPSILON)
    if "pooled" in ranking.block.marks:
        in_pool += ranking.before_group(pooled)
    terms *= in_pool
    terms += 1.0
    at_rank = ranking.expected(relevant) / ranking.ranks
    terms *= at_rank
    if ranking.tied:
        terms = _tied_terms(terms, at_rank, ranking, relevant, nonrelevant, pooled)
    return divide(terms.sum(axis=1), to_find)


_EPSILON = 1e-5


def _tied_terms(terms, at_rank, ranking, relevant, nonrelevant, pooled):
    """Return the terms of inferred AP, their expectation for tied relevant documents.

    The expectation is a mean over the number of judged documents among the i - 1 above
    place i.
    """
    tied = np.flatnonzero((ranking.group_size > 1.0) & (at_rank > 0.0))
    facts = [ranking.group_size, ranking.group_place]
    facts += map(ranking.before_group, (relevant, nonrelevant, pooled))
    facts += map(ranking.group_total, (relevant, nonrelevant, pooled))
    shape, terms = terms.shape, terms.ravel()
    means = compute_cells(_mean_tied_term, tied, facts)
    terms[tied] = at_rank.ravel()[tied] * means
    return terms.reshape(shape)


def _mean_tied_term(n, i, a, b, u, r, m, p):
    """Return the mean inferred AP term of a relevant document at place i of n."""
    v = r - 1.0 + m
    pooled_share = divide_or_zero(p, n - 1.0 - v)
    relevant_share = divide_or_zero(r - 1.0, v)

    def term(judged):
        in_pool = a + b + judged + u + (i - 1.0 - judged) * pooled_share
        hits = a + judged * relevant_share + _EPSILON
        return 1.0 + in_pool * hits / (a + b + judged + 2.0 * _EPSILON)

    return mean_over_found(term, n - 1.0, v, i - 1.0)


def _limit(k):
    if k is None:
        return np.inf
    return float(k) if isinstance(k, int) else k  # some are too large for arrays


def _first_rank(ranking, relevant):
    """Return the rank of the first relevant document, or inf; needs broken ties."""
    hits = ranking.values(relevant)
    column = first_true(hits)
    rank = column.astype(np.float64) + 1.0
    return np.where(at_column(hits, column), rank, np.inf)


def _first_meeting(ranking, relevant):
    """Find the first tie group that holds a relevant document.

    Returns
    -------
    skipped : ndarray of shape (n_queries,)
        The number of ranks before it.
    passed : ndarray of shape (n_queries, n_places + 1)
        The probability that its first 0, 1, ... places hold no relevant document.
    """
    hits = ranking.values(relevant)
    skipped = first_true(hits)
    met = at_column(hits, skipped)
    # If none has a rank, the last group may hold some below the last rank.
    column = np.where(met, skipped, ranking.depth - 1)
    group, skipped = ranking.groups.at(column)
    r, size = ranking.group_sums(relevant)[group], ranking.group_sizes[group]
    r = r[:, np.newaxis]
    n = np.where(r > 0, size[:, np.newaxis], 0.0)
    left = n - np.arange(max(1.0, float((n - r).max()) + 1.0))
    chance = np.where(r > 0, np.maximum(left - r, 0.0) / np.maximum(left, 1.0), 1.0)
    passed = np.concatenate([np.ones_like(r), np.cumprod(chance, axis=1)], axis=1)
    return skipped.astype(np.float64), passed


def _at_place(values, place):
    """Return each row's value at a place, or at the nearest place that exists."""
    columns = np.clip(place, 0, values.shape[1] - 1).astype(np.int64)
    return at_column(values, columns)
