"""Estimate how good a model is: ``evaluate``, splitters, learning curves."""

from sklearn_irmetrics._statistics.intervals import ConfidenceInterval
from sklearn_irmetrics.model_selection.evaluation import evaluate
from sklearn_irmetrics.model_selection.learning_curve import (
    QueryLearningCurve,
    query_learning_curve,
)
from sklearn_irmetrics.model_selection.results import (
    EvaluationResult,
    EvaluationResults,
)
from sklearn_irmetrics.model_selection.splitters import (
    BootstrapSplit,
    HoldoutSplit,
    QueryKFold,
    QueryTimeSeriesSplit,
    ResampledSplit,
    StratifiedQueryKFold,
)

__all__ = [
    "BootstrapSplit",
    "ConfidenceInterval",
    "EvaluationResult",
    "EvaluationResults",
    "HoldoutSplit",
    "QueryKFold",
    "QueryLearningCurve",
    "QueryTimeSeriesSplit",
    "ResampledSplit",
    "StratifiedQueryKFold",
    "evaluate",
    "query_learning_curve",
]
