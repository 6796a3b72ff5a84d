"""Rows that are tested on and trained on as well are warned of."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB

from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import evaluate


def rows(n=60, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, 3)) + y[:, np.newaxis], y


def run(X, y, **options):
    return evaluate(GaussianNB(), X, y, scoring="accuracy", random_state=0, **options)


@pytest.mark.parametrize("form", [np.array, sparse.csr_array], ids=["array", "sparse"])
def test_copies_of_rows_are_warned_of(form):
    X, y = rows()
    again = np.r_[np.arange(60), np.arange(0, 60, 2)]  # one class, oversampled
    model = Ridge()
    options = {"scoring": "neg_mean_squared_error", "random_state": 0}
    with pytest.warns(UserWarning, match="of 90 rows that are tested"):
        evaluate(model, form(X[again]), y[again], **options)
    evaluate(model, form(X[again]), y[again], groups=again, **options)
    evaluate(model, form(X), y, **options)


def test_copies_of_queries_are_warned_of_and_equal_documents_are_not():
    X, y, qid = make_ranking(n_queries=12, n_docs=8, random_state=0)
    X[y == y.min()] = 0.0  # documents that nothing is known of
    options = {"scoring": "mrr", "random_state": 0}
    evaluate(Ridge(), X, y, qid=qid, **options)
    X, y, qid = np.tile(X, (2, 1)), np.tile(y, 2), np.r_[qid, qid + 100]
    with pytest.warns(UserWarning, match="of 24 queries that are tested"):
        evaluate(Ridge(), X, y, qid=qid, **options)


def test_rows_of_few_kinds_are_no_copies():
    X, y = rows(200)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run((X > 0).astype(float), y)
        run(X, y, method="bootstrap", n_splits=10)
        X[:, 0] = np.nan
        evaluate(GivenZero(), X, y, scoring="accuracy")


class GivenZero(GaussianNB):
    """Knows nothing, and takes NaN."""

    def fit(self, X, y):
        return super().fit(np.nan_to_num(X), y)

    def predict(self, X):
        return super().predict(np.nan_to_num(X))
