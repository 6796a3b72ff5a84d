"""Several runs become one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any, Literal

import numpy as np

from sklearn_irmetrics._core.parameters import check_option, check_real
from sklearn_irmetrics.runs._forms import Run
from sklearn_irmetrics.runs._ids import (
    TextIds,
    in_trec_order,
    number_ids,
    ranks_in_queries,
)
from sklearn_irmetrics.runs._names import check_column_names
from sklearn_irmetrics.runs._read import read_columns

_METHODS = "rrf", "combsum", "combmnz"
_NORMS = "min-max", "sum", "zmuv"
_LARGE = 1e300  # differences of larger numbers may overflow


def fuse_runs(
    runs: Iterable[Any] | Mapping[str, Any],
    method: Literal["rrf", "combsum", "combmnz"] = "rrf",
    *,
    normalize: Literal["min-max", "sum", "zmuv"] | None = "min-max",
    k: float = 60,
    columns: Mapping[str, str] | None = None,
) -> Run:
    r"""Fuse several runs into one.

    Parameters
    ----------
    runs : list of runs, or dict of str to run
        Runs in any form that `score_run` takes. A document gets nothing from a run that
        does not list it, and a query may be missing from some of the runs.
    method : {"rrf", "combsum", "combmnz"}, default="rrf"
        Reciprocal rank fusion, :math:`\sum 1 / (k + \mathrm{rank})` over the runs that
        list the document; the sum of its scores; or that sum times their number.
    normalize : {"min-max", "sum", "zmuv"} or None, default="min-max"
        How the scores of each query in a run are scaled before they are summed: to a
        minimum of 0 and a maximum of 1, to a minimum of 0 and a sum of 1, to a mean of
        0 and a variance of 1, or not at all. Scores that are all equal become 0.
        Ignored by reciprocal rank fusion.
    k : float, default=60
        Constant of reciprocal rank fusion, at least 0. The larger it is, the less the
        first ranks stand out.
    columns : dict of str to str, default=None
        Names of columns of tables, as for `score_run`.

    Returns
    -------
    fused : Run
        By query, decreasing score and decreasing document id.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above, there is no run, or a score or a sum of
        scores is infinite where scores are summed.

    Notes
    -----
    Ties are kept. Documents with equal scores in a run each get the mean of what their
    ranks give, so that no order among them is invented. Documents that get the same
    contributions from the runs, in whatever order, have exactly the same score.

    References
    ----------
    G. V. Cormack, C. L. A. Clarke, S. Buettcher, "Reciprocal rank fusion outperforms
    Condorcet and individual rank learning methods", SIGIR 2009. E. A. Fox, J. A. Shaw,
    "Combination of multiple searches", TREC-2, 1994.

    Examples
    --------
    >>> from sklearn_irmetrics import fuse_runs, score_run
    >>> bm25 = {"q1": {"d1": 12.1, "d2": 9.3, "d3": 8.8}}
    >>> dense = {"q1": ["d3", "d1"]}
    >>> fused = fuse_runs([bm25, dense])
    >>> fused.docno.tolist()
    ['d1', 'd3', 'd2']
    >>> fused.score.round(5).tolist()
    [0.03252, 0.03227, 0.01613]
    >>> score_run({"q1": ["d1"]}, fused, "mrr").mean
    {'mrr': 1.0}
    """
    check_option("method", method, _METHODS)
    if normalize is not None:
        check_option("normalize", normalize, _NORMS)
    k = check_real("k", k, -np.inf, np.inf, "a finite number >= 0")
    if k < 0:
        raise ValueError(f"k must be a finite number >= 0; got {k!r}.")
    columns = check_column_names(columns)
    if isinstance(runs, str | bytes | Run) or not isinstance(runs, Iterable):
        raise TypeError(f"runs must be a list or a dict of runs; got {runs!r}.")
    listed = runs.values() if isinstance(runs, Mapping) else list(runs)
    listed = [read_columns(run, "runs", "score", columns=columns) for run in listed]
    if not listed:
        raise ValueError("runs must hold at least one run; got none.")
    row_of: dict[tuple[str, str], int] = defaultdict(count().__next__)
    rows, given = [], []
    for run in listed:
        pairs = zip(run.qid, run.docno.text(), strict=True)
        rows.append([row_of[pair] for pair in pairs])
        if method == "rrf":
            given.append(_reciprocal_ranks(run, k))
        else:
            given.append(_normalized(run, normalize))
    shares = np.zeros((len(row_of), len(listed)))
    n_lists = np.zeros(len(row_of))
    for i, (places, values) in enumerate(zip(rows, given, strict=True)):
        shares[places, i] = values
        n_lists[places] += 1
    # The same numbers have the same sum only in the same order.
    with np.errstate(over="ignore", invalid="ignore"):
        score = np.sort(shares, axis=1).sum(axis=1)
        if method == "combmnz":
            score = score * n_lists
    if not np.isfinite(score).all():
        pair = list(row_of)[int(np.isfinite(score).argmin())]
        raise ValueError(
            "scores of runs must have a finite sum; they have none for query "
            f"{pair[0]!r} and document {pair[1]!r}. Pass normalize='min-max'."
        )
    qid: Any = np.array([qid for qid, _ in row_of], dtype=object)
    docno: Any = np.array([docno for _, docno in row_of], dtype=object)
    order = in_trec_order(number_ids(qid)[1], score, TextIds(docno))
    return Run(qid[order], docno[order], score[order], method)


def _reciprocal_ranks(run, k):
    """Return the share of each document, tied ones the mean of theirs."""
    order = np.lexsort((-run.value, run.query))
    query, score = run.query[order], run.value[order]
    opens = np.append(True, (query[1:] != query[:-1]) | (score[1:] != score[:-1]))
    tied = np.flatnonzero(opens[: len(query)])
    sizes = np.diff(tied, append=len(query))
    given = 1 / (k + 1 + ranks_in_queries(query))
    shares = np.empty(len(query))
    shares[order] = np.repeat(np.add.reduceat(given, tied) / sizes, sizes)
    return shares


def _normalized(run, normalize):
    """Return the scores of each query on a common scale."""
    score, query = run.value, run.query
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
        found = np.full(len(run.queries), -np.inf)
        np.maximum.at(found, query, values)
        return found[query]

    score = np.where(largest(np.abs(score)) > _LARGE, score * 2.0**-600, score)
    score = score + largest(-score)
    score = _divide(score, total(score) if normalize == "sum" else largest(score))
    if normalize == "zmuv":  # of scores from 0 to 1, whose squares are in range
        size = total(np.ones_like(score))
        score = score - total(score) / size
        score = _divide(score, np.sqrt(total(score**2) / size))
    return score


def _divide(score, scale):
    """Return scores on a scale; those of a query whose scores are all equal are 0."""
    return np.divide(score, scale, out=np.zeros_like(score), where=scale > 0)
