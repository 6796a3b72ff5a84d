"""Lines of TREC become columns: ids as places in the bytes, numbers checked."""

from itertools import repeat

import numpy as np

from sklearn_irmetrics.runs._columns import Columns
from sklearn_irmetrics.runs._forms import is_refused
from sklearn_irmetrics.runs._ids import ByteIds
from sklearn_irmetrics.runs._lines import chunks_of_lines, decode, quote

# The fields of a line, by the number in it that counts.
_FIELDS = {
    "grade": ("query", "iteration", "document", "grade"),
    "score": ("query", "iteration", "document", "rank", "score", "tag"),
}
_WIDEST = 64  # bytes of a number; longer ones are read one by one
_BLANK, _UNDERSCORE, _COMMENT = 32, ord("_"), ord("#")


def read_trec(stream, name, value, *, subtopics=False):
    """Return the columns of a file in TREC format, and what gives the line of a row."""
    reader = _Reader(name, value, subtopics)
    for first, chunk in chunks_of_lines(stream, name):
        reader.add(first, chunk)
    return reader.columns(), reader.line_of


class _Reader:
    """What was read until now."""

    def __init__(self, name, value, subtopics):
        self._name, self._value, self._subtopics = name, value, subtopics
        self._fields = _FIELDS[value]
        self._data = bytearray()  # the bytes that hold the ids of documents
        self._number_of = {}  # by query, as bytes
        self._queries, self._starts, self._lengths, self._numbers = [], [], [], []
        self._topics, self._lines = [], []
        self._tag = b""

    def add(self, first, chunk):
        """Take whole lines, of which the first has a number in the file."""
        regular = self._regular(chunk)
        if regular is None:
            regular = self._irregular(first, chunk)
        else:
            self._lines.append(range(first, first + len(regular[0])))
        if regular is not None:
            query, data, start, length, numbers = regular
            self._queries.append(query)
            self._starts.append(start + len(self._data))
            self._lengths.append(length.astype(np.int32))
            self._numbers.append(numbers)
            self._data += data

    def columns(self):
        """Return all that was read."""
        if not self._starts:
            raise ValueError(
                f"{self._name}: expected lines of {self._describe()}; got none."
            )
        self._data += bytes(8)
        data = np.frombuffer(self._data, np.uint8)
        start, length = map(np.concatenate, (self._starts, self._lengths))
        topics = np.array(self._topics, dtype=object) if self._subtopics else None
        return Columns(
            list(map(decode, self._number_of)),
            np.concatenate(self._queries),
            ByteIds(data, start, length),
            np.concatenate(self._numbers),
            topics,
            tag=decode(self._tag),
        )

    def line_of(self, row):
        """Return the number of the line of a row."""
        for lines in self._lines:
            if row < len(lines):
                return int(lines[row])
            row -= len(lines)
        raise IndexError(row)

    def _regular(self, chunk):
        """Return the columns of lines with as many fields as expected, else None."""
        width = len(self._fields)
        # Words and numbers are read beyond their end.
        data = np.frombuffer(chunk + bytes(_WIDEST), np.uint8)
        blank = data[: len(chunk)] <= _BLANK
        n_lines = chunk.count(b"\n")
        n_blanks = n_lines + chunk.count(b" ") + chunk.count(b"\t")
        if np.count_nonzero(blank) != n_blanks:  # there are other signs
            return None
        edge = np.flatnonzero(blank[1:] != blank[:-1]) + 1
        if not blank[0]:
            edge = np.append(0, edge)
        if len(edge) != 2 * n_lines * width:
            return None
        edge = edge.reshape(n_lines, width, 2)
        start, end = edge[..., 0], edge[..., 1]
        if (data[end[:, -1]] != ord("\n")).any():
            return None
        if (data[start[:, 0]] == _COMMENT).any():
            return None
        at = self._fields.index(self._value)
        numbers = _parse(data, start[:, at], end[:, at] - start[:, at])
        if numbers is None or is_refused(self._value, numbers).any():
            return None
        query = self._number_queries(chunk, data, start[:, 0], end[:, 0])
        if self._subtopics:
            bounds = zip(start[:, 1].tolist(), end[:, 1].tolist(), strict=True)
            self._topics += [decode(chunk[a:b]) for a, b in bounds]
        self._tag = chunk[start[-1, -1] : end[-1, -1]]
        return query, chunk, start[:, 2], end[:, 2] - start[:, 2], numbers

    def _number_queries(self, chunk, data, start, end):
        """Return the number of the query of each line."""
        qid = ByteIds(data, start, end - start)
        rows = np.arange(len(start))
        opens = np.append(True, ~qid.same(rows[1:], qid, rows[:-1]))
        first = np.flatnonzero(opens)
        numbers = [
            self._number(chunk[a:b])
            for a, b in zip(start[first].tolist(), end[first].tolist(), strict=True)
        ]
        return np.repeat(
            np.array(numbers, dtype=np.int32), np.diff(first, append=len(start))
        )

    def _number(self, qid):
        return self._number_of.setdefault(qid, len(self._number_of))

    def _irregular(self, first, chunk):
        """Return the columns of lines of any layout, None if they hold no data."""
        lines, columns = self._split(chunk, first)
        if not len(lines):
            return None
        numbers = self._convert(columns[self._fields.index(self._value)], lines)
        self._lines.append(lines)
        if self._subtopics:
            self._topics += decode(b"\n".join(columns[1])).split("\n")
        self._tag = columns[-1][-1]
        length = np.fromiter(map(len, columns[2]), np.int64, len(lines))
        start = np.cumsum(length + 1) - (length + 1)
        query = np.fromiter(map(self._number, columns[0]), np.int32, len(lines))
        return query, b"\n".join(columns[2]) + b"\n", start, length, numbers

    def _split(self, chunk, first):
        """Return line numbers and columns of the lines that hold data."""
        width, n_lines = len(self._fields), chunk.count(b"\n")
        # With a NUL at the end of each line, one split shows where all lines end.
        tokens = chunk.replace(b"\n", b" \0 ").split()
        is_end = np.fromiter(map(b"\0".__eq__, tokens), dtype=bool, count=len(tokens))
        end = np.flatnonzero(is_end)
        start = np.append(0, end[:-1] + 1)
        n_fields = end - start
        first_tokens = map(tokens.__getitem__, start.tolist())
        comment = np.fromiter(
            map(bytes.startswith, first_tokens, repeat(b"#")), bool, n_lines
        )
        rows = np.flatnonzero((n_fields > 0) & ~comment)
        # More may follow a tag.
        differs = np.less if self._value == "score" else np.not_equal
        wrong = differs(n_fields[rows], width)
        if wrong.any():
            row = rows[wrong][0]
            line = chunk.split(b"\n")[row]
            raise ValueError(
                f"{self._name}, line {first + row}: expected {self._describe()}; got "
                f"{n_fields[row]} fields: {quote(line)}."
            )
        places = [(start[rows] + i).tolist() for i in range(width)]
        return first + rows, [list(map(tokens.__getitem__, place)) for place in places]

    def _convert(self, tokens, lines):
        """Convert the column of grades or scores."""
        try:
            numbers = np.array(list(map(float, tokens)))
        except ValueError:
            numbers = np.array([np.nan])
        # Python takes 1_000 for a number.
        if is_refused(self._value, numbers).any() or b"_" in b" ".join(tokens):
            numbers = np.array(list(map(_number, tokens)))
            row = np.flatnonzero(is_refused(self._value, numbers))[0]
            rule = "a number" if self._value == "score" else "a finite number"
            raise ValueError(
                f"{self._name}, line {lines[row]}: the {self._value} must be {rule}; "
                f"got {quote(tokens[row])}."
            )
        return numbers

    def _describe(self):
        at_least = "" if self._value == "grade" else "at least "
        return f"{at_least}{len(self._fields)} fields ({', '.join(self._fields)})"


def _parse(data, start, length):
    """Return numbers, None where one is none or may be none."""
    width = int(length.max())
    if width > _WIDEST:
        return None
    text = np.lib.stride_tricks.sliding_window_view(data, width)[start]
    text[np.arange(width) >= length[:, np.newaxis]] = 0
    if (text == _UNDERSCORE).any():  # Python takes 1_000 for a number
        return None
    try:
        return text.view(f"S{width}").ravel().astype(np.float64)
    except ValueError:
        return None


def _number(token):
    try:
        return np.nan if b"_" in token else float(token)
    except ValueError:
        return np.nan
