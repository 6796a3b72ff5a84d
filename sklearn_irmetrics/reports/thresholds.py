"""A measure at all thresholds, each of which decides for all queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.labels import check_column_order, check_row_order
from sklearn_irmetrics._arrays.numbers import as_array, as_floats, issparse, to_dense
from sklearn_irmetrics._arrays.rows import divide
from sklearn_irmetrics._checks import TIES, check_option
from sklearn_irmetrics._results.tables import count, import_pandas, name_measure
from sklearn_irmetrics._results.tabular import Rows
from sklearn_irmetrics._typing import Array, AverageOrMicro, Ids, Rankings, Ties
from sklearn_irmetrics._warnings import UndefinedMean, warn_of_undefined
from sklearn_irmetrics.metrics._measure import (
    Measure,
    as_label,
    as_measure,
    averaging_of,
    formula_parameters,
)
from sklearn_irmetrics.metrics._per_query import average_of
from sklearn_irmetrics.metrics._ranking.averages import (
    average_queries,
    check_replacement,
)
from sklearn_irmetrics.metrics._ranking.batch import check_document_weights
from sklearn_irmetrics.metrics._ranking.compute import (
    make_task,
    prepare,
    run_tasks,
    warn_of_low_precision_scores,
)
from sklearn_irmetrics.metrics._ranking.gains import Documents, Judged, Relevant
from sklearn_irmetrics.metrics._ranking.judgments import Judgments
from sklearn_irmetrics.metrics._ranking.parameters import (
    check_by_rules,
    check_relevance,
)
from sklearn_irmetrics.metrics._ranking.sets import (
    AVERAGES,
    Sets,
    count_cells,
    grades_of_class,
    is_one_set,
    values_of_counts,
)
from sklearn_irmetrics.metrics.sets import cost_of_cells

if TYPE_CHECKING:
    from pandas import DataFrame

    from sklearn_irmetrics.plot import ThresholdDisplay

# Of the default thresholds of measures that rank all documents at each of them.
_MOST_RANKINGS = 1000
# Values of queries at thresholds that are computed at once.
_AT_ONCE = 2_000_000


class BestThreshold(NamedTuple):
    """The threshold with the best value.

    Attributes
    ----------
    threshold : float
        Of several with the same value, the largest. Infinity: retrieve nothing.
    value : float
        The measure there.
    """

    threshold: float
    value: float


@dataclass(frozen=True, repr=False)
class ThresholdCurve(Rows):
    """A measure at many thresholds; ``thresholds, values = curve`` unpacks it.

    Attributes
    ----------
    thresholds : ndarray of shape (n_thresholds,)
        What is retrieved has at least this score.
    values : ndarray of shape (n_thresholds,) or (n_queries, n_thresholds)
        The measure at each threshold.
    metric : str
        Its name.
    greater_is_better : bool
        Whether larger values are better.
    """

    thresholds: Array
    values: Array
    metric: str
    greater_is_better: bool

    def __iter__(self) -> Iterator[Array]:
        """Yield the thresholds and the values."""
        return iter((self.thresholds, self.values))

    @property
    def best(self) -> BestThreshold:
        """The best threshold and its value; both NaN where nothing is defined.

        A value that was chosen because it is the best is optimistic: estimate how good
        the threshold is on other data.
        """
        if self.values.ndim > 1:
            raise ValueError("best needs one value per threshold; got average=None.")
        if np.isnan(self.values).all():
            return BestThreshold(float("nan"), float("nan"))
        better = np.nanmax if self.greater_is_better else np.nanmin
        value = better(self.values)
        threshold = self.thresholds[self.values == value].max()
        return BestThreshold(float(threshold), float(value))

    def plot(self, **kwargs: Any) -> ThresholdDisplay:
        """Draw the measure against the threshold; needs matplotlib.

        Parameters
        ----------
        **kwargs
            Passed to :meth:`sklearn_irmetrics.plot.ThresholdDisplay.plot`.

        Returns
        -------
        sklearn_irmetrics.plot.ThresholdDisplay
        """
        from sklearn_irmetrics.plot import ThresholdDisplay

        return ThresholdDisplay.from_curve(self, **kwargs)

    def to_frame(self) -> DataFrame:
        """Return the curve as a `pandas.DataFrame`, a row per threshold."""
        return import_pandas().DataFrame(self._arrays())

    def _arrays(self):
        if self.values.ndim > 1:
            return {"threshold": self.thresholds}
        return {"threshold": self.thresholds, self.metric: self.values}

    def _title(self):
        of_queries = ""
        if self.values.ndim > 1:
            of_queries = f"; values has a row for each of {len(self.values)} queries"
        at = count(len(self.thresholds), "threshold")
        metric = name_measure(self.metric, self.greater_is_better)
        return f"{metric} at {at}{of_queries}"


def threshold_curve(
    metric: str | Measure,
    y_true: Rankings,
    y_score: Rankings,
    *,
    thresholds: ArrayLike | None = None,
    qid: Ids | None = None,
    marks: Mapping[str, Any] | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
    n_jobs: int | None = None,
) -> ThresholdCurve:
    """Compute a measure at all thresholds, below which nothing is retrieved.

    Each threshold decides for all queries at once, so scores must be comparable between
    queries: probabilities or similarities are, scores of BM25 and of models trained on
    the order within queries only are not.

    Parameters
    ----------
    metric : str or Measure
        A measure of sets or of rankings, such as ``"set_f1"``, ``"recall@5"`` or
        ``"silence"``; without a cutoff, of all documents that are retrieved. Or
        ``Measure("set_cost", cost_matrix=...)`` of two classes.
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better, NaN: unjudged. Class labels if the measure has a
        `pos_label`, or is ``set_cost``, whose second class is the positive one. For
        measures of subtopics of shape (n_documents, n_subtopics).
    y_score : array-like of the shape of `y_true`, or CSR
        Scores, such as probabilities of the positive class; larger ranks higher, -inf:
        not retrieved.
    thresholds : array-like of shape (n_thresholds,), default=None
        Documents with a score below a threshold count as not retrieved, as if their
        score were -inf; a score equal to it is enough. They are compared as numbers of
        the type of the scores: 0.7 is enough for a float32 score of 0.7. In any order;
        -inf and inf are allowed. None: each distinct score, and inf; for measures of
        rankings at most 1000 of them, evenly spread over the distinct scores.
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D input. None: all rows are one ranking, or one set.
    marks : dict of str to array-like of the shape of `y_true`, default=None
        Arrays that some measures need: ``"known"``, the documents that the user
        already knew; ``"pooled"``, the unjudged documents that were in the pool (for
        inferred average precision); and those of
        `sklearn_irmetrics.metrics.experimental`, of which
        ``"membership"`` and ``"vectors"`` have one more axis.
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query. For
        measures of one set, one weight per row.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        How to rank tied documents: return the exact expectation over all their orders,
        or take the best order, the worst order, or the order of the rows.
    average : {"macro", "micro", "geometric"} or None, default="macro"
        As for the measure itself; None: one row of values per query.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean and warns.
    n_jobs : int, default=None
        Number of threads: None is 1 outside a :obj:`joblib.parallel_config` context, -1
        all cores. The values are the same up to rounding.

    Returns
    -------
    ThresholdCurve
        With `thresholds`, rising unless they were given, `values`, `best` and `plot()`.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    metric_at_cutoffs : A measure at many cutoffs.
    max_fbeta_score : The best F of a ranking.
    silence_score : Whether nothing is retrieved if there is nothing to find.
    sklearn_irmetrics.plot.ThresholdDisplay : Draws it.
    sklearn.model_selection.TunedThresholdClassifierCV : Chooses a threshold by
        cross-validation.

    Examples
    --------
    >>> from sklearn_irmetrics.reports import threshold_curve
    >>> y_true, y_score = [0, 0, 1, 0, 1], [0.1, 0.3, 0.4, 0.6, 0.8]
    >>> curve = threshold_curve("set_f1", y_true, y_score)
    >>> curve.best
    BestThreshold(threshold=0.4, value=0.8)

    A miss costs 5, a false alarm 1:

    >>> from sklearn_irmetrics import Measure
    >>> cost = Measure("set_cost", cost_matrix=[[0, 1], [5, 0]])
    >>> threshold_curve(cost, y_true, y_score).best
    BestThreshold(threshold=0.4, value=1.0)

    Of three questions, the last one has no answer:

    >>> y_true, qid = [1, 0, 0, 1, 0, 0], [1, 1, 2, 2, 3, 3]
    >>> y_score = [0.9, 0.4, 0.7, 0.6, 0.5, 0.2]
    >>> options = {"thresholds": [0, 0.55, 0.8], "qid": qid, "average": None}
    >>> threshold_curve("success@2", y_true, y_score, **options).values
    array([[ 1.,  1.,  1.],
           [ 1.,  1.,  0.],
           [nan, nan, nan]])
    >>> threshold_curve("silence", y_true, y_score, **options).values
    array([[nan, nan, nan],
           [nan, nan, nan],
           [ 0.,  1.,  1.]])
    """
    measure = as_measure("metric", metric)
    facts, label = measure.metric, as_label(metric)
    check_option("ties", ties, TIES)
    if facts.kind == "labels" and facts.sum_unless is None:
        raise ValueError(
            "metric must be a measure of rankings or of sets, or set_cost; got "
            f"{metric!r}."
        )
    check_row_order(
        y_true=y_true, y_score=y_score, qid=qid, sample_weight=sample_weight
    )
    check_column_order(y_true=y_true, y_score=y_score)
    y_true = _read_classes(measure, y_true)
    row_weights = None
    if facts.kind != "ranking" and is_one_set(y_true, qid):
        weighed = as_array("y_true", y_true)
        row_weights = check_document_weights(sample_weight, weighed)
        sample_weight = None
    judgments = Judgments(y_true, qid, sample_weight, marks)
    batch = judgments.batch(y_score, subtopics=facts.subtopics)
    if thresholds is None:
        # The scores at which a set changes, and infinity.
        scores = batch.scores.data if issparse(batch.scores) else batch.scores
        levels = np.unique(scores)
        if levels.dtype.kind != "f":
            levels = levels.astype(np.float64)
        levels = levels[np.isfinite(levels)]
        levels = np.append(levels, np.array(np.inf, levels.dtype))
        if facts.kind == "ranking" and len(levels) > _MOST_RANKINGS:
            places = np.linspace(0, len(levels) - 1, _MOST_RANKINGS).round()
            levels = levels[places.astype(int)]
    else:
        levels = check_thresholds(thresholds, batch)
    if facts.kind == "ranking" or batch.sparse:
        values, n_undefined = _values_of_rankings(
            measure, batch, levels, ties, average, replace_undefined_by, n_jobs
        )
    else:
        values, n_undefined = _values_of_sets(
            measure, batch, levels, row_weights, average, replace_undefined_by
        )
    if thresholds is None and values.ndim == 1 and not np.isnan(values).all():
        n_undefined = n_undefined[~np.isnan(values)]  # NaN says so itself
    if most := n_undefined.max(initial=0):
        # Once, of the threshold that leaves out most.
        name = facts.function.__name__
        n_queries = batch.n_queries
        if batch.weights is not None:
            n_queries = int(np.count_nonzero(batch.weights))
        left_out = f"{most} of {n_queries} queries"
        warn_of_undefined([UndefinedMean(name, facts.undefined_if, left_out)])
    return ThresholdCurve(
        levels.astype(np.float64),
        values,
        label if isinstance(label, str) else str(measure),
        measure.metric.greater_is_better,
    )


def _read_classes(measure, y_true):
    """Return `y_true`, or which documents are of the positive class of a set."""
    facts, arguments = measure.metric, measure.arguments
    if facts.kind == "ranking":
        return y_true
    if facts.kind == "set" and arguments.get("pos_label") is None:
        return y_true
    if facts.kind == "set":
        return grades_of_class(y_true, arguments["pos_label"])
    labels = as_array("y_true", y_true)
    present = np.unique(labels).tolist()
    if (classes := arguments.get("labels")) is None:
        classes = [0, 1] if set(present) <= {0, 1} else present
    elif len(classes) != 2 or not classes[0] < classes[1]:
        raise ValueError(
            "labels of set_cost must be two classes in ascending order for the costs "
            "of thresholds, because y_score is that of the second one; got "
            f"{list(classes)!r}."
        )
    if len(classes) != 2 or not set(present) <= {*classes}:
        raise ValueError(
            "y_true must hold two classes for the costs of thresholds, of which the "
            f"second is the positive one; got {present[:5]!r}."
        )
    return (labels == classes[1]).astype(np.float64)


def check_thresholds(thresholds, batch):
    """Return thresholds as numbers that compare with scores exactly."""
    levels = as_floats("thresholds", thresholds)
    if levels.ndim != 1 or not len(levels) or np.isnan(levels).any():
        raise ValueError(
            "thresholds must be a non-empty list of numbers, not of NaN; got "
            f"{thresholds!r}."
        )
    if batch.scores.dtype.kind != "f":
        return levels
    with np.errstate(over="ignore"):  # of float32, to infinity
        levels = levels.astype(batch.scores.dtype)
    if batch.low_precision == "bfloat16":  # which NumPy lacks: the nearest of these
        bits = levels.astype(np.float32).view(np.uint32)
        to_even = np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))
        levels = (bits + to_even & np.uint32(0xFFFF0000)).view(np.float32)
    return levels


def _values_of_rankings(
    measure, batch, levels, ties, average, replace_undefined_by, n_jobs
):
    """Return the values at each threshold, and how many queries are undefined there."""
    facts, parameters = measure.metric, formula_parameters(measure)
    kind_of_mean = averaging_of(measure, average, replace_undefined_by)["average"]
    tasks = []
    if facts.kind == "ranking":
        tasks = [make_task(facts.formula, parameters, batch, kind_of_mean)]
        warn_of_low_precision_scores(batch)
        batch = prepare(tasks, batch, ties)
    else:
        formula, parameters = _formula_of_sets(measure)
    results, n_undefined = [], []
    for level in levels:
        documents = batch.with_scores(_retrieved(batch.scores, level), None)
        if tasks:
            (values,) = run_tasks(tasks, documents, ties, n_jobs)
        else:
            _, counts = count_cells(formula, parameters, Sets.of_ranking(documents))
            values = np.concatenate([counts, np.ones((1, batch.n_queries))])
        mean = average_of(
            measure, values, batch.weights, replace_undefined_by, average=average
        )
        results.append(mean.result)
        n_undefined.append(mean.n_undefined)
    return np.stack(results, axis=-1), np.array(n_undefined)


def _formula_of_sets(measure):
    """Return the formula of the four counts of a set, and its parameters."""
    parameters = formula_parameters(measure)
    if measure.metric.kind == "set":
        del parameters["pos_label"]
        return measure.metric.formula, parameters
    return partial(
        cost_of_cells,
        cost_matrix=measure.arguments.get("cost_matrix"),
        normalize=measure.arguments.get("normalize", False),
    ), {}


def _values_of_sets(measure, batch, levels, weights, average, replace_undefined_by):
    """Return the values at each threshold, and how many queries are undefined there.

    The documents are sorted into the intervals between thresholds once, and their
    counts are summed from the largest threshold on.
    """
    formula, parameters = _formula_of_sets(measure)
    threshold, judged_only = None, False
    if measure.metric.kind == "set":
        parameters = check_by_rules(measure.metric.formula, parameters)
        judged_only = parameters.pop("judged_only")
        threshold = check_relevance(parameters.pop("relevance_threshold"), None, batch)
        formula = partial(formula, **parameters)
    options = averaging_of(measure, average, replace_undefined_by)
    if options["average"] is not None:
        check_option("average", options["average"], AVERAGES)
    values_of = partial(_values_of_cells, measure.metric.function.__name__, formula)
    rising = np.unique(levels)
    parts = [
        _average_at_thresholds(counts, values_of, batch.weights, **options)
        for counts in _counts_at(
            batch, rising, Relevant(threshold), judged_only, weights
        )
    ]
    results, n_undefined = (
        np.concatenate(part)[::-1] for part in zip(*parts, strict=True)
    )
    at = np.searchsorted(rising, levels)
    return np.moveaxis(results[at], 0, -1), n_undefined[at]


def _values_of_cells(name, formula, counts):
    """Return the values of a formula of counts, which may be arrays of any shape."""
    values = values_of_counts(name, formula, counts.reshape(4, -1))
    return values.reshape(counts.shape[1:])


def _average_at_thresholds(
    counts, values_of, weights, *, average, replace_undefined_by, **options
):
    """Return averages over queries, and how many queries each leaves out.

    Parameters
    ----------
    counts : ndarray of shape (4, n_thresholds, n_queries)
        True and false positives, false and true negatives.
    values_of : callable
        Returns the values of counts.
    weights : ndarray of shape (n_queries,) or None
        One weight per query.
    average, replace_undefined_by, **options
        As for `average_queries`.
    """
    values, replacement = values_of(counts), check_replacement(replace_undefined_by)
    n_thresholds, n_queries = values.shape
    weights = np.ones(n_queries) if weights is None else weights
    if average == "geometric":
        averaged = [
            average_queries(row, weights, name="", average=average, **options)
            for row in np.where(np.isnan(values), replacement, values)
        ]
        means = np.array([at.mean for at in averaged])
        return means, np.array([at.n_undefined for at in averaged])
    if average == "micro":
        means = values_of((counts * weights).sum(axis=2))
        means = np.where(np.isnan(means), replacement, means)
        return means, np.isnan(means) * np.count_nonzero(weights)
    values = np.where(np.isnan(values), replacement, values)
    if average is None:
        return values, np.zeros(n_thresholds, dtype=int)
    shares = np.where(np.isnan(values), 0.0, weights)
    means = divide((shares * np.nan_to_num(values)).sum(axis=1), shares.sum(axis=1))
    return means, (np.isnan(values) & (weights > 0)).sum(axis=1)


def _counts_at(batch, rising, relevant, judged_only, weights):
    """Yield tp, fp, fn and tn of each query at some thresholds, the largest first.

    Parameters
    ----------
    batch : RankingBatch
        Documents, not sparse.
    rising : ndarray of shape (n_thresholds,)
        Distinct thresholds.
    relevant : Relevant
        Which documents are relevant.
    judged_only : bool
        Whether unjudged documents are left out.
    weights : ndarray of shape (n_documents,) or None
        The weight of each document.

    Yields
    ------
    ndarray of shape (4, n_some, n_queries)
    """
    documents = Documents(np.asarray(to_dense(batch.grades)), batch.marks)
    good = relevant(documents).ravel()
    if batch.offsets is None:
        query = np.repeat(np.arange(batch.n_queries), documents.grades.shape[1])
    else:
        query = np.empty(len(good), dtype=np.intp)
        lengths = np.diff(batch.offsets)
        rows = slice(None) if batch.order is None else batch.order
        query[rows] = np.repeat(np.arange(batch.n_queries), lengths)
    weights = np.ones(len(good)) if weights is None else weights
    if judged_only:
        weights = weights * Judged()(documents).ravel()
    scores = batch.scores.ravel()
    # How many thresholds a document reaches; those at -inf were not retrieved.
    reached = np.searchsorted(rising, scores, side="right")
    reached[scores == -np.inf] = 0
    by_reached = np.argsort(reached, kind="stable")
    n, size = batch.n_queries, max(1, _AT_ONCE // batch.n_queries)
    sums = [
        np.bincount(query, weights * of_kind, minlength=n) for of_kind in (good, ~good)
    ]
    counted = np.zeros((2, n))
    ends = np.searchsorted(reached[by_reached], np.arange(len(rising) + 2))
    for stop in range(len(rising), 0, -size):
        start = max(0, stop - size)
        rows = by_reached[ends[start + 1] : ends[stop + 1]]
        cells = (stop - reached[rows]) * n + query[rows]
        retrieved = []
        for i, of_kind in enumerate((good, ~good)):
            added = np.bincount(
                cells, weights[rows] * of_kind[rows], minlength=(stop - start) * n
            )
            at = counted[i] + np.cumsum(added.reshape(-1, n), axis=0)
            counted[i] = at[-1]
            retrieved.append(at)
        tp, fp = retrieved
        yield np.stack([tp, fp, sums[0] - tp, sums[1] - fp])


def _retrieved(scores, level):
    """Return scores with -inf for those below a threshold."""
    if not issparse(scores):
        return np.where(scores >= level, scores, -np.inf)
    from scipy.sparse import csr_array

    kept = np.where(scores.data >= level, scores.data, -np.inf)
    return csr_array((kept, scores.indices, scores.indptr), shape=scores.shape)
