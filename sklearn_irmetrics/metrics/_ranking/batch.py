"""Check every accepted form of input once, and make a `RankingBatch` of it."""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from sklearn_irmetrics._arrays.labels import check_column_order, check_row_order
from sklearn_irmetrics._arrays.numbers import (
    EXACT,
    as_array,
    as_numbers,
    as_objects,
    check_exact,
    issparse,
    refuse_large,
    to_numpy,
)
from sklearn_irmetrics._arrays.query_ids import Queries, group_rows
from sklearn_irmetrics._arrays.rows import value_range
from sklearn_irmetrics.metrics._ranking.marks import (
    SUBTOPICS,
    check_subtopic_shapes,
    check_values,
    has_columns,
    is_of_query,
    largest_grades,
)


def as_array_or_csr(name, values):
    """Return an array, or CSR if `values` is sparse."""
    if type(values) is not np.ndarray:
        try:
            values = to_numpy(values)
        except TypeError as error:  # such as sparse tensors, or floats of 8 bits
            raise TypeError(
                f"{name} must be of a type that NumPy has: {error}."
            ) from error
    if type(values) is np.ndarray and values.dtype.kind in "biuf" and values.ndim:
        return values
    if issparse(values):
        return as_csr(values)
    array = as_array(name, values)
    if array.ndim == 0:
        of_files = " score_run and runs.align read files." * isinstance(values, str)
        raise ValueError(
            f"{name} must be 1-D or 2-D; got the scalar {values!r}.{of_files}"
        )
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
    sparse = not isinstance(grades, np.ndarray)
    stored = grades.data if sparse else grades
    low, high = value_range(stored)
    if np.inf in (-low, high):
        raise ValueError(
            "y_true must hold finite grades, or NaN for unjudged documents; got "
            f"{float(stored[np.isinf(stored)][0])}."
        )
    if sparse:  # absent grades are 0
        low, high = min(low, 0.0), max(high, 0.0)
    if stored.dtype.kind in "iu" and max(-low, high) >= EXACT:
        refuse_large("y_true", max(-low, high))
    return grades, low, high


def check_scores(scores):
    """Return scores whose values a block can hold exactly as float32 or float64."""
    if not isinstance(scores, np.ndarray):
        data = check_scores(scores.data) if scores.nnz else np.zeros(0)
        from scipy.sparse import csr_array

        return csr_array((data, scores.indices, scores.indptr), shape=scores.shape)
    if scores.dtype.char not in _NUMBERS:
        try:
            scores = as_numbers("y_score", scores)
        except TypeError as error:
            error.add_note(
                "Pass predicted labels to a measure of labels, as cohen_kappa_score."
            )
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


def check_document_weights(sample_weight, documents):
    """Return the weights of the documents of one set as floats, or None."""
    n_documents = math.prod(documents.shape)
    return check_weights(sample_weight, n_documents, "row")


def check_weights(sample_weight, length, unit):
    """Return weights as floats, one per `unit` (its name in messages), or None."""
    if sample_weight is None:
        return None
    weights = as_array_or_csr("sample_weight", sample_weight)
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


_LOW_PRECISION = ("float16", "bfloat16")
# Scoring arrays of up to so many numbers takes less time than all checks.
_SMALL = 1 << 12
_PLAIN_GRADES = "dlq"  # float64 and integers of 64 bits
_NUMBERS = "?bBhHiIlLqQefd"  # booleans, integers, and floats of at most 64 bits


