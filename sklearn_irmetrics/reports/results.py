"""What reports hold: estimates of means over queries, and their intervals."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_irmetrics._checks import check_interval, check_seed
from sklearn_irmetrics._results.tables import (
    Column,
    Interval,
    about_each,
    count,
    count_queries,
    interval_column,
    name_measure,
)
from sklearn_irmetrics._results.tabular import Drawable, Several
from sklearn_irmetrics._statistics.intervals import ConfidenceInterval
from sklearn_irmetrics.metrics._intervals import (
    check_bounds,
    mean_of,
    measure_interval,
    name_groups,
    number_groups,
    number_strata,
)
from sklearn_irmetrics.metrics._ranking.averages import count_zero

if TYPE_CHECKING:
    from pandas import DataFrame

_FORM = ".3f"
ALL = "all"  # the slice of all queries


@dataclass(frozen=True, eq=False, repr=False)
class RankingReport(Drawable):
    """Means of measures over queries, their intervals, and what is behind them.

    `ranking_report` and ``QueryScores.report()`` return it; ``print`` shows its table.
    If queries come in slices (`by`), all keys are pairs of measure and slice; the slice
    of all queries is ``"all"``.

    Attributes
    ----------
    estimate : dict of str to float
        The mean over queries by measure.
    standard_error : dict of str to float
        Its standard error.
    confidence_interval : dict of str to ConfidenceInterval
        ``(low, high)``; NaN if the data allow no interval.
    confidence_level : float
        Of the intervals. Those of slices hold for all slices of a measure at once.
    interval_method : dict of str to str
        How each interval was made.
    n_defined, n_undefined : dict of str to int
        Number of queries in each mean, and of those that it leaves out.
    greater_is_better : dict of str to bool
        Whether larger values of the measure are better.
    counts : dict of str to int
        Number of ``queries`` and ``documents``; of ``judged``, ``relevant`` (grade
        above 0, or the first `pos_label` of a measure) and ``unretrieved`` documents;
        and of ``tied`` documents, which share their score with another retrieved
        document of their query. Only ``queries`` if the documents are not known.
        ``zero_weight`` queries count in no mean; left out if there are none.
    chance : dict of str to float, or None
        The expected mean of a random ranking of all documents; NaN where it was not
        asked for, or is not exact. None if the documents are not known.
    pessimistic, optimistic : dict of str to float, or None
        The mean with tied documents in the worst and the best order: the mean itself
        if nothing is tied, NaN if the measure does not support these orders.
    judged : dict of str to float, or None
        The mean share of judged documents down to the cutoff of the measure, shown if
        documents are unjudged: where it is low, so may be the estimate. NaN if the
        measure drops unjudged documents or does not rank.
    """

    estimate: dict[Any, float]
    standard_error: dict[Any, float]
    confidence_interval: dict[Any, ConfidenceInterval]
    confidence_level: float
    interval_method: dict[Any, str]
    n_defined: dict[Any, int]
    n_undefined: dict[Any, int]
    greater_is_better: dict[Any, bool]
    counts: dict[str, int]
    chance: dict[Any, float] | None = None
    pessimistic: dict[Any, float] | None = None
    optimistic: dict[Any, float] | None = None
    judged: dict[Any, float] | None = None

    def to_frame(self) -> DataFrame:
        """Return the table in full precision.

        Returns
        -------
        pandas.DataFrame
            One row per measure, or per measure and slice; `counts` and
            `confidence_level` are in its ``attrs``.
        """
        frame = super().to_frame()
        frame.attrs["counts"] = self.counts
        frame.attrs["confidence_level"] = self.confidence_level
        return frame

    def _key_columns(self):
        """Return the columns that name the rows."""
        keys = [*self.estimate]
        in_slices = isinstance(keys[0], tuple)
        measures, slices = zip(*keys, strict=True) if in_slices else (keys, None)
        shown = map(name_measure, measures, self.greater_is_better.values())
        columns = [Column("measure", measures, in_index=True, as_shown=[*shown])]
        if in_slices:
            columns.append(Column("slice", slices, in_index=True))
        return columns

    def _columns(self):
        return [*self._key_columns(), *self._value_columns()]

    def _value_columns(self):
        ends = [*self.confidence_interval.values()]
        errors = [*self.standard_error.values()]
        n_defined, n_undefined = self.n_defined.values(), self.n_undefined.values()
        columns = [
            Column("estimate", [*self.estimate.values()], _FORM),
            Column("standard_error", errors, shown=False),
            interval_column(ends, self.confidence_level, form=_FORM),
            Column("interval", [*self.interval_method.values()], shown=False),
            Column("queries", [*n_defined], "d"),
            Column("undefined", [*n_undefined], "d"),
        ]
        if self.chance is None:
            return columns
        worst, best = self.pessimistic.values(), self.optimistic.values()
        chance = [*self.chance.values()]
        return [
            *columns,
            Column(
                "judged",
                [*self.judged.values()],
                _FORM,
                shown=self.counts["judged"] < self.counts["documents"],
            ),
            Column("chance", chance, _FORM, shown=not np.isnan(chance).all()),
            Column(
                ("pessimistic", "optimistic"),
                [*zip(worst, best, strict=True)],
                lambda low, high: Interval(low, high, _FORM),
                heading="worst, best ties",
                shown=self.counts["tied"] > 0,
            ),
        ]

    def _title(self):
        return [*self._about(), ""]

    def _notes(self):
        return _notes_on([self])

    def _about(self):
        """Return the counts in words."""
        counts = self.counts
        queries = count_queries(counts["queries"], counts.get("zero_weight", 0))
        if "documents" not in counts:
            return [queries]
        lines = [
            f"{queries}, "
            f"{count(counts['documents'], 'document')}: "
            f"{counts['judged']} judged, {counts['relevant']} relevant, "
            f"{counts['unretrieved']} not retrieved"
        ]
        if counts["tied"]:
            n_retrieved = counts["documents"] - counts["unretrieved"]
            share = f"{100 * counts['tied'] / n_retrieved:.1f} %"
            lines.append(
                f"{share} of the retrieved documents share their score with another of "
                "their query"
            )
        return lines


@dataclass(frozen=True, eq=False, repr=False)
class RankingReports(Drawable, Several[RankingReport]):
    """Reports of several systems, side by side.

    A read-only mapping: ``reports["bm25"]`` is the :class:`RankingReport` of the system
    of that name.

    Attributes
    ----------
    reports : dict of str to RankingReport
        The report of each system.
    """

    reports: dict[str, RankingReport]

    by = "system"

    def to_frame(self) -> DataFrame:
        """Return the tables of all systems as one, in full precision.

        Returns
        -------
        pandas.DataFrame
            One row per measure, slice and system; the `counts` by system and the
            `confidence_level` are in its ``attrs``.
        """
        frame = super().to_frame()
        frame.attrs["counts"] = {name: report.counts for name, report in self.items()}
        first = next(iter(self.values()))
        frame.attrs["confidence_level"] = first.confidence_level
        return frame

    def _columns(self):
        """Return the columns, in which systems follow one another by measure."""
        first = next(iter(self.values()))
        n_keys, n_rows = len(first._key_columns()), len(first.estimate)
        parts = []
        for report in self.values():  # with their rows in the order of the first
            row_of = {key: row for row, key in enumerate(report.estimate)}
            rows = [row_of[key] for key in first.estimate]
            parts.append([column.take(rows) for column in report._columns()])
        systems, *columns = self._join(parts)
        by_measure = np.arange(n_rows * len(self)).reshape(len(self), n_rows).T
        systems, *columns = (
            column.take(by_measure.ravel().tolist()) for column in (systems, *columns)
        )
        systems = systems._replace(in_index=True)
        shown = {
            column.name
            for report in self.values()
            for column in report._value_columns()
            if column.shown
        }
        columns = [
            column._replace(shown=column.shown or column.name in shown)
            for column in columns
        ]
        return [*columns[:n_keys], systems, *columns[n_keys:]]

    def _title(self):
        return [
            *about_each({name: report._about() for name, report in self.items()}),
            "",
        ]

    def _notes(self):
        return _notes_on([*self.values()])


def join_reports(reports):
    """Return reports by system as one table; refuse those of other slices."""
    first, *others = reports
    wanted = reports[first].estimate.keys()
    for name in others:
        keys = reports[name].estimate.keys()
        if keys != wanted:
            (_, lacking), *_ = sorted(wanted ^ keys, key=str)
            raise ValueError(
                f"by must give all systems the same slices; {first!r} and {name!r} "
                f"have other queries, so only one of them has {lacking!r}."
            )
    return RankingReports(reports)


def _notes_on(reports):
    """Return the lines below a table: how its intervals were made."""
    labels = [*reports[0].estimate]
    each = product(labels, reports)
    methods = dict.fromkeys(report.interval_method[label] for label, report in each)
    notes = [f"Intervals: {'; '.join(methods)}."]
    if isinstance(labels[0], tuple):
        notes.append(
            "Those of slices hold for all slices of a measure at once (Bonferroni)."
        )
    return notes


# How reports are made -----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Inference:
    """How means and intervals are made of the scores of queries.

    Attributes
    ----------
    groups, strata, by : dict, array-like or None
        The group, the stratum and the slice of each query, as they were given.
    confidence_level, interval, bounds, random_state
        As for `QueryScores.report`.

    Raises
    ------
    TypeError, ValueError
        If the level, the interval or the seed is not valid. The others are checked with
        the scores.
    """

    groups: Any = None
    strata: Any = None
    by: Any = None
    confidence_level: float = 0.95
    interval: str = "auto"
    bounds: Any = None
    random_state: Any = None

    def __post_init__(self):
        check_interval(self.confidence_level, self.interval)
        object.__setattr__(self, "random_state", check_seed(self.random_state))

    def slices(self, scored, qid):
        """Return the parts of the queries that have estimates of their own.

        All queries are the first of them, and the only one without slices.
        """
        ids, weights = scored.query_ids, scored.weights
        groups = number_groups(self.groups, ids, qid=qid)
        strata = number_strata(self.strata, groups, ids, qid)
        slices = [Slice(None, np.arange(len(ids)), weights, groups, strata)]
        if self.by is None:
            return slices
        names, codes = name_groups(self.by, ids, "by", qid)
        if ALL in names:
            raise ValueError(
                f"by must not call a slice {ALL!r}, the name of the row of all queries."
            )
        for code, name in enumerate(names):
            place = np.flatnonzero(codes == code)
            parts = (_take(values, place) for values in (weights, groups, strata))
            slices.append(Slice(name, place, *parts))
        return slices


@dataclass(frozen=True, eq=False)
class Slice:
    """Some queries of a result.

    Attributes
    ----------
    name : object
        What it is called; None: all queries.
    place : int array of shape (n_queries,)
        Where its queries are in the result.
    weights, groups, strata : ndarray of shape (n_queries,) or None
        Of its queries.
    """

    name: Any
    place: np.ndarray
    weights: np.ndarray | None
    groups: np.ndarray | None
    strata: np.ndarray | None

    def count(self, values):
        """Return how many queries have a value, and how many have none."""
        counted = self.weights > 0 if self.weights is not None else True
        undefined = np.isnan(values)
        return int((counted & ~undefined).sum()), int((counted & undefined).sum())

    def mean(self, scored, label):
        """Return the mean of a measure; NaN if it was not scored."""
        if scored is None or label not in scored.scores:
            return float("nan")
        if self.name is None and self.strata is None:
            return scored.mean[label]
        return mean_of(scored.scores[label][self.place], self.weights, self.strata)


def report_scores(scored, measures, inference, *, counts, qid=None, beside=None):
    """Return the `RankingReport` of scores of queries.

    Parameters
    ----------
    scored : QueryScores
        Scores, means and weights.
    measures : dict of str to Measure
        By label.
    inference : Inference
        How means and intervals are made.
    counts : dict of str to int
        For the attribute of the report.
    qid : array-like or None
        The query of each row of the rankings.
    beside : dict of str to QueryScores or None
        Further scores of the same queries, by the attribute that has their means.
    """
    bounds = check_bounds(inference.bounds, measures)
    if n_without := count_zero(scored.weights):
        counts = {**counts, "zero_weight": n_without}
    slices = inference.slices(scored, qid)
    level = inference.confidence_level
    # Of those of a slice, which hold for all slices at once.
    slice_level = 1 - (1 - level) / max(len(slices) - 1, 1)
    columns: dict[str, dict[Any, Any]] = defaultdict(dict)
    in_parts = inference.strata is not None or inference.by is not None
    for (label, measure), part in product(measures.items(), slices):
        if in_parts and measure.average != "macro":
            raise ValueError(
                f"strata and by need plain means over queries; {label!r} is a "
                f"{measure.average} average."
            )
        values = scored.scores[label][part.place]
        error, ends, how = measure_interval(
            values,
            measure,
            label=label,
            weights=part.weights,
            groups=part.groups,
            strata=part.strata,
            method=inference.interval,
            bounds=bounds,
            confidence_level=level if part.name is None else slice_level,
            rng=inference.random_state,
        )
        n_defined, n_undefined = part.count(values)
        row = {
            "estimate": part.mean(scored, label),
            "standard_error": error,
            "confidence_interval": ends,
            "interval_method": how,
            "n_defined": n_defined,
            "n_undefined": n_undefined,
            "greater_is_better": measure.metric.greater_is_better,
        }
        for name, other in (beside or {}).items():
            row[name] = part.mean(other, label)
        key = label
        if inference.by is not None:
            key = label, ALL if part.name is None else part.name
        for name, value in row.items():
            columns[name][key] = value
    return RankingReport(**columns, confidence_level=level, counts=counts)


def _take(values, place):
    return None if values is None else values[place]
