"""Everything public, given a bad value for a parameter, refuses it and names it."""

import importlib.util
import inspect
import io
import pkgutil
import re
import warnings
from dataclasses import is_dataclass
from decimal import Decimal
from functools import cache

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB

import sklearn_irmetrics
from oracles.measures import METRICS
from sklearn_irmetrics import QueryRanker, model_selection, plot
from sklearn_irmetrics.comparison import compare, leaderboard
from sklearn_irmetrics.model_selection import evaluate, query_learning_curve
from sklearn_irmetrics.reports import abstention_curve, threshold_curve

pd = pytest.importorskip("pandas")
pytest.importorskip("matplotlib")
plt = pytest.importorskip("matplotlib.pyplot")

MODULES = {found.name for found in pkgutil.iter_modules(sklearn_irmetrics.__path__)}
MODULES -= {"torch"}  # needs torch: tests/tensors
MODULES |= {"metrics.experimental", "estimators.boosting"}
MODULES = [name for name in sorted(MODULES) if name[0] != "_"]
NAN, INF = float("nan"), float("inf")

# Good arguments -----------------------------------------------------------------------

X = np.random.default_rng(0).standard_normal((12, 3))
Y = np.tile([1, 0, 2], 4)
ROW_QID = np.repeat([1, 2, 3, 4], 3)
BY_FOUR = {"y_true": [1, 0, 2, 1], "y_score": [4.0, 3.0, 2.0, 1.0]}
SYSTEMS = {"old": [0.2, 0.4, 0.1, 0.5], "new": [0.3, 0.6, 0.2, 0.5]}


class EarlyStopper(LinearRegression):
    """A learner that takes validation sets."""

    def fit(self, X, y, sample_weight=None, eval_set=None, eval_sample_weight=None):
        return super().fit(X, y, sample_weight)


FRAME = pd.DataFrame({"q": [7, 7, 8, 8], "t": [1, 0, 0, 2], "s": [9.0, 1.0, 7.0, 7.0]})
OF_FRAME = {"frame": FRAME, "qid": "q", "y_true": "t", "y_score": "s"}
OF_CLUSTER = dict(OF_FRAME)
if importlib.util.find_spec("dask"):
    OF_CLUSTER["frame"] = importlib.import_module("dask.dataframe").from_pandas(FRAME)
FITTED = LinearRegression().fit(X, Y)
CLASSIFIER = GaussianNB().fit(X, Y)
OF_MODEL = {"estimator": FITTED, "X": X, "y": Y}
OF_CV = {
    "cv_results": {"estimator": [FITTED], "indices": {"test": [np.arange(len(X))]}},
    "X": X,
    "y": Y,
}
OF_SILENCE = {"y": np.where(ROW_QID == 4, 0, Y), "qid": ROW_QID}  # 4 has no answer
RESULT = evaluate(LinearRegression(), X, Y, scoring="r2", method="bootstrap")
SCORED = sklearn_irmetrics.score_queries(Y, X[:, 0], "ndcg", qid=ROW_QID)
OTHER = sklearn_irmetrics.score_queries(Y, X[:, 1], "ndcg", qid=ROW_QID)
CURVE = query_learning_curve(
    LinearRegression(), X, Y, scoring="r2", n_splits=2, train_sizes=[4, 6]
)
ABSTENTION = abstention_curve([0.5, 1, 0.2, 0], [2, 1, 3, 4], random_state=0)
OF_RANKER = {"X": X, "y": Y, "qid": ROW_QID}
OF_SPLITS = {**OF_RANKER, "estimator": LinearRegression(), "scoring": "ndcg"}
OF_SPLITS["n_splits"] = 2

# Judgments by people and by a judge, each document a query.
JUDGED = {
    "y_true": [1, 0, 2, NAN],
    "y_judge": [1, 0, 1, 1],
    "y_score": [4.0, 3.0, 2.0, 1.0],
    "qid": [1, 2, 3, 4],
}
JUDGED_SYSTEMS = {"a": [4.0, 3.0, 2.0, 1.0], "b": [1.0, 2.0, 3.0, 4.0]}
OF_CATALOGUE = {"y_score": [4.0, 3.0, 2.0, 1.0], "items": [1, 2, 1, 2]}
OF_CATALOGUE |= {"qid": [7, 7, 8, 8]}
CERTAIN = [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.5, 0.5]]

