"""Pack ragged queries into dense padded blocks of queries of similar length."""

from bisect import bisect_right
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from sklearn_irmetrics._arrays.rows import put_where


@dataclass(frozen=True)
class Block:
    """Some queries as rows of equal width.

    Attributes
    ----------
    queries : int array of shape (n_queries,)
        Which queries the rows are.
    grades : float64 array of shape (n_queries, width)
        NaN where a document is unjudged, or where there is no document.
    scores : float32 or float64 array of shape (n_queries, width)
        -inf where a document was not retrieved, or where there is none.
    n_documents : int array of shape (n_queries,)
        Number of documents of each query, including implicit ones.
    n_implicit : int array of shape (n_queries,) or int
        Number of implicit documents (sparse input): not retrieved, of grade 0, and
        without a column.
    marks : dict of str to array of shape (n_queries, width) or (..., n_subtopics)
        Facts about documents.
    cache : dict
        Results that depend on grades only, for reuse; see `Unranked`.
    cache_of_judged : dict
        The same for the block without its unjudged documents.
    """

    queries: np.ndarray
    grades: np.ndarray
    scores: np.ndarray
    n_documents: np.ndarray
    n_implicit: object
    marks: dict
    cache: dict = field(default_factory=dict)
    cache_of_judged: dict = field(default_factory=dict)

    @property
    def has_implicit(self):
        """Whether there may be documents without a column."""
        return not isinstance(self.n_implicit, int)

    def condensed(self):
        """Return the block without its unjudged documents."""
        judged = ~np.isnan(self.grades)
        return replace(
            self,
            scores=np.where(judged, self.scores, -np.inf),
            n_documents=judged.sum(axis=1) + self.n_implicit,
            cache=self.cache_of_judged,
        )


BLOCK_CELLS = 1 << 16  # fits the second-level cache with its sorting keys
# Blocks reuse the memory of earlier ones: several are faster even for few documents.
_LEAST_CELLS = 1 << 14
_BLOCKS_OF_FEW = 8
# Threads take turns between array operations, so fewer and longer ones cost less.
_BLOCKS_PER_CHUNK_OF_THREADS = 4
_SPARSE_CHUNK = 1 << 17
_WIDE = 1 << 12


def iter_blocks(batch):
    """Yield the blocks of a batch."""
    for chunk in iter_chunks(batch):
        yield from chunk.blocks(batch)


def are_few(batch):
    """Whether starting threads would take longer than they save."""
    return batch.scores.size <= BLOCK_CELLS


