"""Results for groups of queries, and results as data: the command and the library."""

import io
import json
import math
import re

import numpy as np
import pytest

from oracles.measures import METRICS
from sklearn_irmetrics import score_run
from sklearn_irmetrics.comparison import compare, leaderboard, plan_queries
from sklearn_irmetrics.judging import align_judged, sample_judgments, score_judged
from sklearn_irmetrics.reports import ranking_report
from sklearn_irmetrics.runs import agreement, fuse_runs, read_run

MEASURES = ["ndcg@10", "map"]
WITH_MEASURES = " ".join(f"-m {name}" for name in MEASURES)
TYPES = {f"q{i}": "how" if i % 3 else "what" for i in range(12)}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Judgments with a column of types, two runs, and types in files of their own."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    judged, lines, runs = ["qid,docno,grade,type"], [], {"one": [], "two": []}
    for qid, kind in TYPES.items():
        for doc in range(12):
            grade = int(rng.integers(3))
            judged.append(f"{qid},d{doc},{grade},{kind}")
            lines.append(f"{qid} 0 d{doc} {grade}")
            for name, noise in ("one", 0.5), ("two", 2):
                score = float(np.round(grade + rng.normal() * noise, 3))
                runs[name].append(f"{qid} Q0 d{doc} 0 {score} {name}")
    queries = [f"{qid}\tsome text\t{kind}" for qid, kind in TYPES.items()]
    texts = {
        "qrels.csv": judged,
        "qrels.txt": lines,
        "other.txt": [line[:-1] + str(int(line[-1]) // 2) for line in lines],
        "one.run": runs["one"],
        "two.run": runs["two"],
        "types.csv": ["qid,type", *(f"{q},{kind}" for q, kind in TYPES.items())],
        "types.txt": [f"{qid} {kind}" for qid, kind in TYPES.items()],
        "queries.tsv": ["query_id\ttext\ttype", *queries],
        "types.json": [json.dumps(TYPES)],
        "types.jsonl": [
            json.dumps({"qid": qid, "type": kind}) for qid, kind in TYPES.items()
        ],
    }
    for name, rows in texts.items():
        (tmp_path / name).write_text("\n".join(rows) + "\n")
    return tmp_path


def scores(*names):
    """Return the scores of runs by name."""
    return score_run("qrels.txt", {name: f"{name}.run" for name in names}, MEASURES)


def read_csv(text):
    """Return the rows of CSV, with NaN for empty cells."""
    pd = pytest.importorskip("pandas")
    return pd.read_csv(io.StringIO(text))


def assert_data(out, words, frame):
    """Check the CSV and JSON of a command against a data frame of the library."""
    pd = pytest.importorskip("pandas")
    if any(frame.index.names):
        frame = frame.reset_index()
    wanted = frame.to_dict("list")
    as_csv = read_csv(out(f"{words} -f csv"))
    as_json = pd.DataFrame(json.loads(out(f"{words} -f json")))
    for found in as_csv, as_json:
        assert [name for name in found if name in wanted] == list(wanted)
        for name, values in wanted.items():
            assert same(found[name].tolist(), values), name


def same(found, wanted):
    """Whether values are equal, up to what pandas rounds where it reads CSV."""
    known = [None if value != value else value for value in wanted]
    got = [None if value != value else value for value in found]
    return got == [
        pytest.approx(value, rel=1e-14) if isinstance(value, float) else value
        for value in known
    ]


BY = (
    "types.csv",
    "types.txt",
    "types.json",
    "types.jsonl",
    "queries.tsv:type",
    "qrels.csv:type",
    "type",
)


@pytest.mark.parametrize("by", BY)
def test_groups_of_queries_are_slices_of_the_report(by, out, files):
    pytest.importorskip("pandas")
    wanted = ranking_report(scores("one", "two"), by=TYPES)
    words = f"score qrels.csv one.run two.run {WITH_MEASURES} --by {by}"
    assert out(words) == f"{wanted}\n"
    assert_data(out, words, wanted.to_frame())
    assert out(f"{words} -f latex") == f"{wanted.to_latex()}\n"


def test_groups_of_one_run(out, files):
    pytest.importorskip("pandas")
    (found,) = scores("two").values()
    wanted = found.report(
        by=TYPES, confidence_level=0.9, interval="bca", random_state=0
    )
    words = f"score qrels.csv two.run {WITH_MEASURES} --by type"
    assert out(f"{words} --confidence 0.9 --interval bca") == f"{wanted}\n"
    assert_data(out, words, found.report(by=TYPES).to_frame())


def test_groups_of_parquet(out, files):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pd.read_csv("qrels.csv").to_parquet("qrels.parquet")
    words = "score qrels.csv one.run -m map --by"
    assert out(f"{words} qrels.parquet:type") == out(f"{words} type")


def test_comparisons_of_groups_are_those_of_the_library(out, files):
    pytest.importorskip("pandas")
    words = "compare qrels.csv two.run one.run --by type --test ttest"
    options = {"by": TYPES, "test": "ttest"}
    found = scores("two", "one")
    results = [compare(found, metric=name, **options) for name in MEASURES]
    assert out(f"{words} {WITH_MEASURES}") == "\n\n".join(map(repr, results)) + "\n"
    assert_data(out, f"{words} -m map", results[1].to_frame())
    rows = json.loads(out(f"{words} {WITH_MEASURES} -f json"))
    assert [(row["measure"], row["slice"], row["n_units"]) for row in rows] == [
        (name, kind, n) for name in MEASURES for kind, n in (("what", 4), ("how", 8))
    ]


COMPARED = "compare qrels.csv -m map --test ttest --by type"


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("score qrels.csv one.run -m map --by type --fail-under 0.8", 0),
        ("score qrels.csv one.run two.run -m map --by type --fail-under 0.8", 1),
        ("score qrels.csv one.run -m map --by type --fail-under 0.8 --sure", 1),
        ("score qrels.csv one.run -m map --by absent --fail-under 0.1", 2),
        (f"{COMPARED} one.run two.run --fail-if-worse", 1),
        (f"{COMPARED} two.run one.run --fail-if-worse", 0),
        (f"{COMPARED} one.run one.run --margin 0.9 --fail-unless-not-worse", 0),
        (f"{COMPARED} one.run one.run --margin 0.1 --fail-unless-not-worse", 1),
    ],
)
def test_every_group_must_reach_a_gate(words, status, run, files):
    found, _, stderr = run(words)
    assert found == status
    assert bool(re.search("failed: .*map of (what|how)", stderr)) == (status == 1)


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (
            "score qrels.csv one.run --by kind",
            1,
            "--by names no file, and qrels.csv must have a column 'kind'; got ['qid', "
            "'docno', 'grade', 'type'].",
        ),
        (
            "score qrels.txt one.run --by kind",
            1,
            "qrels.txt must have a column 'kind'; got none.",
        ),
        (
            "score qrels.csv one.run --by queries.tsv",
            1,
            "queries.tsv must have one column beside 'query_id' unless the column of "
            "groups is named; got ['text', 'type'].",
        ),
        (
            "score qrels.csv one.run --by queries.tsv:kind",
            1,
            "queries.tsv must have a column 'kind'; got ['query_id', 'text', 'type'].",
        ),
        (
            "score qrels.csv one.run --by grade",
            1,
            "must have one group for each query; got ",
        ),
        (
            "compare qrels.csv one.run two.run --by few",
            1,
            "by must name every query; got 1 ids, without 'q1', 'q10'",
        ),
        (
            "score qrels.csv one.run --by empty",
            1,
            "empty must have a group for each query, a text or a number; got '' for "
            "query 'q1'.",
        ),
        (
            "score qrels.csv one.run --by nested",
            1,
            "nested must have a group for each query, a text or a number; got ['how'] "
            "for query 'q1'.",
        ),
        (
            "score qrels.csv one.run --by qrels.txt",
            1,
            "qrels.txt must have lines of query and group, or a header with the column "
            "qid; got 'q0 0 d0",
        ),
        ("score - one.run --by type", 2, "needs a file if QRELS is standard input"),
        ("score qrels.csv one.run --by type -q", 2, "--per-query: not allowed with"),
        ("score qrels.csv one.run --by type -f trec", 2, "--by: not allowed with --li"),
        (
            "score qrels.csv one.run --by type --like trec_eval9",
            2,
            "--by: not allowed with --like",
        ),
        (
            "score qrels.csv one.run --by type --judge qrels.csv",
            2,
            "--by: not allowed with --judge",
        ),
        (
            "score qrels.csv one.run short.run --by type --missing skip",
            1,
            "by must give all systems the same slices; 'one' and 'short' have other "
            "queries, so only one of them has 'what'.",
        ),
    ],
)
def test_groups_that_cannot_be_used(words, status, message, run, files):
    found, _, stderr = run(
        words,
        few="q0 what\n",
        empty="qid,type\nq0,what\nq1,\n",
        nested='{"q0": "what", "q1": ["how"]}',
        **{"short.run": "q1 Q0 d1 1 2 short\n"},
    )
    assert found == status
    assert message in stderr
    assert stderr.count("error:") == 1 and "Traceback" not in stderr


# Results as data ----------------------------------------------------------------------


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
