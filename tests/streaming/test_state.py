"""The sums that an evaluator keeps: exact, small, and the same however they are cut."""

import math
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

from oracles.streams import ROWS
from sklearn_irmetrics import score_queries
from sklearn_irmetrics.streaming import StreamingEvaluator


def test_many_states_have_the_mean_of_fsum():
    rng = np.random.default_rng(0)
    evaluator = StreamingEvaluator("dcg")
    scores = []
    for _ in range(300):
        y_true = rng.integers(0, 9, (7, 3)) * 10**6
        part = StreamingEvaluator("dcg")
        part.update(y_true, rng.random((7, 3)))
        y_score = rng.random((7, 3))
        evaluator.update(y_true, y_score)
        scores += score_queries(y_true, y_score, "dcg").scores["dcg"].tolist()
    exact = math.fsum(scores) / len(scores)
    assert_allclose(evaluator.compute().mean["dcg"], exact, rtol=1e-14)


def test_a_state_does_not_grow():
    sizes = []
    for n_queries in (10, 10_000):
        y_score = np.random.default_rng(0).random((n_queries, 3))
        evaluator = StreamingEvaluator(["map", "ndcg@10"])
        evaluator.update(np.tile([0, 1, 2], (n_queries, 1)), y_score)
        sizes.append(len(pickle.dumps(evaluator)))
    assert sizes[0] == sizes[1] < 10_000


@pytest.mark.parametrize("weights", [(1e-120, 1.0), (1.0, 1e-300), (5e-324, 1e-5)])
def test_the_weights_of_a_part_may_be_tiny(weights):
    evaluators = [StreamingEvaluator("map") for _ in weights]
    scores, qid = [[1, 2, 2, 1], [1, 2, 3, 1]], [[1, 1, 2, 2], [3, 3, 4, 4]]
    parts = zip(evaluators, scores, qid, weights, strict=True)
    for one, y_score, ids, weight in parts:
        one.update([1, 0] * 2, y_score, qid=ids, sample_weight=[weight, weight, 0, 0])
    evaluators[0].merge(evaluators[1])
    row_weights = np.repeat([weights[0], 0, weights[1], 0], 2)
    data = {"qid": np.ravel(qid), "sample_weight": row_weights}
    whole = score_queries([1, 0] * 4, np.ravel(scores), "map", **data)
    assert evaluators[0].compute().mean == whole.mean


def test_weights_that_are_all_tiny_are_refused_as_in_one_call():
    rows = {"qid": [1, 1, 2, 2], "sample_weight": [1e-200] * 4}
    message = "largest value between 1e-100 and 1e100"
    with pytest.raises(ValueError, match=message):
        score_queries(*ROWS, "map", **rows)
    evaluator = StreamingEvaluator("map")
    evaluator.update(*ROWS, **rows)
    with pytest.raises(ValueError, match=message):
        evaluator.compute()


@pytest.mark.parametrize("average", ["macro", "micro", "geometric"])
@pytest.mark.parametrize("weights", [None, [1, 1, 2], [1, 2, 0], [0, 0, 1], [0, 1, 0]])
def test_what_was_retrieved_is_said_in_all_parts_or_in_none(average, weights):
    """What was retrieved may be said in any part, as in any query of one call."""
    metric = f"set_f1(average={average!r})"
    y_true = np.array([[1, 0], [0, 1], [1, 1]])
    for last, is_said in ([0.5, -np.inf], True), ([1, 0], False):
        y_score = np.array([[1.0, 0], [0, 1], last])
        found = []
        for parts in ([[0, 1, 2]], [[0, 1], [2]], [[0], [1, 2]], [[0], [1], [2]]):
            evaluator = StreamingEvaluator(metric)
            for rows in parts:
                some = None if weights is None else np.take(weights, rows)
                evaluator.update(y_true[rows], y_score[rows], sample_weight=some)
            if not is_said:
                with pytest.raises(ValueError, match="gives every document a rank"):
                    evaluator.compute()
                continue
            found.append(evaluator.compute().mean[metric])
        if is_said:
            whole = score_queries(y_true, y_score, metric, sample_weight=weights)
            assert_allclose(found, whole.mean[metric], rtol=1e-12)
