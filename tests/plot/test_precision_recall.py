"""Precision and recall as they are drawn: of queries, of one ranking, at levels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from oracles.displays import COSINE, QID, Y, from_predictions, labels
from oracles.intervals import naive_interval
from sklearn_irmetrics import (
    average_precision_score,
    eleven_point_precision_score,
    plot,
    precision_recall_curve,
)
from sklearn_irmetrics.metrics import interpolated_precision_recall_curve

pytest.importorskip("matplotlib")


def test_the_precision_recall_curve_and_its_band():
    options = {"qid": QID, "average": None}
    per_query, recall = interpolated_precision_recall_curve(Y, COSINE, **options)
    display = from_predictions("InterpolatedPrecisionRecallDisplay", per_query=True)
    assert_array_equal(display.per_query, per_query)
    assert_allclose(display.precision, per_query.mean(axis=0))
    assert_array_equal(display.line_.get_xdata(), recall)
    assert_array_equal(display.line_.get_ydata(), display.precision)
    expected = [naive_interval(one, None, (0.0, 1.0), 0.95) for one in per_query.T]
    assert_allclose(display.confidence_interval, np.transpose(expected))
    assert len(display.queries_.get_segments()) == 40
    eleven = eleven_point_precision_score(Y, COSINE, qid=QID)
    assert labels(display)[0] == f"11-pt mean = {eleven:.3f}"
    bare = display.plot(band=False, name="some")
    assert bare.band_ is None
    assert bare.queries_ is None


def test_the_precision_recall_curve_of_one_ranking_has_teeth():
    draw = plot.PrecisionRecallDisplay.from_predictions
    display = draw(Y, COSINE, name="one")
    precision, recall, thresholds = precision_recall_curve(Y, COSINE)
    assert_array_equal(display.line_.get_xydata(), np.column_stack([recall, precision]))
    assert_array_equal(display.thresholds, thresholds)
    level = average_precision_score(Y, COSINE)
    assert labels(display) == [f"one (AP = {level:.3f})", "Chance"]
    assert_allclose(display.chance_level, np.mean(Y > 0), rtol=1e-12)
    display = draw(Y, COSINE, sample_weight=np.arange(len(Y)) % 3)
    assert display.average_precision is None


@pytest.mark.parametrize("interpolation", ["right", "window"])
def test_precision_at_recall_levels(interpolation):
    options = {"interpolation": interpolation, "grid": [0.2, 0.6, 1.0]}
    display = from_predictions("PrecisionRecallDisplay", per_query=True, **options)
    each = precision_recall_curve(Y, COSINE, qid=QID, average=None, **options)
    assert_array_equal(display.per_query, each.precision)
    mean = np.nanmean(each.precision, axis=0)
    assert_allclose(display.precision, mean, rtol=1e-12)
    drawn = [line[:, 1] for line in display.queries_.get_segments()]  # without NaN
    assert_array_equal(np.concatenate(drawn), each.precision[~np.isnan(each.precision)])
    assert display.confidence_interval.shape == (2, 3)
    one = plot.PrecisionRecallDisplay.from_predictions(
        Y, COSINE, plot_chance_level=False, **options
    )
    assert one.chance_level is None and one.band_ is None
