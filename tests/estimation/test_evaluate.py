"""evaluate: scikit-learn's own numbers, the papers' formulas, queries kept whole."""

import os
import pickle
import sys
import time
from functools import partial

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import FitFailedWarning, UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, make_scorer, mean_absolute_error, r2_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_validate,
)
from sklearn.multioutput import MultiOutputRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.validation import check_is_fitted

from sklearn_irmetrics import (
    average_precision_score,
    chance_level,
    get_scorer,
    get_scorers,
    make_ranking_scorer,
    ndcg_score,
    precision_at_k_score,
    reciprocal_rank_score,
)
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.model_selection import (
    BootstrapSplit,
    HoldoutSplit,
    compare,
    evaluate,
)

METHODS = [
    "holdout",
    "subsampling",
    "kfold",
    "stratified",
    "loocv",
    "bootstrap",
    "bootstrap632",
    "bootstrap632+",
]


def make_queries(n_queries=30, n_docs=10, seed=0):
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries) * 7, n_docs)
    X = rng.normal(size=(len(qid), 3))
    y = rng.poisson(np.exp(X[:, 0] - 1)).clip(max=3)
    y[::n_docs] = np.maximum(y[::n_docs], 1)  # something to find in every query
    return X, y, qid


@pytest.fixture(scope="module")
def queries():
    return make_queries()


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X)[:150, :8], y[:150]


def few(method):
    """Fewer splits than by default, where that can be said."""
    return {} if method in ("holdout", "loocv") else {"n_splits": 4}


class TestEqualsScikitLearn:
    SPLITTERS = [
        ("holdout", ShuffleSplit(1, test_size=1 / 3, random_state=3), {}),
        (
            "subsampling",
            ShuffleSplit(6, test_size=0.2, random_state=3),
            {"n_splits": 6, "test_size": 0.2},
        ),
        ("kfold", KFold(5, shuffle=True, random_state=3), {}),
        ("stratified", StratifiedKFold(5, shuffle=True, random_state=3), {}),
    ]
    SCORING = ["accuracy", "roc_auc", "neg_log_loss", "f1"]

    @pytest.mark.parametrize(("method", "cv", "options"), SPLITTERS)
    def test_split_scores(self, cancer, method, cv, options):
        model = LinearDiscriminantAnalysis()
        ours = evaluate(
            model,
            *cancer,
            scoring=self.SCORING,
            method=method,
            random_state=3,
            return_train_score=True,
            **options,
        )
        theirs = cross_validate(
            model, *cancer, scoring=self.SCORING, cv=cv, return_train_score=True
        )
        for name in self.SCORING:
            assert_array_equal(ours.split_scores[name], theirs[f"test_{name}"])
            assert_array_equal(ours.train_scores[name], theirs[f"train_{name}"])
            assert ours.estimate[name] == pytest.approx(theirs[f"test_{name}"].mean())

    @pytest.mark.parametrize(
        "cv",
        [
            KFold(4),
            StratifiedKFold(3),
            ShuffleSplit(3, random_state=0),
            TimeSeriesSplit(3),
            HoldoutSplit(random_state=0),
            [(np.arange(60), np.arange(60, 90)), (np.arange(30), np.arange(40, 150))],
        ],
    )
    def test_any_splitter(self, cancer, cv):
        X, y = cancer
        ours = evaluate(GaussianNB(), X, y, scoring="accuracy", method=cv)
        theirs = cross_validate(GaussianNB(), X, y, cv=cv)
        assert_array_equal(ours.split_scores["accuracy"], theirs["test_score"])

    def test_queries(self, queries):
        X, y, qid = queries
        scoring = get_scorers(["ndcg@5", "map"])
        model = QueryRanker(Ridge())
        ours = evaluate(model, X, y, scoring=["ndcg@5", "map"], qid=qid, random_state=0)
        with config_context(enable_metadata_routing=True):
            cv = GroupKFold(5, shuffle=True, random_state=0)
            theirs = cross_validate(
                model,
                X,
                y,
                scoring=scoring,
                params={"qid": qid},
                cv=cv.set_split_request(groups="qid"),
            )
        for name in scoring:
            assert_array_equal(ours.split_scores[name], theirs[f"test_{name}"])

    @pytest.mark.parametrize("name", ["accuracy", "roc_auc", "neg_log_loss"])
    def test_loocv_pools(self, cancer, name):
        X, y = cancer[0][::3], cancer[1][::3]
        result = evaluate(
            LinearDiscriminantAnalysis(),
            X,
            y,
            scoring=name,
            method="loocv",
            aggregate="pooled" if name == "roc_auc" else "auto",
        )
        out = {
            method: cross_val_predict(
                LinearDiscriminantAnalysis(), X, y, cv=LeaveOneOut(), method=method
            )
            for method in ("predict", "decision_function", "predict_proba")
        }
        from sklearn.metrics import log_loss, roc_auc_score

        expected = {
            "accuracy": accuracy_score(y, out["predict"]),
            "roc_auc": roc_auc_score(y, out["decision_function"]),
            "neg_log_loss": -log_loss(y, out["predict_proba"]),
        }
        assert result.estimate[name] == pytest.approx(expected[name], rel=1e-14)
        assert result.aggregate[name] == "pooled"

    def test_leave_one_query_out_averages_queries(self, queries):
        X, y, qid = queries
        result = evaluate(
            QueryRanker(Ridge()), X, y, scoring="ndcg@5", qid=qid, method="loocv"
        )
        predicted = cross_val_predict(Ridge(), X, y, groups=qid, cv=LeaveOneGroupOut())
        expected = ndcg_score(y, predicted, k=5, qid=qid)
        assert result.estimate["ndcg@5"] == pytest.approx(expected, rel=1e-14)
        assert result.aggregate["ndcg@5"] == "per_query"
        assert "leave-one-query-out of 30 queries" in repr(result)


def leave_one_out_bootstrap(model, X, y, n_splits, seed):
    """Mean error of each row over the replicates without it, as in the paper."""
    rng = np.random.RandomState(seed)
    n = len(y)
    wrong, left_out = np.zeros(n), np.zeros(n)
    for _ in range(n_splits):
        drawn = rng.randint(n, size=n)
        out = np.setdiff1d(np.arange(n), drawn)
        fitted = clone(model).fit(X[np.sort(drawn)], y[np.sort(drawn)])
        wrong[out] += fitted.predict(X[out]) != y[out]
        left_out[out] += 1
    return np.mean(wrong[left_out > 0] / left_out[left_out > 0])


def paper_632(model, X, y, n_splits, seed):
    """Efron & Tibshirani (1997), equations 24, 27-32, of error rates."""
    err1 = leave_one_out_bootstrap(model, X, y, n_splits, seed)
    predicted = clone(model).fit(X, y).predict(X)
    err = np.mean(predicted != y)
    point632 = 0.368 * err + 0.632 * err1
    gamma = np.mean([[a != b for a in y] for b in predicted])
    err1_bounded = min(err1, gamma)
    r = (err1_bounded - err) / (gamma - err) if err1 > err and gamma > err else 0.0
    plus = point632 + (err1_bounded - err) * 0.368 * 0.632 * r / (1 - 0.368 * r)
    return err1, point632, plus


