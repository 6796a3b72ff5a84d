"""Experimental measures: numbers of other tools, catalogues, bad values."""

import itertools
import math

import numpy as np
import pytest

from oracles import experimental as oracle
from sklearn_irmetrics import Measure, score_queries
from sklearn_irmetrics.metrics import chance_level, experimental

# Numbers that other tools print -------------------------------------------------------

LABELS = np.array(
    [
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 1, 1],
        [1, 0, 0, 0, 0, 0, 0, 0],
        [1, 0, 1, 0, 0, 0, 1, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 1, 0, 0, 1, 1],
    ]
)
LABEL_SCORES = [
    [40, 24, 19, 46, 8, 37, 44, 1],
    [28, 7, 31, 10, 27, 32, 30, 33],
    [2, 39, 18, 26, 22, 25, 0, 38],
    [9, 5, 17, 16, 29, 21, 13, 34],
    [23, 43, 15, 47, 36, 45, 3, 41],
    [6, 4, 11, 20, 42, 12, 35, 14],
]
INVERSE = [2.7427651156943007, 2.371696177249267, 2.371696177249267, 2.290298981748819]
INVERSE += [2.0635422929368223, 1.803041431468464, 1.8687989776745877]
INVERSE += [1.7191266042109095]


# By measure, at 1 to 5; napkinXC divides DCG by k.
NAPKINXC = {
    "psp": [0.17824705838309476, 0.22993258845470724, 0.3062823468806157]
    + [0.6168058594052951] * 2,
    "psndcg": [0.17824705838309476, 0.19148759705753143, 0.2379668694820511]
    + [0.38445296648836536] * 2,
    "psdcg": [0.28652110070181824, 0.2415172902224774, 0.22463094297467437]
    + [0.2754177650078166, 0.22033421200625328],
}


@pytest.mark.parametrize("name", NAPKINXC)
def test_propensity_scores_of_napkinxc(name):
    weights = np.broadcast_to(INVERSE, LABELS.shape)
    average = "macro" if name == "psdcg" else "micro"
    for k, expected in enumerate(NAPKINXC[name], start=1):
        measure = Measure(name, k=k, average=average)
        found = measure(LABELS, LABEL_SCORES, inverse_propensity=weights)
        assert found / (k if name == "psdcg" else 1) == pytest.approx(
            expected, abs=1e-12
        )


def test_inverse_propensities_of_napkinxc():
    found = experimental.inverse_propensities([1, 3, 10, 25], 30)
    expected = [3.401197381662155, 2.7379128057309217, 2.037315945070935]
    np.testing.assert_allclose(found, [*expected, 1.6554048264283183], rtol=1e-12)
    found = experimental.inverse_propensities([1, 3, 10, 25], 30, a=0.5, b=0.4)
    expected = [3.4011973816621555, 2.5408218215864418, 1.8809985818104835]
    np.testing.assert_allclose(found, [*expected, 1.5637350278048023], rtol=1e-12)


# Recommended items in order, by user, and what five users knew before (RecTools).
SHOWN = {1: [3, 5, 1], 2: [2, 3], 3: [1, 4, 6, 2]}
USERS_OF = {1: 3, 2: 2, 3: 1, 5: 1}


@pytest.mark.parametrize(
    ("k", "per_user", "coverage"),
    [
        (1, [2.321928094887362, 1.3219280948873622, 0.7369655941662062], 0.375),
        (2, [2.321928094887362, 1.8219280948873622, 1.5294468445267841], 0.625),
        (4, [1.7936072613136436, 1.8219280948873622, 1.6756874697070732], 0.75),
    ],
)
def test_novelty_and_coverage_of_rectools(k, per_user, coverage):
    items = sum(SHOWN.values(), [])
    users = np.repeat(list(SHOWN), list(map(len, SHOWN.values())))
    scores = -np.arange(len(items))
    popularity = [USERS_OF.get(item, 1) / 5 for item in items]
    found = experimental.self_information_score(
        [0] * len(items), scores, qid=users, popularity=popularity, k=k, average=None
    )
    np.testing.assert_allclose(found, per_user, rtol=1e-12)
    found = experimental.catalogue_coverage(
        scores, items=items, qid=users, n_items=8, k=k
    )
    assert found.estimate == pytest.approx(coverage, abs=1e-12)
    names = [f"item {item}" for item in items]
    assert found == experimental.catalogue_coverage(
        scores, items=names, qid=users, n_items=8, k=k
    )


