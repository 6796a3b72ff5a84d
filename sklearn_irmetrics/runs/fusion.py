"""Fuse several runs into one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.numbers import as_floats
from sklearn_irmetrics._arrays.query_ids import number_values
from sklearn_irmetrics._checks import check_option, check_real
from sklearn_irmetrics.runs._forms import Run, check_column_names, list_runs
from sklearn_irmetrics.runs._ids import (
    TextIds,
    in_trec_order,
    ranks_in_queries,
)
from sklearn_irmetrics.runs.files import read_columns

Method: TypeAlias = Literal[
    "rrf", "combsum", "combmnz", "combanz", "combmax", "isr", "log_isr", "borda"
]
NORMS = "min-max", "sum", "zmuv"
_LARGE = 1e300  # differences of larger numbers may overflow


def fuse_runs(
    runs: Iterable[Any] | Mapping[str, Any],
    method: Method = "rrf",
    *,
    weights: ArrayLike | Mapping[str, float] | None = None,
    normalize: Literal["min-max", "sum", "zmuv"] | None = "min-max",
    k: float | None = None,
    columns: Mapping[str, str] | None = None,
) -> Run:
    r"""Fuse several runs into one.

    Parameters
    ----------
    runs : list of runs, or dict of str to run
        Runs in any form that `score_run` takes. A document gets nothing from a run that
        does not list it, and a query may be missing from some of the runs.
    method : str, default="rrf"
        How to score a document from the runs that list it. By ranks: "rrf", reciprocal
        rank fusion, :math:`\sum 1 / (k + \mathrm{rank})`; "isr" and "log_isr", the sum
        of inverse squared ranks, times the number of runs or its logarithm; "borda",
        one point for each document of the query that a run ranks no higher; a run that
        does not list the document gives the mean of its remaining points. By scores:
        "combsum", their sum; "combmnz", the sum times the number of runs; "combanz",
        the sum divided by the number of runs; "combmax", the largest score.
    weights : array-like of shape (n_runs,) or dict of str to float, default=None
        Weight of each run, at least 0; a dict if `runs` is one. The contribution of a
        run is multiplied by its weight, but "isr" and "log_isr" also count runs of
        weight 0. "combanz" uses the sum of the weights instead of the number of runs.
        So does "combmnz", which does not multiply scores: a run of weight 0 still adds
        its own. None: 1 each.
    normalize : {"min-max", "sum", "zmuv"} or None, default="min-max"
        How the scores of each query in a run are scaled before they are summed: to a
        minimum of 0 and a maximum of 1, to a minimum of 0 and a sum of 1, to a mean of
        0 and a variance of 1, or not at all. Scores that are all equal become 0.
        Ignored by methods of ranks.
    k : float, default=None
        Constant of reciprocal rank fusion, at least 0, only with "rrf". Larger
        values reduce the advantage of the first ranks. None: 60.
    columns : dict of str to str, default=None
        Names of columns of tables, as for `score_run`.

    Returns
    -------
    fused : Run
        Sorted by query, decreasing score and decreasing document id.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above, there is no run, or, for methods that sum
        scores, a score or a sum is infinite.

    Notes
    -----
    Ties are kept. Documents with equal scores in a run each get the mean contribution
    of their ranks, so no order among them is invented. Documents that get the same
    contributions from the runs, in any order, have exactly the same score.

    References
    ----------
    G. V. Cormack, C. L. A. Clarke, S. Buettcher, "Reciprocal rank fusion outperforms
    Condorcet and individual rank learning methods", SIGIR 2009. E. A. Fox, J. A. Shaw,
    "Combination of multiple searches", TREC-2, 1994. J. A. Aslam, M. Montague, "Models
    for metasearch", SIGIR 2001. S. Wu, F. Crestani, "Data fusion with estimated
    weights", CIKM 2002. A. Mourão, F. Martins, J. Magalhães, "Multimodal medical
    information retrieval with unsupervised rank fusion", Computerized Medical Imaging
    and Graphics 39, 2015.

    Examples
    --------
    >>> from sklearn_irmetrics import score_run
    >>> from sklearn_irmetrics.runs import fuse_runs
    >>> bm25 = {"q1": {"d1": 12.1, "d2": 9.3, "d3": 8.8}}
    >>> dense = {"q1": ["d3", "d1"]}
    >>> fused = fuse_runs([bm25, dense])
    >>> fused.docno.tolist()
    ['d1', 'd3', 'd2']
    >>> fused.score.round(5).tolist()
    [0.03252, 0.03227, 0.01613]
    >>> score_run({"q1": ["d1"]}, fused, "mrr").mean
    {'mrr': 1.0}
    >>> runs = {"bm25": bm25, "dense": dense}
    >>> fuse_runs(runs, weights={"bm25": 0.3, "dense": 0.7}).docno.tolist()
    ['d3', 'd1', 'd2']
    """
    check_option("method", method, get_args(Method))
    if normalize is not None:
        check_option("normalize", normalize, NORMS)
    if k is not None and method != "rrf":
        raise ValueError(f"k must be None with method={method!r}; got {k!r}.")
    k = check_real("k", 60 if k is None else k, -np.inf, np.inf, "a finite number >= 0")
    if k < 0:
        raise ValueError(f"k must be a finite number >= 0; got {k!r}.")
    columns = check_column_names(columns)
    names, listed = list_runs(runs)
    read = [read_columns(run, "runs", "score", columns=columns) for run in listed]
    weight = _check_weights(weights, names, len(read))
    documents, place = number_values(
        [pair for run in read for pair in zip(run.qid, run.docno.text(), strict=True)]
    )
    rows = np.split(place, np.cumsum([len(run) for run in read])[:-1])
    qid: Any = np.array([qid for qid, _ in documents], dtype=object)
    query = number_values(qid)[1]
    shares = np.zeros((len(documents), len(read)))
    retrieved = np.zeros(shares.shape, dtype=bool)
    for i, (places, run) in enumerate(zip(rows, read, strict=True)):
        retrieved[places, i] = True
        shares[places, i] = _shares(run, method, k, normalize)
    if method == "borda":
        shares = _points(shares, retrieved, query)
    with np.errstate(over="ignore", invalid="ignore"):
        score = _combine(method, shares, retrieved, weight)
    if not np.isfinite(score).all():
        pair = documents[int(np.isfinite(score).argmin())]
        raise ValueError(
            "scores of runs must have a finite sum; it is not finite for query "
            f"{pair[0]!r} and document {pair[1]!r}. Pass normalize='min-max'."
        )
    docno: Any = np.array([docno for _, docno in documents], dtype=object)
    order = in_trec_order(query, score, TextIds(docno))
    return Run(qid[order], docno[order], score[order], method)


def _check_weights(weights, names, n_runs):
    """Return the weight of each run."""
    if weights is None:
        return np.ones(n_runs)
    if isinstance(weights, Mapping):
        if names is None or weights.keys() != set(names):
            raise ValueError(
                "weights may be a dict only if runs is a dict with the same names; "
                f"got {list(weights)} for {names or f'a list of {n_runs} runs'}."
            )
        weights = [weights[name] for name in names]
    checked = as_floats("weights", weights)
    if checked.shape != (n_runs,):
        raise ValueError(
            f"weights must have one number per run, {n_runs}; got shape "
            f"{checked.shape}."
        )
    if not (np.isfinite(checked).all() and checked.min() >= 0 < checked.max()):
        raise ValueError(
            "weights must be finite, non-negative and not all zero; got "
            f"{checked.tolist()}."
        )
    return checked


def _shares(run, method, k, normalize):
    """Return the contribution of a run to each document that it lists."""
    if method == "rrf":
        return _share_by_rank(run, lambda rank: 1 / (k + rank))
    if method in ("isr", "log_isr"):
        return _share_by_rank(run, lambda rank: 1.0 / rank**2)
    if method == "borda":
        return _share_by_rank(run, np.negative)
    return _normalized(run, normalize)


def _points(shares, retrieved, query):
    """Return Borda's points from negated ranks."""
    n_queries = query.max(initial=-1) + 1
    cells = query[:, np.newaxis] * retrieved.shape[1] + np.arange(retrieved.shape[1])
    n_retrieved = np.bincount(
        cells[retrieved], minlength=n_queries * retrieved.shape[1]
    )
    n_documents = np.bincount(query)[query][:, np.newaxis]
    rest = (n_documents - n_retrieved[cells] + 1) / 2
    return np.where(retrieved, n_documents + 1 + shares, rest)


