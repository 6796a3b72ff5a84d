"""Means of data sets, and comparisons and reports by slice."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_irmetrics import Measure, QueryScores, ranking_report, score_queries
from sklearn_irmetrics.model_selection import compare

SIZES = [5, 40, 12]
STRATA = np.repeat(["small", "large", "medium"], SIZES)


def draw(n_systems=2, seed=0):
    """Return scores of systems whose differences differ between data sets."""
    rng = np.random.default_rng(seed)
    scores = rng.beta(2, 2, 57) + rng.normal(0, 0.05, (n_systems, 57))
    shift = np.repeat([0.1, -0.12, 0.05], SIZES)
    return scores + np.arange(n_systems)[:, np.newaxis] * shift


def by_hand(values, strata=STRATA, level=0.95):
    """Return the mean of means, the ends of its stratified t interval, and p."""
    parts = [values[strata == one] for one in np.unique(strata)]
    means = [part.mean() for part in parts]
    variances = [part.var(ddof=1) / len(part) / len(parts) ** 2 for part in parts]
    total, mean = sum(variances), np.mean(means)
    lost = [v**2 / (len(part) - 1) for v, part in zip(variances, parts, strict=True)]
    df = total**2 / sum(lost)
    reach = stats.t.ppf((1 + level) / 2, df) * np.sqrt(total)
    p = 2 * stats.t.sf(abs(mean) / np.sqrt(total), df)
    return mean, mean - reach, mean + reach, p


def with_ends(values, strata=STRATA, bounds=(0.0, 1.0)):
    """Return the same interval with a value at each end, which weighs the most."""
    parts = [values[strata == one] for one in np.unique(strata)]
    share = 1 / (len(parts) * min(map(len, parts)))
    mean = np.mean([part.mean() for part in parts])
    terms = [part.var(ddof=1) / len(part) / len(parts) ** 2 for part in parts]
    terms += [(share * (end - mean)) ** 2 for end in bounds]
    freedom = [*(len(part) - 1 for part in parts), 1, 1]
    lost = [v**2 / f for v, f in zip(terms, freedom, strict=True)]
    reach = stats.t.ppf(0.975, sum(terms) ** 2 / sum(lost)) * np.sqrt(sum(terms))
    center = (mean + share * sum(bounds)) / (1 + 2 * share)
    return max(center - reach, bounds[0]), min(center + reach, bounds[1])


def test_t_of_strata_is_the_stratified_one():
    old, new = draw()
    found = compare({"old": old, "new": new}, strata=STRATA, test="ttest")
    mean, low, high, p = by_hand(new - old)
    assert_allclose(found.difference, [mean])
    assert_allclose(found.confidence_interval[0], (low, high))
    assert_allclose(found.p_value, [p])
    means = [
        np.mean([one[s == STRATA].mean() for s in set(STRATA)]) for one in (old, new)
    ]
    assert_allclose(list(found.mean.values()), means)
    one = compare([old, new], test="ttest", strata=np.zeros(57, int))
    plain = compare([old, new], test="ttest")
    assert_allclose(one.confidence_interval, plain.confidence_interval)


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
@pytest.mark.parametrize("n_systems", [2, 4])
def test_drawn_intervals_of_strata_are_near_to_t(test, n_systems):
    scores = list(draw(n_systems))
    options = {"strata": STRATA, "random_state": 0, "correction": "none"}
    drawn = compare(scores, test=test, **options).confidence_interval
    by_t = compare(scores, test="ttest", **options).confidence_interval
    assert_allclose(drawn, by_t, atol=0.011)
    by_hand = [one * np.repeat(57 / 3 / np.array(SIZES), SIZES) for one in scores]
    scaled = compare(by_hand, test=test, random_state=0).confidence_interval
    assert np.ptp(drawn[0]) < 0.6 * np.ptp(scaled[0])


def test_groups_inside_strata_are_their_means():
    old, new = draw()
    groups = np.repeat(np.arange(19), 3)
    strata = np.repeat(["a", "b"], [24, 33])
    found = compare([old, new], groups=groups, strata=strata, test="ttest")
    means = (new - old).reshape(19, 3).mean(axis=1)
    expected = by_hand(means, strata[::3])
    assert_allclose([*found.confidence_interval[0], found.p_value[0]], expected[1:])
    assert (found.unit, found.n_units) == ("group", 19)


def test_intervals_of_means_of_strata():
    grades = np.random.default_rng(0).integers(0, 2, (57, 6))
    grades[:, 0] = 1
    grades[7] = 0  # undefined
    scores = np.random.default_rng(1).random((57, 6))
    options = {"metrics": ["mrr", "p@3"], "output": "dict", "strata": STRATA}
    report = ranking_report(grades, scores, **options)["measures"]
    with pytest.warns(UndefinedMetricWarning):
        table = score_queries(grades, scores, ["mrr", "p@3"])
    for name, row in report.items():
        defined = ~np.isnan(table.scores[name])
        values, strata = table.scores[name][defined], STRATA[defined]
        assert_allclose((row["low"], row["high"]), with_ends(values, strata))
        assert row["mean"] == pytest.approx(by_hand(values, strata)[0])
        assert table.interval(name, strata=STRATA) == (row["low"], row["high"])
        plain = table.interval(name, strata=STRATA, method="t")
        assert_allclose(plain, by_hand(values, strata)[1:3])
    assert (report["mrr"]["n_queries"], report["mrr"]["n_undefined"]) == (56, 1)
    assert report["mrr"]["interval"].startswith("t over 56 queries in 3 strata")


@pytest.mark.parametrize("method", ["betting", "dirichlet"])
def test_limits_take_strata_for_weights(method):
    values = np.random.default_rng(0).random(57)
    table = QueryScores(np.arange(57), {"ndcg": values}, {}, {"ndcg": "ndcg"})
    low, high = table.interval(strata=STRATA, method=method)
    mean = by_hand(values)[0]
    assert 0 < low < mean < high < 1
    alike = QueryScores(np.arange(57), {"ndcg": np.ones(57)}, {}, {"ndcg": "ndcg"})
    assert alike.interval(strata=STRATA, method=method).low < 0.95


def test_each_slice_is_compared_and_corrected_for_all():
    scores = dict(zip("abc", draw(3), strict=True))
    slices = np.repeat([10, 9, 2], SIZES)  # numbers, in order of appearance
    for correction in ("maxt", "bonferroni", "holm", "fdr_bh", "none"):
        options = {"test": "ttest", "correction": correction, "random_state": 0}
        found = compare(scores, by=slices, **options)
        assert list(found) == [10, 9, 2]
        alone = [
            compare({k: v[slices == s] for k, v in scores.items()}, **options)
            for s in found
        ]
        raw = np.concatenate([one.p_value for one in alone])
        assert_allclose(np.concatenate([found[s].p_value for s in found]), raw)
        adjusted = np.concatenate([found[s].p_adjusted for s in found])
        if correction == "fdr_bh":
            expected = stats.false_discovery_control(raw)
        elif correction == "holm":
            order = np.argsort(raw)
            expected = np.empty(9)
            expected[order] = np.maximum.accumulate(raw[order] * np.arange(9, 0, -1))
        else:
            n = 1 if correction == "none" else 3
            expected = n * np.concatenate([one.p_adjusted for one in alone])
        if correction != "maxt":  # which draws the second slice after the first
            assert_allclose(adjusted, np.minimum(expected, 1))
        outside = [
            low > 0 or high < 0
            for s in found
            for low, high in found[s].confidence_interval
        ]
        if correction in ("maxt", "bonferroni"):
            assert_allclose(np.array(outside), adjusted <= 0.05)
    assert found.to_frame()["slice"].tolist() == [10] * 3 + [9] * 3 + [2] * 3
    assert str(found).startswith("3 slices: paired t-test")
    assert "\n9: score on 40 queries: a " in str(found)


def test_slices_of_reports_and_groups_beside_them():
    rng = np.random.default_rng(0)
    grades, scores = rng.integers(0, 2, (57, 6)), rng.random((57, 6))
    grades[:, 0] = 1
    groups = np.repeat(np.arange(19), 3)
    options = {"metrics": ["mrr", "p@3"], "by": STRATA, "groups": groups}
    report = ranking_report(grades, scores, output="dict", **options)["measures"]
    own = STRATA == "large"
    alone = ranking_report(
        grades[own],
        scores[own],
        metrics="mrr",
        groups=groups[own],
        confidence_level=1 - 0.05 / 3,
        output="dict",
    )["measures"]["mrr"]
    assert report["mrr", "large"] == pytest.approx(alone)
    frame = ranking_report(grades, scores, output="frame", **options)
    assert frame.index.names == ["measure", "slice"] and len(frame) == 6
    text = ranking_report(grades, scores, **options)
    assert "They hold for all slices of a measure at once (Bonferroni)." in text
    csv = ranking_report(grades, scores, output="csv", **options)
    assert csv.splitlines()[1].startswith("mrr,small,")
    found = compare([scores[:, 0], scores[:, 1]], by=STRATA, groups=groups)
    assert [found[name].n_units for name in found] == [2, 14, 4]


def test_undefined_units_are_counted_in_units():
    old, new = draw()
    groups = np.repeat(np.arange(19), 3)
    old[groups == 7] = new[groups == 7] = old[0] = new[0] = np.nan
    strata = np.repeat(["a", "b"], [24, 33])
    found = compare([old, new], groups=groups, strata=strata)
    assert (found.n_units, found.n_undefined) == (18, 1)
    found = compare([old, new], by=strata, groups=groups)
    assert [(found[s].n_units, found[s].n_undefined) for s in "ab"] == [(7, 1), (11, 0)]


@pytest.mark.parametrize("test", ["ttest", "permutation", "bootstrap"])
def test_strata_in_which_nothing_varies_claim_nothing(test):
    first = np.repeat([0.1, -0.05], 10)
    options = {"strata": np.repeat([0, 1], 10), "test": test, "random_state": 0}
    assert compare([np.zeros(20), first], **options).p_value[0] > 0.1
    first[:10] = np.linspace(-0.1, 0.3, 10)  # alike in one of them
    found = compare([np.zeros(20), first], **options)
    assert found.confidence_interval[0].low < 0.025 < found.confidence_interval[0].high


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strata": ["a"] * 56 + ["b"]}, "strata must have at least two queries"),
        (
            {"strata": STRATA, "groups": np.arange(57) % 20},
            "strata must not divide a group",
        ),
        *(
            (
                {"strata": STRATA, "test": test},
                f"strata must be None with test='{test}'",
            )
            for test in ("wilcoxon", "sign", "anytime")
        ),
        ({"by": STRATA[:5]}, "by must have one id per row"),
        ({"by": [None] * 57}, "by"),
        ({"by": np.repeat(["a", "b"], [56, 1])}, "at least two queries"),
    ],
)
def test_what_goes_with_no_strata_or_slices_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        compare(list(draw()), **options)


def test_errors_name_the_slice_and_one_slice_is_corrected_for_nothing():
    with pytest.raises(ValueError, match="at least two queries") as caught:
        compare(list(draw()), by=np.repeat(["a", "1"], [56, 1]))
    assert caught.value.__notes__ == ["This happened in the slice '1'."]
    found = compare(list(draw()), by=["x"] * 57, random_state=0)["x"]
    alone = compare(list(draw()), random_state=0)
    assert_allclose(found.p_adjusted, alone.p_adjusted)
    assert found.confidence_interval == alone.confidence_interval


def test_strata_of_one_query_have_no_interval():
    grades, scores = np.ones((57, 2)), np.random.default_rng(0).random((57, 2))
    strata = np.repeat(["one", "many"], [1, 56])
    text = ranking_report(grades, scores, metrics="p@1", strata=strata)
    assert "Intervals: none: a stratum has fewer than two queries." in text


def test_what_goes_with_no_strata_is_refused_in_reports():
    grades = np.ones((57, 2))
    scores = np.random.default_rng(0).random((57, 2))
    for options, message in (
        (
            {"interval": "bca", "strata": STRATA},
            "strata must be None with interval='bca'",
        ),
        (
            {"metrics": Measure("precision", k=1, average="micro"), "by": STRATA},
            "need plain means",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            ranking_report(grades, scores, **{"metrics": "p@1", **options})
    several = QueryScores(np.arange(57), {"a": scores[:, 0], "b": scores[:, 1]}, {})
    with pytest.raises(ValueError, match="by needs one measure"):
        compare({"x": several, "y": several}, by=STRATA)


@pytest.mark.parametrize("test", ["permutation", "ttest", "bootstrap", "tukey"])
@pytest.mark.parametrize("kinds", ["groups", "strata", "groups strata", "groups by"])
def test_p_and_interval_agree_with_groups_strata_and_slices(test, kinds):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(16, 40))
        scores = np.round(rng.normal(size=(3, n)) + rng.normal(0, 0.6, (3, 1)), 1)
        groups = np.arange(n) // 2
        strata = (groups > groups[-1] // 2).astype(int)
        given = {"groups": groups, "strata": strata, "by": strata}
        options = {name: given[name] for name in kinds.split()}
        options |= {"test": test, "n_resamples": 199, "random_state": 0}
        found = compare(list(scores), **options)
        for result in found.values() if "by" in kinds else [found]:
            low, high = np.array(result.confidence_interval).T
            assert (((low > 0) | (high < 0)) == (result.p_adjusted <= 0.05)).all()


@pytest.mark.parametrize("test", ["permutation", "ttest", "bootstrap"])
def test_no_difference_at_all_has_a_p_value_of_1(test):
    strata = np.repeat([0, 1], 8)
    better = np.where(strata == 0, 0.1, -0.1)
    found = compare([np.zeros(16), better], strata=strata, test=test, random_state=0)
    assert found.difference[0] == 0
    assert found.p_value[0] == 1
