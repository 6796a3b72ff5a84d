"""Warnings about data, which can be suppressed or collected by thread."""

from collections import defaultdict
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

_SUPPRESSED = ()
# The list that this thread collects its warnings in, or None to show them.
_COLLECTED = ContextVar("collected", default=None)


@contextmanager
def _collect_in(warnings):
    before = _COLLECTED.set(warnings)
    try:
        yield warnings
    finally:
        _COLLECTED.reset(before)


def suppress_warnings():
    """Show no warnings of data in this thread; filters would affect all threads."""
    return _collect_in(_SUPPRESSED)


def collect_warnings():
    """Collect what this thread would warn of in a list, and show nothing.

    Entries are ``(subject, message, category)``. One subject, such as a measure, can
    have many messages, since they count queries. Inside `suppress_warnings`, the list
    stays empty.
    """
    suppressed = _COLLECTED.get() is _SUPPRESSED
    return _collect_in(_SUPPRESSED if suppressed else [])


def warn_of_data(message, category, *, subject=None):
    """Warn the first caller outside this package, or whoever collects warnings."""
    collected = _COLLECTED.get()
    if collected is None:
        from sklearn_irmetrics._compat import warn_caller

        warn_caller(message, category)
    elif collected is not _SUPPRESSED:
        collected.append((subject or message, message, category))


class UndefinedMean(NamedTuple):
    """A mean that leaves something out.

    Attributes
    ----------
    measure : str
        What messages call the measure.
    undefined_if : str
        Why queries are undefined.
    left_out : str
        What is left out, such as "2 of 3 queries".
    """

    measure: str
    undefined_if: str
    left_out: str


def warn_of_undefined(means):
    """Warn of the queries (or classes) that means leave out: once for each reason.

    Parameters
    ----------
    means : list of UndefinedMean
        Those of one call.
    """
    if not means or _COLLECTED.get() is _SUPPRESSED:
        return
    from sklearn.exceptions import UndefinedMetricWarning

    measures = defaultdict(list)
    for mean in means:
        measures[mean.left_out, mean.undefined_if].append(mean.measure)
    for (left_out, reason), names in measures.items():
        *others, last = names
        listed = f"{', '.join(others)} and {last} are" if others else f"{last} is"
        warn_of_data(
            f"{listed} undefined in {left_out} ({reason}), which are left out of the "
            f"mean{'s' if others else ''}. Set replace_undefined_by to a number to "
            "include them.",
            UndefinedMetricWarning,
            subject=listed,
        )
