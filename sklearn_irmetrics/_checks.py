"""Checks of arguments, with one message each, for all functions."""

import reprlib
import sys
from contextlib import contextmanager, nullcontext
from numbers import Integral, Real

import numpy as np

_LARGEST = sys.float_info.max
_NO_NUMBERS = bool, np.bool_, np.timedelta64  # despite their base classes
INTERVALS = ("auto", "t", "bca", "betting")
TIES = ("average", "optimistic", "pessimistic", "stable")


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


def check_text(name, value):
    """Refuse what is neither a string nor None."""
    if not (value is None or isinstance(value, str)):
        raise TypeError(f"{name} must be a string or None; got {value!r}.")


def check_real(
    name, value, low=-np.inf, high=np.inf, rule="a finite number", closed="neither"
):
    """Return `value` as a float if it is a real number in a range.

    `closed` names the ends that belong to the range: "neither", "left", "right" or
    "both".
    """
    if type(value) is float and low < value < high:
        return value
    if isinstance(value, Real) and not isinstance(value, _NO_NUMBERS):
        # Compare as a float: float32 rounds the bounds, and float rounds fractions.
        try:
            number = float(value)
        except OverflowError:
            number = np.nan
        is_end = closed in ("left", "both") and number == low
        is_end = is_end or (closed in ("right", "both") and number == high)
        if low < number < high or is_end:
            return number
    raise ValueError(f"{name} must be {rule}; got {value!r}.")


def check_count(name, value, least=1, most=np.inf):
    """Return `value` as an int if it is a whole number in the closed range."""
    if type(value) is int and least <= value <= min(most, 2**53):
        return value
    rule = f">= {least}" if most == np.inf else f"from {least} to {most}"
    if _is_integer(value) and value > _LARGEST:  # and perhaps too long to print
        raise ValueError(f"{name} must be an integer {rule} that a float can hold.")
    if not _is_integer(value) or not least <= value <= most:
        raise ValueError(f"{name} must be an integer {rule}; got {value!r}.")
    return int(value)


def check_positive(name, value):
    """Return `value` as a float if it is a positive, finite number."""
    return check_real(name, value, 0.0, np.inf, "a positive, finite number")


def check_not_negative(name, value):
    """Return `value` as a float if it is a finite number of at least 0."""
    return check_real(name, value, 0.0, np.inf, "a finite number >= 0", "left")


def check_share(name, value):
    """Return `value` as a float if it is between 0 and 1, or one of them."""
    return check_real(name, value, 0.0, 1.0, "between 0 and 1", "both")


def check_inner_share(name, value):
    """Return `value` as a float if it is between 0 and 1, and neither of them."""
    return check_real(name, value, 0.0, 1.0, "strictly between 0 and 1")


def check_confidence_level(value, name="confidence_level"):
    """Return `value` as a float if an interval can have that level."""
    return check_inner_share(name, value)


def check_interval(confidence_level, kind):
    """Return the level of an interval over queries, if it and the kind are valid."""
    check_option("interval", kind, INTERVALS)
    return check_confidence_level(confidence_level)


def check_n_jobs(value):
    """Return `value` if joblib accepts it as a number of workers."""
    if value is None or (_is_integer(value) and value != 0):
        return value
    raise ValueError(f"n_jobs must be None or a non-zero integer; got {value!r}.")


def check_qid_source(qid, *, words="", where_ids_go="to split"):
    """Return where query ids come from: a column of X, a callable or None.

    Parameters
    ----------
    qid : object
        What was given.
    words : str, default=""
        Strings with a meaning of their own, for the message.
    where_ids_go : str, default="to split"
        How ids are passed, for those who gave them here.
    """
    if isinstance(qid, bool) or not (
        qid is None or isinstance(qid, str | Integral) or callable(qid)
    ):
        raise TypeError(
            f"qid must be {words}a column of X (name or position), a callable or None; "
            f"got {reprlib.repr(qid)}. Pass the ids themselves {where_ids_go}."
        )
    return qid


def check_seed(random_state):
    """Return a seed: an integer unchanged, otherwise one that is drawn."""
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


@contextmanager
def add_note_to_errors(note):
    """Add a note to errors that are raised inside."""
    try:
        yield
    except Exception as error:
        error.add_note(note)
        raise


def add_estimator_to_errors(name):
    """Add the name of the estimator to errors; None: there is only one."""
    if name is None:
        return nullcontext()
    return add_note_to_errors(f"This happened with the estimator {name!r}.")


def refuse_names_alike(name, systems):
    """Refuse names of systems that look the same in tables and plots."""
    if len(set(map(str, systems))) < len(systems):
        raise ValueError(
            f"{name} must have names that differ as strings; got {[*systems]}."
        )
