"""Compare presets with frameworks, or with the numbers in the tests of these."""

import numpy as np

from sklearn_irmetrics import Measure
from sklearn_irmetrics.metrics import preset

CUTOFFS = (1, 3, 5, 10)
LOG3 = np.log2(3)

# The tests that come with the source of TF-Ranking: measure, labels by falling score,
# value.
TF_RANKING = [
    ("p@1", [1, 0, 1], 1.0),
    ("p@2", [0, 1, 0], 1 / 2),
    ("p@6", [1, 0, 1], 2 / 3),
    ("p", [0, 0, 0], 0.0),
    ("recall@1", [0, 1, 0], 0.0),
    ("recall@2", [0, 1, 1], 1 / 2),
    ("recall@6", [0, 1, 0], 1.0),
    ("recall", [0, 0, 0], 0.0),
    ("success@1", [0, 1, 0], 0.0),
    ("success@2", [0, 1, 0], 1.0),
    ("success@6", [0, 0, 1], 1.0),
    ("success@3", [0, 0, 0], 0.0),
    ("rr@1", [0, 1, 0], 0.0),
    ("rr@2", [0, 1, 0], 1 / 2),
    ("rr@6", [0, 0, 1], 1 / 3),
    ("rr", [0, 0, 0], 0.0),
    ("ap", [2, 0, 3, 1], (1 + 2 / 3 + 3 / 4) / 3),
    ("ap@1", [1, 0, 2], 1 / 2),
    ("ap@6", [1, 0, 2], (1 + 2 / 3) / 2),
    ("ap", [0, 0, 0], 0.0),
    ("bpref", [0, 1, 0, 2], 1 / 4),
    ("bpref", [0, 1, 1], 0.0),
    ("bpref", [1, 1, 1], 1.0),
    ("bpref", [0, 0, 0], 0.0),
    ("dcg", [0, 1, 0], 1 / LOG3),
    ("dcg", [0, 3, 1, 0], 7 / LOG3 + 1 / 2),
    ("dcg", [1, 0, 3], 1 + 7 / 2),
    ("dcg", [0, 0, 0], 0.0),
    ("ndcg", [0, 1, 0], 1 / LOG3),
    ("ndcg", [0, 3, 1, 0], (7 / LOG3 + 1 / 2) / (7 + 1 / LOG3)),
    ("ndcg@1", [1, 0, 2], 1 / 3),
    ("ndcg", [0, 0, 0], 0.0),
]
THEIRS_IN_TF_RANKING = {
    "p": "PrecisionMetric",
    "recall": "RecallMetric",
    "success": "HitsMetric",
    "rr": "MRRMetric",
    "ap": "MeanAveragePrecisionMetric",
    "bpref": "BPrefMetric",
    "dcg": "DCGMetric",
    "ndcg": "NDCGMetric",
}

# The tests that come with the source of Elasticsearch: measure, ratings of the hits
# (None: unrated), ratings of other documents, value.
ELASTICSEARCH = [
    ("p@10", [1], [], 1.0),
    ("p@10", [1, 1, 1, 1, 0], [], 4 / 5),
    ("p(relevance_threshold=2)@5", [0, 1, 2, 3, 4], [], 3 / 5),
    ("p@5", [1, 1, 0], [1, 1], 2 / 3),
    ("p@10", [1, 1, None], [], 2 / 3),
    ("p@10", [None] * 5, [], 0.0),
    ("recall@10", [1], [], 1.0),
    ("recall@10", [1, 1, 1, 1, 0], [], 1.0),
    ("recall(relevance_threshold=2)@5", [0, 1, 2], [3, 4], 1 / 3),
    ("recall@5", [1, 1, 0], [1, 1], 2 / 4),
    ("recall@10", [None] * 5, [], 0.0),
    ("rr(relevance_threshold=2)@10", [0, 1, 2, 3, 4], [], 1 / 3),
    ("rr@10", [None] * 10, [], 0.0),
    ("err(max_grade=3)@3", [3, 2, 0, 1], [], 0.8984375),
    ("err(max_grade=3)@4", [3, 2, 0, 1], [], 0.90087890625),
    ("err(max_grade=3)@4", [3, None, 0, 1], [], 0.87890625),
    ("dcg@10", [3, 2, 3, 0, 1, 2], [], 13.84826362927298),
    ("dcg@10", [3, 2, 3, None, 1, None], [], 12.779642067948913),
    ("dcg@10", [3, 2, 3, None], [1], 12.392789260714371),
    ("ndcg@10", [3, 2, 3, 0, 1, 2], [], 13.84826362927298 / 14.595390756454922),
    ("ndcg@10", [3, 2, 3, None, 1, None], [], 12.779642067948913 / 13.347184833073591),
    ("ndcg@10", [3, 2, 3, None], [1], 12.392789260714371 / 13.347184833073591),
]
THEIRS_IN_ELASTICSEARCH = {
    "p": "precision",
    "recall": "recall",
    "rr": "mean_reciprocal_rank",
    "err": "expected_reciprocal_rank",
    "dcg": "dcg",
    "ndcg": "dcg, normalize",
}


