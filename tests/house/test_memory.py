"""What calls leave behind in the memory of their host."""

import platform
import subprocess
import sys

import pytest

from oracles.places import ROOT

BENCHMARK = ROOT / "benchmarks" / "host_memory.py"


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="tells what glibc gives back"
)
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
