"""The difference of two systems on each query, as bars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklearn_irmetrics._checks import check_option
from sklearn_irmetrics._results.tables import name_measure, visible
from sklearn_irmetrics._typing import Ids, Rankings, RankingsOrRun, ResponseMethod, Ties
from sklearn_irmetrics.comparison._alignment import align_queries
from sklearn_irmetrics.comparison._systems import (
    greater_is_better_of,
    named_systems,
    the_metric,
)
from sklearn_irmetrics.metrics._measure import as_averaged, as_measures
from sklearn_irmetrics.metrics._per_query import check_rankings
from sklearn_irmetrics.metrics._ranking.judgments import Judgments
from sklearn_irmetrics.metrics._registry import RESPONSES
from sklearn_irmetrics.plot._style import (
    COLORS,
    GREY,
    PredictionsDisplay,
    call_without_warnings,
    legend_name,
    merge_options,
    panels,
    relevant_class,
    respond,
    show_legend,
)
from sklearn_irmetrics.reports.aligned import AlignedRun, judge
from sklearn_irmetrics.reports.query_scores import (
    score_rankings,
    warn_of_undefined_queries,
)
from sklearn_irmetrics.scorers._responses import is_classifier, read_classes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMED = 10  # queries at each end, where there are too many to name all
_MANY_QUERIES = 25


def draw_bars(ax, edges, bars, which, name, color, options):
    """Draw some bars as a single artist, which thousands of queries need."""
    from matplotlib.collections import PolyCollection

    steps = np.column_stack([np.where(which, bars, 0.0), np.zeros(len(bars))])
    defaults = {"facecolor": color, "edgecolor": "none", "linewidth": 0}
    defaults["label"] = f"{name} better: {np.count_nonzero(which)}"
    options = merge_options(defaults, options, PolyCollection)
    return ax.fill_betweenx(edges.ravel(), steps.ravel(), step="post", **options)


def heights_of_bars(n_bars):
    """Return the heights of bars: 1 of those with names, less of many others."""
    sizes = np.ones(n_bars)
    if n_bars > _MANY_QUERIES:
        sizes[_NAMED:-_NAMED] = min(1.0, _NAMED / (n_bars - 2 * _NAMED))
    return sizes


def order_of_rows(ax):
    """Return the queries that axes with the same rows show, None if there are none."""
    shown = {
        panel: artist.query_ids
        for panel in panels(ax, "y")
        for artist in panel.collections
        if artist.get_gid() == "differences"
    }
    if ax in shown:
        raise ValueError(
            "ax shows differences by query already, which others would cover. Use axes "
            "side by side: with sharey=True they show the queries in the same order."
        )
    return next(iter(shown.values()), None)


def width_of_range(metric):
    """Return the width of the range of a measure, 0 if it is unknown."""
    try:
        (measure,) = as_measures("metric", metric).values()
    except (TypeError, ValueError):  # a label
        return 0.0
    low, high = measure.range
    return high - low if np.isfinite(high - low) else 0.0


def choose_two(results, baseline, name):
    """Return by name the system that is called `name`, or is the other, and `baseline`.

    The baseline is the first if it is None.
    """
    systems = {str(key): system for key, system in named_systems(results).items()}
    baseline = next(iter(systems)) if baseline is None else baseline
    check_option("baseline", baseline, systems)
    others = [key for key in systems if key != baseline]
    system = name if name in systems or len(others) > 1 else others[0]
    check_option(
        f"name, the system to compare with the baseline {baseline!r},", system, others
    )
    return {key: systems[key] for key in (system, baseline)}


_FEW_BARS = 5


@dataclass(eq=False, repr=False, kw_only=True)
class QueryDifferenceDisplay(PredictionsDisplay):
    """Difference of two systems by query, as bars from the best to the worst.

    All queries are named, or the ten best and the ten worst if there are more than 25;
    the bars between them are thinner. If the measure is precision, this is the
    precision histogram. Use `from_estimator`, `from_predictions` or `from_results` to
    make one. For several, use axes side by side; those with ``sharey=True`` show the
    queries in the order of the first.

    Parameters
    ----------
    differences : ndarray of shape (n_queries,)
        Score of the system minus that of the baseline, NaN where undefined.
    query_ids : ndarray of shape (n_queries,)
        The queries.
    metric : str
        Name of the measure.
    greater_is_better : bool, default=True
        Whether larger scores are better.
    name, baseline_name : str, default=None
        The two systems.

    Attributes
    ----------
    better_, worse_ : matplotlib PolyCollection
        The bars of the queries on which the system is better or worse.
    line_ : matplotlib Line2D
        The mean difference.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    See Also
    --------
    sklearn_irmetrics.comparison.compare : Tests whether differences are chance.

    References
    ----------
    .. [1] R. Baeza-Yates, B. Ribeiro-Neto, "Modern Information Retrieval", Addison
       Wesley, 1999, section 3.2.

    Examples
    --------
    >>> from sklearn_irmetrics.plot import QueryDifferenceDisplay
    >>> display = QueryDifferenceDisplay.from_predictions(
    ...     [1, 0, 1, 0], [2, 1, 1, 2], baseline=[1, 2, 2, 1], metric="mrr",
    ...     qid=["a", "a", "b", "b"],
    ... )
    >>> display.differences
    array([ 0.5, -0.5])
    """

    differences: Any
    query_ids: Any
    metric: str
    greater_is_better: bool = True
    name: str | None = None
    baseline_name: str | None = None

    @classmethod
    def from_estimator(  # type: ignore[override]  # needs a baseline
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        baseline: Any,
        qid: Ids | None = None,
        response_method: ResponseMethod = RESPONSES,
        name: str | None = None,
        baseline_name: str | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot the predictions of two fitted estimators.

        Parameters
        ----------
        estimator : estimator
            Fitted; see `get_scorer` for how it scores.
        X : array-like of shape (n_documents, n_features)
            Documents.
        y : array-like
            Grades; larger is better.
        baseline : estimator
            Fitted; the estimator to compare with.
        qid : array-like of shape (n_documents,), default=None
            Query ids. None: all rows are one ranking, or each ranks its classes.
        response_method : str or tuple of str, default=("decision_function", \
                "predict_proba", "predict")
            The methods that return scores; the first that an estimator has is used.
        name, baseline_name : str, default=None
            Names of the two systems; None uses those of their classes.
        **kwargs
            Passed to `from_predictions`.

        Returns
        -------
        QueryDifferenceDisplay

        Raises
        ------
        TypeError, ValueError
            If an argument breaks the rules above; the message names it.
        ImportError
            If matplotlib is missing.
        """
        _, other, classes = respond(
            baseline,
            X,
            y,
            qid,
            response_method,
            parameter="baseline",
            pos_label=relevant_class(kwargs),
        )
        own: Any = None
        if is_classifier(estimator):
            own = read_classes(estimator).classes_
        if classes is not None and not np.array_equal(own, classes):
            raise ValueError(
                f"baseline must have the classes of estimator; got {classes!r} and "
                f"{own!r}."
            )
        if baseline_name is None:
            baseline_name = type(baseline).__name__
        return super().from_estimator(
            estimator,
            X,
            y,
            baseline=other,
            qid=qid,
            response_method=response_method,
            name=name,
            baseline_name=baseline_name,
            **kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: RankingsOrRun,
        y_score: Rankings | None = None,
        *,
        baseline: RankingsOrRun,
        metric: str = "ndcg@10",
        qid: Ids | None = None,
        ties: Ties = "average",
        replace_undefined_by: float = np.nan,
        name: str | None = None,
        baseline_name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot predictions of two systems.

        Parameters
        ----------
        y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
            Grades; larger is better, NaN: unjudged. Or an `AlignedRun`, which holds the
            scores and query ids too.
        y_score : array-like of the shape of `y_true`, or CSR
            Scores; larger ranks higher, -inf: not retrieved. None with an `AlignedRun`.
        baseline : array-like of the shape of `y_true`, or CSR
            Scores of the other system. Or an `AlignedRun` of the same queries.
        metric : str, default="ndcg@10"
            Name of a measure.
        qid : array-like of shape (n_documents,), default=None
            Query ids, for 1-D input. None: all rows are one ranking.
        ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
            The exact expectation over all orders of tied documents, the best order,
            the worst order, or the order of the rows.
        replace_undefined_by : float, default=np.nan
            Value of an undefined query; NaN leaves it out and warns.
        name, baseline_name : str, default=None
            Names of the two systems.
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        QueryDifferenceDisplay

        Raises
        ------
        TypeError, ValueError
            If an argument breaks the rules above; the message names it.
        ImportError
            If matplotlib is missing.
        """
        measures = as_averaged("metric", metric)
        ((metric, measure),) = measures.items()

        def score(judgments, y_score):
            rankings, batch = check_rankings(measures, judgments, y_score)
            return score_rankings(
                measures,
                rankings,
                batch,
                ties=ties,
                replace_undefined_by=replace_undefined_by,
            )

        judgments, y_score = judge(Judgments(y_true, qid), y_score)
        other = judgments, baseline
        if isinstance(baseline, AlignedRun):
            other = judge(Judgments(baseline), None)
        first = score(judgments, y_score)
        warn_of_undefined_queries(first)
        try:
            second = call_without_warnings(score, *other)
        except (TypeError, ValueError) as error:
            raise type(error)(f"baseline: {error}") from error
        scores = align_queries({"y_true": first, "baseline": second}, metric)
        return cls(
            differences=scores.values[:, 0] - scores.values[:, 1],
            query_ids=first.query_ids,
            metric=metric,
            greater_is_better=measure.metric.greater_is_better,
            name=name,
            baseline_name=baseline_name,
        ).plot(ax=ax, **kwargs)

    @classmethod
    def from_results(
        cls,
        results: Any,
        baseline: Any = None,
        *,
        metric: str | None = None,
        name: str | None = None,
        baseline_name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot scores per query of two systems.

        Parameters
        ----------
        results : dict, EvaluationResults, list, or one system
            Systems as `sklearn_irmetrics.comparison.compare` takes them, or one of
            them: an EvaluationResult, QueryScores, Series or array-like.
        baseline : str or system, default=None
            Name of the system of `results` to compare with; None: the first. With one
            system: the other.
        metric : str, default=None
            Which measure; required if the results have several.
        name, baseline_name : str, default=None
            Names of the two systems; None: their names in `results`. With more than two
            in `results`, `name` is the one to draw.
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        QueryDifferenceDisplay

        Raises
        ------
        TypeError, ValueError
            If an argument breaks the rules above; the message names it.
        ImportError
            If matplotlib is missing.
        """
        if baseline is None or isinstance(baseline, str):
            systems = choose_two(results, baseline, name)
            system, baseline = systems
            name, baseline_name = name or system, baseline_name or baseline
        else:
            systems = {"result": results, "baseline": baseline}
        metric = the_metric(systems, metric)
        scores = align_queries(systems, metric)
        n_queries = len(scores.values)
        return cls(
            differences=scores.values[:, 0] - scores.values[:, 1],
            query_ids=np.arange(n_queries) if scores.ids is None else scores.ids,
            metric="score" if metric is None else metric,
            greater_is_better=greater_is_better_of(systems, metric),
            name=name,
            baseline_name=baseline_name,
        ).plot(ax=ax, **kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        baseline_name: str | None = None,
        plot_mean: bool = True,
        **kwargs: Any,
    ) -> Self:
        """Draw the bars, from the best query to the worst.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        name, baseline_name : str, default=None
            Names of the two systems; None uses those stored.
        plot_mean : bool, default=True
            Whether to draw the mean difference.
        **kwargs
            Passed to matplotlib's `fill_betweenx` for the bars.

        Returns
        -------
        QueryDifferenceDisplay
            This display.
        """
        is_new = ax is None
        ax = self._start(ax, plot_mean=plot_mean)
        differences = np.asarray(self.differences, dtype=np.float64)
        # Sums of the same terms in another order differ only by rounding.
        differences = np.where(np.abs(differences) < 1e-12, 0.0, differences)
        gains = differences if self.greater_is_better else -differences
        order = np.argsort(-gains, kind="stable")
        order = order[~np.isnan(gains[order])]
        if (known := order_of_rows(ax)) is None:
            ax.set_ylabel("Query")
        else:
            place = {self.query_ids[i]: i for i in order}
            if place.keys() != set(known):
                raise ValueError(
                    "ax must have rows of its own (sharey=False) where systems are "
                    "defined on other queries than those of the axes beside it."
                )
            order = np.array([place[key] for key in known], dtype=np.intp)
        bars, gains = differences[order], gains[order]
        query_ids = [self.query_ids[i] for i in order]
        first = self.name if name is None else name
        second = self.baseline_name if baseline_name is None else baseline_name
        first = legend_name(first or "System")
        second = legend_name(second or "Baseline")
        sizes = heights_of_bars(len(bars))
        centers = np.cumsum(sizes) - sizes / 2
        reach = np.where(sizes == 1.0, 0.4, sizes / 2)  # thin bars have no gaps
        edges = np.column_stack([centers - reach, centers + reach])
        self.better_ = draw_bars(ax, edges, bars, gains > 0, first, COLORS[0], kwargs)
        self.worse_ = draw_bars(ax, edges, bars, gains < 0, second, COLORS[1], kwargs)
        self.better_.set_gid("differences")
        self.better_.query_ids = query_ids
        rows = np.array([0.0, sizes.sum()])  # not through the legend above them
        ax.plot([0.0, 0.0], rows, color=GREY, linewidth=0.8)
        if (equal := gains == 0).any():
            ax.plot(
                np.zeros(np.count_nonzero(equal)),
                centers[equal],
                color=GREY,
                linestyle="none",
                marker="o",
                markersize=3,
                label=f"Equal: {np.count_nonzero(equal)}",
            )
        self.line_ = None
        if plot_mean and len(bars):
            mean = bars.mean()
            form = "+.2g" if 1e-12 < abs(mean) < 0.001 else "+.3f"
            (self.line_,) = ax.plot(
                [mean, mean],
                rows,
                color=ax.xaxis.label.get_color(),
                linestyle="-.",
                linewidth=1,
                label=f"Mean: {mean:{form}}",
            )
        ax.set_xlabel(
            f"Difference in {name_measure(self.metric, self.greater_is_better)}"
        )
        name_queries(ax, query_ids, centers, sizes, grow=is_new)
        limits = [panel.dataLim for panel in panels(ax, "x")]
        low, high = min(box.x0 for box in limits), max(box.x1 for box in limits)
        least = 0.05 * width_of_range(self.metric)
        if high - low < least:
            low, high = min(low, -least / 2), max(high, least / 2)
        margin = 0.05 * (high - low) or 0.05
        ax.set_xlim(low - margin, high + margin)
        missing = max(0.0, 0.5 * (_FEW_BARS - len(bars)))  # bars stay narrow
        show_legend(ax, rows[1] + 0.2 + missing, -0.2 - missing, above=True)
        return self


def name_queries(ax, ids, centers, sizes, *, grow):
    """Write the ids beside their bars; of many, those of the best and the worst.

    With `grow` the figure may become higher for them.
    """
    names = [visible(str(key)) for key in ids]
    names = [n if len(n) <= 20 else f"{n[:9]}…{n[-10:]}" for n in names]
    if len(names) > _MANY_QUERIES:
        n_others = len(names) - 2 * _NAMED
        middle = (centers[_NAMED] + centers[-_NAMED - 1]) / 2
        centers = [*centers[:_NAMED], middle, *centers[-_NAMED:]]
        names = [*names[:_NAMED], f"{n_others:,} others", *names[-_NAMED:]]
    figure = ax.figure.figure
    needed = 1.5 + 0.17 * sizes.sum()
    if grow:
        figure.set_figheight(max(figure.get_figheight(), needed))
    is_tight = needed > figure.get_figheight()
    ax.set_yticks(centers, names, parse_math=False)
    ax.tick_params("y", labelsize="xx-small" if is_tight else "small")
