"""`score_frame` on one machine: the numbers of `score_queries`, whatever the table."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_irmetrics import score_frame, score_queries
from sklearn_irmetrics._measures.measure import as_measure
from sklearn_irmetrics._measures.registry import METRICS

pd = pytest.importorskip("pandas")

COLUMNS = {"qid": "query", "y_true": "grade", "y_score": "score"}
MEASURES = {
    "ndcg@10": "ndcg@10",
    "map": "map",
    "gmap": "gmap",
    "err": "err",
    "micro": "f(average='micro')@5",
    "rbp": "rbp(max_grade=3)",
    "tau": "kendall_tau",
}
BATCH_SIZES = [7, 1 << 20]


OF_GRADES = [name for name in sorted(METRICS) if not METRICS[name].subtopics]


def make_frame(seed=0, n_queries=60):
    """Rows of queries of 1 to 40 documents, the last one longer, ids in no order."""
    rng = np.random.default_rng(seed)
    lengths = np.append(rng.integers(1, 40, n_queries), 150)
    n_rows = int(lengths.sum())
    grades = rng.integers(0, 4, n_rows).astype(np.float64)
    grades[rng.random(n_rows) < 0.1] = np.nan
    scores = np.round(rng.normal(size=n_rows), 1)
    scores[rng.random(n_rows) < 0.1] = -np.inf
    return pd.DataFrame(
        {
            "unused": ["text"] * n_rows,
            "query": np.repeat(rng.permutation(n_queries + 1), lengths),
            "score": scores,
            "grade": grades,
            "weight": np.repeat(rng.integers(0, 3, n_queries + 1), lengths),
            "retrieved": rng.integers(0, 2, n_rows) > 0,
        }
    )


def as_arrow(frame):
    pa = pytest.importorskip("pyarrow")
    return pa.Table.from_pandas(frame, preserve_index=False)


def as_polars(frame):
    pl = pytest.importorskip("polars")
    return pl.DataFrame({name: frame[name].to_numpy() for name in frame})


def write_parquet(frame, folder, n_files=1, row_group_size=100):
    pq = pytest.importorskip("pyarrow.parquet")
    table = as_arrow(frame)
    ends = np.linspace(0, len(frame), n_files + 1).astype(int)
    folder.mkdir(exist_ok=True)
    for i in range(n_files):
        part = table.slice(ends[i], ends[i + 1] - ends[i])
        pq.write_table(part, folder / f"{i}.parquet", row_group_size=row_group_size)
    return folder if n_files > 1 else folder / "0.parquet"


class Exporter:
    """Anything that exports an Arrow stream."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def open_dataset(frame, folder):
    path = write_parquet(frame, folder, n_files=2)
    return pytest.importorskip("pyarrow.dataset").dataset(path)


def scan(frame, folder):
    path = write_parquet(frame, folder)
    return pytest.importorskip("polars").scan_parquet(path)


WHOLE = {
    "pandas": lambda frame, folder: frame,
    "polars": lambda frame, folder: as_polars(frame),
    "arrow": lambda frame, folder: as_arrow(frame),
    "arrow batch": lambda frame, folder: as_arrow(frame).to_batches()[0],
}
STREAMS = {
    "reader": lambda frame, folder: as_arrow(frame).to_reader(max_chunksize=30),
    "stream": lambda frame, folder: Exporter(STREAMS["reader"](frame, folder)),
    "dataset": open_dataset,
    "path": write_parquet,
    "text path": lambda frame, folder: str(write_parquet(frame, folder)),
    "folder": lambda frame, folder: write_parquet(frame, folder, n_files=3),
    "lazy": lambda frame, folder: as_polars(frame).lazy(),
    "scan": scan,
}
KINDS = {**WHOLE, **STREAMS}
kinds = pytest.mark.parametrize("kind", KINDS)
streams = pytest.mark.parametrize("kind", STREAMS)


def expected(frame, metrics=MEASURES, weighted=False, y_score="score", **options):
    if weighted:
        options["sample_weight"] = frame["weight"]
    return score_queries(
        frame["grade"], frame[y_score], metrics, qid=frame["query"], **options
    )


