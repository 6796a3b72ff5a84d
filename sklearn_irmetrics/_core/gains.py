"""Turn strings, mappings and functions into the gains and discounts of kernels."""

from decimal import Decimal
from numbers import Integral, Real

import numpy as np

from sklearn_irmetrics._core.numbers import as_array, as_numbers
from sklearn_irmetrics._core.values import Discount, Gain


def as_grade(value, batch):
    """Round a number to the type of the grades, if that type can hold it.

    A grade of 0.7 in float32 then reaches a threshold of 0.7, as in NumPy.
    """
    grades = batch.grades
    if grades.dtype.kind != "f" or grades.dtype.itemsize > 4:
        return value
    with np.errstate(over="ignore"):
        rounded = float(grades.dtype.type(value))
    return rounded if np.isfinite(rounded) and bool(rounded) == bool(value) else value


def _as_table(gains, batch):
    """Return a mapping of grades to gains as a dict of floats."""
    try:
        pairs = sorted(
            (as_grade(_as_float(grade), batch), _as_float(gain))
            for grade, gain in gains.items()
        )
        listed = np.array(pairs)
        good = len(pairs) > 0 and np.isfinite(listed).all()
        good = good and (listed[1:, 0] > listed[:-1, 0]).all()  # after rounding too
    except (AttributeError, TypeError, ValueError, OverflowError):
        good = False
    if not good:
        raise ValueError(
            "gain must be 'linear', 'exponential', a mapping from grades to finite "
            "gains, all of them numbers that a float can hold, or a callable; got "
            f"{gains!r}."
        )
    return dict(pairs)


def _as_float(number):
    """Return a real number as a float; refuse text and integers that float rounds."""
    number = number.item() if hasattr(number, "item") else number
    if not isinstance(number, (Real, Decimal)):
        raise TypeError
    if isinstance(number, Integral) and float(number) != number:
        raise ValueError
    return float(number)


def make_gain(gain, negative, max_grade, batch):
    """Return a `Gain`; functions and mappings become tables of occurring grades."""
    if negative == "raise" and batch.min_grade < 0:
        raise ValueError(
            "y_true must not hold negative grades, since they have no place in an "
            f"ideal ranking; got {batch.min_grade:g}. Grades come before scores: "
            "(y_true, y_score). If these are grades, set negative_grades='clip', "
            "'keep' or 'minmax'."
        )
    kept = "keep" if negative in (None, "raise") else negative
    if isinstance(gain, str) and gain in ("linear", "exponential"):
        grade, what = max_grade, "max_grade"
        if gain == "exponential" and max_grade is None:
            grade, what = batch.max_grade, "the largest grade"
        if gain == "exponential" and grade > 1000:
            raise ValueError(
                f"gain='exponential' overflows above grade 1000; {what} is {grade:g}."
            )
        return Gain(gain, kept, negative is not None and batch.min_grade >= 0.0)
    if not callable(gain):
        gain = _as_table(gain, batch)
    grades = batch.distinct_grades
    if negative == "clip":
        grades = np.unique(np.maximum(grades, 0.0))
    if max_grade is not None:
        grades = np.unique(np.append(grades, max_grade))
    if not len(grades):  # nothing is judged, so nothing gains anything
        return Gain()
    look_up = _call if callable(gain) else _look_up
    gains = look_up("gain", gain, grades)
    if gains.shape != grades.shape or not np.isfinite(gains).all():
        raise ValueError(
            "gain must return one finite number per grade; got an array of shape "
            f"{tuple(gains.shape)} for {tuple(grades.shape)} grades."
        )
    if negative == "clip":
        gains = np.maximum(gains, 0.0)
    if negative == "raise" and gains.min() < 0.0:
        raise ValueError(
            "gain must not be negative with negative_grades='raise'; got "
            f"{float(gains.min()):g}. Set negative_grades='keep'."
        )
    table = np.stack([grades, gains]).tobytes()
    made = Gain(table, kept, bool(gains.min() >= 0.0))
    if batch.sparse and (nothing := float(made.of(np.zeros(1))[0])) > 0:
        raise ValueError(
            "gain must not be positive for grade 0 with sparse input, whose absent "
            f"documents have that grade; it is {nothing:g}."
        )
    return made


def _look_up(name, listed, grades):
    gains = [
        listed.get(grade, 0.0 if grade == 0 else None) for grade in grades.tolist()
    ]
    if None in gains:
        raise ValueError(
            f"{name} must list every grade that occurs; it lists {list(listed)} but "
            f"not {float(grades[gains.index(None)])}."
        )
    return np.asarray(gains, dtype=grades.dtype)


def _call(name, function, values):
    """Call a parameter with a copy of numbers, which it may overwrite."""
    found = function(values.copy())
    found = as_numbers(f"the result of {name}", as_array(name, found))
    return found.astype(np.float64)


def make_discount(discount, log_base, k, batch):
    """Return a `Discount`; a function becomes its weights of all ranks that count."""
    if not callable(discount):
        return Discount(discount, log_base)
    longest = batch.max_length if k is None else min(k, batch.max_length)
    ranks = np.arange(1.0, longest + 1.0)
    weights = _call("discount", discount, ranks)
    if weights.shape != ranks.shape or not np.isfinite(weights).all():
        raise ValueError(
            "discount must return one finite weight per rank; got an array of shape "
            f"{tuple(weights.shape)} for {len(ranks)} ranks."
        )
    rises = np.flatnonzero(weights[1:] > weights[:-1])
    if len(rises):
        rank = int(rises[0]) + 1
        raise ValueError(
            "discount must not increase with the rank; it rises from "
            f"{weights[rank - 1]} at rank {rank} to {weights[rank]}."
        )
    if weights[-1] < 0.0:
        raise ValueError(
            f"discount must not be negative; it is {weights[-1]} at rank {longest}."
        )
    return Discount(weights.tobytes(), log_base)
