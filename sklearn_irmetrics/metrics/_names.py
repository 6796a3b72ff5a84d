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
# Parameters that have another name in ir_measures.
_PARAMETERS = {"rel": "relevance_threshold"}
_PARAMETERS_OF = {"rbp": {"p": "persistence"}}
# What people type, and what to write instead. {at} is the cutoff that was typed, {at_k}
# also stands where none was, {arguments} are those that were typed.
_OF_ROWS = (
    "it compares the labels of all rows: call cohen_kappa_score, or pass "
    "get_scorer('cohen_kappa'{arguments}) as a scorer"
)
WORDS = {
    "cohen_kappa": _OF_ROWS,
    "kappa": _OF_ROWS,
    "quadratic_weighted_kappa": _OF_ROWS.format(arguments=", weights='quadratic'"),
    "qwk": _OF_ROWS.format(arguments=", weights='quadratic'"),
    "auroc": "write 'auc'",
    "roc": "write 'roc_auc'",
    "gauc": "write 'auc', which is computed for each query",
    "pauc": "write 'roc_auc(max_fpr=0.1)'",
    "partial_auc": "write 'roc_auc(max_fpr=0.1)'",
    "label_ranking_loss": "take 1 - 'roc_auc' of each row",
    "lrap": "write 'ap', which is computed for each row",
    "label_ranking_average_precision": "write 'ap', which is computed for each row",
    "tpr": "write 'set_recall'",
    "true_positive_rate": "write 'set_recall'",
    "tnr": "write 'set_specificity'",
    "fpr": "write 'set_fallout'",
    "false_positive_rate": "write 'set_fallout'",
    "fnr": "write 'set_miss_rate'",
    "f_measure": "write 'set_f(beta=...)' for sets, 'f(beta=...)@k' for rankings",
    "fbeta": "write 'set_f(beta=...)' for sets, 'f(beta=...)@k' for rankings",
    "f_beta": "write 'set_f(beta=...)' for sets, 'f(beta=...)@k' for rankings",
    "f1_score": "write 'set_f1' for predicted labels, 'f1{at_k}' for rankings",
    "precision_score": "write 'set_p' for predicted labels, 'p{at_k}' for rankings",
    "recall_score": (
        "write 'set_recall' for predicted labels, 'recall{at_k}' for rankings"
    ),
    "r2": "evaluate takes scikit-learn's 'r2' as scoring",
    "f1_macro": "write \"set_f1(average='macro')\"",
    "macro_f1": "write \"set_f1(average='macro')\"",
    "e": "write 'set_e'",
    "e_measure": "write 'set_e'",
    "mean_reciprocal_rank": "write 'mrr{at}'",
    "mean_average_precision": "write 'map{at}'",
    "normalized_discounted_cumulative_gain": "write 'ndcg{at}'",
    "ndcg_burges": "write \"ndcg(gain='exponential'){at}\"",
    "hit": "write 'hit_rate{at_k}'",
    "hits": "write 'hit_rate{at_k}'",
    "top_k_accuracy": "write 'success{at_k}'",
    "recall_any": "write 'success{at_k}'",
    "recall_cap": "write 'recall(capped=True){at_k}'",
    "unj": "take 1 - 'judged{at_k}'",
    "gm_bpref": "write \"bpref(average='geometric')\"",
}
# Words that scikit-learn's names of measures do not hold, without "_".
_WORDS_OF_SKLEARN = {
    "auroc": "rocauc",
    "brier": "brierscore",
    "crossentropy": "logloss",
    "mcc": "matthewscorrcoef",
}
# A name as other tools write it: "ndcg_cut.10", "ndcg_at_10", "P@5-l3".
_FOREIGN = re.compile(
    r"""\s*(?P<name>\w+?) (?P<number>(?:_?at)?_?(?P<k>\d+))?
    (?:\.(?P<decimals>\d+)(?:,.*)?)? (?:\((?P<arguments>.*)\))?
    (?:@(?P<cutoff>\d+))? (?:-l(?P<grade>\d+))?\s*""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)


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
        raise ValueError(f"{name!r} is not a measure; {_hint_or_nearest(text)}.")
    arguments = {}
    if parts["arguments"] is not None:
        names = _PARAMETERS | _PARAMETERS_OF.get(metric.name, {})
        for parameter, value in _parse_arguments(parts["arguments"], text).items():
            _add(arguments, names.get(parameter, parameter), value, text)
    if parts["number"] is not None:
        if metric.at_parameter not in metric.parameters:
            raise ValueError(f"{name!r} takes no cutoff; got {text!r}.")
        _add(
            arguments,
            metric.at_parameter,
            _literal(parts["number"].strip(), text),
            text,
        )
    metric.check_arguments(arguments, called=name)
    # "gmap" is "ap" with an average: both have the metric of their function.
    base = metric_of(metric.function)
    defaults = base.parameters.items()
    return base, dict(metric.arguments.items() - defaults) | arguments


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
    known = ALIASES.get(lower, lower)
    if numbered or known in METRICS or known == "cohen_kappa":
        raise ValueError(
            f"name must be new, but {name!r} is a measure of this package already."
        )
    return name


def _take_apart(text):
    """Return the name, the arguments and the number of a measure, as texts."""
    readable = text if len(text) <= _LONGEST_NAME else ""
    parts = _GRAMMAR.fullmatch(readable)
    if parts is None or "-l" in (parts["number"] or ""):
        if hint := _hint(readable):
            raise ValueError(f"{text[:80]!r} is not a measure; {hint}.")
        advice = " Name one measure at a time." * ("," in text)
        raise ValueError(
            "a measure must be written as 'name', 'name@k' or "
            f"'name(parameter=value)@k'; got {text[:80]!r}.{advice}"
        )
    if parts["name"] == "Accuracy":
        raise ValueError(
            "'Accuracy' in ir_measures is the share of pairs of documents in the right "
            "order: write 'roc_auc' for that, or 'set_accuracy' for the share of "
            "correct decisions."
        )
    return parts


def _add(arguments, parameter, value, whole):
    """Add an argument that must not be given twice."""
    if parameter in arguments:
        raise ValueError(f"{parameter} must be given once; got {whole!r}.")
    arguments[parameter] = value


def _hint_or_nearest(text):
    """Return the right spelling of a measure that does not exist, or similar names."""
    hint = _hint(text)
    if not hint and (names := sklearn_names_of(text)):
        hint = (
            f"evaluate takes scikit-learn's {' or '.join(map(repr, names))} as scoring"
        )
    if not hint and (nearest := _nearest(_GRAMMAR.fullmatch(text)["name"].lower())):
        hint = f"the nearest names are {', '.join(map(repr, nearest))}"
    if not hint:
        hint = (
            "no measure of rankings, sets or labels has a similar name (for measures "
            "of regression, see sklearn.metrics)"
        )
    return f"{hint}. get_scorer_names() lists all measures"


def _hint(text):
    """Return the right spelling of a measure named otherwise, "" if it is unknown."""
    typed = _FOREIGN.fullmatch(re.sub(r"-(?!l\d)", "_", text))
    if typed is None:
        return ""
    stem, number = typed["name"].lower(), typed["number"] or ""
    arguments, cutoff = typed["arguments"], typed["cutoff"] or typed["decimals"]
    for name, k in ((stem + number, cutoff), (stem, typed["k"])):
        word = WORDS.get(name) or WORDS.get(name.removesuffix("_score"))
        if word:
            return word.format(
                at=f"@{k}" if k else "",
                at_k=f"@{k or 'k'}",
                arguments=f", {arguments}" if arguments else "",
            )
        name = _SPELLINGS.get(name, name.removesuffix("_score"))
        metric = METRICS.get(ALIASES.get(name, name))
        if metric is None:
            continue
        has_beta = bool(number) and "beta" in metric.parameters
        if has_beta and "k" not in metric.parameters and typed["decimals"]:
            name = name.removesuffix(number)  # "max_f1.5", although max_f1 is a measure
        if has_beta and name == stem:
            return _spell_beta(name, metric, typed)
        if name == stem and number:
            return _spell(name, metric, typed["k"], None, None)
        return _spell(name, metric, k, typed["decimals"], typed["grade"])
    return ""


def _spell_beta(name, metric, typed):
    """Return the right spelling of F measures that end in beta: "f0.5", "set_f05"."""
    number, cutoff, decimals = typed["k"], typed["cutoff"], typed["decimals"]
    if number.startswith("0"):
        beta = f"0.{number[1:] or decimals or 0}"
    elif decimals and "k" not in metric.parameters:
        beta = f"{number}.{decimals}"
    else:
        beta, cutoff = number, cutoff or decimals
    if "k" not in metric.parameters:
        return f"write '{name}(beta={beta})'"
    at_k = f", 'f@{number}' for a cutoff" if beta == number else ""
    return (
        f"write 'f(beta={beta})@{cutoff or 'k'}' for the F measure of rankings, "
        f"'set_f(beta={beta})' for that of sets{at_k}"
    )


def _spell(name, metric, k, decimals, grade):
    """Return the spelling of a measure with a cutoff and the lowest relevant grade."""
    inside, at = "", ""
    if grade is not None:
        if "relevance_threshold" not in metric.parameters:
            return f"{name!r} distinguishes grades, and has no lowest relevant one"
        inside = f"(relevance_threshold={grade})"
    if metric.name == "rbp" and decimals:  # as in ranx
        inside = f"(persistence=0.{decimals})"
    elif decimals and metric.at_parameter != "k":
        at = f"@0.{decimals}"
    elif k and metric.at_parameter == "k" and "k" in metric.parameters:
        at = f"@{k}"
    return f"write '{name}{inside}{at}'"


def sklearn_names_of(text):
    """Return scikit-learn's names of a measure, written as people and papers do.

    Without "neg", with the name of the function, in short, or by initials: "log_loss",
    "accuracy_score", "brier", "MSE".
    """
    from sklearn.metrics import get_scorer_names

    typed = re.sub(r"[(@].*|[\W_]", "", text.lower(), flags=re.DOTALL)
    typed = _WORDS_OF_SKLEARN.get(typed, typed)
    exact, longer = [], []
    for name in get_scorer_names():
        words = name.removeprefix("neg_").split("_")
        whole, initials = "".join(words), "".join(word[0] for word in words)
        if typed in (whole, f"{whole}score", f"neg{whole}", initials):
            exact.append(name)
        elif len(typed) > 2 and whole.startswith(typed):
            longer.append(name)
    return exact or longer


def _nearest(name):
    """Return the names of measures that are written like one that does not exist."""
    meanings = {known: known for known in [*METRICS, *ALIASES]} | _SPELLINGS
    similar = get_close_matches(name, meanings, cutoff=0.7)
    if not similar:
        words = {word for word in name.split("_") if len(word) > 3}
        sharing_a_word = [known for known in meanings if words & {*known.split("_")}]
        similar = get_close_matches(name, sharing_a_word, cutoff=0.0)
    return list(dict.fromkeys(meanings[known] for known in similar))


# Names of functions, and trec_eval's of measures with a cutoff, without it.
_SPELLINGS = {
    metric.function.__name__.removesuffix("_score"): name
    for name, metric in METRICS.items()
    if not metric.arguments
} | {
    name: ours.removesuffix("@{}")
    for name, ours in _NUMBERED.items()
    if "(" not in ours
}
_SPELLINGS = {key: name for key, name in _SPELLINGS.items() if key not in ALIASES}


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
        advice = " Name one measure at a time." * ("," in text)
        if "%" in text:
            advice = (
                " A cutoff is a number of documents: for the top tenth of rankings of "
                "N documents, write N / 10, rounded up."
            )
        raise ValueError(
            f"'@' must be followed by a number; got {whole!r}.{advice}"
        ) from error


def _syntax_tree(text, literals):
    """Return the parsed text if it consists of literals."""
    if not _TOKENS.fullmatch(literals):
        raise ValueError("no literal")
    return ast.parse(text, mode="eval").body
