"""What is not ranked: retrieved sets and class labels, added up by query."""

from functools import partial

import numpy as np
from scipy.sparse import issparse

from sklearn_irmetrics._core.aggregate import aggregate, scale_weights
from sklearn_irmetrics._core.blocks import iter_blocks
from sklearn_irmetrics._core.inputs import check_judgments
from sklearn_irmetrics._core.namespace import is_tensor, namespace, refuse_mixture
from sklearn_irmetrics._core.numbers import as_array, keep_apart
from sklearn_irmetrics._core.parameters import check_option, check_parameters
from sklearn_irmetrics._core.values import Documents, Judged, Relevant

AVERAGES = ("macro", "micro", "geometric")


def query_by_query(values, judgments):
    """Arrange one value per document, in the layout of `judgments`, by query.

    Returns
    -------
    values : array of shape (n_documents,)
    starts : int array of shape (n_queries,)
        Where each query begins.
    """
    if judgments.offsets is None:
        height, width = values.shape
        xp = namespace(values)
        return values.ravel(), xp.arange(0, height * width, width, like=values)
    order = judgments.order
    return values if order is None else values[order], judgments.offsets[:-1]


def query_sums(values, judgments):
    """Return the sum of one value per document over each query, as float64."""
    return namespace(values).sum_runs(*query_by_query(values, judgments))


class Sets:
    """Which documents of each query were retrieved, whatever their order.

    Parameters
    ----------
    judgments : Judgments
        Documents; those marked ``"y_pred"`` were retrieved.
    above : float
        Without that mark, documents of a larger score were.
    """

    def __init__(self, judgments, above):
        self.judgments = judgments
        self._above = above
        self._counts = {}

    @classmethod
    def of_predictions(cls, y_true, y_pred, qid, sample_weight):
        """Take the documents for which a prediction is True, or 1."""
        if y_pred is None:
            raise TypeError("y_pred must hold booleans, or zeros and ones; got None.")
        if issparse(y_true) or issparse(y_pred):
            judgments = check_judgments(
                y_true, y_pred, qid=qid, sample_weight=sample_weight
            )
            stored = judgments.scores.data if issparse(y_pred) else np.asarray(y_pred)
            if not ((stored == 0) | (stored == 1)).all():
                raise ValueError("y_pred must hold booleans, or zeros and ones.")
            return cls(judgments, 0.0)
        refuse_mixture(y_true=y_true, y_pred=y_pred)
        judgments = check_judgments(
            y_true,
            _equal_scores(y_true),
            qid=qid,
            sample_weight=sample_weight,
            marks={"y_pred": y_pred},
        )
        return cls(judgments, np.inf)

    @classmethod
    def of_ranking(cls, judgments):
        """Take the documents that a ranking retrieved, or whose score is True."""
        scores = _stored_scores(judgments)
        return cls(judgments, 0.0 if namespace(scores).kind(scores) == "b" else -np.inf)

    def look_like_predictions(self):
        """Whether nothing but numbers 0 and 1 tells what was retrieved."""
        scores = self.judgments.scores
        if issparse(scores) or self._above == 0.0:
            return False
        return bool(((scores == 0) | (scores == 1)).all())

    def count(self, relevance_threshold, judged_only):
        """Count the relevant and the other documents of each query, retrieved or not.

        Returns
        -------
        counts : array of shape (4, n_queries)
            True positives, false positives, false negatives and true negatives.
        """
        key = relevance_threshold, judged_only
        if key not in self._counts:
            stored = _stored_scores(self.judgments)
            xp, relevant = namespace(stored), Relevant(relevance_threshold)
            counts = xp.empty((4, self.judgments.n_queries), like=stored)
            for block in iter_blocks(self.judgments):
                cells = self._count_block(xp, block, relevant, judged_only)
                counts[:, block.queries] = xp.stack(cells)
            self._counts[key] = counts
        return self._counts[key]

    def _count_block(self, xp, block, relevant, judged_only):
        documents = Documents(block.grades, block.marks)
        retrieved = block.marks.get("y_pred", block.scores > self._above)
        good, judged = relevant(documents), Judged()(documents)
        tp, fp = xp.row_sum(good & retrieved), xp.row_sum(~good & judged & retrieved)
        fn = xp.row_sum(good & ~retrieved)
        tn = xp.row_sum(~good & judged & ~retrieved)
        if not judged_only:
            unjudged = block.n_documents - block.n_implicit - xp.row_sum(judged)
            retrieved_unjudged = xp.row_sum(~judged & retrieved)
            fp = fp + retrieved_unjudged
            tn = tn + unjudged - retrieved_unjudged
        if block.has_implicit:
            if relevant(Documents(np.zeros(1), {}))[0]:
                fn = fn + block.n_implicit
            else:
                tn = tn + block.n_implicit
        return tp, fp, fn, tn


