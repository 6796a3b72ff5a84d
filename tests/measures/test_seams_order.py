"""What the order of rows, queries and subtopics changes, and weights of documents."""

import itertools
import math

import numpy as np
import pytest

import sklearn_irmetrics as irm
from oracles.cases import call_of
from oracles.measures import METRICS

RANKING = [name for name, row in METRICS.items() if row.ranks and not row.subtopics]


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.3, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("n_subtopics", [1, 2, 5, 33])
def test_alpha_ndcg_of_rows_in_any_order(alpha, n_subtopics):
    rng = np.random.default_rng(n_subtopics)
    for n in (3, 12, 60, 150):
        y_true = rng.random((n, n_subtopics)) < rng.choice([0.1, 0.5])
        y_score = rng.permutation(n)
        shared = {"alpha": alpha, "replace_undefined_by": 0.0}
        expected = irm.alpha_ndcg_score(y_true, y_score, **shared)
        for _ in range(10):
            rows = rng.permutation(n)
            found = irm.alpha_ndcg_score(y_true[rows], y_score[rows], **shared)
            assert found == pytest.approx(expected, abs=1e-13)


def test_what_is_left_out_of_gains_that_fade_is_nothing():
    # 2000 tied documents, half of which hold the subtopic: with replacement the sum
    # could be written down; without, it follows the number met, rank by rank.
    n, c, alpha = 2000, 1000, 0.5
    y_true = np.repeat([[1], [0]], c, axis=0)
    chance, total, left = np.eye(c + 1)[0], 0.0, c - np.arange(c + 1.0)
    for above in range(200):  # later ranks add less than 1e-20
        hit = left / (n - above)
        met = chance * hit
        total += (met * alpha ** np.arange(c + 1.0)).sum() / (above + 1)
        chance = chance - met + np.append(0.0, met[:-1])
    norm = math.fsum(alpha**r / (r + 1) for r in range(n))
    found = irm.intent_aware_reciprocal_rank_score(y_true, np.zeros(n), alpha=alpha)
    assert found == pytest.approx(total / norm, rel=1e-13)


# Weights of documents ---------------------------------------------------------------

WEIGHED = "ap", "map", "gmap", "roc_auc"
GRADES, WEIGHTS = [1, 0, 2, 0, 0], [1.0, 2.0, 3.0, 4.0, 0.5]


@pytest.mark.parametrize("metric", RANKING)
def test_chance_of_weighted_documents_is_the_mean_over_all_orders(metric):
    row = METRICS[metric]
    _, options = call_of(metric, 5, 1)
    options |= {"qid": None, "average": None, "sample_weight": WEIGHTS}
    if metric not in WEIGHED:
        with pytest.raises(ValueError, match="ap and roc_auc take one weight per doc"):
            irm.chance_level(metric, GRADES, **options)
        return
    orders = list(itertools.permutations(range(5)))
    values = [float(row.function(GRADES, order, **options)[0]) for order in orders]
    options |= {"random_state": 0, "n_permutations": 2000}
    (found,) = irm.chance_level(metric, GRADES, **options)
    error = 0.0 if metric == "roc_auc" else np.std(values) / math.sqrt(2000)
    assert found == pytest.approx(np.mean(values), abs=4 * error + 1e-12)


def test_chance_of_average_precision_where_weights_begin_to_differ():
    weights = np.array([1, 2, 3, 4])
    options = {"sample_weight": weights, "random_state": 0, "n_permutations": 2000}
    for kind in ("macro", "geometric"):
        found = irm.chance_level("map", [1, 0, 2, 0], average=kind, **options)
        assert found == pytest.approx(0.62976, abs=0.02)
    options["sample_weight"] = 1 + 1e-9 * weights
    found = irm.chance_level("map", [1, 0, 0, 1], **options)
    assert found == pytest.approx(irm.chance_level("map", [1, 0, 0, 1]), abs=0.02)
    assert irm.chance_level("roc_auc", [1, 0, 2, 0], sample_weight=weights) == 0.5


def test_ties_of_weighted_documents_are_one_step():
    y_true, tied = [1, 0, 0, 1], [0, 0, 0, 0]
    score = irm.average_precision_score
    assert score(y_true, tied, sample_weight=[2] * 4) == score(y_true, tied) != 0.5
    assert score(y_true, tied, sample_weight=[1, 1, 2, 2]) == 0.5


# Best and worst orders that sorting does not find -----------------------------------


@pytest.mark.parametrize("ties", ["optimistic", "pessimistic"])
def test_extremes_that_sorting_does_not_find(ties):
    arrays, shared = ([1, 0, -1], [1, 1, 1]), {"ties": ties, "relevance_threshold": -1}
    with pytest.raises(ValueError, match=f"relevant documents gain less.*got '{ties}'"):
        irm.q_measure_score(*arrays, beta=2, **shared)
    assert 0 <= irm.q_measure_score(*arrays, beta=0.5, **shared) <= 1
    for score in (irm.q_measure_score, irm.average_precision_score):
        shared = {"ties": ties, "denominator": "retrieved"}
        with pytest.raises(ValueError, match=f"denominator='retrieved'.*got '{ties}'"):
            score([1, 0, 1], [1, 1, 1], k=2, **shared)
        assert score([1, 0, 1], [1, 1, 1], **shared) > 0


def test_a_report_leaves_out_orders_that_are_not_known():
    report = irm.ranking_report(
        [1, 0, 1, 0],
        [1, 1, 1, 0],
        metrics=["ap(denominator='retrieved')@2", "ap@2"],
        output="dict",
    )["measures"]
    unknown, known = report.values()
    assert math.isnan(unknown["optimistic"])
    assert known["pessimistic"] < known["mean"] < known["optimistic"]
