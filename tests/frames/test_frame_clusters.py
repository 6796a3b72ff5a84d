"""`score_frame` on Dask and Spark, run for real on two workers of this machine."""

import itertools
import os
import re
import sys
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import UndefinedMetricWarning

from oracles.places import ROOT
from sklearn_irmetrics import score_frame, score_queries
from sklearn_irmetrics.exceptions import FractionalGradesWarning

pd = pytest.importorskip("pandas")

COLUMNS = {"qid": "query", "y_true": "grade", "y_score": "score"}
MEASURES = ["ndcg@10", "map", "gmap", "f(average='micro')@5", "rbp(max_grade=3)"]
# Their releases lag behind those of what they stand on, and say so.
pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
    pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame"),
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]


def make_frame(seed=0, n_queries=80):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 40, n_queries)
    n_rows = int(lengths.sum())
    return pd.DataFrame(
        {
            "query": np.repeat(rng.permutation(n_queries), lengths),
            "grade": rng.integers(0, 4, n_rows),
            "score": np.round(rng.normal(size=n_rows), 1),
            "weight": np.repeat(rng.integers(0, 3, n_queries), lengths),
        }
    )


def shuffled(frame):
    return frame.sample(frac=1, random_state=0).reset_index(drop=True)


def expected(frame, metrics=MEASURES, weighted=False, **options):
    if weighted:
        options["sample_weight"] = frame["weight"]
    return score_queries(
        frame["grade"], frame["score"], metrics, qid=frame["query"], **options
    )


def assert_same(got, want):
    assert_array_equal(got.query_ids, want.query_ids)
    for label in want.scores:
        assert_allclose(got.scores[label], want.scores[label], rtol=0, atol=1e-12)
        assert_allclose(got.mean[label], want.mean[label], rtol=1e-12, atol=0)


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


def check_warnings(send):
    """Compare what is said of grades with what is said of arrays of them.

    `send` makes a frame of several partitions.
    """
    for grades, n_warnings in [
        ([0.5, 0.25, 1.0, 2.0, 0.5, 0.0], 0),
        ([1.0, 2.0, 1.0, 2.0, 0.5, 3.0], 2),
    ]:
        table = {"query": [1, 1, 2, 2, 3, 1], "grade": grades}
        frame = pd.DataFrame({**table, "score": [1.0, 2.0, 2.0, 1.0, 3.0, 4.0]})
        with warnings.catch_warnings(record=True) as want:
            warnings.simplefilter("always")
            expected(frame, ["map", "mrr"])
        assert len(want) == n_warnings
        parts = send(frame)
        with warnings.catch_warnings(record=True) as got:
            warnings.simplefilter("always", FractionalGradesWarning)
            score_frame(parts, ["map", "mrr"], **COLUMNS)
        got = [w for w in got if w.category is FractionalGradesWarning]
        assert [str(w.message) for w in got] == [str(w.message) for w in want]


def cut(frame, n_parts):
    ends = np.linspace(0, len(frame), n_parts + 1).astype(int)
    return [frame.iloc[start:end] for start, end in itertools.pairwise(ends)]


def partition(dd, *frames):
    """A Dask DataFrame of parts as they are, which Dask would make text of."""
    dask = pytest.importorskip("dask")
    with dask.config.set({"dataframe.convert-string": False}):
        parts = [dask.delayed(frame) for frame in frames]
        return dd.from_delayed(parts, meta=frames[0].head(0), verify_meta=False)


