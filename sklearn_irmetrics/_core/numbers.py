"""Where values become arrays and numbers become float64: what differs stays apart."""

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
        raise ValueError(
            f"{name} must be a rectangular array; queries of different lengths are "
            f"1-D arrays with qid: {error}"
        ) from error
    except Exception:  # of a library that has no array for its type
        array = as_objects(values)
    if array.ndim == 0 and array.dtype.kind == "O" and np.iterable(values):
        raise TypeError(
            f"{name} must be an array or a sequence; got a {type(values).__name__}."
        )
    if array.ndim == 0 or (hasattr(values, "dtype") and values.dtype == array.dtype):
        return array
    if array.dtype.kind in "US":
        objects = np.array(values, dtype=object)
        return array if (array.astype(object) == objects).all() else objects
    if array.dtype.kind == "f" and (np.abs(array) >= np.float64(EXACT)).any():
        objects = as_objects(values)
        return objects if any(map(_is_large, objects.flat)) else array
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
    types = set(map(type, array.flat)) if kind == "O" else set()
    if types and types <= {bool, np.bool_}:
        array, kind = array.astype(bool), "b"
    if kind == "O" and not any(issubclass(one, (str, bytes)) for one in types):
        try:
            floats = array.astype(np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise TypeError(f"{name} must hold real numbers: {error}.") from error
        refuse_large(name, max(map(abs, filter(_is_large, array.flat)), default=0))
        array, kind = floats, "f"
    if kind not in "biuf" or array.dtype.itemsize > 8:
        raise TypeError(
            f"{name} must hold real numbers; got an array of type {array.dtype}. "
            "Floats have at most 64 bits here."
        )
    return array


def as_floats(name, values):
    """Return an array of real numbers of any shape as float64."""
    array = as_array(name, values)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold real numbers; got {values!r}.")
    return array.astype(np.float64, copy=False)


def _is_large(number):
    """Whether float64 may not tell a whole number from the next one."""
    return isinstance(number, Integral) and abs(int(number)) >= EXACT


def are_large(values):
    """Whether an array holds whole numbers that float64 may not tell apart."""
    # No other integers reach as far as those of 64 bits.
    kind = namespace(values).kind(values)
    if kind not in "iu" or values.dtype.itemsize < 8 or not len(values):
        return False
    return max(-int(values.min()), int(values.max())) >= EXACT


def refuse_large(name, number):
    """Refuse the largest of some whole numbers if floats may not tell it apart."""
    if number >= EXACT:
        raise ValueError(
            f"{name} must hold integers below 2**53, which floats tell apart; got one "
            f"of about {float(number):.4g}. Pass ranks, or the numbers as floats."
        )


def keep_apart(names, *arrays):
    """Return arrays as objects where one type for all makes equal what is not.

    Such as 1 and "1", or b"a" and "a". Large integers beside other types are refused.
    """
    kinds = {namespace(array).kind(array) for array in arrays}
    if len(kinds) > 1 and not kinds <= set("biuf"):
        return [array.astype(object) for array in arrays]
    if len(kinds) > 1 and any(map(are_large, arrays)):
        raise TypeError(f"{names} must be of one type where integers are beyond 2**53.")
    return list(arrays)
