"""Tests of two classifiers: against statsmodels, mlxtend, SciPy, and by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from sklearn_irmetrics._statistics.paired_tests import five_by_two, mcnemar
from sklearn_irmetrics._statistics.pairs import PairedScores
from sklearn_irmetrics.comparison import compare
from sklearn_irmetrics.model_selection import evaluate

RNG = np.random.default_rng(11)
LEVEL = {"alpha": 0.05}


def found_by(test, first, second, alpha):
    """What a test says of one pair: p-value and ends."""
    scores = np.column_stack([first, second]).astype(float)
    pairs = PairedScores(scores, np.array([[0, 1]]), None, None, 1, None)
    found = test(pairs)
    return found.p_value[0], tuple(found.ends(alpha)[0].tolist())


def mcnemar_test(first, second, *, alpha):
    return found_by(mcnemar, first, second, alpha)


def five_by_two_test(differences, *, alpha):
    differences = differences.reshape(10)
    return found_by(five_by_two, differences, np.zeros(10), alpha)


def rows(both, first, second, neither):
    """Rows that both, the first, the second or neither has right."""
    counts = [both, first, second, neither]
    right = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], counts, axis=0) == 1
    return RNG.permutation(right).T


# McNemar ------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [(50, 3, 9, 8), (5, 0, 6, 0), (0, 20, 1, 3)])
def test_mcnemar_against_statsmodels_and_mlxtend(table):
    both, first, second, neither = table
    p_value, _ = mcnemar_test(*rows(*table), **LEVEL)
    contingency = [[both, first], [second, neither]]
    theirs = pytest.importorskip("statsmodels.stats.contingency_tables")
    assert_allclose(p_value, theirs.mcnemar(contingency, exact=True).pvalue, rtol=1e-12)
    evaluate = pytest.importorskip("mlxtend.evaluate")
    _, expected = evaluate.mcnemar(np.array(contingency), exact=True)
    assert_allclose(p_value, expected, rtol=1e-9)


@pytest.mark.parametrize(("n_both", "n_neither"), [(20, 10), (1, 2), (1, 0)])
def test_mcnemar_without_a_row_that_decides(n_both, n_neither):
    p_value, ends = mcnemar_test(*rows(n_both, 0, 0, n_neither), **LEVEL)
    assert p_value == 1
    most = 1 - 0.025 ** (1 / (n_both + n_neither))
    assert_allclose(ends, [-most, most])


# 5 x 2 cv -----------------------------------------------------------------------------


def test_five_by_two_against_its_formula():
    differences = RNG.normal(0.02, 0.05, (5, 2))
    p_value, _ = five_by_two_test(differences, **LEVEL)
    variances = differences.var(axis=1, ddof=1)  # of two, half the squared distance
    f = (differences**2).sum() / (2 * variances.sum())
    assert_allclose(p_value, stats.f.sf(f, 10, 5), rtol=1e-12)


def test_five_by_two_interval_is_the_inverted_test():
    differences = np.random.default_rng(0).normal(0.02, 0.05, (5, 2))
    _, ends = five_by_two_test(differences, **LEVEL)
    for end in ends:
        assert_allclose(five_by_two_test(differences - end, **LEVEL)[0], 0.05)


def test_five_by_two_of_extreme_values():
    assert five_by_two_test(np.zeros((5, 2)), **LEVEL) == (1.0, (0.0, 0.0))
    p_value, ends = five_by_two_test(np.full((5, 2), 0.1), **LEVEL)
    assert p_value == 2.0**-9  # of ten signs
    assert_allclose(ends, 0.1)
    differences = RNG.normal(0.02, 0.05, (5, 2))
    p_value, ends = five_by_two_test(differences, **LEVEL)
    for scale in (1e-200, 1e200):
        p_scaled, scaled = five_by_two_test(differences * scale, **LEVEL)
        assert_allclose(p_scaled, p_value, rtol=1e-9)
        assert_allclose(np.array(scaled) / scale, ends, rtol=1e-9)


def test_five_by_two_without_an_interval():
    # The repeats lie 0.1 apart, their folds 0.002: no common difference is likely.
    differences = np.add.outer([0.1, 0.2, 0.3, 0.4, 0.5], [0.001, -0.001])
    for shift in (0.0, 0.3, 1.0):
        p_value, ends = five_by_two_test(differences - shift, **LEVEL)
        assert p_value < 1e-6
        assert np.isnan(ends).all()
    assert np.isfinite(five_by_two_test(differences, alpha=1e-12)[1]).all()


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
HALVES = results_of(n_splits=2, n_repeats=5)


def right(result):
    """Which rows are right, from the predictions that a user sees."""
    found = np.full(len(Y), np.nan)
    predictions = result.predictions
    found[predictions.row] = predictions.responses["predict"] == predictions.y_true
    return found == 1


def test_mcnemar_of_compare_is_that_of_the_predictions():
    result = compare(ROWS, test="mcnemar", baseline="tree")
    assert (result.unit, result.n_units) == ("row", 203)
    for i, name in enumerate(["linear", "bayes"]):
        p_value, ends = mcnemar_test(right(ROWS[name]), right(ROWS["tree"]), **LEVEL)
        assert_allclose(result.p_value[i], p_value)
        assert_allclose(result.confidence_interval[i], ends)
        assert_allclose(
            result.difference[i], right(ROWS[name]).mean() - right(ROWS["tree"]).mean()
        )
    assert "exact McNemar test" in str(result)


def test_rows_of_strings_and_of_a_holdout():
    names = np.array(["no", "yes"])[Y]
    models = {n: m for n, m in MODELS.items() if n != "bayes"}
    options = {"scoring": "accuracy", "method": "holdout", "random_state": 0}
    as_text, as_numbers = (
        compare(
            {n: evaluate(m, X, target, **options) for n, m in models.items()},
            test="mcnemar",
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
    assert_allclose(result.difference, expected.difference)
    # An exact permutation test of -1, 0, 1 is McNemar's.
    exact = compare(pair, test="mcnemar").p_value
    assert_allclose(result.p_value, exact, atol=0.01)


def test_repeats_count_with_their_mean_but_not_for_mcnemar():
    result = compare(HALVES, baseline="tree", random_state=0)
    assert (result.unit, result.n_units) == ("row", 203)
    for name, mean in result.mean.items():
        assert_allclose(mean, HALVES[name].estimate["accuracy"], atol=0.001)
    with pytest.raises(ValueError, match="needs one prediction for each row"):
        compare(HALVES, test="mcnemar")


def test_five_by_two_of_compare_is_that_of_the_scores():
    result = compare(HALVES, test="5x2cv", baseline="tree")
    assert (result.unit, result.n_units) == ("split", 10)
    for i, name in enumerate(["linear", "bayes"]):
        first, second = (
            HALVES[n].split_scores["accuracy"].reshape(5, 2) for n in (name, "tree")
        )
        p_value, ends = five_by_two_test(first - second, **LEVEL)
        assert_allclose(result.p_value[i], p_value)
        assert_allclose(result.confidence_interval[i], ends)
    assert np.isnan(result.detectable_effect).all()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"n_splits": 10},
        {"n_splits": 2, "n_repeats": 4},
        {"method": "subsampling", "n_splits": 10, "test_size": 0.5},
    ],
)
def test_five_by_two_names_the_call_that_makes_its_splits(options):
    call = r"evaluate\(..., method='kfold', n_splits=2, n_repeats=5\)"
    with pytest.raises(ValueError, match=call):
        compare(results_of(**options), test="5x2cv")
    with pytest.raises(ValueError, match=call):
        compare([[0.1, 0.2], [0.2, 0.3]], test="5x2cv")


@pytest.mark.parametrize("scoring", ["set_f(beta=2)", "ap", "average_precision"])
def test_measures_without_values_per_row_are_compared_over_splits(scoring):
    models = {name: MODELS[name] for name in ("linear", "tree")}
    results = evaluate(models, X, Y, scoring=scoring, qid=None, random_state=0)
    found = results.compare()
    assert (found.test, found.unit, found.n_units) == ("corrected_ttest", "split", 5)
    first_line = str(found).splitlines()[0]
    assert first_line == f"{scoring} on 5 splits: corrected t-test over splits"
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
    title, *by_measure = str(found).splitlines()
    assert title == "2 measures: two tests"
    assert "paired permutation test" in by_measure[0]
    assert "corrected t-test over splits" in by_measure[1]


def test_accuracy_of_rows_that_were_kept_together_is_compared_over_splits():
    found = compare(results_of(groups=np.arange(len(Y)) // 3))
    assert (found.test, found.unit) == ("corrected_ttest", "split")


def test_tests_over_rows_say_what_they_need():
    with pytest.raises(TypeError, match="results must come from evaluate for"):
        compare([[1, 0, 1], [0, 0, 1]], test="mcnemar", metric="accuracy")
    with pytest.raises(ValueError, match="metric must be 'accuracy'"):
        compare(results_of("f1"), test="mcnemar")
    with pytest.raises(ValueError, match="results must be accuracies on folds"):
        compare(results_of(method="bootstrap", n_splits=20), test="mcnemar")
    with pytest.raises(ValueError, match="results must be accuracies on folds"):
        compare(results_of({"accuracy": "roc_auc"}), test="mcnemar")
    with pytest.raises(ValueError, match="kept each group together"):
        compare(results_of(groups=np.arange(len(Y)) // 3), test="mcnemar")
    others = results_of(random_state=1)
    with pytest.raises(ValueError, match="same splits"):
        compare({"a": ROWS["tree"], "b": others["tree"]}, test="mcnemar")
