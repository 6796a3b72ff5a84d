"""The mean over queries as the least confident ones are left out."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import auc

import sklearn_irmetrics as irm
from oracles.cases import queries_at_once
from sklearn_irmetrics.reports import abstention_curve
from sklearn_irmetrics.runs import score_run

VALUES = [1, 0.5, 1, 0, 0.5, 1, 0, 0, 0.5, 0]
CERTAIN = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05]
TIED = [0.9, 0.9, 0.9, 0.6, 0.5, 0.4, 0.3, 0.2, 0.2, 0.2]


def naive(values, order):
    """MTEB's nAUC of values in an order of rising confidence, and the means."""

    def curve(values):
        n = len(values)
        cuts = [min(round(rate * n), n - 1) for rate in rates]
        return np.array([np.mean(values[cut:]) for cut in cuts])

    rates = np.linspace(0, 1, 11)[:-1]
    values = np.asarray(values, dtype=float)[list(order)]
    means, ideal = curve(values), curve(np.sort(values))
    flat = ideal[0] * (rates[-1] - rates[0])
    return (auc(rates, means) - flat) / (auc(rates, ideal) - flat), means, ideal


def test_normalised_area_of_the_authors():
    assert abstention_curve(VALUES, CERTAIN).nauc == pytest.approx(0.613622, abs=5e-7)
    assert abstention_curve(VALUES, TIED).nauc == pytest.approx(0.614447, abs=5e-7)


@pytest.mark.parametrize("n", [2, 3, 7, 15, 25, 100])
def test_without_ties_it_is_the_curve_of_mteb(n):
    rng = np.random.default_rng(n)
    values, certain = rng.random(n), rng.permutation(n) - 3.0
    nauc, means, ideal = naive(values, np.argsort(certain))
    curve = abstention_curve(values, certain, n_resamples=2)
    assert curve.nauc == pytest.approx(nauc, rel=1e-12)
    assert_allclose(curve.estimate, means, rtol=1e-12)
    assert_allclose(curve.ideal, ideal, rtol=1e-12)
    assert_array_equal(curve.rates, np.arange(10) / 10)
    assert curve.n_kept[0] == n and curve.n_kept[-1] == max(1, n - round(0.9 * n))


def test_equal_confidence_is_the_mean_over_all_orders():
    rng = np.random.default_rng(0)
    for n in range(2, 7):
        values, certain = rng.integers(0, 4, n) / 3, rng.integers(0, 3, n)
        values[:2] = 0, 1
        orders = [
            order
            for order in itertools.permutations(range(n))
            if (np.diff(certain[list(order)]) >= 0).all()
        ]
        found = [naive(values, order) for order in orders]
        curve = abstention_curve(values, certain, n_resamples=2)
        nauc, means, _ = (np.mean(parts, axis=0) for parts in zip(*found, strict=True))
        assert curve.nauc == pytest.approx(nauc, abs=1e-12)
        assert_allclose(curve.estimate, means, atol=1e-12)


def test_scores_of_queries_have_their_ids_range_and_direction():
    data = queries_at_once(np.random.default_rng(3), np.full(40, 8), n_levels=[5])
    scores = irm.score_queries(
        np.abs(data.y_true),
        data.y_score,
        {"ndcg@3": "ndcg@3", "first_rank": "first_rank(relevance_threshold=1)"},
        qid=data.qid,
        replace_undefined_by=9.0,
    )
    certain = np.random.default_rng(0).permutation(40)
    for metric, sign in (("ndcg@3", 1), ("first_rank", -1)):
        values = scores.scores[metric]
        curve = abstention_curve(scores, certain, metric=metric, n_resamples=9)
        signed = abstention_curve(sign * values, certain, n_resamples=2)
        assert curve.nauc == pytest.approx(signed.nauc, rel=1e-12)
        assert curve.ideal[-1] == (values.max() if sign > 0 else values.min())
        by_id = dict(zip(scores.query_ids.tolist(), certain, strict=True))
        again = abstention_curve(scores, by_id, metric=metric, n_resamples=2)
        assert again.nauc == curve.nauc and again.metric == metric
        expected = scores.interval(metric)
        assert_allclose(curve.confidence_interval[0], expected, rtol=1e-12)
        turned = abstention_curve(
            scores, certain, metric=metric, greater_is_better=sign < 0, n_resamples=2
        )
        assert turned.ideal[-1] == (values.min() if sign > 0 else values.max())
    with pytest.raises(ValueError, match="metric must be one of 'ndcg@3', 'first_rank"):
        abstention_curve(scores, certain)


