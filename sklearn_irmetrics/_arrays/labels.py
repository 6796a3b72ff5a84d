"""Labels of the rows and columns of data frames, whose orders must not disagree."""

import sys
from collections import Counter
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class FrameLabels:
    """The labels of a data frame or a series, without the values."""

    index: object = None
    columns: object = None

    @classmethod
    def of(cls, values):
        """Return those of any object, which may have none."""
        return cls(getattr(values, "index", None), getattr(values, "columns", None))


def check_row_order(**arrays):
    """Refuse pandas objects that hold the same row labels in different orders.

    Rows belong together by position, as in scikit-learn. Labels are only compared: the
    indexes of two objects may be equal or have different labels, but not be
    permutations of each other.

    Parameters
    ----------
    **arrays : object
        What has an entry per row, by the name of its parameter. Objects without an
        index are not looked at.

    Raises
    ------
    ValueError
        Naming two parameters and the first row where their labels differ.
    """
    _check_order(arrays, "index", "row")


def check_column_order(**arrays):
    """Refuse data frames that hold the same column labels in different orders."""
    _check_order(arrays, "columns", "column")


def _check_order(arrays, axis, unit):
    pandas = sys.modules.get("pandas")  # if not imported, nobody has its objects
    if pandas is None:
        return
    distinct = {}
    for name, values in arrays.items():
        labels = getattr(values, axis, None)
        if not isinstance(labels, pandas.Index):
            continue
        for other, known in distinct.items():
            if labels is known or labels.equals(known):
                break
            if _are_permutations(labels, known):
                pairs = enumerate(zip(known, labels, strict=True))
                place, (first, second) = next(
                    pair for pair in pairs if pair[1][0] != pair[1][1]
                )
                raise ValueError(
                    f"{other} and {name} must have their {unit}s in the same order; "
                    f"{axis} holds the same labels in different orders, from {unit} "
                    f"{place} on: {first!r} in {other}, {second!r} in {name}. Sort "
                    f"both by {axis}, or pass {name}.to_numpy() if {unit}s belong "
                    "together by position."
                )
        else:
            distinct[name] = labels


def _are_permutations(first, second):
    """Whether unequal indexes hold the same labels, each equally often."""
    if len(first) != len(second):
        return False
    arrays = first.to_numpy(), second.to_numpy()
    if all(array.dtype.kind in "iuf" for array in arrays):
        ends = [(array.min(), array.max()) for array in arrays]
        return ends[0] == ends[1] and np.array_equal(*map(np.sort, arrays))
    try:
        return Counter(first) == Counter(second)
    except TypeError:  # of labels without a hash
        return False
