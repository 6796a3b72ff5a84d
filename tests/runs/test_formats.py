"""Files of every format and compression, whatever their names."""

import bz2
import contextlib
import gzip
import io
import json
import lzma
import re
import sys
import tracemalloc

import numpy as np
import pytest

from oracles.run_forms import rows_of
from sklearn_irmetrics import score_run
from sklearn_irmetrics.runs import _formats, _ids, align, read_qrels, read_run
from sklearn_irmetrics.runs.files import read_columns

QRELS = {"q1": {"d1": 1, "d2": 0, "d é": 2}, "q2": {"d1": 3}, "3": {"7": 1}}
RUN = {"q1": {"d é": 2.5, "d1": 2.5, "x": -1.0}, "q2": {"y": 3.0, "d1": 1e-3}}
PLAIN = {q: {d.replace(" ", ""): n for d, n in ds.items()} for q, ds in QRELS.items()}
PLAIN_RUN = {q: {d.replace(" ", ""): n for d, n in ds.items()} for q, ds in RUN.items()}
MEASURES = ["map", "ndcg@10", "mrr"]


def zstd(data):
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.compress(data, codec="zstd", asbytes=True)


COMPRESSIONS = [bytes, gzip.compress, bz2.compress, lzma.compress, zstd]


def lines(table, form):
    return "".join(form.format(*row) for row in rows_of(table))


def parquet(table, *names):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    file = io.BytesIO()
    columns = map(list, zip(*rows_of(table), strict=True))
    pq.write_table(pa.table(dict(zip(names, columns, strict=True))), file)
    return file.getvalue()


def files(qrels, run):
    yield lines(qrels, "{} 0 {} {}\n"), lines(run, "{} Q0 {} 1 {} t\n")
    yield (
        "query-id\tcorpus-id\tscore\n" + lines(qrels, "{}\t{}\t{}\n"),
        "qid\tdocno\tscore\n" + lines(run, "{}\t{}\t{}\n"),
    )
    yield (
        "rel,qid,doc_id,score\n" + lines(qrels, "{2},{0},{1},9\n"),
        "\n\nscore;docno;qid\n" + lines(run, "{2};{1};{0}\n"),
    )
    yield json.dumps(qrels), json.dumps(run, indent=1)
    each = "\n".join(json.dumps({q: inside}) for q, inside in run.items())
    yield json.dumps(qrels, ensure_ascii=False), "\n" + each
    listed = [{"rel": n, "qid": q, "doc_id": d} for q, d, n in rows_of(qrels)]
    form = '{{"query_id": "{}", "title": null, "docno": "{}", "score": {}}}\n'
    yield json.dumps(listed), lines(run, form)


@pytest.mark.filterwarnings("ignore:run has no documents")
@pytest.mark.parametrize("pack", COMPRESSIONS)
def test_every_format_in_every_compression(pack, tmp_path):
    wanted = score_run(PLAIN, PLAIN_RUN, MEASURES).mean
    pairs = [[text.encode() for text in pair] for pair in files(PLAIN, PLAIN_RUN)]
    if pack is not zstd or "pyarrow" in sys.modules:
        names = "query_id", "doc_id", "relevance"
        tables = parquet(PLAIN, *names), parquet(PLAIN_RUN, "qid", "docno", "score")
        pairs.append(list(tables))
    for qrels, run in pairs:
        (tmp_path / "qrels").write_bytes(pack(qrels))
        (tmp_path / "run.txt").write_bytes(pack(run))
        paths = tmp_path / "qrels", str(tmp_path / "run.txt")
        assert score_run(*paths, MEASURES).mean == wanted
        assert score_run(*map(io.BytesIO, map(pack, (qrels, run))), "map").mean == {
            "map": wanted["map"]
        }
        assert set(read_qrels(paths[0]).docno) == {"d1", "d2", "dé", "7"}
        assert len(read_run(paths[1])) == 5
        assert align(*paths).y_true.tolist()


