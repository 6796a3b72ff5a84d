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


# What is printed ----------------------------------------------------------------------


def scores(n_different, n=40, undefined=()):
    old = np.linspace(0.2, 0.8, n)
    change = np.where(np.arange(n) < n_different, 0.1, 0.0)
    change[: n_different // 4] *= -1
    old[list(undefined)] = np.nan
    return {"old": old, "new": old + change * np.linspace(0.5, 1.5, n)}


def printed(result):
    return " ".join(str(result).split())


def test_two_systems_are_one_line_of_means_five_columns_and_a_sentence():
    found = compare(scores(36, undefined=[1, 2]), random_state=0)
    title, table, note = str(found).split("\n\n")
    means = f"old {found.mean['old']:.3f}, new {found.mean['new']:.3f}"
    assert title == f"score on 38 of 40 queries: means {means}"
    header, row = (line.split("  ") for line in table.splitlines())
    assert [cell.strip() for cell in header if cell] == [
        *("system", "versus", "difference", "95 % interval", "p"),
        "better/equal/worse",
    ]
    assert f"{found.estimate[0]:+.3f}*" in [cell.strip() for cell in row]
    assert note == "* new is better than old (paired permutation test, p ≤ 0.05)."
    assert "38 of 40" in title and found.notes[-1] == (
        "2 of 40 queries are undefined for all systems and left out."
    )
    assert found.to_text(details=True) == f"{found}\n\n" + "\n".join(
        line for note in found.notes for line in _broken(note)
    )


def _broken(line):
    from sklearn_irmetrics._results.tables import _wrap

    return _wrap(line).split("\n")


def test_a_loss_names_the_better_system():
    found = compare(scores(36), random_state=0, greater_is_better=False)
    assert printed(found).startswith("score (lower is better) on 40 queries: means")
    assert "* new is worse than old" in printed(found)
    assert "9/4/27" in printed(found)


def test_a_difference_that_is_not_shown_has_its_consequence():
    systems = scores(36)
    systems["new"] = systems["old"] + np.resize([0.2, -0.19], 40)
    found = compare(systems, random_state=0)
    text = printed(found)
    assert "*" not in text
    assert (
        "No difference shown (paired permutation test). Any difference inside the "
        "interval remains possible; 40 queries would probably show one of "
        f"{found.detectable_effect[0]:.3f} or more."
    ) in text
    several = compare(systems | {"other": systems["old"]}, random_state=0)
    assert "No pair differs (paired permutation test, p > 0.05); " in printed(several)


@pytest.mark.parametrize(
    ("n_different", "reason"),
    [
        (5, "No interval: only 5 of 40 queries differ, and with fewer than 6 no p-"),
        (0, "No interval: both systems score the same on all 40 queries."),
    ],
)
def test_a_dash_has_its_reason(n_different, reason):
    found = compare(scores(n_different), random_state=0)
    row = str(found).split("\n\n")[1].splitlines()[-1].split()
    assert row[3] == "–"
    assert reason in printed(found)
    assert "remains possible" not in printed(found)


def test_a_margin_shows_the_limits_that_decide():
    systems = scores(36)
    found = compare(systems, margin=0.2, bound=1, random_state=0)
    low, high = found.margin_interval[0]
    title, table, note = str(found).split("\n\n")
    assert title == "score on 40 queries; differences up to 0.2 do not matter"
    assert "limits (95 % each)" in table and f"[{low:.3f}, {high:.3f}]" in table
    assert "better/equal" not in table and "*" not in table
    assert note == "equivalent: both limits are within ±0.2."
    assert found.verdict == ("equivalent",)
    small = compare(scores(0), margin=0.05, bound=1, random_state=0)
    assert small.verdict == ("undecided",) and printed(small).endswith(
        f"undecided: even equal systems need {small.n_decisive} queries; you have 40."
    )
    worse = {"old": systems["old"], "new": systems["old"] - 0.5}
    found = compare(worse, margin=0.2, bound=1, random_state=0)
    assert "worse: the upper limit is below -0.2." in printed(found)
    found = compare(worse, margin=0.2, bound=1, greater_is_better=False, random_state=0)
    assert "not worse: the upper limit is below 0.2." in printed(found)


def test_two_systems_in_slices_have_columns_of_means():
    found = compare(scores(36, undefined=[1]), by=np.arange(40) // 30, random_state=0)
    title, table, note = str(found).split("\n\n")
    assert title == "score in 2 slices: new versus old"
    assert table.splitlines()[0].split() == [
        *("slice", "queries", "new", "old", "difference", "95", "%", "interval", "p")
    ]
    assert table.splitlines()[1].split()[:4] == ["0", "29", "of", "30"]
    assert " ".join(note.split()).endswith(
        "p and intervals hold for all slices at once."
    )


@pytest.mark.parametrize(
    ("correction", "meaning"),
    [
        ("maxt", "p and intervals hold for all 3 pairs at once (max-T)"),
        ("bonferroni", "p and intervals hold for all 3 pairs at once (Bonferroni)"),
        ("holm", "p is adjusted for all 3 pairs (Holm), each interval is for its pair"),
        ("none", "neither p nor intervals are adjusted for all 3 pairs"),
    ],
)
def test_corrections_are_said_by_what_they_mean(correction, meaning):
    systems = scores(36) | {"other": scores(36)["old"] + 0.3}
    found = compare(systems, test="ttest", correction=correction, random_state=0)
    assert meaning in printed(found)


def test_wins_are_what_the_sign_test_is_about():
    found = compare(scores(36), test="sign")
    assert "* new wins more queries than old (sign test, p ≤ 0.05)." in printed(found)
    found = compare(scores(36), test="sign", greater_is_better=False)
    assert "* new wins fewer queries than old" in printed(found)
