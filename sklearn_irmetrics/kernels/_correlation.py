"""Agreement of two orders of the judged documents of a query: by grade, by score.

Of every document it counts how many are *above* it, strictly, by grade, by score, and
by both. Unretrieved documents are tied below all others; unjudged ones do not exist.
"""

from typing import NamedTuple

import numpy as np

from sklearn_irmetrics._core.arrays import (
    TieGroups,
    divide,
    divide_or_zero,
    gather,
    row_sum,
    running_sum,
)


def kendall_tau(ranking, *, variant):
    """Compute (concordant - discordant pairs) / pairs.

    Variant b divides by the geometric mean of the pairs untied on either side.
    """
    pairs = _compare(ranking)
    balance = row_sum(pairs.balance)
    if variant == "a":
        return divide(balance, pairs.n * (pairs.n - 1.0) / 2.0)
    return divide(balance, np.sqrt(row_sum(pairs.by_grade) * row_sum(pairs.by_score)))


def spearman_rho(ranking):
    """Compute the correlation of the two ranks, tied documents sharing a mean rank."""
    grades, scores, judged = _sides(ranking)
    middle = (row_sum(judged)[:, np.newaxis] + 1.0) / 2.0
    by_grade, by_score = (
        np.where(judged, side.above + (side.size + 1.0) / 2.0 - middle, 0.0)
        for side in (grades, scores)
    )
    spread = np.sqrt(row_sum(by_grade**2) * row_sum(by_score**2))
    return divide(row_sum(by_grade * by_score), spread)


def average_precision_correlation(ranking, *, variant):
    """Compute the mean over documents of the balance with those above, as a share.

    Variant a takes the documents above by score, whose number r - 1 depends on the
    order of tied documents: the mean of 1 / (r - 1) over the ranks of the tie group.
    Variant b takes only documents with others strictly above, on either side in turn.
    """
    pairs = _compare(ranking)
    if variant == "a":
        ranks_above = np.arange(pairs.by_score.shape[1])
        shares = divide_or_zero(1.0, ranks_above[np.newaxis])
        groups = TieGroups(pairs.starts)
        share = groups.spread(
            groups.totals(np.broadcast_to(shares, groups.shape), None)
        )
        total = row_sum(pairs.balance * share / groups.spread(groups.sizes()))
        return divide(total, np.maximum(pairs.n - 1.0, 0.0))
    one_way = [
        divide(row_sum(divide_or_zero(pairs.by_both, above)), row_sum(above > 0))
        for above in (pairs.by_grade, pairs.by_score)
    ]
    return one_way[0] + one_way[1] - 1.0


def rank_biased_overlap(ranking, *, persistence):
    """Compute (1 - p) Σ p^(d-1) X(d) / d + p^n, X(d) the overlap of the two top d.

    Both sides hold the same n documents, so from depth n on they agree fully.
    """
    grades, scores, judged = _sides(ranking)
    n = row_sum(judged)
    depths = np.arange(1.0, judged.shape[1] + 1.0)
    agreement = _expected_overlap(grades, scores) / depths
    weights = np.where(depths <= n[:, np.newaxis], persistence ** (depths - 1.0), 0.0)
    value = (1.0 - persistence) * row_sum(agreement * weights) + persistence**n
    return np.where(n > 0, value, np.nan)


def scott_pi(n, n_equal, pooled_squares):
    """Compute (observed - chance) / (1 - chance), chance = Σ (pooled count / 2n)^2."""
    items = 4.0 * n
    return divide(items * n_equal - pooled_squares, items * n - pooled_squares)


class _Side(NamedTuple):
    """By document: how many are above it, and how many it is tied with, itself too."""

    above: np.ndarray
    size: np.ndarray


