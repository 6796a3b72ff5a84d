"""Warnings about data, which can be suppressed or collected by thread."""

from collections import defaultdict
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

# Why queries are undefined, by the beginning of the name of a function. It is not in
# the registry, because averages, which warn, are below the formulas that it lists.
_USUAL = "usually because nothing is relevant"
_NO_PAIRS = "fewer than two documents, or all equal"
_WHY = {
    "roc_": "all documents are relevant, or none",
    "set_": "its denominator is 0",
    "silence": "something is relevant",
    "first_rank": "nothing that is relevant was retrieved",
    "last_rank": "something relevant was not retrieved, or nothing is relevant",
    "opa": "all documents have the same grade",
    "ordered_pairs": "all documents have the same grade",
    "kendall_tau": _NO_PAIRS,
    "spearman_rho": _NO_PAIRS,
    "average_precision_correlation": _NO_PAIRS,
    "tau_ap": _NO_PAIRS,
}

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
    function : str
        The name of its function, which tells why queries are undefined.
    left_out : str
        What is left out, such as "2 of 3 queries".
    """

    measure: str
    function: str
    left_out: str

    @property
    def cause(self):
        """Why queries are undefined."""
        causes = (why for start, why in _WHY.items() if self.function.startswith(start))
        return next(causes, _USUAL)


def warn_of_undefined(means):
    """Warn of the queries (or classes) that means leave out: once for each cause.

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
        measures[mean.left_out, mean.cause].append(mean.measure)
    for (left_out, cause), names in measures.items():
        *others, last = names
        listed = f"{', '.join(others)} and {last} are" if others else f"{last} is"
        warn_of_data(
            f"{listed} undefined in {left_out} ({cause}), which are left out of the "
            f"mean{'s' if others else ''}. Set replace_undefined_by to a number to "
            "include them.",
            UndefinedMetricWarning,
            subject=listed,
        )
