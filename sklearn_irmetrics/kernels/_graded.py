"""Measures of graded relevance: gains, discounted by rank."""

from sklearn_irmetrics._core.values import (
    Relevant,
    RelevantFirst,
    RelevantGain,
    Worth,
)
from sklearn_irmetrics.kernels._common import (
    deepest,
    met_with_those_above,
    over_denominator,
    up_to,
)
from sklearn_irmetrics.kernels._extremes import extreme_ratio, needs_search


def cumulative_gain(ranking, *, k, gain):
    """Sum the gains down to rank k."""
    return up_to(ranking.expected(gain, deepest(k)), k)


def dcg(ranking, *, k, gain, discount):
    """Sum the gains down to rank k, each times the discount of its rank."""
    return _discounted(ranking.expected(gain, deepest(k)), k, discount, ranking)


def ndcg(ranking, *, k, gain, discount):
    """Divide DCG by the DCG of the best order of all judged documents."""
    ideal = _discounted(ranking.ideal(gain, deepest(k)), k, discount, ranking)
    return ranking.xp.divide(dcg(ranking, k=k, gain=gain, discount=discount), ideal)


def q_measure(ranking, *, k, beta, gain, denominator, relevance_threshold):
    """Compute the sum of blended ratios (C + β cg) / (r + β ideal cg), as AP's."""
    xp = ranking.xp
    relevant = Relevant(relevance_threshold)
    relevant_gain = RelevantGain(relevant, gain)
    # A relevant document that gains nothing counts for more than one not relevant.
    tied, ranking = ranking, ranking.favouring(RelevantFirst(relevant, gain))
    ideal = xp.running_sum(ranking.ideal(relevant_gain, None))[:, : ranking.depth]
    weights = 1.0 / (ranking.ranks + beta * ideal)
    worth = Worth(relevant_gain, beta)
    if needs_search(tied, relevant, worth, k, denominator):
        return extreme_ratio(tied, ranking, relevant, worth, k, denominator, weights)

    def before():
        gained = ranking.before_group(relevant_gain)
        return ranking.before_group(relevant) + beta * gained

    if ranking.tied:
        r = ranking.group_sums(relevant)
        own = r + beta * ranking.group_sums(relevant_gain)
        base = ranking.sums_before(relevant) + beta * ranking.sums_before(relevant_gain)
        terms = weights * met_with_those_above(ranking, r, base, own)
        unit = ranking.along_groups(xp.divide_or_zero(own, r), xp.zeros_like(r))
    else:
        unit = None  # for cut tie groups only
        gained = beta * ranking.running_sum(relevant_gain)
        gained += ranking.running_sum(relevant)
        terms = weights * ranking.values(relevant)
        terms *= gained
    return over_denominator(
        ranking,
        relevant,
        k,
        denominator,
        terms,
        base=before,
        unit=unit,
        weights=weights,
    )


def _discounted(gains, k, discount, ranking):
    gains = gains[:, : deepest(k)]
    return up_to(gains * discount(ranking.ranks[: gains.shape[1]]), k)