@pytest.mark.parametrize(
    ("k", "gini", "coverage"),
    [(1, 0.7166666666666667, 4 / 12), (2, 0.65, 0.5), (4, 0.5166666666666667, 0.75)],
)
def test_gini_and_coverage_of_recbole(k, gini, coverage):
    lists = [[3, 5, 1, 2], [2, 3, 7, 1], [1, 4, 6, 2], [3, 1, 2, 8], [9, 3, 1, 4]]
    options = {"items": lists, "n_items": 12, "k": k}
    scores = np.broadcast_to([4, 3, 2, 1], (5, 4))
    assert experimental.catalogue_gini(scores, **options).estimate == pytest.approx(
        gini, abs=1e-12
    )
    found = experimental.catalogue_coverage(scores, **options)
    assert found.estimate == pytest.approx(coverage, abs=1e-12)
    assert (found.n_users, found.n_items) == (5, 12)
    low, high = found.confidence_interval
    assert 0.0 <= low < found.estimate < high <= 1.0


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ([0, 1, 2, 3, 4, 5], 0.9918931489143055),
        ([5, 4, 3], 0.9105463141055299),
        ([0, 1], 0.7842384456611643),
        ([4, 2, 0, 9, 1], 0.9850576783221151),
    ],
)
def test_rank_fairness_of_trec_2022(run, expected):
    """The track's code, with discounts in float64; page 9 has no groups."""
    groups = {0: [1, 0, 0], 1: [1, 0, 0], 2: [0, 1, 0], 3: [0.5, 0.5, 0]}
    groups |= {4: [0, 0, 1], 5: [0, 1, 0], 9: [0, 0, 0]}
    found = experimental.attention_weighted_rank_fairness_score(
        [0] * len(run),
        -np.arange(len(run)),
        membership=[groups[page] for page in run],
        target=[0.5, 0.3, 0.2],
        discount="jarvelin_kekalainen",
        jsd_base=math.e,
    )
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("metric", ["ee_l", "ee_d", "ee_r", "awrf(target='all')"])
def test_chance_is_the_mean_of_random_orders(metric):
    y_true, groups = [1, 0, 1, 0], [[1, 0], [1, 0], [0, 1], [0, 1]]
    marks = {"membership": groups} if "awrf" in metric else {}
    orders = itertools.permutations(range(4))
    values = [Measure(metric)(y_true, order, **marks) for order in orders]
    found = chance_level(metric, y_true, n_permutations=500, random_state=0, **marks)
    assert found == pytest.approx(np.mean(values), abs=0.02)


def test_values_stay_in_range_in_spite_of_rounding():
    rng = np.random.default_rng(0)
    for _ in range(60):
        alike, y_score = np.tile(rng.random(7), (9, 1)), rng.integers(3, size=9)
        given, marks = ([1] * 9, y_score), {"membership": alike}
        assert 0 <= Measure("ild@5")(*given, vectors=alike) < 1e-12
        assert 1 - 1e-12 < Measure("awrf(target='all')@5")(*given, **marks) <= 1
        signs = np.array([[1], [-1]])
        found = Measure("ild")([1, 1], [2, 1], vectors=alike[:2] * signs)
        assert 2 - 1e-12 < found <= 2


@pytest.mark.parametrize(
    ("persistence", "disparity", "relevance", "loss"),
    [
        (0.5, 1.1953125, 0.83984375, 0.7044270833333333),
        (0.8, 2.2835520000000002, 2.0967072, 0.5230024533333333),
    ],
)
def test_expected_exposure_of_expeval(persistence, disparity, relevance, loss):
    """Unnormalised, complete judgments; its samples are the orders of two ties."""
    y_true, y_score = [1, 0, 1, 0, 0], [2, 2, 1, 1, -np.inf]
    measures = [f"{name}(persistence={persistence})" for name in ("ee_d", "ee_r")]
    measures.append(f"ee_l(persistence={persistence})")
    found = list(score_queries(y_true, y_score, measures).mean.values())
    np.testing.assert_allclose(found, [disparity, relevance, loss], rtol=1e-12)


# All lists together -------------------------------------------------------------------


def counts_over_orders(y_score, k):
    """Yield how often each item is shown, for all orders of the tied items of users."""
    lists = [[order[:k] for order in oracle.orders_of(scores)] for scores in y_score]
    for each in itertools.product(*lists):
        yield np.bincount(sum(each, []), minlength=len(y_score[0]))


@pytest.mark.parametrize("n", [3, 7, 10, 33])
def test_items_shown_alike_have_a_gini_of_0(n):
    assert experimental.catalogue_gini(np.zeros((n, n)), k=2).estimate == 0


def naive_gini(counts):
    differences = [abs(a - b) for a, b in itertools.product(counts, repeat=2)]
    return sum(differences) / 2 / len(counts) / sum(counts)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_catalogues_over_all_orders(k):
    rng = np.random.default_rng(k)
    y_score = rng.choice([-np.inf, 1.0, 2.0], (4, 5), p=[0.2, 0.4, 0.4])
    counts = list(counts_over_orders(y_score.tolist(), k))
    coverage = experimental.catalogue_coverage(y_score, k=k).estimate
    expected = np.mean([(one > 0).mean() for one in counts])
    assert coverage == pytest.approx(expected, abs=1e-12)
    gini = experimental.catalogue_gini(y_score, k=k).estimate
    assert gini == pytest.approx(naive_gini(np.mean(counts, axis=0)), abs=1e-12)
    first = next(counts_over_orders((y_score - 1e-9 * np.arange(5)).tolist(), k))
    stable = experimental.catalogue_coverage(y_score, k=k, ties="stable").estimate
    assert stable == pytest.approx((first > 0).mean(), abs=1e-12)


