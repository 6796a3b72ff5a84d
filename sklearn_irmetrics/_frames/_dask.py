"""Dask DataFrames."""

from functools import partial

import numpy as np

from sklearn_irmetrics._core.queries import group_rows
from sklearn_irmetrics._frames._measures import concatenate, refuse_empty
from sklearn_irmetrics._frames._pandas import rows_of
from sklearn_irmetrics._frames._rows import check_columns


def score_dask(frame, columns, measures, batch_size):
    """Return the values of all queries, computed partition by partition.

    Every partition is scored as if it held whole queries. The ids then tell which
    queries straddle partitions: only their rows are brought together and scored again.
    """
    documents = frame[check_columns(columns, frame.columns)]
    measures = measures.for_workers()
    parts = _score_partitions(documents, columns, measures)
    refuse_empty(len(parts))
    scored = concatenate(parts)
    found = group_rows(scored.query_ids, len(scored.query_ids))
    straddling = np.flatnonzero(found.lengths > 1)
    if not len(straddling):
        return scored
    first = found.offsets[:-1]
    scored = scored.take(first if found.order is None else found.order[first])
    gathered = _gather(documents, columns, scored.query_ids[straddling])
    again = concatenate(
        _score_partitions(gathered, {**columns, "qid": _NUMBER}, measures)
    )
    queries = straddling[again.query_ids]
    for label, values in again.values.items():
        scored.values[label][..., queries] = values
    if scored.weights is not None:
        scored.weights[queries] = again.weights
    return scored


# Columns of the rows of straddling queries: number of the query, place of the row.
_NUMBER, _PLACE = "query number", "place of row"


def _score_partitions(frame, columns, measures):
    """Return what each partition that is not empty scores."""
    import dask

    score = dask.delayed(partial(_score_partition, columns=columns, measures=measures))
    parts = dask.compute(*map(score, frame.to_delayed()))
    return [part for part in parts if part is not None]


def _score_partition(rows, columns, measures):
    if not len(rows):
        return None
    if _PLACE in rows:
        rows = rows.sort_values(_PLACE)
    return measures.score(rows_of(rows, columns))


def _gather(frame, columns, ids):
    """Bring the rows of some queries together, those of one query in one partition."""
    import dask
    import dask.dataframe as dd

    select = dask.delayed(partial(_select, column=columns["qid"], ids=ids))
    parts = [select(part, i) for i, part in enumerate(frame.to_delayed())]
    selected = dd.from_delayed(
        parts, meta=_select(frame._meta, 0, columns["qid"], ids), verify_meta=False
    )
    return selected.shuffle(_NUMBER, npartitions=min(frame.npartitions, len(ids)))


def _select(rows, partition, column, ids):
    """Return the rows of queries in `ids`, with their number and place."""
    import pandas as pd

    numbers = pd.Index(ids).get_indexer(np.asarray(rows[column]))
    places = np.arange(len(rows)) + (partition << 40)
    rows = rows.assign(**{_NUMBER: numbers, _PLACE: places})
    return rows[numbers >= 0]
