"""Sums that are kept of queries scored in parts, and how they become one result."""

from dataclasses import dataclass

import numpy as np

from sklearn_irmetrics._core.aggregate import EPSILON, quietly, warn_of_undefined
from sklearn_irmetrics._measures.averages import (
    average_of,
    refuse_predictions,
    rules_of,
)
from sklearn_irmetrics._measures.measure import with_arguments
from sklearn_irmetrics._measures.score_summary import ScoreSummary
from sklearn_irmetrics._statistics.moments import (
    COUNTS,
    RANKED,
    UNDEFINED,
    Moments,
    merge_states,
    summarise,
)


@dataclass(frozen=True)
class State:
    """Sums of the values of queries by key.

    Attributes
    ----------
    keys : list of tuple
        Segment and group of each row, None if there are none.
    table : ndarray of shape (n_keys, n_measures, n_columns)
        See `moments`.
    """

    keys: list
    table: np.ndarray


def state_of(measures, scored, replacement, keys=((None, None),), codes=None):
    """Return the `State` of some queries.

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
        found = scored.values[label]
        if measure.metric.kind == "set":
            ranked[place] = found[-1]
        row = values_of(measure, found, replacement)
        if measure.average == "micro":
            if measure.metric.kind == "set":
                counts[place] = found[:4]
            else:  # only whether any is defined matters
                row, *counts[place] = found
        if measure.average == "geometric":
            with quietly():
                average_of(measure, found, None, replacement)  # refuses negative values
            row = np.log(np.maximum(row, _floor(measure)))
        rows.append(row)
    weights = None if scored.weights is None else scored.weights
    options = {"counts": counts, "ranked": ranked, "codes": codes}
    return State(
        list(keys), summarise(np.array(rows), weights, n_keys=len(keys), **options)
    )


def values_of(measure, found, replacement):
    """Return the value of each query; for sets, whether or not their scores rank."""
    if measure.metric.kind == "set":
        found = np.concatenate([found[:-1], np.ones_like(found[-1:])])
    return average_of(measure, found, None, replacement, average=None)


def _floor(measure):
    return measure.averaging.get("epsilon", EPSILON)


def join_states(states):
    """Return the `State` of all queries of several, each key once."""
    keys = dict.fromkeys(key for state in states for key in state.keys)
    place = {key: number for number, key in enumerate(keys)}
    codes = np.array([place[key] for state in states for key in state.keys])
    table = np.concatenate([state.table for state in states])
    return State(list(keys), merge_states(table, codes, len(keys)))


def summary_of(measures, state, ties, replacement, *, by_segment=False, grouped=False):
    """Return the `ScoreSummary` of a state; warn of undefined queries."""
    segments = list(dict.fromkeys(segment for segment, _ in state.keys))
    place = {segment: number for number, segment in enumerate(segments)}
    codes = np.array([place[segment] for segment, _ in state.keys])
    whole = merge_states(state.table, codes, len(segments))
    if not (whole[:, 0, UNDEFINED].any() or any(Moments(row).n for row in whole[:, 0])):
        raise ValueError(
            "sample_weight must be finite, non-negative and not all zero; all weights "
            "are zero."
        )
    mean, n_defined, n_undefined, ranges = {}, {}, {}, {}
    for column, (label, measure) in enumerate(measures.items()):
        if measure.metric.kind == "set" and not whole[:, column, RANKED].any():
            refuse_predictions()
        own = measure.averaging.get("replace_undefined_by", replacement)
        bounds = measure.metric.range
        if measure.average == "geometric" and bounds is not None:
            bounds = np.log(np.maximum(bounds, _floor(measure)))
        ranges[label] = None if bounds is None else tuple(map(float, bounds))
        n_lacking = 0
        for segment, row in zip(segments, whole[:, column], strict=True):
            key = (label, segment) if by_segment else label
            moments, n_none = Moments(row), int(row[UNDEFINED])
            mean[key] = _mean_of(measure, moments, row, own)
            if measure.average == "micro" and not np.isnan(own):
                n_defined[key], n_undefined[key] = moments.n + n_none, 0
                continue
            n_defined[key], n_undefined[key] = moments.n, n_none
            if measure.average != "micro" or moments.n == 0:
                n_lacking += n_none
        if n_lacking:
            name = measure.metric.function.__name__
            n_queries = sum(Moments(row).n for row in whole[:, column])
            n_queries += int(whole[:, column, UNDEFINED].sum())
            warn_of_undefined(name, n_lacking, n_queries, subject=name)
    return ScoreSummary(
        mean,
        n_defined,
        n_undefined,
        rules_of(measures, ties, replacement),
        averages={label: measure.average for label, measure in measures.items()},
        ranges=ranges,
        segments=segments if by_segment else None,
        state=state.table,
        segment_of_rows=codes,
        grouped=grouped,
    )


def _mean_of(measure, moments, row, replacement):
    """Return the average that follows from a row of a state."""
    if measure.average != "micro":
        return (
            float(np.exp(moments.mean))
            if measure.average == "geometric"
            else (moments.mean)
        )
    counts = moments.scale(row[COUNTS])
    value = [0.0 if moments.n else np.nan]
    found = [*counts, 1.0] if measure.metric.kind == "set" else [*value, *counts[:2]]
    with quietly():
        return average_of(measure, np.array(found)[:, np.newaxis], None, replacement)


def code_of_queries(name, codes, queries):
    """Return the code of each query; refuse codes that vary inside one."""
    codes = codes if queries.order is None else codes[queries.order]
    first = codes[queries.offsets[:-1]]
    if (codes != np.repeat(first, queries.lengths)).any():
        raise ValueError(f"{name} must be constant inside a query.")
    return first


def fix_classes(measure):
    """Make a cost matrix refer to the same classes in every part of the rows."""
    costs = measure.arguments.get("cost_matrix")
    if np.ndim(costs) == 0:
        return measure
    return with_arguments(measure, {"labels": list(range(len(costs)))})
