"""Curves point by point: one ranking with its thresholds, and exact averages."""

from dataclasses import dataclass, replace

import numpy as np

from sklearn_irmetrics._core.aggregate import aggregate, scale_weights
from sklearn_irmetrics._core.blocks import iter_blocks
from sklearn_irmetrics._core.checks import check_weights
from sklearn_irmetrics._core.inputs import RankingBatch, check_batch
from sklearn_irmetrics._core.namespace import is_tensor, namespace
from sklearn_irmetrics._core.numbers import as_array, as_numbers, is_rounded
from sklearn_irmetrics._core.parameters import TIES, check_option, check_parameters
from sklearn_irmetrics._core.ranking import Ranking
from sklearn_irmetrics._core.score import warn_of_low_precision_scores
from sklearn_irmetrics._core.sets import is_one_ranking
from sklearn_irmetrics._core.values import Documents, Relevant
from sklearn_irmetrics.kernels import _staircase as kernels


@dataclass(frozen=True)
class OneRanking:
    """What a ranking retrieves down to each of its thresholds.

    Attributes
    ----------
    relevant, others : array of shape (n_steps,)
        Documents, or their weights, down to the end of each step.
    thresholds : array of shape (n_steps,)
        The score of each step, falling.
    n_relevant, n_others : float
        All documents, or their weights, retrieved or not.
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

    def shares(self):
        """Return the shares of relevant and of other documents at each threshold."""
        xp = namespace(self.relevant)
        totals = self.n_relevant, self.n_others
        return [
            found / total if total > 0.0 else xp.full_like(found, np.nan)
            for found, total in zip((self.relevant, self.others), totals, strict=True)
        ]


def one_ranking(arguments):
    """Return the one ranking that a curve was called with, None for queries."""
    y_true, y_score, qid = (arguments[name] for name in ("y_true", "y_score", "qid"))
    batch = check_batch(y_true, y_score, qid=qid, labels=arguments["labels"])
    if not is_one_ranking(y_true, y_score, qid):
        return None
    names = "relevance_threshold", "judged_only", "pos_label"
    checked = check_parameters({name: arguments[name] for name in names}, batch)
    ties = check_option("ties", arguments["ties"], TIES)
    (block,) = iter_blocks(batch)
    xp, width = namespace(block.scores), block.scores.shape[1]
    weights, sample_weight = xp.ones(width, like=block.grades), None
    if arguments["sample_weight"] is not None:
        sample_weight = check_weights(
            arguments["sample_weight"], width, "row", like=block.grades
        )
        weights = scale_weights(sample_weight)
    counted = weights > 0.0
    if checked["judged_only"]:
        counted = counted & ~xp.isnan(block.grades[0])
    block = replace(block, scores=xp.where(counted, block.scores, -np.inf))
    threshold = checked["relevance_threshold"]
    ranking = Ranking.of(block, ties=ties)
    found, missed, last = kernels.steps(ranking, weights, relevance_threshold=threshold)
    relevant = Relevant(threshold)(Documents(xp, block.grades[0], {}))
    n_relevant, n_others = (
        float(xp.where(chosen & counted, weights, 0.0).sum())
        for chosen in (relevant, ~relevant)
    )
    retrieved = block.scores[0] > -np.inf
    scores = xp.astype(_to_array(y_score, batch.scores), xp.float64)
    return OneRanking(
        found,
        missed,
        scores[last],
        n_relevant,
        n_others,
        bool((retrieved | ~counted).all()),
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
    """Do what `score_ranking` does where the documents of one ranking have weights."""
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
    """Compute the sum of precision times the rise of recall, step by step."""
    precision, recall, _ = precision_recall_points(ranking)
    rises = recall[:-1] - recall[1:]
    return (rises * precision[:-1]).sum() + recall[-1]  # 0, NaN for nothing relevant


def roc_auc(ranking):
    """Compute the area under the ROC curve."""
    fpr, tpr, _ = roc_points(ranking)
    return ((fpr[1:] - fpr[:-1]) * (tpr[1:] + tpr[:-1])).sum() / 2.0


def _to_array(y_score, scores):
    """Return the scores, and not only their places where float64 rounds them."""
    given = y_score if is_tensor(y_score) else as_array("y_score", y_score)
    given = as_numbers("y_score", given) if is_rounded(given) else scores
    return given.reshape(-1)


def roc_points(ranking):
    """Return the corners of the ROC curve of one ranking, and their thresholds."""
    warn_of_low_precision_scores(ranking.batch)
    tpr, fpr = ranking.shares()
    columns = [
        _between(values, first, [] if ranking.all_retrieved else [last])
        for values, first, last in (
            (fpr, 0.0, 1.0),
            (tpr, 0.0, 1.0),
            (ranking.thresholds, np.inf, -np.inf),
        )
    ]
    for total, rates in ((ranking.n_others, 0), (ranking.n_relevant, 1)):
        if not total > 0.0:
            xp = namespace(tpr)
            columns[rates] = xp.full_like(columns[rates], np.nan)
    return columns


def precision_recall_points(ranking):
    """Return precision, recall and thresholds of one ranking as scikit-learn does."""
    warn_of_low_precision_scores(ranking.batch)
    xp = namespace(ranking.relevant)
    precision = ranking.relevant / (ranking.relevant + ranking.others)
    recall, _ = ranking.shares()
    rising = [xp.flip(v, (0,)) for v in (precision, recall, ranking.thresholds)]
    last = 0.0 if ranking.n_relevant > 0.0 else np.nan
    return _behind(rising[0], [1.0]), _behind(rising[1], [last]), rising[2]


def at_levels(name, ranking, levels, interpolation, arguments):
    """Return the interpolated precision of one ranking at recall levels."""
    warn_of_low_precision_scores(ranking.batch)
    precision = ranking.relevant / (ranking.relevant + ranking.others)
    xp = namespace(precision)
    if ranking.n_relevant > 0.0:
        recall, _ = ranking.shares()
        values = kernels.interpolate(precision, recall, levels, interpolation)
    else:
        values = _like(levels, precision) * np.nan
        (values,) = fill_undefined(name, [values], arguments)
    return xp.stack([values]) if arguments["average"] is None else values


def _between(values, first, last):
    return _behind(
        namespace(values).concatenate([_like([first], values), values]), last
    )


def _behind(values, last):
    return namespace(values).concatenate([values, _like(last, values)])


def _like(numbers, values):
    xp = namespace(values)
    return xp.asarray(numbers, dtype=xp.float64, like=values)


def fill_undefined(name, columns, arguments):
    """Warn of a curve that is not defined, or put a number in the place of NaN."""
    xp = namespace(columns[0])
    undefined = any(bool(xp.isnan(column).any()) for column in columns)
    instead = aggregate(
        _like([np.nan if undefined else 0.0], columns[0]),
        None,
        name=name,
        average="macro" if arguments["average"] is None else arguments["average"],
        replace_undefined_by=arguments["replace_undefined_by"],
    )
    if not undefined:
        return columns
    return [xp.where(xp.isnan(column), instead, column) for column in columns]


def average_windows(rows, weights, *, name, average, replace_undefined_by):
    """Average rows of values that are NaN in some queries, others in each row."""
    xp = namespace(rows)
    undefined = xp.isnan(rows).all(axis=0)
    options = {"name": name, "average": average}
    instead = {"replace_undefined_by": replace_undefined_by}
    aggregate(xp.where(undefined, np.nan, 0.0), weights, **options, **instead)
    filled = _like([replace_undefined_by], rows)
    rows = xp.where(undefined, filled, rows)
    means = [aggregate(row, weights, warn=False, **options) for row in rows]
    if average is None:
        return xp.stack(means, axis=1)
    return _like(means, rows)


def average_roc(name, arguments):
    """Return the corners of the mean ROC curve of all queries."""
    return _add_up(name, arguments, lambda rises, n_others, shares: rises)


def chance_roc(arguments):
    """Return the corners of the mean ROC curve expected of random rankings.

    An array of their false positive rates and of their true positive rates.
    """

    def of_chance(rises, n_others, shares):
        counted = shares > 0.0
        return kernels.chance_rises(n_others[counted], shares[counted])

    return np.stack(_add_up("roc_curve", arguments, of_chance))


def _add_up(name, arguments, choose):
    inputs = {
        name: arguments[name]
        for name in ("y_true", "y_score", "qid", "labels", "sample_weight")
    }
    batch = check_batch(**inputs)
    names = "relevance_threshold", "judged_only", "pos_label"
    checked = check_parameters({name: arguments[name] for name in names}, batch)
    ties = check_option("ties", arguments["ties"], TIES)
    threshold = checked["relevance_threshold"]
    warn_of_low_precision_scores(batch)
    found, counts, queries = [], [], []
    for block in iter_blocks(batch):
        block = block.condensed() if checked["judged_only"] else block
        ranking = Ranking.of(block, ties=ties)
        rows, *parts = kernels.roc_changes(ranking, relevance_threshold=threshold)
        *parts, positives, negatives = parts
        found.append([block.queries[rows], *parts])
        counts.append([positives, negatives])
        queries.append(block.queries)
    xp = namespace(batch.scores)
    order = xp.argsort(xp.concatenate(queries))
    queries, *parts = map(xp.concatenate, zip(*found, strict=True))
    n_relevant, n_others = (
        xp.concatenate(column)[order] for column in zip(*counts, strict=True)
    )
    undefined = (n_relevant == 0) | (n_others == 0)
    replaced = arguments["replace_undefined_by"]
    flags = xp.where(undefined, np.nan, 0.0)
    constant = aggregate(flags, batch.weights, name=name, replace_undefined_by=replaced)
    if np.isnan(constant):  # nothing is defined
        edges = _like([0.0, 1.0], flags)
        return edges, xp.full_like(edges, np.nan)
    weights = batch.weights
    weights = (
        xp.ones(len(flags), like=flags) if weights is None else scale_weights(weights)
    )
    counted = ~undefined if np.isnan(replaced) else xp.ones_like(undefined)
    total = xp.where(counted, weights, 0.0).sum()
    shares = xp.where(undefined, 0.0, weights) / total
    begin, end, rise = (part[shares[queries] > 0.0] for part in parts)
    rise = rise * shares[queries[shares[queries] > 0.0]]
    x, y = kernels.add_up_rises(*choose((begin, end, rise), n_others, shares))
    return x, y + constant
