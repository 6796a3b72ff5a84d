"""Tensors to blocks, on the device where they are."""

from bisect import bisect_right
from functools import partial

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


def iter_pieces(judgments):
    """Yield functions that return some blocks each, as `blocks.iter_pieces` does."""
    cells = block_cells(judgments.scores.device)
    if judgments.offsets is None:
        yield from _dense_pieces(judgments, cells)
    else:
        yield from _ragged_pieces(judgments, cells)


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


def _dense_pieces(judgments, cells):
    n_queries, width = judgments.scores.shape
    height = max(1, cells // width)
    for start in range(0, n_queries, height):
        yield partial(_dense_blocks, judgments, slice(start, start + height), width)


def _dense_blocks(judgments, rows, width):
    grades, scores = judgments.grades[rows], judgments.scores[rows]
    if grades.ndim == 1:  # class labels: one relevant column
        grades = grades[:, None] == torch.arange(width, device=grades.device)
    queries = rows.start + torch.arange(len(scores), device=scores.device)
    yield Block(
        queries,
        grades.to(torch.float64),
        _as_float(scores),
        torch.full_like(queries, width),
        0,
        {name: mark[rows] for name, mark in judgments.marks.items()},
    )


def _ragged_pieces(judgments, cells):
    """Pack queries of similar length."""
    rising, by_length = torch.sort(torch.diff(judgments.offsets), stable=True)
    start = 0
    while start < len(rising):
        stop = _block_stop(rising, start, cells)
        queries, lengths = by_length[start:stop], rising[start:stop]
        yield partial(_ragged_blocks, judgments, queries, lengths)
        start = stop


def _ragged_blocks(judgments, queries, lengths):
    columns = torch.arange(int(lengths[-1]), device=lengths.device)
    absent = columns >= lengths[:, None]
    cells = (judgments.offsets[queries, None] + columns).masked_fill_(absent, 0)
    if judgments.order is not None:
        cells = judgments.order[cells]
    marks = judgments.marks.items()
    yield Block(
        queries,
        judgments.grades[cells].to(torch.float64).masked_fill_(absent, torch.nan),
        _as_float(judgments.scores[cells]).masked_fill_(absent, -torch.inf),
        lengths,
        0,
        {name: _without(mark[cells], absent) for name, mark in marks},
    )


def _without(mark, absent):
    """Return a mark with 0, or False, where there is no document."""
    mark[absent] = 0
    return mark


def _block_stop(rising, start, cells):
    """Return where the block that begins at `start` ends."""
    longest = max(_SHORT, _PADDING * int(rising[start]))

    def exceeds(stop):
        length = int(rising[stop - 1])
        return length > longest or (stop - start) * length > cells

    stops = range(start + 1, len(rising) + 1)
    return start + max(1, bisect_right(stops, False, key=exceeds))