@dataclass(frozen=True)
class RankingBatch:
    """Checked grades and scores of many queries, in one of three layouts.

    - *flat*: 1-D `grades` and `scores`; query ``i`` has the rows
      ``order[offsets[i]:offsets[i + 1]]`` (`order` None: the rows as they are);
    - *dense*: 2-D `scores`, one row per query; `grades` is 2-D or CSR;
    - *sparse*: CSR `grades` and `scores`.

    Attributes
    ----------
    query_ids : array of shape (n_queries,)
        The ids, or 0, 1, ... where rows are queries.
    weights : ndarray of shape (n_queries,) or None
        One weight per query.
    max_length : int
        The largest number of documents of a query.
    min_grade, max_grade : float
        The least and the largest grade of a judged document; 0 where there is none.
    marks : dict of str to array
        Facts about documents, in the layout of `grades`. `SUBTOPICS` has one more axis;
        `grades` then holds the largest grade of each document.
    low_precision : str or None
        The type of the scores if it has 16 bits, which makes many of them equal.
    classes : list or None
        The class labels that `grades` numbers, if `y_true` holds strings.
    sparse : bool
        Whether the scores are CSR, so that some documents are implicit.
    packed : list of Packed or None
        The blocks without their scores, where many rankings share them.
    """

    grades: object
    scores: object
    query_ids: np.ndarray
    weights: np.ndarray | None
    max_length: int
    min_grade: float
    max_grade: float
    offsets: np.ndarray | None = None
    order: np.ndarray | None = None
    marks: dict = field(default_factory=dict)
    low_precision: str | None = None
    classes: list | None = None
    sparse: bool = False
    packed: list | None = None

    def with_scores(self, scores, low_precision):
        """Return the batch with other scores of the same documents."""
        facts = {"low_precision": low_precision, "sparse": issparse(scores)}
        return replace(self, scores=scores, **facts)

    @property
    def n_queries(self):
        """The number of queries."""
        return len(self.query_ids)

    @cached_property
    def distinct_grades(self):
        """All grades of judged documents, rising, as float64."""
        grades = self.grades
        if issparse(grades):
            absent = [0.0] * (grades.nnz < math.prod(grades.shape))
            grades = np.append(grades.data, absent)
        distinct = np.unique(grades.astype(np.float64))
        return distinct[~np.isnan(distinct)]

    @cached_property
    def least(self):
        """The least grade, or 1/2 if all are above 0 and some are fractions.

        Grades look like scores if this is a fraction.
        """
        grades = self.grades
        if grades.dtype.kind != "f" or issparse(grades):
            return 0.0
        if self.min_grade > 0:
            return 0.5 if bool((grades % 1 > 0).any()) else 1.0
        return self.min_grade


def check_batch(
    y_true, y_score, *, qid=None, sample_weight=None, marks=None, subtopics=False
):
    """Check the arguments that all ranking measures share.

    Parameters
    ----------
    y_true, y_score : array-like or CSR
        Grades (or labels) and scores; see `RankingBatch` for the forms. Here and below,
        arrays of other libraries become NumPy arrays.
    qid : array-like of shape (n_documents,) or None
        Query ids, for 1-D input and arrays of one column.
    sample_weight : array-like or None
        One weight per query; with 1-D input one per row, equal inside a query.
    marks : dict of str to array-like
        Facts about documents, by parameter name.
    subtopics : bool
        Whether `y_true` has a column of grades per subtopic, beside 1-D `y_score`.

    Returns
    -------
    RankingBatch

    Raises
    ------
    TypeError, ValueError
        Naming the parameter, the rule and the value.
    """
    if qid is None and sample_weight is None and not (marks or subtopics):
        batch = _take_plain(y_true, y_score)
        if batch is not None:
            return batch
    known = {name: mark for name, mark in (marks or {}).items() if mark is not None}
    documents = {"y_true": y_true, "y_score": y_score, **known}
    check_row_order(**documents, qid=qid, sample_weight=sample_weight)
    check_column_order(**documents)
    classes = None
    if subtopics:
        grades, scores, topics = _read_subtopics(y_true, y_score)
        known[SUBTOPICS] = topics
    else:
        grades, scores, classes = _read_documents(y_true, y_score, qid)
    _check_shapes(grades, scores)
    grades, low, high = check_grades(grades)
    facts = {
        "min_grade": low,
        "max_grade": high,
        "marks": _check_marks(known, grades) if known else {},
        "low_precision": _low_precision(y_score),
        "classes": classes,
    }
    scores = check_scores(scores)
    if grades.ndim == 1:
        return _flat(grades, scores, qid, sample_weight, facts)
    return _one_query_per_row(grades, scores, qid, sample_weight, facts)


def _read_subtopics(y_true, y_score):
    """Return the largest grade of each document, scores, and grades by subtopic."""
    grades, scores = (
        as_array_or_csr("y_true", y_true),
        as_array_or_csr("y_score", y_score),
    )
    check_subtopic_shapes(grades, scores)
    topics, _, _ = check_grades(as_numbers("y_true", grades))
    return largest_grades(topics), scores, topics


