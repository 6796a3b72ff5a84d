"""Arrow streams, datasets of PyArrow, and Parquet files."""

import os
from contextlib import suppress
from fnmatch import fnmatch
from itertools import product
from pathlib import PurePath

import numpy as np

from sklearn_irmetrics.frames.rows import (
    Rows,
    check_columns,
    refuse_other_kind,
    refuse_type,
)
from sklearn_irmetrics.reports.query_scores import join


def score_stream(exporter, columns, measures, batch_size):
    """Return the values of all queries of a Scanner, or an Arrow stream."""
    import pyarrow as pa

    reader = exporter.to_reader() if hasattr(exporter, "to_reader") else exporter
    if not isinstance(reader, pa.RecordBatchReader):
        try:
            reader = pa.RecordBatchReader.from_stream(exporter)
        except pa.ArrowInvalid as error:
            raise TypeError(
                f"frame must have columns; got {type(exporter).__qualname__}: {error}."
            ) from error
    check_columns(columns, reader.schema.names)
    return score_batches(reader, columns, measures, batch_size)


def score_path(path, columns, measures, batch_size, filesystem=None):
    """Return the values of all queries of Parquet files, or of a folder of them."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    # Names of folders are read as they are written: 01 is not 1.
    keys = pa.schema([(name, pa.string()) for name in {*columns.values()}])
    try:
        dataset = ds.dataset(
            path,
            schema=pa.schema([]),  # each file has its own
            format="parquet",
            filesystem=filesystem,
            partitioning=ds.partitioning(keys, flavor="hive"),
        )
    except (OSError, ValueError) as error:
        raise _no_parquet(error) from error
    files = list(dataset.get_fragments())
    names = [file.path for file in files]
    real = names if filesystem is not None else list(map(os.path.realpath, names))
    if len(set(real)) < len(real):
        twice = max(real, key=real.count)
        raise ValueError(f"frame must list each file once; got {twice!r} twice.")
    if not files:
        check_columns(columns, [])
    if not isinstance(path, list):
        if filesystem is None:
            names = [os.path.abspath(one) for one in names * os.path.isdir(path)]
        elif str(path) in names:
            names = []
        _refuse_replaced(dataset.filesystem, names)
    batches = _read_files(files, columns, batch_size)
    return score_batches(batches, columns, measures, batch_size)


# What says, in the folder of a table, which of its files count, and what reads it.
_LOGS = {
    "_delta_log/": "deltalake.DeltaTable(folder).to_pyarrow_dataset()",
    "metadata/*.metadata.json": "polars.scan_iceberg(the last of these)",
    ".hoodie/": "spark.read.format('hudi').load(folder)",
}


def _refuse_replaced(filesystem, paths):
    """Refuse files of a table that keeps those that it has replaced, too."""
    folders = sorted({str(up) for path in paths for up in PurePath(path).parents})
    for folder, (log, call) in product(folders, _LOGS.items()):
        if _holds(filesystem, folder, log):
            raise ValueError(
                "frame must be a folder whose files all count; got a part of "
                f"{folder!r}, where {log} says which do. Pass {call} instead."
            )


def _holds(filesystem, folder, log):
    """Whether a folder holds another one, or files of a pattern in it."""
    from pyarrow import fs

    inner, _, pattern = log.partition("/")
    inner = f"{folder}/{inner}"
    if filesystem.get_file_info(inner).type != fs.FileType.Directory:
        return False
    found = filesystem.get_file_info(fs.FileSelector(inner)) if pattern else []
    return not pattern or any(fnmatch(one.base_name, pattern) for one in found)


def score_dataset(dataset, columns, measures, batch_size):
    """Return the values of all queries of a dataset, read in batches."""
    import pyarrow.dataset as ds

    needed = check_columns(columns, dataset.schema.names)
    # With threads, a scanner outruns who takes its batches, and keeps them all.
    options = {"use_threads": False, "batch_readahead": 1, "fragment_readahead": 1}
    if isinstance(getattr(dataset, "format", None), ds.ParquetFileFormat):
        options["fragment_scan_options"] = ds.ParquetFragmentScanOptions(
            use_buffered_stream=True, pre_buffer=False
        )
    scanner = dataset.scanner(columns=needed, batch_size=batch_size, **options)
    batches = _scan(scanner, dataset.schema, columns)
    return score_batches(batches, columns, measures, batch_size)


def _scan(scanner, schema, columns):
    """Yield batches; refuse files that a scanner fills with nulls or other values."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    checked = None
    for tagged in scanner.scan_batches():
        file = tagged.fragment
        if isinstance(file, ds.FileFragment) and file.path != checked:
            checked, stored = file.path, file.physical_schema
            keys = ds.get_partition_keys(file.partition_expression)
            check_columns(columns, _with_keys(stored.names, keys), checked)
            # Text is read as the type that the dataset names, so nothing is changed.
            is_text = isinstance(file.format, (ds.CsvFileFormat, ds.JsonFileFormat))
            for parameter, name in columns.items():
                if name in stored.names and not is_text:
                    wanted, found = schema.field(name).type, stored.field(name).type
                    is_rounded = wanted == pa.float32() and found == pa.float64()
                    if kind_of(found) != kind_of(wanted) or is_rounded:
                        raise TypeError(
                            f"{parameter} must be of one type throughout; column "
                            f"{name!r} is of type {wanted} in the dataset and of type "
                            f"{found} in {checked}."
                        )
        yield tagged.record_batch


