"""A measure against the cutoff, as it is drawn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from oracles.displays import COSINE, QID, Y, from_predictions
from oracles.intervals import naive_interval
from sklearn_irmetrics.metrics import chance_level
from sklearn_irmetrics.reports import metric_at_cutoffs

pytest.importorskip("matplotlib")


def test_the_measure_against_the_cutoff():
    ks = [1, 5, 20]
    display = from_predictions("CutoffDisplay", metric="f(beta=2)", ks=ks)
    per_query = metric_at_cutoffs("f(beta=2)", Y, COSINE, ks, qid=QID, average=None)
    assert_allclose(display.score, per_query.mean(axis=0))
    expected = [naive_interval(one, None, (0.0, 1.0), 0.95) for one in per_query.T]
    assert_allclose(display.confidence_interval, np.transpose(expected))
    level = [chance_level(f"f(beta=2)@{k}", Y, qid=QID) for k in ks]
    assert_allclose(display.chance_level, level)
    assert display.line_.get_xdata().tolist() == ks
    assert display.ax_.get_ylabel() == "f(beta=2)@k"
    assert from_predictions("CutoffDisplay").cutoffs.tolist() == list(range(1, 21))
    assert (
        from_predictions("CutoffDisplay", ks=range(1, 31)).line_.get_marker() == "None"
    )


def test_other_averages_have_no_such_interval():
    with pytest.raises(ValueError, match="metric must be averaged .* got 'gmap'"):
        from_predictions("CutoffDisplay", metric="gmap")
