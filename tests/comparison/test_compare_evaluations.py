"""`compare` pairs what was tested alike, by the numbers of `evaluate`."""

import pickle
import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn import config_context
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

from oracles.queries import graded_queries
from sklearn_irmetrics import Measure, get_scorer, score_queries
from sklearn_irmetrics.comparison import ComparisonResults, compare, leaderboard
from sklearn_irmetrics.model_selection import BootstrapSplit, QueryKFold, evaluate

N_QUERIES = 24


@pytest.fixture(scope="module")
def data():
    return graded_queries(N_QUERIES, 8)


def run(data, estimator=None, **options):
    X, y, qid = data
    options = {"scoring": "ndcg@5", "qid": qid, "random_state": 0, **options}
    return evaluate(Ridge() if estimator is None else estimator, X, y, **options)


NEAREST = KNeighborsRegressor(1)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (
            {"method": "kfold"},
            {"method": "bootstrap", "n_splits": 20},
            "same method; 'a' used 'kfold' and 'b' 'bootstrap'",
        ),
        (
            {"method": "bootstrap", "n_splits": 20},
            {"method": "bootstrap632", "n_splits": 20},
            "'a' used 'bootstrap' and 'b' 'bootstrap632'",
        ),
        ({"n_splits": 4}, {"n_splits": 3}, "differ in the rows of split 0, 1, 2, 3"),
        (
            {"method": QueryKFold(n_repeats=2, shuffle=True)},
            {},
            "split 5, 6, 7, 8, 9. Use the same .* n_splits",
        ),
        (
            {"method": QueryKFold(shuffle=True)},
            {"method": BootstrapSplit(20)},
            "same method; 'a' used 'kfold' and 'b' 'bootstrap'",
        ),
        ({}, {"random_state": 1}, "differ in the rows of split 0, 1, 2, 3, 4"),
    ],
)
@pytest.mark.parametrize("test", ["permutation", "corrected_ttest"])
def test_other_designs_are_refused_by_name(data, first, second, message, test):
    if test == "corrected_ttest" and "bootstrap" in str(first):
        message = "corrected_ttest' requires folds"
    elif test == "corrected_ttest" and "ootstrap" in str(second):
        message = "got method='bootstrap' for 'b'"
    with pytest.raises(ValueError, match=message):
        compare({"a": run(data, **first), "b": run(data, **second)}, test=test)


@pytest.mark.parametrize("method", ["kfold", "bootstrap", "bootstrap632"])
def test_the_numbers_are_those_of_evaluate(data, method):
    _are_those_of_evaluate(data, method)


@pytest.mark.parametrize("estimator", [Ridge(), KNeighborsRegressor(3)])
def test_the_numbers_are_those_of_632_plus(data, estimator):
    _are_those_of_evaluate(data, "bootstrap632+", estimator)
    # Noise: the out-of-bag score may lie below γ.
    X, y, qid = data
    noise = np.random.default_rng(1).permutation(X)
    _are_those_of_evaluate((noise, y, qid), "bootstrap632+", estimator)


def _are_those_of_evaluate(data, method, estimator=None):
    options = {"method": method, "scoring": ["ndcg@5", "map"]}
    if method != "kfold":
        options["n_splits"] = 25
    results = {"nearest": run(data, NEAREST, **options)}
    results["other"] = run(data, estimator, **options)
    for metric in ("ndcg@5", "map"):
        found = compare(results, metric=metric, test="ttest")
        for name, result in results.items():
            expected = result.estimate[metric]
            assert found.mean[name] == pytest.approx(expected, rel=1e-12)
        best = max(results, key=lambda name: results[name].estimate[metric])
        assert (found.estimate[0] > 0) == (found.system[0] == best)


def test_queries_that_no_replicate_left_out(data):
    results = [run(data, method="bootstrap632", n_splits=2) for _ in range(2)]
    with pytest.raises(ValueError, match="every query out of bag .* Increase n_splits"):
        compare(results)


def test_an_estimate_over_splits_is_not_tested_over_queries(data):
    results = [run(data, aggregate="per_split"), run(data, aggregate="per_split")]
    with pytest.raises(ValueError, match="means over queries .*'per_split'"):
        compare(results)
    assert compare(results, test="corrected_ttest").unit == "split"


def test_a_pooled_estimate_is_not_tested_over_splits(data):
    results = [run(data, aggregate="pooled"), run(data, aggregate="pooled")]
    with pytest.raises(ValueError, match=r"has aggregate='pooled'\. .*'per_query'\.$"):
        compare(results)
    with pytest.raises(ValueError, match="one score of the predictions .*'per_split'"):
        compare(results, test="corrected_ttest")


