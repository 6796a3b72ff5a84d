"""What the package says of each measure: the only place where tests read its table."""

from sklearn_irmetrics.metrics._names import DEFAULT_METRICS
from sklearn_irmetrics.metrics._ranking.marks import MARKS
from sklearn_irmetrics.metrics._registry import ALIASES, METRICS, SHARED_PARAMETERS

__all__ = ["ALIASES", "DEFAULT_METRICS", "MARKS", "METRICS", "SHARED_PARAMETERS"]
