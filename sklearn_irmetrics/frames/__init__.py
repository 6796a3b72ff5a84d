"""Scores of tables: in memory, in files, in streams, and on clusters."""

from sklearn_irmetrics.frames.scoring import score_frame, score_lazily, summarize_frame

__all__ = [
    "score_frame",
    "score_lazily",
    "summarize_frame",
]
