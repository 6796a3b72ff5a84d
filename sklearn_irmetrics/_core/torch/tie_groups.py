"""The tie groups of a block of tensors, as `_core.tie_groups` has them."""

import torch
from torch import float64, full_like, unique

from sklearn_irmetrics._core import tie_groups as _core_tie_groups
from sklearn_irmetrics._core.torch.like_numpy import arange, flatnonzero, zeros


class TieGroups(_core_tie_groups.TieGroups):
    """The groups of equal scores of a block of tensors in rank order."""

    def __init__(self, starts):
        self.shape = starts.shape
        self._first = flatnonzero(starts)
        end = full_like(self._first[:1], starts.numel())
        self._n_cells = torch.diff(self._first, append=end)
        self._index = starts.ravel().cumsum(0).reshape(self.shape) - 1
        self._cut = None

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
