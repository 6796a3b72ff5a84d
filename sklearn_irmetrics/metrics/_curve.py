"""Measures read off a precision-recall or ROC curve."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sklearn_irmetrics._core.aggregate import aggregate_rows
from sklearn_irmetrics._core.namespace import namespace
from sklearn_irmetrics._core.score import score_ranking
from sklearn_irmetrics._typing import (
    Array,
    ArrayLike,
    Average,
    Ids,
    Rankings,
    RecallRounding,
    Score,
    Ties,
)
from sklearn_irmetrics.kernels import _curve as kernels
from sklearn_irmetrics.metrics import _weighted
from sklearn_irmetrics.metrics._docs import document

# 0, 0.1, ..., 1, each the float nearest to its decimal.
ELEVEN_POINTS = tuple(tenth / 10 for tenth in range(11))


@document
def interpolated_precision_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    recall_level: float = 0.0,
    recall_rounding: RecallRounding = "ceil",
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Interpolated precision at a recall level.

    The best precision ``C(r) / r`` at or below the rank where recall reaches the level;
    0 if it never does. Tied documents are met as one step, at the end of their group
    (which equals the worst order), since a maximum over ranks has no simple
    expectation; `ties` can ask for the best or the given order instead.

    Parameters
    ----------
    [[data]]
    recall_level : float, default=0.0
        Recall level ρ, between 0 and 1.
    recall_rounding : {"ceil", "trec_eval9", "trec_eval10"}, default="ceil"
        How many relevant documents reach a level ρ: ``ceil(ρR)``, ``int(ρR + 0.9)`` or
        ``ρR`` rounded half up, as these versions of trec_eval do.
    [[relevance]]
    [[shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined for a query without relevant documents.

    Raises
    ------
    [[raises]]

    Notes
    -----
    trec_eval calls it ``iprec_at_recall``.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze, "Introduction to Information
       Retrieval", Cambridge University Press, 2008, section 8.4.

    Examples
    --------
    >>> from sklearn_irmetrics import interpolated_precision_score
    >>> interpolated_precision_score([0, 1, 1, 0], [4, 3, 2, 1], recall_level=0.5)
    0.6666666666666666
    """
    return score_ranking(
        "interpolated_precision_score", kernels.interpolated_precision, locals()
    )


