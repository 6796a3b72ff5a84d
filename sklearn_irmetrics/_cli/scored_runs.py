"""Score runs against judgments for the command line."""

import math
import os
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sklearn_irmetrics._warnings import quietly
from sklearn_irmetrics.metrics._measure import (
    Measure,
    as_measure,
    formula_parameters,
    try_out,
    with_arguments,
)
from sklearn_irmetrics.reports.query_scores import QueryScores
from sklearn_irmetrics.runs import Run
from sklearn_irmetrics.runs.scoring import score_rows

# Measures that trec_eval prints only for all queries together.
_NOT_BY_QUERY = ("gm_map", "gm_bpref")


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


@dataclass(frozen=True, eq=False)
class ScoredRun:
    """All lines of one run.

    Attributes
    ----------
    name, path, tag : str
        The name of the run in the output, its file, and the tag in that file.
    n_queries : int
        Number of queries in the means.
    scores : QueryScores
        By label; lines without scores of queries have only a mean, which for counts is
        a sum or a text.
    intervals : dict of str to tuple of float
        Confidence intervals of the means, if requested.
    missing, ignored : tuple of str
        Queries missing from the run, and from the judgments.
    irrelevant : tuple of str
        Judged queries without anything relevant.
    """

    name: str
    path: str
    tag: str
    n_queries: int
    scores: QueryScores
    intervals: dict
    missing: tuple
    ignored: tuple
    irrelevant: tuple

    @property
    def n_undefined(self):
        """The number of undefined queries of each measure that has any."""
        found = self.scores
        n_undefined = {
            label: len(found.query_ids) - n for label, n in found.n_defined.items()
        }
        return {label: n for label, n in n_undefined.items() if n}


def keep_queries(scores, wanted):
    """Return the scores of some queries, with the same means."""
    kept = [qid in wanted for qid in scores.query_ids]
    by_label = {label: values[kept] for label, values in scores.scores.items()}
    return QueryScores(scores.query_ids[kept], by_label, scores.mean)


def unjudged(rows):
    """Return which rows have no grade."""
    return np.isnan(rows.y_true).reshape(len(rows.query), -1).all(axis=1)


def without_unjudged(rows):
    """Return joined rows as if the run had no documents without a judgment.

    Documents below them move up.
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
    """Return a measure; raise an error if it cannot score a run.

    The threshold applies if the measure has this parameter and does not set it.
    """
    measure = as_measure(text, "")
    metric = measure.metric
    formula_parameters(measure)
    if metric.kind == "labels":
        raise ValueError(f"{metric.name!r} needs class labels, which runs do not have.")
    if relevance_threshold is not None and "relevance_threshold" in metric.parameters:
        own = {"relevance_threshold": relevance_threshold} | measure.arguments
        measure = with_arguments(measure, own)
    ranks = "ties" in metric.takes
    try_out(with_arguments(measure, {"ties": ties}) if ranks else measure)
    return measure


def score_lines(rows, lines, tag, args):
    """Return the `QueryScores` by label of each line, and intervals of the means.

    Parameters
    ----------
    rows : Joined
        The run.
    lines : list of Line
        The requested lines.
    tag : str
        Name of the run.
    args : Namespace
        The options for scoring.
    """
    measures = {
        line.label: _complete_gains(line.measure, rows)
        for line in lines
        if line.measure is not None
    }
    if args.judged_only:
        measures = {label: _condensed(one) for label, one in measures.items()}
    options = {
        "ties": args.ties or ("stable" if args.like else "average"),
        "replace_undefined_by": np.nan if args.undefined is None else args.undefined,
    }
    mean, scores = {}, {}
    if measures:
        with quietly():
            found = score_rows(rows, measures, **options)
        mean, scores = dict(found.mean), dict(found.scores)
    intervals = {}
    for label, name, measure in lines:
        if measure is None:
            mean[label], counts = _count(name, rows, tag, args)
            scores |= {} if counts is None else {label: counts}
            continue
        if args.like and measure.average == "macro":
            mean[label] = _mean(scores[label])
        if args.command == "score" and args.confidence is not None:
            intervals[label] = _interval(scores[label], measure, args)
        if name in _NOT_BY_QUERY:
            del scores[label]
    ids = np.array(rows.queries, dtype=object)
    return QueryScores(ids, scores, mean), intervals


def _interval(scores, measure, args):
    from sklearn_irmetrics.metrics._intervals import measure_interval  # takes memory

    ends, _ = measure_interval(
        scores, measure, confidence_level=args.confidence, method=args.interval
    )
    return tuple(ends)


def _mean(scores):
    """Return the mean of a sequential sum, as in C: its last digit may be printed."""
    defined = scores[~np.isnan(scores)]
    return float(np.cumsum(defined)[-1] / len(defined)) if len(defined) else math.nan


def _complete_gains(measure, rows):
    """Set the gain of grades that have none to the grade."""
    gain = measure.arguments.get("gain")
    if not isinstance(gain, dict):
        return measure
    grades = np.unique(rows.y_true[~np.isnan(rows.y_true)]).tolist()
    own = dict(zip(grades, grades, strict=True))
    return with_arguments(measure, {"gain": own | gain})


def _condensed(measure):
    """Ignore documents without a judgment that the run does not retrieve, too."""
    if "judged_only" not in measure.metric.parameters:
        return measure
    return with_arguments(measure, {"judged_only": True} | measure.arguments)


def _count(name, rows, tag, args):
    """Return the tag, or a count of queries or of documents, and counts by query."""
    if name in ("runid", "num_q"):
        return tag if name == "runid" else len(rows.queries), None
    retrieved, unknown = rows.y_score > -np.inf, unjudged(rows)
    threshold = args.relevance_threshold
    relevant = rows.y_true >= (1 if threshold is None else threshold)
    documents = {
        "num_ret": retrieved,
        "num_rel": relevant,
        "num_rel_ret": relevant & retrieved,
        "num_nonrel_judged_ret": retrieved & ~relevant & ~unknown,
    }[name]
    # With -c, trec_eval counts relevant documents whatever the threshold.
    of_all = args.missing == "zero" and name == "num_rel"
    summed = rows.y_true > 0 if of_all else documents
    return int(summed.sum()), _by_query(rows, documents)


def _by_query(rows, documents):
    """Return how many of some documents are of each query."""
    return np.bincount(rows.query[documents], minlength=len(rows.queries))


def name_runs(tags, paths):
    """Return names for runs: their tags, or their files if tags are not unique."""
    files = [os.path.basename(path) for path in paths]
    for names in (files if Run.tag in tags else tags), files, paths:
        if len(set(names)) == len(names):
            return list(names)
    return [f"{path} ({i})" for i, path in enumerate(paths, start=1)]
