"""Tables of results, and their writers as text and CSV; `markup` has the others."""

from __future__ import annotations

import csv
import io
import math
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Number as AnyNumber
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from sklearn_irmetrics._arrays.numbers import to_numpy
from sklearn_irmetrics._checks import check_count

# Control characters, those that turn the direction of text, and lone surrogates; the
# surrogates up to U+DC9F stand for bytes that are control characters in Latin-1.
_UNSEEN = re.compile(
    "[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ud800-\udc9f\udd00-\udfff]"
)
# What a spreadsheet may take for the start of a formula, and the guard itself.
_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠']")
_LONG = 1e6  # from here on numbers are shown with an exponent
_WIDTH = 80  # of lines of text, which are broken between words
# The mark of a number that may also be the best, which pages and papers underline.
MAY_BE_BEST = "~"
# A table of more rows is long: so many of either end are shown.
_MOST_ROWS, _ENDS = 12, 5

# What reports and messages call several of a kind.
PLURAL = {
    "query": "queries",
    "class": "classes",
    "group": "groups",
    "row": "rows",
    "split": "splits",
    "data set": "data sets",
}


def count(n, noun):
    """Return a number of things with their name, such as "1 query" or "2 queries"."""
    return f"{n} {noun}" if n == 1 else f"{n} {PLURAL.get(noun, noun + 's')}"


def count_queries(n, n_zero_weight):
    """Return a number of queries in words, and how many of them have the weight 0."""
    without = f" ({n_zero_weight} of weight 0)" if n_zero_weight else ""
    return f"{count(n, 'query')}{without}"


def share(n, total):
    """Return a number of things as a share of all, such as "35 of 40", or just "40"."""
    return f"{n}" if n == total else f"{n} of {total}"


def decimals(standard_errors=math.nan):
    """Return the number of decimals to show for values with these standard errors.

    3, but 4 if the smallest error is below 0.005, and 2 if it is above 0.5. Errors that
    are unknown or 0 do not count.
    """
    errors = np.atleast_1d(np.asarray(standard_errors, dtype=np.float64))
    smallest = errors[errors > 0].min(initial=np.inf)
    if math.isinf(smallest):
        return 3
    return 4 if smallest < 0.005 else 2 if smallest > 0.5 else 3


def format_p(p_value, alpha=0.05):
    """Return a p-value with two significant digits, or more to show its side of alpha.

    Values below 0.001 (and below alpha) are shown as "<0.001", unknown ones as a dash.
    """
    if math.isnan(p_value):
        return "–"
    least = min(0.001, alpha)
    if p_value < least:
        return f"<{least:g}"
    is_low = p_value <= alpha
    n_zeros = -math.floor(math.log10(p_value)) - 1
    for n_digits in range(2, 6):
        text = f"{p_value:.{max(n_zeros + n_digits, 1)}f}"
        if (float(text) <= alpha) == is_low:
            return text
    return f"{'≤' if is_low else '>'}{alpha:g}"


def visible(text):
    r"""Return text with escapes such as ``\x1b`` for what would steer a terminal."""
    return _UNSEEN.sub(lambda match: escape_character(match[0]), text)


def escape_character(char):
    """Return a character as Python escapes it, a byte that is not UTF-8 as the byte."""
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        char = chr(code - 0xDC00)
    return char.encode("unicode_escape").decode()


class Name(str):
    """A heading that is a name of the user's, which is written as it is."""


class Interval(NamedTuple):
    """A cell with the two ends of an interval; a dash where both say nothing."""

    low: float
    high: float
    form: str = ".4f"

    def __str__(self):
        if not math.isfinite(self.low) and not math.isfinite(self.high):
            return "–"
        return f"[{_figure(self.low, self.form)}, {_figure(self.high, self.form)}]"


class Number(NamedTuple):
    """A cell with a number, and how to show it.

    Attributes
    ----------
    value : float
        A dash is shown for NaN.
    form : str, default=".4f"
        How to format it.
    interval : Interval or None
        Shown after the number, if its ends are known.
    best : bool, default=False
        Whether it is in bold, except in text; see `mark_best`.
    mark : str, default=""
        Signs that `Table.marks` explains; spaces after them are room in plain text.
    """

    value: float
    form: str = ".4f"
    interval: Interval | None = None
    best: bool = False
    mark: str = ""

    def __str__(self):
        text = _figure(self.value, self.form)
        if self.interval is None or str(self.interval) == "–":
            return text
        return f"{text} {self.interval}"


Cell: TypeAlias = str | int | Number | Interval


