"""The benchmarks run: all tools give the same numbers, and what cannot run says so."""

import json
import math
import os
import re
import subprocess
import sys

import pytest

from oracles.places import ROOT

FOLDER = ROOT / "benchmarks"

pytestmark = pytest.mark.skipif(
    not FOLDER.exists(), reason="benchmarks/ is not part of an installed package"
)


def run(script, *options, status=0):
    """Run a benchmark on small data."""
    done = subprocess.run(
        [sys.executable, FOLDER / script, "--quick", "--limit", "0.01", *options],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == status, done.stderr
    return done


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Return the results of a run without tools that compile at first use."""
    path = tmp_path_factory.mktemp("benchmark") / "results.json"
    options = ["--shape", "ltr", "csr", "tiny", "--largest", "100000"]
    options += ["--tool", "pytrec_eval", "sklearn", "sklearn_cheaper"]
    run("compare_tools.py", *options, "--json", path)
    return json.loads(path.read_text(encoding="utf-8"))


def test_tools_give_the_same_numbers(results):
    failed = {(row["shape"], row["tool"]) for row in results["rows"] if row["why"]}
    assert failed == {("csr", "scikit-learn"), ("csr", "scikit-learn, cheaper")}
    times = [row["seconds"] for row in results["rows"] if not row["why"]]
    assert len(times) > 90
    assert all(seconds > 0 and math.isfinite(seconds) for seconds in times)
    differences = [row["difference"] for row in results["rows"]]
    differences = [found for found in differences if found is not None]
    assert len(differences) > 30
    assert max(differences) < 1e-6
    named = [row["n_measures"] for row in results["rows"] if "thirty" in row["measure"]]
    assert max(named) == 30


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_every_time_of_tensors_is_printed(device):
    torch = pytest.importorskip("torch")
    if device == "cuda" and not torch.cuda.is_available():
        done = run("gpu.py", "--device", "cuda", status=2)
        assert "torch finds no CUDA device here; --device cpu" in done.stderr
        return
    done = run("gpu.py", "--device", device)
    facts, *tables = done.stdout.split("milliseconds")
    assert len(tables) == 2
    for fact in ("processor", "SIMD of NumPy", "torch", "device"):
        assert f"\n{fact}: " in "\n" + facts
    for table in tables:
        for row in ("one read", "argsort", "ndcg@10", "p@10", "map", "ten measures"):
            times = re.search(rf"^{row} +([\d.]+) +([\d.]+) +([\d.]+)$", table, re.M)
            assert times is not None, row
