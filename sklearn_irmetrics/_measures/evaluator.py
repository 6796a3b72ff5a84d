"""Many measures, or many cutoffs, of one set of rankings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import or_
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from sklearn_irmetrics._core.aggregate import aggregate, aggregate_rows
from sklearn_irmetrics._core.inputs import check_judgments
from sklearn_irmetrics._core.marks import check_marks
from sklearn_irmetrics._core.namespace import is_tensor, namespace, to_numpy
from sklearn_irmetrics._core.numbers import as_array, as_numbers
from sklearn_irmetrics._core.parameters import check_count, check_parameters
from sklearn_irmetrics._core.score import make_task, run_at_cutoffs, run_tasks
from sklearn_irmetrics._core.sets import Sets, check_sets, count_cells, score_counts
from sklearn_irmetrics._core.subtopics import largest_grades
from sklearn_irmetrics._measures.measure import (
    Measure,
    as_averaged,
    as_measure,
    kernel_parameters,
)
from sklearn_irmetrics._measures.tabular import Tabular
from sklearn_irmetrics._tables import Number, Table, import_pandas, write_text
from sklearn_irmetrics._typing import (
    Array,
    ArrayLike,
    AverageOrMicro,
    Ids,
    Measures,
    Rankings,
    Ties,
)

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class QueryScores(Tabular):
    """Scores per query, and their means, by measure.

    Attributes
    ----------
    query_ids : ndarray of shape (n_queries,)
        Ids in order of first appearance, or row numbers for 2-D input.
    scores : dict of str to ndarray of shape (n_queries,)
        One value per query by measure, as it was named; NaN where undefined.
    mean : dict of str to float
        The average over queries by measure.
    """

    query_ids: np.ndarray
    scores: dict[str, np.ndarray]
    mean: dict[str, float]

    def to_frame(self) -> DataFrame:
        """Return the scores as a table.

        Returns
        -------
        pandas.DataFrame of shape (n_queries, n_measures)
            Query ids in the index.
        """
        (name, ids), *scores = self._data()
        pd = import_pandas()
        return pd.DataFrame(dict(scores), index=pd.Index(ids, name=name))

    def __repr__(self):
        """Show the averages, one measure a line."""
        return write_text(self._table(), header=False)

    def _table(self):
        rows = [(name, Number(float(value))) for name, value in self.mean.items()]
        title = [f"QueryScores of {len(self.query_ids)} queries"]
        return Table(title, ("measure", "mean"), rows, "<>")

    def _data(self):
        columns = [("qid", self.query_ids), *self.scores.items()]
        return [(name, to_numpy(values)) for name, values in columns]


def score_queries(
    y_true: Rankings,
    y_score: Rankings,
    metrics: Measures,
    *,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    marks: Mapping[str, Any] | None = None,
    y_pred: ArrayLike | None = None,
    ties: Ties = "average",
    replace_undefined_by: float = np.nan,
    n_jobs: int | None = None,
) -> QueryScores:
    """Compute many measures from one ordering of the documents.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better, NaN: unjudged. For measures of subtopics of shape
        (n_documents, n_subtopics); others in the same call see the largest grade of
        each document.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. Torch tensors, both on one
        device, are scored there.
    metrics : str or Measure, list of them, or dict of str to them
        Names such as ``"ndcg@10"``; a dict gives them labels of your own.
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D input. None: all rows are one ranking.
    labels : array-like of shape (n_classes,), default=None
        Classes of the columns of `y_score`, where `y_true` holds class labels.
    sample_weight : array-like, default=None
        One weight per query: per row with 1-D input (constant inside a query).
    marks : dict of str to array-like of the shape of `y_true`, default=None
        Facts about documents that some measures need: ``"known"``, which documents
        the user knew; ``"pooled"``, which unjudged documents were in the pool (for
        inferred average precision).
    y_pred : array-like of the shape of `y_true`, default=None
        What measures of sets and of labels look at: which documents were retrieved,
        or the labels of documents. None: retrieved is what has a score above -inf
        (of boolean scores, what is True), and labels are the scores. Then sets refuse
        scores of zeros and ones only, and measures of labels those that are not whole.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        The exact expectation over all orders of tied documents, the best order, the
        worst order, or the order of the rows.
    replace_undefined_by : float, default=np.nan
        What an undefined query counts as; NaN leaves it out of the mean and warns.
    n_jobs : int, default=None
        How many threads share the work: None is 1 outside a
        :obj:`joblib.parallel_config` context, -1 all cores. The values are the same.

    Returns
    -------
    QueryScores
        With `query_ids`, `scores`, `mean`, `to_frame()`, `to_csv()` of every query;
        `to_latex()`, `to_markdown()` of the means.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    Examples
    --------
    >>> from sklearn_irmetrics import score_queries
    >>> score_queries(
    ...     [1, 0, 0, 2], [.9, .1, .7, .7], ["ndcg@10", "map"], qid=[5, 5, 6, 6]
    ... )
    QueryScores of 2 queries
      ndcg@10  0.9077
      map      0.8750
    """
    measures = as_averaged("metrics", metrics)
    subtopics = any(measure.metric.subtopics for measure in measures.values())
    judgments = check_judgments(
        y_true,
        y_score,
        qid=qid,
        labels=labels,
        sample_weight=sample_weight,
        marks=check_marks(marks),
        subtopics=subtopics,
    )
    if subtopics:
        y_true = largest_grades(y_true)
    if y_pred is not None:
        shape, expected = _shape("y_pred", y_pred), _shape("y_true", y_true)
        if shape != expected:
            raise ValueError(
                f"y_pred must have the shape of y_true, {expected}; got {shape}."
            )
    given = Given(y_true, y_score, y_pred, qid)
    values = values_per_query(measures, given, judgments, ties=ties, n_jobs=n_jobs)
    return average_values(
        measures, values, judgments.query_ids, judgments.weights, replace_undefined_by
    )


def _shape(name, values):
    """Return the shape of what has one, and of lists."""
    has_shape = hasattr(values, "shape")
    return tuple((values if has_shape else as_array(name, values)).shape)


class Given(NamedTuple):
    """What judgments were made of, for measures that do not rank."""

    y_true: object
    y_score: object
    y_pred: object = None
    qid: object = None


def values_per_query(measures, given, judgments, *, ties, n_jobs=None):
    """Return for each measure its values per query, as `run_tasks` does.

    Of sets these are the counts that values are made of, and the kinds of scores.

    Parameters
    ----------
    measures : dict of str to Measure
        By label.
    given : Given
        What the judgments were made of.
    judgments : Judgments
        The same, checked.
    ties, n_jobs : str, int or None
        As for `score_queries`.
    """
    parameters = {
        label: kernel_parameters(measure) for label, measure in measures.items()
    }
    of_kind = {"ranking": [], "set": [], "labels": []}
    for label, measure in measures.items():
        of_kind[measure.metric.kind].append(label)
    tasks = [
        make_task(
            measures[label].metric.kernel,
            parameters[label],
            judgments,
            measures[label].average,
        )
        for label in of_kind["ranking"]
    ]
    ranked = run_tasks(tasks, judgments, ties, n_jobs) if tasks else []
    values = dict(zip(of_kind["ranking"], ranked, strict=True))
    sets = {}
    for label in of_kind["set"]:
        pos_label = parameters[label].pop("pos_label")
        if pos_label not in sets:
            found = _sets(given, judgments, pos_label)
            sets[pos_label] = found, found.kinds_of_scores()
        found, kinds = sets[pos_label]
        _, counts = count_cells(measures[label].metric.kernel, parameters[label], found)
        values[label] = namespace(counts).concatenate([counts, kinds[None]])
    for label in of_kind["labels"]:
        function = measures[label].metric.function
        if measures[label].average == "micro":
            raise ValueError(
                "average='micro' must add up all queries at once for "
                f"{label!r}; call {function.__name__} itself."
            )
        values[label] = function(
            given.y_true,
            _labels(given, label),
            qid=given.qid,
            average=None,
            **parameters[label],
        )
    return {label: values[label] for label in measures}


def _labels(given, label):
    """Return the labels that were predicted, which scores are if they are whole."""
    if given.y_pred is not None or issparse(given.y_score):
        return given.y_score if given.y_pred is None else given.y_pred
    scores = given.y_score
    if not is_tensor(scores):
        scores = as_numbers("y_score", as_array("y_score", scores))
    xp = namespace(scores)
    if xp.kind(scores) == "f":
        broken = ~xp.isfinite(scores) | (scores != xp.floor(scores))
        if broken.any():
            raise ValueError(
                f"y_score must hold labels (whole numbers or booleans) for {label!r}, "
                f"where they do not come as y_pred; got {float(scores[broken][0])}."
            )
    return given.y_score


def _sets(given, judgments, pos_label):
    """Return the sets that were retrieved: those predicted, or all that is ranked."""
    if given.y_pred is not None or pos_label is not None:
        y_pred = given.y_score if given.y_pred is None else given.y_pred
        return check_sets(given.y_true, y_pred, pos_label=pos_label, qid=given.qid)
    return Sets.of_ranking(judgments)


def _refuse_predictions(kinds):
    """Refuse scores of all queries that are zeros and ones; see `kinds_of_scores`."""
    if reduce(or_, map(int, set(kinds.tolist()))) == 3:
        raise ValueError(
            "y_score must tell by -inf, or False, which documents were not retrieved; "
            "it holds zeros and ones only. Pass predictions as y_pred, or as booleans."
        )


def average_values(measures, values, query_ids, weights, replace_undefined_by):
    """Return `QueryScores` of what `values_per_query` returned."""
    scores, mean = {}, {}
    for label, measure in measures.items():
        options = {
            "replace_undefined_by": replace_undefined_by,
            "name": measure.metric.function.__name__,
            "average": "macro",
            **measure.averaging,
        }
        combine = partial(aggregate, values[label], weights)
        if measure.metric.kind == "set":
            *counts, kinds = values[label]
            _refuse_predictions(kinds)
            counts = namespace(kinds).stack(counts)
            name, formula = options.pop("name"), _formula(measure)
            combine = partial(score_counts, name, formula, counts, weights)
        mean[label] = combine(**options)
        scores[label] = combine(**{**options, "average": None})
    return QueryScores(query_ids, scores, mean)


def _formula(measure):
    """Return what makes values of a set measure's counts."""
    parameters = kernel_parameters(measure)
    for name in ("relevance_threshold", "judged_only", "pos_label"):
        del parameters[name]
    return partial(measure.metric.kernel, **check_parameters(parameters, None))


