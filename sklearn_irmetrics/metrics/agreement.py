"""Agreement of grades and scores, or of two orders: correlations."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.numbers import as_array, issparse
from sklearn_irmetrics._arrays.rows import (
    add_up,
    divide,
    divide_or_zero,
    gather,
    row_sum,
    running_sum,
    scatter,
    sum_runs,
)
from sklearn_irmetrics._checks import check_inner_share
from sklearn_irmetrics._typing import (
    Average,
    AverageOrMicro,
    Ids,
    Rankings,
    Score,
    Ties,
)
from sklearn_irmetrics.metrics._formulas import pick_column, ratio
from sklearn_irmetrics.metrics._ranking.averages import NO_PAIRS, ONE_LABEL, aggregate
from sklearn_irmetrics.metrics._ranking.compute import score_ranking
from sklearn_irmetrics.metrics._ranking.gains import GradeGain
from sklearn_irmetrics.metrics._ranking.marks import ABSENT
from sklearn_irmetrics.metrics._ranking.parameters import one_of, rules
from sklearn_irmetrics.metrics._ranking.ranking import TieGroups
from sklearn_irmetrics.metrics._ranking.sets import (
    check_classes,
    number_labels,
    query_by_query,
    query_sums,
)


def kendall_tau_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    variant: Literal["b", "a"] = "b",
    qid: Ids | None = None,
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
        absent grade is 0.
    y_score : array-like of the shape of `y_true`
        Scores; larger ranks higher, -inf: not retrieved, tied below all others.
    variant : {"b", "a"}, default="b"
        Whether tied pairs are left out of the denominator (b) or stay in it (a).
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one ranking. 2-D input has one query per row.
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
    return score_ranking(
        "kendall_tau_score",
        _kendall_tau,
        y_true,
        y_score,
        variant=variant,
        qid=qid,
        sample_weight=sample_weight,
        average=average,
        replace_undefined_by=replace_undefined_by,
        undefined_if=NO_PAIRS,
    )


@rules(variant=one_of("a", "b"))
def _kendall_tau(ranking, *, variant):
    """Compute (concordant - discordant pairs) / pairs.

    Variant b divides by the geometric mean of the two numbers of untied pairs.
    """
    pairs = _compare(*_sides(ranking))
    balance = row_sum(pairs.balance)
    if variant == "a":
        return divide(balance, pairs.n * (pairs.n - 1.0) / 2.0)
    untied = row_sum(pairs.by_grade) * row_sum(pairs.by_score)
    return divide(balance, np.sqrt(untied))


def _compare(grades, scores, counted):
    """Count the documents above each, of those that are `counted`."""
    height, width = counted.shape
    size = 1 << (width - 1).bit_length()
    columns = np.arange(size)
    padding = np.broadcast_to(columns[width:], (height, size - width))
    by_grade, by_score = (
        np.concatenate([side.above, padding], axis=1) for side in (grades, scores)
    )
    # By falling score, tied ones by rising grade: then no tied document counts.
    key = np.sort(by_score * size + (size - 1 - by_grade), axis=1)
    by_score, by_grade = key // size, size - 1 - key % size
    # By falling grade, tied ones from the bottom up.
    key_by_grade = np.sort(by_grade * size + (size - 1 - columns), axis=1)
    position = size - 1 - key_by_grade % size
    by_both = _count_left_and_before(position)
    tied_in_both = TieGroups(_starts(key)).place() - 1.0
    groups = TieGroups(_starts(key_by_grade // size))
    tied_below = groups.spread(groups.sizes()) - groups.place()
    tied_above = scatter(tied_below, position) - tied_in_both
    n = row_sum(counted)
    real = columns < n[:, np.newaxis]
    by_grade, by_score, by_both, tied_above = (
        np.where(real, counts, 0)
        for counts in (by_grade, by_score, by_both, tied_above)
    )
    # Above by score: concordant, tied by grade, and the rest discordant.
    balance = 2 * by_both + tied_above - by_score
    return _Pairs(n, by_grade, by_score, by_both, balance, _starts(key // size))


def _sides(ranking):
    """Place the judged documents by grade and by score; all others come last."""
    block = ranking.block
    if block.has_implicit:
        raise TypeError(
            "y_score must be dense for rank correlations; got a sparse matrix. Use its "
            "toarray()."
        )
    judged = ~np.isnan(block.grades)
    return _place(block.grades, judged), _place(block.scores, judged), judged


def _place(values, counted):
    falling = np.where(counted, -values, np.nan)
    order = np.argsort(falling, axis=1)  # NaN comes last, each tied with nothing
    groups = TieGroups(_starts(gather(falling, order)))
    above = np.arange(1, values.shape[1] + 1) - groups.place()
    return _Side(
        scatter(above.astype(np.int64), order),
        scatter(groups.spread(groups.sizes()), order),
    )


class _Side(NamedTuple):
    """Per document: how many are above it, and the size of its tie group."""

    above: np.ndarray
    size: np.ndarray


def _starts(by_rank):
    starts = np.ones_like(by_rank, dtype=bool)
    starts[:, 1:] = by_rank[:, 1:] != by_rank[:, :-1]
    return starts


def _count_left_and_before(position):
    """Count, for each position, the smaller ones to its left.

    Each row is a permutation of 0, 1, ..., 2^m - 1. It is sorted bit by bit, from the
    highest; a position meets each smaller one once, at the first bit that differs.
    """
    size = position.shape[1]
    packed = position.ravel()  # the count goes above the bits of the position
    half = size >> 1
    while half:
        is_lower = (packed & half) == 0
        lower = packed[is_lower].reshape(-1, half)
        upper = packed[~is_lower].reshape(-1, half)
        n_lower = np.cumsum(is_lower, axis=0)[~is_lower].reshape(-1, half)
        n_lower -= half * np.arange(len(lower))[:, np.newaxis]
        packed = np.stack([lower, upper + size * n_lower], axis=1).ravel()
        half >>= 1
    return packed.reshape(position.shape) // size


class _Pairs(NamedTuple):
    """Numbers of documents above each, in score order; 0 where there is no document.

    `balance` counts, of those above by score, the concordant minus the discordant;
    `starts` marks the ranks that open a new group of tied scores.
    """

    n: np.ndarray
    by_grade: np.ndarray
    by_score: np.ndarray
    by_both: np.ndarray
    balance: np.ndarray
    starts: np.ndarray


def ordered_pairs_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    judged_only: bool = False,
    qid: Ids | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
) -> Score:
    r"""Ordered pairs (OPA): how often the higher grade of two documents ranks higher.

    Use it where every pair counts alike, however deep: to see what a ranker learned
    from pairs, or for grades of which only the order means something.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    judged_only : bool, default=False
        Drop unjudged documents before ranking (condensed lists).
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
        Between 0 and 1, 0.5 for random rankings; undefined for a query whose documents
        all have the same grade. Unjudged documents have grade 0.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    roc_auc_score : The same for two grades, relevant or not.
    kendall_tau_score : Also counts pairs, of judged documents only.
    ndcg_score : Depends on the top more than on the rest.

    Notes
    -----
    .. math::

       \mathrm{OPA} = \frac{1}{|P|} \sum_{(d, e) \in P} w_{de}

       w_{de} = \begin{cases} 1 & \text{if } s_d > s_e \\
         1/2 & \text{if } s_d = s_e \\ 0 & \text{if } s_d < s_e \end{cases}

    where P holds the pairs of documents of the query in which d has the higher grade,
    and s is the score. Documents that were not retrieved form one group below all
    others. It is (1 + D) / 2 for Somers' D. ``average="micro"`` divides the sum over
    all queries by the number of their pairs.

    Elsewhere: ``OPAMetric`` in TF-Ranking; the concordance index (C-index) of scores
    and grades.

    References
    ----------
    .. [1] R. H. Somers, "A new asymmetric measure of association for ordinal
       variables", American Sociological Review 27(6), 1962.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import ordered_pairs_score
    >>> ordered_pairs_score([3, 0, 1, 0], [4, 3, 2, 1])
    0.8
    """
    return score_ranking(
        "ordered_pairs_score",
        _ordered_pairs,
        y_true,
        y_score,
        judged_only=judged_only,
        qid=qid,
        sample_weight=sample_weight,
        ties=ties,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _ordered_pairs(ranking):
    """Compute the share of pairs of unequal grades that scores order alike."""
    block, grade = ranking.block, GradeGain()
    scores = block.scores
    if ranking.ties != "average":
        ranking = ranking.break_ties(grade)
        retrieved = ranking.ranks <= ranking.n_retrieved[:, np.newaxis]
        scores = scatter(np.where(retrieved, -ranking.ranks, -np.inf), ranking.order)
    grades = grade(ranking.unranked.documents)
    counted = ranking.unranked.present
    pairs = _compare(_place(grades, counted), _place(scores, counted), counted)
    n_pairs, balance = row_sum(pairs.by_grade), row_sum(pairs.balance)
    if block.has_implicit:  # of grade 0, and not retrieved
        n_pairs = n_pairs + block.n_implicit * row_sum(grades != 0.0)
        above = (block.scores > -np.inf) * np.sign(grades)
        balance = balance + block.n_implicit * row_sum(above)
    return ratio((n_pairs + balance) / 2.0, n_pairs)


def spearman_rho_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    qid: Ids | None = None,
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
        absent grade is 0.
    y_score : array-like of the shape of `y_true`
        Scores; larger ranks higher, -inf: not retrieved, tied below all others.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one ranking. 2-D input has one query per row.
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
    return score_ranking(
        "spearman_rho_score",
        _spearman_rho,
        y_true,
        y_score,
        qid=qid,
        sample_weight=sample_weight,
        average=average,
        replace_undefined_by=replace_undefined_by,
        undefined_if=NO_PAIRS,
    )


def _spearman_rho(ranking):
    """Compute the correlation of the two ranks; tied documents share the mean rank."""
    grades, scores, judged = _sides(ranking)
    middle = (row_sum(judged)[:, np.newaxis] + 1.0) / 2.0
    by_grade, by_score = (
        np.where(judged, side.above + (side.size + 1.0) / 2.0 - middle, 0.0)
        for side in (grades, scores)
    )
    spread = np.sqrt(row_sum(by_grade**2) * row_sum(by_score**2))
    return divide(row_sum(by_grade * by_score), spread)


def average_precision_correlation_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    variant: Literal["a", "b"] = "a",
    qid: Ids | None = None,
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
        absent grade is 0.
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
    >>> from sklearn_irmetrics.metrics import average_precision_correlation_score
    >>> tau_ap = average_precision_correlation_score([4, 3, 2, 1], [3, 4, 2, 1])
    >>> round(tau_ap, 4)
    0.3333
    """
    return score_ranking(
        "average_precision_correlation_score",
        _average_precision_correlation,
        y_true,
        y_score,
        variant=variant,
        qid=qid,
        sample_weight=sample_weight,
        average=average,
        replace_undefined_by=replace_undefined_by,
        undefined_if=NO_PAIRS,
    )


