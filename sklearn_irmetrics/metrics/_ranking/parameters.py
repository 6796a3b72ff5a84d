"""The measures' own parameters: what formulas state, and what documents decide."""

from decimal import Decimal
from functools import partial
from numbers import Integral, Real

import numpy as np

from sklearn_irmetrics._arrays.numbers import as_array, as_numbers, issparse
from sklearn_irmetrics._checks import (
    check_count,
    check_flag,
    check_option,
    check_positive,
    check_real,
    check_share,
)
from sklearn_irmetrics.metrics._ranking.gains import GradeGain, OfClass, RankDiscount


def rules(**checks):
    """State how parameters of a formula are checked, beside it.

    Each check takes the name of the parameter and its value, and returns the value that
    the formula gets. `k`, what makes documents relevant, gains and discounts have the
    same rules everywhere; see `check_parameters`. `epsilon` and `replace_undefined_by`
    are not the formula's: their rules hold where its values are averaged.
    """

    def add(formula):
        formula.rules = checks
        return formula

    return add


def one_of(*options):
    """Return the rule of a parameter that is one of some words."""
    return partial(check_option, options=options)


def check_by_rules(formula, parameters):
    """Return parameters as their rules beside the formula require."""
    checks = getattr(formula, "rules", None)
    if checks is None:
        return dict(parameters)
    return {
        name: checks[name](name, value) if name in checks else value
        for name, value in parameters.items()
    }


def check_parameters(formula, parameters, batch):
    """Check a measure's parameters and return what its formula takes.

    Parameters
    ----------
    formula : callable
        With its `rules`.
    parameters : dict of str to object
        By public name.
    batch : RankingBatch
        The documents that they apply to.

    Returns
    -------
    dict of str to object
        Some combined: `pos_label` goes into `relevance_threshold`, `log_base` into
        `discount`, `negative_grades` into `gain`.
    """
    if parameters.get("pos_label") is None:
        refuse_class_labels(batch)
    checked = check_by_rules(formula, parameters)
    if checked.get("k") is not None:
        checked["k"] = check_count("k", checked["k"])
    if "judged_only" in checked:
        checked["judged_only"] = check_flag("judged_only", checked["judged_only"])
    max_grade = checked.get("max_grade")
    if max_grade is not None:
        max_grade = checked["max_grade"] = _check_max_grade(max_grade, batch)
    if "relevance_threshold" in checked:
        checked["relevance_threshold"] = check_relevance(
            checked["relevance_threshold"],
            checked.pop("pos_label", None),
            batch,
            max_grade=max_grade,
        )
    if "discount" in checked:
        checked["discount"] = make_discount(
            checked["discount"], checked.pop("log_base"), checked.get("k"), batch
        )
    if "gain" in checked:
        negative_grades = checked.pop("negative_grades", None)
        checked["gain"] = make_gain(checked["gain"], negative_grades, max_grade, batch)
    return checked


def refuse_class_labels(batch):
    """Refuse labels that are strings where none of them is said to be relevant."""
    if batch.classes is not None:
        raise TypeError(
            f"y_true must hold grades; got the labels {batch.classes[:5]!r}. Pass the "
            "relevant one as pos_label, in the name of a measure as in "
            f'"ap(pos_label={batch.classes[-1]!r})", or convert labels to numbers.'
        )


def check_relevance(relevance_threshold, pos_label, batch, *, max_grade=None):
    """Return the threshold, or the relevant class, that `Relevant` takes.

    Parameters
    ----------
    relevance_threshold, pos_label : object
        As measures take them.
    batch : RankingBatch
        The documents.
    max_grade : float or None
        That of the measure, which grades need and labels lack.
    """
    if relevance_threshold is not None:
        threshold = check_real("relevance_threshold", relevance_threshold)
        relevance_threshold = as_grade(threshold, batch)
    if pos_label is None:
        refuse_class_labels(batch)
        return relevance_threshold
    if relevance_threshold is not None or max_grade is not None:
        raise ValueError(
            "relevance_threshold and max_grade require grades in y_true; got "
            f"pos_label={pos_label!r}."
        )
    return _relevant_class(pos_label, batch)


def _relevant_class(label, batch):
    """Return the relevant class label in the form of a threshold."""
    grades, classes = batch.grades, batch.classes
    if issparse(grades):
        raise ValueError(
            f"pos_label requires dense input, with a label per document; got {label!r}."
        )
    present = np.unique(grades[~np.isnan(grades)]).tolist()
    if classes:
        number_of = {name: number for number, name in enumerate(classes)}
        kinds = str | bytes
    else:
        number_of = dict(zip(present, present, strict=True))
        # If all labels are missing, they may be of any kind.
        kinds = Real | np.bool_ if present else str | bytes | Real | np.bool_
    # A batch that holds one class may lack the relevant one.
    has_others = batch.min_grade < batch.max_grade
    if not isinstance(label, kinds) or (label not in number_of and has_others):
        raise ValueError(
            f"pos_label must be a class of y_true; got {label!r} for the classes "
            f"{[*number_of][:5]!r}."
        )
    return OfClass(number_of.get(label, np.nan))


