"""Ties: the closed forms against every order of the tied documents."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import hypergeom

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


@pytest.mark.parametrize(
    ("n", "r", "m"), [(1, 1, 1), (9, 4, 4), (1500, 7, 2), (1200, 600, 300)]
)
def test_effort_in_one_large_group_is_exact(n, r, m):
    # Place j holds the m-th relevant one in C(j-1, m-1) C(n-j, r-m) of C(n, r) orders.
    places = range(m, n - r + m + 1)
    ways = [math.comb(j - 1, m - 1) * math.comb(n - j, r - m) for j in places]
    assert sum(ways) == math.comb(n, r)
    total = sum(Fraction(way, j) for way, j in zip(ways, places, strict=True))
    expected = float(m * total / math.comb(n, r))
    y_true = np.random.default_rng(6).permutation(np.arange(n) < r)
    ours = sklearn_irmetrics.metrics.recall_effort_score(
        y_true, np.zeros(n), n_expected=m
    )
    assert ours == pytest.approx(expected, rel=1e-12)
    # The same group below two documents, one of them relevant.
    total = sum(Fraction(way, j + 2) for way, j in zip(ways, places, strict=True))
    expected = float((m + 1) * total / math.comb(n, r))
    y_true, y_score = [0, 1, *y_true], [9, 8] + [0] * n
    ours = sklearn_irmetrics.metrics.recall_effort_score(
        y_true, y_score, n_expected=m + 1
    )
    assert ours == pytest.approx(expected, rel=1e-12)


def exact_err(satisfied, first_rank, k):
    """ERR of tied documents, all orders alike, in fractions.

    The user passes j of them with the mean, over all j-subsets, of the product of
    1 - P: an elementary symmetric polynomial over a binomial coefficient.
    """
    n = len(satisfied)
    products = [Fraction(1)] + [Fraction(0)] * min(n, k)
    for p in satisfied:
        for j in range(len(products) - 1, 0, -1):
            products[j] += products[j - 1] * (1 - Fraction(p))
    passed = [e / math.comb(n, j) for j, e in enumerate(products)]
    stops = map(Fraction.__sub__, passed, passed[1:])
    return sum(stop / (first_rank + j) for j, stop in enumerate(stops))


@pytest.mark.parametrize(
    ("n", "k", "largest"),
    [(60, 60, 1.0), (60, 60, 1e-15), (2000, 10, 1.0), (2000, 7, 1e-9)],
)
@pytest.mark.parametrize("share", [0.02, 1.0])
@pytest.mark.parametrize("n_above", [0, 3])
def test_err_of_tied_documents_that_all_differ(n, k, largest, share, n_above):
    rng = np.random.default_rng(n)
    satisfied = rng.random(n) * largest * (rng.random(n) < share) * 0.9
    satisfied[0] = largest / 2
    grades = np.append(np.zeros(n_above), satisfied)
    scores = np.append(np.arange(n_above) + 1.0, np.zeros(n))
    expected = exact_err(satisfied, n_above + 1, k - n_above)
    found = sklearn_irmetrics.metrics.expected_reciprocal_rank_score(
        grades, scores, gain=lambda grades: grades * (grades < 2), max_grade=2.0, k=k
    )
    assert found == pytest.approx(float(expected), rel=1e-13)


def test_documents_cannot_satisfy_for_more_than_certain():
    with pytest.raises(ValueError, match="gain must be largest for max_grade"):
        sklearn_irmetrics.metrics.expected_reciprocal_rank_score(
            [1, 4], [2, 1], gain={1: 9.0, 4: 1.0}
        )


@pytest.mark.parametrize("k", [1, 7, 40, 1000])
def test_average_precision_over_retrieved_in_a_large_group(k):
    # C(k) is random too: follow the pair (count, expected sum given the count).
    n, relevant = 1200, 30
    state = {0: (1.0, 0.0)}
    for above in range(k):
        following = {}
        for found, (p, total) in state.items():
            hit = (relevant - found) / (n - above)
            for gain, chance in ((1, hit), (0, 1 - hit)):
                added = gain * (found + 1) / (above + 1)
                before = following.get(found + gain, (0.0, 0.0))
                following[found + gain] = (
                    before[0] + chance * p,
                    before[1] + chance * (total + p * added),
                )
        state = following
    expected = math.fsum(total / found for found, (_, total) in state.items() if found)
    grades = np.repeat([1, 0], [relevant, n - relevant])
    ours = sklearn_irmetrics.average_precision_score(
        grades, np.zeros(n), k=k, denominator="retrieved"
    )
    assert ours == pytest.approx(expected, rel=1e-10)


def exact_infap(n_above, relevant, nonrelevant, pooled, others):
    """Inferred AP of tied documents below others that were not judged, from SciPy."""
    n, r, total = relevant + nonrelevant + pooled + others, relevant, 0.0
    judged = np.arange(float(r + nonrelevant))
    for i in range(1, n + 1):
        chance = hypergeom.pmf(judged, n - 1, r - 1 + nonrelevant, i - 1)
        share = (r - 1) / max(r - 1 + nonrelevant, 1)
        rest = (i - 1 - judged) * (pooled / max(pooled + others, 1))
        guess = (judged * share + 1e-5) / (judged + 2e-5)
        term = 1 + math.fsum(chance * (judged + rest) * guess)
        total += r / n * term / (n_above + i)
    return total / r


@pytest.mark.parametrize("n_above", [0, 3])
@pytest.mark.parametrize(
    "counts", [(200, 300, 0, 0), (3, 900, 50, 50), (200, 150, 125, 25), (9, 0, 0, 991)]
)
def test_inferred_ap_of_large_groups(counts, n_above):
    counts = n_above, *counts
    grades = np.repeat([math.nan, 1.0, 0.0, math.nan, math.nan], counts)
    pooled = np.repeat([False, False, False, True, False], counts)
    scores = np.repeat([2.0, 1.0], [n_above, sum(counts) - n_above])
    scores[:n_above] += np.arange(n_above)
    found = sklearn_irmetrics.metrics.inferred_average_precision_score(
        grades, scores, pooled=pooled
    )
    assert found == pytest.approx(exact_infap(*counts), rel=1e-12)
