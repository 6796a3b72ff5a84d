"""Information-retrieval evaluation that behaves like scikit-learn."""

from sklearn_irmetrics import metrics
from sklearn_irmetrics._measures.chance import adjust_for_chance, chance_level
from sklearn_irmetrics._measures.contingency import ContingencyTable, contingency_table
from sklearn_irmetrics._measures.cutoffs import metric_at_cutoffs
from sklearn_irmetrics._measures.evaluator import RankingEvaluator, score_queries
from sklearn_irmetrics._measures.frames import score_frame
from sklearn_irmetrics._measures.measure import Measure
from sklearn_irmetrics._measures.presets import PRESETS, preset
from sklearn_irmetrics._measures.query_scores import QueryScores
from sklearn_irmetrics._measures.report import ranking_report
from sklearn_irmetrics._measures.scorer import (
    get_scorer,
    get_scorer_names,
    get_scorers,
    make_ranking_scorer,
)
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.metrics import *  # noqa: F403 (its __all__ is explicit)
from sklearn_irmetrics.runs import score_run

__version__ = "0.1.0.dev0"

__all__ = [
    "ContingencyTable",
    "Measure",
    "PRESETS",
    "QueryRanker",
    "QueryScores",
    "RankingEvaluator",
    "adjust_for_chance",
    "chance_level",
    "contingency_table",
    "get_scorer",
    "get_scorer_names",
    "get_scorers",
    "make_ranking_scorer",
    "metric_at_cutoffs",
    "preset",
    "ranking_report",
    "score_frame",
    "score_queries",
    "score_run",
    *metrics.__all__,
]
