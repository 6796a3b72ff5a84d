"""Compressed data: told by how they begin, written as a name says."""

import bz2
import contextlib
import gzip
import io
import lzma
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
_BY_SUFFIX = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
# What others write, so that a name with it would promise what is not there.
_ARCHIVES = (".zip", ".7z", ".rar", ".tar", ".tgz", ".tbz2", ".txz")
_NOT_WRITTEN = (*_ARCHIVES, ".z", ".lz4", ".lz", ".lzma", ".br", ".sz", ".zstd")


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


def compression_of_name(name):
    """Return the compression that a name promises, None if it promises none."""
    suffix = next((s for s in _BY_SUFFIX if name.lower().endswith(s)), None)
    return None if suffix is None else _BY_SUFFIX[suffix]


def without_suffix(name):
    """Return a name without what it says about compression, if that can be written."""
    lower = name.lower()
    suffix = next((s for s in _BY_SUFFIX if lower.endswith(s)), "")
    rest = lower.removesuffix(suffix)
    if rest.endswith(_NOT_WRITTEN):
        raise ValueError(
            "path must not have the suffix of a compression or archive other than "
            f"{', '.join(_BY_SUFFIX)}, which can be written; got {name!r}."
        )
    return rest


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
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise ValueError(f"{name}: the {kind} data cannot be read: {error}") from error
    except OSError as error:
        if error.errno is not None or kind == "gzip":  # of the system
            raise
        raise ValueError(f"{name}: the {kind} data cannot be read: {error}") from error
    except Exception as error:
        if kind == "zstd" and type(error).__name__ == "ZstdError":
            message = f"{name}: the {kind} data cannot be read: {error}"
            raise ValueError(message) from error
        raise


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
