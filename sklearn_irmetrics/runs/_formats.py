"""The formats of files: TREC, tables, JSON, Parquet."""

import csv
import io
import json
import re
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from sklearn_irmetrics._results.tables import count
from sklearn_irmetrics.runs._columns import (
    Columns,
    columns_of_table,
    numbers_of_order,
    read_object,
    wanted_columns,
)
from sklearn_irmetrics.runs._forms import (
    Run,
    find_column,
    find_numbers,
    holds_ids,
    is_query_record,
    is_refused,
)
from sklearn_irmetrics.runs._ids import (
    ByteIds,
    chunks_of_lines,
    decode,
    quote,
    ranks_in_queries,
    read_numbers,
)

# The fields of a line, by the number that is read from it.
_FIELDS = {
    "grade": ("query", "iteration", "document", "grade"),
    "score": ("query", "iteration", "document", "rank", "score", "tag"),
}
RANKED = "query", "document", "rank"  # of MS MARCO
RANKED_SCORED = "query", "document", "rank", "score"  # of ColBERT
PAIRED = "query", "document"
_YEAR_1973 = 1e8  # in seconds: no grade is as large as the time of a rating
_WIDEST = 64  # bytes of a number; longer ones are read one by one
_FAR = 2**31 - 2**10  # beyond this, positions in the data need more than 32 bits
_POWERS = 10.0 ** np.arange(_WIDEST)


def read_trec(stream, name, field, *, subtopics=False, fields=None):
    """Return the columns of a TREC file, and a function from rows to line numbers."""
    reader = _Reader(name, field, subtopics, fields or _FIELDS[field])
    for first, chunk in chunks_of_lines(stream, name):
        reader.add(first, chunk)
    return reader.columns(), reader.line_of


