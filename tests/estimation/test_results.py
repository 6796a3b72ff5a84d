"""What evaluate returns: frozen, readable, as tables, as HTML, pickled."""

import dataclasses
import re
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_multilabel_classification
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from oracles.queries import graded_queries
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.model_selection import EvaluationResult, evaluate


@pytest.fixture(scope="module")
def data():
    return graded_queries(12, 8, ids=[f"q{i}" for i in range(12)])


@pytest.fixture(scope="module")
def result(data):
    X, y, qid = data
    options = {"scoring": ["ndcg@5", "r2"], "n_splits": 4, "random_state": 0}
    options["return_train_score"] = True
    return evaluate(QueryRanker(Ridge()), X, y, qid=qid, **options)


def test_fields(result):
    assert isinstance(result, EvaluationResult)
    for name in ("estimate", "standard_error", "confidence_interval", "aggregate"):
        assert list(getattr(result, name)) == ["ndcg@5", "r2"]
    for scores in (result.split_scores, result.train_scores):
        assert all(column.shape == (4,) for column in scores.values())
    assert (result.fit_time > 0).all()
    assert (result.score_time > 0).all()
    assert_array_equal(result.n_train + result.n_test, 96)
    assert result.failures == {}
    assert result.apparent_score is result.chance_score is None
    assert all(isinstance(value, float) for value in result.estimate.values())


class TestRepr:
    def test_of_folds(self, result):
        lines = repr(result).splitlines()
        assert lines[0] == "QueryRanker, 4 folds of 12 queries"
        assert lines[1] == "intervals of ndcg@5 are about the models trained here"
        assert lines[2].endswith("are about such training on new data")
        header = "measure estimate std. error 95 % interval aggregate interval by"
        assert lines[3].split() == header.split()
        assert re.match(
            r"  ndcg@5 +0\.\d{4} +0\.\d{4} +\[0\.\d{4}, 0\.\d{4}\]  per_query  t over "
            r"12 queries and the range$",
            lines[4],
        )
        assert lines[5].endswith("per_split  corrected resampled t over 4 splits")
        assert len(lines) == 6
        assert max(map(len, lines)) < 100

    @pytest.mark.parametrize(
        ("options", "first"),
        [
            ({"method": "holdout"}, "holdout"),
            ({"method": "subsampling"}, "10 random subsamples"),
            ({"method": "subsampling", "n_splits": 1}, "1 random subsample"),
            ({"method": "stratified"}, "5 stratified folds"),
            ({"method": "loocv"}, "leave-one-row-out"),
            ({"method": "bootstrap"}, "out-of-bag bootstrap, 3 replicates"),
            ({"method": "bootstrap632"}, ".632 bootstrap, 3 replicates"),
            ({"method": "bootstrap632+"}, ".632+ bootstrap, 3 replicates"),
            ({"n_repeats": 2}, "10 folds"),
            ({"method": list(KFold(3).split(range(96)))[:1]}, "1 given split"),
            ({"method": list(KFold(3).split(range(96)))}, "3 given splits"),
        ],
    )
    def test_of_every_method(self, data, options, first):
        X, y, _ = data
        if "bootstrap" in options.get("method", ""):
            options = {"n_splits": 3, **options}
        result = evaluate(Ridge(), X, y, scoring="r2", **options)
        assert repr(result).splitlines()[0] == f"Ridge, {first} of 96 rows"

    def test_of_a_splitter(self, data):
        X, y, _ = data
        result = evaluate(Ridge(), X, y, scoring="r2", method=KFold(3))
        assert repr(result).startswith("Ridge, 3 splits of KFold(n_splits=3, ")
        assert result.method == "splitter"
        assert result.train_scores is None


class TestFrames:
    @pytest.fixture(autouse=True)
    def with_pandas(self):
        pytest.importorskip("pandas")

    def test_queries(self, result, data):
        frame = result.query_scores.to_frame()
        assert list(frame.columns) == ["query", "split", "ndcg@5"]
        assert sorted(frame["query"]) == sorted(set(data[2]))
        by_split = frame.groupby("split")["ndcg@5"].mean()
        assert_allclose(by_split, result.split_scores["ndcg@5"])

    def test_predictions(self, result, data):
        X, y, qid = data
        frame = result.predictions.to_frame()
        assert list(frame.columns) == ["row", "split", "query", "y_true", "predict"]
        assert_array_equal(frame["y_true"], y[frame["row"]])
        assert_array_equal(frame["query"], qid[frame["row"]])
        assert sorted(frame["row"]) == list(range(96))

    def test_predictions_of_classes(self):
        X, y = load_iris(return_X_y=True)
        result = evaluate(GaussianNB(), X, y, scoring="neg_log_loss")
        frame = result.predictions.to_frame()
        assert list(frame.columns)[-3:] == [f"predict_proba_{i}" for i in range(3)]

    def test_predictions_of_several_outputs(self):
        X, Y = make_multilabel_classification(60, n_classes=3, random_state=0)

        def probability(estimator, X, Y):
            return np.mean([p[:, -1].mean() for p in estimator.predict_proba(X)])

        use = {"scoring": probability, "random_state": 0}
        result = evaluate(KNeighborsClassifier(), X, Y, aggregate="pooled", **use)
        assert isinstance(result.predictions.responses["predict_proba"], list)
        frame = result.predictions.to_frame()
        assert "predict_proba_2_1" in frame.columns
        assert "y_true_2" in frame.columns
        by_split = evaluate(KNeighborsClassifier(), X, Y, aggregate="per_split", **use)
        expected = by_split.estimate["probability"]
        assert result.estimate["probability"] == pytest.approx(expected)

    def test_without_pandas(self, result, monkeypatch):
        monkeypatch.setitem(sys.modules, "pandas", None)
        for table in (result, result.query_scores, result.predictions):
            with pytest.raises(ImportError, match=r"to_frame\(\) needs pandas"):
                table.to_frame()


class TestPlot:
    # Old matplotlib imports new pyparsing by deprecated names.
    def test_without_matplotlib(self, result, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
        with pytest.raises(ImportError, match=r"plot\(\) needs matplotlib"):
            result.plot()


def test_how_intervals_were_made_is_said_once_if_all_were_made_alike(data):
    X, y, qid = data
    alike = evaluate(Ridge(), X, y, qid=qid, scoring=["ndcg@5", "map"])
    assert "intervals by t over 12 queries and the range" in repr(alike)
    assert "interval by" not in repr(alike)
    assert alike.to_frame()["interval"].nunique() == 1
    none = evaluate(Ridge(), X, y, qid=qid, scoring="ndcg@5", method="holdout")
    few = dataclasses.replace(none, interval_method={"ndcg@5": "none: one score"})
    assert "no intervals: one score\n" in repr(few)
