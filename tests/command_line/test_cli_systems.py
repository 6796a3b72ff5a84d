"""The commands `plan`, `leaderboard`, `agreement`, `fuse` and their likes."""

import csv
import io
import json
import re

import numpy as np
import pytest

from sklearn_irmetrics import score_queries, score_run
from sklearn_irmetrics.comparison import leaderboard, plan_queries
from sklearn_irmetrics.runs import agreement, fuse_runs, read_run, write_run

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
    assert out.startswith("ndcg@5: ")
    assert "\n\nmap: " in out
    assert "from 30 queries" in " ".join(out.split())


def test_anova_takes_the_number_of_runs(run):
    _, out, _ = run(f"plan --effect 0.03 --test anova {PILOT} poor.run")
    assert "queries detect that 3 systems differ by 0.03 with" in out


def test_plan_as_csv_has_no_measure_without_one(run):
    _, out, _ = run("plan --effect 0.05 --std 0.1 -f csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["n_queries"] for row in rows] == ["9", "17", "34", "68", "136"]
    assert "measure" not in rows[0]
    for form in ("latex", "markdown", "html"):
        status, out, _ = run(f"plan --effect 0.05 --std 0.1 -f {form}")
        assert status == 0
        assert "0.81" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--std 0.1", "--effect is required, or --margin with --test margin"),
        ("--std 0.1 --margin 0.1", "margin must be a number with test='margin' only"),
        ("--effect 0.1", "either --std or QRELS RUN RUN is required"),
        (f"--effect 0.1 --std 0.1 {PILOT}", "either --std or QRELS RUN RUN is requ"),
        ("--effect 0.1 qrels good.run", "two RUNs"),
        ("--effect 0 --std 0.1", "argument --effect: must be a number above 0"),
        ("--effect 0.1 --std -1", "argument --std: must be a number above 0"),
        ("--effect 0.1 --std nan", "argument --std: must be a number above 0"),
        ("--effect 0.1 --std 0.1 --power 1", "argument --power: must be a number"),
        ("--effect 0.1 --std 0.1 --systems 3", "n_systems must be 2 with test"),
        ("--effect 0.1 qrels good.run fair.run -m unknown", "argument -m/--measure"),
        ("--effect 0.1 --std 0.1 -m unknown", "--measure: not allowed without QRELS"),
        ("--effect 0.1 --std 0.1 --undefined 0", "--undefined: not allowed without"),
        ("--effect 0.1 --std 0.1 --undefined skip", "--undefined: not allowed without"),
        ("--effect 0.1 --std 0.1 -l 0", "--relevance-threshold: not allowed without"),
        ("--effect 0.1 --std 0.1 -J", "--judged-only: not allowed without QRELS RUN"),
        ("--effect 0.1 --std 0.1 --merge max", "--merge: not allowed without QRELS"),
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
    assert (" compare: failed: ndcg@5: " in err) == status
    assert ("poor is worse than good" in err) == status


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
    found = re.findall(r"failed: (?:ndcg@5|map): \w+.* versus good.*: (\w+)", err)
    assert bool(found) == status
    assert {"undecided", "worse"}.issuperset(found)


def test_harm_is_excluded_by_a_margin_only(run):
    status, _, err = run("compare qrels good.run fair.run --fail-unless-not-worse")
    assert status == 2
    assert "argument --fail-unless-not-worse: needs --margin" in err


@pytest.mark.parametrize("gate", ["--fail-unless-not-worse", "--fail-if-worse"])
def test_an_error_is_no_answer_of_a_gate(run, gate):
    status, _, err = run(f"compare qrels good.run fair.run -m dcg --margin 0.1 {gate}")
    assert status == 2
    assert "margin needs to know how large a difference can be" in err


# Leaderboards -----------------------------------------------------------------------


NOISE = {"bm25": 3.0, "dense": 1.0, "fused": 0.9}


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Write three data sets of three runs; work beside them."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for key, n in {"nq": 20, "fever": 30, "fiqa": 15}.items():
        (tmp_path / key).mkdir()
        grades = rng.integers(0, 3, (n, 12))
        rows = [(f"q{i}", f"d{j}", g) for (i, j), g in np.ndenumerate(grades)]
        qrels = "".join(f"{q} 0 {d} {g}\n" for q, d, g in rows)
        (tmp_path / key / "qrels.test").write_text(qrels)
        for name, noise in NOISE.items():
            scores = grades.ravel() + noise * rng.normal(size=len(rows))
            lines = (
                f"{q} Q0 {d} 1 {s:.6f} {name}\n"
                for (q, d, _), s in zip(rows, scores, strict=True)
            )
            (tmp_path / key / f"{name}.run").write_text("".join(lines))
    (tmp_path / "nq" / ".hidden").write_text("no run")
    return tmp_path


FILES = "nq/qrels.test nq/bm25.run nq/dense.run nq/fused.run"


def scored(key):
    runs = {f"{name}.run": f"{key}/{name}.run" for name in NOISE}
    return score_run(f"{key}/qrels.test", runs, "map")


def test_it_is_that_of_the_library(out, folders):
    rows = json.loads(out(f"leaderboard {FILES} -m map -f json --seed 3"))
    expected = leaderboard(scored("nq"), random_state=3)
    assert [f"{row['system']}.run" for row in rows] == list(expected.system)
    np.testing.assert_allclose([row["estimate"] for row in rows], expected.estimate)
    ranks = [[row["rank_low"], row["rank_high"]] for row in rows]
    assert ranks == expected.rank_interval.tolist()
    assert [row["letters"] for row in rows] == list(expected.letters)


@pytest.mark.parametrize("over", ["queries", "datasets"])
def test_folders_are_data_sets(over, out, folders):
    text = out(f"leaderboard nq fever fiqa/ -m map -f csv --over {over}")
    rows = list(csv.DictReader(io.StringIO(text)))
    datasets = {key: scored(key) for key in ("nq", "fever", "fiqa")}
    expected = leaderboard(datasets, over=over, random_state=0)
    assert [row["system"] for row in rows] == list(expected.system)
    for row, mean, ends in zip(
        rows, expected.estimate, expected.confidence_interval, strict=True
    ):
        assert float(row["estimate"]) == pytest.approx(mean)
        assert (float(row["low"]), float(row["high"])) == pytest.approx(ends)
    assert [int(row["rank fiqa"]) for row in rows] == list(
        expected.dataset_rank["fiqa"]
    )


@pytest.mark.parametrize("command", ["leaderboard", "compare"])
def test_records_have_the_same_names_whatever_the_number_of_measures(
    command, out, folders
):
    words = f"{command} {FILES} -m map"
    one = json.loads(out(f"{words} -f json"))
    several = json.loads(out(f"{words} -m ndcg@10 -f json"))
    assert {tuple(row) for row in one} == {tuple(row) for row in several}
    assert {row["measure"] for row in one} == {"map"}
    assert {row["n_units"] for row in one} == {20}
    first_lines = [out(f"{words}{more} -f csv").split() for more in ("", " -m p@5")]
    assert first_lines[0][0] == first_lines[1][0] == ",".join(one[0])


def test_several_measures_are_a_grid(out, folders):
    text = out(f"leaderboard {FILES} -b bm25")
    assert text.splitlines()[3].split() == ["system", "ndcg@10", "map"]
    assert "* shown to be better than bm25" in text
    assert "^{*}" in out(f"leaderboard {FILES} -b bm25.run -f latex")


def test_a_folder_and_a_link_to_it_are_one(run, folders):
    (folders / "link").symlink_to(folders / "nq")
    code, _, err = run("leaderboard nq link fever")
    assert code == 2
    assert "folders must differ; got 'nq' twice" in err


@pytest.mark.parametrize(
    ("run_named", "status"), [("fused", 0), ("nq/fused.run", 0), ("bm25", 1)]
)
def test_the_gate_fails_unless_a_run_may_be_first(run_named, status, run, folders):
    found, stdout, stderr = run(f"leaderboard {FILES} --fail-unless-first {run_named}")
    assert found == status
    reason = f"failed: map: {run_named} is shown to be worse than another run"
    assert (reason in stderr) == status
    assert "2 measures" in stdout


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ("nq/qrels.test nq/bm25.run", 2, "a second RUN"),
        (f"{FILES} -b other", 2, "argument -b/--baseline: must be one of bm25, dense"),
        (f"{FILES} --over datasets", 1, "over must be 'queries' with one data set"),
        (f"{FILES} --over systems", 2, "invalid choice"),
        (f"{FILES} --drop-incomplete", 2, "--drop-incomplete: not allowed without fol"),
        ("nq fever gone", 1, "gone: No such file or directory"),
        ("nq fever gone --fail-unless-first bm25.run", 2, "gone: No such file"),
        ("nq fever nq/", 2, "got 'nq' twice"),
        ("nq fever empty", 1, "empty: a data set needs one file of judgments"),
        ("nq runless", 1, "runless: a data set needs a file for each run"),
        ("nq fever poor", 1, "missing: 'dense.run' on 'poor'; 'fused.run' on 'poor'"),
        ("nq poor --drop-incomplete", 1, "at least two systems; got 1"),
    ],
)
def test_what_is_refused(words, status, message, run, folders):
    (folders / "empty").mkdir()
    for folder, names in {
        "poor": ("qrels.test", "bm25.run"),
        "runless": ("qrels.test",),
    }.items():
        (folders / folder).mkdir()
        for name in names:
            (folders / folder / name).write_bytes((folders / "nq" / name).read_bytes())
    code, stdout, stderr = run(f"leaderboard {words}")
    assert (code, stdout) == (status, "")
    assert message in stderr


