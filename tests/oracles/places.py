"""Where things lie, in a checkout and in an unpacked source distribution."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED_DATA = ROOT.parent / "shared" / "data"


def benchmark(name):
    """Import a script of benchmarks/, or skip: an installed package has none."""
    folder = ROOT / "benchmarks"
    if not folder.is_dir():
        pytest.skip("benchmarks/ is not here")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        return importlib.import_module(name)
