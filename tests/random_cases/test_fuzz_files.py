"""Any bytes as files, any words on the command line: read right, or told why not."""

import bz2
import contextlib
import gzip
import io
import sys
import unicodedata

import pytest

pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from oracles.command import main
from oracles.fuzzing import REFUSED, answer, no_warnings, within
from oracles.strategies import CORNERS, plain_arrays
from sklearn_irmetrics.runs import align, read_qrels, read_run, write_run

FILES = settings(
    max_examples=2 * settings.default.max_examples,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

# TREC files ---------------------------------------------------------------------------

TOKENS = """
q1 q2 Q0 0 1 -1 2.5 1e3 1e999 -inf nan NaN 1_0 0x1 ١ +3 # #c d1 d2 é . =1+1
"""
TOKENS = [*TOKENS.split(), "\ud800", "9" * 400, "\x1b]0;x\x07", "\x9b31m"]
TOKENS += ["\u202e", "\ufeff"]
SPACES = st.sampled_from([" ", "\t", "  ", "\x0b", "\x0c", "\xa0", "\u2003", ""])
ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n", "", "\x85", "\u2028", "\x1c"])
LINES = st.tuples(st.lists(st.sampled_from(TOKENS), max_size=7), SPACES, ENDS)
TEXTS = st.lists(LINES.map(lambda line: line[1].join(line[0]) + line[2]), max_size=6)
TEXTS = TEXTS.map("".join)
BYTES = st.binary() | TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass"))


def disguised(data):
    """The same bytes, or broken in a way that bytes get broken."""
    packed = gzip.compress(data, mtime=0)
    yield from (data, b"\xef\xbb\xbf" + data, data + b"\0")
    yield from (packed, packed[:-9], packed + b"more")
    yield packed[:10] + b"\xff" * 8 + packed[18:]
    # The beginnings of other formats.
    yield from (bz2.compress(data), b'{"q": ' + data, b"qid,docno,score,rel\n" + data)


@given(BYTES)
@example(b"\x1f\x8b")
@example(b"\xff\xfe" + "q 0 d 1\n".encode("utf-16-le"))
@example(b"q\td\n")
@example(b"q 0 d 1" * 10**4)
@example(b"q 0 " + b"d" * 10**5 + b" 1\n")
@example(b"q 0 d " + b"9" * 10**4 + b"\n")
def test_any_bytes_as_trec_files(data):
    for read in (read_qrels, read_run):
        for bytes_ in disguised(data):
            answer(read, io.BytesIO(bytes_))
    for bytes_ in disguised(data):
        answer(read_qrels, io.BytesIO(bytes_), subtopics=True)


CELLS = st.sampled_from(CORNERS)
DOCUMENTS = st.sampled_from(["d", "e", 1, float("nan"), None])
QUERIES = st.sampled_from(["q", "r", 1, 1.5, None, (), b"q", True])
ROWS = st.dictionaries(DOCUMENTS, CELLS, max_size=3)
TABLES = st.one_of(
    st.dictionaries(QUERIES, ROWS | CELLS, max_size=3),
    st.tuples(*[st.lists(CELLS, max_size=3)] * 3),
    st.tuples(*[plain_arrays()] * 3),
    st.sampled_from([*CORNERS, "no such file", "\0", {"q": {"d": 1}}, {}]),
)


def without_files(function):
    """A name of no file is refused by the system."""

    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except OSError as error:
            raise ValueError(str(error)) from error

    return call


@given(TABLES, TABLES, st.sampled_from([None, 1, 10**18, 10**30]))
def test_any_tables_to_align(qrels, run, max_docs):
    found = answer(without_files(align), qrels, run, max_docs=max_docs)
    if found is not REFUSED:
        assert len(found.y_true) == len(found.y_score) == len(found.qid)


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=3),
        st.dictionaries(st.text(min_size=1, max_size=3), st.floats(-9, 9), min_size=1),
        min_size=1,
        max_size=3,
    )
)
@example({"\ufeffq": {"d": 1.0}})
@example({"\udce9": {"d\udcff": 1.0}})
@example({"\udcc3\udca9": {"d": 1.0}})
def test_what_is_written_comes_back(run):
    target = io.BytesIO()
    if answer(write_run, run, target) is REFUSED:
        assert target.getvalue() == b""
        return
    back = {}
    found = read_run(io.BytesIO(target.getvalue()))
    for qid, docno, score in zip(found.qid, found.docno, found.score, strict=True):
        back.setdefault(qid, {})[docno] = score
    assert back == run


