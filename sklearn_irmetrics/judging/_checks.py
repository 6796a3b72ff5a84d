"""Checks that the functions of this module share."""

import numpy as np

from sklearn_irmetrics._core.numbers import as_floats
from sklearn_irmetrics._core.queries import group_rows


def number_queries(name, shape, qid):
    """Return the number of the query of each document in rows, and the queries' ids."""
    if len(shape) != (2 if qid is None else 1):
        raise ValueError(
            f"{name} must have a row per query, or be 1-D with qid; got shape {shape}."
        )
    if qid is None:
        return np.arange(shape[0]).repeat(shape[1]), np.arange(shape[0])
    queries = group_rows(qid, shape[0])
    return queries.codes(), queries.ids


def check_scores(name, y_score, shape):
    """Return scores as a 1-D array; refuse NaN and other shapes."""
    scores = as_floats(name, y_score)
    if scores.shape != shape:
        raise ValueError(
            f"{name} must have one score per document, shape {shape}; got "
            f"{scores.shape}."
        )
    if np.isnan(scores).any():
        raise ValueError(f"{name} must not contain NaN; use -inf if not retrieved.")
    return scores.ravel()
