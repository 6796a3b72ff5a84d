"""Agreement of two orders of the same documents, or of two labellings."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sklearn_irmetrics._core.aggregate import aggregate
from sklearn_irmetrics._core.arrays import add_up, sum_runs
from sklearn_irmetrics._core.classes import check_classes
from sklearn_irmetrics._core.foreign import issparse
from sklearn_irmetrics._core.marks import ABSENT
from sklearn_irmetrics._core.numbers import as_array
from sklearn_irmetrics._core.score import score_ranking
from sklearn_irmetrics._core.sets import query_by_query, query_sums
from sklearn_irmetrics._typing import ArrayLike, Average, Ids, Rankings, Score
from sklearn_irmetrics.kernels import _correlation as kernels


def kendall_tau_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    variant: Literal["b", "a"] = "b",
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Kendall's τ: rank correlation of scores and grades, by pairs of documents.

    Use it to measure how well two rankings agree if every pair of documents counts the
    same.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged and left out. In CSR input, an
        absent grade is 0. With 2-D `y_score`, 1-D class labels are allowed: each row
        then ranks the classes.
    y_score : array-like of the shape of `y_true`
        Scores; larger ranks higher, -inf: not retrieved, tied below all others.
    variant : {"b", "a"}, default="b"
        Whether tied pairs are left out of the denominator (b) or stay in it (a).
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one ranking. 2-D input has one query per row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels; None:
        its sorted distinct values, which must be more than two.
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
    average : {"macro", "geometric"} or None, default="macro"
        Mean over queries, geometric mean (values below 1e-5 count as 1e-5, negative
        ones are errors), or None for one value per query in order of first appearance.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean and warns.

    Returns
    -------
    float, or ndarray of shape (n_queries,)
        Between -1 and 1; undefined for a query of fewer than two judged documents; τ_b
        also where all grades or all scores are equal.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    average_precision_correlation_score : Agreement at the top counts more.
    spearman_rho_score : Correlation of the ranks.
    rank_biased_overlap_score : For rankings of different documents.

    Notes
    -----
    .. math::

       \tau_a = \frac{C - D}{n (n - 1) / 2}

       \tau_b = \frac{C - D}{\sqrt{U_g\, U_s}}

    where C of the pairs of n judged documents are concordant and D discordant, and
    :math:`U_g` pairs are not tied by grade and :math:`U_s` not by score.

    Elsewhere: ``kendalltau`` in SciPy, for one query.

    References
    ----------
    .. [1] M. G. Kendall, "The treatment of ties in ranking problems", Biometrika 33(3),
       1945.

    Examples
    --------
    >>> from sklearn_irmetrics import kendall_tau_score
    >>> kendall_tau_score([1, 2, 3, 4, 5], [2, 1, 5, 3, 4], variant="a")
    0.4
    """
    return score_ranking(kernels.kendall_tau, locals())