def test_what_a_folder_lacks_is_named_and_may_be_left_out(run, folders):
    (folders / "fever" / "dense.run").unlink()
    status, _, stderr = run("leaderboard nq fever -m map")
    assert status == 1
    assert "missing: 'dense.run' on 'fever'" in stderr
    assert "leave out these systems with --drop-incomplete." in stderr
    status, stdout, _ = run("leaderboard nq fever -m map --drop-incomplete")
    assert status == 0
    assert "Left out, because a data set lacks them: dense.run." in stdout


def test_notes_say_which_folder_they_are_about(run, folders):
    path = folders / "fever" / "dense.run"
    lines = [line for line in path.read_text().splitlines() if line[:3] != "q3 "]
    path.write_text("\n".join(lines))
    _, _, stderr = run("leaderboard nq fever -m map")
    assert "note: fever: dense: no documents for 1 query (q3)" in stderr


# Several runs -----------------------------------------------------------------------


@pytest.fixture
def run_files(tmp_path, monkeypatch):
    """Write judgments by people and by a model, and three runs; work beside them."""
    monkeypatch.chdir(tmp_path)
    people = {f"q{i}": {f"d{j}": (i + j) % 3 for j in range(8)} for i in range(9)}
    model = {
        q: {d: min(2, g + (d == "d3")) for d, g in p.items()} for q, p in people.items()
    }
    for name, judged in (("people", people), ("model", model)):
        lines = (f"{q} 0 {d} {g}\n" for q, p in judged.items() for d, g in p.items())
        (tmp_path / f"{name}.txt").write_text("".join(lines))
    for step in (1, 3, 5):
        lines = (
            f"{q} Q0 d{(step * (j + i)) % 8} {j} {9 - j} run{step}\n"
            for i, q in enumerate(people)
            for j in range(6)
        )
        (tmp_path / f"{step}.run").write_text("".join(lines))
    return tmp_path


