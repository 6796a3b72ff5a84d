"""nDCG of spam: over all rankings, complete and truncated, of small cases."""

import itertools

import numpy as np
import pytest
from scipy.sparse import csr_array

import sklearn_irmetrics as irm
from oracles import reference as ref
from sklearn_irmetrics import Measure

pytestmark = pytest.mark.filterwarnings("ignore:.* undefined in")
GRADES = [-2.0, -1.0, 0.0, 1.0, 3.0, np.nan]
KINDS = pytest.mark.parametrize("kind", ["keep", "minmax"])
SLACK = 1e-12


def all_rankings(n):
    """Scores of all orders of all subsets of n documents."""
    orders = [
        order for m in range(n + 1) for order in itertools.permutations(range(n), m)
    ]
    scores = np.full((len(orders), n), -np.inf)
    for row, order in zip(scores, orders, strict=True):
        row[list(order)] = np.arange(len(order), 0, -1)
    return scores


@KINDS
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_over_all_rankings_the_best_order_is_1_and_nothing_above(kind, n):
    rng = np.random.default_rng(n)
    rankings, n_cases = all_rankings(n), 300
    complete = np.isfinite(rankings).all(axis=1)
    grades = rng.choice(GRADES, (n_cases, n))
    options = {"negative_grades": kind, "average": None}
    if n == 1:
        options["qid"] = np.arange(n_cases * len(rankings))
    for k in (None, 1, 2, 4):
        values = irm.ndcg_score(
            np.repeat(grades, len(rankings), axis=0),
            np.tile(rankings, (n_cases, 1)),
            k=k,
            **options,
        ).reshape(n_cases, len(rankings))
        defined = np.nan_to_num(values, nan=0.0)
        assert defined.max() <= 1 + SLACK
        best = values[:, complete].max(axis=1)
        known = ~np.isnan(best)
        np.testing.assert_allclose(best[known], 1.0, atol=SLACK)
        # Of complete rankings, all are defined or none.
        assert (np.isnan(values[:, complete]).all(axis=1) == ~known).all()
        if kind == "minmax":
            assert defined[:, complete].min() >= -SLACK
            np.testing.assert_allclose(
                values[known][:, complete].min(axis=1), 0.0, atol=SLACK
            )
            assert np.isnan(values[~known]).all()
        for case in range(0, n_cases, 97):
            expected = [
                ref.stable_order(
                    ref.ndcg, grades[case].tolist(), scores, k=k, negative_grades=kind
                )
                for scores in rankings.tolist()
            ]
            np.testing.assert_allclose(values[case], expected, atol=SLACK)


@KINDS
def test_sparse_grades_below_0_are_refused(kind):
    grades, scores = csr_array([[-1.0, 0.0, 1.0]]), csr_array([[1.0, 0.0, 2.0]])
    with pytest.raises(TypeError, match="must be dense for nDCG with negative gains"):
        irm.ndcg_score(grades, scores, negative_grades=kind)
    with pytest.raises(TypeError, match="must be dense for nDCG with negative gains"):
        gain = {0: -1, -1: -2, 1: 1}
        irm.ndcg_score(grades, scores, negative_grades=kind, gain=gain)


@KINDS
def test_values_at_many_cutoffs(kind):
    rng = np.random.default_rng(10)
    grades, scores = rng.choice(GRADES, (30, 8)), rng.integers(0, 5, (30, 8))
    options = {"negative_grades": kind, "average": None}
    measure = Measure("ndcg", negative_grades=kind)
    cutoffs, values = irm.metrics.gain_curve(
        grades, scores, metric=measure, average=None
    )
    for k in cutoffs:
        one = irm.ndcg_score(grades, scores, k=int(k), **options)
        np.testing.assert_allclose(values[:, k - 1], one, atol=SLACK)


def test_relevant_documents_that_lower_the_gain_have_no_q():
    grades, scores = [2, -1], [2, 1]
    assert irm.metrics.q_measure_score(grades, scores) == 1.0
    for gain in ("linear", {2: 2.0, -1: -0.5}):
        with pytest.raises(
            ValueError, match=r"gain at least 0; got a gain of -(1|0\.5)"
        ):
            irm.metrics.q_measure_score(
                grades, scores, relevance_threshold=-1, gain=gain
            )
    options = {"relevance_threshold": -1, "gain": {2: 2.0, -1: 0.0}}
    assert irm.metrics.q_measure_score(grades, scores, **options) == 1.0


def test_spam_at_the_end_does_not_lower_the_best_order():
    options = {"negative_grades": "keep"}
    assert irm.ndcg_score([3, 1, -1], [3, 2, 1], **options) == 1.0
    assert irm.ndcg_score([3, 1, -1], [3, 2, -np.inf], **options) == 1.0
    found = irm.ndcg_score([3, -1, 1], [3, 2, 1], **options)
    dcg = irm.dcg_score([3, -1, 1], [3, 2, 1]) / irm.dcg_score([3, 1, -1], [3, 2, 1])
    assert found == pytest.approx(dcg, abs=1e-15)
    assert irm.ndcg_score([3, 1, -1], [1, 2, 3], negative_grades="minmax") == 0.0


def test_what_is_retrieved_decides_whether_kept_grades_have_an_ideal():
    retrieved = [[2, 1], [2, -np.inf]]
    options = {"average": None, "k": 2}
    kept = irm.ndcg_score([[1, -2]] * 2, retrieved, negative_grades="keep", **options)
    np.testing.assert_array_equal(kept, [np.nan, 1.0])
    between = irm.ndcg_score(
        [[1, -2]] * 2, retrieved, negative_grades="minmax", **options
    )
    np.testing.assert_array_equal(between, [1.0, 1.0])
    equal = irm.ndcg_score([-2, -2], [2, 1], negative_grades="minmax", **options)
    assert np.isnan(equal).all()
