"""Judgments and a run, joined into the arrays that every metric takes."""

from __future__ import annotations

from itertools import count, repeat
from numbers import Integral
from typing import Literal

import numpy as np
from numpy.typing import DTypeLike

from sklearn_irmetrics._core.parameters import check_flag
from sklearn_irmetrics._typing import Source, Table
from sklearn_irmetrics.runs._columns import as_columns, as_documents
from sklearn_irmetrics.runs._forms import AlignedRun, Qrels, Run
from sklearn_irmetrics.runs._ids import (
    in_byte_order,
    in_trec_order,
    look_up,
    ranks_in_queries,
    refuse_duplicates,
)


def align(
    qrels: Qrels | Source | Table,
    run: Run | Source | Table,
    *,
    subtopics: bool = False,
    missing: Literal["zero", "skip", "raise"] = "zero",
    max_docs: int | None = None,
    dtype: DTypeLike = np.float32,
) -> AlignedRun:
    """Join judgments and a run into the arrays that every metric takes.

    Documents are matched by query and document id, compared as text.

    - Judged, not retrieved: ``y_score`` is -inf (counts among the relevant ones).
    - Retrieved, no judgment: ``y_true`` is NaN.
    - Negative grade (in the pool, not judged): NaN, and ``pooled`` is True.
    - Queries of the run without judgments are left out, as in trec_eval.

    Rows are sorted by query id, both by byte order (the order in which trec_eval
    prints), then decreasing score, then decreasing document id. Scores are rounded to
    float32, because trec_eval 9 compares them so; version 10 compares doubles, for
    which there is `dtype`. Together with ``ties="stable"`` that is trec_eval's ranking;
    the other settings of ``ties`` see the same ties.

    Parameters
    ----------
    qrels : Qrels, str, path, file object, DataFrame, dict or tuple
        The judgments: what `read_qrels` returns or takes; a DataFrame with columns
        qid (or query_id, q_id), docno (doc_id, docid) and grade (relevance, rel,
        label); a dict of dicts ``{qid: {docno: grade}}`` as pytrec_eval and ranx have
        it; or a tuple of three arrays (qid, docno, grade). Ids are strings or
        integers.
    run : Run, str, path, file object, DataFrame, dict or tuple
        The run, in any of the same forms, with score in the place of grade.
    subtopics : bool, default=False
        Whether the judgments are about subtopics of queries, as in the diversity tasks
        of TREC: files whose second field is the subtopic, a DataFrame with a column
        subtopic, or a tuple of four arrays (qid, subtopic, docno, grade). ``y_true``
        then has a column per subtopic, and the rows of a query come by decreasing
        document id alone, so that the ideal order of alpha-nDCG is that of ndeval.
    missing : {"zero", "skip", "raise"}, default="zero"
        What to do with queries of the qrels for which the run has no document:
        keep them with nothing retrieved (trec_eval ``-c``), leave them out (what
        trec_eval did by default up to version 9), or raise. Attribute `missing` of
        the result names them.
    max_docs : int, default=None
        Use only so many documents per query, in the order above (trec_eval ``-M``).
        Of the others, those in the qrels count as not retrieved, the rest vanish.
    dtype : {numpy.float32, numpy.float64}, default=numpy.float32
        Precision in which scores are compared and returned. float64 keeps apart what
        trec_eval takes for ties.

    Returns
    -------
    aligned : AlignedRun
        Frozen, with `y_true`, `y_score`, `qid`, `docno`, `pooled`, `missing` and
        `ignored`.

    Raises
    ------
    ValueError
        If a document stands twice under a query, a score is NaN, a grade is not
        finite, no query of the run is in the qrels (unless the run is empty), or
        ``missing="raise"`` and the run lacks a query.
    TypeError
        If qrels or run have none of these forms, or an id is neither text nor integer.

    Examples
    --------
    >>> from sklearn_irmetrics.trec import align
    >>> qrels = {"q1": {"d1": 1, "d2": 0, "d3": 2}}
    >>> run = {"q1": {"d2": 0.5, "d3": 0.9, "d4": 0.7}}
    >>> aligned = align(qrels, run)
    >>> aligned.docno.tolist()
    ['d3', 'd4', 'd2', 'd1']
    >>> aligned.y_true
    array([ 2., nan,  0.,  1.])
    >>> aligned.y_score
    array([ 0.9,  0.7,  0.5, -inf], dtype=float32)
    """
    _check_missing(missing)
    _check_max_docs(max_docs)
    dtype = _check_dtype(dtype)
    check_flag("subtopics", subtopics)
    if subtopics:
        qrels_qid, qrels_docno, qrels_grade = as_documents(qrels)
    else:
        _refuse_subtopics(qrels)
        qrels_qid, qrels_docno, qrels_grade = as_columns(qrels, "qrels", "grade")
    run_qid, run_docno, run_score = as_columns(run, "run", "score")

    judged_queries, absent, ignored = _match_queries(qrels_qid, run_qid, missing)
    queries = np.array(judged_queries + ignored, dtype=object)
    code_of = dict(zip(queries, count()))
    qrels_query, run_query = look_up(code_of, qrels_qid), look_up(code_of, run_qid)
    refuse_duplicates(qrels_qid, qrels_docno, "qrels")
    refuse_duplicates(run_qid, run_docno, "run")

    # An infinite score is retrieved all the same: -inf is kept for what is not.
    with np.errstate(over="ignore"):
        run_score = np.maximum(run_score.astype(dtype), np.finfo(dtype).min)
    retrieved = np.flatnonzero(run_query < len(judged_queries))
    if max_docs is not None:
        order = in_trec_order(
            run_query[retrieved], run_score[retrieved], run_docno[retrieved]
        )
        retrieved = retrieved[order]
        retrieved = retrieved[ranks_in_queries(run_query[retrieved]) < max_docs]

    judgment = _find_judgments(
        qrels_qid, qrels_docno, run_qid[retrieved], run_docno[retrieved]
    )
    nothing = np.full((1, *qrels_grade.shape[1:]), np.nan)
    grade = np.concatenate([qrels_grade, nothing])[judgment]
    unretrieved = np.ones(len(qrels_qid), dtype=bool)
    unretrieved[judgment[judgment >= 0]] = False
    if missing == "skip":
        unretrieved &= ~np.isin(qrels_query, look_up(code_of, absent))

    query = np.concatenate([run_query[retrieved], qrels_query[unretrieved]])
    docno = np.concatenate([run_docno[retrieved], qrels_docno[unretrieved]])
    y_true = np.concatenate([grade, qrels_grade[unretrieved]])
    y_score = np.concatenate(
        [run_score[retrieved], np.full(unretrieved.sum(), -np.inf, dtype=dtype)]
    )
    by_score = np.zeros_like(y_score) if subtopics else y_score
    order = in_trec_order(query, by_score, docno)
    y_true = y_true[order]
    pooled = y_true < 0
    y_true[pooled] = np.nan
    if subtopics:
        pooled = pooled.any(axis=1) & np.isnan(y_true).all(axis=1)
    return AlignedRun(
        y_true=y_true,
        y_score=y_score[order],
        qid=queries[query[order]],
        docno=docno[order],
        pooled=pooled,
        missing=tuple(absent),
        ignored=tuple(ignored),
    )


