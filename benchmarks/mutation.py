"""Break the code in small ways, one at a time, and count how often the tests notice.

Run from the root of the project, with cosmic-ray 8 and coverage installed::

    python benchmarks/mutation.py kernels --sample 400 --seed 0 --state kernels.jsonl

Packages are those of `TESTS`; ``--sample 0`` takes every mutant. All happens in copies
of the checkout. The tests first run once unchanged, which tells how long each takes
and what lines it reaches; what fails there, or is slow, is left out. A mutant meets the
tests that reach its line, those of the quickest file first, until one fails. A mutant
that does not import, takes ten times as long as the code does, or more memory than
`MEMORY`, counts as killed; one that no test reaches counts as a survivor.

Run again with the same ``--state`` to go on from there: what was killed is not tested
again, what survived is. Totals and survivors go to ``mutation.json`` beside this file.

Mutants are all that cosmic-ray makes, except

- those that Python does not compile, and those in annotations;
- those that die of a TypeError nearly everywhere and would only raise the score:
  numbers combined as bits, bits combined as numbers, and None put in order;
- ``==`` made ``is``: the same for short strings and small numbers.

Exits with 1 when less than 90 % of the mutants are killed.
"""

import argparse
import ast
import contextlib
import difflib
import gc
import importlib
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).resolve().with_suffix(".json")
PACKAGE = "sklearn_irmetrics"
COMMON = ["reference", "against_sklearn", "worked_examples", "common", "brute_force"]
COMMON += ["properties", "presets", "numerics", "correlation", "curves", "sets", "user"]
COMMON += ["inputs", "blocks", "aggregate"]
TESTS = {
    "kernels": COMMON,
    "_core": [*COMMON, "bad_values", "threads", "frame", "scorer", "estimators"]
    + ["split", "ranking_report", "trec", "arrays", "torch"],
    "model_selection": ["split", "compare", "results", "evaluate", "estimation_parts"]
    + ["failures", "consumers", "bad_values", "contracts"],
}
LEAST = 0.9
MEMORY = 8 * 2**30
# What tests import besides the package: read once, here, before mutants part from us.
PRELOADED = ["numpy.testing", "scipy.stats", "scipy.optimize", "scipy.sparse"]
PRELOADED += ["sklearn.ensemble", "sklearn.linear_model", "sklearn.model_selection"]
PRELOADED += ["sklearn.naive_bayes", "sklearn.neighbors", "sklearn.pipeline"]
PRELOADED += ["sklearn.svm", "sklearn.tree", "sklearn.utils.estimator_checks"]
PRELOADED += ["pandas", "matplotlib.pyplot", "hypothesis.strategies", "torch"]
NUMBERS = {"Add", "Sub", "Mul", "Div", "FloorDiv", "Mod", "Pow"}
BITS = {"BitOr", "BitAnd", "BitXor"}
IDENTITY = {"Is", "IsNot"}


@dataclass
class Mutant:
    """One change of one file, and the tests that might notice."""

    path: str
    line: int
    code: str
    diff: str  # no two mutants share it
    tests: list = field(default_factory=list)


def is_fair(operator):
    """Tell whether a kind of change says anything about tests."""
    kind, _, change = operator.partition("_")
    before, _, after = change.partition("_")
    if kind == "ReplaceBinaryOperator":
        return {before, after} <= NUMBERS or {before, after} <= BITS
    if kind == "ReplaceComparisonOperator":
        return (before in IDENTITY) == (after in IDENTITY)
    return True


def annotations(source):
    """Return where annotations begin and end, as pairs of (line, column)."""
    found = []
    for node in ast.walk(ast.parse(source)):
        for name in ("annotation", "returns"):
            part = getattr(node, name, None)
            if part is not None:
                start = (part.lineno, part.col_offset)
                found.append((start, (part.end_lineno, part.end_col_offset)))
    return found


def changes_of(source, path):
    """Return all fair changes of some code, as cosmic-ray describes them."""
    from cosmic_ray.commands.init import _all_work_items

    ignored = annotations(source)
    return [
        change
        for item in _all_work_items([path], {})
        for change in item.mutations
        if is_fair(change.operator_name.rpartition("/")[2])
        and not any(start <= change.start_pos < end for start, end in ignored)
    ]


