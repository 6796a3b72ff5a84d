"""Curves as lists of corners: of one ranking, and exact averages over queries."""

from typing import NamedTuple

import numpy as np

from sklearn_irmetrics._core.arrays import (
    divide,
    divide_or_zero,
    running_max,
    running_sum,
    sum_runs,
)
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
    relevant = Relevant(relevance_threshold)
    ranking = ranking.break_ties(relevant)
    n = int(ranking.n_retrieved[0])
    order, hits = ranking.order[0, :n], ranking.values(relevant)[0, :n]
    found, missed = (
        running_sum(np.where(chosen, weights[order], 0.0)[np.newaxis])[0]
        for chosen in (hits, ~hits)
    )
    ends = _ends(ranking)[0, :n]
    return Steps(found[ends], missed[ends], order[ends])


def interpolate(precision, recall, grid, interpolation):
    """Return the best precision at each recall level, one row per level.

    ``"right"`` takes all points of at least that recall, 0 if there is none;
    ``"window"`` takes those up to the next level, NaN if there is none.
    """
    levels = np.asarray(grid, dtype=np.float64)
    next_levels = np.concatenate([levels[1:], np.ones_like(levels[:1])])
    nothing = np.zeros((len(precision), 1)) - 1.0
    rows = []
    for low, high in zip(levels, next_levels, strict=True):
        inside = recall >= low - 1e-12
        if interpolation == "window":
            inside = inside & (recall <= high + 1e-12)
        # Add a column in front, so no row is empty.
        points = np.concatenate([nothing, np.where(inside, precision, -1.0)], axis=1)
        rows.append(running_max(points)[:, -1])
    best = np.stack(rows)
    return np.where(best >= 0.0, best, np.nan if interpolation == "window" else 0.0)


def best_in_windows(ranking, *, grid, relevance_threshold):
    """Return the best precision between each recall level and the next, as rows.

    NaN where no rank has such a recall. In a tie group, only the last rank has one.
    """
    relevant = Relevant(relevance_threshold)
    ranking = ranking.break_ties(relevant)
    found = ranking.running_sum(relevant)
    measured = _ends(ranking) & (ranking.ranks <= ranking.n_retrieved[:, np.newaxis])
    precision = np.where(measured, found / ranking.ranks, -1.0)
    recall = divide(found, ranking.total(relevant)[:, np.newaxis])
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
    relevant = Relevant(relevance_threshold)
    ranking = ranking.break_ties(relevant)
    positives = ranking.total(relevant)
    negatives = ranking.block.n_documents - positives
    found = ranking.running_sum(relevant)
    ends = _ends(ranking) & (ranking.ranks <= ranking.n_retrieved[:, np.newaxis])
    border = np.zeros((len(found), 1))
    shown = np.concatenate([border == 0, ends, border == 0], axis=1)
    found = np.round(found, 0)  # a whole number at the end of a group
    parts = []
    for counts, total in ((found, positives), (ranking.ranks - found, negatives)):
        whole = total[:, np.newaxis]
        share = divide(np.concatenate([border, counts, whole], axis=1), whole)
        parts.append(share[shown])
    y, x = parts
    rows = np.arange(len(found))[:, np.newaxis]
    rows = np.broadcast_to(rows, shown.shape)[shown]
    rises = (rows[1:] == rows[:-1]) & (y[1:] > y[:-1]) & ~np.isnan(x[1:])
    parts = rows[1:], x[:-1], x[1:], y[1:] - y[:-1]
    return *(part[rises] for part in parts), positives, negatives


def add_up_rises(begin, end, rise):
    """Add up lines that are level except for one rise between two places.

    Returns
    -------
    x, y : array of shape (n_corners,)
        The corners of the sum, from 0 to 1; both ends of vertical parts.
    """
    upright = begin == end
    slope = divide_or_zero(rise, end - begin)
    nothing, edges = np.zeros_like(rise), np.array([0.0, 1.0])
    x = np.concatenate([begin, end, edges])
    jump = np.concatenate([np.where(upright, rise, 0.0), nothing, 0.0 * edges])
    turn = np.concatenate([slope, -slope, 0.0 * edges])
    order = np.argsort(x)
    x = x[order]
    opens = np.ones_like(x, dtype=bool)
    opens[1:] = x[1:] != x[:-1]
    starts = np.flatnonzero(opens)
    x = x[starts]
    jump, turn = sum_runs(jump[order], starts), sum_runs(turn[order], starts)
    slopes = running_sum(turn[np.newaxis])[0]
    climb = np.zeros_like(x)
    climb[1:] = jump[:-1] + slopes[:-1] * (x[1:] - x[:-1])
    lower = running_sum(climb[np.newaxis])[0]
    ends = np.stack([lower, lower + jump], axis=1)
    shown = np.stack([np.ones_like(opens[starts]), jump > 0.0], axis=1)
    x = np.broadcast_to(x[:, np.newaxis], ends.shape)
    return x[shown], np.clip(ends[shown], 0.0, 1.0)


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
    order = np.argsort(n_others)
    n = n_others[order]
    opens = np.ones_like(n, dtype=bool)
    opens[1:] = n[1:] != n[:-1]
    starts = np.flatnonzero(opens)
    n, shares = n[starts], sum_runs(shares[order], starts)
    many = n > _STEPS_DRAWN
    straight = np.zeros_like(n[many]), np.ones_like(n[many]), shares[many]
    n, shares = n[~many], shares[~many]
    lengths = n.astype(np.int64) + 1
    ends = np.cumsum(lengths, axis=0)
    number = np.arange(int(lengths.sum()))
    number = number - np.repeat(ends - lengths, lengths)
    n, shares = np.repeat(n, lengths), np.repeat(shares, lengths)
    stairs = number / n, number / n, shares / (n + 1.0)
    return tuple(map(np.concatenate, zip(straight, stairs, strict=True)))


def _ends(ranking):
    """Return where a step of the ranking ends."""
    if ranking.tied and ranking.ties == "average":
        return ranking.group_place == ranking.group_size
    return ranking.order >= 0
