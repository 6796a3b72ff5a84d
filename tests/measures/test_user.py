"""User-oriented measures, against references and every order of tied documents."""

import itertools
import math
import operator
from fractions import Fraction

import numpy as np
import pytest

from oracles import reference as ref
from sklearn_irmetrics.metrics import _user as user

coverage_ratio_score = user.coverage_ratio_score
novelty_ratio_score = user.novelty_ratio_score
relative_recall_score = user.relative_recall_score
recall_effort_score = user.recall_effort_score

CLOSE = {"rtol": 1e-12, "atol": 1e-12}
OF_KNOWN = [
    (coverage_ratio_score, ref.coverage_ratio),
    (novelty_ratio_score, ref.novelty_ratio),
]
FUNCTIONS = [score for score, _ in OF_KNOWN]
OF_EXPECTED = [
    (relative_recall_score, ref.relative_recall),
    (recall_effort_score, ref.recall_effort),
]
ALL = [
    (coverage_ratio_score, "known"),
    (novelty_ratio_score, "known"),
    (relative_recall_score, "n_expected"),
    (recall_effort_score, "n_expected"),
]


def draw(seed, n_queries=120, longest=6, levels=3):
    """Draw small shuffled queries with ties, unjudged and unretrieved documents."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), rng.integers(1, longest + 1, n_queries))
    y_true = rng.choice([0.0, 0.0, 1.0, 2.5, -1.0], len(qid))
    y_true[rng.random(len(qid)) < 0.15] = np.nan
    y_score = rng.integers(0, levels, len(qid)).astype(float)
    y_score[rng.random(len(qid)) < 0.2] = -np.inf
    shuffled = rng.permutation(len(qid))
    known = rng.random(len(qid)) < 0.4
    return y_true[shuffled], y_score[shuffled], qid[shuffled], known


# Documents known before ---------------------------------------------------------------


def test_coverage_and_novelty_example():
    # 10 relevant documents, 5 of them known; 6 found, of which the user knew 2.
    y_true = [1] * 10 + [0] * 3
    known = [1] * 5 + [0] * 5 + [1, 0, 0]
    y_score = [1] * 2 + [-np.inf] * 3 + [1] * 4 + [-np.inf] + [1] * 3
    assert coverage_ratio_score(y_true, y_score, known=known) == 2 / 5
    assert novelty_ratio_score(y_true, y_score, known=known) == 4 / 6


def orders_of(scores):
    """Yield all orders of retrieved documents by falling score."""
    retrieved = [i for i, score in enumerate(scores) if score > -np.inf]
    for order in itertools.permutations(retrieved):
        if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order)):
            yield order


def at_k(name, relevant, known, order, k):
    """Work out a measure of known documents for one order."""
    top = [i for i in order[:k] if relevant[i]]
    if name == "coverage":
        return ref.divide(
            sum(known[i] for i in top), sum(map(operator.and_, relevant, known))
        )
    if not any(relevant[i] for i in order):
        return math.nan
    return ref.divide(sum(not known[i] for i in top), len(top), undefined=0.0)


@pytest.mark.parametrize("k", [1, 2, 3, 5, 9])
def test_known_documents_at_a_cutoff_agree_with_every_order(k):
    y_true, y_score, qid, known = draw(8, n_queries=60, levels=2)
    for score, name in zip(FUNCTIONS, ("coverage", "novelty"), strict=True):
        expected = {ties: [] for ties in ("average", "optimistic", "pessimistic")}
        for rows in ref.query_rows(qid.tolist(), len(qid)).values():
            relevant = [ref.is_relevant(y_true[row]) for row in rows]
            knew = [bool(known[row]) for row in rows]
            values = [
                at_k(name, relevant, knew, order, k)
                for order in orders_of([y_score[row] for row in rows])
            ]
            expected["average"].append(math.fsum(values) / len(values))
            expected["optimistic"].append(max(values))
            expected["pessimistic"].append(min(values))
        best, worst = expected["optimistic"], expected["pessimistic"]
        assert k > 2 or np.nansum(best) > np.nansum(worst)
        for ties, values in expected.items():
            ours = score(
                y_true, y_score, known=known, qid=qid, k=k, ties=ties, average=None
            )
            np.testing.assert_allclose(ours, values, **CLOSE)


# Documents expected -------------------------------------------------------------------


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
    ours = recall_effort_score(y_true, np.zeros(n), n_expected=m)
    assert ours == pytest.approx(expected, rel=1e-12)
    # The same group below two documents, one of them relevant.
    total = sum(Fraction(way, j + 2) for way, j in zip(ways, places, strict=True))
    expected = float((m + 1) * total / math.comb(n, r))
    y_true, y_score = [0, 1, *y_true], [9, 8] + [0] * n
    ours = recall_effort_score(y_true, y_score, n_expected=m + 1)
    assert ours == pytest.approx(expected, rel=1e-12)


def test_effort_and_relative_recall_examples():
    y_true, y_score = [0, 1, 0, 1, 1], [5, 4, 3, 2, 1]
    assert recall_effort_score(y_true, y_score, n_expected=2) == 0.5
    assert recall_effort_score(y_true, y_score, n_expected=3) == 0.6
    assert recall_effort_score(y_true, y_score, n_expected=4) == 0.0
    assert relative_recall_score(y_true, y_score, n_expected=6) == 0.5
    assert relative_recall_score(y_true, y_score, n_expected=2) == 1.5
    unretrieved = [5, 4, 3, 2, -np.inf]
    assert recall_effort_score(y_true, unretrieved, n_expected=3) == 0.0
    assert relative_recall_score(y_true, unretrieved, n_expected=3) == 2 / 3


def test_expected_documents_are_always_defined():
    for score, _ in OF_EXPECTED:
        for y_true, y_score in (([0, 0], [1, 2]), ([1, np.nan], [-np.inf, -np.inf])):
            assert score(y_true, y_score, n_expected=1) == 0.0


# Bad input ----------------------------------------------------------------------------


@pytest.mark.parametrize(("score", "needed"), ALL)
def test_what_is_needed_has_no_default(score, needed):
    with pytest.raises(TypeError, match=needed):
        score([1, 0], [2, 1])
