"""Read and score tables in memory, streams, datasets and Parquet files, in pieces."""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress

from sklearn_irmetrics.frames.arrow import kind_of, pick, rows_of
from sklearn_irmetrics.frames.measures import refuse_empty
from sklearn_irmetrics.frames.rows import (
    check_columns,
    refuse_other_kind,
    refuse_type,
    whole_queries,
)
from sklearn_irmetrics.reports.query_scores import concatenate, repeated_id
from sklearn_irmetrics.streaming.state import State

_BUFFER = 1 << 18
_IN_ONE_BATCH = (
    "qid must have each query in one batch of an iterator; {!r} is in two. Batches "
    "must end where a query ends."
)


def collect_scores(frame, columns, measures, batch_size):
    """Return the `Scored` of all queries, in order of first appearance."""
    pieces, repeated = _read_pieces(frame, columns, batch_size)
    parts, n_queries, n_checked = [], 0, 0
    for _, scored in _score_pieces(pieces, measures):
        parts.append(scored)
        n_queries += len(scored.query_ids)
        if n_queries >= 2 * n_checked:  # checks cost no more than the one at the end
            n_checked = n_queries
            _refuse_repeated([part.query_ids for part in parts], repeated)
    refuse_empty(n_queries)
    _refuse_repeated([part.query_ids for part in parts], repeated)
    return concatenate(parts, release=True)


def collect_sums(frame, columns, measures, batch_size):
    """Return the `State` of all queries, of which no more than two pieces are held.

    Of ids, only those of the first piece and of the one before are kept. Rows that are
    in no order meet them.
    """
    pieces, repeated = _read_pieces(frame, columns, batch_size)
    state, known = None, []
    for rows, scored in _score_pieces(pieces, measures):
        sums = measures.sum_up(rows, scored)
        state = sums if state is None else State.merge([state, sums])
        known = [*known[:1], *known[1:][-1:], scored.query_ids]
        _refuse_repeated(known, repeated)
    refuse_empty(len(known))
    return state


def _score_pieces(pieces, measures):
    """Yield the pieces with their `Scored`; errors say from where rows are counted."""
    n_rows = 0
    for rows in pieces:
        try:
            scored = measures.score(rows)
        except (TypeError, ValueError) as error:
            error.add_note(f"Rows are counted from row {n_rows} of the frame.")
            raise
        n_rows += len(rows)
        yield rows, scored


def _refuse_repeated(ids, message):
    again = repeated_id(ids) if len(ids) > 1 else None
    if again is not None:
        raise ValueError(message.format(again))


def _read_pieces(frame, columns, batch_size):
    """Return the reader of a frame as `Rows` of whole queries, and its name in errors.

    Returns
    -------
    pieces : iterator of Rows
        A table in memory is one, so its rows may stand in any order.
    repeated : str
        The message about a query that two pieces have, with a place for its id.
    """
    if _is_table(frame):
        arrays = columns_of_table(frame, columns)
        tables = [rows_of(arrays, columns)] if len(frame) else []
        return iter(tables), _IN_ONE_BATCH
    if is_instance(frame, "polars", "LazyFrame"):
        rows = _collect(frame, columns, batch_size)
    elif (batches := _read_batches(frame, columns, batch_size)) is not None:
        rows = (
            rows_of(pick(batch, columns), columns)
            for batch in batches
            if batch.num_rows
        )
    elif isinstance(frame, Iterator):
        return _rows_of_each(frame, columns), _IN_ONE_BATCH
    else:
        raise TypeError(
            "frame must be a DataFrame of pandas, Polars, Dask or Spark, a Polars "
            "LazyFrame, a PyArrow Table, RecordBatch, RecordBatchReader, Dataset or "
            "Scanner, paths of Parquet files or a folder, an iterator of batches, or "
            "export an Arrow stream; got "
            f"{type(frame).__module__}.{type(frame).__qualname__}."
        )
    repeated = (
        "qid must keep the rows of each query adjacent in a frame that is read in "
        "batches; query {!r} comes again after others. Sort the frame by "
        f"{columns['qid']!r} first (Polars, PyArrow and SQL engines can), or pass it "
        "in memory, where no order is needed."
    )
    return whole_queries(rows, batch_size), repeated


def is_instance(frame, module, name):
    """Whether a frame is of a class, of a library that is imported if it is."""
    library = sys.modules.get(module)
    return library is not None and isinstance(frame, getattr(library, name))


