"""Measure what merging costs, and that it gives one call's numbers on clusters, too.

Run from the root of the project: ``python benchmarks/merging.py states``, and
``memory``, ``dask`` and ``spark``. Files are written to a temporary folder and removed.
Exits with 1 if a number or a limit is missed. The last two kill a worker on the way.
"""

import argparse
import math
import os
import resource
import signal
import sys
import tempfile
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from sklearn_irmetrics import score_queries  # noqa: E402
from sklearn_irmetrics._statistics.moments import (  # noqa: E402
    Moments,
    merge_states,
    sum_values,
)
from sklearn_irmetrics.frames import score_frame, summarize_frame  # noqa: E402

COLUMNS = {"qid": "query", "y_true": "grade", "y_score": "score"}
METRICS = ["ndcg@10", "map", "mrr", "p@5"]
DOCUMENTS = 10
LIMIT = 600  # MiB


def measure_states(n_parts=1000, size=100_000):
    """Merge the states of many partitions; compare with exact sums."""
    parts = [np.random.default_rng(i).random(size) for i in range(n_parts)]
    table = np.concatenate([sum_values(part[np.newaxis]) for part in parts])
    start = perf_counter()
    found = Moments(merge_states(table)[0, 0])
    seconds = perf_counter() - start
    n = n_parts * size
    mean = math.fsum(math.fsum(part.tolist()) for part in parts) / n
    square = math.fsum(math.fsum(((part - mean) ** 2).tolist()) for part in parts)
    error = math.sqrt(square / (n - 1) / n)
    wrong = abs(found.mean / mean - 1), abs(found.t_interval(0.95)[0] / error - 1)
    print(
        f"{n_parts} states of {n} values, {table[0].nbytes} bytes each: merged in "
        f"{1000 * seconds:.1f} ms; relative error of the mean {wrong[0]:.1e}, of its "
        f"standard error {wrong[1]:.1e}"
    )
    return seconds < 1 and max(wrong) < 1e-12


def write_rows(path, n_queries, at_once=100_000):
    """Write queries with ids of 27 characters, in no order."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    names = rng.permutation(n_queries)
    writer = None
    for start in range(0, n_queries, at_once):
        ids = [f"query-{n:021d}" for n in names[start : start + at_once].tolist()]
        table = pa.table(
            {
                "query": pa.array(ids).take(np.repeat(np.arange(len(ids)), DOCUMENTS)),
                "grade": rng.integers(0, 3, DOCUMENTS * len(ids), dtype=np.int8),
                "score": rng.random(DOCUMENTS * len(ids), dtype=np.float32),
            }
        )
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table, 1 << 20)
    writer.close()


def score_file(path, per_query):
    """Return seconds and peak memory in MiB."""
    warnings.simplefilter("ignore")
    start = perf_counter()
    if per_query:
        score_frame(path, METRICS, **COLUMNS)
    else:
        summarize_frame(path, METRICS, **COLUMNS, batch_size=1 << 18)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return perf_counter() - start, peak


def apart(function, *arguments):
    """Return what a function does in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def measure_memory():
    """Measure the peak of files of two sizes, with and without scores of queries."""
    peaks = {}
    with tempfile.TemporaryDirectory() as folder:
        for n_queries in (200_000, 2_000_000):
            path = f"{folder}/{n_queries}.parquet"
            apart(write_rows, path, n_queries)
            for per_query in (True, False):
                seconds, peak = apart(score_file, path, per_query)
                peaks[per_query, n_queries] = peak
                print(
                    f"{DOCUMENTS * n_queries} rows of {n_queries} queries, scores "
                    f"kept: {per_query}: {seconds:.1f} s, peak {peak:.0f} MiB"
                )
    small, large = (peaks[False, n] for n in (200_000, 2_000_000))
    return max(peaks.values()) <= LIMIT and large < small + 30


def make_rows(ids):
    """Return grades and scores of rows that follow from their numbers."""
    mixed = (ids.astype(np.uint64) + 1) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return (mixed >> np.uint64(60)).astype(np.int8) % 3, mixed / 2.0**64


def want_of(n_queries):
    """Return the scores of all queries of one machine; row i is of query i % n."""
    ids = np.arange(DOCUMENTS * n_queries)
    return score_queries(*make_rows(ids), METRICS, qid=ids % n_queries)


def agrees(found, want):
    """Compare means, counts and intervals."""
    wrong = [abs(found.mean[label] - want.mean[label]) for label in METRICS]
    ends = [np.subtract(found.interval(m), want.interval(m)) for m in METRICS]
    print(
        f"  means differ by {max(wrong):.1e}, intervals by {np.max(np.abs(ends)):.1e}"
    )
    return max(wrong) < 1e-12 and found.n_defined == want.n_defined


