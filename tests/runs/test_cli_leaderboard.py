"""Leaderboards on the command line: of files, and of folders."""

import csv
import io
import json

import numpy as np
import pytest

from sklearn_irmetrics import score_run
from sklearn_irmetrics.model_selection import leaderboard

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
    np.testing.assert_allclose([row["mean"] for row in rows], expected.mean)
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
        rows, expected.mean, expected.confidence_interval, strict=True
    ):
        assert float(row["mean"]) == pytest.approx(mean)
        assert (float(row["low"]), float(row["high"])) == pytest.approx(ends)
    assert [int(row["rank fiqa"]) for row in rows] == list(
        expected.dataset_rank["fiqa"]
    )


def test_several_measures_are_a_grid(out, folders):
    text = out(f"leaderboard {FILES} -b bm25")
    assert text.splitlines()[3].split() == ["system", "ndcg@10", "map"]
    assert "† shown to be better than bm25" in text
    assert r"\textsuperscript{" in out(f"leaderboard {FILES} -b bm25.run -f latex")


@pytest.mark.parametrize(
    ("run_named", "status"), [("fused", 0), ("nq/fused.run", 0), ("bm25", 1)]
)
def test_the_gate_fails_unless_a_run_may_be_first(run_named, status, run, folders):
    found, stdout, _ = run(f"leaderboard {FILES} --fail-unless-first {run_named}")
    assert found == status
    assert "2 measures" in stdout


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ("nq/qrels.test nq/bm25.run", 2, "a second RUN"),
        (f"{FILES} -b other", 2, "argument -b/--baseline: must be one of bm25, dense"),
        (f"{FILES} --over datasets", 1, "over must be 'queries' with one data set"),
        (f"{FILES} --over systems", 2, "invalid choice"),
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
    assert "left out, as a data set lacks them: dense.run" in stdout


def test_notes_say_which_folder_they_are_about(run, folders):
    path = folders / "fever" / "dense.run"
    lines = [line for line in path.read_text().splitlines() if line[:3] != "q3 "]
    path.write_text("\n".join(lines))
    _, _, stderr = run("leaderboard nq fever -m map")
    assert "note: fever: dense: no documents for 1 query (q3)" in stderr
