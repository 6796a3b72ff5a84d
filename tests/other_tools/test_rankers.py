"""Learning to rank and search engines: numbers of "Coming from a framework".

allRank is skipped if it is not installed. Elasticsearch and Quepid are computed by the
formulas of their source; `test_presets` compares TF-Ranking.
"""

import numpy as np
import pytest

from oracles.lists import SINGLE_PRECISION, assert_same, values
from sklearn_irmetrics import Measure, score_queries
from sklearn_irmetrics.metrics.presets import preset

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


def test_elasticsearch_counts_queries_with_nothing_to_find():
    for name in ("p@10", "recall@10", "rr@10", "dcg@10", "ndcg@10", "err@10"):
        found = Measure(name).metric.function(
            [[0, 0], [0, 0]], [[2, 1], [1, 2]], **preset("elasticsearch", name)
        )
        assert found == 0.0, name


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
