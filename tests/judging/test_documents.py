"""Judged documents in every form of input."""

import numpy as np
import pytest

from oracles.judged import SUMS, make_judged, row_of, sampled
from sklearn_irmetrics.judging import sample_judgments, score_judged


def test_queries_without_weight_are_as_if_they_were_not_there():
    truth, y_judge, y_score = make_judged(n_queries=60, n_labelled=60)
    sample = sample_judgments(y_score, 150, metric="dcg@5", random_state=0)
    y_true = np.where(sample.selected, truth, np.nan)
    weights = np.tile([0.0, 1.0, 1.0, 1.0], 15)
    kept = weights > 0
    inclusion = sample.inclusion
    whole = score_judged(
        *(y_true, y_judge, y_score, "dcg@5"), inclusion=inclusion, sample_weight=weights
    )
    arrays = (one[kept] for one in (y_true, y_judge, y_score))
    part = score_judged(*arrays, "dcg@5", inclusion=inclusion[kept])
    assert whole.n_labelled == part.n_labelled
    one, other = (row_of(found, "dcg@5") for found in (whole, part))
    assert one.estimate == pytest.approx(other.estimate)
    assert one.confidence_interval == pytest.approx(other.confidence_interval)
    assert one.effective_labels == pytest.approx(other.effective_labels)


def test_forms_of_input_agree():
    pytest.importorskip("pandas")
    _, y_true, y_judge, y_score, inclusion = data = sampled(n_queries=30)
    expected = score_judged(*data[1:4], SUMS, inclusion=inclusion).to_frame()
    order = np.random.default_rng(1).permutation(y_true.size)
    qid = np.arange(30).repeat(12)[order]
    rows = [a.ravel()[order] for a in data[1:]]
    weight = np.full(360, 2.5)
    found = score_judged(
        *rows[:3], SUMS, inclusion=rows[3], qid=qid, sample_weight=weight, groups=qid
    )
    assert np.allclose(found.to_frame(), expected, equal_nan=True)
