"""`score_frame` on Dask and Spark, run for real on two workers of this machine."""

import itertools
import os
import re
import sys
import warnings
from uuid import uuid4

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import UndefinedMetricWarning

from oracles.frames import (
    COLUMNS,
    check_frame,
    check_summary,
    check_warnings,
    make_frame,
    shuffled,
)
from oracles.places import ROOT
from sklearn_irmetrics.exceptions import FractionalGradesWarning
from sklearn_irmetrics.frames import score_frame, score_lazily, summarize_frame

pd = pytest.importorskip("pandas")

MEASURES = ["ndcg@10", "map", "gmap", "f(average='micro')@5", "rbp(max_grade=3)"]
# Their releases lag behind those of what they stand on, and say so.
pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
    pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame"),
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]


GRADES = make_frame().dropna(subset="grade").reset_index(drop=True)
# For every kind of cluster: measures, and what `score_frame` is told of them.
CASES = {
    "weights": (MEASURES, {"sample_weight": "weight"}),
    "marks": ("novelty", {"marks": {"known": "seen"}}),
    "subtopics": (["alpha_ndcg@3", "ndcg@3"], {"y_true": ["grade", "other"]}),
}
FEW = GRADES[GRADES["query"] < 20]
cases = pytest.mark.parametrize("case", CASES)


COUNTRIES = np.array(["uk", "de", None], dtype=object)
SUMS = {**COLUMNS, "sample_weight": "weight"}
LAZY = {**COLUMNS, "by": "country"}
functions = pytest.mark.parametrize("function", [score_frame, summarize_frame])
undefined = pytest.mark.filterwarnings("ignore:.* undefined in")


def with_countries(frame):
    country = COUNTRIES[frame["query"] % 3]
    region = [name or "fr" for name in country]
    return frame.assign(country=country, region=region)


def check_sums(table, frame):
    """Compare what a cluster sums up with the scores of the same DataFrame."""
    found = summarize_frame(table, MEASURES, **SUMS)
    want = score_frame(frame, MEASURES, **COLUMNS, sample_weight="weight")
    check_summary(found, want)
    found = summarize_frame(table, "map", **SUMS, by="region").mean
    want = summarize_frame(frame, "map", **SUMS, by="region").mean
    assert set(found) == set(want) == {("map", name) for name in ("uk", "de", "fr")}
    for key, mean in want.items():
        assert_allclose(found[key], mean, rtol=1e-12)
    with pytest.raises(Exception, match="doc must name each document of a query once"):
        summarize_frame(table, "map", **SUMS, doc="seen")


def check_doubts(table):
    """Check that grades that look like scores are warned of once."""
    for function in (score_frame, summarize_frame):
        with pytest.warns(FractionalGradesWarning, match="all above 0") as caught:
            function(table, "map", **COLUMNS)
        assert [one.category for one in caught].count(FractionalGradesWarning) == 1


def check_lazy(found, frame):
    """Compare a pandas DataFrame of scores of queries with those of the same rows."""
    want = score_frame(frame, MEASURES, **COLUMNS)
    assert list(found.columns) == ["query", "country", *MEASURES]
    found = found.set_index("query").loc[want.query_ids]
    for label in MEASURES:
        assert_allclose(found[label], want.scores[label], rtol=1e-12)
    first = frame.drop_duplicates("query").set_index("query")["country"]
    assert found["country"].fillna("").tolist() == first.fillna("").tolist()


def by_id(frame):
    return frame.sort_values("query", kind="stable")


@pytest.fixture(scope="module")
def dd():
    pytest.importorskip("pyarrow")  # which Dask's DataFrames need
    return pytest.importorskip("dask.dataframe")


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


def cut(frame, n_parts):
    ends = np.linspace(0, len(frame), n_parts + 1).astype(int)
    return [frame.iloc[start:end] for start, end in itertools.pairwise(ends)]


