"""Forms of judgments and runs that people hold: each with its number, or its error."""

import io
import json

import numpy as np
import pytest

from sklearn_irmetrics import score_run
from sklearn_irmetrics.runs import read_qrels, read_run

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")

# The relevant document is second for q1, and first for q2: a mean of 0.75.
QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
RUN = {"q1": {"d2": 0.5, "d1": 0.4}, "q2": {"d3": 0.5, "d9": 0.1}}
ROWS = [("q1", "d2", 0.5), ("q1", "d1", 0.4), ("q2", "d3", 0.5), ("q2", "d9", 0.1)]
GOLD = [("q1", "d1"), ("q2", "d3")]


def records(rows, *names):
    return [dict(zip(names, row, strict=False)) for row in rows]


def chunks(*names):
    """Return the documents of each query as records."""
    return {
        qid: [dict(zip(names, (*one, "text"), strict=False)) for one in docs.items()]
        for qid, docs in RUN.items()
    }


def coded(**columns):
    """Return a table of Arrow whose columns are dictionaries and codes."""
    table = pa.table(columns)
    return pa.table({one: table[one].dictionary_encode() for one in columns})


JUDGMENTS = {
    "records": records([(*one, 1) for one in GOLD], "qid", "docno", "grade"),
    "records of pairs": records(GOLD, "query_id", "doc_id"),
    "chunks": {qid: [{"id": docno, "grade": 1}] for qid, docno in GOLD},
    "chunks without grades": {
        qid: [{"docno": docno, "page": "iii", "id": 7}] for qid, docno in GOLD
    },
    "pairs": pd.DataFrame(GOLD, columns=["user", "item"]),
    "pairs of Arrow": pa.table(
        {"user_id": ["q1", "q2"], "item_id": ["d1", "d3"]},
    ),
    "ratings": pd.DataFrame(
        {
            "user": ["q1", "q2"],
            "item": ["d1", "d3"],
            "rating": [4, 5],
            "time": [9e8] * 2,
        }
    ),
    "Quepid": pd.DataFrame(
        {
            "query": ["q1", "q1", "q2"],
            "docid": ["d1", "d2", "d3"],
            "rating": [1, None, 2],
        }
    ),
}
# As the InformationRetrievalEvaluator of sentence-transformers writes them.
RESULTS = {
    "q1": [{"corpus_id": "d2", "score": 0.9}, {"corpus_id": "d1", "score": 0.2}],
    "q2": [{"corpus_id": "d3", "score": 0.5}],
}
RUNS = {
    "records": records(ROWS, "qid", "docno", "score"),
    "records of pairs": records(ROWS, "user", "item"),
    "chunks": chunks("id", "score", "text"),
    "chunks in order": {
        qid: [{"doc_id": docno, "text": ""} for docno in docs]
        for qid, docs in RUN.items()
    },
    "chunks with ranks": {
        "q1": [{"id": "d1", "rank": 2}, {"id": "d2", "rank": 1}],
        "q2": [{"id": "d3", "rank": 1}],
    },
    "codes": coded(
        **dict(zip(("qid", "docno", "score"), zip(*ROWS, strict=True), strict=True))
    ),
    "pairs": pd.DataFrame([row[:2] for row in ROWS], columns=["user", "item"]),
    "ranks": pd.DataFrame(
        {
            "qid": ["q1", "q1", "q2"],
            "docno": ["d1", "d2", "d3"],
            "rank": [2, 1, 1],
            "text": ["a", "b", "c"],
        }
    ),
    "ranks from 0": pl.DataFrame(
        {"qid": ["q1", "q1", "q2"], "docno": ["d1", "d2", "d3"], "rank": [1, 0, 0]}
    ),
    "records of queries": [
        {"query_id": "q1", "query": "a", "results": RESULTS["q1"]},
        {"query_id": "q2", "query": "b", "results": RESULTS["q2"]},
    ],
    "scores and ranks": records(
        [(*row, rank) for row, rank in zip(ROWS, (2, 1, 2, 1), strict=True)],
        *("qid", "docno", "score", "rank"),
    ),
}
FILES = {
    "query,docid,rating\nq1,d1,1\nq1,d2,\nq2,d3,2\n": "grade",  # Quepid
    "q1\td1\nq2\td3\n": "grade",
    "user,item\nq1,d1\nq2,d3\n": "grade",
    json.dumps(JUDGMENTS["records of pairs"]): "grade",
    json.dumps(JUDGMENTS["chunks"]): "grade",
    "q1\td2\t1\t20.5\nq1\td1\t2\t18\nq2\td3\t1\t9.5\n": "score",  # ColBERT
    "q1\td2\nq1\td1\nq2\td3\n": "score",
    "user,item\nq1,d2\nq1,d1\nq2,d3\n": "score",
    "qid,docno,rank\nq1,d1,2\nq1,d2,1\nq2,d3,1\n": "score",
    json.dumps(RUNS["records"]): "score",
    json.dumps(RUNS["chunks"]): "score",
    "\n".join(map(json.dumps, RUNS["records of queries"])): "score",
    '{"qid": "q1", "docno": "d1", "rank": 2}\n{"qid": "q2", "docno": "d3", "rank": 1}\n'
    '{"qid": "q1", "docno": "d2", "rank": 1}\n': "score",
}


