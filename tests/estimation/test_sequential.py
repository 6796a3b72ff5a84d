"""Looks at any time: against the product written out, its properties, simulations."""

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_irmetrics import score_queries
from sklearn_irmetrics._statistics.sequential import anytime_test
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import compare

RNG = np.random.default_rng(3)
STAKES = [math.cos((2 * j - 1) * math.pi / 80) for j in range(1, 41)]


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
@pytest.mark.parametrize("n", [1, 2, 3, 10, 60])
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


def test_p_and_interval_agree():
    decided = 0
    for seed in range(2000):
        rng = np.random.default_rng(seed)
        shape, n = SHAPES[seed % 5], int(rng.integers(1, 40))
        differences = sample(shape, n, rng) + rng.choice([0, 0.1, 0.3])
        differences = np.clip(differences, -1, 1).round(rng.integers(1, 5))
        alpha = rng.choice([0.2, 0.1, 0.05, 0.01])
        p_value, (low, high) = anytime_test(differences, alpha=alpha)
        rejects = p_value <= alpha
        assert rejects == (not low <= 0 <= high)
        assert -1 <= low <= differences.mean() <= high <= 1
        decided += rejects
    assert 200 < decided < 1800


def test_p_at_the_level_leaves_zero_out():
    p_value, _ = anytime_test(np.ones(7), alpha=0.5)
    for alpha in (p_value, p_value * (1 + 1e-15), p_value * (1 - 1e-15)):
        found, (low, _) = anytime_test(np.ones(7), alpha=alpha)
        assert (low > 0) == (found <= alpha)


def test_p_at_the_level_of_many():
    """An end is 0 then, but for rounding."""
    for seed in range(60):
        differences = sample(SHAPES[seed % 5], 9, np.random.default_rng(seed))
        p_value, _ = anytime_test(differences, alpha=0.5)
        if p_value < 1:
            _, (low, high) = anytime_test(differences, alpha=p_value)
            assert low <= differences.mean() <= high
            assert not low <= 0 <= high
            assert min(abs(low), abs(high)) < 1e-9
            _, (low, high) = anytime_test(differences, alpha=p_value * (1 - 1e-15))
            assert low <= 0 <= high


def test_rounding_is_not_beyond_the_bound():
    differences = np.repeat([1.0, 0.0, -1.0], [9, 4, 2])
    expected = anytime_test(differences, alpha=0.1)
    for sign in (1, -1):
        found = anytime_test(sign * differences * (1 + 4e-13), alpha=0.1)
        assert_allclose(found[0], expected[0], rtol=1e-12)
        ends = sorted(sign * end for end in expected[1])
        assert_allclose(found[1], ends, rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1e12, 1e300])
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
    differences = np.ones(100_000)
    p_value, (low, high) = anytime_test(differences, alpha=0.05)
    assert 0 < p_value < 1e-300
    assert 0.999 < low < high == 1
    differences = np.clip(RNG.normal(0.01, 0.2, 100_000), -1, 1)
    p_value, (low, high) = anytime_test(differences, alpha=0.05)
    assert 0 < p_value < 1e-20
    assert 0.005 < low < high < 0.015


def test_what_bets_lose_is_no_overflow():
    differences = np.tile([1.0, -1.0], 5_000_000)  # counted, not listed
    assert anytime_test(differences, alpha=0.05)[0] == 1


@pytest.mark.parametrize("values", [[0.5, 1.1], [-2.0], [np.nan, 0.1], [np.inf]])
def test_values_beyond_the_bound_are_refused(values):
    with pytest.raises(ValueError, match="bound must be at least the largest"):
        anytime_test(np.array(values), alpha=0.05)


@pytest.mark.parametrize("shape", SHAPES[:3])
def test_looks_after_every_value_reject_no_more_than_promised(shape):
    rng = np.random.default_rng(0)
    differences = np.stack([sample(shape, 600, rng) for _ in range(400)])
    logs = np.cumsum(np.log1p(differences[..., np.newaxis] * STAKES), axis=1)
    most = np.exp(logs).mean(axis=2).max(axis=1)
    assert (most >= 20).mean() <= 0.05 + 0.02
    # The same wealth is what the function reports at the last look.
    p_value, _ = anytime_test(differences[0], alpha=0.05)
    assert_allclose(p_value, min(1, 1 / np.exp(logs[0, -1]).mean()), rtol=1e-9)


@pytest.mark.parametrize("n", [100, 1000])
def test_width_beside_t(n):
    differences = np.clip(RNG.normal(0, 0.2, n), -1, 1)
    _, (low, high) = anytime_test(differences, alpha=0.05)
    t = 2 * 1.98 * differences.std(ddof=1) / np.sqrt(n)
    assert 1 < (high - low) / t < 1.9


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
    differences = (new - old)[~np.isnan(old)]
    p_value, ends = anytime_test(differences, alpha=0.05)
    assert_allclose(result.p_value, p_value, rtol=1e-12)
    assert_allclose(result.confidence_interval[0], ends, rtol=1e-12)
    assert "anytime-valid test" in str(result)


def test_compare_takes_a_bound_where_the_measure_has_none():
    systems = query_scores()
    for one in (systems | {}, [[0.1, 0.2, 0.4], [0.2, 0.3, 0.1]]):
        metric = "dcg" if isinstance(one, dict) else None
        with pytest.raises(ValueError, match="test='anytime' needs to know how large"):
            compare(one, test="anytime", metric=metric)
    values = RNG.uniform(0, 5, (2, 30))
    result = compare(values.tolist(), test="anytime", bound=5)
    p_value, ends = anytime_test(values[1] - values[0], bound=5, alpha=0.05)
    assert_allclose([*result.p_value, *result.confidence_interval[0]], [p_value, *ends])
    with pytest.raises(ValueError, match="bound must be at least the largest"):
        compare(values.tolist(), test="anytime", bound=0.1)


def test_a_smaller_bound_than_the_range_helps():
    systems = query_scores()
    wide, narrow = (
        compare(systems, test="anytime", metric="ndcg@10", bound=bound)
        for bound in (None, 0.8)
    )
    assert np.ptp(narrow.confidence_interval) < np.ptp(wide.confidence_interval)


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


def test_groups_of_other_sizes_and_weights_are_refused():
    from sklearn.linear_model import Ridge

    from sklearn_irmetrics.model_selection import evaluate

    X, y, qid = make_ranking(n_queries=30, n_docs=(5, 9), random_state=0)
    models = {"a": Ridge(), "b": Ridge(1e4)}
    for groups, error in ((qid // 3, None), (np.minimum(qid // 3, 8), "equal size")):
        results = {
            name: evaluate(
                model, X, y, qid=qid, groups=groups, scoring="ndcg", random_state=0
            )
            for name, model in models.items()
        }
        if error is None:
            result = compare(results, test="anytime")
            assert (result.unit, result.n_units) == ("group", 10)
        else:
            with pytest.raises(ValueError, match=error):
                compare(results, test="anytime")
