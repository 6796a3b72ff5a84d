"""Intervals of means: one rule, whichever door the values come through."""

import csv
import io
import re
import statistics

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge

from oracles.command import main
from oracles.intervals import BY_RANGE, naive_interval
from oracles.queries import FirstColumn
from sklearn_irmetrics import ranking_report, score_queries
from sklearn_irmetrics._statistics.intervals import (
    interval_of_geometric_mean,
    interval_of_influences,
    interval_of_mean,
    percentile_interval,
    pointwise_intervals,
    split_interval,
)
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import evaluate

LEVEL = {"confidence_level": 0.9, "rng": 0}


def beta(n, seed=0):
    return np.random.default_rng(seed).beta(2, 4, n)


def through_evaluate(y_true, y_score, qid, metric):
    """The queries of one test side, whatever their order there."""
    train = np.flatnonzero(qid == qid.max())
    splits = [(train, np.flatnonzero(qid != qid.max()))]
    result = evaluate(
        FirstColumn(),
        y_score[:, np.newaxis],
        y_true,
        qid=qid,
        scoring=metric,
        method=splits,
        random_state=0,
    )
    return result.confidence_interval[metric], result.interval_method[metric]


def through_the_report(y_true, y_score, qid, metric):
    report = ranking_report(y_true, y_score, qid=qid, metrics=metric)
    return report.confidence_interval[metric], report.interval_method[metric]


def through_a_display(y_true, y_score, qid, metric):
    plot = pytest.importorskip("matplotlib.pyplot")
    from sklearn_irmetrics.plot import EvaluationDisplay

    display = EvaluationDisplay.from_predictions(
        y_true, y_score, qid=qid, metrics=metric, random_state=0
    )
    plot.close(display.figure_)
    return display.intervals[0]


def through_the_command_line(y_true, y_score, qid, metric, folder, capsys):
    rows = list(zip(qid, range(len(qid)), y_true, y_score, strict=True))
    qrels, run = folder / "qrels.txt", folder / "a.run"
    qrels.write_text("".join(f"q{q} 0 d{d} {grade}\n" for q, d, grade, _ in rows))
    run.write_text("".join(f"q{q} Q0 d{d} 1 {score} a\n" for q, d, _, score in rows))
    options = ["-m", metric, "--confidence", "0.95", "--format", "csv", "--digits=17"]
    assert main(["score", str(qrels), str(run), *options]) in (None, 0)
    *_, last = csv.reader(io.StringIO(capsys.readouterr().out))
    return tuple(map(float, last[-2:]))


@pytest.mark.parametrize("metric", ["ndcg@5", "mrr", "gmap"])
@pytest.mark.parametrize("n_queries", [10, 60])
def test_every_door_gives_the_same_values_the_same_interval(
    n_queries, metric, tmp_path, capsys
):
    rng = np.random.default_rng(n_queries)
    qid = rng.permutation(np.repeat(np.arange(n_queries + 1), 8))
    y_true = rng.integers(0, 3, len(qid))
    y_true[np.unique(qid, return_index=True)[1]] = 1  # nothing is undefined
    y_score = rng.permutation(len(qid)) + 0.125 * len(qid) * y_true
    tested = qid != n_queries
    data = y_true[tested], y_score[tested], qid[tested]
    by_evaluate = through_evaluate(y_true, y_score, qid, metric)
    ends, how = through_the_report(*data, metric)
    assert re.match(f"t over {n_queries} queries{BY_RANGE}", how)
    assert by_evaluate == (ends, how)
    assert tuple(through_a_display(*data, metric)) == ends
    assert through_the_command_line(*data, metric, tmp_path, capsys) == ends
    values = score_queries(data[0], data[1], metric, qid=data[2]).scores[metric]
    options = {"bounds": (0.0, 1.0), "confidence_level": 0.95, "rng": 0}
    if metric == "gmap":
        expected = interval_of_geometric_mean(values, floor=1e-5, **options)
    else:
        expected = interval_of_mean(values, **options)
    assert tuple(expected[1]) == ends


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [3, 6, 7, 9, 10, 60])
@pytest.mark.parametrize("kind", ["spread", "narrow", "zeros", "ones", "one"])
def test_intervals_against_a_naive_reference(n, kind, weighted):
    values = {
        "spread": beta(n),
        "narrow": 0.6 + 0.03 * beta(n),
        "zeros": np.zeros(n),
        "ones": np.ones(n),
        "one": np.eye(n)[1],
    }[kind]
    weights = np.random.default_rng(n).integers(1, 9, n) * 1.0 if weighted else None
    for level in (0.1, 0.8, 0.95, 0.999):
        _, ends, how = interval_of_mean(
            values, weights=weights, bounds=(0.0, 1.0), confidence_level=level, rng=0
        )
        assert_allclose(
            ends, naive_interval(values, weights, (0.0, 1.0), level), atol=1e-12
        )
        alone = {"method": "t", "confidence_level": level, "rng": 0}
        _, by_values, _ = interval_of_mean(values, weights=weights, **alone)
        by_values = np.nan_to_num(by_values.high - by_values.low)
        low, high = naive_interval(values, weights, (0.0, 1.0), level, cut=False)
        kish = n
        if weights is not None:
            kish = weights.sum() ** 2 / np.square(weights).sum()
        by_range = kish < 7 or bool(high - low > 2.0 * by_values)
        assert how.endswith(
            ", widened by the measure's range" if by_range else " and range limits"
        )


