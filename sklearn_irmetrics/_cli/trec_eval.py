"""The measures of trec_eval by its own names, parameters and order."""

import math
import re
from dataclasses import dataclass, field

import numpy as np

from sklearn_irmetrics._cli.score import (
    RunMeasure,
    interval_of,
    parse_measure,
    score_rows,
    try_out,
)
from sklearn_irmetrics._measures.measure import (
    Measure,
    as_measure,
    kernel_parameters,
    with_arguments,
)
from sklearn_irmetrics._measures.presets import preset
from sklearn_irmetrics.metrics import rank_biased_precision_score

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
    cutoff : int or None
        The rank at which a count stops.
    by_query : bool
        Whether it is printed for each query.
    """

    label: str
    name: str = ""
    measure: Measure | None = None
    cutoff: int | None = None
    by_query: bool = True


# Parameters: what follows the name of a measure and a dot, as pairs of what its label
# ends in and the arguments of our measure.


def _cutoffs(text):
    ranks = sorted({int(number) for number in _numbers(text)})
    if ranks[0] < 1:
        raise ValueError("cutoffs must be whole numbers from 1")
    return [(f"_{rank}", {"k": rank}) for rank in ranks]


def _levels(text):
    levels = sorted(set(_numbers(text)))
    return [(f"_{level:3.2f}", {"recall_level": level}) for level in levels]


def _recalls(text):
    return [(f"_{text}", {"recall_levels": tuple(_numbers(text))})]


def _gains(text):
    pairs = [pair.partition("=") for pair in text.split(",")]
    if not all(grade.isdecimal() for grade, _, _ in pairs):
        raise ValueError("gains must be written as grade=gain, such as 1=3,2=9")
    gains = _numbers(",".join(gain for _, _, gain in pairs))
    grades = [float(grade) for grade, _, _ in pairs]
    return [(f"_{text}", {"gain": dict(zip(grades, gains, strict=True))})]


def _weight(text):
    weight = _numbers(text)[0]
    if weight < 0:
        raise ValueError("the weight of recall must be >= 0")
    return [(f"_{text}", {"beta": math.sqrt(weight)})]


def _persistence(text):
    if not text.startswith("p="):
        raise ValueError("the persistence must be written as p=0.8")
    return [(f"_{text}", {"persistence": _numbers(text[2:])[0]})]


def _none(text):
    raise ValueError("it has none")


def _numbers(text):
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = [math.nan]
    if not all(map(math.isfinite, numbers)):
        raise ValueError("they must be numbers with commas between them")
    return numbers


@dataclass(frozen=True)
class _TrecMeasure:
    """One of trec_eval's measures.

    Attributes
    ----------
    ours : str or None
        Its name here; None for a count.
    read : callable
        Reads its parameters.
    default : str
        Its parameters when none are given.
    arguments : dict
        Of our measure, besides the preset.
    by_query : bool
        Whether it is printed for each query.
    """

    ours: str | None = None
    read: object = _none
    default: str = ""
    arguments: dict = field(default_factory=dict)
    by_query: bool = True


_RANKS = "5,10,15,20,30,100,200,500,1000"
# In the order in which trec_eval prints them.
_MEASURES = {
    "runid": _TrecMeasure(by_query=False),
    "num_q": _TrecMeasure(by_query=False),
    "num_ret": _TrecMeasure(),
    "num_rel": _TrecMeasure(),
    "num_rel_ret": _TrecMeasure(),
    "map": _TrecMeasure("ap"),
    "gm_map": _TrecMeasure("gmap", by_query=False),
    "Rprec": _TrecMeasure("rprec"),
    "bpref": _TrecMeasure("bpref"),
    "recip_rank": _TrecMeasure("rr"),
    "iprec_at_recall": _TrecMeasure("iprec", _levels, "0,.1,.2,.3,.4,.5,.6,.7,.8,.9,1"),
    "P": _TrecMeasure("p", _cutoffs, _RANKS),
    "recall": _TrecMeasure("recall", _cutoffs, _RANKS),
    "infAP": _TrecMeasure("infap"),
    "gm_bpref": _TrecMeasure(
        "bpref", arguments={"average": "geometric"}, by_query=False
    ),
    "11pt_avg": _TrecMeasure("11pt", _recalls),
    "ndcg": _TrecMeasure("ndcg", _gains),
    "ndcg_cut": _TrecMeasure("ndcg", _cutoffs, _RANKS),
    "map_cut": _TrecMeasure("ap", _cutoffs, _RANKS),
    "relative_P": _TrecMeasure("recall", _cutoffs, _RANKS, {"capped": True}),
    "success": _TrecMeasure("success", _cutoffs, "1,5,10"),
    "set_P": _TrecMeasure("set_p"),
    "set_recall": _TrecMeasure("set_recall"),
    "set_F": _TrecMeasure("set_f", _weight),
    "num_nonrel_judged_ret": _TrecMeasure(),
    "rbp": _TrecMeasure("rbp", _persistence),
    "rbp_resid": _TrecMeasure("rbp_residual", _persistence),
    "unj": _TrecMeasure(None, _cutoffs, "5,10,20"),
}
_SINCE_10 = ("rbp", "rbp_resid", "unj")
_OFFICIAL = list(_MEASURES)[:12]
_SET = [*_OFFICIAL[:5], "set_P", "set_recall", "set_F"]
# What trec_eval has and this package has not.
_ABSENT_SET = ("utility", "set_relative_P", "set_map")
_ABSENT = ("relstring", "Rprec_mult", "binG", "G", "ndcg_rel", "Rndcg", *_ABSENT_SET)
_OTHER_FILES = re.compile("prefs|prefs_.*|.*_avgjg|all_prefs|qrels_jg|yaap")


def is_name(text):
    """Return whether trec_eval has a measure of that name."""
    return text.partition(".")[0] in (*_MEASURES, *_ABSENT)


def parse_lines(texts, tool, *, relevance_threshold=None, undefined=None):
    """Return the lines that names of measures ask for, and what is left out.

    Parameters
    ----------
    texts : list of str
        Names of trec_eval, with parameters after a dot, its nicknames "official",
        "all_trec" and "set", or names of this package.
    tool : {"trec_eval9", "trec_eval10"}
        The version of trec_eval to agree with.
    relevance_threshold, undefined : float or None
        Take the place of what the preset says.

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
    changes = {
        "relevance_threshold": relevance_threshold,
        "replace_undefined_by": undefined,
    }
    changes = {key: value for key, value in changes.items() if value is not None}
    known = [n for n in _MEASURES if tool == "trec_eval10" or n not in _SINCE_10]
    nicknames = {
        "official": (_OFFICIAL, ()),
        "set": (_SET, _ABSENT_SET),
        "all_trec": (known, _ABSENT),
    }
    wanted, ours, absent = {}, {}, {}
    for text in texts:
        name, _, parameters = text.partition(".")
        if text in nicknames:
            names, missing = nicknames[text]
            wanted = dict.fromkeys(names, "") | wanted
            absent |= dict.fromkeys(missing)
        elif name in known:
            several = _MEASURES[name].default and wanted.get(name) and parameters
            wanted[name] = f"{wanted[name]},{parameters}" if several else parameters
        elif name in _ABSENT or _OTHER_FILES.fullmatch(name):
            raise ValueError(
                f"{name!r} of trec_eval is not among the measures of this package."
            )
        else:
            if parse_measure(text).metric.subtopics:
                raise ValueError(
                    f"{text!r} is of subtopics, which trec_eval does not read."
                )
            ours[text] = Line(text, measure=_like(text, tool, changes))
    lines = [
        line
        for name in known
        if name in wanted
        for line in _lines(name, wanted[name], tool, changes)
    ]
    return [*lines, *ours.values()], list(absent)