# The command line ---------------------------------------------------------------------

WORDS = """
score compare metrics qrels run other broken none . - -m ndcg@10 map p@ zzz
rbp(persistence=2) P.5,10 P. ndcg_cut.x ndcg.1= iprec_at_recall.9 set_F.-1 all_trec
relstring -q -c -J -M -l -f -b --format csv json latex trec table --digits --confidence
--like trec_eval9 trec_eval10 --ties stable --undefined skip --missing raise --test
ttest tukey --correction --seed 0 1 -1 0.5 1e999 nan -- -h --help --version
--zzz 1_000 ١ 0x10 é
"""
WORDS = [*WORDS.split(), "", " ", "\0", "\ud800", "9" * 30, "9" * 5000]
STARTS = [
    [],
    ["metrics"],
    ["score", "qrels", "run", "other"],
    ["score", "--like", "trec_eval10", "qrels", "run", "-m"],
    ["compare", "qrels", "run", "other"],
]


@pytest.fixture(scope="module")
def small_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    (folder / "qrels").write_text("a 0 d1 2\na 0 d2 0\nb 0 d1 1\nb 0 d3 0\n")
    (folder / "run").write_text("a Q0 d1 1 2 x\na Q0 d2 2 1 x\nb Q0 d3 1 1 x\n")
    (folder / "other").write_text("a Q0 d2 1 2 y\nb Q0 d1 1 1 y\n")
    (folder / "broken").write_bytes(b"a Q0 \0 d1\xff\n")
    (folder / "none").write_text("")
    return folder


def check_command_line(argv):
    """Run it here: it works, or ends with one line of complaint and no output."""
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        no_warnings(),
        within(20),
    ):
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        try:
            code = main(argv)
        except SystemExit as error:
            code = error.code
    out, err = out.getvalue(), err.getvalue()
    assert code in (0, 1, 2)
    assert "Traceback" not in out + err
    seen = [out, err] if "table" in argv or "latex" in argv else [err]
    steering = [c for text in seen for c in text if unicodedata.category(c) == "Cc"]
    assert set(steering) <= {"\n"}
    if code:
        complaints = [line for line in err.splitlines() if ": note: " not in line]
        assert len(complaints) == 1, err
        assert ": error: " in complaints[0]
        assert out == ""


@FILES
@given(
    st.sampled_from(STARTS),
    st.lists(st.sampled_from(WORDS) | st.text(max_size=5), max_size=5),
)
@example(["score", "qrels", "run"], ["--digits", "2147483648"])
@example(["score", "qrels", "run"], ["-m", "ndcg@" + "9" * 900])
@example(["score", "qrels", "run"], ["-l", "1e308", "-M", "9" * 30])
@example(["score", "qrels", "run"], ["-m", "(" * 900])
@example(["compare", "qrels", "run", "other"], ["--seed", "9" * 30])
def test_any_words_on_the_command_line(small_files, monkeypatch, first, more):
    monkeypatch.chdir(small_files)
    check_command_line([*first, *more])


@FILES
@given(BYTES, st.sampled_from(["qrels", "run"]))
def test_any_files_on_the_command_line(small_files, tmp_path, data, place):
    (tmp_path / "any").write_bytes(data)
    files = {"qrels": small_files / "qrels", "run": small_files / "run"}
    files[place] = tmp_path / "any"
    check_command_line(["score", str(files["qrels"]), str(files["run"]), "-f", "table"])