@pytest.mark.filterwarnings("ignore:run has no documents")
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_ends_of_lines_marks_and_tabs(pack, mark, end, last):
    wanted = score_run(PLAIN, PLAIN_RUN, MEASURES).mean
    tabs = lines(PLAIN, "{}\t0\t{}\t{}\n"), lines(PLAIN_RUN, "{}\tQ0\t{}  1\t{}\tt\n")
    for pair in (*files(PLAIN, PLAIN_RUN), tabs):
        data = [
            (mark + (text if last else text.removesuffix("\n"))).replace("\n", end)
            for text in pair
        ]
        sources = [io.BytesIO(pack(text.encode())) for text in data]
        assert score_run(*sources, MEASURES).mean == wanted


def test_cells_and_keys_may_hold_what_lines_cannot():
    run = "qid,docno,score\n" + '"q,1","d ""e""\nf",1\nq 2, g ,2\n'
    found = read_run(io.StringIO(run))
    assert found.qid.tolist() == ["q,1", "q 2"]
    assert found.docno.tolist() == ['d "e"\nf', " g "]
    beir = io.StringIO('query-id\tcorpus-id\tscore\nq\t"d\t1\n')
    assert read_qrels(beir).docno.tolist() == ['"d']
    found = read_run(io.StringIO(json.dumps({"a b": ["c d", "\ud83d\ude00"]})))
    assert found.docno.tolist() == ["c d", "\U0001f600"]
    assert found.score.tolist() == [2, 1]


def test_ranks_of_ms_marco():
    run = io.StringIO("1048585\t7187158\t1\n1048585\t7187157\t2\n2\t7\t1\n")
    found = read_run(run)
    assert found.score.tolist() == [-1, -2, -1]
    assert found.tag == "sklearn_irmetrics"
    qrels = io.StringIO("1048585\t0\t7187157\t1\n2\t0\t9\t1\n2\t0\t7\t0\n")
    run.seek(0)
    assert score_run(qrels, run, "mrr@10").mean == {"mrr@10": 0.25}
    from_0 = read_run(io.StringIO("q\td\t2\np\te\t0\nq\te\t0\nq\tf\t1\n"))
    assert from_0.score.tolist() == [-2, 0, 0, -1]
    for line, message in (
        ("3\t8\tfirst\n", "line 4: the rank must be a number; got 'first'"),
        ("3\t8\n", r"line 4: expected 3 fields \(query, document, rank\).*; got 2"),
        ("3\t8\t1\tx\n", "line 4: expected 3 fields .*; got 4"),
        ("2\t7\t2\n", r"line 4: .* document '7' again .* \(first in line 3\)"),
    ):
        with pytest.raises(ValueError, match=message):
            read_run(io.StringIO(run.getvalue() + line))


@pytest.mark.parametrize(
    ("text", "line", "got"),
    [
        ("1\td1\t37\n1\td2\t12.5\n", 2, "12.5"),  # scores
        ("1\td1\t37\n1\td2\t12\n", 2, "12"),
        ("1\td1\t2\n1\td2\t3\n", 1, "2"),
        ("1\td1\t1\n1\td2\t5\n", 2, "5"),
        ("1\td1\t0\n1\td2\t-1\n", 2, "-1"),
        ("1\td1\t1\n1\td2\tinf\n", 2, "inf"),
        ("2\td1\t1\n1\td1\t1\n\n# equal\n1\td2\t1\n", 5, "1"),  # judgments
        ("1\td1\t1\n1\td2\t0\n1\td3\t0\n", 3, "0"),
    ],
)
def test_three_columns_that_are_no_ranks_are_refused(text, line, got):
    message = (
        rf"line {line}: the ranks of a query must be 0, 1, 2, \.\.\. or 1, 2, 3, \.\.\."
        rf", each once; got {got}\. Scores need a header \(qid, docno, score\)\."
    )
    with pytest.raises(ValueError, match=message):
        read_run(io.StringIO(text))
    with pytest.raises(ValueError, match=message):
        score_run({"1": {"d1": 1}}, {"a": io.StringIO(text)}, "map")
    header = io.StringIO("qid\tdocno\tscore\n" + text.replace("\n# equal", ""))
    assert read_run(header).score[0] == float(text.split("\t", 3)[2].split("\n")[0])


