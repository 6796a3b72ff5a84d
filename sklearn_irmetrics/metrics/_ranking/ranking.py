"""Order a block of queries once, and resolve its ties."""

import math
from functools import cached_property, partial

import numpy as np

from sklearn_irmetrics._arrays.rows import (
    Order,
    gather,
    keep_where,
    order_by_score,
    row_sum,
    running_sum,
    sort_within,
    stable_order,
    sum_before,
    sum_runs,
    top_positive,
)
from sklearn_irmetrics.metrics._ranking.gains import Documents


def deepest(k):
    """Return the largest cutoff, None for all ranks."""
    return k if k is None or isinstance(k, int) else int(k.max())


class TieGroups:
    """The groups of equal scores of a block whose rows are in rank order.

    Parameters
    ----------
    starts : bool array of shape (n_queries, depth)
        Where a rank opens a new group; the first column is True.
    """

    def __init__(self, starts):
        self.shape = starts.shape
        self._first = np.flatnonzero(starts)
        end = np.full_like(self._first[:1], math.prod(self.shape))
        self._n_cells = np.concatenate([self._first[1:], end]) - self._first
        numbers = np.arange(len(self._first))
        # The number of each rank's group, rising along the row.
        self.index = np.repeat(numbers, self._n_cells).reshape(self.shape)
        self._cut = None

    def close_cut_groups(self, rows, members):
        """Record that the last group of `rows` goes on below the last rank.

        `rows` is a slice or numbers; `members` is a mask over the documents of these
        rows: the whole group.
        """
        self._cut = self.index[rows, -1], rows, members

    @property
    def is_cut(self):
        """Whether a group goes on below the last rank."""
        return self._cut is not None

    def spread(self, per_group, depth=None):
        """Return one value per rank, down to `depth`, from one value per group."""
        return per_group.take(self.index[:, :depth])

    def along(self, first, rise):
        """Return ``first + rise (j - 1)`` at place j of each group, one value per rank.

        `first` and `rise` hold one number per group.
        """
        width = self.shape[1]
        row_start = self._first // width * width  # faster than %
        at_left_edge = first - rise * (self._first - row_start)
        values = self.spread(rise)
        values *= np.arange(float(width))
        values += self.spread(at_left_edge)
        return values

    def sizes(self):
        """Return the number of documents in each group."""
        size = self._n_cells.astype(np.float64)
        if self._cut is not None:
            groups, _, members = self._cut
            size[groups] = row_sum(members)
        return size

    def place(self):
        """Return the place, from 1, that each rank has inside its group."""
        cells = np.arange(1.0, math.prod(self.shape) + 1.0)
        return cells.reshape(self.shape) - self.spread(self._first)

    def totals(self, by_rank, by_document=None):
        """Return the sum over each whole group.

        `by_document(rows)` gives the values of all documents of some rows, for groups
        that go on below the last rank.
        """
        total = sum_runs(by_rank.ravel(), self._first)
        if self._cut is not None:
            groups, rows, members = self._cut
            of_members = np.where(members, by_document(rows), 0.0)
            total[groups] = of_members.sum(axis=1)
        return total

    def at(self, columns):
        """Return the group at one rank of each row, and the ranks before it."""
        rows = np.arange(self.shape[0])
        groups = self.index[rows, columns]
        return groups, self._first[groups] - rows * self.shape[1]

    def at_first(self, by_rank):
        """Return the value at the first rank of each group."""
        return by_rank.ravel()[self._first]

    def mixed(self, by_rank):
        """Yield groups of unequal values: flat positions, and which of them exist.

        Groups of similar size come together.
        """
        flat = by_rank.ravel()
        differs = np.zeros_like(flat, dtype=bool)
        differs[1:] = flat[1:] != flat[:-1]
        differs[self._first] = False
        groups = np.flatnonzero(sum_runs(differs, self._first))
        sizes = self._n_cells[groups]
        scale = np.frexp(sizes.astype(np.float64))[1]
        for size in np.unique(scale):
            similar = scale == size
            places = np.arange(int(sizes[similar].max()))
            positions = self._first[groups[similar], None] + places
            present = places < sizes[similar, None]
            yield np.where(present, positions, positions[:, :1]), present


