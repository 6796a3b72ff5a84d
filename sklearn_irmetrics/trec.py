"""Read, align and write the files of TREC: qrels (judgments) and runs (rankings).

``read_qrels`` and ``read_run`` read the files, ``align`` joins them into the arrays
that every metric takes, ``write_run`` writes a run. The rules are those of
trec_eval: ids are text, queries come in the byte order of their ids, documents by
decreasing score and, where scores are equal, by decreasing id. So the result of
``align`` with ``ties="stable"`` gives trec_eval's numbers.
"""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import os
import secrets
import stat
import sys
import zlib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain, count, repeat
from numbers import Integral
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import DTypeLike

from sklearn_irmetrics._core.numbers import as_floats, refuse_mask
from sklearn_irmetrics._tables import import_pandas, visible
from sklearn_irmetrics._typing import Source, Table, Target

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = [
    "AlignedRun",
    "Qrels",
    "Run",
    "align",
    "read_qrels",
    "read_run",
    "write_run",
]

_QRELS_FIELDS = ("query", "iteration", "document", "grade")
_RUN_FIELDS = ("query", "iteration", "document", "rank", "score", "tag")
_COLUMNS = {
    "qid": ("qid", "query_id", "q_id"),
    "docno": ("docno", "doc_id", "docid"),
    "grade": ("grade", "relevance", "rel", "label"),
    "score": ("score",),
}
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_CHUNK = 2**22  # bytes: tokens of one chunk stay in the cache, memory stays small
_LONGEST = 2**20  # bytes of a line, far above any six fields: bounds the memory
_MARK = "\ufeff".encode()  # what some editors put before the first line
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, eq=False, repr=False)
class Qrels:
    """Judgments, one element per judged document, in the order of the file.

    Attributes
    ----------
    qid, docno : ndarray of shape (n_judgments,), dtype object
        Ids of query and document, as strings.
    grade : ndarray of shape (n_judgments,), dtype float64
        The grade; negative for a document that was in the pool but not judged.
    """

    qid: np.ndarray
    docno: np.ndarray
    grade: np.ndarray

    def __len__(self):
        return len(self.qid)

    def __repr__(self):
        return f"<Qrels: {len(set(self.qid))} queries, {len(self)} judgments>"

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with the columns qid, docno and grade."""
        columns = {"qid": self.qid, "docno": self.docno, "grade": self.grade}
        return import_pandas().DataFrame(columns)


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A run, one element per retrieved document, in the order of the file.

    Attributes
    ----------
    qid, docno : ndarray of shape (n_retrieved,), dtype object
        Ids of query and document, as strings.
    score : ndarray of shape (n_retrieved,), dtype float64
        The score; larger is ranked first.
    tag : str
        Name of the run (that of the last line, as in trec_eval).
    """

    qid: np.ndarray
    docno: np.ndarray
    score: np.ndarray
    tag: str = "sklearn_irmetrics"

    def __len__(self):
        return len(self.qid)

    def __repr__(self):
        n_queries = len(set(self.qid))
        return f"<Run {self.tag!r}: {n_queries} queries, {len(self)} documents>"

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with the columns qid, docno and score."""
        columns = {"qid": self.qid, "docno": self.docno, "score": self.score}
        return import_pandas().DataFrame(columns)


@dataclass(frozen=True, eq=False, repr=False)
class AlignedRun:
    """Judgments and a run, joined: what every metric takes.

    Rows are sorted by query id, then score, then document id (see `align`).

    Attributes
    ----------
    y_true : ndarray of shape (n_rows,), dtype float64
        Grade; NaN for a document without a judgment.
    y_score : ndarray of shape (n_rows,), dtype float32 (or the `dtype` asked for)
        Score; -inf for a judged document that was not retrieved.
    qid, docno : ndarray of shape (n_rows,), dtype object
        Ids of query and document, as strings.
    pooled : ndarray of shape (n_rows,), dtype bool
        True for a document that was in the pool but not judged (negative grade).
    missing : tuple of str
        Queries of the qrels that the run lacks, whether kept or left out.
    ignored : tuple of str
        Queries of the run that the qrels lack; they are left out.
    """

    y_true: np.ndarray
    y_score: np.ndarray
    qid: np.ndarray
    docno: np.ndarray
    pooled: np.ndarray
    missing: tuple = ()
    ignored: tuple = ()

    def __len__(self):
        return len(self.qid)

    def __repr__(self):
        n_retrieved = int(np.sum(self.y_score > -np.inf))
        n_judged = len(self) - int(np.isnan(self.y_true).sum())
        return (
            f"<AlignedRun: {len(set(self.qid))} queries, {n_retrieved} retrieved, "
            f"{n_judged} judged, {len(self.missing)} queries missing, "
            f"{len(self.ignored)} ignored>"
        )

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame: qid, docno, y_true, y_score and pooled."""
        columns = {
            "qid": self.qid,
            "docno": self.docno,
            "y_true": self.y_true,
            "y_score": self.y_score,
            "pooled": self.pooled,
        }
        return import_pandas().DataFrame(columns)


