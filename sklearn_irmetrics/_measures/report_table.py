"""The report of one system, or of several, as a table."""

from sklearn_irmetrics._tables import (
    WRITERS,
    Interval,
    Number,
    Table,
    about_each,
    count,
    import_pandas,
    write_csv,
)

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