OF_CLASSES = "class_report", "ClassReportDisplay.from_predictions"
# By callable; the others take what they need from here by name.
GOOD = {
    "*": {
        **BY_FOUR,
        "y_pred": [1, 0, 1, 0],
        "y1": [1, 0, 1, 0],
        "y2": [1, 1, 1, 0],
        "known": [1, 0, 0, 1],
        "inverse_propensity": [1, 1.5, 2, 1],
        "popularity": [0.5, 0.2, 1, 0.1],
        "membership": CERTAIN,
        "vectors": CERTAIN,
        "target": "all",
        "n_expected": 2,
        "metrics": ["ndcg@2"],
    },
    "catboost_metric": {"metric": "map", "data": [([1, 0], [7, 7])]},
    "adjust_for_chance": {"score": 0.5, "chance": 0.25},
    "align": {"qrels": {"q": {"d": 1}}, "run": {"q": {"d": 1}}},
    "agreement": {"qrels_a": {"q": {"d": 1}}, "qrels_b": {"q": {"d": 1}}},
    "leave_one_out_pool": {
        "qrels": {"q": {"d": 1, "e": 1}},
        "runs": {"a": {"q": {"d": 1}}, "b": {"q": {"e": 1}}},
    },
    "pool": {"runs": [{"q": {"d": 1}}]},
    "align_judged": {
        "qrels": {"q": {"d": 1}},
        "judge_qrels": {"q": {"d": 1}},
        "runs": {"a": {"q": {"d": 1}}},
    },
    "compare_judged": {**JUDGED, "y_scores": JUDGED_SYSTEMS, "metric": "ndcg@2"},
    "plan_judgments": {
        **{name: 8 * values for name, values in JUDGED.items()},
        "y_scores": 8 * JUDGED_SYSTEMS["a"],
        "metric": "p@1",
        "width": 0.5,
        "n_runs": 1,
    },
    "sample_judgments": {
        "y_scores": JUDGED_SYSTEMS["a"],
        "qid": JUDGED["qid"],
        "n": 2,
        "metric": "p@1",
    },
    "score_judged": JUDGED,
    "inverse_propensities": {"label_counts": [1, 2], "n_samples": 4},
    "catalogue_coverage": OF_CATALOGUE,
    "catalogue_gini": OF_CATALOGUE,
    "chance_level": {"metric": "11pt", "n_permutations": 2},
    "score_sampled": {"y_true": [1, 0, 0, 0], "n_candidates": 10},
    "abstention_curve": {"values": [0.5, 1, 0.2, 0], "confidence": [2, 1, 3, 4]},
    "AbstentionDisplay.from_result": {"result": ABSTENTION},
    "compare": {"results": SYSTEMS, "y_true": None},
    "evaluate": OF_SPLITS,
    "query_learning_curve": {**OF_SPLITS, "train_sizes": [1, 2]},
    "leaderboard": {"results": SYSTEMS},
    "LeaderboardDisplay.from_result": {"result": leaderboard(SYSTEMS)},
    "QueryLearningCurveDisplay.from_result": {"result": CURVE},
    "get_scorer": {"scoring": "ndcg@10"},
    "get_scorers": {"scoring": ["ndcg@10"]},
    "make_metric": {"function": max, "name": "own"},
    "make_ranking_scorer": {"score_func": sklearn_irmetrics.ndcg_score},
    "make_ranking": {"n_queries": 2},
    "metric_at_cutoffs": {"metric": "ndcg", "ks": [1, 2]},
    "threshold_curve": {"metric": "ndcg", "thresholds": [0.5, 2.5]},
    "plan_queries": {"effect": 0.1, "std": 0.2},
    "preset": {"tool": "ranx", "metric": "ndcg@10"},
    "ranking_report": {"chance": False},
    "score_run": {
        "qrels": {"q": {"d": 1}},
        "run": {"q": {"d": 1}},
        "metrics": ["ndcg@2", "map"],
        "marks": {},
    },
    "score_records": {
        "records": [{"question": "a", "gold": ["d"], "retrieved": ["d"]}],
        "metrics": ["ndcg@2", "map"],
    },
    "score_frame": OF_FRAME,
    "summarize_frame": OF_FRAME,
    "score_lazily": OF_CLUSTER,
    "fuse_runs": {"runs": [{"q": {"d": 1}}], "method": "rrf", "normalize": "sum"},
    "write_qrels": {"qrels": {"q": {"d": 1}}, "path": io.StringIO()},
    "write_run": {"run": {"q": {"d": 1}}, "path": io.StringIO()},
    "ResampledSplit": {"cv": 2},
    "QueryKFold": {"n_splits": 2},
    "StratifiedQueryKFold": {"n_splits": 2},
    "QueryRanker": {"estimator": LinearRegression(), "qid": None},
    "QueryRanker.fit": OF_RANKER,
    "from_dict": {"data": SCORED.to_dict()},
    "QueryRanker.predict": {"X": X},
    "QueryRanker.score": OF_RANKER,
    "EvaluationDisplay.from_results": {"results": compare(SYSTEMS)},
    "ClassReportDisplay.from_estimator": {**OF_MODEL, "estimator": CLASSIFIER},
    **dict.fromkeys(
        ("ClassReportDisplay.from_predictions", "ClassReportDisplay.plot"),
        {"y_true": [1, 0, 2, 1], "y_pred": [1, 0, 1, 0], "metrics": ["recall"]},
    ),
    "ThresholdDisplay.from_curve": {
        "curve": threshold_curve("set_p", [1, 0, 1], [3.0, 2.0, 1.0])
    },
    "from_cv_results": OF_CV,
    "QueryDifferenceDisplay.from_estimator": {**OF_MODEL, "baseline": FITTED},
    "QueryDifferenceDisplay.from_predictions": {"baseline": [1, 2, 3, 4]},
    "SilenceDisplay.from_cv_results": {**OF_CV, **OF_SILENCE},
    "SilenceDisplay.from_estimator": OF_SILENCE,
    "SilenceDisplay.from_predictions": {"y_true": [1, 0, 0, 0], "qid": [7, 7, 8, 8]},
    "QueryDifferenceDisplay.from_results": {
        "results": SYSTEMS["new"],
        "baseline": SYSTEMS["old"],
    },
}
OF_SETS = [row.function.__name__ for row in METRICS.values() if row.kind == "set"]
OF_SETS += ["set_dice_score"]
OF_MARKS = [row.function.__name__ for row in METRICS.values() if row.marks]
OF_SUBTOPICS = {row.function.__name__ for row in METRICS.values() if row.subtopics}
for name in OF_SUBTOPICS:
    GOOD[name] = {"y_true": [[1, 0], [0, 2], [1, 1], [0, 0]]}
GOOD["QueryScores.concat"] = {"parts": [SCORED]}
GOOD["StreamingEvaluator.merge"] = {
    "other": sklearn_irmetrics.streaming.StreamingEvaluator("mrr")
}
GOOD["StreamingEvaluator.update"] = {**BY_FOUR, "qid": [7, 7, 8, 8]}
SPLITTERS = [
    name for name in model_selection.__all__ if name.endswith(("Split", "Fold"))
]
for name in SPLITTERS:
    GOOD[f"{name}.split"] = {"X": X, "y": Y, "groups": ROW_QID}
