"""What a call with many queries takes of the memory."""

import tracemalloc

import numpy as np

from sklearn_irmetrics import score_queries


def peak(function, *args):
    """Return the bytes that a call takes at most, with what it returns."""
    function(*args)  # what is computed once is not counted
    tracemalloc.start()
    try:
        result = function(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        del result
        tracemalloc.stop()


def test_values_of_many_queries_are_not_held_twice():
    y_true, y_score = np.tile([1.0, 0.0], (2, 30_000, 1))
    names = [f"p@{k}" for k in range(1, 31)]
    assert peak(score_queries, y_true, y_score, names) < 1.6 * 30 * 8 * 30_000
