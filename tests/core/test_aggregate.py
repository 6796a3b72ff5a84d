"""Values per query to one number: weights of any size, means, warnings."""

import tracemalloc

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge

import sklearn_irmetrics as irm
from sklearn_irmetrics import recall_at_k_score
from sklearn_irmetrics.model_selection import evaluate


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
        getattr(irm, name)(y_true, y_score)


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
