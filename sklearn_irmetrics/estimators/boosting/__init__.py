"""Measures as metrics of boosting libraries, which log them and stop early by them.

They know queries, directions, undefined queries and weights as all functions here do.
``QueryRanker(..., eval_metric="ndcg@10")`` sets them up.
"""

from sklearn_irmetrics.estimators.boosting._metrics import (
    catboost_metric,
    lightgbm_metric,
    xgboost_metric,
)

__all__ = [
    "catboost_metric",
    "lightgbm_metric",
    "xgboost_metric",
]