@pytest.mark.parametrize("text", ["1\td1\t0.5\n1\td2\t2\n", "1 d1 37\n", "q d s\n"])
def test_a_first_line_of_three_words_is_told_to_have_a_header(text):
    with pytest.raises(ValueError, match="line 1: .* or a header .* got 3 fields"):
        read_run(io.StringIO(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("qid,docno,score\nq,a,1\nq,b\n", r"line 3: expected 3 cells \(qid, .*; got 2"),
        ("qid,docno,score\nq,a,x\n", "line 2: the score must be a number; got 'x'"),
        ("qid,docno,score\nq,a,\udcff\n", "line 2: the score must be a number; got"),
        ("qid,docno,score\nq,a,\n", "line 2: the score must be a number; got ''"),
        ("qid,docno,score\nq,a,1_0\n", "line 2: the score must be a number; got '1_0'"),
        ("qid,docno,score\nq,a,nan\n", "line 2: the score must be a number; got 'nan'"),
        ("qid,docno,score\nq,a,1\n\nq,a,2\n", r"line 4: .* again .* \(first in line 2"),
        ("qid,docno,score\n", "expected lines under the header; got none"),
        ("qid,docno,time\nq,a,1\n", "must have a column 'score'; got the columns"),
        ("qid,docno,docid,score\nq,a,b,1\n", "several columns of one kind, 'docno'"),
        ('qid,docno,score\nq,"a', "expected 3 cells|unexpected end of data"),
        ('{"q": {"a": 1}', "line 1: expected a dict as JSON; Expecting"),
        ('{"q": {"a": 1}}\n{"p": {"a": 1}', "line 2: expected a dict as JSON"),
        ('{"q": {"a": 1}}\n[1]', "line 2: expected a dict as JSON; got list"),
        ('{"q": {"a": 1}}\n{"q": {"b": 1}}', "line 2: .* got query 'q' again"),
        ('{"q": {"a": 1, "a": 2}}', "expected JSON; got 'a' twice in one dict"),
        ('{"q": {"a": "x"}}', "score of <file object> must hold real numbers"),
        ('{"q": {"a": null}}', "score of <file object> must hold real numbers"),
        ('{"q": {"a": NaN}}', "score of <file object> must not be NaN"),
        ('{"q": "a"}', "<file object> must be a dict from query .* got the text 'a'"),
        ('{"q": ["a", "a"]}', "<file object>: expected each document once per query"),
        ('{"q": ' + "[" * 100_000, "expected (JSON|a dict as JSON)"),
        (
            '{"qid": "q", "docno": "a", "score": 1}\n{"qid": "q", "docno": "b"}\n',
            "line 2: expected a record with the keys 'qid', 'docno', 'score' as JSON",
        ),
        ('{"q": {"a": 1}}\n{"qid": "p", "docno": 1}', "line 2: .*; got a record"),
        (
            '[{"qid": "q", "docno": "a", "text": "t"}]',
            "must have a column 'score'; got the columns",
        ),
        ('[{"qid": "q", "docno": "a", "score": 1}, 2]', "expected a record with the"),
        ('{"qid": "q", "docno": "a", "score": NaN}', "score of .* must not be NaN"),
        (
            '{"qid": "q", "docno": "a", "score": 1}\n' * 2,
            r"line 2: .* document 'a' again .* \(first in line 1\)",
        ),
        ("{}", "expected documents with a score; got none"),
        ('score,qid,docno\n3,1,a\n2,1,"b\n1,1,c\n', "line 4: unexpected end of data"),
        ("qid,docno,score,score\n1,a,1,2\n", "each column once; got 'score' again"),
        ("query,document,score\nq,a,1\n", r"pass columns={'docno': 'document'}\.$"),
        ("q\ta\t0.5\n", "or a header with the columns qid, .* got 3 fields"),
        ('{"q": {}, "p": []}', "expected documents with a score; got none"),
        (
            "qid,docno,score\nq,a,1\nq," + "d" * 131_073 + ",2\n",
            "line 3: field larger than field limit",
        ),
        (
            "qid\tdocno\tscore\nq\t" + "d" * 131_073 + "\t2\n",
            "line 2: field larger than field limit",
        ),
    ],
)
def test_what_is_wrong_is_said(text, message):
    with pytest.raises(ValueError, match=message):
        read_run(io.StringIO(text))


