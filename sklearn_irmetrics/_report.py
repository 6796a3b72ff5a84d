"""Many measures, or many cutoffs, of one set of rankings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sklearn_irmetrics._core.aggregate import aggregate, aggregate_rows
from sklearn_irmetrics._core.inputs import check_judgments
from sklearn_irmetrics._core.namespace import to_numpy
from sklearn_irmetrics._core.parameters import check_cutoff
from sklearn_irmetrics._core.score import make_task, run_at_cutoffs, run_tasks
from sklearn_irmetrics._registry import MARKS, by_label, check_complete, parse_metric
from sklearn_irmetrics._tables import import_pandas, render_html
from sklearn_irmetrics._typing import (
    Array,
    ArrayLike,
    AverageOrMicro,
    Ids,
    Measures,
    Rankings,
    Ties,
)

if TYPE_CHECKING:
    from pandas import DataFrame

# Arguments of a measure that are no parameters of its kernel.
_AVERAGING = ("average", "epsilon", "replace_undefined_by")


@dataclass(frozen=True)
class QueryScores:
    """Scores per query, and their means, by measure.

    Attributes
    ----------
    query_ids : ndarray of shape (n_queries,)
        Ids in order of first appearance, or row numbers for 2-D input.
    scores : dict of str to ndarray of shape (n_queries,)
        One value per query by measure, as it was named; NaN where undefined.
    mean : dict of str to float
        The average over queries by measure.
    """

    query_ids: np.ndarray
    scores: dict[str, np.ndarray]
    mean: dict[str, float]

    def to_frame(self) -> DataFrame:
        """Return the scores as a table.

        Returns
        -------
        pandas.DataFrame of shape (n_queries, n_measures)
            Query ids in the index.
        """
        pd = import_pandas()
        ids = pd.Index(to_numpy(self.query_ids), name="qid")
        scores = {label: to_numpy(values) for label, values in self.scores.items()}
        return pd.DataFrame(scores, index=ids)

    def __repr__(self):
        """Show the averages, one measure a line."""
        width = max(map(len, self.mean), default=0)
        lines = [f"  {name:<{width}}  {value:.4f}" for name, value in self.mean.items()]
        return "\n".join([self._title(), *lines])

    def _repr_html_(self):
        rows = [(name, f"{value:.4f}") for name, value in self.mean.items()]
        return render_html([self._title()], ("measure", "mean"), rows, "<>")

    def _title(self):
        return f"QueryScores of {len(self.query_ids)} queries"


def score_queries(
    y_true: Rankings,
    y_score: Rankings,
    metrics: Measures,
    *,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pooled: Rankings | None = None,
    ties: Ties = "average",
    replace_undefined_by: float = np.nan,
    n_jobs: int | None = None,
) -> QueryScores:
    """Compute many measures from one ordering of the documents.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better, NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. Torch tensors, both on one
        device, are scored there.
    metrics : str, list of str, or dict of str to str
        Names such as ``"ndcg@10"``; a dict gives them labels of your own.
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D input. None: all rows are one ranking.
    labels : array-like of shape (n_classes,), default=None
        Classes of the columns of `y_score`, where `y_true` holds class labels.
    sample_weight : array-like, default=None
        One weight per query: per row with 1-D input (constant inside a query).
    pooled : array-like of the shape of `y_true`, default=None
        Which unjudged documents were in the pool, for inferred average precision.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        The exact expectation over all orders of tied documents, the best order, the
        worst order, or the order of the rows.
    replace_undefined_by : float, default=np.nan
        What an undefined query counts as; NaN leaves it out of the mean and warns.
    n_jobs : int, default=None
        How many threads share the work: None is 1 outside a
        :obj:`joblib.parallel_config` context, -1 all cores. The values are the same.

    Returns
    -------
    QueryScores
        With `query_ids`, `scores`, `mean` and `to_frame()`.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    Examples
    --------
    >>> from sklearn_irmetrics import score_queries
    >>> score_queries(
    ...     [1, 0, 0, 2], [.9, .1, .7, .7], ["ndcg@10", "map"], qid=[5, 5, 6, 6]
    ... )
    QueryScores of 2 queries
      ndcg@10  0.9077
      map      0.8750
    """
    measures = parse_metrics(metrics)
    judgments = check_judgments(
        y_true,
        y_score,
        qid=qid,
        labels=labels,
        sample_weight=sample_weight,
        marks={"pooled": pooled},
    )
    values = values_per_query(
        measures, y_true, y_score, judgments, qid=qid, ties=ties, n_jobs=n_jobs
    )
    return average_values(
        measures, values, judgments.query_ids, judgments.weights, replace_undefined_by
    )


def parse_metrics(metrics):
    """Return what names of measures stand for.

    Returns
    -------
    dict of str to tuple
        By label: the `Metric`, all its own parameters, the options of its average.
    """
    measures = {}
    for label, text in by_label("metrics", metrics).items():
        metric, arguments = parse_metric(text, "metrics")
        own = _own_parameters(label, metric, arguments)
        options = {name: arguments[name] for name in _AVERAGING if name in arguments}
        measures[label] = metric, own, options
    return measures


def values_per_query(measures, y_true, y_score, judgments, *, qid, ties, n_jobs=None):
    """Return for each measure its values per query, as `run_tasks` does.

    Parameters
    ----------
    measures : dict of str to tuple
        As `parse_metrics` returns them.
    y_true, y_score, qid : array-like
        What the judgments were made of, for measures that do not rank.
    judgments : Judgments
        The same, checked.
    ties, n_jobs : str, int or None
        As for `score_queries`.
    """
    tasks = {
        label: make_task(metric.kernel, own, judgments, options.get("average", "macro"))
        for label, (metric, own, options) in measures.items()
        if metric.kernel is not None
    }
    values = dict(
        zip(
            tasks,
            run_tasks(list(tasks.values()), judgments, ties, n_jobs),
            strict=True,
        )
    )
    for label, (metric, own, _) in measures.items():
        if label not in values:
            values[label] = metric.function(
                y_true, y_score, qid=qid, average=None, **own
            )
    return values


def average_values(measures, values, query_ids, weights, replace_undefined_by):
    """Return `QueryScores` of values per query by label."""
    scores, mean = {}, {}
    for label, (metric, _, options) in measures.items():
        options = {
            "replace_undefined_by": replace_undefined_by,
            "name": metric.function.__name__,
            **options,
        }
        mean[label] = aggregate(values[label], weights, **options)
        options["average"] = None
        scores[label] = aggregate(values[label], weights, **options)
    return QueryScores(query_ids, scores, mean)


def metric_at_cutoffs(
    metric: str,
    y_true: Rankings,
    y_score: Rankings,
    ks: Sequence[int],
    *,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
    n_jobs: int | None = None,
) -> Array:
    """Compute a measure at many cutoffs from one ordering of the documents.

    Parameters
    ----------
    metric : str
        Name of a measure with a cutoff, such as ``"ndcg"`` or ``"q(beta=10)"``.
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better, NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved.
    ks : sequence of int
        Cutoff ranks, each at least 1.
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D input. None: all rows are one ranking.
    labels : array-like of shape (n_classes,), default=None
        Classes of the columns of `y_score`, where `y_true` holds class labels.
    sample_weight : array-like, default=None
        One weight per query: per row with 1-D input (constant inside a query).
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        The exact expectation over all orders of tied documents, the best order, the
        worst order, or the order of the rows.
    average : {"macro", "micro", "geometric"} or None, default="macro"
        As the measure itself takes it; None: one row of values per query.
    replace_undefined_by : float, default=np.nan
        What an undefined query counts as; NaN leaves it out of the mean and warns.
    n_jobs : int, default=None
        How many threads share the work: None is 1 outside a
        :obj:`joblib.parallel_config` context, -1 all cores. The values are the same.

    Returns
    -------
    ndarray of shape (n_cutoffs,) or (n_queries, n_cutoffs)
        The measure at each cutoff.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    Examples
    --------
    >>> from sklearn_irmetrics import metric_at_cutoffs
    >>> metric_at_cutoffs("p", [1, 0, 1, 0], [4, 3, 2, 1], [1, 2, 4])
    array([1. , 0.5, 0.5])
    """
    row, arguments = parse_metric(metric)
    if row.kernel is None or "k" not in row.parameters or "k" in arguments:
        raise ValueError(
            "metric must name a measure with a cutoff, and no cutoff of its own; got "
            f"{metric!r}."
        )
    judgments = check_judgments(
        y_true, y_score, qid=qid, labels=labels, sample_weight=sample_weight
    )
    if np.ndim(ks) != 1 or not len(ks):
        raise ValueError(f"ks must be a non-empty list of integers >= 1; got {ks!r}.")
    cutoffs = [check_cutoff("ks", k) for k in ks]
    options = {"average": average, "replace_undefined_by": replace_undefined_by}
    options |= {name: arguments[name] for name in _AVERAGING if name in arguments}
    if average is None:
        options["average"] = None
    own = _own_parameters(metric, row, arguments)
    rows = run_at_cutoffs(row.kernel, own, cutoffs, judgments, ties, n_jobs)
    return aggregate_rows(
        rows, judgments.weights, name=row.function.__name__, **options
    )


def _own_parameters(name, metric, arguments):
    """Return all parameters of the measure's kernel, as given or by default."""
    shared = set(arguments) & {"ties", "labels", "sample_weight"}
    if shared:
        raise ValueError(
            f"{sorted(shared)[0]} must be given for all measures, not to one of them."
        )
    check_complete(name, metric, arguments)
    parameters = {**metric.parameters, **arguments}
    without = (*_AVERAGING, *MARKS)
    return {name: parameters[name] for name in parameters if name not in without}