def mutant_of(source, path, change):
    """Return the mutant of a change, or None where it is no Python."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    operator = get_operator(change.operator_name)()
    code = mutate_code(source, operator, change.occurrence)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(code, path, "exec")
    except SyntaxError:
        return None
    line = change.start_pos[0]
    lines = source.splitlines(), code.splitlines()
    diff = list(difflib.unified_diff(*lines, lineterm="", n=1))[2:]
    diff.insert(0, f"{path}:{line} {change.operator_name.rpartition('/')[2]}")
    return Mutant(path, line, code, "\n".join(diff))


def draw(sources, n_mutants, seed):
    """Return mutants drawn at random, all for 0, and the number there are."""
    changes = [
        (source, path, change)
        for path, source in sources.items()
        for change in changes_of(source, path)
    ]
    random.Random(seed).shuffle(changes)
    mutants = []
    for change in changes:
        mutant = mutant_of(*change)
        if mutant is not None:
            mutants.append(mutant)
            if len(mutants) == n_mutants:
                break
    return mutants, len(changes)


class Recorder:
    """Plugin of pytest: what failed, how long tests took, what lines they ran."""

    def __init__(self, coverage):
        self.coverage = coverage
        self.seconds = Counter()
        self.failed = set()

    def pytest_runtest_logstart(self, nodeid):
        """Attribute what runs now to this test."""
        self.coverage.switch_context(nodeid)

    def pytest_runtest_logreport(self, report):
        """Add up setup, call and teardown."""
        self.seconds[report.nodeid] += report.duration
        if not report.passed:
            self.failed.add(report.nodeid)


class Chosen:
    """Plugin of pytest: run these tests only, none too long, keep what fails."""

    def __init__(self, seconds, report):
        self.seconds = seconds
        self.report = report
        self.killer = None

    def pytest_collection_modifyitems(self, items):
        """Drop all others."""
        items[:] = [item for item in items if item.nodeid in self.seconds]

    def pytest_runtest_logstart(self, nodeid):
        """Die of a signal that nobody handles if the test takes far longer."""
        self.report.write_text(nodeid)
        limit_time(10 + 10 * self.seconds[nodeid])

    def pytest_collectreport(self, report):
        """Take a file that cannot be imported as one that fails."""
        if report.failed:
            self.killer = report.nodeid

    def pytest_runtest_logreport(self, report):
        """Remember what failed."""
        if report.failed:
            self.killer = report.nodeid


class Copy:
    """A copy of the checkout, with processes that see no other."""

    def __init__(self, folder, seed):
        self.path, self.seed = folder / "main", seed
        self.report, self.log = folder / "report", folder / "log"
        self.original = folder / "original"
        ignored = shutil.ignore_patterns(".*", "__pycache__", "build", "_build")
        shutil.copytree(ROOT, self.path, ignore=ignored)
        data = ROOT.parent / "shared"
        if data.exists():
            (folder / "shared").symlink_to(data)

    def start(self, function, *args):
        """Run a function in a process of its own; return the process id."""
        self.report.unlink(missing_ok=True)
        process = os.fork()
        if process:
            return process
        try:
            self.enter()
            function(self, *args)
        except BaseException as error:  # a mutant may do anything
            print(repr(error))
            os._exit(1)
        os._exit(0)

    def enter(self):
        """Make this process the first of a group that works in the copy."""
        os.setsid()
        os.chdir(self.path)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        sys.path.insert(0, str(self.path))
        os.environ |= {"PYTHONPATH": str(self.path), "PYTHONDONTWRITEBYTECODE": "1"}
        sys.dont_write_bytecode = True
        output = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(output, stream)

    def pytest(self, files, *options, plugins=()):
        """Run pytest; return its exit status."""
        import pytest

        quiet = ["-q", "--tb=no", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
        quiet += [f"-pno:{plugin}" for plugin in ("cacheprovider", "xdist", "cov")]
        arguments = [*quiet, f"--rootdir={self.path}", f"--seed={self.seed}", *options]
        return pytest.main([*arguments, *files], plugins=list(plugins))


def limit_time(seconds):
    """Bound the time of the processor, and more generously that of the clock."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(60 + int(5 * seconds))


