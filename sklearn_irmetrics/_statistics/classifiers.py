"""Tests of two classifiers on the same rows, or on the same five times two folds."""

import numpy as np
from scipy import stats

from sklearn_irmetrics._statistics.intervals import UNKNOWN, ConfidenceInterval

_LEAST = np.finfo(np.float64).tiny


def mcnemar_test(first, second, *, alpha):
    """Compare two classifiers by the rows that only one of them has right.

    Where both are equally good, each of these rows is either's with probability 1/2.

    Parameters
    ----------
    first, second : bool array of shape (n_rows,)
        Which rows each of them has right.
    alpha : float
        1 minus the level of the interval.

    Returns
    -------
    p_value : float
        Two-sided, exact.
    interval : ConfidenceInterval
        Of the accuracy of `first` minus that of `second`, given the number of rows that
        only one has right: Clopper and Pearson's interval of the share of these that
        are the first's. It leaves out 0 exactly where the p-value is at most
        alpha. Where there are no such rows, their share is below the
        ends.

    References
    ----------
    Q. McNemar, "Note on the sampling error of the difference between correlated
    proportions or percentages", Psychometrika 12 (1947).

    T. Dietterich, "Approximate statistical tests for comparing supervised
    classification learning algorithms", Neural Computation 10 (1998).
    """
    n, decided = len(first), int((first ^ second).sum())
    if not decided:
        reach = stats.binomtest(0, n).proportion_ci(1 - alpha).high
        return 1.0, ConfidenceInterval(-float(reach), float(reach))
    found = stats.binomtest(int((first & ~second).sum()), decided)
    shares = np.array(found.proportion_ci(1 - alpha))
    low, high = (decided / n * (2 * shares - 1)).tolist()
    return float(max(found.pvalue, _LEAST)), ConfidenceInterval(low, high)


def five_by_two_test(differences, *, alpha):
    """Compare two learners over five repeats of two folds by the combined F test.

    Parameters
    ----------
    differences : ndarray of shape (5, 2)
        Score of the first minus that of the second on both folds of every repeat.
    alpha : float
        1 minus the level of the interval.

    Returns
    -------
    p_value : float
        Of ``sum(d**2) / (2 * sum(s**2))`` under F with 10 and 5 degrees of freedom,
        where ``s**2`` is the sum of squares of a repeat around its mean.
    interval : ConfidenceInterval
        All differences that the test does not reject when they are subtracted; NaN
        where it rejects all. It leaves out 0 exactly where the p-value is at most
        alpha.

    References
    ----------
    E. Alpaydin, "Combined 5 x 2 cv F test for comparing supervised classification
    learning algorithms", Neural Computation 11 (1999).
    """
    scale = np.abs(differences).max()
    if scale == 0:
        return 1.0, ConfidenceInterval(0.0, 0.0)
    differences = differences / scale
    spread = ((differences - differences.mean(axis=1, keepdims=True)) ** 2).sum()
    if spread <= 1e-24:  # rounding
        return _LEAST, ConfidenceInterval(*[float(differences.mean() * scale)] * 2)
    squares, mean = (differences**2).sum(), differences.mean()
    p_value = max(float(stats.f.sf(squares / (2 * spread), 10, 5)), _LEAST)
    # The sum of squares around any value is that around the mean and ten times the
    # squared distance from it.
    largest = 2 * spread * stats.f.isf(alpha, 10, 5)
    room = largest - (squares - 10 * mean**2)
    if room <= 0:
        return p_value, UNKNOWN
    low, high = (np.array([-1, 1]) * np.sqrt(room / 10) + mean) * scale
    return p_value, ConfidenceInterval(float(low), float(high))
