"""Public metric functions, by user model."""

from sklearn_irmetrics.metrics._binary import (
    average_precision_score,
    bpref_score,
    fbeta_at_k_score,
    inferred_average_precision_score,
    judged_at_k_score,
    precision_at_k_score,
    r_precision_score,
    recall_at_k_score,
    reciprocal_rank_score,
    success_at_k_score,
)
from sklearn_irmetrics.metrics._cascade import (
    expected_reciprocal_rank_score,
    rank_biased_precision_residual,
    rank_biased_precision_score,
)
from sklearn_irmetrics.metrics._curve import (
    eleven_point_precision_score,
    interpolated_precision_recall_curve,
    interpolated_precision_score,
    precision_recall_auc_score,
    roc_auc_score,
    roc_curve,
)
from sklearn_irmetrics.metrics._graded import (
    cumulative_gain_score,
    dcg_score,
    ndcg_score,
    q_measure_score,
)
from sklearn_irmetrics.metrics._tables import (
    RankTable,
    gain_curve,
    precision_recall_at_ranks,
)

__all__ = [
    "RankTable",
    "gain_curve",
    "interpolated_precision_recall_curve",
    "precision_recall_at_ranks",
    "roc_curve",
    "average_precision_score",
    "bpref_score",
    "cumulative_gain_score",
    "dcg_score",
    "eleven_point_precision_score",
    "expected_reciprocal_rank_score",
    "fbeta_at_k_score",
    "inferred_average_precision_score",
    "interpolated_precision_score",
    "judged_at_k_score",
    "ndcg_score",
    "precision_at_k_score",
    "precision_recall_auc_score",
    "q_measure_score",
    "r_precision_score",
    "rank_biased_precision_residual",
    "rank_biased_precision_score",
    "recall_at_k_score",
    "reciprocal_rank_score",
    "roc_auc_score",
    "success_at_k_score",
]