def assert_same(got, want):
    assert_array_equal(got.query_ids, want.query_ids)
    assert list(got.scores) == list(got.mean) == list(want.scores)
    for label in want.scores:
        assert_allclose(got.scores[label], want.scores[label], rtol=0, atol=1e-12)
        assert_allclose(got.mean[label], want.mean[label], rtol=1e-12, atol=0)


class TestSameNumbers:
    @kinds
    @pytest.mark.parametrize("batch_size", BATCH_SIZES)
    def test_of_every_kind(self, kind, batch_size, tmp_path):
        frame = make_frame()
        got = score_frame(
            KINDS[kind](frame, tmp_path / "data"),
            MEASURES,
            **COLUMNS,
            batch_size=batch_size,
            replace_undefined_by=0.0,
        )
        assert_same(got, expected(frame, replace_undefined_by=0.0))

    @kinds
    def test_with_weights_and_threads(self, kind, tmp_path):
        frame = make_frame(1)
        got = score_frame(
            KINDS[kind](frame, tmp_path / "data"),
            MEASURES,
            **COLUMNS,
            sample_weight="weight",
            batch_size=50,
            replace_undefined_by=0.5,
            n_jobs=2,
        )
        assert_same(got, expected(frame, weighted=True, replace_undefined_by=0.5))

    @pytest.mark.parametrize("name", OF_GRADES)
    def test_of_every_measure(self, name):
        pytest.importorskip("pyarrow")
        metric = as_measure(name).metric
        if metric.marks:
            pytest.skip("needs values per document that no string can hold")
        if metric.required:
            name = f"{name}({metric.required[0]}=3)"
        frame = make_frame(4).fillna({"grade": 0.0})
        frame["grade"] = np.minimum(frame["grade"], 1)
        column = "score" if METRICS_THAT_RANK[metric.function] else "retrieved"
        got = score_frame(
            as_arrow(frame).to_reader(max_chunksize=40),
            name,
            qid="query",
            y_true="grade",
            y_score=column,
            batch_size=100,
            replace_undefined_by=0.0,
        )
        want = expected(frame, [name], y_score=column, replace_undefined_by=0.0)
        assert_same(got, want)

    @pytest.mark.parametrize("dtype", [object, "category", "boolean", bool])
    def test_true_is_retrieved(self, dtype):
        frame = make_frame().fillna({"grade": 0.0})
        want = expected(frame, ["set_p"], y_score="retrieved", replace_undefined_by=0.0)
        frame["retrieved"] = frame["retrieved"].astype(dtype)
        options = {"replace_undefined_by": 0.0}
        columns = {**COLUMNS, "y_score": "retrieved"}
        assert_same(score_frame(frame, "set_p", **columns, **options), want)
        got = expected(frame, ["set_p"], y_score="retrieved", **options)
        assert_same(got, want)

    @pytest.mark.parametrize("kind", KINDS)
    def test_of_marks(self, kind, tmp_path):
        frame = make_frame(5).fillna({"grade": 0.0})
        frame["seen"] = np.arange(len(frame)) % 3 == 0
        frame["in pool"] = (np.arange(len(frame)) % 2).astype(np.int8)
        marks = {"known": "seen", "pooled": "in pool"}
        metrics = ["novelty", "coverage", "infap"]
        options = {"replace_undefined_by": 0.0}
        got = score_frame(
            KINDS[kind](frame, tmp_path), metrics, **COLUMNS, marks=marks, **options
        )
        values = {name: frame[column] for name, column in marks.items()}
        assert_same(got, expected(frame, metrics, marks=values, **options))
        with pytest.raises(ValueError, match="marks must hold only 'known', 'pooled'"):
            score_frame(frame, "map", **COLUMNS, marks={"seen": "seen"})
        with pytest.raises(ValueError, match="known"):
            score_frame(frame, "novelty", **COLUMNS)

    @pytest.mark.parametrize("kind", KINDS)
    def test_of_subtopics(self, kind, tmp_path):
        frame = make_frame(6).fillna({"grade": 0.0})
        frame["other"] = (np.arange(len(frame)) % 4 == 0).astype(np.int8)
        metrics = ["alpha_ndcg@3", "map_ia", "ndcg@3"]
        options = {"replace_undefined_by": 0.0}
        columns = COLUMNS | {"y_true": ["grade", "other"]}
        got = score_frame(
            KINDS[kind](frame, tmp_path), metrics, **columns, batch_size=50, **options
        )
        grades = frame[["grade", "other"]].to_numpy()
        want = score_queries(
            grades, frame["score"], metrics, qid=frame["query"], **options
        )
        assert_same(got, want)

    @pytest.mark.parametrize(
        ("metrics", "y_true", "message"),
        [
            ("map", ["grade"], "must be the name of a column; got a list.*subtopics"),
            ("map_ia", "grade", "must be a list of columns.*got one name"),
            (["map", "p_ia"], [], "must be a list of columns.*got an empty list"),
        ],
    )
    def test_columns_of_subtopics_are_for_their_measures(
        self, metrics, y_true, message
    ):
        columns = COLUMNS | {"y_true": y_true}
        with pytest.raises(TypeError, match=f"y_true {message}"):
            score_frame(make_frame(), metrics, **columns)
        columns["y_true"] = ["grade", "none"]
        with pytest.raises(ValueError, match=r"y_true\[1\] must name a column"):
            score_frame(make_frame(), "map_ia", **columns)


