"""What is written is read again as it was."""

import io
import os
import tempfile
from pathlib import Path

import numpy as np
import pytest

from sklearn_irmetrics.runs import read_qrels, read_run, write_qrels, write_run

PACKED = ["", ".gz", ".bz2", ".xz", ".ZST"]
MAGIC = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ", ".ZST": b"\x28\xb5"}
QRELS = {"q2": {"é": 1, "b": -2, "a": 0.1}, "q1": {"a": 3}}
RUN = {"q2": {"é": 1 / 3, "b": 1e-300, "a": -0.0}, "q1": {"a": 1e300}}


def rows(found):
    values = found.grade if hasattr(found, "grade") else found.score
    return list(zip(found.qid, found.docno, map(repr, values.tolist()), strict=True))


@pytest.mark.parametrize("packed", PACKED)
@pytest.mark.parametrize("name", ["", ".txt", ".qrels"])
def test_all_comes_back(name, packed, tmp_path):
    if packed == ".ZST":
        pytest.importorskip("pyarrow")
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


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_frames_are_written_in_other_formats(form, tmp_path):
    pd = pytest.importorskip("pandas")
    if form == "parquet":
        pytest.importorskip("pyarrow")
    write_run(RUN, tmp_path / "a.run")
    run, path = read_run(tmp_path / "a.run"), tmp_path / f"run.{form}"
    frame = run.to_frame()
    frame.to_csv(path, index=False) if form == "csv" else frame.to_parquet(path)
    assert rows(read_run(path)) == rows(run)
    assert isinstance(frame, pd.DataFrame)


OTHERS = ["zip", "tar.gz", "7z", "lz4", "Z", "xlsx", "pkl", "arrow", "feather.gz"]
OTHERS += ["npy", "yaml", "csv", "TSV", "jsonl.xz", "parquet"]


@pytest.mark.parametrize("suffix", OTHERS)
def test_names_that_promise_what_cannot_be_written(suffix, tmp_path):
    name = f"run.{suffix}"
    for write, table in (write_run, RUN), (write_qrels, QRELS):
        with pytest.raises(ValueError, match=f"suffix of another .*; got '{name}'"):
            write(table, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_judgments_of_subtopics_come_back(tmp_path):
    text = "1 a d1 1\n1 b d2 2\n1 b d1 0\n2 x d9 1\n"
    write_qrels(io.StringIO(text), tmp_path / "qrels", subtopics=True)
    assert (tmp_path / "qrels").read_text() == text


def test_what_cannot_be_written(tmp_path):
    path = tmp_path / "file"
    for table, message in (
        ({"q": {"d": np.inf}}, "grade of qrels must be finite"),
        ({"a b": {"d": 1}}, "qrels must have ids, and a tag, that can be"),
        ({"q": {"d\0": 1}}, "not empty, without white space or NUL, "),
        ({"q": [], "p": ["d"]}, "a document for each query, .* got none for 'q'"),
        ({"PAR1": {"d": 1}}, "qrels must have ids, and a tag, that can be"),
        ({'{"q":': {"d": 1}}, "qrels must have ids, and a tag, that can be"),
        ((["q", "q"], ["d", "d"], [1, 1]), "expected each document once"),
    ):
        with pytest.raises(ValueError, match=message):
            write_qrels(table, path)
    for write, what in (write_run, "run"), (write_qrels, "qrels"):
        for nothing in {}, {"q": {}}:  # files that are empty are not read, either
            with pytest.raises(ValueError, match=f"{what} must hold a .*; got none"):
                write(nothing, path)
    with pytest.raises(ValueError, match="surrogates not allowed"):
        write_qrels({"q": {"\ud800": 1}}, tmp_path / "file")
    with pytest.raises(TypeError, match="path must be a path or an object with write"):
        write_qrels(QRELS, 3)
    with pytest.raises(FileNotFoundError, match=r"none.file'$"):
        write_qrels(QRELS, tmp_path / "none" / "file")
    assert not list(tmp_path.iterdir())


def test_streams_get_lines():
    text, data = io.StringIO(), io.BytesIO()
    write_qrels({"q": {"a": 1, "b": 2.5, "c": 1e20}}, text)
    write_qrels({"q": {"a": 1, "b": 2.5, "c": 1e20}}, data)
    assert text.getvalue().encode() == data.getvalue()
    assert data.getvalue() == b"q 0 a 1\nq 0 b 2.5\nq 0 c 100000000000000000000\n"


def test_links_lead_to_what_is_written(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "run", tmp_path / "link"
    link.symlink_to(target)
    write_run(RUN, link)
    assert len(read_run(target)) == 4 and link.is_symlink()
    inode = target.stat().st_ino
    write_run(RUN, link)
    assert target.stat().st_ino != inode, "it was replaced, not overwritten"
    assert [one.name for one in target.parent.iterdir()] == ["run"]
    (loop := tmp_path / "loop").symlink_to(loop)
    with pytest.raises(OSError, match=r"loop'$"):
        write_run(RUN, loop)
    assert loop.is_symlink()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there are no users")
@pytest.mark.parametrize("is_link", [False, True])
def test_a_file_that_may_not_be_written_stays(is_link):
    before = os.geteuid()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)  # so that anyone might replace it
        path = target = Path(folder, "run")
        path.write_text("q1 Q0 d1 1 2.0 t\n")
        path.chmod(0o444)
        if is_link:
            (path := Path(folder, "link")).symlink_to(target)
        names = sorted(os.listdir(folder))
        if before == 0:
            os.seteuid(65534)  # root may write it
        try:
            with pytest.raises(PermissionError, match=f"{path}'$"):
                write_run(RUN, path)
        finally:
            os.seteuid(before)
        assert target.read_text() == "q1 Q0 d1 1 2.0 t\n"
        assert sorted(os.listdir(folder)) == names


def test_links_and_modes_stay_what_they_are(tmp_path):
    path, link = tmp_path / "run", tmp_path / "link"
    path.touch(0o640)
    link.symlink_to(path)
    for place in path, link:
        write_run(RUN, place)
        assert link.is_symlink() and path.stat().st_mode & 0o7777 == 0o640
        assert len(read_run(path)) == 4
    path.chmod(0o6755)
    write_run(RUN, path)  # which shall not act for its owner
    assert path.stat().st_mode & 0o7777 == 0o755
