"""Ties: the closed forms against every order of the tied documents."""

import math

import numpy as np
import pytest

import sklearn_irmetrics
from oracles import reference as ref
from oracles.cases import CLOSE, Case, queries_at_once, readable, ready

NAMES = sorted(ref.RANKED)
CASES = [
    (name, params)
    for name in NAMES
    for params in [*ref.SETTINGS[name], *ref.MEASURES[name].adversarial]
]


@pytest.mark.parametrize(("name", "params"), CASES, ids=readable)
def test_the_mean_the_best_and_the_worst_of_all_orders(name, params):
    rng = np.random.default_rng(CASES.index((name, params)))
    drawn = queries_at_once(rng, rng.integers(1, 7, 80), n_levels=[1, 2, 3])
    y_true, options = ready(name, params, drawn.y_true, drawn.marked)
    arrays, options = (y_true, drawn.y_score), options | {"qid": drawn.qid}
    over_orders = ref.per_query(ref.RANKED[name], *arrays, ties="all", **options)

    def values(ties):
        rule = {"ties": ties} if Case(name).has_ties else {}
        function = getattr(sklearn_irmetrics.metrics, name)
        return function(*arrays, average=None, **rule, **options)

    best, worst = (min, max) if name.endswith("_loss") else (max, min)
    rules = {"optimistic": best, "pessimistic": worst}
    if not ref.has_extremes(name, params):
        with pytest.raises(ValueError, match="'average' or 'stable'.*got 'optimistic'"):
            values("optimistic")
        rules = {}
    if ref.RANKED[name] not in ref.ONE_STEP:
        rules["average"] = lambda of_orders: math.fsum(of_orders) / len(of_orders)
    for ties, choose in rules.items():
        expected = list(map(choose, over_orders))
        np.testing.assert_allclose(values(ties), expected, **CLOSE, err_msg=ties)


@pytest.mark.parametrize("ties", ["optimistic", "pessimistic"])
def test_extremes_that_sorting_does_not_find(ties):
    for score in (
        sklearn_irmetrics.metrics.q_measure_score,
        sklearn_irmetrics.average_precision_score,
    ):
        shared = {"ties": ties, "denominator": "retrieved"}
        with pytest.raises(ValueError, match=f"denominator='retrieved'.*got '{ties}'"):
            score([1, 0, 1], [1, 1, 1], k=2, **shared)
        assert score([1, 0, 1], [1, 1, 1], **shared) > 0


# Groups too large to enumerate: each rank adds a term that depends only on how many
# documents of each kind stand above it, and those counts can be followed exactly.


def expected_sum(counts, term):
    """Expectation of the sum of term(rank, kind, counts above) over all orders."""
    n = sum(counts)
    chance = {(0,) * len(counts): 1.0}
    total = 0.0
    for above in range(n):
        following = {}
        for state, p in chance.items():
            for kind, left in enumerate(map(int.__sub__, counts, state)):
                if left:
                    q = p * left / (n - above)
                    total += q * term(above + 1, kind, state)
                    after = tuple(c + (i == kind) for i, c in enumerate(state))
                    following[after] = following.get(after, 0.0) + q
        chance = following
    return total


N_OTHERS, N_LOW, N_HIGH = 1500, 3, 4
LARGE_GROUP = (N_OTHERS, N_LOW, N_HIGH)
LARGE_GRADES = np.repeat([0.0, 1.0, 3.0], LARGE_GROUP)
N_RELEVANT = N_LOW + N_HIGH


def precision_term(rank, kind, above):
    return (kind > 0) * (1 + above[1] + above[2]) / rank


def first_term(rank, kind, above):
    return (kind > 0) * (above[1] + above[2] == 0) / rank


def success_at_100_term(rank, kind, above):
    return (kind > 0) * (above[1] + above[2] == 0) * (rank <= 100)


def last_by_1000_term(rank, kind, above):
    return (kind > 0) * (above[1] + above[2] == N_RELEVANT - 1) * (rank <= 1000)


def first_rank_term(rank, kind, above):
    return rank * first_term(rank, kind, above) * rank


def last_rank_term(rank, kind, above):
    return rank * (kind > 0) * (above[1] + above[2] == N_RELEVANT - 1)


def q_term(rank, kind, above):
    if kind == 0:
        return 0.0
    found = above[1] + above[2] + 1
    gained = above[1] + 3 * above[2] + (0, 1, 3)[kind]
    best = 3 * min(rank, N_HIGH) + min(max(rank - N_HIGH, 0), N_LOW)
    return (found + gained) / (rank + best)


def bpref_term(rank, kind, above):
    return (kind > 0) * (1 - min(above[0], N_RELEVANT) / N_RELEVANT)


LARGE = {
    "average_precision_score": (precision_term, N_RELEVANT, {}),
    "reciprocal_rank_score": (first_term, 1, {}),
    "success_at_k_score": (success_at_100_term, 1, {"k": 100}),
    "full_recall_at_k_score": (last_by_1000_term, 1, {"k": 1000}),
    "first_rank_loss": (first_rank_term, 1, {}),
    "last_rank_loss": (last_rank_term, 1, {}),
    "q_measure_score": (q_term, N_RELEVANT, {}),
    "bpref_score": (bpref_term, N_RELEVANT, {}),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_group(name):
    term, denominator, options = LARGE[name]
    expected = expected_sum(LARGE_GROUP, term) / denominator
    grades = np.random.default_rng(0).permutation(LARGE_GRADES)
    ours = getattr(sklearn_irmetrics.metrics, name)(
        grades, np.zeros(len(grades)), **options
    )
    assert ours == pytest.approx(expected, rel=1e-10)
