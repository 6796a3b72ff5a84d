"""Learning curves: scores against the number of training queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from sklearn_irmetrics._results.tables import PLURAL, name_measure
from sklearn_irmetrics.model_selection import QueryLearningCurve
from sklearn_irmetrics.plot._curves import CurveDisplay
from sklearn_irmetrics.plot._style import choose_metric, heights, whole_ranks

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False, repr=False, kw_only=True)
class QueryLearningCurveDisplay(CurveDisplay):
    """Scores against the number of training queries, with their intervals.

    Use `from_result`, or ``query_learning_curve(...).plot()``, to make one. Several on
    the same axes compare estimators.

    Parameters
    ----------
    train_sizes : array-like of shape (n_sizes,)
        Numbers of training queries.
    estimates : array-like of shape (n_sizes,)
        The score after training on so many.
    intervals : array-like of shape (n_sizes, 2)
        Low and high ends, NaN where there is none.
    metric : str
        What was estimated.
    train_scores : array-like of shape (n_sizes,), default=None
        Mean scores on the training data.
    unit : {"query", "group", "row"}, default="query"
        What `train_sizes` counts.
    name : str, default=None
        Name in the legend.
    greater_is_better : bool, default=True
        Whether larger scores are better.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The estimates.
    band_ : matplotlib PolyCollection or None
        The intervals.
    train_line_ : matplotlib Line2D or None
        The dashed scores on the training data.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    See Also
    --------
    sklearn_irmetrics.model_selection.query_learning_curve : Returns the numbers.

    Examples
    --------
    >>> from sklearn_irmetrics.plot import QueryLearningCurveDisplay
    >>> display = QueryLearningCurveDisplay(
    ...     train_sizes=[10, 20], estimates=[0.5, 0.6],
    ...     intervals=[(0.4, 0.6), (0.5, 0.7)], metric="map",
    ... ).plot()
    >>> display.ax_.get_xlabel()
    'Training queries'
    """

    train_sizes: Any
    estimates: Any
    intervals: Any
    metric: str
    train_scores: Any = None
    unit: str = "query"
    name: str | None = None
    greater_is_better: bool = True
    points = "train_sizes", "estimates"
    in_order = "train_sizes"
    of_rates = False
    _line_style: ClassVar = {"marker": "o"}

    @classmethod
    def from_result(
        cls,
        result: Any,
        *,
        metric: str | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot the result of `query_learning_curve`.

        Parameters
        ----------
        result : QueryLearningCurve
            The scores with every size.
        metric : str, default=None
            Which measure; required if the result has several.
        name : str, default=None
            Name in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        QueryLearningCurveDisplay

        Raises
        ------
        TypeError, ValueError
            If an argument breaks the rules above; the message names it.
        ImportError
            If matplotlib is missing.
        """
        if not isinstance(result, QueryLearningCurve):
            raise TypeError(
                "result must be what query_learning_curve returns; got "
                f"{type(result).__name__}."
            )
        metric = choose_metric(result.estimate, metric)
        train_scores = None
        if result.train_scores is not None:
            train_scores = result.train_scores[metric].mean(axis=1)
        return cls(
            train_sizes=result.train_sizes,
            estimates=result.estimate[metric],
            intervals=result.confidence_interval[metric],
            metric=metric,
            train_scores=train_scores,
            unit=result.unit,
            name=name,
            greater_is_better=result.results[0].greater_is_better[metric],
        ).plot(ax=ax, **kwargs)

    def _ends(self):
        return np.asarray(self.intervals, dtype=np.float64).T

    def _draw_references(self, *_):
        self.train_line_ = None
        if self.train_scores is not None:
            label = self.line_.get_label()
            is_named = not label.startswith("_")
            (self.train_line_,) = self.ax_.plot(
                self.train_sizes,
                self.train_scores,
                color=self.line_.get_color(),
                linestyle="--",
                label=f"{label}, training data" if is_named else "Training data",
            )

    @property
    def _axis_names(self):
        """The labels of the axes."""
        name = name_measure(self.metric, self.greater_is_better)
        return f"Training {PLURAL[self.unit]}", name

    def _limits(self):
        whole_ranks(self.ax_)
        low, high = heights(self.ax_)
        margin = 0.05 * (high - low) or 0.05
        return low - margin, high + margin
