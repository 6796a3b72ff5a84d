"""The rows of a report, and its table."""

from itertools import product

import numpy as np

from sklearn_irmetrics._results.tables import (
    WRITERS,
    Column,
    Interval,
    about_each,
    count,
    interval_column,
    make_frame,
    make_table,
    write_csv,
)
from sklearn_irmetrics.metrics._intervals import (
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


OUTPUTS = ("text", "dict", "frame", *list(WRITERS)[1:], "csv")


def write_report(reports, output, digits):
    """Return reports by system (None if it has no name) in one of the `OUTPUTS`."""
    if output == "dict":
        return reports.get(None, reports)
    columns = report_columns(reports, digits)
    if output == "frame":
        frame = make_frame(columns)
        counts = {name: report["counts"] for name, report in reports.items()}
        frame.attrs["counts"] = counts.get(None, counts)
        frame.attrs["confidence_level"] = _level_of(reports)
        return frame
    if output == "csv":
        names, values = zip(*(one for c in columns for one in c.data()), strict=True)
        return write_csv(names, zip(*values, strict=True))
    title = about_each({name: _counted(one) for name, one in reports.items()})
    return WRITERS[output](make_table(columns, [*title, ""], report_notes(columns)))


def _level_of(reports):
    return next(iter(reports.values()))["confidence_level"]


def report_columns(reports, digits):
    """Return the columns of a report: a row per measure, slice (if any) and system."""
    form = f".{digits}f"
    systems, by_system = list(reports), [one["measures"] for one in reports.values()]
    measures = list(by_system[0])
    rows = [report[key] for key in measures for report in by_system]

    def of_all(name):
        return [row[name] for row in rows]

    def ends(low, high):
        return list(zip(of_all(low), of_all(high), strict=True))

    def keys(name, values, heading=None):
        each = [value for value in values for _ in systems]
        return Column(name, each, heading=heading, in_index=True)

    if isinstance(measures[0], tuple):
        labels, slices = zip(*measures, strict=True)
        columns = [keys("measure", labels, ""), keys("slice", slices)]
    else:
        columns = [keys("measure", measures, "")]
    if None not in reports:
        names = systems * len(measures)
        columns.append(Column("system", names, in_index=True))
    columns += [
        Column("mean", of_all("mean"), form),
        interval_column(ends("low", "high"), _level_of(reports), form=form),
        Column("interval", of_all("interval"), shown=False),
        Column("n_queries", of_all("n_queries"), "d", heading="queries"),
        Column("n_undefined", of_all("n_undefined"), "d", heading="undefined"),
    ]
    if "chance" in rows[0]:
        columns += [
            Column("chance", of_all("chance"), form),
            Column(
                ("pessimistic", "optimistic"),
                ends("pessimistic", "optimistic"),
                lambda low, high: Interval(low, high, form),
                heading="worst, best ties",
                shown=any(one["counts"].get("tied") for one in reports.values()),
            ),
        ]
    return columns


def report_notes(columns):
    """Return the lines below a report: how its intervals were made."""
    values = {column.name: column.values for column in columns}
    notes = [f"Intervals: {'; '.join(dict.fromkeys(values['interval']))}."]
    if "slice" in values:
        notes.append("They hold for all slices of a measure at once (Bonferroni).")
    return notes


def _counted(report):
    """Return what the report counted, in words."""
    counts = report["counts"]
    if "documents" not in counts:
        yield count(counts["queries"], "query")
        return
    n_retrieved = counts["documents"] - counts["unretrieved"]
    yield (
        f"{count(counts['queries'], 'query')}, "
        f"{count(counts['documents'], 'document')}: "
        f"{counts['judged']} judged, {counts['relevant']} relevant, "
        f"{counts['unretrieved']} not retrieved"
    )
    if counts["tied"]:
        share = f"{100 * counts['tied'] / n_retrieved:.1f} %"
        yield (
            f"{share} of the retrieved documents share their score with another of "
            "their query"
        )
