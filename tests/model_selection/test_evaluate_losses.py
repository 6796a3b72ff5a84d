"""Losses and costs in results: they have the sign of the measure, and sums add up."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import make_scorer, mean_absolute_error
from sklearn.model_selection import RepeatedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from sklearn_irmetrics import (
    Measure,
    get_scorer,
    make_ranking_scorer,
    score_queries,
    set_cost_matrix_loss,
)
from sklearn_irmetrics.comparison import compare, leaderboard
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import (
    EvaluationResult,
    evaluate,
    query_learning_curve,
)

METHODS = ["holdout", "subsampling", "kfold", "bootstrap", "bootstrap632+"]
COSTS = [[0, 1], [10, 0]]


@pytest.fixture(scope="module")
def queries():
    return make_ranking(n_queries=30, n_docs=8, random_state=0)


@pytest.fixture(scope="module")
def rows():
    return make_classification(203, flip_y=0.2, random_state=0)


@pytest.mark.parametrize("method", METHODS)
def test_a_loss_is_one_minus_its_score_everywhere(rows, method):
    scorers = {"loss": get_scorer("set_e"), "score": get_scorer("set_f1")}
    result = evaluate(
        DecisionTreeClassifier(max_depth=3, random_state=0),
        *rows,
        scoring=scorers,
        method=method,
        n_splits=None if method == "holdout" else 4,
        return_train_score=True,
        random_state=0,
    )
    assert result.greater_is_better == {"loss": False, "score": True}
    for of_result in (
        lambda one: one.estimate,
        lambda one: one.split_scores,
        lambda one: one.train_scores,
        lambda one: one.apparent_score,
        lambda one: one.chance_score,
    ):
        if (found := of_result(result)) is not None:
            assert_allclose(found["loss"], 1 - np.asarray(found["score"]), atol=1e-12)
    low, high = result.confidence_interval["score"]
    assert_allclose(result.confidence_interval["loss"], (1 - high, 1 - low), atol=1e-9)
    assert result.standard_error["loss"] == pytest.approx(
        result.standard_error["score"]
    )
    again = EvaluationResult.from_dict(result.to_dict())
    assert again.greater_is_better == result.greater_is_better


@pytest.mark.parametrize("interval", ["auto", "t", "bca", "betting"])
def test_a_given_model_has_the_loss_of_its_report(queries, interval):
    X, y, qid = queries
    found = evaluate(
        lambda X: X[:, 0],
        X,
        y,
        qid=qid,
        scoring="first_rank",
        method="kfold",
        interval=interval,
        random_state=3,
    )
    scores = score_queries(y, X[:, 0], ["first_rank"], qid=qid)
    report = scores.report(interval=interval, random_state=3)
    assert found.estimate["first_rank"] == pytest.approx(scores.mean["first_rank"])
    assert found.estimate["first_rank"] >= 1
    if interval in ("auto", "t"):
        assert_allclose(
            found.confidence_interval["first_rank"],
            report.confidence_interval["first_rank"],
        )
    assert min(found.query_scores.scores["first_rank"]) >= 1


def test_comparisons_mix_results_of_evaluate_and_scores(queries):
    X, y, qid = queries
    scores = score_queries(y, X[:, 0], "first_rank", qid=qid)
    fitted = evaluate(Ridge(), X, y, qid=qid, scoring="first_rank")
    found = compare({"fitted": fitted, "given": scores}, margin=0.5, bound=7)
    assert not found.greater_is_better
    assert found.mean["fitted"] == pytest.approx(fitted.estimate["first_rank"])
    ids, values, _ = fitted.query_scores.mean_of_splits("first_rank")
    place = dict(zip(ids, values, strict=True))
    values = np.array([place[key] for key in scores.query_ids])
    given = scores.scores["first_rank"]
    # The first pair is given - fitted.
    assert found.system == ("given",)
    assert found.wins[0] == np.sum(given < values)
    assert found.losses[0] == np.sum(given > values)
    board = leaderboard({"fitted": fitted, "given": scores})
    means = [found.mean[name] for name in board.system]
    assert means == sorted(means)


def test_a_comparison_refuses_results_of_two_directions(queries):
    X, y, qid = queries

    def first(y_true, y_score, *, qid=None):
        return 1.0

    scorers = [
        make_ranking_scorer(first, qid=None, greater_is_better=way)
        for way in (True, False)
    ]
    options = {"groups": qid, "random_state": 0}
    one, other = (
        evaluate(Ridge(), X, y, scoring={"m": scorer}, **options) for scorer in scorers
    )
    assert one.estimate == other.estimate == {"m": 1.0}
    message = "agree on which m is better: larger in 'one', smaller in 'other'"
    with pytest.raises(ValueError, match=message):
        compare({"one": one, "other": other}, test="corrected_ttest")


def test_tables_mark_the_least_loss(queries):
    X, y, qid = queries
    models = {"good": lambda X: X[:, 0], "bad": lambda X: -X[:, 0]}
    found = evaluate(models, X, y, qid=qid, scoring=["first_rank", "mrr"])
    best, worst = (found[name].estimate["first_rank"] for name in ("good", "bad"))
    assert 1 <= best < worst
    latex = found.to_latex()
    assert f"\\textbf{{{best:.3f}}}" in latex
    assert f"\\textbf{{{worst:.4f}}}" not in latex
    assert "first_rank (lower is better)" in str(found)
    assert "mrr (lower" not in str(found)
    frame = found.to_frame()
    assert "first_rank" in frame.reset_index().astype(str).to_numpy()


def test_a_score_of_a_failed_fit_lies_in_the_range_of_the_loss(rows):
    class Failing(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            raise ArithmeticError

    options = {"scoring": get_scorer("set_e"), "random_state": 0}
    with pytest.raises(ValueError, match=r"between 0 and 1; got -1"):
        evaluate(Failing(), *rows, error_score=-1, **options)
    with pytest.raises(ValueError, match="all 5 splits failed"):
        evaluate(Failing(), *rows, error_score=1, **options)


def test_scorers_of_scikit_learn_keep_their_sign(rows):
    X, y = rows
    made = make_scorer(mean_absolute_error, greater_is_better=False)
    name = "neg_mean_absolute_error"
    named = evaluate(Ridge(), X, y, scoring=[name], random_state=0)
    found = evaluate(Ridge(), X, y, scoring=[made], random_state=0)
    assert found.estimate == named.estimate
    assert found.estimate[name] < 0
    assert found.greater_is_better == {name: True}


def test_learning_curves_show_losses(queries):
    X, y, qid = queries
    curve = query_learning_curve(
        Ridge(), X, y, qid=qid, scoring="first_rank", train_sizes=[0.5, 1.0]
    )
    assert (curve.estimate["first_rank"] >= 1).all()
    assert "first_rank (lower is better)" in str(curve)


# Costs --------------------------------------------------------------------------------

TOTAL = Measure("set_cost", cost_matrix=COSTS)
PER_ROW = Measure("set_cost", cost_matrix=COSTS, normalize=True)
SCORING = {"total": TOTAL, "per row": PER_ROW}


class Given:
    """A classifier that is not trained."""

    classes_ = np.array([0, 1])
    _estimator_type = "classifier"

    def predict(self, X):
        return (np.asarray(X)[:, 0] > 0).astype(int)


@pytest.mark.parametrize("n_splits", [2, 5, 10])
@pytest.mark.parametrize("method", ["kfold", "stratified"])
def test_costs_of_folds_are_added(rows, n_splits, method):
    X, y = rows
    options = {"method": method, "n_splits": n_splits, "random_state": 0}
    found = evaluate(GaussianNB(), X, y, scoring=SCORING, **options)
    table = found.predictions
    cost = set_cost_matrix_loss(
        table.y_true, table.responses["predict"], cost_matrix=COSTS
    )
    assert found.estimate["total"] == cost
    assert found.split_scores["total"].sum() == cost
    per_row = (table.y_true != table.responses["predict"]) * (1 + 9 * table.y_true)
    by_hand = np.bincount(table.split, per_row) / np.bincount(table.split)
    assert found.estimate["per row"] == pytest.approx(by_hand.mean())


def test_the_cost_of_a_given_model_does_not_depend_on_the_splits(rows):
    X, y = rows
    whole = set_cost_matrix_loss(y, Given().predict(X), cost_matrix=COSTS)
    methods = [2, 5, 10, "loocv", RepeatedKFold(n_splits=5, n_repeats=3), "subsampling"]
    for method in [*methods, "bootstrap"]:
        options = {"n_splits": 60} if method in ("subsampling", "bootstrap") else {}
        found = evaluate(
            Given(), X, y, scoring=SCORING, method=method, random_state=0, **options
        )
        assert found.estimate["total"] == pytest.approx(whole)
        assert found.estimate["per row"] == pytest.approx(whole / len(y), rel=0.05)


@pytest.mark.parametrize("method", ["kfold", "holdout", "loocv", "subsampling"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_interval_of_a_total_is_that_of_the_mean_over_rows(rows, method, weighted):
    X, y = rows[0][:200], rows[1][:200]
    options = {"method": method, "random_state": 0}
    if weighted:
        options["params"] = {"sample_weight": np.arange(len(y)) % 3 + 1.0}
    found = evaluate(GaussianNB(), X, y, scoring=SCORING, aggregate="pooled", **options)
    ratio = found.estimate["total"] / found.estimate["per row"]
    assert_allclose(
        found.confidence_interval["total"],
        ratio * np.array(found.confidence_interval["per row"]),
    )
    assert found.standard_error["total"] == pytest.approx(
        ratio * found.standard_error["per row"]
    )
    assert found.interval_method["total"] == found.interval_method["per row"]
    # The same however scores are aggregated.
    if method != "loocv":
        other = evaluate(GaussianNB(), X, y, scoring={"total": TOTAL}, **options)
        assert other.estimate["total"] == pytest.approx(found.estimate["total"])
        assert_allclose(
            other.confidence_interval["total"], found.confidence_interval["total"]
        )


@pytest.mark.parametrize("method", ["bootstrap", "bootstrap632", "bootstrap632+"])
def test_the_bootstrap_of_a_total_is_that_of_the_mean_times_n(rows, method):
    X, y = rows
    found = evaluate(
        LogisticRegression(), X, y, scoring=SCORING, method=method, random_state=0
    )
    assert found.estimate["total"] == pytest.approx(len(y) * found.estimate["per row"])
    assert found.standard_error["total"] == pytest.approx(
        len(y) * found.standard_error["per row"]
    )
    assert_allclose(
        found.confidence_interval["total"],
        len(y) * np.array(found.confidence_interval["per row"]),
    )


def test_costs_over_splits(rows):
    X, y = rows[0][:200], rows[1][:200]
    models = {"bayes": GaussianNB(), "linear": LogisticRegression()}
    options = {"interval": "corrected_t", "random_state": 0}
    found = evaluate(models, X, y, scoring=SCORING, **options)
    for one in found.values():
        ends = np.array(one.confidence_interval["per row"])
        assert_allclose(one.confidence_interval["total"], 200 * ends)
    compared = compare(found, test="corrected_ttest")
    for name, pair in product(found, ["total", "per row"]):
        assert compared[pair].mean[name] == pytest.approx(found[name].estimate[pair])
    assert compared["total"].p_value == pytest.approx(compared["per row"].p_value)


def test_costs_of_queries_are_averaged(queries):
    X, y, qid = queries
    y = (y > 0).astype(int)
    found = evaluate(GaussianNB(), X, y, qid=qid, scoring=TOTAL)
    (name,) = found.estimate
    assert found.aggregate[name] == "per_query"
    assert found.estimate[name] == pytest.approx(
        np.mean(found.query_scores.scores[name])
    )