class _Reader:
    """The data read so far.

    If it `is_exact`, lines that a table would hold in another way are refused: with
    blanks, empty fields, comments or cells that are longer than the module csv allows.
    """

    def __init__(self, name, field, subtopics, fields, is_exact=False):
        self._is_exact = is_exact
        self._name, self._field, self._subtopics = name, field, subtopics
        self._fields = fields
        # The field that is read as a number, if there is one.
        self._counts = field if field in fields else None
        if fields == RANKED:
            self._counts = "rank"
        self._place = {field: fields.index(field) for field in fields}
        self._data = bytearray()  # the bytes that hold the ids of documents
        self._number_of = {}  # by query, as bytes
        self._queries, self._starts, self._lengths, self._numbers = [], [], [], []
        self._topics, self._lines, self._ranks = [], [], []
        self._tag = b""

    def add(self, first, chunk):
        """Add whole lines; `first` is the line number of the first one."""
        places = self._places(first, chunk)
        if places is None:
            if self._is_exact:
                raise ValueError("these lines are not plain")
            lines, chunk = self._tidy(first, chunk)
            if not lines:
                return
            data, start, length, _ = self._places(first, chunk)
        else:
            data, start, length, lines = places
            if not len(lines):
                return

        def take(field):
            at = self._place[field]
            return start[:, at], length[:, at]

        def read(field):
            places = take(field)
            numbers = _parse(data, *places)
            if numbers is None or is_refused(self._field, numbers).any():
                tokens, line_of = _fields(chunk, *places), lines.__getitem__
                numbers = read_numbers(
                    tokens, self._field, self._name, line_of, what=field
                )
            return numbers

        if self._counts is not None:
            self._numbers.append(read(self._counts))
        if self._fields == RANKED_SCORED:
            self._ranks.append(read("rank"))
        self._queries.append(self._number_queries(chunk, data, *take("query")))
        if self._subtopics:
            self._topics += map(decode, _fields(chunk, *take("iteration")))
        if "tag" in self._place:
            (self._tag,) = _fields(chunk, start[-1:, -1], length[-1:, -1])
        self._lines.append(lines)
        self._keep_ids(chunk, data, *take("document"))

    def _keep_ids(self, chunk, data, start, length):
        longest = int(length.max())
        if longest == length.min():
            # Ids of one length are kept without the bytes between them.
            ids = sliding_window_view(data, longest + 1)[start]
            chunk, start = ids.data.cast("B"), np.arange(0, ids.size, longest + 1)
        reached = len(self._data) + len(chunk)
        kind = np.int32 if reached < _FAR else np.int64
        self._starts.append((start + len(self._data)).astype(kind))
        self._lengths.append(length.astype(np.int32))
        self._data += chunk

    def columns(self):
        """Return all that was read."""
        if not self._starts:
            raise ValueError(
                f"{self._name}: expected lines of {self._describe()}; got none."
            )
        self._data += bytes(8)
        data = np.frombuffer(self._data, np.uint8)
        start, length = map(np.concatenate, (self._starts, self._lengths))
        query = np.concatenate(self._queries)
        if self._counts is None:
            numbers = np.asarray(numbers_of_order(self._field, len(query)), dtype=float)
        else:
            numbers = np.concatenate(self._numbers)
        if self._counts == "rank":
            self._refuse_ranks(query, numbers)
            numbers = -numbers
        if self._fields == RANKED_SCORED:
            self._refuse_ranks(query, np.concatenate(self._ranks))
        if self._field == "grade" and numbers.min() >= _YEAR_1973:
            raise ValueError(
                f"{self._name}: lines of four fields are taken for query, iteration, "
                f"document and grade, but {numbers[0]:.15g} is no grade. Ratings "
                "(user, item, rating, time) need a header: qid, docno, grade, time."
            )
        topics = np.array(self._topics, dtype=object) if self._subtopics else None
        return Columns(
            list(map(decode, self._number_of)),
            query,
            ByteIds(data, start, length),
            numbers,
            topics,
            tag=decode(self._tag) if "tag" in self._place else Run.tag,
        )

    def _refuse_ranks(self, query, ranks):
        """Raise if numbers are not ranks but, for example, scores or grades."""
        order = np.lexsort((ranks, query))
        ranks, place = ranks[order], ranks_in_queries(query[order])
        first = ranks[np.arange(len(ranks)) - place]
        wrong = (ranks != first + place) | ((first != 0) & (first != 1))
        if wrong.any():
            row, reading = wrong.argmax(), ""
            if self._fields == RANKED_SCORED:
                reading = (
                    " Lines of four fields are taken for query, document, rank, score."
                )
            raise ValueError(
                f"{self._name}, line {self.line_of(order[row])}: the ranks of a query "
                f"must be 0, 1, 2, ... or 1, 2, 3, ..., each once; got "
                f"{ranks[row]:.15g}.{reading} Scores need a header (qid, docno, score)."
            )

    def line_of(self, row):
        """Return the number of the line of a row."""
        for lines in self._lines:
            if row < len(lines):
                return int(lines[row])
            row -= len(lines)
        raise IndexError(row)

    def _places(self, first, chunk):
        """Return bytes, the start and length of the fields of each line, and lines.

        Blank lines are left out. None if not all others have exactly the expected
        fields, or if one ends with a blank.
        """
        width = len(self._fields)
        # Words and numbers are read beyond their end.
        data = np.frombuffer(chunk + bytes(_WIDEST), np.uint8)
        end = np.flatnonzero(data[: len(chunk)] <= ord(" "))
        blank = data[end]
        closes = blank == ord("\n")
        parts = closes | (blank == ord(" ")) | (blank == ord("\t"))
        if not parts.all():  # other characters separate fields, or belong to them
            if b"\v" in chunk or b"\f" in chunk:
                return None
            end, closes = end[parts], closes[parts]
        if self._is_exact and (blank == ord(" ")).any():
            return None
        line_ends = None  # of all lines, if some are blank
        length = np.diff(end, prepend=-1) - 1
        if self._is_exact and (
            not length.all() or length.max() > csv.field_size_limit()
        ):
            return None
        if not length.all():  # several blanks separate two fields, or lines are blank
            line_ends = end[closes]
            end, closes, length = (
                end[length > 0],
                closes[length > 0],
                length[length > 0],
            )
        n_lines = np.count_nonzero(closes)
        if len(end) != n_lines * width or not closes[width - 1 :: width].all():
            return None
        end, length = end.reshape(n_lines, width), length.reshape(n_lines, width)
        start = end - length
        if (data[start[:, 0]] == ord("#")).any():
            return None
        if line_ends is None or len(line_ends) == n_lines:
            return data, start, length, range(first, first + n_lines)
        return data, start, length, first + np.searchsorted(line_ends, start[:, 0])

    def _tidy(self, first, chunk):
        """Return the numbers of the lines that hold data, and only those lines."""
        width, tidy, lines = len(self._fields), [], []
        for number, line in enumerate(chunk.split(b"\n"), start=first):
            fields = line.split()
            if fields and not fields[0].startswith(b"#"):
                is_longer = len(fields) > width and "tag" in self._place
                if len(fields) != width and not is_longer:  # more may follow a tag
                    raise ValueError(
                        f"{self._name}, line {number}: expected {self._describe()}; "
                        f"got {count(len(fields), 'field')}: {quote(line)}."
                    )
                tidy.append(b" ".join(fields[:width]) + b"\n")
                lines.append(number)
        return lines, b"".join(tidy)

    def _number_queries(self, chunk, data, start, length):
        """Return the number of the query of each line."""
        qid = ByteIds(data, start, length)
        opens = np.append(True, ~qid.same(slice(1, None), qid, slice(-1)))
        first = np.flatnonzero(opens)
        numbers = [
            self._number_of.setdefault(field, len(self._number_of))
            for field in _fields(chunk, start[first], length[first])
        ]
        return np.repeat(
            np.array(numbers, dtype=np.int32), np.diff(first, append=len(start))
        )

    def _describe(self):
        at_least = "at least " if "tag" in self._place else ""
        fields = f"{at_least}{len(self._fields)} fields ({', '.join(self._fields)})"
        return f"{fields}, or a header with the columns qid, docno and {self._field}"


