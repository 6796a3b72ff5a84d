"""Measures of how many subtopics of a query a ranking covers, and how early."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.rows import (
    divide,
    divide_or_zero,
    first_true,
    gather,
    row_sum,
    running_max,
    running_sum,
    sort_within,
)
from sklearn_irmetrics._checks import check_flag, check_inner_share, check_share
from sklearn_irmetrics._typing import Average, Ids, PlainTies, Score, Ties
from sklearn_irmetrics.metrics._formulas import (
    average_precision_of,
    chances_to_reach,
    compute_at_cutoffs,
    compute_cells,
    count_examined,
    mean_over_found,
    pick_column,
    refuse_extremes,
    success_of,
    sum_expected,
    sum_to_rank,
)
from sklearn_irmetrics.metrics._ranking.compute import score_ranking
from sklearn_irmetrics.metrics._ranking.gains import (
    OfSubtopic,
    RankDiscount,
    Relevant,
    SubtopicWeights,
    SupportOfSubtopic,
    WeightOfSubtopics,
)
from sklearn_irmetrics.metrics._ranking.marks import (
    SUBTOPICS,
    check_subtopic_weight,
    split_weights,
)
from sklearn_irmetrics.metrics._ranking.parameters import one_of, rules
from sklearn_irmetrics.metrics._ranking.ranking import deepest


def alpha_ndcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    alpha: float = 0.5,
    normalize: bool = True,
    subtopic_weight: ArrayLike | None = None,
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
    normalize : bool, default=True
        Whether to divide by the value of the greedy order of the documents of the
        query, or (alpha-DCG) by that of documents that are relevant to all subtopics.
    subtopic_weight : array-like, default=None
        How much each subtopic counts, such as 1 and 0.5, or the probability of each
        intent: one weight per column of `y_true`, or an array of its shape, constant
        inside a query. Only proportions matter; weight 0 leaves a subtopic out.
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
    :math:`m_s(r)` documents above it are relevant to s. With `subtopic_weight`, each
    subtopic adds its weight times that to :math:`N_r`, in the ideal too.

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

    Elsewhere: ``alpha-nDCG@k`` in ndeval, whose ``alpha-DCG@k`` is
    ``normalize=False`` (ndeval does not normalise that at k=1).

    References
    ----------
    .. [1] C. L. A. Clarke, M. Kolla, G. V. Cormack, O. Vechtomova, A. Ashkan, S.
       Büttcher, I. MacKinnon, "Novelty and diversity in information retrieval
       evaluation", SIGIR 2008.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import alpha_ndcg_score
    >>> y_true = [[1, 0], [1, 0], [0, 1], [0, 0]]
    >>> round(alpha_ndcg_score(y_true, [4, 3, 2, 1]), 4)
    0.9652
    """
    of_columns, of_documents = split_weights(subtopic_weight)
    return score_ranking(
        "alpha_ndcg_score",
        _alpha_ndcg,
        y_true,
        y_score,
        alpha=alpha,
        normalize=normalize,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        k=k,
        subtopics=True,
        marks={"subtopic_weight": of_documents},
        subtopic_weight=of_columns,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


@rules(alpha=check_share, normalize=check_flag, subtopic_weight=check_subtopic_weight)
def _alpha_ndcg(
    ranking, *, k, alpha, relevance_threshold, normalize=True, subtopic_weight=None
):
    """Divide the discounted sum of N_r by that of the greedy order."""
    topics = _Subtopics(ranking, relevance_threshold, subtopic_weight)
    gains = _expected_gains(ranking, alpha, topics)
    discount = RankDiscount()

    def dcg(gains):
        return sum_to_rank(gains * discount(np.arange(1.0, gains.shape[1] + 1.0)), k)

    if normalize:
        best = dcg(_greedy_gains(ranking, alpha, topics, deepest(k)))
        return divide(dcg(gains), best)
    best = _sum_of_fading_ranks(ranking, k, 1.0 - alpha, discount)
    return divide(dcg(gains) / best, topics.to_meet)


class _Subtopics:
    """The subtopics of a block of queries, and how much each counts.

    Parameters
    ----------
    ranking : Ranking
        The queries.
    relevance_threshold : float or None
        As for measures.
    subtopic_weight : tuple of float or None
        One weight per subtopic; None: those of the documents, or equal ones.

    Attributes
    ----------
    relevant : list of OfSubtopic
        Whether documents are relevant to each.
    weights : ndarray of shape (n_queries, n_subtopics) or (1, n_subtopics)
        Their weights, of which the largest is 1.
    held : WeightOfSubtopics
        The sum of the weights of those that a document is relevant to.
    """

    def __init__(self, ranking, relevance_threshold, subtopic_weight):
        relevant = Relevant(relevance_threshold)
        n_subtopics = ranking.block.marks[SUBTOPICS].shape[2]
        self.relevant = [OfSubtopic(column, relevant) for column in range(n_subtopics)]
        weights = SubtopicWeights(subtopic_weight)
        first = ranking.unranked.documents.each(lambda array: array[:, 0])
        self.weights = np.atleast_2d(weights(first))  # all documents have the same
        self.held = WeightOfSubtopics(relevant, weights)
        self._total = ranking.total

    @property
    def to_meet(self):
        """The sum of the weights of those that any document is relevant to."""
        return sum((self._total(relevant) > 0) * weight for relevant, weight in self)

    def __iter__(self):
        """Yield each subtopic and its weight in each query."""
        return zip(self.relevant, self.weights.T, strict=True)


def _expected_gains(ranking, alpha, topics):
    """Return the expected N_r at each rank."""
    refuse_extremes(ranking, "for this measure of subtopics")
    return sum(
        _expected_gain(ranking, alpha, relevant) * weight[:, np.newaxis]
        for relevant, weight in topics
    )


def _expected_gain(ranking, alpha, relevant):
    """Return the contribution of one subtopic to N_r.

    In a tie group of n documents, c of them with the subtopic, place j holds one of
    these with probability c / n. The number of the c - 1 others above it is then that
    found in a draw of j - 1 from n - 1.
    """
    interest = 1.0 - alpha
    gain = ranking.expected(relevant) * interest ** ranking.before_group(relevant)
    if not ranking.tied or alpha == 0.0:
        return gain

    def rest_of_interest(found):
        return interest ** np.maximum(found, 0.0)  # also called with impossible numbers

    def mean_rest(n, c, j):
        return mean_over_found(rest_of_interest, n - 1.0, c - 1.0, j - 1.0)

    n, c, j = ranking.group_size, ranking.group_total(relevant), ranking.group_place
    # An upper bound of the mean computed below: that of drawing with replacement.
    left = (1.0 - alpha * (c - 1.0) / np.maximum(n - 1.0, 1.0)) ** (j - 1.0)
    gain = np.where(left > _NEGLIGIBLE, gain, 0.0)
    tied = np.flatnonzero((n > 1.0) & (gain > 0.0))
    shape, gain = gain.shape, gain.ravel()
    gain[tied] *= compute_cells(mean_rest, tied, (n, c, j))
    return gain.reshape(shape)


_NEGLIGIBLE = 1e-20  # gains below this share of the first one are ignored


def _greedy_gains(ranking, alpha, topics, depth):
    """Return N_r of the greedy order, which always takes the document that adds most.

    Of those that add the same, it takes the one that holds the first subtopic that not
    all of them hold, so the order of the rows does not matter; under ``"stable"`` it
    takes the first row. Subtopics of weight 0 do not matter.
    """
    documents = ranking.unranked.documents
    adds_nothing = topics.held(documents) == 0.0
    n_listed = max(1, int(row_sum(~adds_nothing).max()))
    adds_nothing = adds_nothing.astype(np.int64)
    order = sort_within(adds_nothing, adds_nothing)
    for relevant, weight in [] if ranking.ties == "stable" else reversed([*topics]):
        counts = relevant(documents) & (weight > 0.0)[:, np.newaxis]
        missed = gather((~counts).astype(np.int64), order)
        order = gather(order, sort_within(missed, missed))
    listed = documents.each(partial(gather, order=order[:, :n_listed]))
    held = np.stack(
        [relevant(listed).astype(np.float64) for relevant in topics.relevant], -1
    )
    depth = n_listed if depth is None else min(depth, n_listed)
    rows = np.arange(len(held))
    interest = np.ones((len(held), 1)) * topics.weights
    gains = np.zeros((len(held), depth))
    for rank in range(depth):
        adds = (held @ interest[:, :, np.newaxis])[:, :, 0]
        most = running_max(adds)[:, -1:] * (1.0 - _ROUNDING)
        if not (most > gains[:, :1] * _NEGLIGIBLE).any():
            break
        best = first_true(adds >= most)
        added = held[rows, best]
        gains[:, rank] = (added * interest).sum(axis=1)
        interest = np.where(added > 0.0, interest * (1.0 - alpha), interest)
        held[rows, best] = 0.0
    return gains


_ROUNDING = 1e-12  # gains that differ by a smaller share are equal


def subtopic_recall_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    support: Literal["binary", "graded"] = "binary",
    subtopic_weight: ArrayLike | None = None,
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
    support : {"binary", "graded"}, default="binary"
        Whether a subtopic that is met counts fully, or by the largest grade that was
        met, divided by its largest grade in the query: partial support.
    subtopic_weight : array-like, default=None
        How much each subtopic counts, such as 1 and 0.5, or the probability of each
        intent: one weight per column of `y_true`, or an array of its shape, constant
        inside a query. Only proportions matter; weight 0 leaves a subtopic out.
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
    relevant to. With `subtopic_weight`, subtopics are counted by their weights: vital
    nuggets as 1, okay ones as 0.5.

    Elsewhere: ``strec@k`` in ndeval.

    References
    ----------
    .. [1] C. Zhai, W. W. Cohen, J. Lafferty, "Beyond independent relevance: methods and
       evaluation metrics for subtopic retrieval", SIGIR 2003.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import subtopic_recall_score
    >>> y_true = [[1, 0], [1, 0], [0, 1], [0, 0]]
    >>> subtopic_recall_score(y_true, [4, 3, 2, 1], k=2)
    0.5
    """
    of_columns, of_documents = split_weights(subtopic_weight)
    return score_ranking(
        "subtopic_recall_score",
        _subtopic_recall,
        y_true,
        y_score,
        support=support,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        k=k,
        subtopics=True,
        marks={"subtopic_weight": of_documents},
        subtopic_weight=of_columns,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


@rules(support=one_of("binary", "graded"), subtopic_weight=check_subtopic_weight)
def _subtopic_recall(
    ranking, *, k, relevance_threshold, support="binary", subtopic_weight=None
):
    """Compute the share of the subtopics that the top k covers."""
    if support == "graded":
        return _mean_support(ranking, k, relevance_threshold, subtopic_weight)

    def met(relevant):
        return success_of(ranking, relevant, k)

    return _mean_over_subtopics(ranking, relevance_threshold, subtopic_weight, met)


def _mean_over_subtopics(ranking, relevance_threshold, subtopic_weight, measure):
    """Return the mean of a measure over the subtopics with a relevant document."""
    refuse_extremes(ranking, "for this measure of subtopics")
    topics = _Subtopics(ranking, relevance_threshold, subtopic_weight)
    total = 0.0
    for relevant, weight in topics:
        there = ranking.total(relevant) > 0
        total = total + np.where(there, measure(relevant), 0.0) * weight
    return divide(total, topics.to_meet)


def _mean_support(ranking, k, relevance_threshold, subtopic_weight):
    """Return the mean over subtopics of the largest grade met, divided by the largest.

    Of tied documents, some of a group may be at rank k or above.
    """
    refuse_extremes(ranking, "for this measure of subtopics")
    topics = _Subtopics(ranking, relevance_threshold, subtopic_weight)
    total = to_meet = 0.0
    for column, (_, weight) in enumerate(topics):
        grade = SupportOfSubtopic(column, Relevant(relevance_threshold))
        largest = grade(ranking.unranked.documents).max(axis=1)
        met = compute_at_cutoffs(k, partial(_largest_met, ranking, grade))
        total = total + divide_or_zero(met, largest) * weight
        to_meet = to_meet + (largest > 0) * weight
    return divide(total, to_meet)


def _largest_met(ranking, grade, k):
    """Return the expected largest grade down to rank k, 0 if none is positive.

    The group of n documents at rank k has m places there. The i-th best of them is the
    best in these places if it is drawn and the i - 1 better ones are not.
    """
    last = ranking.depth if k is None else min(k, ranking.depth)
    met = ranking.values(grade, last)
    if not ranking.tied:
        return met.max(axis=1)
    group, skipped = ranking.groups.at(last - 1)
    n, m = ranking.group_sizes[group][:, np.newaxis], last - skipped[:, np.newaxis]
    above = np.where(ranking.ranks[:last] <= last - m, met, 0.0).max(axis=1)
    scores = ranking.block.scores
    at_cut = gather(scores, ranking.order[:, last - 1 : last])
    tied = (scores == at_cut) & (at_cut > -np.inf)
    grades = np.where(tied, grade(ranking.unranked.documents), 0.0)
    falling = -np.sort(-grades, axis=1)
    left = n - np.arange(falling.shape[1])  # of the group, without the better ones
    drawn = np.where(left > 0, np.minimum(m / np.maximum(left, 1.0), 1.0), 1.0)
    passed = np.cumprod(1.0 - drawn, axis=1)
    chance = np.concatenate([np.ones_like(n), passed[:, :-1]], axis=1) * drawn
    expected = row_sum(chance * np.maximum(falling, above[:, np.newaxis]))
    return np.where(at_cut[:, 0] > -np.inf, expected, above)


def intent_aware_reciprocal_rank_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    alpha: float = 0.5,
    normalize: bool = False,
    subtopic_weight: ArrayLike | None = None,
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
    normalize : bool, default=False
        Whether to divide by the value of the greedy order of the documents of the
        query (nERR-IA), or by that of documents that are relevant to all subtopics.
    subtopic_weight : array-like, default=None
        How much each subtopic counts, such as 1 and 0.5, or the probability of each
        intent: one weight per column of `y_true`, or an array of its shape, constant
        inside a query. Only proportions matter; weight 0 leaves a subtopic out.
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
    denominator is the value of documents that are relevant to all of them. With
    `subtopic_weight`, each subtopic adds its weight times that to :math:`N_r`, and M
    is the sum of weights.

    It is normalised as in TREC's ``ndeval`` (which does not normalise at k=1). With
    ``k=None``, the denominator counts as many ranks as the query has documents.

    Elsewhere: ``ERR-IA@k`` in ndeval, ``nERR-IA@k`` with ``normalize=True``.

    References
    ----------
    .. [1] O. Chapelle, S. Ji, C. Liao, E. Velipasaoglu, L. Lai, S.-L. Wu, "Intent-based
       diversification of web search results: metrics and algorithms", Information
       Retrieval 14, 2011.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import intent_aware_reciprocal_rank_score
    >>> y_true = [[1, 0], [1, 0], [0, 1], [0, 0]]
    >>> round(intent_aware_reciprocal_rank_score(y_true, [4, 3, 2, 1], k=3), 4)
    0.5938
    """
    of_columns, of_documents = split_weights(subtopic_weight)
    return score_ranking(
        "intent_aware_reciprocal_rank_score",
        _intent_aware_reciprocal_rank,
        y_true,
        y_score,
        alpha=alpha,
        normalize=normalize,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        k=k,
        subtopics=True,
        marks={"subtopic_weight": of_documents},
        subtopic_weight=of_columns,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


@rules(alpha=check_share, normalize=check_flag, subtopic_weight=check_subtopic_weight)
def _intent_aware_reciprocal_rank(
    ranking, *, k, alpha, relevance_threshold, normalize=False, subtopic_weight=None
):
    """Divide the sum of N_r / r by that of documents that hold all subtopics."""
    topics = _Subtopics(ranking, relevance_threshold, subtopic_weight)
    gains = _expected_gains(ranking, alpha, topics)
    total = sum_to_rank(gains / ranking.ranks, k)
    if normalize:
        best = _greedy_gains(ranking, alpha, topics, deepest(k))
        ranks = np.arange(1.0, best.shape[1] + 1.0)
        return divide(total, sum_to_rank(best / ranks, k))
    best = _sum_of_fading_ranks(ranking, k, 1.0 - alpha, RankDiscount("reciprocal"))
    return divide(total / best, topics.to_meet)


def _sum_of_fading_ranks(ranking, k, interest, discount):
    """Return the sum of interest^(r - 1) times the discount over ranks r <= k.

    Without a cutoff there are as many ranks as the query has documents.
    """
    if k is None:
        ranks = np.arange(1.0, ranking.block.scores.shape[1] + 1.0)
        weights = interest ** (ranks - 1.0) * discount(ranks)
        sums = running_sum(weights[np.newaxis])
        n = np.clip(ranking.block.n_documents, 1, sums.shape[1])
        return pick_column(np.broadcast_to(sums, (len(n), sums.shape[1])), n - 1)
    if isinstance(k, int):
        return _fading(k, interest, discount)
    sums = [_fading(cutoff, interest, discount) for cutoff in k.ravel().tolist()]
    return np.asarray(sums, dtype=np.float64)[:, np.newaxis]


def _fading(k, interest, discount):
    """Return the sum of interest^(r - 1) times the discount over ranks r <= k."""
    if k > _DEEPEST:
        raise ValueError(
            f"k must be at most {_DEEPEST} here, or None for all ranks; got {k:g}."
        )
    ranks = np.arange(1.0, k + 1.0)
    return float((interest ** (ranks - 1.0) * discount(ranks)).sum())


_DEEPEST = 1 << 20  # the largest cutoff whose ranks are added up one by one


def novelty_rank_biased_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    alpha: float = 0.5,
    persistence: float = 0.5,
    normalize: bool = False,
    subtopic_weight: ArrayLike | None = None,
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
    normalize : bool, default=False
        Whether to divide by the value of the greedy order of the documents of the
        query (nNRBP), or by that of documents that are relevant to all subtopics.
    subtopic_weight : array-like, default=None
        How much each subtopic counts, such as 1 and 0.5, or the probability of each
        intent: one weight per column of `y_true`, or an array of its shape, constant
        inside a query. Only proportions matter; weight 0 leaves a subtopic out.
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
    :math:`\beta` is the `persistence`. With `subtopic_weight`, each subtopic adds its
    weight times that to :math:`N_r`, and M is the sum of weights.

    Elsewhere: ``NRBP`` in ndeval, ``nNRBP`` with ``normalize=True``.

    References
    ----------
    .. [1] C. L. A. Clarke, M. Kolla, O. Vechtomova, "An effectiveness measure for
       ambiguous and underspecified queries", ICTIR 2009.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import novelty_rank_biased_precision_score
    >>> y_true = [[1, 0], [1, 0], [0, 1], [0, 0]]
    >>> novelty_rank_biased_precision_score(y_true, [4, 3, 2, 1])
    0.5625
    """
    of_columns, of_documents = split_weights(subtopic_weight)
    return score_ranking(
        "novelty_rank_biased_precision_score",
        _novelty_rank_biased_precision,
        y_true,
        y_score,
        alpha=alpha,
        persistence=persistence,
        normalize=normalize,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        k=k,
        subtopics=True,
        marks={"subtopic_weight": of_documents},
        subtopic_weight=of_columns,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


@rules(
    alpha=check_share,
    persistence=check_inner_share,
    normalize=check_flag,
    subtopic_weight=check_subtopic_weight,
)
def _novelty_rank_biased_precision(
    ranking,
    *,
    k,
    alpha,
    persistence,
    relevance_threshold,
    normalize=False,
    subtopic_weight=None,
):
    """Compute (1 - (1 - alpha) p) / M times the sum of N_r p^(r - 1)."""
    topics = _Subtopics(ranking, relevance_threshold, subtopic_weight)
    reached = chances_to_reach(ranking, persistence)
    gains = _expected_gains(ranking, alpha, topics)[:, : len(reached)]
    total = sum_to_rank(gains * reached, k)
    if normalize:
        best = _greedy_gains(ranking, alpha, topics, deepest(k))
        ranks = np.arange(float(best.shape[1]))
        return divide(total, sum_to_rank(best * persistence**ranks, k))
    total = (1.0 - (1.0 - alpha) * persistence) * total
    return divide(total, topics.to_meet)


def intent_aware_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    subtopic_weight: ArrayLike | None = None,
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
    subtopic_weight : array-like, default=None
        How much each subtopic counts, such as 1 and 0.5, or the probability of each
        intent: one weight per column of `y_true`, or an array of its shape, constant
        inside a query. Only proportions matter; weight 0 leaves a subtopic out.
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
    the M subtopics that any document of the query is relevant to; with
    `subtopic_weight`, the weighted mean.

    Elsewhere: ``MAP-IA`` in ndeval.

    References
    ----------
    .. [1] R. Agrawal, S. Gollapudi, A. Halverson, S. Ieong, "Diversifying search
       results", WSDM 2009.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import intent_aware_average_precision_score
    >>> y_true = [[1, 0], [1, 0], [0, 1], [0, 0]]
    >>> round(intent_aware_average_precision_score(y_true, [4, 3, 2, 1]), 4)
    0.6667
    """
    of_columns, of_documents = split_weights(subtopic_weight)
    return score_ranking(
        "intent_aware_average_precision_score",
        _intent_aware_average_precision,
        y_true,
        y_score,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        k=k,
        subtopics=True,
        marks={"subtopic_weight": of_documents},
        subtopic_weight=of_columns,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


@rules(subtopic_weight=check_subtopic_weight)
def _intent_aware_average_precision(
    ranking, *, k, relevance_threshold, subtopic_weight=None
):
    """Compute the mean of average precision over the subtopics."""

    def precision(relevant):
        return average_precision_of(ranking, relevant, k, "relevant")

    return _mean_over_subtopics(
        ranking, relevance_threshold, subtopic_weight, precision
    )


def intent_aware_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    subtopic_weight: ArrayLike | None = None,
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
    subtopic_weight : array-like, default=None
        How much each subtopic counts, such as 1 and 0.5, or the probability of each
        intent: one weight per column of `y_true`, or an array of its shape, constant
        inside a query. Only proportions matter; weight 0 leaves a subtopic out.
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
    the M that any document of the query is relevant to; with `subtopic_weight`, both
    are sums of weights.

    Elsewhere: ``P-IA@k`` in ndeval.

    References
    ----------
    .. [1] R. Agrawal, S. Gollapudi, A. Halverson, S. Ieong, "Diversifying search
       results", WSDM 2009.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import intent_aware_precision_score
    >>> y_true = [[1, 0], [1, 0], [0, 1], [0, 0]]
    >>> intent_aware_precision_score(y_true, [4, 3, 2, 1], k=2)
    0.5
    """
    of_columns, of_documents = split_weights(subtopic_weight)
    return score_ranking(
        "intent_aware_precision_score",
        _intent_aware_precision,
        y_true,
        y_score,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        k=k,
        subtopics=True,
        marks={"subtopic_weight": of_documents},
        subtopic_weight=of_columns,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


@rules(subtopic_weight=check_subtopic_weight)
def _intent_aware_precision(ranking, *, k, relevance_threshold, subtopic_weight=None):
    """Compute the mean of C(k) / k over the subtopics."""
    topics = _Subtopics(ranking, relevance_threshold, subtopic_weight)
    hits = sum_expected(ranking, topics.held, k)
    precision = divide_or_zero(hits, count_examined(ranking, k))
    return divide(precision, topics.to_meet)
