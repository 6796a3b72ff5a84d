"""The functions of `arrays` once more, for torch tensors on any device.

Names and meaning are those of `arrays`, whose docstrings hold here too. Floats are
float64 unless they come from a score.
"""

import numpy as np
import torch

# Where torch means what NumPy means by the same name.
from torch import (  # noqa: F401
    argsort,
    argwhere,
    bool,
    broadcast_to,
    ceil,
    concatenate,
    cumprod,
    cumsum,
    exp,
    exp2,
    expm1,
    flip,
    float64,
    floor,
    full_like,
    int64,
    isfinite,
    isinf,
    isnan,
    isneginf,
    log,
    moveaxis,
    ones_like,
    sqrt,
    stack,
    unique,
    zeros_like,
)

from sklearn_irmetrics._core.arrays import Order

# NumPy's functions, where torch's have another signature or give float32 --------------


def arange(*limits, like):
    """Return evenly spaced numbers on the device of `like`."""
    limits = [x.item() if isinstance(x, torch.Tensor) else x for x in limits]
    dtype = float64 if any(isinstance(x, float) for x in limits) else int64
    return torch.arange(*limits, dtype=dtype, device=like.device)


def asarray(values, dtype=None, *, like):
    """Return an array of any kind as a tensor on the device of `like`."""
    if not isinstance(values, torch.Tensor):
        values = torch.tensor(np.asarray(values))
    return values.detach().to(device=like.device, dtype=dtype)


def astype(values, dtype):
    """Return `values` in another type."""
    return values.to(dtype)


def empty(shape, *, like):
    """Return room for float64 numbers on the device of `like`."""
    return torch.empty(shape, dtype=float64, device=like.device)


def zeros(shape, *, like):
    """Return zeros, as float64, on the device of `like`."""
    return torch.zeros(shape, dtype=float64, device=like.device)


def ones(shape, *, like):
    """Return ones, as float64, on the device of `like`."""
    return torch.ones(shape, dtype=float64, device=like.device)


def where(condition, chosen, otherwise):
    """Choose between two arrays or numbers, element by element."""
    choices = chosen, otherwise
    if not any(isinstance(x, torch.Tensor) and x.is_floating_point() for x in choices):
        # A Python float beside anything else would give float32.
        chosen, otherwise = (
            torch.full((), x, dtype=float64, device=condition.device)
            if isinstance(x, float)
            else x
            for x in choices
        )
    return torch.where(condition, chosen, otherwise)


def minimum(values, limit):
    """Return the smaller of two numbers, element by element."""
    return torch.clamp(values, max=limit)


def maximum(values, limit):
    """Return the larger of two numbers, element by element."""
    return torch.clamp(values, min=limit)


def clip(values, low, high):
    """Return `values`, or the limit that they pass."""
    return minimum(maximum(values, low), high)


def fmax(values, limit):
    """Return `values`, or `limit` where they are less or NaN."""
    return torch.fmax(values, full_like(values, limit))


def round(values, decimals):
    """Round half to even."""
    return torch.round(values, decimals=decimals)


def sort(values, axis):
    """Sort each row, smallest first and NaN last."""
    return torch.sort(values, dim=axis).values


def nonzero(mask):
    """Return the coordinates of the cells that are True."""
    return torch.nonzero(mask, as_tuple=True)


def flatnonzero(mask):
    """Return the flat positions of the cells that are True."""
    return torch.nonzero(mask.ravel()).ravel()


def searchsorted(rising, values, side="left", sorter=None):
    """Return where `values` would keep `rising` sorted."""
    rising, values = rising.contiguous(), values.contiguous()
    return torch.searchsorted(rising, values, side=side, sorter=sorter)


def repeat(values, counts):
    """Repeat each value as often as its count tells."""
    return torch.repeat_interleave(values, counts)


def average(values, weights=None):
    """Return the mean."""
    if weights is None:
        return values.mean()
    return (values * weights).sum() / weights.sum()


# Torch has next to no functions of these types.
_WIDER = {torch.uint16: torch.int32, torch.uint32: torch.int64}

# Functions of our own, in the order of `arrays` ---------------------------------------


def order_by_score(scores, depth):
    """Order each row by falling score, down to `depth` ranks."""
    width = scores.shape[1]
    # One rank more tells whether the last one ties with others.
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


def gather(values, order):
    """Return ``values[i, order[i, j]]``."""
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
    """Return the sum of each row up to each column, without it, as float64."""
    return running_sum(values) - values.to(float64)


def row_sum(values):
    """Return the sum of each row, as float64 (a count where `values` is boolean)."""
    return values.sum(dim=1, dtype=float64)


def sum_runs(values, starts):
    """Return the sums of the runs of `values` that begin at `starts`, as float64."""
    run = torch.zeros(len(values), dtype=int64, device=values.device)
    run = run.index_fill_(0, starts[1:], 1).cumsum(0)
    sums = zeros((len(starts), *values.shape[1:]), like=values)
    return sums.index_add_(0, run, values.to(float64))


def add_up(columns, values, width):
    """Add values up in the given columns of each row."""
    sums = zeros((len(columns), width), like=values)
    return sums.scatter_add_(1, columns, values.to(float64))


def largest_from(values):
    """Return the largest value of each row from each column on."""
    return torch.cummax(values.flip(1), dim=1).values.flip(1)


