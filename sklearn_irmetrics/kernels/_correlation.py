"""Agreement of two orders of a query's judged documents: by grade and by score.

For every document, count how many are strictly *above* it: by grade, by score, and by
both. Unretrieved documents are tied below all others; unjudged ones are left out.
"""

import math
from typing import NamedTuple

import numpy as np

from sklearn_irmetrics._core.arrays import (
    add_up,
    divide,
    divide_or_zero,
    row_sum,
    running_sum,
)
from sklearn_irmetrics._core.marks import ABSENT
from sklearn_irmetrics._core.ordering import gather, scatter
from sklearn_irmetrics._core.tie_groups import TieGroups
from sklearn_irmetrics.kernels._common import at_column


def kendall_tau(ranking, *, variant):
    """Compute (concordant - discordant pairs) / pairs.

    Variant b divides by the geometric mean of the two numbers of untied pairs.
    """
    pairs = _compare(ranking)
    balance = row_sum(pairs.balance)
    if variant == "a":
        return divide(balance, pairs.n * (pairs.n - 1.0) / 2.0)
    untied = row_sum(pairs.by_grade) * row_sum(pairs.by_score)
    return divide(balance, np.sqrt(untied))


def spearman_rho(ranking):
    """Compute the correlation of the two ranks; tied documents share the mean rank."""
    grades, scores, judged = _sides(ranking)
    middle = (row_sum(judged)[:, np.newaxis] + 1.0) / 2.0
    by_grade, by_score = (
        np.where(judged, side.above + (side.size + 1.0) / 2.0 - middle, 0.0)
        for side in (grades, scores)
    )
    spread = np.sqrt(row_sum(by_grade**2) * row_sum(by_score**2))
    return divide(row_sum(by_grade * by_score), spread)


def average_precision_correlation(ranking, *, variant):
    """Average, over documents, the balance with those above as a share of them.

    Variant a counts the documents above by score. Their number r - 1 depends on the
    order of tied documents, so 1 / (r - 1) is averaged over the ranks of the tie group.
    Variant b counts only documents with others strictly above, for each side in turn.
    """
    pairs = _compare(ranking)
    if variant == "a":
        ranks_above = np.arange(pairs.by_score.shape[1])
        shares = divide_or_zero(1.0, ranks_above[np.newaxis])
        groups = TieGroups(pairs.starts)
        share = groups.totals(np.broadcast_to(shares, groups.shape))
        total = row_sum(pairs.balance * groups.spread(share / groups.sizes()))
        return divide(total, np.maximum(pairs.n - 1.0, 0.0))
    one_way = [
        divide(row_sum(divide_or_zero(pairs.by_both, above)), row_sum(above > 0))
        for above in (pairs.by_grade, pairs.by_score)
    ]
    return one_way[0] + one_way[1] - 1.0


def rank_biased_overlap(ranking, *, persistence, variant):
    """Compute (1 - p) Σ p^(d-1) X(d) / d, X(d) the overlap of the two top d.

    Beyond the ends of the two lists, of s and l >= s documents, ``"ext"`` extrapolates
    the overlap and ``"min"`` takes the least possible one; ``"residual"`` is the value
    of the most possible overlap minus that of the least.
    """
    p = persistence
    first, second, both, lengths = _lists(ranking)
    short = np.where(lengths[0] < lengths[1], *lengths)
    long = np.where(lengths[0] < lengths[1], *lengths[::-1])
    common = row_sum(both)
    if variant == "residual":
        value = _residual(p, short, long, common, both.shape[1])
        return np.where(long > 0, value, np.nan)
    depths = np.arange(1.0, both.shape[1] + 1.0)
    overlap = _expected_overlap(first, second, both)
    within = depths <= long[:, np.newaxis]
    weights = (1.0 - p) * np.where(within, p ** (depths - 1.0), 0.0)
    value = row_sum(overlap / depths * weights)
    if variant == "min":
        beyond = _tails(p, both.shape[1], common)[long.astype(np.int64)]
        return np.where(long > 0, value + (1.0 - p) / p * common * beyond, np.nan)
    last = np.maximum(short, 1.0).astype(np.int64) - 1
    at_end = np.where(short < long, at_column(overlap, last), common)
    agreement = divide_or_zero(at_end, short)[:, np.newaxis]
    unseen = np.maximum(1.0 - short[:, np.newaxis] / depths, 0.0)
    value = value + row_sum(agreement * unseen * weights)
    end = divide_or_zero(common - at_end, long) + agreement[:, 0]
    return np.where(long > 0, value + end * p**long, np.nan)