@pytest.mark.parametrize(
    ("design", "first"),
    [
        ({"aggregate": "pooled"}, "evaluate with aggregate='per_split' and "),
        ({"aggregate": "per_split"}, ""),
        ({"method": "bootstrap"}, "evaluate with method='kfold' and "),
    ],
)
def test_scores_without_queries_say_how_to_compare_them(data, design, first):
    X, y, _ = data
    models = {"a": LogisticRegression(), "b": LogisticRegression(C=1e-3)}
    options = {"scoring": "roc_auc", "n_splits": 5, "random_state": 0, **design}
    results = evaluate(models, X, y > 0, **options)
    message = f"roc_auc has no scores per query in 'a'; {first}compare splits with "
    with pytest.raises(ValueError, match=f"^{message}"):
        compare(results, test="ttest")
    with pytest.raises(ValueError, match=f"^{message}"):
        leaderboard(results)


def test_leave_one_out_compares_values_of_rows_and_swaps_labels(data):
    X, y, _ = data
    models = {"a": LogisticRegression(), "b": LogisticRegression(C=1e-3)}
    options = {"scoring": ["accuracy", "set_specificity", "set_f1"], "method": "loocv"}
    found = evaluate(models, X[:30], y[:30] > 0, **options)
    message = "set_specificity .* one row each.*metric='accuracy'"
    with pytest.raises(ValueError, match=message):
        found.compare(metric="set_specificity")
    assert found.compare(metric="accuracy").unit == "row"
    assert found.compare(metric="set_f1").test == "swap"


def test_estimates_without_queries_by_a_bootstrap(data):
    X, y, _ = data
    results = [
        evaluate(
            LogisticRegression(), X, y > 0, scoring="roc_auc", method="bootstrap632",
            n_splits=5, random_state=0,
        )
        for _ in range(2)
    ]  # fmt: skip
    message = "^results must come from folds or random subsamples if roc_auc has no sc"
    for test in ("auto", "corrected_ttest"):
        with pytest.raises(ValueError, match=message) as caught:
            compare(results, test=test)
        assert "over queries" not in str(caught.value)


def test_estimates_over_queries_by_a_bootstrap(data):
    results = [run(data, method="bootstrap", n_splits=20) for _ in range(2)]
    with pytest.raises(ValueError, match="requires folds .* a test over queries"):
        compare(results, test="corrected_ttest")


class TestWeights:
    def results(self, data, **options):
        X, y, qid = data
        weights = (1.0 + np.arange(N_QUERIES) % 3)[qid]
        with config_context(enable_metadata_routing=True):
            scorer = get_scorer("ndcg@5")
            scorer.set_score_request(qid=True, sample_weight=True)
        params = {"sample_weight": weights}
        options = {"scoring": {"ndcg@5": scorer}, "params": params, **options}
        tree = DecisionTreeRegressor(max_depth=3, random_state=0)
        return {"a": run(data, **options), "b": run(data, tree, **options)}

    def test_means_are_those_of_evaluate(self, data):
        results = self.results(data)
        found = compare(results, test="permutation", random_state=0)
        for name, result in results.items():
            assert found.mean[name] == pytest.approx(result.estimate["ndcg@5"])
        low, high = found.confidence_interval[0]
        assert low < found.estimate[0] < high

    def test_queries_without_weight_do_not_count(self, data):
        _, _, qid = data
        weights = (np.arange(N_QUERIES) % 8)[qid].astype(float)
        results = self.results(data, params={"sample_weight": weights})
        found = compare(results)
        assert found.n_units == N_QUERIES * 7 // 8
        for name, result in results.items():
            assert found.mean[name] == pytest.approx(result.estimate["ndcg@5"])

    @pytest.mark.parametrize("test", ["wilcoxon", "sign"])
    def test_tests_without_weights(self, data, test):
        with pytest.raises(ValueError, match=f"test='{test}' does not support weights"):
            compare(self.results(data), test=test)

    def test_systems_weigh_alike(self, data):
        weighted = self.results(data)
        other = run(data)
        with pytest.raises(ValueError, match="same weights of queries; those of 'a'"):
            compare({"a": weighted["a"], "b": other})