def test_intervals_of_values_of_any_size_in_ranges_of_any_size():
    values = beta(6)
    unit = interval_of_mean(values, bounds=(0.0, 1.0), **LEVEL)
    for size in (1e-300, 1e-150, 1e150, 1e300):
        error, ends, _ = interval_of_mean(size * values, bounds=(0.0, size), **LEVEL)
        assert_allclose([error, *ends], [size * unit[0], *size * np.array(unit[1])])
    _, ends, _ = interval_of_mean(np.full(3, 1e-300), bounds=(0.0, 1e308), **LEVEL)
    assert 0.0 == ends.low < 1e307 < ends.high < 1e308
    extremes = np.array([-1.7e308, 0.0, 1.7e308])
    _, ends, _ = interval_of_mean(extremes, bounds=(-1.7e308, 1.7e308), **LEVEL)
    _, unit, _ = interval_of_mean(extremes / 1.7e308, bounds=(-1.0, 1.0), **LEVEL)
    assert_allclose(ends, 1.7e308 * np.array(unit))
    given, weights = {"bounds": (0.0, 1.0), **LEVEL}, np.arange(1.0, 7.0)
    error, unit, _ = interval_of_mean(values, weights=weights, **given)
    for size in (1e-300, 1e300):
        found = interval_of_mean(values, weights=size * weights, **given)
        assert_allclose([found[0], *found[1]], [error, *unit])


@pytest.mark.parametrize("n", [3, 19, 20, 1000, 1001])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("method", ["auto", "t", "bca"])
def test_the_order_of_queries_does_not_matter(n, weighted, method):
    values = beta(n)
    weights = np.random.default_rng(1).integers(1, 4, n) * 1.0 if weighted else None
    order = np.random.default_rng(2).permutation(n)
    shuffled = None if weights is None else weights[order]
    options = {"method": method, "bounds": (0.0, 1.0), **LEVEL}
    found = interval_of_mean(values, weights=weights, **options)
    assert found == interval_of_mean(values[order], weights=shuffled, **options)
    assert found[2].startswith("BCa bootstrap over" if method == "bca" else "t over")


@pytest.mark.parametrize("n", [12, 6000])
@pytest.mark.parametrize("size", [1e-3, 1.0])
@pytest.mark.parametrize("options", [{}, {"bounds": (0.0, 1.0), "method": "t"}])
def test_t_alone_against_scipy(n, size, options):
    values = size * beta(n)
    error, ends, how = interval_of_mean(values, **options, **LEVEL)
    test = stats.ttest_1samp(values, 0)
    assert_allclose(ends, test.confidence_interval(0.9))
    assert_allclose(error, stats.sem(values))
    assert how == f"t over {n} queries"


@pytest.mark.parametrize(("n", "n_resamples"), [(30, 9999), (320, 6250), (1500, 1999)])
@pytest.mark.parametrize("weighted", [False, True])
def test_bca_against_scipy(n, n_resamples, weighted):
    values, weights = np.sort(beta(n)), np.ones(n)
    if weighted:
        weights = np.random.default_rng(1).uniform(0.1, 9.0, n)
    given = {"weights": weights} if weighted else {}
    _, ends, how = interval_of_mean(values, method="bca", **given, **LEVEL)
    expected = stats.bootstrap(
        (values, weights),
        lambda values, weights, axis: np.average(values, axis, weights),
        paired=True,
        n_resamples=n_resamples,
        confidence_level=0.9,
        random_state=np.random.default_rng(0),
    ).confidence_interval
    assert_allclose(ends, expected)
    assert how == f"BCa bootstrap over {n} queries"


