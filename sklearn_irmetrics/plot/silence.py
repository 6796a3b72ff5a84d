"""A measure against silence, as one threshold for all queries moves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from sklearn_irmetrics._arrays.rows import divide_or_zero
from sklearn_irmetrics.metrics._measure import Measure, as_measures
from sklearn_irmetrics.metrics._ranking.blocks import iter_blocks
from sklearn_irmetrics.plot._curves import (
    MARKED,
    PredictionCurveDisplay,
    mean_over_queries,
)
from sklearn_irmetrics.plot._style import call_without_warnings, heights, name_on_axis
from sklearn_irmetrics.reports.thresholds import check_thresholds, threshold_curve

_MOST_THRESHOLDS = 100
_FEW_THRESHOLDS = 25


@dataclass(eq=False, repr=False, kw_only=True)
class SilenceDisplay(PredictionCurveDisplay):
    """What is found against silence, as one threshold for all queries moves.

    From left to right the threshold rises: silence is kept for more of the queries
    without an answer, and less is found for the others. Use `from_estimator`,
    `from_cv_results` or `from_predictions` to make one. They take the arguments of
    `threshold_curve`, with ``metric="recall@5"`` by default. `thresholds` are by
    default at most 100 of the largest scores of all queries, and what is beyond them.

    Parameters
    ----------
    thresholds : ndarray of shape (n_thresholds,)
        Rising.
    silence : ndarray of shape (n_thresholds,)
        Mean silence over the queries without relevant documents.
    score : ndarray of shape (n_thresholds,)
        Mean of the measure over the queries where it is defined.
    metric : str
        Name of the measure.
    confidence_interval : ndarray of shape (2, n_thresholds), default=None
        Low and high ends of the band: intervals of the measure at each threshold.
    per_query : ndarray of shape (n_queries, n_thresholds), default=None
        The measure of each query, NaN where undefined.
    chance_level : ndarray of shape (n_thresholds,), default=None
        The measure of the same rankings where silence falls on queries at random.
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
    sklearn_irmetrics.reports.threshold_curve : Returns the numbers.
    sklearn_irmetrics.metrics.silence_score : Whether nothing is retrieved.

    Examples
    --------
    >>> from sklearn_irmetrics.plot import SilenceDisplay
    >>> display = SilenceDisplay.from_predictions(
    ...     [1, 0, 0, 1, 0, 0],
    ...     [0.9, 0.4, 0.7, 0.6, 0.5, 0.2],
    ...     qid=[1, 1, 2, 2, 3, 3],
    ...     thresholds=[0.0, 0.55, 0.8],
    ... )
    >>> display.silence, display.score
    (array([0., 1., 1.]), array([1. , 1. , 0.5]))
    """

    thresholds: Any
    silence: Any
    score: Any
    metric: str
    confidence_interval: Any = None
    per_query: Any = None
    chance_level: Any = None
    name: str | None = None
    points = "silence", "score"
    in_order = "silence"
    function = "threshold_curve"
    arguments: ClassVar = {
        "metric": "recall@5",
        "thresholds": None,
        "ties": "average",
        "replace_undefined_by": np.nan,
    }

    @classmethod
    def _measure(
        cls,
        rankings,
        *,
        band,
        plot_chance_level,
        metric,
        thresholds,
        ties,
        replace_undefined_by,
    ):
        ((label, measure),) = as_measures("metric", metric).items()
        facts = measure.metric
        if measure.average != "macro" or facts.subtopics:
            raise ValueError(
                "metric must be averaged over queries with average='macro' here, and "
                f"not be of subtopics; got {metric!r}."
            )
        batch = rankings.batch()
        if thresholds is None:
            thresholds = _where_queries_fall_silent(batch)
        between = np.sort(check_thresholds(thresholds, batch))
        levels = np.concatenate([[-np.inf], between, [np.inf]])  # all, ..., nothing
        relevance = {
            name: value
            for name, value in measure.arguments.items()
            if name in ("relevance_threshold", "pos_label")
        }
        scores, silence = (
            call_without_warnings(
                threshold_curve,
                curve_of,
                thresholds=levels,
                average=None,
                **vars(rankings),
                **options,
            ).values
            for curve_of, options in (
                (measure, {"ties": ties, "replace_undefined_by": replace_undefined_by}),
                (Measure("silence", **relevance), {}),
            )
        )
        if np.isnan(silence).all():
            raise ValueError(
                "y_true must have queries without relevant documents, which silence is "
                f"about; got none among {batch.n_queries}."
            )
        mean = partial(call_without_warnings, mean_over_queries, weights=batch.weights)
        score = mean(facts.function.__name__, scores)
        silent = mean("silence_score", silence)
        chance = None
        if plot_chance_level:
            share = divide_or_zero(silent - silent[0], 1.0 - silent[0])
            chance = (score[0] + share * (score[-1] - score[0]))[1:-1]
        per_query = scores[:, 1:-1]
        return {
            "thresholds": between,
            "silence": silent[1:-1],
            "score": score[1:-1],
            "metric": label,
            "confidence_interval": band.around(per_query, batch.weights, measure.range),
            "per_query": per_query,
            "chance_level": chance,
        }

    @property
    def _line_style(self):
        """The options of the line."""
        return MARKED if len(self.thresholds) <= _FEW_THRESHOLDS else {}

    @property
    def _axis_names(self):
        """The labels of the axes."""
        return "Silence where there is no answer", name_on_axis(self.metric)

    def _limits(self):
        self.ax_.set_xlim(-0.02, 1.02)
        low, high = heights(self.ax_)
        return min(-0.02 * high, low), 1.05 * high


def _where_queries_fall_silent(batch):
    """Return the largest scores of queries, thinned out, and what is beyond them."""
    largest = [block.scores.max(axis=1) for block in iter_blocks(batch)]
    levels = np.unique(np.concatenate(largest).astype(np.float64))
    levels = levels[np.isfinite(levels)]
    if len(levels) > _MOST_THRESHOLDS:
        places = np.linspace(0, len(levels) - 1, _MOST_THRESHOLDS).round().astype(int)
        levels = levels[places]
    return np.concatenate([[-np.inf], levels, [np.inf]])
