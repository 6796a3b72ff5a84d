"""Query ids of any hashable kind to queries: which rows belong together."""

from collections import defaultdict
from dataclasses import dataclass
from itertools import count

import numpy as np
from scipy.sparse import csr_array

from sklearn_irmetrics._core.namespace import is_tensor, namespace

# Integers are numbered by a table of up to so many places per id, others by sorting.
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


def group_rows(qid, n_rows, *, like=None):
    """Group rows by query id.

    Parameters
    ----------
    qid : array-like of shape (n_rows,)
        Ids of any hashable kind; rows of one query need not be adjacent.
    n_rows : int
        How many ids are expected.
    like : array or None
        Where this is a tensor, offsets and order are tensors on its device.

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
    on_device = is_tensor(like) and is_tensor(qid)
    ids = as_ids(qid, like=like)
    if on_device:
        ids = namespace(like).check_tensor("qid", ids, like)
    if len(ids) != n_rows:
        raise ValueError(
            f"qid must have one id per row: expected {n_rows}, got {len(ids)}."
        )
    if on_device:
        from sklearn_irmetrics._core.torch_queries import group_ids

        first, offsets, order = group_ids(ids)
        return Queries(ids[first], offsets, order)
    queries = _group_ids(ids)
    if not is_tensor(like):
        return queries
    xp, order = namespace(like), queries.order
    return Queries(
        queries.ids,
        xp.asarray(queries.offsets, like=like),
        None if order is None else xp.asarray(order, dtype=xp.int64, like=like),
    )


def _group_ids(ids):
    n_rows = len(ids)
    keys = _number_objects(ids) if ids.dtype.kind == "O" else ids
    opens = np.ones(n_rows, dtype=bool)
    opens[1:] = keys[1:] != keys[:-1]
    n_stretches = np.count_nonzero(opens)
    if 2 * n_stretches > n_rows:
        codes, first_rows = _number_by_appearance(keys)
    else:  # stretches of equal ids, far fewer than rows, stand for their rows
        starts = np.flatnonzero(opens)
        codes, first_stretches = _number_by_appearance(keys[starts])
        first_rows = starts[first_stretches]
    if len(first_rows) == n_stretches:
        return Queries(ids[first_rows], np.append(first_rows, n_rows), None)
    if len(codes) < n_rows:
        codes = np.repeat(codes, np.diff(starts, append=n_rows))
    # SciPy converts CSR to CSC by a stable counting sort: linear, unlike argsort.
    row_ends = np.arange(n_rows + 1, dtype=_index_type(n_rows))
    one_per_row = csr_array(
        (np.ones(n_rows, dtype=np.int8), codes, row_ends),
        shape=(n_rows, len(first_rows)),
    )
    grouped = one_per_row.tocsc()
    return Queries(ids[first_rows], grouped.indptr.astype(np.intp), grouped.indices)


def _index_type(n_rows):
    """Return the narrower of two types that can number rows, and their tables."""
    return np.int32 if n_rows < 2**31 // _TABLE_PER_ID else np.int64


def as_ids(qid, *, like=None):
    """Return ids as a 1-D array without missing values.

    Tensors stay what they are where `like` is one too.
    """
    if is_tensor(like) and is_tensor(qid):
        ids = qid
    else:
        ids = np.asarray(qid) if hasattr(qid, "dtype") else _ids_from_sequence(qid)
    if ids.ndim != 1:
        raise ValueError(
            f"qid must be 1-D, one id per row; got shape {tuple(ids.shape)}."
        )
    xp = namespace(ids)
    if (kind := xp.kind(ids)) in "fcmM":
        missing = np.isnat(ids) if kind in "mM" else xp.isnan(ids)
        if missing.any():
            raise ValueError(
                "qid must not contain missing values; got one in row "
                f"{int(xp.flatnonzero(missing)[0])}."
            )
    return ids


def _ids_from_sequence(qid):
    """Keep what NumPy would blur: tuples as ids, and numbers beside strings."""
    if isinstance(qid, (str, bytes)):
        raise ValueError(f"qid must hold one id per row; got the text {qid!r}.")
    qid = list(qid) if np.iterable(qid) else qid
    if isinstance(qid, list):
        kinds = set(map(type, qid))
        if len(kinds) > 1 or kinds & {tuple, frozenset}:
            return np.fromiter(qid, dtype=object, count=len(qid))
    try:
        return np.asarray(qid)
    except ValueError as error:
        raise ValueError(f"qid must be 1-D, one id per row: {error}.") from error


def _number_by_appearance(ids):
    """Number ids by first appearance, and tell where each appears first."""
    n_ids, index_type = len(ids), _index_type(len(ids))
    if ids.dtype.kind in "biuf" and (ids[1:] > ids[:-1]).all():
        return np.arange(n_ids, dtype=index_type), np.arange(n_ids)
    if ids.dtype.kind in "iu" and (span := int(ids.max()) - int(ids.min()) + 1) <= (
        _TABLE_PER_ID * n_ids
    ):
        wide = ids if ids.dtype.kind == "u" else ids.astype(np.int64, copy=False)
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


def _number_objects(ids):
    """Return a number for each id, whatever it is, by first appearance."""
    index = defaultdict(count().__next__)
    try:
        codes = np.fromiter(map(index.__getitem__, ids.tolist()), np.intp, len(ids))
    except TypeError as error:
        raise TypeError(f"qid must hold hashable ids: {error}.") from error
    kinds = set(map(type, index))
    missing = {"NoneType", "NAType", "NaTType"} & {kind.__name__ for kind in kinds}
    has_floats = any(issubclass(kind, (float, np.floating)) for kind in kinds)
    if missing or (has_floats and any(key != key for key in index)):
        raise ValueError("qid must not contain missing values (None, NaN, NaT or NA).")
    return codes
