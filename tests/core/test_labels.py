"""Rows belong together by position, unless labels of pandas say otherwise."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_validate

import sklearn_irmetrics as irm
from sklearn_irmetrics import comparison, estimators, judging, metrics, plot, reports
from sklearn_irmetrics import model_selection as ms
from sklearn_irmetrics.metrics import experimental

pd = pytest.importorskip("pandas")
pytest.importorskip("matplotlib")

N_ROWS = 60
SHUFFLED = np.random.default_rng(0).permutation(N_ROWS)
QID = np.repeat(np.arange(N_ROWS // 4), 4)


def data(unsorted=None, index=SHUFFLED):
    """Return columns of pandas with one index, and one column sorted by its index."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "y_true": (rng.random(N_ROWS) < 0.4).astype(int),
            "y_score": rng.random(N_ROWS),
            "qid": QID,
            "y_pred": (rng.random(N_ROWS) < 0.5).astype(int),
            "known": np.ones(N_ROWS, dtype=bool),
            "candidates": np.ones(N_ROWS, dtype=bool),
            "sample_weight": np.ones(N_ROWS),
        },
        index=index,
    )
    frame.loc[frame.groupby("qid").head(1).index, "y_true"] = 1
    frame.loc[frame.groupby("qid").tail(1).index, "y_true"] = 0
    columns = {name: frame[name] for name in frame}
    columns["X"] = frame[["y_score", "y_pred"]].copy()
    if unsorted is not None:
        columns[unsorted] = columns[unsorted].sort_index()
    return columns


class Validated(Ridge):
    """A regressor that takes validation sets, and ignores them."""

    def fit(self, X, y, sample_weight=None, eval_set=None):
        return super().fit(X, y, sample_weight)


def first_grade(grades, scores):
    return float(grades[0] > 0)


def stream(c):
    evaluator = irm.streaming.StreamingEvaluator("ndcg")
    weights = c["sample_weight"]
    evaluator.update(c["y_true"], c["y_score"], qid=c["qid"], sample_weight=weights)
    return evaluator.compute()


