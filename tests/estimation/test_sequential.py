"""Looks at any time: against the product written out, its properties, simulations."""

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge

from sklearn_irmetrics import score_queries
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import compare, evaluate

RNG = np.random.default_rng(3)
STAKES = [math.cos((2 * j - 1) * math.pi / 80) for j in range(1, 41)]


def anytime_test(differences, *, bound=1, alpha=0.05):
    """Return the p-value and the ends of a comparison with scores of 0."""
    systems = {"zero": np.zeros(len(differences)), "other": differences}
    options = {"test": "anytime", "bound": bound, "confidence_level": 1 - alpha}
    found = compare(systems, **options)
    return found.p_value[0], found.confidence_interval[0]


def wealth(differences, mean=0.0):
    """The product of all bets against a mean, one gambler after the other."""
    total = Fraction(0)
    for stake in STAKES:
        one = Fraction(1)
        for d in differences:
            room = 1 + mean if stake > 0 else 1 - mean
            one *= 1 + Fraction(stake) * (Fraction(d) - Fraction(mean)) / Fraction(room)
        total += one
    return float(total / 40)


def sample(shape, n, rng=RNG):
    return {
        "uniform": lambda: rng.uniform(-1, 1, n),
        "coarse": lambda: rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], n),
        "mostly ties": lambda: rng.choice([-1.0, 0.0, 0.0, 0.0, 1.0], n),
        "narrow": lambda: np.clip(rng.normal(0, 0.03, n), -1, 1),
        "ahead": lambda: np.clip(rng.normal(0.2, 0.2, n), -1, 1),
    }[shape]()


SHAPES = ["uniform", "coarse", "mostly ties", "narrow", "ahead"]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [2, 3, 10, 40])
def test_p_value_and_ends_against_the_product(shape, n):
    differences = sample(shape, n)
    p_value, (low, high) = anytime_test(differences, alpha=0.1)
    assert_allclose(p_value, min(1.0, 1 / wealth(differences)), rtol=1e-10)
    for end in (low, high):
        if abs(end) < 1:
            assert_allclose(wealth(differences, end), 10, rtol=1e-8)
    for inside in np.linspace(low, high, 9)[1:-1]:
        assert wealth(differences, inside) < 10
    for outside in (low - 0.01, high + 0.01):
        if abs(outside) < 1:
            assert wealth(differences, outside) > 10


@pytest.mark.parametrize("shape", SHAPES)
def test_neither_order_nor_sign_matters(shape):
    differences = sample(shape, 40)
    p_value, (low, high) = anytime_test(differences, alpha=0.05)
    again = anytime_test(RNG.permutation(differences), alpha=0.05)
    assert again == (p_value, (low, high))
    p_turned, turned = anytime_test(-differences, alpha=0.05)
    assert_allclose(p_turned, p_value, rtol=1e-12)
    assert_allclose(turned, (-high, -low), rtol=1e-12)


def test_rounding_is_not_beyond_the_bound():
    differences = np.repeat([1.0, 0.0, -1.0], [9, 4, 2])
    expected = anytime_test(differences, alpha=0.1)
    for sign in (1, -1):
        found = anytime_test(sign * differences * (1 + 4e-13), alpha=0.1)
        assert_allclose(found[0], expected[0], rtol=1e-12)
        ends = sorted(sign * end for end in expected[1])
        assert_allclose(found[1], ends, rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-140, 1e-12, 1e12, 1e140])
def test_a_bound_is_a_unit(scale):
    differences = sample("ahead", 30)
    p_value, ends = anytime_test(differences, alpha=0.05)
    p_scaled, scaled = anytime_test(differences * scale, bound=scale, alpha=0.05)
    assert_allclose(p_scaled, p_value, rtol=1e-9)
    assert_allclose(np.array(scaled) / scale, ends, rtol=1e-9)


def test_a_smaller_bound_gives_a_narrower_interval():
    differences = np.clip(RNG.normal(0, 0.03, 200), -0.1, 0.1)
    widths = [
        np.ptp(anytime_test(differences, bound=bound, alpha=0.05)[1])
        for bound in (0.1, 0.3, 1.0)
    ]
    assert widths[0] < widths[1] < widths[2]


