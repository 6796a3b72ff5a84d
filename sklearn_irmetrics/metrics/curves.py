"""Curves, the areas under them, and values rank by rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.rows import (
    divide,
    divide_or_zero,
    largest_from,
    row_sum,
    running_max,
    side_by_side,
)
from sklearn_irmetrics._checks import (
    TIES,
    check_count,
    check_flag,
    check_option,
    check_share,
)
from sklearn_irmetrics._results.tables import count, import_pandas
from sklearn_irmetrics._results.tabular import Rows
from sklearn_irmetrics._typing import (
    Array,
    Average,
    Ids,
    Rankings,
    RecallRounding,
    Score,
    Ties,
)
from sklearn_irmetrics.metrics import _points as points
from sklearn_irmetrics.metrics._formulas import pick_column, precision_weight
from sklearn_irmetrics.metrics._points import best_in_windows, standardise_area
from sklearn_irmetrics.metrics._ranking.averages import ONE_CLASS, aggregate_rows
from sklearn_irmetrics.metrics._ranking.batch import check_batch
from sklearn_irmetrics.metrics._ranking.blocks import iter_blocks
from sklearn_irmetrics.metrics._ranking.compute import score_ranking
from sklearn_irmetrics.metrics._ranking.gains import Relevant
from sklearn_irmetrics.metrics._ranking.parameters import (
    check_beta,
    check_max_fpr,
    check_optional_share,
    check_relevance,
    check_shares,
    one_of,
    rules,
)
from sklearn_irmetrics.metrics._ranking.ranking import Ranking

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
        Grades; larger is better. NaN: unjudged.
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
    >>> from sklearn_irmetrics.metrics import interpolated_precision_score
    >>> interpolated_precision_score([0, 1, 1, 0], [4, 3, 2, 1], recall_level=0.5)
    0.6666666666666666
    """
    return score_ranking(
        "interpolated_precision_score",
        _interpolated_precision,
        y_true,
        y_score,
        recall_level=recall_level,
        recall_rounding=recall_rounding,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


_check_rounding = one_of("ceil", "trec_eval9", "trec_eval10")


@rules(recall_level=check_share, recall_rounding=_check_rounding)
def _interpolated_precision(ranking, *, recall_level, **options):
    """Compute the best precision at or below the rank that reaches a recall level."""
    return _interpolated_precisions(ranking, recall_levels=[recall_level], **options)[0]


@rules(recall_levels=check_shares, recall_rounding=_check_rounding)
def _interpolated_precisions(
    ranking, *, recall_levels, recall_rounding, relevance_threshold
):
    """Return interpolated precision, one row per recall level."""
    relevant = Relevant(relevance_threshold)
    to_find = ranking.total(relevant)
    best = _best_precision_from(ranking, relevant)
    levels = np.asarray(recall_levels, dtype=np.float64)
    target = _ROUNDINGS[recall_rounding](levels[:, np.newaxis] * to_find)
    is_reached = target <= best.shape[1]
    columns = np.clip(target, 1, best.shape[1]).astype(np.int64) - 1
    value = np.where(is_reached, pick_column(best, columns), 0.0)
    return np.where(to_find > 0, value, np.nan)


def _best_precision_from(ranking, relevant):
    """Return the best precision from the j-th relevant document on, in column j.

    A tie group is one step: its relevant documents are found at its end.
    """
    ranking = ranking.group_ties(relevant)
    return ranking.cached(
        "best_precision", relevant, partial(_best_precision_in_order, ranking)
    )


def _best_precision_in_order(ranking, relevant):
    """Return the best precision from each relevant document on, for one order."""
    precision = ranking.running_sum(relevant) / ranking.ranks
    at_relevant = side_by_side(ranking.values(relevant), precision)
    return largest_from(at_relevant)


_ROUNDINGS = {
    "ceil": lambda exact: np.ceil(np.round(exact, 9)),
    "trec_eval9": lambda exact: np.floor(exact + 0.9),
    # Half away from zero, as C's lround; adding 0.5 would round 0.49999999999999994 up.
    "trec_eval10": lambda exact: np.floor(exact) + (exact - np.floor(exact) >= 0.5),
}


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
        Grades; larger is better. NaN: unjudged.
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
    return score_ranking(
        "eleven_point_precision_score",
        _eleven_point_precision,
        y_true,
        y_score,
        recall_levels=recall_levels,
        recall_rounding=recall_rounding,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


@rules(recall_levels=check_shares, recall_rounding=_check_rounding)
def _eleven_point_precision(ranking, **options):
    """Compute the mean of interpolated precision over recall levels."""
    return _interpolated_precisions(ranking, **options).mean(axis=0)


def precision_recall_auc_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    qid: Ids | None = None,
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
        Grades; larger is better. NaN: unjudged.
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
    >>> from sklearn_irmetrics.metrics import precision_recall_auc_score
    >>> precision_recall_auc_score([0, 1, 1, 0], [4, 3, 2, 1])
    0.6666666666666666
    """
    return score_ranking(
        "precision_recall_auc_score",
        _precision_recall_auc,
        y_true,
        y_score,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _precision_recall_auc(ranking, *, relevance_threshold):
    """Compute the mean, over all relevant documents, of interpolated precision."""
    relevant = Relevant(relevance_threshold)
    best = _best_precision_from(ranking, relevant)
    return divide(best.sum(axis=1), ranking.total(relevant))


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
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    beta : float, default=1.0
        Weight β of recall, at least 0; 0 gives the best precision, inf the recall.
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
    >>> from sklearn_irmetrics.metrics import max_fbeta_score
    >>> max_fbeta_score([1, 0, 1, 0, 0], [5, 4, 3, 2, 1])
    0.8
    """
    return score_ranking(
        "max_fbeta_score",
        _max_fbeta,
        y_true,
        y_score,
        beta=beta,
        alpha=alpha,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


@rules(beta=check_beta, alpha=check_optional_share)
def _max_fbeta(ranking, *, beta, alpha, relevance_threshold):
    """Compute the largest C(r) / (alpha r + (1 - alpha) R) at any rank r."""
    relevant = Relevant(relevance_threshold)
    to_find = ranking.total(relevant)
    ranking = ranking.group_ties(relevant)
    alpha = precision_weight(beta, alpha)
    missing = (1.0 - alpha) * to_find[:, np.newaxis]
    values = divide_or_zero(
        ranking.running_sum(relevant), alpha * ranking.ranks + missing
    )
    return np.where(to_find > 0, running_max(values)[:, -1], np.nan)


def recall_at_precision_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    min_precision: float = 0.9,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Recall at a precision: how much a threshold finds that keeps precision up.

    Use it where precision is a requirement and recall the gain: the cases that are
    decided automatically, the answers that may be shown, the alarms that people can
    follow up.

    No threshold lies inside a tie group, so tied documents count as one step at the end
    of their group, as in the worst order; `ties` can select the best order or that of
    the rows instead.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    min_precision : float, default=0.9
        The lowest precision that is accepted, between 0 and 1.
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
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
        Without `qid`, one per document, as in scikit-learn: 0 leaves it out; if the
        others differ, each tie group is one step.
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
        Between 0 and 1, 0 if no threshold has the precision; undefined for a query
        without relevant documents.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    interpolated_precision_score : The mirror: precision at a recall level.
    recall_at_fpr_score : With a limit of the false positive rate.
    max_fbeta_score : The best balance of precision and recall.
    precision_recall_curve : Precision, recall and thresholds.

    Notes
    -----
    .. math::

       \max_{r \,:\, C(r) / r \ge p} \frac{C(r)}{R}

    where :math:`C(r)` of the R relevant documents are found down to rank r, over the
    ranks of retrieved documents, and p is `min_precision`. The judgments determine the
    threshold: on new data, the precision of a threshold that was chosen like this is
    lower on average.

    Elsewhere: ``BinaryRecallAtFixedPrecision`` in torchmetrics, ``RecallAtPrecision``
    in Keras; for one query, the largest recall with that precision in
    ``precision_recall_curve`` of scikit-learn.

    References
    ----------
    .. [1] E. Eban, M. Schain, A. Mackey, A. Gordon, R. Rifkin, G. Elidan, "Scalable
       learning of non-decomposable objectives", AISTATS 2017, arXiv:1608.04802.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import recall_at_precision_score
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> recall_at_precision_score(y_true, range(8, 0, -1), min_precision=0.7)
    0.75
    """
    return points.score_ranking_or_rows(
        "recall_at_precision_score",
        _recall_at_precision,
        points.recall_at_precision,
        y_true,
        y_score,
        min_precision=min_precision,
        documents={
            "relevance_threshold": relevance_threshold,
            "judged_only": judged_only,
            "pos_label": pos_label,
            "qid": qid,
            "sample_weight": sample_weight,
        },
        averaging={
            "average": average,
            "replace_undefined_by": replace_undefined_by,
        },
        ties=ties,
    )


@rules(min_precision=check_share)
def _recall_at_precision(ranking, *, min_precision, relevance_threshold):
    """Compute the largest C(r) / R at any rank r where C(r) / r is high enough."""
    relevant = Relevant(relevance_threshold)
    to_find = ranking.total(relevant)
    ranking = ranking.group_ties(relevant)
    n_found = ranking.running_sum(relevant)
    accepted = np.where(n_found / ranking.ranks >= min_precision, n_found, 0.0)
    return divide(running_max(accepted)[:, -1], to_find)


def recall_at_fpr_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    max_fpr: float = 0.1,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Recall at a false positive rate: what is found while false alarms stay rare.

    Use it where false alarms are limited by their share of the harmless cases, as in
    fraud detection, security and medical screening: the true positive rate (TPR) at a
    false positive rate (FPR), one point of the ROC curve.

    No threshold lies inside a tie group, so tied documents count as one step at the end
    of their group, as in the worst order; `ties` can select the best order or that of
    the rows instead.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    max_fpr : float, default=0.1
        The highest false positive rate that is accepted, between 0 and 1.
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
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
        Without `qid`, one per document, as in scikit-learn: 0 leaves it out; if the
        others differ, each tie group is one step.
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
        Between 0 and 1; undefined for a query without relevant documents. Unjudged
        documents are not relevant. Without non-relevant documents, the rate is 0.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    recall_at_precision_score : With a limit of the precision.
    fallout_at_k_loss : The false positive rate of the top k.
    roc_auc_score : With `max_fpr`, the area up to a false positive rate.
    roc_curve : Both rates and thresholds.

    Notes
    -----
    .. math::

       \max_{r \,:\, (r - C(r)) / (N - R) \le x} \frac{C(r)}{R}

    where :math:`C(r)` of the R relevant documents are found down to rank r, over the
    ranks of retrieved documents, N are all documents of the query, and x is `max_fpr`.
    Documents that were not retrieved are below every threshold: they are never found,
    even with ``max_fpr=1``.

    Elsewhere: ``tpr@fpr``; for one query, the largest true positive rate with that
    false positive rate in ``roc_curve`` of scikit-learn, and
    ``BinarySensitivityAtSpecificity`` in torchmetrics with 1 - `max_fpr`.

    References
    ----------
    .. [1] T. Fawcett, "An introduction to ROC analysis", Pattern Recognition Letters
       27(8), 2006, doi:10.1016/j.patrec.2005.10.010.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import recall_at_fpr_score
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> recall_at_fpr_score(y_true, range(8, 0, -1), max_fpr=0.25)
    0.75
    """
    return points.score_ranking_or_rows(
        "recall_at_fpr_score",
        _recall_at_fpr,
        points.recall_at_fpr,
        y_true,
        y_score,
        max_fpr=max_fpr,
        documents={
            "relevance_threshold": relevance_threshold,
            "judged_only": judged_only,
            "pos_label": pos_label,
            "qid": qid,
            "sample_weight": sample_weight,
        },
        averaging={
            "average": average,
            "replace_undefined_by": replace_undefined_by,
        },
        ties=ties,
    )


@rules(max_fpr=check_share)
def _recall_at_fpr(ranking, *, max_fpr, relevance_threshold):
    """Compute the largest C(r) / R at any rank r where r - C(r) is low enough."""
    relevant = Relevant(relevance_threshold)
    to_find = ranking.total(relevant)
    others = ranking.block.n_documents - to_find
    ranking = ranking.group_ties(relevant)
    n_found = ranking.running_sum(relevant)
    fpr = divide_or_zero(ranking.ranks - n_found, others[:, np.newaxis])
    return divide(running_max(np.where(fpr <= max_fpr, n_found, 0.0))[:, -1], to_find)


def roc_auc_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    max_fpr: float | None = None,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    qid: Ids | None = None,
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
    with only one kind of document undefined. It takes the expected curve of tied
    documents; scikit-learn joins the ends of a tie group, which differs with `max_fpr`.
    Rows of 2-D input are queries: the mean is over rows, not columns, and instead of
    `multi_class`, labels must be binarized. Class labels need `pos_label`.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    max_fpr : float, default=None
        Count only the part of the curve up to this false positive rate, above 0 and at
        most 1, and scale it so that the diagonal is 0.5 and 1 is perfect. None: all.
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
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
        Without `qid`, one per document, as in scikit-learn: 0 leaves it out; if the
        others differ, each tie group is one step.
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
    With ``max_fpr`` = x, the area A up to x becomes, after McClish [2]_,

    .. math::

       \frac{1}{2} \left(1 + \frac{A - x^2 / 2}{x - x^2 / 2}\right)

    Random rankings get more than 0.5 with ``max_fpr``, the more the fewer documents are
    not relevant; see `chance_level`.

    Elsewhere: ``roc_auc_score`` in scikit-learn, ``RetrievalAUROC`` in torchmetrics,
    ``QueryAUC`` in CatBoost.

    References
    ----------
    .. [1] T. Fawcett, "An introduction to ROC analysis", Pattern Recognition Letters
       27(8), 2006.
    .. [2] D. K. McClish, "Analyzing a portion of the ROC curve", Medical Decision
       Making 9(3), 1989.

    Examples
    --------
    >>> from sklearn_irmetrics import roc_auc_score
    >>> roc_auc_score([1, 0, 1, 0], [4, 3, 2, 1])
    0.75
    >>> round(roc_auc_score([1, 0, 1, 0], [4, 3, 2, 1], max_fpr=0.5), 4)
    0.6667
    """
    return points.score_ranking_or_rows(
        "roc_auc_score",
        _roc_auc,
        points.roc_auc,
        y_true,
        y_score,
        max_fpr=max_fpr,
        documents={
            "relevance_threshold": relevance_threshold,
            "judged_only": judged_only,
            "pos_label": pos_label,
            "qid": qid,
            "sample_weight": sample_weight,
        },
        averaging={
            "average": average,
            "replace_undefined_by": replace_undefined_by,
            "undefined_if": ONE_CLASS,
        },
        ties=ties,
    )


@rules(max_fpr=check_max_fpr)
def _roc_auc(ranking, *, max_fpr, relevance_threshold):
    """Compute the area under the ROC curve, or of its beginning."""
    relevant = Relevant(relevance_threshold)
    ranking = ranking.break_ties(relevant)
    if max_fpr is None:
        return _area_under_roc(ranking, relevant)
    return standardise_area(_area_up_to(ranking, relevant, max_fpr), max_fpr)


def _area_under_roc(ranking, relevant):
    """Compute the probability that a relevant document is above a non-relevant one."""
    positives = ranking.total(relevant)
    negatives = ranking.block.n_documents - positives
    hits = row_sum(ranking.values(relevant))
    if ranking.tied:
        r = ranking.group_total(relevant).astype(np.float64)
        n = ranking.group_size
        negatives_before = (
            ranking.ranks - ranking.group_place - ranking.before_group(relevant)
        )
        below_or_tied = negatives[:, np.newaxis] - negatives_before - 0.5 * (n - r)
        won = (r / n * below_or_tied).sum(axis=1)
    else:  # relevant documents above other relevant ones do not count
        above = row_sum(ranking.values(relevant) * ranking.ranks)
        won = hits * negatives - (above - 0.5 * hits * (hits + 1.0))
    misses = ranking.n_retrieved - hits
    won += 0.5 * (positives - hits) * (negatives - misses)
    return divide(won, positives * negatives)


def _area_up_to(ranking, relevant, max_fpr):
    """Compute the area under the expected curve up to a false positive rate.

    The curve rises before each of the N other documents, and is level over the width
    1 / N of each. Above the i-th of m others in a tie group there are i / (m + 1) of
    the relevant documents of the group; unretrieved documents are such a group.
    """
    positives = ranking.total(relevant)
    negatives = ranking.block.n_documents - positives
    width = max_fpr * negatives  # in other documents

    n, place = 1.0, 1.0  # of each tie group
    if ranking.tied:
        n, place = ranking.group_size, ranking.group_place
    above = ranking.before_group(relevant)
    r = ranking.group_total(relevant).astype(np.float64)
    m = n - r
    others_above = ranking.ranks - 1.0 - above
    counted = np.clip(width[:, np.newaxis] - others_above, 0.0, 1.0)
    is_retrieved = ranking.ranks <= ranking.n_retrieved[:, np.newaxis]
    counted = np.where((place <= m) & is_retrieved, counted, 0.0)
    area = (counted * (above + r * place / (m + 1.0))).sum(axis=1)

    hits = row_sum(ranking.values(relevant))
    misses = ranking.n_retrieved - hits
    r, m = positives - hits, negatives - misses
    left = np.clip(width - misses, 0.0, m)
    whole = np.floor(left)
    area += hits * left + r / (m + 1.0) * (
        whole * (whole + 1.0) / 2.0 + (left - whole) * (whole + 1.0)
    )
    return divide(area, positives * negatives)


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
        Grades; larger is better. NaN: unjudged.
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
    >>> from sklearn_irmetrics.metrics import interpolated_precision_recall_curve
    >>> precision, recall = interpolated_precision_recall_curve(
    ...     [0, 1, 1, 0], [4, 3, 2, 1], recall_levels=[0, 0.5, 1]
    ... )
    >>> precision
    array([0.66666667, 0.66666667, 0.66666667])
    """
    precision = score_ranking(
        "interpolated_precision_recall_curve",
        _interpolated_precisions,
        y_true,
        y_score,
        recall_levels=recall_levels,
        recall_rounding=recall_rounding,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
        combine=aggregate_rows,
    )
    return precision, np.asarray(recall_levels, dtype=np.float64)


@dataclass(frozen=True, repr=False)
class _Curve(Rows):
    """Points of a curve, as named arrays that can be unpacked."""

    _name: ClassVar[str]

    def __iter__(self) -> Iterator[Any]:
        """Yield the arrays in the order of the attributes."""
        return iter(vars(self).values())

    def to_frame(self) -> DataFrame:
        """Return the curve as a `pandas.DataFrame`, a row per point."""
        if self._of_queries():
            raise ValueError(
                "a table of points needs one curve; got one per query (average=None)."
            )
        return import_pandas().DataFrame(self._arrays())

    def _of_queries(self):
        """Return the arrays by name that have a row per query."""
        arrays = vars(self).items()
        return {n: v for n, v in arrays if v is not None and v.ndim > 1}

    def _arrays(self):
        arrays = vars(self).items()
        columns = {n: v for n, v in arrays if v is not None and v.ndim == 1}
        longest = max(map(len, columns.values()))
        return {
            name: np.append(values, [np.nan] * (longest - len(values)))
            for name, values in columns.items()
        }

    def _title(self):
        points = count(len(next(iter(self._arrays().values()))), "point")
        rows = [
            f"; {name} has a row for each of {count(len(values), 'query')}"
            for name, values in self._of_queries().items()
        ]
        return "".join([f"{self._name} of {points}", *rows])


@dataclass(frozen=True, repr=False)
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

    _name: ClassVar[str] = "ROC curve"

    false_positive_rate: Array
    true_positive_rate: Array
    thresholds: Array | None


@dataclass(frozen=True, repr=False)
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

    _name: ClassVar[str] = "precision-recall curve"

    precision: Array
    recall: Array
    thresholds: Array | None


def roc_curve(
    y_true: Rankings,
    y_score: Rankings,
    *,
    grid: Sequence[float] | None = None,
    drop_intermediate: bool = True,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> RocCurve:
    """ROC curve of one ranking with its thresholds, or averaged over queries.

    For one ranking (1-D input without `qid` and `grid`), the arrays are those of
    `sklearn.metrics.roc_curve`. The curves of several queries are averaged vertically,
    so the area under the average is the mean of `roc_auc_score`. A tie group is a
    straight line, and documents that were not retrieved form one group at the end.
    Unlike in scikit-learn, numbers are grades, of which all above 0 are relevant, other
    class labels need `pos_label`, and an undefined rate is NaN.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    grid : sequence of float, default=None
        False positive rates, between 0 and 1, at which to average the curves of the
        queries; where the average is vertical, its midpoint is taken. None: all corners
        of the average, including both ends of vertical parts, or 0, 0.01, ..., 1 for
        curves per query and geometric means.
    drop_intermediate : bool, default=True
        Leave out thresholds of one ranking that lie between two others on a straight
        line, so they do not change the curve.
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
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
        Without `qid`, one per document, as in scikit-learn: 0 leaves it out; if the
        others differ, each tie group is one step.
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
    check_flag("drop_intermediate", drop_intermediate)
    if grid is None:
        ranking = points.one_ranking(
            y_true,
            y_score,
            relevance_threshold=relevance_threshold,
            judged_only=judged_only,
            pos_label=pos_label,
            qid=qid,
            sample_weight=sample_weight,
            ties=ties,
        )
        if ranking is not None:
            x, y, scores = points.fill_undefined(
                "roc_curve",
                points.roc_points(ranking, drop_intermediate=drop_intermediate),
                average=average,
                replace_undefined_by=replace_undefined_by,
                undefined_if=ONE_CLASS,
            )
            return RocCurve(x, y, scores)
        if isinstance(average, str) and average == "macro":
            x, y = points.average_roc(
                y_true,
                y_score,
                relevance_threshold=relevance_threshold,
                judged_only=judged_only,
                pos_label=pos_label,
                qid=qid,
                sample_weight=sample_weight,
                ties=ties,
                replace_undefined_by=replace_undefined_by,
            )
            return RocCurve(x, y, None)
        grid = tuple(np.linspace(0.0, 1.0, 101).tolist())
    tpr = score_ranking(
        "roc_curve",
        _roc,
        y_true,
        y_score,
        grid=grid,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
        undefined_if=ONE_CLASS,
        combine=aggregate_rows,
    )
    return RocCurve(np.asarray(grid, dtype=np.float64), tpr, None)


@rules(grid=check_shares)
def _roc(ranking, *, grid, relevance_threshold):
    """Return the true positive rate, one row per false positive rate.

    Straight lines join the ends of the tie groups; where the curve is vertical, its
    middle counts.
    """
    relevant = Relevant(relevance_threshold)
    ranking = ranking.break_ties(relevant)
    positives = ranking.total(relevant)
    negatives = ranking.block.n_documents - positives
    tp = ranking.running_sum(relevant)
    fp = ranking.ranks - tp
    beyond = ranking.ranks > ranking.n_retrieved[:, np.newaxis]
    start = np.zeros((len(tp), 1))
    tp = np.where(beyond, positives[:, np.newaxis], tp)
    fp = np.where(beyond, negatives[:, np.newaxis], fp)
    tp = np.concatenate([start, tp, positives[:, np.newaxis]], axis=1)
    fp = np.concatenate([start, fp, negatives[:, np.newaxis]], axis=1)
    wanted = np.asarray(grid, dtype=np.float64)[:, np.newaxis] * negatives
    row = np.arange(len(tp))
    # One search for all rows: each row's numbers are lifted above those before it.
    lift = row * (negatives.max() + 2.0)
    lifted = (np.round(fp, 9) + lift[:, np.newaxis]).ravel()
    searched = np.round(wanted, 9) + lift
    ends = []
    for side in ("left", "right"):
        after = np.searchsorted(lifted, searched, side=side)
        after = np.minimum(after - row * tp.shape[1], tp.shape[1] - 1)
        left, right = (row, np.maximum(after - 1, 0)), (row, after)
        slope = divide_or_zero(tp[right] - tp[left], fp[right] - fp[left])
        ends.append(tp[left] + slope * (wanted - fp[left]))
    lower, upper = ends
    upper = np.where(wanted >= negatives, positives, upper)
    middle = divide(0.5 * (lower + upper), positives)
    return np.where(negatives > 0, middle, np.nan)


def precision_recall_curve(
    y_true: Rankings,
    y_score: Rankings,
    *,
    interpolation: Literal["right", "window"] | None = None,
    grid: Sequence[float] | None = None,
    drop_intermediate: bool = False,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> PrecisionRecallCurve:
    """Precision-recall curve: of one ranking at its thresholds, or at recall levels.

    For one ranking (1-D input without `qid`), the arrays are those of
    `sklearn.metrics.precision_recall_curve`. With `interpolation` or several queries,
    the precision is given at recall levels. A tie group is one step; documents that
    were not retrieved add no point. Unlike in scikit-learn, numbers are grades, of
    which all above 0 are relevant, other class labels need `pos_label`, and the recall
    is NaN if nothing is relevant.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
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
    drop_intermediate : bool, default=False
        Drop points between the first and the last of equal recall, for one ranking at
        its thresholds.
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
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
        Without `qid`, one per document, as in scikit-learn: 0 leaves it out; if the
        others differ, each tie group is one step.
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
    if interpolation is not None:
        check_option("interpolation", interpolation, ("right", "window"))
    check_flag("drop_intermediate", drop_intermediate)
    name = "precision_recall_curve"
    ranking = points.one_ranking(
        y_true,
        y_score,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
    )
    if ranking is not None and interpolation is None and grid is None:
        columns = points.fill_undefined(
            name,
            points.precision_recall_points(
                ranking, drop_intermediate=drop_intermediate
            ),
            average=average,
            replace_undefined_by=replace_undefined_by,
        )
        return PrecisionRecallCurve(*columns)
    grid = ELEVEN_POINTS if grid is None else grid
    checked = check_shares("grid", grid)
    if interpolation == "window" and (np.diff(checked) <= 0.0).any():
        raise ValueError(
            f"grid must increase with interpolation='window'; got {list(checked)!r}."
        )
    if ranking is not None and ranking.weighted:
        precision = points.precision_at_levels(
            name,
            ranking,
            checked,
            interpolation,
            average=average,
            replace_undefined_by=replace_undefined_by,
        )
    else:
        formula: Any
        if interpolation == "window":
            formula, combine = best_in_windows, points.average_windows
            levels = {"grid": checked}
        else:
            formula, combine = _interpolated_precisions, aggregate_rows
            levels = {"recall_levels": checked, "recall_rounding": "ceil"}
        precision = score_ranking(
            name,
            formula,
            y_true,
            y_score,
            **levels,
            relevance_threshold=relevance_threshold,
            judged_only=judged_only,
            pos_label=pos_label,
            qid=qid,
            sample_weight=sample_weight,
            ties=ties,
            average=average,
            replace_undefined_by=replace_undefined_by,
            combine=combine,
        )
    recall = np.asarray(checked, dtype=np.float64)
    return PrecisionRecallCurve(precision, recall, None)


@dataclass(frozen=True, repr=False)
class RankTable(Rows):
    """Precision and recall at every rank of every query.

    Attributes
    ----------
    qid : ndarray of shape (n_ranks,)
        Query ids, queries in order of first appearance.
    rank : ndarray of shape (n_ranks,)
        Ranks from 1.
    relevant : ndarray of shape (n_ranks,)
        1 if the document is relevant, 0 if not; its expectation where scores tie.
    precision : ndarray of shape (n_ranks,)
        Share of relevant documents down to the rank.
    recall : ndarray of shape (n_ranks,)
        Share of all relevant documents that are found down to the rank; NaN if there
        are none.
    """

    qid: np.ndarray
    rank: np.ndarray
    relevant: np.ndarray
    precision: np.ndarray
    recall: np.ndarray

    def to_frame(self) -> DataFrame:
        """Return the table as a `pandas.DataFrame`, a row per rank."""
        return import_pandas().DataFrame(self._arrays())

    def _arrays(self):
        return dict(vars(self))

    def _title(self):
        n_queries = count(len(set(self.qid.tolist())), "query")
        return f"{count(len(self.rank), 'rank')} of {n_queries}"


def precision_recall_at_ranks(
    y_true: Rankings,
    y_score: Rankings,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    k: int | None = None,
    qid: Ids | None = None,
    ties: Ties = "average",
) -> RankTable:
    """Tabulate relevance, precision and recall at every rank.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
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
    k : int, default=None
        Cutoff rank, at least 1; None: all ranks.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input. None: all rows are one ranking.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        How to rank tied documents: return the exact expectation over all their orders,
        or take the best order, the worst order, or the order of the rows.

    Returns
    -------
    RankTable
        With `qid`, `rank`, `relevant`, `precision`, `recall` and `to_frame()`.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    precision_recall_curve : Precision against recall, with thresholds.
    r_precision_score : Precision at the rank where it equals recall.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze, "Introduction to Information
       Retrieval", Cambridge University Press, 2008, section 8.4.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import precision_recall_at_ranks
    >>> table = precision_recall_at_ranks([1, 1, 0, 1], [4, 3, 2, 1])
    >>> table.precision
    array([1.        , 1.        , 0.66666667, 0.75      ])
    """
    check_option("ties", ties, TIES)
    batch = check_batch(y_true, y_score, qid=qid)
    k = None if k is None else check_count("k", k)
    relevant = Relevant(check_relevance(relevance_threshold, pos_label, batch))
    judged_only = check_flag("judged_only", judged_only)
    parts = []
    for block in iter_blocks(batch):
        block = block.condensed() if judged_only else block
        ranking = Ranking.of(block, ties=ties, depth=k)
        ranked = ranking.ranks <= ranking.n_retrieved[:, np.newaxis]
        queries = np.broadcast_to(block.queries[:, np.newaxis], ranked.shape)
        ranks = np.broadcast_to(ranking.ranks.astype(np.int64), ranked.shape)
        ranking = ranking.break_ties(relevant)
        relevance = ranking.expected(relevant).astype(np.float64)
        n_found = ranking.running_sum(relevant)
        precision = n_found / ranking.ranks
        recall = divide(n_found, ranking.total(relevant)[:, np.newaxis])
        cells = queries, ranks, relevance, precision, recall
        parts.append([values[ranked] for values in cells])
    queries, *columns = map(np.concatenate, zip(*parts, strict=True))
    by_query = np.argsort(queries, stable=True)
    queries, ids = queries[by_query], batch.query_ids
    return RankTable(ids[queries], *(column[by_query] for column in columns))
