"""Frames whose queries are summed up, segments, documents, paths and iterators."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from oracles.frames import COLUMNS, check_summary, make_frame
from sklearn_irmetrics.frames import score_frame, score_lazily, summarize_frame

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
ds = pytest.importorskip("pyarrow.dataset")
fs = pytest.importorskip("pyarrow.fs")

pytestmark = pytest.mark.filterwarnings("ignore:.* undefined in")
MEASURES = ["ndcg@10", "gmap", "f(average='micro')@5", "set_f1", "rbp(max_grade=3)"]
FRAME = make_frame()
FRAME["country"] = np.where(FRAME["query"] % 3, "uk", "de")
FRAME["doc"] = np.arange(len(FRAME)).astype(str)
SMALL = {"batch_size": 100}
functions = pytest.mark.parametrize("function", [score_frame, summarize_frame])


FORMS = {
    "pandas": lambda path: FRAME,
    "table": lambda path: pa.Table.from_pandas(FRAME),
    "dataset": lambda path: ds.dataset(path),
    "scanner": lambda path: ds.dataset(path).scanner(batch_size=70),
    "path": lambda path: path,
    "paths": lambda path: [path],
    "batches": lambda path: (rows for _, rows in FRAME.groupby("query", sort=False)),
    "tables": lambda path: iter(
        pa.Table.from_pandas(rows) for _, rows in FRAME.groupby("query")
    ),
}


@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("form", FORMS)
def test_sums_of_every_form(form, weight, tmp_path):
    FRAME.to_parquet(path := str(tmp_path / "rows.parquet"))
    options = {**COLUMNS, **SMALL, "sample_weight": weight, "doc": "doc"}
    want = score_frame(FRAME, MEASURES, **COLUMNS, sample_weight=weight)
    frame = FORMS[form]
    check_summary(summarize_frame(frame(path), MEASURES, **options), want)
    kept = score_frame(frame(path), MEASURES, **options)
    for label, mean in want.mean.items():
        assert_allclose(kept.mean[label], mean, rtol=1e-12, atol=0)
    found = summarize_frame(frame(path), "map", **options, by="country")
    for name in ("uk", "de"):
        rows = FRAME[FRAME["country"] == name]
        want = score_frame(rows, "map", **COLUMNS, sample_weight=weight)
        assert_allclose(found.mean["map", name], want.mean["map"], rtol=1e-12)


def test_several_paths_and_another_file_system(tmp_path):
    filesystem = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
    names = []
    for number, (_, rows) in enumerate(FRAME.groupby(FRAME["query"] // 20)):
        names.append(f"runs/{number}.parquet")
        (tmp_path / "runs").mkdir(exist_ok=True)
        rows.to_parquet(tmp_path / names[-1])
    options = {**COLUMNS, **SMALL}
    want = score_frame(FRAME, "map", **COLUMNS).mean["map"]
    for frame in (
        [tmp_path / name for name in names],
        ds.dataset(names, filesystem=filesystem),
        ds.dataset("runs", filesystem=filesystem),
    ):
        found = score_frame(frame, "map", **options)
        assert_allclose(found.mean["map"], want, rtol=1e-12)


@functions
@pytest.mark.parametrize(
    ("metric", "mark", "value"),
    [("psp@1", "inverse_propensity", 3.0), ("miuf@1", "popularity", 0.25)],
)
def test_marks_that_are_numbers_in_parts(metric, mark, value, function):
    rows = FRAME.assign(mark=value)
    options = {**COLUMNS, "marks": {mark: "mark"}}
    parts = (part for _, part in rows.groupby(COLUMNS["qid"], sort=False))
    found = function(parts, metric, **options)
    assert found.mean[metric] == pytest.approx(
        score_frame(rows, metric, **options).mean[metric]
    )


def test_a_file_counts_once(tmp_path):
    FRAME.to_parquet(path := tmp_path / "rows.parquet")
    with pytest.raises(ValueError, match="list each file once; got .*rows.parquet"):
        score_frame([path, path], "map", **COLUMNS)
    (tmp_path / "link").symlink_to(path)
    for other in (tmp_path / "link", tmp_path / ".." / tmp_path.name / "rows.parquet"):
        with pytest.raises(ValueError, match="list each file once; got .*rows.parquet"):
            score_frame([path, other], "map", **COLUMNS)


ONE_ROW = {"qid": "q", "y_true": "y", "y_score": "s"}


@pytest.mark.parametrize(
    "other",
    [
        "_delta_log/00000000000000000000.json",
        "_delta_log/00000000000000000010.checkpoint.parquet",
        "metadata/v1.metadata.json",
        ".hoodie/hoodie.properties",
        "_temporary/0/part.parquet",
        "notes.txt",
    ],
)
def test_a_folder_holds_parquet_files_only(other, tmp_path):
    """Tables of Delta Lake, Iceberg and Hudi keep files that they have replaced."""
    folder = tmp_path / "table"
    (folder / "day=1").mkdir(parents=True)
    FRAME.to_parquet(folder / "day=1" / "a.parquet")
    want = score_frame(FRAME, "map", **COLUMNS).mean
    for hidden in ("_SUCCESS", ".part.parquet.crc", "day=1/_metadata"):
        (folder / hidden).write_text("")
    assert score_frame(folder, "map", **COLUMNS).mean == want
    (folder / other).parent.mkdir(exist_ok=True, parents=True)
    FRAME.to_parquet(folder / other)
    if not other.endswith("parquet"):
        (folder / other).write_text("{}")
    message = "frame must be the path of a Parquet file, or of a folder that holds such"
    with pytest.raises(ValueError, match=f"{message} .*Delta Lake, Iceberg or Hudi"):
        score_frame(folder, "map", **COLUMNS)
    # A file that is named counts.
    assert score_frame(folder / "day=1" / "a.parquet", "map", **COLUMNS).mean == want


@functions
def test_rows_that_are_scattered(function, tmp_path):
    shuffled = FRAME.sample(frac=1, random_state=0)
    shuffled.to_parquet(path := tmp_path / "rows.parquet")
    options = {**COLUMNS, **SMALL}
    with pytest.raises(ValueError, match="comes again after others"):
        function(path, "map", **options)
    halves = (FRAME.iloc[:50], FRAME.iloc[50:])
    with pytest.raises(ValueError, match="is in two. Batches must end where a query"):
        function(iter(halves), "map", **options)


def test_batches_of_other_types():
    other = FRAME.assign(query=FRAME["query"].astype(str))
    with pytest.raises(TypeError, match="qid must be of one type throughout.*batch 1"):
        score_frame(iter([FRAME, other]), "map", **COLUMNS)
    with pytest.raises(TypeError, match="frame must yield DataFrames"):
        score_frame(iter([{}]), "map", **COLUMNS)


@functions
def test_batches_of_times_in_several_units(function):
    def score(*times):
        days = (FRAME.iloc[:1].assign(query=[time]) for time in times)
        return function(days, "map", **COLUMNS)

    noon, one = np.datetime64("2020-01-01T12", "us"), np.datetime64(1, "ns")
    score(noon, one)
    with pytest.raises(ValueError, match="is in two. Batches must end where a query"):
        score(noon, one, noon.astype("M8[ns]"))
    with pytest.raises(ValueError, match=r"one NumPy unit; got datetime64\[ns"):
        score(np.datetime64(2**58, "us"), one)


@functions
def test_times_of_batches_in_several_units(function):
    days = pd.to_datetime(FRAME["query"], unit="D")
    frame = FRAME.assign(query=days.astype("datetime64[us]"))
    first, second = frame["query"].unique()[:2]
    other = frame[frame["query"] == first].astype({"query": "datetime64[ns]"})
    with pytest.raises(ValueError, match="must have each query in one batch"):
        function(iter([frame, other]), "map", **COLUMNS)
    halves = [frame[frame["query"] == second], other]
    found = function(iter(halves), "map", **COLUMNS)
    expected = function(frame[frame["query"].isin([first, second])], "map", **COLUMNS)
    assert found.mean == pytest.approx(expected.mean)


def test_arguments_that_do_not_fit():
    with pytest.raises(ValueError, match="by must be constant inside a query"):
        summarize_frame(FRAME, "map", **COLUMNS, by="score")
    with pytest.raises(TypeError, match=r"DataFrame of Dask or Spark; got pandas\..*"):
        score_lazily(FRAME, "map", **COLUMNS)


def test_texts_take_no_python_objects(tmp_path):
    frame = FRAME.assign(query=FRAME["query"].map("a query of the test {}".format))
    frame.to_parquet(path := tmp_path / "rows.parquet")
    found = score_frame(path, "map", **COLUMNS, **SMALL)
    assert found.query_ids.dtype.kind == "T"
    assert found.query_ids.tolist() == list(dict.fromkeys(frame["query"]))
    assert found.to_frame().index.tolist() == found.query_ids.tolist()
    assert math.isclose(
        found.mean["map"], score_frame(frame, "map", **COLUMNS).mean["map"]
    )
