"""Scores of queries: joined from parts, and reported."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_equal

from oracles.streams import MEASURES, ROWS, make_rows, quietly
from sklearn_irmetrics import Measure, ranking_report, score_queries
from sklearn_irmetrics.reports import QueryScores
from sklearn_irmetrics.streaming import StreamingEvaluator


def test_ids_of_parts_may_be_of_different_lengths():
    parts = [
        score_queries([1, 0], [2, 1], "mrr", qid=np.array([one, one]))
        for one in ("q9", "q10")
    ]
    assert QueryScores.concat(parts).query_ids.tolist() == ["q9", "q10"]


@pytest.mark.parametrize("method", ["interval", "report"])
@pytest.mark.parametrize("change", [{"mean": {"mrr": 0.1}}, {"weights": None}])
def test_an_average_of_other_scores_has_no_interval(method, change):
    weights = {"sample_weight": [1, 1, 4]}
    found = score_queries([[1, 0], [0, 1], [1, 0]], [[1, 2]] * 3, "mrr", **weights)
    with pytest.raises(ValueError, match="QueryScores must have the average of their"):
        getattr(replace(found, **change), method)()


def cut(weights="small"):
    """Scores of all queries of one call, and of three parts."""
    y_true, y_score, rows = make_rows(np.random.default_rng(3), 40, weights)
    found = []
    for own in (rows["qid"] >= 0, *(rows["qid"] % 3 == i for i in range(3))):
        given_rows = {name: values[own] for name, values in rows.items()}
        found.append(score_queries(y_true[own], y_score[own], MEASURES, **given_rows))
    return found


@quietly
@pytest.mark.parametrize("weights", ["none", "small", "skewed"])
def test_parts_give_the_scores_of_one_call(weights):
    whole, *parts = cut(weights)
    again = [QueryScores.from_dict(json.loads(part.to_json())) for part in parts]
    joined = QueryScores.concat([QueryScores.concat(again[:2]), again[2]])
    for label in MEASURES:
        assert_allclose(joined.mean[label], whole.mean[label], rtol=1e-12)
        ends = whole.interval(label)
        assert_allclose(joined.interval(label), ends, rtol=0, atol=1e-9)
    assert joined.n_defined == whole.n_defined
    assert sorted(joined.query_ids) == sorted(whole.query_ids)


@quietly
def test_parts_that_cannot_be_joined():
    whole, one, other, _ = cut()
    scores = score_queries([1, 0], [1, -np.inf], MEASURES, qid=["a", "a"])
    weighed = score_queries(
        *([1, 0], [1, -np.inf], MEASURES), qid=["a", "a"], sample_weight=[1, 1]
    )
    changed = replace(other, mean={**other.mean, "mrr": 0.9})
    other_rules = score_queries([1, 0], [1, -np.inf], MEASURES, ties="optimistic")
    for parts, message in (
        ([], "at least one QueryScores"),
        ([one, {}], "parts must be a list of QueryScores; got a dict"),
        ([one, whole], re.escape("parts must not share a query; ")),
        ([one, one], "parts must not share a query; "),
        ([one, scores], "parts must all have weights of queries, or none"),
        ([one, weighed], "qid must be of one type in all parts"),
        ([one, changed], "got the mrr 0.9 and scores whose"),
        ([scores, other_rules], "of the same measures and rules"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            QueryScores.concat(parts)


def test_functions_of_one_name_are_different_measures():
    functions = [lambda grades: grades, lambda grades: grades**2]
    measures = [Measure("dcg", gain=one) for one in functions]
    parts = [
        score_queries(*ROWS, {"main": one}, qid=[i, i, i + 1, i + 1])
        for one, i in zip(measures, (0, 2), strict=True)
    ]
    message = "measures and rules; .* Their functions are different objects"
    with pytest.raises(ValueError, match=message):
        QueryScores.concat(parts)
    evaluators = [StreamingEvaluator({"main": one}) for one in measures]
    with pytest.raises(ValueError, match="Their functions are different objects"):
        evaluators[0].merge(evaluators[1])


def test_a_gain_that_is_a_function():
    square = Measure("ndcg", gain=np.square)
    parts = [score_queries(*ROWS, square, qid=[i, i, i + 1, i + 1]) for i in (0, 2)]
    joined = QueryScores.concat(parts)
    assert joined.mean == parts[0].mean
    assert joined.interval()[1] == 1


@quietly
def test_reports_of_scores_are_those_of_a_call():
    whole, *_ = cut()
    alone = ranking_report(whole)
    found = ranking_report({"a": whole, "b": whole})
    assert_equal(found["b"].to_dict(), alone.to_dict())
    assert_equal(alone.to_dict(), whole.report().to_dict())
    assert (alone.chance, alone.pessimistic) == (None, None)
    assert alone.estimate == whole.mean
    assert alone.n_defined == whole.n_defined
    for label, ends in alone.confidence_interval.items():
        assert_allclose(ends, whole.interval(label))
    with pytest.raises(TypeError, match="metrics must be left out"):
        ranking_report(whole, metrics="map")