class TestSeveralMeasures:
    @pytest.fixture
    def systems(self, data):
        X, y, qid = data
        metrics = ["ndcg@5", "map", "dcg"]
        return {
            name: score_queries(y, X[:, i], metrics, qid=qid)
            for i, name in enumerate(["one", "two", "three"])
        }

    def test_are_those_of_each_alone(self, systems):
        found = compare(systems, random_state=3)
        assert isinstance(found, ComparisonResults)
        assert list(found.comparisons) == ["ndcg@5", "map", "dcg"]
        for metric in found.comparisons:
            alone = compare(systems, metric=metric, random_state=3)
            assert repr(found[metric]) == repr(alone)

    def test_a_mapping(self, systems):
        found = compare(systems, metric=["map", "dcg"], test="ttest")
        assert list(found) == ["map", "dcg"]
        assert "dcg" in found
        assert "mrr" not in found
        assert len(found) == 2
        assert found == found
        assert len({found, pickle.loads(pickle.dumps(found))}) == 2
        with pytest.raises(KeyError, match="mrr"):
            found["mrr"]

    def test_one_table(self, systems):
        found = compare(systems, baseline="two", metric=["map", "ndcg@5"], test="ttest")
        lines = repr(found).splitlines()
        n_shown = sum(result.is_significant.sum() for result in found.values())
        title = f"2 measures on {N_QUERIES} queries: {n_shown} of 4 differ from two"
        assert lines[0] == title
        assert lines[1].startswith("map: ") and lines[2].startswith("ndcg@5: ")
        rows = lines[5:9]
        assert [line.split()[0] for line in rows] == ["map"] * 2 + ["ndcg@5"] * 2
        assert len({len(line) for line in rows}) == 1
        assert found.to_latex().count(r"\\") == 5
        assert "Measure & System & Difference to two & " in found.to_latex()
        assert "| map " in found.to_markdown()
        assert found.to_csv().count("\n") == 5
        one = compare(systems, metric=["map"], test="ttest")
        assert repr(one).startswith(f"1 measure on {N_QUERIES} queries: ")
        assert "separately" not in repr(one)
        is_marked = r"\* different (paired t-test; p ≤ 0.05)" in found.to_markdown()
        assert is_marked == (n_shown > 0)


class TestRange:
    @pytest.mark.parametrize("test", ["ttest", "bootstrap"])
    def test_intervals_are_cut_to_what_the_measure_allows(self, test):
        y, qid = np.tile([1, 0, 0], 3), np.repeat(range(3), 3)
        good = score_queries(y, np.tile([3, 2, 1], 3), "mrr", qid=qid)
        bad = score_queries(y, [3, 2, 1, 1, 3, 2, 2, 3, 1], "mrr", qid=qid)
        systems = {"bad": bad, "good": good}
        alone = {name: one.scores["mrr"] for name, one in systems.items()}
        options = {"test": test, "confidence_level": 0.99, "random_state": 0}
        (low, high), free = (
            compare(of, **options).confidence_interval[0] for of in (systems, alone)
        )
        assert free.high > 1
        assert (low, high) == (max(free.low, -1), 1)

    def test_all_of_it_where_p_cannot_be_small(self):
        y, qid = np.tile([1, 0], 4), np.repeat(range(4), 2)
        systems = {
            name: score_queries(y, np.tile(scores, 4), ["p@1", "dcg"], qid=qid)
            for name, scores in {"good": [1, 0], "bad": [0, 1]}.items()
        }
        found = compare(systems)
        assert found["p@1"].p_value[0] == 1 / 8
        assert found["p@1"].confidence_interval[0] == (-1, 1)
        assert found["dcg"].confidence_interval[0] == (-np.inf, np.inf)
        note = "only 4 queries differ, and with fewer than 6 no p-value can reach 0.05."
        assert note in " ".join(repr(found).split())
        text = repr(compare(systems, metric="p@1", test="ttest"))
        assert "can reach" not in text

    def test_a_name_of_another_measure(self):
        # Of a label that is the name of a measure, but whose values are not its.
        scores = np.random.default_rng(0).normal(0, 5, (2, 4))
        ids = np.arange(4)
        tables = [
            replace(score_queries([1], [1], "p@1"), query_ids=ids, scores={"p": one})
            for one in scores
        ]
        assert compare(tables).confidence_interval[0] == (-np.inf, np.inf)


