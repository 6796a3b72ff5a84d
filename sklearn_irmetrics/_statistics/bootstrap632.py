"""The .632 and .632+ estimates of Efron and Tibshirani (1997)."""

import numpy as np


def point632(out_of_bag, apparent):
    """Return the .632 estimate of scores or of errors."""
    return 0.368 * apparent + 0.632 * out_of_bag


def point632_plus(out_of_bag, apparent, chance, *, greater_is_better=True):
    """Return the .632+ estimate of scores or of errors.

    These are equations 31 and 32 of Efron & Tibshirani (1997), which do not change with
    score = constant - error: for scores, the relative overfitting rate R is
    ``(apparent - max(out_of_bag, chance)) / (apparent - chance)``, and 0 if either
    difference is not positive; for errors, max becomes min and both differences are
    negated.

    Parameters
    ----------
    out_of_bag : float or ndarray
        Leave-one-out bootstrap score.
    apparent : float
        Score on the training data.
    chance : float
        Score without information, γ.
    greater_is_better : bool, default=True
        False for errors.

    Returns
    -------
    float or ndarray
    """
    bounded, correction = _overfitting(out_of_bag, apparent, chance, greater_is_better)
    estimate = point632(out_of_bag, apparent) + (bounded - apparent) * correction
    return estimate if np.ndim(out_of_bag) else float(estimate)


def queries632_plus(out_of_bag, apparent, *, means, chance, greater_is_better=True):
    """Return values of queries whose mean is the .632+ estimate.

    All queries share the weight of the correction, which follows from the means.

    Parameters
    ----------
    out_of_bag, apparent : ndarray of shape (n_queries,)
        Scores of the queries.
    means : tuple of float
        Means of the two.
    chance : float
        Score without information, γ.
    greater_is_better : bool, default=True
        False for errors.

    Returns
    -------
    ndarray of shape (n_queries,)
    """
    bounded, correction = _overfitting(*means, chance, greater_is_better)
    values = out_of_bag if bounded == means[0] else chance
    return point632(out_of_bag, apparent) + (values - apparent) * correction


def _overfitting(out_of_bag, apparent, chance, greater_is_better):
    """Return the out-of-bag score, no worse than γ, and its additional weight."""
    sign = 1 if greater_is_better else -1
    bounded = sign * np.maximum(sign * out_of_bag, sign * chance)
    span = sign * (apparent - chance)
    rate = np.maximum(sign * (apparent - bounded) / (span if span > 0 else np.inf), 0.0)
    return bounded, 0.368 * 0.632 * rate / (1 - 0.368 * rate)
