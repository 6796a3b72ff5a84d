"""Interpolated precision against recall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils import check_random_state

from sklearn_irmetrics._core.namespace import to_host
from sklearn_irmetrics._core.parameters import check_flag
from sklearn_irmetrics._measures.aligned import unpack
from sklearn_irmetrics._typing import (
    ArrayLike,
    Ids,
    RandomState,
    Rankings,
    RankingsOrRun,
    RecallRounding,
    Ties,
)
from sklearn_irmetrics.metrics import interpolated_precision_recall_curve
from sklearn_irmetrics.metrics._curve import ELEVEN_POINTS
from sklearn_irmetrics.plot._legend import CORNERS, show_legend
from sklearn_irmetrics.plot._parameters import document
from sklearn_irmetrics.plot._shared import (
    CurveDisplay,
    average_queries,
    named_value,
    query_weights,
    silently,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Enough random rankings, over all queries, to know a mean to about 0.01.
_N_RANDOM = 1000


def mean_of_random(curve, y_score, n_queries, random_state):
    """Return the mean over random rankings of what `curve` makes of scores."""
    rng = check_random_state(random_state)
    shape = np.shape(y_score)
    return np.mean(
        [
            silently(curve, rng.random_sample(shape))
            for _ in range(-(-_N_RANDOM // n_queries))
        ],
        axis=0,
    )


class InterpolatedPrecisionRecallDisplay(CurveDisplay):
    """Interpolated precision at recall levels, averaged over queries.

    Use `from_estimator` or `from_predictions` to make one.

    Parameters
    ----------
    recall : ndarray of shape (n_levels,)
        Recall levels.
    precision : ndarray of shape (n_levels,)
        Mean interpolated precision over queries.
    confidence_interval : ndarray of shape (2, n_levels), default=None
        Low and high ends of the band.
    per_query : ndarray of shape (n_queries, n_levels), default=None
        Interpolated precision of each query, NaN where undefined.
    chance_level : ndarray of shape (n_levels,), default=None
        Mean interpolated precision of random rankings.
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
    sklearn_irmetrics.interpolated_precision_recall_curve : Returns the numbers.

    Examples
    --------
    >>> from sklearn_irmetrics.plot import InterpolatedPrecisionRecallDisplay
    >>> display = InterpolatedPrecisionRecallDisplay.from_predictions(
    ...     [0, 1, 1, 0], [4, 3, 2, 1], qid=[1, 1, 2, 2], name="BM25"
    ... )
    >>> display.line_.get_label()
    'BM25 (11-pt mean = 0.750)'
    """

    def __init__(
        self,
        *,
        recall: Any,
        precision: Any,
        confidence_interval: Any = None,
        per_query: Any = None,
        chance_level: Any = None,
        name: str | None = None,
    ) -> None:
        self.recall = recall
        self.precision = precision
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
        recall_levels: Sequence[float] = ELEVEN_POINTS,
        recall_rounding: RecallRounding = "ceil",
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
        recall_levels : sequence of float, default=(0, 0.1, ..., 1)
            Recall levels, between 0 and 1.
        recall_rounding : {"ceil", "trec_eval9", "trec_eval10"}, default="ceil"
            How many relevant documents reach a level.
        [[relevance]]
        [[queries]]
        [[confidence_level]]
        plot_chance_level : bool, default=True
            Whether to draw the mean of random rankings: of at least 1000 in all, and
            one per query.
        random_state : int, RandomState instance or None, default=0
            Seeds the random rankings; systems with the same seed share a line.
        [[to plot]]

        Returns
        -------
        InterpolatedPrecisionRecallDisplay

        Raises
        ------
        [[raises]]
        """
        check_flag("plot_chance_level", plot_chance_level)
        y_true, y_score, qid, _ = unpack(y_true, y_score, qid)
        y_true, y_score, qid, sample_weight = to_host(
            y_true, y_score, qid, sample_weight
        )
        shared = {"qid": qid, "labels": labels, "sample_weight": sample_weight}
        options: dict[str, Any] = {
            "recall_levels": recall_levels,
            "recall_rounding": recall_rounding,
            "relevance_threshold": relevance_threshold,
            "judged_only": judged_only,
            "pos_label": pos_label,
            "replace_undefined_by": replace_undefined_by,
            **shared,
        }
        per_query, recall = interpolated_precision_recall_curve(
            y_true, y_score, ties=ties, average=None, **options
        )
        precision, interval = average_queries(
            "interpolated precision",
            per_query,
            query_weights(y_true, y_score, shared),
            confidence_level,
            (0.0, 1.0),
        )
        chance = None
        if plot_chance_level:
            chance = mean_of_random(
                lambda scores: interpolated_precision_recall_curve(
                    y_true, scores, **options
                )[0],
                y_score,
                len(per_query),
                random_state,
            )
        display = cls(
            recall=recall,
            precision=precision,
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
        InterpolatedPrecisionRecallDisplay
            This display.
        """
        ax = self._start(
            ax,
            band=band,
            per_query=per_query,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
        )
        eleven = np.array_equal(self.recall, ELEVEN_POINTS)
        label = named_value(
            self.name if name is None else name,
            "11-pt mean" if eleven else "mean",
            float(np.mean(self.precision)),
        )
        self._draw_curve(
            self.recall,
            self.precision,
            label,
            band=band,
            per_query=self.per_query if per_query else None,
            options={"marker": "o", "markersize": 4, **kwargs},
        )
        self._draw_chance(
            self.recall, self.chance_level, plot_chance_level, chance_level_kw
        )
        ax.set(
            xlabel="Recall",
            ylabel="Interpolated precision",
            xlim=(-0.02, 1.02),
        )
        show_legend(ax, -0.02, 1.02, CORNERS)
        return self
