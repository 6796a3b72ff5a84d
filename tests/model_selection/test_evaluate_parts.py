"""What evaluate does besides scores: defaults, times, sides with one class, pools."""

import time
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.naive_bayes import GaussianNB

from sklearn_irmetrics import get_scorer, make_ranking_scorer, ndcg_score
from sklearn_irmetrics.model_selection import evaluate


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 2))
    return X, X[:, 0] + rng.normal(size=12)


def test_times_of_fitting_and_scoring(rows, monkeypatch):
    clock = SimpleNamespace(now=0.0)

    class Slow(RegressorMixin, BaseEstimator):
        def fit(self, X, y):
            clock.now += 3.0
            return self

        def predict(self, X):
            clock.now += 0.5
            return np.zeros(len(X))

    monkeypatch.setattr(time, "perf_counter", lambda: clock.now)
    result = evaluate(Slow(), *rows, scoring=["r2", "neg_mean_absolute_error"])
    assert_array_equal(result.fit_time, [3.0] * 5)
    assert_array_equal(result.score_time, [0.5] * 5)  # one prediction for both


def test_test_sides_of_one_class_rank_within_queries():
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(6), 4)
    y = np.tile([0, 1, 0, 1], 6)
    y[:4] = 1  # a query with nothing but relevant documents
    options = {"qid": qid, "method": "loocv", "aggregate": "per_split"}
    X = rng.normal(size=(24, 2))
    result = evaluate(GaussianNB(), X, y, scoring="p@2", **options)
    assert result.split_scores["p@2"][0] == 1.0


def test_notes_say_what_each_measure_ranked():
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 3
    scoring = {
        "classes": get_scorer("ndcg"),
        "fold": make_ranking_scorer(ndcg_score, response_method="predict"),
    }
    found = evaluate(GaussianNB(), X, y, scoring=scoring, qid=None, method="stratified")
    assert found.note == (
        "no query ids: each row ranks the classes; each fold is ranked as a whole"
    )