def read_qrels(source: Source) -> Qrels:
    r"""Read judgments: lines of query, iteration, document and grade.

    Fields are separated by white space. Empty lines and lines that start with ``#``
    are passed over (a ``#`` further on belongs to an id); the iteration is ignored.
    Grades may have a fraction, which trec_eval would cut off.
    A line may have 1 MiB.

    Parameters
    ----------
    source : str, path or file object
        A file, plain or gzip (recognised by content), ``"-"`` for standard input, or
        an object with ``read``, in text or binary mode.

    Returns
    -------
    qrels : Qrels
        Frozen, with `qid`, `docno` and `grade`; ``to_frame()`` gives a DataFrame.

    Raises
    ------
    ValueError
        If a line does not have exactly four fields or is too long, a grade is not a
        finite number, a document is judged twice for a query, or there is no judgment
        at all. The message gives file and line.

    Examples
    --------
    >>> import io
    >>> from sklearn_irmetrics.trec import read_qrels
    >>> qrels = read_qrels(io.StringIO("301 0 CR93E-1282 1\n301 0 FT911-3 0\n"))
    >>> qrels
    <Qrels: 1 queries, 2 judgments>
    >>> qrels.grade
    array([1., 0.])
    """
    qid, docno, grade, _ = _read(source, _QRELS_FIELDS, exact=True)
    return Qrels(qid, docno, grade)


def read_run(source: Source) -> Run:
    r"""Read a run: lines of query, iteration, document, rank, score and tag.

    Fields are separated by white space; what follows the tag is ignored, and so are
    the iteration and the rank: as in trec_eval only scores order documents. Empty
    lines and lines that start with ``#`` are passed over (a ``#`` further on belongs
    to an id). Scores may be infinite: what a run lists is retrieved. A line may have
    1 MiB.

    Parameters
    ----------
    source : str, path or file object
        A file, plain or gzip (recognised by content), ``"-"`` for standard input, or
        an object with ``read``, in text or binary mode.

    Returns
    -------
    run : Run
        Frozen, with `qid`, `docno`, `score` and `tag`; ``to_frame()`` gives a
        DataFrame.

    Raises
    ------
    ValueError
        If a line has fewer than six fields or is too long, a score is not a number or
        is NaN, a document is listed twice for a query, or there is no document at all.
        The message gives file and line.

    Examples
    --------
    >>> import io
    >>> from sklearn_irmetrics.trec import read_run
    >>> run = read_run(io.StringIO("301 Q0 FT911-3 1 2.5 bm25\n"))
    >>> run
    <Run 'bm25': 1 queries, 1 documents>
    >>> run.score
    array([2.5])
    """
    return Run(*_read(source, _RUN_FIELDS, exact=False))


