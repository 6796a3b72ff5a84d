"""Measures that LightGBM, XGBoost and CatBoost log, and stop early by."""

import warnings
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from oracles.boosters import LIBRARIES, ROUNDS, make_model, predict_after, sizes_of
from sklearn_irmetrics import Measure, QueryRanker, score_queries
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.estimators.boosting import (
    catboost_metric,
    lightgbm_metric,
    xgboost_metric,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore:.* undefined in"),
    pytest.mark.filterwarnings("ignore:Failed to import numba"),
    pytest.mark.filterwarnings("ignore:Can't optimize"),
    pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated"),
]
METRICS = ["ndcg@10", "map@20", "mrr", "RBP(persistence=0.5)@3"]


def split(seed, n_queries=60):
    """Training and validation rows: queries of 1 to 30 rows, some without relevant."""
    X, y, qid = make_ranking(n_queries=n_queries, n_docs=(1, 30), random_state=seed)
    y = np.where(qid % 7 == 3, 0, y)
    train = qid % 3 > 0
    return (X[train], y[train], qid[train]), (X[~train], y[~train], qid[~train])


@pytest.fixture(scope="module")
def parts():
    return split(0)


def weights_of(qid):
    return 1.0 + qid % 5


def check(log, predict, valid, metrics=METRICS, tolerance=1e-9, weighted=True):
    """Compare what was logged with measures of the predictions after each round."""
    X, y, qid = valid
    options = {"qid": qid, "sample_weight": weights_of(qid) if weighted else None}
    for i in range(ROUNDS):
        by_hand = score_queries(y, predict(X, i + 1), metrics, **options).mean
        assert {*metrics} <= {*log}
        for name in metrics:
            assert log[name][i] == pytest.approx(by_hand[name], abs=tolerance)
    assert len(set(log[metrics[0]])) > 1


def check_model(model, log, valid, *args, **options):
    check(log, partial(predict_after, model), valid, *args, **options)


# Each interface of each library


def test_lightgbm_train(parts):
    lightgbm = pytest.importorskip("lightgbm")
    (X, y, qid), valid = parts
    train_set = lightgbm.Dataset(X, y, group=sizes_of(qid))
    valid_set = lightgbm.Dataset(
        *valid[:2],
        group=sizes_of(valid[2]),
        weight=weights_of(valid[2]),
        reference=train_set,
    )
    log = {}
    params = {"objective": "lambdarank", "metric": "None", "num_threads": 1}
    model = lightgbm.train(
        {**params, "verbose": -1, "min_data_in_leaf": 5},
        train_set,
        ROUNDS,
        valid_sets=[train_set, valid_set],
        valid_names=["train", "valid"],
        feval=lightgbm_metric(METRICS),
        callbacks=[lightgbm.record_evaluation(log)],
    )

    def predict(X, i):
        return model.predict(X, num_iteration=i)

    check(log["valid"], predict, valid)
    check(log["train"], predict, parts[0], weighted=False)


def test_xgboost_train(parts):
    xgboost = pytest.importorskip("xgboost")
    (X, y, qid), (A, b, q) = parts
    by_query = weights_of(np.unique(q))
    train_set = xgboost.DMatrix(X, y, qid=qid)
    valid_set = xgboost.DMatrix(A, b, qid=q, weight=by_query)
    log = {}
    model = xgboost.train(
        {"objective": "rank:ndcg", "nthread": 1, "disable_default_eval_metric": 1},
        train_set,
        ROUNDS,
        evals=[(train_set, "train"), (valid_set, "valid")],
        custom_metric=xgboost_metric(METRICS),
        evals_result=log,
        verbose_eval=False,
    )

    def predict(X, i):
        return model.predict(xgboost.DMatrix(X), iteration_range=(0, i))

    assert {*log["valid"]} == {*METRICS}
    # XGBoost writes six decimals.
    check(log["valid"], predict, parts[1], tolerance=1e-6)
    check(log["train"], predict, parts[0], tolerance=1e-6, weighted=False)


