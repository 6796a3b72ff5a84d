"""What it saves to let glibc keep free memory for the next block.

Run ``python benchmarks/freed_memory.py``. Five measures of 2,000 queries of 20,000
documents, in processes of their own, by turns: as the package does it, and with the
thresholds that glibc has before a large array is freed. CPU times, the least of three.
"""

import os
import subprocess
import sys

CALLS = """
from time import process_time
import numpy as np
from sklearn_irmetrics import score_queries
rng = np.random.default_rng(0)
y_true = np.zeros((2000, 20_000), dtype=np.int8)
y_true[:, :20] = 1
y_score = rng.random(y_true.shape)
times = []
for _ in range(3):
    start = process_time()
    score_queries(y_true, y_score, ["map", "ndcg@10", "mrr", "p@10", "recall@100"])
    times.append(process_time() - start)
print(min(times))
"""
# As large as at first, and fixed: no array that is freed raises it.
AS_AT_FIRST = {"MALLOC_TRIM_THRESHOLD_": "131072"}


def seconds(**settings):
    """Return the CPU time of a call in a process with settings of glibc."""
    run = [sys.executable, "-c", CALLS]
    found = subprocess.run(
        run, env=os.environ | settings, capture_output=True, text=True, check=True
    )
    return float(found.stdout)


if __name__ == "__main__":
    for _ in range(2):
        print(f"free memory is kept       {seconds():6.2f} s")
        print(f"it goes back to the system {seconds(**AS_AT_FIRST):5.2f} s")
