"""Tests of classifiers on the same rows, or on the same five times two folds."""

import numpy as np
from scipy import stats

from sklearn_irmetrics._statistics.pairs import (
    Found,
    ends_around,
    of_constant,
    reach_of_constant,
)
from sklearn_irmetrics._statistics.ranks import sign

_ROUNDING = 1e-24  # of sums of squares of numbers up to 1


def mcnemar(pairs):
    """Compare classifiers by the rows that only one of them predicts correctly.

    Units are rows: 1 if a classifier is right, 0 if it is wrong. If both are equally
    good, each row that only one predicts correctly belongs to either with probability
    1/2; the test is exact. The interval is that of the difference of accuracies, given
    the number of these rows: Clopper and Pearson's for the share of the first. If there
    are no such rows, its ends are an upper limit of their share.

    References
    ----------
    Q. McNemar, "Note on the sampling error of the difference between correlated
    proportions or percentages", Psychometrika 12 (1947).

    T. Dietterich, "Approximate statistical tests for comparing supervised
    classification learning algorithms", Neural Computation 10 (1998).
    """
    if not np.isin(pairs.scores, (0, 1)).all():
        raise ValueError(
            "test='mcnemar' needs one prediction for each row; the results have "
            "several (n_repeats). Use test='permutation'."
        )
    found = sign(pairs)
    share = (pairs.differences != 0).mean(axis=0)[:, np.newaxis]

    def ends(alpha):
        none = 1 - (alpha / 2) ** (1 / len(pairs.differences))
        ends = share * (2 * found.ends(alpha) - 1)
        return np.where(share > 0, ends, [-none, none])

    return Found(found.p_value, ends)


def five_by_two(pairs):
    """Compare learners over five repeats of two folds by the combined F test.

    The statistic is ``sum(d**2) / (2 * sum(s**2))``, F with 10 and 5 degrees of
    freedom, where ``s**2`` is the sum of squares of the two differences of a repeat
    around their mean. The interval is NaN if the test rejects all differences, because
    repeats differ more than their folds do.

    References
    ----------
    E. Alpaydin, "Combined 5 x 2 cv F test for comparing supervised classification
    learning algorithms", Neural Computation 11 (1999).
    """
    scale = np.abs(pairs.differences).max(axis=0)  # squares could overflow
    scale[scale == 0] = 1.0
    differences = (pairs.differences / scale).reshape(5, 2, -1)
    mean = differences.mean(axis=(0, 1))
    within = np.ptp(differences, axis=1) ** 2 / 2
    spread = np.where(within.sum(axis=0) > _ROUNDING, within.sum(axis=0), 0.0)
    squares = (differences**2).sum(axis=(0, 1))
    ratio = np.zeros(len(squares))
    np.divide(squares, 2 * spread, out=ratio, where=spread > 0)
    p_value = np.where(spread > 0, stats.f.sf(ratio, 10, 5), of_constant(mean, 10))

    def ends(alpha):
        # Around another value than the mean, the sum of squares is larger by ten times
        # the squared distance.
        largest = 2 * spread * stats.f.isf(alpha, 10, 5)
        room = largest - ((differences - mean) ** 2).sum(axis=(0, 1))
        reach = np.sqrt(np.maximum(room, 0.0) / 10)
        reach = np.where(spread > 0, reach, reach_of_constant(10, alpha))
        found = ends_around(mean, reach, p_value, alpha) * scale[:, np.newaxis]
        found[(room < -_ROUNDING) & (p_value <= alpha)] = np.nan
        return found

    return Found(p_value, ends)