def _check_max_grade(max_grade, batch):
    grade = as_grade(check_positive("max_grade", max_grade), batch)
    if batch.max_grade > grade:
        raise ValueError(
            "max_grade must be at least the largest grade of y_true, "
            f"{batch.max_grade:g}; got {max_grade!r}."
        )
    return grade


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


def make_gain(gain, negative_grades, max_grade, batch):
    """Return a `GradeGain`; functions and mappings become tables of occurring grades.

    Parameters
    ----------
    gain : str, callable or mapping
        As the measure takes it.
    negative_grades : str or None
        The same; None: the measure has no such parameter and keeps negative grades.
    max_grade : float or None
        The largest grade there may be; None: the largest there is.
    batch : RankingBatch
        The documents.
    """
    if negative_grades == "raise" and batch.min_grade < 0:
        raise ValueError(
            "y_true must not hold negative grades, since they have no place in an "
            f"ideal ranking; got {batch.min_grade:g}. Grades come before scores: "
            "(y_true, y_score). If these are grades, set negative_grades='clip', "
            "'keep' or 'minmax'."
        )
    if not (isinstance(gain, str) and gain in ("linear", "exponential")):
        return _tabulate(gain, negative_grades, max_grade, batch)
    if gain == "exponential":
        _refuse_overflow(max_grade, batch)
    kept = _kept(negative_grades)
    may_be_negative = kept != "clip" and batch.min_grade < 0.0
    return GradeGain(gain, kept, may_be_negative=may_be_negative)


def _kept(negative_grades):
    """Return the treatment of negative grades that have not been refused."""
    return "keep" if negative_grades in (None, "raise") else negative_grades


def _refuse_overflow(max_grade, batch):
    """Refuse grades whose exponential gains are too large."""
    grade, what = max_grade, "max_grade"
    if max_grade is None:
        grade, what = batch.max_grade, "the largest grade"
    if grade > 1000:
        raise ValueError(
            f"gain='exponential' overflows above grade 1000; {what} is {grade:g}."
        )


def _tabulate(gain, negative_grades, max_grade, batch):
    """Return a `GradeGain` that lists the grades that occur and what each gains."""
    kept = _kept(negative_grades)
    grades = batch.distinct_grades
    if max_grade is not None:
        grades = np.unique(np.append(grades, max_grade))
    if kept == "clip":
        grades = np.unique(np.maximum(grades, 0.0))
    gains_of = gain if callable(gain) else _as_table(gain, batch)
    if not len(grades):  # nothing is judged, so nothing gains anything
        return GradeGain()
    look_up = _call if callable(gain) else _look_up
    gains = look_up("gain", gains_of, grades)
    if gains.shape != grades.shape or not np.isfinite(gains).all():
        raise ValueError(
            "gain must return one finite number per grade; got an array of shape "
            f"{tuple(gains.shape)} for {tuple(grades.shape)} grades."
        )
    if kept == "clip":
        gains = np.maximum(gains, 0.0)
    least = float(gains.min())
    if negative_grades == "raise" and least < 0.0:
        raise ValueError(
            "gain must not be negative with negative_grades='raise'; got "
            f"{least:g}. Set negative_grades='keep'."
        )
    table = np.stack([grades, gains]).tobytes()
    tabulated = GradeGain("table", kept, table, may_be_negative=least < 0.0)
    if batch.sparse:
        of_absent = float(tabulated.of_grades(np.zeros(1))[0])
        if of_absent > 0:
            raise ValueError(
                "gain must not be positive for grade 0 with sparse input, whose absent "
                f"documents have that grade; it is {of_absent:g}."
            )
    return tabulated


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
    numbers = function(values.copy())
    numbers = as_numbers(f"the result of {name}", as_array(name, numbers))
    return numbers.astype(np.float64)


_DISCOUNTS = "log", "jarvelin_kekalainen", "reciprocal"


def make_discount(discount, log_base, k, batch):
    """Return a `RankDiscount`; of a function, the weights of all ranks that count."""
    log_base = check_real("log_base", log_base, 1.0, np.inf, "a finite number > 1")
    if not callable(discount):
        check_option("discount", discount, _DISCOUNTS)
        return RankDiscount(discount, log_base)
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
    return RankDiscount("table", log_base, weights.tobytes())


def check_shares(name, value):
    """Return a non-empty list of numbers between 0 and 1 as a tuple."""
    if np.ndim(value) != 1 or not len(value):
        raise ValueError(
            f"{name} must be a non-empty list of numbers between 0 and 1; got "
            f"{value!r}."
        )
    return tuple(check_share(name, share) for share in np.asarray(value).tolist())


def check_beta(name, value):
    """Return the weight of recall in F; inf makes it recall."""
    if isinstance(value, Real) and value == np.inf:
        return np.inf
    return check_real(name, value, 0.0, np.inf, "a number >= 0", "left")


def check_max_fpr(name, value):
    """Return a false positive rate above 0, or None."""
    if value is None:
        return None
    return check_real(name, value, 0.0, 1.0, "above 0 and at most 1, or None", "right")


def check_optional_share(name, value):
    """Return a number between 0 and 1, or None."""
    return None if value is None else check_share(name, value)
