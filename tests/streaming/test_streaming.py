"""Queries in parts, however they are cut, ordered and merged, as in one call."""

import json
import math
import pickle
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_equal
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_irmetrics import Measure, ranking_report, score_queries
from sklearn_irmetrics.reports import QueryScores
from sklearn_irmetrics.streaming import ScoreSummary, StreamingEvaluator

MEASURES = [
    *("ndcg@10", "mrr", "gmap", "f(average='micro')@3", "dcg", "set_f1"),
    *("set_f1(average='micro')", "rprec(replace_undefined_by=0)"),
    "ap(average='geometric', epsilon=0.1)",
]
quietly = pytest.mark.filterwarnings("ignore:.* undefined in")


def make_rows(rng, n_queries, weights):
    """Rows in no order of queries of 1 to 6 documents, some without a relevant one."""
    qid = np.repeat(np.arange(n_queries), rng.integers(1, 7, n_queries))
    has_any = rng.random(n_queries) < 0.8
    y_true = rng.integers(0, 3, len(qid)) * has_any[qid]
    y_score = np.round(rng.random(len(qid)), 1)
    y_score[rng.random(len(qid)) < 0.3] = -np.inf
    y_score[0] = 0.5  # so that they are no predictions
    own = {
        "none": None,
        "small": rng.integers(0, 3, n_queries) + (np.arange(n_queries) == 0),
        "skewed": rng.lognormal(0, 1.5, n_queries),
        "tiny": rng.random(n_queries) * 1e-90 + 1e-92,
    }[weights]
    order = rng.permutation(len(qid))
    rows = {"qid": qid[order]}
    if own is not None:
        rows["sample_weight"] = own[rows["qid"]]
    return y_true[order], y_score[order], rows


def stream(rng, y_true, y_score, rows, **options):
    """Score rows in random parts, by evaluators that are merged in a random tree."""
    part = rng.integers(0, rng.integers(1, 9), rows["qid"].max() + 1)[rows["qid"]]
    evaluators = []
    for number in rng.permutation(np.unique(part)):
        own = part == number
        if not evaluators or rng.random() < 0.7:
            evaluators.append(StreamingEvaluator(MEASURES, **options))
        given_rows = {name: values[own] for name, values in rows.items()}
        evaluators[-1].update(y_true[own], y_score[own], **given_rows)
    while len(evaluators) > 1:
        other = evaluators.pop(rng.integers(len(evaluators)))
        evaluators[rng.integers(len(evaluators))].merge(
            pickle.loads(pickle.dumps(other))
        )
    return evaluators[0].compute()


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


def test_segments_are_calls_of_their_own():
    rng = np.random.default_rng(0)
    y_true, y_score, rows = make_rows(rng, 50, "small")
    country = np.where(rows["qid"] % 3, "uk", "de")
    found = StreamingEvaluator(["mrr", "dcg"])
    for part in range(4):
        own = rows["qid"] % 4 == part
        given_rows = {name: values[own] for name, values in rows.items()}
        found.update(y_true[own], y_score[own], **given_rows, by=country[own])
    with pytest.warns(UndefinedMetricWarning):
        found = found.compute()
    report = found.report()
    for name in ("uk", "de"):
        own = country == name
        given_rows = {key: values[own] for key, values in rows.items()}
        with pytest.warns(UndefinedMetricWarning):
            want = score_queries(
                y_true[own], y_score[own], ["mrr", "dcg"], **given_rows
            )
        for label in ("mrr", "dcg"):
            assert_allclose(found.mean[label, name], want.mean[label], rtol=1e-12)
            ends = want.interval(label, confidence_level=0.975)
            alone = found.interval((label, name), confidence_level=0.975)
            assert_allclose(alone, ends, rtol=0, atol=1e-9)
            assert report.confidence_interval[label, name] == alone
    assert "They hold for all slices" in str(report)
    assert sorted(found.mean) == [(m, c) for m in ("dcg", "mrr") for c in ("de", "uk")]


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


def stream_of(rows, qid=(1, 1, 2, 2), metrics="map", **options):
    evaluator = StreamingEvaluator(metrics, **options)
    evaluator.update(*rows, qid=list(qid))
    return evaluator


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


