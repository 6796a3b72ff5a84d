"""What measures know of documents besides a grade: marks, grades by subtopic."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sklearn_irmetrics._arrays.numbers import as_array, as_numbers, issparse


@dataclass(frozen=True)
class Mark:
    """The description of a mark.

    Attributes
    ----------
    meaning : str
        What it says about documents.
    boolean : bool
        Whether the values are booleans; otherwise they are finite numbers.
    low, high : float
        The range of the numbers.
    closed : {"both", "right"}
        Which ends belong to the range, as in `check_real`.
    columns : bool
        Whether a document has a row of numbers instead of one.
    of_query : bool
        Whether all documents of a query have the same. One row for all queries is then
        an argument of measures.
    example : object
        A valid value for one document.
    """

    meaning: str
    boolean: bool = True
    low: float = -math.inf
    high: float = math.inf
    closed: str = "both"
    columns: bool = False
    of_query: bool = False
    example: object = 0


# By name, as functions call the parameter.
MARKS = {
    "known": Mark("which documents the user already knew"),
    "pooled": Mark("which documents were in the pool that judgments came from"),
    "inverse_propensity": Mark(
        "1 / the probability that a relevant document was labelled",
        boolean=False,
        low=1.0,
        example=1.0,
    ),
    "popularity": Mark(
        "the share of all users who know the document",
        boolean=False,
        low=0.0,
        high=1.0,
        closed="right",
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
        "the features of each document, a row of numbers",
        boolean=False,
        columns=True,
        example=[1.0],
    ),
    "subtopic_weight": Mark(
        "how much each subtopic of the query counts, a column per subtopic",
        boolean=False,
        low=0.0,
        columns=True,
        of_query=True,
        example=[1.0],
    ),
}


# Marks documents that the list in `y_true` does not hold; not a public parameter.
ABSENT = "absent from y_true"


def check_marks(marks):
    """Return marks that were given, by name.

    Raises
    ------
    TypeError, ValueError
        If `marks` is not a dict, or names an unknown mark.
    """
    if marks is None:
        return {}
    if not isinstance(marks, Mapping):
        raise TypeError(
            "marks must be a dict from names of marks to one value per document, or "
            f"None; got {type(marks).__name__}."
        )
    for name in marks:
        if name not in MARKS:
            raise ValueError(
                f"marks must hold only {', '.join(map(repr, MARKS))}; got {name!r}."
            )
    return {name: mark for name, mark in marks.items() if mark is not None}


def is_of_query(name):
    """Whether all documents of a query have the same value of a mark."""
    return name in MARKS and MARKS[name].of_query


def is_per_document(name, values):
    """Whether an argument of a measure is a mark, with a value for each document."""
    return name in MARKS and not (is_of_query(name) and np.ndim(values) < 2)


def has_columns(name):
    """Whether a document has a row of numbers instead of one."""
    return name in MARKS and MARKS[name].columns


def required_mark(documents, name):
    """Return the values of a mark that a measure requires."""
    if name not in documents.marks:
        raise ValueError(
            f"{name} is required: {MARKS[name].meaning}; got None. Functions of one "
            f"measure take {name}=..., those of several measures take "
            f"marks={{{name!r}: ...}}, and evaluate takes params={{{name!r}: ...}}."
        )
    return documents.marks[name]


def check_values(name, mark, grades):
    """Return the values of a mark in its type, one value or row per document."""
    facts = MARKS.get(name, Mark(""))
    mark = as_numbers(name, mark)
    if has_columns(name):
        fits = mark.ndim == grades.ndim + 1 and mark.shape[:-1] == grades.shape
        if not (fits and mark.shape[-1]):
            raise ValueError(
                f"{name} must have the shape of y_true and one more axis, "
                f"{(*grades.shape, 'n_columns')}; got {tuple(mark.shape)}."
            )
    elif mark.shape != grades.shape:
        raise ValueError(
            f"{name} must have the shape of y_true, {tuple(grades.shape)}; got "
            f"{tuple(mark.shape)}."
        )
    if not facts.boolean:
        mark = mark.astype(np.float64)
        if not np.isfinite(mark).all():
            raise ValueError(f"{name} must hold finite numbers.")
        outside = (mark < facts.low) | (mark > facts.high)
        limits = f"lie between {facts.low:g} and {facts.high:g}"
        if facts.closed == "right":
            outside |= mark == facts.low
            limits = f"be above {facts.low:g} and at most {facts.high:g}"
            limits += " for every document"
        if outside.any():
            raise ValueError(
                f"{name} must {limits}, because it is {facts.meaning}; got "
                f"{float(mark[outside][0]):g}."
            )
        return mark
    other = (mark != 0) & (mark != 1)
    if other.any():
        classes = ""
        if name == "y_pred":
            classes = (
                " Pass classes as labels, such as np.unique(y), or one as pos_label; "
                "scorers of get_scorer use all classes of the classifier."
            )
        raise ValueError(
            f"{name} must hold booleans, or zeros and ones; got {mark[other][0]}."
            + classes
        )
    return mark.astype(bool)


def split_weights(subtopic_weight):
    """Return weights of subtopics as one per column, and as a mark of documents."""
    is_sparse = issparse(subtopic_weight)  # NumPy gives it no dimension
    if subtopic_weight is None or not is_sparse and np.ndim(subtopic_weight) < 2:
        return subtopic_weight, None
    return None, subtopic_weight


def check_subtopic_weight(name, value):
    """Return a weight per subtopic as a tuple, None for equal ones.

    Those of each document are a mark.
    """
    if value is None:
        return None
    weights = as_numbers(name, as_array(name, value)).astype(np.float64)
    if weights.ndim != 1:
        raise ValueError(
            f"{name} must have one weight per subtopic in a measure; got shape "
            f"{weights.shape}. Pass weights that differ between queries as "
            f"marks={{{name!r}: ...}} or params={{{name!r}: ...}}, with a row for each "
            "document."
        )
    if not (np.isfinite(weights).all() and (weights >= 0.0).all() and weights.any()):
        raise ValueError(
            f"{name} must be finite, non-negative and not all zero; got {value!r}."
        )
    return tuple(weights.tolist())


# The mark of grades by subtopic, along one more axis than documents have.
SUBTOPICS = "grades of subtopics"


def check_subtopic_shapes(grades, scores):
    """Refuse grades without a column per subtopic, and scores that do not fit them."""
    if issparse(grades) or issparse(scores):
        raise TypeError(
            "y_true and y_score must be dense where y_true has a column per subtopic; "
            "got a sparse matrix. Use its toarray()."
        )
    if scores.ndim != 1:
        raise ValueError(
            "y_score must be 1-D, one score per document, where y_true has a column "
            f"per subtopic; got shape {tuple(scores.shape)}. Fit the estimator to one "
            "grade per document, or add up the columns that it predicts."
        )
    if grades.ndim != 2 or 0 in grades.shape or len(grades) != len(scores):
        raise ValueError(
            "y_true must have the shape (n_documents, n_subtopics), a row for each of "
            f"the {len(scores)} documents of y_score; got {tuple(grades.shape)}."
        )


def largest_grades(topics, name="y_true"):
    """Return the largest grade of each document over the subtopics, NaN for none.

    `name` is the name of the grades in errors.
    """
    topics = as_numbers(name, as_array(name, topics))
    largest = topics[:, 0]
    for column in range(1, topics.shape[1]):
        other = topics[:, column]
        better = (other > largest) | (largest != largest)
        largest = np.where(better, other, largest)
    return largest
