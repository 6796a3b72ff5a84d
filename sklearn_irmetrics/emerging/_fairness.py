"""Exposure of groups of documents."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from sklearn_irmetrics._core.score import score_ranking
from sklearn_irmetrics._typing import (
    ArrayLike,
    Average,
    Discount,
    Ids,
    PlainTies,
    Rankings,
    Score,
)
from sklearn_irmetrics.kernels import _fairness as kernels


def attention_weighted_rank_fairness_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    membership: ArrayLike,
    target: Literal["relevant", "all"] | ArrayLike,
    discount: Discount = "log",
    log_base: float = 2,
    jsd_base: float = 2,
    relevance_threshold: float | None = None,
    pos_label: Any = None,
    k: int | None = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: PlainTies = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Attention-weighted rank fairness (AWRF): whether groups get their share.

    Use it where groups of documents, such as those of authors or regions, should be
    seen in given shares. It ignores relevance: report it together with nDCG.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged. With 2-D `y_score`, 1-D class labels
        are allowed: each row then ranks the classes, and its own class is relevant.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    membership : array-like of the shape of `y_true` and one more axis
        How far each document belongs to each group, a column per group: 0 and 1, or
        shares. Documents without a group have zeros, and their attention does not
        count.
    target : {"relevant", "all"} or array-like of shape (n_groups,)
        The shares of attention that are fair: those of the groups among the relevant
        documents of the query, among all of its documents, or shares that sum to 1.
    discount : {"log", "jarvelin_kekalainen", "reciprocal"} or callable, default="log"
        Weight of rank r: ``1 / log_b(r + 1)``; 1 for r < b, else ``1 / log_b(r)``;
        ``1 / r``; or a function of the array of ranks that count, whose values must not
        rise or be negative.
    log_base : float, default=2
        The base b of the logarithm, above 1.
    jsd_base : float, default=2
        The base of the logarithm in the divergence, at least 2.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document; None: any grade above 0.
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
        Between 0 and 1; undefined if no retrieved or no target document has a group.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    expected_exposure_loss : Fairness to single documents.
    sklearn_irmetrics.ndcg_score : Relevance; TREC multiplies the two.

    Notes
    -----
    .. math::

       \text{AWRF} = 1 - \text{JSD}_b(a, t)

       a_g \propto \sum_d M_{dg} E_d

    where :math:`M_{dg}` is the `membership` of document d in group g, :math:`E_d` the
    mean `discount` of the ranks down to `k` that d has in the orders of tied documents,
    t the `target`, and JSD the Jensen-Shannon divergence with logarithms to the base
    `jsd_base`. The exposure under ties is exact. The value is that of the expected
    exposure, not the mean over all orders.

    Sapiezynski et al. [1]_ leave discount, target and distance open, and tools choose
    them differently, so state all three. TREC's Fair Ranking track of 2022 [2]_ has
    ``discount="jarvelin_kekalainen"`` (1 / log2 max(r, 2)) and natural logarithms,
    ``jsd_base=math.e``, so that its worst value is 1 - ln 2 = 0.307; its targets mix
    the groups of relevant documents with those of the world.

    References
    ----------
    .. [1] P. Sapiezynski, W. Zeng, R. E. Robertson, A. Mislove, C. Wilson, "Quantifying
       the impact of user attention on fair group representation in ranked lists",
       WWW 2019 Companion.
    .. [2] M. D. Ekstrand, G. McDonald, A. Raj, I. Johnson, "Overview of the TREC 2022
       Fair Ranking track", TREC 2022.

    Examples
    --------
    >>> from sklearn_irmetrics.emerging import attention_weighted_rank_fairness_score
    >>> groups = [[1, 0], [1, 0], [0, 1], [0, 1]]
    >>> options = dict(membership=groups, target=[0.5, 0.5])
    >>> y_true = [1, 1, 1, 0]
    >>> score = attention_weighted_rank_fairness_score(y_true, [4, 3, 2, 1], **options)
    >>> round(score, 4)
    0.9862
    >>> attention_weighted_rank_fairness_score(y_true, [1, 1, 1, 1], **options)
    1.0
    """
    return score_ranking(kernels.attention_weighted_rank_fairness, locals())