def _combine(method, shares, retrieved, weight):
    """Return the score of each document."""
    if method == "combmax":
        return np.where(retrieved, shares * weight, -np.inf).max(axis=1)
    weighted = shares if method == "combmnz" else shares * weight
    # Sums of the same numbers are equal only if their order is the same.
    total, weights = (
        np.sort(scores, axis=1).sum(axis=1) for scores in (weighted, retrieved * weight)
    )
    if method == "combmnz":
        return total * weights
    if method == "combanz":
        return _divide(total, weights)
    if method == "isr":
        return total * retrieved.sum(axis=1)
    return total * np.log(retrieved.sum(axis=1)) if method == "log_isr" else total


def _share_by_rank(run, share):
    """Return the contribution of each document's rank; tied ones get their mean."""
    order = np.lexsort((-run.numbers, run.query))
    query, score = run.query[order], run.numbers[order]
    opens = np.append(True, (query[1:] != query[:-1]) | (score[1:] != score[:-1]))
    tied = np.flatnonzero(opens[: len(query)])
    sizes = np.diff(tied, append=len(query))
    share_of_rank = share(1.0 + ranks_in_queries(query))
    shares = np.empty(len(query))
    shares[order] = np.repeat(np.add.reduceat(share_of_rank, tied) / sizes, sizes)
    return shares


def _normalized(run, normalize):
    """Return the scores of each query on a common scale."""
    score, query = run.numbers, run.query
    if not np.isfinite(score).all():
        row = int(np.flatnonzero(~np.isfinite(score))[0])
        raise ValueError(
            f"score of runs must be finite; got {score[row]} for query "
            f"{run.qid[row]!r} and document {run.docno.text([row])[0]!r}."
        )
    if normalize is None:
        return score

    def total(values):
        return np.bincount(query, values)[query]

    def largest(values):
        scores = np.full(len(run.queries), -np.inf)
        np.maximum.at(scores, query, values)
        return scores[query]

    score = np.where(largest(np.abs(score)) > _LARGE, score * 2.0**-600, score)
    score = score + largest(-score)
    score = _divide(score, total(score) if normalize == "sum" else largest(score))
    if normalize == "zmuv":  # scores are from 0 to 1 here, so squares are in range
        size = total(np.ones_like(score))
        score = score - total(score) / size
        score = _divide(score, np.sqrt(total(score**2) / size))
    return score


def _divide(score, scale):
    """Divide scores by a scale; 0 if that is 0, as for equal scores of a query."""
    return np.divide(score, scale, out=np.zeros_like(score), where=scale > 0)
