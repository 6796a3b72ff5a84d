"""How well each class is predicted, with intervals."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from sklearn_irmetrics._typing import Ids
from sklearn_irmetrics.plot._style import Display
from sklearn_irmetrics.plot.evaluation import EvaluationDisplay
from sklearn_irmetrics.reports.classes import (
    HEADINGS,
    MACRO,
    MEASURES,
    WEIGHTED,
    ClassReport,
    class_report,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False, repr=False)
class ClassReportDisplay(Display):
    """Precision, recall and F1 of each class, and their averages, with intervals.

    Use `from_estimator` or `from_predictions` to make one, or ``plot()`` of a
    `ClassReport`.

    Parameters
    ----------
    report : ClassReport
        What is drawn.

    Attributes
    ----------
    displays_ : dict of str to EvaluationDisplay
        The estimates and intervals by measure.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    See Also
    --------
    sklearn_irmetrics.reports.class_report : Returns the numbers.
    sklearn.metrics.ConfusionMatrixDisplay : Draws the counts.

    Examples
    --------
    >>> from sklearn_irmetrics.plot import ClassReportDisplay
    >>> y_true, y_pred = ["a", "b", "a", "b"] * 5, ["a", "b", "b", "b"] * 5
    >>> display = ClassReportDisplay.from_predictions(y_true, y_pred)
    >>> display.displays_["recall"].estimates
    [0.5, 1.0, 0.75, 0.75]
    """

    report: ClassReport

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        groups: Ids | None = None,
        confidence_level: float = 0.95,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot predicted classes.

        Parameters
        ----------
        y_true, y_pred, labels, sample_weight, groups, confidence_level
            As for `class_report`.
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        ClassReportDisplay

        Raises
        ------
        TypeError, ValueError
            If an argument breaks the rules above; the message names it.
        ImportError
            If matplotlib is missing.
        """
        report = class_report(
            y_true,
            y_pred,
            labels=labels,
            sample_weight=sample_weight,
            groups=groups,
            confidence_level=confidence_level,
        )
        return cls(report).plot(ax=ax, **kwargs)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, **kwargs: Any
    ) -> Self:
        """Plot the predictions of a fitted classifier.

        Parameters
        ----------
        estimator : classifier
            Fitted.
        X : array-like of shape (n_rows, n_features)
            Rows.
        y : array-like of shape (n_rows,) or (n_rows, n_labels)
            The class of each row.
        **kwargs
            Passed to `from_predictions`.

        Returns
        -------
        ClassReportDisplay
        """
        if inspect.isclass(estimator) or not hasattr(estimator, "predict"):
            raise TypeError(
                f"estimator must be a fitted classifier; got {estimator!r:.80}."
            )
        return cls.from_predictions(y, estimator.predict(X), **kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        metrics: Sequence[str] = ("precision", "recall", "f1"),
        **kwargs: Any,
    ) -> Self:
        """Draw a row per class and average.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        metrics : sequence of str, default=("precision", "recall", "f1")
            What is drawn, of these and ``"specificity"``.
        **kwargs
            Passed to matplotlib's `plot` for the estimates.

        Returns
        -------
        ClassReportDisplay
            This display.
        """
        metrics = [metrics] if isinstance(metrics, str) else metrics
        is_list = isinstance(metrics, Sequence) and len(metrics) > 0
        if not is_list or not all(metric in MEASURES for metric in metrics):
            raise ValueError(f"metrics must be some of {MEASURES}; got {metrics!r}.")
        report, is_new = self.report, ax is None
        names = [*report.classes, MACRO, WEIGHTED]
        self.displays_ = {}
        for metric in metrics:
            keys = [(metric, name) for name in names]
            display = EvaluationDisplay(
                rows=names,
                estimates=[report.estimate[key] for key in keys],
                intervals=[report.confidence_interval[key] for key in keys],
                metric=HEADINGS.get(metric, metric) if len(metrics) == 1 else None,
                confidence_level=report.confidence_level,
                name=HEADINGS.get(metric, metric) if len(metrics) > 1 else None,
            ).plot(ax=ax, **kwargs)
            self.displays_[metric] = display
            ax = display.ax_
        self.ax_, self.figure_ = display.ax_, display.figure_
        if is_new:
            needed = 1.5 + 0.16 * len(names) * len(metrics)
            self.figure_.set_figheight(max(self.figure_.get_figheight(), needed))
        return self
