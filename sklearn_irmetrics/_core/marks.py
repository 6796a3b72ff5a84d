"""Marks: facts about documents that some metrics need, beside grade and score."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from sklearn_irmetrics._core.namespace import namespace
from sklearn_irmetrics._core.numbers import as_numbers


@dataclass(frozen=True)
class Mark:
    """What a mark says.

    Attributes
    ----------
    meaning : str
        What it tells of documents.
    boolean : bool
        Whether the values are booleans; otherwise they are finite numbers.
    low, high : float
        Ends of the range of numbers, which belong to it.
    columns : bool
        Whether a document has a row of numbers, not one.
    example : object
        What a document may have.
    """

    meaning: str
    boolean: bool = True
    low: float = -math.inf
    high: float = math.inf
    columns: bool = False
    example: object = 0


# By name, as functions call the parameter.
MARKS = {
    "known": Mark("which documents the user already knew"),
    "pooled": Mark("which documents were in the pool that was judged from"),
    "inverse_propensity": Mark(
        "1 / the probability that a relevant document was labelled",
        boolean=False,
        low=1.0,
        example=1.0,
    ),
    "popularity": Mark(
        "the share of all users who know the document",
        boolean=False,
        low=5e-324,
        high=1.0,
        example=1.0,
    ),
    "membership": Mark(
        "how far documents belong to each group, a column per group",
        boolean=False,
        low=0.0,
        columns=True,
        example=[0.0],
    ),
    "vectors": Mark(
        "what documents are like, a row of numbers for each",
        boolean=False,
        columns=True,
        example=[1.0],
    ),
}


# Of documents that the list in `y_true` does not hold; no parameter of any function.
ABSENT = "absent from y_true"


def check_marks(marks):
    """Return marks that were given, by name.

    Raises
    ------
    TypeError, ValueError
        If `marks` is no dict, or names a mark that there is not.
    """
    if marks is None:
        return {}
    if not isinstance(marks, Mapping):
        raise TypeError(
            "marks must be a dict from the name of a mark to one value per document, "
            f"or None; got {type(marks).__name__}."
        )
    unknown = [name for name in marks if name not in MARKS]
    if unknown:
        raise ValueError(
            f"marks must hold only {', '.join(map(repr, MARKS))}; got {unknown[0]!r}."
        )
    return {name: mark for name, mark in marks.items() if mark is not None}


def has_columns(name):
    """Whether a document has a row of numbers, not one."""
    return name in MARKS and MARKS[name].columns


def required_mark(documents, name):
    """Return the values of a mark that a measure cannot do without."""
    if name not in documents.marks:
        raise ValueError(
            f"{name} is required: {MARKS[name].meaning}; got None. Functions of one "
            f"measure take {name}=..., those of several measures take "
            f"marks={{{name!r}: ...}}."
        )
    return documents.marks[name]


def check_values(name, mark, grades):
    """Return an array of values of a mark as its type, one or a row per document."""
    facts = MARKS.get(name, Mark(""))
    mark = as_numbers(name, mark)
    if has_columns(name):
        _check_columns(name, mark, grades)
    elif mark.shape != grades.shape:
        raise ValueError(
            f"{name} must have the shape of y_true, {tuple(grades.shape)}; got "
            f"{tuple(mark.shape)}."
        )
    xp = namespace(mark)
    if not facts.boolean:
        mark = xp.astype(mark, xp.float64)
        if not xp.isfinite(mark).all():
            raise ValueError(f"{name} must hold finite numbers.")
        outside = (mark < facts.low) | (mark > facts.high)
        if outside.any():
            raise ValueError(
                f"{name} must lie between {facts.low:g} and {facts.high:g}, because it "
                f"is {facts.meaning}; got {float(mark[outside][0]):g}."
            )
        return mark
    other = (mark != 0) & (mark != 1)
    if other.any():
        classes = ""
        if name == "y_pred":
            classes = (
                " Name classes as labels, such as np.unique(y), or one as pos_label; "
                "get_scorer takes all that the classifier knows."
            )
        raise ValueError(
            f"{name} must hold booleans, or zeros and ones; got {mark[other][0]}."
            + classes
        )
    return xp.astype(mark, xp.bool)


def _check_columns(name, mark, grades):
    """Refuse a mark that has no row of numbers for each document."""
    fits = mark.ndim == grades.ndim + 1 and mark.shape[:-1] == grades.shape
    if not (fits and mark.shape[-1]):
        raise ValueError(
            f"{name} must have the shape of y_true and one more axis, "
            f"{(*grades.shape, 'n_columns')}; got {tuple(mark.shape)}."
        )
