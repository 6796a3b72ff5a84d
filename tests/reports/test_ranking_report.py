"""The report against what other functions and plain loops say."""

import math
import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array

from oracles.cases import make_rankings
from oracles.measures import DEFAULT_METRICS
from sklearn_irmetrics import chance_level, score_queries
from sklearn_irmetrics.exceptions import FractionalGradesWarning
from sklearn_irmetrics.reports.report import ranking_report
from sklearn_irmetrics.runs import align


def of_queries(n_queries):
    lengths = np.random.default_rng(0).integers(1, 30, n_queries)
    y_true, y_score, qid = make_rankings(0, lengths, tied=True)
    return np.maximum(y_true, 0), y_score, qid


Y_TRUE, Y_SCORE, QID = of_queries(60)
METRICS = ["ndcg@10", "map", "p@5", "roc_auc", "11pt", "bpref", "err"]


def report(*args, **kwargs):
    """The report as a dict; it must not warn."""
    return ranking_report(*args, output="dict", **kwargs)


def scores(*args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return score_queries(*args, **kwargs)


def test_rows_are_what_other_functions_return():
    measures = report(Y_TRUE, Y_SCORE, qid=QID, metrics=METRICS)["measures"]
    worst, found, best = (
        scores(Y_TRUE, Y_SCORE, METRICS, qid=QID, ties=ties)
        for ties in ("pessimistic", "average", "optimistic")
    )
    assert list(measures) == METRICS
    for name, row in measures.items():
        undefined = sum(1 for value in found.scores[name] if value != value)
        assert (row["n_undefined"], row["n_queries"]) == (undefined, 60 - undefined)
        means = [one.mean[name] for one in (worst, found, best)]
        assert [row["pessimistic"], row["mean"], row["optimistic"]] == means
        assert means == sorted(means)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            chance = chance_level(name, Y_TRUE, qid=QID, n_permutations=1)
        np.testing.assert_equal(row["chance"], np.nan if name == "11pt" else chance)
    assert measures["map"]["n_undefined"] > measures["p@5"]["n_undefined"] == 0
    assert measures["map"]["pessimistic"] < measures["map"]["optimistic"]
    options = {"qid": QID, "metrics": METRICS, "chance": False}
    for row in report(Y_TRUE, Y_SCORE, **options)["measures"].values():
        assert np.isnan(row["chance"])


def test_without_ties_the_band_is_the_mean():
    y_score = np.random.default_rng(0).random(len(Y_TRUE))
    found = report(Y_TRUE, y_score, qid=QID, metrics=METRICS)
    assert found["counts"]["tied"] == 0
    for row in found["measures"].values():
        assert row["pessimistic"] == row["mean"] == row["optimistic"]


def test_documents_are_counted_as_in_a_loop():
    counts = report(Y_TRUE, Y_SCORE, qid=QID)["counts"]
    rows = list(zip(Y_TRUE.tolist(), Y_SCORE.tolist(), QID.tolist(), strict=True))
    retrieved = [(q, score) for _, score, q in rows if score > -np.inf]
    assert counts == {
        "queries": len({q for _, _, q in rows}),
        "documents": len(rows),
        "judged": sum(1 for grade, _, _ in rows if grade == grade),
        "relevant": sum(1 for grade, _, _ in rows if grade > 0),
        "unretrieved": len(rows) - len(retrieved),
        "tied": sum(1 for one in retrieved if retrieved.count(one) > 1),
    }
    assert 0 < counts["tied"] < counts["documents"]
    assert counts["unretrieved"] > 0


def test_queries_of_weight_0_do_not_count():
    weights = {query: i % 3 for i, query in enumerate(np.unique(QID))}
    row_weights = np.array([weights[query] for query in QID], dtype=float)
    counted = row_weights > 0
    options = {"metrics": ["map", "p@5"], "random_state": 0}
    found = report(Y_TRUE, Y_SCORE, qid=QID, sample_weight=row_weights, **options)
    expected = report(
        Y_TRUE[counted],
        Y_SCORE[counted],
        qid=QID[counted],
        sample_weight=row_weights[counted],
        **options,
    )
    assert found["measures"] == expected["measures"]
    assert found["measures"]["p@5"]["n_queries"] == 40


def test_matrices_hold_a_query_in_each_row():
    rng = np.random.default_rng(0)
    y_true = rng.choice([0, 0, 0, 1, 2], (40, 12))
    y_score = rng.integers(1, 9, (40, 12)) * (rng.random((40, 12)) < 0.6)
    absent = np.where(y_score == 0, -np.inf, y_score)
    flat = report(y_true.ravel(), absent.ravel(), qid=np.repeat(range(40), 12))
    assert report(y_true, absent) == flat
    assert flat["counts"]["unretrieved"] == int((y_score == 0).sum())
    found = report(csr_array(y_true), csr_array(y_score.astype(float)))
    assert found["counts"] == flat["counts"]
    for name, row in found["measures"].items():
        assert row.pop("interval") == flat["measures"][name].pop("interval")
        assert row == pytest.approx(flat["measures"][name])


def test_class_scores_rank_the_classes():
    labels = np.array(["a", "b", "c"])
    y_true = np.array(["a", "c", "c", "b"])
    y_score = np.array([[3, 2, 1], [3, 1, 2], [1, 2, 3], [2, 1, 3]])
    found = report(y_true, y_score, labels=labels, metrics="mrr")
    assert found["measures"]["mrr"]["mean"] == pytest.approx(
        (1 + 1 / 2 + 1 + 1 / 3) / 4
    )
    assert found["measures"]["mrr"]["chance"] == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    assert found["counts"]["relevant"] == 4


def test_few_queries_and_nothing_to_find():
    found = report([1, 0, 1], [3, 2, 1], metrics="map")
    row = found["measures"]["map"]
    assert found["counts"]["queries"] == 1
    assert row["mean"] == pytest.approx((1 + 2 / 3) / 2)
    assert row["interval"] == "none: fewer than two queries"
    assert np.isnan([row["low"], row["high"]]).all()
    nothing = [0, 0], [-np.inf, -np.inf]
    text = ranking_report(*nothing, metrics=["map", "p@2"])
    assert "2 judged, 0 relevant, 2 not retrieved" in text
    row = report(*nothing, metrics="map")["measures"]["map"]
    assert np.isnan([row["mean"], row["chance"]]).all()
    assert (row["n_queries"], row["n_undefined"]) == (0, 1)
    text = ranking_report([0, 0], [1, 2], qid=[1, 2], metrics=["gmap", "map"])
    gmap, mean = text.splitlines()[3:5]
    assert "–" in gmap
    assert gmap.split()[1:] == mean.split()[1:]


def test_a_name_says_how_to_average():
    metrics = ["map(replace_undefined_by=0.0)", "recall(average='micro')@5"]
    found = report(Y_TRUE, Y_SCORE, qid=QID, metrics=metrics)["measures"]
    filled, micro = found.values()
    assert (filled["n_queries"], filled["n_undefined"]) == (60, 0)
    assert micro["interval"] == "none: micro average"
    assert np.isnan([micro["low"], micro["high"]]).all()


def test_sets_and_correlations_have_no_chance_and_no_band():
    y_true, qid = [1, 0, 1, 0, 1, 0], [1, 1, 1, 1, 2, 2]
    y_pred = np.array([1, 1, 0, 0, 1, 0], dtype=bool)
    metrics = ["set_recall", "kendall_tau(variant='a')", "set_fallout"]
    measures = report(y_true, y_pred, qid=qid, metrics=metrics)["measures"]
    assert [row["mean"] for row in measures.values()] == [0.75, 0.5, 0.25]
    for row in measures.values():
        assert np.isnan(row["chance"])
        assert row["pessimistic"] == row["mean"] == row["optimistic"]


def test_a_report_leaves_out_orders_that_are_not_known():
    report = ranking_report(
        [1, 0, 1, 0],
        [1, 1, 1, 0],
        metrics=["ap(denominator='retrieved')@2", "ap@2"],
        output="dict",
    )["measures"]
    unknown, known = report.values()
    assert math.isnan(unknown["optimistic"])
    assert known["pessimistic"] < known["mean"] < known["optimistic"]


def test_pooled_reaches_the_measure_that_wants_it():
    y_true, marks = [1, np.nan, 1, np.nan], {"pooled": [0, 1, 0, 0]}
    options = {"metrics": "infap", "chance": False}
    without = report(y_true, [4, 3, 2, 1], **options)["measures"]["infap"]
    found = report(y_true, [4, 3, 2, 1], marks=marks, **options)["measures"]["infap"]
    expected = score_queries(y_true, [4, 3, 2, 1], "infap", marks=marks).mean["infap"]
    assert found["mean"] == expected != without["mean"]


def test_the_text_without_ties_does_not_speak_of_them():
    text = ranking_report([1, 0], [2, 1])
    assert text.startswith("1 query, 2 documents: 2 judged, 1 relevant, 0 not")
    assert "tie" not in text
    assert "share their score" not in text
    assert all(f"  {name} " in text for name in DEFAULT_METRICS)


def test_the_frame_has_a_row_per_measure():
    pytest.importorskip("pandas")
    options = {"qid": QID, "metrics": METRICS, "random_state": 0}
    frame = ranking_report(Y_TRUE, Y_SCORE, output="frame", **options)
    expected = report(Y_TRUE, Y_SCORE, **options)
    assert frame.index.tolist() == METRICS
    assert frame.index.name == "measure"
    assert frame.drop(columns="chance").to_dict("index") == {
        name: {key: value for key, value in row.items() if key != "chance"}
        for name, row in expected["measures"].items()
    }
    assert frame.attrs["counts"] == expected["counts"]
    assert frame.attrs["confidence_level"] == 0.95


def test_several_systems_are_reported_side_by_side():
    systems = {"new": Y_SCORE, "7": Y_SCORE.round(0)}
    options = {"qid": QID, "metrics": ["map", "p@5"], "random_state": 0}
    found = report(Y_TRUE, systems, **options)
    for name, one in systems.items():
        np.testing.assert_equal(found[name], report(Y_TRUE, one, **options))
    assert list(found) == ["new", "7"]
    text = ranking_report(Y_TRUE, systems, **options).splitlines()
    counts, *ties = text[: text.index("")]
    assert counts.startswith("60 queries, ")
    assert [line.partition(": ")[0] for line in ties] == ["new", "7"]
    rows = [line.split() for line in text if line.startswith("  ")]
    assert [row[:2] for row in rows[1:]] == [
        [m, s] for m in METRICS[1:3] for s in found
    ]
    assert rows[2][2] == f"{found['7']['measures']['map']['mean']:.3f}"
    csv = ranking_report(Y_TRUE, systems, output="csv", **options).splitlines()
    assert csv[0].startswith("measure,system,mean,low,high,")
    assert csv[2].startswith(f"map,7,{found['7']['measures']['map']['mean']!r},")
    aligned = align({"q": {"a": 1, "b": 0}}, {"q": {"a": 1, "b": 2}})
    of_runs = report({"bm25": aligned}, metrics="mrr")
    assert of_runs["bm25"]["measures"]["mrr"]["mean"] == 0.5
    with pytest.raises(ValueError, match="at least one system; got none"):
        ranking_report(Y_TRUE, {}, qid=QID)


def test_the_frame_of_several_systems():
    pytest.importorskip("pandas")
    options = {"qid": QID, "metrics": ["map", "p@5"], "random_state": 0}
    systems = {"b": Y_SCORE, "a": -Y_SCORE.clip(-9)}
    frame = ranking_report(Y_TRUE, systems, output="frame", **options)
    one = ranking_report(Y_TRUE, systems["a"], output="frame", **options)
    assert frame.index.tolist() == [(m, s) for m in ("map", "p@5") for s in ("b", "a")]
    assert frame.index.names == ["measure", "system"]
    assert frame.xs("a", level="system").equals(one)
    assert frame.attrs["counts"]["a"] == one.attrs["counts"]


@pytest.mark.parametrize("metrics", [DEFAULT_METRICS, "map"])
def test_arguments_that_were_swapped(metrics):
    with pytest.warns(FractionalGradesWarning, match="every document is relevant") as w:
        ranking_report([0.9, 0.2, 0.4], [1, 0, 0], metrics=metrics)
    assert [one.filename for one in w] == [__file__]
    ranking_report([0.9, 0.2, 0.4], [1, 0, 0], metrics="dcg")


def test_errors_name_the_system():
    systems = {"good": Y_SCORE, "short": Y_SCORE[:-1]}
    with pytest.raises(ValueError, match="same shape") as caught:
        ranking_report(Y_TRUE, systems, qid=QID)
    assert caught.value.__notes__ == ["This concerns 'short'."]
    with pytest.raises(ValueError, match="same shape") as caught:
        ranking_report(Y_TRUE, Y_SCORE[:-1], qid=QID)
    assert not hasattr(caught.value, "__notes__")
