"""ROC curves as they are drawn: of queries, and of one ranking."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from oracles.displays import COSINE, QID, Y, from_predictions, labels
from sklearn_irmetrics import plot, roc_auc_score, roc_curve

pytest.importorskip("matplotlib")


def test_the_roc_curve_is_exact():
    display = from_predictions("RocDisplay", per_query=True)
    fpr, tpr, _ = roc_curve(Y, COSINE, qid=QID)
    assert (display.fpr[0], display.tpr[0]) == (0, 0)
    assert_array_equal(display.fpr, fpr)
    assert_array_equal(display.line_.get_xydata(), np.column_stack([fpr, tpr]))
    assert display.roc_auc == roc_auc_score(Y, COSINE, qid=QID)
    assert len(display.queries_.get_segments()) == 40
    grid, per_query, _ = roc_curve(Y, COSINE, qid=QID, average=None)
    assert_array_equal(display.grid, grid)
    assert_array_equal(display.per_query, per_query)
    coarse = from_predictions("RocDisplay", grid=[0, 0.5, 1])
    assert coarse.confidence_interval.shape == (2, 3)
    assert_array_equal(coarse.tpr, tpr)


def test_the_roc_curve_of_one_ranking_has_thresholds():
    draw = plot.RocDisplay.from_predictions
    display = draw(Y, COSINE, name="one")
    fpr, tpr, thresholds = roc_curve(Y, COSINE)
    assert_array_equal(display.line_.get_xydata(), np.column_stack([fpr, tpr]))
    assert_array_equal(display.thresholds, thresholds)
    assert labels(display)[0] == f"one (AUC = {roc_auc_score(Y, COSINE):.3f})"
    few = draw([1, 0, 1, 0, 0], [5, 4, 3, 2, 1])
    assert_allclose(few.chance_level[1, ::2], np.arange(4) / 4, atol=1e-15)
    weights = np.arange(len(Y)) % 3
    display = draw(Y, COSINE, sample_weight=weights)
    area = roc_auc_score(Y, COSINE, sample_weight=weights)
    assert display.roc_auc == pytest.approx(area, abs=1e-12)
    assert_array_equal(display.chance_level_.get_xydata(), [[0, 0], [1, 1]])
