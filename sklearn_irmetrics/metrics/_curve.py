"""Measures read off a precision-recall or ROC curve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sklearn_irmetrics._core.aggregate import aggregate_rows
from sklearn_irmetrics._core.parameters import check_option, check_parameters
from sklearn_irmetrics._core.score import score_ranking
from sklearn_irmetrics._tables import import_pandas
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
from sklearn_irmetrics.kernels import _staircase as staircase
from sklearn_irmetrics.metrics import _points as points

if TYPE_CHECKING:
    from pandas import DataFrame

# 0, 0.1, ..., 1, each the float nearest to its decimal.
ELEVEN_POINTS = tuple(tenth / 10 for tenth in range(11))


def interpolated_precision_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    recall_level: float = 0.0,
    recall_rounding: RecallRounding = "ceil",
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Interpolated precision at a recall level: the best precision at or beyond it.

    Use it to report the precision that remains at a required level of recall, as for
    searches in patents, law and medicine.

    Tied documents count as one step at the end of their group, as in the worst order,
    because a maximum over ranks has no simple expectation; `ties` can select the best
    order or that of the rows instead.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged. With 2-D `y_score`, 1-D class labels
        are allowed: each row then ranks the classes, and its own class is relevant.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    recall_level : float, default=0.0
        Recall level ρ, between 0 and 1.
    recall_rounding : {"ceil", "trec_eval9", "trec_eval10"}, default="ceil"
        How many relevant documents reach a level ρ: ``ceil(ρR)``, or, as in these
        versions of trec_eval, ``int(ρR + 0.9)`` or ``ρR`` rounded half up.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Drop unjudged documents before ranking (condensed lists).
    pos_label : str, int, float or bool, default=None
        The relevant class if `y_true` holds class labels, such as strings; None if it
        holds grades. Missing labels are unjudged. If `y_true` holds one other class
        instead, nothing is relevant; if it holds several, an error is raised.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one ranking. 2-D input has one query per row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels; None:
        its sorted distinct values, which must be more than two.
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
    float, or ndarray of shape (n_queries,)
        Between 0 and 1; undefined for a query without relevant documents.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    eleven_point_precision_score : Averaged over recall levels.
    precision_recall_auc_score : Averaged over all levels of recall.
    interpolated_precision_recall_curve : The whole curve.

    Notes
    -----
    .. math::

       \bar{P}(\rho) = \max_{r \,:\, C(r) \ge \lceil \rho R \rceil} \frac{C(r)}{r}

    where :math:`C(r)` of the R relevant documents are found down to rank r; the value
    is 0 if the level is never reached.

    Elsewhere: ``iprec_at_recall`` in trec_eval.

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
    return score_ranking(kernels.interpolated_precision, locals())


def eleven_point_precision_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    recall_levels: Sequence[float] = ELEVEN_POINTS,
    recall_rounding: RecallRounding = "ceil",
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Eleven-point average precision: interpolated precision, averaged over levels.

    Use it to reproduce results that were reported with it; otherwise use average
    precision.

    Tied documents count as one step at the end of their group, as in the worst order,
    because a maximum over ranks has no simple expectation; `ties` can select the best
    order or that of the rows instead.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged. With 2-D `y_score`, 1-D class labels
        are allowed: each row then ranks the classes, and its own class is relevant.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    recall_levels : sequence of float, default=(0, 0.1, ..., 1)
        Recall levels, between 0 and 1.
    recall_rounding : {"ceil", "trec_eval9", "trec_eval10"}, default="ceil"
        How many relevant documents reach a level ρ: ``ceil(ρR)``, or, as in these
        versions of trec_eval, ``int(ρR + 0.9)`` or ``ρR`` rounded half up.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Drop unjudged documents before ranking (condensed lists).
    pos_label : str, int, float or bool, default=None
        The relevant class if `y_true` holds class labels, such as strings; None if it
        holds grades. Missing labels are unjudged. If `y_true` holds one other class
        instead, nothing is relevant; if it holds several, an error is raised.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one ranking. 2-D input has one query per row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels; None:
        its sorted distinct values, which must be more than two.
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
    float, or ndarray of shape (n_queries,)
        Between 0 and 1; undefined for a query without relevant documents.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    interpolated_precision_score : At one recall level.
    average_precision_score : Without interpolation.
    interpolated_precision_recall_curve : The precisions that are averaged.

    Notes
    -----
    .. math::

       \mathrm{11pt} = \frac{1}{11} \sum_{i=0}^{10} \bar{P}(i / 10)

    where :math:`\bar{P}(\rho)` is the interpolated precision at recall level
    :math:`\rho`; `recall_levels` can set other levels.

    Elsewhere: ``11pt_avg`` in trec_eval.

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
    return score_ranking(kernels.eleven_point_precision, locals())


def precision_recall_auc_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""PR AUC: the area under the interpolated precision-recall curve.

    Use it where you show the interpolated curve. Most people report average precision,
    which is the same without interpolation.

    Tied documents count as one step at the end of their group, as in the worst order,
    because a maximum over ranks has no simple expectation; `ties` can select the best
    order or that of the rows instead.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged. With 2-D `y_score`, 1-D class labels
        are allowed: each row then ranks the classes, and its own class is relevant.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Drop unjudged documents before ranking (condensed lists).
    pos_label : str, int, float or bool, default=None
        The relevant class if `y_true` holds class labels, such as strings; None if it
        holds grades. Missing labels are unjudged. If `y_true` holds one other class
        instead, nothing is relevant; if it holds several, an error is raised.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one ranking. 2-D input has one query per row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels; None:
        its sorted distinct values, which must be more than two.
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
    float, or ndarray of shape (n_queries,)
        Between 0 and 1; undefined for a query without relevant documents.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    average_precision_score : Without interpolation.
    precision_recall_curve : The curve.
    roc_auc_score : The area under the ROC curve.

    Notes
    -----
    .. math::

       \mathrm{AUC}
         = \frac{1}{R} \sum_{j=1}^{R}\; \max_{r \,:\, C(r) \ge j} \frac{C(r)}{r}

    where :math:`C(r)` of the R relevant documents are found down to rank r.

    Examples
    --------
    >>> from sklearn_irmetrics import precision_recall_auc_score
    >>> precision_recall_auc_score([0, 1, 1, 0], [4, 3, 2, 1])
    0.6666666666666666
    """
    return score_ranking(kernels.precision_recall_auc, locals())


