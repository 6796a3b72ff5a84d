"""What is known of documents and queries, whatever ranks them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn_irmetrics.metrics._ranking.batch import check_batch
from sklearn_irmetrics.metrics._ranking.candidates import Eligible
from sklearn_irmetrics.metrics._ranking.marks import check_marks


@dataclass(frozen=True, eq=False)
class Judgments:
    """Grades of documents, and what else is known of them and their queries.

    A public function makes one of its arguments, and hands it on as one argument.

    Attributes
    ----------
    y_true : array-like or CSR
        Grades, or labels of which one is relevant.
    qid : array-like or None
        Query ids, for 1-D grades.
    sample_weight : array-like or None
        One weight per query, or per row.
    marks : dict of str to array-like
        Facts about documents, by name.
    candidates : array-like, CSR, Eligible or None
        Whether each document may be ranked.

    Raises
    ------
    TypeError, ValueError
        If `marks` is not a dict of known marks. `batch` checks all others.
    """

    y_true: Any
    qid: Any = None
    sample_weight: Any = None
    marks: Any = None
    candidates: Any = None

    def __post_init__(self):
        object.__setattr__(self, "marks", check_marks(self.marks))

    def among_candidates(self, y_score):
        """Return what is known of the candidates alone, and their scores.

        If there are candidates, both are 1-D then.

        Raises
        ------
        TypeError, ValueError
            If an array has another shape than `candidates`, these are not booleans, or
            a query has none.
        """
        if self.candidates is None:
            return self, y_score
        chosen = self.candidates
        if not isinstance(chosen, Eligible):
            chosen = Eligible.of(chosen, y_score, self.qid)
        qid, scores = chosen.take_ids(self.qid), chosen.take_scores(y_score)
        y_true = chosen.take("y_true", self.y_true)
        weights = self.sample_weight
        if weights is not None:
            weights = chosen.take_rows("sample_weight", weights)
        marks = {name: chosen.take(name, mark) for name, mark in self.marks.items()}
        return Judgments(y_true, qid, weights, marks), scores

    def batch(self, y_score, *, subtopics=False):
        """Return the `RankingBatch` of documents with these scores, all checked.

        Candidates must have been chosen before.
        """
        return check_batch(
            self.y_true,
            y_score,
            qid=self.qid,
            sample_weight=self.sample_weight,
            marks=self.marks,
            subtopics=subtopics,
        )

    def arguments(self):
        """Return what is given besides grades, by the names that measures call it."""
        given = {
            "qid": self.qid,
            "sample_weight": self.sample_weight,
            **self.marks,
        }
        return {name: values for name, values in given.items() if values is not None}
