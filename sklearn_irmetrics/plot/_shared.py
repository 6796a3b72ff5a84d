"""Shared parts of the displays: predictions, averages, colours, reference lines."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklearn_irmetrics._core.aggregate import aggregate_rows, quietly
from sklearn_irmetrics._core.inputs import check_batch
from sklearn_irmetrics._core.namespace import to_host
from sklearn_irmetrics._core.parameters import check_confidence_level, check_flag
from sklearn_irmetrics._measures.aligned import unpack
from sklearn_irmetrics._measures.measure import as_label
from sklearn_irmetrics._measures.metric import RESPONSES
from sklearn_irmetrics._measures.responses import check_responses, responses
from sklearn_irmetrics._statistics.intervals import pointwise_intervals
from sklearn_irmetrics._typing import Ids, ResponseMethod
from sklearn_irmetrics.plot._legend import CORNERS, heights, panels, show_legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, told apart by readers with any kind of colour vision. Their
# yellow, too faint for a line on white, is left out; grey is for reference lines.
COLORS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
)
GREY = "#6B6B6B"
MARKED = {"marker": "o", "markersize": 4}
_MANY_RANKS = 100
_MANY_BARS = 100


class Display:
    """Base class of all displays."""

    def _start(self, ax, *, chance_level_kw=None, **flags):
        """Keep the axes to draw on, new ones where none are given; check options."""
        for name, flag in flags.items():
            check_flag(name, flag)
        if not (chance_level_kw is None or isinstance(chance_level_kw, Mapping)):
            raise TypeError(
                f"chance_level_kw must be a dict or None; got {chance_level_kw!r}."
            )
        plt = import_pyplot(type(self).__name__)
        if ax is None:
            _, ax = plt.subplots(layout="constrained")
        elif not hasattr(ax, "get_figure"):
            raise TypeError(f"ax must be a matplotlib Axes or None; got {ax!r}.")
        self.ax_, self.figure_ = ax, ax.figure
        return ax


class PredictionsDisplay(Display):
    """A display that is made from predictions, and so from an estimator."""

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        qid: Ids | None = None,
        response_method: ResponseMethod = RESPONSES,
        name: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Plot the predictions of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            Fitted. Its scores are those that `get_scorer` sees: decision function,
            probability of the positive class or prediction; for many classes the
            expected grade with `qid`, the scores of the classes without.
        X : array-like of shape (n_documents, n_features)
            Documents.
        y : array-like
            Grades; larger is better.
        qid : array-like of shape (n_documents,), default=None
            Query ids. None: all rows are one ranking, or each ranks its classes.
        response_method : str or tuple of str, default=("decision_function", \
                "predict_proba", "predict")
            The methods that give scores; the first that the estimator has is used.
        name : str, default=None
            Name in the legend; None uses the class of the estimator.
        **kwargs
            Passed to `from_predictions`.

        Returns
        -------
        display
            Drawn.

        Raises
        ------
        TypeError, ValueError
            If an argument breaks the rules above; the message names it.
        ImportError
            If matplotlib is missing.
        """
        given, named = (estimator, X, y, qid), kwargs.get("pos_label")
        y_true, y_score, labels = respond(*given, response_method, pos_label=named)
        if labels is not None:
            kwargs["labels"] = labels
        name = type(estimator).__name__ if name is None else name
        display: Any = cls  # of a subclass, which has from_predictions
        return display.from_predictions(y_true, y_score, qid=qid, name=name, **kwargs)


