"""Measures of graded relevance: gains, discounted by rank."""

import math
from functools import partial

import numpy as np

from sklearn_irmetrics._core.arrays import divide, divide_or_zero, row_sum, running_sum
from sklearn_irmetrics._core.values import Relevant, RelevantGain
from sklearn_irmetrics.kernels._common import (
    deepest,
    discounted,
    met_with_those_above,
    over_denominator,
    refuse_extremes,
    sum_expected,
)


def cumulative_gain(ranking, *, k, gain):
    """Sum the gains down to rank k."""
    return sum_expected(ranking, gain, k)


def dcg(ranking, *, k, gain, discount):
    """Sum the gains down to rank k, each times the discount of its rank."""
    return discounted(ranking.expected(gain, deepest(k)), k, discount, ranking)


def ndcg(ranking, *, k, gain, discount):
    """Divide DCG by the best order's; ``"minmax"`` first subtracts the worst's."""
    gained = dcg(ranking, k=k, gain=gain, discount=discount)
    if gain.negative == "minmax":
        best, worst, attainable, error = _extremes(ranking, k, gain, discount)
        value = divide(gained - worst, attainable - worst)
        return np.where(best - worst > error, value, np.nan)
    may_be_negative = gain.negative == "keep" and not gain.none_negative
    if may_be_negative and (
        ranking.block.has_implicit or ranking.candidates.has_negative(gain)
    ):
        _, _, ideal, error = _extremes(ranking, k, gain, discount)
        return np.where(ideal > error, divide(gained, ideal), np.nan)
    compute = partial(_ideal, ranking, k, discount)
    if k is None or isinstance(k, int):
        what = "ideal DCG", k, discount
        ideal = ranking.candidates.keep(what, gain, compute)
    else:
        ideal = compute(gain)
    return divide(np.minimum(gained, ideal), ideal)  # despite rounding


def _ideal(ranking, k, discount, gain):
    """Return the DCG of the best order."""
    return discounted(ranking.ideal(gain, deepest(k)), k, discount, ranking)


# A sum of terms of both signs is 0 if smaller than this share of their absolute sum.
_ROUNDING = 1e-13


def _extremes(ranking, k, gain, discount):
    """Return the DCG of the best and of the worst order of all documents.

    The third value is the DCG of the best order if negative gains count only down to
    the number of documents retrieved; the last bounds the rounding error of
    differences of these.
    """
    if not (k is None or isinstance(k, int)):
        rows = [
            _extremes(ranking, one, gain, discount)
            for one in map(int, k.ravel().tolist())
        ]
        return [np.stack(column) for column in zip(*rows, strict=True)]
    if ranking.block.has_implicit:
        raise TypeError(
            "y_true and y_score must be dense for nDCG with negative gains; got a "
            "sparse matrix. Use its toarray(), or negative_grades='clip'."
        )
    n = ranking.block.n_documents[:, np.newaxis]
    retrieved = ranking.n_retrieved[:, np.newaxis]
    longest = max(1, int(n.max()))
    ranks = np.arange(1.0, longest + 1.0)
    weights = discount(ranks)
    if k is not None:
        weights = np.where(ranks <= k, weights, 0.0)
    falling = ranking.candidates.falling(gain)
    present = falling > -math.inf
    falling = np.where(present, falling, 0.0)
    place = np.arange(falling.shape[1]) + np.zeros_like(n)
    place = np.minimum(place, longest - 1)
    from_below = np.clip(n - 1 - place, 0, longest - 1)
    counted = (falling > 0.0) | (place < retrieved)
    return [
        row_sum(falling * weights[place]),
        row_sum(falling * weights[from_below]),
        row_sum(np.where(counted, falling, 0.0) * weights[place]),
        row_sum(abs(falling) * weights[place]) * _ROUNDING,
    ]


def q_measure(ranking, *, k, beta, gain, denominator, relevance_threshold):
    """Sum the blended ratios (C + β cg) / (r + β ideal cg), and divide as in AP."""
    relevant = Relevant(relevance_threshold)
    relevant_gain = RelevantGain(relevant, gain)
    # A relevant document without any gain counts for more than a non-relevant one.
    ranking = ranking.break_ties(RelevantGain(relevant, gain, -math.inf))
    ideal = running_sum(ranking.ideal(relevant_gain, None))[:, : ranking.depth]
    weights = 1.0 / (ranking.ranks + beta * ideal)
    if not gain.none_negative and (beta * ranking.values(relevant_gain) < -1.0).any():
        refuse_extremes(ranking, "where relevant documents gain less than -1 / beta")

    def before():
        gained = ranking.before_group(relevant_gain)
        return ranking.before_group(relevant) + beta * gained

    if ranking.tied:
        r = ranking.group_sums(relevant)
        own = r + beta * ranking.group_sums(relevant_gain)
        base = ranking.sums_before(relevant) + beta * ranking.sums_before(relevant_gain)
        terms = weights * met_with_those_above(ranking, r, base, own)
        unit = ranking.groups.along(divide_or_zero(own, r), np.zeros_like(r))
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
