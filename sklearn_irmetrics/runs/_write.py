"""Runs and judgments become files."""

from __future__ import annotations

import os
from itertools import repeat

import numpy as np

from sklearn_irmetrics._core.parameters import check_flag
from sklearn_irmetrics._typing import Source, Table, Target
from sklearn_irmetrics.runs._compression import SIGNS
from sklearn_irmetrics.runs._files import file_name, write_data
from sklearn_irmetrics.runs._formats import tell_format
from sklearn_irmetrics.runs._forms import Qrels, Run
from sklearn_irmetrics.runs._ids import in_trec_order, ranks_in_queries
from sklearn_irmetrics.runs._layout import as_text, format_of_name, lay_out
from sklearn_irmetrics.runs._lines import decode, refuse_long_lines
from sklearn_irmetrics.runs._read import read_rows


def write_run(
    run: Run | Source | Table, path: Target, *, tag: str | None = None
) -> None:
    """Write a run; `read_run` reads the same scores back, to the bit.

    The format is that of TREC, unless the name promises another that can be read:
    ``.csv``, ``.tsv`` (with the header of BEIR), ``.json``, ``.jsonl``, ``.parquet``.
    ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` at its end says how it is compressed.

    Queries keep the order of their first appearance; inside a query documents are
    written by decreasing score, then decreasing id, and ranked from 1.

    Parameters
    ----------
    run : Run, table, dict, tuples or path
        The run, in any form that `score_run` takes; for arrays, a tuple
        ``(qid, docno, score)``.
    path : str, path or file object
        Where to write. The file appears (or is replaced) only when it is complete.
        Devices, pipes, ``"-"`` for standard
        output and objects with ``write`` are written to directly.
    tag : str, default=None
        Name of the run, last field of each line; None: the one of `run`, else
        ``"sklearn_irmetrics"``.

    Raises
    ------
    ValueError
        If there is no document, an id or the tag is empty, holds white space or NUL or
        cannot be written as UTF-8, a query id starts with ``#``, a line would be longer
        than 1 MiB, a score is not finite, a document stands twice under a query, or the
        name promises a format or compression that cannot be written. Other formats than
        TREC's take any text as an id, ``.csv`` and ``.tsv`` up to 131072 characters,
        and ``.tsv`` no tabs, ends of lines or NUL.
    OSError
        If it cannot be written; a file that was there stays as it was.

    Examples
    --------
    >>> import sys
    >>> from sklearn_irmetrics.runs import write_run
    >>> write_run({"q1": {"d1": 0.1, "d2": 2}}, sys.stdout, tag="mine")
    q1 Q0 d2 1 2.0 mine
    q1 Q0 d1 2 0.1 mine
    """
    kind = _check_path(path)
    found = read_rows(run, "run", "score")
    docno, score = found.docno.text(), found.value
    if not len(score):
        raise ValueError("run must hold a scored document; got none.")
    if tag is None:
        tag = found.tag
    if not isinstance(tag, str):
        raise TypeError(f"tag must be a string or None; got {tag!r}.")
    _check_writable("tag", [tag], _holds_fields)
    if not np.isfinite(score).all():
        first = np.flatnonzero(~np.isfinite(score))[0]
        raise ValueError(
            f"score must be finite; got {score[first]} for query "
            f"{found.qid[first]!r} and document {docno[first]!r}."
        )
    order = in_trec_order(found.query, score, found.docno)  # by first appearance
    columns = {
        "qid": found.qid[order].tolist(),
        "docno": docno[order].tolist(),
        "score": score[order].tolist(),
    }
    _check_ids(columns, kind)
    if kind != "trec":
        data = lay_out(kind, columns, "score")
        write_data(data, as_text(data), path, "run")
        return
    ranks = (ranks_in_queries(found.query[order]) + 1).tolist()
    rows = zip(*columns.values(), ranks, strict=True)
    _write_lines([f"{q} Q0 {d} {r} {s!r} {tag}\n" for q, d, s, r in rows], path, "run")


