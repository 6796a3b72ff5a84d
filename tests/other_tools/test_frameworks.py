"""Calls of the page "Coming from a framework" return the numbers of the framework."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_irmetrics import score_run

RNG = np.random.default_rng(0)
DOCS = [f"d{i}" for i in range(12)]


def draw(n):
    return RNG.choice(DOCS, n, replace=False).tolist()


GOLD = {f"q{i:02}": draw(1 + i % 4) for i in range(30)}
LISTS = {query: draw(8) for query in GOLD}

ZERO = {"replace_undefined_by": 0.0, "unmatched": "ignore"}


def values(metric, gold=GOLD, lists=LISTS):
    result = score_run(gold, lists, [metric], **ZERO)
    return result.scores[metric]


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
    assert_allclose(values(metric), expected)


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
    assert_allclose(values(metric), found["individual_scores"])


@pytest.mark.filterwarnings("ignore:.*deprecated since 3.4:FutureWarning")
@pytest.mark.parametrize(
    ("theirs", "metric"),
    [
        ("precision_at_k", "p(adaptive=True)@5"),
        ("recall_at_k", "recall@5"),
        ("ndcg_at_k", "ndcg@5"),  # in float32
    ],
)
def test_mlflow(theirs, metric):
    pandas = pytest.importorskip("pandas")
    metrics = pytest.importorskip("mlflow.metrics")
    predictions = pandas.Series(list(LISTS.values()))
    targets = pandas.Series(list(GOLD.values()))
    expected = getattr(metrics, theirs)(5).eval_fn(predictions, targets).scores
    assert_allclose(values(metric), expected, rtol=1e-6)


def test_average_precision_of_kaggle():
    """The definition of `ml_metrics.apk`, which no longer installs."""
    k, expected = 3, []
    for query in GOLD:
        hits = np.isin(LISTS[query][:k], GOLD[query])
        precisions = np.cumsum(hits) / np.arange(1, k + 1)
        expected.append(precisions[hits].sum() / min(len(GOLD[query]), k))
    assert_allclose(values("ap(denominator='attainable')@3"), expected)
    divided_by_k = np.multiply(expected, [min(len(g), k) for g in GOLD.values()]) / k
    assert_allclose(values("ap(denominator='k')@3"), divided_by_k)  # RePlay


@pytest.mark.parametrize("n_hits", [4, 10])
def test_elasticsearch(n_hits):
    """Formulas of its module rank-eval, for ratings of 0 to 3 and missing ones."""
    k, rng = 10, np.random.default_rng(1)
    ratings = {"q": {doc: int(rng.integers(4)) for doc in DOCS[:9]}}
    hits = rng.permutation(DOCS)[:n_hits].tolist()
    rated = np.array([ratings["q"].get(doc, 0) for doc in hits])
    ranks = np.arange(1, n_hits + 1)
    dcg = ((2.0**rated - 1) / np.log2(ranks + 1)).sum()
    stops = (2.0**rated - 1) / 2**3
    reaches = np.cumprod([1, *(1 - stops[:-1])])
    expected = {
        f"p(adaptive=True, relevance_threshold=1)@{k}": (rated >= 1).mean(),
        f"mrr(relevance_threshold=1)@{k}": 1 / (1 + np.argmax(rated >= 1)),
        f"dcg(gain='exponential')@{k}": dcg,
        f"err(max_grade=3)@{k}": (reaches * stops / ranks).sum(),
    }
    if n_hits == k:
        ideal = np.sort(list(ratings["q"].values()))[::-1][:k]
        ideal = ((2.0**ideal - 1) / np.log2(np.arange(2, len(ideal) + 2))).sum()
        expected[f"ndcg(gain='exponential')@{k}"] = dcg / ideal
    for metric, value in expected.items():
        assert_allclose(values(metric, ratings, {"q": hits}), [value])


def test_cumulated_reciprocal_ranks_of_cornac():
    expected = []
    for query in GOLD:
        ranks = 1 + np.flatnonzero(np.isin(LISTS[query][:5], GOLD[query]))
        ideal = np.arange(1, min(len(GOLD[query]), 5) + 1)
        expected.append((1 / ranks).sum() / (1 / ideal).sum())
    assert_allclose(values("ndcg(discount='reciprocal')@5"), expected)
