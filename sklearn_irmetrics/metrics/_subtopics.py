"""Measures of how many subtopics of a query a ranking covers, and how early."""

from __future__ import annotations

from functools import partial

import numpy as np

from sklearn_irmetrics._core.score import score_ranking
from sklearn_irmetrics._typing import ArrayLike, Average, Ids, PlainTies, Score, Ties
from sklearn_irmetrics.kernels import _subtopics as kernels

_score = partial(score_ranking, subtopics=True)


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
    ties: PlainTies = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Alpha-nDCG: nDCG that rewards new subtopics and discounts repeated ones.

    Use it as the default where a query can mean several things and results should cover
    them: search result diversification.

    Parameters
    ----------
    y_true : array-like of shape (n_documents, n_subtopics)
        A column per subtopic: grades, or 0 and 1; larger is better. NaN: unjudged. A
        subtopic counts in a query if any document is relevant to it.
    y_score : array-like of shape (n_documents,)
        One score per document; larger ranks higher, -inf: not retrieved.
    alpha : float, default=0.5
        Share of the interest in a subtopic that is lost each time it is met, from 0
        (every document counts fully) to 1 (every subtopic counts once).
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Drop unjudged documents before ranking (condensed lists).
    k : int, default=None
        Cutoff rank, at least 1; None: all ranks.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind; rows of a query need not be adjacent. None: all
        rows are one ranking.
    sample_weight : array-like of shape (n_documents,), default=None
        One weight per query, constant inside it.
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
        At least 0, and 1 for the ideal order; undefined for a query without relevant
        documents.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    subtopic_recall_score : The share of the subtopics met.
    intent_aware_reciprocal_rank_score : For a user who stops.
    ndcg_score : Without subtopics.

    Notes
    -----
    .. math::

       \alpha\text{-nDCG@}k
         = \frac{\alpha\text{-DCG@}k}{\text{ideal } \alpha\text{-DCG@}k}

       \alpha\text{-DCG@}k = \sum_{r=1}^{k} \frac{N_r}{\log_2 (r + 1)}

       N_r = \sum_{s \in S_r} (1 - \alpha)^{m_s(r)}

    where :math:`S_r` holds the subtopics that the document at rank r is relevant to and
    :math:`m_s(r)` documents above it are relevant to s.

    The ideal order is the greedy one, as in TREC's ``ndeval``, because finding the best
    one is a covering problem. At each rank, it takes the document that adds most, of
    all documents of the query, retrieved or not. If several add the same, it takes the
    one that is relevant to the first subtopic to which not all of them are relevant, so
    the value depends on the order of the subtopics, not on that of the rows. An order
    can be better than the greedy one; the value is then above 1, by at most a factor of
    :math:`e / (e - 1) \approx 1.58`.

    With ``ties="stable"``, it takes the first row of those that add the same.
    ``ndeval`` takes the last by document number: to reproduce its values, sort the rows
    by falling document number and pass ``ties="stable"``.

    Elsewhere: ``alpha-nDCG@k`` in ndeval.

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
    return _score(kernels.alpha_ndcg, locals())