@pytest.mark.parametrize(
    "data",
    [
        b"PK\3\4\x14\0\0\0",
        b"run".ljust(257, b"\0") + b"ustar\0",
        lzma.compress(b"run".ljust(257, b"\0") + b"ustar  \0"),
    ],
)
def test_what_is_no_text_is_named(data):
    with pytest.raises(
        ValueError, match="line 1: (expected at least 6 fields|the score must)"
    ):
        read_run(io.BytesIO(data))


@pytest.mark.parametrize("pack", COMPRESSIONS[1:])
def test_broken_compression_is_refused(pack, tmp_path):
    data = pack(lines(PLAIN_RUN, "{} Q0 {} 1 {} t\n").encode() * 50)
    path = tmp_path / "run"
    changed = data[:12] + b"\xff" * 9 + data[21:]
    for broken in (data[:-9], data[: len(data) // 2], changed):
        if pack is zstd and broken is changed:  # has no checksum here
            continue
        path.write_bytes(broken)
        with pytest.raises(ValueError, match="run: the .* data cannot be read"):
            read_run(path)


def test_broken_parquet_is_refused():
    data = parquet(PLAIN, "qid", "docno", "grade")
    for broken in (b"PAR1", data[:-20], data[:40] + data[60:]):
        with pytest.raises(ValueError, match="the Parquet data cannot be read|PAR1"):
            read_qrels(io.BytesIO(broken))
    wrong = parquet({"q": {"d": "x"}}, "qid", "docno", "grade")
    with pytest.raises(ValueError, match="grade of <file object> must hold real"):
        read_qrels(io.BytesIO(wrong))


def test_parquet_and_zstd_need_pyarrow(monkeypatch):
    data = parquet(PLAIN, "qid", "docno", "grade")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="is Parquet, which needs pyarrow"):
        read_qrels(io.BytesIO(data))
    with pytest.raises(ImportError, match="<file object>: zstd needs pyarrow"):
        read_qrels(io.BytesIO(b"\x28\xb5\x2f\xfd" + bytes(20)))


@pytest.mark.parametrize(
    "line",
    [
        "{q} Q0 d 1 2 t",
        '{"q" Q0 d 1 2 t',
        "BZh9 Q0 d 1 2 t",
        "PAR Q0 d 1 2 t",
        "qid,docno Q0 d 1 2 t",
        "q\tQ0\td\t1\t2\tt",
        "[1] Q0 d 1 2 t",
    ],
)
def test_lines_of_trec_that_begin_like_something_else(line):
    assert read_run(io.StringIO(line)).score.tolist() == [2]


def test_names_of_columns_of_files():
    text = "q,passage,qid,score\n1,a,7,2\n"
    with pytest.raises(ValueError, match="must have a column 'docno' or "):
        read_run(io.StringIO(text))
    text = "qid,docno,docid,rel,label\n1,a,7,1,2\n"
    columns = {"docno": "docid", "grade": "label"}
    found = read_qrels(io.StringIO(text), columns=columns)
    assert found.docno.tolist() == ["7"]
    assert found.grade.tolist() == [2]
    run = io.StringIO("qid,docno,docid,score\n1,a,7,1\n")
    assert read_run(run, columns=columns).docno.tolist() == ["7"]


@pytest.mark.parametrize("separator", ["\t", ",", ";"])
def test_names_of_columns_find_the_header(separator):
    text = "topic,passage,gold\n1,a,2\n".replace(",", separator)
    columns = {"qid": "topic", "docno": "passage", "grade": "gold"}
    found = read_qrels(io.StringIO(text), columns=columns)
    assert (found.qid, found.docno, found.grade) == (["1"], ["a"], [2])
    # One of them may have a usual name.
    text = text.replace("topic", "qid")
    assert read_qrels(io.StringIO(text), columns=columns).docno.tolist() == ["a"]
    # A file without such names is of TREC, as before.
    assert read_qrels(io.StringIO("q 0 d 1\n"), columns=columns).grade.tolist() == [1]


@pytest.mark.parametrize(
    ("header", "named"),
    [
        ("topic,doc,gain", "'qid': 'topic', 'docno': 'doc', 'grade': 'gain'"),
        ("topic;doc;gain", "'qid': 'topic', 'docno': 'doc', 'grade': 'gain'"),
        ("topic\tdoc\tgain", "'qid': 'topic', 'docno': 'doc', 'grade': 'gain'"),
        ("topic\titer\tdoc\tgain", "'qid': ..., 'docno': ..., 'grade': ..."),
        ("customer_id,article_id", "'qid': ..., 'docno': ..., 'grade': ..."),
        ("qid,article_id,purchased", "'docno': 'article_id', 'grade': 'purchased'"),
        ("qid,passage,label", "'docno': 'passage'"),
        ("Query ID,Doc ID,Label", "'qid': 'Query ID', 'docno': 'Doc ID', 'grade': "),
    ],
)
def test_other_names_in_a_header_are_told_how_to_pass(header, named):
    separator = next(one for one in "\t;," if one in header)
    text = header + "\n" + re.sub("[^\t;,]+", "1", header) + "\n"
    names = re.escape(str(header.split(separator)))
    named = re.escape("columns={" + named)
    with pytest.raises(
        ValueError, match=f"must have a column '.*; got the columns {names}.*{named}"
    ):
        read_qrels(io.StringIO(text))


@pytest.mark.parametrize(
    "text", ["a,b Q0 c r 1 t\n", "a;b Q0 c r inf t u\n", "a\tQ0\tc\t1\t2\tt\n"]
)
def test_lines_of_trec_are_no_header(text):
    assert len(read_run(io.StringIO(text))) == 1


def random_table(rng):
    """Return a table whose cells may be quoted, blank, numbers or comments."""
    separator = rng.choice([",", ";", "\t"])
    header = ["qid", "docno", "score", *rng.choice(["text", "time"], rng.integers(3))]
    odd = ["", "a b", " a", '"a"', f'"a{separator}b"', "1_0", "nan", "\v", "\x1c", "#z"]
    odd += ["\0", "a\ty", "\ufeffa", "\udcff", "a\rb"]
    rows = [header]
    for row in range(rng.integers(1, 6)):
        cells = [f"q{row % 2}", f"d{row}", str(row / 4), *"xy"][: len(header)]
        if rng.random() < 0.3:
            cells[rng.integers(len(header))] = rng.choice(odd)
        rows.append(cells[: len(cells) - (rng.random() < 0.05)])
    order = rng.permutation(len(header))
    lines = [separator.join(row[i] for i in order if i < len(row)) for row in rows]
    if rng.random() < 0.2:
        lines.insert(rng.integers(1, len(lines) + 1), rng.choice(["", " ", "#c", "\t"]))
    end = rng.choice(["\n", "\n", "\r\n", "\r"])
    text = rng.choice(["", "", "\ufeff"]) + end.join(lines) + rng.choice(["", end])
    return text.encode("utf-8", "surrogateescape")


@pytest.mark.parametrize("seed", range(100))
def test_tables_are_read_alike_with_quotes_and_without(seed, monkeypatch):
    """Those without go another, faster way."""

    def read(data):
        try:
            run = read_run(io.BytesIO(data))
        except ValueError as error:
            return str(error)
        return run.qid.tolist(), run.docno.tolist(), run.score.tolist()

    rng = np.random.default_rng(seed)
    tables = [random_table(rng) for _ in range(20)]
    found = list(map(read, tables))
    monkeypatch.setattr(_formats, "_read_plain_table", lambda *arguments: None)
    for table, rows in zip(tables, found, strict=True):
        assert rows == read(table), table


def test_repeated_keys_of_lines_of_records():
    line = '{"qid": "q", "docno": "a:b", "score": 1}\n'
    assert len(read_run(io.StringIO(line + line.replace("a:b", "c")))) == 2
    for again in '"docno" : "c", "docno": "d"', '"docno": "c", "docno" :"a:b"':
        text = line.replace('"docno": "a:b"', again)
        with pytest.raises(ValueError, match="got 'docno' twice in one dict"):
            read_run(io.StringIO(line.replace("a:b", "e") + text))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_qrels, "q 0 d 1\n"),
        (read_qrels, "qid,docno,grade\nq,d,1\n"),
        (read_run, '{"q": ["d"]}'),
        (read_run, "q Q0 a 1 1 t"),
    ],
)
def test_text_of_another_encoding_is_named(encoding, read, text):
    with pytest.raises(ValueError, match="must be in UTF-8; this looks like UTF-16"):
        read(io.BytesIO(text.encode(encoding)))


