"""`score_queries` for tables of any library, in memory, on disk or on a cluster."""

from sklearn_irmetrics.frames.any_frame import score_frame

__all__ = [
    "score_frame",
]
