import os
import secrets
import sys
from collections import Counter
from pathlib import Path

import pytest

from oracles.command import main
from oracles.places import ROOT, SHARED_DATA

try:
    from hypothesis import settings
except ImportError:  # the tests that need it skip, saying so
    settings = None

# Before anything imports Matplotlib or NumPy. Worker processes inherit it. Small models
# fit up to ten times faster where their threads do not wait for each other.
os.environ["MPLBACKEND"] = "agg"
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

COMPARED = "compared"
BLOCKS = "blocks of code"


def pytest_addoption(parser):
    group = parser.getgroup("random cases")
    group.addoption(
        "--seed",
        type=int,
        help="of all random cases (printed at the end; by default the same in every "
        "ordinary run and another in every thorough one)",
    )
    group.addoption(
        "--thorough", action="store_true", help="compare a million random cases"
    )


@pytest.fixture(autouse=True)
def close_figures():
    """Close what a test has drawn; Matplotlib warns of too many open figures."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    options = config.option
    if options.seed is None:
        # pytest-xdist tells its workers
        options.seed = secrets.randbelow(2**31) if options.thorough else 2026
    if settings is None:
        return
    if options.hypothesis_seed is None:
        options.hypothesis_seed = str(options.seed)
    shared = {"deadline": None, "database": None, "print_blob": True}
    settings.register_profile("ordinary", max_examples=15, **shared)
    settings.register_profile("thorough", max_examples=1000, **shared)
    settings.load_profile("thorough" if options.thorough else "ordinary")


def pytest_terminal_summary(terminalreporter, config):
    show_skipped(terminalreporter)
    total, blocks = {}, Counter()
    for name, counts in properties(terminalreporter):
        if name == COMPARED:
            add_counts(total, counts)
        elif name == BLOCKS:
            blocks.update(counts)
    if blocks:
        terminalreporter.section(f"{blocks.total()} {BLOCKS}")
        for outcome, n_blocks in blocks.most_common():
            terminalreporter.line(f"{n_blocks:>10,}  {outcome}")
    if total:
        terminalreporter.section(f"random cases of --seed={config.option.seed}")
        terminalreporter.line(f"{'cases':>10}  largest deviation  compared with")
        for oracle, (n_cases, deviation) in sorted(total.items()):
            terminalreporter.line(f"{n_cases:>10,}  {deviation:>17.1e}  {oracle}")


def properties(reporter):
    """Yield what tests added to their reports, by name."""
    for reports in reporter.stats.values():
        for report in reports:
            if getattr(report, "when", None) == "call":
                yield from report.user_properties


def show_skipped(terminalreporter):
    """Print one line for each reason why tests were skipped."""
    skipped = Counter(
        report.longrepr[2].removeprefix("Skipped: ").partition(": No module")[0]
        for report in terminalreporter.stats.get("skipped", [])
    )
    if skipped:
        terminalreporter.section("tests and files of tests that were skipped")
        for reason, count in sorted(skipped.items()):
            terminalreporter.line(f"{count:>5}  {reason}")


def add_counts(total, counts):
    for oracle, (n_cases, deviation) in counts.items():
        so_far, largest = total.get(oracle, (0, 0.0))
        total[oracle] = [so_far + n_cases, max(largest, deviation)]


@pytest.fixture
def seed(request):
    return request.config.option.seed


@pytest.fixture
def tally(request):
    """Count cases for the table at the end: ``tally(oracle, n_cases, deviation)``."""
    counts = {}
    request.node.user_properties.append((COMPARED, counts))

    def count(oracle, n_cases, deviation):
        add_counts(counts, {oracle: (int(n_cases), float(deviation))})

    return count


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Write files, run a command beside them; return status, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run(words, *more, **files):
        for name, text in files.items():
            Path(name).write_text(text)
        try:
            status = main([*words.split(), *map(str, more)])
        except SystemExit as error:
            status = error.code
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def out(run):
    """Run a command that works; return stdout."""

    def out(words, *more, **files):
        status, stdout, stderr = run(words, *more, **files)
        assert status == 0, stderr
        return stdout

    return out


@pytest.fixture(scope="session")
def shared_data():
    """Find a file or folder of the test data, or skip: ``shared_data("hello_ltr")``."""

    def locate(name):
        path = SHARED_DATA / name
        if not path.exists():
            pytest.skip(f"the test data {name!r} is not in {SHARED_DATA}")
        return path

    return locate


@pytest.fixture(scope="module")
def dask_client(request):
    """Connect to two processes of Dask that can import the package and the tests."""
    distributed = pytest.importorskip(
        "dask.distributed", reason="dask.distributed is not installed"
    )
    with pytest.MonkeyPatch.context() as patch:
        # Read by workers that take the place of killed ones, too.
        folders = os.pathsep.join([str(ROOT), str(request.path.parent)])
        patch.setenv("PYTHONPATH", folders, prepend=os.pathsep)
        with (
            distributed.LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                processes=True,
                dashboard_address=":0",  # None is 8787, and warns if that is taken
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