def test_ids_that_are_not_utf_8_in_frames():
    pytest.importorskip("pandas")
    qrels = read_qrels(io.BytesIO(b"q\xff 0 d\xff 1\n"))
    run = read_run(io.BytesIO(b"q\xff Q0 d\xff 1 1 t\n"))
    aligned = align(qrels, run)
    for found in (qrels, run, aligned):
        row = found.to_frame().iloc[0]
        assert row[["qid", "docno"]].tolist() == ["q\udcff", "d\udcff"]
    assert score_run(qrels, run, "map").to_frame().index.tolist() == ["q\udcff"]


@pytest.mark.parametrize("name", ["rank", "Rank"])
def test_ranks_are_no_scores(name):
    run = f"qid,docno,{name}\nq,a,1\nq,b,2\n"
    for call in (
        lambda: read_run(io.StringIO(run), columns={"score": name}),
        lambda: score_run(
            {"q": ["a"]}, io.StringIO(run), "mrr", columns={"score": name}
        ),
    ):
        with pytest.raises(
            ValueError, match=f"must name scores.* the ranks '{name}'.*"
        ):
            call()


@pytest.mark.parametrize("subtopics", [False, True])
def test_ratings_are_no_judgments(subtopics):
    ratings = "196\t242\t3\t881250949\n186\t302\t3\t891717742\n"
    message = "query, iteration, document and grade, but 881250949 is no grade. Ratings"
    with pytest.raises(ValueError, match=message):
        read_qrels(io.StringIO(ratings), subtopics=subtopics)
    found = read_qrels(io.StringIO(f"qid\tdocno\tgrade\ttime\n{ratings}"))
    assert found.docno.tolist() == ["242", "302"]
    assert found.grade.tolist() == [3, 3]


