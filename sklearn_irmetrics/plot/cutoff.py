"""A measure against its cutoff."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._checks import check_flag
from sklearn_irmetrics._typing import Ids, RankingsOrRun, Systems, Ties
from sklearn_irmetrics.metrics._measure import as_measures
from sklearn_irmetrics.plot._curves import MARKED, PredictionCurveDisplay
from sklearn_irmetrics.plot._style import (
    arguments_of_measure,
    average_queries,
    batch_of,
    for_each_system,
    silently,
)
from sklearn_irmetrics.reports.cutoffs import metric_at_cutoffs
from sklearn_irmetrics.reports.report import equal_scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LAST_CUTOFF = 20
_FEW_CUTOFFS = 25


@dataclass(eq=False, repr=False, kw_only=True)
class CutoffDisplay(PredictionCurveDisplay):
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

    cutoffs: Any
    score: Any
    metric: str
    confidence_interval: Any = None
    per_query: Any = None
    chance_level: Any = None
    name: str | None = None
    points = "cutoffs", "score"
    of_rates = False

    @classmethod
    @for_each_system
    def from_predictions(
        cls,
        y_true: RankingsOrRun,
        y_score: Systems = None,
        *,
        metric: str = "ndcg",
        ks: Sequence[int] | None = None,
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
        metric : str, default="ndcg"
            Name of a measure with a cutoff, such as ``"recall"``; of subtopics, such
            as ``"subtopic_recall"``, where `y_true` has a column for each.
        ks : sequence of int, default=None
            Cutoffs, each at least 1; None: 1, 2, ..., to 20 or the longest query.
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
        CutoffDisplay
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
            qid=qid,
            labels=labels,
            sample_weight=sample_weight,
            ties=ties,
            replace_undefined_by=replace_undefined_by,
        )
        check_flag("plot_chance_level", plot_chance_level)
        measures = as_measures("metric", metric)
        ((metric, measure),) = measures.items()
        if measure.average != "macro":
            raise ValueError(
                "metric must be averaged over queries with average='macro' here; got "
                f"{metric!r}."
            )
        batch = batch_of(arguments, subtopics=measure.metric.subtopics)
        if ks is None:
            ks = range(1, min(_LAST_CUTOFF, batch.max_length) + 1)
        arguments |= {"metric": measure, "ks": ks}
        per_query = metric_at_cutoffs(**arguments, average=None)
        score, band = average_queries(
            measure.metric.function.__name__,
            per_query,
            batch.weights,
            confidence_level,
            interval,
            measure.metric.range,
        )
        chance = None
        if plot_chance_level:
            arguments |= {"y_score": equal_scores(arguments["y_score"])}
            chance = silently(metric_at_cutoffs, **arguments | {"ties": "average"})
        return cls(
            cutoffs=np.array(ks),
            score=score,
            metric=metric,
            confidence_interval=band,
            per_query=per_query,
            chance_level=chance,
            name=name,
        ).plot(ax=ax, plot_chance_level=plot_chance_level, **kwargs)

    def _legend_entry(self, name):
        return name, MARKED if len(self.cutoffs) <= _FEW_CUTOFFS else {}

    def _axis_names(self):
        return "Cutoff k", f"{self.metric}@k"
