"""Measures of what a user knew before, expected, and had to examine."""

from __future__ import annotations

from typing import Any

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
    pos_label: Any = None,
    k: int | None = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Coverage ratio: the share of the known relevant documents that were found.

    Use it to test a system with documents that a user already knows to be relevant.

    Parameters
    ----------
    [[data]]
    known : array-like of the shape of `y_true`
        Booleans, or 0 and 1: whether the user already knew each document.
    [[binary relevance]]
    [[k]]
    [[shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined where the user knew no relevant document.

    Raises
    ------
    [[raises]]

    See Also
    --------
    novelty_ratio_score : The share that the user did not know.
    set_recall_score : Of all relevant documents.

    Notes
    -----
    .. math::

       \mathrm{coverage} = \frac{|R \cap K \cap A|}{|R \cap K|}

    where R are the relevant documents, K those `known` and A those retrieved, or the
    top k.

    Without `k` it is a measure of the retrieved set (scores above -inf), so neither
    order nor ties matter.

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
    pos_label: Any = None,
    k: int | None = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Novelty ratio: the share of the relevant documents found that are new.

    Use it where known results are worth nothing, as for an expert who follows a field.

    Parameters
    ----------
    [[data]]
    known : array-like of the shape of `y_true`
        Booleans, or 0 and 1: whether the user already knew each document.
    [[binary relevance]]
    [[k]]
    [[shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined where no relevant document was retrieved, and 0 where
        some were, but none in the top k.

    Raises
    ------
    [[raises]]

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

    Without `k` it is a measure of the retrieved set (scores above -inf), so neither
    order nor ties matter.

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
    pos_label: Any = None,
    k: int | None = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Relative recall: relevant documents found, of those the user expected to find.

    Use it where nobody knows all relevant documents, but users know how many they want.

    Parameters
    ----------
    [[data]]
    n_expected : int
        How many relevant documents the user wants, at least 1.
    [[binary relevance]]
    [[k]]
    [[shared]]

    Returns
    -------
    [[returns]]
        At least 0, above 1 where more was found than expected; defined for every query.

    Raises
    ------
    [[raises]]

    See Also
    --------
    recall_effort_score : How far the user reads to find them.
    recall_at_k_score : Of all relevant documents.

    Notes
    -----
    .. math::

       \mathrm{relative\ recall} = \frac{|R \cap A|}{m}

    where R are the relevant documents, A those retrieved, or the top k, and m is
    `n_expected`.

    Without `k` it is a measure of the retrieved set (scores above -inf), so neither
    order nor ties matter.

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
    pos_label: Any = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Recall effort: documents expected, over documents examined to find them.

    Use it where users read until they have found the number of documents they want.

    Parameters
    ----------
    [[data]]
    n_expected : int
        How many relevant documents the user wants, at least 1.
    [[binary relevance]]
    [[shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; defined for every query.

    Raises
    ------
    [[raises]]

    See Also
    --------
    relative_recall_score : How many of them are found.
    reciprocal_rank_score : The same for one expected document.

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
    >>> from sklearn_irmetrics import recall_effort_score
    >>> recall_effort_score([1, 0, 0, 1, 1], [5, 4, 3, 2, 1], n_expected=2)
    0.5
    """
    return score_ranking("recall_effort_score", kernels.recall_effort, locals())
