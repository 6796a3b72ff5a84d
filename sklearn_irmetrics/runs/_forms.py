"""What may be passed as judgments or runs, and by which names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain, repeat
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from sklearn_irmetrics._results.tables import as_column, count, import_pandas

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False, repr=False)
class Qrels:
    """Judgments, one element per judged document, in the order of the file.

    Attributes
    ----------
    qid, docno : ndarray of shape (n_judgments,), dtype object
        Ids of query and document, as strings.
    grade : ndarray of shape (n_judgments,), dtype float64
        The grade; negative for a document that was in the pool but not judged.
    subtopic : ndarray of shape (n_judgments,), dtype object, or None
        The subtopic of each judgment, if subtopics were read.
    """

    qid: np.ndarray
    docno: np.ndarray
    grade: np.ndarray
    subtopic: np.ndarray | None = None

    def __len__(self):
        return len(self.qid)

    def __repr__(self):
        n_queries = count(len(set(self.qid)), "query")
        return f"<Qrels: {n_queries}, {count(len(self), 'judgment')}>"

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with the columns qid, docno and grade.

        It also has the column subtopic if there are any.
        """
        subtopic = [] if self.subtopic is None else ["subtopic"]
        return _frame(self, "qid", *subtopic, "docno", "grade")


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A run, one element per retrieved document, in the order of the file.

    Attributes
    ----------
    qid, docno : ndarray of shape (n_retrieved,), dtype object
        Ids of query and document, as strings.
    score : ndarray of shape (n_retrieved,), dtype float64
        The score; larger is ranked first.
    tag : str
        Name of the run (that of the last line, as in trec_eval).
    """

    qid: np.ndarray
    docno: np.ndarray
    score: np.ndarray
    tag: str = "sklearn_irmetrics"

    def __len__(self):
        return len(self.qid)

    def __repr__(self):
        n_queries = count(len(set(self.qid)), "query")
        return f"<Run {self.tag!r}: {n_queries}, {count(len(self), 'document')}>"

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with the columns qid, docno and score."""
        return _frame(self, "qid", "docno", "score")


@dataclass(frozen=True, eq=False)
class AlignedRun:
    """Judgments and a run, joined into the arrays that every metric takes.

    Rows are sorted by query id, then score, then document id (see `align`).

    Attributes
    ----------
    y_true : ndarray of shape (n_rows,) or (n_rows, n_subtopics), dtype float64
        Grade; NaN for a document without a judgment. With subtopics, one column each:
        the first for the first subtopic of every query.
    y_score : ndarray of shape (n_rows,), dtype float32 (or the given `dtype`)
        Score; -inf for a judged document that was not retrieved.
    qid, docno : ndarray of shape (n_rows,), dtype object
        Ids of query and document, as strings.
    pooled : ndarray of shape (n_rows,), dtype bool
        True for a document that was in the pool but not judged (negative grade).
    missing : tuple of str
        Queries of the qrels that are missing from the run, kept or left out.
    ignored : tuple of str
        Queries of the run that are missing from the qrels, left out.
    """

    y_true: np.ndarray
    y_score: np.ndarray
    qid: np.ndarray
    docno: np.ndarray
    pooled: np.ndarray
    missing: tuple = ()
    ignored: tuple = ()

    def __len__(self):
        return len(self.qid)

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame: qid, docno, y_true, y_score and pooled.

        Grades of subtopics are columns y_true_0, y_true_1 and so on.
        """
        return _frame(self, "qid", "docno", "y_true", "y_score", "pooled")


def is_refused(value, numbers):
    """Whether numbers cannot be a "grade" (NaN, infinite) or a "score" (NaN)."""
    return np.isnan(numbers) if value == "score" else ~np.isfinite(numbers)


def _frame(form, *names):
    columns = {}
    for name in names:
        values = getattr(form, name)
        if values.ndim == 1:
            columns[name] = values
        else:
            columns |= {f"{name}_{i}": column for i, column in enumerate(values.T)}
    pd = import_pandas()
    return pd.DataFrame(
        {name: as_column(pd.Series, values) for name, values in columns.items()}
    )


NAMES = {
    "qid": ("qid", "query_id", "q_id", "query-id"),
    "docno": ("docno", "doc_id", "docid", "corpus-id", "corpus_id"),
    "grade": ("grade", "relevance", "rel", "label"),
    "score": ("score",),
    "subtopic": ("subtopic", "subtopic_id"),
}
# Used only if none of those above exists.
_LAST = {"grade": ("score",)}


def check_column_names(columns):
    """Return the given names of columns, by what they hold."""
    if columns is None:
        return {}
    if not isinstance(columns, Mapping):
        raise TypeError(
            "columns must be a dict such as {'grade': 'relevance'}, or None; got "
            f"{columns!r}."
        )
    for key, name in columns.items():
        if key not in NAMES:
            raise ValueError(
                f"columns must have keys among {', '.join(map(repr, NAMES))}; got "
                f"{key!r}."
            )
        if not isinstance(name, str):
            raise TypeError(f"columns must hold names; got {name!r} for {key!r}.")
        if key == "score" and name.lower() == "rank":
            raise ValueError(
                "columns must name scores, of which the largest is ranked first; got "
                f"the ranks {name!r}. Pass a column of negative ranks."
            )
    return dict(columns)


def find_column(names, data, wanted, columns):
    """Return the name of the column that holds ids, grades, scores or subtopics.

    Parameters
    ----------
    names : list
        The names of all columns.
    data : {"qrels", "run"} or name of a file
        What errors call it.
    wanted : str
        A key of `NAMES`.
    columns : dict of str to str or None
        Names given by the caller, which take precedence if there is such a column.

    Raises
    ------
    ValueError
        If there is no such column, or there are several.
    """
    given = (columns or {}).get(wanted)
    known = (given,) if given in names else NAMES[wanted]
    found = [name for name in known if name in names]
    found = found or [name for name in _LAST.get(wanted, ()) if name in names]
    if len(found) > 1:
        raise ValueError(
            f"{data} has several columns of one kind, {found[0]!r} and {found[1]!r}; "
            f"choose one by columns={{{wanted!r}: {found[0]!r}}}."
        )
    if not found:
        raise ValueError(
            f"{data} must have a column {' or '.join(map(repr, known))}; got the "
            f"columns {list(names)}."
        )
    return found[0]


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
    documents = [
        (qid, list_documents(qid, inside, name, value)) for qid, inside in pairs
    ]
    sizes = [len(docnos) for _, (docnos, _) in documents]
    docnos = list(chain.from_iterable(docnos for _, (docnos, _) in documents))
    values = list(chain.from_iterable(values for _, (_, values) in documents))
    return docnos, values, sizes


def list_documents(qid, documents, name, value):
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