@dataclass(frozen=True)
class Table:
    """A table, whatever the format it is written in.

    Attributes
    ----------
    title : sequence of lines
        A line is a string, or cells to join.
    header : sequence of str
        Names of the columns; a `Name` is the user's.
    rows : sequence of sequences of cells
        As many cells in each as there are columns.
    sides : str
        "<" or ">" for each column: the side to which its cells are aligned.
    notes : sequence of str
        Lines below the table.
    details : sequence of str
        Sentences that say how the table was computed; text has them on request.
    marks : mapping of str to str
        Meanings of the marks of numbers.
    """

    title: Sequence[str | Sequence[Cell]]
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    sides: str
    notes: Sequence[str] = ()
    details: Sequence[str] = ()
    marks: Mapping[str, str] = field(default_factory=dict)


class Column(NamedTuple):
    """A column of a result: values in full precision, and how they are shown.

    Attributes
    ----------
    name : str, tuple of str or None
        The name in data frames and CSV. With several names, values are tuples, which
        are as many columns there and one cell where they are shown, such as the ends of
        an interval. None: only shown.
    values : sequence
        In full precision.
    form : str, callable or None, default=None
        The format of numbers, or a function of a value (of the parts of a tuple) that
        returns a cell. None: text.
    heading : str or None, default=None
        The name where the column is shown; None: `name`.
    shown : bool, default=True
        Whether tables show it; False: only data have it.
    in_index : bool, default=False
        Whether it names the rows of a data frame.
    as_shown : sequence of cells or None, default=None
        What tables show in place of the values, such as numbers with marks.
    align : {"<", ">"} or None, default=None
        The side to which cells are aligned; None: to the right if there is a form.
    """

    name: str | tuple[str, ...] | None
    values: Sequence[Any]
    form: str | Callable[..., Cell] | None = None
    heading: str | None = None
    shown: bool = True
    in_index: bool = False
    as_shown: Sequence[Cell] | None = None
    align: str | None = None

    def data(self):
        """Return the names in data frames and CSV, with the values of each."""
        if self.name is None:
            return []
        if not isinstance(self.name, tuple):
            return [(self.name, self.values)]
        return [
            (name, [parts[i] for parts in self.values])
            for i, name in enumerate(self.name)
        ]

    def cells(self):
        """Return the cells of tables."""
        if self.as_shown is not None:
            return self.as_shown
        if self.form is None:
            return [str(value) for value in self.values]
        if isinstance(self.form, str):
            return [Number(value, self.form) for value in self.values]
        if isinstance(self.name, tuple):
            return [self.form(*parts) for parts in self.values]
        return [self.form(value) for value in self.values]

    def show(self):
        """Return the column as one that tables show, with a form if it has numbers."""
        form = self.form
        if isinstance(self.name, tuple):
            form = form or partial(Interval, form=".3f")
        elif form is None and self.as_shown is None:
            is_real = all(isinstance(value, float) for value in self.values)
            form = ".3f" if is_real and not self.in_index else None
        heading = self.heading
        if heading is None and not self.shown:
            heading = str(self.name).replace("_", " ")
        return self._replace(form=form, heading=heading, shown=True)

    def take(self, rows):
        """Return the column of some rows, in their order."""
        values = [self.values[i] for i in rows]
        if self.as_shown is None:
            return self._replace(values=values)
        return self._replace(values=values, as_shown=[self.as_shown[i] for i in rows])


def join_columns(parts):
    """Return one column of the rows of several, one below the other.

    It is shown if one of them is.
    """
    cells = None
    if parts[0].as_shown is not None:
        cells = [cell for part in parts for cell in part.as_shown]
    return parts[0]._replace(
        values=[value for part in parts for value in part.values],
        shown=any(part.shown for part in parts),
        as_shown=cells,
    )


def interval_column(intervals, confidence_level, prefix="", form=".4f"):
    """Return the column of the low and high ends of intervals."""
    return Column(
        (f"{prefix}low", f"{prefix}high"),
        intervals,
        lambda low, high: Interval(low, high, form),
        heading=f"{100 * confidence_level:g} % interval",
    )


def make_table(columns, title=(), notes=(), marks=None, details=()):
    """Return the table of those columns that are shown."""
    shown = [column for column in columns if column.shown]
    return Table(
        title=list(title),
        header=[
            column.name if column.heading is None else column.heading
            for column in shown
        ],
        rows=list(zip(*(column.cells() for column in shown), strict=True)),
        sides="".join(
            column.align or ("<" if column.form is None else ">") for column in shown
        ),
        notes=list(notes),
        details=list(details),
        marks=marks or {},
    )