# What else must be given for a bad value to be looked at.
WITH = {
    "sample_weight": {"qid": [7, 7, 8, 8]},
    "merge": {"docno": str},
}
# ... by callable.
WITH_FOR = {
    "sample_weight of score_judged": {},
    "sample_weight of compare_judged": {},
    **{
        f"sample_weight of {name}.from_cv_results": {}
        for name in plot.__all__
        if hasattr(getattr(plot, name), "from_cv_results")
    },
    "labels of set_cost_matrix_loss": {},
    **{
        f"labels of {name}": {} for name in [*OF_SETS, *OF_CLASSES, "contingency_table"]
    },
    **{f"sample_weight of {name}": {} for name in OF_CLASSES},
    "eval_qid of QueryRanker.fit": {"eval_set": [(X, Y)]},
    "eval_sample_weight of QueryRanker.fit": {"eval_set": [(X, Y)]},
    "sample_weight of score_frame": {},
    "sample_weight of summarize_frame": {},
    "metric of compare": {"results": {"old": SCORED, "new": SCORED}},
    "y_true of compare": {
        "results": {"old": [0, 1, 1, 0], "new": [1, 1, 1, 0]},
        "y_true": [0, 1, 0, 1],
        "metric": "accuracy",
    },
    "metric of leaderboard": {"results": {"old": SCORED, "new": SCORED}},
    "metric of QueryDifferenceDisplay.from_results": {
        "results": SCORED,
        "baseline": SCORED,
    },
    "metric of EvaluationDisplay.from_results": {"results": RESULT},
    "sample_weight of QueryRanker.fit": {},
    **dict.fromkeys(
        ("validation_fraction of QueryRanker", "random_state of QueryRanker"),
        {"estimator": EarlyStopper(), "validation_fraction": 0.5},
    ),
    "sample_weight of QueryRanker.score": {},
    "train_size of HoldoutSplit": {"test_size": None},
    "pilot of plan_queries": {"std": None, "pilot": [0.1, 0.3]},
    "metric of plan_queries": {"std": None, "pilot": {"old": SCORED, "new": OTHER}},
    "n_systems of plan_queries": {"test": "anova"},
    "margin of plan_queries": {"test": "margin", "margin": 0.1},
    "pilot_confidence of plan_queries": {"std": None, "pilot": [0.1, 0.3]},
    "n_repeats of QueryKFold": {"shuffle": True},
    "n_repeats of StratifiedQueryKFold": {"shuffle": True},
}

# Bad values ---------------------------------------------------------------------------

RAGGED = [[1], [1, 2], [1], [1]]
CLASSES = [None, 3, [], [1, 0, 1], RAGGED, [0.5, 0, 0, 0], [INF, 0, 0, 0]]
DATES = np.array(["2020-01-01"] * 4, dtype="datetime64[D]")
RECORDS = np.zeros(4, dtype=[("a", float), ("b", float)])
NOT_ARRAYS = [None, 3, "text", {}, object()]
NOT_NUMBERS = [list("abcd"), [b"a"] * 4, [1, 2, 3, {}], [1j, 0, 0, 0], DATES, RECORDS]
NOT_NUMBERS += [[10**400, 1, 0, 0]]
SHAPES = [[], [1, 0, 1], np.ones((2, 2, 2)), RAGGED, [[1, 0, 1, 1]]]
ARRAYS = [*NOT_ARRAYS, *NOT_NUMBERS, *SHAPES, np.ma.masked_all(4)]
MARKS = [3, "text", list("abcd"), [1, 0, 2, 1], [0.5, 0, 0, 0], [NAN, 0, 0, 1], [1, 0]]
IDS = [3, "text", [], [1, 1, 2], np.eye(4), object(), RAGGED, [1, 1, None, 2], {1: 2}]
IDS += [[1.0, 1.0, NAN, 2.0], [{}] * 4, np.array(["NaT"] * 4, dtype="datetime64[s]")]
WEIGHTS = [3, "text", list("abcd"), [1, 1], [-1, -1, 1, 1], [NAN, NAN, 1, 1], [0] * 4]
WEIGHTS += [[INF, INF, 1, 1], np.eye(4), [1j, 1j, 1, 1], RAGGED, object()]
WEIGHTS += [[10**400, 10**400, 1, 1]]

