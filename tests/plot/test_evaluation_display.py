"""Estimates and comparisons as points with intervals, a row for each."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from oracles.displays import COSINE, MODEL, QID, X, Y, labels, scored
from sklearn_irmetrics import plot, score_queries
from sklearn_irmetrics.comparison import compare
from sklearn_irmetrics.model_selection import evaluate

pytest.importorskip("matplotlib")

RESULTS = {
    method: evaluate(
        MODEL, X, Y, scoring=["map", "p@5"], qid=QID, method=method, random_state=0,
        **({} if method == "kfold" else {"n_splits": 12}),
    )
    for method in ("kfold", "bootstrap", "bootstrap632", "bootstrap632+")
}  # fmt: skip


def test_estimates_of_one_result_are_a_row_per_measure():
    result = RESULTS["kfold"]
    display = plot.EvaluationDisplay.from_results(result)
    assert display.rows == ["map", "p@5"]
    assert display.line_.get_xdata().tolist() == list(result.estimate.values())
    assert display.line_.get_ydata().tolist() == [0, 1]
    ends = display.intervals_.get_xdata().reshape(2, 3)[:, :2]
    assert_array_equal(ends, list(result.confidence_interval.values()))
    assert display.chance_level_ is None
    assert display.ax_.get_xlabel() == "Estimate with 95 % interval"
    only = plot.EvaluationDisplay.from_results(result, metric="p@5")
    assert only.rows == ["p@5"]
    drawn = result.plot()
    assert isinstance(drawn, plot.EvaluationDisplay)
    assert drawn.rows == display.rows


def test_estimates_of_many_results_are_a_row_each():
    display = plot.EvaluationDisplay.from_results(RESULTS, metric="map")
    assert display.rows == list(RESULTS)
    shown = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert shown == list(RESULTS)
    assert display.ax_.get_ylim()[0] > display.ax_.get_ylim()[1]  # first on top
    assert display.ax_.get_xlabel() == "map with 95 % interval"
    listed = plot.EvaluationDisplay.from_results(list(RESULTS.values()), metric="map")
    assert listed.rows == ["system 1", "system 2", "system 3", "system 4"]
    assert display.chance_level_ is None  # of .632+ only, which is no level of the rows


def test_chance_level_that_all_results_have_is_drawn():
    results = dict.fromkeys("AB", RESULTS["bootstrap632+"])
    display = plot.EvaluationDisplay.from_results(results, metric="map")
    level = RESULTS["bootstrap632+"].chance_score["map"]
    assert_array_equal(display.chance_level_.get_xdata(), [level, level])


def test_estimates_of_scores_that_exist_already():
    systems = scored()
    draw = plot.EvaluationDisplay.from_results
    display = draw(systems, metric="p@5", confidence_level=0.8)
    assert display.rows == ["1", "Old", "New"]
    assert display.estimates == [one.mean["p@5"] for one in systems.values()]
    assert display.intervals[1] == systems["Old"].interval("p@5", confidence_level=0.8)
    assert display.ax_.get_xlabel() == "p@5 with 80 % interval"
    assert draw(systems["1"]).rows == ["map", "p@5"]
    mixed = draw({"scored": systems["1"], "fitted": RESULTS["kfold"]})
    assert len(mixed.rows) == 4
    losses = {
        "scored": score_queries(Y, COSINE > 0, "set_fallout", qid=QID),
        "fitted": evaluate(GaussianNB(), X, Y, scoring="set_fallout", qid=QID),
    }
    assert draw(losses).estimates == [
        losses["scored"].mean["set_fallout"],
        losses["fitted"].estimate["set_fallout"],
    ]


def test_a_comparison_is_a_row_per_pair_with_a_line_at_no_difference():
    systems = {
        "A": score_queries(Y, COSINE, "map", qid=QID),
        "B": score_queries(Y, X[:, 0], "map", qid=QID),
    }
    result = compare(systems, random_state=0)
    display = plot.EvaluationDisplay.from_results(result)
    assert display.rows[0].splitlines() == [
        "B − A",
        f"means: {result.mean['B']:.3f} − {result.mean['A']:.3f}",
        f"{result.wins[0]} better, {result.ties[0]} equal, {result.losses[0]} worse",
    ]
    three = compare({**systems, "C": systems["A"]}, random_state=0)
    assert three.plot().rows[0] == "B − A"
    alike = compare({"a": np.arange(20.0), "b": np.arange(20.0) + 1}, random_state=0)
    assert alike.plot().rows[0].startswith("b − a (all differences equal)\nmeans: ")
    assert display.line_.get_xdata().tolist() == result.estimate.tolist()
    assert labels(display) == ["No difference"]
    assert display.ax_.get_xlabel() == "Difference in map with 95 % interval"


def test_intervals_of_a_comparison_are_drawn_around_what_they_are_about():
    rng = np.random.default_rng(0)
    systems = [
        score_queries(Y, rng.random(len(Y)), ["map", "p@5"], qid=QID) for _ in "ab"
    ]
    for test, center, label in (
        ("sign", 0.5, "Share of wins in p@5 with 95 % interval"),
        ("wilcoxon", 0.0, "Pseudo-median in p@5 with 95 % interval"),
    ):
        both = compare(systems, test=test)
        display = plot.EvaluationDisplay.from_results(both, metric="p@5")
        assert display.line_.get_xdata().tolist() == both["p@5"].center.tolist()
        assert display.chance_levels.tolist() == [center]
        assert display.ax_.get_xlabel().replace("\n", " ") == label
    drawn = both.plot()
    pair = display.rows[0].partition("\n")[0]
    titles = [row.partition("\n")[0] for row in drawn.rows]
    assert titles == [f"map: {pair}", f"p@5: {pair}"]
    assert drawn.estimates.tolist() == [*both["map"].center, *both["p@5"].center]
    assert drawn.ax_.get_xlabel() == "Pseudo-median with 95 % interval"
    assert both["map"].plot().rows[0].startswith(f"{pair}\nmeans: ")


@pytest.mark.parametrize("results", [RESULTS, RESULTS["kfold"]])
def test_estimates_by_a_measure_that_is_not_there(results):
    with pytest.raises(ValueError, match="every system .* got 'rr'"):
        plot.EvaluationDisplay.from_results(results, metric="rr")


def test_all_measures_of_a_plot_name_the_relevant_class():
    rng = np.random.default_rng(0)
    X, relevant = rng.normal(size=(90, 2)), np.tile([True, False, False], 30)
    words, qid = np.where(relevant, "yes", "no"), np.repeat(np.arange(30), 3)
    fitted = LogisticRegression().fit(X, words)
    display = plot.EvaluationDisplay
    metrics = ["recall(pos_label='yes')@1", "mrr(pos_label='yes')"]
    shown = display.from_estimator(fitted, X, words, qid=qid, metrics=metrics)
    expected = score_queries(
        relevant, fitted.decision_function(X), ["recall@1", "mrr"], qid=qid
    )
    assert_allclose(sorted(shown.estimates), sorted(expected.mean.values()))
    metrics[1] = "mrr(pos_label='no')"
    with pytest.raises(ValueError, match="name the relevant one"):
        display.from_estimator(fitted, X, words, qid=qid, metrics=metrics)