def _fields(chunk, start, length):
    places = zip(start.tolist(), length.tolist(), strict=True)
    return [chunk[at : at + size] for at, size in places]


def _parse(data, start, length):
    """Return numbers, or None if one may not be a number."""
    width = int(length.max())
    if width > _WIDEST:
        return None
    text = sliding_window_view(data, width)[start]
    text *= np.arange(width) < length[:, np.newaxis]
    numbers, exact = _parse_decimals(np.ascontiguousarray(text.T), length)
    text = text[~exact]
    if (text == ord("_")).any():  # Python accepts 1_000 as a number
        return None
    try:
        numbers[~exact] = text.view(f"S{width}").ravel().astype(np.float64)
    except ValueError:
        return None
    return numbers


def _parse_decimals(text, length):
    """Return decimals such as -12.5, and which of them are exact.

    Those with at most 15 digits are exact: a float holds the digits and the power of
    ten that divides them, so the quotient is rounded only once.

    Parameters
    ----------
    text : ndarray of uint8 of shape (width, n_numbers)
        Their characters, then zeros.
    length : ndarray of shape (n_numbers,)
        The number of characters of each.
    """
    digit = text - np.uint8(ord("0"))
    is_digit, is_point = digit < 10, text == ord(".")
    negative = text[0] == ord("-")
    n_digits, n_points = (x.sum(axis=0, dtype=np.uint8) for x in (is_digit, is_point))
    exact = (n_digits + n_points + negative == length) & (n_points < 2)
    exact &= (n_digits > 0) & (n_digits <= 15)
    digits = np.zeros(len(length), dtype=np.int64)
    for signs, is_digit_here in zip(digit, is_digit, strict=True):
        np.multiply(digits, 10, out=digits, where=is_digit_here)
        np.add(digits, signs, out=digits, where=is_digit_here)
    decimals = np.where(n_points > 0, length - 1 - is_point.argmax(axis=0), 0)
    numbers = digits / _POWERS[np.where(exact, decimals, 0)]
    return np.where(negative, -numbers, numbers), exact


_HEAD = 2**16  # bytes to recognise a format by: far more than a header has
_MARK = "\ufeff".encode()
_JSON = re.compile(rb'\s*(?:\[\s*)?\{\s*("(?:[^"\\]|\\.)*"\s*:|\})')
_SEPARATORS = "\t", ",", ";"


def read_stream(stream, name, field, *, subtopics, columns):
    """Return the columns of a file, and a function from rows to lines, or None.

    Parameters
    ----------
    stream : object with `read`
        Bytes, decompressed.
    name : str
        The file, for messages.
    field : {"grade", "score"}
        What its numbers are.
    subtopics, columns
        As for `read_object`.
    """
    head = stream.peek(_HEAD)
    refuse_utf_16(head, name)
    form = tell_format(head, field, columns)
    if form.kind == "trec":
        # Only lines of four fields have subtopics.
        fields = None if subtopics else form.fields
        return read_trec(stream, name, field, subtopics=subtopics, fields=fields)
    data, line_of = stream.read(), None
    if form.kind == "table" and not subtopics:
        plain = _read_plain_table(data, name, field, columns, form.separator)
        if plain is not None:
            return plain
    try:
        if form.kind == "json":
            documents, line_of = _read_json(data, name, field, subtopics, columns)
        elif form.kind == "parquet":
            documents = read_parquet(data, name)
        else:
            documents, line_of = _read_table(
                data, name, field, subtopics, columns, form.separator
            )
        documents = read_object(
            documents, name, field, subtopics=subtopics, columns=columns
        )
        return documents, line_of
    except TypeError as error:  # in a file, it is not the caller's mistake
        raise ValueError(str(error)) from error


