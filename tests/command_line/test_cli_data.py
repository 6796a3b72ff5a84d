"""Results as data: the command and the library."""

import json
import math

import pytest

from oracles.measures import METRICS
from oracles.typed_queries import (
    MEASURES,
    WITH_MEASURES,
    assert_data,
    read_csv,
    same,
    scores,
)
from sklearn_irmetrics.comparison import compare, leaderboard, plan_queries
from sklearn_irmetrics.judging import align_judged, sample_judgments, score_judged
from sklearn_irmetrics.runs import agreement, fuse_runs, read_run


def test_scores_as_data_are_those_of_the_library(out, files):
    found = scores("one", "two")
    words = f"score qrels.txt one.run two.run {WITH_MEASURES} -q"
    entries = {entry["run"]: entry for entry in json.loads(out(f"{words} -f json"))}
    table = read_csv(out(f"{words} -f csv"))
    for name, one in found.items():
        assert entries[name]["scores"] == one.mean
        frame = one.to_frame()
        assert entries[name]["queries"] == frame.to_dict("index")
        of_run = table[table["run"] == name].set_index("query")
        for measure in MEASURES:
            of_queries = of_run.loc[frame.index, measure].tolist()
            assert same(of_queries, frame[measure].tolist())
            assert same([of_run.loc["all", measure]], [one.mean[measure]])


def test_comparisons_as_data(out, files):
    pytest.importorskip("pandas")
    found = compare(scores("two", "one"), metric="map", random_state=0)
    assert_data(out, "compare qrels.txt two.run one.run -m map", found.to_frame())


@pytest.mark.parametrize("metric", [MEASURES, "map"])
def test_leaderboards_as_data(metric, out, files):
    pytest.importorskip("pandas")
    found = leaderboard(scores("two", "one"), metric=metric, random_state=0)
    measures = WITH_MEASURES if isinstance(metric, list) else f"-m {metric}"
    words = f"leaderboard qrels.txt two.run one.run {measures}"
    assert_data(out, words, found.to_frame())


def test_plans_as_data(out, files):
    pytest.importorskip("pandas")
    plan = plan_queries(std=0.1, effect=0.02, test="permutation")
    assert_data(out, "plan --effect 0.02 --std 0.1", plan.to_frame())


def test_agreement_as_data(out, files):
    pytest.importorskip("pandas")
    found = agreement("qrels.txt", "other.txt")
    assert_data(out, "agree qrels.txt other.txt", found.to_frame())


def test_judged_scores_as_data(out, files):
    pytest.importorskip("pandas")
    found = align_judged("qrels.txt", "other.txt", {"one": "one.run"})
    wanted = score_judged(
        found.y_true, found.y_judge, found.y_scores["one"], ["map"], qid=found.qid
    )
    words = "score qrels.txt one.run -m map --judge other.txt"
    assert_data(out, words, wanted.to_frame())


def test_fused_runs_as_data(out, files):
    pytest.importorskip("pandas")
    fused = fuse_runs(["one.run", "two.run"])
    assert_data(out, "fuse one.run two.run", fused.to_frame())
    for layout in "csv", "json":
        (files / "fused").write_text(out(f"fuse one.run two.run -f {layout}"))
        again = read_run("fused")
        for name in "qid", "docno", "score":
            assert getattr(again, name).tolist() == getattr(fused, name).tolist()


@pytest.mark.parametrize("measure", ["dcg@10", "ndcg@10"])
def test_samples_as_data(measure, out, files):
    words = f"sample one.run -n 5 -m {measure}"
    rows = json.loads(out(f"{words} -f json"))
    table = read_csv(out(words))
    for name in rows[0]:
        assert same(table[name].tolist(), [row[name] for row in rows])
    run = read_run("one.run")
    sample = sample_judgments(run.score, 5, metric=measure, qid=run.qid, random_state=0)
    assert sum(row["label"] for row in rows) == sample.selected.sum()


def test_measures_as_data(out):
    rows = json.loads(out("metrics -f json"))
    assert [row["measure"] for row in rows] == sorted(METRICS)
    table = read_csv(out("metrics -f csv"))
    for row, (_, line) in zip(rows, table.iterrows(), strict=True):
        metric = METRICS[row["measure"]]
        assert row["aliases"] == list(metric.aliases)
        assert row["greater_is_better"] == metric.greater_is_better
        assert row["function"] == metric.function.__name__ == line["function"]
        ends = [None if math.isinf(end) else end for end in metric.range]
        assert [row["low"], row["high"]] == ends
        assert same([line["low"], line["high"]], [*map(float, metric.range)])
    one = json.loads(out("metrics rbp -f json"))
    assert one["documentation"].startswith(one["description"])


def test_the_demo_as_data(out):
    found = json.loads(out("demo --queries 20 -f json"))
    assert found["n_queries"] == 20
    assert {row["measure"] for row in found["cross_validation"]} >= {"ndcg@10", "map"}
    for row in found["estimates"]:
        assert row["low"] <= row["ndcg@10"] <= row["high"]


COMMANDS = {
    "score": "qrels.txt absent.run",
    "compare": "qrels.txt one.run absent.run",
    "leaderboard": "qrels.txt one.run absent.run",
    "agree": "qrels.txt absent.run",
    "fuse": "one.run absent.run",
    "plan": "--effect 0.1 qrels.txt one.run absent.run",
    "sample": "absent.run -n 5",
}
GATES = [
    ("score", "--fail-under 0.1"),
    ("compare", "--fail-if-worse"),
    ("compare", "--margin 0.1 --fail-unless-not-worse"),
    ("leaderboard", "--fail-unless-first one.run"),
]


@pytest.mark.parametrize("layout", ["", "-f json", "-f csv"])
@pytest.mark.parametrize("command", COMMANDS)
def test_files_that_are_missing_have_status_1(command, layout, run, files):
    status, stdout, stderr = run(f"{command} {COMMANDS[command]} {layout}")
    assert (status, stdout) == (1, "")
    assert stderr.endswith("error: absent.run: No such file or directory\n")


@pytest.mark.parametrize("command", [*COMMANDS, "metrics", "demo"])
def test_wrong_options_have_status_2(command, run, files):
    status, stdout, _ = run(f"{command} {COMMANDS.get(command, '')} --absent")
    assert (status, stdout) == (2, "")


@pytest.mark.parametrize(("command", "gate"), GATES)
def test_errors_of_gates_have_status_2(command, gate, run, files):
    assert run(f"{command} {COMMANDS[command]} {gate}")[:2] == (2, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("metrics rbp -f csv", "csv lists all measures, not one"),
        ("metrics -f latex", "invalid choice: 'latex'"),
        ("fuse one.run two.run -f table", "invalid choice: 'table'"),
        ("demo -f csv", "invalid choice: 'csv'"),
    ],
)
def test_formats_that_a_command_lacks(words, message, run, files):
    status, _, stderr = run(words)
    assert status == 2
    assert message in stderr
