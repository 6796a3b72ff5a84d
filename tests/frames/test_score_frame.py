"""`score_frame` on one machine: the numbers of `score_queries`, whatever the table."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from oracles.cases import spelled
from oracles.frames import (
    COLUMNS,
    as_arrow,
    as_stream,
    check_frame,
    check_warnings,
    make_frame,
    shuffled,
)
from oracles.measures import METRICS
from sklearn_irmetrics.frames import score_frame

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
ds = pytest.importorskip("pyarrow.dataset")
pq = pytest.importorskip("pyarrow.parquet")

MEASURES = {
    "ndcg@10": "ndcg@10",
    "map": "map",
    "gmap": "gmap",
    "err": "err",
    "micro": "f(average='micro')@5",
    "rbp": "rbp(max_grade=3)",
    "tau": "kendall_tau",
}
OF_GRADES = [name for name in sorted(METRICS) if not METRICS[name].subtopics]
METRICS_THAT_RANK = {row.function: row.kind == "ranking" for row in METRICS.values()}


def write_parquet(frame, folder, n_files=1):
    folder.mkdir(exist_ok=True)
    ends = np.linspace(0, len(frame), n_files + 1).astype(int)
    for i in range(n_files):
        part = as_arrow(frame).slice(ends[i], ends[i + 1] - ends[i])
        pq.write_table(part, folder / f"{i}.parquet", row_group_size=100)
    return folder if n_files > 1 else folder / "0.parquet"


class Exporter:
    """Anything that exports an Arrow stream."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


WHOLE = {
    "pandas": lambda frame, folder: frame,
    "polars": lambda frame, folder: pl.from_arrow(as_arrow(frame)),
    "arrow": lambda frame, folder: as_arrow(frame),
    "arrow batch": lambda frame, folder: as_arrow(frame).to_batches()[0],
    "duckdb": lambda frame, folder: pytest.importorskip("duckdb").from_df(frame),
}
STREAMS = {
    "reader": lambda frame, folder: as_stream(frame, 30),
    "stream": lambda frame, folder: Exporter(as_stream(frame, 30)),
    "dataset": lambda frame, folder: ds.dataset(write_parquet(frame, folder, 2)),
    "path": write_parquet,
    "text path": lambda frame, folder: str(write_parquet(frame, folder)),
    "folder": lambda frame, folder: write_parquet(frame, folder, n_files=3),
    "lazy": lambda frame, folder: pl.from_arrow(as_arrow(frame)).lazy(),
    "scan": lambda frame, folder: pl.scan_parquet(write_parquet(frame, folder)),
}
KINDS = {**WHOLE, **STREAMS}
kinds = pytest.mark.parametrize("kind", KINDS)
streams = pytest.mark.parametrize("kind", STREAMS)


