"""Names of measures: ``"ndcg@10"``, ``"ap(relevance_threshold=2)@100"``."""

import ast
import re
from collections import Counter
from difflib import get_close_matches

from sklearn_irmetrics.metrics._registry import ALIASES, METRICS, metric_of

# What reports and the command line show by default.
DEFAULT_METRICS = ("ndcg@10", "map", "mrr", "p@10", "rprec", "recall@10")

_LONGEST_NAME = 1000
_GRAMMAR = re.compile(
    r"\s*(?P<name>[a-z0-9_]+)\s*(?:\((?P<arguments>.*)\))?\s*(?:@(?P<number>[^()@]*))?",
    re.IGNORECASE | re.DOTALL,
)


_NEW_NAME = re.compile(r"[^\W\d]\w*")

# The measures of trec_eval in the order in which it prints them, with their names in
# this package; {} is a number, which trec_eval puts after "_". Counts have no name.
TREC_EVAL = {
    "runid": None,
    "num_q": None,
    "num_ret": None,
    "num_rel": None,
    "num_rel_ret": None,
    "map": "ap",
    "gm_map": "gmap",
    "Rprec": "rprec",
    "bpref": "bpref",
    "recip_rank": "rr",
    "iprec_at_recall": "iprec@{}",
    "P": "p@{}",
    "recall": "recall@{}",
    "infAP": "infap",
    "gm_bpref": "bpref(average='geometric')",
    "11pt_avg": "11pt",
    "ndcg": "ndcg",
    "ndcg_cut": "ndcg@{}",
    "map_cut": "ap@{}",
    "relative_P": "recall(capped=True)@{}",
    "success": "success@{}",
    "set_P": "set_p",
    "set_recall": "set_recall",
    "set_F": "set_f",
    "num_nonrel_judged_ret": None,
}
_NUMBERED = {
    name.lower(): ours for name, ours in TREC_EVAL.items() if ours and "{}" in ours
}
_WITH_NUMBER = re.compile(rf"({'|'.join(_NUMBERED)})_(\d*\.?\d+)", re.IGNORECASE)
_WITH_CUTOFF = re.compile(r"(.*?)(?:(?:_?at)?_?(\d+))?", re.DOTALL)
_WITH_LEVEL = re.compile(r"\s*(\w+)(@\d+)?-l(\d+)\s*", re.IGNORECASE)  # as in ranx
_F_MEASURES = ("f", "max_f", "set_f")
# Parameters that have another name in ir_measures.
_PARAMETERS = {"rel": "relevance_threshold"}
_PARAMETERS_OF = {"rbp": {"p": "persistence"}}
# Further names of measures, used only in hints.
_MEANT = {
    "cohen_kappa": "cohen_kappa",
    "kappa": "cohen_kappa",
    "auroc": "auc",
    "roc": "roc_auc",
    "tpr": "set_recall",
    "true_positive_rate": "set_recall",
    "tnr": "set_specificity",
    "fpr": "set_fallout",
    "false_positive_rate": "set_fallout",
    "fnr": "set_miss_rate",
    "f_measure": "set_f",
    "f1_macro": "set_f1",
    "macro_f1": "set_f1",
    "normalized_discounted_cumulative_gain": "ndcg",
    "hit": "hit_rate",
    "hits": "hit_rate",
}


def parse_name(text):
    """Return the metric and the arguments that a name stands for."""
    if not isinstance(text, str):
        raise TypeError(
            f"a measure must be named by a string such as 'ndcg@10'; got {text!r}."
        )
    if numbered := _WITH_NUMBER.fullmatch(text.strip()):
        text = _NUMBERED[numbered[1].lower()].format(numbered[2])
    parts = _take_apart(text)
    name = parts["name"].lower()
    metric = METRICS.get(ALIASES.get(name, name))
    if metric is None:
        _refuse(name, name)
    given = {}
    if parts["arguments"] is not None:
        given = _arguments_of(metric, parts["arguments"], text)
    if parts["number"] is not None:
        if metric.at_parameter not in metric.parameters:
            raise ValueError(f"{name!r} takes no cutoff; got {text!r}.")
        _add(given, metric.at_parameter, _literal(parts["number"].strip(), text), text)
    metric.check_arguments(given, called=name)
    # "gmap" is "ap" with an average: both have the metric of their function.
    return metric_of(metric.function), metric.arguments | given


