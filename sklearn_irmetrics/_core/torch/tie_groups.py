"""The tie groups of a block of tensors, as `_core.tie_groups` has them."""

import torch
from torch import float64, full_like, unique

from sklearn_irmetrics._core.torch.like_numpy import arange, flatnonzero, zeros


class TieGroups:
    """The groups of equal scores of a block whose rows are in rank order."""

    def __init__(self, starts):
        self.shape = starts.shape
        self._first = flatnonzero(starts)
        end = full_like(self._first[:1], starts.numel())
        self._n_cells = torch.diff(self._first, append=end)
        self._index = starts.ravel().cumsum(0).reshape(self.shape) - 1
        self._cut = None

    def close_cut_groups(self, rows, members):
        """Tell that the last group of `rows` goes on below the last rank."""
        self._cut = self._index[rows, -1], rows, members

    @property
    def is_cut(self):
        """Whether a group goes on below the last rank."""
        return self._cut is not None

    def spread(self, per_group, depth=None):
        """Return one value per rank, down to `depth`, from one value per group."""
        return per_group[self._index[:, :depth]]

    def along(self, first, rise):
        """Return ``first + rise (j - 1)`` at place j of each group, by rank."""
        columns = arange(float(self.shape[1]), like=first)
        at_left_edge = first - rise * (self._first % self.shape[1])
        return self.spread(at_left_edge) + self.spread(rise) * columns

    def sizes(self):
        """Return how many documents each group has."""
        size = self._n_cells.to(float64)
        if self._cut is not None:
            groups, _, members = self._cut
            size[groups] = members.sum(dim=1, dtype=float64)
        return size

    def end_at(self, column):
        """Return the rank at which the last of the groups in a column has ended."""
        groups = self._index[:, column]
        last = (self._first + self._n_cells - 1)[groups] % self.shape[1]
        return int(last.max()) + 1

    def place(self):
        """Return the place, from 1, that each rank has inside its group."""
        cells = arange(1.0, self.shape[0] * self.shape[1] + 1.0, like=self._first)
        return cells.reshape(self.shape) - self.spread(self._first)

    def totals(self, by_rank, by_document):
        """Return the sum over each whole group."""
        total = zeros(len(self._first), like=by_rank)
        total.index_add_(0, self._index.ravel(), by_rank.ravel().to(float64))
        if self._cut is not None:
            groups, rows, members = self._cut
            total[groups] = (
                torch.where(members, by_document(rows), 0).sum(dim=1).to(float64)
            )
        return total

    def at(self, columns):
        """Return the group at one rank of each row, and the ranks before it."""
        rows = arange(self.shape[0], like=self._index)
        groups = self._index[rows, columns]
        return groups, self._first[groups] - rows * self.shape[1]

    def totals_before(self, totals):
        """Return the sum of whole-numbered `totals` over the groups before, by row."""
        before = totals.cumsum(0) - totals
        row_starts = before[self._index[:, 0]]
        return before - row_starts[self._first // self.shape[1]]

    def at_first(self, by_rank):
        """Return the value at the first rank of each group."""
        return by_rank.ravel()[self._first]

    def mixed(self, by_rank):
        """Yield groups of unequal values: flat positions, and which of them exist."""
        flat, index = by_rank.ravel(), self._index.ravel()
        first = flat[self._first]
        low = first.scatter_reduce(0, index, flat, "amin")
        high = first.scatter_reduce(0, index, flat, "amax")
        yield from self.cells(low < high)

    def cells(self, chosen):
        """Yield groups chosen by a mask: flat positions, and which of them exist."""
        groups = flatnonzero(chosen)
        sizes = self._n_cells[groups]
        scale = torch.frexp(sizes.to(float64)).exponent
        for size in unique(scale):
            similar = scale == size
            places = arange(int(sizes[similar].max()), like=sizes)
            positions = self._first[groups[similar], None] + places
            present = places < sizes[similar, None]
            yield torch.where(present, positions, positions[:, :1]), present

    def index(self):
        """Return the number of each rank's group, rising along the row."""
        return self._index
