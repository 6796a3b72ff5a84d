"""Turn values into arrays and numbers into float64; different values stay different."""

import sys
from decimal import Decimal
from numbers import Integral, Rational

import numpy as np

EXACT = 2**53  # float64 holds every integer up to here, and not the next one


def issparse(array):
    """Whether `array` is a sparse matrix; fast for NumPy arrays."""
    sparse = sys.modules.get("scipy.sparse")  # if not imported, nobody has its arrays
    return (
        type(array) is not np.ndarray and sparse is not None and sparse.issparse(array)
    )


def to_dense(array):
    """Return a sparse matrix as an array; anything else as it is."""
    return array.toarray() if issparse(array) else array


def to_numpy(values):
    """Return an array of another library as a NumPy array; anything else as it is.

    That of torch, CuPy, JAX or another library that exports memory (DLPack) is copied
    only if it is on a device, or holds bfloat16, which becomes float32. The chunks of a
    dictionary of PyArrow become one array, because from several NumPy gets the first
    value of the dictionary for missing ones.
    """
    if isinstance(values, np.ndarray):
        return values
    pyarrow = sys.modules.get("pyarrow")
    if (
        pyarrow is not None
        and isinstance(values, pyarrow.ChunkedArray)
        and pyarrow.types.is_dictionary(values.type)
    ):
        return values.combine_chunks()
    if not (hasattr(values, "__dlpack__") and hasattr(values, "dtype")):
        return values  # PyArrow, which exports memory too, has missing values
    if hasattr(values, "detach"):  # of torch: without gradient, on the host
        values = values.detach().cpu()
        if "bfloat16" in str(values.dtype):
            values = values.float()
    elif "bfloat16" in str(values.dtype):
        values = values.astype("float32")
    try:
        return np.asarray(values)
    except TypeError as error:  # of CuPy, which copies only where it is asked to
        try:
            return np.from_dlpack(values, device="cpu")
        except (BufferError, RuntimeError, TypeError, ValueError):
            raise error from None


def as_array(name, values):
    """Return an array of any kind and shape that holds `values` unchanged.

    NumPy and pandas round large integers in lists and nullable columns, and fixed-width
    strings lose trailing NULs; such values are kept as objects.
    """
    refuse_mask(name, values)
    values, array = _convert(name, values)
    if array.ndim == 0 and array.dtype.kind == "O" and np.iterable(values):
        raise TypeError(
            f"{name} must be an array or a sequence; got a {type(values).__name__}."
        )
    if array.ndim == 0 or (hasattr(values, "dtype") and values.dtype == array.dtype):
        return array
    return _restore(array, values)


def _convert(name, values):
    """Return values without what ties them to a device, and their NumPy array."""
    try:
        values = to_numpy(values)
        return values, np.asarray(values)
    except ValueError as error:
        raise ValueError(
            f"{name} must be a rectangular array; pass queries of different lengths as "
            f"1-D arrays with qid: {error}"
        ) from error
    except Exception:  # of a library that has no array for its type
        return values, as_objects(values)


def _restore(array, values):
    """Return the array that NumPy made, or objects if that changed any value."""
    if array.dtype.kind in "US":
        objects = np.array(values, dtype=object)
        return array if (array.astype(object) == objects).all() else objects
    if array.dtype.kind == "f" and (np.abs(array) >= np.float64(EXACT)).any():
        objects = as_objects(values)
        return objects if any(map(_is_large, objects.flat)) else array
    return array


def refuse_mask(name, values):
    """Refuse a masked array, whose hidden values NumPy would use."""
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name} must not be a masked array; fill or drop its mask.")


def as_objects(values):
    """Return numbers as Python objects, with NaN for values missing in pandas."""
    if hasattr(values, "to_numpy"):
        try:
            return values.to_numpy(dtype=object, na_value=np.nan)
        except TypeError:  # of pyarrow or Polars
            listed = getattr(values, "to_pylist", None) or getattr(values, "to_list", 0)
            values = listed() if listed else values
    return np.array(values, dtype=object)