def _read_documents(y_true, y_score, qid):
    """Return grades as numbers, scores, and the classes if grades are text."""
    grades, scores = (
        as_array_or_csr("y_true", y_true),
        as_array_or_csr("y_score", y_score),
    )
    grades, scores = take_columns(grades, scores, qid)
    classes = None
    if grades.dtype.kind not in "biuf":
        grades, classes = number_text(grades)
    if grades.dtype.char not in _NUMBERS:
        grades = as_numbers("y_true", grades)
    return grades, scores, classes


def _check_shapes(grades, scores):
    """Refuse grades and scores that do not belong together, or hold nothing."""
    if grades.shape != scores.shape:
        hint = ""
        if (grades.ndim, scores.ndim) == (1, 2):
            hint = (
                ". If y_true holds classes: for one-vs-rest, the mean over classes, "
                "use evaluate(scoring='average_precision') or 'roc_auc_ovr'; if each "
                "row ranks the classes, pass y_true[:, np.newaxis] == classes; of two "
                "classes, pass the scores of the positive one, y_score[:, 1]"
            )
        raise ValueError(
            "y_true and y_score must have the same shape; got "
            f"{tuple(grades.shape)} and {tuple(scores.shape)}{hint}."
        )
    if grades.ndim not in (1, 2) or 0 in grades.shape:
        raise ValueError(
            "y_true and y_score must be 1-D or 2-D and hold at least one document; "
            f"got shape {tuple(grades.shape)}."
        )


def _take_plain(y_true, y_score):
    """Return a batch of small arrays that need no conversion, None for all others.

    The others may be wrong, or need the checks of `check_batch`.
    """
    if not (type(y_true) is np.ndarray is type(y_score)):
        return None
    plain = y_true.dtype.char in _PLAIN_GRADES and y_score.dtype.char == "d"
    shape, size = y_true.shape, y_true.size
    if not (plain and shape == y_score.shape and 0 < size <= _SMALL):
        return None
    if len(shape) == 1:
        shape = 1, size
        y_true, y_score = y_true.reshape(shape), y_score.reshape(shape)
    elif len(shape) != 2 or shape[1] == 1:
        return None
    low, high = float(y_true.min()), float(y_true.max())
    # NaN passes no comparison. float64 holds every integer inside the bounds, and
    # rounds no integer outside to one inside.
    if not (low > -EXACT and high < EXACT and y_score.max() <= np.inf):
        return None
    return RankingBatch(y_true, y_score, np.arange(shape[0]), None, shape[1], low, high)


def take_columns(grades, scores, qid):
    """Return arrays of one column as 1-D, if their rows are documents, not queries.

    Two columns that do not say which they are raise a ValueError.
    """
    if 1 not in (*grades.shape[1:], *scores.shape[1:]):
        return grades, scores
    if issparse(grades) or issparse(scores) or len(grades) != len(scores):
        return grades, scores
    shape = tuple(grades.shape[:1])
    if qid is not None or shape in (tuple(grades.shape), tuple(scores.shape)):
        return _without_column(grades, shape), _without_column(scores, shape)
    if grades.shape == scores.shape and len(grades) > 1:
        raise ValueError(
            "2-D input must have more than one column; got shape "
            f"{tuple(grades.shape)}, which makes each row a query of one document. "
            "Pass 1-D arrays, such as y_true.ravel(), with qid."
        )
    return grades, scores


def _without_column(values, shape):
    """Return an array of shape ``(*shape, 1)`` as one of that shape; keep others."""
    return values.reshape(shape) if tuple(values.shape) == (*shape, 1) else values


def _low_precision(scores):
    """Return the name of a 16-bit float type, None for others."""
    dtype = getattr(scores, "dtype", None)
    name = getattr(dtype, "name", str(dtype)).removeprefix("torch.")
    return name if name in _LOW_PRECISION else None