def check_new_name(name):
    """Return the name of a new measure; refuse one that means another measure."""
    if not isinstance(name, str) or not _NEW_NAME.fullmatch(name):
        raise ValueError(
            "name must consist of letters, digits and underscores, and not begin with "
            f"a digit; got {name!r}. In results, the keys of a dict of measures may be "
            "any text."
        )
    lower = name.lower()
    numbered = _WITH_NUMBER.fullmatch(lower)
    taken = ALIASES.get(lower, lower)
    if numbered or taken in METRICS or taken == "cohen_kappa":
        raise ValueError(
            f"name must be new, but {name!r} is a measure of this package already."
        )
    return name


def _take_apart(text):
    """Return the name, the arguments and the number of a measure, as texts."""
    readable = text if len(text) <= _LONGEST_NAME else ""
    if hint := _hint_of_level(readable):
        raise ValueError(f"{text!r} is not a measure; {hint}.")
    parts = _GRAMMAR.fullmatch(readable)
    if parts is None:
        if hyphenated := _GRAMMAR.fullmatch(readable.replace("-", "_")):
            _refuse(text[:80], hyphenated["name"].lower())
        raise ValueError(
            "a measure must be written as 'name', 'name@k' or "
            f"'name(parameter=value)@k'; got {text[:80]!r}.{_hint_of_comma(text)}"
            f"{_hint_of_dot(text)}"
        )
    if parts["name"] == "Accuracy":
        raise ValueError(
            "'Accuracy' in ir_measures is the share of pairs of documents in the right "
            "order: write 'roc_auc' for that, or 'set_accuracy' for the share of "
            "correct decisions."
        )
    return parts


def _arguments_of(metric, text, whole):
    """Return arguments by this package's names of parameters."""
    names = _PARAMETERS | _PARAMETERS_OF.get(metric.name, {})
    given = {}
    for parameter, value in _parse_arguments(text, whole).items():
        _add(given, names.get(parameter, parameter), value, whole)
    return given


def _add(given, parameter, value, whole):
    """Add an argument that must not be given twice."""
    if parameter in given:
        raise ValueError(f"{parameter} must be given once; got {whole!r}.")
    given[parameter] = value


def _refuse(text, name):
    """Refuse a text whose name is not that of a measure."""
    raise ValueError(
        f"{text!r} is not a measure; {_nearest(name)}. get_scorer_names() lists them "
        "all."
    )


def _nearest(name):
    """Return a hint for an unknown name: how to write it, or similar names."""
    if hint := _hint_of_number(name):
        return hint
    if name == "cohen_kappa":
        return "it compares labels, and only get_scorer takes it"
    name = name.removesuffix("_score")
    if name in ("fbeta", "f_beta"):
        return (
            "write 'set_f(beta=...)' for the F measure of sets, 'f(beta=...)@k' for "
            "that of rankings"
        )
    nearest = _similar_names(name)
    if not nearest:
        return (
            "no measure of rankings, sets or labels has a similar name (for measures "
            "of regression, see sklearn.metrics)"
        )
    return f"the nearest names are {', '.join(map(repr, nearest))}"


def _hint_of_number(name):
    """Return how to write a name that ends in a number, "" for other names."""
    stem, number = _WITH_CUTOFF.fullmatch(name).groups()
    metric = METRICS.get(ALIASES.get(stem, stem))
    if not number or metric is None:
        return ""
    takes_k = metric.at_parameter in metric.parameters
    if metric.name in _F_MEASURES:
        cutoff = f", '{stem}@{number}' for a cutoff" * takes_k
        return f"write '{stem}(beta={number})' for the F measure{cutoff}"
    return f"a cutoff follows '@', as in '{stem}@{number}'" if takes_k else ""


