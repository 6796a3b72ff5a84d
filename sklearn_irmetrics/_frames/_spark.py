"""Spark DataFrames."""

from itertools import chain

import numpy as np

from sklearn_irmetrics._frames._arrow import rows_of
from sklearn_irmetrics._frames._measures import Scored, concatenate, refuse_empty
from sklearn_irmetrics._frames._rows import check_columns, whole_queries


def score_spark(frame, columns, measures, batch_size):
    """Return the values of all queries, computed partition by partition.

    Every partition, sorted, is scored as if it held whole queries. Spark then counts
    the results of each query: of those with several, which straddle partitions, the
    rows are brought together and scored again. The driver gets one row per query.
    """
    from pyspark.sql import functions as F

    check_columns(columns, frame.columns)
    measures = measures.for_workers()
    documents = frame.select(
        [
            F.col(f"`{name.replace('`', '``')}`").alias(parameter)
            for parameter, name in columns.items()
        ]
    )
    if measures.ties == "stable":
        documents = documents.withColumn("row", F.monotonically_increasing_id())
    names = ["values", *["sample_weight"] * ("sample_weight" in columns)]
    found = (
        _score_partitions(documents, measures, batch_size)
        .groupBy("qid")
        .agg(F.count("*").alias("n"), *(F.first(name).alias(name) for name in names))
        .toArrow()
        .combine_chunks()
    )
    refuse_empty(found.num_rows)
    scored = _unpack(found, measures)
    straddles = found.column("n").to_numpy() > 1
    if straddles.any():
        ids = found.select(["qid"]).filter(straddles)
        ids = frame.sparkSession.createDataFrame(ids)
        gathered = documents.join(ids.hint("broadcast"), "qid", "left_semi")
        again = _score_partitions(gathered.repartition("qid"), measures, batch_size)
        again = _unpack(again.toArrow().combine_chunks(), measures)
        scored = concatenate([scored.take(~straddles), again])
    return scored.take(np.argsort(scored.query_ids, kind="stable"))


def _score_partitions(documents, measures, batch_size):
    """Return a DataFrame of the values of each query in each partition."""
    from pyspark.sql import types as T

    columns = {name: name for name in documents.columns if name != "row"}

    def score(batches):
        first = next(batches, None)
        if first is not None:
            id_type = first.schema.field("qid").type
            batches = (batch for batch in chain([first], batches) if batch.num_rows)
            rows = (rows_of(batch, columns) for batch in batches)
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


def _unpack(table, measures):
    """Return the `Scored` that was packed."""
    packed = table.column("values").combine_chunks().flatten().to_numpy()
    rows = iter(packed.reshape(table.num_rows, -1).T)
    values = {
        label: next(rows) if tried.ndim == 1 else np.array([next(rows) for _ in tried])
        for label, tried in measures.try_out().items()
    }
    weights = None
    if "sample_weight" in table.column_names:
        weights = table.column("sample_weight").to_numpy()
    return Scored(table.column("qid").to_numpy(), values, weights)
