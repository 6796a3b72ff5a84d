"""Time this package beside an earlier commit of it, by turns.

Run from the root of the project: ``python benchmarks/against_commit.py f053cb1``. Each
time is taken twice in a process of its own, on one core, the two versions by turns: CPU
time, the least of several runs after a warm-up. Exits with 1 where anything is slower
by more than 5 %.
"""

import argparse
import json
import os
import pickle
import subprocess
import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path
from time import process_time

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import numpy as np  # noqa: E402 (after the thread limits)
from doors import make_files  # noqa: E402
from shapes import SHAPES, make_shape  # noqa: E402
from sklearn.base import BaseEstimator, RegressorMixin  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
FIVE = ["map", "ndcg@10", "mrr", "p@10", "recall@100"]
ONE_BY_ONE = ["p@10", "recall@100", "rprec", "mrr", "map", "iprec@0.50", "11pt"]
ONE_BY_ONE += ["bpref", "roc_auc", "rbp", "err@20", "dcg@10", "ndcg@10", "ndcg"]


def shape_calls(name, quick):
    """Return calls on one of the shapes of the comparison of tools."""
    import sklearn_irmetrics as irm

    shape = make_shape(name, quick)
    data = shape.y_true, shape.y_score
    score = partial(irm.score_queries, *data, **shape.options)
    calls = {measure: partial(score, [measure]) for measure in ONE_BY_ONE}
    return calls | {"five measures": partial(score, FIVE)}


def small_calls(quick):
    """Return calls on one query, and on a thousand."""
    import sklearn_irmetrics as irm

    def many(function, *arguments, **options):
        for _ in range(100):
            function(*arguments, **options)

    rng = np.random.default_rng(0)
    one = rng.integers(0, 4, (1, 10)), rng.random((1, 10))
    rows = rng.integers(0, 4, 100_000), rng.random(100_000)
    options = {"qid": np.repeat(np.arange(1000), 100)}
    scorer = irm.get_scorer("ndcg@10", qid=0)
    X, model = options["qid"][:, None], _Fixed(rows[1])
    return {
        "ndcg_score; 100 calls, 10 documents": partial(many, irm.ndcg_score, *one),
        "five measures; 100 calls, 10 documents": partial(
            many, irm.score_queries, *one, FIVE
        ),
        "ndcg_score, 1000 queries": partial(irm.ndcg_score, *rows, k=10, **options),
        "five measures, 1000 queries": partial(
            irm.score_queries, *rows, FIVE, **options
        ),
        "scorer, 1000 queries": partial(scorer, model, X, rows[0]),
    }


class _Fixed(RegressorMixin, BaseEstimator):
    """An estimator that predicts what it was given."""

    def __init__(self, y_score):
        self.y_score = y_score

    def predict(self, X):
        """Return the scores."""
        return self.y_score


def file_calls(quick):
    """Return calls on a run and its judgments."""
    import sklearn_irmetrics as irm
    from sklearn_irmetrics import runs

    folder = Path(tempfile.mkdtemp())
    make_files(folder, 20 if quick else 500, 1000)
    qrels, run = pickle.loads((folder / "dicts").read_bytes())

    def score(qrels, run):
        aligned = runs.align(qrels, run)
        rows = aligned.y_true, aligned.y_score
        return irm.score_queries(*rows, FIVE, qid=aligned.qid)

    return {
        "files, five measures": lambda: score(
            runs.read_qrels(folder / "qrels"), runs.read_run(folder / "run")
        ),
        "dictionaries, five measures": lambda: score(qrels, run),
    }


def times_of(call, limit):
    """Return the least CPU time of several runs, after one to warm up."""
    call()
    times = []
    while not times or (len(times) < 15 and sum(times) < limit):
        start = process_time()
        call()
        times.append(process_time() - start)
    return min(times)


def work(shape, options):
    """Print the times of one shape, of the package that can be imported."""
    warnings.simplefilter("ignore")  # of undefined queries
    make = {"small": small_calls, "files": file_calls}
    calls = make.get(shape, partial(shape_calls, shape))(options.quick)
    print(json.dumps({name: times_of(c, options.limit) for name, c in calls.items()}))


def run_once(shape, checkout, words):
    """Return the times of one shape with the package of a checkout."""
    command = [sys.executable, __file__, "-", *words, "--work", shape]
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def unpack(commit, folder):
    """Write the package as it was at a commit."""
    archive = ["git", "-C", str(ROOT), "archive", commit, "sklearn_irmetrics"]
    packed = subprocess.run(archive, check=True, capture_output=True).stdout
    subprocess.run(["tar", "x", "-C", folder], check=True, input=packed)


def main():
    """Print all times; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("commit")
    shapes = [*SHAPES, "small", "files"]
    parser.add_argument("--shape", nargs="*", choices=shapes, default=shapes)
    parser.add_argument("--quick", action="store_true", help="small data")
    parser.add_argument("--limit", type=float, default=1.0, help="seconds per time")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.work, options)
        return 0
    words = ["--limit", str(options.limit), *["--quick"][: options.quick]]
    slower = []
    with tempfile.TemporaryDirectory() as folder:
        unpack(options.commit, folder)
        for shape in options.shape:
            rounds = [
                [run_once(shape, checkout, words) for checkout in (folder, ROOT)]
                for _ in range(options.rounds)
            ]
            for name in rounds[0][0]:
                before, now = (min(r[side][name] for r in rounds) for side in (0, 1))
                print(
                    f"{shape:<6}{name:<40}{1e3 * before:10.3f} ms {1e3 * now:10.3f} ms"
                    f"{now / before:7.2f}",
                    flush=True,
                )
                if now > 1.05 * before:
                    slower.append(f"{shape} {name}")
    print(f"{len(slower)} slower by more than 5 %: {', '.join(slower) or 'none'}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
