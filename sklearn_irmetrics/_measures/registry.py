"""One literal table of all metrics: their functions, kernels and names."""

import copyreg
import math
from functools import partial

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


_NOT_NEGATIVE, _ANY = (0.0, math.inf), (-math.inf, math.inf)
_GREEDY = 0.0, math.e / (math.e - 1.0)  # greedy choice covers that well
# Facts that rows share.
_at_k = partial(Metric, ranks_without_k=False)
_grouped_ties = partial(Metric, exact_ties=False)
_of_grades = partial(Metric, graded=True)
_of_order = partial(Metric, graded=True, range=(-1.0, 1.0))
_of_subtopics = partial(Metric, subtopics=True, extremes=False)
_of_labels = partial(Metric, kind="labels", weighs_documents=True)
_of_sets = partial(Metric, kind="set")

_ROWS = [
    _at_k("p", metrics.precision_at_k_score, _binary.precision_at_k),
    _at_k("recall", metrics.recall_at_k_score, _binary.recall_at_k),
    _at_k("f", metrics.fbeta_at_k_score, _binary.fbeta_at_k),
    _at_k("f1", metrics.fbeta_at_k_score, _binary.fbeta_at_k, arguments={"beta": 1.0}),
    _at_k("success", metrics.success_at_k_score, _binary.success_at_k),
    Metric("rprec", metrics.r_precision_score, _binary.r_precision),
    Metric("rr", metrics.reciprocal_rank_score, _binary.reciprocal_rank),
    Metric(
        "ap",
        metrics.average_precision_score,
        _binary.average_precision,
        weighs_documents=True,
    ),
    Metric(
        "gmap",
        metrics.average_precision_score,
        _binary.average_precision,
        arguments={"average": "geometric"},
        weighs_documents=True,
    ),
    _grouped_ties(
        "iprec",
        metrics.interpolated_precision_score,
        _curve.interpolated_precision,
        at="recall_level",
    ),
    _grouped_ties(
        "11pt", metrics.eleven_point_precision_score, _curve.eleven_point_precision
    ),
    _grouped_ties(
        "pr_auc", metrics.precision_recall_auc_score, _curve.precision_recall_auc
    ),
    _grouped_ties("max_f", metrics.max_fbeta_score, _curve.max_fbeta),
    _grouped_ties(
        "max_f1", metrics.max_fbeta_score, _curve.max_fbeta, arguments={"beta": 1.0}
    ),
    Metric("roc_auc", metrics.roc_auc_score, _curve.roc_auc, weighs_documents=True),
    _of_grades(
        "rbp", metrics.rank_biased_precision_score, _cascade.rank_biased_precision
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
    _at_k("judged", metrics.judged_at_k_score, _binary.judged_at_k),
    _at_k(
        "cg",
        metrics.cumulative_gain_score,
        _graded.cumulative_gain,
        graded=True,
        range=_ANY,
    ),
    _of_grades("dcg", metrics.dcg_score, _graded.dcg, range=_ANY),
    _of_grades("ndcg", metrics.ndcg_score, _graded.ndcg),
    _of_grades(
        "err", metrics.expected_reciprocal_rank_score, _cascade.expected_reciprocal_rank
    ),
    _of_grades("q", metrics.q_measure_score, _graded.q_measure),
    _at_k(
        "coverage", metrics.coverage_ratio_score, _user.coverage_ratio, marks=("known",)
    ),
    _at_k(
        "novelty", metrics.novelty_ratio_score, _user.novelty_ratio, marks=("known",)
    ),
    _at_k(
        "relative_recall",
        metrics.relative_recall_score,
        _user.relative_recall,
        range=_NOT_NEGATIVE,
    ),
    Metric("recall_effort", metrics.recall_effort_score, _user.recall_effort),
    _of_order("kendall_tau", metrics.kendall_tau_score, _correlation.kendall_tau),
    _of_order("spearman_rho", metrics.spearman_rho_score, _correlation.spearman_rho),
    _of_order(
        "tau_ap",
        metrics.average_precision_correlation_score,
        _correlation.average_precision_correlation,
    ),
    _of_grades(
        "rbo", metrics.rank_biased_overlap_score, _correlation.rank_biased_overlap
    ),
    _of_subtopics(
        "alpha_ndcg", metrics.alpha_ndcg_score, _subtopics.alpha_ndcg, range=_GREEDY
    ),
    _of_subtopics(
        "subtopic_recall",
        metrics.subtopic_recall_score,
        _subtopics.subtopic_recall,
        ranks_without_k=False,
    ),
    _of_subtopics(
        "err_ia",
        metrics.intent_aware_reciprocal_rank_score,
        _subtopics.intent_aware_reciprocal_rank,
    ),
    _of_subtopics(
        "nrbp",
        metrics.novelty_rank_biased_precision_score,
        _subtopics.novelty_rank_biased_precision,
    ),
    _of_subtopics(
        "map_ia",
        metrics.intent_aware_average_precision_score,
        _subtopics.intent_aware_average_precision,
    ),
    _at_k(
        "p_ia",
        metrics.intent_aware_precision_score,
        _subtopics.intent_aware_precision,
        subtopics=True,
    ),
    _of_labels("scott_pi", metrics.scott_pi_score, range=(-1.0, 1.0)),
    _of_sets("set_p", metrics.set_precision_score, _sets.set_precision),
    _of_sets("set_recall", metrics.set_recall_score, _sets.set_recall),
    _of_sets("set_f", metrics.set_fbeta_score, _sets.set_fbeta),
    _of_sets("set_f1", metrics.set_f1_score, _sets.set_f1),
    _of_sets("set_e", metrics.set_e_measure_loss, _sets.set_e_measure),
    _of_sets("set_accuracy", metrics.set_accuracy_score, _sets.set_accuracy),
    _of_sets("set_specificity", metrics.set_specificity_score, _sets.set_specificity),
    _of_sets("set_fallout", metrics.set_fallout_loss, _sets.set_fallout),
    _of_sets("set_miss_rate", metrics.set_miss_rate_loss, _sets.set_miss_rate),
    _of_sets("set_false_alarm", metrics.set_false_alarm_loss, _sets.set_false_alarm),
    _of_sets(
        "set_detection_cost",
        metrics.set_detection_cost_loss,
        _sets.set_detection_cost,
        range=_NOT_NEGATIVE,
    ),
    _of_labels("set_cost", metrics.set_cost_matrix_loss, range=_ANY),
]
METRICS = {row.name: row for row in _ROWS}
_OF_FUNCTION = {row.function: row for row in _ROWS if not row.arguments}


def metric_of(function):
    """Return the metric that a function computes, None for functions of others."""
    try:
        return _OF_FUNCTION.get(function)
    except TypeError:  # not hashable, so none of ours
        return None