def align(
    qrels: Qrels | Source | Table,
    run: Run | Source | Table,
    *,
    missing: Literal["zero", "skip", "raise"] = "zero",
    max_docs: int | None = None,
    dtype: DTypeLike = np.float32,
) -> AlignedRun:
    """Join judgments and a run into the arrays that every metric takes.

    Documents are matched by query and document id, compared as text.

    - Judged, not retrieved: ``y_score`` is -inf (counts among the relevant ones).
    - Retrieved, no judgment: ``y_true`` is NaN.
    - Negative grade (in the pool, not judged): NaN, and ``pooled`` is True.
    - Queries of the run without judgments are left out, as in trec_eval.

    Rows are sorted by query id, both by byte order (the order in which trec_eval
    prints), then decreasing score, then decreasing document id. Scores are rounded to
    float32, because trec_eval 9 compares them so; version 10 compares doubles, for
    which there is `dtype`. Together with ``ties="stable"`` that is trec_eval's ranking;
    the other settings of ``ties`` see the same ties.

    Parameters
    ----------
    qrels : Qrels, str, path, file object, DataFrame, dict or tuple
        The judgments: what `read_qrels` returns or takes; a DataFrame with columns
        qid (or query_id, q_id), docno (doc_id, docid) and grade (relevance, rel,
        label); a dict of dicts ``{qid: {docno: grade}}`` as pytrec_eval and ranx have
        it; or a tuple of three arrays (qid, docno, grade). Ids are strings or
        integers.
    run : Run, str, path, file object, DataFrame, dict or tuple
        The run, in any of the same forms, with score in the place of grade.
    missing : {"zero", "skip", "raise"}, default="zero"
        What to do with queries of the qrels for which the run has no document:
        keep them with nothing retrieved (trec_eval ``-c``), leave them out (what
        trec_eval did by default up to version 9), or raise. Attribute `missing` of
        the result names them.
    max_docs : int, default=None
        Use only so many documents per query, in the order above (trec_eval ``-M``).
        Of the others, those in the qrels count as not retrieved, the rest vanish.
    dtype : {numpy.float32, numpy.float64}, default=numpy.float32
        Precision in which scores are compared and returned. float64 keeps apart what
        trec_eval takes for ties.

    Returns
    -------
    aligned : AlignedRun
        Frozen, with `y_true`, `y_score`, `qid`, `docno`, `pooled`, `missing` and
        `ignored`.

    Raises
    ------
    ValueError
        If a document stands twice under a query, a score is NaN, a grade is not
        finite, no query of the run is in the qrels (unless the run is empty), or
        ``missing="raise"`` and the run lacks a query.
    TypeError
        If qrels or run have none of these forms, or an id is neither text nor integer.

    Examples
    --------
    >>> from sklearn_irmetrics.trec import align
    >>> qrels = {"q1": {"d1": 1, "d2": 0, "d3": 2}}
    >>> run = {"q1": {"d2": 0.5, "d3": 0.9, "d4": 0.7}}
    >>> aligned = align(qrels, run)
    >>> aligned.docno.tolist()
    ['d3', 'd4', 'd2', 'd1']
    >>> aligned.y_true
    array([ 2., nan,  0.,  1.])
    >>> aligned.y_score
    array([ 0.9,  0.7,  0.5, -inf], dtype=float32)
    """
    if not isinstance(missing, str) or missing not in ("zero", "skip", "raise"):
        raise ValueError(f"missing must be 'zero', 'skip' or 'raise', got {missing!r}.")
    if max_docs is not None and (
        not isinstance(max_docs, Integral) or isinstance(max_docs, bool) or max_docs < 1
    ):
        raise ValueError(f"max_docs must be None or an integer >= 1, got {max_docs!r}.")
    try:
        dtype = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"dtype must be float32 or float64, got {dtype!r}.") from None
    if dtype not in (np.float32, np.float64):
        raise ValueError(f"dtype must be float32 or float64, got {dtype}.")
    qrels_qid, qrels_docno, qrels_grade = _table(qrels, "qrels", "grade")
    run_qid, run_docno, run_score = _table(run, "run", "score")

    judged_queries, run_queries = set(qrels_qid), set(run_qid)
    absent = _in_byte_order(judged_queries - run_queries)
    ignored = _in_byte_order(run_queries - judged_queries)
    if run_queries and len(absent) == len(judged_queries):
        raise ValueError(
            "qrels and run must have a query in common, got "
            f"{_some(absent)} in qrels and {_some(ignored)} in run."
        )
    if absent and missing == "raise":
        raise ValueError(
            f"run lacks {len(absent)} of {len(judged_queries)} queries of qrels: "
            f"{_some(absent)}. Use missing='zero' to keep them with nothing retrieved "
            "or missing='skip' to leave them out."
        )

    names = np.array(_in_byte_order(judged_queries) + ignored, dtype=object)
    code = dict(zip(names, count()))
    qrels_query = _look_up(code, qrels_qid)
    run_query = _look_up(code, run_qid)
    _refuse_duplicates(qrels_qid, qrels_docno, "qrels")
    _refuse_duplicates(run_qid, run_docno, "run")

    # An infinite score is retrieved all the same: -inf is kept for what is not.
    with np.errstate(over="ignore"):
        run_score = np.maximum(run_score.astype(dtype), np.finfo(dtype).min)
    listed = np.flatnonzero(run_query < len(judged_queries))
    if max_docs is not None:
        order = listed[
            _trec_order(run_query[listed], run_score[listed], run_docno[listed])
        ]
        listed = order[_rank(run_query[order]) < max_docs]

    pairs = zip(qrels_qid, qrels_docno, strict=True)
    row_of = dict(zip(pairs, count()))
    pairs = zip(run_qid[listed], run_docno[listed], strict=True)
    judgment = np.fromiter(map(row_of.get, pairs, repeat(-1)), dtype=np.int64)
    grade = np.append(qrels_grade, np.nan)[judgment]
    left = np.ones(len(qrels_qid), dtype=bool)
    left[judgment[judgment >= 0]] = False
    if missing == "skip":
        left &= ~np.isin(qrels_query, _look_up(code, absent))

    query = np.concatenate([run_query[listed], qrels_query[left]])
    docno = np.concatenate([run_docno[listed], qrels_docno[left]])
    y_true = np.concatenate([grade, qrels_grade[left]])
    y_score = np.concatenate(
        [run_score[listed], np.full(left.sum(), -np.inf, dtype=dtype)]
    )
    order = _trec_order(query, y_score, docno)
    y_true = y_true[order]
    pooled = y_true < 0
    y_true[pooled] = np.nan
    return AlignedRun(
        y_true=y_true,
        y_score=y_score[order],
        qid=names[query[order]],
        docno=docno[order],
        pooled=pooled,
        missing=tuple(absent),
        ignored=tuple(ignored),
    )


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
    qid, docno, score = _table(run, "run", "score")
    if tag is None:
        tag = run.tag if isinstance(run, Run) else Run.tag
    if not isinstance(tag, str):
        raise TypeError(f"tag must be a string or None, got {tag!r}.")
    if not (isinstance(path, str | os.PathLike) or hasattr(path, "write")):
        raise TypeError(
            f"path must be a path or an object with write, got {type(path).__name__}."
        )
    if not hasattr(path, "write"):
        _file_name(path, "path")
    for what, ids in ("query id", qid), ("document id", docno), ("tag", [tag]):
        _check_writable(what, ids)
    if not np.isfinite(score).all():
        first = np.flatnonzero(~np.isfinite(score))[0]
        raise ValueError(
            f"score must be finite, got {score[first]} for query {qid[first]!r} and "
            f"document {docno[first]!r}."
        )
    _refuse_duplicates(qid, docno, "run")

    query = _codes(qid)
    order = _trec_order(query, score, docno)
    rank = (_rank(query[order]) + 1).tolist()
    rows = zip(qid[order], docno[order], rank, score[order].tolist(), strict=True)
    text = "".join([f"{q} Q0 {d} {r} {s!r} {tag}\n" for q, d, r, s in rows])
    # Signs of an encoding at the start of a file are no part of an id: a space before
    # them makes them one.
    _write(" " + text if text.startswith(("\ufeff", _decode(_GZIP))) else text, path)