@pytest.mark.parametrize("form", JUDGMENTS)
def test_judgments(form):
    assert score_run(JUDGMENTS[form], RUN, "mrr").mean == {"mrr": 0.75}


@pytest.mark.parametrize("form", RUNS)
def test_runs(form):
    assert score_run(QRELS, RUNS[form], "mrr").mean == {"mrr": 0.75}
    results = score_run(QRELS, {"one": RUNS[form], "two": RUN}, "mrr")
    assert results["one"].mean == results["two"].mean


OTHER_NAMES = "gain", "relevance_score", "similarity", "distance", "_score", "judgment"
OTHER_NAMES += "value", "weight", "relevant", "is_relevant", "page"


@pytest.mark.parametrize("number", [0.25, 3, True, np.True_, np.float32(2), None])
@pytest.mark.parametrize("key", (*OTHER_NAMES, "relevance"))
def test_numbers_of_other_names_are_not_dropped(key, number):
    """A grade of 0 became relevant, and the order of a list counted, silently."""
    ranked = {"q": [{"id": "a"}, {"id": "b", key: number}]}
    every = {"q": [{"id": "a", key: 0.5}, {"id": "b", key: 0}]}
    several = {"q": [{"id": "a", key: 0.5, "other": 1}]}
    for role, field in ("qrels", "grade"), ("run", "score"):
        if field == "grade" and key == "relevance":
            continue  # which is known there

        def score(records, role=role, **options):
            data = {"qrels": {"q": ["a"]}, "run": {"q": ["a"]}} | {role: records}
            return score_run(metrics="mrr", **data, **options).mean["mrr"]

        at = f"records of query 'q' of {role} must have a column"
        for records in (every, ranked) if number is not None else [every]:
            message = f"{at} '{field}'.*; got the columns .'{key}'.. If it has another "
            with pytest.raises(ValueError, match=message) as caught:
                score(records)
            assert f"columns={{{field!r}: {key!r}}}" in str(caught.value)
        with pytest.raises(ValueError, match=f"{at}.*'other'.*: \\.\\.\\.}}"):
            score(several)
        assert score(every, columns={field: key}) == 1
        with pytest.raises(ValueError, match="must all have a|must have the column"):
            score({"q": [{"id": "a", key: 1}, {"id": "b"}]}, columns={field: key})
        if number is None:
            assert score(ranked) == 1


def test_identifiers_in_records_are_no_numbers():
    chunk = {"docno": "d1", "id": 5, "text": "t"}
    assert score_run({"q": ["d1"]}, {"q": [chunk]}, "mrr").mean == {"mrr": 1}
    named = {"passage": 12, "title": "t"}
    columns = {"docno": "passage"}
    assert score_run({"q": [12]}, {"q": [named]}, "mrr", columns=columns).mean == {
        "mrr": 1
    }


