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
    """Write the labels; with `grow` the figure may become higher for them."""
    texts = [fill(str(label), 30) for label in labels]
    needed = 1.5 + 0.22 * len(texts) * max(1 + text.count("\n") for text in texts)
    figure = ax.figure.figure
    if grow:
        figure.set_figheight(max(figure.get_figheight(), needed))
    is_tight = needed > figure.get_figheight()
    ax.set_yticks(range(len(texts)), texts)
    ax.tick_params("y", labelsize="xx-small" if is_tight else "medium")


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
    """Write the ids under their bars, or how many there are where that is a lot."""
    names = [_shortened(visible(str(one))) for one in ids]
    shared = len(panels(ax, "x")) > 1  # the order of each would be its own
    if not names or len(names) > _MANY_NAMES or shared:
        if len(ids) <= _MANY_NAMES:
            ax.set_xticks([])
        n_queries = "1 query" if len(ids) == 1 else f"{len(ids):,} queries"
        ax.set_xlabel(f"{n_queries}, best first")
        return
    ax.set_xticks(range(len(names)), names, parse_math=False, **_SLANTED)
    ax.set_xlabel("Query")


def _shortened(name):
    """Return a name with its middle left out where it is long."""
    return name if len(name) <= 20 else f"{name[:9]}…{name[-10:]}"
