"""Measures of relevant and non-relevant documents in rank order."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sklearn_irmetrics._core.aggregate import EPSILON
from sklearn_irmetrics._core.score import score_ranking
from sklearn_irmetrics._typing import (
    ArrayLike,
    Average,
    AverageOrMicro,
    Ids,
    Rankings,
    Score,
    Ties,
)
from sklearn_irmetrics.kernels import _binary as kernels
from sklearn_irmetrics.metrics import _weighted
from sklearn_irmetrics.metrics._docs import document


@document
def precision_at_k_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    adaptive: bool = False,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    k: int | None = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Precision at k: the share of relevant documents in the top k.

    ``P@k = C(k) / k``, where ``C(k)`` counts the relevant documents down to rank k.
    With ``k=None`` all retrieved documents count (0 where there is none).

    Parameters
    ----------
    [[data]]
    adaptive : bool, default=False
        Divide by ``min(k, n)`` where only n documents were retrieved (0 if n = 0).
    [[relevance]]
    [[k]]
    [[shared with micro]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; defined for every query.

    Raises
    ------
    [[raises]]

    See Also
    --------
    recall_at_k_score : Relevant documents found, of all there are.
    set_precision_score : Precision of an unranked set.

    Notes
    -----
    trec_eval calls it ``P_k``.

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
    return score_ranking("precision_at_k_score", kernels.precision_at_k, locals())


@document
def recall_at_k_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    capped: bool = False,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    k: int | None = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Recall at k: the share of all relevant documents that the top k holds.

    ``R@k = C(k) / R``, where R counts the relevant documents of the query, retrieved or
    not.

    Parameters
    ----------
    [[data]]
    capped : bool, default=False
        Divide by ``min(R, k)``, which the best ranking reaches (trec_eval's
        ``relative_P``).
    [[relevance]]
    [[k]]
    [[shared with micro]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined for a query without relevant documents.

    Raises
    ------
    [[raises]]

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
    return score_ranking("recall_at_k_score", kernels.recall_at_k, locals())


@document
def fbeta_at_k_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    beta: float = 1.0,
    alpha: float | None = None,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    k: int | None = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """F measure of the top k: the weighted harmonic mean of precision and recall.

    ``F@k = (1 + β²) C(k) / (β² R + k) = 1 / (α / P@k + (1 - α) / R@k)``.

    Parameters
    ----------
    [[data]]
    beta : float, default=1.0
        Weight of recall against precision, at least 0.
    alpha : float, default=None
        Weight of precision, between 0 and 1; overrides `beta`: α = 1 / (1 + β²).
    [[relevance]]
    [[k]]
    [[shared with micro]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined for a query without relevant documents.

    Raises
    ------
    [[raises]]

    References
    ----------
    .. [1] C. J. van Rijsbergen, "Information Retrieval", 2nd edition, Butterworths,
       1979, chapter 7.

    Examples
    --------
    >>> from sklearn_irmetrics import fbeta_at_k_score
    >>> fbeta_at_k_score([1, 0, 1, 0], [4, 3, 2, 1], k=2)
    0.5
    """
    return score_ranking("fbeta_at_k_score", kernels.fbeta_at_k, locals())


@document
def success_at_k_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    k: int | None = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Success at k (hit rate): whether the top k holds a relevant document.

    1 if ``C(k) > 0``, else 0; with tied scores the probability of it.

    Parameters
    ----------
    [[data]]
    [[relevance]]
    [[k]]
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
    trec_eval calls it ``success_k``; ranx and torchmetrics ``hit_rate``.

    Examples
    --------
    >>> from sklearn_irmetrics import success_at_k_score
    >>> success_at_k_score([0, 1, 1, 0], [2, 1, 2, 1], qid=["a", "a", "b", "b"], k=1)
    0.5
    """
    return score_ranking("success_at_k_score", kernels.success_at_k, locals())


@document
def r_precision_score(
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
    """R-precision: precision at the rank that equals the number of relevant documents.

    ``C(R) / R``, the break-even point: here precision, recall and F1 are equal.

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

    Notes
    -----
    trec_eval calls it ``Rprec``.

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
    return score_ranking("r_precision_score", kernels.r_precision, locals())


@document
def reciprocal_rank_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    k: int | None = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Reciprocal rank of the first relevant document; its mean over queries is MRR.

    ``1 / r`` where r is the rank of the first relevant document; 0 where there is none
    down to rank k.

    Parameters
    ----------
    [[data]]
    [[relevance]]
    [[k]]
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
    trec_eval calls it ``recip_rank``.

    References
    ----------
    .. [1] E. M. Voorhees, "The TREC-8 question answering track report", TREC 1999.

    Examples
    --------
    >>> from sklearn_irmetrics import reciprocal_rank_score
    >>> reciprocal_rank_score([0, 1, 1, 0], [.4, .3, .2, .1])
    0.5
    """
    return score_ranking("reciprocal_rank_score", kernels.reciprocal_rank, locals())


@document
def average_precision_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    denominator: Literal["relevant", "attainable", "k", "retrieved"] = "relevant",
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    k: int | None = None,
    epsilon: float = EPSILON,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Average precision; its mean over queries is MAP.

    Unlike `sklearn.metrics.average_precision_score` it ranks inside each query,
    averages over the orders of tied documents instead of merging them into one step,
    and calls a query without relevant documents undefined.

    ``AP@k = (Σ_{r≤k} b_r C(r) / r) / D``, where ``b_r`` is 1 if the document at rank r
    is relevant.

    Parameters
    ----------
    [[data]]
    denominator : {"relevant", "attainable", "k", "retrieved"}, default="relevant"
        D: all R relevant documents (trec_eval, ranx); ``min(R, k)``, which makes 1
        attainable (Spark); k; or ``C(k)``, the relevant documents found (torchmetrics;
        0 where none was).
    [[relevance]]
    [[k]]
    epsilon : float, default=1e-5
        Floor of each value in the geometric mean.
    [[shared with weights]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined for a query without relevant documents.

    Raises
    ------
    [[raises]]

    Notes
    -----
    ``average="geometric"`` is trec_eval's ``gm_map`` (GMAP). trec_eval calls AP ``map``
    and AP@k ``map_cut_k``.

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
    arguments = locals()
    if _weighted.weighs_documents(arguments):
        return _weighted.score_weighted_documents(
            "average_precision_score", _weighted.average_precision, arguments
        )
    return score_ranking(
        "average_precision_score", kernels.average_precision, arguments
    )


@document
def judged_at_k_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    k: int | None = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Share of judged documents among the top k.

    ``judged in the top k / min(k, n)``, where n documents were retrieved; 0 if n = 0.

    Parameters
    ----------
    [[data]]
    [[k]]
    [[shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; defined for every query.

    Raises
    ------
    [[raises]]

    See Also
    --------
    rank_biased_precision_residual : How much unjudged documents could matter.

    Notes
    -----
    ir_measures calls it ``Judged@k``.

    Examples
    --------
    >>> from sklearn_irmetrics import judged_at_k_score
    >>> judged_at_k_score([1, float("nan"), 0], [3, 2, 1], k=2)
    0.5
    """
    return score_ranking("judged_at_k_score", kernels.judged_at_k, locals())


@document
def bpref_score(
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
    """Binary preference: how rarely judged non-relevant documents come first.

    ``bpref = (1 / R) Σ 1 - min(N_above, R) / min(N, R)`` over the relevant documents
    retrieved, where N counts the judged non-relevant documents of the query and
    ``N_above`` those ranked above. Unjudged documents do not matter.

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
    inferred_average_precision_score : AP estimated from sampled judgments.

    References
    ----------
    .. [1] C. Buckley, E. M. Voorhees, "Retrieval evaluation with incomplete
       information", SIGIR 2004; in the form of trec_eval 8 and later.

    Examples
    --------
    >>> from sklearn_irmetrics import bpref_score
    >>> bpref_score([0, 1, float("nan"), 1, 0], [5, 4, 3, 2, 1])
    0.5
    """
    return score_ranking("bpref_score", kernels.bpref, locals())


@document
def inferred_average_precision_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    pooled: Rankings | None = None,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Inferred average precision: AP estimated from a sample of judgments.

    The mean over all R relevant documents of ``1 / r + (r - 1) / r · S · Q``, 0 where
    one was not retrieved: r is its rank, S the share of the documents above it that
    were judged or pooled, and ``Q = (a + ε) / (a + b + 2 ε)`` with a relevant and b
    judged non-relevant documents above it, ε = 1e-5.

    Parameters
    ----------
    [[data]]
    pooled : array-like of the shape of `y_true`, default=None
        Booleans or 0 and 1: which unjudged documents were in the pool that the judged
        ones were sampled from. None: no unjudged document was.
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
    trec_eval calls it ``infAP``.

    References
    ----------
    .. [1] E. Yilmaz, J. A. Aslam, "Estimating average precision with incomplete and
       imperfect judgments", CIKM 2006.

    Examples
    --------
    >>> from sklearn_irmetrics import inferred_average_precision_score
    >>> y_true, y_score = [1, float("nan"), 0, 1], [4, 3, 2, 1]
    >>> infap = inferred_average_precision_score(y_true, y_score, pooled=[0, 1, 0, 0])
    >>> round(infap, 4)
    0.8125
    """
    return score_ranking(
        "inferred_average_precision_score", kernels.inferred_average_precision, locals()
    )
