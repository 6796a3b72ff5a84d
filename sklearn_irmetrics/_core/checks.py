"""Checks of single arrays: grades, scores, weights."""

import math

import numpy as np

from sklearn_irmetrics._core.arrays import value_range
from sklearn_irmetrics._core.foreign import issparse, to_numpy
from sklearn_irmetrics._core.numbers import (
    as_array,
    as_numbers,
    as_objects,
    check_exact,
    keep_apart,
    refuse_large,
)


def to_array(name, values):
    """Return an array, or CSR if `values` is sparse."""
    try:
        values = to_numpy(values)
    except TypeError as error:  # such as sparse tensors, or floats of 8 bits
        raise TypeError(f"{name} must be of a type that NumPy has: {error}.") from error
    if type(values) is np.ndarray and values.dtype.kind in "biuf" and values.ndim:
        return values
    if issparse(values):
        return as_csr(values)
    array = as_array(name, values)
    if array.ndim == 0:
        raise ValueError(f"{name} must be 1-D or 2-D; got the scalar {values!r}.")
    if array.dtype.kind == "O" and hasattr(values, "to_numpy"):
        return as_objects(values)
    return array


def as_csr(matrix):
    """Return a sparse matrix of real numbers as CSR without duplicates."""
    if matrix.ndim != 2:
        raise ValueError(f"a sparse input must be 2-D; got shape {matrix.shape}.")
    from scipy.sparse import csr_array

    matrix = csr_array(matrix)
    if matrix.dtype.kind not in "biuf":
        raise TypeError(
            f"a sparse input must hold real numbers; got type {matrix.dtype}."
        )
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def check_grades(grades):
    """Return the grades, the smallest and the largest; refuse infinite ones."""
    sparse = issparse(grades)
    stored = grades.data if sparse else grades
    low, high = value_range(stored)
    if np.inf in (-low, high):
        raise ValueError(
            "y_true must hold finite grades, or NaN for unjudged documents; got "
            f"{float(stored[np.isinf(stored)][0])}."
        )
    if sparse:  # absent grades are 0
        low, high = min(low, 0.0), max(high, 0.0)
    if stored.dtype.kind in "iu":
        refuse_large("y_true", max(-low, high))
    return grades, low, high


def check_scores(scores):
    """Return scores whose values a block can hold exactly as float32 or float64."""
    if issparse(scores):
        data = check_scores(scores.data) if scores.nnz else np.zeros(0)
        from scipy.sparse import csr_array

        return csr_array((data, scores.indices, scores.indptr), shape=scores.shape)
    try:
        scores = as_numbers("y_score", scores)
    except TypeError as error:
        error.add_note("Pass predicted labels as y_pred, as score_queries(y_pred=...).")
        raise
    if scores.dtype.kind != "f":
        check_exact("y_score", scores)
    elif np.isnan(scores.max()):
        row = np.argwhere(np.isnan(scores))[0].tolist()
        raise ValueError(
            f"y_score must not contain NaN; got one in row {row[0]}. "
            "Use -inf for a document that was not retrieved."
        )
    return scores


def holds_text(values):
    """Whether labels are strings, which are never grades."""
    if issparse(values):
        return False
    array = as_array("y_true", values)
    if array.dtype.kind in "biuf":
        return False
    return array.dtype.kind in "US" or any(
        isinstance(label, str | bytes) for label in array.flat
    )


def number_text(y_true):
    """Return labels that are strings as numbers, and the classes; keep other labels.

    Missing labels become NaN.
    """
    if not holds_text(y_true):
        return y_true, None
    objects, numbers = y_true.astype(object), np.full(y_true.shape, np.nan)
    try:
        present = (objects == objects) & np.not_equal(objects, None)
        classes, numbers[present] = np.unique(objects[present], return_inverse=True)
    except TypeError as error:
        raise TypeError(f"y_true must hold labels of one kind: {error}.") from error
    return numbers, classes.tolist()


def place_labels(y_true, labels, n_columns):
    """Return the column of each sample's class."""
    try:
        return _place_labels(y_true, labels, n_columns)
    except (TypeError, ArithmeticError) as error:
        raise TypeError(
            "y_true and labels must hold labels of one kind that can be sorted: "
            f"{error}."
        ) from error


def _place_labels(y_true, labels, n_columns):
    if labels is None:
        classes = np.unique(y_true)
        if n_columns == 2:
            raise ValueError(
                f"y_score must be 1-D if y_true holds two classes; got {len(y_true)} "
                "rows of 2. Pass the scores of the positive class, y_score[:, 1], or "
                "add labels= to let each sample rank the two classes."
            )
    else:
        classes = to_array("labels", labels)
        classes, y_true = keep_apart("y_true and labels", classes, y_true)
    if classes.shape != (n_columns,) or len(np.unique(classes)) < n_columns:
        raise ValueError(
            f"labels must name each of the {n_columns} columns of y_score once; got "
            f"{classes.tolist()!r}."
        )
    by_value = np.argsort(classes)
    place = np.searchsorted(classes, y_true, sorter=by_value)
    column = by_value[np.minimum(place, n_columns - 1)]
    unknown = classes[column] != y_true
    if unknown.any():
        raise ValueError(
            "y_true must hold only classes named in labels; got "
            f"{y_true[unknown].tolist()[0]!r}."
        )
    return column


def check_document_weights(sample_weight, documents):
    """Return the weights of the documents of one set as floats, or None."""
    n_documents = math.prod(documents.shape)
    return check_weights(sample_weight, n_documents, "row")


def check_weights(sample_weight, length, unit):
    """Return weights as floats, one per `unit` (its name in messages), or None."""
    if sample_weight is None:
        return None
    weights = to_array("sample_weight", sample_weight)
    weights = as_numbers("sample_weight", weights)
    if weights.shape != (length,):
        raise ValueError(
            f"sample_weight must have one weight per {unit}, shape ({length},); "
            f"got {tuple(weights.shape)}."
        )
    weights = weights.astype(np.float64)
    low, high = weights.min(), weights.max()
    if not (np.isfinite(weights).all() and low >= 0 and high > 0):
        raise ValueError(
            "sample_weight must be finite, non-negative and not all zero; got "
            f"values from {low} to {high}."
        )
    if not 1e-100 < high < 1e100:  # otherwise sums of squares may overflow
        raise ValueError(
            "sample_weight must have a largest value between 1e-100 and 1e100; got "
            f"{high}. Only the proportions of weights matter."
        )
    return weights


def one_weight_per_query(row_weights, queries):
    """Return the weight of each query; refuse weights that vary inside one."""
    if queries.order is not None:
        row_weights = row_weights[queries.order]
    weights = row_weights[queries.offsets[:-1]]
    varying = row_weights != np.repeat(weights, queries.lengths)
    if varying.any():
        row = np.flatnonzero(varying)[:1]
        query = int(np.searchsorted(queries.offsets, row, side="right")[0]) - 1
        raise ValueError(
            "sample_weight must be constant inside a query; it varies in query "
            f"{queries.ids[[query]].tolist()[0]!r}."
        )
    return weights
