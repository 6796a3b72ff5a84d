"""One literal table of all metrics, and the facts about each."""

import copyreg
import inspect
import math
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from sklearn_irmetrics._statistics.tables import chance_corrected
from sklearn_irmetrics.metrics import (
    agreement,
    binary,
    cascade,
    curves,
    graded,
    sets,
    subtopics,
    user,
)
from sklearn_irmetrics.metrics._ranking.averages import (
    NO_DENOMINATOR,
    NO_PAIRS,
    NOT_RETRIEVED,
    NOTHING_RELEVANT,
    ONE_CLASS,
    ONE_LABEL,
    SOMETHING_RELEVANT,
)
from sklearn_irmetrics.metrics._ranking.custom import CustomFunction
from sklearn_irmetrics.metrics._ranking.marks import MARKS, is_of_query
from sklearn_irmetrics.metrics.experimental import exposure, lists, propensity

# Parameters that every metric takes besides its own.
SHARED_PARAMETERS = frozenset(
    ("qid", "labels", "sample_weight", "ties", "average", "replace_undefined_by")
)
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
    formula : callable or None
        What it computes from a ranking, or from the counts of a set; None for measures
        of labels.
    kind : {"ranking", "set", "labels"}
        What it depends on: the order of documents, which documents were retrieved, or
        two labels of each document.
    range : tuple of float
        The smallest and the largest value, with its default arguments.
    range_of : callable or None
        Returns the range for a dict of all its parameters, if it depends on them.
    graded : bool
        Whether it distinguishes grades above the relevance threshold.
    at_parameter : str
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
    row_measure : {"area", "average precision"} or None
        What it measures if all rows are one ranking, where single rows matter little.
    of_table : callable or None
        For a measure of labels that depends only on how often each pair of them occurs:
        from tables of these counts to values and their derivatives.
    sum_unless : str or None
        The flag without which it is a sum over documents rather than their mean; sums
        of splits are added. None: it is no such sum.
    aliases : tuple of str
        Its further names.
    undefined_if : str
        Why it is undefined for a query, for warnings.
    one_vs_rest : str or None
        Scikit-learn's name of the mean over classes, which people expect where a
        classifier has several.
    counts_decisions : bool
        Whether it counts the rows that are decided correctly, whatever their class, so
        that all classes are one set.
    counts_classes_alike : bool
        Whether small classes count as much as large ones.
    """

    name: str
    function: Any
    formula: Any = None
    kind: str = "ranking"
    range: tuple = (0.0, 1.0)
    range_of: Any = None
    graded: bool = False
    at_parameter: str = "k"
    arguments: dict = field(default_factory=dict)
    exact_ties: bool = True
    marks: tuple = ()
    subtopics: bool = False
    extremes: bool = True
    ranks_without_k: bool = True
    weighs_documents: bool = False
    row_measure: str | None = None
    of_table: Any = None
    sum_unless: str | None = None
    aliases: tuple = ()
    undefined_if: str = NOTHING_RELEVANT
    one_vs_rest: str | None = None
    counts_decisions: bool = False
    counts_classes_alike: bool = False

    def __eq__(self, other):
        """Whether name and function are the same."""
        if not isinstance(other, Metric):
            return NotImplemented
        return (self.name, self.function) == (other.name, other.function)

    def __hash__(self):
        return hash((self.name, self.function))

    def check_arguments(self, arguments, *, called):
        """Refuse arguments that the metric does not have; `called` is its name."""
        allowed = {
            *self.parameters,
            *(SHARED_PARAMETERS & self.all_parameters.keys()),
        } - {"qid"}
        unknown = sorted(set(arguments) - allowed)
        if unknown:
            raise ValueError(
                f"{called!r} has no parameter {unknown[0]!r}; it has "
                f"{', '.join(sorted(allowed))}."
            )

    @property
    def is_custom(self):
        """Whether `make_metric` made it of a user's function."""
        return isinstance(self.function, CustomFunction)

    @property
    def greater_is_better(self):
        """Whether larger values are better."""
        return not self.function.__name__.endswith("_loss")

    @property
    def has_direction(self):
        """Whether larger values, or smaller ones, are better."""
        return self.function.__name__.endswith(("_score", "_loss"))

    def is_sum(self, arguments):
        """Whether it is a sum over documents, with these arguments."""
        return self.sum_unless is not None and not arguments.get(self.sum_unless)

    @property
    def judges_predictions(self):
        """Whether it scores the result of `predict` for each row, not an order."""
        return self.kind != "ranking"

    @property
    def response_method(self):
        """The prediction methods that a scorer calls."""
        return RESPONSES if self.kind == "ranking" else "predict"

    @cached_property
    def all_parameters(self):
        """All parameters of the function by name, as `inspect` describes them."""
        return inspect.signature(self.function).parameters

    @cached_property
    def parameters(self):
        """The defaults of its own parameters by name."""
        return {
            name: parameter.default
            for name, parameter in self.all_parameters.items()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY
            and name not in SHARED_PARAMETERS
            and (name not in MARKS or is_of_query(name))
        }

    @cached_property
    def requested_marks(self):
        """The marks that it requires, and those of queries that it takes."""
        return [
            *self.marks,
            *filter(is_of_query, MARKS.keys() & self.all_parameters.keys()),
        ]

    @property
    def ranks(self):
        """Whether it depends on the order of documents, for which ties have rules."""
        return "ties" in self.all_parameters

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


