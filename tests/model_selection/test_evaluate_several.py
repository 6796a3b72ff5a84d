"""A dict of estimators in `evaluate`: each as if alone, all on the same splits."""

import pickle
from collections.abc import Mapping

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression, Ridge

from oracles.queries import NeedsRow0
from sklearn_irmetrics.comparison import compare
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.model_selection import (
    BootstrapSplit,
    EvaluationResults,
    evaluate,
)


@pytest.fixture(scope="module")
def data():
    X, y, qid = make_ranking(n_queries=24, n_docs=(5, 9), random_state=0)
    return np.column_stack([np.arange(len(y)), X]), y, qid


MODELS = {
    "ridge": Ridge(),
    "trees": ExtraTreesRegressor(5),
    "ranker": QueryRanker(Ridge(100.0)),
    "trees again": ExtraTreesRegressor(5),
}


def assert_same(one, other):
    assert one.estimate == other.estimate
    assert one.standard_error == other.standard_error
    assert one.confidence_interval == other.confidence_interval
    assert one.aggregate == other.aggregate
    for name, scores in one.split_scores.items():
        assert_array_equal(scores, other.split_scores[name])
    assert_array_equal(one.predictions.row, other.predictions.row)
    for method, output in one.predictions.responses.items():
        assert_array_equal(output, other.predictions.responses[method])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": "holdout"},
        {"method": "bootstrap632+", "n_splits": 5},
        {"method": "stratified", "n_splits": 3, "n_jobs": 2},
        {"method": BootstrapSplit(4, random_state=3)},
    ],
)
def test_each_is_as_if_alone(data, options):
    X, y, qid = data
    use = {"qid": qid, "scoring": ["ndcg@5", "r2"], "random_state": 7, **options}
    results = evaluate(MODELS, X, y, **use)
    assert list(results) == list(MODELS)
    for name, model in MODELS.items():
        assert_same(results[name], evaluate(model, X, y, **use))
    assert results["trees"].estimate == results["trees again"].estimate


def test_all_have_the_same_splits_without_a_seed(data):
    X, y, qid = data
    model = Ridge()
    results = evaluate({"a": model, "b": model}, X, y, qid=qid, scoring="ndcg")
    assert_same(results["a"], results["b"])
    assert not hasattr(model, "coef_")
    other = evaluate({"a": model, "b": model}, X, y, qid=qid, scoring="ndcg")
    assert results["a"].n_test.tolist() != other["a"].n_test.tolist() or (
        results["a"].predictions.row.tolist() != other["a"].predictions.row.tolist()
    )


def test_a_mapping_that_cannot_be_changed(data):
    X, y, qid = data
    results = evaluate({"one": Ridge()}, X, y, qid=qid, scoring="ndcg", random_state=0)
    assert isinstance(results, EvaluationResults) and isinstance(results, Mapping)
    assert len(results) == 1 and "one" in results and "other" not in results
    assert repr(results).startswith(
        "1 model: 5-fold cross-validation by query, 24 queries\n"
    )
    with pytest.raises(TypeError):
        results["one"] = None
    with pytest.raises(KeyError):
        results["other"]
    assert_same(pickle.loads(pickle.dumps(results))["one"], results["one"])


@pytest.fixture(scope="module")
def results(data):
    X, y, qid = data
    models = {"ridge": Ridge(), "mean": DummyRegressor()}
    return evaluate(
        models, X, y, qid=qid, scoring=["ndcg@5", "r2", "map"], random_state=0
    )


def test_one_table_with_the_best_marked(results):
    rows = [line.split("|")[1:4] for line in results.to_markdown().splitlines()]
    cells = [[cell.strip() for cell in row] for row in rows if len(row) == 3]
    assert cells[0] == ["measure", "model", "mean"]
    measures = ("ndcg@5", "r2", "map")
    for measure, rows in zip(
        measures, (cells[2:4], cells[4:6], cells[6:]), strict=True
    ):
        assert [row[:2] for row in rows] == [[measure, "ridge"], ["", "mean"]]
        best, other = (f"{results[name].estimate[measure]:.3f}" for name in results)
        assert [mean for *_, mean in rows] == [f"**{best}**", other]
    assert results.to_latex().count("textbf") == 3


def test_frame_has_both_names_in_its_index(results):
    pytest.importorskip("pandas")
    frame = results.to_frame()
    assert frame.index.names == ["measure", "estimator"]
    for name, result in results.items():
        own = frame.xs(name, level="estimator")
        assert own.equals(result.to_frame())


def test_compare_is_that_of_the_dict(results):
    mine = results.compare(metric="map", random_state=0)
    its = compare(dict(results), metric="map", random_state=0)
    assert repr(mine) == repr(its)
    several = {"metric": ["ndcg@5", "map"], "random_state": 0}
    assert repr(results.compare(**several)) == repr(compare(dict(results), **several))


def test_plot_has_a_row_for_each(results):
    pytest.importorskip("matplotlib")
    display = results.plot(metric="r2")
    assert display.rows == ["ridge", "mean"]
    assert display.estimates == [one.estimate["r2"] for one in results.values()]
    measures = list(results["ridge"].estimate)
    every = [f"{name}: {one}" for name in measures for one in ("ridge", "mean")]
    assert results.plot().rows == every


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_an_error_names_the_estimator(data, n_jobs):
    X, y, qid = data
    models = {"fine": Ridge(), "moody": NeedsRow0()}
    with pytest.raises(RuntimeError, match="row 0 is not here") as caught:
        evaluate(models, X, y, qid=qid, scoring="ndcg", n_jobs=n_jobs, random_state=0)
    notes = "\n".join(caught.value.__notes__)
    assert "of 'moody'. Set error_score=np.nan" in notes


def test_a_failure_that_is_let_go_names_the_estimator(data):
    X, y, qid = data
    use = {"qid": qid, "scoring": "ndcg", "random_state": 0, "error_score": np.nan}
    with pytest.warns(FitFailedWarning, match="1 of 5 splits failed") as caught:
        results = evaluate({"fine": Ridge(), "moody": NeedsRow0()}, X, y, **use)
    assert "estimator 'moody'" in str(caught[0].message)
    assert results["fine"].failures == {} and len(results["moody"].failures) == 1
    assert "\nmoody: Training failed in 1 of 5 splits" in repr(results)
    message = "all 5 splits failed(.|\n)*row 0 is not here"
    with pytest.raises(ValueError, match=message) as caught:
        evaluate({"fine": Ridge(), "never": NeedsRow0()}, X + 1e3, y, **use)
    assert "estimator 'never'" in str(caught.value)


def test_an_argument_that_does_not_go_with_one_names_it(data):
    X, y, qid = data
    models = {"classes": LogisticRegression(), "values": Ridge()}
    with pytest.raises(ValueError, match="needs their ids") as caught:
        evaluate(models, X, y, scoring="map")  # classes of each row, but not values
    assert caught.value.__notes__ == ["This happened with the estimator 'values'."]


def test_results_of_several_estimators_are_not_one_system():
    X, y, qid = make_ranking(10, random_state=0)
    models = {"a": Ridge(), "b": Ridge(9.0)}
    results = evaluate(models, X, y, qid=qid, scoring="map")
    message = (
        r"got EvaluationResults for 'one'. Pass one of those it holds: \['a', 'b'\]"
    )
    with pytest.raises(TypeError, match=message):
        compare({"one": results, "other": results})
