"""The tie groups of a block in rank order, for `arrays`."""

import numpy as np


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
        self._index = np.repeat(np.arange(len(self._first)), self._n_cells)
        self._cut = None

    def close_cut_groups(self, rows, members):
        """Tell that the last group of `rows` goes on below the last rank.

        `rows` is a slice or numbers; `members` is a mask over the documents of these
        rows: the whole group.
        """
        last_groups = self._index.reshape(self.shape)[rows, -1]
        self._cut = last_groups, rows, members

    @property
    def is_cut(self):
        """Whether a group goes on below the last rank."""
        return self._cut is not None

    def spread(self, per_group, depth=None):
        """Return one value per rank, down to `depth`, from one value per group."""
        return per_group.take(self._index.reshape(self.shape)[:, :depth])

    def along(self, first, rise):
        """Return ``first + rise (j - 1)`` at place j of each group, one value per rank.

        `first` and `rise` hold one number per group.
        """
        row_start = self._first // self.shape[1] * self.shape[1]  # faster than %
        at_left_edge = first - rise * (self._first - row_start)
        values = self.spread(rise)
        values *= np.arange(float(self.shape[1]))
        values += self.spread(at_left_edge)
        return values

    def sizes(self):
        """Return how many documents each group has."""
        size = self._n_cells.astype(np.float64)
        if self._cut is not None:
            groups, _, members = self._cut
            size[groups] = np.count_nonzero(members, axis=1)
        return size

    def end_at(self, column):
        """Return the rank at which the last of the groups in a column has ended."""
        groups = self._index.reshape(self.shape)[:, column]
        last = (self._first + self._n_cells - 1)[groups] % self.shape[1]
        return int(last.max()) + 1

    def place(self):
        """Return the place, from 1, that each rank has inside its group."""
        cells = np.arange(1.0, self.shape[0] * self.shape[1] + 1.0)
        return cells.reshape(self.shape) - self.spread(self._first)

    def totals(self, by_rank, by_document):
        """Return the sum over each whole group.

        `by_document(rows)` gives the values of all documents of some rows; it is
        called only for groups that go on below the last rank.
        """
        if by_rank.dtype == bool:
            total = self._count(by_rank)
        else:
            total = np.add.reduceat(by_rank.ravel(), self._first, dtype=np.float64)
        if self._cut is not None:
            groups, rows, members = self._cut
            total[groups] = np.where(members, by_document(rows), 0.0).sum(axis=1)
        return total

    def _count(self, mask):
        # Differences of a running count: reduceat of booleans takes longer.
        before = np.zeros(mask.size + 1, dtype=np.int64)
        np.cumsum(mask.ravel().view(np.int8), dtype=np.int64, out=before[1:])
        at_ends = before.take(np.append(self._first, mask.size))
        return np.diff(at_ends).astype(np.float64)

    def at(self, columns):
        """Return the group at one rank of each row, and the ranks before it."""
        rows = np.arange(self.shape[0])
        groups = self._index.reshape(self.shape)[rows, columns]
        return groups, self._first[groups] - rows * self.shape[1]

    def totals_before(self, totals):
        """Return the sum of whole-numbered `totals` over the groups before, by row."""
        # Over all rows at once: whole numbers below 2^53 are added up exactly.
        before = totals.cumsum(0) - totals
        row_starts = before[self._index.reshape(self.shape)[:, 0]]
        return before - row_starts[self._first // self.shape[1]]

    def at_first(self, by_rank):
        """Return the value at the first rank of each group."""
        return by_rank.ravel()[self._first]

    def mixed(self, by_rank):
        """Yield groups of unequal values: flat positions, and which of them exist."""
        flat = by_rank.ravel()
        low = np.minimum.reduceat(flat, self._first)
        high = np.maximum.reduceat(flat, self._first)
        yield from self.cells(low < high)

    def cells(self, chosen):
        """Yield groups chosen by a mask: flat positions, and which of them exist."""
        groups = np.flatnonzero(chosen)
        sizes = self._n_cells[groups]
        scale = np.frexp(sizes)[1]
        for size in np.unique(scale):
            similar = scale == size
            places = np.arange(sizes[similar].max())
            positions = self._first[groups[similar], np.newaxis] + places
            present = places < sizes[similar, np.newaxis]
            yield np.where(present, positions, positions[:, :1]), present

    def index(self):
        """Return the number of each rank's group, rising along the row."""
        return self._index.reshape(self.shape)
