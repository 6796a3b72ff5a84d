"""evaluate: scikit-learn's own numbers, the papers' formulas, queries kept whole."""

import pickle
import sys
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyRegressor
from sklearn.exceptions import FitFailedWarning, UndefinedMetricWarning
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LassoCV, LogisticRegression, Ridge
from sklearn.metrics import (
    accuracy_score,
    log_loss,
    make_scorer,
    mean_absolute_error,
    r2_score,
    roc_auc_score,
)
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
    cross_validate,
)
from sklearn.multioutput import MultiOutputRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, label_binarize
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.validation import check_is_fitted

from oracles.queries import NeedsRow0, graded_queries
from sklearn_irmetrics import (
    average_precision_score,
    get_scorer,
    make_ranking_scorer,
    ndcg_score,
    precision_at_k_score,
    ranking_report,
    reciprocal_rank_score,
)
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.metrics import chance_level
from sklearn_irmetrics.model_selection import (
    BootstrapSplit,
    HoldoutSplit,
    QueryKFold,
    evaluate,
)


@pytest.fixture(scope="module")
def queries():
    return graded_queries(30, 10, ids=np.arange(30) * 7)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X)[:150, :8], y[:150]


def ranked(queries, model=None, scoring="map", **options):
    """Evaluate a model on whole queries, always the same."""
    X, y, qid = queries
    options = {"qid": qid, "scoring": scoring, "random_state": 0, **options}
    return evaluate(QueryRanker(Ridge()) if model is None else model, X, y, **options)


class TestEqualsScikitLearn:
    SPLITTERS = [
        ("holdout", ShuffleSplit(1, test_size=1 / 3, random_state=3), {}),
        (
            "subsampling",
            ShuffleSplit(6, test_size=1 / 3, random_state=3),
            {"n_splits": 6},
        ),
        (
            HoldoutSplit(6, test_size=0.2),
            ShuffleSplit(6, test_size=0.2, random_state=3),
            {},
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
        ("name", "method", "score"),
        [
            ("accuracy", "predict", accuracy_score),
            ("roc_auc", "decision_function", roc_auc_score),
            ("neg_log_loss", "predict_proba", lambda y, p: -log_loss(y, p)),
        ],
    )
    def test_loocv_pools(self, cancer, name, method, score):
        X, y = cancer[0][::3], cancer[1][::3]
        model = LinearDiscriminantAnalysis()
        options = {"aggregate": "pooled"} if name == "roc_auc" else {}
        result = evaluate(model, X, y, scoring=name, method="loocv", **options)
        out = cross_val_predict(model, X, y, cv=LeaveOneOut(), method=method)
        assert result.estimate[name] == pytest.approx(score(y, out), rel=1e-14)
        assert result.aggregate[name] == "pooled"

    def test_leave_one_query_out_averages_queries(self, queries):
        X, y, qid = queries
        result = ranked(queries, scoring="ndcg@5", method="loocv")
        predicted = cross_val_predict(Ridge(), X, y, groups=qid, cv=LeaveOneGroupOut())
        expected = ndcg_score(y, predicted, k=5, qid=qid)
        assert result.estimate["ndcg@5"] == pytest.approx(expected, rel=1e-14)
        assert result.aggregate["ndcg@5"] == "per_query"
        assert ": leave-one-query-out, 30 queries\n" in repr(result)


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
        ("model", "data"),
        [
            (LinearDiscriminantAnalysis(), "cancer"),
            (KNeighborsClassifier(1), "noise"),
            (GaussianNB(), "iris"),
        ],
    )
    def test_against_the_paper(self, cancer, model, data):
        if data == "cancer":
            X, y = cancer[0][:80], cancer[1][:80]
        elif data == "iris":
            X, y = load_iris(return_X_y=True)
            X, y = X[::2, :2] / 4, y[::2]
        else:
            rng = np.random.default_rng(0)
            X, y = rng.normal(size=(60, 4)), np.repeat([0, 1], [20, 40])
        expected = paper_632(model, X, y, 12, 5)
        options = {"scoring": "accuracy", "n_splits": 12, "random_state": 5}
        methods = "bootstrap", "bootstrap632", "bootstrap632+"
        for method, value in zip(methods, expected, strict=True):
            result = evaluate(model, X, y, method=method, **options)
            assert 1 - result.estimate["accuracy"] == pytest.approx(value, abs=1e-12)

    def test_against_the_paper_with_queries_as_units(self, queries):
        X, y, qid = queries
        model = Ridge()
        options = {"method": "bootstrap632+", "n_splits": 15, "random_state": 2}
        result = ranked(queries, QueryRanker(model), "ndcg@5", **options)
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
        assert chance_of(GaussianNB(), *cancer, "ap", qid=None) == pytest.approx(
            expected
        )
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