def _reduce(metric):
    """Return the function and the name for pickle; each row exists only once."""
    if metric.is_custom:
        return metric_of, (metric.function,)
    return _row, (metric.name,)


copyreg.pickle(Metric, _reduce)


_NOT_NEGATIVE, _ANY = (0.0, math.inf), (-math.inf, math.inf)
_FROM_1 = 1.0, math.inf
_GREEDY = 0.0, math.e / (math.e - 1.0)  # the guarantee of the greedy order


def _range_of_gains(parameters):
    return _GREEDY if parameters["normalize"] else (0.0, 1.0)


# Facts that rows share.
_at_k = partial(Metric, ranks_without_k=False)
_grouped_ties = partial(Metric, exact_ties=False)
_of_grades = partial(Metric, graded=True)
_of_order = partial(Metric, graded=True, range=(-1.0, 1.0), undefined_if=NO_PAIRS)
_of_subtopics = partial(Metric, subtopics=True, extremes=False)
_of_labels = partial(Metric, kind="labels", weighs_documents=True)
_of_sets = partial(Metric, kind="set", undefined_if=NO_DENOMINATOR)
_of_exposure = partial(Metric, range=_NOT_NEGATIVE, exact_ties=False, extremes=False)
_scored = partial(Metric, marks=("inverse_propensity",))

