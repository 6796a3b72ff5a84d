"""What a user writes, for ``mypy --strict`` to check; nothing here is run."""

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import sklearn_irmetrics as irm
from sklearn_irmetrics import datasets, runs
from sklearn_irmetrics.comparison import (
    ComparisonResult,
    ComparisonResults,
    Leaderboard,
    Leaderboards,
    compare,
    leaderboard,
)
from sklearn_irmetrics.model_selection import (
    BootstrapSplit,
    ConfidenceInterval,
    EvaluationResult,
    EvaluationResults,
    evaluate,
    query_learning_curve,
)
from sklearn_irmetrics.plot import (
    AbstentionDisplay,
    ClassReportDisplay,
    EvaluationDisplay,
    LeaderboardDisplay,
    QueryLearningCurveDisplay,
    RocDisplay,
    ThresholdDisplay,
)
from sklearn_irmetrics.reports import (
    ClassReport,
    QueryScores,
    RankingReport,
    RankingReports,
    RunScores,
    abstention_curve,
    threshold_curve,
)

grades, scores = [3, 0, 1, 0], np.array([0.9, 0.5, 0.4, 0.1], dtype=np.float32)
qid = ["a", "a", "b", "b"]

ndcg: float = irm.ndcg_score(grades, scores, k=10, qid=qid, ties="optimistic")
of_queries: NDArray[np.float64] = irm.ndcg_score(grades, scores, qid=qid, average=None)
micro: float = irm.precision_at_k_score(grades, scores, k=2, average="micro")
gained: float = irm.dcg_score(grades, scores, gain={1: 1.0, 3: 7.0})
retrieved: float = irm.set_fbeta_score(grades, [1, 1, 0, 0], beta=2)
curve: irm.metrics.RocCurve = irm.roc_curve(grades, scores)
fpr, tpr, thresholds = curve
rates: NDArray[Any] = fpr + tpr

several = irm.score_queries(grades, scores, {"early": "p@1", "map": "map"}, qid=qid)
mean: float = several.mean["map"]
first: NDArray[Any] = several.scores["early"]
names: list[str] = irm.get_scorer_names()
scorer = irm.get_scorer("ndcg@10")
scorers: dict[str, Any] = irm.get_scorers(["ndcg@10", "map"], qid="query")
arguments: dict[str, Any] = irm.metrics.preset("trec_eval10", "map")
own: irm.Measure = irm.make_metric(
    lambda y_true, y_score: float(y_true[0]), name="own", range=(0, 1)
)

ranker = irm.QueryRanker(object()).fit([[0.0]] * 4, grades, qid=qid)
quality: float = ranker.score([[0.0]] * 4, grades, qid=qid)
result: EvaluationResult = evaluate(
    ranker, [[0.0]] * 4, grades, scoring=scorers, qid=qid, method=BootstrapSplit(10)
)
each: EvaluationResults = evaluate(
    {"one": ranker, "other": ranker}, [[0.0]] * 4, grades, scoring="map", qid=qid
)
which: ComparisonResult = each.compare(baseline="one")
known: EvaluationResult = each["one"]
interval: ConfidenceInterval = result.confidence_interval["map"]
width: float = interval.high - interval.low
table: ComparisonResult = compare({"one": result, "other": result})
p_value: NDArray[Any] = table.p_adjusted
latex: str = table.to_latex() + several.to_markdown()
several.to_csv("scores.csv")

X, y, queries = datasets.make_ranking(n_docs=(5, 9), random_state=0)
aligned: runs.AlignedRun = runs.align("qrels", {"q1": {"d1": 0.5}}, missing="skip")
runs.write_run((aligned.qid, aligned.docno, aligned.y_score), "out.run.gz", tag="mine")
RocDisplay.from_predictions(grades, scores, qid=qid).plot(band=False)
fused: runs.Run = irm.runs.fuse_runs(
    [{"q1": ["d1"]}, "other.run"], "combsum", normalize="sum"
)
runs.write_qrels([("q1", "d1", 1)], "qrels.txt.xz")

# What a call returns is told by what it is given.
models = {"one": ranker, "other": ranker}
assert_type(evaluate(ranker, X, y, scoring="map", qid=queries), EvaluationResult)
assert_type(evaluate(models, X, y, scoring="map", qid=queries), EvaluationResults)
assert_type(each["one"].query_scores is not None, bool)
assert_type(result.estimate, dict[str, float])
assert_type(result.class_report(), ClassReport)
assert_type(result.class_report().plot(), ClassReportDisplay)
assert_type(each.plot(), EvaluationDisplay)
assert_type(each.compare(metric="map"), ComparisonResult)
assert_type(each.compare(metric=["map", "mrr"]), ComparisonResults)
assert_type(compare(models, metric="map", test="ttest"), ComparisonResult)
assert_type(compare(models, metric=("map", "mrr")), ComparisonResults)
assert_type(compare(models, by={"q1": "short", "q2": "long"}), ComparisonResults)
assert_type(compare(models), ComparisonResult | Any)
assert_type(compare(models, metric="map").plot(), EvaluationDisplay)
assert_type(leaderboard(models, metric="map"), Leaderboard)
assert_type(leaderboard(models, metric=["map", "mrr"]), Leaderboards)
assert_type(leaderboard(models), Leaderboard | Any)
assert_type(leaderboard(models, metric="map").plot(), LeaderboardDisplay)
assert_type(irm.score_queries(y, X[:, 0], "map", qid=queries), QueryScores)
assert_type(several.report(groups=["a", "b"]), RankingReport)
assert_type(several.plot(), EvaluationDisplay)
assert_type(several.interval("map"), tuple[float, float])
assert_type(irm.ranking_report(grades, scores, qid=qid), RankingReport)
assert_type(irm.ranking_report(grades, {"a": scores}, qid=qid), RankingReports)
assert_type(irm.ranking_report(aligned), RankingReport)
assert_type(irm.ranking_report({"a": aligned, "b": aligned}), RankingReports)
assert_type(irm.ranking_report(several), RankingReport)
assert_type(irm.score_run("qrels", "run", "map"), QueryScores)
assert_type(irm.score_run("qrels", fused, ["map"], ties="stable"), QueryScores)
assert_type(irm.score_run("qrels", {"a": "a.run"}, "map"), RunScores)
assert_type(runs.read_run({"q1": ["d1"]}, dtype=np.float32), runs.Run)
assert_type(runs.read_qrels({"q1": {"d1": 1}}), runs.Qrels)
assert_type(irm.metrics.gain_curve(grades, scores, metric="dcg")[1], NDArray[Any])
assert_type(threshold_curve("set_f1", grades, scores).plot(), ThresholdDisplay)
assert_type(abstention_curve(several, scores).plot(), AbstentionDisplay)
curve_of_sizes = query_learning_curve(ranker, X, y, scoring="map", qid=queries)
assert_type(curve_of_sizes.plot(), QueryLearningCurveDisplay)
assert_type(curve_of_sizes.compare(metric="map"), ComparisonResult)
assert_type(irm.contingency_table(grades, [1, 0, 0, 1]).keys is None, bool)
assert_type(irm.Measure("ndcg@10").label, str)
assert_type(irm.get_scorer_names(), list[str])
