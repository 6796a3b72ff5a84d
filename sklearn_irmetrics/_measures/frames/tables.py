"""Tables of pandas and Polars, as Arrow arrays."""

from sklearn_irmetrics._measures.frames.arrow import (
    rows_of,
    score_batches,
    score_table,
)
from sklearn_irmetrics._measures.frames.rows import check_columns, refuse_type
from sklearn_irmetrics._measures.frames.scored import refuse_empty


def score_pandas(frame, columns, measures, batch_size):
    """Return the values of all queries; rows may stand in any order."""
    check_columns(columns, frame.columns)
    refuse_empty(len(frame))
    return measures.score(rows_of(arrays_of(frame, columns), columns))


def score_polars(frame, columns, measures, batch_size):
    """Return the values of all queries; rows may stand in any order."""
    check_columns(columns, frame.columns)
    return score_table(_as_arrow(frame, columns), columns, measures, batch_size)


def score_lazy(frame, columns, measures, batch_size):
    """Return the values of all queries of a LazyFrame, collected in batches."""
    needed = check_columns(columns, frame.collect_schema().names())
    frames = frame.select(needed).collect_batches(
        chunk_size=batch_size, maintain_order=True
    )
    batches = (_as_arrow(frame, columns) for frame in frames)
    return score_batches(batches, columns, measures, batch_size)


def arrays_of(frame, columns):
    """Return columns of a pandas DataFrame as Arrow arrays, by parameter."""
    import pyarrow as pa

    arrays = {}
    for parameter, name in columns.items():
        column = frame[name]
        try:
            arrays[parameter] = pa.array(column, from_pandas=column.dtype == object)
        except (pa.ArrowException, ValueError, OverflowError) as error:
            found = f"{column.dtype}, which Arrow cannot hold ({error})"
            refuse_type(parameter, name, found)
    return arrays


def _as_arrow(frame, columns):
    """Return columns of a Polars DataFrame as an Arrow table."""
    import polars as pl
    import pyarrow as pa

    arrays = {}
    for parameter, name in columns.items():
        column = frame.get_column(name)
        try:
            arrays[name] = column.to_arrow()
        except pa.ArrowInvalid:
            refuse_type(parameter, name, f"{column.dtype}, which Arrow cannot hold")
        if column.dtype == pl.Object:  # of which Arrow gets addresses
            refuse_type(parameter, name, column.dtype)
    return pa.table(arrays)