def test_xgboost_ranker(parts):
    pytest.importorskip("xgboost")
    (X, y, qid), valid = parts
    A, b, q = shuffled(valid)
    callback = xgboost_metric(METRICS).callback([(A, b)], [q], [weights_of(q)])
    model = make_model("xgboost", callbacks=[callback]).fit(X, y, qid=qid)
    check_model(model, model.evals_result()["validation_0"], (A, b, q))
    callback = xgboost_metric("mrr").callback([(A, b)], [q], early_stopping_rounds=2)
    model = make_model("xgboost", 50, callbacks=[callback]).fit(X, y, qid=qid)
    log = model.evals_result()["validation_0"]["mrr"]
    assert model.best_iteration + 1 == stopped(log, 2)
    assert len(log) == model.best_iteration + 3


def test_catboost_ranker(parts):
    catboost = pytest.importorskip("catboost")
    (X, y, qid), (A, b, q) = parts
    train = catboost.Pool(X, y, group_id=qid)
    valid = catboost.Pool(A, b, group_id=q, group_weight=weights_of(q))
    for name in METRICS:
        metric = catboost_metric(name, [(y, qid), (b, q)])
        model = make_model("catboost", use_best_model=False, eval_metric=metric)
        log = model.fit(train, eval_set=valid).evals_result_
        check_model(model, log["validation"], parts[1], [name])
        check_model(model, log["learn"], parts[0], [name], weighted=False)


def test_catboost_shuffles_training_rows_only(parts):
    catboost = pytest.importorskip("catboost")
    pd = pytest.importorskip("pandas")
    (X, y, qid), (A, b, q) = parts
    frames = [
        pd.DataFrame(part).assign(cat=(part[:, 0] * 7).astype(int)) for part in (X, A)
    ]
    given = {"cat_features": ["cat"]}
    metric = catboost_metric("map@20", [(y, qid), (b, q)])
    model = make_model("catboost", use_best_model=False, eval_metric=metric).fit(
        catboost.Pool(frames[0], y, group_id=qid, **given),
        eval_set=catboost.Pool(frames[1], b, group_id=q, **given),
    )
    log, valid = model.evals_result_, (frames[1], b, q)
    assert set(log["learn"]["map@20"]) == {-1.0}
    check_model(model, log["validation"], valid, ["map@20"], weighted=False)
    metric = catboost_metric("map@20", [(y, qid), (b, q)])
    assert metric.evaluate([np.arange(len(y))], y[::-1], None) == (-1.0, 1.0)
    with pytest.raises(ValueError, match=f"data set of {len(b)} rows"):
        metric.evaluate([np.arange(len(b))], b[::-1], None)


@pytest.mark.parametrize("library", LIBRARIES)
def test_regressors_whose_metrics_see_no_groups(parts, library):
    (X, y, qid), valid = parts
    A, b, q = shuffled(valid)
    data = [(y, qid), (b, q.astype(str))]
    make = {
        "lightgbm": lightgbm_metric,
        "xgboost": xgboost_metric,
        "catboost": catboost_metric,
    }[library]
    metric = {"eval_metric": make("map@20", data=data)}
    of_fit = metric if library == "lightgbm" else {}
    of_model = {} if of_fit else metric
    if library == "catboost":
        of_model["use_best_model"] = False
    model = make_model(library, kind="Regressor", **of_model)
    model.fit(X, y, eval_set=[(A, b)], **of_fit)
    log = getattr(model, "evals_result_", None) or model.evals_result()
    (log,) = (values for name, values in log.items() if name.startswith("valid"))
    tolerance = 1e-6 if library == "xgboost" else 1e-9
    check_model(model, log, (A, b, q), ["map@20"], tolerance, weighted=False)


# QueryRanker


