"""Diversity and novelty of lists, as sums over their documents and pairs."""

import itertools

import numpy as np
import pytest
from scipy.spatial.distance import cosine

from sklearn_irmetrics.metrics import experimental


@pytest.mark.parametrize("k", [2, 3, 7])
def test_diversity_is_the_mean_cosine_distance_of_pairs(k):
    rng = np.random.default_rng(k)
    vectors, y_score = rng.random((7, 4)), rng.permutation(7)
    top = vectors[np.argsort(-y_score)[:k]]
    distances = [cosine(*pair) for pair in itertools.combinations(top, 2)]
    found = experimental.intra_list_diversity_score(
        [0] * 7, y_score, vectors=vectors, k=k
    )
    assert found == pytest.approx(np.mean(distances), abs=1e-12)


@pytest.mark.parametrize("k", [1, 3, 7])
def test_self_information_is_the_mean_of_bits(k):
    rng = np.random.default_rng(k)
    popularity, y_score = rng.random(7) + 1e-3, rng.permutation(7)
    popularity = popularity / popularity.max()
    bits = -np.log2(popularity[np.argsort(-y_score)[:k]])
    found = experimental.self_information_score(
        [0] * 7, y_score, popularity=popularity, k=k
    )
    assert found == pytest.approx(bits.mean(), abs=1e-12)
