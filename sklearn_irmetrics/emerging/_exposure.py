"""Exposure: how much attention documents get."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_irmetrics._core.score import score_ranking
from sklearn_irmetrics._typing import (
    ArrayLike,
    Average,
    Ids,
    PlainTies,
    Rankings,
    Score,
)
from sklearn_irmetrics.kernels import _exposure as kernels


def expected_exposure_loss(
    y_true: Rankings,
    y_score: Rankings,
    *,
    persistence: float = 0.5,
    relevance_threshold: float | None = None,
    pos_label: Any = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
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
        Grades; larger is better. NaN: unjudged. With 2-D `y_score`, 1-D class labels
        are allowed: each row then ranks the classes, and its own class is relevant.
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
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels; None:
        its sorted distinct values, which must be more than two.
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
    >>> from sklearn_irmetrics.emerging import expected_exposure_loss
    >>> expected_exposure_loss([1, 1, 0, 0], [1, 1, 0, 0])  # two ties: the ideal policy
    0.0
    >>> expected_exposure_loss([1, 1, 0, 0], [4, 3, 2, 1])
    0.1328125
    """
    return score_ranking(
        kernels.expected_exposure, locals(), name="expected_exposure_loss"
    )


def expected_exposure_disparity(
    y_true: Rankings,
    y_score: Rankings,
    *,
    persistence: float = 0.5,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
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
        Grades; larger is better. NaN: unjudged. With 2-D `y_score`, 1-D class labels
        are allowed: each row then ranks the classes, and its own class is relevant.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    persistence : float, default=0.5
        The probability p of going on to the next rank, strictly between 0 and 1.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one ranking. 2-D input has one query per row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels; None:
        its sorted distinct values, which must be more than two.
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
    >>> from sklearn_irmetrics.emerging import expected_exposure_disparity
    >>> expected_exposure_disparity([1, 1, 0], [3, 2, 1])  # 1 + 1 / 4 + 1 / 16
    1.3125
    >>> expected_exposure_disparity([1, 1, 0], [2, 2, 1])
    1.1875
    """
    return score_ranking(
        kernels.expected_exposure_disparity,
        locals(),
        name="expected_exposure_disparity",
    )


def expected_exposure_relevance_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    persistence: float = 0.5,
    relevance_threshold: float | None = None,
    pos_label: Any = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
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
        Grades; larger is better. NaN: unjudged. With 2-D `y_score`, 1-D class labels
        are allowed: each row then ranks the classes, and its own class is relevant.
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
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels; None:
        its sorted distinct values, which must be more than two.
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
    >>> from sklearn_irmetrics.emerging import expected_exposure_relevance_score
    >>> expected_exposure_relevance_score([1, 1, 0, 0], [4, 3, 2, 1])
    1.1953125
    """
    return score_ranking(kernels.expected_exposure_relevance, locals())
