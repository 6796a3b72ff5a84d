"""Intervals and chance levels of one score of many predictions."""

from dataclasses import replace

import numpy as np

from sklearn_irmetrics._arrays.numpy_functions import divide
from sklearn_irmetrics._results.tables import PLURAL
from sklearn_irmetrics._statistics.draws import batches
from sklearn_irmetrics._statistics.intervals import (
    area_of,
    interval_of_auc,
    interval_of_influences,
    percentile_interval,
)
from sklearn_irmetrics._statistics.units import means_of_groups
from sklearn_irmetrics.metrics import average_precision_score, roc_auc_score
from sklearn_irmetrics.metrics.chance import chance_level
from sklearn_irmetrics.model_selection._fitting import parameters_of
from sklearn_irmetrics.model_selection._predictions import Answers
from sklearn_irmetrics.model_selection._units import Units
from sklearn_irmetrics.model_selection.results import take_responses
from sklearn_irmetrics.scorers._row_values import ratio_rows, row_values, set_rows
from sklearn_irmetrics.scorers.scorer import name_of

_N_BLOCKS = 40
_N_RESAMPLES = 999
# Where each resample is a call of the scorer.
_N_CALLS = 199
# Pairs of predictions and targets at random, and their rows for callables.
_MOST_PAIRS = 1_000_000
_MOST_ROWS = 100_000
# Those of scikit-learn are the same: the area always, and average precision where no
# two scores are equal.
_OURS = {
    "roc_auc_score": roc_auc_score,
    "average_precision_score": average_precision_score,
}


def pool_interval(pool, measure, whole, *, rng, confidence_level, method="auto"):
    """Return standard error, interval and its name of the score of a pool.

    Of the area under the ROC curve of rows, it is that of `interval_of_auc`. Of other
    scores, it is the jackknife over blocks of units, which needs few calls of the
    scorer and is valid even if almost all predictions are right. If a single rank
    decides the score, the jackknife fails, and it is the percentile bootstrap over
    units.

    Parameters
    ----------
    pool : Pool
        The predictions.
    measure : NamedScorer
        The measure.
    whole : float
        The score of the pool.
    rng : numpy.random.Generator
        Generator of resamples or blocks.
    confidence_level : float
        Such as 0.95.
    method : {"auto", "t"}, default="auto"
        "t" is the jackknife without the range of the measure.

    Returns
    -------
    standard_error : float
    interval : ConfidenceInterval
    how : str
    """
    units, pool = PLURAL[pool.inputs.unit], pool.counted_by(measure)
    with measure.quietly():
        if _cuts_ranks(measure) and method == "auto":
            drawn_from = Units(pool.units_of_rows, len(pool.units_of_rows))
            how = f"percentile bootstrap over {drawn_from.n_units} {units}"
            replicates = _scores_of_draws(pool, measure, drawn_from, rng)
            return percentile_interval(replicates, confidence_level, how)
        if classes := _classes_of_area(pool, measure, whole):
            return interval_of_auc(
                *classes, confidence_level=confidence_level, method=method
            )
        influences, are_blocks = jackknife(pool, measure, whole, rng)
    return interval_of_influences(
        whole,
        influences,
        n_units=_count_units(pool, measure),
        bounds=measure.bounds,
        confidence_level=confidence_level,
        method=method,
        units="blocks" if are_blocks else units,
        how="jackknife ",
    )


def rows_of_mean(pool, measure, split, scores):
    """Return values and weights of units, if scores of splits are means over rows.

    Weighed so, the mean of the units is that of the splits. The third part is the class
    of each unit if the means of classes are averaged. None where the scores are of
    another kind, or split by split not means of what is known of the rows.
    """
    given, _ = pool.given_to(measure)
    found = _values_and_weights(measure, given, split, pool.classes)
    if found is None:
        return None
    values, weights, classes = found
    weights = weights * measure.own(given[-1]).get("sample_weight", 1.0)
    totals = np.bincount(split, weights, minlength=len(scores))
    defined = totals > 0
    weights = divide(weights, totals[split] * defined.sum())
    means = np.bincount(split, weights * values, minlength=len(scores))
    means *= measure.scorer.sign * defined.sum()
    if not np.allclose(np.where(defined, means, np.nan), scores, equal_nan=True):
        return None
    at = weights > 0
    values, units = measure.scorer.sign * values[at], pool.units_of_rows[at]
    if classes is None:
        return *means_of_groups(values, weights[at], units), None
    if len(np.unique(units)) < len(units):
        return None  # a unit may have rows of several classes
    return values, weights[at], classes[at]