_BUFFER = 1 << 18


def _read_files(files, columns, batch_size):
    """Yield batches of Parquet files, read page by page whatever their row groups."""
    import pyarrow as pa
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq

    first = None
    for file in files:
        try:
            schema = file.physical_schema
        except (OSError, ValueError) as error:
            raise _no_parquet(error) from error
        keys = ds.get_partition_keys(file.partition_expression)
        names = _with_keys(schema.names, keys)
        needed = check_columns(columns, names, file.path)
        of_folder = [name for name in needed if name not in schema.names]
        for name in of_folder:
            schema = schema.append(pa.field(name, pa.string()))
        type_ = schema.field(columns["qid"]).type
        place = kind_of(type_), type_, file.path
        first = first or place
        refuse_other_kind(columns["qid"], first, place)
        with file.open() as source:
            reader = pq.ParquetFile(source, buffer_size=_BUFFER, pre_buffer=False)
            stored = [name for name in needed if name not in of_folder]
            for batch in reader.iter_batches(batch_size, columns=stored):
                for name in of_folder:
                    key = pa.scalar(keys[name], pa.string())
                    if name != columns["qid"]:
                        with suppress(pa.ArrowInvalid):  # text is refused like others
                            key = key.cast(pa.float64())
                    batch = batch.append_column(name, pa.repeat(key, len(batch)))
                yield batch
    pa.default_memory_pool().release_unused()  # before parts are joined


def _with_keys(names, keys):
    """Return the columns of a file and of its folders; the file's go first."""
    return [*names, *(key for key in keys if key not in names)]


def _no_parquet(error):
    return type(error)(
        f"frame must be the path of a Parquet file or folder of them: {error}"
    )


def score_batches(batches, columns, measures, batch_size):
    """Return the values of all queries of Arrow tables or batches, in order."""
    rows = (
        rows_of(pick(batch, columns), columns) for batch in batches if batch.num_rows
    )
    return measures.score_batches(rows, columns, batch_size)


def pick(data, columns):
    """Return the columns by parameter."""
    return {parameter: data.column(name) for parameter, name in columns.items()}


def rows_of(arrays, columns):
    """Return all rows of arrays that are not empty.

    Parameters
    ----------
    arrays : dict of str to Array or ChunkedArray
        By parameter.
    columns : dict of str to str
        Names of the columns by parameter, for messages.
    """
    values = {}
    for parameter, array in arrays.items():
        if parameter == "doc":
            ids, lengths = ids_of(columns["doc"], array, "doc")
            values["doc"] = ids if lengths is None else np.repeat(ids, lengths)
        elif parameter == "by":
            values["by"] = np.concatenate(list(map(_segments, _chunks(array))))
        elif parameter != "qid":
            values[parameter] = numbers_of(parameter, columns[parameter], array)
    return Rows(*ids_of(columns["qid"], arrays["qid"]), **values)


