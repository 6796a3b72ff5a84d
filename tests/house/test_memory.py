"""What calls leave behind in the memory of their host."""

import platform
import subprocess
import sys

import pytest

from oracles.places import ROOT
from sklearn_irmetrics._core import blocks, heap

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
import numpy as np
from sklearn_irmetrics import score_queries

y_true, y_score = np.zeros((8000, 100)), np.random.default_rng(0).random((8000, 100))
y_true[:, 0] = 1
for _ in range(3):  # what is imported and remembered is new once
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    score_queries(y_true, y_score, ["map", "bpref"], n_jobs=int(sys.argv[1]))
    after = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
print(after - before)
"""


@only_glibc
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_blocks_take_the_memory_of_those_before_them(n_jobs):
    pages_of_a_block = blocks.BLOCK_CELLS * heap._BYTES_PER_CELL / 4096
    run = subprocess.run(
        [sys.executable, "-c", "import sys" + COUNT, str(n_jobs)],
        capture_output=True,
        text=True,
        check=True,
    )
    n_blocks = 8000 * 100 / blocks.BLOCK_CELLS
    assert int(run.stdout) < n_blocks / 4 * pages_of_a_block  # else more than half
