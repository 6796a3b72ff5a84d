"""`score_queries` for tables of any library, in memory, on disk or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Literal

import numpy as np

from sklearn_irmetrics._checks import check_count
from sklearn_irmetrics._typing import Ties
from sklearn_irmetrics.frames.rows import name_subtopics
from sklearn_irmetrics.frames.scored import FrameMeasures
from sklearn_irmetrics.metrics._measure import Measures
from sklearn_irmetrics.metrics._ranking.marks import check_marks

# Module and name of a class -> file of this package and its function. Nothing is
# imported to tell a kind.
_KINDS = {
    ("pandas", "DataFrame"): ("tables", "score_table"),
    ("polars", "DataFrame"): ("tables", "score_table"),
    ("polars", "LazyFrame"): ("tables", "score_lazy"),
    ("pyarrow", "Table"): ("tables", "score_table"),
    ("pyarrow", "RecordBatch"): ("tables", "score_table"),
    ("pyarrow", "Dataset"): ("arrow", "score_dataset"),
    ("pyarrow", "Scanner"): ("arrow", "score_stream"),
    ("dask.dataframe", "DataFrame"): ("dask", "score_dask"),
    ("pyspark.sql", "DataFrame"): ("spark", "score_spark"),
}


def score_frame(
    frame: Any,
    metrics: Measures,
    *,
    qid: str,
    y_true: str | Sequence[str],
    y_score: str,
    sample_weight: str | None = None,
    marks: Mapping[str, str] | None = None,
    ties: Ties = "average",
    replace_undefined_by: float = np.nan,
    batch_size: int = 1 << 20,
    n_jobs: int | None = None,
    by: str | None = None,
    doc: str | None = None,
    per_query: bool | Literal["frame"] = True,
    filesystem: Any = None,
) -> Any:
    """Compute many measures from columns of a table, however large.

    The values are those of `score_queries`. Files, lazy frames and streams are read in
    batches, and only the columns named here. Dask and Spark bring the rows of each
    query together first, once, and score them on the workers.

    Parameters
    ----------
    frame : table, path or stream
        A DataFrame of pandas, Polars, Dask or Spark, a Polars LazyFrame, a PyArrow
        Table, RecordBatch, RecordBatchReader, Dataset or Scanner, a DeltaTable, the
        path of a Parquet file or of a folder of such files, a list of paths of files,
        an iterator of DataFrames, Tables or RecordBatches that hold whole queries each,
        or anything that exports an Arrow stream (``__arrow_c_stream__``).
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
    by : str, default=None
        Column of segments, constant inside a query, null allowed: averages by segment.
        Only where scores of queries are not returned, or as a frame.
    doc : str, default=None
        Column of ids of documents: one that a query has twice is an error.
    per_query : bool or "frame", default=True
        Whether to return the score of each query. If not, their sums are merged where
        they are computed, so that what is kept, and what a cluster sends, does not
        grow with their number. ``"frame"`` returns a frame of Dask or Spark, of which
        nothing is computed yet.
    filesystem : pyarrow.fs.FileSystem or fsspec filesystem, default=None
        Where paths are. None: on this machine, or as a URI says.

    Returns
    -------
    QueryScores, ScoreSummary or frame
        `QueryScores` with `query_ids`, `scores`, `mean` and `to_frame()`. Queries come
        in order of first appearance, from Spark sorted by id. Ids with a time zone come
        back as ``datetime64`` in UTC, dates as ``datetime64[D]``, texts as NumPy's
        `StringDType`. With ``per_query=False`` a `ScoreSummary`. The frame has the
        columns `qid` and `by`, and one per measure, null where undefined.

    Raises
    ------
    TypeError
        If `frame` is of another kind, a column of a wrong type, or `qid` of types in
        several files or partitions that cannot be compared.
    ImportError
        If pyarrow is missing, through which all frames are read.
    ValueError
        If a column is missing from the frame or from one of its files, `qid` holds
        nulls, the rows of a query are not adjacent in data read in batches, a folder is
        a table of Delta Lake, Iceberg or Hudi, which keeps files that it has replaced,
        a query has a document of `doc` twice, or an argument breaks the rules above.
        Spark wraps exceptions raised by its workers.

    See Also
    --------
    score_queries : The same for arrays.
    StreamingEvaluator : The same for arrays that come in parts.

    Notes
    -----
    With ``per_query=False``, ids are not kept either. In data read in batches, a query
    whose rows are not adjacent is then found only if it was in the first batch or in
    the one before; without any order among the rows, that is certain to happen.

    In ``"set_cost(cost_matrix=...)"``, rows and columns of the matrix stand for the
    classes 0, 1, ... where the frame is not in memory.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_irmetrics import score_frame
    >>> run = pd.DataFrame(
    ...     {"query": ["a", "a", "b", "b"], "grade": [1, 0, 0, 2], "bm25": [9, 1, 7, 7]}
    ... )
    >>> score_frame(
    ...     run, ["ndcg@10", "map"], qid="query", y_true="grade", y_score="bm25"
    ... )
    QueryScores of 2 queries
      ndcg@10  0.9077
      map      0.8750
    """
    listed = isinstance(y_true, list | tuple)
    grades = name_subtopics(y_true) if listed else {"y_true": y_true}
    columns = {"qid": qid, **grades, "y_score": y_score}
    if sample_weight is not None:
        columns["sample_weight"] = sample_weight
    columns |= check_marks(marks)
    columns |= {k: name for k, name in (("by", by), ("doc", doc)) if name is not None}
    for parameter, name in columns.items():
        if not isinstance(name, Hashable) or getattr(name, "ndim", 0) > 0:
            raise TypeError(
                f"{parameter} must be the name of a column; got a "
                f"{type(name).__name__}. score_queries takes arrays."
            )
    if hasattr(frame, "to_pyarrow_dataset"):  # a table of Delta Lake
        frame = frame.to_pyarrow_dataset()
    file, function = _kind(frame)
    is_frame = isinstance(per_query, str) and per_query == "frame"
    if not isinstance(per_query, bool) and not is_frame:
        raise ValueError(
            f"per_query must be True, False or 'frame'; got {per_query!r}."
        )
    if is_frame and file not in ("dask", "spark"):
        raise ValueError(
            "per_query='frame' needs a frame of Dask or Spark; use to_frame() of the "
            "QueryScores."
        )
    if by is not None and per_query is True:
        raise ValueError(
            "by must be None with per_query=True; QueryScores take slices in "
            "report(by=...)."
        )
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError("score_frame needs pyarrow: pip install pyarrow.") from error
    # More rows than Arrow reads at a time.
    batch_size = min(check_count("batch_size", batch_size), 2**31 - 1)
    shared = ties, replace_undefined_by, n_jobs, per_query, by is not None
    measures = FrameMeasures.of(metrics, grades, *shared)
    score = getattr(import_module(f"{__package__}.{file}"), function)
    if filesystem is not None:
        if function != "score_path":
            raise ValueError("filesystem must be None unless frame is a path or paths.")
        score = partial(score, filesystem=filesystem)
    found = score(frame, columns, measures, batch_size)
    return found if is_frame else measures.average(found)


def _kind(frame):
    """Return the file and the function that score a frame."""
    if isinstance(frame, (str, os.PathLike)) or (
        isinstance(frame, list)
        and frame
        and all(isinstance(path, (str, os.PathLike)) for path in frame)
    ):
        return "arrow", "score_path"
    for base in type(frame).__mro__:
        for (module, name), kind in _KINDS.items():
            if base.__name__ == name and f"{base.__module__}.".startswith(f"{module}."):
                return kind
    if hasattr(frame, "__arrow_c_stream__"):
        return "arrow", "score_stream"
    if isinstance(frame, Iterator):
        return "tables", "score_generator"
    raise TypeError(
        "frame must be a DataFrame of pandas, Polars, Dask or Spark, a Polars "
        "LazyFrame, a PyArrow Table, RecordBatch, RecordBatchReader, Dataset or "
        "Scanner, paths of Parquet files or a folder, an iterator of batches, or "
        "export an Arrow stream; got "
        f"{type(frame).__module__}.{type(frame).__qualname__}."
    )