@pytest.mark.parametrize("sizes", [(4, 2, 3, 1), (1, 3, 3), (2, 2, 2)])
@pytest.mark.parametrize("weighted", [False, True])
def test_groups_are_their_means_and_weigh_what_their_queries_do(sizes, weighted):
    groups = np.repeat(np.arange(len(sizes)), sizes)
    values = beta(len(groups))
    weights = np.arange(1.0, len(groups) + 1) if weighted else np.ones(len(groups))
    of_groups = [(values[groups == g], weights[groups == g]) for g in set(groups)]
    means = np.array([np.average(v, weights=w) for v, w in of_groups])
    totals = np.array([w.sum() for _, w in of_groups])
    given = {"weights": weights if weighted else None, "groups": groups}
    for bounds in (None, (0.0, 1.0)):
        error, ends, _ = interval_of_mean(values, bounds=bounds, **given, **LEVEL)
        expected = interval_of_mean(means, weights=totals, bounds=bounds, **LEVEL)
        assert_allclose([error, *ends], [expected[0], *expected[1]])


def test_groups_of_one_query_each_are_queries():
    single = interval_of_mean(beta(9), groups=np.arange(9)[::-1], **LEVEL)
    assert single == interval_of_mean(beta(9), **LEVEL)


def test_what_has_no_interval():
    def found(values, method="auto", weights=None, bounds=(0.0, 1.0)):
        error, ends, how = interval_of_mean(
            np.array(values), weights=weights, bounds=bounds, method=method, **LEVEL
        )
        assert np.isnan(ends).all()
        return how, error

    assert found([0.5]) == (
        "none: fewer than two queries",
        pytest.approx(np.nan, nan_ok=True),
    )
    assert found([0.5, 0.7]) == ("none: fewer than three queries", pytest.approx(0.1))
    for value in (0.0, 0.1):
        how = "none: all 9 queries alike"
        assert found([value] * 9, bounds=None) == (how, 0.0)
    assert found([0.1] * 9, bounds=(0.0, np.inf)) == ("none: all 9 queries alike", 0.0)
    for method in ("t", "bca"):
        assert found([0.1] * 9, method) == ("none: all 9 queries alike", 0.0)
    how, _ = found([0.1, 0.2, 0.4], weights=np.array([1.0, 1e-30, 1e-30]))
    assert how == "none: one of the queries has all the weight"


def test_geometric_means_are_made_of_logarithms():
    values = np.append(beta(11), 0.0)
    error, ends, how = interval_of_geometric_mean(values, floor=1e-5, **LEVEL)
    logs = np.log(np.maximum(values, 1e-5))
    assert error == pytest.approx(np.exp(logs.mean()) * stats.sem(logs))
    assert_allclose(ends, np.exp(stats.ttest_1samp(logs, 0.0).confidence_interval(0.9)))
    assert how == "t over 12 queries"
    options = {"bounds": (0.0, 1.0), "floor": 1e-5}
    _, ends, how = interval_of_geometric_mean(np.zeros(12), **options, **LEVEL)
    assert ends.low == pytest.approx(1e-5)
    assert 1e-5 < ends.high < 1
    assert re.match(f"t over 12 queries{BY_RANGE}", how)


@pytest.mark.parametrize("method", ["auto", "bca"])
def test_bands_are_the_intervals_of_their_points(method):
    rng = np.random.default_rng(0)
    values = rng.random((15, 4))
    values[rng.random(values.shape) < 0.2] = np.nan
    weights = rng.integers(0, 4, 15) * 1.0
    for bounds in (None, (0.0, 1.0), (-np.inf, 1.0)):
        options = {"bounds": bounds, "method": method, "confidence_level": 0.9}
        band = pointwise_intervals(values, weights, **options)
        for point, column in enumerate(values.T):
            counted = ~np.isnan(column) & (weights > 0)
            expected = interval_of_mean(
                column[counted], weights=weights[counted], rng=0, **options
            )[1]
            assert_array_equal(band[:, point], expected)
    assert np.isnan(pointwise_intervals(values[:2], confidence_level=0.95)).all()


def test_percentiles_of_resamples_against_scipy():
    options = {"n_resamples": 99, "method": "percentile"}
    drawn = stats.bootstrap((beta(30),), np.mean, random_state=1, **options)
    _, ends, how = percentile_interval(
        drawn.bootstrap_distribution, 0.95, "percentiles"
    )
    assert_allclose(ends, drawn.confidence_interval)
    assert how == "percentiles"
    error, ends, how = percentile_interval(np.full(9, 0.5), 0.95, "percentiles")
    assert (error, how) == (0.0, "none: all resamples alike")
    assert np.isnan(ends).all()


def test_the_spread_of_few_resamples():
    for values in ([0.2, 0.6], [0.2, 0.6, 0.7], [0.2, np.nan, 0.6]):
        error, (low, high), _ = percentile_interval(np.array(values), 0.5, "")
        defined = sorted(value for value in values if value == value)
        assert error == pytest.approx(statistics.stdev(defined))
        quarters = statistics.quantiles(defined, n=4, method="inclusive")
        assert (low, high) == pytest.approx((quarters[0], quarters[-1]))
    for values in ([0.2], [0.2, np.nan], []):
        error, ends, how = percentile_interval(np.array(values), 0.5, "")
        assert np.isnan([error, *ends]).all()
        assert how == "none: fewer than two resamples are defined"


