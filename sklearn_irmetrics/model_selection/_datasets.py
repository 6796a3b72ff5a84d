"""Collect the scores of systems on several data sets."""

from collections.abc import Mapping

import numpy as np

from sklearn_irmetrics._core.parameters import check_option
from sklearn_irmetrics._measures.alignment import SystemScores
from sklearn_irmetrics._measures.systems import is_system, named_systems
from sklearn_irmetrics.model_selection._inputs import noting
from sklearn_irmetrics.model_selection._pairing import align_slices

TEST = "ttest"  # of each pair alone


def by_dataset(results, missing):
    """Return systems by data set (None if there is one), and those left out.

    Raises
    ------
    TypeError, ValueError
        If a system is missing from a data set, and `missing` is "raise".
    """
    check_option("missing", missing, ("raise", "drop-system"))
    named = named_systems(results, fewest=0)
    are_datasets = [_is_dataset(one) for one in named.values()]
    if not any(are_datasets):
        return {None: named_systems(results)}, ()
    if not all(are_datasets):
        raise TypeError(
            "results must be a dict of systems, or a dict of data sets each of which "
            "is a dict of systems; got some of both."
        )
    datasets = {key: named_systems(one, fewest=0) for key, one in named.items()}
    names = list(dict.fromkeys(name for one in datasets.values() for name in one))
    lacking = {
        name: [key for key, one in datasets.items() if name not in one]
        for name in names
    }
    lacking = {name: keys for name, keys in lacking.items() if keys}
    if lacking and missing == "raise":
        cells = "; ".join(
            f"{name!r} on {', '.join(map(repr, keys))}"
            for name, keys in lacking.items()
        )
        raise ValueError(
            f"results must have every system on every data set; missing: {cells}. "
            "Score them, or leave out these systems with missing='drop-system'."
        )
    kept = {
        key: named_systems({name: one[name] for name in names if name not in lacking})
        for key, one in datasets.items()
    }
    return kept, tuple(lacking)


def _is_dataset(one):
    """Whether `one` is a dict of systems, or a frame with a column for each."""
    return hasattr(one, "items") and getattr(one, "ndim", 2) == 2 and not is_system(one)


def align_datasets(datasets, metric, over, groups, strata):
    """Return aligned scores, and the means of the systems by data set.

    Parameters
    ----------
    datasets : dict
        The result of `by_dataset`.
    metric : str or None
        The measure whose scores to align.
    over : {"queries", "datasets"}
        Whether rows are units within data sets, which are strata, or the data sets.
    groups, strata : as for `leaderboard`.

    Returns
    -------
    scores : SystemScores
    means : dict of str to ndarray of shape (n_systems,), or None
    n_undefined : int
        Number of units of data sets that were left out already.
    """
    if None in datasets:
        if over == "datasets":
            raise ValueError(f"over must be 'queries' with one data set; got {over!r}.")
        return _align(datasets[None], metric, groups, strata), None, 0
    if strata is not None:
        raise ValueError("strata must be None with several data sets; got strata.")
    if groups is not None and not isinstance(groups, Mapping):
        raise ValueError(
            "groups must be a dict by query id with several data sets; got "
            f"{groups!r:.80}."
        )
    parts, means, n_undefined = [], {}, 0
    for key, systems in datasets.items():
        with noting(f"This happened on the data set {key!r}."):
            found = _align(systems, metric, groups)
            values, weights, _, n_left_out = found.units()
        n_undefined += n_left_out
        means[key] = np.average(values, axis=0, weights=weights)
        weights = np.ones(len(values)) if weights is None else weights
        parts.append((values, weights, np.full(len(values), len(parts))))
    if over == "datasets":
        means_of_all = np.array(list(means.values()))
        return SystemScores(found.names, means_of_all, "data set"), means, n_undefined
    values, weights, codes = map(np.concatenate, zip(*parts, strict=True))
    rows = {"weights": weights, "strata": codes}
    return SystemScores(found.names, values, found.unit, **rows), means, n_undefined


def _align(systems, metric, groups, strata=None):
    options = {"groups": groups, "strata": strata, "by": None}
    return align_slices(systems, metric, TEST, **options)[None]
