"""Measures that are means over rows: what each row contributes, and its weight."""

from functools import partial

import numpy as np

from sklearn_irmetrics._arrays.rows import divide
from sklearn_irmetrics._statistics.tables import chance_corrected, matthews
from sklearn_irmetrics.metrics._ranking.sets import check_sets, count_cells


def _true_probability(y_true, y_score, classes):
    """Return the probability of the true class of each row."""
    if y_score.ndim == 1:
        return np.where(y_true == classes[-1], y_score, 1 - y_score)
    return y_score[np.arange(len(y_true)), np.searchsorted(classes, y_true)]


def _log_loss(y_true, y_score, classes):
    least = np.finfo(y_score.dtype).eps
    return -np.log(_true_probability(y_true, y_score, classes).clip(least, 1 - least))


def _brier_score(y_true, y_score, classes):
    """Return squared errors of probabilities: halved for two classes, as usual."""
    of_true = _true_probability(y_true, y_score, classes)
    if y_score.ndim == 1 or y_score.shape[1] < 3:
        return np.square(1 - of_true)
    return 1 - 2 * of_true + np.square(y_score).sum(axis=1)


# By function: the contribution of each row, for several outputs that of each.
_PLAIN_MEANS = {
    "accuracy_score": lambda y, p, classes: y == p,
    "zero_one_loss": lambda y, p, classes: y != p,
    "mean_squared_error": lambda y, p, classes: np.square(y.astype(np.float64) - p),
    "mean_absolute_error": lambda y, p, classes: np.abs(y.astype(np.float64) - p),
    "log_loss": _log_loss,
    "brier_score_loss": _brier_score,
}
_JOINED = {"accuracy_score": np.all, "zero_one_loss": np.any}


