"""ROC curves: of one ranking, and averaged over queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sklearn_irmetrics.metrics import roc_auc_score, roc_curve
from sklearn_irmetrics.metrics._points import area_under, chance_roc, weighs_documents
from sklearn_irmetrics.metrics._ranking.parameters import check_shares
from sklearn_irmetrics.plot._curves import PredictionCurveDisplay
from sklearn_irmetrics.plot._style import call_without_warnings, named_value


@dataclass(eq=False, repr=False, kw_only=True)
class RocDisplay(PredictionCurveDisplay):
    """ROC curve of one ranking, or averaged over queries.

    Unlike `sklearn.metrics.RocCurveDisplay` it draws the vertical average of one curve
    per query, and the expectation of random rankings, which is not a diagonal where
    queries have few documents that are not relevant. Use `from_estimator`,
    `from_cv_results` or `from_predictions` to make one. They take the arguments of
    `roc_curve`; for a mean over queries, `grid` (None: 0, 0.01, ..., 1) holds the false
    positive rates of the band and of single queries, and the mean is exact everywhere.

    Parameters
    ----------
    fpr : ndarray of shape (n_points,)
        False positive rates of the corners of the curve.
    tpr : ndarray of shape (n_points,)
        True positive rates, of one ranking or the mean over queries.
    thresholds : ndarray of shape (n_points,), default=None
        The lowest retrieved score at each point, for one ranking.
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
    in_order = "grid"
    _axis_names = "False positive rate", "True positive rate"
    function = "roc_curve"
    _area = "roc_auc"
    arguments: ClassVar = {
        "grid": None,
        "drop_intermediate": True,
        "relevance_threshold": None,
        "judged_only": False,
        "pos_label": None,
        "ties": "average",
        "replace_undefined_by": np.nan,
    }
    aspect = "equal"

    @classmethod
    def _measure(
        cls, rankings, *, band, plot_chance_level, grid, drop_intermediate, **options
    ):
        if grid is not None:
            check_shares("grid", grid)
        arguments = vars(rankings) | options
        fpr, tpr, thresholds = roc_curve(
            drop_intermediate=drop_intermediate, **arguments
        )
        rates = per_query = ends = None
        if thresholds is not None:  # one ranking
            area = float(area_under(fpr, tpr))
        else:
            area = call_without_warnings(roc_auc_score, **arguments)
            rates, per_query, _ = call_without_warnings(
                roc_curve, grid=grid, average=None, **arguments
            )
            ends = band.around(per_query, rankings.batch().weights, (0.0, 1.0))
            ends[:, rates == 1.0] = 1.0  # of every curve
        chance = None  # where weights differ, about the diagonal
        rows = rankings.y_true, rankings.y_score, rankings.qid
        if not weighs_documents(*rows, rankings.sample_weight):
            chance = call_without_warnings(chance_roc, **arguments)
        return {
            "fpr": fpr,
            "tpr": tpr,
            "thresholds": thresholds,
            "roc_auc": area,
            "grid": rates,
            "confidence_interval": ends,
            "per_query": per_query,
            "chance_level": chance,
        }

    @property
    def _chance_points(self):
        """The points of the chance line: the diagonal of one ranking."""
        diagonal = np.array([[0.0, 1.0], [0.0, 1.0]])
        return diagonal if self.chance_level is None else self.chance_level

    @property
    def _summary(self):
        """The area for legends."""
        return named_value("AUC", self.roc_auc)
