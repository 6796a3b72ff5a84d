"""Comparisons and intervals of input that was made to break them."""

import re

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import Ridge
from sklearn.model_selection import RepeatedKFold
from sklearn.naive_bayes import GaussianNB

from sklearn_irmetrics.comparison import compare, leaderboard
from sklearn_irmetrics.model_selection import HoldoutSplit, evaluate
from sklearn_irmetrics.reports import QueryScores


class Choosy(ClassifierMixin, BaseEstimator):
    """Fails where the first row to learn from is row 0."""

    def fit(self, X, y):
        if X[0, 0] == 9:
            raise RuntimeError("row 0")
        self.model_ = GaussianNB().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)


@pytest.fixture(scope="module")
def rows():
    X, y = make_classification(60, flip_y=0.1, random_state=0)
    X[0, 0] = 9
    return X, y


def choosy(rows, **options):
    """Evaluate on folds, one or more of which succeed."""
    folds = [(np.arange(10, 60), np.arange(10)), (np.arange(50), np.arange(50, 60))]
    options = {"method": folds, "scoring": "accuracy", **options}
    with pytest.warns(Warning, match="splits failed"):
        return evaluate({"choosy": Choosy(), "bayes": GaussianNB()}, *rows, **options)


@pytest.mark.parametrize("test", ["permutation", "sign", "corrected_ttest"])
@pytest.mark.parametrize("error_score", [np.nan, 0.5])
def test_rows_of_failed_splits_cannot_be_compared(rows, test, error_score):
    results = choosy(rows, error_score=error_score)
    message = r"no splits in which accuracy failed; 'choosy' has \[1\]"
    with pytest.raises(ValueError, match=message):
        compare(results, test=test)


def fails_on_row_0(estimator, X, y):
    """A measure that fails where row 0 is tested."""
    if X[0, 0] == 9:
        raise RuntimeError("row 0")
    return 0.5


@pytest.mark.parametrize("test", ["permutation", "corrected_ttest"])
def test_measures_are_compared_where_only_another_one_failed(rows, test):
    models = {"dummy": DummyClassifier(), "bayes": GaussianNB()}
    options = {"method": 5, "random_state": 0, "error_score": np.nan}
    alone = evaluate(models, *rows, scoring="accuracy", **options)
    scoring = {"accuracy": "accuracy", "other": fails_on_row_0}
    with pytest.warns(FitFailedWarning, match="other failed in 1 of 5 splits"):
        results = evaluate(models, *rows, scoring=scoring, **options)
    found = results.compare(metric="accuracy", test=test, random_state=0)
    expected = alone.compare(test=test, random_state=0)
    assert found.p_value == expected.p_value
    assert found.estimate == expected.estimate
    with pytest.raises(ValueError, match="no splits in which other failed; 'dummy'"):
        results.compare(metric="other", test="corrected_ttest")


def test_the_error_names_a_measure_that_is_undefined_everywhere():
    table = QueryScores(
        np.arange(9), {"map": np.full(9, np.nan), "p@3": np.ones(9)}, {}
    )
    for rank in (compare, leaderboard):
        with pytest.raises(ValueError, match="with defined scores by map; got 0"):
            rank({"a": table, "b": table})


@pytest.mark.parametrize("tiny", [1e-300, 1e-9])
@pytest.mark.parametrize("sign", [1, -1])
def test_tiny_differences_do_not_collapse_the_interval_of_wilcoxon(tiny, sign):
    differences = sign * np.array([0.433, 1.1, 0.867, -0.1, tiny])
    systems = {"zero": np.zeros(5), "other": differences}
    result = compare(systems, test="wilcoxon", confidence_level=0.8)
    low, high = sorted(sign * np.array(result.confidence_interval[0]))
    assert result.p_value == 0.1875  # <= 0.2, so that 0 lies outside
    assert 0 < low < 1e-8
    assert low < sign * result.center[0] < high == pytest.approx(0.867)


TESTS = ["permutation", "ttest", "wilcoxon", "bootstrap", "tukey", "anytime"]


@pytest.mark.parametrize("test", TESTS)
def test_no_difference_is_beyond_the_bound(test):
    systems = {"a": [0.1, 0.2, 0.3, 0.2], "b": [0.9, 0.8, 0.9, 0.7]}
    with pytest.raises(ValueError, match="bound must be at least the largest differ"):
        compare(systems, test=test, bound=0.5)
    low, high = compare(systems, test=test, bound=0.8).confidence_interval[0]
    assert -0.8 <= low < high <= 0.8


