"""Measures of tables of true and predicted classes, and their derivatives."""

import numpy as np

from sklearn_irmetrics._arrays.rows import divide, divide_or_zero


def matthews(tables):
    """Return Matthews' correlation of tables, and its derivatives by their cells.

    Parameters
    ----------
    tables : ndarray of shape (n_tables, n_classes, n_classes)
        How many rows of a class, the second axis, are predicted to be of another.

    Returns
    -------
    values : ndarray of shape (n_tables,)
        0 where only one class is true, or predicted, as in scikit-learn.
    derivatives : ndarray of shape (n_tables, n_classes, n_classes)
    """
    n, true, predicted = _margins(tables)
    right = np.trace(tables, axis1=1, axis2=2)[:, np.newaxis, np.newaxis]
    covariance = right * n - (true * predicted.transpose(0, 2, 1)).sum(
        axis=1, keepdims=True
    )
    spread = n**2 - np.square(true).sum(axis=1, keepdims=True)
    spread_predicted = n**2 - np.square(predicted).sum(axis=2, keepdims=True)
    scale = np.sqrt(spread * spread_predicted)
    values = divide_or_zero(covariance, scale)
    change = np.eye(tables.shape[1]) * n + right
    change = change - true.transpose(0, 2, 1) - predicted.transpose(0, 2, 1)
    relative = divide_or_zero(n - true, spread)
    relative = relative + divide_or_zero(n - predicted, spread_predicted)
    derivatives = divide_or_zero(change, scale) - values * relative
    return values[:, 0, 0], derivatives


def chance_corrected(tables, costs=None, *, pooled=False):
    """Return agreement beyond chance of tables, and its derivatives by their cells.

    It is 1 - observed / expected disagreement.

    Parameters
    ----------
    tables : ndarray of shape (n_tables, n_classes, n_classes)
        As for `matthews`.
    costs : ndarray of shape (n_classes, n_classes), default=None
        The disagreement of two classes, in either order; None: 1.
    pooled : bool, default=False
        Whether chance draws both classes from the labels of both sides, as in Scott's
        pi, instead of each from its own, as in Cohen's kappa.

    Returns
    -------
    values : ndarray of shape (n_tables,)
        NaN where no disagreement is expected.
    derivatives : ndarray of shape (n_tables, n_classes, n_classes)
    """
    costs = 1.0 - np.eye(tables.shape[1]) if costs is None else costs
    n, true, predicted = _margins(tables)
    true, predicted = true[:, :, 0], predicted[:, 0]
    if pooled:
        true = predicted = (true + predicted) / 2
    observed = (tables * costs).sum(axis=(1, 2), keepdims=True)
    change = (predicted @ costs)[:, :, np.newaxis] + (true @ costs)[:, np.newaxis]
    expected = (true * (predicted @ costs)).sum(axis=1)[:, np.newaxis, np.newaxis]
    ratio = divide(n * observed, expected)
    derivatives = ratio * divide(change, expected)
    derivatives = derivatives - divide(observed + n * costs, expected)
    return 1.0 - ratio[:, 0, 0], derivatives


def _margins(tables):
    """Return the number of rows, and how many are of and predicted to be each class."""
    sums = (tables.sum(axis=axes, keepdims=True) for axes in ((1, 2), 2, 1))
    return tuple(sums)