def shuffled(part, seed=0):
    order = np.random.default_rng(seed).permutation(len(part[1]))
    return [column[order] for column in part]


def fit(ranker, parts):
    """Fit with a validation set."""
    (X, y, qid), (A, b, q) = parts
    return ranker.fit(X, y, qid=qid, eval_set=[(A, b)], eval_qid=[q])


def stopped(values, patience):
    """Return after how many rounds the best model is; stop when none gets better."""
    best = 0
    for i, value in enumerate(values):
        if value > values[best]:
            best = i
        elif i - best >= patience:
            break
    return best + 1


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("seed", range(2))
def test_early_stopping_at_the_round_that_a_loop_finds(library, seed):
    train, valid = split(seed, n_queries=45)
    A, b, q = shuffled(valid)
    model = make_model(library, 40, **stopping_of(library, 4))
    ranker = fit(QueryRanker(model, eval_metric="map@20"), (train, (A, b, q)))
    whole = QueryRanker(make_model(library, 40)).fit(*train).estimator_
    by_round = [
        score_queries(b, predict_after(whole, A, i), "map@20", qid=q).mean["map@20"]
        for i in range(1, 41)
    ]
    assert ranker.best_iteration_ == stopped(by_round, 4) < 36
    assert_allclose(
        ranker.predict(A), predict_after(whole, A, ranker.best_iteration_), rtol=1e-6
    )


def stopping_of(library, rounds):
    name = "early_stopping_round" if library == "lightgbm" else "early_stopping_rounds"
    return {name: rounds}


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
@pytest.mark.parametrize("metrics", [["mrr", "ndcg@3"], ["ndcg@3", "mrr"]])
def test_the_first_measure_stops_whatever_its_name(parts, library, metrics):
    model = make_model(library, 60, **stopping_of(library, 3))
    ranker = fit(QueryRanker(model, eval_metric=metrics), parts)
    (log,) = ranker.evals_result_.values()
    assert ranker.best_iteration_ == stopped(log[metrics[0]], 3)
    assert len(log["mrr"]) <= ranker.best_iteration_ + 3


def test_parameters_of_the_estimator_stay_what_they_were(parts):
    model = make_model("xgboost", eval_metric="map", early_stopping_rounds=2)
    before = model.get_params()
    ranker = fit(QueryRanker(model, eval_metric="ndcg"), parts)
    assert str(model.get_params()) == str(before)
    assert str(ranker.estimator_.get_params()) == str(before)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_measure_without_validation_sets_is_refused(parts, library):
    # CatBoost would train all its rounds, as if it had found no reason to stop.
    (X, y, qid), _ = parts
    ranker = QueryRanker(make_model(library), eval_metric="map")
    with pytest.raises(ValueError, match=r"eval_metric needs validation sets.*_frac"):
        ranker.fit(X, y, qid=qid)
    plain = QueryRanker(make_model(library)).fit(X, y, qid=qid)
    assert not hasattr(plain, "best_iteration_")


