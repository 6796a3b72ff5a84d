"""Measures of graded relevance: gains, discounted by rank."""

import numpy as np

from sklearn_irmetrics._core.arrays import divide, divide_or_zero, running_sum
from sklearn_irmetrics._core.values import Relevant, RelevantGain
from sklearn_irmetrics.kernels._common import (
    capped,
    deepest,
    met_with_those_above,
    per_retrieved,
    up_to,
    where_relevant,
)


def cumulative_gain(ranking, *, k, gain):
    """Sum the gains down to rank k."""
    return up_to(ranking.expected(gain, deepest(k)), k)


def dcg(ranking, *, k, gain, discount):
    """Sum the gains down to rank k, each times the discount of its rank."""
    return _discounted(ranking.expected(gain, deepest(k)), k, discount, ranking)


def ndcg(ranking, *, k, gain, discount):
    """Divide DCG by the DCG of the best order of all judged documents."""
    ideal = _discounted(ranking.ideal(gain, deepest(k)), k, discount, ranking)
    return divide(dcg(ranking, k=k, gain=gain, discount=discount), ideal)


def q_measure(ranking, *, k, beta, gain, denominator, relevance_threshold):
    """Compute the sum of blended ratios (C + β cg) / (r + β ideal cg), as AP's."""
    if denominator == "retrieved" and np.ndim(k):
        options = {
            "beta": beta,
            "gain": gain,
            "denominator": denominator,
            "relevance_threshold": relevance_threshold,
        }
        cutoffs = map(int, k.ravel())
        return np.stack([q_measure(ranking, k=k, **options) for k in cutoffs])
    relevant = Relevant(relevance_threshold)
    relevant_gain = RelevantGain(relevant, gain)
    ranking = ranking.favouring(relevant_gain)
    to_find = ranking.total(relevant)
    ideal = running_sum(ranking.ideal(relevant_gain, None))[:, : ranking.depth]
    weights = 1.0 / (ranking.ranks + beta * ideal)
    before = ranking.before_group(relevant) + beta * ranking.before_group(relevant_gain)
    if ranking.tied:
        r = ranking.group_sums(relevant)
        own = r + beta * ranking.group_sums(relevant_gain)
        base = ranking.sums_before(relevant) + beta * ranking.sums_before(relevant_gain)
        terms = weights * met_with_those_above(ranking, r, base, own)
        unit = ranking.along_groups(divide_or_zero(own, r), np.zeros_like(r))
    else:
        unit = 1.0 + beta * ranking.values(relevant_gain)
        terms = weights * ranking.values(relevant) * (before + unit)
    if denominator == "retrieved":
        value = per_retrieved(ranking, relevant, k, terms, before, unit, weights)
    elif denominator == "k":
        value = up_to(terms, k) / k
    else:
        attainable = denominator == "attainable"
        value = divide(up_to(terms, k), capped(to_find, k) if attainable else to_find)
    return where_relevant(to_find, value)


def _discounted(gains, k, discount, ranking):
    gains = gains[:, : deepest(k)]
    return up_to(gains * discount(ranking.ranks[: gains.shape[1]]), k)
