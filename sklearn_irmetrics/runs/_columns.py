"""Columns of judgments and runs, and the reader of those that are in memory."""

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain
from numbers import Integral, Real

import numpy as np

from sklearn_irmetrics._arrays.numbers import EXACT, as_floats, refuse_mask, to_numpy
from sklearn_irmetrics._arrays.query_ids import number_values
from sklearn_irmetrics._checks import check_option
from sklearn_irmetrics.runs._forms import (
    HOLDERS,
    ID_INSIDE,
    RESULTS,
    Qrels,
    Run,
    find_column,
    find_number_of_records,
    find_numbers,
    holds_ids,
    is_query_record,
    is_refused,
    present_columns,
    refuse_dict_of_columns,
    spell_columns,
)
from sklearn_irmetrics.runs._ids import (
    KeyIds,
    Pairs,
    TextIds,
    find_duplicate,
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
    numbers : ndarray of shape (n_rows,) or (n_rows, n_subtopics)
        Grades or scores.
    subtopic : ndarray of shape (n_rows,), dtype object, or None
        The subtopic of each judgment, if requested.
    topics : list of list of str, or None
        The subtopics of each query, by their columns of `numbers`.
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
    numbers: np.ndarray
    subtopic: np.ndarray | None = None
    kind: str = "str"
    unique: bool = False
    tag: str = Run.tag
    topics: list | None = None

    def __len__(self):
        return len(self.query)

    @property
    def qid(self):
        """The id of its query for each row."""
        return np.array(self.queries, dtype=object)[self.query]


def is_source(data):
    """Whether `data` is a file: a path, or an object with `read`."""
    return isinstance(data, str | os.PathLike) or hasattr(data, "read")


def read_object(data, name, field, *, subtopics=False, columns=None):
    """Return judgments or a run that is in memory as `Columns`.

    Parameters
    ----------
    data : object
        Any form that `score_run` takes, except files.
    name : str
        What errors call it.
    field : {"grade", "score"}
        The kind of its numbers.
    subtopics : bool
        Whether to read the subtopic of each judgment.
    columns : dict of str to str or None
        Names of columns that do not have the usual names.
    """
    held = {"grade": "qrels", "score": "run"}[field]  # of ranx
    if not _is_table(data) and hasattr(data, held) and hasattr(data, "to_dict"):
        data = data.to_dict()
    if isinstance(data, list) and data and is_query_record(data[0], columns):
        data = _results_by_query(data, name, columns)
    if isinstance(data, Mapping):
        refuse_dict_of_columns(data, name, columns)
        if not subtopics:
            return _read_dict(data, name, field, columns)
    qid, *topic, docno, values = _read_form(data, name, field, subtopics, columns)
    qids, kind = as_text(qid, name, "query")
    docnos, _ = as_text(docno, name, "document")
    topic = [np.array(as_text(ids, name, "subtopic")[0], object) for ids in topic]
    values = _numbers(name, field, values, map(len, (qids, *topic, docnos)))
    # A query of a dict counts even if it has no judgment.
    listed = queries_of(data, name)[0] if isinstance(data, Mapping) else []
    queries, query = number_values([*listed, *qids])
    query = query[len(listed) :]
    docno = TextIds(np.array(docnos, dtype=object))
    tag = data.tag if isinstance(data, Run) else Run.tag
    return Columns(queries, query, docno, values, *topic, kind=kind, tag=tag)


def _results_by_query(records, name, columns):
    """Return the results of records of queries as a dict by query."""
    id_name = find_column(list(records[0]), name, "qid", columns)
    for i, record in enumerate(records):
        if not is_query_record(record, columns) or id_name not in record:
            raise ValueError(
                f"{name} must hold records of queries with the keys {id_name!r} and "
                f"{RESULTS!r}, a list of documents; record {i} lacks one."
            )
    ids = [record[id_name] for record in records]
    as_text(ids, name, "query")  # refuses other values
    results = {}
    for qid, record in zip(ids, records, strict=True):
        if qid in results:
            raise ValueError(
                f"{name} must have one record of each query; got {qid!r} again."
            )
        results[qid] = record[RESULTS]
    return results


def check_columns(documents, name, field, line_of=None, hint="", once=True):
    """Refuse numbers that are not valid, and repeated documents if `once`.

    `line_of` returns the line of a row, for files; `hint` ends the message.
    """
    refused = is_refused(field, documents.numbers)
    if refused.any():
        row = int(np.flatnonzero(refused)[0])
        rule = "not be NaN" if field == "score" else "be finite"
        raise ValueError(
            f"{field} of {name} must {rule}; got {documents.numbers[row]} for query "
            f"{documents.qid[row]!r} and document {documents.docno.text([row])[0]!r}."
        )
    if once and not documents.unique:
        _refuse_duplicates(documents, name, line_of, hint)
    return documents


def _refuse_duplicates(documents, name, line_of, hint):
    """Raise if a query has a document twice, under the same subtopic if given."""
    query, topic = documents.query, documents.subtopic
    if topic is not None:
        topics, number = number_values(topic)
        query = query.astype(np.int64) * len(topics) + number
    rows = find_duplicate(Pairs(query, documents.docno))
    if rows is None:
        return
    row, first = rows
    where, before = name, ""
    if line_of is not None:
        where = f"{name}, line {line_of(row)}"
        before = f" (first in line {line_of(first)})"
    of, named = "query", repr(documents.queries[documents.query[row]])
    if topic is not None:
        of = "query and subtopic"
        named += f" and subtopic {topic[row]!r}"
    raise ValueError(
        f"{where}: expected each document once per {of}; got document "
        f"{documents.docno.text([row])[0]!r} again for query {named}{before}.{hint}"
    )


def spread_subtopics(judgments):
    """Return judgments with a row per document and a column of grades per subtopic.

    Columns come in the order in which the judgments name the subtopics of the query;
    NaN where there is no judgment.
    """
    queries = judgments.query.tolist()
    documents, row = number_values([*zip(queries, judgments.docno.text(), strict=True)])
    topics_of, columns = defaultdict(dict), []
    for query, topic in zip(queries, judgments.subtopic, strict=True):
        topics = topics_of[query]
        columns.append(topics.setdefault(topic, len(topics)))
    n_topics = max(map(len, topics_of.values()), default=1)
    grades = np.full((len(documents), n_topics), np.nan)
    grades[row, np.array(columns, dtype=np.intp)] = judgments.numbers
    return replace(
        judgments,
        query=np.array([query for query, _ in documents], dtype=np.int64),
        docno=TextIds(np.array([docno for _, docno in documents], dtype=object)),
        numbers=grades,
        subtopic=None,
        topics=[[*topics_of[query]] for query in range(len(judgments.queries))],
    )


def columns_of_table(table, name, field, subtopics, columns):
    """Return ids and numbers of a table, or of a dict of columns.

    Without numbers, documents are relevant, or ranked by a column rank or in order.
    """
    # Arrow's own `columns` are arrays.
    names = list(
        getattr(table, "column_names", None) or getattr(table, "columns", table)
    )
    roles = wanted_columns(field, subtopics)
    ids = [table[find_column(names, name, role, columns, roles)] for role in roles[:-1]]
    number = find_numbers(names, name, field, columns, roles)
    if number is None:
        return *ids, np.asarray(numbers_of_order(field, len(ids[0])), dtype=float)
    if number == "rank":
        return *ids, scores_of_ranks(table[number], name)
    if number == "rating" and field == "grade":
        return _drop_unrated(ids, table[number], name)
    return *ids, table[number]


def _drop_unrated(ids, ratings, name):
    """Return ids and ratings without those that are missing: nobody judged them."""
    if getattr(getattr(ratings, "dtype", None), "kind", "O") == "O":
        ratings = [np.nan if rating is None else rating for rating in ratings]
    ratings = as_floats(f"grade of {name}", ratings)
    rated = ~np.isnan(ratings)
    if rated.all():
        return *ids, ratings
    ids = [np.asarray(to_numpy(column), dtype=object)[rated] for column in ids]
    return *ids, ratings[rated]


def wanted_columns(field, subtopics):
    """Return the keys of `NAMES` for the columns of judgments or a run."""
    return ["qid", *(["subtopic"] if subtopics else []), "docno", field]


def _is_table(data):
    return hasattr(data, "columns") and hasattr(data, "__getitem__")


def _read_form(data, name, field, subtopics, columns):
    """Return query ids, subtopics if requested, document ids and numbers."""
    form = Qrels if field == "grade" else Run
    roles = wanted_columns(field, subtopics)
    if isinstance(data, form) and not (subtopics and data.subtopic is None):
        return [getattr(data, role) for role in roles]
    if _is_table(data):
        return columns_of_table(data, name, field, subtopics, columns)
    if type(data) is tuple and len(data) == len(roles) and not _are_rows(data):
        return data
    read = None
    if isinstance(data, Mapping):
        read = _columns_of_subtopics(data, name, field, columns)
    elif _holds_rows(data):
        read = _columns_of_rows(data, name, field, subtopics, columns)
    if read is None:
        inside = "{subtopic: documents}" if subtopics else "documents"
        rule = ", read with subtopics=True" if subtopics else ""
        raise TypeError(
            f"{name} must be a {form.__name__}{rule}, a path, a table, a dict {{qid: "
            f"{inside}}}, tuples or a tuple of arrays ({', '.join(roles)}); got "
            f"{type(data).__name__}."
        )
    return read


def _columns_of_rows(data, name, field, subtopics, columns):
    """Return the columns of records and of tuples.

    None for tuples without names of fields if there are subtopics.
    """
    rows = list(data)
    if not rows:
        return [[]] * len(wanted_columns(field, subtopics))
    is_series = hasattr(data, "to_dict")  # of pandas
    if is_series and isinstance(rows[0], list | set | np.ndarray):
        raise TypeError(
            f"{name} must not be a Series of collections of documents: pass "
            f"{name}.to_dict(), whose keys are the ids of queries."
        )
    # Dicts without ids and text are scores of documents.
    if all(isinstance(row, Mapping) for row in rows) and (
        holds_ids(rows[0], columns) or str in map(type, rows[0].values())
    ):
        table = _columns_of_records(rows, name)
        return columns_of_table(table, name, field, subtopics, columns)
    wanted = f"tuples (qid, docno, {field})"
    fields = getattr(_kind_of_rows(rows, name, wanted), "_fields", None)
    if fields is not None:
        table = dict(zip(fields, map(list, zip(*rows, strict=True)), strict=True))
        return columns_of_table(table, name, field, subtopics, columns)
    sizes = set(map(len, rows))
    if sizes != {3}:
        raise TypeError(
            f"{name} must hold {wanted}; got one of {max(sizes - {3})} entries. Longer "
            "tuples need names: a NamedTuple, or a DataFrame."
        )
    return None if subtopics else tuple(map(list, zip(*rows, strict=True)))


def _columns_of_subtopics(data, name, field, columns):
    """Return the columns of ``{query: {subtopic: documents}}``; None for others."""
    inside = list(data.values())
    if not inside or not all(isinstance(topics, Mapping) for topics in inside):
        return None
    if not all(isinstance(held, HOLDERS) for ts in inside for held in ts.values()):
        return None
    qids, topics, docnos, numbers = [], [], [], []
    for qid, documents_of in data.items():
        for topic, documents in documents_of.items():
            ids, values = list_documents((qid, topic), documents, name, field, columns)
            docnos += ids
            numbers += values
            qids += [qid] * len(ids)
            topics += [topic] * len(ids)
    return qids, topics, docnos, numbers


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


def queries_of(data, name):
    """Return the query ids of a dict as text, and their kind."""
    qids, kind = as_text(list(data), name, "query")
    if len(set(qids)) < len(qids):
        again = next(qid for i, qid in enumerate(qids) if qid in qids[:i])
        raise ValueError(
            f"{name} must have query ids that differ as text; {again!r} occurs as a "
            "number and as text."
        )
    return qids, kind


def _read_dict(data, name, field, columns):
    """Return the columns of a dict of queries."""
    documents = [
        list_documents(qid, held, name, field, columns) for qid, held in data.items()
    ]
    qids, kind = queries_of(data, name)
    queries, number = number_values(qids)
    docnos = [ids for ids, _ in documents]
    docno, unique = _ids_of(docnos, name)
    sizes = list(map(len, docnos))
    numbers = [numbers for _, numbers in documents]
    return Columns(
        queries,
        np.repeat(number.astype(np.int32), sizes),
        docno,
        _flat_numbers(name, field, numbers, sum(sizes)),
        kind=kind,
        unique=unique,
    )


def _ids_of(documents, name):
    """Return the ids of each query's documents, and whether they are known to differ.

    Keys of dicts that are of one type stay there.
    """
    if set(map(type, documents)) <= {dict}:
        kinds = set(map(type, chain.from_iterable(documents))) or {str}
        if kinds in ({str}, {int}):
            return KeyIds(documents, *kinds), True
    docnos = list(chain.from_iterable(documents))
    texts, _ = as_text(docnos, name, "document")
    # Keys of one type differ, and so do their texts.
    unique = texts is docnos and all(isinstance(keys, Mapping) for keys in documents)
    return TextIds(np.array(texts, dtype=object)), unique


def _flat_numbers(name, field, numbers, n):
    """Return the grades or scores of several queries as floats.

    NumPy takes twice as long for a list, which is made if floats may not hold them.
    """
    try:
        # Unlike NumPy, sum refuses text.
        kinds = {type(sum(of_query)) for of_query in numbers}
        if kinds <= {float, int}:
            floats = np.fromiter(chain.from_iterable(numbers), np.float64, n)
            if floats.min(initial=0) > -EXACT and floats.max(initial=0) < EXACT:
                return floats
    except (OverflowError, TypeError):
        pass
    return _numbers(name, field, list(chain.from_iterable(numbers)), [n])


def _numbers(name, field, values, lengths):
    """Return grades or scores as floats, one for each document."""
    values, lengths = as_floats(f"{field} of {name}", values), list(lengths)
    if values.ndim != 1 or set(lengths) != {len(values)}:
        raise ValueError(
            f"ids and {field} of {name} must be 1-D and of one length; got "
            f"{', '.join(map(str, lengths))} ids and shape {values.shape}."
        )
    return values


def as_text(column, name, what):
    """Return ids as a list of strings, and the name of their type."""
    ids = column
    if not isinstance(column, list):
        refuse_mask(f"{what} ids of {name}", column)
        # As objects, because NumPy strings drop trailing NULs.
        ids = np.asarray(to_numpy(column), object).tolist()
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
    if kinds <= {str}:
        return ids, kind
    if kinds == {int}:
        return list(map(str, ids)), kind
    # Some types print differently, as enums do.
    texts = [str.__str__(i) if isinstance(i, str) else str(int(i)) for i in ids]
    return texts, kind


def list_documents(qid, documents, name, field, columns=None):
    """Return ids and numbers of the documents of one query."""
    if isinstance(documents, Mapping):
        return documents, documents.values()
    if isinstance(documents, Set) and field == "score":
        raise TypeError(
            f"run must rank the documents of query {qid!r}; got a set, which has no "
            "order. Pass a list, or a dict of scores."
        )
    documents = _check_collection(qid, documents, name, field)
    if documents and all(isinstance(entry, Mapping) for entry in documents):
        return _list_records(qid, documents, name, field, columns)
    if documents and all(map(_is_pair, documents)):
        return tuple(zip(*documents, strict=True))
    return documents, numbers_of_order(field, len(documents))


def _check_collection(qid, documents, name, field):
    """Return the documents of a query if they are a collection of any kind."""
    if isinstance(documents, np.ndarray) and documents.ndim == 1:
        return documents.tolist()
    is_text = isinstance(documents, str | bytes)
    if isinstance(documents, Sequence | Set) and not is_text:
        return documents
    got = type(documents).__name__
    more = ""
    if is_text:
        got = f"the text {documents!r}"
        more = f" Split a text of ids into a list: {documents!r:.60}.split()."
    orders = "relevant documents" if field == "grade" else "documents in order"
    if name.startswith("marks[") and isinstance(documents, Real):
        more = " For equal numbers in all queries: {qid: numbers for qid in qrels}."
    raise TypeError(
        f"{name} must be a dict from query to documents: {{document: {field}}}, a "
        f"list of pairs (document, {field}) or of {orders}; got {got} for query "
        f"{qid!r}.{more}"
    )


def _list_records(qid, records, name, field, columns):
    """Return ids and numbers of records such as ``{"id": ..., "score": ...}``."""
    of_query, columns = f"records of query {qid!r} of {name}", columns or {}
    first, id_name = records[0], ID_INSIDE
    if present_columns(first, "docno", columns):
        id_name = find_column(list(first), of_query, "docno", columns)
    try:
        ids = [record[id_name] for record in records]
    except KeyError:
        _refuse_ids(records, of_query, field, columns)
    number = find_number_of_records(records, name, of_query, field, columns)
    if number is None:
        return ids, numbers_of_order(field, len(ids))
    try:
        numbers = [record[number] for record in records]
    except KeyError:
        raise ValueError(
            f"{of_query} must all have a {field}, or none of them."
        ) from None
    return ids, scores_of_ranks(numbers, of_query) if number == "rank" else numbers


def _refuse_ids(records, of_query, field, columns):
    """Raise an error about records without the id of a document."""
    names = [key for key in records[0] if all(key in record for record in records)]
    named = {}
    for role, end in {"docno": "id", field: field}.items():
        if not present_columns(names, role, columns):
            likely = [key for key in names if str(key).casefold().endswith(end)]
            named[role] = likely[0] if len(likely) == 1 else None
    raise ValueError(
        f"{of_query} must each have the id of a document under {ID_INSIDE!r} or "
        f"'docno'; got the keys {names}.{spell_columns(named)}"
    )


def numbers_of_order(field, n):
    """Return the numbers of documents without any: all relevant, or in this order."""
    return [1.0] * n if field == "grade" else range(n, 0, -1)


def scores_of_ranks(ranks, name):
    """Return scores that order documents by their ranks; refuse other numbers."""
    ranks = as_floats(f"rank of {name}", ranks)
    wrong = ~((ranks >= 0) & (ranks == np.floor(ranks)) & np.isfinite(ranks))
    if wrong.any():
        raise ValueError(
            f"rank of {name} must be whole numbers that start at 0 or 1; got "
            f"{ranks[wrong][0]:.15g}. If they are scores, pass "
            "columns={'score': ...}."
        )
    return -ranks


def _is_pair(entry):
    return (
        isinstance(entry, tuple | list)
        and len(entry) == 2
        and isinstance(entry[1], Real | np.bool_)
    )


def _kind_of_rows(rows, name, wanted):
    """Return the type of tuples; refuse other rows, and those of several types."""
    kinds = list(dict.fromkeys(map(type, rows)))
    others = [kind for kind in kinds if not issubclass(kind, tuple)]
    if not others and len(kinds) == 1:
        return kinds[0]
    keys = ""
    if any(issubclass(kind, list | set | dict) for kind in others):
        keys = (
            " Collections of documents, one per query, need query ids: pass "
            f"dict(enumerate({name}))."
        )
    if name == "run" and any(issubclass(kind, str | os.PathLike) for kind in others):
        keys = " Several runs need names: pass {'a': 'a.run', 'b': 'b.run'}."
    raise TypeError(
        f"{name}, if it is a list, must hold {wanted} of one kind; got "
        f"{' and '.join(kind.__name__ for kind in (others or kinds)[:2])}.{keys}"
    )


def _columns_of_records(rows, name):
    """Return the columns of records that have the same keys."""
    for i, row in enumerate(rows):
        if row.keys() != rows[0].keys():
            raise ValueError(
                f"{name} must hold records with the same keys, {list(rows[0])}; got "
                f"{list(row)} in record {i}."
            )
    return {key: [row[key] for row in rows] for key in rows[0]}


MERGES = "max", "first", "sum"


def check_mapping(docno, merge):
    """Refuse a `docno` that is not a function, and unknown rules of `merge`."""
    if docno is not None and not callable(docno):
        raise TypeError(f"docno must be a function of an id, or None; got {docno!r}.")
    if merge is not None:
        check_option("merge", merge, MERGES)


def map_documents(run, docno, merge):
    """Return the columns of a run with mapped document ids; merge equal ones.

    Parameters
    ----------
    run : Columns
        The run, checked.
    docno, merge : callable or None, str or None
        As for `score_run`.
    """
    if docno is None and merge is None:
        return run
    old = run.docno.text()
    ids = old if docno is None else list(map(docno, old))
    ids, _ = as_text(ids, "docno", "document")
    ids, (_, number) = np.array(ids, dtype=object), number_values(ids)
    pair = run.query.astype(np.int64) * (len(ids) + 1) + number
    _, first, group = np.unique(pair, return_index=True, return_inverse=True)
    if len(first) == len(ids):
        return replace(run, docno=TextIds(ids))
    if merge is None:
        again = int(np.flatnonzero(first[group] != np.arange(len(ids)))[0])
        before = first[group[again]]
        raise ValueError(
            "docno must map the documents of a query to different ids unless merge "
            f"combines them; got {ids[again]!r} for {old[before]!r} and "
            f"{old[again]!r} of query {run.qid[again]!r}. Pass merge='max' to use "
            "the best of their scores."
        )
    scores = run.numbers[first]
    if merge != "first":
        combine, start = {"max": (np.maximum, -np.inf), "sum": (np.add, 0.0)}[merge]
        scores = np.full(len(first), start)
        # Add in score order, so the same scores always have the same sum.
        order = np.argsort(run.numbers)
        with np.errstate(over="ignore", invalid="ignore"):
            combine.at(scores, group[order], run.numbers[order])
    merged = replace(
        run, query=run.query[first], docno=TextIds(ids[first]), numbers=scores
    )
    return check_columns(merged, "run", "score")


def round_scores(run, dtype):
    """Return the columns of a run with scores that a type of floats can tell apart."""
    if dtype == np.float64:
        return run
    with np.errstate(over="ignore"):
        scores = np.maximum(run.numbers.astype(dtype), np.finfo(dtype).min)
    return replace(run, numbers=scores.astype(np.float64))