def columns_of_table(table):
    """Return the columns of a table that is not a list of columns itself."""
    return [
        Column(
            None,
            (),
            heading=heading,
            as_shown=[row[i] for row in table.rows],
            align=side,
        )
        for i, (heading, side) in enumerate(zip(table.header, table.sides, strict=True))
    ]


def choose_columns(columns, names):
    """Return columns by their names in data frames or headings; None: those shown."""
    if names is None:
        return [column for column in columns if column.shown]
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise TypeError(f"columns must be a list of names; got {names!r}.")
    listed, places = [], {}
    for i, column in enumerate(columns):
        of_data = [str(name) for name, _ in column.data()] or [column.heading]
        listed += of_data
        for name in (*of_data, column.heading):
            places.setdefault(name, i)
    chosen = []
    for name in names:
        if name not in places:
            raise ValueError(
                f"columns must be names among {', '.join(map(repr, listed))}; got "
                f"{name!r}."
            )
        chosen.append(places[name])
    return [columns[i].show() for i in dict.fromkeys(chosen)]


def show_columns(table, columns):
    """Return a table with other columns."""
    shown = make_table(columns)
    return replace(table, header=shown.header, rows=shown.rows, sides=shown.sides)


def set_decimals(table, n):
    """Return a table in which all values and intervals have `n` decimals.

    None: as they are. Counts and p-values stay as they are, too.
    """

    def rounded(cell):
        if not isinstance(cell, Interval | Number):
            return cell
        cell = cell._replace(form=re.sub(r"\.\d+f", f".{n}f", cell.form))
        if isinstance(cell, Number) and cell.interval is not None:
            return cell._replace(interval=rounded(cell.interval))
        return cell

    if n is None:
        return table
    n = check_count("digits", n, 0, 15)
    return replace(table, rows=[list(map(rounded, row)) for row in table.rows])


def make_short_table(arrays, title, notes=(), details=()):
    """Return the table of arrays by name; only the ends of a long one."""
    arrays = {name: to_numpy(values) for name, values in arrays.items()}
    n_rows = len(next(iter(arrays.values())))
    is_long = n_rows > _MOST_ROWS
    shown = np.r_[:_ENDS, n_rows - _ENDS : n_rows] if is_long else np.arange(n_rows)
    columns = [array_column(name, values[shown]) for name, values in arrays.items()]
    table = make_table(columns, [title], notes, details=details)
    if not is_long:
        return table
    gap = ["…"] * len(columns)
    rows = [*table.rows[:_ENDS], gap, *table.rows[_ENDS:]]
    return replace(table, rows=rows)


def array_column(name, values):
    """Return the column of an array, with as many digits as its numbers need."""
    if values.dtype.kind in "iu":
        return Column(name, values, str)
    if values.dtype.kind != "f":
        return Column(name, values)
    finite = values[np.isfinite(values)].astype(float)
    if (finite == np.rint(finite)).all():
        form = ".0f"
    else:
        form = ".4f" if (np.abs(finite[finite != 0]) >= 1e-4).all() else ".4g"
    return Column(name, values, form)


def make_frame(columns):
    """Return a pandas.DataFrame of columns; see `Column.in_index`."""
    pd = import_pandas()
    data, index = {}, []
    make_index = partial(pd.Index, tupleize_cols=False)  # a tuple is one name
    for column in columns:
        for name, values in column.data():
            if column.in_index:
                index.append(as_column(make_index, values).rename(name))
            else:
                data[name] = values
    if len(index) > 1:
        index = [pd.MultiIndex.from_arrays(index)]
    (rows,) = index or [None]
    make = partial(pd.Series, index=rows)
    return pd.DataFrame(
        {name: as_column(make, values) for name, values in data.items()}, index=rows
    )


def arrays_of(result, *names):
    """Return attributes that are arrays by name; a 2-D one is several."""
    columns = {}
    for name in names:
        values = getattr(result, name)
        if values.ndim == 1:
            columns[name] = values
        else:
            columns |= {f"{name}_{i}": column for i, column in enumerate(values.T)}
    return columns


def frame_of_arrays(arrays):
    """Return a pandas.DataFrame of arrays by name."""
    pd = import_pandas()
    return pd.DataFrame(
        {name: as_column(pd.Series, values) for name, values in arrays.items()}
    )


def name_measure(name, greater_is_better):
    """Return the name of a measure as tables show it: of a loss, with its direction."""
    return name if greater_is_better else f"{name} (lower is better)"


def without_repeats(cells):
    """Return cells of a column, empty where the one above is the same."""
    above = [None, *cells]
    return [
        "" if cell == last else cell for cell, last in zip(cells, above, strict=False)
    ]


