"""The measures' own parameters: one check and one message per parameter name."""

import sys
from collections.abc import Mapping
from decimal import Decimal
from itertools import chain
from numbers import Integral, Real

import numpy as np

from sklearn_irmetrics._core.namespace import is_tensor, issparse, namespace, to_numpy
from sklearn_irmetrics._core.numbers import as_array, as_numbers
from sklearn_irmetrics._core.values import DENSE_RANK, Discount, Gain, OfClass

_LARGEST = sys.float_info.max
_NO_NUMBERS = bool, np.bool_, np.timedelta64  # whatever their base classes
TIES = ("average", "optimistic", "pessimistic", "stable")


def check_parameters(parameters, batch):
    """Check a measure's parameters and return what its kernel takes.

    Parameters
    ----------
    parameters : dict of str to object
        By public name.
    batch : RankingBatch
        What they will be applied to.

    Returns
    -------
    dict of str to object
        Some combined: `log_base` goes into `discount`, `beta` into `alpha`,
        `negative_grades` into `gain`.
    """
    classes = getattr(batch, "classes", None)
    if classes is not None and parameters.get("pos_label") is None:
        raise TypeError(
            f"y_true must hold grades; got the labels {classes[:5]!r}. Name the "
            "relevant one as pos_label, which measures of binary relevance take."
        )
    checks = _CHECKS | _OF_OVERLAP if "persistence" in parameters else _CHECKS
    checked = {
        name: checks[name](name, value, batch) for name, value in parameters.items()
    }
    label = checked.pop("pos_label", None)
    if label is not None:
        checked["relevance_threshold"] = _relevant_class(label, checked, batch)
    k = checked.get("k")
    if checked.get("denominator") == "k" and k is None:
        raise ValueError("denominator='k' needs k; got k=None.")
    if "discount" in checked:
        kind, log_base = checked["discount"], checked.pop("log_base")
        if callable(kind):
            kind = _weights_of_ranks(kind, k, batch)
        checked["discount"] = Discount(kind, log_base)
    if "gain" in checked:
        if checked.get("max_grade", 0.0) is None:
            raise ValueError("max_grade must be a positive, finite number; got None.")
        checked["gain"] = _make_gain(
            checked["gain"],
            checked.pop("negative_grades", None),
            checked.get("max_grade"),
            batch,
        )
    if "alpha" in checked and checked["alpha"] is None and "beta" not in checked:
        raise ValueError("alpha must be between 0 and 1; got None.")
    if "beta" in checked and "alpha" in checked:
        beta = checked.pop("beta")
        if checked["alpha"] is None:
            checked["alpha"] = 1.0 / (1.0 + beta * beta)
    return checked


def check_option(name, value, options):
    """Return `value` if it is one of `options`."""
    if isinstance(value, str) and value in options:
        return value
    allowed = ", ".join(map(repr, options))
    raise ValueError(f"{name} must be one of {allowed}; got {value!r}.")


def check_flag(name, value):
    """Return `value` as a bool if it is one."""
    if value is not True and value is not False and not isinstance(value, np.bool_):
        raise ValueError(f"{name} must be True or False; got {value!r}.")
    return bool(value)


def check_real(name, value, low, high, rule):
    """Return `value` as a float if it is a real number in the open range."""
    if type(value) is float and low < value < high:
        return value
    if isinstance(value, Real) and not isinstance(value, _NO_NUMBERS):
        # Compared as a float: float32 rounds the bounds, and a float some fractions.
        try:
            number = float(value)
        except OverflowError:  # and perhaps too long to print
            raise ValueError(
                f"{name} must be {rule}; got one that no float can hold."
            ) from None
        if low < number < high:
            return number
    raise ValueError(f"{name} must be {rule}; got {value!r}.")