ROWS = [1, 0, 2, 0], [0.4, 0.3, 0.2, 0.1]


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


def test_candidates_are_those_of_one_call():
    rows = [1, 0, 1, 0, 1, 2], [1, 2, 3, 4, 5, 6]
    qid, candidates = np.array([1, 1, 1, 2, 2, 2]), np.array([1, 1, 0, 1, 1, 0])
    evaluator = StreamingEvaluator("mrr")
    for part in (qid == 1, qid == 2):
        one = [np.array(column)[part] for column in rows]
        evaluator.update(*one, qid=qid[part], candidates=candidates[part])
    want = score_queries(*rows, "mrr", qid=qid, candidates=candidates)
    assert evaluator.compute().mean == want.mean == {"mrr": 0.75}


def test_ids_of_parts_may_be_of_different_lengths():
    parts = [
        score_queries([1, 0], [2, 1], "mrr", qid=np.array([one, one]))
        for one in ("q9", "q10")
    ]
    assert QueryScores.concat(parts).query_ids.tolist() == ["q9", "q10"]


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


@pytest.mark.parametrize("method", ["interval", "report"])
@pytest.mark.parametrize("change", [{"mean": {"mrr": 0.1}}, {"weights": None}])
def test_an_average_of_other_scores_has_no_interval(method, change):
    weights = {"sample_weight": [1, 1, 4]}
    found = score_queries([[1, 0], [0, 1], [1, 0]], [[1, 2]] * 3, "mrr", **weights)
    with pytest.raises(ValueError, match="QueryScores must have the average of their"):
        getattr(replace(found, **change), method)()


class TestQueryScores:
    def cut(self, weights="small"):
        """Scores of all queries of one call, and of three parts."""
        y_true, y_score, rows = make_rows(np.random.default_rng(3), 40, weights)
        found = []
        for own in (rows["qid"] >= 0, *(rows["qid"] % 3 == i for i in range(3))):
            given_rows = {name: values[own] for name, values in rows.items()}
            found.append(
                score_queries(y_true[own], y_score[own], MEASURES, **given_rows)
            )
        return found

    @quietly
    @pytest.mark.parametrize("weights", ["none", "small", "skewed"])
    def test_concat(self, weights):
        whole, *parts = self.cut(weights)
        again = [QueryScores.from_dict(json.loads(part.to_json())) for part in parts]
        joined = QueryScores.concat([QueryScores.concat(again[:2]), again[2]])
        for label in MEASURES:
            assert_allclose(joined.mean[label], whole.mean[label], rtol=1e-12)
            ends = whole.interval(label)
            assert_allclose(joined.interval(label), ends, rtol=0, atol=1e-9)
        assert joined.n_defined == whole.n_defined
        assert sorted(joined.query_ids) == sorted(whole.query_ids)

    @quietly
    def test_parts_that_cannot_be_joined(self):
        whole, one, other, _ = self.cut()
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
            ([one, changed], "the mrr of one is 0.9 and its scores have"),
            ([scores, other_rules], "of the same measures and rules"),
        ):
            with pytest.raises((TypeError, ValueError), match=message):
                QueryScores.concat(parts)

    def test_functions_of_one_name_are_different_measures(self):
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

    def test_a_gain_that_is_a_function(self):
        square = Measure("ndcg", gain=np.square)
        parts = [score_queries(*ROWS, square, qid=[i, i, i + 1, i + 1]) for i in (0, 2)]
        joined = QueryScores.concat(parts)
        assert joined.mean == parts[0].mean
        assert joined.interval()[1] == 1

    @quietly
    def test_report(self):
        whole, *_ = self.cut()
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

    @quietly
    def test_summaries_travel(self):
        y_true, y_score, rows = make_rows(np.random.default_rng(3), 40, "small")
        found = stream(np.random.default_rng(0), y_true, y_score, rows)
        again = ScoreSummary.from_dict(json.loads(found.to_json()))
        assert repr(again.report()) == repr(found.report())
        assert repr(again) == repr(found)
        with pytest.raises(ValueError, match="metric must be one of"):
            found.interval("nothing")
        with pytest.raises(ValueError, match="method must be one of"):
            found.interval(method="bca")
