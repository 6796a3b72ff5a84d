"""Plans: against statsmodels, against simulations, and what a pilot may be."""

import numpy as np
import pytest
import scipy
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

from sklearn_irmetrics import score_queries
from sklearn_irmetrics._statistics.power import (
    HIGHEST_LEVEL,
    anova_power,
    interval_width,
    smallest_detectable_effect,
    smallest_number,
    ttest_power,
)
from sklearn_irmetrics.comparison import compare, plan_queries
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import evaluate

RNG = np.random.default_rng(7)
DIFFERENCES = RNG.normal(0.02, 0.1, 40)
OLD = RNG.uniform(0.2, 0.6, 40)

# Against statsmodels ------------------------------------------------------------------

# Before SciPy 1.15 the functions that statsmodels calls have fewer digits; ours do not.
OLD_SCIPY = tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 15)
PRECISION = 1e-4 if OLD_SCIPY else 1e-9


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99, 0.999])
@pytest.mark.parametrize("effect", [0.05, 0.2, 0.5, 1.5])
def test_ttest_against_statsmodels(effect, level):
    power_of = pytest.importorskip("statsmodels.stats.power").TTestPower()
    for n in (2, 3, 10, 50, 1000):
        ours = ttest_power(n, effect, confidence_level=level)
        theirs = power_of.power(effect, n, 1 - level)
        if np.isnan(theirs):  # SciPy's noncentral t did not converge
            assert ours > 0.99
        else:
            assert_allclose(ours, theirs, rtol=PRECISION)
    for power in (0.5, 0.8, 0.95):
        theirs = power_of.solve_power(effect, alpha=1 - level, power=power)
        options = {"power": power, "confidence_level": level, "test": "ttest"}
        plan = plan_queries(effect=effect, std=1, **options)
        if not np.isnan(power_of.power(effect, np.ceil(theirs), 1 - level)):
            by_signs = np.ceil(1 - np.log2(1 - level))  # below, compare never rejects
            assert plan.n_queries == max(by_signs, np.ceil(theirs))


@pytest.mark.parametrize("n_systems", [2, 3, 10, 50])
@pytest.mark.parametrize("effect", [0.1, 0.5, 1.0])
def test_anova_against_statsmodels(effect, n_systems):
    power_of = pytest.importorskip("statsmodels.stats.power").FTestAnovaPower()
    f = effect / np.sqrt(2 * n_systems)  # Cohen's: two of the means effect / 2 away
    for n in (2, 10, 200):
        ours = anova_power(n, effect, n_systems=n_systems, confidence_level=0.95)
        theirs = power_of.power(f, n * n_systems, 0.05, k_groups=n_systems)
        assert_allclose(ours, theirs, rtol=PRECISION)
    plan = plan_queries(effect=effect, std=1, test="anova", n_systems=n_systems)
    n = plan.n_queries
    powers = power_of.power(f, np.array([n - 1, n]) * n_systems, 0.05, n_systems)
    assert powers[0] < 0.8 + PRECISION
    assert powers[1] >= 0.8 - PRECISION


def test_the_numbers_that_textbooks_give():
    assert plan_queries(effect=0.5, std=1).n_queries == 34
    assert plan_queries(effect=0.2, std=1).n_queries == 199


# Against other ways to the same -------------------------------------------------------


@pytest.mark.parametrize("n", [2, 5, 30])
def test_width_against_the_mean_over_the_chi_distribution(n):
    mean_s = stats.chi.mean(n - 1) / np.sqrt(n - 1)
    ends = stats.t.interval(0.9, n - 1, scale=mean_s / np.sqrt(n))
    assert_allclose(interval_width(n, confidence_level=0.9), np.ptp(ends), rtol=1e-12)


def test_no_number_suffices():
    assert smallest_number(lambda n: n > 10**12) is None
    with pytest.raises(ValueError, match=r"effect must be large enough for 10\*\*12"):
        plan_queries(effect=1e-9, std=1)


