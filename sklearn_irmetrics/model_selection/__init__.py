"""Estimate how good a model is: splitters, ``evaluate``, ``compare``, plans."""

from sklearn_irmetrics._statistics.intervals import ConfidenceInterval
from sklearn_irmetrics.model_selection._board import Leaderboard, Leaderboards
from sklearn_irmetrics.model_selection._compare import compare
from sklearn_irmetrics.model_selection._comparison import (
    ComparisonResult,
    ComparisonResults,
)
from sklearn_irmetrics.model_selection._evaluate import evaluate
from sklearn_irmetrics.model_selection._evaluations import EvaluationResults
from sklearn_irmetrics.model_selection._leaderboard import leaderboard
from sklearn_irmetrics.model_selection._learning_curve import (
    QueryLearningCurve,
    query_learning_curve,
)
from sklearn_irmetrics.model_selection._one_error import one_standard_error
from sklearn_irmetrics.model_selection._order_agreement import (
    OrderAgreement,
    order_agreement,
)
from sklearn_irmetrics.model_selection._plan import plan_queries
from sklearn_irmetrics.model_selection._query_plan import QueryPlan
from sklearn_irmetrics.model_selection._resampled import ResampledSplit
from sklearn_irmetrics.model_selection._results import EvaluationResult
from sklearn_irmetrics.model_selection._split import (
    BootstrapSplit,
    HoldoutSplit,
    QueryKFold,
)
from sklearn_irmetrics.model_selection._stratified import StratifiedQueryKFold

__all__ = [
    "BootstrapSplit",
    "ComparisonResult",
    "ComparisonResults",
    "ConfidenceInterval",
    "EvaluationResult",
    "EvaluationResults",
    "HoldoutSplit",
    "Leaderboard",
    "Leaderboards",
    "OrderAgreement",
    "QueryKFold",
    "QueryLearningCurve",
    "QueryPlan",
    "ResampledSplit",
    "StratifiedQueryKFold",
    "compare",
    "evaluate",
    "leaderboard",
    "one_standard_error",
    "order_agreement",
    "plan_queries",
    "query_learning_curve",
]
