"""Gain curves as they are drawn: values, the ideal, and chance."""

import pytest
from numpy.testing import assert_allclose, assert_array_equal

from oracles.displays import COSINE, QID, Y, from_predictions
from sklearn_irmetrics.metrics import chance_level, gain_curve

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("kind", ["cg", "dcg", "ndcg"])
def test_the_gain_curve_and_its_chance(kind):
    display = from_predictions("GainCurveDisplay", metric=kind, per_query=True)
    cutoffs, values = gain_curve(Y, COSINE, metric=kind, k=15, qid=QID)
    assert_array_equal(display.cutoffs, cutoffs)
    assert_allclose(display.gain, values)
    level = chance_level(f"{kind}@7", Y, qid=QID)
    assert display.chance_level[6] == pytest.approx(level)
    assert (display.gain <= display.ideal + 1e-12).all()
    if kind == "ndcg":
        assert (display.ideal == 1).all()
        assert (display.confidence_interval <= 1).all()
    assert display.plot(plot_ideal=False).ideal_ is None
