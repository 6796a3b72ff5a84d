"""Gain at every rank: the measure at each cutoff."""

import numpy as np
import pytest

from oracles.queries import ragged_rankings
from sklearn_irmetrics import Measure
from sklearn_irmetrics.metrics import gain_curve, ndcg_score


@pytest.mark.parametrize("name", ["cg", "dcg", "ndcg"])
@pytest.mark.parametrize("ties", ["average", "pessimistic"])
def test_gain_curve_is_the_measure_at_every_cutoff(name, ties):
    y_true, y_score, qid = ragged_rankings()
    measure = Measure(name, gain="exponential")
    options = {"qid": qid, "ties": ties, "average": None}
    cutoffs, values = gain_curve(y_true, y_score, metric=measure, k=25, **options)
    np.testing.assert_array_equal(cutoffs, np.arange(1, 26))
    for k in (1, 7, 25):
        at_k = measure(y_true, y_score, k=k, **options)
        np.testing.assert_allclose(values[:, k - 1], at_k, atol=1e-12)
    named = gain_curve(y_true, y_score, metric=str(measure), k=25, **options)
    np.testing.assert_array_equal(named[1], values)


def test_gain_curve_ends_with_the_longest_query():
    y_true, y_score, qid = ragged_rankings()
    cutoffs, values = gain_curve(y_true, y_score, qid=qid, replace_undefined_by=0)
    assert cutoffs[-1] == np.bincount(qid).max()
    expected = ndcg_score(y_true, y_score, qid=qid, replace_undefined_by=0)
    assert values[-1] == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("cg(discount='log')", "discount"),
        ("dcg(negative_grades='raise')", "negative_grades"),
        ("ndcg@10", "without a cutoff; got 'ndcg@10'"),
        ("map", "measure of gain, .*got 'map'.*metric_at_cutoffs"),
    ],
)
def test_other_measures_are_refused(metric, message):
    with pytest.raises((TypeError, ValueError), match=message):
        gain_curve([1, 0], [2, 1], metric=metric)