class TestBootstrap632:
    @pytest.mark.parametrize(
        "model",
        [
            LinearDiscriminantAnalysis(),
            KNeighborsClassifier(1),
            GaussianNB(),
        ],
    )
    @pytest.mark.parametrize("data", ["cancer", "noise", "iris"])
    def test_against_the_paper(self, cancer, model, data):
        if data == "cancer":
            X, y = cancer[0][:80], cancer[1][:80]
        elif data == "iris":
            X, y = load_iris(return_X_y=True)
            X, y = X[::2, :2] / 4, y[::2]
        else:
            rng = np.random.default_rng(0)
            X, y = rng.normal(size=(60, 4)), np.repeat([0, 1], [20, 40])
        expected = paper_632(model, X, y, 20, 5)
        for method, value in zip(
            ("bootstrap", "bootstrap632", "bootstrap632+"), expected, strict=True
        ):
            result = evaluate(
                model,
                X,
                y,
                scoring="accuracy",
                method=method,
                n_splits=20,
                random_state=5,
            )
            assert 1 - result.estimate["accuracy"] == pytest.approx(value, abs=1e-12)

    def test_no_information(self):
        rng = np.random.default_rng(2)
        X, y = rng.normal(size=(200, 5)), np.tile([0, 1], 100)
        accuracy = {
            method: evaluate(
                KNeighborsClassifier(1),
                X,
                y,
                scoring="accuracy",
                method=method,
                n_splits=50,
                random_state=0,
            ).estimate["accuracy"]
            for method in ("bootstrap632", "bootstrap632+")
        }
        assert accuracy["bootstrap632+"] == pytest.approx(0.5, abs=0.03)
        assert accuracy["bootstrap632"] > 0.65

    def test_against_the_paper_with_queries_as_units(self, queries):
        X, y, qid = queries
        model = Ridge()
        result = evaluate(
            QueryRanker(model),
            X,
            y,
            qid=qid,
            scoring="ndcg@5",
            method="bootstrap632+",
            n_splits=15,
            random_state=2,
        )
        total, times = np.zeros(30), np.zeros(30)
        for train, test in BootstrapSplit(15, random_state=2).split(X, groups=qid):
            fitted = clone(model).fit(X[train], y[train])
            scores = ndcg_score(
                y[test], fitted.predict(X[test]), k=5, qid=qid[test], average=None
            )
            tested = qid[test][::10] // 7
            total[tested] += scores
            times[tested] += 1
        out_of_bag = np.mean(total / times)
        apparent = ndcg_score(y, model.fit(X, y).predict(X), k=5, qid=qid)
        gamma = ndcg_score(y, np.zeros(300), k=5, qid=qid)
        bounded = max(out_of_bag, gamma)
        r = (apparent - bounded) / (apparent - gamma) if out_of_bag < apparent else 0
        expected = 0.368 * apparent + 0.632 * out_of_bag
        expected += (bounded - apparent) * 0.368 * 0.632 * r / (1 - 0.368 * r)
        assert result.estimate["ndcg@5"] == pytest.approx(expected, abs=1e-12)

    def test_bounds(self):
        from sklearn_irmetrics._statistics.resampling632 import point632_plus

        # Out-of-bag above apparent, chance above apparent: no overfitting to correct.
        assert point632_plus(0.8, 0.7, 0.5) == pytest.approx(0.368 * 0.7 + 0.632 * 0.8)
        assert point632_plus(0.6, 0.7, 0.9) == pytest.approx(0.368 * 0.7 + 0.632 * 0.6)
        assert point632_plus(0.6, 0.7, 0.7) == pytest.approx(0.368 * 0.7 + 0.632 * 0.6)
        # Worse than chance: R is 1, and the bound replaces the score in it.
        assert point632_plus(0.3, 1.0, 0.5) == pytest.approx(0.632 * 0.3 + 0.368 * 0.5)
        assert point632_plus(0.5, 1.0, 0.5) == pytest.approx(0.5)
        many = point632_plus(np.array([0.3, 0.5]), 1.0, 0.5)
        assert_allclose(many, [0.632 * 0.3 + 0.368 * 0.5, 0.5])


def chance_of(model, X, y, scoring, **options):
    """Return the one level of chance that the .632+ bootstrap takes."""
    options |= {"method": "bootstrap632+", "n_splits": 3, "random_state": 0}
    result = evaluate(model, X, y, scoring=scoring, **options)
    (level,) = result.chance_score.values()
    return level


def shares_of_agreement(y, predicted):
    p, q = y.mean(), predicted.mean()
    return p * q + (1 - p) * (1 - q)


class TestChance:
    @pytest.mark.parametrize("name", ["ndcg@5", "map", "mrr", "err@5", "p@3"])
    def test_of_rankings_is_exact(self, queries, name):
        X, y, qid = queries
        found = chance_of(QueryRanker(Ridge()), X, y, name, qid=qid)
        assert found == pytest.approx(chance_level(name, y, qid=qid), rel=1e-12)

    def test_of_measures_without_a_closed_form(self, queries):
        X, y, qid = queries
        found = chance_of(QueryRanker(Ridge()), X, y, "pr_auc", qid=qid)
        expected = chance_level("pr_auc", y, qid=qid, random_state=1)
        assert found == pytest.approx(expected, abs=0.01)

    def test_of_one_ranking_and_of_ranked_classes(self, cancer):
        expected = average_precision_score(cancer[1], np.zeros(150))
        assert chance_of(GaussianNB(), *cancer, "ap") == pytest.approx(expected)
        assert chance_of(GaussianNB(), *cancer, "roc_auc") == pytest.approx(0.5)
        found = chance_of(GaussianNB(), *load_iris(return_X_y=True), "mrr")
        assert found == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)

    def test_of_regression_is_of_all_pairs(self, queries):
        X, y = queries[0][:60], queries[1][:60]
        pairs = np.abs(np.subtract.outer(y, Ridge().fit(X, y).predict(X))).mean()
        found = chance_of(Ridge(), X, y, "neg_mean_absolute_error")
        assert found == pytest.approx(-pairs, rel=1e-12)

    def test_of_sets_is_of_shuffled_predictions(self, queries):
        X, y, qid = queries
        relevant = (y > 0).astype(int)
        found = chance_of(GaussianNB(), X, relevant, "set_accuracy", qid=qid)
        predicted = GaussianNB().fit(X, relevant).predict(X)
        assert found == pytest.approx(shares_of_agreement(relevant, predicted))

    def test_of_a_measure_of_your_own(self, queries):
        X, y, qid = queries

        def top(y_true, y_score, *, qid, ties="average"):
            assert ties in ("average", "stable")
            return precision_at_k_score(y_true, y_score, k=1, qid=qid, ties=ties)

        scorer = make_ranking_scorer(top, ties="stable")
        found = chance_of(QueryRanker(Ridge()), X, y, scorer, qid=qid)
        assert found == pytest.approx(chance_level("p@1", y, qid=qid))

    def test_of_a_callable(self, queries):
        X, y = queries[0], queries[1] > 0

        def right(estimator, X, y):
            check_is_fitted(estimator)
            return np.mean(estimator.predict(X) == y)

        expected = shares_of_agreement(y, GaussianNB().fit(X, y).predict(X))
        found = chance_of(GaussianNB(), X, y, right)
        assert found == pytest.approx(expected, abs=1e-12)


class CountingNB(GaussianNB):
    fits = 0

    def fit(self, X, y):
        CountingNB.fits += 1
        return super().fit(X, y)


class Spy(RegressorMixin, BaseEstimator):
    """Remembers which queries it was fitted on, and what fit got."""

    seen = []

    def fit(self, X, y, qid=None):
        Spy.seen.append((set(X[:, 0]), qid))
        self.fitted_ = True
        return self

    def predict(self, X):
        return X[:, 1]


