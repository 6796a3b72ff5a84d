"""Memory that blocks take."""

import os
import platform
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import numpy as np
from sklearn_irmetrics import ndcg_score

def page_faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

y_score = np.random.default_rng(0).random((100, 20_000))
y_true = (y_score > 0.9).astype(float)
ndcg_score(y_true, y_score)
before = page_faults()
ndcg_score(y_true, y_score)
print(page_faults() - before)
"""


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="tells how glibc keeps memory"
)
def test_blocks_use_what_the_blocks_before_freed():
    # Dask, for one, leaves an order to give memory back in the environment.
    variables = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=True,
        env=variables,
    )
    n_pages = 100 * 20_000 * 8 // 4096  # of one of the inputs
    assert int(run.stdout) < n_pages / 10