# Reading -----------------------------------------------------------------------------


def _read(source, fields, *, exact):
    """Return query ids, document ids, numbers and the last field of the last line."""
    name = _name(source)
    names = {}
    qids, docnos, numbers, line_numbers = [], [], [], []
    tag = b""
    try:
        with _open(source, name) as stream:
            for first, chunk in _chunks(stream, name):
                lines, columns = _split(chunk, first, fields, exact, name)
                if not len(lines):
                    continue
                for new in set(columns[0]).difference(names):
                    names[new] = _decode(new)
                # Rows of a query share one string: little memory, fast comparison.
                qids.extend(map(names.__getitem__, columns[0]))
                docnos.extend(_decode(b"\n".join(columns[2])).split("\n"))
                place = 3 if exact else 4
                numbers.append(_numbers(columns[place], lines, fields[place], name))
                line_numbers.append(lines)
                tag = columns[-1][-1]
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{name}: the gzip data cannot be read: {error}") from error
    if not qids:
        raise ValueError(f"{name}: expected lines of {_describe(fields)}, got none.")
    qid, docno = np.array(qids, dtype=object), np.array(docnos, dtype=object)
    _refuse_duplicates(qid, docno, name, np.concatenate(line_numbers))
    return qid, docno, np.concatenate(numbers), _decode(tag)


