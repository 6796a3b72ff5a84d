"""Sort, gather and add up the rows of blocks.

The functions take blocks of shape ``(n_queries, n_documents)`` and work along the
second axis, unless they say otherwise. Rankings are sorted, gathered and added up by
tie group only here, except that the rank correlations sort grades and scores
themselves.
"""

from typing import NamedTuple

import numpy as np

# Below this width a SIMD sort of whole rows is as fast as a selection (measured).
_SELECT_FROM_WIDTH = 512
_FEW_CELLS = 256
# To find a threshold, columns are dealt to so many classes per wanted rank.
_CLASSES_PER_RANK = 48
# While sorting, up to so many of the 52 bits of a float hold the column.
_MOST_SPARED_BITS = 16
# Rows of at least this width are added up in pieces of so many terms.
_SUM_IN_PIECES_FROM, _SUMMED_IN_ONE = 1 << 14, 1 << 10


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
        The rows whose last rank ties with columns that got no rank.
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
    # One more rank shows whether the last one ties with others.
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

    Sorting integers is faster than an argsort of floats, so columns are put into the
    low bits of integers that fall as the scores rise. The resulting order is that of
    the high bits of the scores; `_sort_buckets` adds the low ones.
    """
    width = scores.shape[1]
    if scores.size <= _FEW_CELLS:  # calls take longer than the sort
        order = (-scores).argsort(axis=1, kind="stable")
        return _compare_ranks(scores, order[:, :depth])
    n_bits = 32 if scores.dtype == np.float32 else (width - 1).bit_length()
    if n_bits > _MOST_SPARED_BITS and scores.dtype != np.float32:
        order = np.argsort(scores, axis=1)[:, ::-1]
        return _compare_ranks(scores, order[:, :depth])
    low = (1 << n_bits) - 1
    keys = _falling_integers(scores)
    keys &= ~low
    keys |= np.arange(width)
    keys.sort(axis=1)
    nothing = _NOTHING[scores.dtype.itemsize]
    equal = _share_high_bits(keys[:, : depth + 1], low, nothing)
    # Scores whose low bits are 0, such as float32 ones, lost nothing.
    blurred = (
        scores.dtype == np.float64
        and equal.any()
        and bool(np.bitwise_or.reduce(scores.view(np.int64), axis=None) & low)
    )
    reach = depth
    if blurred and depth < width:
        # Only the whole bucket at the cut shows which of its scores come first.
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
    """Whether each rank but the first shares the high bits with the rank above."""
    alike = (keys[:, 1:] ^ keys[:, :-1]).view(np.uint64) <= low
    alike &= keys[:, 1:] < nothing
    return alike


def _sort_buckets(scores, order, equal, n_bits):
    """Sort, in place, columns whose scores differ only in their last bits.

    At first, `equal` tells which ranks share the high bits with the rank above; in the
    end, which share the score.
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


# The result of `_falling_integers` for -inf, by the bytes of a score.
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

    All columns that tie with them are included, unless there are very many: the third
    value is then the whole block, otherwise it is empty.
    """
    height, width = scores.shape
    # The threshold is a score, compared bit for bit, so all ties with it are kept.
    threshold = _reached_by(scores, depth)
    rows, columns = np.divmod(np.flatnonzero(scores >= threshold), width)
    counts = np.bincount(rows, minlength=height)
    if (longest := int(counts.max())) * 8 > width:
        columns = np.argpartition(scores, width - depth, axis=1)[:, width - depth :]
        return columns, gather(scores, columns), scores
    places = places_in_rows(counts)
    candidates = np.zeros((height, longest), dtype=np.intp)
    candidates[rows, places] = columns
    chosen = np.full((height, longest), -np.inf, dtype=scores.dtype)
    chosen[rows, places] = scores[rows, columns]
    return candidates, chosen, scores[:, :0]


def _reached_by(values, depth, lowest=-np.inf):
    """Return a threshold per row that at least `depth` values reach, but few more.

    It is at least `lowest`; NaN does not reach it. The columns are dealt to classes:
    the maxima of `depth` classes reach the depth-th largest one, and fewer exceed it.
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