class TestQueriesStayWhole:
    def test_ids_of_any_kind(self, queries):
        X, y, qid = queries
        plain = ranked(queries)
        names = [f"q{q:04}" for q in qid]
        pairs = [("a", int(q)) if q % 2 else int(q) for q in qid]
        for ids in (names, np.array(names), pairs):
            other = ranked((X, y, ids))
            assert len(other.query_scores.query_ids) == 30
            if ids is not pairs:  # which have no order, so other folds
                assert other.estimate == plain.estimate

    def test_columns_that_disagree(self, queries):
        X, y, qid = queries
        X = np.column_stack([qid, qid // 21, X])
        scoring = {"map": get_scorer("map", qid=0), "mrr": get_scorer("mrr", qid=1)}
        with pytest.raises(ValueError, match="same queries; mrr takes different ids"):
            evaluate(QueryRanker(Ridge(), qid=0), X, y, scoring=scoring)

    def test_groups_may_not_divide_a_query(self, queries):
        with pytest.raises(ValueError, match="groups must not divide a query"):
            ranked(queries, groups=np.arange(300) % 7)

    def test_a_splitter_that_is_not_of_scikit_learn(self, queries):
        class Halves:
            def split(self, X, y=None, groups=None):
                first = groups < np.median(groups)
                yield np.flatnonzero(first), np.flatnonzero(~first)

            def get_n_splits(self, X=None, y=None, groups=None):
                return 1

        assert ranked(queries, method=Halves()).n_test.tolist() == [150]

    def test_splitters_with_a_split_request(self, queries):
        with config_context(enable_metadata_routing=True):
            cv = GroupKFold(3).set_split_request(groups="qid")
        assert len(ranked(queries, method=cv).fit_time) == 3


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
        assert list(result.estimate) == ["ndcg@10", "accuracy_score"]

    @pytest.mark.parametrize(
        "one",
        [
            make_scorer(partial(accuracy_score, normalize=True)),
            make_scorer(partial(ndcg_score), response_method="decision_function"),
        ],
    )
    def test_functions_without_a_name(self, cancer, one):
        for scoring in (one, {"partial": one}):
            result = evaluate(LinearDiscriminantAnalysis(), *cancer, scoring=scoring)
            assert list(result.estimate) == ["partial"]

    def test_a_ranking_scorer_of_a_function_without_a_name(self, queries):
        scorers = [make_ranking_scorer(partial(ndcg_score, k=k)) for k in (None, 5)]
        found = ranked(queries, scoring=dict(zip("ab", scorers, strict=True)))
        expected = ranked(queries, scoring=["ndcg", "ndcg@5"])
        assert_allclose([*found.estimate.values()], [*expected.estimate.values()])

    @pytest.mark.parametrize("method", ["kfold", "loocv"])
    def test_a_callable_with_several_scores(self, cancer, method):
        def both(estimator, X, y):
            predicted = estimator.predict(X)
            return {"right": (predicted == y).mean(), "wrong": (predicted != y).mean()}

        data = cancer[0][::4], cancer[1][::4]
        options = {"method": method, "random_state": 0, "return_train_score": True}
        result = evaluate(GaussianNB(), *data, scoring=both, **options)
        same = evaluate(GaussianNB(), *data, scoring="accuracy", **options)
        assert result.estimate["right"] == pytest.approx(same.estimate["accuracy"])
        assert result.estimate["wrong"] == pytest.approx(1 - result.estimate["right"])
        assert list(result.train_scores) == ["right", "wrong"]

    def test_a_callable_with_an_array(self, cancer):
        def each(estimator, X, y):
            return estimator.predict(X) == y

        with pytest.raises(ValueError, match="each returned an array of shape .30,"):
            evaluate(GaussianNB(), *cancer, scoring=each)

    def test_names_that_collide(self, cancer):
        def both(estimator, X, y):
            return {"accuracy": 1.0}

        with pytest.raises(ValueError, match="a different name"):
            evaluate(GaussianNB(), *cancer, scoring=["accuracy", both])

    @pytest.mark.parametrize("method", ["stratified", "bootstrap632+"])
    def test_lists_of_texts(self, method):
        texts = ["good film", "bad film", "good", "bad"] * 6
        labels = ["yes", "no", "yes", "no"] * 6
        model = make_pipeline(CountVectorizer(), LogisticRegression())
        options = {"scoring": {"accuracy": "accuracy", "ap": "ap(pos_label='yes')"}}
        options |= {"method": method, "n_splits": 3, "random_state": 0, "qid": None}
        result = evaluate(model, texts, labels, **options)
        assert result.estimate == {"accuracy": 1, "ap": 1}

    def test_a_name_of_both_is_within_queries_if_there_are_any(self, queries):
        X, y, qid = queries
        relevant = (y > 0).astype(int)
        relevant[::10] = np.arange(30) % 2  # both classes in every query, nearly
        data = np.column_stack([X, relevant]), relevant
        model, name = LogisticRegression(), "roc_auc"
        with pytest.warns(UndefinedMetricWarning):
            within = ranked((*data, qid), model, name)
        whole = ranked((*data, None), model, name)
        assert within.aggregate[name] == "per_query"
        assert whole.aggregate[name] == "per_split"

    def test_one_ranking_of_all_predictions_says_so(self, queries):
        X, y, qid = queries
        scoring = {"all": get_scorer("map", qid=None), "each": "map"}
        result = ranked(queries, Ridge(), scoring, aggregate="pooled")
        assert "All predictions are ranked together." in result.notes
        predicted = cross_val_predict(Ridge(), X, y, cv=result.cv, groups=qid)
        expected = average_precision_score(y, predicted)
        assert result.estimate["all"] == pytest.approx(expected)

    def test_multiclass_without_ids_ranks_classes(self):
        X, y = load_iris(return_X_y=True)
        result = evaluate(GaussianNB(), X[:, :2], y, scoring="mrr", random_state=0)
        proba = cross_val_predict(
            GaussianNB(), X[:, :2], y, cv=result.cv, method="predict_proba"
        )
        expected = reciprocal_rank_score(label_binarize(y, classes=[0, 1, 2]), proba)
        assert result.estimate["mrr"] == pytest.approx(expected)
        assert "ach row ranks the classes" in result.to_text(details=True)
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
        assert "ach row ranks its columns" in result.to_text(details=True)

    def test_labels_of_many_columns_may_be_alike_in_training(self):
        X = np.arange(20.0)[:, np.newaxis]
        Y = np.repeat([[0, 0], [1, 0]], 10, axis=0)
        first, second = np.arange(10), np.arange(10, 20)
        splits = [(first, second), (second, first)]
        model = KNeighborsClassifier(1)
        result = evaluate(model, X, Y, scoring="accuracy", method=splits)
        assert result.estimate["accuracy"] == 0.0

    @pytest.mark.parametrize("returns", [np.asarray, sparse.csr_array])
    @pytest.mark.parametrize("aggregate", ["auto", "pooled"])
    def test_sparse_users_by_items(self, returns, aggregate):
        rng = np.random.default_rng(0)
        train = sparse.csr_array(rng.random((60, 12)) < 0.3)
        bought = np.where(train.toarray(), 0.0, rng.random((60, 12)) < 0.4)
        bought[:, 0] = 1.0
        popular = train.sum(axis=0).astype(float)

        def recommend(X):
            scores = np.tile(np.where(popular > 15, popular, -np.inf), (X.shape[0], 1))
            if returns is np.asarray:
                return scores
            return sparse.csr_array(np.where(scores > 0, scores, 0.0))

        given = {
            "scoring": ["ndcg@5", "map"],
            "aggregate": aggregate,
            "random_state": 0,
        }
        candidates = (train.toarray() == 0) | (bought > 0)
        params = {"candidates": candidates}
        expected = evaluate(recommend, train, bought, params=params, **given)
        for kind in (sparse.csr_array, sparse.csr_matrix):
            for chosen in (candidates, kind(candidates)):
                params = {"candidates": chosen}
                result = evaluate(
                    recommend, train, kind(bought), params=params, **given
                )
                assert result.estimate == pytest.approx(expected.estimate)
            assert result.predictions.y_true.shape == (60, 12)
            assert len(result.predictions.to_frame()) == 60

    def test_a_measure_of_your_own(self, queries):
        X, y, qid = queries

        def grade_on_top(y_true, y_score, *, qid):
            tops = [y_true[qid == q][np.argmax(y_score[qid == q])] for q in set(qid)]
            return np.mean(tops)

        result = ranked(queries, Ridge(), make_ranking_scorer(grade_on_top))
        assert result.aggregate == {"grade_on_top": "pooled"}
        predicted = cross_val_predict(Ridge(), X, y, cv=result.cv, groups=qid)
        expected = grade_on_top(y, predicted, qid=qid)
        assert result.estimate["grade_on_top"] == pytest.approx(expected)

    def test_a_measure_of_your_own_that_returns_nonsense(self, queries):
        def odd(y_true, y_score, *, qid, average="macro"):
            return 1.0 if average else np.ones(3)

        with pytest.raises(ValueError, match="odd must return one value per query"):
            ranked(queries, scoring=make_ranking_scorer(odd))

    def test_many_fits_are_announced_unless_a_bar_shows_them(self):
        X, y = np.ones((1001, 1)), np.arange(1001.0)
        options = {"scoring": "neg_mean_absolute_error", "method": "loocv"}
        with pytest.warns(UserWarning, match="1,001 models will be fitted.*progress=T"):
            evaluate(DummyRegressor(), X, y, **options)
        evaluate(DummyRegressor(), X[:1000], y[:1000], **options)
        evaluate(lambda X: X[:, 0], X, y, **options)  # nothing is fitted

    def test_geometric_means_are_pooled(self, queries):
        X, y, qid = queries
        result = ranked(queries, Ridge(), "gmap")
        predicted = cross_val_predict(Ridge(), X, y, cv=result.cv, groups=qid)
        expected = average_precision_score(y, predicted, qid=qid, average="geometric")
        assert result.estimate["gmap"] == pytest.approx(expected)
        low, high = result.confidence_interval["gmap"]
        assert low < expected < high
        report = ranking_report(y, predicted, qid=qid, metrics="gmap")
        assert result.standard_error == pytest.approx(report.standard_error)
        how = "t over 30 queries, widened by the measure's range"
        assert result.interval_method["gmap"] == how
        folds = QueryKFold(2, n_repeats=2, shuffle=True)
        repeated = ranked(queries, scoring="gmap", method=folds)
        how = "jackknife t over 30 queries and range limits"
        assert repeated.interval_method["gmap"] == how

    def test_query_weights(self, queries):
        weight = 1.0 + queries[2] % 4
        with config_context(enable_metadata_routing=True):
            scorer = get_scorer("ndcg@5")
            scorer.set_score_request(qid=True, sample_weight=True)
        result = ranked(
            queries, scoring={"ndcg@5": scorer}, params={"sample_weight": weight}
        )
        ids, values, weights = result.query_scores.mean_of_splits("ndcg@5")
        assert_array_equal(weights, 1.0 + ids % 4)
        expected = np.average(values, weights=weights)
        assert result.estimate["ndcg@5"] == pytest.approx(expected)
        low, high = result.confidence_interval["ndcg@5"]
        assert low < expected < high
        other = ranked(queries, scoring="ndcg@5", params={"sample_weight": weight})
        assert other.query_scores.weights is None


class TestAggregate:
    @pytest.mark.parametrize("aggregate", ["per_query", "per_split", "pooled"])
    def test_undefined_queries_are_told(self, queries, aggregate):
        X, y, qid = queries
        y = np.where(np.isin(qid, np.unique(qid)[:4]), 0, y)
        with pytest.warns(UndefinedMetricWarning, match="undefined in 4 of 30 queries"):
            result = ranked((X, y, qid), aggregate=aggregate)
        _, values, _ = result.query_scores.mean_of_splits("map")
        assert np.isnan(values).sum() == 4
        if aggregate == "per_query":
            assert result.estimate["map"] == pytest.approx(np.nanmean(values))

    @pytest.mark.parametrize("method", ["kfold", "bootstrap632"])
    def test_undefined_queries_are_told_once_for_each_cause(self, queries, method):
        X, y, qid = queries
        y = np.where(np.isin(qid, np.unique(qid)[:4]), 0, y)
        scoring = {"one": "map", "two": "ndcg@5", "three": "dcg@5", "four": "silence"}
        options = {"scoring": scoring, "method": method, "aggregate": "per_query"}
        with pytest.warns(UndefinedMetricWarning) as caught:
            ranked((X, y, qid), **options)
        assert [str(one.message).split(", which")[0] for one in caught] == [
            "one and two are undefined in 4 of 30 queries (usually because nothing is "
            "relevant)",
            "four is undefined in 26 of 30 queries (something is relevant)",
        ]

    @pytest.mark.parametrize("aggregate", ["per_query", "per_split", "pooled"])
    def test_undefined_queries_of_repeated_splits_count_once(self, queries, aggregate):
        X, y, qid = queries
        y = np.where(np.isin(qid, np.unique(qid)[:4]), 0, y)
        method = QueryKFold(5, n_repeats=3, shuffle=True)
        options = {"aggregate": aggregate, "method": method}
        message = "map is undefined in 4 of 30 queries"
        with pytest.warns(UndefinedMetricWarning, match=message):
            ranked((X, y, qid), **options)

    @pytest.mark.parametrize("aggregate", ["pooled", "per_query"])
    @pytest.mark.parametrize("method", ["kfold", "bootstrap"])
    def test_intervals_do_not_depend_on_other_measures(
        self, queries, method, aggregate
    ):
        names, qid = ["ndcg@5", "p@5"], queries[2]
        if aggregate == "pooled":
            names, qid = ["r2", "neg_mean_absolute_error"], None
        options = {"aggregate": aggregate, "method": method, "qid": qid}
        found = [
            ranked(queries, Ridge(), scoring, **options)
            for scoring in (names, names[::-1], names[1])
        ]
        ends = [result.confidence_interval[names[1]] for result in found]
        assert ends[0] == ends[1] == ends[2]
        assert ends[0] != found[0].confidence_interval[names[0]]

    def test_queries_of_repeated_splits_count_once(self, queries):
        options = {"scoring": "ndcg@5", "method": "subsampling", "n_splits": 7}
        result = ranked(queries, **options)
        table = result.query_scores
        assert len(table.query_ids) == 70
        by_hand = [
            np.mean(table.scores["ndcg@5"][table.query_ids == one])
            for one in np.unique(table.query_ids)
        ]
        assert result.estimate["ndcg@5"] == pytest.approx(np.mean(by_hand))
        pooled = ranked(queries, aggregate="pooled", **options)
        assert pooled.estimate["ndcg@5"] == pytest.approx(np.mean(by_hand))

    def test_repeated_rows_of_a_pool_weigh_less(self, cancer):
        options = {"method": "subsampling", "aggregate": "pooled", "random_state": 0}
        result = evaluate(GaussianNB(), *cancer, scoring="accuracy", **options)
        found = result.predictions
        right = found.responses["predict"] == found.y_true
        by_hand = [right[found.row == row].mean() for row in np.unique(found.row)]
        assert result.estimate["accuracy"] == pytest.approx(np.mean(by_hand))

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
                {
                    "aggregate": "per_split",
                    "method": "loocv",
                    "scoring": "ap",
                    "qid": None,
                },
                "'per_split' has no meaning for ap on folds of one row",
            ),
        ],
    )
    def test_errors(self, cancer, options, message):
        with pytest.raises(ValueError, match=message):
            evaluate(GaussianNB(), *cancer, **{"scoring": "accuracy", **options})