def refuse_utf_16(head, name):
    """Refuse text in UTF-16 by its beginning, as spreadsheets write it."""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in head[:2]:
        raise ValueError(
            f"{name}: text must be in UTF-8; this looks like UTF-16. Convert it, for "
            "example with iconv -f UTF-16 -t UTF-8."
        )


class Format(NamedTuple):
    """The format of a file.

    Attributes
    ----------
    kind : {"trec", "json", "parquet", "table"}
        How to read it.
    fields : tuple of str or None
        The fields of a line of "trec"; None: those of TREC.
    separator : str or None
        Of the cells of a "table".
    """

    kind: str
    fields: tuple[str, ...] | None = None
    separator: str | None = None


def tell_format(head, field, columns=None):
    """Return the `Format` of a file by its beginning.

    A header has the usual names of ids, or those in `columns`.
    """
    table = tell_named_columns(head, columns)
    if table is not None:
        return table
    for separator in _SEPARATORS:
        if _is_header(_cells(decode(_first_line(head)), separator), separator, field):
            return Format("table", separator=separator)
    cells = [cell.strip() for cell in _first_line(head).split(b"\t")]
    fields = None
    if len(cells) == 2 and all(cells):
        fields = PAIRED
    elif field == "score" and len(cells) in (3, 4) and cells[2].isdigit():
        fields = RANKED if len(cells) == 3 else RANKED_SCORED
    return Format("trec", fields)


def _is_header(cells, separator, field):
    """Whether the first line has names of columns, although not the usual ones.

    Lines of TREC have numbers, and two cells beside a tab are a query and a document.
    """
    n_words = len(" ".join(cells).split())
    is_trec = n_words == 4 if field == "grade" else n_words >= 6
    if len(cells) < (3 if separator == "\t" else 2) or (separator != "\t" and is_trec):
        return False
    return all(re.fullmatch(r"\s*[^\W\d][^\d.]*", cell) for cell in cells)


def tell_named_columns(head, columns=None, ids=("qid", "docno")):
    """Return the format of a file whose columns have names, as `tell_format` does.

    None if it has none of them: a header must have names of these `ids`.
    """
    head = head.removeprefix(_MARK)
    if head.startswith(b"PAR1"):
        return Format("parquet")
    if _JSON.match(head):
        return Format("json")
    line = decode(_first_line(head))
    for separator in _SEPARATORS:
        if holds_ids(_cells(line, separator), columns, ids):
            return Format("table", separator=separator)
    return None


def _first_line(head):
    head = head.removeprefix(_MARK).lstrip(b"\r\n")
    return re.split(rb"[\r\n]", head, maxsplit=1)[0]


def _cells(line, separator):
    """Return the cells of one line; only tab-separated ones have no quotes."""
    return next(csv.reader([line], **_dialect(separator)), [])


def _dialect(separator):
    quoting = csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL
    return {"delimiter": separator, "quoting": quoting}


def _read_plain_table(data, name, field, columns, separator):
    """Read a table without quotes and blanks as lines of TREC, which is faster.

    None if there are any, or if anything is wrong: `_read_table` says what.
    """
    first, _, body = data.removeprefix(_MARK).partition(b"\n")
    first, body = first.removesuffix(b"\r"), body.replace(b"\r\n", b"\n")
    mark = separator.encode()
    if b'"' in body or b"\r" in first + body or _MARK in body:
        return None
    if mark != b"\t":
        if b"\t" in body:
            return None
        body = body.replace(mark, b"\t")
    try:
        header = _cells(decode(first), separator)
        qid, docno, *number = _column_names(header, name, field, False, columns)
        if number in ([], ["rank"], ["rating"]) or len({*header}) < len(header):
            return None
        names = {qid: "query", docno: "document", number[0]: field}
        fields = tuple(names.get(column, f"column {column}") for column in header)
        reader = _Reader(name, field, False, fields, is_exact=True)
        for line, chunk in chunks_of_lines(io.BytesIO(body), name):
            reader.add(line + 1, chunk)
        return reader.columns(), reader.line_of
    except (TypeError, ValueError):
        return None


