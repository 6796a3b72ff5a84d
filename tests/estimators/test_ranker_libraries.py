"""LightGBM, XGBoost and CatBoost inside QueryRanker; queries held out or seen."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    cross_validate,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from oracles.boosters import LIBRARIES, fit_by_hand, make_model
from sklearn_irmetrics import QueryRanker, get_scorer, ndcg_score
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import BootstrapSplit, QueryKFold, evaluate


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
@pytest.mark.filterwarnings("ignore:map is undefined in")
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
            QueryRanker(model),
            {"estimator__depth": [2, 3]},
            scoring=get_scorer(**SCORING),
            cv=folds,
            error_score="raise",
        ).fit(frame, y, qid=qid)
    assert search.best_score_ > 0.7  # a seventh of the queries counts 0
    best = clone(search.best_estimator_).set_params(eval_metric="map")
    best.fit(frame, y, qid=qid, eval_set=[(frame, y)], eval_qid=[qid])
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


# Queries that were seen -------------------------------------------------------------


CUT = "the folds cut through queries"


@pytest.fixture(scope="module")
def data():
    X, y, qid = make_ranking(n_queries=30, n_docs=(6, 12), random_state=0)
    y[np.unique(qid, return_index=True)[1]] = 1
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order], qid[order]


KINDS = {
    "int": lambda qid: qid,
    "negative": lambda qid: -qid - 1,
    "float": lambda qid: qid.astype(float),
    "negative float": lambda qid: -qid - 1.0,
    "text": lambda qid: np.array([f"q{q}" for q in qid]),
}


@pytest.mark.parametrize("pipeline", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_folds_that_cut_queries_are_told(data, pipeline, kind):
    X, y, qid = data
    model = QueryRanker(Ridge())
    model = make_pipeline(StandardScaler(), model) if pipeline else model
    ids = KINDS[kind](qid)
    first, other = (get_scorer("ndcg", replace_undefined_by=0.0) for _ in range(2))
    with config_context(enable_metadata_routing=True):
        use = {"cv": 3, "error_score": "raise"}
        with pytest.warns(UserWarning, match=CUT):
            cross_validate(model, X, y, params={"qid": ids}, scoring=first, **use)
        with pytest.warns(UserWarning, match=r"cv=QueryKFold\(5\)"):
            GridSearchCV(model, {}, scoring=other, **use).fit(X, y, qid=ids)


@pytest.mark.parametrize("cv", [QueryKFold(3), BootstrapSplit(5, random_state=0)])
@pytest.mark.parametrize("kind", KINDS)
def test_whole_queries_are_silent(data, cv, kind):
    """Training scores too, those of the refitted model and of a copy of it."""
    X, y, qid = data
    scorer, ids = get_scorer("ndcg", replace_undefined_by=0.0), KINDS[kind](qid)
    with config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("error")
        use = {"scoring": scorer, "error_score": "raise", "return_train_score": True}
        cross_validate(QueryRanker(Ridge()), X, y, cv=cv, params={"qid": ids}, **use)
        search = GridSearchCV(QueryRanker(Ridge()), {}, cv=cv, **use)
        search.fit(X, y, qid=ids)
        search.score(X, y, qid=ids)
        order = np.argsort(qid, kind="stable")
        scorer(pickle.loads(pickle.dumps(search)), X[order], y[order], qid=ids[order])
        scorer(search, X, y, qid=np.char.add("other ", ids.astype(str)))


def test_a_column_of_ids(data):
    X, y, qid = data
    with_ids = np.column_stack([qid, X])
    model = QueryRanker(Ridge(), qid=0)
    scorer = get_scorer("ndcg", qid=0, replace_undefined_by=0.0)
    with pytest.warns(UserWarning, match=CUT):
        cross_validate(model, with_ids, y, cv=KFold(3), scoring=scorer)
    folds = list(QueryKFold(3).split(X, y, qid))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cross_validate(model, with_ids, y, cv=folds, scoring=scorer)


def test_other_estimators_tell_nothing(data):
    X, y, qid = data
    scorer = get_scorer("ndcg", replace_undefined_by=0.0)
    with config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("error")
        scorer(Ridge().fit(X[::2], y[::2]), X[1::2], y[1::2], qid=qid[1::2])
        without = QueryRanker(Ridge()).fit(X[::2], y[::2])
        scorer(without, X[1::2], y[1::2], qid=qid[1::2])


@pytest.mark.parametrize("method", ["kfold", "bootstrap", "bootstrap632+", "holdout"])
@pytest.mark.parametrize("scoring", ["ndcg", "gmap"])
def test_evaluate_keeps_queries_whole(data, method, scoring):
    """Its bootstrap numbers copies of queries anew, which are no ids of others."""
    X, y, qid = data
    options = {"n_splits": 4} if method.startswith("boot") else {}
    options |= {"qid": qid, "scoring": scoring, "method": method, "random_state": 0}
    model = make_pipeline(StandardScaler(), QueryRanker(Ridge()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate(model, X, y, return_train_score=True, **options)


# Queries held out -------------------------------------------------------------------


pytestmark = [
    pytest.mark.filterwarnings("ignore:Failed to import numba"),
    pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated"),
]
STOPPING = {
    "lightgbm": {"early_stopping_round": 3, "metric": "ndcg"},
    "xgboost": {"early_stopping_rounds": 3, "eval_metric": "ndcg@10"},
    "catboost": {"early_stopping_rounds": 3, "eval_metric": "NDCG"},
}
SHARE, SEED = 0.25, 3


@pytest.fixture(scope="module")
def stopped():
    return make_ranking(n_queries=45, n_docs=(5, 20), random_state=0)


def stopping_model(library):
    return make_model(library, 60, **STOPPING[library])


@pytest.mark.parametrize("library", LIBRARIES)
def test_early_stopping_in_folds_is_that_of_a_loop(stopped, library):
    X, y, qid = stopped
    ranker = QueryRanker(
        stopping_model(library), validation_fraction=SHARE, random_state=SEED
    )
    folds = list(QueryKFold(3).split(X, y, qid=qid))
    by_hand, rounds = [], []
    splitter = GroupShuffleSplit(1, test_size=SHARE, random_state=SEED)
    for train, test in folds:
        (sides,) = splitter.split(X[train], y[train], qid[train])
        learn, stop = ([x[train][side] for x in stopped] for side in sides)
        model = fit_by_hand(stopping_model(library), *learn, valid=stop)
        score = model.predict(X[test])
        by_hand.append(ndcg_score(y[test], score, k=10, qid=qid[test]))
        fitted = ranker.fit(X[train], y[train], qid=qid[train])
        rounds.append(fitted.best_iteration_)
        assert_array_equal(fitted.predict(X[test]), score)
    assert max(rounds) < 50
    found = evaluate(ranker, X, y, scoring="ndcg@10", method=folds, qid=qid)
    assert_allclose(found.split_scores["ndcg@10"], by_hand)


def test_which_queries_are_held_out(stopped):
    X, y, qid = stopped
    model = make_model("lightgbm", 20, **STOPPING["lightgbm"])
    ranker = QueryRanker(model, eval_metric="mrr", validation_fraction=SHARE)
    ranker.set_params(random_state=SEED).fit(X, y, qid=qid, sample_weight=1 + qid % 2)
    order = np.argsort(qid % 7, kind="stable")  # whole queries change places
    moved = ranker.fit(X[order], y[order], qid=qid[order]).predict(X)
    assert_array_equal(moved, ranker.fit(X, y, qid=qid).predict(X))
    assert ranker.n_queries_ == 45
    assert not np.array_equal(
        moved, ranker.set_params(random_state=1).fit(X, y, qid=qid).predict(X)
    )
    piped = make_pipeline(StandardScaler(), make_model("lightgbm", 20, "Regressor"))
    rows = QueryRanker(piped, validation_fraction=0.5, random_state=0).fit(X, y)
    (learn, _), *_ = GroupShuffleSplit(1, test_size=0.5, random_state=0).split(
        X, y, np.arange(len(y))
    )
    scaler = rows.estimator_[0]
    assert_allclose(scaler.mean_, X[learn].mean(axis=0))


@pytest.mark.parametrize(
    ("estimator", "params", "fit_params", "message"),
    [
        (Ridge(), {}, {}, "needs an estimator whose fit takes eval_set; got Ridge"),
        (None, {"validation_fraction": 0.999}, {}, "must leave queries on both sides"),
        (None, {}, {"eval_set": []}, None),
        (None, {}, {"eval_set": [(0, 0)]}, "must be None if .* got eval_set"),
        (None, {}, {"init_score": [0]}, "must be None if .* got init_score"),
        (None, {}, {"qid": None}, "fit of LGBMRanker needs query ids"),
        (None, {}, {"qid": [1]}, "qid must have one entry per row of X"),
        (None, {"validation_fraction": 0.001}, {"y": [1]}, "y must have one entry"),
    ],
)
def test_what_cannot_be_held_out(stopped, estimator, params, fit_params, message):
    X, y, qid = stopped
    estimator = make_model("lightgbm") if estimator is None else estimator
    ranker = QueryRanker(estimator, **{"validation_fraction": 0.2, **params})
    arguments = {"y": y, "qid": qid, **fit_params}
    if message is None:
        ranker.fit(X, **arguments)
        return
    with pytest.raises((TypeError, ValueError), match=message):
        ranker.fit(X, **arguments)


@pytest.mark.parametrize("grades", [[0, 1, 2, 4], [0.0, 2.0], [1, 5, 6, 9]])
def test_grades_with_gaps_for_a_classifier_of_xgboost(stopped, grades):
    X, y, qid = stopped
    given = np.asarray(grades)[np.minimum(y, len(grades) - 1)]
    places = np.searchsorted(grades, given)
    ranker = QueryRanker(make_model("xgboost", kind="Classifier"))
    ranker.fit(X, given, qid=qid, eval_set=[(X, given)], eval_qid=[qid])
    by_hand = make_model("xgboost", kind="Classifier").fit(X, places).predict_proba(X)
    assert_allclose(ranker.predict(X), by_hand @ grades)
    other = np.where(given == grades[-1], 7, given)
    with pytest.raises(ValueError, match="eval_set must hold grades that X has.*got 7"):
        ranker.fit(X, given, qid=qid, eval_set=[(X, other)], eval_qid=[qid])
