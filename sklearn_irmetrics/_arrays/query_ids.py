"""Group rows by query ids of any hashable kind."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, timedelta
from itertools import count

import numpy as np

from sklearn_irmetrics._arrays.numbers import as_array

# Integers are numbered by a table if that has at most so many places per id, otherwise
# by sorting; either way, only equal integers share a number.
_TABLE_PER_ID = 4


@dataclass(frozen=True)
class Queries:
    """Rows grouped by query, queries in order of first appearance.

    Query ``i`` has the rows ``order[offsets[i]:offsets[i + 1]]``; `order` is None
    where the rows of every query are adjacent already.
    """

    ids: np.ndarray
    offsets: np.ndarray
    order: np.ndarray | None

    @property
    def lengths(self):
        """How many rows each query has."""
        return self.offsets[1:] - self.offsets[:-1]

    def codes(self):
        """Return for each row the number of its query."""
        codes = np.repeat(np.arange(len(self.ids)), self.lengths)
        if self.order is None:
            return codes
        by_row = np.empty_like(codes)
        by_row[self.order] = codes
        return by_row

    def one_each(self, name, values):
        """Return the value of each query; refuse values of rows that vary inside one.

        Errors call them `name`.
        """
        values = values if self.order is None else values[self.order]
        first = values[self.offsets[:-1]]
        varying = values != np.repeat(first, self.lengths)
        if varying.any():
            row = np.flatnonzero(varying)[:1]
            query = int(np.searchsorted(self.offsets, row, side="right")[0]) - 1
            (named,) = list_values(self.ids[[query]])
            raise ValueError(
                f"{name} must be constant inside a query; it varies in query {named!r}."
            )
        return first


def group_rows(qid, n_rows, name="qid"):
    """Group rows by query id, or by other labels.

    Parameters
    ----------
    qid : array-like of shape (n_rows,)
        Ids of any hashable kind; rows of one query need not be adjacent.
    n_rows : int
        How many ids are expected.
    name : str, default="qid"
        What errors call the ids.

    Returns
    -------
    Queries

    Raises
    ------
    TypeError
        If the ids cannot be hashed.
    ValueError
        If `qid` is not 1-D, has another length or has missing values.
    """
    ids = as_ids(qid, name)
    if len(ids) != n_rows:
        raise ValueError(
            f"{name} must have one id per row: expected {n_rows}; got {len(ids)}."
        )
    keys = _number_objects(ids, name) if ids.dtype.hasobject else ids
    opens = np.ones(n_rows, dtype=bool)
    opens[1:] = keys[1:] != keys[:-1]
    # Rows of a run have equal ids, so its first row represents all.
    starts = np.flatnonzero(opens)
    codes, first_runs = _number_by_appearance(keys[starts])
    first_rows = starts[first_runs]
    if len(first_rows) == len(starts):
        return Queries(ids[first_rows], np.append(first_rows, n_rows), None)
    codes = np.repeat(codes, np.diff(starts, append=n_rows))
    # SciPy converts CSR to CSC by a stable counting sort: linear, unlike argsort.
    row_ends = np.arange(n_rows + 1, dtype=_index_type(n_rows))
    from scipy.sparse import csr_array

    one_per_row = csr_array(
        (np.ones(n_rows, dtype=np.int8), codes, row_ends),
        shape=(n_rows, len(first_rows)),
    )
    grouped = one_per_row.tocsc()
    return Queries(ids[first_rows], grouped.indptr.astype(np.intp), grouped.indices)


def _index_type(n_rows):
    """Return the narrowest type that can index the rows and the table of ids."""
    return np.int32 if n_rows < 2**31 // _TABLE_PER_ID else np.int64


def as_ids(qid, name="qid"):
    """Return ids as a 1-D array without missing values; errors call them `name`."""
    if isinstance(qid, (str, bytes)):
        raise ValueError(f"{name} must hold one id per row; got the text {qid!r}.")
    ids = qid
    if isinstance(qid, Sequence):
        ids = list(qid)
        kinds = set(map(type, ids))
        # NumPy would change strings and tuples, and convert times of several units to
        # one, which may not hold all of them.
        if len(kinds) > 1 or kinds & {str, bytes, tuple, frozenset, *_TIMES}:
            ids = np.fromiter(ids, dtype=object, count=len(ids))
        else:
            ids = as_array(name, ids)
    elif not (type(qid) is np.ndarray and qid.dtype.kind in "biu"):
        ids = as_array(name, qid)
    if ids.ndim != 1:
        raise ValueError(
            f"{name} must be 1-D, one id per row; got shape {tuple(ids.shape)}."
        )
    # Missing values differ from themselves; objects are checked when numbered.
    if ids.dtype.kind in "fcmMV" and (missing := ids != ids).any():
        _refuse_missing(int(np.flatnonzero(missing)[0]), name)
    return ids


def _refuse_missing(row, name):
    raise ValueError(f"{name} must not contain missing values; got one in row {row}.")


_TIMES = np.datetime64, np.timedelta64
# The units of times in attoseconds, the finest one.
_SECOND = 10**18
_UNITS = {"W": 604800 * _SECOND, "D": 86400 * _SECOND, "h": 3600 * _SECOND}
_UNITS |= {"m": 60 * _SECOND, "s": _SECOND, "ms": 10**15, "us": 10**12, "ns": 10**9}
_UNITS |= {"ps": 10**6, "fs": 10**3, "as": 1}


@dataclass(frozen=True)
class Time:
    """A moment or a duration, whatever the unit and the library it comes from.

    Attributes
    ----------
    number : int
        Attoseconds, since 1970 for moments; or months.
    kind : {"times", "times of a zone", "durations", "months"}
        What it is.
    """

    number: int
    kind: str = field(hash=False)

    def __repr__(self):
        """Show it in the largest unit that holds it."""
        unit, size = "M", 1
        if self.kind != "months":
            units = [*_UNITS.items()][1:]
            unit, size = next(
                (unit, size) for unit, size in units if self.number % size == 0
            )
        make = np.datetime64 if self.kind.startswith("times") else np.timedelta64
        return str(make(self.number // size, unit))


def as_keys(ids):
    """Return a list of objects that are equal in Python where ids are.

    They are the ids of an array or a list, except times: one moment differs from itself
    in another unit or library, and as a date, and some units become integers.
    """
    if not isinstance(ids, list) and ids.dtype.kind in "mM":
        return _as_times(ids)
    listed = ids if isinstance(ids, list) else ids.tolist()
    kinds = set(map(type, listed))
    if any(issubclass(kind, (*_TIMES, date, timedelta, tuple)) for kind in kinds):
        return [*map(_as_key, listed)]
    return listed


def list_values(ids):
    """Return ids as a list, None if there are none.

    Times stay NumPy's own, because `tolist` makes integers of those in nanoseconds.
    """
    if ids is None:
        return None
    return [*ids] if ids.dtype.kind in "mM" else ids.tolist()


def _as_key(id_):
    if isinstance(id_, tuple):
        return tuple(map(_as_key, id_))
    if not isinstance(id_, (*_TIMES, date, timedelta)) or id_ != id_:
        return id_
    zone = getattr(id_, "tzinfo", None)
    if zone is not None:
        id_ = id_.astimezone(UTC).replace(tzinfo=None)
    if hasattr(id_, "to_numpy"):  # of pandas, which may have nanoseconds
        id_ = id_.to_numpy()
    elif isinstance(id_, timedelta):
        id_ = np.timedelta64(id_)
    elif not isinstance(id_, _TIMES):
        id_ = np.datetime64(id_)
    (key,) = _as_times(np.array([id_]), " of a zone" * (zone is not None))
    return key


def _as_times(times, zone=""):
    """Return the `Time` of each element of an array of times."""
    unit, size = np.datetime_data(times.dtype)
    kind = {"M": "times", "m": "durations"}[times.dtype.kind] + zone
    if unit in ("Y", "M") and kind == "times":
        unit, size, times = "D", 1, times.astype("datetime64[D]")
    if unit in ("Y", "M"):
        kind, size = "months", size * {"Y": 12, "M": 1}[unit]
    size *= _UNITS.get(unit, 1)
    return [Time(number * size, kind) for number in times.astype(np.int64).tolist()]


def _number_by_appearance(ids):
    """Number ids by first appearance, and return where each appears first."""
    n_ids, index_type = len(ids), _index_type(len(ids))
    # Rising ids are all distinct, and already in the order of their numbers.
    if ids.dtype.kind in "biuf" and (ids[1:] > ids[:-1]).all():
        return np.arange(n_ids, dtype=index_type), np.arange(n_ids)
    if ids.dtype.kind in "iu" and (span := int(ids.max()) - int(ids.min()) + 1) <= (
        _TABLE_PER_ID * n_ids
    ):
        # Differences are below the span, the length of the table. Those of uint64 that
        # become negative count from the end of the table, each to a place of its own.
        wide = ids.astype(np.int64, copy=False)
        inverse = (wide - wide.min()).astype(index_type)
        first = np.full(span, n_ids, dtype=index_type)
        first[inverse[::-1]] = np.arange(n_ids - 1, -1, -1, dtype=index_type)
    else:
        _, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
    by_appearance = np.argsort(first)
    number = np.empty(len(first), dtype=index_type)
    number[by_appearance] = np.arange(len(first), dtype=index_type)
    first = first[by_appearance]
    return number[inverse], first[: np.searchsorted(first, n_ids)]


def number_values(values):
    """Number hashable values by first appearance.

    Returns
    -------
    distinct : list
        One of each, in order.
    numbers : int array of shape (n_values,)
        The place in `distinct` of each value.
    """
    number_of = defaultdict(count().__next__)
    numbers = np.fromiter(map(number_of.__getitem__, values), np.intp, len(values))
    return list(number_of), numbers


def _number_objects(ids, name):
    """Number ids by first appearance; equal ids share a number (see `as_keys`)."""
    try:
        distinct, codes = number_values(as_keys(ids))
    except TypeError as error:
        raise TypeError(f"{name} must hold hashable ids: {error}.") from error
    number = find_missing(distinct)
    if number is not None:
        _refuse_missing(int(np.flatnonzero(codes == number)[0]), name)
    return codes


_NEVER_MISSING = {str, bytes, int, bool}


def find_missing(values):
    """Return the position of the first missing value, None if there is none."""
    if set(map(type, values)) <= _NEVER_MISSING:
        return None
    for place, value in enumerate(values):
        if value is None or _has_missing(value):
            return place
    return None


def _has_missing(id_):
    """Whether an id, or a part of a tuple, is NaN, NaT or NA of any library."""
    if isinstance(id_, tuple):  # a tuple finds its own NaN equal
        return any(map(_has_missing, id_))
    try:
        return type(id_).__name__ == "NAType" or id_ != id_
    except ArithmeticError:  # a signalling NaN of decimal
        return True
