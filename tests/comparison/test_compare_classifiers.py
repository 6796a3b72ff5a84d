"""Tests of two classifiers, over rows and over splits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import make_classification, make_regression
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import RepeatedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from sklearn_irmetrics import Measure
from sklearn_irmetrics.comparison import compare
from sklearn_irmetrics.model_selection import evaluate

RNG = np.random.default_rng(11)


def rows(both, first, second, neither):
    """Rows that both, the first, the second or neither has right."""
    counts = [both, first, second, neither]
    right = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], counts, axis=0) == 1
    return RNG.permutation(right).T


# The sign test of rows is McNemar's ---------------------------------------------------


@pytest.mark.parametrize("table", [(50, 3, 9, 8), (5, 0, 6, 0), (0, 20, 1, 3)])
def test_sign_test_of_rows_against_statsmodels_and_mlxtend(table):
    both, first, second, neither = table
    p_value = compare(list(rows(*table).astype(float)), test="sign").p_value[0]
    contingency = [[both, first], [second, neither]]
    theirs = pytest.importorskip("statsmodels.stats.contingency_tables")
    assert_allclose(p_value, theirs.mcnemar(contingency, exact=True).pvalue, rtol=1e-12)
    evaluate = pytest.importorskip("mlxtend.evaluate")
    _, expected = evaluate.mcnemar(np.array(contingency), exact=True)
    assert_allclose(p_value, expected, rtol=1e-9)


@pytest.mark.parametrize(("n_both", "n_neither"), [(20, 10), (1, 2)])
def test_sign_test_without_a_row_that_decides(n_both, n_neither):
    alike = list(rows(n_both, 0, 0, n_neither).astype(float))
    found = compare(alike, test="sign")
    assert found.p_value[0] == 1
    assert found.confidence_interval[0] == (0, 1)


# In compare ---------------------------------------------------------------------------

X, Y = make_classification(203, n_informative=4, flip_y=0.1, random_state=0)
MODELS = {
    "linear": LogisticRegression(),
    "tree": DecisionTreeClassifier(random_state=0),
    "bayes": GaussianNB(),
}


def results_of(scoring="accuracy", **options):
    options = {"scoring": scoring, "random_state": 0} | options
    return {name: evaluate(model, X, Y, **options) for name, model in MODELS.items()}


ROWS = results_of()


def right(result):
    """Which rows are right, from the predictions that a user sees."""
    found = np.full(len(Y), np.nan)
    predictions = result.predictions
    found[predictions.row] = predictions.responses["predict"] == predictions.y_true
    return found == 1


def test_tests_over_rows_are_those_of_the_predictions():
    result = compare(ROWS, test="sign", baseline="tree", correction="none")
    assert (result.unit, result.n_units) == ("row", 203)
    columns = {name: right(one).astype(float) for name, one in ROWS.items()}
    expected = compare(columns, test="sign", baseline="tree", correction="none")
    assert_allclose(result.p_value, expected.p_value)
    assert_allclose(result.confidence_interval, expected.confidence_interval)
    for i, name in enumerate(["linear", "bayes"]):
        difference = right(ROWS[name]).mean() - right(ROWS["tree"]).mean()
        assert_allclose(result.estimate[i], difference)


COSTS = Measure("set_cost", cost_matrix=[[0, 1], [5, 0]])
PER_ROW = Measure("set_cost", cost_matrix=[[0, 1], [5, 0]], normalize=True)


@pytest.mark.parametrize("method", ["kfold", "holdout", "loocv"])
@pytest.mark.parametrize(
    ("scoring", "of_rows"),
    [
        ("neg_log_loss", lambda y, p: np.log(p[np.arange(len(y)), y])),
        ("neg_brier_score", lambda y, p: -((1 - p[np.arange(len(y)), y]) ** 2)),
        (PER_ROW, lambda y, p: np.where(y == (p[:, 1] > 0.5), 0, 1.0 + 4 * y)),
        (COSTS, lambda y, p: len(y) * np.where(y == (p[:, 1] > 0.5), 0, 1.0 + 4 * y)),
    ],
)
def test_means_over_rows_are_compared_by_rows(method, scoring, of_rows):
    models = {name: MODELS[name] for name in ("linear", "bayes")}
    results = evaluate(
        models, X[:60], Y[:60], scoring=scoring, method=method, random_state=0
    )
    found = results.compare(random_state=0)
    assert (found.test, found.unit) == ("permutation", "row")
    columns = {}
    for name, one in results.items():
        table = one.predictions
        assert found.mean[name] == pytest.approx(one.estimate[found.metric])
        p = table.responses.get("predict_proba")
        if p is None:
            p = np.eye(2)[table.responses["predict"]]
        columns[name] = of_rows(table.y_true, p)[np.argsort(table.row)]
    expected = compare(columns, test="ttest")
    assert_allclose(results.compare(test="ttest").p_value, expected.p_value)
    assert_allclose(found.estimate, expected.estimate)


def test_squared_errors_are_compared_by_rows():
    X, y = make_regression(50, 3, noise=9, random_state=0)
    models = {"near": Ridge(), "far": Ridge(99)}
    names = ["neg_mean_squared_error", "neg_mean_absolute_error"]
    results = evaluate(models, X, y, scoring=names, random_state=0)
    found = results.compare(random_state=0)
    for name in names:
        assert (found[name].test, found[name].n_units) == ("permutation", 50)
        for model, one in results.items():
            assert found[name].mean[model] == pytest.approx(one.estimate[name])
    splits = results.compare(test="corrected_ttest")
    assert {one.unit for one in splits.values()} == {"split"}


def test_rows_of_strings_and_of_a_holdout():
    names = np.array(["no", "yes"])[Y]
    models = {n: m for n, m in MODELS.items() if n != "bayes"}
    options = {"scoring": "accuracy", "method": "holdout", "random_state": 0}
    as_text, as_numbers = (
        compare(
            {n: evaluate(m, X, target, **options) for n, m in models.items()},
            test="sign",
        )
        for target in (names, Y)
    )
    assert as_text.n_units == 68
    assert_allclose(as_text.p_value, as_numbers.p_value)


def test_permutation_over_rows_is_that_of_their_differences():
    pair = {name: ROWS[name] for name in ("linear", "tree")}
    result = compare(pair, random_state=0)
    columns = [right(ROWS[name]).astype(float) for name in pair]
    expected = compare(dict(zip(pair, columns, strict=True)), random_state=0)
    assert result.unit == "row"
    assert_allclose(result.p_value, expected.p_value)
    assert_allclose(result.estimate, expected.estimate)
    # An exact permutation test of -1, 0, 1 is the sign test.
    exact = compare(pair, test="sign").p_value
    assert_allclose(result.p_value, exact, atol=0.01)


def test_repeats_count_with_their_mean():
    repeated = results_of(method=RepeatedKFold(n_splits=2, n_repeats=5))
    result = compare(repeated, baseline="tree", random_state=0)
    assert (result.unit, result.n_units) == ("row", 203)
    for name, mean in result.mean.items():
        assert_allclose(mean, repeated[name].estimate["accuracy"], atol=0.001)


@pytest.mark.parametrize("scoring", ["set_f(beta=2)", "ap", "average_precision"])
def test_measures_without_values_per_row_are_compared_over_splits(scoring):
    models = {name: MODELS[name] for name in ("linear", "tree")}
    results = evaluate(models, X, Y, scoring=scoring, qid=None, random_state=0)
    found = results.compare()
    assert (found.test, found.unit, found.n_units) == ("corrected_ttest", "split", 5)
    first_line = str(found).splitlines()[0]
    assert first_line.startswith(f"{scoring} on 5 splits: means linear ")
    assert "corrected t-test over splits" in " ".join(str(found).split())
    named = results.compare(test="corrected_ttest")
    assert_allclose(found.p_value, named.p_value)
    message = "no scores per query in 'linear'; compare splits with compare"
    with pytest.raises(ValueError, match=message):
        results.compare(test="permutation")


def test_measures_with_and_without_values_per_row_are_tested_differently():
    models = {name: MODELS[name] for name in ("linear", "tree")}
    results = evaluate(models, X, Y, scoring=["accuracy", "set_f1"], random_state=0)
    found = results.compare(random_state=0)
    assert [one.test for one in found.values()] == ["permutation", "corrected_ttest"]
    assert [one.unit for one in found.values()] == ["row", "split"]
    text = " ".join(str(found).split())
    assert text.startswith("2 measures: tree versus linear")
    assert "accuracy: paired permutation test" in text
    assert "set_f1: corrected t-test over splits" in text


def test_accuracy_of_rows_that_were_kept_together_is_compared_over_splits():
    found = compare(results_of(groups=np.arange(len(Y)) // 3))
    assert (found.test, found.unit) == ("corrected_ttest", "split")


def test_tests_over_rows_say_what_they_need():
    with pytest.raises(ValueError, match="f1 has no scores per query in 'linear'"):
        compare(results_of("f1"), test="sign")
    with pytest.raises(ValueError, match="must be means over the rows of folds"):
        compare(results_of(method="bootstrap", n_splits=20), test="sign")
    with pytest.raises(ValueError, match="accuracy has no scores per query"):
        compare(results_of({"accuracy": "roc_auc"}), test="sign")
    with pytest.raises(ValueError, match="kept each group together"):
        compare(results_of(groups=np.arange(len(Y)) // 3), test="sign")
    others = results_of(random_state=1)
    with pytest.raises(ValueError, match="same splits"):
        compare({"a": ROWS["tree"], "b": others["tree"]}, test="sign")


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.float16, bool])
def test_errors_of_small_types_do_not_wrap(dtype):
    high = 1 if dtype is bool else 120
    targets = np.array([high, 1, 0]).astype(dtype)
    given = {"a": np.array([0, 1, 1]), "b": np.array([1, 0, 0])}
    given = {name: values.astype(dtype) for name, values in given.items()}
    if dtype is np.int8:
        given["a"][0] = -120
    for name, power in [("neg_mean_squared_error", 2), ("neg_mean_absolute_error", 1)]:
        result = compare(given, y_true=targets, metric=name)
        for model, values in given.items():
            errors = np.abs(targets.astype(float) - values) ** power
            assert result.mean[model] == pytest.approx(-errors.mean())


GROUPS = np.arange(len(Y)) // 4
GIVEN = {
    name: FrozenEstimator(clone(MODELS[name]).fit(X[:100], Y[:100]))
    for name in ("linear", "bayes")
}


@pytest.mark.parametrize("scoring", ["neg_log_loss", "neg_brier_score"])
@pytest.mark.parametrize("method", ["given", "holdout"])
def test_losses_of_one_test_set_are_compared_by_groups(scoring, method):
    options = {"scoring": scoring, "groups": GROUPS, "random_state": 0}
    if method == "holdout":
        options["method"] = "holdout"
    models = GIVEN if method == "given" else {n: MODELS[n] for n in GIVEN}
    results = evaluate(models, X, Y, **options)
    for test in ("auto", "ttest"):
        with pytest.raises(ValueError, match="pass groups=, one value per row of X"):
            results.compare(test=test)
    result = results.compare(test="ttest", groups=GROUPS)
    tables = {name: one.predictions for name, one in results.items()}
    rows = np.sort(next(iter(tables.values())).row)
    probabilities = {
        name: table.responses["predict_proba"][np.argsort(table.row)]
        for name, table in tables.items()
    }
    by_hand = compare(
        probabilities, y_true=Y[rows], metric=scoring, test="ttest", groups=GROUPS[rows]
    )
    assert (result.unit, result.n_units) == ("group", len(np.unique(GROUPS[rows])))
    assert_allclose(result.p_value, by_hand.p_value)
    assert_allclose(result.confidence_interval, by_hand.confidence_interval)
    for name, one in results.items():
        assert result.mean[name] == pytest.approx(one.estimate[scoring])
    assert results.compare(groups=GROUPS, random_state=0).test == "permutation"


def test_rows_that_were_split_one_by_one_are_compared_by_groups():
    results = evaluate(GIVEN, X, Y, scoring="accuracy", random_state=0)
    result = results.compare(groups=GROUPS, test="ttest")
    assert (result.unit, result.n_units) == ("group", GROUPS.max() + 1)
    assert_allclose(result.estimate, results.compare(test="ttest").estimate)
    with pytest.raises(ValueError, match="groups must have one value per row of X"):
        results.compare(groups=GROUPS[:9], test="ttest")
    lacking = np.where(GROUPS == 3, np.nan, GROUPS)
    for scoring in ("accuracy", "f1_macro"):
        with pytest.raises(ValueError, match="groups must not contain missing values"):
            evaluate(GIVEN, X, Y, scoring=scoring).compare(groups=lacking)
