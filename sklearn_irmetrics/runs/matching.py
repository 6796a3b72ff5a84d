"""Match the documents of runs with judgments."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import Literal

import numpy as np

from sklearn_irmetrics._checks import check_count, check_flag, check_option
from sklearn_irmetrics._results.tables import count
from sklearn_irmetrics._typing import AnyTable, Source
from sklearn_irmetrics._warnings import warn_of_data
from sklearn_irmetrics.exceptions import UnmatchedIdsWarning
from sklearn_irmetrics.reports.aligned import AlignedRun
from sklearn_irmetrics.runs._columns import check_mapping, map_documents
from sklearn_irmetrics.runs._forms import Qrels, Run, check_column_names
from sklearn_irmetrics.runs._ids import (
    Pairs,
    TextIds,
    find_pairs,
    in_trec_order,
    ranks_in_queries,
)
from sklearn_irmetrics.runs.files import read_judgments, read_retrieved


@dataclass(frozen=True)
class Rules:
    """How runs are read and matched with judgments; the parameters of `align`."""

    missing: str
    max_docs: int | None
    unmatched: str
    columns: dict[str, str]
    docno: Callable[[str], str | int] | None
    merge: str | None


def check_rules(*, missing, max_docs, unmatched, columns, docno, merge):
    """Return the rules that arguments give; refuse invalid ones."""
    check_option("missing", missing, ("zero", "skip", "raise"))
    check_option("unmatched", unmatched, ("warn", "raise", "ignore"))
    if max_docs is not None:
        check_count("max_docs", max_docs)
    check_mapping(docno, merge)
    return Rules(
        missing=missing,
        max_docs=max_docs,
        unmatched=unmatched,
        columns=check_column_names(columns),
        docno=docno,
        merge=merge,
    )


class JoinedIds:
    """The ids of joined documents, which stay where a run and judgments have them.

    Parameters
    ----------
    of_run, of_judgments : TextIds or ByteIds
        The ids that each of them has.
    find_rows : callable
        Returns the row in the run of each document, or -1 - the row in the judgments.
    """

    def __init__(self, of_run, of_judgments, find_rows):
        self._of_run, self._of_judgments = of_run, of_judgments
        self._find_rows = find_rows

    @cached_property
    def _rows(self):
        return self._find_rows()

    def text(self, rows=slice(None)):
        """Return the ids in some rows as an object array of strings."""
        rows = self._rows[rows]
        in_run = rows >= 0
        ids = np.empty(len(rows), dtype=object)
        ids[in_run] = self._of_run.text(rows[in_run])
        ids[~in_run] = self._of_judgments.text(-1 - rows[~in_run])
        return ids

    def take(self, documents):
        """Return the ids of some documents."""
        return JoinedIds(
            self._of_run, self._of_judgments, lambda: self._rows[documents]
        )


@dataclass(frozen=True, eq=False)
class Joined:
    """Judgments and a run, joined: a row for each document that either has.

    Rows are sorted by query; in a query, retrieved documents come before others.

    Attributes
    ----------
    queries : list of str
        The judged queries that count, in byte order.
    query : ndarray of shape (n_rows,)
        The place of its query among them.
    y_true, y_score, pooled : ndarray
        As in `AlignedRun`.
    ids : JoinedIds
        Of the documents.
    tag : str
        Name of the run.
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
    ids: JoinedIds
    tag: str
    missing: tuple
    ignored: tuple
    irrelevant: tuple

    def order(self):
        """Return the rows by query, decreasing score, decreasing document id.

        With subtopics, scores do not matter: the ideal order of alpha-nDCG is by id.
        """
        score = self.y_score
        score = np.zeros_like(score) if self.y_true.ndim > 1 else score
        return in_trec_order(self.query, score, self.ids)

    def sorted(self):
        """Return the rows in that order as an `AlignedRun`."""
        order = self.order()
        return AlignedRun(
            y_true=self.y_true[order],
            y_score=self.y_score[order],
            qid=np.array(self.queries, dtype=object)[self.query[order]],
            docno=self.ids.text(order),
            pooled=self.pooled[order],
            missing=self.missing,
            ignored=self.ignored,
        )

    def unjudged(self):
        """Return which rows have no grade."""
        return np.isnan(self.y_true).reshape(len(self.query), -1).all(axis=1)

    def without_unjudged(self):
        """Return the rows as if the run had no documents without a judgment.

        Documents below them move up.
        """
        unknown = self.unjudged()
        known = ~unknown | self.pooled  # the judgments have these
        return replace(
            self,
            query=self.query[known],
            y_true=self.y_true[known],
            y_score=np.where(unknown, -np.inf, self.y_score)[known],
            pooled=self.pooled[known],
            ids=self.ids.take(known),
        )

    def find(self, listed):
        """Return the number listed for each document, 0 if it is not listed."""
        query = renumber(listed, self.queries)
        documents = Pairs(self.query, TextIds(self.ids.text()))
        row = find_pairs(Pairs(query, listed.docno), documents)
        return np.append(listed.numbers, 0)[row]  # row -1 takes the 0 that was added


