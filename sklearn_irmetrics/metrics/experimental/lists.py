"""What a list of recommendations holds: novelty and diversity."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.rows import divide, divide_or_zero
from sklearn_irmetrics._typing import Average, Ids, PlainTies, Rankings, Score, Ties
from sklearn_irmetrics.metrics._formulas import (
    compute_at_cutoffs,
    count_examined,
    exposures,
    refuse_extremes,
    sum_expected,
)
from sklearn_irmetrics.metrics._ranking.compute import score_ranking
from sklearn_irmetrics.metrics._ranking.marks import required_mark


def self_information_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    popularity: Rankings,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Self-information (MIUF): how few users know what the top k holds, in bits.

    Use it together with an accuracy measure of a recommender, to see whether it shows
    more than everyone knows already. Random lists are the most novel.

    Grades do not matter.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    popularity : array-like of the shape of `y_true`
        The share of all users who know each document, above 0 and at most 1.
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
        At least 0; undefined if nothing was retrieved.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    intra_list_diversity_score : How different the documents are from each other.
    catalogue_coverage : How much of the catalogue all lists show.
    sklearn_irmetrics.novelty_ratio_score : Relevant documents that are new to a user.

    Notes
    -----
    .. math::

       \text{MIUF@}k = -\frac{1}{\min(k, n)} \sum_{r=1}^{\min(k, n)} \log_2 p_r

    where :math:`p_r` is the `popularity` of the document at rank r and n the number of
    documents retrieved.

    Zhou et al. [1]_ call it surprisal. Tools differ in popularity: it is a share of
    users here and in RecTools, and of interactions in Microsoft's recommenders. A new
    document has a popularity of 0, which has no logarithm; RecTools counts one user, so
    pass ``max(n_users_of_item, 1) / n_users`` to agree with it.

    Elsewhere: ``MeanInvUserFreq`` in RecTools.

    References
    ----------
    .. [1] T. Zhou, Z. Kuscsik, J.-G. Liu, M. Medo, J. R. Wakeling, Y.-C. Zhang,
       "Solving the apparent diversity-accuracy dilemma of recommender systems", PNAS
       107(10), 2010.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics.experimental import self_information_score
    >>> popularity = [0.5, 0.25, 1.0]
    >>> self_information_score([0, 1, 0], [3, 2, 1], popularity=popularity, k=2)
    1.5
    """
    return score_ranking(
        "self_information_score",
        _self_information,
        y_true,
        y_score,
        k=k,
        marks={"popularity": popularity},
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _self_information(ranking, *, k):
    """Compute the mean self-information of the documents down to rank k."""
    total = sum_expected(ranking, _SelfInformation(), k)
    return divide(total, count_examined(ranking, k, adaptive=True))


@dataclass(frozen=True)
class _SelfInformation:
    """How surprising it is that a user knows the document, in bits."""

    def __call__(self, documents):
        """Return a float array."""
        popularity = required_mark(documents, "popularity")
        # 0 only where there is no document.
        return -np.log(np.where(popularity > 0, popularity, 1.0)) / math.log(2.0)


def intra_list_diversity_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    vectors: ArrayLike,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: PlainTies = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Intra-list diversity (ILD): how different the top k documents are.

    Use it together with an accuracy measure of a recommender or a retriever, to see
    whether lists repeat themselves. Random lists are diverse.

    Grades do not matter.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    vectors : array-like of the shape of `y_true` and one more axis
        The features of each document, a row of numbers that are not all 0. Groups are
        rows of zeros with a one.
    k : int, default=None
        Cutoff rank, at least 1; None: all ranks.
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
        At least 0, at most 2 (1 for groups); undefined for fewer than two documents.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    self_information_score : How rarely users know them.
    sklearn_irmetrics.metrics.alpha_ndcg_score : Diversity of relevant documents.

    Notes
    -----
    .. math::

       \text{ILD@}k = \frac{2}{m (m - 1)} \sum_{i < j} (1 - c_{ij})

    where :math:`c_{ij}` is the cosine of the vectors of the documents at ranks i and j,
    up to m, the smaller of k and the number of documents retrieved. With groups as
    vectors, it is the share of pairs that are of different groups.

    It is the measure of Ziegler et al. [1]_, with the mean over pairs instead of their
    sum. Tools differ in the distance (RecTools counts different features, RecPack uses
    Jaccard's) and in lists of one document, which RecTools counts as 0. Under ties it
    is the exact expectation over all orders, since pairs of tied documents are equally
    likely.

    References
    ----------
    .. [1] C.-N. Ziegler, S. M. McNee, J. A. Konstan, G. Lausen, "Improving
       recommendation lists through topic diversification", WWW 2005.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics.experimental import intra_list_diversity_score
    >>> genres = [[1, 0], [1, 0], [0, 1], [1, 1]]
    >>> y_score = [4, 3, 2, 1]
    >>> round(intra_list_diversity_score([1, 0, 0, 1], y_score, vectors=genres, k=3), 4)
    0.6667
    >>> intra_list_diversity_score([1, 0, 0, 1], [4, 2, 2, 1], vectors=genres, k=2)
    0.5
    """
    return score_ranking(
        "intra_list_diversity_score",
        _intra_list_diversity,
        y_true,
        y_score,
        k=k,
        marks={"vectors": vectors},
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _intra_list_diversity(ranking, *, k):
    """Compute the mean of 1 - cosine over the pairs of documents down to rank k."""
    refuse_extremes(ranking, "in intra-list diversity")
    ranking = ranking.with_whole_groups()
    vectors = required_mark(ranking.documents, "vectors")
    retrieved = ranking.ranks <= ranking.n_retrieved[:, np.newaxis]
    length = np.sqrt((vectors * vectors).sum(axis=2))
    if (retrieved & (length == 0)).any():
        raise ValueError(
            "vectors must not be all 0 for a retrieved document, because a zero vector "
            "has no direction."
        )
    length = np.where(retrieved, length, math.inf)
    units = vectors / length[:, :, np.newaxis]

    def compute(k):
        seen = count_examined(ranking, k, adaptive=True)
        above = np.where(ranking.ranks <= (math.inf if k is None else k), 1.0, 0.0)
        chance = exposures(ranking, above)
        alike = _sum_cosines(units, chance)
        if ranking.tied:
            alike = alike + _tied_cosines(ranking, units, chance)
        mean = divide(alike, seen * (seen - 1.0) / 2.0)
        return np.clip(1.0 - mean, 0.0, 2.0)  # against rounding

    return compute_at_cutoffs(k, compute)


def _sum_cosines(units, weights):
    """Sum the cosines of all pairs in a row, times the product of their weights."""
    weighed = units * weights[:, :, np.newaxis]
    total = weighed.sum(axis=1)
    own = (weighed * weighed).sum(axis=2).sum(axis=1)
    return ((total * total).sum(axis=1) - own) / 2.0


def _tied_cosines(ranking, units, chance):
    """Return the cosines of pairs inside the cut tie group that `_sum_cosines` lacks.

    Both are among the m of n with probability m (m - 1) / (n (n - 1)), not (m / n)^2.
    """
    n = ranking.group_size
    m = chance * n
    both = divide_or_zero(m * (m - 1.0), n * (n - 1.0))
    cut = np.where((chance > 0.0) & (chance < 1.0), 1.0, 0.0)
    excess = divide_or_zero(
        (cut * (both - chance * chance)).sum(axis=1), cut.sum(axis=1)
    )
    return excess * _sum_cosines(units, cut)
