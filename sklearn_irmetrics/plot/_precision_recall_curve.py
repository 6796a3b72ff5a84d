"""Precision against recall, as it is or interpolated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from sklearn_irmetrics._core.namespace import to_host
from sklearn_irmetrics._core.parameters import check_confidence_level, check_flag
from sklearn_irmetrics._measures.aligned import unpack
from sklearn_irmetrics._statistics.intervals import pointwise_intervals
from sklearn_irmetrics._typing import (
    ArrayLike,
    Ids,
    RandomState,
    Rankings,
    RankingsOrRun,
    Ties,
)
from sklearn_irmetrics.metrics import average_precision_score, precision_recall_curve
from sklearn_irmetrics.metrics._points import one_ranking
from sklearn_irmetrics.plot._legend import CORNERS, show_legend
from sklearn_irmetrics.plot._parameters import document
from sklearn_irmetrics.plot._precision_recall import mean_of_random
from sklearn_irmetrics.plot._shared import (
    CurveDisplay,
    named_value,
    query_weights,
    silently,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class PrecisionRecallDisplay(CurveDisplay):
    """Precision against recall: of one ranking as it is, or at recall levels.

    Of one ranking it draws every threshold, with the teeth of the curve. With
    `interpolation`, and for queries, it draws the mean at recall levels. Use
    `from_estimator` or `from_predictions` to make one.

    Parameters
    ----------
    precision : ndarray of shape (n_points,)
        Precision, of one ranking or the mean over queries.
    recall : ndarray of shape (n_points,)
        Recall.
    thresholds : ndarray of shape (n_points - 1,), default=None
        The least score that is retrieved, for one ranking.
    average_precision : float, default=None
        Average precision, the mean over queries.
    confidence_interval : ndarray of shape (2, n_points), default=None
        Low and high ends of the band.
    per_query : ndarray of shape (n_queries, n_points), default=None
        Precision of each query at the recall levels, NaN where undefined.
    chance_level : ndarray of shape (n_points,), default=None
        Precision of random rankings: the share of relevant documents for one ranking
        as it is, and the mean of random rankings at recall levels.
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
    chance_level_ : matplotlib Line2D or None
        The chance line.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    See Also
    --------
    sklearn_irmetrics.precision_recall_curve : Returns the numbers.
    InterpolatedPrecisionRecallDisplay : Recall levels as versions of trec_eval round.

    Examples
    --------
    >>> from sklearn_irmetrics.plot import PrecisionRecallDisplay
    >>> display = PrecisionRecallDisplay.from_predictions(
    ...     [1, 0, 1, 0], [4, 3, 2, 1], name="BM25"
    ... )
    >>> display.line_.get_label()
    'BM25 (AP = 0.833)'
    """

    def __init__(
        self,
        *,
        precision: Any,
        recall: Any,
        thresholds: Any = None,
        average_precision: Any = None,
        confidence_interval: Any = None,
        per_query: Any = None,
        chance_level: Any = None,
        name: str | None = None,
    ) -> None:
        self.precision = precision
        self.recall = recall
        self.thresholds = thresholds
        self.average_precision = average_precision
        self.confidence_interval = confidence_interval
        self.per_query = per_query
        self.chance_level = chance_level
        self.name = name

    @classmethod
    @document
    def from_predictions(
        cls,
        y_true: RankingsOrRun,
        y_score: Rankings | None = None,
        *,
        interpolation: Literal["right", "window"] | None = None,
        grid: Sequence[float] | None = None,
        relevance_threshold: float | None = None,
        judged_only: bool = False,
        pos_label: Any = None,
        qid: Ids | None = None,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        ties: Ties = "average",
        replace_undefined_by: float = np.nan,
        confidence_level: float = 0.95,
        plot_chance_level: bool = True,
        random_state: RandomState = 0,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot predictions.

        Parameters
        ----------
        [[data]]
        interpolation : {"right", "window"}, default=None
            See `precision_recall_curve`. None: the points as they are for one ranking,
            ``"right"`` for queries or with `grid`.
        grid : sequence of float, default=None
            Recall levels, between 0 and 1; None: 0, 0.1, ..., 1.
        [[relevance]]
        [[queries]]
        [[confidence_level]]
        plot_chance_level : bool, default=True
            Whether to draw the precision of random rankings; at recall levels the mean
            of at least 1000 in all, and one per query.
        random_state : int, RandomState instance or None, default=0
            Seeds the random rankings; systems with the same seed share a line.
        [[to plot]]

        Returns
        -------
        PrecisionRecallDisplay

        Raises
        ------
        [[raises]]
        """
        check_flag("plot_chance_level", plot_chance_level)
        level = check_confidence_level(confidence_level)
        y_true, y_score, qid, _ = unpack(y_true, y_score, qid)
        y_true, y_score, qid, sample_weight = to_host(
            y_true, y_score, qid, sample_weight
        )
        shared = {"qid": qid, "labels": labels, "sample_weight": sample_weight}
        options: dict[str, Any] = {
            "relevance_threshold": relevance_threshold,
            "judged_only": judged_only,
            "pos_label": pos_label,
            "ties": ties,
            "replace_undefined_by": replace_undefined_by,
            **shared,
        }
        levels: dict[str, Any] = {"interpolation": interpolation, "grid": grid}
        one = one_ranking({"y_true": y_true, "y_score": y_score, **options})
        interval = per_query = chance = None
        precision, recall, thresholds = precision_recall_curve(
            y_true, y_score, **levels, **options
        )
        if thresholds is not None:
            n_documents = one.n_relevant + one.n_others
            if n_documents > 0.0:
                chance = np.full(len(recall), one.n_relevant / n_documents)
        elif one is None:
            per_query = silently(
                precision_recall_curve,
                y_true,
                y_score,
                average=None,
                **levels,
                **options,
            ).precision
            interval = pointwise_intervals(
                per_query,
                query_weights(y_true, y_score, shared),
                bounds=(0.0, 1.0),
                confidence_level=level,
            )
        if thresholds is None and plot_chance_level:
            chance = mean_of_random(
                lambda scores: (
                    precision_recall_curve(
                        y_true, scores, **levels, **options
                    ).precision
                ),
                y_score,
                1 if per_query is None else len(per_query),
                random_state,
            )
        mean = None  # tied documents of different weight have no other rule
        if one is None or not one.weighted:
            mean = silently(average_precision_score, y_true, y_score, **options)
        display = cls(
            precision=precision,
            recall=recall,
            thresholds=thresholds,
            average_precision=mean,
            confidence_interval=interval,
            per_query=per_query,
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
        [[curve]]

        Returns
        -------
        PrecisionRecallDisplay
            This display.
        """
        ax = self._start(
            ax,
            band=band,
            per_query=per_query,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
        )
        at_levels = {} if self.thresholds is not None else {"marker": "o"}
        self._draw_curve(
            self.recall,
            self.precision,
            named_value(
                self.name if name is None else name, "AP", self.average_precision
            ),
            band=band,
            per_query=self.per_query if per_query else None,
            options={**at_levels, "markersize": 4, **kwargs},
        )
        self._draw_chance(
            self.recall, self.chance_level, plot_chance_level, chance_level_kw
        )
        ax.set(
            xlabel="Recall",
            ylabel="Precision",
            xlim=(-0.02, 1.02),
        )
        show_legend(ax, -0.02, 1.02, CORNERS)
        return self
