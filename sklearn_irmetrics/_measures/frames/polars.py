"""Polars DataFrames and LazyFrames."""

import numpy as np

from sklearn_irmetrics._measures.frames.rows import (
    Rows,
    check_columns,
    refuse_null_ids,
    refuse_type,
)
from sklearn_irmetrics._measures.frames.scored import refuse_empty


def score_polars(frame, columns, measures, batch_size):
    """Return the values of all queries; rows may stand in any order."""
    check_columns(columns, frame.columns)
    refuse_empty(len(frame))
    return measures.score(_rows_of(frame, columns))


def score_lazy(frame, columns, measures, batch_size):
    """Return the values of all queries of a LazyFrame, collected in batches."""
    needed = check_columns(columns, frame.collect_schema().names())
    frames = frame.select(needed).collect_batches(
        chunk_size=batch_size, maintain_order=True
    )
    batches = (_rows_of(frame, columns) for frame in frames if len(frame))
    return measures.score_batches(batches, columns, batch_size)


def _rows_of(frame, columns):
    taken = {name: frame.get_column(column) for name, column in columns.items()}
    ids, lengths = _ids(taken.pop("qid"))
    return Rows(ids, lengths, **{p: _numbers(p, taken[p]) for p in taken})


def _ids(column):
    """Return numbers as they are, ids of other kinds run by run."""
    import polars as pl

    refuse_null_ids(column.name, column.null_count())
    if column.dtype.is_integer() or column.dtype.is_float():
        return _to_numpy(column), None
    text = pl.String, pl.Categorical, pl.Enum, pl.Binary
    others = pl.Boolean, pl.Decimal, pl.Date, pl.Datetime, pl.Duration
    if column.dtype not in (*text, *others):
        refuse_type("qid", column.name, column.dtype)
    starts = (column != column.shift()).fill_null(True).arg_true().to_numpy()
    return _to_numpy(column.gather(starts)), np.diff(starts, append=len(column))


def _numbers(parameter, column):
    """Return exact numbers, null as NaN."""
    import polars as pl

    dtype = column.dtype
    is_whole = dtype.is_integer() or dtype == pl.Boolean
    if not (is_whole or dtype.is_float() or dtype in (pl.Decimal, pl.Null)):
        refuse_type(parameter, column.name, dtype)
    if is_whole and column.null_count():
        floats = column.cast(pl.Float64)
        if not (floats.abs() >= 2**53).any():  # else it may be another number
            column = floats
    return _to_numpy(column)


def _to_numpy(column):
    """Return an array of the same values, null as NaN."""
    import polars as pl

    dtype = column.dtype
    is_wide = str(dtype) in ("Int128", "UInt128") or dtype == pl.Decimal
    if is_wide or (dtype.is_integer() and column.null_count()):
        values = [np.nan if value is None else value for value in column.to_list()]
        return np.array(values, dtype=object)
    return column.to_numpy()
