"""Tests and intervals at the edges of what they take, where most data never comes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_irmetrics._statistics.intervals import (
    interval_of_influences,
    interval_of_mean,
)
from sklearn_irmetrics._statistics.planning import (
    smallest_detectable_effect,
    ttest_power,
)
from sklearn_irmetrics._statistics.splits import split_interval
from sklearn_irmetrics.model_selection import compare


@pytest.mark.parametrize("method", ["t", "bca"])
def test_two_values_have_an_interval_if_it_is_asked_for(method):
    _, ends, name = interval_of_mean(
        np.array([0.2, 0.6]), method=method, confidence_level=0.9, rng=0
    )
    assert not name.startswith("none")
    if method == "t":
        expected = stats.ttest_1samp([0.2, 0.6], 0).confidence_interval(0.9)
        assert_allclose(ends, expected)


def test_estimates_outside_their_range_have_the_t_interval_alone():
    influences = np.array([-0.1, 0.0, 0.1, 0.0])
    options = {"n_units": 4, "units": "rows", "how": "", "confidence_level": 0.95}
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