def _lines(name, text, tool, changes):
    """Return the lines of one of trec_eval's measures."""
    kind = _MEASURES[name]
    try:
        given = kind.read(text or kind.default) if text or kind.default else [("", {})]
    except ValueError as error:
        raise ValueError(f"parameters of {name}: {error}; got {text!r}.") from error
    lines = []
    for ending, arguments in given:
        measure = None
        if kind.ours is not None:
            measure = _like(kind.ours, tool, changes)
            measure = with_arguments(measure, kind.arguments | arguments)
            if text:
                try_out(measure)
        cutoff = arguments.get("k")
        lines.append(Line(f"{name}{ending}", name, measure, cutoff, kind.by_query))
    return lines


def _like(text, tool, changes):
    """Return a measure with the arguments of a tool; ties are given for all."""
    measure = as_measure(text, "")
    arguments = preset(tool, measure)
    arguments.pop("ties", None)
    if "relevance_threshold" not in arguments:
        changes = {k: v for k, v in changes.items() if k != "relevance_threshold"}
    return with_arguments(measure, arguments | changes | measure.arguments)


def score_lines(rows, lines, *, tag, ties, level, relevance_threshold, rel_above_0):
    """Score one run as trec_eval does.

    Parameters
    ----------
    rows : RunRows
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
    rel_above_0 : bool
        Whether the sum of num_rel goes without the threshold, as in version 9 with all
        queries of the judgments.

    Returns
    -------
    list of RunMeasure
    """
    measures = {
        line.label: _complete_gains(line.measure, rows)
        for line in lines
        if line.measure is not None
    }
    found = score_rows(rows, measures, ties=ties, undefined=np.nan)
    relevant = rows.y_true >= relevance_threshold
    columns = []
    for line in lines:
        if line.measure is None:
            columns.append(_count(line, rows, relevant, tag, rel_above_0))
            continue
        scores, mean = found.scores[line.label], found.mean[line.label]
        if line.name in ("rbp", "rbp_resid"):
            correct = _rbp if line.name == "rbp" else _rbp_residual
            scores = correct(rows, scores, kernel_parameters(line.measure), ties)
            mean = float(scores.mean())
        columns.append(
            RunMeasure(
                line.label,
                mean,
                scores if line.by_query else None,
                interval_of(line.measure, scores, level),
                line.measure.metric.greater_is_better,
            )
        )
    return columns