def iter_chunks(batch, *, few_ranks=False, in_threads=False):
    """Return chunks of a batch, which threads may take in any order.

    Each has a method `blocks`, which takes the batch and returns its blocks.

    Parameters
    ----------
    batch : RankingBatch
    few_ranks, in_threads : bool
        Whether all blocks will be cut at a rank, and whether threads share them: in
        both cases, larger blocks are faster.
    """
    if batch.packed is not None:
        return batch.packed
    cells = batch.scores.size // _BLOCKS_OF_FEW  # of CSR, those that it stores
    cells = min(BLOCK_CELLS, max(_LEAST_CELLS, cells))  # fewer for few documents
    if in_threads:
        cells *= _BLOCKS_PER_CHUNK_OF_THREADS
    elif few_ranks:
        cells = BLOCK_CELLS
    if batch.sparse:
        return _sparse_chunks(batch.grades, batch.scores, cells)
    if batch.offsets is not None:
        return _ragged_chunks(batch.offsets, batch.order, cells)
    n_queries, width = batch.scores.shape
    if width >= _WIDE:
        cells *= 2  # few wide rows make slow blocks
    height = max(1, cells // width)
    starts = range(0, n_queries, height)
    return [_DenseRows(slice(s, min(s + height, n_queries)), width) for s in starts]


@dataclass(frozen=True)
class Packed:
    """A block that still lacks its scores.

    Attributes
    ----------
    rows : object
        Which documents are in the block.
    block : Block
        The block without scores.
    """

    rows: object
    block: Block

    def blocks(self, batch):
        """Return the block with its part of the scores of all documents."""
        scores = self.rows.scores(batch.scores)
        return [replace(self.block, scores=scores)]


def pack(batch):
    """Return the blocks of a dense batch without their scores."""
    documents = batch.grades, batch.marks
    return [Packed(rows, rows.pack(*documents)) for rows in iter_chunks(batch)]


class _BlockRows:
    """Documents that make one block."""

    def blocks(self, batch):
        """Return the block of these rows."""
        return [self.pack(batch.grades, batch.marks, batch.scores)]


def _float_rows(values):
    """Return `values` as float64, row after row in memory."""
    # In other layouts, NumPy adds up columns one by one, which rounds more.
    return values.astype(np.float64, order="C", copy=False)


def _as_float(values):
    """Return floats that hold `values` exactly and can hold -inf."""
    if values.dtype in (np.float32, np.float64):
        return values
    return values.astype(np.float32 if values.dtype.itemsize < 4 else np.float64)


@dataclass(frozen=True)
class _DenseRows(_BlockRows):
    """Rows of 2-D arrays."""

    rows: slice
    width: int

    def pack(self, grades, marks, scores=None):
        """Return the block, without its scores where none are given."""
        rows = self.rows
        grades = grades[rows]
        if not isinstance(grades, np.ndarray):
            grades = grades.toarray()
        queries = np.arange(rows.start, rows.stop)
        return Block(
            queries,
            _float_rows(grades),
            None if scores is None else self.scores(scores),
            queries * 0 + self.width,
            0,
            {name: mark[rows] for name, mark in marks.items()},
        )

    def scores(self, scores):
        """Return the scores of the block."""
        return _as_float(scores[self.rows])


def _ragged_chunks(offsets, order, cells):
    """Yield chunks of queries of similar length: sort by length, and cut."""
    lengths = offsets[1:] - offsets[:-1]
    by_length = np.argsort(lengths, stable=True)
    rising = lengths[by_length]
    start = 0
    while start < len(rising):
        # Lengths rise, and with them the cells of a block the later it stops.
        n_fitting = bisect_right(
            range(start + 1, len(rising) + 1),
            cells,
            key=lambda stop, start=start: (stop - start) * int(rising[stop - 1]),
        )
        stop = start + max(1, n_fitting)
        queries = by_length[start:stop]
        yield _RaggedRows(queries, rising[start:stop], offsets[queries], order)
        start = stop


class _RaggedRows(_BlockRows):
    """Slices of flat arrays, padded to equal width.

    Parameters
    ----------
    queries, n_listed, starts : int array of shape (n_rows,)
        Which queries they are, how long they are, and where each begins.
    order : int array or None
        The positions of the documents in the flat arrays; None: their own order.
    """

    def __init__(self, queries, n_listed, starts, order):
        self._queries, self._n_listed, self._starts = queries, n_listed, starts
        self._width = max(1, int(n_listed[-1]))
        self._order, self._cells = order, None

    def pack(self, grades, marks, scores=None):
        """Return the block, without its scores where none are given."""
        grades = self._fill(_float_rows(self._take(grades)), np.nan)
        scores = None if scores is None else self.scores(scores)
        marks = {name: self._fill(self._take(mark), 0) for name, mark in marks.items()}
        return Block(self._queries, grades, scores, self._n_listed, 0, marks)

    def scores(self, scores):
        """Return the scores of the block."""
        return self._fill(_as_float(self._take(scores)), -np.inf)

    def _take(self, values):
        """Return the rows of a flat array; cells beyond their ends are arbitrary."""
        if self._order is not None:
            self._cells = self._stretches(self._order)
            self._order = None  # otherwise every pickled chunk would hold all of it
        if self._cells is not None:
            return values.take(self._cells, axis=0)
        if values.ndim == 1:
            return self._stretches(values)
        rows = np.arange(len(values))
        return values.take(self._stretches(rows), axis=0)

    def _stretches(self, values):
        # Copying whole slices is several times as fast as copying cells.
        windows = sliding_window_view(values, min(self._width, len(values)))
        rows = windows[np.minimum(self._starts, len(windows) - 1)]
        for i in np.flatnonzero(self._starts >= len(windows)):
            rest = values[self._starts[i] :]
            rows[i, : len(rest)] = rest
        return rows

    def _fill(self, values, number):
        """Put a number in the cells of `values` that hold no document."""
        shortest = int(self._n_listed[0])
        if shortest < self._width:
            columns = np.arange(shortest, self._width)
            absent = columns >= self._n_listed[:, np.newaxis]
            put_where(values[:, shortest:], absent, number)
        return values


def _sparse_chunks(grades, scores, cells):
    """Yield slices of the rows of CSR input, with similar numbers of stored entries."""
    stored = grades.indptr.astype(np.int64) + scores.indptr
    start = 0
    while start < grades.shape[0]:
        stop = int(np.searchsorted(stored, stored[start] + _SPARSE_CHUNK, "right")) - 1
        stop = min(max(stop, start + 1), grades.shape[0])
        yield _SparseRows(start, stop, cells)
        start = stop


@dataclass(frozen=True)
class _SparseRows:
    """Rows of CSR input, as lists of the entries that either matrix stores."""

    start: int
    stop: int
    cells: int

    def blocks(self, batch):
        """Yield blocks, each of which reuses the memory of the one before."""
        width = batch.grades.shape[1]
        grades, scores, offsets = _union(
            batch.grades, batch.scores, self.start, self.stop
        )
        if not len(grades):  # every row is empty
            grades = scores = np.zeros(1)
        for rows in _ragged_chunks(offsets, None, self.cells):
            block = rows.pack(grades, {}, scores)
            listed = block.n_documents
            n_documents = np.full_like(listed, width)
            facts = {"n_documents": n_documents, "n_implicit": width - listed}
            yield replace(block, queries=block.queries + self.start, **facts)


def _union(grades, scores, start, stop):
    """Return grades, scores and offsets of the cells that either stores, in some rows.

    A sum of marks, which SciPy computes in linear time, tells which matrix stores which
    cell.
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
    """Return CSR rows with a mark in every stored cell, and the values stored."""
    first, last = matrix.indptr[start], matrix.indptr[stop]
    from scipy.sparse import csr_array

    marks = (
        np.full(last - first, mark, dtype=np.int8),
        matrix.indices[first:last],
        matrix.indptr[start : stop + 1] - first,
    )
    shape = stop - start, matrix.shape[1]
    return csr_array(marks, shape=shape), matrix.data[first:last]