SINGLE = [[1], {}, object(), np.ones(1), np.ones(2), b"1", "1", "text"]
FLAGS = [*SINGLE, None, 1.0, 2]
REALS = [*SINGLE, 1j, True, INF, -INF, 10**400]
NUMBERS = [*REALS, NAN, None]
SHARES = [*NUMBERS, -0.1, 1.1]
INSIDE = [*SHARES, 0, 1, 0.0, 1.0]
NOT_NEGATIVE = [*NUMBERS, -1]
POSITIVE = [*NOT_NEGATIVE, 0, 0.0]
WHOLE = [*SINGLE, 1j, True, INF, NAN, 1.5, 2.0, -1, 0, -(10**30)]
COUNTS = [*WHOLE, None]
NOT_CLASSES = [None, 3, [], [1, 0, 1], np.ones((2, 2, 2)), RAGGED, [1, None, {}, "a"]]
NOT_CLASSES += [[1, 0, 1, Decimal("NaN")]]
KS = [3, [], [0], [1.5], [True], ["1"], "12", [[1]], {}, object()]
UNITS = [[], 0.5, [0.5, 2], [NAN], ["a"], "ab", [[0.5]], [None], {0.5}, object()]
TEXTS = [3, True, ["text"], {}, object(), np.ones(2), b"text"]
OPTIONS = [*TEXTS, "unknown", ""]
MEASURES = [*OPTIONS, None, "ndcg@", "ndcg(k=)", "ndcg(", "ndcg(5)", "@5"]
MEASURES += ["ndcg(depth=3)", "ndcg@5@5", "ndcg" * 1000]
SEEDS = ["text", -1, 2.5, [[[]]], {}, object(), 2**64]
MAPPINGS = [{}, {"a": 1}, {0: NAN}, {0: "a"}, {(1, 2): 3}]
GAINS = [3, [1], None, "square", "", object(), b"linear", *MAPPINGS]
GAINS += [lambda grades: grades[:-1], lambda grades: grades * NAN, lambda grades: "a"]
TABLES = [None, {}, [], 3, (), object(), np.ones(3), {"q": 3}, [1, 2, 3]]
TABLES += [{"q": {"d": NAN}}, {"q": {"d": "a"}}, {1.5: {"d": 1}}, {"q": {None: 1}}]
TABLES += [{"q": {"d": None}}, {"q": {"d": [1]}}, (["q"], ["d", "e"], [1])]
SOURCES = [None, 3, [], {}, object(), True]
UNFITTED = [None, 3, "text", LinearRegression, object()]
RESPONSES = [3, "unknown", ["unknown"], (), None, [3], object(), True]
CLOSED_AXES = [3, "text", [], object()]

# Parameters that take the same.
SAME = [
    (COUNTS, "batch_size n n_candidates n_expected n_features n_grades n_runs"),
    (COUNTS, "n_informative n_permutations n_queries n_repeats n_splits"),
    (FLAGS, "adaptive band capped judged_only normalize per_query plot_chance_level"),
    (FLAGS, "plot_ideal plot_mean progress return_X_y_qid return_score shuffle"),
    (FLAGS, "despine return_train_score sparse subtopics"),
    ([*OPTIONS, None], "aggregate denominator design interval kind level missing over"),
    ([*OPTIONS, None], "negative_grades recall_rounding strategy support test ties"),
    ([*OPTIONS, None], "tool unit unmatched variant"),
    (OPTIONS, "average correction interpolation merge"),
    (NOT_NEGATIVE, "false_alarm_cost miss_cost noise"),
    ([bad for bad in NOT_NEGATIVE if bad is not INF], "beta"),  # which makes F recall
    (SHARES, "min_precision recall_level tie_share unretrieved_share"),
    ([bad for bad in POSITIVE if bad is not None], "bound margin std"),
]

