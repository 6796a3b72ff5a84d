"""Columns of judgments and of a run, matched by query and document."""

from dataclasses import dataclass

import numpy as np

from sklearn_irmetrics.runs._forms import AlignedRun
from sklearn_irmetrics.runs._ids import (
    TextIds,
    find_pairs,
    in_byte_order,
    in_trec_order,
    keys_of,
    make_comparable,
    ranks_in_queries,
)


@dataclass(frozen=True, eq=False)
class Joined:
    """Judgments and a run, joined: first what was retrieved, then the other judged.

    Attributes
    ----------
    queries : list of str
        The judged queries that count, in byte order.
    query : ndarray of shape (n_rows,)
        The place of its query among them.
    y_true, y_score, pooled : ndarray
        As of `AlignedRun`.
    ids : tuple of (TextIds or ByteIds, ndarray)
        Of documents that were retrieved, with their rows in them; then of the others.
    missing, ignored : tuple of str
        As of `AlignedRun`.
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

        With subtopics scores do not matter: the ideal order of alpha-nDCG is by id.
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
        """Return for each document whether it is listed with a number other than 0."""
        query = renumber(columns, self.queries)
        row = match(columns, query, TextIds(self.text()), self.query)
        return np.append(columns.value != 0, False)[row]


def join(judged, listed, *, missing, max_docs, dtype):
    """Match judgments and a run.

    Parameters
    ----------
    judged, listed : Columns
        Checked.
    missing, max_docs, dtype
        As of `align`.

    Returns
    -------
    Joined
    """
    absent, ignored = _match_queries(judged, listed, missing)
    kept = set(_present(judged)) - (set(absent) if missing == "skip" else set())
    queries = in_byte_order(kept)
    judged_query, listed_query = (renumber(one, queries) for one in (judged, listed))

    # An infinite score is retrieved all the same: -inf is kept for what is not.
    with np.errstate(over="ignore"):
        score = np.maximum(listed.value.astype(dtype), np.finfo(dtype).min)
    retrieved = listed_query >= 0
    if max_docs is not None:
        order = in_trec_order(listed_query, score, listed.docno)
        cut = order[ranks_in_queries(listed_query[order] + 1) >= max_docs]
        retrieved[cut] = False

    judgment = match(judged, judged_query, listed.docno, listed_query)
    judgment[~retrieved] = -1
    left = judged_query >= 0
    left[judgment[judgment >= 0]] = False
    retrieved, left = np.flatnonzero(retrieved), np.flatnonzero(left)
    grades = look_up(judged.value, judgment[retrieved])
    y_true = np.concatenate([grades, judged.value[left]])
    pooled = y_true < 0
    y_true[pooled] = np.nan
    if pooled.ndim > 1:
        pooled = pooled.any(axis=1) & np.isnan(y_true).all(axis=1)
    return Joined(
        queries=queries,
        query=np.concatenate([listed_query[retrieved], judged_query[left]]),
        y_true=y_true,
        y_score=np.concatenate(
            [score[retrieved], np.full(len(left), -np.inf, dtype=dtype)]
        ),
        pooled=pooled,
        ids=((listed.docno, retrieved), (judged.docno, left)),
        missing=tuple(absent),
        ignored=tuple(ignored),
    )


def match(judged, judged_query, docno, query):
    """Return for each document of a query the row of its judgment, -1 without one."""
    ids, docno = make_comparable(judged.docno, docno)
    keys = keys_of(judged_query, ids)
    return find_pairs(judged_query, ids, keys, (query, docno, keys_of(query, docno)))


def look_up(values, rows):
    """Return the values in some rows, NaN for the row -1."""
    found = np.full((len(rows), *values.shape[1:]), np.nan)
    there = np.flatnonzero(rows >= 0)
    found[there] = values[rows[there]]
    return found


def _present(columns):
    """Return the ids of queries that have documents."""
    sizes = np.bincount(columns.query, minlength=len(columns.queries))
    return [columns.queries[i] for i in np.flatnonzero(sizes)]


def renumber(columns, queries):
    """Return for each row the place of its query, -1 where it is none of these."""
    place = {qid: i for i, qid in enumerate(queries)}
    places = [place.get(qid, -1) for qid in columns.queries]
    return np.array(places, dtype=np.int64)[columns.query]


def _match_queries(judged, listed, missing):
    """Return, in order, the judged queries that the run lacks, and the unjudged."""
    of_qrels, of_run = set(_present(judged)), set(_present(listed))
    absent, ignored = in_byte_order(of_qrels - of_run), in_byte_order(of_run - of_qrels)
    if of_run and len(absent) == len(of_qrels):
        raise ValueError(
            "qrels and run must have a query in common; got "
            f"{_some(absent)} (of type {judged.kind}) in qrels and {_some(ignored)} "
            f"(of type {listed.kind}) in run."
        )
    if absent and missing == "raise":
        raise ValueError(
            f"run lacks {len(absent)} of {len(of_qrels)} queries of qrels: "
            f"{_some(absent)}. Use missing='zero' to keep them with nothing retrieved "
            "or missing='skip' to leave them out."
        )
    return absent, ignored


def _some(ids, n=5):
    return (", ".join(map(repr, ids[:n])) or "none") + (", ..." if ids[n:] else "")
