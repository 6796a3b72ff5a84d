"""Results: what they show, and that dicts, JSON and back change nothing."""

import dataclasses
import json
import pickle
import re
import sys
import tracemalloc
from collections.abc import Mapping
from datetime import date
from io import BytesIO

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_multilabel_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from oracles.queries import graded_queries
from sklearn_irmetrics import Measure, contingency_table, score_queries
from sklearn_irmetrics.comparison import compare, leaderboard, plan_queries
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.judging import (
    JudgmentPlan,
    compare_judged,
    score_judged,
)
from sklearn_irmetrics.model_selection import (
    EvaluationResult,
    QueryKFold,
    ResampledSplit,
    evaluate,
    query_learning_curve,
)
from sklearn_irmetrics.reports import QueryScores
from sklearn_irmetrics.runs import agreement, leave_one_out_pool
from sklearn_irmetrics.streaming import StreamingEvaluator

X, Y, QID = graded_queries(14, 8, ids=[f"q{i}" for i in range(14)])
CLASSES = load_iris(return_X_y=True)


def same(one, other):
    """Whether all fields are the same, types and the last bits included."""
    if isinstance(one, np.floating):
        one = float(one)
    assert type(one) is type(other)
    if dataclasses.is_dataclass(one):
        for field in dataclasses.fields(one):
            if field.name != "cv":
                same(getattr(one, field.name), getattr(other, field.name))
    elif isinstance(one, Mapping):
        assert list(one) == list(other)
        for key in one:
            same(one[key], other[key])
    elif isinstance(one, list | tuple):
        assert len(one) == len(other)
        for each in zip(one, other, strict=True):
            same(*each)
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        same(one.ravel().tolist(), other.ravel().tolist())
    else:
        assert repr(one) == repr(other)


def there_and_back(result):
    text = result.to_json()

    def refuse(constant):
        raise AssertionError(f"JSON has no {constant}")

    data = json.loads(text, parse_constant=refuse)
    assert data == result.to_dict()
    return type(result).from_dict(data)


def check(result):
    again = there_and_back(result)
    same(result, again)
    assert repr(again) == repr(result)
    assert again.to_csv() == result.to_csv()
    assert again.to_latex() == result.to_latex()
    return again


def ranked(scoring="ndcg@5", **options):
    options = {"qid": QID, "n_splits": 3, "random_state": 0, **options}
    return evaluate(Ridge(), X, Y, scoring=scoring, **options)