def _read_table(data, name, field, subtopics, columns, separator):
    """Read cells under a header, as in CSV and the files of BEIR."""
    header, rows, lines = read_cells(data, name, separator)
    names = _column_names(header, name, field, subtopics, columns)
    number = names[2 + subtopics] if len(names) > 2 + subtopics else None
    place = None if number is None else header.index(number)
    if number == "rating":  # of Quepid, where cells without a judgment are empty
        rated = [i for i, row in enumerate(rows) if row[place].strip()]
        rows, lines = [rows[i] for i in rated], [lines[i] for i in rated]
    cells = map(list, zip(*rows, strict=True)) if rows else ([] for _ in header)
    table = dict(zip(header, cells, strict=True))
    if number is not None:
        cells = [cell.encode("utf-8", "surrogateescape") for cell in table[number]]
        what = "rank" if number == "rank" else None
        table[number] = read_numbers(cells, field, name, lines.__getitem__, what)
    return columns_of_table(table, name, field, subtopics, columns), lines.__getitem__


def read_cells(data, name, separator):
    """Return the header of a table, its rows and their line numbers."""
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
    return header, rows, lines[1:]


def _read_json(data, name, field, subtopics, columns):
    """Read dicts of queries, or records of documents, and the lines of records."""
    values, lines = parse_json(data, name)
    if is_query_record(values[0], columns):
        return values, None
    if _is_document(values[0]):
        layouts = [tuple(record) if type(record) is dict else () for record in values]
        distinct = dict.fromkeys(layouts)
        names = list(dict.fromkeys(chain.from_iterable(distinct)))
        keys = _column_names(names, name, field, subtopics, columns)
        for layout in distinct:
            if not {*keys} <= {*layout}:
                line = lines[layouts.index(layout)]
                wanted = f"a record with the keys {', '.join(map(repr, keys))}"
                raise _bad_json(name, line, "it lacks some", wanted)
        table = {key: [record[key] for record in values] for key in keys}
        table = columns_of_table(table, name, field, subtopics, columns)
        return table, lines.__getitem__
    queries = {}
    for line, value in zip(lines, values, strict=True):
        if not isinstance(value, dict):
            raise _bad_json(name, line, f"got {type(value).__name__}")
        if _is_document(value):
            raise _bad_json(name, line, "got a record", "a dict of queries")
        again = queries.keys() & value.keys()
        if again:
            raise _bad_json(name, line, f"got query {again.pop()!r} again")
        queries |= value
    return queries, None


def _column_names(names, name, field, subtopics, columns):
    """Return the names of the columns of ids and numbers."""
    roles = wanted_columns(field, subtopics)
    ids = [find_column(names, name, role, columns, roles) for role in roles[:-1]]
    number = find_numbers(names, name, field, columns, roles)
    return ids if number is None else [*ids, number]


def parse_json(data, name):
    """Return the values of a list, of lines, or a single one, with line numbers."""
    text = decode(data.removeprefix(_MARK))
    try:
        value = json.loads(text, object_pairs_hook=_refuse_repeated_keys)
        value = value if isinstance(value, list) else [value]
        return value, [1] * len(value)
    except json.JSONDecodeError as error:
        if not error.msg.startswith("Extra data"):
            raise _bad_json(name, error.lineno, error.msg) from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name}: expected JSON; {error}.") from error
    values, lines, is_flat = [], [], True
    read, read_any = (
        json.JSONDecoder(object_pairs_hook=hook).decode
        for hook in (None, _refuse_repeated_keys)
    )
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            line = line.removeprefix("\ufeff")  # of files that were joined
            value = read(line) if is_flat else None
            # A dict with as many keys as the line has colons has no key twice.
            if not is_flat or type(value) is not dict or line.count(":") > len(value):
                value, is_flat = read_any(line), False
            values.append(value)
        except (ValueError, RecursionError) as error:
            raise _bad_json(name, number, getattr(error, "msg", error)) from error
        lines.append(number)
    return values, lines


def _is_document(value):
    """Whether a dict describes a document: a dict of queries holds dicts or lists."""
    return (
        isinstance(value, dict)
        and len(value) > 1
        and not any(isinstance(inside, dict | list) for inside in value.values())
    )


def _bad_json(name, line, what, wanted="a dict"):
    return ValueError(f"{name}, line {line}: expected {wanted} as JSON; {what}.")


def _refuse_repeated_keys(pairs):
    """Return pairs as a dict; refuse a repeated key, which would overwrite a value."""
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        again = next(key for i, key in enumerate(keys) if key in keys[:i])
        raise ValueError(f"got {again!r} twice in one dict")
    return record


def read_parquet(data, name):
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
