"""Tensors to blocks, on the device where they are."""

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

import torch

from sklearn_irmetrics._core.block import Block

# Beyond so many cells a block neither starts faster nor fits caches any better
# (measured on a processor; on a GPU so many keep all its units busy).
_CPU_CELLS = 1 << 18
_GPU_CELLS = 1 << 23
_BYTES_PER_CELL = 512  # of all that is kept for thirty measures at once
# A query is padded to at most so many times its length, or to a few columns.
_PADDING = 1.5
_SHORT = 16


def iter_rows(batch):
    """Yield which documents are in each block."""
    cells = block_cells(batch.scores.device)
    if batch.offsets is None:
        yield from _dense_rows(*batch.scores.shape, cells)
    else:
        yield from _ragged_rows(batch.offsets, batch.order, cells)


def block_cells(device):
    """Return how many cells a block should have."""
    if device.type != "cuda":
        return _CPU_CELLS
    free = torch.cuda.mem_get_info(device)[0] + (
        torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    )
    return max(1, min(_GPU_CELLS, free // _BYTES_PER_CELL))


def _as_float(values):
    """Return floats that hold `values` exactly and can hold -inf."""
    if values.dtype in (torch.float32, torch.float64):
        return values
    narrow = values.dtype.itemsize < 4
    return values.to(torch.float32 if narrow else torch.float64)


def _dense_rows(n_queries, width, cells):
    height = max(1, cells // width)
    for start in range(0, n_queries, height):
        yield _DenseRows(slice(start, min(start + height, n_queries)), width)


@dataclass(frozen=True)
class _DenseRows:
    """Rows of 2-D tensors; see `blocks`."""

    rows: slice
    width: int

    def pack(self, grades, marks, scores=None):
        """Return the block, without its scores where none are given."""
        grades = grades[self.rows]
        if grades.ndim == 1:  # class labels: one relevant column
            grades = grades[:, None] == torch.arange(self.width, device=grades.device)
        queries = torch.arange(self.rows.start, self.rows.stop, device=grades.device)
        return Block(
            queries,
            grades.to(torch.float64).contiguous(),
            None if scores is None else self.scores(scores),
            torch.full_like(queries, self.width),
            0,
            {name: mark[self.rows] for name, mark in marks.items()},
        )

    def scores(self, scores):
        """Return the scores of the block."""
        return _as_float(scores[self.rows])


def _ragged_rows(offsets, order, cells):
    """Pack queries of similar length."""
    rising, by_length = torch.sort(torch.diff(offsets), stable=True)
    start = 0
    while start < len(rising):
        stop = _block_stop(rising, start, cells)
        queries = by_length[start:stop]
        yield _RaggedRows(queries, rising[start:stop], offsets[queries], order)
        start = stop


class _RaggedRows:
    """Stretches of flat tensors, padded to equal width; see `blocks`."""

    def __init__(self, queries, lengths, starts, order):
        self._queries, self._lengths = queries, lengths
        self._stretches = starts, order

    @cached_property
    def _cells(self):
        starts, order = self._stretches
        columns = torch.arange(int(self._lengths[-1]), device=starts.device)
        self._absent = columns >= self._lengths[:, None]
        cells = (starts[:, None] + columns).masked_fill_(self._absent, 0)
        del self._stretches  # or every pickled chunk would hold the whole order
        return cells if order is None else order[cells]

    def pack(self, grades, marks, scores=None):
        """Return the block, without its scores where none are given."""
        marks = {name: self._fill(mark[self._cells], 0) for name, mark in marks.items()}
        grades = self._fill(grades[self._cells].to(torch.float64), torch.nan)
        scores = None if scores is None else self.scores(scores)
        return Block(self._queries, grades, scores, self._lengths, 0, marks)

    def scores(self, scores):
        """Return the scores of the block."""
        return self._fill(_as_float(scores[self._cells]), -torch.inf)

    def _fill(self, values, number):
        """Put a number in the cells of `values` that hold no document."""
        absent = self._absent if values.ndim == 2 else self._absent[:, :, None]
        return values.masked_fill_(absent, number)


def _block_stop(rising, start, cells):
    """Return where the block that begins at `start` ends."""
    longest = max(_SHORT, _PADDING * int(rising[start]))

    def exceeds(stop):
        length = int(rising[stop - 1])
        return length > longest or (stop - start) * length > cells

    stops = range(start + 1, len(rising) + 1)
    return start + max(1, bisect_right(stops, False, key=exceeds))
