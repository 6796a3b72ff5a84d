"""Measures of unranked sets: documents retrieved or not."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.numbers import as_array, as_numbers
from sklearn_irmetrics._arrays.rows import divide
from sklearn_irmetrics._checks import check_flag, check_not_negative
from sklearn_irmetrics._typing import (
    AverageOfSets,
    AverageOrMicro,
    Ids,
    Rankings,
    Score,
)
from sklearn_irmetrics.metrics._formulas import precision_weight, ratio
from sklearn_irmetrics.metrics._ranking.parameters import (
    check_beta,
    check_optional_share,
    rules,
)
from sklearn_irmetrics.metrics._ranking.sets import (
    check_classes,
    check_sets,
    count_cells,
    number_predictions,
    query_sums,
    score_counts,
)


def set_precision_score(
    y_true: Rankings,
    y_pred: ArrayLike,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    average: AverageOfSets = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Precision of a retrieved set: the share of its documents that are relevant.

    Use it together with recall, where acting on a non-relevant document is costly.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents)
        Grades, or 0 and 1; NaN: unjudged, which counts as not relevant. With strings,
        `labels` or `pos_label`: the class of each document, without missing values.
    y_pred : array-like of the shape of `y_true`
        Booleans, or 0 and 1: whether each document was retrieved; or its predicted
        class.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Leave unjudged documents out.
    labels : array-like of shape (n_classes,), default=None
        Classes to score as sets, instead of queries: the documents of each class
        against those predicted to belong to it. With 2-D input, its columns, of which a
        row can have several. None: all classes if `y_true` and `y_pred` hold more than
        two different strings.
    pos_label : str, int, float or bool, default=None
        The positive class, whose documents form the set, such as 2 of {1, 2}.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one set. 2-D input has one query per row.
    sample_weight : array-like, default=None
        Without `qid`, one weight per document, as in scikit-learn. Otherwise one per
        query; with 1-D input, one per row, constant inside a query.
    average : str or None, default="macro"
        "macro": mean over queries or classes; "micro": value of the counts summed over
        them (times the weights of queries); "weighted": mean weighted by the number of
        relevant documents; "samples": mean over the rows of 2-D input, as "macro"
        without `labels`; "geometric": geometric mean (values below 1e-5 count as 1e-5);
        None: one value per query, in order of first appearance, or per class.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query or class; NaN leaves it out of the mean and warns.
        With 0, the mean over classes equals scikit-learn's.

    Returns
    -------
    float, or ndarray of shape (n_queries,)
        Between 0 and 1; undefined where nothing was retrieved.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    set_recall_score : The share of relevant documents retrieved.
    set_false_alarm_loss : Its complement.
    precision_at_k_score : Precision of the top of a ranking.

    Notes
    -----
    .. math::

       P = \frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FP}}

    where TP relevant and FP other documents were retrieved.

    If the classes are 0 and 1, only class 1 is scored, whatever `average` is. With
    ``labels=[0, 1]``, both are, and ``"macro"`` and ``"micro"`` average over them, as
    in scikit-learn.

    Elsewhere: ``precision_score`` in scikit-learn, for one set; ``set_P`` in trec_eval.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze, "Introduction to Information
       Retrieval", Cambridge University Press, 2008, section 8.3.

    Examples
    --------
    >>> from sklearn_irmetrics import set_precision_score
    >>> set_precision_score([1, 0, 1, 1], [1, 1, 1, 0])
    0.6666666666666666
    >>> set_precision_score([1, 0, 1, 1], [1, 1, 1, 0], qid=[7, 7, 8, 8])
    0.75
    """
    return _score(
        _set_precision,
        y_true,
        y_pred,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        qid=qid,
        labels=labels,
        sample_weight=sample_weight,
        average=average,
        replace_undefined_by=replace_undefined_by,
        name="set_precision_score",
    )


def _set_precision(tp, fp, fn, tn):
    """Compute the share of relevant documents among those retrieved."""
    return ratio(tp, tp + fp)