class TestQueriesStayWhole:
    @pytest.mark.parametrize("resample", [None, "over", "under"])
    @pytest.mark.parametrize("method", METHODS)
    def test_by_every_method(self, method, resample, seed):
        X, y, qid = make_queries(12, 5, seed)
        order = np.random.default_rng(seed).permutation(len(y))
        X = np.column_stack([qid, X])[order]
        y, qid = y[order], qid[order]
        Spy.seen = []
        result = evaluate(
            Spy(),
            X,
            y,
            qid=qid,
            scoring="map",
            method=method,
            resample=resample,
            random_state=seed,
            **few(method),
        )
        n_splits = len(result.fit_time)
        for i, (fitted_on, _) in enumerate(Spy.seen[:n_splits]):
            tested = qid[result.predictions.row[result.predictions.split == i]]
            assert not fitted_on & set(tested)
            for one in set(tested):
                assert (tested == one).sum() == 5

    def test_fit_gets_the_ids_of_its_rows(self, queries):
        X, y, qid = queries
        X = np.column_stack([qid, X])
        Spy.seen = []
        evaluate(Spy(), X, y, qid=qid, scoring="map")
        assert len(Spy.seen) == 5
        assert all(ids == set(got) for ids, got in Spy.seen)

    def test_a_query_drawn_twice_is_two_queries_to_fit(self, queries):
        X, y, qid = queries
        X = np.column_stack([qid, X])
        Spy.seen = []
        evaluate(Spy(), X, y, qid=qid, scoring="map", method="bootstrap", n_splits=3)
        for ids, got in Spy.seen:
            assert len(got) == 300
            assert len(set(got)) == 30 > len(ids)
            assert set(np.unique(got, return_counts=True)[1]) == {10}
            assert_array_equal(got, np.sort(got))

    def test_ids_of_any_kind(self, queries):
        X, y, qid = queries
        plain = evaluate(
            QueryRanker(Ridge()), X, y, qid=qid, scoring="map", random_state=0
        )
        names = [f"q{q:04}" for q in qid]
        pairs = [("a", int(q)) if q % 2 else int(q) for q in qid]
        for ids in (names, np.array(names), pairs):
            other = evaluate(
                QueryRanker(Ridge()), X, y, qid=ids, scoring="map", random_state=0
            )
            assert len(other.query_scores.query_ids) == 30
            if ids is not pairs:  # which have no order, so other folds
                assert other.estimate == plain.estimate

    def test_ids_from_a_column(self, queries):
        X, y, qid = queries
        X = np.column_stack([qid, X])
        scorer = get_scorer("map", qid=0)
        model = QueryRanker(Ridge(), qid=0)
        result = evaluate(model, X, y, scoring={"map": scorer}, random_state=0)
        plain = evaluate(
            QueryRanker(Ridge()), X[:, 1:], y, qid=qid, scoring="map", random_state=0
        )
        assert result.unit == "query"
        assert result.estimate == plain.estimate

    def test_columns_that_disagree(self, queries):
        X, y, qid = queries
        X = np.column_stack([qid, qid // 21, X])
        scoring = {"map": get_scorer("map", qid=0), "mrr": get_scorer("mrr", qid=1)}
        with pytest.raises(ValueError, match="same queries; mrr takes different ids"):
            evaluate(QueryRanker(Ridge(), qid=0), X, y, scoring=scoring)

    def test_groups_of_queries(self, queries):
        X, y, qid = queries
        topic = qid // 21
        X = np.column_stack([qid, X])
        Spy.seen = []
        result = evaluate(Spy(), X, y, qid=qid, groups=topic, scoring="map")
        assert (result.unit, result.n_units) == ("group", 10)
        assert len(result.query_scores.query_ids) == 30
        for i, (fitted_on, _) in enumerate(Spy.seen):
            rows = result.predictions.row[result.predictions.split == i]
            assert not {q // 21 for q in fitted_on} & set(topic[rows])

    def test_groups_may_not_divide_a_query(self, queries):
        X, y, qid = queries
        with pytest.raises(ValueError, match="groups must not divide a query"):
            evaluate(Ridge(), X, y, qid=qid, groups=np.arange(300) % 7, scoring="map")

    def test_a_splitter_that_cuts_queries_is_refused(self, queries):
        X, y, qid = queries
        Spy.seen = []
        with pytest.raises(ValueError, match="puts groups on both sides"):
            evaluate(Spy(), X, y, qid=qid, scoring="map", method=KFold(7))
        assert not Spy.seen

    def test_a_splitter_that_is_not_of_scikit_learn(self, queries):
        X, y, qid = queries

        class Halves:
            def split(self, X, y=None, groups=None):
                first = groups < np.median(groups)
                yield np.flatnonzero(first), np.flatnonzero(~first)

            def get_n_splits(self, X=None, y=None, groups=None):
                return 1

        result = evaluate(
            QueryRanker(Ridge()), X, y, qid=qid, scoring="map", method=Halves()
        )
        assert result.n_test.tolist() == [150]

    def test_splitters_with_a_split_request(self, queries):
        X, y, qid = queries
        with config_context(enable_metadata_routing=True):
            cv = GroupKFold(3).set_split_request(groups="qid")
        result = evaluate(QueryRanker(Ridge()), X, y, qid=qid, scoring="map", method=cv)
        assert len(result.fit_time) == 3


class TestScoring:
    def test_everything_mixed(self, queries):
        X, y, qid = queries

        def largest_error(estimator, X, y):
            return -np.abs(estimator.predict(X) - y).max()

        scoring = {
            "ours": "ndcg@5",
            "theirs": "r2",
            "scorer": get_scorer("mrr", ties="pessimistic"),
            "made": make_scorer(mean_absolute_error, greater_is_better=False),
            "callable": largest_error,
        }
        result = evaluate(QueryRanker(Ridge()), X, y, qid=qid, scoring=scoring)
        assert list(result.estimate) == list(scoring)
        assert [result.aggregate[name] for name in scoring] == [
            "per_query",
            "per_split",
            "per_query",
            "per_split",
            "per_split",
        ]
        assert list(result.query_scores.scores) == ["ours", "scorer"]

    def test_a_list_of_objects_names_itself(self, cancer):
        scorers = [get_scorer("ndcg@10", qid=None), make_scorer(accuracy_score)]
        result = evaluate(GaussianNB(), *cancer, scoring=scorers)
        assert list(result.estimate) == ["ndcg_score(k=10)", "accuracy_score"]

    @pytest.mark.parametrize("response", ["predict", "decision_function"])
    @pytest.mark.parametrize("name", ["partial", None])
    def test_functions_without_a_name(self, cancer, response, name):
        X, y = cancer
        one = make_scorer(partial(accuracy_score, normalize=True))
        if response != "predict":
            one = make_scorer(partial(ndcg_score), response_method=response)
        model = LinearDiscriminantAnalysis()
        result = evaluate(model, X, y, scoring={name: one} if name else one)
        assert list(result.estimate) == ["partial"]

    def test_a_ranking_scorer_of_a_function_without_a_name(self, queries):
        X, y, qid = queries
        scorers = [make_ranking_scorer(partial(ndcg_score, k=k)) for k in (None, 5)]
        scoring = dict(zip("ab", scorers, strict=True))
        found, expected = (
            evaluate(Ridge(), X, y, scoring=one, qid=qid, random_state=0)
            for one in (scoring, ["ndcg", "ndcg@5"])
        )
        assert_allclose([*found.estimate.values()], [*expected.estimate.values()])

    def test_a_callable_with_several_scores(self, cancer):
        def both(estimator, X, y):
            predicted = estimator.predict(X)
            return {"right": (predicted == y).mean(), "wrong": (predicted != y).mean()}

        for method in ("kfold", "loocv"):
            X, y = cancer[0][::4], cancer[1][::4]
            result = evaluate(
                GaussianNB(),
                X,
                y,
                scoring=both,
                method=method,
                return_train_score=True,
                random_state=0,
            )
            same = evaluate(
                GaussianNB(), X, y, scoring="accuracy", method=method, random_state=0
            )
            assert result.estimate["right"] == pytest.approx(same.estimate["accuracy"])
            assert result.estimate["wrong"] == pytest.approx(
                1 - result.estimate["right"]
            )
            assert list(result.train_scores) == ["right", "wrong"]

    def test_a_callable_with_an_array(self, cancer):
        def each(estimator, X, y):
            return estimator.predict(X) == y

        with pytest.raises(ValueError, match="each returned an array of shape .30,"):
            evaluate(GaussianNB(), *cancer, scoring=each)

    def test_names_that_collide(self, cancer):
        def both(estimator, X, y):
            return {"accuracy": 1.0}

        with pytest.raises(ValueError, match="a name of its own"):
            evaluate(GaussianNB(), *cancer, scoring=["accuracy", both])

    def test_lists_of_texts(self):
        from sklearn.feature_extraction.text import CountVectorizer

        texts = ["good film", "bad film", "good", "bad"] * 6
        labels = ["yes", "no", "yes", "no"] * 6
        model = make_pipeline(CountVectorizer(), LogisticRegression())
        for method in ("stratified", "bootstrap632+"):
            result = evaluate(
                model,
                texts,
                labels,
                scoring={"accuracy": "accuracy", "ap": "ap(pos_label='yes')"},
                method=method,
                n_splits=3,
                random_state=0,
            )
            assert result.estimate == {"accuracy": 1, "ap": 1}

    def test_callables_get_the_estimator_itself(self, cancer):
        def n_features(estimator, X, y):
            assert isinstance(estimator, GaussianNB)
            return estimator.n_features_in_

        result = evaluate(GaussianNB(), *cancer, scoring=n_features)
        assert result.estimate["n_features"] == 8

    def test_a_name_of_both_is_within_queries_if_there_are_any(self, queries):
        X, y, qid = queries
        relevant = (y > 0).astype(int)
        relevant[::10] = np.arange(30) % 2  # both classes in every query, nearly
        X = np.column_stack([X, relevant])
        with pytest.warns(UndefinedMetricWarning):
            within = evaluate(
                LogisticRegression(), X, relevant, qid=qid, scoring="roc_auc"
            )
        whole = evaluate(LogisticRegression(), X, relevant, scoring="roc_auc")
        assert within.aggregate["roc_auc"] == "per_query"
        assert whole.aggregate["roc_auc"] == "per_split"

    def test_one_ranking_of_all_predictions_says_so(self, queries):
        X, y, qid = queries
        scoring = {"all": get_scorer("map", qid=None), "each": "map"}
        result = evaluate(Ridge(), X, y, qid=qid, scoring=scoring, aggregate="pooled")
        assert repr(result).splitlines()[1] == "all predictions are ranked together"
        predicted = cross_val_predict(Ridge(), X, y, cv=result.cv, groups=qid)
        expected = average_precision_score(y, predicted)
        assert result.estimate["all"] == pytest.approx(expected)

    def test_classifier_without_ids_says_so(self, cancer):
        result = evaluate(GaussianNB(), *cancer, scoring=["ndcg@10", "accuracy"])
        assert "no query ids: each fold is ranked as a whole" in repr(result)
        one = cross_validate(
            GaussianNB(), *cancer, cv=result.cv, scoring=get_scorer("ndcg@10", qid=None)
        )
        assert_array_equal(result.split_scores["ndcg@10"], one["test_score"])

    def test_multiclass_without_ids_ranks_classes(self):
        X, y = load_iris(return_X_y=True)
        result = evaluate(GaussianNB(), X[:, :2], y, scoring="mrr", random_state=0)
        proba = cross_val_predict(
            GaussianNB(), X[:, :2], y, cv=result.cv, method="predict_proba"
        )
        expected = reciprocal_rank_score(y, proba, labels=[0, 1, 2])
        assert result.estimate["mrr"] == pytest.approx(expected)
        assert "each row ranks the classes" in repr(result)
        assert_array_equal(np.sort(result.query_scores.query_ids), range(150))

    def test_multilabel_targets_are_rows_of_relevance(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 4))
        Y = (X @ rng.normal(size=(4, 5)) > 0).astype(int)
        Y[:, 0] = 1
        model = MultiOutputRegressor(Ridge())
        result = evaluate(model, X, Y, scoring="ndcg@3", random_state=0)
        predicted = cross_val_predict(model, X, Y, cv=result.cv)
        assert result.estimate["ndcg@3"] == pytest.approx(ndcg_score(Y, predicted, k=3))
        assert "each row ranks its columns" in repr(result)

    def test_a_measure_of_your_own(self, queries):
        X, y, qid = queries

        def grade_on_top(y_true, y_score, *, qid):
            tops = [y_true[qid == q][np.argmax(y_score[qid == q])] for q in set(qid)]
            return np.mean(tops)

        scorer = make_ranking_scorer(grade_on_top)
        result = evaluate(Ridge(), X, y, qid=qid, scoring=scorer, random_state=0)
        assert result.aggregate == {"grade_on_top": "pooled"}
        predicted = cross_val_predict(Ridge(), X, y, cv=result.cv, groups=qid)
        expected = grade_on_top(y, predicted, qid=qid)
        assert result.estimate["grade_on_top"] == pytest.approx(expected)

    def test_a_measure_of_your_own_that_returns_nonsense(self, queries):
        X, y, qid = queries

        def odd(y_true, y_score, *, qid, average="macro"):
            return 1.0 if average else np.ones(3)

        with pytest.raises(ValueError, match="odd must return one value per query"):
            evaluate(Ridge(), X, y, qid=qid, scoring=make_ranking_scorer(odd))

    def test_geometric_means_are_pooled(self, queries):
        X, y, qid = queries
        result = evaluate(Ridge(), X, y, qid=qid, scoring="gmap", random_state=0)
        predicted = cross_val_predict(Ridge(), X, y, cv=result.cv, groups=qid)
        expected = average_precision_score(y, predicted, qid=qid, average="geometric")
        assert result.estimate["gmap"] == pytest.approx(expected)
        low, high = result.confidence_interval["gmap"]
        assert low < expected < high
        assert result.interval_method["gmap"] == "t over 30 queries and the range"

    def test_geometric_means_of_repeats_have_an_interval_over_queries(self, queries):
        X, y, qid = queries
        options = {"n_repeats": 2, "n_splits": 2, "random_state": 0}
        result = evaluate(Ridge(), X, y, qid=qid, scoring="gmap", **options)
        assert result.interval_method["gmap"] == (
            "jackknife t over 30 queries and the range"
        )

    def test_undefined_queries_are_counted_once(self, queries):
        X, y, qid = queries
        y = y.copy()
        y[:20] = 0
        with pytest.warns(UndefinedMetricWarning, match="map is undefined in 2 of 30"):
            result = evaluate(Ridge(), X, y, qid=qid, scoring="map", random_state=0)
        _, values, _ = result.query_scores.mean_of_splits("map")
        assert np.isnan(values).sum() == 2
        assert result.estimate["map"] == pytest.approx(np.nanmean(values))

    def test_query_weights(self, queries):
        X, y, qid = queries
        weight = (1.0 + qid % 4)[: len(y)]
        with config_context(enable_metadata_routing=True):
            scorer = get_scorer("ndcg@5").set_score_request(
                qid=True, sample_weight=True
            )
        result = evaluate(
            QueryRanker(Ridge()),
            X,
            y,
            qid=qid,
            sample_weight=weight,
            scoring={"ndcg@5": scorer},
            random_state=0,
        )
        ids, values, weights = result.query_scores.mean_of_splits("ndcg@5")
        assert_array_equal(weights, 1.0 + ids % 4)
        expected = np.average(values, weights=weights)
        assert result.estimate["ndcg@5"] == pytest.approx(expected)
        low, high = result.confidence_interval["ndcg@5"]
        assert low < expected < high
        other = evaluate(
            QueryRanker(Ridge()),
            X,
            y,
            qid=qid,
            sample_weight=weight,
            scoring="ndcg@5",
            random_state=0,
        )
        with pytest.raises(ValueError, match="results must have the same weights"):
            compare([result, other], metric="ndcg@5")
        assert other.query_scores.weights is None


class TestAggregate:
    @pytest.mark.parametrize("aggregate", ["per_query", "per_split", "pooled"])
    def test_undefined_queries_are_told(self, queries, aggregate):
        X, y, qid = queries
        y = np.where(np.isin(qid, np.unique(qid)[:4]), 0, y)
        options = {"qid": qid, "scoring": "map", "aggregate": aggregate}
        with pytest.warns(UndefinedMetricWarning, match="undefined in 4 of 30 queries"):
            evaluate(Ridge(), X, y, random_state=0, **options)

    @pytest.mark.parametrize("aggregate", ["pooled", "per_query"])
    @pytest.mark.parametrize("method", ["kfold", "bootstrap"])
    def test_intervals_do_not_depend_on_other_measures(
        self, queries, method, aggregate
    ):
        X, y, qid = queries
        names = (
            ["ndcg@5", "p@5"]
            if aggregate == "per_query"
            else ["r2", "neg_mean_absolute_error"]
        )
        options = {"qid": qid} if aggregate == "per_query" else {}
        options |= {"aggregate": aggregate, "method": method, "random_state": 0}
        found = [
            evaluate(Ridge(), X, y, scoring=scoring, **options)
            for scoring in (names, names[::-1], names[1])
        ]
        ends = [result.confidence_interval[names[1]] for result in found]
        assert ends[0] == ends[1] == ends[2]
        assert ends[0] != found[0].confidence_interval[names[0]]

    def test_per_split_and_per_query_differ_where_folds_do(self, queries):
        X, y, qid = (part[:280] for part in queries)  # 28 queries in 5 folds
        options = {"qid": qid, "scoring": "ndcg@5", "random_state": 0}
        found = {
            how: evaluate(Ridge(), X, y, aggregate=how, **options)
            for how in ("per_split", "per_query", "pooled")
        }
        splits = found["per_split"].split_scores["ndcg@5"]
        assert found["per_split"].estimate["ndcg@5"] == pytest.approx(splits.mean())
        values = found["per_query"].query_scores.scores["ndcg@5"]
        assert found["per_query"].estimate["ndcg@5"] == pytest.approx(values.mean())
        assert found["pooled"].estimate == pytest.approx(found["per_query"].estimate)
        assert found["per_split"].estimate != found["per_query"].estimate

    def test_queries_of_repeated_splits_count_once(self, queries):
        X, y, qid = queries
        result = evaluate(
            Ridge(),
            X,
            y,
            qid=qid,
            scoring="ndcg@5",
            method="subsampling",
            n_splits=7,
            random_state=0,
        )
        table = result.query_scores
        assert len(table.query_ids) == 70
        by_hand = [
            np.mean(table.scores["ndcg@5"][table.query_ids == one])
            for one in np.unique(table.query_ids)
        ]
        assert result.estimate["ndcg@5"] == pytest.approx(np.mean(by_hand))

    def test_repeated_rows_of_a_pool_weigh_less(self, cancer):
        result = evaluate(
            GaussianNB(),
            *cancer,
            scoring="accuracy",
            random_state=0,
            method="subsampling",
            aggregate="pooled",
        )
        found = result.predictions
        right = found.responses["predict"] == found.y_true
        by_hand = [right[found.row == row].mean() for row in np.unique(found.row)]
        assert result.estimate["accuracy"] == pytest.approx(np.mean(by_hand))

    def test_pooled_queries_of_repeated_splits(self, queries):
        X, y, qid = queries
        options = {"qid": qid, "method": "subsampling", "random_state": 0}
        pooled = evaluate(
            Ridge(), X, y, scoring="ndcg@5", aggregate="pooled", **options
        )
        single = evaluate(Ridge(), X, y, scoring="ndcg@5", **options)
        assert pooled.estimate["ndcg@5"] == pytest.approx(single.estimate["ndcg@5"])

    def test_missing_classes_get_a_column(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(40, 2)), np.repeat([0, 1, 2], [20, 19, 1])
        X += y[:, np.newaxis]
        result = evaluate(GaussianNB(), X, y, scoring="neg_log_loss", method="loocv")
        proba = result.predictions.responses["predict_proba"]
        assert proba.shape == (40, 3)
        assert proba[39, 2] == 0
        assert_allclose(proba.sum(axis=1), 1)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"aggregate": "mean"}, "aggregate must be one of 'auto'"),
            ({"aggregate": "per_query"}, "'per_query' needs ranking measures"),
            (
                {"aggregate": "per_split", "method": "loocv", "scoring": "ap"},
                "'per_split' has no meaning for ap on folds of one row",
            ),
        ],
    )
    def test_errors(self, cancer, options, message):
        with pytest.raises(ValueError, match=message):
            evaluate(GaussianNB(), *cancer, **{"scoring": "accuracy", **options})


