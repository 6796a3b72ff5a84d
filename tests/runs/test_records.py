"""Logs of retrieval, in the forms of frameworks and search engines."""

import gzip
import io
import json
import re
from dataclasses import asdict, dataclass, field

import numpy as np
import pytest

from sklearn_irmetrics import compare, score_run
from sklearn_irmetrics.exceptions import UnmatchedIdsWarning
from sklearn_irmetrics.runs import score_records

# Two questions: relevant documents, and what was retrieved, best first.
GOLD = {"Who wrote Emma?": ["c7"], "Who wrote Ulysses?": ["c1", "c3"]}
RETRIEVED = {
    "Who wrote Emma?": {"c2": 0.9, "c7": 0.4, "c5": 0.1},
    "Who wrote Ulysses?": {"c3": 0.8, "c4": 0.75, "c1": 0.7},
}
METRICS = ["recall@2", "mrr", "map"]
EXPECTED = score_run(GOLD, RETRIEVED, METRICS)


def each_question():
    return ((q, GOLD[q], list(RETRIEVED[q].items())) for q in GOLD)


def langchain():
    """What RetrievalQA returns, with documents as they are dumped."""
    return [
        {
            "query": question,
            "result": "Someone.",
            "source_documents": [
                {
                    "id": None,
                    "page_content": f"Text of {doc}",
                    "metadata": {"source": "books.pdf", "page": 3, "chunk_id": doc},
                    "type": "Document",
                }
                for doc, _ in documents
            ],
            "gold": gold,
        }
        for question, gold, documents in each_question()
    ]


def langchain_chain():
    """What create_retrieval_chain returns, with the ids of documents."""
    return [
        {
            "input": question,
            "answer": "Someone.",
            "context": [
                {"id": doc, "page_content": "Text", "metadata": {"page": 3}}
                for doc, _ in documents
            ],
            "gold": gold,
        }
        for question, gold, documents in each_question()
    ]


def llamaindex():
    """The source_nodes of a response."""
    return [
        {
            "query": question,
            "response": "Someone.",
            "source_nodes": [
                {
                    "node": {"id_": doc, "text": "Text", "metadata": {"page": 3}},
                    "score": score,
                    "class_name": "NodeWithScore",
                }
                for doc, score in documents
            ],
            "expected_ids": gold,
        }
        for question, gold, documents in each_question()
    ]


def llamaindex_evaluator():
    """A result of the RetrieverEvaluator."""
    return [
        {
            "query": question,
            "expected_ids": gold,
            "expected_texts": None,
            "retrieved_ids": [doc for doc, _ in documents],
            "retrieved_texts": ["Text"] * len(documents),
            "mode": "text",
            "metric_dict": {"mrr": {"score": 0.5}},
        }
        for question, gold, documents in each_question()
    ]


def haystack():
    """Documents of a pipeline, whose meta is flattened."""
    return [
        {
            "query": question,
            "documents": [
                {
                    "id": doc,
                    "content": "Text",
                    "score": score,
                    "embedding": None,
                    "page": 3,
                }
                for doc, score in documents
            ],
            "ground_truth_documents": [
                {"id": doc, "content": "Text", "score": None} for doc in gold
            ],
        }
        for question, gold, documents in each_question()
    ]


def elasticsearch():
    """A response of the search API in each record."""
    return [
        {
            "question": question,
            "gold": gold,
            "retrieved": {
                "took": 5,
                "timed_out": False,
                "hits": {
                    "total": {"value": 3, "relation": "eq"},
                    "max_score": documents[0][1],
                    "hits": [
                        {
                            "_index": "books",
                            "_id": doc,
                            "_score": score,
                            "_source": {"text": "Text", "year": 1922},
                        }
                        for doc, score in documents
                    ],
                },
            },
        }
        for question, gold, documents in each_question()
    ]


def vespa():
    """A response in the default format, beside the question."""
    return [
        {
            "question": question,
            "gold": gold,
            "root": {
                "id": "toplevel",
                "relevance": 1.0,
                "fields": {"totalCount": 3},
                "coverage": {"coverage": 100, "full": True},
                "children": [
                    {"id": doc, "relevance": score, "fields": {"year": 1922}}
                    for doc, score in documents
                ],
            },
        }
        for question, gold, documents in each_question()
    ]


def ragas():
    """A sample with the ids of contexts."""
    return [
        {
            "user_input": question,
            "retrieved_contexts": ["Text"] * len(documents),
            "reference_contexts": ["Text"] * len(gold),
            "retrieved_context_ids": [doc for doc, _ in documents],
            "reference_context_ids": gold,
            "response": "Someone.",
        }
        for question, gold, documents in each_question()
    ]