@pytest.mark.parametrize("library", LIBRARIES)
def test_undefined_queries_of_held_out_parts_are_not_warned_of(parts, library):
    # A search would warn for each fit, with other numbers; its scorer warns once.
    (X, y, qid), valid = parts
    ranker = QueryRanker(
        make_model(library), eval_metric="map", validation_fraction=0.5, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", UndefinedMetricWarning)
        ranker.fit(X, y, qid=qid)
    with pytest.warns(UndefinedMetricWarning, match="map is undefined in .* queries"):
        fit(QueryRanker(make_model(library), eval_metric="map"), parts)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("piped", [False, True])
def test_validation_sets_have_the_columns_of_the_training_set(parts, library, piped):
    pd = pytest.importorskip("pandas")
    (X, *of_train), (A, *of_valid) = parts
    model = make_model(library)
    ranker = QueryRanker(make_pipeline("passthrough", model) if piped else model)
    names = [f"f{i}" for i in range(X.shape[1])]
    train, valid = (pd.DataFrame(part, columns=names) for part in (X, A))
    unlike = r"eval_set\[0\]: The feature names should"
    for first, second, message in (
        (X, A[:, :2], r"eval_set\[0\]: X has 2 features, but Query"),
        (train, valid[names[::-1]], unlike),
        (train, valid.rename(columns={"f0": "g"}), unlike),
    ):
        with pytest.raises(ValueError, match=message):
            fit(ranker, ((first, *of_train), (second, *of_valid)))
    assert not hasattr(ranker, "n_features_in_")
    fit(ranker, ((train, *of_train), (valid, *of_valid)))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("kind", ["Ranker", "Regressor"])
def test_no_early_stopping_by_what_is_undefined(parts, library, kind):
    (X, y, qid), (A, b, q) = parts
    model = make_model(library, kind=kind, **stopping_of(library, 2))
    sets = {"eval_set": [(A, b), (A, 0 * b)], "eval_qid": [q, q]}
    error: type[Exception] = ValueError
    if library == "catboost":
        error = pytest.importorskip("catboost").CatBoostError
    with pytest.raises(error, match=r"map.* is undefined in every query"):
        QueryRanker(model, eval_metric=["map"]).fit(X, y, qid=qid, **sets)
    QueryRanker(model, eval_metric="p@5").fit(X, y, qid=qid, **sets)


def test_a_callback_serves_one_training_after_another():
    pytest.importorskip("xgboost")
    train, (A, b, q) = split(1)
    X, y, qid = (part[np.argsort(train[2], kind="stable")] for part in train)
    metric = xgboost_metric("map")
    callback = metric.callback([(A, b)], [q], early_stopping_rounds=3)

    def best(rate):
        model = make_model("xgboost", 40, callbacks=[callback])
        model.set_params(learning_rate=rate).fit(X, y, qid=qid)
        return model.best_iteration, model.evals_result_["validation_0"]["map"]

    rates = [0.01, 0.05, 0.3, 0.9]
    alone = list(map(best, rates))
    assert list(map(best, rates)) == alone


@pytest.mark.parametrize("rounds", [0, -1, 1.5, "2", True])
def test_rounds_of_a_callback(parts, rounds):
    pytest.importorskip("xgboost")
    _, (A, b, q) = parts
    with pytest.raises((TypeError, ValueError), match="early_stopping_rounds must be"):
        xgboost_metric("map").callback([(A, b)], [q], early_stopping_rounds=rounds)


def test_grades_of_polars(parts):
    pl = pytest.importorskip("polars")

    def log(column):
        ranker = QueryRanker(make_model("lightgbm"), eval_metric="map")
        columns = [(X, column(y), column(qid)) for X, y, qid in parts]
        return fit(ranker, columns).evals_result_

    assert log(pl.Series) == log(np.asarray)


# Judgments are prepared once, and for the right data


def test_data_sets_are_told_apart_by_all_that_matters():
    metric = lightgbm_metric("map")
    score = np.array([4.0, 3.0, 2.0, 1.0, 0.0])
    cases = [
        ([1, 0, 0, 1], None, [4]),
        ([0, 1, 0, 1], None, [4]),
        ([1, 0, 0, 1], None, [2, 2]),
        ([1, 0, 0, 1], None, [1, 3]),
        ([1, 0, 0, 1], [1.0, 1.0, 3.0, 3.0], [2, 2]),
        ([1, 0, 0, 1], [3.0, 3.0, 1.0, 1.0], [2, 2]),
        ([1, 0, 0, 1, 0], None, [5]),
    ]
    for y, weight, group in cases * 2:
        scores, qid = score[: len(y)], np.repeat(np.arange(len(group)), group)
        weight = None if weight is None else np.array(weight)
        table = score_queries(y, scores, "map", qid=qid, sample_weight=weight)
        ((name, value, greater),) = metric(np.array(y), scores, weight, group)
        assert (name, greater) == ("map", True)
        assert value == pytest.approx(table.mean["map"], abs=1e-15)


def test_grades_that_change_in_place_are_noticed():
    metric = lightgbm_metric("map")
    y, scores = np.array([1, 0, 0]), np.array([3.0, 2.0, 1.0])
    assert metric(y, scores, None, [3])[0][1] == 1.0
    y[:] = [0, 1, 0]
    assert metric(y, scores, None, [3])[0][1] == 0.5


def test_undefined_queries_are_told_of_once_and_counted_as_asked():
    y, scores = np.array([1, 0, 0, 0]), np.array([1.0, 2.0, 3.0, 4.0])
    metric = lightgbm_metric("map")
    with pytest.warns(UndefinedMetricWarning, match="1 of 2 queries"):
        assert metric(y, scores, None, [2, 2])[0][1] == 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert metric(y, scores, None, [2, 2])[0][1] == 0.5
    metric = lightgbm_metric("map", replace_undefined_by=0.0)
    assert metric(y, scores, None, [2, 2])[0][1] == 0.25


def test_ties_and_names_and_directions():
    y, tied = np.array([1, 0]), np.zeros(2)
    for ties, value in (("average", 0.75), ("pessimistic", 0.5), ("optimistic", 1.0)):
        metric = lightgbm_metric("map", ties=ties)
        assert metric(y, tied, None, [2])[0][1] == value
    metric = lightgbm_metric({"mine": Measure("AP"), "its recall": "recall@1"})
    names = [name for name, _, _ in metric(y, tied, None, [2])]
    assert names == ["mine", "its recall"]
    effort = lightgbm_metric("recall_effort(n_expected=1)")
    assert effort(y, np.array([2.0, 1.0]), None, [2])[0][2] == effort.greater_is_better


# What they refuse


def test_xgboost_ranker_cannot_take_a_function(parts):
    (X, y, qid), (A, b, q) = parts
    for data in (None, [(b, q)]):
        model = make_model("xgboost", eval_metric=xgboost_metric("ndcg", data=data))
        with pytest.raises(ValueError, match="XGBRanker calls eval_metric with one"):
            model.fit(X, y, qid=qid, eval_set=[(A, b)], eval_qid=[q])


def test_queries_nobody_told_of(parts):
    (X, y, qid), (A, b, q) = parts
    model = make_model("lightgbm", 2, kind="Regressor")
    for data in (None, [(y, qid)]):
        metric = lightgbm_metric("map", data=data)
        with pytest.raises(ValueError, match=r"data must hold \(y_true, qid\) of the"):
            model.fit(X, y, eval_set=[(A, b)], eval_metric=metric)
    dmatrix = pytest.importorskip("xgboost").DMatrix(X, y)
    with pytest.raises(ValueError, match="data must hold"):
        xgboost_metric("map")(np.zeros(len(y)), dmatrix)


def test_catboost_says_which_data_it_lacks(parts):
    catboost = pytest.importorskip("catboost")
    (X, y, qid), (_, b, q) = parts
    model = make_model("catboost", eval_metric=catboost_metric("map", [(b, q)]))
    said = rf"\nValueError: data must .* data set of {len(y)} rows .*\n$"
    with pytest.raises(catboost.CatBoostError, match=said):
        model.fit(X, y, group_id=qid)


def test_catboost_takes_no_nan():
    nothing = [([0, 0, 0], [1, 1, 2])]
    scores = [np.arange(3.0)]
    with pytest.raises(ValueError, match="map is undefined in every query.*replace_un"):
        catboost_metric("map", nothing).evaluate(scores, np.zeros(3), None)
    filled = catboost_metric("map", nothing, replace_undefined_by=0.0)
    assert filled.evaluate(scores, np.zeros(3), None) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        ("set_f1", "metrics must rank documents by their scores alone"),
        ("coverage_ratio", "metrics must rank.*known"),
        ("alpha_ndcg", "metrics must rank.*subtopic"),
        ("p", "metrics: 'p' needs a cutoff"),
        ("rbp_residual", "metrics: 'rbp_residual'"),
        ("map(average=None)", "metrics must be averaged"),
        ("mapp", "metrics: unknown|metrics: .*mapp"),
        ("ndcg(gain='square')", "gain must be"),
    ],
)
def test_measures_that_make_no_metric(metrics, message):
    for make in (lightgbm_metric, xgboost_metric):
        with pytest.raises(ValueError, match=message):
            make(metrics)
    with pytest.raises(ValueError, match=message.replace("metrics", "metric")):
        catboost_metric(metrics, [([1, 0], [1, 1])])


