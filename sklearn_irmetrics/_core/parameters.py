"""The measures' own parameters: one check and one message per parameter name."""

import sys
from numbers import Integral, Real

import numpy as np

from sklearn_irmetrics._core.foreign import issparse
from sklearn_irmetrics._core.gains import as_grade, make_discount, make_gain
from sklearn_irmetrics._core.values import OfClass

_LARGEST = sys.float_info.max
_NO_NUMBERS = bool, np.bool_, np.timedelta64  # despite their base classes
INTERVALS = ("auto", "t", "bca", "betting", "dirichlet")
TIES = ("average", "optimistic", "pessimistic", "stable")


def check_parameters(parameters, batch):
    """Check a measure's parameters and return what its kernel takes.

    Parameters
    ----------
    parameters : dict of str to object
        By public name.
    batch : RankingBatch
        The documents that they apply to.

    Returns
    -------
    dict of str to object
        Some combined: `log_base` goes into `discount`, `beta` into `alpha`,
        `negative_grades` into `gain`.
    """
    classes = getattr(batch, "classes", None)
    if classes is not None and parameters.get("pos_label") is None:
        raise TypeError(
            f"y_true must hold grades; got the labels {classes[:5]!r}. Pass the "
            "relevant one as pos_label, which measures of binary relevance take, or "
            "convert the labels to numbers."
        )
    checks = _CHECKS | _OF_OVERLAP if "persistence" in parameters else _CHECKS
    checked = {}
    for name, value in parameters.items():
        if value is not None or name not in _MAY_BE_NONE:
            if name in checks and not (name == "discount" and callable(value)):
                check, *rule = checks[name]
                value = check(name, value, *rule)
            if name in _OF_BATCH:
                value = _OF_BATCH[name](name, value, batch)
        checked[name] = value
    label = checked.pop("pos_label", None)
    if label is not None:
        checked["relevance_threshold"] = _relevant_class(label, checked, batch)
    k = checked.get("k")
    if checked.get("denominator") == "k" and k is None:
        raise ValueError("denominator='k' requires k; got k=None.")
    if "discount" in checked:
        checked["discount"] = make_discount(
            checked["discount"], checked.pop("log_base"), k, batch
        )
    if "gain" in checked:
        if checked.get("max_grade", 0.0) is None:
            raise ValueError("max_grade must be a positive, finite number; got None.")
        checked["gain"] = make_gain(
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


def check_real(name, value, low=-np.inf, high=np.inf, rule="a finite number"):
    """Return `value` as a float if it is a real number in the open range."""
    if type(value) is float and low < value < high:
        return value
    if isinstance(value, Real) and not isinstance(value, _NO_NUMBERS):
        # Compare as a float: float32 rounds the bounds, and float rounds fractions.
        try:
            number = float(value)
        except OverflowError:
            number = np.nan
        if low < number < high:
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


def check_confidence_level(value, name="confidence_level"):
    """Return `value` as a float if an interval can have that level."""
    return check_real(name, value, 0.0, 1.0, "strictly between 0 and 1")


def check_interval(confidence_level, kind):
    """Return the level of an interval over queries, if it and the kind are valid."""
    check_option("interval", kind, INTERVALS)
    return check_confidence_level(confidence_level)


def check_n_jobs(value):
    """Return `value` if joblib accepts it as a number of workers."""
    if value is None or (_is_integer(value) and value != 0):
        return value
    raise ValueError(f"n_jobs must be None or a non-zero integer; got {value!r}.")


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


def _relevant_class(label, options, batch):
    """Return the relevant class label in the form of a threshold."""
    grades, classes = batch.grades, batch.classes
    of_documents = not issparse(grades) and grades.ndim == batch.scores.ndim
    if not of_documents:
        raise ValueError(
            f"pos_label requires dense input, with a label per document; got {label!r}."
        )
    if {options["relevance_threshold"], options.get("max_grade")} != {None}:
        raise ValueError(
            "relevance_threshold and max_grade require grades in y_true; got "
            f"pos_label={label!r}."
        )
    found = range(len(classes)) if classes else np.unique(grades).tolist()
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
    grade = as_grade(value, batch)
    if batch.max_grade > grade:
        raise ValueError(
            f"{name} must be at least the largest grade of y_true, "
            f"{batch.max_grade:g}; got {value!r}."
        )
    return grade


def _check_shares(name, value):
    if np.ndim(value) != 1 or not len(value):
        raise ValueError(
            f"{name} must be a non-empty list of numbers between 0 and 1; got "
            f"{value!r}."
        )
    return tuple(check_real(name, one, *_UNIT) for one in np.asarray(value).tolist())


def _check_target(name, value):
    if isinstance(value, str):
        return check_option(name, value, ("relevant", "all"))
    shares = _check_shares(name, value)
    if abs(sum(shares) - 1.0) > 1e-6:
        raise ValueError(f"{name} must hold shares that sum to 1; got {value!r}.")
    return shares


_NOT_NEGATIVE = -5e-324, np.inf, "a finite number >= 0"
_UNIT = -5e-324, 1.0 + 1e-15, "between 0 and 1"
# By name: a function of name and value, and its further arguments.
_CHECKS = {
    "k": (check_count,),
    "relevance_threshold": (check_real,),
    "judged_only": (check_flag,),
    "adaptive": (check_flag,),
    "capped": (check_flag,),
    "beta": (check_real, *_NOT_NEGATIVE),
    "alpha": (check_real, *_UNIT),
    "denominator": (check_option, ("relevant", "attainable", "k", "retrieved")),
    "discount": (check_option, ("log", "jarvelin_kekalainen", "reciprocal")),
    "log_base": (check_real, 1.0, np.inf, "a finite number > 1"),
    "negative_grades": (check_option, ("raise", "clip", "keep", "minmax")),
    "persistence": (check_real, 0.0, 1.0, "strictly between 0 and 1"),
    "max_grade": (check_positive,),
    "recall_level": (check_real, *_UNIT),
    "recall_levels": (_check_shares,),
    "grid": (_check_shares,),
    "recall_rounding": (check_option, ("ceil", "trec_eval9", "trec_eval10")),
    "miss_cost": (check_real, *_NOT_NEGATIVE),
    "false_alarm_cost": (check_real, *_NOT_NEGATIVE),
    "normalize": (check_flag,),
    "variant": (check_option, ("a", "b")),
    "n_expected": (check_count,),
    "target": (_check_target,),
    "jsd_base": (check_real, 2.0 - 1e-15, np.inf, "a finite number >= 2"),
}
# Variants of rank-biased overlap are not those of correlations.
_OF_OVERLAP = {"variant": (check_option, ("ext", "min", "residual"))}
_MAY_BE_NONE = {"k", "relevance_threshold", "alpha", "max_grade"}
# Checks that depend on the grades: functions of name, value and batch.
_OF_BATCH = {
    "max_grade": _max_grade,
    "n_expected": lambda name, value, batch: float(value),
    "relevance_threshold": lambda name, value, batch: as_grade(value, batch),
}
