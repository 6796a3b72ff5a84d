"""Attributes that are computed once."""


class cached_property:  # noqa: N801 (named as in functools)
    """`functools.cached_property` without the lock of Python 3.11.

    All objects share that lock, so that threads would wait for each other.
    """

    def __init__(self, compute):
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner, name):
        self._name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._compute(instance)
        return value
