import gzip
import io
import itertools
import os
import subprocess
import sys
import timeit
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from oracles.fuzzing import little_memory
from sklearn_irmetrics.runs import Run, align, read_qrels, read_run, write_run

QRELS_LINES = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n"
RUN_LINES = "q1 Q0 d1 1 0.9 tag\nq1 Q0 d3 2 0.5 tag\nq2 Q0 d1 1 0.1 tag\n"


def assert_same_run(run, other):
    assert run.qid.tolist() == other.qid.tolist()
    assert run.docno.tolist() == other.docno.tolist()
    np.testing.assert_array_equal(run.score, other.score)


# Reading


def test_every_kind_of_source(tmp_path, monkeypatch):
    plain, packed = tmp_path / "run.txt", tmp_path / "run.dat"
    plain.write_text(RUN_LINES)
    data = gzip.compress(RUN_LINES.encode())
    packed.write_bytes(data)
    wanted = read_run(plain)
    assert wanted.score.tolist() == [0.9, 0.5, 0.1]
    streams = io.StringIO(RUN_LINES), io.BytesIO(RUN_LINES.encode()), io.BytesIO(data)
    for source in str(plain), packed, str(packed), *streams:
        assert_same_run(read_run(source), wanted)
    with open(plain) as text, open(packed, "rb") as binary:
        assert_same_run(read_run(text), wanted)
        assert_same_run(read_run(binary), wanted)
        assert not text.closed
        assert not binary.closed
    monkeypatch.setattr(sys, "stdin", io.StringIO(RUN_LINES))
    assert_same_run(read_run("-"), wanted)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(packed.open("rb")))
    assert_same_run(read_run("-"), wanted)
    sys.stdin.close()


@pytest.mark.parametrize(
    "text",
    [
        QRELS_LINES[:-1],
        QRELS_LINES.replace("\n", "\r\n"),
        QRELS_LINES.replace("\n", "\r"),
        QRELS_LINES.replace(" ", "\t \v"),
        QRELS_LINES.replace("\n", " \n\n \t\n"),
        "\n  " + QRELS_LINES,
        "\ufeff" + QRELS_LINES,
        "# a b c\n# a\n#\n" + QRELS_LINES + "  # a b c\n",
        QRELS_LINES.replace(" 0 ", " # "),
    ],
)
def test_lines_may_be_laid_out_in_many_ways(text):
    wanted = read_qrels(io.StringIO(QRELS_LINES))
    qrels = read_qrels(io.StringIO(text))
    assert qrels.qid.tolist() == wanted.qid.tolist() == ["q1", "q1", "q2"]
    assert qrels.docno.tolist() == wanted.docno.tolist() == ["d1", "d2", "d1"]
    assert qrels.grade.tolist() == wanted.grade.tolist() == [1, 0, 2]


@pytest.mark.parametrize("seed", range(40))
def test_blank_lines_anywhere(seed):
    rng = np.random.default_rng(seed)
    lines = [f"q{i // 3} 0 d{i} {i % 4}" for i in range(20)]
    layouts = "\n", "\n\n", "\n  \n", "\n\t\n\n", " \n", "\n# a b c\n", "\r\n\r\n"
    few = rng.choice(layouts, rng.integers(1, 4))
    ends = rng.choice(few, len(lines))
    text = rng.choice(["", "\n", "\n \n"]) + "".join(map(str.__add__, lines, ends))
    wanted, qrels = (
        read_qrels(io.StringIO(one)) for one in ("\n".join(lines), str(text))
    )
    for name in "qid", "docno", "grade":
        assert getattr(qrels, name).tolist() == getattr(wanted, name).tolist()
    place = text.index(lines[11])
    number = 1 + text[:place].replace("\r", "").count("\n")
    wrong = text.replace(lines[11], lines[11][:-1] + "x")
    with pytest.raises(ValueError, match=f", line {number}: the grade must be"):
        read_qrels(io.StringIO(wrong))
    again = text.replace(lines[11], lines[10])
    with pytest.raises(ValueError, match=f", line {number}: expected each document"):
        read_qrels(io.StringIO(again))


