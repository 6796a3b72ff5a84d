"""Tests of two classifiers: against statsmodels, mlxtend, SciPy, and by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_irmetrics._statistics.classifiers import five_by_two_test, mcnemar_test

RNG = np.random.default_rng(11)
LEVEL = {"alpha": 0.05}


def rows(both, first, second, neither):
    """Rows that both, the first, the second or neither has right."""
    counts = [both, first, second, neither]
    right = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], counts, axis=0) == 1
    return RNG.permutation(right).T


# McNemar ------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [(50, 3, 9, 8), (5, 0, 6, 0), (0, 20, 1, 3)])
def test_mcnemar_against_statsmodels_and_mlxtend(table):
    both, first, second, neither = table
    p_value, _ = mcnemar_test(*rows(*table), **LEVEL)
    contingency = [[both, first], [second, neither]]
    theirs = pytest.importorskip("statsmodels.stats.contingency_tables")
    assert_allclose(p_value, theirs.mcnemar(contingency, exact=True).pvalue, rtol=1e-12)
    evaluate = pytest.importorskip("mlxtend.evaluate")
    _, expected = evaluate.mcnemar(np.array(contingency), exact=True)
    assert_allclose(p_value, expected, rtol=1e-9)


def test_mcnemar_by_hand():
    # Of five rows all are the first's: 2 / 2**5.
    p_value, _ = mcnemar_test(*rows(1, 5, 0, 1), **LEVEL)
    assert p_value == 0.0625
    # 1 of 6: (1 + 6) * 2 / 2**6.
    assert_allclose(mcnemar_test(*rows(3, 1, 5, 0), **LEVEL)[0], 14 / 64)


def test_mcnemar_and_its_interval_agree():
    rejected = 0
    for _ in range(500):
        table = RNG.integers(0, [40, 25, 25, 10])
        table[0] += 1
        alpha = RNG.choice([0.2, 0.1, 0.05, 0.01])
        p_value, (low, high) = mcnemar_test(*rows(*table), alpha=alpha)
        rejects = p_value <= alpha
        assert rejects == (not low <= 0 <= high)
        difference = (table[1] - table[2]) / table.sum()
        assert -1 <= low <= difference <= high <= 1
        rejected += rejects
    assert 50 < rejected < 450


def test_mcnemar_keeps_the_order_of_the_two():
    first, second = rows(10, 12, 1, 2)
    p_value, (low, high) = mcnemar_test(first, second, **LEVEL)
    assert low > 0
    turned = mcnemar_test(second, first, **LEVEL)
    assert_allclose([turned[0], *turned[1]], [p_value, -high, -low])


def test_mcnemar_without_a_row_that_decides():
    p_value, ends = mcnemar_test(*rows(20, 0, 0, 10), **LEVEL)
    assert p_value == 1
    assert_allclose(ends, np.array([-1, 1]) * (1 - 0.025 ** (1 / 30)))


def test_mcnemar_holds_its_level():
    rng = np.random.default_rng(0)
    rejected = 0
    for _ in range(500):
        only_one, first = rng.random((2, 80)) < [[0.3], [0.5]]
        rejected += (
            mcnemar_test(only_one & first, only_one & ~first, **LEVEL)[0] <= 0.05
        )
    assert 0.01 < rejected / 500 < 0.05 + 0.02


def test_mcnemar_p_is_never_zero():
    assert 0 < mcnemar_test(*rows(0, 5000, 0, 0), **LEVEL)[0] < 1e-300


# 5 x 2 cv -----------------------------------------------------------------------------


def test_five_by_two_against_its_formula():
    differences = RNG.normal(0.02, 0.05, (5, 2))
    p_value, _ = five_by_two_test(differences, **LEVEL)
    variances = differences.var(axis=1, ddof=1)  # of two, half the squared distance
    f = (differences**2).sum() / (2 * variances.sum())
    assert_allclose(p_value, stats.f.sf(f, 10, 5), rtol=1e-12)


def test_five_by_two_against_mlxtend():
    combined = pytest.importorskip("mlxtend.evaluate").combined_ftest_5x2cv
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.tree import DecisionTreeClassifier

    X = RNG.standard_normal((120, 4))
    y = (X[:, 0] + RNG.standard_normal(120) > 0).astype(int)
    first, second = LogisticRegression(), DecisionTreeClassifier(random_state=0)
    _, expected = combined(first, second, X, y, scoring="accuracy", random_seed=5)
    rng = np.random.RandomState(5)  # the halves that mlxtend draws
    differences = []
    for _ in range(5):
        seed = rng.randint(low=0, high=32767)
        parts = train_test_split(X, y, test_size=0.5, random_state=seed)
        A, B, a, b = parts
        differences.append(
            [
                first.fit(*train).score(*test) - second.fit(*train).score(*test)
                for train, test in (((A, a), (B, b)), ((B, b), (A, a)))
            ]
        )
    assert_allclose(five_by_two_test(np.array(differences), **LEVEL)[0], expected)


def test_five_by_two_and_its_interval_agree():
    unknown = rejected = 0
    for _ in range(2000):
        differences = RNG.normal(RNG.choice([0, 0.1, 0.3]), 0.1, (5, 2)).round(2)
        alpha = RNG.choice([0.1, 0.05])
        p_value, ends = five_by_two_test(differences, alpha=alpha)
        rejects = p_value <= alpha
        assert rejects == (not ends.low <= 0 <= ends.high)
        rejected += rejects
        unknown += np.isnan(ends.low)
    assert 200 < rejected < 1800
    assert unknown < 80


def test_five_by_two_interval_is_the_inverted_test():
    differences = RNG.normal(0.02, 0.05, (5, 2))
    _, ends = five_by_two_test(differences, **LEVEL)
    for end in ends:
        assert_allclose(five_by_two_test(differences - end, **LEVEL)[0], 0.05)


def test_five_by_two_of_extreme_values():
    assert five_by_two_test(np.zeros((5, 2)), **LEVEL) == (1.0, (0.0, 0.0))
    p_value, ends = five_by_two_test(np.full((5, 2), 0.1), **LEVEL)
    assert 0 < p_value < 1e-300
    assert_allclose(ends, 0.1)
    differences = RNG.normal(0.02, 0.05, (5, 2))
    p_value, ends = five_by_two_test(differences, **LEVEL)
    for scale in (1e-200, 1e200):
        p_scaled, scaled = five_by_two_test(differences * scale, **LEVEL)
        assert_allclose(p_scaled, p_value, rtol=1e-9)
        assert_allclose(np.array(scaled) / scale, ends, rtol=1e-9)