def max_fbeta_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    beta: float = 1.0,
    alpha: float | None = None,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Maximum F: the F measure at the best cutoff of each query.

    Use it to see how good a ranking could be as a filter if its threshold were ideal.
    The judgments determine the threshold, so no real system achieves more.

    No threshold lies inside a tie group, so tied documents count as one step at the end
    of their group, as in the worst order; `ties` can select the best order or that of
    the rows instead.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged. With 2-D `y_score`, 1-D class labels
        are allowed: each row then ranks the classes, and its own class is relevant.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    beta : float, default=1.0
        Weight β of recall, at least 0; 0 gives the best precision.
    alpha : float, default=None
        Weight of precision, between 0 and 1, instead of β: ``1 / (1 + β²)``.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Drop unjudged documents before ranking (condensed lists).
    pos_label : str, int, float or bool, default=None
        The relevant class if `y_true` holds class labels, such as strings; None if it
        holds grades. Missing labels are unjudged. If `y_true` holds one other class
        instead, nothing is relevant; if it holds several, an error is raised.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one ranking. 2-D input has one query per row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels; None:
        its sorted distinct values, which must be more than two.
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
    float, or ndarray of shape (n_queries,)
        Between 0 and 1; undefined for a query without relevant documents.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    fbeta_at_k_score : F at a fixed cutoff.
    set_fbeta_score : F of an unranked set.
    precision_recall_curve : Precision, recall and thresholds.

    Notes
    -----
    .. math::

       \max_{r} \frac{(1 + \beta^2)\, C(r)}{\beta^2 R + r}

    where :math:`C(r)` of the R relevant documents are found down to rank r, over the
    ranks of retrieved documents.

    Elsewhere: for one query, the largest F over ``precision_recall_curve`` in
    scikit-learn.

    References
    ----------
    .. [1] R. Baeza-Yates, B. Ribeiro-Neto, "Modern Information Retrieval", Addison
       Wesley, 1999, section 3.2.2 (the harmonic mean F(j)).

    Examples
    --------
    >>> from sklearn_irmetrics import max_fbeta_score
    >>> max_fbeta_score([1, 0, 1, 0, 0], [5, 4, 3, 2, 1])
    0.8
    """
    return score_ranking(kernels.max_fbeta, locals())


def roc_auc_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""ROC AUC: how often a relevant document ranks above a non-relevant one.

    Use it for scores of classifiers whose classes are about balanced. Where few
    documents are relevant or only the top is read, use average precision: see
    :ref:`class-balance`.

    Unlike `sklearn.metrics.roc_auc_score`, it compares only documents of the same
    query, accepts grades with a threshold and unretrieved documents, and leaves a query
    with only one kind of document undefined.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged. With 2-D `y_score`, 1-D class labels
        are allowed: each row then ranks the classes, and its own class is relevant.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Drop unjudged documents before ranking (condensed lists).
    pos_label : str, int, float or bool, default=None
        The relevant class if `y_true` holds class labels, such as strings; None if it
        holds grades. Missing labels are unjudged. If `y_true` holds one other class
        instead, nothing is relevant; if it holds several, an error is raised.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one ranking. 2-D input has one query per row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels; None:
        its sorted distinct values, which must be more than two.
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
        Without `qid`, one per document, as in scikit-learn; if these differ, each tie
        group is one step.
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
    float, or ndarray of shape (n_queries,)
        Between 0 and 1; undefined for a query without relevant or without non-relevant
        documents. Unjudged documents are not relevant.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    roc_curve : The curve.
    average_precision_score : Also depends on how many documents are relevant.
    bpref_score : Compares relevant documents with the first few others.

    Notes
    -----
    .. math::

       \mathrm{AUC} = \frac{1}{R N} \sum_{d} \sum_{e} w_{de}

       w_{de} = \begin{cases} 1 & \text{if } s_d > s_e \\
         1/2 & \text{if } s_d = s_e \\ 0 & \text{if } s_d < s_e \end{cases}

    where d runs over the R relevant and e over the N other documents of the query, and
    s is the score. Documents that were not retrieved form one group below all others.

    Elsewhere: ``roc_auc_score`` in scikit-learn, ``RetrievalAUROC`` in torchmetrics,
    ``QueryAUC`` in CatBoost.

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
    if points.weighs_documents(arguments):
        return points.score_one_ranking("roc_auc_score", points.roc_auc, arguments)
    return score_ranking(kernels.roc_auc, arguments)


def interpolated_precision_recall_curve(
    y_true: Rankings,
    y_score: Rankings,
    *,
    recall_levels: Sequence[float] = ELEVEN_POINTS,
    recall_rounding: RecallRounding = "ceil",
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> tuple[Array, Array]:
    """Interpolated precision at recall levels, averaged over queries.

    Tied documents count as one step at the end of their group, as in the worst order;
    `ties` can select the best order or that of the rows instead.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged. With 2-D `y_score`, 1-D class labels
        are allowed: each row then ranks the classes, and its own class is relevant.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    recall_levels : sequence of float, default=(0, 0.1, ..., 1)
        Recall levels, between 0 and 1.
    recall_rounding : {"ceil", "trec_eval9", "trec_eval10"}, default="ceil"
        How many relevant documents reach a level ρ: ``ceil(ρR)``, or, as in these
        versions of trec_eval, ``int(ρR + 0.9)`` or ``ρR`` rounded half up.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Drop unjudged documents before ranking (condensed lists).
    pos_label : str, int, float or bool, default=None
        The relevant class if `y_true` holds class labels, such as strings; None if it
        holds grades. Missing labels are unjudged. If `y_true` holds one other class
        instead, nothing is relevant; if it holds several, an error is raised.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one ranking. 2-D input has one query per row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels; None:
        its sorted distinct values, which must be more than two.
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
    precision : ndarray of shape (n_levels,) or (n_queries, n_levels)
        Between 0 and 1; with ``average=None``, NaN for queries without relevant
        documents.
    recall : ndarray of shape (n_levels,)
        The recall levels.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

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
        kernels.interpolated_precisions,
        locals(),
        name="interpolated_precision_recall_curve",
        combine=aggregate_rows,
    )
    return precision, np.asarray(recall_levels, dtype=np.float64)


