"""Tests and intervals at the edges of what they take, where most data never comes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from sklearn_irmetrics._statistics.intervals import (
    interval_of_influences,
    interval_of_mean,
    pointwise_intervals,
    split_interval,
)
from sklearn_irmetrics._statistics.planning import (
    smallest_detectable_effect,
    ttest_power,
)
from sklearn_irmetrics._statistics.sequential import _log_wealth, anytime_test
from sklearn_irmetrics.model_selection import compare


@pytest.mark.parametrize("n", [10, 300, 3000, 30_000])
@pytest.mark.parametrize("last", [1.0, 0.0, -0.9, -0.999])
@pytest.mark.parametrize("alpha", [0.5, 0.05, 1e-12])
def test_bets_where_nearly_all_values_are_the_least(n, last, alpha):
    differences = np.r_[np.full(n, -1.0), last]
    values, counts = np.unique(1 + differences, return_counts=True)
    p_value, (low, high) = anytime_test(differences, alpha=alpha)
    assert -1 <= low <= differences.mean() <= high <= (1 if p_value > alpha else 0)
    mirrored = anytime_test(-differences, alpha=alpha)
    assert_allclose(mirrored[1], (-high, -low))
    limit = -np.log(alpha)
    if high < 1:
        wealth = _log_wealth(1 - high, 1 - (values - 1), counts)
        assert wealth == pytest.approx(limit, abs=1e-6)
    if low > -1 + 1e-12:
        assert _log_wealth(1 + low, values, counts) == pytest.approx(limit, abs=1e-3)


@pytest.mark.parametrize("beyond", [-0.5, 0.5])
def test_a_bet_that_nearly_rejects_the_least_mean(beyond):
    differences = np.r_[np.full(900, -1.0), 1.0]
    values, counts = np.unique(1 + differences, return_counts=True)
    most = _log_wealth(np.finfo(float).tiny, values, counts)
    assert 1 < most < 700
    _, (low, _) = anytime_test(differences, alpha=np.exp(beyond - most))
    assert low == -1


def test_the_end_of_a_bet_may_be_far_away():
    differences = np.tile([-1.0, 1.0], 500)
    _, (low, high) = anytime_test(differences, alpha=1e-12)
    assert -0.5 < low < -0.2
    assert -low == pytest.approx(high)
    wealth = _log_wealth(1 + low, np.array([0.0, 2.0]), np.array([500, 500]))
    assert wealth == pytest.approx(-np.log(1e-12))


@pytest.mark.parametrize("method", ["t", "bca"])
def test_two_values_have_an_interval_if_it_is_asked_for(method):
    _, ends, name = interval_of_mean(
        np.array([0.2, 0.6]), method=method, confidence_level=0.9, rng=0
    )
    assert not name.startswith("none")
    if method == "t":
        expected = stats.ttest_1samp([0.2, 0.6], 0).confidence_interval(0.9)
        assert_allclose(ends, expected)


@pytest.mark.parametrize("method", ["auto", "t"])
def test_nothing_cuts_an_interval_of_values_without_a_range(method):
    values = [0.0, 0.5, 1.0]
    _, ends, _ = interval_of_mean(
        np.array(values), method=method, confidence_level=0.95, rng=0
    )
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert_allclose(ends, expected)
    assert ends.low < 0
    assert ends.high > 1


def test_estimates_outside_their_range_have_the_t_interval_alone():
    influences = np.array([-0.1, 0.0, 0.1, 0.0])
    options = {"units": "rows", "how": "", "confidence_level": 0.95}
    found = interval_of_influences(-0.5, influences, bounds=(0.0, 1.0), **options)
    assert found == interval_of_influences(-0.5, influences, **options)
    rounded = interval_of_influences(-1e-17, influences, bounds=(0.0, 1.0), **options)
    assert rounded[1].low == -1e-17


def test_intervals_of_splits_say_how_many_there_are():
    options = {"confidence_level": 0.95}
    assert split_interval(np.array([0.5]), 0.25, **options)[2] == "none: one score"
    for few in ([0.5, np.nan, np.nan], [np.nan] * 3):
        how = split_interval(np.array(few), 0.25, **options)[2]
        assert how == "none: fewer than two splits with a score"
    for same in ([0.5, 0.5], [0.5, 0.5, np.nan]):
        name = split_interval(np.array(same), 0.25, **options)[2]
        assert name == "none: all 2 splits alike"
    name = split_interval(np.array([0.5, np.nan, 0.7]), 0.25, **options)[2]
    assert name == "corrected resampled t over 2 splits"


def test_points_of_a_curve_leave_out_queries_without_weight():
    values = np.random.default_rng(0).random((6, 2))
    weights = np.array([1.0, 2.0, 0.0, 1.0, 0.0, 3.0])
    some = weights > 0
    found = pointwise_intervals(values, weights, confidence_level=0.9)
    expected = pointwise_intervals(values[some], weights[some], confidence_level=0.9)
    assert_array_equal(found, expected)


@pytest.mark.parametrize("level", [0.3, 0.4, 0.6, 0.95])
def test_effects_at_low_levels(level):
    # Where the power is that of no effect at all, there is no smallest one.
    assert np.isnan(smallest_detectable_effect(1.0, 20, 1 - level, level))
    power = 1 - level + 0.02
    effect = smallest_detectable_effect(1.0, 20, power, level)
    assert ttest_power(20, effect, confidence_level=level) == pytest.approx(power)
    t = stats.t.isf((1 - level) / 2, 19)
    tails = stats.nct(19, effect * np.sqrt(20))
    assert tails.sf(t) + tails.cdf(-t) == pytest.approx(power, abs=1e-6)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_only_proportions_of_weights_count(scale):
    values = np.array([0.1, 0.4, 0.3, 0.8])
    weights = np.array([1.0, 2.0, 1.0, 3.0])
    options = {"method": "t", "confidence_level": 0.95, "rng": 0}
    found = interval_of_mean(values, weights=weights * scale, **options)
    expected = interval_of_mean(values, weights=weights, **options)
    assert_allclose(found[0], expected[0])
    assert_allclose(found[1], expected[1])


def test_groups_of_one_are_queries():
    values = np.array([0.1, 0.4, 0.3, 0.8])
    options = {"units": "queries", "confidence_level": 0.95, "rng": 0}
    found = interval_of_mean(values, groups=np.array([3, 1, 2, 0]), **options)
    assert found == interval_of_mean(values, **options)


def test_two_splits_have_an_interval():
    _, ends, _ = split_interval(np.array([0.5, 0.7]), 0.0, confidence_level=0.9)
    assert_allclose(ends, stats.ttest_1samp([0.5, 0.7], 0).confidence_interval(0.9))


def test_effect_sizes_of_differences_that_do_not_vary():
    columns = np.array([[0.5, 0.5], [0.5, 0.25], [0.25, 0.5]])
    for (first, second), size in zip(columns, [0.0, np.inf, -np.inf], strict=True):
        results = {"a": [first] * 8, "b": [second] * 8}
        assert compare(results, test="ttest").effect_size[0] == -size


ONLY_SIGNS = {"permutation", "wilcoxon", "sign", "mcnemar"}


@pytest.mark.parametrize("name", ["permutation", "wilcoxon", "sign", "ttest"])
def test_few_units_that_differ_are_told_of(name):
    # Three units have eight patterns of signs; others differ in size, too.
    scores = np.random.default_rng(0).random(20)
    other = scores + np.r_[0.1, 0.2, 0.3, np.zeros(17)]
    result = compare({"a": scores, "b": other}, test=name)
    assert ("p cannot reach" in str(result)) == (name in ONLY_SIGNS)
