"""Measures of binary relevance."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.rows import (
    divide,
    divide_or_zero,
    first_true,
    row_sum,
    running_sum,
)
from sklearn_irmetrics._checks import check_flag, check_positive
from sklearn_irmetrics._typing import (
    Average,
    AverageOrMicro,
    Ids,
    PlainTies,
    Rankings,
    Score,
    Ties,
)
from sklearn_irmetrics.metrics import _points as points
from sklearn_irmetrics.metrics._formulas import (
    attainable,
    average_precision_of,
    check_denominator,
    compute_at_cutoffs,
    compute_cells,
    count_examined,
    count_relevant,
    first_meeting,
    first_rank,
    limit,
    mean_over_found,
    pick_column,
    pick_place,
    precision_weight,
    ratio,
    refuse_extremes,
    success_of,
)
from sklearn_irmetrics.metrics._ranking.averages import (
    EPSILON,
    NOT_RETRIEVED,
    SOMETHING_RELEVANT,
    aggregate,
    check_replacement,
)
from sklearn_irmetrics.metrics._ranking.compute import score_ranking
from sklearn_irmetrics.metrics._ranking.gains import (
    Judged,
    JudgedNonrelevant,
    PooledUnjudged,
    Relevant,
)
from sklearn_irmetrics.metrics._ranking.parameters import (
    check_beta,
    check_optional_share,
    rules,
)


def precision_at_k_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    adaptive: bool = False,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Precision at k: the share of relevant documents in the top k.

    Use it where users see one page of k results and their order hardly matters. A query
    with fewer than k relevant documents cannot reach 1.

    With ``k=None``, all retrieved documents count; if there are none, the value is 0.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    adaptive : bool, default=False
        Divide by ``min(k, n)`` if n documents were retrieved (the value is 0 if n = 0).
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
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one ranking. 2-D input has one query per row.
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        How to rank tied documents: return the exact expectation over all their orders,
        or take the best order, the worst order, or the order of the rows.
    average : {"macro", "micro", "geometric"} or None, default="macro"
        Mean over queries; ratio of the counts summed over queries; geometric mean
        (values below 1e-5 count as 1e-5); or None for one value per query in order of
        first appearance.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean and warns.

    Returns
    -------
    float, or ndarray of shape (n_queries,)
        Between 0 and 1; defined for every query.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    recall_at_k_score : The share of all relevant documents found.
    average_precision_score : Precision averaged over the relevant documents.
    set_precision_score : Precision of an unranked set.

    Notes
    -----
    .. math::

       \text{P@}k = \frac{C(k)}{k}

    where :math:`C(k)` is the number of relevant documents in the top k.

    Elsewhere: ``P_k`` in trec_eval, ``precision@k`` in ranx, ``RetrievalPrecision`` in
    torchmetrics, ``pre@k`` in XGBoost, ``precisionAt`` in Spark, ``PrecisionAt`` in
    CatBoost, ``PrecisionMetric`` in TF-Ranking, ``precision`` in Elasticsearch,
    ``Precision`` in LensKit.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze, "Introduction to Information
       Retrieval", Cambridge University Press, 2008, section 8.4.

    Examples
    --------
    >>> from sklearn_irmetrics import precision_at_k_score
    >>> precision_at_k_score([1, 0, 1, 0, 0], [5, 4, 3, 2, 1], k=5)
    0.4
    >>> precision_at_k_score([1, 0, 0, 1], [.9, .1, .3, .3], qid=[7, 7, 8, 8], k=1)
    0.75
    """
    return score_ranking(
        "precision_at_k_score",
        _precision_at_k,
        y_true,
        y_score,
        adaptive=adaptive,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        k=k,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


@rules(adaptive=check_flag)
def _precision_at_k(ranking, *, k, adaptive, relevance_threshold):
    """Compute C(k) / k, or C(k) / min(k, n)."""
    hits = count_relevant(ranking, Relevant(relevance_threshold), k)
    seen = count_examined(ranking, k, adaptive=adaptive)
    return divide_or_zero(hits, seen), hits, seen


def lift_at_k_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Lift at k: how many times as precise the top k is as a random choice.

    Use it where a list is drawn from many candidates, as in marketing, fraud detection
    and screening: a lift of 3 at k finds three times as much as k candidates drawn at
    random.

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
        At least 0, and 1 for random rankings of k documents or more; undefined for a
        query without relevant documents.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    precision_at_k_score : The share itself.
    recall_at_k_score : Lift times the share of the candidates that is examined.
    chance_level : What random rankings get, for any measure.

    Notes
    -----
    .. math::

       \text{lift@}k = \frac{C(k) / k}{R / N}

    where :math:`C(k)` of the :math:`R` relevant documents of the query are in the top
    k, and :math:`N` documents are its candidates, retrieved or not; with `judged_only`,
    those that were judged. Without `k`, k is the number of retrieved documents. The
    largest value is N / R, which differs between queries. The lift of the top tenth of
    one ranking, also called top-decile lift, is that with k = N / 10, rounded up.

    References
    ----------
    .. [1] T. Fawcett, "An introduction to ROC analysis", Pattern Recognition Letters
       27(8), 2006, doi:10.1016/j.patrec.2005.10.010.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import lift_at_k_score
    >>> lift_at_k_score([1, 0, 1, 0, 0, 0], [6, 5, 4, 3, 2, 1], k=1)
    3.0
    """
    return score_ranking(
        "lift_at_k_score",
        _lift_at_k,
        y_true,
        y_score,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        k=k,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _lift_at_k(ranking, *, k, relevance_threshold):
    """Compute (C(k) / k) / (R / N)."""
    relevant = Relevant(relevance_threshold)
    hits = count_relevant(ranking, relevant, k)
    precision = divide_or_zero(hits, count_examined(ranking, k))
    return divide(precision * ranking.block.n_documents, ranking.total(relevant))


def recall_at_k_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    capped: bool = False,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Recall at k: the share of all relevant documents that the top k holds.

    Use it where missing a relevant document is costly, and for the first stage of a
    search or of retrieval-augmented generation, with k the number of candidates passed
    on.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    capped : bool, default=False
        Divide by ``min(R, k)``, so the best ranking scores 1 (trec_eval's
        ``relative_P``).
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
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one ranking. 2-D input has one query per row.
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        How to rank tied documents: return the exact expectation over all their orders,
        or take the best order, the worst order, or the order of the rows.
    average : {"macro", "micro", "geometric"} or None, default="macro"
        Mean over queries; ratio of the counts summed over queries; geometric mean
        (values below 1e-5 count as 1e-5); or None for one value per query in order of
        first appearance.
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
    precision_at_k_score : The share of relevant documents in the top k.
    success_at_k_score : Whether the top k holds any relevant document.
    set_recall_score : Recall of an unranked set.

    Notes
    -----
    .. math::

       \text{R@}k = \frac{C(k)}{R}

    where :math:`C(k)` is the number of relevant documents in the top k and R that of
    the whole query, retrieved or not.

    Elsewhere: ``recall_k`` in trec_eval, ``recall@k`` in ranx, ``RetrievalRecall`` in
    torchmetrics, ``recallAt`` in Spark, ``RecallAt`` in CatBoost, ``RecallMetric`` in
    TF-Ranking, ``recall`` in Elasticsearch, ``Recall`` in LensKit.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze, "Introduction to Information
       Retrieval", Cambridge University Press, 2008, section 8.4.

    Examples
    --------
    >>> from sklearn_irmetrics import recall_at_k_score
    >>> recall_at_k_score([1, 0, 1, 0, 1, 1], [6, 5, 4, 3, 2, 1], k=3)
    0.5
    """
    return score_ranking(
        "recall_at_k_score",
        _recall_at_k,
        y_true,
        y_score,
        capped=capped,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        k=k,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


@rules(capped=check_flag)
def _recall_at_k(ranking, *, k, capped, relevance_threshold):
    """Compute C(k) / R, or C(k) / min(R, k)."""
    relevant = Relevant(relevance_threshold)
    to_find = ranking.total(relevant)
    if capped:
        to_find = attainable(to_find, k)
    hits = count_relevant(ranking, relevant, k)
    return divide(hits, to_find), hits, to_find


def fallout_at_k_loss(
    y_true: Rankings,
    y_score: Rankings,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Fallout at k: the share of all non-relevant documents that the top k holds.

    Use it beside recall at k where what is passed on in vain is the cost: it is the
    false positive rate of accepting the top k. Among many candidates it is tiny, so
    read precision too.

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
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one ranking. 2-D input has one query per row.
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        How to rank tied documents: return the exact expectation over all their orders,
        or take the best order, the worst order, or the order of the rows.
    average : {"macro", "micro", "geometric"} or None, default="macro"
        Mean over queries; ratio of the counts summed over queries; geometric mean
        (values below 1e-5 count as 1e-5); or None for one value per query in order of
        first appearance.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean and warns.

    Returns
    -------
    float, or ndarray of shape (n_queries,)
        Between 0 and 1; lower is better; undefined for a query without non-relevant
        documents. Unjudged documents are not relevant.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    recall_at_k_score : The same share of the relevant documents.
    precision_at_k_score : The share of the top k that is relevant.
    set_fallout_loss : Fallout of an unranked set.
    recall_at_fpr_score : The recall that a limit of fallout leaves.

    Notes
    -----
    .. math::

       \text{fallout@}k = \frac{\min(k, n) - C(k)}{N - R}

    where :math:`C(k)` of the R relevant documents of the query are in the top k, n
    documents were retrieved, and N are its candidates, retrieved or not; with
    `judged_only`, those that were judged. Retrieving nothing gets 0.

    Elsewhere: ``RetrievalFallOut`` in torchmetrics.

    References
    ----------
    .. [1] C. J. van Rijsbergen, "Information Retrieval", 2nd edition, Butterworths,
       1979, chapter 7.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import fallout_at_k_loss
    >>> fallout_at_k_loss([1, 0, 1, 0, 0, 0], [6, 5, 4, 3, 2, 1], k=3)
    0.25
    """
    return score_ranking(
        "fallout_at_k_loss",
        _fallout_at_k,
        y_true,
        y_score,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        k=k,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _fallout_at_k(ranking, *, k, relevance_threshold):
    """Compute (min(k, n) - C(k)) / (N - R)."""
    relevant = Relevant(relevance_threshold)
    hits = count_relevant(ranking, relevant, k)
    misses = count_examined(ranking, k, adaptive=True) - hits
    return ratio(misses, ranking.block.n_documents - ranking.total(relevant))


def fbeta_at_k_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    beta: float = 1.0,
    alpha: float | None = None,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""F measure of the top k: the weighted harmonic mean of precision and recall.

    Use it where a list of k documents is used as a whole, and both missing relevant
    documents and including others are costly.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    beta : float, default=1.0
        Weight of recall against precision, at least 0; inf gives recall.
    alpha : float, default=None
        Weight of precision, between 0 and 1; overrides `beta`: α = 1 / (1 + β²).
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
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one ranking. 2-D input has one query per row.
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        How to rank tied documents: return the exact expectation over all their orders,
        or take the best order, the worst order, or the order of the rows.
    average : {"macro", "micro", "geometric"} or None, default="macro"
        Mean over queries; ratio of the counts summed over queries; geometric mean
        (values below 1e-5 count as 1e-5); or None for one value per query in order of
        first appearance.
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
    max_fbeta_score : F of the best cutoff of each query.
    set_fbeta_score : F of an unranked set.

    Notes
    -----
    .. math::

       \text{F@}k = \frac{(1 + \beta^2)\, C(k)}{\beta^2 R + k}

       \text{F@}k = \frac{1}{\alpha / \text{P@}k + (1 - \alpha) / \text{R@}k}

    where :math:`C(k)` of the R relevant documents are in the top k and :math:`\alpha =
    1 / (1 + \beta^2)`.

    Elsewhere: ``f1@k`` in ranx.

    References
    ----------
    .. [1] C. J. van Rijsbergen, "Information Retrieval", 2nd edition, Butterworths,
       1979, chapter 7.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import fbeta_at_k_score
    >>> fbeta_at_k_score([1, 0, 1, 0], [4, 3, 2, 1], k=2)
    0.5
    """
    return score_ranking(
        "fbeta_at_k_score",
        _fbeta_at_k,
        y_true,
        y_score,
        beta=beta,
        alpha=alpha,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        k=k,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


@rules(beta=check_beta, alpha=check_optional_share)
def _fbeta_at_k(ranking, *, k, beta, alpha, relevance_threshold):
    """Compute 1 / (alpha / P + (1 - alpha) / R) = C(k) / (alpha k + (1 - alpha) R)."""
    relevant = Relevant(relevance_threshold)
    hits = count_relevant(ranking, relevant, k)
    to_find = ranking.total(relevant)
    alpha = precision_weight(beta, alpha)
    weighed = alpha * count_examined(ranking, k) + (1 - alpha) * to_find
    value = divide_or_zero(hits, weighed)
    return np.where(to_find > 0, value, np.nan), hits, weighed


def success_at_k_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Success at k (hit rate): whether the top k holds a relevant document.

    Use it where one relevant document is enough: question answering, known-item search,
    finding a passage for a language model.

    With tied scores, the value is the probability of success.

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
    reciprocal_rank_score : Also depends on how early the document is found.
    recall_at_k_score : Counts all relevant documents.
    full_recall_at_k_score : All relevant documents are needed.

    Notes
    -----
    .. math::

       \text{success@}k
         = \begin{cases} 1 & \text{if } C(k) > 0 \\ 0 & \text{if } C(k) = 0 \end{cases}

    where :math:`C(k)` is the number of relevant documents in the top k.

    Elsewhere: ``success_k`` in trec_eval, ``hit_rate@k`` in ranx, ``RetrievalHitRate``
    in torchmetrics, ``top_k_accuracy_score`` in scikit-learn, ``HitsMetric`` in
    TF-Ranking, ``Hit`` in LensKit.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import success_at_k_score
    >>> success_at_k_score([0, 1, 1, 0], [2, 1, 2, 1], qid=["a", "a", "b", "b"], k=1)
    0.5
    """
    return score_ranking(
        "success_at_k_score",
        _success_at_k,
        y_true,
        y_score,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        k=k,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _success_at_k(ranking, *, k, relevance_threshold):
    """Compute the probability that C(k) > 0."""
    return success_of(ranking, Relevant(relevance_threshold), k)


def full_recall_at_k_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Full recall at k: whether the top k holds all relevant documents.

    Use it where an answer needs every relevant document: questions over several
    documents, the tools of a task, the sessions that a memory has to find.

    With tied scores, the value is the probability that all are in the top k.

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
    recall_at_k_score : The share of the relevant documents that is found.
    success_at_k_score : One relevant document is enough.

    Notes
    -----
    .. math::

       \text{full\_recall@}k
         = \begin{cases} 1 & \text{if } C(k) = R \\ 0 & \text{if } C(k) < R \end{cases}

    where :math:`C(k)` of the :math:`R` relevant documents of the query are in the top
    k. Relevant documents that were not retrieved belong to R, so the value is then 0.

    Of a group of n tied documents, r of them relevant, that has m places in the top k,
    all relevant ones are there with probability :math:`\binom{n - r}{m - r} /
    \binom{n}{m}`.

    Elsewhere: ``recall_all@k`` in LongMemEval, ``COMP@k`` in tool retrieval.

    References
    ----------
    .. [1] D. Wu, H. Wang, W. Yu, Y. Zhang, K.-W. Chang, D. Yu, "LongMemEval:
       Benchmarking chat assistants on long-term interactive memory", ICLR 2025,
       arXiv:2410.10813.
    .. [2] C. Qu, S. Dai, X. Wei, H. Cai, S. Wang, D. Yin, J. Xu, J.-R. Wen, "Towards
       completeness-oriented tool retrieval for large language models", CIKM 2024,
       arXiv:2405.16089.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import full_recall_at_k_score
    >>> full_recall_at_k_score([1, 0, 1, 1], [4, 3, 2, 1], k=3)
    0.0
    >>> full_recall_at_k_score([1, 0, 1, 1], [4, 3, 2, 1], k=4)
    1.0
    >>> full_recall_at_k_score([1, 1, 0], [2, 1, 1], k=2)
    0.5
    """
    return score_ranking(
        "full_recall_at_k_score",
        _full_recall_at_k,
        y_true,
        y_score,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        k=k,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _full_recall_at_k(ranking, *, k, relevance_threshold):
    """Compute the probability that C(k) = R."""
    relevant = Relevant(relevance_threshold)
    ranking = ranking.break_ties(relevant)
    to_find = ranking.total(relevant)
    if ranking.tied:
        value = compute_at_cutoffs(
            k, partial(_chance_of_all, ranking, relevant, to_find)
        )
    else:
        value = (count_relevant(ranking, relevant, k) == to_find).astype(np.float64)
    return np.where(to_find > 0, value, np.nan)


def _chance_of_all(ranking, relevant, to_find, k):
    """Return the probability that all relevant documents are at rank k or above.

    The group of n documents at rank k has m places there. If it holds the last r
    relevant ones, they all get one with probability C(n - r, m - r) / C(n, m). That is
    also the probability that the n - m places below get none of them, so the shorter
    of two products gives it.
    """
    last = ranking.depth if k is None else min(k, ranking.depth)
    group, skipped = ranking.groups.at(last - 1)
    n, r = ranking.group_sizes[group], ranking.group_sums(relevant)[group]
    m = last - skipped
    possible = (ranking.sums_before(relevant)[group] + r == to_find) & (r <= m)
    value = possible.astype(np.float64)
    cut = np.flatnonzero(possible & (m < n))
    if len(cut):
        n, r, below = (x[cut, np.newaxis] for x in (n, r, n - m))
        few, many = np.minimum(r, below), np.maximum(r, below)
        i = np.arange(few.max())
        factors = (n - many - i) / np.maximum(n - i, 1.0)
        factors = np.where(i < few, factors, 1.0)
        value[cut] = factors.prod(axis=1)
    return value


def r_precision_score(
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
    r"""R-precision: precision at the rank that equals the number of relevant documents.

    Use it where queries have very different numbers of relevant documents and no single
    cutoff suits all. Every query can reach 1.

    This rank is the break-even point: precision, recall and F1 are equal there.

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
    precision_at_k_score : Precision at a fixed rank.
    average_precision_score : Depends on the whole ranking.

    Notes
    -----
    .. math::

       \text{R-precision} = \frac{C(R)}{R}

    where :math:`C(R)` of the R relevant documents of the query are in the top R.

    Elsewhere: ``Rprec`` in trec_eval, ``r-precision`` in ranx, ``RetrievalRPrecision``
    in torchmetrics.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze, "Introduction to Information
       Retrieval", Cambridge University Press, 2008, section 8.4.

    Examples
    --------
    >>> from sklearn_irmetrics import r_precision_score
    >>> r_precision_score([1, 0, 1, 0, 0], [5, 4, 3, 2, 1])
    0.5
    """
    return score_ranking(
        "r_precision_score",
        _r_precision,
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


def _r_precision(ranking, *, relevance_threshold):
    """Compute C(R) / R."""
    relevant = Relevant(relevance_threshold)
    to_find = ranking.total(relevant)
    rank = np.clip(to_find, 1, ranking.depth)
    if ranking.tied and ranking.ties == "average":
        hits = ranking.sum_down_to(relevant, rank)
    else:
        column = rank.astype(np.int64) - 1
        hits = pick_column(ranking.running_sum(relevant), column)
    return divide(hits, to_find)


def reciprocal_rank_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Reciprocal rank (MRR): the inverse of the rank of the first relevant document.

    Use it where users want one answer and stop at it: question answering, known-item
    search, autocompletion.

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
    success_at_k_score : Whether the top k holds a relevant document.
    expected_reciprocal_rank_score : With grades of relevance.
    recall_effort_score : The rank of a later relevant document.

    Notes
    -----
    .. math::

       \text{RR@}k = \frac{1}{\min \{r \le k : b_r = 1\}}

    where :math:`b_r` is 1 if the document at rank r is relevant; 0 if there is none
    down to rank k. The mean over queries is MRR.

    Elsewhere: ``recip_rank`` in trec_eval, ``mrr`` in ranx, ``RetrievalMRR`` in
    torchmetrics, ``MRR`` in CatBoost, ``MRRMetric`` in TF-Ranking,
    ``mean_reciprocal_rank`` in Elasticsearch, ``RecipRank`` in LensKit.

    References
    ----------
    .. [1] E. M. Voorhees, "The TREC-8 question answering track report", TREC 1999.

    Examples
    --------
    >>> from sklearn_irmetrics import reciprocal_rank_score
    >>> reciprocal_rank_score([0, 1, 1, 0], [.4, .3, .2, .1])
    0.5
    """
    return score_ranking(
        "reciprocal_rank_score",
        _reciprocal_rank,
        y_true,
        y_score,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        k=k,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _reciprocal_rank(ranking, *, k, relevance_threshold):
    """Compute 1 / (rank of the first relevant document), 0 if there is none."""
    relevant = Relevant(relevance_threshold)
    ranking = ranking.break_ties(relevant)
    if not ranking.tied:
        rank = first_rank(ranking, relevant)
        value = np.where(rank <= limit(k), 1.0 / rank, 0.0)
    else:
        skipped, passed = first_meeting(ranking, relevant)
        met = passed[:, :-1] - passed[:, 1:]
        ranks = skipped[:, np.newaxis] + np.arange(1.0, passed.shape[1])
        total = running_sum(met / ranks)
        total = np.concatenate([np.zeros_like(met[:, :1]), total], axis=1)
        value = pick_place(total, limit(k) - skipped)
    return np.where(ranking.total(relevant) > 0, value, np.nan)


def first_rank_loss(
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
    r"""First rank: the rank of the first relevant document.

    Use it where the rank itself is the cost: how far a user scrolls, how many passages
    are read before the first useful one. Its median over queries says what a typical
    user meets; see :ref:`first_rank`.

    With tied scores, it is the mean over all orders of the tied documents.

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
        At least 1; lower is better; undefined for a query without relevant documents,
        or if none of them was retrieved.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    reciprocal_rank_score : Its inverse, which late ranks hardly change.
    last_rank_loss : The rank of the last one.
    recall_effort_score : How many documents a user should need, by those needed.
    success_at_k_score : Whether the rank is at most k.

    Notes
    -----
    .. math::

       \text{first rank} = \min \{r : b_r = 1\}

    where :math:`b_r` is 1 if the document at rank r is relevant. If the first relevant
    document is in a group of n tied documents below t others, and r documents of the
    group are relevant, the mean over all orders of the group is :math:`t + (n + 1) / (r
    + 1)`.

    A query none of whose relevant documents was retrieved has no first rank. Leaving it
    out of the mean flatters the ranking, so compare rankings with the same
    `replace_undefined_by`, such as the length of the longest list plus 1. Numbers below
    1, with which finding nothing would be better than any ranking, raise an error.

    References
    ----------
    .. [1] W. S. Cooper, "Expected search length: a single measure of retrieval
       effectiveness based on the weak ordering action of retrieval systems", American
       Documentation 19(1), 1968, doi:10.1002/asi.5090190108.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import first_rank_loss
    >>> first_rank_loss([0, 0, 1, 1], [4, 3, 2, 1])
    3.0
    >>> first_rank_loss([0, 0, 1, 1], [4, 3, 3, 3])
    2.333333333333333
    """
    if average is not None:
        check_rank_of_nothing(
            "replace_undefined_by", replace_undefined_by, measure="first_rank"
        )
    return score_ranking(
        "first_rank_loss",
        _first_rank,
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
        undefined_if=NOT_RETRIEVED,
    )


def check_rank_of_nothing(name, value, *, measure):
    """Refuse a rank with which finding nothing would be better than any ranking."""
    rank = check_replacement(value)
    if rank < 1:
        raise ValueError(
            f"{name} must be at least 1 for {measure}_loss, or NaN, because ranks "
            f"begin at 1; got {rank:g}. Pass the length of the longest list plus 1, "
            f"for this measure alone as in '{measure}(replace_undefined_by=1001)'."
        )
    return rank


@rules(replace_undefined_by=partial(check_rank_of_nothing, measure="first_rank"))
def _first_rank(ranking, *, relevance_threshold):
    """Compute the rank of the first relevant document, NaN if there is none."""
    relevant = Relevant(relevance_threshold)
    ranking = ranking.break_ties(relevant)
    if not ranking.tied:
        rank = first_rank(ranking, relevant)
        return np.where(rank < np.inf, rank, np.nan)
    hits = ranking.values(relevant)
    column = first_true(hits)
    group, above = ranking.groups.at(column)
    n, r = ranking.group_sizes[group], ranking.group_sums(relevant)[group]
    return np.where(pick_column(hits, column), above + (n + 1.0) / (r + 1.0), np.nan)


def last_rank_loss(
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
    r"""Last rank: the rank of the last relevant document, where all are found.

    Use it where nothing may be missed and readers go on until they have it all: prior
    art, evidence, all passages that an answer needs.

    With tied scores, it is the mean over all orders of the tied documents.

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
        At least 1; lower is better; undefined for a query without relevant documents,
        or if one of them was not retrieved.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    first_rank_loss : The rank of the first one.
    work_saved_score : How much need not be read, for everything or a level of recall.
    full_recall_at_k_score : Whether the rank is at most k.

    Notes
    -----
    .. math::

       \text{last rank} = \max \{r : b_r = 1\}

    where :math:`b_r` is 1 if the document at rank r is relevant. If the last relevant
    document is in a group of n tied documents below t others, and r documents of the
    group are relevant, the mean over all orders of the group is :math:`t + r (n + 1) /
    (r + 1)`.

    A query with a relevant document that was not retrieved has no last rank. Leaving it
    out of the mean flatters the ranking, so compare rankings with the same
    `replace_undefined_by`, such as the number of all documents. Numbers below 1, with
    which finding nothing would be better than any ranking, raise an error.

    Elsewhere: ``coverage_error`` in scikit-learn, which takes the worst order of tied
    documents.

    References
    ----------
    .. [1] G. Tsoumakas, I. Katakis, I. Vlahavas, "Mining multi-label data", Data
       Mining and Knowledge Discovery Handbook, Springer, 2010 (coverage).

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import last_rank_loss
    >>> last_rank_loss([1, 0, 1, 0], [4, 3, 2, 1])
    3.0
    >>> last_rank_loss([1, 0, 1, 0], [4, 3, 3, 1])
    2.5
    """
    if average is not None:
        check_rank_of_nothing(
            "replace_undefined_by", replace_undefined_by, measure="last_rank"
        )
    return score_ranking(
        "last_rank_loss",
        _last_rank,
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


@rules(replace_undefined_by=partial(check_rank_of_nothing, measure="last_rank"))
def _last_rank(ranking, *, relevance_threshold):
    """Compute the rank of the last relevant document, NaN unless all have a rank."""
    relevant = Relevant(relevance_threshold)
    ranking = ranking.break_ties(relevant)
    hits = ranking.values(relevant)
    column = ranking.depth - 1 - first_true(hits[:, ::-1])
    rank = column + 1.0
    if ranking.tied:
        group, above = ranking.groups.at(column)
        n, r = ranking.group_sizes[group], ranking.group_sums(relevant)[group]
        rank = above + r * (n + 1.0) / (r + 1.0)
    n_found = row_sum(hits)
    is_complete = (n_found > 0) & (n_found == ranking.total(relevant))
    return np.where(is_complete, rank, np.nan)


def average_precision_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    denominator: Literal["relevant", "attainable", "k", "retrieved"] = "relevant",
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    k: int | None = None,
    epsilon: float = EPSILON,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Average precision (MAP): the mean precision at the ranks of relevant documents.

    Use it as the single number for a whole ranking with binary relevance: it rewards
    every relevant document, early ones more.

    Unlike `sklearn.metrics.average_precision_score` it ranks inside each query,
    averages over the orders of tied documents instead of merging them into one step,
    and leaves a query without relevant documents undefined. It merges ties only if
    documents have different weights, since the average then has no closed form. Rows
    of 2-D input are queries: the mean is over rows, not columns, and labels of several
    classes must be binarized. Numbers are grades; class labels need `pos_label`.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    denominator : {"relevant", "attainable", "k", "retrieved"}, default="relevant"
        The divisor D: R, all relevant documents (as in trec_eval and ranx);
        ``min(R, k)``, so that 1 can be reached (Spark); k; or ``C(k)``, the relevant
        documents found (torchmetrics; the value is 0 if there are none).
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
    epsilon : float, default=1e-5
        Floor of each value in the geometric mean, in place of the usual 1e-5.
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
        Between 0 and 1; undefined for a query without relevant documents.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    ndcg_score : With grades of relevance.
    q_measure_score : Average precision with grades of relevance.
    precision_recall_auc_score : With interpolated precision.
    inferred_average_precision_score : For sampled judgments.

    Notes
    -----
    .. math::

       \text{AP@}k = \frac{1}{D} \sum_{r=1}^{k} b_r \frac{C(r)}{r}

    where :math:`b_r` is 1 if the document at rank r is relevant and 0 if not,
    :math:`C(r)` is the number of relevant documents down to rank r, and `denominator`
    selects D: by default R, all relevant documents of the query. The mean over queries
    is MAP.

    ``average="geometric"`` gives the geometric mean (GMAP), where :math:`\epsilon` is
    the floor `epsilon`:

    .. math::

       \mathrm{GMAP}
         = \exp \frac{1}{|Q|} \sum_{q \in Q} \ln \max(\mathrm{AP}_q, \epsilon)

    Elsewhere: ``map``, ``map_cut_k`` and ``gm_map`` in trec_eval, ``map`` in ranx,
    LightGBM and XGBoost, ``MAP`` in CatBoost, ``RetrievalMAP`` in torchmetrics,
    ``meanAveragePrecisionAt`` in Spark, ``average_precision_score`` in scikit-learn,
    ``MeanAveragePrecisionMetric`` in TF-Ranking, ``AveragePrecision`` in LensKit,
    ``apk`` in ml_metrics (Kaggle).

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze, "Introduction to Information
       Retrieval", Cambridge University Press, 2008, section 8.4.
    .. [2] F. McSherry, M. Najork, "Computing information retrieval performance measures
       efficiently in the presence of tied scores", ECIR 2008.

    Examples
    --------
    >>> from sklearn_irmetrics import average_precision_score
    >>> ap = average_precision_score([1, 0, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1])
    >>> round(ap, 4)
    0.7222
    """
    epsilon = check_positive("epsilon", epsilon)
    return points.score_ranking_or_rows(
        "average_precision_score",
        _average_precision,
        points.average_precision,
        y_true,
        y_score,
        denominator=denominator,
        k=k,
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
        only={"denominator": "relevant", "k": None},
        combine=partial(aggregate, epsilon=epsilon),
    )


@rules(denominator=check_denominator, epsilon=check_positive)
def _average_precision(ranking, *, k, denominator, relevance_threshold):
    """Sum C(r) / r over the relevant ranks, and divide by one of four counts."""
    relevant = Relevant(relevance_threshold)
    return average_precision_of(ranking, relevant, k, denominator)


def silence_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    relevance_threshold: float | None = None,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Silence: whether nothing is retrieved if there is nothing to find.

    Use it beside recall or success where some queries have no answer, and a system may
    return nothing: questions that a collection does not answer, searches for products
    that a shop does not sell.

    Its mean is the share of such queries for which the system keeps silent. A system
    that scores every document never does; `threshold_curve` shows what it would do
    if it returned only documents with a score of at least t.

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
    pos_label : str, int, float or bool, default=None
        The relevant class if `y_true` holds class labels, such as strings; None if it
        holds grades. Missing labels are unjudged. If `y_true` holds one other class
        instead, nothing is relevant; if it holds several, an error is raised.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one ranking. 2-D input has one query per row.
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
    average : {"macro", "geometric"} or None, default="macro"
        Mean over queries, geometric mean (values below 1e-5 count as 1e-5, negative
        ones are errors), or None for one value per query in order of first appearance.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean and warns.

    Returns
    -------
    float, or ndarray of shape (n_queries,)
        Between 0 and 1; undefined for a query with relevant documents.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    success_at_k_score : Whether a query that has an answer gets one.
    threshold_curve : A measure if documents with low scores are not returned.
    set_false_alarm_loss : The share of what was retrieved that is not relevant.

    Notes
    -----
    .. math::

       \text{silence}
         = \begin{cases} 1 & \text{if } n = 0 \\ 0 & \text{if } n > 0 \end{cases}

    where :math:`n` documents were retrieved for a query with :math:`R = 0` relevant
    ones. An unjudged document that was retrieved breaks the silence.

    References
    ----------
    .. [1] P. Rajpurkar, R. Jia, P. Liang, "Know what you don't know: unanswerable
       questions for SQuAD", ACL 2018, pp. 784-789.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import silence_score
    >>> nothing = float("-inf")
    >>> silence_score([[0, 0], [0, 0]], [[nothing, nothing], [0.4, nothing]])
    0.5
    """
    return score_ranking(
        "silence_score",
        _silence,
        y_true,
        y_score,
        relevance_threshold=relevance_threshold,
        pos_label=pos_label,
        qid=qid,
        sample_weight=sample_weight,
        average=average,
        replace_undefined_by=replace_undefined_by,
        undefined_if=SOMETHING_RELEVANT,
    )


def _silence(ranking, *, relevance_threshold):
    """Compare n with 0 where R = 0."""
    to_find = ranking.total(Relevant(relevance_threshold))
    return np.where(to_find > 0, np.nan, ranking.n_retrieved == 0)


def judged_at_k_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Judged at k: the share of judged documents in the top k.

    Use it with every other measure when a system is scored on judgments made for other
    systems: a low value makes the other numbers doubtful.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    k : int, default=None
        Cutoff rank, at least 1; None: all ranks.
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
        Between 0 and 1; defined for every query.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    rank_biased_precision_residual : How much unjudged documents could matter.
    bpref_score : Ignores unjudged documents.

    Notes
    -----
    .. math::

       \text{judged@}k = \frac{J(k)}{\min(k, n)}

    where :math:`J(k)` documents of the top k are judged and n were retrieved; the value
    is 0 if n = 0.

    Elsewhere: ``Judged@k`` in ir_measures.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import judged_at_k_score
    >>> judged_at_k_score([1, float("nan"), 0], [3, 2, 1], k=2)
    0.5
    """
    return score_ranking(
        "judged_at_k_score",
        _judged_at_k,
        y_true,
        y_score,
        k=k,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _judged_at_k(ranking, *, k):
    """Divide the judged documents down to rank k by min(k, n)."""
    judged = count_relevant(ranking, Judged(), k)
    return divide_or_zero(judged, count_examined(ranking, k, adaptive=True))


def bpref_score(
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
    r"""Binary preference (bpref): how rarely judged non-relevant documents come first.

    Use it where judgments are far from complete: unjudged documents do not change it.

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
    inferred_average_precision_score : AP estimated from sampled judgments.
    judged_at_k_score : The share of judged documents.

    Notes
    -----
    .. math::

       \mathrm{bpref}
         = \frac{1}{R} \sum_{d} \left( 1 - \frac{\min(N_d, R)}{\min(N, R)} \right)

    where the sum is over the relevant documents retrieved, R counts all relevant and N
    all judged non-relevant documents of the query, and :math:`N_d` counts the judged
    non-relevant ones that rank above d. A term is 1 where :math:`N_d = 0`.

    Elsewhere: ``bpref`` in trec_eval and ranx, ``BPrefMetric`` in TF-Ranking.

    References
    ----------
    .. [1] C. Buckley, E. M. Voorhees, "Retrieval evaluation with incomplete
       information", SIGIR 2004; in the form of trec_eval 8 and later.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import bpref_score
    >>> bpref_score([0, 1, float("nan"), 1, 0], [5, 4, 3, 2, 1])
    0.5
    """
    return score_ranking(
        "bpref_score",
        _bpref,
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


def _bpref(ranking, *, relevance_threshold):
    """Compute the mean of 1 - min(N_above, R) / min(N, R) over relevant documents.

    N counts judged non-relevant documents. Inside a tie group that holds m of them,
    the number above a relevant document is uniform on N_before .. N_before + m.
    """
    relevant = Relevant(relevance_threshold)
    nonrelevant = JudgedNonrelevant(relevant)
    ranking = ranking.break_ties(relevant)
    to_find = ranking.total(relevant)
    n_nonrelevant = ranking.total(nonrelevant)
    cap = to_find[:, np.newaxis]
    least = ranking.before_group(nonrelevant)
    if ranking.tied:
        m = ranking.group_total(nonrelevant) * 1.0
        below_cap = np.clip(cap - least + 1.0, 0.0, m + 1.0)
        above = below_cap * (least + (below_cap - 1.0) / 2.0)
        above = (above + (m + 1.0 - below_cap) * cap) / (m + 1.0)
    else:
        above = np.minimum(least, cap)
    is_relevant = ranking.expected(relevant)
    worst = np.minimum(n_nonrelevant, to_find)
    lost = divide_or_zero(row_sum(is_relevant * above), worst)
    total = row_sum(is_relevant) - lost
    return divide(total, to_find)


def inferred_average_precision_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    pooled: Rankings | None = None,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: PlainTies = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Inferred average precision: AP estimated from a sample of judgments.

    Use it where the judged documents are a random sample of a pool, in place of the
    average precision that you would compute from complete judgments.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    pooled : array-like of the shape of `y_true`, default=None
        Booleans, or 0 and 1: whether each unjudged document was in the pool from which
        the judged ones were sampled. None: no unjudged document was.
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
    ties : {"average", "stable"}, default="average"
        How to rank tied documents: return the exact expectation over all their orders,
        or take the order of the rows. The best and the worst order raise an error,
        because no fast way to find them is known.
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
    average_precision_score : For complete judgments.
    bpref_score : Ignores unjudged documents.

    Notes
    -----
    .. math::

       \mathrm{infAP} = \frac{1}{R} \sum_{d} \left( \frac{1}{r} + \frac{r - 1}{r}\, S\,
       \frac{a + \epsilon}{a + b + 2 \epsilon} \right)

    where the sum is over the relevant documents retrieved, R counts all relevant
    documents of the query, r is the rank of d, S the share of the documents above it
    that were judged or pooled, a and b are the numbers of judged relevant and
    non-relevant documents above it, and :math:`\epsilon = 10^{-5}`.

    Elsewhere: ``infAP`` in trec_eval.

    References
    ----------
    .. [1] E. Yilmaz, J. A. Aslam, "Estimating average precision with incomplete and
       imperfect judgments", CIKM 2006.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import inferred_average_precision_score
    >>> y_true, y_score = [1, float("nan"), 0, 1], [4, 3, 2, 1]
    >>> infap = inferred_average_precision_score(y_true, y_score, pooled=[0, 1, 0, 0])
    >>> round(infap, 4)
    0.8125
    """
    return score_ranking(
        "inferred_average_precision_score",
        _inferred_average_precision,
        y_true,
        y_score,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        marks={"pooled": pooled},
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _inferred_average_precision(ranking, *, relevance_threshold):
    """Estimate AP from a sample of judgments (Yilmaz and Aslam)."""
    relevant = Relevant(relevance_threshold)
    nonrelevant, pooled = JudgedNonrelevant(relevant), PooledUnjudged()
    refuse_extremes(ranking, "for inferred average precision")
    to_find = ranking.total(relevant)
    a = ranking.before_group(relevant)
    in_pool = a + ranking.before_group(nonrelevant)
    terms = (a + _EPSILON) / (in_pool + 2.0 * _EPSILON)
    if "pooled" in ranking.block.marks:
        in_pool += ranking.before_group(pooled)
    terms *= in_pool
    terms += 1.0
    at_rank = ranking.expected(relevant) / ranking.ranks
    terms *= at_rank
    if ranking.tied:
        terms = _tied_terms(terms, at_rank, ranking, relevant, nonrelevant, pooled)
    return divide(terms.sum(axis=1), to_find)


_EPSILON = 1e-5


def _tied_terms(terms, at_rank, ranking, relevant, nonrelevant, pooled):
    """Return the terms of inferred AP, their expectation for tied relevant documents.

    The expectation is a mean over the number of judged documents among the i - 1 above
    place i.
    """
    tied = np.flatnonzero((ranking.group_size > 1.0) & (at_rank > 0.0))
    facts = [ranking.group_size, ranking.group_place]
    facts += map(ranking.before_group, (relevant, nonrelevant, pooled))
    facts += map(ranking.group_total, (relevant, nonrelevant, pooled))
    shape, terms = terms.shape, terms.ravel()
    means = compute_cells(_mean_tied_term, tied, facts)
    terms[tied] = at_rank.ravel()[tied] * means
    return terms.reshape(shape)


def _mean_tied_term(n, i, a, b, u, r, m, p):
    """Return the mean inferred AP term of a relevant document at place i of n."""
    v = r - 1.0 + m
    pooled_share = divide_or_zero(p, n - 1.0 - v)
    relevant_share = divide_or_zero(r - 1.0, v)

    def term(judged):
        in_pool = a + b + judged + u + (i - 1.0 - judged) * pooled_share
        hits = a + judged * relevant_share + _EPSILON
        return 1.0 + in_pool * hits / (a + b + judged + 2.0 * _EPSILON)

    return mean_over_found(term, n - 1.0, v, i - 1.0)
