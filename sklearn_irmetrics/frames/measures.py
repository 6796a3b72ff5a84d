"""Measures of the rows of a frame: scores, sums and tables of its queries."""

from dataclasses import dataclass, replace

import numpy as np

from sklearn_irmetrics._arrays.query_ids import (
    group_rows,
    list_values,
    number_values,
)
from sklearn_irmetrics._checks import TIES, check_option
from sklearn_irmetrics.metrics._measure import as_averaged, formula_parameters, try_out
from sklearn_irmetrics.metrics._per_query import warn_of_input
from sklearn_irmetrics.metrics._ranking.averages import check_replacement
from sklearn_irmetrics.metrics._ranking.batch import check_weights
from sklearn_irmetrics.metrics._ranking.judgments import Judgments
from sklearn_irmetrics.reports.query_scores import (
    average_values,
    compact,
    score_part,
    warn_of_undefined_queries,
)
from sklearn_irmetrics.streaming.state import State, fix_classes, values_of
from sklearn_irmetrics.streaming.summary import summarize


@dataclass(frozen=True)
class FrameMeasures:
    """Measures that rows of a frame are scored by; travels to workers.

    Attributes
    ----------
    measures : dict of str to Measure
        By label.
    ties, replacement, n_jobs : str, float, int or None
        As for `score_queries`.
    """

    measures: dict
    ties: str
    replacement: float
    n_jobs: int | None

    @classmethod
    def of(cls, metrics, y_true, *, ties, replace_undefined_by, n_jobs=1):
        """Check what can be checked before anything is read."""
        check_option("ties", ties, TIES)
        replacement = check_replacement(replace_undefined_by)
        measures = as_averaged("metrics", metrics)
        for label, measure in measures.items():
            by_class = formula_parameters(measure).get("pos_label") is not None
            if by_class and measure.metric.kind == "ranking":
                raise ValueError(
                    "pos_label requires all labels at once, and frames come in parts; "
                    f"pass a column of zeros and ones for {label!r}."
                )
            try_out(measure)
        fixed = {label: fix_classes(measure) for label, measure in measures.items()}
        made = cls(fixed, ties, replacement, n_jobs)
        made._check_grades(y_true)
        return made

    def _check_grades(self, y_true):
        """Refuse a list of columns without measures of subtopics, and the reverse."""
        is_list = isinstance(y_true, list | tuple)
        if self.of_subtopics and not (is_list and y_true):
            raise TypeError(
                "y_true must be a list of columns, one per subtopic, for measures of "
                f"subtopics; got {'an empty list' if is_list else 'one name'}."
            )
        if is_list and not self.of_subtopics:
            raise TypeError(
                "y_true must be the name of a column; got a list. Only measures of "
                "subtopics, such as 'alpha_ndcg', take a column per subtopic."
            )

    @property
    def of_subtopics(self):
        """Whether a measure takes grades of subtopics."""
        return any(measure.metric.subtopics for measure in self.measures.values())

    @property
    def depends_on_rows(self):
        """Whether the order of the rows of a query matters."""
        return self.ties == "stable" or self.of_subtopics

    def on_worker(self):
        """Return these measures for a worker of a cluster, which uses one thread."""
        return replace(self, n_jobs=1)

    def score(self, rows):
        """Return the `Scored` of the queries of `rows`, in order of first appearance.

        All kinds of frames use it: tables in memory, batches of a stream, partitions of
        a cluster.
        """
        qid, names = rows.numbered()
        weights = rows.values.get("sample_weight")
        if weights is not None and names is not None and (weights == weights).all():
            rows.queries().one_each("sample_weight", weights)  # errors show the id
        scored = score_part(
            self.measures,
            Judgments(rows.y_true, qid, weights, rows.marks),
            rows.values["y_score"],
            ties=self.ties,
            n_jobs=self.n_jobs,
        )
        if "doc" in rows.values:
            _refuse_repeated_documents(rows.values["doc"], qid, names)
        ids = scored.query_ids
        return replace(scored, query_ids=compact(ids if names is None else names[ids]))

    def sum_up(self, rows, scored):
        """Return the `State` of the queries of `rows`, by segment."""
        segments, codes = _segments_of(rows, len(scored.query_ids))
        if "by" in rows.values and None in segments:
            (query, *_) = list_values(scored.query_ids[codes == segments.index(None)])
            raise ValueError(
                "by must not contain missing values (null or NaN); got one for query "
                f"{query!r}. Fill the column with a name for them."
            )
        keys = [(segment, None) for segment in segments]
        return State.of(self.measures, scored, self.replacement, keys, codes)

    def tabulate(self, rows, scored):
        """Return columns of a table of queries: ids, segments and a value each."""
        table = {"qid": scored.query_ids}
        if "by" in rows.values:
            segments, codes = _segments_of(rows, len(scored.query_ids))
            table["by"] = [segments[code] for code in codes]
        for label, measure in self.measures.items():
            table[label] = values_of(measure, scored.values[label], self.replacement)
        return table

    def query_scores(self, scored):
        """Return the `QueryScores` of all queries."""
        weights = check_weights(scored.weights, len(scored.query_ids), "query")
        warn_of_input(scored.input_warnings, self.measures)
        scores = average_values(
            self.measures,
            scored.values,
            scored.query_ids,
            weights,
            self.ties,
            self.replacement,
        )
        warn_of_undefined_queries(scores)
        return scores

    def summary(self, state, *, by_segment):
        """Return the `ScoreSummary` of the sums of all queries."""
        return summarize(
            self.measures, state, self.ties, self.replacement, by_segment=by_segment
        )


def _segments_of(rows, n_queries):
    """Return the distinct segments, and the number of that of each query."""
    if "by" not in rows.values:
        return [None], np.zeros(n_queries, np.intp)
    segments, codes = number_values(rows.values["by"])
    return segments, rows.queries().one_each("by", codes)


def refuse_empty(n_rows):
    """Refuse a frame without rows."""
    if not n_rows:
        raise ValueError("frame must hold at least one row; got none.")


def _refuse_repeated_documents(documents, qid, names):
    """Refuse a document that a query has twice."""
    from sklearn_irmetrics.metrics._intervals import name_groups

    names_of_documents, codes = name_groups(documents, np.arange(len(documents)), "doc")
    pairs = group_rows(qid, len(qid)).codes() * len(names_of_documents) + codes
    order = np.argsort(pairs, kind="stable")
    again = np.flatnonzero(np.diff(pairs[order]) == 0)
    if len(again):
        row = order[again[0] + 1]
        ids = qid if names is None else names[qid]
        query, document = (
            column[row : row + 1].tolist()[0] for column in (ids, documents)
        )
        raise ValueError(
            f"doc must name each document of a query once; query {query!r} has "
            f"{document!r} twice."
        )
