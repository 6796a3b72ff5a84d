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
        return
    is_open_file = os.path.islink(path) and os.fsdecode(path).startswith(_OPEN_FILES)
    is_device = os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode)
    if is_open_file or is_device:
        with open(path, "wb") as file:
            file.write(data)
    else:
        _replace(os.fsdecode(path), data)


# Links to what the process has open, such as a file that the shell redirects to.
_OPEN_FILES = "/dev/std", "/dev/fd/", "/proc/"


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
    """Replace a file, or the one that a symbolic link leads to, when complete."""
    target = os.path.realpath(path) if os.path.islink(path) else path
    unfinished = f"{target}.{secrets.token_hex(8)}.tmp"
    mode = None
    try:
        with contextlib.suppress(FileNotFoundError), open(path, "r+b") as file:
            mode = os.fstat(file.fileno()).st_mode & 0o777  # or it is not writable
        with open(unfinished, "xb") as file:
            if mode is not None:
                os.chmod(unfinished, mode)
            file.write(data)
        os.replace(unfinished, target)
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
