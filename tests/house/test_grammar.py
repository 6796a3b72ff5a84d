"""Everything that estimates says so in the same words, at every door."""

import inspect
from collections.abc import Mapping
from importlib import import_module

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge

import sklearn_irmetrics as irm
from sklearn_irmetrics import comparison, judging, model_selection, reports, runs
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.metrics import experimental

X, Y, QID = make_ranking(n_queries=24, n_docs=8, random_state=0)
SCORES = {
    "new": irm.score_queries(Y, X[:, 0], ["ndcg@5", "map"], qid=QID),
    "old": irm.score_queries(Y, X[:, 1], ["ndcg@5", "map"], qid=QID),
}
LABELLED = np.where(QID % 2 == 0, Y, np.nan)  # of half of the queries
JUDGED = np.where(np.random.default_rng(0).random(len(Y)) < 0.8, Y, 0)
SAMPLE = np.eye(1, 9), np.arange(9.0)[np.newaxis]


def make_stream():
    stream = irm.streaming.StreamingEvaluator(["ndcg@5", "map"])
    stream.update(Y, X[:, 0], qid=QID)
    return stream.compute()


# One of each result, by its class.
RESULTS = {
    model_selection.EvaluationResult: lambda: model_selection.evaluate(
        Ridge(), X, Y, qid=QID, scoring=["ndcg@5", "map"], random_state=0
    ),
    model_selection.QueryLearningCurve: lambda: model_selection.query_learning_curve(
        Ridge(), X, Y, qid=QID, scoring="ndcg@5", train_sizes=[8, 16], random_state=0
    ),
    reports.RankingReport: lambda: SCORES["new"].report(),
    reports.AbstentionCurve: lambda: reports.abstention_curve(
        SCORES["new"].scores["map"].repeat(4), np.arange(96) % 67, random_state=0
    ),
    reports.ClassReport: lambda: reports.class_report(Y > 0, X[:, 0] > 0),
    reports.SampledScores: lambda: reports.score_sampled(
        np.repeat(SAMPLE[0], 20, axis=0),
        np.random.default_rng(0).random((20, 9)),
        ["hit_rate@3", "mrr"],
        n_candidates=90,
    ),
    comparison.ComparisonResult: lambda: comparison.compare(
        SCORES, metric="map", random_state=0
    ),
    comparison.Leaderboard: lambda: comparison.leaderboard(
        SCORES, metric="map", random_state=0
    ),
    judging.JudgedScores: lambda: judging.score_judged(
        LABELLED, JUDGED, X[:, 0], ["ndcg@5", "map"], qid=QID
    ),
    judging.JudgedComparison: lambda: judging.compare_judged(
        LABELLED, JUDGED, {"new": X[:, 0], "old": X[:, 1]}, "map", qid=QID
    ),
    runs.Agreement: lambda: runs.agreement(
        {q: {"a": q % 3, "b": 1, "c": 0} for q in range(9)},
        {q: {"a": q % 2, "b": q % 2, "c": 0} for q in range(9)},
    ),
    experimental.CatalogueEstimate: lambda: experimental.catalogue_coverage(
        np.random.default_rng(0).random((30, 20)), k=3
    ),
}
# Results of several systems or measures, which are those above by name.
SEVERAL = {
    model_selection.EvaluationResults: model_selection.EvaluationResult,
    reports.RankingReports: reports.RankingReport,
    comparison.ComparisonResults: comparison.ComparisonResult,
    comparison.Leaderboards: comparison.Leaderboard,
}
WORDS = "estimate", "standard_error", "confidence_interval", "confidence_level"
# Results that are tables, and estimate nothing themselves.
OTHER_TABLES = {
    irm.reports.RunScores,  # of `QueryScores`
    irm.reports.QueryScores,  # its `report()` has the words
    irm.streaming.ScoreSummary,  # likewise
    reports.ContingencyTable,
    comparison.QueryPlan,
    judging.JudgmentPlan,
    runs.LeaveOneOutPool,
}
NOT_DRAWN = {reports.SampledScores, runs.Agreement, experimental.CatalogueEstimate}
EVALUATED = RESULTS[model_selection.EvaluationResult]
# Results with a row per query, rank, point or document, of which the ends are shown.
ROWS = {
    "scores of queries": lambda: EVALUATED().query_scores,
    "predictions": lambda: EVALUATED().predictions,
    "ranks": lambda: irm.metrics.precision_recall_at_ranks(Y, X[:, 0], qid=QID),
    "threshold curve": lambda: reports.threshold_curve("set_f1", Y, X[:, 0]),
    "ROC curve": lambda: irm.roc_curve(Y, X[:, 0]),
    "precision-recall curve": lambda: irm.precision_recall_curve(Y, X[:, 0]),
    "a run with its judgments": lambda: runs.align(
        {str(q): {"a": 1, "b": 0, "c": 2} for q in range(9)},
        {str(q): {"a": 0.25, "c": 0.5} for q in range(9)},
    ),
}


