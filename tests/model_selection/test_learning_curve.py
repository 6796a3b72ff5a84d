"""Learning curves: `evaluate` on cut data, and scikit-learn's of single rows."""

import warnings
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, KFold, learning_curve
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sklearn_irmetrics.comparison import compare
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.model_selection import (
    BootstrapSplit,
    QueryKFold,
    ResampledSplit,
    evaluate,
    query_learning_curve,
)

X, Y, QID = make_ranking(n_queries=24, n_docs=(5, 9), n_features=4, random_state=3)
Y[np.unique(QID, return_index=True)[1]] = 1
ORDER = np.random.default_rng(0).permutation(len(Y))
X, Y, QID = X[ORDER], Y[ORDER], QID[ORDER]


class Recorder(Ridge):
    """Keeps the training rows, which one feature numbers."""

    seen: list = []

    def fit(self, X, y):
        Recorder.seen.append(X[:, -1].astype(int))
        return super().fit(X[:, :-1], y)

    def predict(self, X):
        return super().predict(X[:, :-1])


def rows_of_training(**options):
    Recorder.seen.clear()
    numbered = np.column_stack([X, np.arange(len(X))])
    curve = query_learning_curve(
        Recorder(), numbered, Y, scoring="ndcg", random_state=0, **options
    )
    return curve, list(Recorder.seen)


@pytest.mark.parametrize(
    ("scoring", "method"),
    [("ndcg@5", "kfold"), ("gmap", "subsampling"), ("p@3", GroupKFold(3)), ("mrr", 4)],
)
def test_it_is_evaluate_on_cut_training_sides(scoring, method):
    sizes = [3, 6, 12]
    curve, seen = rows_of_training(qid=QID, method=method, train_sizes=sizes)
    n_splits = curve.split_scores["ndcg"].shape[1]
    options = {"scoring": scoring, "qid": QID, "random_state": 0}
    options["return_train_score"] = True
    full = query_learning_curve(
        Ridge(), X, Y, method=method, train_sizes=sizes, **options
    )
    design = evaluate(Ridge(), X, Y, method=method, **options)
    tests = [
        np.unique(part)
        for part in np.split(design.predictions.row, np.cumsum(design.n_test)[:-1])
    ]
    for i, size in enumerate(sizes):
        trains = seen[i * n_splits : (i + 1) * n_splits]
        splits = list(zip(trains, tests, strict=True))
        for train, test in splits:
            assert len(np.unique(QID[train])) == size
            assert set(np.flatnonzero(np.isin(QID, QID[train]))) == set(train)
            assert not set(QID[train]) & set(QID[test])
        by_hand = evaluate(Ridge(), X, Y, method=splits, **options)
        for part in (
            "estimate",
            "standard_error",
            "confidence_interval",
            "split_scores",
            "train_scores",
        ):
            found, expected = (getattr(one, part)[scoring] for one in (full, by_hand))
            assert_allclose(found[i], expected, rtol=1e-12)


@pytest.mark.parametrize("as_queries", [False, True])
def test_single_rows_are_those_of_scikit_learn(as_queries):
    """A query of one row each, or no queries at all."""
    options = {"train_sizes": [0.1, 0.325, 0.55, 0.775, 1.0], "scoring": "r2"}
    options["random_state"] = 7
    expected = learning_curve(Ridge(), X, Y, cv=KFold(5), shuffle=True, **options)
    options |= {"method": KFold(5), "return_train_score": True}
    given = {"groups": np.arange(len(Y))} if as_queries else {}
    curve = query_learning_curve(Ridge(), X, Y, **options, **given)
    assert_array_equal(curve.train_sizes, expected[0])
    assert_allclose(curve.train_scores["r2"], expected[1], rtol=1e-9)
    assert_allclose(curve.split_scores["r2"], expected[2], rtol=1e-9)


def test_sets_are_nested_and_test_sides_stay():
    curve, seen = rows_of_training(qid=QID, n_splits=3, train_sizes=[2, 5, 9, 16])
    for split in range(3):
        smaller, *larger = [set(rows) for rows in seen[split::3]]
        for rows in larger:
            assert smaller < rows
            smaller = rows
    first, *others = curve.results
    for one in others:
        assert_array_equal(one.predictions.row, first.predictions.row)


def test_groups_are_cut_whole():
    groups = QID // 3
    curve, seen = rows_of_training(
        qid=QID, groups=groups, n_splits=2, train_sizes=[2, 4]
    )
    assert curve.unit == "group"
    for rows, size in zip(seen, [2, 2, 4, 4], strict=True):
        assert len(np.unique(groups[rows])) == size
        assert set(np.flatnonzero(np.isin(groups, groups[rows]))) == set(rows)


@pytest.mark.parametrize("as_groups", [False, True])
def test_strata_stay_alike(as_groups):
    iris, kind = load_iris(return_X_y=True)
    kind = (kind == 2).astype(int)
    given = {"groups": np.arange(150)} if as_groups else {}
    options = {"scoring": "accuracy", "method": "stratified", "random_state": 0}
    options["train_sizes"] = [6, 30, 60, 120]
    curve = query_learning_curve(SVC(), iris, kind, **options, **given)
    for size, result in zip(curve.train_sizes, curve.results, strict=True):
        for train, test in result.cv.split(iris):
            assert abs(kind[train].sum() - size / 3) < 1
            assert len(test) == 30


