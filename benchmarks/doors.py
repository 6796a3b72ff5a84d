"""Time the way from files and dictionaries to five means, beside pytrec_eval.

Run from the root of the project: ``python benchmarks/doors.py``. Every measurement is a
whole process of its own, on one core, the two tools by turns; CPU seconds, of which the
least of several counts. Exits with 1 where we take more than 0.6 of pytrec_eval's time,
or more than 1.5 of its memory.
"""

import argparse
import os
import pickle
import subprocess
import sys
import tempfile
from multiprocessing import get_context
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
PEER = """
import pytrec_eval
MEASURES = {"map", "ndcg_cut.10", "recip_rank", "P.10", "recall.100"}
def score(qrels, run):
    rows = pytrec_eval.RelevanceEvaluator(qrels, MEASURES).evaluate(run).values()
    names = sorted(next(iter(rows)))
    return [sum(row[name] for row in rows) / len(rows) for name in names]
"""
OURS = """
import sklearn_irmetrics
MEASURES = ["p@10", "map", "ndcg@10", "recall@100", "mrr"]
def score(qrels, run):
    return list(sklearn_irmetrics.score_run(qrels, run, MEASURES).mean.values())
"""
FROM_FILES = {
    "pytrec_eval": PEER
    + """
with open("qrels") as qrels, open("run") as run:
    print(*score(pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)))
""",
    "this package": OURS + 'print(*score("qrels", "run"))\n',
}
# The dictionaries are there before, and the first call is a warm-up.
FROM_DICTS = """
import pickle, sys, time
with open("dicts", "rb") as file:
    qrels, run = pickle.load(file)
score(*({qid: one[qid] for qid in list(one)[:9]} for one in (qrels, run)))
start = time.process_time()
means = score(qrels, run)
print("seconds", time.process_time() - start, file=sys.stderr)
print(*means)
"""


TASKS = {
    "from files, whole process": FROM_FILES,
    "from dictionaries": {
        "pytrec_eval": PEER + FROM_DICTS,
        "this package": OURS + FROM_DICTS,
    },
}


def make_files(folder, n_queries, n_docs):
    """Write judgments and a run, as files and as pickled dictionaries."""
    rng = np.random.default_rng(0)
    qrels, run = {}, {}
    for query in range(n_queries):
        docs = rng.choice(8_000_000, n_docs + 10, replace=False)
        names = [f"msmarco_doc_{doc:08d}" for doc in docs.tolist()]
        score = np.sort(rng.normal(10, 3, n_docs))[::-1].round(6).tolist()
        judged = [names[i] for i in rng.choice(n_docs, 40, replace=False)]
        grades = rng.integers(0, 4, 40).tolist() + [1] * 10
        qid = str(200_000 + query)
        qrels[qid] = dict(zip(judged + names[n_docs:], grades, strict=True))
        run[qid] = dict(zip(names, score, strict=False))
    (folder / "dicts").write_bytes(pickle.dumps((qrels, run)))
    with open(folder / "qrels", "w") as file:
        for qid, inside in qrels.items():
            file.writelines(f"{qid} 0 {doc} {grade}\n" for doc, grade in inside.items())
    with open(folder / "run", "w") as file:
        for qid, inside in run.items():
            rows = enumerate(inside.items(), start=1)
            file.writelines(f"{qid} Q0 {doc} {i} {s} bm25\n" for i, (doc, s) in rows)


def run_once(script, folder):
    """Run a script; return its CPU seconds, peak memory in MB, and what it printed."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", script]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, cwd=folder, env=environment, **pipes) as process:
        means, told = process.stdout.read(), process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(told)
    seconds = usage.ru_utime + usage.ru_stime
    if told.startswith("seconds"):
        seconds = float(told.split()[1])
    return seconds, usage.ru_maxrss / 1024, np.array(means.split(), dtype=float)


def best_runs(n_queries, n_docs, repeat):
    """Yield tasks with what each tool took at best, and the size of the run in MB."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        # Elsewhere: a process passes the peak of its memory on to its children.
        maker = get_context("spawn").Process(
            target=make_files, args=(folder, n_queries, n_docs)
        )
        maker.start()
        maker.join()
        size = (folder / "run").stat().st_size / 2**20
        for task, scripts in TASKS.items():
            best = {}
            for _ in range(repeat):
                for tool, script in scripts.items():
                    found = run_once(script, folder)
                    best[tool] = min(best.get(tool, found), found, key=lambda x: x[0])
            yield task, size, *best.values()


def main():
    """Print times and ratios; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--documents", type=int, default=1000, help="per query")
    parser.add_argument("--repeat", type=int, default=5)
    args = parser.parse_args()
    good = True
    for task, size, theirs, ours in best_runs(
        args.queries, args.documents, args.repeat
    ):
        (peer, peer_memory, expected), (seconds, memory, means) = theirs, ours
        difference = np.abs(np.sort(expected) - np.sort(means)).max()
        print(
            f"{args.queries} queries x {args.documents} documents, {size:.0f} MB\n"
            f"{task:<27}{peer:6.2f} s {peer_memory:5.0f} MB  pytrec_eval\n"
            f"{'':<27}{seconds:6.2f} s {memory:5.0f} MB  this package: "
            f"{seconds / peer:.2f} of its time, {memory / peer_memory:.2f} of its "
            f"memory, means within {difference:.0e}"
        )
        good &= seconds <= 0.6 * peer and memory <= 1.5 * peer_memory
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
