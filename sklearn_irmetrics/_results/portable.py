"""Results as values that JSON can hold, and back."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np

from sklearn_irmetrics._arrays.numbers import to_numpy
from sklearn_irmetrics._results.files import check_target, write
from sklearn_irmetrics._typing import Target

# Booleans, numbers, bytes, text, times and Python objects.
_KINDS = "biufSUTmMO"
# Arrays of text take the width of the longest value for each. Where this is far more
# than the values themselves have, they are written as Python objects.
_MOST_PADDING = 100

_SCALARS = (bool, int, float, str, np.bool_, np.integer, np.floating)


class Portable:
    """A dataclass that can be written and read back."""

    _class_of: ClassVar[dict[str, type[Portable]]] = {}  # by the name in files

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        Portable._class_of[cls.__name__] = cls

    def _fields(self: Any) -> dict[str, Any]:
        """Return the arguments of the constructor by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def _from_fields(cls, **parts: Any) -> Any:
        """Return the object whose `_fields` these are."""
        return cls(**parts)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as values that JSON can hold.

        Returns
        -------
        dict
            The name of the class as ``"type"``, and the fields. Arrays are dicts of
            their ``values``, ``dtype`` and ``shape``; NaN, infinity and bytes are also
            dicts.

        Raises
        ------
        TypeError
            If a value is not a number, text, bytes, a NumPy time or made of these.

        See Also
        --------
        from_dict : Restore the result.
        """
        return pack(self)

    def to_json(self, path: Target | None = None) -> str | None:
        """Write what `to_dict` returns as JSON, numbers in full precision.

        It is to be read by `from_dict`. For plain JSON, use ``to_frame().to_json()``,
        or ``--format json`` at the command line.

        Parameters
        ----------
        path : str, path or file object, default=None
            Where to write; see `to_csv`. None: return the text instead.

        Returns
        -------
        str or None
            The text if `path` is None. ``from_dict(json.loads(text))`` reads it.

        Raises
        ------
        TypeError
            As for `to_dict`, or if `path` is none of these.
        OSError
            If it cannot be written; an existing file is then unchanged.

        Examples
        --------
        >>> import json
        >>> from sklearn_irmetrics import compare, score_queries
        >>> comparison = compare({"old": [0.2, 0.4, 0.3], "new": [0.3, 0.7, 0.5]})
        >>> again = type(comparison).from_dict(json.loads(comparison.to_json()))
        >>> repr(again) == repr(comparison)
        True
        """
        check_target(path)
        return write(json.dumps(self.to_dict(), allow_nan=False), path)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the result that `to_dict` was called on.

        Nothing in `data` is executed, and memory is bounded by its size.

        Parameters
        ----------
        data : dict
            What `to_dict` returned, or ``json.loads`` of what `to_json` did.

        Returns
        -------
        result
            With the same numbers. Values that were edited in `data` are not checked.

        Raises
        ------
        TypeError, ValueError
            If `data` is something else, or belongs to another class.
        """
        try:
            result = unpack(data)
        except _WRONG_DATA as error:
            raise ValueError(f"data must be what to_dict returned: {error}") from error
        if not isinstance(result, cls):
            raise TypeError(
                f"data must be that of a {cls.__name__}; got a {type(result).__name__}."
            )
        return result


def pack(value):
    """Return a value in a form that JSON can hold."""
    if isinstance(value, Portable):
        packed = {name: pack(item) for name, item in value._fields().items()}
        return _tagged(type(value).__name__, **packed)
    if isinstance(value, dict):
        if "type" not in value and all(type(key) is str for key in value):
            return {key: pack(item) for key, item in value.items()}
        return _tagged("dict", items=pack(list(map(list, value.items()))))
    if isinstance(value, list):
        return [pack(item) for item in value]
    if isinstance(value, tuple):
        return _tagged(type(value).__name__, values=pack([*value]))
    if isinstance(value, bytes):
        return _tagged("bytes", value=value.decode("latin-1"))
    if isinstance(value, float | np.floating):
        number = float(value)
        return number if math.isfinite(number) else _tagged("float", value=str(number))
    if value is None or isinstance(value, _SCALARS):
        return value.item() if isinstance(value, np.generic) else value
    return _pack_array(to_numpy(value))


def _pack_array(value):
    """Return an array with its type and shape."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in _KINDS:
        raise TypeError(
            "to_dict takes numbers, text, bytes, NumPy times, and arrays, tuples, "
            f"lists and dicts of them; got {value!r:.80} of type "
            f"{type(value).__name__}."
        )
    kind = value.dtype.kind
    numbers = value.astype(np.int64) if kind in "mM" else value
    values, dtype = numbers.ravel().tolist(), value.dtype.str
    if kind in "SU":
        width = _width(values)
        dtype = "O" if width is None else f"{dtype[:2]}{width}"
    return _tagged(
        "array",
        dtype=kind if kind in ("O", "T") else dtype,
        shape=list(value.shape),
        values=pack(values),
    )


def _width(texts):
    """Return the width of an array of text or bytes; None if it would be padding."""
    width = max(map(len, texts), default=0)
    most = _MOST_PADDING * (len(texts) + sum(map(len, texts)))
    return max(width, 1) if width * len(texts) <= most else None


def _tagged(name, /, **parts):
    return {"type": name, **parts}


def unpack(data):
    """Return the value that `pack` was called on."""
    if isinstance(data, list):
        return [unpack(item) for item in data]
    if not isinstance(data, dict):
        return data
    parts = {key: unpack(item) for key, item in data.items()}
    if "type" not in parts:
        return parts
    name = parts.pop("type")
    restore = _RESTORE.get(name) or Portable._class_of[name]._from_fields
    return restore(**parts)


def _restore_array(dtype, shape, values):
    if not isinstance(values, list):
        raise TypeError(f"values of an array must be a list; got {values!r:.80}")
    if dtype == "O":  # NumPy would turn tuples into rows
        return np.fromiter(values, object, len(values)).reshape(shape)
    dtype = np.dtype(dtype)
    if dtype.kind not in _KINDS:
        raise ValueError(f"dtype of an array must not be {dtype}")
    if dtype.kind in "SU" and dtype.str[2:] != str(_width(values)):
        raise ValueError(f"dtype of an array must be as wide as its text; got {dtype}")
    is_time = dtype.kind in "mM"
    return np.array(values, np.int64 if is_time else dtype).astype(dtype).reshape(shape)


def _restore_interval(values):
    from sklearn_irmetrics._statistics.intervals import ConfidenceInterval

    return ConfidenceInterval(*values)


# Raised by data of other types and shapes, and by those nested too deeply.
_WRONG_DATA = (
    *(ArithmeticError, AttributeError, LookupError, RecursionError),
    *(TypeError, ValueError),
)

# By the tag of values that are not results.
_RESTORE = {
    "float": lambda value: float(value),
    "bytes": lambda value: value.encode("latin-1"),
    "dict": lambda items: dict(items),
    "tuple": lambda values: tuple(values),
    "array": _restore_array,
    "ConfidenceInterval": _restore_interval,
}
