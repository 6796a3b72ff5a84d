"""Interpolated curves and running tables, against their points one by one."""

import numpy as np
import pytest

import sklearn_irmetrics as irm
from oracles.queries import ragged_rankings


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("ties", ["average", "optimistic", "pessimistic", "stable"])
def test_interpolated_curve_is_interpolated_precision_at_each_level(ties):
    y_true, y_score, qid = ragged_rankings()
    options = {"qid": qid, "ties": ties, "recall_rounding": "trec_eval9"}
    precision, recall = irm.metrics.interpolated_precision_recall_curve(
        y_true, y_score, **options
    )
    np.testing.assert_array_equal(recall, np.arange(11) / 10)
    for value, level in zip(precision, recall, strict=True):
        one = irm.metrics.interpolated_precision_score(
            y_true, y_score, recall_level=level, **options
        )
        assert value == pytest.approx(one, abs=1e-14)
    eleven = irm.eleven_point_precision_score(y_true, y_score, **options)
    assert precision.mean() == pytest.approx(eleven, abs=1e-14)


@pytest.mark.parametrize("ties", ["average", "optimistic", "pessimistic", "stable"])
@pytest.mark.parametrize("k", [None, 4])
def test_running_table_holds_precision_and_recall_at_each_rank(ties, k):
    y_true, y_score, qid = ragged_rankings()
    table = irm.metrics.precision_recall_at_ranks(
        y_true, y_score, qid=qid, ties=ties, k=k
    )
    ids = list(dict.fromkeys(qid.tolist()))
    assert list(dict.fromkeys(table.qid.tolist())) == [
        i for i in ids if np.isfinite(y_score[qid == i]).any()
    ]
    for query in ids:
        own = table.qid == query
        found = table.precision[own] * table.rank[own]
        np.testing.assert_allclose(np.cumsum(table.relevant[own]), found, atol=1e-12)
    for rank in (1, 3, 4):
        options = {"k": rank, "qid": qid, "ties": ties, "average": None}
        precision = dict(
            zip(ids, irm.precision_at_k_score(y_true, y_score, **options), strict=True)
        )
        recall = dict(
            zip(ids, irm.recall_at_k_score(y_true, y_score, **options), strict=True)
        )
        rows = np.flatnonzero(table.rank == rank)
        assert len(rows)
        for row in rows:
            query = table.qid[row]
            assert table.precision[row] == pytest.approx(precision[query], abs=1e-14)
            assert table.recall[row] == pytest.approx(
                recall[query], abs=1e-14, nan_ok=True
            )


def test_running_table_of_a_frame_and_of_condensed_lists():
    table = irm.metrics.precision_recall_at_ranks([np.nan, 1], [2, 1], judged_only=True)
    pytest.importorskip("pandas")
    frame = table.to_frame()
    assert list(frame.columns) == ["qid", "rank", "relevant", "precision", "recall"]
    assert frame.precision.tolist() == [1.0]