class CurveDisplay(PredictionsDisplay):
    """A curve with a band, single queries behind it and a chance line.

    Of rates: both axes go from 0 to 1. Of ranks: the horizontal axis does not.
    """

    confidence_interval: Any
    per_query: Any
    chance_level: Any
    name: str | None
    grid: Any = None  # where band and queries are, if not at the points of the curve
    of_rates = True

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
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        name : str, default=None
            Name in the legend; None uses the one stored.
        per_query : bool, default=False
            Whether to draw the curves of single queries.
        band : bool, default=True
            Whether to shade the interval.
        plot_chance_level : bool, default=True
            Whether to draw the dashed chance line, if the display has one. Several
            displays with the same line draw it once on the same axes.
        chance_level_kw : dict, default=None
            Passed to matplotlib's `plot` for the chance line.
        **kwargs
            Passed to matplotlib's `plot` for the curve.

        Returns
        -------
        display
            This display.
        """
        ax = self._start(
            ax,
            band=band,
            per_query=per_query,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
        )
        x, y = self._points()
        label, style = self._legend_entry(self.name if name is None else name)
        if np.isnan(y).all() and "undefined" not in (label or ""):
            label = "undefined" if label is None else f"{label} (undefined)"
        color = next_color(ax)
        linestyle = "-." if color in line_colors(ax) else "-"
        defaults = {"color": color, "linestyle": linestyle, "label": label, **style}
        self.line_: Any
        (self.line_,) = ax.plot(x, y, **with_defaults(defaults, kwargs))
        ax.update_datalim(np.column_stack([x, x]), updatey=False)  # where y is NaN
        self._draw_queries(x if self.grid is None else self.grid, band, per_query)
        self._draw_references(plot_chance_level, chance_level_kw)
        xlabel, ylabel = self._axis_names()
        ax.set(xlabel=xlabel, ylabel=ylabel)
        if self.of_rates:
            low, high = -0.02, 1.02
            ax.set_xlim(low, high)
        else:
            whole_ranks(ax)
            low, high = heights(ax)
            low, high = min(0.0, low), 1.05 * high
        show_legend(ax, low, high, CORNERS)
        return self

    def _draw_queries(self, at, band, per_query):
        """Draw the band, and single queries behind it."""
        color = self.line_.get_color()
        self.queries_ = self.band_ = None
        if per_query and self.per_query is not None:
            self.queries_ = draw_queries(self.ax_, at, self.per_query, color)
        interval = self.confidence_interval
        if band and interval is not None and not np.isnan(interval).all():
            self.band_ = self.ax_.fill_between(
                at, *interval, color=color, alpha=0.2, lw=0
            )

    def _draw_references(self, plot_chance_level, chance_level_kw):
        """Draw the chance line."""
        x, y = self._chance_points()
        self.chance_level_ = None
        if plot_chance_level and y is not None and not np.isnan(y).all():
            self.chance_level_ = draw_reference(
                self.ax_, "Chance", x, y, chance_level_kw
            )

    def _chance_points(self):
        return self._points()[0], self.chance_level

    def _points(self):
        """Return the points of the curve."""
        raise NotImplementedError

    def _legend_entry(self, name):
        """Return the label of the curve and options of its line."""
        return name, {}

    def _axis_names(self):
        """Return what is beside the axes."""
        raise NotImplementedError


def on_host(y_true, y_score, qid, labels, sample_weight):
    """Return grades, scores and what else measures share, without runs and tensors."""
    y_true, y_score, qid, _ = unpack(y_true, y_score, qid)
    y_true, y_score, qid, sample_weight = to_host(y_true, y_score, qid, sample_weight)
    shared: dict[str, Any] = {
        "qid": qid,
        "labels": labels,
        "sample_weight": sample_weight,
    }
    return y_true, y_score, shared


def respond(estimator, X, y, qid, methods, *, parameter="estimator", pos_label=None):
    """Return targets and scores of an estimator, as a scorer sees them.

    `parameter` is what messages call the estimator.

    Returns
    -------
    y_true, y_score : array-like
    labels : ndarray or None
        Classes of the columns of `y_score`, where rows rank their classes.
    """
    methods = check_responses(methods)
    if inspect.isclass(estimator) or not any(hasattr(estimator, m) for m in methods):
        raise TypeError(
            f"{parameter} must be a fitted estimator with {' or '.join(methods)}; got "
            f"{estimator!r}."
        )
    how = {"in_queries": qid is not None, "pos_label": pos_label}
    return responses(estimator, X, y, methods, **how)


def query_weights(y_true, y_score, shared, *, subtopics=False):
    """Return one weight per query, or None where none are given."""
    if shared["sample_weight"] is None:
        return None
    return check_batch(y_true, y_score, subtopics=subtopics, **shared).weights


def average_queries(name, values, weights, confidence_level, bounds=None):
    """Return mean and band over queries; warn of those that are undefined.

    Parameters
    ----------
    name : str
        The measure, for the warning.
    values : ndarray of shape (n_queries, n_points)
        NaN where undefined.
    weights : ndarray of shape (n_queries,) or None
        One weight per query.
    confidence_level : float
        Between 0 and 1.
    bounds : tuple of float, default=None
        Range of the measure.

    Returns
    -------
    mean : ndarray of shape (n_points,)
    interval : ndarray of shape (2, n_points)
        See `pointwise_intervals`.
    """
    level = check_confidence_level(confidence_level)
    mean = aggregate_rows(values.T, weights, name=name)
    return mean, pointwise_intervals(
        values, weights, bounds=bounds, confidence_level=level
    )


def measure_of(result, metric):
    """Return the measure of a result that was asked for, or the only one."""
    metric, measures = as_label(metric), list(result.estimate)
    if metric is None and len(measures) == 1:
        (metric,) = measures
    if not isinstance(metric, str) or metric not in measures:
        raise ValueError(f"metric must be one of {measures}; got {metric!r}.")
    return metric


def silently(function, *args, **kwargs):
    """Call a measure whose queries another call has warned of."""
    with quietly():
        return function(*args, **kwargs)


def import_pyplot(what):
    """Import matplotlib.pyplot, or say that it is needed."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f"{what}.plot() needs matplotlib: pip install matplotlib."
        ) from error
    return plt


