"""Time reading, aligning and writing a TREC run of a million lines.

Run from the root of the project: ``python benchmarks/trec_reading.py``. Exits with 1
when reading the plain file takes 2 seconds or more.
"""

import argparse
import gzip
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sklearn_irmetrics.runs import Qrels, Run, align, read_run, write_run  # noqa: E402


def make_run(n_queries, n_docs, rng):
    """Draw documents from a collection of 8 million and give them scores."""
    n_rows = n_queries * n_docs
    qid = np.repeat([f"{200_000 + q}" for q in range(n_queries)], n_docs)
    docs = rng.integers(8_000, size=n_rows) + np.tile(np.arange(n_docs), n_queries) * (
        8_000
    )
    docno = np.array([f"msmarco_doc_{doc:08d}" for doc in docs.tolist()], dtype=object)
    return Run(qid.astype(object), docno, rng.normal(10, 3, n_rows), "bm25")


def best_of(function, repeat):
    """Return the smallest time of several calls, in seconds."""
    times = []
    for _ in range(repeat):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return min(times)


def main():
    """Print one line per task; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--documents", type=int, default=1000, help="per query")
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()

    rng = np.random.default_rng(0)
    run = make_run(args.queries, args.documents, rng)
    picked = rng.choice(len(run), len(run) // 20, replace=False)
    grade = rng.integers(-1, 4, len(picked)).astype(np.float64)
    qrels = Qrels(run.qid[picked], run.docno[picked], grade)
    tied = Run(run.qid, run.docno, np.round(run.score), run.tag)

    with tempfile.TemporaryDirectory() as folder:
        plain, packed, commented, copy = (
            Path(folder) / name for name in ("run", "run.gz", "commented", "copy")
        )
        write_run(run, plain)
        text = plain.read_bytes()
        packed.write_bytes(gzip.compress(text, 6))
        commented.write_bytes(b"# a comment\n" + text.replace(b"bm25", b"bm25 more"))
        print(f"{len(run)} lines, {len(text) / 1e6:.0f} MB, {len(qrels)} judgments")

        tasks = {
            "read_run, plain": lambda: read_run(plain),
            "read_run, gzip": lambda: read_run(packed),
            "read_run, comment and extra fields": lambda: read_run(commented),
            "align": lambda: align(qrels, run),
            "align, max_docs=100": lambda: align(qrels, run, max_docs=100),
            "align, nearly all tied": lambda: align(qrels, tied),
            "write_run, plain": lambda: write_run(run, copy),
        }
        try:
            import pytrec_eval
        except ImportError:
            pass
        else:

            def parse_run():
                with open(plain) as file:
                    pytrec_eval.parse_run(file)

            tasks["pytrec_eval.parse_run, plain"] = parse_run
        try:
            import pandas as pd
        except ImportError:
            pass
        else:
            tasks["pandas.read_csv, plain, no checks"] = lambda: pd.read_csv(
                plain, sep=" ", header=None, quoting=3, dtype={0: str, 2: str}
            )
        seconds = {}
        for name, task in tasks.items():
            seconds[name] = best_of(task, args.repeat)
            print(f"{name:<36}{seconds[name]:8.2f} s", flush=True)

    fast = seconds["read_run, plain"] < 2
    if not fast:
        print("read_run took 2 s or more", file=sys.stderr)
    return 0 if fast else 1


if __name__ == "__main__":
    sys.exit(main())
