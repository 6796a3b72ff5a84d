"""Match columns of judgments and of a run by query and document."""

from dataclasses import dataclass, replace
from itertools import chain, repeat

import numpy as np

from sklearn_irmetrics._core.aggregate import warn_of_data
from sklearn_irmetrics._core.numbers import EXACT
from sklearn_irmetrics.exceptions import UnmatchedIdsWarning
from sklearn_irmetrics.runs._forms import AlignedRun
from sklearn_irmetrics.runs._ids import (
    TextIds,
    find_pairs,
    in_trec_order,
    keys_of,
    make_comparable,
    ranks_in_queries,
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
    """

    queries: list
    query: np.ndarray
    y_true: np.ndarray
    y_score: np.ndarray
    pooled: np.ndarray
    ids: tuple
    missing: tuple
    ignored: tuple

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
    queries, absent, ignored = _match_queries(
        _present(judged), _present(listed), missing
    )
    judged_query, listed_query = (renumber(one, queries) for one in (judged, listed))

    score = _as_retrieved(listed.value, dtype)
    retrieved = listed_query >= 0
    if max_docs is not None:
        order = in_trec_order(listed_query, score, listed.docno)
        cut = order[ranks_in_queries(listed_query[order] + 1) >= max_docs]
        retrieved[cut] = False

    judgment = match(judged, judged_query, listed.docno, listed_query)
    has_any, has_judged = np.zeros((2, len(queries) + 1), dtype=bool)
    has_any[listed_query] = has_judged[listed_query[judgment >= 0]] = True
    sides = (listed, listed_query), (judged, judged_query)
    _check_matched(
        queries,
        has_any[:-1],  # the last position belongs to no query
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
    )


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
    queries, absent, ignored = _match_queries(judged, listed, missing)
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
    has_any = np.array([len(documents) for _, documents in rows]) > 0
    has_judged = np.less(n_left, [len(judged) for judged, _ in rows])
    ids = [(documents, judged) for judged, documents in rows].__getitem__
    _check_matched(queries, has_any, has_judged, ids, unmatched, where)
    return Joined(
        queries,
        np.repeat(np.arange(len(rows)), sizes),
        y_true,
        y_score.astype(dtype, copy=False),
        pooled,
        ids=(),
        missing=tuple(absent),
        ignored=tuple(ignored),
    )


def _check_matched(queries, has_any, has_judged, ids_of, unmatched, where):
    """Warn or raise, as for `align`, if no retrieved document of a query was judged.

    Parameters
    ----------
    queries : list of str
        All queries.
    has_any, has_judged : ndarray of shape (n_queries,), dtype bool
        Whether each retrieves documents, and judged ones.
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
