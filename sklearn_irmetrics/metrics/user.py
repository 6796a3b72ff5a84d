"""Measures for a user who knew some documents, or wants a certain number."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.rows import divide, divide_or_zero, first_true
from sklearn_irmetrics._checks import check_count, check_real
from sklearn_irmetrics._typing import Average, Ids, Rankings, Score, Ties
from sklearn_irmetrics.metrics._formulas import (
    count_relevant,
    cut_groups,
    mean_over_found,
    pick_column,
    sum_expected,
)
from sklearn_irmetrics.metrics._ranking.compute import score_ranking
from sklearn_irmetrics.metrics._ranking.gains import Relevant
from sklearn_irmetrics.metrics._ranking.marks import required_mark
from sklearn_irmetrics.metrics._ranking.parameters import rules


def coverage_ratio_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    known: Rankings,
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
    r"""Coverage ratio: the share of the known relevant documents that were found.

    Use it to test a system with documents that a user already knows to be relevant.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    known : array-like of the shape of `y_true`
        Booleans, or 0 and 1: whether the user already knew each document.
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
        Between 0 and 1; undefined where the user knew no relevant document.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    novelty_ratio_score : The share that the user did not know.
    set_recall_score : The share of all relevant documents.

    Notes
    -----
    .. math::

       \mathrm{coverage} = \frac{|R \cap K \cap A|}{|R \cap K|}

    where R are the relevant documents, K those `known` and A those retrieved, or the
    top k.

    Without `k`, it measures the retrieved set (scores above -inf), so neither order nor
    ties matter.

    References
    ----------
    .. [1] R. Baeza-Yates, B. Ribeiro-Neto, "Modern Information Retrieval",
       Addison-Wesley, 1999, chapter 3.

    Examples
    --------
    >>> from sklearn_irmetrics import coverage_ratio_score
    >>> y_true, y_score = [1, 1, 1, 0], [0.9, 0.8, float("-inf"), 0.7]
    >>> coverage_ratio_score(y_true, y_score, known=[1, 0, 1, 0])
    0.5
    """
    return score_ranking(
        "coverage_ratio_score",
        _coverage_ratio,
        y_true,
        y_score,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        k=k,
        marks={"known": known},
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _coverage_ratio(ranking, *, k, relevance_threshold):
    """Compute relevant known retrieved / relevant known."""
    known = _RelevantKnown(Relevant(relevance_threshold))
    retrieved = sum_expected(ranking, known, k)
    return divide(retrieved, ranking.total(known))


@dataclass(frozen=True)
class _RelevantKnown:
    """Whether the document is relevant and marked ``"known"``."""

    relevant: Relevant

    def __call__(self, documents):
        """Return a boolean array."""
        known = required_mark(documents, "known")
        return self.relevant(documents) & known


def novelty_ratio_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    known: Rankings,
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
    r"""Novelty ratio: the share of the relevant documents found that are new.

    Use it where known results are worth nothing, as for an expert who follows a field.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    known : array-like of the shape of `y_true`
        Booleans, or 0 and 1: whether the user already knew each document.
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
        Between 0 and 1; undefined where no relevant document was retrieved, and 0 where
        some were, but none in the top k.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    coverage_ratio_score : The share of known relevant documents found.
    alpha_ndcg_score : Novelty inside one ranking.

    Notes
    -----
    .. math::

       \mathrm{novelty} = \frac{|(R \cap A) \setminus K|}{|R \cap A|}

    where R are the relevant documents, K those `known` and A those retrieved, or the
    top k.

    Without `k`, it measures the retrieved set (scores above -inf), so neither order nor
    ties matter.

    References
    ----------
    .. [1] R. Baeza-Yates, B. Ribeiro-Neto, "Modern Information Retrieval",
       Addison-Wesley, 1999, chapter 3.

    Examples
    --------
    >>> from sklearn_irmetrics import novelty_ratio_score
    >>> y_true, y_score = [1, 1, 1, 0], [0.9, 0.8, 0.6, 0.7]
    >>> round(novelty_ratio_score(y_true, y_score, known=[1, 0, 0, 0]), 4)
    0.6667
    """
    return score_ranking(
        "novelty_ratio_score",
        _novelty_ratio,
        y_true,
        y_score,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        k=k,
        marks={"known": known},
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _novelty_ratio(ranking, *, k, relevance_threshold):
    """Compute relevant retrieved unknown / relevant retrieved."""
    relevant = Relevant(relevance_threshold)
    known = _RelevantKnown(relevant)
    ranking = ranking.break_ties(_News(relevant))
    n_found = count_relevant(ranking, relevant, k)
    fresh = n_found - sum_expected(ranking, known, k)
    value = divide_or_zero(fresh, n_found)
    if k is None or isinstance(k, int):
        _average_cut_groups(value, ranking, known, k)
    else:
        for row, cutoff in zip(value, map(int, k.ravel().tolist()), strict=True):
            _average_cut_groups(row, ranking, known, cutoff)
    return np.where(ranking.unranked.found(relevant) > 0, value, np.nan)


@dataclass(frozen=True)
class _News:
    """1 for a relevant document new to the user, -1 for a known one, 0 for others."""

    relevant: Relevant

    def __call__(self, documents):
        """Return a float array."""
        known = _RelevantKnown(self.relevant)(documents)
        return self.relevant(documents) * 1.0 - 2.0 * known


def _average_cut_groups(value, ranking, known, k):
    """Set the novelty of queries whose rank k falls inside a tie group.

    The value is the mean ratio over c, the number of relevant documents in the m places
    above the cut. The known ones have the same share of these as in the whole group.
    """
    relevant = known.relevant
    cut = cut_groups(ranking, k)
    if not len(cut):
        return
    n, m, r, r_known, a, a_known = (
        array[cut, k - 1][:, np.newaxis]
        for array in (
            ranking.group_size,
            ranking.group_place,
            ranking.group_total(relevant),
            ranking.group_total(known),
            ranking.before_group(relevant),
            ranking.before_group(known),
        )
    )
    share = divide_or_zero(r - r_known, r)

    def ratio(c):
        return divide_or_zero(a - a_known + c * share, a + c)

    value[cut] = mean_over_found(ratio, n, r, m)[:, 0]


def relative_recall_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    n_expected: int,
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
    r"""Relative recall: relevant documents found, as a share of those expected.

    Use it where nobody knows all relevant documents, but users know how many they want.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    n_expected : int
        Number of relevant documents that the user wants, at least 1.
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
        At least 0, above 1 if more was found than expected; defined for every query.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    recall_effort_score : How far the user reads to find them.
    recall_at_k_score : The share of all relevant documents.

    Notes
    -----
    .. math::

       \mathrm{relative\ recall} = \frac{|R \cap A|}{m}

    where R are the relevant documents, A those retrieved, or the top k, and m is
    `n_expected`.

    Without `k`, it measures the retrieved set (scores above -inf), so neither order nor
    ties matter.

    References
    ----------
    .. [1] R. Baeza-Yates, B. Ribeiro-Neto, "Modern Information Retrieval",
       Addison-Wesley, 1999, chapter 3.

    Examples
    --------
    >>> from sklearn_irmetrics import relative_recall_score
    >>> relative_recall_score([1, 0, 1, 0], [4, 3, 2, 1], n_expected=5)
    0.4
    """
    return score_ranking(
        "relative_recall_score",
        _relative_recall,
        y_true,
        y_score,
        n_expected=n_expected,
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


def _check_n_expected(name, value):
    return float(check_count(name, value))


@rules(n_expected=_check_n_expected)
def _relative_recall(ranking, *, k, n_expected, relevance_threshold):
    """Compute relevant retrieved / n_expected."""
    return count_relevant(ranking, Relevant(relevance_threshold), k) / n_expected


def recall_effort_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    n_expected: int,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Recall effort: documents expected, divided by those examined to find them.

    Use it where users read until they have found the number of documents they want.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    n_expected : int
        Number of relevant documents that the user wants, at least 1.
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
        Between 0 and 1; defined for every query.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    relative_recall_score : How many of them are found.
    reciprocal_rank_score : The same for one expected document.
    work_saved_score : For a share of the relevant documents.

    Notes
    -----
    .. math::

       \mathrm{recall\ effort} = \frac{m}{r_m}

    where m is `n_expected` and :math:`r_m` the rank of the m-th relevant document; 0 if
    fewer were retrieved.

    References
    ----------
    .. [1] R. Baeza-Yates, B. Ribeiro-Neto, "Modern Information Retrieval",
       Addison-Wesley, 1999, chapter 3.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import recall_effort_score
    >>> recall_effort_score([1, 0, 0, 1, 1], [5, 4, 3, 2, 1], n_expected=2)
    0.5
    """
    return score_ranking(
        "recall_effort_score",
        _recall_effort,
        y_true,
        y_score,
        n_expected=n_expected,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


@rules(n_expected=_check_n_expected)
def _recall_effort(ranking, *, n_expected, relevance_threshold):
    """Compute n_expected / (rank of the n_expected-th relevant document), 0 if none."""
    relevant = Relevant(relevance_threshold)
    ranking = ranking.break_ties(relevant)
    if ranking.tied:
        last = _chance_of_last(ranking, relevant, n_expected)
        return n_expected * (last / ranking.ranks).sum(axis=1)
    reaches = ranking.running_sum(relevant) >= n_expected
    rank = (first_true(reaches) + 1).astype(np.float64)
    return np.where(reaches.any(axis=1), n_expected / rank, 0.0)


def _chance_of_last(ranking, relevant, n_expected):
    """Return the probability that each rank holds the n_expected-th relevant document.

    If that is the m-th of r in a tie group of n documents, place j holds it with
    probability C(j-1, m-1) C(n-j, r-m) / C(n, r). This is a product over the places
    before, computed in logarithms because it can start tiny.
    """
    n, j = ranking.group_size, ranking.group_place
    r = ranking.group_total(relevant)
    m = n_expected - ranking.before_group(relevant)
    here = (m >= 1) & (m <= r)
    numerator = np.where(
        j <= m, r - j + 1.0, (j - 1.0) * np.maximum(n - j + 1.0 - r + m, 0.0)
    )
    denominator = np.where(j <= m, 1.0, j - m) * (n - j + 1.0)
    factors = np.where(here, numerator, 1.0) / np.where(here, denominator, 1.0)
    with np.errstate(divide="ignore"):  # beyond the last place that can hold it
        logs = np.cumsum(np.log(factors), axis=1)
    return np.where(here & (j >= m), np.exp(logs), 0.0)


def work_saved_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    recall_level: float = 0.95,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Work saved over sampling (WSS): the reading that a ranking saves at a recall.

    Use it for screening, as in systematic reviews and e-discovery, where people read
    down the ranking until they have found the share of the relevant documents that is
    required.

    With tied scores, it is the mean over all orders of the tied documents.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    recall_level : float, default=0.95
        Recall level ρ that must be reached, above 0 and at most 1.
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
        At least `recall_level` - 1, where all must be read, and at most `recall_level`;
        about 0 for random rankings of many documents; undefined for a query without
        relevant documents.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    recall_effort_score : For a number of documents instead of a share.
    last_rank_loss : The rank where everything is found.
    interpolated_precision_score : The precision at a recall level.

    Notes
    -----
    .. math::

       \text{WSS@}\rho = \frac{N - k_\rho}{N} - (1 - \rho)

    where :math:`k_\rho` is the first rank down to which at least :math:`\rho R` of the
    R relevant documents are found, and N are all documents of the query, retrieved or
    not; with `judged_only`, those that were judged. If the retrieved documents do not
    reach the level, all N must be read. Reading in random order reaches the level after
    about :math:`\rho N` documents, which saves nothing.

    If the m-th relevant document is needed and is in a group of n tied documents below
    t others, a of which are relevant, as are r documents of the group, the mean of
    :math:`k_\rho` over all orders of the group is :math:`t + (m - a)(n + 1) / (r + 1)`.

    References
    ----------
    .. [1] A. M. Cohen, W. R. Hersh, K. Peterson, P.-Y. Yen, "Reducing workload in
       systematic review preparation using automated citation classification", Journal
       of the American Medical Informatics Association 13(2), 2006.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import work_saved_score
    >>> y_true = [1, 0, 1, 0, 0, 1, 0, 0, 0, 0]
    >>> round(work_saved_score(y_true, range(10, 0, -1)), 4)
    0.35
    """
    return score_ranking(
        "work_saved_score",
        _work_saved,
        y_true,
        y_score,
        recall_level=recall_level,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _range_of_work_saved(parameters):
    return parameters["recall_level"] - 1.0, parameters["recall_level"]


_check_recall_level = partial(
    check_real, low=0.0, high=1.0, rule="above 0 and at most 1", closed="right"
)


@rules(recall_level=_check_recall_level)
def _work_saved(ranking, *, recall_level, relevance_threshold):
    """Compute recall_level - k / N, with k the rank that reaches the recall level."""
    relevant = Relevant(relevance_threshold)
    to_find = ranking.total(relevant)
    ranking = ranking.break_ties(relevant)
    target = np.maximum(np.ceil(np.round(recall_level * to_find, 9)), 1.0)
    n_found = ranking.before_group(relevant) + ranking.group_total(relevant)
    reaches = n_found >= target[:, np.newaxis]
    column = first_true(reaches)
    rank = column + 1.0
    if ranking.tied:
        group, above = ranking.groups.at(column)
        n, r = ranking.group_sizes[group], ranking.group_sums(relevant)[group]
        place = target - ranking.sums_before(relevant)[group]
        rank = above + place * (n + 1.0) / (r + 1.0)
    n_documents = ranking.block.n_documents
    rank = np.where(pick_column(reaches, column), rank, n_documents)
    return np.where(to_find > 0, recall_level - divide(rank, n_documents), np.nan)
