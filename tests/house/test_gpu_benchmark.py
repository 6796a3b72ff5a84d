"""The benchmark of tensors runs, and stops where it cannot."""

import os
import re
import subprocess
import sys

import pytest

from oracles.places import ROOT

BENCHMARK = ROOT / "benchmarks" / "gpu.py"

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(
    not BENCHMARK.exists(), reason="benchmarks/ is not part of an installed package"
)


def run(*options):
    return subprocess.run(
        [sys.executable, str(BENCHMARK), "--quick", "--limit", "0.01", *options],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_every_time_is_printed(device):
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("torch finds no GPU")
    done = run("--device", device)
    assert done.returncode == 0, done.stderr
    facts, *tables = done.stdout.split("milliseconds")
    assert len(tables) == 2
    for fact in ("processor", "SIMD of NumPy", "torch", "device"):
        assert f"\n{fact}: " in "\n" + facts
    for table in tables:
        for row in ("one read", "argsort", "ndcg@10", "p@10", "map", "ten measures"):
            times = re.search(rf"^{row} +([\d.]+) +([\d.]+) +([\d.]+)$", table, re.M)
            assert times is not None, row


@pytest.mark.skipif(torch.cuda.is_available(), reason="torch finds a GPU")
def test_without_a_gpu_it_says_so():
    done = run()
    assert done.returncode == 2
    assert "torch finds no CUDA device here; --device cpu" in done.stderr
