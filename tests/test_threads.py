"""Blocks shared by threads give the numbers of one thread."""

import threading
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest

from sklearn_irmetrics import metric_at_cutoffs, ndcg_score, score_queries
from sklearn_irmetrics._core import blocks, score
from sklearn_irmetrics._registry import METRICS

FULL = [
    name
    for name, metric in METRICS.items()
    if metric.kernel is not None and name not in ("coverage", "novelty")
]
ARGUMENTS = {
    "iprec": "(recall_level=0.5)",
    "relative_recall": "(n_expected=3)",
    "recall_effort": "(n_expected=3)",
}


@pytest.fixture
def many_blocks(monkeypatch):
    """Let even a small input be many blocks."""
    monkeypatch.setattr(blocks, "BLOCK_CELLS", 64)


@pytest.mark.usefixtures("many_blocks")
@pytest.mark.parametrize("layout", ["flat", "unsorted", "dense"])
def test_threads_give_the_same_numbers(layout):
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 4, 1200).astype(float)
    y_true[rng.random(1200) < 0.1] = np.nan
    y_score = rng.integers(0, 9, 1200) / 8
    qid = np.sort(rng.integers(0, 60, 1200))
    if layout == "unsorted":
        qid = rng.permutation(qid)
    if layout == "dense":
        y_true, y_score, qid = y_true.reshape(60, 20), y_score.reshape(60, 20), None
    metrics = [name + ARGUMENTS.get(name, "") for name in FULL]
    one, two = (
        score_queries(
            y_true, y_score, metrics, qid=qid, replace_undefined_by=-1, n_jobs=n_jobs
        )
        for n_jobs in (1, 2)
    )
    for name in metrics:
        np.testing.assert_allclose(
            two.scores[name], one.scores[name], rtol=0, atol=1e-14, err_msg=name
        )
    np.testing.assert_array_equal(one.query_ids, two.query_ids)


@pytest.mark.usefixtures("many_blocks")
def test_cutoffs_in_threads():
    rng = np.random.default_rng(1)
    y_true, y_score = rng.integers(0, 3, (50, 30)), rng.random((50, 30))
    one = metric_at_cutoffs("ndcg", y_true, y_score, [1, 5, 30])
    two = metric_at_cutoffs("ndcg", y_true, y_score, [1, 5, 30], n_jobs=-1)
    np.testing.assert_array_equal(one, two)


@pytest.mark.usefixtures("many_blocks")
def test_an_error_in_a_thread_reaches_the_caller():
    y_true = np.arange(400) % 3
    with pytest.raises(ValueError, match="gain must list every grade"):
        score_queries(
            y_true, -y_true, "ndcg(gain={0: 0, 1: 1})", qid=y_true // 9, n_jobs=2
        )


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2"])
def test_n_jobs_must_be_an_integer_but_zero(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be None or an integer but 0"):
        score_queries([1, 0], [2, 1], "map", n_jobs=n_jobs)


def test_none_follows_the_joblib_context(monkeypatch):
    asked = []

    class Threads(ThreadPoolExecutor):
        def __init__(self, n_threads):
            asked.append(n_threads)
            super().__init__(n_threads)

    monkeypatch.setattr(score, "ThreadPoolExecutor", Threads)
    with joblib.parallel_config(n_jobs=3):
        score_queries([1, 0], [2, 1], "map")
    assert asked == [3]


def test_one_job_stays_in_the_thread_of_the_caller():
    seen = set()

    def gain(grades):
        seen.add(threading.get_ident())
        return grades

    assert ndcg_score([[1, 0], [0, 2]], [[2, 1], [1, 2]], gain=gain) == 1.0
    assert seen == {threading.get_ident()}
