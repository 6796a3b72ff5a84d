"""The curve that most displays draw, with their own numbers and names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from sklearn_irmetrics._arrays.query_ids import group_rows
from sklearn_irmetrics._checks import check_flag, check_interval
from sklearn_irmetrics._compat import num_samples, safe_indexing
from sklearn_irmetrics._statistics.intervals import pointwise_intervals
from sklearn_irmetrics._typing import Ids, RankingsOrRun, ResponseMethod, Systems
from sklearn_irmetrics.metrics._ranking.averages import aggregate_rows
from sklearn_irmetrics.metrics._ranking.batch import check_batch, check_weights
from sklearn_irmetrics.metrics._ranking.judgments import Judgments
from sklearn_irmetrics.metrics._registry import RESPONSES
from sklearn_irmetrics.plot._style import (
    Display,
    PredictionsDisplay,
    draw_reference,
    for_each_system,
    heights,
    respond,
    show_legend,
    whole_ranks,
    with_defaults,
)
from sklearn_irmetrics.reports.report import judge
from sklearn_irmetrics.scorers._responses import indicators

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKED = {"marker": "o", "markersize": 4}


class CurveDisplay(Display):
    """A curve with a band, single queries behind it and a chance line.

    For rates, both axes go from 0 to 1; for ranks, the horizontal axis does not.
    """

    points: ClassVar[tuple[str, str]]  # the attributes that hold the curve
    in_order: ClassVar[str]  # what an error calls the points of the horizontal axis
    confidence_interval: Any = None
    per_query: Any = None
    chance_level: Any = None
    name: str | None
    grid: Any = None  # where band and queries are, if not at the points of the curve
    of_rates = True
    aspect = "auto"

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        per_query: bool = False,
        band: bool = True,
        plot_chance_level: bool = True,
        chance_level_kw: Mapping[str, Any] | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
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
        curve_kwargs : dict, default=None
            Passed to matplotlib's `plot` for the curve.

        Returns
        -------
        display
            This display.
        """
        x, y = (getattr(self, attribute) for attribute in self.points)
        at = x if self.grid is None else self.grid
        self._check_order(at)
        ax = self._start(
            ax,
            band=band,
            per_query=per_query,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            curve_kwargs=curve_kwargs,
        )
        label, style = self._legend_entry(self.name if name is None else name)
        if np.isnan(y).all() and "undefined" not in (label or ""):
            label = "undefined" if label is None else f"{label} (undefined)"
        defaults = {"label": label, **style}
        self.line_: Any
        (self.line_,) = ax.plot(x, y, **with_defaults(defaults, curve_kwargs))
        ax.update_datalim(np.column_stack([x, x]), updatey=False)  # where y is NaN
        self.queries_ = self._draw_queries(at) if per_query else None
        self.band_ = self._draw_band(at) if band else None
        self._draw_references(plot_chance_level, chance_level_kw)
        xlabel, ylabel = self._axis_names()
        ax.set(xlabel=xlabel, ylabel=ylabel, aspect=self.aspect)
        low, high = self._limits()
        show_legend(ax, low, high, above=not self.of_rates)
        return self

    def _check_order(self, at):
        """Refuse points that go back and forth."""
        steps = np.diff(at)
        if steps.min(initial=0) < 0 < steps.max(initial=0):
            raise ValueError(
                f"{self.in_order} must ascend or descend, as points of a curve do; got "
                f"{np.asarray(at).tolist()}."
            )

    def _draw_queries(self, at):
        """Draw one faint line per query, as a single artist."""
        if self.per_query is None:
            return None
        from matplotlib.collections import LineCollection

        values = self.per_query[~np.isnan(self.per_query).all(axis=1)]
        segments = np.empty((*values.shape, 2))
        segments[:, :, 0], segments[:, :, 1] = at, values
        alpha = max(0.05, min(0.35, 5.0 / max(1, len(values))))
        color = self.line_.get_color()
        lines = LineCollection(segments, colors=color, alpha=alpha, linewidths=0.8)
        lines.set_gid("queries")
        return self.ax_.add_collection(lines)

    def _draw_band(self, at):
        """Shade the interval, if it is known."""
        ends = self._ends()
        if ends is None or np.isnan(ends).all():
            return None
        color = self.line_.get_color()
        return self.ax_.fill_between(at, *ends, color=color, alpha=0.2, lw=0)

    def _ends(self):
        """Return the low and high ends of the band."""
        return self.confidence_interval

    def _draw_references(self, plot_chance_level, chance_level_kw):
        """Draw the chance line."""
        x, y = self._chance_points()
        self.chance_level_ = None
        if plot_chance_level and y is not None and not np.isnan(y).all():
            self.chance_level_ = draw_reference(
                self.ax_, "Chance", x, y, chance_level_kw
            )

    def _chance_points(self):
        return getattr(self, self.points[0]), self.chance_level

    def _legend_entry(self, name):
        """Return the label of the curve and options of its line."""
        return name, {}

    def _axis_names(self):
        """Return the labels of the axes."""
        raise NotImplementedError

    def _limits(self):
        """Return the ends of the vertical axis; set those of the horizontal one."""
        if self.of_rates:
            return self.ax_.set_xlim(-0.02, 1.02)
        whole_ranks(self.ax_)
        low, high = heights(self.ax_)
        return min(0.0, low), 1.05 * high