METRICS_THAT_RANK = {row.function: row.kind == "ranking" for row in METRICS.values()}


class TestIds:
    def test_dictionaries_differ_between_batches(self):
        pa = pytest.importorskip("pyarrow")
        batches = [
            pa.record_batch(
                {
                    "query": pa.array(ids).dictionary_encode(),
                    "grade": grades,
                    "score": [1.0, 0.0],
                }
            )
            for ids, grades in [
                (["a", "b"], [0.0, 1.0]),
                (["b", "c"], [None, 1.0]),
                (["c", "c"], [2.0, 0.0]),
            ]
        ]
        reader = pa.RecordBatchReader.from_batches(batches[0].schema, batches)
        got = score_frame(reader, "judged@10", **COLUMNS, batch_size=1)
        assert got.query_ids.tolist() == ["a", "b", "c"]
        assert_array_equal(got.scores["judged@10"], [1.0, 0.5, 1.0])

    @kinds
    def test_missing(self, kind, tmp_path):
        frame = make_frame()
        frame["query"] = frame["query"].astype(str).mask(frame.index == 100)
        if kind in ("polars", "lazy"):
            pl = pytest.importorskip("polars")
            table = pl.from_arrow(as_arrow(frame))
            table = table.lazy() if kind == "lazy" else table
        else:
            table = KINDS[kind](frame, tmp_path / "data")
        with pytest.raises(ValueError, match="qid must not contain missing values"):
            score_frame(table, "map", **COLUMNS)

    def test_missing_numbers(self):
        frame = make_frame()
        frame["query"] = frame["query"].astype(float).mask(frame.index == 100)
        with pytest.raises(ValueError, match="missing values; got one in row 100"):
            score_frame(frame, "map", **COLUMNS)
        table = as_arrow(frame)
        with pytest.raises(ValueError, match="missing values; column 'query' has 1"):
            score_frame(table, "map", **COLUMNS)


