"""Frameworks for retrieval return the numbers of "Coming from a framework".

A framework that is not installed is skipped.
"""

import asyncio
import re

import numpy as np
import pytest

from oracles.lists import DOCS, GOLD, LISTS, SINGLE_PRECISION, assert_same, values


@pytest.mark.filterwarnings("ignore:Importing .* from 'ragas.metrics' is deprecated")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a file
@pytest.mark.parametrize(
    ("theirs", "metric"),
    [("IDBasedContextPrecision", "set_p"), ("IDBasedContextRecall", "set_recall")],
)
def test_ragas_by_ids(theirs, metric, monkeypatch):
    monkeypatch.setenv("RAGAS_DO_NOT_TRACK", "true")
    ragas = pytest.importorskip("ragas")
    metrics = pytest.importorskip("ragas.metrics")
    measure = getattr(metrics, theirs)()
    samples = [
        ragas.SingleTurnSample(
            retrieved_context_ids=LISTS[query], reference_context_ids=GOLD[query]
        )
        for query in GOLD
    ]
    expected = [asyncio.run(measure.single_turn_ascore(one)) for one in samples]
    assert_same(values(metric), expected)


def test_ragas_by_verdicts(monkeypatch):
    monkeypatch.setenv("RAGAS_DO_NOT_TRACK", "true")
    llms = pytest.importorskip("ragas.llms.base")
    collections = pytest.importorskip("ragas.metrics.collections")

    class Judge(llms.InstructorBaseRagasLLM):
        """Calls a chunk useful if it is one of the gold, instead of a model."""

        def generate(self, prompt, response_model):
            (chunk,) = re.findall(r'"context": "(d\d+)"', prompt)
            return response_model(reason="", verdict=int(chunk in self.gold))

        async def agenerate(self, prompt, response_model):
            return self.generate(prompt, response_model)

    judge = Judge()
    measure = collections.ContextPrecisionWithReference(llm=judge)
    expected = []
    for query, judge.gold in GOLD.items():
        found = measure.ascore("question", "answer", LISTS[query])
        expected.append(asyncio.run(found).value)
    # It adds 1e-10 to the number of useful chunks.
    assert_same(values("ap(denominator='retrieved')"), expected, tolerance=1e-9)


@pytest.mark.parametrize(
    ("theirs", "arguments", "metric"),
    [
        ("HitRate", {}, "success@8"),
        ("HitRate", {"use_granular_hit_rate": True}, "set_recall"),
        ("MRR", {}, "mrr"),
        ("Precision", {}, "set_p"),
        ("Recall", {}, "set_recall"),
        ("AveragePrecision", {}, "map"),
        ("NDCG", {}, "ndcg"),
    ],
)
def test_llama_index(theirs, arguments, metric):
    pytest.importorskip("llama_index.core")
    from llama_index.core.evaluation.retrieval import metrics

    measure = getattr(metrics, theirs)(**arguments)
    expected = [
        measure.compute(expected_ids=GOLD[query], retrieved_ids=LISTS[query]).score
        for query in GOLD
    ]
    assert_same(values(metric), expected)


@pytest.mark.parametrize(
    ("theirs", "arguments", "metric"),
    [
        ("DocumentMAPEvaluator", {}, "map"),
        ("DocumentMRREvaluator", {}, "mrr"),
        ("DocumentNDCGEvaluator", {}, "ndcg"),
        ("DocumentRecallEvaluator", {"mode": "single_hit"}, "success@8"),
        ("DocumentRecallEvaluator", {"mode": "multi_hit"}, "set_recall"),
    ],
)
def test_haystack(theirs, arguments, metric):
    haystack = pytest.importorskip("haystack")
    evaluators = pytest.importorskip("haystack.components.evaluators")

    def documents(lists):
        return [[haystack.Document(content=doc) for doc in lists[q]] for q in GOLD]

    evaluator = getattr(evaluators, theirs)(**arguments)
    found = evaluator.run(
        ground_truth_documents=documents(GOLD), retrieved_documents=documents(LISTS)
    )
    assert_same(values(metric), found["individual_scores"])


def trulens(grades=None):
    """Return TruLens' measures for the judgments, with grades of 1 or others."""
    groundtruth = pytest.importorskip("trulens.feedback.groundtruth")
    dummy = pytest.importorskip("trulens.feedback.dummy.provider")
    judged = grades or {query: dict.fromkeys(GOLD[query], 1) for query in GOLD}
    records = [
        {
            "query": query,
            "expected_chunks": [
                {"text": doc, "expect_score": grade} for doc, grade in found.items()
            ],
        }
        for query, found in judged.items()
    ]
    return groundtruth.GroundTruthAgreement(records, provider=dummy.DummyProvider())


