"""Many measures of one set of rankings."""

from dataclasses import dataclass

import numpy as np

from sklearn_irmetrics._core.aggregate import aggregate
from sklearn_irmetrics._core.inputs import check_judgments
from sklearn_irmetrics._core.score import make_task, run_tasks
from sklearn_irmetrics._registry import parse_metric

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
    scores: dict
    mean: dict

    def to_frame(self):
        """Return the scores as a table.

        Returns
        -------
        pandas.DataFrame of shape (n_queries, n_measures)
            Query ids in the index.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("to_frame() needs pandas: pip install pandas.") from error
        return pd.DataFrame(self.scores, index=pd.Index(self.query_ids, name="qid"))

    def __repr__(self):
        """Show the averages, one measure a line."""
        width = max(map(len, self.mean), default=0)
        lines = [f"  {name:<{width}}  {value:.4f}" for name, value in self.mean.items()]
        return "\n".join([f"QueryScores of {len(self.query_ids)} queries", *lines])


def score_queries(
    y_true,
    y_score,
    metrics,
    *,
    qid=None,
    labels=None,
    sample_weight=None,
    ties="average",
    replace_undefined_by=np.nan,
):
    """Compute many measures from one ordering of the documents.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better, NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved.
    metrics : str, list of str, or dict of str to str
        Names such as ``"ndcg@10"``; a dict gives them labels of your own.
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D input. None: all rows are one ranking.
    labels : array-like of shape (n_classes,), default=None
        Classes of the columns of `y_score`, where `y_true` holds class labels.
    sample_weight : array-like, default=None
        One weight per query: per row with 1-D input (constant inside a query).
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        The exact expectation over all orders of tied documents, the best order, the
        worst order, or the order of the rows.
    replace_undefined_by : float, default=np.nan
        What an undefined query counts as; NaN leaves it out of the mean and warns.

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
    named = _check_metrics(metrics)
    judgments = check_judgments(
        y_true, y_score, qid=qid, labels=labels, sample_weight=sample_weight
    )
    parsed = {label: parse_metric(text) for label, text in named.items()}
    tasks = [
        make_task(metric.kernel, _own_parameters(metric, arguments), judgments)
        for metric, arguments in parsed.values()
    ]
    values = run_tasks(tasks, judgments, ties)
    scores, mean = {}, {}
    for (label, (metric, arguments)), per_query in zip(
        parsed.items(), values, strict=True
    ):
        options = {"replace_undefined_by": replace_undefined_by}
        options |= {name: arguments[name] for name in _AVERAGING if name in arguments}
        options["name"] = metric.function.__name__
        mean[label] = aggregate(per_query, judgments.weights, **options)
        options["average"] = None
        scores[label] = aggregate(per_query, judgments.weights, **options)
    return QueryScores(judgments.query_ids, scores, mean)


def _check_metrics(metrics):
    """Return measures by label."""
    if isinstance(metrics, str):
        metrics = [metrics]
    named = dict(metrics) if hasattr(metrics, "keys") else {m: m for m in metrics}
    if not named:
        raise ValueError("metrics must name at least one measure; got none.")
    return named


def _own_parameters(metric, arguments):
    """Return all parameters of the measure's kernel, as given or by default."""
    shared = set(arguments) & {"ties", "labels", "sample_weight"}
    if shared:
        raise ValueError(
            f"{sorted(shared)[0]} must be given to score_queries, not to one measure."
        )
    parameters = {**metric.parameters, **arguments}
    return {name: parameters[name] for name in parameters if name not in _AVERAGING}
