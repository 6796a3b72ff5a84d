"""A measure at many thresholds, each of which decides for all queries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.numbers import as_floats, issparse
from sklearn_irmetrics._checks import TIES, check_option
from sklearn_irmetrics._typing import Array, AverageOrMicro, Ids, Rankings, Ties
from sklearn_irmetrics._warnings import warn_of_undefined
from sklearn_irmetrics.metrics._measure import (
    Measure,
    as_measure,
    averaging_of,
    formula_parameters,
)
from sklearn_irmetrics.metrics._per_query import average_of
from sklearn_irmetrics.metrics._ranking.compute import (
    make_task,
    prepare,
    run_tasks,
    warn_of_low_precision_scores,
)
from sklearn_irmetrics.metrics._ranking.judgments import Judgments
from sklearn_irmetrics.metrics._ranking.sets import Sets, count_cells


def metric_at_thresholds(
    metric: str | Measure,
    y_true: Rankings,
    y_score: Rankings,
    thresholds: ArrayLike,
    *,
    qid: Ids | None = None,
    marks: Mapping[str, Any] | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
    n_jobs: int | None = None,
) -> Array:
    """Compute a measure at many thresholds, below which nothing is retrieved.

    Each threshold decides for all queries at once, so scores must be comparable between
    queries: probabilities or similarities are, scores of BM25 and of models trained on
    the order within queries only are not.

    Parameters
    ----------
    metric : str or Measure
        A measure of rankings or of sets, such as ``"recall@5"``, ``"silence"`` or
        ``"set_f1"``; without a cutoff, of all documents that are retrieved.
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better, NaN: unjudged. For measures of subtopics of shape
        (n_documents, n_subtopics).
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved.
    thresholds : array-like of shape (n_thresholds,)
        Documents with a score below a threshold count as not retrieved, as if their
        score were -inf; a score equal to it is enough. They are compared as numbers of
        the type of the scores: 0.7 is enough for a float32 score of 0.7. In any order;
        -inf and inf are allowed.
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D input. None: all rows are one ranking.
    marks : dict of str to array-like of the shape of `y_true`, default=None
        Arrays that some measures need: ``"known"``, the documents that the user
        already knew; ``"pooled"``, the unjudged documents that were in the pool (for
        inferred average precision); and those of
        `sklearn_irmetrics.metrics.experimental`, of which
        ``"membership"`` and ``"vectors"`` have one more axis.
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        How to rank tied documents: return the exact expectation over all their orders,
        or take the best order, the worst order, or the order of the rows.
    average : {"macro", "micro", "geometric"} or None, default="macro"
        As for the measure itself; None: one row of values per query.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean and warns.
    n_jobs : int, default=None
        Number of threads: None is 1 outside a :obj:`joblib.parallel_config` context, -1
        all cores. The values are the same up to rounding.

    Returns
    -------
    ndarray of shape (n_thresholds,) or (n_queries, n_thresholds)
        The measure at each threshold.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    metric_at_cutoffs : A measure at many cutoffs.
    silence_score : Whether nothing is retrieved if there is nothing to find.
    sklearn_irmetrics.plot.SilenceDisplay : Draws a measure against silence.

    Examples
    --------
    Of three questions, the last one has no answer:

    >>> from sklearn_irmetrics import metric_at_thresholds
    >>> y_true, qid = [1, 0, 0, 1, 0, 0], [1, 1, 2, 2, 3, 3]
    >>> y_score = [0.9, 0.4, 0.7, 0.6, 0.5, 0.2]
    >>> data, options = (y_true, y_score), {"qid": qid, "average": None}
    >>> metric_at_thresholds("success@2", *data, [0, 0.55, 0.8], **options)
    array([[ 1.,  1.,  1.],
           [ 1.,  1.,  0.],
           [nan, nan, nan]])
    >>> metric_at_thresholds("silence", *data, [0, 0.55, 0.8], **options)
    array([[nan, nan, nan],
           [nan, nan, nan],
           [ 0.,  1.,  1.]])
    """
    measure = as_measure("metric", metric)
    _check_kind(measure, metric)
    check_option("ties", ties, TIES)
    judgments = Judgments(y_true, qid, sample_weight, marks)
    batch = judgments.batch(y_score, subtopics=measure.metric.subtopics)
    levels = check_thresholds(thresholds, batch)
    kind_of_mean = averaging_of(measure, average, replace_undefined_by)["average"]
    name = measure.metric.function.__name__
    results, undefined, most = [], [], 0
    for values in _values_at(measure, batch, levels, ties, kind_of_mean, n_jobs):
        found = average_of(
            measure, values, batch.weights, replace_undefined_by, average=average
        )
        results.append(found.result)
        if found.n_undefined > most:
            most, undefined = found.n_undefined, found.undefined_means(name, name)
    warn_of_undefined(undefined)  # once, of the threshold that leaves out most
    return np.stack(results, axis=-1)


def _check_kind(measure, metric):
    """Refuse measures that do not follow from what was retrieved."""
    kind = measure.metric.kind
    if kind == "labels" or (kind == "set" and "pos_label" in measure.arguments):
        raise ValueError(
            "metric must be a measure of rankings, or of sets without pos_label; got "
            f"{metric!r}. Pass y_true == label as grades to use a threshold for a "
            "class."
        )


def check_thresholds(thresholds, batch):
    """Return thresholds as numbers that compare with scores exactly."""
    levels = as_floats("thresholds", thresholds)
    if levels.ndim != 1 or not len(levels) or np.isnan(levels).any():
        raise ValueError(
            "thresholds must be a non-empty list of numbers, not of NaN; got "
            f"{thresholds!r}."
        )
    if batch.scores.dtype.kind != "f":
        return levels
    with np.errstate(over="ignore"):  # of float32, to infinity
        levels = levels.astype(batch.scores.dtype)
    return _as_bfloat16(levels) if batch.low_precision == "bfloat16" else levels


def _as_bfloat16(numbers):
    """Return the nearest numbers of the type, which NumPy lacks, as float32."""
    bits = numbers.astype(np.float32).view(np.uint32)
    to_even = np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))
    return (bits + to_even & np.uint32(0xFFFF0000)).view(np.float32)


def _values_at(measure, batch, levels, ties, average, n_jobs):
    """Yield at each threshold what `average_of` takes."""
    facts, parameters = measure.metric, formula_parameters(measure)
    tasks = []
    if facts.kind == "ranking":
        tasks = [make_task(facts.formula, parameters, batch, average)]
        warn_of_low_precision_scores(batch)
        batch = prepare(tasks, batch, ties)
    else:
        del parameters["pos_label"]
    for level in levels:
        documents = batch.with_scores(_retrieved(batch.scores, level), None)
        if tasks:
            (values,) = run_tasks(tasks, documents, ties, n_jobs)
        else:
            _, counts = count_cells(
                facts.formula, parameters, Sets.of_ranking(documents)
            )
            values = np.concatenate([counts, np.ones((1, batch.n_queries))])
        yield values


def _retrieved(scores, level):
    """Return scores with -inf for those below a threshold."""
    if not issparse(scores):
        return np.where(scores >= level, scores, -np.inf)
    from scipy.sparse import csr_array

    kept = np.where(scores.data >= level, scores.data, -np.inf)
    return csr_array((kept, scores.indices, scores.indptr), shape=scores.shape)
