"""Cumulative gain by rank, with that of the ideal ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from sklearn_irmetrics._checks import check_flag
from sklearn_irmetrics.metrics._formulas import sum_to_rank
from sklearn_irmetrics.metrics._measure import Measure, as_label, formula_parameters
from sklearn_irmetrics.metrics._ranking.compute import average_at_cutoffs
from sklearn_irmetrics.metrics.gain_curves import gain_curve, measure_of_gain
from sklearn_irmetrics.plot._curves import PredictionCurveDisplay, mean_over_queries
from sklearn_irmetrics.plot._style import call_without_warnings, draw_reference
from sklearn_irmetrics.reports.report import equal_scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMES = {"cg": "Cumulative gain", "dcg": "DCG", "ndcg": "nDCG"}


@dataclass(eq=False, repr=False, kw_only=True)
class GainCurveDisplay(PredictionCurveDisplay):
    """Gain at every cutoff, averaged over queries, and that of the ideal ranking.

    Use `from_estimator`, `from_cv_results` or `from_predictions` to make one. They take
    the arguments of `gain_curve`, and `plot_ideal`.

    Parameters
    ----------
    cutoffs : ndarray of shape (n_cutoffs,)
        Ranks from 1.
    gain : ndarray of shape (n_cutoffs,)
        Mean over queries.
    metric : str or Measure, default="ndcg"
        The measure of gain, as for `gain_curve`.
    confidence_interval : ndarray of shape (2, n_cutoffs), default=None
        Low and high ends of the band.
    per_query : ndarray of shape (n_queries, n_cutoffs), default=None
        The gain of each query, NaN where undefined.
    ideal : ndarray of shape (n_cutoffs,), default=None
        Gain of the ideal ranking, averaged over queries.
    chance_level : ndarray of shape (n_cutoffs,), default=None
        Expected gain of a random ranking, averaged over queries.
    name : str, default=None
        Name in the legend.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve.
    band_ : matplotlib PolyCollection or None
        The interval.
    queries_ : matplotlib LineCollection or None
        Curves of single queries.
    ideal_, chance_level_ : matplotlib Line2D or None
        The dotted ideal and the dashed chance line.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    See Also
    --------
    sklearn_irmetrics.metrics.gain_curve : Returns the numbers.

    Examples
    --------
    >>> from sklearn_irmetrics.plot import GainCurveDisplay
    >>> display = GainCurveDisplay.from_predictions(
    ...     [3, 2, 3, 0], [4, 3, 2, 1], metric="cg", name="BM25"
    ... )
    >>> display.ideal
    array([3., 6., 8., 8.])
    """

    cutoffs: Any
    gain: Any
    metric: str | Measure = "ndcg"
    confidence_interval: Any = None
    per_query: Any = None
    ideal: Any = None
    chance_level: Any = None
    name: str | None = None
    points = "cutoffs", "gain"
    in_order = "cutoffs"
    function = "gain_curve"
    arguments: ClassVar = {
        "metric": "ndcg",
        "k": None,
        "ties": "average",
        "replace_undefined_by": np.nan,
        "plot_ideal": True,
    }
    of_rates = False

    @classmethod
    def _measure(
        cls,
        rankings,
        *,
        band,
        plot_chance_level,
        plot_ideal,
        **options,
    ):
        measure = measure_of_gain(options["metric"])
        arguments = vars(rankings) | options | {"metric": measure}
        check_flag("plot_ideal", plot_ideal)
        batch = rankings.batch()
        cutoffs, per_query = gain_curve(**arguments, average=None)
        name = f"gain_curve (metric={measure.label!r})"
        ideal = chance = None
        if plot_ideal and measure.metric.name == "ndcg":
            ideal = np.ones(len(cutoffs))
        elif plot_ideal:
            ideal = average_at_cutoffs(
                _ideal_gain,
                formula_parameters(measure),
                cutoffs.tolist(),
                batch,
                "average",
                average="macro",
                name="ideal gain",
            )
        if plot_chance_level:
            arguments |= {"y_score": equal_scores(rankings.y_score), "ties": "average"}
            _, chance = call_without_warnings(gain_curve, **arguments)
        return {
            "cutoffs": cutoffs,
            "gain": mean_over_queries(name, per_query, batch.weights),
            "metric": as_label(options["metric"]),
            "confidence_interval": band.around(per_query, batch.weights, measure.range),
            "per_query": per_query,
            "ideal": ideal,
            "chance_level": chance,
        }

    def plot(
        self, ax: Axes | None = None, *, plot_ideal: bool = True, **kwargs: Any
    ) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        plot_ideal : bool, default=True
            Whether to draw the ideal as a dotted line.
        **kwargs
            As of other curves: `name`, `per_query`, `band`, `plot_chance_level`,
            `chance_level_kw`, `curve_kwargs` and `despine`.

        Returns
        -------
        display
            This display.
        """
        self._with_ideal = check_flag("plot_ideal", plot_ideal)
        return super().plot(ax, **kwargs)

    def _draw_references(self, plot_chance_level, chance_level_kw):
        self.ideal_ = None
        if self._with_ideal and self.ideal is not None:
            self.ideal_ = draw_reference(
                self.ax_, "Ideal", self.cutoffs, self.ideal, linestyle=":"
            )
        super()._draw_references(plot_chance_level, chance_level_kw)

    @property
    def _axis_names(self):
        """The labels of the axes."""
        name = measure_of_gain(self.metric).metric.name
        return "Rank", f"{_NAMES[name]} at rank"


def _ideal_gain(ranking, *, k, gain, discount=None):
    """Sum the gains of the ideal ranking, discounted for DCG."""
    gains = ranking.ideal(gain, k)
    if discount is not None:
        gains = gains * discount(ranking.ranks[: gains.shape[1]])
    return sum_to_rank(gains, k)