class TestUncertainty:
    def test_one_split_is_resampled_too(self, cancer):
        result = evaluate(GaussianNB(), *cancer, scoring="accuracy", method="holdout")
        low, high = result.confidence_interval["accuracy"]
        assert low < result.estimate["accuracy"] < high

    def test_one_query_has_no_interval(self, queries):
        X, y, qid = (part[:20] for part in queries)
        result = evaluate(
            Ridge(), X, y, qid=qid, scoring="map", method="holdout", test_size=1
        )
        assert np.isnan(result.confidence_interval["map"]).all()
        assert "–" in repr(result)

    @pytest.mark.parametrize("method", ["bootstrap", "bootstrap632", "bootstrap632+"])
    def test_a_bootstrap_of_what_is_undefined_everywhere(self, queries, method):
        X, y, qid = queries
        with pytest.warns(UndefinedMetricWarning):
            result = evaluate(
                Ridge(), X, 0 * y, qid=qid, scoring="map", method=method, n_splits=3
            )
        assert np.isnan(result.estimate["map"])
        assert result.interval_method["map"] == "none: the estimate is undefined"

    def test_equal_queries_have_more_than_a_point(self, queries):
        X, y, qid = queries
        X = np.column_stack([X, y])
        result = evaluate(DecisionTreeRegressor(), X, y, qid=qid, scoring="map")
        low, high = result.confidence_interval["map"]
        assert 0.8 < low < high == 1


