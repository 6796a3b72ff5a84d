"""Information-retrieval evaluation that behaves like scikit-learn."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sklearn_irmetrics.comparison import compare as compare
    from sklearn_irmetrics.estimators import QueryRanker as QueryRanker
    from sklearn_irmetrics.metrics import (
        average_precision_score as average_precision_score,
    )
    from sklearn_irmetrics.metrics import coverage_ratio_score as coverage_ratio_score
    from sklearn_irmetrics.metrics import cumulative_gain_score as cumulative_gain_score
    from sklearn_irmetrics.metrics import dcg_score as dcg_score
    from sklearn_irmetrics.metrics import (
        eleven_point_precision_score as eleven_point_precision_score,
    )
    from sklearn_irmetrics.metrics import kendall_tau_score as kendall_tau_score
    from sklearn_irmetrics.metrics import ndcg_score as ndcg_score
    from sklearn_irmetrics.metrics import novelty_ratio_score as novelty_ratio_score
    from sklearn_irmetrics.metrics import precision_at_k_score as precision_at_k_score
    from sklearn_irmetrics.metrics import (
        precision_recall_curve as precision_recall_curve,
    )
    from sklearn_irmetrics.metrics import r_precision_score as r_precision_score
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
    from sklearn_irmetrics.metrics import set_fbeta_score as set_fbeta_score
    from sklearn_irmetrics.metrics import set_precision_score as set_precision_score
    from sklearn_irmetrics.metrics import set_recall_score as set_recall_score
    from sklearn_irmetrics.metrics import set_specificity_score as set_specificity_score
    from sklearn_irmetrics.metrics import spearman_rho_score as spearman_rho_score
    from sklearn_irmetrics.metrics._measure import Measure as Measure
    from sklearn_irmetrics.metrics.custom import make_metric as make_metric
    from sklearn_irmetrics.model_selection import QueryKFold as QueryKFold
    from sklearn_irmetrics.model_selection import evaluate as evaluate
    from sklearn_irmetrics.reports import contingency_table as contingency_table
    from sklearn_irmetrics.reports import ranking_report as ranking_report
    from sklearn_irmetrics.reports import score_queries as score_queries
    from sklearn_irmetrics.runs import score_run as score_run
    from sklearn_irmetrics.scorers.scorer import get_scorer as get_scorer
    from sklearn_irmetrics.scorers.scorer import get_scorer_names as get_scorer_names
    from sklearn_irmetrics.scorers.scorer import get_scorers as get_scorers
    from sklearn_irmetrics.scorers.scorer import (
        make_ranking_scorer as make_ranking_scorer,
    )

__version__ = "0.1.0"

# What is used most, and where it is imported from when it is first asked for: what
# scores arrays and files needs no scikit-learn, which takes longer to import than most
# calls take. The other measures stand in `metrics`, the other results in their modules.
_NAMES_OF = {
    "metrics": (
        "average_precision_score",
        "coverage_ratio_score",
        "cumulative_gain_score",
        "dcg_score",
        "eleven_point_precision_score",
        "kendall_tau_score",
        "ndcg_score",
        "novelty_ratio_score",
        "precision_at_k_score",
        "precision_recall_curve",
        "r_precision_score",
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
        "set_fbeta_score",
        "set_precision_score",
        "set_recall_score",
        "set_specificity_score",
        "spearman_rho_score",
    ),
    "metrics._measure": ("Measure",),
    "metrics.custom": ("make_metric",),
    "reports": ("contingency_table", "ranking_report", "score_queries"),
    "runs": ("score_run",),
    "comparison": ("compare",),
    "model_selection": ("QueryKFold", "evaluate"),
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