_NOTHING = object()  # never a cached value


class Caching:
    """A mixin that computes each result once, and keeps it in the dict `_cache`."""

    def cached(self, what, value, compute):
        """Return ``compute(value)``, computed once for each name `what`."""
        key = what, value
        result = self._cache.get(key, _NOTHING)  # a look-up hashes the key, slowly
        if result is _NOTHING:
            result = self._cache[key] = compute(value)
        return result


class Unranked(Caching):
    """The documents of a block of queries, whatever their order.

    Cached results depend only on grades and marks, never on scores.

    Parameters
    ----------
    block : Block
        The queries.
    deepest : int
        Number of ranks that formulas need.
    """

    def __init__(self, block, deepest):
        self.block = block
        self.documents = Documents(block.grades, block.marks)
        self._deepest = deepest
        self._cache = dict(block.cache)

    @property
    def cache(self):
        """All that was computed from the grades, for reuse with other scores."""
        for value in self._cache.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        return dict(self._cache)

    def total(self, value):
        """Return the sum of `value` over each query, retrieved or not."""
        return self.cached("total", value, self._total)

    def _total(self, value):
        total = row_sum(value(self.documents))
        if self.block.has_implicit:
            total += self.block.n_implicit * value(Documents(np.zeros(1), {}))
        return total

    def found(self, value):
        """Return the sum of `value` over the documents retrieved, at any rank."""
        retrieved = self.block.scores > -math.inf
        return row_sum(retrieved * value(self.documents))

    def ideal(self, gain, k):
        """Return the positive gains of each query, best first, down to `k`.

        `k` is a cutoff, a column of them, or None for all ranks.
        """
        k = deepest(k)
        width = self.block.scores.shape[1]
        depth = width if k is None else min(k, width)
        rises = gain.rises  # then the best grades have the best gains
        key = "best", "grades" if rises else gain
        best = self._cache.get(key)
        if best is None or best.shape[1] < depth:
            values = self.block.grades if rises else gain(self.documents)
            best = top_positive(values, max(depth, self._deepest))
            self._cache[key] = best
        return gain.of_grades(best[:, :depth]) if rises else best[:, :depth]

    @cached_property
    def present(self):
        """Which columns hold a document; of those without a grade, the first ones do.

        A block knows how many documents are unjudged, but not which columns are empty.
        """
        ungraded = np.isnan(self.block.grades)
        listed = self.block.n_documents - self.block.n_implicit
        n_unjudged = listed - row_sum(~ungraded)
        number = running_sum(ungraded)
        return ~ungraded | (number <= n_unjudged[:, np.newaxis])

    def falling(self, gain):
        """Return the gains of all documents with a column, best first, then -inf."""
        return self.cached(
            "falling",
            gain,
            lambda gain: (
                -np.sort(
                    -np.where(self.present, gain(self.documents), -math.inf), axis=1
                )
            ),
        )

    def has_negative(self, gain):
        """Whether the gain of any document is negative."""
        grades = self.block.grades
        return self.cached(
            "negative",
            gain,
            lambda gain: bool(
                np.any((grades if gain.rises else gain(self.documents)) < 0.0)
            ),
        )

    def of_rows(self, value, rows):
        """Return `value` of all documents of some queries."""
        return value(self.documents.each(lambda array: array[rows]))


