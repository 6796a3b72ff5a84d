"""The command `plan`, and the exit status of `compare`, as a script sees them."""

import csv
import io
import json

import numpy as np
import pytest

from sklearn_irmetrics import score_queries
from sklearn_irmetrics.model_selection import plan_queries
from sklearn_irmetrics.runs import write_run

RNG = np.random.default_rng(0)
QID = np.repeat([f"q{i:02d}" for i in range(30)], 12)
DOCNO = [f"d{row}" for row in range(len(QID))]
GRADES = RNG.integers(0, 3, len(QID))
SCORES = {
    "good": GRADES + RNG.normal(0, 0.5, len(QID)),
    "fair": GRADES + RNG.normal(0, 0.9, len(QID)),
    "poor": GRADES + RNG.normal(0, 3.0, len(QID)),
}
PILOT = "qrels good.run fair.run"


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = zip(QID, DOCNO, GRADES, strict=True)
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, d, g in rows))
    for name, scores in SCORES.items():
        write_run((QID, DOCNO, scores), f"{name}.run", tag=name)


# plan ---------------------------------------------------------------------------------


def test_plan_from_a_standard_deviation_is_that_of_the_library(run):
    status, out, _ = run("plan --effect 0.05 --std 0.1")
    assert status == 0
    assert out.splitlines() == str(plan_queries(effect=0.05, std=0.1)).splitlines()
    words = "--effect 0.1 --std 0.4 --test anova --systems 5 --power 0.9"
    _, out, _ = run(f"plan {words} --confidence 0.99")
    options = {"test": "anova", "n_systems": 5, "power": 0.9, "confidence_level": 0.99}
    plan = plan_queries(effect=0.1, std=0.4, **options)
    assert out.splitlines() == str(plan).splitlines()


@pytest.mark.parametrize("test", ["ttest", "anova", "interval"])
def test_plan_from_runs_is_that_of_the_library(run, test):
    names = ["ndcg@5", "map"]
    pilot = {
        name: score_queries(GRADES, SCORES[name], names, qid=QID)
        for name in ("good", "fair")
    }
    words = f"plan --effect 0.03 --test {test} -m ndcg@5 -m map {PILOT}"
    status, out, _ = run(f"{words} -f json")
    assert status == 0
    rows = json.loads(out)
    for name in names:
        plan = plan_queries(pilot, effect=0.03, test=test, metric=name)
        own = [row for row in rows if row["measure"] == name]
        assert [row["n_queries"] for row in own] == plan.numbers.tolist()
        assert {row["n_needed"] for row in own} == {plan.n_queries}
        assert own[0]["std"] == pytest.approx(plan.std, rel=1e-12)
        assert own[0]["detectable_effect"] == pytest.approx(plan.detectable_effects[0])
    _, out, _ = run(words)
    assert out.startswith("ndcg@5\n")
    assert "\n\nmap\n" in out
    assert "from 30 queries" in out


def test_anova_takes_the_number_of_runs(run):
    _, out, _ = run(f"plan --effect 0.03 --test anova {PILOT} poor.run")
    assert "analysis of variance of 3 systems" in out


def test_plan_as_csv_has_no_measure_without_one(run):
    _, out, _ = run("plan --effect 0.05 --std 0.1 -f csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["n_queries"] for row in rows] == ["9", "17", "34", "68", "136"]
    assert "measure" not in rows[0]
    for form in ("latex", "markdown", "html"):
        status, out, _ = run(f"plan --effect 0.05 --std 0.1 -f {form}")
        assert status == 0
        assert "0.8078" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--std 0.1", "--effect is required, or --margin with --test margin"),
        ("--std 0.1 --margin 0.1", "margin must be a number with test='margin' only"),
        ("--effect 0.1", "either --std or QRELS RUN RUN is required"),
        (
            f"--effect 0.1 --std 0.1 {PILOT}",
            "either --std or QRELS RUN RUN is required",
        ),
        ("--effect 0.1 qrels good.run", "two RUNs"),
        ("--effect 0 --std 0.1", "argument --effect: must be above 0"),
        ("--effect 0.1 --std -1", "argument --std: must be above 0"),
        ("--effect 0.1 --std nan", "argument --std: must be above 0"),
        ("--effect 0.1 --std 0.1 --power 1", "argument --power: must be between"),
        ("--effect 0.1 --std 0.1 --systems 3", "n_systems must be 2 with test"),
        ("--effect 0.1 qrels good.run fair.run -m unknown", "argument -m/--measure"),
        ("--effect 0.1 --std 0.1 -m unknown", "--measure: not allowed without QRELS"),
        ("--effect 0.1 --std 0.1 --undefined 0", "--undefined: not allowed without"),
        ("--effect 0.1 --std 0.1 --undefined skip", "--undefined: not allowed without"),
        ("--effect 0.1 --std 0.1 -l 0", "--relevance-threshold: not allowed without"),
        ("--effect 0.1 --std 0.1 -J", "--judged-only: not allowed without QRELS RUN"),
        (
            "--effect 0.1 --std 0.1 --merge max",
            "--merge: not allowed without QRELS RUN",
        ),
        (
            "--effect 0.1 qrels good.run fair.run -m nrbp --ties pessimistic",
            "argument -m/--measure: ties must be 'average' or 'stable'",
        ),
    ],
)
def test_wrong_usage_of_plan(run, words, message):
    status, out, err = run(f"plan {words}")
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_runs_that_tell_nothing_are_unusable(run):
    status, out, err = run("plan --effect 0.1 qrels good.run good.run")
    assert (status, out) == (1, "")
    assert "pilot must vary over queries" in err
    status, _, err = run("plan --effect 0.1 qrels good.run absent.run")
    assert status == 1
    assert "absent.run" in err


