"""The same number as scikit-learn, where scikit-learn has the measure."""

import numpy as np
import pytest
from sklearn import metrics

import sklearn_irmetrics as ir


def matrix(seed, *, levels=4, decimals=1, shape=(40, 12)):
    """Draw grades and tied scores; every row has something to find."""
    rng = np.random.default_rng(seed)
    y_true = rng.integers(0, levels, shape) * (rng.random(shape) < 0.6)
    y_true[:, 0] = 1
    return y_true, np.round(rng.standard_normal(shape), decimals)


@pytest.mark.parametrize("decimals", [0, 1, 9])
@pytest.mark.parametrize("k", [None, 1, 3, 10, 12, 30])
def test_dcg_and_ndcg_with_averaged_ties(k, decimals):
    y_true, y_score = matrix(1, decimals=decimals)
    weights = np.arange(1.0, 41.0)
    for name in ("dcg_score", "ndcg_score"):
        ours, theirs = getattr(ir, name), getattr(metrics, name)
        expected = theirs(y_true, y_score, k=k)
        assert ours(y_true, y_score, k=k) == pytest.approx(expected, abs=1e-12)
        expected = theirs(y_true, y_score, k=k, sample_weight=weights)
        weighted = ours(y_true, y_score, k=k, sample_weight=weights)
        assert weighted == pytest.approx(expected, abs=1e-12)


def test_stable_order_is_ignore_ties():
    y_true, y_score = matrix(5, decimals=9)
    expected = metrics.ndcg_score(y_true, y_score, ignore_ties=True)
    ours = ir.ndcg_score(y_true, y_score, ties="stable")
    assert ours == pytest.approx(expected, abs=1e-12)


def test_cohen_kappa_is_re_exported():
    assert ir.cohen_kappa_score is metrics.cohen_kappa_score
