"""Measures of a user who goes down the ranking and may stop at every rank."""

import numpy as np

from sklearn_irmetrics._core.namespace import namespace
from sklearn_irmetrics._core.values import Relevant, Satisfaction, Unjudged, Utility
from sklearn_irmetrics.kernels._common import examined, up_to, where_relevant


def rank_biased_precision(ranking, *, k, persistence, max_grade, relevance_threshold):
    """Compute (1 - p) times the sum of utilities, each times p^(rank - 1)."""
    utility = ranking.expected(Utility(Relevant(relevance_threshold), max_grade))
    weights = persistence ** (ranking.ranks - 1.0)
    return (1.0 - persistence) * up_to(utility * weights, k)


def rank_biased_precision_residual(ranking, *, k, persistence):
    """Compute what RBP would gain if all that is not judged were relevant."""
    weights = persistence ** (ranking.ranks - 1.0)
    unjudged = up_to(ranking.expected(Unjudged()) * weights, k)
    seen = examined(ranking, k, adaptive=True)
    return (1.0 - persistence) * unjudged + persistence**seen


def expected_reciprocal_rank(ranking, *, k, gain, max_grade, relevance_threshold):
    """Compute the expectation of 1 / (rank of the document that satisfies)."""
    xp = ranking.xp
    satisfaction = Satisfaction(gain, max_grade)
    ranking = ranking.favouring(satisfaction).with_whole_groups()
    stops = ranking.values(satisfaction)
    goes_on = xp.cumprod(1.0 - stops, axis=1)
    reached = xp.concatenate([xp.ones_like(goes_on[:, :1]), goes_on[:, :-1]], axis=1)
    stopped = stops * reached
    if ranking.tied:
        reached = ranking.at_group_start(reached).ravel()
        stopped = stopped.ravel()
        for cells, present in ranking.mixed_groups(satisfaction):
            groups = xp.where(present, stops.ravel()[cells], 0.0)
            first_stop = _mean_first_stop(groups, present.sum(axis=1))
            met = reached[cells[:, 0]][:, np.newaxis] * first_stop
            stopped[cells[present]] = met[present]
        stopped = stopped.reshape(stops.shape)
    value = up_to(stopped / ranking.ranks, k)
    return where_relevant(ranking.total(Relevant(relevance_threshold)), value)


def _mean_first_stop(stops, sizes):
    """Return the probability to stop at each place, over all orders of each row.

    Parameters
    ----------
    stops : ndarray of shape (n_groups, n_places)
        Probability to stop at each document; row i has ``sizes[i]`` documents.

    Notes
    -----
    The probability to pass j documents drawn from the others of a document is the
    mean of the products of j of their ``1 - stop``: an elementary symmetric polynomial
    over a binomial coefficient. Their ratio itself follows a recursion over the
    documents, so neither overflows; once per distinct value of `stops`.
    """
    xp = namespace(stops)
    n_groups, n_places = stops.shape
    columns = xp.arange(n_places, like=stops)
    present = columns < sizes[:, np.newaxis]
    stops = -xp.sort(-xp.where(present, stops, -1.0), axis=1)
    differs = stops[:, 1:] != stops[:, :-1]
    opens = present & xp.concatenate([present[:, :1], differs], axis=1)
    group, place = xp.nonzero(opens)
    end = xp.full_like(group[:1], n_groups * n_places)
    pair_ends = xp.concatenate([xp.flatnonzero(opens)[1:], end])
    ends = xp.minimum(pair_ends - group * n_places, sizes[group])
    count = ends - place
    columns = columns[:-1]
    others = 1.0 - stops[group[:, np.newaxis], columns + (columns >= place[:, None])]
    passed = xp.zeros((len(group), n_places), like=stops)
    passed[:, 0] = 1.0
    j = xp.arange(1.0, n_places, like=stops)
    for m in range(n_places - 1):
        left, with_next = (m + 1.0 - j) / (m + 1.0), j / (m + 1.0)
        drawn = passed[:, 1:] * left + passed[:, :-1] * with_next * others[:, m, None]
        passed[:, 1:] = xp.where((m < sizes[group] - 1)[:, None], drawn, passed[:, 1:])
    weight = stops[group, place] * count / sizes[group]
    first_pair = xp.searchsorted(group, xp.arange(n_groups, like=group))
    return xp.sum_runs(passed * weight[:, np.newaxis], first_pair)
