"""LightGBM, XGBoost and CatBoost inside QueryRanker, on real and generated data."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from oracles.boosters import LIBRARIES, fit_by_hand, make_model
from sklearn_irmetrics import get_scorer, ndcg_score
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.estimators import QueryRanker


def make_ranker(library, n_estimators=12, **params):
    return make_model(library, n_estimators, **params)


SCORING = {"scoring": "ndcg@10", "replace_undefined_by": 0.0}


def ndcg_by_hand(y, score, qid):
    return ndcg_score(y, score, k=10, qid=qid, replace_undefined_by=0.0)


@pytest.fixture(scope="module")
def generated():
    """Queries of very different lengths; ids descend, some queries have no grade."""
    X, y, qid = make_ranking(n_queries=40, n_docs=(1, 30), random_state=0)
    y = np.where(qid % 7 == 3, 0, y)
    return X, y, 1000 - qid


# The same as by hand


@pytest.mark.parametrize("library", ["sklearn", *LIBRARIES])
@pytest.mark.parametrize("routing", [True, False])
@pytest.mark.parametrize("where", ["bare", "around", "inside"])
def test_a_search_scores_folds_as_by_hand(generated, library, routing, where):
    X, y, qid = generated
    model = Ridge() if library == "sklearn" else make_ranker(library)
    name, values = ("alpha", [1, 99]) if library == "sklearn" else ("depth", [2, 4])
    name = {"depth": "max_depth"}.get(name, name) if library != "catboost" else name
    folds = list(GroupKFold(3).split(X, y, qid))
    by_hand = []
    for value in values:
        for train, test in folds:
            scaler = StandardScaler().fit(X[train])
            A, B = (
                X[rows] if where == "bare" else scaler.transform(X[rows])
                for rows in (train, test)
            )
            model.set_params(**{name: value})
            fitted = fit_by_hand(model, A, y[train], qid[train])
            by_hand.append(ndcg_by_hand(y[test], fitted.predict(B), qid[test]))
    column = None if routing else X.shape[1]
    features = list(range(X.shape[1]))
    X = X if routing else np.column_stack([X, qid])
    if where == "inside":
        scale = ColumnTransformer(
            [("scale", StandardScaler(), features)], remainder="passthrough"
        )
        estimator = Pipeline([("scale", scale), ("r", QueryRanker(model, qid=column))])
        name = f"r__estimator__{name}"
    elif where == "around":
        inner = Pipeline([("scale", StandardScaler()), ("model", model)])
        estimator, name = QueryRanker(inner, qid=column), f"estimator__model__{name}"
    else:
        estimator, name = QueryRanker(model, qid=column), f"estimator__{name}"
    with config_context(enable_metadata_routing=routing):
        search = GridSearchCV(
            estimator,
            {name: values},
            scoring=get_scorer(**SCORING, qid="metadata" if routing else column),
            cv=GroupKFold(3).set_split_request(groups="qid") if routing else folds,
            error_score="raise",
            refit=False,
        ).fit(X, y, **({"qid": qid} if routing else {}))
    results = search.cv_results_
    scores = [results[f"split{i}_test_score"][c] for c in range(2) for i in range(3)]
    assert_allclose(scores, by_hand, rtol=1e-9)


@pytest.mark.parametrize("library", LIBRARIES)
def test_shuffled_rows_give_the_same_model(generated, library):
    X, y, qid = generated

    def ranked(rows):
        ranker = QueryRanker(make_ranker(library))
        return ranker.fit(X[rows], y[rows], qid=qid[rows]).predict(X)

    def by_hand(rows):
        model = make_ranker(library)
        return fit_by_hand(model, X[rows], y[rows], qid[rows]).predict(X)

    together = np.arange(len(y))[::-1]
    expected = by_hand(together)
    assert_array_equal(ranked(together), expected)
    # Rows of different queries change places; inside a query libraries see an order.
    rng = np.random.default_rng(0)
    place = rng.permutation(len(y))
    for i in np.unique(qid):
        place[qid == i] = np.sort(place[qid == i])[::-1]
    order = np.argsort(place)
    assert np.any(np.diff(qid[order]) > 0)
    assert_array_equal(ranked(order), expected)
    anyhow = rng.permutation(len(y))
    by_id = anyhow[np.argsort(qid[anyhow], kind="stable")]
    assert_array_equal(ranked(anyhow), by_hand(by_id))


@pytest.mark.parametrize("library", LIBRARIES)
def test_weights_as_by_hand(generated, library):
    X, y, qid = generated
    weight = np.linspace(0.5, 3, 40)
    by_row = weight[1000 - qid]
    for order in (slice(None), np.random.default_rng(0).permutation(len(y))):
        rows = np.arange(len(y))[order]
        if not isinstance(order, slice):
            rows = rows[np.argsort(qid[rows], kind="stable")]
        _, first = np.unique(qid[rows], return_index=True)
        by_hand = fit_by_hand(
            make_ranker(library),
            X[rows],
            y[rows],
            qid[rows],
            query_weight=by_row[rows][np.sort(first)],
        )
        fitted = QueryRanker(make_ranker(library)).fit(
            X[order], y[order], qid=qid[order], sample_weight=by_row[order]
        )
        assert_array_equal(fitted.predict(X), by_hand.predict(X))
    plain = QueryRanker(make_ranker(library)).fit(X, y, qid=qid)
    assert np.any(plain.predict(X) != fitted.predict(X))


@pytest.mark.parametrize("library", LIBRARIES)
def test_sparse_and_dataframe(generated, library):
    pd = pytest.importorskip("pandas")
    X, y, qid = generated
    order = np.random.default_rng(0).permutation(len(y))
    by_id = order[np.argsort(qid[order], kind="stable")]
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
    for features, take in (
        (sp.csr_matrix(np.where(X > 0.3, X, 0)), lambda X, rows: X[rows]),
        (frame, lambda X, rows: X.iloc[rows]),
    ):
        fitted = QueryRanker(make_ranker(library)).fit(
            take(features, order), y[order], qid=qid[order]
        )
        by_hand = fit_by_hand(
            make_ranker(library), take(features, by_id), y[by_id], qid[by_id]
        )
        assert_array_equal(fitted.predict(features), by_hand.predict(features))
    named = frame.assign(query=[f"q{i}" for i in qid])
    fitted = QueryRanker(make_ranker(library), qid="query").fit(named, y)
    by_hand = fit_by_hand(make_ranker(library), frame, y, qid)
    assert_array_equal(fitted.predict(named), by_hand.predict(frame))


# Validation sets


@pytest.fixture(scope="module")
def parts(generated):
    """Training rows and two validation sets, shuffled."""
    X, y, qid = generated
    order = np.random.default_rng(3).permutation(len(y))
    X, y, qid = X[order], y[order], qid[order]
    part = qid % 4
    return [(X[m], y[m], qid[m]) for m in (part < 2, part == 2, part == 3)]


def fit_with_validation(model, parts, **fit_params):
    (X, y, qid), *valid = parts
    return QueryRanker(model).fit(
        X,
        y,
        qid=qid,
        eval_set=[part[:2] for part in valid],
        eval_qid=[part[2] for part in valid],
        **fit_params,
    )


def sorted_by_query(X, y, qid):
    """What the library sees: ties go by the order of rows."""
    order = np.argsort(qid, kind="stable")
    return X[order], y[order], qid[order]


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
@pytest.mark.parametrize("all_defined", [True, False])
def test_weighted_ndcg_that_libraries_report(parts, library, all_defined):
    train, (X, y, qid), _ = parts
    if all_defined:
        found = np.isin(qid, qid[y > 0])
        X, y, qid = X[found], y[found], qid[found]
    params = {"eval_metric": "ndcg@5"} if library == "xgboost" else {}
    ranker = fit_with_validation(
        make_ranker(library, **params),
        [train, (X, y, qid)],
        eval_sample_weight=[1.0 + qid % 5],
    )
    (reported,) = ranker.estimator_.evals_result_.values()
    X, y, qid = sorted_by_query(X, y, qid)
    arguments = {"k": 5, "gain": "exponential", "ties": "stable", "qid": qid}
    score, weight = ranker.predict(X), 1.0 + qid % 5
    if all_defined:
        ours = ndcg_score(y, score, sample_weight=weight, **arguments)
    else:  # whatever its weight, a query with nothing to find adds 1 to the sum
        values = ndcg_score(y, score, average=None, **arguments)
        weight = weight[np.unique(qid, return_index=True)[1]]
        found = np.isfinite(values)
        ours = (weight[found] @ values[found] + np.sum(~found)) / weight.sum()
    assert reported["ndcg@5"][-1] == pytest.approx(ours, abs=1e-6)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("kind", ["Regressor", "Classifier"])
def test_regressors_and_graded_classifiers(parts, library, kind):
    (X, y, qid), (A, b, q), _ = parts
    stop = "early_stopping_round" + "s" * (library != "lightgbm")
    model = make_model(library, 20, kind, **{stop: 5})
    ranker = QueryRanker(model).fit(X, y, qid=qid, eval_set=[(A, b)])
    fitted = ranker.estimator_
    if kind == "Regressor":
        expected = fitted.predict(A)
    else:
        expected = fitted.predict_proba(A) @ np.unique(y)
    assert_allclose(ranker.predict(A), expected)
    chance = ndcg_by_hand(b, np.zeros(len(b)), q)
    assert ndcg_by_hand(b, ranker.predict(A), q) > chance + 0.1


# What new users try


@pytest.mark.filterwarnings("ignore:Failed to import numba")
@pytest.mark.filterwarnings("ignore:average_precision_score is undefined")
def test_catboost_with_categories_in_a_search(generated):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("catboost")
    X, y, qid = generated
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
    frame["cat"] = np.where(y > 1, "good", "bad")
    model = make_ranker("catboost", cat_features=["cat"])  # some versions copy the list
    folds = list(GroupKFold(2).split(X, y, qid))
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            QueryRanker(model, eval_metric="map"),
            {"estimator__depth": [2, 3]},
            scoring=get_scorer(**SCORING),
            cv=folds,
            error_score="raise",
        ).fit(frame, y, qid=qid)
    assert search.best_score_ > 0.7  # a seventh of the queries counts 0
    best = clone(search.best_estimator_).fit(
        frame, y, qid=qid, eval_set=[(frame, y)], eval_qid=[qid]
    )
    assert best.evals_result_["validation"]["map"][-1] > 0.8


class ColumnRegressor(RegressorMixin, BaseEstimator):
    """Predicts one column, as networks do."""

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.asarray(X)[:, :1]


def test_a_column_of_predictions_is_scored_by_query(generated):
    X, y, qid = generated
    scorer = get_scorer(**SCORING)
    model = ColumnRegressor().fit(X, y)
    expected = ndcg_score(y, X[:, 0], k=10, qid=qid, replace_undefined_by=0.0)
    assert 0 < expected < 1
    with config_context(enable_metadata_routing=True):
        for target in (y, y[:, None]):
            assert scorer(model, X, target, qid=qid) == pytest.approx(expected)
    ranker = QueryRanker(ColumnRegressor()).fit(X, y, qid=qid)
    assert_array_equal(ranker.predict(X), X[:, 0])
    with pytest.raises(ValueError, match="query ids|query of one document"):
        scorer(model, X, y[:, None])
