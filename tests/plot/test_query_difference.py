"""Differences of two systems, a bar for each query."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LogisticRegression

from oracles.displays import COSINE, MODEL, QID, X, Y, from_predictions, labels, scored
from sklearn_irmetrics import plot, score_queries
from sklearn_irmetrics.model_selection import evaluate

pytest.importorskip("matplotlib")


def test_bars_are_sorted_and_counted():
    difference = plot.QueryDifferenceDisplay(
        differences=np.array([0.0, -0.5, np.nan, 0.25, 1e-17, 0.5]),
        query_ids=list("abcdef"),
        metric="p@4",
        name="New",
        baseline_name="Old",
    ).plot()
    assert labels(difference) == ["New better: 2", "Old better: 1", "Equal: 2",
                                  "Mean: +0.050"]  # fmt: skip
    names = [text.get_text() for text in difference.ax_.get_xticklabels()]
    assert names == ["f", "d", "a", "e", "b"]
    for bars, ends in ((difference.better_, [0, 0.5]), (difference.worse_, [-0.5, 0])):
        assert_allclose(bars.get_datalim(difference.ax_.transData).intervaly, ends)
    assert difference.plot(plot_mean=False).line_ is None


def test_a_smaller_loss_is_better():
    given = {"metric": "loss", "greater_is_better": False, "query_ids": ["a", "b"]}
    differences = np.array([0.5, -0.25])
    display = plot.QueryDifferenceDisplay(differences=differences, **given).plot()
    assert labels(display)[:2] == ["System better: 1", "Baseline better: 1"]
    names = [text.get_text() for text in display.ax_.get_xticklabels()]
    assert names == ["b", "a"]


def test_many_queries_are_counted_and_not_named():
    display = from_predictions("QueryDifferenceDisplay")
    assert display.ax_.get_xlabel() == "40 queries, best first"
    ids = [f"a long name {i}" for i in range(12)]
    display = plot.QueryDifferenceDisplay(
        differences=np.linspace(-1, 1, 12), query_ids=ids, metric="map"
    ).plot()
    assert display.ax_.get_xticklabels()[0].get_rotation() == 45


def test_differences_of_results():
    first, second = (
        score_queries(Y, scores, ["map", "p@5"], qid=QID)
        for scores in (COSINE, X[:, 0])
    )
    draw = plot.QueryDifferenceDisplay.from_results
    display = draw(first, second, metric="map", name="New", baseline_name="Old")
    assert_allclose(display.differences, first.scores["map"] - second.scores["map"])
    assert list(display.query_ids) == list(first.query_ids)
    arrays = draw(first.scores["map"], second.scores["map"])
    assert_array_equal(arrays.differences, display.differences)
    assert arrays.ax_.get_ylabel() == "Difference in score"
    with pytest.raises(ValueError, match="metric must name one of"):
        draw(first, second)


def test_differences_of_systems_by_name():
    systems = scored()
    draw = plot.QueryDifferenceDisplay.from_results
    expected = systems["New"].scores["map"] - systems["Old"].scores["map"]
    display = draw(systems, "Old", metric="map", name="New")
    assert_array_equal(display.differences, expected)
    assert [display.name, display.baseline_name] == ["New", "Old"]
    two = {name: systems[name] for name in ("Old", "New")}
    for found in (
        draw(two, baseline="Old", metric="map"),
        draw({1: systems["Old"], 2: systems["New"]}, metric="map"),
        draw(two, metric="map"),
        draw(two, metric="map", name="Newest", baseline_name="Oldest"),
        draw([*two.values()], metric="map"),
    ):
        assert_array_equal(found.differences, expected)
    models = {"ridge": MODEL, "other": DummyRegressor()}
    results = evaluate(models, X, Y, scoring="map", qid=QID, random_state=0)
    found = draw(results, baseline="ridge")
    a, b = (results[name].query_scores.scores["map"] for name in ("other", "ridge"))
    assert_array_equal(found.differences, a - b)
    with pytest.raises(ValueError, match="baseline must be one of 'Old', 'New'; got"):
        draw(two, baseline="ridge", metric="map")
    with pytest.raises(ValueError, match="^name, .* one of 'New'; got 'Old'"):
        draw(two, metric="map", name="Old")
    with pytest.raises(ValueError, match="^name, .* one of '1', 'New'; got None"):
        draw(systems, baseline="Old", metric="map")
    with pytest.raises(ValueError, match="at least two systems; got 1"):
        draw({"New": systems["New"]}, metric="map")


def test_both_estimators_must_know_the_same_classes():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(X, y)
    other = LogisticRegression(max_iter=1000).fit(X, y + 1)
    with pytest.raises(ValueError, match="baseline must have the classes of estimator"):
        plot.QueryDifferenceDisplay.from_estimator(model, X, y, baseline=other)


@pytest.mark.filterwarnings("ignore:recall.* is undefined")
def test_measures_name_the_relevant_class_of_two_estimators():
    rng = np.random.default_rng(0)
    X, relevant = rng.normal(size=(90, 2)), rng.random(90) < 0.3
    words, qid = np.where(relevant, "yes", "no"), np.repeat(np.arange(30), 3)
    models = [LogisticRegression(C=C).fit(X, words) for C in (1, 1e-3)]
    display = plot.QueryDifferenceDisplay
    metric = "recall(pos_label='yes')@1"
    shown = display.from_estimator(
        models[0], X, words, baseline=models[1], qid=qid, metric=metric
    )
    one, other = (model.decision_function(X) for model in models)
    expected = display.from_predictions(
        relevant, one, baseline=other, qid=qid, metric="recall@1"
    )
    assert_array_equal(shown.differences, expected.differences)
