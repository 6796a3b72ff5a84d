"""Measures as metrics of boosting libraries, which log them and stop early by them.

They know queries, directions, undefined queries and weights as all functions here do.
``QueryRanker(..., eval_metric="ndcg@10")`` sets them up.
"""

from sklearn_irmetrics.boosting._catboost import catboost_metric
from sklearn_irmetrics.boosting._lightgbm import lightgbm_metric
from sklearn_irmetrics.boosting._xgboost import xgboost_metric

__all__ = ["catboost_metric", "lightgbm_metric", "xgboost_metric"]