class Duck:
    """No scikit-learn estimator: nothing but fit and one way to predict."""

    def __init__(self, method="predict"):
        self.method = method

    def fit(self, X, y):
        self.mean = np.mean(y)
        return self

    def __getattr__(self, name):
        if name == vars(self).get("method"):
            return lambda X: X[:, 0] + self.mean
        raise AttributeError(name)


class TestEstimators:
    @pytest.mark.parametrize("method", ["predict", "decision_function"])
    def test_ducks(self, queries, method):
        X, y, qid = queries
        result = evaluate(Duck(method), X, y, qid=qid, scoring=["map", "r2"])
        expected = average_precision_score(y, X[:, 0], qid=qid)
        assert result.estimate["map"] == pytest.approx(expected)

    @pytest.mark.parametrize(
        "model",
        [
            LinearSVC(),
            SVC(),
            LogisticRegression(),
            make_pipeline(StandardScaler(), SVC()),
        ],
    )
    def test_classifiers_rank_by_what_they_have(self, cancer, model):
        result = evaluate(model, *cancer, scoring="ap", random_state=0)
        scorer = get_scorer("ap", qid=None)
        expected = cross_validate(model, *cancer, cv=result.cv, scoring=scorer)
        assert_array_equal(result.split_scores["ap"], expected["test_score"])

    def test_multiclass_with_queries_ranks_by_expected_grade(self, queries):
        X, y, qid = queries
        result = evaluate(GaussianNB(), X, y, qid=qid, scoring="ndcg@5", random_state=0)
        proba = cross_val_predict(
            GaussianNB(), X, y, cv=result.cv, groups=qid, method="predict_proba"
        )
        expected = ndcg_score(y, proba @ np.arange(4), k=5, qid=qid)
        assert result.estimate["ndcg@5"] == pytest.approx(expected)

    def test_precomputed_kernels(self, cancer):
        X, y = cancer
        plain = evaluate(SVC(kernel="linear"), X, y, scoring="accuracy", random_state=0)
        kernel = evaluate(
            SVC(kernel="precomputed"), X @ X.T, y, scoring="accuracy", random_state=0
        )
        assert_array_equal(
            plain.split_scores["accuracy"], kernel.split_scores["accuracy"]
        )

    def test_frames_and_sparse_matrices(self, queries):
        X, y, qid = queries
        plain = evaluate(Ridge(), X, y, qid=qid, scoring="map", random_state=0)
        thin = evaluate(
            Ridge(), sparse.csr_array(X), y, qid=qid, scoring="map", random_state=0
        )
        assert thin.estimate["map"] == pytest.approx(plain.estimate["map"], abs=0.01)
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame(X, columns=list("abc"), index=np.arange(300)[::-1])
        named = evaluate(
            Ridge(),
            frame,
            pd.Series(y, frame.index),
            qid=pd.Series(qid, frame.index),
            scoring="map",
            random_state=0,
        )
        assert named.estimate == plain.estimate

    def test_imbalanced_learn(self, queries):
        pytest.importorskip("imblearn")
        from imblearn.over_sampling import RandomOverSampler
        from imblearn.pipeline import make_pipeline as make_resampling_pipeline

        X, y, qid = queries
        relevant = (y > 1).astype(int)
        model = make_resampling_pipeline(
            RandomOverSampler(random_state=0), LogisticRegression()
        )
        result = evaluate(
            model, X, relevant, scoring=["recall", "ap"], method="stratified"
        )
        plain = evaluate(
            LogisticRegression(), X, relevant, scoring="recall", method="stratified"
        )
        assert result.estimate["recall"] > plain.estimate["recall"]
        result = evaluate(model, X, relevant, qid=qid, scoring="p@3")
        assert result.unit == "query"

    def test_a_bare_ranker_with_qid(self, queries):
        xgboost = pytest.importorskip("xgboost")
        X, y, qid = queries
        bare, wrapped = (
            evaluate(
                model,
                X,
                y,
                qid=qid,
                scoring="ndcg@5",
                method="bootstrap",
                n_splits=3,
                random_state=0,
            )
            for model in (
                xgboost.XGBRanker(n_estimators=5, n_jobs=1),
                QueryRanker(xgboost.XGBRanker(n_estimators=5, n_jobs=1)),
            )
        )
        assert bare.estimate == wrapped.estimate

    def test_a_bare_ranker_with_group_sizes_is_refused(self, queries):
        lightgbm = pytest.importorskip("lightgbm")
        X, y, qid = queries
        for model in (
            lightgbm.LGBMRanker(),
            make_pipeline(StandardScaler(), lightgbm.LGBMRanker()),
        ):
            with pytest.raises(
                ValueError, match="'group', which cannot be split .*Query"
            ):
                evaluate(model, X, y, qid=qid, scoring="ndcg@5")


