"""Retrieved sets and predicted classes, counted per query."""

from functools import partial

import numpy as np

from sklearn_irmetrics._arrays.labels import check_column_order, check_row_order
from sklearn_irmetrics._arrays.numbers import (
    as_array,
    issparse,
    keep_apart,
    to_dense,
)
from sklearn_irmetrics._arrays.query_ids import find_missing
from sklearn_irmetrics._arrays.rows import row_sum, sum_runs
from sklearn_irmetrics._checks import check_flag, check_option
from sklearn_irmetrics._warnings import warn_of_undefined
from sklearn_irmetrics.metrics._ranking.averages import (
    NO_DENOMINATOR,
    average_queries,
)
from sklearn_irmetrics.metrics._ranking.batch import (
    check_batch,
    check_document_weights,
    holds_text,
)
from sklearn_irmetrics.metrics._ranking.blocks import iter_blocks
from sklearn_irmetrics.metrics._ranking.gains import Documents, Judged, Relevant
from sklearn_irmetrics.metrics._ranking.parameters import (
    check_by_rules,
    check_relevance,
)


def check_classes(first, second, *, number, labels=None, qid, sample_weight):
    """Check two arrays of class labels and number the classes.

    Parameters
    ----------
    first, second : tuple of str and array-like
        Parameter name, and labels of one kind that can be sorted.
    number : callable
        `number_labels` for labels of two raters, `number_predictions` for predictions.
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
    check_row_order(**dict([first, second]), qid=qid, sample_weight=sample_weight)
    names, classes, numbers = number(first, second)
    if labels is None:
        ordered = [0, 1] if set(classes) <= {0, 1} else classes
    else:
        ordered = check_labels(labels)
    if not set(classes) <= set(ordered):
        raise ValueError(
            f"labels must name every class of {names} once; got {ordered!r} for the "
            f"classes {classes!r}."
        )
    place = {label: i for i, label in enumerate(ordered)}
    numbers = np.array([place[label] for label in classes])[numbers]
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


def number_labels(*named):
    """Return the names of parameters, the classes sorted, and their numbers.

    Parameters
    ----------
    *named : tuple of str and array-like
        The name of each parameter, and the labels of all rows.
    """
    *others, last = (name for name, _ in named)
    names = f"{', '.join(others)} and {last}" if others else last
    for name, labels in named:
        if issparse(labels):
            raise TypeError(
                f"{name} must be dense; got a sparse matrix. Use its toarray()."
            )
    check_column_order(**dict(named))
    arrays = [as_array(name, labels) for name, labels in named]
    shape, *others = [tuple(array.shape) for array in arrays]
    if {*others} - {shape} or len(shape) not in (1, 2) or 0 in shape:
        raise ValueError(
            f"{names} must have the same shape, 1-D or 2-D, and hold at least one "
            f"label; got shapes {' and '.join(map(str, [shape, *others]))}."
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
    return names, classes.tolist(), numbers.reshape(len(arrays), *shape)


def number_predictions(y_true, *predictions, known=None):
    """Return names, classes and numbers of true classes and predictions of them.

    Predictions that are fractions are scores, unless `y_true` holds fractions, too.

    Parameters
    ----------
    y_true, *predictions
        As for `number_labels`: the true classes first.
    known : array-like or None
        Classes that may be fractions even if `y_true` has none of them.
    """
    names, classes, numbers = number_labels(y_true, *predictions)
    labels = np.asarray(classes)
    if labels.dtype.kind == "f" and not (is_class := np.rint(labels) == labels).all():
        if known is not None:
            listed = np.ravel(as_array("labels", known)).tolist()
            is_class |= [label in listed for label in classes]
        truth, *predicted = numbers.reshape(len(numbers), -1)
        if is_class[truth].all():
            for (name, _), row in zip(predictions, predicted, strict=True):
                scores = labels[row[~is_class[row]]]
                refuse_scores(name, scores, "a measure of rankings")
    return names, classes, numbers


def refuse_scores(name, labels, otherwise):
    """Refuse an array of scores where classes are needed; say what to do `otherwise`.

    NaN is no score: `number_labels` refuses it with other missing labels.
    """
    if labels.dtype.kind != "f":
        return
    scores = labels[np.isinf(labels) | (labels != np.rint(labels)) & (labels == labels)]
    if len(scores):
        raise ValueError(
            f"{name} must hold classes; got {float(scores[0]):g}. If these are scores, "
            "predict a class by a threshold, such as y_score >= 0.5, or use "
            f"{otherwise}."
        )


def _have_missing(labels):
    """Whether any label is missing; such labels but None differ from themselves."""
    if labels.dtype.kind not in ("O", "T"):
        return bool((labels != labels).any())
    # In a string array of NumPy 2, NaN equals itself.
    return find_missing(labels.astype(object).ravel()) is not None


def check_labels(labels):
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


def grades_of_class(y_true, pos_label):
    """Return grades: 1 for documents of the class `pos_label`, 0 for others."""
    _, classes, (numbers,) = number_labels(("y_true", y_true))
    if np.ndim(pos_label) or pos_label not in classes:
        raise ValueError(
            f"pos_label must be a class of y_true; got {pos_label!r} for the classes "
            f"{classes[:5]!r}."
        )
    return (numbers == classes.index(pos_label)).astype(np.float64)


def as_members(y_true, y_pred, pos_label):
    """Return which documents are of the class `pos_label`, and which are predicted so.

    If all are of one other class, none is.
    """
    named = ("y_true", y_true), ("y_pred", y_pred)
    _, classes, numbers = number_predictions(*named, known=pos_label)
    if np.ndim(pos_label) or (pos_label not in classes and len(classes) > 1):
        raise ValueError(
            f"pos_label must be a class of y_true or y_pred; got {pos_label!r} for the "
            f"classes {classes!r}."
        )
    if as_array("y_pred", y_pred).dtype.kind == "b" and pos_label not in (0, 1):
        raise ValueError(
            f"y_pred must hold predicted classes with pos_label={pos_label!r}; got "
            f"booleans for the classes {classes!r}. Leave out pos_label, and pass "
            "y_true == pos_label, if they say what was retrieved."
        )
    return numbers == (classes.index(pos_label) if pos_label in classes else -1)


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
        named = ("y_true", y_true), ("y_pred", y_pred)
        _, classes, numbers = number_predictions(*named, known=labels)
        if numbers.ndim != 2:
            raise ValueError(
                "y_true and y_pred must be 1-D if they hold the classes of "
                f"documents; got shape {tuple(numbers.shape[1:])}."
            )
        if labels is None and len(classes) < 3:
            raise ValueError(
                "y_true must hold grades and y_pred zeros and ones, or both the labels "
                f"of more than two classes; got the classes {classes!r}. Pass the "
                "positive class as pos_label, or the classes to score as labels."
            )
        self.keys = classes if labels is None else check_labels(labels)
        if not set(self.keys) & set(classes):
            raise ValueError(
                f"labels must name a class of y_true or y_pred; got {self.keys!r} for "
                f"the classes {classes!r}."
            )
        self._numbers, self._classes = numbers, classes
        self.row_weights = check_document_weights(sample_weight, numbers[0])

    def count(self, relevance_threshold=None, judged_only=False):
        """Count as `Sets.count` does, by class."""
        refuse_options_of_grades(relevance_threshold, judged_only)
        true, predicted = self._numbers
        n = len(self._classes)

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
        place = {label: i for i, label in enumerate(self._classes)}
        counts = counts[:, [place.get(label, n) for label in self.keys]]
        return counts

    def count_pairs(self):
        """Return all classes, those to score first, and a matrix of their pairs.

        It has a row per true class and a column per predicted class.
        """
        others = [label for label in self._classes if label not in {*self.keys}]
        classes = [*self.keys, *others]
        n, place = len(classes), {label: i for i, label in enumerate(classes)}
        true, predicted = np.array([place[label] for label in self._classes])[
            self._numbers
        ]
        pairs = np.bincount(true * n + predicted, self.row_weights, minlength=n * n)
        return classes, pairs.reshape(n, n)


class LabelSets:
    """The documents of each label, of which each document can have several.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_documents, n_labels)
        Whether each document has each label, and is predicted to have it.
    labels : array-like of int
        The columns to score as sets, in order.
    sample_weight : array-like of shape (n_documents,) or None
        The weight of each document.

    Attributes
    ----------
    keys : list
        The columns.
    weights : None
        Each label counts the same.
    """

    unit = "labels"
    of_classes = True
    batch = None
    weights = None

    def __init__(self, y_true, y_pred, labels, sample_weight):
        self._true, self._predicted = (
            _as_indicators(name, values)
            for name, values in (("y_true", y_true), ("y_pred", y_pred))
        )
        shapes = [array.shape for array in (self._true, self._predicted)]
        if shapes[0] != shapes[1] or 0 in shapes[0]:
            raise ValueError(
                "y_true and y_pred must have the same shape and hold at least one "
                f"label; got shapes {shapes[0]} and {shapes[1]}."
            )
        self.keys, n_labels = check_labels(labels), shapes[0][1]
        if not set(self.keys) <= set(range(n_labels)):
            raise ValueError(
                "labels must be columns of 2-D y_true and y_pred, numbers from 0 to "
                f"{n_labels - 1}; got {self.keys!r}."
            )
        self.keys = [int(label) for label in self.keys]
        self.row_weights = check_document_weights(sample_weight, self._true[:, 0])

    def count(self, relevance_threshold=None, judged_only=False):
        """Count as `Sets.count` does, by label."""
        refuse_options_of_grades(relevance_threshold, judged_only)
        true, predicted = self._true[:, self.keys], self._predicted[:, self.keys]
        weights = self.row_weights
        weights = np.ones(len(true)) if weights is None else weights
        tp, fp, fn = (
            weights @ cell
            for cell in (true & predicted, ~true & predicted, true & ~predicted)
        )
        return np.stack([tp, fp, fn, weights.sum() - tp - fp - fn])


def _as_indicators(name, values):
    """Return which documents have which labels, from zeros and ones."""
    array = as_array(name, to_dense(values))
    if array.ndim != 2 or not np.isin(array, (0, 1)).all():
        raise ValueError(
            f"{name} must be 1-D if it holds the classes of documents; its columns, a "
            "label each, must hold booleans, or zeros and ones; got shape "
            f"{array.shape}."
        )
    return array == 1


AVERAGES = ("macro", "micro", "weighted", "samples", "geometric")
AVERAGES_OF_COSTS = ("macro", "micro", "geometric")


def query_by_query(values, batch):
    """Arrange one value per document, in the layout of `batch`, by query.

    Returns
    -------
    values : array of shape (n_documents,)
    starts : int array of shape (n_queries,)
        Where each query begins.
    """
    if batch.offsets is None:
        height, width = values.shape
        starts = np.arange(0, height * width, width)
        return values.ravel(), starts
    order = batch.order
    return values if order is None else values[order], batch.offsets[:-1]


def query_sums(values, batch):
    """Return the sum of one value per document over each query, as float64."""
    with np.errstate(over="ignore"):  # `score_counts` raises
        return sum_runs(*query_by_query(values, batch))


class Sets:
    """Which documents of each query were retrieved, whatever their order.

    Parameters
    ----------
    batch : RankingBatch
        Documents; those marked ``"y_pred"`` were retrieved.
    above : float
        Without that mark, documents with a larger score were retrieved.
    row_weights : array of shape (n_documents,) or None
        The weight of each document, if all are of one query; None: 1.
    of_classes : bool, default=False
        Whether grades say which documents are of one class, so that options of grades
        have no meaning.
    """

    unit = "queries"

    def __init__(self, batch, above, row_weights=None, of_classes=False):
        self.batch = batch
        self._above = above
        self.row_weights = row_weights
        self.of_classes = of_classes
        self._counts = {}

    @classmethod
    def of_predictions(cls, y_true, y_pred, qid, sample_weight, *, of_classes=False):
        """Return the sets of documents whose prediction is True, or 1."""
        if y_pred is None:
            raise TypeError("y_pred must hold booleans, or zeros and ones; got None.")
        if issparse(y_true) or issparse(y_pred):
            if issparse(y_pred):
                from scipy.sparse import csr_array

                y_pred = csr_array(y_pred, copy=True)
                y_pred.sum_duplicates()
            stored = y_pred.data if issparse(y_pred) else as_array("y_pred", y_pred)
            if (other := (stored != 0) & (stored != 1)).any():
                raise ValueError(
                    "y_pred must hold booleans, or zeros and ones; got "
                    f"{stored[other][0]}."
                )
            batch = check_batch(y_true, y_pred, qid=qid, sample_weight=sample_weight)
            return cls(batch, 0.0, of_classes=of_classes)
        one_set = is_one_set(y_true, qid)
        batch = check_batch(
            y_true,
            _equal_scores(y_true),
            qid=qid,
            sample_weight=None if one_set else sample_weight,
            marks={"y_pred": y_pred},
        )
        row_weights = None
        if one_set:
            scores = batch.scores
            row_weights = check_document_weights(sample_weight, scores)
        return cls(batch, np.inf, row_weights, of_classes)

    @classmethod
    def of_ranking(cls, batch):
        """Return the sets of documents that were retrieved: those with 1 or True.

        If scores hold other numbers, documents with a score above -inf were retrieved.
        """
        scores = batch.scores
        is_set = not batch.sparse and (
            scores.dtype.kind == "b"
            or (scores.dtype.kind in "iu" and np.isin(scores, (0, 1)).all())
        )
        return cls(batch, 0.0 if is_set else -np.inf)

    def say_what_was_retrieved(self):
        """Return 1 for queries whose input says what was retrieved, 0 for others.

        Scores do not say it if they give every document of the query a rank.
        """
        if self.batch.sparse or self._above > -np.inf:
            return np.ones(self.batch.n_queries)
        left_out = query_sums(self.batch.scores == -np.inf, self.batch)
        return (left_out > 0).astype(left_out.dtype)

    def count(self, relevance_threshold, judged_only):
        """Count the relevant and the other documents of each query, retrieved or not.

        Returns
        -------
        counts : array of shape (4, n_queries)
            True positives, false positives, false negatives and true negatives.
        """
        key = relevance_threshold, judged_only
        if key not in self._counts:
            relevant = Relevant(relevance_threshold)
            counts = np.empty((4, self.batch.n_queries))
            for block in iter_blocks(self.batch):
                cells = self._count_block(block, relevant, judged_only)
                counts[:, block.queries] = np.stack(cells)
            self._counts[key] = counts
        return self._counts[key]

    def _count_block(self, block, relevant, judged_only):
        documents = Documents(block.grades, block.marks)
        retrieved = block.marks.get("y_pred", block.scores > self._above)
        good, judged = relevant(documents), Judged()(documents)
        add_up, n_documents = row_sum, block.n_documents - block.n_implicit
        if (weights := self.row_weights) is not None:
            n_documents = weights.sum()  # of one query, whose rows stand in order

            def add_up(mask):
                return row_sum(mask * weights)

        tp, fp = add_up(good & retrieved), add_up(~good & judged & retrieved)
        fn = add_up(good & ~retrieved)
        tn = add_up(~good & judged & ~retrieved)
        if not judged_only:
            unjudged = n_documents - add_up(judged)
            retrieved_unjudged = add_up(~judged & retrieved)
            fp = fp + retrieved_unjudged
            tn = tn + unjudged - retrieved_unjudged
        if block.has_implicit:
            if relevant(Documents(np.zeros(1), {}))[0]:
                fn = fn + block.n_implicit
            else:
                tn = tn + block.n_implicit
        return tp, fp, fn, tn

    @property
    def keys(self):
        """The ids of the queries."""
        return self.batch.query_ids

    @property
    def weights(self):
        """One weight per query, or None."""
        return self.batch.weights


def is_one_ranking(y_true, y_score, qid):
    """Whether all documents form one ranking, as 1-D arrays or as one column."""
    if qid is not None or issparse(y_true) or issparse(y_score):
        return False
    try:
        shapes = [tuple(np.shape(values)) for values in (y_true, y_score)]
    except ValueError:  # ragged: a later check reports it
        return False
    rows = shapes[0][:1]
    if rows in ((), (0,)):
        return False
    return rows in shapes and set(shapes) <= {rows, (*rows, 1)}


def check_sets(
    y_true, y_pred, *, labels=None, pos_label=None, qid=None, sample_weight=None
):
    """Return the true and the predicted sets of documents.

    There is one of each per query; or per class, with `labels` or with more than two
    different strings; or per column, with `labels` and 2-D input.

    Parameters
    ----------
    y_true, y_pred : array-like
        Grades, and whether each document was retrieved; or the class of each document,
        and the one that was predicted.
    labels : array-like of shape (n_classes,) or None
        The classes, or columns, to score as sets.
    pos_label : object
        The class whose documents form the set of each query.
    qid, sample_weight : array-like or None
        As for rankings; a single set takes one weight per document.

    Returns
    -------
    Sets, ClassSets or LabelSets
    """
    check_row_order(y_true=y_true, y_pred=y_pred, qid=qid, sample_weight=sample_weight)
    if pos_label is not None:
        if labels is not None:
            raise ValueError("labels and pos_label cannot be combined.")
        y_true, y_pred = as_members(y_true, y_pred, pos_label)
        return Sets.of_predictions(y_true, y_pred, qid, sample_weight, of_classes=True)
    if labels is not None or holds_text(y_true):
        if qid is not None:
            raise ValueError(
                "labels (a set per class) and qid (a set per query) cannot be "
                "combined; pass one class as pos_label."
            )
        is_multilabel = labels is not None and np.ndim(to_dense(y_true)) == 2
        sets = LabelSets if is_multilabel else ClassSets
        return sets(y_true, y_pred, labels, sample_weight)
    return Sets.of_predictions(y_true, y_pred, qid, sample_weight)


def count_cells(formula, parameters, sets):
    """Return the formula of a set measure, its parameters checked, and its counts."""
    parameters = check_by_rules(formula, parameters)
    threshold = parameters.pop("relevance_threshold")
    judged_only = check_flag("judged_only", parameters.pop("judged_only"))
    if sets.of_classes:
        refuse_options_of_grades(threshold, judged_only)
    else:
        threshold = check_relevance(threshold, None, sets.batch)
    return partial(formula, **parameters), sets.count(threshold, judged_only)


def score_counts(
    name, formula, counts, weights, *, average, replace_undefined_by, unit="queries"
):
    """Score sets by a formula of their counts, as every set measure does."""
    averaged = average_counts(
        name,
        formula,
        counts,
        weights,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )
    if average == "samples" and unit != "queries":
        raise ValueError(
            "average='samples' needs 2-D y_true and y_pred without labels, whose rows "
            f"are sets; the sets are {unit} here."
        )
    warn_of_undefined(averaged.undefined_means(name, NO_DENOMINATOR, unit))
    return averaged.result


def average_counts(name, formula, counts, weights, *, average, replace_undefined_by):
    """Return the values of sets by a formula of their counts, and their `Averaged`."""
    if average is not None:
        of_sets = len(counts) == 4  # costs have two
        check_option("average", average, AVERAGES if of_sets else AVERAGES_OF_COSTS)
    if average == "weighted":
        support = counts[0] + counts[2]
        if support.any():
            weights = support if weights is None else support * weights
    averaged = average_queries(
        values_of_counts(name, formula, counts),
        weights,
        name=name,
        average=average if average in ("geometric", None) else "macro",
        replace_undefined_by=replace_undefined_by,
    )
    if average != "micro":
        return averaged
    with np.errstate(over="ignore"):
        weighed = counts if weights is None else counts * weights
        totals = weighed.sum(axis=1)
    of_all = average_queries(
        values_of_counts(name, formula, totals[:, np.newaxis]),
        None,
        name=name,
        replace_undefined_by=replace_undefined_by,
    )
    lacking = averaged.n_queries if of_all.n_undefined else 0
    return averaged._replace(mean=of_all.mean, n_undefined=lacking)


def values_of_counts(name, formula, counts):
    """Return the value of each set by a formula; refuse infinite ones."""
    with np.errstate(over="ignore"):
        values = formula(*counts)
    values = values[0] if isinstance(values, tuple) else values
    if np.isinf(values).any():
        raise ValueError(f"{name} must be finite; its costs or weights are too large.")
    return values


def _equal_scores(y_true):
    """Return scores that tie all documents."""
    try:
        return np.zeros(np.shape(y_true), dtype=np.int8)
    except ValueError:  # ragged: check_batch reports it
        return np.zeros((), dtype=np.int8)
