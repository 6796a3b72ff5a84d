"""Judgments and runs in any form become columns: query ids, document ids, numbers."""

import os
from collections.abc import Mapping
from itertools import chain, repeat
from numbers import Integral

import numpy as np

from sklearn_irmetrics._core.numbers import as_floats, refuse_mask
from sklearn_irmetrics._core.queries import group_rows
from sklearn_irmetrics.runs._forms import Qrels, Run, is_refused
from sklearn_irmetrics.runs._ids import ranks_in_queries, refuse_duplicates
from sklearn_irmetrics.runs._read import read_qrels, read_run

# What tables call the columns; the first name is the one used here.
_NAMES = {
    "qid": ("qid", "query_id", "q_id"),
    "docno": ("docno", "doc_id", "docid"),
    "grade": ("grade", "relevance", "rel", "label"),
    "score": ("score",),
    "subtopic": ("subtopic", "subtopic_id"),
}


def as_columns(data, name, value):
    """Return query ids, document ids (object arrays of str) and float64 values.

    Parameters
    ----------
    data : Qrels, Run, str, path, file object, DataFrame, dict or tuple
        What `align` takes.
    name : {"qrels", "run"}
        What errors call it.
    value : {"grade", "score"}
        What its numbers are.
    """
    form, read = (Qrels, read_qrels) if value == "grade" else (Run, read_run)
    if isinstance(data, str | os.PathLike) or hasattr(data, "read"):
        data = read(data)
    if isinstance(data, form):
        columns = data.qid, data.docno, getattr(data, value)
    elif isinstance(data, Mapping):
        columns = _unnest(data, name, value)
    elif isinstance(data, tuple) and len(data) == 3:
        columns = data
    elif hasattr(data, "columns"):
        columns = [_column(data, name, wanted) for wanted in ("qid", "docno", value)]
    else:
        raise TypeError(
            f"{name} must be a {form.__name__}, a path, a "
            f"DataFrame, a dict of dicts or a tuple (qid, docno, {value}); got "
            f"{type(data).__name__}."
        )
    qid = _as_text(columns[0], name, "query")
    docno = _as_text(columns[1], name, "document")
    values = as_floats(f"{value} of {name}", columns[2])
    if not len(qid) == len(docno) == values.size or values.ndim != 1:
        raise ValueError(
            f"qid, docno and {value} of {name} must be 1-D and of one length; got "
            f"{len(qid)}, {len(docno)} and shape {values.shape}."
        )
    refused = is_refused(value, values)
    if refused.any():
        row = np.flatnonzero(refused)[0]
        rule = "not be NaN" if value == "score" else "be finite"
        raise ValueError(
            f"{value} of {name} must {rule}; got {values[row]} for query "
            f"{qid[row]!r} and document {docno[row]!r}."
        )
    return qid, docno, values


def as_documents(data):
    """Return judgments of subtopics by document: query ids, document ids, grades.

    Grades have a row per document and a column per subtopic of its query, in the order
    in which the judgments name them; NaN where there is none.
    """
    if isinstance(data, str | os.PathLike) or hasattr(data, "read"):
        data = read_qrels(data, subtopics=True)
    if isinstance(data, Qrels):
        topic, data = data.subtopic, (data.qid, data.docno, data.grade)
    elif isinstance(data, tuple) and len(data) == 4:
        topic, data = data[1], (data[0], *data[2:])
    elif hasattr(data, "columns"):
        topic = _column(data, "qrels", "subtopic")
    else:
        topic = None
    if topic is None:
        raise TypeError(
            "qrels with subtopics=True must be a path, a DataFrame with a column "
            "'subtopic', a tuple (qid, subtopic, docno, grade) or what "
            f"read_qrels(..., subtopics=True) returns; got {type(data).__name__}."
        )
    qid, docno, grade = as_columns(data, "qrels", "grade")
    topic = _as_text(topic, "qrels", "subtopic")
    if len(topic) != len(qid):
        raise ValueError(
            f"subtopic of qrels must have one entry per judgment: expected {len(qid)}; "
            f"got {len(topic)}."
        )
    refuse_duplicates(qid, docno, "qrels", subtopic=topic)
    documents, row, _ = _number(qid, docno)
    topics, topic, query = _number(qid, topic)
    # Its place among the subtopics of its query, which are numbered together.
    query_of = np.zeros(len(topics), dtype=np.int64)
    query_of[topic] = query
    order = np.argsort(query_of, kind="stable")
    place = np.empty_like(order)
    place[order] = ranks_in_queries(query_of[order])
    grades = np.full((len(documents), place.max() + 1), np.nan)
    grades[row, place[topic]] = grade
    return qid[documents], docno[documents], grades


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


def _unnest(data, name, value):
    for qid, documents in data.items():
        if not isinstance(documents, Mapping):
            raise TypeError(
                f"{name} must be a dict of dicts {{qid: {{docno: {value}}}}}; got "
                f"{type(documents).__name__} for query {qid!r}."
            )
    qid = chain.from_iterable(map(repeat, data, map(len, data.values())))
    docno = chain.from_iterable(data.values())
    values = chain.from_iterable(documents.values() for documents in data.values())
    return list(qid), list(docno), list(values)


def _column(frame, name, wanted):
    for column in _NAMES[wanted]:
        if column in frame.columns:
            return frame[column]
    raise ValueError(
        f"{name} must have a column {' or '.join(map(repr, _NAMES[wanted]))}; got "
        f"the columns {list(frame.columns)}."
    )


def _as_text(column, name, what):
    """Return ids as an object array of strings."""
    refuse_mask(f"{what} ids of {name}", column)
    ids = column if isinstance(column, list) else np.asarray(column).tolist()
    kinds = set(map(type, ids))
    for kind in kinds:
        if not issubclass(kind, str | Integral) or issubclass(kind, bool):
            example = next(i for i in ids if type(i) is kind)
            raise TypeError(
                f"{what} ids of {name} must be strings or integers; got {example!r}."
            )
    if kinds - {str}:
        ids = list(map(str, ids))
    return np.array(ids, dtype=object)