class TestMetadata:
    def test_nested_search_splits_by_query(self, queries):
        X, y, qid = queries
        X = np.column_stack([qid, X])
        search = GridSearchCV(
            InnerSpy(),
            {"alpha": [1.0, 10.0]},
            cv=3,
            scoring=get_scorer("ndcg@5"),
            error_score="raise",
        )
        InnerSpy.seen = []
        result = evaluate(search, X, y, qid=qid, scoring="ndcg@5", n_splits=3)
        assert np.isfinite(result.estimate["ndcg@5"])
        # 3 outer folds, in each 2 candidates in 3 inner folds and a last fit.
        assert len(InnerSpy.seen) == 3 * (2 * 3 + 1)
        assert all(not fitted & scored for fitted, scored in InnerSpy.seen)
        assert search.cv == 3

    def test_nested_search_by_a_split_request(self, queries):
        X, y, qid = queries
        with config_context(enable_metadata_routing=True):
            cv = GroupKFold(3).set_split_request(groups="qid")
        search = GridSearchCV(
            QueryRanker(Ridge()),
            {"estimator__alpha": [1, 10]},
            cv=cv,
            scoring=get_scorer("ndcg@5"),
            error_score="raise",
        )
        result = evaluate(
            search, X, y, qid=qid, scoring="ndcg@5", method="bootstrap632", n_splits=3
        )
        assert np.isfinite(result.estimate["ndcg@5"])

    def test_an_inner_cv_that_cuts_queries_warns(self, queries):
        X, y, qid = queries
        search = GridSearchCV(Ridge(), {"alpha": [1, 10]}, cv=KFold(3))
        with pytest.warns(UserWarning, match="the inner cv=.* splits queries"):
            evaluate(search, X, y, qid=qid, scoring="map", n_splits=2)

    def test_other_estimators_with_cv_are_left_alone(self, queries):
        from sklearn.linear_model import LassoCV

        X, y, qid = queries
        result = evaluate(LassoCV(cv=3), X, y, qid=qid, scoring="map", n_splits=2)
        assert np.isfinite(result.estimate["map"])

    def test_a_step_gets_qid_without_a_request(self, queries):
        X, y, qid = queries
        X = np.column_stack([qid, X])
        Spy.seen = []
        evaluate(make_pipeline("passthrough", Spy()), X, y, qid=qid, scoring="map")
        assert len(Spy.seen) == 5
        assert all(ids == set(got) for ids, got in Spy.seen)

    def test_qid_is_not_passed_where_it_is_not_accepted(self, queries):
        X, y, qid = queries
        for model in (Ridge(), make_pipeline(StandardScaler(), Ridge()), Duck()):
            assert np.isfinite(
                evaluate(model, X, y, qid=qid, scoring="map").estimate["map"]
            )

    @pytest.mark.parametrize("routing", [False, True])
    def test_the_global_switch_changes_nothing(self, queries, routing):
        X, y, qid = queries
        plain = evaluate(
            QueryRanker(Ridge()), X, y, qid=qid, scoring="map", random_state=0
        )
        with config_context(enable_metadata_routing=routing):
            other = evaluate(
                QueryRanker(Ridge()), X, y, qid=qid, scoring="map", random_state=0
            )
        assert plain.estimate == other.estimate

    @pytest.mark.parametrize(
        "model",
        [
            Ridge(),
            make_pipeline(StandardScaler(), Ridge()),
            GridSearchCV(
                make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": [1.0]}
            ),
        ],
    )
    def test_sample_weight_reaches_fit(self, queries, model):
        X, y, _ = queries
        weight = np.where(X[:, 1] > 0, 1.0, 1e-9)
        result = evaluate(
            model, X, y, scoring="r2", sample_weight=weight, method=KFold(3)
        )
        kept = X[:, 1] > 0
        for i, (train, test) in enumerate(KFold(3).split(X)):
            own = train[kept[train]]
            means, stds = X[train].mean(0), X[train].std(0)
            if model is not None and isinstance(model, Ridge):
                means, stds = 0, 1
            fitted = Ridge().fit((X[own] - means) / stds, y[own])
            expected = r2_score(y[test], fitted.predict((X[test] - means) / stds))
            assert result.split_scores["r2"][i] == pytest.approx(expected, abs=1e-4)

    def test_sample_weight_by_request(self, queries):
        X, y, qid = queries
        with config_context(enable_metadata_routing=True):
            step = Ridge().set_fit_request(sample_weight=True)
            scaler = StandardScaler().set_fit_request(sample_weight=False)
        model = make_pipeline(scaler, step)
        weight = np.where(X[:, 1] > 0, 1.0, 1e-9)
        routed = evaluate(
            model, X, y, scoring="r2", sample_weight=weight, method=KFold(3)
        )
        plain = evaluate(
            make_pipeline(StandardScaler(), Ridge()),
            X,
            y,
            scoring="r2",
            sample_weight=weight,
            method=KFold(3),
        )
        assert_allclose(routed.split_scores["r2"], plain.split_scores["r2"])

    def test_sample_weight_that_reaches_nothing(self, cancer):
        with pytest.raises(ValueError, match="sample_weight must be accepted by"):
            evaluate(
                KNeighborsClassifier(),
                *cancer,
                scoring="accuracy",
                sample_weight=np.ones(150),
            )

    def test_params_are_cut_into_folds(self, queries):
        X, y, _ = queries

        class Offset(Duck):
            def fit(self, X, y, offset, other="x"):
                assert len(offset) == len(y) == 240
                assert other == "y"
                return super().fit(X, y)

        params = {"offset": np.zeros(300), "other": "y"}
        evaluate(Offset(), X, y, scoring="r2", params=params)

    def test_params_by_step(self, queries):
        X, y, _ = queries
        model = make_pipeline(StandardScaler(), Ridge())
        weight = np.where(X[:, 1] > 0, 1.0, 1e-9)
        by_step, by_name = (
            evaluate(model, X, y, scoring="r2", method=KFold(3), **options)
            for options in (
                {"params": {"ridge__sample_weight": weight}},
                {"sample_weight": weight},
            )
        )
        assert by_step.estimate == by_name.estimate

    def test_estimators_inside_that_are_not_there(self, cancer):
        from sklearn.calibration import CalibratedClassifierCV

        X, y = cancer
        weight = np.ones(len(y))
        model = CalibratedClassifierCV(cv=3)  # estimator=None
        options = {"scoring": "accuracy", "n_splits": 3}
        assert evaluate(model, X, y, **options).estimate["accuracy"] > 0.8
        nothing = make_pipeline(StandardScaler(), "passthrough")
        nothing.predict = None
        with pytest.raises(ValueError, match="sample_weight must be accepted by"):
            evaluate(nothing, X, y, sample_weight=weight, **options)

    def test_params_of_none(self, queries):
        X, y, _ = queries
        assert evaluate(Ridge(), X, y, scoring="r2", params={"groups_": None}).estimate

    def test_params_that_reach_nothing(self, queries):
        X, y, _ = queries
        with pytest.raises(ValueError, match=r"params must reach .* \['offset'\]"):
            evaluate(Ridge(), X, y, scoring="r2", params={"offset": np.zeros(300)})
        with pytest.raises(ValueError, match=r"params must not hold \['qid'\]"):
            evaluate(Ridge(), X, y, scoring="r2", params={"qid": np.zeros(300)})


class InnerSpy(RegressorMixin, BaseEstimator):
    seen = []

    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def fit(self, X, y):
        self.fitted_ = set(X[:, 0])
        self.model_ = Ridge(self.alpha).fit(X[:, 1:], y)
        self.logged_ = False
        return self

    def predict(self, X):
        if not self.logged_:
            InnerSpy.seen.append((self.fitted_, set(X[:, 0])))
            self.logged_ = True
        return self.model_.predict(X[:, 1:])


