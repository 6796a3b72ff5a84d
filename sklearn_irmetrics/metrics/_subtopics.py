"""Measures of the subtopics of a query that a ranking meets, and how early."""

from __future__ import annotations

import numpy as np

from sklearn_irmetrics._core.score import score_ranking
from sklearn_irmetrics._typing import (
    ArrayLike,
    Average,
    Ids,
    Score,
    SubtopicTies,
    Ties,
)
from sklearn_irmetrics.kernels import _subtopics as kernels
from sklearn_irmetrics.metrics._docs import document


@document
def alpha_ndcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    alpha: float = 0.5,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: SubtopicTies = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Alpha-nDCG: gains of subtopics, less for those met before, over the ideal's.

    ``α-DCG@k = Σ_{r≤k} N_r / log2(r + 1)``, where ``N_r`` is the sum, over the
    subtopics that the document at rank r is relevant to, of ``(1 - α)`` to the power of
    how many documents above it are relevant to the same; divided by that of the ideal
    order.

    Parameters
    ----------
    [[subtopic data]]
    alpha : float, default=0.5
        How much interest in a subtopic is lost each time it is met, from 0 (none: each
        document counts fully) to 1 (all: each subtopic counts once).
    [[relevance]]
    [[k]]
    [[subtopic shared]]

    Returns
    -------
    [[returns]]
        At least 0, and 1 for the ideal order; undefined for a query without relevant
        documents.

    Raises
    ------
    [[raises]]

    See Also
    --------
    subtopic_recall_score : Share of the subtopics met.
    ndcg_score : Without subtopics.

    Notes
    -----
    The ideal order is the greedy one, as in TREC's `ndeval`, since to find the best one
    is a covering problem: at each rank, of all documents of the query, retrieved or
    not, the one that adds most. Of those that add the same it takes the first in the
    order of the rows; `ndeval` takes the last by document number, so that rows by
    falling document number give its numbers. An order can be better than the greedy
    one; then the value is above 1, by at most a factor of ``e / (e - 1) ≈ 1.58``.

    References
    ----------
    .. [1] C. L. A. Clarke, M. Kolla, G. V. Cormack, O. Vechtomova, A. Ashkan, S.
       Büttcher, I. MacKinnon, "Novelty and diversity in information retrieval
       evaluation", SIGIR 2008.

    Examples
    --------
    >>> from sklearn_irmetrics import alpha_ndcg_score
    >>> y_true = [[1, 0], [1, 0], [0, 1], [0, 0]]
    >>> round(alpha_ndcg_score(y_true, [4, 3, 2, 1]), 4)
    0.9652
    """
    return score_ranking(
        "alpha_ndcg_score", kernels.alpha_ndcg, locals(), subtopics=True
    )


@document
def subtopic_recall_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: SubtopicTies = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Subtopic recall: the share of the subtopics of a query that are met within k.

    The subtopics that one of the first k documents is relevant to, over those that any
    document of the query, retrieved or not, is relevant to.

    Parameters
    ----------
    [[subtopic data]]
    [[relevance]]
    [[k]]
    [[subtopic shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined for a query without relevant documents.

    Raises
    ------
    [[raises]]

    See Also
    --------
    alpha_ndcg_score : Also counts how early and how often they are met.

    References
    ----------
    .. [1] C. Zhai, W. W. Cohen, J. Lafferty, "Beyond independent relevance: methods and
       evaluation metrics for subtopic retrieval", SIGIR 2003.

    Examples
    --------
    >>> from sklearn_irmetrics import subtopic_recall_score
    >>> y_true = [[1, 0], [1, 0], [0, 1], [0, 0]]
    >>> subtopic_recall_score(y_true, [4, 3, 2, 1], k=2)
    0.5
    """
    return score_ranking(
        "subtopic_recall_score", kernels.subtopic_recall, locals(), subtopics=True
    )