def mark_best(cells, greater_is_better):
    """Return cells with the best number marked, and all that equal it.

    None is marked where all are equal, or where `greater_is_better` is None.
    """
    values = {c.value for c in cells if isinstance(c, Number)}
    values = {value for value in values if not math.isnan(value)}
    if greater_is_better is None or len(values) < 2:
        return list(cells)
    best = max(values) if greater_is_better else min(values)
    return [
        c._replace(best=True) if isinstance(c, Number) and c.value == best else c
        for c in cells
    ]


def write_text(table, *, header=True, details=False):
    """Return a plain table: title, rows and notes, with a gap between them.

    Parameters
    ----------
    table : Table
        The table.
    header : bool, default=True
        Whether to write the names of the columns.
    details : bool, default=False
        Whether to write how the table was computed.
    """

    def written(cell):
        text = visible(str(cell))
        return text + visible(cell.mark) if isinstance(cell, Number) else text

    # A line of cells is broken like a note; text may hold a table.
    title = [
        visible(line) if isinstance(line, str) else _wrap("".join(map(written, line)))
        for line in table.title
        if line
    ]
    rows = [table.header, *_level_marks(table.rows)]
    texts = [list(map(written, row)) for row in rows[0 if header else 1 :]]
    marks = [f"{mark} {meaning}" for mark, meaning in table.marks.items()]
    parts = [
        title,
        ["  ".join(row).rstrip() for row in pad_rows(texts, table.sides)],
        [_wrap(visible(note)) for note in (*marks, *table.notes) if note],
        [_wrap(visible(sentence)) for sentence in table.details if details],
    ]
    return "\n\n".join(filter(None, map("\n".join, parts)))


def _wrap(line):
    """Return a line with breaks between words where it is too wide."""
    if len(line) <= _WIDTH:
        return line
    lines = textwrap.wrap(
        line,
        _WIDTH,
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines)


def _level_marks(rows):
    """Return rows in which all marks of a column are of one width, so digits align."""
    columns = []
    for cells in zip(*rows, strict=True):
        is_number = [isinstance(cell, Number) for cell in cells]
        marked = zip(cells, is_number, strict=True)
        width = max((len(cell.mark) for cell, is_one in marked if is_one), default=0)
        columns.append(
            [
                cell._replace(mark=cell.mark.ljust(width)) if is_one else cell
                for cell, is_one in zip(cells, is_number, strict=True)
            ]
        )
    return list(zip(*columns, strict=True))


def pad_rows(rows, sides, least=0):
    """Return rows of text with cells padded to the width of their column."""
    widths = [max(least, *map(len, column)) for column in zip(*rows, strict=True)]
    return [
        [
            text.ljust(width) if side == "<" else text.rjust(width)
            for text, side, width in zip(row, sides, widths, strict=True)
        ]
        for row in rows
    ]


def write_csv(header, rows):
    """Return comma-separated values in full precision, empty where undefined.

    Text that a spreadsheet could take for a formula is prefixed with a single quote,
    and so is text that begins with one: removing one gives the text back.
    """
    lines = []
    for row in (header, *rows):
        stream = io.StringIO()
        # With this end of line, text with either half of it is quoted.
        csv.writer(stream, lineterminator="\r\n").writerow(map(_csv_field, row))
        lines.append(stream.getvalue().removesuffix("\r\n") + "\n")
    return "".join(lines)


def _csv_field(value):
    if value is None or isinstance(value, AnyNumber) and value != value:
        return ""
    text = str(value)
    is_text = not isinstance(value, AnyNumber)
    return f"'{text}" if is_text and _FORMULA.match(text) else text


def _figure(value, form):
    if math.isnan(value):
        return "–"
    is_long = abs(value) >= _LONG and math.isfinite(value)
    return format(value, form.replace("f", "e") if is_long else form)


def about_each(notes):
    """Return the lines above a table of several: what holds for all, and for whom else.

    Parameters
    ----------
    notes : dict of str to list of str
        The lines about each.
    """
    notes = {name: [*own] for name, own in notes.items()}
    lines = []
    for note in dict.fromkeys(note for own in notes.values() for note in own):
        about = [str(name) for name, own in notes.items() if note in own]
        lines.append(
            note if len(about) == len(notes) else f"{', '.join(about)}: {note}"
        )
    return lines


def as_column(make, values):
    """Return a Series or an Index; text that is not UTF-8 stays Python objects."""
    try:
        return make(values)
    except UnicodeEncodeError:  # of pandas 3, which keeps text as UTF-8
        return make(values, dtype=object)


def import_pandas():
    """Import pandas, or raise an error that says it is needed."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("to_frame() needs pandas: pip install pandas.") from error
    return pd