class Fails(RegressorMixin, BaseEstimator):
    """Cannot learn from data without row 0."""

    def fit(self, X, y):
        if X[:, 0].min() > 0:
            raise RuntimeError("row 0 is not here")
        return self

    def predict(self, X):
        return X[:, 1]


class TestFailures:
    @pytest.fixture
    def rows(self):
        rng = np.random.default_rng(0)
        X = np.column_stack([np.arange(40), rng.normal(size=40)])
        return X, X[:, 1] + rng.normal(size=40)

    def test_raise_by_default(self, rows):
        with pytest.raises(RuntimeError, match="row 0 is not here"):
            evaluate(Fails(), *rows, scoring="r2")

    @pytest.mark.parametrize("n_jobs", [None, 2])
    def test_the_rest_is_kept(self, rows, n_jobs):
        with pytest.warns(
            FitFailedWarning, match="1 of 4 splits failed(.|\n)*row 0 is"
        ):
            result = evaluate(
                Fails(),
                *rows,
                scoring="r2",
                method=KFold(4),
                error_score=np.nan,
                n_jobs=n_jobs,
            )
        assert list(result.failures) == [0]
        assert "row 0 is not here" in result.failures[0]
        scores = result.split_scores["r2"]
        assert np.isnan(scores[0])
        assert result.estimate["r2"] == pytest.approx(scores[1:].mean())
        assert "1 of 4 splits failed (0): see .failures" in repr(result)
        assert set(result.predictions.split) == {1, 2, 3}

    def test_a_number_counts(self, rows):
        with pytest.warns(FitFailedWarning):
            result = evaluate(
                Fails(), *rows, scoring="r2", method=KFold(4), error_score=-1
            )
        assert result.split_scores["r2"][0] == -1
        assert result.estimate["r2"] == pytest.approx(result.split_scores["r2"].mean())

    @pytest.mark.parametrize("method", ["kfold", "bootstrap", "bootstrap632"])
    def test_a_number_does_not_count_in_a_pool(self, rows, method):
        X, y = rows
        options = {"scoring": "r2", "aggregate": "pooled", "random_state": 0}
        options |= {"method": method, "n_splits": 5}
        found = []
        for error_score in (np.nan, -1):
            with pytest.warns(FitFailedWarning):
                found.append(
                    evaluate(Fails(), X, y, error_score=error_score, **options)
                )
        left_out, as_number = found
        assert as_number.estimate == left_out.estimate
        assert as_number.confidence_interval == left_out.confidence_interval
        assert_array_equal(as_number.split_scores["r2"], left_out.split_scores["r2"])

    def test_queries_of_a_failed_split(self, queries):
        X, y, qid = queries
        X = np.column_stack([np.arange(300), X])
        options = {"qid": qid, "scoring": "map", "method": GroupKFold(5)}
        with pytest.warns(FitFailedWarning):
            left_out = evaluate(Fails(), X, y, error_score=np.nan, **options)
        with pytest.warns(FitFailedWarning):
            as_zero = evaluate(Fails(), X, y, error_score=0.0, **options)
        assert len(left_out.query_scores.query_ids) == 24
        assert len(as_zero.query_scores.query_ids) == 30
        values = left_out.query_scores.scores["map"]
        assert left_out.estimate["map"] == pytest.approx(values.mean())
        assert as_zero.estimate["map"] == pytest.approx(values.sum() / 30)

    def test_a_scorer_that_fails(self, rows):
        def picky(estimator, X, y):
            if X[0, 0] == 0:
                raise ZeroDivisionError("nothing here")
            return 1.0

        with pytest.warns(FitFailedWarning, match="nothing here"):
            result = evaluate(
                Ridge(), *rows, scoring=picky, method=KFold(4), error_score=0
            )
        assert_array_equal(result.split_scores["picky"], [0, 1, 1, 1])

    def test_all_splits_fail(self, rows):
        X, y = rows
        with pytest.raises(ValueError, match="all 5 splits failed(.|\n)*row 0 is not"):
            evaluate(Fails(), X + 1, y, scoring="r2", error_score=np.nan)

    def test_interrupts_are_not_failures(self, rows):
        class Interrupted(Fails):
            def fit(self, X, y):
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            evaluate(Interrupted(), *rows, scoring="r2", error_score=np.nan)


class TestLongWork:
    def test_same_result_for_every_n_jobs(self, queries):
        X, y, qid = queries
        options = {"qid": qid, "scoring": ["ndcg@5", "r2"], "method": "bootstrap632+"}
        model = DecisionTreeRegressor(max_features=1)  # random, and not seeded
        one, two = (
            evaluate(model, X, y, n_jobs=n, n_splits=4, random_state=0, **options)
            for n in (1, 2)
        )
        assert one.estimate == two.estimate
        assert one.confidence_interval == two.confidence_interval
        other = evaluate(model, X, y, n_splits=4, random_state=1, **options)
        assert one.estimate != other.estimate

    def test_splits_of_an_unseeded_model_are_seeded_apart(self):
        seeds = []

        class Seeded(Duck, BaseEstimator):
            def __init__(self, random_state=None):
                self.random_state = random_state
                self.method = "predict"

            def fit(self, X, y):
                seeds.append(self.random_state)
                return super().fit(X, y)

        X, y = np.random.default_rng(0).random((30, 2)), np.arange(30.0)
        evaluate(Seeded(), X, y, scoring="r2", random_state=3)
        assert len(set(seeds)) == 5
        assert None not in seeds
        seeds.clear()
        evaluate(Seeded(), X, y, scoring="r2")
        assert seeds == [None] * 5
        seeds.clear()
        evaluate(Seeded(9), X, y, scoring="r2", random_state=3)
        assert seeds == [9] * 5

    @pytest.mark.parametrize("n_jobs", [None, 2])
    def test_progress(self, queries, capsys, n_jobs):
        pytest.importorskip("tqdm")
        X, y, qid = queries
        evaluate(Ridge(), X, y, qid=qid, scoring="map", progress=True, n_jobs=n_jobs)
        shown = capsys.readouterr().err
        assert "evaluate: 100%" in shown
        assert "5/5" in shown

    def test_progress_without_tqdm(self, queries, monkeypatch):
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
        X, y, qid = queries
        with pytest.raises(ImportError, match="progress=True needs tqdm"):
            evaluate(Ridge(), X, y, qid=qid, scoring="map", progress=True)

    def test_dask_cluster(self, queries, dask_client, tmp_path):
        X, y, qid = queries
        process = partial(process_id, seen=tmp_path)
        scoring = {"ndcg@5": "ndcg@5", "r2": "r2", "process": process}
        options = {"qid": qid, "scoring": scoring, "random_state": 0}
        options |= {"method": "bootstrap632", "n_splits": 6}
        model = QueryRanker(DecisionTreeRegressor(max_features=1))
        here = evaluate(model, X, y, **options)
        workers = set(dask_client.run(os.getpid).values())
        with joblib.parallel_config(backend="dask", wait_for_workers_timeout=60):
            there = evaluate(model, X, y, **options)
        for name in ("ndcg@5", "r2"):
            assert here.estimate[name] == there.estimate[name]
            assert here.confidence_interval[name] == there.confidence_interval[name]
        assert set(here.split_scores["process"]) == {os.getpid()}
        assert len(workers) == 2
        assert set(there.split_scores["process"]) == workers


def process_id(estimator, X, y, seen):
    """Return who works; with one worker so far, wait for the other to get work."""
    (seen / str(os.getpid())).touch()
    deadline = time.monotonic() + 30
    while len(list(seen.iterdir())) == 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    return os.getpid()


class KFoldOfNothing(KFold):
    def split(self, X, y=None, groups=None):
        return iter(())


