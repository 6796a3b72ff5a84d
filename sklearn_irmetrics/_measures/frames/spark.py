"""Spark DataFrames."""

from itertools import chain

import numpy as np

from sklearn_irmetrics._measures.frames.arrow import ids_of, rows_of
from sklearn_irmetrics._measures.frames.rows import (
    check_columns,
    refuse_type,
    whole_queries,
)
from sklearn_irmetrics._measures.frames.scored import refuse_empty
from sklearn_irmetrics._measures.parts import Scored


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
    results = _score_partitions(
        columns, measures, batch_size, documents.repartition("qid")
    )
    found = results.toArrow()
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
        *(T.DateType, T.TimestampType, T.TimestampNTZType, T.DayTimeIntervalType),
    )
    for parameter, name in columns.items():
        type_ = schema.fields[schema.names.index(name)].dataType
        if not isinstance(type_, ids if parameter == "qid" else numbers):
            refuse_type(parameter, name, type_.simpleString())


def _score_partitions(columns, measures, batch_size, documents):
    """Return a DataFrame of the values of each query in each partition."""
    from pyspark.sql import types as T

    def score(batches):
        first = next(batches, None)
        if first is not None:
            id_type = first.schema.field("qid").type
            batches = (batch for batch in chain([first], batches) if batch.num_rows)
            rows = (
                rows_of({name: batch.column(name) for name in columns}, columns)
                for batch in batches
            )
            for piece in whole_queries(rows, batch_size):
                yield _pack(measures.score(piece), id_type)

    qid = documents.schema["qid"]
    fields = [
        T.StructField("qid", qid.dataType),
        T.StructField("values", T.ArrayType(T.DoubleType())),
    ]
    if "sample_weight" in columns:
        fields.append(T.StructField("sample_weight", T.DoubleType()))
    together = documents.sortWithinPartitions(
        "qid", *["row"] * ("row" in documents.columns)
    )
    return together.mapInArrow(score, T.StructType(fields))


def _pack(scored, id_type):
    """Return values of queries as Spark takes them: one list for each query."""
    import pyarrow as pa

    n_queries = len(scored.query_ids)
    values = np.vstack([np.atleast_2d(rows) for rows in scored.values.values()])
    offsets = np.arange(n_queries + 1, dtype=np.int32) * len(values)
    columns = {
        "qid": pa.array(scored.query_ids, type=id_type),
        "values": pa.ListArray.from_arrays(offsets, values.T.ravel()),
    }
    if scored.weights is not None:
        columns["sample_weight"] = pa.array(scored.weights)
    return pa.RecordBatch.from_pydict(columns)


def _unpack(table, columns, measures):
    """Return the `Scored` that was packed."""
    table = table.combine_chunks()
    packed = table.column("values").combine_chunks().flatten().to_numpy()
    rows = iter(packed.reshape(table.num_rows, -1).T)
    values = {
        label: next(rows) if tried.ndim == 1 else np.array([next(rows) for _ in tried])
        for label, tried in measures.try_out().items()
    }
    weights = None
    if "sample_weight" in table.column_names:
        weights = table.column("sample_weight").to_numpy()
    ids, lengths = ids_of(columns["qid"], table.column("qid"))
    ids = ids if lengths is None else np.repeat(ids, lengths)
    return Scored(ids, values, weights)
