"""Limits of axes, and legends."""

from textwrap import fill

import numpy as np

_REFERENCES = ("Chance", "Ideal", "No difference")
_MANY_RANKS = 100


def heights(ax):
    """Return the least and greatest height of the data, on all axes that share them."""
    limits = [panel.dataLim for panel in panels(ax, "y")]
    return min(box.y0 for box in limits), max(box.y1 for box in limits)


def panels(ax, axis):
    """Return the axes that share the limits of `ax` in one direction, and itself."""
    shared = ax.get_shared_x_axes() if axis == "x" else ax.get_shared_y_axes()
    return shared.get_siblings(ax)


def show_legend(ax, low, high, *, above=False):
    """Set the vertical limits, and show the legend where matplotlib finds room.

    With `above`, make room above the data, which may not leave any.
    """
    if not np.isfinite(high - low) or low == high:  # nothing is defined, or all equal
        low, high = 0.0, 1.0
    entries = list(zip(*ax.get_legend_handles_labels(), strict=True))
    entries.sort(key=lambda entry: entry[0].get_gid() in _REFERENCES)
    folded = [fill(label, 40) for _, label in entries]
    if above and entries:
        n_lines = sum(1 + label.count("\n") for label in folded)
        high = low + (high - low) / (1.0 - min(0.6, 0.05 + 0.055 * n_lines))
    ax.set_ylim(low, high)
    if entries:
        handles = [handle for handle, _ in entries]
        loc = "upper left" if above else "best"
        legend = ax.legend(handles, folded, loc=loc, fontsize="small")
        legend.set_in_layout(False)  # it is inside, and must not narrow the axes


def whole_ranks(ax):
    """Mark whole ranks only; with very many, on a scale that shows the first ones."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

    last = max((panel.dataLim.x1 for panel in panels(ax, "x")), default=1.0)
    if not _MANY_RANKS < last < np.inf:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
        return
    ax.set_xscale("log")
    subs = (1.0,) if last > 1000 * ax.dataLim.x0 else (1.0, 2.0, 5.0)
    ax.xaxis.set_major_locator(LogLocator(subs=subs))
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.xaxis.set_minor_locator(NullLocator())