def _refuse_subtopics(qrels):
    """Refuse judgments of subtopics, which nobody asked for."""
    if isinstance(qrels, Qrels) and qrels.subtopic is not None:
        raise ValueError("qrels were read with subtopics; got subtopics=False.")


def _check_missing(missing):
    if not isinstance(missing, str) or missing not in ("zero", "skip", "raise"):
        raise ValueError(f"missing must be 'zero', 'skip' or 'raise'; got {missing!r}.")


def _check_max_docs(max_docs):
    if max_docs is not None and (
        not isinstance(max_docs, Integral) or isinstance(max_docs, bool) or max_docs < 1
    ):
        raise ValueError(f"max_docs must be None or an integer >= 1; got {max_docs!r}.")


def _check_dtype(dtype):
    try:
        dtype = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"dtype must be float32 or float64; got {dtype!r}.") from None
    if dtype not in (np.float32, np.float64):
        raise ValueError(f"dtype must be float32 or float64; got {dtype}.")
    return dtype


def _match_queries(qrels_qid, run_qid, missing):
    """Return, in order, the judged queries, those the run lacks, and the unjudged."""
    judged, listed = set(qrels_qid), set(run_qid)
    absent, ignored = in_byte_order(judged - listed), in_byte_order(listed - judged)
    if listed and len(absent) == len(judged):
        raise ValueError(
            "qrels and run must have a query in common; got "
            f"{_some(absent)} in qrels and {_some(ignored)} in run."
        )
    if absent and missing == "raise":
        raise ValueError(
            f"run lacks {len(absent)} of {len(judged)} queries of qrels: "
            f"{_some(absent)}. Use missing='zero' to keep them with nothing retrieved "
            "or missing='skip' to leave them out."
        )
    return in_byte_order(judged), absent, ignored


def _find_judgments(qrels_qid, qrels_docno, run_qid, run_docno):
    """Return the row of the judgment of each retrieved document, -1 without one."""
    row_of = dict(zip(zip(qrels_qid, qrels_docno, strict=True), count()))
    pairs = zip(run_qid, run_docno, strict=True)
    return np.fromiter(map(row_of.get, pairs, repeat(-1)), dtype=np.int64)


def _some(ids, n=5):
    return (", ".join(map(repr, ids[:n])) or "none") + (", ..." if ids[n:] else "")