class TestSameNumbers:
    @kinds
    @pytest.mark.parametrize(
        "options",
        [
            {"batch_size": 7},
            {"batch_size": 1 << 20},
            {"batch_size": 10**30},  # more rows than any frame has
            {
                "sample_weight": "weight",
                "ties": "optimistic",
                "batch_size": 50,
                "replace_undefined_by": 1.5,
                "n_jobs": 2,
            },
        ],
    )
    def test_of_every_kind(self, kind, options, tmp_path):
        frame = make_frame()
        check_frame(KINDS[kind](frame, tmp_path / "data"), frame, MEASURES, **options)

    @pytest.mark.parametrize("name", OF_GRADES)
    def test_of_every_measure(self, name):
        metric = METRICS[name]
        if metric.marks:
            pytest.skip("needs values per document that no string can hold")
        frame = make_frame(4).fillna({"grade": 0.0})
        frame["grade"] = np.minimum(frame["grade"], 1)
        column = "score" if METRICS_THAT_RANK[metric.function] else "retrieved"
        options = {"y_score": column, "batch_size": 100}
        check_frame(as_stream(frame, 40), frame, [spelled(name)], **options)

    @pytest.mark.parametrize("dtype", [object, "category", "boolean", bool])
    def test_true_is_retrieved(self, dtype):
        frame = make_frame().fillna({"grade": 0.0})
        typed = frame.astype({"retrieved": dtype})
        for arrays in (frame, typed):
            check_frame(typed, arrays, ["set_p"], y_score="retrieved")

    @kinds
    def test_of_marks(self, kind, tmp_path):
        frame = make_frame(5).fillna({"grade": 0.0})
        metrics = ["novelty", "coverage", "infap"]
        marks = {"known": "seen", "pooled": "other"}
        check_frame(KINDS[kind](frame, tmp_path), frame, metrics, marks=marks)
        with pytest.raises(ValueError, match="marks must hold only 'known', 'pooled'"):
            score_frame(frame, "map", **COLUMNS, marks={"seen": "seen"})
        with pytest.raises(ValueError, match="known"):
            score_frame(frame, "novelty", **COLUMNS)

    @kinds
    def test_of_subtopics(self, kind, tmp_path):
        frame = make_frame(6).fillna({"grade": 0.0})
        table = KINDS[kind](frame, tmp_path)
        options = {"y_true": ["grade", "other"], "batch_size": 50}
        check_frame(table, frame, ["alpha_ndcg@3", "map_ia", "ndcg@3"], **options)

    @pytest.mark.parametrize(
        ("metrics", "y_true", "error", "message"),
        [
            ("map", ["grade"], TypeError, "must be the name .* got a list.*subtopics"),
            ("map_ia", "grade", TypeError, "must be a list of columns.*got one name"),
            (["map", "p_ia"], [], TypeError, "must be a list .*got an empty list"),
            ("map_ia", ["grade", "none"], ValueError, r"\[1\] must name a column"),
        ],
    )
    def test_columns_of_subtopics_are_for_their_measures(
        self, metrics, y_true, error, message
    ):
        with pytest.raises(error, match=f"y_true ?{message}"):
            score_frame(make_frame(), metrics, **COLUMNS | {"y_true": y_true})


class TestMissingValues:
    @kinds
    def test_of_ids_are_errors(self, kind, tmp_path):
        frame = make_frame()
        frame["query"] = frame["query"].astype(str).mask(frame.index == 100)
        with pytest.raises(ValueError, match="qid must not contain missing values"):
            score_frame(KINDS[kind](frame, tmp_path / "data"), "map", **COLUMNS)

    def test_of_numbers_as_ids_are_counted(self):
        frame = make_frame()
        frame["query"] = frame["query"].astype(float).mask(frame.index == 100)
        for table, found in (
            (frame, "got one in row 100"),
            (as_arrow(frame), "column 'query' has 1"),
        ):
            with pytest.raises(ValueError, match=f"missing values; {found}"):
                score_frame(table, "map", **COLUMNS)

    def test_floats_keep_their_width(self):
        grades = pd.Series([0.7, None, 0.2], dtype="Float32")
        frame = pd.DataFrame({"query": [1] * 3, "grade": grades, "score": [3, 2, 1]})
        got = score_frame(frame, "ap(relevance_threshold=0.7)", **COLUMNS)
        assert got.mean["ap(relevance_threshold=0.7)"] == 1.0

    @kinds
    def test_of_scores_are_errors(self, kind, tmp_path):
        frame = make_frame()
        frame["score"] = frame["score"].mask(frame.index == 100)
        with pytest.raises(ValueError, match="y_score must not contain NaN"):
            score_frame(KINDS[kind](frame, tmp_path / "data"), "map", **COLUMNS)

    def test_rows_of_errors_are_counted_from_a_batch(self):
        frame = make_frame()
        frame["score"] = frame["score"].mask(frame.index == len(frame) - 1)
        with pytest.raises(ValueError, match="y_score") as caught:
            score_frame(as_stream(frame), "map", **COLUMNS, batch_size=10)
        start = int((frame["query"] != frame["query"].iloc[-1]).sum())
        assert caught.value.__notes__ == [
            f"Rows are counted from row {start} of the frame."
        ]


