"""The measures' own parameters: what formulas state, and what documents decide."""

from functools import partial
from numbers import Real

import numpy as np

from sklearn_irmetrics._arrays.numbers import issparse
from sklearn_irmetrics._checks import (
    check_count,
    check_flag,
    check_option,
    check_positive,
    check_real,
    check_share,
)
from sklearn_irmetrics.metrics._ranking.gains import (
    OfClass,
    as_grade,
    make_discount,
    make_gain,
)


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
            "relevant one as pos_label, which measures of binary relevance take, or "
            "convert the labels to numbers."
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
