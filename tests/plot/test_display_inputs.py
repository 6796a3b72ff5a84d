"""Displays of aligned runs, subtopics and sparse matrices."""

import inspect

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal, assert_equal
from scipy.sparse import csr_array

import sklearn_irmetrics as irm
from sklearn_irmetrics import plot
from sklearn_irmetrics.runs import align

pytest.importorskip("matplotlib")

MAKERS = {
    name: getattr(plot, name).from_predictions
    for name in plot.__all__
    if hasattr(getattr(plot, name), "from_predictions")
    if name != "ClassReportDisplay"  # of predicted classes
}
QRELS = {
    "a": {"x": 2, "y": 1, "z": -1, "v": 0},
    "b": {"x": 1, "w": 0},
    "c": {"y": 1, "v": 0},
}
# Not all queries have a document of grade 2.
OWN = {"SilenceDisplay": {"metric": "recall(relevance_threshold=2)@5"}}
RUN, OTHER = (
    align(QRELS, {"b": {"w": 2, "x": b}, "a": {"u": 5, "z": 4, "x": b, "y": 2}})
    for b in (1, 6)
)


@pytest.mark.parametrize("name", MAKERS)
def test_aligned_runs_stand_for_grades_scores_and_ids(name):
    make = MAKERS[name]
    accepted = inspect.signature(make).parameters
    own = {"baseline": OTHER.y_score, "random_state": 0}
    own = {key: value for key, value in own.items() if key in accepted}
    own |= OWN.get(name, {})
    rows = {"y_true": RUN.y_true, "y_score": RUN.y_score, "qid": RUN.qid}
    expected, found = make(**rows, **own), make(RUN, **own)
    for attribute, value in vars(expected).items():
        if not attribute.endswith("_"):
            assert_equal(vars(found)[attribute], value)
    with pytest.raises(TypeError, match="y_score must be given unless y_true is an Al"):
        make(RUN.y_true, **own)
    for parameter in ("y_score", "qid"):
        with pytest.raises(TypeError, match=f"{parameter} must be None if y_true"):
            make(RUN, **own, **{parameter: rows[parameter]})


def test_differences_of_aligned_runs_are_by_query():
    make = plot.QueryDifferenceDisplay.from_predictions
    found = make(RUN, baseline=OTHER, metric="infap")
    assert found.query_ids.tolist() == ["a", "b", "c"]
    first, second = (
        irm.metrics.inferred_average_precision_score(
            one.y_true, one.y_score, pooled=one.pooled, qid=one.qid, average=None
        )
        for one in (RUN, OTHER)
    )
    assert_array_equal(found.differences, first - second)
    assert found.differences[0] != 0
    message = r"'baseline' lacks the ids 'a', 'c', which 'y_true'"
    with pytest.raises(ValueError, match=message):
        make(RUN, baseline=align({"b": {"x": 1}}, {"b": {"x": 1}}))


def test_pooled_documents_of_aligned_runs_count():
    rows = RUN.y_true, RUN.y_score, "infap"
    without = irm.score_queries(*rows, qid=RUN.qid)
    scores = irm.score_queries(*rows, qid=RUN.qid, marks={"pooled": RUN.pooled})
    expected = scores.mean["infap"]
    assert expected != without.mean["infap"]
    display = plot.EvaluationDisplay.from_predictions(RUN, metrics=["infap"])
    assert display.estimates == [expected]
    report = irm.ranking_report(RUN, metrics=["infap"])
    assert report.estimate == {"infap": expected}


def test_subtopics():
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(20), 8)
    y_true = (rng.random((160, 3)) < 0.3).astype(int)
    y_true[::8, 0] = 1
    y_score = rng.integers(0, 5, 160)
    shared = {"qid": qid, "sample_weight": 1 + qid % 3}
    name, ks = "subtopic_recall", [1, 2, 5]
    shown = MAKERS["CutoffDisplay"](y_true, y_score, metric=name, ks=ks, **shared)
    expected = irm.reports.metric_at_cutoffs(name, y_true, y_score, ks, **shared)
    assert_allclose(shown.score, expected)
    chance = [irm.metrics.chance_level(name, y_true, k=k, **shared) for k in ks]
    assert_allclose(shown.chance_level, chance)
    assert shown.ax_.get_ylabel() == "subtopic_recall@k"

    options = {"baseline": -y_score, "metric": "alpha_ndcg@5", "qid": qid}
    display = MAKERS["QueryDifferenceDisplay"](y_true, y_score, **options)
    first, second = (
        irm.metrics.alpha_ndcg_score(y_true, one, k=5, qid=qid, average=None)
        for one in (y_score, -y_score)
    )
    assert_allclose(display.differences, first - second)
    metrics = ["alpha_ndcg@5", "ndcg@5"]
    display = MAKERS["EvaluationDisplay"](y_true, y_score, metrics=metrics, **shared)
    assert display.estimates[0] == irm.metrics.alpha_ndcg_score(
        y_true, y_score, k=5, **shared
    )


@pytest.mark.parametrize("name", sorted(set(MAKERS) - {"QueryDifferenceDisplay"}))
def test_sparse_scores(name):
    y_true = csr_array([[1, 0, 0, 2], [0, 1, 0, 0]])
    y_score = csr_array([[0.5, 0.2, 0, 0], [0, 0.5, 0.7, 0]])
    assert MAKERS[name](y_true, y_score, **OWN.get(name, {})).line_ is not None


pytest.importorskip("matplotlib")
