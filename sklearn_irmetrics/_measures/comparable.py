"""Whether results of `evaluate` were tested alike: methods, splits, targets."""

import numpy as np

from sklearn_irmetrics._core.namespace import to_numpy

BOOTSTRAPS = ("bootstrap", "bootstrap632", "bootstrap632+")


def is_estimate(system):
    """Return whether a system is a result of `evaluate`."""
    return hasattr(system, "split_scores") and hasattr(system, "query_scores")


def list_ids(wanted, present):
    """Name ids that are missing, the first five of them."""
    missing = [key for key in wanted if key not in present]
    more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
    return ", ".join(map(repr, missing[:5])) + more


def check_comparable(systems):
    """Refuse results of evaluate by other methods or on other splits; say which."""
    tested = [(name, one) for name, one in systems.items() if is_estimate(one)]
    for name, system in tested[1:]:
        first, reference = tested[0]
        methods = {reference.method, system.method}
        different = _different_splits(reference, system)
        if len(methods) > 1 and (different or methods & set(BOOTSTRAPS)):
            raise ValueError(
                f"results must come from the same method; {first!r} used "
                f"{reference.method!r} and {name!r} {system.method!r}."
            )
        if different or len(reference.n_test) != len(system.n_test):
            raise ValueError(
                f"results must come from the same splits; {first!r} and {name!r} "
                f"differ in the rows of split {', '.join(map(str, different[:5]))}. "
                "Use the same method, n_splits, n_repeats and random_state."
            )
        if rows := _other_targets(reference, system):
            raise ValueError(
                f"results must have the same targets; {first!r} and {name!r} differ in "
                f"y of row {list_ids(rows, ())}. Evaluate both on the same y."
            )


def _different_splits(first, second):
    """Return the splits with other test rows; those that failed do not count."""
    both = first.predictions, second.predictions
    n_rows = 1 + max(tested.row.max(initial=0) for tested in both)
    tests = [tested.split * n_rows + tested.row for tested in both]
    if np.array_equal(*tests):
        return []
    different = np.setxor1d(*tests)
    failed = [*first.failures, *second.failures]
    return np.setdiff1d(different // n_rows, failed).tolist()


def _other_targets(first, second):
    """Return the rows tested by both that have other targets."""
    one, other = first.predictions, second.predictions
    rows, here, there = one.row, ..., ...
    if not np.array_equal(rows, other.row):
        rows, here, there = np.intersect1d(rows, other.row, return_indices=True)
    targets = np.asarray(to_numpy(one.y_true))[here]
    others = np.asarray(to_numpy(other.y_true))[there]
    if targets.ndim != others.ndim:  # grades by subtopic, and the largest of each row
        return []
    if targets.shape != others.shape:
        return np.unique(rows).tolist()
    if {targets.dtype.kind, others.dtype.kind} <= set("biuf"):
        differ = ~np.isclose(targets, others, rtol=1e-6, atol=0.0, equal_nan=True)
    else:
        differ = targets.astype(str) != others.astype(str)
    return np.unique(rows[differ.reshape(len(rows), -1).any(axis=1)]).tolist()