class TestUncertainty:
    @pytest.mark.parametrize("method", ["bootstrap", "bootstrap632", "bootstrap632+"])
    def test_a_bootstrap_of_what_is_undefined_everywhere(self, queries, method):
        X, y, qid = queries
        with pytest.warns(UndefinedMetricWarning):
            result = ranked((X, 0 * y, qid), method=method, n_splits=3)
        assert np.isnan(result.estimate["map"])
        assert result.interval_method["map"] == "none: the estimate is undefined"


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
    @pytest.mark.parametrize("name", ["ap", "ndcg@10"])
    @pytest.mark.parametrize(
        "model",
        [LogisticRegression(), make_pipeline(StandardScaler(), SVC()), GaussianNB()],
    )
    def test_classifiers_rank_by_what_they_have(self, cancer, model, name):
        with pytest.raises(ValueError, match=f"{name} ranks .* and needs their ids"):
            evaluate(model, *cancer, scoring=name)
        result = evaluate(model, *cancer, scoring=name, qid=None, random_state=0)
        scorer = get_scorer(name, qid=None)
        expected = cross_validate(model, *cancer, cv=result.cv, scoring=scorer)
        assert_array_equal(result.split_scores[name], expected["test_score"])

    def test_multiclass_with_queries_ranks_by_expected_grade(self, queries):
        X, y, qid = queries
        result = ranked(queries, GaussianNB(), "ndcg@5")
        options = {"cv": result.cv, "groups": qid, "method": "predict_proba"}
        proba = cross_val_predict(GaussianNB(), X, y, **options)
        expected = ndcg_score(y, proba @ np.arange(4), k=5, qid=qid)
        assert result.estimate["ndcg@5"] == pytest.approx(expected)

    def test_precomputed_kernels(self, cancer):
        X, y = cancer
        plain, kernel = (
            evaluate(SVC(kernel=kind), data, y, scoring="accuracy", random_state=0)
            for kind, data in (("linear", X), ("precomputed", X @ X.T))
        )
        assert plain.estimate == kernel.estimate

    def test_frames_and_sparse_matrices(self, queries):
        X, y, qid = queries
        plain = ranked(queries, Ridge())
        thin = ranked((sparse.csr_array(X), y, qid), Ridge())
        assert thin.estimate["map"] == pytest.approx(plain.estimate["map"], abs=0.01)
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame(X, columns=list("abc"), index=np.arange(300)[::-1])
        columns = (pd.Series(part, frame.index) for part in (y, qid))
        assert ranked((frame, *columns), Ridge()).estimate == plain.estimate

    def test_imbalanced_learn(self, queries):
        pytest.importorskip("imblearn")
        from imblearn.over_sampling import RandomOverSampler
        from imblearn.pipeline import make_pipeline as make_resampling_pipeline

        X, y, qid = queries
        relevant = (y > 1).astype(int)
        plain = LogisticRegression()
        model = make_resampling_pipeline(RandomOverSampler(random_state=0), plain)
        options = {"scoring": "recall", "method": "stratified"}
        result, other = (evaluate(m, X, relevant, **options) for m in (model, plain))
        assert result.estimate["recall"] > other.estimate["recall"]
        assert ranked((X, relevant, qid), model, "p@3").unit == "query"

    def test_a_bare_ranker_with_qid(self, queries):
        xgboost = pytest.importorskip("xgboost")
        model = xgboost.XGBRanker(n_estimators=5, n_jobs=1)
        options = {"scoring": "ndcg@5", "method": "bootstrap", "n_splits": 3}
        bare = ranked(queries, model, **options)
        assert bare.estimate == ranked(queries, QueryRanker(model), **options).estimate

    def test_a_bare_ranker_with_group_sizes_is_refused(self, queries):
        ranker = pytest.importorskip("lightgbm").LGBMRanker()
        for model in (ranker, make_pipeline(StandardScaler(), ranker)):
            message = "'group', which cannot be split .*Query"
            with pytest.raises(ValueError, match=message):
                ranked(queries, model)