_ROWS = [
    _at_k(
        "p", binary.precision_at_k_score, binary._precision_at_k, aliases=("precision",)
    ),
    _at_k("recall", binary.recall_at_k_score, binary._recall_at_k, aliases=("r",)),
    _at_k("f", binary.fbeta_at_k_score, binary._fbeta_at_k),
    _at_k("f1", binary.fbeta_at_k_score, binary._fbeta_at_k, arguments={"beta": 1.0}),
    _at_k(
        "success",
        binary.success_at_k_score,
        binary._success_at_k,
        aliases=("hit_rate", "hr"),
    ),
    _at_k(
        "full_recall",
        binary.full_recall_at_k_score,
        binary._full_recall_at_k,
        aliases=("recall_all", "completeness"),
    ),
    _at_k("lift", binary.lift_at_k_score, binary._lift_at_k, range=_NOT_NEGATIVE),
    _at_k("fallout", binary.fallout_at_k_loss, binary._fallout_at_k),
    Metric(
        "rprec", binary.r_precision_score, binary._r_precision, aliases=("r_precision",)
    ),
    Metric(
        "rr",
        binary.reciprocal_rank_score,
        binary._reciprocal_rank,
        aliases=("mrr", "recip_rank"),
    ),
    Metric(
        "first_rank",
        binary.first_rank_loss,
        binary._first_rank,
        range=_FROM_1,
        undefined_if=NOT_RETRIEVED,
    ),
    Metric("last_rank", binary.last_rank_loss, binary._last_rank, range=_FROM_1),
    Metric(
        "ap",
        binary.average_precision_score,
        binary._average_precision,
        weighs_documents=True,
        row_measure="average precision",
        aliases=("map",),
        one_vs_rest="average_precision",
    ),
    Metric(
        "gmap",
        binary.average_precision_score,
        binary._average_precision,
        arguments={"average": "geometric"},
        weighs_documents=True,
        aliases=("gm_map",),
    ),
    _grouped_ties(
        "iprec",
        curves.interpolated_precision_score,
        curves._interpolated_precision,
        at_parameter="recall_level",
        aliases=("interpolated_precision", "precision_at_recall"),
    ),
    _grouped_ties(
        "11pt",
        curves.eleven_point_precision_score,
        curves._eleven_point_precision,
        aliases=("eleven_point", "11pt_avg"),
    ),
    _grouped_ties(
        "pr_auc",
        curves.precision_recall_auc_score,
        curves._precision_recall_auc,
        one_vs_rest="average_precision",
    ),
    _grouped_ties("max_f", curves.max_fbeta_score, curves._max_fbeta),
    _grouped_ties(
        "max_f1", curves.max_fbeta_score, curves._max_fbeta, arguments={"beta": 1.0}
    ),
    _grouped_ties(
        "recall_at_precision",
        curves.recall_at_precision_score,
        curves._recall_at_precision,
        at_parameter="min_precision",
        weighs_documents=True,
    ),
    _grouped_ties(
        "recall_at_fpr",
        curves.recall_at_fpr_score,
        curves._recall_at_fpr,
        at_parameter="max_fpr",
        weighs_documents=True,
        aliases=("tpr_at_fpr",),
    ),
    Metric(
        "roc_auc",
        curves.roc_auc_score,
        curves._roc_auc,
        weighs_documents=True,
        row_measure="area",
        aliases=("auc",),
        undefined_if=ONE_CLASS,
        one_vs_rest="roc_auc_ovr",
    ),
    _of_grades(
        "rbp", cascade.rank_biased_precision_score, cascade._rank_biased_precision
    ),
    Metric(
        "rbp_residual",
        cascade.rank_biased_precision_residual,
        cascade._rank_biased_precision_residual,
    ),
    Metric("bpref", binary.bpref_score, binary._bpref),
    Metric(
        "infap",
        binary.inferred_average_precision_score,
        binary._inferred_average_precision,
        extremes=False,
    ),
    Metric(
        "silence",
        binary.silence_score,
        binary._silence,
        undefined_if=SOMETHING_RELEVANT,
    ),
    _at_k("judged", binary.judged_at_k_score, binary._judged_at_k),
    _at_k(
        "cg",
        graded.cumulative_gain_score,
        graded._cumulative_gain,
        graded=True,
        range=_ANY,
    ),
    _of_grades("dcg", graded.dcg_score, graded._dcg, range=_ANY),
    _of_grades("ndcg", graded.ndcg_score, graded._ndcg),
    _of_grades(
        "err", cascade.expected_reciprocal_rank_score, cascade._expected_reciprocal_rank
    ),
    _of_grades("q", graded.q_measure_score, graded._q_measure, aliases=("q_measure",)),
    _at_k(
        "coverage",
        user.coverage_ratio_score,
        user._coverage_ratio,
        marks=("known",),
        aliases=("coverage_ratio",),
    ),
    _at_k(
        "novelty",
        user.novelty_ratio_score,
        user._novelty_ratio,
        marks=("known",),
        aliases=("novelty_ratio",),
    ),
    _at_k(
        "relative_recall",
        user.relative_recall_score,
        user._relative_recall,
        range=_NOT_NEGATIVE,
    ),
    Metric("recall_effort", user.recall_effort_score, user._recall_effort),
    Metric(
        "wss",
        user.work_saved_score,
        user._work_saved,
        at_parameter="recall_level",
        range=(0.95 - 1.0, 0.95),
        range_of=user._range_of_work_saved,
        aliases=("work_saved",),
    ),
    _of_grades(
        "opa",
        agreement.ordered_pairs_score,
        agreement._ordered_pairs,
        aliases=("ordered_pairs",),
    ),
    _of_order(
        "kendall_tau",
        agreement.kendall_tau_score,
        agreement._kendall_tau,
        aliases=("tau", "kendall"),
    ),
    _of_order(
        "spearman_rho",
        agreement.spearman_rho_score,
        agreement._spearman_rho,
        aliases=("rho", "spearman"),
    ),
    _of_order(
        "tau_ap",
        agreement.average_precision_correlation_score,
        agreement._average_precision_correlation,
    ),
    _of_grades(
        "rbo", agreement.rank_biased_overlap_score, agreement._rank_biased_overlap
    ),
    _of_subtopics(
        "alpha_ndcg",
        subtopics.alpha_ndcg_score,
        subtopics._alpha_ndcg,
        range=_GREEDY,
        range_of=_range_of_gains,
    ),
    _of_subtopics(
        "subtopic_recall",
        subtopics.subtopic_recall_score,
        subtopics._subtopic_recall,
        ranks_without_k=False,
        aliases=("strec", "strecall"),
    ),
    _of_subtopics(
        "err_ia",
        subtopics.intent_aware_reciprocal_rank_score,
        subtopics._intent_aware_reciprocal_rank,
        range_of=_range_of_gains,
    ),
    _of_subtopics(
        "nrbp",
        subtopics.novelty_rank_biased_precision_score,
        subtopics._novelty_rank_biased_precision,
        range_of=_range_of_gains,
    ),
    _of_subtopics(
        "map_ia",
        subtopics.intent_aware_average_precision_score,
        subtopics._intent_aware_average_precision,
        aliases=("ap_ia",),
    ),
    _at_k(
        "p_ia",
        subtopics.intent_aware_precision_score,
        subtopics._intent_aware_precision,
        subtopics=True,
    ),
    _of_exposure("ee_l", exposure.expected_exposure_loss, exposure._expected_exposure),
    _of_exposure(
        "ee_d",
        exposure.expected_exposure_disparity,
        exposure._expected_exposure_disparity,
    ),
    _of_exposure(
        "ee_r",
        exposure.expected_exposure_relevance_score,
        exposure._expected_exposure_relevance,
        exact_ties=True,
    ),
    _of_exposure(
        "awrf",
        exposure.attention_weighted_rank_fairness_score,
        exposure._attention_weighted_rank_fairness,
        range=(0.0, 1.0),
        marks=("membership",),
    ),
    _scored(
        "psp",
        propensity.propensity_scored_precision_score,
        propensity._propensity_scored_precision,
        ranks_without_k=False,
    ),
    _scored(
        "psdcg",
        propensity.propensity_scored_dcg_score,
        propensity._propensity_scored_dcg,
        range=_NOT_NEGATIVE,
    ),
    _scored(
        "psndcg",
        propensity.propensity_scored_ndcg_score,
        propensity._propensity_scored_ndcg,
    ),
    _at_k(
        "miuf",
        lists.self_information_score,
        lists._self_information,
        marks=("popularity",),
        range=_NOT_NEGATIVE,
        aliases=("self_information",),
    ),
    _at_k(
        "ild",
        lists.intra_list_diversity_score,
        lists._intra_list_diversity,
        marks=("vectors",),
        extremes=False,
        range=(0.0, 2.0),
        aliases=("intra_list_diversity",),
    ),
    _of_labels(
        "scott_pi",
        agreement.scott_pi_score,
        agreement._scott_pi,
        range=(-1.0, 1.0),
        of_table=partial(chance_corrected, pooled=True),
        undefined_if=ONE_LABEL,
        counts_classes_alike=True,
    ),
    _of_sets(
        "set_p",
        sets.set_precision_score,
        sets._set_precision,
        aliases=("set_precision", "setp"),
    ),
    _of_sets(
        "set_recall",
        sets.set_recall_score,
        sets._set_recall,
        aliases=("sensitivity", "setr"),
    ),
    _of_sets(
        "set_f",
        sets.set_fbeta_score,
        sets._set_fbeta,
        aliases=("setf",),
    ),
    _of_sets(
        "set_f1",
        sets.set_f1_score,
        sets._set_f1,
        aliases=("set_dice",),
    ),
    _of_sets(
        "set_e",
        sets.set_e_measure_loss,
        sets._set_e_measure,
    ),
    _of_sets(
        "set_accuracy",
        sets.set_accuracy_score,
        sets._set_accuracy,
        aliases=("accuracy",),
        counts_decisions=True,
    ),
    _of_sets(
        "set_specificity",
        sets.set_specificity_score,
        sets._set_specificity,
        aliases=("specificity",),
    ),
    _of_sets(
        "set_fallout",
        sets.set_fallout_loss,
        sets._set_fallout,
    ),
    _of_sets(
        "set_miss_rate",
        sets.set_miss_rate_loss,
        sets._set_miss_rate,
    ),
    _of_sets(
        "set_false_alarm",
        sets.set_false_alarm_loss,
        sets._set_false_alarm,
    ),
    _of_sets(
        "set_detection_cost",
        sets.set_detection_cost_loss,
        sets._set_detection_cost,
        range=(0.0, 2.0),
        range_of=sets._range_of_detection_cost,
    ),
    _of_labels(
        "set_cost",
        sets.set_cost_matrix_loss,
        range=_NOT_NEGATIVE,
        range_of=sets._range_of_cost,
        sum_unless="normalize",
        undefined_if=NO_DENOMINATOR,
    ),
]
METRICS = {row.name: row for row in _ROWS}
ALIASES = {alias: row.name for row in _ROWS for alias in row.aliases}
_OF_FUNCTION = {row.function: row for row in _ROWS if not row.arguments}


def metric_of(function):
    """Return the metric of a function, None for functions of other packages."""
    if isinstance(function, CustomFunction):
        return _of_grades(
            function.name,
            function,
            function.formula,
            range=function.range,
            exact_ties=False,
            extremes=False,
        )
    try:
        return _OF_FUNCTION.get(function)
    except TypeError:  # not hashable, so none of ours
        return None
