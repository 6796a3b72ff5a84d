"""Runs of passages against judgments of documents, merged by brute force."""

from functools import partial

import numpy as np
import pytest

from oracles.run_forms import FORMS
from sklearn_irmetrics import score_run
from sklearn_irmetrics.runs import align

QRELS = {"q1": {"doc7": 1, "doc8": 0}, "q2": {"doc7": 2}}
PASSAGES = {"q1": {"doc7#0": 1.0, "doc8#1": 2.0, "doc7#3": 3.0}, "q2": {"doc7#1": 0.5}}
MERGES = {"max": max, "first": lambda scores: scores[0], "sum": sum}


def document_of(passage):
    return passage.split("#")[0]


def merged(run, merge):
    """Merge passage by passage."""
    result = {}
    for qid, passages in run.items():
        scores = {}
        for passage, score in passages.items():
            scores.setdefault(document_of(passage), []).append(score)
        result[qid] = {doc: MERGES[merge](found) for doc, found in scores.items()}
    return result


@pytest.mark.parametrize("merge", MERGES)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_merged_as_passage_by_passage(form, merge):
    rng = np.random.default_rng(0)
    make_qrels, make_run = FORMS[form]
    for _ in range(9):
        names = [f"d{i}#{j}" for i in range(9) for j in range(4)]
        run, qrels = {}, {}
        for query in range(int(rng.integers(1, 5))):
            listed = rng.permutation(names)[: rng.integers(1, 30)].tolist()
            scores = rng.normal(size=len(listed)).tolist()
            run[f"q{query}"] = dict(zip(listed, scores, strict=True))
            qrels[f"q{query}"] = {f"d{i}": int(rng.integers(0, 3)) for i in range(9)}
        options = {"max_docs": int(rng.integers(1, 9)), "ties": "stable"}
        names = ["map", "ndcg@5", "mrr"]
        expected = score_run(qrels, merged(run, merge), names, **options)
        data = make_qrels(qrels), make_run(run)
        options |= {"docno": document_of, "merge": merge}
        found = score_run(*data, names, **options)
        for name in names:
            np.testing.assert_array_equal(found.scores[name], expected.scores[name])


@pytest.mark.parametrize("merge", MERGES)
def test_align_merges_too(merge):
    pytest.importorskip("pandas")
    found = align(QRELS, PASSAGES, docno=document_of, merge=merge)
    expected = align(QRELS, merged(PASSAGES, merge))
    assert found.to_frame().equals(expected.to_frame())


def test_sums_do_not_depend_on_the_order_of_passages():
    falling = {"a#1": 0.1, "a#2": 0.2, "a#3": 0.3}
    other = {"b#3": 0.3, "b#2": 0.2, "b#1": 0.1}
    for passages in (falling, dict(reversed(falling.items()))):
        found = score_run(
            {"q": {"a": 1, "b": 0}},
            {"q": passages | other},
            "mrr",
            docno=lambda passage: passage[0],
            merge="sum",
        )
        assert found.mean == {"mrr": 0.75}


def test_ids_that_stay_apart_need_no_rule():
    run = {"q1": {"DOC7": 1.0}, "q2": ["DOC7"]}
    found = score_run(QRELS, {"a": run}, "mrr", docno=str.lower)
    assert found["a"].mean == {"mrr": 1.0}
    numbers = score_run(
        {"q": {7: 1}}, {"q": ["doc7"]}, "mrr", docno=lambda d: int(d[3:])
    )
    assert numbers.mean == {"mrr": 1.0}


def test_sums_without_a_value_are_refused():
    run = {"q1": {"doc7#0": np.inf, "doc7#1": -np.inf}}
    with pytest.raises(ValueError, match="score of run must not be NaN; got nan"):
        score_run(QRELS, run, "mrr", docno=document_of, merge="sum")


@pytest.mark.parametrize(
    "score", [align, lambda *data, **o: score_run(*data, "mrr", **o)]
)
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"docno": document_of},
            ValueError,
            r"docno must map .* got 'doc7' for 'doc7#0' and 'doc7#3' of query 'q1'.* "
            r"merge='max' to use the best of their scores\.$",
        ),
        ({"merge": "mean"}, ValueError, "merge must be .* got 'mean'"),
        ({"docno": "#"}, TypeError, "must be a function of an id, or None; got '#'"),
        ({"docno": lambda one: None}, TypeError, "ids of docno must be .* None"),
    ],
)
def test_maps_that_are_none_are_refused(score, options, error, message):
    with pytest.raises(error, match=message):
        score(QRELS, PASSAGES, **options)


def test_the_command_line_maps_and_merges(run, out):
    files = {
        "qrels": "q1 0 doc7 1\nq1 0 doc8 0\nq2 0 doc7 2\n",
        "one": "q1 Q0 doc7#0 1 1 t\nq1 Q0 doc8#1 2 2 t\nq1 Q0 doc7#3 3 3 t\n"
        "q2 Q0 doc7#1 1 0.5 t\n",
    }
    words = "score qrels one -m mrr -f csv --docno-separator #"
    for merge in MERGES:
        expected = score_run(QRELS, merged(PASSAGES, merge), "mrr").mean["mrr"]
        assert out(f"{words} --merge {merge}", **files) == f"run,mrr\nt,{expected}\n"
    code, _, err = run(words)
    assert code == 1
    assert "one: docno must map" in err and "Pass --merge max to use the best" in err
    assert "no document in common" in run("score qrels one")[2]
    code, _, err = run("score qrels one --docno-separator", "")
    assert code == 2
    assert "argument --docno-separator: must not be empty; got ''" in err


