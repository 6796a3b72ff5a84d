"""Measures that weigh relevant documents by how rarely they are labelled."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sklearn_irmetrics._core.arrays import divide, divide_or_zero
from sklearn_irmetrics._core.marks import required_mark
from sklearn_irmetrics._core.values import Discount, Relevant
from sklearn_irmetrics.kernels._common import deepest, discounted, sum_expected, up_to


@dataclass(frozen=True)
class _Weighed:
    """The inverse propensity of a relevant document, 0 for others."""

    relevant: Relevant
    rises: ClassVar = False  # with the grade

    def __call__(self, documents):
        """Return a float array."""
        weights = required_mark(documents, "inverse_propensity")
        return self.relevant(documents) * weights


def propensity_scored_precision(ranking, *, k, relevance_threshold):
    """Divide the sum of inverse propensities down to k by that of the best order."""
    gain = _Weighed(Relevant(relevance_threshold))
    gained = sum_expected(ranking, gain, k)
    best = up_to(ranking.ideal(gain, deepest(k)), k)
    gained = np.minimum(gained, best)  # despite rounding
    return divide(gained, best), gained, best


def propensity_scored_dcg(ranking, *, k, relevance_threshold):
    """Sum the discounted inverse propensities down to rank k."""
    gain = _Weighed(Relevant(relevance_threshold))
    return discounted(ranking.expected(gain, deepest(k)), k, Discount(), ranking)


def propensity_scored_ndcg(ranking, *, k, relevance_threshold):
    """Divide the propensity-scored DCG by that of the best order."""
    gain = _Weighed(Relevant(relevance_threshold))
    ideal = ranking.ideal(gain, deepest(k))
    best = discounted(ideal, k, Discount(), ranking)
    gained = propensity_scored_dcg(
        ranking, k=k, relevance_threshold=relevance_threshold
    )
    gained = np.minimum(gained, best)  # despite rounding
    # Divide both by the plain ideal DCG: the micro average is then that of napkinXC.
    plain = discounted((ideal > 0) * 1.0, k, Discount(), ranking)
    counts = divide_or_zero(gained, plain), divide_or_zero(best, plain)
    return divide(gained, best), *counts