def test_hits_of_elasticsearch():
    hits = [{"_index": "i", "_id": "d1", "_score": 1.5, "_source": {"x": 1}}]
    with pytest.raises(
        ValueError,
        match=r"got the keys \['_index', '_id', '_score', '_source'\]\. If they have "
        r"other names, pass columns={'docno': '_id', 'score': '_score'}",
    ):
        score_run(QRELS, {"q1": hits}, "mrr")
    columns = {"docno": "_id", "score": "_score"}
    found = score_run({"q1": ["d1"]}, {"q1": hits}, "mrr", columns=columns)
    assert found.mean == {"mrr": 1}


@pytest.mark.parametrize("make", [dict, pd.DataFrame, "to_dict", "Series", "JSON"])
def test_a_dict_of_columns_is_a_table(make):
    names = "qid", "docno", "score"
    table = dict(zip(names, map(list, zip(*ROWS, strict=True)), strict=True))
    if make is pd.DataFrame:
        assert score_run(QRELS, make(table), "mrr").mean == {"mrr": 0.75}
        return
    forms = {
        dict: lambda: table,
        "to_dict": pd.DataFrame(table).to_dict,
        "Series": lambda: dict(pd.DataFrame(table)),
        "JSON": lambda: io.StringIO(json.dumps(table)),
    }
    message = r"must not be a dict of columns, \['qid', 'docno', 'score'\]: pass it as"
    for qrels, run in (QRELS, forms[make]()), (forms[make](), RUN):
        with pytest.raises((TypeError, ValueError), match=message):
            score_run(qrels, run, "mrr")
    named = {"topic": ["q1"], "passage": ["d1"], "score": [1.0]}
    columns = {"qid": "topic", "docno": "passage"}
    with pytest.raises(TypeError, match="run must not be a dict of columns, .'topic'"):
        score_run(QRELS, named, "mrr", columns=columns)
    queries = {"user": ["d1"], "item": ["d1", "d2"]}  # queries of such names
    assert score_run(queries, queries, "mrr").mean == {"mrr": 1}


def test_a_text_of_ids_is_a_list():
    text = "1944 727 514"
    for run in text, {"q1": text}, {"q1": "1944"}:
        with pytest.raises(FileNotFoundError, match=r"ids of documents are a list, su"):
            score_run(QRELS, run, "mrr")
    with pytest.raises(TypeError, match="Split a text of ids into a list: '1944 727 5"):
        score_run({"q1": text}, RUN, "mrr")
    for path in "runs/a b", "a b.run":
        with pytest.raises(FileNotFoundError, match="directory: '"):
            score_run(QRELS, path, "mrr")


@pytest.mark.parametrize(
    "qrels",
    [
        {"q": ["a", "b", "a"]},
        {"q": [("a", 1), ("a", 0)]},
        pd.DataFrame({"qid": "q", "docno": ["a", "a"], "grade": 1}),
        [("q", "a", 1)] * 2,
    ],
)
def test_a_truth_that_names_a_document_twice(qrels):
    with pytest.raises(
        ValueError,
        match="document 'a' again for query 'q'. Keep one judgment of each: "
        r"list\(dict.fromkeys\(documents\)\) for a list, drop_duplicates",
    ):
        score_run(qrels, {"q": ["a"]}, "mrr")


def test_records_of_queries_name_each_query_once():
    first, second = RUNS["records of queries"]
    for changed, message in [
        (first, "have one record of each query; got 'q1' again"),
        ({"query_id": "q2"}, "'query_id' and 'results', a list of .* record 1 lacks"),
        ({**second, "results": {"d3": 1.0}}, "record 1 lacks one"),
        ({"qid": "q2", "results": []}, "'query_id' and 'results'.* record 1 lacks one"),
    ]:
        with pytest.raises(ValueError, match=f"run must .*{message}"):
            score_run(QRELS, [first, changed], "mrr")
    with pytest.raises(TypeError, match="query ids of run must be strings or integers"):
        score_run(QRELS, [first, {**second, "query_id": ["q2"]}], "mrr")