class TestDask:
    def test_on_two_workers(self, dd, dask_client):
        assert len(set(dask_client.run(os.getpid).values()) - {os.getpid()}) == 2
        for frame in (make_frame(), shuffled(make_frame())):
            for n_partitions in (1, 9):
                parts = dd.from_pandas(frame, npartitions=n_partitions, sort=False)
                options = {"replace_undefined_by": 0.0}
                got = score_frame(
                    parts, MEASURES, **COLUMNS, sample_weight="weight", **options
                )
                assert_same(got, expected(frame, weighted=True, **options))

    def test_parquet_on_two_workers(self, dd, dask_client, tmp_path):
        frame = make_frame()
        frame["query"] = frame["query"].astype(str)
        dd.from_pandas(frame, npartitions=5, sort=False).to_parquet(tmp_path)
        got = score_frame(
            dd.read_parquet(tmp_path), MEASURES, **COLUMNS, replace_undefined_by=0.0
        )
        assert_same(got, expected(frame, replace_undefined_by=0.0))

    @pytest.mark.parametrize("ties", ["stable", "optimistic"])
    def test_rules_for_ties(self, dd, ties):
        frame = shuffled(make_frame(1))
        options = {"ties": ties, "replace_undefined_by": 0.0}
        parts = dd.from_pandas(frame, npartitions=6, sort=False)
        got = score_frame(parts, MEASURES, **COLUMNS, **options)
        assert_same(got, expected(frame, **options))

    @pytest.mark.parametrize(
        "ids",
        [
            lambda ids: [f"q{i}" for i in ids],
            lambda ids: pd.Categorical([f"q{i}" for i in ids]),
            lambda ids: pd.Timestamp(2024, 1, 1) + pd.to_timedelta(ids, "D"),
            lambda ids: pd.array(ids, dtype="Int32"),
            lambda ids: pd.array(["a" + "\0" * i for i in ids], dtype=object),
        ],
    )
    def test_ids_of_other_types(self, dd, ids):
        frame = shuffled(make_frame(2))
        frame["query"] = ids(frame["query"])
        parts = partition(dd, *cut(frame, 4))
        got = score_frame(parts, "map", **COLUMNS, replace_undefined_by=0.0)
        want = expected(frame, ["map"], replace_undefined_by=0.0)
        assert got.query_ids.tolist() == want.query_ids.tolist()
        assert_same(got, want)

    def test_names_of_other_columns(self, dd):
        frame = shuffled(make_frame())
        want = expected(frame, weighted=True, ties="stable", replace_undefined_by=0.0)
        for names in (
            ["query number", "place of row", "ids", "place"],
            ["place", "y_true", "qid", "ids"],
        ):
            own = dict(zip(frame, names, strict=True))
            parts = partition(dd, *cut(frame.rename(columns=own), 4))
            got = score_frame(
                parts,
                MEASURES,
                **{parameter: own[name] for parameter, name in COLUMNS.items()},
                sample_weight=own["weight"],
                ties="stable",
                replace_undefined_by=0.0,
            )
            assert_same(got, want)

    def test_columns_that_nothing_needs_may_be_named_alike(self, dd):
        frame = shuffled(make_frame())
        want = expected(frame, ["map"], replace_undefined_by=0.0)
        frame = pd.concat([frame, frame[["weight"]]], axis=1)
        parts = partition(dd, *cut(frame, 4))
        got = score_frame(parts, "map", **COLUMNS, replace_undefined_by=0.0)
        assert_same(got, want)

    @pytest.mark.parametrize(
        ("first", "other"),
        [("int64", "uint64"), ("int8", "float32"), ("UInt64", "int64[pyarrow]")],
    )
    def test_numbers_of_types_that_are_unified_exactly(self, dd, first, other):
        large = 2**62 if "int64" in other else 0
        frame = shuffled(make_frame())
        frame["query"] += large
        frame["score"] = np.arange(len(frame)) % 100
        types = [{"query": type_, "score": type_} for type_ in (first, other)]
        halves = [
            half.astype(type_) for half, type_ in zip(cut(frame, 2), types, strict=True)
        ]
        got = score_frame(
            partition(dd, *halves), MEASURES, **COLUMNS, replace_undefined_by=0.0
        )
        assert_same(got, expected(frame, replace_undefined_by=0.0))

    def test_marks(self, dd):
        frame = shuffled(make_frame())
        frame["seen"] = np.arange(len(frame)) % 3 == 0
        got = score_frame(
            partition(dd, *cut(frame, 3)),
            "novelty",
            **COLUMNS,
            marks={"known": "seen"},
            replace_undefined_by=0.0,
        )
        marks = {"known": frame["seen"]}
        assert_same(
            got, expected(frame, ["novelty"], marks=marks, replace_undefined_by=0.0)
        )

    def test_subtopics(self, dd):
        frame = shuffled(make_frame())
        frame["other"] = np.arange(len(frame)) % 4 == 0
        metrics, options = ["alpha_ndcg@3", "ndcg@3"], {"replace_undefined_by": 0.0}
        columns = COLUMNS | {"y_true": ["grade", "other"]}
        got = score_frame(partition(dd, *cut(frame, 3)), metrics, **columns, **options)
        grades = frame[["grade", "other"]].to_numpy(float)
        want = score_queries(
            grades, frame["score"], metrics, qid=frame["query"], **options
        )
        assert_same(got, want)

    @pytest.mark.parametrize(
        ("first", "other"),
        [
            ([1, 2], ["1", "2"]),
            (["1", "2"], [b"1", b"2"]),
            ([1, 2], [True, False]),
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
        frame = make_frame()
        parts = dd.from_pandas(frame, npartitions=4, sort=False)
        few = parts[parts["query"] == frame["query"].iloc[0]]
        got = score_frame(few, "map", **COLUMNS, replace_undefined_by=0.0)
        assert len(got.query_ids) == 1
        with pytest.raises(ValueError, match="frame must hold at least one row"):
            score_frame(parts[parts["query"] < 0], "map", **COLUMNS)

    def test_undefined_queries_are_warned_of_once(self, dd):
        frame = make_frame().assign(grade=lambda frame: frame["query"] % 2)
        with pytest.warns(UndefinedMetricWarning) as want:
            expected(frame, "map")
        with warnings.catch_warnings(record=True) as got:
            warnings.simplefilter("always", UndefinedMetricWarning)
            score_frame(dd.from_pandas(frame, npartitions=4), "map", **COLUMNS)
        assert [str(w.message) for w in got] == [str(w.message) for w in want]

    def test_doubtful_grades_are_warned_of_as_in_arrays(self, dd, dask_client):
        check_warnings(lambda frame: dd.from_pandas(frame, npartitions=3, sort=False))

    def test_errors(self, dd):
        frame = make_frame()
        parts = dd.from_pandas(frame, npartitions=4, sort=False)
        with pytest.raises(ValueError, match="y_true must name a column"):
            score_frame(parts, "map", qid="query", y_true="rel", y_score="score")
        with pytest.raises(ValueError, match="k must be an integer >= 1"):
            score_frame(parts, "map@0", **COLUMNS)
        varying = parts.assign(weight=parts["score"] + 10)
        with pytest.raises(ValueError, match="constant inside a query"):
            score_frame(varying, "map", **COLUMNS, sample_weight="weight")
        frame["query"] = frame["query"].astype(float).mask(frame.index == 5)
        parts = dd.from_pandas(frame, npartitions=4, sort=False)
        with pytest.raises(ValueError, match="qid must not contain missing values"):
            score_frame(parts, "map", **COLUMNS)


class TestSpark:
    def test_numbers(self, spark, tmp_path):
        frame = make_frame(n_queries=20)
        by_id = frame.sort_values("query", kind="stable")
        want = expected(by_id, weighted=True, replace_undefined_by=0.0)
        frames = {
            "in order": spark.createDataFrame(frame),
            "shuffled": spark.createDataFrame(shuffled(frame)).repartition(5),
        }
        for table in frames.values():
            got = score_frame(
                table,
                MEASURES,
                **COLUMNS,
                sample_weight="weight",
                batch_size=150,
                replace_undefined_by=0.0,
            )
            assert_same(got, want)

    def test_marks(self, spark):
        frame = shuffled(make_frame())
        frame["seen"] = np.arange(len(frame)) % 3 == 0
        got = score_frame(
            spark.createDataFrame(frame).repartition(3),
            "novelty",
            **COLUMNS,
            marks={"known": "seen"},
            replace_undefined_by=0.0,
        )
        frame = frame.sort_values("query", kind="stable")
        marks = {"known": frame["seen"]}
        assert_same(
            got, expected(frame, ["novelty"], marks=marks, replace_undefined_by=0.0)
        )

    def test_subtopics(self, spark):
        frame = shuffled(make_frame())
        frame["other"] = np.arange(len(frame)) % 4 == 0
        metrics, options = ["alpha_ndcg@3", "ndcg@3"], {"replace_undefined_by": 0.0}
        columns = COLUMNS | {"y_true": ["grade", "other"]}
        got = score_frame(
            spark.createDataFrame(frame).coalesce(2), metrics, **columns, **options
        )
        frame = frame.sort_values("query", kind="stable")
        grades = frame[["grade", "other"]].to_numpy(float)
        want = score_queries(
            grades, frame["score"], metrics, qid=frame["query"], **options
        )
        assert_same(got, want)

    def test_types_and_nulls(self, spark):
        frame = make_frame(2).assign(
            query=lambda f: [f"q {i}" for i in f["query"]],
            grade=lambda f: f["grade"] % 3,
        )
        table = spark.createDataFrame(frame).repartition(4)
        table = table.selectExpr(
            "query as `the.query`",
            "nullif(cast(grade as tinyint), 1) as grade",
            "cast(score as float) as score",
        )
        got = score_frame(
            table,
            ["bpref", "rr"],
            qid="the.query",
            y_true="grade",
            y_score="score",
            replace_undefined_by=0.0,
        )
        frame["grade"] = frame["grade"].where(frame["grade"] != 1)
        frame["score"] = frame["score"].astype(np.float32)
        want = frame.sort_values("query", kind="stable")
        assert_same(got, expected(want, ["bpref", "rr"], replace_undefined_by=0.0))

    def test_order_of_rows_for_ties(self, spark):
        frame = make_frame(3, n_queries=5).sort_values("query", kind="stable")
        options = {"ties": "stable", "replace_undefined_by": 0.0}
        table = spark.createDataFrame(frame)
        assert table.rdd.getNumPartitions() == 2
        got = score_frame(table, MEASURES, **COLUMNS, **options)
        assert_same(got, expected(frame, **options))

    def test_doubtful_grades_are_warned_of_as_in_arrays(self, spark):
        check_warnings(lambda frame: spark.createDataFrame(frame).repartition(3))

    def test_errors(self, spark):
        from pyspark.errors import PySparkException

        table = spark.createDataFrame(make_frame(n_queries=3))
        with pytest.raises(ValueError, match="y_true must name a column"):
            score_frame(table, "map", qid="query", y_true="rel", y_score="score")
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
        "interval day to second": "interval '1' day,"
        " interval '25' hour, interval '1' second",
    }
    REFUSED = {
        "void": "null, null, null",
        "interval": "make_interval(1), make_interval(2), make_interval(3)",
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
