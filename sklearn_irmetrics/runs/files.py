"""Read and write files of judgments and runs."""

from __future__ import annotations

import bz2
import contextlib
import errno
import gzip
import io
import lzma
import os
import re
import sys
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import DTypeLike

from sklearn_irmetrics._checks import check_flag
from sklearn_irmetrics._results.files import write_file
from sklearn_irmetrics._results.tables import visible
from sklearn_irmetrics._typing import AnyTable, Source, Target
from sklearn_irmetrics.runs._columns import (
    check_columns,
    check_mapping,
    is_source,
    map_documents,
    read_object,
    round_scores,
    spread_subtopics,
)
from sklearn_irmetrics.runs._formats import read_stream
from sklearn_irmetrics.runs._forms import (
    Qrels,
    Run,
    check_column_names,
    several_runs,
)
from sklearn_irmetrics.runs._ids import (
    decode,
    in_trec_order,
    ranks_in_queries,
)

_BY_SUFFIX = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
_PIECE = 2**20
# A line of TREC may begin with BZh9, but not with the block signature after it.
_SIGNS = re.compile(
    rb"(?P<gzip>\x1f\x8b)|(?P<bzip2>BZh[1-9](?:1AY&SY|\x17rE8P\x90))"
    rb"|(?P<xz>\xfd7zXZ\0)|(?P<zstd>\x28\xb5\x2f\xfd)"
)
_LONGEST_SIGN = 10


def compression_of(start):
    """Return the compression of data that begin like this, None if there is none.

    Parameters
    ----------
    start : bytes
        At least the first ten, if there are so many.
    """
    sign = _SIGNS.match(start)
    return sign and sign.lastgroup


def split_name(path):
    """Return the name of a file without the suffix of a compression, and this."""
    name = os.fsdecode(os.path.basename(os.path.realpath(path)))
    stem, suffix = os.path.splitext(name)
    kind = _BY_SUFFIX.get(suffix.lower())
    return (name if kind is None else stem), kind


def source_name(source):
    """Return the name in messages of a file, standard input or object with `read`."""
    if isinstance(source, str | os.PathLike):
        return "<stdin>" if source == "-" else visible(os.fsdecode(source))
    if hasattr(source, "read"):
        return visible(str(getattr(source, "name", "<file object>")))
    raise TypeError(
        "source must be a path, '-' or an object with read; got "
        f"{type(source).__name__}."
    )


class Stream:
    """Bytes that come in pieces; the first can be peeked at before reading.

    Parameters
    ----------
    pieces : iterator of bytes
        None of them empty.
    """

    def __init__(self, pieces):
        self._pieces, self._ahead = pieces, b""

    def peek(self, size):
        """Return the next `size` bytes, fewer at the end."""
        while len(self._ahead) < size and (piece := next(self._pieces, b"")):
            self._ahead += piece
        return self._ahead[:size]

    def read(self, size=None):
        """Return some of the next bytes, at most `size`; all by default."""
        if size is None:
            return b"".join([self._ahead, *self._pieces])
        data = self._ahead or next(self._pieces, b"")
        self._ahead = data[size:]
        return data[:size]


@contextlib.contextmanager
def open_source(source, name):
    """Yield the bytes of a source as a `Stream`, decompressed."""
    if isinstance(source, str) and source == "-":
        if sys.stdin is None:
            raise ValueError("<stdin> is closed: pass a file, or pipe one into '-'.")
        source = getattr(sys.stdin, "buffer", sys.stdin)
    with contextlib.ExitStack() as opened:
        if not hasattr(source, "read"):
            source = opened.enter_context(_open_file(source))
        stream = Stream(_pieces(source))
        kind = compression_of(stream.peek(_LONGEST_SIGN))
        if kind is None:
            yield stream
            return
        try:
            yield Stream(filter(None, _UNPACK[kind](stream, name)))
        except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
            if getattr(error, "errno", None) is not None:  # of the system
                raise
            raise ValueError(
                f"{name}: the {kind} data cannot be read: {error}"
            ) from error


def _open_file(path):
    """Open a file; errors about text in place of its name say what to pass instead."""
    try:
        return io.FileIO(path)
    except OSError as error:
        is_absent = error.errno in (errno.ENAMETOOLONG, errno.ENOENT)
        if not isinstance(path, str) or not is_absent:
            raise
        if error.errno == errno.ENAMETOOLONG or "\n" in path:
            instead = "pass the content of one as io.StringIO(text)"
        elif not os.path.dirname(path) and not os.path.splitext(path)[1]:
            instead = "ids of documents are a list, such as text.split(), by query"
        else:
            raise
        why = f"{error.strerror} (a string is the name of a file: {instead})"
        name = path if len(path) <= 60 else f"{path[:60]}..."
        raise OSError(error.errno, why, name) from None


