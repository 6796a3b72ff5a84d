"""What grades and ranks are worth: relevance, gains, discounts."""

import math
from dataclasses import dataclass, field
from inspect import isroutine
from typing import NamedTuple

import numpy as np

from sklearn_irmetrics._arrays.rows import divide_or_zero
from sklearn_irmetrics.metrics._ranking.marks import SUBTOPICS


class Documents(NamedTuple):
    """Grades (NaN: unjudged) and marks of documents, in any arrangement."""

    grades: np.ndarray
    marks: dict

    def each(self, function):
        """Return the documents with a function applied to every array."""
        marks = {name: function(mark) for name, mark in self.marks.items()}
        return Documents(function(self.grades), marks)

    def down_to(self, depth):
        """Return the documents of the first columns."""
        return self.each(lambda array: array[:, :depth])


@dataclass(frozen=True)
class OfClass:
    """The grade of the relevant class, used in place of a threshold."""

    grade: float


@dataclass(frozen=True)
class Relevant:
    """Whether the grade is positive, reaches the threshold, or is that of the class."""

    threshold: float | OfClass | None = None

    def __call__(self, documents):
        """Return a boolean array."""
        if isinstance(self.threshold, OfClass):
            return documents.grades == self.threshold.grade
        if self.threshold is None:
            return documents.grades > 0
        return documents.grades >= self.threshold


@dataclass(frozen=True)
class Judged:
    """Whether the document was judged."""

    def __call__(self, documents):
        """Return a boolean array."""
        return ~np.isnan(documents.grades)


@dataclass(frozen=True)
class Unjudged:
    """Whether the document was not judged; not for padding (see `Ranking.values`)."""

    def __call__(self, documents):
        """Return a boolean array."""
        return np.isnan(documents.grades)


@dataclass(frozen=True)
class JudgedNonrelevant:
    """Whether the document was judged and found not relevant."""

    relevant: Relevant

    def __call__(self, documents):
        """Return a boolean array."""
        return ~(np.isnan(documents.grades) | self.relevant(documents))


@dataclass(frozen=True)
class GradeGain:
    """The gain of a grade; 0 for unjudged documents.

    Attributes
    ----------
    kind : {"linear", "exponential", "table"}
        How grades gain.
    negative_grades : {"clip", "keep", "minmax"}
        With "clip", negative grades gain nothing, and no gain is negative; the others
        keep them. nDCG with "minmax" is relative to the worst and the best order.
    table : bytes
        All grades that occur, and their gains: the bytes of two rows of numbers, which
        are hashed once, however many there are.
    may_be_negative : bool
        Whether the gain of a grade that occurs is negative; not compared.
    """

    kind: str = "linear"
    negative_grades: str = "keep"
    table: bytes = b""
    may_be_negative: bool = field(default=True, compare=False)

    def __call__(self, documents):
        """Return a float array."""
        grades, _ = documents
        if self.kind != "table" and np.count_nonzero(unjudged := np.isnan(grades)):
            grades = np.where(unjudged, 0.0, grades)
        if self.negative_grades == "clip":
            grades = np.maximum(grades, 0.0)
        return self.of_grades(grades)

    @property
    def rises(self):
        """Whether a larger grade never has a smaller gain, and grade 0 has none."""
        return self.kind != "table"

    def of_grades(self, grades):
        """Return the gains of grades as they are, negative ones included.

        In a table, NaN gains 0; otherwise there must be none.
        """
        if self.kind == "linear":
            return grades
        if self.kind == "exponential":
            # Exactly for whole grades, with all digits near 0.
            gains = np.exp2(grades) - 1.0
            small = (grades > -1.0) & (grades < 1.0) & (grades != 0.0)
            if small.any():
                gains = np.where(small, np.expm1(grades * math.log(2.0)), gains)
            return gains
        listed, gains = np.frombuffer(self.table).reshape(2, -1)
        place = np.minimum(np.searchsorted(listed, grades), len(listed) - 1)
        return np.where(listed[place] == grades, gains[place], 0.0)


@dataclass(frozen=True)
class RelevantGain:
    """The gain of relevant documents, and `otherwise` for all others."""

    relevant: Relevant
    gain: GradeGain
    otherwise: float = 0.0

    def __call__(self, documents):
        """Return a float array."""
        relevant, gains = self.relevant(documents), self.gain(documents)
        return np.where(relevant, gains, self.otherwise)

    @property
    def rises(self):
        """Whether a larger grade never has a smaller gain, and grade 0 has none."""
        return self.gain.rises

    def of_grades(self, grades):
        """Return the gains of an array of grades without NaN."""
        relevant = self.relevant(Documents(grades, {}))
        return np.where(relevant, self.gain.of_grades(grades), self.otherwise)


