"""Intervals of ROC AUC and average precision of rows, pooled and per split."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, get_scorer, roc_auc_score
from sklearn.model_selection import KFold, RepeatedKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_irmetrics import Measure
from sklearn_irmetrics.metrics import average_precision_score as exact_precision
from sklearn_irmetrics.model_selection import evaluate


class Told(ClassifierMixin, BaseEstimator):
    """Scores by its only feature."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, 0]


class Given:
    """Is not trained, and scores by its only feature."""

    _estimator_type = "classifier"
    classes_ = np.array([0, 1])

    def decision_function(self, X):
        return X[:, 0]


def draw(n, n_positive, distance=1.0, seed=0, decimals=9):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) < n_positive).astype(int)
    return y, (rng.normal(size=n) + distance * y).round(decimals)


def score(y, x, scoring, model=None, **options):
    options = {"method": [(np.arange(len(y)),) * 2], "random_state": 0} | options
    return evaluate(model or Told(), x[:, np.newaxis], y, scoring=scoring, **options)


PRECISIONS = {
    "average_precision": ("average_precision", average_precision_score),
    "ap": (Measure("ap"), exact_precision),
}


@pytest.mark.parametrize("name", PRECISIONS)
@pytest.mark.parametrize("decimals", [9, 0])
@pytest.mark.parametrize("n_positive", [5, 30, 55])
def test_average_precision_leaves_out_each_row(name, decimals, n_positive):
    y, x = draw(60, n_positive, decimals=decimals)
    scoring, function = PRECISIONS[name]
    result = score(y, x, scoring, qid=None)
    left = [function(np.delete(y, i), np.delete(x, i)) for i in range(60)]
    influences = (function(y, x) - np.array(left)) * (1 - 1 / 60)
    pseudo = function(y, x) + 60 * (influences - influences.mean())
    rare = min(n_positive, 60 - n_positive)
    added = stats.norm.ppf(0.975) ** 2 / 4 * 60 / rare
    weights, values = np.append(np.ones(60), [added] * 2), np.append(pseudo, [0, 1])
    mean, kish = np.average(values, weights=weights), weights.sum() ** 2
    kish /= np.square(weights).sum()
    error = np.sqrt(np.square(weights * (values - mean)).sum() * kish / (kish - 1))
    reach = stats.t.ppf(0.975, min(kish - 1, rare + 1)) * error / weights.sum()
    whole = function(y, x)
    ends = max(min(whole, mean - reach), 0), min(max(whole, mean + reach), 1)
    assert_allclose(result.confidence_interval[name], ends)
    assert result.standard_error[name] == pytest.approx(stats.sem(pseudo))
    assert "jackknife t over 60 rows" in result.interval_method[name]


@pytest.mark.parametrize("decimals", [9, 0])
def test_weighted_average_precision_varies_as_its_slopes_say(decimals):
    y, x = draw(60, 20, decimals=decimals)
    weights = np.random.default_rng(3).lognormal(size=60)
    with config_context(enable_metadata_routing=True):
        scorer = get_scorer("average_precision").set_score_request(sample_weight=True)
        options = {"scoring": {"ap": scorer}, "params": {"sample_weight": weights}}
        options["model"] = Given()
        result = score(y, x, **options)
        order = np.random.default_rng(4).permutation(60)
        options["params"] = {"sample_weight": weights[order]}
        moved = score(y[order], x[order], **options, random_state=1)
    step = 1e-6
    slopes = [
        average_precision_score(
            y, x, sample_weight=weights + step * (np.arange(60) == i)
        )
        - average_precision_score(y, x, sample_weight=weights)
        for i in range(60)
    ]
    influences = weights * np.array(slopes) / step * (1 - 1 / 60)
    error = 60 * influences.std(ddof=1) / np.sqrt(60)
    assert result.standard_error["ap"] == pytest.approx(error, rel=1e-4)
    assert "jackknife t over 60 rows" in result.interval_method["ap"]
    assert_allclose(moved.confidence_interval["ap"], result.confidence_interval["ap"])


def test_average_precision_of_few_positives_is_not_many_times_too_wide():
    widths, estimates = [], []
    for seed in range(60):
        result = score(*draw(200, 10, seed=seed), "average_precision")
        widths.append(np.diff(result.confidence_interval["average_precision"])[0])
        estimates.append(result.estimate["average_precision"])
    assert np.median(widths) < 1.5 * 3.92 * np.std(estimates)


