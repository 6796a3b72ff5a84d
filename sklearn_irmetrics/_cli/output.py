"""Write the results of the command line: tables, JSON, lines of trec_eval."""

import json
import os
import sys

from sklearn_irmetrics._results.markup import WRITERS
from sklearn_irmetrics._results.tables import (
    Interval,
    Name,
    Number,
    Table,
    mark_best,
    name_measure,
    share,
    visible,
    write_csv,
    write_text,
)

ALL = "all"  # trec_eval's word for the mean over queries


def write_runs(runs, lines, layout, *, per_query, digits):
    """Return the scores of runs as text.

    Parameters
    ----------
    runs : list of ScoredRun
        All with the same lines.
    lines : list of Line
        What to show for each run.
    layout : {"table", "csv", "json", "latex", "markdown", "html", "trec"}
        The format.
    per_query : bool
        Whether to write the scores of single queries.
    digits : int
        Number of decimals in tables.
    colour : bool
        Whether a terminal will show it.

    Returns
    -------
    str
    """
    labels = [line.label for line in lines]
    if layout == "trec":
        return _trec_lines(runs, labels, per_query)
    if layout == "json":
        return write_json([_as_dict(run, labels, per_query) for run in runs])
    table = _rows_of_queries if per_query else _rows_of_means
    header, rows = table(runs, lines, layout, f".{digits}f")
    if layout == "csv":
        return write_csv(*_with_ends(header, rows))
    n_names = 2 if header[:2] == ["query", "run"] else 1
    notes, counts = [], _counts(runs, labels)
    if not per_query and layout == "table":  # a column for each run
        rows = zip(header, *rows, ["queries", *counts.values()], strict=True)
        header, *rows = rows
    elif not per_query:
        shares = {label: text for label, text in counts.items() if " of " in text}
        notes = [f"{label} is a mean over {n} queries." for label, n in shares.items()]
    header = [name if name in ("query", "run") else Name(name) for name in header]
    sides = "<" * n_names + ">" * (len(header) - n_names)
    table = Table((), header, rows, sides, notes)
    return write_text(table) if layout == "table" else WRITERS[layout](table)


def _counts(runs, labels):
    """Return how many queries each mean is over, by label; "" where there is no mean.

    A range if runs differ.
    """
    counts = {}
    for label in labels:
        shares = {
            share(run.scores.n_defined[label], run.n_queries)
            for run in runs
            if label in run.scores.n_defined
        }
        counts[label] = " or ".join(sorted(shares))
    return counts


def _rows_of_means(runs, lines, layout, form):
    """Return a header and a row for each run, the best mean of each measure marked."""
    means = _means(runs, lines, form)
    better = [m and m.metric.greater_is_better for _, _, m in lines]
    columns = map(mark_best, zip(*means, strict=True), better)
    labels = [line.label for line in lines]
    if layout != "csv":
        labels = [
            name_measure(label, is_better is not False)
            for label, is_better in zip(labels, better, strict=True)
        ]
    rows = zip([run.name for run in runs], *columns, strict=True)
    corner = "" if layout == "table" else "run"
    return [corner, *labels], [list(row) for row in rows]


def _rows_of_queries(runs, lines, layout, form):
    """Return a header, and a row for each query and run, and for the means."""
    labels = [line.label for line in lines]
    header, rows = ["query", "run", *labels], [*_rows_by_query(runs, labels, form)]
    means = zip(runs, _means(runs, lines, form), strict=True)
    rows += [[ALL, run.name, *cells] for run, cells in means]
    if layout == "table" and len(runs) == 1:  # there is no need to name the run
        header, *rows = ([row[0], *row[2:]] for row in (header, *rows))
    return header, rows


def _means(runs, lines, form):
    """Return the cells of the means of each run."""
    return [
        [
            _cell(run.scores.mean[label], form, run.intervals.get(label))
            for label, _, _ in lines
        ]
        for run in runs
    ]


def _cell(value, form, interval=None):
    if not isinstance(value, float):
        return str(value)
    return Number(value, form, Interval(*interval, form) if interval else None)


def _by_query(scores, labels):
    """Return the values of each query, in the order of labels that have values."""
    ids, columns = scores.query_ids.tolist(), [scores.scores[label] for label in labels]
    values = zip(*(column.tolist() for column in columns), strict=True)
    return dict(zip(ids, values, strict=True)) if columns else dict.fromkeys(ids, ())


