"""Write text to a path or file object; a file is replaced only when complete."""

import contextlib
import io
import os
import secrets
import stat
from os import PathLike


def write_file(data, path):
    """Write UTF-8 to a path, or to a file object in text or binary mode."""
    if hasattr(path, "write"):
        _write_to(path, data)
    elif os.path.lexists(path) and not stat.S_ISREG(os.lstat(path).st_mode):
        with open(path, "wb") as file:  # keep links, devices and pipes
            file.write(data)
    else:
        _replace(os.fsdecode(path), data)


def _write_to(file, data):
    try:
        file.write(data.decode("utf-8", "surrogateescape"))
    except TypeError:  # binary mode
        written = file.write(data)
        if isinstance(file, io.RawIOBase) and written != len(data):
            raise OSError(
                f"path must take all {len(data)} bytes at once; it took {written}."
            ) from None


def _replace(path, data):
    unfinished = f"{path}.{secrets.token_hex(8)}.tmp"
    try:
        with open(unfinished, "xb") as file:
            if os.path.exists(path):
                os.chmod(unfinished, os.stat(path).st_mode & 0o777)
            file.write(data)
        os.replace(unfinished, path)
    except BaseException as error:
        with contextlib.suppress(FileNotFoundError):
            os.remove(unfinished)
        if isinstance(error, OSError) and error.filename == unfinished:
            error.filename = path
        raise


def check_target(path):
    """Refuse targets that cannot be written to."""
    if not (path is None or isinstance(path, str | PathLike) or hasattr(path, "write")):
        raise TypeError(
            "path must be None, a path or an object with write; got "
            f"{type(path).__name__}."
        )


def write(text, path):
    """Write text to a path or file object, or return it if there is none."""
    if path is None:
        return text
    write_file(text.encode("utf-8", "surrogateescape"), path)
    return None
