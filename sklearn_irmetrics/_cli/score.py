"""Scores of runs against judgments: what the command line shows."""

import math
import os
from dataclasses import dataclass, replace

import numpy as np

from sklearn_irmetrics._core.aggregate import quietly
from sklearn_irmetrics._measures.measure import (
    Measure,
    as_measure,
    kernel_parameters,
    try_out,
    with_arguments,
)
from sklearn_irmetrics.runs import Run
from sklearn_irmetrics.runs._ids import ranks_in_queries
from sklearn_irmetrics.runs._score_run import score_rows

# Measures that trec_eval prints of all queries alone.
_NOT_BY_QUERY = ("gm_map", "gm_bpref")


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


@dataclass(frozen=True, eq=False)
class RunMeasure:
    """One measure of one run.

    Attributes
    ----------
    name : str
        What it is called.
    mean : float, int or str
        Over all queries; a sum for counts.
    scores : ndarray of shape (n_queries,) or None
        By query; None where there is nothing to show.
    interval : tuple of float or None
        Confidence interval of the mean, if there is one.
    greater_is_better : bool or None
        Which of two means is the better one; None for counts.
    """

    name: str
    mean: object
    scores: np.ndarray | None = None
    interval: tuple | None = None
    greater_is_better: bool | None = None

    @property
    def n_undefined(self):
        """In how many queries it is undefined."""
        return 0 if self.scores is None else int(np.isnan(self.scores).sum())


@dataclass(frozen=True, eq=False)
class ScoredRun:
    """All measures of one run.

    Attributes
    ----------
    name, path, tag : str
        What the output calls the run, its file, and the tag in that file.
    n_queries : int
        Over how many queries the means are.
    query_ids : list of str
        The queries that `columns` have scores of.
    columns : list of RunMeasure
        The measures.
    missing, ignored : tuple of str
        Queries that the run lacks, and that the judgments lack.
    """

    name: str
    path: str
    tag: str
    n_queries: int
    query_ids: list
    columns: list
    missing: tuple
    ignored: tuple


def unjudged(rows):
    """Return which rows have no grade."""
    return np.isnan(rows.y_true).reshape(len(rows.query), -1).all(axis=1)


def without_unjudged(rows):
    """Return joined rows as if the run did not have documents without a judgment.

    The ranks of those below them move up.
    """
    unknown = unjudged(rows)
    kept = ~unknown | rows.pooled  # the judgments have these
    (ids, retrieved), others = rows.ids
    return replace(
        rows,
        query=rows.query[kept],
        y_true=rows.y_true[kept],
        y_score=np.where(unknown, -np.inf, rows.y_score)[kept],
        pooled=rows.pooled[kept],
        ids=((ids, retrieved[kept[: len(retrieved)]]), others),
    )


def parse_measure(text, relevance_threshold=None, ties="average"):
    """Return a measure, or say why a run cannot be scored by it.

    The threshold goes to a measure that has one and is not given its own.
    """
    measure = as_measure(text, "")
    metric = measure.metric
    kernel_parameters(measure)
    if metric.marks:
        raise ValueError(
            f"{metric.name!r} needs to know which documents the user knew, which no "
            "run says."
        )
    if metric.kind == "labels":
        raise ValueError(f"{metric.name!r} is of class labels, which no run has.")
    if measure.average is None:
        raise ValueError(f"average must name a kind of mean; got {text!r}.")
    if relevance_threshold is not None and "relevance_threshold" in metric.parameters:
        own = {"relevance_threshold": relevance_threshold} | measure.arguments
        measure = with_arguments(measure, own)
    ranks = "ties" in metric.takes
    try_out(with_arguments(measure, {"ties": ties}) if ranks else measure)
    return measure


def score_lines(rows, lines, tag, args):
    """Return a `RunMeasure` for each line.

    Parameters
    ----------
    rows : Joined
        The run.
    lines : list of Line
        What is wanted.
    tag : str
        Name of the run.
    args : Namespace
        Says how to score.
    """
    ties = args.ties or ("stable" if args.like else "average")
    undefined = np.nan if args.undefined is None else args.undefined
    level = args.confidence if args.command == "score" else None
    measures, of_rbp = {}, {}
    for line in lines:
        if line.name == "rbp":
            of_rbp[line.label] = with_arguments(line.measure, {"max_grade": 1})
        elif line.measure is not None:
            measures[line.label] = _complete_gains(line.measure, rows)
    options = {"ties": ties, "replace_undefined_by": undefined}
    means, scores = {}, {}
    for wanted in filter(None, (measures, of_rbp)):
        data = _divided_by_largest(rows) if wanted is of_rbp else rows
        with quietly():
            found = score_rows(data, wanted, **options)
        means |= found.mean
        scores |= found.scores
    columns = []
    for line in lines:
        if line.measure is None:
            columns.append(_count(line, rows, tag, args))
            continue
        values = scores[line.label]
        if line.name == "rbp_resid":
            # It is 0 where no unjudged document was seen, whatever may lie below.
            seen = _by_query(rows, (rows.y_score > -np.inf) & unjudged(rows)) > 0
            values = np.where(seen, values, 0.0)
        add_up = args.like and line.measure.average == "macro"
        columns.append(
            RunMeasure(
                line.label,
                _mean(values) if add_up else means[line.label],
                None if line.name in _NOT_BY_QUERY else values,
                _interval(line.measure, values, level),
                line.measure.metric.greater_is_better,
            )
        )
    return columns


def _interval(measure, scores, level):
    """Return the confidence interval of a mean over queries; None without a level."""
    if level is None:
        return None
    from sklearn_irmetrics._measures.report import measure_interval

    defined = scores[~np.isnan(scores)]
    return tuple(measure_interval(defined, None, measure, level, 0)[0])


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


def _count(line, rows, tag, args):
    """Return the tag, or a count of queries or of documents."""
    if line.name in ("runid", "num_q"):
        return RunMeasure(line.name, tag if line.name == "runid" else len(rows.queries))
    retrieved, unknown = rows.y_score > -np.inf, unjudged(rows)
    threshold = args.relevance_threshold
    relevant = rows.y_true >= (1 if threshold is None else threshold)
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
    of_all = args.missing == "zero" and line.name == "num_rel"
    summed = rows.y_true > 0 if of_all else documents
    return RunMeasure(line.label, int(summed.sum()), _by_query(rows, documents))


def _by_query(rows, documents):
    """Return how many of some documents are of each query."""
    return np.bincount(rows.query[documents], minlength=len(rows.queries))


def name_runs(tags, paths):
    """Return what to call runs: their tags, or their files where tags do not tell."""
    files = [os.path.basename(path) for path in paths]
    for names in (files if Run.tag in tags else tags), files, paths:
        if len(set(names)) == len(names):
            return list(names)
    return [f"{path} ({i})" for i, path in enumerate(paths, start=1)]
