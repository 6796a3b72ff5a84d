"""Curves point by point: one ranking with its thresholds, and exact averages."""

from dataclasses import dataclass, replace

import numpy as np

from sklearn_irmetrics._core.aggregate import aggregate, aggregate_rows, quietly
from sklearn_irmetrics._core.blocks import iter_blocks
from sklearn_irmetrics._core.checks import check_weights
from sklearn_irmetrics._core.inputs import RankingBatch, check_batch
from sklearn_irmetrics._core.parameters import TIES, check_option, check_parameters
from sklearn_irmetrics._core.ranking import Ranking
from sklearn_irmetrics._core.score import warn_of_low_precision_scores
from sklearn_irmetrics._core.sets import is_one_ranking
from sklearn_irmetrics._core.values import Documents, Relevant
from sklearn_irmetrics.kernels import _staircase as kernels

_INPUTS = "y_true", "y_score", "qid", "labels", "sample_weight"
_OPTIONS = "relevance_threshold", "judged_only", "pos_label"


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


def _check(arguments, batch):
    """Return the parameters and the rule for ties that a curve was called with."""
    checked = check_parameters({name: arguments[name] for name in _OPTIONS}, batch)
    return checked, check_option("ties", arguments["ties"], TIES)


def one_ranking(arguments):
    """Return the one ranking that a curve was called with, None for queries."""
    y_true, y_score, qid, labels, sample_weight = map(arguments.get, _INPUTS)
    batch = check_batch(y_true, y_score, qid=qid, labels=labels)
    if not is_one_ranking(y_true, y_score, qid):
        return None
    checked, ties = _check(arguments, batch)
    (block,) = iter_blocks(batch)
    width = block.scores.shape[1]
    weights = np.ones(width)
    if sample_weight is not None:
        weights = check_weights(sample_weight, width, "row")
    counted = weights > 0.0
    if checked["judged_only"]:
        counted = counted & ~np.isnan(block.grades[0])
    block = replace(block, scores=np.where(counted, block.scores, -np.inf))
    threshold = checked["relevance_threshold"]
    ranking = Ranking.of(block, ties=ties)
    found, missed, last = kernels.steps(ranking, weights, relevance_threshold=threshold)
    relevant = Relevant(threshold)(Documents(block.grades[0], {}))
    n_relevant, n_others = (
        float(np.where(chosen & counted, weights, 0.0).sum())
        for chosen in (relevant, ~relevant)
    )
    return OneRanking(
        found,
        missed,
        batch.scores.reshape(-1).astype(np.float64)[last],
        n_relevant,
        n_others,
        bool(((block.scores[0] > -np.inf) | ~counted).all()),
        sample_weight is not None,
        batch,
    )


def weighs_documents(arguments):
    """Whether documents of one ranking have weights that differ."""
    y_true, y_score, qid = (arguments[name] for name in ("y_true", "y_score", "qid"))
    weights = arguments["sample_weight"]
    if weights is None or not is_one_ranking(y_true, y_score, qid):
        return False
    weights = check_weights(weights, len(y_true), "row")
    return bool((weights != weights[0]).any())


def score_one_ranking(name, formula, arguments):
    """Score one ranking whose documents have weights, as `score_ranking` would."""
    defaults = {"ties": "average", "k": None, "denominator": "relevant"}
    for option, default in defaults.items():
        if arguments.get(option, default) != default:
            raise ValueError(
                f"{option} must be {default!r} for {name} where sample_weight differs "
                f"between documents; got {arguments[option]!r}."
            )
    policy = {
        option: arguments[option]
        for option in ("average", "replace_undefined_by", "epsilon")
        if option in arguments
    }
    return aggregate(
        formula(one_ranking(arguments)).reshape(1), None, name=name, **policy
    )


def average_precision(ranking):
    """Compute the sum of precision at each threshold times the rise of recall."""
    precision, recall, _ = precision_recall_points(ranking)
    rises = recall[:-1] - recall[1:]
    return (rises * precision[:-1]).sum() + recall[-1]  # 0, or NaN if none is relevant


def roc_auc(ranking):
    """Compute the area under the ROC curve."""
    fpr, tpr, _ = roc_points(ranking)
    return ((fpr[1:] - fpr[:-1]) * (tpr[1:] + tpr[:-1])).sum() / 2.0


def roc_points(ranking):
    """Return the false and true positive rates and the threshold of each point."""
    warn_of_low_precision_scores(ranking.batch)
    n_relevant, n_others = ranking.n_relevant, ranking.n_others
    fpr, tpr, thresholds = (
        _framed([first], values, [] if ranking.all_retrieved else [last])
        for first, values, last in (
            (0.0, ranking.others, n_others),
            (0.0, ranking.relevant, n_relevant),
            (np.inf, ranking.thresholds, -np.inf),
        )
    )
    return fpr / _or_nan(n_others), tpr / _or_nan(n_relevant), thresholds