# By parameter; where a callable takes other values, by both.
BAD = {name: bad for bad, names in SAME for name in names.split()}
BAD |= {
    "X": [None, 3, "text", X[:-1], object()],
    "y": [None, 3, "text", Y[:-1], np.ones((2, 2, 2)), object()],
    "y of split": [3, "text", Y[:-1], np.ones((2, 2, 2)), object()],
    "y1": NOT_CLASSES,
    "y2": NOT_CLASSES,
    "y_true": [*ARRAYS, [INF, 0, 0, 0], [-INF, 0, 0, 0]],
    "y_true of compare": [3, "text", {}, [], [1, 0, 1], np.eye(4), RAGGED, object()],
    "y_true of chance_level": [*NOT_ARRAYS, *NOT_NUMBERS, [], [INF, 1], RAGGED],
    "y_true of RankingEvaluator": [*NOT_ARRAYS, *NOT_NUMBERS, [], [INF, 1], RAGGED],
    "y_true of rank_biased_overlap_score": [*ARRAYS, [INF, 0, 0, 0]],
    "y_true of set_cost_matrix_loss": [None, 3, [], [1, 0, 1], RAGGED],
    "y_pred": [*ARRAYS, [NAN, 0, 0, 0], [1, 0, 2, 0], [0.5, 0, 0, 0]],
    "y_pred of set_cost_matrix_loss": [None, 3, [], [1, 0, 1], RAGGED],
    "y_score": [*ARRAYS, [NAN, 0, 0, 0]],
    **{
        f"{parameter} of {name}": CLASSES
        for parameter in ("y_true", "y_pred")
        for name in OF_CLASSES
    },
    "alpha": SHARES[:-3] + SHARES[-2:],
    "ax": CLOSED_AXES,
    "baseline": [3, "unknown", [], {}, object()],
    "baseline of QueryDifferenceDisplay.from_estimator": UNFITTED,
    "baseline of QueryDifferenceDisplay.from_predictions": [*ARRAYS, [NAN, 0, 0, 0]],
    "baseline of QueryDifferenceDisplay.from_results": [None, 3, [], [0.5], "text"]
    + [object(), list("abcd")],
    "bounds": [3, "text", [1], [1, 0], (0, NAN), (0, INF), ["a", "b"], object()],
    "candidates": [3, "text", [], [1, 0, 1], [0] * 4, [2, 0, 1, 1], [NAN, 0, 1, 1]]
    + [[0.5, 0, 1, 1], list("abcd"), object(), RAGGED, np.eye(4)],
    "chance": ["text", None, [[1], [1, 2]], 1j, object(), {}, 1.5],
    "chance of ranking_report": FLAGS,
    "chance_level_kw": [3, "text", [1], object()],
    "chance_level_kwargs": [3, "text", [1], object()],
    "curve": [None, 3, "text", [], {}, object()],
    "curve_kwargs": [3, "text", [1], object()],
    "cv_results": [None, 3, "text", [], {}, {"estimator": [FITTED]}, object()],
    "columns": [3, "text", [1], {"unknown": "a"}, {"grade": 3}, object()],
    "confidence_level": INSIDE,
    "confidence_level of compare": [*INSIDE, 1e-15, 1 - 1e-15],
    "confidence_level of plan_queries": [*INSIDE, 0.99999],
    "correlation": SHARES,
    "gamma": INSIDE,
    "group_size": [*NUMBERS, 0, 0.5],
    "pilot_confidence": [value for value in INSIDE if value is not None],
    "cost_matrix": [3, "text", [], [[1]], [[0, 1]], [[0, NAN], [1, 0]], RAGGED, {}]
    + [[[0, INF], [1, 0]], [["a", "b"], ["c", "d"]], object(), [[1j, 1], [1, 1]]],
    "cv": [0, 1, -1, 2.5, "text", object(), {}],
    "data": [3, "text", [3], [([1, 0],)], [([1], [7, 7])], [("ab", [7, 7])], {}, X]
    + [[([1, 0], [7, 8]), ([1, 0], [7, 7])], [([1, 0], None)], object()],
    "data of catboost_metric": [None, [], 3, "text", [3], [([1],)], [([1], [7, 7])]],
    "docno": [3, "text", [], {}, object()],
    "discount": [*OPTIONS, None]
    + [lambda ranks: ranks, lambda ranks: ranks * NAN, lambda ranks: 1.0]
    + [lambda ranks: "a"],
    "dtype": ["unknown", 3, np.int64, "U3", object, object(), np.complex128],
    "dtype of load_letor": ["unknown", 3, "U3", object, object(), np.complex128],
    "effect": [*POSITIVE, 1e-30],
    "exclude": [3, object(), np.ones(3), {"q": 3}, [1, 2, 3], {"q": {"d": "a"}}],
    "epsilon": POSITIVE,
    "error_score": [None, "unknown", [], {}, object(), True, np.ones(2), 1j],
    "estimator": UNFITTED,
    "eval_metric": [3, "unknown", [], {}, ["ndcg@5", 3], {"a": 3}, object(), "p"]
    + ["set_f1", "novelty@5"],
    "estimator of evaluate": [*UNFITTED, {}, {3: FITTED}, {"a": None}, [FITTED]]
    + [{"a": FITTED, "b": bad} for bad in (LinearRegression, {"c": FITTED}, object())],
    "estimator of query_learning_curve": [*UNFITTED, {}, {"a": FITTED}, [FITTED]],
    "eval_set": [3, "text", [3], [(X,)], object(), {}],
    "eval_qid": [3, "text", [], [[1]], [ROW_QID[:-1]], object()],
    "eval_sample_weight": [3, "text", [], [[1]], [[1] * 11], object()],
    "frame": [None, 3, [], {}, object(), X, FRAME.to_dict()],
    "gain": GAINS,
    "greater_is_better": [value for value in FLAGS if value is not None],
    "greater_is_better of make_ranking_scorer": FLAGS,
    "greater_is_better of make_metric": FLAGS,
    "function of make_metric": [None, 3, "ndcg", [], {}, object()],
    "range of make_metric": [3, "text", [], [1], [1, 0], [NAN, 1], [0, 1, 2], object()],
    "grid": UNITS,
    "max_fpr of recall_at_fpr_score": SHARES,
    "recall_level of work_saved_score": [*SHARES, 0, 0.0],
    "best": [*REALS, NAN, None],
    "values": [None, 3, "text", {}, object(), [], list("abcd"), np.eye(4), RAGGED]
    + [[INF, 1, 0, 0], [NAN] * 4],
    "confidence": [None, 3, "text", {}, object(), [], [1, 2], list("abcd"), np.eye(4)]
    + [[NAN, 1, 2, 3], {1: 2}, RAGGED],
    "metric of abstention_curve": OPTIONS,
    "n_resamples of abstention_curve": [*WHOLE, 1, None],
    "max_fpr": [0, 0.0, -0.1, 1.5, INF, NAN, "0.5", [0.5], True, 1j, object()],
    "drop_intermediate": FLAGS,
    "groups": [3, "text", [], [1, 2], np.arange(12), [[1]] * 12, [None] * 12, object()],
    "groups of interval": [3, "text", [], [1, 2], object()],
    "groups of compare": [3, "text", [], [1, 2], {}, {0: 1}, object()],
    "groups of leaderboard": [3, "text", [], [1, 2], {}, {0: 1}, object()],
    "n_resamples": WHOLE,
    "correction of leaderboard": [*OPTIONS, None, "none", "fdr_bh"],
    "by": [3, "text", [], [1, 2], object()],
    "strata": [3, "text", [], [1, 2], {}, object()],
    "groups of split": [3, "text", [], [1, 2], [[1]] * 12, object()],
    "inclusion": [3, "text", [1, 1], [NAN] * 4, [2, 1, 1, 1], [-1, 1, 1, 1], object()],
    "judge_qrels": TABLES,
    "k": WHOLE,
    "known": [*MARKS, None],
    "inverse_propensity": [3, "text", [1, 1], [0.5, 1, 1, 1], [NAN, 1, 1, 1], None],
    "popularity": [3, "text", [1, 1], [0, 1, 1, 1], [2, 1, 1, 1], None],
    "membership": [3, "text", [1, 0, 1, 1], np.eye(3), -np.eye(4), None],
    "subtopic_weight": [3, "text", [1, -1], [0, 0], [NAN, 1], np.eye(3), -np.eye(4)],
    "vectors": [3, "text", [1, 0, 1, 1], np.eye(3), np.zeros((4, 2)), None],
    "target": [3, "text", [], [0.5, 0.6], [0.5, 0.2, 0.3], [-1, 2], object(), None],
    "jsd_base": [*POSITIVE, 1, 1.9],
    "items": [3, "text", [1, 2, 3], np.eye(4), [1, 1, 1, 2]],
    "n_items": [*WHOLE[:-1], 1],
    "label_counts": ["text", [5], [-1], [NAN], list("ab"), [{}], None],
    "n_samples": [*WHOLE, 2, None],
    "a": POSITIVE,
    "b": POSITIVE,
    "ks": KS,
    "ks of metric_at_cutoffs": [*KS, None],
    "thresholds": [0.5, [], [NAN], ["1"], "12", [[1]], {}, [None], object()],
    "labels of set_cost_matrix_loss": ["text", [], [0], [0, 0, 1], [[0, 1, 2]], 3],
    "log_base": [*POSITIVE, 1, 1.0],
    "max_docs": WHOLE,
    "max_grade": [*NOT_NEGATIVE[:-2], -1, 0, 1],
    "method": ["unknown", "", 1, 2.5, None, [3], [([0], [99])], {}, [], object(), True],
    "method of interval": [*OPTIONS, None],
    "metric": MEASURES,
    "metrics": [[], {}, None, 3, "unknown", ["unknown"], [3], {"a": 3}, [[]], object()],
    "n_bins": WHOLE,
    "n_bins of StratifiedQueryKFold": COUNTS,
    "n_candidates": [*COUNTS, 10**9],
    "n_docs": [*COUNTS, (1, 2, 3), (2, 1), (0, 1), ("a", "b")],
    "n_features of load_letor": [*WHOLE, 10**30],
    "n_jobs": ["text", 1.5, 0, True, [], object(), {}],
    "n_queries of load_digits_ranking": [*COUNTS, 10**9],
    "n_systems": [*COUNTS, 1],
    "max_train_size": WHOLE,
    "gap": [*SINGLE, 1j, True, INF, NAN, 1.5, 2.0, -1, None],
    "n_splits of evaluate": WHOLE,
    "n_splits of query_learning_curve": WHOLE,
    "params": [3, "text", [1], object(), {"qid": [1]}, {"groups": [1]}],
    "path": [3, None, 2.5, {}, object(), []],
    "path of to_csv": [3, 2.5, {}, object(), []],
    "path of to_json": [3, 2.5, {}, object(), []],
    "data of from_dict": [3, None, "text", {}, [], object(), {"type": 3}],
    "validation_fraction": [bad for bad in INSIDE if bad is not None],
    "persistence": INSIDE,
    "power": [*INSIDE, 0.05],
    "beta of q_measure_score": NOT_NEGATIVE,
    "pos_label": [[1], {}, {1, 2}, object(), np.ones(2), "text", 7, NAN],
    "pilot": [3, "text", [], {}, object(), [0.5], [0.5, 0.5], list("abc"), SCORED]
    + [{"a": [0.5, 0.2]}, [[0.5, 0.5], [0.5]], [SCORED, SCORED], [0.5, INF], None]
    + [[list("ab"), list("ab")], {"a": "text", "b": "text"}, [1e-3, NAN], RAGGED],
    "pooled": MARKS,
    "marks": [3, [1], "known", {"unknown": [1]}],
    "qid": IDS,
    "qid of get_scorer": [True, 2.5, [1, 2], np.ones(2), object(), {}, b"qid"],
    "qid of QueryRanker": [True, 2.5, [1, 2], 17, "unknown", object(), {}, b"qid"],
    "qrels": TABLES,
    "qrels_a": TABLES,
    "qrels_b": TABLES,
    "random_state": SEEDS,
    "recall_levels": [*UNITS, None],
    "records": [None, 3, [], {}, [3], ["text"], [{}], object(), {"a": {}}],
    "query": [3, "unknown", "", [], ["question"], {}, object()],
    "relevant": [3, "unknown", "", [], ["gold"], {}, object()],
    "retrieved": [3, "unknown", "", [], [3], ["unknown"], 2 * ["retrieved"], {}],
    "relevance_threshold": [*REALS, NAN],
    "replace_undefined_by": [value for value in NUMBERS if value is not NAN],
    "response_method": RESPONSES,
    "result": [None, 3, [], [0.5], "text", object(), list("abcd")],
    "results": [None, 3, [], {}, "text", object(), [SYSTEMS["old"]], [3, 4]]
    + [{"a": "text", "b": "text"}, [[0.5, 0.5], [0.5]], [list("ab"), list("ab")]],
    "runs": [None, 3, "text", [], {}, object(), b"text", {"q": {"d": 1}}, [3], [None]],
    "method of fuse_runs": [*OPTIONS, None],
    "normalize of fuse_runs": OPTIONS,
    "k of fuse_runs": [bad for bad in NOT_NEGATIVE if bad is not None],
    "run": [None, *TABLES[3:]],  # it may be empty
    "n_queries of sample_judgments": WHOLE,
    "runs of leave_one_out_pool": [None, 3, "text", {}, {"a": None}, {"q": {"d": 1}}],
    "groups of leave_one_out_pool": [3, "text", {}, {"a": 1}, object()],
    "depth": WHOLE,
    "runs of align_judged": [None, 3, "text", [], {}, object(), {"a": None}, {"a": 3}],
    **{f"sample_weight of {name}": WEIGHTS for name in OF_CLASSES},
    "sample_weight of score_judged": WEIGHTS,
    "sample_weight of compare_judged": WEIGHTS,
    "sample_weight": [*WEIGHTS, [1, 2, 1, 1], [None, None, 1, 1]],
    "score": ["text", None, RAGGED, 1j, object(), {}],
    "score_func": [None, 3, "ndcg", [], {}, object()],
    "scoring": [*MEASURES, [], {}, ["unknown"]],
    "source": SOURCES,
    "stratify": [3, "unknown", [1], {}, object()],
    "tag": [3, 2.5, [], {}, object(), "", "two words", "line\n", b"tag"],
    "test_size": [*SINGLE, 1j, True, INF, NAN, -1, 0, 1.5, 1.0, 10**9],
    "train_sizes": [None, 3, 0.5, "text", {}, object(), [], [True], [1j], [INF], [NAN]]
    + [[[1]], [0.5, 2.0], [None], [-1], [0], [1.5], [3], [0.0]],
    "train_size": [*SINGLE, 1j, True, INF, NAN, -1, 0, 1.5, 1.0, 10**9],
    "weights": ["text", [], [1], [0] * 5, [-1, 1, 1, 1, 1], [NAN] * 5, np.eye(5), 3]
    + [[INF] * 5, list("abcde"), object(), {}],
    "weights of fuse_runs": ["text", [], [1, 2], [0], [-1], [NAN], [INF], {"a": 1}]
    + [object(), [[1]], 1.0, ["a"]],
    "width": [bad for bad in POSITIVE if bad is not None],
    "y_judge": [3, "text", list("abcd"), [1, 2], np.ones((4, 2, 2)), object(), RAGGED],
    "y_scores": [3, "text", {}, [], list("abcd"), [1.0, 2.0], {"a": "b"}, object()],
    "y_scores of sample_judgments": [3, "text", {}, [*"abcd"], {"a": "b"}, [NAN] * 4],
    "zero_based": ["yes", "", 2, None, 2.5, [], object(), {}],
}
BAD["by of ranking_report"] = [3, "text", [], [1, 2, 3], object(), {}]
OF_SYSTEMS = ["compare", "leaderboard"]
for name in [*OF_SYSTEMS, "interval", "plan_queries", "from_result", "from_results"]:
    BAD[f"metric of {name}"] = OPTIONS
