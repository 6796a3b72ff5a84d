"""Learning curves: scores against the number of training queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklearn_irmetrics._tables import PLURAL
from sklearn_irmetrics.plot._legend import CORNERS, heights, show_legend
from sklearn_irmetrics.plot._shared import (
    Display,
    measure_of,
    next_color,
    whole_ranks,
    with_defaults,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False, repr=False, kw_only=True)
class QueryLearningCurveDisplay(Display):
    """Scores against the number of training queries, with their intervals.

    Use `from_result`, or ``query_learning_curve(...).plot()``, to make one. Several on
    the same axes compare estimators.

    Parameters
    ----------
    train_sizes : array-like of shape (n_sizes,)
        Numbers of training queries.
    estimates : array-like of shape (n_sizes,)
        The score after training on so many.
    intervals : array-like of shape (n_sizes, 2)
        Low and high ends, NaN where there is none.
    metric : str
        What was estimated.
    train_scores : array-like of shape (n_sizes,), default=None
        Mean scores of the training sides.
    unit : {"query", "group", "row"}, default="query"
        What `train_sizes` counts.
    name : str, default=None
        Name in the legend.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The estimates.
    band_ : matplotlib PolyCollection or None
        The intervals.
    train_line_ : matplotlib Line2D or None
        The dashed scores of training sides.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    See Also
    --------
    sklearn_irmetrics.model_selection.query_learning_curve : Returns the numbers.

    Examples
    --------
    >>> from sklearn_irmetrics.plot import QueryLearningCurveDisplay
    >>> display = QueryLearningCurveDisplay(
    ...     train_sizes=[10, 20], estimates=[0.5, 0.6],
    ...     intervals=[(0.4, 0.6), (0.5, 0.7)], metric="map",
    ... ).plot()
    >>> display.ax_.get_xlabel()
    'Training queries'
    """

    train_sizes: Any
    estimates: Any
    intervals: Any
    metric: str
    train_scores: Any = None
    unit: str = "query"
    name: str | None = None

    @classmethod
    def from_result(
        cls,
        result: Any,
        *,
        metric: str | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot the result of `query_learning_curve`.

        Parameters
        ----------
        result : QueryLearningCurve
            The scores with every size.
        metric : str, default=None
            Which measure; required if the result has several.
        name : str, default=None
            Name in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        QueryLearningCurveDisplay

        Raises
        ------
        TypeError, ValueError
            If an argument breaks the rules above; the message names it.
        ImportError
            If matplotlib is missing.
        """
        if not hasattr(result, "train_sizes"):
            raise TypeError(
                "result must be what query_learning_curve returns; got "
                f"{type(result).__name__}."
            )
        metric = measure_of(result, metric)
        train_scores = None
        if result.train_scores is not None:
            train_scores = result.train_scores[metric].mean(axis=1)
        display = cls(
            train_sizes=result.train_sizes,
            estimates=result.estimate[metric],
            intervals=result.confidence_interval[metric],
            metric=metric,
            train_scores=train_scores,
            unit=result.unit,
            name=name,
        )
        return display.plot(ax=ax, **kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        band: bool = True,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        name : str, default=None
            Name in the legend; None uses the one stored.
        band : bool, default=True
            Whether to shade the intervals.
        **kwargs
            Passed to matplotlib's `plot` for the curve.

        Returns
        -------
        QueryLearningCurveDisplay
            This display.
        """
        ax = self._start(ax, band=band)
        label = self.name if name is None else name
        defaults = {"color": next_color(ax), "marker": "o", "label": label}
        self.line_: Any
        (self.line_,) = ax.plot(
            self.train_sizes, self.estimates, **with_defaults(defaults, kwargs)
        )
        color = self.line_.get_color()
        self.band_: Any = None
        self.train_line_: Any = None
        ends = np.asarray(self.intervals, dtype=np.float64)
        if band and not np.isnan(ends).all():
            self.band_ = ax.fill_between(
                self.train_sizes, *ends.T, color=color, alpha=0.2, lw=0
            )
        if self.train_scores is not None:
            (self.train_line_,) = ax.plot(
                self.train_sizes,
                self.train_scores,
                color=color,
                linestyle="--",
                label="Training data" if label is None else f"{label}, training data",
            )
        ax.set(xlabel=f"Training {PLURAL[self.unit]}", ylabel=self.metric)
        whole_ranks(ax)
        low, high = heights(ax)
        margin = 0.05 * (high - low) or 0.05
        show_legend(ax, low - margin, high + margin, CORNERS)
        return self
