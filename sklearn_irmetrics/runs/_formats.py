"""What a file holds, told by its beginning, and how what is not TREC is read."""

import csv
import io
import json
import re

import numpy as np

from sklearn_irmetrics.runs._columns import make_columns
from sklearn_irmetrics.runs._forms import is_refused
from sklearn_irmetrics.runs._lines import decode, quote
from sklearn_irmetrics.runs._names import NAMES, find_column
from sklearn_irmetrics.runs._trec import RANKED, number_of, read_trec

_HEAD = 2**16  # bytes to tell a format by: far more than a header has
_MARK = "\ufeff".encode()
_JSON = re.compile(rb'\s*(?:\[\s*)?\{\s*("(?:[^"\\]|\\.)*"\s*:|\})')
_SEPARATORS = "\t", ",", ";"
# What others begin with: the place and the sign.
_OTHERS = {
    (0, b"\xff\xfe"): "text in UTF-16",
    (0, b"\xfe\xff"): "text in UTF-16",
    (0, b"PK\3\4"): "a zip archive",
    (257, b"ustar"): "a tar archive",
}


def read_stream(stream, name, value, *, subtopics, columns):
    """Return the columns of a file, and what gives the line of a row, if it has lines.

    Parameters
    ----------
    stream : object with `read`
        Bytes, decompressed.
    name : str
        The file, for messages.
    value : {"grade", "score"}
        What its numbers are.
    subtopics, columns
        As of `make_columns`.
    """
    head = stream.read(_HEAD)
    for (at, sign), what in _OTHERS.items():
        if head.startswith(sign, at):
            raise ValueError(f"{name}: expected text in UTF-8; got {what}.")
    kind, options = tell_format(head, value, columns)
    stream = _Again(head, stream)
    if kind == "trec":
        return read_trec(stream, name, value, subtopics=subtopics, **options)
    line_of = None
    data = stream.read_all()
    if kind == "json":
        found = _read_json(data, name)
    elif kind == "parquet":
        found = _read_parquet(data, name)
    else:
        found, line_of = _read_table(data, name, value, columns, **options)
    try:
        options = {"subtopics": subtopics, "columns": columns}
        return make_columns(found, name, value, **options), line_of
    except TypeError as error:  # in a file it is no fault of the caller's
        raise ValueError(str(error)) from error


def tell_format(head, value, columns=None):
    """Return "trec", "json", "parquet" or "table" by the beginning of a file.

    And what else reading must know: the fields of a line, or what parts them. A header
    has the usual names of ids, or those of `columns`.
    """
    head = head.removeprefix(_MARK)
    if head.startswith(b"PAR1"):
        return "parquet", {}
    if _JSON.match(head):
        return "json", {}
    line = re.split(rb"[\r\n]", head.lstrip(b"\r\n"), maxsplit=1)[0]
    columns = columns or {}
    ids = [{*NAMES[one], columns.get(one)} for one in ("qid", "docno")]
    for separator in _SEPARATORS:
        cells = _cells(decode(line), separator)
        if all(names.intersection(cells) for names in ids):
            return "table", {"separator": separator}
    cells = line.split(b"\t")
    if value == "score" and len(cells) == 3 and cells[2].strip().isdigit():
        return "trec", {"fields": RANKED}
    return "trec", {}


class _Again:
    """A stream of which the beginning was read before."""

    def __init__(self, head, stream):
        self._head, self._stream = head, stream

    def read(self, size):
        if not self._head:
            return self._stream.read(size)
        piece, self._head = self._head[:size], self._head[size:]
        return piece

    def read_all(self):
        return self._head + self._stream.read()


def _cells(line, separator):
    """Return the cells of one line; only what commas part has quotes."""
    return next(csv.reader([line], **_dialect(separator)), [])


def _dialect(separator):
    quoting = csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL
    return {"delimiter": separator, "quoting": quoting}


class _Cells:
    """Columns of a file by name, as a table has them."""

    def __init__(self, columns):
        self._columns, self.columns = columns, list(columns)

    def __getitem__(self, name):
        return self._columns[name]


