"""A measure at thresholds, and silence, against scores that were cut by hand."""

from functools import partial
from time import perf_counter

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    fbeta_score,
    precision_score,
    recall_score,
)

import sklearn_irmetrics as irm
from oracles.cases import Case, default_settings, marks_of, queries_at_once, sparse
from sklearn_irmetrics.exceptions import LowPrecisionWarning
from sklearn_irmetrics.metrics import max_fbeta_score
from sklearn_irmetrics.metrics._registry import METRICS
from sklearn_irmetrics.reports import threshold_curve, thresholds

LEVELS = [0.5, -np.inf, 2.0, 0.0, 2.0, np.inf, -1.0]
TAKEN = [
    name
    for name, row in METRICS.items()
    if row.kind != "labels" and not row.arguments and not row.subtopics
]
QUIET = {"replace_undefined_by": 1.25}


def drawn(seed=0, n_queries=30):
    rng = np.random.default_rng(seed)
    rankings = queries_at_once(rng, rng.integers(1, 8, n_queries), n_levels=[3])
    scores = rng.choice([-np.inf, -1.0, 0.0, 0.5, 1.0, 2.0, 3.5], len(rankings.qid))
    return rankings.scored(scores)


def values_at(metric, y_true, y_score, thresholds, **options):
    """Return the values of the curve at some thresholds."""
    curve = threshold_curve(metric, y_true, y_score, thresholds=thresholds, **options)
    return curve.values


def cut(scores, level):
    """Return scores, one by one, with -inf for those below a threshold."""
    return np.array([s if s >= level else -np.inf for s in scores.tolist()])


@pytest.mark.parametrize("name", TAKEN)
def test_every_measure_of_scores_that_were_cut(name):
    data, row = drawn(), METRICS[name]
    function = row.function.__name__
    case = Case(function, default_settings(function))
    marks = marks_of(function, data.marked)
    y_true = case.grades(data.y_true)
    options = {"qid": data.qid, **QUIET}
    measure = irm.Measure(name, **case.params)
    found = values_at(
        measure, y_true, data.y_score, LEVELS, marks=marks, average=None, **options
    )
    means = values_at(measure, y_true, data.y_score, LEVELS, marks=marks, **options)
    options |= {} if case.is_set else marks
    for level, values, mean in zip(LEVELS, found.T, means, strict=True):
        scores = case.scores(cut(data.y_score, level))
        expected = row.function(y_true, scores, average=None, **case.params, **options)
        np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-12)
        expected = row.function(y_true, scores, **case.params, **options)
        assert mean == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("metric", ["recall@3", "silence", "ndcg@2", "set_f1", "p"])