def replace_scores(batch, y_score, shape):
    """Return a batch with other scores of the same documents.

    Parameters
    ----------
    batch : RankingBatch
        The documents, with any scores.
    y_score : array-like or CSR
        As for `check_batch`; sparse only where the grades are.
    shape : tuple of int
        The shape that `y_score` must have.

    Returns
    -------
    RankingBatch

    Raises
    ------
    TypeError, ValueError
        If the scores have another kind or shape, or contain NaN.
    """
    sparse = issparse(y_score)
    if sparse and not issparse(batch.grades):
        raise TypeError(
            "y_score must be dense where y_true is; got a sparse matrix. Use its "
            "toarray()."
        )
    scores = as_array_or_csr("y_score", y_score)
    scores = scores if sparse else _without_column(scores, shape)
    if scores.shape != shape:
        raise ValueError(
            f"y_score must have the shape that y_true requires, {shape}; got "
            f"{tuple(scores.shape)}."
        )
    low_precision, scores = _low_precision(y_score), check_scores(scores)
    if scores.ndim < batch.scores.ndim:
        scores = scores.reshape(batch.scores.shape)
    return batch.with_scores(scores, low_precision)


def _check_marks(marks, grades):
    """Return marks as one value, or one row of numbers, per document."""
    if marks and issparse(grades):
        raise ValueError(f"{', '.join(marks)} cannot be combined with sparse y_true.")
    checked = {}
    for name, mark in marks.items():
        if name != SUBTOPICS:
            mark = as_array_or_csr(name, mark)
            if name == "subtopic_weight" and SUBTOPICS in marks:
                topics = marks[SUBTOPICS]
                if issparse(mark) or topics.shape != mark.shape:
                    kind = "a sparse matrix of shape " if issparse(mark) else ""
                    raise ValueError(
                        "subtopic_weight must have the shape of y_true, "
                        f"{tuple(topics.shape)}, or one weight per column, and be "
                        f"dense; got {kind}{tuple(mark.shape)}."
                    )
            if not has_columns(name):
                mark = _without_column(mark, grades.shape)
            mark = check_values(name, mark, grades)
        checked[name] = mark
    return checked


def _flat(grades, scores, qid, sample_weight, facts):
    """Return a batch of 1-D input: rows grouped by id, or one ranking."""
    n_rows = len(grades)
    if qid is None:
        queries = Queries(np.arange(1), np.array([0, n_rows]), None)
    else:
        queries = group_rows(qid, n_rows)
    weights = None
    if sample_weight is not None:
        row_weights = check_weights(sample_weight, n_rows, "row")
        if qid is None and (row_weights != row_weights[0]).any():
            raise ValueError(
                "sample_weight must be constant inside a query, and without qid all "
                "rows are one query; only functions of a single measure of sets (such "
                "as set_f1_score), average_precision_score, roc_auc_score, "
                "recall_at_precision_score and recall_at_fpr_score take one weight per "
                "document."
            )
        weights = queries.one_each("sample_weight", row_weights)
    for name, mark in facts["marks"].items():
        for column in mark.T if is_of_query(name) else ():
            queries.one_each(name, column)
    lengths, offsets = queries.lengths, queries.offsets
    longest = int(lengths.max())
    if queries.order is None and longest == lengths.min():
        shape = (len(lengths), longest)
        grades, scores, offsets = grades.reshape(shape), scores.reshape(shape), None
        for name, mark in facts["marks"].items():
            facts["marks"][name] = mark.reshape(*shape, *mark.shape[1:])
    return RankingBatch(
        grades,
        scores,
        queries.ids,
        weights,
        longest,
        offsets=offsets,
        order=queries.order,
        **facts,
    )


def _one_query_per_row(grades, scores, qid, sample_weight, facts):
    """Return a batch of 2-D input."""
    if qid is not None:
        raise ValueError(
            "qid must be None with 2-D input, where each row is a query; "
            f"got shape {tuple(grades.shape)}. Pass 1-D y_true and y_score with qid "
            "(one column of predict_proba)."
        )
    facts["sparse"] = issparse(scores)
    if facts["sparse"] and not issparse(grades):
        grades = as_csr(grades)
    n_queries, width = scores.shape
    weights = check_weights(sample_weight, n_queries, "query")
    ids = np.arange(n_queries)
    return RankingBatch(grades, scores, ids, weights, width, **facts)
