"""One literal table of all metrics: their functions, kernels and names."""

import copyreg
import math

from sklearn_irmetrics import metrics
from sklearn_irmetrics._measures.metric import Metric
from sklearn_irmetrics.kernels import (
    _binary,
    _cascade,
    _correlation,
    _curve,
    _graded,
    _sets,
    _subtopics,
    _user,
)


def _row(name):
    return METRICS[name]


# Pickled as a name, so that there is one of each.
copyreg.pickle(Metric, lambda metric: (_row, (metric.name,)))


_ANY = (float("-inf"), float("inf"))
_NOT_NEGATIVE = (0.0, float("inf"))
_SIGNED = (-1.0, 1.0)

_ROWS = [
    Metric(
        "p",
        metrics.precision_at_k_score,
        _binary.precision_at_k,
        aliases=("precision",),
        ranks_without_k=False,
    ),
    Metric(
        "recall",
        metrics.recall_at_k_score,
        _binary.recall_at_k,
        aliases=("r",),
        ranks_without_k=False,
    ),
    Metric("f", metrics.fbeta_at_k_score, _binary.fbeta_at_k, ranks_without_k=False),
    Metric(
        "f1",
        metrics.fbeta_at_k_score,
        _binary.fbeta_at_k,
        arguments={"beta": 1.0},
        ranks_without_k=False,
    ),
    Metric(
        "success",
        metrics.success_at_k_score,
        _binary.success_at_k,
        aliases=("hit_rate", "hr"),
        ranks_without_k=False,
    ),
    Metric(
        "rprec",
        metrics.r_precision_score,
        _binary.r_precision,
        aliases=("r_precision",),
    ),
    Metric(
        "rr",
        metrics.reciprocal_rank_score,
        _binary.reciprocal_rank,
        aliases=("mrr", "recip_rank"),
    ),
    Metric(
        "ap",
        metrics.average_precision_score,
        _binary.average_precision,
        aliases=("map",),
        weighs_documents=True,
    ),
    Metric(
        "gmap",
        metrics.average_precision_score,
        _binary.average_precision,
        arguments={"average": "geometric"},
        weighs_documents=True,
        aliases=("gm_map",),
    ),
    Metric(
        "iprec",
        metrics.interpolated_precision_score,
        _curve.interpolated_precision,
        aliases=("interpolated_precision",),
        at="recall_level",
        exact_ties=False,
    ),
    Metric(
        "11pt",
        metrics.eleven_point_precision_score,
        _curve.eleven_point_precision,
        aliases=("eleven_point", "11pt_avg"),
        exact_ties=False,
    ),
    Metric(
        "pr_auc",
        metrics.precision_recall_auc_score,
        _curve.precision_recall_auc,
        exact_ties=False,
    ),
    Metric("max_f", metrics.max_fbeta_score, _curve.max_fbeta, exact_ties=False),
    Metric(
        "max_f1",
        metrics.max_fbeta_score,
        _curve.max_fbeta,
        arguments={"beta": 1.0},
        exact_ties=False,
    ),
    Metric(
        "roc_auc",
        metrics.roc_auc_score,
        _curve.roc_auc,
        aliases=("auc",),
        weighs_documents=True,
    ),
    Metric(
        "rbp",
        metrics.rank_biased_precision_score,
        _cascade.rank_biased_precision,
        graded=True,
    ),
    Metric(
        "rbp_residual",
        metrics.rank_biased_precision_residual,
        _cascade.rank_biased_precision_residual,
    ),
    Metric("bpref", metrics.bpref_score, _binary.bpref),
    Metric(
        "infap",
        metrics.inferred_average_precision_score,
        _binary.inferred_average_precision,
    ),
    Metric(
        "judged", metrics.judged_at_k_score, _binary.judged_at_k, ranks_without_k=False
    ),
    Metric(
        "cg",
        metrics.cumulative_gain_score,
        _graded.cumulative_gain,
        range=_ANY,
        graded=True,
        ranks_without_k=False,
    ),
    Metric("dcg", metrics.dcg_score, _graded.dcg, range=_ANY, graded=True),
    Metric("ndcg", metrics.ndcg_score, _graded.ndcg, graded=True),
    Metric(
        "err",
        metrics.expected_reciprocal_rank_score,
        _cascade.expected_reciprocal_rank,
        graded=True,
    ),
    Metric(
        "q",
        metrics.q_measure_score,
        _graded.q_measure,
        aliases=("q_measure",),
        graded=True,
    ),
    Metric(
        "coverage",
        metrics.coverage_ratio_score,
        _user.coverage_ratio,
        aliases=("coverage_ratio",),
        marks=("known",),
        ranks_without_k=False,
    ),
    Metric(
        "novelty",
        metrics.novelty_ratio_score,
        _user.novelty_ratio,
        aliases=("novelty_ratio",),
        marks=("known",),
        ranks_without_k=False,
    ),
    Metric(
        "relative_recall",
        metrics.relative_recall_score,
        _user.relative_recall,
        range=_NOT_NEGATIVE,
        ranks_without_k=False,
    ),
    Metric("recall_effort", metrics.recall_effort_score, _user.recall_effort),
    Metric(
        "kendall_tau",
        metrics.kendall_tau_score,
        _correlation.kendall_tau,
        aliases=("tau", "kendall"),
        range=_SIGNED,
        graded=True,
    ),
    Metric(
        "spearman_rho",
        metrics.spearman_rho_score,
        _correlation.spearman_rho,
        aliases=("rho", "spearman"),
        range=_SIGNED,
        graded=True,
    ),
    Metric(
        "tau_ap",
        metrics.average_precision_correlation_score,
        _correlation.average_precision_correlation,
        range=_SIGNED,
        graded=True,
    ),
    Metric(
        "rbo",
        metrics.rank_biased_overlap_score,
        _correlation.rank_biased_overlap,
        graded=True,
    ),
    Metric(
        "alpha_ndcg",
        metrics.alpha_ndcg_score,
        _subtopics.alpha_ndcg,
        range=(0.0, math.e / (math.e - 1.0)),  # greedy choice covers that well
        subtopics=True,
        extremes=False,
    ),
    Metric(
        "subtopic_recall",
        metrics.subtopic_recall_score,
        _subtopics.subtopic_recall,
        aliases=("strec", "strecall"),
        subtopics=True,
        extremes=False,
        ranks_without_k=False,
    ),
    Metric(
        "err_ia",
        metrics.intent_aware_reciprocal_rank_score,
        _subtopics.intent_aware_reciprocal_rank,
        subtopics=True,
        extremes=False,
    ),
    Metric(
        "nrbp",
        metrics.novelty_rank_biased_precision_score,
        _subtopics.novelty_rank_biased_precision,
        subtopics=True,
        extremes=False,
    ),
    Metric(
        "map_ia",
        metrics.intent_aware_average_precision_score,
        _subtopics.intent_aware_average_precision,
        aliases=("ap_ia",),
        subtopics=True,
        extremes=False,
    ),
    Metric(
        "p_ia",
        metrics.intent_aware_precision_score,
        _subtopics.intent_aware_precision,
        subtopics=True,
        ranks_without_k=False,
    ),
    Metric(
        "scott_pi",
        metrics.scott_pi_score,
        range=_SIGNED,
        kind="labels",
        weighs_documents=True,
    ),
    Metric(
        "set_p",
        metrics.set_precision_score,
        _sets.set_precision,
        aliases=("set_precision", "setp"),
        kind="set",
    ),
    Metric(
        "set_recall",
        metrics.set_recall_score,
        _sets.set_recall,
        kind="set",
        aliases=("sensitivity", "setr"),
    ),
    Metric(
        "set_f", metrics.set_fbeta_score, _sets.set_fbeta, kind="set", aliases=("setf",)
    ),
    Metric("set_f1", metrics.set_f1_score, _sets.set_f1, kind="set"),
    Metric("set_dice", metrics.set_dice_score, _sets.set_f1, kind="set"),
    Metric("set_e", metrics.set_e_measure_loss, _sets.set_e_measure, kind="set"),
    Metric(
        "set_accuracy",
        metrics.set_accuracy_score,
        _sets.set_accuracy,
        kind="set",
        aliases=("accuracy",),
    ),
    Metric(
        "set_specificity",
        metrics.set_specificity_score,
        _sets.set_specificity,
        kind="set",
        aliases=("specificity",),
    ),
    Metric(
        "set_fallout",
        metrics.set_fallout_loss,
        _sets.set_fallout,
        kind="set",
        aliases=("fallout",),
    ),
    Metric(
        "set_miss_rate", metrics.set_miss_rate_loss, _sets.set_miss_rate, kind="set"
    ),
    Metric(
        "set_false_alarm",
        metrics.set_false_alarm_loss,
        _sets.set_false_alarm,
        kind="set",
    ),
    Metric(
        "set_detection_cost",
        metrics.set_detection_cost_loss,
        _sets.set_detection_cost,
        range=_NOT_NEGATIVE,
        kind="set",
    ),
    Metric(
        "set_cost",
        metrics.set_cost_matrix_loss,
        range=_ANY,
        kind="labels",
        weighs_documents=True,
    ),
]
METRICS = {row.name: row for row in _ROWS}
ALIASES = {alias: row.name for row in _ROWS for alias in row.aliases}
_OF_FUNCTION = {row.function: row for row in _ROWS if not row.arguments}


def metric_of(function):
    """Return the metric that a function computes, None for functions of others."""
    try:
        return _OF_FUNCTION.get(function)
    except TypeError:  # not hashable, so none of ours
        return None
