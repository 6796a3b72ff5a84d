"""Where judgments meet a run: ids that do not match, columns that are not ranks."""

import io
import re

import numpy as np
import pytest

from oracles.run_forms import FORMS, as_file, rows_of
from sklearn_irmetrics import score_queries, score_run
from sklearn_irmetrics._cli.main import main
from sklearn_irmetrics.comparison import compare
from sklearn_irmetrics.exceptions import UnmatchedIdsWarning
from sklearn_irmetrics.runs import Qrels, align, read_run

# Three columns ------------------------------------------------------------------------


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


@pytest.mark.parametrize("text", ["1\td1\t0.5\n1\td2\t2\n", "1 d1 37\n", "q\td\ts\n"])
def test_a_first_line_of_three_words_is_told_to_have_a_header(text):
    with pytest.raises(ValueError, match="line 1: .* or a header .* got 3 fields"):
        read_run(io.StringIO(text))


# Ids that do not match ----------------------------------------------------------------

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
    assert "note: some: qrels and run have no document in" in capsys.readouterr().err
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
    score_run(qrels, {}, "recall@5", replace_undefined_by=0, **options)


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
    with pytest.warns(UnmatchedIdsWarning, match="in 'q' run has 'c', .* have 'a'"):
        score_run(qrels, {"p": ["a"], "q": ["c"]}, "alpha_ndcg")


# Ids come back as they are ------------------------------------------------------------


INTEGERS = {qid: {7: 1} for qid in (10, 9, 2)}


@pytest.mark.parametrize(
    "make",
    [
        dict,
        lambda table: {qid: list(docs) for qid, docs in table.items()},
        rows_of,
        lambda table: tuple(map(np.array, zip(*rows_of(table), strict=True))),
        lambda table: Qrels(*map(np.array, zip(*rows_of(table), strict=True))),
        lambda table: pytest.importorskip("pandas").DataFrame(
            rows_of(table), columns=["qid", "docno", "grade"]
        ),
    ],
    ids=["dict", "lists", "tuples", "arrays", "ours", "pandas"],
)
def test_integer_ids_stay_integers(make):
    found = score_run(make(INTEGERS), INTEGERS, "mrr")
    ids = [(type(qid), qid) for qid in found.query_ids]
    assert ids == [(int, 10), (int, 2), (int, 9)]
    numbers = score_queries([1, 1, 1], [1, 1, 1], "mrr", qid=[2, 9, 10])
    assert compare({"a": found, "b": numbers}).p_value == [1]


def test_ids_that_are_text_stay_text():
    text = {str(qid): docs for qid, docs in INTEGERS.items()}
    for qrels in text, as_file(INTEGERS, "{} 0 {} {}\n"):
        found = score_run(qrels, INTEGERS, "mrr")
        assert found.query_ids.tolist() == ["10", "2", "9"]


def test_one_query_under_two_types_of_id_is_refused():
    one, two = {1: {"a": 1}, "1": {"b": 0}}, {"1": {"a": 2.0}}
    with pytest.raises(ValueError, match="qrels must have query ids .* '1' occurs as"):
        score_run(one, two, "map")
    with pytest.raises(ValueError, match="run must have query ids that differ"):
        score_run(two, one, "map")
