"""Arrays of other libraries: sparse matrices, and what becomes a NumPy array."""

import sys

import numpy as np


def issparse(array):
    """Whether `array` is a sparse matrix; fast for NumPy arrays."""
    sparse = sys.modules.get("scipy.sparse")  # if not imported, nobody has its arrays
    return (
        type(array) is not np.ndarray and sparse is not None and sparse.issparse(array)
    )


def to_dense(array):
    """Return a sparse matrix as an array; anything else as it is."""
    return array.toarray() if issparse(array) else array


def to_numpy(values):
    """Return an array of another library as a NumPy array; anything else as it is.

    That of torch, CuPy, JAX or another library that exports memory (DLPack) is copied
    only if it is on a device, or holds bfloat16, which becomes float32.
    """
    if isinstance(values, np.ndarray):
        return values
    if not (hasattr(values, "__dlpack__") and hasattr(values, "dtype")):
        return values  # PyArrow, which exports memory too, has missing values
    if hasattr(values, "detach"):  # of torch: without gradient, on the host
        values = values.detach().cpu()
        if "bfloat16" in str(values.dtype):
            values = values.float()
    elif "bfloat16" in str(values.dtype):
        values = values.astype("float32")
    try:
        return np.asarray(values)
    except TypeError as error:  # of CuPy, which copies only where it is asked to
        try:
            return np.from_dlpack(values, device="cpu")
        except (BufferError, RuntimeError, TypeError, ValueError):
            raise error from None