def test_undefined_queries_and_those_of_weight_0_are_left_out():
    values = [0.5, np.nan, 1.0, 0.25]
    expected = abstention_curve([0.5, 1.0, 0.25], [2, 3, 1], n_resamples=2)
    found = abstention_curve(values, [2, 9, 3, 1], n_resamples=2)
    assert repr(found) == repr(expected)
    assert_array_equal(found.estimate, expected.estimate)
    y_true, y_score = [[0, 1], [1, 0], [1, 1], [0, 1]], [[2, 1]] * 4
    scores = irm.score_queries(y_true, y_score, "rr", sample_weight=[1, 0, 1, 1])
    found = abstention_curve(scores, [1, 2, 3, 4], n_resamples=2)
    assert found.n_kept[0] == 3 and found.estimate[0] == pytest.approx(2 / 3)
    scores = irm.score_queries(y_true, y_score, "rr", sample_weight=[1, 2, 1, 1])
    with pytest.raises(ValueError, match="values must be of queries with equal weight"):
        abstention_curve(scores, [1, 2, 3, 4])


def test_an_interval_that_is_wide_for_few_queries():
    rng = np.random.default_rng(0)
    widths = []
    for n in (30, 300):
        certain = rng.standard_normal(n)
        values = 1 / (1 + np.exp(-certain - rng.standard_normal(n)))
        curve = abstention_curve(values, certain, random_state=0)
        low, high = curve.nauc_interval
        assert low < curve.nauc < high
        widths.append(high - low)
        again = abstention_curve(values, certain, random_state=0)
        assert again.nauc_interval == curve.nauc_interval
        narrow = abstention_curve(values, certain, confidence_level=0.5, random_state=0)
        assert low < narrow.nauc_interval.low < narrow.nauc_interval.high < high
    assert widths[1] < widths[0] / 2


def test_an_interval_holds_the_area_of_all_queries_about_as_often_as_it_says():
    def draw(n):
        certain = rng.standard_normal(n)
        return 1 / (1 + np.exp(-certain - rng.standard_normal(n))), certain

    rng = np.random.default_rng(1)
    truth = abstention_curve(*draw(200_000), n_resamples=2).nauc
    ends = [
        abstention_curve(*draw(60), n_resamples=300, random_state=0).nauc_interval
        for _ in range(100)
    ]
    assert 86 <= sum(low <= truth <= high for low, high in ends) <= 99


def test_equal_values_have_no_area():
    curve = abstention_curve([0.1] * 7, range(7), n_resamples=20)
    assert np.isnan([curve.nauc, *curve.nauc_interval]).all()
    assert_allclose(curve.estimate, 0.1)
    only = abstention_curve([0.5], [1], n_resamples=2)
    assert np.isnan(only.nauc) and only.n_kept.tolist() == [1] * 10


def test_minus_infinity_is_least_confident():
    curve = abstention_curve([0.0, 1.0], [-np.inf, 3], n_resamples=2)
    assert curve.estimate.tolist() == [0.5] * 3 + [1.0] * 7


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"values": [[1, 0]]}, r"values must be 1-D and finite.*\(1, 2\)"),
        ({"values": [1, np.inf]}, "values must be 1-D and finite"),
        ({"values": [np.nan, np.nan]}, "defined for at least one query; got 2 queries"),
        ({"confidence": [1, np.nan]}, "confidence must be a number .* NaN for query 1"),
        (
            {"confidence": [1, 2, 3]},
            "confidence must .* one value per query .2.; got 3",
        ),
        ({"metric": "ap"}, "metric must be None unless values are QueryScores"),
        ({"n_resamples": 1}, "n_resamples must be an integer >= 2"),
        ({"greater_is_better": 1}, "greater_is_better must be True or False"),
        ({"confidence_level": 1}, "confidence_level must be strictly between 0 and 1"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        abstention_curve(**{"values": [1, 0], "confidence": [2, 1]} | arguments)


def test_scores_that_cannot_be_averaged_query_by_query():
    scores = irm.score_queries([[1, 0]] * 3, [[2, 1]] * 3, "gmap")
    with pytest.raises(ValueError, match="average='macro'; got 'gmap'.*'geometric'"):
        abstention_curve(scores, [1, 2, 3])
    scores = score_run(
        {"q2": {"d": 1}, "q10": {"d": 1}}, {"q2": {"d": 2}, "q10": {"d": 1}}, "rr"
    )
    with pytest.raises(ValueError, match="confidence must be a dict by query id"):
        abstention_curve(scores, [1, 2])


def test_the_picture_shows_ideal_chance_and_area():
    pytest.importorskip("matplotlib")
    curve = abstention_curve(VALUES, CERTAIN, random_state=0)
    display = curve.plot(name="largest score")
    assert_array_equal(display.line_.get_ydata(), curve.estimate)
    assert_array_equal(display.ideal_.get_ydata(), curve.ideal)
    assert_allclose(display.chance_level_.get_ydata(), 0.45)
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["largest score (nAUC = 0.614)", "Ideal", "Chance"]
    assert display.ax_.get_ylabel() == "Mean of the others"
    assert display.band_ is not None
    other = abstention_curve(VALUES, TIED, random_state=0).plot(
        ax=display.ax_, name="difference", band=False
    )
    assert other.band_ is None and other.chance_level_ is display.chance_level_
    with pytest.raises(TypeError, match="must be what abstention_curve returns"):
        type(display).from_result([1, 2])
