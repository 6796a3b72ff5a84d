"""What a user writes, for ``mypy --strict`` to check; nothing here is run."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import sklearn_irmetrics as irm
from sklearn_irmetrics import datasets, runs
from sklearn_irmetrics.comparison import ComparisonResult, compare
from sklearn_irmetrics.model_selection import (
    BootstrapSplit,
    ConfidenceInterval,
    EvaluationResult,
    EvaluationResults,
    evaluate,
)
from sklearn_irmetrics.plot import RocDisplay

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
