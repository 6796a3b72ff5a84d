"""A measure against the threshold of the scores."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from sklearn_irmetrics.metrics._measure import as_measures
from sklearn_irmetrics.plot._curves import PredictionCurveDisplay
from sklearn_irmetrics.plot._style import call_without_warnings, heights, name_on_axis
from sklearn_irmetrics.reports.thresholds import (
    BestThreshold,
    ThresholdCurve,
    threshold_curve,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_INTERVALS = 100


@dataclass(eq=False, repr=False, kw_only=True)
class ThresholdDisplay(PredictionCurveDisplay):
    """A measure against the threshold of the scores, with the best one marked.

    Use `from_estimator`, `from_cv_results`, `from_predictions` or `from_curve` to make
    one. They take the arguments of `threshold_curve`, with ``metric="set_f1"`` by
    default. Several queries have a band of intervals over them, at 100 of the
    thresholds.

    Parameters
    ----------
    thresholds : ndarray of shape (n_thresholds,)
        Finite, rising.
    score : ndarray of shape (n_thresholds,)
        The measure, or its mean over queries.
    metric : str
        Name of the measure.
    best : BestThreshold, default=None
        Marked on the curve if it is finite; None: none is.
    confidence_interval : ndarray of shape (2, n_points), default=None
        Low and high ends of the band.
    per_query : ndarray of shape (n_queries, n_points), default=None
        The measure of each query, NaN where undefined.
    grid : ndarray of shape (n_points,), default=None
        The thresholds of `confidence_interval` and `per_query`; None: `thresholds`.
    name : str, default=None
        Name in the legend.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve.
    best_ : matplotlib Line2D or None
        The mark of the best threshold.
    band_ : matplotlib PolyCollection or None
        The interval.
    queries_ : matplotlib LineCollection or None
        Curves of single queries.
    chance_level_ : None
        There is none.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    See Also
    --------
    sklearn_irmetrics.reports.threshold_curve : Returns the numbers.

    Examples
    --------
    >>> from sklearn_irmetrics.plot import ThresholdDisplay
    >>> display = ThresholdDisplay.from_predictions(
    ...     [0, 0, 1, 0, 1], [0.1, 0.3, 0.4, 0.6, 0.8], name="model"
    ... )
    >>> display.line_.get_label()
    'model (best 0.800 at 0.400)'
    """

    thresholds: Any
    score: Any
    metric: str
    best: BestThreshold | None = None
    confidence_interval: Any = None
    per_query: Any = None
    grid: Any = None
    name: str | None = None
    points = "thresholds", "score"
    in_order = "thresholds"
    function = "threshold_curve"
    arguments: ClassVar = {
        "metric": "set_f1",
        "thresholds": None,
        "ties": "average",
        "replace_undefined_by": np.nan,
    }
    of_rates = False
    # A set changes above a threshold.
    _line_style: ClassVar = {"drawstyle": "steps-pre"}

    @classmethod
    def from_curve(
        cls,
        curve: ThresholdCurve,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot what `threshold_curve` returned.

        Parameters
        ----------
        curve : ThresholdCurve
            With one value per threshold.
        name : str, default=None
            Name in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        ThresholdDisplay

        Raises
        ------
        TypeError, ValueError
            If `curve` is something else, or has a value per query.
        """
        if not isinstance(curve, ThresholdCurve):
            raise TypeError(f"curve must be a ThresholdCurve; got {curve!r:.80}.")
        return cls(**_points_of(curve), name=name).plot(ax=ax, **kwargs)

    @classmethod
    def _measure(
        cls, rankings, *, band, plot_chance_level, metric, thresholds, **options
    ):
        ((label, measure),) = as_measures("metric", metric).items()
        if measure.average != "macro":
            raise ValueError(
                "metric must be averaged over queries with average='macro' here; got "
                f"{metric!r}."
            )
        arguments = {"metric": measure, **vars(rankings), **options}
        curve = threshold_curve(thresholds=thresholds, **arguments)
        points = _points_of(curve) | {"metric": label}
        batch = rankings.batch() if rankings.qid is not None else None
        if batch is None or batch.n_queries < 2:
            return points | {"per_query": None}
        grid = points["thresholds"]
        if len(grid) > _MOST_INTERVALS:
            places = np.linspace(0, len(grid) - 1, _MOST_INTERVALS).round()
            grid = grid[places.astype(int)]
        per_query = call_without_warnings(
            threshold_curve, thresholds=grid, average=None, **arguments
        ).values
        return points | {
            "grid": grid,
            "per_query": per_query,
            "confidence_interval": band.around(per_query, batch.weights, measure.range),
        }

    def _draw_references(self, plot_chance_level, chance_level_kw):
        super()._draw_references(plot_chance_level, chance_level_kw)
        self.best_ = None
        if self.best is not None and np.isfinite(self.best).all():
            color = self.line_.get_color()
            (self.best_,) = self.ax_.plot(*self.best, "o", color=color, zorder=2.5)

    @property
    def _summary(self):
        """The best threshold for legends."""
        if self.best is None or np.isnan(self.best.value):
            return None
        return f"best {self.best.value:.3f} at {self.best.threshold:.3f}"

    @property
    def _axis_names(self):
        """The labels of the axes."""
        return "Threshold", fill(name_on_axis(self.metric), 36)

    def _limits(self):
        low, high = heights(self.ax_)
        return min(0.0, low), 1.05 * high


def _points_of(curve):
    """Return the finite points of a curve, rising, as parameters of the display."""
    best = curve.best  # refuses values of queries
    order = np.argsort(curve.thresholds)
    order = order[np.isfinite(curve.thresholds[order])]
    return {
        "thresholds": curve.thresholds[order],
        "score": curve.values[order],
        "metric": curve.metric,
        "best": best,
    }
