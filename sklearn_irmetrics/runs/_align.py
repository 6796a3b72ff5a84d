"""Judgments and a run, joined into the arrays that every metric takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np
from numpy.typing import DTypeLike

from sklearn_irmetrics._core.parameters import check_count, check_flag, check_option
from sklearn_irmetrics._typing import Source, Table
from sklearn_irmetrics.runs._forms import AlignedRun, Qrels, Run
from sklearn_irmetrics.runs._join import join
from sklearn_irmetrics.runs._merge import check_mapping, map_documents
from sklearn_irmetrics.runs._names import check_column_names
from sklearn_irmetrics.runs._read import read_columns


def align(
    qrels: Qrels | Source | Table,
    run: Run | Source | Table,
    *,
    subtopics: bool = False,
    missing: Literal["zero", "skip", "raise"] = "zero",
    max_docs: int | None = None,
    unmatched: Literal["warn", "raise", "ignore"] = "warn",
    columns: Mapping[str, str] | None = None,
    docno: Callable[[str], str | int] | None = None,
    merge: Literal["max", "first", "sum"] | None = None,
    dtype: DTypeLike = np.float32,
) -> AlignedRun:
    """Join judgments and a run into the arrays that every metric takes.

    Documents are matched by query and document id, compared as text.

    - Judged, not retrieved: ``y_score`` is -inf (if relevant, it counts as missed).
    - Retrieved, no judgment: ``y_true`` is NaN.
    - Negative grade (in the pool, not judged): NaN, and ``pooled`` is True.
    - Queries of the run without judgments are left out, as in trec_eval.

    Rows are sorted by query id (in the order in which trec_eval prints), then
    decreasing score, then decreasing document id; ids are compared by bytes. Scores are
    rounded to float32, as in trec_eval 9; version 10 compares doubles, so set `dtype`.
    With ``ties="stable"``, this is trec_eval's ranking; the other settings of ``ties``
    have the same ties.

    Parameters
    ----------
    qrels : Qrels, str, path, file object, table, dict, tuples or tuple of arrays
        The judgments: the result of `read_qrels` or a file for it, a tuple of three
        arrays (qid, docno, grade), or any other form that `score_run` takes.
    run : Run, str, path, file object, table, dict, tuples or tuple of arrays
        The run, in any of the same forms, with score in place of grade.
    subtopics : bool, default=False
        Whether the judgments are about subtopics of queries, as in the diversity tasks
        of TREC: files whose second field is the subtopic, a DataFrame with a column
        subtopic, or a tuple of four arrays (qid, subtopic, docno, grade). ``y_true``
        then has a column per subtopic, and the rows of a query are sorted by decreasing
        document id only: with ``ties="stable"``, the ideal order of alpha-nDCG is then
        that of ndeval.
    missing : {"zero", "skip", "raise"}, default="zero"
        What to do with queries of the qrels for which the run has no document:
        keep them with nothing retrieved (trec_eval ``-c``), leave them out (the default
        of trec_eval up to version 9), or raise. The attribute `missing` of the result
        lists them.
    max_docs : int, default=None
        Use only so many documents per query, in the order above (trec_eval ``-M``).
        The others count as not retrieved if they are judged, and are dropped if not.
    unmatched : {"warn", "raise", "ignore"}, default="warn"
        As for `score_run`.
    columns : dict of str to str, default=None
        As for `score_run`.
    docno, merge : callable and {"max", "first", "sum"}, default=None
        As for `score_run`.
    dtype : {numpy.float32, numpy.float64}, default=numpy.float32
        Precision in which scores are compared and returned. float64 distinguishes
        scores that are tied in trec_eval 9.

    Returns
    -------
    aligned : AlignedRun
        Frozen, with `y_true`, `y_score`, `qid`, `docno`, `pooled`, `missing` and
        `ignored`.

    Raises
    ------
    ValueError
        If a query has a document twice, a score is NaN, a grade is not finite, no query
        of the run is in the qrels (unless the run is empty), no retrieved document of
        any query was judged (see `unmatched`), or ``missing="raise"`` and the run lacks
        a query.
    TypeError
        If qrels or run have none of these forms, or an id is neither text nor integer.

    Examples
    --------
    >>> from sklearn_irmetrics.runs import align
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
    check_join(missing, max_docs, unmatched)
    check_mapping(docno, merge)
    dtype = check_dtype(dtype)
    check_flag("subtopics", subtopics)
    columns = check_column_names(columns)
    judged = read_judgments(qrels, subtopics, columns)
    listed = read_columns(run, "run", "score", columns=columns)
    listed = map_documents(listed, docno, merge)
    policy = {"missing": missing, "dtype": dtype, "unmatched": unmatched}
    return join(judged, listed, max_docs=max_docs, **policy).sorted()


def read_judgments(qrels, subtopics, columns):
    """Return the columns of judgments; refuse subtopics that were not requested."""
    if not subtopics and isinstance(qrels, Qrels) and qrels.subtopic is not None:
        raise ValueError("qrels were read with subtopics; got subtopics=False.")
    return read_columns(qrels, "qrels", "grade", subtopics=subtopics, columns=columns)


def check_join(missing, max_docs, unmatched):
    """Check the rules for missing ids and the number of documents."""
    check_option("missing", missing, ("zero", "skip", "raise"))
    check_option("unmatched", unmatched, ("warn", "raise", "ignore"))
    if max_docs is not None:
        check_count("max_docs", max_docs)


def check_dtype(dtype):
    """Return the type that scores are compared in."""
    try:
        dtype = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"dtype must be float32 or float64; got {dtype!r}.") from None
    if dtype not in (np.float32, np.float64):
        raise ValueError(f"dtype must be float32 or float64; got {dtype}.")
    return dtype
