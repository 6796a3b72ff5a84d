"""Measures for missing labels, by propensity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.numbers import as_floats
from sklearn_irmetrics._arrays.rows import divide, divide_or_zero
from sklearn_irmetrics._checks import check_count, check_positive
from sklearn_irmetrics._typing import (
    Array,
    Average,
    AverageOrMicro,
    Ids,
    Rankings,
    Score,
    Ties,
)
from sklearn_irmetrics.metrics._formulas import (
    discounted_sum,
    sum_expected,
    sum_to_rank,
)
from sklearn_irmetrics.metrics._ranking.compute import score_ranking
from sklearn_irmetrics.metrics._ranking.gains import RankDiscount, Relevant
from sklearn_irmetrics.metrics._ranking.marks import required_mark


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
        Grades; larger is better. NaN: unjudged.
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
    >>> from sklearn_irmetrics.metrics.experimental import (
    ...     propensity_scored_precision_score,
    ... )
    >>> y_true, y_score, weights = [1, 0, 1, 1], [4, 3, 2, 1], [1, 1, 2, 5]
    >>> propensity_scored_precision_score(
    ...     y_true, y_score, inverse_propensity=weights, k=3
    ... )
    0.375
    """
    return score_ranking(
        "propensity_scored_precision_score",
        _propensity_scored_precision,
        y_true,
        y_score,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        k=k,
        marks={"inverse_propensity": inverse_propensity},
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _propensity_scored_precision(ranking, *, k, relevance_threshold):
    """Divide the sum of inverse propensities down to k by that of the best order."""
    gain = _Weighed(Relevant(relevance_threshold))
    gained = sum_expected(ranking, gain, k)
    best = sum_to_rank(ranking.ideal(gain, k), k)
    gained = np.minimum(gained, best)  # despite rounding
    return divide(gained, best), gained, best


@dataclass(frozen=True)
class _Weighed:
    """The inverse propensity of a relevant document, 0 for others."""

    relevant: Relevant
    rises: ClassVar = False  # with the grade

    def __call__(self, documents):
        """Return a float array."""
        weights = required_mark(documents, "inverse_propensity")
        return self.relevant(documents) * weights


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
        Grades; larger is better. NaN: unjudged.
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
    >>> from sklearn_irmetrics.metrics.experimental import propensity_scored_dcg_score
    >>> y_true, y_score, weights = [1, 0, 1, 1], [4, 3, 2, 1], [1, 1, 2, 5]
    >>> propensity_scored_dcg_score(y_true, y_score, inverse_propensity=weights, k=3)
    2.0
    """
    return score_ranking(
        "propensity_scored_dcg_score",
        _propensity_scored_dcg,
        y_true,
        y_score,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        k=k,
        marks={"inverse_propensity": inverse_propensity},
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _propensity_scored_dcg(ranking, *, k, relevance_threshold):
    """Sum the discounted inverse propensities down to rank k."""
    gain = _Weighed(Relevant(relevance_threshold))
    return discounted_sum(ranking.expected(gain, k), k, RankDiscount())


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
        Grades; larger is better. NaN: unjudged.
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
    >>> from sklearn_irmetrics.metrics.experimental import propensity_scored_ndcg_score
    >>> y_true, y_score, weights = [1, 0, 1, 1], [4, 3, 2, 1], [1, 1, 2, 5]
    >>> score = propensity_scored_ndcg_score(
    ...     y_true, y_score, inverse_propensity=weights, k=3
    ... )
    >>> round(score, 4)
    0.2958
    """
    return score_ranking(
        "propensity_scored_ndcg_score",
        _propensity_scored_ndcg,
        y_true,
        y_score,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        k=k,
        marks={"inverse_propensity": inverse_propensity},
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _propensity_scored_ndcg(ranking, *, k, relevance_threshold):
    """Divide the propensity-scored DCG by that of the best order."""
    gain = _Weighed(Relevant(relevance_threshold))
    ideal = ranking.ideal(gain, k)
    best = discounted_sum(ideal, k, RankDiscount())
    gained = _propensity_scored_dcg(
        ranking, k=k, relevance_threshold=relevance_threshold
    )
    gained = np.minimum(gained, best)  # despite rounding
    # Divide both by the plain ideal DCG: the micro average is then that of napkinXC.
    plain = discounted_sum((ideal > 0) * 1.0, k, RankDiscount())
    counts = divide_or_zero(gained, plain), divide_or_zero(best, plain)
    return divide(gained, best), *counts


def inverse_propensities(
    label_counts: ArrayLike, n_samples: int, *, a: float = 0.55, b: float = 1.5
) -> Array:
    r"""Inverse propensities of labels from how often they occur in training data.

    Parameters
    ----------
    label_counts : array-like of shape (n_labels,)
        Number of training samples in which each label occurs.
    n_samples : int
        The number of training samples, at least 3.
    a, b : float, default=0.55 and 1.5
        Constants of the data set: 0.5 and 0.4 for Wikipedia, 0.6 and 2.6 for Amazon in
        the Extreme Classification Repository, and the defaults otherwise.

    Returns
    -------
    ndarray of shape (n_labels,)
        At least 1, and larger for rarer labels.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    propensity_scored_precision_score : Takes them, one per document.

    Notes
    -----
    .. math::

       \frac{1}{p_l} = 1 + (\ln N - 1) (b + 1)^a (N_l + b)^{-a}

    where N is `n_samples` and :math:`N_l` the count of label l. The model was fitted to
    the two data sets for which more labels were known [1]_; it may not hold for others.

    References
    ----------
    .. [1] H. Jain, Y. Prabhu, M. Varma, "Extreme multi-label loss functions for
       recommendation, tagging, ranking & other missing label applications", KDD 2016.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics.experimental import inverse_propensities
    >>> inverse_propensities([1, 10, 100], 1000).round(2)
    array([6.91, 3.55, 1.77])
    """
    counts = as_floats("label_counts", label_counts)
    n_samples = check_count("n_samples", n_samples, least=3)
    a = check_positive("a", a)
    b = check_positive("b", b)
    outside = ~((counts >= 0) & (counts <= n_samples))
    if outside.any():
        raise ValueError(
            f"label_counts must lie between 0 and n_samples, {n_samples}; got "
            f"{counts[outside][0]:g}."
        )
    scale = (np.log(n_samples) - 1.0) * (b + 1.0) ** a
    return 1.0 + scale * (counts + b) ** -a
