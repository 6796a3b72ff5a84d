"""Each paired test, its interval and its corrections agree; brute force says so."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_irmetrics._statistics import draws as batches
from sklearn_irmetrics._statistics.paired_tests import TESTS, correction_of, find_pairs
from sklearn_irmetrics._statistics.pairs import PairedScores
from sklearn_irmetrics.comparison import compare

CORRECTIONS = [None, "bonferroni", "maxt"]
AGREEING = [
    (test, correction)
    for test, correction in itertools.product(TESTS, CORRECTIONS)
    if correction_of(TESTS[test], correction, 3) == correction
    or (test == "tukey" and correction is None)
]
LEVELS = [0.05, 0.01, 0.1]
# How many random experiments each of them meets; `pytest --thorough` for all 2000.
N_EXPERIMENTS = 60


def paired(scores, rng=0, *, weights=None, n_resamples=199):
    """Return all pairs of columns."""
    n_systems = scores.shape[1]
    largest = np.ptp(scores) or 1.0
    return PairedScores(
        scores,
        np.array([(b, a) for a, b in itertools.combinations(range(n_systems), 2)]),
        weights,
        (-largest, largest),
        n_resamples,
        np.random.default_rng(rng),
        test_share=0.25,
    )


def of_differences(differences, **options):
    differences = np.asarray(differences, dtype=np.float64)
    return paired(np.column_stack([np.zeros(len(differences)), differences]), **options)


def draw_scores(rng, n_systems):
    """Return scores as those of hard experiments: ties, zeros, effects, few units."""
    n = int(rng.integers(2, 61))
    scores = rng.normal(size=(n, 1)) + rng.choice([0.1, 1]) * rng.normal(
        size=(n, n_systems)
    )
    scores += rng.choice([0, 0.2, 1]) * rng.normal(size=n_systems)
    scores = np.round(scores, rng.choice([0, 1, 15]))
    is_same = rng.random((n, n_systems)) < rng.choice([0, 0.3, 0.8])
    return np.where(is_same, scores[:, :1], scores) * 10.0 ** rng.choice([-9, 0, 9])


def find(test, pairs, correction):
    return find_pairs(TESTS[test], pairs, correction)


@pytest.mark.parametrize(("test", "correction"), AGREEING)
def test_zero_is_outside_exactly_where_p_is_small(test, correction, request):
    rng = np.random.default_rng(len(test))
    null = 0.5 if test == "sign" else 0.0
    n_outside = 0
    thorough = request.config.getoption("--thorough")
    for i in range(2000 if thorough else N_EXPERIMENTS):
        scores = draw_scores(rng, int(rng.integers(2, 5)))
        weights = None
        if i % 3 == 0 and TESTS[test].takes_weights:
            weights = rng.integers(1, 9, len(scores)).astype(float)
        pairs = paired(scores, i, weights=weights)
        p_value, found = find(test, pairs, correction)
        assert (p_value > 0).all()
        assert (found.p_value >= p_value).all()
        assert (found.p_value <= 1).all()
        for alpha in LEVELS:
            low, high = found.interval(alpha).T
            outside = (null < low) | (high < null)
            assert (outside == (found.p_value <= alpha)).all(), scores
            n_outside += outside.sum()
            assert (low <= high).all()
            if found.center is None:
                slack = 1e-9 * abs(scores).max()
                assert (low <= pairs.mean + slack).all()
                assert (pairs.mean - slack <= high).all()
    assert n_outside > 8  # or nothing was tested


class TestSignFlips:
    @pytest.mark.parametrize("seed", range(8))
    def test_against_all_flips(self, seed):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 10))
        differences = np.round(rng.normal(0.5, 1, n), int(rng.integers(0, 3)))
        weights = rng.integers(1, 4, n).astype(float)
        signs = np.array(list(itertools.product([1, -1], repeat=n)))
        pairs = of_differences(differences, weights=weights, n_resamples=9999)
        p_value, found = find("permutation", pairs, None)

        def p_at(value):
            terms = weights * (differences - value)
            return (abs(signs @ terms) >= abs(terms.sum()) - 1e-9).mean()

        assert p_value[0] == pytest.approx(p_at(0.0), rel=1e-12)
        for alpha in (0.05, 0.2, 0.5):
            low, high = found.interval(alpha)[0]
            mean = np.average(differences, weights=weights)
            for end, outwards in ((low, -1e-6), (high, 1e-6)):
                if np.isinf(end):
                    n_differ = np.count_nonzero(differences)
                    assert 2.0 ** (1 - n_differ) > alpha
                    assert n_differ < n or p_at(mean + outwards * 1e12) > alpha
                else:
                    assert p_at(end + outwards) <= alpha
                    if abs(end - mean) > 1e-5:
                        assert p_at(end - outwards) > alpha

    def test_draws_are_near_the_exact_ones(self):
        differences = np.random.default_rng(1).normal(0.5, 1, 14)
        exact = find("permutation", of_differences(differences, n_resamples=8191), None)
        drawn = find("permutation", of_differences(differences, n_resamples=8190), None)
        assert exact[0][0] != drawn[0][0]
        assert exact[0] == pytest.approx(drawn[0], abs=0.01)
        assert_allclose(exact[1].interval(0.05), drawn[1].interval(0.05), atol=0.03)


SHIFTED = ["ttest", "bootstrap", "permutation"]


class TestIntervalsAreInverted:
    """Just inside an end the test does not reject, just outside it does."""

    @pytest.mark.parametrize(
        ("test", "weighted"),
        [(test, False) for test in SHIFTED] + [("permutation", True)],
    )
    def test_of_shifted_scores(self, test, weighted):
        rng = np.random.default_rng(7)
        scores = rng.normal([0, 0.3], 1, (25, 2))
        weights = rng.integers(1, 3, 25).astype(float) if weighted else None

        def shifted(value):
            pairs = paired(scores - [0, value], weights=weights, n_resamples=499)
            return find(test, pairs, None)

        _, found = shifted(0.0)
        for end, inwards in zip(found.interval(0.05)[0], (1e-6, -1e-6), strict=True):
            assert shifted(end + inwards)[0][0] > 0.05
            assert shifted(end - inwards)[0][0] <= 0.05

    @pytest.mark.parametrize("n", [6, 20, 45, 50, 51, 80])
    def test_wilcoxon_against_all_averages(self, n):
        differences = np.random.default_rng(n).normal(0.2, 1, n)
        first, second = np.triu_indices(n)
        averages = np.sort((differences[first] + differences[second]) / 2)
        p_value, found = find("wilcoxon", of_differences(differences), None)
        assert p_value[0] == stats.wilcoxon(differences).pvalue
        assert found.center[0] == pytest.approx(np.median(averages))
        low, high = found.interval(0.05)[0]
        for end, inwards in ((low, 1e-9), (high, -1e-9)):
            assert abs(averages - end).min() < 1e-12
            assert stats.wilcoxon(differences - end - inwards).pvalue > 0.05
            assert stats.wilcoxon(differences - end + inwards).pvalue <= 0.05

    def test_wilcoxons_median_between_two_lists_of_averages(self):
        # The two averages in the middle are far apart in these.
        for seed, n in [(47, 8), (605, 15), (1079, 8), (1209, 24), (1425, 11)]:
            rng = np.random.default_rng(seed)
            rng.integers(3, 60)
            differences = rng.normal(size=n)
            first, second = np.triu_indices(n)
            averages = (differences[first] + differences[second]) / 2
            _, found = find("wilcoxon", of_differences(differences), None)
            assert found.center[0] == pytest.approx(np.median(averages), rel=1e-12)

    @pytest.mark.parametrize("unit", [1e-13, 1e-15, 1e12])
    def test_wilcoxon_does_not_depend_on_the_unit(self, unit):
        differences = np.random.default_rng(0).normal(0.3, 1, 30)
        p_value, found = find("wilcoxon", of_differences(differences), None)
        scaled, others = find("wilcoxon", of_differences(unit * differences), None)
        assert scaled[0] == p_value[0]
        assert_allclose(others.interval(0.05) / unit, found.interval(0.05), rtol=1e-9)
        assert others.center[0] / unit == pytest.approx(found.center[0], rel=1e-9)

    @pytest.mark.parametrize("n", [30, 40])  # fewer: all cases below
    def test_wilcoxon_with_ties(self, n):
        rng = np.random.default_rng(n)
        for _ in range(3):
            differences = np.round(rng.normal(0.5, 1, n), 0)
            p_value, _ = find("wilcoxon", of_differences(differences), None)
            expected = stats.wilcoxon(differences[differences != 0]).pvalue
            assert p_value[0] == pytest.approx(expected, rel=1e-12)

    def test_sizes_that_differ_by_rounding_are_tied(self):
        differences = np.array([0.3 - 0.2, 0.2 - 0.1, 0.5 - 0.4, -0.1, 0.4, 0.7])
        exact = np.array([1, 1, 1, -1, 4, 7]) / 10
        found = find("wilcoxon", of_differences(differences), None)
        expected = find("wilcoxon", of_differences(exact), None)
        assert found[0][0] == expected[0][0]


def of_columns(columns):
    """Return several columns of differences as one set of pairs."""
    columns = np.asarray(columns, dtype=np.float64)
    scores = np.hstack([np.zeros((len(columns), 1)), columns])
    pairs = np.array([(i + 1, 0) for i in range(columns.shape[1])])
    return PairedScores(scores, pairs, None, None, 1, np.random.default_rng(0))


class TestEverySmallCase:
    """All differences from a few values, with ties and zeros, by counting."""

    @pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
    def test_wilcoxon(self, n):
        values = (-1.5, -0.5, 0.0, 0.5, 2.0)
        columns = list(itertools.combinations_with_replacement(values, n))
        p_value, found = find("wilcoxon", of_columns(np.transpose(columns)), None)
        averages = []
        for column, p, center in zip(columns, p_value, found.center, strict=True):
            x = [value for value in column if value]
            ranks = stats.rankdata(np.abs(x))
            signs = np.array(list(itertools.product([-1, 1], repeat=len(x))))
            sums = abs(signs @ ranks)
            assert p == (sums >= abs(np.sign(x) @ ranks)).mean()
            pairs = itertools.combinations_with_replacement(x, 2)
            averages.append(sorted((a + b) / 2 for a, b in pairs))
            assert center == pytest.approx(np.median(averages[-1] or [0.0]), abs=1e-12)
        for alpha in (0.0625, 0.25, 0.3, 0.75, 0.9):
            ends = found.interval(alpha)
            for one, p, (low, high) in zip(averages, p_value, ends, strict=True):
                unknown = -np.inf, np.inf
                expected = self.walsh_ends(one, p, alpha) if one else unknown
                assert (low, high) == pytest.approx(expected, abs=1e-11)
                assert (low <= 0 <= high) == (p > alpha)

    @staticmethod
    def walsh_ends(averages, p, alpha):
        """Leave out as many averages as rank sums are rare, but hold 0 as p says."""
        n = int((2 * len(averages)) ** 0.5)
        signs = itertools.product([0, 1], repeat=n)
        sums = Counter(sum(r * s for r, s in enumerate(one, 1)) for one in signs)
        n_out = sum(
            2 * sum(sums[i] for i in range(k + 1)) <= Fraction(alpha) * 2**n
            for k in range(len(averages))
        )
        low, high = -np.inf, np.inf
        if n_out:
            low, high = averages[n_out - 1], averages[-n_out]
        if p > alpha:
            return min(low, 0.0), max(high, 0.0)
        above, below = ([a for a in averages if a * s > 0] for s in (1, -1))
        if low <= 0 <= high and len(above) > len(below):
            return above[0], max(high, above[0])
        if low <= 0 <= high:
            return min(low, below[-1]), below[-1]
        return low, high

    def test_sign(self):
        cases = list(itertools.product(range(8), repeat=2))
        columns = [
            np.repeat([1.0, -2.0, 0.0], [*case, 14 - sum(case)]) for case in cases
        ]
        p_value, found = find("sign", of_columns(np.transpose(columns)), None)
        for i, (wins, losses) in enumerate(cases):
            if wins + losses == 0:
                assert (p_value[i], found.center[i]) == (1, 0.5)
                assert found.interval(0.05)[i].tolist() == [0, 1]
                continue
            expected = stats.binomtest(wins, wins + losses)
            assert p_value[i] == pytest.approx(expected.pvalue, rel=1e-12)
            assert found.center[i] == wins / (wins + losses)
            for alpha in (0.05, 0.4, min(p_value[i], 0.9)):
                low, high = found.interval(alpha)[i]
                ends = expected.proportion_ci(1 - alpha)
                assert_allclose((low, high), ends, atol=1e-9)
                assert (low <= 0.5 <= high) == (p_value[i] > alpha)
                assert low <= high


class TestDraws:
    @pytest.mark.parametrize("test", ["permutation", "bootstrap", "tukey"])
    @pytest.mark.parametrize("cells", [1, 1000])
    def test_batches_change_nothing(self, test, cells, monkeypatch):
        scores = np.random.default_rng(0).normal([0, 0.3, 0.5], 1, (19, 3))
        p_value, found = find(test, paired(scores), None)
        monkeypatch.setattr(batches, "_BATCH_CELLS", cells)
        p_again, again = find(test, paired(scores), None)
        assert_allclose(p_again, p_value, rtol=1e-15)
        assert_allclose(again.interval(0.05), found.interval(0.05), rtol=1e-12)

    @pytest.mark.parametrize(
        ("test", "correction"),
        [("bootstrap", None), ("bootstrap", "maxt"), ("tukey", None)],
    )
    def test_too_few_draws_tell_nothing(self, test, correction):
        scores = np.random.default_rng(0).normal([0, 5, 9], 1, (30, 3))
        _, found = find(test, paired(scores, n_resamples=9), correction)
        assert found.p_value.tolist() == [0.1] * 3
        assert np.isinf(found.interval(0.09)).all()
        assert np.isfinite(found.interval(0.1)).all()

    @pytest.mark.parametrize("unit", [1.0, 0.3, 11.0, 1e-5])
    def test_a_draw_as_extreme_as_the_data_counts(self, unit):
        # t of the data is t of the rest (1, 1, -1, -1) where one sign is turned.
        differences = unit * (np.array([1, 1, -1, -1]) + 3**-0.5)
        pairs = of_differences(differences, n_resamples=7)
        assert TESTS["ttest"].max_t(pairs).p_value[0] == 6 / 8

    @pytest.mark.parametrize("seed", range(6))
    def test_bootstrap_of_few_against_all_draws(self, seed):
        differences = np.random.default_rng(seed).normal(1, 0.3, 3)
        mean, rest = differences.mean(), differences - differences.mean()

        def ratio(values):
            return values.sum() ** 2 / (3 * (values**2).sum())

        drawn = [ratio(rest[list(i)]) for i in itertools.product(range(3), repeat=3)]
        expected = np.mean(np.array(drawn) >= ratio(differences) - 1e-12)
        pairs = of_differences(differences, n_resamples=4999)
        p_value, found = find("bootstrap", pairs, None)
        assert p_value[0] == pytest.approx(expected, abs=0.02)
        # Draws of one unit only, of which t is infinite, are 3 / 27.
        assert found.interval(0.09)[0].tolist() == [-np.inf, np.inf]
        assert found.interval(0.13)[0].mean() == pytest.approx(mean)


class TestTukey:
    def test_of_two_systems_it_is_the_permutation_test(self):
        differences = np.random.default_rng(1).normal(0.5, 1, 9)
        pairs = of_differences(differences, n_resamples=9999)
        exact, found = find("permutation", pairs, None)
        p_value, drawn = find("tukey", pairs, None)
        assert p_value == pytest.approx(exact, abs=0.02)
        assert drawn.interval(0.1)[0, 0] == pytest.approx(
            found.interval(0.1)[0, 0], abs=0.1
        )

    def test_against_a_loop(self):
        scores = np.random.default_rng(2).normal([0, 0.5, 1.0], 1, (7, 3))
        pairs = paired(scores, rng=5, n_resamples=99)
        p_value, found = find("tukey", pairs, None)
        rng = np.random.default_rng(5)
        ranges = [np.ptp(rng.permuted(scores, axis=1).mean(axis=0)) for _ in range(99)]
        ranges.sort()
        for i, mean in enumerate(pairs.mean):
            n_reached = sum(one >= abs(mean) - 1e-9 for one in ranges)
            assert p_value[i] == (n_reached + 1) / 100
            for k in range(1, 60):
                reach = ranges[-k]
                choose = max if p_value[i] > k / 100 else min  # with 0 or without it
                reach = choose(reach, abs(mean))
                assert_allclose(
                    found.interval(k / 100)[i], [mean - reach, mean + reach]
                )

    def test_the_least_p_of_few_units(self):
        _, found = find("tukey", of_differences([1, 2, 3, 4, 5.5]), None)
        assert np.isfinite(found.interval(1 / 16)).all()
        assert np.isinf(found.interval(1 / 16.001)).all()
        # Of three systems and three units, by all exchanges.
        scores = np.array([[0, 1, 5], [0, 2, 4], [0, 1, 4]])
        orders = list(itertools.permutations(range(3)))
        ranges = [
            np.ptp(
                sum(row[list(order)] for row, order in zip(scores, three, strict=True))
            )
            for three in itertools.product(orders, repeat=3)
        ]
        least = np.mean(np.array(ranges) == max(ranges))
        _, found = find("tukey", paired(scores, n_resamples=999), None)
        assert np.isfinite(found.interval(least * 1.01)).all()
        assert np.isinf(found.interval(least * 0.99)).all()


@pytest.mark.parametrize("test", ["ttest", "corrected_ttest", "bootstrap"])
@pytest.mark.parametrize("n", [2, 3, 6])
@pytest.mark.parametrize("value", [0.5, -0.5])
def test_constant_differences_count_as_signs(test, n, value):
    p_value, found = find(test, of_differences(np.full(n, value)), None)
    assert p_value[0] == 2.0 ** (1 - n)
    assert found.interval(2.0**-n)[0].tolist() == [-np.inf, np.inf]
    assert found.interval(2.0 ** (1 - n))[0].tolist() == [value, value]


@pytest.mark.parametrize("test", sorted(TESTS))
def test_p_as_large_as_the_level_is_small_enough(test):
    null = 0.5 if test == "sign" else 0.0
    for seed in range(8):
        scores = draw_scores(np.random.default_rng(seed), 3)
        p_value, found = find(test, paired(scores, seed), None)
        for alpha in p_value[p_value < 1]:
            low, high = found.interval(alpha).T
            inside = (low <= null) & (null <= high)
            assert (inside == (p_value > alpha)).all()
            assert (low <= high).all()


@pytest.mark.parametrize("test", ["permutation", "ttest", "bootstrap", "tukey"])
@pytest.mark.parametrize("groups", [None, np.repeat([0, 1, 2, 3, 4, 5], [2, 4] * 3)])
def test_a_mean_that_is_0_but_for_rounding_is_0(test, groups):
    old = np.random.default_rng(0).integers(0, 10, 18) / 10
    new = old + np.tile([0.1, -0.1, 0.3, -0.2, -0.1, 0.0], 3)
    options = {"groups": groups, "n_resamples": 999, "random_state": 0}
    found = compare({"old": old, "new": new}, test=test, **options)
    assert (found.estimate[0], found.effect_size[0], found.p_value[0]) == (0, 0, 1)


@pytest.mark.parametrize("correction", [None, "maxt"])
@pytest.mark.parametrize("test", ["permutation", "ttest", "bootstrap", "tukey"])
def test_no_difference_of_means_has_p_1(test, correction):
    scores = np.transpose([[0.0] * 6, [1, -1, 2, -2, 3, -3], [4, -4, 0, 1, -1, 0]])
    if test == "tukey":
        correction = None
    p_value, found = find(test, paired(scores), correction)
    assert p_value.tolist() == found.p_value.tolist() == [1, 1, 1]


class TestMaxT:
    @pytest.mark.parametrize("test", ["permutation", "ttest", "bootstrap"])
    def test_against_a_direct_reference(self, test):
        rng = np.random.default_rng(3)
        scores = rng.normal([0, 0.2, 0.5], 1, (20, 3))
        pairs = paired(scores, n_resamples=4999)
        alone, found = find(test, pairs, "maxt")
        rest = pairs.differences - pairs.mean

        def t(values):
            return abs(values.mean(axis=0)) / (values.std(axis=0, ddof=1) / 20**0.5)

        observed = t(pairs.differences)
        drawn = np.array([t(rest[rng.integers(20, size=20)]) for _ in range(4999)])
        stepped, remaining, least = np.empty(3), [0, 1, 2], 0.0
        while remaining:  # the clearest pair is judged by all that remain, then goes
            clearest = max(remaining, key=lambda pair: observed[pair])
            largest = drawn[:, remaining].max(axis=1)
            least = max(least, (largest >= observed[clearest]).mean())
            stepped[clearest] = least
            remaining.remove(clearest)
        assert_allclose(found.p_value, np.maximum(stepped, alone), atol=0.03)
        reach = np.quantile(drawn.max(axis=1), 0.9) * pairs.differences.std(0, ddof=1)
        low, high = found.interval(0.1).T
        assert_allclose(high - low, 2 * reach / 20**0.5, rtol=0.06)

    def test_steps_find_more_and_their_intervals_end_at_0(self):
        found_by_steps = 0
        for seed in range(12):
            noise = np.random.default_rng(seed).normal(0, 1, (30, 6))
            pairs = paired(noise + [0, 3, 6, 9, 12, 12.6], seed)
            _, found = find("bootstrap", pairs, "maxt")
            low, high = found.interval(0.05).T
            is_found = found.p_value <= 0.05
            assert (((low > 0) | (high < 0)) == is_found).all()
            found_by_steps += (
                is_found & (np.minimum(abs(low), abs(high)) < 1e-9)
            ).sum()
        assert found_by_steps

    def test_what_systems_have_in_common_counts(self):
        # The same comparison twice is one comparison, not two.
        rng = np.random.default_rng(0)
        first, second = rng.normal([[0], [0.4]], 1, (2, 40))
        scores = np.column_stack([first, second, second + 1e-7 * rng.normal(size=40)])
        pairs = PairedScores(
            scores, np.array([(1, 0), (2, 0)]), None, None, 9999, rng, None
        )
        alone, found = find("ttest", pairs, "maxt")
        assert_allclose(found.p_value, alone, atol=0.01)

    @pytest.mark.parametrize("test", ["permutation", "ttest", "bootstrap"])
    def test_equal_and_constant_pairs_beside_others(self, test):
        rng = np.random.default_rng(0)
        first = rng.normal(size=20)
        scores = np.column_stack([first, first, first + 1, rng.normal(size=20)])
        pairs = paired(scores)
        p_value, found = find(test, pairs, "maxt")
        assert p_value[0] == found.p_value[0] == 1  # alike
        assert found.interval(0.05)[0].tolist() == [-np.inf, np.inf]
        assert found.p_value[1] <= 0.05  # always ahead by the same
        assert_allclose(found.interval(0.05)[1], 1)
        low, high = found.interval(0.05)[2]
        assert low < pairs.mean[2] < high
