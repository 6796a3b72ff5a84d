"""Splits that lack a class: refused, avoided, let go, or never scored alone."""

import warnings
from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer, recall_score
from sklearn.naive_bayes import GaussianNB

from sklearn_irmetrics import get_scorer
from sklearn_irmetrics.model_selection import (
    BootstrapSplit,
    HoldoutSplit,
    StratifiedQueryKFold,
    evaluate,
)


@pytest.fixture(scope="module")
def rare():
    """Three rows in sixty are positive."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [57, 3])
    return rng.normal(size=(60, 2)) + y[:, np.newaxis], y


def test_rare_classes_are_refused_before_anything_is_fitted(rare):
    with pytest.raises(ValueError, match=r"stratify=True.* error_score=np.nan"):
        evaluate(LogisticRegression(), *rare, scoring="roc_auc", method="bootstrap")


@pytest.mark.parametrize(
    ("scoring", "verb"),
    [
        ("roc_auc", "roc_auc is"),
        ("neg_log_loss", "neg_log_loss is"),
        ("ap", "ap is"),
        (["roc_auc", "map"], "roc_auc, map are"),
    ],
)
def test_measures_that_are_not_defined_are_named(rare, scoring, verb):
    with pytest.raises(ValueError, match=f"on which {verb} not defined"):
        evaluate(LogisticRegression(), *rare, scoring=scoring, qid=None, random_state=0)


@pytest.mark.parametrize("error_score", [np.nan, 0.0])
def test_error_score_lets_them_go(rare, error_score):
    options = {"method": "bootstrap", "n_splits": 40, "random_state": 0}
    options |= {"scoring": ["roc_auc", "accuracy"], "error_score": error_score}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = evaluate(LogisticRegression(), *rare, **options)
    X, y = rare
    scores = result.split_scores["roc_auc"]
    for i, (train, test) in enumerate(result.cv.split(X, y)):
        if len(set(y[train])) < 2:
            assert i in result.failures
            assert_array_equal(scores[i], error_score)
        elif len(set(y[test])) < 2:
            assert_array_equal(scores[i], error_score)
        else:
            assert 0 <= scores[i] <= 1
    assert 0 < len(result.failures) < 40
    assert result.estimate["roc_auc"] == pytest.approx(np.nanmean(scores))


def test_stratified_bootstraps_have_both_classes_on_both_sides(rare):
    options = {"scoring": "roc_auc", "method": BootstrapSplit(60, stratify=True)}
    result = evaluate(LogisticRegression(), *rare, **options, random_state=0)
    assert not np.isnan(result.split_scores["roc_auc"]).any()
    X, y = rare
    for train, test in result.cv.split(X, y):
        assert Counter(y[train].tolist()) == {0: 57, 1: 3}
        assert set(y[test]) == {0, 1}


def test_what_has_one_member_cannot_be_on_both_sides():
    y = np.array([0] * 10 + [1])
    for train, test in BootstrapSplit(50, stratify=True, random_state=0).split(y, y):
        assert 10 in train and 10 not in test and len(test)


@pytest.mark.parametrize(
    "method",
    [
        BootstrapSplit(stratify=True),
        HoldoutSplit(stratify=True),
        HoldoutSplit(10, stratify=True),
        StratifiedQueryKFold(3, shuffle=True),
    ],
)
def test_groups_with_a_rare_class_are_on_both_sides(method):
    groups = np.repeat(np.arange(20), 4)
    y = np.zeros(80, dtype=int)
    y[[1, 30, 62]] = 1
    X = np.random.default_rng(0).normal(size=(80, 2)) + y[:, None]
    options = {"scoring": "roc_auc", "method": method, "random_state": 0}
    result = evaluate(LogisticRegression(), X, y, groups=groups, **options)
    for train, test in result.cv.split(X, y, groups):
        assert set(y[train]) == set(y[test]) == {0, 1}


class OneColumn(ClassifierMixin, BaseEstimator):
    """Decides between two classes by an array of any shape, as of one ranking."""

    def __init__(self, shape):
        self.shape = shape

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        of_two = len(self.classes_) == 2
        return np.zeros((len(X), *(self.shape if of_two else [len(self.classes_)])))

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize("shape", [(), (1,)])
@pytest.mark.parametrize("aggregate", ["auto", "pooled"])
def test_decisions_without_a_column_per_class_cannot_be_pooled(shape, aggregate):
    y = np.repeat([0, 2, 0, 1, 2], 6)
    halves = np.arange(12), np.arange(12, 30)
    scorer = make_scorer(lambda y, scores: 0.5, response_method="decision_function")
    message = (
        "predictions of split 1 cannot be pooled.*only the classes .0, 2. of .0, 1"
    )
    with pytest.raises(ValueError, match=message):
        evaluate(
            OneColumn(shape),
            np.zeros((30, 1)),
            y,
            scoring={"s": scorer},
            method=[halves[::-1], halves],
            aggregate=aggregate,
        )


def test_the_remedy_for_predictions_that_cannot_be_pooled_works():
    y = np.repeat([0, 2, 0, 1, 2], [6, 6, 6, 2, 6])
    data = OneColumn(()), np.random.default_rng(0).normal(size=(26, 1)), y
    with pytest.raises(ValueError, match="Use method='stratified' with no more splits"):
        evaluate(
            *data,
            scoring="ndcg",
            method=[
                (np.arange(12), np.arange(12, 26)),
                (np.arange(12, 26), np.arange(12)),
            ],
        )
    result = evaluate(*data, scoring="ndcg", method="stratified", n_splits=2)
    assert result.estimate["ndcg"] > 0


class Judged(GaussianNB):
    """Learns from judged rows."""

    def fit(self, X, y):
        return super().fit(X[y == y], y[y == y])


@pytest.mark.parametrize("name", ["set_recall", "set_f1", "map", "bpref"])
def test_unjudged_rows_are_no_third_class(name):
    X = np.random.default_rng(0).normal(size=(120, 2))
    y = np.tile([0.0, 1.0, 1.0, np.nan], 30)
    result = evaluate(Judged(), X, y, scoring=name, qid=None, method="kfold")
    fitted = [Judged().fit(X[t], y[t]) for t, _ in result.cv.split(X, y)]
    scorer = get_scorer(name, qid=None)
    expected = [
        scorer(model, X[test], y[test])
        for model, (_, test) in zip(fitted, result.cv.split(X, y), strict=True)
    ]
    assert result.split_scores[name] == pytest.approx(expected)


@pytest.mark.parametrize("names", [[0, 1, 2], [-1, 3, 7], ["ant", "bee", "cat"]])
@pytest.mark.parametrize("aggregate", ["auto", "per_split"])
def test_every_split_scores_the_classes_of_all_rows(names, aggregate):
    """The first split trains on two of three classes, and tests those, or the third."""
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], 20)
    X, y = rng.normal(size=(60, 2)) + codes[:, np.newaxis], np.array(names)[codes]
    rows = np.arange(60)
    splits = [(rows[:30:2], rows[1:30:2]), (rows[20:], rows[:20])]
    splits.append((rows[1::2], rows[::4]))
    scoring = ["set_recall", "set_recall(average='micro')", "accuracy", "success@1"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = evaluate(
            GaussianNB(),
            X,
            y,
            scoring=scoring,
            method=splits,
            qid=None,
            aggregate=aggregate,
        )
    for i, (train, test) in enumerate(splits):
        y_pred = GaussianNB().fit(X[train], y[train]).predict(X[test])
        accuracy = np.mean(y_pred == y[test])
        labels = np.unique(np.concatenate([y[train], y[test]]))
        macro = recall_score(
            y[test], y_pred, labels=labels, average="macro", zero_division=np.nan
        )
        expected = [macro, accuracy, accuracy, accuracy]
        for name, value in zip(scoring, expected, strict=True):
            found = result.split_scores[name][i]
            assert found == pytest.approx(value, rel=1e-12), name
