"""Steps that several formulas share.

A cutoff ``k`` is None (all ranks), an integer, or a column of whole numbers. With a
column, a formula gives one row of values per cutoff, from the same sums.
"""

import math
from functools import lru_cache

import numpy as np

from sklearn_irmetrics._arrays.rows import (
    divide,
    divide_or_zero,
    first_true,
    row_sum,
    running_sum,
)
from sklearn_irmetrics._checks import check_option


def sum_to_rank(values, k):
    """Sum each row down to rank k."""
    if k is None or isinstance(k, int):
        return row_sum(values[:, :k])
    columns = np.minimum(k.ravel(), values.shape[1]).astype(np.int64) - 1
    return running_sum(values)[:, columns].T


def ratio(numerator, denominator):
    """Return a ratio and the two counts behind it."""
    return divide(numerator, denominator), numerator, denominator


def discounted_sum(gains, k, discount):
    """Sum gains down to rank k, each times the discount of its rank."""
    weights = _weights(discount, gains.shape[1])
    return sum_to_rank(gains * weights, k)


@lru_cache(maxsize=4)
def _weights(discount, n):
    """Return the discounts of ranks 1 to n, in an array that calls share."""
    weights = discount(np.arange(1.0, n + 1.0))
    weights.flags.writeable = False
    return weights


def compute_at_cutoffs(k, compute):
    """Return ``compute(k)``, or a row of it for each of several cutoffs."""
    if k is None or isinstance(k, int):
        return compute(k)
    return np.stack([compute(cutoff) for cutoff in map(int, k.ravel().tolist())])


def chances_to_reach(ranking, persistence):
    """Return p^(rank - 1) down to the last rank where it is not 0 in float64."""
    # Powers below 2^-1075 round to 0, slowly. The logarithms may be rounded too.
    last = math.floor(-1075.0 * math.log(2.0) / math.log(persistence)) + 2
    n_ranks = float(min(last, ranking.depth))
    return persistence ** np.arange(n_ranks)


def count_relevant(ranking, relevant, k):
    """Count the relevant documents down to rank k, C(k)."""
    if not ranking.tied or ranking.ties != "average":
        return sum_expected(ranking, relevant, k)
    return ranking.sum_down_to(relevant, k)


def sum_expected(ranking, value, k):
    """Sum the expected value at each rank down to rank k."""
    return sum_to_rank(ranking.expected(value, k), k)


def precision_weight(beta, alpha):
    """Return the weight of precision in F: `alpha`, or that which `beta` gives."""
    return 1.0 / (1.0 + beta * beta) if alpha is None else alpha


def count_examined(ranking, k, *, adaptive=False):
    """Return the number of examined documents: k, all retrieved, or the smaller."""
    if k is None:
        return ranking.n_retrieved
    if adaptive:
        return np.minimum(ranking.n_retrieved, k)
    return np.ones(len(ranking.order)) * k


def attainable(to_find, k):
    """Return min(R, k), the number that the best ranking finds."""
    return to_find if k is None else np.minimum(to_find, k)


def refuse_extremes(ranking, where):
    """Refuse the best and the worst order where sorting tied documents is not enough.

    Refuse them even if nothing is tied, so the error does not depend on the data.
    """
    if ranking.ties in ("optimistic", "pessimistic"):
        raise ValueError(
            f"ties must be 'average' or 'stable' {where}, because no fast way to find "
            f"the best and the worst order is known; got {ranking.ties!r}."
        )


def pick_column(values, columns):
    """Return the value of each row in its own column."""
    return values[np.arange(len(values)), columns]


def mean_over_found(value, n, r, m):
    """Return the mean of ``value(found)`` where m of n are drawn and r of n count.

    Sum from the most probable number outwards. Probabilities fall faster and faster:
    once they are below `_NEGLIGIBLE` of the largest, the rest adds less than a rounding
    error to the mean of non-negative values of similar size.
    """
    rest = n - r - m
    mode = np.floor((r + 1.0) * (m + 1.0) / (n + 2.0))
    mode = np.maximum(np.minimum(np.minimum(mode, r), m), np.maximum(-rest, 0.0))
    total, weighed = np.ones_like(n), value(mode)
    for step in (1.0, -1.0):
        chance, n_found = np.ones_like(n), mode
        while True:
            if step > 0:
                rise = (r - n_found) * (m - n_found)
                rise = rise / ((n_found + 1.0) * (rest + n_found + 1.0))
            else:
                rise = n_found * (rest + n_found)
                rise = rise / ((r - n_found + 1.0) * (m - n_found + 1.0))
            chance, n_found = chance * rise, n_found + step
            if not (chance > _NEGLIGIBLE).any():
                break
            total += chance
            weighed += chance * value(n_found)
    return weighed / total


_NEGLIGIBLE = 1e-20


def compute_cells(function, cells, facts):
    """Apply a function to the facts at some flat positions, chunk by chunk."""
    facts = [fact.ravel() for fact in facts]
    values = np.empty(len(cells))
    for start in range(0, len(cells), _CHUNK_CELLS):
        part = slice(start, start + _CHUNK_CELLS)
        values[part] = function(*(fact[cells[part]] for fact in facts))
    return values


_CHUNK_CELLS = 1 << 13  # small enough to stay in the cache


def cut_groups(ranking, k):
    """Return the queries whose rank k falls inside a tie group."""
    if not ranking.tied or k is None or k > ranking.depth:
        return ranking.order[:0, 0]
    place, size = ranking.group_place[:, k - 1], ranking.group_size[:, k - 1]
    return np.flatnonzero(place < size)


