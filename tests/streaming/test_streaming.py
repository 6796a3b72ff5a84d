"""Queries in parts, however they are cut, ordered and merged, as in one call."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.exceptions import UndefinedMetricWarning

from oracles.streams import MEASURES, ROWS, make_rows, quietly, stream, stream_of
from sklearn_irmetrics import score_queries
from sklearn_irmetrics.reports import QueryScores
from sklearn_irmetrics.streaming import StreamingEvaluator


def join(rng, y_true, y_score, rows):
    """Score rows in random parts, and join the scores of queries."""
    part = rng.integers(0, rng.integers(1, 9), rows["qid"].max() + 1)[rows["qid"]]
    if "sample_weight" in rows:  # some query of each part has weight
        part[rows["sample_weight"] == 0] = part[rows["qid"] == 0][0]
    found = []
    for number in rng.permutation(np.unique(part)):
        own = part == number
        given_rows = {name: values[own] for name, values in rows.items()}
        found.append(score_queries(y_true[own], y_score[own], MEASURES, **given_rows))
    return QueryScores.concat(found)


@quietly
@pytest.mark.parametrize("weights", ["none", "small", "skewed", "tiny"])
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n_queries=st.integers(1, 60))
def test_any_partition_order_and_tree_of_merges(weights, seed, n_queries):
    rng = np.random.default_rng(seed)
    y_true, y_score, rows = make_rows(rng, n_queries, weights)
    groups = rng.integers(0, 9, n_queries)
    whole = score_queries(y_true, y_score, MEASURES, **rows)
    of_ids = {"groups": groups[whole.query_ids]}
    kept = join(rng, y_true, y_score, rows)
    sums = stream(rng, y_true, y_score, rows)
    grouped = {**rows, "groups": groups[rows["qid"]]}
    grouped = stream(rng, y_true, y_score, grouped)
    for label in MEASURES:
        for found, options in ((kept, {}), (sums, {}), (grouped, of_ids)):
            assert_allclose(found.mean[label], whole.mean[label], rtol=1e-12, atol=0)
            assert found.n_defined[label] == whole.n_defined[label]
            for level in (0.5, 0.95):
                want = whole.interval(label, confidence_level=level, **options)
                got = found.interval(label, confidence_level=level)
                assert_allclose(got, want, rtol=0, atol=1e-9 * max(1, want[1]))
    want, got = whole.report(**of_ids), grouped.report()
    assert got.interval_method == want.interval_method
    assert (got.n_defined, got.n_undefined) == (want.n_defined, want.n_undefined)
    for label in MEASURES:
        error = want.standard_error[label]
        assert_allclose(got.standard_error[label], error, rtol=1e-9)


def test_undefined_queries_are_warned_of_as_in_one_call():
    rows = [1, 0, 0, 0], [0.4, 0.3, 0.2, 0.1]
    texts = []
    for function in (
        lambda: score_queries(*rows, "map", qid=[1, 1, 2, 2]),
        lambda: stream_of(rows).compute(),
    ):
        with pytest.warns(UndefinedMetricWarning) as caught:
            function()
        texts.append([str(one.message) for one in caught])
        assert caught[0].filename == __file__
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("message", "change"),
    [
        ("2 is in two", lambda e: e.update([1, 0], [1, 2], qid=[2, 2])),
        ("2 is in two", lambda e: e.update(*ROWS, qid=[2, 2, 3, 3])),
        (
            "qid must be of one type in all parts; got numbers and then str",
            lambda e: e.update(*ROWS, qid=["3", "3", "4", "4"]),
        ),
        (
            "sample_weight must be given in all parts",
            lambda e: e.update(*ROWS, qid=[3, 3, 4, 4], sample_weight=[1] * 4),
        ),
        ("y_score", lambda e: e.update([1, 0], [np.nan, 1], qid=[3, 3])),
        ("must not be the evaluator itself", lambda e: e.merge(e)),
        ("got a dict", lambda e: e.merge({})),
    ],
)
def test_parts_that_do_not_belong_together(message, change):
    evaluator = stream_of(ROWS)
    before = pickle.dumps(evaluator)
    with pytest.raises((TypeError, ValueError), match=message):
        change(evaluator)
    assert pickle.dumps(evaluator) == before


def test_evaluators_that_share_a_query():
    one, other = (stream_of(ROWS) for _ in range(2))
    with pytest.raises(ValueError, match="2 is in two"):
        one.merge(other)
    other = stream_of(ROWS, "aabb")
    with pytest.raises(TypeError, match="got numbers and then str"):
        one.merge(other)
    assert one.compute().mean == stream_of(ROWS).compute().mean


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("metrics", {"metrics": "ndcg"}),
        ("metrics", {"metrics": "map", "relevance_threshold": 2}),
        ("ties", {"ties": "optimistic"}),
        ("replace_undefined_by", {"replace_undefined_by": 0}),
    ],
)
def test_evaluators_of_other_settings(name, options):
    other = stream_of(ROWS, [3, 3, 4, 4], **options)
    with pytest.raises(ValueError, match=f"other must have the same {name}"):
        stream_of(ROWS).merge(other)


def test_what_an_update_needs():
    with pytest.raises(ValueError, match="needs at least one update"):
        StreamingEvaluator("map").compute()
    evaluator = StreamingEvaluator("map")
    message = "groups must be constant inside a query; it varies in query 2."
    with pytest.raises(ValueError, match=message):
        evaluator.update(*ROWS, qid=[1, 1, 2, 2], groups=[1, 1, 2, 3])
    evaluator.update([[1, 0]], [[1, 2]], sample_weight=[0])
    with pytest.raises(ValueError, match="all weights are zero"):
        evaluator.compute()
    with pytest.raises(ValueError, match="gives every document a rank"):
        stream_of(([1, 0] * 2, [1.0, 0.0] * 2), metrics="set_f1").compute()


@pytest.mark.parametrize(
    ("sample_weight", "message"),
    [([0], "one weight per row"), ([0] * 3, "one weight"), ([None] * 4, "be finite")],
)
def test_weights_of_zero_are_checked_like_others(sample_weight, message):
    evaluator = StreamingEvaluator("map")
    with pytest.raises(ValueError, match=message):
        evaluator.update(*ROWS, qid=[1, 1, 2, 2], sample_weight=sample_weight)


def test_candidates_are_those_of_one_call():
    rows = [1, 0, 1, 0, 1, 2], [1, 2, 3, 4, 5, 6]
    qid, candidates = np.array([1, 1, 1, 2, 2, 2]), np.array([1, 1, 0, 1, 1, 0])
    evaluator = StreamingEvaluator("mrr")
    for part in (qid == 1, qid == 2):
        one = [np.array(column)[part] for column in rows]
        evaluator.update(*one, qid=qid[part], candidates=candidates[part])
    want = score_queries(*rows, "mrr", qid=qid, candidates=candidates)
    assert evaluator.compute().mean == want.mean == {"mrr": 0.75}


def test_the_print_names_measures_and_counts_queries():
    evaluator = StreamingEvaluator(["ndcg@10", "map"])
    assert repr(evaluator) == "StreamingEvaluator: ndcg@10, map; 0 queries so far"
    evaluator.update([[1, 0]], [[2, 1]])
    assert repr(evaluator) == "StreamingEvaluator: ndcg@10, map; 1 query so far"
    evaluator.update([[1, 0], [0, 1]], [[2, 1]] * 2, by=None)
    assert repr(evaluator).endswith("; 3 queries so far")
