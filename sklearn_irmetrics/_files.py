"""Write files that are replaced only when complete."""

import contextlib
import io
import os
import secrets
import stat


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
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.remove(unfinished)
        raise