class Ranking(Caching):
    """The queries of a block with their documents in rank order.

    Formulas read it through value functions (`gains`), which turn documents into
    numbers: ``ranking.expected(Relevant())`` is the probability that each rank holds a
    relevant document. Results computed for one formula are cached for the next:
    those that depend on the order here, others in the `Unranked` documents, which all
    orders of a block share.

    Parameters
    ----------
    unranked : Unranked
        The documents.
    order : Order
        Which of them is at each rank.
    ties : {"average", "optimistic", "pessimistic", "stable"}
        How documents of equal score are ordered.
    documents : Documents or None, default=None
        The documents at each rank, if they are known already.
    """

    def __init__(self, unranked, order, ties, documents=None):
        self.unranked = unranked
        self.block = unranked.block
        self.ties = ties
        self.order = order.columns
        self.depth = self.order.shape[1]
        self._equal, self._retrieved = order.equal, order.retrieved
        count = np.count_nonzero
        self._all_retrieved = count(order.retrieved[:, -1]) == len(self.order)
        self.tied = bool(count(order.equal)) or len(order.cut) > 0
        self.groups = self._find_groups(order) if self.tied else None
        self._cache = {}
        self._documents = documents

    @classmethod
    def of(cls, block, *, ties="average", depth=None):
        """Order a block of queries.

        Parameters
        ----------
        block : Block
            The queries.
        ties : {"average", "optimistic", "pessimistic", "stable"}
            How documents of equal score are ordered.
        depth : int or None
            Number of ranks that formulas need; None for all.
        """
        width = block.scores.shape[1]
        depth = width if depth is None else min(depth, width)
        order = order_by_score(block.scores, depth)
        ranking = cls(Unranked(block, depth), order, ties)
        if ties == "average" or not ranking.tied:
            return ranking
        order = stable_order(block.scores)
        if ties == "stable":
            order = order._replace(equal=np.zeros_like(order.equal))
        return cls(Unranked(block, width), order, ties)

    def total(self, value):
        """Return the sum of `value` over each query, as `Unranked.total` does."""
        return self.unranked.total(value)

    def ideal(self, gain, k):
        """Return the gains of the best order, as `Unranked.ideal` does."""
        return self.unranked.ideal(gain, k)

    def _find_groups(self, order):
        scores = self.block.scores
        starts = np.ones_like(order.retrieved)
        starts[:, 1:] = ~order.equal
        groups = TieGroups(starts)
        if len(order.cut):
            of_cut = scores[order.cut]
            last = gather(of_cut, self.order[order.cut, -1:])
            groups.close_cut_groups(order.cut, of_cut == last)
        return groups

    def down_to(self, depth):
        """Return the ranking cut below `depth`, None for all ranks.

        A ranking with ties is not cut.
        """
        if self.tied or depth is None or depth >= self.depth:
            return self
        return self.cached("down_to", depth, self._cut_below)

    def _cut_below(self, depth):
        order = Order(
            self.order[:, :depth],
            self._equal[:, : depth - 1],
            self._retrieved[:, :depth],
            self.order[:0, 0],
        )
        return Ranking(self.unranked, order, self.ties, self.documents.down_to(depth))

    def break_ties(self, value):
        """Return the ranking with tied documents ordered by `value`.

        Best first for ``"optimistic"``, worst first for ``"pessimistic"``; the ranking
        itself where there is nothing to order.
        """
        if not self.tied or self.ties == "average":
            return self
        return self.cached("break_ties", value, self._reordered)

    def group_ties(self, value):
        """Return the ranking with each tie group as one step, at its end.

        That is the worst order by `value`, unless `ties` selects another one.
        """
        if not self.tied:
            return self
        whole = self.with_whole_groups()
        return whole.cached("break_ties", value, whole._reordered)

    def with_whole_groups(self):
        """Return the ranking without cut tie groups: all ranks if there are any."""
        if self.tied and self.groups.is_cut:
            return self.cached("whole", None, lambda _: Ranking.of(self.block))
        return self

    def _reordered(self, value):
        keys = self._by_rank(value).astype(np.float64)
        if self.ties == "optimistic":
            keys = -keys
        order = sort_within(self.groups.index, keys)
        order = Order(
            gather(self.order, order),
            np.zeros_like(self._equal),
            self._retrieved,
            self.order[:0, 0],
        )
        return Ranking(self.unranked, order, self.ties)

    @property
    def documents(self):
        """The documents at each rank."""
        if self._documents is None:  # `cached_property` locks all threads in 3.11
            grades, marks = self.unranked.documents
            marks = {name: gather(mark, self.order) for name, mark in marks.items()}
            self._documents = Documents(gather(grades, self.order), marks)
        return self._documents

    @cached_property
    def ranks(self):
        """The ranks from 1 to the depth, as floats."""
        return np.arange(1.0, self.depth + 1.0)

    @cached_property
    def n_retrieved(self):
        """How many ranks of each query hold a document, as floats."""
        if self._all_retrieved:
            return np.full(len(self.order), float(self.depth))
        return row_sum(self._retrieved)

    def values(self, value, depth=None):
        """Return `value` at each rank down to `depth`, 0 where there is no document."""
        return self.cached("values", value, self._by_rank)[:, :depth]

    def _by_rank(self, value):
        values = value(self.documents)
        if self._all_retrieved:
            return values
        return keep_where(self._retrieved, values)

    def expected(self, value, k=None):
        """Return the expected `value` at each rank down to `k`, by the rule for ties.

        `k` is a cutoff, a column of them, or None for all ranks.
        """
        depth = deepest(k)
        if not self.tied:
            return self.values(value, depth)
        if self.ties != "average":
            return self.break_ties(value).values(value, depth)
        means = self.cached(
            "group_means",
            value,
            lambda value: self.group_sums(value) / self.group_sizes,
        )
        return self.groups.spread(means, depth)

    def group_sums(self, value):
        """Return the sum of `value` over each tie group, one number per group."""
        return self.cached(
            "group_sums",
            value,
            lambda value: self.groups.totals(
                self.values(value), partial(self.unranked.of_rows, value)
            ),
        )

    def sums_before(self, value):
        """Return the sum of `value` before each tie group, one number per group."""
        return self.cached(
            "sums_before",
            value,
            lambda value: self.groups.at_first(sum_before(self.values(value))),
        )

    @cached_property
    def group_sizes(self):
        """How many documents each tie group has."""
        return self.groups.sizes()

    def group_total(self, value):
        """Return the sum of `value` over the tie group of each rank."""
        if not self.tied:
            return self.values(value)
        return self.cached(
            "group_total",
            value,
            lambda value: self.groups.spread(self.group_sums(value)),
        )

    def before_group(self, value):
        """Return the sum of `value` over the ranks before the tie group of each."""
        if not self.tied:
            own = self.values(value).astype(np.float64)
            return self.running_sum(value) - own
        return self.groups.spread(self.sums_before(value))

    def running_sum(self, value):
        """Return the expected sum of `value` down to each rank."""
        return self.cached("running_sum", value, self._running_sum)

    def _running_sum(self, value):
        if not self.tied or self.ties != "average":
            return running_sum(self.expected(value))
        # Adding up group means would miss the sums of whole groups by an ulp.
        met = self.group_total(value) * self.group_place / self.group_size
        return self.before_group(value) + met

    def sum_down_to(self, value, k):
        """Return the expected sum of `value` down to rank `k`, None for the last.

        `k` may be one rank per query; a column of ranks gives one row of sums each.
        """
        if k is None or isinstance(k, int):
            ranks = self.depth if k is None else min(k, self.depth)
        else:
            ranks = np.minimum(k, self.depth).astype(np.int64)
        group, skipped = self.groups.at(ranks - 1)
        met = self.group_sums(value)[group] * (ranks - skipped)
        return self.sums_before(value)[group] + met / self.group_sizes[group]

    @cached_property
    def group_size(self):
        """How many documents the tie group of each rank has."""
        return self.groups.spread(self.group_sizes)

    @cached_property
    def group_place(self):
        """The place from 1 of each rank inside its tie group."""
        return self.groups.place()
