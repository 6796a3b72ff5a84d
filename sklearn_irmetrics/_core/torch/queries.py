"""Group rows by query ids in tensors, on their device."""

import torch


def group_ids(ids):
    """Group rows by id.

    Parameters
    ----------
    ids : tensor of shape (n_rows,)
        Without NaN.

    Returns
    -------
    first : int tensor of shape (n_queries,)
        The row where each query appears first, rising.
    offsets : int tensor of shape (n_queries + 1,)
        Query ``i`` has the rows ``order[offsets[i]:offsets[i + 1]]``.
    order : int tensor of shape (n_rows,) or None
        None where the rows of every query are adjacent.
    """
    opens = torch.ones(len(ids), dtype=torch.bool, device=ids.device)
    opens[1:] = ids[1:] != ids[:-1]
    starts = torch.nonzero(opens).ravel()
    ends = torch.cat([starts, torch.full_like(starts[:1], len(ids))])
    by_value, queries = torch.unique(ids[starts], return_inverse=True)
    if len(by_value) == len(starts):
        return starts, ends, None
    first = torch.full_like(starts[: len(by_value)], len(ids))
    first = first.scatter_reduce(0, queries, starts, "amin")
    first, by_appearance = torch.sort(first)
    number = torch.argsort(by_appearance)
    numbers = torch.repeat_interleave(number[queries], torch.diff(ends))
    order = torch.argsort(numbers, stable=True)
    offsets = torch.zeros_like(ends[: len(first) + 1])
    offsets[1:] = torch.bincount(numbers).cumsum(0)
    return first, offsets, order
