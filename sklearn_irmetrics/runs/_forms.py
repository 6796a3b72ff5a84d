"""What may be passed as judgments or runs, and by which names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from itertools import chain
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from sklearn_irmetrics._results.tables import arrays_of, count, frame_of_arrays

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False, repr=False)
class Qrels:
    """Judgments, one element per judged document, in the order of the file.

    Attributes
    ----------
    qid, docno : ndarray of shape (n_judgments,), dtype object
        Ids of query and document, as strings; query ids that were integers are.
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
        return frame_of_arrays(arrays_of(self, "qid", *subtopic, "docno", "grade"))


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
        return frame_of_arrays(arrays_of(self, "qid", "docno", "score"))


def is_refused(field, numbers):
    """Whether numbers cannot be a "grade" (NaN, infinite) or a "score" (NaN)."""
    return np.isnan(numbers) if field == "score" else ~np.isfinite(numbers)


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


# Of a record of a query's documents, such as a retrieved chunk.
ID_INSIDE = "id"
_IDS = {
    *(ID_INSIDE, *NAMES["qid"], *NAMES["docno"], *NAMES["subtopic"]),
    *(*_LAST["qid"], *_LAST["docno"]),
}


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


def find_column(names, data, wanted, columns, roles=()):
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
    roles : sequence of str
        All keys of `NAMES` that the data must have a column for.

    Raises
    ------
    ValueError
        If there is no such column, or there are several.
    """
    present = present_columns(names, wanted, columns)
    if len(present) > 1:
        raise ValueError(
            f"{data} has several columns of one kind, {present[0]!r} and "
            f"{present[1]!r}; choose one by columns={{{wanted!r}: {present[0]!r}}}."
        )
    if not present:
        known = _known_names(names, wanted, columns)
        raise ValueError(
            f"{data} must have a column {' or '.join(map(repr, known))}; got the "
            f"columns {list(names)}.{_name_roles(names, roles or [wanted], columns)}"
        )
    return present[0]


def _name_roles(names, roles, columns):
    """Return how to pass columns that have other names, for errors."""
    present = {role: present_columns(names, role, columns) for role in roles}
    lacking = [role for role, held_by in present.items() if not held_by]
    others = [name for name in names if not any(name in p for p in present.values())]
    if len(others) != len(lacking):
        others = [None] * len(lacking)
    hint = spell_columns(dict(zip(lacking, others, strict=True)))
    if lacking == ["score"]:
        return hint + " If they are in rank order, pass only the ids."
    if lacking != ["grade"]:
        return hint
    if len(roles) == 1:
        return hint + " If all are relevant, pass only the ids."
    (query, *_), (document, *_) = present["qid"], present["docno"]
    return (
        f"{hint} If every row is a relevant pair, pass only the columns of query and "
        f"document: frame[[{query!r}, {document!r}]].drop_duplicates()."
    )


def spell_columns(names):
    """Return how to pass names by what they hold, None for any, for errors."""
    named = ", ".join(
        f"{role!r}: {'...' if name is None else repr(name)}"
        for role, name in names.items()
    )
    largest = " (the largest score ranks first)" if "score" in names else ""
    others = "it has another name" if len(names) == 1 else "they have other names"
    return f" If {others}, pass columns={{{named}}}{largest}."


def _known_names(names, wanted, columns):
    """Return the names that a column may have."""
    name = (columns or {}).get(wanted)
    return (name,) if name in names else NAMES[wanted]


def present_columns(names, wanted, columns):
    """Return the names of the columns that hold what is wanted, none or several."""
    present = [name for name in _known_names(names, wanted, columns) if name in names]
    return present or [name for name in _LAST.get(wanted, ()) if name in names]


def find_numbers(names, data, field, columns, roles=(), where=None):
    """Return the name of the column of grades, scores or ranks.

    Without one, return None if there are only ids: pairs of query and document.

    Parameters
    ----------
    names, data, columns, roles
        As for `find_column`.
    field : {"grade", "score"}
        The kind of numbers.
    where : str or None
        What errors call a part of the data, such as the records of a query, which has
        only columns of numbers.
    """
    number_name = (columns or {}).get(field)
    # Marks and excluded documents, read as judgments too, may have other names.
    if (
        number_name is not None
        and number_name not in names
        and (field == "score" or data == "qrels")
    ):
        raise ValueError(
            f"{where or data} must have the column {number_name!r}, which columns "
            f"names as the {field}; got the columns {list(names)}."
        )
    if not present_columns(names, field, columns):
        if field == "score" and "rank" in names:
            return "rank"
        if len(names) == len(roles) - 1:
            return None
    return find_column(names, where or data, field, columns, roles)


def find_number_of_records(records, data, of_query, field, columns):
    """Return the key of the numbers of a query's documents; None if none has numbers.

    Parameters
    ----------
    records : list of dict
        The documents, with any further facts that are no numbers.
    of_query : str
        What errors call them.
    data, field, columns
        As for `find_numbers`.
    """
    names = list(records[0])
    if not present_columns(names, field, columns):
        ids = {*_IDS, *(columns.get(role) for role in ("qid", "docno", "subtopic"))}
        names = [
            key
            for key in dict.fromkeys(chain.from_iterable(records))
            if present_columns([key], field, columns)
            or (field == "score" and key == "rank")
            or (
                key not in ids
                and any(
                    isinstance(record.get(key), Real | np.bool_) for record in records
                )
            )
        ]
    return find_numbers(names, data, field, columns, [field], where=of_query)


def holds_ids(names, columns, ids=("qid", "docno")):
    """Whether some of the names are of columns of these ids."""
    return all(present_columns(names, role, columns) for role in ids)


# The key of the documents of a query in a record of it, as sentence-transformers and
# others write one.
RESULTS = "results"


def is_query_record(row, columns=None):
    """Whether a dict is a record of a query: its id, and its results."""
    return (
        isinstance(row, Mapping)
        and isinstance(row.get(RESULTS), list)
        and holds_ids(list(row), columns, ["qid"])
    )


def refuse_dict_of_columns(data, name, columns):
    """Raise if a dict of queries is a table by its keys and sizes."""
    if not holds_ids(data, columns):
        return
    sizes = {
        len(values) if hasattr(values, "__len__") else 0 for values in data.values()
    }
    if len(sizes) == 1:
        raise TypeError(
            f"{name} must not be a dict of columns, {list(data)}: pass it as a table, "
            f"such as pandas.DataFrame({name})."
        )


_LISTS = list, tuple, np.ndarray
HOLDERS = Mapping, Set, *_LISTS


def several_runs(run):
    """Return runs by name if `run` is a dict of runs, None if it is a single one.

    The values of a dict of runs are runs, paths, tables, or dicts of queries. The
    values of a single run are the documents of a query.
    """
    if not isinstance(run, Mapping):
        return None
    refuse_dict_of_columns(run, "run", None)
    return dict(run) if any(map(_is_run, run.values())) else None


def list_runs(runs):
    """Return the names of several runs (None if they have none), and the runs."""
    if isinstance(runs, str | bytes | Run) or not isinstance(runs, Iterable):
        raise TypeError(f"runs must be a list or a dict of runs; got {runs!r}.")
    names, listed = None, [*runs]
    if isinstance(runs, Mapping):
        names, listed = listed, [*runs.values()]
    if not listed:
        raise ValueError("runs must hold at least one run; got none.")
    return names, listed


def _is_run(value):
    """Whether a value in a dict is itself a run."""
    if isinstance(value, Mapping):
        return value and all(
            isinstance(documents, HOLDERS) for documents in value.values()
        )
    if isinstance(value, str | os.PathLike):
        return True
    if isinstance(value, list | tuple):  # of rows; documents do not name queries
        first = value[0] if value else None
        if isinstance(first, Mapping):
            return holds_ids(list(first), None) or is_query_record(first)
        return isinstance(first, tuple) and len(first) > 2
    return not isinstance(value, (*HOLDERS, bytes, Real)) and value is not None
