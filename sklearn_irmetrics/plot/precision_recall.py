"""Interpolated precision against recall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from sklearn_irmetrics._checks import check_flag, check_interval
from sklearn_irmetrics._statistics.intervals import pointwise_intervals
from sklearn_irmetrics._typing import (
    Ids,
    RandomState,
    RankingsOrRun,
    RecallRounding,
    Systems,
    Ties,
)
from sklearn_irmetrics.metrics import (
    average_precision_score,
    interpolated_precision_recall_curve,
    precision_recall_curve,
)
from sklearn_irmetrics.metrics._points import one_ranking
from sklearn_irmetrics.metrics.curves import ELEVEN_POINTS
from sklearn_irmetrics.plot._curves import MARKED, PredictionCurveDisplay
from sklearn_irmetrics.plot._style import (
    arguments_of_measure,
    average_queries,
    batch_of,
    for_each_system,
    named_value,
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


@dataclass(eq=False, repr=False, kw_only=True)
class InterpolatedPrecisionRecallDisplay(PredictionCurveDisplay):
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

    recall: Any
    precision: Any
    confidence_interval: Any = None
    per_query: Any = None
    chance_level: Any = None
    name: str | None = None
    points = "recall", "precision"

    @classmethod
    @for_each_system
    def from_predictions(
        cls,
        y_true: RankingsOrRun,
        y_score: Systems = None,
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
        interval: str = "auto",
        plot_chance_level: bool = True,
        random_state: RandomState = 0,
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
        recall_levels : sequence of float, default=(0, 0.1, ..., 1)
            Recall levels, between 0 and 1.
        recall_rounding : {"ceil", "trec_eval9", "trec_eval10"}, default="ceil"
            How many relevant documents reach a level.
        relevance_threshold : float, default=None
            The smallest grade of a relevant document; None: any grade above 0.
        judged_only : bool, default=False
            Drop unjudged documents before ranking (condensed lists).
        pos_label : str, int, float or bool, default=None
            The relevant class if `y_true` holds class labels; None if it holds grades.
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
            Whether to draw the mean of random rankings: of at least 1000 in all, and
            one per query.
        random_state : int, RandomState instance or None, default=0
            Seeds the random rankings; systems with the same seed share a line.
        name : str, default=None
            Name in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        InterpolatedPrecisionRecallDisplay
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
            recall_levels=recall_levels,
            recall_rounding=recall_rounding,
            relevance_threshold=relevance_threshold,
            judged_only=judged_only,
            pos_label=pos_label,
            qid=qid,
            labels=labels,
            sample_weight=sample_weight,
            ties=ties,
            replace_undefined_by=replace_undefined_by,
        )
        check_flag("plot_chance_level", plot_chance_level)
        per_query, recall = interpolated_precision_recall_curve(
            **arguments, average=None
        )
        precision, band = average_queries(
            "interpolated precision",
            per_query,
            batch_of(arguments).weights,
            confidence_level,
            interval,
            (0.0, 1.0),
        )
        chance = None
        if plot_chance_level:
            chance = mean_of_random(
                lambda scores: interpolated_precision_recall_curve(
                    **arguments | {"y_score": scores, "ties": "average"}
                )[0],
                arguments["y_score"],
                len(per_query),
                random_state,
            )
        return cls(
            recall=recall,
            precision=precision,
            confidence_interval=band,
            per_query=per_query,
            chance_level=chance,
            name=name,
        ).plot(ax=ax, plot_chance_level=plot_chance_level, **kwargs)

    def _legend_entry(self, name):
        eleven = np.array_equal(self.recall, ELEVEN_POINTS)
        what = "11-pt mean" if eleven else "mean"
        label = named_value(name, what, float(np.mean(self.precision)))
        return label, MARKED

    def _axis_names(self):
        return "Recall", "Interpolated precision"


@dataclass(eq=False, repr=False, kw_only=True)
class PrecisionRecallDisplay(PredictionCurveDisplay):
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

    precision: Any
    recall: Any
    thresholds: Any = None
    average_precision: Any = None
    confidence_interval: Any = None
    per_query: Any = None
    chance_level: Any = None
    name: str | None = None
    points = "recall", "precision"

    @classmethod
    @for_each_system
    def from_predictions(
        cls,
        y_true: RankingsOrRun,
        y_score: Systems = None,
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
        interval: str = "auto",
        plot_chance_level: bool = True,
        random_state: RandomState = 0,
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
        interpolation : {"right", "window"}, default=None
            See `precision_recall_curve`. None: the points as they are for one ranking,
            ``"right"`` for queries or with `grid`.
        grid : sequence of float, default=None
            Recall levels, between 0 and 1; None: 0, 0.1, ..., 1.
        relevance_threshold : float, default=None
            The smallest grade of a relevant document; None: any grade above 0.
        judged_only : bool, default=False
            Drop unjudged documents before ranking (condensed lists).
        pos_label : str, int, float or bool, default=None
            The relevant class if `y_true` holds class labels; None if it holds grades.
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
            Whether to draw the precision of random rankings; at recall levels the mean
            of at least 1000 in all, and one per query.
        random_state : int, RandomState instance or None, default=0
            Seed of the random rankings; systems with the same seed share a line.
        name : str, default=None
            Name in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        PrecisionRecallDisplay
            Or a dict of them by system, if `y_score` is one.

        Raises
        ------
        TypeError, ValueError
            If an argument breaks the rules above; the message names it.
        ImportError
            If matplotlib is missing.
        """
        rankings = arguments_of_measure(
            y_true,
            y_score,
            relevance_threshold=relevance_threshold,
            judged_only=judged_only,
            pos_label=pos_label,
            qid=qid,
            labels=labels,
            sample_weight=sample_weight,
            ties=ties,
        )
        arguments = {**rankings, "replace_undefined_by": replace_undefined_by}
        levels: dict[str, Any] = {"interpolation": interpolation, "grid": grid}
        check_flag("plot_chance_level", plot_chance_level)
        level = check_interval(confidence_level, interval)
        one = one_ranking(**rankings)
        band = per_query = chance = None
        precision, recall, thresholds = precision_recall_curve(**arguments, **levels)
        if one is None:
            per_query = silently(
                precision_recall_curve, average=None, **arguments, **levels
            ).precision
            band = pointwise_intervals(
                per_query,
                batch_of(arguments).weights,
                method=interval,
                bounds=(0.0, 1.0),
                confidence_level=level,
            )
        if thresholds is not None:
            n_documents = one.n_relevant + one.n_others
            if n_documents > 0.0:
                chance = np.full(len(recall), one.n_relevant / n_documents)
        elif plot_chance_level:
            chance = mean_of_random(
                lambda scores: (
                    precision_recall_curve(
                        **arguments | {"y_score": scores}, **levels
                    ).precision
                ),
                arguments["y_score"],
                1 if per_query is None else len(per_query),
                random_state,
            )
        mean = None  # tied documents of different weight have no other rule
        if one is None or not one.weighted:
            mean = silently(average_precision_score, **arguments)
        return cls(
            precision=precision,
            recall=recall,
            thresholds=thresholds,
            average_precision=mean,
            confidence_interval=band,
            per_query=per_query,
            chance_level=chance,
            name=name,
        ).plot(ax=ax, plot_chance_level=plot_chance_level, **kwargs)

    def _legend_entry(self, name):
        style = MARKED if self.thresholds is None else {}
        return named_value(name, "AP", self.average_precision), style

    def _axis_names(self):
        return "Recall", "Precision"