@pytest.mark.parametrize("text", FILES)
def test_files(text, tmp_path):
    path = tmp_path / "file"
    path.write_text(text)
    qrels, run = (path, RUN) if FILES[text] == "grade" else (QRELS, path)
    assert score_run(qrels, run, "mrr").mean == {"mrr": 0.75}


def test_empty_cells_of_quepid_are_unjudged(tmp_path):
    (path := tmp_path / "ratings.csv").write_text(
        "query,docid,rating\nq,d1,0\nq,d2,\nq,d3,3\n"
    )
    assert read_qrels(path).docno.tolist() == ["d1", "d3"]
    assert score_run(path, {"q": ["d1", "d2", "d3"]}, "judged@3").mean == {
        "judged@3": pytest.approx(2 / 3)
    }


@pytest.mark.parametrize("in_file", [True, False])
def test_missing_ratings_are_unjudged_in_records_too(in_file, tmp_path):
    rows = [("q", "d1", 0), ("q", "d2", None), ("q", "d3", 3)]
    qrels = records(rows, "query", "docid", "rating")
    if in_file:
        (path := tmp_path / "ratings.json").write_text(json.dumps(qrels))
        qrels = path
    found = score_run(qrels, {"q": ["d1", "d2", "d3"]}, "judged@3")
    assert found.mean == {"judged@3": pytest.approx(2 / 3)}


def test_what_a_json_file_cannot_hold_is_an_error_of_the_file(tmp_path):
    (path := tmp_path / "grades.json").write_text(
        '[{"qid": "q", "docno": "d", "relevance": [1]}]'
    )
    with pytest.raises(ValueError, match="grade"):
        score_run(path, {"q": ["d"]}, "mrr")


def test_pairs_of_a_run_are_in_the_order_of_the_rows():
    pairs = pd.DataFrame({"qid": ["b", "a", "b"], "docno": ["y", "z", "x"]})
    assert score_run({"a": ["z"], "b": ["x"]}, pairs, "mrr").scores["mrr"].tolist() == [
        *(1.0, 0.5)
    ]


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        (
            QRELS,
            RUNS["ranks"].assign(rank=[0.9, 0.2, 1]),
            "rank of run must be whole numbers that start at 0 or 1; got 0.9.",
        ),
        (
            QRELS,
            [*RUNS["records"], {"qid": "q1", "docno": "d"}],
            r"run must hold records with the same keys, .*; got .* in record 4",
        ),
        (
            QRELS,
            {"q1": [{"id": "d1", "score": 1}, {"id": "d2"}]},
            "records of query 'q1' of run must all have a score, or none of them",
        ),
        (
            QRELS,
            {"q1": [{"text": "d1", "score": 1}]},
            "records of query 'q1' of run must each have the id of a document",
        ),
        (
            QRELS,
            JUDGMENTS["ratings"],
            r"run must have a column 'score'; got the columns \['user', 'item'",
        ),
        (
            pd.DataFrame([("q1", "d1", "x")], columns=["qid", "docno", "title"]),
            RUN,
            "qrels must have a column 'grade' or .*; got the columns .*If every "
            r"row is a relevant pair, .*: frame\[\['qid', 'docno'\]\]\.drop_duplicates",
        ),
        (
            JUDGMENTS["ratings"].rename(columns={"rating": "time"}),
            RUN,
            r"document: frame\[\['user', 'item'\]\]\.drop_duplicates\(\)\.$",
        ),
        (
            QRELS,
            [{"question": "q1", "passage": "d1", "similarity": 0.7}] * 2,
            r"run must have a column 'qid' or .*; got the columns \['question', 'pass",
        ),
        (
            QRELS,
            [{"qid": "q1", "docno": "d1", "score": 1.0}, {"text": "d1"}],
            r"the same keys, \['qid', 'docno', 'score'\]; got \['text'\] in record 1",
        ),
        (
            QRELS,
            RUNS["ranks"].assign(rank="first"),
            r"rank of run must hold real numbers; got 'first'\.$",
        ),
        (
            pd.DataFrame({"qid": ["q1"] * 9, "docno": range(9), "grade": None}),
            RUN,
            r"grade of qrels must hold real numbers; got None\.$",
        ),
        (
            QRELS,
            coded(qid=["q1", None], docno=["d1", "d2"], score=[2.0, 1.0]),
            "query ids of run must be strings or integers; got None",
        ),
        (
            QRELS,
            coded(qid=["q1", "q1"], docno=["d1", None], score=[2.0, 1.0]),
            "document ids of run must be strings or integers; got None",
        ),
        (
            QRELS,
            coded(qid=["q1", "q1"], docno=["d1", "d2"], score=[2.0, None]),
            "score of run must not be NaN",
        ),
        (
            coded(qid=["q1", "q1"], docno=["d1", "d2"], grade=[1, None]),
            RUN,
            "grade of qrels must be finite; got nan",
        ),
        ([("user", "item", 3, 881250949)], RUN, "got one of 4 entries"),
        ({"q1": [("d1", 3, 881250949)]}, RUN, "document ids of qrels must be strings"),
        ([{"d1": 1}, {"d3": 1}], RUN, r"pass dict\(enumerate\(qrels\)\)"),
        (pd.Series([["d1"], ["d3"]]), RUN, r"pass qrels\.to_dict\(\), whose keys"),
        (QRELS, ["a.run", "b.run"], "Several runs need names: pass {'a': 'a.run', "),
    ],
)
def test_near_misses(qrels, run, message):
    with pytest.raises((TypeError, ValueError), match=message):
        score_run(qrels, run, "mrr")