LOGS = {
    log.__name__: log
    for log in (
        *(langchain, langchain_chain, llamaindex, llamaindex_evaluator, haystack),
        *(elasticsearch, vespa, ragas),
    )
}


def check(scores, expected=EXPECTED):
    assert list(scores.query_ids) == list(expected.query_ids)
    for name, values in expected.scores.items():
        np.testing.assert_array_equal(scores.scores[name], values)


def test_the_numbers_are_those_by_hand():
    assert EXPECTED.mean["recall@2"] == pytest.approx((1 + 1 / 2) / 2)
    assert EXPECTED.mean["mrr"] == pytest.approx((1 / 2 + 1) / 2)
    assert EXPECTED.mean["map"] == pytest.approx((1 / 2 + (1 + 2 / 3) / 2) / 2)


@pytest.mark.parametrize("log", LOGS)
def test_public_logs_are_scored_in_one_call(log):
    check(score_records(LOGS[log](), METRICS))


@pytest.mark.parametrize("log", LOGS)
def test_logs_are_read_from_files_and_lines(log, tmp_path):
    lines = [json.dumps(record) for record in LOGS[log]()]
    text = "\n".join(lines)
    path = tmp_path / "log.jsonl"
    path.write_text(text)
    packed = tmp_path / "log.jsonl.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    array = io.StringIO("[" + ",\n".join(lines) + "]")
    for records in (path, str(packed), io.StringIO(text), array, lines, iter(lines)):
        check(score_records(records, METRICS))


@pytest.mark.parametrize("log", LOGS)
def test_logs_are_read_from_tables(log, tmp_path):
    pd = pytest.importorskip("pandas")
    check(score_records(pd.DataFrame(LOGS[log]()), METRICS))
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pa.Table.from_pylist(LOGS[log]())
    check(score_records(table, METRICS))
    parquet.write_table(table, tmp_path / "log.parquet")
    check(score_records(tmp_path / "log.parquet", METRICS))
    check(score_records(pd.read_parquet(tmp_path / "log.parquet"), METRICS))
    pl = pytest.importorskip("polars")
    check(score_records(pl.from_arrow(table), METRICS))


@dataclass
class Document:
    """As in frameworks, whose objects make dicts of themselves."""

    id: str
    score: float
    meta: dict = field(default_factory=dict)

    def to_dict(self):
        return asdict(self)


def test_objects_of_frameworks_are_read():
    log = [
        {"question": question, "gold": gold, "retrieved": [Document(*d) for d in docs]}
        for question, gold, docs in each_question()
    ]
    check(score_records(log, METRICS))


SIMPLE = [
    {"question": question, "gold": gold, "retrieved": list(dict(documents))}
    for question, gold, documents in each_question()
]


def changed(**values):
    """The simple log, with other values under some keys, by record."""
    return [
        {**record, **{key: both[i] for key, both in values.items()}}
        for i, record in enumerate(SIMPLE)
    ]


@pytest.mark.parametrize("key", ["distance", "_distance"])
def test_distances_are_turned_round_and_said(key):
    chunks = [
        [{"chunk_id": doc, key: 1 - score} for doc, score in reversed(documents)]
        for _, _, documents in each_question()
    ]
    log = changed(retrieved=chunks)
    with pytest.warns(UserWarning, match=f"distances under '{key}': the smallest is"):
        check(score_records(log, METRICS))
    check(score_records(log, METRICS, columns={"distance": key}))
    largest_first = {q: {d: -s for d, s in RETRIEVED[q].items()} for q in GOLD}
    check(
        score_records(log, METRICS, columns={"score": key}),
        score_run(GOLD, largest_first, METRICS),
    )


@pytest.mark.parametrize(
    "key",
    [
        *("score", "_score", "relevance", "relevance_score", "similarity"),
        "similarity_score",
    ],
)
@pytest.mark.parametrize("id_key", ["docno", "doc_id", "id", "_id", "chunk_id"])
def test_scores_order_documents_whatever_their_order_in_the_list(key, id_key):
    chunks = [
        [{id_key: doc, key: score} for doc, score in reversed(documents)]
        for _, _, documents in each_question()
    ]
    check(score_records(changed(retrieved=chunks), METRICS))


def test_documents_in_rank_order_may_have_other_numbers():
    chunks = [
        [{"id": doc, "page": page} for page, (doc, _) in enumerate(documents)]
        for _, _, documents in each_question()
    ]
    log = changed(retrieved=chunks)
    with pytest.raises(ValueError, match=re.escape("columns={'score': None} if")):
        score_records(log, METRICS)
    check(score_records(log, METRICS, columns={"score": None}))
    ranked = [[*reversed(documents)] for documents in chunks]
    for documents in ranked:
        for document in documents:
            document["rank"] = document.pop("page")
    check(score_records(changed(retrieved=ranked), METRICS))