@rules(variant=one_of("a", "b"))
def _average_precision_correlation(ranking, *, variant):
    """Average, over documents, the balance with those above as a share of them.

    Variant a counts the documents above by score. Their number r - 1 depends on the
    order of tied documents, so 1 / (r - 1) is averaged over the ranks of the tie group.
    Variant b counts only documents with others strictly above, for each side in turn.
    """
    pairs = _compare(*_sides(ranking))
    if variant == "a":
        ranks_above = np.arange(pairs.by_score.shape[1])
        shares = divide_or_zero(1.0, ranks_above[np.newaxis])
        groups = TieGroups(pairs.starts)
        share = groups.totals(np.broadcast_to(shares, groups.shape))
        total = row_sum(pairs.balance * groups.spread(share / groups.sizes()))
        return divide(total, np.maximum(pairs.n - 1.0, 0.0))
    one_way = [
        divide(row_sum(divide_or_zero(pairs.by_both, above)), row_sum(above > 0))
        for above in (pairs.by_grade, pairs.by_score)
    ]
    return one_way[0] + one_way[1] - 1.0


def rank_biased_overlap_score(
    y_true: Rankings,
    y_score: Rankings,
    *,
    persistence: float = 0.9,
    variant: Literal["ext", "min", "residual"] = "ext",
    qid: Ids | None = None,
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
    >>> from sklearn_irmetrics.metrics import rank_biased_overlap_score
    >>> round(rank_biased_overlap_score([4, 3, 2, 1], [3, 4, 2, 1]), 4)
    0.9
    >>> first, second = [3, 2, 1, float("-inf")], [2, float("-inf"), 1, 3]
    >>> round(rank_biased_overlap_score(first, second), 4)
    0.585
    """
    marks = None
    if not issparse(y_true):
        grades = as_array("y_true", y_true)
        if grades.dtype.kind == "f" and (absent := np.isneginf(grades)).any():
            y_true = np.where(absent, np.zeros_like(grades), grades)
            marks = {ABSENT: absent}
    return score_ranking(
        "rank_biased_overlap_score",
        _rank_biased_overlap,
        y_true,
        y_score,
        persistence=persistence,
        variant=variant,
        marks=marks,
        qid=qid,
        sample_weight=sample_weight,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


@rules(persistence=check_inner_share, variant=one_of("ext", "min", "residual"))
def _rank_biased_overlap(ranking, *, persistence, variant):
    """Compute (1 - p) Σ p^(d-1) X(d) / d, X(d) the overlap of the two top d.

    Beyond the ends of the two lists, of s and l >= s documents, ``"ext"`` extrapolates
    the overlap and ``"min"`` takes the least possible one; ``"residual"`` is the value
    of the most possible overlap minus that of the least.
    """
    p = persistence
    first, second, both, lengths = _lists(ranking)
    short = np.where(lengths[0] < lengths[1], *lengths)
    long = np.where(lengths[0] < lengths[1], *lengths[::-1])
    common = row_sum(both)
    if variant == "residual":
        value = _residual(p, short, long, common, both.shape[1])
        return np.where(long > 0, value, np.nan)
    depths = np.arange(1.0, both.shape[1] + 1.0)
    overlap = _expected_overlap(first, second, both)
    within = depths <= long[:, np.newaxis]
    weights = (1.0 - p) * np.where(within, p ** (depths - 1.0), 0.0)
    value = row_sum(overlap / depths * weights)
    if variant == "min":
        beyond = _tails(p, both.shape[1], common)[long.astype(np.int64)]
        return np.where(long > 0, value + (1.0 - p) / p * common * beyond, np.nan)
    last = np.maximum(short, 1.0).astype(np.int64) - 1
    at_end = np.where(short < long, pick_column(overlap, last), common)
    agreement = divide_or_zero(at_end, short)[:, np.newaxis]
    unseen = np.maximum(1.0 - short[:, np.newaxis] / depths, 0.0)
    value = value + row_sum(agreement * unseen * weights)
    end = divide_or_zero(common - at_end, long) + agreement[:, 0]
    return np.where(long > 0, value + end * p**long, np.nan)


def _lists(ranking):
    """Place the documents of two lists that may hold different ones.

    Returns
    -------
    first, second : _Side
        By grade and by score; documents that a list does not hold come last.
    both : bool array of shape (n_queries, n_documents)
        Which documents both lists hold.
    lengths : list of array of shape (n_queries,)
        How many documents each list holds.
    """
    *_, judged = _sides(ranking)
    block = ranking.block
    held = [judged, judged & (block.scores > -math.inf)]
    if ABSENT in block.marks:
        held[0] = judged & ~block.marks[ABSENT].astype(bool)
    sides = [
        _place(*side) for side in zip((block.grades, block.scores), held, strict=True)
    ]
    return *sides, held[0] & held[1], list(map(row_sum, held))


def _expected_overlap(first, second, both):
    """Return the expected overlap of two top d, over all orders of tied documents.

    Only documents of `both` lists count. A document enters the overlap at the later of
    its two ranks. On each side, the documents tied at rank d are in the other top d
    with a probability that grows, inside their group, by the chance that one of them
    has this rank on both sides.
    """
    width = first.above.shape[1]
    begin = np.maximum(first.above, second.above)
    end = np.minimum(first.above + first.size, second.above + second.size)
    chance = np.where((begin < end) & both, 1.0 / (first.size * second.size), 0.0)
    steps = add_up(begin, chance, width + 1)
    steps -= add_up(end.astype(np.int64), chance, width + 1)
    same_rank = running_sum(steps[:, :width])
    down_to = running_sum(same_rank)
    before = down_to - same_rank
    entering = 0.0
    for side, other, reached in ((first, second, down_to), (second, first, before)):
        start = np.sort(side.above, axis=1)  # of the group at each rank
        entered = np.clip((side.above - other.above) / other.size, 0.0, 1.0)
        entered = np.where(both, entered, 0.0)
        at_start = add_up(side.above, entered / side.size, width)
        entering += gather(at_start, start) + reached - gather(before, start)
    return running_sum(entering)


def _residual(p, short, long, common, width):
    """Return the largest value of any continuation of two lists, minus the least."""
    whole = short + long - common  # from this depth on, all may be in common
    tails = _tails(p, 2 * width, common)
    of_short, of_long, of_whole = (
        tails[depth.astype(np.int64)] for depth in (short, long, whole)
    )
    lost = short * (of_short - of_whole) + long * (of_long - of_whole)
    lost = lost + common * of_whole
    return p**short + p**long - p**whole - (1.0 - p) / p * lost


def _tails(p, last, like):
    """Return the sum of p^d / d over all d beyond 0, 1, ..., `last`."""
    depths = np.arange(1.0, last + 1.0)
    terms = p**depths / depths
    most = p ** (last + 1.0) / ((last + 1.0) * (1.0 - p))
    rest = min(max(-math.log1p(-p) - float(terms.sum()), 0.0), most)
    sums = np.flip(np.cumsum(np.flip(terms, (0,)), axis=0), (0,))
    return np.concatenate([sums, np.zeros(1)]) + rest


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
    >>> from sklearn_irmetrics.metrics import scott_pi_score
    >>> scott_pi_score(["yes", "yes", "no", "no"], ["yes", "no", "no", "no"])
    0.4666666666666667
    """
    batch, n_classes, weights = check_classes(
        ("y1", y1),
        ("y2", y2),
        number=number_labels,
        qid=qid,
        sample_weight=sample_weight,
    )
    labels = (batch.grades, batch.scores)
    items = weights
    if weights is None:
        items = np.ones_like(labels[0]).astype(np.float64)
    per_query = _scott_pi(
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
        undefined_if=ONE_LABEL,
    )


def _scott_pi(n, n_equal, pooled_squares):
    """Compute (observed - chance) / (1 - chance), chance = Σ (pooled count / 2n)^2."""
    items = 4.0 * n
    return divide(items * n_equal - pooled_squares, items * n - pooled_squares)


def _pooled_squares(labels, items, batch, n_classes):
    """Return the sum of the squared counts of each class in both label arrays."""
    weights, starts = query_by_query(items, batch)
    end = np.full_like(starts[:1], len(weights))
    lengths = np.concatenate([starts[1:], end]) - starts
    first_cells = n_classes * np.arange(len(starts))
    first_cell = np.repeat(first_cells, lengths)
    cells = [first_cell + query_by_query(numbers, batch)[0] for numbers in labels]
    occupied, place = np.unique(np.concatenate(cells), return_inverse=True)
    weights = np.concatenate([weights, weights])
    counts = add_up(place[np.newaxis], weights[np.newaxis], len(occupied))[0]
    return sum_runs(counts**2, np.searchsorted(occupied, first_cells))
