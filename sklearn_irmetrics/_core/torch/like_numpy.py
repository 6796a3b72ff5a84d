"""Functions of NumPy for torch tensors, under the same names; floats are float64."""

import numpy as np
import torch

# Functions that mean the same in torch as in NumPy.
from torch import (  # noqa: F401
    argsort,
    argwhere,
    bool,
    broadcast_to,
    ceil,
    concatenate,
    count_nonzero,
    cumprod,
    cumsum,
    exp,
    exp2,
    expm1,
    flip,
    float32,
    float64,
    floor,
    frexp,
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
from torch import clone as copy  # noqa: F401

# Functions whose torch version has another signature or gives float32 -----------------


def arange(*limits, like):
    """Return evenly spaced numbers on the device of `like`."""
    limits = [x.item() if isinstance(x, torch.Tensor) else x for x in limits]
    dtype = float64 if any(isinstance(x, float) for x in limits) else int64
    return torch.arange(*limits, dtype=dtype, device=like.device)


def asarray(values, dtype=None, *, like):
    """Return an array of any kind as a tensor on the device of `like`."""
    if not isinstance(values, torch.Tensor):
        values = torch.tensor(np.asarray(values), device=like.device)
    return values.detach().to(device=like.device, dtype=dtype)


def astype(values, dtype):
    """Return `values` in another type."""
    return values.to(dtype)


def empty(shape, *, like):
    """Return an uninitialised float64 tensor on the device of `like`."""
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
        # A Python float with anything else would give float32.
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
    """Return `values`, limited to a range."""
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
    """Repeat each value as often as its count says."""
    return torch.repeat_interleave(values, counts)


def average(values, weights=None):
    """Return the mean."""
    if weights is None:
        return values.mean()
    return (values * weights).sum() / weights.sum()
