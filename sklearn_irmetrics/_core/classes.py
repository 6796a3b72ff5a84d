"""Number the class labels of documents, and score each class as a set."""

import numpy as np

from sklearn_irmetrics._core.checks import check_document_weights
from sklearn_irmetrics._core.foreign import (
    issparse,
)
from sklearn_irmetrics._core.inputs import check_batch
from sklearn_irmetrics._core.numbers import as_array, keep_apart
from sklearn_irmetrics._core.queries import find_missing


def check_classes(first, second, *, labels=None, qid, sample_weight):
    """Check two arrays of class labels and number the classes.

    Parameters
    ----------
    first, second : tuple of str and array-like
        Parameter name, and labels of one kind that can be sorted.
    labels : array-like of shape (n_classes,) or None
        The classes in order; None: the sorted distinct labels, or both 0 and 1 if
        there are no others.
    qid, sample_weight : array-like or None
        As for rankings; a single set takes one weight per document.

    Returns
    -------
    batch : RankingBatch
        With class numbers as `grades` (`first`) and `scores` (`second`).
    n_classes : int
    row_weights : array of the shape of `grades` or None
        The weight of each document of a single set.
    """
    names, found, numbers = _number_labels(first, second)
    if labels is None:
        ordered = [0, 1] if set(found) <= {0, 1} else found
    else:
        ordered = _check_labels(labels)
    if not set(found) <= set(ordered):
        raise ValueError(
            f"labels must name every class of {names} once; got {ordered!r} for the "
            f"classes {found!r}."
        )
    place = {label: i for i, label in enumerate(ordered)}
    numbers = np.array([place[label] for label in found])[numbers]
    if sample_weight is None or not is_one_set(first[1], qid):
        batch = check_batch(*numbers, qid=qid, sample_weight=sample_weight)
        return batch, len(place), None
    batch = check_batch(*numbers)
    weights = check_document_weights(sample_weight, batch.grades)
    return batch, len(place), weights.reshape(batch.grades.shape)


def is_one_set(y_true, qid):
    """Whether all documents form one set, so each may have its own weight."""
    try:
        return qid is None and np.ndim(y_true) == 1
    except ValueError:  # ragged: a later check reports it
        return False


def _number_labels(first, second):
    """Return the names of two parameters, the classes sorted, and their numbers."""
    names = f"{first[0]} and {second[0]}"
    _refuse_sparse(**dict([first, second]))
    arrays = [as_array(*one) for one in (first, second)]
    shape = arrays[0].shape
    if shape != arrays[1].shape or len(shape) not in (1, 2) or 0 in shape:
        raise ValueError(
            f"{names} must have the same shape, 1-D or 2-D, and hold at least one "
            f"label; got shapes {tuple(shape)} and {tuple(arrays[1].shape)}."
        )
    if any(map(_have_missing, arrays)):
        raise ValueError(
            f"{names} must not contain missing labels (NaN, NaT, NA or None)."
        )
    arrays = keep_apart(names, *arrays)
    try:
        classes, numbers = np.unique(np.stack(arrays), return_inverse=True)
    except (TypeError, ArithmeticError) as error:
        raise TypeError(
            f"{names} must hold labels of one kind that can be sorted: {error}."
        ) from error
    return names, classes.tolist(), numbers.reshape(2, *shape)


def _have_missing(labels):
    """Whether any label is missing; such labels but None differ from themselves."""
    if labels.dtype.kind not in ("O", "T"):
        return bool((labels != labels).any())
    # In a string array of NumPy 2, NaN equals itself.
    return find_missing(labels.astype(object).ravel()) is not None


def _check_labels(labels):
    """Return distinct labels as a list."""
    array = as_array("labels", labels)
    if array.ndim != 1 or not len(array):
        raise ValueError(
            f"labels must be 1-D and name at least one class; got shape {array.shape}."
        )
    ordered = array.tolist()
    if len(set(ordered)) < len(ordered):
        raise ValueError(f"labels must name every class once; got {ordered!r}.")
    return ordered


def as_members(y_true, y_pred, pos_label):
    """Return which documents are of the class `pos_label`, and which are predicted so.

    If all are of one other class, none is.
    """
    _, found, numbers = _number_labels(("y_true", y_true), ("y_pred", y_pred))
    if np.ndim(pos_label) or (pos_label not in found and len(found) > 1):
        raise ValueError(
            f"pos_label must be a class of y_true or y_pred; got {pos_label!r} for the "
            f"classes {found!r}."
        )
    return numbers == (found.index(pos_label) if pos_label in found else -1)


def refuse_options_of_grades(relevance_threshold, judged_only):
    """Refuse options that have no meaning if documents have classes."""
    if relevance_threshold is not None or judged_only:
        raise ValueError(
            "relevance_threshold and judged_only require grades in y_true; it holds "
            "class labels."
        )


class ClassSets:
    """The documents of each class, and those that were predicted to be of it.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_documents,)
        The class of each document, and the one predicted.
    labels : array-like of shape (n_classes,) or None
        The classes to score as sets, in order; None: all that occur.
    sample_weight : array-like of shape (n_documents,) or None
        The weight of each document.

    Attributes
    ----------
    keys : list
        The classes.
    weights : None
        Each class counts the same.
    """

    unit = "classes"
    of_classes = True
    batch = None
    weights = None

    def __init__(self, y_true, y_pred, labels, sample_weight):
        _, found, numbers = _number_labels(("y_true", y_true), ("y_pred", y_pred))
        if numbers.ndim != 2:
            raise ValueError(
                "y_true and y_pred must be 1-D if they hold the classes of "
                f"documents; got shape {tuple(numbers.shape[1:])}."
            )
        if labels is None and len(found) < 3:
            raise ValueError(
                "y_true and y_pred must hold grades and zeros and ones, or more than "
                f"two classes; got the classes {found!r}. Pass the positive class as "
                "pos_label, or the classes to score as labels."
            )
        self.keys = found if labels is None else _check_labels(labels)
        if not set(self.keys) & set(found):
            raise ValueError(
                f"labels must name a class of y_true or y_pred; got {self.keys!r} for "
                f"the classes {found!r}."
            )
        self._numbers, self._found = numbers, found
        self.row_weights = check_document_weights(sample_weight, numbers[0])

    def count(self, relevance_threshold=None, judged_only=False):
        """Count as `Sets.count` does, by class."""
        refuse_options_of_grades(relevance_threshold, judged_only)
        true, predicted = self._numbers
        n = len(self._found)

        def add_up(numbers, weights):
            counts = np.bincount(numbers, weights, minlength=n + 1)
            return counts.astype(np.float64)

        hit, weights = true == predicted, self.row_weights
        tp = add_up(true[hit], None if weights is None else weights[hit])
        fp = add_up(predicted, weights) - tp
        fn = add_up(true, weights) - tp
        total = len(true) if weights is None else weights.sum()
        counts = np.stack([tp, fp, fn, total - tp - fp - fn])
        # The last column has no documents, for classes of `labels` that do not occur.
        place = {label: i for i, label in enumerate(self._found)}
        counts = counts[:, [place.get(label, n) for label in self.keys]]
        return counts


def _refuse_sparse(**arrays):
    for name, array in arrays.items():
        if issparse(array):
            raise TypeError(f"{name} must be dense; got a sparse matrix.")