for name in [*OF_SYSTEMS, "plan_judgments", "sample_judgments"]:
    BAD[f"random_state of {name}"] = ["text", -1, 2.5, {}, object()]
BAD["results of QueryDifferenceDisplay.from_results"] = BAD["result"]
for name in ("get_scorers", "make_ranking_scorer"):
    BAD[f"qid of {name}"] = BAD["qid of get_scorer"]
for function in ("score_frame", "score_lazily", "summarize_frame"):
    for name in ("qid", "y_true", "y_score", "sample_weight", "doc"):
        wrong = [3, "unknown", [], ["q"], object(), {}, True]
        BAD[f"{name} of {function}"] = wrong
    BAD[f"by of {function}"] = BAD["qid of score_frame"]
BAD["gain of StreamingEvaluator"] = [  # others show in an update
    gain for gain in GAINS if gain is not None and not callable(gain)
]
BAD["parts of concat"] = [3, [], [3], object()]
BAD["other of merge"] = [None, 3, "text", object()]
for name in [*OF_SETS, *OF_CLASSES, "contingency_table"]:
    BAD[f"labels of {name}"] = ["text", [], [0, 0, 1], [[0, 1, 2]], 3, RAGGED, [7, 8]]
for name in OF_SUBTOPICS:
    BAD[f"alpha of {name}"] = SHARES

