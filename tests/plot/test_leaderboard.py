"""Leaderboards as they are drawn: means and ranks from the top, and pairs."""

import numpy as np
import pytest

from oracles.pictures import check_picture
from sklearn_irmetrics.comparison import leaderboard
from sklearn_irmetrics.plot import LeaderboardDisplay
from sklearn_irmetrics.reports import QueryScores

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