def _pieces(source):
    """Yield the bytes of an object with `read`; text is encoded."""
    while True:
        piece = source.read(_PIECE)
        if isinstance(piece, str):
            piece = piece.encode("utf-8", "surrogateescape")
        if not isinstance(piece, bytes | bytearray | memoryview):
            raise TypeError(
                f"source.read() must return bytes or str; got {type(piece).__name__}."
            )
        if not piece:
            return
        yield bytes(piece)


def _decompress_gzip(stream, name):
    return iter(partial(gzip.GzipFile(fileobj=stream).read, _PIECE), b"")


def _decompress_members(make_decompressor, stream, name):
    """Yield the decompressed data of one member after the other.

    `BZ2File` and `LZMAFile` end silently if a further member is damaged.
    """
    member, left = make_decompressor(), b""
    while data := left or stream.read(_PIECE):
        left = b""
        if member.eof:
            data = data.lstrip(b"\0")  # padding
            if not data:
                continue
            member = make_decompressor()
        yield member.decompress(data, _PIECE)
        while not (member.eof or member.needs_input):
            yield member.decompress(b"", _PIECE)
        left = member.unused_data
    if not member.eof:
        raise EOFError("it ends inside its last member")


def _decompress_zstd(stream, name):
    pyarrow = _pyarrow(name)
    packed = pyarrow.BufferReader(stream.read())
    return iter(
        partial(pyarrow.CompressedInputStream(packed, "zstd").read, _PIECE), b""
    )


def _pyarrow(name):
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(f"{name}: zstd needs pyarrow.") from error
    return pyarrow


_UNPACK = {
    "gzip": _decompress_gzip,
    "bzip2": partial(_decompress_members, bz2.BZ2Decompressor),
    "xz": partial(_decompress_members, lzma.LZMADecompressor),
    "zstd": _decompress_zstd,
}
# Reproducible: the same bytes for the same data.
_PACK = {
    None: bytes,
    "gzip": partial(gzip.compress, compresslevel=6, mtime=0),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda data: _pyarrow("path").compress(data, codec="zstd", asbytes=True),
}


def write_data(data, path):
    """Write data to a path (compressed according to its name), a stream or "-"."""
    if isinstance(path, str) and path == "-":
        path = getattr(sys.stdout, "buffer", sys.stdout)
        sys.stdout.flush()  # what was printed before comes first
        write_file(data, path)
        path.flush()
    elif hasattr(path, "write"):
        write_file(data, path)
    else:
        write_file(_PACK[split_name(path)[1]](data), path)


_JUDGED_TWICE = (
    " Keep one judgment of each: list(dict.fromkeys(documents)) for a list, "
    "drop_duplicates() of both ids for a table."
)
_OF_SUBTOPICS = (
    " If the second field is a subtopic, use a measure of subtopics, such as "
    "'alpha_ndcg@10' (with read_qrels: subtopics=True)."
)


def read_qrels(
    source: Qrels | Source | AnyTable,
    *,
    subtopics: bool = False,
    columns: Mapping[str, str] | None = None,
) -> Qrels:
    r"""Read judgments: lines of query, iteration, document and grade.

    Fields are separated by white space. Empty lines and lines that start with ``#`` are
    skipped (a ``#`` elsewhere belongs to an id); the iteration is ignored. Grades may
    have fractions, which trec_eval would cut off. A line may have up to 1 MiB. In the
    diversity tasks of TREC, the iteration is a subtopic of the query.

    Other formats are recognised by content, whatever the name: a table with a header,
    separated by tabs (as in BEIR), commas or semicolons; a dict as JSON, or one per
    line; records of documents as JSON, in a list or one per line; Parquet. So are the
    compressions gzip, bzip2, xz and zstd.

    Parameters
    ----------
    source : str, path, file object, Qrels, table, dict or tuples
        A file, plain or compressed, ``"-"`` for standard input, or an object with
        ``read``, in text or binary mode; or any other form that `score_run` takes.
    subtopics : bool, default=False
        Whether the judgments are about subtopics of queries, in files the second
        field; a document may be judged once under each.
    columns : dict of str to str, default=None
        Names of columns in tables and in files that have a header, as for `score_run`.

    Returns
    -------
    qrels : Qrels
        Frozen, with `qid`, `docno`, `grade` and `subtopic` (None unless requested);
        ``to_frame()`` returns a DataFrame.

    Raises
    ------
    ValueError
        If a line does not have exactly four fields or is too long, a grade is not a
        finite number, a document is judged twice for a query, or there is no judgment
        at all or none for a query of a dict. The message names file and line.
    TypeError
        If the judgments have no known form.

    Examples
    --------
    >>> import io
    >>> from sklearn_irmetrics.runs import read_qrels
    >>> qrels = read_qrels(io.StringIO("301 0 CR93E-1282 1\n301 0 FT911-3 0\n"))
    >>> qrels
    <Qrels: 1 query, 2 judgments>
    >>> qrels.grade
    array([1., 0.])
    """
    check_flag("subtopics", subtopics)
    judgments = read_columns(
        source,
        "qrels",
        "grade",
        subtopics=subtopics,
        columns=check_column_names(columns),
        hint=_JUDGED_TWICE,
    )
    _refuse_queries_without_judgments("source", judgments, "Qrels hold judgments")
    qid = judgments.qid
    if judgments.kind == "int":  # results have such ids, too
        qid = np.array([*map(int, qid)], dtype=object)
    return Qrels(qid, judgments.docno.text(), judgments.numbers, judgments.subtopic)


