"""What measures do with arrays, for NumPy; `torch_arrays` is the twin for torch.

Kernels reach either through ``ranking.xp``. The functions defined here take blocks of
shape ``(n_queries, n_documents)`` and work along the second axis, unless they say
otherwise. Rankings are sorted, gathered and added up by tie group nowhere else; only
the rank correlations, which place grades too, sort by themselves.
"""

from typing import NamedTuple

import numpy as np

# What the twins share by name and meaning.
from numpy import (  # noqa: F401
    arange,
    argsort,
    argwhere,
    astype,
    average,
    bool,
    broadcast_to,
    ceil,
    clip,
    concatenate,
    cumprod,
    cumsum,
    empty,
    exp,
    exp2,
    expm1,
    flatnonzero,
    flip,
    float64,
    floor,
    fmax,
    full_like,
    int64,
    isfinite,
    isinf,
    isnan,
    isneginf,
    log,
    maximum,
    minimum,
    moveaxis,
    nonzero,
    ones,
    ones_like,
    repeat,
    round,
    searchsorted,
    sort,
    sqrt,
    stack,
    unique,
    where,
    zeros,
    zeros_like,
)

# Below this width a SIMD sort of whole rows is as fast as a selection (measured).
_SELECT_FROM_WIDTH = 512
# Rows from this width are added up in pieces, each of so many terms.
_SUM_IN_PIECES_FROM, _SUMMED_IN_ONE = 1 << 14, 1 << 10
# Columns are dealt to so many classes per wanted rank to find a threshold.
_CLASSES_PER_RANK = 48
# Of the 52 bits of a float, so many may hold a column while sorting.
_MOST_SPARED_BITS = 16


def asarray(values, dtype=None, *, like):
    """Return an array; `like` is a tensor where the twin for torch is called."""
    return np.asarray(values, dtype=dtype)


class Order(NamedTuple):
    """Rows in rank order.

    Attributes
    ----------
    columns : int array of shape (n_queries, depth)
        The column at each rank.
    equal : bool array of shape (n_queries, depth - 1)
        Whether each rank but the first ties with the one above it.
    retrieved : bool array of shape (n_queries, depth)
        Whether the score is above -inf.
    cut : int array
        The rows whose last rank ties with columns that found no rank.
    """

    columns: np.ndarray
    equal: np.ndarray
    retrieved: np.ndarray
    cut: np.ndarray


def order_by_score(scores, depth):
    """Order each row by falling score, down to `depth` ranks.

    Equal scores come in no particular order.

    Returns
    -------
    Order
    """
    width = scores.shape[1]
    columns, chosen, unseen = None, scores, scores[:, :0]
    if width >= _SELECT_FROM_WIDTH and depth * 4 <= width:
        columns, chosen, unseen = _candidates(scores, depth)
    # One rank more tells whether the last one ties with others.
    order, equal, retrieved = _sort_rows(chosen, min(depth + 1, chosen.shape[1]))
    cut = np.zeros(0, dtype=np.intp)
    if unseen.size:
        last = gather(chosen, order[:, depth - 1 : depth])
        reaching = np.count_nonzero(unseen >= last, axis=1)
        cut = np.flatnonzero((reaching > depth) & retrieved[:, depth - 1])
    elif depth < chosen.shape[1]:
        cut = np.flatnonzero(equal[:, depth - 1])
    order = order[:, :depth]
    if columns is not None:
        order = gather(columns, order)
    return Order(order, equal[:, : depth - 1], retrieved[:, :depth], cut)


def stable_order(scores):
    """Order whole rows; equal scores keep the order of the columns."""
    order = np.argsort(-scores, axis=1, kind="stable")
    return Order(*_compare_ranks(scores, order), np.zeros(0, dtype=np.intp))


def _sort_rows(scores, depth):
    """Return order, equal and retrieved of `Order`.

    Sorting integers is faster than finding the order of floats. So the columns travel
    in the low bits of integers that fall as the scores rise. The order then is that of
    the high bits of the scores; `_sort_buckets` brings in the low ones.
    """
    width = scores.shape[1]
    n_bits = 32 if scores.dtype == np.float32 else (width - 1).bit_length()
    if n_bits > _MOST_SPARED_BITS and scores.dtype != np.float32:
        return _compare_ranks(scores, _argsort(scores, depth))
    low = (1 << n_bits) - 1
    keys = _falling_integers(scores)
    keys &= ~low
    keys |= np.arange(width)
    keys.sort(axis=1)
    nothing = _NOTHING[scores.dtype.itemsize]
    equal = _share_high_bits(keys[:, : depth + 1], low, nothing)
    # Nothing was taken from scores whose low bits are 0, as those of float32 are.
    blurred = scores.dtype == np.float64 and equal.any() and _has_bits(scores, low)
    reach = depth
    if blurred and depth < width:
        # Which scores of the bucket at the cut come first, only all of it can tell.
        last = keys[:, depth - 1] | low
        last[last > nothing] = keys[:, 0].min()  # -inf is alone in its bucket
        while reach < width and (keys[:, reach] <= last).any():
            reach = min(2 * reach, width)
        equal = _share_high_bits(keys[:, :reach], low, nothing)
    keys, equal = keys[:, :reach], equal[:, : reach - 1]
    order = keys & low
    if blurred:
        _sort_buckets(scores, order, equal, n_bits)
    return order[:, :depth], equal[:, : depth - 1], keys[:, :depth] < nothing


