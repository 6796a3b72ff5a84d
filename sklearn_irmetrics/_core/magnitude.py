"""Numbers that may overflow: NumPy raises for them, and torch tells nobody."""

from dataclasses import replace

import numpy as np

from sklearn_irmetrics._core.namespace import is_tensor, namespace, to_numpy
from sklearn_irmetrics._core.values import Discount, Documents, Gain

# What kernels compute of numbers between its inverse and it is finite: products of four
# of them, added up over 2^64 documents.
_LARGEST = 2.0**200


def may_overflow(task, judgments):
    """Whether a kernel may meet numbers that float64 cannot hold."""
    return any(
        _is_extreme(value, judgments, task.depth) for value in task.parameters.values()
    )


def _is_extreme(value, judgments, depth):
    if isinstance(value, Gain):
        return _has_extreme_gains(value, judgments)
    if isinstance(value, Discount):
        if not callable(value.kind):  # ours are far from both bounds
            return False
        longest = judgments.max_length if depth is None else depth
        longest = min(longest, judgments.max_length)
        ranks = np.arange(1.0, longest + 1.0)
        ranks = namespace(judgments.scores).asarray(ranks, like=judgments.scores)
        return _are_extreme(value(ranks))
    return isinstance(value, float) and abs(value) > _LARGEST


def _has_extreme_gains(gain, judgments):
    low, high = judgments.min_grade, judgments.max_grade
    if gain.rises and low >= 0.0:  # then nothing is above the ideal it is divided by
        return high > (_LARGEST if gain.kind == "linear" else 200.0)
    xp, grades = namespace(judgments.scores), judgments.grades
    if grades.ndim < judgments.scores.ndim:  # class labels
        grades = xp.asarray([low, high], like=grades)
    return _are_extreme(gain(Documents(xp.astype(grades, xp.float64), {})))


def _are_extreme(values):
    sizes = abs(values[values != 0])
    return bool(((sizes > _LARGEST) | (sizes < 1.0 / _LARGEST)).any())


def on_host(judgments):
    """Return the judgments as NumPy arrays."""
    arrays = {
        name: to_numpy(getattr(judgments, name))
        for name in ("grades", "scores", "query_ids", "weights", "offsets", "order")
    }
    marks = {name: to_numpy(mark) for name, mark in judgments.marks.items()}
    return replace(judgments, marks=marks, packed=None, **arrays)


def task_on_host(task, like):
    """Return a task for tensors like `like` as one for NumPy arrays."""
    parameters = {
        name: _on_host(value, like) for name, value in task.parameters.items()
    }
    return replace(task, parameters=parameters)


def _on_host(value, like):
    if isinstance(value, (Gain, Discount)) and callable(value.kind):
        return replace(value, kind=_ForTensors(value.kind, like))
    return to_numpy(value) if is_tensor(value) else value


class _ForTensors:
    """A callable for tensors as one for NumPy arrays."""

    def __init__(self, function, like):
        self._function = function
        self._like = like

    def __call__(self, values):
        """Return what the function returns for a tensor."""
        tensor = namespace(self._like).asarray(values, like=self._like)
        return to_numpy(self._function(tensor))
