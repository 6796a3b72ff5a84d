"""The curve that most displays draw, with their own numbers and names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from sklearn_irmetrics._arrays.labels import check_row_order
from sklearn_irmetrics._arrays.query_ids import group_rows, list_values
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
    legend_name,
    merge_options,
    relevant_class,
    respond,
    show_legend,
    whole_ranks,
)
from sklearn_irmetrics.reports.aligned import judge
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
    _axis_names: ClassVar[Any]  # the labels of both axes, or a property
    _summary: ClassVar[Any] = None  # of the curve, for legends: a text, or a property
    _line_style: ClassVar[Any] = {}  # options of the line, or a property
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
        despine: bool = False,
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
        despine : bool, default=False
            Whether to leave out the upper and the right edge of the axes.

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
            despine=despine,
            chance_level_kw=chance_level_kw,
            curve_kwargs=curve_kwargs,
        )
        name = legend_name(self.name if name is None else name)
        label = name
        if (summary := self._summary) is not None:
            label = summary if name is None else f"{name} ({summary})"
        if np.isnan(y).all() and "undefined" not in (label or ""):
            label = "undefined" if label is None else f"{label} (undefined)"
        defaults = {"label": label, **self._line_style}
        self.line_: Any
        (self.line_,) = ax.plot(x, y, **merge_options(defaults, curve_kwargs))
        ax.update_datalim(np.column_stack([x, x]), updatey=False)  # where y is NaN
        self.queries_ = self._draw_queries(at) if per_query else None
        self.band_, ends = None, self._ends() if band else None
        if ends is not None and not np.isnan(ends).all():
            color = self.line_.get_color()
            self.band_ = ax.fill_between(at, *ends, color=color, alpha=0.2, lw=0)
        self._draw_references(plot_chance_level, chance_level_kw)
        xlabel, ylabel = self._axis_names
        ax.set(xlabel=xlabel, ylabel=ylabel, aspect=self.aspect)
        low, high = self._limits()
        show_legend(ax, low, high, above=not self.of_rates)
        if despine:
            ax.spines[["top", "right"]].set_visible(False)
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

    def _ends(self):
        """Return the low and high ends of the band."""
        return self.confidence_interval

    def _draw_references(self, plot_chance_level, chance_level_kw):
        """Draw the chance line."""
        x, y = self._chance_points
        self.chance_level_ = None
        if plot_chance_level and y is not None and not np.isnan(y).all():
            self.chance_level_ = draw_reference(
                self.ax_, "Chance", x, y, chance_level_kw
            )

    @property
    def _chance_points(self):
        """The points of the chance line."""
        return getattr(self, self.points[0]), self.chance_level

    def _limits(self):
        """Return the ends of the vertical axis; set those of the horizontal one."""
        if self.of_rates:
            return self.ax_.set_xlim(-0.02, 1.02)
        whole_ranks(self.ax_)
        low, high = heights(self.ax_)
        return min(0.0, low), 1.05 * high


@dataclass(frozen=True)
class Band:
    """How the band of a curve is made: an interval over queries at each point.

    Attributes
    ----------
    confidence_level : float
        Such as 0.95.
    interval : str
        The method of `pointwise_intervals`.
    queries : ndarray of shape (n_rankings,), default=None
        The number of the query of each ranking, if some queries are ranked by several
        models; else each ranking is a query.
    """

    confidence_level: float
    interval: str
    queries: Any = None

    def around(self, values, weights, bounds):
        """Return the low and high ends; see `pointwise_intervals`."""
        if self.queries is not None:
            values = self.by_query(values)
            weights = None if weights is None else np.bincount(self.queries, weights)
        return pointwise_intervals(
            values,
            weights,
            method=self.interval,
            bounds=bounds,
            confidence_level=self.confidence_level,
        )

    def by_query(self, values):
        """Return the values of each query, the means of those of its rankings."""
        if self.queries is None or values is None:
            return values
        shape = self.queries.max() + 1, values.shape[1]
        defined, sums, counts = ~np.isnan(values), np.zeros(shape), np.zeros(shape)
        np.add.at(sums, self.queries, np.where(defined, values, 0.0))
        np.add.at(counts, self.queries, defined)
        means = np.full(shape, np.nan)
        return np.divide(sums, counts, out=means, where=counts > 0)


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
        despine: bool = False,
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
            How it is made; see `QueryScores.report`.
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
        despine : bool, default=False
            Whether to leave out the upper and the right edge of the axes.
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
        judgments, y_score = judge(Judgments(y_true, qid), y_score)
        rankings = CurveRankings(
            y_true=judgments.y_true,
            y_score=y_score,
            qid=judgments.qid,
            sample_weight=kwargs.pop("sample_weight", None),
        )
        return cls._draw_rankings(
            rankings,
            confidence_level=confidence_level,
            interval=interval,
            name=name,
            ax=ax,
            per_query=per_query,
            band=band,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            curve_kwargs=curve_kwargs,
            despine=despine,
            **kwargs,
        )

    @classmethod
    def _draw_rankings(
        cls,
        rankings,
        queries=None,
        *,
        confidence_level=0.95,
        interval="auto",
        name=None,
        ax=None,
        per_query=False,
        band=True,
        plot_chance_level=True,
        chance_level_kw=None,
        curve_kwargs=None,
        despine=False,
        **kwargs,
    ):
        """Draw `CurveRankings`; `queries` are those of `Band`."""
        cls._check_arguments(kwargs)
        check_flag("plot_chance_level", plot_chance_level)
        level = check_interval(confidence_level, interval)
        over_queries = Band(level, interval, queries)
        numbers = cls._measure(
            rankings,
            band=over_queries,
            plot_chance_level=plot_chance_level,
            **{**cls.arguments, **kwargs},
        )
        numbers["per_query"] = over_queries.by_query(numbers["per_query"])
        display: Any = cls  # of a dataclass, which has parameters
        return display(**numbers, name=name).plot(
            ax,
            per_query=per_query,
            band=band,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            curve_kwargs=curve_kwargs,
            despine=despine,
        )

    @classmethod
    def _check_arguments(cls, options):
        known = [*cls.arguments, "sample_weight"]
        if unknown := [name for name in options if name not in known]:
            rest = ", arguments of the measure into metric" if "metric" in known else ""
            raise TypeError(
                f"{cls.__name__} takes {', '.join(known)} for {cls.function}; got "
                f"{unknown[0]!r}. Options of matplotlib go into curve_kwargs{rest}."
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
        chance_level_kwargs: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Plot the predictions of the test data of a cross-validation.

        Each query of the test data is a ranking by the model that was not trained on
        it, and the curve is their mean. A query that several splits test counts once,
        with the mean of its curves. Without `qid`, the test data of each split are one
        ranking, and `per_query` draws the curves of the splits.

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
            Query ids, for splits that keep queries whole. None: the test data of a
            split are one ranking, or each row ranks its classes.
        response_method : str or tuple of str, default=("decision_function", \
                "predict_proba", "predict")
            The methods that give scores; the first that the estimator has is used.
        name : str, default=None
            Name in the legend; None uses the class of the estimator.
        sample_weight : array-like of shape (n_documents,), default=None
            One weight per row, constant inside a query (a split, without `qid`).
        chance_level_kwargs : dict, default=None
            Another name of `chance_level_kw`, which scikit-learn has here.
        **kwargs
            As in `from_predictions`. If the test data of a split are one ranking, the
            default of `per_query` is True, and that of `band` is False: splits, which
            share training data, are not independent.

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
        check_row_order(X=X, y=y, qid=qid, sample_weight=sample_weight)
        ids = None
        if qid is not None:
            grouped = group_rows(qid, n_rows)
            _check_whole(grouped, cv_results["indices"].get("train", ()), tests)
            ids = grouped.codes()
        y_true, y_score = _respond_to_tests(
            estimators, X, y, ids, tests, response_method, relevant_class(kwargs)
        )
        splits_rank = y_score.ndim == 1 and ids is None
        numbers, queries = _rankings_of_splits(ids, tests, each_row=y_score.ndim == 2)
        if sample_weight is not None:
            sample_weight = check_weights(sample_weight, n_rows, "row")
            sample_weight = sample_weight[np.concatenate(tests)]
        times = np.bincount(queries)  # how often each is ranked
        if times.min() < times.max():
            shares = 1.0 / times[queries][numbers]
            sample_weight = shares if sample_weight is None else shares * sample_weight
        rankings = CurveRankings(
            y_true, y_score, numbers if y_score.ndim == 1 else None, sample_weight
        )
        options = {
            "name": type(estimators[0]).__name__ if name is None else name,
            "per_query": splits_rank,
            "band": not splits_rank,
            **kwargs,
        }
        if chance_level_kwargs is not None:
            if not isinstance(chance_level_kwargs, Mapping):
                raise TypeError(
                    "chance_level_kwargs must be a dict or None; got "
                    f"{chance_level_kwargs!r}."
                )
            options["chance_level_kw"] = chance_level_kwargs
        return cls._draw_rankings(
            rankings, queries if times.max() > 1 else None, **options
        )


def _check_cv_results(cv_results):
    """Return the estimators of the splits, and the rows of their test data."""
    if not isinstance(cv_results, Mapping) or not {"estimator", "indices"} <= {
        *cv_results
    }:
        got = sorted(cv_results) if isinstance(cv_results, Mapping) else cv_results
        raise ValueError(
            "cv_results must be what cross_validate returned with "
            f"return_estimator=True and return_indices=True; got {got!r:.80}."
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


def _respond_to_tests(estimators, X, y, ids, tests, response_method, pos_label):
    """Return targets and scores of the test data of all splits, one after another."""
    parts = [
        respond(
            estimator,
            safe_indexing(X, rows),
            safe_indexing(y, rows),
            None if ids is None else ids[rows],
            response_method,
            parameter="cv_results['estimator']",
            pos_label=pos_label,
        )
        for estimator, rows in zip(estimators, tests, strict=True)
    ]
    classes = parts[0][-1]  # if rows rank them, else None
    if any(not np.array_equal(classes, labels) for *_, labels in parts):
        each = "; ".join(str(np.asarray(labels).tolist()) for *_, labels in parts)
        raise ValueError(f"cv_results must hold estimators of the same classes: {each}")
    y_true, y_score = (
        np.concatenate([np.asarray(part) for part in column])
        for column in list(zip(*parts, strict=True))[:2]
    )
    return y_true if classes is None else indicators(y_true, classes), y_score


def _check_whole(queries, trains, tests):
    """Refuse splits that cut queries.

    As in `evaluate`, both sides of a split may have the same rows.
    """
    codes, n_queries = queries.codes(), len(queries.ids)
    is_cut = np.zeros(n_queries, dtype=bool)
    for train, test in zip(trains, tests, strict=False):
        is_trained = np.zeros(n_queries, dtype=bool)
        is_trained[codes[train]] = True
        shared = codes[test][is_trained[codes[test]]]
        if len(shared) and not np.array_equal(np.unique(train), np.unique(test)):
            is_cut[shared] = True
    _refuse_cut(queries, is_cut, "queries on both sides of a split")
    n_tested = np.bincount(codes[np.unique(np.concatenate(tests))], minlength=n_queries)
    for test in tests:
        n_rows = np.bincount(codes[np.unique(test)], minlength=n_queries)
        is_cut |= (n_rows > 0) & (n_rows < n_tested)
    _refuse_cut(queries, is_cut, "parts of queries in the test data of several splits")


def _refuse_cut(queries, is_cut, where):
    if is_cut.any():
        named = [*map(repr, list_values(queries.ids[is_cut]))]
        shown = ", ".join(named[:5] + ["..."] * (len(named) > 5))
        raise ValueError(
            f"cv_results puts {where}: {shown}. Use a splitter that keeps them whole, "
            "such as QueryKFold, HoldoutSplit or, forward in time, "
            "QueryTimeSeriesSplit."
        )


def _rankings_of_splits(ids, tests, *, each_row):
    """Return the number of the ranking of each row, and of the query of each ranking.

    With `each_row`, each row is a ranking of its classes; else a ranking is a query of
    a split. Without `ids`, the test data of a split are a query of their own.
    """
    rows = np.concatenate(tests)
    splits = np.repeat(np.arange(len(tests)), [len(test) for test in tests])
    if each_row:
        return np.arange(len(rows)), group_rows(rows, len(rows)).codes()
    if ids is None:
        return splits, np.arange(len(tests))
    n_ids = ids.max() + 1
    rankings = group_rows(splits * n_ids + ids[rows], len(rows))
    queries = rankings.ids % n_ids
    return rankings.codes(), group_rows(queries, len(queries)).codes()
