"""Numbers that may overflow: NumPy raises for them, and torch tells nobody."""

from dataclasses import replace

import numpy as np

from sklearn_irmetrics._core.namespace import is_tensor, namespace, to_numpy
from sklearn_irmetrics._core.values import Discount, Documents, Gain

# What kernels compute of numbers between its inverse and it is finite: products of four
# of them, added up over 2^64 documents.
_LARGEST = 2.0**200


def may_overflow(task, batch):
    """Whether a kernel may meet numbers that float64 cannot hold."""
    return any(
        _is_extreme(value, batch, task.depth) for value in task.parameters.values()
    )


def _is_extreme(value, batch, depth):
    if isinstance(value, Gain):
        return _has_extreme_gains(value, batch)
    if isinstance(value, Discount):  # ours are far from both bounds
        return isinstance(value.kind, bytes) and _are_extreme(np.frombuffer(value.kind))
    return isinstance(value, float) and abs(value) > _LARGEST


def _has_extreme_gains(gain, batch):
    if isinstance(gain.kind, bytes):
        return _are_extreme(np.frombuffer(gain.kind).reshape(2, -1)[1])
    low, high = batch.min_grade, batch.max_grade
    if gain.rises and low >= 0.0:  # then nothing is above the ideal it is divided by
        return high > (_LARGEST if gain.kind == "linear" else 200.0)
    xp, grades = namespace(batch.scores), batch.grades
    return _are_extreme(gain(Documents(xp, xp.astype(grades, xp.float64), {})))


def _are_extreme(values):
    sizes = abs(values[values != 0])
    return bool(((sizes > _LARGEST) | (sizes < 1.0 / _LARGEST)).any())


def on_host(batch):
    """Return the batch as NumPy arrays."""
    arrays = {
        name: to_numpy(getattr(batch, name))
        for name in ("grades", "scores", "query_ids", "weights", "offsets", "order")
    }
    marks = {name: to_numpy(mark) for name, mark in batch.marks.items()}
    return replace(batch, marks=marks, packed=None, **arrays)


def task_on_host(task):
    """Return a task for tensors as one for NumPy arrays."""
    parameters = {
        name: to_numpy(value) if is_tensor(value) else value
        for name, value in task.parameters.items()
    }
    return replace(task, parameters=parameters)