def row_values(name, y_true, y_score, classes=None):
    """Return the contribution of each row to a plain mean, None for other metrics.

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
    if name not in _PLAIN_MEANS:
        return None
    y_true, y_score = np.asarray(y_true), np.asarray(y_score)
    contributions = _PLAIN_MEANS[name](y_true, y_score, classes).reshape(
        len(y_true), -1
    )
    return _JOINED.get(name, np.mean)(contributions, axis=1).astype(np.float64)


# Ratios of scikit-learn: by which weights they count hits, false alarms and misses.
_RATIOS = {
    "precision_score": lambda beta: (1.0, 1.0, 0.0),
    "recall_score": lambda beta: (1.0, 0.0, 1.0),
    "jaccard_score": lambda beta: (1.0, 1.0, 1.0),
    "f1_score": lambda beta: (2.0, 1.0, 1.0),
    "fbeta_score": lambda beta: (1.0 + beta**2, 1.0, beta**2),
}
# Functions of scikit-learn and their arguments: means over classes of their recall.
_MEANS_OF_CLASSES = [
    ("balanced_accuracy_score", {}),
    ("recall_score", {"average": "macro"}),
]


def ratio_rows(name, y_true, y_pred, split, arguments):
    """Return values and weights of rows whose weighted mean a metric is, in each split.

    A row weighs what it adds to the denominator: only the positives count for recall.

    Parameters
    ----------
    name : str
        Name of the function in scikit-learn.
    y_true, y_pred : array-like of shape (n_rows,)
        Classes.
    split : int array of shape (n_rows,)
        The split of each row.
    arguments : dict
        What the function is called with.

    Returns
    -------
    values, weights : ndarray of shape (n_rows,)
    classes : int array of shape (n_rows,) or None
        The class of each row, if the means of classes are averaged.
        None instead of all three for metrics that are not such a ratio.
    """
    y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
    if y_true.ndim != 1 or y_pred.shape != y_true.shape:
        return None
    options = dict(arguments)
    pos_label = options.pop("pos_label", None)
    options.pop("zero_division", None)  # where nothing counts
    if (name, options) in _MEANS_OF_CLASSES:
        classes = np.unique(y_true, return_inverse=True)[1]
        cells = split * (classes.max() + 1) + classes
        right = (y_true == y_pred).astype(np.float64)
        return right, 1.0 / np.bincount(cells)[cells], classes
    average = options.pop("average", "binary")
    if name in _RATIOS and average == "micro":  # accuracy, except of Jaccard
        return (y_true == y_pred).astype(np.float64), np.ones(len(y_true)), None
    if name not in _RATIOS or average != "binary" or set(options) - {"beta"}:
        return None
    pos_label = 1 if pos_label is None else pos_label
    relevant, predicted = y_true == pos_label, y_pred == pos_label
    hits = relevant & predicted
    counts = _RATIOS[name](options.get("beta", 1.0))
    weights = np.select([hits, predicted, relevant], counts, 0.0)
    return hits.astype(np.float64), weights, None


def class_terms(name, y_true, y_pred, arguments):
    """Return the terms of each row in ratios of classes whose mean a metric is.

    A right row adds to its class only, a wrong one to the true and the predicted class.

    Parameters
    ----------
    name : str
        Name of the function in scikit-learn.
    y_true, y_pred : array-like of shape (n_rows,)
        Classes.
    arguments : dict
        What the function is called with.

    Returns
    -------
    rows, classes : int array of shape (n_entries,)
    numerators, denominators : ndarray of shape (n_entries,)
        None instead of all four for metrics that are no such mean.
    """
    y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
    if name not in _RATIOS or y_true.ndim != 1 or y_pred.shape != y_true.shape:
        return None
    known = {"average", "beta", "pos_label", "zero_division"}
    if arguments.get("average") != "macro" or arguments.keys() - known:
        return None
    hit, false_alarm, miss = _RATIOS[name](arguments.get("beta", 1.0))
    both = np.unique(np.concatenate([y_true, y_pred]), return_inverse=True)[1]
    true, predicted = np.split(both, 2)
    right = true == predicted
    wrong = np.flatnonzero(~right)
    rows = np.append(np.arange(len(true)), wrong)
    classes = np.append(true, predicted[wrong])
    numerators = np.append(np.where(right, hit, 0.0), np.zeros(len(wrong)))
    of_true = np.where(right, hit, miss)
    denominators = np.append(of_true, np.full(len(wrong), false_alarm))
    return rows, classes, numerators, denominators


def class_table_measure(name, arguments, n_classes):
    """Return a function of tables of classes for one of scikit-learn, or None.

    Parameters
    ----------
    name : str
        Name of the function in scikit-learn.
    arguments : dict
        What the function is called with.
    n_classes : int
        How many classes the tables have.
    """
    if name == "matthews_corrcoef":
        return None if arguments else matthews
    if name != "cohen_kappa_score" or arguments.keys() - {"weights"}:
        return None
    first, second = np.ogrid[:n_classes, :n_classes]
    apart = np.abs(first - second).astype(np.float64)
    costs = {None: None, "linear": apart, "quadratic": apart**2}
    return partial(chance_corrected, costs=costs[arguments.get("weights")])


# Those of this package, if each class is a set.
_OF_CLASSES = {
    "set_p": "precision_score",
    "set_recall": "recall_score",
    "set_f": "fbeta_score",
    "set_f1": "f1_score",
}


def sklearn_counterpart(metric, arguments):
    """Return the function of scikit-learn, by name, for a measure of sets of classes.

    It is None if there is none. Its arguments come second.
    """
    beta = {"beta": arguments.get("beta", 1.0)} if metric.name == "set_f" else {}
    average = {"average": arguments.get("average", "macro")}
    return _OF_CLASSES.get(metric.name), average | beta


def set_rows(metric, y_true, y_pred, arguments):
    """Return values, weights and None of rows for a set measure, as `ratio_rows`."""
    own = {
        name: arguments.get(name, value) for name, value in metric.parameters.items()
    }
    sets = check_sets(
        y_true, y_pred, pos_label=own.pop("pos_label"), qid=np.arange(len(y_true))
    )
    formula, counts = count_cells(metric.formula, own, sets)
    ratio = formula(*counts)
    if not isinstance(ratio, tuple):
        return None
    _, numerators, denominators = ratio
    values = divide(numerators, denominators)
    return np.where(denominators > 0, values, 0.0), denominators, None


def cost_rows(function, y_true, y_pred, arguments):
    """Return the costs of rows, all of one weight, as `ratio_rows` does."""
    options = {**arguments, "average": None, "qid": np.arange(len(y_true))}
    costs = function(y_true, y_pred, **options)
    return costs, np.ones(len(costs)), None
