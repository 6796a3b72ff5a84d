"""Public metric functions, by user model."""

from sklearn_irmetrics.metrics._binary import (
    average_precision_score,
    fbeta_at_k_score,
    precision_at_k_score,
    r_precision_score,
    recall_at_k_score,
    reciprocal_rank_score,
    success_at_k_score,
)
from sklearn_irmetrics.metrics._graded import (
    cumulative_gain_score,
    dcg_score,
    ndcg_score,
)

__all__ = [
    "average_precision_score",
    "cumulative_gain_score",
    "dcg_score",
    "fbeta_at_k_score",
    "ndcg_score",
    "precision_at_k_score",
    "r_precision_score",
    "recall_at_k_score",
    "reciprocal_rank_score",
    "success_at_k_score",
]