@pytest.mark.parametrize("scoring", ["r2", "explained_variance"])
@pytest.mark.parametrize("method", ["kfold", "subsampling", "holdout", "bootstrap632"])
def test_shares_of_variance_are_at_most_one(scoring, method):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X[:, 0] + rng.normal(0, 0.1, 60) * (np.arange(60) % 9 == 0)
    options = {"scoring": scoring, "method": method, "random_state": 0}
    result = evaluate(Ridge(), X, y, **options, confidence_level=0.9999)
    low, high = result.confidence_interval[scoring]
    assert low < result.estimate[scoring] < high <= 1


@pytest.mark.parametrize("n_systems", [2, 3])
@pytest.mark.parametrize("n_queries", [2, 3])
def test_tukey_of_few_queries_says_nothing(n_systems, n_queries):
    """Exchanges of two systems on three queries have p >= 1 / 4."""
    systems = [np.full(n_queries, 0.3 * i) for i in range(n_systems)]
    result = compare(systems, test="tukey", bound=1, margin=0.01, random_state=0)
    least = (n_systems * (n_systems - 1.0)) ** (1 - n_queries)
    says_nothing = tuple(result.confidence_interval[0]) == (-1, 1)
    assert says_nothing == (least > 0.05)
    if least > 0.1:  # two one-sided tests at 5 %
        assert set(result.verdict) == {"undecided"}


@pytest.mark.parametrize("test", TESTS)
def test_alike_differences_lie_inside_their_interval(test):
    """Also where 0.3 is the mean of the same numbers in one of two orders."""
    systems = {"a": [0.1 + 0.2] * 8, "b": [0.3 + 0.3] * 8}
    result = compare(systems, test=test, bound=1)
    low, high = result.confidence_interval[0]
    assert low <= result.estimate[0] <= high


@pytest.mark.parametrize("test", TESTS[:-1])
@pytest.mark.parametrize("n_queries", [2, 5, 6])
@pytest.mark.parametrize("shift", [0.0, 0.02, -0.02, 0.1, -0.25])
def test_few_differences_that_are_alike_say_nothing(test, n_queries, shift):
    """Five signs have p >= 1 / 16, whatever their differences are."""
    scores = np.array([0.5, 0.4, 0.3, 0.6, 0.7, 0.4])[:n_queries]
    systems = {"new": scores + shift, "old": scores}
    for bound, most in ((None, np.inf), (1, 1)):
        options = {"test": test, "bound": bound, "random_state": 0}
        found = compare(systems, **options)
        says_nothing = found.confidence_interval == ((-most, most),)
        assert says_nothing == (n_queries < 6 or shift == 0)
    undecided = compare(systems, test=test, margin=0.05, bound=1).verdict
    assert undecided == ("undecided",)


@pytest.mark.parametrize("test", TESTS[:-1])
@pytest.mark.parametrize("n_differ", [0, 1, 5, 6, 9])
def test_few_queries_that_differ_do_not_bound_the_difference(test, n_differ):
    first = np.full(80, 0.5)
    second = first + 0.25 * (-1) ** np.arange(80) * (np.arange(80) < n_differ)
    options = {"test": test, "random_state": 0}
    unknown = compare([first, second], **options)
    found = compare([first, second, first + 0.3], metric="ndcg", **options)
    assert min(found.p_value[0], unknown.p_value[0]) > 0.05
    if n_differ < 6:
        assert unknown.confidence_interval[0] == (-np.inf, np.inf)
        assert found.confidence_interval[0] == (-1, 1)
        assert re.search("[Ff]ewer than 6|[Nn]o interval", repr(found))
    else:
        low, high = unknown.confidence_interval[0]
        assert -0.4 < low < 0 < high < 0.4


@pytest.mark.parametrize("test", ["permutation", "ttest", "bootstrap"])
def test_intervals_of_rare_differences_hold(test):
    rng = np.random.default_rng(0)
    n_held = 0
    for _ in range(100):
        draws = rng.random(50)  # 3 % wins and 1 % losses
        systems = np.zeros((2, 50)) + 0.5
        systems[1] += 0.5 * (draws < 0.03) - 0.5 * (draws > 0.99)
        result = compare([*systems], test=test, n_resamples=199, random_state=0)
        low, high = result.confidence_interval[0]
        n_held += low <= 0.01 <= high
    assert n_held >= 0.94 * 100