def each(kinds):
    """Return a mark that runs a test once for each kind of result."""
    return pytest.mark.parametrize("kind", kinds, ids=[kind.__name__ for kind in kinds])


def test_every_public_result_is_here():
    modules = "comparison judging metrics model_selection reports runs streaming"
    public = {
        value
        for module in [*modules.split(), "metrics.experimental"]
        for name in import_module(f"sklearn_irmetrics.{module}").__all__
        if inspect.isclass(
            value := getattr(import_module(f"sklearn_irmetrics.{module}"), name)
        )
        if hasattr(value, "to_dict")
        or "estimate" in inspect.signature(value).parameters
    }
    assert public - {irm.Measure} == {*RESULTS, *SEVERAL, *OTHER_TABLES}


@each(RESULTS)
def test_estimates_have_their_words(kind):
    result = RESULTS[kind]()
    assert type(result) is kind
    estimate, error, ends, level = (getattr(result, word) for word in WORDS)
    assert level == 0.95
    if isinstance(estimate, dict):
        assert list(estimate) == list(error) == list(ends)
        estimate, error, ends = ([*one.values()] for one in (estimate, error, ends))
    low, high = np.moveaxis(np.asarray(ends, dtype=float), -1, 0)
    assert (low <= estimate).all() and (estimate <= high).all()
    assert (np.asarray(error) > 0).all()


@each(RESULTS)
def test_data_have_one_word_a_column(kind):
    pytest.importorskip("pandas")
    result = RESULTS[kind]()
    frame = result.to_frame()
    for column in ("estimate", "standard_error", "low", "high"):
        assert np.isfinite(frame[column]).all()
    header = [name for name in (*frame.index.names, *frame.columns) if name is not None]
    assert result.to_csv().splitlines()[0].split(",") == header
    assert "<table" in result._repr_html_()
    assert r"\begin{tabular}" in result.to_latex()
    assert "| ---" in result.to_markdown() or "| :--" in result.to_markdown()


@pytest.mark.parametrize("compared", [comparison.compare, comparison.leaderboard])
def test_comparisons_by_one_and_by_several_measures_have_the_same_columns(compared):
    one, several = compared(SCORES, metric="map"), compared(SCORES)
    header = one.to_csv().splitlines()[0]
    assert header == several.to_csv().splitlines()[0]
    assert header.split(",")[:2] == ["measure", "system"]
    pytest.importorskip("pandas")
    frame, frames = one.to_frame(), several.to_frame()
    assert list(frame.columns) == list(frames.columns) == header.split(",")
    assert set(frame["measure"]) == {"map"}
    assert set(frames["measure"]) == {"ndcg@5", "map"}
    assert set(frame["unit"]) == {"query"} and set(frame["n_units"]) == {24}


@each(RESULTS)
def test_results_travel_as_dicts(kind):
    result = RESULTS[kind]()
    again = kind.from_dict(result.to_dict())
    assert repr(again) == repr(result)
    for word in WORDS:
        one, other = getattr(again, word), getattr(result, word)
        if isinstance(one, dict):
            one, other = [*one.values()], [*other.values()]
        assert_allclose(one, other)


@pytest.mark.parametrize("name", ROWS)
def test_long_results_show_their_ends(name):
    pytest.importorskip("pandas")
    result = ROWS[name]()
    frame = result.to_frame()
    assert len(frame) > 12
    title, table = repr(result).split("\n\n")
    header, *rows = table.splitlines()
    assert str(len(frame)) in title.split()
    assert header.split() == list(frame.columns)
    assert len(rows) == 11
    assert set(rows[5].split()) == {"…"}
    for shown, row in ((0, 0), (-1, -1)):
        for cell, value in zip(rows[shown].split(), frame.iloc[row], strict=True):
            if not isinstance(value, float | np.floating):
                assert cell == str(value)
            elif np.isnan(value):
                assert cell == "–"
            else:
                assert float(cell) == pytest.approx(value, abs=1e-4)
    html = result._repr_html_()
    assert html.count("<tr>") == 12
    assert title in html


