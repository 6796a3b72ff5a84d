"""Lines of bytes, and ids as bytes."""

from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count, repeat

import numpy as np

from sklearn_irmetrics.runs._forms import is_refused

_CHUNK = 2**20  # bytes: the data of one chunk stay in the cache
_LONGEST = 2**20  # bytes of a line, far more than six fields need, to bound memory
_MARK = "\ufeff".encode()  # some editors put this before the first line of a file


def chunks_of_lines(stream, name):
    """Yield pieces of whole lines, each with the number of its first line."""
    first, rest, after_return = 1, b"", False
    while piece := stream.read(_CHUNK):
        chunk = rest + (piece.removeprefix(b"\n") if after_return else piece)
        after_return = piece.endswith(b"\r")
        if b"\r" in chunk:
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        end = chunk.rfind(b"\n") + 1
        chunk, rest = chunk[:end], chunk[end:]
        if chunk:
            yield first, _strip_marks(chunk)
            first += count_lines(chunk)
        if len(rest) > _LONGEST:
            raise ValueError(
                f"{name}, line {first}: expected at most {_LONGEST} bytes in a line; "
                f"got more: {quote(rest[:81])}."
            )
    if rest:
        yield first, _strip_marks(rest) + b"\n"


def count_lines(data):
    """Return the number of line ends; `bytes.count` is slow for many."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == ord("\n")))


def decode(data):
    """Return bytes as text; ids in another encoding are kept byte by byte."""
    return data.decode("utf-8", "surrogateescape")


def quote(data, length=80):
    """Return the beginning of some bytes for messages."""
    text = decode(data)
    return repr(text if len(text) <= length else text[: length - 3] + "...")


def read_numbers(tokens, field, name, line_of, what=None):
    """Return fields as numbers; errors name the line of a field that is not a number.

    Parameters
    ----------
    tokens : list of bytes
        The fields.
    field : {"grade", "score"}
        The kind of numbers, and their name unless `what` is given.
    name, line_of : str, callable
        The file, and a function from fields to line numbers.
    """
    numbers = np.array(list(map(_number_of, tokens)))
    refused = is_refused(field, numbers)
    if refused.any():
        row = int(refused.argmax())
        rule = "a number" if field == "score" else "a finite number"
        raise ValueError(
            f"{name}, line {line_of(row)}: the {what or field} must be {rule}; got "
            f"{quote(tokens[row])}."
        )
    return numbers


def _number_of(token):
    try:
        # Python accepts 1_000 as a number.
        return np.nan if b"_" in token else float(token)
    except ValueError:
        return np.nan


def _strip_marks(lines):
    """Remove byte order marks: joined files have them within."""
    if _MARK[:1] not in lines:  # one byte is found at once
        return lines
    return lines.removeprefix(_MARK).replace(b"\n" + _MARK, b"\n")


_PIECE = 2**16  # rows at a time, to bound memory
_WORD = 8  # bytes
_MASKS = np.array([(1 << 8 * n) - 1 for n in range(_WORD + 1)], dtype=np.uint64)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio


class TextIds:
    """Ids as an object array of strings."""

    def __init__(self, ids):
        self._ids = ids

    def __len__(self):
        return len(self._ids)

    @cached_property
    def hashes(self):
        """64 bits for each id, the same for equal ids."""
        ids = self._ids.tolist()
        return np.fromiter(map(hash, ids), np.int64, len(ids)).view(np.uint64)

    def same(self, rows, other, other_rows):
        """Whether the ids in some rows equal those in as many rows of `other`."""
        return (self._ids[rows] == other._ids[other_rows]).astype(bool)

    def text(self, rows=slice(None)):
        """Return the ids in some rows as an object array of strings."""
        return self._ids[rows]

    def as_text(self):
        """Return the ids as `TextIds`."""
        return TextIds(self._ids)


class KeyIds(TextIds):
    """Ids as the keys of dicts, one dict after the other.

    Parameters
    ----------
    dicts : list of dict
        All with keys of one type.
    kind : type
        The type: str or int.
    """

    def __init__(self, dicts, kind):
        self.dicts = [documents for documents in dicts if documents]
        self.kind = kind

    def __len__(self):
        return sum(map(len, self.dicts))

    @cached_property
    def _ids(self):
        keys = chain.from_iterable(self.dicts)
        ids = keys if self.kind is str else map(str, keys)
        return np.fromiter(ids, object, len(self))


class ByteIds:
    """Ids as positions in the bytes of a file.

    Parameters
    ----------
    data : ndarray of uint8
        The bytes, and at least eight more.
    start, length : ndarray of shape (n_ids,)
        Where the bytes of each id begin, and their number; no byte is NUL.
    """

    def __init__(self, data, start, length):
        self._data, self._start, self._length = data, start, length
        # Eight bytes from any position, as one number.
        self._words = np.ndarray((len(data) - _WORD + 1,), "<u8", data, strides=(1,))

    def __len__(self):
        return len(self._start)

    @cached_property
    def hashes(self):
        """64 bits for each id, the same for equal ids."""
        sums = np.zeros(len(self), dtype=np.uint64)
        for first in range(0, len(self), _PIECE):
            rows, factor = slice(first, first + _PIECE), _FACTOR
            for word in self._words_of(rows):
                # Missing bytes add nothing, so longer ids do not matter.
                word *= factor
                word ^= word >> np.uint64(29)
                word *= _FACTOR
                sums[rows] += word
                with np.errstate(over="ignore"):
                    factor = factor * _FACTOR
        return sums

    def same(self, rows, other, other_rows):
        """Whether the ids in some rows equal those in as many rows of `other`."""
        are_same = self._length[rows] == other._length[other_rows]
        pairs = zip(self._words_of(rows), other._words_of(other_rows), strict=False)
        for word, other_word in pairs:  # as far as both reach, for equal lengths
            are_same &= word == other_word
        return are_same

    def text(self, rows=slice(None)):
        """Return the ids in some rows as an object array of strings."""
        start, length = self._start[rows], self._length[rows].astype(np.int64)
        texts = []
        for first in range(0, len(start), _PIECE):
            size = length[first : first + _PIECE] + 1
            end = np.cumsum(size)
            at = np.arange(end[-1]) + np.repeat(
                start[first : first + _PIECE] - (end - size), size
            )
            joined = self._data[at]
            joined[end - 1] = ord("\n")  # replaces the blank after each
            texts += decode(joined[:-1].tobytes()).split("\n")
        return np.array(texts, dtype=object)

    def as_text(self):
        """Return the ids as `TextIds`."""
        return TextIds(self.text())

    def _words_of(self, rows):
        """Yield the bytes of ids in words, as many as the longest has."""
        start, length = self._start[rows], self._length[rows]
        for at in range(0, int(length.max(initial=0)), _WORD):
            # Ids without further bytes read some that are masked.
            words = self._words[start + np.minimum(at, length)]
            yield words & _MASKS[np.clip(length - at, 0, _WORD)]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of a query and a document, one in each row.

    Attributes
    ----------
    query : ndarray of shape (n_rows,)
        The number of the query.
    ids : TextIds or ByteIds
        The ids of the documents.
    """

    query: np.ndarray
    ids: TextIds | ByteIds

    @cached_property
    def keys(self):
        """64 bits for each pair, the same for equal pairs."""
        mixed = self.query.astype(np.uint64)
        mixed *= _FACTOR
        mixed ^= self.ids.hashes
        mixed *= _FACTOR
        return mixed ^ (mixed >> np.uint64(32))

    def as_text(self):
        """Return the pairs with ids as `TextIds`."""
        return Pairs(self.query, self.ids.as_text())

    def take(self, rows=slice(None)):
        """Return the pairs in some rows as tuples of a number and a string."""
        return zip(self.query[rows].tolist(), self.ids.text(rows), strict=True)