class TestNulls:
    def test_of_grades_are_unjudged(self):
        pa = pytest.importorskip("pyarrow")
        batches = [
            pa.record_batch(
                {
                    "query": [7, 7, 7],
                    "grade": pa.array(grades, pa.int8()),
                    "score": [3, 2, 1],
                }
            )
            for grades in ([1, 0, 1], [None, 1, 0])
        ]
        reader = pa.RecordBatchReader.from_batches(batches[0].schema, batches)
        got = score_frame(reader, ["bpref", "judged@6"], **COLUMNS, batch_size=1)
        grades = [1, 0, 1, np.nan, 1, 0]
        want = score_queries(grades, [3, 2, 1] * 2, ["bpref", "judged@6"], qid=[7] * 6)
        assert_same(got, want)

    def test_floats_keep_their_width(self):
        grades = pd.Series([0.7, None, 0.2], dtype="Float32")
        frame = pd.DataFrame({"query": [1] * 3, "grade": grades, "score": [3, 2, 1]})
        got = score_frame(frame, "ap(relevance_threshold=0.7)", **COLUMNS)
        assert got.mean["ap(relevance_threshold=0.7)"] == 1.0

    @pytest.mark.parametrize("kind", ["pandas", "arrow", "reader", "path", "lazy"])
    def test_of_scores_are_errors(self, kind, tmp_path):
        frame = make_frame()
        frame["score"] = frame["score"].mask(frame.index == 100)
        with pytest.raises(ValueError, match="y_score must not contain NaN"):
            score_frame(KINDS[kind](frame, tmp_path / "data"), "map", **COLUMNS)

    def test_rows_of_errors_are_counted_from_a_batch(self):
        frame = make_frame()
        frame["score"] = frame["score"].mask(frame.index == len(frame) - 1)
        reader = as_arrow(frame).to_reader(max_chunksize=10)
        with pytest.raises(ValueError, match="y_score") as caught:
            score_frame(reader, "map", **COLUMNS, batch_size=10)
        start = int((frame["query"] != frame["query"].iloc[-1]).sum())
        assert caught.value.__notes__ == [
            f"Rows are counted from row {start} of the frame."
        ]


class TestStreams:
    def test_a_query_may_be_larger_than_many_batches(self):
        rng = np.random.default_rng(0)
        n_rows = 2000
        frame = pd.DataFrame(
            {
                "query": 7,
                "grade": rng.integers(0, 3, n_rows),
                "score": rng.random(n_rows),
            }
        )
        reader = as_arrow(frame).to_reader(max_chunksize=3)
        got = score_frame(reader, ["ndcg", "map"], **COLUMNS, batch_size=5)
        assert_same(got, expected(frame, ["ndcg", "map"]))

    @streams
    def test_a_query_that_comes_again_is_refused(self, kind, tmp_path):
        frame = pd.concat([make_frame(), make_frame().head(1)])
        again = frame["query"].iloc[0]
        with pytest.raises(ValueError, match=f"query {again} comes again after others"):
            score_frame(
                KINDS[kind](frame, tmp_path / "data"), "map", **COLUMNS, batch_size=50
            )

    def test_interleaved_queries_are_refused_early(self):
        pa = pytest.importorskip("pyarrow")
        n_read = 0

        def batches():
            nonlocal n_read
            for _ in range(1000):
                n_read += 1
                yield pa.record_batch([[1, 2], [1, 0], [0.5, 0.7]], list(schema.names))

        schema = pa.schema(
            {"query": pa.int64(), "grade": pa.int64(), "score": pa.float64()}
        )
        reader = pa.RecordBatchReader.from_batches(schema, batches())
        with pytest.raises(ValueError, match="Sort the frame by 'query'"):
            score_frame(reader, "map", **COLUMNS, batch_size=1)
        assert n_read < 10

    def test_within_one_batch_rows_stand_anywhere(self):
        frame = make_frame().sample(frac=1, random_state=0)
        got = score_frame(
            as_arrow(frame).to_reader(10), "map", **COLUMNS, replace_undefined_by=0.0
        )
        assert_same(got, expected(frame, ["map"], replace_undefined_by=0.0))

    def test_empty_batches_between(self):
        pa = pytest.importorskip("pyarrow")
        table = as_arrow(make_frame())
        batches = [table.to_batches()[0].slice(0, 0), *table.to_batches()] * 1
        reader = pa.RecordBatchReader.from_batches(table.schema, [*batches, batches[0]])
        got = score_frame(reader, "map", **COLUMNS, replace_undefined_by=0.0)
        assert_same(got, expected(make_frame(), ["map"], replace_undefined_by=0.0))

    @streams
    def test_undefined_queries_are_warned_of_once(self, kind, tmp_path):
        frame = make_frame()
        with pytest.warns(UndefinedMetricWarning) as want:
            expected(frame, "map")
        with warnings.catch_warnings(record=True) as got:
            warnings.simplefilter("always")
            score_frame(
                KINDS[kind](frame, tmp_path / "data"), "map", **COLUMNS, batch_size=10
            )
        assert [str(w.message) for w in got] == [str(w.message) for w in want]
        assert got[0].filename == __file__

    def test_only_needed_columns_are_read(self, tmp_path):
        pl = pytest.importorskip("polars")
        path = write_parquet(make_frame(), tmp_path / "data")
        content = bytearray(path.read_bytes())
        meta = pytest.importorskip("pyarrow.parquet").ParquetFile(path).metadata
        for group in range(meta.num_row_groups):
            chunk = meta.row_group(group).column(0)
            assert chunk.path_in_schema == "unused"
            start = chunk.dictionary_page_offset
            content[start : start + chunk.total_compressed_size] = bytes(
                chunk.total_compressed_size
            )
        path.write_bytes(content)
        for frame in (path, pl.scan_parquet(path)):
            got = score_frame(frame, "map", **COLUMNS, replace_undefined_by=0.0)
            assert_same(got, expected(make_frame(), ["map"], replace_undefined_by=0.0))

    def test_columns_in_names_of_folders(self, tmp_path):
        ds = pytest.importorskip("pyarrow.dataset")
        frame = make_frame().sort_values("query")
        ds.write_dataset(
            as_arrow(frame[list(COLUMNS.values())]),
            tmp_path,
            format="parquet",
            partitioning=["query"],
            partitioning_flavor="hive",
            max_partitions=100,
        )
        got = score_frame(tmp_path, "map", **COLUMNS, replace_undefined_by=0.0)
        want = expected(frame, ["map"], replace_undefined_by=0.0)
        by_id = np.argsort(got.query_ids.astype(int))
        assert_array_equal(got.query_ids[by_id], want.query_ids.astype(str))
        assert_allclose(got.scores["map"][by_id], want.scores["map"], atol=1e-12)

    def test_datasets_keep_their_filter(self, tmp_path):
        ds = pytest.importorskip("pyarrow.dataset")
        frame = make_frame()
        dataset = open_dataset(frame, tmp_path).filter(ds.field("weight") == 1)
        got = score_frame(dataset, "map", **COLUMNS, replace_undefined_by=0.0)
        kept = frame[frame["weight"] == 1]
        assert_same(got, expected(kept, ["map"], replace_undefined_by=0.0))


