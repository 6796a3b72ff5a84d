"""One literal table of all metrics, and the facts about each."""

import copyreg
import inspect
import math
import sys
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from sklearn_irmetrics import metrics
from sklearn_irmetrics.metrics import experimental
from sklearn_irmetrics.metrics._ranking.marks import MARKS

# Parameters that every metric takes besides its own.
SHARED_PARAMETERS = frozenset(
    ("qid", "labels", "sample_weight", "ties", "average", "replace_undefined_by")
)
# Further names of metrics.
ALIASES = {
    "precision": "p",
    "r": "recall",
    "hit_rate": "success",
    "hr": "success",
    "r_precision": "rprec",
    "mrr": "rr",
    "recip_rank": "rr",
    "map": "ap",
    "gm_map": "gmap",
    "interpolated_precision": "iprec",
    "eleven_point": "11pt",
    "11pt_avg": "11pt",
    "auc": "roc_auc",
    "q_measure": "q",
    "coverage_ratio": "coverage",
    "novelty_ratio": "novelty",
    "tau": "kendall_tau",
    "kendall": "kendall_tau",
    "rho": "spearman_rho",
    "spearman": "spearman_rho",
    "strec": "subtopic_recall",
    "strecall": "subtopic_recall",
    "ap_ia": "map_ia",
    "self_information": "miuf",
    "intra_list_diversity": "ild",
    "set_precision": "set_p",
    "setp": "set_p",
    "sensitivity": "set_recall",
    "setr": "set_recall",
    "setf": "set_f",
    "accuracy": "set_accuracy",
    "specificity": "set_specificity",
    "fallout": "set_fallout",
    "set_dice": "set_f1",
}
RESPONSES = ("decision_function", "predict_proba", "predict")


@dataclass(frozen=True, eq=False)
class Metric:
    """Facts about one metric.

    Attributes
    ----------
    name : str
        Its name.
    function : callable
        The public function.
    kind : {"ranking", "set", "labels"}
        What it depends on: the order of documents, which documents were retrieved, or
        two labels of each document.
    range : tuple of float
        The smallest and the largest value.
    graded : bool
        Whether it distinguishes grades above the relevance threshold.
    at : str
        The parameter that ``@`` sets.
    arguments : dict
        Arguments that the name implies, for the metric that has the same function.
    exact_ties : bool
        Whether the value under ties is the mean over the orders of tied documents.
        Otherwise these count as one step, or their exposures are averaged.
    marks : tuple of str
        Marks of documents that it requires.
    subtopics : bool
        Whether it takes grades of documents by subtopic, of shape (n_documents,
        n_subtopics).
    extremes : bool
        Whether it supports the best and the worst order of tied documents.
    ranks_without_k : bool
        Whether it depends on the order of documents if there is no cutoff. Otherwise it
        has one value for all estimators, which score every document.
    weighs_documents : bool
        Whether documents of one set or ranking may have weights.
    """

    name: str
    function: Any
    kind: str = "ranking"
    range: tuple = (0.0, 1.0)
    graded: bool = False
    at: str = "k"
    arguments: dict = field(default_factory=dict)
    exact_ties: bool = True
    marks: tuple = ()
    subtopics: bool = False
    extremes: bool = True
    ranks_without_k: bool = True
    weighs_documents: bool = False

    @cached_property
    def kernel(self):
        """The formula of the function, under its name without the ending.

        It takes a ranking, or the counts of a set; measures of labels have none.
        """
        name = self.function.__name__.removesuffix("_score").removesuffix("_loss")
        return getattr(sys.modules[self.function.__module__], f"_{name}", None)

    @property
    def aliases(self):
        """Its further names."""
        return tuple(alias for alias, name in ALIASES.items() if name == self.name)

    @property
    def greater_is_better(self):
        """Whether larger values are better."""
        return not self.function.__name__.endswith("_loss")

    @property
    def has_direction(self):
        """Whether larger values, or smaller ones, are better."""
        return self.function.__name__.endswith(("_score", "_loss"))

    @property
    def judges_predictions(self):
        """Whether it scores the result of `predict` for each row, not an order."""
        return self.kind != "ranking"

    @property
    def response_method(self):
        """The prediction methods that a scorer calls."""
        return "predict" if self.judges_predictions else RESPONSES

    @cached_property
    def signature(self):
        """All parameters of the function, as `inspect` describes them."""
        return inspect.signature(self.function).parameters

    @cached_property
    def takes(self):
        """The names of all parameters of the function."""
        return frozenset(self.signature)

    @cached_property
    def parameters(self):
        """Its own parameters with their defaults."""
        return {
            name: parameter.default
            for name, parameter in self.signature.items()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY
            and name not in SHARED_PARAMETERS
            and name not in MARKS
        }

    @property
    def ranks(self):
        """Whether it depends on the order of documents, for which ties have rules."""
        return "ties" in self.takes

    @cached_property
    def required(self):
        """The names of its own parameters that have no default."""
        return [
            name
            for name, default in self.parameters.items()
            if default is inspect.Parameter.empty
        ]


def _row(name):
    return METRICS[name]


# Pickled by name, so each exists only once.
copyreg.pickle(Metric, lambda metric: (_row, (metric.name,)))


_NOT_NEGATIVE, _ANY = (0.0, math.inf), (-math.inf, math.inf)
_GREEDY = 0.0, math.e / (math.e - 1.0)  # the guarantee of the greedy order
# Facts that rows share.
_at_k = partial(Metric, ranks_without_k=False)
_grouped_ties = partial(Metric, exact_ties=False)
_of_grades = partial(Metric, graded=True)
_of_order = partial(Metric, graded=True, range=(-1.0, 1.0))
_of_subtopics = partial(Metric, subtopics=True, extremes=False)
_of_labels = partial(Metric, kind="labels", weighs_documents=True)
_of_sets = partial(Metric, kind="set")
_of_exposure = partial(Metric, range=_NOT_NEGATIVE, exact_ties=False, extremes=False)
_scored = partial(Metric, marks=("inverse_propensity",))

