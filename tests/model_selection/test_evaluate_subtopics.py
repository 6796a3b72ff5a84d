"""Measures of subtopics in searches, evaluations and comparisons of models."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import config_context
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold

import sklearn_irmetrics as irm
from sklearn_irmetrics import QueryRanker
from sklearn_irmetrics.model_selection import StratifiedQueryKFold, evaluate

NAMES = ["alpha_ndcg@5", "subtopic_recall@2", "err_ia@5", "nrbp", "map_ia", "p_ia@3"]


@pytest.fixture(scope="module")
def task():
    """Documents of 30 queries that hold some of 3 subtopics; rows in no order."""
    rng = np.random.default_rng(0)
    qid = rng.permutation(np.repeat(np.arange(30), 8))
    X = rng.standard_normal((len(qid), 4))
    y = (X[:, :3] + rng.standard_normal((len(qid), 3)) > 1).astype(int)
    y[np.unique(qid, return_index=True)[1], 0] = 1
    return X, y, qid


def test_search_with_ids_in_a_column(task):
    X, y, qid = task
    search = GridSearchCV(
        QueryRanker(Ridge(), qid=-1),
        {"estimator__alpha": [0.1, 1e5]},
        scoring=irm.get_scorers(NAMES, qid=-1),
        refit="err_ia@5",
        cv=list(GroupKFold(3).split(X, groups=qid)),
        error_score="raise",
    ).fit(np.column_stack([X, qid]), y)
    plain = Ridge(alpha=0.1)
    folds = GroupKFold(3).split(X, groups=qid)
    for i, (train, test) in enumerate(folds):
        y_score = plain.fit(X[train], y[train].max(axis=1)).predict(X[test])
        for name in NAMES:
            expected = irm.Measure(name)(y[test], y_score, qid=qid[test])
            found = search.cv_results_[f"split{i}_test_{name}"][0]
            assert found == pytest.approx(expected)


def test_ranker_learns_the_largest_grade(task):
    X, y, qid = task
    grades = y * [1, 2, 3]
    ours = QueryRanker(Ridge()).fit(X, grades, qid)
    expected = QueryRanker(Ridge()).fit(X, grades.max(axis=1), qid)
    assert_allclose(ours.predict(X), expected.predict(X))
    assert ours.score(X, grades, qid) == expected.score(X, grades.max(axis=1), qid)
    proba = QueryRanker(LogisticRegression()).fit(X, y, qid)
    assert proba.predict(X).shape == (len(X),)


def test_predictions_of_all_subtopics_are_refused(task):
    X, y, qid = task
    scorer = irm.get_scorer("alpha_ndcg@5")
    with config_context(enable_metadata_routing=True):
        with pytest.raises(ValueError, match="y_score must be 1-D.*one grade per"):
            scorer(Ridge().fit(X, y), X, y, qid=qid)
        with pytest.raises(ValueError, match="needs query ids"):
            scorer(QueryRanker(Ridge()).fit(X, y, qid), X, y)
    with pytest.raises(ValueError, match="y_score must be 1-D.*one grade per document"):
        evaluate(Ridge(), X, y, scoring="p_ia@3", qid=qid)
    with pytest.raises(ValueError, match=r"y must have the shape .*for p_ia@3"):
        evaluate(Ridge(), X, y[:, 0], scoring="p_ia@3", qid=qid)
    with pytest.raises(ValueError, match="needs their ids"):
        evaluate(QueryRanker(Ridge()), X, y, scoring="p_ia@3")
    with pytest.raises(ValueError, match="qid must be None with 2-D y"):
        evaluate(QueryRanker(Ridge()), X, y, scoring="ndcg@3", qid=qid)


def test_evaluate(task):
    X, y, qid = task
    model = QueryRanker(Ridge())
    options = {"qid": qid, "n_splits": 3, "random_state": 0}
    result = evaluate(model, X, y, scoring=[*NAMES, "ndcg@5", "r2"], **options)
    expected = evaluate(model, X, y.max(axis=1), scoring=["ndcg@5", "r2"], **options)
    for name in ("ndcg@5", "r2"):
        assert result.estimate[name] == pytest.approx(expected.estimate[name])
    for name in NAMES:
        low, high = result.confidence_interval[name]
        assert 0 < low < result.estimate[name] < high < 1.6


def test_weights_of_queries_go_into_folds(task):
    X, y, qid = task
    rng = np.random.default_rng(1)
    _, query = np.unique(qid, return_inverse=True)
    weights = rng.choice([0.5, 1.0, 10.0], (query.max() + 1, y.shape[1]))[query]
    shuffled = rng.permutation(len(qid))
    X, y, qid, weights = X[shuffled], y[shuffled], qid[shuffled], weights[shuffled]
    names = ["alpha_ndcg@5", "err_ia(normalize=True)@5", "map_ia"]
    params = {"subtopic_weight": weights}
    found = evaluate(
        lambda X: X[:, 0], X, y, scoring=names, qid=qid, n_splits=3, params=params
    )
    marked = irm.score_queries(y, X[:, 0], names, qid=qid, marks=params)
    equal = irm.score_queries(y, X[:, 0], names, qid=qid)
    for name in names:
        assert found.estimate[name] == pytest.approx(marked.mean[name])
        assert found.estimate[name] != pytest.approx(equal.mean[name])
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            QueryRanker(Ridge()),
            {"estimator__alpha": [0.1]},
            scoring=irm.get_scorer("map_ia"),
            cv=irm.model_selection.QueryKFold(3),
            error_score="raise",
        ).fit(X, y, qid=qid, **params)
        named = irm.get_scorer("map_ia(subtopic_weight=[1, 2, 0])")
        model = QueryRanker(Ridge()).fit(X, y, qid)
        score = named(model, X, y, qid=qid)
    folds = irm.model_selection.QueryKFold(3).split(X, y, qid=qid)
    for i, (train, test) in enumerate(folds):
        ranker = QueryRanker(Ridge(alpha=0.1)).fit(X[train], y[train], qid[train])
        expected = irm.Measure("map_ia")(
            y[test],
            ranker.predict(X[test]),
            qid=qid[test],
            subtopic_weight=weights[test],
        )
        found = search.cv_results_[f"split{i}_test_score"][0]
        assert found == pytest.approx(expected)
    expected = irm.Measure("map_ia")(
        y, model.predict(X), qid=qid, subtopic_weight=[1, 2, 0]
    )
    assert score == pytest.approx(expected)


@pytest.mark.parametrize(
    ("method", "n_splits"),
    [
        ("bootstrap632+", 3),
        ("stratified", 3),
        (StratifiedQueryKFold(3, stratify="n_relevant", shuffle=True), None),
        ("holdout", None),
    ],
)
def test_other_methods(task, method, n_splits):
    X, y, qid = task
    options = {"scoring": "alpha_ndcg@5", "random_state": 0}
    options |= {"method": method, "n_splits": n_splits}
    result = evaluate(QueryRanker(Ridge()), X, y, qid=qid, **options)
    assert 0.3 < result.estimate["alpha_ndcg@5"] < 1
