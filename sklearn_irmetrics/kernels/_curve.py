"""Measures read off a precision-recall or ROC curve."""

from functools import partial

import numpy as np

from sklearn_irmetrics._core.arrays import (
    divide,
    divide_or_zero,
    largest_from,
    row_sum,
    running_max,
    side_by_side,
)
from sklearn_irmetrics._core.values import Relevant
from sklearn_irmetrics.kernels._common import at_column


def interpolated_precision(ranking, *, recall_level, **options):
    """Compute the best precision at or below the rank that reaches a recall level."""
    return interpolated_precisions(ranking, recall_levels=[recall_level], **options)[0]


def eleven_point_precision(ranking, **options):
    """Compute the mean of interpolated precision over recall levels."""
    return interpolated_precisions(ranking, **options).mean(axis=0)


def interpolated_precisions(
    ranking, *, recall_levels, recall_rounding, relevance_threshold
):
    """Return interpolated precision, one row per recall level."""
    relevant = Relevant(relevance_threshold)
    to_find = ranking.total(relevant)
    best = _best_precision_from(ranking, relevant)
    levels = np.asarray(recall_levels, dtype=np.float64)
    target = _ROUNDINGS[recall_rounding](levels[:, np.newaxis] * to_find)
    found = target <= best.shape[1]
    columns = np.clip(target, 1, best.shape[1]).astype(np.int64) - 1
    value = np.where(found, at_column(best, columns), 0.0)
    return np.where(to_find > 0, value, np.nan)


_ROUNDINGS = {
    "ceil": lambda exact: np.ceil(np.round(exact, 9)),
    "trec_eval9": lambda exact: np.floor(exact + 0.9),
    # Half away from zero, as C's lround; adding 0.5 would round 0.49999999999999994 up.
    "trec_eval10": lambda exact: np.floor(exact) + (exact - np.floor(exact) >= 0.5),
}


def precision_recall_auc(ranking, *, relevance_threshold):
    """Compute the mean, over all relevant documents, of interpolated precision."""
    relevant = Relevant(relevance_threshold)
    best = _best_precision_from(ranking, relevant)
    return divide(best.sum(axis=1), ranking.total(relevant))


def roc_auc(ranking, *, relevance_threshold):
    """Compute the probability that a relevant document is above a non-relevant one."""
    relevant = Relevant(relevance_threshold)
    ranking = ranking.break_ties(relevant)
    positives = ranking.total(relevant)
    negatives = ranking.block.n_documents - positives
    hits = row_sum(ranking.values(relevant))
    if ranking.tied:
        r = ranking.group_total(relevant).astype(np.float64)
        n = ranking.group_size
        negatives_before = (
            ranking.ranks - ranking.group_place - ranking.before_group(relevant)
        )
        below_or_tied = negatives[:, np.newaxis] - negatives_before - 0.5 * (n - r)
        won = (r / n * below_or_tied).sum(axis=1)
    else:  # relevant documents above other relevant ones do not count
        above = row_sum(ranking.values(relevant) * ranking.ranks)
        won = hits * negatives - (above - 0.5 * hits * (hits + 1.0))
    misses = ranking.n_retrieved - hits
    won += 0.5 * (positives - hits) * (negatives - misses)
    return divide(won, positives * negatives)


def roc(ranking, *, grid, relevance_threshold):
    """Return the true positive rate, one row per false positive rate.

    Straight lines join the ends of the tie groups; where the curve is vertical, its
    middle counts.
    """
    relevant = Relevant(relevance_threshold)
    ranking = ranking.break_ties(relevant)
    positives = ranking.total(relevant)
    negatives = ranking.block.n_documents - positives
    tp = ranking.running_sum(relevant)
    fp = ranking.ranks - tp
    beyond = ranking.ranks > ranking.n_retrieved[:, np.newaxis]
    start = np.zeros((len(tp), 1))
    tp = np.where(beyond, positives[:, np.newaxis], tp)
    fp = np.where(beyond, negatives[:, np.newaxis], fp)
    tp = np.concatenate([start, tp, positives[:, np.newaxis]], axis=1)
    fp = np.concatenate([start, fp, negatives[:, np.newaxis]], axis=1)
    wanted = np.asarray(grid, dtype=np.float64)[:, np.newaxis] * negatives
    row = np.arange(len(tp))
    # One search for all rows: each row's numbers are lifted above those before it.
    lift = row * (negatives.max() + 2.0)
    lifted = (np.round(fp, 9) + lift[:, np.newaxis]).ravel()
    searched = np.round(wanted, 9) + lift
    ends = []
    for side in ("left", "right"):
        after = np.searchsorted(lifted, searched, side=side)
        after = np.minimum(after - row * tp.shape[1], tp.shape[1] - 1)
        left, right = (row, np.maximum(after - 1, 0)), (row, after)
        slope = divide_or_zero(tp[right] - tp[left], fp[right] - fp[left])
        ends.append(tp[left] + slope * (wanted - fp[left]))
    lower, upper = ends
    upper = np.where(wanted >= negatives, positives, upper)
    middle = divide(0.5 * (lower + upper), positives)
    return np.where(negatives > 0, middle, np.nan)


def max_fbeta(ranking, *, alpha, relevance_threshold):
    """Compute the largest C(r) / (alpha r + (1 - alpha) R) at any rank r."""
    relevant = Relevant(relevance_threshold)
    to_find = ranking.total(relevant)
    ranking = ranking.group_ties(relevant)
    missing = (1.0 - alpha) * to_find[:, np.newaxis]
    values = divide_or_zero(
        ranking.running_sum(relevant), alpha * ranking.ranks + missing
    )
    return np.where(to_find > 0, running_max(values)[:, -1], np.nan)


def _best_precision_from(ranking, relevant):
    """Return the best precision from the j-th relevant document on, in column j.

    A tie group is one step: its relevant documents are found at its end.
    """
    ranking = ranking.group_ties(relevant)
    return ranking.keep(
        "best_precision", relevant, partial(_best_precision_in_order, ranking)
    )


def _best_precision_in_order(ranking, relevant):
    precision = ranking.running_sum(relevant) / ranking.ranks
    at_relevant = side_by_side(ranking.values(relevant), precision)
    return largest_from(at_relevant)
