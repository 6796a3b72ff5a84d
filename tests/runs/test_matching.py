"""Judgments and runs whose ids do not match: refused, warned of, or let be."""

import re
import uuid
import warnings

import numpy as np
import pytest

from oracles.command import main
from oracles.run_forms import FORMS, as_file, rows_of
from sklearn_irmetrics import score_run
from sklearn_irmetrics.exceptions import UnmatchedIdsWarning
from sklearn_irmetrics.runs import align

SPELLINGS = {
    "passages": lambda doc: f"doc{doc}#0",
    "padded": lambda doc: f"doc{doc:04d}",
    "case": lambda doc: f"DOC{doc}",
    "numbers": lambda doc: doc,
    "bytes as text": lambda doc: str(f"doc{doc}".encode()),
    "blank": lambda doc: f"doc{doc}\xa0",
    "path": lambda doc: f"corpus/doc{doc}",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_ids_that_share_nothing(spelling, form):
    spell, (make_qrels, make_run) = SPELLINGS[spelling], FORMS[form]
    qrels = {f"q{i}": {f"doc{i}": 1, f"doc{i + 9}": 2} for i in range(1, 5)}
    none = {f"q{i}": {spell(i): 2.0, spell(i + 9): 1.5} for i in range(1, 5)}
    some = none | {"q1": {"doc1": 2.0}}
    listed = min(str(spell(1)), str(spell(10)))
    example = f"in 'q1' run has {listed!r}, judgments have 'doc1'"

    def score(run, unmatched="warn"):
        data = make_qrels(qrels), make_run(run)
        return score_run(*data, "recall@9", unmatched=unmatched).mean

    for unmatched in ("warn", "raise"):
        with pytest.raises(ValueError, match="in 4 of 4 queries") as caught:
            score(none, unmatched)
        assert example in str(caught.value)
        with pytest.raises(ValueError, match=re.escape(example)):
            align(make_qrels(qrels), make_run(none), unmatched=unmatched)
    assert score(none, "ignore") == {"recall@9": 0.0}
    with pytest.warns(UnmatchedIdsWarning, match="in 3 of 4 queries: in 'q2' run") as w:
        assert score(some) == {"recall@9": 0.125}
    assert [one.filename for one in w] == [__file__]
    with pytest.raises(ValueError, match="in 3 of 4 queries"):
        score(some, "raise")


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_ids_that_share_nothing_in_files(spelling, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    spell = SPELLINGS[spelling]
    qrels = {f"q{i}": {f"doc{i}": 1} for i in range(4)}
    texts = {"grade": as_file(qrels, "{} 0 {} {}\n")}
    for name, docs in ("none", ()), ("some", (0,)):
        run = {f"q{i}": {f"doc{i}" if i in docs else spell(i): 1.5} for i in range(4)}
        texts[name] = as_file(run, "{}\tQ0\t{}\t1\t{}\tt\n")
    for name, text in texts.items():
        (tmp_path / name).write_text(text.getvalue())
    for argv, code in (
        (["score", "grade", "none"], 1),
        (["score", "--like", "trec_eval10", "grade", "none"], 1),
        (["compare", "grade", "some", "none"], 1),
        (["compare", "--fail-if-worse", "grade", "some", "none"], 2),
        (["compare", "--fail-if-worse", "grade", "none", "some"], 2),
        (["score", "grade", "some", "--unmatched", "raise"], 1),
    ):
        assert main(argv) == code
        out, err = capsys.readouterr()
        assert not out
        example = "'doc1'" if "raise" in argv else "'doc0'"
        message = f"error: .*: qrels and run have no .* judgments have {example}"
        assert re.search(message, err)
    assert main(["score", "grade", "some", "-m", "recall@9"]) == 0
    err = capsys.readouterr().err
    assert "note: some: qrels and run have no document in" in err
    assert err.endswith("If these ids are right, pass --unmatched ignore.\n")
    argv = ["compare", "--fail-if-worse", "grade", "none", "some", "--unmatched"]
    assert main([*argv, "ignore"]) == 0
    assert "no document in common" not in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore:run has no documents for")
@pytest.mark.filterwarnings("ignore:qrels have nothing relevant")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("options", [{}, {"max_docs": 1}, {"ties": "stable"}])
def test_what_matches_is_not_warned_of(options):
    qrels = {"p": {"a": 1}, "q": {"b": -1}, "r": {"c": 0}, "s": {"d": 1}, "t": {}}
    run = {"p": {"x": 2, "a": 1}, "q": {"b": 1}, "r": {"c": 1}, "s": {}, "u": {"y": 1}}
    for judged in (qrels, rows_of(qrels)):
        score_run(judged, run, "recall@5", replace_undefined_by=0, **options)
    options["unmatched"] = "ignore"
    score_run(qrels, {}, "recall@5", replace_undefined_by=0, **options)


KINDS = {
    "chunks": lambda i: f"c{i}",
    "numbers": lambda i: i,
    "hexadecimal": lambda i: f"{(i + 1) * 0x9E3779B97F4A7C15 % 2**64:016x}",
    "UUIDs": lambda i: str(uuid.uuid5(uuid.NAMESPACE_DNS, str(i))),
    "titles": lambda i: (
        ("Paris", "Paris, Texas", "U.S.", "Ada (film)")[i % 4] + f" {i}"
    ),
    "passages": lambda i: f"doc{i // 7}#{i % 7}",
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unmatched", ["warn", "raise"])
@pytest.mark.parametrize("kind", KINDS)
def test_ordinary_misses_are_not_warned_of(kind, unmatched):
    """One gold document per query, as in RAG: a list without it is a miss."""
    spell, rng = KINDS[kind], np.random.default_rng(0)
    qrels, run = {}, {}
    for query in range(80):
        retrieved = rng.choice(np.arange(200, 5000), 5, replace=False)
        retrieved[rng.integers(5)] = query if query % 3 else retrieved[0] + 5000
        qrels[f"q{query}"] = [spell(query)]
        run[f"q{query}"] = [spell(int(one)) for one in dict.fromkeys(retrieved)]
    found = score_run(qrels, run, "recall@5", unmatched=unmatched)
    assert found.mean == {"recall@5": pytest.approx(53 / 80)}


@pytest.mark.parametrize(
    ("judged", "retrieved", "hint"),
    [
        ("d7", "d7#0", "docno=lambda id: id.split('#')[0], merge='max'"),
        ("d_7", "d_7_0", "docno=lambda id: id.rsplit('_', 1)[0], merge='max'"),
        ("d7", "7", "If they name the same documents, write them alike (docno maps "),
    ],
)
def test_the_error_proposes_to_map_ids_first(judged, retrieved, hint):
    with pytest.raises(ValueError, match="no document in common") as caught:
        score_run({"q": [judged]}, {"q": [retrieved]}, "mrr")
    message = str(caught.value)
    assert hint in message
    assert message.index(hint) < message.index("set unmatched to 'ignore'.")
    assert message.endswith("set unmatched to 'ignore'.")


def test_the_command_line_proposes_its_own_options(run):
    files = {"qrels": "q 0 d7 1\n", "ranked": "q Q0 d7#0 1 2 t\nq Q0 d7#1 1 1 t\n"}
    status, _, err = run("score qrels ranked -m mrr", **files)
    assert status == 1
    assert err.endswith(
        "map their ids: --docno-separator '#' --merge max. If these ids are right, "
        "pass --unmatched ignore.\n"
    )
    assert run("score qrels ranked -m mrr --docno-separator # --merge max")[0] == 0


def test_a_map_of_ids_is_of_the_run_only():
    qrels, run = {"p": ["a#1"]}, {"p": ["a#1"]}
    with pytest.raises(ValueError, match="docno maps the ids of the run only: map th"):
        score_run(qrels, run, "recall@5", docno=lambda id_: id_.split("#")[0])


def test_each_of_several_runs_is_checked():
    qrels = {"p": {"a": 1}, "q": {"a": 1}}
    runs = {"good": {"p": ["a"], "q": ["a"]}, "chunks": {"p": ["a"], "q": ["a#1"]}}
    with pytest.warns(UnmatchedIdsWarning, match="^run 'chunks': .* in 1 of 2") as w:
        score_run(qrels, runs, "mrr")
    assert len(w) == 1
    runs["bad"] = {"p": ["a#0"]}
    with (
        pytest.warns(UnmatchedIdsWarning),
        pytest.raises(ValueError, match="^run 'bad': qrels and run have .* in 1 of 1"),
    ):
        score_run(qrels, runs, "mrr")


def test_subtopics_are_checked():
    qrels = {"p": {"s": ["a"]}, "q": {"s": ["a"], "t": ["b"]}}
    with pytest.warns(UnmatchedIdsWarning, match="in 'q' run has 'a#1', .* have 'a'"):
        score_run(qrels, {"p": ["a"], "q": ["a#1"]}, "alpha_ndcg")


@pytest.mark.parametrize("name", ["exclude", "marks['known']"])
def test_documents_of_other_queries_are_checked(name):
    """Nothing was excluded, and nobody knew anything, without a word."""
    qrels, ranked = {"7": {"a": 1, "b": 1}}, {"7": ["a", "b"]}

    def score(qid, **options):
        listed = {qid: ["a"]}
        options |= (
            {"exclude": listed} if name == "exclude" else {"marks": {"known": listed}}
        )
        measure = "mrr" if name == "exclude" else "coverage"
        return score_run(qrels, ranked, measure, **options)

    message = re.escape(f"{name} and qrels have no query in common: {name} has '007'")
    with pytest.warns(UnmatchedIdsWarning, match=message):
        score("007", replace_undefined_by=0)
    with pytest.raises(ValueError, match=message):
        score("007", unmatched="raise")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score("007", unmatched="ignore", replace_undefined_by=0)
        score("7", replace_undefined_by=0)
        score_run(qrels, ranked, "mrr", exclude={})


def test_marks_of_other_queries_are_noted(run):
    files = {"qrels": "7 0 a 1", "ranked": "7 Q0 a 1 1 t", "known": "007 0 a 1"}
    words = "score qrels ranked -m coverage --undefined 0 --mark known=known"
    status, _, err = run(words, **files)
    assert status == 0
    assert "note: marks['known'] and qrels have no query in common" in err
    assert run(f"{words} --unmatched ignore")[2] == ""