# compare --fail-if-worse --------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("good.run fair.run", 0),
        ("good.run poor.run --fail-if-worse", 1),
        ("poor.run good.run --fail-if-worse", 0),
        ("good.run poor.run --fail-if-worse -b poor", 0),
        ("poor.run good.run --fail-if-worse -b good.run", 1),
        ("good.run good.run --fail-if-worse", 0),
        ("poor.run good.run fair.run --fail-if-worse", 0),
        ("good.run fair.run poor.run --fail-if-worse", 1),
        ("good.run poor.run --fail-if-worse --margin 0.01", 1),
        ("good.run poor.run --fail-if-worse --margin 0.9", 0),
        ("good.run fair.run --fail-if-worse --margin 0.2", 0),
        ("good.run poor.run --fail-if-worse --test sign", 1),
        ("poor.run good.run --fail-if-worse --test sign", 0),
        ("good.run poor.run --fail-if-worse --test wilcoxon", 1),
        ("good.run poor.run --fail-if-worse --test anytime", 1),
        ("good.run poor.run --fail-if-worse --confidence 0.9999999", 0),
        ("good.run poor.run", 0),
    ],
)
def test_status_tells_whether_a_run_is_worse(run, words, expected):
    status, out, err = run(f"compare qrels {words} -m ndcg@5 -m map")
    assert status == expected, out + err
    assert "ndcg@5 on 30 queries" in out  # the table is there in any case


def test_of_a_loss_more_is_worse(run):
    words = "compare qrels -M5 -m set_miss_rate --fail-if-worse --test"
    for test in ("ttest", "sign", "wilcoxon"):
        assert run(f"{words} {test} good.run poor.run")[0] == 1
        assert run(f"{words} {test} poor.run good.run")[0] == 0


def test_what_cannot_be_told_is_no_answer(run):
    assert run("compare qrels good.run absent.run")[0] == 1
    assert run("compare qrels good.run absent.run --fail-if-worse")[0] == 2
    assert run("compare qrels good.run --fail-if-worse")[0] == 2


def test_margin_is_that_of_the_library(run):
    words = "compare qrels good.run poor.run --margin"
    status, out, _ = run(f"{words} 0.01 -m map -f json")
    assert status == 0
    (row,) = json.loads(out)
    assert row["verdict"] == "worse"
    assert row["margin_high"] < -0.01
    assert run(f"{words} 0")[0] == 2


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("good.run good.run --margin 0.05", 1),  # 30 queries are too few
        ("good.run good.run --margin 0.1", 0),
        ("good.run good.run --margin 0.05 --bound 0.1", 0),
        ("good.run poor.run --margin 0.1", 1),
        ("poor.run good.run --margin 0.05 --bound 1", 0),
        ("good.run good.run poor.run --margin 0.3", 1),
        ("poor.run good.run -b good.run --margin 0.1 --bound 1", 1),
    ],
)
def test_status_tells_whether_harm_is_excluded(run, words, expected):
    gate = "-m ndcg@5 -m map --fail-unless-not-worse"
    status, out, err = run(f"compare qrels {words} {gate}")
    assert status == expected, out + err


def test_harm_is_excluded_by_a_margin_only(run):
    status, _, err = run("compare qrels good.run fair.run --fail-unless-not-worse")
    assert status == 2
    assert "argument --fail-unless-not-worse: needs --margin" in err


@pytest.mark.parametrize("gate", ["--fail-unless-not-worse", "--fail-if-worse"])
def test_an_error_is_no_answer_of_a_gate(run, gate):
    status, _, err = run(f"compare qrels good.run fair.run -m dcg --margin 0.1 {gate}")
    assert status == 2
    assert "margin needs to know how large a difference can be" in err
