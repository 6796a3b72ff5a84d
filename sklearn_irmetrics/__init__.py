"""Information-retrieval evaluation that behaves like scikit-learn."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sklearn_irmetrics.estimators import QueryRanker as QueryRanker
    from sklearn_irmetrics.frames import score_frame as score_frame
    from sklearn_irmetrics.metrics import alpha_ndcg_score as alpha_ndcg_score
    from sklearn_irmetrics.metrics import (
        average_precision_score as average_precision_score,
    )
    from sklearn_irmetrics.metrics import bpref_score as bpref_score
    from sklearn_irmetrics.metrics import cohen_kappa_score as cohen_kappa_score
    from sklearn_irmetrics.metrics import coverage_ratio_score as coverage_ratio_score
    from sklearn_irmetrics.metrics import cumulative_gain_score as cumulative_gain_score
    from sklearn_irmetrics.metrics import dcg_score as dcg_score
    from sklearn_irmetrics.metrics import (
        eleven_point_precision_score as eleven_point_precision_score,
    )
    from sklearn_irmetrics.metrics import (
        expected_reciprocal_rank_score as expected_reciprocal_rank_score,
    )
    from sklearn_irmetrics.metrics import fbeta_at_k_score as fbeta_at_k_score
    from sklearn_irmetrics.metrics import (
        full_recall_at_k_score as full_recall_at_k_score,
    )
    from sklearn_irmetrics.metrics import gain_curve as gain_curve
    from sklearn_irmetrics.metrics import (
        interpolated_precision_recall_curve as interpolated_precision_recall_curve,
    )
    from sklearn_irmetrics.metrics import (
        interpolated_precision_score as interpolated_precision_score,
    )
    from sklearn_irmetrics.metrics import judged_at_k_score as judged_at_k_score
    from sklearn_irmetrics.metrics import kendall_tau_score as kendall_tau_score
    from sklearn_irmetrics.metrics import max_fbeta_score as max_fbeta_score
    from sklearn_irmetrics.metrics import ndcg_score as ndcg_score
    from sklearn_irmetrics.metrics import novelty_ratio_score as novelty_ratio_score
    from sklearn_irmetrics.metrics import precision_at_k_score as precision_at_k_score
    from sklearn_irmetrics.metrics import (
        precision_recall_at_ranks as precision_recall_at_ranks,
    )
    from sklearn_irmetrics.metrics import (
        precision_recall_auc_score as precision_recall_auc_score,
    )
    from sklearn_irmetrics.metrics import (
        precision_recall_curve as precision_recall_curve,
    )
    from sklearn_irmetrics.metrics import q_measure_score as q_measure_score
    from sklearn_irmetrics.metrics import r_precision_score as r_precision_score
    from sklearn_irmetrics.metrics import (
        rank_biased_overlap_score as rank_biased_overlap_score,
    )
    from sklearn_irmetrics.metrics import (
        rank_biased_precision_score as rank_biased_precision_score,
    )
    from sklearn_irmetrics.metrics import recall_at_k_score as recall_at_k_score
    from sklearn_irmetrics.metrics import reciprocal_rank_score as reciprocal_rank_score
    from sklearn_irmetrics.metrics import relative_recall_score as relative_recall_score
    from sklearn_irmetrics.metrics import roc_auc_score as roc_auc_score
    from sklearn_irmetrics.metrics import roc_curve as roc_curve
    from sklearn_irmetrics.metrics import set_accuracy_score as set_accuracy_score
    from sklearn_irmetrics.metrics import set_cost_matrix_loss as set_cost_matrix_loss
    from sklearn_irmetrics.metrics import set_e_measure_loss as set_e_measure_loss
    from sklearn_irmetrics.metrics import set_f1_score as set_f1_score
    from sklearn_irmetrics.metrics import set_fallout_loss as set_fallout_loss
    from sklearn_irmetrics.metrics import set_false_alarm_loss as set_false_alarm_loss
    from sklearn_irmetrics.metrics import set_fbeta_score as set_fbeta_score
    from sklearn_irmetrics.metrics import set_miss_rate_loss as set_miss_rate_loss
    from sklearn_irmetrics.metrics import set_precision_score as set_precision_score
    from sklearn_irmetrics.metrics import set_recall_score as set_recall_score
    from sklearn_irmetrics.metrics import set_specificity_score as set_specificity_score
    from sklearn_irmetrics.metrics import silence_score as silence_score
    from sklearn_irmetrics.metrics import spearman_rho_score as spearman_rho_score
    from sklearn_irmetrics.metrics import subtopic_recall_score as subtopic_recall_score
    from sklearn_irmetrics.metrics import success_at_k_score as success_at_k_score
    from sklearn_irmetrics.metrics._measure import Measure as Measure
    from sklearn_irmetrics.metrics.chance import adjust_for_chance as adjust_for_chance
    from sklearn_irmetrics.metrics.chance import chance_level as chance_level
    from sklearn_irmetrics.metrics.custom import make_metric as make_metric
    from sklearn_irmetrics.metrics.presets import preset as preset
    from sklearn_irmetrics.reports import QueryScores as QueryScores
    from sklearn_irmetrics.reports import RankingEvaluator as RankingEvaluator
    from sklearn_irmetrics.reports import contingency_table as contingency_table
    from sklearn_irmetrics.reports import metric_at_cutoffs as metric_at_cutoffs
    from sklearn_irmetrics.reports import ranking_report as ranking_report
    from sklearn_irmetrics.reports import score_queries as score_queries
    from sklearn_irmetrics.runs import fuse_runs as fuse_runs
    from sklearn_irmetrics.runs import score_run as score_run
    from sklearn_irmetrics.scorers.scorer import get_scorer as get_scorer
    from sklearn_irmetrics.scorers.scorer import get_scorer_names as get_scorer_names
    from sklearn_irmetrics.scorers.scorer import get_scorers as get_scorers
    from sklearn_irmetrics.scorers.scorer import (
        make_ranking_scorer as make_ranking_scorer,
    )
    from sklearn_irmetrics.streaming import StreamingEvaluator as StreamingEvaluator

__version__ = "0.1.0"

# What is used most, and where it is imported from when it is first asked for: what
# scores arrays and files needs no scikit-learn, which takes longer to import than most
# calls take. The other measures stand in `metrics`, the other results in their modules.
_NAMES_OF = {
    "metrics": (
        "alpha_ndcg_score",
        "average_precision_score",
        "bpref_score",
        "cohen_kappa_score",
        "coverage_ratio_score",
        "cumulative_gain_score",
        "dcg_score",
        "eleven_point_precision_score",
        "expected_reciprocal_rank_score",
        "fbeta_at_k_score",
        "full_recall_at_k_score",
        "gain_curve",
        "interpolated_precision_recall_curve",
        "interpolated_precision_score",
        "judged_at_k_score",
        "kendall_tau_score",
        "max_fbeta_score",
        "ndcg_score",
        "novelty_ratio_score",
        "precision_at_k_score",
        "precision_recall_at_ranks",
        "precision_recall_auc_score",
        "precision_recall_curve",
        "q_measure_score",
        "r_precision_score",
        "rank_biased_overlap_score",
        "rank_biased_precision_score",
        "recall_at_k_score",
        "reciprocal_rank_score",
        "relative_recall_score",
        "roc_auc_score",
        "roc_curve",
        "set_accuracy_score",
        "set_cost_matrix_loss",
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
    ),
    "metrics._measure": ("Measure",),
    "metrics.chance": ("adjust_for_chance", "chance_level"),
    "metrics.custom": ("make_metric",),
    "metrics.presets": ("preset",),
    "reports": (
        "QueryScores",
        "RankingEvaluator",
        "contingency_table",
        "metric_at_cutoffs",
        "ranking_report",
        "score_queries",
    ),
    "runs": ("fuse_runs", "score_run"),
    "frames": ("score_frame",),
    "streaming": ("StreamingEvaluator",),
    "scorers.scorer": (
        "get_scorer",
        "get_scorer_names",
        "get_scorers",
        "make_ranking_scorer",
    ),
    "estimators": ("QueryRanker",),
}
_HOME = {name: module for module, names in _NAMES_OF.items() for name in names}
_MODULES = (
    "comparison",
    "datasets",
    "estimators",
    "exceptions",
    "frames",
    "judging",
    "metrics",
    "model_selection",
    "plot",
    "reports",
    "runs",
    "scorers",
    "streaming",
)

if not TYPE_CHECKING:
    __all__ = list(_HOME)

    def __getattr__(name):
        if name in _HOME:
            value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
        elif name in _MODULES:
            value = import_module(f"{__name__}.{name}")
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__all__, *_MODULES})