def _read_table(data, name, value, columns, separator):
    """Read cells under a header, as CSV and the files of BEIR have them."""
    text = io.StringIO(decode(data.removeprefix(_MARK)), newline="")
    reader = csv.reader(text, strict=True, **_dialect(separator))
    header, rows, lines = None, [], []
    try:
        for row in reader:
            if not row:
                continue
            if header is None:
                header = row
                again = next((c for c in header if c and header.count(c) > 1), None)
                if again is not None:
                    raise ValueError(
                        f"{name}: expected each column once; got {again!r} again."
                    )
                continue
            if len(row) != len(header):
                raise ValueError(
                    f"{name}, line {reader.line_num}: expected {len(header)} cells "
                    f"({', '.join(header)}); got {len(row)}."
                )
            rows.append(row)
            lines.append(reader.line_num)
    except csv.Error as error:
        what = str(error)
        if "field limit" in what:
            longest = csv.field_size_limit()
            what = f"expected at most {longest} characters in a cell; got more"
        raise ValueError(f"{name}, line {reader.line_num}: {what}.") from error
    if not rows:
        raise ValueError(f"{name}: expected lines under the header; got none.")
    table = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
    column = find_column(header, name, value, columns)
    numbers = np.array([number_of(cell.encode()) for cell in table[column]])
    refused = is_refused(value, numbers)
    if refused.any():
        row = int(refused.argmax())
        rule = "a number" if value == "score" else "a finite number"
        raise ValueError(
            f"{name}, line {lines[row]}: the {value} must be {rule}; got "
            f"{quote(table[column][row].encode())}."
        )
    return _Cells(table | {column: numbers}), lines.__getitem__


def _read_json(data, name):
    """Read a dict of queries: as one, or as a dict per line."""
    text = decode(data.removeprefix(_MARK))
    try:
        return _queries(json.loads(text, object_pairs_hook=_once), name, 1)
    except json.JSONDecodeError as error:
        if not error.msg.startswith("Extra data"):
            raise _bad_json(name, error.lineno, error.msg) from error
    except (_Twice, RecursionError) as error:
        raise ValueError(f"{name}: expected JSON; {error}.") from error
    queries = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            line = line.removeprefix("\ufeff")  # of files that were joined
            found = json.loads(line, object_pairs_hook=_once)
        except (ValueError, RecursionError) as error:
            raise _bad_json(name, number, getattr(error, "msg", error)) from error
        found = _queries(found, name, number)
        again = queries.keys() & found.keys()
        if again:
            raise _bad_json(name, number, f"got query {again.pop()!r} again")
        queries |= found
    return queries


def _queries(found, name, line):
    """Return a dict of queries as it is; refuse what else JSON can hold."""
    if not isinstance(found, dict):
        raise _bad_json(name, line, f"got {type(found).__name__}")
    if len(found) > 1 and not any(isinstance(v, dict | list) for v in found.values()):
        keys = ", ".join(map(repr, list(found)[:4]))
        what = f"got a record with the keys {keys}; records can be CSV or Parquet"
        raise _bad_json(name, line, what, "a dict of queries")
    return found


def _bad_json(name, line, what, wanted="a dict"):
    return ValueError(f"{name}, line {line}: expected {wanted} as JSON; {what}.")


class _Twice(ValueError):
    """A key comes twice in a dict of JSON."""


def _once(pairs):
    """Return pairs as a dict; refuse a key that comes twice, of which one would win."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        again = next(key for i, key in enumerate(keys) if key in keys[:i])
        raise _Twice(f"got {again!r} twice in one dict")
    return found


def _read_parquet(data, name):
    try:
        from pyarrow import ArrowException, BufferReader
        from pyarrow.parquet import read_table
    except ImportError:
        try:
            from polars import read_parquet
        except ImportError as error:
            raise ImportError(f"{name} is Parquet, which needs pyarrow.") from error
        return read_parquet(io.BytesIO(data))
    try:
        table = read_table(BufferReader(data))
        table.validate(full=True)  # text that is none, among others
        return table
    except (ArrowException, OSError) as error:
        raise ValueError(f"{name}: the Parquet data cannot be read: {error}") from error
