"""Calls of the page "Coming from a framework" return the numbers of the framework.

A framework that is not installed is skipped; those that do not install beside this
package are computed by the formulas of their source.
"""

import asyncio
import re

import numpy as np
import pytest
import sklearn.metrics
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix

from sklearn_irmetrics import Measure, roc_auc_score, score_queries, score_run
from sklearn_irmetrics.metrics.presets import preset

RNG = np.random.default_rng(0)
DOCS = [f"d{i}" for i in range(12)]
SINGLE_PRECISION = 1e-6


def draw(n):
    return RNG.choice(DOCS, n, replace=False).tolist()


GOLD = {f"q{i:02}": draw(1 + i % 4) for i in range(30)}
LISTS = {query: draw(8) for query in GOLD}

ZERO = {"replace_undefined_by": 0.0, "unmatched": "ignore"}


def values(metric, gold=GOLD, lists=LISTS, **arguments):
    result = score_run(gold, lists, [metric], **ZERO | arguments)
    return result.scores[metric]


def assert_same(actual, expected, tolerance=1e-12):
    assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


# Retrieval for language models --------------------------------------------------------


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


# Recommenders -------------------------------------------------------------------------


def test_average_precision_of_kaggle():
    k, expected = 3, []
    for query in GOLD:
        hits = np.isin(LISTS[query][:k], GOLD[query])
        precisions = np.cumsum(hits) / np.arange(1, k + 1)
        expected.append(precisions[hits].sum() / min(len(GOLD[query]), k))
    assert_same(values("ap(denominator='attainable')@3"), expected)
    divided_by_k = np.multiply(expected, [min(len(g), k) for g in GOLD.values()]) / k
    assert_same(values("ap(denominator='k')@3"), divided_by_k)


@pytest.mark.parametrize("k", [1, 3, 10])
def test_ml_metrics(k):
    theirs = pytest.importorskip("ml_metrics")
    expected = [theirs.apk(GOLD[query], LISTS[query], k) for query in GOLD]
    assert_same(values(f"ap(denominator='attainable')@{k}"), expected)


def test_what_ml_metrics_counts_twice():
    theirs = pytest.importorskip("ml_metrics")
    assert theirs.apk([], ["a"], 3) == 1.0  # 0 in the repository since 2015
    assert theirs.apk(["a", "b"], ["a", "a", "b"], 3) == (1 + 2 / 3) / 2
    assert theirs.apk(["a", "a"], ["a"], 3) == 0.5
    with pytest.raises(ValueError, match="each document once"):
        values("map@3", {"q": ["a", "b"]}, {"q": ["a", "a", "b"]})
    with pytest.raises(ValueError, match="each document once"):
        values("map@3", {"q": ["a", "a"]}, {"q": ["a"]})


@pytest.mark.parametrize("k", [1, 3, 10])
@pytest.mark.parametrize(
    ("theirs", "metric"),
    [
        ("Precision", "p@{}"),
        ("Recall", "recall@{}"),
        ("HitRate", "hit_rate@{}"),
        ("MRR", "mrr@{}"),
        ("NDCG", "ndcg@{}"),
        ("MAP", "ap(denominator='attainable')@{}"),
    ],
)
def test_replay(theirs, metric, k):
    metrics = pytest.importorskip("replay.metrics")
    ranked = {
        query: [(doc, 8.0 - rank) for rank, doc in enumerate(found)]
        for query, found in LISTS.items()
    }
    measure = getattr(metrics, theirs)([k], mode=metrics.PerUser())
    (found,) = measure(ranked, GOLD).values()
    assert_same(values(metric.format(k)), [found[query] for query in GOLD])


@pytest.mark.parametrize("k", [1, 3, 8])
@pytest.mark.parametrize(
    ("theirs", "metric"),
    [
        ("Precision", "p@{}"),
        ("Recall", "recall@{}"),
        ("FMeasure", "f1@{}"),
        ("HitRatio", "hit_rate@{}"),
        ("NDCG", "ndcg@{}"),
        ("NCRR", "ndcg(discount='reciprocal')@{}"),
    ],
)
def test_cornac_at_k(theirs, metric, k):
    metrics = pytest.importorskip("cornac.metrics")
    measure = getattr(metrics, theirs)(k=k)
    expected = [
        measure.compute(gt_pos=np.array(GOLD[query]), pd_rank=np.array(LISTS[query]))
        for query in GOLD
    ]
    assert_same(values(metric.format(k)), expected)


