import re
import subprocess
import sys

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, ndcg_score

from oracles.places import ROOT
from sklearn_irmetrics import __version__, get_scorer
from sklearn_irmetrics._cli.demo import MEASURES, METHODS
from sklearn_irmetrics._cli.main import main
from sklearn_irmetrics.datasets import load_digits_ranking

README = ROOT / "README.md"


@pytest.fixture(scope="module")
def output():
    """What the demo prints, run as a user runs it."""
    command = [sys.executable, "-W", "error", "-m", "sklearn_irmetrics"]
    done = subprocess.run(
        [*command, "demo", "--queries", "40"],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def table(stdout):
    lines = stdout.split("\n\n")[1].splitlines()[1:]
    return {
        name: [float(value) for value in values]
        for name, *values in (line.split() for line in lines)
    }


def test_demo_prints_a_row_per_measure(output):
    rows = table(output[0])
    assert tuple(rows) == MEASURES
    values = np.array(list(rows.values()))
    assert ((values > 0) & (values < 1)).all()


def test_demo_says_what_it_does(output):
    stdout, stderr = output
    assert stdout.startswith("Query by example on digit images: 40 queries, 2000 pairs")
    assert re.search(
        r"^Best settings: max_features=0\.\d, min_samples_leaf=", stdout, re.M
    )
    steps = [re.sub(r"\d+\.\d s", "T s", line) for line in stderr.splitlines()]
    assert steps == [
        "Tuning by ndcg@10: 4 settings, 5 folds of queries ... T s",
        "Cross-validating the best on the other queries ... T s",
        "Estimating it on 20 queries by 8 methods ... T s",
    ]


def test_demo_estimates_by_every_method(output):
    lines = output[0].split("\n\n")[2].splitlines()
    assert lines[0].split() == ["method", "ndcg@10", "95", "%", "interval"] + [
        "interval",
        "by",
    ]
    rows = {line.split()[0]: line for line in lines[1:]}
    assert tuple(rows) == tuple(METHODS)
    for line in rows.values():
        numbers = re.findall(r"\d\.\d{3}", line)
        estimate, low, high = map(float, numbers[:3])
        assert 0.3 < low < estimate < high < 1.0
    assert "t over" in rows["kfold"]
    assert "delta-method t over" in rows["bootstrap632+"]


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


@pytest.mark.parametrize(
    ("queries", "message"),
    [("0", "n_queries must be"), ("9000", "got 9000"), ("4", "n_splits=5")],
)
def test_bad_input_is_one_line_and_exit_code_1(queries, message, capsys):
    assert main(["demo", "--queries", queries]) == 1
    last_line = capsys.readouterr().err.splitlines()[-1]
    assert last_line.startswith("python -m sklearn_irmetrics demo: error: ")
    assert message in last_line


@pytest.mark.parametrize(
    "argv", [[], ["nonsense"], ["demo", "--queries", "many"], ["demo", "--nonsense"]]
)
def test_wrong_usage_exits_with_2(argv, capsys):
    with pytest.raises(SystemExit) as exit_info:
        main(argv)
    assert exit_info.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_version(capsys):
    with pytest.raises(SystemExit) as exit_info:
        main(["--version"])
    assert exit_info.value.code == 0
    assert capsys.readouterr().out.strip() == __version__


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_a_reader_that_stops_early_sees_no_traceback():
    done = subprocess.run(
        f"'{sys.executable}' -m sklearn_irmetrics demo --queries 20 | true",
        shell=True,
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in done.stderr
    assert "rror" not in done.stderr


def test_readme_tells_scorers_and_their_functions():
    rows = re.findall(r"^\| (`.*`) \| `(\w+)` \|", README.read_text(), re.M)
    assert len(rows) > 10
    for scorers, function in rows:
        for name in re.findall(r"`([^`]*)`", scorers):
            assert get_scorer(name)._score_func.__name__ == function
