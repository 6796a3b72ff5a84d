"""Nested cross-validation: what this kind of training gives, and how sure that is."""

from itertools import combinations

import numpy as np
from scipy.special import ndtri

from sklearn_irmetrics._statistics.intervals import UNKNOWN, cut_to_range
from sklearn_irmetrics.model_selection._methods import Split
from sklearn_irmetrics.model_selection._spread import jackknife


def pair_splits(splits, n_folds):
    """Return the splits that leave out two folds at once, for each repetition.

    Parameters
    ----------
    splits : list of Split
        Of repeated k-fold cross-validation.
    n_folds : int
        Of each repetition.

    Returns
    -------
    list of Split
        Of the pairs of folds in the order of `itertools.combinations`.
    """
    found = []
    for start in range(0, len(splits), n_folds):
        folds = [split.test for split in splits[start : start + n_folds]]
        for pair in combinations(folds, 2):
            test = np.concatenate(pair)
            n_rows = splits[start].n_rows
            found.append(Split(test, n_rows - len(test), n_rows, None))
    return found


def nested_interval(measure, pool, of_pairs, n_folds, *, rng, confidence_level):
    """Return standard error, interval and its name by nested cross-validation.

    A fold is scored by the model that was trained without it; and the others by those
    that were trained without it and them. How far the two are apart, beyond what the
    rows of the fold explain, is the variance of cross-validation as an estimate of what
    such training gives.

    Parameters
    ----------
    measure : NamedScorer
        What is scored.
    pool : Pool
        Predictions of repeated k-fold cross-validation.
    of_pairs : Pool
        Predictions of `pair_splits`.
    n_folds : int
        Of each repetition.
    rng : numpy.random.Generator
        What draws the blocks of units that tell the variance of a fold.
    confidence_level : float
        Such as 0.95.

    References
    ----------
    S. Bates, T. Hastie and R. Tibshirani, "Cross-Validation: What Does It Estimate and
    How Well Does It Do It?", JASA 119 (2024).
    """
    outside, variances, inside = [], [], []
    pairs = list(combinations(range(n_folds), 2))
    done = [np.unique(one.predictions.split) for one in (pool, of_pairs)]
    n_repeats = len(done[0]) // n_folds
    expected = n_repeats * n_folds, n_repeats * len(pairs)
    if any(list(own) != list(range(n)) for own, n in zip(done, expected, strict=True)):
        return float("nan"), UNKNOWN, "none: splits failed"
    with measure.quietly(), np.errstate(invalid="ignore"):
        for repeat in range(n_repeats):
            folds = [pool.of_split(repeat * n_folds + k) for k in range(n_folds)]
            rows = [fold.predictions.row for fold in folds]
            apart = np.full((n_folds, n_folds), np.nan)
            for number, pair in enumerate(pairs):
                both = of_pairs.of_split(repeat * len(pairs) + number)
                for fold, other in (pair, pair[::-1]):
                    at = np.flatnonzero(np.isin(both.predictions.row, rows[other]))
                    apart[fold, other] = both.score(measure, at)
            sizes = np.array([len(np.unique(fold.units_of_rows)) for fold in folds])
            weights = np.where(np.isnan(apart), 0.0, sizes)
            inside += list((weights * np.nan_to_num(apart)).sum(1) / weights.sum(1))
            scores = [fold.score(measure) for fold in folds]
            outside += scores
            variances += [
                _variance(fold, measure, score, rng)
                for fold, score in zip(folds, scores, strict=True)
            ]
    outside, variances, inside = map(np.array, (outside, variances, inside))
    defined = ~np.isnan(outside + variances + inside)
    outside, variances, inside = (a[defined] for a in (outside, variances, inside))
    if len(outside) < n_folds:
        return float("nan"), UNKNOWN, "none: too few folds are defined"
    spread = np.mean((inside - outside) ** 2 - variances)
    single = np.sqrt(variances.mean() / n_folds)
    error = np.sqrt(max(spread, 0.0) * (n_folds - 1) / n_folds)
    error = float(np.clip(error, single, single * np.sqrt(n_folds)))
    if error == 0:
        return error, UNKNOWN, "none: all folds alike"
    # Inner models see fewer data: what that costs is taken on to all data.
    lost = (1 + (n_folds - 2) / n_folds) * (inside.mean() - outside.mean())
    centre = inside.mean() - lost
    reach = ndtri((1 + confidence_level) / 2) * error
    ends = cut_to_range([centre - reach, centre + reach], measure.bounds, outside)
    how = f"nested cross-validation, {n_repeats} repeats of {n_folds} folds"
    return error, ends, how


def _variance(fold, measure, score, rng):
    """Return the variance of the score of a fold, of models that do not change."""
    influences, _ = jackknife(fold, measure, score, rng)
    n = len(influences)
    if n < 2:
        return np.nan
    return n / (n - 1) * np.square(influences - influences.mean()).sum()
