"""The contribution of each row to scikit-learn metrics that are means over rows."""

import numpy as np


def _of_truth(y_true, y_score, classes):
    """Return the probability of the true class of each row."""
    if y_score.ndim == 1:
        return np.where(y_true == classes[-1], y_score, 1 - y_score)
    return y_score[np.arange(len(y_true)), np.searchsorted(classes, y_true)]


def _log_loss(y_true, y_score, classes):
    least = np.finfo(y_score.dtype).eps
    return -np.log(_of_truth(y_true, y_score, classes).clip(least, 1 - least))


# By function: the contribution of each row, for several outputs that of each.
_OF_ROWS = {
    "accuracy_score": lambda y, p, classes: y == p,
    "zero_one_loss": lambda y, p, classes: y != p,
    "mean_squared_error": lambda y, p, classes: np.square(y - p),
    "mean_absolute_error": lambda y, p, classes: np.abs(y - p),
    "log_loss": _log_loss,
    "brier_score_loss": lambda *given: np.square(1 - _of_truth(*given)),
}
_JOINED = {"accuracy_score": np.all, "zero_one_loss": np.any}


def row_values(name, y_true, y_score, classes=None):
    """Return the contribution of each row to a mean over rows, None for other metrics.

    Parameters
    ----------
    name : str
        Name of the function in scikit-learn.
    y_true, y_score : ndarray
        Targets and predictions.
    classes : ndarray or None
        Classes of the columns of `y_score`.

    Returns
    -------
    ndarray of shape (n_rows,) or None
    """
    if name not in _OF_ROWS:
        return None
    y_true, y_score = np.asarray(y_true), np.asarray(y_score)
    found = _OF_ROWS[name](y_true, y_score, classes).reshape(len(y_true), -1)
    return _JOINED.get(name, np.mean)(found, axis=1).astype(np.float64)
