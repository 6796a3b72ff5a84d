"""Scores of runs against judgments: what the command line computes."""

import os
from dataclasses import dataclass, replace

import numpy as np

from sklearn_irmetrics._core.aggregate import quietly
from sklearn_irmetrics._measures.measure import (
    as_measure,
    check_complete,
    with_arguments,
)
from sklearn_irmetrics._measures.query_scores import QueryScores
from sklearn_irmetrics._measures.rankings import score_queries
from sklearn_irmetrics.runs import Run


@dataclass(frozen=True, eq=False)
class RunRows:
    """Judgments and a run, row by row, sorted by query.

    Attributes
    ----------
    y_true, y_score, pooled : ndarray of shape (n_rows,)
        As `sklearn_irmetrics.trec.align` gives them; `y_true` may have a column per
        subtopic.
    starts : ndarray of shape (n_queries,)
        Where each query begins.
    query_ids : ndarray of shape (n_queries,)
        Its id.
    """

    y_true: np.ndarray
    y_score: np.ndarray
    pooled: np.ndarray
    starts: np.ndarray
    query_ids: np.ndarray

    @property
    def codes(self):
        """The number of its query for each row."""
        sizes = np.diff(self.starts, append=len(self.y_true))
        return np.repeat(np.arange(len(self.starts)), sizes)

    @property
    def retrieved(self):
        """Which rows the run lists."""
        return self.y_score > -np.inf

    @property
    def unjudged(self):
        """Which rows have no grade."""
        return unjudged(self.y_true)

    def count(self, rows):
        """Return in how many rows of each query a condition holds."""
        return np.add.reduceat(rows, self.starts, dtype=np.int64)


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


def unjudged(y_true):
    """Return which rows have no grade."""
    missing = np.isnan(y_true)
    return missing if missing.ndim == 1 else missing.all(axis=1)


def as_rows(aligned, *, judged_only=False):
    """Return the rows of an `AlignedRun`.

    With `judged_only` as if the run did not have its documents without a judgment, so
    that the ranks of those below them move up.
    """
    y_score, rows = aligned.y_score, slice(None)
    if judged_only:
        unknown = unjudged(aligned.y_true)
        y_score = np.where(unknown, -np.inf, y_score)
        rows = ~unknown | aligned.pooled  # the judgments have these
    qid = aligned.qid[rows]
    changes = qid[1:] != qid[:-1]
    starts = np.flatnonzero(np.append(True, changes.astype(bool)))
    return RunRows(
        aligned.y_true[rows], y_score[rows], aligned.pooled[rows], starts, qid[starts]
    )


def parse_measure(text, *, relevance_threshold=None, ties="average"):
    """Return a measure, or say why a run cannot be scored by it.

    The threshold goes to a measure that has one and is not given its own.
    """
    measure = as_measure(text, "")
    name, metric = measure.metric.name, measure.metric
    check_complete(measure)
    if metric.marks:
        raise ValueError(
            f"{name!r} needs to know which documents the user knew, which no run says."
        )
    if metric.kind == "labels":
        raise ValueError(f"{name!r} is of class labels, which no run has.")
    if measure.average is None:
        raise ValueError(f"average must name a kind of mean; got {text!r}.")
    own = measure.arguments
    if relevance_threshold is not None and "relevance_threshold" in metric.parameters:
        own = {"relevance_threshold": relevance_threshold} | own
    measure = with_arguments(measure, own)
    try_out(measure, ties)
    return measure


def try_out(measure, ties="average"):
    """Raise what is wrong with a measure's arguments whatever the run."""
    grades = [[0], [0]] if measure.metric.subtopics else [0, 0]
    with quietly():
        score_queries(grades, [0, 1], measure, y_pred=[0, 1], ties=ties)


def score_rows(rows, measures, *, ties, undefined):
    """Score the queries of one run.

    Parameters
    ----------
    rows : RunRows
        The run.
    measures : dict of str to Measure
        By label.
    ties : str
        As for `score_queries`.
    undefined : float
        What an undefined query counts as, NaN to leave it out.

    Returns
    -------
    QueryScores
    """
    if not measures:
        return QueryScores(rows.query_ids, {}, {})
    with quietly():
        found = score_queries(
            rows.y_true,
            rows.y_score,
            measures,
            qid=rows.codes,
            marks={"pooled": rows.pooled},
            y_pred=rows.retrieved,
            ties=ties,
            replace_undefined_by=undefined,
        )
    return replace(found, query_ids=rows.query_ids)


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
