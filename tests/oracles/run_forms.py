"""Judgments and runs in every form that people hold, made of a dict of dicts."""

import io
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from sklearn_irmetrics.runs import Qrels, Run


def as_pytrec_eval(table, kind):
    return {
        str(qid): {str(doc): kind(number) for doc, number in documents.items()}
        for qid, documents in table.items()
    }


def rows_of(table):
    return [(qid, d, n) for qid, inside in table.items() for d, n in inside.items()]


class Judged(NamedTuple):
    query_id: object
    doc_id: object
    relevance: float
    iteration: str = "0"


class Scored(NamedTuple):
    query_id: object
    doc_id: object
    score: float


def columns_of(table, names):
    return dict(zip(names, map(list, zip(*rows_of(table), strict=True)), strict=True))


def as_text(table):
    return as_pytrec_eval(table, float)


def trec_values(text):
    """Read lines of trec_eval: {(measure, query): text}."""
    lines = [line.split("\t") for line in text.splitlines()]
    return {(name.strip(), query): value for name, query, value in lines}


def as_file(table, form):
    lines = [form.format(*row) for row in rows_of(table)]
    return io.StringIO("".join(lines))


def as_qrels(table):
    return as_file(table, "{} 0 {} {}\n")


def frames(table, names, library):
    module = pytest.importorskip(library)
    columns = columns_of(as_text(table), names)
    make = module.table if library == "pyarrow" else module.DataFrame
    return make(columns)


QRELS = "query_id", "doc_id", "relevance"
BEIR = "query-id", "corpus-id", "score"
FORMS = {
    "dicts": (lambda q: q, lambda r: r),
    "pairs": (
        lambda q: {i: list(d.items()) for i, d in q.items()},
        lambda r: {i: tuple(map(list, d.items())) for i, d in r.items()},
    ),
    "tuples": (rows_of, lambda r: iter(rows_of(r))),
    "named tuples": (
        lambda q: [Judged(*row) for row in rows_of(q)],
        lambda r: (Scored(*row) for row in rows_of(r)),
    ),
    "arrays": (
        lambda q: tuple(columns_of(q, "abc").values()),
        lambda r: tuple(map(np.array, columns_of(as_text(r), "abc").values())),
    ),
    "records": (
        lambda q: Qrels(*map(np.array, columns_of(as_text(q), "abc").values())),
        lambda r: Run(*map(np.array, columns_of(as_text(r), "abc").values())),
    ),
    "ranx": (
        lambda q: SimpleNamespace(qrels=as_text(q), to_dict=lambda: as_text(q)),
        lambda r: SimpleNamespace(run=as_text(r), to_dict=lambda: as_text(r)),
    ),
    "files": (as_qrels, lambda r: as_file(r, "{} Q0 {} 1 {!r} tag\n")),
    "file and dict": (as_qrels, lambda r: r),
    "dict and file": (dict, lambda r: as_file(r, "{}\tQ0\t{}\t1\t{!r}\tt\r\n")),
    "pandas": (
        lambda q: frames(q, QRELS, "pandas"),
        lambda r: frames(r, ("qid", "docno", "score"), "pandas"),
    ),
    "polars": (
        lambda q: frames(q, ("qid", "docid", "label"), "polars"),
        lambda r: frames(r, BEIR, "polars"),
    ),
    "pyarrow": (
        lambda q: frames(q, BEIR, "pyarrow"),
        lambda r: frames(r, ("q_id", "doc_id", "score"), "pyarrow"),
    ),
}


def as_dict(run):
    """Return the scores of a `Run`, by query and document."""
    found = {}
    for qid, docno, score in zip(run.qid, run.docno, run.score.tolist(), strict=True):
        found.setdefault(qid, {})[docno] = score
    return found
