"""How the command line writes what it computed: text, CSV, JSON, LaTeX, trec_eval."""

import contextlib
import csv
import io
import json
import math
import re
import sys

from sklearn_irmetrics._tables import escape_latex, visible
from sklearn_irmetrics.model_selection import ComparisonResult
from sklearn_irmetrics.trec import _in_byte_order

ALL = "all"  # trec_eval's word for the mean over queries
# What a spreadsheet may take for the start of a formula, and the guard itself.
_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠']")

_PLAIN = {"–": "-", "…": "...", "∞": "inf", "π": "pi", "ρ": "rho", "τ": "tau"}


def write_runs(runs, layout, *, per_query, digits, colour):
    """Return the scores of runs as text.

    Parameters
    ----------
    runs : list of ScoredRun
        All with the same columns.
    layout : {"table", "csv", "json", "latex", "trec"}
        How to write them.
    per_query : bool
        Whether to write the scores of single queries.
    digits : int
        Decimals of tables.
    colour : bool
        Whether a terminal will show it.

    Returns
    -------
    str
    """
    if layout == "trec":
        return _trec_lines(runs, per_query)
    if layout == "json":
        return write_json([_as_dict(run, per_query) for run in runs])
    if layout == "csv":
        header, rows = _by_query(runs) if per_query else _by_run(runs)
        return write_csv(*_with_ends(header, rows))
    header, rows = _by_query(runs) if per_query else _by_run(runs)
    best = set() if per_query else _best_cells(runs)
    cells = [[_cell(value, digits) for value in row] for row in rows]
    if layout == "latex":
        return _latex_table(header, cells, best)
    if per_query:
        if len(runs) == 1:
            header, *cells = ([row[0], *row[2:]] for row in (header, *cells))
        return write_table(header, cells, left=min(len(runs), 2), colour=colour)
    counts = {run.n_queries for run in runs}
    header[0] = count_queries(counts.pop()) if len(counts) == 1 else ""
    header, *cells = zip(header, *cells, strict=True)
    best = {(column - 1, row + 1) for row, column in best}
    return write_table(header, cells, bold=best, colour=colour)


def write_comparisons(results, layout):
    """Return comparisons by one measure after the other.

    Parameters
    ----------
    results : list of ComparisonResult
        One for each measure.
    layout : {"table", "csv", "json", "latex"}
        How to write them.

    Returns
    -------
    str
    """
    if layout in ("table", "latex"):
        write = repr if layout == "table" else ComparisonResult.to_latex
        return "\n\n".join(map(write, results))
    rows = [
        {"measure": result.measure, **row}
        for result in results
        for row in _comparisons(result)
    ]
    if layout == "csv":
        return write_csv(list(rows[0]), [list(row.values()) for row in rows])
    return write_json(rows)


def _comparisons(result):
    """Return a dict for each pair of systems."""
    low, high = zip(*result.confidence_interval, strict=True)
    columns = {
        "system": result.system,
        "versus": result.versus,
        "mean": [result.mean[name] for name in result.system],
        "mean_versus": [result.mean[name] for name in result.versus],
        "difference": result.difference.tolist(),
        "low": low,
        "high": high,
        "p_value": result.p_value.tolist(),
        "p_adjusted": result.p_adjusted.tolist(),
        "effect_size": result.effect_size.tolist(),
        "wins": result.wins.tolist(),
        "ties": result.ties.tolist(),
        "losses": result.losses.tolist(),
    }
    about = {
        "n_queries": result.n_units,
        "test": result.test,
        "correction": result.correction,
    }
    return [
        dict(zip(columns, row, strict=True)) | about
        for row in zip(*columns.values(), strict=True)
    ]


def write_table(header, rows, *, left=1, bold=(), colour=False):
    """Return aligned columns.

    Parameters
    ----------
    header : sequence of str
        Names of the columns.
    rows : list of sequence of str
        The cells.
    left : int
        How many columns are aligned to the left.
    bold : collection of (int, int)
        Row and column of the cells that stand out.
    colour : bool
        Whether a terminal will show that.

    Returns
    -------
    str
    """
    texts = [list(map(visible, row)) for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    lines = []
    for i, row in enumerate(texts, start=-1):
        cells = [
            cell.ljust(width) if j < left else cell.rjust(width)
            for j, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        cells[-1] = cells[-1].rstrip()
        if colour:
            cells = [
                f"\x1b[1m{cell}\x1b[0m" if i < 0 or (i, j) in bold else cell
                for j, cell in enumerate(cells)
            ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def write_csv(header, rows):
    """Return comma-separated values in full precision, empty where undefined.

    Text that a spreadsheet could take for a formula gets a single quote in front, and
    so does text that begins with one: to take one off gives the text back.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows([map(_csv_field, row) for row in (header, *rows)])
    return stream.getvalue().removesuffix("\n")


def _csv_field(value):
    if isinstance(value, str):
        return f"'{value}" if _FORMULA.match(value) else value
    return "" if _is_nan(value) else value


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
        for qid in _in_byte_order(set().union(*places))
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


def _best_cells(runs):
    """Return row and column, as of `_by_run`, of the best mean of each measure."""
    best = set()
    for j, columns in enumerate(zip(*(run.columns for run in runs), strict=True), 1):
        better = columns[0].greater_is_better
        means = {i: c.mean for i, c in enumerate(columns) if not _is_nan(c.mean)}
        if better is None or len(set(means.values())) < 2:
            continue
        top = (max if better else min)(means.values())
        best |= {(i, j) for i, mean in means.items() if mean == top}
    return best


def _cell(value, digits):
    """Return what a table shows of a value or a column."""
    low, high = _ends(value)
    value = getattr(value, "mean", value)
    if not isinstance(value, float):
        return str(value)
    text = "–" if _is_nan(value) else f"{value:.{digits}f}"
    if low == "" or _is_nan(low):
        return text
    return f"{text} [{low:.{digits}f}, {high:.{digits}f}]"


def _latex_table(header, cells, best):
    """Return a table for the booktabs package, the best means in bold."""
    lines = []
    for i, row in enumerate([header, *cells], start=-1):
        texts = [
            rf"\textbf{{{text}}}" if (i, j) in best else text
            for j, text in enumerate(map(escape_latex, row))
        ]
        lines.append(" & ".join(texts) + r" \\")
    n_names = 2 if header[0] == "query" else 1
    sides = "l" * n_names + "r" * (len(header) - n_names)
    top = [rf"\begin{{tabular}}{{{sides}}}", r"\toprule", lines[0], r"\midrule"]
    return "\n".join([*top, *lines[1:], r"\bottomrule", r"\end{tabular}"])


def _trec_lines(runs, per_query):
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
            for column in run.columns
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


def count_queries(n):
    """Return a number of queries in words."""
    return f"{n} query" if n == 1 else f"{n} queries"


def for_output(text, layout):
    """Return text as standard output can show it; data stay as they are for programs.

    On a terminal, data have escapes for what would steer it, as tables always have.
    """
    if layout == "table":
        return plain_where_needed(text, "–")  # ours; an id has escapes instead
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
