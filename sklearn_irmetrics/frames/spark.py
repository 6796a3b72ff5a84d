"""Spark DataFrames."""

from itertools import chain

import numpy as np

from sklearn_irmetrics.frames.arrow import ids_of, pick, rows_of
from sklearn_irmetrics.frames.rows import check_columns, refuse_type, whole_queries
from sklearn_irmetrics.frames.scored import refuse_empty
from sklearn_irmetrics.metrics._ranking.compute import Doubts
from sklearn_irmetrics.reports.query_scores import Scored, compact, count_rows
from sklearn_irmetrics.streaming.summary import State


def score_spark(frame, columns, measures, batch_size):
    """Return the values of all queries, computed partition by partition.

    Spark brings the rows of each query together. The driver gets one row per query.
    """
    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    check_columns(columns, frame.columns)
    _check_types(frame.schema, columns)
    measures = measures.for_workers()
    # Taken by place, since names that nothing needs may be there twice.
    numbered = frame.toDF(*map(str, range(len(frame.columns))))
    documents = numbered.select(
        [
            F.col(str(frame.columns.index(name))).alias(parameter)
            for parameter, name in columns.items()
        ]
    )
    texts = T.StringType, T.CharType, T.VarcharType
    if isinstance(documents.schema["qid"].dataType, texts):
        # Without its collation: texts are equal where their characters are.
        documents = documents.withColumn("qid", F.col("qid").cast("string"))
    if measures.depends_on_rows:
        documents = documents.withColumn("row", F.monotonically_increasing_id())
    documents = documents.repartition("qid")
    rows = [name for name in ("qid", "row") if name in documents.columns]
    documents = documents.sortWithinPartitions(*rows)
    if measures.per_query == "frame":
        return _frame_of(columns, measures, batch_size, documents)
    if not measures.per_query:
        return _state_of(columns, measures, batch_size, documents)
    found = _score_partitions(columns, measures, batch_size, documents).toArrow()
    refuse_empty(found.num_rows)
    scored = _unpack(found, columns, measures)
    return scored.take(np.argsort(scored.query_ids, kind="stable"))


def _check_types(schema, columns):
    """Refuse types before anything is read."""
    from pyspark.sql import types as T

    numbers = T.NumericType, T.BooleanType
    ids = (
        *numbers,
        *(T.StringType, T.CharType, T.VarcharType, T.BinaryType),
        *(T.DateType, T.TimestampType, T.TimestampNTZType),
    )
    for parameter, name in columns.items():
        type_ = schema.fields[schema.names.index(name)].dataType
        if parameter == "by":
            continue
        if not isinstance(type_, ids if parameter in ("qid", "doc") else numbers):
            refuse_type(parameter, name, type_.simpleString())


def _pieces(columns, batch_size, batches):
    """Yield `Rows` of whole queries of a partition, and the schema of its batches."""
    first = next(batches, None)
    if first is not None:
        batches = (batch for batch in chain([first], batches) if batch.num_rows)
        names = {name: name for name in columns}
        rows = (rows_of(pick(batch, names), columns) for batch in batches)
        for piece in whole_queries(rows, batch_size):
            yield piece, first.schema


def _state_of(columns, measures, batch_size, documents):
    """Return the merged `State`: each partition has one, then each bucket of keys.

    The driver gets a row per segment.
    """
    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    key = documents.schema["by"].dataType if "by" in columns else T.BooleanType()
    fields = T.StructField("key", key), T.StructField("sums", T.BinaryType())
    schema = T.StructType([*fields, T.StructField("least", T.DoubleType())])

    def summarise(batches):
        state = None
        for piece, _ in _pieces(columns, batch_size, batches):
            found = measures.reduce(piece)
            state = found if state is None else measures.join([state, found])
        if state is not None:
            yield from _pack_state(state, schema).to_batches()

    def merge(table):
        return _pack_state(measures.join([_unpack_state(table, measures)]), schema)

    states = documents.mapInArrow(summarise, schema)
    bucket = F.pmod(F.xxhash64("key"), F.lit(_BUCKETS)).alias("bucket")
    found = states.groupBy(bucket).applyInArrow(merge, schema).toArrow()
    refuse_empty(found.num_rows)
    return _unpack_state(found, measures)