def _values_and_weights(measure, given, split, classes):
    """Return values, weights and classes of rows whose mean a measure is, or None."""
    if not measure.is_scorer or (measure.is_ours and not measure.scores_sets):
        return None
    found, arguments = measure.predictions(*given, Answers()), measure.scorer.arguments
    if measure.is_ours:
        if measure.metric.kind != "set" or not _is_one_set(found):
            return None
        return set_rows(measure.metric, found.y_true, found.y_score, arguments)
    name = name_of(measure.function)
    values = row_values(name, found.y_true, found.y_score, classes)
    if values is not None:
        return values, np.ones(len(values)), None
    return ratio_rows(name, found.y_true, found.y_score, split, arguments)


def _is_one_set(found):
    """Whether predictions form one set of rows: no queries, and no set per class."""
    return found.qid is None and found.labels is None and np.ndim(found.y_true) == 1


def _classes_of_area(pool, measure, whole):
    """Return the scores of both classes if a score is the area under their ROC curve.

    None for other scores, and where several rows are one unit.
    """
    units = pool.units_of_rows
    is_area = name_of(measure.function) == "roc_auc_score"
    if not is_area or len(np.unique(units)) < len(units):
        return None
    ranked = _as_one_ranking(pool, measure)
    if ranked is None:
        return None
    y_true, y_score, _ = ranked
    relevant = y_true > 0
    classes = y_score[relevant], y_score[~relevant]
    if not all(map(len, classes)) or not np.isclose(whole, area_of(*classes)):
        return None
    return classes


def _count_units(pool, measure):
    """Return how many units count: those of the rarer class if both are needed."""
    units, y_true = pool.units_of_rows, np.asarray(pool.predictions.y_true)
    if measure.needs_both_classes and y_true.ndim == 1:
        classes, codes = np.unique(y_true, return_inverse=True)
        if len(classes) == 2:
            return min(len(np.unique(units[codes == code])) for code in (0, 1))
    return len(np.unique(units))


def _cuts_ranks(measure):
    """Whether a single rank decides a measure, so it jumps with single rows."""
    known = measure.metric is not None and measure.metric.name in ("roc_auc", "ap")
    return measure.is_ours and not measure.scores_sets and not known


def jackknife(pool, measure, whole, rng):
    """Return how far each unit of a pool moves its score, and if they are blocks.

    Units without which the score is undefined are left out.
    """
    units = np.unique(pool.units_of_rows, return_inverse=True)[1]
    blocks = choose_blocks(units.max() + 1, rng)
    found = block_influences(pool, measure, whole, units, blocks)
    return found[~np.isnan(found)], len(found) < len(blocks)


def choose_blocks(n_units, rng, n_blocks=_N_BLOCKS):
    """Return the block of each unit; each is a block if there are few."""
    if n_units <= n_blocks:
        return np.arange(n_units)
    return rng.permutation(np.arange(n_units) % n_blocks)


