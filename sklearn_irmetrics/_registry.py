"""One literal table of all measures, and the strings that name them."""

import ast
import inspect
import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from sklearn_irmetrics import metrics
from sklearn_irmetrics.kernels import (
    _binary,
    _cascade,
    _correlation,
    _curve,
    _graded,
    _user,
)

# What every ranking measure takes besides its own parameters.
SHARED_PARAMETERS = frozenset(
    [
        "qid",
        "labels",
        "sample_weight",
        "ties",
        "average",
        "replace_undefined_by",
    ]
)
# Parameters with a value per document, which a string cannot hold.
MARKS = ("pooled", "known")
RESPONSES = ("decision_function", "predict_proba", "predict")
_LONGEST_NAME = 1000


@dataclass(frozen=True)
class Metric:
    """Facts about one measure.

    Attributes
    ----------
    function : callable
        The public function.
    kernel : callable or None
        What `score_queries` runs on a shared ranking; None: it calls the function.
    aliases : tuple of str
        Further names.
    range : tuple of float
        Least and largest value.
    graded : bool
        Whether it tells grades above the relevance threshold apart.
    at : str
        The parameter that ``@`` sets.
    arguments : dict
        Arguments that the name stands for.
    response_method : str or tuple of str
        What a scorer asks of the estimator.
    exact_ties : bool
        Whether tied documents are averaged over their orders, or met as one step.
    metadata : tuple of str
        Required values per document besides query ids.
    """

    function: Any
    kernel: Any
    aliases: tuple = ()
    range: tuple = (0.0, 1.0)
    graded: bool = False
    at: str = "k"
    arguments: dict = field(default_factory=dict)
    response_method: object = RESPONSES
    exact_ties: bool = True
    metadata: tuple = ()

    @property
    def greater_is_better(self):
        """Whether larger values are better."""
        return not self.function.__name__.endswith("_loss")

    @property
    def parameters(self):
        """The measure's own parameters with their defaults."""
        return {
            name: parameter.default
            for name, parameter in inspect.signature(self.function).parameters.items()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY
            and name not in SHARED_PARAMETERS
        }

    @property
    def ranks(self):
        """Whether it depends on the order of documents, for which ties have rules."""
        return "ties" in inspect.signature(self.function).parameters

    @property
    def required(self):
        """The names of its own parameters that have no default."""
        return [
            name
            for name, default in self.parameters.items()
            if default is inspect.Parameter.empty
        ]


_ANY = (float("-inf"), float("inf"))
_NOT_NEGATIVE = (0.0, float("inf"))
_SIGNED = (-1.0, 1.0)

