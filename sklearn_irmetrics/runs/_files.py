"""Files and streams: opened for bytes, written at once or replaced as a whole."""

import contextlib
import errno
import io
import os
import secrets
import stat
import sys
from functools import partial

from sklearn_irmetrics._tables import visible
from sklearn_irmetrics.runs._compression import (
    LONGEST_SIGN,
    compression_of,
    compression_of_name,
    packed,
    readable,
    unpacked,
)

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def file_name(path, parameter):
    """Return the name of a file as messages show it, if the system can have it."""
    name = os.fspath(path)
    try:
        os.fsencode(name)
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{parameter} must be a name that the system can encode; got {name!r}."
        ) from error
    return visible(os.fsdecode(name))


def source_name(source):
    """Return what messages call a file, standard input or an object with `read`."""
    if isinstance(source, str | os.PathLike):
        return "<stdin>" if source == "-" else file_name(source, "source")
    if hasattr(source, "read"):
        return visible(str(getattr(source, "name", "<file object>")))
    raise TypeError(
        "source must be a path, '-' or an object with read; got "
        f"{type(source).__name__}."
    )


@contextlib.contextmanager
def open_source(source, name):
    """Yield the bytes of a source as a buffered stream, decompressed."""
    if isinstance(source, str) and source == "-":
        source = _standard(sys.stdin, name)
    with contextlib.ExitStack() as opened:
        if not hasattr(source, "read"):
            source = opened.enter_context(io.FileIO(source))
        binary = _Bytes(source, name)
        stream = opened.enter_context(io.BufferedReader(binary))
        kind = compression_of(binary.start)
        if kind is None:
            yield stream
            return
        with readable(kind, name):
            yield opened.enter_context(unpacked(kind, stream, name))


def _standard(stream, name):
    """Return standard input or output for bytes, where it has a form for them."""
    if stream is None:  # closed before the process began
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), name)
    return getattr(stream, "buffer", stream)


class _Bytes(io.RawIOBase):
    """The bytes of what has `read`, in pieces; `start` holds the first of them."""

    def __init__(self, source, name):
        self._read, self._name, self._left = source.read, name, b""
        self.start = b""
        # A pipe may give one byte at a time.
        while len(self.start) < LONGEST_SIGN and (piece := self._next(LONGEST_SIGN)):
            self.start += piece
        self._left = self.start

    def readable(self):
        return True

    def readinto(self, buffer):
        data = self._left or self._next(len(buffer))
        size = min(len(buffer), len(data))
        buffer[:size] = data[:size]
        self._left = data[size:]
        return size

    def _next(self, size):
        data = self._read(size)
        if isinstance(data, str):
            try:
                data = data.encode("utf-8", "surrogateescape")
            except UnicodeEncodeError as error:
                raise ValueError(
                    f"{self._name}: expected text without lone surrogates; got "
                    f"{data[error.start]!r}."
                ) from error
        if data is None:
            reason = "it has no data yet and does not wait for them"
            raise BlockingIOError(errno.EAGAIN, reason, self._name)
        if not isinstance(data, bytes | bytearray | memoryview):
            raise TypeError(
                f"source.read() must return bytes or str; got {type(data).__name__}."
            )
        return data


def write_data(data, text, path, what):
    """Write data to a file, which is replaced when complete, or to a stream.

    `text` is the same for streams that take no bytes, None where there is none, and
    `what` the data are of. A file is compressed as its name says.
    """
    if isinstance(path, str) and path == "-":
        path = _standard(sys.stdout, "<stdout>")
        sys.stdout.flush()  # what was printed before comes first
        _write_to(path, text, data)
        path.flush()
        return
    if hasattr(path, "write"):
        _write_to(path, text, data)
        return
    target, special = os.path.realpath(path), _is_special(path)
    data = packed(compression_of_name(target), data)
    try:
        if special:
            with open(path, "ab") as file:
                file.write(data)
        else:
            _replace(target, data)
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno in _NO_ROOM:
            kept = "it holds a part" if special else "nothing there has changed"
            reason += f" for the {len(data)} bytes of the {what} ({kept}; make room)"
        # Not the name of a file that nobody knows of.
        raise OSError(error.errno, reason, os.fspath(path)) from error


def _write_to(file, text, data):
    """Write the text to a file object, or the data where it takes bytes."""
    try:
        file.write(data if text is None else text)
    except UnicodeEncodeError as error:
        raise ValueError(
            "path must be open for bytes or in an encoding that can hold the run; got "
            f"{getattr(file, 'encoding', None)!r} for {text[error.start]!r}."
        ) from error
    except TypeError:  # binary mode
        if isinstance(file, io.RawIOBase):  # which may write a part
            buffered = io.BufferedWriter(file)
            try:
                buffered.write(data)
            finally:
                buffered.detach()
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
            os.chmod(unfinished, _keep_group(unfinished, old))
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.remove(unfinished)
        raise


def _keep_group(path, old):
    """Give a file the group of another; return the mode that lets in no one new."""
    mode = old.st_mode & 0o777  # not the identity of an owner who is another now
    if os.stat(path).st_gid != old.st_gid:
        try:
            os.chown(path, -1, old.st_gid)
        except PermissionError:
            mode &= ~stat.S_IRWXG
    return mode
