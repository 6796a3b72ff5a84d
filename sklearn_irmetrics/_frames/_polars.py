"""Polars DataFrames and LazyFrames."""

import numpy as np

from sklearn_irmetrics._frames._measures import refuse_empty
from sklearn_irmetrics._frames._rows import Rows, check_columns, refuse_null_ids


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
    return Rows(ids, lengths, **{name: taken[name].to_numpy() for name in taken})


def _ids(column):
    """Return numbers as they are, ids of other kinds run by run."""
    refuse_null_ids(column.name, column.null_count())
    if column.dtype.is_integer() or column.dtype.is_float():
        return column.to_numpy(), None
    starts = (column != column.shift()).fill_null(True).arg_true().to_numpy()
    return column.gather(starts).to_numpy(), np.diff(starts, append=len(column))