def set_recall_score(
    y_true: Rankings,
    y_pred: ArrayLike,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    average: AverageOfSets = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Recall (sensitivity) of a retrieved set: the share of relevant documents found.

    Use it together with precision, where missing a relevant document is costly.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents)
        Grades, or 0 and 1; NaN: unjudged, which counts as not relevant. With strings,
        `labels` or `pos_label`: the class of each document, without missing values.
    y_pred : array-like of the shape of `y_true`
        Booleans, or 0 and 1: whether each document was retrieved; or its predicted
        class.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Leave unjudged documents out.
    labels : array-like of shape (n_classes,), default=None
        Classes to score as sets, instead of queries: the documents of each class
        against those predicted to belong to it. With 2-D input, its columns, of which a
        row can have several. None: all classes if `y_true` and `y_pred` hold more than
        two different strings.
    pos_label : str, int, float or bool, default=None
        The positive class, whose documents form the set, such as 2 of {1, 2}.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one set. 2-D input has one query per row.
    sample_weight : array-like, default=None
        Without `qid`, one weight per document, as in scikit-learn. Otherwise one per
        query; with 1-D input, one per row, constant inside a query.
    average : str or None, default="macro"
        "macro": mean over queries or classes; "micro": value of the counts summed over
        them (times the weights of queries); "weighted": mean weighted by the number of
        relevant documents; "samples": mean over the rows of 2-D input, as "macro"
        without `labels`; "geometric": geometric mean (values below 1e-5 count as 1e-5);
        None: one value per query, in order of first appearance, or per class.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query or class; NaN leaves it out of the mean and warns.
        With 0, the mean over classes equals scikit-learn's.

    Returns
    -------
    float, or ndarray of shape (n_queries,)
        Between 0 and 1; undefined where nothing is relevant.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    set_precision_score : The share of retrieved documents that are relevant.
    set_miss_rate_loss : Its complement.
    recall_at_k_score : Recall of the top of a ranking.

    Notes
    -----
    .. math::

       R = \frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FN}}

    where TP relevant documents were retrieved and FN were not.

    If the classes are 0 and 1, only class 1 is scored, whatever `average` is. With
    ``labels=[0, 1]``, both are, and ``"macro"`` and ``"micro"`` average over them, as
    in scikit-learn.

    Elsewhere: ``recall_score`` in scikit-learn, for one set; ``set_recall`` in
    trec_eval.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze, "Introduction to Information
       Retrieval", Cambridge University Press, 2008, section 8.3.

    Examples
    --------
    >>> from sklearn_irmetrics import set_recall_score
    >>> set_recall_score([1, 0, 1, 1], [1, 1, 0, 0], average=None)
    array([0.33333333])
    """
    return _score(
        _set_recall,
        y_true,
        y_pred,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        qid=qid,
        labels=labels,
        sample_weight=sample_weight,
        average=average,
        replace_undefined_by=replace_undefined_by,
        name="set_recall_score",
    )


def _set_recall(tp, fp, fn, tn):
    """Compute the share of retrieved documents among those relevant."""
    return ratio(tp, tp + fn)


def set_fbeta_score(
    y_true: Rankings,
    y_pred: ArrayLike,
    *,
    beta: float = 1.0,
    alpha: float | None = None,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    average: AverageOfSets = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""F measure of a retrieved set: weighted harmonic mean of precision and recall.

    Use it where precision and recall matter unequally: `beta` above 1 favours recall.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents)
        Grades, or 0 and 1; NaN: unjudged, which counts as not relevant. With strings,
        `labels` or `pos_label`: the class of each document, without missing values.
    y_pred : array-like of the shape of `y_true`
        Booleans, or 0 and 1: whether each document was retrieved; or its predicted
        class.
    beta : float, default=1.0
        Weight of recall against precision, at least 0; inf gives recall.
    alpha : float, default=None
        Weight of precision, between 0 and 1; overrides `beta`: α = 1 / (1 + β²).
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Leave unjudged documents out.
    labels : array-like of shape (n_classes,), default=None
        Classes to score as sets, instead of queries: the documents of each class
        against those predicted to belong to it. With 2-D input, its columns, of which a
        row can have several. None: all classes if `y_true` and `y_pred` hold more than
        two different strings.
    pos_label : str, int, float or bool, default=None
        The positive class, whose documents form the set, such as 2 of {1, 2}.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one set. 2-D input has one query per row.
    sample_weight : array-like, default=None
        Without `qid`, one weight per document, as in scikit-learn. Otherwise one per
        query; with 1-D input, one per row, constant inside a query.
    average : str or None, default="macro"
        "macro": mean over queries or classes; "micro": value of the counts summed over
        them (times the weights of queries); "weighted": mean weighted by the number of
        relevant documents; "samples": mean over the rows of 2-D input, as "macro"
        without `labels`; "geometric": geometric mean (values below 1e-5 count as 1e-5);
        None: one value per query, in order of first appearance, or per class.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query or class; NaN leaves it out of the mean and warns.
        With 0, the mean over classes equals scikit-learn's.

    Returns
    -------
    float, or ndarray of shape (n_queries,)
        Between 0 and 1; undefined where nothing is relevant and nothing was
        retrieved.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    set_f1_score : With equal weights.
    set_e_measure_loss : Its complement.
    max_fbeta_score : F at the best threshold of a ranking.

    Notes
    -----
    .. math::

       F = \frac{(1 + \beta^2)\, \mathrm{TP}}{(1 + \beta^2)\, \mathrm{TP}
         + \beta^2\, \mathrm{FN} + \mathrm{FP}}

       F = \frac{1}{\alpha / P + (1 - \alpha) / R}

    where P is precision, R recall and :math:`\alpha = 1 / (1 + \beta^2)`; TP relevant
    and FP other documents were retrieved, and FN relevant ones were not.

    If the classes are 0 and 1, only class 1 is scored, whatever `average` is. With
    ``labels=[0, 1]``, both are, and ``"macro"`` and ``"micro"`` average over them, as
    in scikit-learn.

    Elsewhere: ``fbeta_score`` in scikit-learn, for one set; ``set_F`` in trec_eval.

    References
    ----------
    .. [1] C. J. van Rijsbergen, "Information Retrieval", 2nd edition, Butterworths,
       1979, chapter 7.

    Examples
    --------
    >>> from sklearn_irmetrics import set_fbeta_score
    >>> set_fbeta_score([1, 0, 1, 1], [1, 1, 0, 0], beta=0)
    0.5
    """
    return _score(
        _set_fbeta,
        y_true,
        y_pred,
        beta=beta,
        alpha=alpha,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        qid=qid,
        labels=labels,
        sample_weight=sample_weight,
        average=average,
        replace_undefined_by=replace_undefined_by,
        name="set_fbeta_score",
    )


