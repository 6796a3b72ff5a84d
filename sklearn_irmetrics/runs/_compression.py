"""Compressed data: told by how they begin, written as a name says."""

import bz2
import contextlib
import gzip
import io
import lzma
import os
import zlib
from importlib import import_module

SIGNS = {
    "gzip": b"\x1f\x8b",
    "bzip2": b"BZh",  # a digit follows, and the sign of a block or of the end
    "xz": b"\xfd7zXZ\x00",
    "zstd": b"\x28\xb5\x2f\xfd",
}
LONGEST_SIGN = 10
_CHUNK = 2**16
_BZIP2_NEXT = b"1AY&SY", b"\x17rE8P\x90"
BY_SUFFIX = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}


def compression_of(start):
    """Return what data that begin like this are compressed with, None if they are not.

    Parameters
    ----------
    start : bytes
        The first of them, `LONGEST_SIGN` where there are as many.
    """
    for kind, sign in SIGNS.items():
        if start.startswith(sign) and (
            kind != "bzip2"
            or (start[3:4] in b"123456789" and start[4:10] in _BZIP2_NEXT)
        ):
            return kind
    return None


def split_name(path):
    """Return the name of a file without what it says of compression, and that."""
    name = os.fsdecode(os.path.basename(os.path.realpath(path)))
    stem, suffix = os.path.splitext(name)
    kind = BY_SUFFIX.get(suffix.lower())
    return (name if kind is None else stem), kind


def unpacked(kind, stream, name):
    """Return a stream of what the compressed data of a stream stand for."""
    if kind == "gzip":
        return gzip.GzipFile(fileobj=stream)
    if kind == "bzip2":
        return io.BufferedReader(_Members(stream, bz2.BZ2Decompressor))
    if kind == "xz":
        return io.BufferedReader(_Members(stream, lzma.LZMADecompressor))
    module = _zstd(name)
    if module.__name__ == "zstandard":
        unpacker = module.ZstdDecompressor()
        return unpacker.stream_reader(stream, read_across_frames=True, closefd=False)
    if module.__name__ == "pyarrow":
        return module.CompressedInputStream(module.PythonFile(stream, "r"), "zstd")
    return module.ZstdFile(stream)


class _Members(io.RawIOBase):
    """Compressed data of one member after the other.

    `BZ2File` and `LZMAFile` end without a word where a further member is damaged.
    """

    def __init__(self, stream, make_decompressor):
        self.stream = stream
        self.make = make_decompressor
        self.member = make_decompressor()

    def readable(self):
        return True

    def readinto(self, buffer):
        while True:
            data = b""
            if self.member.eof:
                data = self.member.unused_data.lstrip(b"\0")  # which may fill up
                while not data:
                    data = self.stream.read(_CHUNK)
                    if not data:
                        return 0
                    data = data.lstrip(b"\0")
                self.member = self.make()
            elif self.member.needs_input:
                data = self.stream.read(_CHUNK)
                if not data:
                    raise EOFError("it ends before its last member does")
            found = self.member.decompress(data, max_length=len(buffer))
            if found:
                buffer[: len(found)] = found
                return len(found)


@contextlib.contextmanager
def readable(kind, name):
    """Say of what a file is that cannot be decompressed."""
    try:
        yield
    except Exception as error:
        damaged = isinstance(error, EOFError | OSError | zlib.error | lzma.LZMAError)
        damaged |= type(error).__name__ == "ZstdError"
        if not damaged or getattr(error, "errno", None) is not None:  # of the system
            raise
        raise ValueError(f"{name}: the {kind} data cannot be read: {error}") from error


def packed(kind, data):
    """Return data compressed, the same for the same data."""
    if kind is None:
        return data
    if kind == "gzip":
        return gzip.compress(data, compresslevel=6, mtime=0)
    if kind == "bzip2":
        return bz2.compress(data)
    if kind == "xz":
        return lzma.compress(data)
    module = _zstd("path")
    if module.__name__ == "zstandard":
        return module.ZstdCompressor().compress(data)
    if module.__name__ == "pyarrow":
        return module.compress(data, codec="zstd", asbytes=True)
    return module.compress(data)


def _zstd(name):
    """Return what can deal with zstd: Python 3.14, or one of some libraries."""
    for module in ("compression.zstd", "zstandard", "backports.zstd", "pyarrow"):
        with contextlib.suppress(ImportError):
            return import_module(module)
    raise ImportError(
        f"{name} is compressed with zstd, which needs Python 3.14, zstandard, "
        "backports.zstd or pyarrow."
    )
