"""Intervals of means: one rule, whichever door the values come through."""

import csv
import io

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin

from sklearn_irmetrics import ranking_report, score_queries
from sklearn_irmetrics._cli.main import main
from sklearn_irmetrics._statistics.intervals import (
    UNKNOWN,
    bootstrap_means,
    interval_of_geometric_mean,
    interval_of_mean,
    percentile_interval,
    pointwise_t_intervals,
)
from sklearn_irmetrics.model_selection import evaluate

LEVEL = {"confidence_level": 0.9, "rng": 0}


def beta(n, seed=0):
    return np.random.default_rng(seed).beta(2, 4, n)


class FirstColumn(RegressorMixin, BaseEstimator):
    """Ranks by the first feature, without learning anything."""

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return X[:, 0]


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
    report = ranking_report(
        y_true, y_score, qid=qid, metrics=metric, output="dict", random_state=0
    )
    row = report["measures"][metric]
    return (row["low"], row["high"]), row["interval"]


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
@pytest.mark.parametrize("n_queries", [10, 50, 1200])
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
    method = "BCa bootstrap" if n_queries == 50 else "t"
    assert how == f"{method} over {n_queries} queries"
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


@pytest.mark.parametrize("n", [2, 19, 20, 1000, 1001])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_order_of_queries_does_not_matter(n, weighted):
    values = beta(n)
    weights = np.random.default_rng(1).integers(1, 4, n) * 1.0 if weighted else None
    order = np.random.default_rng(2).permutation(n)
    shuffled = None if weights is None else weights[order]
    found = interval_of_mean(values, weights=weights, **LEVEL)
    assert found == interval_of_mean(values[order], weights=shuffled, **LEVEL)
    assert found[2].startswith("BCa" if 20 <= n <= 1000 else "t ")


@pytest.mark.parametrize("n", [5, 50, 6000])
def test_equal_weights_change_nothing(n):
    plain = interval_of_mean(beta(n), **LEVEL)
    weighted = interval_of_mean(beta(n), weights=np.full(n, 3.0), **LEVEL)
    assert_allclose(plain[0], weighted[0])
    assert_allclose(plain[1], weighted[1])


@pytest.mark.parametrize("n", [12, 6000])
def test_few_and_many_queries_against_student(n):
    error, ends, how = interval_of_mean(beta(n), **LEVEL)
    test = stats.ttest_1samp(beta(n), 0)
    assert_allclose(ends, test.confidence_interval(0.9))
    assert_allclose(error, stats.sem(beta(n)))
    assert how == f"t over {n} queries"


def test_what_has_no_interval_or_a_point():
    error, ends, how = interval_of_mean(np.array([0.5]), **LEVEL)
    assert np.isnan(error)
    assert ends is UNKNOWN
    assert how == "none: fewer than two queries"
    found = interval_of_mean(np.full(9, 0.1), bounds=(0.0, 1.0), **LEVEL)
    assert found == (0.0, (0.1, 0.1), "all 9 queries alike")


def test_intervals_are_cut_to_the_range_and_to_values_outside_of_it():
    values = np.array([0.0, 1.0, 1.0])
    assert interval_of_mean(values, bounds=(0.0, 1.0), **LEVEL)[1] == (0.0, 1.0)
    values = np.array([-1.0, 1.0, 1.0])  # an undefined query counts as -1
    assert interval_of_mean(values, bounds=(0.0, 1.0), **LEVEL)[1] == (-1.0, 1.0)


def test_geometric_means_are_made_of_logarithms():
    values = np.append(beta(11), 0.0)
    _, ends, how = interval_of_geometric_mean(values, floor=1e-5, **LEVEL)
    logs = np.log(np.maximum(values, 1e-5))
    assert_allclose(ends, np.exp(stats.ttest_1samp(logs, 0.0).confidence_interval(0.9)))
    assert how == "t over 12 queries"


def test_bands_against_student_point_by_point():
    rng = np.random.default_rng(0)
    values = rng.random((15, 4))
    values[rng.random(values.shape) < 0.2] = np.nan
    band = pointwise_t_intervals(values, confidence_level=0.8)
    for j, column in enumerate(values.T):
        column = column[~np.isnan(column)]
        expected = stats.ttest_1samp(column, 0.0).confidence_interval(0.8)
        assert_allclose(band[:, j], expected)
    weights = np.full(15, 3.0)
    same = pointwise_t_intervals(values, weights, confidence_level=0.8)
    assert_allclose(same, band)
    cut = pointwise_t_intervals(values, bounds=(0.4, 0.6), confidence_level=0.8)
    assert_array_equal(cut, np.clip(band, 0.4, 0.6))


def test_bands_with_weights():
    values = np.array([[0.0], [1.0], [0.5], [np.nan]])
    weights = np.array([1.0, 2, 0, 5])
    band = pointwise_t_intervals(values, weights, confidence_level=0.95)
    # n / (n - 1) Σ (w (x - mean))² / (Σ w)² with n = 2, mean 2 / 3
    error = np.sqrt(2 * ((2 / 3) ** 2 + (2 / 3) ** 2) / 9)
    reach = stats.t.ppf(0.975, 1) * error
    assert_allclose(band.ravel(), [2 / 3 - reach, 2 / 3 + reach])
    assert np.isnan(pointwise_t_intervals(values[:1], confidence_level=0.95)).all()


def test_means_of_resamples_and_their_percentiles_against_scipy():
    values, weights = beta(30), np.arange(1.0, 31.0)
    for w in (None, weights):
        found = bootstrap_means(values, w, n_resamples=99, rng=np.random.default_rng(1))
        rows = np.arange(30)
        expected = stats.bootstrap(
            (rows,),
            lambda rows, w=w: np.average(
                values[rows], weights=None if w is None else w[rows]
            ),
            n_resamples=99,
            vectorized=False,
            method="percentile",
            random_state=np.random.default_rng(1),
        )
        assert_allclose(found, expected.bootstrap_distribution)
        _, ends = percentile_interval(found, 0.95)
        assert_allclose(ends, expected.confidence_interval)


def test_the_range_of_a_loss_is_that_of_its_negation():
    # Of four queries with one relevant document each, one is not retrieved.
    qid = np.repeat(np.arange(5), 2)
    y_true, retrieved = np.tile([1, 0], 5), np.tile([True, False], 5)
    retrieved[0] = False
    ends, how = through_evaluate(y_true, retrieved, qid, "set_miss_rate")
    assert how == "t over 4 queries"
    assert str(ends) == "ConfidenceInterval(low=-1.0, high=0.0)"
