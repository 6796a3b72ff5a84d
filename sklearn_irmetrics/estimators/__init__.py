"""Estimators that know about queries."""

from sklearn_irmetrics.estimators._ranker import QueryRanker

__all__ = ["QueryRanker"]
