"""Measures of what a user knew before, expected, and had to examine."""

from __future__ import annotations

import numpy as np

from sklearn_irmetrics._core.score import score_ranking
from sklearn_irmetrics._typing import ArrayLike, Average, Ids, Rankings, Score, Ties
from sklearn_irmetrics.kernels import _user as kernels
from sklearn_irmetrics.metrics._docs import document


@document
def coverage_ratio_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    known: Rankings,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    k: int | None = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Coverage ratio: the share of the relevant documents known before that were found.

    Relevant documents known and retrieved, over relevant documents known.

    Parameters
    ----------
    [[data]]
    known : array-like of the shape of `y_true`
        Booleans, or 0 and 1: which documents the user knew before.
    [[relevance]]
    [[k]]
    [[shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined where the user knew no relevant document.

    Raises
    ------
    [[raises]]

    Notes
    -----
    Without `k` a measure of the set retrieved (scores above -inf): neither the order
    nor ties matter.

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
    return score_ranking("coverage_ratio_score", kernels.coverage_ratio, locals())


@document
def novelty_ratio_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    known: Rankings,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    k: int | None = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Novelty ratio: the share of the relevant documents found that were new.

    Relevant documents retrieved and unknown, over relevant documents retrieved.

    Parameters
    ----------
    [[data]]
    known : array-like of the shape of `y_true`
        Booleans, or 0 and 1: which documents the user knew before.
    [[relevance]]
    [[k]]
    [[shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined where no relevant document was retrieved, and 0 where
        some were, but none down to rank k.

    Raises
    ------
    [[raises]]

    Notes
    -----
    Without `k` a measure of the set retrieved (scores above -inf): neither the order
    nor ties matter.

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
    return score_ranking("novelty_ratio_score", kernels.novelty_ratio, locals())


@document
def relative_recall_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    n_expected: int,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    k: int | None = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Relative recall: relevant documents found, of those the user expected to find.

    Relevant documents retrieved, over `n_expected`.

    Parameters
    ----------
    [[data]]
    n_expected : int
        How many relevant documents the user wants, at least 1.
    [[relevance]]
    [[k]]
    [[shared]]

    Returns
    -------
    [[returns]]
        At least 0, above 1 where more was found than expected; defined for every query.

    Raises
    ------
    [[raises]]

    Notes
    -----
    Without `k` a measure of the set retrieved (scores above -inf): neither the order
    nor ties matter.

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
    return score_ranking("relative_recall_score", kernels.relative_recall, locals())


@document
def recall_effort_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    n_expected: int,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Recall effort: documents expected, over documents examined to find them.

    ``n_expected / r`` where r is the rank of the `n_expected`-th relevant document; 0
    where so many were not retrieved.

    Parameters
    ----------
    [[data]]
    n_expected : int
        How many relevant documents the user wants, at least 1.
    [[relevance]]
    [[shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; defined for every query.

    Raises
    ------
    [[raises]]

    References
    ----------
    .. [1] R. Baeza-Yates, B. Ribeiro-Neto, "Modern Information Retrieval",
       Addison-Wesley, 1999, chapter 3.

    Examples
    --------
    >>> from sklearn_irmetrics import recall_effort_score
    >>> recall_effort_score([1, 0, 0, 1, 1], [5, 4, 3, 2, 1], n_expected=2)
    0.5
    """
    return score_ranking("recall_effort_score", kernels.recall_effort, locals())