class TestMetadata:
    def test_nested_search_splits_by_query(self, queries):
        X, y, qid = queries
        X = np.column_stack([qid, X])
        options = {"cv": 3, "scoring": get_scorer("ndcg@5"), "error_score": "raise"}
        search = GridSearchCV(InnerSpy(), {"alpha": [1.0, 10.0]}, **options)
        InnerSpy.seen = []
        result = ranked(
            (np.column_stack([qid, X]), y, qid), search, "ndcg@5", n_splits=3
        )
        assert np.isfinite(result.estimate["ndcg@5"])
        # 3 outer folds, in each 2 candidates in 3 inner folds and a last fit.
        assert len(InnerSpy.seen) == 3 * (2 * 3 + 1)
        assert all(not fitted & scored for fitted, scored in InnerSpy.seen)
        assert search.cv == 3

    def test_nested_search_by_a_split_request(self, queries):
        with config_context(enable_metadata_routing=True):
            cv = GroupKFold(3).set_split_request(groups="qid")
        options = {"cv": cv, "scoring": get_scorer("ndcg@5"), "error_score": "raise"}
        grid = {"estimator__alpha": [1, 10]}
        search = GridSearchCV(QueryRanker(Ridge()), grid, **options)
        result = ranked(queries, search, "ndcg@5", method="bootstrap632", n_splits=3)
        assert np.isfinite(result.estimate["ndcg@5"])

    def test_an_inner_cv_that_cuts_queries_warns(self, queries):
        search = GridSearchCV(Ridge(), {"alpha": [1, 10]}, cv=KFold(3))
        with pytest.warns(UserWarning, match="the inner cv=.* splits queries"):
            ranked(queries, search, n_splits=2)
        # What is no search keeps its folds.
        assert np.isfinite(ranked(queries, LassoCV(cv=3), n_splits=2).estimate["map"])

    @pytest.mark.parametrize("routing", [False, True])
    def test_the_global_switch_changes_nothing(self, queries, routing):
        plain = ranked(queries)
        with config_context(enable_metadata_routing=routing):
            assert ranked(queries).estimate == plain.estimate

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
            model, X, y, scoring="r2", params={"sample_weight": weight}, method=KFold(3)
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
        plain = make_pipeline(StandardScaler(), Ridge())
        weight = np.where(X[:, 1] > 0, 1.0, 1e-9)
        options = {"scoring": "r2", "method": KFold(3)}
        by_request, by_name, by_step = (
            evaluate(model, X, y, **given, **options).split_scores["r2"]
            for model, given in (
                (make_pipeline(scaler, step), {"params": {"sample_weight": weight}}),
                (plain, {"params": {"sample_weight": weight}}),
                (plain, {"params": {"ridge__sample_weight": weight}}),
            )
        )
        assert_allclose(by_request, by_name)
        assert_array_equal(by_step, by_name)

    def test_params_are_cut_into_folds(self, queries):
        X, y, _ = queries

        class Offset(Duck):
            def fit(self, X, y, offset, other="x"):
                assert len(offset) == len(y) == 240
                assert other == "y"
                return super().fit(X, y)

        params = {"offset": np.zeros(300), "other": "y"}
        evaluate(Offset(), X, y, scoring="r2", params=params)

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
            evaluate(nothing, X, y, params={"sample_weight": weight}, **options)

    def test_params_of_none(self, queries):
        X, y, _ = queries
        assert evaluate(Ridge(), X, y, scoring="r2", params={"groups_": None}).estimate


