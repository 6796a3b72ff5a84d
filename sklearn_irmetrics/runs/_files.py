"""Read files and streams as decompressed bytes, and write them compressed by name."""

import bz2
import contextlib
import gzip
import io
import lzma
import os
import re
import sys
import zlib
from functools import partial

from sklearn_irmetrics._files import write_file
from sklearn_irmetrics._tables import visible

_BY_SUFFIX = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
_PIECE = 2**20
# A line of TREC may begin with BZh9, but not with the block signature after it.
_SIGNS = re.compile(
    rb"(?P<gzip>\x1f\x8b)|(?P<bzip2>BZh[1-9](?:1AY&SY|\x17rE8P\x90))"
    rb"|(?P<xz>\xfd7zXZ\0)|(?P<zstd>\x28\xb5\x2f\xfd)"
)
_LONGEST_SIGN = 10


def compression_of(start):
    """Return the compression of data that begin like this, None if there is none.

    Parameters
    ----------
    start : bytes
        At least the first ten, if there are so many.
    """
    found = _SIGNS.match(start)
    return found and found.lastgroup


def split_name(path):
    """Return the name of a file without the suffix of a compression, and this."""
    name = os.fsdecode(os.path.basename(os.path.realpath(path)))
    stem, suffix = os.path.splitext(name)
    kind = _BY_SUFFIX.get(suffix.lower())
    return (name if kind is None else stem), kind


def source_name(source):
    """Return the name in messages of a file, standard input or object with `read`."""
    if isinstance(source, str | os.PathLike):
        return "<stdin>" if source == "-" else visible(os.fsdecode(source))
    if hasattr(source, "read"):
        return visible(str(getattr(source, "name", "<file object>")))
    raise TypeError(
        "source must be a path, '-' or an object with read; got "
        f"{type(source).__name__}."
    )


class Stream:
    """Bytes that come in pieces; the first can be peeked at before reading.

    Parameters
    ----------
    pieces : iterator of bytes
        None of them empty.
    """

    def __init__(self, pieces):
        self._pieces, self._ahead = pieces, b""

    def peek(self, size):
        """Return the next `size` bytes, fewer at the end."""
        while len(self._ahead) < size and (piece := next(self._pieces, b"")):
            self._ahead += piece
        return self._ahead[:size]

    def read(self, size=None):
        """Return some of the next bytes, at most `size`; all by default."""
        if size is None:
            return b"".join([self._ahead, *self._pieces])
        data = self._ahead or next(self._pieces, b"")
        self._ahead = data[size:]
        return data[:size]


@contextlib.contextmanager
def open_source(source, name):
    """Yield the bytes of a source as a `Stream`, decompressed."""
    if isinstance(source, str) and source == "-":
        source = getattr(sys.stdin, "buffer", sys.stdin)
    with contextlib.ExitStack() as opened:
        if not hasattr(source, "read"):
            source = opened.enter_context(io.FileIO(source))
        stream = Stream(_pieces(source))
        kind = compression_of(stream.peek(_LONGEST_SIGN))
        if kind is None:
            yield stream
            return
        try:
            yield Stream(filter(None, _UNPACK[kind](stream, name)))
        except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
            if getattr(error, "errno", None) is not None:  # of the system
                raise
            raise ValueError(
                f"{name}: the {kind} data cannot be read: {error}"
            ) from error


def _pieces(source):
    """Yield the bytes of an object with `read`; text is encoded."""
    while True:
        piece = source.read(_PIECE)
        if isinstance(piece, str):
            piece = piece.encode("utf-8", "surrogateescape")
        if not isinstance(piece, bytes | bytearray | memoryview):
            raise TypeError(
                f"source.read() must return bytes or str; got {type(piece).__name__}."
            )
        if not piece:
            return
        yield bytes(piece)


def _from_gzip(stream, name):
    return iter(partial(gzip.GzipFile(fileobj=stream).read, _PIECE), b"")


def _from_members(make_decompressor, stream, name):
    """Yield the decompressed data of one member after the other.

    `BZ2File` and `LZMAFile` end silently if a further member is damaged.
    """
    member, left = make_decompressor(), b""
    while data := left or stream.read(_PIECE):
        left = b""
        if member.eof:
            data = data.lstrip(b"\0")  # padding
            if not data:
                continue
            member = make_decompressor()
        yield member.decompress(data, _PIECE)
        while not (member.eof or member.needs_input):
            yield member.decompress(b"", _PIECE)
        left = member.unused_data
    if not member.eof:
        raise EOFError("it ends inside its last member")


def _from_zstd(stream, name):
    pyarrow = _pyarrow(name)
    packed = pyarrow.BufferReader(stream.read())
    return iter(
        partial(pyarrow.CompressedInputStream(packed, "zstd").read, _PIECE), b""
    )


def _pyarrow(name):
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(f"{name}: zstd needs pyarrow.") from error
    return pyarrow


_UNPACK = {
    "gzip": _from_gzip,
    "bzip2": partial(_from_members, bz2.BZ2Decompressor),
    "xz": partial(_from_members, lzma.LZMADecompressor),
    "zstd": _from_zstd,
}
# Reproducible: the same bytes for the same data.
_PACK = {
    None: bytes,
    "gzip": partial(gzip.compress, compresslevel=6, mtime=0),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda data: _pyarrow("path").compress(data, codec="zstd", asbytes=True),
}


def write_data(data, path):
    """Write data to a path (compressed according to its name), a stream or "-"."""
    if isinstance(path, str) and path == "-":
        path = getattr(sys.stdout, "buffer", sys.stdout)
        sys.stdout.flush()  # what was printed before comes first
        write_file(data, path)
        path.flush()
    elif hasattr(path, "write"):
        write_file(data, path)
    else:
        write_file(_PACK[split_name(path)[1]](data), path)