def _residual(p, short, long, common, width):
    """Return the largest value of any continuation of two lists, minus the least."""
    whole = short + long - common  # from this depth on, all may be in common
    tails = _tails(p, 2 * width, common)
    of_short, of_long, of_whole = (
        tails[depth.astype(np.int64)] for depth in (short, long, whole)
    )
    lost = short * (of_short - of_whole) + long * (of_long - of_whole)
    lost = lost + common * of_whole
    return p**short + p**long - p**whole - (1.0 - p) / p * lost


def _tails(p, last, like):
    """Return the sum of p^d / d over all d beyond 0, 1, ..., `last`."""
    depths = np.arange(1.0, last + 1.0)
    terms = p**depths / depths
    most = p ** (last + 1.0) / ((last + 1.0) * (1.0 - p))
    rest = min(max(-math.log1p(-p) - float(terms.sum()), 0.0), most)
    sums = np.flip(np.cumsum(np.flip(terms, (0,)), axis=0), (0,))
    return np.concatenate([sums, np.zeros(1)]) + rest


def _lists(ranking):
    """Place the documents of two lists that may hold different ones.

    Returns
    -------
    first, second : _Side
        By grade and by score; documents that a list does not hold come last.
    both : bool array of shape (n_queries, n_documents)
        Which documents both lists hold.
    lengths : list of array of shape (n_queries,)
        How many documents each list holds.
    """
    *_, judged = _sides(ranking)
    block = ranking.block
    held = [judged, judged & (block.scores > -math.inf)]
    if ABSENT in block.marks:
        held[0] = judged & ~block.marks[ABSENT].astype(bool)
    sides = [
        _place(*side) for side in zip((block.grades, block.scores), held, strict=True)
    ]
    return *sides, held[0] & held[1], list(map(row_sum, held))


def scott_pi(n, n_equal, pooled_squares):
    """Compute (observed - chance) / (1 - chance), chance = Σ (pooled count / 2n)^2."""
    items = 4.0 * n
    return divide(items * n_equal - pooled_squares, items * n - pooled_squares)


class _Side(NamedTuple):
    """Per document: how many are above it, and the size of its tie group."""

    above: np.ndarray
    size: np.ndarray


class _Pairs(NamedTuple):
    """Numbers of documents above each, in score order; 0 where there is no document.

    `balance` counts, of those above by score, the concordant minus the discordant;
    `starts` marks the ranks that open a new group of tied scores.
    """

    n: np.ndarray
    by_grade: np.ndarray
    by_score: np.ndarray
    by_both: np.ndarray
    balance: np.ndarray
    starts: np.ndarray


def _sides(ranking):
    """Place the judged documents by grade and by score; all others come last."""
    block = ranking.block
    if block.has_implicit:
        raise TypeError(
            "y_score must be dense for rank correlations; got a sparse matrix."
        )
    judged = ~np.isnan(block.grades)
    return _place(block.grades, judged), _place(block.scores, judged), judged


def _place(values, judged):
    falling = np.where(judged, -values, np.nan)
    order = np.argsort(falling, axis=1)  # NaN comes last, each tied with nothing
    groups = TieGroups(_starts(gather(falling, order)))
    above = np.arange(1, values.shape[1] + 1) - groups.place()
    return _Side(
        scatter(above.astype(np.int64), order),
        scatter(groups.spread(groups.sizes()), order),
    )