def ids_of(name, column, parameter="qid"):
    """Return numbers as they are, ids of other kinds run by run."""
    found = (_runs(parameter, name, chunk) for chunk in _chunks(column))
    ids, lengths = zip(*found, strict=True)
    return join(ids), None if lengths[0] is None else np.concatenate(lengths)


def _segments(array):
    """Return segments as Python objects, null and NaN as None."""
    encoded = _decode(array).dictionary_encode("encode")
    names = [None if v is None or v != v else v for v in encoded.dictionary.to_pylist()]
    codes = to_numpy(encoded.indices)
    return np.fromiter(names, object, len(names))[codes]


def numbers_of(parameter, name, column):
    """Return exact numbers, null as NaN."""
    return join([_numbers(parameter, name, chunk) for chunk in _chunks(column)])


def _chunks(column):
    chunks = column.chunks if hasattr(column, "chunks") else [column]
    return [chunk for chunk in chunks if len(chunk)]


# Kinds of ids, by the names that PyArrow's tests of types have after "is_".
_KINDS = {
    "numbers": ("integer", "floating"),
    "booleans": ("boolean",),
    "text": ("string", "large_string", "string_view"),
    "bytes": ("binary", "large_binary", "binary_view", "fixed_size_binary"),
    "decimals": ("decimal",),
    "dates": ("date",),
    "timestamps": ("timestamp",),
    "nulls": ("null",),
}


def kind_of(type_):
    """Return the kind of ids that a type holds, however encoded, or None."""
    import pyarrow as pa

    if pa.types.is_dictionary(type_):
        return kind_of(type_.value_type)
    for kind, names in _KINDS.items():
        if any(getattr(pa.types, f"is_{name}")(type_) for name in names):
            return f"{kind} of a zone" if getattr(type_, "tz", None) else kind
    return None


def _decode(array):
    """Return an array of the same values that `take` and `not_equal` know."""
    import pyarrow as pa

    type_ = array.type
    if pa.types.is_dictionary(type_):
        # Its values may be null, or equal.
        return _decode(array.dictionary).take(array.indices)
    views = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    return array.cast(views[type_]) if type_ in views else array


def _runs(parameter, name, array):
    """Return ids of one array, and how many rows each stands for or None."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = kind_of(array.type)
    _refuse_nulls(parameter, name, array.null_count)
    if kind is None:
        refuse_type(parameter, name, array.type)
    if kind == "numbers":
        array = _decode(array)
        _refuse_nulls(parameter, name, array.null_count)
        return to_numpy(array), None
    is_coded = pa.types.is_dictionary(array.type)
    array = array if is_coded else _decode(array)
    codes = array.indices if is_coded else array
    changes = pc.not_equal(codes.slice(1), codes.slice(0, len(codes) - 1))
    changes = to_numpy(changes.fill_null(True))
    starts = np.concatenate(([0], np.flatnonzero(changes) + 1))
    lengths = np.diff(starts, append=len(array))
    ids = _decode(array.take(pa.array(starts)))
    _refuse_nulls(parameter, name, lengths[to_numpy(ids.is_null())].sum())
    return to_numpy(ids), lengths


def _refuse_nulls(parameter, name, n_nulls):
    if n_nulls:
        raise ValueError(
            f"{parameter} must not contain missing values; column {name!r} has "
            f"{n_nulls}."
        )


def _numbers(parameter, name, array):
    """Return numbers of one array."""
    import pyarrow as pa

    kind = kind_of(array.type)
    if kind not in ("numbers", "booleans", "decimals", "nulls"):
        refuse_type(parameter, name, array.type)
    array = _decode(array)
    has_nulls = array.null_count and not pa.types.is_floating(array.type)
    if has_nulls or kind == "decimals":
        try:
            array = array.cast(pa.float64())
        except pa.ArrowInvalid as error:
            raise ValueError(f"{parameter} in column {name!r}: {error}.") from error
    return to_numpy(array)


def to_numpy(array):
    """Return an array with null as NaN or None."""
    return array.to_numpy(zero_copy_only=False)
