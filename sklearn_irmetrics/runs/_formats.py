"""Recognise the format of a file by its beginning, and read formats other than TREC."""

import csv
import io
import json
import re

from sklearn_irmetrics.runs._columns import make_columns, take_columns
from sklearn_irmetrics.runs._lines import decode, read_numbers
from sklearn_irmetrics.runs._names import NAMES, find_column
from sklearn_irmetrics.runs._trec import RANKED, read_trec

_HEAD = 2**16  # bytes to recognise a format by: far more than a header has
_MARK = "\ufeff".encode()
_JSON = re.compile(rb'\s*(?:\[\s*)?\{\s*("(?:[^"\\]|\\.)*"\s*:|\})')
_SEPARATORS = "\t", ",", ";"


def read_stream(stream, name, value, *, subtopics, columns):
    """Return the columns of a file, and a function from rows to lines, or None.

    Parameters
    ----------
    stream : object with `read`
        Bytes, decompressed.
    name : str
        The file, for messages.
    value : {"grade", "score"}
        What its numbers are.
    subtopics, columns
        As for `make_columns`.
    """
    head = stream.peek(_HEAD)
    kind, options = tell_format(head, value, columns)
    if kind == "trec":
        return read_trec(stream, name, value, subtopics=subtopics, **options)
    data, line_of = stream.read(), None
    if kind == "json":
        found, line_of = _read_json(data, name, value, subtopics, columns)
    elif kind == "parquet":
        found = _read_parquet(data, name)
    else:
        found, line_of = _read_table(data, name, value, subtopics, columns, **options)
    try:
        options = {"subtopics": subtopics, "columns": columns}
        return make_columns(found, name, value, **options), line_of
    except TypeError as error:  # in a file, it is not the caller's mistake
        raise ValueError(str(error)) from error


def tell_format(head, value, columns=None):
    """Return "trec", "json", "parquet" or "table" by the beginning of a file.

    Also return options for reading: the fields of a line, or their separator. A header
    has the usual names of ids, or those in `columns`.
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


def _cells(line, separator):
    """Return the cells of one line; only tab-separated ones have no quotes."""
    return next(csv.reader([line], **_dialect(separator)), [])


def _dialect(separator):
    quoting = csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL
    return {"delimiter": separator, "quoting": quoting}


def _read_table(data, name, value, subtopics, columns, separator):
    """Read cells under a header, as in CSV and the files of BEIR."""
    text = io.StringIO(decode(data.removeprefix(_MARK)), newline="")
    reader = csv.reader(text, strict=True, **_dialect(separator))
    rows, lines = [], []
    try:
        for row in filter(None, reader):
            if rows and len(row) != len(rows[0]):
                raise csv.Error(
                    f"expected {len(rows[0])} cells ({', '.join(rows[0])}); got "
                    f"{len(row)}"
                )
            rows.append(row)
            lines.append(reader.line_num)
    except csv.Error as error:
        raise ValueError(f"{name}, line {reader.line_num}: {error}.") from error
    header, *rows = rows
    if not rows:
        raise ValueError(f"{name}: expected lines under the header; got none.")
    again = next((c for c in header if c and header.count(c) > 1), None)
    if again is not None:
        raise ValueError(f"{name}: expected each column once; got {again!r} again.")
    table = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
    column = find_column(header, name, value, columns)
    line_of = lines[1:].__getitem__
    cells = [cell.encode("utf-8", "surrogateescape") for cell in table[column]]
    table[column] = read_numbers(cells, value, name, line_of)
    return take_columns(table, name, value, subtopics, columns), line_of


def _read_json(data, name, value, subtopics, columns):
    """Read dicts of queries, or records of documents, and the lines of records."""
    found, lines = _parse_json(decode(data.removeprefix(_MARK)), name)
    if _is_record(found[0]):
        keys = {key: key for key in found[0]}
        keys = take_columns(keys, name, value, subtopics, columns)
        for line, record in zip(lines, found, strict=True):
            if not isinstance(record, dict) or not record.keys() >= set(keys):
                wanted = f"a record with the keys {', '.join(map(repr, keys))}"
                raise _bad_json(name, line, "it lacks some", wanted)
        table = tuple([record[key] for record in found] for key in keys)
        return table, lines.__getitem__
    queries = {}
    for line, one in zip(lines, found, strict=True):
        if not isinstance(one, dict):
            raise _bad_json(name, line, f"got {type(one).__name__}")
        if _is_record(one):
            raise _bad_json(name, line, "got a record", "a dict of queries")
        again = queries.keys() & one.keys()
        if again:
            raise _bad_json(name, line, f"got query {again.pop()!r} again")
        queries |= one
    return queries, None


def _parse_json(text, name):
    """Return the values of a list, of lines, or a single one, with line numbers."""
    try:
        found = json.loads(text, object_pairs_hook=_once)
        found = found if isinstance(found, list) else [found]
        return found, [1] * len(found)
    except json.JSONDecodeError as error:
        if not error.msg.startswith("Extra data"):
            raise _bad_json(name, error.lineno, error.msg) from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name}: expected JSON; {error}.") from error
    values, lines = [], []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            line = line.removeprefix("\ufeff")  # of files that were joined
            values.append(json.loads(line, object_pairs_hook=_once))
        except (ValueError, RecursionError) as error:
            raise _bad_json(name, number, getattr(error, "msg", error)) from error
        lines.append(number)
    return values, lines


def _is_record(found):
    """Whether `found` describes a document: a dict of queries holds dicts or lists."""
    return (
        isinstance(found, dict)
        and len(found) > 1
        and not any(isinstance(inside, dict | list) for inside in found.values())
    )


def _bad_json(name, line, what, wanted="a dict"):
    return ValueError(f"{name}, line {line}: expected {wanted} as JSON; {what}.")


def _once(pairs):
    """Return pairs as a dict; refuse a repeated key, which would overwrite a value."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        again = next(key for i, key in enumerate(keys) if key in keys[:i])
        raise ValueError(f"got {again!r} twice in one dict")
    return found


def _read_parquet(data, name):
    try:
        from pyarrow import ArrowException, BufferReader
        from pyarrow.parquet import read_table
    except ImportError as error:
        raise ImportError(f"{name} is Parquet, which needs pyarrow.") from error
    try:
        table = read_table(BufferReader(data))
        table.validate(full=True)  # invalid text, among others
        return table
    except (ArrowException, OSError) as error:
        raise ValueError(f"{name}: the Parquet data cannot be read: {error}") from error
