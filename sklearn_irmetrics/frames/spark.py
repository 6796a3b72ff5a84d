"""Spark DataFrames."""

from itertools import chain

import numpy as np

from sklearn_irmetrics.frames.arrow import ids_of, pick, rows_of
from sklearn_irmetrics.frames.measures import refuse_empty
from sklearn_irmetrics.frames.rows import check_columns, refuse_type, whole_queries
from sklearn_irmetrics.metrics._per_query import numbers_per_query
from sklearn_irmetrics.metrics._ranking.compute import InputWarnings
from sklearn_irmetrics.reports.query_scores import Scored, compact
from sklearn_irmetrics.streaming.state import State

_BUCKETS = 16  # of keys, whose sums are merged together


def collect_scores(frame, columns, measures, batch_size):
    """Return the `Scored` of all queries, sorted by id.

    The driver gets a row per query.
    """
    from pyspark.sql import types as T

    documents = _gather(frame, columns, measures)
    measures = measures.on_worker()

    def score(batches):
        for rows, schema in _pieces(columns, batch_size, batches):
            yield _pack(measures.score(rows), schema.field("qid").type)

    fields = [
        T.StructField("qid", documents.schema["qid"].dataType),
        T.StructField("values", T.ArrayType(T.DoubleType())),
        T.StructField("least", T.DoubleType()),
    ]
    if "sample_weight" in columns:
        fields.append(T.StructField("sample_weight", T.DoubleType()))
    table = documents.mapInArrow(score, T.StructType(fields)).toArrow()
    refuse_empty(table.num_rows)
    scored = _unpack(table, columns, measures)
    return scored.take(np.argsort(scored.query_ids, kind="stable"))


def collect_sums(frame, columns, measures, batch_size):
    """Return the `State` of all queries; the driver gets a row per segment.

    Each partition has a state, and then each bucket of segments.
    """
    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    documents = _gather(frame, columns, measures)
    measures = measures.on_worker()
    segment = documents.schema["by"].dataType if "by" in columns else T.BooleanType()
    schema = T.StructType(
        [
            T.StructField("segment", segment),
            T.StructField("sums", T.BinaryType()),
            T.StructField("least", T.DoubleType()),
        ]
    )

    def sum_up(batches):
        state = None
        for rows, _ in _pieces(columns, batch_size, batches):
            sums = measures.sum_up(rows, measures.score(rows))
            state = sums if state is None else State.merge([state, sums])
        if state is not None:
            yield from _pack_state(state, schema).to_batches()

    def merge(table):
        return _pack_state(State.merge([_unpack_state(table, measures)]), schema)

    states = documents.mapInArrow(sum_up, schema)
    bucket = F.pmod(F.xxhash64("segment"), F.lit(_BUCKETS)).alias("bucket")
    merged = states.groupBy(bucket).applyInArrow(merge, schema).toArrow()
    refuse_empty(merged.num_rows)
    return _unpack_state(merged, measures)


def lazy_scores(frame, columns, measures, batch_size):
    """Return a DataFrame of the scores of queries; nothing is computed yet."""
    from pyspark.sql import types as T

    documents = _gather(frame, columns, measures)
    measures = measures.on_worker()
    kept = [name for name in ("qid", "by") if name in columns]
    fields = [
        T.StructField(columns[name], documents.schema[name].dataType) for name in kept
    ]
    fields += [T.StructField(label, T.DoubleType()) for label in measures.measures]

    def score(batches):
        import pyarrow as pa

        for rows, schema in _pieces(columns, batch_size, batches):
            table = measures.tabulate(rows, measures.score(rows))
            arrays = {
                columns[name]: pa.array(table.pop(name), type=schema.field(name).type)
                for name in kept
            }
            # Null where undefined: Spark's mean of NaN is NaN.
            arrays |= {
                label: pa.array(values, from_pandas=True)
                for label, values in table.items()
            }
            yield pa.RecordBatch.from_pydict(arrays)

    return documents.mapInArrow(score, T.StructType(fields))


def _gather(frame, columns, measures):
    """Return the columns by parameter, the rows of each query beside each other."""
    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    check_columns(columns, frame.columns)
    _check_types(frame.schema, columns)
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
    return documents.sortWithinPartitions(*rows)


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


def _pack_state(state, schema):
    """Return a state as a table: the segment and the sums of each row."""
    import pyarrow as pa
    from pyspark.sql.pandas.types import to_arrow_schema

    segments = [segment for segment, _ in state.keys]
    sums = [row.tobytes() for row in state.table]
    least = [state.input_warnings.least] * len(segments)
    return pa.table([segments, sums, least], schema=to_arrow_schema(schema))


def _unpack_state(table, measures):
    """Return the `State` of what was packed, each segment as often as it is there."""
    sums = table.column("sums").to_pylist()
    rows = [np.frombuffer(row).reshape(len(measures.measures), -1) for row in sums]
    keys = [(segment, None) for segment in table.column("segment").to_pylist()]
    return State(keys, np.array(rows), _input_warnings(table))


def _input_warnings(table):
    """Return the `InputWarnings` of a table; Spark has no floats of 16 bits."""
    return InputWarnings(min(table.column("least").to_pylist()))


def _pack(scored, id_type):
    """Return values of queries as Spark takes them: one list for each query."""
    import pyarrow as pa

    n_queries = len(scored.query_ids)
    values = np.vstack([np.atleast_2d(rows) for rows in scored.values.values()])
    offsets = np.arange(n_queries + 1, dtype=np.int32) * len(values)
    columns = {
        "qid": pa.array(scored.query_ids, type=id_type),
        "values": pa.ListArray.from_arrays(offsets, values.T.ravel()),
        "least": pa.array(np.full(n_queries, float(scored.input_warnings.least))),
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
        numbers = np.array([next(rows) for _ in range(numbers_per_query(measure))])
        values[label] = numbers if len(numbers) > 1 else numbers[0]
    weights = None
    if "sample_weight" in table.column_names:
        weights = table.column("sample_weight").to_numpy()
    ids, lengths = ids_of(columns["qid"], table.column("qid"))
    ids = ids if lengths is None else np.repeat(ids, lengths)
    return Scored(compact(ids), values, weights, _input_warnings(table))
