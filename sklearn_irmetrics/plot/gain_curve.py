"""Cumulative gain by rank, with that of the ideal ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._checks import check_flag
from sklearn_irmetrics._typing import (
    Discount,
    Gain,
    Ids,
    NegativeGrades,
    RankingsOrRun,
    Systems,
    Ties,
)
from sklearn_irmetrics.metrics import gain_curve
from sklearn_irmetrics.metrics._formulas import deepest, up_to
from sklearn_irmetrics.metrics._ranking.compute import average_at_cutoffs
from sklearn_irmetrics.plot._curves import PredictionCurveDisplay
from sklearn_irmetrics.plot._style import (
    arguments_of_measure,
    average_queries,
    batch_of,
    draw_reference,
    for_each_system,
    silently,
)
from sklearn_irmetrics.reports.report import equal_scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMES = {"cg": "Cumulative gain", "dcg": "DCG", "ndcg": "nDCG"}


@dataclass(eq=False, repr=False, kw_only=True)
class GainCurveDisplay(PredictionCurveDisplay):
    """Gain at every cutoff, averaged over queries, and that of the ideal ranking.

    Use `from_estimator` or `from_predictions` to make one.

    Parameters
    ----------
    cutoffs : ndarray of shape (n_cutoffs,)
        Ranks from 1.
    gain : ndarray of shape (n_cutoffs,)
        Mean over queries.
    kind : {"cg", "dcg", "ndcg"}, default="ndcg"
        Which measure.
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
    sklearn_irmetrics.gain_curve : Returns the numbers.

    Examples
    --------
    >>> from sklearn_irmetrics.plot import GainCurveDisplay
    >>> display = GainCurveDisplay.from_predictions(
    ...     [3, 2, 3, 0], [4, 3, 2, 1], kind="cg", name="BM25"
    ... )
    >>> display.ideal
    array([3., 6., 8., 8.])
    """

    cutoffs: Any
    gain: Any
    kind: Literal["cg", "dcg", "ndcg"] = "ndcg"
    confidence_interval: Any = None
    per_query: Any = None
    ideal: Any = None
    chance_level: Any = None
    name: str | None = None
    points = "cutoffs", "gain"
    of_rates = False

    @classmethod
    @for_each_system
    def from_predictions(
        cls,
        y_true: RankingsOrRun,
        y_score: Systems = None,
        *,
        kind: Literal["cg", "dcg", "ndcg"] = "ndcg",
        gain: Gain = "linear",
        discount: Discount | None = None,
        log_base: float | None = None,
        negative_grades: NegativeGrades | None = None,
        judged_only: bool = False,
        k: int | None = None,
        qid: Ids | None = None,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        ties: Ties = "average",
        replace_undefined_by: float = np.nan,
        confidence_level: float = 0.95,
        interval: str = "auto",
        plot_chance_level: bool = True,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Any:
        """Plot predictions.

        Parameters
        ----------
        y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
            Grades; larger is better, NaN: unjudged. Or an `AlignedRun`, which holds the
            scores and query ids too.
        y_score : array-like of the shape of `y_true`, or CSR
            Scores; larger ranks higher, -inf: not retrieved. None with an `AlignedRun`.
            Or a dict of these by system, which are all drawn on the same axes.
        kind : {"cg", "dcg", "ndcg"}, default="ndcg"
            Which measure.
        gain : {"linear", "exponential"}, mapping or callable, default="linear"
            Gain of a grade.
        discount : {"log", "jarvelin_kekalainen", "reciprocal"} or callable, \
                default=None
            Weight of a rank, not for ``"cg"``; None: ``"log"``.
        log_base : float, default=None
            Base of the logarithm, above 1, not for ``"cg"``; None: 2.
        negative_grades : {"raise", "clip", "keep", "minmax"}, default=None
            How ``"ndcg"`` treats negative grades; None: ``"raise"``.
        judged_only : bool, default=False
            Drop unjudged documents before ranking (condensed lists).
        k : int, default=None
            The last cutoff, at least 1; None: the length of the longest query.
        qid : array-like of shape (n_documents,), default=None
            Query ids, for 1-D input. None: all rows are one ranking.
        labels : array-like of shape (n_classes,), default=None
            The class of each column of `y_score`, if `y_true` holds class labels.
        sample_weight : array-like, default=None
            One weight per query; with 1-D input, one per row, constant inside a query.
        ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
            The exact expectation over all orders of tied documents, the best order, the
            worst order, or the order of the rows.
        replace_undefined_by : float, default=np.nan
            Value of an undefined query; NaN leaves it out and warns.
        confidence_level : float, default=0.95
            Confidence level of the band: an interval over queries at each point, as
            `ranking_report` makes it.
        interval : {"auto", "t", "bca", "betting"}, default="auto"
            How it is made; see `ranking_report`.
        plot_chance_level : bool, default=True
            Whether to draw the exact expectation of a random ranking.
        name : str, default=None
            Name in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        GainCurveDisplay
            Or a dict of them by system, if `y_score` is one.

        Raises
        ------
        TypeError, ValueError
            If an argument breaks the rules above; the message names it.
        ImportError
            If matplotlib is missing.
        """
        arguments = arguments_of_measure(
            y_true,
            y_score,
            kind=kind,
            gain=gain,
            discount=discount,
            log_base=log_base,
            negative_grades=negative_grades,
            judged_only=judged_only,
            k=k,
            qid=qid,
            labels=labels,
            sample_weight=sample_weight,
            ties=ties,
            replace_undefined_by=replace_undefined_by,
        )
        check_flag("plot_chance_level", plot_chance_level)
        batch = batch_of(arguments)
        cutoffs, per_query = gain_curve(**arguments, average=None)
        mean, band = average_queries(
            f"gain_curve (kind={kind!r})",
            per_query,
            batch.weights,
            confidence_level,
            interval,
            (0.0, 1.0) if kind == "ndcg" else None,
        )
        if kind == "ndcg":
            ideal = np.ones(len(cutoffs))
        else:
            ideal = _ideal(batch, kind, cutoffs, judged_only, gain, discount, log_base)
        chance = None
        if plot_chance_level:
            arguments |= {"y_score": equal_scores(arguments["y_score"])}
            _, chance = silently(gain_curve, **arguments | {"ties": "average"})
        return cls(
            cutoffs=cutoffs,
            gain=mean,
            kind=kind,
            confidence_interval=band,
            per_query=per_query,
            ideal=ideal,
            chance_level=chance,
            name=name,
        ).plot(ax=ax, plot_chance_level=plot_chance_level, **kwargs)

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
            As of other curves: `name`, `per_query`, `band`, `plot_chance_level` and
            `chance_level_kw`; what else there is goes to matplotlib's `plot`.

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

    def _axis_names(self):
        return "Rank", f"{_NAMES[self.kind]} at rank"


def _ideal(batch, kind, cutoffs, judged_only, gain, discount, log_base):
    """Return the mean over queries of the gain of the ideal ranking."""
    parameters = {"gain": gain, "judged_only": judged_only}
    if kind == "dcg":
        parameters |= {"discount": discount or "log", "log_base": log_base or 2}
    return average_at_cutoffs(
        _ideal_gain,
        parameters,
        cutoffs.tolist(),
        batch,
        "average",
        average="macro",
        name="ideal gain",
    )


def _ideal_gain(ranking, *, k, gain, discount=None):
    gains = ranking.ideal(gain, deepest(k))
    if discount is not None:
        gains = gains * discount(ranking.ranks[: gains.shape[1]])
    return up_to(gains, k)
