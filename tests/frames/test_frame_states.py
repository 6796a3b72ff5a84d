"""Frames whose queries are summed up, segments, documents, paths and iterators."""

import math
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

from oracles.frames import COLUMNS, check_summary, make_frame
from sklearn_irmetrics import score_frame

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
ds = pytest.importorskip("pyarrow.dataset")
fs = pytest.importorskip("pyarrow.fs")

pytestmark = pytest.mark.filterwarnings("ignore:.*is undefined in")
MEASURES = ["ndcg@10", "gmap", "f(average='micro')@5", "set_f1", "rbp(max_grade=3)"]
FRAME = make_frame()
FRAME["country"] = np.where(FRAME["query"] % 3, "uk", None)
FRAME["doc"] = np.arange(len(FRAME)).astype(str)
SMALL = {"batch_size": 100}


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
    check_summary(score_frame(frame(path), MEASURES, per_query=False, **options), want)
    kept = score_frame(frame(path), MEASURES, **options)
    for label, mean in want.mean.items():
        assert_allclose(kept.mean[label], mean, rtol=1e-12, atol=0)
    by = {**options, "by": "country", "per_query": False}
    found = score_frame(frame(path), "map", **by)
    for name in ("uk", None):
        rows = FRAME[FRAME["country"].isna() == (name is None)]
        want = score_frame(rows, "map", **COLUMNS, sample_weight=weight)
        assert_allclose(found.mean["map", name], want.mean["map"], rtol=1e-12)