def test_agreement_of_judgments(out, run_files):
    rows = json.loads(out("agree people.txt model.txt -f json"))
    found = agreement("people.txt", "model.txt")
    assert {row["measure"]: row["estimate"] for row in rows} == pytest.approx(
        found.estimate
    )
    assert "kappa" in out("agree people.txt model.txt")


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ("", {}),
        ("--method combsum", {"method": "combsum"}),
        ("--method combsum --normalize none", {"method": "combsum", "normalize": None}),
        ("-k 1 --weights 1 2 0.5", {"k": 1, "weights": [1, 2, 0.5]}),
    ],
)
def test_fused_runs_are_written(options, arguments, out, run_files):
    (run_files / "fused.run").write_text(out(f"fuse 1.run 3.run 5.run {options}"))
    found = read_run(run_files / "fused.run")
    expected = fuse_runs(["1.run", "3.run", "5.run"], **arguments)
    assert found.docno.tolist() == expected.docno.tolist()
    assert found.score.tolist() == expected.score.tolist()


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("agree people.txt model.txt 1.run", "unrecognized arguments: 1.run"),
        ("agree people.txt", "required: OTHER_QRELS"),
        ("score people.txt 1.run --interval t", "--interval: not allowed without"),
        ("fuse 1.run 3.run --weights 1", "needs one weight per RUN, 2; got 1"),
        ("fuse 1.run 3.run --weights 1 -1", "must be a number from 0; got '-1'"),
        ("fuse 1.run 3.run -k nan", "must be a number from 0; got 'nan'"),
        ("sample 1.run -n 5 -m kappa", "-m/--measure: 'kappa' is not a measure"),
        ("sample 1.run -n 5 -m ndcg@0", "k must be an integer >= 1; got 0."),
        ("sample 1.run -n 5 -m ndcg(gain=3)", "argument -m/--measure: gain must be"),
        ("fuse 1.run 3.run --method best", "invalid choice: 'best'"),
    ],
)
def test_wrong_usage(command, message, run_files, run):
    status, _, err = run(command)
    assert status == 2
    assert message in err


def test_k_is_of_one_method_alone(run_files, run):
    status, _, err = run("fuse 1.run 3.run --method isr -k 60")
    assert status == 2
    assert "argument -k: not allowed with --method isr" in err
