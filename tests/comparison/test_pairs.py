"""Paired comparisons: SciPy's own numbers, small direct references, aligned inputs."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB

from oracles.queries import graded_queries
from sklearn_irmetrics import (
    Measure,
    get_scorer,
    make_metric,
    ndcg_score,
    score_queries,
)
from sklearn_irmetrics.comparison import compare, leaderboard
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.model_selection import evaluate

QUERY_TESTS = ["permutation", "ttest", "wilcoxon", "sign", "bootstrap", "tukey"]


@pytest.fixture
def systems():
    rng = np.random.default_rng(3)
    base = rng.beta(2, 3, 40)
    return {
        name: np.clip(base + rng.normal(shift, 0.06, 40), 0, 1)
        for name, shift in [("old", 0.0), ("new", 0.05), ("other", 0.01)]
    }


@pytest.fixture
def rankings():
    return graded_queries(30, 12, ids=[f"q{i:02}" for i in range(30)])


def power(exponent):
    """Return a gain function; all have the same name."""

    def gain(grades):
        return grades**exponent

    return gain


def two(systems):
    return {name: systems[name] for name in ("old", "new")}


class TestAgainstSciPy:
    def test_ttest(self, systems):
        result = compare(two(systems), test="ttest")
        expected = stats.ttest_rel(systems["new"], systems["old"])
        assert result.p_value[0] == pytest.approx(expected.pvalue, rel=1e-12)
        ends = expected.confidence_interval(0.95)
        assert_allclose(result.confidence_interval[0], ends, rtol=1e-12)
        difference = systems["new"] - systems["old"]
        assert result.estimate[0] == pytest.approx(difference.mean())
        size = difference.mean() / difference.std(ddof=1)
        assert result.effect_size[0] == pytest.approx(size)


class TestCorrections:
    @pytest.mark.parametrize("correction", ["holm", "bonferroni", "fdr_bh"])
    def test_against_statsmodels(self, correction):
        multitest = pytest.importorskip("statsmodels.stats.multitest")
        systems = list(np.random.default_rng(0).normal(size=(6, 30)))
        found = compare(systems, test="ttest", correction=correction)
        expected = multitest.multipletests(found.p_value, method=correction)[1]
        assert_allclose(found.p_adjusted, expected, rtol=1e-12)

    def test_no_correction_has_one_name(self):
        rng = np.random.default_rng(1)
        systems = {name: rng.random(20) for name in "abc"}
        found, alone = (
            compare(systems, test="ttest", correction=name) for name in ("none", None)
        )
        assert repr(found) == repr(alone)
        np.testing.assert_array_equal(found.p_adjusted, found.p_value)
        with pytest.raises(ValueError, match="correction must be .*'none'"):
            compare(systems, correction="None")


class TestPValues:
    def test_differences_by_rounding_are_ties(self):
        third = np.array([0.1 + 0.2, 0.7, 0.5, 0.2, 0.4])
        other = np.array([0.3, 0.1 + 0.6, 0.5, 0.2 + 1e-9, 0.4 - 1e-9])
        result = compare([other, third], test="sign")
        assert (result.wins[0], result.ties[0], result.losses[0]) == (1, 3, 1)

    @pytest.mark.parametrize("kind", [np.float32, np.float16])
    @pytest.mark.parametrize(
        "test", ["permutation", "ttest", "wilcoxon", "sign", "tukey"]
    )
    def test_differences_by_the_rounding_of_the_input_are_ties(self, test, kind):
        pd = pytest.importorskip("pandas")
        rng = np.random.default_rng(7)
        options = {"test": test, "random_state": 0, "n_resamples": 199}
        for n in rng.integers(5, 13, 8):
            first = rng.integers(0, 11, n)
            second = np.clip(first + rng.integers(-1, 4, n), 0, 10)
            exact = [first / 10, second / 10]
            coarse = [values.astype(kind) for values in exact]
            expected = compare(exact, **options)
            for systems in (coarse, [exact[0], coarse[1]], [*map(pd.Series, coarse)]):
                result = compare(systems, **options)
                assert_array_equal(result.ties, expected.ties)
                # Student's t is continuous in the scores.
                close = 1e-2 if test == "ttest" else 1e-12
                assert_allclose(result.p_value, expected.p_value, rtol=close)

    @pytest.mark.parametrize("test", ["permutation", "ttest", "bootstrap"])
    def test_equal_differences_of_float32_have_the_p_value_of_their_signs(self, test):
        grades = np.arange(10)
        systems = [((grades + i) / 20).astype(np.float32) for i in (0, 1)]
        result = compare(systems, test=test, random_state=0)
        assert result.p_value[0] == pytest.approx(2**-9)
        board = leaderboard({"a": systems[0], "b": systems[1]}, random_state=0)
        assert board.p_adjusted[0, 1] == pytest.approx(2**-9)

    @pytest.mark.parametrize("test", ["permutation", "bootstrap", "tukey"])
    def test_tenths_have_the_p_value_of_whole_numbers(self, test):
        rng = np.random.default_rng(5)
        options = {"test": test, "random_state": 0, "n_resamples": 199}
        for n in rng.integers(5, 13, 20):
            first = rng.integers(0, 11, n)
            second = np.clip(first + rng.integers(0, 3, n), 0, 10)
            p_value = compare([first, second], **options).p_value
            tenths = compare([first / 10, second / 10], **options).p_value
            assert_array_equal(p_value, tenths)

    @pytest.mark.parametrize("test", QUERY_TESTS)
    def test_identical_systems(self, test):
        scores = np.random.default_rng(0).random(20)
        result = compare([scores, scores.copy()], test=test)
        assert result.p_value[0] == result.p_adjusted[0] == 1
        assert result.estimate[0] == result.effect_size[0] == 0
        assert (result.wins[0], result.ties[0], result.losses[0]) == (0, 20, 0)
        assert "-0.0" not in str(list(result.confidence_interval[0]))

    @pytest.mark.parametrize("test", ["permutation", "bootstrap", "tukey"])
    def test_reproducible(self, systems, test):
        first, again, other = (
            compare(systems, test=test, n_resamples=500, random_state=seed)
            for seed in (0, 0, 1)
        )
        assert_array_equal(first.p_value, again.p_value)
        assert first.confidence_interval == again.confidence_interval
        assert not np.array_equal(first.p_value, other.p_value)


class TestInputs:
    def test_query_scores_are_aligned_by_id(self, rankings):
        X, y, qid = rankings
        rng = np.random.default_rng(0)
        order = rng.permutation(len(y))
        first = score_queries(y, X[:, 0], ["ndcg@5", "map"], qid=qid)
        second = score_queries(y[order], X[order, 1], ["ndcg@5", "map"], qid=qid[order])
        assert first.query_ids.tolist() != second.query_ids.tolist()
        result = compare({"a": first, "b": second}, test="ttest", metric="ndcg@5")
        per_query = [ndcg_score(y, X[:, i], k=5, qid=qid, average=None) for i in (0, 1)]
        expected = compare(dict(zip("ab", per_query, strict=True)), test="ttest")
        assert_allclose(result.p_value, expected.p_value)
        assert result.n_units + result.n_undefined == 30

    def test_evaluation_results(self, rankings):
        X, y, qid = rankings
        options = {"scoring": ["ndcg@5"], "qid": qid, "random_state": 0}
        results = {
            "all": evaluate(QueryRanker(Ridge()), X, y, **options),
            "noise": evaluate(QueryRanker(Ridge()), X[:, 1:], y, **options),
        }
        result = compare(results, baseline="noise", test="ttest")
        assert result.metric == "ndcg@5"
        assert result.mean["all"] == pytest.approx(results["all"].estimate["ndcg@5"])
        assert result.estimate[0] > 0.1
        assert result.p_value[0] < 0.01
        feature = score_queries(y, X[:, 1], "ndcg@5", qid=qid)
        assert compare({"model": results["all"], "feature": feature}).n_units > 20

    @pytest.mark.parametrize("has_ids", [False, True])
    def test_scores_of_splits_ask_for_ids_that_are_missing(self, rankings, has_ids):
        X, y, qid = rankings
        models = {"one": Ridge(), "two": Ridge(9)}
        results = evaluate(models, X, y, scoring="r2", qid=qid if has_ids else None)
        more = "" if has_ids else ", or pass qid= to evaluate"
        message = re.escape(
            "r2 has no scores per query in 'one'; compare splits with compare(..., "
            f"test='corrected_ttest'){more}."
        )
        with pytest.raises(ValueError, match=f"^{message}$"):
            results.compare(test="permutation")
        assert results.compare().test == "corrected_ttest"

    def test_series(self):
        pd = pytest.importorskip("pandas")
        first = pd.Series([0.1, 0.2, 0.4], index=list("abc"))
        second = pd.Series([0.3, 0.5, 0.3], index=list("cba"))
        result = compare({"first": first, "second": second}, test="ttest")
        assert result.estimate[0] == pytest.approx((0.2 + 0.3 - 0.1) / 3)
        of_objects = first.astype(object)
        with pytest.raises(TypeError, match="got Series for 'system 1'.$"):
            compare([of_objects, of_objects])
        twice = pd.Series([0.1, 0.2], index=["a", "a"])
        with pytest.raises(ValueError, match="'system 1' repeats some"):
            compare([twice, twice])

    def test_arrow_columns_have_no_index(self):
        pa = pytest.importorskip("pyarrow")
        values = [0.1, 0.2, 0.4], [0.3, 0.5, 0.3]
        expected = compare([*values]).estimate
        for library in (pa.array, lambda one: pa.chunked_array([one])):
            assert compare([*map(library, values)]).estimate == expected

    def test_measures_behind_labels(self):
        y, qid = np.tile([0, 1, 0, 1], 5), np.repeat(range(5), 4)
        retrieved = {"good": y > 0, "bad": np.tile([1, 1, 0, 1], 5) > 0}
        for label in ("false alarms", "f"):  # which is another measure's name
            results = {
                name: score_queries(y, found, {label: "set_fallout"}, qid=qid)
                for name, found in retrieved.items()
            }
            result = compare(results, baseline="bad")
            assert not result.greater_is_better
            assert (result.wins[0], result.losses[0]) == (5, 0)
            assert result.confidence_interval[0].low == -1
        other = score_queries(y, y, {"f": "p@1"}, qid=qid)
        message = "'f' is 'set_fallout' in 'good' and 'p@1' in 'other'"
        with pytest.raises(ValueError, match=message):
            compare({"good": results["good"], "other": other})

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            (("ndcg@10", {}), ("ndcg@5", {})),
            (("p@5", {}), ("p@5", {"relevance_threshold": 2})),
            (("ndcg", {}), ("ndcg(gain='exponential')", {})),
            (("ndcg", {}), (Measure("ndcg", gain=np.sqrt), {})),
        ],
    )
    def test_arguments_behind_labels(self, rankings, first, second):
        X, y, qid = rankings
        systems = {
            name: score_queries(y, X[:, 0], {"main": metric}, qid=qid, **options)
            for name, (metric, options) in {"one": first, "two": second}.items()
        }
        message = "same measures; 'main' is .* in 'one' and .* in 'two'"
        for metric in (None, "main", ["main"]):
            with pytest.raises(ValueError, match=message):
                compare(systems, metric=metric, greater_is_better=True, bound=1)

    @pytest.mark.parametrize("rank", [compare, leaderboard])
    def test_functions_of_one_name_are_different_measures(self, rankings, rank):
        X, y, qid = rankings
        linear, cubic = (Measure("dcg", gain=power(n)) for n in (1, 3))
        both = {"linear": linear, "cubic": cubic}
        scores = {
            name: score_queries(y, X[:, 0], {"main": measure}, qid=qid)
            for name, measure in both.items()
        }
        fitted = {
            name: evaluate(QueryRanker(Ridge()), X, y, scoring={"main": one}, qid=qid)
            for name, one in both.items()
        }
        message = (
            r"'main' is 'dcg\(gain=gain\)' in 'linear' and 'dcg\(gain=gain\)' in "
            r"'cubic'\. Their functions are different objects"
        )
        for systems in (scores, fitted):
            assert systems["linear"].metrics == {"main": linear}
            with pytest.raises(ValueError, match=message):
                rank(systems)
        other = score_queries(y, X[:, 1], {"main": linear}, qid=qid)
        assert rank([scores["linear"], other]).metric == "main"
        assert rank([scores["linear"], other], metric=linear).metric == "main"

    def test_rules_of_calls_are_those_of_scorers(self, rankings):
        X, y, qid = rankings
        scorer = get_scorer("map", ties="stable")
        systems = [
            score_queries(y, X[:, 0], {"main": "map"}, qid=qid, ties="stable"),
            evaluate(QueryRanker(Ridge()), X, y, scoring={"main": scorer}, qid=qid),
        ]
        assert compare(systems).metric == "main"

    def test_measures_behind_labels_of_evaluate(self, rankings):
        X, y, qid = rankings
        models = {"one": QueryRanker(Ridge()), "two": QueryRanker(Ridge(1e5))}

        def result_of(metric, label="ndcg"):
            scoring = {label: metric}
            return evaluate(models, X, y, scoring=scoring, qid=qid, random_state=0)

        taus, named = result_of("kendall_tau"), result_of("kendall_tau", "kendall_tau")
        first, second = (one.compare(test="anytime") for one in (taus, named))
        assert first.confidence_interval == second.confidence_interval
        assert result_of("ndcg@5", "x").compare(test="anytime").n_units > 20
        other = {"one": taus["one"], "two": result_of("map")["two"]}
        message = "'ndcg' is 'kendall_tau' in 'one' and 'ap' in 'two'"
        with pytest.raises(ValueError, match=message):
            compare(other)

    def test_ranges_are_those_of_what_scored(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(40, 2)), np.tile([0, 1], 20)

        def map(estimator, X, y):  # the name of another measure
            return float(estimator.predict_proba(X)[:, 1].mean())

        models = {"one": LogisticRegression(), "two": LogisticRegression(C=1e-3)}
        scoring = {"map": map, "right": "accuracy"}
        results = evaluate(models, X, y, scoring=scoring, random_state=0)
        options = {"test": "corrected_ttest", "confidence_level": 1 - 1e-11}
        found = compare(results, **options)
        assert found["map"].confidence_interval[0].high > 1
        assert found["right"].confidence_interval[0] == (-1, 1)

    @pytest.mark.parametrize("ends", [(2, 40), (-40, -2)])
    @pytest.mark.parametrize("greater_is_better", [True, False])
    def test_ranges_that_do_not_begin_at_0(self, rankings, ends, greater_is_better):
        X, y, qid = rankings
        low, high = ends
        measure = make_metric(
            lambda y_true, y_score: low if y_true[0] > 0 else high,
            name="either_end",
            range=ends,
            greater_is_better=greater_is_better,
        )
        models = {"one": lambda X: X[:, 0], "two": lambda X: X[:, 1]}
        scored = {
            name: score_queries(y, model(X), measure, qid=qid)
            for name, model in models.items()
        }
        evaluated = evaluate(models, X, y, scoring=measure, qid=qid)
        for results in (scored, evaluated):
            found = compare(results, margin=20, confidence_level=1 - 1e-11)
            assert found.confidence_interval[0] == (-38, 38)

    def test_percentages_beside_fractions(self):
        percent = {"a": [40.0, 50.0, 60.0], "b": [0.5, 0.4, 0.3]}
        message = r"ndcg@10 is between 0 and 1, unlike scores of 'a'\."
        with pytest.raises(ValueError, match=message):
            compare(percent, metric="ndcg@10")
        both = {name: np.multiply(v, 100) for name, v in percent.items()}
        assert compare(both, metric="ndcg@10", test="ttest").n_units == 3
        assert compare(percent, test="ttest").n_units == 3  # of no known measure
        negated = {"a": [-0.4, -0.5], "b": [0.0, 0.0]}
        message = "set_e is between 0 and 1, unlike scores of 'a'"
        with pytest.raises(ValueError, match=message):
            compare(negated, metric="set_e")

    def test_a_measure_is_found_under_any_name(self, rankings):
        X, y, qid = rankings
        metrics = {"map": "map", "main": "ndcg@5"}
        systems = [score_queries(y, X[:, i], metrics, qid=qid) for i in (0, 1)]
        assert compare(systems, metric=Measure("map")).metric == "map"
        found = compare(systems, metric=[Measure("ndcg", k=5), Measure("ap")])
        assert list(found.comparisons) == ["main", "map"]
        with pytest.raises(ValueError, match=r"has \['map', 'main'\]; got 'ndcg@9'"):
            compare(systems, metric=Measure("ndcg@9"))

    def test_undefined_for_all_is_left_out(self):
        first = np.array([0.1, np.nan, 0.3, 0.4])
        result = compare([first, first + 0.1], test="ttest")
        assert (result.n_units, result.n_undefined) == (3, 1)
        assert repr(result).startswith("score on 3 of 4 queries: means system 1 0.267")


class TestCorrectedTtest:
    def test_against_the_paper(self, rankings):
        X, y, qid = rankings
        options = {"scoring": "ndcg@5", "qid": qid, "random_state": 0}
        options |= {"method": "subsampling", "n_splits": 8}
        first = evaluate(QueryRanker(Ridge()), X, y, **options)
        second = evaluate(QueryRanker(Ridge()), X[:, 1:], y, **options)
        result = compare({"noise": second, "all": first}, test="corrected_ttest")
        differences = first.split_scores["ndcg@5"] - second.split_scores["ndcg@5"]
        share = np.mean(first.n_test / first.n_train)
        variance = (1 / 8 + share) * differences.var(ddof=1)
        t = differences.mean() / np.sqrt(variance)
        assert result.p_value[0] == pytest.approx(2 * stats.t.sf(abs(t), 7))
        assert result.unit == "split"
        assert result.n_units == 8

    def test_needs_results_of_evaluate(self, systems):
        with pytest.raises(TypeError, match="must come from evaluate .* got ndarray"):
            compare(systems, test="corrected_ttest")


class TestErrors:
    def test_missing_queries_are_named(self, rankings):
        X, y, qid = rankings
        whole, part, less = (
            score_queries(y[n:], X[n:, 0], "map", qid=qid[n:]) for n in (0, 24, 120)
        )
        for systems, message in (
            ({"a": whole, "b": part}, "'b' lacks the ids 'q00', 'q01', which 'a'"),
            ({"b": part, "a": whole}, "'b' lacks the ids 'q00', 'q01', which 'a'"),
            ({"a": whole, "b": less}, "'q04' and 5 more"),
        ):
            with pytest.raises(ValueError, match=message):
                compare(systems)

    @pytest.mark.parametrize(
        ("metric", "weight"),
        [("gmap", None), ("set_p(average='micro')", None), ("map", "weights")],
    )
    def test_query_scores_of_another_mean(self, rankings, metric, weight):
        X, y, qid = rankings
        if weight is not None:
            weight = np.unique(qid, return_inverse=True)[1] + 1
        systems = X[:, :2].T > 0 if metric.startswith("set") else X[:, :2].T
        options = {"qid": qid, "sample_weight": weight}
        first, second = (
            score_queries(y, y_score, {"mine": metric}, **options)
            for y_score in systems
        )
        with pytest.raises(ValueError, match=r"the mine of 'a' is a weighted, geom"):
            compare({"a": first, "b": second})
        scores = {"a": first.scores["mine"], "b": second.scores["mine"]}
        compare(scores, test="ttest")

    def test_arrays_beside_ids(self, rankings):
        X, y, qid = rankings
        scores = score_queries(y, X[:, 0], "map", qid=qid)
        systems = [scores, scores.scores["map"]]
        for both in (systems, systems[::-1]):
            with pytest.raises(ValueError, match="all have query ids or all lack"):
                compare(both)

    @pytest.mark.parametrize(
        ("results", "error", "message"),
        [
            (
                {1: [0.1, 0.2], "1": [0.3, 0.2]},
                ValueError,
                "names that differ as strings",
            ),
            ([[0.1], [0.2]], ValueError, "at least two queries"),
            ([[[0.1, 0.2]], [[0.2, 0.1]]], TypeError, "1-D array"),
            ([[0.1, np.inf], [0.2, 0.1]], ValueError, "infinite"),
            (
                [[0.1, 0.2], [0.1, np.nan]],
                ValueError,
                "no score for query 1 in 'system 2'",
            ),
            ([[0.1, 0.2], [0.1]], ValueError, "'system 1' has 2, 'system 2' has 1"),
            (
                {"a": [0.1, 0.2], "b": np.ma.array([0.1, 0.2], mask=[True, False])},
                TypeError,
                r"results\['b'\] must not be a masked",
            ),
        ],
    )
    def test_bad_results(self, results, error, message):
        with pytest.raises(error, match=message):
            compare(results)

    def test_which_measure(self, rankings):
        X, y, qid = rankings
        both = score_queries(y, X[:, 0], ["map", "mrr"], qid=qid)
        other = score_queries(y, X[:, 0], ["map", "ndcg"], qid=qid)
        with pytest.raises(
            ValueError, match=r"same measures; .* they share: metric=\['map'\]"
        ):
            compare([both, other])
        for bad in ([], ["map", "map"], ["map", None]):
            with pytest.raises(ValueError, match="metric must be the name of one"):
                compare([both, both], metric=bad)
        with pytest.raises(ValueError, match="metric must be one that every system"):
            compare([both, both], metric="ndcg")

    def test_losses_of_scores_and_of_models(self):
        rng = np.random.default_rng(0)
        X, y, qid = rng.random((40, 2)), rng.integers(0, 2, 40), np.arange(40) // 4
        options = {"qid": qid, "replace_undefined_by": 0.0}
        table = score_queries(y, X[:, 0] < 0.5, "set_fallout", **options)
        scoring = {"set_fallout": get_scorer("set_fallout", replace_undefined_by=0.0)}
        evaluated = evaluate(GaussianNB(), X, y, qid=qid, scoring=scoring)
        found = compare([table, evaluated])
        means = [table.mean["set_fallout"], evaluated.estimate["set_fallout"]]
        assert list(found.mean.values()) == pytest.approx(means)
        assert not found.greater_is_better


class TestDisplay:
    def test_repr(self, systems):
        text = repr(compare(systems, test="ttest", confidence_level=0.9))
        assert text.startswith("score on 40 queries: ")
        assert "better/equal/worse" in text
        assert "  90 % interval  " in text
        assert "(paired t-test, p > 0.1); p and intervals hold for all" in text

    def test_tukey_needs_no_correction(self, systems):
        result = compare(systems, test="tukey", correction="bonferroni")
        assert "p and intervals hold for all" in " ".join(repr(result).split())
        assert "max-T" not in result.to_text(details=True)
        assert result.correction is None


@pytest.mark.parametrize("test", QUERY_TESTS)
def test_scores_whose_squares_overflow_are_refused(test):
    message = "results must be at most 1e.150.*got -?[13]"
    for first, second in [([1e308] * 4, [1.5e308, 1e308, 1, 2]), ([1e200, 2], [0, 1])]:
        with pytest.raises(ValueError, match=message):
            compare({"a": np.float64(first), "b": np.float64(second)}, test=test)


@pytest.mark.parametrize("test", ["permutation", "ttest", "bootstrap", "wilcoxon"])
@pytest.mark.parametrize("n_losses", [0, 2, 40])
def test_tests_of_means_warn_of_rare_losses_with_any_number_of_queries(test, n_losses):
    change = np.r_[np.full(n_losses, -0.5), np.full(100 - n_losses, 0.01)]
    systems = {"old": np.zeros(100), "new": change}
    found = compare(systems, test=test, n_resamples=99, random_state=0)
    is_warned = n_losses == 2 and test != "wilcoxon"
    assert found.n_concentrated == is_warned
    shown = " ".join(str(found).split())
    warning = "10 of 100 queries cause most of the variation, so p may be too small."
    assert (warning in shown) == (is_warned and bool(found.is_significant[0]))


def test_few_decisive_queries_are_a_warning_only_beside_a_difference():
    rng = np.random.default_rng(0)
    change = np.r_[np.full(4, 0.9), rng.normal(0.05, 0.01, 36)]
    for scale, is_shown in ((1, True), (rng.choice([-1, 1], 40), False)):
        found = compare({"old": np.zeros(40), "new": change * scale}, random_state=0)
        assert found.n_concentrated == 1
        assert found.is_significant[0] == is_shown
        assert ("4 of 40 queries cause most" in str(found)) == is_shown


ALL_EQUAL = "so the data cannot show how much they vary."


@pytest.mark.parametrize("test", QUERY_TESTS)
def test_an_interval_of_equal_differences_is_said_to_show_no_variation(test):
    old = np.random.default_rng(0).random(20)
    systems = {"old": old, "new": old + 0.1}
    options = {"test": test, "n_resamples": 999, "random_state": 0}
    found = compare(systems, **options)
    low, high = found.confidence_interval[0]
    assert (high - low < 1e-9) == (test not in ("sign", "tukey"))
    is_noted = test != "sign"  # its interval holds for other queries
    assert found.is_constant.tolist() == [is_noted]
    note = f"No interval: all 20 differences are +0.100, {ALL_EQUAL}"
    text = " ".join(str(found).split())
    assert (note in text) == (note in found.to_html()) == is_noted
    assert (" – " in text) == is_noted
    few = compare({"old": old[:5], "new": old[:5] + 0.1}, **options)
    assert not few.is_constant.any() and "are equal" not in str(few)


@pytest.mark.parametrize("test", ["permutation", "ttest", "bootstrap"])
@pytest.mark.parametrize("name", ["groups", "strata"])
def test_equal_differences_of_unequal_groups_and_strata(test, name):
    old = np.random.default_rng(0).random(20)
    parts = {"groups": np.repeat(np.arange(8), [1, 4] * 4)}
    parts["strata"] = np.repeat(["few", "many"], [5, 15])
    options = {"test": test, "n_resamples": 999, "random_state": 0}
    found = compare({"old": old, "new": old + 0.1}, **options, **{name: parts[name]})
    assert found.is_constant.all()
    assert f"all {found.n_units} differences are +0.100" in str(found)


@pytest.mark.parametrize("correction", ["maxt", "bonferroni", "holm", None])
def test_pairs_of_equal_differences_are_counted(correction):
    old = np.random.default_rng(0).random(20)
    systems = {"old": old, "new": old + 0.1, "other": old[::-1]}
    options = {"test": "ttest", "correction": correction, "random_state": 0}
    found = compare(systems, **options)
    assert found.is_constant.tolist() == [True, False, False]
    assert "all 20 differences of 1 pair are equal, so" in str(found)
    several = compare(systems | {"newer": old + 0.2}, **options)
    assert "all 20 differences of 3 pairs are equal, so" in str(several)
    by = compare(systems, **options, by=np.repeat(["few", "many"], [5, 15]))
    assert [one.is_constant.any() for one in by.values()] == [False, True]
    assert "\nmany: No interval: all 15 differences of 1 pair are equal" in str(by)


def test_each_of_several_baselines_is_compared_with_all_others(systems):
    systems["further"] = systems["old"] ** 0.9
    options = {"test": "ttest", "correction": "none"}
    alone = {
        name: compare(systems, baseline=name, **options) for name in ("other", "old")
    }
    result = compare(systems, baseline=["other", "old"], **options)
    pairs = list(zip(result.system, result.versus, strict=True))
    assert pairs == [
        *(("new", "other"), ("new", "old"), ("further", "other"), ("further", "old"))
    ]
    for pair, estimate, p in zip(pairs, result.estimate, result.p_value, strict=True):
        single = alone[pair[1]]
        at = single.system.index(pair[0])
        assert (single.estimate[at], single.p_value[at]) == (estimate, p)
    options["correction"] = "holm"
    corrected = compare(systems, baseline=("other", "old"), **options)
    steps = np.maximum.accumulate(np.sort(corrected.p_value) * [4, 3, 2, 1])
    assert_allclose(np.sort(corrected.p_adjusted), steps.clip(max=1))


@pytest.mark.parametrize("test", QUERY_TESTS)
def test_a_list_of_one_baseline_is_that_baseline(systems, test):
    options = {"test": test, "random_state": 0}
    result = compare(systems, baseline=["old"], **options)
    assert repr(result) == repr(compare(systems, baseline="old", **options))


@pytest.mark.parametrize(
    "baseline",
    [[], ["old", "old"], ["old", "new", "other"], [None], ["none"], [["old"]], 3],
)
def test_baselines_name_some_of_the_systems(systems, baseline):
    with pytest.raises(ValueError, match="baseline must be one of .'old', 'new'"):
        compare(systems, baseline=baseline)