def _similar_names(name):
    """Return the names of measures that are written like one that does not exist."""
    meanings = {own_name: own_name for own_name in [*METRICS, *ALIASES]} | _MEANT
    for metric in METRICS.values():
        function_name = metric.function.__name__.removesuffix("_score")
        meanings.setdefault(function_name, metric.name)
    similar = get_close_matches(name, meanings, cutoff=0.7)
    if not similar:
        words = {word for word in name.split("_") if len(word) > 3}
        sharing_a_word = [known for known in meanings if words & {*known.split("_")}]
        similar = get_close_matches(name, sharing_a_word, cutoff=0.0)
    return list(dict.fromkeys(meanings[known] for known in similar))


_NOT_LITERAL = (SyntaxError, ValueError, TypeError, MemoryError, RecursionError)


# Python's parser warns of odd escapes and of numbers that run into a word. Neither is a
# token here, so no warning filter, which all threads share, has to be set.
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
    """Return the literals inside the brackets of a name."""
    try:
        call = _syntax_tree(f"f({text})", text)
        is_call = isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        if not is_call or call.args:
            raise ValueError("no arguments")
        pairs = [
            (key.arg.lower(), ast.literal_eval(key.value)) for key in call.keywords
        ]
        if len(dict(pairs)) < len(pairs):
            raise ValueError("an argument twice")
    except _NOT_LITERAL as error:
        raise ValueError(
            "arguments of a measure must be written as parameter=literal, ..., with "
            f"text in quotes; got {whole!r}."
        ) from error
    for argument in call.keywords:
        if isinstance(argument.value, ast.Dict):
            check_distinct(argument.arg, map(ast.literal_eval, argument.value.keys))
    return dict(pairs)


def check_distinct(name, keys):
    """Refuse keys of a mapping of which two are equal, so that one would get lost."""
    for key, n_times in Counter(keys).items():
        if n_times > 1:
            raise ValueError(f"{name} must name {key!r} once; got it {n_times} times.")


def _literal(text, whole):
    """Return the number behind "@"."""
    try:
        value = ast.literal_eval(_syntax_tree(text, text))
        if isinstance(value, tuple):
            raise ValueError("several numbers")
        return value
    except _NOT_LITERAL as error:
        raise ValueError(
            f"'@' must be followed by a number; got {whole!r}.{_hint_of_comma(text)}"
        ) from error


def _hint_of_comma(text):
    """Return a hint for several measures in one name, "" for other texts."""
    return " Name one measure at a time." if "," in text else ""


def _hint_of_dot(text):
    """Return a hint for a name with its cutoff after a dot, as in trec_eval."""
    name, _, number = text.strip().partition(".")
    number, form = number.partition(",")[0], TREC_EVAL.get(name) or ""
    stem = form.removesuffix("@{}") if "{" in form else name.lower()
    metric = METRICS.get(ALIASES.get(stem, stem))
    if metric is None or not number.isdigit():
        return ""
    if metric.name == "rbp":
        return f" Write '{stem}(persistence=0.{number})'."
    takes_k = metric.at_parameter == "k" and "k" in metric.parameters
    return f" Write '{stem}@{number}'." if takes_k else ""


def _hint_of_level(text):
    """Return a hint for a name with the lowest relevant grade, "" for other texts."""
    if not (parts := _WITH_LEVEL.fullmatch(text)):
        return ""
    name, cutoff, grade = parts.groups()
    metric = METRICS.get(ALIASES.get(name.lower(), name.lower()))
    if metric is None or "relevance_threshold" not in metric.parameters:
        return ""
    return f"write '{name}(relevance_threshold={grade}){cutoff or ''}'"


def _syntax_tree(text, literals):
    """Return the parsed text if it consists of literals."""
    if not _TOKENS.fullmatch(literals):
        raise ValueError("no literal")
    return ast.parse(text, mode="eval").body