def test_blank_lines_cost_no_more_than_lines_with_data():
    lines = [f"q{i // 50} Q0 d{i} 1 {i % 97 / 7:.4f} t" for i in range(40_000)]
    plain, spaced = "\n".join(lines), "\n\n".join(lines)

    def seconds(text):
        return min(timeit.repeat(lambda: read_run(io.StringIO(text)), number=1))

    assert seconds(spaced) < 2 * seconds(plain)


def test_only_ascii_white_space_parts_fields_and_comments_begin_lines():
    lines = "q\u00a01 0 d\u30001\x1c 1\nq#1 0 #d1 1\nq1# # d#2 0\n"
    qrels = read_qrels(io.StringIO(lines))
    assert qrels.qid.tolist() == ["q\u00a01", "q#1", "q1#"]
    assert qrels.docno.tolist() == ["d\u30001\x1c", "#d1", "d#2"]


def test_what_follows_the_tag_is_ignored():
    run = read_run(io.StringIO("q Q0 d1 1 2.5 tag and more\nq Q0 d2 2 1.5 last\n"))
    assert run.score.tolist() == [2.5, 1.5]
    assert run.tag == "last"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("q2 0 d2", r"expected 4 fields \(query, .*, document, grade\).*; got 3"),
        ("q2", "expected 4 fields .*; got 1 field: 'q2'"),
        ("q2 0 d2 1 5", "expected 4 fields .*; got 5 fields: 'q2 0 d2 1 5'.$"),
        ("q2 0 d2 # 1", "expected 4 fields .*; got 5"),
        ("q2 0 d\nq2 0 d2 1 1", "expected 4 fields .*; got 3"),  # 8 fields in all
        ("q2 0 d2 one", "the grade must be a finite number; got 'one'"),
        ("q2 0 d2 1,5", "the grade must be a finite number; got '1,5'"),
        ("q2 0 d2 1_0", "the grade must be a finite number; got '1_0'"),
        ("q2 0 d2 nan", "the grade must be a finite number; got 'nan'"),
        ("q2 0 d2 inf", "the grade must be a finite number; got 'inf'"),
        (
            "q1 1 d2 0",
            r"expected each document once per query; got document 'd2' again for "
            r"query 'q1' \(first in line 2\)",
        ),
        ("q2 " + "0 " * 200, r"expected 4 .* got 201 fields: 'q2 0 0 .*\.\.\.'"),
    ],
)
@pytest.mark.parametrize("before", [QRELS_LINES, "#\n" + QRELS_LINES])
def test_read_qrels_refuses(line, message, before, tmp_path):
    path = tmp_path / "bad.qrels"
    path.write_text(before + line + "\nq3 0 d1 1\n")
    if before.startswith("#"):
        message = message.replace("line 2", "line 3")
    number = before.count("\n") + 1
    with pytest.raises(ValueError, match=rf"bad\.qrels, line {number}: {message}"):
        read_qrels(path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "q2 Q0 d2 1 0.5",
            r"expected at least 6 fields \(query, iteration, document, rank, score, "
            r"tag\), or a header with .*; got 5 fields: 'q2 Q0 d2 1 0\.5'",
        ),
        ("q2 Q0 d2 1 high tag", "the score must be a number; got 'high'"),
        ("q2 Q0 d2 1 nan tag", "the score must be a number; got 'nan'"),
        ("q1 Q0 d3 9 0.1 tag", r".* got document 'd3' again .* \(first in line 2\)"),
    ],
)
def test_read_run_refuses(line, message, tmp_path):
    path = tmp_path / "bad.run"
    path.write_text(RUN_LINES + line + "\nq3 Q0 d1 1 0.5 tag\n")
    with pytest.raises(ValueError, match=rf"bad\.run, line 4: {message}"):
        read_run(path)
    with pytest.raises(ValueError, match=rf"<file object>, line 4: {message}"):
        read_run(io.StringIO(path.read_text()))


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
@pytest.mark.parametrize("read", [read_qrels, read_run])
def test_a_file_without_data_is_refused(read, text):
    with pytest.raises(ValueError, match="expected lines of .* fields .*; got none"):
        read(io.StringIO(text))


