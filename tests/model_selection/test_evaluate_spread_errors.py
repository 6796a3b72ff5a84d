"""Intervals of median and largest errors, Brier scores and likelihood ratios."""

from inspect import signature

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.datasets import make_classification
from sklearn.metrics import brier_score_loss, make_scorer, zero_one_loss
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

from oracles.intervals import naive_interval
from sklearn_irmetrics.comparison import compare
from sklearn_irmetrics.model_selection import evaluate


class Told(RegressorMixin, BaseEstimator):
    """Predicts its only feature."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0]


class ToldClass(ClassifierMixin, Told):
    """Predicts by its only feature, the probability of class 1."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, 0], X[:, 0]])

    def predict(self, X):
        return (X[:, 0] > 0.5).astype(int)


def score(model, y, x, scoring, **options):
    options = {"method": [(np.arange(len(y)),) * 2], "random_state": 0} | options
    return evaluate(model, x[:, np.newaxis], y, scoring=scoring, **options)


def ends_of(result, name):
    """Ends without their sign, the lower one first."""
    return np.sort(np.abs(result.confidence_interval[name]))


@pytest.mark.parametrize(("n", "rank"), [(6, 1), (10, 2), (20, 6), (41, 14)])
def test_median_errors_have_order_statistics(n, rank):
    y = np.random.default_rng(0).normal(size=n)
    result = score(Told(), y, np.zeros(n), "neg_median_absolute_error")
    errors = np.sort(np.abs(y))
    name = "neg_median_absolute_error"
    ends = ends_of(result, name)
    assert_allclose(ends, [errors[rank - 1], errors[n - rank]])
    covered = stats.binom.cdf(n - rank, n, 0.5) - stats.binom.cdf(rank - 1, n, 0.5)
    assert covered >= 0.95  # and with the next ranks it would not be
    inner = stats.binom.cdf(n - rank - 1, n, 0.5) - stats.binom.cdf(rank, n, 0.5)
    assert inner < 0.95
    assert result.standard_error[name] == pytest.approx(
        np.ptp(ends) / 2 / 1.96, rel=1e-4
    )
    assert result.interval_method[name] == f"order statistics of {n} rows"


def test_few_median_errors_have_no_interval():
    y = np.arange(5.0)
    name = "neg_median_absolute_error"
    result = score(Told(), y, np.zeros(5), name)
    assert np.isnan(result.confidence_interval[name]).all()
    assert (
        result.interval_method[name] == "none: 5 rows are too few for order statistics"
    )


def test_median_errors_of_folds_cover_the_truth():
    held, truth = 0, stats.norm.ppf(0.75)
    name = "neg_median_absolute_error"
    for seed in range(100):
        y = np.random.default_rng(seed).normal(size=60)
        result = score(Told(), y, np.zeros(60), name, method=KFold(5))
        low, high = ends_of(result, name)
        assert low <= abs(result.estimate[name]) <= high
        held += low <= truth <= high
    assert held >= 90


def test_median_errors_in_groups_are_resampled():
    y = np.random.default_rng(0).normal(size=60)
    name = "neg_median_absolute_error"
    result = score(Told(), y, np.zeros(60), name, groups=np.arange(60) // 3)
    assert "percentile bootstrap over 20 groups" in result.interval_method[name]


@pytest.mark.parametrize("method", ["kfold", "holdout", "loocv"])
def test_the_largest_error_has_no_interval(method):
    y = np.random.default_rng(0).normal(size=60)
    name = "neg_max_error"
    result = score(Told(), y, np.zeros(60), name, method=method)
    assert np.isnan(result.confidence_interval[name]).all()
    assert np.isnan(result.standard_error[name])
    why = "none: the largest error seen does not bound those to come"
    assert result.interval_method[name] == why


@pytest.mark.parametrize("method", ["kfold", "holdout", "loocv"])
def test_losses_with_a_range_have_the_values_at_its_ends(method):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    x = np.where(rng.random(60) < 0.05, 1 - y, y) * 0.98 + 0.01
    share = make_scorer(zero_one_loss, greater_is_better=False)
    scoring = {"brier": "neg_brier_score", "wrong": share}
    result = score(ToldClass(), y, x, scoring, method=method)
    told = result.predictions
    p = told.responses["predict_proba"][:, 1]
    for name, values in (
        ("brier", np.square(p - told.y_true)),
        ("wrong", 1.0 * ((p > 0.5) != told.y_true)),
    ):
        expected = naive_interval(values, None, (0.0, 1.0), 0.95)
        assert_allclose(ends_of(result, name), expected, atol=1e-9)
        assert "range" in result.interval_method[name]


@pytest.mark.skipif(
    "scale_by_half" not in signature(brier_score_loss).parameters,
    reason="scikit-learn scores two classes only",
)
@pytest.mark.parametrize("method", ["kfold", "holdout", "loocv"])
def test_brier_scores_of_many_classes_are_means_over_rows(method):
    X, y = make_classification(90, n_informative=5, n_classes=3, random_state=0)
    name, model = "neg_brier_score", GaussianNB()
    models = {"a": model, "b": GaussianNB(var_smoothing=0.3)}
    results = evaluate(models, X, y, scoring=name, method=method, random_state=0)
    told = results["a"].predictions
    p = told.responses["predict_proba"]
    values = np.square(np.eye(3)[told.y_true] - p).sum(axis=1)
    assert results["a"].estimate[name] == pytest.approx(-values.mean())
    expected = naive_interval(values, None, (0.0, 2.0), 0.95)
    assert_allclose(ends_of(results["a"], name), expected, atol=1e-9)
    compared = results.compare(random_state=0)
    assert (compared.unit, compared.test) == ("row", "permutation")
    given = {one: results[one].predictions.responses["predict_proba"] for one in models}
    by_hand = compare(given, y_true=told.y_true, metric=name, random_state=0)
    assert_allclose(by_hand.estimate, compared.estimate)


@pytest.mark.parametrize("side", ["positive", "negative"])
def test_likelihood_ratios_have_the_log_method(side):
    y = np.repeat([1, 0], [30, 70])
    x = np.concatenate([np.arange(30) < 24, np.arange(70) < 14]).astype(float)
    name = {
        "positive": "positive_likelihood_ratio",
        "negative": "neg_negative_likelihood_ratio",
    }[side]
    result = score(ToldClass(), y, x, name)
    tp, fp = (24.5, 14.5) if side == "positive" else (6.5, 56.5)
    ratio = tp / 31 / (fp / 71)
    error = np.sqrt(1 / tp - 1 / 31 + 1 / fp - 1 / 71)
    ends = ratio * np.exp(stats.norm.ppf(0.975) * error * np.array([-1, 1]))
    assert_allclose(ends_of(result, name), ends)
    folds = score(ToldClass(), y, x, name, method="stratified")
    low, high = ends_of(folds, name)
    assert low < abs(folds.estimate[name]) < high
    assert high / low == pytest.approx(ends[1] / ends[0])
