"""Read files of judgments and runs into columns of text ids and checked numbers."""

from __future__ import annotations

from collections.abc import Mapping

from sklearn_irmetrics._core.parameters import check_flag
from sklearn_irmetrics._typing import Source
from sklearn_irmetrics.runs._columns import (
    check_columns,
    is_source,
    make_columns,
    spread_subtopics,
)
from sklearn_irmetrics.runs._files import open_source, source_name
from sklearn_irmetrics.runs._formats import read_stream
from sklearn_irmetrics.runs._forms import Qrels, Run
from sklearn_irmetrics.runs._names import check_column_names

_OF_SUBTOPICS = (
    " If the second field is a subtopic, use a measure of subtopics, such as "
    "'alpha_ndcg@10' (with read_qrels: subtopics=True)."
)


def read_qrels(
    source: Source,
    *,
    subtopics: bool = False,
    columns: Mapping[str, str] | None = None,
) -> Qrels:
    r"""Read judgments: lines of query, iteration, document and grade.

    Fields are separated by white space. Empty lines and lines that start with ``#`` are
    skipped (a ``#`` elsewhere belongs to an id); the iteration is ignored. Grades may
    have fractions, which trec_eval would cut off. A line may have 1 MiB. In the
    diversity tasks of TREC, the iteration is a subtopic of the query.

    Other formats are recognised by content, whatever the name: a table with a header,
    separated by tabs (as in BEIR), commas or semicolons; a dict as JSON, or one per
    line; records of documents as JSON, in a list or one per line; Parquet. So are the
    compressions gzip, bzip2, xz and zstd.

    Parameters
    ----------
    source : str, path or file object
        A file, plain or compressed, ``"-"`` for standard input, or an object with
        ``read``, in text or binary mode.
    subtopics : bool, default=False
        Whether the second field is a subtopic of the query; a document may be judged
        once under each.
    columns : dict of str to str, default=None
        Names of columns in files that have a header, as for `score_run`.

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
        at all. The message names file and line.

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
    found = _read(source, "grade", subtopics, check_column_names(columns))
    return Qrels(found.qid, found.docno.text(), found.value, found.subtopic)


def read_run(source: Source, *, columns: Mapping[str, str] | None = None) -> Run:
    r"""Read a run: lines of query, iteration, document, rank, score and tag.

    Fields are separated by white space. Everything after the tag is ignored, and so are
    the iteration and the rank: as in trec_eval, only scores order documents. Empty
    lines and lines that start with ``#`` are skipped (a ``#`` elsewhere belongs to an
    id). Scores may be infinite: all listed documents are retrieved. A line may have
    1 MiB. Three tab-separated fields, the last a whole number, are query, document and
    rank, as in MS MARCO: the ranks of a query are 0, 1, 2, ... or 1, 2, 3, ..., each
    once. Other formats are recognised as by `read_qrels`.

    Parameters
    ----------
    source : str, path or file object
        A file, plain or compressed, ``"-"`` for standard input, or an object with
        ``read``, in text or binary mode.
    columns : dict of str to str, default=None
        Names of columns in files that have a header, as for `score_run`.

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
        twice for a query, or there is no document at all.
        The message names file and line.

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
    found = _read(source, "score", columns=check_column_names(columns))
    return Run(found.qid, found.docno.text(), found.value, found.tag)


def read_columns(data, name, value, *, subtopics=False, columns=None):
    """Return judgments or a run, in any form, as checked `Columns`.

    Parameters
    ----------
    data : object
        Any form that `score_run` takes.
    name : {"qrels", "run"}
        Its name in errors, if it is not a file.
    value : {"grade", "score"}
        What its numbers are.
    subtopics : bool
        Whether judgments are about subtopics; grades then have a column for each.
    columns : dict of str to str or None
        Names of columns, where they are not the usual ones.
    """
    options = {"subtopics": subtopics, "columns": columns}
    found = read_rows(data, name, value, **options)
    return spread_subtopics(found) if subtopics else found


def read_rows(data, name, value, *, subtopics=False, columns=None):
    """Return what `read_columns` does; with subtopics, one row per judgment."""
    if is_source(data):
        return _read(data, value, subtopics, columns)
    options = {"subtopics": subtopics, "columns": columns}
    return check_columns(make_columns(data, name, value, **options), name, value)


def _read(source, value, subtopics=False, columns=None):
    """Return the columns of a file."""
    name = source_name(source)
    options = {"subtopics": subtopics, "columns": columns}
    with open_source(source, name) as stream:
        found, line_of = read_stream(stream, name, value, **options)
    if not len(found):
        raise ValueError(f"{name}: expected documents with a {value}; got none.")
    is_plain = line_of is not None and value == "grade" and not subtopics
    hint = _OF_SUBTOPICS if is_plain else ""
    return check_columns(found, name, value, line_of, hint)
