"""What reports hold: estimates of means over queries, and their intervals."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_irmetrics._checks import check_interval, check_seed
from sklearn_irmetrics._results.sentences import interval_details, interval_notes
from sklearn_irmetrics._results.tables import (
    Column,
    Interval,
    Number,
    about_each,
    count,
    count_queries,
    decimals,
    interval_column,
    name_measure,
    share,
    without_repeats,
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

_TIES = ("pessimistic", "optimistic")
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
        measures, *slices = self._key_columns()
        measures = measures._replace(as_shown=without_repeats(measures.as_shown))
        return [measures, *slices, *self._value_columns()]

    def _value_columns(self):
        keys, level = [*self.estimate], self.confidence_level
        errors, ends = self.standard_error, self.confidence_interval
        forms = {key: f".{decimals(errors[key])}f" for key in keys}
        n_defined, n_undefined = self.n_defined, self.n_undefined
        columns = [
            Column(
                "estimate",
                [*self.estimate.values()],
                heading="mean",
                as_shown=[Number(self.estimate[key], forms[key]) for key in keys],
                align=">",
            ),
            Column("standard_error", [*errors.values()], shown=False),
            interval_column([*ends.values()], level)._replace(
                as_shown=[Interval(*ends[key], forms[key]) for key in keys]
            ),
            Column("interval", [*self.interval_method.values()], shown=False),
            Column(
                "queries",
                [*n_defined.values()],
                as_shown=[
                    share(n_defined[key], n_defined[key] + n_undefined[key])
                    for key in keys
                ],
                align=">",
            ),
            Column("undefined", [*n_undefined.values()], shown=False),
        ]
        if self.chance is None:
            return columns
        chance, judged = self.chance, self.judged
        tied = [(self.pessimistic[key], self.optimistic[key]) for key in keys]
        return [
            *columns,
            Column(
                "chance",
                [*chance.values()],
                heading="random",
                as_shown=[Number(chance[key], forms[key]) for key in keys],
                align=">",
                shown=not np.isnan([*chance.values()]).all(),
            ),
            Column(
                "judged",
                [*judged.values()],
                as_shown=[_percent(judged[key]) for key in keys],
                align=">",
                shown=self.counts["judged"] < self.counts["documents"],
            ),
            Column(
                _TIES,
                tied,
                heading="worst, best ties",
                as_shown=[
                    Interval(*both, forms[key])
                    for key, both in zip(keys, tied, strict=True)
                ],
                align=">",
                shown=self._has_wide_ties,
            ),
        ]

    @property
    def _has_wide_ties(self):
        """Whether the order of ties moves a mean by a tenth of its interval or more."""
        if self.chance is None or not self.counts["tied"]:
            return False
        widths = [high - low for low, high in self.confidence_interval.values()]
        spans = [
            abs(best - worst)
            for worst, best in zip(
                self.pessimistic.values(), self.optimistic.values(), strict=True
            )
        ]
        return any(
            span > 0 and not span <= width / 10
            for span, width in zip(spans, widths, strict=True)
        )

    def _title(self):
        """Return the counts in words."""
        counts = self.counts
        queries = count_queries(counts["queries"], counts.get("zero_weight", 0))
        if "documents" not in counts:
            return [queries]
        return [
            f"{queries}, {count(counts['documents'], 'document')} "
            f"({counts['judged']} judged, {counts['relevant']} relevant, "
            f"{counts['unretrieved']} not retrieved)"
        ]

    def _notes(self):
        return [*self._about_intervals(), *self._warnings()]

    def _about_intervals(self):
        """Return the line that says what the intervals and other columns are about."""
        sentences, keys = [], [*self.estimate]
        if not np.isnan([*self.confidence_interval.values()]).all():
            methods = self.interval_method.values()
            units = "groups" if any(" groups" in how for how in methods) else "queries"
            sentences.append(f"Interval: the mean on new {units} like these.")
        if self.chance is not None and not np.isnan([*self.chance.values()]).all():
            sentences.append("random: mean of a random order.")
        lines = [" ".join(sentences)] if sentences else []
        if isinstance(keys[0], tuple) and sentences:
            lines.append(
                "Intervals of slices hold for all slices of a measure at once."
            )
        return lines

    def _warnings(self):
        """Return the sentences about what may mislead."""
        methods = {_name_row(key): how for key, how in self.interval_method.items()}
        sentences = interval_notes(methods)
        if self.chance is None:
            return sentences
        counts = self.counts
        n_unjudged = counts["documents"] - counts["judged"]
        if n_unjudged and any(judged < 1 for judged in self.judged.values()):
            sentences.append(
                f"{_percent(n_unjudged / counts['documents'])} of the documents are "
                "unjudged and count as not relevant, so means may be too low."
            )
        spans = {
            key: abs(self.optimistic[key] - self.pessimistic[key])
            for key in self.estimate
        }
        key = max(spans, key=lambda key: np.nan_to_num(spans[key]))
        if counts["tied"] and spans[key] > 0:
            form = f".{decimals(self.standard_error[key])}f"
            low, high = (
                Number(mean, form)
                for mean in sorted([self.pessimistic[key], self.optimistic[key]])
            )
            sentences.append(
                f"{self._tied_share} of scores are tied; depending on their order, "
                f"{_name_row(key)} is {low} to {high}."
            )
        return sentences

    @property
    def _tied_share(self):
        n_retrieved = self.counts["documents"] - self.counts["unretrieved"]
        return _percent(self.counts["tied"] / n_retrieved)

    def _details(self):
        methods = {_name_row(key): how for key, how in self.interval_method.items()}
        sentences = interval_details(methods)
        if isinstance(next(iter(self.estimate)), tuple):
            sentences.append(
                "The level of each interval is that of all slices (Bonferroni)."
            )
        if self.counts.get("tied"):
            sentences.append(
                f"{self._tied_share} of scores are tied within their query."
            )
        return sentences


def _name_row(key):
    """Return a measure, or a measure and a slice, as one name."""
    return " in ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def _percent(part):
    """Return a share in percent, such as "79 %", which is 0 or 100 only exactly."""
    if np.isnan(part):
        return "–"
    percent = round(100 * part)
    if 0 < part < 1 and percent in (0, 100):
        return "<1 %" if percent == 0 else ">99 %"
    return f"{percent} %"


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
            columns = [*report._key_columns(), *report._value_columns()]
            parts.append([column.take(rows) for column in columns])
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
        keys, columns = (
            columns[:n_keys],
            [
                column._replace(
                    shown=column.name in shown and column.name != _TIES  # too wide
                )
                for column in columns[n_keys:]
            ],
        )
        measures, *slices = keys
        measures = measures._replace(as_shown=without_repeats(measures.as_shown))
        return [measures, *slices, systems, *columns]

    def _title(self):
        titles = {name: report._title() for name, report in self.items()}
        systems = count(len(self), "system")
        first, *others = {title for (title,) in titles.values()}
        return [systems, *about_each(titles)] if others else [f"{systems}: {first}"]

    def _notes(self):
        about = {name: report._about_intervals() for name, report in self.items()}
        return [
            *about_each(about),
            *about_each({name: report._warnings() for name, report in self.items()}),
        ]


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
