"""Verdicts about a margin: what few queries do not show is not harmless."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_irmetrics import score_queries
from sklearn_irmetrics._statistics.bounded import dirichlet_limit
from sklearn_irmetrics._statistics.planning import fewest_for_margin
from sklearn_irmetrics.model_selection import compare

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
    assert "margin 0.03" in repr(found)
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
    message = f'where nothing differs, "not worse" takes at least {n} queries'
    assert message in repr(few)
    enough = verdict(np.zeros(n), margin=margin, bound=bound)
    assert enough.verdict == ("equivalent",)
    assert "takes at least" not in repr(enough)


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
        limit = dirichlet_limit(np.sort(shares), np.ones(30), 0.05 / share)
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
    assert header.endswith("losses,margin_low,margin_high,verdict")
    assert row.endswith("equivalent")


def test_bad_ones():
    with pytest.raises(ValueError, match="margin needs to know how large"):
        verdict(np.zeros(9), margin=0.1, bound=None)
    with pytest.raises(ValueError, match="needs a confidence_level above 0.5"):
        verdict(np.zeros(9), margin=0.1, confidence_level=0.5)