def running_max(values):
    """Return the largest value of each row up to and including each column."""
    return torch.cummax(values, dim=1).values


def side_by_side(mask, values):
    """Return the values of each row where `mask` is True, without gaps; 0 behind."""
    places = mask.cumsum(1) - 1
    width = max(1, int(places[:, -1].max()) + 1)
    out = zeros((len(mask), width), like=values)
    rows, columns = nonzero(mask)
    out[rows, places[rows, columns]] = values[rows, columns]
    return out


def first_true(mask):
    """Return the first column of each row that is not zero, 0 for none."""
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
    if values.device.type == "mps":
        raise TypeError(
            f"{name} must be on a device that has float64, which MPS lacks; use "
            f"{name}.cpu()."
        )
    if values.dtype == torch.uint64:
        raise TypeError(f"{name} must not be of type uint64; use int64 or float64.")
    if values.dtype.is_floating_point and values.dtype.itemsize < 2:
        raise TypeError(
            f"{name} must hold floats of at least 16 bits; got {values.dtype}."
        )
    if values.ndim == 0:
        raise ValueError(f"{name} must be 1-D or 2-D; got the scalar {values!r}.")
    device = values.device if like is None else like.device
    return values.detach().to(device, _WIDER.get(values.dtype))


def value_range(values):
    """Return the least and the largest number that is not NaN, 0 and 0 for none."""
    values = values[~isnan(values)] if isnan(values.max()) else values
    if not values.numel():
        return 0.0, 0.0
    return float(values.min()), float(values.max())


class TieGroups:
    """The groups of equal scores of a block whose rows are in rank order."""

    def __init__(self, starts):
        self.shape = starts.shape
        self._first = flatnonzero(starts)
        end = full_like(self._first[:1], starts.numel())
        self._n_cells = torch.diff(self._first, append=end)
        self._index = starts.ravel().cumsum(0).reshape(self.shape) - 1
        self._cut = None

    def close_cut_groups(self, rows, members):
        """Tell that the last group of `rows` goes on below the last rank."""
        self._cut = self._index[rows, -1], rows, members

    @property
    def is_cut(self):
        """Whether a group goes on below the last rank."""
        return self._cut is not None

    def spread(self, per_group, depth=None):
        """Return one value per rank, down to `depth`, from one value per group."""
        return per_group[self._index[:, :depth]]

    def along(self, first, rise):
        """Return ``first + rise (j - 1)`` at place j of each group, by rank."""
        columns = arange(float(self.shape[1]), like=first)
        at_left_edge = first - rise * (self._first % self.shape[1])
        return self.spread(at_left_edge) + self.spread(rise) * columns

    def sizes(self):
        """Return how many documents each group has."""
        size = self._n_cells.to(float64)
        if self._cut is not None:
            groups, _, members = self._cut
            size[groups] = row_sum(members)
        return size

    def end_at(self, column):
        """Return the rank at which the last of the groups in a column has ended."""
        groups = self._index[:, column]
        last = (self._first + self._n_cells - 1)[groups] % self.shape[1]
        return int(last.max()) + 1

    def place(self):
        """Return the place, from 1, that each rank has inside its group."""
        cells = arange(1.0, self.shape[0] * self.shape[1] + 1.0, like=self._first)
        return cells.reshape(self.shape) - self.spread(self._first)

    def totals(self, by_rank, by_document):
        """Return the sum over each whole group."""
        total = zeros(len(self._first), like=by_rank)
        total.index_add_(0, self._index.ravel(), by_rank.ravel().to(float64))
        if self._cut is not None:
            groups, rows, members = self._cut
            total[groups] = row_sum(keep_where(members, by_document(rows)))
        return total

    def at(self, columns):
        """Return the group at one rank of each row, and the ranks before it."""
        rows = arange(self.shape[0], like=columns)
        groups = self._index[rows, columns]
        return groups, self._first[groups] - rows * self.shape[1]

    def totals_before(self, totals):
        """Return the sum of whole-numbered `totals` over the groups before, by row."""
        before = totals.cumsum(0) - totals
        row_starts = before[self._index[:, 0]]
        return before - row_starts[self._first // self.shape[1]]

    def at_first(self, by_rank):
        """Return the value at the first rank of each group."""
        return by_rank.ravel()[self._first]

    def mixed(self, by_rank):
        """Yield groups of unequal values: flat positions, and which of them exist."""
        flat, index = by_rank.ravel(), self._index.ravel()
        first = flat[self._first]
        low = first.scatter_reduce(0, index, flat, "amin")
        high = first.scatter_reduce(0, index, flat, "amax")
        yield from self.cells(low < high)

    def cells(self, chosen):
        """Yield groups chosen by a mask: flat positions, and which of them exist."""
        groups = flatnonzero(chosen)
        sizes = self._n_cells[groups]
        scale = torch.frexp(sizes.to(float64)).exponent
        for size in unique(scale):
            similar = scale == size
            places = arange(int(sizes[similar].max()), like=sizes)
            positions = self._first[groups[similar], None] + places
            present = places < sizes[similar, None]
            yield torch.where(present, positions, positions[:, :1]), present

    def index(self):
        """Return the number of each rank's group, rising along the row."""
        return self._index
