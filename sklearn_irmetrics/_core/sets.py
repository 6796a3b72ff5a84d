"""Count documents that were retrieved or not by query, whatever their order."""

from functools import partial

import numpy as np

from sklearn_irmetrics._core.aggregate import aggregate
from sklearn_irmetrics._core.arrays import row_sum, sum_runs
from sklearn_irmetrics._core.blocks import iter_blocks
from sklearn_irmetrics._core.checks import check_document_weights, holds_text
from sklearn_irmetrics._core.classes import (
    ClassSets,
    as_members,
    is_one_set,
    refuse_options_of_grades,
)
from sklearn_irmetrics._core.foreign import (
    issparse,
)
from sklearn_irmetrics._core.inputs import check_batch
from sklearn_irmetrics._core.numbers import as_array
from sklearn_irmetrics._core.parameters import check_option, check_parameters
from sklearn_irmetrics._core.values import Documents, Judged, Relevant

AVERAGES = ("macro", "micro", "geometric")


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
    """

    unit = "queries"
    of_classes = False

    def __init__(self, batch, above, row_weights=None):
        self.batch = batch
        self._above = above
        self.row_weights = row_weights
        self._counts = {}

    @classmethod
    def of_predictions(cls, y_true, y_pred, qid, sample_weight):
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
            return cls(batch, 0.0)
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
        return cls(batch, np.inf, row_weights)

    @classmethod
    def of_ranking(cls, batch):
        """Return the sets of documents that were retrieved, or whose score is True."""
        return cls(batch, 0.0 if batch.scores.dtype.kind == "b" else -np.inf)

    def are_ranked(self):
        """Return 0 for queries whose scores may be predictions, 1 for others.

        Zeros and ones may be predictions if the scores tell what was retrieved.
        """
        scores = self.batch.scores
        if self.batch.sparse or self._above > -np.inf:
            return np.ones(self.batch.n_queries)
        others = query_sums((scores != 0) & (scores != 1), self.batch)
        return (others > 0).astype(others.dtype)

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
    different strings.

    Parameters
    ----------
    y_true, y_pred : array-like
        Grades, and whether each document was retrieved; or the class of each document,
        and the one that was predicted.
    labels : array-like of shape (n_classes,) or None
        The classes to score as sets.
    pos_label : object
        The class whose documents form the set of each query.
    qid, sample_weight : array-like or None
        As for rankings; a single set takes one weight per document.

    Returns
    -------
    Sets or ClassSets
    """
    if pos_label is not None:
        if labels is not None:
            raise ValueError("labels and pos_label cannot be combined.")
        y_true, y_pred = as_members(y_true, y_pred, pos_label)
        sets = Sets.of_predictions(y_true, y_pred, qid, sample_weight)
        sets.of_classes = True
        return sets
    if labels is not None or holds_text(y_true):
        if qid is not None:
            raise ValueError(
                "labels (a set per class) and qid (a set per query) cannot be "
                "combined; pass one class as pos_label."
            )
        return ClassSets(y_true, y_pred, labels, sample_weight)
    return Sets.of_predictions(y_true, y_pred, qid, sample_weight)


_OF_GRADES = ("relevance_threshold", "judged_only")


def count_cells(kernel, parameters, sets):
    """Return the formula of a set measure, its parameters checked, and its counts."""
    if sets.of_classes:
        refuse_options_of_grades(**{name: parameters[name] for name in _OF_GRADES})
    parameters = check_parameters(parameters, sets.batch)
    counts = sets.count(
        parameters.pop("relevance_threshold"), parameters.pop("judged_only")
    )
    return partial(kernel, **parameters), counts


def score_counts(name, formula, counts, weights, *, average, **options):
    """Score sets by a formula of their counts, as every set measure does."""
    if average is not None:
        check_option("average", average, AVERAGES)
    with np.errstate(over="ignore"):
        if average == "micro":
            weighed = counts if weights is None else counts * weights
            totals = weighed.sum(axis=1)
            counts, weights, average = totals[:, np.newaxis], None, "macro"
        values = formula(*counts)
    if np.isinf(values).any():
        raise ValueError(f"{name} must be finite; its costs or weights are too large.")
    return aggregate(values, weights, name=name, average=average, **options)


def _equal_scores(y_true):
    """Return scores that tie all documents."""
    try:
        return np.zeros(np.shape(y_true), dtype=np.int8)
    except ValueError:  # ragged: check_batch reports it
        return np.zeros((), dtype=np.int8)