def ours(tool, name, y_true, y_score, **more):
    """Return our numbers for the preset of `tool`."""
    return Measure(name).metric.function(y_true, y_score, **preset(tool, name) | more)


def compare_tf_ranking(table):
    """Compare with the values in the tests of TF-Ranking."""
    for name, labels, expected in TF_RANKING:
        found = ours("tf_ranking", name, labels, -np.arange(len(labels)))
        row = Measure(name).metric.name
        theirs = THEIRS_IN_TF_RANKING[row]
        table.add("tf_ranking", row, theirs, found, expected, {})


def compare_elasticsearch(table):
    """Compare with the values in the tests of Elasticsearch's module rank-eval."""
    for name, ratings, others, expected in ELASTICSEARCH:
        y_true = np.array([*ratings, *others], dtype=float)
        y_score = np.r_[-np.arange(len(ratings)), np.full(len(others), -np.inf)]
        found = ours("elasticsearch", name, y_true, y_score)
        measure = Measure(name)
        row, more = measure.metric.name, {}
        if row == "err":
            more = {"max_grade": measure.arguments["max_grade"]}
        theirs = THEIRS_IN_ELASTICSEARCH[row]
        table.add("elasticsearch", row, theirs, found, expected, more)


def allrank_values(theirs, y_true, y_score, k):
    """Return allRank's value of each row; it computes in single precision."""
    import torch
    from allrank.models import metrics

    grades, scores = (torch.tensor(x, dtype=torch.float32) for x in (y_true, y_score))
    return getattr(metrics, theirs)(scores, grades, ats=[k])[:, 0].numpy()


def compare_allrank(table):
    """Compare with allRank: lists of 12 documents without ties."""
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 3, (60, 12)) * (rng.random((60, 12)) < 0.5)
    y_true[::7] = 0
    y_score = rng.permuted(np.tile(np.arange(12.0), (60, 1)), axis=1)
    for row in ("dcg", "ndcg"):
        for k in (*CUTOFFS, 12):
            expected = allrank_values(row, y_true, y_score, k)
            found = ours("allrank", f"{row}@{k}", y_true, y_score, average=None)
            table.add("allrank", row, row, found, expected, {})


def compare_ml_metrics(table):
    """Compare with ml_metrics: lists of 8 documents, and users with nothing to find."""
    from ml_metrics import apk, mapk

    rng = np.random.default_rng(0)
    y_score = rng.permuted(np.tile(np.arange(12.0), (60, 1)), axis=1)
    y_score[y_score < 4] = -np.inf  # not in the list
    y_true = rng.random((60, 12)) < 0.2
    y_true[::7] = False
    actual = [np.flatnonzero(row).tolist() for row in y_true]
    predicted = np.argsort(-y_score)[:, :8].tolist()
    for k in CUTOFFS:
        expected = [apk(*lists, k) for lists in zip(actual, predicted, strict=True)]
        found = ours("ml_metrics", f"ap@{k}", y_true, y_score, average=None)
        table.add("ml_metrics", "ap", "apk", found, expected, {})
        found = ours("ml_metrics", f"ap@{k}", y_true, y_score)
        table.add("ml_metrics", "ap", "mapk", found, mapk(actual, predicted, k), {})


# Our measure, LensKit's class, and how it is made besides its length.
LENSKIT = [
    ("p", "Precision", {}),
    ("recall", "Recall", {}),
    ("success", "Hit", {}),
    ("rr", "RecipRank", {}),
    ("ap", "AveragePrecision", {}),
    ("rbp", "RBP", {}),
    ("dcg", "DCG", {"gain": "rating"}),
    ("ndcg", "NDCG", {"gain": "rating"}),
]


