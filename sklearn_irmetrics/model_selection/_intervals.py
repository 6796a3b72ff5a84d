"""The interval of an estimate: over units, over splits, or by leaving units out."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sklearn_irmetrics._arrays.numbers import to_dense
from sklearn_irmetrics._arrays.rows import divide
from sklearn_irmetrics._results.tables import PLURAL
from sklearn_irmetrics._statistics.draws import batches
from sklearn_irmetrics._statistics.intervals import (
    area_of,
    interval_of_auc,
    interval_of_class_means,
    interval_of_geometric_mean,
    interval_of_influences,
    interval_of_mean,
    no_interval,
    percentile_interval,
    split_interval,
)
from sklearn_irmetrics._statistics.units import means_of_groups
from sklearn_irmetrics.metrics._ranking.averages import EPSILON
from sklearn_irmetrics.model_selection._scores import (
    QueryMean,
    Scores,
    by_appearance,
)
from sklearn_irmetrics.model_selection._units import Units
from sklearn_irmetrics.scorers._row_values import (
    cost_rows,
    ratio_rows,
    row_values,
    set_rows,
)
from sklearn_irmetrics.scorers.scorer import name_of

# What an interval may describe.
MODELS = "the models trained here"
TRAINING = "models trained this way on new data"
# Each block is a call of the scorer.
_N_BLOCKS = 40
_N_RESAMPLES = 999
# Where each resample is a call of the scorer.
_N_CALLS = 199


@dataclass(frozen=True, eq=False)
class Estimate:
    """The score of a measure, and what its interval is made of.

    Attributes
    ----------
    scorer : NamedScorer
        What scores.
    value : float
        The estimate.
    aggregate : {"per_query", "pooled", "per_split"}
        What it is a mean, or the score, of.
    split_scores : ndarray of shape (n_splits,)
        Scores of splits, NaN where there are none.
    query_mean : QueryMean or None
        The queries, if it is their mean.
    pool : Pool or None
        Predictions of the splits in which the measure did not fail.
    design : Design
        What was done.
    trains : bool
        Whether each split has a model of its own.
    rng : numpy.random.Generator
        Generator of blocks and resamples.
    confidence_level : float
        Such as 0.95.
    """

    scorer: object
    value: float
    aggregate: str
    split_scores: np.ndarray
    query_mean: QueryMean | None
    pool: object
    design: object
    trains: bool
    rng: np.random.Generator
    confidence_level: float

    @cached_property
    def scores(self):
        """The predictions of all splits, as the scorer sees them."""
        return Scores.from_pool(self.scorer, self.pool)

    @property
    def inputs(self):
        """All data."""
        return self.pool.inputs

    @property
    def unit(self):
        """The name of the units that were split."""
        return PLURAL[self.inputs.unit]


def interval_of(estimate):
    """Return standard error, interval, its name, and what it is about.

    1. After a bootstrap, or with ``interval="corrected_t"``: corrected t over splits.
    2. Means over queries, otherwise means over rows: an interval over these units.
    3. Other scores of pooled predictions or of one split: see `_interval_of_pool`.
    4. Other scores of several splits: corrected t over splits.
    """
    # interval="auto" is resolved in two places. What an interval is over: here and in
    # `_interval_of_pool`. How it is computed from values of units: in
    # `interval_of_sample` and its neighbours, which get "auto" as their `method`.
    design = estimate.design
    if estimate.pool is None:
        why = "the measure failed in all splits"
        none = no_interval(why, confidence_level=estimate.confidence_level)
        return *none, MODELS
    if design.is_bootstrap or design.interval == "corrected_t":
        return *_interval_over_splits(estimate), TRAINING
    if estimate.query_mean is not None:
        return *_interval_over_queries(estimate), MODELS
    if (over_rows := _interval_over_rows(estimate)) is not None:
        return *over_rows, MODELS
    if estimate.aggregate == "pooled" or len(design.splits) == 1:
        return *_interval_of_pool(estimate), MODELS
    return *_interval_over_splits(estimate), TRAINING


def _interval_over_splits(estimate):
    """Return what `split_interval` does, around the estimate of a bootstrap."""
    design, bounds = estimate.design, estimate.scorer.bounds
    around = n_units = None
    if design.is_bootstrap:
        around, n_units = estimate.value, estimate.inputs.units.n_units
    return split_interval(
        estimate.split_scores,
        design.n_test / design.n_train,
        around=around,
        n_units=n_units,
        bounds=bounds,
        confidence_level=estimate.confidence_level,
    )


def _interval_over_queries(estimate):
    """Return what `interval_of_mean` does, for the values of queries."""
    queries = estimate.query_mean
    return interval_of_mean(
        queries.values,
        weights=queries.weights,
        groups=queries.groups,
        bounds=estimate.scorer.bounds,
        # The seed itself, with which other doors draw for the same values alike.
        rng=estimate.inputs.seed,
        confidence_level=estimate.confidence_level,
        method=estimate.design.interval,
    )


def _interval_over_rows(estimate):
    """Return an interval over the rows whose mean a score is, None for other scores."""
    split, split_scores = estimate.pool.predictions.split, estimate.split_scores
    if estimate.aggregate == "pooled":
        split, split_scores = np.zeros_like(split), np.array([estimate.value])
    units = units_of_mean(estimate, split, split_scores)
    if units is None:
        return None
    values, weights, classes = units
    if classes is not None:
        return interval_of_class_means(
            values,
            weights=weights,
            classes=classes,
            units=estimate.unit,
            confidence_level=estimate.confidence_level,
            method=estimate.design.interval,
        )
    return interval_of_mean(
        values,
        weights=weights,
        bounds=estimate.scorer.bounds,
        rng=estimate.inputs.seed,
        units=estimate.unit,
        confidence_level=estimate.confidence_level,
        method=estimate.design.interval,
    )


def units_of_mean(estimate, split, split_scores):
    """Return values, weights and classes of units, if scores are means over rows.

    With these weights, the mean over units is the mean of the scores of the splits.
    Classes are None unless the means of classes are averaged. None is returned for
    other scores, and if the means of the rows of a split differ from its score.

    Parameters
    ----------
    estimate : Estimate
        What was predicted.
    split : int array of shape (n_predictions,)
        The split of each prediction; with pooled scores, there is only one.
    split_scores : ndarray of shape (n_splits,)
        The scores of these splits.
    """
    scorer = estimate.scorer
    if not scorer.scores_predictions or (
        scorer.is_ours and not scorer.judges_predictions
    ):
        return None
    scores = estimate.scores
    rows = _values_of_rows(scorer, scores.predictions, split, scores.classes)
    if rows is None:
        return None
    values, weights, classes = rows
    requested = scorer.take_requested(scores.inputs.metadata)
    sample_weight = requested.get("sample_weight")
    if sample_weight is not None:
        weights = weights * np.asarray(sample_weight)[scores.row]
    totals = np.bincount(split, weights, minlength=len(split_scores))
    defined = totals > 0
    weights = divide(weights, totals[split] * defined.sum())
    means = np.bincount(split, weights * values, minlength=len(split_scores))
    means *= scorer.sign * defined.sum()
    means = np.where(defined, means, np.nan)
    if not np.allclose(means, split_scores, equal_nan=True):
        return None
    at = weights > 0
    values, units = scorer.sign * values[at], scores.units[at]
    if classes is None:
        return *means_of_groups(values, weights[at], units), None
    if len(np.unique(units)) < len(units):
        return None  # a unit may have rows of several classes
    return values, weights[at], classes[at]


def _values_of_rows(scorer, predictions, split, classes):
    """Return values, weights and classes of rows whose mean a score is, or None."""
    y_true, y_score = predictions.y_true, predictions.y_score
    if scorer.is_ours:
        metric, labels = scorer.metric, predictions.labels
        if predictions.qid is not None or np.ndim(y_true) != 1:
            return None
        if metric.name == "set_cost":
            arguments = {"labels": labels, **scorer.arguments}
            return cost_rows(metric.function, y_true, y_score, split, arguments)
        if metric.kind != "set" or labels is not None:
            return None
        return set_rows(metric, y_true, y_score, scorer.arguments)
    name = name_of(scorer.function)
    values = row_values(name, y_true, y_score, classes)
    if values is not None:
        return values, np.ones(len(values)), None
    return ratio_rows(name, y_true, y_score, split, scorer.arguments)


def _interval_of_pool(estimate):
    """Return the interval of the score of one pool of predictions.

    Of a geometric mean of queries, it is over these. Of the area under the ROC curve of
    rows, it is that of `interval_of_auc`. If a single rank decides the score, "auto" is
    the percentile bootstrap over units, because the jackknife fails. Of other scores,
    it is the jackknife over blocks of units, which needs few calls of the scorer and is
    valid even if almost all predictions are right.
    """
    scorer = estimate.scorer
    if scorer.ranks_rows and estimate.trains and len(estimate.design.splits) > 1:
        why = "different models are ranked together"
        return no_interval(why, confidence_level=estimate.confidence_level)
    values = _values_of_geometric_mean(estimate.scores)
    if values is not None:
        return interval_of_geometric_mean(
            **values,
            floor=scorer.arguments.get("epsilon", EPSILON),
            bounds=scorer.bounds,
            rng=estimate.inputs.seed,
            confidence_level=estimate.confidence_level,
            method=estimate.design.interval,
        )
    scores = estimate.scores.weighed()
    with scorer.suppress_warnings():
        if _cuts_ranks(scorer) and estimate.design.interval == "auto":
            drawn_from = Units(scores.units, len(scores.units))
            how = f"percentile bootstrap over {drawn_from.n_units} {estimate.unit}"
            replicates = _scores_of_draws(scores, drawn_from, estimate.rng)
            return percentile_interval(replicates, estimate.confidence_level, how)
        if (classes := _classes_of_area(scores, estimate.value)) is not None:
            return interval_of_auc(
                *classes,
                confidence_level=estimate.confidence_level,
                method=estimate.design.interval,
            )
        influences, are_blocks = jackknife(scores, estimate.value, estimate.rng)
    return interval_of_influences(
        estimate.value,
        influences,
        n_units=_count_units(scores),
        bounds=scorer.bounds,
        units="blocks" if are_blocks else estimate.unit,
        how="jackknife ",
        confidence_level=estimate.confidence_level,
        method=estimate.design.interval,
    )


def _values_of_geometric_mean(scores):
    """Return values and weights of queries, if each was tested once, or None."""
    scorer, inputs = scores.scorer, scores.inputs
    is_geometric = scorer.metric is not None and scorer.sign > 0
    is_geometric &= scorer.arguments.get("average") == "geometric"
    is_of_queries = scorer.ranks == "queries" and inputs.unit == "query"
    if not (is_geometric and is_of_queries) or scores.times.max() > 1:
        return None
    queries = by_appearance(inputs.queries.codes[scores.row])
    with scorer.suppress_warnings():
        values = scores.score(average=None)
    if len(values) > len(queries):  # some were split
        return None
    counted, weights = ~np.isnan(values), None
    if "sample_weight" in scorer.requested & inputs.metadata.keys():
        weights = inputs.query_facts(of_rows=False).weights[queries]
        counted &= weights > 0
        weights = weights[counted]
    return {"values": values[counted], "weights": weights}


def _classes_of_area(scores, whole):
    """Return the scores of both classes if a score is the area under their ROC curve.

    None for other scores, and where several rows are one unit.
    """
    units = scores.units
    scorer = scores.scorer
    is_area = name_of(scorer.function) == "roc_auc_score"
    is_whole = is_area and scorer.arguments.get("max_fpr") is None
    if not is_whole or len(np.unique(units)) < len(units):
        return None
    ranked = scores.as_one_ranking()
    if ranked is None:
        return None
    y_true, y_score, _ = ranked
    relevant = y_true > 0
    classes = y_score[relevant], y_score[~relevant]
    if not all(map(len, classes)) or not np.isclose(whole, area_of(*classes)):
        return None
    return classes


def _count_units(scores):
    """Return how many units count: those of the rarer class if both are needed."""
    units, y_true = scores.units, np.asarray(to_dense(scores.inputs.y))[scores.row]
    if scores.scorer.needs_both_classes and y_true.ndim == 1:
        classes, codes = np.unique(y_true, return_inverse=True)
        if len(classes) == 2:
            return min(len(np.unique(units[codes == code])) for code in (0, 1))
    return len(np.unique(units))


def _cuts_ranks(scorer):
    """Whether a single rank decides a score, so it jumps with single rows."""
    known = scorer.metric is not None and scorer.metric.name in ("roc_auc", "ap")
    return scorer.is_ours and not scorer.judges_predictions and not known


def jackknife(scores, whole, rng):
    """Return how far blocks of units move a score, and if they are several units.

    For a mean, the influences of a block sum to ``(value - mean) / n_units``. Blocks
    without which the score is undefined are left out.

    Parameters
    ----------
    scores : Scores
        The predictions.
    whole : float
        Their score.
    rng : numpy.random.Generator
        Generator of the blocks.
    """
    units = np.unique(scores.units, return_inverse=True)[1]
    n_units = units.max() + 1
    blocks = np.arange(n_units)
    if n_units > _N_BLOCKS:
        blocks = rng.permutation(blocks % _N_BLOCKS)
    sizes, block = np.bincount(blocks), blocks[units]
    kept = [np.flatnonzero(block != one) for one in range(len(sizes))]
    if len(kept) == 1:
        left = np.array([np.nan])
    elif ranked := scores.as_one_ranking():
        y_true, y_score, score = ranked
        rows = np.concatenate(kept)
        qid = np.repeat(np.arange(len(kept)), [len(at) for at in kept])
        left = score(y_true[rows], y_score[rows], qid=qid)
    else:
        left = np.array([scores.take(at).score_if_defined() for at in kept])
    influences = (whole - left) * (1 - sizes / n_units)
    return influences[~np.isnan(influences)], len(sizes) < n_units


def _scores_of_draws(scores, units, rng):
    """Return scores of resampled units, all at once if units are rows."""
    n, ranked = units.n_units, None
    if n == len(units.codes):
        ranked = scores.as_one_ranking()
    if ranked is None:
        replicates = []
        for _ in range(_N_CALLS if n > 1 else 0):
            draw = rng.integers(n, size=n)
            copies = np.repeat(np.arange(n), units.sizes[draw])
            drawn = scores.take(units.rows(draw), copies)
            replicates.append(drawn.score_if_defined())
        return np.array(replicates)
    y_true, y_score, score = ranked
    replicates = []
    for part in batches(_N_RESAMPLES, n):
        rows = rng.integers(n, size=(part.stop - part.start, n))
        replicates.append(score(y_true[rows], y_score[rows]))
    return np.concatenate(replicates)