def test_relevant_documents_have_the_forms_of_judgments():
    expected = score_run(
        {"Who wrote Emma?": {"c7": 2}, "Who wrote Ulysses?": {"c1": 1, "c3": 3}},
        RETRIEVED,
        "ndcg@3",
    )
    for gold in (
        [{"c7": 2}, {"c1": 1, "c3": 3}],
        [[("c7", 2)], [["c1", 1], ["c3", 3]]],
        [
            [{"id": "c7", "grade": 2}],
            [{"id": d, "grade": g} for d, g in (("c1", 1), ("c3", 3))],
        ],
        [
            [{"_id": "c7", "rating": 2}],
            [{"_id": "c1", "rating": 1}, {"_id": "c3", "rating": 3}],
        ],
    ):
        check(score_records(changed(gold=gold), "ndcg@3"), expected)
    check(
        score_records(changed(gold=["c7", ["c1", "c3"]]), METRICS),
    )


def test_keys_are_named_with_points():
    log = [
        {
            "run": {"q": record["question"]},
            "out": {"chunks": record["retrieved"]},
            "ok": record["gold"],
        }
        for record in SIMPLE
    ]
    keys = {"query": "run.q", "relevant": "ok", "retrieved": "out.chunks"}
    check(score_records(log, METRICS, **keys))


def test_the_id_of_a_question_goes_before_its_text():
    log = [{"query_id": i, **record} for i, record in enumerate(SIMPLE)]
    assert list(score_records(log, "mrr").query_ids) == [0, 1]
    by_text = score_records(log, "mrr", query="question")
    assert list(by_text.query_ids) == list(GOLD)


def test_retrievers_are_compared():
    log = changed(words=[["c1", "c7"], ["c3"]], vectors=[["c7"], ["c3", "c1"]])
    scores = score_records(log, METRICS, retrieved=["words", "vectors"])
    expected = score_run(
        GOLD,
        {key: {r["question"]: r[key] for r in log} for key in ("words", "vectors")},
        METRICS,
    )
    assert list(scores) == ["words", "vectors"]
    for key in scores:
        check(scores[key], expected[key])
    assert compare(scores, metric="map", test="sign").system == ("vectors",)


def test_nothing_retrieved_is_said():
    log = vespa()
    del log[0]["root"]["children"]
    with pytest.warns(UnmatchedIdsWarning, match="no documents for 1 query"):
        scores = score_records(log, "mrr")
    assert scores.scores["mrr"].tolist() == [0, 1]
    log[0]["root"]["errors"] = [{"code": 12, "summary": "Timed out"}]
    with pytest.raises(ValueError, match="record 0: 'root.children' must be a list"):
        score_records(log, "mrr")


def test_chunks_are_matched_with_documents():
    log = changed(retrieved=[["c7#1", "c2#0", "c7#0"], ["c3#2", "c1#0"]])
    with pytest.raises(ValueError, match="docno=lambda id: id"):
        score_records(log, "mrr")
    by_document = {"docno": lambda chunk: chunk.split("#")[0], "merge": "max"}
    scores = score_records(log, ["mrr", "recall@3"], **by_document)
    assert scores.mean == {"mrr": 1, "recall@3": 1}


def test_options_are_those_of_score_run():
    graded = changed(gold=[{"c7": 1}, {"c1": 2, "c3": 1}])
    options = {"relevance_threshold": 2, "max_docs": 3, "replace_undefined_by": 0.0}
    scores = score_records(graded, ["map", "p@3"], **options)
    qrels = {record["question"]: record["gold"] for record in graded}
    check(scores, score_run(qrels, RETRIEVED, ["map", "p@3"], **options))


