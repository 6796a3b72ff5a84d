"""Ragged queries to dense padded blocks of queries of similar length."""

from bisect import bisect_right
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.sparse import csr_array, issparse

from sklearn_irmetrics._core.block import Block
from sklearn_irmetrics._core.namespace import is_tensor

BLOCK_CELLS = 1 << 16  # fits the second-level cache with its sorting keys
_SPARSE_CHUNK = 1 << 20
_WIDE = 1 << 12


def iter_blocks(judgments):
    """Yield the blocks of `judgments`, of about `BLOCK_CELLS` cells each."""
    for piece in iter_pieces(judgments):
        yield from piece()


def iter_pieces(judgments, *, enlarge=1):
    """Yield functions that return some blocks each, in any order and any thread.

    `enlarge` makes the blocks so many times as large.
    """
    cells = BLOCK_CELLS * enlarge
    if is_tensor(judgments.scores):
        from sklearn_irmetrics._core.torch import blocks as torch_blocks

        yield from torch_blocks.iter_pieces(judgments)
    elif judgments.offsets is not None:
        yield from _ragged_pieces(
            judgments.grades,
            judgments.scores,
            judgments.offsets,
            judgments.order,
            cells,
            marks=judgments.marks,
        )
    elif issparse(judgments.scores):
        yield from _sparse_pieces(judgments.grades, judgments.scores, cells)
    else:
        yield from _dense_pieces(judgments, cells)


def _as_float(values):
    """Return floats that hold `values` exactly and can hold -inf."""
    dtype = values.dtype
    if dtype in (np.float32, np.float64):
        return values
    narrow = dtype.itemsize < 4
    return values.astype(np.float32 if narrow else np.float64)