def once(path):
    """Return True the first time that any process asks."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def measure_dask(n_queries, n_partitions=40):
    """Score shuffled rows on two workers, then again with one that dies."""
    import dask
    import dask.dataframe as dd
    import pandas as pd
    from distributed import Client, LocalCluster

    want, fine = want_of(n_queries), True
    edges = np.linspace(0, DOCUMENTS * n_queries, n_partitions + 1).astype(int)
    meta = pd.DataFrame({"query": [0], "grade": np.int8([0]), "score": [0.0]}).head(0)
    with tempfile.TemporaryDirectory() as folder:
        for dies in (False, True):

            def make(start, end, dies=dies):
                if dies and start > edges[-1] // 2 and once(f"{folder}/died"):
                    os._exit(1)
                ids = np.arange(start, end)
                (Path(folder) / f"{dies}-{start}-{os.getpid()}").touch()
                grades, scores = make_rows(ids)
                columns = {"query": ids % n_queries, "grade": grades, "score": scores}
                return pd.DataFrame(columns)

            with (
                LocalCluster(
                    n_workers=2, threads_per_worker=1, dashboard_address=None
                ) as cluster,
                Client(cluster),
            ):
                parts = map(dask.delayed(make), edges[:-1], edges[1:])
                frame = dd.from_delayed([*parts], meta=meta, verify_meta=False)
                start = perf_counter()
                found = summarize_frame(frame, METRICS, **COLUMNS)
                seconds = perf_counter() - start
            n_made = len([*Path(folder).glob(f"{dies}-*")])
            print(
                f"Dask, {edges[-1]} rows of {n_queries} queries, a worker dies: {dies}"
                f": {seconds:.1f} s, partitions made {n_made} times of {n_partitions}"
            )
            fine &= agrees(found, want) and (dies or n_made == n_partitions)
            fine &= dies == Path(f"{folder}/died").exists()
    return fine


def measure_spark(n_queries):
    """Score on two executors with little room at the driver; then lose executors."""
    from pyspark.sql import SparkSession

    want, fine = want_of(n_queries), True
    for name in ("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"):
        os.environ[name] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYTHONPATH"] = str(ROOT)
    options = {
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.maxResultSize": "10m",
        "spark.driver.memory": "1g",
        "spark.executor.memory": "1g",
        "spark.executorEnv.PYTHONPATH": str(ROOT),
        "spark.sql.shuffle.partitions": "16",
        "spark.task.maxFailures": "8",
        "spark.log.level": "ERROR",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1400]")
    spark = builder.config(map=options).getOrCreate()
    with tempfile.TemporaryDirectory() as folder:
        for dies in (False, True):
            made = spark.sparkContext.accumulator(0)

            def make(batches, dies=dies, made=made, folder=folder):
                import pyarrow as pa

                for batch in batches:
                    ids = batch.column(0).to_numpy()
                    if dies and ids[0] > n_queries and once(f"{folder}/died"):
                        daemon = Path(f"/proc/{os.getppid()}/stat").read_text()
                        os.kill(int(daemon.split(") ")[1].split()[1]), signal.SIGKILL)
                    made.add(len(ids))
                    grades, scores = make_rows(ids)
                    columns = [ids % n_queries, grades, scores]
                    names = ["query", "grade", "score"]
                    yield pa.RecordBatch.from_arrays([*map(pa.array, columns)], names)

            rows = spark.range(0, DOCUMENTS * n_queries, 1, 16)
            frame = rows.mapInArrow(make, "query long, grade byte, score double")
            start = perf_counter()
            found = summarize_frame(frame, METRICS, **COLUMNS)
            print(
                f"Spark, {DOCUMENTS * n_queries} rows of {n_queries} queries, an "
                f"executor dies: {dies}: {perf_counter() - start:.1f} s, rows made "
                f"{made.value / n_queries / DOCUMENTS:.2f} times"
            )
            fine &= agrees(found, want) and dies == Path(f"{folder}/died").exists()
            fine &= dies or made.value == DOCUMENTS * n_queries
    spark.stop()
    return fine


def main():
    """Run one of the measurements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["states", "memory", "dask", "spark"])
    parser.add_argument("--queries", type=int, default=2_000_000)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    measure = {"states": measure_states, "memory": measure_memory}
    if args.what in measure:
        return measure[args.what]()
    return {"dask": measure_dask, "spark": measure_spark}[args.what](args.queries)


if __name__ == "__main__":
    sys.exit(not main())