EVALUATIONS = {
    "kfold": {"return_train_score": True},
    "holdout": {"method": "holdout", "n_splits": None},
    "subsampling": {"method": "subsampling"},
    "loocv": {"method": "loocv", "n_splits": None},
    "bootstrap": {"method": "bootstrap"},
    "bootstrap632": {"method": "bootstrap632"},
    "bootstrap632+": {"method": "bootstrap632+"},
    "given": {"method": list(KFold(2).split(X)), "n_splits": None, "qid": None},
    "splitter": {"method": ShuffleSplit(2), "n_splits": None, "qid": None},
    "repeated": {
        "method": QueryKFold(3, n_repeats=2, shuffle=True),
        "n_splits": None,
        "interval": "corrected_t",
    },
    "groups": {"groups": [int(one[1:]) // 2 for one in QID]},
    "weights": {"params": {"sample_weight": np.array([1.0 + len(q) for q in QID])}},
    "oversampled": {
        "method": ResampledSplit(QueryKFold(3, shuffle=True), unit="query"),
        "n_splits": None,
    },
}


@pytest.mark.parametrize("name", EVALUATIONS)
@pytest.mark.filterwarnings("ignore:.*undefined")
def test_evaluations(name):
    options = EVALUATIONS[name]
    scoring = "r2" if options.get("qid", QID) is None else ["ndcg@5", "map"]
    result = check(ranked(scoring, **options))
    assert isinstance(result.cv, str)
    check(result)


@pytest.mark.parametrize(
    ("estimator", "data", "scoring", "options"),
    [
        (LogisticRegression(max_iter=999), CLASSES, ["accuracy", "neg_log_loss"], {}),
        (LogisticRegression(max_iter=999), CLASSES, "accuracy", {"method": "loocv"}),
        (
            KNeighborsClassifier(),
            make_multilabel_classification(60, random_state=0),
            "map",
            {"random_state": 0},
        ),
        (
            KNeighborsClassifier(),
            (CLASSES[0], np.array(["a", "bb", "ccc"])[CLASSES[1]]),
            "set_f1",
            {},
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:.*undefined")
def test_evaluations_of_classifiers(estimator, data, scoring, options):
    check(evaluate(estimator, *data, scoring=scoring, **options))


@pytest.mark.filterwarnings("ignore")
def test_failures_and_infinite_scores():
    class Fails(Ridge):
        def fit(self, X, y):
            if len(X) == 41:
                raise RuntimeError("no")
            return super().fit(X, y)

    result = evaluate(Fails(), X[:52], Y[:52], scoring="r2", error_score=np.nan)
    again = check(result)
    assert list(again.failures) == [0, 1]
    same(
        check(dataclasses.replace(result, estimate={"r2": -np.inf})).estimate,
        {"r2": -np.inf},
    )


def several():
    models = {"7": Ridge(), "type": Ridge(99), "ridge": Ridge(5)}
    options = {"qid": QID, "groups": [int(one[1:]) // 2 for one in QID]}
    return evaluate(models, X, Y, scoring=["ndcg@5", "mrr"], random_state=0, **options)


@pytest.mark.filterwarnings("ignore:.*undefined")
def test_several_systems_and_their_comparison():
    result = several()
    again = check(result)
    assert list(again) == ["7", "type", "ridge"]
    for options in (
        {"metric": "mrr"},
        {"baseline": "type"},
        {"margin": 0.1, "metric": "mrr"},
        {"test": "sign", "metric": "mrr"},
        {"test": "corrected_ttest", "metric": "mrr"},
    ):
        expected = result.compare(random_state=0, **options)
        same(expected, compare(dict(again), random_state=0, **options))
        check(expected)


def judged():
    y_true = np.where(np.isin(QID, QID[:40]), Y, np.nan)
    return y_true, Y, np.random.default_rng(0).normal(size=(2, len(Y)))


@pytest.mark.filterwarnings("ignore:.*undefined")
@pytest.mark.filterwarnings("ignore:run has no documents")
def test_other_results():
    y_true, y_judge, (one, other) = judged()
    check(score_judged(y_true, y_judge, one, ["p@3"], qid=QID))
    systems = {"one": one, "other": other}
    check(compare_judged(y_true, y_judge, systems, "p@3", qid=QID))
    check(JudgmentPlan(0.1, ("queries",), np.array([np.inf]), np.array([9.0])))
    check(plan_queries(effect=0.1, std=0.2))
    check(contingency_table([1, 0, 1], [1, 1, 0]))
    check(contingency_table(["a", "b", "c"], ["a", "c", "c"]))
    sets = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 0, "b": 1, "c": 0}}
    datasets = {name: {"a": np.arange(9.0), "b": np.ones(9)} for name in "xyz"}
    check(leaderboard(datasets, over="datasets", random_state=0))
    check(leaderboard(several(), random_state=0))
    check(agreement(sets, sets))
    runs = {"a": sets, "b": {"q1": ["c"], "q2": ["a"]}}
    check(leave_one_out_pool(sets, runs, ["map", "p@1"]))
    check(
        query_learning_curve(
            Ridge(), X, Y, scoring="ndcg", qid=QID, train_sizes=[3, 9], random_state=0
        )
    )


@pytest.mark.parametrize(
    "ids",
    [
        ["b", "a"],
        [1, 2],
        [("a", 1), ("a", 2)],
        [1, "1"],
        np.array([1.5, 2.5], dtype=np.float32),
        np.array(["2020-01-02", "2021-01-01"], dtype="datetime64[D]"),
        np.array(["b", "a"], dtype=np.dtypes.StringDType()),
        [True, False],
    ],
)
def test_ids_of_every_kind(ids):
    y, scores = [[1, 0], [0, 0]], [[2, 1], [1, 2]]
    qid = [one for one in ids for _ in range(2)]
    if isinstance(ids, np.ndarray):
        qid = np.repeat(ids, 2)
    with pytest.warns(UserWarning, match="undefined"):
        found = score_queries(
            np.ravel(y), np.ravel(scores), {"type": "map", "x": "p@1"}, qid=qid
        )
    again = check(found)
    assert np.isnan(again.scores["type"][1])
    same(found.interval("x"), again.interval("x"))


@pytest.mark.parametrize(
    "measure",
    [
        *("ndcg(gain='exponential')@5", "gmap", "ap(replace_undefined_by=0)"),
        Measure("ndcg", gain={0: 0, 1: 0.5}, k=3),
        Measure("ap", replace_undefined_by=np.nan),
        Measure("set_f1", pos_label="relevant"),
    ],
)
def test_measures(measure):
    measure = Measure(measure)
    for again in (there_and_back(measure), pickle.loads(pickle.dumps(measure))):
        assert again == measure
        assert hash(again) == hash(measure)
        assert repr(again) == repr(measure)


def test_functions_of_measures_are_unknown_in_json():
    measure = Measure("dcg", gain=np.sqrt, average="geometric")
    given = [[1, 0], [1, 2]], [[2, 1], [1, 2]], {"main": measure}
    found = score_queries(*given)
    summing = StreamingEvaluator({"main": measure})
    summing.update(*given[:2])
    summary = summing.compute()
    assert repr(there_and_back(summary)) == repr(summary)
    again, twin = there_and_back(found), there_and_back(found)
    assert again.metrics["main"].label == measure.label
    assert again.metrics != found.metrics
    assert again.metrics != twin.metrics
    assert repr(again.report()) == repr(found.report())
    for rank in (compare, leaderboard):
        for other in (found, twin):
            with pytest.raises(ValueError, match="unknown because they were read from"):
                rank([again, other])
    other = dataclasses.replace(again, query_ids=again.query_ids + 2)
    assert QueryScores.concat([again, other]).mean["main"] == found.mean["main"]
    with pytest.raises(ValueError, match="unknown because they were read from"):
        QueryScores.concat([found, other])
    with pytest.raises(ValueError, match="'sqrt' of a measure is unknown"):
        again.metrics["main"](*given[:2])


def test_functions_that_pickle_cannot_hold_are_unknown():
    known, local = Measure("dcg", gain=np.sqrt), Measure("dcg", gain=lambda g: g)
    given = [[1, 0], [1, 2]], [[2, 1], [1, 2]], {"known": known, "local": local}
    found = score_queries(*given)
    again = pickle.loads(pickle.dumps(found))
    assert again.metrics["known"] == known
    assert again.metrics["local"] != local
    assert again.mean == found.mean
    fitted = evaluate(Ridge(), X, Y, scoring={"local": local}, qid=QID)
    assert repr(pickle.loads(pickle.dumps(fitted))) == repr(fitted)
    summing = StreamingEvaluator(given[2])
    summing.update(*given[:2])
    summary = summing.compute()
    assert repr(pickle.loads(pickle.dumps(summary))) == repr(summary)


def test_files_and_what_cannot_be_read(tmp_path):
    found = score_queries([1, 0], [2, 1], "map")
    path = tmp_path / "scores.json"
    assert found.to_json(path) is None
    stream = BytesIO()
    found.to_json(stream)
    assert stream.getvalue() == path.read_bytes()
    same(found, QueryScores.from_dict(json.loads(path.read_text())))
    data = found.to_dict()
    with pytest.raises(TypeError, match="path must be None, a path"):
        found.to_json(3)
    with pytest.raises(TypeError, match="must be that of a EvaluationResult; got a Q"):
        EvaluationResult.from_dict(data)
    for wrong in (
        {**data, "type": "os.system"},
        {**data, "more": 1},
        {"type": "array", "dtype": "<f8", "shape": [3], "values": [1, 2]},
    ):
        with pytest.raises(ValueError, match="data must be what to_dict returned"):
            QueryScores.from_dict(wrong)
    for wrong in (found.to_json(), [data], {}, 3):
        with pytest.raises(TypeError, match="data must be that of a QueryScores; got"):
            QueryScores.from_dict(wrong)
    by_day = dataclasses.replace(found, query_ids=np.array([date.today()]))
    with pytest.raises(TypeError, match="to_dict takes .* got datetime.date"):
        by_day.to_dict()


def text_array(**parts):
    array = {"type": "array", "dtype": "<U1", "shape": [1], "values": ["a"]}
    return array | parts


def nested(depth):
    data = None
    for _ in range(depth):
        data = [data]
    return data


CRAFTED = {
    "wide text": text_array(dtype="<U400000000"),
    "wide bytes": text_array(dtype="S400000000", values=[]),
    "wide records": text_array(dtype="V400000000"),
    "arrays in arrays": text_array(dtype="(100000000,)f8", values=[1.0]),
    "padding": text_array(
        dtype="<U9999", values=["a" * 9999, *[""] * 9999], shape=[10000]
    ),
    "no values": text_array(values=None),
    "values that are text": text_array(values="a"),
    "no text": text_array(values=[None]),
    "a large shape": text_array(shape=[10**30]),
    "a large integer": text_array(dtype="<i8", values=[10**30]),
    "a large float": text_array(dtype="<f8", values=[10**400]),
    "bytes of None": {"type": "bytes", "value": None},
    "a float of None": {"type": "float", "value": None},
    "a tuple of None": {"type": "tuple", "values": None},
    "a dict of None": {"type": "dict", "items": None},
    "a measure of None": {"type": "Measure", "name": None, "arguments": None},
    "deep": nested(100_000),
}


@pytest.mark.parametrize("crafted", CRAFTED)
def test_crafted_files_are_refused_and_take_no_memory(crafted):
    data = score_queries([1, 0], [2, 1], "map").to_dict()
    tracemalloc.start()
    for place in "query_ids", "metrics":
        with pytest.raises(ValueError, match="data must be what to_dict returned: "):
            QueryScores.from_dict({**data, place: CRAFTED[crafted]})
    with pytest.raises(ValueError, match="data must be what to_dict returned: "):
        QueryScores.from_dict({"type": "tuple", "values": CRAFTED[crafted]})
    assert tracemalloc.get_traced_memory()[1] < 2**23
    tracemalloc.stop()


def test_text_comes_back_whatever_its_width():
    found = score_queries([1, 0], [2, 1], "map", qid=["q", "q"])
    long = np.array(["q" * 900, *map(str, range(999))])  # an array of mostly padding
    for ids in np.array(["q", "long"])[:1], long, np.array([b"a", b"bc"])[:1], long[:0]:
        again = there_and_back(dataclasses.replace(found, query_ids=ids))
        assert again.query_ids.tolist() == ids.tolist()
        assert again.query_ids.shape == ids.shape


# Results ----------------------------------------------------------------------------


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
        assert lines[0] == "QueryRanker: 4-fold cross-validation by query, 12 queries"
        assert lines[1] == ""
        assert lines[2].split() == ["measure", "mean", "95", "%", "interval", "queries"]
        row = r"{} +-?0\.\d{{3}} +\[-?0\.\d{{3}}, 0\.\d{{3}}\] +12"
        for line, name in zip(lines[3:5], ("ndcg@5", "r2"), strict=True):
            assert re.fullmatch(row.format(name), line)
        about = "Interval: the mean of these trained models on new queries like these."
        assert lines[5:] == ["", about]
        assert result.notes == (
            "ndcg@5: mean over queries, each with its mean over splits that tested it.",
            "r2: mean of the scores of 4 splits.",
            "Interval of ndcg@5: Student's t over 12 queries, with one extra value at "
            "each end of the measure's range (Agresti-Coull).",
            "Interval of r2: jackknife t over 12 queries.",
        )
        more = result.to_text(details=True).removeprefix(f"{result}\n\n")
        assert " ".join(more.split()) == " ".join(result.notes)

    def test_of_intervals_about_different_models(self, data):
        X, y, qid = data

        def score(model, X, y):
            return -np.abs(model.predict(X) - y).mean()

        scoring = {"ndcg@5": "ndcg@5", "mine": score}
        options = {"scoring": scoring, "n_splits": 4, "random_state": 0}
        result = evaluate(QueryRanker(Ridge()), X, y, qid=qid, **options)
        lines = repr(result).splitlines()
        assert lines[-3:] == [
            "Interval of ndcg@5: the mean of these trained models on new queries like "
            "these.",
            "Interval of mine: the mean of models trained this way, with new training "
            "and",
            "  test queries.",
        ]
        assert "Interval of mine: corrected resampled t over 4 splits." in result.notes

    @pytest.mark.parametrize(
        ("options", "first"),
        [
            ({"method": "holdout"}, "holdout, 64 training and 32 test rows"),
            ({"method": "subsampling"}, "10 random holdouts, 96 rows"),
            ({"method": "subsampling", "n_splits": 1}, "1 random holdout, 96 rows"),
            ({"method": "stratified"}, "stratified 5-fold cross-validation, 96 rows"),
            ({"method": "loocv"}, "leave-one-out, 96 rows"),
            ({"method": "bootstrap"}, "bootstrap (out-of-bag), 3 replicates, 96 rows"),
            ({"method": "bootstrap632"}, "bootstrap (.632), 3 replicates, 96 rows"),
            ({"method": "bootstrap632+"}, "bootstrap (.632+), 3 replicates, 96 rows"),
            (
                {"method": RepeatedKFold(n_repeats=2)},
                "5-fold cross-validation 2 times, 96 rows",
            ),
            (
                {"method": list(KFold(3).split(range(96)))[:1]},
                "1 split that you passed, 96 rows",
            ),
            (
                {"method": list(KFold(3).split(range(96)))},
                "3 splits that you passed, 96 rows",
            ),
        ],
    )
    def test_of_every_method(self, data, options, first):
        X, y, _ = data
        if "bootstrap" in str(options["method"]):
            options = {"n_splits": 3, **options}
        result = evaluate(Ridge(), X, y, scoring="r2", **options)
        assert repr(result).splitlines()[0] == f"Ridge: {first}"

    def test_of_a_splitter(self, data):
        X, y, _ = data
        result = evaluate(Ridge(), X, y, scoring="r2", method=ShuffleSplit(3))
        assert repr(result).startswith("Ridge: 3 splits of ShuffleSplit(n_splits=3, ")
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
    assert [note for note in alike.notes if note.startswith("Interval")] == [
        "Interval: Student's t over 12 queries, with one extra value at each end of "
        "the measure's range (Agresti-Coull)."
    ]
    assert alike.to_frame()["interval"].nunique() == 1
    none = evaluate(Ridge(), X, y, qid=qid, scoring="ndcg@5", method="holdout")
    few = dataclasses.replace(none, interval_method={"ndcg@5": "none: one score"})
    assert "No interval: one score." in repr(few)
