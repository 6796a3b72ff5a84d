"""Warnings of this package, for filters."""

__all__ = ["CoarseScoresWarning", "FractionalGradesWarning"]


class CoarseScoresWarning(UserWarning):
    """Scores of 16 bits share their value with others of their query."""


class FractionalGradesWarning(UserWarning):
    """Grades are fractions of which all are relevant, as if they were scores."""