def join(judged, retrieved, rules, where=""):
    """Match judgments and a run.

    Parameters
    ----------
    judged, retrieved : Columns
        The documents of the judgments and of the run, checked.
    rules : Rules
        How to match them.
    where : str
        The beginning of warnings.

    Returns
    -------
    Joined
    """
    with_documents = _present(retrieved)
    if not with_documents and rules.unmatched != "ignore":
        raise ValueError(
            "run must have a document; got none. If it was meant to retrieve nothing, "
            "set unmatched to 'ignore'."
        )
    judged = _add_empty_queries(judged, with_documents)
    with_judgments = _present(judged) | (with_documents & set(judged.queries))
    queries, absent, ignored = _match_queries(
        with_judgments, with_documents, rules.missing
    )
    judged_query = renumber(judged, queries)
    query = renumber(retrieved, queries)
    judged_row = find_pairs(
        Pairs(judged_query, judged.docno), Pairs(query, retrieved.docno)
    )
    if rules.unmatched != "ignore":
        # The last position belongs to no query.
        has_any, has_judgments, has_judged = np.zeros((3, len(queries) + 1), dtype=bool)
        has_any[query] = has_judgments[judged_query] = True
        has_judged[query[judged_row >= 0]] = True
        has_both = (has_any & has_judgments)[:-1]
        unmatched = np.flatnonzero(has_both & ~has_judged[:-1])
        if len(unmatched):
            ids = _UnmatchedIds(
                queries,
                _first_ids(retrieved.docno, query, unmatched),
                _first_ids(judged.docno, judged_query, unmatched),
            )
            ids.report(int(has_both.sum()), rules, where)
    score, least = retrieved.numbers, np.finfo(np.float64).min
    if score.min(initial=0) < least:  # -inf is of documents not retrieved
        score = np.maximum(score, least)
    if rules.max_docs is not None:
        order = in_trec_order(query, score, retrieved.docno)
        cut = order[ranks_in_queries(query[order] + 1) >= rules.max_docs]
        query = query.copy()
        query[cut] = -1
    counted = _rows_by_query(query)
    query, judged_row = query[counted], judged_row[counted]
    # The rows of judgments about documents not retrieved; the last place, which is
    # removed from them, is of retrieved documents without a judgment.
    other_query = np.append(judged_query, -1)
    other_query[judged_row] = -1
    left = _rows_by_query(other_query)
    # The place of each other document is behind the retrieved ones of its query.
    left_query = judged_query[left]
    places = np.searchsorted(query, left_query, side="right")
    unjudged = np.full((1, *judged.numbers.shape[1:]), np.nan)
    # Row -1, of documents without a judgment, takes the NaN that was added.
    grades = np.concatenate([judged.numbers, unjudged])[judged_row]
    y_true = np.insert(grades, places, judged.numbers[left], axis=0)
    pooled = y_true < 0
    if pooled.any():
        y_true[pooled] = np.nan
    if pooled.ndim > 1:
        pooled = pooled.any(axis=1) & np.isnan(y_true).all(axis=1)
    topic_axes = tuple(range(1, judged.numbers.ndim))
    relevant = (judged.numbers > 0).any(axis=topic_axes)

    def find_rows():
        rows = np.arange(len(score))[counted]
        return np.insert(rows, places, -1 - left)

    return Joined(
        queries,
        np.insert(query, places, left_query),
        y_true,
        np.insert(score[counted], places, -np.inf),
        pooled,
        ids=JoinedIds(retrieved.docno, judged.docno, find_rows),
        tag=retrieved.tag,
        missing=tuple(absent),
        ignored=tuple(ignored),
        irrelevant=tuple(sorted(set(judged.queries) - _present(judged, relevant))),
    )


def _add_empty_queries(judged, with_documents):
    """Return judgments with a row for each query that has none, here and in the run.

    Arrays cannot hold a query without rows. Its row is of a document of grade 0 without
    an id; `with_documents` are the queries of the run.
    """
    present = with_documents | _present(judged)
    empty = [i for i, qid in enumerate(judged.queries) if qid not in present]
    if not empty:
        return judged
    grades = np.zeros((len(empty), *judged.numbers.shape[1:]))
    return replace(
        judged,
        query=np.append(judged.query, empty).astype(np.int64),
        docno=TextIds(np.append(judged.docno.text(), [""] * len(empty))),
        numbers=np.concatenate([judged.numbers, grades]),
    )


