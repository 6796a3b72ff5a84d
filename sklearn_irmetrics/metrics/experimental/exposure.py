"""Exposure of documents and of groups of documents."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.rows import divide, divide_or_zero, row_sum
from sklearn_irmetrics._checks import check_inner_share, check_option, check_real
from sklearn_irmetrics._typing import Average, Discount, Ids, PlainTies, Rankings, Score
from sklearn_irmetrics.metrics._formulas import (
    compute_at_cutoffs,
    exposures,
    refuse_extremes,
)
from sklearn_irmetrics.metrics._ranking.compute import score_ranking
from sklearn_irmetrics.metrics._ranking.gains import Relevant
from sklearn_irmetrics.metrics._ranking.marks import required_mark
from sklearn_irmetrics.metrics._ranking.parameters import check_shares, rules


def expected_exposure_loss(
    y_true: Rankings,
    y_score: Rankings,
    *,
    persistence: float = 0.5,
    relevance_threshold: float | None = None,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: PlainTies = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Expected exposure loss (EE-L): how far exposure is from equal for equal merit.

    Use it where equally relevant documents deserve equal attention, and ties or random
    choices among them can share it. A deterministic ranking cannot reach 0.

    Unjudged documents are not relevant. Smaller is better.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    persistence : float, default=0.5
        The probability p of going on to the next rank, strictly between 0 and 1.
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
        At least 0; undefined for a query without relevant documents.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    expected_exposure_disparity : How unequal the exposures are.
    expected_exposure_relevance_score : Which documents get the exposure.

    Notes
    -----
    .. math::

       \text{EE-L} = \sum_d (E_d - E_d^*)^2

    where :math:`E_d` is the expected exposure of document d: the mean of
    :math:`p^{r-1}` over the ranks r that it has in the orders of tied documents, and 0
    if it was not retrieved. :math:`E_d^*` is the exposure under an ideal policy, which
    puts all relevant documents first and chooses among such orders uniformly. The sum
    is over all documents of the query, retrieved or not: it is EE-D - 2 EE-R plus a
    constant.

    The definition is that of Diaz et al. [1]_ for the user of RBP. Here, their
    stochastic policy chooses uniformly among all orders of tied documents, so the value
    is exact; it is not the mean of the values of single orders. Tools differ in the
    user (their tool ``expeval`` has a second one, who stops at relevant documents) and
    the scale: ``expeval`` rescales to the range from the best to the worst policy
    unless it is run with ``-U``.

    Relevance is binary here; the tool also shares exposure by grade.

    References
    ----------
    .. [1] F. Diaz, B. Mitra, M. D. Ekstrand, A. J. Biega, B. Carterette, "Evaluating
       stochastic rankings with expected exposure", CIKM 2020.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics.experimental import expected_exposure_loss
    >>> expected_exposure_loss([1, 1, 0, 0], [1, 1, 0, 0])  # two ties: the ideal policy
    0.0
    >>> expected_exposure_loss([1, 1, 0, 0], [4, 3, 2, 1])
    0.1328125
    """
    return score_ranking(
        "expected_exposure_loss",
        _expected_exposure,
        y_true,
        y_score,
        persistence=persistence,
        relevance_threshold=relevance_threshold,
        pos_label=pos_label,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


@rules(persistence=check_inner_share)
def _expected_exposure(ranking, *, persistence, relevance_threshold):
    """Sum the squared differences of the exposures from those of an ideal policy."""
    relevant = Relevant(relevance_threshold)
    exposure = _exposures(ranking, persistence)
    of_relevant, of_others = _ideal_exposures(ranking, persistence, relevant)
    hits = ranking.values(relevant)
    off = exposure - np.where(hits, of_relevant, of_others)
    retrieved = ranking.ranks <= ranking.n_retrieved[:, np.newaxis]
    n_relevant, n_found = ranking.total(relevant), row_sum(hits)
    n_missed = ranking.block.n_documents - ranking.n_retrieved
    n_relevant_missed = n_relevant - n_found
    value = (
        row_sum(np.where(retrieved, off, 0.0) ** 2)
        + n_relevant_missed * of_relevant[:, 0] ** 2
        + (n_missed - n_relevant_missed) * of_others[:, 0] ** 2
    )
    return np.where(n_relevant > 0, value, np.nan)


def _exposures(ranking, persistence):
    """Return the exposures to a user who goes on to the next rank with `persistence`.

    The weights are p^(r - 1), not multiplied by 1 - p as in RBP.
    """
    refuse_extremes(ranking, "in expected exposure")
    return exposures(ranking, persistence ** (ranking.ranks - 1.0))


def _ideal_exposures(ranking, persistence, relevant):
    """Return the ideal exposures of relevant and of other documents, as columns.

    All orders with the relevant documents first are equally likely.
    """
    n_relevant = ranking.total(relevant)
    n = ranking.block.n_documents.astype(np.float64)
    lost = persistence**n_relevant
    of_relevant = divide_or_zero(1.0 - lost, n_relevant)
    of_others = divide_or_zero(lost - persistence**n, n - n_relevant)
    scale = 1.0 - persistence
    return of_relevant[:, np.newaxis] / scale, of_others[:, np.newaxis] / scale


def expected_exposure_disparity(
    y_true: Rankings,
    y_score: Rankings,
    *,
    persistence: float = 0.5,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: PlainTies = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Expected exposure disparity (EE-D): how unequally exposure is spread.

    Use it together with EE-R, as two axes: spreading exposure lowers both. It has the
    same value for every ranking without ties, and ignores grades.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    persistence : float, default=0.5
        The probability p of going on to the next rank, strictly between 0 and 1.
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
        At least 0; defined for every query.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    expected_exposure_relevance_score : Exposure of the relevant documents.
    expected_exposure_loss : Both in one number.

    Notes
    -----
    .. math::

       \text{EE-D} = \sum_d E_d^2

    where :math:`E_d` is the expected exposure of document d: the mean of
    :math:`p^{r-1}` over the ranks r that it has in the orders of tied documents, and 0
    if it was not retrieved.

    The definition is that of Diaz et al. [1]_ for the user of RBP. Here, their
    stochastic policy chooses uniformly among all orders of tied documents, so the value
    is exact; it is not the mean of the values of single orders. Tools differ in the
    user (their tool ``expeval`` has a second one, who stops at relevant documents) and
    the scale: ``expeval`` rescales to the range from the best to the worst policy
    unless it is run with ``-U``.

    References
    ----------
    .. [1] F. Diaz, B. Mitra, M. D. Ekstrand, A. J. Biega, B. Carterette, "Evaluating
       stochastic rankings with expected exposure", CIKM 2020.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics.experimental import expected_exposure_disparity
    >>> expected_exposure_disparity([1, 1, 0], [3, 2, 1])  # 1 + 1 / 4 + 1 / 16
    1.3125
    >>> expected_exposure_disparity([1, 1, 0], [2, 2, 1])
    1.1875
    """
    return score_ranking(
        "expected_exposure_disparity",
        _expected_exposure_disparity,
        y_true,
        y_score,
        persistence=persistence,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


@rules(persistence=check_inner_share)
def _expected_exposure_disparity(ranking, *, persistence):
    """Sum the squares of the exposures."""
    return row_sum(_exposures(ranking, persistence) ** 2)


def expected_exposure_relevance_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    persistence: float = 0.5,
    relevance_threshold: float | None = None,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: PlainTies = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Expected exposure relevance (EE-R): how far exposure goes to relevant documents.

    Use it together with EE-D, as two axes: spreading exposure lowers both.

    Unjudged documents are not relevant.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    persistence : float, default=0.5
        The probability p of going on to the next rank, strictly between 0 and 1.
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
        At least 0; undefined for a query without relevant documents.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    expected_exposure_disparity : How unequally the exposure is spread.
    expected_exposure_loss : Both in one number.

    Notes
    -----
    .. math::

       \text{EE-R} = \sum_d E_d E_d^*

    where :math:`E_d` is the expected exposure of document d: the mean of
    :math:`p^{r-1}` over the ranks r that it has in the orders of tied documents, and 0
    if it was not retrieved. :math:`E_d^*` is the exposure under an ideal policy, which
    puts all relevant documents first and chooses among such orders uniformly.

    The definition is that of Diaz et al. [1]_ for the user of RBP. Here, their
    stochastic policy chooses uniformly among all orders of tied documents, so the value
    is exact; it is not the mean of the values of single orders. Tools differ in the
    user (their tool ``expeval`` has a second one, who stops at relevant documents) and
    the scale: ``expeval`` rescales to the range from the best to the worst policy
    unless it is run with ``-U``.

    References
    ----------
    .. [1] F. Diaz, B. Mitra, M. D. Ekstrand, A. J. Biega, B. Carterette, "Evaluating
       stochastic rankings with expected exposure", CIKM 2020.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics.experimental import (
    ...     expected_exposure_relevance_score,
    ... )
    >>> expected_exposure_relevance_score([1, 1, 0, 0], [4, 3, 2, 1])
    1.1953125
    """
    return score_ranking(
        "expected_exposure_relevance_score",
        _expected_exposure_relevance,
        y_true,
        y_score,
        persistence=persistence,
        relevance_threshold=relevance_threshold,
        pos_label=pos_label,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


@rules(persistence=check_inner_share)
def _expected_exposure_relevance(ranking, *, persistence, relevance_threshold):
    """Sum the products of the exposures and those of an ideal policy."""
    relevant = Relevant(relevance_threshold)
    exposure = _exposures(ranking, persistence)
    of_relevant, of_others = _ideal_exposures(ranking, persistence, relevant)
    target = np.where(ranking.values(relevant), of_relevant, of_others)
    value = row_sum(exposure * target)
    return np.where(ranking.total(relevant) > 0, value, np.nan)


def attention_weighted_rank_fairness_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    membership: ArrayLike,
    target: Literal["relevant", "all"] | ArrayLike,
    discount: Discount = "log",
    log_base: float = 2,
    jsd_base: float = 2,
    relevance_threshold: float | None = None,
    pos_label: Any = None,
    k: int | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: PlainTies = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Attention-weighted rank fairness (AWRF): whether groups get their share.

    Use it where groups of documents, such as those of authors or regions, should be
    seen in given shares. It ignores relevance: report it together with nDCG.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    membership : array-like of the shape of `y_true` and one more axis
        How far each document belongs to each group, a column per group: 0 and 1, or
        shares. Documents without a group have zeros, and their attention does not
        count.
    target : {"relevant", "all"} or array-like of shape (n_groups,)
        The shares of attention that are fair: those of the groups among the relevant
        documents of the query, among all of its documents, or shares that sum to 1.
    discount : {"log", "jarvelin_kekalainen", "reciprocal"} or callable, default="log"
        Weight of rank r: ``1 / log_b(r + 1)``; 1 for r < b, else ``1 / log_b(r)``;
        ``1 / r``; or a function of the array of ranks that count, whose values must not
        rise or be negative.
    log_base : float, default=2
        The base b of the logarithm, above 1.
    jsd_base : float, default=2
        The base of the logarithm in the divergence, at least 2.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
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
        Between 0 and 1; undefined if no retrieved or no target document has a group.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    expected_exposure_loss : Fairness to single documents.
    sklearn_irmetrics.ndcg_score : Relevance; TREC multiplies the two.

    Notes
    -----
    .. math::

       \text{AWRF} = 1 - \text{JSD}_b(a, t)

       a_g \propto \sum_d M_{dg} E_d

    where :math:`M_{dg}` is the `membership` of document d in group g, :math:`E_d` the
    mean `discount` of the ranks down to `k` that d has in the orders of tied documents,
    t the `target`, and JSD the Jensen-Shannon divergence with logarithms to the base
    `jsd_base`. The exposure under ties is exact. The value is that of the expected
    exposure, not the mean over all orders.

    Sapiezynski et al. [1]_ leave discount, target and distance open, and tools choose
    them differently, so state all three. TREC's Fair Ranking track of 2022 [2]_ has
    ``discount="jarvelin_kekalainen"`` (1 / log2 max(r, 2)) and natural logarithms,
    ``jsd_base=math.e``, so that its worst value is 1 - ln 2 = 0.307; its targets mix
    the groups of relevant documents with those of the world.

    References
    ----------
    .. [1] P. Sapiezynski, W. Zeng, R. E. Robertson, A. Mislove, C. Wilson, "Quantifying
       the impact of user attention on fair group representation in ranked lists",
       WWW 2019 Companion.
    .. [2] M. D. Ekstrand, G. McDonald, A. Raj, I. Johnson, "Overview of the TREC 2022
       Fair Ranking track", TREC 2022.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics.experimental import (
    ...     attention_weighted_rank_fairness_score,
    ... )
    >>> groups = [[1, 0], [1, 0], [0, 1], [0, 1]]
    >>> options = dict(membership=groups, target=[0.5, 0.5])
    >>> y_true = [1, 1, 1, 0]
    >>> score = attention_weighted_rank_fairness_score(y_true, [4, 3, 2, 1], **options)
    >>> round(score, 4)
    0.9862
    >>> attention_weighted_rank_fairness_score(y_true, [1, 1, 1, 1], **options)
    1.0
    """
    return score_ranking(
        "attention_weighted_rank_fairness_score",
        _attention_weighted_rank_fairness,
        y_true,
        y_score,
        target=target,
        discount=discount,
        log_base=log_base,
        jsd_base=jsd_base,
        relevance_threshold=relevance_threshold,
        pos_label=pos_label,
        k=k,
        marks={"membership": membership},
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _check_target(name, value):
    """Return the name of a target, or shares that sum to 1."""
    if isinstance(value, str):
        return check_option(name, value, ("relevant", "all"))
    shares = check_shares(name, value)
    if abs(sum(shares) - 1.0) > 1e-6:
        raise ValueError(f"{name} must hold shares that sum to 1; got {value!r}.")
    return shares


_check_jsd_base = partial(
    check_real, low=2.0, rule="a finite number >= 2", closed="left"
)


@rules(target=_check_target, jsd_base=_check_jsd_base)
def _attention_weighted_rank_fairness(
    ranking, *, target, discount, jsd_base, k, relevance_threshold
):
    """Compute 1 - the divergence of the groups' shares of attention from the target."""
    refuse_extremes(ranking, "in rank fairness")
    ranking = ranking.with_whole_groups()
    membership = required_mark(ranking.documents, "membership")
    wanted = _target_shares(ranking, target, Relevant(relevance_threshold))
    weights = discount(ranking.ranks)

    def compute(k):
        kept = weights if k is None else np.where(ranking.ranks <= k, weights, 0.0)
        attention = exposures(ranking, kept)[:, :, np.newaxis]
        got = (attention * membership).sum(axis=1)
        distance = _divergence(got, wanted) / math.log(jsd_base)
        return np.clip(1.0 - distance, 0.0, 1.0)  # against rounding

    return compute_at_cutoffs(k, compute)


def _target_shares(ranking, target, relevant):
    """Return the wanted share of each group: one row per query, or one for all."""
    documents = ranking.unranked.documents
    membership = documents.marks["membership"]
    if target == "all":
        return membership.sum(axis=1)
    if target == "relevant":
        return (relevant(documents)[:, :, np.newaxis] * membership).sum(axis=1)
    n_groups = membership.shape[-1]
    if len(target) != n_groups and bool(membership.any()):
        raise ValueError(
            f"target must hold a share for each of the {n_groups} columns of "
            f"membership; got {len(target)}."
        )
    return np.asarray([target], dtype=np.float64)


def _divergence(got, wanted):
    """Compute the Jensen-Shannon divergence of rows in nats, NaN where one is 0."""
    shares = [divide(rows, rows.sum(axis=1)[:, np.newaxis]) for rows in (got, wanted)]
    mean = (shares[0] + shares[1]) / 2.0
    terms = [
        share * np.log(np.where(share > 0, share, 1.0) / np.where(mean > 0, mean, 1.0))
        for share in shares
    ]
    return (terms[0] + terms[1]).sum(axis=1) / 2.0