def precision_recall_points(ranking):
    """Return precision, recall and the threshold of each point, rising."""
    warn_of_low_precision_scores(ranking.batch)
    precision = ranking.relevant / (ranking.relevant + ranking.others)
    precision, found, thresholds = (
        np.flip(values, (0,))
        for values in (precision, ranking.relevant, ranking.thresholds)
    )
    recall = _framed([], found, [0.0]) / _or_nan(ranking.n_relevant)
    return _framed([], precision, [1.0]), recall, thresholds


def at_levels(name, ranking, levels, interpolation, arguments):
    """Return the precision of one ranking at each recall level."""
    warn_of_low_precision_scores(ranking.batch)
    precision = ranking.relevant / (ranking.relevant + ranking.others)
    recall = ranking.relevant / _or_nan(ranking.n_relevant)
    points = precision[np.newaxis], recall[np.newaxis]
    values = kernels.interpolate(*points, levels, interpolation)[:, 0]
    if not ranking.n_relevant > 0.0:
        (values,) = fill_undefined(name, [values * np.nan], arguments)
    return np.stack([values]) if arguments["average"] is None else values


def _or_nan(total):
    return total if total > 0.0 else np.nan


def _framed(first, values, last):
    """Return values with some numbers before and after them."""
    return np.concatenate([first, values, last])


def fill_undefined(name, columns, arguments):
    """Replace NaN in columns, unless `replace_undefined_by` is NaN."""
    undefined = any(bool(np.isnan(column).any()) for column in columns)
    instead = aggregate(
        np.array([np.nan if undefined else 0.0]),
        None,
        name=name,
        average="macro" if arguments["average"] is None else arguments["average"],
        replace_undefined_by=arguments["replace_undefined_by"],
    )
    if not undefined:
        return columns
    return [np.where(np.isnan(column), instead, column) for column in columns]


def average_windows(rows, weights, *, name, average, replace_undefined_by):
    """Average rows of values, each of which is NaN in different queries."""
    undefined = np.isnan(rows).all(axis=0)
    options = {"name": name, "average": average}
    flags = np.where(undefined, np.nan, 0.0)
    aggregate(flags, weights, **options, replace_undefined_by=replace_undefined_by)
    rows = np.where(undefined, np.zeros_like(rows) + replace_undefined_by, rows)
    with quietly():
        return aggregate_rows(rows, weights, **options)


def average_roc(name, arguments):
    """Return the corners of the mean ROC curve of all queries."""
    rises, *_, constant = _rises(name, arguments)
    x, y = kernels.add_up_rises(*rises)
    return x, y + constant


def chance_roc(arguments):
    """Return the corners of the mean ROC curve expected of random rankings.

    The rows of the array are their false and their true positive rates.
    """
    _, n_others, shares, constant = _rises("roc_curve", arguments)
    counted = shares > 0.0
    x, y = kernels.add_up_rises(
        *kernels.chance_rises(n_others[counted], shares[counted])
    )
    return np.stack([x, y + constant])


def _rises(name, arguments):
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
    batch = check_batch(**{name: arguments[name] for name in _INPUTS})
    checked, ties = _check(arguments, batch)
    threshold = checked["relevance_threshold"]
    warn_of_low_precision_scores(batch)
    found = []
    n_relevant, n_others = np.zeros((2, batch.n_queries))
    for block in iter_blocks(batch):
        block = block.condensed() if checked["judged_only"] else block
        rows, *parts, positives, negatives = kernels.roc_changes(
            Ranking.of(block, ties=ties), relevance_threshold=threshold
        )
        n_relevant[block.queries], n_others[block.queries] = positives, negatives
        found.append([block.queries[rows], *parts])
    queries, *parts = map(np.concatenate, zip(*found, strict=True))
    undefined = (n_relevant == 0) | (n_others == 0)
    replaced = arguments["replace_undefined_by"]
    flags, weights = np.where(undefined, np.nan, 0.0), batch.weights
    constant = aggregate(flags, weights, name=name, replace_undefined_by=replaced)
    weights = np.ones_like(flags) if weights is None else weights
    counted = ~undefined if np.isnan(replaced) else np.ones_like(undefined)
    total = np.where(counted, weights, 0.0).sum()
    shares = np.where(undefined, 0.0, weights) / _or_nan(total)
    share = shares[queries]
    begin, end, rise = (part[share > 0.0] for part in parts)
    return (begin, end, rise * share[share > 0.0]), n_others, shares, constant