@document
def eleven_point_precision_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    recall_levels: Sequence[float] = ELEVEN_POINTS,
    recall_rounding: RecallRounding = "ceil",
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Eleven-point average precision: interpolated precision over recall levels.

    Tied documents are met as one step, at the end of their group (which equals the
    worst order), since a maximum over ranks has no simple expectation; `ties` can ask
    for the best or the given order instead.

    Parameters
    ----------
    [[data]]
    recall_levels : sequence of float, default=(0, 0.1, ..., 1)
        Recall levels, between 0 and 1.
    recall_rounding : {"ceil", "trec_eval9", "trec_eval10"}, default="ceil"
        How many relevant documents reach a level ρ: ``ceil(ρR)``, ``int(ρR + 0.9)`` or
        ``ρR`` rounded half up, as these versions of trec_eval do.
    [[relevance]]
    [[shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined for a query without relevant documents.

    Raises
    ------
    [[raises]]

    Notes
    -----
    trec_eval calls it ``11pt_avg``.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze, "Introduction to Information
       Retrieval", Cambridge University Press, 2008, section 8.4.

    Examples
    --------
    >>> from sklearn_irmetrics import eleven_point_precision_score
    >>> y_true = [0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1]
    >>> round(eleven_point_precision_score(y_true, range(15, 0, -1)), 4)
    0.2621
    """
    return score_ranking(
        "eleven_point_precision_score", kernels.eleven_point_precision, locals()
    )


@document
def precision_recall_auc_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Area under the interpolated precision-recall curve.

    ``(1 / R) Σ_{j≤R} max {C(r) / r : C(r) ≥ j}``. Tied documents are met as one step,
    at the end of their group (which equals the worst order), since a maximum over ranks
    has no simple expectation; `ties` can ask for the best or the given order instead.

    Parameters
    ----------
    [[data]]
    [[relevance]]
    [[shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined for a query without relevant documents.

    Raises
    ------
    [[raises]]

    See Also
    --------
    average_precision_score : The same without interpolation.

    Examples
    --------
    >>> from sklearn_irmetrics import precision_recall_auc_score
    >>> precision_recall_auc_score([0, 1, 1, 0], [4, 3, 2, 1])
    0.6666666666666666
    """
    return score_ranking(
        "precision_recall_auc_score", kernels.precision_recall_auc, locals()
    )


@document
def roc_auc_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Area under the ROC curve, per query.

    Unlike `sklearn.metrics.roc_auc_score` it compares documents of the same query only,
    takes grades with a threshold and unretrieved documents, and calls a query of one
    kind of documents undefined.

    The probability that a relevant document ranks above a non-relevant one, a tie
    counting ½; documents that were not retrieved form one group below all others.

    Parameters
    ----------
    [[data]]
    [[relevance]]
    [[shared with weights]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined for a query without relevant or without non-relevant
        documents. Unjudged documents are not relevant.

    Raises
    ------
    [[raises]]

    References
    ----------
    .. [1] T. Fawcett, "An introduction to ROC analysis", Pattern Recognition Letters
       27(8), 2006.

    Examples
    --------
    >>> from sklearn_irmetrics import roc_auc_score
    >>> roc_auc_score([1, 0, 1, 0], [4, 3, 2, 1])
    0.75
    """
    arguments = locals()
    if _weighted.weighs_documents(arguments):
        return _weighted.score_weighted_documents(
            "roc_auc_score", _weighted.roc_auc, arguments
        )
    return score_ranking("roc_auc_score", kernels.roc_auc, arguments)


@document
def interpolated_precision_recall_curve(
    y_true: Rankings,
    y_score: Rankings,
    *,
    recall_levels: Sequence[float] = ELEVEN_POINTS,
    recall_rounding: RecallRounding = "ceil",
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> tuple[Array, Array]:
    """Interpolated precision at recall levels, averaged over queries.

    Tied documents are met as one step, at the end of their group (which equals the
    worst order); `ties` can ask for the best or the given order instead.

    Parameters
    ----------
    [[data]]
    recall_levels : sequence of float, default=(0, 0.1, ..., 1)
        Recall levels, between 0 and 1.
    recall_rounding : {"ceil", "trec_eval9", "trec_eval10"}, default="ceil"
        How many relevant documents reach a level ρ: ``ceil(ρR)``, ``int(ρR + 0.9)``
        or ``ρR`` rounded half up, as these versions of trec_eval do.
    [[relevance]]
    [[shared]]

    Returns
    -------
    precision : ndarray of shape (n_levels,) or (n_queries, n_levels)
        Between 0 and 1; NaN for queries without relevant documents with
        ``average=None``.
    recall : ndarray of shape (n_levels,)
        The recall levels.

    Raises
    ------
    [[raises]]

    See Also
    --------
    eleven_point_precision_score : The mean of the precisions.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze, "Introduction to Information
       Retrieval", Cambridge University Press, 2008, section 8.4.

    Examples
    --------
    >>> from sklearn_irmetrics import interpolated_precision_recall_curve
    >>> precision, recall = interpolated_precision_recall_curve(
    ...     [0, 1, 1, 0], [4, 3, 2, 1], recall_levels=[0, 0.5, 1]
    ... )
    >>> precision
    array([0.66666667, 0.66666667, 0.66666667])
    """
    precision = score_ranking(
        "interpolated_precision_recall_curve",
        kernels.interpolated_precisions,
        locals(),
        aggregate_rows,
    )
    xp = namespace(precision)
    return precision, xp.asarray(recall_levels, dtype=xp.float64, like=precision)


@document
def roc_curve(
    y_true: Rankings,
    y_score: Rankings,
    *,
    fpr: Sequence[float] | None = None,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> tuple[Array, Array]:
    """ROC curve averaged over queries at given false positive rates.

    Unlike `sklearn.metrics.roc_curve` it draws one curve per query and averages them
    vertically, so it has rates and no thresholds. A tie group is a straight line, and
    documents that were not retrieved form one group at the end.

    Parameters
    ----------
    [[data]]
    fpr : sequence of float, default=None
        False positive rates, between 0 and 1; None: 0, 0.01, ..., 1.
    [[relevance]]
    [[shared]]

    Returns
    -------
    fpr : ndarray of shape (n_rates,)
        The false positive rates.
    tpr : ndarray of shape (n_rates,) or (n_queries, n_rates)
        Between 0 and 1; the upper end where a curve is vertical. NaN for queries
        without relevant or without non-relevant documents with ``average=None``.

    Raises
    ------
    [[raises]]

    See Also
    --------
    roc_auc_score : The area under the curve of each query, exact.

    References
    ----------
    .. [1] T. Fawcett, "An introduction to ROC analysis", Pattern Recognition Letters
       27(8), 2006.

    Examples
    --------
    >>> from sklearn_irmetrics import roc_curve
    >>> fpr, tpr = roc_curve([1, 0, 1, 0], [4, 3, 2, 1], fpr=[0, 0.5, 1])
    >>> tpr
    array([0.5, 1. , 1. ])
    """
    fpr = tuple(np.linspace(0.0, 1.0, 101).tolist()) if fpr is None else fpr
    tpr = score_ranking("roc_curve", kernels.roc, locals(), aggregate_rows)
    xp = namespace(tpr)
    return xp.asarray(fpr, dtype=xp.float64, like=tpr), tpr