def _refuse_queries_without_judgments(parameter, judgments, why):
    """Raise if there is no judgment, or none for a query of a dict."""
    if not len(judgments):
        raise ValueError(f"{parameter} must hold a judgment; got none.")
    if empty := set(judgments.queries).difference(judgments.qid):
        raise ValueError(
            f"{parameter} must have a document for each query, because {why}; got none "
            f"for {min(empty)!r}. Give it one with the grade 0."
        )


def read_run(
    source: Run | Source | AnyTable,
    *,
    columns: Mapping[str, str] | None = None,
    docno: Callable[[str], str | int] | None = None,
    merge: Literal["max", "first", "sum"] | None = None,
    dtype: DTypeLike = np.float64,
) -> Run:
    r"""Read a run: lines of query, iteration, document, rank, score and tag.

    Fields are separated by white space. Everything after the tag is ignored, and so are
    the iteration and the rank: as in trec_eval, only scores order documents. Empty
    lines and lines that start with ``#`` are skipped (a ``#`` elsewhere belongs to an
    id). Scores may be infinite: all listed documents are retrieved. A line may have up
    to 1 MiB. Three tab-separated fields, the last a whole number, are query, document
    and rank, as in MS MARCO: the ranks of a query are 0, 1, 2, ... or 1, 2, 3, ...,
    each once. Other formats are recognised as by `read_qrels`.

    Parameters
    ----------
    source : str, path, file object, Run, table, dict or tuples
        A file, plain or compressed, ``"-"`` for standard input, or an object with
        ``read``, in text or binary mode; or any other form of one run that `score_run`
        takes.
    columns : dict of str to str, default=None
        Names of columns in tables and in files that have a header, as for `score_run`.
    docno, merge : callable and {"max", "first", "sum"}, default=None
        As for `score_run`.
    dtype : {numpy.float32, numpy.float64}, default=numpy.float64
        Precision of the scores, which decides what is tied. trec_eval 9 and pytrec_eval
        round them to float32.

    Returns
    -------
    run : Run
        Frozen, with `qid`, `docno`, `score` and `tag`; ``to_frame()`` returns a
        DataFrame.

    Raises
    ------
    ValueError
        If a line has fewer than six fields or is too long, a score is not a number or
        is NaN, three columns without a header do not end in ranks, a document is listed
        twice for a query (without `merge`), or there is no document at all.
        The message names file and line.
    TypeError
        If the run has no known form.

    Examples
    --------
    >>> import io
    >>> from sklearn_irmetrics.runs import read_run
    >>> run = read_run(io.StringIO("301 Q0 FT911-3 1 2.5 bm25\n"))
    >>> run
    <Run 'bm25': 1 query, 1 document>
    >>> run.score
    array([2.5])
    """
    columns = check_column_names(columns)
    check_mapping(docno, merge)
    dtype = _check_dtype(dtype)
    if several_runs(source) is not None:
        raise TypeError(
            "source must be one run; got a dict of runs. Read each: {name: "
            "read_run(run) for name, run in runs.items()}."
        )
    documents = read_retrieved(source, "run", merge, columns)
    if not len(documents):
        raise ValueError("source must have a document; got none.")
    documents = round_scores(map_documents(documents, docno, merge), dtype)
    return Run(documents.qid, documents.docno.text(), documents.numbers, documents.tag)


def _check_dtype(dtype):
    """Return the type that scores are rounded to."""
    try:
        dtype = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"dtype must be float32 or float64; got {dtype!r}.") from None
    if dtype not in (np.float32, np.float64):
        raise ValueError(f"dtype must be float32 or float64; got {dtype}.")
    return dtype


