"""How the command line writes what it computed: tables, JSON, lines of trec_eval."""

import contextlib
import json
import math
import os
import re
import sys
from dataclasses import replace

from sklearn_irmetrics._tables import (
    WRITERS,
    Interval,
    Number,
    Table,
    count,
    mark_best,
    visible,
    write_csv,
    write_text,
)
from sklearn_irmetrics.runs._ids import in_byte_order

ALL = "all"  # trec_eval's word for the mean over queries

_PLAIN = {
    "–": "-",
    "†": "+",
    "…": "...",
    "∞": "inf",
    "≤": "<=",
    "π": "pi",
    "ρ": "rho",
    "τ": "tau",
}


def write_runs(runs, layout, *, per_query, digits, colour, summary=True):
    """Return the scores of runs as text.

    Parameters
    ----------
    runs : list of ScoredRun
        All with the same columns.
    layout : {"table", "csv", "json", "latex", "markdown", "html", "trec"}
        How to write them.
    per_query : bool
        Whether to write the scores of single queries.
    digits : int
        Decimals of tables.
    colour : bool
        Whether a terminal will show it.
    summary : bool
        Whether the lines of trec_eval are of means too.

    Returns
    -------
    str
    """
    if layout == "trec":
        return _trec_lines(runs, per_query, summary)
    if layout == "json":
        return write_json([_as_dict(run, per_query) for run in runs])
    header, rows = _by_query(runs) if per_query else _by_run(runs)
    if layout == "csv":
        return write_csv(*_with_ends(header, rows)).removesuffix("\n")
    rows = [[_cell(value, digits) for value in row] for row in rows]
    if not per_query:
        names, *columns = zip(*rows, strict=True)
        columns = [
            mark_best(cells, column.greater_is_better)
            for cells, column in zip(columns, runs[0].columns, strict=True)
        ]
        rows = list(zip(names, *columns, strict=True))
    n_names = 2 if per_query else 1
    if layout == "table" and not per_query:
        counts = {run.n_queries for run in runs}
        header[0] = count(counts.pop(), "query") if len(counts) == 1 else ""
        header, *rows = zip(header, *rows, strict=True)
    elif layout == "table" and len(runs) == 1:
        header, *rows = ([row[0], *row[2:]] for row in (header, *rows))
        n_names = 1
    sides = "<" * n_names + ">" * (len(header) - n_names)
    table = Table((), header, rows, sides)
    if layout == "table":
        return write_text(table, indent="", bold=colour)
    return WRITERS[layout](table)


def write_comparisons(results, layout):
    """Return comparisons by one measure after the other.

    Parameters
    ----------
    results : list of ComparisonResult
        One for each measure.
    layout : {"table", "csv", "json", "latex", "markdown", "html"}
        How to write them.

    Returns
    -------
    str
    """
    write = write_text if layout == "table" else WRITERS.get(layout)
    if write is not None:
        return "\n\n".join(write(result._table()) for result in results)
    rows = [
        {"measure": result.metric, **row}
        for result in results
        for row in _comparisons(result)
    ]
    return _rows(rows, layout)


def write_plans(plans, layout):
    """Return plans, one after the other.

    Parameters
    ----------
    plans : dict of str or None to QueryPlan
        By measure; None where there is none.
    layout : {"table", "csv", "json", "latex", "markdown", "html"}
        How to write them.

    Returns
    -------
    str
    """
    write = write_text if layout == "table" else WRITERS.get(layout)
    if write is not None:
        tables = {name: plan._table() for name, plan in plans.items()}
        return "\n\n".join(
            write(replace(table, title=[*filter(None, [name]), *table.title]))
            for name, table in tables.items()
        )
    rows = []
    for name, plan in plans.items():
        names, columns = zip(*plan._data(), strict=True)
        about = {} if name is None else {"measure": name}
        about |= {"effect": plan.effect, "std": plan.std, "n_needed": plan.n_queries}
        rows += [
            about | dict(zip(names, row, strict=True))
            for row in zip(*columns, strict=True)
        ]
    return _rows(rows, layout)


def _rows(rows, layout):
    """Return dicts of the same keys as CSV or JSON."""
    if layout == "csv":
        values = [list(row.values()) for row in rows]
        return write_csv(list(rows[0]), values).removesuffix("\n")
    return write_json(rows)


def _comparisons(result):
    """Return a dict for each pair of systems."""
    names, columns = zip(*result._data(), strict=True)
    about = {
        "n_queries": result.n_units,
        "test": result.test,
        "correction": result.correction,
    }
    return [
        dict(zip(names, row, strict=True)) | about for row in zip(*columns, strict=True)
    ]