@pytest.mark.parametrize("ties", ["average", "optimistic", "stable"])
def test_every_form_of_input(metric, ties):
    rng = np.random.default_rng(1)
    y_true = rng.choice([0.0, 0.0, 1.0, 2.0], (12, 6))
    y_true[::3] = 0
    y_score = rng.choice([-np.inf, 0.1, 0.2, 0.7, 0.9], (12, 6))
    shared = {"ties": ties, "average": None, **QUIET}
    levels = [0.7, 0.15, 0.2]
    expected = values_at(metric, y_true, y_score, levels, **shared)
    flat, qid = (y_true.ravel(), y_score.ravel()), np.repeat(np.arange(12), 6)
    rows = rng.permutation(72)
    by_first = np.argsort(list(dict.fromkeys(qid[rows].tolist())))
    shuffled = values_at(
        metric, *(one[rows] for one in flat), levels, qid=qid[rows], **shared
    )[by_first]
    if ties != "stable":
        np.testing.assert_allclose(shuffled, expected, atol=1e-12)
    for arrays, options in (
        ([*flat], {"qid": qid}),
        ([one.tolist() for one in flat], {"qid": [f"q{i:02}" for i in qid]}),
        ([y_true.tolist(), y_score.tolist()], {"n_jobs": 2}),
        ([sparse(y_true, 0), sparse(y_score, -np.inf)], {}),
        ([y_true, y_score.astype(np.float32)], {}),
    ):
        found = values_at(metric, *arrays, levels, **options, **shared)
        np.testing.assert_allclose(found, expected, atol=1e-12)
    alone = values_at(
        metric, y_true[1], y_score[1], np.array(levels), ties=ties, **QUIET
    )
    np.testing.assert_allclose(alone, expected[1], atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("level", [0.1, 0.3, 0.7, 1.1])
def test_a_score_equal_to_the_threshold_is_retrieved(dtype, level):
    scores = np.array([level, 0.0], dtype=dtype)
    levels = [level, np.nextafter(dtype(level), dtype(2))]
    found = values_at("recall", [1, 0], scores, levels)
    assert found.tolist() == [1, 0]
    sparse_scores = csr_array(scores[np.newaxis].astype(np.float64))
    found = values_at(
        "recall", csr_array([[1.0, 0.0]]), sparse_scores, [scores[0], 2.0]
    )
    assert found.tolist() == [1, 0]


@pytest.mark.parametrize("level", [0.1, 0.3, 0.7, -0.7, 1.1, 1e300, -np.inf, np.inf])
def test_a_score_of_bfloat16_equal_to_the_threshold_is_retrieved(level):
    torch = pytest.importorskip("torch")
    y_score = torch.tensor([level], dtype=torch.float64).to(torch.bfloat16)
    above = float(torch.nextafter(y_score.float(), torch.tensor(np.inf))) + 1e-2
    found = values_at("recall", [1], y_score, [level, above])
    n_retrieved = float(level > -np.inf)
    assert found.tolist() == [n_retrieved, n_retrieved * float(y_score[0] >= above)]


def test_thresholds_of_bfloat16_are_rounded_as_its_scores():
    torch = pytest.importorskip("torch")
    digits = torch.arange(128, 256).to(torch.float64)
    halves = digits[:-1] + 0.5  # to even, and to the nearest beside them
    levels = torch.cat([digits, halves, halves - 0.001, halves + 0.001]) / 256
    for level in levels:
        nearest = level.to(torch.bfloat16)
        above = torch.nextafter(nearest, torch.tensor(2.0, dtype=torch.bfloat16))
        below = torch.nextafter(nearest, torch.tensor(0.0, dtype=torch.bfloat16))
        y_score = torch.stack([above, nearest, below])
        found = values_at("p", [0, 1, 0], y_score, [level])
        assert found == 0.5


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64])
def test_thresholds_between_whole_scores(dtype):
    y_true, y_score = [[1, 1, 1]], np.array([[3, 2, 1]], dtype=dtype)
    levels = [0, 1, 1.5, 2, 2.5, 3, 3.5, 300, -300]
    found = values_at("recall", y_true, y_score, levels)
    np.testing.assert_allclose(3 * found, [3, 3, 2, 2, 1, 1, 0, 0, 3])


def test_booleans_and_zeros_and_ones():
    y_true = [1, 0, 1]
    for scores in (np.array([True, False, False]), [1, 0, 0], [1.0, 0.0, 0.0]):
        found = values_at("set_recall", y_true, scores, [0.5, 1, 0, 2])
        assert found.tolist() == [0.5, 0.5, 1, 0]


def test_thresholds_beyond_float32():
    scores = np.array([np.inf, 1.0, -3e38, -np.inf], dtype=np.float32)
    found = values_at("recall", [1, 1, 1, 1], scores, [1e300, -1e300, -np.inf, np.inf])
    assert found.tolist() == [0.25, 0.75, 0.75, 0.25]


def test_weights_and_kinds_of_mean():
    data = drawn(3)
    weights = np.random.default_rng(0).integers(0, 3, 30)[data.qid] * 1.0
    y_true = np.abs(data.y_true)
    options = {"qid": data.qid, "sample_weight": weights, **QUIET}
    for metric, average in (
        ("recall@3", "macro"),
        ("recall@3", "micro"),
        ("silence", "macro"),
        ("set_p", "micro"),
        ("set_f1", "macro"),
    ):
        found = values_at(
            metric, y_true, data.y_score, LEVELS, average=average, **options
        )
        for level, value in zip(LEVELS, found, strict=True):
            scores = cut(data.y_score, level)
            if metric.startswith("set"):
                scores = scores > -np.inf
            function = METRICS[metric.partition("@")[0]].function
            more = {"k": 3} if "@" in metric else {}
            expected = function(y_true, scores, average=average, **more, **options)
            assert value == pytest.approx(expected, abs=1e-12)
    options["replace_undefined_by"] = 0.0
    geometric = values_at("gmap", y_true, data.y_score, [0], **options)
    expected = irm.average_precision_score(
        y_true, cut(data.y_score, 0), average="geometric", **options
    )
    assert geometric == pytest.approx(expected)


def test_silence_rises_and_recall_falls_with_the_threshold():
    for seed in range(5):
        data = drawn(seed)
        levels = np.sort(LEVELS)
        options = {"qid": data.qid, **QUIET}
        silence, recall = (
            values_at(m, data.y_true, data.y_score, levels, **options)
            for m in ("silence", "recall@5")
        )
        assert (np.diff(silence) >= 0).all() and (np.diff(recall) <= 0).all()


