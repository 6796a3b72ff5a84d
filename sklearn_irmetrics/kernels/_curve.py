"""Measures read off a precision-recall or ROC curve."""

import numpy as np

from sklearn_irmetrics._core.arrays import divide, divide_or_zero, running_sum
from sklearn_irmetrics._core.values import Relevant
from sklearn_irmetrics.kernels._common import where_relevant


def interpolated_precision(
    ranking, *, recall_level, recall_rounding, relevance_threshold
):
    """Compute the best precision at or below the rank that reaches a recall level."""
    return eleven_point_precision(
        ranking,
        recall_levels=(recall_level,),
        recall_rounding=recall_rounding,
        relevance_threshold=relevance_threshold,
    )


def eleven_point_precision(
    ranking, *, recall_levels, recall_rounding, relevance_threshold
):
    """Compute the mean of interpolated precision over recall levels."""
    levels = interpolated_precisions(
        ranking,
        recall_levels=recall_levels,
        recall_rounding=recall_rounding,
        relevance_threshold=relevance_threshold,
    )
    return levels.mean(axis=0)


def interpolated_precisions(
    ranking, *, recall_levels, recall_rounding, relevance_threshold
):
    """Return interpolated precision, a row per recall level."""
    relevant = Relevant(relevance_threshold)
    to_find = ranking.total(relevant)
    best = _best_precision_from(ranking, relevant)
    exact = np.multiply.outer(np.array(recall_levels), to_find)
    target = _ROUNDINGS[recall_rounding](exact)
    found = target <= best.shape[1]
    column = np.clip(target, 1, best.shape[1]).astype(np.intp) - 1
    value = np.where(found, best[np.arange(len(best)), column], 0.0)
    return where_relevant(to_find, value)


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
    ranking = ranking.favouring(relevant)
    positives = ranking.total(relevant)
    negatives = ranking.block.n_documents - positives
    r, n = ranking.group_total(relevant), ranking.group_size
    negatives_before = (
        ranking.ranks - ranking.group_place - ranking.before_group(relevant)
    )
    below_or_tied = negatives[:, np.newaxis] - negatives_before - 0.5 * (n - r)
    won = (r / n * below_or_tied).sum(axis=1)
    hits = ranking.values(relevant).sum(axis=1)
    misses = ranking.n_retrieved - hits
    won += 0.5 * (positives - hits) * (negatives - misses)
    return divide(won, positives * negatives)


def roc(ranking, *, fpr, relevance_threshold):
    """Return the true positive rate, a row per false positive rate.

    The curve goes through the end of every tie group in a straight line; where it is
    vertical, its upper end counts.
    """
    relevant = Relevant(relevance_threshold)
    ranking = ranking.favouring(relevant)
    positives = ranking.total(relevant)
    negatives = ranking.block.n_documents - positives
    tp = running_sum(ranking.expected(relevant))
    fp = ranking.ranks - tp
    beyond = ranking.ranks > ranking.n_retrieved[:, np.newaxis]
    start = np.zeros((len(tp), 1))
    tp = np.where(beyond, positives[:, np.newaxis], tp)
    fp = np.where(beyond, negatives[:, np.newaxis], fp)
    tp = np.concatenate([start, tp, positives[:, np.newaxis]], axis=1)
    fp = np.concatenate([start, fp, negatives[:, np.newaxis]], axis=1)
    wanted = np.multiply.outer(np.array(fpr), negatives)
    row = np.arange(len(tp))
    # One search for all rows: each row's numbers are lifted above those before it.
    lift = row * (negatives.max() + 2.0)
    lifted = (np.round(fp, 9) + lift[:, np.newaxis]).ravel()
    after = np.searchsorted(lifted, np.round(wanted, 9) + lift, side="right")
    after = np.minimum(after - row * tp.shape[1], tp.shape[1] - 1)
    left, right = (row, after - 1), (row, after)
    slope = divide_or_zero(tp[right] - tp[left], fp[right] - fp[left])
    reached = np.where(wanted >= negatives, positives, 0.0)
    reached = np.maximum(reached, tp[left] + slope * (wanted - fp[left]))
    return np.where(negatives > 0, divide(reached, positives), np.nan)


def _best_precision_from(ranking, relevant):
    """Return the best precision from the j-th relevant document on, by columns j.

    A tie group is one step: its relevant documents are met at its end.
    """
    ranking = ranking.in_steps(relevant)
    is_relevant = ranking.values(relevant)
    hits = running_sum(is_relevant)
    rows, columns = np.nonzero(is_relevant)
    number = hits[rows, columns]
    best = np.zeros((len(hits), max(1, int(hits[:, -1].max()))))
    best[rows, number.astype(np.intp) - 1] = number / (columns + 1.0)
    return np.maximum.accumulate(best[:, ::-1], axis=1)[:, ::-1]