def _rows_by_query(query):
    """Return the rows of all queries, sorted by query; -1 is of none."""
    if len(query) and query[0] >= 0 and (query[1:] >= query[:-1]).all():
        return slice(None)
    order = np.argsort(query, kind="stable")
    return order[np.count_nonzero(query < 0) :]


_COMPARED = 10  # ids of each query, whose spelling is compared


def _first_ids(ids, query, queries):
    """Return some ids of each of these queries, in a dict by the query's number."""
    wanted = np.zeros(query.max() + 2, dtype=bool)  # the last place is of no query
    wanted[queries] = True
    rows = np.flatnonzero(wanted[query])
    rows = rows[_rows_by_query(query[rows])]
    rows = rows[ranks_in_queries(query[rows]) < _COMPARED]
    sizes = np.bincount(query[rows])[queries]
    texts = iter(ids.text(rows).tolist())
    return {
        number: list(islice(texts, size))
        for number, size in zip(queries.tolist(), sizes.tolist(), strict=True)
    }


@dataclass(frozen=True)
class _UnmatchedIds:
    """Ids of the queries for which no retrieved document was judged.

    Attributes
    ----------
    queries : list of str
        Of the judgments.
    retrieved, judged : dict of int to list of str
        Some ids by the number of the query.
    """

    queries: list[str]
    retrieved: dict[int, list[str]]
    judged: dict[int, list[str]]

    def report(self, n_both, rules, where):
        """Warn of ids that cannot match, or raise, as for `align`.

        Where other queries match, documents that nobody judged are ordinary.
        """
        strange = [*self.retrieved]
        if len(strange) < n_both:
            strange = self._spelled_differently()
        if not strange:
            return
        message = (
            f"qrels and run have no document in common in {len(strange)} of {n_both} "
            f"queries: {self._example(strange[0], rules)} If these ids are right, set "
            "unmatched to 'ignore'."
        )
        if len(strange) == n_both or rules.unmatched == "raise":
            raise ValueError(message)
        warn_of_data(where + message, UnmatchedIdsWarning)

    def _spelled_differently(self):
        """Return the queries whose retrieved ids look unlike all that were judged.

        Or like those of the query, but for case and zeros.
        """
        judged_forms = map(_form, chain.from_iterable(self.judged.values()))
        known_forms = set()  # of the first ids, which nearly always suffice

        def is_judged(form):
            while form not in known_forms:
                try:
                    known_forms.add(next(judged_forms))
                except StopIteration:
                    return False
            return True

        # Nearly all ids differ without any zero, which is quick to see.
        both = _numbered_texts(self.retrieved) & _numbered_texts(self.judged)
        may_be_alike = {number for number, _ in both}
        return [
            number
            for number, ids in self.retrieved.items()
            if not any(map(is_judged, map(_form, ids)))
            or (number in may_be_alike and _are_alike(ids, self.judged[number]))
        ]

    def _example(self, number, rules):
        """Return ids of a query, and how to map those of the run."""
        retrieved, judged = sorted(self.retrieved[number]), sorted(self.judged[number])
        example = (
            f"in {self.queries[number]!r} run has {retrieved[0]!r}, judgments have "
            f"{judged[0]!r}."
        )
        if rules.docno is not None:
            return (
                f"{example} docno maps the ids of the run only: map those of the "
                "judgments, too."
            )
        for id_ in retrieved:
            for document in judged:
                separator = id_.removeprefix(document)[:1]
                if id_.startswith(document) and not separator.isalnum():
                    cut = (
                        "split('{}')"
                        if separator not in document
                        else "rsplit('{}', 1)"
                    )
                    return (
                        f"{example} If these are parts of documents, map their ids: "
                        f"docno=lambda id: id.{cut.format(separator)}[0], merge='max'."
                    )
        return (
            f"{example} If they name the same documents, write them alike (docno maps "
            "the ids of the run)."
        )


_LETTERS_AND_DIGITS = re.compile(r"[^\W_]+")
_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")


def _form(id_):
    """Return the characters of an id that are no letters and digits."""
    return "0" if id_.isdigit() else _LETTERS_AND_DIGITS.sub("", id_)


def _numbered_texts(ids):
    """Return ids in lower case without zeros, each with the number of its query."""
    return {
        (number, id_.casefold().replace("0", ""))
        for number, texts in ids.items()
        for id_ in texts
    }


def _are_alike(ids, others):
    """Whether some ids are equal in lower case, without zeros before a number."""
    first, second = (
        {_ZEROS.sub("", id_.casefold()) for id_ in texts} for texts in (ids, others)
    )
    return not first.isdisjoint(second)


