"""Match the documents of runs with judgments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Literal

import numpy as np
from numpy.typing import DTypeLike

from sklearn_irmetrics._arrays.numbers import EXACT
from sklearn_irmetrics._checks import check_count, check_flag, check_option
from sklearn_irmetrics._results.tables import count
from sklearn_irmetrics._typing import Source, Table
from sklearn_irmetrics._warnings import warn_of_data
from sklearn_irmetrics.exceptions import UnmatchedIdsWarning
from sklearn_irmetrics.runs._forms import AlignedRun, Qrels, Run, check_column_names
from sklearn_irmetrics.runs._ids import (
    TextIds,
    find_pairs,
    in_trec_order,
    keys_of,
    make_comparable,
    ranks_in_queries,
)
from sklearn_irmetrics.runs.files import (
    check_mapping,
    map_documents,
    read_columns,
    read_retrieved,
)


@dataclass(frozen=True, eq=False)
class Joined:
    """Judgments and a run, joined: retrieved documents, then other judged ones.

    Attributes
    ----------
    queries : list of str
        The judged queries that count, in byte order.
    query : ndarray of shape (n_rows,)
        The place of its query among them.
    y_true, y_score, pooled : ndarray
        As in `AlignedRun`.
    ids : tuple of (TextIds or ByteIds, ndarray)
        Of documents that were retrieved, with their rows in them; then of the others.
    missing, ignored : tuple of str
        As in `AlignedRun`.
    irrelevant : tuple of str
        Queries of the judgments without a grade above 0.
    """

    queries: list
    query: np.ndarray
    y_true: np.ndarray
    y_score: np.ndarray
    pooled: np.ndarray
    ids: tuple
    missing: tuple
    ignored: tuple
    irrelevant: tuple

    def text(self, rows=slice(None)):
        """Return the ids of the documents in some rows."""
        rows = np.arange(len(self.query))[rows]
        (ids, first), (others, second) = self.ids
        found = np.empty(len(rows), dtype=object)
        is_first = rows < len(first)
        found[is_first] = ids.text(first[rows[is_first]])
        found[~is_first] = others.text(second[rows[~is_first] - len(first)])
        return found

    def order(self):
        """Return the rows by query, decreasing score, decreasing document id.

        With subtopics, scores do not matter: the ideal order of alpha-nDCG is by id.
        """
        score = self.y_score
        score = np.zeros_like(score) if self.y_true.ndim > 1 else score
        return in_trec_order(self.query, score, self)

    def sorted(self):
        """Return the rows in that order as an `AlignedRun`."""
        order = self.order()
        return AlignedRun(
            y_true=self.y_true[order],
            y_score=self.y_score[order],
            qid=np.array(self.queries, dtype=object)[self.query[order]],
            docno=self.text(order),
            pooled=self.pooled[order],
            missing=self.missing,
            ignored=self.ignored,
        )

    def find(self, columns):
        """Return the number listed for each document, 0 if it is not listed."""
        query = renumber(columns, self.queries)
        row = match(columns, query, TextIds(self.text()), self.query)
        return np.append(columns.value, 0)[row]


def join(judged, listed, *, max_docs, missing, dtype, unmatched, where=""):
    """Match judgments and a run.

    Parameters
    ----------
    judged, listed : Columns
        Checked.
    max_docs, missing, dtype, unmatched
        As for `align`.
    where : str
        The beginning of warnings.

    Returns
    -------
    Joined
    """
    there = _present(listed)
    known = _present(judged) | (there & set(judged.queries))
    queries, absent, ignored = _match_queries(known, there, missing)
    judged_query, listed_query = (renumber(one, queries) for one in (judged, listed))

    score = _as_retrieved(listed.value, dtype)
    retrieved = listed_query >= 0
    if max_docs is not None:
        order = in_trec_order(listed_query, score, listed.docno)
        cut = order[ranks_in_queries(listed_query[order] + 1) >= max_docs]
        retrieved[cut] = False

    judgment = match(judged, judged_query, listed.docno, listed_query)
    # The last position belongs to no query.
    has_any, has_judgments, has_judged = np.zeros((3, len(queries) + 1), dtype=bool)
    has_any[listed_query] = has_judgments[judged_query] = True
    has_judged[listed_query[judgment >= 0]] = True
    sides = (listed, listed_query), (judged, judged_query)
    _check_matched(
        queries,
        (has_any & has_judgments)[:-1],
        has_judged[:-1],
        lambda i: (one.docno.text(np.flatnonzero(of == i)) for one, of in sides),
        unmatched,
        where,
    )
    if not retrieved.all():
        retrieved = np.flatnonzero(retrieved)
        listed_query, score = listed_query[retrieved], score[retrieved]
        judgment = judgment[retrieved]
    else:
        retrieved = np.arange(len(retrieved))
    found = np.flatnonzero(judgment >= 0)
    left = judged_query >= 0
    left[judgment[found]] = False
    left = np.flatnonzero(left)
    grades = np.full((len(score), *judged.value.shape[1:]), np.nan)
    grades[found] = judged.value[judgment[found]]
    return Joined(
        queries,
        np.concatenate([listed_query, judged_query[left]]),
        *_put_together(grades, score, judged.value[left]),
        ids=((listed.docno, retrieved), (judged.docno, left)),
        missing=tuple(absent),
        ignored=tuple(ignored),
        irrelevant=_irrelevant(judged),
    )


def _irrelevant(judged):
    """Return the queries without a grade above 0, sorted."""
    relevant = (judged.value > 0).any(axis=tuple(range(1, judged.value.ndim)))
    numbers = np.bincount(judged.query[relevant], minlength=len(judged.queries))
    return tuple(sorted(judged.queries[i] for i in np.flatnonzero(numbers == 0)))


def _put_together(grades, score, left):
    """Return grades, scores and pool flags of retrieved, then of other documents."""
    y_true = np.concatenate([grades, left])
    y_score = np.concatenate([score, np.full(len(left), -np.inf, dtype=score.dtype)])
    pooled = y_true < 0
    if pooled.any():
        y_true[pooled] = np.nan
    if pooled.ndim > 1:
        pooled = pooled.any(axis=1) & np.isnan(y_true).all(axis=1)
    return y_true, y_score, pooled


def join_dicts(qrels, run, *, missing, dtype, unmatched, where):
    """Match dicts of dicts whose keys are all strings, in their own hash tables.

    Returns
    -------
    Joined, or None
        Without ids. None if they have another form, or hold invalid values.
    """
    if not (_are_plain(qrels) and _are_plain(run)):
        return None
    judged, listed = ({q for q, d in one.items() if d} for one in (qrels, run))
    known = judged | (listed & qrels.keys())
    queries, absent, ignored = _match_queries(known, listed, missing)
    rows = [(qrels[qid], run.get(qid, {})) for qid in queries]
    left = [
        [grade for docno, grade in judged.items() if docno not in documents]
        for judged, documents in rows
    ]
    n_left = list(map(len, left))
    sizes = [len(documents) + n for (_, documents), n in zip(rows, n_left, strict=True)]
    scores, grades = [], []
    for (judged, documents), lost in zip(rows, left, strict=True):
        scores += documents.values(), repeat(-np.inf, len(lost))
        grades += map(judged.get, documents, repeat(np.nan)), lost
    try:
        y_score, y_true = (
            np.fromiter(chain.from_iterable(one), np.float64, sum(sizes))
            for one in (scores, grades)
        )
        judgments = chain.from_iterable(inside.values() for inside in qrels.values())
        exact = (np.abs(np.fromiter(judgments, np.float64)) < EXACT).all()
    except (OverflowError, TypeError):
        return None
    # Scores of -inf are of what was retrieved, too, which needs more care, as do
    # numbers that may have been rounded.
    certain = np.abs(y_score) < EXACT
    if not exact or len(certain) - np.count_nonzero(certain) != sum(n_left):
        return None
    pooled = y_true < 0
    y_true[pooled] = np.nan
    has_any = np.array([min(map(len, row)) for row in rows]) > 0
    has_judged = np.less(n_left, [len(judged) for judged, _ in rows])
    ids = [(documents, judged) for judged, documents in rows].__getitem__
    _check_matched(queries, has_any, has_judged, ids, unmatched, where)
    irrelevant = [
        qid for qid, one in qrels.items() if max(one.values(), default=0) <= 0
    ]
    return Joined(
        queries,
        np.repeat(np.arange(len(rows)), sizes),
        y_true,
        y_score.astype(dtype, copy=False),
        pooled,
        ids=(),
        missing=tuple(absent),
        ignored=tuple(ignored),
        irrelevant=tuple(sorted(irrelevant)),
    )


def _check_matched(queries, has_any, has_judged, ids_of, unmatched, where):
    """Warn or raise, as for `align`, if no retrieved document of a query was judged.

    Parameters
    ----------
    queries : list of str
        All queries.
    has_any, has_judged : ndarray of shape (n_queries,), dtype bool
        Whether each has judgments and retrieves documents, and judged ones.
    ids_of : callable
        Gives ids of the documents that the run and the judgments have, by the place of
        a query.
    unmatched, where : str
        What to do, and the beginning of warnings.
    """
    places = np.flatnonzero(has_any & ~has_judged)
    if not len(places) or unmatched == "ignore":
        return
    listed, judged = map(min, ids_of(places[0]))
    message = (
        f"qrels and run have no document in common in {len(places)} of {has_any.sum()} "
        f"queries: in {queries[places[0]]!r} run has {listed!r}, judgments have "
        f"{judged!r}. If these ids are right, set unmatched to 'ignore'."
    )
    if len(places) == has_any.sum() or unmatched == "raise":
        raise ValueError(message)
    warn_of_data(where + message, UnmatchedIdsWarning)


def _are_plain(table):
    """Whether `data` is a dict of dicts from strings to numbers."""
    if type(table) is not dict or not set(map(type, table.values())) <= {dict}:
        return False
    ids = chain(table, chain.from_iterable(table.values()))
    if set(map(type, ids)) - {str}:
        return False
    try:
        for documents in table.values():
            sum(documents.values())  # unlike NumPy, it refuses text
    except (TypeError, OverflowError):
        return False
    return True


def match(judged, judged_query, docno, query):
    """Return for each document of a query the row of its judgment, or -1."""
    ids, docno = make_comparable(judged.docno, docno)
    keys = keys_of(judged_query, ids)
    return find_pairs(judged_query, ids, keys, (query, docno, keys_of(query, docno)))


def leave_out(columns, excluded):
    """Return columns without the documents that `others` lists for the same query.

    Parameters
    ----------
    columns, excluded : Columns
        Checked; a number of 0 excludes nothing.
    """
    query = renumber(excluded, columns.queries)
    row = match(excluded, query, columns.docno, columns.query)
    kept = np.flatnonzero(~np.append(excluded.value != 0, False)[row])
    return replace(
        columns,
        query=columns.query[kept],
        docno=TextIds(columns.docno.text(kept)),
        value=columns.value[kept],
    )


def _as_retrieved(score, dtype):
    """Return scores in a type; -inf is reserved for documents not retrieved."""
    least = np.finfo(dtype).min
    if score.dtype == dtype and score.min(initial=0) >= least:
        return score
    with np.errstate(over="ignore"):
        return np.maximum(score.astype(dtype), least)


def _present(columns):
    """Return the ids of queries that have documents."""
    sizes = np.bincount(columns.query, minlength=len(columns.queries))
    return {columns.queries[i] for i in np.flatnonzero(sizes)}


def renumber(columns, queries):
    """Return for each row the position of its query, -1 if it is not among these."""
    place = {qid: i for i, qid in enumerate(queries)}
    places = [place.get(qid, -1) for qid in columns.queries]
    return np.array(places, dtype=np.int64)[columns.query]


def _match_queries(judged, listed, missing):
    """Return the judged queries that count, those missing and those ignored, sorted.

    Parameters
    ----------
    judged, listed : set of str
        Queries with judgments, and with documents.
    missing : str
        As for `align`.
    """
    absent, ignored = sorted(judged - listed), sorted(listed - judged)
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
    kept = judged & listed if missing == "skip" else judged
    return sorted(kept), absent, ignored


def _some(ids, n=5):
    return (", ".join(map(repr, ids[:n])) or "none") + (", ..." if ids[n:] else "")


def warn_of_queries(rows, missing, where):
    """Warn of queries that count with nothing retrieved, and of those undefined.

    Parameters
    ----------
    rows : Joined
        The run.
    missing : str
        As for `align`.
    where : str
        The beginning of warnings.
    """
    if rows.missing and missing == "zero":
        warn_of_data(
            f"{where}run has no documents for {count(len(rows.missing), 'query')} "
            f"({_some(rows.missing, 3)}): counted with nothing retrieved (unless "
            "missing='skip').",
            UnmatchedIdsWarning,
            subject="missing",
        )
    if rows.irrelevant:
        from sklearn.exceptions import UndefinedMetricWarning

        warn_of_data(
            f"{where}qrels have nothing relevant for "
            f"{count(len(rows.irrelevant), 'query')} ({_some(rows.irrelevant, 3)}), "
            "where measures such as average precision are undefined.",
            UndefinedMetricWarning,
            subject="irrelevant",
        )


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
    listed = read_retrieved(run, "run", merge, columns)
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
