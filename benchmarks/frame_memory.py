"""Measure time and memory of `score_frame` on a Parquet file larger than memory allows.

Run from the root of the project: ``python benchmarks/frame_memory.py``. Exits with 1
when the process that scores needs 1 GiB or more. The file, about 500 MB for the
default 100 million rows, is written to a temporary folder and removed. The kinds
``stream`` and ``dask`` make as many rows while they are read, of 99 queries that come
again and again, and every value must be that of the plain loops of the tests.
"""

import argparse
import resource
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sklearn_irmetrics.frames import score_frame  # noqa: E402

LIMIT = 1024  # MiB
CHUNK = 1 << 20
TWINS = {"ndcg@10": ("ndcg_score", {"k": 10}), "map": ("average_precision_score", {})}
TWINS["mrr"] = "reciprocal_rank_score", {}


def write_queries(path, n_rows, *, documents, rows_per_group):
    """Write queries of 1 to about twice `documents` rows, a stretch at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    names = ["query", "grade", "score"]
    schema = pa.schema(zip(names, [pa.int64(), pa.int8(), pa.float32()], strict=True))
    query, left = 0, 0
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, n_rows, rows_per_group):
            size = min(rows_per_group, n_rows - start)
            lengths = [left]
            while sum(lengths) < size:
                lengths += rng.integers(
                    1, 2 * documents, 1 + size // documents
                ).tolist()
            ids = np.repeat(query + np.arange(len(lengths)), lengths)
            query, left = int(ids[size - 1]), int((ids[size:] == ids[size - 1]).sum())
            grades = rng.integers(0, 5, size, dtype=np.int8)
            scores = rng.random(size, dtype=np.float32) + grades.astype(np.float32) / 4
            columns = [pa.array(values) for values in (ids[:size], grades, scores)]
            writer.write_table(pa.table(columns, schema=schema), rows_per_group)


def known_queries(documents):
    """Return ids, grades and scores without ties, and the value of each query."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    from oracles import reference

    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(99), rng.integers(1, 2 * documents, 99))
    grades = rng.integers(0, 5, len(qid), dtype=np.int8)
    scores = rng.permutation(len(qid)).astype(np.float32)
    rows = grades.astype(float).tolist(), scores.tolist(), qid.tolist()
    expected = {
        name: reference.per_query(reference.RANKED[twin], *rows, **options)
        for name, (twin, options) in TWINS.items()
    }
    return (qid, grades, scores), expected


def table_of_known(number, columns, repeats):
    """Return the known queries some times over, with ids of their own each time."""
    import pandas as pd

    qid, grades, scores = (np.tile(column, repeats) for column in columns)
    again = np.repeat(np.arange(repeats), len(columns[0]))
    qid = qid + 99 * (number * repeats + again)
    return pd.DataFrame({"query": qid, "grade": grades, "score": scores})


def score_known(kind, n_rows, documents):
    """Return what `score` returns, for rows that are made while they are read."""
    import pyarrow as pa

    columns, expected = known_queries(documents)
    repeats = max(1, CHUNK // len(columns[0]))
    n_tables = max(1, round(n_rows / (repeats * len(columns[0]))))
    tables = partial(table_of_known, columns=columns, repeats=repeats)
    if kind == "dask":
        import dask
        import dask.dataframe as dd

        dask.config.set(scheduler="threads", num_workers=2)
        frame = dd.from_map(tables, range(n_tables))
    else:
        batches = (pa.RecordBatch.from_pandas(tables(i)) for i in range(n_tables))
        first = pa.RecordBatch.from_pandas(tables(0))
        frame = pa.RecordBatchReader.from_batches(first.schema, batches)
    measured, scores = score(frame, list(TWINS))
    for name, values in expected.items():
        values = np.tile(values, repeats * n_tables)
        np.testing.assert_allclose(scores.scores[name], np.nan_to_num(values), 0, 1e-12)
        np.testing.assert_allclose(scores.mean[name], np.nan_to_num(values).mean())
    return measured


def peak_memory():
    """Return the most memory that this process ever held, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def score_file(path, kind, metrics):
    """Return what `score` returns, for a file."""
    if kind == "lazy":
        import polars

        return score(polars.scan_parquet(path), metrics)[0]
    if kind == "dataset":
        import pyarrow.dataset as ds

        return score(ds.dataset(path), metrics)[0]
    return score(path, metrics)[0]


def score(frame, metrics):
    """Return seconds, peak memory before and after, queries and means; and all."""
    before = peak_memory()
    start = perf_counter()
    scores = score_frame(
        frame,
        metrics,
        qid="query",
        y_true="grade",
        y_score="score",
        replace_undefined_by=0.0,
    )
    seconds = perf_counter() - start
    return (seconds, before, peak_memory(), len(scores.query_ids), scores.mean), scores


def in_new_process(function, *args, **kwargs):
    """Call a function where nothing else has used memory."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *args, **kwargs).result()


def main():
    """Print one line per kind of frame; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--documents", type=int, default=120, help="per query, mean")
    parser.add_argument("--rows-per-group", type=int, default=CHUNK)
    parser.add_argument("--kinds", nargs="+", default=["path", "dataset", "lazy"])
    parser.add_argument("--metrics", nargs="+", default=["ndcg@10", "map", "mrr"])
    args = parser.parse_args()

    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "queries.parquet")
        if {"path", "dataset", "lazy"} & set(args.kinds):
            in_new_process(
                write_queries,
                path,
                args.rows,
                documents=args.documents,
                rows_per_group=args.rows_per_group,
            )
            megabytes = Path(path).stat().st_size / 2**20
            print(f"{args.rows:,} rows, {megabytes:.0f} MiB of Parquet")
        for kind in args.kinds:
            if kind in ("stream", "dask"):
                job = score_known, kind, args.rows, args.documents
            else:
                job = score_file, path, kind, args.metrics
            seconds, before, peak, n_queries, mean = in_new_process(*job)
            worst = max(worst, peak)
            means = ", ".join(f"{name} {value:.6f}" for name, value in mean.items())
            print(
                f"{kind:<7} {seconds:6.1f} s, peak {peak:5.0f} MiB ({before:.0f} MiB "
                f"after imports), {n_queries:,} queries, {means}"
            )
    return int(worst >= LIMIT)


if __name__ == "__main__":
    sys.exit(main())
