"""Columns of Arrow as NumPy arrays: ids without nulls, and exact numbers."""

import numpy as np

from sklearn_irmetrics.frames.rows import Rows, refuse_type
from sklearn_irmetrics.reports.query_scores import join


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
    runs = (_runs(parameter, name, chunk) for chunk in _chunks(column))
    ids, lengths = zip(*runs, strict=True)
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
