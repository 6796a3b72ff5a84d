"""`score_frame` on Spark, run for real on two workers of this machine."""

import os
import re
import sys
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from oracles.clusters import (
    CASES,
    GRADES,
    LAZY,
    MEASURES,
    cases,
    check_doubts,
    check_lazy,
    check_sums,
    functions,
    undefined,
    with_countries,
)
from oracles.frames import COLUMNS, check_frame, shuffled
from oracles.places import ROOT
from sklearn_irmetrics.frames import score_frame, score_lazily

pd = pytest.importorskip("pandas")
# Their releases lag behind those of what they stand on, and say so.
pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
    pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame"),
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]

FEW = GRADES[GRADES["query"] < 20]


def by_id(frame):
    return frame.sort_values("query", kind="stable")


@pytest.fixture(scope="module")
def spark():
    pytest.importorskip("pyarrow")
    sql = pytest.importorskip("pyspark.sql")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
        builder = sql.SparkSession.builder.master("local[2]")
        options = {
            "spark.ui.enabled": "false",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.memory": "600m",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.shuffle.partitions": "3",
            "spark.sql.execution.arrow.maxRecordsPerBatch": "100",
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "ERROR",
            "spark.sql.session.timeZone": "Europe/Berlin",
        }
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                session = builder.config(map=options).getOrCreate()
        except Exception as error:
            if type(error).__name__ != "PySparkRuntimeError":
                raise
            pytest.skip(f"Spark does not start, as a rule without Java: {error}")
        yield session
        session.stop()


