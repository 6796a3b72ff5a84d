"""How much one score of many predictions would vary with other data."""

import copy
from inspect import signature

import numpy as np

from sklearn_irmetrics._statistics.batches import batches
from sklearn_irmetrics._statistics.intervals import (
    interval_of_influences,
    percentile_interval,
)
from sklearn_irmetrics._tables import PLURAL
from sklearn_irmetrics.metrics import average_precision_score, roc_auc_score
from sklearn_irmetrics.model_selection._units import Units

_N_BLOCKS = 40
_N_RESAMPLES = 999
# Where each resample is a call of the scorer.
_N_CALLS = 199


def pool_interval(pool, measure, whole, *, rng, confidence_level, method="auto"):
    """Return standard error, interval and its name of the score of a pool.

    The jackknife over blocks of units, which needs few calls of the scorer, and holds
    where almost all predictions are right; where a single rank decides the score,
    which the jackknife cannot follow, the percentile bootstrap over units.

    Parameters
    ----------
    pool : Pool
        The predictions.
    measure : NamedScorer
        What is scored.
    whole : float
        The score of the pool.
    rng : numpy.random.Generator
        What draws resamples, or blocks.
    confidence_level : float
        Such as 0.95.
    method : {"auto", "t"}, default="auto"
        "t" has the jackknife without the range of the measure.

    Returns
    -------
    standard_error : float
    interval : ConfidenceInterval
    how : str
    """
    with measure.quietly():
        if measure.cuts_ranks and method == "auto":
            return _percentiles(pool, measure, rng, confidence_level)
        influences, are_blocks = jackknife(pool, measure, whole, rng)
    return interval_of_influences(
        whole,
        influences,
        bounds=measure.bounds,
        confidence_level=confidence_level,
        method=method,
        units="blocks" if are_blocks else PLURAL[pool.unit],
        how="jackknife ",
    )


def jackknife(pool, measure, whole, rng):
    """Return how far each unit of a pool moves its score, and if these are blocks.

    Units without which the score is not defined are left out.
    """
    units = np.unique(pool.units_of_rows, return_inverse=True)[1]
    blocks = choose_blocks(units.max() + 1, rng)
    found = block_influences(pool, measure, whole, units, blocks)
    return found[~np.isnan(found)], len(found) < len(blocks)


def choose_blocks(n_units, rng, n_blocks=_N_BLOCKS):
    """Return the block of each unit: its own where there are not too many."""
    if n_units <= n_blocks:
        return np.arange(n_units)
    return rng.permutation(np.arange(n_units) % n_blocks)


def block_influences(pool, measure, whole, units, block_of_unit):
    """Return how far each block moves the score of a pool, by leaving it out.

    For a mean, what they sum to in a block is ``(value - mean) / n_units``.

    Parameters
    ----------
    pool : Pool
        The predictions.
    measure : NamedScorer
        What is scored.
    whole : float
        The score of the pool.
    units : ndarray of shape (n_predictions,)
        The unit of each prediction.
    block_of_unit : ndarray of shape (n_units,)
        The block of each unit.

    Returns
    -------
    ndarray of shape (n_blocks,)
        0 of blocks that the pool does not hold, NaN where the score of the others is
        not defined.
    """
    found = np.zeros(block_of_unit.max() + 1)
    if not len(units):  # of a split that failed, and counts what was agreed
        return found
    block = block_of_unit[units]
    blocks = np.unique(block)
    n_inside = np.bincount(block_of_unit[np.unique(units)], minlength=len(found))
    share = 1 - n_inside[blocks] / n_inside.sum()
    left = np.full(len(blocks), np.nan)
    try:
        scorer = _with_function(measure, _LeftOut(block))
        left = pool.score(measure.with_scorer(scorer))
    except _NotAtOnce:
        for i, number in enumerate(blocks if len(blocks) > 1 else ()):
            try:
                left[i] = pool.score(measure, np.flatnonzero(block != number))
            except ValueError:  # what is left has one class
                continue
    found[blocks] = (whole - left) * share
    return found


class _NotAtOnce(Exception):
    """Raised where a score has to be computed once for each change of its rows."""


def _with_function(measure, function):
    """Return the scorer of a measure with another function of targets and scores."""
    scorer = copy.copy(measure.scorer)
    metric = getattr(scorer, "_score_func", None)
    function.metric = getattr(metric, "metric", metric)
    function.needs_ids = getattr(metric, "needs_ids", False)  # read by our scorers
    if metric is None or "sample_weight" in measure.metadata:
        raise _NotAtOnce
    # A scorer asks the signature which class is the positive one.
    function.__signature__ = signature(metric)
    scorer._score_func = function
    return scorer


class _LeftOut:
    """ROC AUC or average precision of rows, without each of their blocks in turn.

    scikit-learn's measures are those of this package here: the AUC always, average
    precision where no two scores are equal.
    """

    metric: object
    needs_ids: bool

    def __init__(self, block):
        self.block = block

    def __call__(self, y_true, y_score, **kwargs):
        pos_label = kwargs.pop("pos_label", None)
        name = getattr(self.metric, "__name__", None)
        is_area = name == "roc_auc_score"
        classes = np.unique(y_true)
        if (
            kwargs
            or np.ndim(y_score) != 1
            or len(classes) != 2
            or not (is_area or name == "average_precision_score")
            or not (is_area or len(np.unique(y_score)) == len(y_score))
        ):
            raise _NotAtOnce
        if pos_label is None:
            pos_label = classes[1] if is_area else 1
        positive = np.asarray(y_true) == pos_label
        kept = [np.flatnonzero(self.block != i) for i in np.unique(self.block)]
        rows = np.concatenate(kept)
        metric = roc_auc_score if is_area else average_precision_score
        return metric(
            positive[rows],
            np.asarray(y_score)[rows],
            qid=np.repeat(np.arange(len(kept)), [len(one) for one in kept]),
            average=None,
        )


def _percentiles(pool, measure, rng, confidence_level):
    """Return the percentile bootstrap over units, all at once where units are rows."""
    codes = pool.units_of_rows
    drawn_from = Units(codes, len(codes))
    n = drawn_from.n_units
    try:
        if n < len(codes):
            raise _NotAtOnce
        scorer = _with_function(measure, _Resampled(rng))
        replicates = pool.score(measure.with_scorer(scorer))
    except _NotAtOnce:
        replicates = np.full(_N_CALLS, np.nan)
        for i in range(_N_CALLS if n > 1 else 0):
            draw = rng.integers(n, size=n)
            copies = np.repeat(np.arange(n), drawn_from.sizes[draw])
            try:
                replicates[i] = pool.score(measure, drawn_from.rows(draw), copies)
            except ValueError:  # a draw of one class
                continue
    return percentile_interval(
        replicates,
        confidence_level,
        f"percentile bootstrap over {n} {PLURAL[pool.unit]}",
    )


class _Resampled:
    """A ranking measure of rows drawn with repeats, many times over."""

    metric: object

    def __init__(self, rng):
        self.rng = rng

    def __call__(self, y_true, y_score, **kwargs):
        n = len(y_true)
        if np.ndim(y_score) != 1 or any(np.size(fact) == n for fact in kwargs.values()):
            raise _NotAtOnce
        found = []
        for part in batches(_N_RESAMPLES, n):
            rows = self.rng.integers(n, size=(part.stop - part.start, n))
            options = {"average": None, "replace_undefined_by": np.nan}
            found.append(self.metric(y_true[rows], y_score[rows], **kwargs | options))
        return np.concatenate(found)
