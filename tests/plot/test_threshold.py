"""A measure against the threshold, as it is drawn."""

import pytest

from oracles.displays import COSINE, Y, from_predictions
from sklearn_irmetrics.reports import threshold_curve

pytest.importorskip("matplotlib")


def test_a_curve_of_rows_names_its_best_threshold():
    curve = threshold_curve("set_f1", (Y > 0).astype(int), COSINE)
    display = curve.plot(name="model")
    best = curve.best
    assert display.best_.get_xdata() == [best.threshold]
    label = f"model (best {best.value:.3f} at {best.threshold:.3f})"
    assert display.line_.get_label() == label
    assert len(display.line_.get_xdata()) == len(curve.thresholds) - 1  # without inf


def test_a_curve_of_queries_has_a_band():
    display = from_predictions("ThresholdDisplay")
    assert display.band_ is not None and display.per_query.shape[0] == 40