class TestRulesForAllRows:
    def test_zeros_and_ones_look_like_predictions_if_there_is_nothing_else(self):
        pa = pytest.importorskip("pyarrow")
        table = {"query": [1, 1, 2, 2, 3, 3], "grade": [1, 0] * 3}
        options = {**COLUMNS, "batch_size": 2}
        for scores, refused in [
            ([0, 0, 1, 1, 1, 0], True),
            ([1, 0, 1, 0, 2, 0], False),
        ]:
            table["score"] = scores
            reader = pa.table(table).to_reader(max_chunksize=2)
            if refused:
                with pytest.raises(ValueError, match="it holds zeros and ones only"):
                    score_frame(reader, ["map", "set_p"], **options)
            else:
                got = score_frame(reader, ["map", "set_p"], **options)
                assert got.mean["set_p"] == 0.5

    @pytest.mark.parametrize(
        "grades",
        [
            [0.5, 0.25, 1.0, 2.0, 0.5, 0.0],
            [1.0, 2.0, 1.0, 2.0, 0.5, 3.0],
            [-0.5, 0.0, 1.0, 2.0, 0.5, 0.0],
            [-0.5, 0.0, -1.0, 2.0, 0.5, 0.0],
            [np.nan, np.nan, 1.0, 2.0, 0.5, 3.0],
            [0.0, 0.0, 0.0, 2.0, 1.0, 3.0],
        ],
    )
    @pytest.mark.parametrize("metrics", [["p@2", "rbp", "map"], "set_p", "ndcg"])
    def test_doubtful_data_are_warned_of_as_in_arrays(self, grades, metrics):
        table = pd.DataFrame({"query": [1, 1, 2, 2, 3, 3], "grade": grades})
        table["score"] = np.array([1, 1, 2, 1, 3, -np.inf], dtype=np.float16)
        if metrics == "ndcg":
            table["grade"] = table["grade"].abs()
        with warnings.catch_warnings(record=True) as want:
            warnings.simplefilter("always")
            expected(table, metrics)
        reader = as_arrow(table).to_reader(max_chunksize=2)
        for frame in table, reader:
            with warnings.catch_warnings(record=True) as got:
                warnings.simplefilter("always")
                score_frame(frame, metrics, **COLUMNS, batch_size=2)
            assert [str(w.message) for w in got] == [str(w.message) for w in want]
            assert {w.filename for w in got} <= {__file__}

    @kinds
    def test_a_batch_may_have_more_rows_than_any_frame(self, kind, tmp_path):
        frame = make_frame()
        options = {"replace_undefined_by": 0.0}
        got = score_frame(
            KINDS[kind](frame, tmp_path),
            "map",
            **COLUMNS,
            batch_size=10**30,
            **options,
        )
        assert_same(got, expected(frame, ["map"], **options))

    def test_weights_may_be_zero_in_a_batch(self):
        frame = make_frame()
        frame["weight"] = (frame["query"] == frame["query"].iloc[-1]).astype(int)
        options = {"sample_weight": "weight", "replace_undefined_by": 0.0}
        reader = as_arrow(frame).to_reader(max_chunksize=10)
        got = score_frame(reader, "map", **COLUMNS, batch_size=10, **options)
        want = expected(frame, ["map"], weighted=True, replace_undefined_by=0.0)
        assert_same(got, want)

    @pytest.mark.parametrize("kind", ["pandas", "reader", "lazy"])
    @pytest.mark.parametrize(
        ("weights", "message"),
        [
            (lambda frame: 0, "not all zero"),
            (lambda frame: -1, "not negative"),
            (lambda frame: np.arange(len(frame)), "constant inside a query"),
        ],
    )
    def test_wrong_weights(self, kind, weights, message, tmp_path):
        frame = make_frame().assign(weight=weights)
        with pytest.raises(ValueError, match=f"sample_weight must be .*{message}"):
            score_frame(
                KINDS[kind](frame, tmp_path),
                "map",
                **COLUMNS,
                sample_weight="weight",
                batch_size=10,
            )

    @pytest.mark.parametrize(
        ("metric", "grade", "message"),
        [
            ("ndcg", -1.0, "negative grades"),
            ("err(max_grade=3)", 4.0, "max_grade must be at least"),
            ("ndcg(gain='exponential')", 1001.0, "overflows above grade 1000"),
            ("ndcg(gain={1: 1, 2: 3, 3: 5})", 4.0, "list every grade"),
        ],
    )
    def test_one_grade_breaks_a_rule(self, metric, grade, message):
        frame = make_frame()
        frame.loc[700, "grade"] = grade
        with pytest.raises(ValueError, match=message):
            expected(frame, metric)
        reader = as_arrow(frame).to_reader(max_chunksize=10)
        with pytest.raises(ValueError, match=message):
            score_frame(reader, metric, **COLUMNS, batch_size=10)

    def test_largest_grade_is_not_in_every_batch(self):
        frame = make_frame().sort_values(["query", "grade"])
        frame["grade"] = np.minimum(frame["grade"], frame["query"] % 5)
        metrics = ["err", "err(max_grade=5)", "rbp(max_grade=9)", "q", "ndcg"]
        reader = as_arrow(frame).to_reader(max_chunksize=10)
        got = score_frame(
            reader, metrics, **COLUMNS, batch_size=10, replace_undefined_by=0.0
        )
        assert_same(got, expected(frame, metrics, replace_undefined_by=0.0))

    def test_cost_matrix_means_the_same_classes_in_every_batch(self):
        frame = make_frame()
        frame["grade"] = frame["query"] % 3
        frame["predicted"] = frame["grade"] * frame["retrieved"]
        metric = "set_cost(cost_matrix=[[0, 1, 2], [4, 8, 16], [32, 64, 128]])"
        columns = {**COLUMNS, "y_score": "predicted"}
        reader = as_arrow(frame).to_reader(max_chunksize=10)
        got = score_frame(reader, metric, **columns, batch_size=10)
        assert_same(got, expected(frame, [metric], y_score="predicted"))
        frame["grade"] += 5
        reader = as_arrow(frame).to_reader(max_chunksize=10)
        with pytest.raises(ValueError, match="labels must name every class"):
            score_frame(reader, metric, **columns, batch_size=10)


