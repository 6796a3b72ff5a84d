"""Scores of runs against judgments: what the command line shows."""

import os
from dataclasses import dataclass, replace

import numpy as np

from sklearn_irmetrics._core.aggregate import quietly
from sklearn_irmetrics._measures.measure import (
    as_measure,
    kernel_parameters,
    try_out,
    with_arguments,
)
from sklearn_irmetrics.runs import Run
from sklearn_irmetrics.runs._score_run import score_rows


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


def score_columns(rows, measures, *, ties, undefined, level):
    """Return a `RunMeasure` for each measure of joined rows."""
    if not measures:
        return []
    with quietly():
        found = score_rows(rows, measures, ties=ties, replace_undefined_by=undefined)
    return [
        RunMeasure(
            label,
            found.mean[label],
            scores,
            interval_of(measures[label], scores, level),
            measures[label].metric.greater_is_better,
        )
        for label, scores in found.scores.items()
    ]


def interval_of(measure, scores, level):
    """Return the confidence interval of a mean over queries; None without a level."""
    if level is None:
        return None
    from sklearn_irmetrics._measures.report import measure_interval

    defined = scores[~np.isnan(scores)]
    return tuple(measure_interval(defined, None, measure, level, 0)[0])


def name_runs(tags, paths):
    """Return what to call runs: their tags, or their files where tags do not tell."""
    files = [os.path.basename(path) for path in paths]
    for names in (files if Run.tag in tags else tags), files, paths:
        if len(set(names)) == len(names):
            return list(names)
    return [f"{path} ({i})" for i, path in enumerate(paths, start=1)]