_ROWS = [
    _at_k("p", metrics.precision_at_k_score),
    _at_k("recall", metrics.recall_at_k_score),
    _at_k("f", metrics.fbeta_at_k_score),
    _at_k("f1", metrics.fbeta_at_k_score, arguments={"beta": 1.0}),
    _at_k("success", metrics.success_at_k_score),
    Metric("rprec", metrics.r_precision_score),
    Metric("rr", metrics.reciprocal_rank_score),
    Metric("ap", metrics.average_precision_score, weighs_documents=True),
    Metric(
        "gmap",
        metrics.average_precision_score,
        arguments={"average": "geometric"},
        weighs_documents=True,
    ),
    _grouped_ties("iprec", metrics.interpolated_precision_score, at="recall_level"),
    _grouped_ties("11pt", metrics.eleven_point_precision_score),
    _grouped_ties("pr_auc", metrics.precision_recall_auc_score),
    _grouped_ties("max_f", metrics.max_fbeta_score),
    _grouped_ties("max_f1", metrics.max_fbeta_score, arguments={"beta": 1.0}),
    Metric("roc_auc", metrics.roc_auc_score, weighs_documents=True),
    _of_grades("rbp", metrics.rank_biased_precision_score),
    Metric("rbp_residual", metrics.rank_biased_precision_residual),
    Metric("bpref", metrics.bpref_score),
    Metric("infap", metrics.inferred_average_precision_score, extremes=False),
    _at_k("judged", metrics.judged_at_k_score),
    _at_k("cg", metrics.cumulative_gain_score, graded=True, range=_ANY),
    _of_grades("dcg", metrics.dcg_score, range=_ANY),
    _of_grades("ndcg", metrics.ndcg_score),
    _of_grades("err", metrics.expected_reciprocal_rank_score),
    _of_grades("q", metrics.q_measure_score),
    _at_k("coverage", metrics.coverage_ratio_score, marks=("known",)),
    _at_k("novelty", metrics.novelty_ratio_score, marks=("known",)),
    _at_k("relative_recall", metrics.relative_recall_score, range=_NOT_NEGATIVE),
    Metric("recall_effort", metrics.recall_effort_score),
    _of_order("kendall_tau", metrics.kendall_tau_score),
    _of_order("spearman_rho", metrics.spearman_rho_score),
    _of_order("tau_ap", metrics.average_precision_correlation_score),
    _of_grades("rbo", metrics.rank_biased_overlap_score),
    _of_subtopics("alpha_ndcg", metrics.alpha_ndcg_score, range=_GREEDY),
    _of_subtopics(
        "subtopic_recall", metrics.subtopic_recall_score, ranks_without_k=False
    ),
    _of_subtopics("err_ia", metrics.intent_aware_reciprocal_rank_score),
    _of_subtopics("nrbp", metrics.novelty_rank_biased_precision_score),
    _of_subtopics("map_ia", metrics.intent_aware_average_precision_score),
    _at_k("p_ia", metrics.intent_aware_precision_score, subtopics=True),
    _of_exposure("ee_l", experimental.expected_exposure_loss),
    _of_exposure("ee_d", experimental.expected_exposure_disparity),
    _of_exposure(
        "ee_r", experimental.expected_exposure_relevance_score, exact_ties=True
    ),
    _of_exposure(
        "awrf",
        experimental.attention_weighted_rank_fairness_score,
        range=(0.0, 1.0),
        marks=("membership",),
    ),
    _scored(
        "psp", experimental.propensity_scored_precision_score, ranks_without_k=False
    ),
    _scored("psdcg", experimental.propensity_scored_dcg_score, range=_NOT_NEGATIVE),
    _scored("psndcg", experimental.propensity_scored_ndcg_score),
    _at_k(
        "miuf",
        experimental.self_information_score,
        marks=("popularity",),
        range=_NOT_NEGATIVE,
    ),
    _at_k(
        "ild",
        experimental.intra_list_diversity_score,
        marks=("vectors",),
        extremes=False,
        range=(0.0, 2.0),
    ),
    _of_labels("scott_pi", metrics.scott_pi_score, range=(-1.0, 1.0)),
    _of_sets("set_p", metrics.set_precision_score),
    _of_sets("set_recall", metrics.set_recall_score),
    _of_sets("set_f", metrics.set_fbeta_score),
    _of_sets("set_f1", metrics.set_f1_score),
    _of_sets("set_e", metrics.set_e_measure_loss),
    _of_sets("set_accuracy", metrics.set_accuracy_score),
    _of_sets("set_specificity", metrics.set_specificity_score),
    _of_sets("set_fallout", metrics.set_fallout_loss),
    _of_sets("set_miss_rate", metrics.set_miss_rate_loss),
    _of_sets("set_false_alarm", metrics.set_false_alarm_loss),
    _of_sets(
        "set_detection_cost", metrics.set_detection_cost_loss, range=_NOT_NEGATIVE
    ),
    _of_labels("set_cost", metrics.set_cost_matrix_loss, range=_ANY),
]
METRICS = {row.name: row for row in _ROWS}
_OF_FUNCTION = {row.function: row for row in _ROWS if not row.arguments}


def metric_of(function):
    """Return the metric of a function, None for functions of other packages."""
    try:
        return _OF_FUNCTION.get(function)
    except TypeError:  # not hashable, so none of ours
        return None
