"""Scorers of classes in words or numbers, and beside scorers of another class."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.metrics import average_precision_score as sklearn_average_precision
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB

import sklearn_irmetrics as irm
from sklearn_irmetrics import plot
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import QueryKFold, evaluate

X, GRADES, QID = make_ranking(30, (6, 12), n_features=4, n_grades=3, random_state=5)
RELEVANT = GRADES > 0
WORDS = np.where(RELEVANT, "good", "poor")
THREE = np.array(["poor", "fair", "good"])[GRADES.astype(int)]
FOLDS = list(QueryKFold(3).split(X, GRADES, QID))
BINARY = ["map", "mrr", "rprec", "bpref", "roc_auc", "pr_auc", "11pt", "max_f1"]
CURVES = ["Roc", "PrecisionRecall", "InterpolatedPrecisionRecall"]
BINARY += ["p@3", "recall@3", "f1@3", "success@1", "iprec(recall_level=0.1)", "infap"]


def options(of_queries):
    known = dict(zip(X[:, 0].tolist(), QID.tolist(), strict=True))
    by_row = lambda X: np.array([known[one] for one in X[:, 0].tolist()])  # noqa: E731
    return {"qid": by_row if of_queries else None, "replace_undefined_by": 0.0}


@pytest.mark.parametrize("of_queries", [True, False])
@pytest.mark.parametrize("model", [LogisticRegression(), GaussianNB()])
@pytest.mark.parametrize("name", BINARY)
def test_the_named_class_is_the_relevant_one(name, model, of_queries):
    for label in ("good", "poor"):
        scorer = irm.get_scorer(name, pos_label=label, **options(of_queries))
        plain = irm.get_scorer(name, **options(of_queries))
        fitted = model.fit(X, WORDS)
        expected = plain(model.__class__().fit(X, label == WORDS), X, label == WORDS)
        model.fit(X, WORDS)
        assert scorer(fitted, X, WORDS) == pytest.approx(expected, abs=1e-12)


def test_each_response_is_that_of_the_named_class():
    fitted = GaussianNB().fit(X, WORDS)
    for label, column in (("good", 0), ("poor", 1)):
        relevant = label == WORDS
        for method, scores in (
            ("predict_proba", fitted.predict_proba(X)[:, column]),
            ("predict", fitted.predict(X) == label),
        ):
            scorer = irm.make_ranking_scorer(
                irm.average_precision_score,
                pos_label=label,
                response_method=method,
                qid=None,
            )
            expected = irm.average_precision_score(relevant, scores)
            assert scorer(fitted, X, WORDS) == expected
    fitted = LogisticRegression().fit(X, WORDS)
    scorer = irm.get_scorer("map", qid=None, pos_label="good")
    expected = irm.average_precision_score(RELEVANT, -fitted.decision_function(X))
    assert scorer(fitted, X, WORDS) == expected


@pytest.mark.parametrize("of_queries", [True, False])
def test_one_of_many_classes_can_be_relevant(of_queries):
    fitted = GaussianNB().fit(X, THREE)
    scorer = irm.get_scorer("map", pos_label="good", **options(of_queries))
    expected = irm.average_precision_score(
        THREE == "good",
        fitted.predict_proba(X)[:, 1],
        qid=QID if of_queries else None,
        replace_undefined_by=0.0,
    )
    assert scorer(fitted, X, THREE) == expected
    result = evaluate(
        GaussianNB(), X, THREE, scoring={"map": scorer}, method="stratified"
    )
    assert 0 < result.estimate["map"] < 1


@pytest.mark.parametrize("name", [*BINARY, "set_f1", "set_p", "ndcg", "err@5"])
def test_two_words_without_a_name_are_refused(name):
    message = "classes 'good' and 'poor'.*pos_label='poor'.*graded relevance .*numbers"
    fitted = LogisticRegression().fit(X, WORDS)
    with pytest.raises(ValueError, match=message):
        irm.get_scorer(name, qid=None)(fitted, X, WORDS)
    with pytest.raises(ValueError, match=message):
        evaluate(fitted, X, WORDS, scoring={"s": irm.get_scorer(name, qid=None)})


@pytest.mark.filterwarnings("ignore:.* undefined in")
@pytest.mark.parametrize("kind", CURVES)
def test_curves_take_words_for_what_they_name(kind):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    display = getattr(plot, f"{kind}Display")
    fitted = LogisticRegression().fit(X, WORDS)
    with pytest.raises(ValueError, match="pos_label="):
        display.from_estimator(fitted, X, WORDS)
    for label, sign in (("good", -1), ("poor", 1)):
        scores = sign * fitted.decision_function(X)
        for qid in (None, QID):
            drawn = display.from_estimator(fitted, X, WORDS, qid=qid, pos_label=label)
            expected = display.from_predictions(label == WORDS, scores, qid=qid)
            found, other = (one.line_.get_xydata() for one in (drawn, expected))
            np.testing.assert_allclose(found, other)
        pyplot.close("all")


def test_words_that_need_no_name():
    """Agreement and accuracy of both classes, and samples that rank the classes."""
    for name in ("accuracy", "scott_pi", "cohen_kappa"):
        scorer = irm.get_scorer(name)
        in_words = scorer(LogisticRegression().fit(X, WORDS), X, WORDS)
        in_numbers = scorer(LogisticRegression().fit(X, RELEVANT), X, RELEVANT)
        assert in_words == pytest.approx(in_numbers, abs=1e-12)
    fitted = LogisticRegression().fit(X, THREE)
    assert 0.5 < irm.get_scorer("mrr", qid=None)(fitted, X, THREE) < 1


@pytest.mark.parametrize("labels", [(0, 1), (-1, 1), (1, 2), (False, True)])
@pytest.mark.parametrize("model", [LogisticRegression(), GaussianNB(), Perceptron()])
def test_numbers_are_grades_and_can_be_named(labels, model):
    y = np.array(labels)[RELEVANT * 1]
    fitted = model.fit(X, y)
    if hasattr(fitted, "decision_function"):
        decision = fitted.decision_function(X)
    else:
        decision = fitted.predict_proba(X) @ [-1, 1]
    for label, sign in zip((None, *labels), (1, -1, 1), strict=True):
        scorer = irm.get_scorer("map", qid=None, pos_label=label)
        relevant = y == (labels[1] if label is None else label)
        expected = irm.average_precision_score(relevant, sign * decision)
        assert scorer(fitted, X, y) == expected


@pytest.mark.parametrize("classes", [(0, 1), (0, 2), (1, 2), (-1, 1), (2, 5)])
@pytest.mark.parametrize("name", ["set_cost", "scott_pi"])
def test_scorers_of_labels_do_not_mind_which_numbers_are_the_classes(name, classes):
    y = np.asarray(classes)[RELEVANT * 1]
    model = LogisticRegression().fit(X, y)
    options = {"cost_matrix": [[0, 1], [10, 0]]} if name == "set_cost" else {}
    sign = -1 if name == "set_cost" else 1
    expected = sign * irm.Measure(name, **options)(y, model.predict(X))
    scorer = irm.get_scorer(name, **options)
    assert scorer(model, X, y) == expected
    found = evaluate(model, X, y, scoring={"it": scorer}, random_state=0)
    same = evaluate(
        LogisticRegression(), X, RELEVANT * 1, scoring={"it": scorer}, random_state=0
    )
    assert found.estimate["it"] == pytest.approx(same.estimate["it"])


def test_a_class_that_the_estimator_lacks_is_refused():
    scorer = irm.get_scorer("map", qid=None, pos_label="best")
    with pytest.raises(ValueError, match="pos_label must be a class.*'best'.*'fair'"):
        scorer(GaussianNB().fit(X, THREE), X, THREE)


@pytest.mark.parametrize("name", ["map", "roc_auc", "p@10", "gmap"])
@pytest.mark.parametrize("method", ["kfold", "stratified", "bootstrap632+"])
@pytest.mark.parametrize("label", ["good", "poor"])
def test_evaluate_takes_words_for_what_they_name(name, method, label):
    results = []
    for y, named in ((WORDS, {"pos_label": label}), (label == WORDS, {})):
        ids = {"qid": QID} if method == "kfold" else {}
        scorer = irm.get_scorer(name, **named, **({} if ids else {"qid": None}))
        size = {"n_splits": 4} if method == "bootstrap632+" else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            result = evaluate(
                LogisticRegression(),
                X,
                y,
                scoring={"s": scorer},
                method=method,
                random_state=0,
                **ids,
                **size,
            )
        results += [[result.estimate["s"], *result.confidence_interval["s"]]]
    np.testing.assert_allclose(*results, atol=1e-12)


# Beside other scorers -----------------------------------------------------------------


@pytest.mark.parametrize("first", ["theirs", "ours"])
def test_scores_of_another_class_stay_with_their_scorer(first):
    y = RELEVANT * 1
    methods = ("decision_function", "predict_proba")
    scoring = {
        "theirs": make_scorer(
            sklearn_average_precision, response_method=methods, pos_label=0
        ),
        "ours": irm.get_scorer("map", qid=None),
        "zero": irm.get_scorer("map", qid=None, pos_label=0),
    }
    alone = {
        name: cross_validate(LogisticRegression(), X, y, scoring=scorer, cv=FOLDS)
        for name, scorer in scoring.items()
    }
    order = sorted(scoring, reverse=first == "theirs")
    found = cross_validate(
        LogisticRegression(), X, y, scoring={k: scoring[k] for k in order}, cv=FOLDS
    )
    for name in ("ours", "zero"):
        np.testing.assert_array_equal(
            found[f"test_{name}"], alone[name]["test_score"], err_msg=name
        )


def test_predictions_and_scores_are_two_steps():
    scorer = irm.get_scorer("map", qid=None, pos_label="good")
    fitted = LogisticRegression().fit(X, WORDS)
    found = scorer.predictions(fitted, X, WORDS)
    assert scorer.score_predictions(found) == scorer(fitted, X, WORDS)
    assert scorer.measure == irm.Measure("map", pos_label="good")
    assert scorer.measure(found.y_true, found.y_score) == scorer(fitted, X, WORDS)


@pytest.mark.parametrize("name", ["roc_auc", "auc", "ap", "pr_auc"])
def test_a_ranking_of_classes_is_not_taken_for_one_against_the_rest(name):
    # scikit-learn's mean over classes is another number by the same name.
    scorer, model = irm.get_scorer(name, qid=None), LogisticRegression().fit(X, THREE)
    with pytest.warns(UserWarning, match="the 3 classes of each row.*not one-vs-rest"):
        scorer(model, X, THREE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scorer(model, X, THREE)  # once per scorer
        irm.get_scorer(name, qid=None, pos_label="good")(model, X, THREE)
        two = LogisticRegression().fit(X, RELEVANT)
        irm.get_scorer(name, qid=None)(two, X, RELEVANT)


def test_measures_that_rank_classes_by_their_definition_do_not_warn():
    model = LogisticRegression().fit(X, THREE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("mrr", "success@1", "map@2"):
            irm.get_scorer(name, qid=None)(model, X, THREE)


@pytest.mark.parametrize("curve", CURVES[:2])
def test_a_curve_of_ranked_classes_warns_as_its_area_does(curve):
    pytest.importorskip("matplotlib")
    display, model = getattr(plot, f"{curve}Display"), LogisticRegression()
    with pytest.warns(UserWarning, match="not one-vs-rest.* pass pos_label"):
        display.from_estimator(model.fit(X, THREE), X, THREE)