def _starts(by_rank):
    starts = np.ones_like(by_rank, dtype=bool)
    starts[:, 1:] = by_rank[:, 1:] != by_rank[:, :-1]
    return starts


def _compare(ranking):
    """Count the documents above each."""
    grades, scores, judged = _sides(ranking)
    height, width = judged.shape
    size = 1 << (width - 1).bit_length()
    columns = np.arange(size)
    padding = np.broadcast_to(columns[width:], (height, size - width))
    by_grade, by_score = (
        np.concatenate([side.above, padding], axis=1) for side in (grades, scores)
    )
    # By falling score, tied ones by rising grade: then no tied document counts.
    key = np.sort(by_score * size + (size - 1 - by_grade), axis=1)
    by_score, by_grade = key // size, size - 1 - key % size
    # By falling grade, tied ones from the bottom up.
    key_by_grade = np.sort(by_grade * size + (size - 1 - columns), axis=1)
    position = size - 1 - key_by_grade % size
    by_both = _count_left_and_before(position)
    tied_in_both = TieGroups(_starts(key)).place() - 1.0
    groups = TieGroups(_starts(key_by_grade // size))
    tied_below = groups.spread(groups.sizes()) - groups.place()
    tied_above = scatter(tied_below, position) - tied_in_both
    n = row_sum(judged)
    real = columns < n[:, np.newaxis]
    by_grade, by_score, by_both, tied_above = (
        np.where(real, counts, 0)
        for counts in (by_grade, by_score, by_both, tied_above)
    )
    # Above by score: concordant, tied by grade, and the rest discordant.
    balance = 2 * by_both + tied_above - by_score
    return _Pairs(n, by_grade, by_score, by_both, balance, _starts(key // size))


def _count_left_and_before(position):
    """Count, for each position, the smaller ones to its left.

    Each row is a permutation of 0, 1, ..., 2^m - 1. It is sorted bit by bit, from the
    highest; a position meets each smaller one once, at the first bit that differs.
    """
    size = position.shape[1]
    packed = position.ravel()  # the count goes above the bits of the position
    half = size >> 1
    while half:
        is_lower = (packed & half) == 0
        lower = packed[is_lower].reshape(-1, half)
        upper = packed[~is_lower].reshape(-1, half)
        n_lower = np.cumsum(is_lower, axis=0)[~is_lower].reshape(-1, half)
        n_lower -= half * np.arange(len(lower))[:, np.newaxis]
        packed = np.stack([lower, upper + size * n_lower], axis=1).ravel()
        half >>= 1
    return packed.reshape(position.shape) // size


def _expected_overlap(first, second, both):
    """Return the expected overlap of two top d, over all orders of tied documents.

    Only documents of `both` lists count. A document enters the overlap at the later of
    its two ranks. On each side, the documents tied at rank d are in the other top d
    with a probability that grows, inside their group, by the chance that one of them
    has this rank on both sides.
    """
    width = first.above.shape[1]
    begin = np.maximum(first.above, second.above)
    end = np.minimum(first.above + first.size, second.above + second.size)
    chance = np.where((begin < end) & both, 1.0 / (first.size * second.size), 0.0)
    steps = add_up(begin, chance, width + 1)
    steps -= add_up(end.astype(np.int64), chance, width + 1)
    same_rank = running_sum(steps[:, :width])
    down_to = running_sum(same_rank)
    before = down_to - same_rank
    entering = 0.0
    for side, other, reached in ((first, second, down_to), (second, first, before)):
        start = np.sort(side.above, axis=1)  # of the group at each rank
        entered = np.clip((side.above - other.above) / other.size, 0.0, 1.0)
        entered = np.where(both, entered, 0.0)
        at_start = add_up(side.above, entered / side.size, width)
        entering += gather(at_start, start) + reached - gather(before, start)
    return running_sum(entering)
