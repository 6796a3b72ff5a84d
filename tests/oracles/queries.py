"""Queries to evaluate models on, and models that learn nothing, or not always."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.dummy import DummyRegressor


class FirstColumn(RegressorMixin, BaseEstimator):
    """Ranks by the first feature, without learning anything."""

    def fit(self, X, y=None):
        self.fitted_ = True
        return self

    def predict(self, X):
        return X[:, 0]


class NeedsRow0(DummyRegressor):
    """Learns the mean of `y`, where row 0 is there to learn: its number is in X."""

    def fit(self, X, y, sample_weight=None):
        if 0 not in X[:, 0]:
            raise RuntimeError("row 0 is not here")
        return super().fit(X, y, sample_weight)


def graded_queries(n_queries, n_docs, *, ids=None, seed=0):
    """Return features, grades and ids, with something to find in every query."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries) if ids is None else ids, n_docs)
    X = rng.normal(size=(len(qid), 3))
    y = rng.poisson(np.exp(X[:, 0] - 1)).clip(max=3)
    y[::n_docs] = np.maximum(y[::n_docs], 1)
    return X, y, qid


def ragged_rankings():
    """Return grades, scores and ids of ragged queries.

    They have ties, and documents that nobody judged or that were not retrieved.
    """
    rng = np.random.default_rng(3)
    lengths = rng.integers(1, 40, 60)
    qid = np.repeat(np.arange(60), lengths)
    y_true = rng.integers(0, 5, len(qid)).astype(float)
    y_true[rng.random(len(qid)) < 0.1] = np.nan
    y_score = rng.integers(0, 12, len(qid)).astype(float)
    y_score[rng.random(len(qid)) < 0.1] = -np.inf
    rows = rng.permutation(len(qid))
    return y_true[rows], y_score[rows], qid[rows]