class InnerSpy(Ridge):
    seen = []

    def fit(self, X, y):
        self.fitted_on_ = set(X[:, 0])
        return super().fit(X, y)

    def predict(self, X):
        InnerSpy.seen.append((self.fitted_on_, set(X[:, 0])))
        return super().predict(X)


class TestFailures:
    @pytest.fixture
    def rows(self):
        rng = np.random.default_rng(0)
        X = np.column_stack([np.arange(40), rng.normal(size=40)])
        return X, X[:, 1] + rng.normal(size=40)

    @pytest.mark.parametrize("n_jobs", [None, 2])
    def test_the_rest_is_kept(self, rows, n_jobs):
        options = {"scoring": "r2", "method": KFold(4), "error_score": np.nan}
        message = "1 of 4 splits failed. Set error_score='raise'(.|\n)*row 0 is"
        with pytest.warns(FitFailedWarning, match=message):
            result = evaluate(NeedsRow0(), *rows, n_jobs=n_jobs, **options)
        assert list(result.failures) == [0]
        assert "row 0 is not here" in result.failures[0]
        scores = result.split_scores["r2"]
        assert np.isnan(scores[0])
        assert result.estimate["r2"] == pytest.approx(scores[1:].mean())
        assert "Training failed in 1 of 4 splits (0): see .failures." in repr(result)
        assert set(result.predictions.split) == {1, 2, 3}

    @pytest.mark.parametrize("method", ["kfold", "bootstrap", "bootstrap632"])
    def test_a_number_does_not_count_in_a_pool(self, rows, method):
        options = {"scoring": "r2", "aggregate": "pooled", "random_state": 0}
        options |= {"method": method, "n_splits": 5}
        with pytest.warns(FitFailedWarning):
            left_out, as_number = (
                evaluate(NeedsRow0(), *rows, error_score=error_score, **options)
                for error_score in (np.nan, -1)
            )
        assert as_number.estimate == left_out.estimate
        assert as_number.confidence_interval == left_out.confidence_interval
        assert_array_equal(as_number.split_scores["r2"], left_out.split_scores["r2"])

    def test_queries_of_a_failed_split(self, queries):
        X, y, qid = queries
        X = np.column_stack([np.arange(300), X])
        with pytest.warns(FitFailedWarning):
            left_out, as_zero = (
                ranked(
                    (X, y, qid), NeedsRow0(), method=GroupKFold(5), error_score=score
                )
                for score in (np.nan, 0.0)
            )
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

        options = {"scoring": picky, "method": KFold(4), "error_score": 0}
        with pytest.warns(FitFailedWarning, match="nothing here"):
            result = evaluate(Ridge(), *rows, **options)
        assert_array_equal(result.split_scores["picky"], [0, 1, 1, 1])