@rules(beta=check_beta, alpha=check_optional_share)
def _set_fbeta(tp, fp, fn, tn, *, beta, alpha):
    """Compute 1 / (alpha / P + (1 - alpha) / R)."""
    alpha = precision_weight(beta, alpha)
    return ratio(tp, tp + alpha * fp + (1.0 - alpha) * fn)


def set_f1_score(
    y_true: Rankings,
    y_pred: ArrayLike,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    average: AverageOfSets = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""F1 of a retrieved set: the harmonic mean of precision and recall.

    Use it as the default for sets, filters and classifiers with rare positives.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents)
        Grades, or 0 and 1; NaN: unjudged, which counts as not relevant. With strings,
        `labels` or `pos_label`: the class of each document, without missing values.
    y_pred : array-like of the shape of `y_true`
        Booleans, or 0 and 1: whether each document was retrieved; or its predicted
        class.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Leave unjudged documents out.
    labels : array-like of shape (n_classes,), default=None
        Classes to score as sets, instead of queries: the documents of each class
        against those predicted to belong to it. With 2-D input, its columns, of which a
        row can have several. None: all classes if `y_true` and `y_pred` hold more than
        two different strings.
    pos_label : str, int, float or bool, default=None
        The positive class, whose documents form the set, such as 2 of {1, 2}.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one set. 2-D input has one query per row.
    sample_weight : array-like, default=None
        Without `qid`, one weight per document, as in scikit-learn. Otherwise one per
        query; with 1-D input, one per row, constant inside a query.
    average : str or None, default="macro"
        "macro": mean over queries or classes; "micro": value of the counts summed over
        them (times the weights of queries); "weighted": mean weighted by the number of
        relevant documents; "samples": mean over the rows of 2-D input, as "macro"
        without `labels`; "geometric": geometric mean (values below 1e-5 count as 1e-5);
        None: one value per query, in order of first appearance, or per class.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query or class; NaN leaves it out of the mean and warns.
        With 0, the mean over classes equals scikit-learn's.

    Returns
    -------
    float, or ndarray of shape (n_queries,)
        Between 0 and 1; undefined where nothing is relevant and nothing was
        retrieved.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    set_fbeta_score : Precision and recall with unequal weights.
    fbeta_at_k_score : F of the top of a ranking.

    Notes
    -----
    .. math::

       F_1 = \frac{2\, \mathrm{TP}}{2\, \mathrm{TP} + \mathrm{FN} + \mathrm{FP}}

    where TP relevant and FP other documents were retrieved, and FN relevant ones were
    not.

    If the classes are 0 and 1, only class 1 is scored, whatever `average` is. With
    ``labels=[0, 1]``, both are, and ``"macro"`` and ``"micro"`` average over them, as
    in scikit-learn.

    Elsewhere: ``f1_score`` in scikit-learn, for one set; ``set_F`` in trec_eval; the
    coefficient of Dice (1945), which is also called `set_dice_score` here.

    References
    ----------
    .. [1] C. J. van Rijsbergen, "Information Retrieval", 2nd edition, Butterworths,
       1979, chapter 7.
    .. [2] L. R. Dice, "Measures of the amount of ecologic association between
       species", Ecology 26(3), 1945.

    Examples
    --------
    >>> from sklearn_irmetrics import set_f1_score
    >>> set_f1_score([1, 0, 1, 1], [1, 1, 0, 0])
    0.4
    """
    return _score(
        _set_f1,
        y_true,
        y_pred,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        qid=qid,
        labels=labels,
        sample_weight=sample_weight,
        average=average,
        replace_undefined_by=replace_undefined_by,
        name="set_f1_score",
    )


def _set_f1(tp, fp, fn, tn):
    """Compute 2 / (1 / P + 1 / R)."""
    return _set_fbeta(tp, fp, fn, tn, beta=1.0, alpha=None)


set_dice_score = set_f1_score  # another name of the same measure


def set_e_measure_loss(
    y_true: Rankings,
    y_pred: ArrayLike,
    *,
    beta: float = 1.0,
    alpha: float | None = None,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    average: AverageOfSets = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""E measure (effectiveness) of a retrieved set: one minus F.

    Use it to reproduce results that were reported with it; otherwise use F.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents)
        Grades, or 0 and 1; NaN: unjudged, which counts as not relevant. With strings,
        `labels` or `pos_label`: the class of each document, without missing values.
    y_pred : array-like of the shape of `y_true`
        Booleans, or 0 and 1: whether each document was retrieved; or its predicted
        class.
    beta : float, default=1.0
        Weight of recall against precision, at least 0; inf gives recall.
    alpha : float, default=None
        Weight of precision, between 0 and 1; overrides `beta`: α = 1 / (1 + β²).
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Leave unjudged documents out.
    labels : array-like of shape (n_classes,), default=None
        Classes to score as sets, instead of queries: the documents of each class
        against those predicted to belong to it. With 2-D input, its columns, of which a
        row can have several. None: all classes if `y_true` and `y_pred` hold more than
        two different strings.
    pos_label : str, int, float or bool, default=None
        The positive class, whose documents form the set, such as 2 of {1, 2}.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one set. 2-D input has one query per row.
    sample_weight : array-like, default=None
        Without `qid`, one weight per document, as in scikit-learn. Otherwise one per
        query; with 1-D input, one per row, constant inside a query.
    average : str or None, default="macro"
        "macro": mean over queries or classes; "micro": value of the counts summed over
        them (times the weights of queries); "weighted": mean weighted by the number of
        relevant documents; "samples": mean over the rows of 2-D input, as "macro"
        without `labels`; "geometric": geometric mean (values below 1e-5 count as 1e-5);
        None: one value per query, in order of first appearance, or per class.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query or class; NaN leaves it out of the mean and warns.
        With 0, the mean over classes equals scikit-learn's.

    Returns
    -------
    float, or ndarray of shape (n_queries,)
        Between 0 and 1; undefined where nothing is relevant and nothing was
        retrieved.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    set_fbeta_score : Its complement.

    Notes
    -----
    .. math::

       E = 1 - \frac{1}{\alpha / P + (1 - \alpha) / R}

    where P is precision, R recall and :math:`\alpha = 1 / (1 + \beta^2)`.

    References
    ----------
    .. [1] C. J. van Rijsbergen, "Information Retrieval", 2nd edition, Butterworths,
       1979, chapter 7.

    Examples
    --------
    >>> from sklearn_irmetrics import set_e_measure_loss
    >>> set_e_measure_loss([1, 0, 1, 1], [1, 1, 0, 0])
    0.6
    """
    return _score(
        _set_e_measure,
        y_true,
        y_pred,
        beta=beta,
        alpha=alpha,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        qid=qid,
        labels=labels,
        sample_weight=sample_weight,
        average=average,
        replace_undefined_by=replace_undefined_by,
        name="set_e_measure_loss",
    )