def test_one_warning_whatever_the_number_of_thresholds():
    y_true, y_score = [[0, 0], [1, 0]], [[2, 1], [2, 1]]
    for metric, why in (
        ("silence", r"silence_score is undefined in 1 of 2 .*something is relevant"),
        ("recall", "recall_at_k_score is undefined in 1 of 2 .*nothing is relevant"),
        # Nothing retrieved makes it undefined, too.
        ("set_precision", "set_precision_score is undefined in 2 of 2 queries"),
    ):
        with pytest.warns(UndefinedMetricWarning, match=why) as caught:
            values_at(metric, y_true, y_score, [0, 3, 1.5, 1])
        assert len(caught) == 1
    coarse = np.array([[0.1, 0.1]], dtype=np.float16)
    with pytest.warns(LowPrecisionWarning) as caught:
        values_at("recall", [[1, 0]], coarse, [0, 0.05, 1])
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"thresholds": [0.5, np.nan]}, ValueError, "thresholds must .* not of NaN"),
        ({"thresholds": []}, ValueError, "thresholds must be a non-empty list"),
        ({"thresholds": 0.5}, ValueError, "thresholds must be a non-empty list"),
        ({"thresholds": [[0.5]]}, ValueError, "thresholds must be a non-empty list"),
        ({"thresholds": ["a"]}, TypeError, "thresholds must hold real numbers"),
        ({"thresholds": [None]}, TypeError, "thresholds must hold real numbers"),
        ({"metric": "scott_pi"}, ValueError, "metric must be a measure of rankings"),
        ({"metric": "set_f1(pos_label=7)"}, ValueError, "pos_label must be a class"),
        ({"metric": "set_cost", "y_true": [3, 3]}, ValueError, "hold two classes"),
        ({"metric": "unknown"}, ValueError, "'unknown' is not a measure"),
        ({"ties": "none"}, ValueError, "ties must be"),
        ({"average": "mean"}, ValueError, "average must be"),
        ({"metric": "silence", "average": "micro"}, ValueError, "average must be"),
        ({"y_score": [0.1, np.nan]}, ValueError, "y_score must not contain NaN"),
        ({"qid": [1]}, ValueError, "qid must have"),
        ({"metric": "recall@0"}, ValueError, "k must be"),
        ({"y_true": ["a", "b"]}, TypeError, "y_true must hold grades"),
    ],
)
def test_what_is_refused(changed, error, message):
    arguments = {
        "metric": "recall",
        "y_true": [1, 0],
        "y_score": [0.2, 0.1],
        "thresholds": [0.5],
    }
    with pytest.raises(error, match=message):
        threshold_curve(**arguments | changed)


def test_classes_and_subtopics():
    found = values_at("recall(pos_label='a')", ["a", "b", "a"], [3, 2, 1], [0, 2, 4])
    assert found.tolist() == [1, 0.5, 0]
    topics = [[1, 0], [0, 1], [0, 0]]
    found = values_at("subtopic_recall", topics, [3, 2, 1], [1, 2.5, 4])
    assert found.tolist() == [1, 0.5, 0]


# The whole curve ----------------------------------------------------------------------


