"""Estimates with their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._checks import check_confidence_level, check_flag
from sklearn_irmetrics._results.tables import name_measure
from sklearn_irmetrics._typing import Ids, RandomState, RankingsOrRun, Systems
from sklearn_irmetrics.comparison._systems import (
    greater_is_better_of,
    is_system,
    named_systems,
    the_metrics,
)
from sklearn_irmetrics.comparison.pairs import ComparisonResult, ComparisonResults
from sklearn_irmetrics.metrics._measure import Measures
from sklearn_irmetrics.metrics._names import DEFAULT_METRICS
from sklearn_irmetrics.metrics._ranking.judgments import Judgments
from sklearn_irmetrics.plot._style import (
    PredictionsDisplay,
    choose_metric,
    draw_reference,
    for_each_system,
    join_by_gaps,
    known_rows,
    legend_name,
    lines,
    merge_options,
    name_rows,
    show_legend,
    spread,
)
from sklearn_irmetrics.reports.aligned import judge
from sklearn_irmetrics.reports.query_scores import QueryScores
from sklearn_irmetrics.reports.report import report_rankings
from sklearn_irmetrics.reports.results import (
    Inference,
    RankingReport,
    RankingReports,
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
    @for_each_system
    def from_predictions(
        cls,
        y_true: RankingsOrRun,
        y_score: Systems = None,
        *,
        metrics: Measures = DEFAULT_METRICS,
        qid: Ids | None = None,
        sample_weight: ArrayLike | None = None,
        confidence_level: float = 0.95,
        interval: str = "auto",
        plot_chance_level: bool = True,
        random_state: RandomState = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Any:
        """Plot the measures of `ranking_report`.

        Parameters
        ----------
        y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
            Grades; larger is better, NaN: unjudged. Or an `AlignedRun`, which holds the
            scores and query ids too.
        y_score : array-like of the shape of `y_true`, or CSR
            Scores; larger ranks higher, -inf: not retrieved. None with an `AlignedRun`.
            Or a dict of these by system, which are all drawn on the same axes.
        metrics : str, list of str, or dict of str to str, \
                default=("ndcg@10", "map", "mrr", "p@10", "rprec", "recall@10")
            Names such as ``"ndcg@10"``; a dict sets their labels.
        qid : array-like of shape (n_documents,), default=None
            Query ids, for 1-D input. None: all rows are one ranking.
        sample_weight : array-like, default=None
            One weight per query; with 1-D input, one per row, constant inside a query.
        confidence_level : float, default=0.95
            Confidence level of the intervals; see `ranking_report`.
        interval : {"auto", "t", "bca", "betting"}, default="auto"
            How they are made; see `QueryScores.report`.
        plot_chance_level : bool, default=True
            Whether to draw the exact expectation of a random ranking.
        random_state : int, RandomState instance or None, default=None
            Seed of the bootstrap resamples.
        name : str, default=None
            Name in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        EvaluationDisplay
            Or a dict of them by system, if `y_score` is one.

        Raises
        ------
        TypeError, ValueError
            If an argument breaks the rules above; the message names it.
        ImportError
            If matplotlib is missing.
        """
        check_flag("plot_chance_level", plot_chance_level)
        judgments = Judgments(y_true, qid, sample_weight)
        judgments, y_score = judge(judgments, y_score)
        report = report_rankings(
            judgments,
            y_score,
            metrics,
            Inference(
                confidence_level=confidence_level,
                interval=interval,
                random_state=random_state,
            ),
            chance=plot_chance_level,
            warn=True,
        )
        return cls(
            rows=[
                name_measure(label, better)
                for label, better in report.greater_is_better.items()
            ],
            estimates=[*report.estimate.values()],
            intervals=[*report.confidence_interval.values()],
            confidence_level=report.confidence_level,
            chance_levels=[*report.chance.values()],
            name=name,
        ).plot(ax=ax, plot_chance_level=plot_chance_level, **kwargs)

    @classmethod
    def from_results(
        cls,
        results: Any,
        *,
        metric: str | None = None,
        confidence_level: float = 0.95,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot results of `evaluate`, `score_queries` or `compare`, or reports.

        Parameters
        ----------
        results : EvaluationResult, EvaluationResults, QueryScores, dict or list of \
                these, ComparisonResult or ComparisonResults
            A single result has a row per measure; several have a row per measure and
            system, named as `compare` names them; a comparison has a row per measure
            and pair of systems, with their difference.
        metric : str, default=None
            The measure. None: all. The chance level of a measure is drawn if all
            results have one.
        confidence_level : float, default=0.95
            Of the intervals of `QueryScores`; those of other results have one already.
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
        check_confidence_level(confidence_level)
        if isinstance(results, ComparisonResult):
            parts = _of_comparisons({results.metric: results}, metric)
        elif isinstance(results, ComparisonResults):
            parts = _of_comparisons(results.comparisons, metric)
        elif isinstance(results, RankingReport):
            parts = _of_reports({None: results}, metric)
        elif isinstance(results, RankingReports):
            parts = _of_reports(results, metric)
        else:
            parts = _of_systems(results, metric, confidence_level)
        return cls(**parts, name=name).plot(ax=ax, **kwargs)

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
            Whether to draw the dashed chance levels, if they are known.
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
            "label": legend_name(self.name if name is None else name),
        }
        self.line_: Any
        (self.line_,) = ax.plot(
            self.estimates, places, **merge_options(options, kwargs)
        )
        self.line_.set_gid("estimates")
        self.line_.rows = rows
        ends = np.asarray(self.intervals, dtype=np.float64).reshape(-1, 2)
        self.intervals_: Any
        (self.intervals_,) = ax.plot(
            *join_by_gaps(ends, places),
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
        xlabel = self.metric or "Estimate"
        drawn = [line.get_xdata() for line in lines(ax, "intervals")]
        if self.confidence_level is not None and not np.isnan(np.hstack(drawn)).all():
            interval = f"with {100 * self.confidence_level:g} % interval"
            is_short = len(xlabel) + len(interval) < 36
            xlabel = (
                f"{xlabel} {interval}"
                if is_short
                else f"{fill(xlabel, 36)}\n{interval}"
            )
        ax.set_xlabel(xlabel)
        ax.grid(axis="x", alpha=0.3)
        show_legend(ax, len(rows) - 0.5, -0.5, above=True)
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
            x, y = join_by_gaps(x, places[:, np.newaxis] + [-0.45, 0.45])
        self.chance_level_ = draw_reference(self.ax_, self.chance_name, x, y, options)


def _of_comparisons(comparisons, metric):
    names = comparisons if metric is None else [choose_metric(comparisons, metric)]
    chosen = [comparisons[name] for name in names]
    first, is_mean = chosen[0], chosen[0].center is None
    what = "Difference" if is_mean else first.interval_of.capitalize()
    no_difference = 0.5 if first.interval_of == "share of wins" else 0.0
    centers = [
        comparison.estimate if is_mean else comparison.center for comparison in chosen
    ]
    return {
        "rows": [
            f"{name}: {row}" if len(names) > 1 else row
            for name, comparison in zip(names, chosen, strict=True)
            for row in _pairs_of(comparison)
        ],
        "estimates": np.concatenate(centers),
        "intervals": np.concatenate(
            [comparison.confidence_interval for comparison in chosen]
        ),
        "metric": what
        if len(chosen) > 1
        else f"{what} in {name_measure(first.metric, first.greater_is_better)}",
        "confidence_level": first.confidence_level,
        "chance_levels": np.full(sum(map(len, centers)), no_difference),
        "chance_name": "No difference",
    }


def _pairs_of(comparison):
    """Return the label of each pair, which says where an interval has no width."""
    pairs = zip(
        comparison.system, comparison.versus, comparison.is_constant, strict=True
    )
    labels = [
        f"{system} − {other}" + " (all differences equal)" * bool(is_constant)
        for system, other, is_constant in pairs
    ]
    if len(labels) == 1:  # there is room for what the difference is of
        (system,), (other,) = comparison.system, comparison.versus
        first, second = comparison.mean[system], comparison.mean[other]
        wins, ties, losses = (
            comparison.wins[0],
            comparison.ties[0],
            comparison.losses[0],
        )
        labels[0] += f"\nmeans: {first:.3f} − {second:.3f}"
        labels[0] += f"\n{wins} better, {ties} equal, {losses} worse"
    return labels


def _of_reports(reports, metric):
    """Return the fields of the display of reports by system, a single one by None."""
    first = next(iter(reports.values()))
    keys = {}  # of estimates: measures, or pairs of measure and slice
    for key in first.estimate:
        keys.setdefault(key[0] if isinstance(key, tuple) else key, []).append(key)
    names = [*keys] if metric is None else [choose_metric(keys, metric)]
    rows = [
        (name, key, system)
        for name in names
        for key in keys[name]
        for system in reports
    ]
    cells = [(reports[system], key) for _, key, system in rows]
    shown = {
        name: name_measure(name, first.greater_is_better[keys[name][0]])
        for name in names
    }
    return {
        "rows": [
            _label_row(shown[name], key, system, several=len(names) > 1)
            for name, key, system in rows
        ],
        "estimates": [report.estimate[key] for report, key in cells],
        "intervals": [report.confidence_interval[key] for report, key in cells],
        "metric": shown[names[0]] if len(names) == 1 else None,
        "confidence_level": first.confidence_level,
        "chance_levels": [
            (report.chance or {}).get(key, np.nan) for report, key in cells
        ],
    }


def _label_row(measure, key, system, *, several):
    """Return the label of a row, with the measure where it tells rows apart."""
    parts = [str(key[1])] if isinstance(key, tuple) else []
    if system is not None:
        parts.append(str(system))
    return ": ".join([measure, *parts] if several or not parts else parts)


def _of_systems(results, metric, confidence_level):
    systems = named_systems(results, fewest=1)
    for system in systems.values():
        if not is_system(system):
            raise TypeError(
                "results must be an EvaluationResult, QueryScores, a comparison, or a "
                f"dict or list of results; got {system!r:.80}."
            )
    names, _ = the_metrics(systems, metric)
    shown = {
        name: name_measure(name, greater_is_better_of(systems, name)) for name in names
    }
    estimated = [
        _estimate(system, name, confidence_level)
        for name in names
        for system in systems.values()
    ]
    estimates, intervals, chance_levels, levels = zip(*estimated, strict=True)
    by_metric = np.reshape(chance_levels, (len(names), len(systems)))
    is_partial = np.isnan(by_metric).any(axis=1, keepdims=True)
    is_one, several = is_system(results), len(names) > 1
    rows = [
        f"{shown[name]}: {row}" if several else row for name in names for row in systems
    ]
    return {
        "rows": [*shown.values()] if is_one else rows,
        "estimates": [*estimates],
        "intervals": [*intervals],
        "metric": None if is_one or several else shown[names[0]],
        "confidence_level": levels[0] if len({*levels}) == 1 else None,
        "chance_levels": np.where(is_partial, np.nan, by_metric).ravel(),
    }


def _estimate(system, metric, level):
    """Return the estimate of a system, its interval, its chance level, its level."""
    if isinstance(system, QueryScores):
        ends = system.interval(metric, confidence_level=level)
        return system.mean[metric], ends, np.nan, level
    ends = system.confidence_interval[metric]
    chance = (system.chance_score or {}).get(metric, np.nan)
    return system.estimate[metric], ends, chance, system.confidence_level