@rules(beta=check_beta, alpha=check_optional_share)
def _set_e_measure(tp, fp, fn, tn, *, beta, alpha):
    """Compute 1 - F."""
    value, correct, to_find = _set_fbeta(tp, fp, fn, tn, beta=beta, alpha=alpha)
    return 1.0 - value, to_find - correct, to_find


def set_accuracy_score(
    y_true: Rankings,
    y_pred: ArrayLike,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    average: AverageOfSets = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Accuracy of a retrieved set: the share of correct decisions.

    Use it where both classes are common and every error costs the same. If few
    documents are relevant, use F1, because retrieving nothing is then accurate.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents)
        Grades, or 0 and 1; NaN: unjudged, which counts as not relevant. With strings,
        `labels` or `pos_label`: the class of each document, without missing values.
    y_pred : array-like of the shape of `y_true`
        Booleans, or 0 and 1: whether each document was retrieved; or its predicted
        class.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Leave unjudged documents out.
    labels : array-like of shape (n_classes,), default=None
        Classes to score as sets, instead of queries: the documents of each class
        against those predicted to belong to it. With 2-D input, its columns, of which a
        row can have several. None: all classes if `y_true` and `y_pred` hold more than
        two different strings.
    pos_label : str, int, float or bool, default=None
        The positive class, whose documents form the set, such as 2 of {1, 2}.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one set. 2-D input has one query per row.
    sample_weight : array-like, default=None
        Without `qid`, one weight per document, as in scikit-learn. Otherwise one per
        query; with 1-D input, one per row, constant inside a query.
    average : str or None, default="macro"
        "macro": mean over queries or classes; "micro": value of the counts summed over
        them (times the weights of queries); "weighted": mean weighted by the number of
        relevant documents; "samples": mean over the rows of 2-D input, as "macro"
        without `labels`; "geometric": geometric mean (values below 1e-5 count as 1e-5);
        None: one value per query, in order of first appearance, or per class.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query or class; NaN leaves it out of the mean and warns.
        With 0, the mean over classes equals scikit-learn's.

    Returns
    -------
    float, or ndarray of shape (n_queries,)
        Between 0 and 1; undefined where `judged_only` leaves nothing.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    set_f1_score : Ignores documents that were correctly left out.
    set_cost_matrix_loss : For errors of different costs.

    Notes
    -----
    .. math::

       \mathrm{accuracy} = \frac{\mathrm{TP} + \mathrm{TN}}{\mathrm{TP} + \mathrm{FP} +
       \mathrm{FN} + \mathrm{TN}}

    where TP relevant documents were retrieved and FN were not, and FP other documents
    were retrieved and TN were not.

    With `labels`, it is the accuracy of each class against the rest. The share of
    documents assigned to the right one of many classes is
    ``1 - set_cost_matrix_loss(y_true, y_pred, normalize=True)``. A scorer of this name
    returns that share for a classifier.

    Elsewhere: ``accuracy_score`` in scikit-learn, for one set.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze, "Introduction to Information
       Retrieval", Cambridge University Press, 2008, section 8.3.

    Examples
    --------
    >>> from sklearn_irmetrics import set_accuracy_score
    >>> set_accuracy_score([1, 0, 0, 0], [0, 0, 0, 0])
    0.75
    """
    return _score(
        _set_accuracy,
        y_true,
        y_pred,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        qid=qid,
        labels=labels,
        sample_weight=sample_weight,
        average=average,
        replace_undefined_by=replace_undefined_by,
        name="set_accuracy_score",
    )


def _set_accuracy(tp, fp, fn, tn):
    """Compute the share of correct decisions."""
    return ratio(tp + tn, tp + fp + fn + tn)


def set_specificity_score(
    y_true: Rankings,
    y_pred: ArrayLike,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    average: AverageOfSets = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Specificity of a retrieved set: the share of non-relevant documents left out.

    Use it with sensitivity (recall) for tests and screening, where rates must not
    depend on how common the positives are.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents)
        Grades, or 0 and 1; NaN: unjudged, which counts as not relevant. With strings,
        `labels` or `pos_label`: the class of each document, without missing values.
    y_pred : array-like of the shape of `y_true`
        Booleans, or 0 and 1: whether each document was retrieved; or its predicted
        class.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Leave unjudged documents out.
    labels : array-like of shape (n_classes,), default=None
        Classes to score as sets, instead of queries: the documents of each class
        against those predicted to belong to it. With 2-D input, its columns, of which a
        row can have several. None: all classes if `y_true` and `y_pred` hold more than
        two different strings.
    pos_label : str, int, float or bool, default=None
        The positive class, whose documents form the set, such as 2 of {1, 2}.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one set. 2-D input has one query per row.
    sample_weight : array-like, default=None
        Without `qid`, one weight per document, as in scikit-learn. Otherwise one per
        query; with 1-D input, one per row, constant inside a query.
    average : str or None, default="macro"
        "macro": mean over queries or classes; "micro": value of the counts summed over
        them (times the weights of queries); "weighted": mean weighted by the number of
        relevant documents; "samples": mean over the rows of 2-D input, as "macro"
        without `labels`; "geometric": geometric mean (values below 1e-5 count as 1e-5);
        None: one value per query, in order of first appearance, or per class.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query or class; NaN leaves it out of the mean and warns.
        With 0, the mean over classes equals scikit-learn's.

    Returns
    -------
    float, or ndarray of shape (n_queries,)
        Between 0 and 1; undefined where every document is relevant.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    set_fallout_loss : Its complement.
    set_recall_score : Sensitivity: the share of relevant documents retrieved.

    Notes
    -----
    .. math::

       \mathrm{specificity} = \frac{\mathrm{TN}}{\mathrm{TN} + \mathrm{FP}}

    where TN non-relevant documents were left out and FP were retrieved.

    Elsewhere: ``recall_score`` of class 0 in scikit-learn, for one set.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze, "Introduction to Information
       Retrieval", Cambridge University Press, 2008, section 8.3.

    Examples
    --------
    >>> from sklearn_irmetrics import set_specificity_score
    >>> set_specificity_score([1, 0, 0, 0], [1, 1, 0, 0])
    0.6666666666666666
    """
    return _score(
        _set_specificity,
        y_true,
        y_pred,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        qid=qid,
        labels=labels,
        sample_weight=sample_weight,
        average=average,
        replace_undefined_by=replace_undefined_by,
        name="set_specificity_score",
    )


