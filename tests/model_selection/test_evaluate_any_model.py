"""Any model: functions, what is never trained, and what is trained in its own way."""

import threading
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import StackingClassifier, StackingRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    f1_score,
    roc_auc_score,
)
from sklearn.metrics import get_scorer as get_sklearn_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from sklearn_irmetrics import (
    QueryRanker,
    get_scorer,
    ndcg_score,
    set_f1_score,
)
from sklearn_irmetrics.comparison import compare
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


def mean_over_queries(rows, model=score):
    """Return the mean over the queries of some rows, by hand."""
    of_queries = [rows[QID[rows] == query] for query in np.unique(QID[rows])]
    return np.mean(
        [
            ndcg_score(Y[own], model(X[own]), k=5, replace_undefined_by=0)
            for own in of_queries
        ]
    )


@pytest.mark.parametrize("name", UNTRAINED)
def test_what_is_not_trained_has_one_test_set(name):
    model = UNTRAINED[name]
    scoring = {"m": get_scorer("ndcg@5", replace_undefined_by=0.0)}
    result = evaluate(model, X, Y, scoring=scoring, qid=QID, random_state=0)
    assert result.estimate["m"] == pytest.approx(mean_over_queries(np.arange(len(Y))))
    head = str(result).splitlines()[0]
    assert head.endswith(f": not trained, scored on {N_QUERIES} queries")
    assert result.interval_about["m"] == "the model as it is"
    assert result.n_train.tolist() == [0]
    assert result.n_test.tolist() == [len(Y)]

    # Without queries: scikit-learn's values for all rows, whatever the seed.
    for seed in (0, 1):
        options = {"scoring": ["roc_auc", "average_precision"], "random_state": seed}
        result = evaluate(model, X, Y, **options)
        assert result.estimate["roc_auc"] == pytest.approx(roc_auc_score(Y, score(X)))
        expected = average_precision_score(Y, score(X))
        assert result.estimate["average_precision"] == pytest.approx(expected)
        assert f": not trained, scored on {len(Y)} rows" in str(result)


FITTED = LogisticRegression().fit(X[::2], Y[::2])
FROZEN = {
    "frozen": FrozenEstimator(FITTED),
    "pipeline": make_pipeline(
        FrozenEstimator(FunctionTransformer().fit(X)), FrozenEstimator(FITTED)
    ),
}


@pytest.mark.parametrize("name", FROZEN)
def test_what_is_frozen_is_scored_as_it_is(name):
    scoring = ["roc_auc", "accuracy", "set_f1", "neg_log_loss"]
    results = [
        evaluate(FROZEN[name], X, Y, scoring=scoring, random_state=seed)
        for seed in (0, 1)
    ]
    expected = {name: get_sklearn_scorer(name) for name in ("roc_auc", "accuracy")}
    for result in results:
        assert ": not trained, scored on" in str(result)
        assert result.estimate["set_f1"] == pytest.approx(
            f1_score(Y, FITTED.predict(X))
        )
        for measure, scorer in expected.items():
            assert result.estimate[measure] == pytest.approx(scorer(FITTED, X, Y))
            assert result.split_scores[measure] == [result.estimate[measure]]
    with pytest.raises(ValueError, match="FrozenEstimator|Pipeline.* is not trained"):
        query_learning_curve(FROZEN[name], X, Y, scoring="accuracy")


def test_a_pipeline_with_a_step_to_train_is_trained():
    model = make_pipeline(StandardScaler(), FrozenEstimator(FITTED))
    result = evaluate(model, X, Y, scoring="accuracy", random_state=0)
    assert ": 5-fold cross-validation, " in str(result)


@pytest.mark.parametrize(
    ("options", "note"),
    [
        ({"method": "stratified"}, "not used: method='stratified'"),
        ({"method": 3}, "not used: method=3"),
        ({"method": KFold(3)}, "not used: method=KFold("),
        ({"n_splits": 3}, "not used: n_splits=3"),
        ({"method": "bootstrap", "n_splits": 9}, "method='bootstrap', n_splits=9"),
    ],
)
def test_arguments_of_splits_are_said_to_be_unused(options, note):
    scoring = ["map", "ndcg"]
    plain = evaluate(score, X, Y, scoring=scoring, qid=QID, random_state=0)
    assert plain.note == ""
    result = evaluate(score, X, Y, scoring=scoring, qid=QID, random_state=0, **options)
    assert note in result.note
    assert note.lower() in " ".join(str(result).split()).lower()
    assert result.estimate == plain.estimate
    assert result.confidence_interval == plain.confidence_interval


