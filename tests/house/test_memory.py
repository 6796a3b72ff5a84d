"""What calls leave behind in the memory of their host."""

import platform
import subprocess
import sys

import pytest

from oracles.places import ROOT
from sklearn_irmetrics._core import blocks, score

BENCHMARK = ROOT / "benchmarks" / "host_memory.py"


only_glibc = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="tells what glibc gives back"
)


@only_glibc
@pytest.mark.skipif(
    not BENCHMARK.exists(), reason="benchmarks/ is not part of an installed package"
)
def test_a_call_does_not_change_what_the_allocator_gives_back():
    run = subprocess.run(
        [sys.executable, str(BENCHMARK), "--shape", "50x100", "1000x100"],
        capture_output=True,
        text=True,
        check=False,
    )
    shares = [float(line.split()[-1]) for line in run.stdout.splitlines()[1:]]
    assert len(shares) == 2, run.stderr
    assert max(shares) < 0.2  # 1 where the allocator keeps what the host frees


COUNT = """
import resource
import sys
import numpy as np
from sklearn_irmetrics import score_queries

n_queries, n_jobs = map(int, sys.argv[1:])
y_score = np.random.default_rng(0).random((n_queries, 100))
y_true = np.zeros_like(y_score)
y_true[:, 0] = 1
for _ in range(3):  # what is imported and remembered is new once
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    score_queries(y_true, y_score, ["map", "bpref"], n_jobs=n_jobs)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
print(after - before)
"""


@only_glibc
@pytest.mark.parametrize("n_jobs, enlarge", [(1, 1), (2, score._ENLARGE_FOR_THREADS)])
def test_blocks_take_the_memory_of_those_before_them(n_jobs, enlarge):
    n_blocks = 12
    cells = blocks.BLOCK_CELLS * enlarge
    run = subprocess.run(
        [sys.executable, "-c", COUNT, str(n_blocks * cells // 100), str(n_jobs)],
        capture_output=True,
        text=True,
        check=True,
    )
    n_pages = n_blocks * cells * 96 / 4096
    assert int(run.stdout) < n_pages / 4  # otherwise a third and more
