"""Any model: functions, what is never trained, and what is trained in its own way."""

import itertools
import threading
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import StackingClassifier, StackingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.metrics import get_scorer as get_sklearn_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_irmetrics import (
    QueryRanker,
    get_scorer,
    ndcg_score,
    set_f1_score,
)
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import (
    BootstrapSplit,
    HoldoutSplit,
    QueryKFold,
    ResampledSplit,
    StratifiedQueryKFold,
    evaluate,
    query_learning_curve,
)

N_QUERIES = 24
GRADES = make_ranking(n_queries=N_QUERIES, n_docs=8, random_state=0)
X, GRADE, QID = GRADES
Y = (GRADE > 1).astype(int)
Y[::8], Y[1::8] = 1, 0  # no query of one kind


def score(X):
    return X[:, 0] - X[:, 1]


class Holder:
    """What cannot be copied or sent to another process."""

    def __init__(self):
        self.lock = threading.Lock()


class Predicts(Holder):
    def predict(self, X):
        with self.lock:
            return score(X)


class Decides(Holder):
    def decision_function(self, X):
        return score(X)


class Probable(Holder):
    def predict_proba(self, X):
        second = 1 / (1 + np.exp(-score(X)))
        return np.column_stack([1 - second, second])


class Ranks(Holder):
    def rank(self, X):
        return score(X)


class RanksAfterFit(BaseEstimator):
    def fit(self, X, y):
        return self

    def rank(self, X):
        return score(X)


UNTRAINED = {
    "function": score,
    "lambda": lambda X: score(X),
    "partial": partial(np.dot, b=np.array([1.0, -1] + [0] * (X.shape[1] - 2))),
    "method": Predicts().predict,
    "predict": Predicts(),
    "decision_function": Decides(),
    "predict_proba": Probable(),
    "rank": Ranks(),
}
METHODS = {
    "holdout": 1,
    "subsampling": 3,
    "kfold": 5,
    "stratified": 5,
    "loocv": None,
    "bootstrap": 9,
    3: None,
}
STRATIFIED = {
    "holdout": HoldoutSplit(stratify=True),
    "subsampling": HoldoutSplit(3, stratify=True),
    "bootstrap": BootstrapSplit(9, stratify=True),
}


def mean_over_queries(splits, model=score):
    """Return the mean over queries of their means over splits, by hand."""
    found = {}
    for _, test in splits:
        for query in np.unique(QID[test]):
            own = test[QID[test] == query]
            value = ndcg_score(Y[own], model(X[own]), k=5, replace_undefined_by=0)
            found.setdefault(query, []).append(value)
    return np.mean([np.mean(values) for values in found.values()])


WAYS = [*itertools.product(UNTRAINED, [3]), *itertools.product(["rank"], METHODS)]


@pytest.mark.parametrize(("name", "method"), WAYS)
def test_what_is_not_trained_equals_a_loop(name, method):
    model = UNTRAINED[name]
    n_splits = METHODS[method] if method in ("subsampling", "bootstrap") else None
    options = {"method": method, "n_splits": n_splits, "random_state": 0}
    scoring = get_scorer("ndcg@5", replace_undefined_by=0.0)
    result = evaluate(model, X, Y, scoring={"m": scoring}, qid=QID, **options)
    splits = list(result.cv.split(X, Y, QID))
    assert result.estimate["m"] == pytest.approx(mean_over_queries(splits))
    assert "not trained" in str(result)
    assert result.interval_about["m"] == "the model as it is"

    # Without queries: scikit-learn's area under the curve of each test side, or of all
    # rows, since one model scores them.
    if method == "loocv":
        result = evaluate(model, X, Y, scoring="roc_auc", **options)
        assert result.estimate["roc_auc"] == pytest.approx(roc_auc_score(Y, score(X)))
        return
    if method in STRATIFIED:
        options = {"method": STRATIFIED[method], "random_state": 0}
    result = evaluate(model, X, Y, scoring="roc_auc", **options)
    splits = list(result.cv.split(X, Y))
    each = [roc_auc_score(Y[test], score(X[test])) for _, test in splits]
    assert result.split_scores["roc_auc"] == pytest.approx(each)
    assert result.estimate["roc_auc"] == pytest.approx(np.mean(each))