def write_qrels(
    qrels: Qrels | Source | Table, path: Target, *, subtopics: bool = False
) -> None:
    """Write judgments; `read_qrels` reads the same ones back, in the same order.

    Parameters
    ----------
    qrels : Qrels, table, dict, tuples or path
        The judgments, in any form that `score_run` takes.
    path : str, path or file object
        Where to write, as for `write_run`.
    subtopics : bool, default=False
        Whether the judgments are about subtopics, as for `align`, which become the
        second field of the lines.

    Raises
    ------
    ValueError
        If the judgments, an id or the name cannot be written; see `write_run`.
    TypeError
        If the judgments have no form that is known.
    OSError
        If it cannot be written; a file that was there stays as it was.

    Examples
    --------
    >>> import sys
    >>> from sklearn_irmetrics.runs import write_qrels
    >>> write_qrels({"q1": {"d1": 2, "d2": 0.5}, "q2": {"d7": 1}}, sys.stdout)
    q1 0 d1 2
    q1 0 d2 0.5
    q2 0 d7 1
    """
    check_flag("subtopics", subtopics)
    kind = _check_path(path)
    found = read_rows(qrels, "qrels", "grade", subtopics=subtopics)
    if not len(found):
        raise ValueError("qrels must hold a judgment; got none.")
    columns = {"qid": found.qid.tolist()}
    if subtopics:
        columns["subtopic"] = found.subtopic.tolist()
    columns["docno"] = found.docno.text().tolist()
    grades = found.value.tolist()
    columns["grade"] = [int(g) if g == int(g) else g for g in grades]
    _check_ids(columns, kind)
    if kind != "trec":
        if kind == "parquet":
            columns["grade"] = grades
        data = lay_out(kind, columns, "grade")
        write_data(data, as_text(data), path, "qrels")
        return
    topics = columns.get("subtopic", repeat("0"))
    rows = zip(columns["qid"], topics, columns["docno"], columns["grade"], strict=False)
    _write_lines([f"{q} {t} {d} {g!r}\n" for q, t, d, g in rows], path, "qrels")


def _check_path(path):
    """Return the format that the name of the file promises, if it can be written."""
    if hasattr(path, "write") or (isinstance(path, str) and path == "-"):
        return "trec"
    if not isinstance(path, str | os.PathLike):
        raise TypeError(
            f"path must be a path or an object with write; got {type(path).__name__}."
        )
    file_name(path, "path")
    return format_of_name(path)


def _write_lines(lines, path, what):
    # Signs of an encoding are no part of an id at the start of a line, or of a file: a
    # space before them makes them one.
    text = "".join(lines).replace("\n\ufeff", "\n \ufeff")
    signs = "\ufeff", *map(decode, SIGNS.values())
    text = " " + text if text.startswith(signs) else text
    data = text.encode("utf-8", "surrogateescape")
    refuse_long_lines(data, 1, what)
    value = "score" if what == "run" else "grade"
    if tell_format(data[: 2**16], value) != ("trec", {}):
        raise ValueError(
            f"a query id must not begin like a file of another format; got the line "
            f"{lines[0]!r}."
        )
    write_data(data, text, path, what)


def _check_ids(columns, kind):
    """Refuse ids that reading would not give back as they are."""
    names = {"qid": "query id", "subtopic": "subtopic", "docno": "document id"}
    for name, what in names.items():
        if name in columns:
            in_lines = _holds_fields if kind == "trec" else None
            _check_writable(what, columns[name], in_lines)


def _check_writable(what, ids, holds_fields):
    """Refuse ids, or a tag, that reading would not give back as they are.

    `holds_fields` says whether a text is so many fields, where these must hold no
    blanks.
    """
    is_query = what == "query id" and holds_fields is not None
    holds_fields = holds_fields or (lambda text, n_lines: True)
    joined = "\n".join(ids)
    if (
        holds_fields(joined, len(ids))
        and _comes_back(joined)
        and not (is_query and any(i.startswith("#") for i in set(ids)))
    ):
        return
    for text in ids:
        if not holds_fields(text, 1) or (is_query and text.startswith("#")):
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
