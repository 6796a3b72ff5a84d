"""What an import of the package brings along."""

import subprocess
import sys
from pathlib import Path

import pytest

import sklearn_irmetrics

# They take longer to import than most calls take.
HEAVY = ("sklearn", "pandas", "joblib", "scipy.sparse", "scipy.stats", "matplotlib")
OPTIONAL = ("pandas", "matplotlib", "tqdm", "polars", "pyarrow", "dask", "pyspark")
OPTIONAL += ("torch", "lightgbm")
SCRIPT = """
import sys
{script}
print(*(name for name in {heavy!r} if name in sys.modules))
"""


def imported_by(script, heavy=HEAVY):
    words = [sys.executable, "-c", SCRIPT.format(script=script, heavy=heavy)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()


@pytest.mark.parametrize(
    "script",
    [
        "import sklearn_irmetrics",
        "from sklearn_irmetrics import ndcg_score; ndcg_score([1, 0], [2, 1])",
        "from sklearn_irmetrics import score_run; "
        "score_run({1: ['a']}, {1: ['b', 'a']}, ['ndcg@10', 'map'])",
        "from sklearn_irmetrics._cli.main import main; "
        "main(['score', {qrels!r}, {run!r}, '-m', 'ndcg@10', '-m', 'recall@5'])",
    ],
)
def test_what_scores_needs_numpy_only(script, tmp_path):
    qrels, run = str(tmp_path / "qrels"), str(tmp_path / "run")
    Path(qrels).write_text("q 0 d 1\n")
    Path(run).write_text("q Q0 d 1 0.5 tag\n")
    script = script.replace("{qrels!r}", repr(qrels)).replace("{run!r}", repr(run))
    assert imported_by(script) == []


def test_submodules_bring_no_optional_library():
    names = "datasets, estimators, model_selection, plot, runs"
    ours = imported_by(f"from sklearn_irmetrics import {names}", OPTIONAL)
    # scikit-learn may bring pandas along where it is installed.
    theirs = imported_by("import sklearn.metrics, sklearn.model_selection", OPTIONAL)
    assert set(ours) <= set(theirs)


def test_every_name_is_there_when_asked_for():
    assert set(sklearn_irmetrics.__all__) <= set(dir(sklearn_irmetrics))
    for name in dir(sklearn_irmetrics):
        assert getattr(sklearn_irmetrics, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'unknown'"):
        sklearn_irmetrics.unknown  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'unknown'"):
        sklearn_irmetrics.metrics.unknown  # noqa: B018
