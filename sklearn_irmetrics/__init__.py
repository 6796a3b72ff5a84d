"""Information-retrieval evaluation that behaves like scikit-learn."""

from sklearn_irmetrics import metrics
from sklearn_irmetrics._report import QueryScores, score_queries
from sklearn_irmetrics._scorer import (
    get_scorer,
    get_scorer_names,
    get_scorers,
    make_ranking_scorer,
)
from sklearn_irmetrics.metrics import *  # noqa: F403 (its __all__ is explicit)

__version__ = "0.1.0.dev0"

__all__ = [
    "QueryScores",
    "get_scorer",
    "get_scorer_names",
    "get_scorers",
    "make_ranking_scorer",
    "score_queries",
    *metrics.__all__,
]