@dataclass(frozen=True)
class _Curve:
    """Points of a curve, as named arrays that can be unpacked."""

    def __iter__(self) -> Iterator[Any]:
        """Yield the arrays in the order of the attributes."""
        return iter(vars(self).values())

    def to_frame(self) -> DataFrame:
        """Return the curve as a `pandas.DataFrame`, a row per point."""
        columns = {n: v for n, v in vars(self).items() if v is not None}
        if any(values.ndim > 1 for values in columns.values()):
            raise ValueError(
                "a table of points needs one curve; got one per query (average=None)."
            )
        longest = max(map(len, columns.values()))
        columns = {
            name: np.append(values, [np.nan] * (longest - len(values)))
            for name, values in columns.items()
        }
        return import_pandas().DataFrame(columns)


@dataclass(frozen=True)
class RocCurve(_Curve):
    """Points of a ROC curve; ``fpr, tpr, thresholds = curve`` unpacks it.

    Attributes
    ----------
    false_positive_rate : ndarray of shape (n_points,)
        Share of the other documents that are retrieved, rising.
    true_positive_rate : ndarray of shape (n_points,) or (n_queries, n_points)
        Share of the relevant documents that are retrieved.
    thresholds : ndarray of shape (n_points,) or None
        The smallest score retrieved: infinity at the first point, -infinity at the
        last if some documents were not retrieved. None for an average over queries.
    """

    false_positive_rate: Array
    true_positive_rate: Array
    thresholds: Array | None


