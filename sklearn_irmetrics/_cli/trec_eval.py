"""The measures of trec_eval by its own names, parameters and order."""

import math
import re
from dataclasses import dataclass, replace

import numpy as np

from sklearn_irmetrics._cli.score import (
    RunMeasure,
    interval_of,
    parse_measure,
    score_columns,
    unjudged,
)
from sklearn_irmetrics._measures.measure import (
    Measure,
    as_measure,
    try_out,
    with_arguments,
)
from sklearn_irmetrics._measures.names import TREC_EVAL
from sklearn_irmetrics._measures.presets import preset
from sklearn_irmetrics.runs._ids import ranks_in_queries

TOOLS = ("trec_eval9", "trec_eval10")


@dataclass(frozen=True)
class Line:
    """One line of output: a measure with its parameter.

    Attributes
    ----------
    label : str
        What it is called.
    name : str
        What trec_eval calls the measure; empty for one by our own name.
    measure : Measure or None
        Our measure; None for a count.
    """

    label: str
    name: str = ""
    measure: Measure | None = None


# The parameters of those measures that may have a line for each of several numbers.
_CUTOFFS = "5,10,15,20,30,100,200,500,1000"
_DEFAULTS = {
    "iprec_at_recall": "0,.1,.2,.3,.4,.5,.6,.7,.8,.9,1",
    "success": "1,5,10",
    "unj": "5,10,20",
} | dict.fromkeys(("P", "recall", "ndcg_cut", "map_cut", "relative_P"), _CUTOFFS)
# Of others: an example, and how our measure spells it.
_PERSISTENCE = ("p=0.8", lambda text: text.replace("p=", "persistence=", 1))
_PARAMETERS = {
    "11pt_avg": (".2,.5,.8", lambda text: f"recall_levels=({text},)"),
    "ndcg": ("1=3,2=9", lambda text: f"gain={{{text.replace('=', ':')}}}"),
    "set_F": ("0.5", lambda text: f"beta={math.sqrt(float(text))}"),
    "rbp": _PERSISTENCE,
    "rbp_resid": _PERSISTENCE,
}
_NOT_BY_QUERY = ("gm_map", "gm_bpref")
_SINCE_10 = ("rbp", "rbp_resid", "unj")
_OFFICIAL = list(TREC_EVAL)[:12]
_SET = [*_OFFICIAL[:5], "set_P", "set_recall", "set_F"]
# What trec_eval has and this package has not.
_ABSENT_SET = ("utility", "set_relative_P", "set_map")
_ABSENT = ("relstring", "Rprec_mult", "binG", "G", "ndcg_rel", "Rndcg", *_ABSENT_SET)
_OTHER_FILES = re.compile("prefs|prefs_.*|.*_avgjg|all_prefs|qrels_jg|yaap")


def is_name(text):
    """Return whether trec_eval has a measure of that name."""
    return text.partition(".")[0] in (*TREC_EVAL, *_ABSENT)


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
    known = [n for n in TREC_EVAL if tool == "trec_eval10" or n not in _SINCE_10]
    nicknames = {
        "official": (_OFFICIAL, ()),
        "set": (_SET, _ABSENT_SET),
        "all_trec": (known, _ABSENT),
    }
    wanted, ours, absent = {}, [], {}
    for text in dict.fromkeys(texts):
        name, _, parameters = text.partition(".")
        if text in nicknames:
            names, missing = nicknames[text]
            wanted = dict.fromkeys(names, "") | wanted
            absent |= dict.fromkeys(missing)
        elif name in known:
            several = name in _DEFAULTS and wanted.get(name) and parameters
            wanted[name] = f"{wanted[name]},{parameters}" if several else parameters
        elif name in _ABSENT or _OTHER_FILES.fullmatch(name):
            raise ValueError(
                f"{name!r} of trec_eval is not among the measures of this package."
            )
        elif parse_measure(text).metric.subtopics:
            raise ValueError(
                f"{text!r} is of subtopics, which trec_eval does not read."
            )
        else:
            ours.append(Line(text, measure=_like(text, tool, changes)))
    lines = []
    for name in known:
        if name in wanted:
            for label, text in _spell(name, wanted[name]):
                measure = text and _like(text, tool, changes)
                lines.append(Line(label, name, measure))
    return [*lines, *ours], list(absent)


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
            form, read = ("3.2f", float) if name == "iprec_at_recall" else ("d", int)
            numbers = (text or _DEFAULTS[name]).split(",")
            numbers = sorted({read(float(number)) for number in numbers})
            if read is int and numbers[0] < 1:
                raise ValueError("cutoffs must be whole numbers from 1")
            spelled = [(f"{name}_{n:{form}}", ours and ours.format(n)) for n in numbers]
        if text and ours:
            for _, measure in spelled:
                try_out(as_measure(measure, ""))
    except (ValueError, OverflowError) as error:
        example = _PARAMETERS.get(name, [_DEFAULTS.get(name)])[0]
        raise ValueError(
            f"parameters of {name} are written as in {name}.{example}; got {text!r}: "
            f"{error}"
        ) from error
    return spelled