def lenskit_values(theirs, y_true, y_score, *, n, **arguments):
    """Return LensKit's value of each row: items rated above 0 are the test items."""
    from lenskit.data import ItemList
    from lenskit.metrics import ranking

    measure = getattr(ranking, theirs)(n, **arguments)
    values = []
    for ratings, scores in zip(y_true, y_score, strict=True):
        listed = np.argsort(-scores)[: (scores > -np.inf).sum()]
        tested = np.flatnonzero(ratings)
        test = ItemList(tested, rating=ratings[tested])
        values.append(measure.measure_list(ItemList(listed, ordered=True), test))
    return values


def compare_lenskit(table):
    """Compare with LensKit: lists of 8 items of 12."""
    rng = np.random.default_rng(0)
    y_score = rng.permuted(np.tile(np.arange(12.0), (60, 1)), axis=1)
    y_score[y_score < 4] = -np.inf  # not in the list
    place = rng.permuted(np.tile(np.arange(12), (60, 1)), axis=1)
    tested = place < rng.integers(1, 7, (60, 1))
    y_true = rng.integers(1, 6, (60, 12)) * tested * 1.0
    for row, theirs, arguments in LENSKIT:
        for k in (1, 3, 5, 8):
            expected = lenskit_values(theirs, y_true, y_score, n=k, **arguments)
            found = ours("lenskit", f"{row}@{k}", y_true, y_score, average=None)
            table.add("lenskit", row, theirs, found, expected, {})


def remaining():
    """Return rows as `conformance.remaining` does."""
    from ml_metrics import apk

    nothing, something = ([0, 0], [2.0, 1.0]), ([1, 0], [2.0, 1.0])
    beside = [list(both) for both in zip(nothing, something, strict=True)]
    one_hit, other = [3.0, 2.0], [1.0, -np.inf]
    short_list = (np.array([1.0, 1.0]), np.array([1.0, -np.inf]))
    empty_list = (np.array([1.0]), np.array([-np.inf]))
    no_test_items = (np.array([0.0]), np.array([1.0]))

    def one_row(arrays):
        return [array[np.newaxis] for array in arrays]

    return [
        (
            "allrank",
            "all",
            "has no rule for ties, whose order is up to the sort of torch: compared "
            "without ties",
            None,
            None,
        ),
        (
            "allrank",
            "mrr",
            "takes the largest grade of a query as the only relevant one, even if it "
            "is 0: no preset; score `y_true == largest` instead",
            Measure("rr").metric.function(*nothing, replace_undefined_by=0.0),
            allrank_values("mrr", *beside, k=2)[0],
        ),
        (
            "allrank",
            "mrr",
            "is 0 for every query if no query of a batch has a relevant document",
            None,
            None,
        ),
        (
            "tf_ranking",
            "all",
            "put tied documents in a random order",
            None,
            None,
        ),
        (
            "tf_ranking",
            "all",
            "count a label of −1 as padding: pass NaN and `judged_only=True`",
            None,
            None,
        ),
        (
            "elasticsearch",
            "dcg, normalize",
            "cuts the ideal ranking to the number of hits: equal where there are k "
            "hits, or as many as rated documents",
            ours("elasticsearch", "ndcg@10", one_hit, other),
            1.0,
        ),
        (
            "elasticsearch",
            "precision, ignore_unlabeled",
            "leaves out unrated hits after cutting the list: cut the list to k first, "
            "then pass `judged_only=True`",
            None,
            None,
        ),
        (
            "ml_metrics",
            "apk",
            "counts a relevant document that `actual` lists twice as two; an error in "
            "`score_run`",
            ours("ml_metrics", "ap@3", [1], [1.0]),
            apk(["a", "a"], ["a"], 3),
        ),
        (
            "ml_metrics",
            "apk, in its repository",
            "is 0 where nothing is relevant, instead of 1: `replace_undefined_by=0`",
            None,
            None,
        ),
        (
            "lenskit",
            "AveragePrecision",
            "divides by the length of a list of fewer than n items, if that is less "
            "than the number of test items: a list of one good item has 1",
            ours("lenskit", "ap@10", *short_list),
            lenskit_values("AveragePrecision", *one_row(short_list), n=10)[0],
        ),
        (
            "lenskit",
            "Precision, AveragePrecision",
            "are NaN for an empty list",
            ours("lenskit", "p@10", *empty_list),
            lenskit_values("Precision", *one_row(empty_list), n=10)[0],
        ),
        (
            "lenskit",
            "RBP",
            "is NaN for a user without test items",
            ours("lenskit", "rbp@10", *no_test_items),
            lenskit_values("RBP", *one_row(no_test_items), n=10)[0],
        ),
    ]
