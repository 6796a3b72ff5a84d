import io
import re
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, ndcg_score

from oracles.command import main
from oracles.places import ROOT
from sklearn_irmetrics import __version__, get_scorer
from sklearn_irmetrics.datasets import load_digits_ranking

README = ROOT / "README.md"
MEASURES = ["ndcg@10", "map", "mrr", "p@5", "recall@10", "rprec"]
METHODS = ["holdout", "subsampling", "kfold", "stratified", "loocv"]
METHODS += ["bootstrap", "bootstrap632", "bootstrap632+"]
HEADER = ["method", "ndcg@10", "95 % interval", "interval by"]


@pytest.fixture(scope="module")
def output():
    """Return what the demo prints, and what it says on its way."""
    with (
        redirect_stdout(io.StringIO()) as stdout,
        redirect_stderr(io.StringIO()) as stderr,
    ):
        assert main(["demo", "--queries", "40"]) == 0
    return stdout.getvalue(), stderr.getvalue()


def table(stdout):
    lines = stdout.split("\n\n")[1].splitlines()[1:]
    return {
        name: [float(value) for value in values]
        for name, *values in (line.split() for line in lines)
    }


def test_demo_prints_a_row_per_measure(output):
    rows = table(output[0])
    assert list(rows) == MEASURES
    values = np.array(list(rows.values()))
    assert ((values > 0) & (values < 1)).all()


def test_demo_fits_80_columns_and_ends_with_three_commands(output):
    stdout, stderr = output
    assert "\x1b" not in stdout + stderr and "\r" not in stdout + stderr
    assert max(map(len, (stdout + stderr).splitlines())) <= 80
    title, *steps = stdout.split("\n\n")[-1].splitlines()
    assert title == "Next steps:"
    commands = [step.split("  ")[1].split() for step in steps]
    assert len(commands) == 3
    for program, command, *_ in commands:
        assert program == "irmetrics"
        with pytest.raises(SystemExit) as exit_info:
            main([command, "--help"])
        assert exit_info.value.code == 0


def test_demo_estimates_by_every_method(output):
    header, *lines = output[0].split("\n\n")[2].splitlines()
    assert re.split(" {2,}", header.strip()) == HEADER
    rows = {line.split()[0]: line for line in lines}
    assert list(rows) == METHODS
    for line in rows.values():
        numbers = re.findall(r"\d\.\d{3}", line)
        estimate, low, high = map(float, numbers[:3])
        assert 0.3 < low < estimate < high < 1.0
    assert "t over" in rows["kfold"]
    assert "corrected t over" in rows["bootstrap632+"]


def test_demo_baseline_is_the_distance_on_the_other_queries(output):
    digits = load_digits_ranking(n_queries=40)
    y = digits.target.reshape(40, 50)[20:]
    closeness = -digits.data[:, 64].reshape(40, 50)[20:]
    baseline = {name: row[2] for name, row in table(output[0]).items()}
    expected_ndcg = ndcg_score(y, closeness, k=10)
    expected_map = np.mean(
        [average_precision_score(*q) for q in zip(y, closeness, strict=True)]
    )
    assert baseline["ndcg@10"] == pytest.approx(expected_ndcg, abs=5.1e-4)
    assert baseline["map"] == pytest.approx(expected_map, abs=5.1e-4)


def test_version(capsys):
    with pytest.raises(SystemExit) as exit_info:
        main(["--version"])
    assert exit_info.value.code == 0
    assert capsys.readouterr().out.strip() == __version__


def test_readme_tells_scorers_and_their_functions():
    rows = re.findall(r"^\| (`.*`) \| `(\w+)` \|", README.read_text(), re.M)
    assert len(rows) > 10
    for scorers, function in rows:
        for name in re.findall(r"`([^`]*)`", scorers):
            assert repr(get_scorer(name)).startswith(f"make_scorer({function}, ")