def _file_name(path, parameter):
    name = os.fspath(path)
    try:
        os.fsencode(name)
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{parameter} must be a name that the system can encode, got {name!r}."
        ) from error
    return visible(os.fsdecode(name))


def _name(source):
    if isinstance(source, str | os.PathLike):
        return "<stdin>" if source == "-" else _file_name(source, "source")
    if hasattr(source, "read"):
        return visible(str(getattr(source, "name", "<file object>")))
    raise TypeError(
        "source must be a path, '-' or an object with read, got "
        f"{type(source).__name__}."
    )


@contextlib.contextmanager
def _open(source, name):
    if isinstance(source, str) and source == "-":
        source = _standard(sys.stdin, name)
    with contextlib.ExitStack() as opened:
        if not hasattr(source, "read"):
            source = opened.enter_context(io.FileIO(source))
        binary = _Bytes(source, name)
        stream = opened.enter_context(io.BufferedReader(binary))
        if binary.start == _GZIP:
            stream = opened.enter_context(gzip.GzipFile(fileobj=stream))
        yield stream


def _standard(stream, name):
    """Return standard input or output for bytes, where it has a form for them."""
    if stream is None:  # closed before the process began
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), name)
    return getattr(stream, "buffer", stream)


class _Bytes(io.RawIOBase):
    """The bytes of what has `read`, in pieces; `start` holds the first two."""

    def __init__(self, source, name):
        self._read, self._name, self._left = source.read, name, b""
        self.start = b""
        # A pipe may give one byte at a time.
        while len(self.start) < 2 and (piece := self._next(2)):
            self.start += piece
        self._left, self.start = self.start, self.start[:2]

    def readable(self):
        return True

    def readinto(self, buffer):
        data = self._left or self._next(len(buffer))
        size = min(len(buffer), len(data))
        buffer[:size] = data[:size]
        self._left = data[size:]
        return size

    def _next(self, size):
        data = self._read(size)
        if isinstance(data, str):
            try:
                data = data.encode("utf-8", "surrogateescape")
            except UnicodeEncodeError as error:
                raise ValueError(
                    f"{self._name}: expected text without lone surrogates, got "
                    f"{data[error.start]!r}."
                ) from error
        if data is None:
            reason = "it has no data yet and does not wait for them"
            raise BlockingIOError(errno.EAGAIN, reason, self._name)
        if not isinstance(data, bytes | bytearray | memoryview):
            raise TypeError(
                f"source.read() must return bytes or str; got {type(data).__name__}."
            )
        return data


def _chunks(stream, name):
    """Yield pieces of whole lines, each with the number of its first line."""
    first, rest, after_return = 1, b"", False
    while piece := stream.read(_CHUNK):
        chunk = rest + (piece.removeprefix(b"\n") if after_return else piece)
        after_return = piece.endswith(b"\r")
        if b"\r" in chunk:
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if b"\0" in chunk:
            line = first + chunk.count(b"\n", 0, chunk.index(b"\0"))
            raise ValueError(
                f"{name}, line {line}: expected plain text, got a NUL character."
            )
        _refuse_long_lines(chunk, first, name)
        end = chunk.rfind(b"\n") + 1
        chunk, rest = chunk[:end], chunk[end:]
        if chunk:
            yield first, chunk.removeprefix(_MARK) if first == 1 else chunk
            first += chunk.count(b"\n")
    if rest:
        yield first, (rest.removeprefix(_MARK) if first == 1 else rest) + b"\n"


def _refuse_long_lines(chunk, first, name):
    start = 0
    while len(chunk) - start > _LONGEST:
        end = chunk.rfind(b"\n", start, start + _LONGEST + 1)
        if end < 0:
            line = first + chunk.count(b"\n", 0, start)
            raise ValueError(
                f"{name}, line {line}: expected at most {_LONGEST} bytes in a line, "
                f"got more: {_shorten(_decode(chunk[start : start + 81]))!r}."
            )
        start = end + 1  # the lines before it all lie within the window