def metric_at_cutoffs(
    metric: str | Measure,
    y_true: Rankings,
    y_score: Rankings,
    ks: Sequence[int],
    *,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    marks: Mapping[str, Any] | None = None,
    sample_weight: ArrayLike | None = None,
    ties: Ties = "average",
    average: AverageOrMicro = "macro",
    replace_undefined_by: float = np.nan,
    n_jobs: int | None = None,
) -> Array:
    """Compute a measure at many cutoffs from one ordering of the documents.

    Parameters
    ----------
    metric : str or Measure
        A measure with a cutoff, such as ``"ndcg"`` or ``"q(beta=10)"``.
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better, NaN: unjudged. For measures of subtopics of shape
        (n_documents, n_subtopics).
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved.
    ks : sequence of int
        Cutoff ranks, each at least 1.
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D input. None: all rows are one ranking.
    labels : array-like of shape (n_classes,), default=None
        Classes of the columns of `y_score`, where `y_true` holds class labels.
    marks : dict of str to array-like of the shape of `y_true`, default=None
        Facts about documents that some measures need: ``"known"``, which documents
        the user knew; ``"pooled"``, which unjudged documents were in the pool (for
        inferred average precision).
    sample_weight : array-like, default=None
        One weight per query: per row with 1-D input (constant inside a query).
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        The exact expectation over all orders of tied documents, the best order, the
        worst order, or the order of the rows.
    average : {"macro", "micro", "geometric"} or None, default="macro"
        As the measure itself takes it; None: one row of values per query.
    replace_undefined_by : float, default=np.nan
        What an undefined query counts as; NaN leaves it out of the mean and warns.
    n_jobs : int, default=None
        How many threads share the work: None is 1 outside a
        :obj:`joblib.parallel_config` context, -1 all cores. The values are the same.

    Returns
    -------
    ndarray of shape (n_cutoffs,) or (n_queries, n_cutoffs)
        The measure at each cutoff.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    Examples
    --------
    >>> from sklearn_irmetrics import metric_at_cutoffs
    >>> metric_at_cutoffs("p", [1, 0, 1, 0], [4, 3, 2, 1], [1, 2, 4])
    array([1. , 0.5, 0.5])
    """
    measure = as_measure(metric)
    facts = measure.metric
    with_cutoff = facts.kind == "ranking" and "k" in facts.parameters
    if not with_cutoff or "k" in measure.arguments:
        raise ValueError(
            "metric must name a measure with a cutoff, and no cutoff of its own; got "
            f"{metric!r}."
        )
    judgments = check_judgments(
        y_true,
        y_score,
        qid=qid,
        labels=labels,
        sample_weight=sample_weight,
        marks=check_marks(marks),
        subtopics=facts.subtopics,
    )
    if np.ndim(ks) != 1 or not len(ks):
        raise ValueError(f"ks must be a non-empty list of integers >= 1; got {ks!r}.")
    cutoffs = [check_count("ks", k) for k in ks]
    options = {"average": average, "replace_undefined_by": replace_undefined_by}
    options |= measure.averaging
    if average is None:
        options["average"] = None
    rows = run_at_cutoffs(
        facts.kernel, kernel_parameters(measure), cutoffs, judgments, ties, n_jobs
    )
    return aggregate_rows(
        rows, judgments.weights, name=facts.function.__name__, **options
    )
