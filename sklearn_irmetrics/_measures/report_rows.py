"""The rows of a report: means, intervals and counts of scores of queries."""

from itertools import product

import numpy as np

from sklearn_irmetrics._measures.intervals import (
    check_range,
    mean_of,
    measure_interval,
    name_groups,
    number_groups,
    number_strata,
)


def measure_scores(
    scored,
    measures,
    *,
    groups=None,
    strata=None,
    by=None,
    confidence_level,
    interval="auto",
    bounds=None,
    seed,
    beside=None,
):
    """Return a row per measure, or per pair of measure and slice.

    Parameters
    ----------
    scored : QueryScores
        Scores, means and weights.
    measures : dict of str to Measure
        By label.
    groups, strata, by, confidence_level, interval, bounds
        As for `ranking_report`.
    seed : int or Generator
        Seed of the bootstrap resamples.
    beside : dict of str to QueryScores or None
        Further scores of the same queries, whose means get columns of these names.
    """
    n_queries = len(scored.query_ids)
    bounds = check_range(bounds, measures)
    groups = number_groups(groups, n_queries)
    strata = number_strata(strata, groups, n_queries)
    names, codes = [None], np.zeros(n_queries, dtype=np.intp)
    if by is not None:
        names, codes = name_groups(by, n_queries, "by")
        confidence_level = 1 - (1 - confidence_level) / len(names)
    in_parts = strata is not None or by is not None
    weights = None if scored.weights is None else scored.weights
    counted = np.full(n_queries, True) if weights is None else weights > 0
    rows = {}
    for (label, measure), (code, name) in product(measures.items(), enumerate(names)):
        if in_parts and measure.average != "macro":
            raise ValueError(
                f"strata and by need plain means over queries; {label!r} is a "
                f"{measure.average} average."
            )
        inside = np.flatnonzero(codes == code)
        own = [None if p is None else p[inside] for p in (weights, groups, strata)]
        part = (inside, own[0], own[2]) if in_parts else None
        values = scored.scores[label][inside]
        undefined = np.isnan(values) & counted[inside]
        used = counted[inside] & ~undefined
        ends, how = measure_interval(
            values,
            measure,
            label=label,
            weights=own[0],
            groups=own[1],
            strata=own[2],
            method=interval,
            bounds=bounds,
            confidence_level=confidence_level,
            rng=seed,
        )
        rows[label if by is None else (label, name)] = {
            "mean": _mean(scored, label, part),
            "low": ends.low,
            "high": ends.high,
            "interval": how,
            "n_queries": int(used.sum()),
            "n_undefined": int(undefined.sum()),
            **{key: _mean(one, label, part) for key, one in (beside or {}).items()},
        }
    return rows


def _mean(scored, label, part):
    """Return the mean of a measure, NaN if it was not scored.

    A part is the queries that count, their weights and their strata; None: all.
    """
    if scored is None or label not in scored.scores:
        return float("nan")
    if part is None:
        return scored.mean[label]
    inside, weights, strata = part
    return mean_of(scored.scores[label][inside], weights, strata)