def test_rows_of_users_in_any_order():
    rng = np.random.default_rng(0)
    y_score = rng.integers(0, 3, (30, 12)).astype(float)
    rows = rng.permutation(360)
    users, items = np.divmod(rows, 12)
    for measure in (experimental.catalogue_coverage, experimental.catalogue_gini):
        found = measure(y_score.ravel()[rows], items=items, qid=users, k=3)
        expected = measure(y_score, k=3)
        assert found.estimate == pytest.approx(expected.estimate, abs=1e-12)
        low, high = found.confidence_interval
        assert low < found.estimate < high
        mixed = np.array([f"{i}" if i % 2 else i for i in items], dtype=object)
        assert measure(y_score.ravel()[rows], items=mixed, qid=users, k=3) == found


@pytest.mark.parametrize("name", ["catalogue_coverage", "catalogue_gini"])
def test_intervals_hold_the_mean_of_as_many_users(name):
    """`docs/evidence/catalogue_intervals.py` looks at more of them."""
    rng = np.random.default_rng(0)
    weights = -np.log(np.arange(1.0, 201.0))
    found = [
        getattr(experimental, name)(rng.gumbel(size=(40, 200)) + weights, k=5)
        for _ in range(100)
    ]
    mean = np.mean([one.estimate for one in found])
    low, high = np.transpose([one.confidence_interval for one in found])
    assert np.mean((low <= mean) & (mean <= high)) >= 0.94
    assert np.mean(high - low) < 0.3


def test_what_leaves_doubt_about_a_catalogue():
    alike = np.broadcast_to([3.0, 2.0, 1.0, 0.0], (8, 4))
    one = experimental.catalogue_coverage(alike[:1], k=2)
    assert one.estimate == 0.5
    assert np.isnan([one.standard_error, *one.confidence_interval]).all()
    found = experimental.catalogue_coverage(alike, k=2)
    low, high = found.confidence_interval
    assert low < 0.5 < high  # another user may be unlike these
    found = experimental.catalogue_gini(alike, k=2)
    assert (found.estimate, math.isnan(found.confidence_interval.low)) == (0.5, True)
    nothing = np.full((2, 3), -np.inf)
    assert math.isnan(experimental.catalogue_gini(nothing).estimate)
    assert experimental.catalogue_coverage(nothing).estimate == 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y_score": [2, 1]}, "items is required for 1-D y_score"),
        ({"y_score": [2, 1], "items": [1]}, r"items must have the shape of y_score"),
        ({"y_score": [2, 1], "items": [7, 7]}, "an item twice for one user"),
        ({"y_score": [4, 3, 2, 1], "items": [7, 8] * 2, "k": 1}, "twice .*pass qid"),
        ({"items": [[1, 2, np.nan]] * 2}, "items must not contain missing .* row 2"),
        ({"items": [["a", 2, None]] * 2}, "items must not contain missing .* row 2"),
        ({"n_items": 2}, "n_items must be an integer >= 3; got 2"),
        ({"ties": "optimistic"}, "ties must be one of 'average', 'stable'"),
    ],
)
def test_bad_arguments_of_catalogues(arguments, message):
    arguments = {"y_score": [[3, 2, 1], [1, 2, 3]], **arguments}
    for measure in (experimental.catalogue_coverage, experimental.catalogue_gini):
        with pytest.raises(ValueError, match=message):
            measure(**arguments)


# What is refused ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "marks", "message"),
    [
        ("psp@1", {}, "inverse_propensity is required: 1 / the prob.*; got None"),
        ("psp@1", {"inverse_propensity": [0.5, 1]}, "between 1 and inf.*; got 0.5"),
        ("miuf@1", {"popularity": [0, 1]}, "above 0 and at most 1 .*; got 0"),
        ("miuf@1", {"popularity": [3, 1]}, "above 0 and at most 1 .*; got 3"),
        ("ild@1", {"vectors": [1, 2]}, r"one more axis, \(2, 'n_columns'\); got \(2,"),
        ("ild@1", {"vectors": [[0], [1]]}, "must not be all 0 for a retrieved"),
        ("awrf(target='all')", {"membership": [[], []]}, r"one more axis.*got \(2, 0"),
        ("awrf(target='all')", {"membership": [[-1], [0]]}, "between 0 and inf"),
        ("awrf(target=(1,))", {"membership": [[1, 0], [0, 1]]}, "for each of the 2"),
        ("awrf(target=(1, 1))", {"membership": [[1, 0], [0, 1]]}, "that sum to 1"),
        ("awrf(target='mine')", {"membership": [[1, 0], [0, 1]]}, "'relevant', 'all'"),
        ("awrf", {"membership": [[1, 0], [0, 1]]}, "'awrf' needs target"),
    ],
)
def test_bad_marks_and_targets(metric, marks, message):
    with pytest.raises(ValueError, match=message):
        score_queries([1, 0], [2, 1], metric, marks=marks)
