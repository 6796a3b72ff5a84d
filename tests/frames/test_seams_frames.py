"""Frames that would be scored as something else than what they are."""

import sys

import pytest

from sklearn_irmetrics import score_frame

NAMES = {"qid": "q", "y_true": "y", "y_score": "s"}


@pytest.mark.parametrize(
    ("log", "call"),
    [
        ("_delta_log/0.json", r"deltalake.DeltaTable\(folder\).to_pyarrow_dataset\(\)"),
        ("metadata/0-a.metadata.json", "polars.scan_iceberg"),
        (".hoodie/hoodie.properties", r"spark.read.format\('hudi'\).load\(folder\)"),
    ],
)
def test_a_table_that_keeps_replaced_files_is_refused(log, call, tmp_path, monkeypatch):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    part = tmp_path / "table" / "data" / "day=1"
    part.mkdir(parents=True)
    pq.write_table(pa.table({"q": [1], "y": [1], "s": [0.5]}), part / "a.parquet")
    monkeypatch.chdir(tmp_path)
    assert score_frame("table", "p@1", **NAMES).mean == {"p@1": 1}
    (tmp_path / "table" / log).parent.mkdir()
    (tmp_path / "table" / log).write_text("{}")
    for folder in (tmp_path, tmp_path / "table" / "data", "table", str(part)):
        with pytest.raises(ValueError, match=rf"table', where .* Pass {call}"):
            score_frame(folder, "p@1", **NAMES)
    # A file that is named counts.
    score_frame(part / "a.parquet", "p@1", **NAMES)


def test_metadata_of_ones_own_are_no_log(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    (tmp_path / "data").mkdir()
    (tmp_path / "metadata").mkdir()
    (tmp_path / "metadata" / "about.json").write_text("{}")
    pq.write_table(pa.table({"q": [1], "y": [1], "s": [0.5]}), tmp_path / "data" / "a")
    assert score_frame(tmp_path / "data", "p@1", **NAMES).mean == {"p@1": 1}


def test_frames_need_pyarrow(monkeypatch):
    pd = pytest.importorskip("pandas")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    frame = pd.DataFrame({"q": [1], "y": [1], "s": [0.5]})
    with pytest.raises(ImportError, match="score_frame needs pyarrow"):
        score_frame(frame, "p@1", **NAMES)
