"""Warnings and errors of this package, for filters and handlers."""

__all__ = [
    "FractionalGradesWarning",
    "LowPrecisionWarning",
    "UndefinedScoreError",
    "UnmatchedIdsWarning",
]


class LowPrecisionWarning(UserWarning):
    """Scores of 16 bits share their value with others of their query."""


class FractionalGradesWarning(UserWarning):
    """Grades are fractions, all above 0 or some below, as if they were scores."""


class UnmatchedIdsWarning(UserWarning):
    """No retrieved document of some queries was judged: ids may be spelled apart."""


class UndefinedScoreError(ValueError):
    """Nothing that a scorer was given to score has a defined value."""
