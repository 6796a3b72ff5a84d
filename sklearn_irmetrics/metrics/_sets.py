"""Measures of unranked sets: documents retrieved or not."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from sklearn_irmetrics._core.aggregate import scale_weights
from sklearn_irmetrics._core.checks import check_document_weights
from sklearn_irmetrics._core.classes import check_classes
from sklearn_irmetrics._core.namespace import namespace
from sklearn_irmetrics._core.parameters import check_parameters
from sklearn_irmetrics._core.sets import (
    check_sets,
    count_cells,
    is_one_set,
    query_sums,
    score_counts,
)
from sklearn_irmetrics._typing import ArrayLike, AverageOrMicro, Ids, Rankings, Score
from sklearn_irmetrics.kernels import _sets as kernels
from sklearn_irmetrics.metrics._docs import document


@document
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
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Precision of a retrieved set: the share of what was retrieved that is relevant.

    ``P = TP / (TP + FP)``.

    Parameters
    ----------
    [[set data]]
    [[set relevance]]
    [[set shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined where nothing was retrieved.

    Raises
    ------
    [[raises]]

    See Also
    --------
    set_recall_score : The share of what is relevant that was retrieved.
    precision_at_k_score : Precision of the top of a ranking.

    Notes
    -----
    Without `qid` it is `sklearn.metrics.precision_score`, where that is defined.

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
    return _score("set_precision_score", kernels.set_precision, locals())


@document
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
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Recall (sensitivity) of a retrieved set: the share of relevant documents found.

    ``R = TP / (TP + FN)``.

    Parameters
    ----------
    [[set data]]
    [[set relevance]]
    [[set shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined where nothing is relevant.

    Raises
    ------
    [[raises]]

    See Also
    --------
    set_miss_rate_loss : Its complement.
    recall_at_k_score : Recall of the top of a ranking.

    Notes
    -----
    Without `qid` it is `sklearn.metrics.recall_score`, where that is defined.

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
    return _score("set_recall_score", kernels.set_recall, locals())


@document
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
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """F measure of a retrieved set: the weighted harmonic mean of precision and recall.

    ``F = (1 + β²) TP / ((1 + β²) TP + β² FN + FP) = 1 / (α / P + (1 - α) / R)``.

    Parameters
    ----------
    [[set data]]
    beta : float, default=1.0
        Weight of recall against precision, at least 0.
    alpha : float, default=None
        Weight of precision, between 0 and 1; overrides `beta`: α = 1 / (1 + β²).
    [[set relevance]]
    [[set shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined where nothing is relevant and nothing was
        retrieved.

    Raises
    ------
    [[raises]]

    See Also
    --------
    set_f1_score : Precision and recall weigh the same.
    set_e_measure_loss : Its complement.

    Notes
    -----
    Without `qid` it is `sklearn.metrics.fbeta_score`, where that is defined.

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
    return _score("set_fbeta_score", kernels.set_fbeta, locals())


@document
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
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """F1 of a retrieved set: the harmonic mean of precision and recall.

    ``F1 = 2 TP / (2 TP + FN + FP)``.

    Parameters
    ----------
    [[set data]]
    [[set relevance]]
    [[set shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined where nothing is relevant and nothing was
        retrieved.

    Raises
    ------
    [[raises]]

    See Also
    --------
    set_fbeta_score : Precision and recall of unequal weight.

    Notes
    -----
    Without `qid` it is `sklearn.metrics.f1_score`, where that is defined.

    References
    ----------
    .. [1] C. J. van Rijsbergen, "Information Retrieval", 2nd edition, Butterworths,
       1979, chapter 7.

    Examples
    --------
    >>> from sklearn_irmetrics import set_f1_score
    >>> set_f1_score([1, 0, 1, 1], [1, 1, 0, 0])
    0.4
    """
    return _score("set_f1_score", kernels.set_f1, locals())


@document
def set_dice_score(
    y_true: Rankings,
    y_pred: ArrayLike,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Dice coefficient of the retrieved and the relevant set; equal to F1.

    ``2 |A ∩ B| / (|A| + |B|) = 2 TP / (2 TP + FN + FP)``.

    Parameters
    ----------
    [[set data]]
    [[set relevance]]
    [[set shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined where both sets are empty.

    Raises
    ------
    [[raises]]

    See Also
    --------
    set_f1_score : The same by another name.

    References
    ----------
    .. [1] L. R. Dice, "Measures of the amount of ecologic association between
       species", Ecology 26(3), 1945.

    Examples
    --------
    >>> from sklearn_irmetrics import set_dice_score
    >>> set_dice_score([1, 0, 1, 1], [1, 1, 0, 0])
    0.4
    """
    return _score("set_dice_score", kernels.set_f1, locals())


@document
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
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """E measure (effectiveness) of a retrieved set: 1 - F.

    ``E = 1 - 1 / (α / P + (1 - α) / R)``.

    Parameters
    ----------
    [[set data]]
    beta : float, default=1.0
        Weight of recall against precision, at least 0.
    alpha : float, default=None
        Weight of precision, between 0 and 1; overrides `beta`: α = 1 / (1 + β²).
    [[set relevance]]
    [[set shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined where nothing is relevant and nothing was
        retrieved.

    Raises
    ------
    [[raises]]

    See Also
    --------
    set_fbeta_score : Its complement.

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
    return _score("set_e_measure_loss", kernels.set_e_measure, locals())


@document
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
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Accuracy of a retrieved set: the share of documents treated rightly.

    ``(TP + TN) / (TP + FP + FN + TN)``.

    Parameters
    ----------
    [[set data]]
    [[set relevance]]
    [[set shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined where `judged_only` leaves nothing.

    Raises
    ------
    [[raises]]

    See Also
    --------
    set_f1_score : Does not count what was rightly left.

    Notes
    -----
    Without `qid` it is `sklearn.metrics.accuracy_score`, where that is defined.
    It says little where few documents are relevant: retrieving nothing is accurate.

    With `labels` it is about each class against the rest. The share of predictions that
    name the right one of many classes is ``1 - set_cost_matrix_loss(y_true, y_pred,
    normalize=True)``, and what a scorer of this name gives for a classifier.

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
    return _score("set_accuracy_score", kernels.set_accuracy, locals())


@document
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
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Specificity of a retrieved set: the share of other documents left out.

    ``TN / (TN + FP)``.

    Parameters
    ----------
    [[set data]]
    [[set relevance]]
    [[set shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined where every document is relevant.

    Raises
    ------
    [[raises]]

    See Also
    --------
    set_fallout_loss : Its complement.

    Notes
    -----
    Without `qid` it is `sklearn.metrics.recall_score` of class 0.

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
    return _score("set_specificity_score", kernels.set_specificity, locals())


@document
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
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Fallout of a retrieved set: the share of other documents retrieved.

    ``FP / (FP + TN)``, the false positive rate of ROC curves.

    Parameters
    ----------
    [[set data]]
    [[set relevance]]
    [[set shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined where every document is relevant.

    Raises
    ------
    [[raises]]

    See Also
    --------
    set_specificity_score : Its complement.

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
    return _score("set_fallout_loss", kernels.set_fallout, locals())


@document
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
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Miss rate of a retrieved set: the share of relevant documents left out.

    ``MA = FN / (TP + FN)``: missed alarms.

    Parameters
    ----------
    [[set data]]
    [[set relevance]]
    [[set shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined where nothing is relevant.

    Raises
    ------
    [[raises]]

    See Also
    --------
    set_recall_score : Its complement.

    Examples
    --------
    >>> from sklearn_irmetrics import set_miss_rate_loss
    >>> set_miss_rate_loss([1, 1, 1, 0], [1, 1, 0, 0])
    0.3333333333333333
    """
    return _score("set_miss_rate_loss", kernels.set_miss_rate, locals())


@document
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
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """False alarm rate of a retrieved set: the share of what was retrieved in vain.

    ``FA = FP / (TP + FP)``: of the alarms raised. Of the occasions to raise none it is
    fallout.

    Parameters
    ----------
    [[set data]]
    [[set relevance]]
    [[set shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined where nothing was retrieved.

    Raises
    ------
    [[raises]]

    See Also
    --------
    set_precision_score : Its complement.
    set_fallout_loss : False alarms of all documents that are not relevant.

    Examples
    --------
    >>> from sklearn_irmetrics import set_false_alarm_loss
    >>> set_false_alarm_loss([1, 0, 0, 0], [1, 1, 0, 0])
    0.5
    """
    return _score("set_false_alarm_loss", kernels.set_false_alarm, locals())


@document
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
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Detection cost of a retrieved set: what misses and false alarms cost.

    ``miss_cost · FN / (TP + FN) + false_alarm_cost · FP / (TP + FP)``.

    Parameters
    ----------
    [[set data]]
    miss_cost, false_alarm_cost : float, default=1.0
        Costs, at least 0, of the miss rate and of the false alarm rate.
    [[set relevance]]
    [[set shared]]

    Returns
    -------
    [[returns]]
        At least 0; undefined where nothing is relevant or nothing was retrieved.

    Raises
    ------
    [[raises]]

    See Also
    --------
    set_miss_rate_loss : The first rate.
    set_false_alarm_loss : The second rate.
    set_cost_matrix_loss : Costs per document.

    Examples
    --------
    >>> from sklearn_irmetrics import set_detection_cost_loss
    >>> set_detection_cost_loss([1, 1, 0, 0], [1, 0, 1, 0], miss_cost=10)
    5.5
    """
    return _score("set_detection_cost_loss", kernels.set_detection_cost, locals())


@document
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
    """Cost of the errors of a classification into two or more classes.

    ``Σ count · cost`` over the cells of the confusion matrix.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents)
        The class of each document: numbers or strings.
    y_pred : array-like of the shape of `y_true`
        The class that was predicted.
    cost_matrix : array-like of shape (n_classes, n_classes), default=None
        Finite costs: a row per true class, a column per predicted class, in the order
        of `labels`, as in `sklearn.metrics.confusion_matrix` (for two classes
        ``[[TN, FP], [FN, TP]]``). None: each error costs 1, the rest nothing.
    normalize : bool, default=False
        Return the cost of a document on average instead of their sum.
    labels : array-like of shape (n_classes,), default=None
        The classes in order. None: the sorted distinct labels of `y_true` and `y_pred`,
        and both 0 and 1 where there are no others.
    [[cost shared]]

    Returns
    -------
    [[returns]]
        In units of cost; defined for every query.

    Raises
    ------
    [[raises]]

    See Also
    --------
    set_detection_cost_loss : Costs of rates instead of documents.

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
    parameters = check_parameters({"normalize": normalize}, None)
    one_set = is_one_set(y_true, qid)
    judgments, n_classes = check_classes(
        ("y_true", y_true),
        ("y_pred", y_pred),
        labels=labels,
        qid=qid,
        sample_weight=None if one_set else sample_weight,
    )
    true, predicted = judgments.grades, judgments.scores
    xp = namespace(true)
    if cost_matrix is None:
        cost = xp.astype(true != predicted, xp.float64)
    else:
        cost = xp.asarray(_check_costs(cost_matrix, n_classes), like=true)
        cost = cost[true, predicted]
    n_documents = xp.ones_like(cost)
    if one_set and sample_weight is not None:
        weights = check_document_weights(sample_weight, cost)
        weights = scale_weights(weights) if parameters["normalize"] else weights
        n_documents = weights.reshape(cost.shape)
        cost = cost * n_documents
    return score_counts(
        "set_cost_matrix_loss",
        partial(kernels.set_cost, **parameters),
        xp.stack([query_sums(cost, judgments), query_sums(n_documents, judgments)]),
        judgments.weights,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _score(name, kernel, arguments):
    """Do what every measure of a retrieved set does, with its kernel."""
    parameters = dict(arguments)

    def take(*names):
        return {name: parameters.pop(name) for name in names}

    policy = take("average", "replace_undefined_by")
    sets = check_sets(
        **take("y_true", "y_pred", "labels", "pos_label", "qid", "sample_weight")
    )
    sets.row_weights = scale_weights(sets.row_weights)
    formula, counts = count_cells(kernel, parameters, sets)
    return score_counts(name, formula, counts, sets.weights, unit=sets.unit, **policy)


def _check_costs(cost_matrix, n_classes):
    try:
        costs = np.asarray(cost_matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"cost_matrix must hold real numbers: {error}.") from error
    if costs.shape != (n_classes, n_classes):
        raise ValueError(
            "cost_matrix must have a row and a column per class, shape "
            f"({n_classes}, {n_classes}); got {costs.shape}."
        )
    if not np.isfinite(costs).all():
        raise ValueError(f"cost_matrix must be finite; got {costs.tolist()}.")
    return costs