@pytest.mark.parametrize("name", UNTRAINED)
def test_what_needs_training_says_that_there_is_none(name):
    model, options = UNTRAINED[name], {"scoring": "ndcg@5", "qid": QID}
    for method in ("bootstrap632", "bootstrap632+"):
        with pytest.raises(ValueError, match="is not trained: use 'kfold'"):
            evaluate(model, X, Y, method=method, **options)
    with pytest.raises(ValueError, match="is not trained"):
        query_learning_curve(model, X, Y, **options)
    with pytest.raises(ValueError, match=r"needs? .*ids.*qid="):
        evaluate(model, X, Y, scoring="ndcg@5")


def test_the_names_of_what_is_not_trained():
    results = evaluate(
        {"bm25": Ranks(), "f": score, "ridge": Ridge()}, X, Y, scoring="map", qid=QID
    )
    assert "bm25, f: not trained" in str(results)
    assert "ridge: 95 % intervals for the models trained here" in str(results)
    names = [one.estimator_name for one in results.values()]
    assert names == ["Ranks", "score", "Ridge"]


def test_a_search_over_stacking_keeps_queries_whole():
    search = GridSearchCV(STACK, {"ridge__alpha": [1, 9]}, cv=3)
    found = evaluate(search, X, GRADE, scoring="ndcg", qid=QID, error_score="raise")
    assert found.estimate["ndcg"] > 0.7


def test_a_lock_stays_where_it_is():
    model = Predicts()
    alone = evaluate(model, X, Y, scoring="map", qid=QID, random_state=0)
    threads = evaluate(model, X, Y, scoring="map", qid=QID, random_state=0, n_jobs=2)
    assert alone.estimate == threads.estimate


@pytest.mark.parametrize(
    "form",
    [
        lambda X: [" ".join(map(str, row)) for row in X],
        lambda X: [("a query", tuple(row)) for row in X],
        lambda X: pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])]),
    ],
    ids=["texts", "pairs", "frame"],
)
def test_rows_of_any_form(form):
    def of_any(rows):
        if isinstance(rows, pd.DataFrame):
            return score(rows.to_numpy())
        return [
            float(a) - float(b)
            for a, b, *_ in (r.split() if isinstance(r, str) else r[1] for r in rows)
        ]

    given = evaluate(of_any, form(X), Y, scoring="map", qid=QID, random_state=0)
    plain = evaluate(score, X, Y, scoring="map", qid=QID, random_state=0)
    assert given.estimate["map"] == pytest.approx(plain.estimate["map"])


@pytest.mark.parametrize(
    "form", [list, pd.Series, pd.DataFrame, lambda scores: scores[:, np.newaxis]]
)
def test_predictions_of_any_form(form):
    options = {"scoring": "map", "qid": QID, "random_state": 0}
    found = evaluate(lambda X: form(score(X)), X, Y, **options)
    assert found.estimate == evaluate(score, X, Y, **options).estimate


def test_predictions_that_are_tensors():
    torch = pytest.importorskip("torch")
    weights = torch.zeros(X.shape[1], dtype=torch.float64, requires_grad=True)

    def network(X):
        return (torch.as_tensor(X) * (weights + 1)).sum(1, keepdim=True)

    options = {"scoring": ["map", "roc_auc"], "qid": QID, "random_state": 0}
    found, expected = (
        evaluate(model, X, Y, **options).estimate
        for model in (network, lambda X: X.sum(axis=1))
    )
    assert found == pytest.approx(expected)


class Mute(BaseEstimator):
    def fit(self, X, y):
        return self


@pytest.mark.parametrize(
    ("model", "error", "match"),
    [
        (Ridge, TypeError, r"instance, such as Ridge\(\); got the class Ridge"),
        (Holder(), TypeError, "must have fit, predict, .*rank, or be a function"),
        (Mute(), TypeError, "one of the methods predict, .*got Mute"),
        (lambda X: X[:3, 0], ValueError, "one entry per row"),
        (lambda X: 1.0, ValueError, "one entry per row"),
        (lambda X: X[:, :2], ValueError, r"one score per row .* got shape \(\d+, 2\)"),
    ],
)
def test_what_is_no_model(model, error, match):
    with pytest.raises(error, match=match):
        evaluate(model, X, Y, scoring="map", qid=QID)


# What is trained in its own way.
class Own:
    """A model that knows nothing of scikit-learn."""

    def fit(self, X, y):
        self.weights_ = np.linalg.lstsq(X, y, rcond=None)[0]
        return self

    def predict(self, X):
        return X @ self.weights_


