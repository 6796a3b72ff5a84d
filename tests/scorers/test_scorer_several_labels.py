"""Targets with several labels per row: means over labels, and over rows."""

import numpy as np
import pytest
import sklearn.metrics as skm
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import make_scorer
from sklearn.model_selection import KFold, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import sklearn_irmetrics as irm
from sklearn_irmetrics.model_selection import evaluate

MODELS = {
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    "neighbours": KNeighborsClassifier(),
    "one-vs-rest": OneVsRestClassifier(LogisticRegression()),
    "outputs": MultiOutputClassifier(LogisticRegression()),
    "chain": ClassifierChain(LogisticRegression()),
    "ridge": RidgeClassifier(),
}
FOLDS = {"cv": KFold(3), "error_score": "raise"}
THEIRS = {"set_f1": "f1", "set_recall": "recall", "set_p": "precision"}
AVERAGES = ["macro", "micro", "weighted", "samples"]


def data(n_labels):
    return make_multilabel_classification(
        90, n_classes=n_labels, n_labels=1, random_state=0
    )


@pytest.mark.parametrize(("routing", "n_labels"), [(False, 2), (True, 4)])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_means_are_those_of_scikit_learn(model, n_labels, routing):
    (X, y), model = data(n_labels), MODELS[model]
    ours, theirs = {}, {}
    for name, other in THEIRS.items():
        for average in AVERAGES:
            scoring = f"{name}(average={average!r}, replace_undefined_by=0)"
            ours[f"{other}_{average}"] = irm.get_scorer(scoring)
            theirs[f"{other}_{average}"] = f"{other}_{average}"
        ours[other] = irm.get_scorer(name, replace_undefined_by=0)
        theirs[other] = f"{other}_samples"
    with config_context(enable_metadata_routing=routing):
        found = cross_validate(model, X, y, scoring=ours, **FOLDS)
    expected = cross_validate(model, X, y, scoring=theirs, **FOLDS)
    for name in ours:
        found_scores, scores = found[f"test_{name}"], expected[f"test_{name}"]
        assert_allclose(found_scores, scores, rtol=0, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("model", ["tree", "one-vs-rest"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_evaluate_averages_over_labels(model):
    (X, y), model = data(4), MODELS[model]
    names = [f"set_f1(average={a!r}, replace_undefined_by=0)" for a in AVERAGES]
    options = {"method": KFold(3), "aggregate": "per_split", "random_state": 0}
    result = evaluate(model, X, y, scoring=names, **options)
    for name, average in zip(names, AVERAGES, strict=True):
        expected = cross_validate(model, X, y, scoring=f"f1_{average}", **FOLDS)
        assert_allclose(result.split_scores[name], expected["test_score"], atol=1e-12)
        low, high = result.confidence_interval[name]
        assert low < result.estimate[name] < high
    pooled = evaluate(model, X, y, scoring=names, method=KFold(3), aggregate="pooled")
    predicted = pooled.predictions.responses["predict"]
    for name, average in zip(names, AVERAGES, strict=True):
        expected = skm.f1_score(pooled.predictions.y_true, predicted, average=average)
        assert pooled.estimate[name] == pytest.approx(expected, abs=1e-12)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_a_result_says_what_is_averaged():
    (X, y), model = data(4), MODELS["tree"]
    options = {"method": KFold(3), "random_state": 0}
    of_rows = evaluate(model, X, y, scoring="set_f1", **options)
    assert "ach row is a set of labels" in of_rows.to_text(details=True)
    of_labels = evaluate(model, X, y, scoring="set_f1(average='macro')", **options)
    assert "ach label is a set of rows" in of_labels.to_text(details=True)
    ranked = evaluate(model, X, y, scoring="map", **options)
    assert "ach row ranks its columns" in ranked.to_text(details=True)


def test_accuracy_is_the_share_of_labels_that_are_right():
    (X, y), model = data(4), MODELS["one-vs-rest"]
    predicted = model.fit(X, y).predict(X)
    expected = 1 - skm.hamming_loss(y, predicted)
    assert irm.get_scorer("set_accuracy")(model, X, y) == pytest.approx(expected)
    options = {"method": KFold(3), "aggregate": "per_split"}
    names = ["accuracy", "set_accuracy"]
    result = evaluate(model, X, y, scoring=names, **options)
    subsets = cross_validate(model, X, y, scoring="accuracy", **FOLDS)["test_score"]
    assert result.estimate["accuracy"] == pytest.approx(subsets.mean())
    assert result.estimate["set_accuracy"] > subsets.mean()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_rows_can_have_weights():
    (X, y), model = data(3), MODELS["one-vs-rest"]
    model.fit(X, y)
    weights = np.random.default_rng(0).random(len(y)) + 0.5
    predicted = model.predict(X)
    for average in ("macro", "micro", "weighted"):
        scorer = irm.get_scorer("set_f1", average=average, replace_undefined_by=0)
        options = {"average": average, "sample_weight": weights, "zero_division": 0}
        expected = skm.f1_score(y, predicted, **options)
        with config_context(enable_metadata_routing=True):
            scorer = scorer.set_score_request(sample_weight=True)
            assert scorer(model, X, y, sample_weight=weights) == pytest.approx(expected)


def test_labels_in_a_sparse_matrix():
    (X, y), model = data(3), MODELS["one-vs-rest"]
    for average in ("macro", "micro"):
        scorer = irm.get_scorer("set_f1", average=average)
        expected = scorer(model.fit(X, y), X, y)
        assert scorer(model.fit(X, csr_array(y)), X, csr_array(y)) == expected


@pytest.mark.parametrize("n_labels", [2, 4])
@pytest.mark.parametrize("constant", [0, 1])
@pytest.mark.parametrize("model", ["tree", "neighbours"])
def test_a_label_that_was_constant_in_training(model, constant, n_labels):
    (X, y), model = data(n_labels), MODELS[model]
    y = y.copy()
    y[:60, 0] = constant  # the training data of one fold
    test = np.arange(60, 90)
    model.fit(X[:60], y[:60])
    columns = [
        p[:, 1] if p.shape[1] == 2 else np.full(len(p), float(constant))
        for p in model.predict_proba(X[test])
    ]
    ranked = y[test], np.column_stack(columns)
    options = {"replace_undefined_by": 0.0}
    expected = irm.average_precision_score(*ranked, **options)
    method = "predict_proba"
    scorer = irm.get_scorer("map", qid=None, response_method=method, **options)
    assert scorer(model, X[test], y[test]) == expected
    result = evaluate(model, X, y, scoring=scorer, method=KFold(3))
    (values,) = result.query_scores.scores.values()
    expected = irm.average_precision_score(*ranked, average=None, **options)
    assert_allclose(values[result.query_scores.split == 2], expected)


class RankedRows(ClassifierMixin, BaseEstimator):
    """Say of both labels how probable they are, as gradient boosting does."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X):
        return np.asarray(X)[:, :2]

    def predict(self, X):
        return (self.predict_proba(X) > 0.5) * 1


def test_two_labels_are_not_two_classes():
    X = np.array([[0.9, 0.2], [0.4, 0.7], [0.6, 0.8]])
    y = np.array([[1, 0], [1, 0], [0, 1]])
    model = RankedRows().fit(X, y)
    assert irm.get_scorer("mrr", qid=None)(model, X, y) == (1 + 0.5 + 1) / 3
    result = evaluate(model, X, y, scoring="mrr", method="loocv")
    assert result.estimate["mrr"] == pytest.approx((1 + 0.5 + 1) / 3)


def test_a_model_of_queries_in_rows_is_not_one_of_labels():
    y_true = np.array([[1, 0, 1], [0, 0, 1]])

    class Retrieving(BaseEstimator):
        def predict(self, X):
            return np.array([[1, 1, 0], [0, 1, 1]])

    expected = irm.set_f1_score(y_true, Retrieving().predict(None))
    for options in ({}, {"average": "macro"}):
        scorer = irm.get_scorer("set_f1", **options)
        assert scorer(Retrieving(), np.zeros((2, 1)), y_true) == expected


def test_a_score_function_averages_over_labels():
    (X, y), model = data(3), MODELS["one-vs-rest"]
    scorer = irm.get_scorer("set_f1", average="macro")
    rebuilt = make_scorer(scorer._score_func, average="macro")
    assert rebuilt(model.fit(X, y), X, y) == scorer(model, X, y)


def test_columns_of_functions():
    y_true = [[1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 0]]
    y_pred = [[1, 1, 1], [0, 1, 0], [1, 0, 0], [0, 1, 0]]
    for average in ("macro", "micro", "weighted", None):
        value = irm.set_f1_score(y_true, y_pred, labels=[0, 1, 2], average=average)
        expected = skm.f1_score(y_true, y_pred, average=average)
        assert_allclose(value, expected)
    some = irm.set_f1_score(y_true, y_pred, labels=[2, 0], average=None)
    assert_allclose(some, skm.f1_score(y_true, y_pred, labels=[2, 0], average=None))
    rows = irm.set_f1_score(y_true, y_pred, average="samples", replace_undefined_by=0)
    assert rows == pytest.approx(
        skm.f1_score(y_true, y_pred, average="samples", zero_division=0)
    )
    table = irm.contingency_table(y_true, y_pred, labels=[0, 1, 2])
    assert_allclose(table.tp, [2, 1, 1])


@pytest.mark.parametrize(
    ("y_true", "y_pred", "labels", "message"),
    [
        ([[1, 0]], [[1, 0]], [0, 2], r"labels must be columns .* from 0 to 1; got"),
        (
            [[1, 0]],
            [[1, 2]],
            [0, 1],
            "y_pred must be 1-D .* must hold booleans",
        ),
        ([[1, 0]], [[1, 0, 1]], [0], r"same shape .* got shapes \(1, 2\) and \(1, 3\)"),
        ([[1, 0]], [1, 0], [0], "y_pred must be 1-D"),
    ],
)
def test_wrong_columns(y_true, y_pred, labels, message):
    with pytest.raises(ValueError, match=message):
        irm.set_f1_score(y_true, y_pred, labels=labels)


def test_samples_need_several_labels():
    X, y = np.arange(8.0).reshape(-1, 1), np.array([0, 1, 2, 1, 0, 2, 0, 1])
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="average='samples' needs a target with a col"):
        irm.get_scorer("set_f1", average="samples")(model, X, y)
    with pytest.raises(ValueError, match="average='samples' needs 2-D"):
        irm.set_f1_score(y, y, labels=[0, 1, 2], average="samples")


def test_weighted_means_of_classes():
    y_true, y_pred = [0, 1, 2, 1, 0, 2, 0], [0, 2, 2, 1, 0, 1, 1]
    for name, (ours, theirs) in {
        "set_f1": (irm.set_f1_score, skm.f1_score),
        "set_recall": (irm.set_recall_score, skm.recall_score),
    }.items():
        value = ours(y_true, y_pred, labels=[0, 1, 2], average="weighted")
        expected = theirs(y_true, y_pred, average="weighted")
        assert value == pytest.approx(expected), name
    X = np.array(y_pred)[:, np.newaxis]
    model = DecisionTreeClassifier().fit(X, y_pred)
    scorer = irm.get_scorer("set_f1", average="weighted")
    expected = skm.f1_score(y_true, y_pred, average="weighted")
    assert scorer(model, X, y_true) == pytest.approx(expected)
    # No support anywhere, as of a class that does not occur.
    none = irm.set_f1_score([0, 0], [0, 1], average="weighted")
    assert none == 0.0


def test_scores_of_classes_beside_labels_lead_to_one_against_the_rest():
    y_true, y_score = [0, 2, 1], np.eye(3)
    with pytest.raises(ValueError, match="one-vs-rest") as raised:
        irm.average_precision_score(y_true, y_score)
    assert "evaluate(scoring='average_precision')" in str(raised.value)
    assert "y_score[:, 1]" in str(raised.value)
    with pytest.raises(ValueError, match="'roc_auc_ovr'"):
        irm.roc_auc_score(y_true, y_score)
    with pytest.raises(ValueError, match="each row ranks"):
        irm.ndcg_score(y_true, y_score)
