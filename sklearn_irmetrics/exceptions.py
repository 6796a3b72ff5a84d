"""Warnings of this package, for filters."""

__all__ = ["CoarseScoresWarning"]


class CoarseScoresWarning(UserWarning):
    """Scores of 16 bits share their value with others of their query."""