def places_in_rows(counts):
    """Return the places 0, 1, ... of `counts` cells per row, row after row."""
    before = np.cumsum(counts) - counts
    return np.arange(counts.sum()) - np.repeat(before, counts)


def gather(values, order):
    """Return ``values[i, order[i, j]]``."""
    if values.ndim == 3:
        return np.take_along_axis(values, order[:, :, np.newaxis], axis=1)
    if len(values) == 1:
        return values.take(order, mode="clip")
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

    If there are fewer, the rest is 0.
    """
    height, width = values.shape
    depth = min(depth, width)
    if depth * 4 > width or width < _SELECT_FROM_WIDTH:
        positive = np.fmax(values, 0.0)
        positive.sort(axis=1)
        return positive[:, ::-1][:, :depth]
    threshold = _reached_by(values, depth, lowest=0.0)
    rows, columns = np.divmod(np.flatnonzero(values > threshold), width)
    counts = np.bincount(rows, minlength=height)
    # At least `depth` values reach the threshold, so those not above it equal it.
    chosen = np.repeat(threshold, max(depth, counts.max()), axis=1)
    chosen[rows, places_in_rows(counts)] = values[rows, columns]
    return np.sort(chosen, axis=1)[:, ::-1][:, :depth]


def put_where(values, mask, number):
    """Put a number where `mask` is True, in place and for all of a third axis."""
    mask = mask if values.ndim == 2 else mask[..., np.newaxis]
    np.copyto(values, values.dtype.type(number), where=mask)


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
    """Return the sum of each row before each column, as float64."""
    return running_sum(values) - values


def row_sum(values):
    """Return the sum of each row, as float64 (a count where `values` is boolean)."""
    if values.dtype == bool:  # as in `running_sum`
        return np.add.reduce(values, axis=1, dtype=np.int32).astype(np.float64)
    return np.add.reduce(values, axis=1, dtype=np.float64)


def sum_runs(values, starts):
    """Return the sums of the runs of `values` that begin at `starts`, as float64."""
    if values.dtype != bool:
        return np.add.reduceat(values, starts, dtype=np.float64)
    # Differences of a running count: reduceat of booleans takes longer.
    before = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values.view(np.int8), dtype=np.int64, out=before[1:])
    at_ends = before.take(np.append(starts, len(values)))
    return np.diff(at_ends).astype(np.float64)


def add_up(columns, values, width):
    """Add up values by column, in each row."""
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
    """Return the values of each row where `mask` is True, without gaps, then 0."""
    counts = np.count_nonzero(mask, axis=1)
    out = np.zeros((len(mask), int(counts.max()) or 1))
    row_starts = np.arange(0, out.size, out.shape[1])
    out.ravel()[np.repeat(row_starts, counts) + places_in_rows(counts)] = values[mask]
    return out


def first_true(mask):
    """Return the first non-zero column of each row, or 0 if there is none."""
    return mask.astype(bool, copy=False).argmax(axis=1)


def keep_where(mask, values):
    """Return `values`, 0 where `mask` is False."""
    return np.where(mask, values, values.dtype.type(0))


def divide(numerator, denominator):
    """Divide, with NaN where the denominator is 0."""
    return numerator / np.where(denominator == 0, np.nan, denominator)


def divide_or_zero(numerator, denominator):
    """Divide, with 0 where the denominator is 0."""
    out = np.zeros(np.broadcast(numerator, denominator).shape)
    return np.divide(numerator, denominator, out=out, where=denominator != 0)


def value_range(values):
    """Return the smallest and the largest number, ignoring NaN; 0 and 0 if none."""
    if not values.size:
        return 0.0, 0.0
    low, high = float(values.min()), float(values.max())
    if low != low:
        low, high = (float(f.reduce(values, None)) for f in (np.fmin, np.fmax))
    return (low, high) if low == low else (0.0, 0.0)
