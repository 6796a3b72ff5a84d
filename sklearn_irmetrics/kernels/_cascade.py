"""Measures for a user who goes down the ranking and may stop at any rank."""

import math

import numpy as np

from sklearn_irmetrics._core.ordering import gather
from sklearn_irmetrics._core.values import Relevant, Satisfaction, Unjudged, Utility
from sklearn_irmetrics.kernels._common import (
    chances_to_reach,
    count_examined,
    deepest,
    up_to,
)


def rank_biased_precision(ranking, *, k, persistence, max_grade, relevance_threshold):
    """Compute (1 - p) times the sum of utilities, each times p^(rank - 1)."""
    utility = Utility(Relevant(relevance_threshold), max_grade)
    reached = chances_to_reach(ranking, persistence)
    total = up_to(ranking.expected(utility, len(reached)) * reached, k)
    return (1.0 - persistence) * total


def rank_biased_precision_residual(ranking, *, k, persistence):
    """Compute how much RBP would gain if every unjudged document were relevant."""
    reached = chances_to_reach(ranking, persistence)
    unjudged = ranking.expected(Unjudged(), len(reached)) * reached
    unjudged = up_to(unjudged, k)
    seen = count_examined(ranking, k, adaptive=True)
    return (1.0 - persistence) * unjudged + persistence**seen


def expected_reciprocal_rank(ranking, *, k, gain, max_grade, relevance_threshold):
    """Compute the expectation of 1 / (rank of the document that satisfies the user)."""
    satisfaction = Satisfaction(gain, max_grade)
    ranking = ranking.break_ties(satisfaction).with_whole_groups()
    stops = ranking.values(satisfaction)
    goes_on = np.cumprod(1.0 - stops, axis=1)
    reached = np.concatenate([np.ones_like(goes_on[:, :1]), goes_on[:, :-1]], axis=1)
    stopped = stops * reached
    if ranking.tied:
        reached = ranking.groups.spread(ranking.groups.at_first(reached)).ravel()
        stopped = stopped.ravel()
        limit = ranking.depth if k is None else min(deepest(k), ranking.depth)
        for cells, present in ranking.groups.mixed(stops):
            # Ranks below the cutoff do not count, nor do groups that begin there.
            n_seen = limit - cells[:, 0] % ranking.depth
            cells, present = cells[n_seen > 0], present[n_seen > 0]
            if not len(cells):
                continue
            n_places = min(cells.shape[1], int(n_seen.max()))
            first_stop = _mean_first_stop(stops.ravel()[cells], present, n_places)
            met = reached[cells[:, 0]][:, np.newaxis] * first_stop
            cells, present = cells[:, :n_places], present[:, :n_places]
            stopped[cells[present]] = met[present]
        stopped = stopped.reshape(stops.shape)
    value = up_to(stopped / ranking.ranks, k)
    to_find = ranking.total(Relevant(relevance_threshold))
    return np.where(to_find > 0, value, np.nan)


# A remaining probability too small to change a sum of float64.
_NOTHING_LEFT = 2.0**-60


def _mean_first_stop(stops, present, n_places):
    """Return the probability of stopping at each place, over all orders of each row.

    Parameters
    ----------
    stops : ndarray of shape (n_groups, n_documents)
        Probability of stopping at each document that is `present`.
    n_places : int
        Number of places that count.

    Notes
    -----
    ``a_j``, the probability of passing j documents, is the mean product of ``1 - stop``
    over all sets of j documents; ``d_j`` is the probability of stopping at place j. Add
    the documents one by one; for the (i + 1)-th, of probability P::

        d_j <- ((i + 1 - j) d_j + (j - 1) (1 - P) d_(j-1) + P a_(j-1)) / (i + 1)
        a_j <- ((i + 1 - j) a_j + j (1 - P) a_(j-1)) / (i + 1)

    All terms are positive, so nothing cancels, and none exceeds 1. The recurrence
    starts after the documents of the smallest probability, often the majority.
    """
    sizes = present.sum(axis=1)
    mean = np.where(present, stops, 0.0).sum(axis=1) / sizes
    stops = np.sort(np.where(present, stops, 2.0), axis=1)
    equal = (stops == stops[:, :1]).sum(axis=1)
    # Put groups with the most documents left first, to drop those that are finished.
    by_steps = np.argsort(equal - sizes, axis=0)
    stops, equal, mean = stops[by_steps], equal[by_steps], mean[by_steps]
    falling = equal - sizes[by_steps]  # steps of each group, negated
    n_steps = -int(falling[0])
    steps = np.arange(n_steps)
    n_left = np.searchsorted(falling, -steps).tolist()  # groups with more steps
    columns = equal[:, np.newaxis] + steps
    left = gather(stops, np.clip(columns, 0, stops.shape[1] - 1))
    # By Maclaurin's inequality, a_j <= (1 - mean)^j: places beyond `width` add nothing.
    least_mean = min(max(float(mean.min()), 1e-300), 0.5)
    longest = math.log(_NOTHING_LEFT) / math.log1p(-least_mean)
    width = min(n_places, math.ceil(min(longest, n_places)))
    j = np.arange(float(width))  # one less than in the formulas
    least, taken = stops[:, :1], equal.astype(np.float64)[:, np.newaxis]
    product = (1.0 - least) ** j
    stopped = np.where(j < taken, least * product, 0.0)
    passed = np.where(j <= taken, product, 0.0)  # a_(j-1)
    reach = int(equal.max()) + 1
    for step, n_active in enumerate(n_left):
        reach = min(reach + 1, width)
        stop, i = left[:n_active, step : step + 1], taken[:n_active] + float(step)
        share = j[:reach] / (i + 1.0)
        moved = share[:, 1:] * (1.0 - stop)
        d, a = stopped[:n_active, :reach], passed[:n_active, :reach]
        next_d = d * ((i - j[:reach]) / (i + 1.0))
        next_d[:, 1:] += d[:, :-1] * moved
        next_d += a * (stop / (i + 1.0))
        next_a = a * (1.0 - share)
        next_a[:, 1:] += a[:, :-1] * moved
        stopped[:n_active, :reach] = next_d
        passed[:n_active, :reach] = next_a
    result = np.zeros((len(stops), n_places))
    result[by_steps, :width] = stopped
    return result