def met_with_those_above(ranking, r, base, own):
    """Compute the expected contribution of each rank; only relevant documents count.

    A relevant document contributes `base`, its share of its group's `own`, and the
    shares of the relevant ones above it in the group: ``(r base + own (1 + (j - 1)
    (r - 1) / (n - 1))) / n`` at place j. All arguments hold one number per tie group.
    """
    n = ranking.group_sizes
    rise = own / n * (r - 1.0) / np.maximum(n - 1.0, 1.0)
    return ranking.groups.along((r * base + own) / n, rise)


def check_denominator(name, value):
    """Return the name of the divisor of average precision."""
    return check_option(name, value, ("relevant", "attainable", "k", "retrieved"))


def normalise_terms(ranking, relevant, k, denominator, terms, *, base, unit, weights):
    """Sum `terms` down to rank k, and divide as average precision does.

    `base()`, `unit` and `weights` go to `normalise_by_retrieved`.
    """
    to_find = ranking.total(relevant)
    if denominator == "retrieved":
        if k is not None:
            refuse_extremes(ranking, "with denominator='retrieved' and a cutoff k")
        base = base()
        one_cutoff = k is None or isinstance(k, int)
        rows = [
            normalise_by_retrieved(
                ranking, relevant, cutoff, terms, base, unit, weights
            )
            for cutoff in ([k] if one_cutoff else map(int, k.ravel().tolist()))
        ]
        value = rows[0] if one_cutoff else np.stack(rows)
    elif denominator == "k":
        if k is None:
            raise ValueError("denominator='k' requires k; got k=None.")
        value = sum_to_rank(terms, k) / k
    else:
        best = attainable(to_find, k) if denominator == "attainable" else to_find
        value = divide(sum_to_rank(terms, k), best)
    return np.where(to_find > 0, value, np.nan)


def normalise_by_retrieved(ranking, relevant, k, terms, base, unit, weights):
    """Divide the sum of `terms` down to rank k by C(k).

    C(k) is random where rank k falls inside a tie group. The result is then the mean of
    the ratio over c, the number of relevant documents in the m places above the cut. At
    place j, one of them contributes ``base + unit (1 + (j - 1) (c - 1) / (m - 1))``
    times the weight of its rank.
    """
    value = divide_or_zero(sum_to_rank(terms, k), count_relevant(ranking, relevant, k))
    cut = cut_groups(ranking, k)
    if not len(cut):
        return value
    n, r, m, before, base, unit = (
        array[cut, k - 1][:, np.newaxis]
        for array in (
            ranking.group_size,
            ranking.group_total(relevant),
            ranking.group_place,
            ranking.before_group(relevant),
            base,
            np.zeros_like(terms) + unit,
        )
    )
    inside = ranking.ranks[:k] > k - m
    weights = np.where(inside, np.broadcast_to(weights, terms.shape)[cut, :k], 0.0)
    terms_before = np.where(inside, 0.0, terms[cut, :k]).sum(axis=1, keepdims=True)
    weight = weights.sum(axis=1, keepdims=True)
    place = ranking.group_place[cut, :k]
    weight_above = (weights * (place - 1.0)).sum(axis=1, keepdims=True)

    def ratio(c):
        others = divide_or_zero(c - 1.0, m - 1.0) * weight_above
        in_group = c / m * (base * weight + unit * (weight + others))
        return divide_or_zero(terms_before + in_group, before + c)

    value[cut] = mean_over_found(ratio, n, r, m)[:, 0]
    return value


def success_of(ranking, relevant, k):
    """Compute the probability that a `relevant` document is at rank k or above."""
    ranking = ranking.break_ties(relevant)
    if not ranking.tied:
        rank = first_rank(ranking, relevant)
        success = ((rank <= limit(k)) & (rank < np.inf)).astype(np.float64)
    else:
        skipped, passed = first_meeting(ranking, relevant)
        success = 1.0 - pick_place(passed, limit(k) - skipped)
    return np.where(ranking.total(relevant) > 0, success, np.nan)


def first_rank(ranking, relevant):
    """Return the rank of the first relevant document, or inf; needs broken ties."""
    hits = ranking.values(relevant)
    column = first_true(hits)
    rank = column.astype(np.float64) + 1.0
    return np.where(pick_column(hits, column), rank, np.inf)


def first_meeting(ranking, relevant):
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
    met = pick_column(hits, skipped)
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


def pick_place(values, place):
    """Return each row's value at a place, or at the nearest place that exists."""
    columns = np.clip(place, 0, values.shape[1] - 1).astype(np.int64)
    return pick_column(values, columns)


def limit(k):
    """Return the last rank that counts: k, or infinity for all."""
    if k is None:
        return np.inf
    return float(k) if isinstance(k, int) else k  # some are too large for arrays


def average_precision_of(ranking, relevant, k, denominator):
    """Compute the average precision, with `relevant` documents as the relevant ones."""
    ranking = ranking.break_ties(relevant)
    if ranking.tied:
        r, before = ranking.group_sums(relevant), ranking.sums_before(relevant)
        hits_at_relevant = met_with_those_above(ranking, r, before, r)
    else:
        hits_at_relevant = ranking.values(relevant) * ranking.running_sum(relevant)
    return normalise_terms(
        ranking,
        relevant,
        k,
        denominator,
        hits_at_relevant / ranking.ranks,
        base=lambda: ranking.before_group(relevant),
        unit=1.0,
        weights=1.0 / ranking.ranks,
    )


def exposures(ranking, weights):
    """Return, for the document at each rank, the mean weight of its possible ranks.

    The ranking must hold whole tie groups. Documents without a rank get nothing.
    """
    retrieved = ranking.ranks <= ranking.n_retrieved[:, np.newaxis]
    by_rank = np.where(retrieved, weights, 0.0)
    if not ranking.tied:
        return by_rank
    groups = ranking.groups
    return groups.spread(groups.totals(by_rank) / ranking.group_sizes)
