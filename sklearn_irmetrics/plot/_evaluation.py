"""Estimates with their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklearn_irmetrics._core.parameters import check_flag
from sklearn_irmetrics._measures.names import DEFAULT_METRICS
from sklearn_irmetrics._measures.report import measure_rankings
from sklearn_irmetrics._typing import (
    ArrayLike,
    Ids,
    Measures,
    RandomState,
    Rankings,
    RankingsOrRun,
)
from sklearn_irmetrics.plot._legend import show_legend
from sklearn_irmetrics.plot._rows import known_rows, lines, name_rows, spread, with_gaps
from sklearn_irmetrics.plot._shared import (
    PredictionsDisplay,
    choose_metric,
    draw_reference,
    with_defaults,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKERS = "osD^vP*X"  # no multiple of the number of colours


@dataclass(eq=False, repr=False, kw_only=True)
class EvaluationDisplay(PredictionsDisplay):
    """Estimates with their intervals, one row per measure, method or system.

    Use `from_estimator`, `from_predictions` or `from_results` to make one. Several on
    the same axes share the rows of the same label.

    Parameters
    ----------
    rows : list of str
        Labels of the rows, from top to bottom.
    estimates : array-like of shape (n_rows,)
        Estimates.
    intervals : array-like of shape (n_rows, 2)
        Low and high ends, NaN where there is none.
    metric : str, default=None
        Name of the measure, if all rows share it.
    confidence_level : float, default=None
        Confidence level of the intervals.
    chance_levels : array-like of shape (n_rows,), default=None
        Scores expected without any information, NaN where unknown.
    chance_name : str, default="Chance"
        Name of the chance levels in the legend.
    name : str, default=None
        Name in the legend.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The estimates.
    intervals_ : matplotlib Line2D
        The intervals, as one broken line.
    chance_level_ : matplotlib Line2D or None
        The dashed chance levels.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from sklearn_irmetrics.plot import EvaluationDisplay
    >>> display = EvaluationDisplay.from_predictions(
    ...     [0, 1, 1, 0], [4, 3, 2, 1], qid=[1, 1, 2, 2], metrics=["map", "p@1"]
    ... )
    >>> display.estimates
    [0.75, 0.5]
    """

    rows: Any
    estimates: Any
    intervals: Any
    metric: str | None = None
    confidence_level: float | None = None
    chance_levels: Any = None
    chance_name: Any = "Chance"
    name: str | None = None

    @classmethod
    def from_predictions(
        cls,
        y_true: RankingsOrRun,
        y_score: Rankings | None = None,
        *,
        metrics: Measures = DEFAULT_METRICS,
        qid: Ids | None = None,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        confidence_level: float = 0.95,
        interval: str = "auto",
        plot_chance_level: bool = True,
        random_state: RandomState = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot the measures of `ranking_report`.

        Parameters
        ----------
        y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
            Grades; larger is better, NaN: unjudged. Or an `AlignedRun`, which holds the
            scores and query ids too.
        y_score : array-like of the shape of `y_true`, or CSR
            Scores; larger ranks higher, -inf: not retrieved. None with an `AlignedRun`.
        metrics : str, list of str, or dict of str to str, \
                default=("ndcg@10", "map", "mrr", "p@10", "rprec", "recall@10")
            Names such as ``"ndcg@10"``; a dict gives them labels of your own.
        qid : array-like of shape (n_documents,), default=None
            Query ids, for 1-D input. None: all rows are one ranking.
        labels : array-like of shape (n_classes,), default=None
            Classes of the columns of `y_score`, where `y_true` holds class labels.
        sample_weight : array-like, default=None
            One weight per query: per row with 1-D input (constant inside a query).
        confidence_level : float, default=0.95
            Confidence level of the intervals; see `ranking_report`.
        interval : {"auto", "t", "bca", "betting", "dirichlet"}, default="auto"
            How they are made; see `ranking_report`.
        plot_chance_level : bool, default=True
            Whether to draw the exact expectation of a random ranking.
        random_state : int, RandomState instance or None, default=None
            Seeds the bootstrap resamples.
        name : str, default=None
            Name in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        EvaluationDisplay

        Raises
        ------
        TypeError, ValueError
            If an argument breaks the rules above; the message names it.
        ImportError
            If matplotlib is missing.
        """
        check_flag("plot_chance_level", plot_chance_level)
        report = measure_rankings(
            y_true,
            y_score,
            metrics,
            qid=qid,
            labels=labels,
            sample_weight=sample_weight,
            chance=plot_chance_level,
            confidence_level=confidence_level,
            interval=interval,
            random_state=random_state,
            warn=True,
        )
        found = report["measures"].values()
        return cls(
            rows=list(report["measures"]),
            estimates=[row["mean"] for row in found],
            intervals=[(row["low"], row["high"]) for row in found],
            confidence_level=report["confidence_level"],
            chance_levels=[row["chance"] for row in found],
            name=name,
        ).plot(ax=ax, plot_chance_level=plot_chance_level, **kwargs)

    @classmethod
    def from_results(
        cls,
        results: Any,
        *,
        metric: str | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot the result of `evaluate` or `compare`.

        Parameters
        ----------
        results : EvaluationResult, EvaluationResults, dict or list, ComparisonResult
            A single result has a row per measure; several have a row each, named by
            the keys of the dict, or by estimator and method; a comparison has a row
            per pair of systems, with their difference.
        metric : str, default=None
            Which measure; required for several results with several measures.
        name : str, default=None
            Name in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        EvaluationDisplay

        Raises
        ------
        TypeError, ValueError
            If an argument breaks the rules above; the message names it.
        ImportError
            If matplotlib is missing.
        """
        if hasattr(results, "comparisons"):
            results = results[choose_metric(results.comparisons, metric)]
        if hasattr(results, "difference"):
            choose_metric([results.metric], metric)
            found = _rows_of_comparison(results)
        elif hasattr(results, "estimate"):
            known = list(results.estimate)
            chosen = known if metric is None else [choose_metric(known, metric)]
            found = _rows_of_estimates({one: (results, one) for one in chosen})
        else:
            found = _rows_of_many(results, metric)
        return cls(**found, name=name).plot(ax=ax, **kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        plot_chance_level: bool = True,
        chance_level_kw: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the rows.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        name : str, default=None
            Name in the legend; None uses the one stored.
        plot_chance_level : bool, default=True
            Whether to draw the dashed chance levels, where they are known.
        chance_level_kw : dict, default=None
            Passed to matplotlib's `plot` for the chance levels.
        **kwargs
            Passed to matplotlib's `plot` for the estimates.

        Returns
        -------
        EvaluationDisplay
            This display.
        """
        is_new = ax is None
        ax = self._start(
            ax, plot_chance_level=plot_chance_level, chance_level_kw=chance_level_kw
        )
        rows = known_rows(ax)
        for label in self.rows:
            rows.setdefault(label, len(rows))
        name_rows(ax, list(rows), grow=is_new)
        places = np.array([rows[label] for label in self.rows], dtype=np.float64)
        n_before = len(lines(ax, "estimates"))
        options = {
            "marker": _MARKERS[n_before % len(_MARKERS)],
            "linestyle": "none",
            "zorder": 2.5,
            "label": self.name if name is None else name,
        }
        self.line_: Any
        (self.line_,) = ax.plot(
            self.estimates, places, **with_defaults(options, kwargs)
        )
        self.line_.set_gid("estimates")
        self.line_.rows = rows
        ends = np.asarray(self.intervals, dtype=np.float64).reshape(-1, 2)
        self.intervals_: Any
        (self.intervals_,) = ax.plot(
            *with_gaps(ends, places),
            color=self.line_.get_color(),
            linestyle="-",
            linewidth=2,
            alpha=0.6,
            gid="intervals",
        )
        spread(ax)
        self.chance_level_ = None
        if plot_chance_level and self.chance_levels is not None:
            self._draw_chance(places, len(rows), chance_level_kw)
        ax.set_xlabel(self._axis_label())
        ax.grid(axis="x", alpha=0.3)
        show_legend(ax, len(rows) - 0.5, -0.5)
        return self

    def _draw_chance(self, places, n_rows, options):
        chance = np.asarray(self.chance_levels, dtype=np.float64)
        if np.isnan(chance).all():
            return
        if (chance == chance[0]).all():  # one line through all rows
            x, y = chance[[0, 0]], np.array([-0.5, n_rows - 0.5])
            for line in lines(self.ax_, self.chance_name):
                if np.array_equal(line.get_xdata(), x):
                    line.set_ydata(y)
        else:
            x = np.column_stack([chance, chance])
            x, y = with_gaps(x, places[:, np.newaxis] + [-0.45, 0.45])
        self.chance_level_ = draw_reference(self.ax_, self.chance_name, x, y, options)

    def _axis_label(self):
        what = self.metric or "Estimate"
        drawn = [line.get_xdata() for line in lines(self.ax_, "intervals")]
        if self.confidence_level is None or np.isnan(np.concatenate(drawn)).all():
            return what
        return f"{what} with {100 * self.confidence_level:g} % interval"


def _rows_of_comparison(result):
    is_mean = result.center is None
    what = "Difference" if is_mean else result.interval_of.capitalize()
    no_difference = 0.5 if result.interval_of == "share of wins" else 0.0
    return {
        "rows": [
            f"{one} − {other}"
            for one, other in zip(result.system, result.versus, strict=True)
        ],
        "estimates": np.asarray(result.difference if is_mean else result.center),
        "intervals": np.array(result.confidence_interval),
        "metric": f"{what} in {result.metric}",
        "confidence_level": result.confidence_level,
        "chance_levels": np.full(len(result.system), no_difference),
        "chance_name": "No difference",
    }


def _rows_of_many(results, metric):
    if isinstance(results, list | tuple):
        results = _by_name(results)
    if not (isinstance(results, Mapping) and results) or not all(
        hasattr(one, "estimate") for one in results.values()
    ):
        raise TypeError(
            "results must be an EvaluationResult, a ComparisonResult, or a dict or "
            f"list of EvaluationResult; got {results!r:.80}."
        )
    known = dict.fromkeys(name for one in results.values() for name in one.estimate)
    metric = choose_metric(known, metric)
    for one in results.values():
        choose_metric(one.estimate, metric)
    found = {label: (one, metric) for label, one in results.items()}
    return {"metric": metric, **_rows_of_estimates(found)}


def _rows_of_estimates(found):
    """Return rows by label of a result and one of its measures."""
    estimates, intervals, chance_levels = [], [], []
    for result, metric in found.values():
        estimates.append(result.estimate[metric])
        intervals.append(result.confidence_interval[metric])
        chance = getattr(result, "chance_score", None) or {}
        chance_levels.append(chance.get(metric, np.nan))
    levels = {result.confidence_level for result, _ in found.values()}
    return {
        "rows": list(found),
        "estimates": estimates,
        "intervals": intervals,
        "confidence_level": levels.pop() if len(levels) == 1 else None,
        "chance_levels": chance_levels,
    }


def _by_name(results):
    """Name results by what tells them apart: estimator, method, or both."""
    results = list(results)
    estimators = [getattr(one, "estimator_name", "result") for one in results]
    methods = [getattr(one, "method", "") for one in results]
    both = [f"{a}, {b}" for a, b in zip(estimators, methods, strict=True)]
    numbered = [f"{name} ({i})" for i, name in enumerate(both, start=1)]
    for names in (estimators, methods, both, numbered):
        if len(set(names)) == len(results):
            break
    return dict(zip(names, results, strict=True))
