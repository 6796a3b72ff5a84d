"""Measures of unranked sets, against scikit-learn, references and worked examples."""

import math

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn import metrics as skm
from sklearn.exceptions import UndefinedMetricWarning

from oracles import reference as ref
from oracles.cases import CLOSE
from sklearn_irmetrics.metrics import _sets as sets

COUNTED = {name: getattr(sets, name) for name in ref.SETS}


# Cost matrices ------------------------------------------------------------------------

COSTS = np.array([[0.0, 1.5, 2.0], [3.0, -1.0, 0.5], [10.0, 0.0, 1.0]])


@pytest.mark.parametrize(
    ("costs", "match"),
    [
        ([["0", "1"], ["1", "0"]], "cost_matrix must hold real numbers"),
        ([[0, 10**400], [1, 0]], "cost_matrix must hold real numbers"),
        (csr_array(np.eye(2)), "cost_matrix must be an array.*csr_array"),
        ([[0], [1, 0]], "cost_matrix must be a rectangular array"),
        (np.ma.array(np.eye(2), mask=np.eye(2)), "cost_matrix must not be a masked"),
        ([[0, None], [1, 0]], "cost_matrix must be finite"),
    ],
)
def test_costs_that_are_no_numbers(costs, match):
    with pytest.raises((TypeError, ValueError), match=match):
        sets.set_cost_matrix_loss([0, 1], [1, 0], cost_matrix=costs)


@pytest.mark.parametrize("names", [np.arange(3), np.array(["x", "y", "zz"])])
def test_costs_are_those_of_the_confusion_matrix(names):
    rng = np.random.default_rng(7)
    true, predicted = rng.integers(0, 3, size=(2, 60))
    qid = rng.integers(0, 4, size=60)
    ids = list(dict.fromkeys(qid.tolist()))
    y_true, y_pred = names[true], names[predicted]
    of_query = [
        (skm.confusion_matrix(y_true[rows], y_pred[rows], labels=names) * COSTS).sum()
        for rows in (qid == q for q in ids)
    ]
    options = {"cost_matrix": COSTS, "qid": qid}
    loss = sets.set_cost_matrix_loss
    values = loss(y_true, y_pred, average=None, **options)
    np.testing.assert_allclose(values, of_query, **CLOSE)
    assert loss(y_true, y_pred, **options) == pytest.approx(np.mean(of_query))
    assert loss(y_true, y_pred, average="micro", **options) == pytest.approx(
        np.sum(of_query)
    )
    mean = loss(y_true, y_pred, average="micro", normalize=True, **options)
    assert mean == pytest.approx(np.sum(of_query) / 60)
    other_way = loss(
        y_true, y_pred, cost_matrix=COSTS[::-1, ::-1], qid=qid, labels=names[::-1]
    )
    assert other_way == pytest.approx(np.mean(of_query))


def test_costs_of_errors_by_default():
    rng = np.random.default_rng(8)
    y_true, y_pred = rng.integers(0, 5, size=(2, 4, 30))
    loss = sets.set_cost_matrix_loss(y_true, y_pred, average=None)
    np.testing.assert_array_equal(loss, (y_true != y_pred).sum(axis=1))
    rate = sets.set_cost_matrix_loss(y_true.ravel(), y_pred.ravel(), normalize=True)
    assert rate == pytest.approx(1 - skm.accuracy_score(y_true.ravel(), y_pred.ravel()))


@pytest.mark.parametrize("kind", [object, bool, np.int8, np.uint64])
def test_costs_of_any_kind_of_number(kind):
    costs = np.array([[0, 1], [1, 0]]).astype(kind)
    assert sets.set_cost_matrix_loss([0, 1], [1, 0], cost_matrix=costs) == 2


def test_zero_and_one_are_two_classes_even_if_one_is_absent():
    costs = [[2, 1], [100, -1]]
    loss = sets.set_cost_matrix_loss
    assert loss([0, 0, 0], [0, 0, 0], cost_matrix=costs) == 6
    assert loss([True, True], [True, True], cost_matrix=costs) == -2
    assert loss([1.0, 1.0], [0, 1], cost_matrix=costs) == 99


def test_labels_name_classes_that_do_not_occur():
    loss = sets.set_cost_matrix_loss(
        ["b", "b"], ["b", "c"], cost_matrix=COSTS, labels=["a", "b", "c"]
    )
    assert loss == -0.5


# Undefined, bad input -----------------------------------------------------------------


def test_undefined_where_the_denominator_is_zero():
    nothing_relevant = {"set_recall_score", "set_miss_rate_loss"}
    nothing_retrieved = {"set_precision_score", "set_false_alarm_loss"}
    no_others = {"set_specificity_score", "set_fallout_loss"}
    either = {"set_detection_cost_loss"}
    both = {"set_fbeta_score", "set_f1_score", "set_dice_score", "set_e_measure_loss"}
    situations = [
        (nothing_relevant | either, [0, 0], [1, 0]),
        (nothing_retrieved | either, [1, 0], [0, 0]),
        (no_others, [1, 1], [1, 0]),
        (nothing_relevant | nothing_retrieved | either | both, [0, 0], [0, 0]),
        (set(COUNTED), [np.nan, np.nan], [1, 0]),
    ]
    for undefined, y_true, y_pred in situations:
        judged_only = bool(np.isnan(y_true).all())
        for name, score in COUNTED.items():
            (value,) = score(y_true, y_pred, judged_only=judged_only, average=None)
            assert math.isnan(value) == (name in undefined), (name, y_true, y_pred)
    for average in ("macro", "micro"):
        with pytest.warns(UndefinedMetricWarning, match="set_f1_score"):
            assert math.isnan(sets.set_f1_score([0], [0], average=average))


@pytest.mark.parametrize("score", [sets.set_f1_score, sets.set_cost_matrix_loss])
def test_columns_are_named_without_scores(score):
    with pytest.raises(ValueError, match="more than one column.*1-D") as caught:
        score([[1], [0]], [[1], [1]])
    assert "y_score" not in str(caught.value)


def test_very_many_classes_need_no_cost_matrix():
    classes = np.arange(200_000)
    assert sets.set_cost_matrix_loss(classes, classes[::-1]) == 200_000
