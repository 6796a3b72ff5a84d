"""The best and the worst order of tied documents where no single value decides it."""

import numpy as np

from sklearn_irmetrics._core.namespace import namespace
from sklearn_irmetrics.kernels._common import attainable, where_relevant


def needs_search(ranking, relevant, worth, k, denominator):
    """Whether to sort tied documents by worth is not enough for `extreme_ratio`.

    It is where one more relevant document, or the same one higher up, never lowers the
    value: no worth is negative, and nothing is divided by the number found, which
    depends on the order where rank k cuts a tie group.
    """
    if not ranking.tied or ranking.ties == "average":
        return False
    if denominator == "retrieved" and k is not None:
        return True
    return bool((ranking.values(worth)[ranking.values(relevant)] < 0.0).any())


def extreme_ratio(ranking, ordered, relevant, worth, k, denominator, weights):
    """Divide the best or worst sum over relevant ranks down to k as AP does.

    A relevant rank adds its weight times the sum of `worth` of the relevant documents
    down to it; weights are positive and fall. `ordered` is `ranking` with tied
    documents by worth: relevant ones first for the best sum, last for the worst.

    Wherever the relevant documents of a group are, to fall in worth (to rise, for the
    worst) is best: the worth of one counts as often as the weights of its rank and all
    relevant ranks below it say, a sum that falls with the rank. So the i-th of them
    meets the same sum of worths at any rank, and only the numbers of other documents
    above each are left to choose: see `_best_sums`.
    """
    xp = ranking.xp
    if k is not None and not isinstance(k, int):
        rows = [
            extreme_ratio(ranking, ordered, relevant, worth, one, denominator, weights)
            for one in map(int, k.ravel().tolist())
        ]
        return xp.stack(rows)
    to_find = ranking.total(relevant)
    hits = ordered.values(relevant)
    met = xp.running_sum(xp.where(hits, ordered.values(worth), 0.0))
    limit = ranking.depth if k is None else min(k, ranking.depth)
    weights = xp.where(ranking.ranks <= limit, weights, 0.0)
    weights = xp.broadcast_to(weights, met.shape)
    terms = xp.where(hits, met * weights, 0.0)
    # Sums of worths that are not negative count most in the first ranks as they stand.
    searched = ranking.sum_groups(hits & (met < 0.0)) > 0.0
    sums = _group_sums(ranking, relevant, searched, met, weights, limit)
    for cells, present, sign, others, steps in sums:
        *_, best = steps
        flat = terms.ravel()
        flat[cells[present]] = 0.0
        others = xp.clip(others, 0, best.shape[1] - 1)
        flat[cells[:, 0]] = sign * xp.gather(best, others[:, np.newaxis])[:, 0]
        terms = flat.reshape(terms.shape)
    total = xp.row_sum(terms)
    if denominator == "retrieved":
        value = xp.divide_or_zero(total, xp.row_sum(hits[:, :limit]))
        _choose_found(value, ranking, relevant, terms, met, weights, limit)
    elif denominator == "k":
        value = total / k
    else:
        best = attainable(to_find, k) if denominator == "attainable" else to_find
        value = xp.divide(total, best)
    return where_relevant(to_find, value)


def _choose_found(value, ranking, relevant, terms, met, weights, limit):
    """Put the best share of the number found where the limit cuts a tie group.

    The best over all numbers found among the `m` places of the group that count.
    """
    xp = ranking.xp
    m = ranking.group_place[:, limit - 1]
    cut = (m < ranking.group_size[:, limit - 1])[:, np.newaxis]
    chosen = ranking.sum_groups(cut & (ranking.ranks == float(limit))) > 0.0
    before = ranking.ranks <= (limit - m)[:, np.newaxis]
    sum_before = xp.row_sum(xp.where(before, terms, 0.0))
    found_before = ranking.before_group(relevant)[:, limit - 1]
    r = ranking.group_total(relevant)[:, limit - 1]
    sums = _group_sums(ranking, relevant, chosen, met, weights, limit)
    for cells, _, sign, others, steps in sums:
        rows = cells[:, 0] // ranking.depth
        highest = xp.full_like(value[rows], -np.inf)
        for n_found, best in enumerate(steps):
            n_others = xp.astype(m[rows], xp.int64) - n_found
            possible = (n_others >= 0) & (n_others <= others) & (n_found <= r[rows])
            column = xp.clip(n_others, 0, best.shape[1] - 1)[:, np.newaxis]
            share = xp.divide_or_zero(
                sign * sum_before[rows] + xp.gather(best, column)[:, 0],
                found_before[rows] + n_found,
            )
            highest = xp.where(possible & (share > highest), share, highest)
        value[rows] = sign * highest


