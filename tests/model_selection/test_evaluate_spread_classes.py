"""Intervals of scores that count pairs of classes, not rows: macro F1, MCC, kappa."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import (
    cohen_kappa_score,
    f1_score,
    fbeta_score,
    make_scorer,
    matthews_corrcoef,
    precision_score,
)
from sklearn.model_selection import KFold, RepeatedKFold

from sklearn_irmetrics import Measure
from sklearn_irmetrics.metrics import scott_pi_score
from sklearn_irmetrics.model_selection import evaluate


class Told(ClassifierMixin, BaseEstimator):
    """Predicts its only feature."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return X[:, 0].astype(int)


def draw(n, shares, right, seed=0):
    """Return classes, and predictions of which a share is right."""
    rng = np.random.default_rng(seed)
    y = rng.choice(len(shares), size=n, p=shares)
    wrong = rng.choice(len(shares), size=n, p=shares)
    return y, np.where(rng.random(n) < np.asarray(right)[y], y, wrong)


def score(y, predicted, scoring, **options):
    options = {"method": [(np.arange(len(y)),) * 2], "random_state": 0} | options
    return evaluate(Told(), predicted[:, np.newaxis], y, scoring=scoring, **options)


def naive_moments(values, weights):
    """Mean, variance of the mean, and degrees of freedom of weighted values."""
    values, weights = np.asarray(values, float), np.asarray(weights, float)
    kish = weights.sum() ** 2 / (weights**2).sum()
    mean = np.average(values, weights=weights)
    squares = ((weights * (values - mean)) ** 2).sum() / weights.sum() ** 2
    variance = squares * kish / (kish - 1) if kish > 1 + 1e-9 else 0.0
    return mean, variance, kish - 1


def naive_class_ratios(y, predicted, function, counts):
    """The rule of one split, with the rows of each class, and scikit-learn's scores."""
    n, whole = len(y), function(y, predicted)
    left = [function(np.delete(y, i), np.delete(predicted, i)) for i in range(n)]
    variance = (n - 1) / n * np.square(np.array(left) - np.mean(left)).sum()
    classes = np.union1d(y, predicted)
    hit, false_alarm, miss = counts
    up = down = extra = total = lost = 0.0
    for one in classes:
        weights = np.select(
            [(y == one) & (predicted == one), predicted == one, y == one],
            [hit, false_alarm, miss],
            0.0,
        )
        values = ((y == one) & (predicted == one))[weights > 0]
        weights = weights[weights > 0]
        if not len(weights):  # never predicted: its rows count as missed
            values = np.zeros((y == one).sum())
            weights = np.ones(len(values))
        before = naive_moments(values, weights)
        added = stats.norm.ppf(0.975) ** 2 / 4 * (weights**2).sum() / weights.sum()
        after = naive_moments([*values, 0, 1], [*weights, added, added])
        shift = (after[0] - before[0]) / len(classes)
        up, down = up + max(shift, 0) ** 2, down + min(shift, 0) ** 2
        extra += (after[1] - before[1]) / len(classes) ** 2
        total += after[1]
        lost += after[1] ** 2 / after[2]
    reach = stats.t.ppf(0.975, total**2 / lost) * np.sqrt(variance + max(extra, 0))
    center = whole + np.sqrt(up) - np.sqrt(down)
    low, high = min(center - reach, whole), max(center + reach, whole)
    return np.sqrt(variance), (max(low, 0.0), min(high, 1.0))


