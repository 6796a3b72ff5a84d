"""Files that are written as a whole: replaced when complete, or left as they were."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import secrets
from functools import partial

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def name_of_file(path, parameter):
    """Return the name of a file as text, if the system can have it."""
    name = os.fspath(path)
    try:
        return os.fsdecode(os.fsencode(name))
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{parameter} must be a name that the system can encode; got {name!r}."
        ) from error


def write_file(data, path, what):
    """Replace a file by one that holds the data, or write them to a device or a pipe.

    `what` the data are of is for messages.
    """
    name = name_of_file(path, "path")
    special = _is_special(path)
    try:
        if not os.path.basename(name):  # as of "folder/"
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if special:
            with open(path, "ab") as file:
                file.write(data)
        else:
            _replace(os.path.realpath(path), data)
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno in _NO_ROOM:
            kept = "it holds a part" if special else "nothing there has changed"
            reason += f" for the {len(data)} bytes of the {what} ({kept}; make room)"
        # Not the name of a file that nobody knows of.
        raise OSError(error.errno, reason, os.fspath(path)) from error


def write_to_stream(file, text, data, what):
    """Write the text to a file object, or the data where it takes bytes."""
    try:
        file.write(data if text is None else text)
    except UnicodeEncodeError as error:
        raise ValueError(
            f"path must be open for bytes or in an encoding that can hold the {what}; "
            f"got {getattr(file, 'encoding', None)!r} for {text[error.start]!r}."
        ) from error
    except TypeError:  # binary mode
        if isinstance(file, io.RawIOBase):  # as of `python -u`; it may write a part
            left = memoryview(data)
            while left:
                written = file.write(left)
                if not written:
                    reason = "it takes no data yet and does not wait for room"
                    raise BlockingIOError(errno.EAGAIN, reason) from None
                left = left[written:]
        else:
            file.write(data)


def _is_special(path):
    """Whether it is a device or a pipe, or stands for one: nothing to replace."""
    if os.path.abspath(path).startswith(("/dev/std", "/dev/fd/", "/proc/")):
        return True  # what they lead to may be a file, which has other writers
    return os.path.exists(path) and not os.path.isfile(path)


def _replace(path, data):
    # Not with the name of the file, which may be as long as names can be.
    unfinished = os.path.join(os.path.dirname(path), f".{secrets.token_hex(8)}.tmp")
    old = os.stat(path) if os.path.exists(path) else None
    # What replaces a private file is private from the start.
    opener = None if old is None else partial(os.open, mode=0o600)
    try:
        with open(unfinished, "xb", opener=opener) as file:
            file.write(data)
        if old is not None:
            # Another group must not get what that of the old file could read.
            same_group = os.stat(unfinished).st_gid == old.st_gid
            os.chmod(unfinished, old.st_mode & (0o777 if same_group else 0o707))
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.remove(unfinished)
        raise
