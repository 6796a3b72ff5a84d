"""Judgments and runs joined by document, beside a naive reference."""

import io
import sys

import numpy as np
import pytest

from sklearn_irmetrics.runs import align, read_qrels, read_run

QRELS_LINES = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n"
RUN_LINES = "q1 Q0 d1 1 0.9 tag\nq1 Q0 d3 2 0.5 tag\nq2 Q0 d1 1 0.1 tag\n"


def as_bytes(text):
    return text.encode("utf-8", "surrogateescape")


def naive_align(qrels, run, missing, max_docs, dtype):
    """Join two dicts of dicts document by document."""

    def order(item):
        return dtype(item[1]), as_bytes(item[0])

    rows = []
    for qid in sorted(qrels, key=as_bytes):
        judged, retrieved = qrels[qid], run.get(qid, {})
        if not retrieved and missing == "skip":
            continue
        listed = sorted(retrieved.items(), key=order, reverse=True)[:max_docs]
        left = set(judged) - {docno for docno, _ in listed}
        listed += [
            (docno, -np.inf) for docno in sorted(left, key=as_bytes, reverse=True)
        ]
        for docno, score in listed:
            grade = judged.get(docno, np.nan)
            pooled = grade < 0
            grade = np.nan if pooled else grade
            rows.append((qid, docno, grade, dtype(score), pooled))
    return rows


def rows_of(aligned):
    columns = aligned.qid, aligned.docno, aligned.y_true, aligned.y_score
    return [
        (qid, docno, repr(float(true)), repr(float(score)), bool(pooled))
        for qid, docno, true, score, pooled in zip(
            *columns, aligned.pooled, strict=True
        )
    ]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("max_docs", [None, 1, 4])
@pytest.mark.parametrize("missing", ["zero", "skip"])
@pytest.mark.parametrize("seed", range(5))
def test_align_agrees_with_the_naive_reference(seed, missing, max_docs, dtype):
    rng = np.random.default_rng(seed)
    docnos = ["d", "D", "d1", "d10", "d2", "é", "e", "z", "中", "\U0001f600", "\uffff"]
    docnos += ["d\udce9"]  # bytes that are not UTF-8
    queries = ["1", "2", "10", "q", "é", "q\udcff", "\uffff"]

    def draw(values):
        chosen = rng.permutation(docnos)[: rng.integers(1, len(docnos) + 1)].tolist()
        return {docno: float(rng.choice(values)) for docno in chosen}

    scores = [0.1, np.nextafter(0.1, 1), 0.5, 2, -3, 1e300, -1e300]
    qrels = {qid: draw([-2, -1, 0, 0.5, 1, 3]) for qid in rng.permutation(queries)[:4]}
    run = {qid: draw(scores) for qid in rng.permutation(queries)[:4]}
    # A float32 has no 1e300, and infinity would mean "not retrieved" below.
    run_as_expected = {
        qid: {
            docno: max(score, float(np.finfo(dtype).min))
            for docno, score in documents.items()
        }
        for qid, documents in run.items()
    }
    options = {"missing": missing, "max_docs": max_docs}
    rounded = read_run(run, dtype=dtype)
    aligned = align(qrels, rounded, unmatched="ignore", **options)
    with np.errstate(over="ignore"):
        wanted = naive_align(qrels, run_as_expected, missing, max_docs, dtype)
    assert rows_of(aligned) == [
        (qid, docno, repr(float(true)), repr(float(score)), bool(pooled))
        for qid, docno, true, score, pooled in wanted
    ]
    assert aligned.missing == tuple(sorted(set(qrels) - set(run), key=as_bytes))
    assert aligned.ignored == tuple(sorted(set(run) - set(qrels), key=as_bytes))


def test_what_a_run_lists_is_retrieved_whatever_the_score():
    aligned = align({"q": {"a": 1, "c": 1}}, {"q": {"a": -np.inf, "b": np.inf}})
    assert aligned.docno.tolist() == ["b", "a", "c"]
    assert (aligned.y_score > -np.inf).tolist() == [True, True, False]


def test_inputs_are_not_modified():
    qrels = (np.array(["q", "q"]), np.array(["a", "b"]), np.array([-1.0, 1.0]))
    run = (np.array(["q"]), np.array(["a"]), np.array([-np.inf]))
    before = [column.copy() for column in qrels + run]
    align(qrels, run)
    for column, old in zip(qrels + run, before, strict=True):
        np.testing.assert_array_equal(column, old)


def test_missing_queries():
    qrels = {str(i): {"a": 1} for i in range(8)}
    run = {"0": {"a": 1.0}, "1": {}}
    for missing in "zero", "skip":
        assert align(qrels, run, missing=missing).missing == tuple("1234567")
    with pytest.raises(
        ValueError,
        match=r"run lacks 7 of 8 queries of qrels: '1', '2', '3', '4', '5', \.\.\.",
    ):
        align(qrels, run, missing="raise")
    assert align(qrels, dict.fromkeys(qrels, {"a": 1}), missing="raise").missing == ()


def test_a_run_without_documents():
    with pytest.raises(ValueError, match="run must have a document; got none"):
        align({"q": {"a": 1}}, {})
    options = {"unmatched": "ignore"}
    aligned = align({"q": {"a": 1}}, {}, **options)
    assert rows_of(aligned) == [("q", "a", "1.0", "-inf", False)]
    assert len(align({"q": {"a": 1}}, {}, missing="skip", **options)) == 0


@pytest.mark.parametrize("qrels", [{}, {"301": {"a": 1}}])
def test_nothing_in_common_is_refused(qrels):
    with pytest.raises(ValueError, match="must have a query in common; got"):
        align(qrels, {"0301": {"a": 1}})


def test_frames():
    pd = pytest.importorskip("pandas")
    qrels = read_qrels(io.StringIO(QRELS_LINES))
    run = read_run(io.StringIO(RUN_LINES))
    assert list(qrels.to_frame().columns) == ["qid", "docno", "grade"]
    assert list(run.to_frame().columns) == ["qid", "docno", "score"]
    frame = align(qrels, run).to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["qid", "docno", "y_true", "y_score", "pooled"]
    assert len(frame) == 4


def test_pandas_is_needed_for_frames_only(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    qrels = read_qrels(io.StringIO(QRELS_LINES))
    aligned = align(qrels, io.StringIO(RUN_LINES))
    with pytest.raises(ImportError, match="to_frame\\(\\) needs pandas"):
        aligned.to_frame()
