"""Threads give the numbers of one thread, and leave warning filters as they are."""

import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest

from oracles.cases import spelled
from oracles.measures import METRICS
from sklearn_irmetrics import get_scorer, ndcg_score, ranking_report, score_queries
from sklearn_irmetrics.metrics._ranking import blocks
from sklearn_irmetrics.metrics._ranking import compute as score
from sklearn_irmetrics.reports import metric_at_cutoffs, threshold_curve

PLAIN = [
    name
    for name, metric in METRICS.items()
    if metric.kind == "ranking" and not metric.marks
]
OF_SUBTOPICS = [name for name in PLAIN if METRICS[name].subtopics]
FULL = [name for name in PLAIN if name not in OF_SUBTOPICS]


@pytest.fixture
def many_blocks(monkeypatch):
    """Let even a small input be many blocks."""
    monkeypatch.setattr(blocks, "BLOCK_CELLS", 64)


@pytest.mark.usefixtures("many_blocks")
@pytest.mark.parametrize("layout", ["flat", "unsorted", "dense", "subtopics"])
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
    metrics = [spelled(name) for name in FULL]
    if layout == "subtopics":
        y_true, metrics = rng.integers(0, 2, (1200, 3)), OF_SUBTOPICS
    one, two = (
        score_queries(
            y_true,
            y_score,
            metrics,
            qid=qid,
            replace_undefined_by=1000.0,
            n_jobs=n_jobs,
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
    one = threshold_curve("ndcg", y_true, y_score)
    two = threshold_curve("ndcg", y_true, y_score, n_jobs=-1)
    np.testing.assert_array_equal(one.values, two.values)


@pytest.mark.usefixtures("many_blocks")
def test_an_error_in_a_thread_reaches_the_caller():
    y_true = np.arange(400) % 3
    with pytest.raises(ValueError, match="gain must list every grade"):
        score_queries(
            y_true, -y_true, "ndcg(gain={0: 0, 1: 1})", qid=y_true // 9, n_jobs=2
        )


@pytest.mark.usefixtures("many_blocks")
def test_none_follows_the_joblib_context(monkeypatch):
    asked = []

    class Threads(ThreadPoolExecutor):
        def __init__(self, n_threads, **options):
            asked.append(n_threads)
            super().__init__(n_threads, **options)

    monkeypatch.setattr(score, "ThreadPoolExecutor", Threads)
    with joblib.parallel_config(n_jobs=3):
        score_queries([1, 0], [2, 1], "map")  # one block
        score_queries(np.ones(100), np.ones(100), "map")
    assert asked == [3]


def test_one_job_stays_in_the_thread_of_the_caller():
    seen = set()

    def gain(grades):
        seen.add(threading.get_ident())
        return grades

    assert ndcg_score([[1, 0], [0, 2]], [[2, 1], [1, 2]], gain=gain) == 1.0
    assert seen == {threading.get_ident()}


# Warning filters ----------------------------------------------------------------------

# Two queries of three are undefined.
UNDEFINED = {"y_true": [0, 0, 1, 0, 0, 0], "qid": [1, 1, 2, 2, 3, 3]}
UNDEFINED["y_score"] = np.array([1, 1, 2, 1, 2, 1], np.float16)


def call_all():
    metrics = ["ndcg@10", "ap(relevance_threshold=1)", "q(gain={0: 0, 1: 3})"]
    scored = score_queries(**UNDEFINED, metrics=metrics)
    assert scored.mean["ap(relevance_threshold=1)"] == 1.0
    get_scorer("ap(relevance_threshold=3)@5")
    report = ranking_report(**UNDEFINED, metrics="ndcg")
    assert "3 queries" in str(report)


def test_eight_threads_leave_warning_filters_alone():
    errors, interval = [], sys.getswitchinterval()

    def call_often():
        try:
            for _ in range(15):
                call_all()
        except BaseException as error:
            errors.append(error)

    with warnings.catch_warnings():
        warnings.resetwarnings()
        warnings.simplefilter("ignore", ImportWarning)
        warnings.simplefilter("always")
        before, shown = list(warnings.filters), []
        warnings.showwarning = lambda *args, **kwargs: shown.append(args[1])
        sys.setswitchinterval(1e-5)
        try:
            threads = [threading.Thread(target=call_often) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            sys.setswitchinterval(interval)
        assert warnings.filters == before
    assert not errors, errors[0]
    # Every call of the first function warns, and no other function does.
    per_call = {"UndefinedMetricWarning": 1, "LowPrecisionWarning": 1}
    names = [category.__name__ for category in shown]
    assert {name: names.count(name) for name in set(names)} == {
        name: 8 * 15 * n for name, n in per_call.items()
    }
