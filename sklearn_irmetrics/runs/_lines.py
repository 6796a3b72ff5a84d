"""Cut bytes into chunks of whole lines of bounded length, and read text and numbers."""

import numpy as np

from sklearn_irmetrics.runs._forms import is_refused

_CHUNK = 2**20  # bytes: the data of one chunk stay in the cache
_LONGEST = 2**20  # bytes of a line, far more than six fields need, to bound memory
_MARK = "\ufeff".encode()  # some editors put this before the first line of a file


def chunks_of_lines(stream, name):
    """Yield pieces of whole lines, each with the number of its first line."""
    first, rest, after_return = 1, b"", False
    while piece := stream.read(_CHUNK):
        chunk = rest + (piece.removeprefix(b"\n") if after_return else piece)
        after_return = piece.endswith(b"\r")
        if b"\r" in chunk:
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        end = chunk.rfind(b"\n") + 1
        chunk, rest = chunk[:end], chunk[end:]
        if chunk:
            yield first, _without_marks(chunk)
            first += count_lines(chunk)
        if len(rest) > _LONGEST:
            raise ValueError(
                f"{name}, line {first}: expected at most {_LONGEST} bytes in a line; "
                f"got more: {quote(rest[:81])}."
            )
    if rest:
        yield first, _without_marks(rest) + b"\n"


def count_lines(data):
    """Return the number of line ends; `bytes.count` is slow for many."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == ord("\n")))


def decode(data):
    """Return bytes as text; ids in another encoding are kept byte by byte."""
    return data.decode("utf-8", "surrogateescape")


def quote(data, length=80):
    """Return the beginning of some bytes for messages."""
    text = decode(data)
    return repr(text if len(text) <= length else text[: length - 3] + "...")


def read_numbers(tokens, value, name, line_of, what=None):
    """Return fields as numbers; errors name the line of a field that is not a number.

    Parameters
    ----------
    tokens : list of bytes
        The fields.
    value : {"grade", "score"}
        The kind of numbers, and their name unless `what` is given.
    name, line_of : str, callable
        The file, and a function from fields to line numbers.
    """
    numbers = np.array(list(map(_number_of, tokens)))
    refused = is_refused(value, numbers)
    if refused.any():
        row = int(refused.argmax())
        rule = "a number" if value == "score" else "a finite number"
        raise ValueError(
            f"{name}, line {line_of(row)}: the {what or value} must be {rule}; got "
            f"{quote(tokens[row])}."
        )
    return numbers


def _number_of(token):
    try:
        # Python accepts 1_000 as a number.
        return np.nan if b"_" in token else float(token)
    except ValueError:
        return np.nan


def _without_marks(lines):
    """Remove byte order marks: joined files have them within."""
    if _MARK[:1] not in lines:  # one byte is found at once
        return lines
    return lines.removeprefix(_MARK).replace(b"\n" + _MARK, b"\n")