def spearman_rho_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Spearman's ρ: the correlation of the ranks by score and by grade.

    Use it where a field expects it; Kendall's τ is easier to interpret.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged and left out. In CSR input, an
        absent grade is 0. With 2-D `y_score`, 1-D class labels are allowed: each row
        then ranks the classes.
    y_score : array-like of the shape of `y_true`
        Scores; larger ranks higher, -inf: not retrieved, tied below all others.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one ranking. 2-D input has one query per row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels; None:
        its sorted distinct values, which must be more than two.
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
    average : {"macro", "geometric"} or None, default="macro"
        Mean over queries, geometric mean (values below 1e-5 count as 1e-5, negative
        ones are errors), or None for one value per query in order of first appearance.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean and warns.

    Returns
    -------
    float, or ndarray of shape (n_queries,)
        Between -1 and 1; undefined for a query of fewer than two judged documents, or
        where all grades or all scores are equal.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    kendall_tau_score : Correlation by pairs.
    average_precision_correlation_score : Agreement at the top counts more.

    Notes
    -----
    .. math::

       \rho = \frac{\sum_i (x_i - \bar{x}) (y_i - \bar{y})}{\sqrt{\sum_i (x_i -
       \bar{x})^2 \sum_i (y_i - \bar{y})^2}}

    where :math:`x_i` and :math:`y_i` are the ranks of document i by grade and by score;
    tied documents share the mean of their ranks.

    Elsewhere: ``spearmanr`` in SciPy, for one query.

    References
    ----------
    .. [1] C. Spearman, "The proof and measurement of association between two things",
       American Journal of Psychology 15(1), 1904.

    Examples
    --------
    >>> from sklearn_irmetrics import spearman_rho_score
    >>> spearman_rho_score([1, 2, 3, 4, 5], [2, 1, 5, 3, 4])
    0.6
    """
    return score_ranking(kernels.spearman_rho, locals())


def average_precision_correlation_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    variant: Literal["a", "b"] = "a",
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""AP correlation (τ_AP): rank correlation in which the top counts more.

    Use it to measure how well two rankings agree if the top matters most, as in
    comparing orders of systems.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged and left out. In CSR input, an
        absent grade is 0. With 2-D `y_score`, 1-D class labels are allowed: each row
        then ranks the classes.
    y_score : array-like of the shape of `y_true`
        Scores; larger ranks higher, -inf: not retrieved, tied below all others.
    variant : {"a", "b"}, default="a"
        With ``"a"``, how well scores reproduce the true order when ties are broken at
        random: the exact expectation over all orders of documents tied by score
        (``τ_AP,a`` of [2]_) or by grade (which [2]_ excludes). With ``"b"``, how well
        two orders agree that may both have ties (``τ_AP,b``, symmetric).
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one ranking. 2-D input has one query per row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels; None:
        its sorted distinct values, which must be more than two.
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
    average : {"macro", "geometric"} or None, default="macro"
        Mean over queries, geometric mean (values below 1e-5 count as 1e-5, negative
        ones are errors), or None for one value per query in order of first appearance.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean and warns.

    Returns
    -------
    float, or ndarray of shape (n_queries,)
        Between -1 and 1; undefined for a query of fewer than two judged documents;
        variant b also where all grades or all scores are equal.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    kendall_tau_score : All ranks count the same.
    rank_biased_overlap_score : For rankings of different documents.

    Notes
    -----
    .. math::

       \tau_{\mathrm{AP}} = \frac{2}{n - 1} \sum_{r=2}^{n} \frac{C(r)}{r - 1} - 1

    where :math:`C(r)` of the r - 1 documents above rank r by score are above it by
    grade too. With ties, variant b takes the documents strictly above a document d:
    :math:`g_d` by grade, :math:`s_d` by score and :math:`c_d` by both,

    .. math::

       \tau_{\mathrm{AP},b} = \frac{1}{|G|} \sum_{d \in G} \frac{c_d}{g_d}
         + \frac{1}{|S|} \sum_{d \in S} \frac{c_d}{s_d} - 1

    over the documents G with :math:`g_d > 0` and S with :math:`s_d > 0`: the mean of
    :math:`\tau_{\mathrm{AP}}` in both directions, each without the top tie group.

    References
    ----------
    .. [1] E. Yilmaz, J. A. Aslam, S. Robertson, "A new rank correlation coefficient for
       information retrieval", SIGIR 2008.
    .. [2] J. Urbano, M. Marrero, "The treatment of ties in AP correlation", ICTIR 2017.

    Examples
    --------
    >>> from sklearn_irmetrics import average_precision_correlation_score
    >>> tau_ap = average_precision_correlation_score([4, 3, 2, 1], [3, 4, 2, 1])
    >>> round(tau_ap, 4)
    0.3333
    """
    return score_ranking(kernels.average_precision_correlation, locals())