def read_columns(
    data, name, field, *, subtopics=False, columns=None, hint="", once=True
):
    """Return judgments or a run, in any form, as checked `Columns`.

    Parameters
    ----------
    data : object
        Any form that `score_run` takes.
    name : str
        What errors call it, if it is not a file.
    field : {"grade", "score"}
        What its numbers are.
    subtopics : bool
        Whether judgments are about subtopics: a row for each subtopic of a document.
    columns : dict of str to str or None
        Names of columns, where they are not the usual ones.
    hint : str
        The end of the error about a document that a query has twice.
    once : bool
        Whether to raise this error.
    """
    if is_source(data):
        return _read_file(data, field, subtopics, columns, hint, once)
    documents = read_object(data, name, field, subtopics=subtopics, columns=columns)
    return check_columns(documents, name, field, hint=hint, once=once)


def _read_file(source, field, subtopics=False, columns=None, hint="", once=True):
    """Return the columns of a file."""
    name = source_name(source)
    with open_source(source, name) as stream:
        documents, line_of = read_stream(
            stream, name, field, subtopics=subtopics, columns=columns
        )
    if not len(documents):
        raise ValueError(f"{name}: expected documents with a {field}; got none.")
    if line_of is not None and field == "grade" and not subtopics:
        hint = _OF_SUBTOPICS
    return check_columns(documents, name, field, line_of, hint, once)


def read_judgments(qrels, subtopics, columns):
    """Return the columns of judgments; with subtopics, a column of grades for each.

    Subtopics that were not requested are refused.
    """
    if not subtopics and isinstance(qrels, Qrels) and qrels.subtopic is not None:
        raise ValueError("qrels were read with subtopics; got subtopics=False.")
    options = {"subtopics": subtopics, "columns": columns, "hint": _JUDGED_TWICE}
    judged = read_columns(qrels, "qrels", "grade", **options)
    return spread_subtopics(judged) if subtopics else judged


def read_retrieved(run, name, merge, columns):
    """Return a run as checked `Columns`; if `merge` is set, documents may repeat."""
    hint = " Pass merge='max' to use the best of its scores."
    once = merge is None
    return read_columns(run, name, "score", columns=columns, hint=hint, once=once)


# Suffixes of files of other formats and compressions.
_NOT_WRITTEN = {".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".arrow"}
_NOT_WRITTEN |= {".feather", ".xlsx", ".pkl", ".npy", ".yaml", ".zip", ".tar", ".tgz"}
_NOT_WRITTEN |= {".7z", ".lz4", ".z"}
_WORD = r"[^ \t\n\r\v\f\0]+"  # trec_eval takes NUL as the end of a text
# Of comments, JSON, files of some editors, and Parquet.
_STARTS = "#", "{", "[", "\ufeff", "PAR1"


def write_run(
    run: Run | Source | AnyTable, path: Target, *, tag: str | None = None
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
    documents = read_columns(run, "run", "score")
    docno, score = documents.docno.text(), documents.numbers
    if not len(score):
        raise ValueError("run must hold a scored document; got none.")
    if tag is None:
        tag = documents.tag
    # Queries are numbered by their first appearance.
    order = in_trec_order(documents.query, score, documents.docno)
    qid, docno = documents.qid[order].tolist(), docno[order].tolist()
    ranks = (ranks_in_queries(documents.query[order]) + 1).tolist()
    rows = zip(qid, docno, ranks, score[order].tolist(), strict=True)
    lines = [f"{q} Q0 {d} {r} {s!r} {tag}\n" for q, d, r, s in rows]
    _write(lines, path, "run", {*qid}, [*docno, tag])


def write_qrels(
    qrels: Qrels | Source | AnyTable, path: Target, *, subtopics: bool = False
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
        If the judgments, an id or the name cannot be written, or a query has no
        document; see `write_run`.
    TypeError
        If the judgments have no known form.
    OSError
        If it cannot be written; an existing file is then unchanged.

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
    judgments = read_columns(qrels, "qrels", "grade", subtopics=subtopics)
    _refuse_queries_without_judgments("qrels", judgments, "a line holds one")
    qid, docno = judgments.qid.tolist(), judgments.docno.text().tolist()
    topics = judgments.subtopic.tolist() if subtopics else ["0"] * len(qid)
    grades = [int(g) if g == int(g) else g for g in judgments.numbers.tolist()]
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
                "not empty, without white space or NUL, and query ids must not begin "
                f"like a comment or another format; got {text!r}."
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
