"""Cumulative gain at every rank."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._checks import check_count
from sklearn_irmetrics._typing import Array, Average, Ids, Rankings, Ties
from sklearn_irmetrics.metrics._measure import (
    Measure,
    as_label,
    as_measure,
    averaging_of,
    formula_parameters,
)
from sklearn_irmetrics.metrics._ranking.batch import check_batch
from sklearn_irmetrics.metrics._ranking.compute import average_at_cutoffs
from sklearn_irmetrics.metrics._ranking.parameters import refuse_class_labels

_MEASURES = ("cg", "dcg", "ndcg")


def gain_curve(
    y_true: Rankings,
    y_score: Rankings,
    *,
    metric: str | Measure = "ndcg",
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> tuple[Array, Array]:
    """Cumulative gain at every cutoff, plain, discounted or normalised.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    metric : str or Measure, default="ndcg"
        ``"cg"``, ``"dcg"`` or ``"ndcg"``, without a cutoff; with the arguments of
        `cumulative_gain_score`, `dcg_score` or `ndcg_score`, such as
        ``"ndcg(gain='exponential')"`` or ``Measure("dcg", discount=f)``.
    k : int, default=None
        The last cutoff, at least 1; None: the length of the longest query.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one ranking. 2-D input has one query per row.
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        How to rank tied documents: return the exact expectation over all their orders,
        or take the best order, the worst order, or the order of the rows.
    average : {"macro", "geometric"} or None, default="macro"
        Mean over queries, geometric mean (values below 1e-5 count as 1e-5, negative
        ones are errors), or None for one value per query in order of first appearance.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean and warns.

    Returns
    -------
    cutoffs : ndarray of shape (n_cutoffs,)
        1, 2, ..., up to the last.
    values : ndarray of shape (n_cutoffs,) or (n_queries, n_cutoffs)
        The measure at each cutoff.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    cumulative_gain_score : CG, at one cutoff.
    dcg_score : DCG, at one cutoff.
    ndcg_score : Normalised DCG, at one cutoff.
    metric_at_cutoffs : Any measure at many cutoffs.

    References
    ----------
    .. [1] K. Järvelin, J. Kekäläinen, "Cumulated gain-based evaluation of IR
       techniques", ACM TOIS 20(4), 2002.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import gain_curve
    >>> cutoffs, cg = gain_curve([3, 2, 3, 0], [4, 3, 2, 1], metric="cg")
    >>> cg
    array([3., 5., 8., 8.])
    """
    measure = measure_of_gain(metric)
    batch = check_batch(y_true, y_score, qid=qid, sample_weight=sample_weight)
    refuse_class_labels(batch)
    last = batch.max_length if k is None else check_count("k", k)
    cutoffs = range(1, min(last, batch.max_length) + 1)
    values = average_at_cutoffs(
        measure.metric.formula,
        formula_parameters(measure),
        cutoffs,
        batch,
        ties,
        name=f"gain_curve (metric={measure.label!r})",
        undefined_if=measure.metric.undefined_if,
        **averaging_of(measure, average, replace_undefined_by),
    )
    return np.asarray(list(cutoffs)), values


def measure_of_gain(metric):
    """Return a name or a `Measure` as the measure of gain that a curve is about."""
    measure = as_measure("metric", metric)
    if measure.metric.name not in _MEASURES or "k" in measure.arguments:
        raise ValueError(
            f"metric must be a measure of gain, {', '.join(map(repr, _MEASURES))}, "
            f"without a cutoff; got {as_label(metric)!r}. For other measures, use "
            "sklearn_irmetrics.reports.metric_at_cutoffs."
        )
    return measure