def _complete_gains(measure, rows):
    """Give grades without a gain of their own the grade as gain."""
    gain = measure.arguments.get("gain")
    if not isinstance(gain, dict):
        return measure
    grades = np.unique(rows.y_true[~rows.unjudged]).tolist()
    return with_arguments(
        measure, {"gain": dict(zip(grades, grades, strict=True)) | gain}
    )


def _rbp(rows, scores, parameters, ties):
    # As its expected files show it: where a grade is above 1, grades are divided by the
    # largest of the query, retrieved or not, and no threshold applies.
    grades = np.nan_to_num(rows.y_true)
    largest = np.maximum(np.maximum.reduceat(grades, rows.starts), 1.0)
    return rank_biased_precision_score(
        rows.y_true / largest[rows.codes],
        rows.y_score,
        persistence=parameters["persistence"],
        max_grade=1.0,
        qid=rows.codes,
        ties=ties,
        average=None,
    )


def _rbp_residual(rows, scores, parameters, ties):
    # It is 0 where no unjudged document was seen, whatever may lie below.
    seen = rows.count(rows.retrieved & rows.unjudged) > 0
    return np.where(seen, scores, 0.0)


def _count(line, rows, relevant, tag, rel_above_0):
    """Return the tag, or a count of queries or of documents."""
    if line.name in ("runid", "num_q"):
        return RunMeasure(line.label, tag if line.name == "runid" else len(rows.starts))
    retrieved = rows.retrieved
    if line.name == "unj":
        # Inside a query, what is retrieved comes first.
        rank = np.arange(len(relevant)) - rows.starts[rows.codes]
        counted = rows.unjudged & retrieved & (rank < line.cutoff)
        scores = rows.count(counted) / line.cutoff
        return RunMeasure(line.label, float(scores.mean()), scores)
    counted = {
        "num_ret": retrieved,
        "num_rel": relevant,
        "num_rel_ret": relevant & retrieved,
        "num_nonrel_judged_ret": retrieved & ~relevant & ~rows.unjudged,
    }[line.name]
    total = int(counted.sum())
    if line.name == "num_rel" and rel_above_0:
        total = int((rows.y_true > 0).sum())
    return RunMeasure(line.label, total, rows.count(counted))