def subtopic_recall_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: PlainTies = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Subtopic recall: the share of the subtopics of a query that the top k covers.

    Use it where every subtopic must be met once and repetition does no harm.

    Parameters
    ----------
    y_true : array-like of shape (n_documents, n_subtopics)
        A column per subtopic: grades, or 0 and 1; larger is better. NaN: unjudged. A
        subtopic counts in a query if any document is relevant to it.
    y_score : array-like of shape (n_documents,)
        One score per document; larger ranks higher, -inf: not retrieved.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Drop unjudged documents before ranking (condensed lists).
    k : int, default=None
        Cutoff rank, at least 1; None: all ranks.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind; rows of a query need not be adjacent. None: all
        rows are one ranking.
    sample_weight : array-like of shape (n_documents,), default=None
        One weight per query, constant inside it.
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
    alpha_ndcg_score : Also counts how early and how often they are met.
    recall_at_k_score : Without subtopics.

    Notes
    -----
    .. math::

       \text{S-recall@}k = \frac{|S_1 \cup \cdots \cup S_k|}{M}

    where :math:`S_r` holds the subtopics that the document at rank r is relevant to and
    M is the number of subtopics that any document of the query, retrieved or not, is
    relevant to.

    Elsewhere: ``strec@k`` in ndeval.

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
    return _score(kernels.subtopic_recall, locals())


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
    ties: PlainTies = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Intent-aware expected reciprocal rank (ERR-IA): how early subtopics are met.

    Use it where users with different intents each stop at a document that suits them.

    Parameters
    ----------
    y_true : array-like of shape (n_documents, n_subtopics)
        A column per subtopic: grades, or 0 and 1; larger is better. NaN: unjudged. A
        subtopic counts in a query if any document is relevant to it.
    y_score : array-like of shape (n_documents,)
        One score per document; larger ranks higher, -inf: not retrieved.
    alpha : float, default=0.5
        Share of the interest in a subtopic that is lost each time it is met, from 0
        (every document counts fully) to 1 (every subtopic counts once).
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Drop unjudged documents before ranking (condensed lists).
    k : int, default=None
        Cutoff rank, at least 1; None: all ranks.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind; rows of a query need not be adjacent. None: all
        rows are one ranking.
    sample_weight : array-like of shape (n_documents,), default=None
        One weight per query, constant inside it.
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
    alpha_ndcg_score : With the discount of nDCG.
    expected_reciprocal_rank_score : Without subtopics.

    Notes
    -----
    .. math::

       \text{ERR-IA@}k
         = \frac{\sum_{r=1}^{k} N_r / r}{M \sum_{r=1}^{k} (1 - \alpha)^{r-1} / r}

       N_r = \sum_{s \in S_r} (1 - \alpha)^{m_s(r)}

    where :math:`S_r` holds the subtopics that the document at rank r is relevant to and
    :math:`m_s(r)` documents above it are relevant to s; M subtopics can be met. The
    denominator is the value of documents that are relevant to all of them.

    It is normalised as in TREC's ``ndeval`` (which does not normalise at k=1). With
    ``k=None``, the denominator counts as many ranks as the query has documents.

    Elsewhere: ``ERR-IA@k`` in ndeval.

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
    return _score(kernels.intent_aware_reciprocal_rank, locals())


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
    ties: PlainTies = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Novelty- and rank-biased precision (NRBP): RBP that discounts repetition.

    Use it where users with different intents may stop at any rank, with no cutoff.

    Parameters
    ----------
    y_true : array-like of shape (n_documents, n_subtopics)
        A column per subtopic: grades, or 0 and 1; larger is better. NaN: unjudged. A
        subtopic counts in a query if any document is relevant to it.
    y_score : array-like of shape (n_documents,)
        One score per document; larger ranks higher, -inf: not retrieved.
    alpha : float, default=0.5
        Share of the interest in a subtopic that is lost each time it is met, from 0
        (every document counts fully) to 1 (every subtopic counts once).
    persistence : float, default=0.5
        Probability β of reading on to the next rank, strictly between 0 and 1.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Drop unjudged documents before ranking (condensed lists).
    k : int, default=None
        Cutoff rank, at least 1; None: all ranks.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind; rows of a query need not be adjacent. None: all
        rows are one ranking.
    sample_weight : array-like of shape (n_documents,), default=None
        One weight per query, constant inside it.
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
    alpha_ndcg_score : With the discount of nDCG.
    rank_biased_precision_score : Without subtopics.

    Notes
    -----
    .. math::

       \mathrm{NRBP} = \frac{1 - (1 - \alpha) \beta}{M} \sum_{r=1}^{k} N_r\, \beta^{r-1}

       N_r = \sum_{s \in S_r} (1 - \alpha)^{m_s(r)}

    where :math:`S_r` holds the subtopics that the document at rank r is relevant to and
    :math:`m_s(r)` documents above it are relevant to s; M subtopics can be met and
    :math:`\beta` is the `persistence`.

    Elsewhere: ``NRBP`` in ndeval.

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
    return _score(kernels.novelty_rank_biased_precision, locals())


def intent_aware_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: PlainTies = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Intent-aware average precision (MAP-IA): mean AP over the subtopics of a query.

    Use it where users have one intent each and read the whole ranking. It does not
    penalise repetition.

    Parameters
    ----------
    y_true : array-like of shape (n_documents, n_subtopics)
        A column per subtopic: grades, or 0 and 1; larger is better. NaN: unjudged. A
        subtopic counts in a query if any document is relevant to it.
    y_score : array-like of shape (n_documents,)
        One score per document; larger ranks higher, -inf: not retrieved.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Drop unjudged documents before ranking (condensed lists).
    k : int, default=None
        Cutoff rank, at least 1; None: all ranks.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind; rows of a query need not be adjacent. None: all
        rows are one ranking.
    sample_weight : array-like of shape (n_documents,), default=None
        One weight per query, constant inside it.
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
    intent_aware_precision_score : For precision at k.
    average_precision_score : Without subtopics.

    Notes
    -----
    .. math::

       \text{MAP-IA@}k = \frac{1}{M} \sum_{s=1}^{M} \mathrm{AP}_s@k

    where :math:`\mathrm{AP}_s` is the `average_precision_score` for subtopic s, over
    the M subtopics that any document of the query is relevant to.

    Elsewhere: ``MAP-IA`` in ndeval.

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
    return _score(kernels.intent_aware_average_precision, locals())


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
    r"""Intent-aware precision (P-IA): mean precision over the subtopics of a query.

    Use it where users have one intent each and see one page. It does not penalise
    repetition.

    Parameters
    ----------
    y_true : array-like of shape (n_documents, n_subtopics)
        A column per subtopic: grades, or 0 and 1; larger is better. NaN: unjudged. A
        subtopic counts in a query if any document is relevant to it.
    y_score : array-like of shape (n_documents,)
        One score per document; larger ranks higher, -inf: not retrieved.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Drop unjudged documents before ranking (condensed lists).
    k : int, default=None
        Cutoff rank, at least 1; None: all ranks.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind; rows of a query need not be adjacent. None: all
        rows are one ranking.
    sample_weight : array-like of shape (n_documents,), default=None
        One weight per query, constant inside it.
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
    intent_aware_average_precision_score : For average precision.
    precision_at_k_score : Without subtopics.

    Notes
    -----
    .. math::

       \text{P-IA@}k = \frac{1}{k M} \sum_{r=1}^{k} |S_r|

    where :math:`S_r` holds the subtopics that the document at rank r is relevant to, of
    the M that any document of the query is relevant to.

    Elsewhere: ``P-IA@k`` in ndeval.

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
    return _score(kernels.intent_aware_precision, locals())
