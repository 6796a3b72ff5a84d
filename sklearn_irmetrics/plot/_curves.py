"""The curve that most displays draw, with their own numbers and names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklearn_irmetrics.plot._style import (
    Display,
    PredictionsDisplay,
    draw_reference,
    heights,
    show_legend,
    whole_ranks,
    with_defaults,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKED = {"marker": "o", "markersize": 4}


class CurveDisplay(Display):
    """A curve with a band, single queries behind it and a chance line.

    For rates, both axes go from 0 to 1; for ranks, the horizontal axis does not.
    """

    points: tuple[str, str]  # the attributes that hold the curve
    confidence_interval: Any = None
    per_query: Any = None
    chance_level: Any = None
    name: str | None
    grid: Any = None  # where band and queries are, if not at the points of the curve
    of_rates = True
    aspect = "auto"

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        per_query: bool = False,
        band: bool = True,
        plot_chance_level: bool = True,
        chance_level_kw: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        name : str, default=None
            Name in the legend; None uses the one stored.
        per_query : bool, default=False
            Whether to draw the curves of single queries.
        band : bool, default=True
            Whether to shade the interval.
        plot_chance_level : bool, default=True
            Whether to draw the dashed chance line, if the display has one. Several
            displays with the same line draw it once on the same axes.
        chance_level_kw : dict, default=None
            Passed to matplotlib's `plot` for the chance line.
        **kwargs
            Passed to matplotlib's `plot` for the curve.

        Returns
        -------
        display
            This display.
        """
        x, y = (getattr(self, attribute) for attribute in self.points)
        at = x if self.grid is None else self.grid
        steps = np.diff(at)
        if steps.min(initial=0) < 0 < steps.max(initial=0):
            raise ValueError(f"points of a curve must be in order; got {at}.")
        ax = self._start(
            ax,
            band=band,
            per_query=per_query,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
        )
        label, style = self._legend_entry(self.name if name is None else name)
        if np.isnan(y).all() and "undefined" not in (label or ""):
            label = "undefined" if label is None else f"{label} (undefined)"
        defaults = {"label": label, **style}
        self.line_: Any
        (self.line_,) = ax.plot(x, y, **with_defaults(defaults, kwargs))
        ax.update_datalim(np.column_stack([x, x]), updatey=False)  # where y is NaN
        color = self.line_.get_color()
        self.queries_ = self.band_ = None
        if per_query and self.per_query is not None:
            self.queries_ = _draw_queries(ax, at, self.per_query, color)
        ends = self._ends()
        if band and ends is not None and not np.isnan(ends).all():
            self.band_ = ax.fill_between(at, *ends, color=color, alpha=0.2, lw=0)
        self._draw_references(plot_chance_level, chance_level_kw)
        xlabel, ylabel = self._axis_names()
        ax.set(xlabel=xlabel, ylabel=ylabel, aspect=self.aspect)
        low, high = self._limits()
        show_legend(ax, low, high, above=not self.of_rates)
        return self

    def _ends(self):
        """Return the low and high ends of the band."""
        return self.confidence_interval

    def _draw_references(self, plot_chance_level, chance_level_kw):
        """Draw the chance line."""
        x, y = self._chance_points()
        self.chance_level_ = None
        if plot_chance_level and y is not None and not np.isnan(y).all():
            self.chance_level_ = draw_reference(
                self.ax_, "Chance", x, y, chance_level_kw
            )

    def _chance_points(self):
        return getattr(self, self.points[0]), self.chance_level

    def _legend_entry(self, name):
        """Return the label of the curve and options of its line."""
        return name, {}

    def _axis_names(self):
        """Return the labels of the axes."""
        raise NotImplementedError

    def _limits(self):
        """Return the ends of the vertical axis; set those of the horizontal one."""
        if self.of_rates:
            return self.ax_.set_xlim(-0.02, 1.02)
        whole_ranks(self.ax_)
        low, high = heights(self.ax_)
        return min(0.0, low), 1.05 * high


class PredictionCurveDisplay(PredictionsDisplay, CurveDisplay):
    """A curve that is made from predictions."""


def _draw_queries(ax, x, values, color):
    """Draw one faint line per query, as a single artist."""
    from matplotlib.collections import LineCollection

    values = values[~np.isnan(values).all(axis=1)]
    segments = np.empty((*values.shape, 2))
    segments[:, :, 0], segments[:, :, 1] = x, values
    alpha = max(0.05, min(0.35, 5.0 / max(1, len(values))))
    lines = LineCollection(segments, colors=color, alpha=alpha, linewidths=0.8)
    lines.set_gid("queries")
    return ax.add_collection(lines)
