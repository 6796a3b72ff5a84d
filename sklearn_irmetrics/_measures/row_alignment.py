"""Several classifiers side by side on the same rows, or on five times two folds."""

import numpy as np

from sklearn_irmetrics._measures.alignment import (
    SystemScores,
    align_splits,
    refuse_failures,
)
from sklearn_irmetrics._measures.tested_alike import check_tested_alike, is_estimate

_TWO_FOLDS = "evaluate(..., method='kfold', n_splits=2, n_repeats=5)"


def has_rows_only(systems, metric):
    """Return whether all are results of `evaluate` that know accuracy by row."""
    return metric == "accuracy" and all(
        is_estimate(system) and system.query_scores is None
        for system in systems.values()
    )


def align_rows(systems, metric):
    """Return which rows each system has right, as `align_queries` does scores.

    A row that was tested in several splits has the share of them.

    Raises
    ------
    TypeError, ValueError
        If a system is no result of `evaluate` by accuracy, on rows that were split one
        by one, or was tested otherwise than the others; says how.
    """
    if metric != "accuracy":
        raise ValueError(
            "metric must be 'accuracy', which has a value for every row, for tests "
            f"over rows; got {metric!r}."
        )
    for name, system in systems.items():
        if not is_estimate(system):
            raise TypeError(
                "results must come from evaluate for tests over rows; got "
                f"{type(system).__name__} for {name!r}."
            )
        if system.unit != "row":
            raise ValueError(
                "results must come from splits of single rows for tests over rows; "
                f"{name!r} kept each {system.unit} together. Use "
                "test='corrected_ttest'."
            )
        refuse_failures(name, system)
    check_tested_alike(systems)
    found = [_rows_right(name, system) for name, system in systems.items()]
    return SystemScores(np.column_stack(found), None), "row", None


def _rows_right(name, system):
    predictions = system.predictions
    split, rows = predictions.split, predictions.row
    right = predictions.y_true == np.asarray(predictions.responses.get("predict"))
    right = np.reshape(right, (len(rows), -1)).all(axis=1)
    size = np.bincount(split)
    own = np.bincount(split, right) / np.maximum(size, 1)
    told = system.split_scores["accuracy"][: len(size)]
    known = ~np.isnan(told) & (size > 0)
    if "bootstrap" in system.method or not np.allclose(own[known], told[known]):
        raise ValueError(
            "results must be accuracies on folds, with equal weights of rows, for "
            f"tests over rows; {name!r} is not."
        )
    _, codes = np.unique(rows, return_inverse=True)
    return np.bincount(codes, right) / np.bincount(codes)


def align_halves(systems, metric):
    """Return scores on five times two folds, as `align_splits` does.

    Raises
    ------
    TypeError, ValueError
        If a system is of other splits; names the call that makes these.
    """
    for name, system in systems.items():
        if not is_estimate(system):
            raise TypeError(
                f"test='5x2cv' needs results of {_TWO_FOLDS}; got "
                f"{type(system).__name__} for {name!r}."
            )
        if not _is_five_by_two(system.predictions):
            raise ValueError(
                f"test='5x2cv' needs results of {_TWO_FOLDS}; {name!r} has other "
                "splits."
            )
    scores, unit, _ = align_splits(systems, metric)
    return scores, unit, float("nan")


def _is_five_by_two(predictions):
    """Return whether each two splits in turn hold every row once, five times."""
    rows = np.unique(predictions.row)
    if len(predictions.row) != 5 * len(rows) or len(np.unique(predictions.split)) != 10:
        return False
    repeat = predictions.row[np.argsort(predictions.split // 2, kind="stable")]
    return (np.sort(repeat.reshape(5, -1), axis=1) == rows).all()