def write_json(value):
    """Return JSON, with null where a number is undefined."""
    text = json.dumps(_without_nan(value), indent=2, allow_nan=False)
    return text.replace("\x7f", r"\u007f")  # the one control character it leaves


def _by_run(runs):
    """Return a header and a row for each run; cells are columns of runs."""
    header = ["run", *(column.name for column in runs[0].columns)]
    return header, [[run.name, *run.columns] for run in runs]


def _by_query(runs):
    """Return a header, a row for each query and run, and the means below."""
    header, means = _by_run(runs)
    places = [{qid: i for i, qid in enumerate(run.query_ids)} for run in runs]
    scores = [
        [None if c.scores is None else c.scores.tolist() for c in run.columns]
        for run in runs
    ]
    rows = [
        [
            qid,
            run.name,
            *("" if values is None else values[place[qid]] for values in columns),
        ]
        for qid in in_byte_order(set().union(*places))
        for run, place, columns in zip(runs, places, scores, strict=True)
        if qid in place
    ]
    return ["query", *header], rows + [[ALL, *row] for row in means]


def _with_ends(header, rows):
    """Spread means over columns: the mean, and the ends of its interval if any."""
    widths = [3 if getattr(cell, "interval", None) else 1 for cell in rows[-1]]

    def spread(row, parts_of):
        pairs = zip(row, widths, strict=True)
        return [part for cell, width in pairs for part in parts_of(cell)[:width]]

    names = spread(header, lambda name: [name, f"{name} low", f"{name} high"])
    return names, [
        spread(row, lambda cell: [getattr(cell, "mean", cell), *_ends(cell)])
        for row in rows
    ]


def _ends(cell):
    return getattr(cell, "interval", None) or ("", "")


def _cell(value, digits):
    """Return the cell of a value or a column."""
    ends = getattr(value, "interval", None)
    value = getattr(value, "mean", value)
    if not isinstance(value, float):
        return str(value)
    form = f".{digits}f"
    return Number(value, form, Interval(*ends, form) if ends else None)


def _trec_lines(runs, per_query, summary):
    """Return the lines of trec_eval: measure, query, value."""
    lines = []
    for run in runs:
        by_query = [column for column in run.columns if column.scores is not None]
        shown = [
            (f"{column.name:<22}", list(map(_trec_number, column.scores.tolist())))
            for column in by_query
        ]
        lines += [
            f"{name}\t{qid}\t{numbers[i]}"
            for i, qid in enumerate(run.query_ids if per_query else ())
            for name, numbers in shown
        ]
        lines += [
            f"{column.name:<22}\t{ALL}\t{_trec_number(column.mean)}"
            for column in (run.columns if summary else ())
        ]
    return "\n".join(lines)


def _trec_number(value):
    return f"{value:6.4f}" if isinstance(value, float) else str(value)


def _as_dict(run, per_query):
    columns = run.columns
    entry = {
        "run": run.name,
        "file": run.path,
        "tag": run.tag,
        "n_queries": run.n_queries,
        "missing": run.missing,
        "ignored": run.ignored,
        "scores": {c.name: c.mean for c in columns},
        "undefined": {c.name: c.n_undefined for c in columns if c.n_undefined},
    }
    if any(c.interval for c in columns):
        entry["intervals"] = {c.name: c.interval for c in columns if c.interval}
    if per_query:
        scores = {c.name: c.scores.tolist() for c in columns if c.scores is not None}
        entry["queries"] = {
            qid: {name: values[i] for name, values in scores.items()}
            for i, qid in enumerate(run.query_ids)
        }
    return entry


def _without_nan(value):
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return None if _is_nan(value) else value


def _is_nan(value):
    return isinstance(value, float) and math.isnan(value)


def for_output(text, layout):
    """Return text as standard output can show it; data stay as they are for programs.

    On a terminal, data have escapes for what would steer it, as tables always have.
    """
    if layout in ("table", "markdown", "html"):
        return plain_where_needed(text, "–†")  # ours; an id has escapes instead
    if not sys.stdout.isatty():
        return text
    return re.sub("[^\n\t]+", lambda part: visible(part[0]), text)


def plain_where_needed(text, only=None):
    """Return text with ASCII for those of our signs that standard output lacks."""
    for sign in only or _PLAIN:
        try:
            sign.encode(sys.stdout.encoding or "utf-8")
        except UnicodeEncodeError:
            text = text.replace(sign, _PLAIN[sign])
    return text


def one_line(text):
    """Return a message in one line that a terminal can show."""
    return visible(" ".join(text.split()))


def tell(text):
    """Print a message on standard error, if there is one."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(one_line(text), file=sys.stderr)


def shows_colour(stream):
    """Whether a stream is a terminal that may be sent colours and bold letters."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and stream.isatty()
