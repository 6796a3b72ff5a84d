"""What displays share: colours, bands, legends and rows."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import wraps
from textwrap import fill
from typing import Any

import numpy as np

from sklearn_irmetrics._arrays.labels import check_row_order
from sklearn_irmetrics._checks import check_flag
from sklearn_irmetrics._results.tables import name_measure
from sklearn_irmetrics._typing import Ids, ResponseMethod
from sklearn_irmetrics._warnings import suppress_warnings
from sklearn_irmetrics.metrics._measure import as_label, as_measures
from sklearn_irmetrics.metrics._registry import METRICS, RESPONSES
from sklearn_irmetrics.reports.report import by_system
from sklearn_irmetrics.scorers._responses import (
    check_responses,
    indicators,
    predict_scores,
    warn_of_ranked_classes,
)

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


def lines(ax, kind):
    return [line for line in ax.lines if line.get_gid() == kind]


def known_rows(ax):
    """Return the places of the rows by label, which all axes that share them keep."""
    series = [line for panel in panels(ax, "y") for line in lines(panel, "estimates")]
    return series[0].rows if series else {}


def name_rows(ax, labels, *, grow):
    """Write the labels; with `grow` the figure may become higher for them."""
    texts = [
        "\n".join(fill(line, 30) for line in str(label).splitlines())
        for label in labels
    ]
    needed = 1.5 + 0.22 * len(texts) * max(1 + text.count("\n") for text in texts)
    figure = ax.figure.figure
    if grow:
        figure.set_figheight(max(figure.get_figheight(), needed))
    is_tight = needed > figure.get_figheight()
    ax.set_yticks(range(len(texts)), texts)
    ax.tick_params("y", labelsize="xx-small" if is_tight else "medium")


def join_by_gaps(x, y):
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
        ends.set_ydata(join_by_gaps(np.empty((len(places), 2)), places)[1])


# Okabe and Ito's colours, told apart by readers with any kind of colour vision. Their
# yellow, too faint for a line on white, is left out, and black is the colour of text.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
GREY = "#6B6B6B"  # of reference lines


class Display:
    """Base class of all displays."""

    def _start(self, ax, *, chance_level_kw=None, curve_kwargs=None, **flags):
        """Keep the axes to draw on, new ones where none are given; check options."""
        for name, flag in flags.items():
            check_flag(name, flag)
        options = {"chance_level_kw": chance_level_kw, "curve_kwargs": curve_kwargs}
        for name, value in options.items():
            if not (value is None or isinstance(value, Mapping)):
                raise TypeError(f"{name} must be a dict or None; got {value!r}.")
        try:
            import matplotlib.pyplot as plt
        except ImportError as error:
            raise ImportError(
                f"{type(self).__name__}.plot() needs matplotlib: "
                "pip install matplotlib."
            ) from error
        if ax is None:
            _, ax = plt.subplots(layout="constrained")
        elif not hasattr(ax, "get_figure"):
            raise TypeError(f"ax must be a matplotlib Axes or None; got {ax!r}.")
        if not ax.has_data():
            colors = plt.cycler(color=[*COLORS, ax.xaxis.label.get_color()])
            ax.set_prop_cycle(plt.cycler(linestyle=["-", "-."]) * colors)
        self.ax_, self.figure_ = ax, ax.figure
        return ax


class PredictionsDisplay(Display):
    """A display that is made from predictions, and so from an estimator."""

    _area = ""  # the measure that is the area under its curve

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
        y_true, y_score, classes = respond(
            estimator, X, y, qid, response_method, pos_label=relevant_class(kwargs)
        )
        if classes is not None:
            if cls._area:
                warn_of_ranked_classes(METRICS[cls._area], len(classes))
            y_true = indicators(y_true, classes)
        name = type(estimator).__name__ if name is None else name
        display: Any = cls  # of a subclass, which has from_predictions
        return display.from_predictions(y_true, y_score, qid=qid, name=name, **kwargs)


def for_each_system(from_predictions):
    """Let `from_predictions` draw each system of a dict on the same axes."""

    @wraps(from_predictions)
    def draw(cls, y_true, y_score=None, **options):
        systems, displays = by_system(y_true, y_score), {}
        if None not in systems and options.get("name") is not None:
            raise ValueError(
                "name must be None where systems have names of their own; got "
                f"{options['name']!r}."
            )
        for name, rankings in systems.items():
            own = options if name is None else {**options, "name": str(name)}
            display = displays[name] = from_predictions(cls, *rankings, **own)
            options["ax"] = display.ax_
        return displays.get(None, displays)

    return draw


def relevant_class(options):
    """Return the `pos_label` among the options, or the one that all measures have."""
    pos_label = options.get("pos_label")
    parameter = "metrics" if "metrics" in options else "metric"
    if pos_label is not None or options.get(parameter) is None:
        return pos_label
    measures = as_measures(parameter, options[parameter]).values()
    labels = {measure.arguments.get("pos_label") for measure in measures}
    return labels.pop() if len(labels) == 1 else None


def respond(estimator, X, y, qid, methods, *, parameter="estimator", pos_label=None):
    """Return targets and scores of an estimator, as a scorer sees them.

    `parameter` is what messages call the estimator.

    Returns
    -------
    y_true, y_score : array-like
    classes : ndarray or None
        Classes of the columns of `y_score`, where rows rank their classes.
    """
    methods = check_responses(methods)
    if inspect.isclass(estimator) or not any(hasattr(estimator, m) for m in methods):
        raise TypeError(
            f"{parameter} must be a fitted estimator with {' or '.join(methods)}; got "
            f"{estimator!r}."
        )
    check_row_order(X=X, y=y, qid=qid)
    return predict_scores(
        estimator, X, y, methods, in_queries=qid is not None, pos_label=pos_label
    )


def choose_metric(known, metric):
    """Return the name of the measure that was asked for, or of the only one."""
    metric, known = as_label(metric), list(known)
    if metric is None and len(known) == 1:
        (metric,) = known
    if not isinstance(metric, str) or metric not in known:
        raise ValueError(f"metric must be one of {known}; got {metric!r}.")
    return metric


def name_on_axis(metric, at=""):
    """Return the name of a measure and `at`, with the direction of a known loss."""
    try:
        (measure,) = as_measures("metric", metric).values()
    except (TypeError, ValueError):  # a label
        return f"{metric}{at}"
    facts = measure.metric
    is_loss = facts.has_direction and not facts.greater_is_better
    return name_measure(f"{metric}{at}", not is_loss)


def call_without_warnings(function, *args, **kwargs):
    """Call a measure whose queries another call has warned of."""
    with suppress_warnings():
        return function(*args, **kwargs)


def merge_options(defaults, options, artist=None):
    """Return options of an artist, those given by short names (``c``) among them."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return {**defaults, **normalize_kwargs(options or {}, artist or Line2D)}


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
    (line,) = ax.plot(*points.T, **merge_options(defaults, options))
    line.set_gid(label)
    return line


def legend_name(name):
    """Return a name that matplotlib shows: it hides those that begin with ``_``."""
    return f" {name}" if name is not None and name.startswith("_") else name


def named_value(name, value):
    """Return a text for legends, such as ``"AUC = 0.812"``, None without a value."""
    if value is None:
        return None
    return f"{name} undefined" if np.isnan(value) else f"{name} = {value:.3f}"
