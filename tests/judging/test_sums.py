"""Which measures are sums over documents, and with which weights and gains."""

import numpy as np
import pytest

from oracles.judged import SUMS
from sklearn_irmetrics import Measure, score_queries
from sklearn_irmetrics.judging.sums import gains_of, is_sum, weights_of


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("tied", [False, True])
def test_sums_are_weights_times_gains(name, tied):
    measure = Measure(name)
    rng = np.random.default_rng(3)
    query = rng.integers(0, 9, 80)
    grades = rng.integers(0, 4, 80).astype(float)
    y_score = rng.integers(0, 5, 80) * 1.0 if tied else rng.normal(size=80)
    y_score[rng.random(80) < 0.2] = -np.inf
    assert is_sum(measure)
    _, codes = np.unique(query, return_inverse=True)
    parts = weights_of(measure, y_score, codes) * gains_of(measure, grades)
    expected = score_queries(grades, y_score, name, qid=query)
    first = {one: i for i, one in enumerate(expected.query_ids)}
    found = np.zeros(9)
    np.add.at(found, [first[one] for one in query], parts)
    assert found == pytest.approx(expected.scores[name])


@pytest.mark.parametrize(
    "name",
    [
        *("ap", "success@3", "ndcg@10", "p(judged_only=True)@3", "p(pos_label=2)@3"),
        *("p", "p(adaptive=True)@3"),
    ],
)
def test_other_measures_are_no_sums(name):
    assert not is_sum(Measure(name))