class Column(RegressorMixin, BaseEstimator):
    """Like Keras: predictions of shape (n, 1), and a `fit` that returns a history."""

    def fit(self, X, y, epochs=1):
        self.weights_ = np.linalg.lstsq(X, y, rcond=None)[0] * epochs
        return {"loss": [0.0]}

    def predict(self, X):
        return (X @ self.weights_)[:, np.newaxis]


class KeepsColumn(Column):
    def fit(self, X, y):
        super().fit(X, y)
        return self


class Unsupervised(BaseEstimator):
    def fit(self, X):
        self.mean_ = X.mean(axis=0)
        return self

    def predict(self, X):
        return ((X - self.mean_) ** 2).sum(axis=1)


class Labels(BaseEstimator):
    """Labels without tags or `classes_`."""

    def fit(self, X, y):
        self.model_ = LogisticRegression().fit(X, y)
        return self

    def predict(self, X):
        return self.model_.predict(X)


class Classless(ClassifierMixin, Labels):
    """A classifier by its tags, without `classes_`."""


class Chances(Labels):
    """Probabilities of 0 and 1 without `classes_`."""

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


STACK = StackingRegressor([("ridge", Ridge()), ("plain", LinearRegression())])
VOTE = StackingClassifier([("logistic", LogisticRegression())])
KINDS = {
    "stacking": (STACK, "r2"),
    "pipeline of stacking": (make_pipeline(StandardScaler(), STACK), "r2"),
    "search over stacking": (GridSearchCV(STACK, {"ridge__alpha": [1, 9]}), "r2"),
    "stacking classifier": (VOTE, "roc_auc"),
    "classifier": (LogisticRegression(), "neg_log_loss"),
    "labels": (Labels(), "accuracy"),
    "sets": (Labels(), lambda: get_scorer("set_f1")),
    "column": (KeepsColumn(), "r2"),
    "ranker": (QueryRanker(Ridge(), qid=0), lambda: get_scorer("map", qid=0)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_evaluate_equals_cross_val_score(kind):
    model, scoring = KINDS[kind]
    # imbalanced-learn, once imported, refuses scorers that were made before.
    scoring = scoring() if callable(scoring) else scoring
    with_ids = np.column_stack([QID, X])
    folds = list(GroupKFold(4).split(with_ids, Y, QID))
    expected = cross_val_score(
        model, with_ids, Y, scoring=scoring, cv=folds, error_score="raise"
    )
    found = evaluate(model, with_ids, Y, scoring={"m": scoring}, method=folds)
    assert found.split_scores["m"] == pytest.approx(expected)


def loop(model, metric, method="predict"):
    """Return the scores of folds, by hand."""
    scores = []
    for train, test in GroupKFold(4).split(X, Y, QID):
        fitted = model()
        fitted.fit(*([X[train], Y[train]][: 1 if model is Unsupervised else 2]))
        found = np.asarray(getattr(fitted, method)(X[test]))
        if method == "predict_proba":
            found = found[:, 1]
        scores.append(metric(Y[test], found, test))
    return scores


METRICS = {
    "ndcg": lambda y, s, at: ndcg_score(y, np.ravel(s), qid=QID[at]),
    "accuracy": lambda y, s, at: accuracy_score(y, s),
    "set_f1": lambda y, s, at: set_f1_score(y, s),
    "roc_auc": lambda y, s, at: roc_auc_score(y, s),
}


@pytest.mark.parametrize(
    ("model", "scoring", "method"),
    [
        (Own, "ndcg", "predict"),
        (Column, "ndcg", "predict"),
        (Unsupervised, "ndcg", "predict"),
        (RanksAfterFit, "ndcg", "rank"),
        (Chances, "ndcg", "predict_proba"),
        (Classless, "accuracy", "predict"),
        (Classless, "set_f1", "predict"),
        (Unsupervised, "roc_auc", "predict"),
        (Chances, "roc_auc", "predict_proba"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*undefined")
def test_models_that_cross_val_score_refuses(model, scoring, method):
    folds = list(GroupKFold(4).split(X, Y, QID))
    ids = {"qid": QID} if scoring == "ndcg" else {}
    found = evaluate(model(), X, Y, scoring=scoring, method=folds, **ids)
    expected = loop(model, METRICS[scoring], method)
    assert found.split_scores[scoring] == pytest.approx(expected)


def test_arguments_of_fit_go_through_params():
    options = {"scoring": "r2", "method": KFold(4)}
    plain = evaluate(Column(), X, Y, **options).estimate["r2"]
    twice = evaluate(Column(), X, Y, params={"epochs": 2}, **options).estimate["r2"]
    assert plain != twice
    with pytest.raises(ValueError, match=r"\['epochs'\] reach neither"):
        evaluate(Own(), X, Y, params={"epochs": 2}, **options)
    with pytest.raises(ValueError, match=r"\['epochs'\] reach neither"):
        evaluate(score, X, Y, params={"epochs": 2}, **options)


def test_a_model_that_cannot_be_copied():
    class Client(Holder, Own):
        pass

    with pytest.raises(TypeError, match="__sklearn_clone__ that returns a new unfit"):
        evaluate(Client(), X, Y, scoring="map", qid=QID)

    class Cloned(Client):
        def __sklearn_clone__(self):
            return Cloned()

    found = evaluate(Cloned(), X, Y, scoring="map", qid=QID, random_state=0)
    own = evaluate(Own(), X, Y, scoring="map", qid=QID, random_state=0)
    assert found.estimate == own.estimate


def test_class_scores_of_unknown_classes_are_refused():
    class Three(Chances):
        def predict_proba(self, X):
            return np.tile([0.2, 0.3, 0.5], (len(X), 1))

    grades = np.arange(len(X)) % 3
    with pytest.raises(ValueError, match="3 columns.*set classes_"):
        evaluate(Three(), X, grades, scoring="ndcg", qid=QID)


def test_a_callable_gets_the_model_itself():
    seen = []

    def own(model, X, y):
        seen.append(model)
        return accuracy_score(y, model.rank(X) > 0)

    model = Ranks()
    evaluate(model, X, Y, scoring=own, method=3)
    assert all(one is model for one in seen[:3])


# Methods and splitters.
@pytest.mark.parametrize(
    ("name", "ways"),
    [
        ("loocv", ["LOOCV", "leave-one-out", "LOO"]),
        ("holdout", ["hold-out", "Holdout"]),
        ("kfold", ["K-Fold"]),
        ("subsampling", ["random subsampling", "repeated holdout"]),
        ("stratified", ["stratified k-fold"]),
        ("bootstrap632", [".632"]),
        ("bootstrap632+", ["bootstrap .632+", "632+"]),
    ],
)
def test_methods_as_people_write_them(name, ways):
    options = {"scoring": "r2", "random_state": 0}
    options |= {"n_splits": 5} if "bootstrap" in name else {}
    for typed in ways:
        assert evaluate(Ridge(), X, GRADE, method=typed, **options).method == name


FRAME = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])]).assign(query=QID)


@pytest.mark.parametrize(
    "splitter",
    [
        partial(QueryKFold, 4),
        partial(StratifiedQueryKFold, 4),
        partial(HoldoutSplit, random_state=0),
        partial(BootstrapSplit, 4, random_state=0),
        partial(ResampledSplit, QueryKFold(4), random_state=0),
    ],
)
@pytest.mark.parametrize("column", ["query", X.shape[1], lambda X: X["query"]])
def test_splitters_by_a_column(splitter, column):
    named = splitter(qid=column).split(FRAME, Y)
    for own, given in zip(named, splitter().split(FRAME, Y, qid=QID), strict=True):
        for side, expected in zip(own, given, strict=True):
            np.testing.assert_array_equal(side, expected)
    if column == "query":
        assert "qid='query'" in repr(splitter(qid=column))
        with pytest.raises(ValueError, match="qid='query' must name a column"):
            list(splitter(qid=column).split(FRAME[["x0"]], Y))
    with pytest.raises(TypeError, match="qid must be a column of X.*to split"):
        splitter(qid=QID)


def test_inner_folds_of_stacking_inside_folds():
    class Spy(Ridge):
        def fit(self, X, y):
            fitted_on.append(set(X["query"]))
            return super().fit(X, y)

        def predict(self, X):
            asked.append(set(X["query"]))
            return super().predict(X)

    fitted_on, asked = [], []
    stack = StackingRegressor([("spy", Spy())], Ridge(), cv=QueryKFold(3, qid="query"))
    evaluate(stack, FRAME, GRADE, scoring="ndcg", qid="query", method=2)
    assert len(fitted_on) == 2 * (1 + 3)
    for whole, *inner in (fitted_on[:4], fitted_on[4:]):
        assert set.union(*inner) == whole
    assert all(not asked[i] & fitted_on[i + 1] for i in range(3))


def test_messages_say_what_helps():
    stack = StackingRegressor([("ridge", Ridge())], cv=QueryKFold(3))
    with pytest.raises(ValueError, match="needs query ids") as raised:
        evaluate(stack, X, GRADE, scoring="ndcg", qid=QID)
    assert "QueryKFold(..., qid='column')" in str(raised.value)
    with pytest.raises(ValueError, match="set_config.*QueryKFold") as raised:
        list(QueryKFold(3).split(X))
    assert "rankings needs ids, too, by get_scorer(..., qid='column')" in str(
        raised.value
    )
    with pytest.raises(ValueError, match="puts queries on both.*such as QueryKFold"):
        evaluate(Ridge(), X, GRADE, scoring="ndcg", qid=QID, method=KFold(5))


def test_the_same_rows_on_both_sides_when_said():
    rows = np.arange(len(X))
    result = evaluate(Ridge(), X, GRADE, scoring="ndcg", qid=QID, method=[(rows, rows)])
    fitted = Ridge().fit(X, GRADE).predict(X)
    assert result.estimate["ndcg"] == pytest.approx(ndcg_score(GRADE, fitted, qid=QID))
    assert "test rows are also training rows, as given" in str(result)
    with pytest.raises(ValueError, match="on both sides"):
        evaluate(Ridge(), X, GRADE, scoring="r2", method=[(rows, rows[:-1])])


def test_leave_one_query_out_of_a_column():
    found = evaluate(
        Ridge(), FRAME, GRADE, scoring="r2", qid="query", method=LeaveOneGroupOut()
    )
    assert len(found.fit_time) == N_QUERIES


def test_the_largest_numbers_are_no_reason_to_warn():
    X = np.r_[np.arange(39.0), 1.7e308].reshape(-1, 1)
    y = np.arange(40)
    qid = np.arange(40) // 4
    found = evaluate(DummyRegressor(), X, y, scoring="ndcg", qid=qid, random_state=0)
    assert 0 < found.estimate["ndcg"] <= 1


def test_targets_in_one_column_are_flattened():
    options = {"scoring": ["map", "r2"], "qid": QID, "random_state": 0}
    flat = evaluate(LinearRegression(), X, GRADE, **options)
    columns = GRADE.reshape(-1, 1), pd.DataFrame(GRADE)
    for y in columns:
        found = evaluate(LinearRegression(), X, y, **options)
        assert found.estimate == flat.estimate


def test_rows_of_weight_0_are_no_units_of_intervals():
    train, test = np.arange(40), np.arange(40, 80)
    weights = np.ones(len(X))
    weights[test[::2]] = 0
    with config_context(enable_metadata_routing=True):
        names = "neg_brier_score", "roc_auc"
        scorers = [get_sklearn_scorer(name) for name in names]
        scoring = [one.set_score_request(sample_weight=True) for one in scorers]
    options = {"scoring": scoring, "sample_weight": weights}
    found, expected = (
        evaluate(LogisticRegression(), X, Y, method=[(train, rows)], **options)
        for rows in (test, test[1::2])
    )
    assert found.interval_method == expected.interval_method
    for name, ends in expected.confidence_interval.items():
        assert found.confidence_interval[name] == pytest.approx(ends)


def test_a_callable_gives_all_splits_the_same_names():
    def score(model, X, y):
        return {"a": 1.0} if y[0] > y[-1] else {"a": 1.0, "b": 0.0}

    with pytest.raises(ValueError, match="the same names, for all splits"):
        evaluate(Ridge(), X, np.arange(len(X)) % 7, scoring=score, method=KFold(5))


@pytest.mark.parametrize("number_in", [0, 1, 3])
@pytest.mark.parametrize("method", ["kfold", "loocv", "bootstrap632"])
@pytest.mark.parametrize("number", [0.5, {"b": 0.5}])
def test_a_callable_returns_a_number_or_names_but_not_both(method, number_in, number):
    calls = iter(range(10_000))

    def score(model, X, y):
        return number if next(calls) == number_in else {"a": 1.0}

    options = {"return_train_score": True, "method": method}
    options |= {} if method == "loocv" else {"n_splits": 4}
    with pytest.raises(ValueError, match=r"number, or .*same names.*\{'a': 1.0\}"):
        evaluate(LogisticRegression(), X, Y, scoring=score, **options)


def test_a_score_that_needs_every_row_has_no_interval():
    rows = np.arange(40), [40 + np.argmin(Y[40:]), 40 + np.argmax(Y[40:])]
    found = evaluate(LogisticRegression(), X, Y, scoring="roc_auc", method=[rows])
    assert np.isnan(found.confidence_interval["roc_auc"]).all()
