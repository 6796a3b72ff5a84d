"""Looks at any time, and margins: against what is written out, and simulations."""

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.linear_model import Ridge

from sklearn_irmetrics import score_queries
from sklearn_irmetrics._statistics.dirichlet import dirichlet_limits
from sklearn_irmetrics._statistics.power import fewest_for_margin
from sklearn_irmetrics.comparison import compare
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import evaluate

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


# Margins ----------------------------------------------------------------------------


TESTS = ["permutation", "ttest", "wilcoxon", "sign", "bootstrap", "tukey"]


def verdict(differences, **options):
    """Return what is said of scores that differ by so much."""
    options = {"bound": 1, "random_state": 0, **options}
    systems = {"old": np.zeros(len(differences)), "new": np.asarray(differences)}
    return compare(systems, **options)


def spread(n, mean, std):
    noise = np.random.default_rng(0).standard_normal(n)
    return mean + std * (noise - noise.mean()) / noise.std()


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(
    ("mean", "std", "expected"),
    [
        (0.0, 0.02, "equivalent"),
        (0.05, 0.02, "not worse"),
        (-0.05, 0.02, "worse"),
        (0.0, 0.3, "undecided"),
    ],
)
def test_verdicts(test, mean, std, expected):
    options = {"test": test, "margin": 0.03, "bound": 1}
    found = verdict(spread(300, mean, std), **options)
    assert found.verdict == (expected,)
    assert "differences up to 0.03 do not matter" in repr(found)
    assert expected in repr(found)
    back = {"not worse": "worse", "worse": "not worse"}.get(expected, expected)
    loss = verdict(spread(300, mean, std), greater_is_better=False, **options)
    assert loss.verdict == (back,)


@pytest.mark.parametrize("n_lost", [0, 1, 7])
def test_limits_of_queries_that_lose_all_are_those_of_clopper_and_pearson(n_lost):
    differences = np.repeat([-1.0, 0.0], [n_lost, 60 - n_lost])
    found = verdict(differences, margin=0.2)
    exact = stats.binomtest(n_lost, 60).proportion_ci(0.9, method="exact")
    assert_allclose(found.margin_interval[0].low, -exact.high, atol=1e-6)
    # The error is at most 5 % whatever share of queries loses all.
    lost = np.arange(61)
    low = [-1 + 2 * 0.5 * (1 - exact_high(k, 60)) for k in lost]
    for share in (0.02, 0.05, 0.1, 0.3):
        harmless = stats.binom.pmf(lost, 60, share)[np.array(low) > -share].sum()
        assert harmless <= 0.05


def exact_high(k, n):
    return stats.binomtest(k, n).proportion_ci(0.9, method="exact").high


@pytest.mark.parametrize("margin", [0.05, 0.02, 0.3])
@pytest.mark.parametrize("bound", [1.0, 0.5])
def test_so_many_queries_without_a_difference_decide(margin, bound):
    n = fewest_for_margin(margin, bound, 0.05)
    assert (1 - margin / bound) ** n < 0.05 <= (1 - margin / bound) ** (n - 1)
    few = verdict(np.zeros(n - 1), margin=margin, bound=bound)
    assert (few.verdict, few.n_decisive) == (("undecided",), n)
    message = f"undecided: even equal systems need {n} queries; you have {n - 1}."
    assert message in repr(few)
    enough = verdict(np.zeros(n), margin=margin, bound=bound)
    assert enough.verdict == ("equivalent",)
    assert "takes at least" not in repr(enough)


@pytest.mark.parametrize("error", [1e-4, 1e-6, 1e-9])
def test_queries_without_a_difference_decide_at_every_level(error):
    found = verdict(np.zeros(60), margin=0.4, confidence_level=1 - error)
    assert found.verdict == ("equivalent",)
    assert_allclose(found.margin_interval[0].high, 1 - error ** (1 / 60), rtol=0.01)


def test_limits_of_the_test_itself_need_other_numbers():
    assert verdict(np.zeros(5), test="anytime", margin=0.05).n_decisive is None


def test_a_bound_is_never_wider_than_the_measure():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, (40, 6)), rng.normal(size=(2, 40, 6))
    systems = {name: score_queries(y_true, y_score[name], "p@3") for name in (0, 1)}
    systems = {str(name): scores for name, scores in systems.items()}
    narrow, wide = (compare(systems, margin=0.2, bound=one) for one in (None, 5))
    assert narrow.margin_interval == wide.margin_interval
    assert narrow.n_decisive == wide.n_decisive == 14


def test_what_is_beyond_the_bound_is_never_lost():
    assert verdict([0.1, 0.0, -0.1], margin=1, bound=0.5).verdict == ("equivalent",)


def test_the_margin_is_where_the_limit_is():
    differences = spread(80, 0.01, 0.1)
    (low, high), *_ = verdict(differences, margin=0.1).margin_interval
    assert low < 0.01 < high
    assert verdict(differences, margin=1e-9 - low).verdict == ("not worse",)
    assert verdict(differences, margin=-1e-9 - low).verdict == ("undecided",)
    assert verdict(differences, margin=1e-9 + high).verdict == ("equivalent",)


def test_several_comparisons_share_the_error():
    rng = np.random.default_rng(0)
    scores = rng.random((3, 30))
    systems = dict(zip("abc", scores, strict=True))
    options = {"margin": 0.2, "random_state": 0, "bound": 1}
    for correction, share in (("none", 1), ("maxt", 3), ("holm", 3), ("bonferroni", 3)):
        found = compare(systems, correction=correction, **options)
        shares = (scores[1] - scores[0] + 1) / 2
        shares = shares[:, np.newaxis]
        (limit,) = dirichlet_limits(shares, np.ones(30), 0.05 / share)
        assert found.margin_interval[0].low == pytest.approx(2 * limit - 1)
        assert found.n_decisive == fewest_for_margin(0.2, 1, 0.05 / share)


def test_looks_at_any_time_have_limits_of_their_own():
    differences = spread(100, 0.0, 0.05)
    limits = {
        test: verdict(differences, test=test, margin=0.1).margin_interval[0]
        for test in ("anytime", "ttest")
    }
    at_once = verdict(differences, test="anytime", confidence_level=0.9)
    assert limits["anytime"] == at_once.confidence_interval[0]
    assert limits["anytime"].low < limits["ttest"].low


def test_columns():
    header, row = verdict(np.zeros(9), margin=0.5).to_csv().splitlines()
    decided = "losses,margin_low,margin_high,verdict,unit,n_units,test,correction"
    assert header.endswith(decided)
    assert row.endswith(",equivalent,query,9,permutation,")


def test_bad_ones():
    with pytest.raises(ValueError, match="margin needs to know how large"):
        verdict(np.zeros(9), margin=0.1, bound=None)
    with pytest.raises(ValueError, match="needs a confidence_level above 0.5"):
        verdict(np.zeros(9), margin=0.1, confidence_level=0.5)