@dataclass(frozen=True)
class Band:
    """How the band of a curve is made: an interval over queries at each point."""

    confidence_level: float
    interval: str

    def around(self, values, weights, bounds):
        """Return the low and high ends; see `pointwise_intervals`."""
        return pointwise_intervals(
            values,
            weights,
            method=self.interval,
            bounds=bounds,
            confidence_level=self.confidence_level,
        )


@dataclass(frozen=True)
class CurveRankings:
    """The rankings that a curve is made from.

    Attributes
    ----------
    y_true, y_score, qid
        As for the function that returns the numbers of the curve.
    sample_weight
        That of its arguments that belongs to the rankings.
    """

    y_true: Any
    y_score: Any
    qid: Any
    sample_weight: Any = None

    def batch(self, **options):
        """Return the rankings, checked."""
        return check_batch(**vars(self), **options)


def mean_over_queries(name, values, weights):
    """Return the mean at each point; warn of queries that are undefined."""
    return aggregate_rows(values.T, weights, name=name)


class PredictionCurveDisplay(PredictionsDisplay, CurveDisplay):
    """A curve that is made from predictions."""

    # The function that returns the numbers, and its arguments besides the rankings.
    function: ClassVar[str]
    arguments: ClassVar[Mapping[str, Any]]

    @classmethod
    def _measure(cls, rankings, *, band, plot_chance_level, **options):
        """Return the parameters of the display.

        Parameters
        ----------
        rankings : CurveRankings
            What is drawn.
        band : Band
            How the band is made.
        plot_chance_level : bool
            Whether the chance level is needed.
        **options
            All of `arguments`, given or default.
        """
        raise NotImplementedError

    @classmethod
    @for_each_system
    def from_predictions(
        cls,
        y_true: RankingsOrRun,
        y_score: Systems = None,
        *,
        qid: Ids | None = None,
        confidence_level: float = 0.95,
        interval: str = "auto",
        name: str | None = None,
        ax: Axes | None = None,
        per_query: bool = False,
        band: bool = True,
        plot_chance_level: bool = True,
        chance_level_kw: Mapping[str, Any] | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Plot predictions.

        Parameters
        ----------
        y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
            Grades; larger is better, NaN: unjudged. Or an `AlignedRun`, which holds the
            scores and query ids too.
        y_score : array-like of the shape of `y_true`, or CSR
            Scores; larger ranks higher, -inf: not retrieved. None with an `AlignedRun`.
            Or a dict of these by system, which are all drawn on the same axes.
        qid : array-like of shape (n_documents,), default=None
            Query ids, for 1-D input. None: all rows are one ranking.
        confidence_level : float, default=0.95
            Confidence level of the band: an interval over queries at each point, as
            `ranking_report` makes it.
        interval : {"auto", "t", "bca", "betting"}, default="auto"
            How it is made; see `ranking_report`.
        name : str, default=None
            Name in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; None creates new ones.
        per_query : bool, default=False
            Whether to draw the curves of single queries.
        band : bool, default=True
            Whether to shade the interval.
        plot_chance_level : bool, default=True
            Whether to draw the dashed chance line: what random rankings are expected to
            have.
        chance_level_kw : dict, default=None
            Passed to matplotlib's `plot` for the chance line.
        curve_kwargs : dict, default=None
            Passed to matplotlib's `plot` for the curve.
        **kwargs
            Arguments of the function that returns the numbers, such as
            `relevance_threshold`, `sample_weight` and `ties`; the display names it and
            them.

        Returns
        -------
        display
            Drawn. Or a dict of them by system, if `y_score` is one.

        Raises
        ------
        TypeError, ValueError
            If an argument breaks the rules above; the message names it.
        ImportError
            If matplotlib is missing.
        """
        cls._check_arguments(kwargs)
        check_flag("plot_chance_level", plot_chance_level)
        judgments, y_score = judge(Judgments(y_true, qid), y_score)
        rankings = CurveRankings(
            y_true=judgments.y_true,
            y_score=y_score,
            qid=judgments.qid,
            sample_weight=kwargs.pop("sample_weight", None),
        )
        numbers = cls._measure(
            rankings,
            band=Band(check_interval(confidence_level, interval), interval),
            plot_chance_level=plot_chance_level,
            **{**cls.arguments, **kwargs},
        )
        display: Any = cls  # of a dataclass, which has parameters
        return display(**numbers, name=name).plot(
            ax,
            per_query=per_query,
            band=band,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            curve_kwargs=curve_kwargs,
        )

    @classmethod
    def _check_arguments(cls, options):
        known = [*cls.arguments, "sample_weight"]
        if unknown := [name for name in options if name not in known]:
            raise TypeError(
                f"{cls.__name__} takes {', '.join(known)} for {cls.function}; got "
                f"{unknown[0]!r}. Options of matplotlib go into curve_kwargs."
            )

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: Any,
        *,
        qid: Ids | None = None,
        response_method: ResponseMethod = RESPONSES,
        name: str | None = None,
        sample_weight: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Plot the predictions of the test data of a cross-validation.

        Each query of the test data is a ranking by the model that was not trained on
        it, and the curve is their mean. Without `qid`, the test data of each split are
        one ranking, and `per_query` draws the curves of the splits.

        Parameters
        ----------
        cv_results : dict
            What `sklearn.model_selection.cross_validate` returned with
            ``return_estimator=True, return_indices=True``.
        X : array-like of shape (n_documents, n_features)
            Documents.
        y : array-like
            Grades; larger is better.
        qid : array-like of shape (n_documents,), default=None
            Query ids. None: the test data of a split are one ranking, or each row
            ranks its classes.
        response_method : str or tuple of str, default=("decision_function", \
                "predict_proba", "predict")
            The methods that give scores; the first that the estimator has is used.
        name : str, default=None
            Name in the legend; None uses the class of the estimator.
        sample_weight : array-like of shape (n_documents,), default=None
            One weight per row, constant inside a query (a split, without `qid`).
        **kwargs
            Passed to `from_predictions`. The default of `per_query` is True without
            `qid`, and that of `band` is False if single queries are not independent:
            without `qid`, or if a query is in the test data of several splits.

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
        estimators, tests = _check_cv_results(cv_results)
        n_rows = _count_rows(X, y, tests)
        ids = None if qid is None else group_rows(qid, n_rows).codes()
        parts = [
            respond(
                estimator,
                safe_indexing(X, rows),
                safe_indexing(y, rows),
                None if ids is None else ids[rows],
                response_method,
                parameter="cv_results['estimator']",
                pos_label=kwargs.get("pos_label"),
            )
            for estimator, rows in zip(estimators, tests, strict=True)
        ]
        classes = _classes_of_splits([classes for *_, classes in parts])
        y_true, y_score = (
            np.concatenate([np.asarray(one) for one in column])
            for column in list(zip(*parts, strict=True))[:2]
        )
        if classes is not None:
            y_true = indicators(y_true, classes)
        options: dict[str, Any] = {}
        if sample_weight is not None:
            weights = check_weights(sample_weight, n_rows, "row")
            options["sample_weight"] = weights[np.concatenate(tests)]
        are_dependent = False
        if y_score.ndim == 1:  # else each row is a ranking
            options["qid"], are_dependent = _rankings_of_splits(ids, tests)
        options["per_query"] = y_score.ndim == 1 and ids is None
        options["band"] = not are_dependent
        options["name"] = type(estimators[0]).__name__ if name is None else name
        return cls.from_predictions(y_true, y_score, **{**options, **kwargs})


def _check_cv_results(cv_results):
    """Return the estimators of the splits, and the rows of their test data."""
    if not isinstance(cv_results, Mapping) or not {"estimator", "indices"} <= {
        *cv_results
    }:
        found = sorted(cv_results) if isinstance(cv_results, Mapping) else cv_results
        raise ValueError(
            "cv_results must be what cross_validate returned with "
            f"return_estimator=True and return_indices=True; got {found!r:.80}."
        )
    return cv_results["estimator"], cv_results["indices"]["test"]


def _count_rows(X, y, tests):
    """Return how many rows X and y have, which the splits must be of."""
    fewest = 1 + max(np.max(rows) for rows in tests)
    for name, rows in (("X", X), ("y", y)):
        try:
            n_rows = num_samples(rows)
        except TypeError as error:
            raise TypeError(f"{name} must have a row per document: {error}") from error
        if n_rows < fewest or n_rows != num_samples(X):
            raise ValueError(
                f"{name} must have the rows of the cross-validation, at least "
                f"{fewest}; got {n_rows}."
            )
    return n_rows


def _classes_of_splits(classes):
    """Return the classes of all estimators if rows rank them, else None."""
    first = classes[0]
    if any(not np.array_equal(first, one) for one in classes):
        each = "; ".join(str(np.asarray(one).tolist()) for one in classes)
        raise ValueError(f"cv_results must hold estimators of the same classes: {each}")
    return first


def _rankings_of_splits(ids, tests):
    """Return a number for each query of each split, and whether they are dependent.

    Without `ids`, the test data of a split are one ranking. Splits share training data,
    and a query that several of them test is the same one.
    """
    splits = np.repeat(np.arange(len(tests)), [len(rows) for rows in tests])
    if ids is None:
        return splits, True
    pairs = np.column_stack([splits, ids[np.concatenate(tests)]])
    each, numbers = np.unique(pairs, axis=0, return_inverse=True)
    return numbers.ravel(), len(np.unique(each[:, 1])) < len(each)
