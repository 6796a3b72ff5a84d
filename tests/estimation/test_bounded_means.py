"""Intervals that hold where the data are silent: betting and Dirichlet limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.linear_model import LogisticRegression, Ridge

from oracles.intervals import naive_betting_limit
from oracles.queries import FirstColumn
from sklearn_irmetrics import QueryScores, ranking_report, score_queries
from sklearn_irmetrics._statistics.bounded import (
    betting_limit,
    dirichlet_limit,
    two_sided,
)
from sklearn_irmetrics._statistics.intervals import interval_of_mean
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import evaluate

UNIT = (0.0, 1.0)
LIMITS = {"betting": betting_limit, "dirichlet": dirichlet_limit}


def ends(values, method="auto", bounds=UNIT, **options):
    options = {"confidence_level": 0.95, "rng": 0, "method": method, **options}
    return interval_of_mean(np.asarray(values), bounds=bounds, **options)[1]


@pytest.mark.parametrize("n", [5, 40, 300, 5000])
@pytest.mark.parametrize("share", [0, 0.001, 0.3, 1])
def test_dirichlet_limits_of_successes_are_those_of_clopper_and_pearson(n, share):
    k = int(np.ceil(share * n))
    exact = stats.binomtest(k, n).proportion_ci(method="exact")
    found = ends(np.repeat([1.0, 0.0], [k, n - k]), "dirichlet")
    assert_allclose(found, exact, atol=5e-3 * (exact.high - exact.low))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [4, 30])
def test_dirichlet_limits_against_draws(n, weighted):
    rng = np.random.default_rng(n)
    values = rng.beta(0.6, 0.9, n)
    weights = rng.integers(1, 9, n) * 1.0 if weighted else np.ones(n)
    terms = np.append(weights, weights.max()) * rng.exponential(size=(200_000, n + 1))
    means = terms[:, :n] @ values / terms.sum(axis=1)
    for alpha in (0.005, 0.025, 0.2):
        limit = dirichlet_limit(values, weights, alpha)
        assert (means <= limit).mean() == pytest.approx(alpha, abs=0.0015)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [3, 20, 400])
def test_betting_limits_against_a_naive_reference(n, weighted):
    rng = np.random.default_rng(n)
    values = rng.beta(0.6, 0.9, n)
    weights = rng.integers(1, 9, n) * 1.0 if weighted else np.ones(n)
    for alpha in (0.005, 0.025, 0.2):
        expected = naive_betting_limit(values, weights, alpha)
        found = betting_limit(values, weights, alpha)
        assert found == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("alpha", [0.025, 0.2])
@pytest.mark.parametrize("method", LIMITS)
def test_errors_on_three_values_are_at_most_the_level_exactly(method, alpha):
    rng = np.random.default_rng(0)
    n = 5
    counts = [(a, b, n - a - b) for a in range(n + 1) for b in range(n + 1 - a)]
    for _ in range(40):
        shape = np.array([0.0, rng.random(), 1.0]), rng.dirichlet([0.5] * 3)
        mean = shape[0] @ shape[1]
        chances = stats.multinomial.pmf(counts, n, shape[1])
        limits = [
            LIMITS[method](np.repeat(shape[0], times), np.ones(n), alpha)
            for times in counts
        ]
        missed = np.array(limits) > mean + 1e-9
        assert chances[missed].sum() <= alpha + 1e-9


@pytest.mark.parametrize("method", ["auto", *LIMITS])
def test_a_value_that_moves_a_little_moves_the_ends_a_little(method):
    values = np.full(20, 0.9)
    moved = np.append(values[1:], 0.9 + 1e-12)
    assert_allclose(ends(values, method), ends(moved, method), atol=1e-8)
    low, high = ends(values, method)
    assert low < 0.85
    assert high > 0.91


@pytest.mark.parametrize("method", LIMITS)
def test_limits_do_not_depend_on_the_order_or_the_scale(method):
    rng = np.random.default_rng(0)
    values, weights = rng.random(30), rng.integers(1, 9, 30) * 1.0
    found = ends(values, method, weights=weights)
    order = rng.permutation(30)
    assert ends(values[order], method, weights=weights[order]) == found
    low, high = ends(20 * values - 5, method, (-5.0, 15.0), weights=weights)
    assert_allclose([low, high], 20 * np.array(found) - 5, atol=1e-6)


@pytest.mark.parametrize("method", LIMITS)
def test_values_all_at_one_end(method):
    for n in (3, 50, 300):
        assert ends(np.zeros(n), method).low == 0.0
        assert ends(np.ones(n), method).high == 1.0
        assert 0.0 < ends(np.zeros(n), method).high < 6 / n
    found = interval_of_mean(
        np.ones(9), method=method, bounds=None, confidence_level=0.9, rng=0
    )
    assert found[2] == "none: the range of the values is unknown"
    assert two_sided(LIMITS[method], np.full(9, 1.0), None, UNIT, 0.95)[1] == 1.0


def scored(n=40):
    rng = np.random.default_rng(1)
    qid = np.repeat(np.arange(n), 8)
    grades = rng.integers(0, 3, len(qid))
    grades[::8] = 1
    return grades, grades + rng.normal(size=len(qid)), qid


@pytest.mark.parametrize("method", ["t", "bca", *LIMITS])
def test_every_door_takes_the_method_and_the_range(method):
    grades, scores, qid = scored()
    found = score_queries(grades, scores, ["ndcg@5", "map"], qid=qid)
    values = found.scores["ndcg@5"]
    for bounds in (None, (0.05, 1.0)):
        expected = ends(values, method, bounds or UNIT)
        assert found.interval(method=method, bounds=bounds) == expected
        for stated in (bounds, bounds and {"ndcg@5": bounds, "map": (0.0, 1.0)}):
            row = ranking_report(
                grades,
                scores,
                qid=qid,
                metrics=["ndcg@5", "map"],
                interval=method,
                bounds=stated,
                output="dict",
                random_state=0,
            )["measures"]["ndcg@5"]
            assert (row["low"], row["high"]) == expected


@pytest.mark.parametrize("method", ["auto", *LIMITS])
def test_a_stated_range_ends_with_that_of_the_measure(method):
    grades, scores, qid = scored(12)
    found = score_queries(grades, scores, "ndcg@5", qid=qid)
    wide = found.interval(method=method, bounds=(-1.0, 2.0))
    assert wide == found.interval(method=method, bounds=(0.0, 1.0))
    X, y, qid = make_ranking(12, (9, 15), random_state=0)
    options = {"qid": qid, "scoring": "mrr", "random_state": 0, "interval": method}
    wide, own = (
        evaluate(FirstColumn(), X, y, bounds=bounds, **options)
        for bounds in ((-10.0, 10.0), (0.0, 1.0))
    )
    assert wide.confidence_interval == own.confidence_interval


def test_a_range_of_no_measure_is_refused():
    grades, scores, qid = scored()
    wrong = {"ndcg@10": (0.0, 1.0)}
    message = r"bounds must name measures of the result, 'ndcg@5'; got 'ndcg@10'"
    with pytest.raises(ValueError, match=message):
        score_queries(grades, scores, "ndcg@5", qid=qid).interval(bounds=wrong)
    with pytest.raises(ValueError, match=message):
        ranking_report(grades, scores, qid=qid, metrics="ndcg@5", bounds=wrong)
    X, y, qid = make_ranking(12, (9, 15), random_state=0)
    with pytest.raises(ValueError, match=message):
        evaluate(FirstColumn(), X, y, qid=qid, scoring="ndcg@5", bounds=wrong)


def test_evaluate_takes_the_method_and_the_range():
    X, y, qid = make_ranking(30, (9, 15), random_state=0)
    model = FirstColumn()
    options = {"qid": qid, "scoring": "mrr", "random_state": 0}
    values = evaluate(model, X, y, **options).query_scores.mean_of_splits("mrr")[1]
    for method in ("auto", "t", "bca", *LIMITS):
        found = evaluate(
            model, X, y, interval=method, bounds={"mrr": (1e-3, 1.0)}, **options
        )
        expected = ends(values, method, (1e-3, 1.0))
        assert_allclose(found.confidence_interval["mrr"], expected)
    with pytest.raises(ValueError, match="interval='betting' needs measures that are"):
        evaluate(model, X, y, interval="betting", method="bootstrap", **options)


def test_groups_of_scores_and_weighted_means():
    grades, scores, qid = scored()
    found = score_queries(grades, scores, ["ndcg@5", "map"], qid=qid)
    topics = np.arange(40) // 4
    expected = ends(found.scores["map"], groups=topics)
    assert found.interval("map", groups=topics.astype(str)) == expected
    weighted = score_queries(
        grades, scores, "map", qid=qid, sample_weight=1.0 + qid % 3
    )
    weights = 1.0 + weighted.query_ids % 3
    assert weighted.interval() == ends(weighted.scores["map"], weights=weights)
    mine = QueryScores(np.arange(3), {"mrr": np.array([1.0, 0.5, np.nan])}, {})
    assert np.isnan(mine.interval()).all()


def test_blocks_of_many_rows_weigh_as_their_rows_do():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 4000)
    X = (y + rng.normal(size=4000))[:, np.newaxis]
    options = {"scoring": "roc_auc", "method": "holdout", "random_state": 0}
    found = evaluate(LogisticRegression(), X, y, **options)
    low, high = found.confidence_interval["roc_auc"]
    width = 4 * found.standard_error["roc_auc"]
    assert high - low == pytest.approx(width, rel=0.1)


@pytest.mark.parametrize("interval", ["auto", "corrected_t"])
@pytest.mark.parametrize("scoring", ["neg_mean_squared_error", "r2"])
def test_no_score_lies_outside_of_stated_bounds(scoring, interval):
    X, y, _ = make_ranking(n_queries=20, n_docs=10, random_state=0)
    options = {"scoring": scoring, "interval": interval, "random_state": 0}
    assert evaluate(Ridge(), X, y, bounds=(-99, 1), **options).estimate
    with pytest.raises(ValueError, match=r"bounds must hold .* \(5.0, 9.0\)"):
        evaluate(Ridge(), X, y, bounds=(5, 9), **options)