@pytest.mark.parametrize("method", ["holdout", "kfold", "loocv", "bootstrap", 3])
def test_beside_trained_models_the_test_rows_are_theirs(method):
    models = {
        "given": score,
        "frozen": FROZEN["frozen"],
        "trained": LogisticRegression(),
    }
    scoring = {"m": get_scorer("ndcg@5", replace_undefined_by=0.0)}
    results = evaluate(
        models, X, Y, scoring=scoring, qid=QID, method=method, random_state=0
    )
    rows = np.unique(results["trained"].predictions.row)
    for name in ("given", "frozen"):
        assert results[name].predictions.row.tolist() == rows.tolist()
        assert results[name].n_units == len(np.unique(QID[rows]))
    expected = mean_over_queries(rows)
    assert results["given"].estimate["m"] == pytest.approx(expected)
    comparison = results.compare(baseline="trained", random_state=0)
    trained = results["trained"].query_scores.mean_of_splits("m")[1].mean()
    difference = expected - trained
    assert comparison.estimate[0] == pytest.approx(difference)


def test_accuracy_of_given_and_trained_models_is_compared_by_rows():
    models = {"frozen": FROZEN["frozen"], "trained": LogisticRegression()}
    results = evaluate(models, X, Y, scoring=["accuracy", "roc_auc"], random_state=0)
    comparison = results.compare(metric="accuracy", random_state=0)
    assert (comparison.unit, comparison.n_units) == ("row", len(Y))
    right = FITTED.predict(X) == Y
    assert comparison.mean["frozen"] == pytest.approx(right.mean())
    with pytest.raises(ValueError, match="several splits to compare roc_auc; 'frozen'"):
        results.compare(metric="roc_auc")


def test_a_comparison_of_given_models_does_not_depend_on_seeds_of_splits():
    found = set()
    for seed in (0, 1, 2):
        options = {"scoring": "map", "qid": QID, "random_state": seed}
        results = {
            "first": evaluate(score, X, Y, **options),
            "second": evaluate(lambda X: -X[:, 1], X, Y, **options),
        }
        comparison = compare(results, test="ttest")
        found.add((float(comparison.estimate[0]), float(comparison.p_value[0])))
    assert len(found) == 1


def test_models_tested_on_different_rows_are_not_compared():
    options = {"scoring": "map", "qid": QID, "random_state": 0}
    half = QID < 12
    given = evaluate(score, X, Y, **options)
    trained = evaluate(Ridge(), X, Y, method="holdout", **options)
    other = evaluate(score, X[half], Y[half], scoring="map", qid=QID[half])
    for results in ({"a": given, "b": trained}, {"a": given, "b": other}):
        with pytest.raises(ValueError, match="same queries|same rows"):
            compare(results)


@pytest.mark.parametrize("name", UNTRAINED)
def test_what_needs_training_says_that_there_is_none(name):
    model, options = UNTRAINED[name], {"scoring": "ndcg@5", "qid": QID}
    for method in ("bootstrap632", "bootstrap632+"):
        with pytest.raises(ValueError, match="is not trained: leave out method"):
            evaluate(model, X, Y, method=method, **options)
    with pytest.raises(ValueError, match="needs models that were trained on several"):
        evaluate(model, X, Y, interval="corrected_t", **options)
    with pytest.raises(ValueError, match="is not trained"):
        query_learning_curve(model, X, Y, **options)
    with pytest.raises(ValueError, match="return_train_score must be False"):
        evaluate(model, X, Y, return_train_score=True, **options)
    with pytest.raises(ValueError, match=r"needs? .*ids.*qid="):
        evaluate(model, X, Y, scoring="ndcg@5")