def test_a_source_must_be_a_path_or_a_file():
    with pytest.raises(TypeError, match="run must be a Run, a path, .* got int"):
        read_run(3)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        read_run("nowhere.run")


class Slow:
    """A source that gives few characters or bytes at a time."""

    def __init__(self, data, sizes):
        self.data, self.sizes = data, iter(sizes)

    def read(self, size=-1):
        size = min(next(self.sizes), size % 2**31)
        piece, self.data = self.data[:size], self.data[size:]
        return piece


@pytest.mark.parametrize("sizes", [[1] * 400, [1, 400] * 9, [400, 1] * 9, [2, 1] * 99])
@pytest.mark.parametrize("text", [RUN_LINES, RUN_LINES.replace("\n", "\r\n")])
def test_sources_that_give_little_at_a_time(sizes, text):
    wanted = read_run(io.StringIO(RUN_LINES))
    for data in text, text.encode(), gzip.compress(text.encode()):
        assert_same_run(read_run(Slow(data, sizes)), wanted)
    assert_same_run(read_run(Slow(bytearray(text.encode()), sizes)), wanted)
    accented = text.replace("d", "é\U0001f600")
    same = read_run(Slow(accented, sizes))
    assert_same_run(same, read_run(io.BytesIO(accented.encode())))


def test_read_must_return_text():
    for found, kind in ([1], "list"), (None, "NoneType"):  # None: of an idle pipe
        source = SimpleNamespace(read=lambda size, found=found: found)
        with pytest.raises(TypeError, match=f"must return bytes or str; got {kind}"):
            read_run(source)
    with pytest.raises(ValueError, match="surrogates not allowed"):
        read_run(io.StringIO("q Q0 d\ud800 1 1 t\n"))


@pytest.mark.parametrize("chunk", [1, 2, 5])
@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\n\r", "\r\r", "\r\n\r", "\n\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_ends_of_lines_across_pieces(chunk, end, mark):
    def pieces(text):
        return Slow(text, itertools.repeat(chunk))

    text = mark + QRELS_LINES.replace("\n", end)
    qrels = read_qrels(pieces(text))
    assert qrels.docno.tolist() == ["d1", "d2", "d1"]
    assert qrels.qid.tolist() == ["q1", "q1", "q2"]
    number = len(
        (text + "q3 0 d x").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    )
    with pytest.raises(ValueError, match=f"line {number}: the grade"):
        read_qrels(pieces(text + "q3 0 d x"))


class Endless:
    """A source without an end."""

    def __init__(self, byte):
        self.byte = byte

    def read(self, size):
        return self.byte * size


@pytest.mark.parametrize("byte", [b"a", b"a "])
def test_files_without_ends_of_lines_take_little_memory(byte, tmp_path):
    message = "at most 1048576 bytes in a line"
    bomb = tmp_path / "bomb"
    bomb.write_bytes(gzip.compress(byte * 2**26, 1))
    for source in Endless(byte), bomb:
        with little_memory(2**26), pytest.raises(ValueError, match=message):
            read_run(source)


def test_names_of_files_do_not_steer_the_terminal(tmp_path):
    path = tmp_path / "a\x1b[31m\u202eb"
    path.write_text("q 0\n")
    with pytest.raises(ValueError, match=r"a\\x1b\[31m\\u202eb, line 1: expected"):
        read_run(path)