class _Pairs(NamedTuple):
    """Documents above each, in the order of scores; 0 where there is no document.

    `balance` is the concordant less the discordant of those above by score; `starts`
    tells where a rank opens a new group of tied scores.
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
    if np.ndim(block.n_implicit):
        raise TypeError(
            "y_score must be dense for a correlation of ranks; got a sparse matrix."
        )
    judged = ~np.isnan(block.grades)
    grades = _place(block.grades)
    scores = _place(np.where(judged, block.scores, np.nan))
    return grades, scores, judged


def _place(values):
    falling = -values
    order = np.argsort(falling, axis=1)  # NaN comes last, each tied with nothing
    groups = TieGroups(_starts(gather(falling, order)))
    above = np.arange(1, values.shape[1] + 1) - groups.place()
    return _Side(
        _scatter(above.astype(np.intp), order),
        _scatter(groups.spread(groups.sizes()), order),
    )


def _starts(by_rank):
    starts = np.ones(by_rank.shape, dtype=bool)
    np.not_equal(by_rank[:, 1:], by_rank[:, :-1], out=starts[:, 1:])
    return starts


def _scatter(values, order):
    """Return the array that `gather` with `order` turns into `values`."""
    out = np.empty_like(values)
    np.put_along_axis(out, order, values, axis=1)
    return out


def _compare(ranking):
    """Count the documents above each."""
    grades, scores, judged = _sides(ranking)
    height, width = judged.shape
    size = 1 << (width - 1).bit_length()
    columns = np.arange(size)
    by_grade, by_score = (
        np.concatenate(
            [side.above, np.broadcast_to(columns[width:], (height, size - width))],
            axis=1,
        )
        for side in (grades, scores)
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
    tied_above = (
        _scatter(groups.spread(groups.sizes()) - groups.place(), position)
        - tied_in_both
    )
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
    """Count for each position those smaller that stand further left.

    Each row is a permutation of 0, 1, ..., 2^m - 1. It is sorted bit by bit, from the
    highest: a position meets each smaller one once, where they part.
    """
    size = position.shape[1]
    packed = position.ravel()  # and the count, above the bits of the position
    half = size >> 1
    while half:
        blocks = np.empty((len(packed) // (2 * half), 2, half), dtype=packed.dtype)
        lower = (packed & half) == 0
        upper = ~lower
        n_lower = np.cumsum(lower)[upper].reshape(-1, half)
        n_lower -= half * np.arange(len(blocks))[:, np.newaxis]
        blocks[:, 0] = packed[lower].reshape(-1, half)
        blocks[:, 1] = packed[upper].reshape(-1, half) + size * n_lower
        packed = blocks.ravel()
        half >>= 1
    return packed.reshape(position.shape) // size


def _expected_overlap(first, second):
    """Expect, over all orders of tied documents, how many two top d have in common.

    A document enters the overlap with the later of its ranks. From either side, the
    documents tied at rank d have entered the other top d with a probability that grows,
    inside their group, by the chance that one of them has this rank on both sides.
    """
    width = first.above.shape[1]
    begin = np.maximum(first.above, second.above)
    end = np.minimum(first.above + first.size, second.above + second.size)
    chance = np.where(begin < end, 1.0 / (first.size * second.size), 0.0)
    steps = _add_up(begin, chance, width + 1)
    steps -= _add_up(end.astype(np.intp), chance, width + 1)
    same_rank = running_sum(steps[:, :width])
    down_to = running_sum(same_rank)
    before = down_to - same_rank
    entering = 0.0
    for side, other, reached in ((first, second, down_to), (second, first, before)):
        start = np.sort(side.above, axis=1)  # of the group at each rank
        entered = np.clip((side.above - other.above) / other.size, 0.0, 1.0)
        at_start = _add_up(side.above, entered / side.size, width)
        entering += gather(at_start, start) + reached - gather(before, start)
    return running_sum(entering)


def _add_up(columns, values, width):
    """Add values up in the given columns of each row."""
    rows = np.arange(len(columns))[:, np.newaxis] * width
    cells = (rows + columns).ravel()
    sums = np.bincount(cells, weights=values.ravel(), minlength=len(columns) * width)
    return sums.reshape(-1, width)
