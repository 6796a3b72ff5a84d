"""Ragged queries to dense padded blocks of queries of similar length."""

import math
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from sklearn_irmetrics._core.block import Block
from sklearn_irmetrics._core.namespace import is_tensor, issparse

BLOCK_CELLS = 1 << 16  # fits the second-level cache with its sorting keys
# Blocks take the memory of those before: few documents are faster in some than in one.
_LEAST_CELLS = 1 << 14
_BLOCKS_OF_FEW = 8
_SPARSE_CHUNK = 1 << 17
_WIDE = 1 << 12


def iter_blocks(batch):
    """Yield the blocks of `batch`, of about `block_cells` cells each."""
    for chunk in iter_chunks(batch):
        yield from chunk()


def block_cells(batch):
    """Return how many cells blocks shall have: fewer for few documents."""
    return min(BLOCK_CELLS, max(_LEAST_CELLS, _n_listed(batch) // _BLOCKS_OF_FEW))


def enlarge_for_few_ranks(batch):
    """Return what makes blocks as large as those of many documents, about."""
    return BLOCK_CELLS // block_cells(batch)


def are_few(batch):
    """Whether threads would take longer to start than to share the documents."""
    return _n_listed(batch) <= BLOCK_CELLS


def _n_listed(batch):
    scores = batch.scores
    return scores.nnz if issparse(scores) else math.prod(scores.shape)


def iter_chunks(batch, *, enlarge=1):
    """Yield functions that return some blocks each, in any order and any thread.

    `enlarge` makes the blocks so many times as large.
    """
    if batch.packed is not None:
        for chunk in batch.packed:
            yield partial(chunk, batch.scores)
    elif issparse(batch.scores):
        cells = block_cells(batch) * enlarge
        yield from _sparse_chunks(batch.grades, batch.scores, cells)
    else:
        for rows in _iter_rows(batch, enlarge):
            yield partial(_block, rows, batch)


def _block(rows, batch):
    return [rows.pack(batch.grades, batch.marks, batch.scores)]


@dataclass(frozen=True)
class Packed:
    """A block that waits for its scores.

    Attributes
    ----------
    rows : object
        Which documents are in the block.
    block : Block
        The block without scores.
    """

    rows: object
    block: Block

    def __call__(self, scores):
        """Return the block with its part of the scores of all documents."""
        return [self.block.with_scores(self.rows.scores(scores))]


def pack(batch):
    """Return the blocks of a dense batch without their scores."""
    grades, marks = batch.grades, batch.marks
    return [Packed(rows, rows.pack(grades, marks)) for rows in _iter_rows(batch)]


def _iter_rows(batch, enlarge=1):
    """Yield which documents are in each block, if no document is implicit."""
    if is_tensor(batch.scores):
        from sklearn_irmetrics._core.torch import blocks as torch_blocks

        yield from torch_blocks.iter_rows(batch)
        return
    cells = block_cells(batch) * enlarge
    if batch.offsets is None:
        yield from _dense_rows(*batch.scores.shape, cells)
    else:
        yield from _ragged_rows(batch.offsets, batch.order, cells)


def _as_float(values):
    """Return floats that hold `values` exactly and can hold -inf."""
    dtype = values.dtype
    if dtype in (np.float32, np.float64):
        return values
    narrow = dtype.itemsize < 4
    return values.astype(np.float32 if narrow else np.float64)


def _more_if_wide(width, cells):
    """Return how many cells blocks of rows have: few wide rows make slow blocks."""
    return cells if width < _WIDE else 2 * cells


def _dense_rows(n_queries, width, cells):
    height = max(1, _more_if_wide(width, cells) // width)
    for start in range(0, n_queries, height):
        yield _DenseRows(slice(start, min(start + height, n_queries)), width)


@dataclass(frozen=True)
class _DenseRows:
    """Rows of 2-D arrays."""

    rows: slice
    width: int

    def pack(self, grades, marks, scores=None):
        """Return the block, without its scores where none are given."""
        rows = self.rows
        return Block(
            np.arange(rows.start, rows.stop),
            _dense_grades(grades, rows, self.width),
            None if scores is None else self.scores(scores),
            np.zeros(rows.stop - rows.start, dtype=np.intp) + self.width,
            0,
            {name: mark[rows] for name, mark in marks.items()},
        )

    def scores(self, scores):
        """Return the scores of the block."""
        return _as_float(scores[self.rows])


def _dense_grades(grades, rows, width):
    if issparse(grades):
        return grades[rows].toarray().astype(np.float64)
    if grades.ndim == 1:  # class labels: one relevant column
        return (grades[rows, np.newaxis] == np.arange(width)).astype(np.float64)
    # In rows: NumPy adds up the columns of other layouts one by one, and so rounds.
    return grades[rows].astype(np.float64, order="C", copy=False)


def _ragged_rows(offsets, order, cells):
    """Pack queries by falling padding: sorted by length, cut into even blocks."""
    lengths = np.diff(offsets)
    by_length = np.argsort(lengths, kind="stable")
    rising = lengths[by_length]
    start = 0
    while start < len(rising):
        stop = _block_stop(rising, start, cells)
        queries = by_length[start:stop]
        yield _RaggedRows(queries, rising[start:stop], offsets[queries], order)
        start = stop


class _RaggedRows:
    """Stretches of flat arrays, padded to equal width.

    Parameters
    ----------
    queries, n_listed, starts : int array of shape (n_rows,)
        Which queries they are, how long they are, and where each begins.
    order : int array or None
        Where the documents are in other arrays, if not in their place.
    """

    def __init__(self, queries, n_listed, starts, order):
        self._queries, self._n_listed = queries, n_listed
        self._width = max(1, int(n_listed[-1]))
        self._stretches = starts, self._width, order

    @cached_property
    def _rows(self):
        rows = _Stretches(*self._stretches)
        del self._stretches  # or every pickled chunk would hold the whole order
        return rows

    def pack(self, grades, marks, scores=None):
        """Return the block, without its scores where none are given."""
        grades = self._rows.of(grades).astype(np.float64, copy=False)
        marks = {name: self._rows.of(mark) for name, mark in marks.items()}
        for mark in marks.values():
            self._fill_absent(mark, 0)
        return Block(
            self._queries,
            self._fill_absent(grades, np.nan),
            None if scores is None else self.scores(scores),
            self._n_listed,
            0,
            marks,
        )

    def scores(self, scores):
        """Return the scores of the block."""
        return self._fill_absent(_as_float(self._rows.of(scores)), -np.inf)

    def _fill_absent(self, values, number):
        """Put a number in the cells of `values` that hold no document."""
        shortest, width = self._n_listed[0], self._width
        if shortest < width:
            absent = np.arange(shortest, width) >= self._n_listed[:, np.newaxis]
            if values.ndim > 2:
                absent = absent[..., np.newaxis]
            np.copyto(values[:, shortest:], values.dtype.type(number), where=absent)
        return values


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


def _sparse_chunks(grades, scores, cells):
    """Blocks of CSR input: the union of the stored entries of chunks of rows."""
    stored = grades.indptr.astype(np.int64) + scores.indptr
    start = 0
    while start < grades.shape[0]:
        stop = int(np.searchsorted(stored, stored[start] + _SPARSE_CHUNK, "right")) - 1
        stop = min(max(stop, start + 1), grades.shape[0])
        yield partial(_sparse_blocks, grades, scores, start, stop, cells)
        start = stop


def _sparse_blocks(grades, scores, start, stop, cells):
    width = grades.shape[1]
    grades, scores, offsets = _union(grades, scores, start, stop)
    if not len(grades):  # every row is empty
        grades = scores = np.zeros(1)
    for rows in _ragged_rows(offsets, None, cells):
        block = rows.pack(grades, {}, scores)
        n_listed = block.n_documents
        yield replace(
            block,
            queries=block.queries + start,
            n_documents=np.full_like(n_listed, width),
            n_implicit=width - n_listed,
        )


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
    from scipy.sparse import csr_array

    marks = (
        np.full(last - first, mark, dtype=np.int8),
        matrix.indices[first:last],
        matrix.indptr[start : stop + 1] - first,
    )
    shape = stop - start, matrix.shape[1]
    return csr_array(marks, shape=shape), matrix.data[first:last]
