"""The measures' own parameters: one check and one message per parameter name."""

from numbers import Real

import numpy as np

from sklearn_irmetrics._arrays.foreign import issparse
from sklearn_irmetrics._checks import (
    check_count,
    check_flag,
    check_option,
    check_positive,
    check_real,
)
from sklearn_irmetrics.metrics._ranking.gains import (
    OfClass,
    as_grade,
    make_discount,
    make_gain,
)


def check_parameters(parameters, batch):
    """Check a measure's parameters and return what its formula takes.

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
    if "beta" in parameters and "alpha" in parameters:
        checks = checks | _OF_F
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
    of_numbers = np.unique(grades[~np.isnan(grades)]).tolist()
    found = range(len(classes)) if classes else of_numbers
    known = dict(zip(classes or found, found, strict=True))
    of_kind = isinstance(label, str | bytes if classes else Real | np.bool_)
    if not known:  # all labels are missing
        of_kind = isinstance(label, str | bytes | Real | np.bool_)
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


def _check_beta(name, value):
    """Return the weight of recall in F; inf makes it recall."""
    if isinstance(value, Real) and value == np.inf:
        return np.inf
    return check_real(name, value, -5e-324, np.inf, "a number >= 0")


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
_OF_F = {"beta": (_check_beta,)}
_MAY_BE_NONE = {"k", "relevance_threshold", "alpha", "max_grade"}
# Checks that depend on the grades: functions of name, value and batch.
_OF_BATCH = {
    "max_grade": _max_grade,
    "n_expected": lambda name, value, batch: float(value),
    "relevance_threshold": lambda name, value, batch: as_grade(value, batch),
}
