"""Tell the library of an array, and return the functions that go with it."""

import sys

import numpy as np

from sklearn_irmetrics._core import arrays


def issparse(array):
    """Whether `array` is a sparse matrix; fast for NumPy arrays."""
    sparse = sys.modules.get("scipy.sparse")  # if not imported, nobody has its arrays
    return (
        type(array) is not np.ndarray and sparse is not None and sparse.issparse(array)
    )


def to_dense(array):
    """Return a sparse matrix as an array; anything else as it is."""
    return array.toarray() if issparse(array) else array


def is_tensor(array):
    """Whether `array` is a torch tensor, without importing torch."""
    if type(array) is np.ndarray or (torch := sys.modules.get("torch")) is None:
        return False
    return isinstance(array, getattr(torch, "Tensor", ()))


def is_on_host(array):
    """Whether `array` is a tensor that NumPy can read."""
    return is_tensor(array) and array.device.type == "cpu"


def namespace(array):
    """Return the module of functions that goes with `array`."""
    if type(array) is np.ndarray or not is_tensor(array):
        return arrays
    from sklearn_irmetrics._core.torch import arrays as torch_arrays

    return torch_arrays


def kind_of(array):
    """Return the letter of NumPy for the kind of numbers that an array holds."""
    if type(array) is np.ndarray or not is_tensor(array):
        return array.dtype.kind
    return namespace(array).kind(array)


def to_numpy(array):
    """Return a tensor as a NumPy array, on the host; anything else as it is."""
    if not is_tensor(array):
        return array
    array = array.detach().cpu()
    return (array.float() if str(array.dtype) == "torch.bfloat16" else array).numpy()


def to_host(*values):
    """Return all tensors among `values` as NumPy arrays, on the host."""
    return [to_numpy(value) for value in values]


def refuse_mixture(**values):
    """Raise unless both arguments are tensors on one device, or neither is a tensor."""
    if not any(map(is_tensor, values.values())):
        return
    kinds = [_kind(value) for value in values.values()]
    if len(set(kinds)) > 1:
        raise TypeError(
            f"{' and '.join(values)} must both be torch tensors on one device, or "
            f"neither may be one; got {' and '.join(map(str, kinds))}."
        )


def _kind(value):
    return f"a tensor on {value.device}" if is_tensor(value) else "no tensor"
