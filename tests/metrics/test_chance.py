"""What random orders get: exactly where a formula is known, else by drawing them."""

import itertools
import math

import numpy as np
import pytest
from scipy.sparse import csr_array

import sklearn_irmetrics as irm
from oracles import reference as ref
from oracles.cases import call_of, usual
from oracles.measures import METRICS

EXACT = [
    name
    for name, row in METRICS.items()
    if row.function.__name__ in ref.RANKED and row.exact_ties and row.ranks
]


@pytest.mark.parametrize("name", sorted(set(EXACT) - {"gmap", "f1"}))
@pytest.mark.parametrize("k", [None, 1, 3])
def test_chance_is_the_mean_over_all_orders(name, k):
    row = METRICS[name]
    arguments = usual(name) | ({"k": k} if "k" in row.parameters else {})
    grades = [0.0, 2.0, 0.0, float("nan"), 1.0, 4.0]
    reference = ref.RANKED[row.function.__name__]
    expected = ref.mean_over_orders(reference, grades, [0.0] * len(grades), **arguments)
    assert irm.metrics.chance_level(name, grades, **arguments) == pytest.approx(
        expected, abs=1e-12
    )


@pytest.mark.parametrize("name", ["iprec@0.5", "11pt", "pr_auc"])
def test_chance_without_a_closed_form_is_sampled(name):
    grades = [0.0, 2.0, 0.0, 0.0, 1.0, 4.0]
    row = METRICS[name.partition("@")[0]]
    arguments = {"recall_level": 0.5} if "@" in name else {}
    reference = ref.RANKED[row.function.__name__]
    expected = ref.mean_over_orders(reference, grades, [0.0] * len(grades), **arguments)
    value, few, again = (
        irm.metrics.chance_level(name, grades, n_permutations=n, random_state=0)
        for n in (4000, 5, 5)
    )
    assert value == pytest.approx(expected, abs=0.01)
    assert few == again != pytest.approx(expected, abs=1e-12)


def test_chance_of_many_queries_and_forms():
    grades = np.array([[1, 0, 0, 2], [0, 0, 3, 0]])
    flat = irm.metrics.chance_level("ndcg@2", grades.ravel(), qid=np.repeat([0, 1], 4))
    assert irm.metrics.chance_level("ndcg@2", grades) == flat
    assert irm.metrics.chance_level("ndcg@2", csr_array(grades)) == flat
    assert irm.metrics.chance_level(irm.ndcg_score, grades, k=2) == flat
    weighted = irm.metrics.chance_level("map", grades, sample_weight=[3, 1])
    per_query = irm.metrics.chance_level("map", grades, average=None)
    assert weighted == pytest.approx(per_query @ [0.75, 0.25], abs=1e-15)
    sampled = irm.metrics.chance_level(
        "11pt", grades, sample_weight=[3, 1], n_permutations=5, random_state=0
    )
    values = irm.metrics.chance_level(
        "11pt", grades, average=None, n_permutations=5, random_state=0
    )
    assert sampled == pytest.approx(values @ [0.75, 0.25], abs=1e-15)


RANKING = [name for name, row in METRICS.items() if row.ranks and not row.subtopics]
WEIGHED = "ap", "map", "gmap", "roc_auc", "recall_at_precision", "recall_at_fpr"
GRADES, WEIGHTS = [1, 0, 2, 0, 0], [1.0, 2.0, 3.0, 4.0, 0.5]


@pytest.mark.parametrize("metric", RANKING)
def test_chance_of_weighted_documents_is_the_mean_over_all_orders(metric):
    row = METRICS[metric]
    _, options = call_of(metric, 5, 1)
    options |= {"qid": None, "average": None, "sample_weight": WEIGHTS}
    if metric not in WEIGHED:
        with pytest.raises(ValueError, match="and recall_at_fpr_score take one weight"):
            irm.metrics.chance_level(metric, GRADES, **options)
        return
    orders = list(itertools.permutations(range(5)))
    values = [float(row.function(GRADES, order, **options)[0]) for order in orders]
    options |= {"random_state": 0, "n_permutations": 2000}
    (found,) = irm.metrics.chance_level(metric, GRADES, **options)
    error = 0.0 if metric == "roc_auc" else np.std(values) / math.sqrt(2000)
    assert found == pytest.approx(np.mean(values), abs=4 * error + 1e-12)


