"""Displays that draw scores with matplotlib, like those of scikit-learn."""

from sklearn_irmetrics.plot.abstention import AbstentionDisplay
from sklearn_irmetrics.plot.class_report import ClassReportDisplay
from sklearn_irmetrics.plot.cutoff import CutoffDisplay
from sklearn_irmetrics.plot.evaluation import EvaluationDisplay
from sklearn_irmetrics.plot.gain_curve import GainCurveDisplay
from sklearn_irmetrics.plot.leaderboard import LeaderboardDisplay
from sklearn_irmetrics.plot.learning_curve import QueryLearningCurveDisplay
from sklearn_irmetrics.plot.precision_recall import (
    InterpolatedPrecisionRecallDisplay,
    PrecisionRecallDisplay,
)
from sklearn_irmetrics.plot.query_difference import QueryDifferenceDisplay
from sklearn_irmetrics.plot.roc import RocDisplay
from sklearn_irmetrics.plot.silence import SilenceDisplay
from sklearn_irmetrics.plot.threshold import ThresholdDisplay

__all__ = [
    "AbstentionDisplay",
    "ClassReportDisplay",
    "CutoffDisplay",
    "EvaluationDisplay",
    "GainCurveDisplay",
    "InterpolatedPrecisionRecallDisplay",
    "LeaderboardDisplay",
    "PrecisionRecallDisplay",
    "QueryDifferenceDisplay",
    "QueryLearningCurveDisplay",
    "RocDisplay",
    "SilenceDisplay",
    "ThresholdDisplay",
]
