"""Warnings about data, which can be silenced or collected by thread."""

from contextlib import contextmanager
from contextvars import ContextVar

# Why measures are undefined, by the start of their names.
_USUAL = "usually because nothing is relevant"
_WHY = {
    "roc_": "all documents are relevant, or none",
    "set_": "its denominator is 0",
    "first_rank": "nothing that is relevant was retrieved",
