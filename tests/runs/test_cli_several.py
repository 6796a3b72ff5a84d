"""The commands `agree` and `fuse`: skins over functions of the package."""

import csv
import io
import json

import pytest

from sklearn_irmetrics import fuse_runs, score_run
from sklearn_irmetrics.model_selection import order_agreement
from sklearn_irmetrics.runs import agreement, read_run


@pytest.fixture
def files(tmp_path, monkeypatch):
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


def test_agreement_of_judgments(out, files):
    rows = json.loads(out("agree people.txt model.txt -f json"))
    found = agreement("people.txt", "model.txt")
    assert {row["measure"]: row["agreement"] for row in rows} == pytest.approx(
        found.estimate
    )
    assert "kappa" in out("agree people.txt model.txt")


def test_agreement_of_orders(out, files):
    runs = {f"{step}.run": f"{step}.run" for step in (1, 3, 5)}
    text = out(f"agree people.txt model.txt {' '.join(runs)} -m map -m p@3 -f csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 6
    for metric in ("map", "p@3"):
        scores = [
            score_run(qrels, runs, metric) for qrels in ("people.txt", "model.txt")
        ]
        found = order_agreement(*scores, random_state=0)
        tau = rows[0 if metric == "map" else 3]
        assert (tau["measure"], tau["correlation"]) == (metric, "Kendall's τ")
        assert float(tau["agreement"]) == pytest.approx(found.tau)
        assert float(tau["low"]) == pytest.approx(found.tau_interval[0])


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ("", {}),
        ("--method combsum", {"method": "combsum"}),
        (
            "--method combsum --normalize none",
            {"method": "combsum", "normalize": None},
        ),
        ("-k 1 --weights 1 2 0.5", {"k": 1, "weights": [1, 2, 0.5]}),
    ],
)
def test_fused_runs_are_written(options, arguments, out, files):
    (files / "fused.run").write_text(out(f"fuse 1.run 3.run 5.run {options}"))
    found = read_run(files / "fused.run")
    expected = fuse_runs(["1.run", "3.run", "5.run"], **arguments)
    assert found.docno.tolist() == expected.docno.tolist()
    assert found.score.tolist() == expected.score.tolist()


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("agree people.txt model.txt 1.run", "a second RUN"),
        ("agree people.txt model.txt -m map", "--measure: not allowed without RUN RUN"),
        ("agree people.txt model.txt -M 5", "--max-docs: not allowed without RUN RUN"),
        ("score people.txt 1.run --interval t", "--interval: not allowed without"),
        ("fuse 1.run 3.run --weights 1", "needs one for each RUN, 2; got 1"),
        ("fuse 1.run 3.run --method best", "invalid choice: 'best'"),
        ("fuse 1.run 3.run --method isr -k 60", "-k: not allowed with --method isr"),
    ],
)
def test_wrong_usage(command, message, files, run):
    status, _, err = run(command)
    assert status == 2
    assert message in err