def test_repeats_workers_and_seeds_change_nothing_else():
    options = {"scoring": ["ndcg", "map"], "qid": QID}
    options["method"] = QueryKFold(3, n_repeats=2, shuffle=True)
    options |= {"train_sizes": [4, 16], "random_state": 1}
    model = make_pipeline(StandardScaler(), QueryRanker(Ridge()))
    one = query_learning_curve(model, X, Y, n_jobs=1, **options)
    two = query_learning_curve(model, X, Y, n_jobs=2, **options)
    for name in ("ndcg", "map"):
        assert one.split_scores[name].shape == (2, 6)
        assert_array_equal(one.split_scores[name], two.split_scores[name])
    other = query_learning_curve(model, X, Y, **(options | {"random_state": 2}))
    assert (one.split_scores["ndcg"] != other.split_scores["ndcg"]).any()


def test_a_column_of_ids_weights_and_params():
    options = {"scoring": "ndcg", "n_splits": 2, "train_sizes": [3, 12]}
    options |= {"random_state": 0}
    weights, with_ids = np.ones(len(Y)), np.column_stack([QID, X])
    model = QueryRanker(Ridge(), qid=0)
    curve = query_learning_curve(
        model, with_ids, Y, qid=0, params={"sample_weight": weights}, **options
    )
    plain = query_learning_curve(QueryRanker(Ridge()), X, Y, qid=QID, **options)
    assert_allclose(curve.split_scores["ndcg"], plain.split_scores["ndcg"])


def test_shares_are_of_the_smallest_training_side():
    rows = np.random.default_rng(0).standard_normal((200, 2))
    options = {"groups": np.repeat(np.arange(100), 2), "method": KFoldOfSome()}
    options["train_sizes"] = [0.29, 0.001, 1.0, 1.0]
    curve = query_learning_curve(Ridge(), rows, rows[:, 0], scoring="r2", **options)
    assert_array_equal(curve.train_sizes, [1, 20, 70])  # of 70


class KFoldOfSome:
    """One training side of 70 groups, one of 90."""

    def get_n_splits(self, X=None, y=None, groups=None):
        return 2

    def split(self, X, y=None, groups=None):
        yield np.arange(140), np.arange(140, 200)
        yield np.arange(20, 200), np.arange(20)


@pytest.mark.parametrize(
    ("method", "name"),
    [
        ("bootstrap", "BootstrapSplit"),
        ("bootstrap632+", "BootstrapSplit"),
        (BootstrapSplit(9), "BootstrapSplit"),
        (ResampledSplit(QueryKFold(3), "over"), "ResampledSplit"),
    ],
)
def test_repeated_rows_are_refused(method, name):
    with pytest.raises(ValueError, match=f"train on each row once.* got {name}\\."):
        query_learning_curve(Ridge(), X, Y, scoring="ndcg", qid=QID, method=method)


def test_too_few_queries_for_the_classes_are_told():
    options = {"scoring": "accuracy", "train_sizes": [1, 9], "random_state": 0}
    with pytest.raises(ValueError, match="training data of split 0 .* the class"):
        query_learning_curve(LogisticRegression(), X, Y > 0, **options)


class NeedsRows(Ridge):
    """Fails with fewer rows than `alpha`."""

    def fit(self, X, y):
        if len(y) < self.alpha:
            raise ValueError("too few rows")
        return super().fit(X, y)


def test_failures_are_told_by_size():
    options = {"train_sizes": [1, 12], "qid": QID, "scoring": "ndcg", "random_state": 0}
    with pytest.warns(FitFailedWarning):
        curve = query_learning_curve(NeedsRows(8), X, Y, error_score=np.nan, **options)
    n_failed = len(curve.results[0].failures)
    assert n_failed
    (note,) = [line for line in str(curve).splitlines() if "failed" in line]
    assert note.startswith(f"size 1: Training failed in {n_failed} of 5 splits (")
    for error_score in ("raise", np.nan):
        with pytest.raises(ValueError, match="too few rows") as caught:
            query_learning_curve(
                NeedsRows(12), X, Y, error_score=error_score, **options
            )
        assert "This happened with train_sizes=1." in caught.value.__notes__


def test_the_result():
    pd = pytest.importorskip("pandas")
    options = {"scoring": ["ndcg", "map"], "train_sizes": [4, 16]}
    with warnings.catch_warnings(action="error"):
        curve = query_learning_curve(Ridge(), X, Y, qid=QID, random_state=0, **options)
    with pytest.raises(FrozenInstanceError):
        curve.unit = "row"
    frame = curve.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.index) == [("ndcg", 4), ("ndcg", 16), ("map", 4), ("map", 16)]
    assert_allclose(frame.loc["map", "estimate"], curve.estimate["map"])
    assert_allclose(frame.loc["map"][["low", "high"]], curve.confidence_interval["map"])
    text = str(curve)
    assert text.startswith("Ridge, trained on fewer queries: 5 splits, 24 queries\n")
    assert "Interval: the mean of these trained models on new queries" in text
    assert "| ndcg" in curve.to_markdown()
    assert curve.train_scores is None


def test_sizes_are_compared_on_the_same_queries():
    X, y, qid = make_ranking(n_queries=20, n_docs=8, random_state=0)
    options = {"scoring": "mrr", "qid": qid, "train_sizes": [2, 8, 16]}
    curve = query_learning_curve(Ridge(), X, y, random_state=0, **options)
    found = curve.compare(random_state=0)
    values = [one.query_scores.scores["mrr"] for one in curve.results]
    systems = dict(zip("abc", values, strict=True))
    expected = compare(systems, baseline="c", random_state=0)
    assert found.system == ("2", "8") and found.versus == ("16", "16")
    assert_allclose(found.estimate, expected.estimate)
    assert_allclose(found.p_value, expected.p_value)
    assert curve.compare(baseline="2", test="ttest").versus == ("2", "2")
