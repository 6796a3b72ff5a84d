"""Measures of documents that are relevant or not: counts, and exact fractions."""

import math

import numpy as np
import pytest
from scipy.stats import hypergeom

import sklearn_irmetrics as irm


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
    ours = irm.average_precision_score(
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
    found = irm.metrics.inferred_average_precision_score(grades, scores, pooled=pooled)
    assert found == pytest.approx(exact_infap(*counts), rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_measures_are_counts_of_relevant_documents_above_a_rank(seed):
    rng = np.random.default_rng(seed)
    relevant = rng.permutation(np.repeat([1, 0], [5, 15]))
    y_score, found = np.arange(20, 0, -1), np.cumsum(relevant)
    first, last = relevant.argmax() + 1, 20 - relevant[::-1].argmax()
    metrics = irm.metrics
    for k in (1, 3, 5, 12, 20):
        precision, recall = found[k - 1] / k, found[k - 1] / 5
        for name, expected in {
            "precision_at_k_score": precision,
            "recall_at_k_score": recall,
            "lift_at_k_score": precision / (5 / 20),
            "fallout_at_k_loss": (k - found[k - 1]) / 15,
            "fbeta_at_k_score": 2 * found[k - 1] / (5 + k),
            "success_at_k_score": float(first <= k),
            "full_recall_at_k_score": float(last <= k),
            "reciprocal_rank_score": (first <= k) / first,
        }.items():
            value = getattr(metrics, name)(relevant, y_score, k=k)
            assert value == pytest.approx(expected, abs=1e-12), name
    assert metrics.first_rank_loss(relevant, y_score) == first
    assert metrics.last_rank_loss(relevant, y_score) == last
    assert metrics.r_precision_score(relevant, y_score) == found[4] / 5
    above = [found[rank] / (rank + 1) for rank in np.flatnonzero(relevant)]
    average = metrics.average_precision_score(relevant, y_score)
    assert average == pytest.approx(np.mean(above), abs=1e-12)