def test_data_that_cannot_be_told_apart():
    first, other = ([1, 0, 1], ["a", "a", "b"]), ([1, 0, 1], ["a", "b", "b"])
    with pytest.raises(ValueError, match=r"data\[0\] and data\[1\] have the same gra"):
        lightgbm_metric("map", data=[first, other])
    same = ([1.0, 0.0, 1.0], [7, 7, 8])
    lightgbm_metric("map", data=[first, same])
    with pytest.raises(ValueError, match=r"data\[0\]: qid must have one id per row"):
        lightgbm_metric("map", data=[([1, 0], [1])])
    with pytest.raises(TypeError, match="data must be a list of pairs"):
        lightgbm_metric("map", data=first[0])


def test_names_that_xgboost_would_split():
    xgboost = pytest.importorskip("xgboost")
    data = xgboost.DMatrix(np.zeros((4, 1)), [1, 0, 2, 0], qid=[0, 0, 1, 1])
    metric = xgboost_metric("ap(relevance_threshold=2, denominator='k')@3")
    ((name, _),) = metric(np.arange(4.0), data)
    assert name == "ap(relevance_threshold=2,denominator='k')@3"
    metric = xgboost_metric(Measure("ndcg", gain={0: 0, 1: 1, 2: 3}))
    with pytest.raises(ValueError, match="names without ':'"):
        metric(np.arange(4.0), data)