# What is not checked, and why.
EXEMPT = {
    "options of leave_one_out_pool": "goes to score_run, which checks it",
    **{
        f"{parameter} of cohen_kappa_score": "scikit-learn's own function"
        for parameter in inspect.signature(
            sklearn_irmetrics.metrics.cohen_kappa_score
        ).parameters
    },
    "arguments of Measure": "each is named by its own name",
    "kwargs": "goes to a function that checks it",
    "fit_params": "goes to the fit of the estimator, which checks it",
    "groups of EvaluationResult.class_report": "goes to class_report, which checks it",
    "sample_weight of EvaluationResult.class_report": "goes to class_report, too",
    "name": "any object; its text is shown",
    "baseline_name": "any object; its text is shown",
    "X of from_estimator": "goes to the estimator, which checks it",
    "X of QueryRanker.fit": "goes to the estimator, which checks it",
    "X of QueryRanker.predict": "goes to the estimator, which checks it",
    "X of QueryRanker.score": "goes to the estimator, which checks it",
    "X of get_n_splits": "not looked at, as in scikit-learn",
    "y of get_n_splits": "not looked at, as in scikit-learn",
    "groups of get_n_splits": "not looked at, as in scikit-learn",
    "qid of get_n_splits": "not looked at, as in scikit-learn",
}
if OF_CLUSTER["frame"] is FRAME:
    EXEMPT |= {
        f"{parameter} of score_lazily": "needs a frame of Dask or Spark"
        for parameter in inspect.signature(
            sklearn_irmetrics.frames.score_lazily
        ).parameters
    }
# Records of results and displays keep what they are given, as those of scikit-learn.
NO_RECORDS = {"Measure", "RankingEvaluator"}
# How else messages may call a parameter.
ALSO_CALLED = {
    "y of from_estimator": "y_true",
    "y of QueryRanker.score": "y_true",
    "eval_qid": r"eval_set\[0\]: qid",
    "eval_sample_weight": r"eval_set\[0\]: sample_weight",
    "random_state": "seed",  # scikit-learn's message
    "source": "path",
}

# The walk -----------------------------------------------------------------------------

PUBLIC = {}
for module in ["", *MODULES]:
    module = importlib.import_module(f"sklearn_irmetrics.{module}".rstrip("."))
    own = [
        name
        for name, value in vars(module).items()
        if name[0] != "_" and getattr(value, "__module__", "") == module.__name__
    ]
    for name in getattr(module, "__all__", own):
        value = getattr(module, name)
        if inspect.isclass(value) and not issubclass(value, Exception):
            is_record = is_dataclass(value) or issubclass(value, tuple)
            if name in NO_RECORDS or not (is_record or name in plot.__all__):
                PUBLIC[name] = value
            for method, function in inspect.getmembers(value, callable):
                package = str(getattr(function, "__module__", "")).partition(".")[0]
                known = function in PUBLIC.values()  # inherited
                if package == "sklearn_irmetrics" and not (known or method[0] == "_"):
                    PUBLIC[f"{name}.{method}"] = function
        elif inspect.isroutine(value):
            PUBLIC[name] = value

