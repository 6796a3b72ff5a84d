"""Marks: facts about documents that some metrics need, beside grade and score."""

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
        Of a document that has it.
    boolean : bool
        Whether the values are booleans; otherwise they are finite numbers.
    """

    meaning: str
    boolean: bool = True


# By name, as functions call the parameter.
MARKS = {
    "known": Mark("the user knew the document before the search"),
    "pooled": Mark("the document was in the pool that was judged from"),
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


def check_values(name, mark, grades):
    """Return an array of values of a mark as its type, one per document."""
    facts = MARKS.get(name, Mark(""))
    mark = as_numbers(name, mark)
    if mark.shape != grades.shape:
        raise ValueError(
            f"{name} must have the shape of y_true, {tuple(grades.shape)}; got "
            f"{tuple(mark.shape)}."
        )
    xp = namespace(mark)
    if not facts.boolean:
        if not xp.isfinite(mark).all():
            raise ValueError(f"{name} must hold finite numbers.")
        return xp.astype(mark, xp.float64)
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