class TestStreams:
    def test_a_query_may_be_larger_than_many_batches(self):
        frame = make_frame().assign(query=7)
        check_frame(as_stream(frame, 3), frame, ["ndcg", "map"], batch_size=5)

    @streams
    def test_a_query_that_comes_again_is_refused(self, kind, tmp_path):
        frame = pd.concat([make_frame(), make_frame().head(1)])
        again = frame["query"].iloc[0]
        table = KINDS[kind](frame, tmp_path / "data")
        with pytest.raises(ValueError, match=f"query {again} comes again after others"):
            score_frame(table, "map", **COLUMNS, batch_size=50)

    def test_interleaved_queries_are_refused_early(self):
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
        frame = shuffled(make_frame())
        check_frame(as_stream(frame), frame, "map")

    def test_empty_batches_between(self):
        table = as_arrow(make_frame())
        empty = table.to_batches()[0].slice(0, 0)
        batches = [empty, *table.to_batches(), empty]
        reader = pa.RecordBatchReader.from_batches(table.schema, batches)
        check_frame(reader, make_frame(), "map")

    def test_dictionaries_differ_between_batches(self):
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

    @streams
    def test_undefined_queries_are_warned_of_once(self, kind, tmp_path):
        frame = make_frame()
        table = KINDS[kind](frame, tmp_path / "data")
        assert check_warnings(table, frame, "map", batch_size=10)

    def test_only_needed_columns_are_read(self, tmp_path):
        path = write_parquet(make_frame(), tmp_path / "data")
        content = bytearray(path.read_bytes())
        meta = pq.ParquetFile(path).metadata
        for group in range(meta.num_row_groups):
            chunk = meta.row_group(group).column(0)
            assert chunk.path_in_schema == "unused"
            start, size = chunk.dictionary_page_offset, chunk.total_compressed_size
            content[start : start + size] = bytes(size)
        path.write_bytes(content)
        for frame in (path, pl.scan_parquet(path)):
            check_frame(frame, make_frame(), "map")

    def test_datasets_keep_their_filter(self, tmp_path):
        frame = make_frame()
        dataset = STREAMS["dataset"](frame, tmp_path).filter(ds.field("weight") == 1)
        check_frame(dataset, frame[frame["weight"] == 1], "map")


class TestErrors:
    @kinds
    def test_column_that_is_not_there(self, kind, tmp_path):
        table = KINDS[kind](make_frame(), tmp_path / "data")
        message = "y_true must name a column of the frame; got 'rel' among .*'grade'"
        with pytest.raises(ValueError, match=message):
            score_frame(table, "map", **COLUMNS | {"y_true": "rel"})

    @kinds
    def test_no_rows(self, kind, tmp_path):
        if kind == "arrow batch":
            pytest.skip("a table without rows has no batch")
        table = KINDS[kind](make_frame().head(0), tmp_path / "data")
        with pytest.raises(ValueError, match="frame must hold at least one row"):
            score_frame(table, "map", **COLUMNS)

    def test_streams_without_columns(self):
        with pytest.raises(TypeError, match="frame must have columns; got ChunkedArr"):
            score_frame(pa.chunked_array([[1, 2]]), "map", **COLUMNS)

    def test_files_that_are_not_parquet(self, tmp_path):
        text = tmp_path / "run.txt"
        text.write_text("1 Q0 d 1 0.5 tag\n")
        (tmp_path / "empty").mkdir()
        for path, error, message in (
            (text, ValueError, "frame must be the path of a Parquet"),
            (tmp_path / "nothing", FileNotFoundError, "frame must be the path"),
            (tmp_path / "empty", ValueError, r"among the columns \(none\)"),
        ):
            with pytest.raises(error, match=message):
                score_frame(path, "map", **COLUMNS)

    def test_frames_need_pyarrow(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(ImportError, match="score_frame needs pyarrow"):
            score_frame(make_frame(), "map", **COLUMNS)

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
        def batches():
            raise AssertionError("was read")
            yield

        schema = as_arrow(make_frame()).schema
        reader = pa.RecordBatchReader.from_batches(schema, batches())
        with pytest.raises(ValueError, match=message):
            score_frame(reader, **{"metrics": "map", **COLUMNS, **options})
