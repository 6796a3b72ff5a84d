"""The functions of `arrays`, for torch tensors on any device.

The docstrings of `arrays` hold here, too. Floats are float64 unless they come from a
score.
"""

import torch

from sklearn_irmetrics._core.arrays import Order
from sklearn_irmetrics._core.torch.like_numpy import *  # noqa: F403
from sklearn_irmetrics._core.torch.like_numpy import (
    flatnonzero,
    float64,
    fmax,
    int64,
    isnan,
    nonzero,
    zeros,
)

# Torch has hardly any functions for these types.
_WIDER = {torch.uint16: torch.int32, torch.uint32: torch.int64}

# Functions of our own, in the order of `arrays` ---------------------------------------


def order_by_score(scores, depth):
    """Order each row by falling score, down to `depth` ranks."""
    width = scores.shape[1]
    # One more rank shows whether the last one ties with others.
    beyond = min(depth + 1, width)
    if beyond == width:
        by_rank, columns = torch.sort(scores, dim=1, descending=True)
    else:
        by_rank, columns = torch.topk(scores, beyond, dim=1)
    equal, retrieved = _compare_ranks(by_rank)
    cut = columns[:0, 0]
    if depth < width:
        cut = flatnonzero(equal[:, depth - 1])
    return Order(columns[:, :depth], equal[:, : depth - 1], retrieved[:, :depth], cut)


def stable_order(scores):
    """Order whole rows; equal scores keep the order of the columns."""
    signless = scores + 0.0  # -0.0 becomes 0.0: a sort by bits tells them apart
    by_rank, columns = torch.sort(signless, dim=1, descending=True, stable=True)
    return Order(columns, *_compare_ranks(by_rank), columns[:0, 0])


def _compare_ranks(by_rank):
    retrieved = by_rank > -torch.inf
    return (by_rank[:, 1:] == by_rank[:, :-1]) & retrieved[:, 1:], retrieved


def float_rows(values):
    """Return `values` as float64, row after row in memory."""
    return values.to(float64).contiguous()


def windows(values, width):
    """Return a view of all runs of `width` adjacent values, as rows."""
    return values.unfold(0, width, 1)


def take_rows(values, order):
    """Return ``values[order]``."""
    return values[order]


def put_where(values, mask, number):
    """Put a number where `mask` is True, in place and for all of a third axis."""
    values[mask] = number


def gather(values, order):
    """Return ``values[i, order[i, j]]``."""
    if values.ndim == 3:
        return torch.take_along_dim(values, order[:, :, None], dim=1)
    return torch.gather(values, 1, order)


def scatter(values, order):
    """Return the array that `gather` with `order` turns into `values`."""
    return torch.empty_like(values).scatter_(1, order, values)


def top_positive(values, depth):
    """Return the `depth` largest positive values of each row, largest first."""
    positive = fmax(values, 0.0)
    return torch.topk(positive, min(depth, values.shape[1]), dim=1).values


def sort_within(groups, keys):
    """Return the order that sorts by `groups`, and by rising `keys` inside a group."""
    by_key = torch.sort(keys, dim=1, stable=True).indices
    by_group = torch.sort(gather(groups, by_key), dim=1, stable=True).indices
    return gather(by_key, by_group)


def running_sum(values):
    """Return the sum of each row up to and including each column, as float64."""
    return torch.cumsum(values, dim=1, dtype=float64)


def sum_before(values):
    """Return the sum of each row before each column, as float64."""
    return running_sum(values) - values.to(float64)


def row_sum(values):
    """Return the sum of each row, as float64 (a count where `values` is boolean)."""
    return values.sum(dim=1, dtype=float64)


def sum_runs(values, starts):
    """Return the sums of the runs of `values` that begin at `starts`, as float64."""
    run = torch.zeros(len(values), dtype=int64, device=values.device)
    run = run.index_fill_(0, starts[1:], 1).cumsum(0)
    return zeros(len(starts), like=values).index_add_(0, run, values.to(float64))


def add_up(columns, values, width):
    """Add up values by column, in each row."""
    sums = zeros((len(columns), width), like=values)
    return sums.scatter_add_(1, columns, values.to(float64))


def largest_from(values):
    """Return the largest value of each row from each column on."""
    return torch.cummax(values.flip(1), dim=1).values.flip(1)


def running_max(values):
    """Return the largest value of each row up to and including each column."""
    return torch.cummax(values, dim=1).values


def side_by_side(mask, values):
    """Return the values of each row where `mask` is True, without gaps, then 0."""
    places = mask.cumsum(1) - 1
    width = max(1, int(places[:, -1].max()) + 1)
    out = zeros((len(mask), width), like=values)
    rows, columns = nonzero(mask)
    out[rows, places[rows, columns]] = values[rows, columns]
    return out


def first_true(mask):
    """Return the first non-zero column of each row, or 0 if there is none."""
    return mask.to(torch.bool).to(torch.uint8).argmax(dim=1)


def keep_where(mask, values):
    """Return `values`, 0 where `mask` is False."""
    return values.masked_fill(~mask, 0)


def divide(numerator, denominator):
    """Divide, with NaN where the denominator is 0."""
    return _divide(numerator, denominator, torch.nan)


def divide_or_zero(numerator, denominator):
    """Divide, with 0 where the denominator is 0."""
    return _divide(numerator, denominator, 0.0)


def _divide(numerator, denominator, otherwise):
    denominator = denominator.to(float64)
    return torch.where(denominator != 0, numerator / denominator, otherwise)


def kind(values):
    """Return NumPy's letter for a kind of numbers."""
    dtype = values.dtype
    if dtype == torch.bool:
        return "b"
    if dtype.is_floating_point:
        return "f"
    if dtype.is_complex:
        return "c"
    return "i" if dtype.is_signed else "u"


def check_tensor(name, values, like=None):
    """Return a tensor of real numbers, without gradient, on the device of `like`."""
    if values.layout != torch.strided:
        raise TypeError(f"{name} must be a dense tensor; got layout {values.layout}.")
    is_short = values.dtype.is_floating_point and values.dtype.itemsize < 2
    if is_short or values.dtype == torch.uint64:
        raise TypeError(
            f"{name} must be of a type such as int64 or float32; got {values.dtype}."
        )
    if values.ndim == 0:
        raise ValueError(f"{name} must be 1-D or 2-D; got the scalar {values!r}.")
    device = values.device if like is None else like.device
    return values.detach().to(device, _WIDER.get(values.dtype))


def value_range(values):
    """Return the smallest and the largest number, ignoring NaN; 0 and 0 if none."""
    values = values[~isnan(values)] if isnan(values.max()) else values
    if not values.numel():
        return 0.0, 0.0
    return float(values.min()), float(values.max())
