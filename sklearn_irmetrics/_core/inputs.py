"""The door: every accepted form of input becomes one `Judgments`, checked once."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array, issparse

from sklearn_irmetrics._core.queries import group_rows

_COARSE = ("float16", "bfloat16")


@dataclass(frozen=True)
class Judgments:
    """Checked grades and scores of many queries, in one of three layouts.

    - *flat*: 1-D `grades` and `scores`; query ``i`` has the rows
      ``order[offsets[i]:offsets[i + 1]]`` (`order` None: the rows as they stand);
    - *dense*: 2-D `scores`, one row per query; `grades` is 2-D, CSR, or the number of
      the relevant column of each row (class labels);
    - *sparse*: CSR `grades` and `scores`.

    Attributes
    ----------
    query_ids : ndarray of shape (n_queries,)
        The ids, or 0, 1, ... where rows are queries.
    weights : ndarray of shape (n_queries,) or None
        One weight per query.
    max_length : int
        The largest number of documents of a query.
    marks : dict of str to array
        Boolean facts about documents, in the layout of `grades`.
    coarse : str or None
        The type of the scores where it has 16 bits, which make many of them equal.
    """

    grades: object
    scores: object
    query_ids: np.ndarray
    weights: np.ndarray | None
    max_length: int
    offsets: np.ndarray | None = None
    order: np.ndarray | None = None
    marks: dict = field(default_factory=dict)
    coarse: str | None = None

    @property
    def n_queries(self):
        """How many queries there are."""
        return len(self.query_ids)

    @property
    def min_grade(self):
        """The least grade of a judged document."""
        return self._grade_range[0]

    @property
    def max_grade(self):
        """The largest grade of a judged document."""
        return self._grade_range[1]

    @cached_property
    def _grade_range(self):
        if issparse(self.grades):
            low, high = _range(self.grades.data)
            return min(low, 0.0), max(high, 0.0)
        if self.grades.ndim < self.scores.ndim:  # class labels
            return 0.0, 1.0
        return _range(self.grades)


def check_judgments(
    y_true, y_score, *, qid=None, labels=None, sample_weight=None, marks=None
):
    """Check the arguments that all ranking measures share.

    Parameters
    ----------
    y_true, y_score : array-like or CSR
        Grades and scores; see `Judgments` for the forms.
    qid : array-like of shape (n_documents,) or None
        Query ids, for 1-D input.
    labels : array-like of shape (n_classes,) or None
        Classes of the columns of `y_score`, for 1-D class labels.
    sample_weight : array-like or None
        One weight per query; with 1-D input one per row, equal inside a query.
    marks : dict of str to array-like
        Boolean facts about documents, by parameter name.

    Returns
    -------
    Judgments

    Raises
    ------
    TypeError, ValueError
        Naming the parameter, the rule and the value.
    """
    marks = {name: mark for name, mark in (marks or {}).items() if mark is not None}
    grades = y_true if issparse(y_true) else _as_array("y_true", y_true)
    scores = _as_csr(y_score) if issparse(y_score) else _as_array("y_score", y_score)
    judgments = _check_arrays(grades, scores, qid, labels, sample_weight, marks)
    coarse = scores.dtype.name
    return replace(judgments, coarse=coarse) if coarse in _COARSE else judgments


def _check_arrays(grades, scores, qid, labels, sample_weight, marks):
    """Check what is an array by now, in whichever form."""
    if 1 == grades.ndim < scores.ndim:
        return _check_class_labels(grades, scores, qid, labels, sample_weight, marks)
    if labels is not None:
        raise ValueError(
            "labels goes with 1-D class labels in y_true and 2-D class scores in "
            f"y_score only; got {scores.ndim}-D y_score and {grades.ndim}-D y_true."
        )
    grades = _as_csr(grades) if issparse(grades) else _as_numbers("y_true", grades)
    if grades.shape != scores.shape:
        raise ValueError(
            "y_true and y_score must have the same shape; got "
            f"{grades.shape} and {scores.shape}."
        )
    if grades.ndim not in (1, 2) or 0 in grades.shape:
        raise ValueError(
            "y_true and y_score must be 1-D or 2-D and hold at least one document; "
            f"got shape {grades.shape}."
        )
    _refuse_infinite_grades(grades)
    scores = _check_scores(scores)
    marks = {name: _check_mark(name, m, grades.shape) for name, m in marks.items()}
    if grades.ndim == 1:
        return _flat(grades, scores, marks, qid, sample_weight)
    _refuse_qid(qid, grades.shape)
    if issparse(scores) and not issparse(grades):
        grades = csr_array(grades)
    if issparse(grades) and marks:
        raise ValueError(f"{', '.join(marks)} cannot be combined with sparse y_true.")
    return Judgments(
        grades,
        scores,
        np.arange(grades.shape[0]),
        check_weights(sample_weight, grades.shape[0], "query"),
        max_length=grades.shape[1],
        marks=marks,
    )


def _flat(grades, scores, marks, qid, sample_weight):
    """1-D input: rows grouped by id, or one ranking."""
    n_rows = len(grades)
    row_weights = check_weights(sample_weight, n_rows, "row")
    queries = group_rows(np.zeros(n_rows, np.int8) if qid is None else qid, n_rows)
    weights = None
    if row_weights is not None:
        weights = one_weight_per_query(row_weights, queries)
    lengths = queries.lengths
    longest = int(lengths.max())
    if queries.order is None and longest == lengths.min():
        shape = (len(lengths), longest)
        grades, scores = grades.reshape(shape), scores.reshape(shape)
        marks = {name: mark.reshape(shape) for name, mark in marks.items()}
        offsets = None
    else:
        offsets = queries.offsets
    return Judgments(
        grades,
        scores,
        queries.ids,
        weights,
        max_length=longest,
        offsets=offsets,
        order=queries.order,
        marks=marks,
    )


def _check_class_labels(y_true, scores, qid, labels, sample_weight, marks):
    """1-D class labels against 2-D class scores: every sample ranks the classes."""
    _refuse_qid(qid, scores.shape)
    if marks:
        raise ValueError(
            f"{', '.join(marks)} cannot be combined with class labels in y_true and "
            "class scores in y_score."
        )
    if issparse(scores):
        raise TypeError("y_score must be dense where y_true holds class labels.")
    if len(y_true) != len(scores) or 0 in scores.shape:
        raise ValueError(
            "y_true (class labels) and y_score (class scores) must have the same "
            f"length, at least 1; got {len(y_true)} and {scores.shape}."
        )
    try:
        column = _place_labels(y_true, labels, scores.shape[1])
    except TypeError as error:
        raise TypeError(
            f"y_true and labels must hold labels of one kind, to be sorted: {error}."
        ) from error
    return Judgments(
        column,
        _check_scores(scores),
        np.arange(len(y_true)),
        check_weights(sample_weight, len(y_true), "query"),
        max_length=scores.shape[1],
    )


def _place_labels(y_true, labels, n_columns):
    """Return the column of the class of each sample."""
    classes = np.unique(y_true) if labels is None else _as_array("labels", labels)
    if classes.shape != (n_columns,) or len(np.unique(classes)) < n_columns:
        raise ValueError(
            f"labels must name each of the {n_columns} columns of y_score once; got "
            f"{classes.tolist()!r}."
        )
    by_value = np.argsort(classes)
    place = np.searchsorted(classes, y_true, sorter=by_value)
    column = by_value[np.minimum(place, n_columns - 1)]
    unknown = np.asarray(classes[column] != y_true)
    if unknown.any():
        raise ValueError(
            "y_true must hold only classes named in labels; got "
            f"{y_true[unknown].tolist()[0]!r}."
        )
    return column


def _refuse_qid(qid, shape):
    if qid is not None:
        raise ValueError(
            "qid must be None with 2-D input, where each row is a query; "
            f"got shape {shape}. Pass 1-D y_true and y_score with qid."
        )


def _as_array(name, values):
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name} must not be a masked array; fill or drop its mask.")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must be a rectangular array: {error}.") from error
    if array.ndim == 0:
        raise ValueError(f"{name} must be 1-D or 2-D; got the scalar {values!r}.")
    if array.dtype.kind == "O" and hasattr(values, "to_numpy"):
        try:  # pandas' nullable numbers
            array = values.to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError):
            return array
    return array


def _as_numbers(name, array):
    """Return an array of booleans, integers or real floats."""
    if array.dtype.name == "bfloat16":  # of ml_dtypes; NumPy has none
        array = array.astype(np.float32)
    if array.dtype.kind == "O" and not any(
        issubclass(kind, (str, bytes)) for kind in set(map(type, array.flat))
    ):
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise TypeError(f"{name} must hold real numbers: {error}.") from error
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"{name} must hold real numbers; got an array of type {array.dtype}."
        )
    return array


def _as_csr(matrix):
    matrix = csr_array(matrix)
    if matrix.dtype.kind not in "biuf":
        raise TypeError(
            f"a sparse input must hold real numbers; got type {matrix.dtype}."
        )
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def _range(grades):
    """Return the least and the largest number that is not NaN, 0 and 0 for none."""
    if not grades.size:
        return 0.0, 0.0
    low, high = grades.min(), grades.max()
    if np.isnan(low):
        low, high = np.fmin.reduce(grades, None), np.fmax.reduce(grades, None)
    return float(np.nan_to_num(low)), float(np.nan_to_num(high))


def _refuse_infinite_grades(grades):
    stored = grades.data if issparse(grades) else grades
    if stored.dtype.kind != "f":
        return
    with np.errstate(over="ignore", invalid="ignore"):
        total = stored.sum()  # one pass; not finite if any grade is not
    if not np.isfinite(total) and np.isinf(stored).any():
        raise ValueError(
            "y_true must hold finite grades, or NaN for unjudged documents; got "
            f"{float(stored[np.isinf(stored)][0])}."
        )


def _check_scores(scores):
    """Return scores whose values a block can hold exactly as float32 or float64."""
    if issparse(scores):
        data = _check_scores(scores.data) if scores.nnz else np.zeros(0)
        return csr_array((data, scores.indices, scores.indptr), shape=scores.shape)
    scores = _as_numbers("y_score", scores)
    if scores.dtype.kind == "f" and np.isnan(scores.max()):
        row = np.argwhere(np.isnan(scores))[0].tolist()
        raise ValueError(
            f"y_score must not contain NaN; got one in row {row[0]}. "
            "Use -inf for a document that was not retrieved."
        )
    wide = scores.dtype.kind in "iu" and scores.dtype.itemsize == 8
    if wide and max(-int(scores.min()), int(scores.max())) <= 2**53:
        return scores
    if wide or scores.dtype.itemsize > 8:
        # Only their order matters, and float64 cannot hold it.
        ranks = np.unique(scores, return_inverse=True)[1].reshape(scores.shape)
        return np.where(np.isneginf(scores), -np.inf, ranks)
    return scores


def _check_mark(name, mark, shape):
    mark = _as_numbers(name, _as_array(name, mark))
    if mark.shape != shape:
        raise ValueError(
            f"{name} must have the shape of y_true, {shape}; got {mark.shape}."
        )
    if not ((mark == 0) | (mark == 1)).all():
        raise ValueError(f"{name} must hold booleans, or zeros and ones.")
    return mark.astype(bool)


def check_weights(sample_weight, length, unit):
    """Return weights as floats, one per `unit` (its name in messages), or None."""
    if sample_weight is None:
        return None
    weights = _as_numbers("sample_weight", _as_array("sample_weight", sample_weight))
    if weights.shape != (length,):
        raise ValueError(
            f"sample_weight must have one weight per {unit}, shape ({length},); "
            f"got {weights.shape}."
        )
    weights = weights.astype(np.float64)
    if not (np.isfinite(weights).all() and weights.min() >= 0 and weights.max() > 0):
        raise ValueError(
            "sample_weight must be finite, not negative and not all zero; got "
            f"values from {weights.min()} to {weights.max()}."
        )
    return weights


def one_weight_per_query(row_weights, queries):
    """Return the weight of each query; refuse weights that vary inside one."""
    if queries.order is not None:
        row_weights = row_weights[queries.order]
    weights = row_weights[queries.offsets[:-1]]
    varying = row_weights != np.repeat(weights, queries.lengths)
    if varying.any():
        query = np.searchsorted(queries.offsets, np.argmax(varying), side="right") - 1
        raise ValueError(
            "sample_weight must be constant inside a query; it varies in query "
            f"{queries.ids[[query]].tolist()[0]!r}."
        )
    return weights
