"""The order of systems that follows from tests of all pairs: ranks and groups."""

import numpy as np


def rank_intervals(better):
    """Return the first and the last rank that each system may have.

    They hold for all systems at once with the probability that no test of a pair errs:
    systems shown to be better rank above, systems shown to be worse rank below.

    Parameters
    ----------
    better : bool array of shape (n_systems, n_systems)
        Whether the system of the row is shown to be better than that of the column.

    Returns
    -------
    int array of shape (n_systems, 2)
        From 1.

    References
    ----------
    M. Mogstad, J. Romano, A. Shaikh and D. Wilhelm, "Inference for Ranks with
    Applications to Mobility across Neighbourhoods and Academic Achievement across
    Countries", The Review of Economic Studies 91 (2024).
    """
    return np.column_stack([1 + better.sum(axis=0), len(better) - better.sum(axis=1)])


def groups_alike(better):
    """Return groups of systems; two systems share a group if neither is better.

    No group holds two systems that differ. Each starts with the first two systems that
    share no group yet, and adds all systems that it can.

    Parameters
    ----------
    better : bool array of shape (n_systems, n_systems)
        As for `rank_intervals`.

    Returns
    -------
    list of list of int
        The systems of each group, in their order.
    """
    differ = better | better.T
    apart, found = ~differ, []
    while apart.any():
        first, second = np.unravel_index(np.argmax(apart), apart.shape)
        group = np.zeros(len(differ), dtype=bool)
        group[[first, second]] = True
        for system in range(len(differ)):
            group[system] |= not differ[system, group].any()
        apart[np.ix_(group, group)] = False
        found.append(np.flatnonzero(group).tolist())
    return sorted(found)
