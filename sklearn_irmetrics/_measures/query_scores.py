"""Scores per query and their averages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_irmetrics._core.aggregate import aggregate
from sklearn_irmetrics._core.parameters import (
    INTERVALS,
    check_confidence_level,
    check_count,
    check_interval,
    check_option,
    check_seed,
)
from sklearn_irmetrics._measures.averages import average_of, rules_of
from sklearn_irmetrics._measures.parts import (
    check_average,
    check_part,
    join,
    join_arrays,
    join_by_label,
    measure_behind,
    repeated_id,
)
from sklearn_irmetrics._measures.tabular import Tabular
from sklearn_irmetrics._tables import Number, Table, count, import_pandas, write_text
from sklearn_irmetrics._typing import ArrayLike, Bounds, Intervals, RandomState

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class QueryScores(Tabular):
    """Scores per query, and their means, by measure.

    Attributes
    ----------
    query_ids : ndarray of shape (n_queries,)
        Ids in order of first appearance, or row numbers for 2-D input.
    scores : dict of str to ndarray of shape (n_queries,)
        One value per query, by name of the measure; NaN where undefined.
    mean : dict of str to float
        The average over queries by measure.
    n_defined : dict of str to int
        Number of queries in each average; queries left out are undefined.
    metrics : dict of str to str, or None
        The measure behind each name, such as ``"ap"`` behind a label, with those rules
        of the call that are not the defaults; None: unknown.
    weights : ndarray of shape (n_queries,) or None
        One weight per query, if there are weights.
    counts : dict of str to ndarray of shape (n_counts, n_queries), or None
        For each measure whose average is "micro", the counts behind its average.
    """

    query_ids: np.ndarray
    scores: dict[str, np.ndarray]
    mean: dict[str, float]
    metrics: dict[str, str] | None = None
    weights: np.ndarray | None = None
    counts: dict[str, np.ndarray] | None = None

    @staticmethod
    def concat(parts: Iterable[QueryScores]) -> QueryScores:
        """Join the scores of different queries, as if they had been scored in one call.

        Parameters
        ----------
        parts : iterable of QueryScores
            Of the same measures, all with weights or all without. Tensors become
            arrays.

        Returns
        -------
        QueryScores
            The queries of all parts, in order. All averages, including weighted,
            geometric and micro averages, equal those of one call.

        Raises
        ------
        TypeError
            If a part is something else, or has ids of another type.
        ValueError
            If there is no part, two parts share a query or differ in measures or rules,
            or an average of a part does not follow from its scores.

        Examples
        --------
        >>> from sklearn_irmetrics import QueryScores, score_queries
        >>> monday = score_queries([1, 0], [2, 1], "mrr", qid=["a", "a"])
        >>> tuesday = score_queries([1, 0], [1, 2], "mrr", qid=["b", "b"])
        >>> QueryScores.concat([monday, tuesday])
        QueryScores of 2 queries
          mrr  0.7500
        """
        if not isinstance(parts, Iterable):
            raise TypeError(
                f"parts must be a list of QueryScores; got a {type(parts).__name__}."
            )
        parts = list(parts)
        if not parts:
            raise ValueError("parts must hold at least one QueryScores; got none.")
        for part in parts:
            if type(part) is not QueryScores:
                raise TypeError(
                    f"parts must be a list of QueryScores; got a {type(part).__name__}."
                )
            check_part(parts[0], part)
        ids = [part.query_ids for part in parts]
        if (shared := repeated_id(ids)) is not None:
            raise ValueError(
                f"parts must not share a query; {shared!r} is in two of them. Without "
                "qid, queries are called 0, 1, ...: pass qid."
            )
        joined = QueryScores(
            join(ids),
            join_by_label([part.scores for part in parts]),
            {},
            parts[0].metrics,
            join_arrays([part.weights for part in parts]),
            join_by_label([part.counts or {} for part in parts]) or None,
        )
        mean = {label: joined._average(label) for label in joined.scores}
        return replace(joined, mean=mean)

    def _average(self, label):
        """Return the average of the scores of a measure."""
        try:
            measure = measure_behind(self, label)
        except ValueError:  # it is not one of this package
            return aggregate(self.scores[label], self.weights, name=label)
        weights = None if self.weights is None else self.weights
        if label in (self.counts or {}):
            return average_of(measure, self.counts[label], weights, np.nan)
        options = {"average": "macro", **measure.averaging}
        name = measure.metric.function.__name__
        return aggregate(self.scores[label], weights, name=name, **options)

    @property
    def n_defined(self) -> dict[str, int]:
        """Number of queries in each average, by measure.

        Text and tables show it if it differs between measures, because their averages
        are then over different queries.
        """
        counted = True if self.weights is None else self.weights > 0
        return {
            name: int((counted & ~np.isnan(values)).sum())
            for name, values in self.scores.items()
        }

    def interval(
        self,
        metric: str | None = None,
        *,
        confidence_level: float = 0.95,
        method: Intervals = "auto",
        bounds: Bounds = None,
        groups: ArrayLike | None = None,
        strata: ArrayLike | None = None,
    ) -> tuple[float, float]:
        """Return the confidence interval of an average over queries.

        Parameters
        ----------
        metric : str or None, default=None
            Which measure. None: the first.
        confidence_level : float, default=0.95
            Of the interval.
        method : {"auto", "t", "bca", "betting", "dirichlet"}, default="auto"
            How it is made; see `ranking_report`.
        bounds : tuple of float or None, default=None
            The lowest and the highest possible value, if you know more than the range
            of the measure.
        groups : array-like of shape (n_queries,), default=None
            Queries with the same id are one unit, such as variants of a question.
        strata : array-like of shape (n_queries,), default=None
            The stratum of each query, such as the data set it is from: the interval is
            then that of the mean of the stratum means.

        Returns
        -------
        low, high : float
            NaN if the data allow no interval.

        Raises
        ------
        ValueError
            If an argument breaks the rules above, or the average does not follow from
            the scores and weights.

        Examples
        --------
        >>> from sklearn_irmetrics import score_queries
        >>> found = score_queries([[1, 0], [0, 1], [1, 0]], [[2, 1]] * 3, "mrr")
        >>> low, high = found.interval()
        >>> round(low, 2), round(high, 2)
        (0.14, 1.0)
        """
        # SciPy takes long to import, and means do not need it.
        from sklearn_irmetrics._measures.intervals import (
            check_range,
            measure_interval,
            number_groups,
            number_strata,
        )

        metric = next(iter(self.scores)) if metric is None else metric
        check_option("metric", metric, self.scores)
        check_option("method", method, INTERVALS)
        level = check_confidence_level(confidence_level)
        values = self.scores[metric]
        measure = measure_behind(self, metric)
        weights = None if self.weights is None else self.weights
        if measure.average == "macro":
            check_average("QueryScores", self, metric)
        groups = number_groups(groups, len(values))
        return measure_interval(
            values,
            measure,
            label=metric,
            weights=weights,
            groups=groups,
            strata=number_strata(strata, groups, len(values)),
            method=method,
            bounds=check_range(bounds, self.scores),
            confidence_level=level,
        )[0]

    def report(
        self,
        *,
        groups: ArrayLike | None = None,
        strata: ArrayLike | None = None,
        by: ArrayLike | None = None,
        confidence_level: float = 0.95,
        interval: Intervals = "auto",
        bounds: Bounds = None,
        output: str = "text",
        digits: int = 3,
        random_state: RandomState = None,
    ) -> Any:
        """Report means, intervals and counts, as `ranking_report` does.

        Parameters
        ----------
        groups : array-like of shape (n_queries,), default=None
            Queries with the same id are one unit, such as variants of a question.
        strata : array-like of shape (n_queries,), default=None
            The stratum of each query: means are then the means of the stratum means.
        by : array-like of shape (n_queries,), default=None
            The slice of each query: a row per measure and slice, with intervals that
            hold for all slices of a measure at once.
        confidence_level : float, default=0.95
            Confidence level of the intervals, between 0 and 1.
        interval : {"auto", "t", "bca", "betting", "dirichlet"}, default="auto"
            How intervals are made; see `ranking_report`.
        bounds : tuple of float, dict of str to tuple, or None, default=None
            The lowest and the highest possible value, or these by measure.
        output : {"text", "dict", "frame", "html", "latex", "markdown", "csv"}, \
                default="text"
            What to return; all but "dict" and "frame" are a str.
        digits : int, default=3
            Number of decimals of a str; CSV has full precision.
        random_state : int, RandomState instance or None, default=None
            Seed of the bootstrap resamples, the same for every measure.

        Returns
        -------
        str, dict or pandas.DataFrame
            Without chance levels, ties and counts of documents, for which
            `ranking_report` needs the documents.

        Raises
        ------
        TypeError, ValueError
            If an argument breaks the rules above; the message names it.

        Examples
        --------
        >>> from sklearn_irmetrics import score_queries
        >>> found = score_queries([[1, 0], [0, 1], [1, 0]], [[2, 1]] * 3, "mrr")
        >>> print(found.report())
        3 queries
        <BLANKLINE>
                mean   95 % interval  queries  undefined
          mrr  0.833  [0.145, 1.000]        3          0
        <BLANKLINE>
        Intervals: t over 3 queries and the range, which decides its width.
        """
        from sklearn_irmetrics._measures.report_rows import measure_scores
        from sklearn_irmetrics._measures.report_table import OUTPUTS, write_report

        check_option("output", output, OUTPUTS)
        measures = {label: measure_behind(self, label) for label in self.scores}
        for label, measure in measures.items():
            if measure.average == "macro":
                check_average("QueryScores", self, label)
        rows = measure_scores(
            self,
            measures,
            groups=groups,
            strata=strata,
            by=by,
            confidence_level=check_interval(confidence_level, interval),
            interval=interval,
            bounds=bounds,
            seed=check_seed(random_state),
        )
        counts = {"queries": len(self.query_ids)}
        report: dict[str, Any] = {"measures": rows, "counts": counts}
        report["confidence_level"] = confidence_level
        return write_report({None: report}, output, check_count("digits", digits, 0))

    def plot(self, **kwargs: Any) -> Any:
        """Draw means and their intervals.

        Parameters
        ----------
        **kwargs
            Passed to :meth:`sklearn_irmetrics.plot.EvaluationDisplay.from_results`,
            such as `metric`, `confidence_level` and `ax`.

        Returns
        -------
        EvaluationDisplay
            With a row per measure.

        Raises
        ------
        ImportError
            If matplotlib is missing.
        """
        plot = import_module("sklearn_irmetrics.plot")
        return plot.EvaluationDisplay.from_results(self, **kwargs)

    def to_frame(self) -> DataFrame:
        """Return the scores as a table.

        Returns
        -------
        pandas.DataFrame of shape (n_queries, n_measures)
            Query ids in the index.
        """
        (name, ids), *scores = self._data()
        ids = ids.astype(object) if ids.dtype.kind == "T" else ids
        pd = import_pandas()
        return pd.DataFrame(dict(scores), index=pd.Index(ids, name=name))

    def __repr__(self):
        """Show the averages, one measure a line."""
        table = self._table()
        return write_text(table, header=len(table.header) > 2)

    def _table(self):
        rows = [(name, Number(float(value))) for name, value in self.mean.items()]
        title = [f"QueryScores of {count(len(self.query_ids), 'query')}"]
        counts = self.n_defined.values()
        if len(set(counts)) < 2:
            return Table(title, ("measure", "mean"), rows, "<>")
        rows = [(*row, str(n)) for row, n in zip(rows, counts, strict=True)]
        return Table(title, ("measure", "mean", "queries"), rows, "<>>")

    def _data(self):
        columns = [("qid", self.query_ids), *self.scores.items()]
        return [(name, values) for name, values in columns]


def average_values(measures, values, query_ids, weights, ties, replace_undefined_by):
    """Return the `QueryScores` of what `values_per_query` returned."""
    scores, mean, counts = {}, {}, {}
    for label, measure in measures.items():
        own = measure, values[label], weights, replace_undefined_by
        mean[label] = average_of(*own)
        scores[label] = average_of(*own, average=None)
        if measure.average == "micro":
            counts[label] = values[label]
    metrics = rules_of(measures, ties, replace_undefined_by)
    return QueryScores(query_ids, scores, mean, metrics, weights, counts or None)
