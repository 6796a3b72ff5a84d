"""All measures; those that are used most stand at the top level, too."""

from typing import TYPE_CHECKING, Any

from sklearn_irmetrics.metrics._measure import Measure
from sklearn_irmetrics.metrics.agreement import (
    average_precision_correlation_score,
    kendall_tau_score,
    ordered_pairs_score,
    rank_biased_overlap_score,
    scott_pi_score,
    spearman_rho_score,
)
from sklearn_irmetrics.metrics.binary import (
    average_precision_score,
    bpref_score,
    fallout_at_k_loss,
    fbeta_at_k_score,
    first_rank_loss,
    full_recall_at_k_score,
    inferred_average_precision_score,
    judged_at_k_score,
    last_rank_loss,
    lift_at_k_score,
    precision_at_k_score,
    r_precision_score,
    recall_at_k_score,
    reciprocal_rank_score,
    silence_score,
    success_at_k_score,
)
from sklearn_irmetrics.metrics.cascade import (
    expected_reciprocal_rank_score,
    rank_biased_precision_residual,
    rank_biased_precision_score,
)
from sklearn_irmetrics.metrics.chance import adjust_for_chance, chance_level
from sklearn_irmetrics.metrics.curves import (
    PrecisionRecallCurve,
    RankTable,
    RocCurve,
    eleven_point_precision_score,
    interpolated_precision_recall_curve,
    interpolated_precision_score,
    max_fbeta_score,
    precision_recall_at_ranks,
    precision_recall_auc_score,
    precision_recall_curve,
    recall_at_fpr_score,
    recall_at_precision_score,
    roc_auc_score,
    roc_curve,
)
from sklearn_irmetrics.metrics.custom import make_metric
from sklearn_irmetrics.metrics.gain_curves import gain_curve
from sklearn_irmetrics.metrics.graded import (
    cumulative_gain_score,
    dcg_score,
    ndcg_score,
    q_measure_score,
)
from sklearn_irmetrics.metrics.presets import preset
from sklearn_irmetrics.metrics.sets import (
    set_accuracy_score,
    set_cost_matrix_loss,
    set_detection_cost_loss,
    set_dice_score,
    set_e_measure_loss,
    set_f1_score,
    set_fallout_loss,
    set_false_alarm_loss,
    set_fbeta_score,
    set_miss_rate_loss,
    set_precision_score,
    set_recall_score,
    set_specificity_score,
)
from sklearn_irmetrics.metrics.subtopics import (
    alpha_ndcg_score,
    intent_aware_average_precision_score,
    intent_aware_precision_score,
    intent_aware_reciprocal_rank_score,
    novelty_rank_biased_precision_score,
    subtopic_recall_score,
)
from sklearn_irmetrics.metrics.user import (
    coverage_ratio_score,
    novelty_ratio_score,
    recall_effort_score,
    relative_recall_score,
    work_saved_score,
)

if TYPE_CHECKING:
    from sklearn.metrics import cohen_kappa_score
else:

    def __getattr__(name: str) -> Any:
        """Import scikit-learn's own function when it is used, since that takes long."""
        if name != "cohen_kappa_score":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from sklearn.metrics import cohen_kappa_score

        return cohen_kappa_score


__all__ = [
    "Measure",
    "PrecisionRecallCurve",
    "RankTable",
    "RocCurve",
    "adjust_for_chance",
    "alpha_ndcg_score",
    "average_precision_correlation_score",
    "average_precision_score",
    "bpref_score",
    "chance_level",
    "cohen_kappa_score",
    "coverage_ratio_score",
    "cumulative_gain_score",
    "dcg_score",
    "eleven_point_precision_score",
    "expected_reciprocal_rank_score",
    "fallout_at_k_loss",
    "fbeta_at_k_score",
    "first_rank_loss",
    "full_recall_at_k_score",
    "gain_curve",
    "inferred_average_precision_score",
    "intent_aware_average_precision_score",
    "intent_aware_precision_score",
    "intent_aware_reciprocal_rank_score",
    "interpolated_precision_recall_curve",
    "interpolated_precision_score",
    "judged_at_k_score",
    "kendall_tau_score",
    "last_rank_loss",
    "lift_at_k_score",
    "make_metric",
    "max_fbeta_score",
    "ndcg_score",
    "novelty_rank_biased_precision_score",
    "novelty_ratio_score",
    "ordered_pairs_score",
    "precision_at_k_score",
    "precision_recall_at_ranks",
    "precision_recall_auc_score",
    "precision_recall_curve",
    "preset",
    "q_measure_score",
    "r_precision_score",
    "rank_biased_overlap_score",
    "rank_biased_precision_residual",
    "rank_biased_precision_score",
    "recall_at_fpr_score",
    "recall_at_k_score",
    "recall_at_precision_score",
    "recall_effort_score",
    "reciprocal_rank_score",
    "relative_recall_score",
    "roc_auc_score",
    "roc_curve",
    "scott_pi_score",
    "set_accuracy_score",
    "set_cost_matrix_loss",
    "set_detection_cost_loss",
    "set_dice_score",
    "set_e_measure_loss",
    "set_f1_score",
    "set_fallout_loss",
    "set_false_alarm_loss",
    "set_fbeta_score",
    "set_miss_rate_loss",
    "set_precision_score",
    "set_recall_score",
    "set_specificity_score",
    "silence_score",
    "spearman_rho_score",
    "subtopic_recall_score",
    "success_at_k_score",
    "work_saved_score",
]
