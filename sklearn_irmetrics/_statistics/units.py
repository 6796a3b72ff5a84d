"""The units of intervals and tests: queries or groups of queries, and their strata."""

import numpy as np

# Numbers that are closer together than this, relatively, differ by rounding.
ROUNDING = 1e-12


def units_of(values, weights, groups, strata=None):
    """Return values by unit (the means of groups, if there are any), and weights.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_systems)
        Scores.
    weights : ndarray of shape (n_rows,) or None
        Rows of weight 0 are left out.
    groups : ndarray of shape (n_rows,) or None
        Groups of the rows.
    strata : ndarray of shape (n_rows,) or None
        The stratum of each row, the same for all rows of a group.

    Returns
    -------
    values : ndarray of shape (n_units, n_systems)
    weights : ndarray of shape (n_units,) or None
        With strata, they make the mean that of the stratum means. None if all are
        equal.
    strata : int array of shape (n_units,) or None
        Numbers of the strata, from 0.
    """
    if weights is not None:
        counted = weights > 0
        values, weights, groups, strata = (
            None if part is None else part[counted]
            for part in (values, weights, groups, strata)
        )
    if groups is not None and len(values):
        grouped = [means_of_groups(column, weights, groups) for column in values.T]
        values, weights = (
            np.column_stack([means for means, _ in grouped]),
            grouped[0][1],
        )
        if strata is not None:
            strata = strata[np.unique(groups, return_index=True)[1]]
    if strata is not None:
        strata = np.unique(strata, return_inverse=True)[1]
        weights = weigh_strata(weights, strata)
    return values, weights, strata


def means_of_groups(values, weights, groups):
    """Return the mean of each group and its weight, None if all weigh the same."""
    _, codes = np.unique(groups, return_inverse=True)
    weights = np.ones(len(values)) if weights is None else weights
    totals = np.bincount(codes, weights)
    means = np.bincount(codes, weights * values) / totals
    return means, None if (totals == totals[:1]).all() else totals


def weigh_strata(weights, strata):
    """Return weights, 1 on average, that give all strata the same weight."""
    shares = np.ones(len(strata)) if weights is None else weights
    shares = shares / np.bincount(strata, shares)[strata]
    return shares * (len(shares) / shares.sum())


def weigh(values, weights, strata=None):
    """Return values by unit that include their weights, so means are plain.

    With strata, each value is the mean plus the distance of the unit from the mean of
    its stratum, scaled so that the plain standard error of the mean is the stratified
    one, ``sqrt(sum(s_d^2 / n_d)) / n_strata``. If all units equal the mean of their
    stratum, the error is unknown, and values are weighed as without strata.

    Parameters
    ----------
    values : ndarray of shape (n_units, n_columns)
        Values.
    weights, strata
        As `units_of` returns them.
    """
    if weights is None:
        return values
    weights = (weights / weights.mean())[:, np.newaxis]
    weighed = weights * values
    if strata is None:
        return weighed
    n, sizes = len(values), np.bincount(strata)
    share = np.bincount(strata, weights[:, 0])
    sums = np.array([np.bincount(strata, column) for column in weighed.T]).T
    apart = weights * (values - (sums / share[:, np.newaxis])[strata])
    apart[np.abs(apart) <= ROUNDING * np.abs(weighed).max(axis=0)] = 0.0
    scale = np.sqrt(sizes / (sizes - 1) * (n - 1) / n)[strata, np.newaxis]
    return np.where(apart.any(axis=0), weighed.mean(axis=0) + scale * apart, weighed)


def freedom_of(parts, strata):
    """Return the degrees of freedom of the error of the values from `weigh`.

    With strata they are Satterthwaite's.
    """
    n = len(parts)
    if strata is None:
        return n - 1
    squares = (parts - parts.mean(axis=0)) ** 2
    of_strata = np.array([np.bincount(strata, column) for column in squares.T]).T
    lost = (of_strata**2 / (np.bincount(strata) - 1)[:, np.newaxis]).sum(axis=0)
    freedom = np.full(len(lost), n - 1.0)
    np.divide(squares.sum(axis=0) ** 2, lost, out=freedom, where=lost > 0)
    return freedom
