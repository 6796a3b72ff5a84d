"""The report against what other functions and plain loops say."""

import json
import math
import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.preprocessing import label_binarize

from oracles.cases import make_rankings
from oracles.measures import DEFAULT_METRICS
from oracles.reports import rows_of
from sklearn_irmetrics import score_queries
from sklearn_irmetrics.exceptions import FractionalGradesWarning
from sklearn_irmetrics.metrics import chance_level, judged_at_k_score
from sklearn_irmetrics.reports import RankingReport, RankingReports
from sklearn_irmetrics.reports.report import ranking_report
from sklearn_irmetrics.runs import align
from sklearn_irmetrics.streaming import StreamingEvaluator


def of_queries(n_queries):
    lengths = np.random.default_rng(0).integers(1, 30, n_queries)
    y_true, y_score, qid = make_rankings(0, lengths, tied=True)
    return np.maximum(y_true, 0), y_score, qid


Y_TRUE, Y_SCORE, QID = of_queries(60)
METRICS = ["ndcg@10", "map", "p@5", "roc_auc", "11pt", "bpref", "err"]


def scores(*args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return score_queries(*args, **kwargs)


def test_rows_are_what_other_functions_return():
    measures = rows_of(ranking_report(Y_TRUE, Y_SCORE, qid=QID, metrics=METRICS))
    worst, found, best = (
        scores(Y_TRUE, Y_SCORE, METRICS, qid=QID, ties=ties)
        for ties in ("pessimistic", "average", "optimistic")
    )
    assert list(measures) == METRICS
    for name, row in measures.items():
        undefined = sum(1 for value in found.scores[name] if value != value)
        assert (row["undefined"], row["queries"]) == (undefined, 60 - undefined)
        means = [one.mean[name] for one in (worst, found, best)]
        assert [row["pessimistic"], row["estimate"], row["optimistic"]] == means
        assert means == sorted(means)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            chance = chance_level(name, Y_TRUE, qid=QID, n_permutations=1)
        np.testing.assert_equal(row["chance"], np.nan if name == "11pt" else chance)
    assert measures["map"]["undefined"] > measures["p@5"]["undefined"] == 0
    assert measures["map"]["pessimistic"] < measures["map"]["optimistic"]
    options = {"qid": QID, "metrics": METRICS, "chance": False}
    without = ranking_report(Y_TRUE, Y_SCORE, **options)
    assert np.isnan([*without.chance.values()]).all()
    assert "chance" not in str(without)


def test_without_ties_the_band_is_the_mean():
    y_score = np.random.default_rng(0).random(len(Y_TRUE))
    found = ranking_report(Y_TRUE, y_score, qid=QID, metrics=METRICS)
    assert found.counts["tied"] == 0
    assert found.pessimistic == found.estimate == found.optimistic


def test_documents_are_counted_as_in_a_loop():
    counts = ranking_report(Y_TRUE, Y_SCORE, qid=QID).counts
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


def test_slices_of_systems_with_queries_in_another_order_stand_together():
    pytest.importorskip("pandas")
    orders = {"x": ["a", "a", "b", "b"], "y": ["b", "b", "a", "a"]}
    found = {
        name: score_queries([1, 0, 1, 0], [1, 2, 3, 1], "mrr", qid=qid)
        for name, qid in orders.items()
    }
    frame = ranking_report(found, by={"a": "s", "b": "t"}).to_frame()
    assert [key[1:] for key in frame.index] == [
        *(("all", "x"), ("all", "y")),
        *(("s", "x"), ("s", "y"), ("t", "x"), ("t", "y")),
    ]
    assert frame["estimate"].tolist() == [0.75, 0.75, 0.5, 1, 1, 0.5]
    with pytest.raises(ValueError, match="'x' and 'y' have other queries, so only one"):
        ranking_report(
            {**found, "y": score_queries([1], [1], "mrr", qid=["b"])},
            by={"a": "s", "b": "t"},
        )


def test_the_header_says_which_queries_have_no_weight():
    data = {"qid": [1, 1, 2, 2, 3, 3], "sample_weight": [1, 1, 0, 0, 2, 2]}
    grades, scores = [1, 0, 1, 0, 0, 1], [1, 2, 3, 1, 2, 3]
    report = ranking_report(grades, scores, metrics="mrr", **data)
    header = "3 queries (1 of weight 0)"
    assert str(report).startswith(f"{header}, 6 documents (6 judged, ")
    assert report.counts["queries"] == 3 and report.counts["zero_weight"] == 1
    found = score_queries(grades, scores, "mrr", **data)
    assert str(found.report()).startswith(f"{header}\n")
    assert str(found).startswith(f"{header}\n")


def test_queries_of_weight_0_do_not_count():
    weights = {query: i % 3 for i, query in enumerate(np.unique(QID))}
    row_weights = np.array([weights[query] for query in QID], dtype=float)
    counted = row_weights > 0
    options = {"metrics": ["map", "p@5"]}
    found = ranking_report(
        Y_TRUE, Y_SCORE, qid=QID, sample_weight=row_weights, **options
    )
    expected = ranking_report(
        Y_TRUE[counted],
        Y_SCORE[counted],
        qid=QID[counted],
        sample_weight=row_weights[counted],
        **options,
    )
    assert rows_of(found) == rows_of(expected)
    assert found.n_defined["p@5"] == 40


def test_matrices_hold_a_query_in_each_row():
    rng = np.random.default_rng(0)
    y_true = rng.choice([0, 0, 0, 1, 2], (40, 12))
    y_score = rng.integers(1, 9, (40, 12)) * (rng.random((40, 12)) < 0.6)
    absent = np.where(y_score == 0, -np.inf, y_score)
    flat = ranking_report(y_true.ravel(), absent.ravel(), qid=np.repeat(range(40), 12))
    assert ranking_report(y_true, absent).to_dict() == flat.to_dict()
    assert flat.counts["unretrieved"] == int((y_score == 0).sum())
    found = ranking_report(csr_array(y_true), csr_array(y_score.astype(float)))
    assert found.counts == flat.counts
    assert found.interval_method == flat.interval_method
    for row, expected in zip(
        rows_of(found).values(), rows_of(flat).values(), strict=True
    ):
        assert row == pytest.approx(expected)


def test_class_scores_rank_the_classes():
    y_true = label_binarize(["a", "c", "c", "b"], classes=["a", "b", "c"])
    y_score = np.array([[3, 2, 1], [3, 1, 2], [1, 2, 3], [2, 1, 3]])
    found = ranking_report(y_true, y_score, metrics="mrr")
    assert found.estimate["mrr"] == pytest.approx((1 + 1 / 2 + 1 + 1 / 3) / 4)
    assert found.chance["mrr"] == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    assert found.counts["relevant"] == 4


def test_few_queries_and_nothing_to_find():
    found = ranking_report([1, 0, 1], [3, 2, 1], metrics="map")
    assert found.counts["queries"] == 1
    assert found.estimate["map"] == pytest.approx((1 + 2 / 3) / 2)
    assert found.interval_method["map"] == "none: fewer than two queries"
    assert np.isnan(found.confidence_interval["map"]).all()
    assert np.isnan(found.standard_error["map"])
    nothing = [0, 0], [-np.inf, -np.inf]
    found = ranking_report(*nothing, metrics=["map", "p@2"])
    assert "2 judged, 0 relevant, 2 not retrieved" in str(found)
    assert np.isnan([found.estimate["map"], found.chance["map"]]).all()
    assert (found.n_defined["map"], found.n_undefined["map"]) == (0, 1)
    found = ranking_report([0, 0], [1, 2], qid=[1, 2], metrics=["gmap", "map"])
    gmap, mean = str(found).splitlines()[3:5]
    assert "–" in gmap
    assert gmap.split()[1:] == mean.split()[1:]


def test_a_name_says_how_to_average():
    metrics = ["map(replace_undefined_by=0.0)", "recall(average='micro')@5"]
    found = ranking_report(Y_TRUE, Y_SCORE, qid=QID, metrics=metrics)
    filled, micro = rows_of(found).values()
    assert (filled["queries"], filled["undefined"]) == (60, 0)
    assert micro["interval"] == "none: micro average"
    assert np.isnan([micro["low"], micro["high"], micro["standard_error"]]).all()


def test_sets_and_correlations_have_no_chance_and_no_band():
    y_true, qid = [1, 0, 1, 0, 1, 0], [1, 1, 1, 1, 2, 2]
    y_pred = np.array([1, 1, 0, 0, 1, 0], dtype=bool)
    metrics = ["set_recall", "kendall_tau(variant='a')", "set_fallout"]
    found = ranking_report(y_true, y_pred, qid=qid, metrics=metrics)
    assert [*found.estimate.values()] == [0.75, 0.5, 0.25]
    assert np.isnan([*found.chance.values()]).all()
    assert found.pessimistic == found.estimate == found.optimistic


def test_a_report_leaves_out_orders_that_are_not_known():
    report = ranking_report(
        [1, 0, 1, 0],
        [1.0, 1.0, 1.0, 0.0],
        metrics=["ap(denominator='retrieved')@2", "ap@2"],
    )
    unknown, known = rows_of(report).values()
    assert math.isnan(unknown["optimistic"])
    assert known["pessimistic"] < known["estimate"] < known["optimistic"]


def test_pooled_reaches_the_measure_that_wants_it():
    y_true, marks = [1, np.nan, 1, np.nan], {"pooled": [0, 1, 0, 0]}
    options = {"metrics": "infap", "chance": False}
    without = ranking_report(y_true, [4, 3, 2, 1], **options)
    found = ranking_report(y_true, [4, 3, 2, 1], marks=marks, **options)
    expected = score_queries(y_true, [4, 3, 2, 1], "infap", marks=marks)
    assert found.estimate == expected.mean != without.estimate


def test_a_run_brings_its_scores_its_ids_and_its_pool():
    qrels = {"q": {"a": 1, "b": -1, "c": 0, "d": 1, "e": -1}}
    run = align(qrels, {"q": dict(zip("bacdxe", range(6, 0, -1), strict=True))})
    report = ranking_report(run, metrics="infap", chance=False)
    arrays = run.y_true, run.y_score, "infap"
    without_pool = score_queries(*arrays).mean
    assert report.estimate == score_queries(*arrays, marks={"pooled": run.pooled}).mean
    assert report.estimate != without_pool
    nobody = {"pooled": np.zeros(len(run))}
    report = ranking_report(run, metrics="infap", chance=False, marks=nobody)
    assert report.estimate == without_pool
    for own in ({"y_score": run.y_score}, {"qid": run.qid}):
        (name,) = own
        message = f"{name} must be None if y_true is an AlignedRun, .*; got a ndarray"
        with pytest.raises(TypeError, match=message):
            ranking_report(run, **own)


def test_the_text_without_ties_does_not_speak_of_them():
    text = str(ranking_report([1, 0], [2, 1]))
    assert text.startswith("1 query, 2 documents (2 judged, 1 relevant, 0 not")
    assert "tie" not in text
    assert "tied" not in text
    assert all(f"\n{name} " in text for name in DEFAULT_METRICS)


def test_measures_stand_beside_the_share_that_was_judged():
    rng = np.random.default_rng(3)
    qid, y_score = np.repeat(np.arange(12), 10), rng.integers(0, 5, 120)
    y_true = np.where(rng.random(120) < 0.3, np.nan, rng.integers(0, 2, 120))
    names = ["ndcg@5", "map", "ap(judged_only=True)", "set_p", "kendall_tau"]
    metrics = {name.upper(): name for name in names}
    slices = qid % 2
    found = ranking_report(y_true, y_score > 2, qid=qid, metrics=metrics, by=slices)
    for of_slice in (0, 1):
        rows = slices == of_slice
        for label, k in [("NDCG@5", 5), ("MAP", None)]:
            expected = judged_at_k_score(
                y_true[rows], y_score[rows] > 2, qid=qid[rows], k=k
            )
            assert found.judged[label, of_slice] == pytest.approx(expected)
        for label in ("AP(JUDGED_ONLY=TRUE)", "SET_P", "KENDALL_TAU"):
            assert np.isnan(found.judged[label, of_slice])
    assert " random  judged" in str(found)
    known = ranking_report(np.nan_to_num(y_true), y_score, qid=qid, metrics=names[:2])
    assert set(known.judged.values()) == {1.0}
    assert " random  judged" not in str(known)
    systems = {"one": np.where(np.isnan(y_true), -np.inf, y_score), "two": y_score}
    both = ranking_report(y_true, systems, qid=qid, metrics="p@3")
    assert both["one"].judged["p@3"] == 1 > both["two"].judged["p@3"]
    assert " random  judged" in str(both)
    labels = np.array(["good", "poor", None, "poor"], dtype=object)
    named = ranking_report(labels, [4, 3, 2, 1], metrics="ap(pos_label='good')@3")
    assert named.judged["ap(pos_label='good')@3"] == pytest.approx(2 / 3)


def test_the_frame_has_a_row_per_measure():
    pytest.importorskip("pandas")
    found = ranking_report(Y_TRUE, Y_SCORE, qid=QID, metrics=METRICS)
    frame = found.to_frame()
    assert frame.index.tolist() == METRICS
    assert frame.index.name == "measure"
    np.testing.assert_equal(frame.to_dict("index"), rows_of(found))
    assert frame.attrs["counts"] == found.counts
    assert frame.attrs["confidence_level"] == 0.95


def test_several_systems_are_reported_side_by_side():
    systems = {"new": Y_SCORE, "7": Y_SCORE.round(0)}
    options = {"qid": QID, "metrics": ["map", "p@5"]}
    found = ranking_report(Y_TRUE, systems, **options)
    for name, one in systems.items():
        alone = ranking_report(Y_TRUE, one, **options)
        np.testing.assert_equal(found[name].to_dict(), alone.to_dict())
    assert list(found) == ["new", "7"]
    title, table, _ = str(found).split("\n\n")
    assert title.startswith("2 systems: 60 queries, ")
    rows = [line.split() for line in table.splitlines()]
    assert [row[:2] for row in rows[1::2]] == [["map", "new"], ["p@5", "new"]]
    assert [row[0] for row in rows[2::2]] == ["7", "7"]
    mean = found["7"].estimate["map"]
    assert rows[2][1] == f"{mean:.3f}"
    csv = found.to_csv().splitlines()
    assert csv[0].startswith("measure,system,estimate,standard_error,low,high,")
    assert csv[2].startswith(f"map,7,{found['7'].estimate['map']!r},")
    aligned = align({"q": {"a": 1, "b": 0}}, {"q": {"a": 1, "b": 2}})
    of_runs = ranking_report({"bm25": aligned}, metrics="mrr")
    assert of_runs["bm25"].estimate["mrr"] == 0.5
    with pytest.raises(ValueError, match="at least one system; got none"):
        ranking_report(Y_TRUE, {}, qid=QID)


def test_the_frame_of_several_systems():
    pytest.importorskip("pandas")
    options = {"qid": QID, "metrics": ["map", "p@5"]}
    systems = {"b": Y_SCORE, "a": -Y_SCORE.clip(-9)}
    frame = ranking_report(Y_TRUE, systems, **options).to_frame()
    one = ranking_report(Y_TRUE, systems["a"], **options).to_frame()
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


FORMS = {
    "a dict by query id": lambda by, ids: dict(zip(ids, by, strict=True)),
    "a value per query": lambda by, ids: by,
    "a value per row": lambda by, ids: [
        dict(zip(ids, by, strict=True))[q] for q in QID.tolist()
    ],
}


@pytest.mark.parametrize("form", FORMS)
def test_queries_are_described_in_three_forms(form):
    ids = [*dict.fromkeys(QID.tolist())]
    labels = [f"g{i % 7}" for i in range(len(ids))]
    options = {"qid": QID, "metrics": "p@5"}
    expected = ranking_report(Y_TRUE, Y_SCORE, by=labels, **options)
    given = FORMS[form](labels, ids)
    found = ranking_report(Y_TRUE, Y_SCORE, by=given, **options)
    assert repr(found) == repr(expected)


def test_errors_about_queries_say_what_was_expected():
    options = {"qid": QID, "metrics": "p@5"}
    message = rf"one value per query \(60\), or one per row \({len(QID)}\); got 59"
    with pytest.raises(ValueError, match=f"by must .* {message}"):
        ranking_report(Y_TRUE, Y_SCORE, by=[1] * 59, **options)
    with pytest.raises(ValueError, match="by must be constant inside a query"):
        ranking_report(Y_TRUE, Y_SCORE, by=range(len(QID)), **options)
    scores = score_queries(Y_TRUE, Y_SCORE, "p@5", qid=QID)
    message = rf"one value per query \(60\); got {len(QID)}"
    with pytest.raises(ValueError, match=f"strata must .* {message}"):
        scores.report(strata=QID)
    with pytest.raises(ValueError, match="groups must name every query; got 1 ids"):
        scores.report(groups={QID[0]: 1})


@pytest.mark.parametrize("option", [None, "strata", "groups"])
def test_the_row_of_all_queries_is_that_without_slices(option):
    options = {} if option is None else {option: np.arange(60) // 20}
    values = score_queries(
        Y_TRUE, Y_SCORE, ["ndcg", "p@5"], qid=QID, replace_undefined_by=0.0
    )
    sliced = values.report(by=np.arange(60) % 3, **options)
    whole = values.report(**options)
    for label in ("ndcg", "p@5"):
        assert sliced.estimate[label, "all"] == whole.estimate[label]
        ends = sliced.confidence_interval[label, "all"]
        assert ends == whole.confidence_interval[label]
    with pytest.raises(ValueError, match="by must not call a slice 'all', the name"):
        values.report(by=["all", "other"] * 30)


def test_slices_and_systems_may_be_tuples():
    pytest.importorskip("pandas")
    slices = [("uk", number % 2) for number in range(60)]
    report = ranking_report(Y_TRUE, Y_SCORE, qid=QID, metrics="mrr", by=slices)
    keys = ["all", ("uk", 0), ("uk", 1)]
    assert [*report.to_frame().index] == [("mrr", key) for key in keys]
    systems = {("bm25", 1): Y_SCORE, ("bm25", 2): -Y_SCORE}
    frame = ranking_report(Y_TRUE, systems, qid=QID, metrics="mrr").to_frame()
    assert [system for _, system in frame.index] == [*systems]


def test_reports_travel_and_can_be_drawn():
    found = ranking_report(Y_TRUE, Y_SCORE, qid=QID, by=np.arange(60) % 2)
    again = RankingReport.from_dict(json.loads(found.to_json()))
    assert repr(again) == repr(found)
    systems = ranking_report(Y_TRUE, {"a": Y_SCORE, "b": Y_SCORE.round()}, qid=QID)
    again = RankingReports.from_dict(json.loads(systems.to_json()))
    assert repr(again) == repr(systems)
    pyplot = pytest.importorskip("matplotlib.pyplot")
    display = found.plot()
    assert display.estimates == [*found.estimate.values()]
    assert display.rows[:3] == ["ndcg@10: all", "ndcg@10: 0", "ndcg@10: 1"]
    display = systems.plot(metric="map")
    assert display.rows == ["a", "b"]
    assert display.estimates == [one.estimate["map"] for one in systems.values()]
    assert display.intervals == [
        one.confidence_interval["map"] for one in systems.values()
    ]
    pyplot.close("all")


def test_the_error_of_a_geometric_mean_is_on_its_scale():
    found = ranking_report(Y_TRUE, Y_SCORE, qid=QID, metrics=["gmap", "map"])
    values = scores(Y_TRUE, Y_SCORE, "map", qid=QID).scores["map"]
    logs = np.log(np.maximum(values[~np.isnan(values)], 1e-5))
    error = logs.std(ddof=1) / np.sqrt(len(logs))
    assert found.standard_error["gmap"] == pytest.approx(found.estimate["gmap"] * error)


def test_tables_say_that_losses_are_better_if_lower():
    y_true, y_score = [[1, 0], [0, 1], [1, 0]], [[1, 2], [2, 1], [2, 1]]
    scores = score_queries(y_true, y_score, ["first_rank", "map"])
    stream = StreamingEvaluator(["first_rank", "map"])
    stream.update(y_true, y_score)
    slices = ranking_report(y_true, y_score, metrics="first_rank", by=["a", "b", "b"])
    for result in (
        scores,
        scores.report(),
        stream.compute(),
        stream.compute().report(),
    ):
        assert "\nfirst_rank (lower is better)  " in str(result)
        assert "\nmap  " in str(result)
        assert "lower" not in str(result._data())
    assert str(slices).count("first_rank (lower is better)") == 1
    assert scores.report().greater_is_better == {"first_rank": False, "map": True}


def test_documents_of_one_class_are_relevant():
    names = np.where(Y_TRUE > 0, "malignant", "benign")
    metrics = ["ndcg@10", "map", "err"]
    options = {"qid": QID, "metrics": metrics}
    report = ranking_report(names, Y_SCORE, pos_label="malignant", **options)
    expected = ranking_report((Y_TRUE > 0) * 1, Y_SCORE, **options)
    assert repr(report) == repr(expected)
    systems = {"a": Y_SCORE, "b": -Y_SCORE}
    reports = ranking_report(names, systems, pos_label="malignant", **options)
    assert reports["a"].estimate == expected.estimate
    with pytest.raises(TypeError, match="y_true must hold grades.*as pos_label"):
        ranking_report(names, Y_SCORE, **options)
    with pytest.raises(
        ValueError, match="pos_label must be a class of y_true; got 'm'"
    ):
        ranking_report(names, Y_SCORE, pos_label="m", **options)
    scored = scores(Y_TRUE, Y_SCORE, "map", qid=QID)
    with pytest.raises(TypeError, match="pos_label must be left out if y_true is a"):
        ranking_report(scored, pos_label=1)
    run = align({"q": {"a": 1}}, {"q": {"a": 0.5}})
    with pytest.raises(TypeError, match="pos_label must be left out if y_true is an"):
        ranking_report(run, pos_label=1)


def report_of(y_score, metrics="ndcg@5", unjudged=0):
    y_true = np.where(np.arange(len(Y_TRUE)) < unjudged, np.nan, Y_TRUE)
    return ranking_report(y_true, y_score, qid=QID, metrics=metrics)


def test_ties_have_a_column_only_where_they_matter():
    rng = np.random.default_rng(0)
    wide = str(report_of(Y_SCORE.round(0)))
    assert "worst, best ties" in wide
    narrow = rng.permutation(len(Y_SCORE)).astype(float)
    narrow[1] = narrow[0]
    text = str(report_of(narrow))
    assert "worst, best ties" not in text


def test_ties_are_explained_by_the_measure_that_they_move_most():
    report = report_of(Y_SCORE.round(0), ["ndcg@5", "first_rank"])
    low, high = sorted(
        [report.pessimistic["first_rank"], report.optimistic["first_rank"]]
    )
    note = " ".join(str(report).split()).partition("depending on their order, ")[2]
    assert note == f"first_rank is {low:.3f} to {high:.3f}."


def test_unjudged_documents_are_said_to_count_as_not_relevant():
    report = report_of(Y_SCORE, unjudged=len(Y_TRUE) // 5)
    text = " ".join(str(report).split())
    percent = round(100 * (1 - report.counts["judged"] / len(Y_TRUE)))
    assert f" {percent} % of the documents are unjudged and count as not rele" in text
    assert "random judged" in text
    few = ranking_report([[1, 0]] * 2, [[2, 1], [-np.inf] * 2], metrics="p@5")
    assert few.judged["p@5"] < 1
    assert "unjudged" not in str(few)
    dropped = report_of(Y_SCORE, "ap(judged_only=True)", unjudged=len(Y_TRUE) // 5)
    assert "count as not relevant" not in str(dropped)


def test_a_report_without_intervals_says_why():
    report = score_queries([[1, 0], [0, 1]], [[2, 1]] * 2, "mrr").report()
    title, table, note = str(report).split("\n\n")
    assert title == "2 queries"
    assert table.splitlines()[1].split() == ["mrr", "0.750", "–", "2"]
    assert note == "No interval: fewer than three queries."
