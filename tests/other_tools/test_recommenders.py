"""Frameworks for recommendation return the numbers of "Coming from a framework".

A framework that is not installed is skipped.
"""

import numpy as np
import pytest
import sklearn.metrics
from scipy.sparse import csr_matrix

from oracles.lists import GOLD, LISTS, SINGLE_PRECISION, assert_same, values
from sklearn_irmetrics import roc_auc_score, score_queries


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
