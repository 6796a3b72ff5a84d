"""Limits of axes, and legends that cover nothing."""

from textwrap import fill

import numpy as np

CORNERS = ("lower right", "upper right", "lower left", "upper left")
_REFERENCES = ("Chance", "Ideal", "No difference")
_FEW_CHARACTERS = 8
_MANY_RANKS = 100
_MANY_AXES = 8  # whose layout takes long, and is made when they are drawn


def heights(ax):
    """Return the least and greatest height of the data, on all axes that share it."""
    limits = [panel.dataLim for panel in panels(ax, "y")]
    return min(box.y0 for box in limits), max(box.y1 for box in limits)


def panels(ax, axis):
    """Return the axes that share the limits of `ax` in one direction, and itself."""
    shared = ax.get_shared_x_axes() if axis == "x" else ax.get_shared_y_axes()
    return shared.get_siblings(ax)


def show_legend(ax, low, high, corners=()):
    """Show the legend where it covers nothing.

    That is the first of the `corners` that is free, or else room above the data, which
    reach from `low` up to `high`. Axes that share their limits all have this room.
    """
    if not np.isfinite(high - low) or low == high:  # nothing is defined, or all equal
        low, high = 0.0, 1.0
    ax.set_ylim(low, high)
    _limit_ticks(ax, high)
    _lay_out(ax)
    sharing = panels(ax, "y")
    if len(sharing) == 1:
        for corner in corners:
            legend = _fit_legend(ax, corner)
            if legend is None or _covers_nothing(ax, legend.get_window_extent()):
                return
    if ax.get_aspect() != "auto":
        ax.set_aspect("auto")
        _lay_out(ax)
    share = 0.0
    for panel in sharing:
        if panel is ax or panel.get_legend() is not None:
            legend = _fit_legend(panel, "upper left")
            if legend is not None:
                share = max(share, _height(legend, panel) + 0.05)
    ax.set_ylim(low, low + (high - low) / (1.0 - min(share, 0.7)))


def _limit_ticks(ax, high):
    """Let ticks end with the data, not with the room above them."""
    from sklearn_irmetrics.plot._ticks import AutoLocator, TicksUpTo

    if isinstance(ax.yaxis.get_major_locator(), AutoLocator):
        ax.yaxis.set_major_locator(TicksUpTo(high))


def _lay_out(ax):
    """Give axes the size that they will have when they are drawn."""
    from matplotlib.ticker import AutoLocator

    figure = ax.figure.figure
    for label, side in ((ax.xaxis.label, "width"), (ax.yaxis.label, "height")):
        share = getattr(label.get_window_extent(), side) / getattr(ax.bbox, side)
        if share > 1.0:
            text = label.get_text().replace(" %", "\N{NO-BREAK SPACE}%")
            label.set_text(fill(text, max(1, int(len(text) / share))))
    engine = figure.get_layout_engine()
    if engine is not None and len(figure.axes) <= _MANY_AXES:
        engine.execute(figure)
    ax.apply_aspect()
    inches = ax.bbox.width / figure.dpi
    if inches < 3.0 and type(ax.xaxis.get_major_locator()) is AutoLocator:
        ax.xaxis.get_major_locator().set_params(nbins=max(2, int(inches / 0.8)))


def _height(legend, ax):
    return legend.get_window_extent().height / ax.bbox.height


def _fit_legend(ax, loc):
    """Show the legend in letters and lines that fit; return it, None if it is empty."""
    entries = list(zip(*ax.get_legend_handles_labels(), strict=True))
    if not entries:
        return None
    entries.sort(key=lambda entry: entry[0].get_gid() in _REFERENCES)
    handles, labels = zip(*entries, strict=True)
    length = max(map(len, labels))
    forms = [(2, 1), *((1, n_lines) for n_lines in range(1, 8))]
    for size in ("small", "x-small", "xx-small"):
        for n_columns, n_lines in forms[loc != "upper left" :]:
            width = max(_FEW_CHARACTERS, -(-length // n_lines))
            folded = [fill(label, width) for label in labels]
            legend = ax.legend(handles, folded, loc=loc, ncols=n_columns, fontsize=size)
            legend.set_in_layout(False)  # it stays inside, and must not narrow the axes
            if legend.get_window_extent().width <= 0.95 * ax.bbox.width:
                break
        if _height(legend, ax) <= 0.5:
            break
    return legend


def _covers_nothing(ax, box):
    """Whether no line, bar or band of the axes reaches into a box of the figure."""
    drawn = [(line, line.get_path(), False) for line in ax.lines]
    drawn += [(patch, patch.get_path(), True) for patch in ax.patches]
    drawn += [
        (band, path, True)
        for band in ax.collections
        if band.get_gid() != "queries"
        for path in band.get_paths()
    ]
    box = box.padded(3.0)
    return not any(
        artist.get_transform().transform_path(path).intersects_bbox(box, filled=filled)
        for artist, path, filled in drawn
        if len(path)
    )


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