def test_chance_of_average_precision_where_weights_begin_to_differ():
    weights = np.array([1, 2, 3, 4])
    options = {"sample_weight": weights, "random_state": 0, "n_permutations": 2000}
    for kind in ("macro", "geometric"):
        found = irm.metrics.chance_level("map", [1, 0, 2, 0], average=kind, **options)
        assert found == pytest.approx(0.62976, abs=0.02)
    options["sample_weight"] = 1 + 1e-9 * weights
    found = irm.metrics.chance_level("map", [1, 0, 0, 1], **options)
    assert found == pytest.approx(
        irm.metrics.chance_level("map", [1, 0, 0, 1]), abs=0.02
    )
    assert (
        irm.metrics.chance_level("roc_auc", [1, 0, 2, 0], sample_weight=weights) == 0.5
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (("kendall", [1, 0]), "metric must rank documents"),
        (("set_p", [1, 0]), "metric must rank documents"),
        ((len, [1, 0]), "metric must rank documents"),
    ],
)
def test_measures_without_chance(call, message):
    with pytest.raises(ValueError, match=message):
        irm.metrics.chance_level(*call)


def test_adjust_for_chance():
    assert irm.metrics.adjust_for_chance(0.75, 0.5) == 0.5
    assert np.isnan(irm.metrics.adjust_for_chance(1.0, 1.0))
    adjusted = irm.metrics.adjust_for_chance([1.0, 0.2], 0.2)
    np.testing.assert_allclose(adjusted, [1.0, 0.0], atol=1e-15)
    assert irm.metrics.adjust_for_chance(1 + 1e-12, 0.5) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="not be better than best; got .* of 1.5"):
        irm.metrics.adjust_for_chance([0.5, 1.5], 0.5)
    with pytest.raises(ValueError, match=r"score and chance must .*\(2,\) and \(3,\)"):
        irm.metrics.adjust_for_chance([1, 0], [0.1, 0.2, 0.3])


def test_ranks_and_losses_adjusted_for_chance():
    # The adjusted mean rank index is 1 - (mean rank - 1) / (expected rank - 1).
    y_true, y_score = [[0, 1, 0, 0], [0, 0, 0, 1]], [[4, 3, 2, 1], [1, 3, 2, 4]]
    rank = irm.metrics.first_rank_loss(y_true, y_score)
    chance = irm.metrics.chance_level("first_rank", y_true)
    assert (rank, chance) == (1.5, 2.5)
    assert irm.metrics.adjust_for_chance(rank, chance) == pytest.approx(1 - 0.5 / 1.5)
    assert irm.metrics.adjust_for_chance([1.0, 2.5, 4.0], chance).tolist() == [
        1.0,
        0.0,
        -1.0,
    ]
    fallout = irm.metrics.fallout_at_k_loss(y_true, y_score, k=2)
    chance = irm.metrics.chance_level("fallout@2", y_true)
    assert (fallout, chance) == (1 / 3, 0.5)
    adjusted = irm.metrics.adjust_for_chance([0.0, fallout, 0.5, 1.0], chance, best=0)
    np.testing.assert_allclose(adjusted, [1, 1 / 3, 0, -1], atol=1e-15)
    with pytest.raises(ValueError, match="score of 0.5 where chance is 2.5, and best="):
        irm.metrics.adjust_for_chance(0.5, 2.5)  # no rank
    with pytest.raises(ValueError, match="best must be a finite number"):
        irm.metrics.adjust_for_chance(0.5, 0.2, best=np.nan)


def test_bad_arguments_of_chance():
    with pytest.raises(ValueError, match="ties must not be given"):
        irm.metrics.chance_level("map", [1, 0], ties="stable")
    with pytest.raises(ValueError, match="n_permutations must be an integer >= 1"):
        irm.metrics.chance_level("11pt", [1, 0], n_permutations=0)