LISTED = {"q1": ["doc8", "doc7", "doc8", "doc7"], "q2": ["doc7", "doc9"]}
PAIRS = {
    q: list(zip(ds, (2.0, 1.0, 5.0, 9.0), strict=False)) for q, ds in LISTED.items()
}


@pytest.mark.parametrize("score", [align, partial(score_run, metrics="mrr")])
def test_a_document_twice_in_a_list_can_be_merged(score):
    for run in (LISTED, PAIRS):
        message = "expected each document once .* Pass merge='max' to use the best"
        with pytest.raises(ValueError, match=message):
            score(QRELS, run)
    best = {"q1": {"doc8": 5.0, "doc7": 9.0}, "q2": {"doc7": 2.0, "doc9": 1.0}}
    total = {**best, "q1": {"doc8": 7.0, "doc7": 10.0}}
    first = {**best, "q1": {"doc8": 2.0, "doc7": 1.0}}
    for merge, expected in {"max": best, "sum": total, "first": first}.items():
        assert str(score(QRELS, PAIRS, merge=merge)) == str(score(QRELS, expected))
    ranks = {"q1": {"doc8": 4, "doc7": 3}, "q2": {"doc7": 2, "doc9": 1}}
    assert str(score(QRELS, LISTED, merge="max")) == str(score(QRELS, ranks))


def test_a_document_twice_in_a_file_can_be_merged(run, out):
    files = {
        "qrels": "q1 0 doc7 1\nq1 0 doc8 0\n",
        "one": "q1 Q0 doc7 1 1 t\nq1 Q0 doc8 2 2 t\nq1 Q0 doc7 3 3 t\n",
    }
    assert (
        out("score qrels one -m mrr -f csv --merge max", **files) == "run,mrr\nt,1.0\n"
    )
    assert "t,0.5" in out("score qrels one -m mrr -f csv --merge first")
    code, _, err = run("score qrels one -m mrr")
    assert code == 1
    assert "one, line 3: expected each document once" in err
    assert "Pass --merge max to use the best of its scores." in err


# Measures of ir_measures --------------------------------------------------------------


class Named:
    """Stands for a measure of ir_measures, where that is not installed."""

    def __init__(self, name):
        self.name = name

    def __str__(self):
        return self.name


Named.__module__ = "ir_measures.measures.base"


@pytest.mark.parametrize("is_installed", [False, True])
def test_measures_of_ir_measures_are_read_by_their_names(is_installed):
    make = Named
    if is_installed:
        make = pytest.importorskip("ir_measures").parse_measure
    names = ["nDCG@10", "AP@5", "RR@5", "R@2"]
    run = {"q1": {"doc8": 2, "doc7": 1}, "q2": {"doc7": 1}}
    expected = score_run(QRELS, run, names).mean
    assert score_run(QRELS, run, list(map(make, names))).mean == expected
    assert score_run(QRELS, run, make("AP")).mean.keys() == {"AP"}
    labels = score_run(QRELS, run, {"mine": make("nDCG@10"), "ours": "ndcg@10"})
    assert labels.mean == dict.fromkeys(("mine", "ours"), expected["nDCG@10"])
    with pytest.raises(ValueError, match="'Accuracy' in ir_measures is"):
        score_run(QRELS, run, make("Accuracy"))


@pytest.mark.parametrize("is_installed", [False, True])
def test_set_f_of_ir_measures_takes_the_square_of_beta(is_installed):
    make = Named
    if is_installed:
        make = pytest.importorskip("ir_measures").parse_measure
    qrels = {"q": {"a": 1, "b": 2, "c": 0}}
    run = {"q": {"c": 3, "a": 2, "b": 1, "z": 0.5}}
    assert score_run(qrels, run, make("SetF")).mean == {"SetF": pytest.approx(2 / 3)}
    with pytest.raises(ValueError, match=r"square .* got SetF\(beta=2.*'set_f\(beta="):
        score_run(qrels, run, [make("SetF(beta=2.0)")])
    equal = score_run(qrels, run, f"set_f(beta={2**0.5})").mean
    assert [*equal.values()] == pytest.approx([0.75])  # what ir_measures has


def test_documents_of_many_queries_are_not_taken_for_one(tmp_path):
    """In 32 bits, the numbers of two of these pairs of query and document are equal."""
    documents = list(range(100_000))
    documents[42_949] = 24_347
    (path := tmp_path / "run").write_text(
        "".join(f"q{i} Q0 d{docno} 1 1.0 t\n" for i, docno in enumerate(documents))
    )
    qrels = {"q0": ["d0"], "q42949": ["d24347"]}
    scores = score_run(qrels, path, "mrr", merge="max", unmatched="ignore")
    assert scores.scores["mrr"].tolist() == [1.0, 1.0]
