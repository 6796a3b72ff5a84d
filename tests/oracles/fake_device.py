"""A device for torch that holds its tensors on the host and forbids what a GPU would.

Its tensors cannot be combined with those of the host, and NumPy cannot see them. It
stands under the name of "meta", a device that torch always has.
"""

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

DEVICE = torch.device("meta")


class DeviceTensor(torch.Tensor):
    """A tensor of the device; only `FakeDevice` knows what it holds."""

    @staticmethod
    def __new__(cls, held):
        """Wrap a tensor of the host."""
        tensor = torch.Tensor._make_wrapper_subclass(
            cls, held.shape, strides=held.stride(), dtype=held.dtype, device=DEVICE
        )
        tensor.held = held
        return tensor

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        """Refuse what is called outside of the device's context."""
        raise RuntimeError(f"{function} of a tensor of the device, which is off")

    def tolist(self):
        """Return lists, by way of the host."""
        return self.cpu().tolist()


class FakeDevice(TorchDispatchMode):
    """The context in which the device is there.

    Parameters
    ----------
    most : int
        The size of the largest tensor that may be copied to the host.
    """

    def __init__(self, most):
        super().__init__()
        self.most = most

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        """Compute on the host what only concerns tensors of the device."""
        name = function.overloadpacket.__name__
        options = dict(kwargs or {})
        given = tree_flatten((args, options))[0]
        tensors = [x for x in given if isinstance(x, torch.Tensor)]
        ours = [x for x in tensors if isinstance(x, DeviceTensor)]
        onto_device = bool(ours)
        if options.get("device") is not None:
            onto_device = torch.device(options["device"]) == DEVICE
            options["device"] = "cpu"
        if ours and not onto_device and ours[0].numel() > self.most:
            raise AssertionError(f"{tuple(ours[0].shape)} numbers copied to the host")
        mixed = any(x.ndim and not isinstance(x, DeviceTensor) for x in tensors)
        if ours and mixed and name != "copy_":
            raise AssertionError(f"{name} of tensors on different devices")
        args, options = tree_map(_held, (args, options))
        result = function(*args, **options)
        if name == "_to_copy" or not onto_device:
            return tree_map(DeviceTensor, result) if onto_device else result
        known = {id(x.held): x for x in ours}  # what is changed in place stays itself

        def wrap(x):
            if not isinstance(x, torch.Tensor):
                return x
            return known[id(x)] if id(x) in known else DeviceTensor(x)

        return tree_map(wrap, result)


def _held(value):
    return value.held if isinstance(value, DeviceTensor) else value
