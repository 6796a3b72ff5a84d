"""Displays of measures of subtopics."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

pytest.importorskip("matplotlib")
plt = pytest.importorskip("matplotlib.pyplot")

import sklearn_irmetrics as irm  # noqa: E402
from sklearn_irmetrics.plot import (  # noqa: E402
    CutoffDisplay,
    EvaluationDisplay,
    QueryDifferenceDisplay,
)


@pytest.fixture
def arrays():
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(20), 8)
    y_true = (rng.random((160, 3)) < 0.3).astype(int)
    y_true[::8, 0] = 1
    yield y_true, rng.integers(0, 5, 160), {"qid": qid, "sample_weight": 1.0 + qid % 3}
    plt.close("all")


def test_subtopics_met_by_rank(arrays):
    y_true, y_score, shared = arrays
    name, ks = "subtopic_recall", [1, 2, 5]
    shown = CutoffDisplay.from_predictions(
        y_true, y_score, metric=name, ks=ks, **shared
    )
    expected = irm.metric_at_cutoffs(name, y_true, y_score, ks, **shared)
    assert_allclose(shown.score, expected)
    chance = [irm.chance_level(name, y_true, k=k, **shared) for k in ks]
    assert_allclose(shown.chance_level, chance)
    assert shown.ax_.get_ylabel() == "subtopic_recall@k"


def test_other_displays(arrays):
    y_true, y_score, shared = arrays
    metric, scores = "alpha_ndcg@5", (y_score, -y_score)
    display = QueryDifferenceDisplay.from_predictions(
        y_true, y_score, baseline=-y_score, metric=metric, qid=shared["qid"]
    )
    first, second = (
        irm.alpha_ndcg_score(y_true, one, k=5, qid=shared["qid"], average=None)
        for one in scores
    )
    assert_allclose(display.differences, first - second)
    display = EvaluationDisplay.from_predictions(
        y_true, y_score, metrics=[metric, "ndcg@5"], **shared
    )
    assert display.estimates[0] == irm.alpha_ndcg_score(y_true, y_score, k=5, **shared)
