"""Tables in memory, as Arrow arrays, and iterators of batches."""

from sklearn_irmetrics.frames.arrow import kind_of, pick, rows_of
from sklearn_irmetrics.frames.rows import check_columns, refuse_other_kind, refuse_type
from sklearn_irmetrics.frames.scored import refuse_empty


def score_table(frame, columns, measures, batch_size):
    """Return the values of all queries; rows may stand in any order."""
    arrays = arrays_of(frame, columns)
    refuse_empty(len(frame))
    return measures.reduce(rows_of(arrays, columns))


def score_lazy(frame, columns, measures, batch_size):
    """Return the values of all queries of a LazyFrame, collected in batches."""
    needed = check_columns(columns, frame.collect_schema().names())
    frames = frame.select(needed).collect_batches(
        chunk_size=batch_size, maintain_order=True
    )
    rows = (rows_of(arrays_of(part, columns), columns) for part in frames if len(part))
    return measures.score_batches(rows, columns, batch_size)


def score_generator(batches, columns, measures, batch_size):
    """Return what is kept of all queries of batches that hold whole queries each."""
    return measures.score_whole(
        _rows_of_each(batches, columns),
        "qid must have each query in one batch of an iterator; {!r} is in two. Batches "
        "must end where a query ends.",
    )


def _rows_of_each(batches, columns):
    first = None
    for number, batch in enumerate(batches):
        if not hasattr(batch, "columns"):
            raise TypeError(
                "frame must yield DataFrames of pandas or Polars, Tables or "
                f"RecordBatches; got a {type(batch).__name__}."
            )
        arrays = arrays_of(batch, columns)
        if len(batch):
            type_ = arrays["qid"].type
            place = kind_of(type_), type_, f"batch {number}"
            first = first or place
            refuse_other_kind(columns["qid"], first, place)
            yield rows_of(arrays, columns)


def arrays_of(frame, columns):
    """Return columns of a table in memory as Arrow arrays, by parameter."""
    import pyarrow as pa

    is_arrow = hasattr(frame, "num_rows")
    check_columns(columns, frame.schema.names if is_arrow else frame.columns)
    if is_arrow:
        return pick(frame, columns)
    arrays = {}
    for parameter, name in columns.items():
        column = frame[name]
        try:
            if hasattr(column, "to_arrow"):
                arrays[parameter] = column.to_arrow()
            else:
                of_objects = column.dtype == object
                array = pa.array(column, from_pandas=of_objects)
                # Arrow takes text for bytes, and times for dates.
                is_rare = of_objects and kind_of(array.type) in ("bytes", "dates")
                if is_rare and array.drop_null().to_pylist() != [*column.dropna()]:
                    raise ValueError("it holds several types")
                arrays[parameter] = array
        except (pa.ArrowException, ValueError, OverflowError) as error:
            found = f"{column.dtype}, which Arrow cannot hold ({error})"
            refuse_type(parameter, name, found)
        if str(column.dtype) == "Object":  # of Polars: Arrow gets addresses
            refuse_type(parameter, name, column.dtype)
    return arrays
