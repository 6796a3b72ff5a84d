"""Lists of documents as frameworks hold them, and what `score_run` says of them."""

import numpy as np
from numpy.testing import assert_allclose

from sklearn_irmetrics import score_run

RNG = np.random.default_rng(0)
DOCS = [f"d{i}" for i in range(12)]
SINGLE_PRECISION = 1e-6


def draw(n):
    return RNG.choice(DOCS, n, replace=False).tolist()


GOLD = {f"q{i:02}": draw(1 + i % 4) for i in range(30)}
LISTS = {query: draw(8) for query in GOLD}

ZERO = {"replace_undefined_by": 0.0, "unmatched": "ignore"}


def values(metric, gold=GOLD, lists=LISTS):
    """Return the value of each query."""
    return score_run(gold, lists, [metric], **ZERO).scores[metric]


def assert_same(actual, expected, tolerance=1e-12):
    assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)