def test_cumulated_reciprocal_ranks_of_cornac():
    expected = []
    for query in GOLD:
        ranks = 1 + np.flatnonzero(np.isin(LISTS[query][:5], GOLD[query]))
        ideal = np.arange(1, min(len(GOLD[query]), 5) + 1)
        expected.append((1 / ranks).sum() / (1 / ideal).sum())
    assert_same(values("ndcg(discount='reciprocal')@5"), expected)


@pytest.mark.parametrize(
    ("theirs", "metric"), [("MAP", "map"), ("MRR", "mrr"), ("AUC", "auc")]
)
def test_cornac_of_all_items(theirs, metric):
    metrics = pytest.importorskip("cornac.metrics")
    rng = np.random.default_rng(1)
    y_true = rng.random((30, 12)) < 0.3
    y_true[:, 0] = ~y_true.any(axis=1)
    y_score = rng.standard_normal(y_true.shape)
    items = np.arange(12)
    expected = [
        getattr(metrics, theirs)().compute(
            item_indices=items,
            pd_scores=scores,
            gt_pos=items[relevant],
            pd_rank=np.argsort(-scores),
        )
        for relevant, scores in zip(y_true, y_score, strict=True)
    ]
    assert_same(score_queries(y_true, y_score, metric).scores[metric], expected)


def test_ties_of_cornac():
    metrics = pytest.importorskip("cornac.metrics")
    y_true, y_score = np.array([1, 0, 0, 1, 0]), np.array([2, 2, 1, 1, 0])
    everything = {
        "item_indices": np.arange(5),
        "pd_scores": y_score,
        "gt_pos": np.array([0, 3]),
    }
    auc = metrics.AUC().compute(**everything)
    assert_same(roc_auc_score(y_true, y_score, ties="pessimistic"), auc)
    map_ = metrics.MAP().compute(**everything)
    assert_same(sklearn.metrics.average_precision_score(y_true, y_score), map_)


@pytest.mark.filterwarnings("ignore:invalid value encountered in divide")
@pytest.mark.parametrize(
    ("theirs", "arguments", "metric"),
    [
        ("precision_at_k", {"k": 5}, "p@5"),
        ("recall_at_k", {"k": 5}, "recall@5"),
        ("reciprocal_rank", {}, "mrr"),
        ("auc_score", {}, "auc"),
    ],
)
def test_lightfm(theirs, arguments, metric):
    """It computes in single precision."""
    lightfm = pytest.importorskip("lightfm")
    evaluation = pytest.importorskip("lightfm.evaluation")
    rng = np.random.default_rng(2)
    train = rng.random((30, 20)) < 0.2
    test = (rng.random(train.shape) < 0.2) & ~train
    test[::7] = False  # users whom LightFM leaves out
    matrices = [csr_matrix(one, dtype=np.float32) for one in (test, train)]
    model = lightfm.LightFM(no_components=4, random_state=0).fit(matrices[1])
    users, items = np.indices(train.shape)
    y_score = model.predict(users.ravel(), items.ravel()).reshape(train.shape)
    expected = getattr(evaluation, theirs)(model, *matrices, **arguments)
    kept = test.any(axis=1)
    found = score_queries(test[kept], y_score[kept], metric, candidates=~train[kept])
    assert_same(found.scores[metric], expected, SINGLE_PRECISION)


@pytest.mark.parametrize(
    ("theirs", "arguments", "metric"),
    [
        ("Precision", {"k": 5}, "p@5"),
        ("Precision", {"k": 3, "r_precision": True}, "recall(capped=True)@3"),
        ("Recall", {"k": 5}, "recall@5"),
        ("F1Beta", {"k": 5, "beta": 2.0}, "f(beta=2)@5"),
        ("HitRate", {"k": 5}, "hit_rate@5"),
        ("MRR", {"k": 5}, "mrr@5"),
        ("MAP", {"k": 5}, "map@5"),
        ("MAP", {"k": 5, "divide_by_k": True}, "map(denominator='k')@5"),
        ("NDCG", {"k": 5, "divide_by_achievable": True}, "ndcg@5"),
    ],
)
def test_rectools(theirs, arguments, metric):
    pandas = pytest.importorskip("pandas")
    metrics = pytest.importorskip("rectools.metrics")
    pairs = [(query, doc) for query, found in GOLD.items() for doc in found]
    interactions = pandas.DataFrame(pairs, columns=["user_id", "item_id"])
    pairs = [
        (query, doc, rank)
        for query, found in LISTS.items()
        for rank, doc in enumerate(found, start=1)
    ]
    reco = pandas.DataFrame(pairs, columns=["user_id", "item_id", "rank"])
    measure = getattr(metrics, theirs)(**arguments)
    expected = measure.calc_per_user(reco, interactions)
    assert_same(values(metric), expected.loc[list(GOLD)])