@pytest.mark.parametrize("n", [2, 10, 10**4, 10**12])
@pytest.mark.parametrize("power", [0.3, 0.999])
@pytest.mark.parametrize("level", [0.75, HIGHEST_LEVEL])
def test_the_smallest_effect_has_the_power(n, power, level):
    effect = smallest_detectable_effect(1.0, n, power, level)
    assert_allclose(ttest_power(n, effect, confidence_level=level), power, rtol=1e-7)


# Of other tests -----------------------------------------------------------------------


def simulated(n, effect, std, n_runs, rng, **options):
    """Return how often `compare` finds normal differences."""
    found = 0
    for _ in range(n_runs):
        values = effect + std * rng.standard_normal(n)
        options = {"bound": 1, "n_resamples": 399, "random_state": 0, **options}
        one = compare([np.zeros(n), values], **options)
        is_verdict = options.get("margin") is not None
        harmless = ("not worse", "equivalent")
        found += one.verdict[0] in harmless if is_verdict else one.p_value[0] <= 0.05
    return found / n_runs


@pytest.mark.parametrize(
    ("plan", "options"),
    [
        ({"test": "permutation", "effect": 0.3, "std": 0.2}, {}),
        ({"test": "permutation", "effect": 0.15, "std": 0.15}, {}),
        ({"test": "margin", "margin": 0.1, "std": 0.15}, {"margin": 0.1}),
        (
            {"test": "margin", "margin": 0.1, "effect": 0.05, "std": 0.15},
            {"margin": 0.1},
        ),
        ({"test": "anytime", "effect": 0.1, "std": 0.15}, {"test": "anytime"}),
    ],
)
def test_simulated_power_of_other_tests_is_the_planned(plan, options):
    made = plan_queries(**plan)
    rng = np.random.default_rng(0)
    found = simulated(made.n_queries, made.effect, 1 * made.std, 80, rng, **options)
    assert found == pytest.approx(made.power, abs=0.09)
    assert made.power >= 0.8


def test_a_permutation_test_of_few_queries_is_planned_exactly():
    plan = plan_queries(effect=0.3, std=0.2)
    assert plan.n_queries == 7
    assert plan_queries(effect=0.3, std=0.2, test="ttest").n_queries == 6


def test_max_t_needs_more_queries_the_more_systems_there_are():
    options = {"effect": 0.1, "std": 0.2, "test": "maxt"}
    needed = [plan_queries(n_systems=m, **options).n_queries for m in (2, 4, 12)]
    assert needed[0] < needed[1] < needed[2]
    two = plan_queries(effect=0.1, std=0.2, test="ttest").n_queries
    assert needed[0] == pytest.approx(two, abs=3)


def test_margins_have_a_floor_and_a_smallest_margin():
    plan = plan_queries(std=1e-6, test="margin", margin=0.02)
    assert plan.n_queries in (149, 150)
    assert plan.effect == 0
    half = plan_queries(std=1e-6, test="margin", margin=0.02, bound=0.5)
    assert half.n_queries in (74, 75)
    plan = plan_queries(std=0.1, test="margin", margin=0.05)
    assert 0.04 < plan.detectable_effect <= 0.05
    assert 'show "not worse by 0.05" with a probability of' in repr(plan)
    assert "if systems are equal" in repr(plan)


@pytest.mark.parametrize("effect", [-0.02, 0.0, 0.02])
def test_smallest_margins_are_those_for_the_planned_effect(effect):
    options = {"test": "margin", "std": 0.1, "effect": effect}
    plan = plan_queries(margin=0.05, **options)
    enough = plan.powers >= 0.8
    assert ((plan.detectable_effects <= 0.05 + 1e-9) == enough).all()
    assert (plan.detectable_effects > -effect).all()
    again = plan_queries(margin=plan.detectable_effect * (1 + 1e-9), **options)
    assert again.n_queries == plan.n_queries


