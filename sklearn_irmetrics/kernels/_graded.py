"""Measures of graded relevance: gains, discounted by rank."""

from sklearn_irmetrics._core.arrays import divide


def cumulative_gain(ranking, *, k, gain):
    """Sum the gains down to rank k."""
    return ranking.expected(gain)[:, :k].sum(axis=1)


def dcg(ranking, *, k, gain, discount):
    """Sum the gains down to rank k, each times the discount of its rank."""
    return (ranking.expected(gain)[:, :k] * discount(ranking.ranks[:k])).sum(axis=1)


def ndcg(ranking, *, k, gain, discount):
    """Divide DCG by the DCG of the best order of all judged documents."""
    ideal = ranking.ideal(gain, k)
    best = (ideal * discount(ranking.ranks[: ideal.shape[1]])).sum(axis=1)
    return divide(dcg(ranking, k=k, gain=gain, discount=discount), best)
