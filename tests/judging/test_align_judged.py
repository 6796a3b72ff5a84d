"""Judged runs as people hold them: dicts, files, the command line."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from oracles.command import main
from oracles.judged import make_judged, row_of
from sklearn_irmetrics.judging import align_judged, compare_judged, score_judged
from sklearn_irmetrics.runs import write_qrels, write_run

N_QUERIES, N_DOCUMENTS = 40, 12
QUERIES = [f"q{i:02d}" for i in range(N_QUERIES)]
DOCUMENTS = [f"d{j:02d}" for j in range(N_DOCUMENTS)]


def as_dict(values):
    """Return the values that are finite, by query and document."""
    found = {
        q: {d: v for d, v in zip(DOCUMENTS, row, strict=True) if np.isfinite(v)}
        for q, row in zip(QUERIES, np.asarray(values).tolist(), strict=True)
    }
    return {q: documents for q, documents in found.items() if documents}


@pytest.fixture
def files(tmp_path):
    """Return people's labels, the judge's, a run, and the folder with their files."""
    data = make_judged(n_queries=N_QUERIES, n_labelled=15)
    y_true, y_judge, y_score = data
    write_qrels(as_dict(y_true), tmp_path / "people.qrels")
    write_qrels(as_dict(y_judge), tmp_path / "judge.qrels")
    write_run(as_dict(y_score), tmp_path / "a.run")
    write_run(as_dict(-y_score), tmp_path / "b.run")
    return *data, tmp_path


def test_files_give_what_arrays_give(files):
    y_true, y_judge, y_score, folder = files
    runs = {"a": folder / "a.run", "b": as_dict(-y_score)}
    found = align_judged(folder / "people.qrels", as_dict(y_judge), runs)
    assert found.qid.tolist() == np.repeat(QUERIES, N_DOCUMENTS).tolist()
    assert found.docno.tolist() == DOCUMENTS * N_QUERIES
    assert np.array_equal(found.y_true, y_true.ravel(), equal_nan=True)
    assert (found.y_judge == y_judge.ravel()).all()
    given = found.y_true, found.y_judge
    one = score_judged(*given, found.y_scores["a"], "ap", qid=found.qid)
    same = score_judged(y_true, y_judge, y_score, "ap")
    assert row_of(one, "ap").estimate == pytest.approx(row_of(same, "ap").estimate)
    both = compare_judged(*given, found.y_scores, "ap", qid=found.qid)
    systems = {"a": y_score, "b": -y_score}
    expected = row_of(compare_judged(y_true, y_judge, systems, "ap"), ("a", "b"))
    assert row_of(both, ("a", "b")).confidence_interval == pytest.approx(
        expected.confidence_interval
    )


def test_what_a_file_lacks():
    found = align_judged(
        {"q": {"a": 1, "b": -1}, "other": {"a": 1}},
        {"q": {"a": 0, "b": 2}},
        {"run": {"q": {"a": 3.0, "c": 2.0}, "other": {"a": 1.0}}},
    )
    assert found.docno.tolist() == ["a", "b", "c"]
    assert np.array_equal(found.y_true, [1, np.nan, np.nan], equal_nan=True)
    assert np.array_equal(found.y_judge, [0, 2, np.nan], equal_nan=True)
    assert found.y_scores["run"].tolist() == [3, -np.inf, 2]


def run(capsys, *arguments):
    assert main([*map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_command_scores_by_a_judge(files, capsys):
    y_true, y_judge, y_score, folder = files
    command = "score", folder / "people.qrels", folder / "a.run"
    command += "--judge", folder / "judge.qrels", "-m", "ndcg@10", "-m", "rr"
    expected = score_judged(y_true, y_judge, y_score, ["ndcg@10", "rr"])
    printed = run(capsys, *command)
    assert "People labelled 15 of 40 queries, the judge all" in printed
    rows = json.loads(run(capsys, *command, "--format", "json"))
    for row in rows:
        one = row_of(expected, row["measure"])
        assert row["estimate"] == pytest.approx(one.estimate)
        assert (row["low"], row["high"]) == pytest.approx(one.confidence_interval)
    (row, _) = csv.DictReader(
        io.StringIO(run(capsys, *command, "-f", "csv", "--confidence", "0.5"))
    )
    assert float(row["high"]) < rows[0]["high"]


def test_command_draws_what_to_label(files, capsys):
    *_, folder = files
    drawn = csv.DictReader(
        io.StringIO(run(capsys, "sample", folder / "a.run", "-n", 50, "-m", "p@5"))
    )
    rows = [*drawn]
    assert sum(row["label"] == "1" for row in rows) == 50
    assert all(float(row["inclusion"]) == pytest.approx(0.25) for row in rows)
    whole = run(capsys, "sample", folder / "a.run", "-n", 5, "-m", "ap", "--seed", 1)
    labels = [row for row in csv.DictReader(io.StringIO(whole)) if row["label"] == "1"]
    assert len(labels) == 5 * N_DOCUMENTS
    assert len({row["qid"] for row in labels}) == 5
    both = run(capsys, "sample", folder / "a.run", folder / "b.run", "-n", 20)
    assert both.count(",1\n") == 20


def test_command_scores_a_sample(files, capsys):
    *_, folder = files
    truth, y_judge, y_score = make_judged(n_queries=N_QUERIES, n_labelled=N_QUERIES)
    path = folder / "sample.csv"
    drawn = run(capsys, "sample", folder / "a.run", "-n", 100, "-m", "dcg@5")
    path.write_text(drawn)
    rows = [*csv.DictReader(io.StringIO(drawn))]
    y_true, inclusion = np.full(truth.shape, np.nan), np.zeros(truth.shape)
    for row in rows:
        place = QUERIES.index(row["qid"]), DOCUMENTS.index(row["docno"])
        inclusion[place] = float(row["inclusion"])
        if row["label"] == "1":
            y_true[place] = truth[place]
    write_qrels(as_dict(y_true), folder / "sampled.qrels")
    command = "score", folder / "sampled.qrels", folder / "a.run", "-m", "dcg@5"
    command += "--judge", folder / "judge.qrels", "--inclusion", path, "-f", "json"
    (found,) = json.loads(run(capsys, *command))
    expected = score_judged(y_true, y_judge, y_score, "dcg@5", inclusion=inclusion)
    assert found["estimate"] == pytest.approx(row_of(expected, "dcg@5").estimate)


def test_a_sample_keeps_ids_that_look_like_formulas(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    documents = {"=1": 2, "'d": 0, "@e": 1, "é": 1}
    grades = {"-1": documents, "+2": documents, "'q": documents}
    write_qrels(grades, "people")
    write_run(grades, "run")
    drawn = run(capsys, "sample", "run", "-n", 12, "-m", "cg@3")
    for mark in "", "\ufeff":  # of spreadsheets
        Path("sample.csv").write_text(mark + drawn, "utf-8")
        command = "score", "people", "run", "-m", "cg@3", "--judge", "people"
        (found,) = json.loads(
            run(capsys, *command, "--inclusion", "sample.csv", "-f", "json")
        )
        assert found["estimate"] == 4


@pytest.mark.parametrize(
    "extra, message",
    [
        (["b.run"], "needs one RUN"),
        (["--per-query"], "needs one RUN"),
        (["--ties", "stable"], "argument --ties: not allowed with --judge"),
        (["-M", "5"], "argument --max-docs: not allowed with --judge"),
        (["--interval", "t"], "argument --interval: not allowed with --judge"),
        (["--digits", "2"], "argument --digits: not allowed with --judge"),
        (["--unmatched", "raise"], "argument --unmatched: not allowed with --judge"),
        (["--docno-separator", "#"], "--docno-separator: not allowed with --judge"),
        (["--merge", "max"], "argument --merge: not allowed with --judge"),
        (["--undefined", "skip"], "--undefined: must be a number with --judge"),
    ],
)
def test_what_a_judge_does_not_go_with(files, capsys, monkeypatch, extra, message):
    monkeypatch.chdir(files[-1])
    command = ["score", "people.qrels", "a.run", *extra, "--judge", "judge.qrels"]
    with pytest.raises(SystemExit):
        main(command)
    assert message in capsys.readouterr().err


def test_undefined_queries_need_a_value_of_the_measure(files, capsys, monkeypatch):
    monkeypatch.chdir(files[-1])
    command = ["score", "people.qrels", "a.run", "--judge", "judge.qrels"]
    assert main([*command, "-m", "first_rank"]) == 1
    assert "error: --undefined must lie in the range" in capsys.readouterr().err
    assert main([*command, "-m", "first_rank", "--undefined", "13"]) == 0


def test_a_sample_needs_a_judge(files, capsys, monkeypatch):
    monkeypatch.chdir(files[-1])
    with pytest.raises(SystemExit):
        main(["score", "people.qrels", "a.run", "--inclusion", "sample.csv"])
    assert "argument --inclusion: needs --judge" in capsys.readouterr().err


def test_a_sample_of_whole_queries_needs_no_inclusion(files, capsys, monkeypatch):
    monkeypatch.chdir(files[-1])
    drawn = run(capsys, "sample", "a.run", "-n", 5, "-m", "ndcg@5")
    Path("sample.csv").write_text(drawn)
    words = "score people.qrels a.run --judge judge.qrels --inclusion sample.csv"
    assert main(words.split()) == 1
    error = capsys.readouterr().err
    assert "sample.csv is of whole queries: leave out --inclusion." in error


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "qid,docno,inclusion\nq0,d0,x\n"])
def test_a_file_that_is_no_sample_is_named(files, capsys, monkeypatch, text):
    monkeypatch.chdir(files[-1])
    (files[-1] / "sample.csv").write_text(text)
    words = "score people.qrels a.run --judge judge.qrels --inclusion sample.csv"
    assert main(words.split()) == 1
    error = capsys.readouterr().err
    assert "sample.csv must have the columns qid, docno and inclusion" in error
    assert "in CSV; got " in error and "{" not in error