class TestErrors:
    @kinds
    def test_column_that_is_not_there(self, kind, tmp_path):
        table = KINDS[kind](make_frame(), tmp_path / "data")
        message = "y_true must name a column of the frame; got 'rel' among .*'grade'"
        with pytest.raises(ValueError, match=message):
            score_frame(table, "map", qid="query", y_true="rel", y_score="score")

    @pytest.mark.parametrize("values", [np.zeros(3), [1, 2], pd.Series([1])])
    def test_values_instead_of_names(self, values):
        for name in COLUMNS:
            with pytest.raises(TypeError, match=f"{name} must be the name of a column"):
                score_frame(make_frame(), "map", **{**COLUMNS, name: values})

    def test_column_that_is_there_twice(self):
        frame = make_frame()
        frame.columns = ["score", *frame.columns[1:]]
        with pytest.raises(ValueError, match="got 'score', which stands 2 times"):
            score_frame(frame, "map", **COLUMNS)

    @pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "reader", "lazy"])
    def test_no_rows(self, kind, tmp_path):
        table = (
            KINDS[kind](make_frame().head(0), tmp_path / "data")
            if (kind != "polars")
            else as_polars(make_frame()).head(0)
        )
        with pytest.raises(ValueError, match="frame must hold at least one row"):
            score_frame(table, "map", **COLUMNS)

    @pytest.mark.parametrize("frame", [None, 3, {"query": [1]}, np.zeros((2, 3))])
    def test_other_kinds(self, frame):
        with pytest.raises(TypeError, match="frame must be a DataFrame of pandas, "):
            score_frame(frame, "map", **COLUMNS)

    def test_streams_without_columns(self):
        pa = pytest.importorskip("pyarrow")
        with pytest.raises(TypeError, match="frame must have columns; got ChunkedArr"):
            score_frame(pa.chunked_array([[1, 2]]), "map", **COLUMNS)

    def test_files_that_are_not_parquet(self, tmp_path):
        pytest.importorskip("pyarrow.dataset")
        text = tmp_path / "run.txt"
        text.write_text("1 Q0 d 1 0.5 tag\n")
        with pytest.raises(ValueError, match="frame must be the path of a Parquet"):
            score_frame(text, "map", **COLUMNS)
        with pytest.raises(FileNotFoundError, match="frame must be the path"):
            score_frame(tmp_path / "nothing", "map", **COLUMNS)
        with pytest.raises(ValueError, match=r"among the columns \(none\)"):
            (tmp_path / "empty").mkdir()
            score_frame(tmp_path / "empty", "map", **COLUMNS)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"metrics": "ndgc"}, "'ndgc' is not a measure"),
            ({"metrics": "ndcg@0"}, "k must be an integer >= 1"),
            ({"metrics": "map(average='median')"}, "average must be one of"),
            ({"ties": "random"}, "ties must be one of"),
            ({"replace_undefined_by": "zero"}, "could not convert|finite number"),
            ({"batch_size": 0}, "batch_size must be an integer >= 1; got 0"),
        ],
    )
    def test_before_anything_is_read(self, options, message):
        pa = pytest.importorskip("pyarrow")

        def batches():
            raise AssertionError("was read")
            yield

        schema = as_arrow(make_frame()).schema
        reader = pa.RecordBatchReader.from_batches(schema, batches())
        options = {"metrics": "map", **options}
        with pytest.raises(ValueError, match=message):
            score_frame(reader, options.pop("metrics"), **COLUMNS, **options)
