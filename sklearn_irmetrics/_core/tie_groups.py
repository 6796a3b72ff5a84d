"""The tie groups of a block in rank order."""

import math

import numpy as np

from sklearn_irmetrics._core.arrays import row_sum, sum_runs


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
        """Return how many documents each group has."""
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