def test_ndcg_of_rectools_divides_by_the_dcg_of_k_items():
    pandas = pytest.importorskip("pandas")
    metrics = pytest.importorskip("rectools.metrics")
    reco = {"user_id": [1, 1, 2], "item_id": [7, 8, 8], "rank": [1, 2, 1]}
    interactions = pandas.DataFrame({"user_id": [1, 2], "item_id": [8, 7]})
    measure = metrics.NDCG(k=3)
    expected = measure.calc_per_user(pandas.DataFrame(reco), interactions)
    dcg = values("dcg@3", {1: ["8"], 2: ["7"]}, {1: ["7", "8"], 2: ["8"]})
    assert_same(dcg / (1 + 1 / np.log2(3) + 1 / 2), expected)


@pytest.mark.parametrize("k", [3, 8])
@pytest.mark.parametrize(
    ("theirs", "metric"),
    [
        ("Precision", "p(adaptive=True)@{}"),
        ("Recall", "recall(capped=True)@{}"),
        ("Hit", "hit_rate@{}"),
        ("RecipRank", "mrr@{}"),
        ("AveragePrecision", "ap(denominator='attainable')@{}"),
        ("DCG", "dcg(discount='jarvelin_kekalainen')@{}"),
        ("NDCG", "ndcg(discount='jarvelin_kekalainen')@{}"),
    ],
)
def test_lenskit(theirs, metric, k):
    data = pytest.importorskip("lenskit.data")
    ranking = pytest.importorskip("lenskit.metrics.ranking")
    measure = getattr(ranking, theirs)(k)
    expected = [
        measure.measure_list(
            data.ItemList(LISTS[query], ordered=True), data.ItemList(GOLD[query])
        )
        for query in GOLD
    ]
    assert_same(values(metric.format(k)), expected)


@pytest.mark.parametrize("k", [1, 3, 8])
@pytest.mark.parametrize(
    ("theirs", "metric"),
    [
        ("Precision", "p@{}"),
        ("Recall", "recall@{}"),
        ("Hit", "hit_rate@{}"),
        ("MRR", "mrr@{}"),
        ("NDCG", "ndcg@{}"),
        ("MAP", "ap(denominator='attainable')@{}"),
    ],
)
def test_recbole(theirs, metric, k, monkeypatch):
    # RecBole 1.2 uses names that NumPy 2 removed.
    for name, type_ in {"float": float, "float_": float, "bool": bool}.items():
        monkeypatch.setattr(np, name, type_, raising=False)
    metrics = pytest.importorskip("recbole.evaluator.metrics")
    measure = getattr(metrics, theirs)({"topk": [8], "metric_decimal_place": 4})
    found = [np.isin(LISTS[query], GOLD[query]) for query in GOLD]
    lengths = np.array([len(relevant) for relevant in GOLD.values()])
    counts = (lengths,) if theirs in ("Recall", "NDCG", "MAP") else ()
    expected = measure.metric_info(np.array(found), *counts)[:, k - 1]
    assert_same(values(metric.format(k)), expected)


def evidently(theirs, k, lists=LISTS, gold=GOLD, **arguments):
    """Return the mean at k that Evidently reports for these lists."""
    evidently = pytest.importorskip("evidently")
    metrics = pytest.importorskip("evidently.metrics")
    pandas = pytest.importorskip("pandas")
    rows = [
        {"user": user, "item": item, "rank": rank, "hit": int(item in gold[user])}
        for user, items in lists.items()
        for rank, item in enumerate(items, start=1)
    ]
    columns = evidently.Recsys(
        user_id="user",
        item_id="item",
        prediction="rank",
        target="hit",
        recommendations_type="rank",
    )
    data = evidently.Dataset.from_pandas(
        pandas.DataFrame(rows),
        data_definition=evidently.DataDefinition(ranking=[columns]),
    )
    measure = getattr(metrics, theirs)(k=k, **arguments)
    (found,) = evidently.Report([measure]).run(data, None).dict()["metrics"]
    return found["value"]["value"][k - 1]