def test_files_of_subtopics_without_a_judgment_are_refused():
    for text in '{"q": {}}', '{"q": {"t": {}}}':
        with pytest.raises(ValueError, match="documents with a grade; got none"):
            read_qrels(io.StringIO(text), subtopics=True)


def test_parquet_without_a_row_is_refused():
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    file = io.BytesIO()
    empty = {"qid": pa.array([], "string"), "docno": pa.array([], "string")}
    pq.write_table(pa.table(empty | {"score": pa.array([], "double")}), file)
    with pytest.raises(ValueError, match="expected documents with a score; got none"):
        read_run(io.BytesIO(file.getvalue()))


def test_json_lines_joined_with_marks_inside():
    text = '\ufeff{"q": {"a": 1}}\n\ufeff{"p": {"a": 1}}\n'
    assert read_run(io.StringIO(text)).qid.tolist() == ["q", "p"]


def test_numbers_are_read_to_the_bit():
    rng = np.random.default_rng(0)
    texts = [repr(x) for x in rng.normal(size=500).tolist()]
    texts += [f"{x:.{rng.integers(0, 20)}f}" for x in rng.normal(0, 1e3, 2000)]
    texts += [f"{x:.{rng.integers(0, 9)}e}" for x in rng.normal(size=300)]
    texts += ["-0", "0", "+5", "5.", ".5", "-.5", "-5.", "1e400", "-inf", "-INF", "7"]
    texts += ["1e1", "00012", "999999999999999", "9999999999999999"]
    texts += ["0.000000000000001", "9007199254740993"]
    run = "".join(f"q Q0 d{i} 1 {text} t\n" for i, text in enumerate(texts))
    expected = np.array(list(map(float, texts)))
    assert read_run(io.StringIO(run)).score.tobytes() == expected.tobytes()
    no_numbers = ["-", ".", "-.", "1.2.3", "1-2", "--1", "+-1", "1_0", "0x1", "e5"]
    for wrong in [*no_numbers, "1e", "١", "1\x85", "1\ufeff", "1\x1c"]:
        with pytest.raises(ValueError, match=f"line {len(texts) + 1}: the score must"):
            read_run(io.StringIO(f"{run}q Q0 last 1 {wrong} t\n"))


