"""Write runs and judgments to files."""

from __future__ import annotations

import os
import re

from sklearn_irmetrics._core.parameters import check_flag
from sklearn_irmetrics._tables import visible
from sklearn_irmetrics._typing import Source, Table, Target
from sklearn_irmetrics.runs._files import split_name, write_data
from sklearn_irmetrics.runs._forms import Qrels, Run
from sklearn_irmetrics.runs._ids import in_trec_order, ranks_in_queries
from sklearn_irmetrics.runs._lines import decode
from sklearn_irmetrics.runs._read import read_rows

# Suffixes of files of other formats and compressions.
_NOT_WRITTEN = {".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".arrow"}
_NOT_WRITTEN |= {".feather", ".xlsx", ".pkl", ".npy", ".yaml", ".zip", ".tar", ".tgz"}
_NOT_WRITTEN |= {".7z", ".lz4", ".z"}
_WORD = r"[^ \t\n\r\v\f]+"
# Of comments, JSON, files of some editors, and Parquet.
_STARTS = "#", "{", "[", "\ufeff", "PAR1"


def write_run(
    run: Run | Source | Table, path: Target, *, tag: str | None = None
) -> None:
    """Write a run; `read_run` reads the same scores back, to the bit.

    The format is that of TREC. ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` at the end of the
    name selects the compression. For other formats, use ``Run.to_frame()``; `read_run`
    also reads CSV and Parquet written from it.

    Queries keep the order of their first appearance. Documents of a query are written
    by decreasing score, then decreasing id, and ranked from 1.

    Parameters
    ----------
    run : Run, table, dict, tuples or path
        The run, in any form that `score_run` takes; for arrays, a tuple
        ``(qid, docno, score)``.
    path : str, path or file object
        Where to write; ``"-"`` is standard output. A file is replaced only when the new
        one is complete.
    tag : str, default=None
        Name of the run, the last field of each line; None: that of `run`, or
        ``"sklearn_irmetrics"``.

    Raises
    ------
    ValueError
        If there is no document, an id or the tag is empty, contains white space or NUL
        or cannot be written as UTF-8, a query id begins like a comment (``#``), a byte
        order mark or another format, a query has a document twice, or the file name has
        the suffix of another format or compression.
    OSError
        If it cannot be written; an existing file is then unchanged.

    Examples
    --------
    >>> import sys
    >>> from sklearn_irmetrics.runs import write_run
    >>> write_run({"q1": {"d1": 0.1, "d2": 2}}, sys.stdout, tag="mine")
    q1 Q0 d2 1 2.0 mine
    q1 Q0 d1 2 0.1 mine
    """
    _check_path(path)
    found = read_rows(run, "run", "score")
    docno, score = found.docno.text(), found.value
    if not len(score):
        raise ValueError("run must hold a scored document; got none.")
    if tag is None:
        tag = found.tag
    order = in_trec_order(found.query, score, found.docno)  # by first appearance
    qid, docno = found.qid[order].tolist(), docno[order].tolist()
    ranks = (ranks_in_queries(found.query[order]) + 1).tolist()
    rows = zip(qid, docno, ranks, score[order].tolist(), strict=True)
    lines = [f"{q} Q0 {d} {r} {s!r} {tag}\n" for q, d, r, s in rows]
    _write(lines, path, "run", {*qid}, [*docno, tag])


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
        Whether judgments are about subtopics, as for `align`; these become the second
        field of the lines.

    Raises
    ------
    ValueError
        If the judgments, an id or the name cannot be written; see `write_run`.
    TypeError
        If the judgments have no known form.
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
    _check_path(path)
    found = read_rows(qrels, "qrels", "grade", subtopics=subtopics)
    if not len(found):
        raise ValueError("qrels must hold a judgment; got none.")
    qid, docno = found.qid.tolist(), found.docno.text().tolist()
    topics = found.subtopic.tolist() if subtopics else ["0"] * len(qid)
    grades = [int(g) if g == int(g) else g for g in found.value.tolist()]
    rows = zip(qid, topics, docno, grades, strict=True)
    lines = [f"{q} {t} {d} {g!r}\n" for q, t, d, g in rows]
    _write(lines, path, "qrels", {*qid}, [*docno, *topics])


def _write(lines, path, what, queries, others):
    """Write lines of TREC, if reading them gives the same ids and tag."""
    for text in (*queries, *others):
        is_word = isinstance(text, str) and re.fullmatch(_WORD, text)
        is_word = is_word and decode(text.encode("utf-8", "surrogateescape")) == text
        if not is_word or (text in queries and text.startswith(_STARTS)):
            raise ValueError(
                f"{what} must have ids, and a tag, that can be read back from a file: "
                "not empty, without white space, and query ids must not begin like a "
                f"comment or another format; got {text!r}."
            )
    write_data("".join(lines).encode("utf-8", "surrogateescape"), path)


def _check_path(path):
    """Refuse targets that cannot be written to, and suffixes of other formats."""
    if hasattr(path, "write") or (isinstance(path, str) and path == "-"):
        return
    if not isinstance(path, str | os.PathLike):
        raise TypeError(
            f"path must be a path or an object with write; got {type(path).__name__}."
        )
    name = visible(os.path.basename(os.fsdecode(path)))
    if os.path.splitext(split_name(path)[0])[1].lower() in _NOT_WRITTEN:
        raise ValueError(
            "path must not have the suffix of another format, because lines of TREC "
            f"are written; got {name!r}. Write CSV and Parquet with to_frame() of a "
            "Run or Qrels, and JSON with the json module."
        )
