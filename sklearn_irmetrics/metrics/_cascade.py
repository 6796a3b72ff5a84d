"""Measures of a user who goes down the ranking and may stop at every rank."""

from __future__ import annotations

import numpy as np

from sklearn_irmetrics._core.score import score_ranking
from sklearn_irmetrics._typing import (
    ArrayLike,
    Average,
    Gain,
    Ids,
    Rankings,
    Score,
    Ties,
)
from sklearn_irmetrics.kernels import _cascade as kernels
from sklearn_irmetrics.metrics._docs import document


@document
def rank_biased_precision_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    persistence: float = 0.8,
    max_grade: float | None = None,
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
    """Rank-biased precision (RBP).

    ``RBP = (1 - p) Σ_{r≤k} u_r p^(r-1)``, where ``u_r`` is 1 for a relevant document
    and 0 for another, or ``max(g_r, 0) / max_grade`` where `max_grade` is given.

    Parameters
    ----------
    [[data]]
    persistence : float, default=0.8
        Probability p to go on to the next rank, strictly between 0 and 1.
    max_grade : float, default=None
        The largest possible grade, for graded utilities, which `relevance_threshold`
        does not cut; a grade above it is an error. None: binary relevance.
    [[relevance]]
    [[k]]
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
    rank_biased_precision_residual : What unjudged documents could add.

    References
    ----------
    .. [1] A. Moffat, J. Zobel, "Rank-biased precision for measurement of retrieval
       effectiveness", ACM TOIS 27(1), 2008.

    Examples
    --------
    >>> from sklearn_irmetrics import rank_biased_precision_score
    >>> round(rank_biased_precision_score([1, 0, 1], [3, 2, 1], persistence=0.5), 4)
    0.625
    """
    return score_ranking(
        "rank_biased_precision_score", kernels.rank_biased_precision, locals()
    )


@document
def rank_biased_precision_residual(
    y_true: Rankings,
    y_score: Rankings,
    *,
    persistence: float = 0.8,
    k: int | None = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    """Residual of rank-biased precision: what all that is not judged could add to it.

    ``(1 - p) Σ p^(r-1)`` over unjudged ranks ``r ≤ min(k, n)``, plus ``p^min(k, n)``
    for all ranks below, where n documents were retrieved.

    Parameters
    ----------
    [[data]]
    persistence : float, default=0.8
        Probability p to go on to the next rank, strictly between 0 and 1.
    [[k]]
    [[shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; defined for every query. Neither high nor low is better.

    Raises
    ------
    [[raises]]

    See Also
    --------
    judged_at_k_score : Share of judged documents in the top k.

    References
    ----------
    .. [1] A. Moffat, J. Zobel, "Rank-biased precision for measurement of retrieval
       effectiveness", ACM TOIS 27(1), 2008.

    Examples
    --------
    >>> from sklearn_irmetrics import rank_biased_precision_residual
    >>> y_true = [1, float("nan"), 1]
    >>> round(rank_biased_precision_residual(y_true, [3, 2, 1], persistence=0.5), 4)
    0.375
    """
    return score_ranking(
        "rank_biased_precision_residual",
        kernels.rank_biased_precision_residual,
        locals(),
    )


@document
def expected_reciprocal_rank_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    gain: Gain = "exponential",
    max_grade: float = 4,
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
    """Expected reciprocal rank (ERR) of the document that satisfies the user.

    ``ERR@k = Σ_{r≤k} (1 / r) P_r Π_{i<r} (1 - P_i)``, where a document satisfies with
    probability ``P = max(gain(g), 0) / (gain(max_grade) + 1)``, by default
    ``(2^g - 1) / 2^max_grade``.

    Parameters
    ----------
    [[data]]
    gain : {"linear", "exponential"}, mapping or callable, default="exponential"
        Gain of a grade: g, ``2^g - 1``, looked up (every grade but 0 must be listed,
        and `max_grade`), or a function of an array of grades.
    max_grade : float, default=4
        The largest possible grade; a grade above it is an error.
    [[relevance]]
    [[k]]
    [[shared]]

    Returns
    -------
    [[returns]]
        Between 0 and 1; undefined for a query without relevant documents, the only use
        of `relevance_threshold` here.

    Raises
    ------
    [[raises]]

    References
    ----------
    .. [1] O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan, "Expected reciprocal rank for
       graded relevance", CIKM 2009.

    Examples
    --------
    >>> from sklearn_irmetrics import expected_reciprocal_rank_score
    >>> expected_reciprocal_rank_score([0, 4, 1], [3, 2, 1])
    0.4700520833333333
    """
    return score_ranking(
        "expected_reciprocal_rank_score", kernels.expected_reciprocal_rank, locals()
    )
