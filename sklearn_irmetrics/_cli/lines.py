"""The lines of output that -m asks for, by names of this package or of trec_eval."""

import math
from typing import NamedTuple

from sklearn_irmetrics._cli.output import note
from sklearn_irmetrics.metrics._measure import (
    Measure,
    as_measure,
    formula_parameters,
    try_out,
)
from sklearn_irmetrics.metrics._names import TREC_EVAL
from sklearn_irmetrics.metrics.presets import preset

TOOLS = ("trec_eval9", "trec_eval10")


class Line(NamedTuple):
    """One line of output: a measure with its parameter.

    Attributes
    ----------
    label : str
        Its label.
    name : str
        The name in trec_eval; empty for names of this package.
    measure : Measure or None
        The measure; None for a count.
    """

    label: str
    name: str = ""
    measure: Measure | None = None


# The parameters of those measures that may have a line for each of several numbers.
_CUTOFFS = "5,10,15,20,30,100,200,500,1000"
_DEFAULTS = {
    "iprec_at_recall": "0,.1,.2,.3,.4,.5,.6,.7,.8,.9,1",
    "success": "1,5,10",
} | dict.fromkeys(("P", "recall", "ndcg_cut", "map_cut", "relative_P"), _CUTOFFS)
# Parameters of others: an example, and its form in this package.
_PARAMETERS = {
    "11pt_avg": (".2,.5,.8", lambda text: f"recall_levels=({text},)"),
    "ndcg": ("1=3,2=9", lambda text: f"gain={{{text.replace('=', ':')}}}"),
    "set_F": ("0.5", lambda text: f"beta={math.sqrt(float(text))}"),
}
_OFFICIAL = list(TREC_EVAL)[:12]
_SET = [*_OFFICIAL[:5], "set_P", "set_recall", "set_F"]
# What the release candidate of version 10 adds, and computes partly from unset memory.
_SINCE_10 = ("rbp", "rbp_resid", "unj")
# Measures of trec_eval that this package does not have.
_ABSENT_SET = ("utility", "set_relative_P", "set_map")
_ABSENT = ("relstring", "Rprec_mult", "binG", "G", "ndcg_rel", "Rndcg", *_ABSENT_SET)
_NICKNAMES = ("official", "set", "all_trec")


def is_name(text):
    """Return whether trec_eval has a measure of that name, or a nickname of several."""
    return text.partition(".")[0] in (*TREC_EVAL, *_ABSENT, *_NICKNAMES)


def parse_lines(texts, tool, changes):
    """Return the lines that names of measures ask for, and what is left out.

    Parameters
    ----------
    texts : list of str
        Names of trec_eval, with parameters after a dot, its nicknames "official",
        "all_trec" and "set", or names of this package.
    tool : {"trec_eval9", "trec_eval10"}
        The version of trec_eval to agree with.
    changes : dict of str to float
        Arguments that take the place of what the preset says.

    Returns
    -------
    lines : list of Line
        In the order of trec_eval; measures by names of this package come last.
    absent : list of str
        What a nickname asks for and this package has not.

    Raises
    ------
    ValueError
        If a name or a parameter is wrong.
    """
    names, absent = _expand_nicknames(texts, tool)
    wanted, ours = {}, []
    for text in names:
        name, _, parameters = text.partition(".")
        if name in TREC_EVAL:
            several = name in _DEFAULTS and wanted.get(name) and parameters
            wanted[name] = f"{wanted[name]},{parameters}" if several else parameters
        elif name in _ABSENT:
            raise ValueError(
                f"{name} of trec_eval is not supported; it has no counterpart here."
            )
        elif parse_measure(text).metric.subtopics:
            raise ValueError(
                f"{text!r} is of subtopics, which trec_eval does not read."
            )
        else:
            ours.append(Line(text, measure=_like(text, tool, changes)))
    lines = [
        Line(label, name, measure and _like(measure, tool, changes))
        for name in TREC_EVAL
        if name in wanted
        for label, measure in _spell(name, wanted[name])
    ]
    return lines + ours, absent


def _expand_nicknames(texts, tool):
    """Return names for nicknames of several, and those that this package has not.

    Parameters of a measure hold whether they come before or after a nickname.
    """
    missing_of_all = (*_ABSENT, *(_SINCE_10 if tool == "trec_eval10" else ()))
    nicknames = {
        "official": (_OFFICIAL, ()),
        "set": (_SET, _ABSENT_SET),
        "all_trec": (TREC_EVAL, missing_of_all),
    }
    names, of_nicknames, absent = [], {}, {}
    for text in dict.fromkeys(texts):
        if text in nicknames:
            several, missing = nicknames[text]
            of_nicknames |= dict.fromkeys(several)
            absent |= dict.fromkeys(missing)
        else:
            names.append(text)
    return [*of_nicknames, *names], list(absent)


