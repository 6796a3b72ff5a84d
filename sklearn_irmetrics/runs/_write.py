"""Runs become files in TREC format."""

from __future__ import annotations

import os

import numpy as np

from sklearn_irmetrics._typing import Source, Table, Target
from sklearn_irmetrics.runs._compression import SIGNS
from sklearn_irmetrics.runs._files import file_name, write_data
from sklearn_irmetrics.runs._forms import Run
from sklearn_irmetrics.runs._ids import in_trec_order, ranks_in_queries
from sklearn_irmetrics.runs._lines import decode, refuse_long_lines
from sklearn_irmetrics.runs._read import read_columns


def write_run(
    run: Run | Source | Table, path: Target, *, tag: str | None = None
) -> None:
    """Write a run in TREC format; `read_run` reads the same scores back, to the bit.

    Queries keep the order of their first appearance; inside a query documents are
    written by decreasing score, then decreasing id, and ranked from 1.

    Parameters
    ----------
    run : Run, DataFrame, dict or tuple
        The run, in any form that `align` takes; for arrays, a tuple
        ``(qid, docno, score)``.
    path : str, path or file object
        Where to write; compressed if the name ends in ``.gz``. The file appears (or
        is replaced) only when it is complete. Devices, pipes, ``"-"`` for standard
        output and objects with ``write`` are written to directly.
    tag : str, default=None
        Name of the run, last field of each line; None: the one of `run`, else
        ``"sklearn_irmetrics"``.

    Raises
    ------
    ValueError
        If an id or the tag is empty, holds white space or cannot be written as UTF-8,
        a query id starts with ``#``, a line would be longer than 1 MiB, a score is not
        finite, or a document stands twice under a query.
    OSError
        If it cannot be written; a file that was there stays as it was.

    Examples
    --------
    >>> import sys
    >>> from sklearn_irmetrics.trec import write_run
    >>> write_run({"q1": {"d1": 0.1, "d2": 2}}, sys.stdout, tag="mine")
    q1 Q0 d2 1 2.0 mine
    q1 Q0 d1 2 0.1 mine
    """
    found = read_columns(run, "run", "score")
    qid, docno, score = found.qid, found.docno.text(), found.value
    if tag is None:
        tag = found.tag
    if not isinstance(tag, str):
        raise TypeError(f"tag must be a string or None; got {tag!r}.")
    if not (isinstance(path, str | os.PathLike) or hasattr(path, "write")):
        raise TypeError(
            f"path must be a path or an object with write; got {type(path).__name__}."
        )
    if not hasattr(path, "write"):
        file_name(path, "path")
    for what, ids in ("query id", qid), ("document id", docno), ("tag", [tag]):
        _check_writable(what, ids)
    if not np.isfinite(score).all():
        first = np.flatnonzero(~np.isfinite(score))[0]
        raise ValueError(
            f"score must be finite; got {score[first]} for query {qid[first]!r} and "
            f"document {docno[first]!r}."
        )
    order = in_trec_order(found.query, score, found.docno)  # by first appearance
    rank = (ranks_in_queries(found.query[order]) + 1).tolist()
    rows = zip(qid[order], docno[order], rank, score[order].tolist(), strict=True)
    text = "".join([f"{q} Q0 {d} {r} {s!r} {tag}\n" for q, d, r, s in rows])
    # Signs of an encoding at the start of a file are no part of an id: a space before
    # them makes them one.
    signs = "\ufeff", *map(decode, SIGNS.values())
    text = " " + text if text.startswith(signs) else text
    data = text.encode("utf-8", "surrogateescape")
    refuse_long_lines(data, 1, "run")
    write_data(data, text, path, "run")


def _check_writable(what, ids):
    """Refuse ids, or a tag, that reading would not give back as they are."""
    is_query = what == "query id"
    joined = "\n".join(ids)
    if (
        _holds_fields(joined, len(ids))
        and _comes_back(joined)
        and not (is_query and any(i.startswith("#") for i in set(ids)))
    ):
        return
    for text in ids:
        if not _holds_fields(text, 1) or (is_query and text.startswith("#")):
            more = " and not start with '#'" if is_query else ""
            raise ValueError(
                f"a {what} must not be empty, hold white space or NUL{more}; got "
                f"{text!r}."
            )
        if not _comes_back(text):
            raise ValueError(
                f"a {what} must hold surrogates only for bytes that are not UTF-8, as "
                f"reading gives them; got {text!r}."
            )


def _holds_fields(text, n_lines):
    """Whether text is so many lines of one field each."""
    data = text.encode("utf-8", "surrogatepass")
    lines = data.split(b"\n")
    return len(lines) == n_lines and data.split() == lines and b"\0" not in data


def _comes_back(text):
    """Whether writing and reading give the same text again."""
    try:
        return decode(text.encode("utf-8", "surrogateescape")) == text
    except UnicodeEncodeError:  # a lone surrogate that stands for no byte
        return False