METRICS = {
    "p": Metric(
        metrics.precision_at_k_score, _binary.precision_at_k, aliases=("precision",)
    ),
    "recall": Metric(metrics.recall_at_k_score, _binary.recall_at_k, aliases=("r",)),
    "f": Metric(metrics.fbeta_at_k_score, _binary.fbeta_at_k),
    "f1": Metric(metrics.fbeta_at_k_score, _binary.fbeta_at_k, arguments={"beta": 1.0}),
    "success": Metric(
        metrics.success_at_k_score, _binary.success_at_k, aliases=("hit_rate",)
    ),
    "rprec": Metric(
        metrics.r_precision_score, _binary.r_precision, aliases=("r_precision",)
    ),
    "rr": Metric(
        metrics.reciprocal_rank_score, _binary.reciprocal_rank, aliases=("mrr",)
    ),
    "ap": Metric(
        metrics.average_precision_score, _binary.average_precision, aliases=("map",)
    ),
    "gmap": Metric(
        metrics.average_precision_score,
        _binary.average_precision,
        arguments={"average": "geometric"},
    ),
    "iprec": Metric(
        metrics.interpolated_precision_score,
        _curve.interpolated_precision,
        aliases=("interpolated_precision",),
        at="recall_level",
        exact_ties=False,
    ),
    "11pt": Metric(
        metrics.eleven_point_precision_score,
        _curve.eleven_point_precision,
        aliases=("eleven_point",),
        exact_ties=False,
    ),
    "pr_auc": Metric(
        metrics.precision_recall_auc_score,
        _curve.precision_recall_auc,
        exact_ties=False,
    ),
    "roc_auc": Metric(metrics.roc_auc_score, _curve.roc_auc, aliases=("auc",)),
    "rbp": Metric(
        metrics.rank_biased_precision_score, _cascade.rank_biased_precision, graded=True
    ),
    "rbp_residual": Metric(
        metrics.rank_biased_precision_residual, _cascade.rank_biased_precision_residual
    ),
    "bpref": Metric(metrics.bpref_score, _binary.bpref),
    "infap": Metric(
        metrics.inferred_average_precision_score, _binary.inferred_average_precision
    ),
    "judged": Metric(metrics.judged_at_k_score, _binary.judged_at_k),
    "cg": Metric(
        metrics.cumulative_gain_score,
        _graded.cumulative_gain,
        range=_ANY,
        graded=True,
    ),
    "dcg": Metric(metrics.dcg_score, _graded.dcg, range=_ANY, graded=True),
    "ndcg": Metric(metrics.ndcg_score, _graded.ndcg, graded=True),
    "err": Metric(
        metrics.expected_reciprocal_rank_score,
        _cascade.expected_reciprocal_rank,
        graded=True,
    ),
    "q": Metric(
        metrics.q_measure_score, _graded.q_measure, aliases=("q_measure",), graded=True
    ),
    "coverage": Metric(
        metrics.coverage_ratio_score,
        _user.coverage_ratio,
        aliases=("coverage_ratio",),
        metadata=("known",),
    ),
    "novelty": Metric(
        metrics.novelty_ratio_score,
        _user.novelty_ratio,
        aliases=("novelty_ratio",),
        metadata=("known",),
    ),
    "relative_recall": Metric(
        metrics.relative_recall_score, _user.relative_recall, range=_NOT_NEGATIVE
    ),
    "recall_effort": Metric(metrics.recall_effort_score, _user.recall_effort),
    "kendall_tau": Metric(
        metrics.kendall_tau_score,
        _correlation.kendall_tau,
        aliases=("tau", "kendall"),
        range=_SIGNED,
        graded=True,
    ),
    "spearman_rho": Metric(
        metrics.spearman_rho_score,
        _correlation.spearman_rho,
        aliases=("rho", "spearman"),
        range=_SIGNED,
        graded=True,
    ),
    "tau_ap": Metric(
        metrics.average_precision_correlation_score,
        _correlation.average_precision_correlation,
        range=_SIGNED,
        graded=True,
    ),
    "rbo": Metric(
        metrics.rank_biased_overlap_score, _correlation.rank_biased_overlap, graded=True
    ),
    "scott_pi": Metric(
        metrics.scott_pi_score, None, range=_SIGNED, response_method="predict"
    ),
    "set_p": Metric(
        metrics.set_precision_score,
        None,
        aliases=("set_precision",),
        response_method="predict",
    ),
    "set_recall": Metric(metrics.set_recall_score, None, response_method="predict"),
    "set_f": Metric(metrics.set_fbeta_score, None, response_method="predict"),
    "set_f1": Metric(metrics.set_f1_score, None, response_method="predict"),
    "set_dice": Metric(metrics.set_dice_score, None, response_method="predict"),
    "set_e": Metric(metrics.set_e_measure_loss, None, response_method="predict"),
    "set_accuracy": Metric(metrics.set_accuracy_score, None, response_method="predict"),
    "set_specificity": Metric(
        metrics.set_specificity_score, None, response_method="predict"
    ),
    "set_fallout": Metric(metrics.set_fallout_loss, None, response_method="predict"),
    "set_miss_rate": Metric(
        metrics.set_miss_rate_loss, None, response_method="predict"
    ),
    "set_false_alarm": Metric(
        metrics.set_false_alarm_loss, None, response_method="predict"
    ),
    "set_detection_cost": Metric(
        metrics.set_detection_cost_loss,
        None,
        range=_NOT_NEGATIVE,
        response_method="predict",
    ),
    "set_cost": Metric(
        metrics.set_cost_matrix_loss, None, range=_ANY, response_method="predict"
    ),
}

_ALIASES = {alias: name for name, metric in METRICS.items() for alias in metric.aliases}
_GRAMMAR = re.compile(
    r"\s*(?P<name>[a-z0-9_]+)\s*(?:\((?P<arguments>.*)\))?\s*(?:@(?P<at>[^()@]*))?",
    re.IGNORECASE | re.DOTALL,
)


def parse_metric(text, parameter="metric"):
    """Return the `Metric` and the arguments that a string such as ``"ndcg@10"`` names.

    Parameters
    ----------
    text : str
        ``name``, ``name@number``, ``name(parameter=value, ...)`` or both; case does
        not matter. Values are Python literals; nothing is evaluated.
    parameter : str, default="metric"
        What the text was given as, for messages; "" leaves it out.

    Returns
    -------
    metric : Metric
    arguments : dict
        Keyword arguments for ``metric.function``.

    Raises
    ------
    TypeError, ValueError
        If the text is no string, names no measure or not its parameters.
    """
    try:
        return _parse(text)
    except (TypeError, ValueError) as error:
        where = f"{parameter}: " if parameter else ""
        raise type(error)(f"{where}{error}") from None