def as_numbers(name, array):
    """Return an array of booleans, integers or real floats."""
    kind = array.dtype.kind
    types = set(map(type, array.flat)) if kind == "O" else set()
    if types and types <= {bool, np.bool_}:
        array, kind = array.astype(bool), "b"
    if kind == "O" and not any(issubclass(type_, (str, bytes)) for type_ in types):
        array, kind = _as_exact_floats(name, array, types), "f"
    if kind in "OUS":
        values = array.ravel().tolist()
        text = next(value for value in values if isinstance(value, (str, bytes)))
        raise TypeError(f"{name} must hold real numbers; got text: {text!r:.80}.")
    if kind not in "biuf" or array.dtype.itemsize > 8:
        raise TypeError(
            f"{name} must hold real numbers; got an array of type {array.dtype}. "
            "Floats may have at most 64 bits."
        )
    return array


def _as_exact_floats(name, objects, types):
    """Return objects of these types as floats, if floats can tell them apart."""
    try:
        floats = objects.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"{name} must hold real numbers: {error}.") from error
    refuse_large(name, max(map(abs, filter(_is_large, objects.flat)), default=0))
    if any(issubclass(type_, (Decimal, Rational)) for type_ in types):
        _refuse_rounding(name, objects, floats)
    return floats


def _refuse_rounding(name, numbers, floats):
    """Refuse different decimals and fractions that are one number as floats."""
    exact = {}
    for number, rounded in zip(numbers.flat, floats.flat, strict=True):
        if isinstance(number, (Decimal, Rational)) and number == number:
            other = exact.setdefault(rounded, number)
            if other != number:
                raise ValueError(
                    f"{name} must hold numbers that floats can tell apart; got "
                    f"{other} and {number}. Pass ranks, or the numbers as floats."
                )


def as_floats(name, values):
    """Return an array of real numbers of any shape as float64."""
    array = as_array(name, values)
    kinds = set(map(type, array.flat)) if array.dtype.kind == "O" else set()
    if kinds and kinds.isdisjoint({str, bytes, type(None)}):  # such as decimals
        array = as_numbers(name, array)
    if array.dtype.kind not in "biuf":
        others = (
            repr(value)
            for value in array.ravel().tolist()
            if value is None or isinstance(value, str | bytes)
        )
        got = next(others, f"an array of type {array.dtype}")
        raise TypeError(f"{name} must hold real numbers; got {got:.80}.")
    check_exact(name, array)
    return array.astype(np.float64, copy=False)


def _is_large(number):
    """Whether a number is an integer that float64 may not tell from the next one."""
    return isinstance(number, Integral) and abs(int(number)) >= EXACT


def are_large(values):
    """Whether an array holds integers that float64 may not tell apart."""
    # Only integers of 64 bits can be so large.
    kind = values.dtype.kind
    if kind not in "iu" or values.dtype.itemsize < 8 or 0 in values.shape:
        return False
    return max(-int(values.min()), int(values.max())) >= EXACT


def check_exact(name, values):
    """Refuse an array of integers that float64 may not tell apart."""
    if are_large(values):
        refuse_large(name, max(-int(values.min()), int(values.max())))


def refuse_large(name, number):
    """Refuse the largest of some integers if floats may not tell it from the next."""
    if number >= EXACT:
        raise ValueError(
            f"{name} must hold integers below 2**53, which floats can tell apart; got "
            f"about {float(number):.4g}. Pass ranks, or the numbers as floats."
        )


def keep_apart(names, *arrays):
    """Return arrays as objects if a common type would make different values equal.

    Examples are 1 and "1", or b"a" and "a". Large integers with other types are
    refused.
    """
    kinds = {array.dtype.kind for array in arrays}
    if len(kinds) > 1 and not kinds <= set("biuf"):
        return [array.astype(object) for array in arrays]
    if len(kinds) > 1 and any(map(are_large, arrays)):
        raise TypeError(f"{names} must be of one type where integers are beyond 2**53.")
    return list(arrays)