def _spell(name, text):
    """Return for each parameter of a measure its label and our name for it."""
    ours = TREC_EVAL[name]
    if not text and name not in _DEFAULTS:
        return [(name, ours)]
    if name not in _DEFAULTS | _PARAMETERS:
        raise ValueError(f"{name} of trec_eval has no parameters; got {text!r}.")
    try:
        if name in _PARAMETERS:
            inside = _PARAMETERS[name][1](text)
            spelled = [(f"{name}_{text}", f"{ours}({inside})")]
        else:
            spelled = _spell_numbers(name, text or _DEFAULTS[name])
        if text:
            for _, measure in spelled:
                try_out(as_measure("", measure))
    except (ValueError, OverflowError) as error:
        example = _PARAMETERS.get(name, [_DEFAULTS.get(name)])[0]
        raise ValueError(
            f"parameters of {name} are written as in {name}.{example}; got {text!r}: "
            f"{error}"
        ) from error
    return spelled


def _spell_numbers(name, text):
    """Return the label and our name of each of several cutoffs or levels of recall."""
    form, read = ("3.2f", float) if name == "iprec_at_recall" else ("d", int)
    numbers = sorted({read(float(number)) for number in text.split(",")})
    if read is int and numbers[0] < 1:
        raise ValueError("cutoffs must be whole numbers from 1")
    return [(f"{name}_{n:{form}}", TREC_EVAL[name].format(n)) for n in numbers]


def _like(text, tool, changes):
    """Return a measure with the arguments of a tool; ties are given for all."""
    measure = as_measure("", text)
    arguments = preset(tool, measure)
    arguments.pop("ties", None)
    if "relevance_threshold" not in arguments:
        changes = {k: v for k, v in changes.items() if k != "relevance_threshold"}
    return Measure(measure, **arguments | changes | measure.arguments)


def parse_measure(text, relevance_threshold=None, ties="average"):
    """Return a measure; raise an error if it cannot score a run.

    The threshold applies if the measure has this parameter and does not set it.
    """
    measure = as_measure("", text)
    metric = measure.metric
    formula_parameters(measure)
    if metric.kind == "labels":
        raise ValueError(f"{metric.name!r} needs class labels, which runs do not have.")
    if relevance_threshold is not None and "relevance_threshold" in metric.parameters:
        own = {"relevance_threshold": relevance_threshold} | measure.arguments
        measure = Measure(measure, **own)
    ranks = "ties" in metric.all_parameters
    try_out(Measure(measure, ties=ties) if ranks else measure)
    return measure


def lines_of(args, default):
    """Return a line for each requested measure of this package."""
    options = {
        "relevance_threshold": args.relevance_threshold,
        "ties": args.ties or "average",
    }
    names = dict.fromkeys(args.measure or default)
    measures = {name: measure_of(args, name, **options) for name in names}
    if args.relevance_threshold is not None:
        _check_takers(args, "-l/--relevance-threshold", measures)
    if args.judged_only:
        _check_takers(args, "-J/--judged-only", measures)
    counts = ("runid", "num_q") if args.format == "trec" else ()
    return [Line(name, name) for name in counts] + [
        Line(name, measure=measure) for name, measure in measures.items()
    ]


def _check_takers(args, option, measures):
    """Refuse an option that no measure has, and note those that do not have it."""
    parameter = option.partition("/--")[2].replace("-", "_")
    others = [
        name
        for name, measure in measures.items()
        if parameter not in measure.metric.parameters
    ]
    if len(others) == len(measures):
        args.parser.error(f"argument {option}: has no effect on {', '.join(measures)}")
    if others:
        note(args, f"{option} has no effect on {', '.join(others)}")


def measure_of(args, name, **options):
    """Return the measure of a name; a wrong one is wrong usage."""
    return _usage(args, parse_measure, name, **options)


def lines_of_trec_eval(args):
    """Return the requested lines of trec_eval."""
    changes = {
        "relevance_threshold": args.relevance_threshold,
        "replace_undefined_by": args.undefined,
    }
    changes = {name: value for name, value in changes.items() if value is not None}
    texts = args.measure or ["official"]
    lines, absent = _usage(args, parse_lines, texts, args.like, changes)
    if absent:
        note(args, f"left out, not printed as trec_eval does: {', '.join(absent)}")
    return lines


def _usage(args, parse, *values, **options):
    """Parse values of the command line; report errors as wrong usage."""
    try:
        return parse(*values, **options)
    except (TypeError, ValueError) as error:
        message = str(error).replace("get_scorer_names()", "irmetrics metrics")
        message = message.replace("Name one measure at a time", "Repeat -m for each")
        message = message.replace(", or pass it as a keyword", "")
        if args.command == "score" and not args.like and is_name(values[0]):
            message += f" For names of trec_eval add --like {' or '.join(TOOLS)}."
        args.parser.error(f"argument -m/--measure: {message}")
