"""Find numbers that may overflow: NumPy then raises an error, torch does not."""

import numpy as np

from sklearn_irmetrics._core.values import Discount, Gain

# Products of four numbers up to this, added up over 2^64 documents, are finite.
LARGEST = 2.0**200


def may_overflow(value, batch):
    """Whether a parameter may lead a kernel to numbers that float64 cannot hold."""
    if isinstance(value, Gain | Discount) and isinstance(value.kind, bytes):
        return bool((abs(np.frombuffer(value.kind)) > LARGEST).any())
    if isinstance(value, Gain) and value.kind == "exponential":
        return batch.max_grade > 200
    if isinstance(value, Gain):
        return max(-batch.min_grade, batch.max_grade) > LARGEST
    return isinstance(value, float) and abs(value) > LARGEST