def test_scores_of_classes_are_refused():
    with pytest.raises(ValueError, match=r"must have the shape .*; got \(2, 3\)"):
        lightgbm_metric("map")(np.array([1, 0]), np.zeros((2, 3)), None, [2])


def test_estimators_that_cannot_log(parts):
    (X, y, qid), (A, b, q) = parts
    lightgbm = pytest.importorskip("lightgbm")
    piped = make_pipeline(StandardScaler(), Ridge())
    for estimator in (Ridge(), piped, lightgbm.LGBMClassifier()):
        with pytest.raises(TypeError, match="eval_metric needs a ranker or regressor"):
            fit(QueryRanker(estimator, eval_metric="map"), parts)
    given = {"eval_set": [(A, b)]}
    ranker = QueryRanker(make_model("lightgbm", kind="Regressor"), eval_metric="map")
    with pytest.raises(TypeError, match="eval_metric cannot be passed to fit"):
        ranker.fit(X, y, **given, eval_qid=[q], eval_metric="ndcg")
    with pytest.raises(ValueError, match=r"eval_set\[0\] needs query ids: pass eval_q"):
        ranker.fit(X, y, **given)
    ranker = QueryRanker(make_model("catboost", kind="Regressor"), eval_metric="map")
    with pytest.raises(ValueError, match="CatBoost also measures the training set"):
        ranker.fit(X, y, **given, eval_qid=[q])


def test_catboost_logs_one_measure(parts):
    ranker = QueryRanker(make_model("catboost"), eval_metric=["map", "mrr"])
    match = "^eval_metric must be one measure, .* takes only one; got 2: map, mrr"
    with pytest.raises(ValueError, match=match):
        fit(ranker, parts)
