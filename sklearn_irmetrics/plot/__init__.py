"""Displays that draw scores with matplotlib, like those of scikit-learn."""

from sklearn_irmetrics.plot._cutoff import CutoffDisplay
from sklearn_irmetrics.plot._evaluation import EvaluationDisplay
from sklearn_irmetrics.plot._gain_curve import GainCurveDisplay
from sklearn_irmetrics.plot._leaderboard import LeaderboardDisplay
from sklearn_irmetrics.plot._learning_curve import QueryLearningCurveDisplay
from sklearn_irmetrics.plot._precision_recall import InterpolatedPrecisionRecallDisplay
from sklearn_irmetrics.plot._precision_recall_curve import PrecisionRecallDisplay
from sklearn_irmetrics.plot._query_difference import QueryDifferenceDisplay
from sklearn_irmetrics.plot._roc import RocDisplay

__all__ = [
    "CutoffDisplay",
    "EvaluationDisplay",
    "GainCurveDisplay",
    "InterpolatedPrecisionRecallDisplay",
    "LeaderboardDisplay",
    "PrecisionRecallDisplay",
    "QueryDifferenceDisplay",
    "QueryLearningCurveDisplay",
    "RocDisplay",
]
