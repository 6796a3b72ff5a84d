"""What tables of comparisons show of many pairs, of draws, and of effect sizes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize, stats

from sklearn_irmetrics.comparison import compare


def systems(n_systems, n=30, seed=0):
    rng = np.random.default_rng(seed)
    base = rng.beta(2, 2, n)
    effects = rng.permutation(n_systems) * 0.01
    return {f"s{i}": base + e + rng.normal(0, 0.1, n) for i, e in enumerate(effects)}


@pytest.mark.parametrize("greater_is_better", [True, False])
def test_forty_systems_are_readable(greater_is_better):
    options = {"test": "ttest", "correction": "holm"}
    found = compare(systems(40), greater_is_better=greater_is_better, **options)
    lines = str(found).splitlines()
    assert len(lines) < 55 and max(map(len, lines)) <= 80
    assert lines[-1] == (
        "40 of 780 pairs, in the order of the means; to_frame() has all."
    )
    order = sorted(found.mean, key=found.mean.get, reverse=greater_is_better)
    start = next(i for i, line in enumerate(lines) if line.startswith("system")) + 1
    shown = [set(line.split()[:2]) for line in lines[start : start + 39]]
    assert shown == [{order[0], other} for other in order[1:]]
    assert lines[1].startswith(f"means: {order[0]} ")
    assert " and 28 more" in " ".join(lines[1:5])
    frame = found.to_frame()
    assert len(frame) == 780 and frame["system"][0] == "s1"
    few = compare(systems(3), **options)
    assert "40 of" not in str(few) and len(str(few).splitlines()) == 10


def test_slices_of_many_systems_are_readable():
    found = compare(systems(20), by=np.arange(30) // 10, test="ttest")
    lines = str(found).splitlines()
    assert len(lines) < 60
    assert "13 of 190 pairs" in str(found)
    assert len(found.to_frame()) == 570


@pytest.mark.parametrize(
    ("options", "n_draws"),
    [
        ({}, 9999),
        ({"n_resamples": 499}, 499),
        ({"confidence_level": 0.999}, 99900),
        ({"confidence_level": 1 - 1e-9}, 200_000),
        ({"test": "bootstrap"}, 9999),
        ({"test": "tukey"}, 9999),
        ({"test": "ttest"}, 0),
        ({"test": "wilcoxon"}, 0),
    ],
)
def test_random_tests_say_how_many_draws_they_made(options, n_draws):
    found = compare(systems(2), random_state=0, **options)
    assert found.n_draws == n_draws
    level = round(1 - options.get("confidence_level", 0.95), 12)
    error = np.sqrt(level * (1 - level) / n_draws) if n_draws else 0
    note = (
        f"p-values come from {n_draws:,} random draws; with another seed, a p of "
        f"{level:g} would typically differ by {error:.1g}."
    )
    assert (note in found.notes) == bool(n_draws)
    assert "draws" not in str(found)
    if "n_resamples" not in options and 0 < n_draws < 200_000:
        assert error <= level / 10


def test_exact_tests_draw_nothing_and_many_pairs_draw_more():
    assert compare(systems(2, n=9)).n_draws == 0
    assert compare(systems(3, n=9), random_state=0).n_draws == 9999  # max-T draws
    options = {"correction": "bonferroni", "random_state": 0}
    assert compare(systems(5), **options).n_draws == 19900  # for 0.05 / 10


@pytest.mark.parametrize("n", [5, 10, 40])
@pytest.mark.parametrize("effect", [0.0, 0.5, 2.0])
def test_intervals_of_effect_sizes_are_of_the_noncentral_t(n, effect):
    values = stats.norm.ppf((np.arange(n) + 0.5) / n)
    values = effect + values / values.std(ddof=1)
    found = compare([np.zeros(n), values], test="ttest")
    assert found.effect_size[0] == pytest.approx(effect, abs=1e-9)
    ratio = effect * np.sqrt(n)

    def end(share):
        def excess(noncentrality):
            return stats.nct.cdf(ratio, n - 1, noncentrality) - share

        return optimize.brentq(excess, -20, 40) / np.sqrt(n)

    ends = found.effect_size_interval[0]
    assert_allclose(ends, [end(0.975), end(0.025)], atol=1e-6)
    row = found.to_frame().iloc[0]
    assert (row["effect_low"], row["effect_high"]) == ends
    assert ends.low < effect < ends.high


def test_effects_that_nothing_is_known_of_have_no_interval():
    for values in (np.zeros(9), np.full(9, 0.1)):
        found = compare([np.zeros(9), values], test="ttest")
        assert np.isnan(found.effect_size_interval[0]).all()