def end(process):
    """End what a process left behind."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)


def compile_tests(copy, files):
    """Keep what Python compiles, so that each mutant compiles one file only."""
    sys.dont_write_bytecode = False
    copy.pytest(files, "--collect-only")
    found = Path(importlib.import_module(PACKAGE).__file__)
    if copy.path not in found.parents:
        raise RuntimeError(f"The tests import {found}, not what is in {copy.path}.")


def run_unchanged(copy, files):
    """Run all tests once; report the seconds of each and the tests of each line."""
    import coverage

    source = [str(copy.path / PACKAGE)]
    data = coverage.Coverage(data_file=None, source=source, config_file=False)
    recorder = Recorder(data)
    data.start()
    copy.pytest(files, plugins=[recorder])
    data.stop()
    lines = {}
    for path in data.get_data().measured_files():
        reached = data.get_data().contexts_by_lineno(path)
        name = str(Path(path).relative_to(copy.path))
        lines[name] = {n: [t for t in tests if t] for n, tests in reached.items()}
    facts = {"seconds": recorder.seconds, "failed": sorted(recorder.failed)}
    copy.report.write_text(json.dumps(facts | {"lines": lines}))


def run_mutant(copy, mutant, seconds):
    """Run the tests of a mutant file by file, the quickest first, until one fails."""
    by_file = {}
    for test in mutant.tests:
        by_file.setdefault(test.partition("::")[0], {})[test] = seconds[test]
    for name in sorted(by_file, key=lambda name: sum(by_file[name].values())):
        chosen = Chosen(by_file[name], copy.report)
        copy.report.write_text(name)
        limit_time(60)
        code = copy.pytest([name], "-x", plugins=[chosen])
        if code not in (0, 5):  # 5: the tests are gone since their lines were kept
            copy.report.write_text(chosen.killer or f"{name}: exit status {code}")
            return
    copy.report.write_text("")


def killer_of(copy, status):
    """Return what killed a mutant, "" if nothing did."""
    seen = copy.report.read_text() if copy.report.exists() else "start"
    if os.WIFSIGNALED(status):
        return f"{signal.Signals(os.WTERMSIG(status)).name} in {seen}"
    return f"died in {seen}" if status else seen


def measure(copies, files, kept):
    """Return what the tests do to the code as it is."""
    for copy in copies:
        os.waitpid(copy.start(compile_tests, files), 0)
    if not kept.exists():
        process = copies[0].start(run_unchanged, files)
        os.waitpid(process, 0)
        end(process)
        print(copies[0].log.read_text()[-500:], flush=True)
        shutil.copy(copies[0].report, kept)
    return json.loads(kept.read_text())


def scopes(source):
    """Return first and last lines of functions and classes, the innermost first."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]
    spans = [
        (min([n.lineno, *(d.lineno for d in n.decorator_list)]), n.end_lineno)
        for n in found
    ]
    return sorted(spans, key=lambda span: span[1] - span[0])


def choose_tests(mutant, source, facts, slow, budget):
    """Return tests that reach a mutant: at most `budget` seconds of them."""
    lines = {int(n): tests for n, tests in facts["lines"].get(mutant.path, {}).items()}
    # What runs on import (defaults, constants) goes to the tests of what is around it.
    around = [span for span in scopes(source) if span[0] <= mutant.line <= span[1]]
    reached = set()
    for first, last in [
        (mutant.line, mutant.line),
        *around,
        (1, max(lines, default=0)),
    ]:
        reached.update(*(lines.get(n, ()) for n in range(first, last + 1)))
        if reached:
            break
    reached -= set(facts["failed"])
    seconds, chosen = facts["seconds"], []
    for test in sorted(reached, key=lambda test: (seconds[test], test)):
        budget -= seconds[test]
        if budget < 0 or seconds[test] > slow:
            break
        chosen.append(test)
    return chosen