ONE = SIMPLE[0]
CHUNK = {"id": "c7", "score": 0.5}
REFUSED = {
    "no records": ([], {}, "records must hold at least one record; got none"),
    "a dict of records": ({"a": ONE}, {}, r"pass list\(records.values\(\)\)"),
    "a number": (
        5,
        {},
        "records must be an iterable of dicts, a table or a file; got int",
    ),
    "numbers": ([5], {}, "records must hold a dict for each question; got int"),
    "no question": (
        [{"q": "a", "gold": ["c7"], "retrieved": ["c7"]}],
        {},
        r"got the keys \['q', 'gold', 'retrieved'\]. If it has another name, pass "
        "query='...'",
    ),
    "two questions": (
        [{"query": "a", **ONE}],
        {},
        "under one key; got 'question' and 'query'. Choose one by query='question'",
    ),
    "no relevant": (
        [{"question": "a", "retrieved": {"hits": {"hits": []}}}],
        {},
        r"got the keys \['question', 'retrieved.hits'\]. If it has another name, pass "
        "relevant=",
    ),
    "two lists": (
        [{"documents": ["c1"], **ONE}],
        {},
        "got 'retrieved' and 'documents'. Choose one by retrieved='retrieved'",
    ),
    "a key that is not there": (
        [ONE],
        {"relevant": "golden"},
        "got 'golden', and records",
    ),
    "a key that is no text": (
        [ONE],
        {"query": 3},
        "query must be a key of the records",
    ),
    "no keys": ([ONE], {"retrieved": []}, r"a list of keys that differ; got \[\]"),
    "a question twice": ([ONE, ONE], {}, "in records 0 and 1. Drop one of them"),
    "a question that is a dict": (
        [{**ONE, "question": {"match": "a"}}],
        {},
        "record 0: 'question' must hold a question or its id",
    ),
    "nothing known of one": (
        [ONE, {**SIMPLE[1], "gold": None}],
        {},
        r"record 1: 'gold' must be a list of documents; got None. If nothing is "
        r"relevant, it must be \[\]",
    ),
    "a text of ids": ([{**ONE, "gold": "c7 c8"}], {}, r"'c7 c8'.split\(\)"),
    "two ids": (
        [{**ONE, "retrieved": [{**CHUNK, "doc_id": "d1"}]}],
        {},
        r"got 'doc_id' and 'id'. Choose one by columns=\{'docno': 'doc_id'\}",
    ),
    "no id": (
        [{**ONE, "retrieved": [{"text": "a", "metadata": {"source": "b"}}]}],
        {},
        r"got the keys \['text', 'metadata.source'\]. If they have another name",
    ),
    "two scores": (
        [{**ONE, "retrieved": [{**CHUNK, "distance": 1}]}],
        {},
        r"got 'score' and 'distance'. Choose one by columns=\{'score': 'score'\}",
    ),
    "a score of some": (
        [{**ONE, "retrieved": [CHUNK, {"id": "c8", "score": None}]}],
        {},
        "must have a number of each document under 'score'; got None in one",
    ),
    "an id of some": (
        [{**ONE, "retrieved": [CHUNK, {"score": 0.5}]}],
        {},
        r"must have an id of each document under 'id'; got None in one with the keys "
        r"\['score'\]",
    ),
    "unknown numbers of relevant documents": (
        [{**ONE, "gold": [{"id": "c7", "gain": 2}]}],
        {},
        r"numbers under 'gain', which may be grades: pass columns=\{'grade': 'gain'\}",
    ),
    "documents with numbers": (
        [{**ONE, "retrieved": [[{"id": "c7"}, 0.3]]}],
        {},
        "pass the documents alone, best first",
    ),
    "an unknown response": (
        [{**ONE, "retrieved": {"answer": "a", "chunks": ["c7"]}}],
        {},
        r"with the keys \['answer', 'chunks'\].*pass retrieved='retrieved.chunks'",
    ),
    "a response with two lists": (
        [{**ONE, "retrieved": {"documents": ["c7"], "results": ["c7"]}}],
        {},
        "Choose one by retrieved='retrieved.results'",
    ),
    "a document twice": (
        [{**ONE, "retrieved": ["c7", "c7"]}],
        {},
        "got document 'c7' again for query 'Who wrote Emma\\?'.*merge='max'",
    ),
    "columns of records": ([ONE], {"columns": {"qid": "q"}}, "among 'docno', 'grade'"),
    "columns that are no dict": ([ONE], {"columns": "id"}, "columns must be a dict"),
    "columns without names": ([ONE], {"columns": {"docno": None}}, "must hold names"),
    "ranks as scores": ([ONE], {"columns": {"score": "rank"}}, "got the ranks 'rank'"),
    "scores and distances": (
        [ONE],
        {"columns": {"score": "a", "distance": "b"}},
        "columns must have 'score' or 'distance'; got both",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_name_what_there_is_and_what_to_do(case):
    records, options, message = REFUSED[case]
    with pytest.raises((TypeError, ValueError), match=message):
        score_records(records, "mrr", **options)


def test_texts_and_files_that_are_no_records_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        score_records(tmp_path / "none.jsonl", "mrr")
    with pytest.raises(ValueError, match="expected a dict as JSON"):
        score_records(io.StringIO("question,gold\na,c7\n"), "mrr")
