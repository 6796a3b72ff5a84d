"""Any estimator as a ranker."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import get_tags

from sklearn_irmetrics import get_scorer, ndcg_score
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.model_selection import QueryKFold


class Recorder(BaseEstimator):
    """Keeps what `fit` gets and ranks by the first feature."""

    def record(self, X, y, **arguments):
        self.X_, self.y_, self.fit_ = X, y, arguments
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


class GroupRanker(Recorder):
    """Takes queries as LightGBM before 4.7 does."""

    def fit(
        self,
        X,
        y,
        sample_weight=None,
        group=None,
        eval_set=None,
        eval_group=None,
        eval_sample_weight=None,
        init_score=None,
        eval_init_score=None,
        callbacks=None,
    ):
        given = {k: v for k, v in locals().items() if k not in {"self", "X", "y"}}
        return self.record(X, y, **given)


class GroupRankerWithEvalX(Recorder):
    """Takes queries as LightGBM from 4.7 on does."""

    def fit(self, X, y, group=None, eval_X=None, eval_y=None, eval_group=None):
        return self.record(
            X, y, group=group, eval_X=eval_X, eval_y=eval_y, eval_group=eval_group
        )


class QidRanker(Recorder):
    """Takes queries as XGBoost does."""

    def fit(
        self,
        X,
        y,
        *,
        qid=None,
        sample_weight=None,
        eval_set=None,
        eval_qid=None,
        sample_weight_eval_set=None,
    ):
        given = {k: v for k, v in locals().items() if k not in {"self", "X", "y"}}
        return self.record(X, y, **given)


class GroupIdRanker(Recorder):
    """Takes queries as CatBoost does."""

    def fit(self, X, y, group_id=None, group_weight=None, pairs=None, eval_set=None):
        return self.record(
            X, y, group_id=group_id, group_weight=group_weight, pairs=pairs
        )


RANKERS = [GroupRanker(), QidRanker(), GroupIdRanker()]


@pytest.fixture
def data():
    """Rows whose first feature is their number, four queries that are interleaved."""
    rng = np.random.default_rng(0)
    qid = np.array([3, 1, 2, 0, 3, 3, 1, 0, 2, 1, 3])
    X = np.column_stack([np.arange(11.0), rng.normal(size=(11, 2))])
    return X, rng.integers(0, 3, 11), qid


@pytest.fixture
def ranking():
    """Forty shuffled queries that a linear model ranks well."""
    rng = np.random.default_rng(1)
    qid = rng.integers(0, 40, 600)
    X = rng.normal(size=(600, 4))
    y = np.digitize(X[:, 0] + rng.normal(scale=0.7, size=600), [0, 1, 2])
    return X, y, qid


# Rows and queries


@pytest.mark.parametrize("ranker", RANKERS)
@pytest.mark.parametrize("name", [int, str, lambda i: ("query", i)])
def test_rows_are_brought_together_by_id_and_keep_their_order(data, ranker, name):
    X, y, qid = data
    fitted = QueryRanker(ranker).fit(X, y, qid=[name(i) for i in qid.tolist()])
    order = np.argsort(qid, kind="stable")
    assert_array_equal(fitted.estimator_.X_, X[order])
    assert_array_equal(fitted.estimator_.y_, y[order])
    assert fitted.n_queries_ == 4


def test_each_library_hears_of_queries_in_its_way(data):
    X, y, qid = data
    sizes, codes = [2, 3, 2, 4], [0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 3]
    for ranker, name, expected in (
        (GroupRanker(), "group", sizes),
        (GroupRankerWithEvalX(), "group", sizes),
        (QidRanker(), "qid", codes),
        (GroupIdRanker(), "group_id", codes),
    ):
        arguments = QueryRanker(ranker).fit(X, y, qid=qid).estimator_.fit_
        assert_array_equal(arguments.pop(name), expected)
        assert not any(value is not None for value in arguments.values())


def test_ids_without_an_order_come_by_appearance(data):
    X, y, qid = data
    ids = np.array([None, "b", 2.5, (0,)], dtype=object)
    ids[0] = "a"
    fitted = QueryRanker(QidRanker()).fit(X, y, qid=ids[qid])
    order = np.concatenate([np.flatnonzero(qid == i) for i in (3, 1, 2, 0)])
    assert_array_equal(fitted.estimator_.X_, X[order])


def test_learners_of_rows_get_the_rows_as_they_stand(data):
    X, y, qid = data

    class Pointwise(Recorder):
        def fit(self, X, y, sample_weight=None):
            return self.record(X, y, sample_weight=sample_weight)

    fitted = QueryRanker(Pointwise()).fit(X, y, qid=qid, sample_weight=qid + 1)
    assert fitted.estimator_.X_ is X
    assert_array_equal(fitted.estimator_.fit_["sample_weight"], qid + 1)
    assert fitted.n_queries_ == 4
    assert QueryRanker(Pointwise()).fit(X, y).n_queries_ is None


@pytest.mark.parametrize("estimator", [Ridge(), *RANKERS])
def test_weights_that_vary_inside_a_query_are_refused(data, estimator):
    X, y, qid = data
    with pytest.raises(ValueError, match="constant inside a query.*3"):
        QueryRanker(estimator).fit(X, y, qid=qid, sample_weight=np.arange(1, 12))


@pytest.mark.parametrize("ranker", RANKERS)
def test_a_ranker_without_ids_is_an_error(data, ranker):
    X, y, _ = data
    for estimator in (ranker, make_pipeline(StandardScaler(), ranker)):
        with pytest.raises(
            ValueError, match=f"{type(ranker).__name__} needs query ids.*en"
        ):
            QueryRanker(estimator).fit(X, y)


def test_grades_must_be_numbers(data):
    X, _, qid = data
    for y in (["good"] * 11, np.array(["good"] * 11, dtype=object)):
        with pytest.raises(TypeError, match="y must hold grades \\(real numbers\\)"):
            QueryRanker(LogisticRegression()).fit(X, y, qid=qid)
    for y in (np.where(qid == 3, np.nan, 1.0), [None] * 11):
        with pytest.raises(ValueError, match="y must not contain NaN"):
            QueryRanker(GroupRanker()).fit(X, y, qid=qid)
    as_objects = QueryRanker(Ridge()).fit(X, np.arange(11).astype(object), qid=qid)
    assert_allclose(
        as_objects.predict(X), QueryRanker(Ridge()).fit(X, range(11)).predict(X)
    )


def test_the_estimator_must_have_fit(data):
    X, y, qid = data
    for estimator in ("ridge", make_pipeline(StandardScaler(), "passthrough")):
        with pytest.raises(TypeError, match="estimator must have fit and predict"):
            QueryRanker(estimator).fit(X, y, qid=qid)


# Validation sets and other parameters of fit


IDS = np.array(["b", "a", "b"])


@pytest.fixture
def valid():
    X = np.array([[0.0, 1.0, 2.0], [1.0, 1.0, 2.0], [2.0, 0.0, 1.0]])
    return X, np.array([1, 0, 2]), IDS


def test_validation_sets(data, valid):
    X, y, qid = data
    Xv, yv, qv = valid
    both = {
        "eval_set": [(X[:2], y[:2]), (Xv, yv)],
        "eval_qid": [[0, 1], qv],
        "eval_sample_weight": [None, [3.0, 1.0, 3.0]],
    }
    order = [1, 0, 2]

    got = QueryRanker(GroupRanker()).fit(X, y, qid=qid, **both).estimator_.fit_
    assert got["eval_set"][0][0].base is X
    assert_array_equal(got["eval_set"][1][0], Xv[order])
    assert_array_equal(got["eval_set"][1][1], yv[order])
    assert_array_equal(got["eval_group"][1], [1, 2])
    assert got["eval_sample_weight"][0] is None
    assert_array_equal(got["eval_sample_weight"][1], [1.0, 3.0, 3.0])

    got = QueryRanker(QidRanker()).fit(X, y, qid=qid, **both).estimator_.fit_
    assert_array_equal(got["eval_set"][1][0], Xv[order])
    assert_array_equal(got["eval_qid"][1], [0, 1, 1])
    assert_array_equal(got["sample_weight_eval_set"][1], [1.0, 3.0])

    both.pop("eval_sample_weight")
    got = QueryRanker(GroupRankerWithEvalX()).fit(X, y, qid=qid, **both).estimator_.fit_
    assert isinstance(got["eval_X"], tuple)
    assert_array_equal(got["eval_X"][1], Xv[order])
    assert_array_equal(got["eval_y"][1], yv[order])
    assert_array_equal(got["eval_group"][1], [1, 2])


def test_validation_sets_of_learners_of_rows(data, valid):
    X, y, qid = data
    Xv, yv, _ = valid

    class Booster(Recorder):
        def fit(self, X, y, eval_set=None, eval_sample_weight=None):
            return self.record(X, y, eval_set=eval_set, weights=eval_sample_weight)

    class OtherBooster(Recorder):
        def fit(self, X, y, eval_set=None, sample_weight_eval_set=None):
            return self.record(X, y, eval_set=eval_set, weights=sample_weight_eval_set)

    for booster in (Booster(), OtherBooster()):
        fitted = QueryRanker(booster).fit(
            X, y, qid=qid, eval_set=[(Xv, yv)], eval_sample_weight=[[1, 2, 1]]
        )
        assert fitted.estimator_.fit_["eval_set"][0][0] is Xv
        assert_array_equal(fitted.estimator_.fit_["weights"][0], [1, 2, 1])
    with pytest.raises(TypeError, match="unexpected keyword argument 'eval_set'"):
        QueryRanker(Ridge()).fit(X, y, qid=qid, eval_set=[(Xv, yv)])


def test_validation_sets_pass_through_the_pipeline(data, valid):
    X, y, qid = data
    Xv, yv, qv = valid
    inner = make_pipeline(
        StandardScaler(), make_pipeline(StandardScaler(), QidRanker())
    )
    fitted = (
        QueryRanker(inner)
        .fit(X, y, qid=qid, eval_set=[(Xv, yv)], eval_qid=[qv])
        .estimator_
    )
    scaler = StandardScaler().fit(X)
    last = fitted[-1][-1]
    assert_allclose(last.X_, scaler.transform(X)[np.argsort(qid, kind="stable")])
    assert_allclose(last.fit_["eval_set"][0][0], scaler.transform(Xv[[1, 0, 2]]))
    assert_allclose(fitted.predict(X), scaler.transform(X)[:, 0])
    assert not hasattr(inner[0], "mean_")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"eval_qid": None}, r"eval_set\[0\] needs query ids: pass eval_q"),
        ({"eval_qid": IDS}, "eval_qid must be a list .* got .*ndarray"),
        ({"eval_qid": [IDS, IDS]}, "eval_qid must be a list.*1; got 2"),
        ({"eval_set": None}, "eval_qid must be a list.*0; got 1"),
        ({"eval_qid": [IDS[:2]]}, r"eval_set\[0\]: qid must have one id per row"),
        ({"eval_sample_weight": [[1, 2, 3]]}, r"eval_set\[0\]: sample_weight must be"),
    ],
)
def test_bad_validation_sets(data, valid, given, message):
    X, y, qid = data
    given = {"eval_set": [valid[:2]], "eval_qid": [IDS], **given}
    given = {name: value for name, value in given.items() if value is not None}
    with pytest.raises((TypeError, ValueError), match=message):
        QueryRanker(GroupRanker()).fit(X, y, qid=qid, **given)


def test_other_parameters_of_fit(data, valid):
    X, y, qid = data
    Xv, yv, qv = valid
    order = np.argsort(qid, kind="stable")
    ranker = QueryRanker(GroupRanker())
    callbacks = ["early stopping"]
    got = ranker.fit(X, y, qid=qid, init_score=None, callbacks=callbacks)
    assert got.estimator_.fit_["callbacks"] is callbacks
    init = list(range(11))
    got = ranker.fit(X[order], y[order], qid=qid[order], init_score=init)
    assert got.estimator_.fit_["init_score"] is init

    with pytest.raises(ValueError, match="init_score cannot be reordered"):
        ranker.fit(X, y, qid=qid, init_score=init)
    with pytest.raises(TypeError, match=r"qid=np.repeat\(np.arange\(len\(sizes\)\), s"):
        ranker.fit(X, y, qid=qid, group=[11])
    with pytest.raises(TypeError, match=r"eval_group.*qid=np.repeat"):
        ranker.fit(X, y, qid=qid, eval_group=[[11]])
    with pytest.raises(ValueError, match="pairs cannot be reordered"):
        QueryRanker(GroupIdRanker()).fit(X, y, qid=qid, pairs=[(0, 4)])
    pairs = [(0, 1)]
    together = QueryRanker(GroupIdRanker()).fit(
        X[order], y[order], qid=qid[order], pairs=pairs
    )
    assert together.estimator_.fit_["pairs"] is pairs
    with pytest.raises(ValueError, match="eval_init_score cannot be reordered"):
        ranker.fit(
            X[order],
            y[order],
            qid=qid[order],
            eval_set=[(Xv, yv)],
            eval_qid=[qv],
            eval_init_score=[[0, 0, 0]],
        )


def test_lists_as_long_as_the_rows_are_many_are_no_rows():
    class Named(Recorder):
        def fit(self, X, y, group=None, feature_name=None, callbacks=None):
            return self.record(X, y, feature_name=feature_name, callbacks=callbacks)

    X, names = np.arange(9.0).reshape(3, 3), ["x", "y", "z"]
    fitted = QueryRanker(Named()).fit(
        X, [0, 1, 2], qid=[2, 1, 2], feature_name=names, callbacks=names
    )
    assert_array_equal(fitted.estimator_.X_, X[[1, 0, 2]])
    assert fitted.estimator_.fit_ == {"feature_name": names, "callbacks": names}


# What shows through


def test_importances_and_coefficients_show_through(ranking):
    X, y, qid = ranking
    linear = QueryRanker(Ridge()).fit(X, y, qid=qid)
    assert linear.coef_ is linear.estimator_.coef_
    assert not hasattr(linear, "feature_importances_")
    trees = QueryRanker(DecisionTreeRegressor(max_depth=3)).fit(X, y, qid=qid)
    assert_array_equal(
        trees.feature_importances_, trees.estimator_.feature_importances_
    )
    for absent in ("coef_", "evals_result_", "best_iteration_"):
        assert not hasattr(trees, absent)
    assert not hasattr(QueryRanker(Ridge()), "coef_")


@pytest.mark.parametrize("key", [None, "query"])
def test_columns_are_those_of_fit(data, key):
    full, y = _with_ids(data)
    frame = _as_frame(full)
    fitted = QueryRanker(Ridge(), qid=key).fit(frame, y, qid=data[2])
    expected = fitted.predict(frame)
    reordered = frame[["size", "query", "number", "colour"]]
    renamed = frame.rename(columns={"size": "weight"})
    for other, message in (
        (reordered, "must be in the same order"),
        (renamed, "Feature names unseen at fit time:\n- weight"),
        (frame.assign(more=1.0), "unseen at fit time:\n- more"),
        (frame.drop(columns="size"), "seen at fit time, yet now missing:\n- size"),
    ):
        with pytest.raises(ValueError, match=message):
            fitted.predict(other)
        with pytest.raises(ValueError, match=message):
            fitted.score(other, y, qid=data[2])
    with pytest.raises(ValueError, match="X has 3 features, but QueryRanker is exp"):
        QueryRanker(Ridge(), qid=1).fit(full, y).predict(full[:, :3])
    assert_array_equal(fitted.predict(frame), expected)


class CopyingRanker(GroupIdRanker):
    """Copies lists that it is constructed with, as CatBoost does."""

    def __init__(self, cat_features=None, depth=1):
        self.cat_features = None if cat_features is None else list(cat_features)
        self.depth = depth


def test_estimators_that_copy_their_parameters_can_be_cloned(data):
    X, y, qid = data
    with pytest.raises(RuntimeError, match="Cannot clone"):
        clone(CopyingRanker(["cat"]))
    for inner in (
        CopyingRanker(["cat"]),
        make_pipeline("passthrough", StandardScaler(), CopyingRanker(["cat"])),
    ):
        with config_context(enable_metadata_routing=True):
            ranker = QueryRanker(inner).set_fit_request(sample_weight=True)
        twin = clone(ranker)
        assert twin.estimator is not inner
        last = twin.estimator[-1] if isinstance(inner, Pipeline) else twin.estimator
        assert last.cat_features == ["cat"]
        assert twin.get_metadata_routing().fit.requests == {
            **ranker.get_metadata_routing().fit.requests
        }
        fitted = ranker.fit(X, y, qid=qid)
        assert fitted.estimator_ is not inner
        assert not hasattr(clone(fitted), "estimator_")
        last = clone(fitted).estimator
        assert not hasattr(last[-1] if isinstance(last, Pipeline) else last, "X_")
    search = GridSearchCV(
        QueryRanker(CopyingRanker([0]), qid=1),
        {"estimator__depth": [1, 2]},
        cv=list(GroupKFold(2).split(X, y, qid)),
        error_score="raise",
    )
    assert search.fit(*_with_ids(data)).best_estimator_.estimator.cat_features == [0]


# The id column


def _as_array(X):
    return X


def _as_frame(X):
    pd = pytest.importorskip("pandas")
    return pd.DataFrame(X, columns=["number", "query", "size", "colour"])


def _with_ids(data):
    X, y, qid = data
    return np.insert(X, 1, qid, axis=1), y


@pytest.mark.parametrize(
    ("convert", "key"),
    [
        (_as_array, 1),
        (_as_array, -3),
        (np.ndarray.tolist, 1),
        (sp.csr_matrix, 1),
        (sp.coo_array, 1),
        (_as_frame, "query"),
        (_as_frame, 1),
    ],
)
def test_the_id_column_is_taken_out(data, convert, key):
    X, _, qid = data
    full, y = _with_ids(data)
    full = convert(full)
    expected = QueryRanker(Ridge()).fit(X, y)
    fitted = QueryRanker(Ridge(), qid=key).fit(full, y)
    assert_allclose(fitted.predict(full), expected.predict(X))
    assert fitted.score(full, y) == expected.score(X, y, qid=qid)
    assert fitted.n_queries_ == 4
    assert fitted.n_features_in_ == 4
    assert fitted.estimator_.n_features_in_ == 3


def test_names_of_columns(data):
    X, y, qid = data
    full, y = _with_ids(data)
    frame = _as_frame(full)
    fitted = QueryRanker(Ridge(), qid="query").fit(frame, y)
    assert list(fitted.feature_names_in_) == ["number", "query", "size", "colour"]
    assert list(fitted.estimator_.feature_names_in_) == ["number", "size", "colour"]
    fitted.set_params(qid=None).fit(frame, y)
    assert list(fitted.feature_names_in_) == ["number", "query", "size", "colour"]
    fitted.fit(full, y)
    assert not hasattr(fitted, "feature_names_in_")


def test_the_id_column_goes_where_ids_are_passed_too(data):
    X, y, qid = data
    full, y = _with_ids(data)
    other = np.arange(11) // 6
    fitted = QueryRanker(GroupRanker(), qid=1).fit(
        full, y, qid=other, eval_set=[(full, y)]
    )
    assert_array_equal(fitted.estimator_.X_, X)
    assert_array_equal(fitted.estimator_.fit_["group"], [6, 5])
    assert_array_equal(fitted.estimator_.fit_["eval_group"][0], [2, 3, 2, 4])
    assert fitted.score(full, y, qid=other) == ndcg_score(y, X[:, 0], qid=other)


@pytest.mark.parametrize("output", ["default", "pandas"])
def test_an_id_column_behind_a_step_belongs_around_the_pipeline(data, output):
    """A step drops the names of columns, and scales ids; the error says what to do."""
    pd = pytest.importorskip("pandas")
    X, y, qid = data
    frame = pd.DataFrame(X).add_prefix("x").assign(query=qid + 0.0)
    scaler = StandardScaler().set_output(transform=output)
    behind = make_pipeline(scaler, QueryRanker(Ridge(), qid="query"))
    message = r"wrap QueryRanker around the pipeline: QueryRanker\(make_pipeline\("
    with pytest.raises(ValueError, match=f"qid='query' must name .* {message}"):
        behind.fit(frame, y)
    around = QueryRanker(make_pipeline(scaler, Ridge()), qid="query").fit(frame, y)
    passed = QueryRanker(make_pipeline(StandardScaler(), Ridge())).fit(X, y, qid=qid)
    assert_allclose(around.predict(frame), passed.predict(X))


def test_a_missing_id_column_is_named(data):
    full, y = _with_ids(data)
    frame = _as_frame(full)
    with pytest.raises(ValueError, match=r"qid='query' must name a column.*\(11, 4\)"):
        QueryRanker(Ridge(), qid="query").fit(full, y)
    fitted = QueryRanker(Ridge(), qid="query").fit(frame, y)
    with pytest.raises(ValueError, match="qid='query' must name a column"):
        fitted.predict(frame.drop(columns="query"))


# Predictions and scores


def test_classifiers_predict_the_expected_grade(ranking):
    X, y, qid = ranking
    y = np.array([0, 1, 2, 5])[y]
    model = LogisticRegression().fit(X, y)
    expected = model.predict_proba(X) @ [0, 1, 2, 5]
    for estimator in (LogisticRegression(), Pipeline([("only", LogisticRegression())])):
        ranker = QueryRanker(estimator).fit(X, y, qid=qid)
        assert_allclose(ranker.predict(X), expected)
        assert ranker.score(X, y, qid=qid) == ndcg_score(y, expected, qid=qid)
        assert not hasattr(ranker, "predict_proba")


@pytest.mark.parametrize("qid", [None, 1])
def test_a_pipeline_may_resample_the_rows_of_a_classifier(ranking, qid):
    samplers = pytest.importorskip("imblearn.over_sampling")
    from imblearn.pipeline import make_pipeline as make_resampling_pipeline

    X, y, ids = ranking
    y = y > 1
    sampler = samplers.RandomOverSampler(random_state=0)
    model = make_resampling_pipeline(StandardScaler(), sampler, LogisticRegression())
    expected = clone(model).fit(X, y).predict_proba(X)[:, 1]
    rows, options = (X, {"qid": ids}) if qid is None else (np.insert(X, 1, ids, 1), {})
    ranker = QueryRanker(model, qid=qid).fit(rows, y, **options)
    assert_allclose(ranker.predict(rows), expected)
    with pytest.raises(
        ValueError, match="resample rows .* RandomOverSampler.*Resampled"
    ):
        QueryRanker(model).fit(X, y, qid=ids, sample_weight=np.ones(len(y)))
    of_queries = make_resampling_pipeline(sampler, GroupRanker())
    with pytest.raises(ValueError, match="estimator must not resample rows"):
        QueryRanker(of_queries).fit(X, y, qid=ids)


def test_binary_classifiers_may_rank_by_their_decision_function(ranking):
    X, y, qid = ranking
    ranker = QueryRanker(LinearSVC()).fit(X, y > 1, qid=qid)
    assert_allclose(ranker.predict(X), LinearSVC().fit(X, y > 1).decision_function(X))
    for classifier in (LinearSVC(), make_pipeline(StandardScaler(), SVC())):
        with pytest.raises(ValueError, match="SVC has none, for 4 grades"):
            QueryRanker(classifier).fit(X, y, qid=qid)


def test_score_is_ndcg_over_queries(ranking):
    X, y, qid = ranking
    ranker = QueryRanker(Ridge()).fit(X, y, qid=qid)
    expected = ndcg_score(y, Ridge().fit(X, y).predict(X), qid=qid)
    assert ranker.score(X, y, qid=qid) == expected
    assert isinstance(expected, float)
    with pytest.raises(ValueError, match="score, as fit did, needs query ids"):
        ranker.score(X, y)
    together = ndcg_score(y, ranker.predict(X))
    assert ranker.score(X, y, qid=None) == together
    with pytest.warns(
        UserWarning, match=r"all \d+ rows count as one ranking. Pass qid="
    ):
        assert QueryRanker(Ridge()).fit(X, y).score(X, y) == together != expected


def numbered(n_queries, start, seed):
    sizes = np.random.default_rng(seed).integers(3, 9, n_queries)
    X = np.random.default_rng(seed).normal(size=(sizes.sum(), 2))
    return X, (X[:, 0] > 0).astype(int), np.repeat(np.arange(n_queries) + start, sizes)


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("sizes", [(30, 12), (12, 30), (20, 20), (20, 1)])
def test_queries_numbered_on_their_own_are_others(start, sizes):
    (X, y, qid), test = (numbered(n, start, seed) for seed, n in enumerate(sizes))
    scorer = get_scorer("ndcg", replace_undefined_by=0.0)
    with config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("error")
        model = make_pipeline(StandardScaler(), QueryRanker(Ridge()))
        scorer(model.fit(X, y, qid=qid), *test[:2], qid=test[2])
        grid = {"queryranker__estimator__alpha": [1.0]}
        search = GridSearchCV(model, grid, scoring=scorer, cv=QueryKFold(3))
        search.fit(X, y, qid=qid).score(*test[:2], qid=test[2])


def test_text_goes_through():
    texts = ["blue sky", "red sky", "blue sea", "red sea"]
    ranker = QueryRanker(make_pipeline(CountVectorizer(), Ridge()))
    ranker.fit(texts, [1, 0, 1, 0], qid=[0, 0, 1, 1])
    assert ranker.score(texts, [1, 0, 1, 0], qid=[0, 0, 1, 1]) == 1.0


# As an estimator of scikit-learn


def test_only_predict_and_neither_classifier_nor_regressor():
    ranker = QueryRanker(LogisticRegression())
    assert not is_classifier(ranker)
    assert not is_regressor(ranker)
    tags = get_tags(ranker)
    assert tags.estimator_type is None
    assert tags.target_tags.required
    assert tags.input_tags == get_tags(LogisticRegression()).input_tags
    assert get_tags(QueryRanker(SVC(kernel="precomputed"))).input_tags.pairwise


def test_a_search_scores_by_default_with_ndcg(ranking):
    X, y, qid = ranking
    grid = {"estimator__alpha": [0.1, 1e4]}
    with config_context(enable_metadata_routing=True):
        folds = GroupKFold(3).set_split_request(groups="qid")
        options = {"cv": folds, "error_score": "raise"}
        by_default, by_name = (
            GridSearchCV(QueryRanker(Ridge()), grid, scoring=scoring, **options)
            for scoring in (None, get_scorer("ndcg"))
        )
        by_default.fit(X, y, qid=qid)
        assert by_default.best_score_ == by_name.fit(X, y, qid=qid).best_score_
        assert by_default.score(X, y, qid=qid) == by_name.score(X, y, qid=qid)


def test_fit_arguments_can_be_requested(ranking):
    X, y, qid = ranking
    with config_context(enable_metadata_routing=True):
        ranker = QueryRanker(GroupRanker()).set_fit_request(
            eval_set=True, eval_qid=True, sample_weight=True
        )
        pipeline = make_pipeline(FunctionTransformer(), ranker).fit(
            X,
            y,
            qid=qid,
            sample_weight=np.ones(600),
            eval_set=[(X[:5], y[:5])],
            eval_qid=[qid[:5]],
        )
    assert len(pipeline[-1].estimator_.fit_["eval_set"]) == 1


def test_nothing_is_changed_in_place(data):
    X, y, qid = data
    weight = np.ones(11)
    copies = [a.copy() for a in (X, y, qid, weight)]
    estimator = LinearRegression()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for model in (estimator, QidRanker()):
            QueryRanker(model).fit(X, y, qid=qid, sample_weight=weight)
    for array, copy in zip((X, y, qid, weight), copies, strict=True):
        assert_array_equal(array, copy)
    assert not hasattr(estimator, "coef_")
