"""pandas DataFrames."""

from datetime import date
from decimal import Decimal
from numbers import Real

import numpy as np

from sklearn_irmetrics._core.queries import group_rows
from sklearn_irmetrics._measures.frames import arrow
from sklearn_irmetrics._measures.frames.rows import (
    Rows,
    check_columns,
    refuse_null_ids,
    refuse_type,
)
from sklearn_irmetrics._measures.frames.scored import refuse_empty


def score_pandas(frame, columns, measures, batch_size):
    """Return the values of all queries; rows may stand in any order."""
    check_columns(columns, frame.columns)
    refuse_empty(len(frame))
    return measures.score(rows_of(frame, columns))


def rows_of(frame, columns):
    """Return all rows of a DataFrame that is not empty."""
    taken = {parameter: frame[name] for parameter, name in columns.items()}
    ids, lengths = _ids(taken.pop("qid"))
    return Rows(ids, lengths, **{p: _numbers(p, taken[p]) for p in taken})


def _ids(column):
    """Return ids that NumPy knows as they are, others run by run."""
    import pandas as pd

    dtype = column.dtype
    is_arrow_text = isinstance(dtype, pd.StringDtype) and dtype.storage != "python"
    if is_arrow_text or isinstance(dtype, pd.ArrowDtype):
        return arrow.ids_of(column.name, column.array.__arrow_array__())
    if isinstance(dtype, pd.DatetimeTZDtype):
        column = column.dt.tz_convert(None)
    if isinstance(dtype, pd.SparseDtype):
        column = column.sparse.to_dense()
    if isinstance(column.dtype, np.dtype) and column.dtype.kind != "O":
        return column.to_numpy(), None
    refuse_null_ids(column.name, int(column.isna().sum()))
    if hasattr(dtype, "numpy_dtype"):
        return column.to_numpy(dtype.numpy_dtype), None
    if isinstance(dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy()
        names, lengths = _ids(dtype.categories.to_series(name=column.name))
        names = names if lengths is None else np.repeat(names, lengths)
    else:
        codes, names = _number_objects(column)
    runs = Rows(codes, None).by_run()
    return names[runs.ids], runs.lengths


def kind_of_ids(column, ids):
    """Return what tells ids of two partitions apart, and their type for messages."""
    dtype = getattr(column.dtype, "categories", column).dtype
    has_zone = getattr(getattr(dtype, "pyarrow_dtype", dtype), "tz", None) is not None
    kind, shown = ids.dtype.kind, column.dtype
    kind = "number" if kind in "iuf" else kind
    if kind == "O":
        kind = sorted(of_id.__name__ for of_id in set(map(type, ids)))
        shown = f"{shown} ({', '.join(kind)})"
    is_date = ids.dtype == "datetime64[D]"
    return (kind, has_zone, is_date), shown


def _number_objects(column):
    """Return for each row the number of its id, and these ids."""
    try:
        queries = group_rows(column.to_numpy(dtype=object), len(column))
    except TypeError as error:
        refuse_type("qid", column.name, f"{column.dtype} ({error})")
    names = queries.ids
    if set(map(type, names)) == {date}:
        names = names.astype("datetime64[D]")  # as all other libraries
    return queries.codes(), names


def _numbers(parameter, column):
    """Return exact numbers, missing ones as NaN."""
    import pandas as pd

    dtype = column.dtype
    if isinstance(dtype, pd.ArrowDtype):
        array = column.array.__arrow_array__()
        return arrow.numbers_of(parameter, column.name, array)
    if isinstance(dtype, pd.SparseDtype):
        column = column.sparse.to_dense()
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        return column.to_numpy()
    missing = column.isna().to_numpy()
    if hasattr(dtype, "numpy_dtype"):
        if not missing.any():
            return column.to_numpy(dtype.numpy_dtype)
        if dtype.numpy_dtype.kind == "f":
            return column.to_numpy(dtype.numpy_dtype, na_value=np.nan)
        floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
        if not (np.abs(floats) >= 2**53).any():  # else it may be another number
            return floats
    objects = column.to_numpy(dtype=object)
    kinds = set(map(type, objects[~missing]))
    if not all(issubclass(kind, (Real, Decimal, np.bool_)) for kind in kinds):
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        refuse_type(parameter, column.name, f"{dtype} holding {names}")
    return np.where(missing, np.nan, objects)