# A user's feedback on items that the list lacks is unknown to it.
FEEDBACK = {user: [doc for doc in GOLD[user] if doc in LISTS[user]] for user in GOLD}


@pytest.mark.parametrize("k", [1, 3, 8])
@pytest.mark.parametrize(
    ("theirs", "metric"),
    [
        ("PrecisionTopK", "p(adaptive=True)@{}"),
        ("RecallTopK", "recall@{}"),
        ("NDCG", "ndcg@{}"),
        ("MRR", "mrr@{}"),
        ("HitRate", "hit_rate@{}"),
        ("MAP", "map@{}"),
    ],
)
def test_evidently(theirs, metric, k):
    found = {user: docs for user, docs in FEEDBACK.items() if docs}
    lists = {user: LISTS[user] for user in found}
    expected = evidently(theirs, k, gold=FEEDBACK)
    assert_same(values(metric.format(k), found, lists).mean(), expected)
    everyone = evidently(theirs, k, gold=FEEDBACK, no_feedback_users=True)
    with_zeros = values(metric.format(k), found, lists).sum() / len(LISTS)
    assert_same(with_zeros, everyone)


def test_average_precision_of_evidently_counts_the_last_item_again():
    """In a list of fewer than k items, at each rank that it does not have."""
    lists, gold = {"q": ["a", "b"], "other": list("abcd")}, {"q": ["b"], "other": ["a"]}
    assert evidently("MAP", 4, lists, gold) == (1 / 2 + 1 / 2 + 1 / 2 + 1) / 2
    assert values("map@4", gold, lists).mean() == (1 / 2 + 1) / 2


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


# Learning to rank ---------------------------------------------------------------------


def allrank(theirs, y_true, y_score, **arguments):
    """Return the value of each row; allRank computes in single precision."""
    metrics = pytest.importorskip("allrank.models.metrics")
    torch = pytest.importorskip("torch")
    grades, scores = (torch.tensor(x, dtype=torch.float32) for x in (y_true, y_score))
    return getattr(metrics, theirs)(scores, grades, **arguments)[:, 0].numpy()


def draw_grades():
    """Draw grades and scores without ties; some rows have nothing to find."""
    rng = np.random.default_rng(3)
    y_true = rng.integers(0, 5, (40, 12)) * (rng.random((40, 12)) < 0.4)
    y_true[::7] = 0
    return y_true.astype(float), rng.permuted(np.tile(np.arange(12.0), (40, 1)), axis=1)


@pytest.mark.parametrize("k", [1, 5, 12])
@pytest.mark.parametrize("name", ["ndcg", "dcg"])
def test_allrank(name, k):
    y_true, y_score = draw_grades()
    expected = allrank(name, y_true, y_score, ats=[k])
    function = Measure(name).metric.function
    arguments = preset("allrank", f"{name}@{k}") | {"average": None}
    assert_same(function(y_true, y_score, **arguments), expected, SINGLE_PRECISION)


@pytest.mark.parametrize("k", [1, 5, 12])
def test_reciprocal_rank_of_allrank(k):
    y_true, y_score = draw_grades()
    expected = allrank("mrr", y_true, y_score, ats=[k])
    largest = y_true == y_true.max(axis=1, keepdims=True)
    found = score_queries(largest, y_score, f"mrr@{k}").scores[f"mrr@{k}"]
    assert_same(found, expected, SINGLE_PRECISION)


def test_reciprocal_rank_of_allrank_depends_on_the_batch():
    nothing, something, y_score = [0.0, 0.0], [1.0, 0.0], [2.0, 1.0]
    alone = allrank("mrr", [nothing], [y_score])
    beside = allrank("mrr", [nothing, something], [y_score, y_score])
    assert (alone[0], beside[0]) == (0, 1)


