"""Many measures of many rankings that share their judgments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.labels import (
    FrameLabels,
    check_column_order,
    check_row_order,
)
from sklearn_irmetrics._arrays.numbers import as_array, issparse
from sklearn_irmetrics._arrays.query_ids import as_ids
from sklearn_irmetrics._checks import TIES, check_option
from sklearn_irmetrics._results.tables import count
from sklearn_irmetrics._typing import Ids, Rankings, Ties
from sklearn_irmetrics._warnings import warn_of_undefined
from sklearn_irmetrics.metrics._measure import Measure, Measures, as_averaged
from sklearn_irmetrics.metrics._per_query import (
    RawInput,
    average_of,
    check_rankings,
    have_subtopics,
    make_tasks,
    shape_of,
    values_per_query,
)
from sklearn_irmetrics.metrics._ranking.averages import check_replacement
from sklearn_irmetrics.metrics._ranking.batch import RankingBatch, replace_scores
from sklearn_irmetrics.metrics._ranking.compute import prepare
from sklearn_irmetrics.metrics._ranking.judgments import Eligible, Judgments
from sklearn_irmetrics.metrics._ranking.marks import check_marks
from sklearn_irmetrics.reports.query_scores import (
    QueryScores,
    score_rankings,
    warn_of_undefined_queries,
)


@dataclass(frozen=True, init=False, repr=False, eq=False)
class RankingEvaluator:
    """Score many rankings of the same documents.

    Judgments are checked and grouped by query once, and everything that depends only on
    them, such as ideal gains, is computed once. This saves time in training loops, with
    many systems, and when scores are resampled. An evaluator is immutable, can be
    pickled, and is safe to share between threads.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better, NaN: unjudged. For measures of subtopics, of shape
        (n_documents, n_subtopics); others use the largest grade of each document. It
        is copied.
    metrics : str or Measure, list of them, or dict of str to them
        Names such as ``"ndcg@10"``; a dict sets their labels in the results.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document, for all measures that have this
        parameter and do not set it themselves. None: any grade above 0.
    judged_only : bool, default=False
        Whether to drop unjudged documents, for all measures that have this parameter.
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D input. None: all rows are one ranking.
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
    marks : dict of str to array-like of the shape of `y_true`, default=None
        Arrays that some measures need, as for `score_queries`.
    candidates : array-like of the shape of `y_score`, or CSR, default=None
        Whether each document may be ranked. All others, such as items that a user has
        seen, are ignored. Entries that CSR does not store are False. None: all may.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        How to rank tied documents: return the exact expectation over all their orders,
        or take the best order, the worst order, or the order of the rows.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean and warns.

    Attributes
    ----------
    query_ids : ndarray of shape (n_queries,)
        Ids in order of first appearance, or row numbers for 2-D input.
    measures : dict of str to Measure
        The measures that are computed, by label.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    score_queries : The same for one ranking.

    Notes
    -----
    A sparse `y_true` is checked and grouped once, but packed again for every ranking,
    because the ranking determines which documents are listed; with `candidates` it is
    packed once.

    Examples
    --------
    >>> from sklearn_irmetrics.reports import RankingEvaluator
    >>> evaluator = RankingEvaluator([1, 0, 0, 2], ["ndcg@10", "map"], qid=[5, 5, 6, 6])
    >>> evaluator([.9, .1, .2, .7])
    {'ndcg@10': 1.0, 'map': 1.0}
    >>> evaluator.score_queries([.9, .1, .7, .7])
    2 queries
    <BLANKLINE>
    measure   mean  queries
    ndcg@10  0.908        2
    map      0.875        2
    """

    _measures: dict[str, Measure]
    _batch: RankingBatch
    _given: RawInput
    _only: Eligible | None
    _shape: tuple[int, ...]
    _labels: dict[str, FrameLabels]
    _tasks: dict[str, Any] | None
    _rules: dict[str, Any]

    def __init__(
        self,
        y_true: Rankings,
        metrics: Measures,
        *,
        relevance_threshold: float | None = None,
        judged_only: bool = False,
        qid: Ids | None = None,
        sample_weight: ArrayLike | None = None,
        marks: Mapping[str, Any] | None = None,
        candidates: Rankings | None = None,
        ties: Ties = "average",
        replace_undefined_by: float = np.nan,
    ) -> None:
        measures = as_averaged(
            "metrics",
            metrics,
            relevance_threshold=relevance_threshold,
            judged_only=judged_only,
        )
        check_option("ties", ties, TIES)
        replacement = check_replacement(replace_undefined_by)
        scores = _any_scores(y_true, qid, have_subtopics(measures))
        only = None if candidates is None else Eligible.of(candidates, scores, qid)
        documents = {"y_true": y_true, "candidates": candidates, **check_marks(marks)}
        rows = {**documents, "qid": qid, "sample_weight": sample_weight}
        check_row_order(**rows)
        check_column_order(**documents)
        judgments = Judgments(y_true, qid, sample_weight, marks, only)
        raw, batch = check_rankings(measures, judgments, scores)
        batch = replace(  # that no one else can change
            batch,
            grades=_own(batch.grades),
            marks={name: _own(mark) for name, mark in batch.marks.items()},
            weights=None if batch.weights is None else _own(batch.weights),
        )
        shape = tuple(scores.shape if only is None else only.rows.shape)
        sparse = issparse(batch.grades)
        dense = batch.with_scores(np.zeros((0, 0)), None)  # as scores may be
        tasks = make_tasks(measures, dense if sparse else batch)
        # A user's function is not called with invented scores.
        known = [
            task for key, task in tasks.items() if not measures[key].metric.is_custom
        ]
        if any(
            measure.metric.kind == "labels"
            or measure.metric.kind == "set"
            and measure.arguments.get("pos_label") is not None
            for measure in measures.values()
        ):  # which are computed from rows, not from checked judgments
            own_qid = raw.qid
            if own_qid is not None:
                own_qid = _own(as_ids(own_qid))
            raw = RawInput(_own(raw.y_true), None, qid=own_qid)
        else:
            raw = RawInput(None, None)
        attributes = {
            "_measures": measures,
            "_batch": prepare(known, batch, ties),
            "_given": raw,
            "_only": only,
            "_shape": shape,
            "_labels": {name: FrameLabels.of(values) for name, values in rows.items()},
            "_tasks": None if sparse else tasks,
            "_rules": {"ties": ties, "replace_undefined_by": replacement},
        }
        for name, value in attributes.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        """Show the measures and the number of queries."""
        names = ", ".join(map(str, self._measures))
        queries = count(len(self._batch.query_ids), "query")
        return f"RankingEvaluator: {names}; judgments of {queries}"

    @property
    def query_ids(self) -> np.ndarray:
        """Ids in order of first appearance, or row numbers for 2-D input."""
        return self._batch.query_ids.copy()

    @property
    def measures(self) -> dict[str, Measure]:
        """The measures that are computed, by label."""
        return dict(self._measures)

    def __call__(self, y_score: Rankings) -> dict[str, float]:
        """Return the averages of a ranking.

        Parameters
        ----------
        y_score : array-like of the shape of `y_true`, or CSR if that is
            Scores; larger ranks higher, -inf: not retrieved.

        Returns
        -------
        dict of str to float
            The average of each measure by label; NaN if no query is defined.

        Raises
        ------
        TypeError, ValueError
            If the scores have another kind or shape, or contain NaN; for measures of
            sets also if they do not say what was retrieved (see `score_queries`).
        """
        raw, batch = self._rankings(y_score)
        values = values_per_query(
            self._measures, raw, batch, ties=self._rules["ties"], tasks=self._tasks
        )
        replacement = self._rules["replace_undefined_by"]
        mean, undefined = {}, []
        for label, measure in self._measures.items():
            average = average_of(measure, values[label], batch.weights, replacement)
            mean[label] = average.mean
            undefined += average.undefined_means(label, measure.metric.undefined_if)
        warn_of_undefined(undefined)
        return mean

    def score_queries(
        self, y_score: Rankings, n_jobs: int | None = None
    ) -> QueryScores:
        """Return the scores of every query of a ranking, as `score_queries` does.

        Parameters
        ----------
        y_score : array-like of the shape of `y_true`, or CSR if that is
            Scores; larger ranks higher, -inf: not retrieved.
        n_jobs : int, default=None
            Number of threads: None is 1 outside a :obj:`joblib.parallel_config`
            context, -1 all cores. The values are the same up to rounding.

        Returns
        -------
        QueryScores
            With `query_ids`, `scores`, `mean`, and tables of them.

        Raises
        ------
        TypeError, ValueError
            If the scores have another kind or shape, or contain NaN; for measures of
            sets also if they do not say what was retrieved (see `score_queries`).
        """
        raw, batch = self._rankings(y_score)
        batch = replace(batch, query_ids=self.query_ids)
        options = {**self._rules, "n_jobs": n_jobs, "tasks": self._tasks}
        scores = score_rankings(self._measures, raw, batch, **options)
        warn_of_undefined_queries(scores)
        return scores

    def _rankings(self, y_score):
        """Return the same as `check_rankings`, for these scores."""
        check_row_order(**self._labels, y_score=y_score)
        check_column_order(**self._labels, y_score=y_score)
        if self._only is not None:
            y_score = self._only.take_scores(y_score)
        batch = replace_scores(self._batch, y_score, self._shape)
        return self._given._replace(y_score=y_score), batch


def _any_scores(y_true, qid, subtopics):
    """Return scores of the shape that fits `y_true`, all different in a query."""
    if issparse(y_true):
        from scipy.sparse import csr_array

        return csr_array(y_true.shape)
    shape = shape_of("y_true", y_true)
    if not shape:
        raise ValueError(f"y_true must be 1-D or 2-D; got the scalar {y_true!r}.")
    one_column = len(shape) == 2 and shape[1] == 1
    if subtopics or (one_column and qid is not None):
        shape = shape[:1]
    return np.broadcast_to(-np.arange(shape[-1], dtype=np.float64), shape)


def _own(values):
    """Return a copy, converted to an array if it is none."""
    if issparse(values):
        return values.copy()
    return np.array(as_array("y_true", values))