def _split(chunk, first, fields, exact, name):
    """Return line numbers and columns of the lines that hold data."""
    width, n_lines = len(fields), chunk.count(b"\n")
    # With a mark at the end of each line, one split shows where all lines end.
    tokens = chunk.replace(b"\n", b" \0 ").split()
    if (
        len(tokens) == n_lines * (width + 1)
        and tokens[width :: width + 1] == [b"\0"] * n_lines
        and not any(qid.startswith(b"#") for qid in set(tokens[:: width + 1]))
    ):
        lines = np.arange(first, first + n_lines)
        return lines, [tokens[i :: width + 1] for i in range(width)]

    is_end = np.fromiter(map(b"\0".__eq__, tokens), dtype=bool, count=len(tokens))
    end = np.flatnonzero(is_end)
    start = np.append(0, end[:-1] + 1)
    n_fields = end - start
    first_tokens = map(tokens.__getitem__, start.tolist())
    comment = np.fromiter(map(bytes.startswith, first_tokens, repeat(b"#")), dtype=bool)
    held = np.flatnonzero((n_fields > 0) & ~comment)
    wrong = n_fields[held] != width if exact else n_fields[held] < width
    if wrong.any():
        row = held[wrong][0]
        line = _decode(chunk.split(b"\n")[row])
        raise ValueError(
            f"{name}, line {first + row}: expected {_describe(fields)}, got "
            f"{n_fields[row]} fields: {_shorten(line)!r}."
        )
    places = [(start[held] + i).tolist() for i in range(width)]
    return first + held, [list(map(tokens.__getitem__, place)) for place in places]


def _numbers(tokens, lines, field, name):
    """Convert a column; infinite scores may stand, infinite grades may not."""
    refused = np.isnan if field == "score" else _not_finite
    try:
        values = np.array(list(map(float, tokens)))
    except ValueError:
        values = np.array([np.nan])
    # Python takes 1_000 for a number.
    if refused(values).any() or b"_" in b" ".join(tokens):
        row = next(i for i, token in enumerate(tokens) if refused(_number(token)))
        rule = "a number" if field == "score" else "a finite number"
        raise ValueError(
            f"{name}, line {lines[row]}: the {field} must be {rule}, got "
            f"{_shorten(_decode(tokens[row]))!r}."
        )
    return values


def _number(token):
    try:
        return np.nan if b"_" in token else float(token)
    except ValueError:
        return np.nan


def _not_finite(values):
    return ~np.isfinite(values)


def _decode(text):
    # Ids in another encoding are kept byte by byte.
    return text.decode("utf-8", "surrogateescape")


def _describe(fields):
    at_least = "" if fields == _QRELS_FIELDS else "at least "
    return f"{at_least}{len(fields)} fields ({', '.join(fields)})"


def _shorten(text, length=80):
    return text if len(text) <= length else text[: length - 3] + "..."


# Tables ------------------------------------------------------------------------------


def _table(data, name, value):
    """Return query ids, document ids (object arrays of str) and float64 values."""
    if isinstance(data, str | os.PathLike) or hasattr(data, "read"):
        data = read_qrels(data) if value == "grade" else read_run(data)
    if isinstance(data, Qrels if value == "grade" else Run):
        columns = data.qid, data.docno, getattr(data, value)
    elif isinstance(data, Mapping):
        columns = _unnest(data, name, value)
    elif isinstance(data, tuple) and len(data) == 3:
        columns = data
    elif hasattr(data, "columns"):
        columns = [_column(data, name, wanted) for wanted in ("qid", "docno", value)]
    else:
        raise TypeError(
            f"{name} must be a {'Qrels' if value == 'grade' else 'Run'}, a path, a "
            f"DataFrame, a dict of dicts or a tuple (qid, docno, {value}), got "
            f"{type(data).__name__}."
        )
    qid = _ids(columns[0], name, "query")
    docno = _ids(columns[1], name, "document")
    values = as_floats(f"{value} of {name}", columns[2])
    if not len(qid) == len(docno) == values.size or values.ndim != 1:
        raise ValueError(
            f"qid, docno and {value} of {name} must be 1-D and of one length, got "
            f"{len(qid)}, {len(docno)} and shape {values.shape}."
        )
    bad = np.isnan(values) if value == "score" else _not_finite(values)
    if bad.any():
        first = np.flatnonzero(bad)[0]
        rule = "not be NaN" if value == "score" else "be finite"
        raise ValueError(
            f"{value} of {name} must {rule}, got {values[first]} for query "
            f"{qid[first]!r} and document {docno[first]!r}."
        )
    return qid, docno, values


