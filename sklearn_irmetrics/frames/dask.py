"""Dask DataFrames."""

from functools import partial
from zlib import crc32

import numpy as np

from sklearn_irmetrics._arrays.query_ids import group_rows
from sklearn_irmetrics.frames.arrow import ids_of, kind_of, pick, rows_of
from sklearn_irmetrics.frames.rows import check_columns, join_rows, refuse_other_kind
from sklearn_irmetrics.frames.scored import refuse_empty
from sklearn_irmetrics.frames.tables import arrays_of
from sklearn_irmetrics.reports.query_scores import concatenate

_AT_ONCE = 8  # states that are merged in one task
_BUCKETS = 4  # per partition, so that partitions get about as many rows each


def score_dask(frame, columns, measures, batch_size):
    """Return what is kept of all queries, or a frame of their scores.

    Rows travel to the partition of their query in one shuffle, packed by partition and
    bucket of ids, so that ids and numbers of any type arrive as they were.
    """
    import dask

    documents = frame[check_columns(columns, frame.columns)]
    measures = measures.for_workers()
    score = dask.delayed(partial(_score, columns=columns, measures=measures))
    parts = [score(part) for part in _exchange(documents, columns).to_delayed()]
    if measures.per_query == "frame":
        return _to_frame(parts, documents, columns, measures)
    join = dask.delayed(partial(_join, measures=measures))
    while len(parts) > 1 and not measures.per_query:
        parts = [
            join(parts[start : start + _AT_ONCE])
            for start in range(0, len(parts), _AT_ONCE)
        ]
    kept, places, types = zip(*dask.compute(*parts), strict=True)
    types = _first(types)
    refuse_empty(len(types))
    first, *others = sorted(types, key=lambda kind: types[kind][::-1])
    for other in others:
        refuse_other_kind(columns["qid"], *(_place(types, k) for k in (first, other)))
    kept = [one for one in kept if one is not None]
    if not measures.per_query:
        return kept[0]
    places = np.concatenate([one for one in places if one is not None])
    return concatenate(kept).take(np.argsort(places))


def _place(types, kind):
    type_, number = types[kind]
    return kind, type_, f"partition {number}"


def _first(types):
    """Return type and partition of each kind of ids, where it came first."""
    found = {}
    for kind, place in sorted(
        (item for one in types for item in one.items()), key=lambda item: item[1][1]
    ):
        found.setdefault(kind, place)
    return found


def _exchange(frame, columns):
    """Return a frame of packed rows, those of a query in one partition."""
    import dask
    import dask.dataframe as dd
    import pandas as pd
    import pyarrow as pa

    meta = pd.DataFrame(
        {
            "bucket": pd.Series(dtype=np.int64),
            "rows": pd.Series(dtype=pd.ArrowDtype(pa.large_binary())),
        }
    )
    n_buckets = _BUCKETS * frame.npartitions
    pack = dask.delayed(partial(_pack, columns=columns, n_buckets=n_buckets, meta=meta))
    parts = [pack(part, number) for number, part in enumerate(frame.to_delayed())]
    packed = dd.from_delayed(parts, meta=meta, verify_meta=False)
    return packed.shuffle("bucket", npartitions=frame.npartitions)


def _pack(part, number, columns, n_buckets, meta):
    """Return the rows of a partition as a row for each bucket of ids."""
    import pyarrow as pa

    if not len(part):
        return meta
    arrays = arrays_of(part, columns)
    ids, lengths = ids_of(columns["qid"], arrays["qid"])
    buckets = _number(ids) % n_buckets
    buckets = buckets if lengths is None else np.repeat(buckets, lengths)
    order = np.argsort(buckets, kind="stable")
    arrays["place"] = np.arange(len(part)) + (number << 40)
    table = pa.table(arrays).take(order)
    buckets = buckets[order]
    starts = np.flatnonzero(np.diff(buckets, prepend=-1))
    packed = []
    for start, end in zip(starts, [*starts[1:], len(part)], strict=True):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table.slice(start, end - start))
        packed.append(sink.getvalue().to_pybytes())
    found = {"bucket": buckets[starts].astype(np.int64), "rows": packed}
    return type(meta)(found).astype(meta.dtypes)


def _number(ids):
    """Return a number for each id, the same on every worker and for equal ids."""
    if ids.dtype.kind in "mM":
        unit = ids.dtype.str[:2] + "8[us]"
        ids = ids.astype(unit).astype(np.int64)
    if ids.dtype == object:
        ids = np.array([*map(_number_object, ids.tolist())])
    bits = (ids.astype(np.float64) + 0.0).view(np.uint64)  # -0.0 is 0.0
    bits = (bits ^ (bits >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return (bits >> np.uint64(33)).astype(np.int64)


def _number_object(id_):
    if hasattr(id_, "__float__"):
        return float(id_)
    return float(crc32(id_ if isinstance(id_, bytes) else str(id_).encode()))


def _score(packed, columns, measures):
    """Return what is kept of packed rows, the first place of each query, and types."""
    import pyarrow as pa

    tables = [pa.ipc.open_stream(rows).read_all() for rows in packed["rows"]]
    if not tables:
        return None, None, {}
    tables.sort(key=lambda table: table.column("place")[0].as_py())
    types = {}
    for table in tables:
        type_ = table.schema.field("qid").type
        number = table.column("place")[0].as_py() >> 40
        types.setdefault(kind_of(type_), (str(type_), number))
    if len(types) > 1:  # as will be said
        return None, None, types
    names = {parameter: parameter for parameter in columns}
    rows = join_rows([rows_of(pick(table, names), columns) for table in tables])
    kept = measures.reduce(rows)
    if measures.per_query is not True:
        return kept, None, types
    places = np.concatenate([table.column("place").to_numpy() for table in tables])
    queries = group_rows(rows.numbered()[0], len(rows))
    first = queries.offsets[:-1]
    first = first if queries.order is None else queries.order[first]
    return kept, places[first], types


def _join(parts, measures):
    kept = [one for one, _, _ in parts if one is not None]
    types = _first([types for _, _, types in parts])
    return measures.join(kept) if kept else None, None, types


def _to_frame(parts, documents, columns, measures):
    """Return a Dask DataFrame of the scores of queries."""
    import dask
    import dask.dataframe as dd
    import pandas as pd

    names = [columns[name] for name in ("qid", "by") if name in columns]
    fields = {name: pd.Series(dtype=documents.dtypes[name]) for name in names}
    fields |= {label: pd.Series(dtype=np.float64) for label in measures.measures}
    meta = pd.DataFrame(fields)
    frame = dask.delayed(partial(_frame_of, columns=columns, meta=meta))
    return dd.from_delayed([frame(part) for part in parts], meta, verify_meta=False)


def _frame_of(part, columns, meta):
    import pandas as pd

    kept, _, types = part
    if len(types) > 1:
        first, other = (_place(types, kind) for kind in [*types][:2])
        refuse_other_kind(columns["qid"], first, other)
    if kept is None:
        return meta
    ids, found = kept
    found = {columns.get(name, name): column for name, column in found.items()}
    ids = pd.Series(ids.tolist(), dtype=meta[columns["qid"]].dtype)
    return pd.DataFrame({columns["qid"]: ids, **found}).astype(meta.dtypes)