def test_splits_without_a_difference_do_not_bound_it(rows):
    X, y = rows
    results = evaluate(
        {"one": GaussianNB(), "same": GaussianNB()}, X, y, scoring="accuracy"
    )
    result = compare(results, test="corrected_ttest", margin=0.1)
    assert result.confidence_interval[0] == (-1, 1)
    assert result.verdict == ("undecided",)
    assert "undecided: -0.1 is between the limits" in repr(result)


@pytest.mark.parametrize("test", ["ttest", "bootstrap"])
def test_few_queries_of_which_one_pair_is_alike_say_nothing_of_it(test):
    systems = {"a": [0.1, 0.4, 0.3], "same": [0.1, 0.4, 0.3], "b": [0.2, 0.3, 0.9]}
    result = compare(systems, test=test, bound=1)
    assert tuple(result.confidence_interval[0]) == (-1, 1)


def test_splits_that_are_alike_have_the_p_value_of_their_signs():
    X, y = np.repeat([[0.0], [1.0]], 20, axis=0), np.repeat([0, 1], 20)
    models = {"none": DummyClassifier(), "all": GaussianNB()}
    folds = RepeatedKFold(n_splits=2, n_repeats=5)
    options = {"method": folds, "random_state": 0}
    results = evaluate(models, X, y, scoring="roc_auc", **options)
    result = compare(results, test="corrected_ttest")
    assert result.p_value[0] == 2.0**-9
    assert result.confidence_interval[0] == (0.5, 0.5)
    options = {"test": "corrected_ttest", "bound": 1}
    level = compare(results, confidence_level=0.997, **options)
    assert level.confidence_interval[0] == (0.5, 0.5)
    few = compare(results, confidence_level=0.999, **options)
    assert few.confidence_interval[0] == (-1, 1)


@pytest.mark.filterwarnings("error")
def test_a_single_row_has_no_interval_and_no_warnings(rows):
    options = {"method": HoldoutSplit(test_size=1), "random_state": 0}
    result = evaluate(GaussianNB(), *rows, scoring="accuracy", **options)
    assert np.isnan(result.confidence_interval["accuracy"]).all()
    assert result.interval_method["accuracy"] == "none: fewer than two rows"


@pytest.mark.parametrize("classes", [["no", "yes"], [1, 2], [-1, 0]])
@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc"])
@pytest.mark.parametrize("method", ["holdout", "bootstrap632"])
def test_intervals_do_not_depend_on_what_classes_are_called(
    rows, classes, scoring, method
):
    X, y = rows
    options = {"scoring": scoring, "method": method, "random_state": 0}
    if method == "bootstrap632":
        options["n_splits"] = 30
    expected = evaluate(GaussianNB(), X, y, **options)
    found = evaluate(GaussianNB(), X, np.array(classes)[y], **options)
    assert found.estimate == expected.estimate
    assert found.confidence_interval[scoring] == pytest.approx(
        expected.confidence_interval[scoring]
    )


@pytest.mark.parametrize("test", ["permutation", "bootstrap", "tukey", "ttest"])
@pytest.mark.parametrize("level", [1.1e-12, 1 - 1.1e-12])
def test_every_level_that_is_taken_can_be_shown(test, level):
    a, b = np.random.default_rng(0).random((2, 8))
    options = {"test": test, "confidence_level": level}
    assert "on 8 queries" in str(compare({"a": a, "b": b}, **options))


def test_effect_sizes_of_differences_that_do_not_vary():
    columns = np.array([[0.5, 0.5], [0.5, 0.25], [0.25, 0.5]])
    for (first, second), size in zip(columns, [0.0, np.inf, -np.inf], strict=True):
        results = {"a": [first] * 8, "b": [second] * 8}
        assert compare(results, test="ttest").effect_size[0] == -size


ONLY_SIGNS = {"permutation", "wilcoxon", "sign"}


@pytest.mark.parametrize("name", ["permutation", "wilcoxon", "sign", "ttest"])
def test_few_units_that_differ_are_told_of(name):
    # Three units have eight patterns of signs; others differ in size, too.
    scores = np.random.default_rng(0).random(20)
    other = scores + np.r_[0.1, 0.2, 0.3, np.zeros(17)]
    result = compare({"a": scores, "b": other}, test=name)
    assert ("with fewer than 6 no p-value" in str(result)) == (name in ONLY_SIGNS)
