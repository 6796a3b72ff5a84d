"""`resample=` of `evaluate`: what is drawn, what is counted, what is left alone."""

from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline

from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.model_selection import evaluate

METHODS = ["holdout", "subsampling", "kfold", "stratified", "loocv"]
METHODS += ["bootstrap", "bootstrap632", "bootstrap632+"]
SEEN = []


class Ranker(RegressorMixin, BaseEstimator):
    """Keeps what it was fitted on."""

    def fit(self, X, y, qid=None):
        SEEN.append((X[:, 0].astype(int), np.asarray(y), qid))
        self.fitted_ = True
        return self

    def predict(self, X):
        return X[:, 1]


@pytest.fixture(scope="module")
def queries():
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(30), rng.integers(4, 9, 30))
    y = rng.poisson(0.4, len(qid)).clip(max=1)
    y[qid % 5 == 0] *= 2
    y[np.unique(qid, return_index=True)[1]] = 1
    rows = np.arange(len(qid))
    return np.column_stack([rows, rng.normal(size=len(qid)) + y]), y, qid


@pytest.mark.parametrize("resample", [None, "over", "under"])
@pytest.mark.parametrize("method", METHODS)
def test_rankers_get_whole_queries(queries, method, resample):
    X, y, qid = queries
    options = {"qid": qid, "scoring": "ndcg", "method": method, "random_state": 0}
    if "bootstrap" in method or method == "subsampling":
        options["n_splits"] = 4
    plain = evaluate(Ranker(), X, y, **options)
    SEEN.clear()
    model = Ranker() if resample else make_pipeline("passthrough", Ranker())
    result = evaluate(model, X, y, resample=resample, **options)
    sizes = Counter(qid.tolist())
    for rows, grades, ids in SEEN:
        assert_array_equal(grades, y[rows])
        for query in set(ids.tolist()):
            own = rows[ids == query]
            (original,) = set(qid[own].tolist())
            # A copy is a query of its own, with all its documents, once.
            assert len(own) == len(set(own.tolist())) == sizes[original]
        if resample is None and method == "bootstrap":
            assert len(set(ids.tolist())) == 30 > len(set(qid[rows].tolist()))
    for split in range(len(result.fit_time)):
        tested = Counter(qid[result.predictions.row[result.predictions.split == split]])
        assert not tested.keys() & set(qid[SEEN[split][0]])
        assert tested == {query: sizes[query] for query in tested}
    assert_array_equal(result.predictions.row, plain.predictions.row)
    assert result.estimate == plain.estimate
    if "bootstrap" not in method:  # whose intervals look at what was drawn
        assert result.confidence_interval == plain.confidence_interval


def test_grades_are_balanced_by_whole_queries(queries):
    X, y, qid = queries
    SEEN.clear()
    evaluate(Ranker(), X, y, qid=qid, scoring="ndcg", resample="over", random_state=0)
    for _, grades, ids in SEEN:
        rarest = [2 in grades[ids == query] for query in set(ids.tolist())]
        assert sum(rarest) == len(rarest) / 2


def test_what_takes_no_ids_gets_rows(queries):
    X, y, qid = queries
    one = evaluate(Ridge(), X, y, qid=qid, scoring="ndcg", resample="over")
    assert one.cv.unit == "row"
    both = {"bare": Ridge(), "ranker": QueryRanker(Ridge())}
    results = evaluate(both, X, y, qid=qid, scoring="ndcg", resample="over")
    assert {result.cv.unit for result in results.values()} == {"query"}


def test_copies_are_no_further_data():
    """Nadeau and Bengio's share is of distinct rows, or oversampling narrows it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] + rng.normal(size=300) > 1.5).astype(int)
    use = {"scoring": "balanced_accuracy", "method": "stratified", "random_state": 0}
    plain, over, under = (
        evaluate(LogisticRegression(), X, y, resample=how, **use)
        for how in (None, "over", "under")
    )
    assert_array_equal(over.n_train, plain.n_train)
    assert (under.n_train < plain.n_train / 2).all()
    for result in (plain, over, under):
        scores = result.split_scores["balanced_accuracy"]
        share = 1 / len(scores) + np.mean(result.n_test / result.n_train)
        error = np.sqrt(share * scores.var(ddof=1))
        assert result.standard_error["balanced_accuracy"] == pytest.approx(error)


@pytest.mark.parametrize("n_splits", [3, 20])
def test_a_bootstrap_has_as_many_rows_as_are_distinct(n_splits):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.normal(size=50)
    result = evaluate(
        Ridge(), X, y, scoring="r2", method="bootstrap", n_splits=n_splits
    )
    assert_array_equal(result.n_train + result.n_test, 50)
