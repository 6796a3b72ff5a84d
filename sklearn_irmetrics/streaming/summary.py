"""Averages and intervals that follow from merged sums."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_irmetrics._checks import check_confidence_level, check_option
from sklearn_irmetrics._results.tables import (
    Column,
    count,
    decimals,
    name_measure,
    share,
    without_repeats,
)
from sklearn_irmetrics._results.tabular import Tabular
from sklearn_irmetrics._statistics.moments import Moments, merge_states
from sklearn_irmetrics._warnings import UndefinedMean, warn_of_undefined
from sklearn_irmetrics.metrics._measure import Measure, picklable
from sklearn_irmetrics.metrics._per_query import (
    refuse_complete_rankings,
    rules_of,
    warn_of_input,
)
from sklearn_irmetrics.streaming.state import (
    Average,
    check_total_weight,
    floor_of,
    says_what_was_retrieved,
)

if TYPE_CHECKING:
    from sklearn_irmetrics.reports.results import RankingReport


@dataclass(frozen=True, eq=False, repr=False)
class ScoreSummary(Tabular):
    """Averages of queries whose scores were not kept, and their intervals.

    `StreamingEvaluator` and `frames.summarize_frame` return one. If queries come in
    segments, the keys of `mean`, `n_defined` and `n_undefined` are pairs of measure and
    segment.

    Attributes
    ----------
    mean : dict of str to float
        The average over queries by measure.
    n_defined : dict of str to int
        Number of queries in each average.
    n_undefined : dict of str to int
        Number of queries that each average leaves out.
    metrics : dict of str to Measure
        The measure behind each name, with those rules of the call that are not the
        defaults.
    averages : dict of str to str
        The kind of each average.
    ranges : dict of str to tuple of float, or None
        The range of each measure, or of its logarithm if the average is geometric.
    segments : list or None
        The segments.
    state : ndarray of shape (n_rows, n_measures, n_columns)
        The sums behind all results: one row per segment and group.
    segment_of_rows : int array of shape (n_rows,)
        The segment of each row.
    grouped : bool
        Whether rows are groups of queries.
    """

    mean: dict[Any, float]
    n_defined: dict[Any, int]
    n_undefined: dict[Any, int]
    metrics: dict[str, Measure]
    averages: dict[str, str]
    ranges: dict[str, tuple[float, float] | None]
    segments: list[Any] | None
    state: np.ndarray
    segment_of_rows: np.ndarray
    grouped: bool = False

    def __getstate__(self):
        return {**vars(self), "metrics": picklable(self.metrics)}

    def interval(
        self,
        metric: Any = None,
        *,
        confidence_level: float = 0.95,
        method: str = "auto",
    ) -> tuple[float, float]:
        """Return the confidence interval of an average, as `QueryScores` does.

        Parameters
        ----------
        metric : str, tuple or None, default=None
            Which measure, or measure and segment. None: the first.
        confidence_level : float, default=0.95
            Of the interval.
        method : {"auto", "t"}, default="auto"
            How it is made; see `QueryScores.report`. Other methods need the scores of
            queries.

        Returns
        -------
        low, high : float
            NaN if the data allow no interval. If there are groups, it is over groups.

        Raises
        ------
        ValueError
            If an argument breaks the rules above.

        Examples
        --------
        >>> from sklearn_irmetrics.streaming import StreamingEvaluator
        >>> evaluator = StreamingEvaluator("mrr")
        >>> evaluator.update([[1, 0], [0, 1], [1, 0]], [[2, 1]] * 3)
        >>> low, high = evaluator.compute().interval()
        >>> round(low, 2), round(high, 2)
        (0.16, 1.0)
        """
        metric = next(iter(self.mean)) if metric is None else metric
        if not isinstance(metric, str | tuple) or metric not in [*self.mean]:
            raise ValueError(
                f"metric must be one of {', '.join(map(repr, self.mean))}; got "
                f"{metric!r}."
            )
        check_option("method", method, ("auto", "t"))
        level = check_confidence_level(confidence_level)
        return self._interval(metric, level, method)[1]

    def _interval(self, key, level, method="auto"):
        """Return a standard error, an interval and how it was made."""
        # SciPy takes long to import, and means do not need it.
        from sklearn_irmetrics._statistics.intervals import (
            UNKNOWN,
            ConfidenceInterval,
            interval_of_mean,
            interval_of_sample,
        )

        label, segment = key, 0
        if self.segments is not None:
            label, segment = key[0], self.segments.index(key[1])
        if self.averages[label] == "micro":
            return math.nan, UNKNOWN, "none: micro average"
        rows = self.state[
            self.segment_of_rows == segment, [*self.averages].index(label)
        ]
        options = {"bounds": self.ranges[label], "confidence_level": level}
        options |= {"method": method, "units": "queries"}
        groups = (
            [moments for moments in map(Moments, rows) if moments.n]
            if self.grouped
            else []
        )
        if len(groups) < sum(moments.n for moments in groups):
            totals = np.array([moments.total for moments in groups])
            interval = interval_of_mean(
                np.array([moments.mean for moments in groups]),
                weights=None if (totals == totals[0]).all() else totals,
                rng=0,
                **{**options, "units": "groups"},
            )
        else:
            whole = Moments(merge_states(rows[:, np.newaxis])[0, 0])
            interval = interval_of_sample(whole, **options)
        error, ends, how = interval
        if self.averages[label] == "geometric":
            ends = ConfidenceInterval(*np.exp(ends).tolist())
            error *= self.mean[key]  # it is that of the mean logarithm
        return error, ends, how

    def report(self, *, confidence_level: float = 0.95) -> RankingReport:
        """Report means, intervals and counts, as `QueryScores.report` does.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Confidence level of the intervals; those of a measure hold for all segments
            at once (Bonferroni).

        Returns
        -------
        RankingReport

        Raises
        ------
        ValueError
            If an argument breaks the rules above.
        """
        from sklearn_irmetrics.reports.results import RankingReport

        level = check_confidence_level(confidence_level)
        each = 1 - (1 - level) / len(self.segments or [None])
        intervals = {key: self._interval(key, each) for key in self.mean}
        return RankingReport(
            estimate=dict(self.mean),
            standard_error={key: error for key, (error, _, _) in intervals.items()},
            confidence_interval={key: ends for key, (_, ends, _) in intervals.items()},
            confidence_level=level,
            interval_method={key: how for key, (_, _, how) in intervals.items()},
            n_defined=dict(self.n_defined),
            n_undefined=dict(self.n_undefined),
            greater_is_better=self._directions(),
            counts={"queries": self._n_queries()},
        )

    def _n_queries(self):
        label = next(iter(self.averages))
        keys = product([label], self.segments) if self.segments else [label]
        return sum(self.n_defined[key] + self.n_undefined[key] for key in keys)

    def _directions(self):
        """Return whether larger values are better, by the keys of the means."""
        labels = [key[0] if self.segments else key for key in self.mean]
        metrics = [self.metrics[label].metric for label in labels]
        return {
            key: metric.greater_is_better
            for key, metric in zip(self.mean, metrics, strict=True)
        }

    def _columns(self):
        labels, *segments = (
            zip(*self.mean, strict=True) if self.segments else [[*self.mean]]
        )
        shown = map(name_measure, labels, self._directions().values())
        n_defined, n_undefined = self.n_defined.values(), self.n_undefined.values()
        counts = zip(n_defined, n_undefined, strict=True)
        return [
            Column("measure", labels, as_shown=without_repeats([*shown])),
            *(Column("segment", names) for names in segments),
            Column("mean", [*self.mean.values()], f".{decimals()}f"),
            Column(
                "queries",
                [*n_defined],
                as_shown=[share(n, n + n_left_out) for n, n_left_out in counts],
                align=">",
            ),
            Column("undefined", [*n_undefined], shown=False),
        ]

    def _title(self):
        return [count(self._n_queries(), "query")]


def summarize(measures, state, ties, replacement, *, by_segment=False, grouped=False):
    """Return the `ScoreSummary` of a state; warn of undefined queries."""
    segments, segment_of_rows, table = state.by_segment()
    check_total_weight(table)
    warn_of_input(state.input_warnings, measures)
    averages, undefined = {}, []
    for column, (label, measure) in enumerate(measures.items()):
        if measure.metric.kind == "set" and not says_what_was_retrieved(table, column):
            refuse_complete_rankings()
        filler = measure.averaging.get("replace_undefined_by", replacement)
        of_segments = [Average.of(measure, row, filler) for row in table[:, column]]
        keys = [(label, segment) for segment in segments] if by_segment else [label]
        averages |= zip(keys, of_segments, strict=True)
        undefined += _undefined_means(label, measure, of_segments)
    warn_of_undefined(undefined)
    ranges = {}
    for label, measure in measures.items():
        bounds = measure.range
        if bounds is not None and measure.average == "geometric":  # a mean of logs
            bounds = np.log(np.maximum(bounds, floor_of(measure)))
        ranges[label] = None if bounds is None else tuple(map(float, bounds))
    return ScoreSummary(
        {key: average.mean for key, average in averages.items()},
        {key: average.n_defined for key, average in averages.items()},
        {key: average.n_undefined for key, average in averages.items()},
        rules_of(measures, ties, replacement),
        averages={label: measure.average for label, measure in measures.items()},
        ranges=ranges,
        segments=segments if by_segment else None,
        state=state.table,
        segment_of_rows=segment_of_rows,
        grouped=grouped,
    )


def _undefined_means(label, measure, averages):
    """Return the `UndefinedMean` of queries that some segment leaves out, in a list."""
    # Not those of a micro average, which has their counts.
    n_lacking = sum(
        average.n_undefined
        for average in averages
        if measure.average != "micro" or average.n_defined == 0
    )
    if not n_lacking:
        return []
    n_queries = sum(average.n_defined + average.n_undefined for average in averages)
    left_out = f"{n_lacking} of {n_queries} queries"
    return [UndefinedMean(label, measure.metric.undefined_if, left_out)]
