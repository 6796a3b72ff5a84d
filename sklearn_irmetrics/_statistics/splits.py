"""Intervals of scores of resamples, and of splits that share training data."""

import numpy as np
from scipy import stats

from sklearn_irmetrics._statistics.intervals import (
    UNKNOWN,
    ConfidenceInterval,
    are_alike,
    cut_to_range,
)


def percentile_interval(replicates, confidence_level, how):
    """Return the spread of bootstrap replicates, their percentile interval, its name.

    If all replicates are alike, there is no interval.
    """
    replicates = replicates[~np.isnan(replicates)]
    if len(replicates) < 2:
        return float("nan"), UNKNOWN, "none: fewer than two resamples are defined"
    if are_alike(replicates):
        return 0.0, UNKNOWN, "none: all resamples alike"
    tail = (1 - confidence_level) / 2
    low, high = np.quantile(replicates, [tail, 1 - tail])
    ends = ConfidenceInterval(float(low), float(high))
    return float(replicates.std(ddof=1)), ends, how


def split_interval(scores, test_share, *, bounds=None, confidence_level):
    """Return standard error, interval and its name for a mean over splits.

    The variance of the mean of `n` splits is ``(1 / n + test / train)`` times that of
    the scores, to correct for overlapping training sets.

    Parameters
    ----------
    scores : ndarray of shape (n_splits,)
        One score per split, NaN where it failed.
    test_share : float or ndarray of shape (n_splits,)
        Number of test rows divided by number of training rows.
    bounds : tuple of float, default=None
        Range of the scores, to which the interval is cut.
    confidence_level : float
        Such as 0.95.

    Returns
    -------
    standard_error : float
    interval : ConfidenceInterval
    how : str

    References
    ----------
    C. Nadeau and Y. Bengio, "Inference for the Generalization Error", Machine Learning
    52 (2003).
    """
    only_one = len(scores) == 1
    scores = scores[~np.isnan(scores)]
    n = len(scores)
    if n < 2:
        why = "one score" if only_one else "fewer than two splits with a score"
        return float("nan"), UNKNOWN, f"none: {why}"
    error = float(np.sqrt((1 / n + float(np.mean(test_share))) * scores.var(ddof=1)))
    if are_alike(scores):
        return error, UNKNOWN, f"none: all {n} splits alike"
    reach = stats.t.ppf((1 + confidence_level) / 2, n - 1) * error
    ends = scores.mean() - reach, scores.mean() + reach
    how = f"corrected resampled t over {n} splits"
    return error, cut_to_range(ends, bounds, scores), how
