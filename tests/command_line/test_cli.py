import csv
import io
import json
import math
import os
import random
import re
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from oracles.command import main
from oracles.measures import METRICS
from oracles.places import ROOT
from oracles.run_forms import trec_values
from sklearn_irmetrics import Measure, ranking_report, score_queries, score_run
from sklearn_irmetrics.comparison import compare
from sklearn_irmetrics.runs import align, write_run

COMMAND = [sys.executable, "-W", "error", "-m", "sklearn_irmetrics"]
# The package as this process found it, wherever the command is started.
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
MEASURES = ["ndcg@10", "map", "recall@5"]

# Query c has nothing to find; in query a d3, d4 are tied and d2 has no judgment.
QRELS = "a 0 d1 2\na 0 d3 0\na 0 d4 1\na 0 d9 1\nb 0 d1 0\nb 0 d2 1\nc 0 d1 0\n"
FIRST = (
    "a Q0 d1 1 9 first\na Q0 d2 2 8 first\na Q0 d3 3 7 first\na Q0 d4 4 7 first\n"
    "b Q0 d1 1 5 first\nb Q0 d2 2 4 first\nc Q0 d1 1 1 first\n"
)
SECOND = "b Q0 d2 1 3 second\na Q0 d9 1 2 second\nc Q0 d1 1 1 second\n"
SHORT = "a Q0 d1 1 9 short\nx Q0 d1 1 9 short\n"  # without b and c


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Small files, by name, in the working directory."""
    texts = {"qrels": QRELS, "first": FIRST, "second": SECOND, "short": SHORT}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def score_json(out, words, *more, **files):
    """Return what `score` writes as JSON: an entry for each run."""
    return json.loads(out(f"score -f json {words}", *more, **files))


# The files of trec_eval ---------------------------------------------------------------

RPREC_MULT = {f"Rprec_mult_{i / 5:.2f}" for i in range(1, 11)}
ABSENT = {"utility", "binG", "G", "ndcg_rel", "Rndcg", "set_relative_P", "set_map"}
UNJUDGED = {f"unj_{k}" for k in (5, 10, 20)}
ABSENT |= RPREC_MULT | {"rbp", "rbp_resid"} | UNJUDGED
NO_STRINGS = ABSENT | {"relstring"}
PARAMETERS = (
    "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 "
    "-m 11pt_avg..25,.5,.75 -mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4 -msuccess.2,5,20"
)
TEST, TRUNCATED = ("qrels.test", "results.test"), ("qrels.test", "results.trunc")
REL_LEVEL = "qrels.rel_level", "results.test"
ABSENT_PARAMETERS = {f"Rprec_mult_{x}" for x in ("0.20", "0.35", "5.00")}
ABSENT_PARAMETERS |= {"utility_2,-1,0,0"}
COMMENT = ("qrels.comment.test.gz", "results.comment.test.gz")
# File, options, judgments and run, what we do not have, lines that both have.
EXPECTED = [
    ("out.test", "", TEST, set(), 30),
    ("out.test.a", "-m all_trec", TEST, ABSENT, 77),
    ("out.test.aq", "-m all_trec -q", TEST, NO_STRINGS, 296),
    ("out.test.aqc", "-m all_trec -q -c", TRUNCATED, NO_STRINGS, 296),
    ("out.test.aqcM", "-m all_trec -q -c -M100", TRUNCATED, NO_STRINGS, 296),
    ("out.test.aql", "-m all_trec -q -l2", REL_LEVEL, ABSENT | {"relstring_20"}, 296),
    ("out.test.meas_params", PARAMETERS, TEST, ABSENT_PARAMETERS, 72),
    ("out.comment.test", "", COMMENT, set(), 30),
]


@pytest.mark.parametrize(
    ("file", "options", "data", "absent", "n_lines"),
    EXPECTED,
    ids=[e[0] for e in EXPECTED],
)
def test_every_line_of_trec_eval_10(
    file, options, data, absent, n_lines, run, shared_data
):
    folder = shared_data("trec_eval/test")
    paths = [folder / name for name in data]
    status, ours, notes = run(f"score --like trec_eval10 {options}", *paths)
    theirs = (folder / file).read_text().splitlines()
    assert status == 0
    assert {line.split("\t")[0].strip() for line in theirs} >= absent
    both = [line for line in theirs if line.split("\t")[0].strip() not in absent]
    assert ours.splitlines() == both
    assert len(both) == n_lines
    if "all_trec" in options:
        (note,) = (
            line for line in notes.splitlines() if "left out, not printed" in line
        )
        named = set(note.rpartition(": ")[2].split(", "))
        families = {"relstring", "Rprec_mult", "unj"}
        assert named == ABSENT - RPREC_MULT - UNJUDGED | families


def random_files(folder):
    """Write judgments and a run with ties, some of which float32 alone makes."""
    rng = random.Random(1)
    qrels, run = {}, {}
    for i in range(30):
        docs = [f"D{j}" for j in range(rng.randint(1, 40))]
        qrels[f"q{i}"] = {d: rng.choice((-1, 0, 0, 1, 2)) for d in docs[::2]}
        run[f"q{i}"] = {
            d: round(rng.gauss(0, 1), 1) + rng.choice((0, 1e-9)) for d in docs
        }
    lines = [f"{q} 0 {d} {g}\n" for q, of in qrels.items() for d, g in of.items()]
    (folder / "random.qrels").write_text("".join(lines))
    write_run(run, folder / "random.run", tag="random")
    return qrels, run


@pytest.mark.parametrize("options", ["", "-J", "-l2"])
def test_every_query_of_trec_eval_9(options, out, tmp_path):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = random_files(tmp_path)
    paths = tmp_path / "random.qrels", tmp_path / "random.run"
    text = out(f"score --like trec_eval9 -m all_trec -q {options}", *paths)
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels,
        pytrec_eval.supported_measures,
        relevance_level=2 if options == "-l2" else 1,
        judged_docs_only_flag=options == "-J",
    )
    theirs = evaluator.evaluate(run)
    found = {key: value for key, value in trec_values(text).items() if key[1] != "all"}
    assert len(found) > 30 * 70
    for (name, query), value in found.items():
        assert float(value) == pytest.approx(theirs[query][name], abs=5.01e-5), name


def test_only_version_9_rounds_scores_to_float32(out, files):
    close = {
        "one": "a 0 d1 1\na 0 d2 0\n",
        "close": "a Q0 d1 1 1.00000001 x\na Q0 d2 2 1 x\n",
    }
    for version, recip_rank in ("9", "0.5000"), ("10", "1.0000"):
        text = out(f"score --like trec_eval{version} -m recip_rank one close", **close)
        assert trec_values(text)["recip_rank", "all"] == recip_rank
    assert score_json(out, "-m mrr one close")[0]["scores"] == {"mrr": 1.0}


def test_missing_queries_as_in_trec_eval(run, files):
    words = "-m num_q -m map -q qrels short"
    code, stdout, stderr = run(f"score --like trec_eval10 {words}")
    assert (code, stdout) == (1, "")
    assert "short: run lacks 2 of 3 queries of qrels: 'b', 'c'. Use --missing" in stderr
    code, stdout, stderr = run(f"score --like trec_eval9 {words}")
    assert code == 0
    assert list(trec_values(stdout)) == [("map", "a"), ("num_q", "all"), ("map", "all")]
    assert "no documents for 2 queries (b, c): left out" in stderr
    complete = trec_values(run(f"score --like trec_eval9 -c {words}")[1])
    assert list(complete) == [("map", "a"), ("num_q", "all"), ("map", "all")]
    assert complete["num_q", "all"] == "3"
    complete = trec_values(run(f"score --like trec_eval10 -c {words}")[1])
    assert [query for name, query in complete if name == "map"] == [*"abc", "all"]


def test_trec_eval_reads_whole_grades(out, files):
    (files / "halves").write_text("a 0 d1 0.9\na 0 d2 2.5\nb 0 d2 1\nc 0 d1 1\n")
    text = out("score --like trec_eval9 -m num_rel halves first")
    assert trec_values(text)["num_rel", "all"] == "3"
    found = score_json(out, "-m map halves first")
    assert found[0]["scores"]["map"] == pytest.approx((1 + 0.5 + 1) / 3)


def test_our_names_with_the_arguments_of_trec_eval(out, files):
    words = "score --like trec_eval9 -m iprec@0.5 -m P.5 -m map"
    found = trec_values(out(f"{words} -m p@5 -q qrels second"))
    names = [name for name, query in found if query == "all"]
    assert names == ["map", "P_5", "iprec@0.5", "p@5"]
    assert found["p@5", "a"] == found["P_5", "a"] == "0.2000"
    assert found["map", "c"] == "0.0000"
    undefined = trec_values(out(f"{words} --undefined 1 -q qrels second"))
    assert undefined["map", "c"] == undefined["iprec@0.5", "c"] == "1.0000"


def test_cutoffs_add_up(out, files):
    words = "-m P -m P.7,2 -m map -m P.2 -m set_F.4 -m set_F.9"
    text = out(f"score --like trec_eval10 {words} qrels first")
    assert [name for name, _ in trec_values(text)] == ["map", "P_2", "P_7", "set_F_9"]


@pytest.mark.parametrize("like", ["trec_eval9", "trec_eval10"])
def test_all_queries_have_relevant_documents_above_0(like, run):
    # Printed by trec_eval 9.0.8 and 10.0: -c looks at all judgments, and not at -l.
    files = {
        "qrels": "a 0 d1 2\na 0 d2 1\nb 0 d1 1\nb 0 d3 0\n",
        "one": "a Q0 d1 1 2 t\na Q0 d2 2 1 t\n",
    }
    words = f"score --like {like} -c -l 2 -q -m num_rel qrels one"
    found = trec_values(run(words, **files)[1])
    assert found["num_rel", "a"] == "1"
    assert found["num_rel", "all"] == "3"


@pytest.mark.parametrize("like", ["trec_eval9", "trec_eval10"])
def test_means_are_added_up_one_by_one(like, run):
    # trec_eval prints .5063 for these eight queries, whose mean is .50625.
    found = [7, 7, 18, 4, 11, 12, 4, 18]
    judgments = [f"q{i} 0 d{j} 1\n" for i, n in enumerate(found) for j in range(n)]
    lines = [f"q{i} Q0 d{j} 1 {-j} t\n" for i in range(8) for j in range(20)]
    files = {"qrels": "".join(judgments), "one": "".join(lines)}
    _, out, _ = run(f"score --like {like} -m P.20 qrels one", **files)
    total = 0.0
    for n in found:
        total += n / 20
    assert out == f"P_20                  \tall\t{total / 8:.4f}\n"
    assert out.endswith("0.5063\n")


def test_the_trec_format_holds_one_run(run):
    files = {"qrels": "a 0 d1 1\n", "one": "a Q0 d1 1 2 t\n", "two": "a Q0 d1 1 2 u\n"}
    for options in "--like trec_eval10", "-f trec":
        code, out, err = run(f"score {options} qrels one two", **files)
        assert (code, out) == (2, "")
        assert "does not name the run of a line: score one RUN" in err
    words = "score --like trec_eval10 -f csv -m map qrels one two"
    assert run(words)[1] == "run,map\nt,1.0\nu,1.0\n"


def test_a_query_left_without_documents_counts_as_0_and_not_as_nan(run):
    files = {"qrels": "a 0 d1 1\nb 0 d1 1\n", "one": "a Q0 d1 1 2 t\nb Q0 d7 1 1 t\n"}
    words = "score --like trec_eval10 -J -m iprec_at_recall.0 -m 11pt_avg qrels one"
    _, out, _ = run(words, **files)
    assert list(trec_values(out).values()) == ["0.5000", "0.5000"]


def test_parameters_of_sets(out, files):
    words = "-m set_F.4 -q qrels first"
    found = trec_values(out(f"score --like trec_eval10 {words}"))
    precision, recall = 2 / 4, 2 / 3
    beta2 = 5 * precision * recall / (4 * precision + recall)
    assert found["set_F_4", "a"] == f"{beta2:.4f}"


@pytest.mark.parametrize(
    ("like", "measure", "message"),
    [
        ("10", "P.0", "whole numbers from 1"),
        ("10", "P.5,x", "written as in P.5,10"),
        ("10", "map.3", "map of trec_eval has no parameters"),
        ("10", "ndcg.a=3", "written as in ndcg.1=3,2=9"),
        ("10", "set_F.-1", "written as in set_F.0.5"),
        ("10", "rbp_resid", "'rbp_resid' is not a measure"),
        ("10", "rbp.p=1", "must be written as 'name'"),
        ("10", "iprec_at_recall.1.5", "between 0 and 1"),
        ("10", "utility", "utility of trec_eval is not supported"),
        ("9", "Rprec_mult.0.5", "Rprec_mult of trec_eval is not supported"),
        ("9", "rbp", "'trec_eval9' has"),
        ("9", "err", "'trec_eval9' has"),
        ("9", "mapp", "'map'"),
    ],
)
def test_wrong_measures_of_trec_eval(like, measure, message, run, files):
    code, out, err = run(f"score --like trec_eval{like} -m {measure} qrels first")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


# Scores -------------------------------------------------------------------------------


def expected(name, measures=MEASURES, **options):
    """What the library computes of the small files."""
    how = {key: options.pop(key) for key in ("missing", "max_docs") if key in options}
    aligned = align("qrels", name, **how)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return score_queries(
            aligned.y_true, aligned.y_score, measures, qid=aligned.qid, **options
        )


def test_json_has_the_numbers_of_the_library(out, files):
    measures = " ".join(f"-m {name}" for name in MEASURES)
    entries = score_json(out, f"qrels first second {measures} -q")
    assert [entry["run"] for entry in entries] == ["first", "second"]
    for entry in entries:
        scores = expected(entry["file"])
        assert entry["scores"] == scores.mean
        assert entry["n_queries"] == 3
        assert entry["undefined"] == {"ndcg@10": 1, "map": 1, "recall@5": 1}
        assert list(entry["queries"]) == ["a", "b", "c"]
        assert entry["queries"]["c"] == dict.fromkeys(MEASURES)
        for i, query in enumerate("ab"):
            assert entry["queries"][query] == {m: scores.scores[m][i] for m in MEASURES}


def test_csv_is_the_same(out, files):
    words = "score qrels first second -m map -m p@2 -f csv"
    rows = list(csv.DictReader(io.StringIO(out(words))))
    means = {name: expected(name, ["map", "p@2"]).mean for name in ("first", "second")}
    found = [{k: float(row[k]) for k in ("map", "p@2")} for row in rows]
    assert found == list(means.values())
    rows = list(csv.DictReader(io.StringIO(out(f"{words} -q"))))
    assert [(row["query"], row["run"]) for row in rows] == [
        (query, name) for query in ("a", "b", "c", "all") for name in means
    ]
    assert rows[4]["map"] == "" and rows[4]["p@2"] == "0.0"
    assert float(rows[-1]["map"]) == means["second"]["map"]


def test_table(out, files):
    words = "score qrels first second -m map -m p@2"
    assert out(f"{words} --digits 2") == (
        "     first  second  queries\n"
        "map   0.51    0.67   2 of 3\n"
        "p@2   0.33    0.33        3\n"
    )
    markdown = out(f"{words} -f markdown")
    assert markdown.endswith("\n\nmap is a mean over 2 of 3 queries.\n")
    by_query = out(f"{words} -q").splitlines()
    assert by_query[:2] == [
        "query  run        map     p@2",
        "a      first   0.5278  0.5000",
    ]
    assert by_query[-4:-2] == [
        "c      first        –  0.0000",
        "c      second       –  0.0000",
    ]
    of_one = out("score qrels first -m map -q")
    assert of_one.startswith("query     map\na      0.5278\n")


def test_measures_undefined_everywhere(out, files):
    words = "qrels first second -m map -l 9"
    undefined = ["map", "–", "–", "0", "of", "3"]
    assert out(f"score {words}").splitlines()[1].split() == undefined
    assert out(f"score {words} -f csv") == "run,map\nfirst,\nsecond,\n"
    assert score_json(out, words)[0]["scores"] == {"map": None}
    words += " --confidence 0.9"
    assert out(f"score {words}").splitlines()[1].split() == undefined
    assert score_json(out, words)[0]["intervals"] == {"map": [None] * 2}


def test_trec_format_of_our_measures(out, files):
    text = out("score qrels first -m p@2 -f trec -q")
    assert text.splitlines()[-3:] == [
        "runid                 \tall\tfirst",
        "num_q                 \tall\t3",
        "p@2                   \tall\t0.3333",
    ]
    assert trec_values(text)["p@2", "a"] == "0.5000"


@pytest.mark.parametrize("ties", ["average", "optimistic", "pessimistic", "stable"])
def test_ties(ties, out, files):
    (found,) = score_json(out, f"qrels first -m map --ties {ties}")
    assert found["scores"] == expected("first", ["map"], ties=ties).mean


def test_stable_is_the_order_of_trec_eval(out, files):
    words = "-m map -q -f csv qrels first"
    stable = out(f"score --ties stable --undefined 0 {words}")
    assert stable == out(f"score --like trec_eval10 {words}")


IRRELEVANT = (
    "python -m sklearn_irmetrics score: note: nothing relevant for 1 query (c)\n"
)


def test_undefined_queries(run, out, files):
    code, stdout, stderr = run("score qrels first -m map -f json")
    of_a = (1 + (2 / 3 + 2 / 4) / 2) / 3  # d1, then d4 at rank 3 or 4
    assert json.loads(stdout)[0]["scores"]["map"] == pytest.approx((of_a + 0.5) / 2)
    assert stderr == (
        "python -m sklearn_irmetrics score: note: map: nothing is relevant in 1 of 3 "
        "queries (c); left out. --undefined 0 counts them as 0.\n"
    )
    for value, add in ("0", [0]), ("1", [1]), ("-0.5", [-0.5]), ("skip", []):
        (found,) = score_json(out, f"qrels first -m map --undefined {value}")
        assert found["scores"]["map"] == pytest.approx(np.mean([of_a, 0.5, *add]))


def test_missing_queries(run, out, files):
    words = "score qrels short -m p@1 -f json"
    code, stdout, stderr = run(words)
    (entry,) = json.loads(stdout)
    assert (entry["n_queries"], entry["scores"]["p@1"]) == (3, 1 / 3)
    assert (entry["missing"], entry["ignored"]) == (["b", "c"], ["x"])
    assert "no documents for 2 queries (b, c): counted with nothing" in stderr
    assert "no judgments for 1 query (x): ignored" in stderr
    (entry,) = score_json(out, "qrels short -m p@1 --missing skip")
    assert (entry["n_queries"], entry["scores"]["p@1"]) == (1, 1.0)
    code, stdout, stderr = run(f"{words} --missing raise")
    assert (code, stdout) == (1, "")
    assert "error: short: run lacks 2 of 3 queries" in stderr


def test_notes_name_the_runs_they_are_of(run, files):
    _, _, stderr = run("score qrels first short -m set_p -m map")
    notes = [line.partition("note: ")[2] for line in stderr.splitlines()]
    assert notes == [
        "map: nothing is relevant in 1 of 3 queries (c); left out. --undefined 0 "
        "counts them as 0.",
        "short: no documents for 2 queries (b, c): counted with nothing retrieved "
        "(unless --missing skip)",
        "short: no judgments for 1 query (x): ignored",
        "short: set_p: undefined in 2 of 3 queries (b, c); left out. --undefined 0 "
        "counts them as 0.",
    ]


def test_max_docs_and_judged_only(out, files):
    words = "qrels first -m map -m p@2"
    found = score_json(out, f"{words} -M 1")[0]["scores"]
    assert found == expected("first", ["map", "p@2"], max_docs=1).mean
    found = score_json(out, f"{words} --judged-only")[0]["scores"]
    measures = {"map": "ap(judged_only=True)", "p@2": "p(judged_only=True)@2"}
    assert found == expected("first", measures).mean
    assert found != expected("first", ["map", "p@2"]).mean


def test_judged_only_is_a_run_without_other_documents(out, files):
    judgments = "a 0 d1 1\na 0 d2 0\na 0 d3 1\na 0 d4 -1\nb 0 d1 1\nb 0 d4 -1\n"
    judged = "a Q0 d2 1 8 t\na Q0 d1 1 6 t\nb Q0 d1 1 2 t\n"
    others = "a Q0 x 1 9 t\na Q0 d4 1 7 t\nb Q0 y 1 3 t\nb Q0 z 1 1 t\n"
    names = ["err_ia", "set_accuracy", "set_specificity", "infap", "map", "roc_auc"]
    words = "judgments less more -J -q " + " ".join(f"-m {name}" for name in names)
    texts = {"judgments": judgments, "less": judged, "more": judged + others}
    less, more = score_json(out, words, **texts)
    assert less["queries"] == more["queries"]


def test_judged_only_is_that_of_score_run(out, files):
    judgments = "a 0 d1 1\na 0 d2 0\na 0 d3 1\na 0 d4 -1\na 0 d5 -2\nb 0 d4 -1\n"
    run = "a Q0 d2 1 8 t\na Q0 d4 1 7 t\na Q0 d1 1 6 t\nb Q0 x 1 3 t\n"
    names = ["roc_auc", "set_accuracy", "set_specificity", "set_fallout", "set_p"]
    names += ["map", "bpref", "infap", "ndcg@10", "set_f", "judged@2", "silence"]
    words = "judgments run -J -q --undefined 0 " + " ".join(f"-m {n}" for n in names)
    (found,) = score_json(out, words, judgments=judgments, run=run)
    options = {"unmatched": "ignore", "replace_undefined_by": 0.0}
    with pytest.warns(UserWarning, match="judged_only has no effect on judged@2, sil"):
        expected = score_run("judgments", "run", names, judged_only=True, **options)
    for place, qid in enumerate("ab"):
        of_query = {name: one[place] for name, one in expected.scores.items()}
        assert found["queries"][qid] == pytest.approx(of_query)


def test_relevance_threshold(out, files):
    words = "-m map -m ndcg@10 -m ap(relevance_threshold=1) -l 2 -q"
    of_a = score_json(out, f"qrels first {words}")[0]["queries"]["a"]
    plain = expected("first", ["map", "ndcg@10"]).scores
    assert of_a["map"] == 1.0  # d1 alone, at rank 1
    assert of_a["ndcg@10"] == plain["ndcg@10"][0]
    assert of_a["ap(relevance_threshold=1)"] == plain["map"][0]


def test_intervals_are_those_of_the_report(out, tmp_path):
    random_files(tmp_path)
    paths = tmp_path / "random.qrels", tmp_path / "random.run"
    measures = ["ndcg@10", "gmap", "p@3"]
    words = "-m ndcg@10 -m gmap -m p@3 --confidence 0.9"
    (entry,) = score_json(out, words, *paths)
    aligned = align(*paths)
    report = ranking_report(
        aligned.y_true,
        aligned.y_score,
        qid=aligned.qid,
        metrics=measures,
        confidence_level=0.9,
    )
    for name, mean in report.estimate.items():
        assert entry["scores"][name] == pytest.approx(mean, rel=1e-14)
        assert entry["intervals"][name] == [*report.confidence_interval[name]]
    low, high = entry["intervals"]["p@3"]
    table = out(f"score {words}", *paths)
    assert f"{entry['scores']['p@3']:.4f} [{low:.4f}, {high:.4f}]" in table
    (row,) = csv.DictReader(io.StringIO(out(f"score -f csv {words}", *paths)))
    assert (float(row["p@3 low"]), float(row["p@3 high"])) == (low, high)


def test_runs_are_called_by_tag_or_else_by_file(out, files):
    (files / "other").mkdir()
    for name in ("third", "other/first"):
        (files / name).write_text(FIRST)
    (files / "dict.json").write_text('{"a": {"d1": 1.0}}')  # has no tag
    for words, names in (
        ("first second", ["first", "second"]),
        ("first third", ["first", "third"]),
        ("first other/first", ["first", "other/first"]),
        ("first first", ["first (1)", "first (2)"]),
        ("dict.json second", ["dict.json", "second"]),
        ("dict.json", ["dict.json"]),
    ):
        assert [entry["run"] for entry in score_json(out, f"qrels {words}")] == names


def test_runs_of_other_queries_stand_in_one_table(out, files):
    words = "score qrels first short --missing skip -m p@1"
    lines = out(f"{words} -q").splitlines()
    ids, names = zip(*(line.split()[:2] for line in lines[1:]), strict=True)
    assert ids == ("a", "a", "b", "c", "all", "all")
    assert names == ("first", "short", "first", "first", "first", "short")
    assert out(words).split()[:2] == ["first", "short"]  # no number of queries


@pytest.mark.parametrize(
    ("qid", "shown", "as_csv"),
    [
        (b"caf\xe9", b"caf\xe9   1.0000", b"caf\xe9,t,1.0"),
        (b"a\x9b31m\xe9", b"a\\x9b31m\xe9  1.0000", b"a\x9b31m\xe9,t,1.0"),
    ],
)
def test_bytes_that_are_not_utf_8_come_out_as_they_went_in(
    qid, shown, as_csv, files, capfdbinary
):
    (files / "latin").write_bytes(qid + b" 0 d 1\n")
    (files / "latin.run").write_bytes(qid + b" Q0 d 1 1 t\n")
    for words, line in ([], shown), (["-f", "csv"], as_csv):
        assert main(["score", "latin", "latin.run", "-m", "map", "-q", *words]) == 0
        assert b"\n" + line + b"\n" in capfdbinary.readouterr().out


# Comparisons --------------------------------------------------------------------------


def test_compare_is_that_of_the_library(out, tmp_path):
    random_files(tmp_path)
    rng = random.Random(2)
    lines = (tmp_path / "random.run").read_text().splitlines()
    for name in ("noise", "more"):
        fields = [line.split() for line in lines]
        noisy = [[*f[:4], str(float(f[4]) + rng.gauss(0, 0.7)), name] for f in fields]
        (tmp_path / name).write_text("\n".join(map(" ".join, noisy)))
    options = {"replace_undefined_by": 0.0, "unmatched": "ignore"}
    files = {"random": "random.run", "noise": "noise", "more": "more"}
    paths = {name: tmp_path / file for name, file in files.items()}
    qrels = tmp_path / "random.qrels"
    scores = score_run(qrels, paths, ["map", "p@3"], **options)
    options = {"test": "ttest", "correction": "bonferroni", "confidence_level": 0.9}
    words = "compare random.qrels random.run ./noise more -m map -m p@3 --undefined 0"
    words += " --test ttest --correction bonferroni --confidence 0.9"

    results = [compare(scores, metric=m, **options) for m in ("map", "p@3")]
    assert out(words) == "\n\n".join(map(repr, results)) + "\n"
    latex = "\n\n".join(result.to_latex() for result in results) + "\n"
    assert out(f"{words} -f latex") == latex

    pytest.importorskip("pandas")
    frame = compare(scores, metric="map", baseline="noise", **options).to_frame()
    assert set(frame["measure"]) == {"map"} and set(frame["n_units"]) == {30}
    for baseline in "noise", "./noise":
        rows = json.loads(out(f"{words} -f json -b", baseline))
        assert len(rows) == 4
        for row, theirs in zip(rows, frame.to_dict("records"), strict=False):
            assert row == theirs
    table = list(csv.DictReader(io.StringIO(out(f"{words} -f csv -b", baseline))))
    assert [float(row["p_value"]) for row in table] == [row["p_value"] for row in rows]


def test_a_baseline_is_found_by_its_tag_where_runs_go_by_their_files(run, out):
    texts = {
        "qrels": "q 0 a 1\np 0 b 1\n",
        "one": "q Q0 a 1 2 bm25\np Q0 b 1 1 bm25\n",
        "two": "qid,docno,score\nq,b,1\np,b,1\n",  # has no tag
    }
    words = "compare qrels one two -b"
    assert out(f"{words} bm25", **texts) == out(f"{words} one")
    two = "q Q0 b 1 1 bm25\np Q0 b 1 1 bm25\n"
    code, _, stderr = run(f"{words} bm25", two=two)
    assert code == 2 and "must be one of one, two; got 'bm25'" in stderr
    # A name that the error offers is taken, though it ends another one, too.
    os.mkdir("other")
    assert out("compare qrels one other/one two -b one", **{"other/one": two})


def test_compare_draws_the_same_each_time(out, files):
    words = "compare qrels first second --test bootstrap -m p@1"
    assert out(words) == out(words)
    assert out(f"{words} --seed 1") != out(words)
    three = words.replace("second", "second third")
    unadjusted = " ".join(out(f"{three} --correction none", third=FIRST).split())
    assert "neither p nor intervals are adjusted for all 3 pairs." in unadjusted
    assert "hold for all 3 pairs at once (max-T)." in " ".join(out(three).split())


def test_compare_leaves_out_what_one_run_lacks(run, files):
    part = "a Q0 d1 1 2 part\nb Q0 d2 1 1 part\n"
    words = "compare qrels first part -m p@1 -f json"
    assert json.loads(run(words, part=part)[1])[0]["n_units"] == 3
    code, stdout, stderr = run(f"{words} --missing skip")
    assert json.loads(stdout)[0]["n_units"] == 2
    assert "part: no documents for 1 query (c): left out" in stderr


# Measures -----------------------------------------------------------------------------


def test_metrics_has_a_line_for_each_measure(out):
    header, *lines = out("metrics").splitlines()
    assert header.split() == ["measure", "range", "better", "what", "it", "is"]
    assert [line.replace(",", " ").split()[0] for line in lines] == sorted(METRICS)
    column = header.index("better")
    for line, (name, metric) in zip(lines, sorted(METRICS.items()), strict=True):
        assert all(alias in line[:column] for alias in metric.aliases)
        better = "higher" if metric.greater_is_better else "lower"
        assert line[column:].startswith(better), name
    text = " ".join(" ".join(lines).split())
    assert "ndcg 0 to 1 higher Normalised" in text
    assert "-inf to inf" in text and "(average='geometric')" in text


def test_metrics_tells_all_about_one(out):
    text = out("metrics NDCG@10")
    assert text.startswith("ndcg_score\n\n")
    assert "gain :" in text and "Examples" in text


@pytest.mark.parametrize("name", ["Accuracy", "Accuracy@10", "Accuracy(rel=2)@10"])
def test_a_name_that_means_another_measure_in_ir_measures_is_refused(name, run):
    message = "'Accuracy' in ir_measures is .* 'roc_auc'.* 'set_accuracy'"
    with pytest.raises(ValueError, match=message):
        score_run({"q": {"d": 1}}, {"q": {"d": 1}}, name)
    files = {"qrels": "a 0 d1 1\n", "one": "a Q0 d1 1 2 t\n"}
    code, _, err = run(f"score qrels one -m {name}", **files)
    assert code == 2
    assert re.search(message, err)
    assert Measure("accuracy") == Measure("set_accuracy")


# How it behaves -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ("score", "required: QRELS, RUN"),
        ("score qrels", "required: RUN"),
        ("score qrels first -m nonsense", "irmetrics metrics lists all measures"),
        ("score qrels first -m P.10", "names of trec_eval add --like trec_eval9 or"),
        ("score qrels first -m ndcg_cut", "names of trec_eval add --like trec_eval9"),
        ("score qrels first -m all_trec", "names of trec_eval add --like trec_eval9"),
        ("score qrels first -m p@0", "k must be an integer >= 1"),
        ("score qrels first -m ap(beta=1)", "no parameter 'beta'"),
        ("score qrels first -m ap(ties='stable')", "and set those of the call"),
        ("score qrels first -m ndcg_cut.10", "write 'ndcg@10'. For names of trec_eval"),
        ("score qrels first -m map_cut.5,10", "write 'ap@5'. For names of trec_eval"),
        ("score qrels first -m ndcg.10", "is not a measure; write 'ndcg@10'."),
        ("score qrels first -m bpref.5", "write 'bpref'. For names of trec_eval"),
        ("score qrels first -m ndcg@5,10", "got 'ndcg@5,10'. Repeat -m for each."),
        ("score qrels first -m ndcg@5,map", "got 'ndcg@5,map'. Repeat -m for each."),
        ("score qrels first -m scott_pi", "class labels"),
        ("score qrels first -m relative_recall", "needs n_expected"),
        ("score qrels first -f xml", "invalid choice: 'xml'"),
        ("score qrels first -f trec --confidence .9", "no place in the trec format"),
        ("score qrels first --like trec_eval9 --confidence .9", "no place in the trec"),
        ("score qrels first --confidence 95", "between 0 and 1"),
        ("score qrels first --digits -1", "whole number from 0"),
        ("score qrels first -M 0", "whole number from 1"),
        ("score qrels first -l high", "must be a number"),
        ("score qrels first --undefined nan", "must be a number or skip"),
        ("score qrels first -m dcg -l 2", "argument -l/--relevance-threshold: has no"),
        ("compare qrels first second -m tau -m rho -J", "has no effect on tau, rho"),
        ("score qrels first -m recall_effort", "'recall_effort(n_expected=...)'. (see"),
        ("fuse first second --method borda -k 9", "-k: not allowed with --method bor"),
        ("fuse first second -k -1", "argument -k: must be a number from 0; got '-1'"),
        ("fuse first second --weights 0 0", "argument --weights: must not all be 0"),
        ("score - -", "-, standard input, can stand for one file only"),
        ("score qrels - --mark known=-", "can stand for one file only"),
        ("compare qrels first", "a second RUN"),
        ("compare qrels first second -b third", "must be one of first, second"),
        ("compare qrels first second --test corrected_ttest", "invalid choice"),
        ("score qrels first -m ndcg@10 map", "unrecognized arguments: map"),
        ("score qrels first -m map second", "unrecognized arguments: second"),
        ("score qrels first -m alpha_ndcg --ties optimistic", "argument -m/--measure"),
        ("compare qrels first second --systems 3", "unrecognized arguments: --sy"),
        ("demo --queries 9", "argument --queries: must be a whole number from 10 to"),
        ("demo --queries 899", "argument --queries: must be a whole number from 10 to"),
        ("metrics map ndcg", "unrecognized arguments: ndcg"),
        ("metrics nonsense", "irmetrics metrics lists all measures"),
        ("nonsense", "invalid choice: 'nonsense'"),
        ("", "required: COMMAND"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(argv, message, run, files):
    code, stdout, stderr = run(argv)
    assert (code, stdout) == (2, "")
    (error,) = (line for line in stderr.splitlines() if "note:" not in line)
    assert "error: " in error and message in error
    assert stderr.endswith(f"{error}\n") and error.endswith(" (see --help)")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ("score absent first", "error: absent: No such file or directory"),
        ("score qrels .", "error: .: "),
        ("score first qrels", "expected 4 fields (query, iteration, document, grade)"),
        ("score qrels qrels", "got 4 fields: 'a 0 d1 2'"),
        ("score qrels text.json", "score of text.json must hold real numbers"),
        ("score qrels empty", "empty: expected lines of at least 6 fields"),
        ("score qrels strange", "strange: qrels and run must have a query in common"),
        ("score qrels first -m coverage", "got None. Pass --mark known=FILE."),
        ("score qrels first -m ap(average=None)", "first: metrics must be averaged"),
        ("score qrels first -m err(max_grade=1)", "first: max_grade must be at least"),
        ("compare qrels first second --missing skip -m set_p", "defined for the same"),
        ("compare qrels first second --test anytime -m dcg", "use a measure with a r"),
        ("compare qrels first second -m gmap", "gmap of 'first' is a weighted, geo"),
        ("plan qrels first second --effect .1 -m gmap", "the gmap of 'first' is a"),
    ],
)
def test_bad_data_is_one_line_and_exit_code_1(argv, message, run, files):
    (files / "empty").write_text("")
    (files / "text.json").write_text('{"a": {"d1": "x"}}')
    (files / "strange").write_text("x Q0 d1 1 1 strange\n")
    (files / "second").write_text("a Q0 d9 1 2 second\n")
    if "set_p" in argv:
        (files / "qrels").write_text("a 0 d1 1\nb 0 d1 1\n")
        argv = argv.replace("--missing skip ", "--unmatched ignore ")
    code, stdout, stderr = run(argv)
    assert (code, stdout) == (1, "")
    errors = [line for line in stderr.splitlines() if "note:" not in line]
    assert len(errors) == 1 and message in errors[0]


COMMANDS = ["", "score", "compare", "leaderboard", "plan", "metrics"]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples(command, run):
    code, stdout, _ = run(f"{command} --help")
    assert code == 0
    assert "For example:\n  irmetrics " in stdout
    assert max(map(len, stdout.splitlines())) <= 88


def test_help_names_every_format_that_is_read(out):
    stdout = out("--help")
    formats = "TREC", "CSV", "BEIR", "JSON", "Parquet", "gzip", "bzip2", "xz", "zstd"
    assert [name for name in formats if name not in stdout] == []


@pytest.mark.parametrize(
    ("started", "program"),
    [
        ("/usr/bin/irmetrics", "irmetrics"),
        ("irmetrics.exe", "irmetrics"),
        ("/x/__main__.py", "python -m sklearn_irmetrics"),
        ("C:irmetrics.exe", "python -m sklearn_irmetrics"),
    ],
)
def test_the_name_of_the_program(started, program, run, monkeypatch, files):
    monkeypatch.setattr(sys, "argv", [started])
    assert run("score qrels absent")[2].startswith(f"{program} score: error:")


def test_the_script_is_declared():
    path = ROOT / "pyproject.toml"
    scripts = tomllib.loads(path.read_text())["project"]["scripts"]
    assert scripts == {"irmetrics": f"{main.__module__}:{main.__name__}"}


def start(words, **options):
    """Run a process; give it and its output."""
    environment = ENVIRONMENT | options.pop("env", {})
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.run(
        [*COMMAND, *words.split()], env=environment, **pipes | options
    )


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_a_standard_input_that_is_closed_is_an_error(files):
    script = f"'{sys.executable}' -m sklearn_irmetrics score qrels - <&-"
    done = subprocess.run(
        ["bash", "-c", script], env=ENVIRONMENT, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "python -m sklearn_irmetrics score: error: <stdin> is closed: pass a file, or "
        "pipe one into '-'."
    ]


def test_columns_of_other_names(run, out):
    files = {
        "own": "topic,doc,gain\na,d1,1\na,d2,0\n",
        "chunks": '{"a": [{"_id": "d1", "_score": 0.3}, {"_id": "d2", "_score": 0.7}]}',
        "two": "qid,docno,docid,score\na,x,d1,0.3\na,y,d2,0.7\n",
    }
    words = "score own chunks -m mrr"
    names = "--column qid=topic --column docno=doc --column grade=gain"
    hits = "--column docno=_id --column score=_score"
    for given, proposed in ("", names), (names, hits):
        status, _, err = run(f"{words} {given}", **files)
        assert status == 1
        assert f"If they have other names, pass {proposed}" in err
    (judged := Path("judged")).write_text("a 0 d1 1\n")
    assert score_json(out, f"{judged} chunks -m mrr {hits}")[0]["scores"] == {
        "mrr": 0.5
    }
    status, _, err = run("score qrels two", qrels="a 0 d1 1")
    assert err.endswith("'docno' and 'docid'; choose one by --column docno=docno.\n")
    status, _, err = run("fuse chunks chunks")
    assert "If they have other names, rename the columns in the file" in err
    status, _, err = run(f"{words} --column score=a --column score=b")
    assert (status, "--column: must be given once for each KEY" in err) == (2, True)
    status, _, err = run(f"{words} --column rank=a")
    assert (status, "must be KEY=NAME with KEY one of qid, " in err) == (2, True)


@pytest.mark.parametrize("message", ["", "Unable to allocate 9 GiB for an array"])
@pytest.mark.parametrize(("gate", "code"), [("", 1), (" --fail-under 0.4", 2)])
def test_a_command_that_runs_out_of_memory(
    message, gate, code, files, run, monkeypatch
):
    def raise_error(*args):
        raise MemoryError(message)

    monkeypatch.setattr("sklearn_irmetrics.runs.scoring.join", raise_error)
    status, out, err = run(f"score qrels first -m ndcg@10{gate}")
    assert (status, out) == (code, "")
    said = message or "the files are too large"
    assert err.endswith(f" score: error: out of memory: {said}\n")
    assert len(err.splitlines()) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")
def test_a_command_whose_memory_is_limited(tmp_path):
    run = "".join(f"q Q0 document-{i} 1 {i} t\n" for i in range(300_000))
    (tmp_path / "run").write_text(run * 12)
    (tmp_path / "qrels").write_text("q 0 document-1 1\n")
    limited = (
        "import resource, sys\n"
        "from sklearn_irmetrics._cli import main, program\n"
        "size = int(open('/proc/self/statm').read().split()[0]) * 4096 + 2**27\n"
        "resource.setrlimit(resource.RLIMIT_AS, (size, size))\n"
        "sys.exit(main(['score', 'qrels', 'run', '-m', 'mrr']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", limited],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert re.fullmatch(r".*score: error: out of memory: .*\n", done.stderr)


def test_the_list_of_measures_without_docstrings():
    command = [sys.executable, "-OO", "-m", "sklearn_irmetrics", "metrics"]
    options = {"env": ENVIRONMENT, "capture_output": True, "text": True, "check": True}
    found = subprocess.run(command, **options).stdout
    assert len(found.splitlines()) == len(METRICS) + 1
    assert "no description" in subprocess.run([*command, "ndcg"], **options).stdout


@pytest.mark.parametrize(
    ("stdin", "code", "stdout", "stderr"),
    [
        (FIRST, 0, "      first  queries\np@2  0.3333        3\n", IRRELEVANT),
        (
            "a Q0 d1\n",
            1,
            "",
            "python -m sklearn_irmetrics score: error: <stdin>, line 1: expected at "
            "least 6 fields (query, iteration, document, rank, score, tag), or a "
            "header with the columns qid, docno and score; got 3 fields: 'a Q0 d1'.\n",
        ),
    ],
)
def test_a_run_from_standard_input(stdin, code, stdout, stderr, files):
    done = start("score qrels - -m p@2", input=stdin)
    assert (done.returncode, done.stdout, done.stderr) == (code, stdout, stderr)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_a_reader_that_stops_early_ends_it_quietly(tmp_path):
    random_files(tmp_path)
    script = (
        "set -o pipefail; "
        f"'{sys.executable}' -m sklearn_irmetrics score --like trec_eval10 -m all_trec "
        "-q random.qrels random.run 2>errors | head -1"
    )
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("num_ret               \tq0\t")
    errors = (tmp_path / "errors").read_text().splitlines()
    assert [line for line in errors if "note:" not in line] == []
    assert math.isfinite(float(done.stdout.split()[-1]))


# What others put into files and names -------------------------------------------------

HOSTILE = "\x1b]0;owned\x07\x1b[31m\x9b31m\u202e\x7f"
SHOWN = r"\x1b]0;owned\x07\x1b[31m\x9b31m\u202e\x7f"
UNSAFE = [c for c in HOSTILE if c not in "]0;owned[31m"] + ["\udc9b"]


@pytest.fixture
def hostile(files):
    """Files with what steers a terminal in ids, tags and their own names."""
    lines = f"a Q0 d 1 1 {HOSTILE}\nb{HOSTILE} Q0 d 1 1 {HOSTILE}\n"
    (files / "hostile.run").write_text(lines)
    (files / "second.run").write_text(
        "x Q0 d 1 1 x\na Q0 e 1 1 second\na Q0 d 2 0 second\n"
    )
    (files / "hostile.qrels").write_text(f"a 0 d 1\nb{HOSTILE} 0 d 1\n")
    (files / f"bad{HOSTILE}").write_text(f"{HOSTILE} {HOSTILE}\n")
    return files


@pytest.mark.parametrize(
    "words",
    [
        "score hostile.qrels hostile.run -m p@1",
        "score hostile.qrels hostile.run second.run -m p@1 -q",
        "score hostile.qrels hostile.run -m p@1 -q -f json",
        "score hostile.qrels hostile.run -m p@1 -q -f latex",
        "compare hostile.qrels hostile.run second.run -m p@1",
        "compare hostile.qrels hostile.run second.run -m p@1 -f latex",
        "compare hostile.qrels hostile.run second.run -m p@1 -b third",
        "score hostile.qrels bad",
        "score hostile.qrels hostile.run no",
        "score hostile.qrels second.run --missing raise",
        "score hostile.qrels hostile.run -m map -f",
        "metrics",
        "",
    ],
)
def test_nothing_in_tables_or_messages_steers_the_terminal(words, hostile, run):
    argv = words.split()
    if not argv or argv[-1] in ("bad", "no", "-f", "third"):
        argv = [*argv[:-1], ("bad" if argv[-1:] == ["bad"] else "") + HOSTILE]
    _, stdout, stderr = run("", *argv)
    text = stdout + stderr
    assert not [c for c in UNSAFE if c in text]
    if "json" in argv:
        assert json.loads(stdout)[0]["tag"] == HOSTILE
    elif argv != ["metrics"] and "latex" not in argv:
        assert SHOWN in text or repr(HOSTILE)[1:-1] in text


def test_data_stay_as_they_are_for_programs(hostile, out):
    words = "score hostile.qrels hostile.run -m p@1 -q -f"
    rows = list(csv.reader(io.StringIO(out(f"{words} csv"), newline="")))
    ids = ["a", "b" + HOSTILE, "all"]
    assert [row[:2] for row in rows[1:]] == [[qid, HOSTILE] for qid in ids]
    assert trec_values(out(f"{words} trec"))["p@1", "b" + HOSTILE] == "1.0000"
    text = out(f"{words} json")
    assert "\x7f" not in text
    assert json.loads(text)[0]["queries"].keys() == {"a", "b" + HOSTILE}


def test_csv_guards_text_that_begins_like_a_formula(out, files):
    texts = {"q": "=q 0 d 1\n'q 0 d 1\n", "s": "=q Q0 d 1 1 s\n'q Q0 d 1 1 s\n"}
    texts["r"] = "=q Q0 d 1 1 =1+1\n'q Q0 e 1 1 =1+1\n'q Q0 d 2 0 =1+1\n"
    rows = list(csv.reader(io.StringIO(out("score q r -q -f csv", **texts))))
    assert {row[0] for row in rows[1:]} == {"'=q", "''q", "all"}
    assert {row[1] for row in rows[1:]} == {"'=1+1"}
    (row,) = csv.DictReader(io.StringIO(out("compare q s r -f csv -m p@1")))
    assert {row["system"], row["versus"]} == {"'=1+1", "s"}
    assert "-0.5" in row.values()  # a number
    for layout in "json", "trec", "table":
        assert "'=1+1" not in out(f"score q r -q -f {layout}")


# Terminals, memory and devices --------------------------------------------------------


@pytest.fixture
def encoded(monkeypatch):
    """Run a command with streams of an encoding; return exit code and both texts."""

    def encoded(encoding, *argv):
        streams = [io.TextIOWrapper(io.BytesIO(), encoding) for _ in range(2)]
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", streams[0])
            patch.setattr(sys, "stderr", streams[1])
            code = main(argv)
        for stream in streams:
            stream.flush()
        return code, *(s.buffer.getvalue().decode(encoding) for s in streams)

    return encoded


@pytest.mark.parametrize(
    ("encoding", "id_", "dots", "undefined"),
    [
        ("ascii", r"\xe9\u4e2d", r"t\u2026", r"\u2013"),
        ("latin-1", r"é\u4e2d", r"t\u2026", r"\u2013"),
        ("cp1252", r"é\u4e2d", "t…", "–"),
        ("utf-8", "é中", "t…", "–"),
    ],
)
def test_what_an_encoding_lacks_degrades(
    encoding, id_, dots, undefined, encoded, files
):
    (files / "q").write_text("é中 0 d 0\nb 0 d 1\n", encoding="utf-8")
    run = "é中 Q0 d 1 1 t…\nb Q0 d 1 1 t…\n"
    (files / "r").write_text(run, encoding="utf-8")

    def shown(*argv):
        code, stdout, stderr = encoded(encoding, *argv)
        assert code == 0, stderr
        return stdout

    header, *lines = shown("metrics").splitlines()
    assert any("-inf to inf" in line for line in lines)
    column = header.index("better")
    assert {line[column : column + 6].strip() for line in lines} == {"higher", "lower"}
    assert shown("metrics", "ndcg").startswith("ndcg_score")
    table = shown("score", "q", "r", "-q", "-m", "map")
    assert [id_, undefined] in [line.split() for line in table.splitlines()]
    assert f"\n{id_},{dots}," in shown("score", "q", "r", "-q", "-f", "csv")
    code, _, stderr = encoded(encoding, "score", "é中", "r")
    assert code == 1
    assert f" error: {id_}: No such file" in stderr


# score --fail-under -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ("--fail-under 0.4", 0),
        ("--fail-under 0.5", 0),
        ("--fail-under 0.51", 1),
        ("--fail-under 0.4 --sure", 1),
        ("--fail-under 0 --sure", 0),
        ("--fail-under 0.4 --sure --confidence 0.5 --format json", 0),
        ("--fail-under nothing", 2),
        ("--sure", 2),
        ("--fail-under 0.4 --judge qrels", 2),
        ("--fail-under 0.4 -m first_rank", 2),
        ("--fail-under 0.4 --merge sum -m p@0", 2),
    ],
)
def test_a_mean_must_reach_a_gate(run, options, status):
    qrels = "".join(f"{q} 0 a 1\n" for q in range(4))
    ranked = "".join(f"{q} Q0 b 1 2 t\n{q} Q0 a 2 1 t\n" for q in range(4))
    found = run(f"score qrels first -m mrr {options}", qrels=qrels, first=ranked)
    assert found[0] == status, found


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--fail-under 0.5", ""),
        ("--fail-under 0.51", "t: mrr 0.5 is below 0.51"),
        ("--fail-under 0.4 --sure", r"t: mrr 0.5 \(lower end 0\.\d+\) is below 0.4"),
    ],
)
def test_a_failed_gate_says_why(run, options, message):
    qrels = "".join(f"{q} 0 a 1\n" for q in range(4))
    ranked = "".join(f"{q} Q0 b 1 2 t\n{q} Q0 a 2 1 t\n" for q in range(4))
    stderr = run(f"score qrels first -m mrr {options}", qrels=qrels, first=ranked)[2]
    line = f"python -m sklearn_irmetrics score: failed: {message}\n"
    assert re.fullmatch(line if message else "", stderr), stderr


def test_rounding_fails_no_gate(run):
    relevant = {"a": 1, "b": 7}  # of the first 10
    qrels = "".join(f"{q} 0 {d} 1\n" for q, n in relevant.items() for d in range(n))
    ranked = "".join(f"{q} Q0 {d} 1 {-d} t\n" for q in "ab" for d in range(10))
    words = "score qrels ranked -m p@10 --fail-under"
    assert run(f"{words} 0.4", qrels=qrels, ranked=ranked)[::2] == (0, "")
    assert run(f"{words} 0.4000001")[0] == 1


def test_an_undefined_mean_fails_a_gate(run):
    status, _, stderr = run(
        "score qrels first -m map --fail-under 0", qrels="q 0 a 0", first="q Q0 a 1 1 t"
    )
    assert status == 1
    assert "failed: t: map is undefined" in stderr


def test_a_mean_without_an_interval_fails_a_sure_gate(run):
    files = {"qrels": "q 0 a 1", "first": "q Q0 a 1 1 t"}
    status, _, stderr = run("score qrels first -m map --fail-under 0 --sure", **files)
    assert status == 1
    assert "failed: t: map 1 has no interval" in stderr


def test_an_input_that_cannot_be_used_is_no_failed_gate(run):
    assert run("score absent first -m mrr", first="")[0] == 1
    assert run("score absent first -m mrr --fail-under 0.4")[0] == 2
