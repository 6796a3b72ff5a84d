"""Exposure and rank fairness: the numbers of other tools, and of all orders."""

import itertools
import math

import numpy as np
import pytest

from sklearn_irmetrics import Measure, score_queries
from sklearn_irmetrics.metrics import chance_level, experimental


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ([0, 1, 2, 3, 4, 5], 0.9918931489143055),
        ([5, 4, 3], 0.9105463141055299),
        ([0, 1], 0.7842384456611643),
        ([4, 2, 0, 9, 1], 0.9850576783221151),
    ],
)
def test_rank_fairness_of_trec_2022(run, expected):
    """The track's code, with discounts in float64; page 9 has no groups."""
    groups = {0: [1, 0, 0], 1: [1, 0, 0], 2: [0, 1, 0], 3: [0.5, 0.5, 0]}
    groups |= {4: [0, 0, 1], 5: [0, 1, 0], 9: [0, 0, 0]}
    found = experimental.attention_weighted_rank_fairness_score(
        [0] * len(run),
        -np.arange(len(run)),
        membership=[groups[page] for page in run],
        target=[0.5, 0.3, 0.2],
        discount="jarvelin_kekalainen",
        jsd_base=math.e,
    )
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("metric", ["ee_l", "ee_d", "ee_r", "awrf(target='all')"])
def test_chance_is_the_mean_of_random_orders(metric):
    y_true, groups = [1, 0, 1, 0], [[1, 0], [1, 0], [0, 1], [0, 1]]
    marks = {"membership": groups} if "awrf" in metric else {}
    orders = itertools.permutations(range(4))
    values = [Measure(metric)(y_true, order, **marks) for order in orders]
    found = chance_level(metric, y_true, n_permutations=500, random_state=0, **marks)
    assert found == pytest.approx(np.mean(values), abs=0.02)


@pytest.mark.parametrize(
    ("persistence", "disparity", "relevance", "loss"),
    [
        (0.5, 1.1953125, 0.83984375, 0.7044270833333333),
        (0.8, 2.2835520000000002, 2.0967072, 0.5230024533333333),
    ],
)
def test_expected_exposure_of_expeval(persistence, disparity, relevance, loss):
    """Unnormalised, complete judgments; its samples are the orders of two ties."""
    y_true, y_score = [1, 0, 1, 0, 0], [2, 2, 1, 1, -np.inf]
    measures = [f"{name}(persistence={persistence})" for name in ("ee_d", "ee_r")]
    measures.append(f"ee_l(persistence={persistence})")
    found = list(score_queries(y_true, y_score, measures).mean.values())
    np.testing.assert_allclose(found, [disparity, relevance, loss], rtol=1e-12)
