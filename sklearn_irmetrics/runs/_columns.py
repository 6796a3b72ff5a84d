"""Judgments and runs in any form become columns: query ids, document ids, numbers."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain, repeat
from numbers import Integral

import numpy as np

from sklearn_irmetrics._core.numbers import as_floats, refuse_mask
from sklearn_irmetrics._core.queries import group_rows
from sklearn_irmetrics.runs._forms import Qrels, Run, is_refused
from sklearn_irmetrics.runs._ids import (
    TextIds,
    find_duplicate,
    keys_of,
    number_ids,
    ranks_in_queries,
)
from sklearn_irmetrics.runs._names import find_column
from sklearn_irmetrics.runs._nested import by_field, unnest, unnest_topics


@dataclass(frozen=True, eq=False)
class Columns:
    """Judgments or a run, an element per document.

    Attributes
    ----------
    queries : list of str
        Ids of the queries.
    query : ndarray of shape (n_rows,)
        The place of its query among them.
    docno : TextIds or ByteIds
        Ids of documents.
    value : ndarray of shape (n_rows,) or (n_rows, n_subtopics)
        Grades or scores.
    subtopic : ndarray of shape (n_rows,), dtype object, or None
        What each judgment is about, where that was asked for.
    kind : {"str", "int", "int/str"}
        What the query ids were.
    unique : bool
        Whether it is known that each document stands once per query.
    tag : str
        Name of the run.
    """

    queries: list
    query: np.ndarray
    docno: object
    value: np.ndarray
    subtopic: np.ndarray | None = None
    kind: str = "str"
    unique: bool = False
    tag: str = Run.tag

    def __len__(self):
        return len(self.query)

    @property
    def qid(self):
        """The id of its query for each row."""
        return np.array(self.queries, dtype=object)[self.query]


def is_source(data):
    """Whether it is a file: a path, or an object with `read`."""
    return isinstance(data, str | os.PathLike) or hasattr(data, "read")


def make_columns(data, name, value, *, subtopics=False, columns=None):
    """Return judgments or a run that is in memory as `Columns`.

    Parameters
    ----------
    data : object
        What `score_run` takes, but for files.
    name : {"qrels", "run"}
        What errors call it.
    value : {"grade", "score"}
        What its numbers are.
    subtopics : bool
        Whether to look for the subtopic that each judgment is about.
    columns : dict of str to str or None
        Names of columns, where they are not the usual ones.
    """
    found = _take_apart(data, name, value, subtopics, columns)
    if isinstance(found, Columns):
        return found
    qid, docno, values, topic = found
    qids, kind = _as_text(qid, name, "query")
    docno, _ = _as_text(docno, name, "document")
    values = _numbers(name, value, values, len(qids), len(docno))
    if subtopics:
        topic, _ = _as_text(topic, name, "subtopic")
        if len(topic) != len(qids):
            raise ValueError(
                "subtopic of qrels must have one entry per judgment: expected "
                f"{len(qids)}; got {len(topic)}."
            )
        topic = np.array(topic, dtype=object)
    queries, query = number_ids(qids)
    docno = TextIds(np.array(docno, dtype=object))
    tag = data.tag if isinstance(data, Run) else Run.tag
    return Columns(queries, query, docno, values, topic, kind, tag=tag)


def check_columns(found, name, value):
    """Refuse numbers that are none, and documents that come twice."""
    refused = is_refused(value, found.value)
    if refused.any():
        row = int(np.flatnonzero(refused)[0])
        rule = "not be NaN" if value == "score" else "be finite"
        raise ValueError(
            f"{value} of {name} must {rule}; got {found.value[row]} for query "
            f"{found.qid[row]!r} and document {found.docno.text([row])[0]!r}."
        )
    refuse_duplicates(found, name)
    return replace(found, unique=True)


def refuse_duplicates(found, name, line_of=None, hint=""):
    """Raise if a document stands twice for a query, under one subtopic if given.

    `line_of` returns the line of a row, for files; `hint` ends the message.
    """
    if found.unique:
        return
    query, topic = found.query, found.subtopic
    if topic is not None:
        topics, number = number_ids(topic)
        query = query * len(topics) + number
    rows = find_duplicate(query, found.docno, keys_of(query, found.docno))
    if rows is None:
        return
    row, first = rows
    where, before = name, ""
    if line_of is not None:
        where = f"{name}, line {line_of(row)}"
        before = f" (first in line {line_of(first)})"
    of, named = "query", repr(found.queries[found.query[row]])
    if topic is not None:
        of = "query and subtopic"
        named += f" and subtopic {topic[row]!r}"
    raise ValueError(
        f"{where}: expected each document once per {of}; got document "
        f"{found.docno.text([row])[0]!r} again for query {named}{before}.{hint}"
    )


def spread_subtopics(found):
    """Return judgments with a row per document and a column of grades per subtopic.

    Columns come in the order in which the judgments name the subtopics of the query;
    NaN where there is no judgment.
    """
    qid, docno = found.query, found.docno.text()
    documents, row, _ = _number(qid, docno)
    topics, topic, query = _number(qid, found.subtopic)
    # Its place among the subtopics of its query, which are numbered together.
    query_of = np.zeros(len(topics), dtype=np.int64)
    query_of[topic] = query
    order = np.argsort(query_of, kind="stable")
    place = np.empty_like(order)
    place[order] = ranks_in_queries(query_of[order])
    grades = np.full((len(documents), place.max(initial=0) + 1), np.nan)
    grades[row, place[topic]] = found.value
    return replace(
        found,
        query=found.query[documents],
        docno=TextIds(docno[documents]),
        value=grades,
        subtopic=None,
    )


def _number(qid, ids):
    """Number pairs of a query and an id in order of appearance.

    Returns the first row of each pair, the number of that of each row, and a number
    for the query of each row.
    """
    query = group_rows(qid, len(qid)).codes()
    pair = query * len(qid) + group_rows(ids, len(ids)).codes()
    _, first, number = np.unique(pair, return_index=True, return_inverse=True)
    by_row = np.argsort(first)
    place = np.empty_like(by_row)
    place[by_row] = np.arange(len(first))
    return first[by_row], place[number], query


def _take_apart(data, name, value, subtopics, columns):
    """Return query ids, document ids, numbers and subtopics, or `Columns`."""
    form = Qrels if value == "grade" else Run
    if isinstance(data, form) and (not subtopics or data.subtopic is not None):
        topic = data.subtopic if subtopics else None
        return data.qid, data.docno, getattr(data, value), topic
    frame = _frame_columns(data)
    if frame is not None:
        names, take = frame
        return _by_name(names, take, name, value, subtopics, columns)
    if not isinstance(data, Qrels | Run):
        held = {"grade": "qrels", "score": "run"}[value]
        if hasattr(data, held) and hasattr(data, "to_dict"):  # of ranx
            data = data.to_dict()
        if isinstance(data, Mapping):
            found = _from_dict(data, name, value, subtopics)
            if found is not None:
                return found
        elif type(data) is tuple and len(data) == 3 + subtopics and not _are_rows(data):
            topic = data[1] if subtopics else None
            return data[0], data[-2], data[-1], topic
        elif _holds_rows(data):
            rows = list(data)
            if not rows:
                return [], [], [], []
            found = by_field(rows, name, value)
            if isinstance(found, dict):
                take = found.__getitem__
                return _by_name(list(found), take, name, value, subtopics, columns)
            if not subtopics:
                return *found, None
    raise TypeError(_describe(data, form, name, value, subtopics))


def _describe(data, form, name, value, subtopics):
    got = type(data).__name__
    if subtopics:
        return (
            "qrels with subtopics=True must be a path, a table or tuples with a field "
            "'subtopic', a tuple (qid, subtopic, docno, grade), a dict {qid: "
            "{subtopic: documents}} or what read_qrels(..., subtopics=True) returns; "
            f"got {got}."
        )
    return (
        f"{name} must be a {form.__name__}, a path, a table, a dict {{qid: documents}}"
        f", tuples (qid, docno, {value}) or a tuple of three arrays; got {got}."
    )


def _are_rows(data):
    return all(hasattr(type(row), "_fields") for row in data)


def _holds_rows(data):
    """Whether it may be a list of tuples, or what gives them one by one."""
    return (
        isinstance(data, Iterable)
        and not isinstance(data, np.ndarray | bytes | str)
        and not (isinstance(data, tuple) and (not data or not _are_rows(data)))
        and not isinstance(data, set | frozenset)
    )


def _frame_columns(data):
    """Return the names of the columns of a table, and what gives one of them."""
    names = getattr(data, "column_names", None)  # of Arrow, whose columns are arrays
    if names is None:
        names = getattr(data, "columns", None)
    if names is None or isinstance(data, Mapping) or not hasattr(data, "__getitem__"):
        return None
    if callable(names):
        return None
    return list(names), data.__getitem__


def _by_name(names, take, name, value, subtopics, columns):
    wanted = ["qid", "docno", value, *(["subtopic"] if subtopics else [])]
    found = [take(find_column(names, name, one, columns)) for one in wanted]
    return (*found, None)[:4]


def _from_dict(data, name, value, subtopics):
    """Return columns of a dict of queries, None if subtopics are not in it."""
    if not subtopics:
        docnos, values, sizes = unnest(data.items(), name, value)
        qids, kind = _as_text(list(data), name, "query")
        texts, _ = _as_text(docnos, name, "document")
        queries, number = number_ids(qids)
        if len(queries) < len(qids):
            again = next(qid for i, qid in enumerate(qids) if qid in qids[:i])
            raise ValueError(
                f"{name} must have ids of queries that differ as text; {again!r} is "
                "there as a number and as text."
            )
        # Keys of one type differ, and so do their texts.
        unique = texts is docnos and all(
            isinstance(documents, Mapping) for documents in data.values()
        )
        return Columns(
            queries,
            np.repeat(number, sizes),
            TextIds(np.array(texts, dtype=object)),
            _numbers(name, value, values, sum(sizes), len(docnos)),
            kind=kind,
            unique=unique,
        )
    pairs = unnest_topics(data)
    if pairs is None:
        return None
    docnos, values, sizes = unnest(pairs, name, value)
    spread = chain.from_iterable(map(repeat, (key for key, _ in pairs), sizes))
    qids, topics = map(list, zip(*spread, strict=True)) if docnos else ([], [])
    return qids, docnos, values, topics


def _numbers(name, value, values, n_queries, n_documents):
    """Return grades or scores as floats, one for each document."""
    values = as_floats(f"{value} of {name}", values)
    if not n_queries == n_documents == values.size or values.ndim != 1:
        raise ValueError(
            f"qid, docno and {value} of {name} must be 1-D and of one length; got "
            f"{n_queries}, {n_documents} and shape {values.shape}."
        )
    return values


def _as_text(column, name, what):
    """Return ids as a list of strings, and the name of the type that they have."""
    refuse_mask(f"{what} ids of {name}", column)
    # As objects, because NumPy's own strings end before a NUL.
    ids = column if isinstance(column, list) else np.asarray(column, object).tolist()
    if not isinstance(ids, list):
        raise TypeError(f"{what} ids of {name} must be in a list; got {ids!r}.")
    kinds = set(map(type, ids))
    for kind in kinds:
        if not issubclass(kind, str | Integral) or issubclass(kind, bool | np.bool_):
            example = next(i for i in ids if type(i) is kind)
            raise TypeError(
                f"{what} ids of {name} must be strings or integers; got {example!r}."
            )
    named = {"str" if issubclass(kind, str) else "int" for kind in kinds}
    kind = "/".join(sorted(named)) or "str"
    return ids if kinds <= {str} else list(map(_text_of, ids)), kind


def _text_of(one):
    """Return the text of an id, whose type may spell itself otherwise (as enums do)."""
    return str.__str__(one) if isinstance(one, str) else str(int(one))