def _read_batches(frame, columns, batch_size):
    """Return an iterator of the batches of files, datasets and streams, or None."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    if _is_path(frame) or (
        isinstance(frame, list) and frame and all(map(_is_path, frame))
    ):
        return _read_files(frame, columns, batch_size)
    if isinstance(frame, ds.Dataset):
        return _scan(frame, columns, batch_size)
    if isinstance(frame, pa.RecordBatchReader):
        reader = frame
    elif isinstance(frame, ds.Scanner):
        reader = frame.to_reader()
    elif hasattr(frame, "__arrow_c_stream__"):
        try:
            reader = pa.RecordBatchReader.from_stream(frame)
        except pa.ArrowInvalid as error:
            raise TypeError(
                f"frame must have columns; got {type(frame).__qualname__}: {error}."
            ) from error
    else:
        return None
    check_columns(columns, reader.schema.names)
    return reader


def _is_path(frame):
    return isinstance(frame, str | os.PathLike)


# Tables in memory ---------------------------------------------------------------------


def _is_table(frame):
    """Whether a frame is a table in memory."""
    import pyarrow as pa

    return isinstance(frame, pa.Table | pa.RecordBatch) or any(
        is_instance(frame, library, "DataFrame") for library in ("pandas", "polars")
    )


def _rows_of_each(batches, columns):
    """Yield the rows of each table of an iterator."""
    first = None
    for number, batch in enumerate(batches):
        if not _is_table(batch):
            raise TypeError(
                "frame must yield DataFrames of pandas or Polars, Tables or "
                f"RecordBatches; got a {type(batch).__name__}."
            )
        arrays = columns_of_table(batch, columns)
        if len(batch):
            type_ = arrays["qid"].type
            place = kind_of(type_), type_, f"batch {number}"
            first = first or place
            refuse_other_kind(columns["qid"], first, place)
            yield rows_of(arrays, columns)


def _collect(frame, columns, batch_size):
    """Yield the rows of a LazyFrame, collected in batches."""
    needed = check_columns(columns, frame.collect_schema().names())
    parts = frame.select(needed).collect_batches(
        chunk_size=batch_size, maintain_order=True
    )
    for part in parts:
        if len(part):
            yield rows_of(columns_of_table(part, columns), columns)


def columns_of_table(frame, columns):
    """Return columns of a table in memory as Arrow arrays, by parameter."""
    import pyarrow as pa

    if isinstance(frame, pa.Table | pa.RecordBatch):
        check_columns(columns, frame.schema.names)
        return pick(frame, columns)
    check_columns(columns, frame.columns)
    is_polars = is_instance(frame, "polars", "DataFrame")
    arrays = {}
    for parameter, name in columns.items():
        column = frame[name]
        try:
            arrays[parameter] = (
                column.to_arrow() if is_polars else _arrow_of_series(column)
            )
        except (pa.ArrowException, ValueError, OverflowError) as error:
            reason = f"{column.dtype}, which Arrow cannot hold ({error})"
            refuse_type(parameter, name, reason)
        if str(column.dtype) == "Object":  # of Polars: Arrow gets addresses
            refuse_type(parameter, name, column.dtype)
    return arrays


def _arrow_of_series(column):
    """Return a column of pandas as an Arrow array."""
    import pyarrow as pa

    if column.dtype != object:
        return pa.array(column, from_pandas=False)  # NaN stays, without a copy
    array = pa.array(column, from_pandas=True)
    # Arrow takes text for bytes, and times for dates.
    is_doubtful = kind_of(array.type) in ("bytes", "dates")
    if is_doubtful and array.drop_null().to_pylist() != [*column.dropna()]:
        raise ValueError("it holds several types")
    return array


# Datasets and files -------------------------------------------------------------------


def _scan(dataset, columns, batch_size):
    """Yield batches of a dataset.

    Files that a scanner fills with nulls or other values are refused.
    """
    import pyarrow.dataset as ds

    needed = check_columns(columns, dataset.schema.names)
    # With threads, a scanner outruns who takes its batches, and keeps them all.
    options = {"use_threads": False, "batch_readahead": 1, "fragment_readahead": 1}
    if isinstance(getattr(dataset, "format", None), ds.ParquetFileFormat):
        options["fragment_scan_options"] = ds.ParquetFragmentScanOptions(
            use_buffered_stream=True, pre_buffer=False
        )
    scanner = dataset.scanner(columns=needed, batch_size=batch_size, **options)
    checked = None
    for tagged in scanner.scan_batches():
        file = tagged.fragment
        if isinstance(file, ds.FileFragment) and file.path != checked:
            _check_file(file, dataset.schema, columns)
            checked = file.path
        yield tagged.record_batch


def _check_file(file, schema, columns):
    """Refuse a file of a dataset that lacks a column, or has it of another type."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    stored = file.physical_schema
    keys = ds.get_partition_keys(file.partition_expression)
    check_columns(columns, _with_keys(stored.names, keys), file.path)
    if isinstance(file.format, ds.CsvFileFormat | ds.JsonFileFormat):
        return  # text is read as the type that the dataset names
    for parameter, name in columns.items():
        if name not in stored.names:
            continue
        wanted, actual = schema.field(name).type, stored.field(name).type
        is_rounded = wanted == pa.float32() and actual == pa.float64()
        if kind_of(actual) != kind_of(wanted) or is_rounded:
            raise TypeError(
                f"{parameter} must be of one type throughout; column {name!r} is of "
                f"type {wanted} in the dataset and of type {actual} in {file.path}."
            )


