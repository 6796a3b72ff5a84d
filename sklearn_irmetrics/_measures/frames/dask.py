"""Dask DataFrames."""

from functools import partial

import numpy as np

from sklearn_irmetrics._core.queries import group_rows
from sklearn_irmetrics._measures.frames.arrow import ids_of, kind_of, rows_of
from sklearn_irmetrics._measures.frames.rows import (
    Rows,
    check_columns,
    refuse_other_kind,
)
from sklearn_irmetrics._measures.frames.scored import refuse_empty
from sklearn_irmetrics._measures.frames.tables import arrays_of
from sklearn_irmetrics._measures.parts import concatenate, join


def score_dask(frame, columns, measures, batch_size):
    """Return the values of all queries, computed partition by partition.

    Every partition is scored as if it held whole queries. The ids then tell which
    queries straddle partitions: only their rows are brought together and scored again.
    """
    documents = frame[check_columns(columns, frame.columns)]
    measures = measures.for_workers()
    found = _compute(documents, partial(_score, columns=columns, measures=measures))
    refuse_empty(len(found))
    parts, types = zip(*found.values(), strict=True)
    ids = [of_part["qid"] for of_part in types]
    places = [
        (kind_of(type_), str(type_), f"partition {i}")
        for i, type_ in zip(found, ids, strict=True)
    ]
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
    again = partial(_score_gathered, columns=columns, measures=measures)
    again = concatenate(list(_compute(gathered, again).values()))
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
    """Return values, and the types of all columns by parameter."""
    arrays = arrays_of(frame, columns)
    types = {parameter: array.type for parameter, array in arrays.items()}
    return measures.score(rows_of(arrays, columns)), types


def _gather(frame, columns, ids, types):
    """Bring the rows of some queries together, those of one query in one partition."""
    import dask
    import dask.dataframe as dd
    import pandas as pd
    import pyarrow as pa

    schemas = [pa.schema([*of_part.items()]).remove(0) for of_part in types]
    try:
        schema = pa.unify_schemas(schemas, promote_options="permissive")
    except pa.ArrowTypeError as error:
        raise TypeError(
            "y_true, y_score and weights must be of one type throughout where queries "
            f"span several partitions: {error}"
        ) from error
    schema = schema.append(pa.field("qid", pa.int64()))
    schema = schema.append(pa.field("place", pa.int64()))
    meta = schema.empty_table().to_pandas(types_mapper=pd.ArrowDtype)
    select = dask.delayed(partial(_select, columns=columns, ids=ids, schema=schema))
    parts = [select(part, i) for i, part in enumerate(frame.to_delayed())]
    selected = dd.from_delayed(parts, meta=meta, verify_meta=False)
    return selected.shuffle("qid", npartitions=min(frame.npartitions, len(ids)))


def _select(frame, partition, columns, ids, schema):
    """Return rows of the queries `ids`: number of the query, place, what is scored."""
    import pandas as pd
    import pyarrow as pa

    if not len(frame):
        return schema.empty_table().to_pandas(types_mapper=pd.ArrowDtype)
    arrays = arrays_of(frame, columns)
    own = Rows(*ids_of(columns["qid"], arrays["qid"]), y_score=arrays["y_score"])
    own = own.by_run()
    numbers = group_rows(join([ids, own.ids]), len(ids) + len(own.ids)).codes()
    arrays["qid"] = np.repeat(numbers[len(ids) :], own.lengths)
    arrays["place"] = np.arange(len(frame)) + (partition << 40)
    table = pa.table({name: arrays[name] for name in schema.names})
    table = table.filter(pa.array(arrays["qid"] < len(ids))).cast(schema)
    return table.to_pandas(types_mapper=pd.ArrowDtype)


def _score_gathered(frame, columns, measures):
    arrays = arrays_of(frame.sort_values("place"), {name: name for name in columns})
    return measures.score(rows_of(arrays, columns))