def test_files_joined_by_gzip_or_with_marks_inside():
    parts = map(
        gzip.compress, [b"", RUN_LINES.encode()[:9], b"", RUN_LINES.encode()[9:]]
    )
    joined = io.BytesIO(b"".join(parts))
    assert_same_run(read_run(joined), read_run(io.StringIO(RUN_LINES)))
    for end in ("\n", "\r\n", "\r", "\n\n"):
        twice = f"\ufeffq 0 d 1{end}\ufeffq 0 e 1{end}\ufeff# end{end} \ufeffp 0 e 1"
        twice = read_qrels(io.StringIO(twice))
        assert twice.qid.tolist() == ["q", "q", "\ufeffp"]
        assert twice.docno.tolist() == ["d", "e", "e"]
    with pytest.raises(ValueError, match=r"line 2: .* again .* \(first in line 1\)"):
        read_qrels(io.StringIO("\ufeffq 0 d 1\n\ufeffq 0 d 1\n"))


def test_marks_at_every_place_of_a_piece():
    joined = "q1 0 d 1\n\ufeffq2 0 d 1\n\ufeffq3 0 d 1\n".encode()
    for size in range(1, len(joined) + 1):
        source = Slow(joined, itertools.repeat(size))
        assert read_qrels(source).qid.tolist() == ["q1", "q2", "q3"]


# Writing


def test_scores_come_back_to_the_bit(tmp_path):
    rng = np.random.default_rng(0)
    score = rng.integers(0, 2**64, 2000, dtype=np.uint64).view(np.float64)
    odd = [5e-324, 0.1, 1 / 3, -0.0, 1e308, np.inf, -np.inf]
    score = np.append(score[np.isfinite(score)], odd)
    docno = np.arange(len(score))
    write_run((np.full(len(score), 7), docno, score), tmp_path / "run")
    copy = read_run(tmp_path / "run")
    back = np.empty(len(score))
    back[copy.docno.astype(int)] = copy.score
    assert back.tobytes() == score.tobytes()


def test_written_lines():
    run = {"q2": {"a": 1.0, "b": 2, "c": 1.0}, "q1": {"é": 0.1}}
    lines = (
        "q2 Q0 b 1 2.0 mine\nq2 Q0 c 2 1.0 mine\nq2 Q0 a 3 1.0 mine\n"
        "q1 Q0 é 1 0.1 mine\n"
    )
    text, binary = io.StringIO(), io.BytesIO()
    write_run(run, text, tag="mine")
    write_run(run, binary, tag="mine")
    assert text.getvalue() == lines
    assert binary.getvalue() == lines.encode()
    text = io.StringIO()
    write_run(Run(["q"], ["a"], [1.0], tag="own"), text)
    write_run((["q"], ["a"], np.float32([1.5])), text)
    assert text.getvalue() == "q Q0 a 1 1.0 own\nq Q0 a 1 1.5 sklearn_irmetrics\n"


def test_a_column_named_tag_is_not_the_tag():
    pd = pytest.importorskip("pandas")
    text = io.StringIO()
    frame = pd.DataFrame({"qid": ["q"], "docno": ["a"], "score": [1.0], "tag": ["t"]})
    write_run(frame, text)
    assert text.getvalue() == "q Q0 a 1 1.0 sklearn_irmetrics\n"