class TestErrorsBeforeAnythingIsFitted:
    @pytest.fixture(autouse=True)
    def nothing_fitted(self):
        CountingNB.fits = 0
        yield
        assert CountingNB.fits == 0

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (
                {"method": "cv"},
                "method must be one of 'holdout', .*'bootstrap632\\+', a number of "
                "folds, a splitter or an iterable .*; got 'cv'",
            ),
            ({"method": 5.0}, "method must be one of .* got 5"),
            ({"n_splits": 151}, "needs at least 151 rows for n_splits=151; got 150"),
            ({"n_splits": 1}, "n_splits must be an integer >= 2; got 1"),
            ({"n_repeats": 0}, "n_repeats must be an integer >= 1; got 0"),
            (
                {"method": "subsampling", "n_repeats": 2},
                "n_repeats=2 requires .*Set n_spl",
            ),
            (
                {"method": "holdout", "n_repeats": 2},
                r"got 'holdout'\. Repeated holdout is method='subsampling'\.$",
            ),
            (
                {"method": "loocv", "n_repeats": 2},
                r"n_repeats=2 requires .*; got 'loocv'\.$",
            ),
            ({"method": "holdout", "n_splits": 2}, "repeated holdout is .*subsampling"),
            (
                {"method": "loocv", "n_splits": 2},
                r"n_splits=2 cannot be combined with method='loocv'\.$",
            ),
            ({"test_size": 0.2}, "test_size=0.2 requires .*'subsampling'; got 'kfold'"),
            ({"method": "632", "test_size": 9}, "test_size=9 requires .*got 'boot"),
            ({"method": KFold(3), "test_size": 0.2}, "test_size=0.2 requires method="),
            (
                {"method": "holdout", "test_size": 150},
                "test_size=150 should be .* smaller than the number of samples 150",
            ),
            (
                {"method": "holdout", "test_size": 9, "qid": np.repeat([1, 2, 3], 50)},
                "test_size=9 should be .* smaller than the number of samples 3",
            ),
            ({"method": "holdout", "test_size": 1.5}, "test_size=1.5 should be"),
            ({"method": "subsampling", "test_size": 0}, "test_size"),
            (
                {"method": KFold(3), "n_splits": 4},
                "n_splits=4 requires the name of a me",
            ),
            ({"method": []}, r"method must be one of .* got \[\]"),
            ({"method": KFoldOfNothing(3)}, "makes no splits"),
            ({"method": [(np.arange(9), [])]}, "split 0 of .* has an empty side"),
            ({"method": [(np.arange(9), np.arange(5))]}, "puts rows on both sides"),
            ({"stratify": True}, "stratify=True requires a method among 'holdout'"),
            ({"method": "stratified", "stratify": "grade"}, "stratify must be None"),
            ({"method": "stratified", "stratify": [1, 2]}, "stratify must be .* array"),
            ({"resample": "both"}, "resample must be one of 'over', 'under'"),
            ({"confidence_level": 95}, "confidence_level must be strictly between 0"),
            ({"error_score": "ignore"}, "error_score must be 'raise' or a number"),
            (
                {"qid": np.arange(3)},
                "qid must have one id per row: expected 150; got 3",
            ),
            ({"groups": np.arange(3)}, "groups must have one id per row"),
            ({"qid": np.full(150, np.nan)}, "qid must not contain missing"),
            ({"qid": np.repeat([1, 2, 3], 50)}, "at least 5 queries .* got 3"),
            ({"qid": np.ones(150), "method": "bootstrap"}, "at least 2 queries"),
            ({"scoring": "ndgc"}, "the nearest names are .*ndcg"),
            ({"random_state": -1}, "random_state must be between 0 and"),
            ({"random_state": "7"}, "random_state must be an int, a RandomState, a"),
            ({"scoring": []}, "scoring must name at least one measure"),
            ({"scoring": ["map", "map"]}, "two measures named 'map'"),
        ],
    )
    def test_bad_values(self, cancer, options, message):
        with pytest.raises(ValueError, match=message):
            evaluate(CountingNB(), *cancer, **{"scoring": "accuracy", **options})

    def test_masked_strata(self, cancer):
        options = {"method": "stratified", "stratify": np.ma.array(np.ones(150))}
        with pytest.raises(TypeError, match="stratify must not be a masked array"):
            evaluate(CountingNB(), *cancer, scoring="accuracy", **options)

    def test_queries_of_rows_that_are_rankings(self, cancer):
        X, y = cancer
        Y = np.column_stack([y, 1 - y])
        with pytest.raises(ValueError, match="qid must be None with 2-D y"):
            evaluate(CountingNB(), X, Y, scoring="map", qid=np.arange(150))
        with pytest.raises(ValueError, match="y must be 1-D or 2-D"):
            evaluate(CountingNB(), X, Y[..., np.newaxis], scoring="r2")

    @pytest.mark.parametrize("scoring", [None, 3, [3], {"a": None}])
    def test_bad_scoring(self, cancer, scoring):
        with pytest.raises(TypeError, match="scoring must"):
            evaluate(CountingNB(), *cancer, scoring=scoring)

    def test_lengths(self, cancer):
        X, y = cancer
        with pytest.raises(ValueError, match="y must have one entry per row of X"):
            evaluate(CountingNB(), X, y[:-1], scoring="accuracy")
        with pytest.raises(ValueError, match="y must hold the targets; got None"):
            evaluate(CountingNB(), X, None, scoring="accuracy")

    def test_one_class_in_a_training_side(self, cancer):
        X, y = cancer[0], np.sort(cancer[1])
        y[:] = 0
        y[-10:] = 1
        with pytest.raises(ValueError, match="training side of split 4 has .* class"):
            evaluate(CountingNB(), X, y, scoring="accuracy", method=KFold(5))

    @pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss", "ap"])
    def test_one_class_in_a_test_side(self, cancer, scoring):
        X, y = cancer[0], np.repeat([0, 1], [100, 50])
        with pytest.raises(
            ValueError, match=f"test side of split 0 .*{scoring} is not"
        ):
            evaluate(CountingNB(), X, y, scoring=scoring, method=KFold(5))

    def test_no_prediction_method(self, cancer):
        class Mute(BaseEstimator):
            def fit(self, X, y):
                raise AssertionError

        with pytest.raises(TypeError, match="one of the methods predict, .*got Mute"):
            evaluate(Mute(), *cancer, scoring="accuracy")
        with pytest.raises(TypeError, match="estimator must have fit; got 3"):
            evaluate(3, *cancer, scoring="accuracy")

    def test_a_ranking_measure_without_queries(self, queries):
        X, y, _ = queries
        for model in (Ridge(), QueryRanker(Ridge()), Duck()):
            with pytest.raises(ValueError, match="map ranks documents inside queries"):
                evaluate(model, X, y, scoring=["r2", "map"])

    def test_unless_it_is_said_to_be_one_ranking(self, queries):
        X, y, _ = queries
        result = evaluate(Ridge(), X, y, scoring=get_scorer("map", qid=None))
        assert "each fold is ranked as a whole" in repr(result)


class TestStratify:
    def test_array(self, queries):
        X, y, _ = queries
        kind = np.arange(300) % 3
        result = evaluate(
            Ridge(), X, y, scoring="r2", method="stratified", stratify=kind
        )
        for i in range(5):
            rows = result.predictions.row[result.predictions.split == i]
            assert set(np.bincount(kind[rows])) == {20}

    def test_repeats(self, queries):
        X, y, qid = queries
        result = evaluate(
            Ridge(),
            X,
            y,
            qid=qid,
            scoring="map",
            n_repeats=3,
            n_splits=4,
            random_state=0,
        )
        assert len(result.fit_time) == result.cv.get_n_splits() == 12
        assert_array_equal(np.bincount(result.query_scores.query_ids // 7), 3)
        assert len(np.unique(result.split_scores["map"])) == 12
        rows = evaluate(Ridge(), X, y, scoring="r2", n_repeats=2, random_state=1)
        from sklearn.model_selection import RepeatedKFold

        theirs = cross_validate(
            Ridge(), X, y, cv=RepeatedKFold(n_splits=5, n_repeats=2, random_state=1)
        )
        assert_array_equal(rows.split_scores["r2"], theirs["test_score"])
        again = cross_validate(Ridge(), X, y, cv=rows.cv)
        assert_array_equal(rows.split_scores["r2"], again["test_score"])


def test_inputs_are_not_changed(queries):
    X, y, qid = (part.copy() for part in queries)
    model = GridSearchCV(
        QueryRanker(Ridge()), {"estimator__alpha": [1]}, cv=3, scoring=get_scorer("map")
    )
    before = pickle.dumps(model)
    evaluate(model, X, y, qid=qid, scoring="map", method="bootstrap632+", n_splits=2)
    assert pickle.dumps(model) == before
    for part, original in zip((X, y, qid), queries, strict=True):
        assert_array_equal(part, original)