def _like(text, tool, changes):
    """Return a measure with the arguments of a tool; ties are given for all."""
    measure = as_measure(text, "")
    arguments = preset(tool, measure)
    arguments.pop("ties", None)
    if "relevance_threshold" not in arguments:
        changes = {k: v for k, v in changes.items() if k != "relevance_threshold"}
    return with_arguments(measure, arguments | changes | measure.arguments)


def score_lines(rows, lines, *, tag, ties, level, relevance_threshold, complete):
    """Score one run as trec_eval does.

    Parameters
    ----------
    rows : Joined
        The run.
    lines : list of Line
        What is wanted.
    tag : str
        Name of the run.
    ties : str
        As for `score_queries`.
    level : float or None
        Of the confidence intervals, if any.
    relevance_threshold : float
        The least grade that is relevant, for counts.
    complete : bool
        Whether option -c asks for all queries of the judgments.

    Returns
    -------
    list of RunMeasure
    """
    measures, of_rbp = {}, {}
    for line in lines:
        if line.name == "rbp":
            of_rbp[line.label] = with_arguments(line.measure, {"max_grade": 1})
        elif line.measure is not None:
            measures[line.label] = _complete_gains(line.measure, rows)
    options = {"ties": ties, "undefined": np.nan, "level": level}
    found = score_columns(rows, measures, **options)
    if of_rbp:
        found += score_columns(_divided_by_largest(rows), of_rbp, **options)
    found = {column.name: column for column in found}
    columns = []
    for line in lines:
        if line.measure is None:
            columns.append(_count(line, rows, relevance_threshold, tag, complete))
            continue
        column = found[line.label]
        if line.name == "rbp_resid":
            # It is 0 where no unjudged document was seen, whatever may lie below.
            seen = _by_query(rows, (rows.y_score > -np.inf) & unjudged(rows)) > 0
            scores = np.where(seen, column.scores, 0.0)
            interval = interval_of(line.measure, scores, level)
            column = replace(column, scores=scores, interval=interval)
        if line.measure.average == "macro":
            column = replace(column, mean=_mean(column.scores))
        by_query = line.name not in _NOT_BY_QUERY
        columns.append(column if by_query else replace(column, scores=None))
    return columns


def _mean(scores):
    """Return the mean, added up one by one as in C: its last digit may be printed."""
    defined = scores[~np.isnan(scores)]
    return float(np.cumsum(defined)[-1] / len(defined)) if len(defined) else math.nan


def _complete_gains(measure, rows):
    """Give grades without a gain of their own the grade as gain."""
    gain = measure.arguments.get("gain")
    if not isinstance(gain, dict):
        return measure
    grades = np.unique(rows.y_true[~np.isnan(rows.y_true)]).tolist()
    own = dict(zip(grades, grades, strict=True))
    return with_arguments(measure, {"gain": own | gain})


def _divided_by_largest(rows):
    """Return rows with the grades of which trec_eval makes rbp, without a threshold.

    As its expected files show it: where a grade is above 1, grades are divided by the
    largest of the query, retrieved or not.
    """
    largest = np.ones(len(rows.queries))
    np.maximum.at(largest, rows.query, np.nan_to_num(rows.y_true))
    return replace(rows, y_true=rows.y_true / largest[rows.query])


def _count(line, rows, relevance_threshold, tag, complete):
    """Return the tag, or a count of queries or of documents."""
    if line.name in ("runid", "num_q"):
        return RunMeasure(line.name, tag if line.name == "runid" else len(rows.queries))
    retrieved, unknown = rows.y_score > -np.inf, unjudged(rows)
    relevant = rows.y_true >= relevance_threshold
    if line.name == "unj":
        # Inside a query, what is retrieved comes first.
        cutoff = int(line.label.removeprefix("unj_"))
        order = rows.order()
        first = order[ranks_in_queries(rows.query[order]) < cutoff]
        first = first[(unknown & retrieved)[first]]
        scores = _by_query(rows, first) / cutoff
        return RunMeasure(line.label, _mean(scores), scores)
    documents = {
        "num_ret": retrieved,
        "num_rel": relevant,
        "num_rel_ret": relevant & retrieved,
        "num_nonrel_judged_ret": retrieved & ~relevant & ~unknown,
    }[line.name]
    # With -c, trec_eval counts what is relevant whatever the threshold.
    summed = rows.y_true > 0 if complete and line.name == "num_rel" else documents
    return RunMeasure(line.label, int(summed.sum()), _by_query(rows, documents))


def _by_query(rows, documents):
    """Return how many of some documents are of each query."""
    return np.bincount(rows.query[documents], minlength=len(rows.queries))