@pytest.mark.parametrize(
    "wrong", ["", " ", "a b", "a\tb", "a\n", "\ra", "\v", "\ufeff"]
)
def test_ids_that_would_not_come_back_are_refused(wrong, tmp_path):
    path = tmp_path / "run"
    for run in (
        {wrong: {"a": 1}, "q": {"a": 1}},
        {"q": {"a": 1}, wrong: {"a": 1}},
        {"#q": {"a": 1}, "q": {"a": 1}},
        {"q": {"a b": 1, "": 1}},
    ):
        with pytest.raises(ValueError, match="run must have ids, and a tag, that can"):
            write_run(run, path)
    if wrong != "\ufeff":  # which counts at the start of a line only
        with pytest.raises(ValueError, match="run must have ids, and a tag, that can"):
            write_run({"q": {"a": 1, wrong: 1}}, path)
        with pytest.raises(ValueError, match="run must have ids, and a tag, that can"):
            write_run({"q": {"a": 1}}, path, tag=wrong)
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("wrong", ["\ud800", "a\udfff", "\udcc3\udca9", "\udc41"])
def test_surrogates_that_stand_for_no_byte_are_refused(wrong, tmp_path):
    path = tmp_path / "run"
    rule = "surrogates not allowed|run must have ids, and a tag, that can be"
    with pytest.raises(ValueError, match=rule):
        write_run({"q": {"a": 1}, wrong: {"a": 1}}, path)
    with pytest.raises(ValueError, match=rule):
        write_run({"q": {"a": 1, wrong: 1}}, path)
    with pytest.raises(ValueError, match=rule):
        write_run({"q": {"a": 1}}, path, tag=wrong)
    assert not os.listdir(tmp_path)
    aligned = align({"q": {wrong: 1, "\udcff": 0}}, {"q": {wrong: 1, "\udcff": 1}})
    assert len(aligned) == 2


def test_what_a_text_file_cannot_hold_is_refused(tmp_path):
    path = tmp_path / "run"
    for encoding, docno in ("utf-8", "caf\udce9"), ("ascii", "é"), ("cp1252", "中"):
        with (
            open(path, "w", encoding=encoding) as file,
            pytest.raises(ValueError, match="can't encode character"),
        ):
            write_run({"q": {docno: 1}}, file)
        assert path.read_bytes() == b""
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        write_run({"q": {"caf\udce9": 1}}, file, tag="t")
    assert path.read_bytes() == b"q Q0 caf\xe9 1 1.0 t\n"


def test_a_dash_is_standard_output(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = (
        "from sklearn_irmetrics.runs import read_run, write_run\n"
        "print('before')\n"
        "write_run(read_run('-'), '-')\n"
        "print('after')\n"
    )
    line = b"q Q0 caf\xe9 1 1.0 t\n"
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=line,
        capture_output=True,
        check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert done.stdout.splitlines() == [b"before", line[:-1], b"after"]
    assert not os.listdir(tmp_path)
    text = io.StringIO()
    monkeypatch.setattr(sys, "stdout", text)
    write_run({"q": {"a": 1}}, "-")
    assert text.getvalue() == "q Q0 a 1 1.0 sklearn_irmetrics\n"
    write_run({"q": {"a": 1}}, Path("-"))
    assert os.listdir(tmp_path) == ["-"]


def test_a_raw_file_takes_all_or_it_is_an_error():
    class Raw(io.RawIOBase):
        def write(self, data):
            return min(len(memoryview(data)), 9)

    with pytest.raises(OSError, match="take all 15 bytes at once; it took 9"):
        write_run({"q": {"a": 1}}, Raw(), tag="t")


@pytest.mark.parametrize(
    "values",
    [
        np.ma.array([1, 2], mask=[0, 1]),
        np.array(["2020", "2021"], "M8[D]"),
        np.array([1, 2], "m8[D]"),
        np.array([1 + 5j, 2]),
        ["1_0", "2"],
        [1, None],
        [10**400, 1],
    ],
    ids=["masked", "dates", "durations", "complex", "texts", "None", "huge"],
)
def test_tables_hold_numbers(values):
    ids = ["q", "q"], ["a", "b"]
    with pytest.raises(TypeError, match="grade of qrels must"):
        align((*ids, values), {"q": {"a": 1}})
    with pytest.raises(TypeError, match="score of run must"):
        write_run((*ids, values), io.StringIO())


def test_masked_ids_of_tables_are_refused():
    masked = np.ma.array(["a", "b"], mask=[0, 1])
    for ids, what in (
        ((["q", "q"], masked), "document"),
        ((masked, ["a"] * 2), "query"),
    ):
        with pytest.raises(TypeError, match=f"{what} ids of qrels must not be a mask"):
            align((*ids, [1, 0]), {"q": {"a": 1}})
