"""Leaderboards: means and ranks with intervals, and which systems are better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklearn_irmetrics._checks import check_option
from sklearn_irmetrics._results.tables import name_measure
from sklearn_irmetrics.comparison.leaderboards import Leaderboard, Leaderboards
from sklearn_irmetrics.plot._style import (
    COLORS,
    GREY,
    Display,
    choose_metric,
    join_by_gaps,
    name_rows,
)
from sklearn_irmetrics.plot.evaluation import EvaluationDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NOT_APART = "#E4E4E4"


@dataclass(eq=False, repr=False, kw_only=True)
class LeaderboardDisplay(Display):
    """A leaderboard, the best system first.

    Use `from_result` to make one, or the `plot` of a leaderboard.

    Parameters
    ----------
    board : Leaderboard
        The systems with their means, intervals and ranks.

    Attributes
    ----------
    line_, intervals_ : matplotlib Line2D
        The means and their intervals; with kind="ranks".
    ranks_ : list of matplotlib Line2D
        The intervals of the ranks: of systems that may be first, and of others.
    image_ : matplotlib AxesImage
        The matrix; with kind="pairs".
    ranks_ax_ : matplotlib Axes
        Beside `ax_`, with the ranks.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    See Also
    --------
    sklearn_irmetrics.comparison.leaderboard : Makes the numbers.

    Examples
    --------
    >>> from sklearn_irmetrics.comparison import leaderboard
    >>> from sklearn_irmetrics.plot import LeaderboardDisplay
    >>> board = leaderboard({"new": [0.6, 0.5, 0.7], "old": [0.4, 0.5, 0.2]})
    >>> display = LeaderboardDisplay.from_result(board, kind="pairs")
    >>> display.ax_.get_xlabel()
    'score of the row, compared with the column'
    """

    board: Any

    @classmethod
    def from_result(
        cls,
        result: Any,
        *,
        metric: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot the result of `leaderboard`.

        Parameters
        ----------
        result : Leaderboard or Leaderboards
            What to draw.
        metric : str, default=None
            Which measure; required if the result has several.
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        **kwargs
            Passed to `plot`, such as `kind`.

        Returns
        -------
        LeaderboardDisplay

        Raises
        ------
        TypeError, ValueError
            If an argument breaks the rules above; the message names it.
        ImportError
            If matplotlib is missing.
        """
        if isinstance(result, Leaderboards):
            result = result.boards[choose_metric(result.boards, metric)]
        elif not isinstance(result, Leaderboard):
            raise TypeError(
                f"result must be what leaderboard returns; got {type(result).__name__}."
            )
        elif metric is not None:
            choose_metric([result.metric], metric)
        return cls(board=result).plot(ax=ax, **kwargs)

    def plot(
        self, ax: Axes | None = None, *, kind: str = "ranks", **kwargs: Any
    ) -> Self:
        """Draw the board.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        kind : {"ranks", "pairs"}, default="ranks"
            Means with their intervals beside the intervals of the ranks, in which those
            who may be first stand out; or a matrix of who is shown to be better than
            whom, in the order of the board.
        **kwargs
            Passed to matplotlib's `plot` for the means, or to `imshow`.

        Returns
        -------
        LeaderboardDisplay
            This display.

        Raises
        ------
        TypeError, ValueError
            If an argument breaks the rules above, or ranks have no room beside `ax`.
        """
        check_option("kind", kind, ("ranks", "pairs"))
        is_new, ax = ax is None, self._start(ax)
        if is_new:
            self.figure_.set_figwidth(8)
        if kind == "pairs":
            return self._draw_pairs(is_new, kwargs)
        board, rows = self.board, list(map(str, self.board.system))
        means = EvaluationDisplay(
            rows=rows,
            estimates=board.estimate,
            intervals=board.confidence_interval,
            metric=name_measure(board.metric, board.greater_is_better),
            confidence_level=board.confidence_level,
        ).plot(ax, **kwargs)
        self.line_, self.intervals_ = means.line_, means.intervals_
        name_rows(ax, rows, grow=is_new)
        self._draw_ranks(ax)
        return self

    def _draw_ranks(self, ax):
        """Draw the intervals of the ranks on axes that share the rows."""
        place = ax.get_subplotspec()
        if place is None:
            raise ValueError("ax must come from plt.subplots, to be divided.")
        left, right = place.subgridspec(1, 2, width_ratios=[1, 0.7])
        ax.set_subplotspec(left)
        ranks_ax = self.ranks_ax_ = self.figure_.add_subplot(right, sharey=ax)
        low, high = self.board.rank_interval.T
        n = len(low)
        width = min(6.0, max(2.0, 180.0 / n))
        self.ranks_ = []
        for systems, color in ((low == 1, COLORS[0]), (low > 1, GREY)):
            ends = np.column_stack([low - 0.4, high + 0.4])[systems]
            (line,) = ranks_ax.plot(
                *join_by_gaps(ends, np.flatnonzero(systems)),
                color=color,
                linewidth=width,
                solid_capstyle="butt",
            )
            self.ranks_.append(line)
        ranks_ax.set_xlim(0.5, n + 0.5)
        ranks_ax.xaxis.get_major_locator().set_params(integer=True)
        ranks_ax.tick_params("y", labelleft=False, left=False)
        level = f"{100 * self.board.confidence_level:g} %"
        ranks_ax.set_xlabel(f"Rank, {level} for all\nblue: may be first")
        ranks_ax.grid(axis="x", alpha=0.3)

    def _draw_pairs(self, is_new, options):
        from matplotlib.colors import ListedColormap
        from matplotlib.patches import Patch

        ax, better = self.ax_, self.board.better
        n = len(better)
        colors = {
            "worse": COLORS[1],
            "cannot be told apart": _NOT_APART,
            "better": COLORS[0],
        }
        shades = {"cmap": ListedColormap(list(colors.values())), "vmin": -1, "vmax": 1}
        cells = better.astype(int) - better.T
        self.image_ = ax.imshow(cells, **{"aspect": "auto", **shades, **options})
        names = [f"{name}  {i}" for i, name in enumerate(self.board.system, start=1)]
        name_rows(ax, names, grow=is_new)
        step = 1 if n <= 20 else 5
        ax.set_xticks(range(step - 1, n, step), range(step, n + 1, step))
        name = name_measure(self.board.metric, self.board.greater_is_better)
        ax.set_xlabel(f"{name} of the row, compared with the column")
        handles = [Patch(color=color, label=label) for label, color in colors.items()]
        place = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": 3}
        ax.legend(handles=handles[::-1], frameon=False, fontsize="small", **place)
        return self