def test_short_results_show_all_rows():
    table = irm.metrics.precision_recall_at_ranks([1, 1, 0, 1], [4, 3, 2, 1])
    assert repr(table) == (
        "4 ranks of 1 query\n"
        "\n"
        "qid  rank  relevant  precision  recall\n"
        "  0     1         1     1.0000  0.3333\n"
        "  0     2         1     1.0000  0.6667\n"
        "  0     3         0     0.6667  0.6667\n"
        "  0     4         1     0.7500  1.0000"
    )
    curves = irm.roc_curve(
        Y, X[:, 0], qid=QID, grid=[0, 0.5, 1], average=None, replace_undefined_by=0.0
    )
    assert repr(curves).splitlines() == [
        "ROC curve of 3 points; true_positive_rate has a row for each of 24 queries",
        "",
        "false_positive_rate",
        "             0.0000",
        "             0.5000",
        "             1.0000",
    ]


def test_every_public_result_with_rows_is_shown_as_a_table():
    modules = "comparison judging metrics model_selection reports runs streaming"
    for module in modules.split():
        room = import_module(f"sklearn_irmetrics.{module}")
        for name in room.__all__:
            value = getattr(room, name)
            if inspect.isclass(value) and hasattr(value, "to_frame"):
                short = value in {runs.Qrels, runs.Run}  # input, in one line
                assert short or hasattr(value, "_repr_html_"), value


@each([kind for kind in RESULTS if kind not in NOT_DRAWN])
def test_results_are_drawn(kind):
    pytest.importorskip("matplotlib")
    display = RESULTS[kind]().plot()
    assert display.ax_.has_data() or display.figure_.axes


@each(SEVERAL)
def test_several_results_are_a_dict_of_one_kind(kind):
    assert issubclass(kind, Mapping)
    for method in ("to_frame", "to_dict", "to_latex", "_repr_html_", "plot"):
        assert hasattr(kind, method) == hasattr(SEVERAL[kind], method)


def test_reports_of_streams_and_scores_are_the_same():
    summary, scores = make_stream().report(), SCORES["new"].report()
    for word in WORDS[:3]:
        for name in ("ndcg@5", "map"):
            assert_allclose(getattr(summary, word)[name], getattr(scores, word)[name])


# Parameters: one name for one thing, and few of them --------------------------------

OTHER_NAMES = {
    "average": {"averaging"},
    "confidence_level": {"confidence", "coverage"},
    "gain": {"gains"},
    "groups": {"clusters", "group"},
    "ks": {"cutoffs", "top_k"},
    "metrics": {"measure", "measures"},
    "n_jobs": {"n_workers", "workers"},
    "pos_label": {"positive", "positive_class"},
    "qid": {"qids", "queries", "query", "query_id"},
    "random_state": {"rng", "seed"},
    "relevance_threshold": {"min_relevance", "threshold"},
    "replace_undefined_by": {"empty", "undefined", "zero_division"},
    "sample_weight": {"query_weight", "sample_weights", "weight"},
    "ties": {"ignore_ties"},
    "y_score": {"prediction", "y_prob"},
    "y_true": {"relevance", "y_relevance"},
}


def public_functions():
    """Return the parameters of each public function, and its module, by name."""
    modules = [irm, *(getattr(irm, name) for name in irm._MODULES), experimental]
    return {
        name: (list(inspect.signature(function).parameters), function.__module__)
        for module in modules
        for name in getattr(module, "__all__", ())
        if inspect.isfunction(function := getattr(module, name))
    }


def test_functions_that_are_no_metrics_have_few_parameters():
    table = {
        name: len(parameters)
        for name, (parameters, module) in public_functions().items()
        if not module.startswith("sklearn_irmetrics.metrics")
    }
    assert len(table) > 30
    assert np.median([*table.values()]) <= 8, table


def test_no_parameter_has_two_names():
    found = {
        (name, other, usual)
        for name, (parameters, _) in public_functions().items()
        for usual, others in OTHER_NAMES.items()
        for other in others.intersection(parameters)
    }
    # That of the system, not the level of an interval; the key of a question.
    assert found == {
        ("abstention_curve", "confidence", "confidence_level"),
        ("score_records", "query", "qid"),
    }
