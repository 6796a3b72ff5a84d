"""`score_queries` for tables of any library, in memory, on disk or on a cluster."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from sklearn_irmetrics._checks import check_count
from sklearn_irmetrics._typing import Ties
from sklearn_irmetrics.frames import sources
from sklearn_irmetrics.frames.measures import FrameMeasures
from sklearn_irmetrics.frames.rows import name_subtopics
from sklearn_irmetrics.metrics._measure import Measures
from sklearn_irmetrics.metrics._ranking.marks import check_marks
from sklearn_irmetrics.reports.query_scores import QueryScores
from sklearn_irmetrics.streaming.summary import ScoreSummary

BATCH_SIZE = 1 << 20


def score_frame(
    frame: Any,
    metrics: Measures,
    *,
    qid: str,
    y_true: str | Sequence[str],
    y_score: str,
    sample_weight: str | None = None,
    marks: Mapping[str, str] | None = None,
    doc: str | None = None,
    ties: Ties = "average",
    replace_undefined_by: float = np.nan,
    batch_size: int = BATCH_SIZE,
    n_jobs: int | None = None,
) -> QueryScores:
    """Compute many measures from columns of a table, however large.

    The values are those of `score_queries`. Files, lazy frames and streams are read in
    batches, and only the columns named here. Dask and Spark bring the rows of each
    query together first, once, and score them on the workers.

    Parameters
    ----------
    frame : table, path or stream
        A DataFrame of pandas, Polars, Dask or Spark, a Polars LazyFrame, a PyArrow
        Table, RecordBatch, RecordBatchReader, Dataset or Scanner, the path of a Parquet
        file or of a folder of such files, a list of paths of files, an iterator of
        DataFrames, Tables or RecordBatches that hold whole queries each, or anything
        that exports an Arrow stream (``__arrow_c_stream__``), such as a query of
        DuckDB.
    metrics : str, list of str, or dict of str to str
        Names such as ``"ndcg@10"``; a dict sets their labels in the results. Functions
        as gains get the distinct grades of each part of a frame read in parts.
    qid : str
        Column of query ids: numbers, strings, categories, bytes, decimals, dates,
        timestamps; never null. In data read in batches, the rows of a query
        must be adjacent, for example because the data are sorted by this column;
        otherwise rows may be in any order.
    y_true : str or list of str
        Column of grades; larger is better, null or NaN: unjudged. For measures of
        subtopics a list, one column per subtopic; other measures in the same call use
        the largest grade of each row.
    y_score : str
        Column of scores; larger ranks higher, -inf: not retrieved, never null. If they
        are booleans, measures of sets take true as retrieved.
    sample_weight : str, default=None
        Column of weights of queries, constant inside a query.
    marks : dict of str to str, default=None
        Columns of the marks that `score_queries` takes, by name:
        ``{"known": "seen_before"}``. Marks of one more axis have no place in a table.
    doc : str, default=None
        Column of ids of documents: one that a query has twice is an error.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        How to rank tied documents: return the exact expectation over all their orders,
        or take the best order, the worst order, or the order of the rows.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean and warns.
    batch_size : int, default=1048576
        Minimum number of rows to read and score at a time; queries are never split.
    n_jobs : int, default=None
        Number of threads for each batch: None is 1 outside a
        :obj:`joblib.parallel_config` context, -1 all cores. The workers of Dask and
        Spark use one thread each for a partition.

    Returns
    -------
    QueryScores
        With `query_ids`, `scores`, `mean` and `to_frame()`. Queries come in order of
        first appearance, from Spark sorted by id. Ids with a time zone come back as
        ``datetime64`` in UTC, dates as ``datetime64[D]``, texts as NumPy's
        `StringDType`.

    Raises
    ------
    TypeError
        If `frame` is of another kind, a column of a wrong type, or `qid` of types in
        several files or partitions that cannot be compared.
    ImportError
        If pyarrow is missing, through which all frames are read.
    ValueError
        If a column is missing from the frame or from one of its files, `qid` holds
        nulls, the rows of a query are not adjacent in data read in batches, a folder
        holds other files than Parquet, a query has a document of `doc` twice, or an
        argument breaks the rules above. Spark wraps exceptions raised by its workers.

    See Also
    --------
    sklearn_irmetrics.frames.summarize_frame : Averages only, of any number of queries.
    sklearn_irmetrics.frames.score_lazily : A frame of Dask or Spark with the scores.
    score_queries : The same for arrays.

    Notes
    -----
    In ``"set_cost(cost_matrix=...)"``, rows and columns of the matrix stand for the
    classes 0, 1, ... unless it has ``labels=``.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_irmetrics.frames import score_frame
    >>> run = pd.DataFrame(
    ...     {"query": ["a", "a", "b", "b"], "grade": [1, 0, 0, 2], "bm25": [9, 1, 7, 7]}
    ... )
    >>> score_frame(
    ...     run, ["ndcg@10", "map"], qid="query", y_true="grade", y_score="bm25"
    ... )
    2 queries
    <BLANKLINE>
    measure   mean  queries
    ndcg@10  0.908        2
    map      0.875        2
    """
    columns = _name_columns(qid, y_true, y_score, sample_weight, marks, doc)
    batch_size = _check_batch_size(batch_size)
    measures = FrameMeasures.of(
        metrics,
        y_true,
        ties=ties,
        replace_undefined_by=replace_undefined_by,
        n_jobs=n_jobs,
    )
    reader = _reader_of(frame, "score_frame")
    scored = reader.collect_scores(frame, columns, measures, batch_size)
    return measures.query_scores(scored)


def summarize_frame(
    frame: Any,
    metrics: Measures,
    *,
    qid: str,
    y_true: str | Sequence[str],
    y_score: str,
    by: str | None = None,
    sample_weight: str | None = None,
    marks: Mapping[str, str] | None = None,
    doc: str | None = None,
    ties: Ties = "average",
    replace_undefined_by: float = np.nan,
    batch_size: int = BATCH_SIZE,
    n_jobs: int | None = None,
) -> ScoreSummary:
    """Average many measures over the queries of a table, keeping only sums.

    The averages and intervals are those of `score_frame`. Sums are merged where they
    are computed, so that what is kept, and what a cluster sends, does not grow with the
    number of queries.

    Parameters
    ----------
    frame : table, path or stream
        As for `score_frame`.
    metrics : str, list of str, or dict of str to str
        Names such as ``"ndcg@10"``; a dict sets their labels in the results.
    qid : str
        Column of query ids, as for `score_frame`.
    y_true : str or list of str
        Column of grades, or one per subtopic.
    y_score : str
        Column of scores.
    by : str, default=None
        Column of segments, constant inside a query, never null: averages by segment.
    sample_weight : str, default=None
        Column of weights of queries, constant inside a query.
    marks : dict of str to str, default=None
        Columns of marks by name.
    doc : str, default=None
        Column of ids of documents: one that a query has twice is an error.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        How to rank tied documents.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean and warns.
    batch_size : int, default=1048576
        Minimum number of rows to read and score at a time.
    n_jobs : int, default=None
        Number of threads for each batch.

    Returns
    -------
    ScoreSummary
        With `mean`, `n_defined`, `interval()` and `report()`.

    Raises
    ------
    TypeError, ImportError, ValueError
        As `score_frame` does.

    See Also
    --------
    score_frame : The same with the scores of all queries.
    StreamingEvaluator : The same for arrays that come in parts.

    Notes
    -----
    Ids are not kept. In data read in batches, a query whose rows are not adjacent is
    then found only if it was in the first batch or in the one before; without any order
    among the rows, that is certain to happen.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_irmetrics.frames import summarize_frame
    >>> run = pd.DataFrame(
    ...     {"query": ["a", "a", "b", "b"], "grade": [1, 0, 0, 2], "bm25": [9, 1, 7, 7]}
    ... )
    >>> summarize_frame(run, "map", qid="query", y_true="grade", y_score="bm25")
    2 queries
    <BLANKLINE>
    measure   mean  queries
    map      0.875        2
    """
    columns = _name_columns(qid, y_true, y_score, sample_weight, marks, doc, by)
    batch_size = _check_batch_size(batch_size)
    measures = FrameMeasures.of(
        metrics,
        y_true,
        ties=ties,
        replace_undefined_by=replace_undefined_by,
        n_jobs=n_jobs,
    )
    reader = _reader_of(frame, "summarize_frame")
    state = reader.collect_sums(frame, columns, measures, batch_size)
    return measures.summary(state, by_segment=by is not None)


def score_lazily(
    frame: Any,
    metrics: Measures,
    *,
    qid: str,
    y_true: str | Sequence[str],
    y_score: str,
    by: str | None = None,
    marks: Mapping[str, str] | None = None,
    doc: str | None = None,
    ties: Ties = "average",
    replace_undefined_by: float = np.nan,
) -> Any:
    """Return a frame of Dask or Spark with the scores of queries, not yet computed.

    Parameters
    ----------
    frame : DataFrame of Dask or Spark
        With a row per document.
    metrics : str, list of str, or dict of str to str
        Names such as ``"ndcg@10"``; a dict sets the names of their columns.
    qid : str
        Column of query ids, as for `score_frame`.
    y_true : str or list of str
        Column of grades, or one per subtopic.
    y_score : str
        Column of scores.
    by : str, default=None
        Column to keep, constant inside a query, null allowed.
    marks : dict of str to str, default=None
        Columns of marks by name.
    doc : str, default=None
        Column of ids of documents: one that a query has twice is an error.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        How to rank tied documents.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN: null.

    Returns
    -------
    DataFrame of Dask or Spark
        With the columns `qid` and `by`, and one per measure, null where undefined.

    Raises
    ------
    TypeError, ImportError, ValueError
        As `score_frame` does.

    See Also
    --------
    score_frame : The scores of all queries in memory.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from sklearn_irmetrics.frames import score_lazily
    >>> run = pd.DataFrame(
    ...     {"query": [1, 1, 2, 2], "grade": [1, 0, 0, 2], "bm25": [9, 1, 7, 7]}
    ... )
    >>> frame = dd.from_pandas(run, npartitions=2)
    >>> lazy = score_lazily(frame, "map", qid="query", y_true="grade", y_score="bm25")
    >>> lazy["map"].mean().compute()
    np.float64(0.875)
    """
    columns = _name_columns(qid, y_true, y_score, None, marks, doc, by)
    measures = FrameMeasures.of(
        metrics, y_true, ties=ties, replace_undefined_by=replace_undefined_by
    )
    reader = _reader_of(frame, "score_lazily")
    if reader is sources:
        raise TypeError(
            "frame must be a DataFrame of Dask or Spark; got "
            f"{type(frame).__module__}.{type(frame).__qualname__}. score_frame takes "
            "others."
        )
    return reader.lazy_scores(frame, columns, measures, BATCH_SIZE)


def _name_columns(
    qid, y_true, y_score, sample_weight=None, marks=None, doc=None, by=None
):
    """Return the names of columns by parameter."""
    is_list = isinstance(y_true, list | tuple)
    grades = name_subtopics(y_true) if is_list else {"y_true": y_true}
    columns = {"qid": qid, **grades, "y_score": y_score}
    optional = {"sample_weight": sample_weight, **check_marks(marks)}
    optional |= {"by": by, "doc": doc}
    columns |= {key: name for key, name in optional.items() if name is not None}
    for parameter, name in columns.items():
        if not isinstance(name, Hashable) or getattr(name, "ndim", 0) > 0:
            raise TypeError(
                f"{parameter} must be the name of a column; got a "
                f"{type(name).__name__}. score_queries takes arrays."
            )
    return columns


def _check_batch_size(batch_size):
    """Return at most the number of rows that Arrow reads at a time."""
    return min(check_count("batch_size", batch_size), 2**31 - 1)


def _reader_of(frame, function):
    """Return the module that reads a frame: of Dask, of Spark, or of all others."""
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError(f"{function} needs pyarrow: pip install pyarrow.") from error
    if sources.is_instance(frame, "dask.dataframe", "DataFrame"):
        from sklearn_irmetrics.frames import dask

        return dask
    if sources.is_instance(frame, "pyspark.sql", "DataFrame"):
        from sklearn_irmetrics.frames import spark

        return spark
    return sources
