"""Users who stop when they are satisfied: exact fractions, and closed forms."""

import math
from fractions import Fraction

import numpy as np
import pytest

import sklearn_irmetrics


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
    found = sklearn_irmetrics.expected_reciprocal_rank_score(
        grades, scores, gain=lambda grades: grades * (grades < 2), max_grade=2.0, k=k
    )
    assert found == pytest.approx(float(expected), rel=1e-13)


def test_documents_cannot_satisfy_for_more_than_certain():
    with pytest.raises(ValueError, match="gain must be largest for max_grade"):
        sklearn_irmetrics.expected_reciprocal_rank_score(
            [1, 4], [2, 1], gain={1: 9.0, 4: 1.0}
        )
