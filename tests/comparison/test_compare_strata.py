"""Groups of queries, means of data sets, and comparisons and reports by slice."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge
from sklearn.model_selection import PredefinedSplit

from oracles.queries import FirstColumn
from oracles.reports import rows_of
from sklearn_irmetrics import Measure, ranking_report, score_queries
from sklearn_irmetrics._statistics.intervals import interval_of_mean
from sklearn_irmetrics.comparison import compare, leaderboard
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import evaluate
from sklearn_irmetrics.reports import QueryScores

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
    assert_allclose(found.estimate, [mean])
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


def test_small_strata_have_a_warning():
    systems = dict(zip("abc", draw(3), strict=True))
    small, large = STRATA, np.repeat(["one", "other"], [47, 10])
    warning = "A stratum has only 5 queries. With fewer than 10, p-values are not reli"
    found = compare(systems, strata=small, random_state=0)
    assert (found.correction, found.n_in_stratum) == ("maxt", 5)
    assert warning in repr(found)
    assert warning in repr(compare([*draw()], strata=small))
    enough = compare(systems, strata=large, random_state=0)
    assert enough.n_in_stratum == 10
    assert "A stratum" not in repr(enough)
    data = {
        name: {key: values[small == name] for key, values in systems.items()}
        for name in ("small", "large", "medium")
    }
    for board in (leaderboard(systems, strata=small), leaderboard(data)):
        assert (board.correction, board.n_in_stratum) == ("maxt", 5)
        assert warning in repr(board)
    assert compare(systems).n_in_stratum is None


def test_max_t_of_strata_against_draws_by_hand():
    scores = np.array(draw(4, seed=3))
    differences = scores[1:] - scores[0]
    parts = [differences[:, one == STRATA] for one in np.unique(STRATA)]

    def squared_t(parts, means):
        shift = sum(part.mean(axis=1) - m for part, m in zip(parts, means, strict=True))
        return shift**2 / sum(
            part.var(axis=1, ddof=1) / part.shape[1] for part in parts
        )

    rng, largest = np.random.default_rng(0), []
    for _ in range(4000):
        drawn = [
            part[:, rng.integers(part.shape[1], size=part.shape[1])] for part in parts
        ]
        largest.append(squared_t(drawn, [part.mean(axis=1) for part in parts]).max())
    observed = squared_t(parts, [0] * 3)
    found = compare(
        dict(zip("abcd", scores, strict=True)),
        baseline="a",
        test="bootstrap",
        strata=STRATA,
        random_state=0,
    )
    clearest = np.argmax(observed)  # is compared with the largest of all pairs
    by_hand = np.mean(np.array(largest) >= observed[clearest])
    assert found.p_adjusted[clearest] == pytest.approx(by_hand, abs=0.02)


def test_max_t_of_very_different_strata_finds_little_by_chance():
    strata, n_wrong = np.repeat([0, 1], [3, 200]), 0
    for seed in range(40):
        scores = np.random.default_rng(seed).beta(2, 2, (8, 203))
        board = leaderboard(
            dict(zip("abcdefgh", scores, strict=True)),
            strata=strata,
            n_resamples=199,
            random_state=seed,
        )
        n_wrong += board.better.any()
    assert n_wrong <= 4


def test_intervals_of_means_of_strata():
    grades = np.random.default_rng(0).integers(0, 2, (57, 6))
    grades[:, 0] = 1
    grades[7] = 0  # undefined
    scores = np.random.default_rng(1).random((57, 6))
    with pytest.warns(UndefinedMetricWarning):
        table = score_queries(grades, scores, ["mrr", "p@3"])
    report = rows_of(table.report(strata=STRATA))
    for name, row in report.items():
        defined = ~np.isnan(table.scores[name])
        values, strata = table.scores[name][defined], STRATA[defined]
        assert_allclose((row["low"], row["high"]), with_ends(values, strata))
        assert row["estimate"] == pytest.approx(by_hand(values, strata)[0])
        assert table.interval(name, strata=STRATA) == (row["low"], row["high"])
        plain = table.interval(name, strata=STRATA, method="t")
        assert_allclose(plain, by_hand(values, strata)[1:3])
    assert (report["mrr"]["queries"], report["mrr"]["undefined"]) == (56, 1)
    how = "t over 56 queries in 3 strata and range limits"
    assert report["mrr"]["interval"] == how
    with pytest.warns(UndefinedMetricWarning):
        few = score_queries(grades[3:9], scores[3:9], "mrr").report(strata=STRATA[3:9])
    assert "in 2 strata, with one extra value at each end" in few.notes[0]


def test_intervals_without_a_range_warn_of_small_strata():
    values = np.random.default_rng(0).random(57)
    values[:5] = 0.5  # the small stratum shows no spread
    table = QueryScores(np.arange(57), {"dcg": values}, {}, {"dcg": "dcg"})
    assert "The smallest stratum has only 5 values, so the interval may" in str(
        table.report(strata=STRATA)
    )
    bounded = table.report(strata=STRATA, bounds=(0, 1))
    assert "inaccurate" not in str(bounded)
    enough = table.report(strata=np.arange(57) % 5)
    assert "inaccurate" not in str(enough)


def test_limits_take_strata_for_weights():
    method = "betting"
    values = np.random.default_rng(0).random(57)
    table = QueryScores(np.arange(57), {"ndcg": values}, {}, {"ndcg": "ndcg"})
    low, high = table.interval(strata=STRATA, method=method)
    mean = by_hand(values)[0]
    assert 0 < low < mean < high < 1
    alike = QueryScores(np.arange(57), {"ndcg": np.ones(57)}, {}, {"ndcg": "ndcg"})
    assert alike.interval(strata=STRATA, method=method).low < 0.95
    unknown = QueryScores(np.arange(57), {"dcg": values}, {}, {"dcg": "dcg"})
    assert np.isnan(unknown.interval(strata=STRATA, method=method)).all()


def test_means_of_strata_have_no_t_interval_where_nothing_varies():
    strata = np.arange(57) % 3
    for values, metric in ((np.full(57, 0.3), "ndcg"), (np.ones(57), "dcg")):
        table = QueryScores(np.arange(57), {metric: values}, {}, {metric: metric})
        assert np.isnan(table.interval(strata=strata, method="t")).all()


@pytest.mark.parametrize("of_strata", [(1.0, 1.0, 1.0), (1.0, 1.5, 2.0)])
def test_weights_of_unequal_strata_are_no_spread(of_strata):
    values = np.repeat(of_strata, SIZES)
    table = QueryScores(np.arange(57), {"dcg": values}, {}, {"dcg": "dcg"})
    report = table.report(strata=STRATA)
    assert report.standard_error["dcg"] == 0
    assert np.isnan(report.confidence_interval["dcg"]).all()
    bounded = table.report(strata=STRATA, bounds=(0, 3))
    assert bounded.standard_error["dcg"] == 0
    assert bounded.confidence_interval["dcg"].low < np.mean(of_strata) - 0.05


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
    assert str(found).startswith("score in 3 slices: ")
    assert "\n9: a " in str(found)
    rows = str(found).split("\n\n")[1].splitlines()[1:]
    assert [line.split()[:2] for line in rows[::3]] == [
        [str(key), str(result.n_units)] for key, result in found.items()
    ]


def test_slices_of_reports_and_groups_beside_them():
    rng = np.random.default_rng(0)
    grades, scores = rng.integers(0, 2, (57, 6)), rng.random((57, 6))
    grades[:, 0] = 1
    groups = np.repeat(np.arange(19), 3)
    values = score_queries(grades, scores, ["mrr", "p@3"])
    report = values.report(by=STRATA, groups=groups)
    own = STRATA == "large"
    alone = score_queries(grades[own], scores[own], "mrr").report(
        groups=groups[own], confidence_level=1 - 0.05 / 3
    )
    large, alone = rows_of(report)["mrr", "large"], rows_of(alone)["mrr"]
    assert large == pytest.approx(alone)
    frame = report.to_frame()
    assert frame.index.names == ["measure", "slice"] and len(frame) == 8
    assert "Intervals of slices hold for all slices of a measure at once" in str(report)
    first, second = report.to_csv().splitlines()[1:3]
    assert first.startswith("mrr,all,")
    assert second.startswith("mrr,small,")
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
        ({"by": STRATA[:5]}, r"by must .* one value per query \(57\); got 5"),
        ({"by": "lang"}, r"by must be a dict by query id, .* got 'lang'"),
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
    found = score_queries(grades, scores, "p@1")
    report = found.report(strata=strata)
    assert "No interval: a stratum has fewer than two queries." in str(report)
    strata[1] = "one"
    report = found.report(strata=strata)
    assert "Student's t over 57 queries in 2 strata" in report.notes[0]


def test_what_goes_with_no_strata_is_refused_in_reports():
    grades = np.ones((57, 2))
    scores = np.random.default_rng(0).random((57, 2))
    plain = score_queries(grades, scores, "p@1")
    with pytest.raises(ValueError, match="strata must be None with interval='bca'"):
        plain.report(interval="bca", strata=STRATA)
    micro = Measure("precision", k=1, average="micro")
    for option in ("by", "strata"):
        with pytest.raises(ValueError, match="need plain means"):
            score_queries(grades, scores, micro).report(**{option: STRATA})
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
            p_value = result.p_adjusted
            assert (((low > 0) | (high < 0)) == (p_value <= 0.05)).all()


@pytest.mark.parametrize("test", ["permutation", "ttest", "bootstrap"])
def test_no_difference_at_all_has_a_p_value_of_1(test):
    strata = np.repeat([0, 1], 8)
    better = np.where(strata == 0, 0.1, -0.1)
    found = compare([np.zeros(16), better], strata=strata, test=test, random_state=0)
    assert found.estimate[0] == 0
    assert found.p_value[0] == 1


# Groups -----------------------------------------------------------------------------


def draw_groups(rng, n_groups, largest=8):
    """Return the group of each query; a query has two documents."""
    return np.repeat(np.arange(n_groups), rng.integers(1, largest, n_groups))


def run(rng, group, **options):
    """Evaluate a system that is right on a query as often as its group says."""
    n = len(group)
    is_right = rng.random(n) < rng.random(group.max() + 1)[group]
    scores = np.column_stack([np.where(is_right, 2.0, 0.0), np.ones(n)]).ravel()
    return evaluate(
        FirstColumn(),
        scores[:, np.newaxis],
        np.tile([1, 0], n),
        scoring="p@1",
        qid=np.repeat(np.arange(n), 2),
        **{"groups": np.repeat(group, 2), "random_state": 0, **options},
    )


@pytest.mark.parametrize("n_groups", [5, 12, 30])
def test_the_interval_is_of_the_means_of_groups(n_groups):
    rng = np.random.default_rng(n_groups)
    group = draw_groups(rng, n_groups)
    result = run(rng, group)
    ids, values, _ = result.query_scores.mean_of_splits("p@1")
    sizes = np.bincount(group)
    means = np.bincount(group[ids], values) / sizes
    error, ends, how = interval_of_mean(
        means, weights=sizes, bounds=(0, 1), confidence_level=0.95, rng=0
    )
    assert result.estimate["p@1"] == pytest.approx(values.mean())
    assert result.standard_error["p@1"] == pytest.approx(error)
    assert result.confidence_interval["p@1"] == pytest.approx(ends)
    assert result.interval_method["p@1"] == how.replace("queries", "groups")
    assert f"Student's t over {n_groups} groups" in result.notes[1]
    assert "new groups like these" in repr(result)


def test_groups_of_one_query_change_nothing():
    group = np.arange(25)
    alone = run(np.random.default_rng(0), group, groups=None)
    grouped = run(np.random.default_rng(0), group)
    assert alone.confidence_interval == grouped.confidence_interval
    assert alone.standard_error == grouped.standard_error


def test_comparisons_are_of_groups():
    rng = np.random.default_rng(1)
    group = draw_groups(rng, 12)
    systems = {name: run(rng, group) for name in "ab"}
    found = compare(systems, test="ttest")
    assert (found.unit, found.n_units) == ("group", 12)
    sums = {}
    for name, system in systems.items():
        ids, values, _ = system.query_scores.mean_of_splits("p@1")
        sums[name] = np.bincount(group[ids], values) * 12 / len(group)
        assert found.mean[name] == pytest.approx(values.mean())
    expected = compare(sums, test="ttest")
    np.testing.assert_allclose(found.p_value, expected.p_value)
    np.testing.assert_allclose(found.estimate, expected.estimate)


def test_systems_must_keep_the_same_queries_together():
    rng = np.random.default_rng(2)
    first, second = np.repeat(np.arange(6), 4), np.repeat(np.arange(8), 3)
    with pytest.raises(ValueError, match="groups of queries; those of 'a' and 'b'"):
        compare({"a": run(rng, first), "b": run(rng, second)})
    folds = {"method": PredefinedSplit(np.repeat(first % 2, 2))}
    renamed = run(rng, 5 - first, **folds)
    assert compare({"a": run(rng, first, **folds), "b": renamed}).n_units == 6


# Groups of scores that exist already --------------------------------------------------


def variants(rng, n_topics=10, n_variants=10, spread=0.1):
    """Return scores of two equal systems on variants of topics, which are alike."""
    shared = np.repeat(rng.normal(0, spread, (n_topics, 2)), n_variants, axis=0)
    scores = 0.5 + shared + rng.normal(0, 0.02, shared.shape)
    return scores.T, np.repeat(np.arange(n_topics), n_variants)


@pytest.mark.parametrize("test", ["permutation", "ttest", "wilcoxon", "bootstrap"])
def test_groups_are_compared_by_their_means(test):
    scores, topics = variants(np.random.default_rng(0))
    found = compare(list(scores), test=test, groups=topics, random_state=0)
    means = [[one[topics == topic].mean() for topic in range(10)] for one in scores]
    expected = compare(means, test=test, random_state=0)
    assert_allclose(found.p_value, expected.p_value)
    assert_allclose(found.confidence_interval, expected.confidence_interval)
    assert (found.unit, found.n_units) == ("group", 10)


def test_groups_by_query_id_and_groups_of_which_nothing_is_defined():
    (old, new), topics = variants(np.random.default_rng(0))
    old[topics == 3] = new[topics == 3] = old[0] = new[0] = np.nan
    ids = np.arange(100) + 7
    tables = [QueryScores(ids, {"mine": one}, {}) for one in (old, new)]
    by_id = {int(key): f"t{topic}" for key, topic in zip(ids, topics, strict=True)}
    found = compare(tables, groups=by_id, random_state=0)
    expected = compare(tables, groups=topics, random_state=0)
    assert found.p_value == expected.p_value
    assert (found.n_units, found.n_undefined) == (9, 1)  # groups, not 11 queries
    with pytest.raises(ValueError, match="groups must name every query"):
        compare(tables, groups={7: "t0"})
    X, y, qid = make_ranking(12, random_state=0)
    options = {"groups": qid // 2, "scoring": "mrr", "random_state": 0}
    grouped = [evaluate(Ridge(a), X, y, qid=qid, **options) for a in (1, 100)]
    with pytest.raises(ValueError, match="groups must be None where results have"):
        compare(grouped, groups=np.arange(12))


def test_intervals_of_a_report_are_over_groups():
    rng = np.random.default_rng(0)
    grades, scores = rng.integers(0, 2, (20, 5)), rng.random((20, 5))
    grades[:, 0] = 1
    topics = np.repeat(list("abcde"), 4)
    values = score_queries(grades, scores, "mrr")
    found = values.report(groups=topics)
    how = "t over 5 groups, widened by the measure's range"
    assert found.interval_method == {"mrr": how}
    assert found.confidence_interval["mrr"] == values.interval(groups=topics)


@pytest.mark.parametrize("test", ["ttest", "bootstrap"])
def test_intervals_hold_where_small_groups_differ_more(test):
    rng = np.random.default_rng(5)
    n_held = 0
    for _ in range(100):
        sizes = rng.choice([1, 2, 4, 8, 16], 20)
        differences = np.repeat(0.8 / sizes, sizes)
        differences += rng.normal(0, 0.05, len(differences))
        found = compare(
            [np.zeros(len(differences)), differences],
            groups=np.repeat(np.arange(20), sizes),
            test=test,
            n_resamples=499,
            random_state=rng,
        )
        low, high = found.confidence_interval[0]
        n_held += low <= 0.8 / 6.2 <= high
    assert n_held >= 88  # sums of groups with plain intervals: 10


def test_the_t_interval_of_groups_holds_what_its_test_does_not_reject():
    rng = np.random.default_rng(6)
    group = draw_groups(rng, 9)
    scores = rng.normal(0.1, 0.3, (2, len(group)))

    def compared(shift):
        return compare([scores[0] + shift, scores[1]], groups=group, test="ttest")

    ends = np.array(compared(0.0).confidence_interval[0])
    for shift in (ends - 1e-9 * np.array([1, -1]), ends + 1e-9 * np.array([1, -1])):
        is_inside = (ends[0] <= shift) & (shift <= ends[1])
        found = [compared(one).p_value[0] > 0.05 for one in shift]
        assert found == is_inside.tolist()


def test_dicts_name_queries_of_evaluate_and_series_go_by_their_index():
    pd = pytest.importorskip("pandas")
    X, y, qid = make_ranking(n_queries=12, n_docs=20, random_state=0)
    results = evaluate(
        {"a": Ridge(), "b": Ridge(1000)}, X, y, qid=qid, scoring="map", random_state=0
    )
    by = {query: ["even", "odd"][query % 2] for query in range(12)}
    for name in ("groups", "by"):
        with pytest.raises(ValueError, match=f"{name} must be a dict by query id"):
            compare(results, **{name: list(by.values())})
        given = compare(results, **{name: by}, test="ttest")
        shuffled = pd.Series(by).sample(frac=1, random_state=0)
        assert repr(compare(results, **{name: shuffled}, test="ttest")) == repr(given)


def test_slices_may_be_dates():
    days = np.repeat(np.array(["2026-01-01", "2026-02-01"], "datetime64[ns]"), 5)
    scores = np.random.default_rng(0).random((2, 10))
    found = compare(list(scores), by=days, test="ttest")
    assert "2026-02-01" in repr(found)
    assert type(found).from_dict(found.to_dict()).keys() == found.keys()


@pytest.mark.parametrize(
    ("without", "n_undefined", "said"),
    [
        (range(12), 3, "7 of 10 groups"),
        (range(4), 1, "9 of 10 groups"),
        ((0, 1, 5), 0, None),  # each group has something defined
    ],
)
def test_undefined_groups_are_counted_as_groups(without, n_undefined, said):
    X, y, qid = make_ranking(n_queries=40, n_docs=8, random_state=0)
    y = np.maximum(y, np.arange(len(y)) % 8 == 0)  # something to find in every query
    y[np.isin(qid, list(without))] = 0
    with pytest.warns(UserWarning, match="undefined"):
        models = {"weak": Ridge(1e5), "strong": Ridge()}
        options = {"scoring": "ndcg@10", "random_state": 0, "groups": qid // 4}
        results = evaluate(models, X, y, qid=qid, **options)
    found = results.compare(random_state=0)
    assert found.unit == "group"
    assert (found.n_units, found.n_undefined) == (10 - n_undefined, n_undefined)
    assert ("of 10 groups" in repr(found)) == bool(said)
    assert said is None or f"on {said}: means" in repr(found)


@pytest.mark.parametrize("name", ["groups", "strata", "by"])
def test_labels_of_queries_that_contradict_themselves_are_refused(name):
    pd = pytest.importorskip("pandas")
    ids = np.arange(8)
    systems = [
        QueryScores(ids, {"map": row}, {})
        for row in np.random.default_rng(0).random((2, 8))
    ]
    by = {query: query % 2 for query in range(8)}
    for given, message in (
        (pd.concat([pd.Series(by), pd.Series({3: 0})]), "once; got 9 entries for 8"),
        ({str(query): label for query, label in by.items()}, "got 8 ids, without 0, 1"),
        ({query: by[query] for query in range(7)}, "got 7 ids, without 7"),
        (by | {5: "1"}, "labels that differ as strings"),
    ):
        with pytest.raises(ValueError, match=f"{name} must .*{message}"):
            compare(systems, **{name: given})


def test_a_series_is_read_by_its_index_at_every_door():
    pd = pytest.importorskip("pandas")
    labels = pd.Series(np.arange(8) % 2)
    y_true, y_score = np.random.default_rng(0).integers(0, 2, (2, 8, 5))
    scores = score_queries(y_true, y_score, "dcg")
    for ask in (
        lambda groups: compare([np.arange(8.0), np.ones(8)], groups=groups),
        lambda groups: scores.interval(groups=groups),
        lambda groups: scores.report(groups=groups),
        lambda groups: ranking_report(y_true, y_score, metrics="dcg", by=groups),
    ):
        expected = repr(ask(labels.tolist()))
        assert repr(ask(labels)) == repr(ask(labels[::-1])) == expected
        for others in ([0, 2, 1, 3, 14, 15, 16, 17], range(10, 18), list("12345678")):
            message = r"index of the Series, in the type .* got [04] of 8.*to_numpy\(\)"
            with pytest.raises(ValueError, match=message):
                ask(labels.set_axis(others))