def check_count(name, value, least=1, most=np.inf):
    """Return `value` as an int if it is a whole number in the closed range."""
    if type(value) is int and least <= value <= min(most, 2**53):
        return value
    rule = f">= {least}" if most == np.inf else f"from {least} to {most}"
    if _is_integer(value) and value > _LARGEST:  # and perhaps too long to print
        raise ValueError(
            f"{name} must be an integer {rule} that a float can hold; got one of "
            f"{int(value).bit_length()} bits."
        )
    if not _is_integer(value) or not least <= value <= most:
        raise ValueError(f"{name} must be an integer {rule}; got {value!r}.")
    return int(value)


def check_confidence_level(value):
    """Return `value` as a float if an interval can have that level."""
    return check_real("confidence_level", value, 0.0, 1.0, "strictly between 0 and 1")


def check_n_jobs(value):
    """Return `value` if joblib can make a number of workers of it."""
    if value is None or (_is_integer(value) and value != 0):
        return value
    raise ValueError(f"n_jobs must be None or a non-zero integer; got {value!r}.")


def check_seed(random_state):
    """Return a seed: an integer as it is, else one that is drawn."""
    if isinstance(random_state, Integral):
        if not 0 <= random_state < 2**32:
            raise ValueError(
                f"random_state must be between 0 and 2**32 - 1; got {random_state!r}."
            )
        return int(random_state)
    drawn_from_all = random_state is None or random_state is np.random
    if drawn_from_all or isinstance(random_state, np.random.RandomState):
        from sklearn.utils import check_random_state

        return int(check_random_state(random_state).randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    raise ValueError(
        "random_state must be an int, a RandomState, a Generator or None; got "
        f"{random_state!r}."
    )


def _is_integer(value):
    return isinstance(value, Integral) and not isinstance(value, _NO_NUMBERS)


def _k(name, value, batch):
    return None if value is None else check_count(name, value)


def _flag(name, value, batch):
    return check_flag(name, value)


def _option(*options):
    return lambda name, value, batch: check_option(name, value, options)


def _real(low, high, rule):
    return lambda name, value, batch: check_real(name, value, low, high, rule)


def _optional(check):
    def check_unless_none(name, value, batch):
        return None if value is None else check(name, value, batch)

    return check_unless_none


_POSITIVE = _real(0.0, np.inf, "a positive, finite number")
_NOT_NEGATIVE = _real(-5e-324, np.inf, "a finite number >= 0")
_FINITE = _real(-np.inf, np.inf, "a finite number")
_UNIT = _real(-5e-324, 1.0 + 1e-15, "between 0 and 1")


def _gain(name, value, batch):
    if callable(value) or (isinstance(value, str) and value in _GAINS):
        return value
    for number in chain(*value.items()) if isinstance(value, Mapping) else ():
        is_whole = isinstance(number, Integral) and abs(number) < _LARGEST
        if is_whole and float(number) != number:
            raise ValueError(
                f"{name} must map numbers that a float holds exactly; got {number!r}."
            )
    try:
        pairs = sorted(
            (_as_grade(_as_float(grade), batch), _as_float(gain))
            for grade, gain in value.items()
        )
        listed = np.array(pairs)
        good = len(pairs) > 0 and np.isfinite(listed).all()
        good = good and (listed[1:, 0] > listed[:-1, 0]).all()  # after rounding too
    except (AttributeError, TypeError, ValueError, OverflowError):
        good = False
    if not good:
        raise ValueError(
            f"{name} must be 'linear', 'exponential', a mapping from grades to finite "
            f"gains or a callable; got {value!r}."
        )
    if DENSE_RANK in batch.marks and abs(listed[:, 0]).max() >= 2**53:
        raise ValueError(
            f"{name} must not map grades of 2**53 or more if y_true holds grades that "
            f"floats cannot distinguish; got {listed[:, 0].max():g}."
        )
    return dict(pairs)


def _as_float(number):
    """Return a real number as a float; never what is text."""
    number = number.item() if hasattr(number, "item") else number
    if not isinstance(number, (Real, Decimal)):
        raise TypeError
    return float(number)


def _make_gain(gain, negative, max_grade, batch):
    """Return a `Gain`; functions and mappings become tables of what occurs."""
    kept = "keep" if negative in (None, "raise") else negative
    if isinstance(gain, str):
        grade, what = max_grade, "max_grade"
        if gain == "exponential" and max_grade is None:
            grade, what = batch.max_grade, "the largest grade"
        if gain == "exponential" and grade > 1000:
            raise ValueError(
                f"gain='exponential' overflows above grade 1000; {what} is {grade:g}."
            )
        none_negative = negative is not None and batch.min_grade >= 0.0
        return Gain(gain, kept, none_negative)
    xp, grades = namespace(batch.scores), batch.distinct_grades
    if negative == "clip":
        grades = xp.unique(xp.maximum(grades, 0.0))
    if max_grade is not None:
        top = xp.asarray([max_grade], dtype=xp.float64, like=grades)
        grades = xp.unique(xp.concatenate([grades, top]))
    if not len(grades):  # nothing is judged, so nothing gains anything
        return Gain()
    gains = _call("gain", gain, grades) if callable(gain) else _look_up(gain, grades)
    if gains.shape != grades.shape or not xp.isfinite(gains).all():
        raise ValueError(
            "gain must return one finite number per grade; got an array of shape "
            f"{tuple(gains.shape)} for {tuple(grades.shape)} grades."
        )
    if negative == "clip":
        gains = xp.maximum(gains, 0.0)
    if negative == "raise" and gains.min() < 0.0:
        raise ValueError(
            "gain must not be negative with negative_grades='raise'; got "
            f"{float(gains.min()):g}. Set negative_grades='keep'."
        )
    table = to_numpy(xp.stack([grades, gains])).tobytes()
    made = Gain(table, kept, bool(gains.min() >= 0.0))
    if issparse(batch.scores):
        _check_gain_of_absent(made)
    return made


def _look_up(listed, grades):
    gains = [
        listed.get(grade, 0.0 if grade == 0 else None) for grade in grades.tolist()
    ]
    if None in gains:
        raise ValueError(
            f"gain must list every grade that occurs; it lists {list(listed)} but not "
            f"{float(grades[gains.index(None)])}."
        )
    return namespace(grades).asarray(gains, dtype=grades.dtype, like=grades)


def _call(name, function, values):
    """Return what a callable parameter makes of numbers, which it may overwrite."""
    xp = namespace(values)
    found = function(xp.copy(values))
    found = as_numbers(
        f"what {name} returns", found if is_tensor(found) else as_array(name, found)
    )
    return xp.asarray(found, dtype=xp.float64, like=values)


def _check_gain_of_absent(gain):
    nothing = float(gain.of(np.zeros(1))[0])
    if nothing > 0:
        raise ValueError(
            "gain must not be positive for grade 0 with sparse input, whose absent "
            f"documents have that grade; it is {nothing:g}."
        )


def _discount(name, value, batch):
    kinds = ("log", "jarvelin_kekalainen", "reciprocal")
    return value if callable(value) else check_option(name, value, kinds)


def _weights_of_ranks(discount, k, batch):
    """Return what a function makes of all ranks that count; refuse it if it rises."""
    longest = batch.max_length if k is None else min(k, batch.max_length)
    xp = namespace(batch.scores)
    ranks = xp.asarray(np.arange(1.0, longest + 1.0), like=batch.scores)
    weights = _call("discount", discount, ranks)
    if weights.shape != ranks.shape or not xp.isfinite(weights).all():
        raise ValueError(
            "discount must return one finite weight per rank; got an array of shape "
            f"{tuple(weights.shape)} for {len(ranks)} ranks."
        )
    rises = xp.flatnonzero(weights[1:] > weights[:-1])
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
    return to_numpy(weights).tobytes()


def _negative_grades(name, value, batch):
    check_option(name, value, ("raise", "clip", "keep", "minmax"))
    if value == "raise" and batch.min_grade < 0:
        raise ValueError(
            "y_true must not hold negative grades, since they have no place in an "
            f"ideal ranking; got {batch.min_grade:g}. Grades come before scores: "
            "(y_true, y_score). If these are grades, set negative_grades='clip', "
            "'keep' or 'minmax'."
        )
    return value


def _as_grade(value, batch):
    """Return a number as the type of the grades holds it, if it holds it.

    So a threshold of 0.7 is reached by a grade of 0.7 in float32, as NumPy has it.
    """
    grades = batch.grades
    xp = namespace(grades)
    if xp.kind(grades) != "f" or grades.dtype.itemsize > 4:
        return value
    with np.errstate(over="ignore"):
        rounded = float(xp.asarray([value], dtype=grades.dtype, like=grades)[0])
    return rounded if np.isfinite(rounded) and bool(rounded) == bool(value) else value


def _relevance_threshold(name, value, batch):
    return _as_grade(_FINITE(name, value, batch), batch)


def _relevant_class(label, options, batch):
    """Return what stands for a class label of documents in the place of a threshold."""
    grades, classes = batch.grades, batch.classes
    of_documents = not issparse(grades) and grades.ndim == batch.scores.ndim
    if not of_documents or DENSE_RANK in batch.marks:
        raise ValueError(
            "pos_label requires dense input, with a label per document that float64 "
            f"does not round; got {label!r}."
        )
    if {options["relevance_threshold"], options.get("max_grade")} != {None}:
        raise ValueError(
            "relevance_threshold and max_grade require grades in y_true; got "
            f"pos_label={label!r}."
        )
    found = range(len(classes)) if classes else np.unique(to_numpy(grades)).tolist()
    known = dict(zip(classes or found, found, strict=True))
    of_kind = isinstance(label, str | bytes if classes else Real | np.bool_)
    # A batch that holds one class may lack the relevant one.
    if not of_kind or (label not in known and batch.min_grade < batch.max_grade):
        raise ValueError(
            f"pos_label must be a class of y_true; got {label!r} for the classes "
            f"{[*known][:5]!r}."
        )
    return OfClass(known.get(label, np.nan))


def _max_grade(name, value, batch):
    grade = _as_grade(_POSITIVE(name, value, batch), batch)
    if batch.max_grade > grade:
        raise ValueError(
            f"{name} must be at least the largest grade of y_true, "
            f"{batch.max_grade:g}; got {value!r}."
        )
    return grade


def _shares(name, value, batch):
    if np.ndim(value) != 1 or not len(value):
        raise ValueError(
            f"{name} must be a non-empty list of numbers between 0 and 1; got "
            f"{value!r}."
        )
    return tuple(_UNIT(name, level, batch) for level in np.asarray(value).tolist())


_GAINS = "linear", "exponential"
_CHECKS = {
    "k": _k,
    "relevance_threshold": _optional(_relevance_threshold),
    "judged_only": _flag,
    "pos_label": lambda name, value, batch: value,
    "adaptive": _flag,
    "capped": _flag,
    "beta": _NOT_NEGATIVE,
    "alpha": _optional(_UNIT),
    "denominator": _option("relevant", "attainable", "k", "retrieved"),
    "gain": _gain,
    "discount": _discount,
    "log_base": _real(1.0, np.inf, "a finite number > 1"),
    "negative_grades": _negative_grades,
    "persistence": _real(0.0, 1.0, "strictly between 0 and 1"),
    "max_grade": _optional(_max_grade),
    "recall_level": _UNIT,
    "recall_levels": _shares,
    "grid": _shares,
    "recall_rounding": _option("ceil", "trec_eval9", "trec_eval10"),
    "miss_cost": _NOT_NEGATIVE,
    "false_alarm_cost": _NOT_NEGATIVE,
    "normalize": _flag,
    "variant": _option("a", "b"),
    "n_expected": lambda name, value, batch: float(check_count(name, value)),
}
# Variants of rank-biased overlap are not those of correlations.
_OF_OVERLAP = {"variant": _option("ext", "min", "residual")}
