"""Validation rows for boosting: given, or held out of training."""

import numpy as np
from sklearn.model_selection import GroupShuffleSplit
from sklearn.utils import check_random_state, indexable

from sklearn_irmetrics._compat import safe_indexing
from sklearn_irmetrics._core.parameters import check_real
from sklearn_irmetrics._core.queries import group_rows
from sklearn_irmetrics.estimators._row_checks import (
    OF_ROWS,
    check_lengths,
    count_rows,
    number_by_id,
)


def zip_eval(eval_set, eval_qid, eval_sample_weight):
    """(X, y, qid, weights) of each validation set."""
    eval_set = () if eval_set is None else eval_set
    if not isinstance(eval_set, list | tuple) or not all(
        isinstance(part, list | tuple) and len(part) == 2 for part in eval_set
    ):
        raise TypeError(f"eval_set must be a list of pairs (X, y); got {eval_set!r}.")
    columns = {"eval_qid": eval_qid, "eval_sample_weight": eval_sample_weight}
    for name, values in columns.items():
        if values is None:
            columns[name] = [None] * len(eval_set)
        elif not isinstance(values, list | tuple) or len(values) != len(eval_set):
            got = len(values) if isinstance(values, list | tuple) else type(values)
            raise ValueError(
                f"{name} must be a list with one array per validation set in eval_set, "
                f"{len(eval_set)}; got {got}."
            )
    return [
        (*part, *both) for part, *both in zip(eval_set, *columns.values(), strict=True)
    ]


def refuse_both(parts, fit_params):
    """Refuse parameters that cannot be divided between training and validation."""
    taken = sorted(OF_ROWS & fit_params.keys())
    if parts or taken:
        raise ValueError(
            "validation_fraction must be None if eval_set or parameters about all "
            f"rows are passed; got {', '.join(taken) or 'eval_set'}."
        )


def hold_out(rows, ids, fraction, random_state):
    """Return (X, y, qid, weights) of the rows to learn from, and to validate on.

    Whole queries are held out, if there are ids.
    """
    X, y, qid, sample_weight = rows
    n_rows = count_rows(X)
    check_lengths(n_rows, y=y, qid=qid, sample_weight=sample_weight)
    fraction = check_real("validation_fraction", fraction, 0, 1, "between 0 and 1")
    rng = check_random_state(random_state)
    splitter = GroupShuffleSplit(1, test_size=fraction, random_state=rng)
    units = np.arange(n_rows)
    if ids is not None:
        units = number_by_id(group_rows(ids, n_rows))
    try:
        (sides,) = splitter.split(units, groups=units)
    except ValueError as error:
        n_units = len(np.unique(units))
        raise ValueError(
            f"validation_fraction must leave {'rows' if ids is None else 'queries'} "
            f"on both sides; got {fraction} of {n_units}."
        ) from error
    return [
        [None if one is None else safe_indexing(one, side) for one in indexable(*rows)]
        for side in sides
    ]
