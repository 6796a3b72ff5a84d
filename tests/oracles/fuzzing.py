"""Call with anything at all: the result, or a complaint in words, and nothing else."""

import contextlib
import signal
import tracemalloc
import warnings

from sklearn.exceptions import UndefinedMetricWarning

from sklearn_irmetrics.exceptions import FractionalGradesWarning, LowPrecisionWarning

_OF_THE_DATA = UndefinedMetricWarning, LowPrecisionWarning, FractionalGradesWarning
REFUSED = object()


class HangError(BaseException):
    """What is called takes too long."""


@contextlib.contextmanager
def within(seconds):
    """End what hangs, where the system can."""

    def stop(signum, frame):
        raise HangError(f"not done after {seconds} seconds")

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def no_warnings():
    """Fail at any warning but those that speak of the data."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    messages = [w for w in caught if not issubclass(w.category, _OF_THE_DATA)]
    assert not messages, messages[0]


def answer(function, *args, **kwargs):
    """Return the result, or REFUSED; anything but a complaint in words fails."""
    try:
        with no_warnings(), within(20):
            return function(*args, **kwargs)
    except (TypeError, ValueError) as error:
        assert str(error).strip()
        return REFUSED


@contextlib.contextmanager
def little_memory(limit=24 * 2**20):  # of which 16 are asked for, and not touched
    """Fail if more bytes than this are held at once."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < limit
    finally:
        tracemalloc.stop()
