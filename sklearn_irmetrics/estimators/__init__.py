"""Estimators that know about queries."""

from sklearn_irmetrics.estimators.ranker import QueryRanker

__all__ = [
    "QueryRanker",
]