FOLDS = {
    "k-fold": StratifiedKFold(5, shuffle=True, random_state=0),
    "repeated": RepeatedKFold(n_splits=4, n_repeats=3, random_state=0),
}


@pytest.mark.parametrize("folds", FOLDS)
@pytest.mark.parametrize("name", ["average_precision", "roc_auc"])
def test_folds_have_an_interval_close_to_that_of_all_rows(folds, name):
    y, x = draw(400, 150)
    whole = score(y, x, name)
    result = score(y, x, name, method=FOLDS[folds])
    for part in ("estimate", "standard_error"):
        whole_value = getattr(whole, part)[name]
        assert getattr(result, part)[name] == pytest.approx(whole_value, rel=0.07)
    ends = result.confidence_interval[name]
    assert_allclose(ends, whole.confidence_interval[name], atol=0.015)
    assert "of 400 rows" in result.interval_method[name] or name != "roc_auc"


def test_average_precision_with_a_cutoff_is_a_rough_ranking():
    y, x = draw(80, 10)
    found = score(y, x, ["ap@10", "ap"], qid=None)
    rough, exact = found.interval_method["ap@10"], found.interval_method["ap"]
    assert rough == "rough: percentile bootstrap over 80 rows"
    assert exact.startswith("jackknife t over 80 rows")
    low, high = found.confidence_interval["ap@10"]
    assert low < found.estimate["ap@10"] < high


def test_the_area_of_folds_by_placement_values_in_each():
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    result = evaluate(model, X, y, scoring="roc_auc", random_state=0)
    assert result.estimate["roc_auc"] == pytest.approx(0.9943, abs=5e-5)
    ends = result.confidence_interval["roc_auc"]
    assert_allclose(ends, [0.9795, 1.0], atol=5e-5)
    told = result.predictions
    (scores,) = told.responses.values()
    scores = scores if scores.ndim == 1 else scores[:, -1]
    variance = 0.0  # DeLong's, of each fold
    for fold in range(5):
        at = told.split == fold
        p, q = scores[at & (told.y_true == 1)], scores[at & (told.y_true == 0)]
        wins = (p[:, None] > q) + 0.5 * (p[:, None] == q)
        for axis in (0, 1):
            placed = wins.mean(axis=axis)
            variance += placed.var() / len(placed) / 25
    error = result.standard_error["roc_auc"]
    assert error == pytest.approx(np.sqrt(variance), rel=0.02)


def test_the_area_in_groups_counts_groups():
    # Each row four times, in one group: the interval is that of the single rows.
    y, x = draw(50, 20)
    single = score(y, x, "roc_auc")
    groups = np.repeat(np.arange(50), 4)
    fourfold = score(np.repeat(y, 4), np.repeat(x, 4), "roc_auc", groups=groups)
    for part in ("estimate", "standard_error", "confidence_interval"):
        values = getattr(fourfold, part)["roc_auc"]
        assert_allclose(values, getattr(single, part)["roc_auc"])
    # Groups of a row of each class: the jackknife of groups, to first order.
    order = np.argsort(y, kind="stable")
    pairs = np.empty(40, dtype=int)
    pairs[::2], pairs[1::2] = order[:20], order[-20:]
    y, x, groups = y[pairs], x[pairs], np.arange(40) // 2
    left = [roc_auc_score(y[groups != g], x[groups != g]) for g in range(20)]
    error = np.sqrt(19 / 20 * np.square(left - np.mean(left)).sum())
    result = score(y, x, "roc_auc", groups=groups)
    assert result.standard_error["roc_auc"] == pytest.approx(error, rel=0.06)
    assert "of 20 groups" in result.interval_method["roc_auc"]


@pytest.mark.parametrize("name", ["average_precision", "roc_auc"])
@pytest.mark.parametrize("method", [None, KFold(4)])
def test_the_order_of_rows_and_the_seed_do_not_matter(name, method):
    y, x = draw(200, 40)
    splits = [(np.arange(200),) * 2]
    if method is not None:
        splits = [*method.split(x)]
    order = np.random.default_rng(1).permutation(200)
    place = np.argsort(order)
    moved = [[place[part] for part in one] for one in splits]
    first = score(y, x, name, method=splits)
    second = score(y[order], x[order], name, method=moved, random_state=1)
    for part in ("standard_error", "confidence_interval"):
        values = getattr(first, part)[name]
        assert_allclose(values, getattr(second, part)[name], rtol=1e-9)
