"""Differences of two systems, a bar for each query."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LogisticRegression

from oracles.displays import COSINE, MODEL, QID, X, Y, labels, scored
from sklearn_irmetrics import plot, score_queries
from sklearn_irmetrics.model_selection import evaluate

pytest.importorskip("matplotlib")


def rows_of(display):
    return [text.get_text() for text in display.ax_.get_yticklabels()]


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
    assert rows_of(difference) == ["f", "d", "a", "e", "b"]
    top, bottom = difference.ax_.get_ylim()[::-1]
    assert top < bottom  # the best are above
    for bars, ends in ((difference.better_, [0, 0.5]), (difference.worse_, [-0.5, 0])):
        assert_allclose(bars.get_datalim(difference.ax_.transData).intervalx, ends)
    assert difference.plot(plot_mean=False).line_ is None


def test_a_smaller_loss_is_better():
    given = {"metric": "loss", "greater_is_better": False, "query_ids": ["a", "b"]}
    differences = np.array([0.5, -0.25])
    display = plot.QueryDifferenceDisplay(differences=differences, **given).plot()
    assert labels(display)[:2] == ["System better: 1", "Baseline better: 1"]
    assert rows_of(display) == ["b", "a"]
    assert display.ax_.get_xlabel() == "Difference in loss (lower is better)"


@pytest.mark.parametrize("n_queries", [26, 500])
def test_of_many_queries_the_ten_best_and_worst_are_named(n_queries):
    differences = np.random.default_rng(0).permutation(np.linspace(-1, 1, n_queries))
    display = plot.QueryDifferenceDisplay(
        differences=differences, query_ids=np.arange(n_queries), metric="map"
    ).plot()
    order = [*map(str, np.argsort(-differences))]
    middle = f"{n_queries - 20:,} others"
    assert rows_of(display) == [*order[:10], middle, *order[-10:]]
    n_corners = sum(
        len(bars.get_paths()[0].vertices) for bars in (display.better_, display.worse_)
    )
    assert n_corners > 4 * n_queries  # all are drawn


def test_axes_side_by_side_show_queries_in_one_order():
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(1, 2, sharex=True, sharey=True)
    options = {"query_ids": ["a", "b", "c"], "metric": "map"}
    for ax, differences in zip(axes, ([1.0, 3.0, 2.0], [6.0, -4.0, 5.0]), strict=True):
        display = plot.QueryDifferenceDisplay(
            differences=np.array(differences), **options
        ).plot(ax)
        names = [text.get_text() for text in axes[0].get_yticklabels()]
        assert names == ["b", "c", "a"]
    (bars,) = display.worse_.get_paths()
    assert bars.vertices[np.argmin(bars.vertices[:, 0]), 1] < 1  # b is above
    assert axes[0].get_xlim()[0] < -4 and axes[0].get_xlim()[1] > 6
    with pytest.raises(ValueError, match="shows differences by query already"):
        display.plot(axes[0])
    other = plot.QueryDifferenceDisplay(
        differences=np.array([1.0, np.nan, 2.0]), **options
    )
    _, axes = plt.subplots(1, 2, sharey=True)
    display.plot(axes[0])
    with pytest.raises(ValueError, match="sharey=False"):
        other.plot(axes[1])


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
    assert arrays.ax_.get_xlabel() == "Difference in score"
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
