"""A measure at many cutoffs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._checks import check_count
from sklearn_irmetrics._typing import Array, AverageOrMicro, Ids, Rankings, Ties
from sklearn_irmetrics.metrics._measure import (
    Measure,
    as_measure,
    averaging_of,
    formula_parameters,
)
from sklearn_irmetrics.metrics._ranking.compute import average_at_cutoffs
from sklearn_irmetrics.metrics._ranking.judgments import Judgments


def metric_at_cutoffs(
    metric: str | Measure,
    y_true: Rankings,
    y_score: Rankings,
    ks: Sequence[int],
    *,
    qid: Ids | None = None,
    marks: Mapping[str, Any] | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
    n_jobs: int | None = None,
) -> Array:
    """Compute a measure at many cutoffs from one ordering of the documents.

    Parameters
    ----------
    metric : str or Measure
        A measure with a cutoff, such as ``"ndcg"`` or ``"q(beta=10)"``.
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better, NaN: unjudged. For measures of subtopics of shape
        (n_documents, n_subtopics).
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved.
    ks : sequence of int
        Cutoff ranks, each at least 1.
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
    ndarray of shape (n_cutoffs,) or (n_queries, n_cutoffs)
        The measure at each cutoff.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    threshold_curve : A measure at many thresholds of the scores.

    Examples
    --------
    >>> from sklearn_irmetrics.reports import metric_at_cutoffs
    >>> metric_at_cutoffs("p", [1, 0, 1, 0], [4, 3, 2, 1], [1, 2, 4])
    array([1. , 0.5, 0.5])
    """
    measure = as_measure("metric", metric)
    facts = measure.metric
    with_cutoff = facts.kind == "ranking" and "k" in facts.parameters
    if not with_cutoff or "k" in measure.arguments:
        raise ValueError(
            "metric must name a measure with a cutoff, but without a value for it; got "
            f"{metric!r}."
        )
    judgments = Judgments(y_true, qid, sample_weight, marks)
    batch = judgments.batch(y_score, subtopics=facts.subtopics)
    if np.ndim(ks) != 1 or not len(ks):
        raise ValueError(f"ks must be a non-empty list of integers >= 1; got {ks!r}.")
    cutoffs = [check_count("ks", k) for k in ks]
    return average_at_cutoffs(
        facts.formula,
        formula_parameters(measure),
        cutoffs,
        batch,
        ties,
        n_jobs,
        name=facts.function.__name__,
        undefined_if=facts.undefined_if,
        **averaging_of(measure, average, replace_undefined_by),
    )