class TestLongWork:
    def test_same_result_for_every_n_jobs(self, queries):
        options = {"scoring": ["ndcg@5", "r2"], "method": "bootstrap632+"}
        options |= {"model": DecisionTreeRegressor(max_features=1), "n_splits": 4}
        one, two = (ranked(queries, n_jobs=n, **options) for n in (1, 2))
        assert one.estimate == two.estimate
        assert one.confidence_interval == two.confidence_interval
        other = ranked(queries, **options | {"random_state": 1})
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
        ranked(queries, progress=True, n_jobs=n_jobs)
        shown = capsys.readouterr().err
        assert "evaluate: 100%" in shown
        assert "5/5" in shown

    def test_progress_without_tqdm(self, queries, monkeypatch):
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
        with pytest.raises(ImportError, match="progress=True needs tqdm"):
            ranked(queries, progress=True)


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
            ({"n_splits": 151}, "n_splits=151 greater than the number of samples"),
            ({"n_splits": 1}, "n_splits must be an integer >= 2; got 1"),
            ({"method": "holdout", "n_splits": 2}, "n_splits=2 requires .*'subsampl"),
            ({"method": "loocv", "n_splits": 2}, "n_splits=2 requires .*; got 'loocv'"),
            (
                {"method": HoldoutSplit(test_size=150)},
                "test_size=150 should be .* smaller than the number of samples 150",
            ),
            (
                {
                    "method": HoldoutSplit(test_size=9),
                    "qid": np.repeat([1, 2, 3], 50),
                },
                "test_size=9 should be .* smaller than the number of samples 3",
            ),
            ({"method": KFold(3), "n_splits": 4}, r"n_splits=4 requires .*; got KFold"),
            ({"method": KFoldOfNothing(3)}, "makes no splits"),
            ({"method": [(np.arange(9), np.arange(5))]}, "puts rows on both sides"),
            (
                {"method": LeaveOneOut(), "interval": "corrected_t"},
                "interval='corrected_t' needs several splits",
            ),
            (
                {"qid": np.arange(3)},
                "qid must have one id per row: expected 150; got 3",
            ),
            ({"qid": np.full(150, np.nan)}, "qid must not contain missing"),
            ({"qid": np.repeat([1, 2, 3], 50)}, "n_splits=5 greater .* groups: 3"),
            (
                {"qid": np.ones(150), "method": "bootstrap"},
                "at least two rows or groups",
            ),
            ({"scoring": "ndgc"}, "the nearest names are .*ndcg"),
            ({"scoring": ["map", "map"]}, "two measures named 'map'"),
            ({"y": np.ones(149)}, "y must have one entry per row of X"),
            ({"params": {"offset": [0]}}, r"params must reach .* \['offset'\]"),
            ({"params": {"qid": [0]}}, r"params must not hold \['qid'\]"),
            (
                {
                    "estimator": KNeighborsClassifier(),
                    "params": {"sample_weight": np.ones(150)},
                },
                "sample_weight must be accepted by",
            ),
        ],
    )
    def test_bad_values(self, cancer, options, message):
        X, y = cancer
        given = {"estimator": CountingNB(), "X": X, "y": y, "scoring": "accuracy"}
        with pytest.raises(ValueError, match=message):
            evaluate(**{**given, **options})

    def test_queries_of_rows_that_are_rankings(self, cancer):
        X, y = cancer
        Y = np.column_stack([y, 1 - y])
        with pytest.raises(ValueError, match="y must be 1-D or 2-D"):
            evaluate(CountingNB(), X, Y[..., np.newaxis], scoring="r2")

    def test_one_class_in_a_training_side(self, cancer):
        X, y = cancer[0], np.sort(cancer[1])
        y[:] = 0
        y[-10:] = 1
        with pytest.raises(ValueError, match="training data of split 4 .* class"):
            evaluate(CountingNB(), X, y, scoring="accuracy", method=KFold(5))


