"""Turn dicts of queries, and lists of tuples, into columns."""

import os
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain, repeat
from numbers import Real

import numpy as np

from sklearn_irmetrics.runs._forms import Run

_LISTS = list, tuple, np.ndarray
_HOLDERS = Mapping, Set, *_LISTS


def several_runs(run):
    """Return runs by name if `run` is a dict of runs, None if it is a single one.

    The values of a dict of runs are runs, paths, tables, or dicts of queries. The
    values of a single run are the documents of a query.
    """
    if not isinstance(run, Mapping):
        return None
    return dict(run) if any(map(_is_run, run.values())) else None


def list_runs(runs):
    """Return the names of several runs (None if they have none), and the runs."""
    if isinstance(runs, str | bytes | Run) or not isinstance(runs, Iterable):
        raise TypeError(f"runs must be a list or a dict of runs; got {runs!r}.")
    names, given = None, [*runs]
    if isinstance(runs, Mapping):
        names, given = given, [*runs.values()]
    if not given:
        raise ValueError("runs must hold at least one run; got none.")
    return names, given


def _is_run(value):
    """Whether a value in a dict is itself a run."""
    if isinstance(value, Mapping):
        return value and all(isinstance(one, _HOLDERS) for one in value.values())
    if isinstance(value, str | os.PathLike):
        return True
    if isinstance(value, list | tuple):  # of rows; documents are not such tuples
        return bool(value) and isinstance(value[0], tuple) and len(value[0]) > 2
    return not isinstance(value, (*_HOLDERS, bytes, Real)) and value is not None


def unnest(pairs, name, value):
    """Return the documents, their values, and the number of documents of each query.

    Parameters
    ----------
    pairs : iterable of (query, documents)
        Documents are a dict from document to number, a list of pairs, a list in rank
        order (for judgments, a list of relevant documents), or a set of relevant ones.
    name : {"qrels", "run"}
        What errors call it.
    value : {"grade", "score"}
        What its numbers are.

    Returns
    -------
    docnos, values, sizes : list
    """
    documents = [(qid, _as_list(qid, inside, name, value)) for qid, inside in pairs]
    sizes = [len(docnos) for _, (docnos, _) in documents]
    docnos = list(chain.from_iterable(docnos for _, (docnos, _) in documents))
    values = list(chain.from_iterable(values for _, (_, values) in documents))
    return docnos, values, sizes


def _as_list(qid, documents, name, value):
    """Return ids and numbers of the documents of one query."""
    if isinstance(documents, Mapping):
        return documents, documents.values()
    if isinstance(documents, Set) and value == "grade":
        return documents, [1.0] * len(documents)
    if isinstance(documents, Set):
        raise TypeError(
            f"run must rank the documents of query {qid!r}; got a set, which has no "
            "order. Pass a list, or a dict of scores."
        )
    if isinstance(documents, np.ndarray) and documents.ndim == 1:
        documents = documents.tolist()
    if not isinstance(documents, Sequence) or isinstance(documents, str | bytes):
        got = type(documents).__name__
        if isinstance(documents, str | bytes):
            got = f"the text {documents!r}"
        orders = "relevant documents" if value == "grade" else "documents in order"
        raise TypeError(
            f"{name} must be a dict from query to documents: {{document: {value}}}, a "
            f"list of pairs (document, {value}) or of {orders}; got {got} for query "
            f"{qid!r}."
        )
    if documents and all(map(_is_pair, documents)):
        return tuple(zip(*documents, strict=True))
    if value == "grade":
        return documents, [1.0] * len(documents)
    return documents, range(len(documents), 0, -1)


def _is_pair(one):
    return (
        isinstance(one, tuple | list)
        and len(one) == 2
        and isinstance(one[1], Real | np.bool_)
    )


def unnest_topics(data, name, value):
    """Return columns of ``{query: {subtopic: documents}}``, None for other dicts.

    Returns
    -------
    queries, subtopics, docnos, values : list, or None
    """
    inside = list(data.values())
    if not inside or not all(isinstance(topics, Mapping) for topics in inside):
        return None
    if not all(isinstance(one, _HOLDERS) for ts in inside for one in ts.values()):
        return None
    pairs = [
        ((qid, topic), documents)
        for qid, topics in data.items()
        for topic, documents in topics.items()
    ]
    docnos, values, sizes = unnest(pairs, name, value)
    spread = chain.from_iterable(map(repeat, (key for key, _ in pairs), sizes))
    qids, topics = map(list, zip(*spread, strict=True)) if docnos else ([], [])
    return qids, topics, docnos, values


def by_field(rows, name, value):
    """Return columns by name for tuples with named fields, or three for plain tuples.

    Returns
    -------
    dict of str to list, or tuple of three lists
    """
    kinds = list(dict.fromkeys(map(type, rows)))
    others = [kind for kind in kinds if not issubclass(kind, tuple)]
    wanted = f"tuples (qid, docno, {value})"
    if others or len(kinds) > 1:
        keys = ""
        if any(issubclass(kind, list | set | dict) for kind in others):
            keys = (
                " Collections of documents, one per query, need query ids: pass "
                f"dict(enumerate({name}))."
            )
        raise TypeError(
            f"{name}, if it is a list, must hold {wanted} of one kind; got "
            f"{' and '.join(kind.__name__ for kind in (others or kinds)[:2])}.{keys}"
        )
    fields = getattr(kinds[0], "_fields", None)
    if fields is not None:
        return dict(zip(fields, map(list, zip(*rows, strict=True)), strict=True))
    sizes = set(map(len, rows))
    if sizes != {3}:
        raise TypeError(
            f"{name} must hold {wanted}; got one of {max(sizes - {3})} entries. Longer "
            "tuples need names: a NamedTuple, or a DataFrame."
        )
    return tuple(map(list, zip(*rows, strict=True)))
