"""Warn of rows that are in training and test sides."""

import numpy as np

from sklearn_irmetrics._compat import warn_caller

# The number of splits to check, and the share of test units that raises a warning.
_N_SPLITS, _SHARE, _FEWEST = 10, 0.3, 9


def warn_of_copies(inputs, splits):
    """Warn if many tested rows, or queries, were also trained on.

    They are recognised by a random projection of features and targets, in one pass.
    Data with few different rows, which are alike for other reasons, are ignored.
    """
    X, y = inputs.X, inputs.target
    if len(getattr(X, "shape", ())) != 2 or y.ndim > 1:
        return
    weights = np.random.default_rng(0).normal(size=X.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            projected = np.asarray(X @ weights, dtype=np.float64)
        except (TypeError, ValueError):  # no numbers
            return
        projected = projected * (1.5 + np.unique(y, return_inverse=True)[1])
    units, codes = "rows", np.arange(len(y))
    if inputs.queries is not None:
        units, codes = "queries", inputs.queries.codes
        projected = np.bincount(codes, projected)
    size = np.nanmax(np.abs(projected), initial=0.0)
    if not 0 < size < np.inf:
        return
    projected = np.round(projected / size, 10)
    different, keys = np.unique(projected, return_inverse=True)
    if not len(keys) / 4 <= len(different) < len(keys) - _FEWEST:
        return
    keys[np.isnan(projected)] = -1
    n_tested = n_copies = 0
    for split in splits[:_N_SPLITS]:
        tested = keys[np.unique(codes[split.test])]
        trained = keys[np.unique(codes[split.train])]
        n_tested += len(tested)
        n_copies += np.count_nonzero(np.isin(tested, trained) & (tested >= 0))
    if n_copies > max(_SHARE * n_tested, _FEWEST):
        warn_caller(
            f"{n_copies} of {n_tested} {units} that are tested are also trained on, "
            "with the same features and targets. If they are copies, for example from "
            "oversampling, scores are too good: give copies the same id in groups=.",
            UserWarning,
        )
