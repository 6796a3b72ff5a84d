"""A measure against its cutoff."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sklearn_irmetrics.metrics._measure import as_measures
from sklearn_irmetrics.plot._curves import (
    MARKED,
    PredictionCurveDisplay,
    mean_over_queries,
)
from sklearn_irmetrics.plot._style import call_without_warnings, name_on_axis
from sklearn_irmetrics.reports.cutoffs import metric_at_cutoffs
from sklearn_irmetrics.reports.report import equal_scores

_LAST_CUTOFF = 20
_FEW_CUTOFFS = 25


@dataclass(eq=False, repr=False, kw_only=True)
class CutoffDisplay(PredictionCurveDisplay):
    """A measure at many cutoffs, averaged over queries.

    Use `from_estimator`, `from_cv_results` or `from_predictions` to make one. They take
    the arguments of `metric_at_cutoffs`, with ``metric="ndcg"`` and cutoffs `ks` from 1
    to 20 (or the longest query) by default.

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
    sklearn_irmetrics.reports.metric_at_cutoffs : Returns the numbers.

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
    in_order = "ks"
    function = "metric_at_cutoffs"
    arguments: ClassVar = {
        "metric": "ndcg",
        "ks": None,
        "ties": "average",
        "replace_undefined_by": np.nan,
    }
    of_rates = False

    @classmethod
    def _measure(cls, rankings, *, band, plot_chance_level, metric, ks, **options):
        measures = as_measures("metric", metric)
        ((metric, measure),) = measures.items()
        if measure.average != "macro":
            raise ValueError(
                "metric must be averaged over queries with average='macro' here; got "
                f"{metric!r}."
            )
        batch = rankings.batch(subtopics=measure.metric.subtopics)
        if ks is None:
            ks = range(1, min(_LAST_CUTOFF, batch.max_length) + 1)
        arguments = vars(rankings) | {"metric": measure, "ks": ks, **options}
        per_query = metric_at_cutoffs(**arguments, average=None)
        name = measure.metric.function.__name__
        chance = None
        if plot_chance_level:
            arguments |= {"y_score": equal_scores(rankings.y_score), "ties": "average"}
            chance = call_without_warnings(metric_at_cutoffs, **arguments)
        return {
            "cutoffs": np.array(ks),
            "score": mean_over_queries(name, per_query, batch.weights),
            "metric": metric,
            "confidence_interval": band.around(per_query, batch.weights, measure.range),
            "per_query": per_query,
            "chance_level": chance,
        }

    @property
    def _line_style(self):
        """The options of the line."""
        return MARKED if len(self.cutoffs) <= _FEW_CUTOFFS else {}

    @property
    def _axis_names(self):
        """The labels of the axes."""
        return "Cutoff k", name_on_axis(self.metric, "@k")