def _unnest(data, name, value):
    for qid, documents in data.items():
        if not isinstance(documents, Mapping):
            raise TypeError(
                f"{name} must be a dict of dicts {{qid: {{docno: {value}}}}}, got "
                f"{type(documents).__name__} for query {qid!r}."
            )
    qid = chain.from_iterable(map(repeat, data, map(len, data.values())))
    docno = chain.from_iterable(data.values())
    values = chain.from_iterable(documents.values() for documents in data.values())
    return list(qid), list(docno), list(values)


def _column(frame, name, wanted):
    for column in _COLUMNS[wanted]:
        if column in frame.columns:
            return frame[column]
    raise ValueError(
        f"{name} must have a column {' or '.join(map(repr, _COLUMNS[wanted]))}, got "
        f"the columns {list(frame.columns)}."
    )


def _ids(column, name, what):
    refuse_mask(f"{what} ids of {name}", column)
    ids = column if isinstance(column, list) else np.asarray(column).tolist()
    kinds = set(map(type, ids))
    for kind in kinds:
        if not issubclass(kind, str | Integral) or issubclass(kind, bool):
            example = next(i for i in ids if type(i) is kind)
            raise TypeError(
                f"{what} ids of {name} must be strings or integers, got {example!r}."
            )
    if kinds - {str}:
        ids = list(map(str, ids))
    return np.array(ids, dtype=object)


def _codes(ids):
    """Number ids from 0 in order of first appearance."""
    code = defaultdict(count().__next__)
    return np.fromiter(map(code.__getitem__, ids), dtype=np.int64)


def _look_up(code, ids):
    return np.fromiter(map(code.__getitem__, ids), dtype=np.int64, count=len(ids))


def _refuse_duplicates(qid, docno, name, lines=None):
    """Raise if a (query, document) pair appears twice."""
    # Equal pairs have equal hashes: a sort finds out whether a search is needed.
    hashes = np.fromiter(
        map(hash, zip(qid, docno, strict=True)), dtype=np.int64, count=len(qid)
    )
    hashes.sort()
    if not (hashes[1:] == hashes[:-1]).any():
        return
    first = {}
    for row, pair in enumerate(zip(qid, docno, strict=True)):
        if first.setdefault(pair, row) != row:
            where, before = name, ""
            if lines is not None:
                where = f"{name}, line {lines[row]}"
                before = f" (first in line {lines[first[pair]]})"
            raise ValueError(
                f"{where}: expected each document once per query, got document "
                f"{pair[1]!r} again for query {pair[0]!r}{before}."
            )


def _trec_order(query, score, docno):
    """Order rows by query, decreasing score, decreasing document id."""
    order = np.lexsort((-score, query))
    query, score = query[order], score[order]
    same = (query[1:] == query[:-1]) & (score[1:] == score[:-1])
    if not same.any():
        return order
    tied = np.flatnonzero(np.append(same, False) | np.insert(same, 0, False))
    group = np.cumsum(np.insert(~same, 0, True))[tied]
    rows = order[tied]
    names = docno[rows]
    rank = dict(zip(reversed(_in_byte_order(set(names))), count()))
    order[tied] = rows[np.lexsort((_look_up(rank, names), group))]
    return order


def _in_byte_order(ids):
    """Sort ids by their bytes in a file, as trec_eval compares them."""
    try:
        "\n".join(ids).encode()
    except UnicodeEncodeError:  # surrogates stand for bytes above those of their place
        return sorted(ids, key=_bytes_of)
    return sorted(ids)  # by code point, which is the byte order of UTF-8


def _bytes_of(text):
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # of no file
        return text.encode("utf-8", "surrogatepass")


def _rank(query):
    """Rank from 0 inside each run of equal query codes."""
    start = np.flatnonzero(np.diff(query, prepend=-1))
    return np.arange(len(query)) - np.repeat(
        start, np.diff(np.append(start, len(query)))
    )