def rank_biased_overlap_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    persistence: float = 0.9,
    variant: Literal["ext", "min", "residual"] = "ext",
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Rank-biased overlap (RBO): how much two rankings share, above all at the top.

    Use it to compare the results of two systems that retrieve different documents.

    A list need not hold all documents: -inf in `y_true` or `y_score` means that the
    document is not in that list. `variant` selects what is assumed beyond the ends of
    the lists.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades, or scores of the first list; larger ranks higher, -inf: not in the list.
        NaN: unjudged, left out of both lists. In CSR input, an absent grade is 0.
        With 2-D `y_score`, 1-D class labels are allowed: each row then ranks the
        classes.
    y_score : array-like of the shape of `y_true`
        Scores of the second list; larger ranks higher, -inf: not in the list.
    persistence : float, default=0.9
        Probability p of reading on to the next rank, strictly between 0 and 1.
    variant : {"ext", "min", "residual"}, default="ext"
        Beyond the ends of the lists, ``"ext"`` extrapolates the agreement ``X(d) / d``
        (eq. 32 of [1]_) and ``"min"`` assumes that they share nothing more.
        ``"residual"`` is the most that further documents could add to ``"min"`` (eq.
        30).
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one ranking. 2-D input has one query per row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels; None:
        its sorted distinct values, which must be more than two.
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
    average : {"macro", "geometric"} or None, default="macro"
        Mean over queries, geometric mean (values below 1e-5 count as 1e-5, negative
        ones are errors), or None for one value per query in order of first appearance.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean and warns.

    Returns
    -------
    float, or ndarray of shape (n_queries,)
        Between 0 and 1; undefined for a query whose lists are both empty, and 0 (1 for
        ``"residual"``) if only one is.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    average_precision_correlation_score : For rankings of the same documents.
    kendall_tau_score : All ranks count the same.

    Notes
    -----
    .. math::

       \mathrm{RBO} = (1 - p) \sum_{d=1}^{\infty} p^{d-1}\, \frac{X(d)}{d}

    where p is the `persistence` and :math:`X(d)` the number of documents that the top d
    of both lists have in common.

    Where both lists hold the same n documents, ``"ext"`` is

    .. math::

       (1 - p) \sum_{d=1}^{n} p^{d-1}\, \frac{X(d)}{d} + p^n

    Documents tied by score or by grade enter :math:`X(d)` with the exact expectation
    over all their orders, which is variant a of [2]_. (In [1]_ all tied documents enter
    both tops at the first rank of their group.)

    Functions that take measures by name, such as `score_queries`, require grades that
    are finite or NaN.

    References
    ----------
    .. [1] W. Webber, A. Moffat, J. Zobel, "A similarity measure for indefinite
       rankings", ACM TOIS 28(4), 2010.
    .. [2] M. Corsi, J. Urbano, "The treatment of ties in rank-biased overlap", SIGIR
       2024.

    Examples
    --------
    >>> from sklearn_irmetrics import rank_biased_overlap_score
    >>> round(rank_biased_overlap_score([4, 3, 2, 1], [3, 4, 2, 1]), 4)
    0.9
    >>> first, second = [3, 2, 1, float("-inf")], [2, float("-inf"), 1, 3]
    >>> round(rank_biased_overlap_score(first, second), 4)
    0.585
    """
    arguments = locals()
    if not issparse(y_true):
        grades = as_array("y_true", y_true)
        if grades.dtype.kind == "f" and (absent := np.isneginf(grades)).any():
            arguments["y_true"] = np.where(absent, np.zeros_like(grades), grades)
            arguments[ABSENT] = absent
    return score_ranking(kernels.rank_biased_overlap, arguments)


def scott_pi_score(
    y1: ArrayLike,
    y2: ArrayLike,
    *,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Scott's π: agreement of two judges beyond chance.

    Use it where two judges share one set of guidelines and are interchangeable. It
    pools the labels of both, unlike Cohen's κ (`cohen_kappa_score`), which uses the
    label frequencies of each.

    The textbook [2]_ calls it κ.

    Parameters
    ----------
    y1, y2 : array-like of shape (n_documents,) or (n_queries, n_documents)
        Labels of the first and of the second judge: numbers or strings.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one set. 2-D input has one query per row.
    sample_weight : array-like, default=None
        Without `qid`, one weight per document, as in scikit-learn. Otherwise one per
        query; with 1-D input, one per row, constant inside a query.
    average : {"macro", "geometric"} or None, default="macro"
        Mean over queries, geometric mean (values below 1e-5 count as 1e-5, negative
        ones are errors), or None for one value per query in order of first appearance.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean and warns.

    Returns
    -------
    float, or ndarray of shape (n_queries,)
        Between -1 and 1; undefined where only one label was given.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    sklearn.metrics.cohen_kappa_score : Uses the label frequencies of each judge.
    kendall_tau_score : For rankings instead of labels.

    Notes
    -----
    .. math::

       \pi = \frac{P_o - P_e}{1 - P_e}

       P_e = \sum_c q_c^2

    where :math:`P_o` is the share of documents on which the judges agree and
    :math:`q_c` the share of label c among all labels of both.

    References
    ----------
    .. [1] W. A. Scott, "Reliability of content analysis", Public Opinion Quarterly
       19(3), 1955.
    .. [2] C. D. Manning, P. Raghavan, H. Schütze, "Introduction to Information
       Retrieval", Cambridge University Press, 2008, section 8.5.

    Examples
    --------
    >>> from sklearn_irmetrics import scott_pi_score
    >>> scott_pi_score(["yes", "yes", "no", "no"], ["yes", "no", "no", "no"])
    0.4666666666666667
    """
    batch, n_classes, weights = check_classes(
        ("y1", y1), ("y2", y2), qid=qid, sample_weight=sample_weight
    )
    labels = (batch.grades, batch.scores)
    items = weights
    if weights is None:
        items = np.ones_like(labels[0]).astype(np.float64)
    per_query = kernels.scott_pi(
        query_sums(items, batch),
        query_sums(items * (labels[0] == labels[1]), batch),
        _pooled_squares(labels, items, batch, n_classes),
    )
    return aggregate(
        per_query,
        batch.weights,
        name="scott_pi_score",
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _pooled_squares(labels, items, batch, n_classes):
    """Return the sum of the squared counts of each class in both label arrays."""
    weights, starts = query_by_query(items, batch)
    end = np.full_like(starts[:1], len(weights))
    lengths = np.concatenate([starts[1:], end]) - starts
    first_cells = n_classes * np.arange(len(starts))
    first_cell = np.repeat(first_cells, lengths)
    cells = [first_cell + query_by_query(numbers, batch)[0] for numbers in labels]
    found, place = np.unique(np.concatenate(cells), return_inverse=True)
    weights = np.concatenate([weights, weights])
    counts = add_up(place[np.newaxis], weights[np.newaxis], len(found))[0]
    return sum_runs(counts**2, np.searchsorted(found, first_cells))
