"""`compare` of random scores: SciPy's p-values, all signs, and what must hold."""

import numpy as np
import pytest

from oracles.adversarial import ladder
from sklearn_irmetrics.comparison import compare

TESTS = ["permutation", "ttest", "wilcoxon", "sign", "bootstrap", "tukey"]
ROUNDS = 12


def systems(rng, n_queries, n_systems=2):
    """Draw scores: coarse, smooth, alike but for few queries, shifted, or huge."""
    kind = rng.integers(6)
    shape = n_systems, n_queries
    if kind == 0:
        return rng.choice([0.0, 0.5, 1.0], shape)
    if kind == 1:
        return rng.integers(0, 11, shape) * 0.1
    scores = rng.beta(2, 3, shape)
    if kind == 2:
        scores = np.where(rng.random(shape) < 0.3, scores, scores[:1])
    if kind == 3:
        scores = scores + rng.normal(0, 0.5, (n_systems, 1))
    if kind == 4:
        scores = scores * 10.0 ** rng.integers(-150, 150)
    if kind == 5:
        steps = ladder(rng, n_queries + 9, ["sums_of_tenths"])
        scores = rng.choice(steps, shape)
    return scores


@pytest.mark.parametrize("test", TESTS)
def test_what_does_not_change(test, rounds, hold):
    for rng in rounds(ROUNDS):
        n_queries = int(rng.integers(2, 30))
        scores = np.round(systems(rng, n_queries), 12)
        options = {"test": test, "random_state": 0, "n_resamples": 199}
        found = compare(list(scores), **options)
        half = compare(list(scores / 4), **options)
        near = {"tolerance": 1e-9}
        hold("a change of units", half.p_value, found.p_value, **near)
        turned = compare(list(scores[::-1]), **options)
        np.testing.assert_array_equal(turned.estimate, -found.estimate)
        assert (turned.wins, turned.losses) == (found.losses, found.wins)
        if test in ("ttest", "sign", "wilcoxon") or n_queries < 8:  # all signs
            if test in ("bootstrap", "tukey"):
                continue  # whose draws are random with few queries, too
            hold("systems in the other order", turned.p_value, found.p_value, **near)
            order = rng.permutation(n_queries)
            again = compare(list(scores[:, order]), **options)
            hold("queries in another order", again.p_value, found.p_value, **near)
