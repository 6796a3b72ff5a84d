"""Functions of arrays that formulas use, beside those of NumPy.

They take blocks of shape ``(n_queries, n_documents)`` and work along the second axis,
unless they say otherwise. Rankings are sorted, gathered and added up by tie group only
here and in `ordering`, except that the rank correlations sort grades and scores
themselves.
"""

import numpy as np

from sklearn_irmetrics._arrays.ordering import places_in_rows as _places

# Rows of at least this width are added up in pieces of so many terms.
_SUM_IN_PIECES_FROM, _SUMMED_IN_ONE = 1 << 14, 1 << 10


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
    out.ravel()[np.repeat(row_starts, counts) + _places(counts)] = values[mask]
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
