"""Classes are read in ascending order, whatever order an estimator lists them in."""

import numpy as np
import pytest
import sklearn.metrics as skm
from numpy.testing import assert_allclose
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import (
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sklearn_irmetrics as irm
from oracles.classifiers import Reordered
from sklearn_irmetrics import plot
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.model_selection import evaluate

# By hand: the probability of 1 is the only feature, and 0 stands last in `classes_`.
X = np.array([[0.9], [0.2], [0.6], [0.4]])
Y, QID = np.array([1, 0, 0, 1]), np.array([1, 1, 2, 2])
BY_HAND = {"map": 0.75, "p@1": 0.5, "ndcg@1": 0.5, "mrr": 0.75}
BY_HAND |= {"set_f1": 0.5, "set_accuracy": 0.5, "success@1": 0.5, "success@2": 1.0}

DOCUMENTS, GRADES, QUERIES = make_ranking(
    16, (6, 10), n_features=4, n_grades=3, random_state=2
)
GRADES = GRADES.astype(int)


class ByFeature(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.array([1, 0])
        return self

    def predict_proba(self, X):
        positive = np.asarray(X)[:, 0]
        return np.column_stack([positive, 1 - positive])

    def predict(self, X):
        return (np.asarray(X)[:, 0] > 0.5) * 1


class ByDecision(ByFeature):
    predict_proba = property()  # there is none

    def decision_function(self, X):
        return 0.5 - np.asarray(X)[:, 0]  # that of the last class, 0


@pytest.mark.parametrize("model", [ByFeature(), ByDecision()])
@pytest.mark.parametrize("name", BY_HAND)
def test_values_by_hand(name, model):
    model.fit(X, Y)
    if name in ("set_f1", "set_accuracy"):
        assert irm.get_scorer(name)(model, X, Y) == BY_HAND[name]
        folds = [([0, 1], [2, 3]), ([2, 3], [0, 1])]
        found = evaluate(model, X, Y, scoring=name, method=folds, aggregate="pooled")
        assert found.estimate[name] == BY_HAND[name]
        return
    by_column = irm.get_scorer(name, qid=lambda X: QID)
    assert by_column(model, X, Y) == BY_HAND[name]
    with config_context(enable_metadata_routing=True):
        assert irm.get_scorer(name)(model, X, Y, qid=QID) == BY_HAND[name]
    result = evaluate(model, X, Y, qid=QID, scoring=name, method="loocv")
    assert result.estimate[name] == BY_HAND[name]


@pytest.mark.parametrize("model", [ByFeature(), ByDecision()])
def test_scores_of_a_named_class(model):
    model.fit(X, Y)
    of_zero = irm.get_scorer("ap", qid=None, pos_label=0)
    assert of_zero(model, X, Y) == irm.average_precision_score(Y == 0, -X[:, 0])
    of_one = irm.get_scorer("ap", qid=None, pos_label=1)
    assert of_one(model, X, Y) == irm.average_precision_score(Y, X[:, 0])


NAMES = {
    "numbers": np.array([0, 1, 2]),
    "strings": np.array(["bad", "fair", "good"]),
    "floats": np.array([1.0, 2.0, 4.0]),
}
ORDERS = [[2, 0, 1], [1, 2, 0], [2, 1, 0], "appearance"]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
def test_each_row_ranks_its_classes(method, names, order):
    y = NAMES[names][GRADES]
    model = Reordered(order=order, methods=(method,)).fit(DOCUMENTS, y)
    scores = getattr(model.fitted_, method)(DOCUMENTS)
    of_class = y[:, np.newaxis] == model.fitted_.classes_
    for name in ("success@1", "success@2", "mrr"):
        expected = irm.Measure(name)(of_class, scores)
        assert irm.get_scorer(name, qid=None)(model, DOCUMENTS, y) == expected
    options = {"scoring": ["mrr", "success@1"], "method": "kfold", "random_state": 0}
    result = evaluate(model, DOCUMENTS, y, **options)
    twin = evaluate(model.set_params(order=[0, 1, 2]), DOCUMENTS, y, **options)
    assert result.estimate == twin.estimate


def test_a_class_that_training_lacked():
    seen = GRADES < 2
    y = np.array([7, 2, 3])[GRADES]  # of which 3 is unseen
    model = Reordered(order="descending").fit(DOCUMENTS[seen], y[seen])
    scores = np.full((len(y), 3), -np.inf)
    scores[:, [0, 2]] = model.fitted_.predict_proba(DOCUMENTS)
    expected = irm.reciprocal_rank_score(y[:, np.newaxis] == [2, 3, 7], scores)
    scorer = irm.get_scorer("mrr", qid=None, response_method="predict_proba")
    assert scorer(model, DOCUMENTS, y) == expected
    several = irm.get_scorer("set_f1", replace_undefined_by=0.0)
    expected = skm.f1_score(y, model.predict(DOCUMENTS), average="macro")
    assert several(model, DOCUMENTS, y) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("order", ORDERS)
def test_expected_grades(order):
    model = Reordered(order=order).fit(DOCUMENTS, GRADES)
    expected = model.fitted_.predict_proba(DOCUMENTS) @ model.fitted_.classes_
    scorer = irm.get_scorer(
        "ndcg@5", qid=lambda X: QUERIES, response_method="predict_proba"
    )
    ndcg = irm.ndcg_score(GRADES, expected, k=5, qid=QUERIES)
    assert scorer(model, DOCUMENTS, GRADES) == pytest.approx(ndcg, abs=1e-12)
    ranker = QueryRanker(Reordered(order=order)).fit(DOCUMENTS, GRADES, qid=QUERIES)
    assert_allclose(ranker.predict(DOCUMENTS), expected, rtol=1e-12)


class AsGiven(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.array([3, 1, 0, 2])
        return self

    def predict_proba(self, X):
        return np.asfortranarray(X)


def test_documents_of_equal_probabilities_stay_tied():
    """A product of matrices may round the last rows differently."""
    rng = np.random.default_rng(0)
    ranker = QueryRanker(AsGiven()).fit(np.eye(4), [0, 1, 2, 3], qid=[0] * 4)
    scorer = irm.get_scorer(
        "ndcg@2", qid=lambda X: np.zeros(len(X)), response_method="predict_proba"
    )
    for n_rows in range(2, 40):
        rows = np.tile(rng.random(4), (n_rows, 1))
        assert len(set(ranker.predict(rows).tolist())) == 1
        y = np.arange(n_rows) % 3
        expected = irm.ndcg_score(y, np.zeros(n_rows), k=2)
        assert scorer(ranker.estimator_, rows, y) == expected


def test_a_query_ranker_of_decisions():
    two = GRADES > 0
    ranker = QueryRanker(Reordered(methods=("decision_function",)))
    ranker.fit(DOCUMENTS, two * 1, qid=QUERIES)
    expected = ranker.estimator_.fitted_.decision_function(DOCUMENTS)
    assert_allclose(ranker.predict(DOCUMENTS), expected)


THEIRS = ["roc_auc", "average_precision", "neg_log_loss", "neg_brier_score", "f1"]
THEIRS += ["accuracy", "balanced_accuracy", "d2_log_loss_score"]


@pytest.mark.parametrize("name", THEIRS)
@pytest.mark.parametrize("aggregate", ["per_split", "pooled"])
def test_evaluate_hands_classes_in_order_to_scorers_of_scikit_learn(name, aggregate):
    y = (GRADES > 0) * 1
    try:
        skm.get_scorer(name)
    except ValueError:
        pytest.skip("this version of scikit-learn lacks it")
    options = {"scoring": name, "method": "kfold", "aggregate": aggregate}
    options["random_state"] = 0
    expected = evaluate(LogisticRegression(), DOCUMENTS, y, **options)
    for methods in (("predict_proba", "decision_function"), ("predict_proba",)):
        found = evaluate(Reordered(methods=methods), DOCUMENTS, y, **options)
        assert found.estimate[name] == pytest.approx(expected.estimate[name])
        if "decision_function" in methods:
            interval = expected.confidence_interval[name]
            assert found.confidence_interval[name] == pytest.approx(
                interval, nan_ok=True
            )


@pytest.mark.parametrize("name", ["roc_auc_ovr", "neg_log_loss", "top_k_accuracy"])
def test_evaluate_does_so_with_several_classes(name):
    options = {"scoring": name, "method": "kfold", "random_state": 0}
    found = evaluate(Reordered(order=[2, 0, 1]), DOCUMENTS, GRADES, **options)
    expected = evaluate(LogisticRegression(), DOCUMENTS, GRADES, **options)
    assert found.estimate[name] == pytest.approx(expected.estimate[name])
    assert_allclose(
        found.predictions.responses.get("predict_proba", 0),
        expected.predictions.responses.get("predict_proba", 0),
    )


def test_a_model_that_is_not_trained():
    y = (GRADES > 0) * 1
    model = Reordered().fit(DOCUMENTS, y)

    class Given:  # without fit
        classes_ = [1, 0]
        predict = staticmethod(model.predict)
        predict_proba = staticmethod(model.predict_proba)

    found = evaluate(
        Given(), DOCUMENTS, y, scoring=["roc_auc", "set_f1"], method="loocv"
    )
    expected = skm.roc_auc_score(y, model.fitted_.decision_function(DOCUMENTS))
    assert found.estimate["roc_auc"] == pytest.approx(expected)


def test_through_pipelines_searches_and_thresholds():
    y = (GRADES > 0) * 1
    scorer, plain = irm.get_scorer("map", qid=None), LogisticRegression()
    folds = {"cv": 3, "scoring": scorer, "error_score": "raise"}
    piped = make_pipeline(StandardScaler(), Reordered())
    found = cross_validate(piped, DOCUMENTS, y, **folds)["test_score"]
    other = make_pipeline(StandardScaler(), plain)
    expected = cross_validate(other, DOCUMENTS, y, **folds)["test_score"]
    assert_allclose(found, expected)
    scores = [
        GridSearchCV(model, {grid: [0.01, 1.0]}, **folds).fit(DOCUMENTS, y).best_score_
        for model, grid in (
            (Reordered(LogisticRegression()), "classifier__C"),
            (plain, "C"),
        )
    ]
    assert scores[0] == pytest.approx(scores[1])
    tuned = [
        TunedThresholdClassifierCV(model, cv=3, scoring=irm.get_scorer("set_f1"))
        for model in (Reordered(), plain)
    ]
    best = [one.fit(DOCUMENTS, y).best_score_ for one in tuned]
    assert best[0] == pytest.approx(best[1], abs=0.02)  # other thresholds are tried


def test_displays():
    pytest.importorskip("matplotlib")
    y = (GRADES > 0) * 1
    models = [one.fit(DOCUMENTS, y) for one in (Reordered(), LogisticRegression())]
    curves = [plot.RocDisplay.from_estimator(model, DOCUMENTS, y) for model in models]
    assert_allclose(curves[0].tpr, curves[1].tpr)
    several = [
        one.fit(DOCUMENTS, GRADES) for one in (Reordered(), LogisticRegression())
    ]
    bars = plot.QueryDifferenceDisplay.from_estimator(
        several[0], DOCUMENTS, GRADES, baseline=several[1], metric="mrr"
    )
    assert_allclose(bars.differences, 0.0, atol=1e-12)


@pytest.mark.parametrize("names", [[1, 0], ["yes", "no"], [2.0, 1.0]])
def test_class_names_of_catboost(names):
    catboost = pytest.importorskip("catboost")
    y = np.array(sorted(names))[(GRADES > 0) * 1]
    options = {"iterations": 5, "verbose": 0, "allow_writing_files": False}
    model = catboost.CatBoostClassifier(class_names=names, **options)
    model.fit(DOCUMENTS, y)
    assert list(model.classes_) == names
    f1 = irm.get_scorer("set_f1", pos_label=names[0])
    expected = skm.f1_score(y, model.predict(DOCUMENTS), pos_label=names[0])
    assert f1(model, DOCUMENTS, y) == pytest.approx(expected)
    probabilities = model.predict_proba(DOCUMENTS)[:, 0]
    larger = y == max(names)
    scorer = irm.get_scorer("ap", qid=None, pos_label=max(names))
    assert scorer(model, DOCUMENTS, y) == pytest.approx(
        irm.average_precision_score(larger, probabilities)
    )
    if names != ["yes", "no"]:
        assert irm.get_scorer("ap", qid=None)(model, DOCUMENTS, y) == scorer(
            model, DOCUMENTS, y
        )
        ranker = QueryRanker(model).fit(DOCUMENTS, y, qid=QUERIES)
        expected = min(names) + probabilities * (max(names) - min(names))
        assert_allclose(ranker.predict(DOCUMENTS), expected, rtol=1e-9)


def test_labels_in_a_column():
    """CatBoost predicts several classes so."""

    class OfColumns(Reordered):
        def predict(self, X):
            return super().predict(X)[:, np.newaxis]

    model = OfColumns().fit(DOCUMENTS, GRADES)
    labels = np.ravel(model.predict(DOCUMENTS))
    f1 = irm.get_scorer("set_f1", pos_label=1)
    expected = skm.f1_score(GRADES == 1, labels == 1)
    assert f1(model, DOCUMENTS, GRADES) == pytest.approx(expected)


def test_messages_name_the_estimator_of_the_user():
    y = (GRADES > 0) * 1
    blind = Reordered(methods=()).fit(DOCUMENTS, y)
    with pytest.raises(AttributeError, match="Reordered has none of"):
        evaluate(blind, DOCUMENTS, y, scoring="neg_log_loss", method="holdout")
    three = Reordered(Perceptron(), methods=("decision_function",))
    three.fit(DOCUMENTS, GRADES)
    with pytest.raises(ValueError, match="got Reordered, which has none"):
        irm.get_scorer("ndcg", qid=lambda X: QUERIES)(three, DOCUMENTS, GRADES)


class ListedClasses(ByFeature):
    """Its classes are a list, in ascending order."""

    predict_proba = property()  # there is none

    def fit(self, X, y):
        self.classes_ = [0, 1]
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0] - 0.5


def test_ascending_classes_in_a_list_are_not_reversed():
    model = ListedClasses().fit(X, Y)
    score = irm.get_scorer("roc_auc", qid=None)(model, X, Y)
    assert score == irm.roc_auc_score(Y, X[:, 0])
    assert score != 0.5