def _set_specificity(tp, fp, fn, tn):
    """Compute the share of the other documents that were not retrieved."""
    return ratio(tn, tn + fp)


def set_fallout_loss(
    y_true: Rankings,
    y_pred: ArrayLike,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    average: AverageOfSets = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Fallout of a retrieved set: the share of non-relevant documents retrieved.

    Use it as the false positive rate, the horizontal axis of ROC curves. Signal
    detection calls it the false alarm rate.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents)
        Grades, or 0 and 1; NaN: unjudged, which counts as not relevant. With strings,
        `labels` or `pos_label`: the class of each document, without missing values.
    y_pred : array-like of the shape of `y_true`
        Booleans, or 0 and 1: whether each document was retrieved; or its predicted
        class.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Leave unjudged documents out.
    labels : array-like of shape (n_classes,), default=None
        Classes to score as sets, instead of queries: the documents of each class
        against those predicted to belong to it. With 2-D input, its columns, of which a
        row can have several. None: all classes if `y_true` and `y_pred` hold more than
        two different strings.
    pos_label : str, int, float or bool, default=None
        The positive class, whose documents form the set, such as 2 of {1, 2}.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one set. 2-D input has one query per row.
    sample_weight : array-like, default=None
        Without `qid`, one weight per document, as in scikit-learn. Otherwise one per
        query; with 1-D input, one per row, constant inside a query.
    average : str or None, default="macro"
        "macro": mean over queries or classes; "micro": value of the counts summed over
        them (times the weights of queries); "weighted": mean weighted by the number of
        relevant documents; "samples": mean over the rows of 2-D input, as "macro"
        without `labels`; "geometric": geometric mean (values below 1e-5 count as 1e-5);
        None: one value per query, in order of first appearance, or per class.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query or class; NaN leaves it out of the mean and warns.
        With 0, the mean over classes equals scikit-learn's.

    Returns
    -------
    float, or ndarray of shape (n_queries,)
        Between 0 and 1; undefined where every document is relevant.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    set_specificity_score : Its complement.
    set_false_alarm_loss : The share of non-relevant documents among those retrieved.
    roc_curve : Recall against fallout at all thresholds.

    Notes
    -----
    .. math::

       \mathrm{fallout} = \frac{\mathrm{FP}}{\mathrm{FP} + \mathrm{TN}}

    where FP non-relevant documents were retrieved and TN were left out.

    References
    ----------
    .. [1] C. J. van Rijsbergen, "Information Retrieval", 2nd edition, Butterworths,
       1979, chapter 7.

    Examples
    --------
    >>> from sklearn_irmetrics import set_fallout_loss
    >>> set_fallout_loss([1, 0, 0, 0], [1, 1, 0, 0])
    0.3333333333333333
    """
    return _score(
        _set_fallout,
        y_true,
        y_pred,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        qid=qid,
        labels=labels,
        sample_weight=sample_weight,
        average=average,
        replace_undefined_by=replace_undefined_by,
        name="set_fallout_loss",
    )


def _set_fallout(tp, fp, fn, tn):
    """Compute the share of the other documents that were retrieved."""
    return ratio(fp, fp + tn)


def set_miss_rate_loss(
    y_true: Rankings,
    y_pred: ArrayLike,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    average: AverageOfSets = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Miss rate of a retrieved set: the share of relevant documents left out.

    Use it for alarms and screening: the share of real events that raise no alarm.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents)
        Grades, or 0 and 1; NaN: unjudged, which counts as not relevant. With strings,
        `labels` or `pos_label`: the class of each document, without missing values.
    y_pred : array-like of the shape of `y_true`
        Booleans, or 0 and 1: whether each document was retrieved; or its predicted
        class.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Leave unjudged documents out.
    labels : array-like of shape (n_classes,), default=None
        Classes to score as sets, instead of queries: the documents of each class
        against those predicted to belong to it. With 2-D input, its columns, of which a
        row can have several. None: all classes if `y_true` and `y_pred` hold more than
        two different strings.
    pos_label : str, int, float or bool, default=None
        The positive class, whose documents form the set, such as 2 of {1, 2}.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one set. 2-D input has one query per row.
    sample_weight : array-like, default=None
        Without `qid`, one weight per document, as in scikit-learn. Otherwise one per
        query; with 1-D input, one per row, constant inside a query.
    average : str or None, default="macro"
        "macro": mean over queries or classes; "micro": value of the counts summed over
        them (times the weights of queries); "weighted": mean weighted by the number of
        relevant documents; "samples": mean over the rows of 2-D input, as "macro"
        without `labels`; "geometric": geometric mean (values below 1e-5 count as 1e-5);
        None: one value per query, in order of first appearance, or per class.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query or class; NaN leaves it out of the mean and warns.
        With 0, the mean over classes equals scikit-learn's.

    Returns
    -------
    float, or ndarray of shape (n_queries,)
        Between 0 and 1; undefined where nothing is relevant.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    set_recall_score : Its complement.
    set_false_alarm_loss : The other error of an alarm.
    set_detection_cost_loss : Both errors in one number.

    Notes
    -----
    .. math::

       \mathrm{miss\ rate} = \frac{\mathrm{FN}}{\mathrm{TP} + \mathrm{FN}}

    where TP relevant documents were retrieved and FN were not.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import set_miss_rate_loss
    >>> set_miss_rate_loss([1, 1, 1, 0], [1, 1, 0, 0])
    0.3333333333333333
    """
    return _score(
        _set_miss_rate,
        y_true,
        y_pred,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        qid=qid,
        labels=labels,
        sample_weight=sample_weight,
        average=average,
        replace_undefined_by=replace_undefined_by,
        name="set_miss_rate_loss",
    )