@pytest.mark.parametrize("name", ["ndcg@5", "dcg@5"])
def test_padding_of_allrank(name):
    y_true, y_score = draw_grades()
    padded = np.arange(12) > np.arange(40)[:, np.newaxis] % 12
    labels = np.where(padded, -1, y_true)
    expected = allrank(name[:-2], labels, y_score, ats=[5])
    function = Measure(name).metric.function
    arguments = preset("allrank", name) | {"average": None, "judged_only": True}
    grades = np.where(padded, np.nan, y_true)
    assert_same(function(grades, y_score, **arguments), expected, SINGLE_PRECISION)


# Search engines -----------------------------------------------------------------------


def gains_over_discounts(grades):
    ranks = np.arange(1, len(grades) + 1)
    return ((2.0 ** np.array(grades) - 1) / np.log2(ranks + 1)).sum()


def draw_hits(n_hits, n_rated):
    """Draw ratings of 0 to 3, hits, and the rating of each hit; 0 for unrated ones."""
    rng = np.random.default_rng(4)
    documents = [f"d{i:02}" for i in range(20)]
    ratings = {
        doc: int(rng.integers(4))
        for doc in rng.choice(documents, n_rated, replace=False)
    }
    hits = rng.permutation(documents)[:n_hits].tolist()
    return ratings, hits, np.array([ratings.get(doc, 0) for doc in hits])


def formulas_of_elasticsearch(ratings, rated):
    """Its module rank-eval for k = 10 hits at most: metric and value."""
    ranks = np.arange(1, len(rated) + 1)
    stops = (2.0**rated - 1) / 2**3
    reaches = np.cumprod([1, *(1 - stops[:-1])])
    relevant = sum(rating >= 1 for rating in ratings.values())
    ideal = np.sort(list(ratings.values()))[::-1][: len(rated)]
    dcg = gains_over_discounts(rated)
    return {
        "p@10": (rated >= 1).mean(),
        "recall@10": (rated >= 1).sum() / relevant,
        "rr@10": 1 / (1 + np.argmax(rated >= 1)),
        "dcg@10": dcg,
        "ndcg@10": dcg / gains_over_discounts(ideal),
        "err(max_grade=3)@10": (reaches * stops / ranks).sum(),
    }


@pytest.mark.parametrize("n_hits", [4, 10])
def test_elasticsearch(n_hits):
    ratings, hits, rated = draw_hits(n_hits, n_rated=12)
    formulas = formulas_of_elasticsearch(ratings, rated)
    listed = dict.fromkeys(hits, 0) | ratings
    y_true = [ratings.get(doc, np.nan) for doc in listed]
    y_score = [-float(hits.index(doc)) if doc in hits else -np.inf for doc in listed]
    for name, expected in formulas.items():
        found = Measure(name).metric.function(
            y_true, y_score, **preset("elasticsearch", name)
        )
        if (name, n_hits) == ("ndcg@10", 4):  # its ideal ranking has four hits, too
            assert found < expected
        else:
            assert_same(found, expected)


def formulas_of_quepid(ratings, rated):
    """Its scorers in JavaScript: metric and value."""
    first_ten = rated[:10]
    ranks = np.arange(1, len(first_ten) + 1)
    hits = first_ten > 0
    stops = (2.0**first_ten - 1) / 2**3
    ideal = np.sort(list(ratings.values()))[::-1]
    dcg = gains_over_discounts(first_ten)
    found = (np.cumsum(hits) / ranks)[hits].sum()
    reaches = np.cumprod([1, *(1 - stops[:-1])])
    return {
        "p(adaptive=True)@10": hits.mean(),
        "map@10": found / (ideal > 0).sum(),
        "mrr@10": 1 / (1 + np.argmax(hits)),
        "err(max_grade=3)@10": (reaches * stops / ranks).sum(),
        "ndcg(gain='exponential')@10": dcg / gains_over_discounts(ideal[:10]),
    }


@pytest.mark.parametrize("n_hits", [4, 15])
def test_quepid(n_hits):
    ratings, hits, rated = draw_hits(n_hits, n_rated=18)
    for metric, expected in formulas_of_quepid(ratings, rated).items():
        assert_same(values(metric, {"q": ratings}, {"q": hits}), expected)
    ideal = np.sort(list(ratings.values()))[::-1]
    ndcg_of_all_rated = gains_over_discounts(rated[:10]) / gains_over_discounts(ideal)
    metric = "ndcg(gain='exponential')@10"
    assert values(metric, {"q": ratings}, {"q": hits}) > ndcg_of_all_rated