def test_several_paths_on_a_file_system(tmp_path):
    filesystem = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
    names = []
    for number, (_, rows) in enumerate(FRAME.groupby(FRAME["query"] // 20)):
        names.append(f"runs/{number}.parquet")
        (tmp_path / "runs").mkdir(exist_ok=True)
        rows.to_parquet(tmp_path / names[-1])
    options = {**COLUMNS, **SMALL, "filesystem": filesystem}
    want = score_frame(FRAME, "map", **COLUMNS).mean["map"]
    for paths in (names, "runs"):
        found = score_frame(paths, "map", **options)
        assert_allclose(found.mean["map"], want, rtol=1e-12)
    (tmp_path / "runs" / "_delta_log").mkdir()
    with pytest.raises(ValueError, match=r"deltalake\.DeltaTable\(folder\)"):
        score_frame("runs", "map", **options)
    with pytest.raises(ValueError, match="filesystem must be None"):
        score_frame(FRAME, "map", **options)


@pytest.mark.parametrize("per_query", [True, False])
@pytest.mark.parametrize(
    ("metric", "mark", "value"),
    [("psp@1", "inverse_propensity", 3.0), ("miuf@1", "popularity", 0.25)],
)
def test_marks_that_are_numbers_in_parts(metric, mark, value, per_query):
    rows = FRAME.assign(mark=value)
    options = {**COLUMNS, "marks": {mark: "mark"}, "per_query": per_query}
    parts = (part for _, part in rows.groupby(COLUMNS["qid"], sort=False))
    found = score_frame(parts, metric, **options)
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


def test_a_table_of_delta_lake(tmp_path):
    dataset = pytest.importorskip("pyarrow.dataset")
    FRAME.to_parquet(path := tmp_path / "rows.parquet")

    class DeltaTable:
        def to_pyarrow_dataset(self):
            return dataset.dataset(path)

    found = score_frame(DeltaTable(), "map", **COLUMNS)
    assert found.mean == score_frame(path, "map", **COLUMNS).mean


ONE_ROW = {"qid": "q", "y_true": "y", "y_score": "s"}


@pytest.mark.parametrize(
    ("log", "call"),
    [
        ("_delta_log/0.json", r"deltalake.DeltaTable\(folder\).to_pyarrow_dataset\(\)"),
        ("metadata/0-a.metadata.json", "polars.scan_iceberg"),
        (".hoodie/hoodie.properties", r"spark.read.format\('hudi'\).load\(folder\)"),
    ],
)
def test_a_table_that_keeps_replaced_files_is_refused(log, call, tmp_path, monkeypatch):
    pq = pytest.importorskip("pyarrow.parquet")
    part = tmp_path / "table" / "data" / "day=1"
    part.mkdir(parents=True)
    pq.write_table(pa.table({"q": [1], "y": [1], "s": [0.5]}), part / "a.parquet")
    monkeypatch.chdir(tmp_path)
    assert score_frame("table", "p@1", **ONE_ROW).mean == {"p@1": 1}
    (tmp_path / "table" / log).parent.mkdir()
    (tmp_path / "table" / log).write_text("{}")
    for folder in (tmp_path, tmp_path / "table" / "data", "table", str(part)):
        with pytest.raises(ValueError, match=rf"table', where .* Pass {call}"):
            score_frame(folder, "p@1", **ONE_ROW)
    # A file that is named counts.
    score_frame(part / "a.parquet", "p@1", **ONE_ROW)


def test_metadata_of_ones_own_are_no_log(tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "data").mkdir()
    (tmp_path / "metadata").mkdir()
    (tmp_path / "metadata" / "about.json").write_text("{}")
    pq.write_table(pa.table({"q": [1], "y": [1], "s": [0.5]}), tmp_path / "data" / "a")
    assert score_frame(tmp_path / "data", "p@1", **ONE_ROW).mean == {"p@1": 1}


@pytest.mark.parametrize("per_query", [True, False])
def test_rows_that_are_scattered(per_query, tmp_path):
    shuffled = FRAME.sample(frac=1, random_state=0)
    shuffled.to_parquet(path := tmp_path / "rows.parquet")
    options = {**COLUMNS, **SMALL, "per_query": per_query}
    with pytest.raises(ValueError, match="comes again after others"):
        score_frame(path, "map", **options)
    halves = (FRAME.iloc[:50], FRAME.iloc[50:])
    with pytest.raises(ValueError, match="is in two. Batches must end where a query"):
        score_frame(iter(halves), "map", **options)


def test_batches_of_other_types():
    other = FRAME.assign(query=FRAME["query"].astype(str))
    with pytest.raises(TypeError, match="qid must be of one type throughout.*batch 1"):
        score_frame(iter([FRAME, other]), "map", **COLUMNS)
    with pytest.raises(TypeError, match="frame must yield DataFrames"):
        score_frame(iter([{}]), "map", **COLUMNS)


@pytest.mark.parametrize("per_query", [True, False])
def test_batches_of_times_in_several_units(per_query):
    def score(*times):
        days = (FRAME.iloc[:1].assign(query=[time]) for time in times)
        return score_frame(days, "map", **COLUMNS, per_query=per_query)

    noon, one = np.datetime64("2020-01-01T12", "us"), np.datetime64(1, "ns")
    score(noon, one)
    with pytest.raises(ValueError, match="is in two. Batches must end where a query"):
        score(noon, one, noon.astype("M8[ns]"))
    with pytest.raises(ValueError, match=r"one NumPy unit; got datetime64\[ns"):
        score(np.datetime64(2**58, "us"), one)


@pytest.mark.parametrize("per_query", [True, False])
def test_times_of_batches_in_several_units(per_query):
    days = pd.to_datetime(FRAME["query"], unit="D")
    frame = FRAME.assign(query=days.astype("datetime64[us]"))
    first, second = frame["query"].unique()[:2]
    other = frame[frame["query"] == first].astype({"query": "datetime64[ns]"})
    options = {**COLUMNS, "per_query": per_query}
    with pytest.raises(ValueError, match="must have each query in one batch"):
        score_frame(iter([frame, other]), "map", **options)
    halves = [frame[frame["query"] == second], other]
    found = score_frame(iter(halves), "map", **options)
    expected = score_frame(
        frame[frame["query"].isin([first, second])], "map", **options
    )
    assert found.mean == pytest.approx(expected.mean)


@pytest.mark.parametrize("ids", [int, str, "datetime64[ns]"])
@pytest.mark.parametrize("name", ["by", "sample_weight"])
def test_the_query_in_which_a_column_varies_is_named(ids, name):
    frame = FRAME.assign(query=FRAME["query"].astype(ids), rest=1)
    row = frame.index[frame["query"] == frame["query"].iloc[-1]][-1]
    frame.loc[row, "rest"] = 2
    query = frame["query"].to_numpy()[-1]
    shown = repr(query.item() if ids is int else query)
    message = f"{name} must be constant inside a query; it varies in query {shown}."
    with pytest.raises(ValueError, match=re.escape(message)):
        score_frame(frame, "map", **COLUMNS, per_query=False, **{name: "rest"})


@pytest.mark.parametrize("ids", [int, str])
def test_a_document_that_a_query_has_twice(ids):
    frame = FRAME.assign(query=FRAME["query"].astype(ids), doc=FRAME["doc"].astype(ids))
    row = frame.index[frame["query"] == frame["query"].iloc[-1]][-3:]
    frame.loc[row[2], "doc"] = frame.loc[row[0], "doc"]
    query, doc = (frame[name].tolist()[-1] for name in ("query", "doc"))
    with pytest.raises(ValueError, match=f"once; query {query!r} has {doc!r} twice"):
        score_frame(frame, "map", **COLUMNS, doc="doc")
    frame["doc"] = frame["doc"].mask(frame.index == 3)
    with pytest.raises(ValueError, match="doc must not contain missing values"):
        score_frame(frame, "map", **COLUMNS, doc="doc")


def test_arguments_that_do_not_fit():
    for options, message in (
        ({"by": "country"}, "by must be None with per_query=True"),
        ({"per_query": "frame"}, "needs a frame of Dask or Spark"),
        ({"per_query": 1.5}, "per_query must be True, False or 'frame'; got 1.5"),
        ({"by": "score", "per_query": False}, "by must be constant inside a query"),
    ):
        with pytest.raises(ValueError, match=message):
            score_frame(FRAME, "map", **COLUMNS, **options)


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
