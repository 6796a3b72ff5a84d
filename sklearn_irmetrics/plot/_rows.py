"""Labels beside the axes: rows of estimates and ids of queries."""

from textwrap import fill

import numpy as np

from sklearn_irmetrics._tables import visible
from sklearn_irmetrics.plot._legend import panels

_MANY_NAMES = 25
_SLANTED = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}


def lines(ax, kind):
    return [line for line in ax.lines if line.get_gid() == kind]


def known_rows(ax):
    """Return the places of the rows by label, which all axes that share them keep."""
    series = [line for panel in panels(ax, "y") for line in lines(panel, "estimates")]
    return series[0].rows if series else {}


def name_rows(ax, labels, *, grow):
    """Write the labels in lines that leave room for the data, and in as much height.

    With `grow` the figure may become higher for them, else letters become smaller.
    """
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties

    figure, place = ax.figure.figure, ax.get_subplotspec()
    alone = place is None or len(panels(ax, "y")) > 1  # in having labels
    width = figure.get_figwidth() / (1 if alone else place.get_gridspec().ncols)
    size = FontProperties(size=rcParams["ytick.labelsize"]).get_size_in_points() / 72
    characters = int(0.35 * width / (0.6 * size))
    texts = [fill(str(label), max(12, characters)) for label in labels]
    needed = 1.5 * size * len(texts) * max(1 + text.count("\n") for text in texts)
    if grow:
        figure.set_figheight(max(figure.get_figheight(), 1.5 + needed))
    height = ax.bbox.height / figure.dpi - 0.5
    ax.set_yticks(range(len(texts)), texts)
    ax.tick_params("y", labelsize=72 * size * min(1.0, max(0.4, height / needed)))


def with_gaps(x, y):
    """Return points of many segments as one broken line."""
    x, y = np.broadcast_arrays(x, y if np.ndim(y) == 2 else y[:, np.newaxis])
    gap = np.full((len(x), 1), np.nan)
    return np.hstack([x, gap]).ravel(), np.hstack([y, gap]).ravel()


def spread(ax):
    """Move estimates that share a row apart, in the order in which they came."""
    series, drawn = lines(ax, "estimates"), []
    for line in series:
        drawn.append(np.round(line.get_ydata())[~np.isnan(line.get_xdata())])
    for n, (line, ends) in enumerate(zip(series, lines(ax, "intervals"), strict=True)):
        places = np.round(line.get_ydata())
        sharing = [np.isin(places, rows) for rows in drawn]
        n_before, n_all = sum(sharing[:n]), np.maximum(1, sum(sharing))
        places += np.minimum(0.2, 0.8 / n_all) * (n_before - (n_all - 1) / 2)
        line.set_ydata(places)
        ends.set_ydata(with_gaps(np.empty((len(places), 2)), places)[1])


def name_queries(ax, ids):
    """Write the ids under their bars, or how many there are where that does not fit."""
    names = [_shortened(visible(str(one))) for one in ids]
    room = ax.bbox.width / ax.figure.dpi / max(1, len(names))  # inches
    shared = len(panels(ax, "x")) > 1  # the order of each would be its own
    equal = len(set(names)) < len(names)
    if not names or len(names) > _MANY_NAMES or room < 0.17 or shared or equal:
        if len(ids) <= _MANY_NAMES:
            ax.set_xticks([])
        n_queries = "1 query" if len(ids) == 1 else f"{len(ids):,} queries"
        ax.set_xlabel(f"{n_queries}, best first")
        return
    is_level = 0.05 + 0.09 * max(map(len, names)) <= room
    slant = {} if is_level else _SLANTED
    ax.set_xticks(range(len(names)), names, parse_math=False, **slant)
    ax.set_xlabel("Query")


def _shortened(name):
    """Return a name with its middle left out where it is long."""
    return name if len(name) <= 20 else f"{name[:9]}…{name[-10:]}"
