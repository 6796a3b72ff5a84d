"""Information-retrieval evaluation that behaves like scikit-learn."""

from sklearn_irmetrics import metrics
from sklearn_irmetrics._chance import adjust_for_chance, chance_level
from sklearn_irmetrics._frames import score_frame
from sklearn_irmetrics._presets import PRESETS, preset
from sklearn_irmetrics._ranking_report import ranking_report
from sklearn_irmetrics._report import QueryScores, metric_at_cutoffs, score_queries
from sklearn_irmetrics._scorer import (
    get_scorer,
    get_scorer_names,
    get_scorers,
    make_ranking_scorer,
)
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.metrics import *  # noqa: F403 (its __all__ is explicit)

__version__ = "0.1.0.dev0"

__all__ = [
    "PRESETS",
    "QueryRanker",
    "QueryScores",
    "adjust_for_chance",
    "chance_level",
    "get_scorer",
    "get_scorer_names",
    "get_scorers",
    "make_ranking_scorer",
    "metric_at_cutoffs",
    "preset",
    "ranking_report",
    "score_frame",
    "score_queries",
    *metrics.__all__,
]