def with_defaults(defaults, options, artist=None):
    """Return options of an artist, those given by short names (``c``) among them."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return {**defaults, **normalize_kwargs(options or {}, artist or Line2D)}


def line_colors(ax):
    """Return the colours of the lines on the axes, written as ours are."""
    from matplotlib.colors import to_hex

    return [to_hex(line.get_color()).upper() for line in ax.lines]


def next_color(ax):
    """Return the first colour that nothing on the axes has."""
    from matplotlib.colors import to_hex

    used = [to_hex(ax.get_facecolor()).upper()]  # black on a dark page
    used += line_colors(ax)
    used += [to_hex(patch.get_facecolor()).upper() for patch in ax.patches]
    free = [color for color in COLORS if color not in used]
    return free[0] if free else COLORS[len(ax.lines) % len(COLORS)]


def draw_queries(ax, x, values, color):
    """Draw one faint line per query, as a single artist."""
    from matplotlib.collections import LineCollection

    values = values[~np.isnan(values).all(axis=1)]
    segments = np.empty((*values.shape, 2))
    segments[:, :, 0], segments[:, :, 1] = x, values
    alpha = max(0.05, min(0.35, 5.0 / max(1, len(values))))
    lines = LineCollection(segments, colors=color, alpha=alpha, linewidths=0.8)
    lines.set_gid("queries")
    return ax.add_collection(lines)


def draw_bars(ax, heights, color, options):
    """Draw bars as a single artist, which thousands of queries need."""
    from matplotlib.collections import PolyCollection

    reach = 0.4 if len(heights) <= _MANY_BARS else 0.5
    edges = np.arange(len(heights))[:, np.newaxis] + [-reach, reach]
    steps = np.column_stack([heights, np.zeros(len(heights))])
    defaults = {"facecolor": color, "edgecolor": "none", "linewidth": 0}
    options = with_defaults(defaults, options, PolyCollection)
    return ax.fill_between(edges.ravel(), steps.ravel(), step="post", **options)


def draw_reference(ax, label, x, y, options=None, *, linestyle="--"):
    """Draw a grey line, once for all displays on the axes that have the same."""
    same_kind = [line for line in ax.lines if line.get_gid() == label]
    points = np.column_stack(np.broadcast_arrays(x, y)).astype(np.float64)
    for line in same_kind:
        there = np.asarray(line.get_xydata())
        if there.shape == points.shape and np.allclose(there, points, equal_nan=True):
            return line
    defaults = {
        "color": GREY,
        "linestyle": linestyle,
        "linewidth": 1.2,
        "zorder": 1.5,
        "label": "_" + label if same_kind else label,
    }
    (line,) = ax.plot(*points.T, **with_defaults(defaults, options))
    line.set_gid(label)
    return line


def named_value(name, what, value):
    """Return a legend entry such as ``"Ridge (AUC = 0.812)"``."""
    if value is None:
        return name
    text = f"{what} undefined" if np.isnan(value) else f"{what} = {value:.3f}"
    return text if name is None else f"{name} ({text})"


def whole_ranks(ax):
    """Mark whole ranks only; with very many, on a scale that shows the first ones."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, NullLocator

    last = max((panel.dataLim.x1 for panel in panels(ax, "x")), default=1.0)
    if not _MANY_RANKS < last < np.inf:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
        return
    ax.set_xscale("log")
    subs = (1.0,) if last > 1000 * ax.dataLim.x0 else (1.0, 2.0, 5.0)
    ax.xaxis.set_major_locator(LogLocator(subs=subs))
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_minor_formatter(NullFormatter())