def test_ids_of_many_lengths_are_told_apart(monkeypatch):
    """Joined by hashes of 64 bits; compared by bytes, also where those are alike."""
    rng = np.random.default_rng(0)
    ids = ["".join(rng.choice(list("ab"), rng.integers(1, 40))) for _ in range(300)]
    ids = list(dict.fromkeys(ids))
    qrels = {"q": {d: i % 3 for i, d in enumerate(ids[::2])}, "qq": {ids[0]: 1}}
    run = {
        "q": {d: i % 50 for i, d in enumerate(ids[::-1])},
        "qq": {"a" * 50: 1, ids[0]: 0},
    }
    wanted = score_run(qrels, run, MEASURES).mean

    def from_files():
        sources = lines(qrels, "{} 0 {} {}\n"), lines(run, "{} Q0 {} 1 {} t\n")
        return score_run(*map(io.StringIO, sources), MEASURES).mean

    assert from_files() == pytest.approx(wanted, rel=1e-12)
    monkeypatch.setattr(_ids, "_FACTOR", np.uint64(0))
    assert from_files() == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("form", ["msmarco_doc_{:08d}", "doc{}"])
def test_reading_takes_at_most_twice_the_file(form, tmp_path):
    path = tmp_path / "run"
    rows = (f"{i // 999} Q0 {form.format(i)} 1 {-i / 8} tag\n" for i in range(300_000))
    path.write_text("".join(rows))
    tracemalloc.start()
    try:
        found = read_columns(path, "run", "score")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    pieces = 2**23  # what is made of one chunk
    assert peak - pieces < 2 * path.stat().st_size
    some = np.arange(0, 300_000, 997)
    expected = [form.format(i) for i in some]
    assert found.docno.text(some).tolist() == expected


@pytest.mark.parametrize("module", [bz2, lzma])
def test_no_member_of_a_compressed_file_is_lost_in_silence(module, tmp_path):
    first, second = b"q1 0 a 1\n", b"q2 0 b 1\n"
    path = tmp_path / "qrels"
    packed = module.compress(second)
    path.write_bytes(module.compress(first) + b"\0" * 8 + packed + b"\0" * 4)
    assert list(read_qrels(path).qid) == ["q1", "q2"]
    lost = 0
    for place in range(len(packed)):
        damaged = bytearray(packed)
        damaged[place] ^= 0x55
        path.write_bytes(module.compress(first) + damaged)
        with contextlib.suppress(ValueError):
            lost += len(read_qrels(path)) != 2
    assert lost == 0
    for rest in (b"rubbish", packed[:-3]):
        path.write_bytes(module.compress(first) + rest)
        with pytest.raises(ValueError, match="data cannot be read"):
            read_qrels(path)


@pytest.mark.parametrize("n_lines", [9, 999])
def test_text_in_place_of_a_file_name_is_not_repeated(n_lines):
    with pytest.raises(OSError, match=r"pass the content of one as io\.S") as raised:
        score_run("q 0 a 1\n" * n_lines, RUN, "map")
    assert len(str(raised.value)) < 250