def _set_miss_rate(tp, fp, fn, tn):
    """Compute the share of relevant documents that were not retrieved."""
    return ratio(fn, tp + fn)


def set_false_alarm_loss(
    y_true: Rankings,
    y_pred: ArrayLike,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    average: AverageOfSets = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""False alarm rate of a retrieved set: the share of alarms that are false.

    Use it for alarms: how often those who respond find nothing. It is also called the
    false discovery rate. For the false alarm rate of signal detection, the share of
    quiet occasions that raise an alarm, use `set_fallout_loss`.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents)
        Grades, or 0 and 1; NaN: unjudged, which counts as not relevant. With strings,
        `labels` or `pos_label`: the class of each document, without missing values.
    y_pred : array-like of the shape of `y_true`
        Booleans, or 0 and 1: whether each document was retrieved; or its predicted
        class.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Leave unjudged documents out.
    labels : array-like of shape (n_classes,), default=None
        Classes to score as sets, instead of queries: the documents of each class
        against those predicted to belong to it. With 2-D input, its columns, of which a
        row can have several. None: all classes if `y_true` and `y_pred` hold more than
        two different strings.
    pos_label : str, int, float or bool, default=None
        The positive class, whose documents form the set, such as 2 of {1, 2}.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one set. 2-D input has one query per row.
    sample_weight : array-like, default=None
        Without `qid`, one weight per document, as in scikit-learn. Otherwise one per
        query; with 1-D input, one per row, constant inside a query.
    average : str or None, default="macro"
        "macro": mean over queries or classes; "micro": value of the counts summed over
        them (times the weights of queries); "weighted": mean weighted by the number of
        relevant documents; "samples": mean over the rows of 2-D input, as "macro"
        without `labels`; "geometric": geometric mean (values below 1e-5 count as 1e-5);
        None: one value per query, in order of first appearance, or per class.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query or class; NaN leaves it out of the mean and warns.
        With 0, the mean over classes equals scikit-learn's.

    Returns
    -------
    float, or ndarray of shape (n_queries,)
        Between 0 and 1; undefined where nothing was retrieved.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    set_precision_score : Its complement.
    set_fallout_loss : The share of non-relevant documents retrieved.
    set_miss_rate_loss : The other error of an alarm.

    Notes
    -----
    .. math::

       \mathrm{false\ alarm\ rate} = \frac{\mathrm{FP}}{\mathrm{TP} + \mathrm{FP}}

    where TP relevant and FP other documents were retrieved.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import set_false_alarm_loss
    >>> set_false_alarm_loss([1, 0, 0, 0], [1, 1, 0, 0])
    0.5
    """
    return _score(
        _set_false_alarm,
        y_true,
        y_pred,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        qid=qid,
        labels=labels,
        sample_weight=sample_weight,
        average=average,
        replace_undefined_by=replace_undefined_by,
        name="set_false_alarm_loss",
    )


def _set_false_alarm(tp, fp, fn, tn):
    """Compute the share of other documents among those retrieved."""
    return ratio(fp, tp + fp)


def set_detection_cost_loss(
    y_true: Rankings,
    y_pred: ArrayLike,
    *,
    miss_cost: float = 1.0,
    false_alarm_cost: float = 1.0,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    average: AverageOfSets = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Detection cost of a retrieved set: the weighted sum of misses and false alarms.

    Use it for alarms, to combine the two rates in one number. It does not weigh single
    errors: if a miss costs as much as ten false alarms, use `set_cost_matrix_loss`.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents)
        Grades, or 0 and 1; NaN: unjudged, which counts as not relevant. With strings,
        `labels` or `pos_label`: the class of each document, without missing values.
    y_pred : array-like of the shape of `y_true`
        Booleans, or 0 and 1: whether each document was retrieved; or its predicted
        class.
    miss_cost, false_alarm_cost : float, default=1.0
        Costs, at least 0, of the miss rate and of the false alarm rate.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
    judged_only : bool, default=False
        Leave unjudged documents out.
    labels : array-like of shape (n_classes,), default=None
        Classes to score as sets, instead of queries: the documents of each class
        against those predicted to belong to it. With 2-D input, its columns, of which a
        row can have several. None: all classes if `y_true` and `y_pred` hold more than
        two different strings.
    pos_label : str, int, float or bool, default=None
        The positive class, whose documents form the set, such as 2 of {1, 2}.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one set. 2-D input has one query per row.
    sample_weight : array-like, default=None
        Without `qid`, one weight per document, as in scikit-learn. Otherwise one per
        query; with 1-D input, one per row, constant inside a query.
    average : str or None, default="macro"
        "macro": mean over queries or classes; "micro": value of the counts summed over
        them (times the weights of queries); "weighted": mean weighted by the number of
        relevant documents; "samples": mean over the rows of 2-D input, as "macro"
        without `labels`; "geometric": geometric mean (values below 1e-5 count as 1e-5);
        None: one value per query, in order of first appearance, or per class.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query or class; NaN leaves it out of the mean and warns.
        With 0, the mean over classes equals scikit-learn's.

    Returns
    -------
    float, or ndarray of shape (n_queries,)
        At least 0 and at most the sum of both costs; undefined where nothing is
        relevant or nothing was retrieved (a system that raises no alarm).

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    set_miss_rate_loss : The first rate.
    set_false_alarm_loss : The second rate.
    set_cost_matrix_loss : Costs of documents instead of rates.
    set_fallout_loss : What signal detection calls the false alarm rate.

    Notes
    -----
    .. math::

       c_m \frac{\mathrm{FN}}{\mathrm{TP} + \mathrm{FN}} + c_f
       \frac{\mathrm{FP}}{\mathrm{TP} + \mathrm{FP}}

    where :math:`c_m` is `miss_cost` and :math:`c_f` is `false_alarm_cost`; TP relevant
    and FP other documents were retrieved, and FN relevant ones were not. With n
    relevant documents, a miss adds :math:`c_m / n`, and all false alarms together add
    at most :math:`c_f`.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import set_detection_cost_loss
    >>> set_detection_cost_loss([1, 1, 0, 0], [1, 0, 1, 0], miss_cost=10)
    5.5
    """
    return _score(
        _set_detection_cost,
        y_true,
        y_pred,
        miss_cost=miss_cost,
        false_alarm_cost=false_alarm_cost,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        pos_label=pos_label,
        qid=qid,
        labels=labels,
        sample_weight=sample_weight,
        average=average,
        replace_undefined_by=replace_undefined_by,
        name="set_detection_cost_loss",
    )


