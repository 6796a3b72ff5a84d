"""Propensity-scored measures, for labels that are not missing at random."""

from __future__ import annotations

from typing import Any

import numpy as np

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
from sklearn_irmetrics.kernels import _propensity as kernels


def propensity_scored_precision_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    inverse_propensity: Rankings,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    k: int | None = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Propensity-scored precision (PSP): precision in which rare labels count more.

    Use it where relevant documents often go unlabelled, especially rare ones, as in
    extreme classification and recommendation, and k results are shown at once.

    Unjudged documents are not relevant.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged. With 2-D `y_score`, 1-D class labels
        are allowed: each row then ranks the classes, and its own class is relevant.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    inverse_propensity : array-like of the shape of `y_true`
        1 / the probability that a document would be labelled if it were relevant, at
        least 1; see `inverse_propensities`.
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
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels; None:
        its sorted distinct values, which must be more than two.
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
    sklearn_irmetrics.precision_at_k_score : All relevant documents count the same.
    propensity_scored_ndcg_score : Higher ranks count more.
    inverse_propensities : The usual model of propensities.

    Notes
    -----
    .. math::

       \text{PSP@}k = \frac{\sum_{r=1}^{k} b_r / p_r}{\sum_{r=1}^{k} b_r^* / p_r^*}

    where :math:`b_r` is 1 if the document at rank r is relevant, :math:`p_r` is its
    propensity, and the star is for the order that makes the sum largest.

    The definition is that of Jain et al. [1]_, divided by the best value, as is usual;
    only the undivided sum is an unbiased estimate of the value with complete labels. It
    is contested whether propensities can be known: the usual model,
    `inverse_propensities`, was fitted to two data sets and confuses missing labels with
    a preference for rare labels [2]_.

    napkinXC and the Extreme Classification Repository divide the sum over all queries
    by that of the best orders, which is ``average="micro"``.

    Elsewhere: ``psprecision_at_k`` in napkinXC.

    References
    ----------
    .. [1] H. Jain, Y. Prabhu, M. Varma, "Extreme multi-label loss functions for
       recommendation, tagging, ranking & other missing label applications", KDD 2016.
    .. [2] E. Schultheis, M. Wydmuch, R. Babbar, K. Dembczyński, "On missing labels,
       long-tails and propensities in extreme multi-label classification", KDD 2022.

    Examples
    --------
    >>> from sklearn_irmetrics.emerging import propensity_scored_precision_score
    >>> y_true, y_score, weights = [1, 0, 1, 1], [4, 3, 2, 1], [1, 1, 2, 5]
    >>> propensity_scored_precision_score(
    ...     y_true, y_score, inverse_propensity=weights, k=3
    ... )
    0.375
    """
    return score_ranking(kernels.propensity_scored_precision, locals())


def propensity_scored_dcg_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    inverse_propensity: Rankings,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    k: int | None = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Propensity-scored DCG (PSDCG): DCG in which rare labels count more.

    Use it if queries with more relevant documents should count more; otherwise use
    PSnDCG.

    Unjudged documents are not relevant.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged. With 2-D `y_score`, 1-D class labels
        are allowed: each row then ranks the classes, and its own class is relevant.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    inverse_propensity : array-like of the shape of `y_true`
        1 / the probability that a document would be labelled if it were relevant, at
        least 1; see `inverse_propensities`.
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
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels; None:
        its sorted distinct values, which must be more than two.
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
        At least 0; defined for every query.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    propensity_scored_ndcg_score : Comparable between queries.
    sklearn_irmetrics.dcg_score : All relevant documents count the same.

    Notes
    -----
    .. math::

       \text{PSDCG@}k = \sum_{r=1}^{k} \frac{b_r}{p_r \log_2(r + 1)}

    where :math:`b_r` is 1 for a relevant document and :math:`p_r` its propensity.

    The definition is that of Jain et al. [1]_. It is contested whether propensities can
    be known: the usual model confuses missing labels with a preference for rare labels
    [2]_.

    Elsewhere: ``psdcg_at_k`` in napkinXC, which divides it by k.

    References
    ----------
    .. [1] H. Jain, Y. Prabhu, M. Varma, "Extreme multi-label loss functions for
       recommendation, tagging, ranking & other missing label applications", KDD 2016.
    .. [2] E. Schultheis, M. Wydmuch, R. Babbar, K. Dembczyński, "On missing labels,
       long-tails and propensities in extreme multi-label classification", KDD 2022.

    Examples
    --------
    >>> from sklearn_irmetrics.emerging import propensity_scored_dcg_score
    >>> y_true, y_score, weights = [1, 0, 1, 1], [4, 3, 2, 1], [1, 1, 2, 5]
    >>> propensity_scored_dcg_score(y_true, y_score, inverse_propensity=weights, k=3)
    2.0
    """
    return score_ranking(kernels.propensity_scored_dcg, locals())


def propensity_scored_ndcg_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    inverse_propensity: Rankings,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    k: int | None = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Propensity-scored nDCG (PSnDCG): nDCG in which rare labels count more.

    Use it like PSP, if users read from the top.

    Unjudged documents are not relevant.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged. With 2-D `y_score`, 1-D class labels
        are allowed: each row then ranks the classes, and its own class is relevant.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    inverse_propensity : array-like of the shape of `y_true`
        1 / the probability that a document would be labelled if it were relevant, at
        least 1; see `inverse_propensities`.
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
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels; None:
        its sorted distinct values, which must be more than two.
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
    propensity_scored_precision_score : All of the top k count the same.
    propensity_scored_dcg_score : Not divided.
    inverse_propensities : The usual model of propensities.

    Notes
    -----
    .. math::

       \text{PSnDCG@}k = \frac{\text{PSDCG@}k}{\text{PSDCG@}k^*}

    where the star is for the best order.

    The definition is that of Jain et al. [1]_, divided by the best value, as is usual;
    only the undivided sum is an unbiased estimate of the value with complete labels. It
    is contested whether propensities can be known: the usual model,
    `inverse_propensities`, was fitted to two data sets and confuses missing labels with
    a preference for rare labels [2]_.

    napkinXC and the Extreme Classification Repository divide the sum over all queries
    by that of the best orders, each over the DCG of as many documents, which is
    ``average="micro"``.

    Elsewhere: ``psndcg_at_k`` in napkinXC.

    References
    ----------
    .. [1] H. Jain, Y. Prabhu, M. Varma, "Extreme multi-label loss functions for
       recommendation, tagging, ranking & other missing label applications", KDD 2016.
    .. [2] E. Schultheis, M. Wydmuch, R. Babbar, K. Dembczyński, "On missing labels,
       long-tails and propensities in extreme multi-label classification", KDD 2022.

    Examples
    --------
    >>> from sklearn_irmetrics.emerging import propensity_scored_ndcg_score
    >>> y_true, y_score, weights = [1, 0, 1, 1], [4, 3, 2, 1], [1, 1, 2, 5]
    >>> score = propensity_scored_ndcg_score(
    ...     y_true, y_score, inverse_propensity=weights, k=3
    ... )
    >>> round(score, 4)
    0.2958
    """
    return score_ranking(kernels.propensity_scored_ndcg, locals())