_BUCKETS = 16


def _pack_state(state, schema):
    import pyarrow as pa
    from pyspark.sql.pandas.types import to_arrow_schema

    keys = [key for key, _ in state.keys]
    sums = [row.tobytes() for row in state.table]
    least = [state.doubts.least] * len(keys)
    return pa.table([keys, sums, least], schema=to_arrow_schema(schema))


def _unpack_state(table, measures):
    sums = table.column("sums").to_pylist()
    rows = [np.frombuffer(row).reshape(len(measures.measures), -1) for row in sums]
    keys = [(key, None) for key in table.column("key").to_pylist()]
    return State(keys, np.array(rows), _doubts(table))


def _doubts(table):
    """Return the doubts about all rows of a table; Spark has no floats of 16 bits."""
    return Doubts(min(table.column("least").to_pylist()))


def _frame_of(columns, measures, batch_size, documents):
    """Return a DataFrame of the scores of queries; nothing is computed yet."""
    from pyspark.sql import types as T

    names = [name for name in ("qid", "by") if name in columns]
    fields = [
        T.StructField(columns[name], documents.schema[name].dataType) for name in names
    ]
    fields += [T.StructField(label, T.DoubleType()) for label in measures.measures]

    def score(batches):
        import pyarrow as pa

        for piece, schema in _pieces(columns, batch_size, batches):
            ids, found = measures.reduce(piece)
            arrays = {columns["qid"]: pa.array(ids, type=schema.field("qid").type)}
            if "by" in columns:
                type_ = schema.field("by").type
                arrays[columns["by"]] = pa.array(found.pop("by"), type=type_)
            # Null where undefined: Spark's mean of NaN is NaN.
            arrays |= {
                label: pa.array(values, from_pandas=True)
                for label, values in found.items()
            }
            yield pa.RecordBatch.from_pydict(arrays)

    return documents.mapInArrow(score, T.StructType(fields))


def _score_partitions(columns, measures, batch_size, documents):
    """Return a DataFrame of the values of each query in each partition."""
    from pyspark.sql import types as T

    def score(batches):
        for piece, schema in _pieces(columns, batch_size, batches):
            yield _pack(measures.reduce(piece), schema.field("qid").type)

    qid = documents.schema["qid"]
    fields = [
        T.StructField("qid", qid.dataType),
        T.StructField("values", T.ArrayType(T.DoubleType())),
        T.StructField("least", T.DoubleType()),
    ]
    if "sample_weight" in columns:
        fields.append(T.StructField("sample_weight", T.DoubleType()))
    return documents.mapInArrow(score, T.StructType(fields))


def _pack(scored, id_type):
    """Return values of queries as Spark takes them: one list for each query."""
    import pyarrow as pa

    n_queries = len(scored.query_ids)
    values = np.vstack([np.atleast_2d(rows) for rows in scored.values.values()])
    offsets = np.arange(n_queries + 1, dtype=np.int32) * len(values)
    columns = {
        "qid": pa.array(scored.query_ids, type=id_type),
        "values": pa.ListArray.from_arrays(offsets, values.T.ravel()),
        "least": pa.array(np.full(n_queries, float(scored.doubts.least))),
    }
    if scored.weights is not None:
        columns["sample_weight"] = pa.array(scored.weights)
    return pa.RecordBatch.from_pydict(columns)


def _unpack(table, columns, measures):
    """Return the `Scored` that was packed."""
    table = table.combine_chunks()
    packed = table.column("values").combine_chunks().flatten().to_numpy()
    rows = iter(packed.reshape(table.num_rows, -1).T)
    values = {}
    for label, measure in measures.measures.items():
        found = np.array([next(rows) for _ in range(count_rows(measure))])
        values[label] = found if len(found) > 1 else found[0]
    weights = None
    if "sample_weight" in table.column_names:
        weights = table.column("sample_weight").to_numpy()
    ids, lengths = ids_of(columns["qid"], table.column("qid"))
    ids = ids if lengths is None else np.repeat(ids, lengths)
    return Scored(compact(ids), values, weights, _doubts(table))