def _rows_by_query(runs, labels, form):
    """Yield a row for each query and run."""
    shown = [label for label in labels if label in runs[0].scores.scores]
    values = {run.name: _by_query(run.scores, shown) for run in runs}
    for qid in sorted(set().union(*values.values())):
        for name, by_query in values.items():
            if qid in by_query:
                cells = dict(zip(shown, by_query[qid], strict=True))
                yield [
                    qid,
                    name,
                    *(_cell(cells.get(label, ""), form) for label in labels),
                ]


def _with_ends(header, rows):
    """Spread cells over columns: the number, and the ends of its interval if any."""
    names, columns = [], []
    for name, *cells in zip(header, *rows, strict=True):
        names.append(name)
        columns.append([getattr(cell, "value", cell) for cell in cells])
        if getattr(cells[-1], "interval", None):
            names += [f"{name} low", f"{name} high"]
            ends = [getattr(cell, "interval", None) or ("", "") for cell in cells]
            columns += [[low for low, *_ in ends], [high for _, high, *_ in ends]]
    return names, zip(*columns, strict=True)


def write_results(results, layout):
    """Return the results of one measure after the other as text.

    Parameters
    ----------
    results : dict of str or None to Tabular
        By measure; None if there is only one result, which names its measures itself.
    layout : {"table", "csv", "json", "latex", "markdown", "html"}
        The format.

    Returns
    -------
    str
    """
    if layout in ("csv", "json"):
        rows = [
            row for measure, result in results.items() for row in _rows(measure, result)
        ]
        if layout == "json":
            return write_json(rows)
        return write_csv(rows[0], [row.values() for row in rows])
    method = "to_text" if layout == "table" else f"to_{layout}"
    return "\n\n".join(getattr(result, method)() for result in results.values())


def _rows(measure, result):
    """Return a dict for each row of the data of a result.

    It begins with the measure, if the result does not name its measures itself.
    """
    names, columns = zip(*result._data(), strict=True)
    is_named = measure is None or "measure" in names
    named = {} if is_named else {"measure": measure}
    return [
        named | dict(zip(names, values, strict=True))
        for values in zip(*columns, strict=True)
    ]


def write_columns(columns, layout):
    """Return arrays by name as CSV or JSON, a row for each of their elements."""
    values = zip(*(column.tolist() for column in columns.values()), strict=True)
    if layout == "csv":
        return write_csv(columns, values)
    return write_json([dict(zip(columns, row, strict=True)) for row in values])


def write_json(value):
    """Return JSON, with null where a number is undefined."""
    text = json.dumps(value, default=lambda number: number.item())  # of NumPy
    defined = json.loads(text, parse_constant=lambda name: None)
    # JSON does not escape one control character.
    return json.dumps(defined, indent=2).replace("\x7f", r"\u007f")


def _trec_lines(runs, labels, per_query):
    """Return the lines of trec_eval: measure, query, value."""
    lines = []
    for run in runs:
        shown = [label for label in labels if label in run.scores.scores]
        by_query = _by_query(run.scores, shown) if per_query else {}
        values = [
            (label, qid, value)
            for qid, of_query in by_query.items()
            for label, value in zip(shown, of_query, strict=True)
        ]
        values += [(label, ALL, run.scores.mean[label]) for label in labels]
        for name, qid, value in values:
            number = f"{value:6.4f}" if isinstance(value, float) else value
            lines.append(f"{name:<22}\t{qid}\t{number}")
    return "\n".join(lines)


def _as_dict(run, labels, per_query):
    entry = {
        "run": run.name,
        "file": run.path,
        "tag": run.tag,
        "n_queries": run.n_queries,
        "missing": run.missing,
        "ignored": run.ignored,
        "scores": {label: run.scores.mean[label] for label in labels},
        "undefined": run.n_undefined,
    }
    if run.intervals:
        entry["intervals"] = run.intervals
    if per_query:
        shown = [label for label in labels if label in run.scores.scores]
        entry["queries"] = {
            qid: dict(zip(shown, values, strict=True))
            for qid, values in _by_query(run.scores, shown).items()
        }
    return entry


def one_line(text):
    """Return a message as one line that a terminal can show."""
    return visible(" ".join(text.split()))


def tell(text):
    """Print a message on standard error."""
    print(one_line(text), file=sys.stderr, flush=True)


def note(args, text):
    """Print what users may not expect on standard error."""
    tell(f"{args.parser.prog}: note: {text}")


def fail(args, text):
    """Print which condition of an option --fail-... fails; set the exit status to 1."""
    tell(f"{args.parser.prog}: failed: {text}")
    args.status = 1


def discard(stream):
    """Discard what a stream still holds, so the process can end without an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
