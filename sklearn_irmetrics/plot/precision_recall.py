"""Interpolated precision against recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from sklearn_irmetrics.metrics import (
    average_precision_score,
    interpolated_precision_recall_curve,
    precision_recall_curve,
)
from sklearn_irmetrics.metrics._points import one_ranking
from sklearn_irmetrics.metrics.curves import ELEVEN_POINTS
from sklearn_irmetrics.plot._curves import (
    MARKED,
    PredictionCurveDisplay,
    mean_over_queries,
)
from sklearn_irmetrics.plot._style import call_without_warnings, named_value

# Enough random rankings, over all queries, to know a mean to about 0.01.
_N_RANDOM = 1000


def mean_of_random(curve, y_score, n_queries, random_state):
    """Return the mean over random rankings of what `curve` makes of scores."""
    rng = check_random_state(random_state)
    shape = np.shape(y_score)
    return np.mean(
        [
            call_without_warnings(curve, rng.random_sample(shape))
            for _ in range(-(-_N_RANDOM // n_queries))
        ],
        axis=0,
    )


@dataclass(eq=False, repr=False, kw_only=True)
class InterpolatedPrecisionRecallDisplay(PredictionCurveDisplay):
    """Interpolated precision at recall levels, averaged over queries.

    Use `from_estimator`, `from_cv_results` or `from_predictions` to make one. They take
    the arguments of `interpolated_precision_recall_curve`, and `random_state` (default
    0), the seed of the random rankings of the chance line: at least 1000 in all, and
    one per query. Rows in another order draw others, so the line moves by its Monte
    Carlo error.

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
    sklearn_irmetrics.metrics.interpolated_precision_recall_curve : Returns the numbers.

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
    in_order = "recall_levels"
    _axis_names = "Recall", "Interpolated precision"
    _line_style = MARKED
    function = "interpolated_precision_recall_curve"
    arguments: ClassVar = {
        "recall_levels": ELEVEN_POINTS,
        "recall_rounding": "ceil",
        "relevance_threshold": None,
        "judged_only": False,
        "pos_label": None,
        "ties": "average",
        "replace_undefined_by": np.nan,
        "random_state": 0,
    }

    @classmethod
    def _measure(cls, rankings, *, band, plot_chance_level, random_state, **options):
        arguments = vars(rankings) | options
        per_query, recall = interpolated_precision_recall_curve(
            **arguments, average=None
        )
        weights = rankings.batch().weights
        chance = None
        if plot_chance_level:
            arguments |= {"ties": "average"}
            chance = mean_of_random(
                lambda scores: interpolated_precision_recall_curve(
                    **arguments | {"y_score": scores}
                )[0],
                rankings.y_score,
                len(per_query),
                random_state,
            )
        return {
            "recall": recall,
            "precision": mean_over_queries(
                "interpolated precision", per_query, weights
            ),
            "confidence_interval": band.around(per_query, weights, (0.0, 1.0)),
            "per_query": per_query,
            "chance_level": chance,
        }

    @property
    def _summary(self):
        """The mean of the curve for legends."""
        eleven = np.array_equal(self.recall, ELEVEN_POINTS)
        return named_value("11-pt mean" if eleven else "mean", np.mean(self.precision))


@dataclass(eq=False, repr=False, kw_only=True)
class PrecisionRecallDisplay(PredictionCurveDisplay):
    """Precision against recall: of one ranking as it is, or at recall levels.

    Of one ranking it draws every threshold, with the teeth of the curve. With
    `interpolation`, and for queries, it draws the mean at recall levels. Use
    `from_estimator`, `from_cv_results` or `from_predictions` to make one. They take the
    arguments of `precision_recall_curve`, and `random_state` (default 0), the seed of
    the random rankings: at recall levels the chance line is the mean of at least 1000
    in all, and one per query. Rows in another order draw others, so the line moves by
    its Monte Carlo error.

    Parameters
    ----------
    precision : ndarray of shape (n_points,)
        Precision, of one ranking or the mean over queries.
    recall : ndarray of shape (n_points,)
        Recall.
    thresholds : ndarray of shape (n_points - 1,), default=None
        The lowest retrieved score at each point, for one ranking.
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
    in_order = "grid"
    _axis_names = "Recall", "Precision"
    function = "precision_recall_curve"
    _area = "ap"
    arguments: ClassVar = {
        "interpolation": None,
        "grid": None,
        "drop_intermediate": False,
        "relevance_threshold": None,
        "judged_only": False,
        "pos_label": None,
        "ties": "average",
        "replace_undefined_by": np.nan,
        "random_state": 0,
    }

    @classmethod
    def _measure(
        cls,
        rankings,
        *,
        band,
        plot_chance_level,
        interpolation,
        grid,
        drop_intermediate,
        random_state,
        replace_undefined_by,
        **options,
    ):
        ranking = one_ranking(**vars(rankings), **options)
        arguments = vars(rankings) | options
        arguments["replace_undefined_by"] = replace_undefined_by
        levels = {"interpolation": interpolation, "grid": grid}
        precision, recall, thresholds = precision_recall_curve(
            drop_intermediate=drop_intermediate, **arguments, **levels
        )
        ends = per_query = chance = mean = None
        if ranking is None:
            per_query = call_without_warnings(
                precision_recall_curve, average=None, **arguments, **levels
            ).precision
            ends = band.around(per_query, rankings.batch().weights, (0.0, 1.0))
        if thresholds is not None:
            n_documents = ranking.n_relevant + ranking.n_others
            if n_documents > 0.0:
                chance = np.full(len(recall), ranking.n_relevant / n_documents)
        elif plot_chance_level:
            chance = mean_of_random(
                lambda scores: (
                    precision_recall_curve(
                        **arguments | {"y_score": scores}, **levels
                    ).precision
                ),
                rankings.y_score,
                1 if per_query is None else len(per_query),
                random_state,
            )
        # Tied documents of different weight have no other rule.
        if ranking is None or not ranking.weighted:
            mean = call_without_warnings(average_precision_score, **arguments)
        return {
            "precision": precision,
            "recall": recall,
            "thresholds": thresholds,
            "average_precision": mean,
            "confidence_interval": ends,
            "per_query": per_query,
            "chance_level": chance,
        }

    @property
    def _line_style(self):
        """The options of the line."""
        return MARKED if self.thresholds is None else {}

    @property
    def _summary(self):
        """The average precision for legends."""
        return named_value("AP", self.average_precision)