def _parse(text):
    if not isinstance(text, str):
        raise TypeError(
            f"a measure must be named by a string such as 'ndcg@10'; got {text!r}."
        )
    parts = _GRAMMAR.fullmatch(text) if len(text) <= _LONGEST_NAME else None
    if parts is None:
        raise ValueError(
            "a measure must be written as 'name', 'name@k' or "
            f"'name(parameter=value)@k'; got {text[:80]!r}."
        )
    name = parts["name"].lower()
    metric = METRICS.get(_ALIASES.get(name, name))
    if metric is None:
        known = [*METRICS, *_ALIASES]
        nearest = get_close_matches(name, known, n=3, cutoff=0.4) or sorted(METRICS)
        raise ValueError(
            f"{name!r} is not a measure; the nearest names are "
            f"{', '.join(map(repr, nearest))}. get_scorer_names() lists them all."
        )
    given = {}
    if parts["arguments"] is not None:
        given = _parse_arguments(parts["arguments"], text)
    if parts["at"] is not None:
        if metric.at not in metric.parameters:
            raise ValueError(f"{name!r} takes no cutoff; got {text!r}.")
        if metric.at in given:
            raise ValueError(f"{metric.at} must be given once; got {text!r}.")
        given[metric.at] = _literal(parts["at"].strip(), text)
    arguments = metric.arguments | given
    check_names(name, metric, arguments)
    return metric, arguments


def by_label(parameter, names):
    """Return names of measures by the label that they go under.

    Parameters
    ----------
    parameter : str
        What the names were given as, for the message.
    names : str, iterable of str, or dict of str to str
        A dict gives labels; otherwise names are their own.

    Returns
    -------
    dict of str to str

    Raises
    ------
    ValueError
        If there is none.
    """
    names = [names] if isinstance(names, str) else names
    try:
        named = dict(names) if hasattr(names, "keys") else {n: n for n in names}
    except (TypeError, ValueError):
        raise TypeError(
            f"{parameter} must be the name of a measure, a list of names, or a dict of "
            f"labels and names; got {names!r}."
        ) from None
    if not named:
        raise ValueError(f"{parameter} must name at least one measure; got none.")
    return named


def check_names(name, metric, arguments):
    """Refuse arguments that the measure does not have."""
    accepted = set(inspect.signature(metric.function).parameters)
    allowed = {*metric.parameters, *(SHARED_PARAMETERS & accepted)}
    allowed -= {"qid", *MARKS}  # values per document are no part of a name
    unknown = sorted(set(arguments) - allowed)
    if unknown:
        raise ValueError(
            f"{name!r} has no parameter {unknown[0]!r}; it has "
            f"{', '.join(sorted(allowed))}."
        )


def check_complete(name, metric, arguments):
    """Refuse to go on without an argument that the measure needs."""
    missing = set(metric.required) - set(arguments) - set(MARKS)
    if missing:
        parameter = sorted(missing)[0]
        raise ValueError(
            f"{name!r} needs {parameter}: write '{name}({parameter}=...)', or pass it "
            "as a keyword."
        )


_NOT_LITERAL = (SyntaxError, ValueError, TypeError, MemoryError, RecursionError)


# Python's parser warns of odd escapes and of numbers that run into a word: neither is
# a token here, so that there are no warning filters, which all threads share, to set.
_TOKENS = re.compile(
    r"""(?:
        [\s\[\](){},:+=-] | (?:True|False|None)\b | [^\W\d]\w*(?=\s*=)
        | (?: 0[xX][\da-fA-F_]+ | 0[oO][0-7_]+ | 0[bB][01_]+
            | (?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?[\d_]+)?[jJ]? )(?!\w)
        | [bB]?'(?:[^'\\]|ESCAPE)*+' | [bB]?"(?:[^"\\]|ESCAPE)*+"
    )*+""".replace("ESCAPE", r"\\(?:[\\'\"abfnrtv0]|x[\da-fA-F]{2})"),
    re.VERBOSE | re.ASCII,
)


def _parse_arguments(text, whole):
    try:
        call = _syntax_tree(f"f({text})", text)
        good = isinstance(call, ast.Call) and not call.args
        good = good and isinstance(call.func, ast.Name)
        if good and all(keyword.arg for keyword in call.keywords):
            given = {
                keyword.arg.lower(): ast.literal_eval(keyword.value)
                for keyword in call.keywords
            }
            if len(given) == len(call.keywords):
                return given
    except _NOT_LITERAL:
        pass
    raise ValueError(
        "arguments of a measure must be written as parameter=literal, ...; got "
        f"{whole!r}."
    )


def _literal(text, whole):
    try:
        return ast.literal_eval(_syntax_tree(text, text))
    except _NOT_LITERAL as error:
        raise ValueError(f"'@' must be followed by a number; got {whole!r}.") from error


def _syntax_tree(text, literals):
    if not _TOKENS.fullmatch(literals):
        raise ValueError("no literal")
    return ast.parse(text, mode="eval").body