def test_the_interval_of_a_loss_stays_inside_its_range():
    # Of four queries with one relevant document each, one is not retrieved.
    qid = np.repeat(np.arange(5), 2)
    y_true, retrieved = np.tile([1, 0], 5), np.tile([True, False], 5)
    retrieved[0] = False
    ends, how = through_evaluate(y_true, retrieved, qid, "set_miss_rate")
    assert re.match(f"t over 4 queries{BY_RANGE}", how)
    assert str(ends.low) == "0.0"
    assert 0.25 < ends.high < 1.0


@pytest.mark.filterwarnings("ignore:ndcg.* undefined in")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"aggregate": "per_split"},
        {"aggregate": "pooled"},
        {"method": "holdout", "aggregate": "per_split"},
        {"method": "bootstrap", "n_splits": 20},
        {"interval": "corrected_t"},
    ],
    ids=str,
)
def test_scores_below_the_range_are_inside_their_interval(options):
    X, y, qid = make_ranking(40, (9, 15), n_grades=4, random_state=0)
    result = evaluate(
        DummyRegressor(),
        X,
        y - 2.0,
        qid=qid,
        scoring="ndcg(negative_grades='keep', gain={-2: -9, -1: -3, 0: 0, 1: 1})@2",
        random_state=0,
        **options,
    )
    (estimate,), (ends,) = result.estimate.values(), result.confidence_interval.values()
    assert estimate < 0
    assert ends.low < estimate < ends.high


@pytest.mark.parametrize("method", ["bootstrap", "holdout"])
def test_no_score_no_interval_and_no_word_of_weights(method):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))

    def undefined(estimator, X, y):
        return np.nan

    options = {"method": method, "random_state": 0}
    options |= {"n_splits": 5} if method == "bootstrap" else {}
    result = evaluate(Ridge(), X, X[:, 0], scoring={"mine": undefined}, **options)
    assert np.isnan(result.estimate["mine"])
    assert np.isnan(result.confidence_interval["mine"]).all()
    assert result.interval_method["mine"].startswith("none: ")
    assert "weight" not in result.interval_method["mine"]


@pytest.mark.parametrize("method", ["auto", "t", "bca", "betting"])
def test_two_values_have_no_interval(method):
    options = {"method": method, "bounds": (0.0, 1.0), "confidence_level": 0.9}
    error, ends, name = interval_of_mean(np.array([0.2, 0.6]), rng=0, **options)
    assert error == pytest.approx(0.2)
    assert np.isnan(ends).all()
    assert name == "none: fewer than three queries"


def test_estimates_outside_their_range_have_the_t_interval_alone():
    influences = np.array([-0.1, 0.0, 0.1, 0.0])
    options = {"n_units": 4, "units": "rows", "how": "", "confidence_level": 0.95}
    found = interval_of_influences(-0.5, influences, bounds=(0.0, 1.0), **options)
    assert found == interval_of_influences(-0.5, influences, **options)
    rounded = interval_of_influences(-1e-17, influences, bounds=(0.0, 1.0), **options)
    assert rounded[1].low == -1e-17


@pytest.mark.parametrize("n_units", [9, 18])
def test_influences_on_a_mean_give_its_interval_whatever_they_add_up_to(n_units):
    values = np.append(beta(8), 1.0)
    influences = (values - values.mean()) / 9 + 0.1
    shared = {"bounds": (0.0, 1.0), "confidence_level": 0.9}
    options = {"n_units": n_units, "units": "blocks", "how": "jackknife, ", **shared}
    found = interval_of_influences(values.mean(), influences, **options)
    expected = interval_of_mean(values, rng=0, end_weight=9 / n_units, **shared)
    assert_allclose([found[0], *found[1]], [expected[0], *expected[1]])
    assert found[2] == "jackknife, t over 9 blocks and range limits"


def test_intervals_of_splits_say_how_many_there_are():
    options = {"confidence_level": 0.95}
    assert split_interval(np.array([0.5]), 0.25, **options)[2] == "none: one score"
    for few in ([0.5, np.nan, np.nan], [np.nan] * 3):
        how = split_interval(np.array(few), 0.25, **options)[2]
        assert how == "none: fewer than two splits with a score"
    for same in ([0.5, 0.5], [0.5, 0.5, np.nan]):
        name = split_interval(np.array(same), 0.25, **options)[2]
        assert name == "none: all 2 splits alike"
    name = split_interval(np.array([0.5, np.nan, 0.7]), 0.25, **options)[2]
    assert name == "corrected resampled t over 2 splits"
