"""Align systems on the same units and slices, and compare pairs of them."""

from dataclasses import replace
from itertools import combinations

import numpy as np

from sklearn_irmetrics._results.tables import PLURAL, count
from sklearn_irmetrics._statistics.anytime import anytime, check_bound
from sklearn_irmetrics._statistics.intervals import (
    ConfidenceInterval,
    dirichlet_limit,
    two_sided,
)
from sklearn_irmetrics._statistics.paired_tests import TESTS
from sklearn_irmetrics._statistics.pairs import PairedScores
from sklearn_irmetrics.comparison._alignment import (
    align_queries,
    align_rows,
    align_splits,
    has_rows_only,
    has_splits_only,
)
from sklearn_irmetrics.comparison._systems import (
    difference_bounds,
    is_estimate,
    refuse_mixed_scales,
)
from sklearn_irmetrics.metrics._intervals import (
    name_groups,
    number_groups,
    number_strata,
    stated_range,
)

_LARGEST = 1e150
# With fewer units in a stratum, max-T finds too much.
FEWEST_IN_STRATUM = 10
_ALIGN = {
    "query": align_queries,
    "row": align_rows,
    "split": align_splits,
}


def choose_test(systems, metric, test):
    """Return the test that "auto" stands for.

    It is over splits where no system has a score for each query or row.
    """
    if test != "auto":
        return test
    return "corrected_ttest" if has_splits_only(systems, metric) else "permutation"


def align_slices(systems, metric, test, *, groups, strata, by):
    """Return aligned scores by slice; all of them under None if there are none."""
    unit = TESTS[test].unit
    if unit == "query" and has_rows_only(systems, metric):
        unit = "row"
    scores = _ALIGN[unit](systems, metric)
    if groups is not None:
        if scores.unit != "query":
            raise ValueError(
                "groups must be None where results have groups of their own or units "
                f"are not queries; got groups for units that are {PLURAL[scores.unit]}."
            )
        codes = number_groups(*_by_query("groups", groups, systems, scores))
        scores = replace(scores, unit="group", groups=codes)
    if strata is not None:
        if unit == "split" or not TESTS[test].takes_weights:
            raise ValueError(f"strata must be None with test={test!r}; got strata.")
        strata, ids = _by_query("strata", strata, systems, scores)
        codes = number_strata(strata, scores.groups, ids)
        scores = replace(scores, strata=codes)
    if by is None:
        return {None: scores}
    if unit == "split":
        raise ValueError(f"by must be None with test={test!r}, whose units are splits.")
    names, codes = name_groups(*_by_query("by", by, systems, scores), "by")
    return {
        name: scores.take(np.flatnonzero(codes == code))
        for code, name in enumerate(names)
    }


def size_of_strata(slices):
    """Return the number of units in the smallest stratum, None without strata."""
    sizes = [
        int(np.bincount(one.units()[2]).min())
        for one in slices
        if one.strata is not None
    ]
    return min(sizes, default=None)


def correction_over(n_smallest, correction):
    """Return Holm's method instead of max-T if a stratum is small."""
    is_small = n_smallest is not None and n_smallest < FEWEST_IN_STRATUM
    return "holm" if is_small and correction == "maxt" else correction


def about_strata(n_smallest, unit):
    """Yield a warning of a small stratum."""
    if n_smallest is not None and n_smallest < FEWEST_IN_STRATUM:
        yield (
            f"a stratum has only {count(n_smallest, unit)}; with fewer than "
            f"{FEWEST_IN_STRATUM}, tests may find too much"
        )


def _by_query(name, given, systems, scores):
    """Return values of queries, and the ids (or numbers) by which they are given."""
    if scores.ids is None:
        return given, np.arange(len(scores.values))
    if not any(map(is_estimate, systems.values())):
        return given, scores.ids
    if not hasattr(given, "items"):
        raise ValueError(
            f"{name} must be a dict by query id for results of evaluate, whose queries "
            "are in the order of the splits."
        )
    return dict(given.items()), scores.ids


def pair_columns(names, baseline):
    """Return the columns to compare: all pairs, or all with the baseline."""
    if baseline is None:
        return [(b, a) for a, b in combinations(range(len(names)), 2)]
    at = names.index(baseline)
    return [(i, at) for i in range(len(names)) if i != at]


def pair_scores(systems, metric, scores, columns, test, bound, draws, rng):
    """Return the pairs to test, and how many units are undefined."""
    values, weights, strata, n_undefined = scores.units()
    if scores.weights is not None and not TESTS[test].takes_weights:
        raise ValueError(
            f"test={test!r} does not support weights of queries; use "
            "'permutation', 'ttest', 'bootstrap' or 'tukey'."
        )
    if abs(values).max() > _LARGEST:
        raise ValueError(
            f"results must be at most {_LARGEST:g} in absolute value, so that sums of "
            f"squares are finite; got {values.flat[abs(values).argmax()]:g}."
        )
    refuse_mixed_scales(systems, metric, values)
    bounds = difference_bounds(systems, metric, values)
    if bound is not None:
        bounds = stated_range((-bound, bound), metric, bounds)
    columns, share = np.array(columns), scores.test_share
    pairs = PairedScores(
        values,
        columns,
        weights,
        bounds,
        draws,
        rng,
        test_share=share,
        strata=strata,
        resolution=scores.resolution,
    )
    if bound is not None:
        check_bound(pairs.differences, bound)
    return pairs, n_undefined


def cut_intervals(ends, bounds):
    """Return intervals cut to the range of the measure."""
    if bounds is not None:
        ends = ends.clip(*bounds)
    return tuple(ConfidenceInterval(*both) for both in ends.tolist())


def margin_limits(pairs, corrected, test, alpha):
    """Return the intervals that decide about a margin, each limit with error alpha."""
    if has_own_limits(test):
        return cut_intervals(corrected.ends(2 * alpha), pairs.bounds)
    if pairs.bounds is None:
        raise ValueError(
            "margin needs to know how large a difference can be: use a measure with a "
            "range, or pass bound=."
        )
    return tuple(
        ConfidenceInterval(
            *two_sided(dirichlet_limit, d, pairs.weights, pairs.bounds, 1 - 2 * alpha)
        )
        for d in pairs.differences.T
    )


def has_own_limits(test):
    """Whether splits share training data, or the test is valid at any time."""
    return test.unit == "split" or test.find is anytime


def verdict_of(interval, sign, margin):
    """Return the verdict about a margin from one-sided limits."""
    low, high = sorted((sign * interval.low, sign * interval.high))
    if low > -margin:
        return "equivalent" if high < margin else "not worse"
    return "worse" if high < -margin else "undecided"