def _group_sums(ranking, relevant, chosen, met, weights, limit):
    """Yield the chosen tie groups, and what `_best_sums` yields for them."""
    xp = ranking.xp
    sign = 1.0 if ranking.ties == "optimistic" else -1.0
    size, r = ranking.group_size.ravel(), ranking.group_total(relevant).ravel()
    for cells, present in ranking.cells_of_groups(chosen):
        first = cells[:, 0]
        n_relevant = xp.astype(r[first], xp.int64)
        others = xp.astype(size[first], xp.int64) - n_relevant
        # The relevant documents are the first of the group, or the last.
        start = first if sign > 0 else first + others
        # Ranks below the limit have no weight, whoever stands there.
        n_places = max(1, limit - int((first % ranking.depth).min()))
        place = xp.arange(min(n_places, int(n_relevant.max())), like=first)
        there = place < n_relevant[:, np.newaxis]
        at = xp.where(there, start[:, np.newaxis] + place, first[:, np.newaxis])
        met_there = xp.where(there, sign * met.ravel()[at], 0.0)
        weight = xp.where(present, weights.ravel()[cells], 0.0)
        steps = _best_sums(met_there, weight, min(n_places, int(others.max())))
        yield cells, present, sign, others, steps


def _best_sums(met, weights, most_others):
    """Yield for i = 0, 1, ... the best sums of the first i relevant documents.

    Column s has the best with at most s others above them: the best of i - 1 with at
    most s, and ``met_i weight_(i + s)``, or the best with at most s - 1.
    """
    xp = namespace(met)
    room = xp.zeros((len(met), met.shape[1] + most_others), like=met)
    room[:, : weights.shape[1]] = weights[:, : room.shape[1]]
    best = xp.zeros((len(met), most_others + 1), like=met)
    yield best
    for i in range(met.shape[1]):
        best = best + met[:, i : i + 1] * room[:, i : i + most_others + 1]
        best = xp.running_max(best)
        yield best


def inferred_order(ranking, relevant, nonrelevant, pooled, epsilon):
    """Return the ranking with tied documents in inferred AP's best or worst order.

    With a, b, u relevant, non-relevant, pooled and o other unjudged documents above it,
    a relevant document adds ``(1 + (a + b + u) q) / rank``, ``q = (a + epsilon) /
    (a + b + 2 epsilon)``. That falls with every non-relevant and other document above
    (but for the few last digits that `epsilon` moves where more than ``1 / epsilon``
    others are), and with a pooled one where ``q (1 + o) < 1``, else it rises: for the
    first relevant documents it falls, for the last it rises, since q rises with a.

    So the best order has relevant documents for which it falls, the pooled ones, the
    rest of the relevant ones, and then the others. The worst begins with the others;
    no choice of pooled documents above each relevant one is then worse than the same
    number above all, as the first want more above them and the last fewer.
    """
    if not ranking.tied or ranking.ties == "average":
        return ranking
    if "pooled" not in ranking.block.marks:
        return ranking.favouring(relevant)
    xp = ranking.xp
    is_relevant, is_pooled = ranking.values(relevant), ranking.values(pooled)
    a = xp.sum_before(is_relevant)
    a_before, b, u = map(ranking.before_group, (relevant, nonrelevant, pooled))
    above = ranking.ranks - ranking.group_place
    o = above - a_before - b - u
    if ranking.ties == "optimistic":
        q = (a + epsilon) / (a + b + 2.0 * epsilon)
        keys = xp.where(is_relevant, xp.where(q * (1.0 + o) <= 1.0, 0, 2), 3)
        return ranking.in_order_of(xp.where(is_pooled, 1, keys))
    r, m, p = map(ranking.group_total, (relevant, nonrelevant, pooled))
    b, o = b + m, o + ranking.group_size - r - m - p
    q = (a + epsilon) / (a + b + 2.0 * epsilon)
    rank = a + b + u + o + 1.0
    # The n-th pooled document above lowers the sum of ``q + fall / (rank + n)`` where
    # the sum of ``fall / ((rank + n - 1) (rank + n))`` is positive. There the first
    # terms are positive and the others negative, and their part in it grows with n: the
    # sum changes its sign once.
    fall = xp.where(is_relevant, 1.0 - q * (1.0 + o), 0.0)
    low, high = xp.zeros_like(ranking.group_sizes), ranking.group_sums(pooled)
    while (low < high).any():
        middle = xp.floor((low + high) / 2.0)
        n = rank + ranking.by_rank(middle)
        falls = ranking.sum_groups(fall / (n * (n + 1.0))) > 0.0
        low, high = xp.where(falls, middle + 1.0, low), xp.where(falls, high, middle)
        low = xp.minimum(low, high)
    number = xp.running_sum(is_pooled) - u  # of each pooled document in its group
    keys = xp.where(is_pooled & (number > ranking.by_rank(low)), 3, 0)
    keys = xp.where(is_pooled & (number <= ranking.by_rank(low)), 1, keys)
    return ranking.in_order_of(xp.where(is_relevant, 2, keys))