def partition(dd, *frames):
    """A Dask DataFrame of parts as they are, which Dask would make text of."""
    dask = pytest.importorskip("dask")
    with dask.config.set({"dataframe.convert-string": False}):
        parts = [dask.delayed(frame) for frame in frames]
        return dd.from_delayed(parts, meta=frames[0].head(0), verify_meta=False)


def split(dd, frame, n_partitions=4):
    return dd.from_pandas(frame, npartitions=n_partitions, sort=False)


class TestDask:
    @pytest.mark.parametrize("n_partitions", [1, 9])
    @pytest.mark.parametrize("order", [lambda frame: frame, shuffled])
    def test_on_two_workers(self, dd, dask_client, order, n_partitions):
        assert len(set(dask_client.run(os.getpid).values()) - {os.getpid()}) == 2
        frame = order(GRADES)
        parts = split(dd, frame, n_partitions)
        check_frame(parts, frame, MEASURES, sample_weight="weight")

    def test_parquet_on_two_workers(self, dd, dask_client, tmp_path):
        frame = GRADES.astype({"query": str})
        split(dd, frame).to_parquet(tmp_path)
        check_frame(dd.read_parquet(tmp_path), frame, MEASURES)

    @pytest.mark.parametrize("ties", ["stable", "optimistic"])
    def test_rules_for_ties(self, dd, ties):
        frame = shuffled(GRADES)
        check_frame(split(dd, frame, 6), frame, MEASURES, ties=ties)

    @cases
    def test_what_frames_may_hold(self, dd, case):
        metrics, options = CASES[case]
        frame = shuffled(GRADES)
        check_frame(partition(dd, *cut(frame, 3)), frame, metrics, **options)

    @pytest.mark.parametrize(
        "ids",
        [
            lambda ids: [f"q{i}" for i in ids],
            lambda ids: pd.Categorical([f"q{i}" for i in ids]),
            lambda ids: pd.Timestamp(2024, 1, 1) + pd.to_timedelta(ids, "D"),
            lambda ids: (10**13 + ids.to_numpy()).view("M8[s]"),  # no microseconds
            lambda ids: pd.array(ids, dtype="Int32"),
            lambda ids: pd.array(["a" + "\0" * i for i in ids], dtype=object),
        ],
    )
    def test_ids_of_other_types(self, dd, ids):
        frame = shuffled(GRADES)
        frame["query"] = ids(frame["query"])
        got = check_frame(partition(dd, *cut(frame, 4)), frame, "map")
        assert set(got.query_ids.tolist()) == set(frame["query"].to_numpy().tolist())

    def test_times_of_several_units(self, dd):
        frame = shuffled(GRADES)
        days = pd.to_datetime(frame["query"], unit="D")
        halves = [
            half.assign(query=days[half.index].astype(f"datetime64[{unit}]"))
            for half, unit in zip(cut(frame, 2), ("s", "ns"), strict=True)
        ]
        check_frame(partition(dd, *halves), frame.assign(query=days), "map")

    @pytest.mark.parametrize(
        "names",
        [
            ["query number", "place of row", "ids", "place"],
            ["place", "y_true", "qid", "ids"],
        ],
    )
    def test_names_of_other_columns(self, dd, names):
        columns = {**COLUMNS, "sample_weight": "weight"}
        own = dict(zip(columns.values(), names, strict=True))
        frame = shuffled(GRADES[[*own]]).rename(columns=own)
        columns = {parameter: own[name] for parameter, name in columns.items()}
        parts = partition(dd, *cut(frame, 4))
        check_frame(parts, frame, MEASURES, ties="stable", **columns)

    def test_columns_that_nothing_needs_may_be_named_alike(self, dd):
        frame = shuffled(GRADES)
        frame = pd.concat([frame, frame[["weight"]]], axis=1)
        check_frame(partition(dd, *cut(frame, 4)), frame, "map")

    @pytest.mark.parametrize(
        ("first", "other"),
        [("int64", "uint64"), ("int8", "float32"), ("UInt64", "int64[pyarrow]")],
    )
    def test_numbers_of_types_that_are_unified_exactly(self, dd, first, other):
        large = 2**62 if "int64" in other else 0
        frame = shuffled(GRADES)
        frame["query"] += large
        frame["score"] = np.arange(len(frame)) % 100
        halves = [
            half.astype({"query": type_, "score": type_})
            for half, type_ in zip(cut(frame, 2), (first, other), strict=True)
        ]
        check_frame(partition(dd, *halves), frame, MEASURES)

    @pytest.mark.parametrize(
        ("first", "other"),
        [
            ([1, 2], ["1", "2"]),
            (["1", "2"], [b"1", b"2"]),
            ([1, 2], [True, False]),
            (["1", "2"], np.array([1, 2])),
            (
                pd.DatetimeIndex(["2024-01-01", "2024-01-02"]),
                pd.DatetimeIndex(["2024-01-01", "2024-01-02"], tz="Asia/Kolkata"),
            ),
        ],
    )
    def test_ids_of_different_types(self, dd, first, other):
        halves = [
            pd.DataFrame({"query": ids, "grade": [0, 1], "score": [1, 2]})
            for ids in (first, other)
        ]
        pa = pytest.importorskip("pyarrow")
        types = [re.escape(str(pa.array(half["query"]).type)) for half in halves]
        message = (
            f"qid must be of one type throughout; column 'query' is of type {types[0]} "
            f"in partition 0 and of type {types[1]} in partition 1"
        )
        with pytest.raises(TypeError, match=message):
            score_frame(partition(dd, *halves), "map", **COLUMNS)

    def test_empty_partitions(self, dd):
        parts, first = split(dd, GRADES), GRADES["query"].iloc[0]
        few = GRADES[GRADES["query"] == first]
        check_frame(parts[parts["query"] == first], few, "map")
        with pytest.raises(ValueError, match="frame must hold at least one row"):
            score_frame(parts[parts["query"] < 0], "map", **COLUMNS)

    def test_undefined_queries_are_warned_of_once(self, dd):
        frame = GRADES.assign(grade=GRADES["query"] % 2)
        assert check_warnings(split(dd, frame), frame, "map", UndefinedMetricWarning)

    @undefined
    def test_sums_and_lazy_scores(self, dd, dask_client):
        frame = with_countries(shuffled(GRADES))
        parts = partition(dd, *cut(frame, 9))
        check_sums(parts, frame)
        check_lazy(score_lazily(parts, MEASURES, **LAZY).compute(), frame)

    @undefined
    @functions
    def test_rows_are_made_once(self, dd, dask_client, function, tmp_path):
        def make(part):
            (tmp_path / uuid4().hex).write_text(str(len(part)))
            return part

        dask = pytest.importorskip("dask")
        parts = [dask.delayed(make)(part) for part in cut(shuffled(GRADES), 5)]
        frame = dd.from_delayed(parts, meta=GRADES.head(0), verify_meta=False)
        function(frame, "map", **COLUMNS)
        made = [int(path.read_text()) for path in tmp_path.iterdir()]
        assert sum(made) == len(GRADES)

    def test_columns_that_may_be_swapped_are_warned_of(self, dd):
        check_doubts(split(dd, GRADES.assign(grade=0.5)))

    def test_errors(self, dd):
        parts = split(dd, GRADES)
        with pytest.raises(ValueError, match="y_true must name a column"):
            score_frame(parts, "map", **COLUMNS | {"y_true": "rel"})
        with pytest.raises(ValueError, match="k must be an integer >= 1"):
            score_frame(parts, "map@0", **COLUMNS)
        varying = parts.assign(weight=parts["query"] + parts["grade"] + 10)
        with pytest.raises(ValueError, match="constant inside a query"):
            score_frame(varying, "map", **COLUMNS, sample_weight="weight")
        ids = GRADES["query"].astype(float).mask(GRADES.index == 5)
        with pytest.raises(ValueError, match="qid must not contain missing values"):
            score_frame(split(dd, GRADES.assign(query=ids)), "map", **COLUMNS)


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