@dataclass(frozen=True)
class PooledUnjudged:
    """Whether the document was in the pool and not judged: marked ``"pooled"``."""

    def __call__(self, documents):
        """Return a boolean array."""
        unjudged = np.isnan(documents.grades)
        pooled = documents.marks.get("pooled")
        return np.zeros_like(unjudged) if pooled is None else unjudged & pooled


@dataclass(frozen=True)
class Satisfaction:
    """The probability that a document satisfies a user: gain / (largest gain + 1)."""

    gain: GradeGain
    max_grade: float

    def __call__(self, documents):
        """Return a float array."""
        top = np.array([float(self.max_grade)])
        largest = float(self.gain.of_grades(top)[0])
        gains = np.maximum(self.gain(documents), 0.0)
        if largest <= -1.0 or (gains > largest + 1.0).any():
            raise ValueError(
                f"gain must be largest for max_grade, {self.max_grade:g}, whose gain "
                f"is {largest:g}; got {float(gains.max()):g} for another grade."
            )
        return gains / (largest + 1.0)


@dataclass(frozen=True)
class Utility:
    """Relevance as 0 or 1, or the grade divided by `max_grade` if that is given."""

    relevant: Relevant
    max_grade: float | None = None

    def __call__(self, documents):
        """Return a float array."""
        if self.max_grade is None:
            return self.relevant(documents).astype(np.float64)
        return np.fmax(documents.grades, 0.0) / self.max_grade


@dataclass(frozen=True)
class OfSubtopic:
    """Whether the document is relevant to the subtopic in one column of the grades."""

    column: int
    relevant: Relevant

    def __call__(self, documents):
        """Return a boolean array."""
        grades = documents.marks[SUBTOPICS][..., self.column]
        # Where there is no document, the grade is NaN but marks are 0.
        there = ~np.isnan(documents.grades)
        return self.relevant(documents._replace(grades=grades)) & there


@dataclass(frozen=True)
class SupportOfSubtopic:
    """The grade for a subtopic that the document is relevant to, 0 for others."""

    column: int
    relevant: Relevant

    def __call__(self, documents):
        """Return a float array."""
        grades = documents.marks[SUBTOPICS][..., self.column]
        held = OfSubtopic(self.column, self.relevant)(documents) & (grades > 0)
        return np.where(held, grades, 0.0).astype(np.float64)


@dataclass(frozen=True)
class SubtopicWeights:
    """How much each subtopic counts, compared to the one that counts most.

    `of_columns` has one weight per subtopic; None: those of the documents, or equal
    ones.
    """

    of_columns: tuple | None = None

    def __call__(self, documents):
        """Return a float array with a weight per subtopic along its last axis."""
        n_subtopics = documents.marks[SUBTOPICS].shape[-1]
        if self.of_columns is not None:
            weights = np.array(self.of_columns)
            if len(weights) != n_subtopics:
                raise ValueError(
                    "subtopic_weight must have one weight per column of y_true, "
                    f"{n_subtopics}; got {len(weights)}."
                )
        elif "subtopic_weight" in documents.marks:
            weights = documents.marks["subtopic_weight"]
        else:
            return np.ones(n_subtopics)
        return divide_or_zero(weights, weights.max(axis=-1, keepdims=True))


@dataclass(frozen=True)
class WeightOfSubtopics:
    """The sum of the weights of the subtopics that the document is relevant to."""

    relevant: Relevant
    weights: SubtopicWeights

    def __call__(self, documents):
        """Return a float array."""
        held = self.relevant(documents._replace(grades=documents.marks[SUBTOPICS]))
        held = held & ~np.isnan(documents.grades)[..., np.newaxis]
        return (held * self.weights(documents)).sum(axis=-1)


@dataclass(frozen=True)
class RankDiscount:
    """The weight of a rank, which never increases with the rank.

    Attributes
    ----------
    kind : {"log", "jarvelin_kekalainen", "reciprocal", "table"}
        How weights fall.
    log_base : float
        The base of logarithms.
    table : bytes
        The weights of all ranks that occur, as the bytes of numbers.
    """

    kind: str = "log"
    log_base: float = 2.0
    table: bytes = b""

    def __call__(self, ranks):
        """Return the weights of an array of ranks from 1."""
        if self.kind == "log":
            return math.log(self.log_base) / np.log(ranks + 1.0)
        if self.kind == "jarvelin_kekalainen":
            counted_fully = np.maximum(ranks, self.log_base)
            return math.log(self.log_base) / np.log(counted_fully)
        if self.kind == "reciprocal":
            return 1.0 / ranks
        weights = np.frombuffer(self.table)
        last = float(len(weights))  # ranks below the cutoff do not count
        return weights[np.minimum(ranks, last).astype(np.int64) - 1]


def hashable(function):
    """Return a hashable callable that equals only that of the same object."""
    kind = type(function)
    by_identity = kind.__eq__ is object.__eq__ and kind.__hash__ is object.__hash__
    return function if by_identity or isroutine(function) else function.__call__
