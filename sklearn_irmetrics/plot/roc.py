"""ROC curves: of one ranking, and averaged over queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._checks import check_interval
from sklearn_irmetrics._statistics.intervals import pointwise_intervals
from sklearn_irmetrics._typing import Ids, RankingsOrRun, Systems, Ties
from sklearn_irmetrics.metrics import roc_auc_score, roc_curve
from sklearn_irmetrics.metrics._points import area_under, chance_roc, weighs_documents
from sklearn_irmetrics.metrics._ranking.parameters import check_shares
from sklearn_irmetrics.plot._curves import PredictionCurveDisplay
from sklearn_irmetrics.plot._style import (
    arguments_of_measure,
    batch_of,
    for_each_system,
    named_value,
    silently,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False, repr=False, kw_only=True)
class RocDisplay(PredictionCurveDisplay):
    """ROC curve of one ranking, or averaged over queries.

    Unlike `sklearn.metrics.RocCurveDisplay` it draws the vertical average of one curve
    per query, and the expectation of random rankings, which is not a diagonal where
    queries have few documents that are not relevant. Use `from_estimator` or
    `from_predictions` to make one.

    Parameters
    ----------
    fpr : ndarray of shape (n_points,)
        False positive rates of the corners of the curve.
    tpr : ndarray of shape (n_points,)
        True positive rates, of one ranking or the mean over queries.
    thresholds : ndarray of shape (n_points,), default=None
        The least score that is retrieved, for one ranking.
    roc_auc : float, default=None
        Area under the curve, which is the mean over queries.
    grid : ndarray of shape (n_rates,), default=None
        False positive rates of `confidence_interval` and `per_query`; None: `fpr`.
    confidence_interval : ndarray of shape (2, n_rates), default=None
        Low and high ends of the band.
    per_query : ndarray of shape (n_queries, n_rates), default=None
        True positive rates of each query, NaN where undefined.
    chance_level : ndarray of shape (2, n_corners), default=None
        False and true positive rates that random rankings are expected to have; None:
        the diagonal.
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
        Expectation of random rankings.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    See Also
    --------
    sklearn_irmetrics.roc_curve : Returns the numbers.

    Examples
    --------
    >>> from sklearn_irmetrics.plot import RocDisplay
    >>> display = RocDisplay.from_predictions(
    ...     [0, 1, 1, 0], [4, 3, 2, 1], qid=[1, 1, 2, 2], name="BM25"
    ... )
    >>> display.line_.get_label()
    'BM25 (AUC = 0.500)'
    """

    fpr: Any
    tpr: Any
    thresholds: Any = None
    roc_auc: Any = None
    grid: Any = None
    confidence_interval: Any = None
    per_query: Any = None
    chance_level: Any = None
    name: str | None = None
    points = "fpr", "tpr"
    aspect = "equal"

    @classmethod
    @for_each_system
    def from_predictions(
        cls,
        y_true: RankingsOrRun,
        y_score: Systems = None,
        *,
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
        grid : sequence of float, default=None
            False positive rates of the band and of single queries, between 0 and 1;
            None: 0, 0.01, ..., 1. The mean itself is exact everywhere.
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
        name : str, default=None
            Name in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        RocDisplay
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
            relevance_threshold=relevance_threshold,
            judged_only=judged_only,
            pos_label=pos_label,
            qid=qid,
            labels=labels,
            sample_weight=sample_weight,
            ties=ties,
            replace_undefined_by=replace_undefined_by,
        )
        level = check_interval(confidence_level, interval)
        if grid is not None:
            check_shares("grid", grid)
        fpr, tpr, thresholds = roc_curve(**arguments)
        rates = per_query = band = None
        if thresholds is not None:  # one ranking
            area = float(area_under(fpr, tpr))
        else:
            area = silently(roc_auc_score, **arguments)
            rates, per_query, _ = silently(
                roc_curve, grid=grid, average=None, **arguments
            )
            band = pointwise_intervals(
                per_query,
                batch_of(arguments).weights,
                method=interval,
                bounds=(0.0, 1.0),
                confidence_level=level,
            )
            band[:, rates == 1.0] = 1.0  # of every curve
        chance = None  # where weights differ, about the diagonal
        rows = arguments["y_true"], arguments["y_score"], arguments["qid"]
        if not weighs_documents(*rows, sample_weight):
            chance = silently(chance_roc, **arguments)
        return cls(
            fpr=fpr,
            tpr=tpr,
            thresholds=thresholds,
            roc_auc=area,
            grid=rates,
            confidence_interval=band,
            per_query=per_query,
            chance_level=chance,
            name=name,
        ).plot(ax=ax, **kwargs)

    def _chance_points(self):
        diagonal = np.array([[0.0, 1.0], [0.0, 1.0]])
        return diagonal if self.chance_level is None else self.chance_level

    def _legend_entry(self, name):
        return named_value(name, "AUC", self.roc_auc), {}

    def _axis_names(self):
        return "False positive rate", "True positive rate"
