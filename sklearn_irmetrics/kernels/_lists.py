"""Measures of lists that do not depend on relevance."""

import math
from dataclasses import dataclass

import numpy as np

from sklearn_irmetrics._core.arrays import divide, divide_or_zero
from sklearn_irmetrics._core.marks import required_mark
from sklearn_irmetrics.kernels._common import (
    at_cutoffs,
    count_examined,
    refuse_extremes,
    sum_expected,
)
from sklearn_irmetrics.kernels._exposure import exposures


@dataclass(frozen=True)
class _SelfInformation:
    """How surprising it is that a user knows the document, in bits."""

    def __call__(self, documents):
        """Return a float array."""
        popularity = required_mark(documents, "popularity")
        # 0 only where there is no document.
        return -np.log(np.where(popularity > 0, popularity, 1.0)) / math.log(2.0)


def self_information(ranking, *, k):
    """Compute the mean self-information of the documents down to rank k."""
    found = sum_expected(ranking, _SelfInformation(), k)
    return divide(found, count_examined(ranking, k, adaptive=True))


def intra_list_diversity(ranking, *, k):
    """Compute the mean of 1 - cosine over the pairs of documents down to rank k."""
    refuse_extremes(ranking, "in intra-list diversity")
    ranking = ranking.with_whole_groups()
    vectors = required_mark(ranking.documents, "vectors")
    retrieved = ranking.ranks <= ranking.n_retrieved[:, np.newaxis]
    length = np.sqrt((vectors * vectors).sum(axis=2))
    if (retrieved & (length == 0)).any():
        raise ValueError(
            "vectors must not be all 0 for a retrieved document, because a zero vector "
            "has no direction."
        )
    length = np.where(retrieved, length, math.inf)
    units = vectors / length[:, :, np.newaxis]

    def compute(k):
        seen = count_examined(ranking, k, adaptive=True)
        above = np.where(ranking.ranks <= (math.inf if k is None else k), 1.0, 0.0)
        chance = exposures(ranking, above)
        alike = _pairs(units, chance)
        if ranking.tied:
            alike = alike + _correction(ranking, units, chance)
        mean = divide(alike, seen * (seen - 1.0) / 2.0)
        return np.clip(1.0 - mean, 0.0, 2.0)  # against rounding

    return at_cutoffs(k, compute)


def _pairs(units, weights):
    """Sum the cosines of all pairs in a row, times the product of their weights."""
    weighed = units * weights[:, :, np.newaxis]
    total = weighed.sum(axis=1)
    own = (weighed * weighed).sum(axis=2).sum(axis=1)
    return ((total * total).sum(axis=1) - own) / 2.0


def _correction(ranking, units, chance):
    """Return what `_pairs` lacks for pairs inside the tie group that is cut.

    Both are among the m of n with probability m (m - 1) / (n (n - 1)), not (m / n)^2.
    """
    n = ranking.group_size
    m = chance * n
    both = divide_or_zero(m * (m - 1.0), n * (n - 1.0))
    cut = np.where((chance > 0.0) & (chance < 1.0), 1.0, 0.0)
    excess = divide_or_zero(
        (cut * (both - chance * chance)).sum(axis=1), cut.sum(axis=1)
    )
    return excess * _pairs(units, cut)
