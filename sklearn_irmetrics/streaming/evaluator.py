"""Many measures of rankings that come in parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.query_ids import as_keys
from sklearn_irmetrics._checks import TIES, check_option
from sklearn_irmetrics._results.tables import count
from sklearn_irmetrics._typing import Ids, PerQuery, Rankings, Ties
from sklearn_irmetrics.metrics._measure import (
    Measures,
    as_averaged,
    say_unequal,
    try_out,
)
from sklearn_irmetrics.metrics._ranking.averages import check_replacement
from sklearn_irmetrics.metrics._ranking.judgments import Judgments
from sklearn_irmetrics.reports.query_scores import refuse_other_ids, score_part
from sklearn_irmetrics.streaming.state import State, count_queries_of, fix_classes
from sklearn_irmetrics.streaming.summary import ScoreSummary, summarize


class StreamingEvaluator:
    """Average rankings that come in parts: batches, files, processes, machines.

    Each part must hold whole queries. The averages and intervals equal those of one
    call of `score_queries` with all rows, up to rounding, for any parts and in any
    order. Only sums are kept: 120 bytes per measure, and as many for each segment or
    group. An evaluator can be pickled, so workers can update their own and send it
    back.

    Parameters
    ----------
    metrics : str or Measure, list of them, or dict of str to them
        Names such as ``"ndcg@10"``; a dict sets their labels in the results.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document, for all measures that have this
        parameter and do not set it themselves. None: any grade above 0.
    judged_only : bool, default=False
        Whether to drop unjudged documents, for all measures that have this parameter.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        How to rank tied documents: return the exact expectation over all their orders,
        or take the best order, the worst order, or the order of the rows.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean and warns.

    See Also
    --------
    QueryScores : With `concat`, which joins scores of queries, such as for `compare`.
    sklearn_irmetrics.frames.summarize_frame : The same for tables, files and clusters.

    Notes
    -----
    Ids are not kept: only the last query of a part is compared with the next part, so a
    query that is sent twice counts twice. Queries of weight 0 are not counted.

    A class that is named as ``pos_label`` must be in each part that has several others.

    Examples
    --------
    >>> from sklearn_irmetrics.streaming import StreamingEvaluator
    >>> first = StreamingEvaluator(["ndcg@10", "map"])
    >>> first.update([1, 0], [.9, .1], qid=[5, 5])
    >>> second = StreamingEvaluator(["ndcg@10", "map"])
    >>> second.update([0, 2], [.7, .7], qid=[6, 6])
    >>> first.merge(second)
    >>> first.compute()
    2 queries
    <BLANKLINE>
    measure   mean  queries
    ndcg@10  0.908        2
    map      0.875        2
    """

    def __init__(
        self,
        metrics: Measures,
        *,
        relevance_threshold: float | None = None,
        judged_only: bool = False,
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
        for measure in measures.values():
            try_out(measure)
        self._measures = {
            key: fix_classes(measure) for key, measure in measures.items()
        }
        self._ties = ties
        self._replacement = check_replacement(replace_undefined_by)
        self._uses: tuple[bool, ...] | None = None
        self._last_id: np.ndarray | None = None
        self._state: State | None = None

    def __repr__(self) -> str:
        """Show the measures and the number of queries."""
        names = ", ".join(map(str, self._measures))
        n = 0 if self._state is None else sum(count_queries_of(self._state.table))
        return f"StreamingEvaluator: {names}; {count(n, 'query')} so far"

    def update(
        self,
        y_true: Rankings,
        y_score: Rankings,
        *,
        qid: Ids | None = None,
        sample_weight: ArrayLike | None = None,
        marks: Mapping[str, Any] | None = None,
        candidates: Rankings | None = None,
        by: PerQuery = None,
        groups: PerQuery = None,
    ) -> None:
        """Add rankings of whole queries.

        Parameters
        ----------
        y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
            Grades, as for `score_queries`.
        y_score : array-like of the shape of `y_true`, or CSR
            Scores; larger ranks higher, -inf: not retrieved.
        qid : array-like of shape (n_documents,), default=None
            Query ids, for 1-D input. None: all rows are one ranking.
        sample_weight : array-like, default=None
            One weight per query; with 1-D input, one per row, constant inside a query.
            In all parts or in none.
        marks : dict of str to array-like of the shape of `y_true`, default=None
            Arrays that some measures need, as for `score_queries`.
        candidates : array-like of the shape of `y_score`, or CSR, default=None
            Whether each document may be ranked, as for `score_queries`.
        by : dict by query id, or array-like, default=None
            The segment of each query, for averages by segment: in the order of the
            queries, or per row.
        groups : dict by query id, or array-like, default=None
            The group of each query, in the forms of `by`: intervals are then over
            groups. Sums are kept for each group.

        Raises
        ------
        TypeError, ValueError
            If an argument breaks the rules above, ids have another type than before, or
            the last query before is here again. Nothing is then added.
        """
        uses = sample_weight is not None, by is not None, groups is not None
        self._check_use(uses)
        judgments = Judgments(y_true, qid, sample_weight, marks, candidates)
        scored = score_part(self._measures, judgments, y_score, ties=self._ties)
        ids = scored.query_ids
        if qid is not None:
            self._check_ids(ids)
        segment_of = _values_of_queries("by", by, ids, qid)
        group_of = _values_of_queries("groups", groups, ids, qid)
        keys_of_queries = [*zip(segment_of, group_of, strict=True)]
        keys = [*dict.fromkeys(keys_of_queries)]
        place = {key: number for number, key in enumerate(keys)}
        codes = np.array([place[key] for key in keys_of_queries])
        state = State.of(self._measures, scored, self._replacement, keys, codes)
        self._add(state)
        if qid is not None:
            self._last_id = ids[-1:]
        self._uses = uses

    def merge(self, other: StreamingEvaluator) -> None:
        """Add the queries of another evaluator, which is not changed.

        Parameters
        ----------
        other : StreamingEvaluator
            With the same measures and settings, and other queries.

        Raises
        ------
        TypeError
            If it is something else, or has ids of another type.
        ValueError
            If it is this evaluator, has other measures or settings, or ends with the
            same query. Nothing is then added.
        """
        if not isinstance(other, StreamingEvaluator):
            raise TypeError(
                f"other must be a StreamingEvaluator; got a {type(other).__name__}."
            )
        if other is self:
            raise ValueError("other must not be the evaluator itself.")
        if [*self._measures.items()] != [*other._measures.items()]:
            ours, theirs, why = say_unequal(self._measures, other._measures)
            raise ValueError(
                "other must have the same metrics; got "
                f"{theirs} instead of {ours}.{why}"
            )
        ours, theirs = self._settings(), other._settings()
        for name in ours:
            if ours[name] != theirs[name]:
                raise ValueError(
                    f"other must have the same {name}; got {theirs[name]} instead of "
                    f"{ours[name]}."
                )
        if other._state is None:
            return
        self._check_use(other._uses)
        if other._last_id is not None:
            self._check_ids(other._last_id)
        self._add(other._state)
        self._uses = other._uses
        self._last_id = other._last_id if self._last_id is None else self._last_id

    def compute(self) -> ScoreSummary:
        """Return the averages of all queries so far.

        Returns
        -------
        ScoreSummary
            With `mean`, `n_defined`, `interval()` and `report()`.

        Raises
        ------
        ValueError
            If no query was added, or all weights are zero.
        """
        if self._state is None or self._uses is None:
            raise ValueError("compute() needs at least one update.")
        _, by_segment, grouped = self._uses
        return summarize(
            self._measures,
            self._state,
            self._ties,
            self._replacement,
            by_segment=by_segment,
            grouped=grouped,
        )

    def _add(self, state):
        states = [state] if self._state is None else [self._state, state]
        self._state = State.merge(states)

    def _settings(self):
        return {
            "ties": self._ties,
            "replace_undefined_by": str(self._replacement),
        }

    def _check_use(self, uses):
        names = ("sample_weight", "by", "groups")
        for name, now, before in zip(names, uses, self._uses or uses, strict=True):
            if now != before:
                raise ValueError(f"{name} must be given in all parts, or in none.")

    def _check_ids(self, ids):
        """Refuse ids of another type than before, and the last query before."""
        if self._last_id is None:
            return
        refuse_other_ids(self._last_id, ids)
        shared = set(as_keys(self._last_id)).intersection(as_keys(ids))
        if shared:
            raise ValueError(
                f"qid must have each query in one part; {next(iter(shared))!r} is in "
                "two. Parts must end where a query ends."
            )


def _values_of_queries(name, values, query_ids, qid):
    """Return the segment or group of each query; None: all have None."""
    if values is None:
        return [None] * len(query_ids)
    from sklearn_irmetrics.metrics._intervals import name_groups

    names, codes = name_groups(values, query_ids, name, qid)
    return [names[code] for code in codes]