def leave_out(documents, excluded):
    """Return documents without those that `excluded` lists for the query.

    Parameters
    ----------
    documents, excluded : Columns
        Checked; a number of 0 excludes nothing.
    """
    query = renumber(excluded, documents.queries)
    row = find_pairs(
        Pairs(query, excluded.docno), Pairs(documents.query, documents.docno)
    )
    # Row -1, of documents that are not listed, takes the False that was added.
    others = np.flatnonzero(~np.append(excluded.numbers != 0, False)[row])
    return replace(
        documents,
        query=documents.query[others],
        docno=TextIds(documents.docno.text(others)),
        numbers=documents.numbers[others],
    )


def _present(columns, rows=slice(None)):
    """Return the ids of queries that have documents in some rows."""
    has_any = np.zeros(len(columns.queries), dtype=bool)
    has_any[columns.query[rows]] = True
    return {columns.queries[i] for i in np.flatnonzero(has_any)}


def renumber(columns, queries):
    """Return for each row the position of its query, -1 if it is not among these."""
    if columns.queries == queries:
        return columns.query
    place = {qid: i for i, qid in enumerate(queries)}
    places = [place.get(qid, -1) for qid in columns.queries]
    return np.array(places, dtype=np.int32)[columns.query]


def _match_queries(with_judgments, with_documents, missing):
    """Return the judged queries that count, those missing and those ignored, sorted.

    Parameters
    ----------
    with_judgments, with_documents : set of str
        Queries of the judgments, and of the run.
    missing : str
        As for `align`.
    """
    absent = sorted(with_judgments - with_documents)
    ignored = sorted(with_documents - with_judgments)
    if with_documents and len(absent) == len(with_judgments):
        raise ValueError(
            "qrels and run must have a query in common; got "
            f"{list_first(absent)} in qrels and {list_first(ignored)} in run."
        )
    if absent and missing == "raise":
        raise ValueError(
            f"run lacks {len(absent)} of {len(with_judgments)} queries of qrels: "
            f"{list_first(absent)}. Use missing='zero' to keep them with nothing "
            "retrieved or missing='skip' to leave them out."
        )
    counted = with_judgments
    if missing == "skip":
        counted = with_judgments & with_documents
    return sorted(counted), absent, ignored


def list_first(ids, n=5):
    """Return the first ids as text."""
    return (", ".join(map(repr, ids[:n])) or "none") + (", ..." if ids[n:] else "")


def warn_of_missing(rows, missing, where):
    """Warn of queries that count with nothing retrieved.

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
            f"({list_first(rows.missing, 3)}): counted with nothing retrieved. Set "
            "missing to 'skip' to leave such queries out.",
            UnmatchedIdsWarning,
            subject="missing",
        )


def align(
    qrels: Qrels | Source | AnyTable,
    run: Run | Source | AnyTable,
    *,
    subtopics: bool = False,
    missing: Literal["zero", "skip", "raise"] = "zero",
    max_docs: int | None = None,
    unmatched: Literal["warn", "raise", "ignore"] = "warn",
    columns: Mapping[str, str] | None = None,
    docno: Callable[[str], str | int] | None = None,
    merge: Literal["max", "first", "sum"] | None = None,
) -> AlignedRun:
    """Join judgments and a run into the arrays that every metric takes.

    Documents are matched by query and document id, compared as text.

    - Judged, not retrieved: ``y_score`` is -inf (if relevant, it counts as missed).
    - Retrieved, no judgment: ``y_true`` is NaN.
    - Negative grade (in the pool, not judged): NaN, and ``pooled`` is True.
    - Queries of the run without judgments are left out, as in trec_eval.
    - A query of the judgments without any document there or in the run, such as
      ``{"q9": []}``, has one row: grade 0, -inf, and ``""`` as id.

    Rows are sorted by query id (in the order in which trec_eval prints), then
    decreasing score, then decreasing document id; ids are compared by bytes. With
    ``ties="stable"``, this is the ranking of trec_eval 10; version 9 compares scores
    as float32: pass ``read_run(run, dtype=numpy.float32)``. The other settings of
    ``ties`` have the same ties.

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

    Returns
    -------
    aligned : AlignedRun
        Frozen, with `y_true`, `y_score`, `qid`, `docno`, `pooled`, `missing` and
        `ignored`.

    Raises
    ------
    ValueError
        If a query has a document twice, a score is NaN, a grade is not finite, no query
        of the run is in the qrels, the run is empty or no retrieved document of any
        query was judged (see `unmatched`), or ``missing="raise"`` and the run lacks
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
    array([ 0.9,  0.7,  0.5, -inf])
    """
    rules = check_rules(
        missing=missing,
        max_docs=max_docs,
        unmatched=unmatched,
        columns=columns,
        docno=docno,
        merge=merge,
    )
    check_flag("subtopics", subtopics)
    judged = read_judgments(qrels, subtopics, rules.columns)
    retrieved = read_retrieved(run, "run", merge, rules.columns)
    retrieved = map_documents(retrieved, docno, merge)
    return join(judged, retrieved, rules).sorted()