CASES = [
    (name, parameter)
    for name, function in sorted(PUBLIC.items())
    for parameter in inspect.signature(function).parameters
    if parameter != "self"
]


@pytest.fixture(scope="module", autouse=True)
def good_files(tmp_path_factory):
    path = tmp_path_factory.mktemp("letor") / "train.txt"
    path.write_text("2 qid:7 1:0.5 2:1 # a\n0 qid:7 2:0.25 # b\n")
    GOOD["load_letor"] = {"path": path}
    run = path.with_name("run.txt")
    run.write_text("q 0 d 1 0.5 tag\n")
    GOOD["read_run"] = {"source": run}
    qrels = path.with_name("qrels.txt")
    qrels.write_text("q 0 d 1\n")
    GOOD["read_qrels"] = {"source": qrels}


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


@cache
def display(name):
    made = f"{name}.from_predictions"
    made = made if made in PUBLIC else f"{name}.from_result"
    return call(made, arguments_of(made))


def arguments_of(name, parameter=None):
    """Good arguments, with what the parameter needs beside it."""
    accepted = inspect.signature(PUBLIC[name]).parameters
    kind = name.partition(".")[2]
    given = {**GOOD["*"], **(OF_MODEL if kind == "from_estimator" else {})}
    given |= GOOD.get(name, GOOD.get(kind, {}))
    given |= WITH_FOR.get(f"{parameter} of {name}", WITH.get(parameter, {}))
    return {key: value for key, value in given.items() if key in accepted}


def call(name, arguments):
    """Call it, and use what it makes where only that looks at the arguments."""
    owner, _, method = name.rpartition(".")
    if owner in plot.__all__ and method == "plot":
        plt.close("all")
        return display(owner).plot(**arguments)
    if owner in plot.__all__:
        plt.close("all")
        return getattr(getattr(plot, owner), method)(**arguments)
    if owner == "QueryRanker":
        model = QueryRanker(EarlyStopper())
        model = model if method == "fit" else model.fit(**OF_RANKER)
        return getattr(model, method)(**arguments)
    if owner in SPLITTERS and method == "split":
        kwargs = {"unit": "group"} if owner == "ResampledSplit" else {}
        return list(getattr(model_selection, owner)(2, **kwargs).split(**arguments))
    if name == "RankingEvaluator.score_queries":
        judged = sklearn_irmetrics.reports.RankingEvaluator(BY_FOUR["y_true"], "ndcg@2")
        return judged.score_queries(**arguments)
    if method in ("interval", "report"):
        scored = sklearn_irmetrics.score_queries([[1, 0]] * 3, [[1, 0]] * 3, "mrr")
        if owner == "ScoreSummary":
            scored = streamed().compute()
        return getattr(scored, method)(**arguments)
    if owner == "StreamingEvaluator":
        return getattr(streamed(), method)(**arguments)
    if method in ("to_csv", "to_json", "from_dict"):
        scored = sklearn_irmetrics.score_queries([1], [1], "mrr")
        return getattr(scored, method)(**arguments)
    if hasattr(PUBLIC[name], "split"):
        return list(PUBLIC[name](**arguments).split(X, Y, np.arange(12)))
    if name == "QueryRanker":
        return PUBLIC[name](**arguments).fit(X, Y)
    return PUBLIC[name](**arguments)


def streamed():
    evaluator = sklearn_irmetrics.streaming.StreamingEvaluator("mrr")
    evaluator.update(*BY_FOUR.values(), qid=[1, 1, 2, 2])
    return evaluator


@cache
def succeeds(name, parameter):
    call(name, arguments_of(name, parameter))
    return True


def find(table, name, parameter):
    """Look up by both names, by parameter and method, or by parameter."""
    method = name.rpartition(".")[2]
    for key in (f"{parameter} of {name}", f"{parameter} of {method}", parameter):
        if key in table:
            return table[key]
    return None


@pytest.mark.parametrize(("name", "parameter"), CASES)
def test_bad_values_are_refused_by_name(name, parameter):
    if find(EXEMPT, name, parameter) is not None:
        return
    bad = find(BAD, name, parameter)
    assert bad, f"list bad values of {parameter} of {name} in BAD, or exempt it"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        key = f"{parameter} of {name}"
        assert succeeds(name, parameter if key in WITH_FOR or parameter in WITH else "")
    called = find(ALSO_CALLED, name, parameter) or parameter
    told = re.compile(rf"(?<![a-z_])({parameter}|{called})(?![a-z_])", re.IGNORECASE)
    failures = []
    for value in bad:
        arguments = {**arguments_of(name, parameter), parameter: value}
        try:
            call(name, arguments)
        except (TypeError, ValueError) as error:
            if not told.search(str(error)):
                failures.append(f"{value!r}: {type(error).__name__}: {error}")
        except Exception as error:
            failures.append(f"{value!r}: {type(error).__name__}: {error}")
        else:
            failures.append(f"{value!r} is accepted")
    assert not failures, "\n".join(failures)


def test_tables_hold_nothing_else():
    names = {parameter for _, parameter in CASES}
    methods = {name.rpartition(".")[2] for name, _ in CASES} | set(PUBLIC)
    for table in (BAD, WITH, WITH_FOR, EXEMPT, ALSO_CALLED):
        for key in table:
            parameter, _, name = key.partition(" of ")
            assert parameter in names, key
            assert not name or name in methods, key
