"""Measures rank by rank: the running table and gain curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sklearn_irmetrics._core.blocks import iter_blocks
from sklearn_irmetrics._core.inputs import check_batch
from sklearn_irmetrics._core.parameters import TIES, check_option, check_parameters
from sklearn_irmetrics._core.ranking import Ranking
from sklearn_irmetrics._core.score import average_at_cutoffs
from sklearn_irmetrics._tables import import_pandas
from sklearn_irmetrics._typing import (
    Array,
    ArrayLike,
    Average,
    Discount,
    Gain,
    Ids,
    NegativeGrades,
    Rankings,
    Ties,
)
from sklearn_irmetrics.kernels import _binary, _graded

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class RankTable:
    """Precision and recall at every rank of every query.

    Attributes
    ----------
    qid : ndarray of shape (n_ranks,)
        Query ids, queries in order of first appearance.
    rank : ndarray of shape (n_ranks,)
        Ranks from 1.
    relevant : ndarray of shape (n_ranks,)
        1 if the document is relevant, 0 if not; its expectation where scores tie.
    precision : ndarray of shape (n_ranks,)
        Share of relevant documents down to the rank.
    recall : ndarray of shape (n_ranks,)
        Share of all relevant documents that are found down to the rank; NaN if there
        are none.
    """

    qid: np.ndarray
    rank: np.ndarray
    relevant: np.ndarray
    precision: np.ndarray
    recall: np.ndarray

    def to_frame(self) -> DataFrame:
        """Return the table as a `pandas.DataFrame`, a row per rank."""
        return import_pandas().DataFrame(vars(self))


def precision_recall_at_ranks(
    y_true: Rankings,
    y_score: Rankings,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    pos_label: Any = None,
    k: int | None = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    ties: Ties = "average",
) -> RankTable:
    """Tabulate relevance, precision and recall at every rank.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged. With 2-D `y_score`, 1-D class labels
        are allowed: each row then ranks the classes, and its own class is relevant.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
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
        Query ids of any hashable kind, for 1-D input. None: all rows are one ranking.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        How to rank tied documents: return the exact expectation over all their orders,
        or take the best order, the worst order, or the order of the rows.

    Returns
    -------
    RankTable
        With `qid`, `rank`, `relevant`, `precision`, `recall` and `to_frame()`.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    precision_recall_curve : Precision against recall, with thresholds.
    r_precision_score : Precision at the rank where it equals recall.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze, "Introduction to Information
       Retrieval", Cambridge University Press, 2008, section 8.4.

    Examples
    --------
    >>> from sklearn_irmetrics import precision_recall_at_ranks
    >>> table = precision_recall_at_ranks([1, 1, 0, 1], [4, 3, 2, 1])
    >>> table.precision
    array([1.        , 1.        , 0.66666667, 0.75      ])
    """
    arguments = locals()
    check_option("ties", ties, TIES)
    batch = check_batch(y_true, y_score, qid=qid, labels=labels)
    names = "k", "relevance_threshold", "judged_only", "pos_label"
    checked = check_parameters({name: arguments[name] for name in names}, batch)
    parts = []
    for block in iter_blocks(batch):
        block = block.condensed() if judged_only else block
        ranking = Ranking.of(block, ties=ties, depth=checked["k"])
        threshold = checked["relevance_threshold"]
        table = _binary.running_table(ranking, relevance_threshold=threshold)
        ranked = ranking.ranks <= ranking.n_retrieved[:, np.newaxis]
        queries = np.broadcast_to(block.queries[:, np.newaxis], ranked.shape)
        ranks = np.broadcast_to(ranking.ranks.astype(np.int64), ranked.shape)
        parts.append([values[ranked] for values in (queries, ranks, *table)])
    queries, *columns = map(np.concatenate, zip(*parts, strict=True))
    by_query = np.argsort(queries, stable=True)
    queries, ids = queries[by_query], batch.query_ids
    return RankTable(ids[queries], *(column[by_query] for column in columns))


_DISCOUNT = {"discount": "log", "log_base": 2}
# The kernel of each kind, and the defaults of its options.
_GAIN_CURVES: dict[str, tuple[Any, dict[str, Any]]] = {
    "cg": (_graded.cumulative_gain, {}),
    "dcg": (_graded.dcg, _DISCOUNT),
    "ndcg": (_graded.ndcg, _DISCOUNT | {"negative_grades": "raise"}),
}


def gain_curve(
    y_true: Rankings,
    y_score: Rankings,
    *,
    kind: Literal["cg", "dcg", "ndcg"] = "ndcg",
    gain: Gain = "linear",
    discount: Discount | None = None,
    log_base: float | None = None,
    negative_grades: NegativeGrades | None = None,
    judged_only: bool = False,
    k: int | None = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: Average = "macro",
    replace_undefined_by: float = np.nan,
) -> tuple[Array, Array]:
    """Cumulative gain at every cutoff, plain, discounted or normalised.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better. NaN: unjudged. With 2-D `y_score`, 1-D class labels
        are allowed: each row then ranks the classes, and its own class is relevant.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
        grade is 0 and a document with an absent score is not retrieved. Ties among
        16-bit scores raise a warning.
    kind : {"cg", "dcg", "ndcg"}, default="ndcg"
        The measure: `cumulative_gain_score`, `dcg_score` or `ndcg_score`.
    gain : {"linear", "exponential"}, mapping or callable, default="linear"
        Gain of a grade, as in `dcg_score`.
    discount : {"log", "jarvelin_kekalainen", "reciprocal"} or callable, default=None
        Weight of a rank, as in `dcg_score`, not for ``"cg"``; None: ``"log"``.
    log_base : float, default=None
        Base of the logarithm, above 1, not for ``"cg"``; None: 2.
    negative_grades : {"raise", "clip", "keep", "minmax"}, default=None
        How ``"ndcg"`` treats negative grades: see `ndcg_score`; None: ``"raise"``.
    judged_only : bool, default=False
        Drop unjudged documents before ranking (condensed lists).
    k : int, default=None
        The last cutoff, at least 1; None: the length of the longest query.
    qid : array-like of shape (n_documents,), default=None
        Query ids of any hashable kind, for 1-D input; rows of a query need not be
        adjacent. None: all rows are one ranking. 2-D input has one query per row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels; None:
        its sorted distinct values, which must be more than two.
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
    cutoffs : ndarray of shape (n_cutoffs,)
        1, 2, ..., up to the last.
    values : ndarray of shape (n_cutoffs,) or (n_queries, n_cutoffs)
        The measure at each cutoff.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    cumulative_gain_score : CG, at one cutoff.
    dcg_score : DCG, at one cutoff.
    ndcg_score : Normalised DCG, at one cutoff.
    metric_at_cutoffs : Any measure at many cutoffs.

    References
    ----------
    .. [1] K. Järvelin, J. Kekäläinen, "Cumulated gain-based evaluation of IR
       techniques", ACM TOIS 20(4), 2002.

    Examples
    --------
    >>> from sklearn_irmetrics import gain_curve
    >>> cutoffs, cg = gain_curve([3, 2, 3, 0], [4, 3, 2, 1], kind="cg")
    >>> cg
    array([3., 5., 8., 8.])
    """
    arguments = locals()
    check_option("kind", kind, tuple(_GAIN_CURVES))
    batch = check_batch(
        y_true, y_score, qid=qid, labels=labels, sample_weight=sample_weight
    )
    kernel, defaults = _GAIN_CURVES[kind]
    parameters = {"gain": gain, "judged_only": judged_only, **defaults}
    for name in ("discount", "log_base", "negative_grades"):
        value = arguments[name]
        if value is not None and name not in defaults:
            raise ValueError(f"{name} must be None with kind={kind!r}; got {value!r}.")
        if value is not None:
            parameters[name] = value
    last = check_parameters({"k": k}, batch)["k"] or batch.max_length
    cutoffs = range(1, min(last, batch.max_length) + 1)
    values = average_at_cutoffs(
        kernel,
        parameters,
        cutoffs,
        batch,
        ties,
        name=f"gain_curve (kind={kind!r})",
        average=average,
        replace_undefined_by=replace_undefined_by,
    )
    return np.asarray(list(cutoffs)), values
