"""Measures of rankings that come in parts, by sums that can be merged."""

from sklearn_irmetrics.streaming.evaluator import StreamingEvaluator
from sklearn_irmetrics.streaming.summary import ScoreSummary

__all__ = [
    "ScoreSummary",
    "StreamingEvaluator",
]
