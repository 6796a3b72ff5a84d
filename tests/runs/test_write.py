"""What is written is read again as it was."""

import io
import sys

import numpy as np
import pytest

from sklearn_irmetrics.runs import (
    align,
    read_qrels,
    read_run,
    write_qrels,
    write_run,
)

FORMATS = ["", ".txt", ".qrels", ".csv", ".tsv", ".json", ".jsonl", ".ndjson"]
PACKED = ["", ".gz", ".bz2", ".xz", ".ZST"]
MAGIC = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ", ".ZST": b"\x28\xb5"}
QRELS = {"q2": {"é": 1, "b": -2, "a": 0.1}, "q1": {"a": 3}}
RUN = {"q2": {"é": 1 / 3, "b": 1e-300, "a": -0.0}, "q1": {"a": 1e300}}


def rows(found):
    values = found.grade if hasattr(found, "grade") else found.score
    return list(zip(found.qid, found.docno, map(repr, values.tolist()), strict=True))


@pytest.mark.parametrize("packed", PACKED)
@pytest.mark.parametrize("name", [*FORMATS, ".parquet"])
def test_all_comes_back(name, packed, tmp_path):
    if ".parquet" in name or packed == ".ZST":
        pytest.importorskip("pyarrow")
    if name == ".parquet" and packed:
        with pytest.raises(ValueError, match="path must not name compressed"):
            write_run(RUN, tmp_path / ("run" + name + packed))
        return
    path = tmp_path / ("file" + name + packed)
    write_qrels(QRELS, path)
    assert path.read_bytes().startswith(MAGIC.get(packed, b""))
    wanted = [(q, d, repr(float(n))) for q, ds in QRELS.items() for d, n in ds.items()]
    assert rows(read_qrels(path)) == wanted
    write_run(RUN, path, tag="t")
    wanted = [(q, d, repr(n)) for q, ds in RUN.items() for d, n in ds.items()]
    assert rows(read_run(path)) == wanted
    before = path.read_bytes()
    write_run(read_run(path), path, tag="t")
    assert path.read_bytes() == before
    assert rows(read_run(path)) == rows(read_run(path))


@pytest.mark.parametrize("name", [".csv", ".json", ".jsonl", ".parquet"])
def test_other_formats_take_any_id(name, tmp_path):
    if name == ".parquet":
        pytest.importorskip("pyarrow")
    ids = [
        "",
        " ",
        "a b",
        "#",
        "\ufeffx",
        'a"b',
        "a,b;c",
        "1",
        "\x1f",
        "é\n",
        "{",
        "\r\n",
    ]
    table = {qid: dict.fromkeys(ids, 1.5) for qid in ids}
    path = tmp_path / ("file" + name)
    write_run(table, path)
    found = read_run(path)
    assert {(q, d) for q, d, _ in rows(found)} == {(q, d) for q in ids for d in ids}


@pytest.mark.parametrize("docno", ["a\tb", "a\nb", "a\rb", "a\0b"])
def test_cells_parted_by_tabs_hold_none(docno, tmp_path):
    message = "ids must not hold tabs, ends of lines or NUL for .tsv; got 'q.+a.+b.*'."
    with pytest.raises(ValueError, match=message):
        write_run({"q": {docno: 1}}, tmp_path / "run.tsv")


@pytest.mark.parametrize(
    "name",
    [
        "run.zip",
        "run.tar.gz",
        "run.7z",
        "run.lz4",
        "run.Z",
        "run.xlsx",
        "run.pkl",
        "run.arrow",
        "run.feather.gz",
        "run.npy",
        "run.yaml",
    ],
)
def test_names_that_promise_what_cannot_be_written(name, tmp_path):
    for write, table in (write_run, RUN), (write_qrels, QRELS):
        with pytest.raises(ValueError, match=f"not have the suffix .*; got '{name}'"):
            write(table, tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["qrels", "qrels.csv.bz2", "q.jsonl", "q.parquet"])
def test_judgments_of_subtopics_come_back(name, tmp_path):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    text = "1 a d1 1\n1 b d2 2\n1 b d1 0\n2 x d9 1\n"
    write_qrels(io.StringIO(text), tmp_path / name, subtopics=True)
    run = {"1": ["d1", "d2"], "2": ["d9"]}
    found = align(tmp_path / name, run, subtopics=True)
    expected = align(io.StringIO(text), run, subtopics=True)
    np.testing.assert_array_equal(found.y_true, expected.y_true)
    if name == "qrels":
        assert (tmp_path / name).read_text() == text


def test_what_cannot_be_written(tmp_path, monkeypatch):
    path = tmp_path / "file"
    for table, message in (
        ({"q": {"d": np.inf}}, "grade of qrels must be finite"),
        ({"a b": {"d": 1}}, "qrels must have ids, and a tag, that come back"),
        ({'{"q":': {"d": 1}}, "qrels must have ids, and a tag, that come back"),
        ((["q", "q"], ["d", "d"], [1, 1]), "expected each document once"),
    ):
        with pytest.raises(ValueError, match=message):
            write_qrels(table, path)
    for write, what in (write_run, "run"), (write_qrels, "qrels"):
        for nothing in {}, {"q": {}}:  # files that are empty are not read, either
            with pytest.raises(ValueError, match=f"{what} must hold a .*; got none"):
                write(nothing, path)
    with pytest.raises(ValueError, match="ids must hold surrogates only for"):
        write_qrels({"q": {"\ud800": 1}}, tmp_path / "file.csv")
    with pytest.raises(TypeError, match="path must be a path or an object with write"):
        write_qrels(QRELS, 3)
    pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match="ids must be valid UTF-8 for Parquet"):
        write_qrels({"q": {"\udcff": 1}}, tmp_path / "file.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="path names a Parquet file, which"):
        write_qrels(QRELS, tmp_path / "file.parquet")
    assert not list(tmp_path.iterdir())


def test_streams_get_lines():
    text, data = io.StringIO(), io.BytesIO()
    write_qrels({"q": {"a": 1, "b": 2.5, "c": 1e20}}, text)
    write_qrels({"q": {"a": 1, "b": 2.5, "c": 1e20}}, data)
    assert text.getvalue().encode() == data.getvalue()
    assert data.getvalue() == b"q 0 a 1\nq 0 b 2.5\nq 0 c 100000000000000000000\n"


@pytest.mark.parametrize("docno", ["\r", "a\rb", "\n", "a\r\nb"])
def test_ends_of_lines_in_ids_come_back_from_csv(tmp_path, docno):
    path = tmp_path / "run.csv"
    write_run({"q": {docno: 2.0, "b": 1.0}}, path)
    assert read_run(path).docno.tolist() == [docno, "b"]
