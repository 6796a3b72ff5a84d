"""Files and streams: opened for bytes, and written as their names say."""

import contextlib
import errno
import io
import os
import sys

from sklearn_irmetrics._files import name_of_file, write_file, write_to_stream
from sklearn_irmetrics._tables import visible
from sklearn_irmetrics.runs._compression import (
    LONGEST_SIGN,
    compression_of,
    packed,
    readable,
    split_name,
    unpacked,
)
from sklearn_irmetrics.runs._lines import decode


def file_name(path, parameter):
    """Return the name of a file as messages show it, if the system can have it."""
    return visible(name_of_file(path, parameter))


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


def write_data(data, path, what):
    """Write data to a file, which is replaced when complete, or to a stream.

    `what` the data are of. A file is compressed as its name says.
    """
    if isinstance(path, str) and path == "-":
        path = _standard(sys.stdout, "<stdout>")
        sys.stdout.flush()  # what was printed before comes first
        write_to_stream(path, decode(data), data, what)
        path.flush()
        return
    if hasattr(path, "write"):
        write_to_stream(path, decode(data), data, what)
        return
    write_file(packed(split_name(path)[1], data), path, what)