def binary(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y_true = rng.integers(0, 2, n)
    return y_true, np.round(rng.normal(y_true), 1)


SETS = {
    "set_p": precision_score,
    "set_recall": recall_score,
    "set_f1": f1_score,
    "set_f(beta=2)": partial(fbeta_score, beta=2),
    "set_accuracy": accuracy_score,
}


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("weighted", [False, True])
def test_all_thresholds_are_those_of_scikit_learn(name, weighted):
    y_true, y_score = binary()
    weights = np.random.default_rng(1).random(300) if weighted else None
    curve = threshold_curve(name, y_true, y_score, sample_weight=weights)
    assert curve.thresholds.tolist() == [*np.unique(y_score), np.inf]
    for threshold, value in zip(*curve, strict=True):
        options = {"zero_division": np.nan} if name != "set_accuracy" else {}
        expected = SETS[name](
            y_true, y_score >= threshold, sample_weight=weights, **options
        )
        np.testing.assert_allclose(value, expected, atol=1e-12)
    best = curve.best
    assert best.value == np.nanmax(curve.values)
    assert curve.values[curve.thresholds == best.threshold] == best.value


def test_the_best_f_is_that_of_the_ranking():
    for seed in range(5):
        y_true, y_score = binary(40, seed)
        best = threshold_curve("set_f1", y_true, y_score).best
        assert best.value == pytest.approx(max_fbeta_score(y_true, y_score))
        assert irm.set_f1_score(y_true, y_score >= best.threshold) == best.value


@pytest.mark.parametrize("normalize", [False, True])
def test_costs_have_their_least_value_as_the_best(normalize):
    y_true, y_score = binary()
    options = {"cost_matrix": [[0, 1], [5, -1]], "normalize": normalize}
    measure = irm.Measure("set_cost", **options)
    curve = threshold_curve(measure, y_true, y_score)
    for threshold, value in zip(*curve, strict=True):
        y_pred = (y_score >= threshold).astype(int)
        expected = irm.set_cost_matrix_loss(y_true, y_pred, **options)
        assert value == pytest.approx(expected, abs=1e-12)
    assert not curve.greater_is_better
    assert curve.best.value == curve.values.min()
    names = np.array(["ham", "spam"])[y_true]
    named = threshold_curve(measure, names, y_score)
    np.testing.assert_array_equal(named.values, curve.values)
    never = irm.Measure("set_cost", cost_matrix=[[0, 9], [1, 0]])
    assert threshold_curve(never, [0, 0, 1], [3, 2, 1]).best == (np.inf, 1.0)


@pytest.mark.parametrize("average", ["macro", "micro", "geometric", None])
@pytest.mark.parametrize("name", ["set_f1", "set_e", "set_p(judged_only=True)"])
def test_sets_of_queries_at_all_thresholds(name, average, monkeypatch):
    monkeypatch.setattr(thresholds, "_AT_ONCE", 200)  # in parts
    data = drawn(2)
    y_score = np.where(data.y_score > -np.inf, data.y_score, -5.0)
    weights = np.random.default_rng(0).integers(0, 3, 30)[data.qid] * 1.0
    options = {"qid": data.qid, "sample_weight": weights, "average": average, **QUIET}
    curve = threshold_curve(name, data.y_true, y_score, **options)
    measure = irm.Measure(name)
    for threshold, value in zip(curve.thresholds, curve.values.T, strict=True):
        expected = measure.metric.function(
            data.y_true, y_score >= threshold, **measure.arguments, **options
        )
        np.testing.assert_allclose(value, expected, atol=1e-12)


def test_a_class_of_strings():
    labels, y_score = np.array([*"abcab"]), [0.1, 0.9, 0.4, 0.3, 0.8]
    curve = threshold_curve("set_recall(pos_label='b')", labels, y_score)
    expected = threshold_curve("set_recall", labels == "b", y_score)
    np.testing.assert_array_equal(curve.values, expected.values)


def test_rankings_have_at_most_a_thousand_thresholds():
    y_true, y_score = binary(3000)
    y_score = y_score + np.random.default_rng(0).random(3000)
    qid = np.arange(3000) // 1500
    curve = threshold_curve("recall@20", y_true, y_score, qid=qid)
    assert len(curve.thresholds) == 1000
    assert curve.thresholds[0] == y_score.min() and curve.thresholds[-1] == np.inf


def test_a_curve_that_is_undefined_where_nothing_is_retrieved_does_not_warn():
    curve = threshold_curve("set_p", [0, 1], [0.2, 0.6])
    np.testing.assert_array_equal(curve.values, [0.5, 1.0, np.nan])
    assert curve.best == (0.6, 1.0)
    with pytest.warns(UndefinedMetricWarning, match="undefined in 1 of 2 queries"):
        threshold_curve("set_p", [0, 1, 1, 0], [4, 3, 2, 1], qid=[1, 1, 2, 2])


def test_best_needs_one_value_per_threshold():
    curve = threshold_curve("recall", [[1, 0], [1, 1]], [[2, 1], [2, 1]], average=None)
    with pytest.raises(ValueError, match="best needs one value per threshold"):
        curve.best  # noqa: B018
    assert "values has a row for each of 2 queries" in str(curve)
    with pytest.warns(UndefinedMetricWarning, match="undefined in 1 of 1 queries"):
        nothing = threshold_curve("recall", [0, 0], [2, 1])
    assert np.isnan(nothing.best).all()


def test_a_hundred_thousand_rows_take_less_than_two_seconds():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, 100_000), rng.random(100_000)
    start = perf_counter()
    assert len(threshold_curve("set_f1", y_true, y_score).thresholds) == 100_001
    assert perf_counter() - start < 2


def test_costs_of_named_classes():
    options = {"cost_matrix": [[0, 1], [5, 0]]}
    named = irm.Measure("set_cost", labels=[1, 2], **options)
    scores = [0.2, 0.5, 0.8]
    for y_true in ([1, 1, 2], [2, 2, 2], [1, 1, 1]):
        found = threshold_curve(named, y_true, scores)
        expected = threshold_curve(
            irm.Measure("set_cost", **options), np.subtract(y_true, 1), scores
        )
        np.testing.assert_array_equal(found.values, expected.values)
    with pytest.raises(ValueError, match="y_true must hold two classes for the costs"):
        threshold_curve(named, [0, 0, 1], scores)
    with pytest.raises(ValueError, match="labels of set_cost must be two classes in a"):
        threshold_curve(
            irm.Measure("set_cost", labels=[1, 0], **options), [0, 0, 1], scores
        )
