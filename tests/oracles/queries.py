"""Queries to evaluate models on."""

import numpy as np


def graded_queries(n_queries, n_docs, *, ids=None, seed=0):
    """Return features, grades and ids, with something to find in every query."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries) if ids is None else ids, n_docs)
    X = rng.normal(size=(len(qid), 3))
    y = rng.poisson(np.exp(X[:, 0] - 1)).clip(max=3)
    y[::n_docs] = np.maximum(y[::n_docs], 1)
    return X, y, qid
