"""A scorer notices queries of which the ranker was fitted on other rows."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn import config_context
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_irmetrics import get_scorer
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.model_selection import BootstrapSplit, QueryKFold, evaluate

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