def stream_of_groups(c):
    evaluator = irm.streaming.StreamingEvaluator("ndcg")
    evaluator.update(c["y_true"], c["y_score"], qid=QID, groups=c["qid"] // 2)


def fitted(c):
    return LogisticRegression().fit(data()["X"], data()["y_true"])


def compared(c, metric="accuracy", **options):
    predictions = {"new": c["y_pred"], "old": data()["y_pred"].to_numpy()}
    return comparison.compare(predictions, y_true=c["y_true"], metric=metric, **options)


def cost_of_thresholds(c):
    return reports.threshold_curve(
        "set_cost", c["y_true"], c["y_score"], sample_weight=c["sample_weight"]
    )


def f1_of_thresholds(c):
    return reports.threshold_curve(
        irm.Measure("set_f1", pos_label=1),
        c["y_true"],
        c["y_score"],
        sample_weight=c["sample_weight"],
    )


def reported(c):
    return reports.class_report(
        c["y_true"], c["y_pred"], groups=c["qid"], sample_weight=c["sample_weight"]
    )


def scorer(c):
    ndcg = irm.get_scorer("ndcg", qid=lambda X: QID)
    return ndcg(Ridge().fit(data()["X"], data()["y_true"]), c["X"], c["y_true"])


def evaluator(c):
    judged = irm.reports.RankingEvaluator(c["y_true"], "ndcg", qid=c["qid"])
    return judged(c["y_score"])


RANKED = {
    "ndcg_score": lambda c: irm.ndcg_score(c["y_true"], c["y_score"], qid=c["qid"]),
    "roc_auc_score": lambda c: irm.roc_auc_score(c["y_true"], c["y_score"]),
    "roc_curve": lambda c: irm.roc_curve(c["y_true"], c["y_score"], qid=c["qid"]),
    "score_queries": lambda c: irm.score_queries(
        c["y_true"], c["y_score"], ["ndcg"], qid=c["qid"]
    ),
    "ranking_report": lambda c: irm.ranking_report(
        c["y_true"], c["y_score"], qid=c["qid"]
    ),
    "RankingEvaluator": evaluator,
    "StreamingEvaluator": stream,
    "metric_at_cutoffs": lambda c: irm.reports.metric_at_cutoffs(
        "p", c["y_true"], c["y_score"], [1, 2], qid=c["qid"]
    ),
    "Display": lambda c: plot.RocDisplay.from_predictions(
        c["y_true"], c["y_score"], qid=c["qid"]
    ),
    "score_judged": lambda c: judging.score_judged(
        c["y_true"], c["y_true"], c["y_score"], "ndcg", qid=c["qid"]
    ),
    "Measure": lambda c: irm.Measure("map")(c["y_true"], c["y_score"], qid=c["qid"]),
    "make_metric": lambda c: irm.make_metric(first_grade, name="first")(
        c["y_true"], c["y_score"], qid=c["qid"]
    ),
}
WITH_X = {
    "evaluate": lambda c: ms.evaluate(
        Ridge(), c["X"], c["y_true"], scoring="ndcg", qid=c["qid"]
    ),
    "query_learning_curve": lambda c: ms.query_learning_curve(
        Ridge(), c["X"], c["y_true"], scoring="ndcg", qid=c["qid"]
    ),
    "QueryKFold": lambda c: [
        *ms.QueryKFold(5).split(c["X"], c["y_true"], qid=c["qid"])
    ],
    "cross_validate": lambda c: cross_validate(
        Ridge(), c["X"], c["y_true"], cv=ms.QueryKFold(5), groups=c["qid"]
    ),
    "QueryRanker.fit": lambda c: estimators.QueryRanker(Ridge()).fit(
        c["X"], c["y_true"], qid=c["qid"]
    ),
    "QueryRanker.score": lambda c: (
        estimators.QueryRanker(Ridge())
        .fit(data()["X"], data()["y_true"], qid=QID)
        .score(c["X"], c["y_true"], qid=c["qid"])
    ),
    "eval_set": lambda c: estimators.QueryRanker(Validated()).fit(
        data()["X"],
        data()["y_true"],
        qid=QID,
        eval_set=[(c["X"], c["y_true"])],
        eval_qid=[c["qid"]],
    ),
}
SINGLE = {
    "set_f1_score": ("y_pred", lambda c: irm.set_f1_score(c["y_true"], c["y_pred"])),
    "set_f1 of a class": (
        "y_pred",
        lambda c: irm.set_f1_score(c["y_true"], c["y_pred"], pos_label=1),
    ),
    "set_cost": (
        "y_pred",
        lambda c: irm.set_cost_matrix_loss(c["y_true"], c["y_pred"], qid=c["qid"]),
    ),
    "contingency_table": (
        "y_pred",
        lambda c: irm.contingency_table(c["y_true"], c["y_pred"]),
    ),
    "scott_pi": (
        "y_pred",
        lambda c: metrics.scott_pi_score(c["y_true"], c["y_pred"]),
    ),
    "weights of a set": (
        "sample_weight",
        lambda c: irm.set_f1_score(
            c["y_true"], c["y_pred"], sample_weight=c["sample_weight"]
        ),
    ),
    "weights of documents": (
        "sample_weight",
        lambda c: irm.average_precision_score(
            c["y_true"], c["y_score"], sample_weight=c["sample_weight"] + c["y_true"]
        ),
    ),
    "weights of a curve": (
        "sample_weight",
        lambda c: irm.roc_curve(
            c["y_true"], c["y_score"], sample_weight=c["sample_weight"]
        ),
    ),
    "weights of a stream": ("sample_weight", stream),
    "groups of a stream": ("y_score", stream_of_groups),
    "marks": (
        "known",
        lambda c: irm.score_queries(
            c["y_true"],
            c["y_score"],
            "coverage@2",
            qid=c["qid"],
            marks={"known": c["known"]},
        ),
    ),
    "candidates": (
        "candidates",
        lambda c: irm.score_queries(
            c["y_true"], c["y_score"], "ndcg", qid=QID, candidates=c["candidates"]
        ),
    ),
    "candidates of an evaluator": (
        "candidates",
        lambda c: irm.reports.RankingEvaluator(
            c["y_true"], "ndcg", qid=QID, candidates=c["candidates"]
        ),
    ),
    "score_sampled": (
        "y_score",
        lambda c: reports.score_sampled(
            (c["y_true"].groupby(QID).cumcount() == 0).astype(int),
            c["y_score"],
            "hit_rate@2",
            n_candidates=100,
            qid=QID,
        ),
    ),
    "chance_level": (
        "y_true",
        lambda c: irm.metrics.chance_level("map", c["y_true"], qid=c["qid"]),
    ),
    "items": (
        "y_score",
        lambda c: experimental.catalogue_coverage(
            c["y_score"], items=c["known"].index, k=1, qid=c["qid"]
        ),
    ),
    "compare, y_true": ("y_true", compared),
    "compare, one system": ("y_pred", compared),
    "compare, F1": ("y_true", lambda c: compared(c, metric="f1")),
    "compare, groups": ("qid", lambda c: compared(c, groups=c["qid"])),
    "compare, strata": ("qid", lambda c: compared(c, strata=c["qid"] % 2)),
    "compare, by": ("qid", lambda c: compared(c, by=c["qid"] % 2)),
    "compare, groups of a swap": (
        "qid",
        lambda c: compared(c, metric="f1", groups=c["qid"]),
    ),
    "class_report": ("y_pred", reported),
    "class_report, weights": ("sample_weight", reported),
    "class_report, groups": ("qid", reported),
    "threshold_curve, costs": ("y_score", cost_of_thresholds),
    "threshold_curve, costs by weight": ("sample_weight", cost_of_thresholds),
    "threshold_curve, a class": ("y_score", f1_of_thresholds),
    "threshold_curve, a class by weight": ("sample_weight", f1_of_thresholds),
    "threshold_curve, weights": (
        "sample_weight",
        lambda c: reports.threshold_curve(
            "set_f1", c["y_true"], c["y_score"], sample_weight=c["sample_weight"]
        ),
    ),
    "scorer": ("y_true", scorer),
    "from_estimator": (
        "y_true",
        lambda c: plot.RocDisplay.from_estimator(
            fitted(c), c["X"], c["y_true"], qid=QID
        ),
    ),
    "sample_judgments": (
        "y_score",
        lambda c: judging.sample_judgments(
            c["y_score"], 10, metric="p@2", qid=c["qid"]
        ),
    ),
    "params": (
        "known",
        lambda c: ms.evaluate(
            Ridge(),
            c["X"],
            c["y_true"],
            scoring="coverage@2",
            qid=QID,
            params={"known": c["known"]},
        ),
    ),
}
CASES = [
    *[(call, name) for call in RANKED.values() for name in ("y_true", "y_score")],
    *[(call, name) for call in WITH_X.values() for name in ("y_true", "qid")],
    *[(call, name) for name, call in SINGLE.values()],
]
IDS = [
    *[f"{door}-{name}" for door in RANKED for name in ("y_true", "y_score")],
    *[f"{door}-{name}" for door in WITH_X for name in ("y_true", "qid")],
    *SINGLE,
]


@pytest.mark.parametrize(("call", "unsorted"), CASES, ids=IDS)
def test_no_door_takes_the_same_labels_in_another_order(call, unsorted):
    call(data())
    call(data(index=None))
    with pytest.raises(ValueError, match=r"must have their rows in the same order"):
        call(data(unsorted))
    with pytest.raises(ValueError, match=r"pass \w+.*\.to_numpy\(\) if rows belong"):
        call(data(unsorted, index=SHUFFLED.astype(str)))


@pytest.mark.parametrize("call", [*RANKED.values()], ids=RANKED)
def test_labels_that_differ_are_positions(call):
    other = data()
    other["y_score"] = other["y_score"].set_axis(np.arange(N_ROWS) + 1000)
    other["qid"] = other["qid"].to_numpy()
    call(other)
    twice = data(index=np.arange(N_ROWS) // 2)
    call(twice)


def test_the_error_names_what_differs():
    truth = pd.Series([1, 0, 2], index=["c", "a", "b"])
    with pytest.raises(ValueError) as caught:
        irm.ndcg_score(truth.sort_index(), truth)
    assert str(caught.value) == (
        "y_true and y_score must have their rows in the same order; index holds the "
        "same labels in different orders, from row 0 on: 'a' in y_true, 'c' in "
        "y_score. Sort both by index, or pass y_score.to_numpy() if rows belong "
        "together by position."
    )


@pytest.mark.parametrize(
    "index",
    [
        pd.Index([2.5, 1.5, 3.5]),
        pd.DatetimeIndex(["2026-01-02", "2026-01-01", "2026-01-03"]),
        pd.MultiIndex.from_tuples([(1, "b"), (1, "a"), (2, "a")]),
        pd.Index(["b", "a", "b"]),
        pd.Index([1, "a", None], dtype=object),
        pd.CategoricalIndex(["b", "a", "c"]),
    ],
    ids=lambda index: type(index).__name__,
)
def test_labels_of_any_kind(index):
    truth = pd.Series([1, 0, 2], index=index)
    assert irm.ndcg_score(truth, truth) == 1.0
    with pytest.raises(ValueError, match="the same order"):
        irm.ndcg_score(truth, truth.iloc[[1, 0, 2]])


def test_columns_of_matrices_are_labels_too():
    truth = pd.DataFrame([[1, 0, 2], [0, 1, 0]], columns=["c", "a", "b"])
    scores = truth * 1.5
    assert irm.ndcg_score(truth, scores) == 1.0
    evaluator = irm.reports.RankingEvaluator(truth, "ndcg")
    message = "y_true and y_score must have their columns in the same order"
    for call in (
        lambda other: irm.ndcg_score(truth, other),
        lambda other: irm.score_queries(truth, other, ["ndcg"]),
        evaluator,
    ):
        call(scores)
        with pytest.raises(ValueError, match=message):
            call(scores[["a", "b", "c"]])
    with pytest.raises(ValueError, match="have their rows in the same order"):
        irm.ndcg_score(truth, scores.iloc[::-1])
    with pytest.raises(ValueError, match="y_true and y_pred must have their columns"):
        irm.set_f1_score(truth > 0, truth[["a", "b", "c"]] > 0)


def test_columns_of_classes_and_of_probabilities_are_labels_too():
    truth = pd.DataFrame({"b": [1, 0, 1, 1], "a": [0, 0, 1, 1]})
    with pytest.raises(ValueError, match="y_true and y_pred must have their columns"):
        reports.class_report(truth, truth[["a", "b"]])
    shares = pd.DataFrame({"no": [0.4, 0.7, 0.2], "yes": [0.6, 0.3, 0.8]})
    with pytest.raises(ValueError, match=r"results\['old'\] must have their columns"):
        comparison.compare(
            {"new": shares, "old": shares[["yes", "no"]]},
            y_true=["yes", "no", "yes"],
            metric="neg_log_loss",
        )


@pytest.mark.parametrize(
    "name", ["groups", "strata", "by", "groups of a swap"], ids=str
)
def test_values_by_row_of_predictions_are_in_the_order_of_y_true(name):
    metric = "f1" if name.endswith("swap") else "accuracy"
    frames = []
    for columns in (data(), data(index=None)):
        values = columns["qid"] if name.startswith("groups") else columns["y_true"]
        result = comparison.compare(
            {"new": columns["y_pred"], "old": columns["y_score"] > 0.5},
            y_true=columns["y_true"],
            metric=metric,
            random_state=0,
            **{name.partition(" ")[0]: values},
        )
        frames.append(result.to_frame())
    pd.testing.assert_frame_equal(*frames)


def test_values_and_confidence_with_an_index_are_matched_by_it():
    rng = np.random.default_rng(0)
    values = pd.Series(rng.random(9), index=rng.permutation(9))
    confidence = pd.Series(rng.random(9), index=values.index)
    expected = reports.abstention_curve(values.to_numpy(), confidence.to_numpy())
    for given in (confidence, confidence.sort_index(), confidence.to_dict()):
        curve = reports.abstention_curve(values, given)
        np.testing.assert_array_equal(curve.estimate, expected.estimate)
    named = [series.rename(index="q{}".format) for series in (values, confidence)]
    curve = reports.abstention_curve(*named)
    np.testing.assert_array_equal(curve.estimate, expected.estimate)
