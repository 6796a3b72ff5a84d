"""Values at each size from which other code runs, and just below and above it."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import sklearn_irmetrics as irm
from oracles import reference as ref
from oracles.cases import TIES
from sklearn_irmetrics.metrics._ranking import compute

BIG, HUGE, LARGEST = 2**53, 2.0**200, int(np.finfo(float).max)


def naive(name, y_true, y_score, ties="average", **params):
    """Return the naive value of each row."""
    values = []
    for grades, scores in zip(y_true.astype(float), y_score.astype(float), strict=True):
        f, lists = ref.RANKED[name], (grades.tolist(), scores.tolist())
        if len(np.unique(scores)) == len(scores) and scores.min() > -np.inf:
            ranked = grades[np.argsort(-scores)].tolist()  # long rows take long else
            values.append(f(ranked, [], **params))
        else:
            values.append(ref.under_ties(f, *lists, ties, **params))
    return values


def rows(width, n_rows=1, n_relevant=30):
    """Draw grades of wide rows, few of them relevant, and scores: two pairs tied."""
    rng = np.random.default_rng(width)
    grades = np.zeros((n_rows, width))
    grades[:, :n_relevant] = rng.integers(1, 4, (n_rows, min(n_relevant, width)))
    scores = rng.permuted(np.tile(np.arange(width) * 1.0, (n_rows, 1)), axis=1)
    if width < 4000:  # the reference enumerates all orders
        scores[scores == width - 2] = width - 1
        scores[scores == width - 5] = width - 4
    return rng.permuted(grades, axis=1), scores


def ulps_around(number):
    return [math.nextafter(number, 0.0), number, math.nextafter(number, math.inf)]


# Ordering, sums and blocks ------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "params", "n_rows", "widths"),
    [
        # The top is selected, not sorted.
        ("ndcg_score", {"k": 5}, 3, [511, 512, 513]),
        ("average_precision_score", {"k": 1}, 3, [511, 512, 513]),
        *[("ndcg_score", {"k": k}, 3, [512]) for k in (127, 128, 129)],
        # Few cells are sorted as they are.
        ("average_precision_score", {}, 1, [255, 256, 257]),
        # Input is checked in one step.
        ("ndcg_score", {"k": 10}, 1, [4095, 4096, 4097]),
        # Places take more than 16 bits.
        ("reciprocal_rank_score", {}, 1, [65_536, 65_537]),
        ("ndcg_score", {"k": 65_536}, 1, [65_536, 65_537]),
        # Sums of long rows are made of the sums of parts.
        ("q_measure_score", {}, 1, [16_383, 16_384, 16_385]),
        # Blocks hold more than one row, and more cells where rows are wide.
        ("average_precision_score", {}, 33, [4095]),
        ("ndcg_score", {"k": 10}, 20, [4095, 4096]),
    ],
)
@pytest.mark.parametrize("ties", TIES)
def test_widths(name, params, n_rows, widths, ties):
    if ties != "average" and min(widths) > 4000:
        return  # none are tied
    for width in widths:
        arrays = rows(width, n_rows, n_relevant=200 if params.get("k", 0) > 99 else 30)
        found = getattr(irm.metrics, name)(*arrays, ties=ties, average=None, **params)
        assert_allclose(found, naive(name, *arrays, ties, **params), rtol=1e-11)


@pytest.mark.parametrize("average", ["macro", "geometric"])
def test_means_at_cutoffs_come_from_some_at_a_time(average, monkeypatch):
    rng = np.random.default_rng(7)
    qid = np.repeat(np.arange(40), rng.integers(1, 30, 40))
    grades = rng.choice([1.0, 2.0, 4.0, 0.0], len(qid)) * (qid % 5 > 0)
    scores = rng.choice([-np.inf, 1.0, 2.0, 3.0, 4.0, 5.0], len(qid))
    options = {"qid": qid, "average": average}
    ks = [7, 1, 30, 2, 2]

    def both():
        with pytest.warns(UserWarning) as told:
            found = [
                irm.reports.metric_at_cutoffs("ndcg", grades, scores, ks, **options),
                irm.metrics.gain_curve(grades, scores, **options)[1],
                irm.reports.metric_at_cutoffs(
                    "p", grades, scores, ks, qid=qid, average="micro"
                ),
            ]
        return found, len(told)

    expected, n_warnings = both()
    monkeypatch.setattr(compute, "_VALUES_AT_ONCE", 80)
    found, n_again = both()
    assert n_again == n_warnings
    for one, other in zip(found, expected, strict=True):
        assert_allclose(one, other, rtol=1e-13)


@pytest.mark.parametrize("width", [16_384, 16_385, 65_536, 65_537])
def test_threads_share_wide_rows(width):
    arrays = rows(width)
    found = irm.score_queries(*arrays, ["ndcg@9", "map"], n_jobs=2).scores
    assert_allclose(found["ndcg@9"], naive("ndcg_score", *arrays, k=9), rtol=1e-11)
    expected = naive("average_precision_score", *arrays)
    assert_allclose(found["map"], expected, rtol=1e-11)


@pytest.mark.parametrize("n_tied", [63, 64, 65])
def test_columns_that_tie_at_the_cutoff(n_tied):
    scores = -np.arange(512.0)
    scores[:n_tied] = 1.0
    grades = np.arange(512) % 64 == 0
    expected = grades[:n_tied].sum() / n_tied
    for order in (slice(None), np.random.default_rng(n_tied).permutation(512)):
        found = irm.precision_at_k_score(grades[order], scores[order], k=1)
        assert found == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("k", [8, 9, 10, 11, 12])
def test_cutoffs_around_the_middle_of_a_deeper_ranking(k, ties):
    y_true, y_score = rows(20, 3, n_relevant=8)
    few = y_true == 3  # the reference enumerates their orders
    for n_tied in (1, *range(8, 13)):
        scores = np.minimum(y_score, 20 - n_tied)
        metrics = [f"map@{k}", "map@20", "ndcg"]
        found = irm.score_queries(few, scores, metrics, ties=ties).scores[f"map@{k}"]
        expected = naive("average_precision_score", few, scores, ties, k=k)
        assert_allclose(found, expected, rtol=1e-11)


# Types and numbers --------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:y_score is float16")
@pytest.mark.parametrize(
    "dtype", ["i1", "f2", "i2", "u2", "f4", "i4", "u4", "f8", "i8", "u8"]
)
def test_widths_of_types(dtype):
    y_true, y_score = rows(40, 3)
    arrays = y_true.astype(dtype), y_score.astype(dtype)
    expected = naive("average_precision_score", y_true, y_score)
    found = irm.average_precision_score(*arrays, average=None)
    assert_allclose(found, expected, rtol=1e-11)


# Parameters ---------------------------------------------------------------------------


@pytest.mark.parametrize("k", [BIG - 1, BIG, BIG + 1, 2**63, LARGEST])
def test_large_cutoffs(k):
    assert irm.precision_at_k_score([1, 0], [2, 1], k=k) == pytest.approx(1 / k)
    assert irm.recall_at_k_score([1, 0], [2, 1], k=k) == 1.0


@pytest.mark.parametrize(
    ("function", "y_true", "options", "message"),
    [
        (irm.precision_at_k_score, [1, 0], {"k": LARGEST + 1}, "k must"),
        (irm.dcg_score, [0, 0], {"gain": {0: 0, BIG + 1: 1}}, "gain"),
        (irm.dcg_score, [0, 0], {"gain": {0: 0, 10**400: 1}}, "gain"),
        *[
            (irm.dcg_score, [grade, 0], {"gain": "exponential"}, "grade")
            for grade in (math.nextafter(1000, 2000), 1001)
        ],
    ],
)
def test_numbers_that_are_too_large(function, y_true, options, message):
    with pytest.raises(ValueError, match=message):
        function(y_true, [2, 1], **options)


@pytest.mark.parametrize("beta", ulps_around(1e100))
def test_values_that_overflow_with_a_large_parameter(beta):
    with pytest.raises(ValueError, match="too large to add up"):
        irm.metrics.q_measure_score([[1e308, 1e308]], [[2, 1]], beta=beta)


def test_numbers_that_are_just_small_enough():
    for grade in (BIG, LARGEST):
        assert irm.dcg_score([0, 0], [2, 1], gain={0: 0, grade: 1}) == 0.0
    for grade in (math.nextafter(1000, 0), 1000):
        gain = irm.dcg_score([grade, 0], [2, 1], gain="exponential")
        assert gain / 2.0**1000 == pytest.approx(1.0)