def test_the_names_of_what_is_not_trained():
    results = evaluate(
        {"bm25": Ranks(), "f": score, "ridge": Ridge()}, X, Y, scoring="map", qid=QID
    )
    text = str(results)
    assert "3 models\n" in text
    assert "bm25, f: not trained, scored on 24 queries\n" in text
    assert "ridge: 5-fold cross-validation by query, 24 queries\n" in text
    assert "ridge: Interval: the mean of these trained models on new" in text
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
    result = evaluate(model, X, Y, scoring=own)
    assert seen[0] is model
    assert result.estimate["own"] == pytest.approx(accuracy_score(Y, score(X) > 0))
    assert np.isnan(result.confidence_interval["own"]).all()


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
    assert "scorers still need ids: get_scorer(..., qid='column')" in str(raised.value)
    with pytest.raises(ValueError, match="puts queries on both.*such as QueryKFold"):
        evaluate(Ridge(), X, GRADE, scoring="ndcg", qid=QID, method=KFold(5))


def test_the_same_rows_on_both_sides_when_said():
    rows = np.arange(len(X))
    result = evaluate(Ridge(), X, GRADE, scoring="ndcg", qid=QID, method=[(rows, rows)])
    fitted = Ridge().fit(X, GRADE).predict(X)
    assert result.estimate["ndcg"] == pytest.approx(ndcg_score(GRADE, fitted, qid=QID))
    assert "The splits that you passed test on training rows" in str(result)
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
    options = {"scoring": scoring, "params": {"sample_weight": weights}}
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


CUTS = {"two": [0], "three": [-0.5, 0.5]}
NAMES = {
    "zeros and ones": [0, 1, 2],
    "numbers": [1, 2, 3],
    "signs": [-1, 1, 3],
    "words": ["no", "yes", "maybe"],
}


class AsClassifier(ClassifierMixin, BaseEstimator):
    def __init__(self, predict=None, classes=()):
        self.predict = predict
        self.classes_ = np.unique(classes)

    def __sklearn_is_fitted__(self):
        return True


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("cuts", CUTS)
@pytest.mark.parametrize(
    "scoring",
    ["set_f1", "set_accuracy", "accuracy"]
    + [f"set_f1(average={average!r})" for average in ("macro", "micro", "weighted")],
)
def test_classes_of_a_function_are_scored_as_those_of_a_classifier(
    scoring, cuts, names
):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    named = np.array(NAMES[names])
    y = named[np.digitize(X[:, 0] + rng.normal(size=60), CUTS[cuts])]

    def predict(X):
        return named[np.digitize(X[:, 0], CUTS[cuts])]

    class Predicts:
        def predict(self, X):
            return predict(X)

    if (scoring, cuts, names) == ("set_f1", "two", "words"):
        with pytest.raises(ValueError, match="as in pos_label='yes'"):
            evaluate(predict, X, y, scoring=scoring)
        return
    frozen = FrozenEstimator(AsClassifier(predict, y))
    expected = evaluate(frozen, X, y, scoring=scoring)
    for model in (predict, Predicts()):
        result = evaluate(model, X, y, scoring=scoring)
        assert result.estimate == pytest.approx(expected.estimate)
        (interval,), (as_classifier,) = (
            evaluation.confidence_interval.values() for evaluation in (result, expected)
        )
        assert interval == pytest.approx(as_classifier, nan_ok=True)


def test_sets_of_a_function_that_cannot_be_scored():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    words = np.array(["a", "b", "c"])

    def predict(X):
        return words[np.digitize(X[:, 0], [-0.5, 0.5])]

    y = predict(X)
    message = r"qid must be None for set_\w+ of 3 classes.*pos_label"
    with pytest.raises(ValueError, match=message):
        evaluate(predict, X, y, scoring="set_f1", qid=np.arange(40) // 4)
    with pytest.raises(ValueError, match=r"hold only \['a'\].*pos_label"):
        evaluate(lambda X: ["a"] * len(X), X, ["a"] * 40, scoring="set_f1")


def test_zeros_and_ones_of_a_function_are_a_set_whatever_the_grades():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    grades = rng.integers(0, 3, 40)

    def retrieved(X):
        return (X[:, 0] > 0).astype(int)

    result = evaluate(retrieved, X, grades, scoring="set_f1")
    assert result.estimate["set_f1"] == set_f1_score(grades, retrieved(X))
