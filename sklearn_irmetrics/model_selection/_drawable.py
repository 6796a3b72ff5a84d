"""Results that have a picture."""

from typing import Any

from sklearn_irmetrics._measures.tabular import Tabular


class Drawable(Tabular):
    """A table of estimates or differences, which can be drawn with their intervals."""

    def plot(self, **kwargs: Any) -> Any:
        """Draw what the table shows, with the intervals; needs matplotlib.

        Parameters
        ----------
        **kwargs
            Passed to :meth:`sklearn_irmetrics.plot.EvaluationDisplay.from_results`,
            such as `metric` where there are several.

        Returns
        -------
        sklearn_irmetrics.plot.EvaluationDisplay
        """
        from sklearn_irmetrics.plot import EvaluationDisplay

        return EvaluationDisplay.from_results(self, **kwargs)
