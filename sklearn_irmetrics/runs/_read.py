"""Files of judgments and runs become columns: ids as text, numbers checked."""

from __future__ import annotations

import gzip
import zlib
from itertools import repeat

import numpy as np

from sklearn_irmetrics._core.parameters import check_flag
from sklearn_irmetrics._typing import Source
from sklearn_irmetrics.runs._files import open_source, source_name
from sklearn_irmetrics.runs._forms import Qrels, Run, is_refused
from sklearn_irmetrics.runs._ids import refuse_duplicates
from sklearn_irmetrics.runs._lines import chunks_of_lines, decode, quote

# The fields of a line, by the number in it that counts.
_FIELDS = {
    "grade": ("query", "iteration", "document", "grade"),
    "score": ("query", "iteration", "document", "rank", "score", "tag"),
}


def read_qrels(source: Source, *, subtopics: bool = False) -> Qrels:
    r"""Read judgments: lines of query, iteration, document and grade.

    Fields are separated by white space. Empty lines and lines that start with ``#``
    are passed over (a ``#`` further on belongs to an id); the iteration is ignored.
    Grades may have a fraction, which trec_eval would cut off.
    A line may have 1 MiB. In the diversity tasks of TREC the iteration is a subtopic
    of the query.

    Parameters
    ----------
    source : str, path or file object
        A file, plain or gzip (recognised by content), ``"-"`` for standard input, or
        an object with ``read``, in text or binary mode.
    subtopics : bool, default=False
        Whether the second field names a subtopic of the query, under each of which a
        document may be judged.

    Returns
    -------
    qrels : Qrels
        Frozen, with `qid`, `docno`, `grade` and `subtopic` (None unless asked for);
        ``to_frame()`` gives a DataFrame.

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
    check_flag("subtopics", subtopics)
    qid, docno, grade, _, subtopic = _read(source, "grade", subtopics=subtopics)
    return Qrels(qid, docno, grade, subtopic)


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
    *fields, _ = _read(source, "score")
    return Run(*fields)


def _read(source, value, *, subtopics=False):
    """Return ids of queries and documents, numbers, the last field, and subtopics.

    The last field is that of the last line; subtopics are None unless asked for.
    """
    name = source_name(source)
    value_field = _FIELDS[value].index(value)
    text_of = {}
    qids, docnos, numbers, line_numbers, topics = [], [], [], [], []
    last_field = b""
    try:
        with open_source(source, name) as stream:
            for first, chunk in chunks_of_lines(stream, name):
                lines, columns = _split_fields(chunk, first, value, name)
                if not len(lines):
                    continue
                for new in set(columns[0]).difference(text_of):
                    text_of[new] = decode(new)
                # Rows of a query share one string: little memory, fast comparison.
                qids.extend(map(text_of.__getitem__, columns[0]))
                docnos.extend(decode(b"\n".join(columns[2])).split("\n"))
                if subtopics:
                    topics.extend(decode(b"\n".join(columns[1])).split("\n"))
                numbers.append(_numbers(columns[value_field], lines, value, name))
                line_numbers.append(lines)
                last_field = columns[-1][-1]
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{name}: the gzip data cannot be read: {error}") from error
    if not qids:
        raise ValueError(f"{name}: expected lines of {_describe(value)}; got none.")
    qid, docno = np.array(qids, dtype=object), np.array(docnos, dtype=object)
    topic = np.array(topics, dtype=object) if subtopics else None
    refuse_duplicates(qid, docno, name, np.concatenate(line_numbers), topic)
    return qid, docno, np.concatenate(numbers), decode(last_field), topic


def _split_fields(chunk, first, value, name):
    """Return line numbers and columns of the lines that hold data."""
    width, n_lines = len(_FIELDS[value]), chunk.count(b"\n")
    # With a NUL at the end of each line, one split shows where all lines end.
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
    rows = np.flatnonzero((n_fields > 0) & ~comment)
    differs = np.less if value == "score" else np.not_equal  # more may follow a tag
    wrong = differs(n_fields[rows], width)
    if wrong.any():
        row = rows[wrong][0]
        line = chunk.split(b"\n")[row]
        raise ValueError(
            f"{name}, line {first + row}: expected {_describe(value)}; got "
            f"{n_fields[row]} fields: {quote(line)}."
        )
    places = [(start[rows] + i).tolist() for i in range(width)]
    return first + rows, [list(map(tokens.__getitem__, place)) for place in places]


def _numbers(tokens, lines, value, name):
    """Convert the column of grades or scores."""
    try:
        numbers = np.array(list(map(float, tokens)))
    except ValueError:
        numbers = np.array([np.nan])
    # Python takes 1_000 for a number.
    if is_refused(value, numbers).any() or b"_" in b" ".join(tokens):
        row = next(i for i, t in enumerate(tokens) if is_refused(value, _number(t)))
        rule = "a number" if value == "score" else "a finite number"
        raise ValueError(
            f"{name}, line {lines[row]}: the {value} must be {rule}; got "
            f"{quote(tokens[row])}."
        )
    return numbers


def _number(token):
    try:
        return np.nan if b"_" in token else float(token)
    except ValueError:
        return np.nan


def _describe(value):
    at_least = "" if value == "grade" else "at least "
    return f"{at_least}{len(_FIELDS[value])} fields ({', '.join(_FIELDS[value])})"
