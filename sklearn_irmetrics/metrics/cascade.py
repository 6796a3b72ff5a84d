"""Measures for a user who goes down the ranking and may stop at any rank."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.rows import gather
from sklearn_irmetrics._checks import check_inner_share, check_positive
from sklearn_irmetrics._typing import Average, Gain, Ids, Rankings, Score, Ties
from sklearn_irmetrics.metrics._formulas import (
    chances_to_reach,
    count_examined,
    sum_to_rank,
)
from sklearn_irmetrics.metrics._ranking.compute import score_ranking
from sklearn_irmetrics.metrics._ranking.gains import (
    Relevant,
    Satisfaction,
    Unjudged,
    Utility,
)
from sklearn_irmetrics.metrics._ranking.parameters import rules
from sklearn_irmetrics.metrics._ranking.ranking import deepest


def rank_biased_precision_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    persistence: float = 0.8,
    max_grade: float | None = None,
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
    r"""Rank-biased precision (RBP): utility for a user who reads on with probability p.

    Use it where users read from the top and may stop at any rank, and where judgments
    are incomplete: its residual bounds what unjudged documents could add.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    persistence : float, default=0.8
        Probability p of reading on to the next rank, strictly between 0 and 1.
    max_grade : float, default=None
        The largest possible grade, for graded relevance, where `relevance_threshold`
        does not apply; a larger grade raises an error. None: binary relevance.
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
        Between 0 and 1; defined for every query.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    rank_biased_precision_residual : What unjudged documents could add.
    expected_reciprocal_rank_score : For a user who stops at a good document.
    novelty_rank_biased_precision_score : With subtopics.

    Notes
    -----
    .. math::

       \mathrm{RBP} = (1 - p) \sum_{r=1}^{k} u_r\, p^{r-1}

    where p is the `persistence` and :math:`u_r` is 1 for a relevant document and 0 for
    any other, or :math:`\max(g_r, 0) / g_{\max}` of its grade where `max_grade` is
    given.

    Elsewhere: ``rbp`` in trec_eval 10 and ranx, ``RBP`` in ir_measures and LensKit.

    References
    ----------
    .. [1] A. Moffat, J. Zobel, "Rank-biased precision for measurement of retrieval
       effectiveness", ACM TOIS 27(1), 2008.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import rank_biased_precision_score
    >>> round(rank_biased_precision_score([1, 0, 1], [3, 2, 1], persistence=0.5), 4)
    0.625
    """
    return score_ranking(
        "rank_biased_precision_score",
        _rank_biased_precision,
        y_true,
        y_score,
        persistence=persistence,
        max_grade=max_grade,
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


@rules(persistence=check_inner_share)
def _rank_biased_precision(ranking, *, k, persistence, max_grade, relevance_threshold):
    """Compute (1 - p) times the sum of utilities, each times p^(rank - 1)."""
    utility = Utility(Relevant(relevance_threshold), max_grade)
    reached = chances_to_reach(ranking, persistence)
    total = sum_to_rank(ranking.expected(utility, len(reached)) * reached, k)
    return (1.0 - persistence) * total


def rank_biased_precision_residual(
    y_true: Rankings,
    y_score: Rankings,
    *,
    persistence: float = 0.8,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Residual of rank-biased precision: how much unjudged documents could add to it.

    Use it with `rank_biased_precision_score`: the true value is at most this much
    higher.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    persistence : float, default=0.8
        Probability p of reading on to the next rank, strictly between 0 and 1.
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
        Between 0 and 1; defined for every query. Neither high nor low is better.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    rank_biased_precision_score : The measure that it belongs to.
    judged_at_k_score : The share of judged documents in the top k.

    Notes
    -----
    .. math::

       \mathrm{residual} = (1 - p) \sum_{r \in U} p^{r-1} + p^{m}

       m = \min(k, n)

    where p is the `persistence`, U holds the ranks of unjudged documents down to m, and
    n documents were retrieved; the last term stands for all ranks below m.

    Elsewhere: ``rbp_resid`` in trec_eval 10.

    References
    ----------
    .. [1] A. Moffat, J. Zobel, "Rank-biased precision for measurement of retrieval
       effectiveness", ACM TOIS 27(1), 2008.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import rank_biased_precision_residual
    >>> y_true = [1, float("nan"), 1]
    >>> round(rank_biased_precision_residual(y_true, [3, 2, 1], persistence=0.5), 4)
    0.375
    """
    return score_ranking(
        "rank_biased_precision_residual",
        _rank_biased_precision_residual,
        y_true,
        y_score,
        persistence=persistence,
        k=k,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


@rules(persistence=check_inner_share)
def _rank_biased_precision_residual(ranking, *, k, persistence):
    """Compute how much RBP would gain if every unjudged document were relevant."""
    reached = chances_to_reach(ranking, persistence)
    unjudged = ranking.expected(Unjudged(), len(reached)) * reached
    unjudged = sum_to_rank(unjudged, k)
    seen = count_examined(ranking, k, adaptive=True)
    return (1.0 - persistence) * unjudged + persistence**seen


def expected_reciprocal_rank_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    gain: Gain = "exponential",
    max_grade: float = 4,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Expected reciprocal rank (ERR): how early a document satisfies the user.

    Use it where users stop at the first document that satisfies them and relevance has
    grades: documents below a very good one hardly count.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    gain : {"linear", "exponential"}, mapping or callable, default="exponential"
        Gain of a grade g: g; ``2^g - 1``; its value in a mapping of `max_grade` and all
        grades, where 0 may be missing; or a function of the array of `max_grade` and
        the distinct grades that occur.
    max_grade : float, default=4
        The largest possible grade; a larger grade raises an error.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Drop unjudged documents before ranking (condensed lists).
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
        `relevance_threshold` affects only whether the value is defined.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    reciprocal_rank_score : For binary relevance.
    rank_biased_precision_score : For a user who stops at random.
    ndcg_score : For a user who never stops.
    intent_aware_reciprocal_rank_score : With subtopics.

    Notes
    -----
    .. math::

       \text{ERR@}k = \sum_{r=1}^{k} \frac{1}{r}\, P_r \prod_{i=1}^{r-1} (1 - P_i)

       P_r = \frac{\max(G(g_r), 0)}{G(g_{\max}) + 1}

    where :math:`P_r` is the probability that the document at rank r, of grade
    :math:`g_r` and `gain` G, satisfies the user: by default :math:`(2^{g_r} - 1) /
    2^{g_{\max}}`.

    Elsewhere: ``ERR@k`` in gdeval and ir_measures, ``ERR`` in CatBoost,
    ``expected_reciprocal_rank`` in Elasticsearch.

    References
    ----------
    .. [1] O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan, "Expected reciprocal rank for
       graded relevance", CIKM 2009.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import expected_reciprocal_rank_score
    >>> expected_reciprocal_rank_score([0, 4, 1], [3, 2, 1])
    0.4700520833333333
    """
    return score_ranking(
        "expected_reciprocal_rank_score",
        _expected_reciprocal_rank,
        y_true,
        y_score,
        gain=gain,
        max_grade=max_grade,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        k=k,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


@rules(max_grade=check_positive)
def _expected_reciprocal_rank(ranking, *, k, gain, max_grade, relevance_threshold):
    """Compute the expectation of 1 / (rank of the document that satisfies the user)."""
    satisfaction = Satisfaction(gain, max_grade)
    ranking = ranking.break_ties(satisfaction).with_whole_groups()
    stops = ranking.values(satisfaction)
    goes_on = np.cumprod(1.0 - stops, axis=1)
    reached = np.concatenate([np.ones_like(goes_on[:, :1]), goes_on[:, :-1]], axis=1)
    stopped = stops * reached
    if ranking.tied:
        reached = ranking.groups.spread(ranking.groups.at_first(reached)).ravel()
        stopped = stopped.ravel()
        limit = ranking.depth if k is None else min(deepest(k), ranking.depth)
        for cells, present in ranking.groups.mixed(stops):
            # Ranks below the cutoff do not count, nor do groups that begin there.
            n_seen = limit - cells[:, 0] % ranking.depth
            cells, present = cells[n_seen > 0], present[n_seen > 0]
            if not len(cells):
                continue
            n_places = min(cells.shape[1], int(n_seen.max()))
            first_stop = _mean_first_stop(stops.ravel()[cells], present, n_places)
            met = reached[cells[:, 0]][:, np.newaxis] * first_stop
            cells, present = cells[:, :n_places], present[:, :n_places]
            stopped[cells[present]] = met[present]
        stopped = stopped.reshape(stops.shape)
    value = sum_to_rank(stopped / ranking.ranks, k)
    to_find = ranking.total(Relevant(relevance_threshold))
    return np.where(to_find > 0, value, np.nan)


def _mean_first_stop(stops, present, n_places):
    """Return the probability of stopping at each place, over all orders of each row.

    Parameters
    ----------
    stops : ndarray of shape (n_groups, n_documents)
        Probability of stopping at each document that is `present`.
    n_places : int
        Number of places that count.

    Notes
    -----
    ``a_j``, the probability of passing j documents, is the mean product of ``1 - stop``
    over all sets of j documents; ``d_j`` is the probability of stopping at place j. Add
    the documents one by one; for the (i + 1)-th, of probability P::

        d_j <- ((i + 1 - j) d_j + (j - 1) (1 - P) d_(j-1) + P a_(j-1)) / (i + 1)
        a_j <- ((i + 1 - j) a_j + j (1 - P) a_(j-1)) / (i + 1)

    All terms are positive, so nothing cancels, and none exceeds 1. The recurrence
    starts after the documents of the smallest probability, often the majority.
    """
    sizes = present.sum(axis=1)
    mean = np.where(present, stops, 0.0).sum(axis=1) / sizes
    stops = np.sort(np.where(present, stops, 2.0), axis=1)
    equal = (stops == stops[:, :1]).sum(axis=1)
    # Put groups with the most documents left first, to drop those that are finished.
    by_steps = np.argsort(equal - sizes, axis=0)
    stops, equal, mean = stops[by_steps], equal[by_steps], mean[by_steps]
    falling = equal - sizes[by_steps]  # steps of each group, negated
    n_steps = -int(falling[0])
    steps = np.arange(n_steps)
    n_left = np.searchsorted(falling, -steps).tolist()  # groups with more steps
    columns = equal[:, np.newaxis] + steps
    left = gather(stops, np.clip(columns, 0, stops.shape[1] - 1))
    # By Maclaurin's inequality, a_j <= (1 - mean)^j: places beyond `width` add nothing.
    least_mean = min(max(float(mean.min()), 1e-300), 0.5)
    longest = math.log(_NOTHING_LEFT) / math.log1p(-least_mean)
    width = min(n_places, math.ceil(min(longest, n_places)))
    j = np.arange(float(width))  # one less than in the formulas
    least, place = stops[:, :1], equal.astype(np.float64)[:, np.newaxis]
    product = (1.0 - least) ** j
    stopped = np.where(j < place, least * product, 0.0)
    passed = np.where(j <= place, product, 0.0)  # a_(j-1)
    reach = int(equal.max()) + 1
    for step, n_active in enumerate(n_left):
        reach = min(reach + 1, width)
        stop, i = left[:n_active, step : step + 1], place[:n_active] + float(step)
        share = j[:reach] / (i + 1.0)
        moved = share[:, 1:] * (1.0 - stop)
        d, a = stopped[:n_active, :reach], passed[:n_active, :reach]
        next_d = d * ((i - j[:reach]) / (i + 1.0))
        next_d[:, 1:] += d[:, :-1] * moved
        next_d += a * (stop / (i + 1.0))
        next_a = a * (1.0 - share)
        next_a[:, 1:] += a[:, :-1] * moved
        stopped[:n_active, :reach] = next_d
        passed[:n_active, :reach] = next_a
    result = np.zeros((len(stops), n_places))
    result[by_steps, :width] = stopped
    return result


# A remaining probability too small to change a sum of float64.
_NOTHING_LEFT = 2.0**-60
