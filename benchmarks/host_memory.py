"""Measure what a call of this package leaves behind in the memory of its host.

Run from the root of the project: ``python benchmarks/host_memory.py``. A host fills and
frees 300 arrays of a megabyte each, with small ones in between. Where the allocator
gives such arrays back, its resident memory is as before. So it must be after calls of
`score_queries`, too, but for what they need themselves: the script exits with 1 if more
than 15 % of what the host freed stay.

Inputs are smaller than a megabyte. Once any program has freed a larger array, as that
of its own scores, glibc keeps arrays of that size for the next ones.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST = 0.15
FREED = 300  # MiB
SHAPES = ("50x100", "1000x100", "5000x20", "10x8000", "1x60000")
METRICS = ("p@10", "ndcg@10", "map", "err@20", "bpref", "infap", "kendall_tau")
HOST = """
import sys
import numpy as np
from sklearn_irmetrics import score_queries

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 2**20

height, width, n_calls = map(int, sys.argv[1:4])
rng = np.random.default_rng(0)
y_true = rng.integers(0, 3, (height, width))
y_true[:, 0] = 1
y_score = rng.random((height, width))
for n_jobs in (None, 2):  # what they import stays, and is no matter of arrays
    score_queries(y_true[:4], y_score[:4], sys.argv[4:], n_jobs=n_jobs)
for n_jobs in (None, 2)[:n_calls]:
    for scores in (y_score, np.round(y_score, 1)):
        score_queries(y_true, scores, sys.argv[4:], n_jobs=n_jobs)
arrays, small = [], []
for size in range(300):
    arrays.append(np.ones(1 << 17))
    small.append(np.ones(100 + size))
del arrays
print(resident())
"""


def resident_after(shape, n_calls, metrics=METRICS):
    """Return the resident memory of a host, in MiB, after its own work."""
    # An order in the environment would settle what the allocator keeps.
    variables = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
    variables["PYTHONPATH"] = str(ROOT)
    run = subprocess.run(
        [sys.executable, "-c", HOST, *shape.split("x"), str(n_calls), *metrics],
        capture_output=True,
        text=True,
        check=True,
        env=variables,
    )
    return float(run.stdout)


def main():
    """Print a line for each shape."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--shape", nargs="+", default=SHAPES, metavar="ROWSxCOLUMNS")
    worst = 0.0
    print("input            resident without   with calls, MiB   share that stays")
    for shape in parser.parse_args().shape:
        without, after = resident_after(shape, 0), resident_after(shape, 2)
        share = (after - without) / FREED
        worst = max(worst, share)
        print(f"{shape:14} {without:18.0f} {after:17.0f} {share:18.2f}")
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main())
