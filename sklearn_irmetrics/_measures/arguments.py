"""Arguments of measures as immutable Python values."""

import inspect
from collections.abc import Sequence
from numbers import Integral

import numpy as np

from sklearn_irmetrics._core.parameters import check_count, check_flag
from sklearn_irmetrics._core.values import hashable


class _Mapping(tuple):
    """The sorted items of a mapping."""

    __slots__ = ()

    def __repr__(self):
        return "{" + ", ".join(f"{key!r}: {value!r}" for key, value in self) + "}"


def freeze(name, value, default):
    """Return a frozen argument; refuse values that no function takes for it."""
    value = _unwrap(name, value)
    if isinstance(default, bool):
        return check_flag(name, value)
    if name in ("k", "n_expected") and value is not None:
        return check_count(name, value)
    return hashable(value) if callable(value) else _freeze(name, value)


def thaw(name, value):
    """Return a frozen argument in the form that functions take."""
    if name == "replace_undefined_by" and value is None:
        return np.nan
    return dict(value) if isinstance(value, _Mapping) else value


def is_default(name, value, default):
    """Return whether a frozen argument is the default of its parameter."""
    return default is not inspect.Parameter.empty and value == _freeze(name, default)


def spell(value):
    """Return a frozen argument as text, a function by its name."""
    if not callable(value):
        return repr(value)
    name = getattr(value, "__name__", "__call__")
    kind = type(getattr(value, "__self__", value))  # made hashable by `hashable`
    return kind.__name__ if name == "__call__" else name


def _unwrap(name, value):
    """Return an array, series or tensor of any number of axes as Python objects."""
    if name == "gain" and hasattr(value, "items"):  # as a series has
        return value
    value = value.to_numpy() if hasattr(value, "to_numpy") else value
    return value.tolist() if hasattr(value, "tolist") else value


def _freeze(name, value):
    value = _unwrap(name, value)
    if value is None or isinstance(value, (str, bytes)):
        return value
    if hasattr(value, "items"):
        items = [(_freeze(name, k), _freeze(name, v)) for k, v in value.items()]
        return _Mapping(sorted(items))
    if isinstance(value, Sequence):
        return tuple(_freeze(name, one) for one in value)
    return _freeze_number(name, value)


def _freeze_number(name, value):
    """Return the equal Python number: an int if whole and at most 2^53."""
    try:
        number = float(value)
    except OverflowError:
        number = np.inf
    except (TypeError, ValueError):
        raise TypeError(
            f"{name} must be a number, a string, a function, or a list or mapping of "
            f"them, in a measure; got {value!r}."
        ) from None
    if isinstance(value, Integral) and number != value:  # the metric may refuse it
        return int(value)
    if np.isnan(number) and name == "replace_undefined_by":
        return None  # equal to itself, and a literal
    if not np.isfinite(number):
        raise ValueError(f"{name} must be finite in a measure; got {value!r}.")
    if number != value:
        raise ValueError(
            f"{name} must be a number that a float holds exactly in a measure; got "
            f"{value!r}."
        )
    return int(number) if number.is_integer() and abs(number) <= 2**53 else number