@pytest.mark.parametrize(
    ("text", "read", "message"),
    [
        (
            "1\t10\t5\t881250949\n1\t11\t3\t881250949\n",
            read_run,
            "line 2: the ranks of a query must be .*for query, document, rank, score",
        ),
        (
            "1\t10\t5\t881250949\n",
            read_qrels,
            "taken for query, iteration, document and grade, but 881250949 is no grade",
        ),
        ("1\td1\t1\tx\n", read_run, "line 1: the score must be a number; got 'x'"),
        ("1\td1\n1\td2 more\n", read_run, r"line 2: .* 2 fields \(query, document\)"),
        ("1\td1\n1\td1\n", read_run, "line 2: .* again .*first in line 1"),
        ("qid,docno,rank\nq,a,x\n", read_run, "line 2: the rank must be a number"),
        (
            "query,docid,rating\nq,a,x\n",
            read_qrels,
            "line 2: the grade must be a finite",
        ),
    ],
)
def test_near_misses_of_files(text, read, message, tmp_path):
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read(path)


def test_ranks_are_no_scores():
    with pytest.raises(
        ValueError, match="columns must name scores, .* the ranks 'rank'"
    ):
        score_run(QRELS, RUNS["ranks"], "mrr", columns={"score": "rank"})


def test_query_weights():
    weights = {"q1": 1, "q2": 3, "other": 9}
    scores = score_run(QRELS, RUN, "mrr", sample_weight=weights)
    assert scores.mean == {"mrr": (0.5 + 3 * 1) / 4}
    numbers = {1: ["a"], 2: ["b"]}
    run = {1: ["b", "a"], 2: ["b"]}
    weights = {np.int64(1): 1, 2: 3}
    assert score_run(numbers, run, "mrr", sample_weight=weights).mean == scores.mean


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ({"q1": 1}, ValueError, "weight for each query; got none for 1 query, .* 'q2'"),
        ([1, 3], TypeError, "must be a dict from query to weight, .*; got list"),
        ({"q1": -1, "q2": 1}, ValueError, "sample_weight must be finite, non-negative"),
        ({"q1": "x", "q2": 1}, TypeError, "sample_weight must hold real numbers"),
        (
            {1: 1, "1": 2},
            ValueError,
            "sample_weight must have query ids that differ as",
        ),
    ],
)
def test_query_weights_that_are_refused(weights, error, message):
    with pytest.raises(error, match=message):
        score_run(QRELS, RUN, "mrr", sample_weight=weights)
