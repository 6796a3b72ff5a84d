"""Query ids in a column of X, and those that an estimator was fitted on."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from decimal import Decimal
from numbers import Integral, Real

import numpy as np

from sklearn_irmetrics._arrays.numbers import EXACT, as_array, issparse, to_numpy
from sklearn_irmetrics._arrays.query_ids import as_keys, find_missing, group_rows
from sklearn_irmetrics._compat import safe_indexing
from sklearn_irmetrics._warnings import warn_of_data


class QidColumn:
    """Take query ids out of a column of X, by name or by position."""

    def __init__(self, key):
        self.key = key

    def place(self, X):
        """Return the position of the column; names take precedence over positions."""
        names = list(getattr(X, "columns", ()))
        by_name = isinstance(self.key, str) or self.key in names
        return names.index(self.key) if by_name else self.key

    def __call__(self, X):
        """Return the column."""
        try:
            if hasattr(X, "column_names"):  # of PyArrow
                ids = X.column(self.key)
            elif isinstance(X, list | tuple):  # an array would give all one type
                ids = [row[self.key] for row in X]
            elif issparse(X):
                ids = X.tocsr()[:, [self.key]].toarray().ravel()
            else:
                X = X if hasattr(X, "shape") else as_array("X", X)
                ids = safe_indexing(X, self.place(X), axis=1)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            names = getattr(X, "column_names", getattr(X, "columns", None))
            got = f"X of shape {np.shape(X)}"
            if names is not None:
                got = f"the columns {reprlib.repr(list(names))}"
            raise ValueError(
                f"qid={self.key!r} must name a column of X; got {got}. What selects "
                "columns, as RFECV and SequentialFeatureSelector do, takes ids by "
                "metadata routing."
            ) from error
        ids = as_array("qid", ids)
        if not _are_exact(ids):
            raise ValueError(
                f"qid={self.key!r} must name a column of query ids; it holds "
                "fractional, missing or rounded numbers."
            )
        return ids

    def __repr__(self):
        return repr(self.key)


def _are_exact(ids):
    """Whether all numbers in a column are whole, and small enough to be exact."""
    if ids.dtype.kind == "f":
        exact_below = 2.0 ** (np.finfo(ids.dtype).nmant + 1)
        return bool(((ids == np.round(ids)) & (np.abs(ids) < exact_below)).all())
    if ids.dtype.kind != "O":
        return True
    numbers = [key for key in ids.tolist() if isinstance(key, Real | Decimal)]
    fractions = [number for number in numbers if not isinstance(number, Integral)]
    return find_missing(fractions) is None and all(
        abs(number) < EXACT and float(number).is_integer() for number in fractions
    )


@dataclass(frozen=True, eq=False)
class SeenQueries:
    """A fingerprint of queries: a query with some rows missing has another one.

    Attributes
    ----------
    keys : ndarray of shape (n_queries,)
        Hashes of the ids.
    sizes, totals : ndarray of shape (n_queries,)
        Number of rows and sum of grades of each query.
    """

    keys: np.ndarray
    sizes: np.ndarray
    totals: np.ndarray

    @classmethod
    def of(cls, y, qid):
        """Return the fingerprint of rows with these targets and ids."""
        y = np.asarray(to_numpy(y), dtype=np.float64)
        grades = np.nan_to_num(y).reshape(len(y), -1).sum(axis=1)
        queries = group_rows(qid, len(grades))
        # -1 and -2 have the same hash, which is never -1.
        hashes = (-1 if key == -1 else hash(key) for key in as_keys(queries.ids))
        keys = np.fromiter(hashes, np.int64, len(queries.ids))
        totals = np.bincount(queries.codes(), weights=grades, minlength=len(keys))
        return cls(keys, queries.lengths, totals)

    def shares_cut_queries(self, other):
        """Whether `other` has a query of this fingerprint with other rows.

        Equal ids mean nothing if both sides number their queries without gaps.
        """
        if 0 <= self._first_number() == other._first_number():
            return False
        _, here, there = np.intersect1d(self.keys, other.keys, return_indices=True)
        return bool(
            (self.sizes[here] != other.sizes[there]).any()
            or not np.allclose(self.totals[here], other.totals[there])
        )

    def _first_number(self):
        """Return 0 or 1 if the ids are all numbers from there on, otherwise -1."""
        first = self.keys.min()
        is_numbering = first in (0, 1) and np.ptp(self.keys) == len(self.keys) - 1
        return first if is_numbering else -1


def warn_of_cut_queries(estimator, y, qid):
    """Warn if an estimator was fitted on other rows of the queries being scored.

    There is no warning for whole queries, that is, for scores on training data, and
    none if the estimator does not know its queries.
    """
    seen = seen_queries_of(estimator)
    if seen is not None and seen.shares_cut_queries(SeenQueries.of(y, qid)):
        warn_of_data(
            "The estimator was fitted on other rows of the queries being scored: the "
            "folds cut through queries, so the score is too optimistic. Pass "
            "cv=QueryKFold(5), or if no ids are routed cv=QueryKFold(5, "
            "qid='column') or cv=list(QueryKFold(5).split(X, y, qid=qid)); forward in "
            "time, QueryTimeSeriesSplit. If these are different queries, give them "
            "different ids.",
            UserWarning,
        )


def seen_queries_of(estimator):
    """Return the `SeenQueries` of an estimator, None if it does not know them.

    For a pipeline they are those of its last step, for a search those of its best
    estimator.
    """
    while not hasattr(estimator, "_seen_queries"):
        if getattr(estimator, "steps", None):
            estimator = estimator.steps[-1][1]
        elif hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        else:
            return None
    return estimator._seen_queries