class TestStratify:
    def test_array(self, queries):
        X, y, _ = queries
        kind = np.arange(300) % 3
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        method = list(folds.split(X, kind))
        result = evaluate(Ridge(), X, y, scoring="r2", method=method)
        for i in range(5):
            rows = result.predictions.row[result.predictions.split == i]
            assert set(np.bincount(kind[rows])) == {20}

    def test_repeats(self, queries):
        X, y, qid = queries
        result = ranked(queries, method=QueryKFold(4, n_repeats=3, shuffle=True))
        assert len(result.fit_time) == result.cv.get_n_splits() == 12
        assert_array_equal(np.bincount(result.query_scores.query_ids // 7), 3)
        assert len(np.unique(result.split_scores["map"])) == 12
        options = {"method": RepeatedKFold(n_repeats=2), "random_state": 1}
        rows = evaluate(Ridge(), X, y, scoring="r2", **options)
        cv = RepeatedKFold(n_splits=5, n_repeats=2, random_state=1)
        for folds in (cv, rows.cv):
            theirs = cross_validate(Ridge(), X, y, cv=folds)
            assert_array_equal(rows.split_scores["r2"], theirs["test_score"])


def test_inputs_are_not_changed(queries):
    copies = [part.copy() for part in queries]
    grid, scorer = {"estimator__alpha": [1]}, get_scorer("map")
    model = GridSearchCV(QueryRanker(Ridge()), grid, cv=3, scoring=scorer)
    before = pickle.dumps(model)
    ranked(copies, model, method="bootstrap632+", n_splits=2)
    assert pickle.dumps(model) == before
    for part, original in zip(copies, queries, strict=True):
        assert_array_equal(part, original)