@pytest.mark.parametrize(
    ("theirs", "arguments", "metric"),
    [
        ("precision_at_k", {"k": 5}, "p(adaptive=True)@5"),
        ("precision_at_k", {"k": 20}, "p(adaptive=True)@20"),
        ("recall_at_k", {"k": 5}, "recall@5"),
        ("ndcg_at_k", {"k": 5}, "ndcg@5"),
        ("mrr", {}, "mrr"),
        ("ir_hit_rate", {"k": 5}, "hit_rate@5"),
    ],
)
def test_trulens(theirs, arguments, metric):
    measure = getattr(trulens(), theirs)
    expected = [measure(query, LISTS[query], **arguments) for query in GOLD]
    assert_same(values(metric), expected)


def test_trulens_takes_a_grade_of_0_as_relevant():
    grades = {"q": {"good": 1, "bad": 0}}
    measures = trulens(grades)
    assert measures.mrr("q", ["bad", "good"]) == 1.0
    assert measures.precision_at_k("q", ["bad"], k=1) == 1.0
    assert values("mrr", grades, {"q": ["bad", "good"]}) == 0.5


@pytest.mark.filterwarnings("ignore:.*deprecated since 3.4:FutureWarning")
@pytest.mark.parametrize(
    ("theirs", "metric", "tolerance"),
    [
        ("precision_at_k", "p(adaptive=True)@5", 1e-12),
        ("recall_at_k", "recall@5", 1e-12),
        ("ndcg_at_k", "ndcg@5", SINGLE_PRECISION),
    ],
)
def test_mlflow(theirs, metric, tolerance):
    pandas = pytest.importorskip("pandas")
    metrics = pytest.importorskip("mlflow.metrics")
    predictions = pandas.Series(list(LISTS.values()))
    targets = pandas.Series(list(GOLD.values()))
    expected = getattr(metrics, theirs)(5).eval_fn(predictions, targets).scores
    assert_same(values(metric), expected, tolerance)


def test_sentence_transformers():
    evaluation = pytest.importorskip(
        "sentence_transformers.sentence_transformer.evaluation"
    )
    evaluator = evaluation.InformationRetrievalEvaluator(
        queries=dict.fromkeys(GOLD, "text"),
        corpus=dict.fromkeys(DOCS, "text"),
        relevant_docs={query: set(docs) for query, docs in GOLD.items()},
    )
    hits = {
        query: [{"corpus_id": doc, "score": -rank} for rank, doc in enumerate(docs)]
        for query, docs in LISTS.items()
    }
    expected = evaluator.compute_metrics([hits[query] for query in GOLD])
    for theirs, k, metric in [
        ("accuracy@k", 3, "hit_rate@3"),
        ("precision@k", 5, "p@5"),
        ("recall@k", 5, "recall@5"),
        ("mrr@k", 10, "mrr@10"),
        ("ndcg@k", 10, "ndcg@10"),
        ("map@k", 100, "ap(denominator='attainable')@100"),
    ]:
        assert_same(values(metric, lists=hits).mean(), expected[theirs][k])


@pytest.mark.filterwarnings("ignore:The recommendations contain duplicated")  # RePlay
@pytest.mark.parametrize(
    "module",
    [
        "llama_index.core.evaluation.retrieval.metrics",
        "replay.metrics",
        "cornac.metrics",
        "lenskit.metrics.ranking",
    ],
)
def test_who_counts_a_document_twice(module):
    metrics = pytest.importorskip(module)
    gold, found = ["a"], ["a", "a", "b"]
    if module.startswith("llama_index"):
        value = metrics.NDCG().compute(expected_ids=gold, retrieved_ids=found).score
    elif module.startswith("replay"):
        ranked = {"u": [(item, -float(rank)) for rank, item in enumerate(found)]}
        value = metrics.NDCG([3])(ranked, {"u": gold})["NDCG@3"]
    elif module.startswith("cornac"):
        arrays = {"gt_pos": np.array(gold), "pd_rank": np.array(found)}
        value = metrics.NDCG(k=3).compute(**arrays)
    else:
        lists = pytest.importorskip("lenskit.data")
        found = lists.ItemList(found, ordered=True)
        value = metrics.NDCG(3).measure_list(found, lists.ItemList(gold))
    assert value > 1.5