def test_even_large_gains_need_as_many_queries_as_no_difference():
    plan = plan_queries(test="margin", std=0.1, effect=0.2, margin=0.05)
    assert plan.power > 0.999
    assert plan.detectable_effect == pytest.approx(1 - 0.05 ** (1 / plan.n_queries))


@pytest.mark.parametrize(
    ("margin", "std", "bound", "power"),
    [
        *((0.01, 0.3, 1, 0.9), (0.01, 0.3, 0.5, 0.8), (0.01, 0.3, 0.5, 0.9)),
        *((0.01, 0.5, 0.5, 0.9), (0.02, 0.3, 0.5, 0.8), (0.02, 0.5, 1, 0.9)),
    ],
)
def test_ordinary_margins_can_be_planned(margin, std, bound, power):
    options = {"std": std, "bound": bound, "power": power}
    plan = plan_queries(test="margin", margin=margin, **options)
    assert plan.power >= power
    assert plan.detectable_effect == pytest.approx(margin, rel=0.05)
    # Where the range matters little, the limits are those of one-sided t.
    normal = ((stats.norm.ppf(power) + stats.norm.ppf(0.95)) * std / margin) ** 2
    assert plan.n_queries == pytest.approx(normal, rel=0.05)


def test_groups_have_the_design_effect():
    plan = plan_queries(effect=0.05, std=0.1, group_size=8, correlation=0.3)
    expected = plan_queries(effect=0.05, std=0.1 * np.sqrt((1 + 7 * 0.3) / 8))
    assert plan.n_queries == expected.n_queries
    assert (plan.unit, expected.unit) == ("group", "query")


def test_the_upper_end_of_the_standard_deviation_of_a_pilot():
    plan = plan_queries(DIFFERENCES, effect=0.05, pilot_confidence=0.8)
    ratio = np.sqrt(39 / stats.chi2.ppf(0.2, 39))
    assert plan.std == pytest.approx(ratio * DIFFERENCES.std(ddof=1))
    with pytest.raises(ValueError, match="pilot must be given with pilot_confidence"):
        plan_queries(effect=0.05, std=0.1, pilot_confidence=0.8)


