"""Experimental measures: rounding, and marks that cannot be used."""

import numpy as np
import pytest

from sklearn_irmetrics import Measure, score_queries


def test_values_stay_in_range_in_spite_of_rounding():
    rng = np.random.default_rng(0)
    for _ in range(60):
        alike, y_score = np.tile(rng.random(7), (9, 1)), rng.integers(3, size=9)
        given, marks = ([1] * 9, y_score), {"membership": alike}
        assert 0 <= Measure("ild@5")(*given, vectors=alike) < 1e-12
        assert 1 - 1e-12 < Measure("awrf(target='all')@5")(*given, **marks) <= 1
        signs = np.array([[1], [-1]])
        found = Measure("ild")([1, 1], [2, 1], vectors=alike[:2] * signs)
        assert 2 - 1e-12 < found <= 2


@pytest.mark.parametrize(
    ("metric", "marks", "message"),
    [
        ("psp@1", {}, "inverse_propensity is required: 1 / the prob.*; got None"),
        ("psp@1", {"inverse_propensity": [0.5, 1]}, "between 1 and inf.*; got 0.5"),
        ("miuf@1", {"popularity": [0, 1]}, "above 0 and at most 1 .*; got 0"),
        ("miuf@1", {"popularity": [3, 1]}, "above 0 and at most 1 .*; got 3"),
        ("ild@1", {"vectors": [1, 2]}, r"one more axis, \(2, 'n_columns'\); got \(2,"),
        ("ild@1", {"vectors": [[0], [1]]}, "must not be all 0 for a retrieved"),
        ("awrf(target='all')", {"membership": [[], []]}, r"one more axis.*got \(2, 0"),
        ("awrf(target='all')", {"membership": [[-1], [0]]}, "between 0 and inf"),
        ("awrf(target=(1,))", {"membership": [[1, 0], [0, 1]]}, "for each of the 2"),
        ("awrf(target=(1, 1))", {"membership": [[1, 0], [0, 1]]}, "that sum to 1"),
        ("awrf(target='mine')", {"membership": [[1, 0], [0, 1]]}, "'relevant', 'all'"),
        ("awrf", {"membership": [[1, 0], [0, 1]]}, "'awrf' needs target"),
    ],
)
def test_bad_marks_and_targets(metric, marks, message):
    with pytest.raises(ValueError, match=message):
        score_queries([1, 0], [2, 1], metric, marks=marks)
