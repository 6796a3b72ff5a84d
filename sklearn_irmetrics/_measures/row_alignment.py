"""Align results of `evaluate` on the same rows, splits or halves of the data."""

from dataclasses import replace

import numpy as np

from sklearn_irmetrics._measures.alignment import SystemScores
from sklearn_irmetrics._measures.row_values import row_values
from sklearn_irmetrics._measures.systems import (
    BOOTSTRAPS,
    check_comparable,
    is_estimate,
)


def has_rows_only(systems, metric):
    """Return whether all are results of `evaluate` that have accuracy by row only."""
    return metric == "accuracy" and all(
        is_estimate(system) and system.query_scores is None
        for system in systems.values()
    )


def _check_estimates(systems, units):
    """Refuse systems that are not results of `evaluate`, or have failed splits."""
    for name, system in systems.items():
        if not is_estimate(system):
            raise TypeError(
                f"results must come from evaluate for tests over {units}; got "
                f"{type(system).__name__} for {name!r}."
            )
        if system.failures:
            raise ValueError(
                f"results must have no failed splits; {name!r} has "
                f"{list(system.failures)}."
            )


def align_splits(systems, metric):
    """Return the scores of all systems on the same splits, as `align_queries` does."""
    _check_estimates(systems, "splits")
    for name, system in systems.items():
        if system.method in (*BOOTSTRAPS, "lpocv"):
            raise ValueError(
                "test='corrected_ttest' requires folds or random subsamples; got "
                f"method={system.method!r} for {name!r}. Use method='kfold' or "
                "'subsampling', or a test over queries."
            )
        if system.aggregate[metric] == "pooled":
            raise ValueError(
                f"results must have scores of splits for tests over splits; {metric} "
                f"in {name!r} is pooled. Evaluate with aggregate='per_split'."
            )
    check_comparable(systems)
    reference = next(iter(systems.values()))
    values = np.column_stack([one.split_scores[metric] for one in systems.values()])
    share = float(np.mean(reference.n_test / reference.n_train))
    return SystemScores(list(systems), values, "split", test_share=share)


def align_rows(systems, metric):
    """Return which rows each system predicts correctly, like `align_queries`.

    A row that was tested in several splits has the share of splits.

    Raises
    ------
    TypeError, ValueError
        If a system is not a result of `evaluate` by accuracy, on rows that were split
        one by one, or was tested differently from the others; the message says how.
    """
    if metric != "accuracy":
        raise ValueError(
            "metric must be 'accuracy', which has a value for every row, for tests "
            f"over rows; got {metric!r}."
        )
    _check_estimates(systems, "rows")
    check_comparable(systems)
    values = np.column_stack([_rows_right(*one) for one in systems.items()])
    return SystemScores(list(systems), values, "row")


def _rows_right(name, system):
    if system.unit != "row":
        raise ValueError(
            "results must come from splits of single rows for tests over rows; "
            f"{name!r} kept each {system.unit} together. Use test='corrected_ttest'."
        )
    predictions = system.predictions
    split, rows = predictions.split, predictions.row
    predicted = predictions.responses.get("predict")
    right = row_values("accuracy_score", predictions.y_true, predicted)
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
        If a system has other splits; the message names the call that makes these.
    """
    for name, system in systems.items():
        if not (is_estimate(system) and _is_five_by_two(system.predictions)):
            raise ValueError(
                "test='5x2cv' needs results of evaluate(..., method='kfold', "
                f"n_splits=2, n_repeats=5); {name!r} has other splits."
            )
    return replace(align_splits(systems, metric), test_share=float("nan"))


def _is_five_by_two(predictions):
    """Return whether five successive pairs of splits each hold every row once."""
    rows = np.unique(predictions.row)
    if len(predictions.row) != 5 * len(rows) or len(np.unique(predictions.split)) != 10:
        return False
    repeat = predictions.row[np.argsort(predictions.split // 2, kind="stable")]
    return (np.sort(repeat.reshape(5, -1), axis=1) == rows).all()
