"""Measures of the exposure of documents: the attention that their ranks get.

A tied document may have any rank of its group, so it gets their mean attention.
"""

import numpy as np

from sklearn_irmetrics._core.arrays import divide_or_zero, row_sum
from sklearn_irmetrics._core.values import Relevant
from sklearn_irmetrics.kernels._common import refuse_extremes


def exposures(ranking, weights):
    """Return, for the document at each rank, the mean weight of its possible ranks.

    The ranking must hold whole tie groups. Documents without a rank get nothing.
    """
    retrieved = ranking.ranks <= ranking.n_retrieved[:, np.newaxis]
    by_rank = np.where(retrieved, weights, 0.0)
    if not ranking.tied:
        return by_rank
    groups = ranking.groups
    return groups.spread(groups.totals(by_rank) / ranking.group_sizes)


def expected_exposure_disparity(ranking, *, persistence):
    """Sum the squares of the exposures."""
    return row_sum(_of_patience(ranking, persistence) ** 2)


def expected_exposure_relevance(ranking, *, persistence, relevance_threshold):
    """Sum the products of the exposures and those of an ideal policy."""
    relevant = Relevant(relevance_threshold)
    exposure = _of_patience(ranking, persistence)
    of_relevant, of_others = _ideal(ranking, persistence, relevant)
    target = np.where(ranking.values(relevant), of_relevant, of_others)
    value = row_sum(exposure * target)
    return np.where(ranking.total(relevant) > 0, value, np.nan)


def expected_exposure(ranking, *, persistence, relevance_threshold):
    """Sum the squared differences of the exposures from those of an ideal policy."""
    relevant = Relevant(relevance_threshold)
    exposure = _of_patience(ranking, persistence)
    of_relevant, of_others = _ideal(ranking, persistence, relevant)
    found = ranking.values(relevant)
    off = exposure - np.where(found, of_relevant, of_others)
    retrieved = ranking.ranks <= ranking.n_retrieved[:, np.newaxis]
    n_relevant, n_found = ranking.total(relevant), row_sum(found)
    n_missed = ranking.block.n_documents - ranking.n_retrieved
    n_relevant_missed = n_relevant - n_found
    value = (
        row_sum(np.where(retrieved, off, 0.0) ** 2)
        + n_relevant_missed * of_relevant[:, 0] ** 2
        + (n_missed - n_relevant_missed) * of_others[:, 0] ** 2
    )
    return np.where(n_relevant > 0, value, np.nan)


def _of_patience(ranking, persistence):
    """Return the exposures to a user who goes on to the next rank with `persistence`.

    The weights are p^(r - 1), not multiplied by 1 - p as in RBP.
    """
    refuse_extremes(ranking, "in expected exposure")
    return exposures(ranking, persistence ** (ranking.ranks - 1.0))


def _ideal(ranking, persistence, relevant):
    """Return the ideal exposures of relevant and of other documents, as columns.

    All orders with the relevant documents first are equally likely.
    """
    n_relevant = ranking.total(relevant)
    n = ranking.block.n_documents.astype(np.float64)
    lost = persistence**n_relevant
    of_relevant = divide_or_zero(1.0 - lost, n_relevant)
    of_others = divide_or_zero(lost - persistence**n, n - n_relevant)
    scale = 1.0 - persistence
    return of_relevant[:, np.newaxis] / scale, of_others[:, np.newaxis] / scale
