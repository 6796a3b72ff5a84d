"""The .632 and .632+ estimates of Efron and Tibshirani (1997)."""

import numpy as np


def point632(out_of_bag, apparent):
    """Return the .632 estimate, of scores or of errors."""
    return 0.368 * apparent + 0.632 * out_of_bag


def point632_plus(out_of_bag, apparent, chance):
    """Return the .632+ estimate for scores, of which larger is better.

    Equations 31 and 32 of Efron & Tibshirani (1997) with score = constant - error,
    under which they are the same: the relative overfitting rate R is
    ``(apparent - max(out_of_bag, chance)) / (apparent - chance)``, and 0 where either
    difference is not positive.

    Parameters
    ----------
    out_of_bag : float or ndarray
        Leave-one-out bootstrap score.
    apparent : float
        Score on the data of the fit.
    chance : float
        Score without information, γ.

    Returns
    -------
    float or ndarray
    """
    bounded = np.maximum(out_of_bag, chance)
    overfits = (out_of_bag < apparent) & (chance < apparent)
    span = apparent - chance if chance < apparent else 1.0
    rate = np.where(overfits, (apparent - bounded) / span, 0.0).clip(0.0, 1.0)
    correction = 0.368 * 0.632 * rate / (1 - 0.368 * rate)
    estimate = point632(out_of_bag, apparent) + (bounded - apparent) * correction
    return estimate if np.ndim(out_of_bag) else float(estimate)
