"""What a running search of scikit-learn was told, so that it is told once.

Filters of `warnings` cannot see to that: scikit-learn sets them anew for every fold.
"""

import sys
from contextlib import contextmanager
from contextvars import ContextVar
from uuid import uuid4

_KEPT = "__told_by_sklearn_irmetrics__"
_SPEAKER = ContextVar("speaker", default=None)


class Search:
    """What was told in one search, which other processes know by its token."""

    def __init__(self, token=None):
        self.token = uuid4().hex if token is None else token
        self._told = {}

    def claim(self, key):
        """Whether this is the first caller with this key."""
        mine = object()
        return self._told.setdefault(key, mine) is mine  # one step, for threads

    def disclaim(self, key):
        """Let another caller be the first."""
        self._told.pop(key, None)


_latest = Search()  # of another process, which this one works for


@contextmanager
def speaking(scorer):
    """Let warnings inside be those of a scorer, which may come from another process."""
    before = _SPEAKER.set(scorer)
    try:
        yield
    finally:
        _SPEAKER.reset(before)


def search_and_speaker():
    """Return the search that runs, None outside of any, and who scores for it."""
    scorer = _SPEAKER.get()
    call = _outermost_call(sys._getframe(1))
    if call is None or call.f_globals["__name__"] == "sklearn.metrics._scorer":
        return None, None
    token = getattr(scorer, "_search", None)
    if not _is_task(call):
        search = _kept_by(call)
    elif (waiting := _waiting_call()) is not None:
        search = _kept_by(waiting)
    else:
        search = _kept_by(call) if token is None else _kept_here(token)
    return search, repr(scorer)


def search_token():
    """Return what identifies the search that waits for its tasks, None without one.

    Tasks are pickled by a thread of their own.
    """
    waiting = _waiting_call()
    return None if waiting is None else _kept_by(waiting).token


def _outermost_call(frame, around=None):
    """Return the outermost frame of scikit-learn, of those around another module's."""
    call, found = None, around is None
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        found = found or name == around
        if found and name.startswith("sklearn."):
            call = frame
        frame = frame.f_back
    return call


def _is_task(call):
    """Whether joblib began this call in a worker, with the search on another stack."""
    return call.f_code.co_qualname == "_FuncWrapper.__call__"


def _waiting_call():
    """Return the call of scikit-learn that waits for joblib in any thread, or None."""
    for frame in sys._current_frames().values():
        call = _outermost_call(frame, around="joblib.parallel")
        if call is not None and not _is_task(call):
            return call
    return None


def _kept_by(call):
    # A frame takes names that its code lacks, and they end with the call.
    return call.f_locals.setdefault(_KEPT, Search())


def _kept_here(token):
    global _latest
    if _latest.token != token:
        _latest = Search(token)
    return _latest
