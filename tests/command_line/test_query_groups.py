"""Results for groups of queries: the command and the library."""

import json
import re

import pytest

from oracles.typed_queries import MEASURES, TYPES, WITH_MEASURES, assert_data, scores
from sklearn_irmetrics.comparison import compare
from sklearn_irmetrics.reports import ranking_report

BY = (
    "types.csv",
    "types.txt",
    "types.json",
    "types.jsonl",
    "queries.tsv:type",
    "qrels.csv:type",
    "type",
)


@pytest.mark.parametrize("by", BY)
def test_groups_of_queries_are_slices_of_the_report(by, out, files):
    pytest.importorskip("pandas")
    wanted = ranking_report(scores("one", "two"), by=TYPES)
    words = f"score qrels.csv one.run two.run {WITH_MEASURES} --by {by}"
    assert out(words) == f"{wanted}\n"
    assert_data(out, words, wanted.to_frame())
    assert out(f"{words} -f latex") == f"{wanted.to_latex()}\n"


def test_groups_of_one_run(out, files):
    pytest.importorskip("pandas")
    (found,) = scores("two").values()
    wanted = found.report(
        by=TYPES, confidence_level=0.9, interval="bca", random_state=0
    )
    words = f"score qrels.csv two.run {WITH_MEASURES} --by type"
    assert out(f"{words} --confidence 0.9 --interval bca") == f"{wanted}\n"
    assert_data(out, words, found.report(by=TYPES).to_frame())


def test_groups_of_parquet(out, files):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pd.read_csv("qrels.csv").to_parquet("qrels.parquet")
    words = "score qrels.csv one.run -m map --by"
    assert out(f"{words} qrels.parquet:type") == out(f"{words} type")


def test_comparisons_of_groups_are_those_of_the_library(out, files):
    pytest.importorskip("pandas")
    words = "compare qrels.csv two.run one.run --by type --test ttest"
    options = {"by": TYPES, "test": "ttest"}
    found = scores("two", "one")
    results = [compare(found, metric=name, **options) for name in MEASURES]
    assert out(f"{words} {WITH_MEASURES}") == "\n\n".join(map(repr, results)) + "\n"
    assert_data(out, f"{words} -m map", results[1].to_frame())
    rows = json.loads(out(f"{words} {WITH_MEASURES} -f json"))
    assert [(row["measure"], row["slice"], row["n_units"]) for row in rows] == [
        (name, kind, n) for name in MEASURES for kind, n in (("what", 4), ("how", 8))
    ]


COMPARED = "compare qrels.csv -m map --test ttest --by type"


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("score qrels.csv one.run -m map --by type --fail-under 0.8", 0),
        ("score qrels.csv one.run two.run -m map --by type --fail-under 0.8", 1),
        ("score qrels.csv one.run -m map --by type --fail-under 0.8 --sure", 1),
        ("score qrels.csv one.run -m map --by absent --fail-under 0.1", 2),
        (f"{COMPARED} one.run two.run --fail-if-worse", 1),
        (f"{COMPARED} two.run one.run --fail-if-worse", 0),
        (f"{COMPARED} one.run one.run --margin 0.9 --fail-unless-not-worse", 0),
        (f"{COMPARED} one.run one.run --margin 0.1 --fail-unless-not-worse", 1),
    ],
)
def test_every_group_must_reach_a_gate(words, status, run, files):
    found, _, stderr = run(words)
    assert found == status
    assert bool(re.search("failed: .*map of (what|how)", stderr)) == (status == 1)


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (
            "score qrels.csv one.run --by kind",
            1,
            "--by names no file, and qrels.csv must have a column 'kind'; got ['qid', "
            "'docno', 'grade', 'type'].",
        ),
        (
            "score qrels.txt one.run --by kind",
            1,
            "qrels.txt must have a column 'kind'; got none.",
        ),
        (
            "score qrels.csv one.run --by queries.tsv",
            1,
            "queries.tsv must have one column beside 'query_id' unless the column of "
            "groups is named; got ['text', 'type'].",
        ),
        (
            "score qrels.csv one.run --by queries.tsv:kind",
            1,
            "queries.tsv must have a column 'kind'; got ['query_id', 'text', 'type'].",
        ),
        (
            "score qrels.csv one.run --by grade",
            1,
            "must have one group for each query; got ",
        ),
        (
            "compare qrels.csv one.run two.run --by few",
            1,
            "by must name every query; got 1 ids, without 'q1', 'q10'",
        ),
        (
            "score qrels.csv one.run --by empty",
            1,
            "empty must have a group for each query, a text or a number; got '' for "
            "query 'q1'.",
        ),
        (
            "score qrels.csv one.run --by nested",
            1,
            "nested must have a group for each query, a text or a number; got ['how'] "
            "for query 'q1'.",
        ),
        (
            "score qrels.csv one.run --by qrels.txt",
            1,
            "qrels.txt must have lines of query and group, or a header with the column "
            "qid; got 'q0 0 d0",
        ),
        ("score - one.run --by type", 2, "needs a file if QRELS is standard input"),
        ("score qrels.csv one.run --by type -q", 2, "--per-query: not allowed with"),
        ("score qrels.csv one.run --by type -f trec", 2, "--by: not allowed with --li"),
        (
            "score qrels.csv one.run --by type --like trec_eval9",
            2,
            "--by: not allowed with --like",
        ),
        (
            "score qrels.csv one.run --by type --judge qrels.csv",
            2,
            "--by: not allowed with --judge",
        ),
        (
            "score qrels.csv one.run short.run --by type --missing skip",
            1,
            "by must give all systems the same slices; 'one' and 'short' have other "
            "queries, so only one of them has 'what'.",
        ),
    ],
)
def test_groups_that_cannot_be_used(words, status, message, run, files):
    found, _, stderr = run(
        words,
        few="q0 what\n",
        empty="qid,type\nq0,what\nq1,\n",
        nested='{"q0": "what", "q1": ["how"]}',
        **{"short.run": "q1 Q0 d1 1 2 short\n"},
    )
    assert found == status
    assert message in stderr
    assert stderr.count("error:") == 1 and "Traceback" not in stderr
