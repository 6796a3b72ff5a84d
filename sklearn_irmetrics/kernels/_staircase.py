"""Curves as lists of corners: of one ranking, and exact averages over queries."""

from typing import NamedTuple

import numpy as np

from sklearn_irmetrics._core.namespace import namespace
from sklearn_irmetrics._core.values import Relevant

# In a picture, steps of less than a thousandth look like a straight line.
_STEPS_DRAWN = 1000


class Steps(NamedTuple):
    """The documents above each threshold of one ranking, best first.

    Attributes
    ----------
    relevant, others : array of shape (n_steps,)
        The weight retrieved down to the end of each step.
    last : int array of shape (n_steps,)
        The document at the end of each step.
    """

    relevant: np.ndarray
    others: np.ndarray
    last: np.ndarray


def steps(ranking, weights, *, relevance_threshold):
    """Add up the weights of one ranking down to the end of each of its steps.

    A tie group is one step, unless `ties` gives it an order.
    """
    xp = ranking.xp
    relevant = Relevant(relevance_threshold)
    ranking = ranking.break_ties(relevant)
    n = int(ranking.n_retrieved[0])
    order, hits = ranking.order[0, :n], ranking.values(relevant)[0, :n]
    found, missed = (
        xp.running_sum(xp.where(chosen, weights[order], 0.0)[np.newaxis])[0]
        for chosen in (hits, ~hits)
    )
    ends = _ends(ranking)[0, :n]
    return Steps(found[ends], missed[ends], order[ends])


def interpolate(precision, recall, grid, interpolation):
    """Return the best precision at each recall level, one row per level.

    ``"right"`` takes all points of at least that recall, 0 if there is none;
    ``"window"`` takes those up to the next level, NaN if there is none.
    """
    xp = namespace(precision)
    levels = xp.asarray(grid, dtype=xp.float64, like=precision)
    next_levels = xp.concatenate([levels[1:], xp.ones_like(levels[:1])])
    nothing = xp.zeros((len(precision), 1), like=precision) - 1.0
    rows = []
    for low, high in zip(levels, next_levels, strict=True):
        inside = recall >= low - 1e-12
        if interpolation == "window":
            inside = inside & (recall <= high + 1e-12)
        # Add a column in front, so no row is empty.
        points = xp.concatenate([nothing, xp.where(inside, precision, -1.0)], axis=1)
        rows.append(xp.running_max(points)[:, -1])
    best = xp.stack(rows)
    return xp.where(best >= 0.0, best, np.nan if interpolation == "window" else 0.0)


def best_in_windows(ranking, *, grid, relevance_threshold):
    """Return the best precision between each recall level and the next, as rows.

    NaN where no rank has such a recall. In a tie group, only the last rank has one.
    """
    xp = ranking.xp
    relevant = Relevant(relevance_threshold)
    ranking = ranking.break_ties(relevant)
    found = ranking.running_sum(relevant)
    measured = _ends(ranking) & (ranking.ranks <= ranking.n_retrieved[:, np.newaxis])
    precision = xp.where(measured, found / ranking.ranks, -1.0)
    recall = xp.divide(found, ranking.total(relevant)[:, np.newaxis])
    return interpolate(precision, recall, grid, "window")


def roc_changes(ranking, *, relevance_threshold):
    """Return the parts of ROC curves in which the true positive rate rises.

    Returns
    -------
    rows : int array of shape (n_parts,)
        The query of each part.
    begin, end, rise : array of shape (n_parts,)
        The false positive rates where it begins and ends, and how much it rises.
    n_relevant, n_others : array of shape (n_queries,)
        Numbers of documents of each query.
    """
    xp = ranking.xp
    relevant = Relevant(relevance_threshold)
    ranking = ranking.break_ties(relevant)
    positives = ranking.total(relevant)
    negatives = ranking.block.n_documents - positives
    found = ranking.running_sum(relevant)
    ends = _ends(ranking) & (ranking.ranks <= ranking.n_retrieved[:, np.newaxis])
    border = xp.zeros((len(found), 1), like=found)
    shown = xp.concatenate([border == 0, ends, border == 0], axis=1)
    found = xp.round(found, 0)  # a whole number at the end of a group
    parts = []
    for counts, total in ((found, positives), (ranking.ranks - found, negatives)):
        whole = total[:, np.newaxis]
        share = xp.divide(xp.concatenate([border, counts, whole], axis=1), whole)
        parts.append(share[shown])
    y, x = parts
    rows = xp.arange(len(found), like=ranking.order)[:, np.newaxis]
    rows = xp.broadcast_to(rows, shown.shape)[shown]
    rises = (rows[1:] == rows[:-1]) & (y[1:] > y[:-1]) & ~xp.isnan(x[1:])
    parts = rows[1:], x[:-1], x[1:], y[1:] - y[:-1]
    return *(part[rises] for part in parts), positives, negatives


