"""The benchmark of tools runs, and all tools give the same numbers."""

import json
import math
import os
import subprocess
import sys

import pytest

from oracles.places import ROOT

BENCHMARK = ROOT / "benchmarks" / "compare_tools.py"

pytestmark = pytest.mark.skipif(
    not BENCHMARK.exists(), reason="benchmarks/ is not part of an installed package"
)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Return the results of a quick run without tools that compile at first use."""
    path = tmp_path_factory.mktemp("benchmark") / "results.json"
    command = [sys.executable, str(BENCHMARK), "--quick", "--limit", "0.01"]
    command += ["--shape", "ltr", "dense", "csr", "tiny"]
    command += ["--tool", "pytrec_eval", "sklearn", "sklearn_cheaper"]
    run = subprocess.run(
        [*command, "--largest", "100000", "--json", str(path)],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(path.read_text(encoding="utf-8")) | {"printed": run.stdout}


def test_every_time_is_a_time(results):
    times = [row for row in results["rows"] if not row["why"]]
    assert len(times) > 120
    assert all(row["seconds"] > 0 and math.isfinite(row["seconds"]) for row in times)


def test_nothing_fails_but_what_cannot_be(results):
    failed = {(row["shape"], row["tool"]) for row in results["rows"] if row["why"]}
    assert failed == {
        ("csr", "scikit-learn"),
        ("csr", "scikit-learn, cheaper"),
    }


def test_tools_give_the_same_numbers(results):
    compared = [row for row in results["rows"] if row["difference"] is not None]
    assert len(compared) > 40
    assert max(row["difference"] for row in compared) < 1e-6


def test_report_has_files_where_another_tool_reads_them(results):
    pytest.importorskip("pytrec_eval")
    assert "### Files and dictionaries\n" in results["printed"]


def test_report_has_every_shape_and_section(results):
    printed = results["printed"]
    for title in ("Learning to rank", "Many tiny queries", "Recommender, CSR"):
        assert f"### {title}\n" in printed
    assert "### Small calls\n" in printed
    for section in ("Memory", "Growth", "Threads"):
        assert f"## {section}\n" in printed


def test_thirty_measures_are_thirty(results):
    named = [row["n_measures"] for row in results["rows"] if "thirty" in row["measure"]]
    assert max(named) == 30
