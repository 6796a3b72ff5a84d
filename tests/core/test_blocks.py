"""Queries of many lengths together, and rankings cut at many depths."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_irmetrics import (
    alpha_ndcg_score,
    dcg_score,
    metric_at_cutoffs,
    score_queries,
)


def test_short_queries_beside_long_ones_with_subtopics():
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(9), [1, 2, 2, 3, 4, 4, 5, 6, 6])
    topics = rng.integers(0, 2, (len(qid), 3))
    scores = rng.permutation(len(qid)) * 1.0
    found = alpha_ndcg_score(topics, scores, qid=qid, average=None)
    each = [
        alpha_ndcg_score(topics[qid == q], scores[qid == q], average=None)[0]
        for q in range(9)
    ]
    assert_array_equal(found, each)


@pytest.mark.parametrize("ties", ["average", "optimistic", "pessimistic", "stable"])
@pytest.mark.parametrize("deepest", [5, 8, 11, 12])
def test_a_cut_of_a_deeper_ranking_is_the_ranking_cut_there(ties, deepest):
    rng = np.random.default_rng(1)
    for n_levels in (2, 3, 6, 40):
        scores = rng.integers(0, n_levels, (30, 12)) * 1.0
        grades = rng.integers(0, 2, (30, 12))
        names = ["precision", "dcg", "recall", "ap", "rr", "ndcg"]
        ks = [1, 2, 3, 4, 5, deepest]
        options = {"ties": ties, "average": None}
        for name in names:
            together = metric_at_cutoffs(name, grades, scores, ks, **options)
            for k, found in zip(ks, np.transpose(together), strict=True):
                (alone,) = np.transpose(
                    metric_at_cutoffs(name, grades, scores, [k], **options)
                )
                np.testing.assert_allclose(found, alone, rtol=1e-12)
        together = score_queries(grades, scores, [f"dcg@{k}" for k in ks], ties=ties)
        for k in ks:
            alone = dcg_score(grades, scores, k=k, ties=ties, average=None)
            np.testing.assert_allclose(together.scores[f"dcg@{k}"], alone, rtol=1e-12)
