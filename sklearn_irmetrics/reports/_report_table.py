"""The rows of a report, and its table."""

from itertools import product

import numpy as np

from sklearn_irmetrics._results.tables import (
    WRITERS,
    Interval,
    Number,
    Table,
    about_each,
    count,
    import_pandas,
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
    if output == "frame":
        return to_frame(reports)
    if output == "csv":
        names, keys, rows = report_rows(reports)
        cells = [[*key, *row.values()] for key, row in zip(keys, rows, strict=True)]
        return write_csv([*names, *rows[0]], cells)
    return WRITERS[output](make_table(reports, digits))


def report_rows(reports):
    """Return the names of the keys of rows, the keys, and the rows.

    `reports` is a dict by system, None if it has no name. Slices, if there are any, are
    part of the keys.
    """
    measures = next(iter(reports.values()))["measures"]
    is_sliced = isinstance(next(iter(measures)), tuple)
    names, has_names = ["measure", "slice"][: 1 + is_sliced], None not in reports
    keys, rows = [], []
    for label in measures:
        for name, report in reports.items():
            key = label if is_sliced else (label,)
            keys.append((*key, name) if has_names else key)
            rows.append(report["measures"][label])
    return [*names, "system"] if has_names else names, keys, rows


def to_frame(reports):
    """Return the rows as a data frame."""
    pd = import_pandas()
    names, keys, rows = report_rows(reports)
    index = pd.MultiIndex.from_tuples(keys, names=names)
    if len(names) == 1:
        index = index.get_level_values(0)
    frame = pd.DataFrame(rows, index=index)
    counts = {name: report["counts"] for name, report in reports.items()}
    frame.attrs["counts"] = counts.get(None, counts)
    frame.attrs["confidence_level"] = next(iter(reports.values()))["confidence_level"]
    return frame


def make_table(reports, digits):
    """Return the table of one report, or of the reports of several systems."""
    form = f".{digits}f"
    level = 100 * next(iter(reports.values()))["confidence_level"]
    names, keys, measured = report_rows(reports)
    tied = any(report["counts"].get("tied") for report in reports.values())
    header = ["", *names[1:], "mean", f"{level:g} % interval", "queries", "undefined"]
    header += ["chance"] * ("chance" in measured[0]) + ["worst, best ties"] * tied
    rows = []
    for key, row in zip(keys, measured, strict=True):
        cells = [
            *map(str, key),
            Number(row["mean"], form),
            Interval(row["low"], row["high"], form),
            row["n_queries"],
            row["n_undefined"],
        ]
        if "chance" in row:
            cells.append(Number(row["chance"], form))
            cells.append(Interval(row["pessimistic"], row["optimistic"], form))
        rows.append(cells[: len(header)])
    methods = dict.fromkeys(row["interval"] for row in measured)
    notes = [f"Intervals: {'; '.join(methods)}."]
    sides = "<" * len(names) + ">" * (len(header) - len(names))
    if "slice" in names:
        notes.append("They hold for all slices of a measure at once (Bonferroni).")
    title = about_each({name: _counted(one) for name, one in reports.items()})
    return Table([*title, ""], header, rows, sides, notes)


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