def _share_high_bits(keys, low, nothing):
    """Whether each rank but the first has a score like that of the rank above."""
    alike = (keys[:, 1:] ^ keys[:, :-1]).view(np.uint64) <= low
    alike &= keys[:, 1:] < nothing
    return alike


def _has_bits(scores, low):
    return bool(np.bitwise_or.reduce(scores.view(np.int64), axis=None) & low)


def _sort_buckets(scores, order, equal, n_bits):
    """Sort, in place, columns whose scores are equal but for their last bits.

    `equal` tells which ranks share the high bits with the rank above, and in the end
    which share the score.
    """
    by_rank = gather(scores, order)
    differ = by_rank[:, 1:] != by_rank[:, :-1]
    rows = np.flatnonzero((differ & equal).any(axis=1))
    if not len(rows):
        return
    low = (1 << n_bits) - 1
    # A bucket, the low bits and a column each fit in n_bits: no key is above 2^48.
    keys = np.zeros((len(rows), order.shape[1]), dtype=np.int64)
    np.cumsum(~equal[rows], axis=1, out=keys[:, 1:])
    keys <<= n_bits
    keys |= _falling_integers(by_rank[rows]) & low
    keys <<= n_bits
    keys |= order[rows]
    keys.sort(axis=1)
    order[rows] = keys & low
    equal[rows] = (keys[:, 1:] ^ keys[:, :-1]) <= low


def _argsort(scores, depth):
    return np.argsort(scores, axis=1)[:, ::-1][:, :depth]


# What `_falling_integers` makes of -inf, by the size of a score.
_NOTHING = {4: 0x7F800000 << 32, 8: 0x7FF00000 << 32}


def _falling_integers(scores):
    """Return int64 that fall as the scores rise, equal for equal scores."""
    negated = scores.dtype.type(0) - scores  # 0.0 for both zeros
    if scores.dtype == np.float32:
        bits = negated.view(np.int32).astype(np.int64) << 32
    else:
        bits = negated.view(np.int64)
    sign = bits >> 63
    sign &= np.iinfo(np.int64).max
    bits ^= sign
    return bits


def _compare_ranks(scores, order):
    by_rank = gather(scores, order)
    retrieved = by_rank > -np.inf
    equal = (by_rank[:, 1:] == by_rank[:, :-1]) & retrieved[:, 1:]
    return order, equal, retrieved


def _candidates(scores, depth):
    """Return columns that hold the `depth` best scores, and their scores.

    All columns that tie with them are there too, unless they are very many: then the
    third value is the whole block, otherwise nothing.
    """
    height, width = scores.shape
    # The threshold is a score, compared bit for bit: what ties with it is kept.
    threshold = _reached_by(scores, depth)
    rows, columns = np.divmod(np.flatnonzero(scores >= threshold), width)
    counts = np.bincount(rows, minlength=height)
    if (longest := int(counts.max())) * 8 > width:
        columns = np.argpartition(scores, width - depth, axis=1)[:, width - depth :]
        return columns, gather(scores, columns), scores
    places = _places(counts)
    candidates = np.zeros((height, longest), dtype=np.intp)
    candidates[rows, places] = columns
    chosen = np.full((height, longest), -np.inf, dtype=scores.dtype)
    chosen[rows, places] = scores[rows, columns]
    return candidates, chosen, scores[:, :0]