def work_off(mutants, copies, seconds):
    """Test all mutants; yield each with what killed it."""
    waiting, free, running = mutants[::-1], list(copies), {}
    while waiting or running:
        while waiting and free:
            copy, mutant = free.pop(), waiting.pop()
            os.replace(copy.path / mutant.path, copy.original)
            (copy.path / mutant.path).write_text(mutant.code)
            running[copy.start(run_mutant, mutant, seconds)] = copy, mutant
        process, status = os.wait()
        end(process)
        copy, mutant = running.pop(process)
        os.replace(copy.original, copy.path / mutant.path)
        free.append(copy)
        yield mutant, killer_of(copy, status)


def read_state(path):
    """Return what killed which mutant in earlier runs."""
    if not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {row["diff"]: row["killer"] for row in rows}


def write_results(package, results):
    """Replace what is known of a package."""
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    RESULTS.write_text(json.dumps(known | {package: results}, indent=1) + "\n")


def parse_arguments():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("package", choices=TESTS)
    parser.add_argument("--sample", type=int, default=400, help="mutants; 0 for all")
    parser.add_argument("--seed", type=int, default=0, help="of sample and of tests")
    parser.add_argument("--jobs", type=int, default=1, help="mutants tested at once")
    parser.add_argument("--slow", type=float, default=5, help="leave out longer tests")
    parser.add_argument("--budget", type=float, default=60, help="seconds per mutant")
    parser.add_argument("--tests", nargs="*", help="names of test files; others wait")
    parser.add_argument("--lines", type=Path, help="file to keep the unchanged run in")
    parser.add_argument("--state", type=Path, help="file to go on from, JSON lines")
    return parser.parse_args()


def main():
    """Make mutants, test them and print the score and the survivors."""
    options = parse_arguments()
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    os.environ.setdefault("MPLBACKEND", "agg")
    package = options.package
    for name in PRELOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.freeze()  # mutants need not look through all that
    files = [
        str(path.relative_to(ROOT))
        for name in options.tests or TESTS[package]
        for path in ROOT.glob(f"tests/*/test_{name}.py")
    ]
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        state = (options.state or scratch / "state").absolute()
        kept = (options.lines or scratch / "lines").absolute()
        copies = [Copy(scratch / str(i), options.seed) for i in range(options.jobs)]
        os.chdir(copies[0].path)
        paths = sorted(Path(PACKAGE, package).glob("*.py"))
        sources = {str(path): path.read_text() for path in paths}
        mutants, n_mutants = draw(sources, options.sample, options.seed)
        print(f"{n_mutants} mutants of {package}, {len(mutants)} drawn", flush=True)
        facts = measure(copies, files, kept)
        for mutant in mutants:
            source = sources[mutant.path]
            mutant.tests = choose_tests(
                mutant, source, facts, options.slow, options.budget
            )
        killers = read_state(state)
        rest = [mutant for mutant in mutants if not killers.get(mutant.diff)]
        for mutant, killer in work_off(rest, copies, facts["seconds"]):
            killers[mutant.diff] = killer
            with open(state, "a") as file:
                print(json.dumps({"diff": mutant.diff, "killer": killer}), file=file)
    survivors = [mutant for mutant in mutants if not killers[mutant.diff]]
    for mutant in sorted(survivors, key=lambda mutant: (mutant.path, mutant.line)):
        print(f"\nsurvived {len(mutant.tests)} tests: {mutant.diff}")
    killed = len(mutants) - len(survivors)
    minutes = (time.monotonic() - start) / 60
    print(f"\n{package}, seed {options.seed}: {n_mutants} mutants, {len(mutants)}")
    print(f"drawn, {killed} killed: {killed / len(mutants):.1%} ({minutes:.0f} min)")
    results = {"seed": options.seed, "mutants": n_mutants, "drawn": len(mutants)}
    results |= {"killed": killed, "survivors": sorted(m.diff for m in survivors)}
    write_results(package, results)
    return 0 if killed >= LEAST * len(mutants) else 1


if __name__ == "__main__":
    sys.exit(main())
