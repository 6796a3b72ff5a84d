"""An evaluator gives the numbers of `score_queries`, bit for bit, again and again."""

import copy
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import UndefinedMetricWarning

from oracles import reference as ref
from oracles.cases import TIES, marks_of_all, queries_at_once, sparse, spelled
from oracles.measures import METRICS
from sklearn_irmetrics import Measure, score_queries
from sklearn_irmetrics.exceptions import LowPrecisionWarning
from sklearn_irmetrics.reports import RankingEvaluator
from sklearn_irmetrics.streaming import StreamingEvaluator

OF_KIND = {
    kind: [name for name, row in METRICS.items() if row.kind == kind]
    for kind in ("ranking", "set", "labels")
}
RANKED = [
    name
    for name in OF_KIND["ranking"]
    if not (METRICS[name].marks or METRICS[name].subtopics)
]


def named(metric):
    """Write a measure that takes any grades, cut where it can be, and not."""
    row, measure = METRICS[metric], Measure(spelled(metric))
    arguments = measure.arguments
    if "negative_grades" in row.parameters:
        arguments["negative_grades"] = "keep"
    found = [Measure(metric, **arguments)]
    if "k" in row.parameters:
        found.append(Measure(metric, **{**arguments, "k": 3}))
    if "judged_only" in row.parameters:
        found.append(Measure(metric, **{**arguments, "judged_only": True}))
    return found


ALL = {
    str(measure): measure
    for name in [*RANKED, *OF_KIND["set"]]
    for measure in named(name)
}


def all_with(ties):
    """Return all measures that take a rule for ties."""
    if ties not in ("optimistic", "pessimistic"):
        return ALL
    return {
        label: measure
        for label, measure in ALL.items()
        if ref.has_extremes(measure.metric.function.__name__, measure.arguments)
    }


# Which take no sparse rankings.
CORRELATIONS = ("kendall_tau", "spearman_rho", "tau_ap", "rbo")


