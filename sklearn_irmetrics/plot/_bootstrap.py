"""The distribution of a score over bootstrap replicates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils import check_random_state

from sklearn_irmetrics._core.namespace import to_host
from sklearn_irmetrics._core.parameters import (
    check_confidence_level,
    check_count,
    check_flag,
)
from sklearn_irmetrics._measures.aligned import unpack
from sklearn_irmetrics._measures.measure import as_measures
from sklearn_irmetrics._measures.rankings import score_queries
from sklearn_irmetrics._measures.report import equal_scores
from sklearn_irmetrics._statistics.intervals import bootstrap_means, percentile_interval
from sklearn_irmetrics._statistics.resampling632 import point632, point632_plus
from sklearn_irmetrics._typing import (
    ArrayLike,
    Ids,
    RandomState,
    Rankings,
    RankingsOrRun,
    Ties,
)
from sklearn_irmetrics.plot._legend import show_legend
from sklearn_irmetrics.plot._parameters import document
from sklearn_irmetrics.plot._shared import (
    PredictionsDisplay,
    draw_reference,
    measure_of,
    named_value,
    next_color,
    query_weights,
    silently,
    with_defaults,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sklearn_irmetrics.model_selection import EvaluationResult


class BootstrapDisplay(PredictionsDisplay):
    """Histogram of bootstrap replicates of a score, with estimate and interval.

    Use `from_estimator` or `from_predictions` for the mean over resampled queries, or
    `from_result` for the replicates of `evaluate`.

    Parameters
    ----------
    replicates : ndarray of shape (n_replicates,)
        Scores of the replicates; NaN are left out.
    estimate : float
        The score itself.
    confidence_interval : tuple of float, default=None
        Low and high end.
    metric : str, default=None
        Name of the measure.
    confidence_level : float, default=None
        Confidence level of the interval.
    chance_level : float, default=None
        Score expected without any information.
    name : str, default=None
        Name in the legend.

    Attributes
    ----------
    histogram_ : matplotlib StepPatch
        The replicates.
    line_ : matplotlib Line2D
        The estimate.
    interval_ : matplotlib Line2D or None
        The interval, under the histogram.
    chance_level_ : matplotlib Line2D or None
        The dashed chance level.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from sklearn_irmetrics.plot import BootstrapDisplay
    >>> display = BootstrapDisplay.from_predictions(
    ...     [0, 1, 1, 0], [4, 3, 2, 1], qid=[1, 1, 2, 2], metric="map"
    ... )
    >>> display.estimate
    0.75
    """

    def __init__(
        self,
        *,
        replicates: Any,
        estimate: Any,
        confidence_interval: Any = None,
        metric: str | None = None,
        confidence_level: float | None = None,
        chance_level: Any = None,
        name: str | None = None,
    ) -> None:
        self.replicates = replicates
        self.estimate = estimate
        self.confidence_interval = confidence_interval
        self.metric = metric
        self.confidence_level = confidence_level
        self.chance_level = chance_level
        self.name = name

    @classmethod
    @document
    def from_predictions(
        cls,
        y_true: RankingsOrRun,
        y_score: Rankings | None = None,
        *,
        metric: str = "ndcg@10",
        n_resamples: int = 1999,
        qid: Ids | None = None,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        ties: Ties = "average",
        replace_undefined_by: float = np.nan,
        confidence_level: float = 0.95,
        plot_chance_level: bool = False,
        random_state: RandomState = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot the mean of predictions over resampled queries.

        Parameters
        ----------
        [[data]]
        metric : str, default="ndcg@10"
            Name of a measure.
        n_resamples : int, default=1999
            Number of resamples.
        [[queries]]
        confidence_level : float, default=0.95
            Confidence level of the interval: percentiles of the replicates.
        plot_chance_level : bool, default=False
            Whether to draw the exact expectation of a random ranking, which may be far
            from the replicates.
        random_state : int, RandomState instance or None, default=None
            Seeds the resamples.
        [[to plot]]

        Returns
        -------
        BootstrapDisplay

        Raises
        ------
        [[raises]]
        """
        level = check_confidence_level(confidence_level)
        check_count("n_resamples", n_resamples)
        check_flag("plot_chance_level", plot_chance_level)
        measures = as_measures("metric", metric)
        ((metric, measure),) = measures.items()
        if measure.average != "macro":
            raise ValueError(
                "metric must be averaged over queries with average='macro' here; got "
                f"{metric!r}."
            )
        y_true, y_score, qid, marks = unpack(y_true, y_score, qid)
        y_true, y_score, qid, sample_weight = to_host(
            y_true, y_score, qid, sample_weight
        )
        shared = {"qid": qid, "labels": labels, "sample_weight": sample_weight}
        options: dict[str, Any] = {
            "replace_undefined_by": replace_undefined_by,
            "marks": marks,
            **shared,
        }
        scored = score_queries(y_true, y_score, measures, ties=ties, **options)
        replicates = _resample(
            metric,
            scored.scores[metric],
            query_weights(y_true, y_score, shared, subtopics=measure.metric.subtopics),
            n_resamples,
            check_random_state(random_state),
        )
        chance = None
        if plot_chance_level and measure.metric.ranks and measure.metric.exact_ties:
            equal = equal_scores(y_score)
            chance = silently(score_queries, y_true, equal, measures, **options)
            chance = chance.mean[metric]
        display = cls(
            replicates=replicates,
            estimate=scored.mean[metric],
            confidence_interval=percentile_interval(replicates, level, "")[1],
            metric=metric,
            confidence_level=level,
            chance_level=chance,
            name=name,
        )
        return display.plot(ax=ax, plot_chance_level=plot_chance_level, **kwargs)

    @classmethod
    @document
    def from_result(
        cls,
        result: EvaluationResult,
        *,
        metric: str | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot the replicates of ``evaluate(..., method="bootstrap")``.

        Parameters
        ----------
        result : EvaluationResult
            Of one of the bootstrap methods.
        metric : str, default=None
            Which measure; required if the result has several.
        [[to plot]]

        Returns
        -------
        BootstrapDisplay

        Raises
        ------
        [[raises]]
        """
        if not str(getattr(result, "method", "")).startswith("bootstrap"):
            raise ValueError(
                "result must be of method='bootstrap', 'bootstrap632' or "
                f"'bootstrap632+'; got {getattr(result, 'method', result)!r}."
            )
        metric = measure_of(result, metric)
        replicates = result.split_scores[metric]
        chance = (result.chance_score or {}).get(metric)
        if result.apparent_score is not None:
            apparent = result.apparent_score[metric]
            replicates = (
                point632(replicates, apparent)
                if chance is None
                else point632_plus(replicates, apparent, chance)
            )
        display = cls(
            replicates=replicates,
            estimate=result.estimate[metric],
            confidence_interval=result.confidence_interval[metric],
            metric=metric,
            confidence_level=result.confidence_level,
            chance_level=chance,
            name=name,
        )
        return display.plot(ax=ax, **kwargs)

    @document
    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        bins: int | Sequence[float] | str = "auto",
        plot_chance_level: bool = False,
        chance_level_kw: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the histogram.

        Parameters
        ----------
        [[plot]]
        bins : int, sequence or str, default="auto"
            As `numpy.histogram` takes it.
        plot_chance_level : bool, default=False
            Whether to draw the dashed chance level, if the display holds it. It may be
            far from the replicates.
        chance_level_kw : dict, default=None
            Passed to matplotlib's `plot` for the chance level.
        **kwargs
            Passed to matplotlib's `stairs` for the histogram.

        Returns
        -------
        BootstrapDisplay
            This display.
        """
        ax = self._start(
            ax, plot_chance_level=plot_chance_level, chance_level_kw=chance_level_kw
        )
        replicates = np.asarray(self.replicates, dtype=np.float64)
        replicates = replicates[~np.isnan(replicates)]
        limits = None
        if _all_equal(replicates):
            replicates = np.full_like(replicates, replicates[0])
            reach = 0.05 * max(1.0, abs(replicates[0]))
            limits = tuple(replicates[0] + 0.1 * reach * np.array([-1, 1]))
            ax.update_datalim([(replicates[0] - reach, 0), (replicates[0] + reach, 0)])
        counts, edges = np.histogram(replicates, bins=bins, range=limits)
        options = with_defaults({"color": next_color(ax)}, kwargs)
        color = options.pop("color")
        faces = {"facecolor": (color, 0.25), "edgecolor": color, "linewidth": 0.8}
        counts = counts / max(1, counts.sum())
        self.histogram_ = ax.stairs(counts, edges, fill=True, **{**faces, **options})
        peak = counts.max()
        self.line_: Any
        (self.line_,) = ax.plot(
            [self.estimate, self.estimate],
            [0.0, peak],
            color=color,
            label=named_value(
                self.name if name is None else name, "estimate", self.estimate
            ),
        )
        # Intervals lie under the histograms, one below the other.
        under = 1 + sum(line.get_gid() == "interval" for line in ax.lines)
        high = ax.dataLim.y1
        self.interval_ = None
        interval = self.confidence_interval
        if interval is not None and not np.isnan(interval).all():
            (self.interval_,) = ax.plot(
                interval,
                np.full(2, -0.03 * under * high),
                color=color,
                linewidth=4,
                solid_capstyle="butt",
                label=self._interval_label(),
                gid="interval",
            )
        self.chance_level_ = None
        if plot_chance_level and self.chance_level is not None:
            self.chance_level_ = draw_reference(
                ax, "Chance", self.chance_level, [0.0, peak], chance_level_kw
            )
        ax.set(xlabel=self.metric or "Score", ylabel="Share of replicates")
        show_legend(
            ax, -0.03 * (under + 1) * high, 1.05 * high, ("upper right", "upper left")
        )
        return self

    def _interval_label(self):
        low, high = self.confidence_interval
        level = self.confidence_level
        what = "Interval" if level is None else f"{100 * level:g} % interval"
        return f"{what} [{low:.3f}, {high:.3f}]"


def _all_equal(values):
    return len(values) > 0 and np.allclose(values, values[0], rtol=1e-9, atol=1e-12)


def _resample(metric, values, weights, n_resamples, rng):
    """Return means over resampled queries, of those that count."""
    counted = ~np.isnan(values)
    if weights is not None:
        counted &= weights > 0
        weights = weights[counted]
    n = int(counted.sum())
    if n < 2:
        raise ValueError(
            f"{metric} must be defined in at least two queries"
            f"{'' if weights is None else ' of positive weight'} to resample them; got "
            f"{n}."
        )
    return bootstrap_means(values[counted], weights, n_resamples=n_resamples, rng=rng)
