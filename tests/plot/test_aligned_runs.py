"""Displays and the report take runs joined with their judgments as they are."""

import inspect

import numpy as np
import pytest

from sklearn_irmetrics import (
    inferred_average_precision_score,
    plot,
    ranking_report,
    score_queries,
)
from sklearn_irmetrics.runs import align

plt = pytest.importorskip("matplotlib.pyplot")

OF_PREDICTIONS = [
    name for name in plot.__all__ if hasattr(getattr(plot, name), "from_predictions")
]
ALIGNED = [
    align(
        {
            "a": {"x": 2, "y": 1, "z": -1, "v": 0},
            "b": {"x": 1, "w": 0},
            "c": {"y": 1, "v": 0},
        },
        {"b": {"w": 2, "x": first}, "a": {"u": 5, "z": 4, "x": first, "y": 2}},
    )
    for first in (1, 6)
]


@pytest.mark.parametrize("name", OF_PREDICTIONS)
def test_aligned_runs_stand_for_grades_scores_and_ids(name):
    run, other = ALIGNED
    make = getattr(plot, name).from_predictions
    rows = {"y_true": run.y_true, "y_score": run.y_score, "qid": run.qid}
    shared, own = {}, {}
    if "baseline" in inspect.signature(make).parameters:
        shared["baseline"] = own["baseline"] = other.y_score
    if "random_state" in inspect.signature(make).parameters:
        shared["random_state"] = own["random_state"] = 0
    plt.close("all")
    expected, found = make(**rows, **shared), make(run, **own)
    for attribute, value in vars(expected).items():
        if not attribute.endswith("_"):
            np.testing.assert_equal(vars(found)[attribute], value)
    with pytest.raises(TypeError, match="y_score must be given unless y_true is an Al"):
        make(run.y_true, **own)
    for parameter in ("y_score", "qid"):
        with pytest.raises(TypeError, match=f"{parameter} must be None where y_true"):
            make(run, **own, **{parameter: rows[parameter]})


def test_differences_of_aligned_runs_are_by_query():
    run, other = ALIGNED
    make = plot.QueryDifferenceDisplay.from_predictions
    found = make(run, baseline=other, metric="infap")
    assert found.query_ids.tolist() == ["a", "b", "c"]
    first, second = (
        inferred_average_precision_score(
            one.y_true, one.y_score, pooled=one.pooled, qid=one.qid, average=None
        )
        for one in (run, other)
    )
    np.testing.assert_array_equal(found.differences, first - second)
    assert found.differences[0] != 0
    skipped = align({"b": {"x": 1}}, {"b": {"x": 1}})
    with pytest.raises(
        ValueError, match=r"'baseline' lacks the ids 'a', 'c', which 'y_true'"
    ):
        make(run, baseline=skipped)


def test_pooled_documents_of_aligned_runs_count():
    (run, _) = ALIGNED
    expected = score_queries(
        run.y_true, run.y_score, "infap", qid=run.qid, marks={"pooled": run.pooled}
    ).mean["infap"]
    without = score_queries(run.y_true, run.y_score, "infap", qid=run.qid)
    assert expected != without.mean["infap"]
    display = plot.EvaluationDisplay.from_predictions(run, metrics=["infap"])
    assert display.estimates == [expected]
    report = ranking_report(run, metrics=["infap"], output="dict")
    assert report["measures"]["infap"]["mean"] == expected
