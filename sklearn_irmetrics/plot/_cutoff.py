"""A measure against its cutoff."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklearn_irmetrics._core.inputs import check_judgments
from sklearn_irmetrics._core.namespace import to_host
from sklearn_irmetrics._core.parameters import check_flag
from sklearn_irmetrics._measures.aligned import unpack
from sklearn_irmetrics._measures.cutoffs import metric_at_cutoffs
from sklearn_irmetrics._measures.measure import as_measures
from sklearn_irmetrics._measures.report import equal_scores
from sklearn_irmetrics._typing import ArrayLike, Ids, Rankings, RankingsOrRun, Ties
from sklearn_irmetrics.plot._legend import CORNERS, heights, show_legend
from sklearn_irmetrics.plot._parameters import document
from sklearn_irmetrics.plot._shared import (
    CurveDisplay,
    average_queries,
    silently,
    whole_ranks,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LAST_CUTOFF = 20
_FEW_CUTOFFS = 25


class CutoffDisplay(CurveDisplay):
    """A measure at many cutoffs, averaged over queries.

    Use `from_estimator` or `from_predictions` to make one.

    Parameters
    ----------
    cutoffs : ndarray of shape (n_cutoffs,)
        Ranks from 1.
    score : ndarray of shape (n_cutoffs,)
        Mean over queries.
    metric : str
        Name of the measure.
    confidence_interval : ndarray of shape (2, n_cutoffs), default=None
        Low and high ends of the band.
    per_query : ndarray of shape (n_queries, n_cutoffs), default=None
        The measure of each query, NaN where undefined.
    chance_level : ndarray of shape (n_cutoffs,), default=None
        Expected score of a random ranking.
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
    sklearn_irmetrics.metric_at_cutoffs : Returns the numbers.

    Examples
    --------
    >>> from sklearn_irmetrics.plot import CutoffDisplay
    >>> display = CutoffDisplay.from_predictions(
    ...     [1, 0, 1, 0], [4, 3, 2, 1], metric="p", ks=[1, 2, 4]
    ... )
    >>> display.score
    array([1. , 0.5, 0.5])
    """

    def __init__(
        self,
        *,
        cutoffs: Any,
        score: Any,
        metric: str,
        confidence_interval: Any = None,
        per_query: Any = None,
        chance_level: Any = None,
        name: str | None = None,
    ) -> None:
        self.cutoffs = cutoffs
        self.score = score
        self.metric = metric
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
        metric: str = "ndcg",
        ks: Sequence[int] | None = None,
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
        metric : str, default="ndcg"
            Name of a measure with a cutoff, such as ``"recall"``; of subtopics, such
            as ``"subtopic_recall"``, where `y_true` has a column for each.
        ks : sequence of int, default=None
            Cutoffs, each at least 1; None: 1, 2, ..., to 20 or the longest query.
        [[queries]]
        [[confidence_level]]
        plot_chance_level : bool, default=True
            Whether to draw the exact expectation of a random ranking.
        [[to plot]]

        Returns
        -------
        CutoffDisplay

        Raises
        ------
        [[raises]]
        """
        check_flag("plot_chance_level", plot_chance_level)
        measures = as_measures("metric", metric)
        ((metric, measure),) = measures.items()
        if measure.average != "macro":
            raise ValueError(
                "metric must be averaged over queries with average='macro' here; got "
                f"{metric!r}."
            )
        y_true, y_score, qid, _ = unpack(y_true, y_score, qid)
        y_true, y_score, qid, sample_weight = to_host(
            y_true, y_score, qid, sample_weight
        )
        shared: dict[str, Any] = {
            "qid": qid,
            "labels": labels,
            "sample_weight": sample_weight,
        }
        judgments = check_judgments(
            y_true, y_score, subtopics=measure.metric.subtopics, **shared
        )
        if ks is None:
            ks = range(1, min(_LAST_CUTOFF, judgments.max_length) + 1)
        options: dict[str, Any] = {
            "replace_undefined_by": replace_undefined_by,
            **shared,
        }
        per_query = metric_at_cutoffs(
            measure, y_true, y_score, ks, ties=ties, average=None, **options
        )
        score, interval = average_queries(
            measure.metric.function.__name__,
            per_query,
            judgments.weights,
            confidence_level,
            measure.metric.range,
        )
        chance = None
        if plot_chance_level:
            chance = silently(
                metric_at_cutoffs, measure, y_true, equal_scores(y_score), ks, **options
            )
        display = cls(
            cutoffs=np.array(ks),
            score=score,
            metric=metric,
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
        CutoffDisplay
            This display.
        """
        ax = self._start(
            ax,
            band=band,
            per_query=per_query,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
        )
        if len(self.cutoffs) <= _FEW_CUTOFFS:
            kwargs = {"marker": "o", "markersize": 4, **kwargs}
        self._draw_curve(
            self.cutoffs,
            self.score,
            self.name if name is None else name,
            band=band,
            per_query=self.per_query if per_query else None,
            options=kwargs,
        )
        self._draw_chance(
            self.cutoffs, self.chance_level, plot_chance_level, chance_level_kw
        )
        ax.set(xlabel="Cutoff k", ylabel=f"{self.metric}@k")
        whole_ranks(ax)
        low, high = heights(ax)
        show_legend(ax, min(0.0, low), 1.05 * high, CORNERS)
        return self
