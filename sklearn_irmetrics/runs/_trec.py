"""Lines of TREC become columns: ids as places in the bytes, numbers checked."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from sklearn_irmetrics.runs._columns import Columns
from sklearn_irmetrics.runs._forms import Run, is_refused
from sklearn_irmetrics.runs._ids import ByteIds, ranks_in_queries
from sklearn_irmetrics.runs._lines import (
    chunks_of_lines,
    decode,
    quote,
    read_numbers,
)

# The fields of a line, by the number in it that counts.
_FIELDS = {
    "grade": ("query", "iteration", "document", "grade"),
    "score": ("query", "iteration", "document", "rank", "score", "tag"),
}
RANKED = "query", "document", "rank"  # of MS MARCO
_WIDEST = 64  # bytes of a number; longer ones are read one by one
_FAR = 2**31 - 2**10  # from here on, places in the data need more than 32 bits
_POWERS = 10.0 ** np.arange(_WIDEST)


def read_trec(stream, name, value, *, subtopics=False, fields=None):
    """Return the columns of a file in TREC format, and what gives the line of a row."""
    reader = _Reader(name, value, subtopics, fields or _FIELDS[value])
    for first, chunk in chunks_of_lines(stream, name):
        reader.add(first, chunk)
    return reader.columns(), reader.line_of


class _Reader:
    """What was read until now."""

    def __init__(self, name, value, subtopics, fields):
        self._name, self._value, self._subtopics = name, value, subtopics
        self._fields = fields
        self._counts = "rank" if fields is RANKED else value
        self._place = {field: fields.index(field) for field in fields}
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
            reached = len(self._data) + len(data)
            kind = np.int32 if reached < _FAR else np.int64
            self._starts.append((start + len(self._data)).astype(kind))
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
        query, numbers = map(np.concatenate, (self._queries, self._numbers))
        if self._counts == "rank":
            self._refuse_ranks(query, numbers)
            numbers = -numbers
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
        """Raise if numbers are no ranks: scores perhaps, or grades."""
        order = np.lexsort((ranks, query))
        ranks, place = ranks[order], ranks_in_queries(query[order])
        first = ranks[np.arange(len(ranks)) - place]
        wrong = (ranks != first + place) | ((first != 0) & (first != 1))
        if wrong.any():
            row = wrong.argmax()
            raise ValueError(
                f"{self._name}, line {self.line_of(order[row])}: the ranks of a query "
                f"must be 0, 1, 2, ... or 1, 2, 3, ..., each once; got "
                f"{ranks[row]:.15g}.{self._table()}"
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
        end = np.flatnonzero(data[: len(chunk)] <= ord(" "))
        blank = data[end]
        closes = blank == ord("\n")
        if not (closes | (blank == ord(" ")) | (blank == ord("\t"))).all():
            return None  # there are other signs
        n_lines = np.count_nonzero(closes)
        length = np.diff(end, prepend=-1) - 1
        if not length.all():  # several blanks part two fields
            end, length = end[length > 0], length[length > 0]
        if len(end) != n_lines * width:
            return None
        end, length = end.reshape(n_lines, width), length.reshape(n_lines, width)
        start = end - length
        if (data[end[:, -1]] != ord("\n")).any():
            return None
        if (data[start[:, 0]] == ord("#")).any():
            return None
        at = self._place[self._counts]
        numbers = _parse(data, start[:, at], length[:, at])
        if numbers is None or is_refused(self._value, numbers).any():
            return None
        query = self._number_queries(chunk, data, start[:, 0], length[:, 0])
        if self._subtopics:
            bounds = zip(start[:, 1].tolist(), end[:, 1].tolist(), strict=True)
            self._topics += [decode(chunk[a:b]) for a, b in bounds]
        self._tag = chunk[start[-1, -1] : end[-1, -1]]
        at = self._place["document"]
        start, length = start[:, at], length[:, at]
        longest = int(length.max())
        if longest > length.min():
            return query, chunk, start, length, numbers
        # Ids of one length are kept without what stands between them.
        ids = sliding_window_view(data, longest + 1)[start]
        return (
            query,
            ids.data.cast("B"),
            np.arange(0, ids.size, longest + 1),
            length,
            numbers,
        )

    def _number_queries(self, chunk, data, start, length):
        """Return the number of the query of each line."""
        qid = ByteIds(data, start, length)
        opens = np.append(True, ~qid.same(slice(1, None), qid, slice(-1)))
        first = np.flatnonzero(opens)
        bounds = zip(start[first].tolist(), length[first].tolist(), strict=True)
        numbers = [self._number(chunk[at : at + size]) for at, size in bounds]
        return np.repeat(
            np.array(numbers, dtype=np.int32), np.diff(first, append=len(start))
        )

    def _number(self, qid):
        return self._number_of.setdefault(qid, len(self._number_of))

    def _irregular(self, first, chunk):
        """Return the columns of lines of any layout, None if they hold no data."""
        width, rows, lines = len(self._fields), [], []
        for number, line in enumerate(chunk.split(b"\n"), start=first):
            fields = line.split()
            if fields and not fields[0].startswith(b"#"):
                if len(fields) != width:
                    self._check_fields(len(fields), number, line)
                rows.append(fields)
                lines.append(number)
        if not rows:
            return None
        columns = list(zip(*rows, strict=False))  # what follows the tag is ignored
        tokens = columns[self._place[self._counts]]
        numbers = read_numbers(
            tokens, self._value, self._name, lines.__getitem__, self._counts
        )
        ids = columns[self._place["document"]]
        self._lines.append(lines)
        if self._subtopics:
            self._topics += map(decode, columns[1])
        self._tag = columns[width - 1][-1]
        length = np.fromiter(map(len, ids), np.int64, len(lines))
        start = np.cumsum(length + 1) - (length + 1)
        query = np.fromiter(map(self._number, columns[0]), np.int32, len(lines))
        return query, b"\n".join(ids) + b"\n", start, length, numbers

    def _check_fields(self, n, number, line):
        """Refuse a line with too few fields, or too many: more may follow a tag."""
        if n > len(self._fields) and "tag" in self._place:
            return
        is_table = n == 3 or max(line.count(b","), line.count(b";")) > 1
        hint = self._swapped(n) or self._table() * is_table
        raise ValueError(
            f"{self._name}, line {number}: expected {self._describe()}; got "
            f"{n} field{'s' * (n != 1)}: {quote(line)}.{hint}"
        )

    def _swapped(self, n_fields):
        """Return a hint where a line is one of the other kind of file."""
        is_run = self._value == "grade" and n_fields >= len(_FIELDS["score"])
        if not (is_run or n_fields == len(_FIELDS["grade"])):
            return ""
        kind = "a run" if is_run else "judgments"
        return f" This looks like a line of {kind}; judgments come first, then runs."

    def _table(self):
        """Return a hint where lines look like those of a table."""
        return (
            " A table needs a header with the columns qid, docno and "
            f"{self._value} (or names passed as columns=)."
        )

    def _describe(self):
        at_least = "at least " if "tag" in self._place else ""
        return f"{at_least}{len(self._fields)} fields ({', '.join(self._fields)})"


def _parse(data, start, length):
    """Return numbers, None where one is none or may be none."""
    width = int(length.max())
    if width > _WIDEST:
        return None
    text = sliding_window_view(data, width)[start]
    text *= np.arange(width) < length[:, np.newaxis]
    numbers, exact = _parse_decimals(np.ascontiguousarray(text.T), length)
    text = text[~exact]
    if (text == ord("_")).any():  # Python takes 1_000 for a number
        return None
    try:
        numbers[~exact] = text.view(f"S{width}").ravel().astype(np.float64)
    except ValueError:
        return None
    return numbers


def _parse_decimals(text, length):
    """Return decimals such as -12.5, and which of them are exact.

    Those are with at most 15 digits, for which a float holds the digits and the power
    of ten that they are divided by, so that the quotient is rounded once.

    Parameters
    ----------
    text : ndarray of uint8 of shape (width, n_numbers)
        Their signs, then zeros.
    length : ndarray of shape (n_numbers,)
        How many signs each has.
    """
    digit = text - np.uint8(ord("0"))
    is_digit, is_point = digit < 10, text == ord(".")
    negative = text[0] == ord("-")
    n_digits, n_points = (x.sum(axis=0, dtype=np.uint8) for x in (is_digit, is_point))
    exact = (n_digits + n_points + negative == length) & (n_points < 2)
    exact &= (n_digits > 0) & (n_digits <= 15)
    digits = np.zeros(len(length), dtype=np.int64)
    for signs, which in zip(digit, is_digit, strict=True):
        np.multiply(digits, 10, out=digits, where=which)
        np.add(digits, signs, out=digits, where=which)
    decimals = np.where(n_points > 0, length - 1 - is_point.argmax(axis=0), 0)
    numbers = digits / _POWERS[np.where(exact, decimals, 0)]
    return np.where(negative, -numbers, numbers), exact
