"""Bars of queries, and their heights."""

import numpy as np

from sklearn_irmetrics._measures.measure import as_measures
from sklearn_irmetrics.plot._shared import with_defaults

_MANY_BARS = 100


def draw_bars(ax, bars, which, name, color, options):
    """Draw some bars as a single artist, which thousands of queries need."""
    from matplotlib.collections import PolyCollection

    reach = 0.4 if len(bars) <= _MANY_BARS else 0.5
    edges = np.arange(len(bars))[:, np.newaxis] + [-reach, reach]
    steps = np.column_stack([np.where(which, bars, 0.0), np.zeros(len(bars))])
    defaults = {"facecolor": color, "edgecolor": "none", "linewidth": 0}
    defaults["label"] = f"{name} better: {np.count_nonzero(which)}"
    options = with_defaults(defaults, options, PolyCollection)
    return ax.fill_between(edges.ravel(), steps.ravel(), step="post", **options)


def width_of_range(metric):
    """Return the width of the range of a measure, 0 if it is unknown."""
    try:
        (measure,) = as_measures("metric", metric).values()
    except (TypeError, ValueError):  # a label
        return 0.0
    low, high = measure.metric.range
    return high - low if np.isfinite(high - low) else 0.0