def add_up_rises(begin, end, rise):
    """Add up lines that are level except for one rise between two places.

    Returns
    -------
    x, y : array of shape (n_corners,)
        The corners of the sum, from 0 to 1; both ends of vertical parts.
    """
    xp = namespace(begin)
    upright = begin == end
    slope = xp.divide_or_zero(rise, end - begin)
    nothing, edges = xp.zeros_like(rise), xp.asarray([0.0, 1.0], like=begin)
    x = xp.concatenate([begin, end, edges])
    jump = xp.concatenate([xp.where(upright, rise, 0.0), nothing, 0.0 * edges])
    turn = xp.concatenate([slope, -slope, 0.0 * edges])
    order = xp.argsort(x)
    x = x[order]
    opens = xp.ones_like(x, dtype=xp.bool)
    opens[1:] = x[1:] != x[:-1]
    starts = xp.flatnonzero(opens)
    x = x[starts]
    jump, turn = xp.sum_runs(jump[order], starts), xp.sum_runs(turn[order], starts)
    slopes = xp.running_sum(turn[np.newaxis])[0]
    climb = xp.zeros_like(x)
    climb[1:] = jump[:-1] + slopes[:-1] * (x[1:] - x[:-1])
    lower = xp.running_sum(climb[np.newaxis])[0]
    ends = xp.stack([lower, lower + jump], axis=1)
    shown = xp.stack([xp.ones_like(opens[starts]), jump > 0.0], axis=1)
    x = xp.broadcast_to(x[:, np.newaxis], ends.shape)
    return x[shown], xp.clip(ends[shown], 0.0, 1.0)


def chance_rises(n_others, shares):
    """Return the parts in which the mean ROC curve of random rankings rises.

    Among N other documents, a relevant one is equally likely to be at each of the N + 1
    places before, between and after them. The expected curve therefore rises by
    1 / (N + 1) at 0, 1 / N, ..., 1.

    Parameters
    ----------
    n_others, shares : array of shape (n_queries,)
        N of each query, at least 1, and its share of the mean.

    Returns
    -------
    begin, end, rise : array of shape (n_parts,)
    """
    xp = namespace(shares)
    order = xp.argsort(n_others)
    n = n_others[order]
    opens = xp.ones_like(n, dtype=xp.bool)
    opens[1:] = n[1:] != n[:-1]
    starts = xp.flatnonzero(opens)
    n, shares = n[starts], xp.sum_runs(shares[order], starts)
    many = n > _STEPS_DRAWN
    straight = xp.zeros_like(n[many]), xp.ones_like(n[many]), shares[many]
    n, shares = n[~many], shares[~many]
    lengths = xp.astype(n, xp.int64) + 1
    ends = xp.cumsum(lengths, axis=0)
    number = xp.arange(int(lengths.sum()), like=lengths)
    number = number - xp.repeat(ends - lengths, lengths)
    n, shares = xp.repeat(n, lengths), xp.repeat(shares, lengths)
    stairs = number / n, number / n, shares / (n + 1.0)
    return tuple(map(xp.concatenate, zip(straight, stairs, strict=True)))


def _ends(ranking):
    """Return where a step of the ranking ends."""
    if ranking.tied and ranking.ties == "average":
        return ranking.group_place == ranking.group_size
    return ranking.order >= 0