RATIOS = {
    "f1_macro": (lambda y, p: f1_score(y, p, average="macro"), (2, 1, 1)),
    "precision_macro": (
        lambda y, p: precision_score(y, p, average="macro", zero_division=0),
        (1, 1, 0),
    ),
    "fbeta": (
        lambda y, p: fbeta_score(y, p, beta=2, average="macro", zero_division=0),
        (5, 1, 4),
    ),
}
SCORERS = {
    "fbeta": {
        "fbeta": make_scorer(fbeta_score, beta=2, average="macro", zero_division=0)
    },
    "precision_macro": {
        "precision_macro": make_scorer(
            precision_score, average="macro", zero_division=0
        )
    },
}
SCORERS |= {
    name: {name: make_scorer(f)}
    for name, f in (("mcc", matthews_corrcoef), ("kappa", cohen_kappa_score))
}
SHAPES = {
    "two even classes": (30, [0.5, 0.5], [0.9, 0.9]),
    "a rare class": (60, [0.95, 0.05], [0.98, 0.6]),
    "a class that is never predicted": (40, [0.55, 0.4, 0.05], [0.9, 0.9, 0.0]),
    "many classes": (50, [0.1] * 10, [0.7] * 10),
}


@pytest.mark.parametrize("name", RATIOS)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_interval_of_a_mean_of_class_ratios(name, shape):
    y, predicted = draw(*SHAPES[shape])
    result = score(y, predicted, SCORERS.get(name, name))
    error, ends = naive_class_ratios(y, predicted, *RATIOS[name])
    assert result.standard_error[name] == pytest.approx(error)
    assert_allclose(result.confidence_interval[name], ends)
    how = result.interval_method[name]
    assert f"over {len(y)} rows in {len(np.union1d(y, predicted))} classes" in how


def test_a_loss_of_classes_has_the_mirrored_interval():
    y, predicted = draw(60, [0.9, 0.1], [0.95, 0.7])
    scoring = {
        sign: make_scorer(f1_score, average="macro", greater_is_better=sign == "plus")
        for sign in ("plus", "minus")
    }
    result = score(y, predicted, scoring)
    low, high = result.confidence_interval["plus"]
    assert np.abs(result.confidence_interval["minus"]) == pytest.approx(
        np.array([high, low])
    ) or result.confidence_interval["minus"] == pytest.approx((low, high))


def naive_class_table(y, predicted, function):
    """The delta method, by moving the weight of each row of scikit-learn's measures."""
    n, whole = len(y), function(y, predicted, sample_weight=np.ones(len(y)))
    true, classes = np.unique(y), np.union1d(y, predicted)
    number = 2 * stats.norm.ppf(0.975) ** 2 / 4 / len(true)
    pairs = [(one, other) for one in true for other in classes]
    more, told = np.transpose(pairs)
    added = np.where(more == told, number, number / (len(classes) - 1))
    y, predicted = np.append(y, more), np.append(predicted, told)
    weights = np.append(np.ones(n), added)
    center = function(y, predicted, sample_weight=weights)
    # Rows of the same cell move it alike.
    _, firsts, cells = np.unique(
        np.column_stack([y, predicted]), axis=0, return_index=True, return_inverse=True
    )
    moved = []
    for i in firsts:
        ends = []
        for step in (1e-5, -1e-5):
            others = weights.copy()
            others[i] += step
            ends.append(function(y, predicted, sample_weight=others))
        moved.append((ends[0] - ends[1]) / 2e-5)
    parts = weights * np.square(moved)[cells]
    of_classes = np.array([parts[y == one].sum() for one in true])
    sizes = np.array([weights[y == one].sum() for one in true])
    freedom = of_classes.sum() ** 2 / (of_classes**2 / np.maximum(sizes - 1, 0.5)).sum()
    left = [
        function(np.delete(y[:n], i), np.delete(predicted[:n], i)) if i < n else whole
        for i in firsts  # an added row is the first of cells that have no other
    ]
    left = np.where(np.isnan(left), whole, left)[cells[:n]]
    by_jackknife = (n - 1) / n * np.square(left - left.mean()).sum()
    variance = max(parts.sum(), by_jackknife)
    reach = stats.t.ppf(0.975, freedom) * np.sqrt(variance)
    low, high = min(center - reach, whole), max(center + reach, whole)
    return max(low, -1.0), min(high, 1.0)