def find_pairs(pairs, others):
    """Return for each pair of `others` its row in `pairs`, or -1.

    `pairs` has no pair twice.
    """
    are_keys = isinstance(pairs.ids, KeyIds) and isinstance(others.ids, KeyIds)
    if are_keys and pairs.ids.kind is others.ids.kind:
        return _find_in_dicts(pairs, others)
    if type(pairs.ids) is not type(others.ids):
        pairs, others = pairs.as_text(), others.as_text()
    rows_of = np.full(len(others.query), -1, dtype=np.int64)
    if not len(pairs.query):
        return rows_of
    keys, other_keys = pairs.keys, others.keys
    order = np.argsort(keys)
    ordered = keys[order]
    if (ordered[1:] == ordered[:-1]).any():  # different pairs with one hash
        row_of = dict(zip(pairs.take(), count()))
        return np.array(
            [row_of.get(pair, -1) for pair in others.take()], dtype=np.int64
        )
    # Most rows of a run have no judgment, which a table shows at once.
    bits = min(max(len(keys).bit_length() + 5, 8), 24)
    shift = np.uint64(64 - bits)
    present = np.zeros(1 << bits, dtype=bool)
    present[keys >> shift] = True
    rows = np.flatnonzero(present[other_keys >> shift])
    at = np.searchsorted(ordered, other_keys[rows])
    at[at == len(ordered)] = 0
    same = ordered[at] == other_keys[rows]
    rows, at = rows[same], order[at[same]]
    same = pairs.query[at] == others.query[rows]
    same &= pairs.ids.same(at, others.ids, rows)
    rows_of[rows[same]] = at[same]
    return rows_of