def outcome(function, *arguments, **options):
    """Return what a call gives: scores and warnings, or its error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(*arguments, **options)
        except Exception as error:
            return type(error), str(error)
    return result, sorted((w.category.__name__, str(w.message)) for w in caught)


def assert_identical(actual, expected):
    if isinstance(expected[0], type):
        assert actual == expected
        return
    (actual, told), (expected, also_told) = actual, expected
    assert told == also_told
    assert actual.mean.keys() == expected.mean.keys()
    np.testing.assert_array_equal(actual.query_ids, expected.query_ids)
    for label, values in expected.scores.items():
        np.testing.assert_array_equal(actual.scores[label], values, err_msg=label)
        assert values.dtype == actual.scores[label].dtype
        np.testing.assert_equal(actual.mean[label], expected.mean[label])


def check(y_true, rankings, metrics, *, errors=0, **options):
    """Compare an evaluator with `score_queries` on several rankings, in turn.

    So many of the rankings are refused.
    """
    evaluator = RankingEvaluator(y_true, metrics, **options)
    again = pickle.loads(pickle.dumps(evaluator))
    refused = 0
    for y_score in [*rankings, rankings[0]]:
        expected = outcome(score_queries, y_true, y_score, metrics, **options)
        refused += isinstance(expected[0], type)
        assert_identical(outcome(evaluator.score_queries, y_score), expected)
        means = outcome(again, y_score)
        if isinstance(expected[0], type):
            assert means == expected
            continue
        assert means[1] == expected[1]
        np.testing.assert_equal(means[0], expected[0].mean)
        assert {type(value) for value in means[0].values()} == {float}
    assert refused == errors
    return evaluator


def adversarial(seed, lengths):
    """Return judged rankings, and other scores: ties, -inf elsewhere, in all few."""
    rng = np.random.default_rng(seed)
    rankings = queries_at_once(rng, lengths)
    n = len(rankings.qid)
    other = rng.integers(0, 5, n) * 1.0
    other[rng.random(n) < 0.5] = -np.inf
    untied = rng.permutation(n).astype(np.float32)
    whole = rng.integers(-3, 3, n) * 1.0
    for scores in (untied, whole):  # which says what was retrieved
        scores[-1] = -np.inf
    return rankings, [rankings.y_score, other, untied, whole, rng.random(n) < 0.5]


LENGTHS = [1, 2, 1, 40, 7, 5, 12, 1, 30, 9, 8, 300, 3, 6, 25, 2, 90] * 2


@pytest.mark.parametrize(
    ("ties", "weighted"), [("average", False), *((ties, True) for ties in TIES)]
)
def test_rows_with_ids(ties, weighted):
    rankings, scores = adversarial(1, LENGTHS)
    weights = np.random.default_rng(0).integers(0, 4, len(LENGTHS)) / 4
    options = {"sample_weight": weights[rankings.qid]} if weighted else {}
    ids = np.array([f"q{i}" for i in rankings.qid])
    scores = scores if ties == "average" else scores[:2]
    check(rankings.y_true, scores, all_with(ties), qid=ids, ties=ties, **options)


@pytest.mark.parametrize("name", ALL)
def test_each_measure_alone(name):
    rankings, scores = adversarial(2, LENGTHS[:12])
    check(rankings.y_true, scores, {"m": ALL[name]}, qid=rankings.qid)


@pytest.mark.parametrize(
    "general",
    [{"relevance_threshold": 2}, {"judged_only": True}],
)
def test_general_arguments_that_no_measure_has(general):
    for call in (RankingEvaluator, partial(score_queries, y_score=[1, 2])):
        with pytest.raises(ValueError, match=f"{[*general][0]} must be a parameter of"):
            call([1, 0], metrics="judged@2", **general)


@pytest.mark.parametrize("ties", TIES)
def test_rows_of_one_query_and_of_equal_ones(ties):
    rankings, scores = adversarial(3, [60])
    check(rankings.y_true, scores[:2], all_with(ties), ties=ties)
    rankings, scores = adversarial(4, [15] * 8)
    in_order = np.argsort(rankings.qid, kind="stable")
    scores = [one[in_order] for one in scores[:2]]
    options = {"qid": rankings.qid[in_order], "ties": ties}
    check(rankings.y_true[in_order], scores, all_with(ties), **options)
    scores = [one.reshape(8, 15) for one in scores]
    grades = rankings.y_true[in_order].reshape(8, 15)
    weights = [1, 0, 2, 3, 1, 1, 1, 2]
    check(grades, scores, all_with(ties), ties=ties, sample_weight=weights)
    check(
        np.ma.getdata(grades).tolist(), [scores[0].tolist()], all_with(ties), ties=ties
    )


@pytest.mark.parametrize("ties", TIES)
def test_sparse_rows(ties):
    rankings, scores = adversarial(5, LENGTHS[:12])
    grades, first, _ = rankings.rectangle()
    grades = np.where(np.isnan(grades), 0.0, grades)
    dense = [rankings.scored(one * 1.0).rectangle()[1] for one in scores]
    stored = [sparse(one, -np.inf) for one in dense]
    grades = np.maximum(grades, 0.0)
    metrics = {
        label: measure
        for label, measure in all_with(ties).items()
        if measure.metric.name not in CORRELATIONS
    }
    check(sparse(grades, 0.0), [*stored, *dense], metrics, ties=ties)
    check(sparse(grades, 0.0), stored, "tau", ties=ties, errors=6)


def test_sparse_grades_beside_dense_scores_take_a_gain_of_grade_0():
    dcg, grades = Measure("dcg", gain={0: 1.0, 1: 2.0}), csr_array([[0, 1, 0]])
    scores = np.array([[3.0, 2.0, 1.0]])
    expected = score_queries(grades, scores, dcg).mean
    assert RankingEvaluator(grades, dcg)(scores) == expected


def test_class_labels():
    rng = np.random.default_rng(6)
    labels, classes = rng.choice(list("abcd"), 50), list("dacb")
    y_true = labels[:, np.newaxis] == classes
    scores = [rng.random((50, 4)), rng.integers(0, 3, (50, 4))]
    scores = [np.where(rng.random((50, 4)) < 0.4, -np.inf, one) for one in scores]
    check(y_true, scores, ALL)


@pytest.mark.parametrize("name", [name for name in METRICS if METRICS[name].marks])
def test_marks(name):
    rankings, scores = adversarial(7, LENGTHS)
    marks = marks_of_all([name], rankings.marked)
    metrics = {str(measure): measure for measure in named(name)}
    check(rankings.y_true, scores, metrics, qid=rankings.qid, marks=marks)


@pytest.mark.parametrize("given", [True, False])
def test_pooled_documents_of_inferred_ap(given):
    rankings, scores = adversarial(8, LENGTHS)
    marks = {"pooled": rankings.marked} if given else None
    check(rankings.y_true, scores, "infap", qid=rankings.qid, marks=marks)


@pytest.mark.parametrize("ties", ["average", "stable"])
def test_subtopics_beside_others(ties):
    rankings, scores = adversarial(9, LENGTHS)
    grades = np.column_stack([rankings.y_true, np.roll(rankings.y_true, 3)])
    metrics = [spelled(name) for name in METRICS if METRICS[name].subtopics]
    metrics += ["mrr", "set_p"]
    check(grades, scores, metrics, qid=rankings.qid, ties=ties)
    grades = np.abs(np.nan_to_num(grades))
    metrics += ["scott_pi", "set_p(pos_label=2)"]
    metrics.remove("set_p")
    labels = np.random.default_rng(9).integers(0, 4, len(grades))
    check(grades, [labels], metrics, qid=rankings.qid, ties=ties)


def test_sets_of_a_class_and_labels_beside_rankings():
    rankings, scores = adversarial(10, LENGTHS)
    grades = np.maximum(np.nan_to_num(rankings.y_true), 0).astype(int)
    metrics = ["mrr", "set_p(pos_label=2)", "scott_pi"]
    labels = [np.random.default_rng(10).integers(0, 4, len(grades)), scores[4]]
    options = {"qid": rankings.qid, "replace_undefined_by": 0.5}
    # Booleans are no classes.
    evaluator = check(grades, labels, metrics, errors=1, **options)
    expected = evaluator(labels[0])
    grades[:], rankings.qid[:] = 1, 3
    assert evaluator(labels[0]) == expected


@pytest.mark.parametrize("where", ["flat", "dense"])
def test_tensors(where):
    torch = pytest.importorskip("torch")
    rankings, scores = adversarial(11, [20] * 9)
    in_order = np.argsort(rankings.qid, kind="stable")
    options = {"qid": torch.tensor(rankings.qid)} if where == "flat" else {}
    arrays = [rankings.y_true, *scores]
    if where == "dense":
        arrays = [array[in_order].reshape(9, 20) for array in arrays]
    grades, *scores = map(torch.tensor, arrays)
    for ties in TIES:
        few = scores if ties == "average" else scores[:1]
        evaluator = check(grades, few, all_with(ties), ties=ties, **options)
    large = grades * 1e59
    check(large, scores, ["dcg", "ndcg(negative_grades='keep')"], **options)
    with pytest.warns(UndefinedMetricWarning):
        np.testing.assert_equal(evaluator(scores[0]), evaluator(arrays[1]))


def test_large_grades_overflow_in_some_rankings_only():
    grades = [1e308, 1e308, 0, 0]
    first, last = [2, -np.inf, 1, 0], [3, 2, 1, 0]
    metrics = ["dcg(discount='reciprocal')@3", "cg@2"]
    check(grades, [first, last], metrics, errors=1)
    check([1.5e308, 1.5e308, 0], [[1, 2, 3]], "ndcg", errors=2)


@pytest.mark.parametrize("form", ["flat", "even", "dense", "sparse", "tensor"])
@pytest.mark.parametrize(
    ("metric", "grades"),
    [
        ("ndcg", [0, 1, -1, 2, 0, 0]),
        ("ndcg(gain='exponential')", [0, 1, 1001, 2, 0, 0]),
        ("err(max_grade=2)", [0, 1, 3, 2, 0, 0]),
        (Measure("ndcg", discount=lambda ranks: ranks), [0, 1, 1, 2, 0, 0]),
    ],
)
def test_refuses_the_grades_that_score_queries_refuses(metric, grades, form):
    grades, options = np.array(grades), {"qid": [1, 1, 2, 2, 2, 3]}
    if form == "tensor":
        grades = pytest.importorskip("torch").tensor(grades)
    elif form != "flat":
        options["qid"] = [1, 1, 1, 2, 2, 2]
    if form in ("dense", "sparse"):
        grades, options = grades.reshape(2, 3), {}
    grades = csr_array(grades) if form == "sparse" else grades
    error, message = outcome(score_queries, grades, grades, metric, **options)
    assert error is ValueError
    assert outcome(RankingEvaluator, grades, metric, **options) == (error, message)


@pytest.mark.parametrize("dtype", ["<f2", ">f2"])
def test_coarse_scores_warn_each_time(dtype):
    evaluator = RankingEvaluator([1, 0, 2], "map")
    tied = np.array([1, 1, 0], dtype)
    for _ in range(2):
        with pytest.warns(LowPrecisionWarning, match="float16"):
            evaluator(tied)
    assert (
        evaluator(tied.astype(float)) == score_queries([1, 0, 2], [1, 1, 0], "map").mean
    )


@pytest.mark.parametrize("method", ["__call__", "score_queries"])
def test_undefined_queries_warn_the_caller_each_time(method):
    evaluator = RankingEvaluator([1, 0, 0, 0], "map", qid=[1, 1, 2, 2])
    for _ in range(2):
        with pytest.warns(UndefinedMetricWarning, match="in 1 of 2 queries") as caught:
            getattr(evaluator, method)([1, 2, 3, 4])
        assert caught[0].filename == __file__
    evaluator = RankingEvaluator(
        [1, 0, 0, 0], "map", qid=[1, 1, 2, 2], replace_undefined_by=-1
    )
    assert evaluator([2, 1, 3, 4]) == {"map": 0.0}


def test_one_warning_for_each_cause_names_the_measures():
    y_true, y_score = [[1, 0], [0, 0], [0, 0]], [[2, 1]] * 3
    metrics = {"first": "map", "ndcg@5": "ndcg@5", "dcg": "dcg", "quiet": "silence"}
    evaluator = RankingEvaluator(y_true, metrics)
    stream = StreamingEvaluator(metrics)
    stream.update(y_true, y_score)
    for function in (
        partial(score_queries, y_true, y_score, metrics),
        partial(evaluator, y_score),
        partial(evaluator.score_queries, y_score),
        stream.compute,
    ):
        with pytest.warns(UndefinedMetricWarning) as caught:
            function()
        assert [str(one.message).split(", which")[0] for one in caught] == [
            "first and ndcg@5 are undefined in 2 of 3 queries (usually because nothing "
            "is relevant)",
            "quiet is undefined in 1 of 3 queries (something is relevant)",
        ]
        assert caught[0].filename == __file__
    micro = ["set_recall(average='micro')", "set_recall"]
    options = {"sample_weight": [1, 2, 0]}
    returned = np.array(y_score) > 1
    with pytest.warns(UndefinedMetricWarning, match="^set_recall is .* 1 of 2 queries"):
        score_queries(y_true, returned, micro, **options)


# What is shared -----------------------------------------------------------------------


def test_threads_share_one():
    rankings, scores = adversarial(12, LENGTHS)
    scores = scores[:-1] * 2
    evaluator = RankingEvaluator(rankings.y_true, ALL, qid=rankings.qid)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [evaluator(one) for one in scores]
        fresh = RankingEvaluator(rankings.y_true, ALL, qid=rankings.qid)
        with ThreadPoolExecutor(8) as threads:
            found = list(threads.map(fresh, scores))
        one, two = (fresh.score_queries(scores[0], n_jobs=n) for n in (None, 2))
    for one_by_one, together in zip(expected, found, strict=True):
        np.testing.assert_equal(together, one_by_one)
    np.testing.assert_equal(two.scores, one.scores)


def test_nobody_can_change_it():
    grades, marks = np.array([[1.0, 0, 2], [0, 1, 0]]), np.ones((2, 3), bool)
    weights = np.array([1.0, 2.0])
    scores = np.array([[3.0, 2, 1], [1, 2, 3]])
    evaluator = RankingEvaluator(
        grades, ["ndcg", "coverage"], sample_weight=weights, marks={"known": marks}
    )
    before = evaluator(scores)
    grades[:], marks[:], weights[:] = 0, False, 1
    result = evaluator.score_queries(scores)
    result.query_ids[:] = 7
    result.scores["ndcg"][:] = 7
    evaluator.query_ids[:] = 7
    evaluator.measures.clear()
    assert evaluator(scores) == before
    assert evaluator.query_ids.tolist() == [0, 1]
    assert copy.deepcopy(evaluator)(scores) == before
    with pytest.raises(AttributeError):
        evaluator.measures = {}
    np.testing.assert_array_equal(scores, [[3, 2, 1], [1, 2, 3]])


def test_shows_what_it_computes():
    evaluator = RankingEvaluator([1, 0], {"early": "p@1", "map": "AP"})
    assert evaluator.measures == {"early": Measure("p@1"), "map": Measure("ap")}


# Mistakes -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y_true", "y_score", "options", "message"),
    [
        ([1, 0, 2], [1, 2], {}, r"y_score must have the shape .* \(3,\); got \(2,\)"),
        ([1, 0, 2], [[1, 2, 3]], {}, r"\(3,\); got \(1, 3\)"),
        ([[1, 0, 2]], [1, 2, 3], {}, r"\(1, 3\); got \(3,\)"),
        ([1, 0, 2], 3, {}, "y_score must be 1-D or 2-D; got the scalar 3"),
        ([1, 0], [1, 2, 3], {"qid": [1, 1]}, r"\(2,\); got \(3,\)"),
        ([1, 0], [1, np.nan], {}, "y_score must not contain NaN; got one in row 1"),
        ([1, 0], ["a", "b"], {}, "(?s)y_score must hold real numbers.*kappa"),
        ([1, 0], np.ma.array([1, 2]), {}, "y_score must not be a masked array"),
        ([[1, 0]], csr_array([[1, 2]]), {}, "y_score must be dense where y_true is"),
        ([[1, 0], [0, 1]], [[1, 2]], {}, r"\(2, 2\); got \(1, 2\)"),
        (csr_array([[1, 0]]), csr_array([[1]]), {}, r"\(1, 2\); got \(1, 1\)"),
    ],
)
@pytest.mark.parametrize("method", ["__call__", "score_queries"])
def test_scores_that_do_not_fit(y_true, y_score, options, message, method):
    evaluator = RankingEvaluator(y_true, "map", **options)
    with pytest.raises((TypeError, ValueError), match=message):
        getattr(evaluator, method)(y_score)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 0], "ndgc"), "metrics: 'ndgc' is not a measure"),
        (([1, 0], "ndcg(average=None)"), "metrics must be averaged over queries"),
        (([1, np.inf], "ndcg"), "y_true must hold finite grades"),
        (([[1], [0, 1]], "ndcg"), "y_true must be a rectangular array"),
        (([], "ndcg"), "y_true and y_score must be 1-D or 2-D and hold at least one"),
        (([1, 2], "ndcg(gain={1: 1})"), "gain must list every grade that occurs"),
        (([1, 0], "relative_recall"), "needs n_expected"),
        (([1, 0], "coverage"), "known is required: which documents"),
        ((csr_array([[1, 0]]), "ndcg(beta=1)"), "has no parameter 'beta'"),
        ((["a", "b"], "mrr"), "y_true must hold grades; got the labels"),
        (([1, 0], "alpha_ndcg"), r"y_true must have the shape \(n_documents, n_sub"),
    ],
)
def test_mistakes_show_before_any_score(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        RankingEvaluator(*arguments)


def test_the_print_names_measures_and_counts_queries():
    evaluator = RankingEvaluator([1, 0, 1], ["ndcg@10", "map"], qid=["a", "a", "b"])
    assert repr(evaluator) == "RankingEvaluator: ndcg@10, map; judgments of 2 queries"
