"""Turn judgments and runs of any form into columns of ids and numbers."""

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from numbers import Integral

import numpy as np

from sklearn_irmetrics._arrays.numbers import EXACT, as_floats, refuse_mask
from sklearn_irmetrics.runs._forms import (
    Qrels,
    Run,
    by_field,
    find_column,
    find_numbers,
    is_refused,
    list_documents,
    numbers_of_order,
    scores_of_ranks,
    unnest_topics,
)
from sklearn_irmetrics.runs._ids import (
    KeyIds,
    TextIds,
    find_duplicate,
    keys_of,
    number_ids,
)


@dataclass(frozen=True, eq=False)
class Columns:
    """Judgments or a run, with one element per document.

    Attributes
    ----------
    queries : list of str
        Ids of the queries.
    query : ndarray of shape (n_rows,)
        The position of each row's query in `queries`.
    docno : TextIds or ByteIds
        Ids of documents.
    value : ndarray of shape (n_rows,) or (n_rows, n_subtopics)
        Grades or scores.
    subtopic : ndarray of shape (n_rows,), dtype object, or None
        The subtopic of each judgment, if requested.
    kind : {"str", "int", "int/str"}
        The original type of the query ids.
    unique : bool
        Whether each document is known to occur once per query.
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
    """Whether `data` is a file: a path, or an object with `read`."""
    return isinstance(data, str | os.PathLike) or hasattr(data, "read")


def make_columns(data, name, value, *, subtopics=False, columns=None):
    """Return judgments or a run that is in memory as `Columns`.

    Parameters
    ----------
    data : object
        Any form that `score_run` takes, except files.
    name : {"qrels", "run"}
        Its name in errors.
    value : {"grade", "score"}
        The kind of its numbers.
    subtopics : bool
        Whether to read the subtopic of each judgment.
    columns : dict of str to str or None
        Names of columns that do not have the usual names.
    """
    if _is_of_ranx(data, value):
        data = data.to_dict()
    if isinstance(data, Mapping) and not subtopics:
        return _from_dict(data, name, value, columns)
    qid, *topic, docno, values = _take_apart(data, name, value, subtopics, columns)
    qids, kind = as_text(qid, name, "query")
    docnos, _ = as_text(docno, name, "document")
    topic = [np.array(as_text(one, name, "subtopic")[0], object) for one in topic]
    values = _numbers(name, value, values, map(len, (qids, *topic, docnos)))
    queries, query = number_ids(qids)
    docno = TextIds(np.array(docnos, dtype=object))
    tag = data.tag if isinstance(data, Run) else Run.tag
    return Columns(queries, query, docno, values, *topic, kind=kind, tag=tag)


def check_columns(found, name, value, line_of=None, hint="", once=True):
    """Refuse numbers that are not valid, and repeated documents if `once`.

    `line_of` returns the line of a row, for files; `hint` ends the message.
    """
    refused = is_refused(value, found.value)
    if refused.any():
        row = int(np.flatnonzero(refused)[0])
        rule = "not be NaN" if value == "score" else "be finite"
        raise ValueError(
            f"{value} of {name} must {rule}; got {found.value[row]} for query "
            f"{found.qid[row]!r} and document {found.docno.text([row])[0]!r}."
        )
    if once and not found.unique:
        _refuse_duplicates(found, name, line_of, hint)
    return found


def _refuse_duplicates(found, name, line_of, hint):
    """Raise if a query has a document twice, under the same subtopic if given."""
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
    row_of, topics_of, places = {}, defaultdict(dict), []
    rows = zip(found.query.tolist(), found.docno.text(), found.subtopic, strict=True)
    for query, docno, topic in rows:
        topics = topics_of[query]
        row = row_of.setdefault((query, docno), len(row_of))
        places.append((row, topics.setdefault(topic, len(topics))))
    n_topics = max(map(len, topics_of.values()), default=1)
    grades = np.full((len(row_of), n_topics), np.nan)
    grades[tuple(np.array(places, dtype=np.int64).reshape(-1, 2).T)] = found.value
    return replace(
        found,
        query=np.array([query for query, _ in row_of], dtype=np.int64),
        docno=TextIds(np.array([docno for _, docno in row_of], dtype=object)),
        value=grades,
        subtopic=None,
    )


def take_columns(table, name, value, subtopics, columns):
    """Return the columns of a table, or of a dict of columns, by their usual names."""
    # Arrow's own `columns` are arrays.
    names = list(
        getattr(table, "column_names", None) or getattr(table, "columns", table)
    )
    ids = [
        table[find_column(names, name, one, columns)]
        for one in _wanted(value, subtopics)[:-1]
    ]
    number = find_numbers(names, name, value, subtopics, columns)
    if number is None:
        return *ids, np.asarray(numbers_of_order(value, len(ids[0])), dtype=float)
    if number == "rank":
        return *ids, scores_of_ranks(table[number], name)
    if number == "rating" and value == "grade":
        return _without_unrated(ids, table[number], name)
    return *ids, table[number]


def _without_unrated(ids, ratings, name):
    """Return ids and ratings without those that are missing: nobody judged them."""
    ratings = as_floats(f"grade of {name}", ratings)
    rated = ~np.isnan(ratings)
    if rated.all():
        return *ids, ratings
    return *(np.asarray(one, dtype=object)[rated] for one in ids), ratings[rated]


def _wanted(value, subtopics):
    return ["qid", *(["subtopic"] if subtopics else []), "docno", value]


def _is_table(data):
    return hasattr(data, "columns") and hasattr(data, "__getitem__")


def _is_of_ranx(data, value):
    held = {"grade": "qrels", "score": "run"}[value]
    return not _is_table(data) and hasattr(data, held) and hasattr(data, "to_dict")


def _take_apart(data, name, value, subtopics, columns):
    """Return query ids, subtopics if requested, document ids and numbers."""
    form = Qrels if value == "grade" else Run
    wanted = _wanted(value, subtopics)
    if isinstance(data, form) and not (subtopics and data.subtopic is None):
        return [getattr(data, one) for one in wanted]
    if _is_table(data):
        return take_columns(data, name, value, subtopics, columns)
    found = None
    if isinstance(data, Mapping):
        found = unnest_topics(data, name, value)
    elif type(data) is tuple and len(data) == len(wanted) and not _are_rows(data):
        found = data
    elif _holds_rows(data):
        found = _take_rows(list(data), name, value, subtopics, columns)
    if found is not None:
        return found
    inside, rule = "documents", ""
    if subtopics:
        inside, rule = "{subtopic: documents}", ", read with subtopics=True"
    raise TypeError(
        f"{name} must be a {form.__name__}{rule}, a path, a table, a dict {{qid: "
        f"{inside}}}, tuples or a tuple of arrays ({', '.join(wanted)}); got "
        f"{type(data).__name__}."
    )


def _take_rows(rows, name, value, subtopics, columns):
    """Return what `_take_apart` does for a list of tuples, or None."""
    if not rows:
        return [[]] * len(_wanted(value, subtopics))
    found = by_field(rows, name, value, columns)
    if isinstance(found, dict):
        return take_columns(found, name, value, subtopics, columns)
    return None if subtopics else found


def _are_rows(data):
    return all(hasattr(type(row), "_fields") for row in data)


def _holds_rows(data):
    """Whether `data` may be a list or an iterator of tuples."""
    return (
        isinstance(data, Iterable)
        and not isinstance(data, np.ndarray | bytes | str)
        and not (isinstance(data, tuple) and (not data or not _are_rows(data)))
        and not isinstance(data, set | frozenset)
    )


def _from_dict(data, name, value, columns):
    """Return the columns of a dict of queries."""
    documents = [
        list_documents(qid, one, name, value, columns) for qid, one in data.items()
    ]
    qids, kind = as_text(list(data), name, "query")
    queries, number = number_ids(qids)
    if len(queries) < len(qids):
        again = next(qid for i, qid in enumerate(qids) if qid in qids[:i])
        raise ValueError(
            f"{name} must have query ids that differ as text; {again!r} occurs as a "
            "number and as text."
        )
    docnos = [ids for ids, _ in documents]
    docno, unique = _ids_of(docnos, name)
    values = _flat_numbers([numbers for _, numbers in documents], len(docno))
    return Columns(
        queries,
        np.repeat(number, list(map(len, docnos))),
        docno,
        _numbers(name, value, values, [len(docno)]),
        kind=kind,
        unique=unique,
    )


def _ids_of(documents, name):
    """Return the ids of each query's documents, and whether they are known to differ.

    Those that are strings and keys of dicts stay there.
    """
    are_dicts = set(map(type, documents)) <= {dict}
    if are_dicts and set(map(type, chain.from_iterable(documents))) <= {str}:
        return KeyIds(documents), True
    docnos = list(chain.from_iterable(documents))
    texts, _ = as_text(docnos, name, "document")
    # Keys of one type differ, and so do their texts.
    unique = texts is docnos and all(isinstance(one, Mapping) for one in documents)
    return TextIds(np.array(texts, dtype=object)), unique


def _flat_numbers(numbers, n):
    """Return numbers of several queries as one array, or a list if that may change any.

    NumPy takes twice as long for a list.
    """
    try:
        kinds = {type(sum(one)) for one in numbers}  # unlike NumPy, it refuses text
        if kinds <= {float, int}:
            found = np.fromiter(chain.from_iterable(numbers), np.float64, n)
            if found.min(initial=0) > -EXACT and found.max(initial=0) < EXACT:
                return found
    except (OverflowError, TypeError):
        pass
    return list(chain.from_iterable(numbers))


def _numbers(name, value, values, lengths):
    """Return grades or scores as floats, one for each document."""
    values, lengths = as_floats(f"{value} of {name}", values), list(lengths)
    if values.ndim != 1 or set(lengths) != {len(values)}:
        raise ValueError(
            f"ids and {value} of {name} must be 1-D and of one length; got "
            f"{', '.join(map(str, lengths))} ids and shape {values.shape}."
        )
    return values


def as_text(column, name, what):
    """Return ids as a list of strings, and the name of their type."""
    refuse_mask(f"{what} ids of {name}", column)
    # As objects, because NumPy strings drop trailing NULs.
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
    """Return the text of an id, even if its type prints differently, as enums do."""
    return str.__str__(one) if isinstance(one, str) else str(int(one))