def _find_in_dicts(pairs, others):
    """Return the rows of pairs of two `KeyIds`, by the dicts' own hash tables.

    This takes half as long as sorting the hashes of new arrays of ids.
    """
    rows_of, first = {}, 0
    for documents in pairs.ids.dicts:
        rows = range(first, first + len(documents))
        rows_of[pairs.query[first]] = dict(zip(documents, rows, strict=True))
        first = rows.stop
    rows_by_query, first = [], 0
    for documents in others.ids.dicts:
        row_of = rows_of.get(others.query[first], {})
        rows_by_query.append(map(row_of.get, documents, repeat(-1)))
        first += len(documents)
    return np.fromiter(chain.from_iterable(rows_by_query), np.int32, first)


def find_duplicate(pairs):
    """Return the first row that repeats a pair, and the earlier row of this pair.

    None if no pair is repeated.
    """
    ordered = np.sort(pairs.keys)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(twice):
        return None
    rows = np.flatnonzero(np.isin(pairs.keys, twice))
    first = {}
    for row, pair in zip(rows.tolist(), pairs.take(rows), strict=True):
        if first.setdefault(pair, row) != row:
            return row, first[pair]
    return None


def in_trec_order(query, score, ids):
    """Order rows by query, decreasing score, decreasing document id."""
    order = np.lexsort((-score, query))
    query, score = query[order], score[order]
    same = (query[1:] == query[:-1]) & (score[1:] == score[:-1])
    if not same.any():
        return order
    tied = np.flatnonzero(np.append(same, False) | np.insert(same, 0, False))
    group = np.cumsum(np.insert(~same, 0, True))[tied]
    rows = order[tied]
    texts = ids.text(rows)
    place_of = dict(zip(sorted(set(texts), reverse=True), count()))
    place = np.fromiter(map(place_of.__getitem__, texts), np.int64, len(texts))
    order[tied] = rows[np.lexsort((place, group))]
    return order


def ranks_in_queries(query):
    """Return ranks from 0 inside each query, whose rows are adjacent."""
    start = np.flatnonzero(np.diff(query, prepend=-1))
    return np.arange(len(query)) - np.repeat(
        start, np.diff(np.append(start, len(query)))
    )
