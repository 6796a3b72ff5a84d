"""Where values become arrays and numbers become float64: what differs stays apart."""

from fractions import Fraction
from numbers import Integral

import numpy as np

from sklearn_irmetrics._core.namespace import namespace, to_numpy

EXACT = 2**53  # float64 holds every integer up to here, and not the next one


def as_array(name, values):
    """Return an array of whatever kind and shape that holds `values` as they are.

    NumPy and pandas round large integers in lists and nullable columns, and fixed-width
    strings lose their last NULs: objects hold those.
    """
    refuse_mask(name, values)
    try:
        array = np.asarray(to_numpy(values))
    except ValueError as error:
        what = str(error).rstrip(".")
        if "inhomogeneous" in what:
            what = "its rows have different lengths"
            if name in ("y_true", "y_score"):
                what += (
                    ". Concatenate queries of different lengths and pass qid, or pass "
                    "documents by their ids to score_run"
                )
        raise ValueError(f"{name} must be a rectangular array: {what}.") from error
    except Exception:  # of a library that has no array for its type
        array = as_objects(values)
    if array.ndim == 0 and array.dtype.kind == "O" and np.iterable(values):
        by_id = ""
        if isinstance(values, dict) and name in ("y_true", "y_score"):
            by_id = " Judgments and runs in dicts go to score_run or runs.align."
        raise TypeError(
            f"{name} must be an array or a sequence; got a {type(values).__name__}."
            f"{by_id}"
        )
    if array.ndim == 0 or (hasattr(values, "dtype") and values.dtype == array.dtype):
        return array
    if array.dtype.kind in "US":
        objects = np.array(values, dtype=object)
        return array if (array.astype(object) == objects).all() else objects
    if array.dtype.kind == "f" and _is_large(array):
        objects = as_objects(values)
        return objects if is_rounded(objects) else array
    return array


def refuse_mask(name, values):
    """Refuse a masked array, whose hidden values NumPy would show."""
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name} must not be a masked array; fill or drop its mask.")


def as_objects(values):
    """Return numbers as Python's own objects, NaN where pandas has none."""
    if hasattr(values, "to_numpy"):
        try:
            return values.to_numpy(dtype=object, na_value=np.nan)
        except TypeError:  # of pyarrow or Polars
            listed = getattr(values, "to_pylist", None) or getattr(values, "to_list", 0)
            values = listed() if listed else values
    return np.array(values, dtype=object)


def as_numbers(name, array):
    """Return an array of booleans, integers or real floats."""
    kind = namespace(array).kind(array)
    if kind == "V" and array.dtype.name == "bfloat16":  # of ml_dtypes
        array, kind = array.astype(np.float32), "f"
    types = set(map(type, array.flat)) if kind == "O" else set()
    if types and types <= {bool, np.bool_}:
        array, kind = array.astype(bool), "b"
    if kind == "O" and not any(issubclass(one, (str, bytes)) for one in types):
        try:
            floats = array.astype(np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise TypeError(f"{name} must hold real numbers: {error}.") from error
        _refuse_overflow(name, array, floats)
        array, kind = floats, "f"
    if kind not in "biuf":
        raise TypeError(
            f"{name} must hold real numbers; got an array of type {array.dtype}."
        )
    return array


def as_floats(name, values):
    """Return an array of real numbers of any shape as float64."""
    array = as_array(name, values)
    if array.dtype.kind not in "biuf" and not is_rounded(array):
        raise TypeError(f"{name} must hold real numbers; got {values!r}.")
    return as_numbers(name, array).astype(np.float64, copy=False)


def _refuse_overflow(name, array, floats):
    """Refuse numbers that are infinite as float64 only."""
    infinite = np.isinf(floats)
    for number, rounded in zip(array[infinite], floats[infinite], strict=True):
        if number != rounded:
            raise TypeError(
                f"{name} must hold real numbers that a float can hold; got {number!r}."
            )


def is_rounded(values):
    """Whether float64 may not tell all of these numbers apart."""
    kind = namespace(values).kind(values)
    if kind == "f" or kind == "b":
        return values.dtype.itemsize > 8
    if kind == "O":
        types = set(map(type, values.flat))
        types = {t for t in types if not issubclass(t, (float, type(None), *_SHORT))}
        if all(issubclass(t, (int, np.integer, np.bool_)) for t in types):
            try:
                return bool(types) and _is_large(values.astype(np.float64))
            except OverflowError:
                pass
        return True
    # No other integers reach as far as those of 64 bits.
    if kind in "iu" and values.dtype.itemsize == 8 and len(values):
        return max(-int(values.min()), int(values.max())) > EXACT
    return False


_SHORT = np.float16, np.float32


def keep_apart(*arrays):
    """Return arrays as objects where one type for all makes equal what is not.

    Such as 1 and "1", b"a" and "a", or large integers with a sign and without.
    """
    kinds = {array.dtype.kind for array in arrays}
    if len(kinds) > 1 and not (
        kinds <= set("biuf") and not any(map(is_rounded, arrays))
    ):
        return [array.astype(object) for array in arrays]
    return list(arrays)


def rank_exactly(values):
    """Return numbers in the order of `values`, equal where they are, as float64.

    NaN and infinities stay what they are; finite numbers become 2, 3, ..., so that none
    passes for a prediction, unless all of them are zeros and ones.
    """
    xp = namespace(values)
    if xp.kind(values) in "iu":
        ranks = xp.unique(values, return_inverse=True)[1] + 2
        return xp.astype(ranks.reshape(values.shape), xp.float64)
    is_object = values.dtype.kind == "O"
    with np.errstate(over="ignore"):
        ranks = values.astype(np.float64)
    finite = np.isfinite(ranks if is_object else values)
    listed = values[finite]
    if is_object:
        listed = np.fromiter(map(_exact, listed), dtype=object, count=len(listed))
    distinct, places = np.unique(listed, return_inverse=True)
    if not set(distinct[:3].tolist()) <= {0, 1}:
        ranks[finite] = places + 2
    return ranks


def _exact(number):
    """Return what Python compares exactly with its like."""
    if isinstance(number, Integral):
        return int(number)
    if hasattr(number, "as_integer_ratio"):
        return Fraction(*number.as_integer_ratio())
    return float(number)


def _is_large(floats):
    """Whether a finite number is beyond the integers that float64 holds."""
    large = np.abs(floats) >= np.float64(EXACT)  # which float16 cannot hold
    return bool(large.any()) and bool((large & np.isfinite(floats)).any())
