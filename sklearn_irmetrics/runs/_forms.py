"""What may be passed as judgments or runs, and by which names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain, repeat
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from sklearn_irmetrics._arrays.numbers import as_floats
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
_LAST = {
    "qid": ("query", "user", "user_id"),
    "docno": ("item", "item_id"),
    "grade": ("score", "rating"),
}
_IDS_INSIDE = "id"  # of a record of a query's documents, such as a retrieved chunk


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
                f"the ranks {name!r}. A table without scores is ranked by its column "
                "'rank' as it is; otherwise pass a column of negative ranks."
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
    known, found = _known_columns(names, wanted, columns)
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


def _known_columns(names, wanted, columns):
    """Return the names that a column may have, and those of columns that exist."""
    given = (columns or {}).get(wanted)
    known = (given,) if given in names else NAMES[wanted]
    found = [name for name in known if name in names]
    found = found or [name for name in _LAST.get(wanted, ()) if name in names]
    return known, found


def find_numbers(names, data, value, subtopics, columns):
    """Return the name of the column of grades, scores or ranks.

    Without one, return None if there are only ids: pairs of query and document.
    """
    if not _known_columns(names, value, columns)[1]:
        if value == "score" and "rank" in names:
            return "rank"
        if len(names) == 2 + subtopics:
            return None
    return find_column(names, data, value, columns)


def holds_ids(names, columns):
    """Whether some of the names are of columns of query and document ids."""
    return all(_known_columns(names, one, columns)[1] for one in ("qid", "docno"))


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
    if isinstance(value, list | tuple):  # of rows; documents do not name queries
        first = value[0] if value else None
        if isinstance(first, Mapping):
            return holds_ids(list(first), None)
        return isinstance(first, tuple) and len(first) > 2
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


def list_documents(qid, documents, name, value, columns=None):
    """Return ids and numbers of the documents of one query."""
    if isinstance(documents, Mapping):
        return documents, documents.values()
    if isinstance(documents, Set) and value == "score":
        raise TypeError(
            f"run must rank the documents of query {qid!r}; got a set, which has no "
            "order. Pass a list, or a dict of scores."
        )
    if isinstance(documents, np.ndarray) and documents.ndim == 1:
        documents = documents.tolist()
    if not isinstance(documents, Sequence | Set) or isinstance(documents, str | bytes):
        _refuse_documents(qid, documents, name, value)
    if documents and all(isinstance(one, Mapping) for one in documents):
        return _list_records(qid, documents, name, value, columns)
    if documents and all(map(_is_pair, documents)):
        return tuple(zip(*documents, strict=True))
    return documents, numbers_of_order(value, len(documents))


def _refuse_documents(qid, documents, name, value):
    """Raise because documents of a query are in no collection."""
    got = type(documents).__name__
    if isinstance(documents, str | bytes):
        got = f"the text {documents!r}"
    orders = "relevant documents" if value == "grade" else "documents in order"
    raise TypeError(
        f"{name} must be a dict from query to documents: {{document: {value}}}, a "
        f"list of pairs (document, {value}) or of {orders}; got {got} for query "
        f"{qid!r}."
    )


def _list_records(qid, records, name, value, columns):
    """Return ids and numbers of records such as ``{"id": ..., "score": ...}``."""
    of_query = f"records of query {qid!r} of {name}"
    names = [key for key in records[0] if all(key in one for one in records)]
    if _known_columns(names, "docno", columns)[1]:
        id_name = find_column(names, of_query, "docno", columns)
    elif _IDS_INSIDE in names:
        id_name = _IDS_INSIDE
    else:
        raise ValueError(
            f"{of_query} must each have the id of a document under {_IDS_INSIDE!r} or "
            f"{NAMES['docno'][0]!r}; got {records[0]!r:.200}."
        )
    ids = [one[id_name] for one in records]
    if _known_columns(names, value, columns)[1]:
        number_name = find_column(names, of_query, value, columns)
        return ids, [one[number_name] for one in records]
    if any(_known_columns(list(one), value, columns)[1] for one in records):
        raise ValueError(f"{of_query} must all have a {value}, or none of them.")
    if value == "score" and "rank" in names:
        return ids, scores_of_ranks([one["rank"] for one in records], of_query)
    return ids, numbers_of_order(value, len(ids))


def numbers_of_order(value, n):
    """Return the numbers of documents without any: all relevant, or in this order."""
    return [1.0] * n if value == "grade" else range(n, 0, -1)


def scores_of_ranks(ranks, name):
    """Return scores that order documents by their ranks; refuse other numbers."""
    ranks = as_floats(f"rank of {name}", ranks)
    wrong = ~((ranks >= 0) & (ranks == np.floor(ranks)) & np.isfinite(ranks))
    if wrong.any():
        raise ValueError(
            f"rank of {name} must be whole numbers from 0 or 1, the first rank; got "
            f"{ranks[wrong][0]:.15g}. Name scores by columns={{'score': ...}}."
        )
    return -ranks


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


def by_field(rows, name, value, columns):
    """Return columns by name for records and named tuples, or three for plain tuples.

    Returns
    -------
    dict of str to list, or tuple of three lists
    """
    if all(isinstance(row, Mapping) and holds_ids(list(row), columns) for row in rows):
        return _columns_of_records(rows, name)
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


def _columns_of_records(rows, name):
    """Return the columns of records that have the same keys."""
    for i, row in enumerate(rows):
        if row.keys() != rows[0].keys():
            raise ValueError(
                f"{name} must hold records with the same keys, {list(rows[0])}; got "
                f"{list(row)} in record {i}."
            )
    return {key: [row[key] for row in rows] for key in rows[0]}
