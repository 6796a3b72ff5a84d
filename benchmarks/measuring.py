"""Times, memory, and what they were taken on."""

import ctypes
import gc
import multiprocessing
import os
import platform
import re
import tracemalloc
import warnings
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

import sklearn_irmetrics as irm

# Parts of a shape that are tried before all of it.
SHARES = (0.001, 0.01, 0.1, 1.0)


@dataclass(frozen=True)
class Row:
    """One time: the median and the least of several warm runs, in seconds.

    `share` is the part of the queries that was measured; the times are scaled up to all
    of them. `ours` is our time for the same measures, `difference` the largest of
    the means from ours. `why` says what kept the tool from a time.
    """

    shape: str
    tool: str
    measure: str
    seconds: float | None = None
    least: float | None = None
    repeats: int = 0
    share: float = 1.0
    n_measures: int = 1
    ours: float | None = None
    our_least: float | None = None
    difference: float | None = None
    why: str = ""


def timed(function):
    """Return what the function returns, and its time."""
    start = perf_counter()
    result = function()
    return result, perf_counter() - start


def times_of(function, limit, warm=None, most=7):
    """Return the times of warm runs: as many as the limit allows, two at least.

    `warm` is the time of a run before; None: there was none.
    """
    if warm is None:
        _, warm = timed(function)
    repeats = int(min(most, max(2, limit / max(warm, 1e-9))))
    return [timed(function)[1] for _ in range(repeats)]


def measure_time(function, limit, warm=None, **facts):
    """Return a `Row` of the function's times."""
    times = times_of(function, limit, warm)
    return Row(seconds=median(times), least=min(times), repeats=len(times), **facts)


class Stages:
    """Growing parts of a shape as a tool wants them, each only when it can be afforded.

    A part is measured when the one before, a tenth of it, lets expect at most `limit`
    seconds, and prepared when it lets expect at most ten times that.
    """

    def __init__(self, tool, shape, limit):
        self.tool, self.shape, self.limit = tool, shape, limit
        self.parts = []
        self.seconds = []

    def evaluation(self, measures):
        """Return the largest part worth its time, a function for it, and one run of it.

        The run is what the function returned, and its time.
        """
        for stage in range(len(SHARES)):
            if stage == len(self.parts) and not self._prepare_next():
                break
            part, prepared = self.parts[stage]
            function = self.tool.evaluation(prepared, measures)
            if stage == 0:
                function()  # the first run may compile
            found = part, function, timed(function)
            if found[-1][-1] * 10 > self.limit:
                break
        return found

    def _prepare_next(self):
        if self.seconds and self.seconds[-1] > self.limit:
            return False
        part = self.shape.part(SHARES[len(self.parts)])
        if not self.parts:
            self.tool.prepare(part)  # the first run may compile
        prepared, seconds = timed(lambda: self.tool.prepare(part))
        self.parts.append((part, prepared))
        self.seconds.append(seconds)
        return True

    def share(self, part):
        """Return how much of the shape a part is."""
        return part.n_units / self.shape.n_units

    @property
    def preparation(self):
        """Time to prepare all data, scaled up from the largest part, and its share."""
        share = self.share(self.parts[-1][0])
        return self.seconds[-1] / share, share


def peak_memory(function):
    """Return the most memory that NumPy and Python took at once, in bytes."""
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def resident_memory(make, tool, measures):
    """Return what a fresh process takes for the tool's own form of data, and beyond it.

    Both in bytes, None where the system does not tell.
    """
    if not Path("/proc/self/clear_refs").exists():
        return None
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_resident_memory, (make, tool, measures))


def _resident_memory(make, tool, measures):
    warnings.simplefilter("ignore")
    shape = make()
    small = tool.prepare(shape.part(0.01))
    tool.evaluation(small, measures)()
    before = _resident()
    function = tool.evaluation(tool.prepare(shape), measures)
    prepared = _resident()
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    function()
    return prepared - before, _status("VmHWM") - prepared


def _resident():
    """Return what the process holds, without what it freed and keeps for later."""
    gc.collect()
    libc = ctypes.CDLL(None)
    if hasattr(libc, "malloc_trim"):
        libc.malloc_trim(0)
    return _status("VmRSS")


def _status(name):
    line = re.search(rf"{name}:\s+(\d+)", Path("/proc/self/status").read_text())
    return int(line[1]) * 1024


def machine(tools):
    """Return what the results depend on."""
    simd = np.show_config(mode="dicts").get("SIMD Extensions", {})
    versions = {}
    for tool in tools:
        versions |= tool.versions or {}
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "SIMD of NumPy": ", ".join(simd.get("baseline", []) + simd.get("found", [])),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "SciPy": version("scipy"),
        "sklearn_irmetrics": irm.__version__,
        **versions,
    }


def processor():
    """Return the name of the processor, with family and model where they are told."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    facts = dict(re.findall(r"^([\w ]+?)\s*: (.*)$", text, re.MULTILINE))
    name = facts.get("model name", platform.machine())
    if "cpu family" in facts:
        name += f" (family {facts['cpu family']}, model {facts['model']})"
    return name
