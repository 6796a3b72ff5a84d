"""Grades of documents by the subtopics of their query."""

import numpy as np

from sklearn_irmetrics._core.foreign import issparse
from sklearn_irmetrics._core.numbers import as_array, as_numbers

# The mark of grades by subtopic, along one more axis than documents have.
SUBTOPICS = "grades of subtopics"


def check(grades, scores, labels):
    """Refuse grades without a column per subtopic, and scores that do not fit them."""
    if labels is not None:
        raise ValueError("labels must be None with grades of subtopics in y_true.")
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