class TestLabels:
    def test_what_intervals_are_about(self):
        rng = np.random.default_rng(0)
        old = rng.random(30)
        systems = {"old": old, "new": old + rng.normal(0.1, 0.2, 30)}
        sign = compare(systems, test="sign")
        assert sign.interval_of == "share of wins"
        assert re.search("share of wins +95 % interval", repr(sign))
        assert sign.center[0] == sign.wins[0] / 30
        assert sign.to_csv().splitlines()[0].split(",")[7] == "share_of_wins"
        loss = compare(systems, test="sign", greater_is_better=False)
        assert loss.center[0] == pytest.approx(1 - sign.center[0])
        ends = sign.confidence_interval[0]
        assert loss.confidence_interval[0] == pytest.approx((1 - ends[1], 1 - ends[0]))
        text = repr(compare(systems, test="wilcoxon"))
        assert re.search("pseudo-median +95 % interval", text)

    def test_tiny_p(self):
        rng = np.random.default_rng(0)
        systems = [rng.random(5000), 9 + rng.random(5000)]
        for test in ("ttest", "sign", "wilcoxon"):
            found = compare(systems, test=test)
            assert found.p_value[0] > 0
            assert "  <0.001  " in repr(found)
        found = compare(systems, test="bootstrap", n_resamples=99)
        assert found.p_value[0] == 0.01

    def test_holm_says_what_it_adjusts(self):
        rng = np.random.default_rng(0)
        found = compare(list(rng.random((3, 20))), correction="holm")
        assert "p is adjusted for all 3 pairs (Holm), each" in " ".join(
            repr(found).split()
        )
        found = compare(list(rng.random((3, 20))), test="wilcoxon")
        assert found.correction == "holm"


@pytest.mark.parametrize("test", ["permutation", "corrected_ttest"])
def test_other_targets_on_the_same_rows_are_refused(data, test):
    X, y, qid = data
    one = run(data)
    changed = y.copy()
    changed[[3, 9]] += 1
    other = run((X, changed, qid))
    message = "same targets; 'a' and 'b' differ in y of row 3, 9. Evaluate both on"
    with pytest.raises(ValueError, match=message):
        compare({"a": one, "b": other}, test=test)
    for same in (y.astype(float), y.astype(np.int8), y * (1 + 1e-9)):
        compare({"a": one, "b": run((X, same, qid), NEAREST)}, test=test)


def test_unjudged_rows_are_the_same_targets(data):
    X, y, qid = data
    y = np.where(np.arange(len(y)) % 5 == 3, np.nan, y)
    one, other = (
        evaluate(FittedOnJudged(k), X, y, qid=qid, scoring="bpref", random_state=0)
        for k in (1, 5)
    )
    compare({"one": one, "five": other})


class FittedOnJudged(KNeighborsRegressor):
    def fit(self, X, y):
        judged = ~np.isnan(y)
        return super().fit(X[judged], y[judged])


@pytest.mark.parametrize("test", ["sign", "corrected_ttest"])
@pytest.mark.parametrize("names", [("yes", "no"), (0, 1), ("none", "some")])
def test_classes_under_other_names_are_other_targets(data, test, names):
    X, y, _ = data
    options = {"scoring": "accuracy", "random_state": 0}
    one, other = (
        evaluate(LogisticRegression(), X, np.where(y > 0, *both), **options)
        for both in (("some", "none"), names)
    )
    with pytest.raises(ValueError, match="same targets; 'a' and 'b' differ in y of"):
        compare({"a": one, "b": other}, test=test)


def test_only_the_first_rows_are_named():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + rng.normal(size=40)
    results = [evaluate(Ridge(), X, t, scoring="r2", method=4) for t in (y, -y)]
    with pytest.raises(ValueError, match=r"row 0, 1, 2, 3, 4 and 35 more\. Evaluate"):
        compare(results, test="corrected_ttest")


@pytest.mark.parametrize(
    "options",
    [
        ({"ties": "pessimistic"}, {"ties": "optimistic"}),
        ({}, {"ties": "stable"}),
        ({"replace_undefined_by": 0}, {"replace_undefined_by": 1}),
    ],
)
def test_results_by_different_rules_are_not_compared(options):
    y_true, y_score = [[1, 0, 0], [0, 0, 0], [0, 1, 0]] * 3, [[2, 2, 1]] * 9
    with warnings.catch_warnings(action="ignore"):
        first, second = (score_queries(y_true, y_score, "ap", **one) for one in options)
    with pytest.raises(ValueError, match="results must be scored by the same measures"):
        compare({"first": first, "second": second})


def test_functions_without_a_name_are_not_taken_for_the_same():
    grades, scores = [[2, 1, 0]] * 8, [[1, 2, 3]] * 8
    found = {
        "first": score_queries(
            grades, scores, {"it": Measure("ndcg@1", gain=lambda x: x)}
        ),
        "second": score_queries(
            grades, scores, {"it": Measure("ndcg@1", gain=lambda x: x**3)}
        ),
    }
    with pytest.raises(ValueError, match="Their functions are different objects"):
        compare(found)