def _some(ids, n=5):
    return (", ".join(map(repr, ids[:n])) or "none") + (", ..." if ids[n:] else "")


# Writing -----------------------------------------------------------------------------


def _check_writable(what, ids):
    joined = "\n".join(ids)
    lines = joined.encode("utf-8", "surrogatepass")
    whole = lines.split(b"\n")
    fine = lines.split() == whole and len(whole) == len(ids) and b"\0" not in lines
    fine &= _comes_back(joined)
    if what == "query id":
        fine &= not any(i.startswith("#") for i in set(ids))
    for i in [] if fine else ids:
        text = i.encode("utf-8", "surrogatepass")
        starts_comment = what == "query id" and i.startswith("#")
        if text.split() != [text] or b"\0" in text or starts_comment:
            more = " and not start with '#'" if what == "query id" else ""
            raise ValueError(
                f"a {what} must not be empty, hold white space or NUL{more}, got {i!r}."
            )
        if not _comes_back(i):
            raise ValueError(
                f"a {what} must hold surrogates only for bytes that are not UTF-8, as "
                f"reading gives them, got {i!r}."
            )


def _comes_back(text):
    """Whether writing and reading give the same text again."""
    try:
        return _decode(text.encode("utf-8", "surrogateescape")) == text
    except UnicodeEncodeError:  # a lone surrogate that stands for no byte
        return False


def _write(text, path):
    data = text.encode("utf-8", "surrogateescape")
    _refuse_long_lines(data, 1, "run")
    if isinstance(path, str) and path == "-":
        path = _standard(sys.stdout, "<stdout>")
        sys.stdout.flush()  # what was printed before comes first
        _write_to(path, text, data)
        path.flush()
        return
    if hasattr(path, "write"):
        _write_to(path, text, data)
        return
    target, special = os.path.realpath(path), _is_special(path)
    if target.endswith(".gz"):
        data = gzip.compress(data, compresslevel=6, mtime=0)
    try:
        if special:
            with open(path, "ab") as file:
                file.write(data)
        else:
            _replace(target, data)
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno in _NO_ROOM:
            kept = "it holds a part" if special else "nothing there has changed"
            reason += f" for the {len(data)} bytes of the run ({kept}; make room)"
        # Not the name of a file that nobody knows of.
        raise OSError(error.errno, reason, os.fspath(path)) from error


def _write_to(file, text, data):
    """Write the text to a file object, or the data where it takes bytes."""
    try:
        file.write(text)
    except UnicodeEncodeError as error:
        raise ValueError(
            "path must be open for bytes or in an encoding that can hold the run, got "
            f"{getattr(file, 'encoding', None)!r} for {text[error.start]!r}."
        ) from error
    except TypeError:  # binary mode
        if isinstance(file, io.RawIOBase):  # which may write a part
            buffered = io.BufferedWriter(file)
            try:
                buffered.write(data)
            finally:
                buffered.detach()
        else:
            file.write(data)


def _is_special(path):
    """Whether it is a device or a pipe, or stands for one: nothing to replace."""
    if os.path.abspath(path).startswith(("/dev/std", "/dev/fd/", "/proc/")):
        return True  # what they lead to may be a file, which has other writers
    return os.path.exists(path) and not os.path.isfile(path)


def _replace(path, data):
    # Not with the name of the file, which may be as long as names can be.
    unfinished = os.path.join(os.path.dirname(path), f".{secrets.token_hex(8)}.tmp")
    old = os.stat(path) if os.path.exists(path) else None
    # What replaces a private file is private from the start.
    opener = None if old is None else partial(os.open, mode=0o600)
    try:
        with open(unfinished, "xb", opener=opener) as file:
            file.write(data)
        if old is not None:
            os.chmod(unfinished, _keep_group(unfinished, old))
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.remove(unfinished)
        raise


def _keep_group(path, old):
    """Give a file the group of another; return the mode that lets in no one new."""
    mode = old.st_mode & 0o777  # not the identity of an owner who is another now
    if os.stat(path).st_gid != old.st_gid:
        try:
            os.chown(path, -1, old.st_gid)
        except PermissionError:
            mode &= ~stat.S_IRWXG
    return mode
