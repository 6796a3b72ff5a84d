"""What happens when things break: folds, workers, Ctrl-C, full disks."""

import os
import re
import signal
import time
from concurrent.futures import BrokenExecutor
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.model_selection import KFold

from sklearn_irmetrics.model_selection import evaluate

ROOT = Path(__file__).resolve().parents[1]


class Mean(RegressorMixin, BaseEstimator):
    """Learns the mean of `y`; where row 0 is not there to learn, `what` happens."""

    def __init__(self, what="raise", once=None, processes=()):
        self.what = what
        self.once = once
        self.processes = processes

    def fit(self, X, y):
        if X[:, 0].min() > 0 and not (self.once and os.path.exists(self.once)):
            if self.what == "raise":
                raise RuntimeError("row 0 is not here")
            if self.what == "interrupt":
                raise KeyboardInterrupt
            time.sleep(0.5)  # what others have done arrives
            if self.once:
                Path(self.once).touch()
            own = os.getpid()
            for process in sorted({*self.processes, own}, key=own.__eq__):
                os.kill(process, signal.SIGKILL)
        self.mean_ = np.mean(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return np.column_stack([np.arange(40), rng.normal(size=40)]), rng.normal(size=40)


def folds(X, n_splits):
    """K folds, of which the last does not train on row 0."""
    return list(KFold(n_splits).split(X))[::-1]


@pytest.fixture
def workers():
    """Two processes of loky that can import this module, and end with the test."""
    with joblib.parallel_config(backend="loky", n_jobs=2):
        yield
    joblib.externals.loky.get_reusable_executor().shutdown(wait=True)


def notes_of(error):
    return "\n".join(error.__notes__)


# Folds ---------------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_an_error_says_in_which_split_and_what_was_done(rows, n_jobs):
    method = folds(rows[0], 4)
    with pytest.raises(RuntimeError, match="row 0 is not here") as raised:
        evaluate(Mean(), *rows, scoring="r2", method=method, n_jobs=n_jobs)
    notes = notes_of(raised.value)
    assert "This happened in split 3. With error_score=np.nan the others" in notes
    done = {None: "3", 2: r"\d"}[n_jobs]  # of two processes, either may be ahead
    assert re.search(
        rf"evaluate stopped with {done} of 4 splits done; not .*3\.", notes
    )


def test_an_interrupt_says_what_was_done(rows):
    splits = list(KFold(30).split(rows[0]))
    splits.insert(2, splits.pop(0))
    with pytest.raises(KeyboardInterrupt) as raised:
        evaluate(Mean("interrupt"), *rows, scoring="r2", method=splits)
    assert notes_of(raised.value) == (
        "evaluate stopped with 2 of 30 splits done; "
        "not done: 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ...."
    )


# Workers -------------------------------------------------------------------------


def test_splits_of_a_killed_process_start_again(rows, workers, tmp_path):
    options = {"scoring": "r2", "method": folds(rows[0], 6)}
    here = evaluate(Mean(once=os.devnull), *rows, **options)
    killed = tmp_path / "killed"
    with pytest.warns(RuntimeWarning, match=r"A worker was lost .* \d of 6 splits are"):
        there = evaluate(Mean("kill", once=str(killed)), *rows, **options)
    assert killed.exists()
    assert there.split_scores["r2"].tolist() == here.split_scores["r2"].tolist()
    assert there.estimate == here.estimate


@pytest.mark.filterwarnings("ignore:A worker was lost:RuntimeWarning")
def test_a_split_that_always_kills_its_process(rows, workers):
    options = {"scoring": "r2", "method": folds(rows[0], 4), "error_score": np.nan}
    with pytest.raises(BrokenExecutor, match="unexpectedly terminated") as raised:
        evaluate(Mean("kill"), *rows, **options)
    assert notes_of(raised.value) == (
        "evaluate stopped with 3 of 4 splits done; not done: 3. A worker was lost, "
        "often for want of memory: a smaller n_jobs needs less, and n_jobs=1 shows "
        "what ends it."
    )
    # The next call is not troubled by what happened.
    assert evaluate(Mean(once=os.devnull), *rows, **options).failures == {}


def test_killed_dask_workers(tmp_path, monkeypatch):
    """Both, so that no copy of the data is left in the cluster."""
    distributed = pytest.importorskip(
        "dask.distributed", reason="dask.distributed is not installed"
    )
    rng = np.random.default_rng(0)
    X, y, qid = rng.random((900, 3)), rng.random(900), np.repeat(np.arange(90), 10)
    X[0, 0] = 0
    options = {"qid": qid, "scoring": "ndcg@5", "random_state": 0}
    options["method"] = folds(X, 9)
    here = evaluate(Mean(once=os.devnull), X, y, **options)
    # Also for the workers that take the place of the killed ones.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "tests")]))
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        processes = set(client.run(os.getpid).values())
        model = Mean("kill", str(tmp_path / "killed"), tuple(processes))
        with (
            joblib.parallel_config(backend="dask", wait_for_workers_timeout=60),
            pytest.warns(RuntimeWarning, match=r"A worker was lost .* \d of 9 splits"),
        ):
            there = evaluate(model, X, y, n_jobs=2, **options)
        assert processes.isdisjoint(client.run(os.getpid).values())
    assert there.estimate == here.estimate
    assert there.confidence_interval == here.confidence_interval
