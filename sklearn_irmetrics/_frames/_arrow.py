"""PyArrow tables, streams and datasets, and Parquet files."""

from itertools import chain

import numpy as np

from sklearn_irmetrics._frames._measures import refuse_empty
from sklearn_irmetrics._frames._rows import Rows, check_columns, refuse_null_ids


def score_table(table, columns, measures, batch_size):
    """Return the values of all queries; rows may stand in any order."""
    check_columns(columns, table.schema.names)
    refuse_empty(table.num_rows)
    return measures.score(rows_of(table, columns))


def score_reader(reader, columns, measures, batch_size):
    """Return the values of all queries of a stream of record batches."""
    check_columns(columns, reader.schema.names)
    return _score_batches(reader, columns, measures, batch_size)


def score_stream(exporter, columns, measures, batch_size):
    """Return the values of all queries of what has ``__arrow_c_stream__``."""
    import pyarrow as pa

    try:
        reader = pa.RecordBatchReader.from_stream(exporter)
    except pa.ArrowInvalid as error:
        raise TypeError(
            f"frame must have columns; got {type(exporter).__qualname__}: {error}."
        ) from error
    return score_reader(reader, columns, measures, batch_size)


def score_path(path, columns, measures, batch_size):
    """Return the values of all queries of a Parquet file, or of a folder of them."""
    try:
        import pyarrow.dataset as ds
    except ImportError as error:
        raise ImportError(
            "score_frame needs pyarrow to read Parquet files: pip install pyarrow."
        ) from error
    try:
        dataset = ds.dataset(path, format="parquet", partitioning="hive")
    except (OSError, ValueError) as error:
        raise type(error)(
            f"frame must be the path of a Parquet file or folder of them: {error}"
        ) from error
    needed = check_columns(columns, dataset.schema.names)
    batches = chain.from_iterable(
        _read_file(fragment, dataset, needed, batch_size)
        for fragment in dataset.get_fragments()
    )
    return _score_batches(batches, columns, measures, batch_size)


def score_dataset(dataset, columns, measures, batch_size):
    """Return the values of all queries of a dataset, read in batches."""
    needed = check_columns(columns, dataset.schema.names)
    batches = _scan(dataset, dataset, needed, batch_size)
    return _score_batches(batches, columns, measures, batch_size)


_BUFFER = 1 << 18


def _scan(scanned, dataset, needed, batch_size):
    """Return batches of a dataset, or of a fragment of it, not read far ahead."""
    import pyarrow.dataset as ds

    # With threads, a scanner outruns who takes its batches, and keeps them all.
    options = {"use_threads": False, "batch_readahead": 1, "fragment_readahead": 1}
    if isinstance(getattr(dataset, "format", None), ds.ParquetFileFormat):
        options["fragment_scan_options"] = ds.ParquetFragmentScanOptions(
            use_buffered_stream=True, pre_buffer=False
        )
    if scanned is not dataset:
        options["schema"] = dataset.schema
    return scanned.to_batches(columns=needed, batch_size=batch_size, **options)


def _read_file(fragment, dataset, needed, batch_size):
    """Yield batches of a Parquet file, read page by page whatever its row groups."""
    import pyarrow.parquet as pq

    if not set(needed) <= set(fragment.physical_schema.names):  # in names of folders
        yield from _scan(fragment, dataset, needed, batch_size)
        return
    with fragment.open() as source:
        file = pq.ParquetFile(source, buffer_size=_BUFFER, pre_buffer=False)
        yield from file.iter_batches(batch_size, columns=needed)


def rows_of(data, columns):
    """Return all rows of a table or record batch that is not empty."""
    taken = {name: _whole(data.column(column)) for name, column in columns.items()}
    ids, lengths = _ids(columns["qid"], taken.pop("qid"))
    return Rows(ids, lengths, **{name: to_numpy(taken[name]) for name in taken})


def to_numpy(array):
    """Return an array with null as NaN or None."""
    return array.to_numpy(zero_copy_only=False)


def _score_batches(batches, columns, measures, batch_size):
    rows = (rows_of(batch, columns) for batch in batches if batch.num_rows)
    return measures.score_batches(rows, columns, batch_size)


def _whole(column):
    """Return a column as one array, of a type that `take` knows."""
    import pyarrow as pa

    if hasattr(column, "combine_chunks"):
        column = column.combine_chunks()
    wide = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    return column.cast(wide[column.type]) if column.type in wide else column


def _ids(name, column):
    """Return numbers as they are, ids of other kinds run by run."""
    import pyarrow as pa
    import pyarrow.compute as pc

    refuse_null_ids(name, column.null_count)
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return to_numpy(column), None
    changes = pc.not_equal(column.slice(1), column.slice(0, len(column) - 1))
    starts = np.concatenate(([0], np.flatnonzero(to_numpy(changes)) + 1))
    ids = column.take(pa.array(starts))
    if pa.types.is_dictionary(ids.type):
        ids = ids.dictionary_decode()
    return to_numpy(ids), np.diff(starts, append=len(column))
