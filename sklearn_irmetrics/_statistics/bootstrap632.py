"""The .632 and .632+ estimates of Efron and Tibshirani (1997), and their errors."""

import numpy as np


def point632(out_of_bag, apparent):
    """Return the .632 estimate of scores or of errors."""
    return 0.368 * apparent + 0.632 * out_of_bag


def point632_plus(out_of_bag, apparent, chance):
    """Return the .632+ estimate for scores; larger is better.

    These are equations 31 and 32 of Efron & Tibshirani (1997), which do not change with
    score = constant - error: the relative overfitting rate R is
    ``(apparent - max(out_of_bag, chance)) / (apparent - chance)``, and 0 if either
    difference is not positive.

    Parameters
    ----------
    out_of_bag : float or ndarray
        Leave-one-out bootstrap score.
    apparent : float
        Score on the training data.
    chance : float
        Score without information, γ.

    Returns
    -------
    float or ndarray
    """
    bounded, correction = _overfitting(out_of_bag, apparent, chance)
    estimate = point632(out_of_bag, apparent) + (bounded - apparent) * correction
    return estimate if np.ndim(out_of_bag) else float(estimate)


def queries632_plus(out_of_bag, apparent, *, means, chance):
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

    Returns
    -------
    ndarray of shape (n_queries,)
    """
    bounded, correction = _overfitting(*means, chance)
    values = out_of_bag if bounded == means[0] else chance
    return point632(out_of_bag, apparent) + (values - apparent) * correction


def _overfitting(out_of_bag, apparent, chance):
    """Return the out-of-bag score, at least γ, and its additional weight."""
    bounded = np.maximum(out_of_bag, chance)
    span = apparent - chance if chance < apparent else np.inf
    rate = np.maximum((apparent - bounded) / span, 0.0)
    return bounded, 0.368 * 0.632 * rate / (1 - 0.368 * rate)


def influences_on_bootstrap(drawn, tested, replicates, out_of_bag, apparent, correct):
    """Return the influence of each unit on a bootstrap estimate.

    This is the delta method after the bootstrap (Efron & Tibshirani 1997, section 5): a
    unit has an effect when it is tested, and an effect on the fit when it is drawn. The
    second is how scores of replicates vary with the number of times the unit was drawn,
    after subtracting how easy the tested units are. With few replicates, it is mostly
    noise, so its variance counts only as far as it exceeds that of noise, and at most
    as much as the first. The effect on the fit changes only the out-of-bag score.

    Parameters
    ----------
    drawn, tested : ndarray of shape (n_replicates, n_units)
        How often each replicate drew each unit (or block of units), and the share of it
        that was tested.
    replicates : ndarray of shape (n_replicates,)
        Their out-of-bag scores, NaN where a replicate has none.
    out_of_bag, apparent : ndarray of shape (n_units,)
        Influence of each unit on the out-of-bag score of fixed models, and on the score
        on the training data (zeros if that does not count).
    correct : tuple of float
        Derivatives of the estimate with regard to the two scores.

    Returns
    -------
    ndarray of shape (n_units,)
        Their squares sum to the variance of the estimate.
    """
    defined = ~np.isnan(replicates) & (tested.sum(axis=1) > 0)
    n, n_units = defined.sum(), len(out_of_bag)
    if n < 2:
        return np.full(n_units, np.nan)
    drawn, tested = drawn[defined], tested[defined]
    ease = tested @ out_of_bag / tested.mean(axis=1)
    fits = replicates[defined] - ease
    drawn, fits = drawn - drawn.mean(axis=0), fits - fits.mean()
    by_fits = drawn.T @ fits / (n - 1)
    noise = (drawn**2).sum() / (n - 1) * (fits**2).sum() / (n - 1) / n
    squares = (by_fits**2).sum()
    beyond = min(max(squares - noise, 0.0), (out_of_bag**2).sum())
    by_fits *= np.sqrt(beyond / squares) if squares else 0.0
    moved = (1 + 1 / max(n_units - 1, 1)) * out_of_bag + by_fits
    return correct[0] * moved + correct[1] * apparent


def slopes(correct, out_of_bag, apparent):
    """Return the derivatives of an estimate with regard to its two scores."""
    step = 1e-6 * (max(abs(out_of_bag), abs(apparent)) or 1.0)
    return (
        (correct(out_of_bag + step, apparent) - correct(out_of_bag - step, apparent))
        / (2 * step),
        (correct(out_of_bag, apparent + step) - correct(out_of_bag, apparent - step))
        / (2 * step),
    )