TABLES = {
    "mcc": (make_scorer(matthews_corrcoef), matthews_corrcoef),
    "kappa": (make_scorer(cohen_kappa_score), cohen_kappa_score),
    "linear": (
        make_scorer(cohen_kappa_score, weights="linear"),
        lambda *args, **kwargs: cohen_kappa_score(*args, weights="linear", **kwargs),
    ),
    "pi": (Measure("scott_pi"), scott_pi_score),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_interval_of_a_measure_of_a_table(name, shape):
    y, predicted = draw(*SHAPES[shape])
    scorer, function = TABLES[name]
    result = score(y, predicted, {name: scorer})
    ends = naive_class_table(y, predicted, function)
    assert_allclose(result.confidence_interval[name], ends, atol=1e-6)
    how = result.interval_method[name]
    assert f"over {len(y)} rows in {len(np.unique(y))} classes" in how


@pytest.mark.parametrize("name", TABLES)
def test_the_error_of_a_table_is_that_of_the_jackknife_to_first_order(name):
    y, predicted = draw(1000, [0.5, 0.3, 0.2], [0.9, 0.7, 0.6])
    scorer, function = TABLES[name]
    pairs = np.unique(np.column_stack([y, predicted]), axis=0, return_counts=True)
    whole, total = function(y, predicted), 0.0
    for (true, told), count in zip(*pairs, strict=True):
        at = np.flatnonzero((y == true) & (predicted == told))[0]
        left = function(np.delete(y, at), np.delete(predicted, at))
        total += count * (whole - left) ** 2
    result = score(y, predicted, {name: scorer})
    assert result.standard_error[name] == pytest.approx(np.sqrt(total), rel=2e-3)
    folds = score(y, predicted, {name: scorer}, method=KFold(5, shuffle=True))
    assert folds.standard_error[name] == pytest.approx(np.sqrt(total), rel=0.03)
    ends = np.array(result.confidence_interval[name])
    assert_allclose(ends, folds.confidence_interval[name], atol=0.01)


@pytest.mark.parametrize("name", ["f1_macro", "precision_macro", "mcc", "kappa"])
def test_small_classes_do_not_widen_an_interval_many_times(name):
    widths, estimates = [], []
    for seed in range(40):
        y, predicted = draw(1000, [0.97, 0.03], [0.6, 0.6], seed)
        result = score(y, predicted, SCORERS.get(name, name))
        assert 0.15 < result.estimate[name] < 0.9
        widths.append(np.diff(result.confidence_interval[name])[0])
        estimates.append(result.estimate[name])
    assert np.median(widths) < 1.5 * 3.92 * np.std(estimates)


@pytest.mark.parametrize("name", ["f1_macro", "matthews_corrcoef"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": KFold(4)},
        {"method": RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)},
        {"method": KFold(4), "aggregate": "pooled"},
    ],
)
def test_equal_units_have_the_interval_of_single_rows(name, options):
    y, predicted = draw(60, [0.6, 0.3, 0.1], [0.9, 0.7, 0.6])
    plain = score(y, predicted, name, **options)
    grouped = score(y, predicted, name, groups=np.arange(60), **options)
    for part in ("standard_error", "confidence_interval"):
        assert_allclose(getattr(plain, part)[name], getattr(grouped, part)[name])


@pytest.mark.parametrize("name", ["f1_macro", "matthews_corrcoef"])
def test_the_order_of_rows_and_the_seed_do_not_matter(name):
    y, predicted = draw(300, [0.6, 0.3, 0.1], [0.9, 0.7, 0.6])
    order = np.random.default_rng(1).permutation(300)
    first = score(y, predicted, name)
    second = score(y[order], predicted[order], name, random_state=1)
    for part in ("standard_error", "confidence_interval"):
        assert_allclose(
            getattr(first, part)[name], getattr(second, part)[name], rtol=1e-12
        )
