"""Early stopping on queries that each fit holds out, and grades with gaps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from oracles.boosters import LIBRARIES, fit_by_hand, make_model
from sklearn_irmetrics import QueryRanker, ndcg_score
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import QueryKFold, evaluate

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
def data():
    return make_ranking(n_queries=45, n_docs=(5, 20), random_state=0)


def stopping_model(library):
    return make_model(library, 60, **STOPPING[library])


@pytest.mark.parametrize("library", LIBRARIES)
def test_early_stopping_in_folds_is_that_of_a_loop(data, library):
    X, y, qid = data
    ranker = QueryRanker(
        stopping_model(library), validation_fraction=SHARE, random_state=SEED
    )
    folds = list(QueryKFold(3).split(X, y, qid=qid))
    by_hand, rounds = [], []
    splitter = GroupShuffleSplit(1, test_size=SHARE, random_state=SEED)
    for train, test in folds:
        (sides,) = splitter.split(X[train], y[train], qid[train])
        learn, stop = ([x[train][side] for x in data] for side in sides)
        model = fit_by_hand(stopping_model(library), *learn, valid=stop)
        score = model.predict(X[test])
        by_hand.append(ndcg_score(y[test], score, k=10, qid=qid[test]))
        fitted = ranker.fit(X[train], y[train], qid=qid[train])
        rounds.append(fitted.best_iteration_)
        assert_array_equal(fitted.predict(X[test]), score)
    assert max(rounds) < 50
    found = evaluate(ranker, X, y, scoring="ndcg@10", method=folds, qid=qid)
    assert_allclose(found.split_scores["ndcg@10"], by_hand)


def test_which_queries_are_held_out(data):
    X, y, qid = data
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
        (None, {}, {"eval_set": [(0, 0)]}, "must be None where .* got eval_set"),
        (None, {}, {"init_score": [0]}, "must be None where .* got init_score"),
        (None, {}, {"qid": None}, "fit of LGBMRanker needs query ids"),
        (None, {}, {"qid": [1]}, "qid must have one entry per row of X"),
        (None, {"validation_fraction": 0.001}, {"y": [1]}, "y must have one entry"),
    ],
)
def test_what_cannot_be_held_out(data, estimator, params, fit_params, message):
    X, y, qid = data
    estimator = make_model("lightgbm") if estimator is None else estimator
    ranker = QueryRanker(estimator, **{"validation_fraction": 0.2, **params})
    arguments = {"y": y, "qid": qid, **fit_params}
    if message is None:
        ranker.fit(X, **arguments)
        return
    with pytest.raises((TypeError, ValueError), match=message):
        ranker.fit(X, **arguments)


@pytest.mark.parametrize("grades", [[0, 1, 2, 4], [0.0, 2.0], [1, 5, 6, 9]])
def test_grades_with_gaps_for_a_classifier_of_xgboost(data, grades):
    X, y, qid = data
    given = np.asarray(grades)[np.minimum(y, len(grades) - 1)]
    places = np.searchsorted(grades, given)
    ranker = QueryRanker(make_model("xgboost", kind="Classifier"))
    ranker.fit(X, given, qid=qid, eval_set=[(X, given)], eval_qid=[qid])
    by_hand = make_model("xgboost", kind="Classifier").fit(X, places).predict_proba(X)
    assert_allclose(ranker.predict(X), by_hand @ grades)
    other = np.where(given == grades[-1], 7, given)
    with pytest.raises(ValueError, match="eval_set must hold grades that X has.*got 7"):
        ranker.fit(X, given, qid=qid, eval_set=[(X, other)], eval_qid=[qid])
