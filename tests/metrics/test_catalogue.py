"""What all lists together show of a catalogue: other tools, all orders, intervals."""

import itertools
import math

import numpy as np
import pytest

from oracles import experimental as oracle
from sklearn_irmetrics.metrics import experimental

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
