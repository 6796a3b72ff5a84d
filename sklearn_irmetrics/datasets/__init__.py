"""Data to rank: pairs of digit images, generated queries, files in LETOR format."""

from sklearn_irmetrics.datasets.letor import load_letor
from sklearn_irmetrics.datasets.toy import load_digits_ranking, make_ranking

__all__ = [
    "load_digits_ranking",
    "load_letor",
    "make_ranking",
]
