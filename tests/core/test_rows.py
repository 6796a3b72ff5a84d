"""Documents that sparse input leaves out count, and how queries are averaged."""

import tracemalloc
import warnings
from functools import partial

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge

import sklearn_irmetrics as irm
from oracles.cases import sparse
from sklearn_irmetrics import recall_at_k_score
from sklearn_irmetrics.metrics._registry import METRICS
from sklearn_irmetrics.model_selection import evaluate


def draw(seed):
    """Draw grades and scores with few stored cells, zeros and NaN among them."""
    rng = np.random.default_rng(seed)
    shape = 60, 9
    y_true = rng.choice([0, 0, 0, 0.5, 1, 2, 2.5, -1, np.nan], shape)
    y_true[rng.random(shape) < 0.5] = 0
    y_true[:3] = 0
    y_score = rng.integers(-2, 3, shape) * 1.0
    y_score[rng.random(shape) < 0.6] = -np.inf
    y_score[2:5] = -np.inf
    return y_true, y_score


def test_many_measures_count_absent_documents_alike():
    y_true, y_score = draw(2)
    names = ["rprec", "bpref", "roc_auc", "recall@3", "map", "rr", "infap", "11pt"]
    texts = [
        name.replace("@", "(relevance_threshold=0)@")
        if "@" in name
        else f"{name}(relevance_threshold={threshold})"
        for name in names
        for threshold in (0, -1)
    ]
    texts += ["rprec(relevance_threshold=0, judged_only=True)", "p@3"]
    found, expected = (
        irm.score_queries(*arrays, texts, replace_undefined_by=-1)
        for arrays in ((csr_array(y_true), sparse(y_score, -np.inf)), (y_true, y_score))
    )
    for text in texts:
        np.testing.assert_allclose(
            found.scores[text], expected.scores[text], rtol=1e-12, err_msg=text
        )


def test_absent_documents_reached_by_the_threshold_are_to_be_found():
    matrices = csr_array([[0, 1]]), csr_array([[0, 1]])
    assert irm.recall_at_k_score(*matrices, relevance_threshold=0) == 0.5
    assert irm.r_precision_score(*matrices, relevance_threshold=0) == 0.5


def test_reports_count_absent_documents_once():
    y_true, y_score = draw(3)
    y_true = np.maximum(y_true, 0)
    y_true[0] = 1
    matrices = csr_array(y_true), sparse(y_score, -np.inf)
    found = irm.ranking_report(*matrices, metrics="map")
    assert found.counts["judged"] == np.count_nonzero(~np.isnan(y_true))
    assert found.counts["relevant"] == np.count_nonzero(y_true > 0)
    assert found.counts["documents"] == y_true.size


# Averages ---------------------------------------------------------------------------


def test_queries_of_no_weight_are_not_counted_as_undefined():
    data = [[0, 0], [1, 1], [0, 0]], [[2, 1]] * 3
    with pytest.warns(UndefinedMetricWarning, match="undefined in 1 of 2 queries"):
        assert recall_at_k_score(*data, k=1, sample_weight=[0, 1, 2]) == 0.5
    assert recall_at_k_score(*data, k=1, sample_weight=[0, 1, 0]) == 0.5


@pytest.mark.parametrize(
    ("name", "y_true", "y_score", "why"),
    [
        ("recall_at_k_score", [0, 0], [1, 2], "usually because nothing is relevant"),
        ("roc_auc_score", [1, 2], [1, 2], "all documents are relevant, or none"),
        ("kendall_tau_score", [1, 1], [1, 2], "fewer than two documents, or all equal"),
        ("set_precision_score", [1, 0], [0, 0], "its denominator is 0"),
    ],
)
def test_warnings_say_why(name, y_true, y_score, why):
    with pytest.warns(UndefinedMetricWarning, match=rf"1 of 1 queries \({why}\)"):
        getattr(irm.metrics, name)(y_true, y_score)


PLAIN_RANKINGS = [
    name
    for name, metric in METRICS.items()
    if metric.kind == "ranking" and not (metric.marks or metric.subtopics)
]


@pytest.mark.parametrize("name", PLAIN_RANKINGS)
def test_functions_say_what_the_registry_says(name):
    metric = METRICS[name]
    empty = [([0, 0], [2, 1]), ([1, 1], [2, 1]), ([1, 0], [-np.inf, 1]), ([1], [1])]
    for y_true, y_score in empty:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            metric.function(y_true, y_score, **dict.fromkeys(metric.required, 1))
        for warning in caught:
            assert f"1 of 1 queries ({metric.undefined_if})" in str(warning.message)


def test_warnings_of_evaluate_say_why():
    X, y, qid = np.zeros((10, 1)), np.tile([1, 0], 5), np.repeat(np.arange(5), 2)
    y[:2] = 1
    with pytest.warns(UndefinedMetricWarning, match=r"\(all documents are"):
        evaluate(Ridge(), X, y, qid=qid, scoring="roc_auc", random_state=0)


def test_warnings_point_to_the_caller():
    with pytest.warns(UndefinedMetricWarning) as caught:
        recall_at_k_score([[0, 0], [1, 0]], [[1, 2], [1, 2]], k=1)
    assert [warning.filename for warning in caught] == [__file__]


def peak(function, *args):
    """Return the bytes that a call takes at most, with what it returns."""
    function(*args)  # what is computed once is not counted
    tracemalloc.start()
    try:
        result = function(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        del result
        tracemalloc.stop()


def test_values_of_many_queries_are_not_held_twice():
    y_true, y_score = np.tile([1.0, 0.0], (2, 30_000, 1))
    names = [f"p@{k}" for k in range(1, 31)]
    assert peak(irm.score_queries, y_true, y_score, names) < 1.6 * 30 * 8 * 30_000


def test_means_at_cutoffs_do_not_hold_all_values():
    n = 20_000
    qid = np.append(np.arange(n), np.zeros(2000, int))
    y_score = np.random.default_rng(0).random(len(qid))
    found = peak(partial(irm.metrics.gain_curve, qid=qid), np.ones(len(qid)), y_score)
    assert found < 0.9 * 8 * n * 2000  # less than one array of queries x cutoffs