def _dense_pieces(judgments, cells):
    n_queries, width = judgments.scores.shape
    # Wide rows are rarely sorted whole, and few of them make slow blocks.
    height = max(1, (cells if width < _WIDE else 4 * cells) // width)
    for start in range(0, n_queries, height):
        rows = slice(start, min(start + height, n_queries))
        yield partial(_dense_blocks, judgments, rows, width)


def _dense_blocks(judgments, rows, width):
    yield Block(
        np.arange(rows.start, rows.stop),
        _dense_grades(judgments.grades, rows, width),
        _as_float(judgments.scores[rows]),
        np.full(rows.stop - rows.start, width),
        0,
        {name: mark[rows] for name, mark in judgments.marks.items()},
    )


def _dense_grades(grades, rows, width):
    if issparse(grades):
        return grades[rows].toarray().astype(np.float64)
    if grades.ndim == 1:  # class labels: one relevant column
        return (grades[rows, np.newaxis] == np.arange(width)).astype(np.float64)
    return grades[rows].astype(np.float64, copy=False)


def _ragged_pieces(grades, scores, offsets, order, cells, **facts):
    """Pack queries by falling padding: sorted by length, cut into even blocks."""
    if not len(grades):  # every row of a sparse chunk is empty
        grades = scores = np.zeros(1)
    lengths = np.diff(offsets)
    by_length = np.argsort(lengths, kind="stable")
    rising = lengths[by_length]
    start = 0
    while start < len(rising):
        stop = _block_stop(rising, start, cells)
        queries, n_listed = by_length[start:stop], rising[start:stop]
        width = max(1, int(n_listed[-1]))
        rows = partial(_Stretches, offsets[queries], width, order)
        yield partial(_ragged_blocks, queries, n_listed, rows, grades, scores, **facts)
        start = stop


def _ragged_blocks(
    queries, n_listed, rows, grades, scores, *, marks=(), n_columns=None
):
    rows = rows()
    block_grades = rows.of(grades).astype(np.float64, copy=False)
    block_scores = _as_float(rows.of(scores))
    block_marks = {name: rows.of(mark) for name, mark in dict(marks).items()}
    shortest, longest = n_listed[0], block_scores.shape[1]
    if shortest < longest:
        absent = np.arange(shortest, longest) >= n_listed[:, np.newaxis]
        np.copyto(block_grades[:, shortest:], np.nan, where=absent)
        np.copyto(block_scores[:, shortest:], -np.inf, where=absent)
        for mark in block_marks.values():
            mark[:, shortest:][absent] = 0
    n_documents = n_listed if n_columns is None else np.full_like(n_listed, n_columns)
    yield Block(
        queries,
        block_grades,
        block_scores,
        n_documents,
        n_documents - n_listed if n_columns is not None else 0,
        block_marks,
    )


class _Stretches:
    """Stretches of equal width of flat arrays, as rows.

    Parameters
    ----------
    starts : int array of shape (n_rows,)
        Where each row begins.
    width : int
        How long the rows are; what lies beyond the end of an array is arbitrary.
    order : int array or None
        Where the rows are in other arrays, if not in its place.
    """

    def __init__(self, starts, width, order):
        self._starts = starts
        self._width = width
        self._cells = None if order is None else self._stretches(order)

    def of(self, values):
        """Return the rows of a flat array."""
        if self._cells is not None:
            return values.take(self._cells, axis=0)
        if values.ndim == 1:
            return self._stretches(values)
        return values.take(self._stretches(np.arange(len(values))), axis=0)

    def _stretches(self, values):
        # Whole stretches are copied several times as fast as single cells.
        width = min(self._width, len(values))
        windows = sliding_window_view(values, width)
        rows = windows[np.minimum(self._starts, len(windows) - 1)]
        for i in np.flatnonzero(self._starts >= len(windows)):
            rest = values[self._starts[i] :]
            rows[i, : len(rest)] = rest
        return rows


def _block_stop(rising, start, cells):
    """Return where the block that begins at `start` ends."""
    fits = bisect_right(
        range(start + 1, len(rising) + 1),
        cells,
        key=lambda stop: (stop - start) * int(rising[stop - 1]),
    )
    return start + max(1, fits)


def _sparse_pieces(grades, scores, cells):
    """Blocks of CSR input: the union of the stored entries of chunks of rows."""
    stored = grades.indptr.astype(np.int64) + scores.indptr
    start = 0
    while start < grades.shape[0]:
        stop = int(np.searchsorted(stored, stored[start] + _SPARSE_CHUNK, "right")) - 1
        stop = min(max(stop, start + 1), grades.shape[0])
        yield partial(_sparse_blocks, grades, scores, start, stop, cells)
        start = stop


def _sparse_blocks(grades, scores, start, stop, cells):
    union = _union(grades, scores, start, stop)
    for piece in _ragged_pieces(*union, None, cells, n_columns=grades.shape[1]):
        for block in piece():
            yield replace(block, queries=block.queries + start)


def _union(grades, scores, start, stop):
    """Return grades and scores of the cells of some rows stored in either, and offsets.

    SciPy's linear-time sum of marks tells which cell is stored where.
    """
    graded, own_grades = _marked(1, grades, start, stop)
    scored, own_scores = _marked(2, scores, start, stop)
    stored = graded + scored
    block_grades = np.zeros(stored.nnz)
    block_grades[(stored.data & 1).view(bool)] = own_grades
    block_scores = np.full(stored.nnz, -np.inf, dtype=_as_float(own_scores[:0]).dtype)
    block_scores[stored.data > 1] = own_scores
    return block_grades, block_scores, stored.indptr.astype(np.intp)


def _marked(mark, matrix, start, stop):
    """Return a mark in every stored cell of some rows of CSR, and their values."""
    first, last = matrix.indptr[start], matrix.indptr[stop]
    marks = csr_array(
        (
            np.full(last - first, mark, dtype=np.int8),
            matrix.indices[first:last],
            matrix.indptr[start : stop + 1] - first,
        ),
        shape=(stop - start, matrix.shape[1]),
    )
    marks.has_canonical_format = True  # as check_judgments made the whole
    return marks, matrix.data[first:last]
