"""Users who stop when they are satisfied: exact fractions, and closed forms."""

import math
from fractions import Fraction

import numpy as np
import pytest

import sklearn_irmetrics as irm


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
    found = irm.metrics.expected_reciprocal_rank_score(
        grades, scores, gain=lambda grades: grades * (grades < 2), max_grade=2.0, k=k
    )
    assert found == pytest.approx(float(expected), rel=1e-13)


def test_documents_cannot_satisfy_for_more_than_certain():
    with pytest.raises(ValueError, match="gain must be largest for max_grade"):
        irm.metrics.expected_reciprocal_rank_score(
            [1, 4], [2, 1], gain={1: 9.0, 4: 1.0}
        )


@pytest.mark.parametrize("persistence", [0.5, 0.8, 0.95])
def test_the_residual_is_what_unjudged_documents_and_later_ranks_could_add(persistence):
    judged = np.array([1.0, np.nan, 0.0, 1.0, np.nan])
    y_score, options = np.arange(5, 0, -1), {"persistence": persistence}
    residual = irm.metrics.rank_biased_precision_residual(judged, y_score, **options)
    least = irm.metrics.rank_biased_precision_score(judged, y_score, **options)
    most = irm.metrics.rank_biased_precision_score(
        np.nan_to_num(judged, nan=1.0), y_score, **options
    )
    assert least + residual == pytest.approx(most + persistence**5, abs=1e-12)
    everything = irm.metrics.rank_biased_precision_score(np.ones(5), y_score, **options)
    assert everything == pytest.approx(1 - persistence**5, abs=1e-12)
