"""Sums of the values of queries, by segment and group, that can be merged."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sklearn_irmetrics._arrays.query_ids import as_keys
from sklearn_irmetrics._statistics.moments import (
    COUNTS,
    SAID,
    SQUARED_WEIGHT,
    UNDEFINED,
    WEIGHT,
    Moments,
    merge_states,
    sum_values,
)
from sklearn_irmetrics.metrics._measure import Measure
from sklearn_irmetrics.metrics._per_query import average_of
from sklearn_irmetrics.metrics._ranking.averages import EPSILON
from sklearn_irmetrics.metrics._ranking.compute import InputWarnings


@dataclass(frozen=True)
class State:
    """What is kept of queries whose scores are not: a row of sums for each key.

    Streams, frames and clusters keep nothing else, and `merge` is how they meet.

    Attributes
    ----------
    keys : list of tuple
        Segment and group of each row, None if there are none.
    table : ndarray of shape (n_keys, n_measures, n_columns)
        See `moments`.
    input_warnings : InputWarnings
        What to warn of.
    """

    keys: list
    table: np.ndarray
    input_warnings: InputWarnings

    @classmethod
    def of(cls, measures, scored, replacement, keys=((None, None),), codes=None):
        """Return the state of some queries.

        Parameters
        ----------
        measures : dict of str to Measure
            By label.
        scored : Scored
            Values of the queries.
        replacement : float
            Value of undefined queries, for measures that do not set one.
        keys : sequence of tuple
            Segments and groups.
        codes : int array of shape (n_queries,) or None
            The number of the key of each query; None: there is one.
        """
        rows, counts, ranked = [], {}, {}
        for place, (label, measure) in enumerate(measures.items()):
            values = scored.values[label]
            is_set = measure.metric.kind == "set"
            if is_set:
                ranked[place] = values[-1]
            if measure.average == "micro":
                counts[place] = values[:4] if is_set else values[1:]
            if measure.average == "micro" and not is_set:
                summands = values[0]
            elif measure.average == "geometric":
                summands = values_of(measure, values, replacement, "geometric")
                summands = np.log(np.maximum(summands, floor_of(measure)))
            else:
                summands = values_of(measure, values, replacement)
            rows.append(summands)
        table = sum_values(
            np.array(rows),
            scored.weights,
            counts=counts,
            ranked=ranked,
            codes=codes,
            n_keys=len(keys),
        )
        return cls(list(keys), table, scored.input_warnings)

    @classmethod
    def merge(cls, states):
        """Return the state of the queries of several, each key once."""
        keys = [key for state in states for key in state.keys]
        first_of = {}
        for known, key in zip(as_keys(keys), keys, strict=True):
            first_of.setdefault(known, key)
        place = {known: number for number, known in enumerate(first_of)}
        codes = np.array([place[known] for known in as_keys(keys)])
        table = np.concatenate([state.table for state in states])
        input_warnings = InputWarnings.join([state.input_warnings for state in states])
        merged = merge_states(table, codes, len(first_of))
        return cls([*first_of.values()], merged, input_warnings)

    def by_segment(self):
        """Return the segments, the number of that of each row, and a row for each."""
        segments = list(dict.fromkeys(segment for segment, _ in self.keys))
        place = {segment: number for number, segment in enumerate(segments)}
        codes = np.array([place[segment] for segment, _ in self.keys])
        return segments, codes, merge_states(self.table, codes, len(segments))


def count_queries_of(table):
    """Return the number of queries behind each row of a table of sums."""
    return [Moments(row).n + int(row[UNDEFINED]) for row in table[:, 0]]


class Average(NamedTuple):
    """The average of a measure, computed from a row of a state.

    Attributes
    ----------
    mean : float
        The average, NaN if no query is defined.
    n_defined, n_undefined : int
        Number of queries in the average, and of those that it leaves out.
    """

    mean: float
    n_defined: int
    n_undefined: int

    @classmethod
    def of(cls, measure, row, replacement):
        """Return the average of a measure."""
        moments, n_undefined = Moments(row), int(row[UNDEFINED])
        if measure.average != "micro":
            mean = moments.mean
            if measure.average == "geometric":
                mean = float(np.exp(mean))
            return cls(mean, moments.n, n_undefined)
        mean = _micro_average(measure, row, replacement)
        if np.isnan(replacement):
            return cls(mean, moments.n, n_undefined)
        return cls(mean, moments.n + n_undefined, 0)


def _micro_average(measure, row, replacement):
    """Return the average of a measure from summed counts."""
    summed = row[COUNTS]
    if measure.metric.kind == "set":
        counts = [*summed, 1.0]
    else:  # of the value, only whether any is defined matters
        counts = [0.0 if Moments(row).n else np.nan, *summed[:2]]
    return average_of(measure, np.array(counts)[:, np.newaxis], None, replacement).mean


def values_of(measure, values, replacement, average=None):
    """Return the value of each query; for sets, whether it says what was retrieved.

    They are those of ``average``, which can refuse values.
    """
    if measure.metric.kind == "set":
        values = np.concatenate([values[:-1], np.ones_like(values[-1:])])
    return average_of(measure, values, None, replacement, average=average).values


def floor_of(measure):
    """Return the smallest value in a geometric mean."""
    return measure.averaging.get("epsilon", EPSILON)


def check_total_weight(table):
    """Refuse a table in which nothing has weight."""
    if not any(count_queries_of(table)):
        raise ValueError(
            "sample_weight must be finite, non-negative and not all zero; all weights "
            "are zero."
        )
    weight, squared = (table[..., column].sum() for column in (WEIGHT, SQUARED_WEIGHT))
    if weight > 0 and not 1e-100 < squared / weight < 1e100:
        raise ValueError(
            "sample_weight must have a largest value between 1e-100 and 1e100; got "
            f"weights near {squared / weight}. Only the proportions of weights matter."
        )


def says_what_was_retrieved(table, column):
    """Whether the input of a measure of sets said so for some query."""
    return bool(table[:, column, SAID].any())


def fix_classes(measure):
    """Make a cost matrix refer to the same classes in every part of the rows."""
    costs = measure.arguments.get("cost_matrix")
    if np.ndim(costs) == 0:
        return measure
    return Measure(measure, labels=list(range(len(costs))))
