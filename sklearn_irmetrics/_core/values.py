"""Functions from documents to the numbers that measures use.

Each is a small frozen object, so a `Ranking` can keep what it computed for one measure
and reuse it for the next.
"""

import math
from dataclasses import dataclass, field
from inspect import isroutine
from typing import NamedTuple

import numpy as np

from sklearn_irmetrics._core.subtopics import SUBTOPICS


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
class Gain:
    """The gain of a grade; 0 for unjudged documents.

    `kind` is ``"linear"``, ``"exponential"``, or a table of all grades that occur and
    their gains, as the bytes of two rows: a value that is hashed once, however long.
    With `negative` ``"clip"``, negative grades gain nothing, and no gain is negative;
    ``"keep"`` and ``"minmax"`` keep them. nDCG with ``"minmax"`` is relative to the
    worst and the best order. `none_negative` tells whether no gain can be negative, and
    does not count in comparisons.
    """

    kind: str | bytes = "linear"
    negative: str = "keep"
    none_negative: bool = field(default=False, compare=False)

    def __call__(self, documents):
        """Return a float array."""
        grades, _ = documents
        if isinstance(self.kind, str) and np.count_nonzero(
            unjudged := np.isnan(grades)
        ):
            grades = np.where(unjudged, 0.0, grades)
        if self.negative == "clip":
            grades = np.maximum(grades, 0.0)
        return self.of(grades)

    @property
    def rises(self):
        """Whether a larger grade never has a smaller gain, and grade 0 has none."""
        return self.kind in ("linear", "exponential")

    def of(self, grades):
        """Return the gains of an array of grades; in a table, NaN gains 0."""
        if self.kind == "linear":
            return grades
        if self.kind == "exponential":
            return _exponential(grades)
        listed, gains = np.frombuffer(self.kind).reshape(2, -1)
        place = np.minimum(np.searchsorted(listed, grades), len(listed) - 1)
        return np.where(listed[place] == grades, gains[place], 0.0)


def _exponential(grades):
    """Return 2^grade - 1: exactly for whole grades, with all digits near 0."""
    gains = np.exp2(grades) - 1.0
    small = (grades > -1.0) & (grades < 1.0) & (grades != 0.0)
    if small.any():
        gains = np.where(small, np.expm1(grades * math.log(2.0)), gains)
    return gains


@dataclass(frozen=True)
class RelevantGain:
    """The gain of relevant documents, and `otherwise` for all others."""

    relevant: Relevant
    gain: Gain
    otherwise: float = 0.0

    def __call__(self, documents):
        """Return a float array."""
        relevant, gains = self.relevant(documents), self.gain(documents)
        return np.where(relevant, gains, self.otherwise)

    @property
    def rises(self):
        """Whether a larger grade never has a smaller gain, and grade 0 has none."""
        return self.gain.rises

    def of(self, grades):
        """Return the gains of an array of grades without NaN."""
        relevant = self.relevant(Documents(grades, {}))
        return np.where(relevant, self.gain.of(grades), self.otherwise)


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

    gain: Gain
    max_grade: float

    def __call__(self, documents):
        """Return a float array."""
        top = np.array([float(self.max_grade)])
        largest = float(self.gain.of(top)[0])
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
class NumberOfSubtopics:
    """How many subtopics the document is relevant to."""

    relevant: Relevant

    def __call__(self, documents):
        """Return a float array."""
        held = self.relevant(documents._replace(grades=documents.marks[SUBTOPICS]))
        held = held & ~np.isnan(documents.grades)[..., np.newaxis]
        return held.astype(np.float64).sum(axis=-1)


@dataclass(frozen=True)
class Discount:
    """The weight of a rank, which never increases with the rank.

    `kind` is ``"log"``, ``"jarvelin_kekalainen"``, ``"reciprocal"``, or the weights of
    all ranks that occur, as bytes.
    """

    kind: str | bytes = "log"
    log_base: float = 2.0

    def __call__(self, ranks):
        """Return the weights of an array of ranks from 1."""
        if self.kind == "log":
            return math.log(self.log_base) / np.log(ranks + 1.0)
        if self.kind == "jarvelin_kekalainen":
            counted_fully = np.maximum(ranks, self.log_base)
            return math.log(self.log_base) / np.log(counted_fully)
        if self.kind == "reciprocal":
            return 1.0 / ranks
        weights = np.frombuffer(self.kind)
        last = float(len(weights))  # ranks below the cutoff do not count
        return weights[np.minimum(ranks, last).astype(np.int64) - 1]


def hashable(function):
    """Return a hashable callable that equals only that of the same object."""
    kind = type(function)
    by_identity = kind.__eq__ is object.__eq__ and kind.__hash__ is object.__hash__
    return function if by_identity or isroutine(function) else function.__call__
