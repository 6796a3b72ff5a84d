"""Pairs of features that an attack from outside found silent."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import sklearn_irmetrics as irm
from sklearn_irmetrics.model_selection import compare, evaluate

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 2))
BINARY = (X[:, 0] + RNG.normal(size=120) > 0.4).astype(int)
COSTS = [[0, 1], [10, 0]]


@pytest.mark.parametrize("classes", [(0, 1), (0, 2), (1, 2), (-1, 1), (2, 5)])
@pytest.mark.parametrize("name", ["set_cost", "scott_pi"])
def test_scorers_of_labels_do_not_mind_which_numbers_are_the_classes(name, classes):
    y = np.asarray(classes)[BINARY]
    model = LogisticRegression().fit(X, y)
    options = {"cost_matrix": COSTS} if name == "set_cost" else {}
    sign = -1 if name == "set_cost" else 1
    expected = sign * irm.Measure(name, **options)(y, model.predict(X))
    scorer = irm.get_scorer(name, **options)
    assert scorer(model, X, y) == expected
    found = evaluate(model, X, y, scoring={"it": scorer}, random_state=0)
    same = evaluate(
        LogisticRegression(), X, BINARY, scoring={"it": scorer}, random_state=0
    )
    assert found.estimate["it"] == pytest.approx(same.estimate["it"])


@pytest.mark.parametrize(
    "options",
    [
        ({"ties": "pessimistic"}, {"ties": "optimistic"}),
        ({}, {"ties": "stable"}),
        ({"replace_undefined_by": 0}, {"replace_undefined_by": 1}),
    ],
)
def test_results_by_different_rules_are_not_compared(options):
    y_true, y_score = [[1, 0, 0], [0, 0, 0], [0, 1, 0]] * 3, [[2, 2, 1]] * 9
    with warnings.catch_warnings(action="ignore"):
        first, second = (
            irm.score_queries(y_true, y_score, "ap", **one) for one in options
        )
    with pytest.raises(ValueError, match="results must be scored by the same measures"):
        compare({"first": first, "second": second})


def test_functions_without_a_name_are_not_taken_for_the_same():
    grades, scores = [[2, 1, 0]] * 8, [[1, 2, 3]] * 8
    found = {
        "first": irm.score_queries(
            grades, scores, {"it": irm.Measure("ndcg@1", gain=lambda x: x)}
        ),
        "second": irm.score_queries(
            grades, scores, {"it": irm.Measure("ndcg@1", gain=lambda x: x**3)}
        ),
    }
    with pytest.raises(ValueError, match="a lambda.*give the function a name"):
        compare(found)


def test_sets_of_a_class_that_does_not_occur():
    with pytest.warns(match="undefined"):
        assert np.isnan(irm.set_recall_score(["y", "y"], ["y", "y"], pos_label="x"))
    options = {"pos_label": "x", "replace_undefined_by": 0.0}
    assert irm.set_recall_score(["y", "y"], ["y", "y"], **options) == 0.0
    with pytest.raises(ValueError, match="pos_label must be a class of y_true"):
        irm.set_recall_score(["y", "z"], ["y", "z"], **options)


def test_a_scorer_needs_one_value():
    with pytest.raises(ValueError, match="average must not be None in a scorer"):
        irm.get_scorer("ap", average=None)
