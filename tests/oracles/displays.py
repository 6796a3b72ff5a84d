"""Queries of digits, models of them, and every display of these."""

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge

from sklearn_irmetrics import plot, score_queries
from sklearn_irmetrics.datasets import load_digits_ranking

X, Y, QID = load_digits_ranking(n_queries=40, n_candidates=30, return_X_y_qid=True)
X, COSINE = X[:, -2:], X[:, -1]
MODEL = Ridge().fit(X, Y)
OTHER = LogisticRegression().fit(X[:, :1] ** 2 @ np.ones((1, 2)), Y)
SEEDED = {"random_state": 0}
CASES = {
    "CutoffDisplay": {"metric": "recall"},
    "EvaluationDisplay": SEEDED | {"metrics": ["map", "ndcg@5", "p@5"]},
    "GainCurveDisplay": {"metric": "dcg", "k": 15},
    "InterpolatedPrecisionRecallDisplay": SEEDED,
    "PrecisionRecallDisplay": SEEDED,
    "QueryDifferenceDisplay": {"metric": "map"},
    "RocDisplay": {},
    "SilenceDisplay": {"metric": "recall@3", "thresholds": [0.5, 0.7, 0.9, 0.95, 0.99]},
    "ThresholdDisplay": {"metric": "recall@3", "thresholds": [0.5, 0.7, 0.9, 0.95]},
}


def grades(which):
    """Return the grades; silence needs queries where there is nothing to find."""
    return np.where(QID % 4 == 0, 0, Y) if which == "SilenceDisplay" else Y


def from_predictions(which, y_score=COSINE, y_true=None, **kwargs):
    y_true = grades(which) if y_true is None else y_true
    kwargs = {"qid": QID, **CASES[which], **kwargs}
    if which == "QueryDifferenceDisplay":
        kwargs.setdefault("baseline", np.roll(y_score, 1, axis=0))
    return getattr(plot, which).from_predictions(y_true, y_score, **kwargs)


def from_estimator(which, data=None, baseline=OTHER, **kwargs):
    data = (MODEL, X, grades(which)) if data is None else data
    kwargs = {"qid": QID, **CASES[which], **kwargs}
    if which == "QueryDifferenceDisplay":
        kwargs["baseline"] = baseline
    return getattr(plot, which).from_estimator(*data, **kwargs)


def labels(display):
    legend = display.ax_.get_legend()
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


def scored():
    return {
        name: score_queries(Y, scores, ["map", "p@5"], qid=QID)
        for name, scores in {"1": COSINE, "Old": X[:, 0], "New": X[:, 1]}.items()
    }
