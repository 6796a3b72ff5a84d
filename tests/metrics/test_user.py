"""Coverage, novelty, effort and saved work: definitions counted by hand."""

import math
from fractions import Fraction

import numpy as np
import pytest

import sklearn_irmetrics


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
