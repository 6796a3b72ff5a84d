"""Measures of graded relevance."""

from __future__ import annotations

import math
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.rows import (
    divide,
    divide_or_zero,
    row_sum,
    running_sum,
)
from sklearn_irmetrics._checks import check_not_negative
from sklearn_irmetrics._typing import (
    Average,
    Discount,
    Gain,
    Ids,
    NegativeGrades,
    Rankings,
    Score,
    Ties,
)
from sklearn_irmetrics.metrics._formulas import (
    check_denominator,
    discounted_sum,
    met_with_those_above,
    normalise_terms,
    sum_expected,
)
from sklearn_irmetrics.metrics._ranking.compute import score_ranking
from sklearn_irmetrics.metrics._ranking.gains import Relevant, RelevantGain
from sklearn_irmetrics.metrics._ranking.parameters import (
    one_of,
    rules,
)


def cumulative_gain_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    gain: Gain = "linear",
    judged_only: bool = False,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Cumulative gain (CG): the sum of the gains of the top k.

    Use it where only the total value of k results counts, not their order; to reward
    good documents at the top, use nDCG.

    Unjudged documents gain 0, and negative grades lower the sum.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    gain : {"linear", "exponential"}, mapping or callable, default="linear"
        Gain of a grade g: g; ``2^g - 1``; its value in a mapping of all grades, where 0
        may be missing; or a function of the array of distinct grades that occur.
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
        Any real number in units of gain; defined for every query.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    dcg_score : Discounts the gains by rank.
    ndcg_score : Comparable between queries.
    gain_curve : The value at every cutoff.

    Notes
    -----
    .. math::

       \text{CG@}k = \sum_{r=1}^{k} G(g_r)

    where :math:`g_r` is the grade at rank r and G its `gain`.

    References
    ----------
    .. [1] K. Järvelin, J. Kekäläinen, "Cumulated gain-based evaluation of IR
       techniques", ACM TOIS 20(4), 2002.

    Examples
    --------
    >>> from sklearn_irmetrics import cumulative_gain_score
    >>> cumulative_gain_score([3, -1, 1], [3, 2, 1])
    3.0
    """
    return score_ranking(
        "cumulative_gain_score",
        _cumulative_gain,
        y_true,
        y_score,
        gain=gain,
        judged_only=judged_only,
        k=k,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _cumulative_gain(ranking, *, k, gain):
    """Sum the gains down to rank k."""
    return sum_expected(ranking, gain, k)


def dcg_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    gain: Gain = "linear",
    discount: Discount = "log",
    log_base: float = 2,
    judged_only: bool = False,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Discounted cumulative gain (DCG): the gains of the top k, discounted by rank.

    Use it where queries with more to gain should count more; otherwise use nDCG, which
    is comparable between queries.

    Unlike `sklearn.metrics.dcg_score`, it accepts queries of different lengths (`qid`),
    truncated result lists (-inf) and negative grades. Unjudged documents gain 0. Its
    ``ignore_ties=True`` is ``ties="stable"`` here.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    gain : {"linear", "exponential"}, mapping or callable, default="linear"
        Gain of a grade g: g; ``2^g - 1``; its value in a mapping of all grades, where 0
        may be missing; or a function of the array of distinct grades that occur.
    discount : {"log", "jarvelin_kekalainen", "reciprocal"} or callable, default="log"
        Weight of rank r: ``1 / log_b(r + 1)``; 1 for r < b, else ``1 / log_b(r)``;
        ``1 / r``; or a function of the array of ranks that count, whose values must not
        rise or be negative.
    log_base : float, default=2
        The base b of the logarithm, above 1.
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
        Any real number in units of gain; defined for every query.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    ndcg_score : Divided by the DCG of the ideal ranking.
    cumulative_gain_score : Without discount.
    gain_curve : The value at every cutoff.

    Notes
    -----
    .. math::

       \text{DCG@}k = \sum_{r=1}^{k} G(g_r)\, d(r)

    where :math:`g_r` is the grade at rank r, G its `gain` and d the `discount`: by
    default :math:`1 / \log_2(r + 1)`.

    Elsewhere: ``dcg_score`` in scikit-learn, ``dcg`` in ranx, allRank and
    Elasticsearch, ``DCG`` in CatBoost and LensKit, ``DCGMetric`` in TF-Ranking.

    References
    ----------
    .. [1] K. Järvelin, J. Kekäläinen, "Cumulated gain-based evaluation of IR
       techniques", ACM TOIS 20(4), 2002.

    Examples
    --------
    >>> from sklearn_irmetrics import dcg_score
    >>> round(dcg_score([2, 1, 0, 2, 0], [5, 4, 3, 2, 1], k=5), 4)
    3.4923
    >>> dcg_score([2, 1, 0, 2, 0], [5, 4, 3, 2, 1], discount="jarvelin_kekalainen")
    4.0
    """
    return score_ranking(
        "dcg_score",
        _dcg,
        y_true,
        y_score,
        gain=gain,
        discount=discount,
        log_base=log_base,
        judged_only=judged_only,
        k=k,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _dcg(ranking, *, k, gain, discount):
    """Sum the gains down to rank k, each times the discount of its rank."""
    return discounted_sum(ranking.expected(gain, k), k, discount)


def ndcg_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    gain: Gain = "linear",
    discount: Discount = "log",
    log_base: float = 2,
    negative_grades: NegativeGrades = "raise",
    judged_only: bool = False,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Normalised discounted cumulative gain (nDCG): DCG over that of the best ranking.

    Use it as the default for graded relevance, in web search, recommendation and
    learning to rank: it rewards good documents, and more so at higher ranks.

    Unlike `sklearn.metrics.ndcg_score`, it accepts queries of different lengths
    (`qid`), even of one document, includes relevant documents that were not retrieved
    in the ideal ranking, and leaves a query without any gain undefined instead of 0.
    Its ``ignore_ties=True`` is ``ties="stable"`` here.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    gain : {"linear", "exponential"}, mapping or callable, default="linear"
        Gain of a grade g: g; ``2^g - 1``; its value in a mapping of all grades, where 0
        may be missing; or a function of the array of distinct grades that occur.
    discount : {"log", "jarvelin_kekalainen", "reciprocal"} or callable, default="log"
        Weight of rank r: ``1 / log_b(r + 1)``; 1 for r < b, else ``1 / log_b(r)``;
        ``1 / r``; or a function of the array of ranks that count, whose values must not
        rise or be negative.
    log_base : float, default=2
        The base b of the logarithm, above 1.
    negative_grades : {"raise", "clip", "keep", "minmax"}, default="raise"
        How to treat negative grades and gains: raise an error; count them as 0; keep
        them, with an ideal ranking of as many documents as were retrieved and any
        further ones of positive gain; or keep them, with the worst order scoring 0 (see
        Notes).
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
        Between 0 and 1 (it can be negative with ``negative_grades="keep"``, and with
        ``"minmax"`` for rankings that leave documents out); undefined for a query whose
        ideal DCG is 0, or negative (with ``"keep"``, where it can depend on what was
        retrieved), or no better than the worst order (with ``"minmax"``).

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    dcg_score : Not normalised.
    expected_reciprocal_rank_score : For a user who stops at a good document.
    average_precision_score : For binary relevance.
    alpha_ndcg_score : With subtopics.
    gain_curve : The value at every cutoff.

    Notes
    -----
    .. math::

       \text{nDCG@}k = \frac{\text{DCG@}k}{\text{IDCG@}k}

       \text{DCG@}k = \sum_{r=1}^{k} G(g_r)\, d(r)

    where :math:`g_r` is the grade at rank r, G its `gain`, d the `discount` (by default
    :math:`1 / \log_2(r + 1)`), and IDCG the DCG of the ideal ranking: all judged
    documents of the query, retrieved or not, by falling gain.

    With ``negative_grades="minmax"``, it is ``(DCG - worst) / (best - worst)`` over the
    orders of all documents [3]_, where unjudged ones have gain 0. It is between 0 and 1
    for complete rankings, and the judgments alone decide whether it is defined. It
    suits data with spam. A document that is not retrieved neither helps nor harms: if n
    documents are retrieved, the best ranking counts negative gains only in its first n
    ranks, so it may leave spam out.

    To reproduce LightGBM and XGBoost, pass ``gain="exponential"`` and
    ``replace_undefined_by=1.0``; for trec_eval's ``ndcg_cut_k``, pass
    ``replace_undefined_by=0.0``.

    Elsewhere: ``ndcg`` and ``ndcg_cut_k`` in trec_eval, ``ndcg_score`` in scikit-learn,
    ``ndcg`` in ranx, LightGBM, XGBoost and allRank, ``NDCG`` in CatBoost and LensKit,
    ``RetrievalNormalizedDCG`` in torchmetrics, ``ndcgAt`` in Spark, ``NDCGMetric`` in
    TF-Ranking, ``dcg`` with ``normalize`` in Elasticsearch.

    References
    ----------
    .. [1] K. Järvelin, J. Kekäläinen, "Cumulated gain-based evaluation of IR
       techniques", ACM TOIS 20(4), 2002.
    .. [2] F. McSherry, M. Najork, "Computing information retrieval performance measures
       efficiently in the presence of tied scores", ECIR 2008.
    .. [3] L. Gienapp, M. Fröbe, M. Hagen, M. Potthast, "The impact of negative
       relevance judgments on NDCG", CIKM 2020.

    Examples
    --------
    >>> from sklearn_irmetrics import ndcg_score
    >>> round(ndcg_score([3, 2, 3, 0, 1, 2], [6, 5, 4, 3, 2, 1], k=6), 4)
    0.9608
    >>> y_score, qid = [.9, .1, .7, .7], ["a", "a", "b", "b"]
    >>> ndcg_score([1, 0, 0, 2], y_score, qid=qid, average=None)
    array([1.        , 0.81546488])
    >>> ndcg_score([3, 1, -1], [3, 2, 1], negative_grades="minmax")
    1.0
    """
    return score_ranking(
        "ndcg_score",
        _ndcg,
        y_true,
        y_score,
        gain=gain,
        discount=discount,
        log_base=log_base,
        negative_grades=negative_grades,
        judged_only=judged_only,
        k=k,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


@rules(negative_grades=one_of("raise", "clip", "keep", "minmax"))
def _ndcg(ranking, *, k, gain, discount):
    """Divide DCG by the best order's; ``"minmax"`` first subtracts the worst's."""
    dcg = _dcg(ranking, k=k, gain=gain, discount=discount)
    if gain.negative_grades == "minmax":
        best, worst, ideal_dcg, error = _extremes(ranking, k, gain, discount)
        value = divide(dcg - worst, ideal_dcg - worst)
        return np.where(best - worst > error, value, np.nan)
    if gain.may_be_negative and (
        ranking.block.has_implicit or ranking.unranked.has_negative(gain)
    ):
        _, _, ideal_dcg, error = _extremes(ranking, k, gain, discount)
        return np.where(ideal_dcg > error, divide(dcg, ideal_dcg), np.nan)
    compute = partial(_ideal, ranking, k=k, discount=discount)
    if k is None or isinstance(k, int):
        what = "ideal DCG", k, discount
        ideal_dcg = ranking.unranked.cached(what, gain, compute)
    else:
        ideal_dcg = compute(gain)
    return divide(np.minimum(dcg, ideal_dcg), ideal_dcg)  # despite rounding


def _ideal(ranking, gain, *, k, discount):
    """Return the DCG of the best order."""
    return discounted_sum(ranking.ideal(gain, k), k, discount)


def _extremes(ranking, k, gain, discount):
    """Return the DCG of the best and of the worst order of all documents.

    The third value is the DCG of the best order if negative gains count only down to
    the number of documents retrieved; the last bounds the rounding error of
    differences of these.
    """
    if not (k is None or isinstance(k, int)):
        rows = [
            _extremes(ranking, cutoff, gain, discount)
            for cutoff in map(int, k.ravel().tolist())
        ]
        return [np.stack(column) for column in zip(*rows, strict=True)]
    if ranking.block.has_implicit:
        raise TypeError(
            "y_true and y_score must be dense for nDCG with negative gains; got a "
            "sparse matrix. Use its toarray(), or negative_grades='clip'."
        )
    n = ranking.block.n_documents[:, np.newaxis]
    retrieved = ranking.n_retrieved[:, np.newaxis]
    longest = max(1, int(n.max()))
    ranks = np.arange(1.0, longest + 1.0)
    weights = discount(ranks)
    if k is not None:
        weights = np.where(ranks <= k, weights, 0.0)
    falling = ranking.unranked.falling(gain)
    present = falling > -math.inf
    falling = np.where(present, falling, 0.0)
    place = np.arange(falling.shape[1]) + np.zeros_like(n)
    place = np.minimum(place, longest - 1)
    from_below = np.clip(n - 1 - place, 0, longest - 1)
    counted = (falling > 0.0) | (place < retrieved)
    return [
        row_sum(falling * weights[place]),
        row_sum(falling * weights[from_below]),
        row_sum(np.where(counted, falling, 0.0) * weights[place]),
        row_sum(abs(falling) * weights[place]) * _ROUNDING,
    ]


# A sum of terms of both signs is 0 if smaller than this share of their absolute sum.
_ROUNDING = 1e-13


def q_measure_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    beta: float = 1.0,
    gain: Gain = "linear",
    denominator: Literal["relevant", "attainable", "k", "retrieved"] = "relevant",
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Q-measure: average precision with graded gains blended in.

    Use it where you would report average precision, but relevance has grades.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    beta : float, default=1.0
        Weight β of the gains, at least 0; 0 gives average precision. Relevant documents
        must gain at least 0.
    gain : {"linear", "exponential"}, mapping or callable, default="linear"
        Gain of a grade g: g; ``2^g - 1``; its value in a mapping of all grades, where 0
        may be missing; or a function of the array of distinct grades that occur.
    denominator : {"relevant", "attainable", "k", "retrieved"}, default="relevant"
        The divisor D: R, all relevant documents; ``min(R, k)`` (as NTCIREVAL's
        ``Q@k``); k; or ``C(k)``, the relevant documents found (the value is 0 if there
        are none).
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
        Between 0 and 1 (or outside, if a relevant document has a negative gain);
        undefined for a query without relevant documents.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    average_precision_score : For binary relevance.
    ndcg_score : The usual measure for grades.

    Notes
    -----
    .. math::

       \text{Q@}k = \frac{1}{D} \sum_{r=1}^{k} b_r \frac{C(r) + \beta\,
       \mathrm{cg}(r)}{r + \beta\, \mathrm{cg}^*(r)}

    where :math:`b_r` is 1 if the document at rank r is relevant and 0 if not,
    :math:`C(r)` is the number of relevant documents down to rank r, cg the cumulative
    gain of relevant documents and :math:`\mathrm{cg}^*` that of the ideal ranking;
    `denominator` selects D: by default R, all relevant documents of the query.

    Elsewhere: ``Q-measure`` in NTCIREVAL.

    References
    ----------
    .. [1] T. Sakai, "On the reliability of information retrieval metrics based on
       graded relevance", Information Processing & Management 43(2), 2007.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import q_measure_score
    >>> round(q_measure_score([2, 0, 1], [3, 2, 1]), 4)
    0.9167
    """
    return score_ranking(
        "q_measure_score",
        _q_measure,
        y_true,
        y_score,
        beta=beta,
        gain=gain,
        denominator=denominator,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        k=k,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


@rules(beta=check_not_negative, denominator=check_denominator)
def _q_measure(ranking, *, k, beta, gain, denominator, relevance_threshold):
    """Sum the blended ratios (C + β cg) / (r + β ideal cg), and divide as in AP."""
    relevant = Relevant(relevance_threshold)
    relevant_gain = RelevantGain(relevant, gain)
    # A relevant document without any gain counts for more than a non-relevant one.
    ranking = ranking.break_ties(RelevantGain(relevant, gain, -math.inf))
    ideal = running_sum(ranking.ideal(relevant_gain, None))[:, : ranking.depth]
    weights = 1.0 / (ranking.ranks + beta * ideal)
    if gain.may_be_negative:
        least = relevant_gain(ranking.unranked.documents).min()
        if least < 0.0:
            raise ValueError(
                "q_measure_score needs relevant documents to gain at least 0; got a "
                f"gain of {least:g}. Raise relevance_threshold, or map grades to gains "
                "with gain=."
            )

    def before():
        gained = ranking.before_group(relevant_gain)
        return ranking.before_group(relevant) + beta * gained

    if ranking.tied:
        r = ranking.group_sums(relevant)
        own = r + beta * ranking.group_sums(relevant_gain)
        base = ranking.sums_before(relevant) + beta * ranking.sums_before(relevant_gain)
        terms = weights * met_with_those_above(ranking, r, base, own)
        unit = ranking.groups.along(divide_or_zero(own, r), np.zeros_like(r))
    else:
        unit = None  # for cut tie groups only
        gained = beta * ranking.running_sum(relevant_gain)
        gained += ranking.running_sum(relevant)
        terms = weights * ranking.values(relevant)
        terms *= gained
    return normalise_terms(
        ranking,
        relevant,
        k,
        denominator,
        terms,
        base=before,
        unit=unit,
        weights=weights,
    )
