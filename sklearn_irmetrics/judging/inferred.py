"""Inferred AP and nDCG from pools with sampled strata."""

from __future__ import annotations

import io
from typing import Literal

import numpy as np

from sklearn_irmetrics._typing import Source, Table
from sklearn_irmetrics.metrics._measure import Measure
from sklearn_irmetrics.reports.query_scores import QueryScores
from sklearn_irmetrics.runs import Qrels, Run, align, read_qrels
from sklearn_irmetrics.runs.files import open_source, source_name

_EPSILON = 1e-5
_MOST_RANKS = 1000  # what sample_eval looks at


def inferred_scores(
    qrels: Qrels | Source,
    run: Run | Source | Table,
    *,
    missing: Literal["zero", "skip", "raise"] = "zero",
) -> QueryScores:
    r"""Infer AP and nDCG from judgments of sampled documents, as sample_eval does.

    The pool is divided into strata, and a random sample of each stratum was judged.

    Parameters
    ----------
    qrels : Qrels, path or file object
        The result of `read_sampled_qrels`, or a file for it.
    run : dict, table, file or Run
        A run in any form that `score_run` takes. Its first 1000 ranks count.
    missing : {"zero", "skip", "raise"}, default="zero"
        What to do with queries that are missing from the run; sample_eval skips them.

    Returns
    -------
    QueryScores
        With ``"infap"`` and ``"infndcg"``; a query without relevant documents in its
        sample has 0. Its `interval()` gives confidence intervals over queries.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    Notes
    -----
    A relevant document at rank r has the inferred precision ``(1 + sum over strata of
    documents above it, times the share of relevant ones among those judged) / r``, a
    share being ``(relevant + 0.00001) / (judged + 0.00003)``. AP and the number of
    relevant documents count each judged document for as many as its stratum has per
    judged one. nDCG takes grades as gains; inside a stratum, retrieved documents gain
    what those of them that were judged do on average. Both are ratios, so that small
    samples leave some bias.

    References
    ----------
    E. Yilmaz, E. Kanoulas and J. A. Aslam, "A Simple and Efficient Sampling Method for
    Estimating AP and NDCG", SIGIR 2008.

    Examples
    --------
    >>> import io
    >>> from sklearn_irmetrics.judging import inferred_scores
    >>> qrels = io.StringIO("1 0 a top 1\n1 0 b top 0\n1 0 c rest 2\n1 0 d rest -1\n")
    >>> inferred_scores(qrels, {"1": ["b", "a", "d", "c"]})
    QueryScores of 1 query
      infap    0.5556
      infndcg  0.6257
    """
    if not isinstance(qrels, Qrels):
        qrels = read_sampled_qrels(qrels)
    if qrels.subtopic is None:
        raise ValueError("qrels must have strata; use read_sampled_qrels.")
    keys = zip(qrels.qid, qrels.docno, strict=True)
    stratum_of = dict(zip(keys, qrels.subtopic, strict=True))
    aligned = align(
        Qrels(qrels.qid, qrels.docno, qrels.grade),
        run,
        missing=missing,
        max_docs=_MOST_RANKS,
        dtype=np.float64,
    )
    pairs = zip(aligned.qid, aligned.docno, strict=True)
    stratum = np.array([stratum_of.get(pair, "") for pair in pairs])
    query_ids, first = np.unique(aligned.qid, return_index=True)
    values = np.array(
        [
            _infer(aligned.y_true[rows], stratum[rows], aligned.y_score[rows] > -np.inf)
            for rows in np.split(np.arange(len(stratum)), np.sort(first)[1:])
        ]
    ).reshape(-1, 2)
    scores = dict(zip(("infap", "infndcg"), values.T, strict=True))
    return QueryScores(
        query_ids=query_ids[np.argsort(first)],
        scores=scores,
        mean={name: float(one.mean()) for name, one in scores.items()},
        metrics={"infap": Measure("infap"), "infndcg": Measure("ndcg")},
    )


def _infer(grades, stratum, retrieved):
    """Return inferred AP and nDCG of one query, documents in order of rank.

    Parameters
    ----------
    grades : ndarray of shape (n_documents,)
        NaN where not judged.
    stratum : ndarray of shape (n_documents,)
        Empty for documents that were not in the pool.
    retrieved : ndarray of shape (n_documents,), dtype bool
        Those that have a rank; they come first.
    """
    strata = np.unique(stratum[stratum != ""])
    pool = (stratum[:, np.newaxis] == strata).astype(float)
    judged = pool * ~np.isnan(grades)[:, np.newaxis]
    relevant = judged * (grades > 0)[:, np.newaxis]
    gains = np.where(grades > 0, grades, 0.0)
    # The number of documents of its stratum that a judged one represents.
    stands_for = judged @ (pool.sum(axis=0) / np.maximum(judged.sum(axis=0), 1))
    n_relevant = stands_for[grades > 0].sum()
    if n_relevant == 0:
        return 0.0, 0.0
    pool, judged, relevant = (one[retrieved] for one in (pool, judged, relevant))
    above, judged_above, relevant_above = (
        np.cumsum(one, axis=0) - one for one in (pool, judged, relevant)
    )
    share = (relevant_above + _EPSILON) / (judged_above + 3 * _EPSILON)
    rank = np.arange(1, len(pool) + 1)
    precision = (1 + (above * share).sum(axis=1)) / rank
    met = grades[retrieved] > 0
    ap = (stands_for[retrieved] * precision)[met].sum() / n_relevant
    gained = judged.T @ (gains[retrieved] / np.log2(rank + 1))
    dcg = pool.sum(axis=0) @ (gained / np.maximum(judged.sum(axis=0), 1))
    levels = np.unique(gains[gains > 0])[::-1]
    numbers = [int(stands_for[gains == level].sum() + 0.5) for level in levels]
    best = np.repeat(levels, numbers)[:_MOST_RANKS]
    ideal = (best / np.log2(np.arange(2, len(best) + 2))).sum()
    return ap, dcg / ideal


def read_sampled_qrels(source: Source) -> Qrels:
    r"""Read judgments of sampled documents, in the form of sample_eval.

    Lines have query, iteration, document, stratum and grade; a grade of -1 means that
    the document is in the stratum, but was not sampled.

    Parameters
    ----------
    source : str, path or file object
        A file, plain or compressed.

    Returns
    -------
    Qrels
        With the stratum as `subtopic`.

    Raises
    ------
    ValueError
        If a line does not have five fields, or breaks the rules of `read_qrels`.

    Examples
    --------
    >>> import io
    >>> from sklearn_irmetrics.judging import read_sampled_qrels
    >>> read_sampled_qrels(io.StringIO("1 0 a top 1\n1 0 b rest -1\n")).subtopic
    array(['top', 'rest'], dtype=object)
    """
    name = source_name(source)
    lines = []
    with open_source(source, name) as stream:
        text = stream.read().decode()
    for number, line in enumerate(text.splitlines(), start=1):
        fields = line.split()
        if len(fields) != 5:
            raise ValueError(
                f"{name}: line {number} must have five fields (query, iteration, "
                f"document, stratum, grade); got {len(fields)}."
            )
        query, _, document, stratum, grade = fields
        lines.append(f"{query} {stratum} {document} {grade}\n")
    return read_qrels(io.StringIO("".join(lines)), subtopics=True)