@pytest.mark.parametrize(
    ("differences", "p", "low", "high"),
    [
        ([0.0] * 5, 1, -0.5921582604772895, 0.5921582604772895),
        ([5e-324] * 5, 1, -0.5921582604772895, 0.5921582604772895),
        ([1.0] * 100, None, None, 1.0),
        ([1 - 2.0**-53] * 100, None, None, 1.0),
        ([-1.0] * 100, None, -1.0, None),
        ([1.0, -1.0] * 50, 1, None, None),
    ],
)
def test_extreme_values(differences, p, low, high):
    differences = np.array(differences)
    p_value, ends = anytime_test(differences, alpha=0.05)
    assert -1 <= ends.low <= differences.mean() <= ends.high <= 1
    for found, expected in ((p_value, p), (ends.low, low), (ends.high, high)):
        if expected is not None:
            assert_allclose(found, expected, rtol=1e-12)


def test_a_hundred_thousand_values():
    p_value, (low, high) = anytime_test(np.ones(100_000))
    assert 0 < p_value < 1e-300
    assert 0.999 < low < high == 1
    p_value, (low, high) = anytime_test(np.clip(RNG.normal(0.01, 0.2, 100_000), -1, 1))
    assert 0 < p_value < 1e-20
    assert 0.005 < low < high < 0.015
    assert anytime_test(np.tile([1.0, -1.0], 50_000))[0] == 1


# In compare ---------------------------------------------------------------------------


def query_scores(n_queries=40):
    _, grades, qid, score = make_ranking(
        n_queries, (10, 20), return_score=True, random_state=0
    )
    noise = np.random.default_rng(0).normal(size=(2, len(score)))
    return {
        name: score_queries(grades, score + n, ["ndcg@10", "dcg"], qid=qid)
        for name, n in zip(["old", "new"], noise * [[2], [0.2]], strict=True)
    }


def test_compare_bets_on_the_range_of_the_measure():
    systems = query_scores()
    result = compare(systems, test="anytime", metric="ndcg@10")
    old, new = (systems[name].scores["ndcg@10"] for name in ("old", "new"))
    p_value, ends = anytime_test((new - old)[~np.isnan(old)])
    assert_allclose(result.p_value, p_value, rtol=1e-12)
    assert_allclose(result.confidence_interval[0], ends, rtol=1e-12)
    assert "anytime-valid test" in str(result)


def test_compare_takes_a_bound_where_the_measure_has_none():
    systems = query_scores()
    for one, metric in ((systems, "dcg"), ([[0.1, 0.2, 0.4], [0.2, 0.3, 0.1]], None)):
        with pytest.raises(ValueError, match="test='anytime' needs to know how large"):
            compare(one, test="anytime", metric=metric)
    with pytest.raises(ValueError, match="bound must be at least the largest"):
        anytime_test(np.array([0.5, 1.1]))


def test_compare_corrects_for_many_systems():
    values = RNG.uniform(0, 1, (4, 50)) + np.array([[0], [0], [0.3], [0.4]])
    systems = dict(zip("abcd", values / 2, strict=True))
    alone = compare(systems, test="anytime", bound=1, correction=None)
    holm = compare(systems, test="anytime", bound=1)
    assert holm.correction == "holm"
    assert_allclose(holm.p_value, alone.p_value)
    bonferroni = compare(systems, test="anytime", bound=1, correction="bonferroni")
    assert_allclose(bonferroni.p_adjusted, np.minimum(6 * alone.p_value, 1))
    for result, p_values in ((alone, alone.p_value), (bonferroni, None)):
        p_values = result.p_adjusted if p_values is None else p_values
        for p, ends in zip(p_values, result.confidence_interval, strict=True):
            assert (p <= 0.05) == (not ends.low <= 0 <= ends.high)


@pytest.mark.parametrize("largest", [9, 8])
def test_groups_of_other_sizes_are_refused(largest):
    X, y, qid = make_ranking(n_queries=30, n_docs=(5, 9), random_state=0)
    groups = np.minimum(qid // 3, largest)
    options = {"qid": qid, "groups": groups, "scoring": "ndcg", "random_state": 0}
    results = evaluate({"a": Ridge(), "b": Ridge(1e4)}, X, y, **options)
    if largest == 9:
        result = compare(results, test="anytime")
        assert (result.unit, result.n_units) == ("group", 10)
    else:
        with pytest.raises(ValueError, match="equal size"):
            compare(results, test="anytime")
