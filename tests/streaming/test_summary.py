"""What a stream comes to: sums of segments, and results that travel."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import UndefinedMetricWarning

from oracles.streams import make_rows, quietly, stream
from sklearn_irmetrics import score_queries
from sklearn_irmetrics.streaming import ScoreSummary, StreamingEvaluator


def test_segments_are_calls_of_their_own():
    rng = np.random.default_rng(0)
    y_true, y_score, rows = make_rows(rng, 50, "small")
    country = np.where(rows["qid"] % 3, "uk", "de")
    found = StreamingEvaluator(["mrr", "dcg"])
    for part in range(4):
        own = rows["qid"] % 4 == part
        given_rows = {name: values[own] for name, values in rows.items()}
        found.update(y_true[own], y_score[own], **given_rows, by=country[own])
    with pytest.warns(UndefinedMetricWarning):
        found = found.compute()
    report = found.report()
    for name in ("uk", "de"):
        own = country == name
        given_rows = {key: values[own] for key, values in rows.items()}
        with pytest.warns(UndefinedMetricWarning):
            want = score_queries(
                y_true[own], y_score[own], ["mrr", "dcg"], **given_rows
            )
        for label in ("mrr", "dcg"):
            assert_allclose(found.mean[label, name], want.mean[label], rtol=1e-12)
            ends = want.interval(label, confidence_level=0.975)
            alone = found.interval((label, name), confidence_level=0.975)
            assert_allclose(alone, ends, rtol=0, atol=1e-9)
            assert report.confidence_interval[label, name] == alone
    assert "Intervals of slices hold for all slices" in str(report)
    assert sorted(found.mean) == [(m, c) for m in ("dcg", "mrr") for c in ("de", "uk")]


@quietly
def test_summaries_travel():
    y_true, y_score, rows = make_rows(np.random.default_rng(3), 40, "small")
    found = stream(np.random.default_rng(0), y_true, y_score, rows)
    again = ScoreSummary.from_dict(json.loads(found.to_json()))
    assert repr(again.report()) == repr(found.report())
    assert repr(again) == repr(found)
    with pytest.raises(ValueError, match="metric must be one of"):
        found.interval("nothing")
    with pytest.raises(ValueError, match="method must be one of"):
        found.interval(method="bca")
