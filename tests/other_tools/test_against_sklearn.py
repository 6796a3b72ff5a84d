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


def flat(y_true, y_score):
    """Cut the same rows into queries of different lengths."""
    n_rows, n_columns = y_true.shape
    lengths = np.random.default_rng(0).integers(2, n_columns + 1, n_rows)
    kept = np.arange(n_columns) < lengths[:, np.newaxis]
    return y_true[kept], y_score[kept], np.repeat(np.arange(n_rows), lengths)


def by_query(score, y_true, y_score, qid, **options):
    return np.array(
        [score(y_true[qid == q], y_score[qid == q], **options) for q in np.unique(qid)]
    )


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


def test_an_empty_query_counts_zero_there():
    y_true, y_score = matrix(6)
    y_true[::3] = 0
    expected = metrics.ndcg_score(y_true, y_score)
    ours = ir.ndcg_score(y_true, y_score, replace_undefined_by=0.0)
    assert ours == pytest.approx(expected, abs=1e-12)


def test_precision_and_recall_at_k_of_a_threshold():
    # The top k of a ranking without ties is what a threshold at its k-th score keeps.
    y_true, y_score, qid = flat(*matrix(10, levels=2, decimals=12))
    for k in (1, 2):
        for ours, theirs in (
            (ir.precision_at_k_score, metrics.precision_score),
            (ir.recall_at_k_score, metrics.recall_score),
            (ir.fbeta_at_k_score, metrics.f1_score),
        ):

            def score(grades, scores, k=k, theirs=theirs):
                return theirs(grades, scores >= np.sort(scores)[-k])

            values = ours(y_true, y_score, qid=qid, k=k, average=None)
            expected = by_query(score, y_true, y_score, qid)
            np.testing.assert_allclose(values, expected, atol=1e-12)


def test_cohen_kappa_is_re_exported():
    assert ir.cohen_kappa_score is metrics.cohen_kappa_score
