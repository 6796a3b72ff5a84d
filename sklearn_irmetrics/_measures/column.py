"""Query ids in a column of X."""

import reprlib
from numbers import Integral

import numpy as np

from sklearn_irmetrics._compat import safe_indexing
from sklearn_irmetrics._core.foreign import issparse
from sklearn_irmetrics._core.numbers import as_array


def check_column(qid):
    """Return the name or position of a column, a callable or None; refuse others."""
    if isinstance(qid, bool) or not (
        qid is None or isinstance(qid, str | Integral) or callable(qid)
    ):
        raise TypeError(
            "qid must be a column of X (name or position), a callable or None; got "
            f"{reprlib.repr(qid)}. Pass the ids themselves to split."
        )
    return qid


class Column:
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
                f"qid={self.key!r} must name a column of X; got {got}."
            ) from error
        ids = as_array("qid", ids)
        if ids.dtype.kind == "f":
            exact_below = 2.0 ** (np.finfo(ids.dtype).nmant + 1)
            if not ((ids == np.round(ids)) & (np.abs(ids) < exact_below)).all():
                raise ValueError(
                    f"qid={self.key!r} must name a column of query ids; it holds "
                    "fractional, missing or rounded numbers."
                )
        return ids

    def __repr__(self):
        return repr(self.key)
