"""The mean over queries against the share of them that is left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklearn_irmetrics.plot._curves import MARKED, CurveDisplay
from sklearn_irmetrics.plot._style import (
    draw_reference,
    heights,
    name_on_axis,
    named_value,
)
from sklearn_irmetrics.reports.abstention import AbstentionCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False, repr=False, kw_only=True)
class AbstentionDisplay(CurveDisplay):
    """The mean over queries as the least confident of them are left out.

    Use `from_result`, or ``abstention_curve(...).plot()``, to make one. Several on the
    same axes compare kinds of confidence.

    Parameters
    ----------
    rates : array-like of shape (n_rates,)
        Share of the queries left out.
    estimate : array-like of shape (n_rates,)
        Mean over the others.
    metric : str, default=None
        Name of the measure.
    nauc : float, default=None
        The normalised area under the curve, for the legend.
    confidence_interval : ndarray of shape (2, n_rates), default=None
        Low and high ends of the band.
    ideal : array-like of shape (n_rates,), default=None
        The mean if the queries of the worst values are left out.
    chance_level : array-like of shape (n_rates,), default=None
        The mean if queries are left out at random.
    name : str, default=None
        Name in the legend.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve.
    band_ : matplotlib PolyCollection or None
        The interval.
    ideal_, chance_level_ : matplotlib Line2D or None
        The dotted ideal and the dashed chance line.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    See Also
    --------
    sklearn_irmetrics.reports.abstention_curve : Returns the numbers.

    Examples
    --------
    >>> from sklearn_irmetrics.plot import AbstentionDisplay
    >>> from sklearn_irmetrics.reports import abstention_curve
    >>> curve = abstention_curve([1, 0.5, 0, 1], [0.9, 0.2, 0.1, 0.8], random_state=0)
    >>> display = AbstentionDisplay.from_result(curve, name="largest score")
    >>> display.line_.get_label()
    'largest score (nAUC = 1.000)'
    """

    rates: Any
    estimate: Any
    metric: str | None = None
    nauc: float | None = None
    confidence_interval: Any = None
    ideal: Any = None
    chance_level: Any = None
    name: str | None = None
    points = "rates", "estimate"
    in_order = "rates"
    of_rates = False
    _line_style = MARKED

    @classmethod
    def from_result(
        cls,
        result: Any,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot the result of `abstention_curve`.

        Parameters
        ----------
        result : AbstentionCurve
            The means at each rate.
        name : str, default=None
            Name in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        AbstentionDisplay

        Raises
        ------
        TypeError, ValueError
            If an argument breaks the rules above; the message names it.
        ImportError
            If matplotlib is missing.
        """
        if not isinstance(result, AbstentionCurve):
            raise TypeError(
                "result must be what abstention_curve returns; got "
                f"{type(result).__name__}."
            )
        return cls(
            rates=result.rates,
            estimate=result.estimate,
            metric=result.metric,
            nauc=result.nauc,
            confidence_interval=result.confidence_interval.T,
            ideal=result.ideal,
            chance_level=np.full(len(result.rates), result.estimate[0]),
            name=name,
        ).plot(ax=ax, **kwargs)

    def _draw_references(self, plot_chance_level, chance_level_kw):
        self.ideal_ = None
        if self.ideal is not None:
            self.ideal_ = draw_reference(
                self.ax_, "Ideal", self.rates, self.ideal, linestyle=":"
            )
        super()._draw_references(plot_chance_level, chance_level_kw)

    @property
    def _summary(self):
        """The area for legends."""
        return named_value("nAUC", self.nauc)

    @property
    def _axis_names(self):
        """The labels of the axes."""
        what = "Mean" if self.metric is None else name_on_axis(self.metric)
        return "Share of queries left out", f"{what} of the others"

    def _limits(self):
        low, high = heights(self.ax_)
        margin = 0.05 * (high - low) or 0.05
        return low - margin, high + margin
