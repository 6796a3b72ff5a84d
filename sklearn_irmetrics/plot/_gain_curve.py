"""Cumulative gain by rank, beside that of the ideal ranking."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from sklearn_irmetrics._core.inputs import check_judgments
from sklearn_irmetrics._core.namespace import to_host
from sklearn_irmetrics._core.parameters import check_flag
from sklearn_irmetrics._core.score import average_at_cutoffs
from sklearn_irmetrics._measures.aligned import unpack
from sklearn_irmetrics._measures.report import equal_scores
from sklearn_irmetrics._typing import (
    ArrayLike,
    Discount,
    Gain,
    Ids,
    NegativeGrades,
    Rankings,
    RankingsOrRun,
    Ties,
)
from sklearn_irmetrics.kernels._common import deepest, up_to
from sklearn_irmetrics.metrics import gain_curve
from sklearn_irmetrics.plot._legend import CORNERS, heights, show_legend
from sklearn_irmetrics.plot._parameters import document
from sklearn_irmetrics.plot._shared import (
    CurveDisplay,
    average_queries,
    draw_reference,
    query_weights,
    silently,
    whole_ranks,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMES = {"cg": "Cumulative gain", "dcg": "DCG", "ndcg": "nDCG"}


class GainCurveDisplay(CurveDisplay):
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

    def __init__(
        self,
        *,
        cutoffs: Any,
        gain: Any,
        kind: Literal["cg", "dcg", "ndcg"] = "ndcg",
        confidence_interval: Any = None,
        per_query: Any = None,
        ideal: Any = None,
        chance_level: Any = None,
        name: str | None = None,
    ) -> None:
        self.cutoffs = cutoffs
        self.gain = gain
        self.kind = kind
        self.confidence_interval = confidence_interval
        self.per_query = per_query
        self.ideal = ideal
        self.chance_level = chance_level
        self.name = name

    @classmethod
    @document
    def from_predictions(
        cls,
        y_true: RankingsOrRun,
        y_score: Rankings | None = None,
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
        plot_chance_level: bool = True,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot predictions.

        Parameters
        ----------
        [[data]]
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
            What negative grades do to ``"ndcg"``; None: ``"raise"``.
        judged_only : bool, default=False
            Drop unjudged documents before ranking (condensed lists).
        k : int, default=None
            The last cutoff, at least 1; None: the length of the longest query.
        [[queries]]
        [[confidence_level]]
        plot_chance_level : bool, default=True
            Whether to draw the exact expectation of a random ranking.
        [[to plot]]

        Returns
        -------
        GainCurveDisplay

        Raises
        ------
        [[raises]]
        """
        check_flag("plot_chance_level", plot_chance_level)
        y_true, y_score, qid, _ = unpack(y_true, y_score, qid)
        y_true, y_score, qid, sample_weight = to_host(
            y_true, y_score, qid, sample_weight
        )
        shared: dict[str, Any] = {
            "qid": qid,
            "labels": labels,
            "sample_weight": sample_weight,
        }
        worth = {"gain": gain, "discount": discount, "log_base": log_base}
        options: dict[str, Any] = {
            **worth,
            "kind": kind,
            "negative_grades": negative_grades,
            "judged_only": judged_only,
            "k": k,
            "replace_undefined_by": replace_undefined_by,
            **shared,
        }
        cutoffs, per_query = gain_curve(
            y_true, y_score, ties=ties, average=None, **options
        )
        mean, interval = average_queries(
            f"gain_curve (kind={kind!r})",
            per_query,
            query_weights(y_true, y_score, shared),
            confidence_level,
            (0.0, 1.0) if kind == "ndcg" else None,
        )
        if kind == "ndcg":
            ideal = np.ones(len(cutoffs))
        else:
            ideal = _ideal(y_true, y_score, kind, cutoffs, worth, judged_only, shared)
        chance = None
        if plot_chance_level:
            _, chance = silently(gain_curve, y_true, equal_scores(y_score), **options)
        display = cls(
            cutoffs=cutoffs,
            gain=mean,
            kind=kind,
            confidence_interval=interval,
            per_query=per_query,
            ideal=ideal,
            chance_level=chance,
            name=name,
        )
        return display.plot(ax=ax, plot_chance_level=plot_chance_level, **kwargs)

    @document
    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        per_query: bool = False,
        plot_ideal: bool = True,
        band: bool = True,
        plot_chance_level: bool = True,
        chance_level_kw: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve.

        Parameters
        ----------
        [[plot]]
        per_query : bool, default=False
            Whether to draw the curves of single queries.
        plot_ideal : bool, default=True
            Whether to draw the ideal as a dotted line.
        [[curve]]

        Returns
        -------
        GainCurveDisplay
            This display.
        """
        ax = self._start(
            ax,
            band=band,
            per_query=per_query,
            plot_ideal=plot_ideal,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
        )
        self._draw_curve(
            self.cutoffs,
            self.gain,
            self.name if name is None else name,
            band=band,
            per_query=self.per_query if per_query else None,
            options=kwargs,
        )
        self.ideal_ = None
        if plot_ideal and self.ideal is not None:
            self.ideal_ = draw_reference(
                ax, "Ideal", self.cutoffs, self.ideal, linestyle=":"
            )
        self._draw_chance(
            self.cutoffs, self.chance_level, plot_chance_level, chance_level_kw
        )
        ax.set(xlabel="Rank", ylabel=f"{_NAMES[self.kind]} at rank")
        whole_ranks(ax)
        low, high = heights(ax)
        show_legend(ax, min(0.0, low), 1.05 * high, CORNERS)
        return self


def _ideal(y_true, y_score, kind, cutoffs, worth, judged_only, shared):
    """Return the mean over queries of the gain of the ideal ranking."""
    judgments = check_judgments(y_true, y_score, **shared)
    parameters = {"gain": worth["gain"], "judged_only": judged_only}
    if kind == "dcg":
        parameters["discount"] = worth["discount"] or "log"
        parameters["log_base"] = worth["log_base"] or 2
    return average_at_cutoffs(
        _ideal_gain,
        parameters,
        cutoffs.tolist(),
        judgments,
        "average",
        average="macro",
        name="ideal gain",
    )


def _ideal_gain(ranking, *, k, gain, discount=None):
    gains = ranking.ideal(gain, deepest(k))
    if discount is not None:
        gains = gains * discount(ranking.ranks[: gains.shape[1]])
    return up_to(gains, k)
