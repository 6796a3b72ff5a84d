"""Score logs of retrieval: a record for each question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from itertools import chain
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from sklearn_irmetrics._typing import AnyTable, Source, Ties
from sklearn_irmetrics._warnings import warn_of_data
from sklearn_irmetrics.metrics._measure import Measures
from sklearn_irmetrics.runs._columns import is_source, scores_of_ranks
from sklearn_irmetrics.runs._formats import parse_json, read_parquet, refuse_utf_16
from sklearn_irmetrics.runs._forms import NAMES
from sklearn_irmetrics.runs.files import open_source, source_name
from sklearn_irmetrics.runs.scoring import score_run

# Keys by what they hold; a point leads into a dict. Those of a later tuple are used
# only if a record has none of an earlier one.
_QUERIES = (
    (*NAMES["qid"], "question_id"),
    ("question", "query", "user_input", "input"),
)
_RELEVANT = (
    (
        *("gold", "gold_ids", "relevant", "relevant_ids", "relevant_documents"),
        "reference_context_ids",  # ragas
        "ground_truth_documents",  # Haystack
        "expected_ids",  # LlamaIndex
    ),
)
_RETRIEVED = (
    (
        *("retrieved", "retrieved_ids", "results"),
        "retrieved_context_ids",  # ragas
        "source_documents",  # LangChain
        "source_nodes",  # LlamaIndex
        *("documents", "retrieved_documents"),  # Haystack
        "hits.hits",  # Elasticsearch, OpenSearch
        "root.children",  # Vespa
    ),
    ("context",),  # LangChain; often a text
)
_IDS = (
    (
        *(*NAMES["docno"], "id", "_id", "chunk_id", "document_id"),
        *("id_", "node_id", "node.id_", "node.node_id"),  # LlamaIndex
    ),
    tuple(  # LangChain
        f"metadata.{key}" for key in ("id", "chunk_id", "doc_id", "document_id")
    ),
)
_GRADES = NAMES["grade"], ("score", "rating")
_DISTANCES = "distance", "_distance"
_SCORES = (
    (
        *(*NAMES["score"], "_score", "relevance", "relevance_score"),
        *("similarity", "similarity_score", *_DISTANCES),
    ),
)


def score_records(
    records: Iterable[Any] | Source | AnyTable,
    metrics: Measures,
    *,
    query: str | None = None,
    relevant: str | None = None,
    retrieved: str | Sequence[str] | None = None,
    columns: Mapping[str, str | None] | None = None,
    relevance_threshold: float | None = None,
    max_docs: int | None = None,
    unmatched: Literal["warn", "raise", "ignore"] = "warn",
    docno: Callable[[str], str | int] | None = None,
    merge: Literal["max", "first", "sum"] | None = None,
    ties: Ties = "average",
    replace_undefined_by: float = np.nan,
) -> Any:
    """Score a log of retrieval: a record per question, as frameworks return them.

    Each record holds a question, its relevant documents and the retrieved ones. These
    become judgments and a run, which `score_run` scores.

    Parameters
    ----------
    records : iterable of dict, table or file
        The records: dicts, or objects that have ``model_dump()`` or ``to_dict()``; a
        DataFrame of pandas or Polars, or an Arrow table, with a row for each question;
        lines of JSON; or the path of a file of JSON lines, JSON or Parquet, plain or
        compressed, or an object with ``read``.
    metrics : str or Measure, list of them, or dict of str to them
        Names such as ``"ndcg@10"``, or measures of ir_measures, which are read by name;
        a dict sets their labels in the results.
    query : str, default=None
        The key of the question or its id, once in all records. A point leads into a
        dict, here and below: ``"inputs.question"``. None: the id (qid, query_id, q_id,
        query-id or question_id), or else the text (question, query, user_input or
        input).
    relevant : str, default=None
        The key of the relevant documents: one id, or a list of ids, of pairs ``(id,
        grade)`` or of documents; or a dict of grades. None: gold, gold_ids, relevant,
        relevant_ids, relevant_documents, or the key of ragas (reference_context_ids),
        Haystack (ground_truth_documents) or LlamaIndex (expected_ids).
    retrieved : str or list of str, default=None
        The key of the retrieved documents: a list of ids, best first, of pairs ``(id,
        score)`` or of documents, a dict of scores, or the response of a search engine.
        A list of keys compares retrievers. None: retrieved, retrieved_ids, results, or
        the key of ragas (retrieved_context_ids), LangChain (source_documents, context),
        LlamaIndex (source_nodes), Haystack (documents, retrieved_documents),
        Elasticsearch (hits.hits) or Vespa (root.children).
    columns : dict of str to str, default=None
        Keys of documents that are dicts, by ``"docno"``, ``"grade"``, and ``"score"``
        or ``"distance"`` (the smallest is ranked first); ``{"score": None}``: they are
        in rank order, whatever numbers they have. By default, ids are docno, doc_id,
        docid, corpus-id, corpus_id, id, _id, chunk_id or document_id, the id of a node
        of LlamaIndex, or one of these in ``metadata``; scores are score, _score,
        relevance, relevance_score, similarity or similarity_score, or distance or
        _distance (with a warning), or else the ranks in rank.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document, for all measures that have this
        parameter and do not set it themselves. None: any grade above 0.
    max_docs : int, default=None
        Use only the first documents of each question, as in `score_run`.
    unmatched : {"warn", "raise", "ignore"}, default="warn"
        What to do if ids cannot match, or nothing was retrieved, as in `score_run`.
    docno : callable, default=None
        Maps the id of each retrieved document, as text, to the id that the relevant
        ones have: ``lambda passage: passage.split("#")[0]``.
    merge : {"max", "first", "sum"}, default=None
        How to score a document that is retrieved several times for a question, as it is
        or after `docno`: by the best of its scores, the one listed first, or the sum.
        None: raise an error.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        The exact expectation over all orders of documents with equal scores, the best
        order, the worst order, or by decreasing document id.
    replace_undefined_by : float, default=np.nan
        Value of an undefined question; NaN leaves it out of the mean and warns.

    Returns
    -------
    QueryScores, or dict of str to QueryScores
        Questions are in the byte order of their ids. For a list of keys, a dict that
        `compare` takes.

    Raises
    ------
    TypeError, ValueError
        If a key is missing or several would do (the message names the keys that there
        are), a question occurs twice, or documents cannot be read. Errors of
        `score_run` call the relevant documents qrels, and the retrieved ones run.
    OSError
        If a file cannot be read. A string is always a file name.

    See Also
    --------
    sklearn_irmetrics.score_run : The same for judgments and runs that are apart.

    Examples
    --------
    >>> from sklearn_irmetrics.runs import score_records
    >>> records = [
    ...     {
    ...         "question": "Who wrote Emma?",
    ...         "gold": ["c7"],
    ...         "retrieved": [{"id": "c2", "score": 0.9}, {"id": "c7", "score": 0.4}],
    ...     },
    ...     {
    ...         "question": "Who wrote Ulysses?",
    ...         "gold": ["c1", "c3"],
    ...         "retrieved": [{"id": "c3", "score": 0.8}, {"id": "c1", "score": 0.7}],
    ...     },
    ... ]
    >>> score_records(records, ["recall@1", "mrr"])
    2 queries
    <BLANKLINE>
    measure    mean  queries
    recall@1  0.250        2
    mrr       0.750        2
    """
    columns = _check_columns(columns)
    name, rows = _read_rows(records)
    query = _choose_key(rows, name, "query", query, _QUERIES)
    qids = _query_ids(rows, name, query)
    relevant = _choose_key(rows, name, "relevant", relevant, _RELEVANT)
    is_list = isinstance(retrieved, list | tuple)
    names: list[Any] = (
        [*retrieved] if isinstance(retrieved, list | tuple) else [retrieved]
    )
    if not names or len({*map(repr, names)}) < len(names):
        raise ValueError(
            f"retrieved must be a key, or a list of keys that differ; got {names}."
        )
    keys = [_choose_key(rows, name, "retrieved", key, _RETRIEVED) for key in names]
    judged = _read_key(rows, name, relevant, "grade", columns)
    runs = {}
    for key in keys:
        documents = _read_key(rows, name, key, "score", columns)
        runs[key] = dict(zip(qids, documents, strict=True))
    return score_run(
        dict(zip(qids, judged, strict=True)),
        runs if is_list else runs[keys[0]],
        metrics,
        relevance_threshold=relevance_threshold,
        max_docs=max_docs,
        unmatched=unmatched,
        docno=docno,
        merge=merge,
        ties=ties,
        replace_undefined_by=replace_undefined_by,
    )


def _check_columns(columns):
    """Return the keys of documents by what they hold."""
    if columns is None:
        return {}
    if not isinstance(columns, Mapping):
        raise TypeError(
            "columns must be a dict such as {'docno': 'chunk_id'}, or None; got "
            f"{columns!r}."
        )
    for role, key in columns.items():
        if role not in ("docno", "grade", "score", "distance"):
            raise ValueError(
                "columns must have keys among 'docno', 'grade', 'score', 'distance'; "
                f"got {role!r}. The keys of records are query=, relevant= and "
                "retrieved=."
            )
        if not isinstance(key, str) and (key is not None or role == "docno"):
            raise TypeError(f"columns must hold names; got {key!r} for {role!r}.")
        if role == "score" and key == "rank":
            raise ValueError(
                "columns must name scores, of which the largest is ranked first; got "
                "the ranks 'rank'. Documents without scores are ranked by them as they "
                "are; otherwise pass columns={'distance': 'rank'}."
            )
    if {"score", "distance"} <= {*columns}:
        raise ValueError("columns must have 'score' or 'distance'; got both.")
    return dict(columns)


def _read_rows(records):
    """Return the name of the records in errors, and them as a list of dicts."""
    name = "records"
    if is_source(records):
        name = source_name(records)
        with open_source(records, name) as stream:
            data = stream.read()
        refuse_utf_16(data, name)
        is_parquet = data.startswith(b"PAR1")
        records = read_parquet(data, name) if is_parquet else parse_json(data, name)[0]
    if isinstance(records, Mapping):
        raise TypeError(
            "records must be an iterable of dicts, one for each question; got a dict "
            f"with the keys {list(records)[:10]}. If it holds records, pass "
            "list(records.values()); if it holds columns, pass it as a table, such as "
            "pandas.DataFrame(records)."
        )
    if hasattr(records, "columns") and hasattr(records, "__getitem__"):
        # Arrow's own `columns` are arrays.
        keys = list(getattr(records, "column_names", None) or records.columns)
        columns = [records[key] for key in keys]
        cells = [
            column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
            for column in columns
        ]
        rows = [dict(zip(keys, row, strict=True)) for row in zip(*cells, strict=True)]
    elif isinstance(records, Iterable):
        rows = [*map(_as_dict, records)]
    else:
        raise TypeError(
            "records must be an iterable of dicts, a table or a file; got "
            f"{type(records).__name__}."
        )
    if rows and all(isinstance(row, str | bytes) for row in rows):
        lines = [row.encode() if isinstance(row, str) else row for row in rows]
        rows, _ = parse_json(b"\n".join(lines), name)
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise TypeError(
                f"{name} must hold a dict for each question; got "
                f"{type(row).__name__} as record {number}."
            )
    if not rows:
        raise ValueError(f"{name} must hold at least one record; got none.")
    return name, rows


def _as_dict(value):
    """Return objects of frameworks as the dicts that they make of themselves."""
    if isinstance(value, Mapping):
        return value
    dump = getattr(value, "model_dump", None) or getattr(value, "to_dict", None)
    return value if dump is None else dump()


def _value_at(record, path):
    """Return the value of a dict under a path, None for nothing."""
    if path in record:
        return record[path]
    key, _, rest = path.partition(".")
    inside = _as_dict(record.get(key))
    if not rest or not isinstance(inside, Mapping):
        return None
    if path == "root.children" and "errors" not in inside:
        return inside.get(rest, [])  # Vespa leaves them out if there are none
    return _value_at(inside, rest)


def _held_paths(records, paths):
    """Return those of the paths under which any of the dicts holds something."""
    keys = set(chain.from_iterable(records))
    return [
        path
        for path in paths
        if (path in keys or path.partition(".")[0] in keys)
        and any(_value_at(record, path) is not None for record in records)
    ]


def _choose_path(records, tiers, where, wanted, option):
    """Return the only path of the first tier that any of the dicts has, or None."""
    for paths in tiers:
        held = _held_paths(records, paths)
        if len(held) > 1:
            raise ValueError(
                f"{where} must have {wanted} under one key; got "
                f"{' and '.join(map(repr, held))}. Choose one by "
                f"{option.format(held[0])}."
            )
        if held:
            return held[0]
    return None


def _list_paths(records):
    """Return the keys of dicts, and those of dicts inside, for messages."""
    paths = {}
    for record in records:
        for key, value in record.items():
            inside = _as_dict(value)
            is_nested = isinstance(inside, Mapping) and inside
            paths |= dict.fromkeys(
                [f"{key}.{k}" for k in inside] if is_nested else [key]
            )
    return list(paths)


_WANTED = {
    "query": "a question or its id",
    "relevant": "relevant documents",
    "retrieved": "retrieved documents",
}


def _choose_key(rows, name, role, key, tiers):
    """Return the key of the question or of documents; refuse one that no row has."""
    if key is None:
        path = _choose_path(rows, tiers, name, _WANTED[role], f"{role}='{{}}'")
        if path is not None:
            return path
        names = ", ".join(map(repr, chain.from_iterable(tiers)))
        raise ValueError(
            f"{name} must have {_WANTED[role]} under one of the keys {names}; got the "
            f"keys {_list_paths(rows[:1])}. If it has another name, pass {role}='...'."
        )
    if not isinstance(key, str):
        raise TypeError(f"{role} must be a key of the records; got {key!r}.")
    if not _held_paths(rows, [key]):
        raise ValueError(
            f"{role} must be a key of the records; got {key!r}, and {name} has the "
            f"keys {_list_paths(rows[:1])}."
        )
    return key


def _query_ids(rows, name, key):
    """Return the ids of the questions; refuse those that occur twice."""
    first = {}
    for number, row in enumerate(rows):
        qid = _value_at(row, key)
        if not isinstance(qid, str | Integral) or isinstance(qid, bool):
            raise ValueError(
                f"{name}, record {number}: {key!r} must hold a question or its id, a "
                f"text or an integer; got {qid!r}."
            )
        if qid in first:
            raise ValueError(
                f"{name} must have one record of each question; {key!r} is {qid!r} in "
                f"records {first[qid]} and {number}. Drop one of them, or name a key "
                "that is unique by query='...'."
            )
        first[qid] = number
    return list(first)


def _read_key(rows, name, key, field, columns):
    """Return the documents of each record in forms of `score_run`.

    Parameters
    ----------
    rows : list of dict
        The records.
    name : str
        What errors call them.
    key : str
        Where they hold the documents.
    field : {"grade", "score"}
        The kind of the numbers of documents.
    columns : dict of str to str
        Keys of documents, by what they hold.
    """
    documents, distances = [], set()
    for number, row in enumerate(rows):
        where = f"{name}, record {number}: {key!r}"
        listed = _as_dict(_value_at(row, key))
        if field == "score" and isinstance(listed, Mapping):
            listed = _unwrap(listed, where, key)
        reader = _DocumentReader(where, field, columns)
        documents.append(reader.read(listed))
        distances |= reader.distances
    for distance in sorted(distances):
        warn_of_data(
            f"{key!r} of {name} has distances under {distance!r}: the smallest is "
            f"ranked first. Pass columns={{'distance': {distance!r}}} to confirm it, "
            f"or columns={{'score': {distance!r}}} if the largest is best.",
            UserWarning,
        )
    return documents


def _unwrap(response, where, key):
    """Return the documents in the response of a search engine.

    A dict of numbers by document is returned as it is.
    """
    if all(isinstance(value, Real) for value in response.values()):
        return response
    option = f"retrieved='{key}.{{}}'"
    path = _choose_path([response], _RETRIEVED, where, "documents", option)
    if path is None:
        inside = _list_paths([response])
        lists = [p for p in inside if isinstance(_value_at(response, p), list)]
        raise ValueError(
            f"{where} must be a list of documents, a dict of scores, or a response "
            f"with one of the keys {', '.join(map(repr, _RETRIEVED[0]))}; got a dict "
            f"with the keys {inside}. If documents have another key, pass "
            f"{option.format(lists[0] if len(lists) == 1 else '...')}."
        )
    return _value_at(response, path)


class _DocumentReader:
    """Reads the documents of one record.

    Parameters
    ----------
    where : str
        What errors call them.
    field, columns
        As for `_read_key`.

    Attributes
    ----------
    distances : set of str
        The key of numbers that were taken for distances by their name.
    """

    def __init__(self, where, field, columns):
        self.where, self.field, self.columns = where, field, columns
        self.distances = set()

    def read(self, listed):
        """Return a dict of numbers, a list of ids, or one of pairs (id, number)."""
        if isinstance(listed, Mapping):
            return listed
        is_id = isinstance(listed, str | Integral) and not isinstance(listed, bool)
        if self.field == "grade" and is_id and len(str(listed).split()) == 1:
            return [listed]
        if not isinstance(listed, list | tuple | Set | np.ndarray):
            nothing = "relevant" if self.field == "grade" else "retrieved"
            cure = f"If nothing is {nothing}, it must be []."
            if isinstance(listed, str):
                cure = f"Split a text of ids into a list: {listed!r:.60}.split()."
            raise ValueError(
                f"{self.where} must be a list of documents; got {listed!r:.60}. {cure}"
            )
        documents = [*map(_as_dict, listed)]
        types = set(map(type, documents))
        if documents and all(issubclass(kind, Mapping) for kind in types):
            return self._read_dicts(documents)
        for entry in documents:
            if isinstance(entry, list | tuple) and not isinstance(
                _as_dict(next(iter(entry), "")), str | Integral
            ):
                raise ValueError(
                    f"{self.where} must be a list of ids, of pairs (id, {self.field}) "
                    f"or of documents; got {entry!r:.60}. Of pairs of a document and a "
                    "number, which may be a similarity or a distance, pass the "
                    "documents alone, best first."
                )
        return listed

    def _read_dicts(self, documents):
        """Return the ids of documents, or pairs of their ids and numbers."""
        id_path = self.columns.get("docno")
        if id_path is None or not _held_paths(documents, [id_path]):
            id_path = _choose_path(
                documents, _IDS, self.where, "ids", "columns={{'docno': '{}'}}"
            )
        if id_path is None:
            raise ValueError(
                f"{self.where} must have the ids of documents under one of the keys "
                f"{', '.join(map(repr, _IDS[0]))}; got the keys "
                f"{_list_paths(documents[:1])}. If they have another name, pass "
                "columns={'docno': '...'}."
            )
        ids = self._values(documents, id_path, str | Integral, "an id")
        path = self._number_path(documents, id_path)
        if path is None:
            return ids
        numbers = self._values(documents, path, Real | np.bool_, "a number")
        if path == "rank":
            numbers = scores_of_ranks(numbers, self.where).tolist()
        elif path == self.columns.get("distance") or path in self.distances:
            numbers = [-number for number in numbers]
        return list(zip(ids, numbers, strict=True))

    def _number_path(self, documents, id_path):
        """Return the key of the numbers of documents, None if they have none."""
        roles = ("grade",) if self.field == "grade" else ("score", "distance")
        for role in roles:
            if role in self.columns:
                return self.columns[role]
        tiers = _GRADES if self.field == "grade" else _SCORES
        option = f"columns={{{{'{self.field}': '{{}}'}}}}"
        path = _choose_path(documents, tiers, self.where, f"one {self.field}", option)
        if path is None and self.field == "score":
            path = _choose_path(documents, [("rank",)], self.where, "ranks", option)
        if self.field == "score" and path in _DISTANCES:
            self.distances.add(path)
        if path is not None:
            return path
        numeric = [
            key
            for key in dict.fromkeys(chain.from_iterable(documents))
            if key != id_path
            and any(isinstance(document.get(key), Real) for document in documents)
        ]
        if numeric:
            without = "are in rank order" if self.field == "score" else "are relevant"
            raise ValueError(
                f"{self.where} has numbers under {', '.join(map(repr, numeric))}, "
                f"which may be {self.field}s: pass columns={{'{self.field}': "
                f"{numeric[0]!r}}} if they are, and columns={{'{self.field}': None}} "
                f"if the documents {without} without them."
            )
        return None

    def _values(self, documents, path, kinds, wanted):
        """Return the values of documents under a path; refuse one without it."""
        values = [_value_at(document, path) for document in documents]
        if all(issubclass(kind, kinds) for kind in set(map(type, values))):
            return values
        for document, value in zip(documents, values, strict=True):
            if not isinstance(value, kinds):
                raise ValueError(
                    f"{self.where} must have {wanted} of each document under {path!r}; "
                    f"got {value!r} in one with the keys {_list_paths([document])}."
                )
        return values
