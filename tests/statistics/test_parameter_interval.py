"""Intervals that may be asked for, of what has a range, and what has none."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.naive_bayes import GaussianNB

from oracles.intervals import naive_betting_limit
from oracles.queries import FirstColumn
from sklearn_irmetrics import get_scorer, score_queries
from sklearn_irmetrics._statistics.dirichlet import dirichlet_ends, dirichlet_limits
from sklearn_irmetrics._statistics.intervals import (
    ConfidenceInterval,
    betting_limit,
    interval_of_mean,
)
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import evaluate
from sklearn_irmetrics.reports import QueryScores

MODELS = "the models trained here"
TRAINING = "models trained this way on new data"


@pytest.fixture(scope="module")
def rows():
    return make_classification(43, n_features=4, flip_y=0.2, random_state=1)


@pytest.fixture(scope="module")
def queries():
    X, y, qid = make_ranking(n_queries=18, n_docs=8, random_state=3)
    return X, y, qid


def order_of_rows(y_true, y_score):
    return roc_auc_score(y_true, y_score)


class TestPooledRankings:
    @pytest.mark.parametrize(
        "scoring",
        [
            lambda: "roc_auc",
            lambda: "average_precision",
            lambda: {"p@5": get_scorer("p@5", qid=None)},
            lambda: {
                "own": make_scorer(order_of_rows, response_method="decision_function")
            },
        ],
    )
    def test_of_single_rows_are_refused_before_anything_is_fitted(self, rows, scoring):
        scoring = scoring()

        class Untouched(LogisticRegression):
            def fit(self, X, y):
                raise AssertionError("fitted")

        name = next(iter(scoring)) if isinstance(scoring, dict) else scoring
        with pytest.raises(ValueError) as caught:
            evaluate(Untouched(), *rows, scoring=scoring, method="loocv")
        text = str(caught.value)
        assert text.startswith(f"{name} would rank predictions of different models")
        for way in ("method='stratified'", "'bootstrap'", "aggregate='pooled'"):
            assert way in text

    def test_name_only_the_measures_concerned(self, rows):
        scoring = ["accuracy", "roc_auc", "neg_log_loss", "f1"]
        with pytest.raises(ValueError, match="^roc_auc would rank"):
            evaluate(GaussianNB(), *rows, scoring=scoring, method="loocv")
        scoring.remove("roc_auc")
        result = evaluate(GaussianNB(), *rows, scoring=scoring, method="loocv")
        assert all(low < high for low, high in result.confidence_interval.values())

    @pytest.mark.parametrize("n", [4, 5, 6, 7])
    def test_name_five_measures_at_most(self, rows, n):
        area = make_scorer(order_of_rows, response_method="decision_function")
        scoring = {f"area {i}": area for i in range(n)}
        with pytest.raises(ValueError) as caught:
            evaluate(LogisticRegression(), *rows, scoring=scoring, method="loocv")
        named = ", ".join([*scoring][:5]) + ", ..." * (n > 5)
        assert str(caught.value).startswith(f"{named} would rank predictions")

    @pytest.mark.parametrize("method", ["loocv", "kfold"])
    def test_have_no_interval_where_they_are_asked_for(self, rows, method):
        options = {"method": method, "aggregate": "pooled", "random_state": 0}
        result = evaluate(
            GaussianNB(), *rows, scoring=["roc_auc", "accuracy"], **options
        )
        assert np.isnan(result.confidence_interval["roc_auc"]).all()
        how = "none: different models are ranked together"
        assert result.interval_method["roc_auc"] == how
        assert not np.isnan(result.confidence_interval["accuracy"]).any()
        assert "Interval: the score of these trained models" in repr(result)

    @pytest.mark.parametrize("method", ["loocv", "stratified"])
    def test_of_one_model_have_an_interval(self, rows, method):
        X, y = rows
        options = {"method": method, "random_state": 0}
        if method == "stratified":
            options["aggregate"] = "pooled"
        scoring = ["roc_auc", "average_precision"]
        result = evaluate(lambda X: X[:, 0], X, y, scoring=scoring, **options)
        value = roc_auc_score(y, X[:, 0])
        assert result.estimate["roc_auc"] == pytest.approx(value)
        for name, (low, high) in result.confidence_interval.items():
            assert low < result.estimate[name] < high
        one_fold = [(np.arange(len(y)), np.arange(len(y)))]
        whole = evaluate(lambda X: X[:, 0], X, y, scoring=scoring, method=one_fold)
        of_whole = whole.confidence_interval["roc_auc"]
        assert_allclose(result.confidence_interval["roc_auc"], of_whole)
        assert "of this model on new rows like these." in repr(result)

    def test_of_one_split_have_the_interval_of_its_rows(self, rows):
        options = {"method": "holdout", "random_state": 0}
        scoring = ["roc_auc", "balanced_accuracy"]
        found = evaluate(GaussianNB(), *rows, scoring=scoring, interval="t", **options)
        usual = evaluate(GaussianNB(), *rows, scoring=scoring, **options)
        for name, (low, high) in found.confidence_interval.items():
            assert usual.confidence_interval[name].low <= low < found.estimate[name]
            assert found.estimate[name] < high

    def test_queries_are_ranked_by_one_model_each(self, queries):
        X, y, qid = queries
        result = evaluate(Ridge(), X, y, qid=qid, scoring="gmap", method="loocv")
        assert result.aggregate == {"gmap": "pooled"}
        assert not np.isnan(result.confidence_interval["gmap"]).any()


class TestKinds:
    @pytest.mark.parametrize("ranked", [False, True])
    def test_corrected_t_is_over_splits(self, rows, queries, ranked):
        X, y = rows
        options = {"scoring": "accuracy"}
        if ranked:
            X, y, options["qid"] = queries
            options["scoring"] = "ndcg@5"
        estimator = Ridge() if ranked else GaussianNB()
        options |= {"interval": "corrected_t", "random_state": 0}
        result = evaluate(estimator, X, y, **options)
        name = options["scoring"]
        scores = result.split_scores[name]
        share = np.mean(result.n_test / result.n_train)
        error = np.sqrt((1 / 5 + share) * scores.var(ddof=1))
        assert result.standard_error[name] == pytest.approx(error)
        ends = stats.t.interval(0.95, 4, scores.mean(), error)
        assert_allclose(result.confidence_interval[name], np.clip(ends, 0, 1))
        assert result.interval_about == {name: TRAINING}

    @pytest.mark.parametrize(
        ("method", "about"),
        [("holdout", MODELS), ("kfold", MODELS), ("bootstrap632", TRAINING)],
    )
    def test_what_each_is_about(self, rows, method, about):
        options = {"n_splits": 10} if method == "bootstrap632" else {}
        options |= {"scoring": "accuracy", "method": method, "random_state": 0}
        result = evaluate(GaussianNB(), *rows, **options)
        assert result.interval_about == {"accuracy": about}
        text = (
            "of these trained models"
            if about == MODELS
            else "of models trained this way"
        )
        assert text in repr(result)
        assert result.to_frame()["about"].tolist() == [about]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"interval": "t"}, "needs scores of units, not of splits.*accuracy"),
            ({"interval": "bca"}, "needs measures that are means over queries"),
            ({"interval": "corrected_t", "method": "holdout"}, "needs several splits"),
            ({"interval": "t", "method": "bootstrap"}, "needs scores of units, not of"),
            ({"interval": "corrected_t", "method": "loocv"}, "several splits"),
            ({"interval": "corrected_t", "aggregate": "pooled"}, "has none"),
            ({"interval": "nested"}, "interval must be one of"),
            ({"interval": "dirichlet"}, "interval must be one of"),
            ({"method": "lpocv"}, "method must be one of"),
        ],
    )
    def test_errors(self, rows, options, message):
        with pytest.raises(ValueError, match=message):
            evaluate(GaussianNB(), *rows, **{"scoring": "accuracy", **options})

    def test_no_interval_leaves_the_range(self):
        X, y = make_classification(60, class_sep=3, flip_y=0, random_state=0)
        scoring = ["accuracy", "f1", "roc_auc", "matthews_corrcoef", "neg_log_loss"]
        for options in (
            {},
            {"method": "holdout"},
            {"method": "bootstrap632", "n_splits": 20},
            {"aggregate": "pooled"},
        ):
            result = evaluate(
                LogisticRegression(), X, y, scoring=scoring, random_state=0, **options
            )
            for name, (low, high) in result.confidence_interval.items():
                if np.isnan(low):
                    how = result.interval_method[name]
                    assert how.startswith(("none: different", "none: all"))
                    continue
                assert low <= result.estimate[name] + 1e-9
                if name == "neg_log_loss":
                    assert high <= 0
                else:
                    assert -1.0 * (name == "matthews_corrcoef") <= low < high <= 1


# Bounded means ----------------------------------------------------------------------


UNIT = (0.0, 1.0)


def dirichlet_limit(values, weights, alpha):
    return dirichlet_limits(values[:, np.newaxis], weights, alpha)[0]


LIMITS = {"betting": betting_limit, "dirichlet": dirichlet_limit}


def ends(values, method="auto", bounds=UNIT, **options):
    if method == "dirichlet":
        weights = options.get("weights")
        column = np.asarray(values)[:, np.newaxis]
        (both,) = dirichlet_ends(column, weights, bounds, 0.025)
        return ConfidenceInterval(*both.tolist())
    options = {"confidence_level": 0.95, "rng": 0, "method": method, **options}
    return interval_of_mean(np.asarray(values), bounds=bounds, **options)[1]


@pytest.mark.parametrize("n", [5, 40, 300, 5000])
@pytest.mark.parametrize("share", [0, 0.001, 0.3, 1])
def test_dirichlet_limits_of_successes_are_those_of_clopper_and_pearson(n, share):
    k = int(np.ceil(share * n))
    exact = stats.binomtest(k, n).proportion_ci(method="exact")
    found = ends(np.repeat([1.0, 0.0], [k, n - k]), "dirichlet")
    assert_allclose(found, exact, atol=5e-3 * (exact.high - exact.low))


@pytest.mark.parametrize("alpha", [1e-4, 3e-5, 1e-6, 1e-8])
@pytest.mark.parametrize(
    ("k", "n"), [(1, 2), (2, 2), (1, 10), (7, 10), (20, 40), (2, 150)]
)
def test_dirichlet_limits_of_very_small_errors_are_hardly_wider(k, n, alpha):
    successes = np.repeat([1.0, 0.0], [k, n - k])
    exact = stats.beta.ppf(alpha, k, n - k + 1)
    assert 0.92 * exact <= dirichlet_limit(successes, np.ones(n), alpha) <= exact


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [2, 4, 30])
def test_dirichlet_limits_against_draws(n, weighted):
    rng = np.random.default_rng(n)
    values = rng.beta(0.6, 0.9, n)
    weights = rng.integers(1, 9, n) * 1.0 if weighted else np.ones(n)
    terms = np.append(weights, weights.max()) * rng.exponential(size=(200_000, n + 1))
    means = terms[:, :n] @ values / terms.sum(axis=1)
    for alpha in (0.005, 0.025, 0.2, 0.49):
        limit = dirichlet_limit(values, weights, alpha)
        assert (means <= limit).mean() == pytest.approx(alpha, abs=0.0015)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [3, 20, 400])
def test_betting_limits_against_a_naive_reference(n, weighted):
    rng = np.random.default_rng(n)
    values = rng.beta(0.6, 0.9, n)
    weights = rng.integers(1, 9, n) * 1.0 if weighted else np.ones(n)
    for alpha in (0.005, 0.025, 0.2):
        expected = naive_betting_limit(values, weights, alpha)
        found = betting_limit(values, weights, alpha)
        assert found == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("alpha", [0.025, 0.2])
@pytest.mark.parametrize("method", LIMITS)
def test_errors_on_three_values_are_at_most_the_level_exactly(method, alpha):
    rng = np.random.default_rng(0)
    n = 5
    counts = [(a, b, n - a - b) for a in range(n + 1) for b in range(n + 1 - a)]
    for _ in range(40):
        shape = np.array([0.0, rng.random(), 1.0]), rng.dirichlet([0.5] * 3)
        mean = shape[0] @ shape[1]
        chances = stats.multinomial.pmf(counts, n, shape[1])
        limits = [
            LIMITS[method](np.repeat(shape[0], times), np.ones(n), alpha)
            for times in counts
        ]
        missed = np.array(limits) > mean + 1e-9
        assert chances[missed].sum() <= alpha + 1e-9


@pytest.mark.parametrize("method", ["auto", *LIMITS])
def test_a_value_that_moves_a_little_moves_the_ends_a_little(method):
    values = np.full(20, 0.9)
    moved = np.append(values[1:], 0.9 + 1e-12)
    assert_allclose(ends(values, method), ends(moved, method), atol=1e-8)
    low, high = ends(values, method)
    assert low < 0.85
    assert high > 0.91


@pytest.mark.parametrize("method", LIMITS)
def test_limits_do_not_depend_on_the_order_or_the_scale(method):
    rng = np.random.default_rng(0)
    values, weights = rng.random(30), rng.integers(1, 9, 30) * 1.0
    found = ends(values, method, weights=weights)
    order = rng.permutation(30)
    assert ends(values[order], method, weights=weights[order]) == found
    low, high = ends(20 * values - 5, method, (-5.0, 15.0), weights=weights)
    assert_allclose([low, high], 20 * np.array(found) - 5, atol=1e-6)


@pytest.mark.parametrize("method", LIMITS)
def test_values_all_at_one_end(method):
    for n in (3, 50, 300):
        assert ends(np.zeros(n), method).low == 0.0
        assert ends(np.ones(n), method).high == 1.0
        assert 0.0 < ends(np.zeros(n), method).high < 6 / n
    assert ends(np.full(9, 1.0), method).high == 1.0


def scored(n=40):
    rng = np.random.default_rng(1)
    qid = np.repeat(np.arange(n), 8)
    grades = rng.integers(0, 3, len(qid))
    grades[::8] = 1
    return grades, grades + rng.normal(size=len(qid)), qid


@pytest.mark.parametrize("method", ["t", "bca", "betting"])
def test_every_door_takes_the_method_and_the_range(method):
    grades, scores, qid = scored()
    found = score_queries(grades, scores, ["ndcg@5", "map"], qid=qid)
    values = found.scores["ndcg@5"]
    for bounds in (None, (0.05, 1.0)):
        expected = ends(values, method, bounds or UNIT)
        assert found.interval(method=method, bounds=bounds) == expected
        for stated in (bounds, bounds and {"ndcg@5": bounds, "map": (0.0, 1.0)}):
            report = found.report(interval=method, bounds=stated, random_state=0)
            assert report.confidence_interval["ndcg@5"] == expected


def test_betting_needs_a_range():
    options = {"method": "betting", "bounds": None, "confidence_level": 0.9, "rng": 0}
    *_, how = interval_of_mean(np.ones(9), **options)
    assert how == "none: the range of the values is unknown"


@pytest.mark.parametrize("method", ["auto", "betting"])
def test_a_stated_range_ends_with_that_of_the_measure(method):
    grades, scores, qid = scored(12)
    found = score_queries(grades, scores, "ndcg@5", qid=qid)
    wide = found.interval(method=method, bounds=(-1.0, 2.0))
    assert wide == found.interval(method=method, bounds=(0.0, 1.0))


def test_a_range_of_no_measure_is_refused():
    grades, scores, qid = scored()
    wrong = {"ndcg@10": (0.0, 1.0)}
    message = r"bounds must name measures of the result, 'ndcg@5'; got 'ndcg@10'"
    with pytest.raises(ValueError, match=message):
        score_queries(grades, scores, "ndcg@5", qid=qid).interval(bounds=wrong)
    with pytest.raises(ValueError, match=message):
        score_queries(grades, scores, "ndcg@5", qid=qid).report(bounds=wrong)


def test_evaluate_takes_the_method():
    X, y, qid = make_ranking(30, (9, 15), random_state=0)
    model = FirstColumn()
    options = {"qid": qid, "scoring": "mrr", "random_state": 0}
    values = evaluate(model, X, y, **options).query_scores.mean_of_splits("mrr")[1]
    for method in ("auto", "t", "bca", "betting"):
        found = evaluate(model, X, y, interval=method, **options)
        expected = ends(values, method, UNIT)
        assert_allclose(found.confidence_interval["mrr"], expected)
    with pytest.raises(ValueError, match="interval='betting' needs measures that are"):
        evaluate(model, X, y, interval="betting", method="bootstrap", **options)


def test_groups_of_scores_and_weighted_means():
    grades, scores, qid = scored()
    found = score_queries(grades, scores, ["ndcg@5", "map"], qid=qid)
    topics = np.arange(40) // 4
    expected = ends(found.scores["map"], groups=topics)
    assert found.interval("map", groups=topics.astype(str)) == expected
    weighted = score_queries(
        grades, scores, "map", qid=qid, sample_weight=1.0 + qid % 3
    )
    weights = 1.0 + weighted.query_ids % 3
    assert weighted.interval() == ends(weighted.scores["map"], weights=weights)
    mine = QueryScores(np.arange(3), {"mrr": np.array([1.0, 0.5, np.nan])}, {})
    assert np.isnan(mine.interval()).all()


def test_blocks_of_many_rows_weigh_as_their_rows_do():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 4000)
    X = (y + rng.normal(size=4000))[:, np.newaxis]
    options = {"scoring": "roc_auc", "method": "holdout", "random_state": 0}
    found = evaluate(LogisticRegression(), X, y, **options)
    low, high = found.confidence_interval["roc_auc"]
    width = 4 * found.standard_error["roc_auc"]
    assert high - low == pytest.approx(width, rel=0.1)
