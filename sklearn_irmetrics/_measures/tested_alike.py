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


def check_tested_alike(systems):
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
        n_splits = len(reference.n_test), len(system.n_test)
        if n_splits[0] != n_splits[1]:
            raise ValueError(
                f"results must come from the same splits; {first!r} has {n_splits[0]} "
                f"and {name!r} has {n_splits[1]}. Use the same n_splits and n_repeats."
            )
        if different:
            raise ValueError(
                f"results must come from the same splits; {first!r} and {name!r} "
                f"differ in the rows of split {', '.join(map(str, different[:5]))}. "
                "Use the same method and random_state."
            )
        if rows := _other_targets(reference, system):
            raise ValueError(
                f"results must have the same targets; {first!r} and {name!r} differ in "
                f"y of row {list_ids(rows, ())}. Evaluate both on the same y."
            )


def _different_splits(first, second):
    """Return the splits with other test rows; those that failed do not count."""
    failed = [*first.failures, *second.failures]
    tested = []
    for predictions in (first.predictions, second.predictions):
        kept = ~np.isin(predictions.split, failed)
        split, row = predictions.split[kept], predictions.row[kept]
        order = np.lexsort((row, split))
        tested.append(np.stack([split[order], row[order]]))
    if np.array_equal(*tested):
        return []
    one, other = (set(zip(*both.tolist(), strict=True)) for both in tested)
    return sorted({split for split, _ in one ^ other})


def _other_targets(first, second):
    """Return the rows tested by both that have other targets."""
    (one, targets), (other, others) = (
        (rows, np.asarray(to_numpy(tested.y_true))[at])
        for tested in (first.predictions, second.predictions)
        for rows, at in [np.unique(tested.row, return_index=True)]
    )
    rows, here, there = np.intersect1d(one, other, return_indices=True)
    targets, others = targets[here], others[there]
    if targets.ndim != others.ndim:  # grades by subtopic, and the largest of each row
        return []
    if targets.shape != others.shape:
        return rows.tolist()
    if {targets.dtype.kind, others.dtype.kind} <= set("biuf"):
        differ = ~np.isclose(targets, others, rtol=1e-6, atol=0.0, equal_nan=True)
    else:
        differ = _other_classes(targets.astype(str), others.astype(str))
    return rows[differ.reshape(len(rows), -1).any(axis=1)].tolist()


def _other_classes(targets, others):
    """Return where classes differ, unless they only have other names."""
    names, codes = np.unique(targets, return_inverse=True)
    other_names, other_codes = np.unique(others, return_inverse=True)
    pairs = np.unique(np.stack([codes.ravel(), other_codes.ravel()]), axis=1)
    one, other = names[pairs[0]], other_names[pairs[1]]
    renamed = len(names) == len(other_names) == len(one)
    renamed &= not np.isin(one[one != other], other).any()  # nor swapped
    return np.zeros(targets.shape, dtype=bool) if renamed else targets != others
