"""What a measure gives without any information: γ of the .632+ bootstrap."""

import copy

import numpy as np

from sklearn_irmetrics._compat import safe_indexing
from sklearn_irmetrics._measures.chance import chance_level
from sklearn_irmetrics._measures.registry import metric_of
from sklearn_irmetrics.model_selection._fitting import slice_metadata
from sklearn_irmetrics.model_selection._predictions import (
    PredictionMemory,
    take_responses,
)

_MOST_PAIRS = 1_000_000
_MOST_ROWS = 100_000


def chance_score(measure, X, y, metadata, responses, classes, rng):
    """Return the score expected where predictions have nothing to do with targets.

    Exact for ranking measures: the expectation over all orders. For others the score
    of predictions paired with targets at random: all pairs where there are at most a
    million, else as many.

    Parameters
    ----------
    measure : NamedScorer
        Which.
    X, y : array-like
        All rows.
    metadata : dict of str to object
        For the scorer.
    responses : dict of str to array
        Predictions of all rows by the estimator that was fitted on them.
    classes : ndarray or None
        Its classes.
    rng : numpy.random.Generator
        What draws the pairs.

    Returns
    -------
    float
    """
    with measure.quietly():
        if measure.takes_ties:
            memory = PredictionMemory(None, responses=responses, classes=classes)
            scorer = copy.copy(measure.scorer)
            scorer._score_func = _AtChance(scorer._score_func.metric, rng)
            return measure.with_scorer(scorer).score(memory, X, y, metadata)
        return _paired_at_random(measure, X, y, metadata, responses, classes, rng)


class _AtChance:
    """A ranking measure that does not look at the scores."""

    def __init__(self, metric, rng):
        self.metric = metric
        self.rng = rng

    def __call__(self, y_true, y_score, *, qid=None, ties=None, **kwargs):
        known = metric_of(self.metric)
        if known is not None and known.kind == "ranking" and "labels" not in kwargs:
            seed = int(self.rng.integers(2**31))
            return chance_level(
                self.metric, y_true, qid=qid, random_state=seed, **kwargs
            )
        if qid is not None:
            kwargs["qid"] = qid
        equal = np.zeros(np.shape(y_score))
        return self.metric(y_true, equal, ties="average", **kwargs)


def _paired_at_random(measure, X, y, metadata, responses, classes, rng):
    n = len(y)
    most = _MOST_PAIRS if measure.is_scorer else _MOST_ROWS
    n_shifts = min(n, max(1, most // n))
    shifts = rng.permutation(n)[:n_shifts]
    order = rng.permutation(n)
    rows = np.tile(np.arange(n), n_shifts)
    partners = order[(np.arange(n) + shifts[:, np.newaxis]) % n].ravel()
    memory = PredictionMemory(
        None, responses=take_responses(responses, partners), classes=classes
    )
    paired = slice_metadata(metadata, rows, n)
    if measure.ranks == "queries":
        paired["qid"] = paired["qid"] + n * np.repeat(np.arange(n_shifts), n)
    X = rows if measure.is_scorer else safe_indexing(X, rows)
    return measure.score(memory, X, safe_indexing(y, rows), paired)
