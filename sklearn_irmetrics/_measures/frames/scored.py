"""Values per query of the rows of a frame, part by part, and their averages."""

from dataclasses import dataclass, replace

import numpy as np

from sklearn_irmetrics._core.aggregate import check_replacement, quietly
from sklearn_irmetrics._core.checks import check_weights
from sklearn_irmetrics._core.inputs import check_batch
from sklearn_irmetrics._core.parameters import TIES, check_option
from sklearn_irmetrics._core.subtopics import largest_grades
from sklearn_irmetrics._measures.frames.rows import Rows, whole_queries
from sklearn_irmetrics._measures.measure import as_averaged, kernel_parameters
from sklearn_irmetrics._measures.parts import Scored, concatenate, repeated_id
from sklearn_irmetrics._measures.per_query import RawInput, values_per_query
from sklearn_irmetrics._measures.query_scores import average_values
from sklearn_irmetrics._measures.states import fix_classes


@dataclass(frozen=True)
class FrameMeasures:
    """Measures that rows of a frame are scored by; travels to workers.

    Attributes
    ----------
    measures : dict of str to Measure
        By label.
    grades : tuple of str
        The parameters of grades: one, or one per subtopic.
    marks : tuple of str
        Which marks the rows have.
    ties, n_jobs : str, int or None
        As for `score_queries`.
    """

    measures: dict
    grades: tuple
    marks: tuple
    ties: str
    n_jobs: int | None

    @classmethod
    def of(cls, metrics, grades, marks, ties, replace_undefined_by, n_jobs):
        """Check what can be checked before anything is read."""
        check_option("ties", ties, TIES)
        check_replacement(replace_undefined_by)
        measures = as_averaged("metrics", metrics)
        for label, measure in measures.items():
            by_class = kernel_parameters(measure).get("pos_label") is not None
            if by_class and measure.metric.kind == "ranking":
                raise ValueError(
                    "pos_label requires all labels at once, and frames come in parts; "
                    f"pass a column of zeros and ones for {label!r}."
                )
        made = cls(measures, tuple(grades), tuple(marks), ties, n_jobs)
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
        measures = {
            label: fix_classes(measure) for label, measure in self.measures.items()
        }
        parted = replace(self, measures=measures)
        tried = parted.try_out()
        defined = {label: np.ones_like(values) for label, values in tried.items()}
        average_values(measures, defined, np.zeros(1), None, "average", 0.0)
        return parted

    def try_out(self):
        """Return the values of one query with one document, which gains nothing."""
        nothing, grade = np.zeros(1), np.zeros(1)
        if all(measure.metric.kind != "labels" for measure in self.measures.values()):
            grade = np.full(1, np.nan)  # so that no function meets it
        columns = dict.fromkeys(self.grades, grade)
        columns |= dict.fromkeys(("y_score", *self.marks), nothing)
        rows = Rows(nothing, None, **columns)
        return self.score(rows, nothing).values

    def score(self, rows, y_pred=None):
        """Return the values of the queries of `rows`, in order of first appearance."""
        qid, names = rows.numbered()
        y_true, y_score = rows.y_true, rows.values["y_score"]
        weights = rows.values.get("sample_weight")
        # All zero is wrong in the whole frame only.
        unweighted = weights is not None and not np.asarray(weights).any()
        batch = check_batch(
            y_true,
            y_score,
            qid=qid,
            sample_weight=None if unweighted else weights,
            marks=rows.marks,
            subtopics=self.of_subtopics,
        )
        if self.of_subtopics:
            y_true = largest_grades(y_true)
        given = RawInput(y_true, y_score, y_pred, qid)
        with quietly():  # columns have names: nobody takes scores for grades
            values = values_per_query(
                self.measures, given, batch, ties=self.ties, n_jobs=self.n_jobs
            )
        ids = batch.query_ids
        return Scored(
            ids if names is None else names[ids],
            values,
            np.zeros(len(ids)) if unweighted else batch.weights,
        )

    def score_batches(self, batches, columns, batch_size):
        """Return the values of all queries of a stream of `Rows`.

        Raises
        ------
        ValueError
            If rows of a query are not adjacent, unless all rows fit in one batch.
        """
        measures = self.for_parts()
        parts, n_rows, n_queries, n_checked = [], 0, 0, 0
        for rows in whole_queries(batches, batch_size):
            try:
                parts.append(measures.score(rows))
            except (TypeError, ValueError) as error:
                error.add_note(f"Rows are counted from row {n_rows} of the frame.")
                raise
            n_rows += len(rows)
            n_queries += len(parts[-1].query_ids)
            if n_queries >= 2 * n_checked:  # checks cost no more than one at the end
                _refuse_returning(parts, columns["qid"])
                n_checked = n_queries
        refuse_empty(n_rows)
        _refuse_returning(parts, columns["qid"])
        return concatenate(parts)

    def average(self, scored, replace_undefined_by):
        """Return `QueryScores` of the values of all queries."""
        weights = check_weights(scored.weights, len(scored.query_ids), "query")
        return average_values(
            self.measures,
            scored.values,
            scored.query_ids,
            weights,
            self.ties,
            replace_undefined_by,
        )


def refuse_empty(n_rows):
    """Refuse a frame without rows."""
    if not n_rows:
        raise ValueError("frame must hold at least one row; got none.")


def _refuse_returning(parts, column):
    if len(parts) == 1:
        return
    again = repeated_id([part.query_ids for part in parts])
    if again is not None:
        raise ValueError(
            "qid must keep the rows of each query adjacent in a frame that is read in "
            f"batches; query {again!r} comes again after others. Sort the frame by "
            f"{column!r} first (Polars, PyArrow and SQL engines can), or pass it in "
            "memory, where no order is needed."
        )
