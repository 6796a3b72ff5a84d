"""Averages of queries whose scores were not kept."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from sklearn_irmetrics._core.parameters import (
    check_confidence_level,
    check_count,
    check_option,
)
from sklearn_irmetrics._measures.report_table import OUTPUTS, write_report
from sklearn_irmetrics._measures.tabular import Tabular
from sklearn_irmetrics._statistics.moments import Moments, merge_states
from sklearn_irmetrics._tables import Number, Table, count, write_text


@dataclass(frozen=True, eq=False)
class ScoreSummary(Tabular):
    """Averages of queries whose scores were not kept, and their intervals.

    `StreamingEvaluator` and `score_frame` return one with ``per_query=False``. If
    queries come in segments, the keys of `mean`, `n_defined` and `n_undefined` are
    pairs of measure and segment.

    Attributes
    ----------
    mean : dict of str to float
        The average over queries by measure.
    n_defined : dict of str to int
        Number of queries in each average.
    n_undefined : dict of str to int
        Number of queries that each average leaves out.
    metrics : dict of str to str
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
    metrics: dict[str, str]
    averages: dict[str, str]
    ranges: dict[str, tuple[float, float] | None]
    segments: list[Any] | None
    state: np.ndarray
    segment_of_rows: np.ndarray
    grouped: bool = False

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
            How it is made; see `ranking_report`. Other methods need the scores of
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
        >>> from sklearn_irmetrics import StreamingEvaluator
        >>> evaluator = StreamingEvaluator("mrr", per_query=False)
        >>> evaluator.update([[1, 0], [0, 1], [1, 0]], [[2, 1]] * 3)
        >>> low, high = evaluator.compute().interval()
        >>> round(low, 2), round(high, 2)
        (0.14, 1.0)
        """
        metric = next(iter(self.mean)) if metric is None else metric
        if not isinstance(metric, str | tuple) or metric not in [*self.mean]:
            raise ValueError(
                f"metric must be one of {', '.join(map(repr, self.mean))}; got "
                f"{metric!r}."
            )
        check_option("method", method, ("auto", "t"))
        level = check_confidence_level(confidence_level)
        return self._interval(metric, level, method)[0]

    def _interval(self, key, level, method="auto"):
        """Return an interval and how it was made."""
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
            return UNKNOWN, "none: micro average"
        rows = self.state[
            self.segment_of_rows == segment, [*self.averages].index(label)
        ]
        options = {"bounds": self.ranges[label], "confidence_level": level}
        options |= {"method": method, "units": "queries"}
        groups = [one for one in map(Moments, rows) if one.n] if self.grouped else []
        if len(groups) < sum(one.n for one in groups):
            totals = np.array([one.total for one in groups])
            found = interval_of_mean(
                np.array([one.mean for one in groups]),
                weights=None if (totals == totals[0]).all() else totals,
                rng=0,
                **{**options, "units": "groups"},
            )
        else:
            whole = Moments(merge_states(rows[:, np.newaxis])[0, 0])
            found = interval_of_sample(whole, **options)
        _, ends, how = found
        if self.averages[label] == "geometric":
            ends = ConfidenceInterval(*np.exp(ends).tolist())
        return ends, how

    def report(
        self,
        *,
        confidence_level: float = 0.95,
        output: str = "text",
        digits: int = 3,
    ) -> Any:
        """Report means, intervals and counts, as `QueryScores.report` does.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Confidence level of the intervals; those of a measure hold for all segments
            at once (Bonferroni).
        output : {"text", "dict", "frame", "html", "latex", "markdown", "csv"}, \
                default="text"
            What to return; all but "dict" and "frame" are a str.
        digits : int, default=3
            Number of decimals of a str; CSV has full precision.

        Returns
        -------
        str, dict or pandas.DataFrame

        Raises
        ------
        ValueError
            If an argument breaks the rules above.
        """
        check_option("output", output, OUTPUTS)
        level = check_confidence_level(confidence_level)
        each = 1 - (1 - level) / len(self.segments or [None])
        rows = {}
        for key, mean in self.mean.items():
            ends, how = self._interval(key, each)
            rows[key] = {
                "mean": mean,
                "low": ends.low,
                "high": ends.high,
                "interval": how,
                "n_queries": self.n_defined[key],
                "n_undefined": self.n_undefined[key],
            }
        counts = {"queries": self._n_queries()}
        report: dict[str, Any] = {"measures": rows, "counts": counts}
        report["confidence_level"] = confidence_level
        return write_report({None: report}, output, check_count("digits", digits, 0))

    def __repr__(self):
        """Show the averages, one measure per line."""
        table = self._table()
        return write_text(table, header=len(table.header) > 2)

    def _n_queries(self):
        label = next(iter(self.averages))
        keys = product([label], self.segments) if self.segments else [label]
        return sum(self.n_defined[key] + self.n_undefined[key] for key in keys)

    def _table(self):
        names, *columns = zip(*self._data(), strict=True)
        names, columns = [*names[:-1]], [*zip(*columns[0], strict=True)]
        rows = [(*map(str, row[:-3]), Number(row[-3]), row[-2]) for row in columns]
        title = [f"ScoreSummary of {count(self._n_queries(), 'query')}"]
        if self.segments is None and len(set(self.n_defined.values())) < 2:
            return Table(title, names[:2], [row[:2] for row in rows], "<>")
        return Table(title, names, rows, "<" * (len(names) - 2) + ">>")

    def _data(self):
        keys = zip(*self.mean, strict=True) if self.segments else [[*self.mean]]
        return [
            *zip(("measure", "segment"), keys, strict=False),
            ("mean", [*self.mean.values()]),
            ("queries", [*self.n_defined.values()]),
            ("undefined", [*self.n_undefined.values()]),
        ]
