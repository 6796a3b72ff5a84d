"""The few block operations that array libraries do not share, for NumPy.

Every function takes blocks of shape ``(n_queries, n_documents)`` and works along the
second axis. Nothing outside this file sorts, gathers or adds up tie groups.
"""

import numpy as np

# Below this width a SIMD sort of the whole row is as fast as a selection (measured).
_SELECT_FROM_WIDTH = 512


def descending_order(scores, depth, *, stable=False):
    """Return the places of the `depth` largest scores of each row, best first.

    Equal scores come in no particular order unless `stable`, which keeps the order
    of the columns and always returns whole rows.
    """
    width = scores.shape[1]
    if stable:
        return np.argsort(-scores, axis=1, kind="stable")
    if depth * 4 > width or width < _SELECT_FROM_WIDTH:
        return np.argsort(scores, axis=1)[:, ::-1][:, :depth]
    chosen = np.argpartition(scores, width - depth, axis=1)[:, width - depth :]
    order = np.argsort(gather(scores, chosen), axis=1)[:, ::-1]
    return gather(chosen, order)


def gather(values, order):
    """Return ``values[i, order[i, j]]``."""
    return np.take_along_axis(values, order, axis=1)


def top_values(values, depth):
    """Return the `depth` largest values of each row, largest first."""
    width = values.shape[1]
    depth = min(depth, width)
    if depth * 4 > width or width < _SELECT_FROM_WIDTH:
        return np.sort(values, axis=1)[:, ::-1][:, :depth]
    chosen = np.partition(values, width - depth, axis=1)[:, width - depth :]
    return np.sort(chosen, axis=1)[:, ::-1]


def sort_within(groups, keys):
    """Return the order that sorts by `groups`, and by rising `keys` inside a group."""
    return np.lexsort((keys, groups), axis=1)


def running_sum(values):
    """Return the sum of each row up to and including each column, as float64."""
    return np.cumsum(values, axis=1, dtype=np.float64)


def row_sum(values):
    """Return the sum of each row, as float64 (a count where `values` is boolean)."""
    if values.dtype == bool:
        return np.count_nonzero(values, axis=1).astype(np.float64)
    return values.sum(axis=1, dtype=np.float64)


def divide(numerator, denominator):
    """Divide, with NaN where the denominator is 0."""
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    out = np.full(shape, np.nan)
    return np.divide(numerator, denominator, out=out, where=denominator != 0)


def divide_or_zero(numerator, denominator):
    """Divide, with 0 where the denominator is 0."""
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    out = np.zeros(shape)
    return np.divide(numerator, denominator, out=out, where=denominator != 0)


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
        self._n_cells = np.diff(self._first, append=starts.size)
        self._cut = None

    def close_cut_groups(self, rows, members):
        """Tell that the last group of `rows` goes on below the last rank.

        `members` is a mask over the documents of these rows: the whole group.
        """
        last_cells = (rows + 1) * self.shape[1] - 1
        groups = np.searchsorted(self._first, last_cells, side="right") - 1
        self._cut = groups, rows, members

    @property
    def is_cut(self):
        """Whether a group goes on below the last rank."""
        return self._cut is not None

    def spread(self, per_group):
        """Return one value per rank from one value per group."""
        return np.repeat(per_group, self._n_cells).reshape(self.shape)

    def size(self):
        """Return how many documents each rank's group has."""
        size = self._n_cells.astype(np.float64)
        if self._cut is not None:
            groups, _, members = self._cut
            size[groups] = np.count_nonzero(members, axis=1)
        return self.spread(size)

    def place(self):
        """Return the place, from 1, that each rank has inside its group."""
        cells = np.arange(1.0, self.shape[0] * self.shape[1] + 1.0)
        return cells.reshape(self.shape) - self.spread(self._first)

    def total(self, by_rank, by_document):
        """Return the sum over each rank's whole group.

        `by_document(rows)` gives the values of all documents of some rows; it is
        called only for groups that go on below the last rank.
        """
        total = np.add.reduceat(by_rank.ravel(), self._first, dtype=np.float64)
        if self._cut is not None:
            groups, rows, members = self._cut
            total[groups] = np.where(members, by_document(rows), 0.0).sum(axis=1)
        return self.spread(total)

    def before(self, by_rank):
        """Return the sum over all ranks before each rank's group."""
        return self.spread_first(running_sum(by_rank) - by_rank)

    def spread_first(self, by_rank):
        """Return the value at the first rank of each rank's group."""
        return self.spread(by_rank.ravel()[self._first])

    def mixed(self, by_rank):
        """Yield groups of unequal values: flat positions, and which of them exist."""
        flat = by_rank.ravel()
        low = np.minimum.reduceat(flat, self._first)
        high = np.maximum.reduceat(flat, self._first)
        mixed = np.flatnonzero(low < high)
        sizes = self._n_cells[mixed]
        scale = np.frexp(sizes)[1]
        for size in np.unique(scale):
            chosen = scale == size
            places = np.arange(sizes[chosen].max())
            positions = self._first[mixed[chosen], np.newaxis] + places
            present = places < sizes[chosen, np.newaxis]
            yield np.where(present, positions, positions[:, :1]), present

    def index(self):
        """Return the number of each rank's group, rising along the row."""
        return self.spread(np.arange(len(self._first)))
