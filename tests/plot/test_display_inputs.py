"""Displays of runs, subtopics, sparse matrices, leaderboards, learning curves."""

import inspect

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal, assert_equal
from scipy.sparse import csr_array
from sklearn.linear_model import Ridge

import sklearn_irmetrics as irm
from oracles.pictures import check_picture
from sklearn_irmetrics import plot
from sklearn_irmetrics.comparison import leaderboard
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import query_learning_curve
from sklearn_irmetrics.plot import LeaderboardDisplay
from sklearn_irmetrics.reports import QueryScores
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


# Leaderboards -----------------------------------------------------------------------


plt = pytest.importorskip("matplotlib.pyplot")


def board_of(m, step=0.03, metrics=("ndcg",)):
    rng = np.random.default_rng(0)
    base = rng.beta(3, 3, 40) / 2
    systems = {}
    for i in range(m):
        values = {
            metric: (base + step * i + rng.normal(0, 0.05, 40)).clip(0, 1)
            for metric in metrics
        }
        means = {metric: one.mean() for metric, one in values.items()}
        systems[f"system {i}"] = QueryScores(np.arange(40), values, means)
    return leaderboard(systems, random_state=0, n_resamples=499)


@pytest.mark.parametrize("m", [3, 50])
def test_it_draws_means_and_ranks_from_the_top(m):
    board = board_of(m, step=0.3 / m)
    display = board.plot()
    x, y = display.line_.get_data()
    np.testing.assert_array_equal(x, board.estimate)
    np.testing.assert_array_equal(y, np.arange(m))
    low, high = display.ax_.get_ylim()
    assert low > high  # the best is at the top
    drawn = [line.get_xydata() for line in display.ranks_]
    for points, is_first in zip(drawn, (True, False), strict=True):
        which = (board.rank_interval[:, 0] == 1) == is_first
        ends = points.reshape(-1, 3, 2)[:, :2]
        np.testing.assert_allclose(
            ends[..., 0], board.rank_interval[which] + [-0.4, 0.4]
        )
        np.testing.assert_array_equal(ends[:, 0, 1], np.flatnonzero(which))
    assert display.ax_.get_xlabel() == "ndcg with 95 % interval"
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert names == list(board.system)
    check_picture(display.figure_)


@pytest.mark.parametrize("m", [3, 50])
def test_a_matrix_of_pairs_in_the_order_of_the_board(m):
    board = board_of(m, step=0.3 / m)
    display = board.plot(kind="pairs")
    cells = np.asarray(display.image_.get_array())
    np.testing.assert_array_equal(cells == 1, board.better)
    np.testing.assert_array_equal(cells == -1, board.better.T)
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert names[0] == f"{board.system[0]}  1"
    figure = display.figure_
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in display.ax_.get_xticklabels()]
    assert all(a.x1 < b.x0 for a, b in zip(boxes, boxes[1:], strict=False))
    legend, page = display.ax_.get_legend().get_window_extent(), figure.bbox.padded(1)
    assert page.contains(*legend.min) and page.contains(*legend.max)


def test_on_axes_that_are_given():
    _, axes = plt.subplots(1, 2, layout="constrained")
    board = board_of(4)
    display = LeaderboardDisplay.from_result(board, ax=axes[0])
    assert display.ax_ is axes[0]
    other = LeaderboardDisplay.from_result(board, ax=axes[1], kind="pairs")
    assert other.figure_ is display.figure_
    with pytest.raises(ValueError, match=r"ax must come from plt\.subplots"):
        LeaderboardDisplay.from_result(board, ax=plt.figure().add_axes([0, 0, 1, 1]))


def test_several_measures():
    boards = board_of(3, metrics=("ndcg", "map"))
    display = boards.plot(metric="map")
    np.testing.assert_array_equal(display.line_.get_xdata(), boards["map"].estimate)
    with pytest.raises(ValueError, match=r"metric must be one of \['ndcg', 'map'\]"):
        boards.plot()
    with pytest.raises(ValueError, match=r"metric must be one of \['ndcg'\]"):
        board_of(3).plot(metric="map")


def test_without_intervals():
    board = leaderboard({"a": [0.1, 0.2], "b": [0.2, 0.3], "c": [0.3, 0.5]})
    display = board.plot()
    assert display.ax_.get_xlabel() == "score"
    assert len(display.ranks_[0].get_xdata()) == 9


# Learning curves --------------------------------------------------------------------


@pytest.fixture(scope="module")
def curve():
    X, y, qid = make_ranking(n_queries=20, n_docs=6, n_features=4, random_state=3)
    return query_learning_curve(
        Ridge(),
        X,
        y,
        qid=qid,
        scoring=["ndcg", "p@2"],
        train_sizes=[2, 8, 16],
        return_train_score=True,
        random_state=0,
    )


def test_it_draws_the_numbers(curve):
    display = curve.plot(metric="p@2", name="Ridge")
    x, y = display.line_.get_data()
    np.testing.assert_array_equal(x, [2, 8, 16])
    np.testing.assert_allclose(y, curve.estimate["p@2"])
    corners = display.band_.get_paths()[0].vertices
    ends = curve.confidence_interval["p@2"]
    assert np.isin(ends[np.isfinite(ends)].round(9), corners[:, 1].round(9)).all()
    train = display.train_line_.get_ydata()
    np.testing.assert_allclose(train, curve.train_scores["p@2"].mean(axis=1))
    assert display.ax_.get_xlabel() == "Training queries"
    assert display.ax_.get_ylabel() == "p@2"
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["Ridge", "Ridge, training data"]


def test_two_on_one_axes(curve):
    first = curve.plot(metric="ndcg", name="one", band=False)
    second = curve.plot(metric="ndcg", name="two", ax=first.ax_)
    assert first.band_ is None
    assert second.figure_ is first.figure_
    assert first.line_.get_color() != second.line_.get_color()


def test_a_measure_must_be_chosen(curve):
    with pytest.raises(ValueError, match=r"metric must be one of \['ndcg', 'p@2'\]"):
        curve.plot()
