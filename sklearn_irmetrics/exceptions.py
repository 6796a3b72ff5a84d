"""Warnings and errors of this package, for filters and handlers."""

__all__ = [
    "FractionalGradesWarning",
    "LowPrecisionWarning",
    "UndefinedScoreError",
    "UnmatchedIdsWarning",
]


class LowPrecisionWarning(UserWarning):
    """Scores in 16 bits are tied that may differ in full precision."""


class FractionalGradesWarning(UserWarning):
    """Grades are fractions, all above 0 or some below, as if they were scores."""


class UnmatchedIdsWarning(UserWarning):
    """No retrieved document of some queries was judged.

    Document ids in judgments and run may be written differently.
    """


class UndefinedScoreError(ValueError):
    """Nothing that a scorer was given to score has a defined value."""
