"""Where estimates meet each other: margins, plans, groups, costs of alarms."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from sklearn_irmetrics import (
    set_cost_matrix_loss,
    set_detection_cost_loss,
    set_false_alarm_loss,
)
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import compare, evaluate, plan_queries


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99, 0.999])
def test_what_is_planned_can_be_found(level):
    plan = plan_queries(effect=10, std=0.1, confidence_level=level)
    options = {"confidence_level": level, "n_resamples": 9999, "random_state": 0}
    old, new = np.zeros(plan.n_queries), np.linspace(9.9, 10.1, plan.n_queries)
    assert compare([new, old], **options).p_value[0] <= 1 - level + 1e-9
    assert compare([new[1:], old[1:]], **options).p_value[0] > 1 - level
    assert plan.numbers.min() == plan.n_queries


def test_a_plan_of_four_queries_is_none():
    plan = plan_queries(effect=0.3, std=0.1)
    assert plan.n_queries == 6
    assert str(plan).startswith("6 queries for effect 0.3")


@pytest.mark.parametrize(
    ("without", "n_undefined", "said"),
    [
        (range(12), 3, "3 groups undefined, left out"),
        (range(4), 1, "1 group undefined, left out"),
        ((0, 1, 5), 0, None),  # each group has something defined
    ],
)
def test_undefined_groups_are_counted_as_groups(without, n_undefined, said):
    X, y, qid = make_ranking(n_queries=40, n_docs=8, random_state=0)
    y = np.maximum(y, np.arange(len(y)) % 8 == 0)  # something to find in every query
    y[np.isin(qid, list(without))] = 0
    with pytest.warns(UserWarning, match="undefined"):
        models = {"weak": Ridge(1e5), "strong": Ridge()}
        options = {"scoring": "ndcg@10", "random_state": 0, "groups": qid // 4}
        results = evaluate(models, X, y, qid=qid, **options)
    found = results.compare(random_state=0)
    assert found.unit == "group"
    assert (found.n_units, found.n_undefined) == (10 - n_undefined, n_undefined)
    assert ("undefined" in repr(found)) == bool(said)
    assert said is None or said in repr(found)


def test_costs_of_alarms():
    """What the pages say: a cost of rates is no rate at which errors are traded."""
    event = np.repeat([1, 0], [10, 990])

    def alarms(n_hits, n_false):
        alarm = np.zeros(1000)
        alarm[:n_hits] = 1
        alarm[10 : 10 + n_false] = 1
        return event, alarm

    def rates(n_hits, n_false):
        return set_detection_cost_loss(*alarms(n_hits, n_false), miss_cost=10)

    def counts(n_hits, n_false):
        costs = [[0, 1], [10, 0]]
        return set_cost_matrix_loss(*alarms(n_hits, n_false), cost_matrix=costs)

    # One miss less pays for any number of false alarms, as their rate cannot exceed 1.
    assert rates(9, 0) > rates(10, 980)
    assert counts(9, 0) == counts(10, 10)
    assert counts(9, 0) < counts(10, 11)
    silent = alarms(0, 0)
    with pytest.warns(UserWarning, match="undefined"):
        assert np.isnan(set_detection_cost_loss(*silent))
    with pytest.warns(UserWarning, match="undefined"):
        assert np.isnan(set_false_alarm_loss(*silent))
    assert counts(0, 0) == 100
