"""The points of ROC and precision-recall curves of one ranking."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sklearn_irmetrics._arrays.labels import check_row_order
from sklearn_irmetrics._arrays.numbers import as_array
from sklearn_irmetrics._arrays.rows import (
    divide,
    divide_or_zero,
    running_max,
    running_sum,
    sum_runs,
)
from sklearn_irmetrics._checks import TIES, check_flag, check_option
from sklearn_irmetrics._warnings import suppress_warnings, warn_of_undefined
from sklearn_irmetrics.metrics._ranking.averages import (
    NOTHING_RELEVANT,
    ONE_CLASS,
    aggregate,
    aggregate_rows,
    average_queries,
    average_replacements,
)
from sklearn_irmetrics.metrics._ranking.batch import (
    RankingBatch,
    check_batch,
    check_weights,
)
from sklearn_irmetrics.metrics._ranking.blocks import iter_blocks
from sklearn_irmetrics.metrics._ranking.compute import (
    score_ranking,
    warn_of_low_precision_scores,
)
from sklearn_irmetrics.metrics._ranking.gains import Documents, Relevant
from sklearn_irmetrics.metrics._ranking.parameters import (
    check_by_rules,
    check_relevance,
)
from sklearn_irmetrics.metrics._ranking.ranking import Ranking
from sklearn_irmetrics.metrics._ranking.sets import is_one_ranking


@dataclass(frozen=True)
class OneRanking:
    """What a ranking retrieves down to each of its thresholds.

    Attributes
    ----------
    relevant, others : array of shape (n_steps,)
        Number of documents, or sum of weights, down to the end of each step.
    thresholds : array of shape (n_steps,)
        The score of each step, falling.
    n_relevant, n_others : float
        The same of all documents, retrieved or not.
    all_retrieved : bool
        Whether the last step holds all documents.
    weighted : bool
        Whether documents have weights.
    batch : RankingBatch
        The documents.
    """

    relevant: np.ndarray
    others: np.ndarray
    thresholds: np.ndarray
    n_relevant: float
    n_others: float
    all_retrieved: bool
    weighted: bool
    batch: RankingBatch


def one_ranking(
    y_true,
    y_score,
    *,
    relevance_threshold,
    judged_only,
    pos_label,
    qid,
    sample_weight,
    ties,
):
    """Return the one ranking that all documents form, None for queries."""
    check_row_order(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    batch = check_batch(y_true, y_score, qid=qid)
    if not is_one_ranking(y_true, y_score, qid):
        return None
    check_option("ties", ties, TIES)
    threshold = check_relevance(relevance_threshold, pos_label, batch)
    judged_only = check_flag("judged_only", judged_only)
    (block,) = iter_blocks(batch)
    width = block.scores.shape[1]
    weights = np.ones(width)
    if sample_weight is not None:
        weights = check_weights(sample_weight, width, "row")
    counted = weights > 0.0
    if judged_only:
        counted = counted & ~np.isnan(block.grades[0])
    block = replace(block, scores=np.where(counted, block.scores, -np.inf))
    ranking = Ranking.of(block, ties=ties)
    hits, misses, last = steps(ranking, weights, relevance_threshold=threshold)
    relevant = Relevant(threshold)(Documents(block.grades[0], {}))
    n_relevant, n_others = (
        float(np.where(chosen & counted, weights, 0.0).sum())
        for chosen in (relevant, ~relevant)
    )
    return OneRanking(
        hits,
        misses,
        batch.scores.reshape(-1).astype(np.float64)[last],
        n_relevant,
        n_others,
        bool(((block.scores[0] > -np.inf) | ~counted).all()),
        sample_weight is not None,
        batch,
    )


def weighs_documents(y_true, y_score, qid, sample_weight):
    """Whether documents of one ranking have weights that differ."""
    if sample_weight is None or not is_one_ranking(y_true, y_score, qid):
        return False
    weights = check_weights(sample_weight, len(y_true), "row")
    return bool((weights != weights[0]).any())


def drop_weightless(
    y_true, y_score, *, relevance_threshold, pos_label, qid, sample_weight
):
    """Return documents, class and weights of one ranking without those of weight 0.

    Labels become grades, since only these documents may be of the relevant class.
    Anything else is returned as it is.
    """
    unchanged = y_true, y_score, pos_label, sample_weight
    if not weighs_documents(y_true, y_score, qid, sample_weight):
        return unchanged
    check_row_order(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    weights = check_weights(sample_weight, len(y_true), "row")
    counted = weights > 0.0
    if counted.all() or len(y_score) != len(counted):
        return unchanged
    if pos_label is not None:
        batch = check_batch(y_true, y_score)
        relevant = Relevant(check_relevance(relevance_threshold, pos_label, batch))
        (block,) = iter_blocks(batch)
        (grades,) = block.grades
        is_relevant = relevant(Documents(grades, {}))
        y_true, pos_label = np.where(np.isnan(grades), np.nan, is_relevant), None
    y_true, y_score = as_array("y_true", y_true), as_array("y_score", y_score)
    return y_true[counted], y_score[counted], pos_label, weights[counted]


def score_ranking_or_rows(
    name,
    formula,
    formula_of_rows,
    y_true,
    y_score,
    *,
    documents,
    averaging,
    ties,
    combine=aggregate,
    only=None,
    **parameters,
):
    """Score rankings with a formula, one whose documents have weights with another.

    Parameters
    ----------
    name, formula, y_true, y_score, ties, combine, **parameters
        As for `score_ranking`.
    formula_of_rows : callable
        Takes a `OneRanking`, and the parameters without those of `only`.
    documents : dict of str to object
        The arguments `relevance_threshold`, `judged_only`, `pos_label`, `qid` and
        `sample_weight`.
    averaging : dict of str to object
        The arguments of `combine`.
    only : dict of str to object or None
        Parameters that must have these values where documents have weights.
    """
    qid, sample_weight = documents["qid"], documents["sample_weight"]
    y_true, y_score, documents["pos_label"], sample_weight = drop_weightless(
        y_true,
        y_score,
        relevance_threshold=documents["relevance_threshold"],
        pos_label=documents["pos_label"],
        qid=qid,
        sample_weight=sample_weight,
    )
    documents["sample_weight"] = sample_weight
    if not weighs_documents(y_true, y_score, qid, sample_weight):
        return score_ranking(
            name,
            formula,
            y_true,
            y_score,
            ties=ties,
            combine=combine,
            **documents,
            **averaging,
            **parameters,
        )
    parameters = check_by_rules(formula, parameters)
    for option, permitted in {"ties": "average", **(only or {})}.items():
        value = ties if option == "ties" else parameters.pop(option)
        if value != permitted:
            raise ValueError(
                f"{option} must be {permitted!r} for {name} where sample_weight "
                f"differs between documents; got {value!r}."
            )
    ranking = one_ranking(y_true, y_score, ties=ties, **documents)
    value = formula_of_rows(ranking, **parameters)
    return combine(np.reshape(value, 1), None, name=name, **averaging)


def average_precision(ranking):
    """Compute the sum of precision at each threshold times the rise of recall."""
    precision, recall, _ = precision_recall_points(ranking)
    rises = recall[:-1] - recall[1:]
    return (rises * precision[:-1]).sum() + recall[-1]  # 0, or NaN if none is relevant


def roc_auc(ranking, max_fpr=None):
    """Compute the area under the ROC curve, or of its beginning."""
    fpr, tpr, _ = roc_points(ranking)
    if max_fpr is None:
        return area_under(fpr, tpr)
    end = np.interp(max_fpr, fpr, tpr)
    inside = fpr <= max_fpr
    area = area_under(np.append(fpr[inside], max_fpr), np.append(tpr[inside], end))
    is_defined = not np.isnan(fpr[-1] + tpr[-1])
    return standardise_area(area, max_fpr) if is_defined else np.asarray(np.nan)


def recall_at_precision(ranking, min_precision):
    """Compute the largest recall at a threshold whose precision is high enough."""
    warn_of_low_precision_scores(ranking.batch)
    relevant = ranking.relevant
    accepted = divide_or_zero(relevant, relevant + ranking.others) >= min_precision
    return relevant[accepted].max(initial=0.0) / _or_nan(ranking.n_relevant)


def recall_at_fpr(ranking, max_fpr):
    """Compute the largest recall at a threshold whose false positive rate is low."""
    warn_of_low_precision_scores(ranking.batch)
    fpr = divide_or_zero(ranking.others, ranking.n_others)
    relevant = ranking.relevant[fpr <= max_fpr]
    return relevant.max(initial=0.0) / _or_nan(ranking.n_relevant)


def standardise_area(area, max_fpr):
    """Return the area up to a false positive rate: 1/2 is chance and 1 is perfect."""
    least = 0.5 * max_fpr**2
    return 0.5 * (1.0 + (area - least) / (max_fpr - least))


def area_under(fpr, tpr):
    """Compute the area under the points of a ROC curve, NaN if a rate is undefined."""
    total = ((fpr[1:] - fpr[:-1]) * (tpr[1:] + tpr[:-1])).sum() / 2.0
    return np.where(np.isnan(fpr[-1] + tpr[-1]), np.nan, total)


def roc_points(ranking, *, drop_intermediate=False):
    """Return the false and true positive rates and the threshold of each point."""
    warn_of_low_precision_scores(ranking.batch)
    others, relevant, thresholds = ranking.others, ranking.relevant, ranking.thresholds
    if not ranking.all_retrieved:
        others = np.append(others, ranking.n_others)
        relevant = np.append(relevant, ranking.n_relevant)
        thresholds = np.append(thresholds, -np.inf)
    if drop_intermediate and len(others) > 2:
        bends = (np.diff(others, 2) != 0.0) | (np.diff(relevant, 2) != 0.0)
        kept = _framed([True], bends, [True])
        others, relevant, thresholds = others[kept], relevant[kept], thresholds[kept]
    fpr = _framed([0.0], others, []) / _or_nan(ranking.n_others)
    tpr = _framed([0.0], relevant, []) / _or_nan(ranking.n_relevant)
    return fpr, tpr, _framed([np.inf], thresholds, [])


def precision_recall_points(ranking, *, drop_intermediate=False):
    """Return precision, recall and the threshold of each point, rising."""
    warn_of_low_precision_scores(ranking.batch)
    others, relevant, thresholds = ranking.others, ranking.relevant, ranking.thresholds
    if drop_intermediate and len(others) > 2:
        rises = np.diff(relevant) != 0.0
        kept = _framed([True], rises[:-1] | rises[1:], [True])
        others, relevant, thresholds = others[kept], relevant[kept], thresholds[kept]
    precision = relevant / (relevant + others)
    recall = _framed([], relevant[::-1], [0.0]) / _or_nan(ranking.n_relevant)
    return _framed([], precision[::-1], [1.0]), recall, thresholds[::-1]


def precision_at_levels(
    name, ranking, levels, interpolation, *, average, replace_undefined_by
):
    """Return the precision of one ranking at each recall level."""
    warn_of_low_precision_scores(ranking.batch)
    precision = ranking.relevant / (ranking.relevant + ranking.others)
    recall = ranking.relevant / _or_nan(ranking.n_relevant)
    points = precision[np.newaxis], recall[np.newaxis]
    values = interpolate(*points, levels, interpolation)[:, 0]
    if not ranking.n_relevant > 0.0:
        (values,) = fill_undefined(
            name,
            [values * np.nan],
            average=average,
            replace_undefined_by=replace_undefined_by,
        )
    return np.stack([values]) if average is None else values


def _or_nan(total):
    return total if total > 0.0 else np.nan


def _framed(first, values, last):
    """Return values with some numbers before and after them."""
    return np.concatenate([first, values, last])


def fill_undefined(
    name,
    columns,
    *,
    average,
    replace_undefined_by,
    undefined_if=NOTHING_RELEVANT,
):
    """Replace NaN in the columns of one ranking, or warn that it is undefined."""
    undefined = any(bool(np.isnan(column).any()) for column in columns)
    instead = average_replacements(
        np.array([undefined]),
        None,
        name=name,
        average="macro" if average is None else average,
        replace_undefined_by=replace_undefined_by,
        undefined_if=undefined_if,
    )
    if not undefined:
        return columns
    return [np.where(np.isnan(column), instead, column) for column in columns]


def average_windows(
    rows, weights, *, name, average, replace_undefined_by, undefined_if
):
    """Average rows of values, each of which is NaN in different queries.

    Only queries without a value in any row are undefined.
    """
    undefined = np.isnan(rows).all(axis=0)
    averaged = average_queries(
        np.where(undefined, np.nan, 0.0),
        weights,
        name=name,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )
    warn_of_undefined(averaged.undefined_means(name, undefined_if))
    rows = np.where(undefined, np.zeros_like(rows) + replace_undefined_by, rows)
    with suppress_warnings():
        return aggregate_rows(rows, weights, name=name, average=average)


def average_roc(y_true, y_score, **options):
    """Return the corners of the mean ROC curve of all queries.

    Parameters
    ----------
    y_true, y_score, **options
        As in `roc_rises`.
    """
    rises, *_, constant = roc_rises(y_true, y_score, **options)
    x, y = add_up_rises(*rises)
    return x, y + constant


def chance_roc(y_true, y_score, **options):
    """Return the corners of the mean ROC curve expected of random rankings.

    The rows of the array are their false and their true positive rates; the parameters
    are those of `roc_rises`.
    """
    _, n_others, shares, constant = roc_rises(y_true, y_score, **options)
    counted = shares > 0.0
    x, y = add_up_rises(*chance_rises(n_others[counted], shares[counted]))
    return np.stack([x, y + constant])


def roc_rises(
    y_true,
    y_score,
    *,
    relevance_threshold,
    judged_only,
    pos_label,
    qid,
    sample_weight,
    ties,
    replace_undefined_by,
):
    """Return where the mean ROC curve rises, and what its queries add to it.

    Returns
    -------
    rises : tuple of array of shape (n_parts,)
        Begin, end and height of each part.
    n_others, shares : array of shape (n_queries,)
        Number of other documents of each query, and its share of the mean.
    constant : float
        What undefined queries add everywhere; NaN if none is defined.
    """
    batch = check_batch(y_true, y_score, qid=qid, sample_weight=sample_weight)
    check_option("ties", ties, TIES)
    threshold = check_relevance(relevance_threshold, pos_label, batch)
    judged_only = check_flag("judged_only", judged_only)
    warn_of_low_precision_scores(batch)
    blocks = []
    n_relevant, n_others = np.zeros((2, batch.n_queries))
    for block in iter_blocks(batch):
        block = block.condensed() if judged_only else block
        rows, *parts, positives, negatives = roc_changes(
            Ranking.of(block, ties=ties), relevance_threshold=threshold
        )
        n_relevant[block.queries], n_others[block.queries] = positives, negatives
        blocks.append([block.queries[rows], *parts])
    queries, *parts = map(np.concatenate, zip(*blocks, strict=True))
    undefined = (n_relevant == 0) | (n_others == 0)
    constant = average_replacements(
        undefined,
        batch.weights,
        name="roc_curve",
        replace_undefined_by=replace_undefined_by,
        undefined_if=ONE_CLASS,
    )
    weights = np.ones(batch.n_queries) if batch.weights is None else batch.weights
    counted = ~undefined if np.isnan(replace_undefined_by) else np.ones_like(undefined)
    total = np.where(counted, weights, 0.0).sum()
    shares = np.where(undefined, 0.0, weights) / _or_nan(total)
    share = shares[queries]
    begin, end, rise = (part[share > 0.0] for part in parts)
    return (begin, end, rise * share[share > 0.0]), n_others, shares, constant


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
    weight_of_relevant, weight_of_others = (
        running_sum(np.where(chosen, weights[order], 0.0)[np.newaxis])[0]
        for chosen in (hits, ~hits)
    )
    ends = _ends(ranking)[0, :n]
    return Steps(weight_of_relevant[ends], weight_of_others[ends], order[ends])


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
    n_found = ranking.running_sum(relevant)
    measured = _ends(ranking) & (ranking.ranks <= ranking.n_retrieved[:, np.newaxis])
    precision = np.where(measured, n_found / ranking.ranks, -1.0)
    recall = divide(n_found, ranking.total(relevant)[:, np.newaxis])
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
    n_found = ranking.running_sum(relevant)
    ends = _ends(ranking) & (ranking.ranks <= ranking.n_retrieved[:, np.newaxis])
    border = np.zeros((len(n_found), 1))
    shown = np.concatenate([border == 0, ends, border == 0], axis=1)
    n_found = np.round(n_found, 0)  # a whole number at the end of a group
    parts = []
    for counts, total in ((n_found, positives), (ranking.ranks - n_found, negatives)):
        whole = total[:, np.newaxis]
        share = divide(np.concatenate([border, counts, whole], axis=1), whole)
        parts.append(share[shown])
    y, x = parts
    rows = np.arange(len(n_found))[:, np.newaxis]
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
