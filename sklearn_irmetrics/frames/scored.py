"""Values per query of the rows of a frame, part by part, and their averages."""

from dataclasses import dataclass, replace

import numpy as np

from sklearn_irmetrics._arrays.query_ids import group_rows
from sklearn_irmetrics._checks import TIES, check_option
from sklearn_irmetrics.frames.rows import whole_queries
from sklearn_irmetrics.metrics._measure import as_averaged, formula_parameters, try_out
from sklearn_irmetrics.metrics._per_query import warn_of_doubts
from sklearn_irmetrics.metrics._ranking.averages import check_replacement
from sklearn_irmetrics.metrics._ranking.batch import check_weights
from sklearn_irmetrics.reports.query_scores import (
    average_values,
    compact,
    concatenate,
    repeated_id,
    score_part,
)
from sklearn_irmetrics.streaming.summary import (
    fix_classes,
    join_states,
    state_of,
    summary_of,
    values_of,
)


@dataclass(frozen=True)
class FrameMeasures:
    """Measures that rows of a frame are scored by; travels to workers.

    Attributes
    ----------
    measures : dict of str to Measure
        By label.
    ties, replacement, n_jobs : str, float, int or None
        As for `score_queries`.
    per_query : bool or "frame"
        As for `score_frame`.
    by_segment : bool
        Whether rows have segments.
    """

    measures: dict
    ties: str
    replacement: float
    n_jobs: int | None
    per_query: object = True
    by_segment: bool = False

    @classmethod
    def of(cls, metrics, grades, ties, replace_undefined_by, *options):
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
        made = cls(measures, ties, replacement, *options)
        listed = "y_true" not in grades
        if made.of_subtopics and (not listed or not grades):
            raise TypeError(
                "y_true must be a list of columns, one per subtopic, for measures of "
                f"subtopics; got {'an empty list' if listed else 'one name'}."
            )
        if listed and not made.of_subtopics:
            raise TypeError(
                "y_true must be the name of a column; got a list. Only measures of "
                "subtopics, such as 'alpha_ndcg', take a column per subtopic."
            )
        return made

    @property
    def of_subtopics(self):
        """Whether a measure takes grades of subtopics."""
        return any(measure.metric.subtopics for measure in self.measures.values())

    @property
    def depends_on_rows(self):
        """Whether the order of the rows of a query matters."""
        return self.ties == "stable" or self.of_subtopics

    def for_workers(self):
        """Return the same for parts that workers score beside each other."""
        return replace(self, n_jobs=1).for_parts()

    def for_parts(self):
        """Return the same for rows that are not seen all at once.

        Raises what is wrong with a measure's parameters whatever the rows are.
        """
        for measure in self.measures.values():
            try_out(measure)
        fixed = {label: fix_classes(one) for label, one in self.measures.items()}
        return replace(self, measures=fixed)

    def score(self, rows):
        """Return the values of the queries of `rows`, in order of first appearance."""
        qid, names = rows.numbered()
        weights = rows.values.get("sample_weight")
        if weights is not None and names is not None and (weights == weights).all():
            rows.queries().one_each("sample_weight", weights)  # errors show the id
        scored = score_part(
            self.measures,
            rows.y_true,
            rows.values["y_score"],
            ties=self.ties,
            n_jobs=self.n_jobs,
            qid=qid,
            sample_weight=weights,
            marks=rows.marks,
        )
        if "doc" in rows.values:
            _refuse_repeated_documents(rows.values["doc"], qid, names)
        ids = scored.query_ids
        return replace(scored, query_ids=compact(ids if names is None else names[ids]))

    def reduce(self, rows):
        """Return what is kept of `rows`: the `Scored` or the `State` of its queries."""
        return self.keep(rows, self.score(rows))

    def keep(self, rows, scored):
        """Return what is kept of rows that were scored.

        For a frame these are the columns of by and of measures, by name.
        """
        if self.per_query is True:
            return scored
        keys, codes = [None], np.zeros(len(scored.query_ids), np.intp)
        if self.by_segment:
            place = {}
            found = (place.setdefault(value, len(place)) for value in rows.values["by"])
            codes = np.fromiter(found, np.intp, len(rows))
            keys, codes = [*place], rows.queries().one_each("by", codes)
        if not self.per_query:
            pairs = [(key, None) for key in keys]
            return state_of(self.measures, scored, self.replacement, pairs, codes)
        columns = {"by": [keys[code] for code in codes]} if self.by_segment else {}
        for label, measure in self.measures.items():
            found = values_of(measure, scored.values[label], self.replacement)
            columns[label] = found
        return scored.query_ids, columns

    def join(self, parts):
        """Return what is kept of the queries of several parts."""
        return (
            concatenate(parts, release=True) if self.per_query else join_states(parts)
        )

    def score_batches(self, batches, columns, batch_size):
        """Return what is kept of the queries of a stream of `Rows`.

        Raises
        ------
        ValueError
            If rows of a query are not adjacent, unless all rows fit in one batch.
        """
        return self.score_whole(
            whole_queries(batches, batch_size),
            "qid must keep the rows of each query adjacent in a frame that is read in "
            "batches; query {!r} comes again after others. Sort the frame by "
            f"{columns['qid']!r} first (Polars, PyArrow and SQL engines can), or pass "
            "it in memory, where no order is needed.",
        )

    def score_whole(self, pieces, message):
        """Return what is kept of the queries of `Rows` that each hold whole ones.

        Where scores are not kept, neither are ids, except those of the first piece and
        of the one before: rows that are not sorted meet them.
        """
        measures = self.for_parts()
        parts, known, n_rows, n_queries, n_checked = [], [], 0, 0, 0
        for rows in pieces:
            try:
                scored = measures.score(rows)
                found = measures.keep(rows, scored)
            except (TypeError, ValueError) as error:
                error.add_note(f"Rows are counted from row {n_rows} of the frame.")
                raise
            n_rows += len(rows)
            n_queries += len(scored.query_ids)
            if self.per_query:
                parts.append(found)
                known.append(scored.query_ids)
                if n_queries < 2 * n_checked:  # checks cost no more than one at the end
                    continue
                n_checked = n_queries
            else:
                parts = [measures.join([*parts, found])]
                known = [*known[:1], *known[1:][-1:], scored.query_ids]
            _refuse_repeated(known, message)
        refuse_empty(n_rows)
        _refuse_repeated(known, message)
        known.clear()
        return measures.join(parts)

    def average(self, kept):
        """Return `QueryScores` or `ScoreSummary` of what is kept of all queries."""
        rules = self.ties, self.replacement
        if not self.per_query:
            options = {"by_segment": self.by_segment}
            return summary_of(self.measures, kept, *rules, **options)
        weights = check_weights(kept.weights, len(kept.query_ids), "query")
        warn_of_doubts(kept.doubts, self.measures)
        return average_values(
            self.measures, kept.values, kept.query_ids, weights, *rules
        )


def refuse_empty(n_rows):
    """Refuse a frame without rows."""
    if not n_rows:
        raise ValueError("frame must hold at least one row; got none.")


def _refuse_repeated(ids, message):
    again = repeated_id(ids) if len(ids) > 1 else None
    if again is not None:
        raise ValueError(message.format(again))


def _refuse_repeated_documents(documents, qid, names):
    """Refuse a document that a query has twice."""
    from sklearn_irmetrics.metrics._intervals import name_groups

    found, codes = name_groups(documents, len(documents), "doc")
    pairs = group_rows(qid, len(qid)).codes() * len(found) + codes
    order = np.argsort(pairs, kind="stable")
    again = np.flatnonzero(np.diff(pairs[order]) == 0)
    if len(again):
        row = order[again[0] + 1]
        ids = qid if names is None else names[qid]
        query, document = (one[row : row + 1].tolist()[0] for one in (ids, documents))
        raise ValueError(
            f"doc must name each document of a query once; query {query!r} has "
            f"{document!r} twice."
        )
