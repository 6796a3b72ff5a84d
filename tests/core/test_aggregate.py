"""Values per query to one number: weights of any size, means, warnings."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge

import sklearn_irmetrics as irm
from sklearn_irmetrics import recall_at_k_score
from sklearn_irmetrics._core.aggregate import aggregate, scale_weights
from sklearn_irmetrics.model_selection import evaluate

NAN = float("nan")


@pytest.mark.parametrize("size", [1.0, 3e-150, 2e150])
def test_weights_whose_products_are_exact_stay_what_they_are(size):
    weights = np.array([0.0, 0.1, 0.7]) * size
    assert scale_weights(weights) is weights


@pytest.mark.parametrize("exponent", [-1072, -1000, -501, 501, 1000, 1024])
def test_huge_and_tiny_weights_are_brought_below_one(exponent):
    weights = np.ldexp([0.5, 0.25, 0.0], exponent)
    assert_array_equal(scale_weights(weights), [0.5, 0.25, 0.0])


@pytest.mark.parametrize(
    ("average", "expected"), [("macro", 0.65), ("geometric", (0.2 * 0.8**3) ** 0.25)]
)
def test_weighted_means(average, expected):
    values, weights = np.array([0.2, 0.8, 0.5]), np.array([1.0, 3.0, 0.0])
    found = aggregate(values, weights, name="measure", average=average)
    assert found == pytest.approx(expected, rel=1e-14)


def test_micro_average_is_the_ratio_of_weighted_sums():
    rows = np.array([[0.5, 1.0, 0.0], [1.0, 3.0, 0.0], [2.0, 3.0, 5.0]])
    options = {"name": "measure", "average": "micro"}
    assert aggregate(rows, None, **options) == 4 / 10
    assert aggregate(rows, np.array([1.0, 2.0, 1.0]), **options) == 7 / 13
    assert aggregate(rows, np.array([1.0, 2.0, 0.0]), **options) == 7 / 8


def test_micro_average_of_nothing():
    rows = np.array([[NAN, NAN], [0.0, 0.0], [0.0, 0.0]])
    options = {"name": "measure", "average": "micro"}
    with pytest.warns(UndefinedMetricWarning, match="undefined in 2 of 2 queries"):
        assert np.isnan(aggregate(rows, None, **options))
    assert aggregate(rows, None, replace_undefined_by=0.25, **options) == 0.25


def test_queries_of_no_weight_are_not_counted_as_undefined():
    values, weights = np.array([NAN, 0.5, NAN]), np.array([0.0, 1.0, 2.0])
    with pytest.warns(UndefinedMetricWarning, match="undefined in 1 of 2 queries"):
        assert aggregate(values, weights, name="measure") == 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weights = np.array([0.0, 1.0, 0.0])
        assert aggregate(values, weights, name="measure") == 0.5


@pytest.mark.parametrize(
    ("name", "y_true", "y_score", "why"),
    [
        ("recall_at_k_score", [0, 0], [1, 2], "nothing to find, in most cases"),
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
