"""Dask DataFrames."""

import pickle
from functools import partial

import numpy as np

from sklearn_irmetrics._core.queries import group_rows
from sklearn_irmetrics._measures.frames.pandas import kind_of_ids, rows_of
from sklearn_irmetrics._measures.frames.rows import (
    Rows,
    check_columns,
    join,
    refuse_other_kind,
)
from sklearn_irmetrics._measures.frames.scored import concatenate, refuse_empty


def score_dask(frame, columns, measures, batch_size):
    """Return the values of all queries, computed partition by partition.

    Every partition is scored as if it held whole queries. The ids then tell which
    queries straddle partitions: only their rows are brought together and scored again.
    """
    documents = frame[check_columns(columns, frame.columns)]
    measures = measures.for_workers()
    found = _compute(documents, partial(_score, columns=columns, measures=measures))
    refuse_empty(len(found))
    parts, kinds, types = zip(*found.values(), strict=True)
    places = [(*kind, f"partition {i}") for i, kind in zip(found, kinds, strict=True)]
    for place in places:
        refuse_other_kind(columns["qid"], places[0], place)
    scored = concatenate(parts)
    queries = group_rows(scored.query_ids, len(scored.query_ids))
    straddling = np.flatnonzero(queries.lengths > 1)
    if not len(straddling):
        return scored
    first = queries.offsets[:-1]
    scored = scored.take(first if queries.order is None else queries.order[first])
    gathered = _gather(documents, columns, scored.query_ids[straddling], types)
    found = _compute(gathered, partial(_score_gathered, measures=measures))
    again = concatenate(list(found.values()))
    numbers = straddling[again.query_ids]
    for label, values in again.values.items():
        scored.values[label][..., numbers] = values
    if scored.weights is not None:
        scored.weights[numbers] = again.weights
    return scored


def _compute(frame, function):
    """Return by number what a function returns for partitions that are not empty."""
    import dask

    function = dask.delayed(partial(_unless_empty, function))
    results = dask.compute(*map(function, frame.to_delayed()))
    return {i: result for i, result in enumerate(results) if result is not None}


def _unless_empty(function, rows):
    return function(rows) if len(rows) else None


def _score(frame, columns, measures):
    """Return values, the kind and type of the ids, and types of the other columns."""
    rows = rows_of(frame, columns)
    types = {name: values.dtype for name, values in rows.values.items()}
    return measures.score(rows), kind_of_ids(frame[columns["qid"]], rows.ids), types


def _score_gathered(frame, measures):
    taken = {
        name: column.to_numpy()
        if isinstance(column.dtype, np.dtype)
        else np.array([*map(pickle.loads, column)], dtype=object)
        for name, column in frame.sort_values("place").items()
        if name != "place"
    }
    return measures.score(Rows(taken.pop("ids"), None, **taken))


def _gather(frame, columns, ids, types):
    """Bring the rows of some queries together, those of one query in one partition."""
    import dask
    import dask.dataframe as dd
    import pandas as pd
    import pyarrow as pa

    # Pickled where partitions differ: no type of NumPy would hold all their numbers,
    # and Dask makes text of objects.
    pickled = pd.ArrowDtype(pa.large_binary())
    joined = {
        name: type_
        if {of_part[name] for of_part in types} == {type_} - {np.dtype(object)}
        else pickled
        for name, type_ in types[0].items()
    }
    meta = pd.DataFrame(
        {
            name: pd.Series([], dtype=type_)
            for name, type_ in {"ids": np.int64, "place": np.int64, **joined}.items()
        }
    )
    select = dask.delayed(partial(_select, columns=columns, ids=ids, meta=meta))
    parts = [select(part, i) for i, part in enumerate(frame.to_delayed())]
    selected = dd.from_delayed(parts, meta=meta, verify_meta=False)
    return selected.shuffle("ids", npartitions=min(frame.npartitions, len(ids)))


def _select(frame, partition, columns, ids, meta):
    """Return rows of the queries `ids`: number of the query, place, what is scored."""
    import pandas as pd

    if not len(frame):
        return meta
    rows = rows_of(frame, columns).by_run()
    numbers = group_rows(join([ids, rows.ids]), len(ids) + len(rows.ids)).codes()
    numbers = np.repeat(numbers[len(ids) :], rows.lengths)
    taken = {
        "ids": numbers,
        "place": np.arange(len(rows)) + (partition << 40),
        **rows.values,
    }
    kept = numbers < len(ids)
    return pd.DataFrame(
        {
            name: taken[name][kept]
            if isinstance(type_, np.dtype)
            else pd.array([*map(pickle.dumps, taken[name][kept].tolist())], dtype=type_)
            for name, type_ in meta.dtypes.items()
        }
    )