@rules(miss_cost=check_not_negative, false_alarm_cost=check_not_negative)
def _set_detection_cost(tp, fp, fn, tn, *, miss_cost, false_alarm_cost):
    """Weigh the miss rate and the false alarm rate by their costs."""
    miss, *_ = _set_miss_rate(tp, fp, fn, tn)
    false_alarm, *_ = _set_false_alarm(tp, fp, fn, tn)
    return miss_cost * miss + false_alarm_cost * false_alarm


def _range_of_detection_cost(parameters):
    """Return no cost, and the cost if all decisions are wrong."""
    return 0.0, float(parameters["miss_cost"] + parameters["false_alarm_cost"])


def set_cost_matrix_loss(
    y_true: Rankings,
    y_pred: ArrayLike,
    *,
    cost_matrix: ArrayLike | None = None,
    normalize: bool = False,
    labels: ArrayLike | None = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Misclassification cost: the sum of the costs of all decisions.

    Use it to choose the cheapest classifier if you know what each kind of error costs.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents)
        The class of each document: numbers or strings.
    y_pred : array-like of the shape of `y_true`
        The predicted class of each document.
    cost_matrix : array-like of shape (n_classes, n_classes), default=None
        Finite costs: a row per true class, a column per predicted class, in the order
        of `labels`, as in `sklearn.metrics.confusion_matrix` (for two classes
        ``[[TN, FP], [FN, TP]]``). None: each error costs 1, anything else 0.
    normalize : bool, default=False
        Return the mean cost per document instead of the sum.
    labels : array-like of shape (n_classes,), default=None
        The classes in order. None: the sorted distinct labels of `y_true` and `y_pred`,
        or both 0 and 1 if there are no others.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one set. 2-D input has one query per row.
    sample_weight : array-like, default=None
        Without `qid`, one weight per document, as in scikit-learn. Otherwise one per
        query; with 1-D input, one per row, constant inside a query.
    average : {"macro", "micro", "geometric"} or None, default="macro"
        Mean over queries or classes; value of the counts summed over them (times the
        weights of queries); geometric mean (values below 1e-5 count as 1e-5); or None
        for one value per query, in order of first appearance, or per class.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean and warns.

    Returns
    -------
    float, or ndarray of shape (n_queries,)
        In units of cost, with `normalize` between the least and the largest cost;
        defined for every query.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    set_detection_cost_loss : Costs of rates instead of documents.
    set_accuracy_score : Every error costs the same.

    Notes
    -----
    .. math::

       \mathrm{cost} = \sum_{i} \sum_{j} n_{ij}\, c_{ij}

    where :math:`n_{ij}` documents of class i were predicted to be of class j, at the
    cost :math:`c_{ij}` each; with `normalize`, divided by the number of documents.

    References
    ----------
    .. [1] C. Elkan, "The foundations of cost-sensitive learning", IJCAI 2001.

    Examples
    --------
    >>> from sklearn_irmetrics import set_cost_matrix_loss
    >>> y_true, y_pred = [0, 0, 1, 1], [0, 1, 0, 1]
    >>> set_cost_matrix_loss(y_true, y_pred, cost_matrix=[[0, 1], [100, -1]])
    100.0
    >>> set_cost_matrix_loss(["a", "b", "c"], ["a", "c", "c"], normalize=True)
    0.3333333333333333
    """
    normalize = check_flag("normalize", normalize)
    batch, n_classes, weights = check_classes(
        ("y_true", y_true),
        ("y_pred", y_pred),
        number=partial(number_predictions, known=labels),
        labels=labels,
        qid=qid,
        sample_weight=sample_weight,
    )
    true, predicted = batch.grades, batch.scores
    if cost_matrix is None:
        cost = (true != predicted).astype(np.float64)
    else:
        cost = np.asarray(_check_costs(cost_matrix, n_classes))
        cost = cost[true, predicted]
    n_documents = np.ones_like(cost) if weights is None else weights
    cost = cost * n_documents
    return score_counts(
        "set_cost_matrix_loss",
        partial(_set_cost, normalize=normalize),
        np.stack([query_sums(cost, batch), query_sums(n_documents, batch)]),
        batch.weights,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _set_cost(cost, n, *, normalize):
    """Compute the cost of all documents, or of one on average."""
    return divide(cost, n) if normalize else cost


def cost_of_cells(tp, fp, fn, tn, *, cost_matrix, normalize):
    """Compute the cost of two classes from their counts."""
    costs = _check_costs([[0, 1], [1, 0]] if cost_matrix is None else cost_matrix, 2)
    (right_out, false_alarm), (miss, hit) = costs
    cost = tn * right_out + fp * false_alarm + fn * miss + tp * hit
    return _set_cost(cost, tp + fp + fn + tn, normalize=normalize)


def _range_of_cost(parameters):
    """Return the least and the largest cost of a document, or of any number of them."""
    low, high = 0.0, 1.0
    if parameters["cost_matrix"] is not None:
        costs = _check_costs(parameters["cost_matrix"])
        low, high = float(costs.min()), float(costs.max())
    if parameters["normalize"]:
        return low, high
    return -np.inf if low < 0 else 0.0, np.inf if high > 0 else 0.0


def _score(
    formula,
    y_true,
    y_pred,
    *,
    name,
    pos_label,
    qid,
    labels,
    sample_weight,
    average,
    replace_undefined_by,
    **parameters,
):
    """Score retrieved sets with a formula, as every measure here does."""
    sets = check_sets(
        y_true,
        y_pred,
        labels=labels,
        pos_label=pos_label,
        qid=qid,
        sample_weight=sample_weight,
    )
    formula, counts = count_cells(formula, parameters, sets)
    return score_counts(
        name,
        formula,
        counts,
        sets.weights,
        unit=sets.unit,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _check_costs(cost_matrix, n_classes=None):
    """Return the costs as floats, one row per true class; None: of any number."""
    costs = as_numbers("cost_matrix", as_array("cost_matrix", cost_matrix))
    costs = costs.astype(np.float64)
    if n_classes is None:
        n_classes = max(len(np.atleast_1d(costs)), 1)
    if costs.shape != (n_classes, n_classes):
        raise ValueError(
            "cost_matrix must have a row and a column per class, shape "
            f"({n_classes}, {n_classes}); got {costs.shape}."
        )
    if not np.isfinite(costs).all():
        raise ValueError(f"cost_matrix must be finite; got {costs.tolist()}.")
    return costs