@document
def intent_aware_reciprocal_rank_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    alpha: float = 0.5,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: SubtopicTies = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Intent-aware expected reciprocal rank (ERR-IA) of the subtopics of a query.

    ``Σ_{r≤k} N_r / r``, with ``N_r`` as in `alpha_ndcg_score`, over what documents that
    are relevant to all M subtopics give: ``M Σ_{r≤k} (1 - α)^(r-1) / r``.

    Parameters
    ----------
    [[subtopic data]]
    alpha : float, default=0.5
        How much interest in a subtopic is lost each time it is met, from 0 (none: each
        document counts fully) to 1 (all: each subtopic counts once).
    [[relevance]]
    [[k]]
    [[subtopic shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined for a query without relevant documents.

    Raises
    ------
    [[raises]]

    See Also
    --------
    expected_reciprocal_rank_score : Without subtopics.

    Notes
    -----
    Normalised as in TREC's `ndeval` (which leaves k=1 as it is). With ``k=None`` the
    norm counts as many ranks as the query has documents.

    References
    ----------
    .. [1] O. Chapelle, S. Ji, C. Liao, E. Velipasaoglu, L. Lai, S.-L. Wu, "Intent-based
       diversification of web search results: metrics and algorithms", Information
       Retrieval 14, 2011.

    Examples
    --------
    >>> from sklearn_irmetrics import intent_aware_reciprocal_rank_score
    >>> y_true = [[1, 0], [1, 0], [0, 1], [0, 0]]
    >>> round(intent_aware_reciprocal_rank_score(y_true, [4, 3, 2, 1], k=3), 4)
    0.5938
    """
    return score_ranking(
        "intent_aware_reciprocal_rank_score",
        kernels.intent_aware_reciprocal_rank,
        locals(),
        subtopics=True,
    )


@document
def novelty_rank_biased_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    alpha: float = 0.5,
    persistence: float = 0.5,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: SubtopicTies = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Novelty- and rank-biased precision (NRBP) of the subtopics of a query.

    ``(1 - (1 - α) β) / M · Σ_{r≤k} N_r β^(r-1)``, with ``N_r`` as in
    `alpha_ndcg_score`, M the subtopics that something in the query is relevant to and
    β the `persistence`.

    Parameters
    ----------
    [[subtopic data]]
    alpha : float, default=0.5
        How much interest in a subtopic is lost each time it is met, from 0 (none: each
        document counts fully) to 1 (all: each subtopic counts once).
    persistence : float, default=0.5
        Probability β to go on to the next rank, strictly between 0 and 1.
    [[relevance]]
    [[k]]
    [[subtopic shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined for a query without relevant documents.

    Raises
    ------
    [[raises]]

    See Also
    --------
    rank_biased_precision_score : Without subtopics.

    References
    ----------
    .. [1] C. L. A. Clarke, M. Kolla, O. Vechtomova, "An effectiveness measure for
       ambiguous and underspecified queries", ICTIR 2009.

    Examples
    --------
    >>> from sklearn_irmetrics import novelty_rank_biased_precision_score
    >>> y_true = [[1, 0], [1, 0], [0, 1], [0, 0]]
    >>> novelty_rank_biased_precision_score(y_true, [4, 3, 2, 1])
    0.5625
    """
    return score_ranking(
        "novelty_rank_biased_precision_score",
        kernels.novelty_rank_biased_precision,
        locals(),
        subtopics=True,
    )


@document
def intent_aware_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: SubtopicTies = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Intent-aware average precision (MAP-IA): the mean over the subtopics of a query.

    The mean of `average_precision_score`, cut at k, over the subtopics that something
    in the query is relevant to.

    Parameters
    ----------
    [[subtopic data]]
    [[relevance]]
    [[k]]
    [[subtopic shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined for a query without relevant documents.

    Raises
    ------
    [[raises]]

    See Also
    --------
    average_precision_score : Without subtopics.

    References
    ----------
    .. [1] R. Agrawal, S. Gollapudi, A. Halverson, S. Ieong, "Diversifying search
       results", WSDM 2009.

    Examples
    --------
    >>> from sklearn_irmetrics import intent_aware_average_precision_score
    >>> y_true = [[1, 0], [1, 0], [0, 1], [0, 0]]
    >>> round(intent_aware_average_precision_score(y_true, [4, 3, 2, 1]), 4)
    0.6667
    """
    return score_ranking(
        "intent_aware_average_precision_score",
        kernels.intent_aware_average_precision,
        locals(),
        subtopics=True,
    )


@document
def intent_aware_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Intent-aware precision (P-IA): the mean over the subtopics of a query.

    The mean of `precision_at_k_score` over the subtopics that something in the query is
    relevant to: the subtopics of the first k documents, each counted as often as it is
    met, over k times the number of subtopics.

    Parameters
    ----------
    [[subtopic data]]
    [[relevance]]
    [[k]]
    [[subtopic shared with extremes]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined for a query without relevant documents.

    Raises
    ------
    [[raises]]

    See Also
    --------
    precision_at_k_score : Without subtopics.

    References
    ----------
    .. [1] R. Agrawal, S. Gollapudi, A. Halverson, S. Ieong, "Diversifying search
       results", WSDM 2009.

    Examples
    --------
    >>> from sklearn_irmetrics import intent_aware_precision_score
    >>> y_true = [[1, 0], [1, 0], [0, 1], [0, 0]]
    >>> intent_aware_precision_score(y_true, [4, 3, 2, 1], k=2)
    0.5
    """
    return score_ranking(
        "intent_aware_precision_score",
        kernels.intent_aware_precision,
        locals(),
        subtopics=True,
    )
