"""Dask DataFrames."""

from functools import partial
from zlib import crc32

import numpy as np

from sklearn_irmetrics.frames.arrow import ids_of, kind_of, pick, rows_of
from sklearn_irmetrics.frames.measures import refuse_empty
from sklearn_irmetrics.frames.rows import check_columns, join_rows, refuse_other_kind
from sklearn_irmetrics.frames.sources import columns_of_table
from sklearn_irmetrics.reports.query_scores import concatenate
from sklearn_irmetrics.streaming.state import State

_AT_ONCE = 8  # states that are merged in one task
_BUCKETS = 4  # per partition, so that partitions get about as many rows each


def collect_scores(frame, columns, measures, batch_size):
    """Return the `Scored` of all queries, in order of first appearance.

    Partitions are scored whole, whatever the `batch_size`.
    """
    import dask

    parts = _score_parts(frame, columns, measures, _keep_places)
    results, types = zip(*dask.compute(*parts), strict=True)
    _check_types(_first_of_each_kind(types), columns)
    scored, places = zip(*filter(None, results), strict=True)
    return concatenate(scored).take(np.argsort(np.concatenate(places)))


def collect_sums(frame, columns, measures, batch_size):
    """Return the `State` of all queries, merged by a tree of tasks."""
    import dask

    parts = _score_parts(frame, columns, measures, measures.sum_up)
    merge = dask.delayed(_merge)
    while len(parts) > 1:
        parts = [
            merge(parts[start : start + _AT_ONCE])
            for start in range(0, len(parts), _AT_ONCE)
        ]
    [(state, types)] = dask.compute(*parts)
    _check_types(types, columns)
    return state


def lazy_scores(frame, columns, measures, batch_size):
    """Return a Dask DataFrame of the scores of queries; nothing is computed yet."""
    import dask
    import dask.dataframe as dd
    import pandas as pd

    parts = _score_parts(frame, columns, measures, measures.tabulate)
    names = [columns[name] for name in ("qid", "by") if name in columns]
    dtypes = frame[names].dtypes
    fields = {name: pd.Series(dtype=dtypes[name]) for name in names}
    fields |= {label: pd.Series(dtype=np.float64) for label in measures.measures}
    meta = pd.DataFrame(fields)
    to_pandas = dask.delayed(partial(_to_pandas, columns=columns, meta=meta))
    return dd.from_delayed([to_pandas(part) for part in parts], meta, verify_meta=False)


# Every query in one partition ---------------------------------------------------------


def _score_parts(frame, columns, measures, keep):
    """Return a delayed result per partition: what is kept of its queries, and types.

    Rows travel to the partition of their query in one shuffle, packed by partition and
    bucket of ids, so that ids and numbers of any type arrive as they were.
    """
    import dask
    import dask.dataframe as dd
    import pandas as pd
    import pyarrow as pa

    documents = frame[check_columns(columns, frame.columns)]
    meta = pd.DataFrame(
        {
            "bucket": pd.Series(dtype=np.int64),
            "rows": pd.Series(dtype=pd.ArrowDtype(pa.large_binary())),
        }
    )
    n_buckets = _BUCKETS * frame.npartitions
    pack = dask.delayed(partial(_pack, columns=columns, n_buckets=n_buckets, meta=meta))
    parts = [pack(part, number) for number, part in enumerate(documents.to_delayed())]
    packed = dd.from_delayed(parts, meta=meta, verify_meta=False)
    packed = packed.shuffle("bucket", npartitions=frame.npartitions)
    options = {"columns": columns, "measures": measures.on_worker(), "keep": keep}
    score = dask.delayed(partial(_score_part, **options))
    return [score(part) for part in packed.to_delayed()]


def _pack(part, number, columns, n_buckets, meta):
    """Return the rows of a partition as a row for each bucket of ids."""
    import pyarrow as pa

    if not len(part):
        return meta
    arrays = columns_of_table(part, columns)
    ids, lengths = ids_of(columns["qid"], arrays["qid"])
    buckets = _hash_ids(ids) % n_buckets
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
    rows = {"bucket": buckets[starts].astype(np.int64), "rows": packed}
    return type(meta)(rows).astype(meta.dtypes)


def _hash_ids(ids):
    """Return a number for each id, the same on every worker and for equal ids."""
    if ids.dtype.kind in "mM":  # whole seconds, which times of any unit have
        ids = ids.astype(f"{ids.dtype.kind}8[s]").astype(np.int64)
    if ids.dtype == object:
        ids = np.array([*map(_number_of_object, ids.tolist())])
    bits = (ids.astype(np.float64) + 0.0).view(np.uint64)  # -0.0 is 0.0
    bits = (bits ^ (bits >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return (bits >> np.uint64(33)).astype(np.int64)


def _number_of_object(id_):
    if hasattr(id_, "__float__"):
        return float(id_)
    return float(crc32(id_ if isinstance(id_, bytes) else str(id_).encode()))


# On the workers -----------------------------------------------------------------------


def _score_part(packed, columns, measures, keep):
    """Return the result of `keep` for a partition's queries, and the types of ids.

    Types are a dict of their kinds to a type and the first partition that had it.
    """
    import pyarrow as pa

    tables = [pa.ipc.open_stream(rows).read_all() for rows in packed["rows"]]
    tables.sort(key=lambda table: table.column("place")[0].as_py())
    types = {}
    for table in tables:
        type_ = table.schema.field("qid").type
        number = table.column("place")[0].as_py() >> 40
        types.setdefault(kind_of(type_), (str(type_), number))
    if len(types) != 1:  # none, or several, which will be refused
        return None, types
    columns = {**columns, "place": "place"}
    names = {name: name for name in columns}
    rows = join_rows([rows_of(pick(table, names), columns) for table in tables])
    return keep(rows, measures.score(rows)), types


def _keep_places(rows, scored):
    """Return the scores of queries, and the place of the first row of each."""
    queries = rows.queries()
    first = queries.offsets[:-1]
    first = first if queries.order is None else queries.order[first]
    return scored, rows.values["place"][first]


def _merge(parts):
    """Return the state of several parts, and the types of their ids."""
    states = [state for state, _ in parts if state is not None]
    types = _first_of_each_kind([types for _, types in parts])
    return State.merge(states) if states else None, types


def _to_pandas(part, columns, meta):
    """Return the table of the queries of a partition."""
    import pandas as pd

    table, types = part
    if not types:
        return meta
    _check_types(types, columns)
    ids = pd.Series(table.pop("qid").tolist(), dtype=meta[columns["qid"]].dtype)
    others = {columns.get(name, name): values for name, values in table.items()}
    return pd.DataFrame({columns["qid"]: ids, **others}).astype(meta.dtypes)


# Types of ids -------------------------------------------------------------------------


def _first_of_each_kind(types):
    """Return the types of several parts, the first of each kind."""
    first = {}
    for part in types:
        for kind, (type_, number) in part.items():
            if kind not in first or number < first[kind][1]:
                first[kind] = type_, number
    return first


def _check_types(types, columns):
    """Refuse a frame without ids, or with ids of several kinds."""
    refuse_empty(len(types))
    first, *others = sorted(types, key=lambda kind: types[kind][1])
    for other in others:
        places = [
            (kind, types[kind][0], f"partition {types[kind][1]}")
            for kind in (first, other)
        ]
        refuse_other_kind(columns["qid"], *places)
