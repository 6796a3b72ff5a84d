"""Scores of runs against judgments: what the command line computes."""

import os
from dataclasses import dataclass

import numpy as np

from sklearn_irmetrics._core.aggregate import quietly
from sklearn_irmetrics._ranking_report import measure_interval
from sklearn_irmetrics._registry import METRICS, check_complete, parse_metric
from sklearn_irmetrics._report import QueryScores, score_queries


@dataclass(frozen=True, eq=False)
class Rows:
    """Judgments and a run, row by row, sorted by query.

    Attributes
    ----------
    y_true, y_score, pooled : ndarray of shape (n_rows,)
        As `sklearn_irmetrics.trec.align` gives them.
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
        return np.isnan(self.y_true)

    def count(self, rows):
        """Return in how many rows of each query a condition holds."""
        return np.add.reduceat(rows, self.starts, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Column:
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
    columns : list of Column
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


def as_rows(aligned, *, judged_only=False):
    """Return the rows of an `AlignedRun`.

    With `judged_only` a retrieved document without a judgment counts as not retrieved,
    and the ranks of those below it move up.
    """
    changes = aligned.qid[1:] != aligned.qid[:-1]
    starts = np.flatnonzero(np.append(True, changes.astype(bool)))
    y_score = aligned.y_score
    if judged_only:
        y_score = np.where(np.isnan(aligned.y_true), -np.inf, y_score)
    return Rows(aligned.y_true, y_score, aligned.pooled, starts, aligned.qid[starts])


def parse_measure(text, *, relevance_threshold=None):
    """Return a measure and its arguments, or say why a run cannot be scored by it.

    The threshold goes to a measure that has one and is not given its own.
    """
    metric, arguments = parse_metric(text, "")
    name = name_of(metric)
    check_complete(name, metric, arguments)
    if metric.metadata:
        raise ValueError(
            f"{name!r} needs to know which documents the user knew, which no run says."
        )
    if metric.kernel is None and "relevance_threshold" not in metric.parameters:
        raise ValueError(f"{name!r} is of class labels, which no run has.")
    if arguments.get("average", "macro") is None:
        raise ValueError(f"average must name a kind of mean; got {text!r}.")
    if relevance_threshold is not None and "relevance_threshold" in metric.parameters:
        arguments = {"relevance_threshold": relevance_threshold} | arguments
    with quietly():
        score_queries([0, 0], [0, 1], spell(metric, arguments))
    return metric, arguments


def name_of(metric):
    """Return the name of a measure."""
    return next(name for name, known in METRICS.items() if known is metric)


def spell(metric, arguments):
    """Write a measure and its arguments as one string."""
    inside = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    return f"{name_of(metric)}({inside})"


def score_rows(rows, measures, *, ties, undefined):
    """Score the queries of one run.

    Parameters
    ----------
    rows : Rows
        The run.
    measures : dict of str to (Metric, dict)
        Measures and arguments by label.
    ties : str
        As for `score_queries`.
    undefined : float
        What an undefined query counts as, NaN to leave it out.

    Returns
    -------
    QueryScores
    """
    options = {"qid": rows.codes, "replace_undefined_by": undefined}
    found = {}
    for of_sets in False, True:
        texts = {
            label: spell(*measure)
            for label, measure in measures.items()
            if (measure[0].kernel is None) is of_sets
        }
        if not texts:
            continue
        with quietly():
            if of_sets:
                part = score_queries(rows.y_true, rows.retrieved, texts, **options)
            else:
                part = score_queries(
                    rows.y_true,
                    rows.y_score,
                    texts,
                    pooled=rows.pooled,
                    ties=ties,
                    **options,
                )
        found |= {label: (part.scores[label], part.mean[label]) for label in texts}
    return QueryScores(
        rows.query_ids,
        {label: found[label][0] for label in measures},
        {label: found[label][1] for label in measures},
    )


def interval_of(measure, scores, level):
    """Return the confidence interval of a mean over queries; None without a level."""
    if level is None:
        return None
    metric, arguments = measure
    rng = np.random.default_rng(0)
    defined = scores[~np.isnan(scores)]
    return tuple(
        measure_interval(defined, None, metric.range, arguments, level, rng)[0]
    )


def name_runs(tags, paths):
    """Return what to call runs: their tags, or their files where tags are the same."""
    for names in tags, [os.path.basename(path) for path in paths], paths:
        if len(set(names)) == len(names):
            return list(names)
    return [f"{path} ({i})" for i, path in enumerate(paths, start=1)]