def count_cells(kernel, parameters, sets):
    """Return the formula of a set measure, its parameters checked, and its counts."""
    parameters = check_parameters(parameters, sets.judgments)
    counts = sets.count(
        parameters.pop("relevance_threshold"), parameters.pop("judged_only")
    )
    return partial(kernel, **parameters), counts


def check_classes(first, second, *, labels=None, qid, sample_weight):
    """Check two arrays of class labels and number the classes.

    Parameters
    ----------
    first, second : tuple of str and array-like
        Parameter name, and labels of any one kind that can be sorted.
    labels : array-like of shape (n_classes,) or None
        The classes in order; None: the sorted distinct labels, and both 0 and 1
        where there are no others.
    qid, sample_weight : array-like or None
        As for rankings.

    Returns
    -------
    judgments : Judgments
        With class numbers as `grades` (`first`) and `scores` (`second`).
    n_classes : int
    """
    names = f"{first[0]} and {second[0]}"
    _refuse_sparse(**dict([first, second]))
    refuse_mixture(**dict([first, second]))
    arrays = [_as_array(name, values) for name, values in (first, second)]
    shape = arrays[0].shape
    if shape != arrays[1].shape or len(shape) not in (1, 2) or 0 in shape:
        raise ValueError(
            f"{names} must have the same shape, 1-D or 2-D, and hold at least one "
            f"label; got shapes {tuple(shape)} and {tuple(arrays[1].shape)}."
        )
    xp = namespace(arrays[0])
    if not is_tensor(arrays[0]):
        arrays = keep_apart(*arrays)
    try:
        classes, numbers = xp.unique(xp.stack(arrays), return_inverse=True)
    except (TypeError, ArithmeticError) as error:
        raise TypeError(
            f"{names} must hold labels of one kind that can be sorted: {error}."
        ) from error
    found = classes.tolist()
    place = _place_classes(found, labels, names)
    numbers = xp.asarray([place[label] for label in found], like=numbers)[numbers]
    judgments = check_judgments(
        *numbers.reshape(2, *shape), qid=qid, sample_weight=sample_weight
    )
    return judgments, len(place)


def score_counts(name, formula, counts, weights, *, average, replace_undefined_by):
    """Do what every set measure does with its formula of counts per query."""
    if average is not None:
        check_option("average", average, AVERAGES)
    if average == "micro":
        weighed = counts if weights is None else counts * scale_weights(weights)
        totals = weighed.sum(axis=1)
        counts, weights, average = totals[:, np.newaxis], None, "macro"
    return aggregate(
        formula(*counts),
        weights,
        name=name,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _place_classes(found, labels, names):
    """Return the number of each class."""
    if any(label != label for label in found):
        raise ValueError(f"{names} must not contain NaN.")
    if labels is not None:
        ordered = _as_array("labels", labels)
        if ordered.ndim != 1:
            raise ValueError(f"labels must be 1-D; got shape {ordered.shape}.")
        ordered = ordered.tolist()
    else:
        ordered = [0, 1] if set(found) <= {0, 1} else found
    place = {label: i for i, label in enumerate(ordered)}
    if not set(found) <= set(place) or len(place) < len(ordered):
        raise ValueError(
            f"labels must name every class of {names} once; got {ordered!r} for the "
            f"classes {found!r}."
        )
    return place


def _stored_scores(judgments):
    scores = judgments.scores
    return scores.data if issparse(scores) else scores


def _as_array(name, values):
    if is_tensor(values):
        return namespace(values).check_tensor(name, values)
    return as_array(name, values)


def _equal_scores(y_true):
    """Return scores that tie all documents."""
    if is_tensor(y_true):
        return namespace(y_true).zeros_like(y_true)
    try:
        return np.zeros(np.shape(y_true), dtype=np.int8)
    except ValueError:  # ragged: check_judgments says so
        return np.zeros((), dtype=np.int8)


def _refuse_sparse(**arrays):
    for name, array in arrays.items():
        if issparse(array):
            raise TypeError(f"{name} must be dense; got a sparse matrix.")