def block_influences(pool, measure, whole, units, block_of_unit):
    """Return how far each block moves the score of a pool, by leaving it out.

    For a mean, the influences of a block sum to ``(value - mean) / n_units``.

    Parameters
    ----------
    pool : Pool
        The predictions.
    measure : NamedScorer
        The measure.
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
    kept = [np.flatnonzero(block != one) for one in blocks]
    if len(kept) == 1:
        left = np.nan
    elif ranked := _as_one_ranking(pool, measure):
        y_true, y_score, score = ranked
        rows = np.concatenate(kept)
        qid = np.repeat(np.arange(len(kept)), [len(at) for at in kept])
        left = score(y_true[rows], y_score[rows], qid=qid)
    else:
        left = np.array([_score_if_defined(pool, measure, at) for at in kept])
    found[blocks] = (whole - left) * share
    return found


def _score_if_defined(pool, measure, *which):
    try:
        return pool.score(measure, *which)
    except ValueError:  # rows of one class are left
        return np.nan


def _as_one_ranking(pool, measure):
    """Return targets and scores of one ranking, and the measure for many of these.

    None if a measure has to be called for each change of its rows.
    """
    function = measure.function
    is_ranking = measure.metric is not None and measure.metric.kind == "ranking"
    is_known = is_ranking or name_of(function) in _OURS
    if measure.ranks not in (None, "fold") or measure.metadata or not is_known:
        return None
    given, weights = pool.given_to(measure)
    found = measure.predictions(*given, Answers())
    arguments, sign = measure.scorer.arguments, measure.scorer.sign
    y_true, y_score = np.asarray(found.y_true), np.asarray(found.y_score)
    if weights or y_score.ndim != 1 or found.labels is not None:
        return None
    if not is_ranking:
        classes = np.unique(y_true)
        ties = function.__name__ != "roc_auc_score" and (
            len(np.unique(y_score)) < len(y_score)
        )
        if set(arguments) - {"pos_label"} or len(classes) != 2 or ties:
            return None
        default = classes[1] if function.__name__ == "roc_auc_score" else 1
        y_true = y_true == arguments.get("pos_label", default)
        function, arguments = _OURS[function.__name__], {}
    options = {"average": None, "replace_undefined_by": np.nan}

    def score(y_true, y_score, **ids):
        return sign * function(y_true, y_score, **ids, **arguments | options)

    return y_true, y_score, score


def _scores_of_draws(pool, measure, units, rng):
    """Return scores of resampled units, all at once if units are rows."""
    n, ranked = units.n_units, None
    if n == len(units.codes):
        ranked = _as_one_ranking(pool, measure)
    if ranked is None:
        scores = []
        for _ in range(_N_CALLS if n > 1 else 0):
            draw = rng.integers(n, size=n)
            copies = np.repeat(np.arange(n), units.sizes[draw])
            scores.append(_score_if_defined(pool, measure, units.rows(draw), copies))
        return np.array(scores)
    y_true, y_score, score = ranked
    scores = []
    for part in batches(_N_RESAMPLES, n):
        rows = rng.integers(n, size=(part.stop - part.start, n))
        scores.append(score(y_true[rows], y_score[rows]))
    return np.concatenate(scores)


def chance_score(pool, measure, rng):
    """Return the expected score if predictions are independent of targets.

    γ of the .632+ bootstrap: exact for ranking measures, the expectation over all
    orders. For others the score of predictions paired with targets at random: all pairs
    where there are at most a million, else as many.

    Parameters
    ----------
    pool : Pool
        Predictions of all rows by the estimator that was fitted on them.
    measure : NamedScorer
        The measure.
    rng : numpy.random.Generator
        Generator of the pairs.

    Returns
    -------
    float
    """
    with measure.quietly():
        if not (measure.is_ours and "ties" in parameters_of(measure.function)):
            return _shuffled(pool, measure, rng).score(measure)
        given, _ = pool.given_to(measure)
        found, metadata = measure.predictions(*given, Answers()), given[-1]
        if measure.metric is None or found.labels is not None:
            equal = found._replace(y_score=np.zeros(np.shape(found.y_score)))
            return measure.score_predictions(equal, metadata, ties="average")
        arguments = measure.scorer.arguments | measure.own(metadata)
        known = ("ties", "qid")
        return measure.scorer.sign * chance_level(
            measure.function,
            found.y_true,
            qid=found.qid,
            random_state=int(rng.integers(2**31)),
            **{name: value for name, value in arguments.items() if name not in known},
        )


def _shuffled(pool, measure, rng):
    """Return predictions paired with targets at random, many times over."""
    n = len(pool.predictions.row)
    most = _MOST_PAIRS if measure.is_scorer else _MOST_ROWS
    n_shifts = min(n, max(1, most // n))
    shifts = rng.permutation(n)[:n_shifts]
    order = rng.permutation(n)
    rows = np.tile(np.arange(n), n_shifts)
    partners = order[(np.arange(n) + shifts[:, np.newaxis]) % n].ravel()
    paired = replace(
        pool.predictions.take(rows),
        split=np.repeat(np.arange(n_shifts), n),  # queries of its own each time
        responses=take_responses(pool.predictions.responses, partners),
    )
    return replace(pool, predictions=paired)
