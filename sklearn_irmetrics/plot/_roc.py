"""ROC curves: of one ranking, and averaged over queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklearn_irmetrics._core.namespace import to_host
from sklearn_irmetrics._core.parameters import check_confidence_level, check_parameters
from sklearn_irmetrics._measures.aligned import unpack
from sklearn_irmetrics._typing import ArrayLike, Ids, Rankings, RankingsOrRun, Ties
from sklearn_irmetrics.metrics import roc_auc_score, roc_curve
from sklearn_irmetrics.metrics._points import chance_roc, one_ranking
from sklearn_irmetrics.metrics._weighted import weighs_documents
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


class RocDisplay(CurveDisplay):
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

    def __init__(
        self,
        *,
        fpr: Any,
        tpr: Any,
        thresholds: Any = None,
        roc_auc: Any = None,
        grid: Any = None,
        confidence_interval: Any = None,
        per_query: Any = None,
        chance_level: Any = None,
        name: str | None = None,
    ) -> None:
        self.fpr = fpr
        self.tpr = tpr
        self.thresholds = thresholds
        self.roc_auc = roc_auc
        self.grid = grid
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
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot predictions.

        Parameters
        ----------
        [[data]]
        grid : sequence of float, default=None
            False positive rates of the band and of single queries, between 0 and 1;
            None: 0, 0.01, ..., 1. The mean itself is exact everywhere.
        [[relevance]]
        [[queries]]
        [[confidence_level]]
        [[to plot]]

        Returns
        -------
        RocDisplay

        Raises
        ------
        [[raises]]
        """
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
        arguments = {"y_true": y_true, "y_score": y_score, **options}
        check_confidence_level(confidence_level)
        if grid is not None:
            check_parameters({"grid": grid}, None)
        if one_ranking(arguments) is not None:
            fpr, tpr, thresholds = roc_curve(y_true, y_score, **options)
            area = float(np.sum(np.diff(fpr) * (tpr[1:] + tpr[:-1])) / 2.0)
            chance = None  # with weights that differ, about the diagonal
            if not weighs_documents(arguments):
                chance = silently(chance_roc, arguments)
            display = cls(
                fpr=fpr,
                tpr=tpr,
                thresholds=thresholds,
                roc_auc=area,
                chance_level=chance,
                name=name,
            )
            return display.plot(ax=ax, **kwargs)
        rates, per_query, _ = silently(
            roc_curve, y_true, y_score, grid=grid, average=None, **options
        )
        _, interval = average_queries(
            "roc_curve",
            per_query,
            query_weights(y_true, y_score, shared),
            confidence_level,
            (0.0, 1.0),
        )
        interval[:, rates == 1.0] = 1.0  # of every curve
        fpr, tpr, _ = silently(roc_curve, y_true, y_score, **options)
        display = cls(
            fpr=fpr,
            tpr=tpr,
            roc_auc=silently(roc_auc_score, y_true, y_score, **options),
            grid=rates,
            confidence_interval=interval,
            per_query=per_query,
            chance_level=silently(chance_roc, arguments),
            name=name,
        )
        return display.plot(ax=ax, **kwargs)

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
        RocDisplay
            This display.
        """
        ax = self._start(
            ax,
            band=band,
            per_query=per_query,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
        )
        label = named_value(self.name if name is None else name, "AUC", self.roc_auc)
        self._draw_curve(
            self.fpr,
            self.tpr,
            label,
            band=band,
            per_query=self.per_query if per_query else None,
            options=kwargs,
            at=self.grid,
        )
        diagonal = np.array([[0.0, 1.0], [0.0, 1.0]])
        x, y = diagonal if self.chance_level is None else self.chance_level
        self._draw_chance(x, y, plot_chance_level, chance_level_kw)
        ax.set(
            xlabel="False positive rate",
            ylabel="True positive rate",
            xlim=(-0.02, 1.02),
            aspect="equal",
        )
        show_legend(ax, -0.02, 1.02, CORNERS)
        return self