def _read_files(path, columns, batch_size):
    """Yield batches of Parquet files, read page by page whatever their row groups."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    first = None
    for file in _list_files(path, columns):
        try:
            schema = file.physical_schema
        except (OSError, ValueError) as error:
            raise type(error)(_NO_PARQUET.format(error)) from error
        keys = ds.get_partition_keys(file.partition_expression)
        needed = check_columns(columns, _with_keys(schema.names, keys), file.path)
        stored = [name for name in needed if name in schema.names]
        of_folders = {name: keys[name] for name in needed if name not in schema.names}
        qid = columns["qid"]
        type_ = pa.string() if qid in of_folders else schema.field(qid).type
        place = kind_of(type_), type_, file.path
        first = first or place
        refuse_other_kind(qid, first, place)
        yield from _read_file(file, stored, of_folders, qid, batch_size)
    pa.default_memory_pool().release_unused()  # before parts are joined


def _read_file(file, stored, of_folders, qid, batch_size):
    """Yield batches of columns of a Parquet file, and of the names of its folders."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with file.open() as source:
        reader = pq.ParquetFile(source, buffer_size=_BUFFER, pre_buffer=False)
        for batch in reader.iter_batches(batch_size, columns=stored):
            for name, text in of_folders.items():
                value = pa.scalar(text, pa.string())
                if name != qid:
                    with suppress(pa.ArrowInvalid):  # text is refused like others
                        value = value.cast(pa.float64())
                batch = batch.append_column(name, pa.repeat(value, len(batch)))
            yield batch


def _list_files(path, columns):
    """Return the Parquet files of a path, of a folder or of a list of paths."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    # Names of folders are read as they are written: 01 is not 1.
    keys = pa.schema([(name, pa.string()) for name in {*columns.values()}])
    try:
        dataset = ds.dataset(
            path,
            schema=pa.schema([]),  # each file has its own
            format="parquet",
            partitioning=ds.partitioning(keys, flavor="hive"),
            ignore_prefixes=[],  # not even the log of a table is passed over
        )
    except (OSError, ValueError) as error:
        raise type(error)(_NO_PARQUET.format(error)) from error
    files = list(dataset.get_fragments())
    if _is_path(path):
        files = _files_of_folder(files)
    if not files:
        check_columns(columns, [])
    real = [os.path.realpath(file.path) for file in files]
    if len(set(real)) < len(real):
        twice = max(real, key=real.count)
        raise ValueError(f"frame must list each file once; got {twice!r} twice.")
    return files


def _files_of_folder(files):
    """Return files without markers and checksums of who wrote them, such as _SUCCESS.

    Hidden folders hold logs, or files that do not count: they are refused.
    """
    if len(files) < 2:
        return files
    common = os.path.commonpath([os.path.dirname(file.path) for file in files])
    shown = []
    for file in files:
        *folders, name = file.path[len(common) :].strip("/").split("/")
        if any(folder.startswith(_HIDDEN) for folder in folders):
            raise ValueError(_NO_PARQUET.format(f"got {file.path!r}"))
        if not name.startswith(_HIDDEN):
            shown.append(file)
    return shown


_HIDDEN = ("_", ".")
_NO_PARQUET = (
    "frame must be the path of a Parquet file, or of a folder that holds such files "
    "only: {}. Read tables of Delta Lake, Iceberg or Hudi with their own library, and "
    "pass its Arrow table."
)


def _with_keys(names, keys):
    """Return the columns of a file and of its folders; the file's go first."""
    return [*names, *(key for key in keys if key not in names)]