def test_detectable_effects_follow_the_correction():
    rng = np.random.default_rng(0)
    systems = dict(zip("abcd", rng.random((4, 30)), strict=True))
    found = {c: compare(systems, correction=c) for c in ("none", "fdr_bh", "maxt")}
    alone, shared = (found[c].detectable_effect for c in ("none", "maxt"))
    assert_allclose(found["fdr_bh"].detectable_effect, alone)
    std = (systems["b"] - systems["a"]).std(ddof=1)
    expected = smallest_detectable_effect(std, 30, confidence_level=1 - 0.05 / 6)
    assert shared[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"margin": 0.1}, "margin must be a number with test='margin' only; got 0.1"),
        ({"test": "margin"}, "margin must be given with test='margin'"),
        ({"test": "margin", "margin": 2}, "margin must be between 0 and 1; got 2"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        plan_queries(effect=0.05, std=0.1, **options)


# Plans --------------------------------------------------------------------------------


@pytest.mark.parametrize("test", ["ttest", "anova", "interval"])
@pytest.mark.parametrize("effect", [0.03, 0.5, 40.0])
def test_a_plan_suffices_and_one_query_less_does_not(test, effect):
    plan = plan_queries(effect=effect, std=1, test=test, confidence_level=0.9)
    assert plan.detectable_effect <= effect
    fewer = plan.n_queries - 1
    if test == "ttest" and fewer >= 5:  # four signs cannot reject at the level 0.1
        assert ttest_power(fewer, effect, confidence_level=0.9) < 0.8 <= plan.power
    if test == "interval" and fewer >= 2:
        assert interval_width(fewer, confidence_level=0.9) > effect


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_a_plan_does_not_depend_on_the_unit(scale):
    plan = plan_queries(effect=0.5 * scale, std=scale)
    assert plan.n_queries == 34
    assert_allclose(plan.detectable_effect / scale, 0.4950281, rtol=1e-6)
    pilot = plan_queries(DIFFERENCES / 100 * scale, effect=0.0005 * scale)
    expected = plan_queries(DIFFERENCES, effect=0.05)
    assert pilot.n_queries == expected.n_queries


def test_an_effect_beyond_all_spread_needs_as_many_queries_as_signs():
    assert plan_queries(effect=1e300, std=1e-300).n_queries == 6
    assert plan_queries(effect=1e300, std=1e-300, test="anova").n_queries == 2


def test_other_numbers_stand_beside_the_plan():
    plan = plan_queries(DIFFERENCES, effect=0.05, test="ttest")
    assert plan.n_pilot == 40
    at = dict(zip(plan.numbers.tolist(), plan.powers, strict=True))
    assert at[plan.n_queries] == plan.power
    std = DIFFERENCES.std(ddof=1)
    for n, power in at.items():
        expected = ttest_power(n, 0.05 / std, confidence_level=0.95)
        assert_allclose(power, expected, rtol=1e-12)
    place = plan.numbers.tolist().index(40)
    assert_allclose(
        plan.detectable_effects[place], smallest_detectable_effect(std, 40), rtol=1e-9
    )
    assert (np.diff(plan.powers) > 0).all()
    assert (np.diff(plan.detectable_effects) < 0).all()


def test_a_frame_of_a_plan_has_its_numbers():
    pytest.importorskip("pandas")
    plan = plan_queries(effect=0.05, std=0.1)
    frame = plan.to_frame()
    planned, numbers = ["effect", "std", "n_needed"], ["n_queries", "power"]
    assert list(frame) == [*planned, *numbers, "detectable_effect"]
    assert (frame[planned] == [0.05, 0.1, 34]).all(axis=None)
    assert frame["n_queries"].tolist() == [9, 17, 34, 68, 136]
    assert frame["power"].tolist() == plan.powers.tolist()


# Pilots -------------------------------------------------------------------------------


def test_every_form_of_a_pilot_gives_the_same_plan():
    pd = pytest.importorskip("pandas")
    ids = [f"q{i}" for i in range(40)]
    other = RNG.permutation(40)
    pilots = [
        DIFFERENCES,
        DIFFERENCES.tolist(),
        pd.Series(DIFFERENCES, index=ids),
        np.append(DIFFERENCES, np.nan),
        {"old": OLD, "new": OLD + DIFFERENCES},
        [OLD + DIFFERENCES, OLD],
        pd.DataFrame({"old": OLD, "new": OLD + DIFFERENCES}, index=ids),
        {
            "old": pd.Series(OLD, index=ids),
            "new": pd.Series(OLD + DIFFERENCES, index=ids).iloc[other],
        },
    ]
    options = {"effect": 0.05, "test": "ttest"}
    plans = [plan_queries(pilot, **options) for pilot in pilots]
    assert {plan.n_queries for plan in plans} == {plans[0].n_queries}
    assert_allclose([p.std for p in plans], DIFFERENCES.std(ddof=1), rtol=1e-9)


def test_scores_per_query_are_a_pilot():
    qid = np.repeat(np.arange(30), 6)
    grades, noise = RNG.integers(0, 3, 180), RNG.standard_normal((2, 180))
    old, new = (
        score_queries(grades, grades + n, ["ndcg", "p@2"], qid=qid) for n in noise
    )
    plan = plan_queries([old, new], effect=0.05, metric="ndcg")
    differences = new.scores["ndcg"] - old.scores["ndcg"]
    assert_allclose(plan.std, np.nanstd(differences, ddof=1), rtol=1e-9)
    with pytest.raises(ValueError, match="metric must name one of"):
        plan_queries([old, new], effect=0.05)


def test_groups_of_a_pilot_are_its_units():
    X, y, qid = make_ranking(n_queries=40, n_docs=(5, 9), random_state=0)
    groups = np.repeat(np.arange(13), [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 4, 3, 3])[qid]
    models = {"ridge": Ridge(), "tree": DecisionTreeRegressor(random_state=0)}
    options = {"qid": qid, "groups": groups, "scoring": "ndcg@5", "random_state": 0}
    pilot = {name: evaluate(m, X, y, **options) for name, m in models.items()}
    plan = plan_queries(pilot, effect=0.05)
    assert (plan.unit, plan.n_pilot) == ("group", 13)
    start = f"ndcg@5: {plan.n_queries} groups detect a difference of 0.05 with a prob"
    assert str(plan).startswith(start)
    assert "from\n  13 groups" in str(plan)
    with pytest.raises(ValueError, match="group_size must be 1 if pilot has groups"):
        plan_queries(pilot, effect=0.05, group_size=4)
    tables = [result.query_scores for result in pilot.values()]
    differences = np.subtract(*(table.scores["ndcg@5"] for table in tables))
    of_query = dict(zip(qid, groups, strict=True))
    codes = [of_query[q] for q in tables[0].query_ids]
    sums = np.bincount(codes, differences)
    assert_allclose(plan.std, (sums * 13 / 40).std(ddof=1), rtol=1e-9)


def test_variances_of_pairs_and_of_systems_are_averaged():
    scores = RNG.normal(0.5, [0.1, 0.2, 0.4], (50, 3))
    pilot = dict(zip("abc", scores.T, strict=True))
    pairs = [scores[:, i] - scores[:, j] for i, j in ((0, 1), (0, 2), (1, 2))]
    expected = np.sqrt(np.mean([pair.var(ddof=1) for pair in pairs]))
    assert_allclose(plan_queries(pilot, effect=0.1).std, expected, rtol=1e-12)
    plan = plan_queries(pilot, effect=0.1, test="anova", n_systems=3)
    expected = np.sqrt(scores.var(axis=0, ddof=1).mean())
    assert_allclose(plan.std, expected, rtol=1e-12)


def test_a_comparison_shows_what_it_can_see():
    systems = {"a": OLD, "b": OLD + DIFFERENCES, "c": OLD + 0.1, "d": OLD + 0.1}
    result = compare(systems, baseline="a", confidence_level=0.9)
    std = DIFFERENCES.std(ddof=1)
    expected = smallest_detectable_effect(std, 40, 0.8, 1 - 0.1 / 3)
    assert_allclose(result.detectable_effect, [expected, np.nan, np.nan])
    result = compare({"a": OLD, "b": OLD + 1e-3 * DIFFERENCES}, random_state=0)
    assert "40 queries would probably show one of" in " ".join(str(result).split())
    assert "detectable_effect" in result.to_csv().partition("\n")[0]


def test_a_comparison_over_splits_sees_less_than_one_over_queries():
    X, y, qid = make_ranking(n_queries=40, n_docs=(5, 9), random_state=0)
    models = {"ridge": Ridge(), "tree": DecisionTreeRegressor(random_state=0)}
    options = {"qid": qid, "scoring": "ndcg@5", "random_state": 0}
    results = {name: evaluate(m, X, y, **options) for name, m in models.items()}
    result = compare(results, test="corrected_ttest")
    scores = [one.split_scores["ndcg@5"] for one in results.values()]
    std = np.subtract(*scores).std(ddof=1) * np.sqrt(1 + 5 / 4)  # 1/5 against 4/5
    expected = smallest_detectable_effect(std, 5)
    assert_allclose(result.detectable_effect, expected, rtol=0.02)  # sizes vary
    with pytest.raises(TypeError, match="pilot must be a dict or list of two or more"):
        plan_queries(result, effect=0.1)


def test_rounding_is_no_spread():
    with pytest.raises(ValueError, match="pilot must vary over queries"):
        plan_queries([OLD, OLD * (1 + 1e-16)], effect=0.1)


@pytest.mark.parametrize(
    ("pilot", "message"),
    [
        ([0.5], "pilot: results must share at least two queries"),
        ([0.5, 0.5, 0.5], "pilot must vary"),
        ([OLD, OLD[1:]], "pilot: results must have scores for the same queries"),
        ([OLD, OLD, OLD], "pilot must vary"),
        ({"old": OLD}, "pilot: results must hold at least two systems; got 1"),
        (3, "one difference per query; got int"),
        ([np.inf, 0.5], "pilot: results must be finite or NaN"),
    ],
)
def test_a_pilot_that_tells_nothing_is_refused(pilot, message):
    with pytest.raises((TypeError, ValueError), match=message):
        plan_queries(pilot, effect=0.1)


PLANS = {"effect": 0.1, "std": 0.1}
CONTRADICTIONS = [
    (DIFFERENCES, PLANS, "std must be None if pilot is given"),
    (None, {"effect": 0.1}, "if pilot is None; got None. Pass the results"),
    (None, PLANS | {"n_systems": 3}, "n_systems must be 2 with test='permutation'"),
    (None, PLANS | {"power": 0.1, "confidence_level": 0.9}, "power must be strictly"),
    (DIFFERENCES, {"effect": 0.1, "test": "anova"}, "pilot must be systems, not diff"),
    (None, PLANS | {"test": "anytime", "bound": 0.05}, "bound must be at least std"),
    (
        [0.9, -0.9, 0.8, -0.7],
        {"test": "margin", "margin": 0.2, "pilot_confidence": 0.9},
        "bound must be at least std and effect .* std=2.16",
    ),
    (None, PLANS | {"metric": "map"}, "pilot must be given with metric='map'"),
    (None, PLANS | {"test": "maxt", "n_systems": 1000}, "n_systems must be at most 50"),
    (None, PLANS | {"std": 5, "test": "margin", "margin": 0.2}, "bound must be at lea"),
]


@pytest.mark.parametrize(("pilot", "options", "message"), CONTRADICTIONS)
def test_options_that_contradict_each_other_are_refused(pilot, options, message):
    with pytest.raises(ValueError, match=message):
        plan_queries(pilot, **options)


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99, 0.999])
def test_what_is_planned_can_be_found(level):
    plan = plan_queries(effect=10, std=0.1, confidence_level=level)
    options = {"confidence_level": level, "n_resamples": 9999, "random_state": 0}
    old, new = np.zeros(plan.n_queries), np.linspace(9.9, 10.1, plan.n_queries)
    assert compare([new, old], **options).p_value[0] <= 1 - level + 1e-9
    assert compare([new[1:], old[1:]], **options).p_value[0] > 1 - level
    assert plan.numbers.min() == plan.n_queries


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


@pytest.mark.parametrize(("wins", "losses"), [(0.2, 0.1), (0.3, 0.1), (0.1, 0.02)])
def test_plans_of_0_1_scores_have_the_power_of_the_sign_test(wins, losses):
    counts = np.array([wins, losses, 1 - wins - losses]) * 1000
    pilot = np.repeat([1.0, -1.0, 0.0], counts.round().astype(int))
    planned = plan_queries(pilot, effect=wins - losses)
    n, rejected, p_values = planned.n_queries, 0.0, {}
    draws = np.random.default_rng(0).multinomial(n, counts / 1000, size=5000)
    for first, second, _ in draws:
        pair = first, second
        if pair not in p_values:
            total = first + second
            p_values[pair] = stats.binomtest(first, total).pvalue if total else 1.0
        rejected += p_values[pair] <= 0.05
    assert planned.power == pytest.approx(rejected / 5000, abs=0.02)
    assert 0.8 <= planned.power < 0.83
    # Percent are the same plan; other differences are planned as normal ones.
    scaled = plan_queries(100 * pilot, effect=100 * (wins - losses))
    assert scaled.n_queries == n
    mixed = plan_queries(np.append(pilot, 0.5), effect=wins - losses)
    assert mixed.n_queries < n