@dataclass(frozen=True)
class PrecisionRecallCurve(_Curve):
    """Points of a curve; ``precision, recall, thresholds = curve`` unpacks it.

    Attributes
    ----------
    precision : ndarray of shape (n_points,) or (n_queries, n_points)
        Share of relevant documents among those retrieved.
    recall : ndarray of shape (n_points,)
        Share of the relevant documents that are retrieved: falling with thresholds,
        rising for recall levels.
    thresholds : ndarray of shape (n_points - 1,) or None
        The smallest score retrieved, rising; the last point, of precision 1 and recall
        0, has none. None for values at recall levels.
    """

    precision: Array
    recall: Array
    thresholds: Array | None


def roc_curve(
    y_true: Rankings,
    y_score: Rankings,
    *,
    grid: Sequence[float] | None = None,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> RocCurve:
    """ROC curve of one ranking with its thresholds, or averaged over queries.

    For one ranking (1-D input without `qid` and `grid`), the arrays are those of
    `sklearn.metrics.roc_curve` with ``drop_intermediate=False``. The curves of several
    queries are averaged vertically, so the area under the average is the mean of
    `roc_auc_score`. A tie group is a straight line, and documents that were not
    retrieved form one group at the end.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged. With 2-D `y_score`, 1-D class labels
        are allowed: each row then ranks the classes, and its own class is relevant.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    grid : sequence of float, default=None
        False positive rates, between 0 and 1, at which to average the curves of the
        queries; where the average is vertical, its midpoint is taken. None: all corners
        of the average, including both ends of vertical parts, or 0, 0.01, ..., 1 for
        curves per query and geometric means.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Drop unjudged documents before ranking (condensed lists).
    pos_label : str, int, float or bool, default=None
        The relevant class if `y_true` holds class labels, such as strings; None if it
        holds grades. Missing labels are unjudged. If `y_true` holds one other class
        instead, nothing is relevant; if it holds several, an error is raised.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one ranking. 2-D input has one query per row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels; None:
        its sorted distinct values, which must be more than two.
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
        Without `qid`, one per document, as in scikit-learn; if these differ, each tie
        group is one step.
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
    RocCurve
        With `false_positive_rate`, `true_positive_rate` and `thresholds` (None for an
        average), between 0 and 1. Undefined for a query without relevant or without
        other documents: NaN with ``average=None``, and in the undefined rate of one
        ranking.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    roc_auc_score : The exact area under the curve of each query.
    precision_recall_curve : Precision instead of the false positive rate.

    Notes
    -----
    The average curve of random rankings is not the diagonal. Among N other documents, a
    relevant one is equally likely to be at each of the N + 1 places before, between and
    after them. The expected true positive rate at x is therefore
    ``(⌊N x⌋ + 1) / (N + 1)`` between the jumps at 0, 1 / N, ..., 1, and half-way up at
    a jump. `plot.RocDisplay` draws the mean of these curves over queries.

    References
    ----------
    .. [1] T. Fawcett, "An introduction to ROC analysis", Pattern Recognition Letters
       27(8), 2006.

    Examples
    --------
    >>> from sklearn_irmetrics import roc_curve
    >>> fpr, tpr, thresholds = roc_curve([1, 0, 1, 0], [0.8, 0.6, 0.4, 0.2])
    >>> fpr, tpr
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    >>> thresholds
    array([inf, 0.8, 0.6, 0.4, 0.2])
    >>> curve = roc_curve([1, 0, 1, 0], [4, 3, 2, 1], grid=[0, 0.25, 0.5, 1])
    >>> curve.true_positive_rate
    array([0.25, 0.5 , 0.75, 1.  ])
    """
    name, arguments = "roc_curve", locals()
    if grid is None:
        ranking = points.one_ranking(arguments)
        if ranking is not None:
            columns = points.roc_points(ranking)
            x, y, scores = points.fill_undefined(name, columns, arguments)
            return RocCurve(x, y, scores)
        if isinstance(average, str) and average == "macro":
            x, y = points.average_roc(name, arguments)
            return RocCurve(x, y, None)
        grid = arguments["grid"] = tuple(np.linspace(0.0, 1.0, 101).tolist())
    tpr = score_ranking(kernels.roc, arguments, name=name, combine=aggregate_rows)
    return RocCurve(np.asarray(grid, dtype=np.float64), tpr, None)


def precision_recall_curve(
    y_true: Rankings,
    y_score: Rankings,
    *,
    interpolation: Literal["right", "window"] | None = None,
    grid: Sequence[float] | None = None,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> PrecisionRecallCurve:
    """Precision-recall curve: of one ranking at its thresholds, or at recall levels.

    For one ranking (1-D input without `qid`), the arrays are those of
    `sklearn.metrics.precision_recall_curve`. With `interpolation` or several queries,
    the precision is given at recall levels. A tie group is one step; documents that
    were not retrieved add no point.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged. With 2-D `y_score`, 1-D class labels
        are allowed: each row then ranks the classes, and its own class is relevant.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    interpolation : {"right", "window"}, default=None
        The precision at a recall level. ``"right"``: the best at this recall or more, 0
        if it is never reached. ``"window"``: the best between this level and the next
        (1 after the last), NaN if no rank has such a recall. None: no interpolation for
        one ranking, ``"right"`` for several queries or with `grid`.
    grid : sequence of float, default=None
        Recall levels, between 0 and 1, rising for ``"window"``; None: 0, 0.1, ..., 1.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Drop unjudged documents before ranking (condensed lists).
    pos_label : str, int, float or bool, default=None
        The relevant class if `y_true` holds class labels, such as strings; None if it
        holds grades. Missing labels are unjudged. If `y_true` holds one other class
        instead, nothing is relevant; if it holds several, an error is raised.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one ranking. 2-D input has one query per row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels; None:
        its sorted distinct values, which must be more than two.
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
        Without `qid`, one per document, as in scikit-learn; if these differ, each tie
        group is one step.
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
    PrecisionRecallCurve
        With `precision`, `recall` and `thresholds` (None at recall levels), between 0
        and 1. Undefined for a query without relevant documents: NaN with
        ``average=None``, and in the recall of one ranking.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    interpolated_precision_recall_curve : ``"right"``, rounded as in trec_eval.
    max_fbeta_score : The best F of any threshold.
    precision_recall_at_ranks : Both at every rank of every query.

    Notes
    -----
    Precision at recall levels uses ranks only: ranks above the first relevant document
    have recall and precision 0, and the point of recall 0 and precision 1 at the end of
    the curve of one ranking is not a rank. A window at 0 is therefore empty if the
    first document is relevant and its recall lies beyond the window. With ``"window"``,
    the mean at a level is over the queries that have a rank in its window.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze, "Introduction to Information
       Retrieval", Cambridge University Press, 2008, section 8.4.
    .. [2] R. Baeza-Yates, B. Ribeiro-Neto, "Modern Information Retrieval", Addison
       Wesley, 1999, section 3.2 (``"window"``).

    Examples
    --------
    >>> from sklearn_irmetrics import precision_recall_curve
    >>> precision, recall, thresholds = precision_recall_curve([1, 0, 1], [3, 2, 1])
    >>> precision
    array([0.66666667, 0.5       , 1.        , 1.        ])
    >>> recall, thresholds
    (array([1. , 0.5, 0.5, 0. ]), array([1., 2., 3.]))
    >>> y_true, y_score = [1, 0, 1, 0, 0, 0, 0, 0, 1, 1], range(10, 0, -1)
    >>> levels = {"grid": [0.5, 0.6, 0.7, 0.8, 0.9]}
    >>> for interpolation in ("right", "window"):
    ...     options = levels | {"interpolation": interpolation}
    ...     print(precision_recall_curve(y_true, y_score, **options).precision.round(3))
    [0.667 0.4   0.4   0.4   0.4  ]
    [0.667   nan 0.333   nan 0.4  ]
    """
    name, arguments = "precision_recall_curve", locals()
    del arguments["interpolation"]
    if interpolation is not None:
        check_option("interpolation", interpolation, ("right", "window"))
    ranking = points.one_ranking(arguments)
    if ranking is not None and interpolation is None and grid is None:
        columns = points.precision_recall_points(ranking)
        columns = points.fill_undefined(name, columns, arguments)
        return PrecisionRecallCurve(*columns)
    grid = arguments["grid"] = ELEVEN_POINTS if grid is None else grid
    checked = check_parameters({"grid": grid}, None)["grid"]
    if interpolation == "window" and (np.diff(checked) <= 0.0).any():
        raise ValueError(
            f"grid must increase with interpolation='window'; got {list(checked)!r}."
        )
    if ranking is not None and ranking.weighted:
        precision = points.at_levels(name, ranking, checked, interpolation, arguments)
    elif interpolation == "window":
        precision = score_ranking(
            staircase.best_in_windows,
            arguments,
            name=name,
            combine=points.average_windows,
        )
    else:
        del arguments["grid"]
        arguments |= {"recall_levels": checked, "recall_rounding": "ceil"}
        precision = score_ranking(
            kernels.interpolated_precisions,
            arguments,
            name=name,
            combine=aggregate_rows,
        )
    recall = np.asarray(checked, dtype=np.float64)
    return PrecisionRecallCurve(precision, recall, None)
