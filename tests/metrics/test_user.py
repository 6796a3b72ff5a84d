"""Coverage, novelty, effort and saved work: definitions counted by hand."""

import math
from fractions import Fraction

import numpy as np
import pytest

import sklearn_irmetrics as irm


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
    ours = irm.metrics.recall_effort_score(y_true, np.zeros(n), n_expected=m)
    assert ours == pytest.approx(expected, rel=1e-12)
    # The same group below two documents, one of them relevant.
    total = sum(Fraction(way, j + 2) for way, j in zip(ways, places, strict=True))
    expected = float((m + 1) * total / math.comb(n, r))
    y_true, y_score = [0, 1, *y_true], [9, 8] + [0] * n
    ours = irm.metrics.recall_effort_score(y_true, y_score, n_expected=m + 1)
    assert ours == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_what_users_know_and_expect_is_counted(seed):
    rng = np.random.default_rng(seed)
    relevant, known = rng.integers(0, 2, (2, 12))
    relevant[:3], known[:2], known[2] = 1, 1, 0
    y_score = rng.permutation(12) + 1.0
    shown = y_score > 3
    y_score[~shown] = -np.inf
    useful = (relevant & shown).sum()
    expected = {
        "coverage_ratio": (relevant & known & shown).sum() / (relevant & known).sum(),
        "novelty_ratio": (relevant & ~known & 1 & shown).sum() / useful,
    }
    for name, value in expected.items():
        function = getattr(irm.metrics, f"{name}_score")
        assert function(relevant, y_score, known=known) == pytest.approx(value), name
    found = irm.relative_recall_score(relevant, y_score, n_expected=12)
    assert found == pytest.approx(useful / 12)


@pytest.mark.parametrize("level", [0.3, 0.5, 1.0])
def test_work_is_saved_below_the_rank_that_reaches_a_recall(level):
    relevant = np.array([1, 0, 1, 0, 0, 1, 0, 0, 0, 0])
    reached = np.cumsum(relevant) / 3 >= level - 1e-12
    unread = 10 - (reached.argmax() + 1)
    saved = irm.metrics.work_saved_score(relevant, range(10, 0, -1), recall_level=level)
    assert saved == pytest.approx(unread / 10 - (1 - level))