class TestSpark:
    def test_columns_that_may_be_swapped_are_warned_of(self, spark):
        check_doubts(spark.createDataFrame(FEW.assign(grade=0.5)))

    @pytest.mark.parametrize("order", [lambda frame: frame, shuffled])
    def test_numbers(self, spark, order):
        table = spark.createDataFrame(order(FEW))
        table = table if order is not shuffled else table.repartition(5)
        options = {"sample_weight": "weight", "batch_size": 150}
        check_frame(table, by_id(FEW), MEASURES, **options)

    @cases
    def test_what_frames_may_hold(self, spark, case):
        metrics, options = CASES[case]
        table = spark.createDataFrame(shuffled(FEW)).coalesce(2)
        check_frame(table, by_id(shuffled(FEW)), metrics, **options)

    def test_types_and_nulls(self, spark):
        frame = FEW.assign(
            query=FEW["query"].map("q {}".format), grade=FEW["grade"] % 3
        )
        table = spark.createDataFrame(frame).repartition(4)
        table = table.selectExpr(
            "query as `the.query`",
            "nullif(cast(grade as tinyint), 1) as grade",
            "cast(score as float) as score",
        )
        frame["grade"] = frame["grade"].where(frame["grade"] != 1)
        frame = by_id(frame).astype({"score": np.float32})
        frame = frame.rename(columns={"query": "the.query"})
        check_frame(table, frame, ["bpref", "rr"], qid="the.query")

    def test_order_of_rows_for_ties(self, spark):
        table = spark.createDataFrame(by_id(FEW))
        assert table.rdd.getNumPartitions() == 2
        check_frame(table, by_id(FEW), MEASURES, ties="stable")

    @undefined
    def test_sums_and_lazy_scores(self, spark):
        from pyspark.sql import functions as F

        frame = with_countries(shuffled(FEW))
        table = spark.createDataFrame(frame).repartition(5)
        check_sums(table, frame)
        found = score_lazily(table, MEASURES, **LAZY)
        check_lazy(found.toArrow().to_pandas(), frame)
        want = score_frame(frame, "map", **COLUMNS).mean["map"]
        assert_allclose(found.agg(F.avg("map")).first()[0], want, rtol=1e-12)

    @undefined
    @functions
    def test_rows_are_made_once(self, spark, function):
        made = spark.sparkContext.accumulator(0)

        def make(batches):
            for batch in batches:
                made.add(batch.num_rows)
                yield batch

        table = spark.createDataFrame(FEW).repartition(4)
        counted = table.mapInArrow(make, table.schema)
        function(counted, "map", **COLUMNS)
        assert made.value == len(FEW)

    def test_errors(self, spark):
        from pyspark.errors import PySparkException

        table = spark.createDataFrame(FEW)
        with pytest.raises(ValueError, match="y_true must name a column"):
            score_frame(table, "map", **COLUMNS | {"y_true": "rel"})
        with pytest.raises(ValueError, match="k must be an integer >= 1"):
            score_frame(table, "map@0", **COLUMNS)
        with pytest.raises(ValueError, match="frame must hold at least one row"):
            score_frame(table.where("query < 0"), "map", **COLUMNS)
        missing = table.selectExpr("nullif(query, 1) as query", "grade", "score")
        with pytest.raises(PySparkException, match="qid must not contain missing"):
            score_frame(missing, "map", **COLUMNS)

    IDS = {
        "bigint": f"{2**62}, {2**62 + 1}, -3",
        "decimal(38,2)": f"{10**30}.01, {10**30}.02, cast(1 as decimal(38, 2))",
        "string": "'a', 'a\0', 'A'",
        "string collate UTF8_LCASE": "'a' collate UTF8_LCASE, 'A', 'b'",
        "binary": "x'01', x'0100', x''",
        "date": "date'2024-02-29', date'2024-03-01', date'0024-01-01'",
        # The clock shows 2:30 twice on the one day, never on the other.
        "timestamp": "timestamp'2024-10-27 00:30:00Z', timestamp'2024-10-27 01:30:00Z',"
        " timestamp'1900-01-01 00:00:00Z'",
        "timestamp_ntz": "timestamp_ntz'2024-10-27 02:30:00',"
        " timestamp_ntz'2024-03-31 02:30:00', timestamp_ntz'2024-03-31 03:30:00'",
    }
    REFUSED = {
        "void": "null, null, null",
        "interval": "make_interval(1), make_interval(2), make_interval(3)",
        "interval day to second": "interval '1' day,"
        " interval '25' hour, interval '1' second",
        "interval year to month": "interval '1' year,"
        " interval '2' year, interval '1' month",
        "array<int>": "array(1), array(2), array(3)",
        "map<int,int>": "map(1, 1), map(1, 2), map(1, 3)",
        "struct<col1:int>": "struct(1), struct(2), struct(3)",
        "variant": "parse_json('1'), parse_json('2'), parse_json('3')",
    }

    def of_type(self, spark, values, column="query"):
        """Rows in two partitions, so that queries straddle them."""
        which = "element_at(array(1, 1, 2, 3, 2, 3, 1, 3), cast(id + 1 as int))"
        columns = {
            "query": which,
            "grade": "element_at(array(0, 1, 1, 0, 0, 0, 0, 1), cast(id + 1 as int))",
            "score": "element_at(array(3, 2, 3, 3, 2, 2, 1, 1), cast(id + 1 as int))",
        }
        columns[column] = f"element_at(array({values}), {which})"
        selected = [f"{value} as {name}" for name, value in columns.items()]
        return spark.range(0, 8, 1, 2).selectExpr(*selected)

    @pytest.mark.parametrize("type_", IDS)
    def test_ids(self, spark, type_):
        table = self.of_type(spark, self.IDS[type_])
        assert table.schema["query"].dataType.simpleString() == type_
        got = score_frame(table, "rr", **COLUMNS)
        want = score_frame(table.toArrow(), "rr", **COLUMNS)
        assert sorted(want.scores["rr"]) == [1 / 3, 1 / 2, 1]
        by_id = np.argsort(want.query_ids)
        assert got.query_ids.tolist() == want.query_ids[by_id].tolist()
        assert got.query_ids.dtype.kind == want.query_ids.dtype.kind
        assert_array_equal(got.scores["rr"], want.scores["rr"][by_id])

    @pytest.mark.parametrize("type_", REFUSED)
    def test_ids_of_other_types(self, spark, type_):
        message = f"qid must be .*'query' is of type {re.escape(type_)}"
        with pytest.raises(TypeError, match=message):
            score_frame(self.of_type(spark, self.REFUSED[type_]), "rr", **COLUMNS)

    @pytest.mark.parametrize(
        "type_", [*REFUSED, "string", "binary", "date", "timestamp"]
    )
    def test_other_types_as_numbers(self, spark, type_):
        values = {**self.IDS, **self.REFUSED}[type_]
        for column, parameter in ("grade", "y_true"), ("score", "y_score"):
            message = f"{parameter} must be .*'{column}' is of type {re.escape(type_)}"
            with pytest.raises(TypeError, match=message):
                score_frame(self.of_type(spark, values, column), "rr", **COLUMNS)

    def test_decimals_and_booleans_as_numbers(self, spark):
        table = self.of_type(spark, "1Y, 2Y, 3Y").selectExpr(
            "query",
            "grade > 0 as grade",
            "cast(score as decimal(20, 10)) / 10 as score",
            "cast(query as decimal(5, 2)) as weight",
        )
        got = score_frame(table, "rr", **COLUMNS, sample_weight="weight")
        assert_allclose(got.scores["rr"], [1 / 2, 1, 1 / 3])
        assert_allclose(got.mean["rr"], (1 / 2 + 2 + 1) / 6)

    def test_columns_that_nothing_needs_may_be_named_alike(self, spark):
        table = self.of_type(spark, "1, 2, 3").selectExpr(
            "*", "1 as x", "2 as x", "1 as X"
        )
        got = score_frame(table, "rr", **COLUMNS)
        assert_allclose(got.scores["rr"], [1 / 2, 1, 1 / 3])
        with pytest.raises(ValueError, match="'x', which stands 2 times"):
            score_frame(table, "rr", **{**COLUMNS, "y_score": "x"})