def _reached_by(values, depth, lowest=-np.inf):
    """Return a column of values that at least `depth` in each row reach, and few more.

    Or `lowest`, where that is more; NaN reaches nothing. The columns are dealt to
    classes: `depth` of them reach the depth-th largest class maximum, fewer exceed it.
    """
    height, width = values.shape
    n_classes = min(width // 2, _CLASSES_PER_RANK * depth)
    even = width - width % n_classes
    classes = values[:, :even].reshape(height, -1, n_classes)
    best = np.fmax.reduce(classes, axis=1, initial=lowest)
    if even < width:
        rest = best[:, : width - even]
        np.fmax(rest, values[:, even:], out=rest)
    last = n_classes - depth
    return np.partition(best, last, axis=1)[:, last : last + 1]


def _places(counts):
    """Return the places 0, 1, ... of so many cells in each row, row after row."""
    before = np.cumsum(counts) - counts
    return np.arange(counts.sum()) - np.repeat(before, counts)


def gather(values, order):
    """Return ``values[i, order[i, j]]``."""
    # Flat positions: np.take_along_axis takes more than twice as long.
    row_starts = np.arange(0, values.size, values.shape[1])
    return values.ravel().take(order + row_starts[:, np.newaxis], mode="clip")


def scatter(values, order):
    """Return the array that `gather` with `order` turns into `values`."""
    out = np.empty_like(values)
    np.put_along_axis(out, order, values, axis=1)
    return out


def top_positive(values, depth):
    """Return the `depth` largest positive values of each row, largest first.

    0 stands for those that are missing.
    """
    height, width = values.shape
    depth = min(depth, width)
    if depth * 4 > width or width < _SELECT_FROM_WIDTH:
        return np.sort(np.fmax(values, 0.0), axis=1)[:, ::-1][:, :depth]
    threshold = _reached_by(values, depth, lowest=0.0)
    rows, columns = np.divmod(np.flatnonzero(values > threshold), width)
    counts = np.bincount(rows, minlength=height)
    # At least `depth` values reach the threshold: what is not above it equals it.
    chosen = np.repeat(threshold, max(depth, counts.max()), axis=1)
    chosen[rows, _places(counts)] = values[rows, columns]
    return np.sort(chosen, axis=1)[:, ::-1][:, :depth]


def sort_within(groups, keys):
    """Return the order that sorts by `groups`, and by rising `keys` inside a group."""
    return np.lexsort((keys, groups), axis=1)


def running_sum(values):
    """Return the sum of each row up to and including each column, as float64."""
    if values.dtype == bool:  # exact, as integers of less than 2^31, and faster
        return np.cumsum(values, axis=1, dtype=np.int32).astype(np.float64)
    height, width = values.shape
    values = values.astype(np.float64, copy=False)
    if width < _SUM_IN_PIECES_FROM:
        return np.cumsum(values, axis=1)
    even = width - width % _SUMMED_IN_ONE
    # Rounding errors grow with the number of terms: long rows are added up in pieces.
    sums = np.empty((height, width))
    pieces = sums[:, :even].reshape(height, -1, _SUMMED_IN_ONE)
    np.cumsum(values[:, :even].reshape(pieces.shape), axis=2, out=pieces)
    np.cumsum(values[:, even:], axis=1, out=sums[:, even:])
    before = running_sum(pieces[:, :, -1])
    pieces[:, 1:] += before[:, :-1, np.newaxis]
    sums[:, even:] += before[:, -1:]
    return sums


def sum_before(values):
    """Return the sum of each row up to each column, without it, as float64."""
    return running_sum(values) - values


def row_sum(values):
    """Return the sum of each row, as float64 (a count where `values` is boolean)."""
    if values.dtype == bool:  # as in `running_sum`
        return values.sum(axis=1, dtype=np.int32).astype(np.float64)
    return values.sum(axis=1, dtype=np.float64)


def sum_runs(values, starts):
    """Return the sums of the runs of `values` that begin at `starts`, as float64."""
    return np.add.reduceat(values, starts, axis=0, dtype=np.float64)


def add_up(columns, values, width):
    """Add values up in the given columns of each row."""
    rows = np.arange(len(columns))[:, np.newaxis] * width
    cells = (rows + columns).ravel()
    sums = np.bincount(cells, weights=values.ravel(), minlength=len(columns) * width)
    return sums.reshape(-1, width)


def largest_from(values):
    """Return the largest value of each row from each column on."""
    return np.maximum.accumulate(values[:, ::-1], axis=1)[:, ::-1]


def running_max(values):
    """Return the largest value of each row up to and including each column."""
    return np.maximum.accumulate(values, axis=1)


def side_by_side(mask, values):
    """Return the values of each row where `mask` is True, without gaps; 0 behind."""
    counts = np.count_nonzero(mask, axis=1)
    out = np.zeros((len(mask), max(1, counts.max())))
    row_starts = np.arange(0, out.size, out.shape[1])
    out.ravel()[np.repeat(row_starts, counts) + _places(counts)] = values[mask]
    return out


def first_true(mask):
    """Return the first column of each row that is not zero, 0 for none."""
    return mask.astype(bool, copy=False).argmax(axis=1)


def keep_where(mask, values):
    """Return `values`, 0 where `mask` is False."""
    return np.where(mask, values, values.dtype.type(0))


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


def kind(values):
    """Return the letter of NumPy for the kind of numbers."""
    return values.dtype.kind


def value_range(values):
    """Return the least and the largest number that is not NaN, 0 and 0 for none."""
    if not values.size:
        return 0.0, 0.0
    low, high = values.min(), values.max()
    if np.isnan(low):
        low, high = np.fmin.reduce(values, None), np.fmax.reduce(values, None)
    return float(np.nan_to_num(low)), float(np.nan_to_num(high))


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
        before = np.cumsum(totals) - totals
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
